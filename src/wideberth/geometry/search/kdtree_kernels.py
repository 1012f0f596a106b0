"""The compiled core of a kd-tree: building it, deleting points, walking from leaf to leaf, and queries, with their heaps.

The tree is implicit. Node 0 is the root, node v has the children 2v + 1 and 2v + 2, all leaves lie at one depth, and the i-th of
the 2^l nodes of level l holds the points from i n / 2^l to before (i + 1) n / 2^l, rounded down, as the tree orders them. A node
keeps the box around its points and its *sole* class: the code of the one class that its points alive have, `MIXED` if they have
several, `EMPTY` if none is alive. A search for points of other classes needs no more to skip a node, and it costs four bytes
however many classes there are.

A *gap* is a distance before its root is taken: a sum of squares for p = 2, the distance itself for p = 1 and p = inf. Kernels
take the exponent as the length of the tuple ``power``, 0 for infinity: the length is part of its type, so the compiler knows it
and each exponent gets its own code. Coordinates are added in their order, as scipy's cdist does, so distances agree with it bit
for bit. The gap to a box is added up in the same order from terms that are no larger, and rounding is monotone: it
never exceeds the gap to a point inside, so it needs no slack. Different gaps may have equal roots: a gap is compared with
`largest_gap` of a distance, which no gap with that root exceeds.

Queries find the k nearest points, or the points within a radius, by (distance, original index). A heap of neighbours is two
rows, of distances and of indices, in that order with the last one on top. A full heap of the k best found so far takes a better
neighbour by replacing its top and letting that sink.

All kernels assume finite float64 points, C-contiguous, and codes >= 0. An excluded code of -1 excludes nothing.
"""

import math
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from wideberth.arrays import Flags, Floats, Indices

Codes = NDArray[np.int32]
NeighborIndices = Indices | Codes  # of neighbours: lists of many are kept in four bytes each
Power = tuple[int, ...]

#: In place of the sole class of a node: none of its points is alive, or they have several classes.
EMPTY, MIXED = -2, -3
#: A bound that nobody has computed yet.
UNKNOWN = -1.0


class KdTree(NamedTuple):
    """A kd-tree in arrays; n points, 2^depth leaves, 2^(depth + 1) - 1 nodes."""

    points: Floats  # (n, dimension), ordered so that every node holds a run of them
    order: Codes  # (n,) the original index of each
    positions: Codes  # (n,) its inverse: where the tree keeps the point of an original index
    codes: Codes  # (n,) classes, in tree order
    alive: Flags  # (n,) in tree order
    boxes: Floats  # (nodes, 2, dimension) smallest and largest coordinates
    sole: Codes  # (nodes,)
    depth: int


# ---- building --------------------------------------------------------------------------------------------------------------


@njit(nogil=True, cache=True)
def build_tree(points: Floats, order: Codes, codes: Codes, boxes: Floats, sole: Codes, depth: int) -> None:
    """Reorder ``points``, ``order`` and ``codes`` in place, fill ``boxes`` and ``sole``. Splits the widest side at its median."""
    n = points.shape[0]
    stack = np.empty(depth + 2, dtype=np.intp)  # depth first, so that the points of a small node stay in the processor's cache
    stack[0] = 0
    top = 1
    while top:
        top -= 1
        node = stack[top]
        level = _level(node)
        first = node + 1 - (1 << level)
        start, stop = (first * n) >> level, ((first + 1) * n) >> level
        side = _frame(points, start, stop, boxes, node)
        if level == depth:
            sole[node] = _sole_of(codes, start, stop)
        else:
            _split(points, order, codes, start, stop, ((2 * first + 1) * n) >> (level + 1), side)
            stack[top] = 2 * node + 2
            stack[top + 1] = 2 * node + 1
            top += 2
    for node in range((1 << depth) - 2, -1, -1):
        sole[node] = _sole_of_both(sole[2 * node + 1], sole[2 * node + 2])


@njit(nogil=True, cache=True)
def _level(node: int) -> int:
    level = 0
    while node + 1 >> level + 1:
        level += 1
    return level


@njit(nogil=True, cache=True)
def _frame(points: Floats, start: int, stop: int, boxes: Floats, node: int) -> int:
    """Put the box around a run of points; the number of its widest side."""
    widest, side = -1.0, 0
    for c in range(points.shape[1]):
        low, high = np.inf, -np.inf
        for position in range(start, stop):
            low = min(low, points[position, c])
            high = max(high, points[position, c])
        boxes[node, 0, c] = low
        boxes[node, 1, c] = high
        if high - low > widest:
            widest, side = high - low, c
    return side


@njit(nogil=True, cache=True)
def _split(points: Floats, order: Codes, codes: Codes, start: int, stop: int, middle: int, side: int) -> None:
    """Bring the points so that none before ``middle`` is larger along ``side`` than any after it (Hoare's selection)."""
    first, last = start, stop - 1
    draw = 1
    while first < last:
        draw = (draw * 1103515245 + 12345) & 0x7FFFFFFF  # a pivot that no order of the points can foresee
        pivot = _median(points[first, side], points[first + draw % (last - first + 1), side], points[last, side])
        i, j = first, last
        while i <= j:
            while points[i, side] < pivot:
                i += 1
            while points[j, side] > pivot:
                j -= 1
            if i <= j:
                _swap(points, order, codes, i, j)
                i += 1
                j -= 1
        if middle <= j:
            last = j
        elif middle >= i:
            first = i
        else:
            return


@njit(nogil=True, cache=True)
def _median(a: float, b: float, c: float) -> float:
    return max(min(a, b), min(max(a, b), c))


@njit(nogil=True, cache=True)
def _swap(points: Floats, order: Codes, codes: Codes, i: int, j: int) -> None:
    for c in range(points.shape[1]):
        points[i, c], points[j, c] = points[j, c], points[i, c]
    order[i], order[j] = order[j], order[i]
    codes[i], codes[j] = codes[j], codes[i]


@njit(nogil=True, cache=True)
def _sole_of(codes: Codes, start: int, stop: int) -> int:
    sole = EMPTY
    for position in range(start, stop):
        sole = _sole_of_both(sole, codes[position])
    return sole


@njit(nogil=True, cache=True)
def _sole_of_both(one: int, other: int) -> int:
    if one == EMPTY:
        return other
    if other == EMPTY:
        return one
    return one if one == other else MIXED


# ---- deleting --------------------------------------------------------------------------------------------------------------


@njit(nogil=True, cache=True)
def delete_points(tree: KdTree, positions: Codes) -> None:
    """The points at these positions of the tree are never found again."""
    for index in range(positions.size):
        delete_point(tree, positions[index])


@njit(nogil=True, cache=True)
def delete_point(tree: KdTree, position: int) -> None:
    """Delete one point and bring the nodes above it up to date, as far up as they change."""
    tree.alive[position] = False
    node = leaf_of(tree, position)
    start, stop = leaf_span(tree, node)
    sole = EMPTY
    for other in range(start, stop):
        if tree.alive[other]:
            sole = _sole_of_both(sole, tree.codes[other])
    changed = _shrink_leaf(tree, node, start, stop)
    while changed or sole != tree.sole[node]:
        tree.sole[node] = sole
        if node == 0:
            return
        node = (node - 1) >> 1
        sole = _sole_of_both(tree.sole[2 * node + 1], tree.sole[2 * node + 2])
        changed = changed and _shrink(tree.boxes, node)


@njit(nogil=True, cache=True)
def _shrink_leaf(tree: KdTree, leaf: int, start: int, stop: int) -> bool:
    """Put the box of a leaf around its points alive; whether it changed."""
    changed = False
    for c in range(tree.points.shape[1]):
        low, high = np.inf, -np.inf
        for position in range(start, stop):
            if tree.alive[position]:
                low = min(low, tree.points[position, c])
                high = max(high, tree.points[position, c])
        changed = changed or low != tree.boxes[leaf, 0, c] or high != tree.boxes[leaf, 1, c]
        tree.boxes[leaf, 0, c], tree.boxes[leaf, 1, c] = low, high
    return changed


@njit(nogil=True, cache=True)
def _shrink(boxes: Floats, node: int) -> bool:
    """Put the box of a node around those of its children; whether it changed."""
    changed = False
    for c in range(boxes.shape[2]):
        low = min(boxes[2 * node + 1, 0, c], boxes[2 * node + 2, 0, c])
        high = max(boxes[2 * node + 1, 1, c], boxes[2 * node + 2, 1, c])
        changed = changed or low != boxes[node, 0, c] or high != boxes[node, 1, c]
        boxes[node, 0, c], boxes[node, 1, c] = low, high
    return changed


# ---- distances -------------------------------------------------------------------------------------------------------------


@njit(nogil=True, cache=True, inline="always")
def point_gap(points: Floats, position: int, queries: Floats, query: int, power: Power) -> float:
    """The gap between a point and a query."""
    gap = 0.0
    for c in range(points.shape[1]):
        step = abs(points[position, c] - queries[query, c])
        gap = gap + step * step if len(power) == 2 else gap + step if len(power) == 1 else max(gap, step)
    return gap


@njit(nogil=True, cache=True, inline="always")
def box_gap(boxes: Floats, node: int, queries: Floats, query: int, power: Power) -> float:
    """A lower bound of the gaps between a query and the points of a node."""
    gap = 0.0
    for c in range(boxes.shape[2]):
        step = max(0.0, max(boxes[node, 0, c] - queries[query, c], queries[query, c] - boxes[node, 1, c]))
        gap = gap + step * step if len(power) == 2 else gap + step if len(power) == 1 else max(gap, step)
    return gap


@njit(nogil=True, cache=True)
def root(gap: float, power: Power) -> float:
    """The distance of a gap."""
    return math.sqrt(gap) if len(power) == 2 else gap


@njit(nogil=True, cache=True)
def largest_gap(distance: float, power: Power) -> float:
    """No gap whose distance is at most ``distance`` is larger than this.

    Rounding moves a root and a square by a factor of at most 1 + 2^-53 each; where gaps are so small that they lose digits, their
    roots keep all of theirs and different gaps have different roots.
    """
    return distance * distance * (1.0 + 2.0**-50) if len(power) == 2 else distance


# ---- walking ---------------------------------------------------------------------------------------------------------------


@njit(nogil=True, cache=True)
def leaf_of(tree: KdTree, position: int) -> int:
    """The leaf that holds the point at a position."""
    leaves = 1 << tree.depth
    number: int = ((position + 1) * leaves - 1) // tree.points.shape[0]  # the largest i with i n / 2^depth <= position
    return leaves - 1 + number


@njit(nogil=True, cache=True)
def leaf_span(tree: KdTree, leaf: int) -> tuple[int, int]:
    """From which to before which position a leaf holds the points."""
    n, i = tree.points.shape[0], leaf + 1 - (1 << tree.depth)
    return (i * n) >> tree.depth, ((i + 1) * n) >> tree.depth


@njit(nogil=True, cache=True)
def next_leaf(
    tree: KdTree,
    queries: Floats,
    query: int,
    excluded: int,
    power: Power,
    limit: float,
    stack: Indices,
    bounds: Floats,
    top: int,
) -> tuple[int, int]:
    """Walk on to a leaf with a point of a class not excluded, maybe as near as ``limit``; -1 if there is none left.

    ``stack[:top]`` holds the nodes yet to visit and ``bounds[:top]`` their `box_gap`, or `UNKNOWN`; the nearer child goes first.
    A walk starts with the root; 2 depth + 2 places are enough. Returns the leaf and the new top.
    """
    inner = (1 << tree.depth) - 1
    while top:
        top -= 1
        node, bound = stack[top], bounds[top]
        if tree.sole[node] == EMPTY or tree.sole[node] == excluded:
            continue
        if bound == UNKNOWN:
            bound = box_gap(tree.boxes, node, queries, query, power)
        if bound > limit:
            continue
        if node >= inner:
            return node, top
        left, right = 2 * node + 1, 2 * node + 2
        to_left = box_gap(tree.boxes, left, queries, query, power)
        to_right = box_gap(tree.boxes, right, queries, query, power)
        near, far = (left, right) if to_left <= to_right else (right, left)
        if max(to_left, to_right) <= limit:
            stack[top], bounds[top] = far, max(to_left, to_right)
            top += 1
        stack[top], bounds[top] = near, min(to_left, to_right)
        top += 1
    return -1, 0


# ---- queries ---------------------------------------------------------------------------------------------------------------


@njit(nogil=True, cache=True)
def nearest_points(tree: KdTree, queries: Floats, excluded: Codes, power: Power, indices: Indices, distances: Floats) -> int:
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
    tree: KdTree, queries: Floats, radii: Floats, strict: bool, excluded: Codes, power: Power, most: int, counts: Indices
) -> tuple[Indices, Floats, int, int]:
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


# ---- heaps of neighbours ---------------------------------------------------------------------------------------------------


@njit(nogil=True, cache=True)
def sink(far: Floats, near: NeighborIndices, place: int, size: int) -> None:
    """Let the neighbour at ``place`` of a heap sink below those that come after it in the order (distance, index)."""
    distance, index = far[place], near[place]
    while 2 * place + 1 < size:
        child = 2 * place + 1
        if child + 1 < size and (far[child] < far[child + 1] or (far[child] == far[child + 1] and near[child] < near[child + 1])):
            child += 1
        if far[child] < distance or (far[child] == distance and near[child] < index):
            break
        far[place], near[place] = far[child], near[child]
        place = child
    far[place], near[place] = distance, index


@njit(nogil=True, cache=True)
def sort_by_distance(far: Floats, near: NeighborIndices) -> None:
    """Sort neighbours by (distance, index)."""
    for place in range(far.size // 2 - 1, -1, -1):
        sink(far, near, place, far.size)
    sort_heap(far, near, far.size)


@njit(nogil=True, cache=True)
def sort_heap(far: Floats, near: NeighborIndices, size: int) -> None:
    """Take a heap down into increasing order."""
    for last in range(size - 1, 0, -1):
        far[0], far[last] = far[last], far[0]
        near[0], near[last] = near[last], near[0]
        sink(far, near, 0, last)
