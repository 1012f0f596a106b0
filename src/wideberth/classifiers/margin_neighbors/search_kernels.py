"""Compiled searches: nearest enemies in chains for a greedy matching, nearest objects that last, the picks of pick-to-learn.

An object lasts up to a number, its *last* threshold. Of the objects by (distance, index), those that last longer than all before
them are the *records* of a query: each is the nearest object from where the one before it ends to its own end.
"""

import numpy as np
from numba import njit

from wideberth.arrays import Floats, Indices
from wideberth.geometry.classes.kernels import Capacities, consume
from wideberth.geometry.search.kdtree_kernels import (
    UNKNOWN,
    Codes,
    KdTree,
    Power,
    box_gap,
    delete_point,
    largest_gap,
    leaf_of,
    leaf_span,
    next_leaf,
    point_gap,
    root,
)


@njit(nogil=True, cache=True)
def match_by_chains(
    tree: KdTree, power: Power, up_to: float, capacities: Capacities, first: Codes, second: Codes, distances: Floats
) -> tuple[int, int]:
    """Match all points that the greedy order matches at distances up to ``up_to``; uses the tree up.

    A chain goes from each point to its nearest point alive of another class. In the order (distance, smaller index, larger
    index), which for one end fixed is the order (distance, other index), its steps decrease, so it ends in two points that are
    each other's first choice: the greedy matching joins them. Deleting them leaves the choices of the rest of the chain's points
    but the last as they were, and the chain goes on from there. A point whose first choice is too far stays single, since
    deletions only move choices farther off, and nobody within ``up_to`` can want it: it is deleted too.

    Of two points matched the one with less to give is used up and deleted, or both are. If it is the chain's last, the chain goes
    on from the other; if it is the one before, the last is left for later, since whoever wanted the one before must ask again.

    Chains start in tree order, from one neighbour to the next. Fills original indices, smaller first, and the distances, in the
    order of discovery; returns how many pairs there are and how many distances it measured.
    """
    n = tree.points.shape[0]
    stack = np.empty(2 * tree.depth + 2, dtype=np.intp)
    bounds = np.empty(2 * tree.depth + 2)
    chain, steps = np.empty(64, dtype=np.intp), np.empty(64)  # steps[i]: how far chain[i] is from chain[i - 1]
    pairs = measured = 0
    for start in range(n):
        size = 0
        if tree.alive[start]:
            chain[0], steps[0], size = start, up_to, 1
        while size:
            last, before = chain[size - 1], chain[size - 2] if size > 1 else -1
            choice, distance, calls = _nearest_enemy(tree, last, before, steps[size - 1], power, stack, bounds)
            measured += calls
            if choice < 0:
                delete_point(tree, last)
                size = 0
            elif choice == before:
                one, other = tree.order[last], tree.order[before]
                first[pairs], second[pairs], distances[pairs] = min(one, other), max(one, other), distance
                last_gone, before_gone = consume(capacities, one, other, distance, pairs)
                pairs += 1
                size -= 1
                if last_gone:
                    delete_point(tree, last)
                if before_gone:
                    delete_point(tree, before)
                    size -= 1
            else:
                if size == chain.size:
                    chain = np.concatenate((chain, np.empty_like(chain)))
                    steps = np.concatenate((steps, np.empty_like(steps)))
                chain[size], steps[size] = choice, distance
                size += 1
    return pairs, measured


@njit(nogil=True, cache=True)
def _nearest_enemy(
    tree: KdTree, position: int, known: int, within: float, power: Power, stack: Indices, bounds: Floats
) -> tuple[int, float, int]:
    """The nearest point alive of another class, by (distance, original index), at most ``within`` away; -1 if there is none.

    ``known`` is a candidate at the distance ``within``, or -1. Starts at the point's own leaf and works its way up, since the
    nearest is most often close by. Returns the position, the distance and how many distances it measured.
    """
    code = tree.codes[position]
    best, best_distance = known, within
    best_index = tree.order[known] if known >= 0 else tree.points.shape[0]
    limit = largest_gap(within, power)
    measured = 0
    top = _climb(tree, leaf_of(tree, position), stack, bounds)
    while top:
        leaf, top = next_leaf(tree, tree.points, position, code, power, limit, stack, bounds, top)
        if leaf < 0:
            break
        start, stop = leaf_span(tree, leaf)
        for other in range(start, stop):
            if tree.codes[other] == code or not tree.alive[other]:
                continue
            measured += 1
            gap = point_gap(tree.points, other, tree.points, position, power)
            if gap <= limit:
                distance = root(gap, power)
                if distance < best_distance or (distance == best_distance and tree.order[other] < best_index):
                    best, best_distance, best_index = other, distance, tree.order[other]
                    limit = largest_gap(distance, power)
    return best, best_distance, measured


@njit(nogil=True, cache=True)
def _climb(tree: KdTree, leaf: int, stack: Indices, bounds: Floats) -> int:
    """Put the siblings of all nodes on the way from the root to a leaf on the stack, then the leaf; how many nodes that are."""
    node = leaf
    for place in range(tree.depth - 1, -1, -1):
        stack[place], bounds[place] = ((node - 1) ^ 1) + 1, UNKNOWN
        node = (node - 1) >> 1
    stack[tree.depth], bounds[tree.depth] = leaf, 0.0
    return tree.depth + 1


@njit(nogil=True, cache=True)
def longest_below(tree: KdTree, lasts: Floats, longest: Floats) -> None:
    """Fill ``longest[node]`` with the largest of ``lasts``, in tree order, of the node's points."""
    inner = (1 << tree.depth) - 1
    for node in range(longest.size - 1, -1, -1):
        if node < inner:
            longest[node] = max(longest[2 * node + 1], longest[2 * node + 2])
        else:
            start, stop = leaf_span(tree, node)
            longest[node] = -np.inf
            for position in range(start, stop):
                longest[node] = max(longest[node], lasts[position])


@njit(nogil=True, cache=True)
def records_in_tree(
    tree: KdTree, lasts: Floats, longest: Floats, queries: Floats, power: Power, most: int, counts: Indices
) -> tuple[Indices, Floats, int, int]:
    """The records of each query, one search after another, each for what lasts longer than the record before.

    A search starts from what the query before has found, which is near if neighbours among the queries follow each other.

    Assumes ``lasts`` in tree order and ``longest`` from `longest_below`. Fills ``counts`` and returns the original indices and
    their ``lasts``, query after query; how many queries it answered, since it stops before one that would bring it above ``most``
    records; and how many distances it measured.
    """
    stack = np.empty(2 * tree.depth + 2, dtype=np.intp)
    bounds = np.empty(2 * tree.depth + 2)
    indices, until = np.empty(64, dtype=np.intp), np.empty(64)
    before = first = found = measured = 0
    for query in range(queries.shape[0]):
        ended, hint = -np.inf, before
        while ended < longest[0]:
            while hint < first and until[hint] <= ended:
                hint += 1
            known = tree.positions[indices[hint]] if hint < first else -1
            position, calls = _nearest_lasting(tree, lasts, longest, ended, known, queries, query, power, stack, bounds)
            measured += calls
            ended = lasts[position]
            if found == most:
                return indices[:first], until[:first], query, measured
            if found == indices.size:
                indices = np.concatenate((indices, np.empty_like(indices)))
                until = np.concatenate((until, np.empty_like(until)))
            indices[found], until[found] = tree.order[position], ended
            found += 1
        counts[query] = found - first
        before, first = first, found
    return indices[:found], until[:found], queries.shape[0], measured


@njit(nogil=True, cache=True)
def _nearest_lasting(
    tree: KdTree,
    lasts: Floats,
    longest: Floats,
    ended: float,
    known: int,
    queries: Floats,
    query: int,
    power: Power,
    stack: Indices,
    bounds: Floats,
) -> tuple[int, int]:
    """The position of the nearest point, by (distance, original index), that lasts longer than ``ended``; there must be one.

    ``known`` is the position of such a point, or -1. Returns the nearest and how many distances were measured.
    """
    inner = (1 << tree.depth) - 1
    best, best_distance, best_index, limit = -1, np.inf, tree.points.shape[0], np.inf
    measured = 0
    if known >= 0:
        best, best_distance, best_index = (
            known,
            root(point_gap(tree.points, known, queries, query, power), power),
            tree.order[known],
        )
        limit = largest_gap(best_distance, power)
    stack[0], bounds[0], top = 0, 0.0, 1
    while top:
        top -= 1
        node = stack[top]
        if bounds[top] > limit:
            continue
        if node < inner:
            left, right = 2 * node + 1, 2 * node + 2
            to_left = box_gap(tree.boxes, left, queries, query, power)
            to_right = box_gap(tree.boxes, right, queries, query, power)
            near, far = (left, right) if to_left <= to_right else (right, left)
            if longest[far] > ended and max(to_left, to_right) <= limit:
                stack[top], bounds[top] = far, max(to_left, to_right)
                top += 1
            if longest[near] > ended and min(to_left, to_right) <= limit:
                stack[top], bounds[top] = near, min(to_left, to_right)
                top += 1
            continue
        start, stop = leaf_span(tree, node)
        for position in range(start, stop):
            if lasts[position] <= ended:
                continue
            measured += 1
            gap = point_gap(tree.points, position, queries, query, power)
            if gap <= limit:
                distance = root(gap, power)
                if distance < best_distance or (distance == best_distance and tree.order[position] < best_index):
                    best, best_distance, best_index = position, distance, tree.order[position]
                    limit = largest_gap(distance, power)
    return best, measured


@njit(nogil=True, cache=True)
def records_in_block(block: Floats, order: Indices, lasts: Floats, counts: Indices) -> tuple[Indices, Floats]:
    """The records of each row of a block whose columns are objects by decreasing ``lasts``; ``order`` holds their indices.

    From the one that lasts longest on, an object is a record if it is nearer than all before it. Fills ``counts`` and returns
    indices and ``lasts``, row after row.
    """
    n_rows, n = block.shape
    chosen = np.empty(n, dtype=np.int32)
    indices, until = np.empty(64, dtype=np.intp), np.empty(64)
    found = 0
    for row in range(n_rows):
        size = _record_columns(block[row], order, lasts, chosen)
        while found + size > indices.size:
            indices = np.concatenate((indices, np.empty_like(indices)))
            until = np.concatenate((until, np.empty_like(until)))
        for place in range(size):
            column = chosen[size - 1 - place]
            indices[found + place], until[found + place] = order[column], lasts[column]
        counts[row] = size
        found += size
    return indices[:found], until[:found]


@njit(nogil=True, cache=True)
def _record_columns(distances: Floats, order: Indices, lasts: Floats, chosen: Codes) -> int:
    """The columns of the records of one row, the one that lasts longest first, in ``chosen``; how many they are."""
    nearest, index, size = np.inf, distances.size, 0
    for column in range(distances.size):
        if distances[column] > nearest or (distances[column] == nearest and order[column] > index):
            continue
        nearest, index = distances[column], order[column]
        if size and lasts[chosen[size - 1]] == lasts[column]:
            size -= 1  # it ends with an object that is nearer
        chosen[size] = column
        size += 1
    return size


@njit(nogil=True, cache=True)
def pick_records(
    starts: Indices, indices: Indices, until: Floats, thresholds: Floats, columns: Indices, answers: Indices
) -> None:
    """Fill ``answers[query, columns[i]]`` with the record at the i-th of increasing thresholds; -1 after the last one."""
    for query in range(starts.size - 1):
        record, stop = starts[query], starts[query + 1]
        for rank in range(thresholds.size):
            while record < stop and until[record] < thresholds[rank]:
                record += 1
            answers[query, columns[rank]] = indices[record] if record < stop else -1


@njit(nogil=True, cache=True)
def learn_from(distances: Floats, codes: Indices, picked: int, stretch: float, margin: float, own: Floats, other: Floats) -> int:
    """Take the distances from an object that was picked into account; the object that is most wrong now, -1 if none is.

    ``own`` and ``other`` hold the distances to the picked objects of an object's own class and of other ones, infinite at first,
    and minus infinity in ``own`` for the picked objects themselves, which are never wrong.
    """
    code = codes[picked]
    own[picked] = -np.inf
    worst, most = -1, -np.inf
    for i in range(codes.size):
        if codes[i] == code:
            own[i] = min(own[i], distances[i])
        else:
            other[i] = min(other[i], distances[i])
        if own[i] == -np.inf or (other[i] == np.inf and own[i] < np.inf):
            continue
        wrong = np.inf if own[i] == np.inf else stretch * own[i] - other[i] + margin
        if wrong >= 0 and wrong > most:
            worst, most = i, wrong
    return worst
