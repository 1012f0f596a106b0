"""Compiled maximum matching of one bipartite graph (Hopcroft & Karp 1973), and what its alternating paths reach.

The graph is that of ``cover_kernels``: left and right vertices are both numbered 0..n-1, and the neighbours of v, in either
role, are ``neighbors[starts[v] : starts[v + 1]]``. -1 means no partner.
"""

import numpy as np
from numba import njit
from numpy.typing import NDArray

Ints = NDArray[np.int32]
Starts = NDArray[np.int64]
Flags = NDArray[np.bool_]


@njit(nogil=True, cache=True)
def maximum_matching(starts: Starts, neighbors: Ints, is_left: Flags) -> tuple[Ints, Flags, Flags]:
    """The partner of every left vertex, and the left and right vertices reached from the free left ones.

    Each phase augments along a maximal set of disjoint shortest paths, in O(edges); there are O(sqrt(n)) phases. The search that
    finds no path any more has gone through everything that alternating paths reach.
    """
    n = is_left.size
    left_partner, right_partner = np.full(n, -1, dtype=np.int32), np.full(n, -1, dtype=np.int32)
    _match_greedily(starts, neighbors, is_left, left_partner, right_partner)
    level, queue, cursor = np.empty(n, dtype=np.int32), np.empty(n, dtype=np.int32), starts[:-1].copy()
    while _levels(starts, neighbors, is_left, left_partner, right_partner, level, queue):
        cursor[:] = starts[:-1]
        for u in range(n):
            if is_left[u] and left_partner[u] < 0:
                _augment_from(u, starts, neighbors, left_partner, right_partner, level, cursor, queue)
    left, right = level >= 0, np.zeros(n, dtype=np.bool_)
    for u in range(n):
        if left[u]:
            for position in range(starts[u], starts[u + 1]):
                right[neighbors[position]] = True
    return left_partner, left, right


@njit(nogil=True, cache=True)
def _match_greedily(starts: Starts, neighbors: Ints, is_left: Flags, left_partner: Ints, right_partner: Ints) -> None:
    for u in range(is_left.size):
        if is_left[u]:
            for position in range(starts[u], starts[u + 1]):
                v = neighbors[position]
                if right_partner[v] < 0:
                    left_partner[u], right_partner[v] = v, u
                    break


@njit(nogil=True, cache=True)
def _levels(
    starts: Starts, neighbors: Ints, is_left: Flags, left_partner: Ints, right_partner: Ints, level: Ints, queue: Ints
) -> bool:
    """Number the left vertices by their alternating distance from the free ones, -1 out of reach; whether a path ends free."""
    tail = 0
    for u in range(is_left.size):
        level[u] = -1
        if is_left[u] and left_partner[u] < 0:
            level[u] = 0
            queue[tail] = u
            tail += 1
    head, found = 0, False
    while head < tail:
        u = queue[head]
        head += 1
        for position in range(starts[u], starts[u + 1]):
            partner = right_partner[neighbors[position]]
            if partner < 0:
                found = True
            elif level[partner] < 0:
                level[partner] = level[u] + 1
                queue[tail] = partner
                tail += 1
    return found


@njit(nogil=True, cache=True)
def _augment_from(
    root: int,
    starts: Starts,
    neighbors: Ints,
    left_partner: Ints,
    right_partner: Ints,
    level: Ints,
    cursor: Starts,
    path: Ints,
) -> None:
    """Look depth first for a path from ``root`` that climbs one level a step to a free right vertex; match along it.

    ``cursor[u]`` is the next neighbour that u tries: none is tried twice in a phase.
    """
    path[0] = root
    height = 1
    while height:
        u = path[height - 1]
        if cursor[u] == starts[u + 1]:
            height -= 1  # a dead end; whoever led here moves on
            continue
        v = neighbors[cursor[u]]
        cursor[u] += 1
        partner = right_partner[v]
        if partner < 0:
            for step in range(height):
                u = path[step]
                v = neighbors[cursor[u] - 1]
                left_partner[u], right_partner[v] = v, u
            return
        if level[partner] == level[u] + 1:
            path[height] = partner
            height += 1
