r"""Functions F(d) of one metric that make metrics again: scaled, capped and saturated metrics, powers
and Schoenberg's functions, with the promises that they keep.

A nondecreasing function F with F(0) = 0, F > 0 elsewhere, that is concave makes a metric out of a
metric: it is subadditive, so :math:`F(d(x, z)) \le F(d(x, y) + d(y, z)) \le F(d(x, y)) + F(d(y,
z))`. A *Bernstein* function (F >= 0 with a completely monotone derivative) keeps negative type, and
F keeps Hilbertian metrics Hilbertian iff :math:`F^2(\sqrt t)` is one (Schoenberg 1938; Hein,
Bousquet & Schoelkopf 2005, sections 2.1 and 4.2). None of them changes which objects are at
distance 0.

A *uniform local isometry* multiplies all short distances by nearly the same factor: locally it
agrees with the metric.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np

from wideberth.array_types import Floats, Objects, Sample
from wideberth.errors import InvalidInput
from wideberth.metrics.metric import Distances, Metric, Promises, exact_text
from wideberth.metrics.parameters import is_number, nonnegative, positive
from wideberth.metrics.transforms.promise_rules import call_in_full, closed, dominating
from wideberth.objects.digests import Digests
from wideberth.rounding import DistanceErrors
from wideberth.wording import python, setting


class TransformedMetric(Metric):
    """The base class of functions F(d) of one metric d, the inner metric.

    It prepares and recognises objects as the inner metric does, and fits the inner metric to a
    sample. Subclasses set ``call``, pass the inner metric to ``_wrap``, and define `promises`,
    `slope_at_zero` and ``_of``, the function itself.

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
        self.takes_missing, self.knows_missing = metric.takes_missing, metric.knows_missing
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

    def distance_errors(self, prepared: Sample) -> DistanceErrors:
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
        if stretch < np.inf:
            return {name: stretch * constant for name, constant in dominating(self.metric).items()}
        return {}

    def radii_in(self, other: str, radii: Floats, prepared: Sample) -> Floats | None:
        """How far objects may move, by what the inner metric knows; see
        `wideberth.Metric.radii_in`.
        """
        return self.metric.radii_in(other, self._inner_radii(radii), prepared)

    def moves_alone(self, column: Any, radii: Floats) -> Floats | None:
        """By what the inner metric knows; see `wideberth.Metric.moves_alone`."""
        return self.metric.moves_alone(column, self._inner_radii(radii))

    def as_objects(self, prepared: Sample) -> Sample | None:
        """As the inner metric has them; see `wideberth.Metric.as_objects`."""
        return self.metric.as_objects(prepared)

    def _largest_stretch(self) -> float:
        """The largest F(t) / t: at the shortest distance there is, because F(t) / t falls unless a
        subclass says otherwise.
        """
        step = self.metric.step
        if step:
            return float(self._of(np.array([[step]], dtype=np.float64)).item()) / step
        return self.slope_at_zero

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

    def fitted(self, objects: Objects) -> Self:
        """Return the same function of the inner metric fitted to the objects; itself if that learns
        nothing.
        """
        return self._around_other(self.metric.fitted(objects))

    @property
    def uses_labels(self) -> bool:
        """Whether the inner metric does; see `wideberth.Metric.uses_labels`."""
        return self.metric.uses_labels

    def taught(self, objects: Objects, labels: Any, weights: Any = None) -> Self:
        """Return the same function of the inner metric taught by labelled objects; see
        `wideberth.Metric.taught`.
        """
        return self._around_other(self.metric.taught(objects, labels, weights))

    def taught_anew(self, prepared: Sample, labels: Any, weights: Any) -> Self:
        """Return the same function of the inner metric taught anew; see
        `wideberth.Metric.taught_anew`.
        """
        return self._around_other(self.metric.taught_anew(prepared, labels, weights))

    def _around_other(self, metric: Metric) -> Self:
        """The same function of another metric; itself if it is that of its own."""
        return self if metric is self.metric else self.around(metric)

    def prepare(self, objects: Objects) -> Sample:
        """Prepare the objects as the inner metric does."""
        return self.metric.prepare(objects)

    def digests(self, X: Objects, prepared: Sample) -> Digests | None:
        """Compute the digests of the inner metric; see `wideberth.Metric.digests`."""
        return self.metric.digests(X, prepared)

    def contents(self, X: Objects, prepared: Sample) -> Sample:
        """Those of the inner metric; see `wideberth.Metric.contents`."""
        return self.metric.contents(X, prepared)

    def alike_digests(self, prepared: Sample) -> Digests | None:
        """Those of the metric inside; see `wideberth.Metric.alike_digests`."""
        return self.metric.alike_digests(prepared)

    @property
    def taught_by(self) -> Digests | None:
        """What the metric inside was taught by."""
        return self.metric.taught_by

    def nanoseconds(self, prepared: Sample) -> float:
        """Estimate the time of one distance as the inner metric does: the function itself costs
        little.
        """
        return self.metric.nanoseconds(prepared)

    def _measure(self, left: Sample, right: Sample) -> Distances:
        return self._of(self.metric._distances(left, right, infinite=True))

    def _of(self, distances: Distances) -> Distances:
        """Apply the function to distances. It must not change the array in place: the inner metric
        may own it.
        """
        raise NotImplementedError


def _shown(setting: Any) -> str:
    """Format a number, or several, for the name of a metric."""
    return f"{setting:g}" if is_number(setting) else f"[{', '.join(map(_shown, setting))}]"


class Scaled(TransformedMetric):
    r"""A metric in another unit, :math:`c\,d(x, y)` with c > 0.

    It keeps every promise; its step is c times the inner one. Its unit has no name.

    Examples
    --------
    >>> from wideberth.metrics.vectors.minkowski import Manhattan
    >>> Scaled(Manhattan(), 0.5)([0, 0], [3, 4])
    3.5
    """

    call = "scale"

    def __init__(self, metric: Metric, factor: float) -> None:
        self.factor = positive(
            factor, "The factor of 'scale'", "0.5 halves every distance.", parameter="factor"
        )
        self._wrap(metric)
        self.unit = metric.unit if factor == 1 else None
        self._may_overflow = factor > 1

    @property
    def promises(self) -> Promises:
        """Those of the inner metric, with the step times the factor."""
        step = self.metric.step
        return replace(closed(self.metric.promises), step=step and step * self.factor)

    @property
    def slope_at_zero(self) -> float:
        """The factor."""
        return float(self.factor)

    def _of(self, distances: Distances) -> Distances:
        with np.errstate(over="ignore"):  # refused where it is measured
            return np.asarray(distances * self.factor)


class Capped(TransformedMetric):
    r"""A metric with an upper limit, :math:`\min\{d(x, y), a\}`: all larger distances become equal.

    Concave, so it keeps the triangle inequality; bounded. It does not keep negative type: for the
    Euclidean distance it does on the line (1 - min(t, 1) is the triangular kernel), but not in the
    plane, where that kernel is not positive definite. So nothing is promised in general, except if
    the limit is at most one step: then only equal and different objects remain, the corners of a
    simplex, which is Hilbertian.

    Examples
    --------
    >>> from wideberth.metrics.strings.edits import Levenshtein
    >>> Capped(Levenshtein(), 3)("tea", "marmalade")
    3.0
    """

    call = "cap"

    def __init__(self, metric: Metric, at: float) -> None:
        self.at = positive(
            at, "The parameter at of 'cap'", "Larger distances become this one.", parameter="at"
        )
        self._wrap(metric)

    @property
    def promises(self) -> Promises:
        """The triangle inequality and separation of the inner metric; bounded; Hilbertian only as a
        simplex.
        """
        inner = closed(self.metric.promises)
        simplex = True if inner.obeys_triangle and inner.step and self.at <= inner.step else None
        return Promises(
            obeys_triangle=inner.obeys_triangle or None,
            hilbertian=simplex,
            negative_type=simplex,
            bounded=True,
            separates=inner.separates,
            step=self._step(inner.step),
        )

    @property
    def slope_at_zero(self) -> float:
        """1: short distances do not change."""
        return 1.0

    def _step(self, step: float | None) -> float | None:
        """Return the step of the capped metric: the limit if it is at most one step, or the inner
        step if that divides it.
        """
        if not step:
            return None
        return self.at if self.at <= step else step if self.at % step == 0 else None

    def _of(self, distances: Distances) -> Distances:
        return np.asarray(np.minimum(distances, self.at))

    def _inner_radii(self, radii: Floats) -> Floats:
        return np.where(radii > self.at, np.inf, radii)


class Power(TransformedMetric):
    r"""A power of a metric, :math:`d(x, y)^a` with a > 0, which for a < 1 is called its snowflake.

    For a <= 1 it is concave, so it keeps the triangle inequality. For a > 1 it need not, and
    nothing is promised in general: an ultrametric keeps it, a Euclidean distance squared breaks it.
    If d does not obey it, :math:`d^a` with a >= 1 does not either: otherwise its a-th root, which
    is d, would obey it.

    The exponents q for which :math:`d^q` is of negative type are those up to some bound (Schoenberg
    1938): at least 2 if d is Hilbertian and 1 if it is of negative type, below 2 or 1 if it is not.
    :math:`d^a` is of negative type if a is one of them, and Hilbertian if 2 a is: so the square
    root of a metric of negative type is Hilbertian.

    Examples
    --------
    >>> from wideberth.metrics.vectors.minkowski import Manhattan
    >>> root = Power(Manhattan(), 0.5)
    >>> root([0], [9]), root.hilbertian
    (3.0, True)
    """

    call = "power"

    def __init__(self, metric: Metric, exponent: float) -> None:
        self.exponent = positive(
            exponent, "The exponent of 'power'", "0.5 is the square root.", parameter="exponent"
        )
        self._wrap(metric)
        self._may_overflow = exponent > 1

    @property
    def promises(self) -> Promises:
        """What follows from the exponent and the promises of the inner metric; see the class."""
        inner = closed(self.metric.promises)
        concave, convex = self.exponent <= 1, self.exponent >= 1
        obeys = {True: concave or None, False: False if convex else None, None: None}[
            inner.obeys_triangle
        ]
        whole = float(self.exponent).is_integer()
        return closed(
            replace(
                inner,
                obeys_triangle=obeys,
                hilbertian=_of_negative_type(inner, 2 * self.exponent),
                negative_type=_of_negative_type(inner, self.exponent),
                step=inner.step**self.exponent if inner.step and whole else None,
            )
        )

    @property
    def slope_at_zero(self) -> float:
        """Infinite for a < 1, where the curve starts vertically; 0 for a > 1, where it starts
        horizontally; otherwise 1.
        """
        return 1.0 if self.exponent == 1 else np.inf if self.exponent < 1 else 0.0

    def _of(self, distances: Distances) -> Distances:
        with np.errstate(over="ignore"):  # refused where it is measured
            return np.sqrt(distances) if self.exponent == 0.5 else distances**self.exponent

    def _largest_stretch(self) -> float:
        return super()._largest_stretch() if self.exponent <= 1 else np.inf

    def _inner_radii(self, radii: Floats) -> Floats:
        return np.asarray(radii ** (1.0 / self.exponent))


def _of_negative_type(inner: Promises, exponent: float) -> bool | None:
    """Tell whether that power of a metric is of negative type: known up to one exponent and refuted
    from another one on.
    """
    known = 2.0 if inner.hilbertian else 1.0 if inner.negative_type else 0.0
    refuted = 1.0 if inner.negative_type is False else 2.0 if inner.hilbertian is False else np.inf
    return True if exponent <= known else False if exponent >= refuted else None


class _Bernstein(TransformedMetric):
    """A bounded Bernstein function F (hence concave) for which F^2(sqrt t) is Bernstein too: it
    keeps all that is True.
    """

    @property
    def promises(self) -> Promises:
        """All promises of the inner metric that are True, and bounded."""
        inner = closed(self.metric.promises)
        return Promises(
            obeys_triangle=inner.obeys_triangle or None,
            hilbertian=inner.hilbertian or None,
            negative_type=inner.negative_type or None,
            bounded=True,
            separates=inner.separates,
        )


class Saturated(_Bernstein):
    r"""A metric mapped into [0, 1) by :math:`t / (1 + t)` for t = d(x, y), which is 1/2 at distance
    1.

    To get 1/2 at distance s, scale by 1 / s first. Small distances hardly change, which makes it a
    bounded metric that agrees with d locally (Hein, Bousquet & Schoelkopf 2005, section 2.1). It
    keeps the triangle inequality (concave), negative type (:math:`F'(t) = (1 + t)^{-2}` is
    completely monotone) and Hilbertian metrics: the derivative of :math:`F^2(\sqrt t) = t / (1 +
    \sqrt t)^2` is :math:`(1 + \sqrt t)^{-3}`, a completely monotone function of a Bernstein one.
    Whether it has a property that the inner metric lacks is not known in general.

    Examples
    --------
    >>> from wideberth.metrics.vectors.minkowski import Manhattan
    >>> Saturated(Manhattan())([0], [3])
    0.75
    """

    call = "saturate"

    def __init__(self, metric: Metric) -> None:
        self._wrap(metric)

    @property
    def slope_at_zero(self) -> float:
        """1: short distances hardly change."""
        return 1.0

    def _of(self, distances: Distances) -> Distances:
        with np.errstate(invalid="ignore"):
            squeezed: Distances = distances / (1.0 + distances)
        squeezed[np.isinf(distances)] = 1.0
        return squeezed

    def _inner_radii(self, radii: Floats) -> Floats:
        below = np.minimum(radii, 1.0)
        return np.divide(below, 1.0 - below, out=np.full_like(below, np.inf), where=below < 1.0)


class OneMinusExp(_Bernstein):
    r"""A metric mapped into [0, 1) by :math:`1 - e^{-\lambda t}` for t = d(x, y) and a rate
    :math:`\lambda > 0`.

    Like `Saturated` it agrees with d locally, but it approaches 1 faster: short distances become
    nearly :math:`\lambda t`. It keeps the triangle inequality (concave), negative type
    (:math:`F'(t) = \lambda e^{-\lambda t}` is completely monotone) and Hilbertian metrics: the
    derivative of :math:`F^2(\sqrt t)` is :math:`\lambda \int_\lambda^{2 \lambda} e^{-s \sqrt t}
    ds`, a mixture of completely monotone functions. Whether it has a property that the inner metric
    lacks is not known in general.

    Examples
    --------
    >>> from wideberth.metrics.vectors.minkowski import Manhattan
    >>> OneMinusExp(Manhattan(), np.log(2))([0], [3])  # halved three times
    0.875
    """

    call = "one_minus_exp"

    def __init__(self, metric: Metric, rate: float = 1.0) -> None:
        self.rate = positive(
            rate,
            "The rate of 'one_minus_exp'",
            "At distance 1 / rate it is 1 - 1/e, about 0.63.",
            parameter="rate",
        )
        self._wrap(metric)

    @property
    def slope_at_zero(self) -> float:
        """The rate."""
        return float(self.rate)

    def _of(self, distances: Distances) -> Distances:
        return np.asarray(-np.expm1(-self.rate * distances))

    def _inner_radii(self, radii: Floats) -> Floats:
        with np.errstate(divide="ignore"):
            return np.asarray(-np.log1p(-np.minimum(radii, 1.0)) / self.rate)


# ---- Schoenberg's functions

#: For t below this, sqrt(1 - exp(-t^2)) equals t in float64; the formula would fail where the
#: square of t underflows.
_STRAIGHT_BELOW = 1e-8


class Schoenberg(TransformedMetric):
    r"""A metric that approaches a limit at one or several rates: for t = d(x, y) the function

    .. math:: F(t) = \Big( a\, t^2 + \sum_k w_k \big(1 - e^{-r_k t^2}\big) \Big)^{1/2}

    with weights :math:`w_k > 0`, rates :math:`r_k > 0` and :math:`a \ge 0`. With a = 0, one weight
    2 and one rate r it is the distance that the Gaussian kernel :math:`e^{-r d^2}` measures; with
    several, that of a sum of Gaussian kernels.

    It keeps Hilbertian metrics Hilbertian, and sums of these terms, with integrals as their limits,
    are all functions that do (Schoenberg 1938; Hein, Bousquet & Schoelkopf 2005, Theorem 4, whose
    :math:`\gamma` jumps by :math:`w_k r_k` at :math:`r_k` and by a at 0). It keeps the triangle
    inequality of any metric: F increases, and it is subadditive although not always concave,
    because F(|x - y|) is Hilbertian on the line and so a metric there. It is bounded, by
    :math:`(\sum_k w_k)^{1/2}`, if a = 0, and otherwise if d is. A metric that is of negative type
    alone need not stay so, as neither F nor :math:`F^2` is a Bernstein function: put its root
    inside, ``power(metric, 0.5)``, which is Hilbertian. Whether it has a property that the inner
    metric lacks is not known in general.

    Short distances become nearly :math:`(a + \sum_k w_k r_k)^{1/2}\, t`, so it is a uniform local
    isometry.

    Examples
    --------
    >>> from wideberth.metrics.vectors.minkowski import Euclidean
    >>> limited = Schoenberg(Euclidean(), weights=[9, 16], rates=[1, 0.1])
    >>> limited([0.0], [1000.0]), limited.hilbertian
    (5.0, True)
    """

    call = "schoenberg"

    def __init__(
        self, metric: Metric, weights: Sequence[float], rates: Sequence[float], linear: float = 0.0
    ) -> None:
        _check_several(weights, "weights")
        _check_several(rates, "rates")
        if len(weights) != len(rates):
            raise InvalidInput(
                f"There are {len(weights)} weights and {len(rates)} rates.",
                advice="Each weight needs its rate, in the same order.",
                value=(weights, rates),
            )
        self.weights = weights
        self.rates = rates
        self.linear = nonnegative(
            linear,
            "The coefficient linear of 'schoenberg'",
            "0 makes it bounded.",
            parameter="linear",
        )
        self._wrap(metric)

    @property
    def promises(self) -> Promises:
        """The triangle inequality, Hilbertian and separating if the inner metric is; bounded if
        ``linear`` is 0.
        """
        inner = closed(self.metric.promises)
        return closed(
            Promises(
                obeys_triangle=inner.obeys_triangle or None,
                hilbertian=inner.hilbertian or None,
                bounded=inner.bounded if self.linear else True,
                separates=inner.separates,
            )
        )

    @property
    def slope_at_zero(self) -> float:
        """The square root of the sum of a and all :math:`w_k r_k`."""
        roots = (
            math.sqrt(weight) * math.sqrt(rate)
            for weight, rate in zip(self.weights, self.rates, strict=True)
        )
        return math.hypot(math.sqrt(self.linear), *roots)

    def _of(self, distances: Distances) -> Distances:
        with np.errstate(over="ignore"):
            squared = distances * distances
        far = self.linear * squared if self.linear else np.zeros_like(distances)
        for weight, rate in zip(self.weights, self.rates, strict=True):
            far -= weight * np.expm1(-rate * squared)
        np.sqrt(far, out=far)
        short = distances < _STRAIGHT_BELOW / math.sqrt(max(self.rates))
        far[short] = self.slope_at_zero * distances[short]
        if self.linear:
            vast = np.isinf(squared)
            far[vast] = np.hypot(
                math.sqrt(self.linear) * distances[vast], math.sqrt(sum(self.weights))
            )
        return far


def _check_several(values: Any, name: str) -> None:
    """Raise an error unless the values are a list, tuple or array of one or more positive
    numbers.
    """
    several = values.tolist() if isinstance(values, np.ndarray) else values
    if not isinstance(several, list | tuple) or not several:
        raise InvalidInput(
            f"{setting(name, values)} are not one or more positive numbers.",
            advice=f"Pass a list: {setting(name, [2.0])}.",
            value=values,
        )
    for position, value in enumerate(several):
        positive(
            value,
            f"{name}[{position}]",
            "To leave a term out, give it no weight and no rate.",
            parameter=name,
        )
