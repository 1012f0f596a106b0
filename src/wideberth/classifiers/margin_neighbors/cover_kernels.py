"""Compiled graph algorithms for vertex covers: maximum matchings, alternating forests, and removal
of redundant vertices.

All graphs are bipartite here. Left and right vertices are both numbered 0..n-1, and vertex v has
one list of neighbours for both of its roles, ``neighbors[starts[v] : starts[v + 1]]``: the
neighbours of v on the left are right vertices, those of v on the right are left vertices. So one
symmetric list of pairs serves two graphs: that of two classes (each vertex has one role only) and
the double cover of any graph (each vertex has both). -1 means none: no partner, no tree, no next.

A `Forest` belongs to a graph that grows. It contains what alternating paths reach from the free
left vertices: any edge from left to right, then the matched edge back. Every left vertex of the
forest except the roots is there through its partner, so that the right vertices alone list a tree.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wideberth.array_types import Flags
from wideberth.compilation import compiled

Ints = NDArray[np.int32]
Starts = NDArray[np.int64]


@compiled
def link(n: int, first: Ints, second: Ints) -> tuple[Starts, Ints]:
    """Build adjacency lists from a list of edges.

    Parameters
    ----------
    n : int
        The number of vertices.
    first, second : ndarray of int32 of shape (e,)
        The two ends of each edge.

    Returns
    -------
    starts, neighbors : ndarray of shape (n + 1,) and (2 e,)
        The neighbours of v are ``neighbors[starts[v] : starts[v + 1]]``.
    """
    starts = count_links(n, first, second)
    cursor, neighbors = np.empty(n, dtype=np.int64), np.empty(starts[n], dtype=np.int32)
    for v in range(n):
        cursor[v] = starts[v]
    for e in range(first.size):
        u, v = first[e], second[e]
        neighbors[cursor[u]] = v
        neighbors[cursor[v]] = u
        cursor[u] += 1
        cursor[v] += 1
    return starts, neighbors


@compiled
def count_links(n: int, first: Ints, second: Ints) -> Starts:
    """Compute where the neighbours of each vertex start in the adjacency lists of all edges; one
    more entry than vertices.
    """
    starts = np.zeros(n + 1, dtype=np.int64)
    for e in range(first.size):
        starts[first[e] + 1] += 1
        starts[second[e] + 1] += 1
    for v in range(n):
        starts[v + 1] += starts[v]
    return starts


@compiled
def maximum_matching(starts: Starts, neighbors: Ints, is_left: Flags) -> tuple[Ints, Flags, Flags]:
    """Compute a maximum matching, and the vertices that alternating paths from free left vertices
    reach (Hopcroft & Karp 1973).

    Each phase augments along a maximal set of disjoint shortest paths, in O(edges); there are
    O(sqrt(n)) phases. The last search, which finds no augmenting path, has visited everything that
    alternating paths reach.

    Parameters
    ----------
    starts, neighbors : ndarray
        Adjacency lists from `link`.
    is_left : ndarray of bool of shape (n,)
        The vertices that have the left role.

    Returns
    -------
    left_partner : ndarray of int32 of shape (n,)
        The partner of every left vertex, or -1.
    left, right : ndarray of bool of shape (n,)
        The left and the right vertices that are reached.
    """
    n = is_left.size
    left_partner, right_partner = np.empty(n, dtype=np.int32), np.empty(n, dtype=np.int32)
    for u in range(n):
        left_partner[u] = right_partner[u] = -1
    _match_greedily(starts, neighbors, is_left, left_partner, right_partner)
    level, queue, cursor = (
        np.empty(n, dtype=np.int32),
        np.empty(n, dtype=np.int32),
        np.empty(n, dtype=np.int64),
    )
    while _breadth_first_levels(
        starts, neighbors, is_left, left_partner, right_partner, level, queue
    ):
        for u in range(n):
            cursor[u] = starts[u]
        for u in range(n):
            if is_left[u] and left_partner[u] < 0:
                _augment_from(
                    u, starts, neighbors, left_partner, right_partner, level, cursor, queue
                )
    left, right = np.empty(n, dtype=np.bool_), np.zeros(n, dtype=np.bool_)
    for u in range(n):
        left[u] = level[u] >= 0
        if left[u]:
            for position in range(starts[u], starts[u + 1]):
                right[neighbors[position]] = True
    return left_partner, left, right


@compiled
def _match_greedily(
    starts: Starts, neighbors: Ints, is_left: Flags, left_partner: Ints, right_partner: Ints
) -> None:
    """Match each left vertex with its first free neighbour: a start that leaves few phases."""
    for u in range(is_left.size):
        if is_left[u]:
            for position in range(starts[u], starts[u + 1]):
                v = neighbors[position]
                if right_partner[v] < 0:
                    left_partner[u], right_partner[v] = v, u
                    break


@compiled
def _breadth_first_levels(
    starts: Starts,
    neighbors: Ints,
    is_left: Flags,
    left_partner: Ints,
    right_partner: Ints,
    level: Ints,
    queue: Ints,
) -> bool:
    """Number the left vertices by their alternating distance from the free ones, -1 out of reach;
    whether a path ends free.
    """
    tail = 0
    for u in range(is_left.size):
        level[u] = -1
        if is_left[u] and left_partner[u] < 0:
            level[u] = 0
            queue[tail] = u
            tail += 1
    head, found = 0, False
    while head < tail:
        u = queue[head]
        head += 1
        for position in range(starts[u], starts[u + 1]):
            partner = right_partner[neighbors[position]]
            if partner < 0:
                found = True
            elif level[partner] < 0:
                level[partner] = level[u] + 1
                queue[tail] = partner
                tail += 1
    return found


@compiled
def _augment_from(
    root: int,
    starts: Starts,
    neighbors: Ints,
    left_partner: Ints,
    right_partner: Ints,
    level: Ints,
    cursor: Starts,
    path: Ints,
) -> None:
    """Search depth first for a path from ``root`` that climbs one level a step to a free right
    vertex, and match along it.

    ``cursor[u]`` is the next neighbour that u tries; none is tried twice in a phase. ``path`` is
    working memory.
    """
    path[0] = root
    height = 1
    while height:
        u = path[height - 1]
        if cursor[u] == starts[u + 1]:
            height -= 1  # a dead end: the vertex before it tries its next neighbour
            continue
        v = neighbors[cursor[u]]
        cursor[u] += 1
        partner = right_partner[v]
        if partner < 0:
            for step in range(height):
                u = path[step]
                v = neighbors[cursor[u] - 1]
                left_partner[u], right_partner[v] = v, u
            return
        if level[partner] == level[u] + 1:
            path[height] = partner
            height += 1


@compiled
def drop_redundant_in_order(starts: Starts, neighbors: Ints, order: Starts, cover: Flags) -> int:
    """Remove from the cover, one by one in the given order, every vertex whose neighbours are all
    in it; return how many.

    ``order`` lists vertices of the cover, which is changed in place; ``starts`` and ``neighbors``
    are adjacency lists from `link`.
    """
    dropped = 0
    for v in order:
        idle = True
        for position in range(starts[v], starts[v + 1]):
            if not cover[neighbors[position]]:
                idle = False
                break
        if idle:
            cover[v] = False
            dropped += 1
    return dropped


@compiled
def cover_by_degree(starts: Starts, neighbors: Ints, inside: Flags) -> Flags:
    """Cover the edges between vertices ``inside``: leave out a vertex of least degree, cover its
    neighbours, and so on.

    Degrees count the undecided vertices. Vertices of equal degree are in one doubly linked list, so
    that it takes O(edges) in all. ``starts`` and ``neighbors`` are adjacency lists from `link`; the
    result is a mask of the vertices in the cover.
    """
    n = inside.size
    waiting, covered = inside.copy(), np.zeros(n, dtype=np.bool_)
    degree = np.zeros(n, dtype=np.int32)
    after, before = np.full(n, -1, dtype=np.int32), np.full(n, -1, dtype=np.int32)
    first = np.full(n, -1, dtype=np.int32)  # by degree
    for v in range(n - 1, -1, -1):  # so that among equal degrees the smallest index comes first
        if inside[v]:
            for position in range(starts[v], starts[v + 1]):
                degree[v] += inside[neighbors[position]]
            _insert_in_bucket(v, degree[v], first, after, before)
    least = 0
    while least < n:
        v = first[least]
        if v < 0:
            least += 1
            continue
        waiting[v] = False
        _remove_from_bucket(v, degree[v], first, after, before)
        for position in range(starts[v], starts[v + 1]):
            w = neighbors[position]
            if not waiting[w]:
                continue
            waiting[w], covered[w] = False, True
            _remove_from_bucket(w, degree[w], first, after, before)
            for other in range(starts[w], starts[w + 1]):
                z = neighbors[other]
                if waiting[z]:
                    _remove_from_bucket(z, degree[z], first, after, before)
                    degree[z] -= 1
                    _insert_in_bucket(z, degree[z], first, after, before)
                    least = min(least, degree[z])
    return covered


@compiled
def _insert_in_bucket(v: int, degree: int, first: Ints, after: Ints, before: Ints) -> None:
    """Put v at the head of the linked list of its degree."""
    after[v], before[v] = first[degree], -1
    if first[degree] >= 0:
        before[first[degree]] = v
    first[degree] = v


@compiled
def _remove_from_bucket(v: int, degree: int, first: Ints, after: Ints, before: Ints) -> None:
    """Take v out of the linked list of its degree."""
    if before[v] >= 0:
        after[before[v]] = after[v]
    else:
        first[degree] = after[v]
    if after[v] >= 0:
        before[after[v]] = before[v]


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
