"""Compiled code of the kd-tree: building, deleting points, walking through the leaves, and queries.

**Nodes.** The tree is implicit. Node 0 is the root, node v has the children 2v + 1 and 2v + 2, all
leaves have the same depth, and the i-th of the 2^l nodes of level l holds the points at positions
floor(i n / 2^l) to floor((i + 1) n / 2^l) - 1 of the tree's order. A node keeps the bounding box of
its points and its *sole* class: the code of the one class that its points alive belong to, `MIXED`
if they belong to several, `EMPTY` if none is alive. So a search for points of other classes can
skip a node, at a cost of four bytes per node however many classes there are.

**Gaps.** A *gap* is a distance before its root is taken (scikit-learn calls it reduced distance): a
sum of squares for p = 2, the distance itself for p = 1 and p = inf. Kernels get the exponent as the
length of the tuple ``power``, 0 for infinity: the length is part of the type, so the compiler
generates separate code for each exponent. Coordinates are added in their order, as scipy's cdist
does, so distances agree with it bit for bit. The gap to a box is a sum in the same order of terms
that are no larger, and rounding is monotone: it never exceeds the gap to a point inside, so it
needs no tolerance. Different gaps may have equal roots: a gap is compared with `largest_gap` of a
distance, which no gap with that root exceeds.

**Queries** find the k nearest points, or all points within a radius, in the order of (distance,
original index). All kernels assume finite float64 points, C-contiguous, and codes >= 0. An excluded
code of -1 excludes nothing.

**Least sums** offset + slope * distance: a query has one row of ``indices``, ``sums`` and
``distances``, which hold the k best sums found so far in the order of (sum, index). The last sum
before the search is the limit of the query: larger sums are never stored.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wideberth.array_types import Flags, Floats, Indices
from wideberth.compilation import compiled
from wideberth.geometry.search.heap_kernels import precedes, sink, sort_by_distance, sort_heap

Codes = NDArray[np.int32]
Power = tuple[int, ...]

#: Instead of the sole class of a node: none of its points is alive, or they belong to several
#: classes.
EMPTY, MIXED = -2, -3
#: Instead of the lower bound of a node: it has not been computed yet.
UNKNOWN = -1.0


class KdTree(NamedTuple):
    """The arrays of a kd-tree over n points, with 2^depth leaves and 2^(depth + 1) - 1 nodes."""

    #: The points in tree order, in which every node holds consecutive points, shape (n, dimension).
    points: Floats
    #: The original index of each point, shape (n,).
    order: Codes
    #: The inverse of ``order``: the position in the tree of each original index, shape (n,).
    positions: Codes
    #: Classes, in tree order, shape (n,).
    codes: Codes
    #: False for deleted points, in tree order, shape (n,).
    alive: Flags
    #: The smallest and the largest coordinates of the points of each node, shape (nodes, 2,
    #: dimension).
    boxes: Floats
    #: The one class of each node, `MIXED` or `EMPTY`, shape (nodes,).
    sole: Codes
    #: The level of the leaves; 0 if the root is the only leaf.
    depth: int


# ---- building ------------------------------------------------------------------------------------


@compiled
def build_tree(
    points: Floats, order: Codes, codes: Codes, boxes: Floats, sole: Codes, depth: int
) -> None:
    """Build a tree in place: reorder ``points``, ``order`` and ``codes``, and fill ``boxes`` and
    ``sole``.

    Each node is split at the median of the widest side of its box. Takes O(n log n) time.
    """
    n = points.shape[0]
    # depth first, so that the points of a small node stay in the processor's cache
    stack = np.empty(depth + 2, dtype=np.intp)
    stack[0] = 0
    top = 1
    while top:
        top -= 1
        node = stack[top]
        level = _level(node)
        first = node + 1 - (1 << level)
        start, stop = (first * n) >> level, ((first + 1) * n) >> level
        side = _bounding_box(points, start, stop, boxes, node)
        if level == depth:
            sole[node] = _sole_class(codes, start, stop)
        else:
            _partition(
                points, order, codes, start, stop, ((2 * first + 1) * n) >> (level + 1), side
            )
            stack[top] = 2 * node + 2
            stack[top + 1] = 2 * node + 1
            top += 2
    for node in range((1 << depth) - 2, -1, -1):
        sole[node] = _merge_sole(sole[2 * node + 1], sole[2 * node + 2])


@compiled
def _level(node: int) -> int:
    """Return the level of a node, floor(log2(node + 1)); the root has level 0."""
    level = 0
    while node + 1 >> level + 1:
        level += 1
    return level


@compiled
def _bounding_box(points: Floats, start: int, stop: int, boxes: Floats, node: int) -> int:
    """Set the box of a node to that of the points from ``start`` to ``stop``; return the number of
    its widest side.
    """
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


@compiled
def _partition(
    points: Floats, order: Codes, codes: Codes, start: int, stop: int, middle: int, side: int
) -> None:
    """Reorder points so that none before ``middle`` has a larger coordinate ``side`` than any after
    it (quickselect).
    """
    first, last = start, stop - 1
    draw = 1
    while first < last:
        # pseudorandom, so that no order of the points is slow
        draw = (draw * 1103515245 + 12345) & 0x7FFFFFFF
        pivot = _median(
            points[first, side], points[first + draw % (last - first + 1), side], points[last, side]
        )
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


@compiled
def _median(a: float, b: float, c: float) -> float:
    return max(min(a, b), min(max(a, b), c))


@compiled
def _swap(points: Floats, order: Codes, codes: Codes, i: int, j: int) -> None:
    for c in range(points.shape[1]):
        points[i, c], points[j, c] = points[j, c], points[i, c]
    order[i], order[j] = order[j], order[i]
    codes[i], codes[j] = codes[j], codes[i]


@compiled
def _sole_class(codes: Codes, start: int, stop: int) -> int:
    sole = EMPTY
    for position in range(start, stop):
        sole = _merge_sole(sole, codes[position])
    return sole


@compiled
def _merge_sole(one: int, other: int) -> int:
    """Return the sole class of two sets of points together, from the sole class of each."""
    if one == EMPTY:
        return other
    if other == EMPTY:
        return one
    return one if one == other else MIXED


# ---- deleting ------------------------------------------------------------------------------------


@compiled
def delete_points(tree: KdTree, positions: Codes) -> None:
    """Delete the points at these positions of the tree; see `delete_point`."""
    for index in range(positions.size):
        delete_point(tree, positions[index])


@compiled
def delete_point(tree: KdTree, position: int) -> None:
    """Delete the point at a position, unless it was, and update boxes and sole classes above it as
    far as they change.
    """
    tree.alive[position] = False
    node = leaf_of(tree, position)
    start, stop = leaf_span(tree, node)
    sole = EMPTY
    for other in range(start, stop):
        if tree.alive[other]:
            sole = _merge_sole(sole, tree.codes[other])
    changed = _shrink_leaf(tree, node, start, stop)
    while changed or sole != tree.sole[node]:
        tree.sole[node] = sole
        if node == 0:
            return
        node = (node - 1) >> 1
        sole = _merge_sole(tree.sole[2 * node + 1], tree.sole[2 * node + 2])
        changed = changed and _shrink(tree.boxes, node)


@compiled
def _shrink_leaf(tree: KdTree, leaf: int, start: int, stop: int) -> bool:
    """Set the box of a leaf to that of its points alive; return whether it changed."""
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


@compiled
def _shrink(boxes: Floats, node: int) -> bool:
    """Set the box of a node to the smallest one around those of its children; return whether it
    changed.
    """
    changed = False
    for c in range(boxes.shape[2]):
        low = min(boxes[2 * node + 1, 0, c], boxes[2 * node + 2, 0, c])
        high = max(boxes[2 * node + 1, 1, c], boxes[2 * node + 2, 1, c])
        changed = changed or low != boxes[node, 0, c] or high != boxes[node, 1, c]
        boxes[node, 0, c], boxes[node, 1, c] = low, high
    return changed


# ---- distances -----------------------------------------------------------------------------------


@compiled(inline="always")
def point_gap(points: Floats, position: int, queries: Floats, query: int, power: Power) -> float:
    """Return the gap between the point at a position and a query.

    >>> point_gap(np.array([[0.0, 0.0]]), 0, np.array([[3.0, 4.0]]), 0, (1,) * 2)
    25.0
    """
    gap = 0.0
    for c in range(points.shape[1]):
        step = abs(points[position, c] - queries[query, c])
        gap = (
            gap + step * step
            if len(power) == 2
            else gap + step
            if len(power) == 1
            else max(gap, step)
        )
    return gap


@compiled(inline="always")
def box_gap(boxes: Floats, node: int, queries: Floats, query: int, power: Power) -> float:
    """Return the gap between a query and the box of a node: a lower bound of the gaps to its
    points.

    >>> box_gap(np.array([[[0.0, 0.0], [1.0, 1.0]]]), 0, np.array([[4.0, 0.5]]), 0, (1,) * 2)
    9.0
    """
    gap = 0.0
    for c in range(boxes.shape[2]):
        step = max(
            0.0, max(boxes[node, 0, c] - queries[query, c], queries[query, c] - boxes[node, 1, c])
        )
        gap = (
            gap + step * step
            if len(power) == 2
            else gap + step
            if len(power) == 1
            else max(gap, step)
        )
    return gap


@compiled
def root(gap: float, power: Power) -> float:
    """Return the distance that belongs to a gap.

    >>> root(25.0, (1,) * 2), root(25.0, (1,) * 1)
    (5.0, 25.0)
    """
    return math.sqrt(gap) if len(power) == 2 else gap


@compiled
def largest_gap(distance: float, power: Power) -> float:
    """Return an upper bound of the gaps whose distance is at most ``distance``.

    Rounding changes a root and a square by a factor of at most 1 + 2^-53 each. Subnormal gaps have
    fewer digits, but their roots have all of theirs, so different gaps have different roots there.

    >>> largest_gap(5.0, (1,) * 2) > 25.0, largest_gap(5.0, ())
    (True, 5.0)
    """
    return distance * distance * (1.0 + 2.0**-50) if len(power) == 2 else distance


# ---- walking -------------------------------------------------------------------------------------


@compiled
def leaf_of(tree: KdTree, position: int) -> int:
    """Return the number of the leaf that holds the point at a position; the inverse of
    `leaf_span`.
    """
    leaves = 1 << tree.depth
    # the largest i with i n / 2^depth <= position
    number: int = ((position + 1) * leaves - 1) // tree.points.shape[0]
    return leaves - 1 + number


@compiled
def leaf_span(tree: KdTree, leaf: int) -> tuple[int, int]:
    """Return the positions of the first point of a leaf and of the first point after it.

    >>> from wideberth.geometry.search import kdtree
    >>> tree = kdtree.build(np.zeros((5, 1)), leaf_size=3)  # a root and the leaves 1 and 2
    >>> leaf_span(tree, 1), leaf_span(tree, 2), leaf_of(tree, 2)
    ((0, 2), (2, 5), 2)
    """
    n, i = tree.points.shape[0], leaf + 1 - (1 << tree.depth)
    return (i * n) >> tree.depth, ((i + 1) * n) >> tree.depth


@compiled
def node_minima(tree: KdTree, values: Floats) -> Floats:
    """Return, for each node, the smallest of the ``values`` of its points, in tree order; infinity
    if it has no points.

    >>> from wideberth.geometry.search import kdtree
    >>> # a root with two leaves
    >>> tree = kdtree.build(np.array([[0.0], [5.0], [1.0], [9.0]]), leaf_size=2)
    >>> node_minima(tree, np.array([3.0, 4.0, 7.0, 2.0])[tree.order])
    array([2., 3., 2.])
    """
    minima = np.empty(tree.sole.size)
    inner = (1 << tree.depth) - 1
    for node in range(minima.size - 1, -1, -1):
        if node < inner:
            minima[node] = min(minima[2 * node + 1], minima[2 * node + 2])
        else:
            start, stop = leaf_span(tree, node)
            minima[node] = np.inf
            for position in range(start, stop):
                minima[node] = min(minima[node], values[position])
    return minima


@compiled
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
    """Go on to the next leaf that may hold a point alive, not of class ``excluded``, with a gap of
    at most ``limit``.

    A walk starts with the root on the stack and visits nearer children first; ``limit`` may fall
    between two calls.

    The query is the row ``queries[query]``. ``stack[:top]`` holds the nodes to visit and
    ``bounds[:top]`` their `box_gap`, or `UNKNOWN`; both are changed. Returns the number of the
    leaf, -1 if none is left, and the new height of the stack.
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


# ---- queries -------------------------------------------------------------------------------------


@compiled
def nearest_points(
    tree: KdTree,
    queries: Floats,
    excluded: Codes,
    power: Power,
    eta: float,
    indices: Indices,
    distances: Floats,
) -> int:
    """Fill row q with the k nearest points alive of query q whose code is not ``excluded[q]``;
    return how many were measured.

    Neighbours are ordered by (distance, original index); -1 and infinity where there are fewer than
    k = ``indices.shape[1]``. Leaves are left out if all points there are farther than the k-th
    found over 1 + ``eta``.
    """
    shrink = largest_gap(1.0 / (1.0 + eta), power) if eta else 1.0
    stack = np.empty(2 * tree.depth + 2, dtype=np.intp)
    bounds = np.empty(2 * tree.depth + 2)
    no_index = tree.points.shape[0]  # comes after every index, even at an infinite distance
    measured = 0
    for query in range(queries.shape[0] if indices.shape[1] else 0):
        heap_indices, heap_distances = indices[query], distances[query]
        heap_indices[:] = no_index
        heap_distances[:] = np.inf
        limit = np.inf
        stack[0], bounds[0], top = 0, UNKNOWN, 1
        while top:
            leaf, top = next_leaf(
                tree, queries, query, excluded[query], power, shrink * limit, stack, bounds, top
            )
            if leaf < 0:
                break
            limit, seen = _take_leaf(
                tree,
                leaf,
                queries,
                query,
                excluded[query],
                power,
                limit,
                heap_indices,
                heap_distances,
            )
            measured += seen
        sort_heap(heap_distances, heap_indices, heap_distances.size)
        for rank in range(heap_indices.size):
            if heap_indices[rank] == no_index:
                heap_indices[rank] = -1
    return measured


@compiled(inline="always")
def _take_leaf(
    tree: KdTree,
    leaf: int,
    queries: Floats,
    row: int,
    code: int,
    power: Power,
    limit: float,
    indices: Indices,
    distances: Floats,
) -> tuple[float, int]:
    """Let the points of a leaf with another ``code`` into the heaps; the gap that still matters,
    and how many were measured.
    """
    start, stop = leaf_span(tree, leaf)
    measured = 0
    for position in range(start, stop):
        if not tree.alive[position] or tree.codes[position] == code:
            continue
        measured += 1
        gap = point_gap(tree.points, position, queries, row, power)
        if gap <= limit:
            distance = root(gap, power)
            if precedes(distance, tree.order[position], distances[0], indices[0]):
                distances[0], indices[0] = distance, tree.order[position]
                sink(distances, indices, 0, distances.size)
                limit = largest_gap(distances[0], power)
    return limit, measured


@compiled
def points_within(
    tree: KdTree,
    queries: Floats,
    radii: Floats,
    strict: bool,
    excluded: Codes,
    power: Power,
    most: int,
    counts: Indices,
) -> tuple[Indices, Floats, int, int]:
    """Find the points alive at distance <= radius (< if strict) of each query whose code is not
    ``excluded[query]``.

    Stops before a query with which it would have found more than ``most`` points; ``most`` must be
    at least the number of points in the tree, so that the first query is always answered.

    Returns indices and distances, query after query and each sorted by (distance, original index),
    how many queries were answered, and how many distances were computed; ``counts`` is filled with
    the number of each query.
    """
    stack = np.empty(2 * tree.depth + 2, dtype=np.intp)
    bounds = np.empty(2 * tree.depth + 2)
    indices, distances = np.empty(64, dtype=np.intp), np.empty(64)
    first = found = measured = 0
    for query in range(queries.shape[0]):
        limit = largest_gap(max(radii[query], 0.0), power)
        stack[0], bounds[0], top = 0, UNKNOWN, 1
        while top:
            leaf, top = next_leaf(
                tree, queries, query, excluded[query], power, limit, stack, bounds, top
            )
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


# ---- least sums --------------------------------------------------------------------------------


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

    No object is deleted, ``offsets`` are in tree order, ``minima`` are ``node_minima(tree,
    offsets)``, and the slope is 0 or more. The best so far are changed in place.
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
            node, bound = stack[top], bounds[top]
            # down to the child with the smaller bound, which so need not be put on the stack
            while bound <= sums[query, last] and node < inner:
                left, right = 2 * node + 1, 2 * node + 2
                to_left = minima[left] + slope * root(
                    box_gap(tree.boxes, left, queries, query, power), power
                )
                to_right = minima[right] + slope * root(
                    box_gap(tree.boxes, right, queries, query, power), power
                )
                if to_left <= to_right:
                    node, bound, far, beyond = left, to_left, right, to_right
                else:
                    node, bound, far, beyond = right, to_right, left, to_left
                if beyond <= sums[query, last]:
                    stack[top], bounds[top] = far, beyond
                    top += 1
            if bound > sums[query, last]:
                continue
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
