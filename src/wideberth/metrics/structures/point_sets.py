"""Finite sets of points, and the Hausdorff distance between them."""

from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from wideberth.array_types import Floats, Objects
from wideberth.errors import InvalidInput
from wideberth.metrics import containers
from wideberth.metrics.metric import Distances, Kind, Metric, Promises
from wideberth.metrics.structures.kernels import CHEBYSHEV, EUCLIDEAN, MANHATTAN, hausdorff_block
from wideberth.objects import sample
from wideberth.objects.digests import Digests
from wideberth.objects.disguises import bag_digests

#: The ground distances by name, as the kernel numbers them.
_GROUNDS = {"euclidean": EUCLIDEAN, "manhattan": MANHATTAN, "chebyshev": CHEBYSHEV}


@dataclass(frozen=True, eq=False)
class PointSetSample:
    """Sets of points in one array. Set i is ``points[starts[i]:starts[i + 1]]``.

    Examples
    --------
    >>> prepare_point_sets([[[0, 0]], [[1, 2], [3, 4]]])[1]
    array([[1., 2.],
           [3., 4.]])
    """

    points: Floats
    starts: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.starts) - 1

    def __getitem__(self, index: int) -> Floats:
        """Return one set, shape (points, dimension)."""
        position = range(len(self))[index]
        return self.points[self.starts[position] : self.starts[position + 1]]

    @property
    def dimension(self) -> int:
        """The number of coordinates of a point."""
        return int(self.points.shape[1])

    def take(self, indices: Any) -> Self:
        """Select the sets at ``indices``, a slice or integers; sets from a slice share the memory
        of this sample.
        """
        positions, starts = containers.taken(self.starts, indices)
        return type(self)(self.points[positions], starts)

    def plain(self) -> dict[str, Any]:
        """Return the sets as plain values for a model file, see
        `wideberth.metrics.containers.Prepared`.
        """
        return {"points": self.points, "starts": self.starts}

    @classmethod
    def from_plain(cls, plain: dict[str, Any]) -> Any:
        """Read sets from the plain values that a file contains. `prepare_point_sets` checks them
        again.
        """
        match plain:
            case {
                "points": np.ndarray(ndim=2, shape=(_, dimension)) as points,
                "starts": starts,
            } if dimension >= 1:
                containers.check_starts(points[:, 0], starts, "fiu")
                return np.split(points, starts[1:-1]) if len(starts) > 1 else []
        raise ValueError("points and starts of sets are needed")


def prepare_point_sets(objects: Objects) -> PointSetSample:
    """Read sets of points with finite coordinates, none of them empty, all of one dimension. Those
    of a list may have different numbers of points.

    Examples
    --------
    >>> shapes = prepare_point_sets([[[0, 0], [1, 0], [0, 1]], [[0, 0]]])
    >>> shapes.points.shape, shapes.starts
    ((4, 2), array([0, 3, 4]))
    """
    if isinstance(objects, PointSetSample):
        return objects
    sets = [
        _as_points(points, index)
        for index, points in enumerate(sample.one_by_one(sample.hold(objects)))
    ]
    dimension = sets[0].shape[1] if sets else 1
    for index, points in enumerate(sets):
        if points.shape[1] != dimension:
            raise InvalidInput(
                f"The points of set 0 have {dimension} coordinates, those of set {index} have "
                f"{points.shape[1]}.",
                advice="All sets need points of one dimension.",
                witness=(0, index),
                value=points.shape[1],
            )
    starts = np.concatenate([[0], np.cumsum([len(points) for points in sets], dtype=np.int64)])
    return PointSetSample(
        containers.for_kernels(np.concatenate([np.empty((0, dimension)), *sets])), starts
    )


#: Two sets at 2 from each other, and three more that are at 1 from both of them and at 2 from each
#: other.
_POINTS_ON_A_LINE = [
    [[x], [y], [z]] for x, y, z in ((0, 11, 21), (2, 11, 21), (1, 10, 22), (1, 12, 22), (1, 11, 20))
]


class Hausdorff(Metric):
    r"""The largest distance of a point of one set from the other set: for shapes, landmarks, clouds
    of points of any number.

    .. math:: d(A, B) = \max \{ \max_{a \in A} \min_{b \in B} \rho(a, b),\; \max_{b \in B} \min_{a
        \in A} \rho(a, b) \}

    where :math:`\rho` is the ``ground`` distance of two points. The sets are compared where they
    are: align, rotate and scale shapes first if position and size should not count. A single
    outlier is enough to make two sets distant.

    A metric on finite sets (Hausdorff 1914; Burago, Burago & Ivanov, "A Course in Metric Geometry",
    Proposition 7.3.3). It does not separate arrays: the order and the repetition of points do not
    count.

    Neither Hilbertian nor of negative type, even on the line: groups of points far apart, one point
    in each, are at the largest of the distances within the groups, and every finite metric space
    embeds in a space with such a norm (Frechet, Kuratowski). The sets {0, 11, 21} and {2, 11, 21}
    are at 2 from each other, so are {1, 10, 22}, {1, 12, 22} and {1, 11, 20}, and at 1 from those;
    with the weights b = (3, 3, -2, -2, -2), whose sum is zero, :math:`\sum_{i<j} b_i b_j d_{ij} = 6
    > 0`.

    Most pairs of points need not be compared: Taha & Hanbury, "An efficient algorithm for
    calculating the exact Hausdorff distance", IEEE Transactions on Pattern Analysis and Machine
    Intelligence 37(11), 2015.

    Parameters
    ----------
    ground : {"euclidean", "manhattan", "chebyshev"}, default "euclidean"
        The distance of two points: Euclidean where directions mean nothing, as for landmarks of a
        shape; Manhattan for steps on a grid, or where coordinates add up; Chebyshev for a tolerance
        in each coordinate alone, as in boxes of pixels.

    Examples
    --------
    >>> Hausdorff()([[0, 0], [1, 0]], [[0, 0], [1, 3], [1, 4]])  # from (1, 4) to (1, 0)
    4.0
    >>> Hausdorff(ground="manhattan")([[0, 0]], [[3, 4]])
    7.0
    """

    name = "hausdorff"
    examples = (
        *([[0, 0], [1, 2]], [[0, 0], [2, 1]], [[1, 1]], [[0, 1], [1, 0], [1, 2]]),
        *([[8, 8], [9, 9]], [[8, 9]], [[9, 8], [8, 8], [7, 9]], [[9, 9], [9, 7]]),
    )
    source = "the most remote point (Hausdorff 1914)"
    counterexamples: ClassVar = {
        "hilbertian": _POINTS_ON_A_LINE,
        "negative_type": _POINTS_ON_A_LINE,
        "separates": [[[0.0], [1.0]], [[1.0], [0.0], [0.0]]],
    }
    accepts: Kind = "points"
    parallel = "threads"
    promises = Promises(
        obeys_triangle=True, hilbertian=False, negative_type=False, bounded=False, separates=False
    )

    def __init__(self, ground: str = "euclidean") -> None:
        if not isinstance(ground, str) or ground not in _GROUNDS:
            raise InvalidInput(
                f"The ground distance of 'hausdorff' is one of {', '.join(_GROUNDS)}, not "
                f"{ground!r}.",
                advice="Start with 'euclidean'.",
                value=ground,
            )
        self.ground = ground

    def prepare(self, objects: Objects) -> PointSetSample:
        """Check the sets and bring them into one array, see `prepare_point_sets`."""
        return prepare_point_sets(objects)

    def alike_digests(self, prepared: PointSetSample) -> Digests:
        """Those of the points in any order; see `wideberth.Metric.alike_digests`."""
        return bag_digests(prepared.points, prepared.starts)

    def nanoseconds(self, prepared: PointSetSample) -> float:
        """The time of one distance, which grows with the square of the mean number of points."""
        return 3.0 * containers.mean_size(prepared.starts) ** 2

    def _measure(self, left: PointSetSample, right: PointSetSample) -> Distances:
        if not len(left) or not len(right):
            return np.empty((len(left), len(right)))
        if left.dimension != right.dimension:
            raise InvalidInput(
                f"Points with {left.dimension} coordinates cannot be compared with points with "
                f"{right.dimension}.",
                advice="Both samples need points of one dimension.",
                value=(left.dimension, right.dimension),
            )
        distances: Distances = hausdorff_block(
            left.points.reshape(-1),
            left.starts,
            right.points.reshape(-1),
            right.starts,
            left.dimension,
            _GROUNDS[self.ground],
        )
        return distances


def _as_points(given: Any, index: int) -> Floats:
    """One set as an array of shape (points, dimension), or an error that names the set
    ``index``.
    """
    array = containers.as_real_numbers(given)
    if array is None or array.ndim > 2:
        advice = "Give it as an array of shape (points, dimension)."
        problem = "is not a table of numbers", advice
    elif array.ndim == 0:
        problem = "is a single number", "Wrap a single set in a list: [points]."
    elif array.size == 0:
        problem = "has no points", "Leave it out: no distance to an empty set is defined."
    elif array.ndim == 1:
        advice = (
            "Points on a line are a column: array.reshape(-1, 1). A single set is wrapped in a "
            "list: [points]."
        )
        problem = "has one axis, not two", advice
    elif not (fit := np.abs(array) <= containers.LARGEST).all():
        point, axis = map(int, np.argwhere(~fit)[0])
        coordinate = f"has the coordinate {array[point, axis]} in point {point}"
        problem = coordinate, "Leave out points that are not known."
    else:
        return array
    raise containers.refused("Set", index, given, *problem)
