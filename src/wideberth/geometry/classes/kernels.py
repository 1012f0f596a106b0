"""Compiled loops over labelled objects: lists of nearest enemies, greedy matching on such lists,
bisectors, and the votes of neighbours.

An *enemy* of an object is an object of another class. A list holds the k nearest enemies of an
object, as row i of two arrays: ``indices`` and ``distances``, ordered by (distance, index). While a
list is built it is a heap with the worst entry first.

A free place of a list holds the index n, which is larger than that of every object, and the largest
distance allowed, so that the worst entry is also the limit for new ones. A list is *complete* if
its last place is free: then it holds all enemies within the limit.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wideberth.array_types import Flags, Floats, Indices, Integers
from wideberth.compilation import compiled, in_python_if_few
from wideberth.geometry.search.heap_kernels import sink, sort_heap
from wideberth.rounding import SUM_ERROR, TIE_BREAK, UNIT

Short = NDArray[np.int32]

#: A remainder below this share of a weight is a rounding error of 0: in floating point 0.3 - 0.1 -
#: 0.1 - 0.1 is not 0.
REST_ROUNDING = SUM_ERROR
#: Bound of the rounding error in the difference of two squared distances, here and in the neighbour
#: searches, for each coordinate and relative to the larger one. A smaller difference does not
#: decide which point is nearer.
LEAD_ROUNDING = 40 * UNIT


@compiled
def offer_to_both(
    block: Floats,
    rows: Indices,
    columns: Indices,
    codes: Indices,
    indices: Short,
    distances: Floats,
) -> None:
    """Offer each row of a block to the heap of each column and vice versa, if the class of the row
    precedes that of the column.

    Each pair of enemies is so taken once, whichever block it is in.
    """
    for i in range(rows.size):
        for j in range(columns.size):
            if codes[rows[i]] < codes[columns[j]]:
                _offer(indices, distances, rows[i], columns[j], block[i, j])
                _offer(indices, distances, columns[j], rows[i], block[i, j])


@compiled
def offer_to_rows(
    block: Floats, rows: Indices, columns: Indices, indices: Short, distances: Floats
) -> None:
    """Offer the columns of a block of distances to the heaps of the rows; parameters as in
    `offer_to_both`.
    """
    for i in range(rows.size):
        for j in range(columns.size):
            _offer(indices, distances, rows[i], columns[j], block[i, j])


@compiled
def offer_lists(
    objects: Indices, found: Short, lengths: Floats, indices: Short, distances: Floats
) -> None:
    """Offer what was found for some objects, in heaps of their own, to the heaps of all."""
    for i in range(objects.size):
        for place in range(found.shape[1]):
            if found[i, place] < indices.shape[0]:
                _offer(indices, distances, objects[i], found[i, place], lengths[i, place])


@compiled
def _offer(indices: Short, distances: Floats, to: int, index: int, distance: float) -> None:
    """Replace the worst entry of the heap of object ``to`` if the new one precedes it in the order
    (distance, index).
    """
    if distance < distances[to, 0] or (distance == distances[to, 0] and index < indices[to, 0]):
        distances[to, 0], indices[to, 0] = distance, index
        sink(distances[to], indices[to], 0, distances.shape[1])


@compiled
def sort_lists(rows: Indices, indices: Short, distances: Floats) -> None:
    """Sort the heaps of the objects ``rows`` into lists, the nearest enemy first."""
    for i in range(rows.size):
        sort_heap(distances[rows[i]], indices[rows[i]], distances.shape[1])


class Capacities(NamedTuple):
    """How much of each of n objects can be matched, and how much is left; all arrays are empty if
    every object is matched once.
    """

    #: The capacity of each object at the beginning, shape (n,).
    weights: Floats  # (n,)
    #: What is left of it, shape (n,).
    remaining: Floats  # (n,)
    #: The distance of the pair that used up the object, shape (n,).
    ends: Floats  # (n,)
    #: How much of both objects each pair takes, shape (max_pairs,).
    amounts: Floats  # one for each pair


@compiled
def match_on_lists(
    starts: Indices,
    indices: Short,
    distances: Floats,
    cursor: Short,
    alive: Flags,
    exhausted: Flags,
    capacities: Capacities,
    first: Short,
    second: Short,
    pair_distances: Floats,
    pairs: int,
) -> int:
    """Continue the greedy matching by nearest-neighbour chains from ``starts``, of which every pair
    of objects that are alive has one, as far as the lists reach.

    A chain goes from each object to its nearest enemy alive and ends in two objects that are each
    other's nearest (see `wideberth.classifiers.margin_neighbors.kernels.match_by_chains`).
    If all entries of an incomplete list are matched already, the list does not contain the nearest
    enemy alive: its object is marked ``exhausted``, and chains that lead to it wait until the list
    is renewed.

    Entries of a list before its ``cursor`` are not alive any more; ``exhausted`` are objects whose
    list must be renewed. All arrays but the lists are changed in place; returns the new number of
    pairs in ``first``, ``second`` and ``pair_distances``.
    """
    n, k = indices.shape
    waiting = exhausted.copy()
    chain, steps = np.empty(64, dtype=np.intp), np.empty(64)
    for start in starts:
        chain[0], steps[0], size = start, np.inf, 1 if alive[start] else 0
        while size:
            last, before = chain[size - 1], chain[size - 2] if size > 1 else n
            while (
                cursor[last] < k
                and indices[last, cursor[last]] < n
                and not alive[indices[last, cursor[last]]]
            ):
                cursor[last] += 1
            if cursor[last] == k or waiting[last]:
                exhausted[last] |= cursor[last] == k
                for place in range(size):
                    waiting[chain[place]] = True
                break
            choice, distance = indices[last, cursor[last]], distances[last, cursor[last]]
            if before < n and (
                distance > steps[size - 1] or (distance == steps[size - 1] and choice > before)
            ):
                # only if the distance is not exactly symmetric: chains must end
                choice, distance = before, steps[size - 1]
            if choice == n:
                alive[last] = False  # no enemy is left for it
                size = 0
            elif choice == before:
                first[pairs], second[pairs], pair_distances[pairs] = (
                    min(last, before),
                    max(last, before),
                    distance,
                )
                last_gone, before_gone = consume(capacities, last, before, distance, pairs)
                alive[last], alive[before] = not last_gone, not before_gone
                pairs += 1
                # the chain goes on from the last object that is certain to be alive
                size -= 2 if before_gone else 1
            else:
                if size == chain.size:
                    chain, steps = doubled(chain, steps)
                chain[size], steps[size] = choice, distance
                size += 1
    return pairs


@compiled
def doubled(indices: Indices, values: Floats) -> tuple[Indices, Floats]:
    """Copy two arrays of the same length into arrays twice as long; the second half is not
    initialised.
    """
    more_indices = np.empty(2 * indices.size, dtype=indices.dtype)
    more_values = np.empty(2 * values.size)
    for place in range(indices.size):
        more_indices[place], more_values[place] = indices[place], values[place]
    return more_indices, more_values


@compiled
def consume(
    capacities: Capacities, first_object: int, second_object: int, distance: float, pair: int
) -> tuple[bool, bool]:
    """Match two objects by as much as is left of the smaller one.

    Empty arrays mean that every object is matched once. Returns whether each of the two is used up;
    at least one of them is.
    """
    if capacities.weights.size == 0:
        return True, True
    amount = min(capacities.remaining[first_object], capacities.remaining[second_object])
    capacities.amounts[pair] = amount
    return _reduce(capacities, first_object, amount, distance), _reduce(
        capacities, second_object, amount, distance
    )


@compiled
def _reduce(capacities: Capacities, index: int, amount: float, distance: float) -> bool:
    """Take an amount from the capacity of an object; return whether it is used up, and then store
    the distance.
    """
    capacities.remaining[index] -= amount
    used_up: bool = capacities.remaining[index] <= REST_ROUNDING * capacities.weights[index]
    if used_up:
        capacities.ends[index] = distance
    return used_up


@compiled
def bisector_distances(
    points: Floats, queries: Floats, friends: Indices, enemies: Indices
) -> Floats:
    r"""Compute for each query and enemy the distance to the farthest bisector of the enemy and a
    friend, at least 0.

    The point x is at distance (\|x - p\|^2 - \|x - q\|^2) / (2 \|p - q\|) from the bisector of p
    and q, on the side of q. Rounding errors never make the result larger, however close enemy and
    friend are to each other.

    ``friends`` and ``enemies`` are indices of points, -1 for none; the distance is infinite where
    the enemy is -1.
    """
    out = np.full(enemies.shape, np.inf)
    safety = 1.0 - LEAD_ROUNDING * (queries.shape[1] + 4)
    for row in range(queries.shape[0]):
        for place in range(enemies.shape[1]):
            enemy = enemies[row, place]
            if enemy < 0:
                continue
            to_enemy, farthest = _squared_distance(queries, row, points, enemy), 0.0
            for friend in friends[row]:
                if friend < 0:
                    continue
                lead = safety * to_enemy - _squared_distance(queries, row, points, friend)
                apart = _squared_distance(points, enemy, points, friend)
                if lead > 0 and lead * lead > farthest * farthest * 4.0 * apart:
                    farthest = lead / (2.0 * np.sqrt(apart))
            out[row, place] = farthest
    return out


@compiled
def _squared_distance(left: Floats, i: int, right: Floats, j: int) -> float:
    total = 0.0
    for axis in range(left.shape[1]):
        gap = left[i, axis] - right[j, axis]
        total += gap * gap
    return total


# ---- The votes of neighbours, shell by shell


def electing(operations: int) -> Callable[..., None]:
    """`elect`, in Python if there are so few operations that a saved model answers sooner without
    the compiler.

    Examples
    --------
    >>> electing(10**9) is elect
    True
    """
    return in_python_if_few(elect, operations)


@compiled
def elect(
    starts: Indices,
    distances: Floats,
    voters: Integers,
    weights: Floats,
    sizes: Floats,
    rounding: float,
    complete: bool,
    shares: Floats,
    winners: Integers,
) -> None:
    """Fill ``shares[q, s, c]`` with the share of class c in ``sizes[s]`` votes, and ``winners[q,
    s]`` with the class elected.

    `wideberth.geometry.classes.votes` states the rule. Tied classes that do not win are lowered by
    a tiny penalty.

    The neighbours of query q are at ``starts[q]:starts[q + 1]``, nearest first, with all of the
    farthest ones. Votes that differ by the share ``rounding`` are equal. If ``complete``, there are
    no other objects, and of classes that are tied in all shells the first wins; otherwise the
    winner is -1. ``shares`` and ``winners`` are results.

    Examples
    --------
    >>> shares, winners = np.empty((1, 1, 2)), np.empty((1, 1), dtype=np.int64)
    >>> elect(
    ...     np.array([0, 3]),
    ...     np.ones(3),
    ...     np.array([0, 1, 1]),
    ...     np.ones(3),
    ...     np.ones(1),
    ...     0.0,
    ...     True,
    ...     shares,
    ...     winners,
    ... )
    >>> shares.round(3), winners  # one vote is shared by three objects that are all as near
    (array([[[0.333, 0.667]]]), array([[1]]))
    """
    n_classes = shares.shape[2]
    before = np.zeros(n_classes)
    shell = np.zeros(n_classes)
    tied = np.zeros(n_classes, dtype=np.bool_)
    for query in range(len(starts) - 1):
        first, last = starts[query], starts[query + 1]
        counted, place, size = 0.0, first, 0
        for code in range(n_classes):
            before[code] = 0.0
        while size < len(sizes):
            if place == last:  # there are fewer votes than these
                for code in range(n_classes):
                    shares[query, size, code] = before[code] / counted if counted > 0.0 else 0.0
                size += 1
                continue
            place, within = _count_shell(distances, voters, weights, place, last, shell)
            while size < len(sizes) and counted + within >= sizes[size]:
                # exact for whole weights: equal votes give equal numbers
                for code in range(n_classes):
                    votes = before[code] * within + (sizes[size] - counted) * shell[code]
                    shares[query, size, code] = votes / (sizes[size] * within)
                size += 1
            counted += within
            for code in range(n_classes):
                before[code] += shell[code]
        for size in range(len(sizes)):
            most, n_tied = 0.0, 0
            for code in range(n_classes):
                most = max(most, shares[query, size, code])
            most *= 1.0 - rounding
            for code in range(n_classes):
                tied[code] = shares[query, size, code] >= most
                n_tied += tied[code]
            n_left = _compare_shells(
                distances, voters, weights, first, last, rounding, tied, n_tied, shell
            )
            winner = -1
            for code in range(n_classes - 1, -1, -1):
                if tied[code] and (complete or n_left == 1):
                    winner = code
            winners[query, size] = winner
            for code in range(n_classes):
                if n_tied > 1 and code != winner and shares[query, size, code] >= most:
                    shares[query, size, code] -= TIE_BREAK


@compiled
def _count_shell(
    distances: Floats, voters: Integers, weights: Floats, place: int, last: int, shell: Floats
) -> tuple[int, float]:
    """Fill ``shell`` with the votes of each class among the objects as near as that at ``place``;
    their end and their sum.
    """
    for code in range(len(shell)):
        shell[code] = 0.0
    distance, within = distances[place], 0.0
    while place < last and distances[place] == distance:
        shell[voters[place]] += weights[place]
        within += weights[place]
        place += 1
    return place, within


@compiled
def _compare_shells(
    distances: Floats,
    voters: Integers,
    weights: Floats,
    place: int,
    last: int,
    rounding: float,
    tied: Flags,
    n_tied: int,
    shell: Floats,
) -> int:
    """Keep of the ``tied`` classes those with the most votes in the nearest shell, of these in the
    next; how many are left.
    """
    while n_tied > 1 and place < last:
        place, _ = _count_shell(distances, voters, weights, place, last, shell)
        most = 0.0
        for code in range(len(shell)):
            if tied[code]:
                most = max(most, shell[code])
        for code in range(len(shell)):
            if tied[code] and shell[code] < most * (1.0 - rounding):
                tied[code] = False
                n_tied -= 1
    return n_tied
