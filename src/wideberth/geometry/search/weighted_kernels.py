"""Compiled searches for the least sums offset + slope * distance.

A query has one row of ``indices``, ``sums`` and ``distances``, which hold the k best sums found so
far in the order of (sum, index). The last sum before the search is the limit of the query: larger
sums are never stored.
"""

import numpy as np

from wideberth.array_types import Floats, Indices
from wideberth.compilation import compiled
from wideberth.geometry.search.kdtree_kernels import (
    KdTree,
    Power,
    box_gap,
    leaf_span,
    point_gap,
    root,
)


@compiled
def least_sums_in_tree(
    tree: KdTree,
    offsets: Floats,
    minima: Floats,
    slope: float,
    queries: Floats,
    power: Power,
    indices: Indices,
    sums: Floats,
    distances: Floats,
) -> int:
    """Find the least sums of each query in a tree; return how many distances were computed.

    A node is left out if its least offset plus the slope times the distance to its box exceeds the
    k-th best sum so far. Nodes with the smaller bound are visited first.

    Parameters
    ----------
    tree : KdTree
        The objects, none deleted.
    offsets : ndarray of shape (n,)
        Offsets in tree order.
    minima : ndarray of shape (nodes,)
        ``node_minima(tree, offsets)``.
    slope : float
        0 or more.
    queries : ndarray of shape (n_queries, dimension)
        C-contiguous vectors.
    power : tuple
        The exponent of the metric, see `wideberth.geometry.search.kdtree_kernels`.
    indices, sums, distances : ndarrays of shape (n_queries, k)
        The best so far, changed in place.
    """
    inner = (1 << tree.depth) - 1
    stack = np.empty(2 * tree.depth + 2, dtype=np.intp)
    bounds = np.empty(2 * tree.depth + 2)
    measured, last = 0, sums.shape[1] - 1
    for query in range(queries.shape[0]):
        stack[0], top = 0, 1
        bounds[0] = minima[0] + slope * root(box_gap(tree.boxes, 0, queries, query, power), power)
        while top:
            top -= 1
            node = stack[top]
            if bounds[top] > sums[query, last]:
                continue
            if node >= inner:
                start, stop = leaf_span(tree, node)
                for position in range(start, stop):
                    measured += 1
                    distance = root(point_gap(tree.points, position, queries, query, power), power)
                    total = offsets[position] + slope * distance
                    _offer(
                        indices[query],
                        sums[query],
                        distances[query],
                        tree.order[position],
                        total,
                        distance,
                    )
                continue
            left, right = 2 * node + 1, 2 * node + 2
            to_left = minima[left] + slope * root(
                box_gap(tree.boxes, left, queries, query, power), power
            )
            to_right = minima[right] + slope * root(
                box_gap(tree.boxes, right, queries, query, power), power
            )
            near, far = (left, right) if to_left <= to_right else (right, left)
            stack[top], bounds[top] = far, max(to_left, to_right)
            stack[top + 1], bounds[top + 1] = near, min(to_left, to_right)
            top += 2
    return measured


@compiled
def least_sums_in_block(
    block: Floats, offsets: Floats, slope: float, indices: Indices, sums: Floats, distances: Floats
) -> None:
    """Find the least sums of each query in a block of distances, whose columns are all objects; see
    `least_sums_in_tree`.
    """
    for i in range(block.shape[0]):
        for j in range(block.shape[1]):
            total = offsets[j] + slope * block[i, j]
            if total <= sums[i, sums.shape[1] - 1]:
                _offer(indices[i], sums[i], distances[i], j, total, block[i, j])


@compiled
def _offer(
    indices: Indices, sums: Floats, distances: Floats, index: int, total: float, distance: float
) -> None:
    """Insert a sum into the sorted row of a query if it comes before the last one, which is
    dropped.
    """
    place = sums.size - 1
    if total > sums[place] or (total == sums[place] and index > indices[place]):
        return
    while place and (
        total < sums[place - 1] or (total == sums[place - 1] and index < indices[place - 1])
    ):
        sums[place], indices[place], distances[place] = (
            sums[place - 1],
            indices[place - 1],
            distances[place - 1],
        )
        place -= 1
    sums[place], indices[place], distances[place] = total, index, distance
