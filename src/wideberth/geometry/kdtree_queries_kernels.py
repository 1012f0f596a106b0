"""Compiled queries to a kd-tree: the k nearest points, the points within a radius.

Neighbours are ordered by (distance, original index); see heaps_kernels.py for how the best found so far are kept.
"""

import numpy as np
from numba import njit

from wideberth.geometry.heaps_kernels import sink, sort_by_distance, sort_heap
from wideberth.geometry.kdtree_kernels import (
    UNKNOWN,
    Codes,
    Floats,
    Integers,
    KdTree,
    Power,
    largest_gap,
    leaf_span,
    next_leaf,
    point_gap,
    root,
)


@njit(nogil=True, cache=True)
def nearest_points(tree: KdTree, queries: Floats, excluded: Codes, power: Power, indices: Integers, distances: Floats) -> int:
    """Fill row q with the k nearest points alive to query q whose code is not ``excluded[q]``, by (distance, original index).

    -1 and infinity where there are fewer than k = ``indices.shape[1]``. Returns how many distances it measured.
    """
    stack = np.empty(2 * tree.depth + 2, dtype=np.intp)
    bounds = np.empty(2 * tree.depth + 2)
    nobody = tree.points.shape[0]  # comes after every index, even at an infinite distance
    measured = 0
    for query in range(queries.shape[0] if indices.shape[1] else 0):
        near, far = indices[query], distances[query]
        near[:] = nobody
        far[:] = np.inf
        limit = np.inf
        stack[0], bounds[0], top = 0, UNKNOWN, 1
        while top:
            leaf, top = next_leaf(tree, queries, query, excluded[query], power, limit, stack, bounds, top)
            if leaf < 0:
                break
            start, stop = leaf_span(tree, leaf)
            for position in range(start, stop):
                if not tree.alive[position] or tree.codes[position] == excluded[query]:
                    continue
                measured += 1
                gap = point_gap(tree.points, position, queries, query, power)
                if gap <= limit:
                    distance = root(gap, power)
                    if distance < far[0] or (distance == far[0] and tree.order[position] < near[0]):
                        far[0], near[0] = distance, tree.order[position]
                        sink(far, near, 0, far.size)
                        limit = largest_gap(far[0], power)
        sort_heap(far, near, far.size)
        for rank in range(near.size):
            if near[rank] == nobody:
                near[rank] = -1
    return measured


@njit(nogil=True, cache=True)
def points_within(
    tree: KdTree, queries: Floats, radii: Floats, strict: bool, excluded: Codes, power: Power, most: int, counts: Integers
) -> tuple[Integers, Floats, int, int]:
    """The points alive at distance <= radius (< if strict) from each query whose code is not ``excluded[query]``.

    Fills ``counts`` and returns the indices and the distances, query after query, each query's sorted by (distance, original
    index); how many queries it answered, since it stops before one that would bring it above ``most`` points, which must be at
    least the number of all; and how many distances it measured.
    """
    stack = np.empty(2 * tree.depth + 2, dtype=np.intp)
    bounds = np.empty(2 * tree.depth + 2)
    indices, distances = np.empty(64, dtype=np.intp), np.empty(64)
    first = found = measured = 0
    for query in range(queries.shape[0]):
        limit = largest_gap(max(radii[query], 0.0), power)
        stack[0], bounds[0], top = 0, UNKNOWN, 1
        while top:
            leaf, top = next_leaf(tree, queries, query, excluded[query], power, limit, stack, bounds, top)
            if leaf < 0:
                break
            start, stop = leaf_span(tree, leaf)
            for position in range(start, stop):
                if not tree.alive[position] or tree.codes[position] == excluded[query]:
                    continue
                measured += 1
                distance = root(point_gap(tree.points, position, queries, query, power), power)
                if distance < radii[query] or (distance == radii[query] and not strict):
                    if found == most:
                        return indices[:first], distances[:first], query, measured
                    if found == indices.size:
                        indices = np.concatenate((indices, np.empty_like(indices)))
                        distances = np.concatenate((distances, np.empty_like(distances)))
                    indices[found], distances[found] = tree.order[position], distance
                    found += 1
        sort_by_distance(distances[first:found], indices[first:found])
        counts[query] = found - first
        first = found
    return indices[:found], distances[:found], queries.shape[0], measured
