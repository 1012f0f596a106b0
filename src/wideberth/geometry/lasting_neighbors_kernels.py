"""Compiled searches for the nearest objects among those that last, for all thresholds.

An object lasts up to a number, its *last* threshold. Of the objects by (distance, index), those that last longer than all before
them are the *records* of a query: each is the nearest object from where the one before it ends to its own end.
"""

import numpy as np
from numba import njit

from wideberth.geometry.kdtree_kernels import (
    Codes,
    Floats,
    Integers,
    KdTree,
    Power,
    box_gap,
    largest_gap,
    leaf_span,
    point_gap,
    root,
)


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
    tree: KdTree, lasts: Floats, longest: Floats, queries: Floats, power: Power, most: int, counts: Integers
) -> tuple[Integers, Floats, int, int]:
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
    stack: Integers,
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
def records_in_block(block: Floats, order: Integers, lasts: Floats, counts: Integers) -> tuple[Integers, Floats]:
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
def _record_columns(distances: Floats, order: Integers, lasts: Floats, chosen: Codes) -> int:
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
    starts: Integers, indices: Integers, until: Floats, thresholds: Floats, columns: Integers, answers: Integers
) -> None:
    """Fill ``answers[query, columns[i]]`` with the record at the i-th of increasing thresholds; -1 after the last one."""
    for query in range(starts.size - 1):
        record, stop = starts[query], starts[query + 1]
        for rank in range(thresholds.size):
            while record < stop and until[record] < thresholds[rank]:
                record += 1
            answers[query, columns[rank]] = indices[record] if record < stop else -1
