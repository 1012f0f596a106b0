"""Compiled greedy choice of objects without conflicts: always one with the fewest conflicts left."""

import numpy as np
from numba import njit
from numpy.typing import NDArray

Ints = NDArray[np.int32]
Starts = NDArray[np.int64]
Flags = NDArray[np.bool_]


@njit(nogil=True, cache=True)
def cover_by_degree(starts: Starts, neighbors: Ints, inside: Flags) -> Flags:
    """A cover of the edges between vertices ``inside``: spare a vertex of least degree, cover its neighbours, and so on.

    Degrees count the undecided vertices. Those of equal degree stand in one doubly linked list, so that all of it takes O(edges).
    Neighbours of v are ``neighbors[starts[v] : starts[v + 1]]``.
    """
    n = inside.size
    waiting, covered = inside.copy(), np.zeros(n, dtype=np.bool_)
    degree = np.zeros(n, dtype=np.int32)
    after, before = np.full(n, -1, dtype=np.int32), np.full(n, -1, dtype=np.int32)
    first = np.full(n, -1, dtype=np.int32)  # by degree
    for v in range(n - 1, -1, -1):  # so that of equal ones the smallest index comes first
        if inside[v]:
            for position in range(starts[v], starts[v + 1]):
                degree[v] += inside[neighbors[position]]
            _enlist(v, degree[v], first, after, before)
    least = 0
    while least < n:
        v = first[least]
        if v < 0:
            least += 1
            continue
        waiting[v] = False
        _delist(v, degree[v], first, after, before)
        for position in range(starts[v], starts[v + 1]):
            w = neighbors[position]
            if not waiting[w]:
                continue
            waiting[w], covered[w] = False, True
            _delist(w, degree[w], first, after, before)
            for other in range(starts[w], starts[w + 1]):
                z = neighbors[other]
                if waiting[z]:
                    _delist(z, degree[z], first, after, before)
                    degree[z] -= 1
                    _enlist(z, degree[z], first, after, before)
                    least = min(least, degree[z])
    return covered


@njit(nogil=True, cache=True)
def _enlist(v: int, degree: int, first: Ints, after: Ints, before: Ints) -> None:
    after[v], before[v] = first[degree], -1
    if first[degree] >= 0:
        before[first[degree]] = v
    first[degree] = v


@njit(nogil=True, cache=True)
def _delist(v: int, degree: int, first: Ints, after: Ints, before: Ints) -> None:
    if before[v] >= 0:
        after[before[v]] = after[v]
    else:
        first[degree] = after[v]
    if after[v] >= 0:
        before[after[v]] = before[v]
