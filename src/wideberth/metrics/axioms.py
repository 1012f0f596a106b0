"""The axioms of a metric on a matrix of distances: find a broken one and bring its witness.

Every function takes a square matrix and returns the worst `Violation` or None. Finding none proves nothing beyond the matrix.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from wideberth.errors import BrokenAxiom
from wideberth.metrics.axioms_kernels import worst_triangle
from wideberth.metrics.metric import Distances
from wideberth.rounding import DISTANCE_ERROR

#: Objects on one side of a tile of distances that a core's own cache holds.
_TILE = 128


@dataclass(frozen=True)
class Violation:
    """A broken axiom: which, at which objects, with which numbers, and how often it broke.

    ``axiom`` is one of "finite", "nonnegative", "zero_self", "zero_equal", "symmetric", "triangle". For a triangle the objects
    are (i, j, k) and the values d(i, j), d(i, k), d(k, j), with d(i, j) > d(i, k) + d(k, j).
    """

    axiom: str
    objects: tuple[int, ...]
    values: tuple[float, ...]
    broken: int
    tried: int

    def at(self, indices: Sequence[int] | np.ndarray[Any, Any]) -> Self:
        """The same violation, its objects renumbered: object i of a part is object ``indices[i]`` of the whole."""
        return replace(self, objects=tuple(int(indices[i]) for i in self.objects))

    @property
    def share(self) -> float:
        """The share of the pairs, objects or triangles tried that break the axiom."""
        return self.broken / self.tried

    def describe(self, name: str) -> str:
        """One sentence with the numbers.

        >>> Violation("triangle", (3, 17, 5), (9.0, 4.0, 3.5), 1, 10).describe("my_distance")
        "'my_distance' breaks the triangle inequality at objects 3, 5, 17: d(3, 17) = 9 > 4 + 3.5 = d(3, 5) + d(5, 17)."
        """
        numbers = [format(value, ".6g") for value in self.values]
        match self.axiom:
            case "finite":
                return f"{name!r} is {numbers[0]} between objects {self.objects[0]} and {self.objects[1]}."
            case "nonnegative":
                return f"{name!r} is negative between objects {self.objects[0]} and {self.objects[1]}: {numbers[0]}."
            case "zero_self":
                return f"{name!r} puts object {self.objects[0]} at distance {numbers[0]} from itself."
            case "zero_equal":
                return f"{name!r} puts the equal objects {self.objects[0]} and {self.objects[1]} at distance {numbers[0]}."
            case "symmetric":
                i, j = self.objects
                return f"{name!r} is not symmetric at objects {i}, {j}: d({i}, {j}) = {numbers[0]}, d({j}, {i}) = {numbers[1]}."
        i, j, k = self.objects
        return (
            f"{name!r} breaks the triangle inequality at objects {i}, {k}, {j}: "
            f"d({i}, {j}) = {numbers[0]} > {numbers[1]} + {numbers[2]} = d({i}, {k}) + d({k}, {j})."
        )

    def error(self, name: str) -> BrokenAxiom:
        """The violation as an error with a way out."""
        return BrokenAxiom(
            self.describe(name), advice=_ADVICE[self.axiom], axiom=self.axiom, witness=self.objects, value=self.values
        )


_ADVICE = {
    "finite": "Check the objects for missing values; cap infinite distances at a large number.",
    "nonnegative": "A distance is never negative: a similarity s may become one by max(s) - s.",
    "zero_self": "Check the function: an object is at distance 0 from itself.",
    "zero_equal": "The distance must depend on what the objects are, not on which copy it is given.",
    "symmetric": "Take the mean of the two directions.",
    "triangle": "A squared distance is the usual cause: take its square root. wideberth.diagnose tries this and other repairs.",
}


def find_non_finite(distances: Distances) -> Violation | None:
    """A distance that is NaN or infinite."""
    return _first_pair("finite", ~np.isfinite(distances), distances)


def find_negative(distances: Distances) -> Violation | None:
    """The most negative distance."""
    return _worst_pair("nonnegative", np.where(distances < 0, -distances, 0.0), distances)


def find_nonzero_self(distances: Distances) -> Violation | None:
    """The object farthest from itself."""
    off = np.abs(np.diagonal(distances))
    off = np.where(np.isfinite(off), off, 0.0)
    if not off.any():
        return None
    worst = int(off.argmax())
    return Violation("zero_self", (worst,), (float(distances[worst, worst]),), int((off > 0).sum()), len(off))


def find_distant_twins(distances: Distances, twins: Sequence[tuple[int, int]]) -> Violation | None:
    """The pair of equal objects farthest apart, among the pairs of positions given."""
    apart = [(abs(float(distances[i, j])), i, j) for i, j in twins if distances[i, j] != 0]
    if not apart:
        return None
    _, i, j = max(apart)
    return Violation("zero_equal", (i, j), (float(distances[i, j]),), len(apart), len(twins))


def find_asymmetry(distances: Distances) -> Violation | None:
    """The pair whose two directions differ most."""
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
        violation, values=(float(distances[i, j]), float(distances[j, i])), tried=len(distances) * (len(distances) - 1) // 2
    )


def find_broken_triangle(distances: Distances) -> Violation | None:
    """The triangle whose longest way exceeds the way round it most, among all n (n - 1) (n - 2) / 6.

    >>> squared = np.array([[0.0, 1.0, 4.0], [1.0, 0.0, 1.0], [4.0, 1.0, 0.0]])
    >>> find_broken_triangle(squared).objects
    (0, 2, 1)
    """
    found = np.zeros(3, dtype=np.int64)
    straight = np.ascontiguousarray(distances)
    broken = worst_triangle(straight, np.ascontiguousarray(straight.T), DISTANCE_ERROR, found)
    if not broken:
        return None
    i, j, k = map(int, found)
    values = (float(distances[i, j]), float(distances[i, k]), float(distances[k, j]))
    return Violation("triangle", (i, j, k), values, int(broken), triangle_count(len(distances)))


def triangle_count(n: int) -> int:
    """How many triangles n objects have."""
    return n * (n - 1) * (n - 2) // 6


def find_violations(distances: Distances) -> list[Violation]:
    """The worst violation of every axiom that breaks, the gravest first."""
    finders = (find_non_finite, find_negative, find_nonzero_self, find_asymmetry, find_broken_triangle)
    return [violation for find in finders if (violation := find(distances)) is not None]


def _first_pair(axiom: str, breaks: np.ndarray[Any, np.dtype[np.bool_]], distances: Distances) -> Violation | None:
    return _worst_pair(axiom, breaks.astype(np.float64), distances) if breaks.any() else None


def _is_symmetric(distances: Distances) -> bool:
    """Whether both directions agree to the last bit; tile by tile, because columns are slow to read."""
    starts = range(0, len(distances), _TILE)
    tiles = ((slice(i, i + _TILE), slice(j, j + _TILE)) for i in starts for j in starts if i <= j)
    return all(np.array_equal(distances[rows, columns], distances[columns, rows].T) for rows, columns in tiles)


def _worst_pair(axiom: str, badness: Distances, distances: Distances) -> Violation | None:
    if not badness.any():
        return None
    i, j = map(int, np.unravel_index(badness.argmax(), badness.shape))
    return Violation(axiom, (i, j), (float(distances[i, j]),), int((badness > 0).sum()), badness.size)
