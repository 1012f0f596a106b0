"""Compiled blocks of edit distances between trees (Zhang & Shasha 1989) and of Hausdorff distances between sets of points.

Positions in all arrays are unsigned, which spares the processor the question whether an index counts from the end: for trees, a
third of the time.

Trees are flat: tree t is ``labels[starts[t]:starts[t + 1]]`` and ``n_children`` likewise, in postorder. The nodes of a tree are
numbered in postorder, so a subtree is a run of nodes from its leftmost leaf, its *first* node, to its root, and what a run holds
besides whole subtrees never has to be looked at. A *keyroot* is a root or a node with a left sibling: the subtree of every other
node begins where a keyroot's does. For each pair of keyroots a table of the distances between all runs from their first nodes is
filled; where two runs are subtrees, the distance goes into the table of trees, and later tables read it there. Tables have one
line for each node and one before the first, so that line ``x`` ends before node ``x``.

The mirror images of two trees are as far apart as the trees, and may need far smaller tables: each pair is measured from the
cheaper side.

Points are flat: coordinate k of point i is ``points[i * dimension + k]``. The distance from a set to another is that of its most
remote point, so the search for a point's neighbor may stop at the first one that is no farther than the most remote point so far
(Taha & Hanbury 2015). It starts at the neighbor of the point before, which mostly stops it at once where points come in some
order, as along a contour. The way back starts with what the way there has found.
"""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from wideberth.arrays import Floats, Integers

Positions = NDArray[np.uint32]
Costs = NDArray[np.int32]
Position = int | np.uint64

#: A step to the next position, which stays unsigned.
ONE = np.uint64(1)
#: Numbers for the ground distances of points.
MANHATTAN, EUCLIDEAN, CHEBYSHEV = 1, 2, 3


class Decomposition(NamedTuple):
    """Trees seen from one side: the labels in postorder, the first node of each subtree, the keyroots in increasing order.

    Nodes are numbered within their tree. ``n_keyroots`` and ``cells``, the size of all their subtrees, are for each tree.
    """

    labels: Integers
    first: Positions
    keyroots: Positions
    n_keyroots: Integers
    cells: Integers


@njit(nogil=True, cache=True)
def tree_edit_block(
    left_labels: Integers,
    left_children: Integers,
    left_starts: Integers,
    right_labels: Integers,
    right_children: Integers,
    right_starts: Integers,
) -> Floats:
    """The edit distances of all pairs of trees, none of them empty."""
    from_left = _decompose(left_labels, left_children, left_starts, False)
    mirrored_left = _decompose(left_labels, left_children, left_starts, True)
    from_right = _decompose(right_labels, right_children, right_starts, False)
    mirrored_right = _decompose(right_labels, right_children, right_starts, True)
    distances = np.empty((left_starts.size - 1, right_starts.size - 1))
    n, m = _largest_tree(left_starts), _largest_tree(right_starts)
    trees = np.empty(n * m, dtype=np.int32)
    runs = np.empty((n + 1) * (m + 1), dtype=np.int32)
    for s in range(distances.shape[0]):
        for t in range(distances.shape[1]):
            a, b = from_left, from_right
            if mirrored_left.cells[s] * mirrored_right.cells[t] < a.cells[s] * b.cells[t]:
                a, b = mirrored_left, mirrored_right
            distances[s, t] = _tree_distance(a, s, left_starts, b, t, right_starts, trees, runs)
    return distances


@njit(nogil=True, cache=True)
def _decompose(labels: Integers, n_children: Integers, starts: Integers, mirrored: bool) -> Decomposition:
    """The trees as they are, or their mirror images."""
    new_labels = np.empty(labels.size, dtype=np.int64)
    first = np.empty(labels.size, dtype=np.uint32)
    keyroots = np.empty(labels.size, dtype=np.uint32)
    n_keyroots = np.zeros(starts.size - 1, dtype=np.int64)
    cells = np.zeros(starts.size - 1, dtype=np.int64)
    largest = _largest_tree(starts)
    sizes = np.empty(largest, dtype=np.int64)
    depths = np.empty(largest, dtype=np.int64)
    for t in range(starts.size - 1):
        start = starts[t]
        n = starts[t + 1] - start
        _measure_subtrees(n_children, start, n, sizes, depths)
        for node in range(n):
            # In preorder a node comes as much earlier as it has descendants, and later as it has ancestors; the postorder of
            # the mirror image is the preorder backwards.
            place = n - 1 - (node - (sizes[node] - 1) + depths[node]) if mirrored else node
            new_labels[start + place] = labels[start + node]
            first[start + place] = place - (sizes[node] - 1)
        last = depths  # of no more use: now the last node whose subtree begins at a node
        for node in range(n):
            last[first[start + node]] = node
        for node in range(n):
            if last[first[start + node]] == node:
                keyroots[start + n_keyroots[t]] = node
                n_keyroots[t] += 1
                cells[t] += node - np.int64(first[start + node]) + 1
    return Decomposition(new_labels, first, keyroots, n_keyroots, cells)


@njit(nogil=True, cache=True)
def _measure_subtrees(n_children: Integers, start: int, n: int, sizes: Integers, depths: Integers) -> None:
    """Fill the size of the subtree of each of the n nodes of a tree, and its number of ancestors."""
    for node in range(n):
        sizes[node] = 1
        child = node - 1
        for _ in range(n_children[start + node]):
            sizes[node] += sizes[child]
            child -= sizes[child]
    depths[n - 1] = 0
    for node in range(n - 1, -1, -1):
        child = node - 1
        for _ in range(n_children[start + node]):
            depths[child] = depths[node] + 1
            child -= sizes[child]


@njit(nogil=True, cache=True)
def _largest_tree(starts: Integers) -> int:
    """The number of nodes of the largest tree; 0 in an empty sample."""
    largest = 0
    for t in range(starts.size - 1):
        largest = max(largest, starts[t + 1] - starts[t])
    return largest


@njit(nogil=True, cache=True)
def _tree_distance(
    a: Decomposition, s: int, a_starts: Integers, b: Decomposition, t: int, b_starts: Integers, trees: Costs, runs: Costs
) -> int:
    """The distance of tree s and tree t; ``trees`` and ``runs`` are room for the tables."""
    a_start, n = np.uint64(a_starts[s]), np.uint64(a_starts[s + 1] - a_starts[s])
    b_start, m = np.uint64(b_starts[t]), np.uint64(b_starts[t + 1] - b_starts[t])
    a_keyroots, b_keyroots = np.uint64(a.n_keyroots[s]), np.uint64(b.n_keyroots[t])
    for number in range(b_keyroots):
        j = b.keyroots[b_start + number]
        if b.first[b_start + j] == j:
            _fill_leaf(b.labels[b_start + j], a.labels, a.first, a_start, n, trees, j, m)
    for number in range(a_keyroots):
        i = a.keyroots[a_start + number]
        if a.first[a_start + i] == i:
            _fill_leaf(a.labels[a_start + i], b.labels, b.first, b_start, m, trees, i * m, ONE)
            continue
        for other in range(b_keyroots):
            j = b.keyroots[b_start + other]
            if b.first[b_start + j] != j:
                _fill_runs(a.labels, a.first, a_start, i, b.labels, b.first, b_start, j, m, trees, runs)
    return trees[n * m - ONE]  # type: ignore[no-any-return]


@njit(nogil=True, cache=True, inline="always")
def _fill_leaf(
    label: int, labels: Integers, first: Positions, start: Position, n: Position, trees: Costs, cell: Position, step: Position
) -> None:
    """The distances of a leaf from every subtree of the other tree: all its nodes must go but one, if it has the label."""
    last = np.int64(-1)  # the last node with the label
    for node in range(n):
        if labels[start + node] == label:
            last = np.int64(node)
        begin = np.int64(first[start + node])
        trees[cell] = np.int64(node) - begin + 1 - (last >= begin)
        cell += step


@njit(nogil=True, cache=True, inline="always")
def _fill_runs(
    a_labels: Integers,
    a_first: Positions,
    a_start: Position,
    i: Position,
    b_labels: Integers,
    b_first: Positions,
    b_start: Position,
    j: Position,
    m: Position,
    trees: Costs,
    runs: Costs,
) -> None:
    """The distances of all runs from the first nodes of the keyroots i and j, and of the subtrees among them.

    The last nodes of two runs are both kept, and matched with all that is below them, or one of them goes.
    """
    i_first, j_first = a_first[a_start + i], b_first[b_start + j]
    width = m + ONE
    for y in range(j_first, j + ONE + ONE):
        runs[i_first * width + y] = np.int64(y) - np.int64(j_first)
    for x in range(i_first, i + ONE):
        above, line, here = x * width, (x + ONE) * width, x * m
        before = a_first[a_start + x] * width  # the line of the run that ends before the subtree of x
        cost = np.int64(x) - np.int64(i_first) + 1
        runs[line + j_first] = cost
        if a_first[a_start + x] == i_first:
            label = a_labels[a_start + x]
            for y in range(j_first, j + ONE):
                y_first = b_first[b_start + y]
                without_x = np.int64(runs[above + y + ONE]) + 1
                if y_first == j_first:
                    cost = min(cost + 1, min(without_x, runs[above + y] + (label != b_labels[b_start + y])))
                    trees[here + y] = cost
                else:
                    cost = min(cost + 1, min(without_x, runs[before + y_first] + trees[here + y]))
                runs[line + y + ONE] = cost
        else:
            for y in range(j_first, j + ONE):
                without_x = np.int64(runs[above + y + ONE]) + 1
                cost = min(cost + 1, min(without_x, runs[before + b_first[b_start + y]] + trees[here + y]))
                runs[line + y + ONE] = cost


@njit(nogil=True, cache=True)
def hausdorff_block(
    left: Floats, left_starts: Integers, right: Floats, right_starts: Integers, dimension: int, ground: int
) -> Floats:
    """The distances of all pairs of sets, none of them empty: set s has the points ``starts[s]`` to ``starts[s + 1]``."""
    distances = np.empty((left_starts.size - 1, right_starts.size - 1))
    size = np.uint64(dimension)
    for s in range(distances.shape[0]):
        first, stop = np.uint64(left_starts[s]) * size, np.uint64(left_starts[s + 1]) * size
        for t in range(distances.shape[1]):
            begin, end = np.uint64(right_starts[t]) * size, np.uint64(right_starts[t + 1]) * size
            there = _most_remote(left, first, stop, right, begin, end, size, ground, 0.0)
            both = _most_remote(right, begin, end, left, first, stop, size, ground, there)
            distances[s, t] = np.sqrt(both) if ground == EUCLIDEAN else both
    return distances


@njit(nogil=True, cache=True)
def _most_remote(
    x: Floats,
    x_first: Position,
    x_stop: Position,
    y: Floats,
    y_first: Position,
    y_stop: Position,
    size: Position,
    ground: int,
    remote: float,
) -> float:
    """How far the most remote point of x is from its neighbor in y, or ``remote`` if that is more."""
    count = (y_stop - y_first) // size
    neighbor = y_first
    for here in range(x_first, x_stop, size):
        nearest = np.inf
        there = neighbor
        for _ in range(count):
            gap = _point_gap(x, here, y, there, size, ground)
            if gap < nearest:
                nearest = gap
                neighbor = there
                if gap <= remote:
                    break
            there += size
            if there == y_stop:
                there = y_first
        remote = max(remote, nearest)
    return remote


@njit(nogil=True, cache=True, inline="always")
def _point_gap(x: Floats, here: Position, y: Floats, there: Position, size: Position, ground: int) -> float:
    """The ground distance of two points, squared if it is Euclidean."""
    gap = 0.0
    if ground == EUCLIDEAN:
        for k in range(size):
            gap += (x[here + k] - y[there + k]) ** 2
    elif ground == MANHATTAN:
        for k in range(size):
            gap += abs(x[here + k] - y[there + k])
    else:
        for k in range(size):
            gap = max(gap, abs(x[here + k] - y[there + k]))
    return gap
