"""Finite sets of points in a space of numbers: what they look like as Python objects, and the arrays that blocks work on."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from wideberth.errors import InvalidInput
from wideberth.metrics.prepared import LARGEST, as_real_numbers, check_starts, for_kernels, taken
from wideberth.objects import sample


@dataclass(frozen=True, eq=False)
class PointSetSample:
    """Sets of points in one array of shape (points, dimension): set i is ``points[starts[i]:starts[i + 1]]``."""

    points: NDArray[np.float64]
    starts: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.starts) - 1

    def __getitem__(self, index: int) -> NDArray[np.float64]:
        """One set, of shape (points, dimension)."""
        position = range(len(self))[index]
        return self.points[self.starts[position] : self.starts[position + 1]]

    @property
    def dimension(self) -> int:
        """How many coordinates a point has."""
        return int(self.points.shape[1])

    def take(self, indices: Any) -> Self:
        """The sets at ``indices``; neighbouring ones, from a slice, share the memory of this sample."""
        positions, starts = taken(self.starts, indices)
        return type(self)(self.points[positions], starts)

    def plain(self) -> dict[str, Any]:
        """See `wideberth.metrics.prepared.Prepared`."""
        return {"points": self.points, "starts": self.starts}

    @classmethod
    def from_plain(cls, plain: dict[str, Any]) -> Any:
        """The sets one by one, to be checked again."""
        match plain:
            case {"points": np.ndarray(ndim=2, shape=(_, dimension)) as points, "starts": starts} if dimension >= 1:
                check_starts(points[:, 0], starts, "fiu")
                return np.split(points, starts[1:-1]) if len(starts) > 1 else []
        raise ValueError("points and starts of sets are needed")


def prepare_point_sets(objects: Any) -> PointSetSample:
    """Sets of points with finite coordinates, none of them empty, all of one dimension.

    A list of arrays of shape (points, dimension), with any numbers of points, or one array of shape (sets, points, dimension).

    >>> shapes = prepare_point_sets([[[0, 0], [1, 0], [0, 1]], [[0, 0]]])
    >>> shapes.points.shape, shapes.starts
    ((4, 2), array([0, 3, 4]))
    """
    if isinstance(objects, PointSetSample):
        return objects
    sets = [_as_points(each, index) for index, each in enumerate(sample.one_by_one(sample.hold(objects)))]
    dimension = sets[0].shape[1] if sets else 1
    for index, each in enumerate(sets):
        if each.shape[1] != dimension:
            raise InvalidInput(
                f"The points of set 0 have {dimension} coordinates, those of set {index} have {each.shape[1]}.",
                advice="All sets need points of one dimension.",
                witness=(0, index),
                value=each.shape[1],
            )
    starts = np.concatenate([[0], np.cumsum([len(each) for each in sets], dtype=np.int64)])
    return PointSetSample(for_kernels(np.concatenate([np.empty((0, dimension)), *sets])), starts)


def _as_points(given: Any, index: int) -> NDArray[np.float64]:
    """One set as an array of shape (points, dimension)."""
    array = as_real_numbers(given)
    if array is None or array.ndim > 2:
        raise _refused(given, index, "is not a table of numbers", "Give it as an array of shape (points, dimension).")
    if array.ndim == 0:
        raise _refused(given, index, "is a single number", "Wrap a single set in a list: [points].")
    if array.size == 0:
        raise _refused(given, index, "has no points", "Leave it out: no distance to an empty set is defined.")
    if array.ndim == 1:
        raise _refused(
            given,
            index,
            "has one axis, not two",
            "Points on a line are a column: array.reshape(-1, 1). A single set is wrapped in a list: [points].",
        )
    fit = np.abs(array) <= LARGEST
    if not fit.all():
        point, axis = map(int, np.argwhere(~fit)[0])
        raise _refused(
            given, index, f"has the coordinate {array[point, axis]} in point {point}", "Leave out points that are not known."
        )
    return array


def _refused(given: Any, index: int, problem: str, advice: str) -> InvalidInput:
    return InvalidInput(f"Set {index} {problem}: {sample.shown(given)}.", advice=advice, witness=index, value=given)
