"""Compiled steps of minimum vertex covers at all thresholds: alternating forests of a graph that
grows.

Graphs are those of `wideberth.classifiers.margin_neighbors.kernels`: bipartite, with one list of
neighbours for both roles of a vertex; -1 means none. A `Forest` contains what alternating paths
reach from the free left vertices: any edge from left to right, then the matched edge back. Every
left vertex of the forest except the roots is there through its partner, so that the right vertices
alone list a tree.
"""

from typing import NamedTuple

import numpy as np

from wideberth.array_types import Flags
from wideberth.classifiers.margin_neighbors.kernels import Ints, Starts
from wideberth.compilation import compiled


class Forest(NamedTuple):
    """A growing bipartite graph, a maximum matching of it, and the forest of alternating paths from
    the free left vertices.
    """

    starts: Starts  # the neighbours of v are neighbors[starts[v] : starts[v] + filled[v]]
    filled: Starts
    neighbors: Ints
    left_partner: Ints
    right_partner: Ints
    left_tree: Ints  # the root of the tree that holds a left vertex
    right_tree: Ints
    parent: Ints  # the left vertex from which a right vertex was reached
    first_of_tree: Ints  # by root: its right vertices as a linked list
    next_in_tree: Ints
    scanned: (
        Starts  # neighbours of a left vertex before this position are matched, and stay matched
    )
    queue: Ints
    detached: Ints  # a ring buffer of right vertices that lost their tree and may belong to another
    is_detached: Flags


def empty_forest(starts: Starts, is_left: Flags) -> Forest:
    """Create a forest without edges, with memory for the neighbours that ``starts`` (from
    `count_links`) announces.
    """
    n = len(is_left)
    none = np.full(n, -1, dtype=np.int32)
    return Forest(
        starts=starts,
        filled=np.zeros(n, dtype=np.int64),
        neighbors=np.empty(starts[-1], dtype=np.int32),
        left_partner=none.copy(),
        right_partner=none.copy(),
        left_tree=np.where(is_left, np.arange(n, dtype=np.int32), none),
        right_tree=none.copy(),
        parent=none.copy(),
        first_of_tree=none.copy(),
        next_in_tree=none.copy(),
        scanned=starts[:-1].copy(),
        queue=none.copy(),
        detached=none.copy(),
        is_detached=np.zeros(n, dtype=np.bool_),
    )


@compiled
def add_edges(forest: Forest, left: Ints, right: Ints, both_ways: bool, jumps: Starts) -> int:
    """Add the edges left[e] - right[e] one by one and keep the matching maximum; return how often
    it grew.

    ``jumps`` receives the edges e at which it grew, once for each new matched pair. With
    ``both_ways`` every edge is added as left[e] - right[e] and right[e] - left[e], which makes the
    double cover.

    A new edge matters only if it leads from the forest to a right vertex outside. The forest then
    grows from there. At a free right vertex the matching grows along the path, and only the tree of
    that path is dissolved and reattached to others: the other trees do not touch the path, so that
    their paths still alternate.
    """
    gained = 0
    for e in range(left.size):
        u, v = left[e], right[e]
        _append(forest, u, v)
        _append(forest, v, u)
        more = _connect(forest, u, v)
        if both_ways:
            more += _connect(forest, v, u)
        for _ in range(more):
            jumps[gained] = e
            gained += 1
    return gained


@compiled
def _append(forest: Forest, u: int, v: int) -> None:
    """Append v to the neighbours of u."""
    forest.neighbors[forest.starts[u] + forest.filled[u]] = v
    forest.filled[u] += 1


@compiled
def _connect(forest: Forest, u: int, v: int) -> int:
    """Restore the forest after the edge u - v was added; return how much the matching grew.

    What the tree of u contained before may be attached to other trees after an augmentation. What
    it gained from this edge may not: before the edge, nothing in the forest led there.
    """
    if forest.left_tree[u] < 0 or forest.right_tree[v] >= 0:
        return 0
    root = forest.left_tree[u]
    newest_before = forest.first_of_tree[root]
    free = _grow(forest, u, v)
    if free < 0:
        return 0
    _augment_along_path(forest, free)
    _undo_growth(forest, root, newest_before)
    return 1 + _reattach(forest, _detach_tree(forest, root, 0, 0))


@compiled
def _grow(forest: Forest, u: int, v: int) -> int:
    """Grow the tree of u over the edge u - v, breadth first; return the first free right vertex
    met, or -1.
    """
    root = forest.left_tree[u]
    free = _visit(forest, u, v, root, 0)
    head, tail = 0, 1
    while free < 0 and head < tail:
        left_vertex = forest.queue[head]
        head += 1
        start = forest.starts[left_vertex]
        for position in range(start, start + forest.filled[left_vertex]):
            reached = forest.neighbors[position]
            if forest.right_tree[reached] < 0:
                free = _visit(forest, left_vertex, reached, root, tail)
                tail += 1
                if free >= 0:
                    break
    return free


@compiled
def _visit(forest: Forest, u: int, v: int, root: int, tail: int) -> int:
    """Claim the right vertex v from u and queue its partner.

    Returns v, or a neighbour of the partner, if it is free; otherwise -1.
    """
    partner = _claim(forest, u, v, root)
    if partner < 0:
        return v
    forest.queue[tail] = partner
    free = _free_neighbor(forest, partner)
    if free >= 0:
        _claim(forest, partner, free, root)
    return free


@compiled
def _free_neighbor(forest: Forest, u: int) -> int:
    """Find a free right neighbour of u, or -1.

    Matched vertices stay matched, so that all these searches together visit each edge once.
    """
    stop = forest.starts[u] + forest.filled[u]
    while forest.scanned[u] < stop:
        v = forest.neighbors[forest.scanned[u]]
        if forest.right_partner[v] < 0:
            return v  # type: ignore[no-any-return]
        forest.scanned[u] += 1
    return -1


@compiled
def _claim(forest: Forest, u: int, v: int, root: int) -> int:
    """Put the right vertex v, reached from u, and its partner into the tree of ``root``; return the
    partner.
    """
    forest.right_tree[v] = root
    forest.parent[v] = u
    forest.next_in_tree[v] = forest.first_of_tree[root]
    forest.first_of_tree[root] = v
    partner = forest.right_partner[v]
    if partner >= 0:
        forest.left_tree[partner] = root
    return partner  # type: ignore[no-any-return]


@compiled
def _undo_growth(forest: Forest, root: int, newest_before: int) -> None:
    """Remove from the forest what the tree gained after ``newest_before`` was its newest right
    vertex.
    """
    v = forest.first_of_tree[root]
    while v != newest_before:
        forest.right_tree[v] = -1
        forest.left_tree[forest.right_partner[v]] = -1
        v = forest.next_in_tree[v]
    forest.first_of_tree[root] = newest_before


@compiled
def _reattach(forest: Forest, waiting: int) -> int:
    """Attach the detached right vertices to trees that lead to them; return how often that
    augmented the matching.
    """
    gained, head, n = 0, 0, forest.detached.size
    while waiting:
        v = forest.detached[head]
        forest.is_detached[v] = False
        head, waiting = (head + 1) % n, waiting - 1
        u = _neighbor_in_forest(forest, v) if forest.right_tree[v] < 0 else -1
        free = _grow(forest, u, v) if u >= 0 else -1
        if free >= 0:
            gained += 1
            root = forest.right_tree[free]
            _augment_along_path(forest, free)
            waiting = _detach_tree(forest, root, head, waiting)
    return gained


@compiled
def _augment_along_path(forest: Forest, free: int) -> None:
    """Match along the path from ``free`` back to its root."""
    v = free
    while v >= 0:
        u = forest.parent[v]
        before = forest.left_partner[u]
        forest.left_partner[u] = v
        forest.right_partner[v] = u
        v = before


@compiled
def _detach_tree(forest: Forest, root: int, head: int, waiting: int) -> int:
    """Detach all right vertices of a tree, and remove their partners (now including the root) from
    the forest; return the queue size.
    """
    n = forest.detached.size
    v = forest.first_of_tree[root]
    forest.first_of_tree[root] = -1
    while v >= 0:
        forest.right_tree[v] = -1
        forest.left_tree[forest.right_partner[v]] = -1
        if not forest.is_detached[v]:
            forest.is_detached[v] = True
            forest.detached[(head + waiting) % n] = v
            waiting += 1
        v = forest.next_in_tree[v]
    return waiting


@compiled
def _neighbor_in_forest(forest: Forest, v: int) -> int:
    """Find a left neighbour of the right vertex v that is in the forest, or -1."""
    start = forest.starts[v]
    for position in range(start, start + forest.filled[v]):
        if forest.left_tree[forest.neighbors[position]] >= 0:
            return forest.neighbors[position]  # type: ignore[no-any-return]
    return -1
