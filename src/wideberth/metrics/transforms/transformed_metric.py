"""The base class of functions F(d) of one metric, such as its multiples, powers and saturated
forms.
"""

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np

from wideberth.array_types import Floats
from wideberth.errors import InvalidInput
from wideberth.metrics.metric import Distances, Metric, exact_text
from wideberth.metrics.parameters import is_number
from wideberth.metrics.transforms.promise_rules import call_in_full, dominating
from wideberth.objects.digests import Digests
from wideberth.rounding import DistanceErrors
from wideberth.wording import python


class TransformedMetric(Metric):
    """The base class of functions F(d) of one metric d, the inner metric.

    It prepares and recognises objects as the inner metric does, and fits the inner metric to a
    sample. Subclasses set ``call``, pass the inner metric to ``_wrap``, and define `promises`,
    `slope_at_zero` and ``_of``, the function itself.

    Attributes
    ----------
    metric : Metric
        The inner metric.
    call : str
        The name of the function of `wideberth.transforms` that makes it; messages and model files
        use it.

    Examples
    --------
    >>> from wideberth.metrics.transforms.metric_preserving import Capped
    >>> from wideberth.metrics.vectors.minkowski import Euclidean
    >>> isinstance(Capped(Euclidean(), 10), TransformedMetric), Capped(Euclidean(), 10).name
    (True, 'cap(euclidean, 10)')
    """

    call: ClassVar[str]

    metric: Metric

    def _wrap(self, metric: Metric) -> None:
        """Check and store the inner metric, and accept the same objects."""
        if not isinstance(metric, Metric):
            raise InvalidInput(
                f"{type(self).__name__} needs a Metric, not {metric!r}.",
                advice=f"{python(f'wideberth.transforms.{self.call}')} also takes names and "
                "functions of two objects.",
                value=metric,
            )
        self.metric = metric
        self._from_user = type(self)._from_user or not metric.built_in
        self.accepts = metric.accepts
        self.parallel = metric.parallel

    @property
    def name(self) -> str:
        """The call that makes it."""
        settings = [
            _shown(value) for name, value in self.get_params(deep=False).items() if name != "metric"
        ]
        return f"{self.call}({', '.join([self.metric.name, *settings])})"

    @property
    def full_name(self) -> str | None:
        """The call with the full name of the inner metric and exact settings."""
        settings = (
            exact_text(value)
            for name, value in self.get_params(deep=False).items()
            if name != "metric"
        )
        return call_in_full(self.call, [self.metric], settings) if self.built_in else None

    def distance_errors(self, prepared: Any) -> DistanceErrors:
        r"""The relative error of the inner metric, and what the function makes of its absolute
        error.

        All functions here that keep the triangle inequality increase and obey :math:`F(s + t) \le
        F(s) + F(t)` and :math:`F(c t) \le c F(t)` for c > 1. So :math:`F(d (1 + \varepsilon) + u)
        \le (1 + \varepsilon) F(d) + F(u)`.
        """
        relative, absolute = self.metric.distance_errors(prepared)
        return DistanceErrors(relative, self._of(absolute))

    @property
    def slope_at_zero(self) -> float:
        """The limit of F(t) / t at t = 0, the factor by which short distances are stretched; it may
        be 0 or infinite.
        """
        raise NotImplementedError

    @property
    def uniform_local_isometry(self) -> bool:
        r"""Whether short distances keep their proportions: it agrees locally with the inner metric,
        up to one factor.

        Of :math:`F(d(x, y)) / d(x, y)`, as y comes near to x, the largest and the smallest limit
        are the same, positive and finite, at every x; and F(d) is small when and only when d is
        (Hein, Bousquet & Schoelkopf 2005, Definitions 1 and 2). True if :math:`F(t) / t` has a
        positive and finite limit at 0 (Lemma 2), which is `slope_at_zero`. The composition of two
        is one again, whose slope is the product of theirs. For a metric without short distances
        (``step``) it is no information.

        Examples
        --------
        >>> from wideberth.metrics.transforms.metric_preserving import Power, Saturated
        >>> from wideberth.metrics.vectors.minkowski import Euclidean
        >>> (
        ...     Saturated(Euclidean()).uniform_local_isometry,
        ...     Power(Euclidean(), 0.5).uniform_local_isometry,
        ... )
        (True, False)
        """
        return 0 < self.slope_at_zero < np.inf

    @property
    def dominated(self) -> Mapping[str, float]:
        """By the inner metric, with the largest F(t) / t as the constant, and by what bounds that;
        by none if it has no bound.

        >>> from wideberth.metrics.strings.edits import Levenshtein
        >>> from wideberth.metrics.transforms.metric_preserving import Power, Scaled
        >>> Scaled(Levenshtein(), 0.5).dominated, Power(Levenshtein(), 0.5).dominated["levenshtein"]
        ({'levenshtein': 0.5, 'indel': 0.5, 'damerau': 1.0, 'hamming': 0.5}, 1.0)
        """
        stretch = self._largest_stretch()
        return (
            {name: stretch * constant for name, constant in dominating(self.metric).items()}
            if stretch < np.inf
            else {}
        )

    def radii_in(self, other: str, radii: Floats, prepared: Any) -> Floats | None:
        """How far objects may move, by what the inner metric knows; see
        `wideberth.Metric.radii_in`.
        """
        return self.metric.radii_in(other, self._inner_radii(radii), prepared)

    def _largest_stretch(self) -> float:
        """The largest F(t) / t: at the shortest distance there is, because F(t) / t falls unless a
        subclass says otherwise.
        """
        step = self.metric.step
        return (
            float(self._of(np.array([[step]], dtype=np.float64)).item()) / step
            if step
            else self.slope_at_zero
        )

    def _inner_radii(self, radii: Floats) -> Floats:
        """Radii of the inner metric such that F(t) is below the radius for all t below: by F(t) <=
        slope_at_zero t, or better.
        """
        return radii / self.slope_at_zero

    def around(self, metric: Metric) -> Self:
        """Return the same function of another metric.

        Examples
        --------
        >>> from wideberth.metrics.transforms.metric_preserving import Capped
        >>> from wideberth.metrics.vectors.minkowski import Euclidean, Manhattan
        >>> Capped(Euclidean(), 10).around(Manhattan()).name
        'cap(manhattan, 10)'
        """
        return type(self)(**(self.get_params(deep=False) | {"metric": metric}))

    def fitted(self, objects: Any) -> Self:
        """Return the same function of the inner metric fitted to the objects; itself if that learns
        nothing.
        """
        fitted = self.metric.fitted(objects)
        return self if fitted is self.metric else self.around(fitted)

    def prepare(self, objects: Any) -> Any:
        """Prepare the objects as the inner metric does."""
        return self.metric.prepare(objects)

    def digests(self, X: Any, prepared: Any) -> Digests | None:
        """Compute the digests of the inner metric; see `wideberth.Metric.digests`."""
        return self.metric.digests(X, prepared)

    def contents(self, X: Any, prepared: Any) -> Any:
        """Those of the inner metric; see `wideberth.Metric.contents`."""
        return self.metric.contents(X, prepared)

    def alike_digests(self, prepared: Any) -> Digests | None:
        """Those of the metric inside; see `wideberth.Metric.alike_digests`."""
        return self.metric.alike_digests(prepared)

    @property
    def taught_by(self) -> Digests | None:
        """What the metric inside was taught by."""
        return self.metric.taught_by

    def nanoseconds(self, prepared: Any) -> float:
        """Estimate the time of one distance as the inner metric does: the function itself costs
        little.
        """
        return self.metric.nanoseconds(prepared)

    def _measure(self, left: Any, right: Any) -> Distances:
        return self._of(self.metric._distances(left, right, infinite=True))

    def _of(self, distances: Distances) -> Distances:
        """Apply the function to distances. It must not change the array in place: the inner metric
        may own it.
        """
        raise NotImplementedError


def _shown(setting: Any) -> str:
    """Format a number, or several, for the name of a metric."""
    return f"{setting:g}" if is_number(setting) else f"[{', '.join(map(_shown, setting))}]"
