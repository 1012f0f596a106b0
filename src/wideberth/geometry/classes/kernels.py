"""Compiled loops over short lists of nearest enemies, over what is left of objects to be matched, and over bisectors.

A list holds the nearest objects of other classes, a row of k for each object. Lists are ordered by (distance, index). A place
that nobody has taken yet holds the index n, which comes after every object, and the largest distance allowed: so a list is its
own limit. A list whose last place is free is *complete*: it has all there are.
"""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from wideberth.arrays import Flags, Floats, Indices
from wideberth.geometry.search.kdtree_kernels import sink, sort_heap
from wideberth.rounding import SUM_ERROR, UNIT

Short = NDArray[np.int32]

#: A rest of so small a part of a weight is what rounding leaves of nothing: 0.3 - 0.1 - 0.1 - 0.1 is not 0.
REST_ROUNDING = SUM_ERROR
#: More than rounding can do to the lead of one squared distance over another, here and where neighbours are found, for each
#: coordinate and relative to the larger one. A lead that small does not decide who is nearer.
LEAD_ROUNDING = 40 * UNIT


@njit(nogil=True, cache=True)
def offer_to_both(block: Floats, rows: Indices, columns: Indices, codes: Indices, near: Short, far: Floats) -> None:
    """Offer each row and column of a block to the other's heap, if the row's class comes before the column's."""
    for i in range(rows.size):
        for j in range(columns.size):
            if codes[rows[i]] < codes[columns[j]]:
                _offer(near, far, rows[i], columns[j], block[i, j])
                _offer(near, far, columns[j], rows[i], block[i, j])


@njit(nogil=True, cache=True)
def offer_to_rows(block: Floats, rows: Indices, columns: Indices, near: Short, far: Floats) -> None:
    """Offer the columns of a block to the heaps of the rows."""
    for i in range(rows.size):
        for j in range(columns.size):
            _offer(near, far, rows[i], columns[j], block[i, j])


@njit(nogil=True, cache=True)
def _offer(near: Short, far: Floats, to: int, index: int, distance: float) -> None:
    if distance < far[to, 0] or (distance == far[to, 0] and index < near[to, 0]):
        far[to, 0], near[to, 0] = distance, index
        sink(far[to], near[to], 0, far.shape[1])


@njit(nogil=True, cache=True)
def sort_lists(rows: Indices, near: Short, far: Floats) -> None:
    """Take the heaps of these objects down into lists."""
    for i in range(rows.size):
        sort_heap(far[rows[i]], near[rows[i]], far.shape[1])


class Capacities(NamedTuple):
    """What each of n objects has to give, by index; arrays without entries if every object is matched once."""

    weights: Floats  # (n,)
    remaining: Floats  # (n,)
    ends: Floats  # (n,) the distance at which each was used up
    amounts: Floats  # one for each pair


@njit(nogil=True, cache=True)
def match_on_lists(
    near: Short,
    far: Floats,
    cursor: Short,
    alive: Flags,
    exhausted: Flags,
    capacities: Capacities,
    first: Short,
    second: Short,
    distances: Floats,
    pairs: int,
) -> int:
    """Go on with nearest-neighbour chains as far as the lists reach; the new number of pairs.

    ``cursor`` says which entries of a list were seen dead. A list that is not complete and of which everybody has died tells
    nothing about what comes next: its object is marked ``exhausted``, and chains that lead there wait for a new list.
    """
    n, k = near.shape
    waiting = exhausted.copy()
    chain, steps = np.empty(64, dtype=np.intp), np.empty(64)
    for start in range(n):
        chain[0], steps[0], size = start, np.inf, 1 if alive[start] else 0
        while size:
            last, before = chain[size - 1], chain[size - 2] if size > 1 else n
            while cursor[last] < k and near[last, cursor[last]] < n and not alive[near[last, cursor[last]]]:
                cursor[last] += 1
            if cursor[last] == k or waiting[last]:
                exhausted[last] |= cursor[last] == k
                for place in range(size):
                    waiting[chain[place]] = True
                break
            choice, distance = near[last, cursor[last]], far[last, cursor[last]]
            if before < n and (distance > steps[size - 1] or (distance == steps[size - 1] and choice > before)):
                choice, distance = before, steps[size - 1]  # only if the distance is not quite symmetric: chains still end
            if choice == n:
                alive[last] = False  # nobody is left for it
                size = 0
            elif choice == before:
                first[pairs], second[pairs], distances[pairs] = min(last, before), max(last, before), distance
                last_gone, before_gone = take(capacities, last, before, distance, pairs)
                alive[last], alive[before] = not last_gone, not before_gone
                pairs += 1
                size -= 2 if before_gone else 1  # who wanted the one before must ask again, or the one before goes on
            else:
                if size == chain.size:
                    chain = np.concatenate((chain, np.empty_like(chain)))
                    steps = np.concatenate((steps, np.empty_like(steps)))
                chain[size], steps[size] = choice, distance
                size += 1
    return pairs


@njit(nogil=True, cache=True)
def take(capacities: Capacities, one: int, other: int, distance: float, pair: int) -> tuple[bool, bool]:
    """Match two objects as far as both last, as pair number ``pair``; whether each is used up: at least one of them is."""
    if capacities.weights.size == 0:
        return True, True
    amount = min(capacities.remaining[one], capacities.remaining[other])
    capacities.amounts[pair] = amount
    return _reduce(capacities, one, amount, distance), _reduce(capacities, other, amount, distance)


@njit(nogil=True, cache=True)
def _reduce(capacities: Capacities, one: int, amount: float, distance: float) -> bool:
    capacities.remaining[one] -= amount
    used_up: bool = capacities.remaining[one] <= REST_ROUNDING * capacities.weights[one]
    if used_up:
        capacities.ends[one] = distance
    return used_up


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
            to_enemy, farthest = _squared_distance(queries, row, points, enemy), 0.0
            for friend in friends[row]:
                if friend < 0:
                    continue
                lead = sure * to_enemy - _squared_distance(queries, row, points, friend)
                apart = _squared_distance(points, enemy, points, friend)
                if lead > 0 and lead * lead > farthest * farthest * 4.0 * apart:
                    farthest = lead / (2.0 * np.sqrt(apart))
            out[row, place] = farthest
    return out


@njit(nogil=True, cache=True)
def _squared_distance(left: Floats, i: int, right: Floats, j: int) -> float:
    total = 0.0
    for axis in range(left.shape[1]):
        gap = left[i, axis] - right[j, axis]
        total += gap * gap
    return total
