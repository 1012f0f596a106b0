"""Compiled loops: maximum matchings and covers of conflict graphs, greedy matching by
nearest-neighbour chains, neighbours with lifetimes, and the steps of pick-to-learn.

All graphs are bipartite here. Left and right vertices are both numbered 0..n-1, and vertex v has
one list of neighbours for both of its roles, ``neighbors[starts[v] : starts[v + 1]]``: the
neighbours of v on the left are right vertices, those of v on the right are left vertices. So one
symmetric list of pairs serves two graphs: that of two classes (each vertex has one role only) and
the double cover of any graph (each vertex has both). -1 means none: no partner, no tree, no next.

The *lifetime* of an object is the largest threshold at which it is still present. Of the objects
sorted by (distance, index), those that live longer than all before them are the *records* of a
query: each is the nearest object from the end of the record before it to its own end.
"""

import numpy as np
from numpy.typing import NDArray

from wideberth.array_types import Flags, Floats, Indices
from wideberth.compilation import compiled
from wideberth.geometry.classes.kernels import Capacities, consume, doubled
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

# ---- Graphs: adjacency lists, maximum matchings, removal of redundant vertices


Ints = NDArray[np.int32]
Starts = NDArray[np.int64]


@compiled
def link(n: int, first: Ints, second: Ints) -> tuple[Starts, Ints]:
    """Build adjacency lists, ``starts`` and ``neighbors``, from a list of edges."""
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
    alternating paths reach. Returns the partner of every left vertex, or -1, and which left and
    right vertices are reached.
    """
    n = is_left.size
    left_partner, right_partner = np.empty(n, dtype=np.int32), np.empty(n, dtype=np.int32)
    for u in range(n):
        left_partner[u] = right_partner[u] = -1
    _match_greedily(starts, neighbors, is_left, left_partner, right_partner)
    level = np.empty(n, dtype=np.int32)
    queue = np.empty(n, dtype=np.int32)
    cursor = np.empty(n, dtype=np.int64)
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


# ---- Searches


@compiled
def match_by_chains(
    tree: KdTree,
    power: Power,
    up_to: float,
    capacities: Capacities,
    first: Codes,
    second: Codes,
    distances: Floats,
) -> tuple[int, int]:
    """Match all points of a kd-tree that the greedy order matches at distances up to ``up_to``;
    matched points are deleted.

    A chain goes from each point to its nearest point alive of another class. In the order
    (distance, smaller index, larger index), which for one fixed end is the order (distance, other
    index), its steps decrease, so that it ends in two points that are each other's first choice:
    the greedy matching joins them. Their deletion does not change the choices of the points before
    them in the chain, except the last of these, and the chain goes on from there. A point whose
    first choice is too far stays single, because deletions only move choices farther away, and no
    point within ``up_to`` can choose it: it is deleted too.

    Of two matched points the one with the smaller remaining capacity is used up and deleted, or
    both are. If it is the last point of the chain, the chain goes on from the other one. If it is
    the one before, the last one is left for later, because the points that had chosen the deleted
    one must choose again.

    Chains start in tree order, so that consecutive ones are near each other. ``first``, ``second``
    and ``distances`` receive original indices, the smaller one first, in the order of discovery.
    Returns the numbers of pairs and of distances measured.
    """
    n = tree.points.shape[0]
    stack = np.empty(2 * tree.depth + 2, dtype=np.intp)
    bounds = np.empty(2 * tree.depth + 2)
    # steps[i]: distance of chain[i] from chain[i - 1]
    chain, steps = np.empty(64, dtype=np.intp), np.empty(64)
    pairs = measured = 0
    for start in range(n):
        size = 0
        if tree.alive[start]:
            chain[0], steps[0], size = start, up_to, 1
        while size:
            last, before = chain[size - 1], chain[size - 2] if size > 1 else -1
            choice, distance, calls = _nearest_enemy(
                tree, last, before, steps[size - 1], power, stack, bounds
            )
            measured += calls
            if choice < 0:
                delete_point(tree, last)
                size = 0
            elif choice == before:
                one, other = tree.order[last], tree.order[before]
                first[pairs], second[pairs], distances[pairs] = (
                    min(one, other),
                    max(one, other),
                    distance,
                )
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
                    chain, steps = doubled(chain, steps)
                chain[size], steps[size] = choice, distance
                size += 1
    return pairs, measured


@compiled
def _nearest_enemy(
    tree: KdTree,
    position: int,
    known: int,
    within: float,
    power: Power,
    stack: Indices,
    bounds: Floats,
) -> tuple[int, float, int]:
    """Find the nearest point alive of another class, by (distance, original index), at most
    ``within`` away.

    ``known`` is the position of a candidate at the distance ``within``, or -1. The search starts at
    the leaf of the point and goes up the tree, because the nearest point is usually close by.
    """
    code = tree.codes[position]
    best, best_distance = known, within
    best_index = tree.order[known] if known >= 0 else tree.points.shape[0]
    limit = largest_gap(within, power)
    measured = 0
    top = _push_path_to_leaf(tree, leaf_of(tree, position), stack, bounds)
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
                if distance < best_distance or (
                    distance == best_distance and tree.order[other] < best_index
                ):
                    best, best_distance, best_index = other, distance, tree.order[other]
                    limit = largest_gap(distance, power)
    return best, best_distance, measured


@compiled
def _push_path_to_leaf(tree: KdTree, leaf: int, stack: Indices, bounds: Floats) -> int:
    """Push the siblings of all nodes on the path from the root to a leaf, then the leaf itself, on
    the stack.

    Returns the size of the stack.
    """
    node = leaf
    for place in range(tree.depth - 1, -1, -1):
        stack[place], bounds[place] = ((node - 1) ^ 1) + 1, UNKNOWN
        node = (node - 1) >> 1
    stack[tree.depth], bounds[tree.depth] = leaf, 0.0
    return tree.depth + 1


@compiled
def records_in_tree(
    tree: KdTree,
    lifetimes: Floats,
    longest: Floats,
    queries: Floats,
    power: Power,
    most: int,
    counts: Indices,
) -> tuple[Indices, Floats, int, int]:
    """Find the records of each query by successive searches, each for points that live longer than
    the record before.

    A search starts from the records of the query before, which are near if consecutive queries are
    near each other. ``lifetimes`` are in tree order, ``longest`` has those of the nodes, ``counts``
    receives the number of records of each query. It stops before a query that would bring the
    number of records above ``most``. Returns original indices and lifetimes of the records, query
    after query, and the numbers of queries answered and of distances measured.
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
            position, calls = _nearest_lasting(
                tree, lifetimes, longest, ended, known, queries, query, power, stack, bounds
            )
            measured += calls
            ended = lifetimes[position]
            if found == most:
                return indices[:first], until[:first], query, measured
            if found == indices.size:
                indices, until = doubled(indices, until)
            indices[found], until[found] = tree.order[position], ended
            found += 1
        counts[query] = found - first
        before, first = first, found
    return indices[:found], until[:found], queries.shape[0], measured


@compiled
def _nearest_lasting(
    tree: KdTree,
    lifetimes: Floats,
    longest: Floats,
    ended: float,
    known: int,
    queries: Floats,
    query: int,
    power: Power,
    stack: Indices,
    bounds: Floats,
) -> tuple[int, int]:
    """Find the position of the nearest point, by (distance, original index), that lives longer than
    ``ended``; there must be one.

    ``known`` is the position of such a point, or -1. Returns the position and the number of
    distances measured.
    """
    inner = (1 << tree.depth) - 1
    best, best_distance, best_index, limit = -1, np.inf, tree.points.shape[0], np.inf
    measured = 0
    if known >= 0:
        best = known
        best_distance = root(point_gap(tree.points, known, queries, query, power), power)
        best_index = tree.order[known]
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
            if lifetimes[position] <= ended:
                continue
            measured += 1
            gap = point_gap(tree.points, position, queries, query, power)
            if gap <= limit:
                distance = root(gap, power)
                if distance < best_distance or (
                    distance == best_distance and tree.order[position] < best_index
                ):
                    best, best_distance, best_index = position, distance, tree.order[position]
                    limit = largest_gap(distance, power)
    return best, measured


@compiled
def records_in_block(
    block: Floats, order: Indices, lifetimes: Floats, counts: Indices
) -> tuple[Indices, Floats]:
    """Find the records of each row of a block of distances whose columns are sorted by decreasing
    lifetime.

    From the longest lifetime on, an object is a record if it is nearer than all before it.
    ``order`` has the original indices of the columns, ``counts`` receives the number of records of
    each row.
    """
    n_rows, n = block.shape
    chosen = np.empty(n, dtype=np.int32)
    indices, until = np.empty(64, dtype=np.intp), np.empty(64)
    found = 0
    for row in range(n_rows):
        size = _record_columns(block[row], order, lifetimes, chosen)
        while found + size > indices.size:
            indices, until = doubled(indices, until)
        for place in range(size):
            column = chosen[size - 1 - place]
            indices[found + place], until[found + place] = order[column], lifetimes[column]
        counts[row] = size
        found += size
    return indices[:found], until[:found]


@compiled
def _record_columns(distances: Floats, order: Indices, lifetimes: Floats, chosen: Codes) -> int:
    """Write the columns of the records of one row to ``chosen``, the longest lifetime first; return
    their number.
    """
    nearest, index, size = np.inf, distances.size, 0
    for column in range(distances.size):
        if distances[column] > nearest or (distances[column] == nearest and order[column] > index):
            continue
        nearest, index = distances[column], order[column]
        if size and lifetimes[chosen[size - 1]] == lifetimes[column]:
            size -= 1  # an object with the same lifetime is nearer
        chosen[size] = column
        size += 1
    return size


@compiled
def update_and_find_worst(
    distances: Floats,
    codes: Indices,
    picked: int,
    stretch: float,
    margin: float,
    own: Floats,
    other: Floats,
) -> int:
    """Take the distances from a newly picked object into account, and find the object that is most
    wrong now, -1 if none is: ``stretch * own - other + margin >= 0``.

    ``own`` and ``other``, the distances to the nearest picked object of the same class and of
    another one, are changed in place: infinite at first, and minus infinity in ``own`` for the
    picked objects, which are never wrong.
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
