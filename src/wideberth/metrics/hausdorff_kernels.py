"""Compiled blocks of Hausdorff distances between finite sets of points.

The distance from a set to another is that of its most remote point, so the search for a point's neighbor may stop at the first
one that is no farther than the most remote point so far (Taha & Hanbury 2015). It starts at the neighbor of the point before,
which mostly stops it at once where points come in some order, as along a contour. The way back starts with what the way there
has found.

Points are flat: coordinate k of point i is ``points[i * dimension + k]``. Positions are unsigned, which spares the processor the
question whether an index counts from the end.
"""

import numpy as np
from numba import njit
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Position = int | np.uint64
Integers = NDArray[np.int64]

#: Numbers for the ground distances.
MANHATTAN, EUCLIDEAN, CHEBYSHEV = 1, 2, 3


@njit(nogil=True, cache=True)
def hausdorff_block(
    left: Floats, left_starts: Integers, right: Floats, right_starts: Integers, dimension: int, ground: int
) -> Floats:
    """The distances of all pairs of sets, none of them empty: set s has the points ``starts[s]`` to ``starts[s + 1]``."""
    distances = np.empty((left_starts.size - 1, right_starts.size - 1))
    size = np.uint64(dimension)
    for s in range(distances.shape[0]):
        first, stop = np.uint64(left_starts[s]) * size, np.uint64(left_starts[s + 1]) * size
        for t in range(distances.shape[1]):
            begin, end = np.uint64(right_starts[t]) * size, np.uint64(right_starts[t + 1]) * size
            there = _most_remote(left, first, stop, right, begin, end, size, ground, 0.0)
            both = _most_remote(right, begin, end, left, first, stop, size, ground, there)
            distances[s, t] = np.sqrt(both) if ground == EUCLIDEAN else both
    return distances


@njit(nogil=True, cache=True)
def _most_remote(
    x: Floats,
    x_first: Position,
    x_stop: Position,
    y: Floats,
    y_first: Position,
    y_stop: Position,
    size: Position,
    ground: int,
    remote: float,
) -> float:
    """How far the most remote point of x is from its neighbor in y, or ``remote`` if that is more."""
    count = (y_stop - y_first) // size
    neighbor = y_first
    for here in range(x_first, x_stop, size):
        nearest = np.inf
        there = neighbor
        for _ in range(count):
            gap = _gap(x, here, y, there, size, ground)
            if gap < nearest:
                nearest = gap
                neighbor = there
                if gap <= remote:
                    break
            there += size
            if there == y_stop:
                there = y_first
        remote = max(remote, nearest)
    return remote


@njit(nogil=True, cache=True, inline="always")
def _gap(x: Floats, here: Position, y: Floats, there: Position, size: Position, ground: int) -> float:
    """The ground distance of two points, squared if it is Euclidean."""
    gap = 0.0
    if ground == EUCLIDEAN:
        for k in range(size):
            gap += (x[here + k] - y[there + k]) ** 2
    elif ground == MANHATTAN:
        for k in range(size):
            gap += abs(x[here + k] - y[there + k])
    else:
        for k in range(size):
            gap = max(gap, abs(x[here + k] - y[there + k]))
    return gap
