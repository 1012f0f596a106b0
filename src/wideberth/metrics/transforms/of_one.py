r"""Functions of one metric that are still metrics, and what they keep of its promises.

A nondecreasing function F with F(0) = 0, F > 0 elsewhere, that is concave makes a metric out of a metric: it is subadditive, so
:math:`F(d(x, z)) \le F(d(x, y) + d(y, z)) \le F(d(x, y)) + F(d(y, z))`. A *Bernstein* function (F >= 0 with a completely monotone
derivative) keeps negative type, and F keeps Hilbertian metrics Hilbertian iff :math:`F^2(\sqrt t)` is one (Schoenberg 1938; Hein,
Bousquet & Schoelkopf 2005, sections 2.1 and 4.2). None of them changes where the distance is 0.

A *uniform local isometry* leaves short distances what they are, but for one factor everywhere: it trusts the metric locally.
"""

from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np

from wideberth.errors import InvalidInput
from wideberth.metrics.metric import Distances, Metric, Promises
from wideberth.metrics.parameters import is_number
from wideberth.metrics.transforms.known import closed
from wideberth.objects.digests import Digests


class OfOneMetric(Metric):
    """A function of one metric: it prepares objects as that one does, and fits it to a sample where it learns from one."""

    #: The function of `wideberth.transforms` that makes it, as messages and model files call it.
    call: ClassVar[str]

    metric: Metric

    def _wrap(self, metric: Metric) -> None:
        if not isinstance(metric, Metric):
            raise InvalidInput(
                f"{type(self).__name__} needs a Metric, not {metric!r}.",
                advice=f"wideberth.transforms.{self.call} also takes names and functions of two objects.",
                value=metric,
            )
        self.metric = metric
        self.accepts = metric.accepts
        self.parallel = metric.parallel

    @property
    def name(self) -> str:
        """The call that makes it."""
        settings = [_shown(value) for name, value in self.get_params(deep=False).items() if name != "metric"]
        return f"{self.call}({', '.join([self.metric.name, *settings])})"

    @property
    def slope_at_zero(self) -> float:
        """The limit of F(t) / t at 0: the factor by which short distances are stretched; it may be 0 or infinite."""
        raise NotImplementedError

    @property
    def uniform_local_isometry(self) -> bool:
        r"""Whether it agrees with the metric inside locally, up to one factor: short distances keep their proportions.

        Of :math:`F(d(x, y)) / d(x, y)`, as y comes near to x, the largest and the smallest limit are the same, positive and
        finite, at every x; and F(d) is small when and only when d is (Hein, Bousquet & Schoelkopf 2005, Definitions 1 and 2).
        True if :math:`F(t) / t` has a positive and finite limit at 0 (Lemma 2), which is `slope_at_zero`. Two after each other
        are one again, whose slope is the product of theirs. Where a metric has no short distances (``step``) it says nothing.

        >>> from wideberth.metrics.vectors.minkowski import Euclidean
        >>> Saturated(Euclidean()).uniform_local_isometry, Power(Euclidean(), 0.5).uniform_local_isometry
        (True, False)
        """
        return 0 < self.slope_at_zero < np.inf

    def around(self, metric: Metric) -> Self:
        """The same function of another metric."""
        return type(self)(**(self.get_params(deep=False) | {"metric": metric}))

    def fitted(self, objects: Any) -> Self:
        fitted = self.metric.fitted(objects)
        return self if fitted is self.metric else self.around(fitted)

    def prepare(self, objects: Any) -> Any:
        return self.metric.prepare(objects)

    def digests(self, X: Any, prepared: Any) -> Digests | None:
        """Those of the metric inside; see `wideberth.Metric.digests`."""
        return self.metric.digests(X, prepared)

    def alike_digests(self, prepared: Any) -> Digests | None:
        """Those of the metric inside; see `wideberth.Metric.alike_digests`."""
        return self.metric.alike_digests(prepared)

    @property
    def taught_by(self) -> Digests | None:
        """What the metric inside was taught by."""
        return self.metric.taught_by

    def nanoseconds(self, prepared: Any) -> float:
        return self.metric.nanoseconds(prepared)

    def _measure(self, left: Any, right: Any) -> Distances:
        return self._of(self.metric._measure(left, right))

    def _of(self, distances: Distances) -> Distances:
        """The function of distances; the array given may not be changed, it may be the metric's own."""
        raise NotImplementedError


class Scaled(OfOneMetric):
    r"""A metric in another unit, :math:`c\,d(x, y)` with c > 0. It keeps every promise, its step times c; its unit has no name.

    >>> from wideberth.metrics.vectors.minkowski import Manhattan
    >>> Scaled(Manhattan(), 0.5)([0, 0], [3, 4])
    3.5
    """

    call = "scale"

    def __init__(self, metric: Metric, factor: float) -> None:
        self.factor = positive(factor, "factor", "0.5 halves every distance.")
        self._wrap(metric)
        self.unit = metric.unit if factor == 1 else None

    @property
    def promises(self) -> Promises:
        step = self.metric.step
        return replace(closed(self.metric.promises), step=step and step * self.factor)

    @property
    def slope_at_zero(self) -> float:
        """The factor."""
        return float(self.factor)

    def _of(self, distances: Distances) -> Distances:
        return np.asarray(distances * self.factor)


class Capped(OfOneMetric):
    r"""A metric that does not look further than a level, :math:`\min\{d(x, y), a\}`: far is far.

    Concave, so the triangle inequality stays; bounded. Negative type does not stay: of the Euclidean distance it does on the line
    (1 - min(t, 1) is the triangular kernel), but not in the plane, where that kernel is not positive definite. It is not known
    in general, but for one case: up to one step nothing is left but equal or not, the corners of a simplex, which is Hilbertian.

    >>> from wideberth.metrics.strings.edits import Levenshtein
    >>> Capped(Levenshtein(), 3)("tea", "marmalade")
    3.0
    """

    call = "cap"

    def __init__(self, metric: Metric, at: float) -> None:
        self.at = positive(at, "at", "Larger distances become this one.")
        self._wrap(metric)

    @property
    def promises(self) -> Promises:
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
        """1: short distances stay what they are."""
        return 1.0

    def _step(self, step: float | None) -> float | None:
        if not step:
            return None
        return self.at if self.at <= step else step if self.at % step == 0 else None

    def _of(self, distances: Distances) -> Distances:
        return np.asarray(np.minimum(distances, self.at))


class Power(OfOneMetric):
    r"""A power of a metric, :math:`d(x, y)^a` with a > 0; for a < 1 its snowflake.

    For a <= 1 it is concave, so the triangle inequality stays. For a > 1 it need not, and whether it does is not known in
    general: an ultrametric keeps it, a Euclidean distance squared breaks it. If d does not obey it, :math:`d^a` with a >= 1 does
    not either, or its root would.

    The exponents q for which :math:`d^q` is of negative type are those up to some bound (Schoenberg 1938): at least 2 if d is
    Hilbertian and 1 if it is of negative type, below 2 or 1 if it is not. :math:`d^a` is of negative type if a is one of them,
    and Hilbertian if 2 a is: so the square root of a metric of negative type is Hilbertian.

    >>> from wideberth.metrics.vectors.minkowski import Manhattan
    >>> root = Power(Manhattan(), 0.5)
    >>> root([0], [9]), root.hilbertian
    (3.0, True)
    """

    call = "power"

    def __init__(self, metric: Metric, exponent: float) -> None:
        self.exponent = positive(exponent, "exponent", "0.5 is the square root.")
        self._wrap(metric)

    @property
    def promises(self) -> Promises:
        inner = closed(self.metric.promises)
        concave, convex = self.exponent <= 1, self.exponent >= 1
        obeys = {True: concave or None, False: False if convex else None, None: None}[inner.obeys_triangle]
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
        """Infinite for a < 1, where the curve starts upright; 0 for a > 1, where it starts flat."""
        return 1.0 if self.exponent == 1 else np.inf if self.exponent < 1 else 0.0

    def _of(self, distances: Distances) -> Distances:
        return np.sqrt(distances) if self.exponent == 0.5 else distances**self.exponent


def _of_negative_type(inner: Promises, exponent: float) -> bool | None:
    """Whether that power of a metric is of negative type, which is known up to one exponent and refuted from another on."""
    known = 2.0 if inner.hilbertian else 1.0 if inner.negative_type else 0.0
    refuted = 1.0 if inner.negative_type is False else 2.0 if inner.hilbertian is False else np.inf
    return True if exponent <= known else False if exponent >= refuted else None


class _Bernstein(OfOneMetric):
    """A bounded function F, concave and Bernstein, for which F^2(sqrt t) is Bernstein too: it keeps all that is true."""

    @property
    def promises(self) -> Promises:
        inner = closed(self.metric.promises)
        return Promises(
            obeys_triangle=inner.obeys_triangle or None,
            hilbertian=inner.hilbertian or None,
            negative_type=inner.negative_type or None,
            bounded=True,
            separates=inner.separates,
        )


class Saturated(_Bernstein):
    r"""A metric squeezed into [0, 1), :math:`t / (1 + t)` for t = d(x, y): half of the way is gone at distance 1.

    To have it gone at distance s, scale by 1 / s first. Small distances stay nearly what they are, which makes it a bounded
    metric that agrees with d locally (Hein, Bousquet & Schoelkopf 2005, section 2.1). It keeps the triangle inequality (concave),
    negative type (:math:`F'(t) = (1 + t)^{-2}` is completely monotone) and Hilbertian metrics: the derivative of
    :math:`F^2(\sqrt t) = t / (1 + \sqrt t)^2` is :math:`(1 + \sqrt t)^{-3}`, a completely monotone function of a Bernstein one.
    Whether it mends what the metric lacks is not known in general.

    >>> from wideberth.metrics.vectors.minkowski import Manhattan
    >>> Saturated(Manhattan())([0], [3])
    0.75
    """

    call = "saturate"

    def __init__(self, metric: Metric) -> None:
        self._wrap(metric)

    @property
    def slope_at_zero(self) -> float:
        """1: short distances stay nearly what they are."""
        return 1.0

    def _of(self, distances: Distances) -> Distances:
        with np.errstate(invalid="ignore"):
            squeezed: Distances = distances / (1.0 + distances)
        squeezed[np.isinf(distances)] = 1.0
        return squeezed


class OneMinusExp(_Bernstein):
    r"""A metric squeezed into [0, 1), :math:`1 - e^{-\lambda t}` for t = d(x, y) and a rate :math:`\lambda > 0`.

    Local as `Saturated`, and flat sooner: short distances become nearly :math:`\lambda t`. It keeps the triangle inequality
    (concave), negative type (:math:`F'(t) = \lambda e^{-\lambda t}` is completely monotone) and Hilbertian metrics: the
    derivative of :math:`F^2(\sqrt t)` is :math:`\lambda \int_\lambda^{2 \lambda} e^{-s \sqrt t} ds`, a mixture of completely
    monotone functions. Whether it mends what the metric lacks is not known in general.

    >>> from wideberth.metrics.vectors.minkowski import Manhattan
    >>> OneMinusExp(Manhattan(), np.log(2))([0], [3])  # halved three times
    0.875
    """

    call = "one_minus_exp"

    def __init__(self, metric: Metric, rate: float = 1.0) -> None:
        self.rate = positive(rate, "rate", "1 / rate is the distance at which two thirds of the way are gone.")
        self._wrap(metric)

    @property
    def slope_at_zero(self) -> float:
        """The rate."""
        return float(self.rate)

    def _of(self, distances: Distances) -> Distances:
        return np.asarray(-np.expm1(-self.rate * distances))


def positive(value: Any, name: str, advice: str) -> Any:
    """The value, a positive number."""
    if not is_number(value) or not 0 < value < np.inf:
        raise InvalidInput(f"{name}={value!r} is not a positive number.", advice=advice, value=value)
    return value


def _shown(setting: Any) -> str:
    """A number, or several, as the name of a metric has them."""
    return f"{setting:g}" if is_number(setting) else f"[{', '.join(map(_shown, setting))}]"
