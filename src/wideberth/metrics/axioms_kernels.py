"""Compiled search of all triangles of a matrix of distances for the worst violation of the triangle
inequality.
"""

import numpy as np
from numpy.typing import NDArray

from wideberth.array_types import Floats
from wideberth.compilation import compiled


@compiled
def worst_triangle(
    distances: Floats, transposed: Floats, slack: float, found: NDArray[np.int64]
) -> int:
    """Count the triangles in which one side is longer than the other two together, and find the
    worst of them.

    ``transposed`` is the contiguous transpose of the matrix; an excess up to ``slack`` times the
    sum of the other two sides is rounding. ``found`` receives (i, j, k) of the largest excess d(i,
    j) - d(i, k) - d(k, j), and stays unchanged if no triangle is broken.

    All three objects are tried as the corner in between, in both directions, because the distance
    need not be symmetric.

    Examples
    --------
    >>> squared, found = (
    ...     np.array([[0.0, 1.0, 4.0], [1.0, 0.0, 1.0], [4.0, 1.0, 0.0]]),
    ...     np.zeros(3, dtype=np.int64),
    ... )
    >>> worst_triangle(squared, squared, 1e-9, found), found.tolist()
    (1, [0, 2, 1])
    """
    n = len(distances)
    broken, worst = 0, 0.0
    sides, symmetric = np.empty(6), _equal(distances, transposed)
    for i in range(n):
        for j in range(i + 1, n):
            if symmetric and not _doubtful(
                distances[i, j], distances[i, j + 1 :], distances[j, j + 1 :]
            ):
                continue
            for k in range(j + 1, n):
                there = distances[i, j], distances[i, k], distances[j, k]
                back = transposed[i, j], transposed[i, k], transposed[j, k]
                # the longest side of a sound triangle is at most the sum of the others
                whole = there[0] + there[1] + there[2]
                longest = max(there[0], there[1], there[2])
                if there == back and longest + longest <= whole:
                    continue
                sides[0] = _excess(there[0], there[1], back[2], slack)  # i -> j by k
                sides[1] = _excess(back[0], there[2], back[1], slack)  # j -> i by k
                sides[2] = _excess(there[1], there[0], there[2], slack)  # i -> k by j
                sides[3] = _excess(back[1], back[2], back[0], slack)  # k -> i by j
                sides[4] = _excess(there[2], back[0], there[1], slack)  # j -> k by i
                sides[5] = _excess(back[2], back[1], there[0], slack)  # k -> j by i
                side = np.argmax(sides)
                if sides[side] > 0:
                    broken += 1
                if sides[side] > worst:
                    worst = sides[side]
                    corners = (i, j, k, j, i, k, i, k, j, k, i, j, j, k, i, k, j, i)
                    for position in range(3):
                        found[position] = corners[3 * side + position]
    return broken


@compiled
def _equal(first: Floats, second: Floats) -> bool:
    """Tell whether two matrices of the same shape have the same entries, none of them NaN."""
    for i in range(first.shape[0]):
        for j in range(first.shape[1]):
            if first[i, j] != second[i, j]:
                return False
    return True


@compiled
def _doubtful(side: float, first: Floats, second: Floats) -> int:
    """Count the other corners from which, with their distances to both ends of a side, a side
    exceeds the sum of the others.

    Counting, rather than leaving the loop at the first one, lets the processor compare several
    triangles at a time.
    """
    doubtful = 0
    for k in range(first.size):
        one, other = first[k], second[k]
        doubtful += (side > one + other) | (one > side + other) | (other > side + one)
    return doubtful


@compiled
def _excess(direct: float, first: float, second: float, slack: float) -> float:
    """Return how much longer the direct way is than the way round; 0 within rounding, and if a
    distance is NaN.
    """
    excess = direct - (first + second)
    return excess if excess > slack * (first + second) else 0.0
