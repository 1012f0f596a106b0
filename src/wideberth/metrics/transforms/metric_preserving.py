r"""Metric-preserving functions: scaled, capped and saturated metrics and powers, with the promises
that they keep.

A nondecreasing function F with F(0) = 0, F > 0 elsewhere, that is concave makes a metric out of a
metric: it is subadditive, so :math:`F(d(x, z)) \le F(d(x, y) + d(y, z)) \le F(d(x, y)) + F(d(y,
z))`. A *Bernstein* function (F >= 0 with a completely monotone derivative) keeps negative type, and
F keeps Hilbertian metrics Hilbertian iff :math:`F^2(\sqrt t)` is one (Schoenberg 1938; Hein,
Bousquet & Schoelkopf 2005, sections 2.1 and 4.2). None of them changes which objects are at
distance 0.

A *uniform local isometry* multiplies all short distances by nearly the same factor: locally it
agrees with the metric.
"""

from dataclasses import replace

import numpy as np

from wideberth.array_types import Floats
from wideberth.metrics.metric import Distances, Metric, Promises
from wideberth.metrics.parameters import positive
from wideberth.metrics.transforms.promise_rules import closed
from wideberth.metrics.transforms.transformed_metric import TransformedMetric


class Scaled(TransformedMetric):
    r"""A metric in another unit, :math:`c\,d(x, y)` with c > 0.

    It keeps every promise; its step is c times the inner one. Its unit has no name.

    Parameters
    ----------
    metric : Metric
        The inner metric.
    factor : float
        The factor c, positive.

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

    Parameters
    ----------
    metric : Metric
        The inner metric.
    at : float
        The limit a, positive, in the unit of the inner metric.

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

    Parameters
    ----------
    metric : Metric
        The inner metric.
    exponent : float
        The exponent a, positive.

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

    Parameters
    ----------
    metric : Metric
        The inner metric.

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

    Parameters
    ----------
    metric : Metric
        The inner metric.
    rate : float, default=1.0
        The rate, positive. At distance 1 / rate it is 1 - 1/e, about 0.63.

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
