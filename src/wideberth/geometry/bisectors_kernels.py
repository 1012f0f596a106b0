"""Compiled distances from points to bisectors."""

import numpy as np
from numba import njit
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]

#: More than rounding can do to the lead of one squared distance over another, here and where neighbours are found, for each
#: coordinate and relative to the larger one. A lead that small does not decide who is nearer.
LEAD_ROUNDING = 4e-15


@njit(nogil=True, cache=True)
def bisector_distances(points: Floats, queries: Floats, friends: Indices, enemies: Indices) -> Floats:
    """For each query and each of its enemies the largest distance of a bisector of the enemy and a friend, at least 0.

    Rounding makes none larger, however close enemy and friend are to each other.

    ``friends`` and ``enemies`` hold a row of indices of ``points`` for each query; -1 stands for nobody, whose distance is
    infinite.
    """
    out = np.full(enemies.shape, np.inf)
    sure = 1.0 - LEAD_ROUNDING * (queries.shape[1] + 4)
    for row in range(queries.shape[0]):
        for place in range(enemies.shape[1]):
            enemy = enemies[row, place]
            if enemy < 0:
                continue
            to_enemy, farthest = _square(queries, row, points, enemy), 0.0
            for friend in friends[row]:
                if friend < 0:
                    continue
                lead = sure * to_enemy - _square(queries, row, points, friend)
                apart = _square(points, enemy, points, friend)
                if lead > 0 and lead * lead > farthest * farthest * 4.0 * apart:
                    farthest = lead / (2.0 * np.sqrt(apart))
            out[row, place] = farthest
    return out


@njit(nogil=True, cache=True)
def _square(left: Floats, i: int, right: Floats, j: int) -> float:
    total = 0.0
    for axis in range(left.shape[1]):
        gap = left[i, axis] - right[j, axis]
        total += gap * gap
    return total
