"""Compiled searches for the least sums of an offset and a slope times a distance.

Each query keeps a short row of the best found so far, by (sum, index), the largest last: what it holds at first is its limit.
"""

import numpy as np
from numba import njit

from wideberth.arrays import Floats, Indices
from wideberth.geometry.search.kdtree_kernels import KdTree, Power, box_gap, leaf_span, point_gap, root


@njit(nogil=True, cache=True)
def least_offsets(tree: KdTree, offsets: Floats, least: Floats) -> None:
    """Fill ``least[node]`` with the smallest offset of the node's points; offsets are in tree order."""
    inner = (1 << tree.depth) - 1
    for node in range(least.size - 1, -1, -1):
        if node < inner:
            least[node] = min(least[2 * node + 1], least[2 * node + 2])
        else:
            start, stop = leaf_span(tree, node)
            least[node] = np.inf
            for position in range(start, stop):
                least[node] = min(least[node], offsets[position])


@njit(nogil=True, cache=True)
def least_sums_in_tree(
    tree: KdTree,
    offsets: Floats,
    least: Floats,
    slope: float,
    queries: Floats,
    power: Power,
    indices: Indices,
    sums: Floats,
    distances: Floats,
) -> int:
    """Offer every point's offset + slope * distance to the row of each query; how many distances it measured.

    Assumes slope >= 0, offsets in tree order and ``least`` from `least_offsets`.
    """
    inner = (1 << tree.depth) - 1
    stack = np.empty(2 * tree.depth + 2, dtype=np.intp)
    bounds = np.empty(2 * tree.depth + 2)
    measured, last = 0, sums.shape[1] - 1
    for query in range(queries.shape[0]):
        stack[0], top = 0, 1
        bounds[0] = least[0] + slope * root(box_gap(tree.boxes, 0, queries, query, power), power)
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
                    _offer(indices[query], sums[query], distances[query], tree.order[position], total, distance)
                continue
            left, right = 2 * node + 1, 2 * node + 2
            to_left = least[left] + slope * root(box_gap(tree.boxes, left, queries, query, power), power)
            to_right = least[right] + slope * root(box_gap(tree.boxes, right, queries, query, power), power)
            near, far = (left, right) if to_left <= to_right else (right, left)
            stack[top], bounds[top] = far, max(to_left, to_right)
            stack[top + 1], bounds[top + 1] = near, min(to_left, to_right)
            top += 2
    return measured


@njit(nogil=True, cache=True)
def least_sums_in_block(block: Floats, offsets: Floats, slope: float, indices: Indices, sums: Floats, distances: Floats) -> None:
    """Offer every column's offset + slope * distance to the row of each row of a block."""
    for i in range(block.shape[0]):
        for j in range(block.shape[1]):
            total = offsets[j] + slope * block[i, j]
            if total <= sums[i, sums.shape[1] - 1]:
                _offer(indices[i], sums[i], distances[i], j, total, block[i, j])


@njit(nogil=True, cache=True)
def _offer(indices: Indices, sums: Floats, distances: Floats, index: int, total: float, distance: float) -> None:
    """Put a sum in its place of a short row if it comes before the last one, which falls out."""
    place = sums.size - 1
    if total > sums[place] or (total == sums[place] and index > indices[place]):
        return
    while place and (total < sums[place - 1] or (total == sums[place - 1] and index < indices[place - 1])):
        sums[place], indices[place], distances[place] = sums[place - 1], indices[place - 1], distances[place - 1]
        place -= 1
    sums[place], indices[place], distances[place] = total, index, distance
