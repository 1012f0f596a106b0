"""Search of a matrix of distances for violations of the axioms of a metric.

All checks of the axioms, the triangle inequality among them, end here (`find_violations`,
`find_broken_triangle`; the loop over triangles is `axioms_kernels.worst_triangle`). Who asks:

- ``fit`` of a classifier or an embedding, spaces and certificates, on all objects or some that are
  drawn at random (`wideberth.geometry.measure.sampled_axioms`). Every fit asks
  `wideberth.estimators.training.examine_promises`, about what the user promised; families that need
  the triangle inequality ask ``examine_distance``, beside it;
- `wideberth.diagnose` (`wideberth.doctor.diagnosis`), which reports all that is broken, and
  `wideberth.repair`;
- `wideberth.checks`, and the metrics whose costs or ground distances come from the user.

What a metric promises (`wideberth.metrics.Promises`) is declared, and proved by whoever declares it.

A ``find_*`` function of one axiom takes a square matrix of distances and returns the worst
`Violation`, with its objects and numbers, or None; `find_violations` lists those of all axioms.
That none is found proves nothing about objects outside the matrix.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from wideberth.errors import BrokenAxiom
from wideberth.metrics.axioms_kernels import worst_triangle
from wideberth.metrics.metric import Distances
from wideberth.rounding import DISTANCE_ERROR
from wideberth.wording import python

#: The side of a square tile of distances that fits into the cache of one core.
_TILE = 128
#: Sound matrices of up to so many objects are recognised without compiled code, so that it need not
#: be loaded for them.
_FEW_OBJECTS = 32


@dataclass(frozen=True)
class Violation:
    """A broken axiom: which one, at which objects, with which distances, and how often.

    Attributes
    ----------
    axiom : {"finite", "nonnegative", "zero_self", "zero_equal", "symmetric", "triangle"}
        The axiom that is broken.
    objects : tuple of int
        The objects of the worst violation: one for "zero_self", three for "triangle", otherwise
        two.
    values : tuple of float
        The distances that break the axiom. For a triangle (i, j, k) they are d(i, j), d(i, k), d(k,
        j), with d(i, j) > d(i, k) + d(k, j).
    broken : int
        The number of pairs, objects or triangles that break the axiom.
    tried : int
        The number of those that were examined.

    Examples
    --------
    >>> violation = find_negative(np.array([[0.0, -2.0], [1.0, 0.0]]))
    >>> violation.axiom, violation.objects, violation.values
    ('nonnegative', (0, 1), (-2.0,))
    """

    axiom: str
    objects: tuple[int, ...]
    values: tuple[float, ...]
    broken: int
    tried: int

    def at(self, indices: Sequence[int] | np.ndarray[Any, Any]) -> Self:
        """Return the same violation with the numbers that its objects have in the whole sample:
        object i of the examined part is ``indices[i]``.

        Examples
        --------
        >>> Violation("zero_self", (1,), (0.5,), 1, 2).at([30, 40]).objects
        (40,)
        """
        return replace(self, objects=tuple(int(indices[i]) for i in self.objects))

    @property
    def share(self) -> float:
        """The share of the examined pairs, objects or triangles that break the axiom."""
        return self.broken / self.tried

    @property
    def excess(self) -> float:
        """By how much the axiom is broken, in the unit of the distances; infinite for distances
        that are not finite.
        """
        first, *others = self.values
        return np.inf if self.axiom == "finite" else abs(first - sum(others))

    def describe(self, name: str) -> str:
        """Describe the violation in one sentence with its numbers.

        Examples
        --------
        >>> Violation("triangle", (3, 17, 5), (9.0, 4.0, 3.5), 1, 10).describe("my_distance")
        "'my_distance' breaks the triangle inequality at objects 3, 5, 17: d(3, 17) = 9 > 4 + 3.5 = d(3, 5) + d(5, 17)."
        """
        numbers = [format(value, ".6g") for value in self.values]
        objects = dict(zip("ijk", self.objects, strict=False))
        return f"{name!r} " + _SENTENCES[self.axiom].format(*numbers, **objects)

    def error(self, name: str) -> BrokenAxiom:
        """Make the error for this violation, with advice for the most frequent cause."""
        return BrokenAxiom(
            self.describe(name),
            advice=_ADVICE[self.axiom],
            axiom=self.axiom,
            witness=self.objects,
            value=self.values,
        )


#: How each axiom is broken: at the objects i, j and k, with the distances in their order.
_SENTENCES = {
    "finite": "is {0} between objects {i} and {j}.",
    "nonnegative": "is negative between objects {i} and {j}: {0}.",
    "zero_self": "puts object {i} at distance {0} from itself.",
    "zero_equal": "puts the equal objects {i} and {j} at distance {0}.",
    "symmetric": "is not symmetric at objects {i}, {j}: d({i}, {j}) = {0}, d({j}, {i}) = {1}.",
    "triangle": "breaks the triangle inequality at objects {i}, {k}, {j}: "
    "d({i}, {j}) = {0} > {1} + {2} = d({i}, {k}) + d({k}, {j}).",
}
_ADVICE = {
    "finite": "Check the objects for missing values; cap infinite distances at a large number.",
    "nonnegative": "A distance is never negative: a similarity s may become one by max(s) - s.",
    "zero_self": "An object is at distance 0 from itself: correct the distances.",
    "zero_equal": "The distance must depend on what the objects are, not on which copy it is "
    "given.",
    "symmetric": "Take the mean of the two directions.",
    "triangle": "A squared distance is the usual cause: take its square root. "
    f"{python('wideberth.diagnose')} tries this and other repairs.",
}


def find_non_finite(distances: Distances) -> Violation | None:
    """Find a distance that is NaN or infinite: the first one in the order of rows.

    Examples
    --------
    >>> find_non_finite(np.array([[0.0, np.nan], [1.0, 0.0]])).objects
    (0, 1)
    """
    return _worst_pair("finite", (~np.isfinite(distances)).astype(np.float64), distances)


def find_negative(distances: Distances) -> Violation | None:
    """Find the most negative distance.

    Examples
    --------
    >>> find_negative(np.zeros((2, 2))) is None
    True
    """
    return _worst_pair("nonnegative", np.where(distances < 0, -distances, 0.0), distances)


def find_nonzero_self(distances: Distances) -> Violation | None:
    """Find the object with the largest distance from itself; distances that are not finite are
    passed over.

    Examples
    --------
    >>> find_nonzero_self(np.array([[0.0, 1.0], [1.0, 0.5]])).objects
    (1,)
    """
    off = np.abs(np.diagonal(distances))
    off = np.where(np.isfinite(off), off, 0.0)
    if not off.any():
        return None
    worst = int(off.argmax())
    return Violation(
        "zero_self", (worst,), (float(distances[worst, worst]),), int((off > 0).sum()), len(off)
    )


def find_distant_twins(distances: Distances, twins: Sequence[tuple[int, int]]) -> Violation | None:
    """Find the pair of equal objects that are farthest apart.

    Examples
    --------
    >>> find_distant_twins(np.array([[0.0, 2.0], [2.0, 0.0]]), [(0, 1)]).values
    (2.0,)
    """
    apart = [(abs(float(distances[i, j])), i, j) for i, j in twins if distances[i, j] != 0]
    if not apart:
        return None
    _, i, j = max(apart)
    return Violation("zero_equal", (i, j), (float(distances[i, j]),), len(apart), len(twins))


def find_asymmetry(distances: Distances) -> Violation | None:
    """Find the pair whose two directions differ most; relative differences up to `DISTANCE_ERROR`
    are rounding.

    Examples
    --------
    >>> find_asymmetry(np.array([[0.0, 1.0], [3.0, 0.0]])).values
    (1.0, 3.0)
    """
    if _is_symmetric(distances):
        return None
    both_finite = np.isfinite(distances) & np.isfinite(distances.T)
    there, back = np.where(both_finite, distances, 0.0), np.where(both_finite, distances.T, 0.0)
    gap = np.abs(there - back)
    gap[gap <= DISTANCE_ERROR * np.maximum(np.abs(there), np.abs(back))] = 0.0
    violation = _worst_pair("symmetric", np.triu(gap), distances)
    if violation is None:
        return None
    i, j = violation.objects
    return replace(
        violation,
        values=(float(distances[i, j]), float(distances[j, i])),
        tried=len(distances) * (len(distances) - 1) // 2,
    )


def find_broken_triangle(distances: Distances) -> Violation | None:
    """Find the triangle with the largest excess d(i, j) - d(i, k) - d(k, j), among all n (n - 1) (n
    - 2) / 6.

    Excesses up to `DISTANCE_ERROR` times the sum are rounding. Takes time O(n^3).

    Examples
    --------
    >>> squared = np.array([[0.0, 1.0, 4.0], [1.0, 0.0, 1.0], [4.0, 1.0, 0.0]])
    >>> find_broken_triangle(squared).objects
    (0, 2, 1)
    """
    if len(distances) <= _FEW_OBJECTS and _no_detour_is_shorter(distances):
        return None
    found = np.zeros(3, dtype=np.int64)
    straight = np.ascontiguousarray(distances)
    broken = worst_triangle(straight, np.ascontiguousarray(straight.T), DISTANCE_ERROR, found)
    if not broken:
        return None
    i, j, k = map(int, found)
    values = (float(distances[i, j]), float(distances[i, k]), float(distances[k, j]))
    return Violation("triangle", (i, j, k), values, int(broken), triangle_count(len(distances)))


def _no_detour_is_shorter(distances: Distances) -> bool:
    """Whether d(i, j) <= d(i, k) + d(k, j) for all i, j, k, without any allowance; takes memory
    O(n^3).
    """
    detours = distances[:, :, None] + distances[None, :, :]
    return bool(np.all(distances[:, None, :] <= detours))


def triangle_count(n: int) -> int:
    """Return the number of triangles of n objects, n (n - 1) (n - 2) / 6.

    Examples
    --------
    >>> triangle_count(4)
    4
    """
    return n * (n - 1) * (n - 2) // 6


def find_violations(distances: Distances) -> list[Violation]:
    """Find the worst violation of every axiom that is broken. They come in the order finite,
    nonnegative, zero_self, symmetric, triangle.

    Examples
    --------
    >>> [violation.axiom for violation in find_violations(np.array([[1.0, 2.0], [3.0, 0.0]]))]
    ['zero_self', 'symmetric']
    """
    finders = (
        find_non_finite,
        find_negative,
        find_nonzero_self,
        find_asymmetry,
        find_broken_triangle,
    )
    return [violation for find in finders if (violation := find(distances)) is not None]


def _is_symmetric(distances: Distances) -> bool:
    """Tell whether both directions are exactly equal; tile by tile, because reading columns is
    slow.
    """
    starts = range(0, len(distances), _TILE)
    tiles = ((slice(i, i + _TILE), slice(j, j + _TILE)) for i in starts for j in starts if i <= j)
    return all(
        np.array_equal(distances[rows, columns], distances[columns, rows].T)
        for rows, columns in tiles
    )


def _worst_pair(axiom: str, badness: Distances, distances: Distances) -> Violation | None:
    """Make the violation at the pair with the largest badness, a matrix that is 0 where the axiom
    holds; None if it is all 0.
    """
    if not badness.any():
        return None
    i, j = map(int, np.unravel_index(badness.argmax(), badness.shape))
    return Violation(
        axiom, (i, j), (float(distances[i, j]),), int((badness > 0).sum()), badness.size
    )
