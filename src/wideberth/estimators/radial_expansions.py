r"""Sums of radial functions of distances to references: what an LP machine and an SVM on a metric
both are.

.. math:: f_q(x) = \sum_{r, i} \gamma_{q, r, i}\, g_r(d(x, z_i)) + b_q

A *column* :math:`g_r` is a function of the distance alone that never rises or never falls, and
keeps one sign: a `Radial` of this file, or a kernel
(`wideberth.classifiers.hilbert_svm.kernel.HilbertKernel`, also with the jump at 0 that a shift
makes).

**How low and how high such a sum can get near an object.** After a move the distance to each
reference is in an interval (`wideberth.estimators.radius_rules.NearbyDistances`), on which a
column, being monotone, is between its values at the ends. So

.. math:: \sum \gamma^+ \min g + \gamma^- \max g + b \;\le\; f(x') \;\le\;
    \sum \gamma^+ \max g + \gamma^- \min g + b,

two products of matrices for all functions and objects. That needs the triangle inequality alone,
and holds for repaired kernels and for landmarks: their functions are such sums too. The lead of one
class over another, a difference of two sums, is itself such a sum, with the differences of the
coefficients, which is bounded more closely than the two are.

No move costs more here than by Lipschitz constants: on an interval that ends r away from d no term
changes by more than :math:`|\gamma|\, \mathrm{Lip}(g)\, r`. Several columns on one reference are
bounded each by itself, since their sum is not monotone: :math:`2 e^{-t^2} - 1.6 e^{-t^2 / 4}` has
its minimum inside of [0.5, 3.5]. With :math:`g = -t^2 / 2` and :math:`\sum_i \gamma_i = 0`, the
lower bound is :math:`f(x) - r \sum_i |\gamma_i| d_i` as long as :math:`r \le d_i` where
:math:`\gamma_i < 0`.

**Rounding.** A computed sum errs by a small share of :math:`|b| + \sum |\gamma| \max |g|`, its
*size*: since a column keeps one sign, :math:`\max |g|` is at one end, the same for all terms. Bounds
are moved apart by that share of the size, for the sum that is bounded and for the one that will be
computed where the object has moved to.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, Protocol, get_args

import numpy as np
from scipy.sparse import csr_array, vstack

from wideberth.array_types import Floats, Indices, Sample
from wideberth.errors import InvalidInput
from wideberth.estimators.model_facts import Push
from wideberth.estimators.radius_rules import NearbyDistances
from wideberth.geometry.measure.blocks import pairwise_distances
from wideberth.geometry.space.space import SpaceMetric
from wideberth.metrics.metric import Metric
from wideberth.metrics.parameters import is_number
from wideberth.objects import sample
from wideberth.rounding import RADIUS_ERROR, DistanceErrors
from wideberth.wording import setting

RadialName = Literal["distance", "gaussian", "laplace", "bounded"]
RadialLike = str | tuple[str, float | str]

#: Widths of a radial function that is only named, as shares of the median distance.
WIDTHS = (0.25, 0.5, 1.0)
#: Bytes of distances that are looked up together (more would not be faster); bytes that stay in the
#: cache of one core; and bytes that do so with all that bounds of sums compute from them.
_LOOKED_UP, _IN_CACHE, _BOUNDED = 2**22, 2**18, 2**20


# ---- Radial functions


@dataclass(frozen=True)
class Radial:
    r"""A function g of the distance t to a reference, with its smallest Lipschitz constant.

    ============ ======================= =========================
    name         g(t)                    Lipschitz constant
    ============ ======================= =========================
    "distance"   t                       1
    "gaussian"   exp(-t^2 / s^2)         sqrt(2 / e) / s
    "laplace"    exp(-t / s)             1 / s
    "bounded"    t / (s + t)             1 / s
    ============ ======================= =========================

    By the triangle inequality x -> g(d(x, z)) has at most the Lipschitz constant of g, whatever z
    (von Luxburg & Bousquet 2004, section 5.3). The gaussian is steepest at :math:`t = s / \sqrt 2`,
    the other two at 0. The width s is in the unit of the metric; "distance" has none.

    Examples
    --------
    >>> bell = Radial("gaussian", 2.0)
    >>> bell.values(np.array([0.0, 2.0])).round(3)
    array([1.   , 0.368])
    >>> round(bell.lipschitz, 3)
    0.429
    """

    name: RadialName
    width: float | None = None

    def __post_init__(self) -> None:
        if self.name not in get_args(RadialName):
            raise InvalidInput(
                f"There is no radial function {self.name!r}.",
                advice=f"Known: {', '.join(get_args(RadialName))}.",
                value=self.name,
            )
        if self.name == "distance":
            if self.width is not None:
                raise InvalidInput(
                    "The radial function 'distance' has no width.",
                    advice="Leave the width out.",
                    value=self.width,
                )
        elif self.width is None or not (is_number(self.width) and 0 < self.width < math.inf):
            raise InvalidInput(
                f"The width {self.width!r} of {self.name!r} does not fit.",
                advice="It is a positive number in the unit of the metric.",
                value=self.width,
            )

    @property
    def lipschitz(self) -> float:
        """The smallest Lipschitz constant of g."""
        return 1.0 / self._reach

    @property
    def is_decreasing(self) -> bool:
        """Whether g falls with the distance; otherwise it rises. None of them is negative.

        >>> Radial("laplace", 1.0).is_decreasing, Radial("distance").is_decreasing
        (True, False)
        """
        return self.name in ("gaussian", "laplace")

    def values(self, distances: Floats, out: Floats | None = None) -> Floats:
        """g(t) for every distance t, written into ``out``, which may be ``distances``, if it is
        given.
        """
        out = np.empty_like(distances) if out is None else out
        _FILL[self.name](distances, self._width, out)
        return out

    def column(self, distances: Floats, out: Floats | None = None) -> Floats:
        """g(t) divided by the Lipschitz constant of g, so that the result has the Lipschitz
        constant 1.

        Examples
        --------
        >>> Radial("bounded", 4.0).column(np.array([0.0, 4.0, 12.0]))
        array([0., 2., 3.])
        """
        out = self.values(distances, out)
        if self.name != "distance":
            out *= self._reach
        return out

    def sensitivity(self, distances: Floats) -> Floats:
        """An upper bound of t |g'(t)| divided by the Lipschitz constant: what a relative error of t
        does to a `column`.

        For the bounded functions it is at most their reach, one over the Lipschitz constant: the
        largest values of
        :math:`2 x^2 e^{-x^2}`, :math:`x e^{-x}` and :math:`x / (1 + x)^2` are below 1.

        Examples
        --------
        >>> (
        ...     Radial("bounded", 4.0).sensitivity(np.array([1.0, 100.0])),
        ...     Radial("distance").sensitivity(np.array([100.0])),
        ... )
        (array([1., 4.]), array([100.]))
        """
        return distances if self.name == "distance" else np.minimum(distances, self._reach)

    @property
    def _width(self) -> float:
        return 1.0 if self.width is None else self.width

    @property
    def _reach(self) -> float:
        """One over the Lipschitz constant."""
        return self._width * (math.sqrt(math.e / 2.0) if self.name == "gaussian" else 1.0)


def _distance(distances: Floats, width: float, out: Floats) -> None:
    if out is not distances:
        out[...] = distances


def _gaussian(distances: Floats, width: float, out: Floats) -> None:
    np.divide(distances, width, out=out)  # before it is squared, which could overflow
    np.multiply(out, out, out=out)
    np.negative(out, out=out)
    np.exp(out, out=out)


def _laplace(distances: Floats, width: float, out: Floats) -> None:
    np.divide(distances, -width, out=out)
    np.exp(out, out=out)


def _bounded(distances: Floats, width: float, out: Floats) -> None:
    np.divide(distances, distances + width, out=out)


_FILL: dict[str, Callable[[Floats, float, Floats], None]] = {
    "distance": _distance,
    "gaussian": _gaussian,
    "laplace": _laplace,
    "bounded": _bounded,
}


def chosen_radials(written: Any, scale: float) -> tuple[Radial, ...]:
    """The radial functions that a user means by a name, a pair (name, width), or a list of them;
    each once, and at least one.

    A width is a number in the unit of the metric, or a text such as "50%": a share of ``scale``,
    the median distance. A name without a width stands for widths of 25, 50 and 100 % of it.

    Examples
    --------
    >>> [
    ...     radial.width
    ...     for radial in chosen_radials(
    ...         ["distance", "laplace", ("gaussian", 7.0), ("gaussian", "75%")], scale=4.0
    ...     )
    ... ]
    [None, 1.0, 2.0, 4.0, 7.0, 3.0]
    """
    several = written if isinstance(written, list | tuple) and not is_pair(written) else [written]
    found = dict.fromkeys(radial for one in several for radial in _parsed(one, scale))
    if not found:
        raise InvalidInput(
            f"{setting('radial', written)} names no radial function.",
            advice="Name one, such as 'distance'.",
            value=written,
        )
    return tuple(found)


def is_pair(written: Any) -> bool:
    """Whether it is a single radial function with its width, rather than a list of two functions.

    Examples
    --------
    >>> is_pair(("gaussian", "50%")), is_pair(("gaussian", "laplace"))
    (True, False)
    """
    return (
        isinstance(written, list | tuple)
        and len(written) == 2
        and isinstance(written[0], str)
        and (is_number(written[1]) or share(written[1]) is not None)
    )


def share(width: Any) -> float | None:
    """The number that a text such as "75%" means; None if it is not such a text.

    Examples
    --------
    >>> share("75%"), share("wide")
    (0.75, None)
    """
    try:
        return float(width[:-1]) / 100.0 if isinstance(width, str) and width.endswith("%") else None
    except ValueError:
        return None


def _parsed(written: Any, scale: float) -> list[Radial]:
    """The radial functions that one name or one pair means."""
    if is_pair(written):
        part = share(written[1])
        return [Radial(written[0], float(written[1]) if part is None else part * scale)]
    if isinstance(written, str) and written == "distance":
        return [Radial("distance")]
    if isinstance(written, str) and written in get_args(RadialName):
        return [Radial(written, part * scale) for part in WIDTHS]  # type: ignore[arg-type]
    raise InvalidInput(
        f"{written!r} is not a radial function.",
        advice=f"Pass one of {', '.join(get_args(RadialName))}, a pair such as ('gaussian', "
        "'50%'), or a list of them.",
        value=written,
    )


# ---- Sums of them


class Column(Protocol):
    """A function of the distance that is monotone and keeps one sign."""

    @property
    def is_decreasing(self) -> bool:
        """Whether it falls with the distance; otherwise it rises."""

    def column(self, distances: Floats, out: Floats | None = None) -> Floats:
        """Its values, written into ``out``, which may be ``distances``, if it is given."""


@dataclass(frozen=True, eq=False)
class RadialExpansion:
    r"""The functions :math:`f_q(x) = \sum_{r, i} \gamma_{q, r, i}\, g_r(d(x, z_i)) + b_q`.

    ``coefficients`` has the shape (functions, columns times m), for each column those of all m
    references. The values at an object do not depend on the other objects of a call, so that single
    queries and batches agree. A quarter of ``max_memory``, in bytes, limits a block of distances.

    Examples
    --------
    >>> from wideberth.metrics.named import metric
    >>> line = RadialExpansion(
    ...     np.array([[0.0]]),
    ...     metric("euclidean"),
    ...     (Radial("distance"),),
    ...     csr_array([[2.0]]),
    ...     np.array([-1.0]),
    ...     10**6,
    ...     1,
    ... )
    >>> line.values(np.array([[3.0], [0.5]]))
    array([[5.],
           [0.]])
    """

    references: Sample
    metric: Metric
    columns: tuple[Column, ...]
    coefficients: csr_array
    intercepts: Floats
    max_memory: int
    n_jobs: int | None

    def values(self, objects: Sample) -> Floats:
        """The values of all functions at prepared objects, shape (objects, functions)."""
        out = np.empty((sample.count(objects), len(self.intercepts)))
        for part, distances in self.distance_blocks(objects):
            out[part] = self.values_at(self.terms(distances))
        return out

    def values_at(self, terms: Floats) -> Floats:
        """The values from the terms of n objects."""
        values: Floats = self.intercepts + (self.coefficients @ terms.T).T
        return values

    def sizes_at(self, terms: Floats) -> Floats:
        """The sums of absolute coefficients times terms, without intercepts, shape (n,
        functions).
        """
        sizes: Floats = (abs(self.coefficients) @ terms.T).T
        return sizes

    def terms(self, distances: Floats) -> Floats:
        """The columns of the distances between n objects and all references, shape (n, columns
        times m).
        """
        return _side_by_side([column.column(distances) for column in self.columns])

    @cached_property
    def slopes(self) -> Floats:
        """The sum of the absolute coefficients of each function, shape (functions,): where columns
        have the Lipschitz constant 1, a bound of that of the function.
        """
        return abs(self.coefficients) @ np.ones(self.coefficients.shape[1])

    @cached_property
    def by_sign(self) -> csr_array:
        """The positive coefficients of all functions, and under them the negative ones."""
        return csr_array(vstack([self.coefficients.maximum(0), self.coefficients.minimum(0)]))

    def ends(self, nearest: Floats, farthest: Floats) -> tuple[Floats, Floats]:
        """The least and the greatest terms if distances are between two bounds, which may be
        overwritten.
        """
        alone, least, most = len(self.columns) == 1, [], []
        for column in self.columns:
            near, far = (column.column(end, end if alone else None) for end in (nearest, farthest))
            least.append(far if column.is_decreasing else near)
            most.append(near if column.is_decreasing else far)
        return _side_by_side(least), _side_by_side(most)

    def between(self, least: Floats, most: Floats) -> tuple[Floats, Floats, Floats]:
        """The bounds of all functions, if each term is between two bounds, and the largest size
        that they have there; each of shape (n, functions), by exact arithmetic.
        """
        raised, lowered = slice(0, len(self.intercepts)), slice(len(self.intercepts), None)
        lower, upper = (self.by_sign @ end.T for end in (least, most))
        low = self.intercepts + (lower[raised] + upper[lowered]).T
        high = self.intercepts + (upper[raised] + lower[lowered]).T
        sizes = (np.abs(end[raised] - end[lowered]) for end in (lower, upper))
        return low, high, np.abs(self.intercepts) + np.maximum(*sizes).T

    def distance_blocks(
        self, objects: Sample, bytes_at_once: int = _IN_CACHE
    ) -> Iterator[tuple[slice, Floats]]:
        """Consecutive parts of the objects, at least one, with their distances to all references,
        so many bytes of them at once.
        """
        n, m = sample.count(objects), sample.count(self.references)
        if not m:
            yield slice(0, n), np.empty((n, 0))
            return
        budget = self.max_memory // 4
        if self.metric.accepts == "indices":
            budget = min(budget, _LOOKED_UP)
        rows, rows_at_once = (
            max(1, n_bytes // (8 * m)) for n_bytes in (budget, min(budget, bytes_at_once))
        )
        for start in range(0, max(n, 1), rows):
            part = sample.pick(objects, slice(start, start + rows))
            distances = distances_between(part, self.references, self.metric, self.n_jobs)
            for first in range(0, max(len(distances), 1), rows_at_once):
                band = distances[first : first + rows_at_once]
                yield slice(start + first, start + first + len(band)), band

    def nearby(
        self, objects: Sample, errors: DistanceErrors
    ) -> Iterator[tuple[slice, NearbyDistances]]:
        """Consecutive parts of the objects, at least one, with where their distances can be after a
        move; each distance is measured once.
        """
        for part, distances in self.distance_blocks(objects, _BOUNDED):
            own = DistanceErrors(errors.relative, errors.absolute[part])
            yield (
                part,
                NearbyDistances(
                    self.metric, sample.pick(objects, part), self.references, distances, own
                ),
            )


@dataclass(frozen=True, eq=False)
class ExpansionNearby:
    """The values of an expansion at n objects, and where they can be after these have moved."""

    function: RadialExpansion
    nearby: NearbyDistances

    @cached_property
    def terms(self) -> Floats:
        """The terms at the objects themselves."""
        return self.function.terms(self.nearby.distances)

    @cached_property
    def values(self) -> Floats:
        """The values of the functions, shape (n, functions)."""
        return self.function.values_at(self.terms)

    def ends(self, radii: Floats, rows: Indices, unit: str | None) -> tuple[Floats, Floats]:
        """The least and the greatest terms of some rows, each within its radius."""
        return self.function.ends(*self.nearby.after(radii, rows, unit))

    def bounds(self, radii: Floats, rows: Indices, unit: str | None) -> tuple[Floats, Floats]:
        """The bounds of all functions within radii, with the rounding of both ends."""
        low, high, sizes = self.function.between(*self.ends(radii, rows, unit))
        slack = 2.0 * RADIUS_ERROR * sizes
        return low - slack, high + slack


def _side_by_side(columns: list[Floats]) -> Floats:
    return columns[0] if len(columns) == 1 else np.hstack(columns)


def distances_between(left: Sample, right: Sample, metric: Metric, n_jobs: int | None) -> Floats:
    """Measure the distances between two prepared samples, or look them up in a space or a matrix,
    which takes one core.

    Examples
    --------
    >>> from wideberth.metrics.named import metric
    >>> distances_between(np.array([[0.0]]), np.array([[3.0], [4.0]]), metric("euclidean"), 1)
    array([[3., 4.]])
    """
    if metric.accepts != "indices":
        return pairwise_distances(left, right, metric, n_jobs=n_jobs)
    if isinstance(metric, SpaceMetric):  # a space is faster in its own order
        objects, back = np.unique(right, return_inverse=True)
        return metric.block(left, objects).take(back, axis=1)
    return metric.block(left, right)


def strongest_first(
    terms: Floats, used: Indices, positions: Indices, distances: Floats
) -> tuple[Push, ...]:
    """What the ``used`` references, at positions in X, add to a score; the largest terms first."""
    return tuple(
        Push(float(terms[i]), int(positions[i]), float(distances[i]))
        for i in used[np.argsort(-np.abs(terms[used]), kind="stable")]
    )
