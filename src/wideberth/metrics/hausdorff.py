"""Hausdorff distance of finite sets of points."""

from typing import Any

import numpy as np

from wideberth.errors import InvalidInput
from wideberth.metrics.hausdorff_kernels import CHEBYSHEV, EUCLIDEAN, MANHATTAN, hausdorff_block
from wideberth.metrics.metric import Distances, Kind, Metric, Promises
from wideberth.metrics.point_sets import PointSetSample, prepare_point_sets

_GROUNDS = {"euclidean": EUCLIDEAN, "manhattan": MANHATTAN, "chebyshev": CHEBYSHEV}


class Hausdorff(Metric):
    r"""How far the most remote point of two sets is from the other set: shapes, landmarks, clouds of points of any number.

    .. math:: d(A, B) = \max \{ \max_{a \in A} \min_{b \in B} \rho(a, b),\; \max_{b \in B} \min_{a \in A} \rho(a, b) \}

    where :math:`\rho` is the ``ground`` distance of two points. The sets are compared as they lie: move, turn and scale shapes
    first if that should not count. One stray point is enough to make sets remote.

    A metric on finite sets (Hausdorff 1914; Burago, Burago & Ivanov, "A Course in Metric Geometry", Proposition 7.3.3). It does
    not separate arrays: the order and the repetition of points do not count.

    Neither Hilbertian nor of negative type, even on the line: groups of points far apart, one point in each, are at the largest
    of the distances within the groups, and every finite metric space lies in a space with such a norm (Frechet, Kuratowski). The
    sets {0, 11, 21} and {2, 11, 21} are at 2 from each other, so are {1, 10, 22}, {1, 12, 22} and {1, 11, 20}, and at 1 from
    those; with the weights b = (3, 3, -2, -2, -2), whose sum is zero, :math:`\sum_{i<j} b_i b_j d_{ij} = 6 > 0`.

    >>> Hausdorff()([[0, 0], [1, 0]], [[0, 0], [1, 3], [1, 4]])  # from (1, 4) to (1, 0)
    4.0
    >>> Hausdorff(ground="manhattan")([[0, 0]], [[3, 4]])
    7.0

    Taha & Hanbury, "An efficient algorithm for calculating the exact Hausdorff distance", IEEE Transactions on Pattern Analysis
    and Machine Intelligence 37(11), 2015, say how most pairs of points are spared.

    Parameters
    ----------
    ground : {"euclidean", "manhattan", "chebyshev"}
        The distance of two points: Euclidean where directions mean nothing, as for landmarks of a shape; Manhattan for steps on a
        grid, or where coordinates add up; Chebyshev for a tolerance in each coordinate alone, as in boxes of pixels.
    """

    name = "hausdorff"
    eats: Kind = "points"
    parallel = "threads"
    promises = Promises(obeys_triangle=True, hilbertian=False, negative_type=False, bounded=False, separates=False)

    def __init__(self, ground: str = "euclidean") -> None:
        if not isinstance(ground, str) or ground not in _GROUNDS:
            raise InvalidInput(
                f"The ground distance of 'hausdorff' is one of {', '.join(_GROUNDS)}, not {ground!r}.",
                advice="Start with 'euclidean'.",
                value=ground,
            )
        self.ground = ground

    def prepare(self, objects: Any) -> PointSetSample:
        return prepare_point_sets(objects)

    def _measure(self, left: PointSetSample, right: PointSetSample) -> Distances:
        if not len(left) or not len(right):
            return np.empty((len(left), len(right)))
        if left.dimension != right.dimension:
            raise InvalidInput(
                f"Points with {left.dimension} coordinates cannot be compared with points with {right.dimension}.",
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
