"""Compiled blocks of edit distances between trees (Zhang & Shasha 1989) and of Hausdorff distances
between sets of points.

Positions in all arrays are unsigned. The processor then need not test whether an index counts from
the end, which takes a third of the time for trees.

Trees are flat: tree t is ``labels[starts[t]:starts[t + 1]]`` and ``n_children`` likewise, in
postorder. The nodes of a tree are numbered in postorder, so that a subtree consists of consecutive
nodes from its leftmost leaf, its *first* node, to its root. A *forest* here is any sequence of
consecutive nodes that begins at a first node. A *keyroot* is a root or a node with a left sibling:
the subtree of every other node begins where the subtree of a keyroot does. For each pair of
keyroots a table is filled with the distances between all forests from their first nodes; where two
forests are subtrees, their distance is also written to the table of trees, from which later tables
read it. Tables have one line for each node and one before the first, so that line ``x`` belongs to
the forest that ends before node ``x``.

The mirror images of two trees are as far apart as the trees, and may need far smaller tables: each
pair is measured from the cheaper side.

Points are flat: coordinate k of point i is ``points[i * dimension + k]``. The distance from one set
to another is that of its most distant point. The search for the nearest neighbour of a point may
therefore stop at the first one that is no farther than the most distant point so far (Taha &
Hanbury 2015). It starts at the neighbour of the previous point, which usually stops it immediately
if points come in some order, as along a contour. The search in the other direction starts with the
largest distance found in the first.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wideberth.array_types import Floats, Integers
from wideberth.compilation import compiled

Positions = NDArray[np.uint32]
Costs = NDArray[np.int32]
Position = int | np.uint64

#: A step to the next position, which stays unsigned.
ONE = np.uint64(1)
#: Numbers for the ground distances of points.
MANHATTAN, EUCLIDEAN, CHEBYSHEV = 1, 2, 3


class Decomposition(NamedTuple):
    """Trees read from one side, from left to right or mirrored. The keyroots of a tree are where
    its nodes are, in increasing order; ``cells`` has the sum of the sizes of their subtrees, and
    the product of two is the number of cells of all tables.

    Nodes are numbered within their tree, in postorder.
    """

    labels: Integers
    first: Positions
    keyroots: Positions
    n_keyroots: Integers
    cells: Integers


@compiled
def tree_edit_block(
    left_labels: Integers,
    left_children: Integers,
    left_starts: Integers,
    right_labels: Integers,
    right_children: Integers,
    right_starts: Integers,
) -> Floats:
    """Compute the edit distances of all pairs of trees.

    Labels are numbered alike on both sides.

    Each pair takes a time proportional to the product of the ``cells`` of both trees. Nothing is
    checked: every tree has a node, and the numbers of children describe a tree.

    Examples
    --------
    >>> leaf = np.array([7]), np.array([0]), np.array([0, 1])
    >>> two_leaves = np.array([7, 8, 9]), np.array([0, 0, 2]), np.array([0, 3])
    >>> tree_edit_block(*leaf, *two_leaves)  # insert two nodes around the leaf 7
    array([[2.]])
    """
    from_left = _decompose(left_labels, left_children, left_starts, False)
    mirrored_left = _decompose(left_labels, left_children, left_starts, True)
    from_right = _decompose(right_labels, right_children, right_starts, False)
    mirrored_right = _decompose(right_labels, right_children, right_starts, True)
    distances = np.empty((left_starts.size - 1, right_starts.size - 1))
    n, m = _largest_tree(left_starts), _largest_tree(right_starts)
    trees = np.empty(n * m, dtype=np.int32)
    forests = np.empty((n + 1) * (m + 1), dtype=np.int32)
    for s in range(distances.shape[0]):
        for t in range(distances.shape[1]):
            a, b = from_left, from_right
            if mirrored_left.cells[s] * mirrored_right.cells[t] < a.cells[s] * b.cells[t]:
                a, b = mirrored_left, mirrored_right
            distances[s, t] = _tree_distance(a, s, left_starts, b, t, right_starts, trees, forests)
    return distances


@compiled
def _decompose(
    labels: Integers, n_children: Integers, starts: Integers, mirrored: bool
) -> Decomposition:
    """Find first nodes and keyroots of the trees as they are, or of their mirror images."""
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
            # In preorder a node comes as much earlier as it has descendants, and later as it has
            # ancestors; the postorder of the mirror image is the preorder backwards.
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


@compiled
def _measure_subtrees(
    n_children: Integers, start: int, n: int, sizes: Integers, depths: Integers
) -> None:
    """Fill in the ``sizes`` of the subtrees of the n nodes of a tree, and their ``depths``, the
    numbers of ancestors.
    """
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


@compiled
def _largest_tree(starts: Integers) -> int:
    """The number of nodes of the largest tree; 0 in an empty sample."""
    largest = 0
    for t in range(starts.size - 1):
        largest = max(largest, starts[t + 1] - starts[t])
    return largest


@compiled
def _tree_distance(
    a: Decomposition,
    s: int,
    a_starts: Integers,
    b: Decomposition,
    t: int,
    b_starts: Integers,
    trees: Costs,
    forests: Costs,
) -> int:
    """The distance between tree s of a and tree t of b; ``trees`` and ``forests`` are memory for
    the tables.

    ``trees[x * m + y]`` is the distance between the subtrees of node x and node y, of m nodes in
    tree t. Keyroots that are leaves need no table of forests.
    """
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
                _fill_forests(
                    a.labels, a.first, a_start, i, b.labels, b.first, b_start, j, m, trees, forests
                )
    return trees[n * m - ONE]  # type: ignore[no-any-return]


@compiled(inline="always")
def _fill_leaf(
    label: int,
    labels: Integers,
    first: Positions,
    start: Position,
    n: Position,
    trees: Costs,
    cell: Position,
    step: Position,
) -> None:
    """Fill in the distances between a leaf and every subtree of the other tree.

    All nodes of the subtree must be deleted but one, which is renamed unless the subtree contains
    the label. The distances go to ``trees[cell]``, ``trees[cell + step]`` and so on.
    """
    last = np.int64(-1)  # the last node with the label
    for node in range(n):
        if labels[start + node] == label:
            last = np.int64(node)
        begin = np.int64(first[start + node])
        trees[cell] = np.int64(node) - begin + 1 - (last >= begin)
        cell += step


@compiled(inline="always")
def _fill_forests(
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
    forests: Costs,
) -> None:
    """Fill in the distances of all forests from the first nodes of the keyroots i and j, and of the
    subtrees among them.

    Either the last nodes of both forests are matched, together with everything below them, or one
    of them is deleted: the cheapest of the three cases counts. ``a_start`` and ``b_start`` are
    where the trees begin in the flat arrays, m is the number of nodes of the second tree.
    """
    i_first, j_first = a_first[a_start + i], b_first[b_start + j]
    width = m + ONE
    for y in range(j_first, j + ONE + ONE):
        forests[i_first * width + y] = np.int64(y) - np.int64(j_first)
    for x in range(i_first, i + ONE):
        above, line, here = x * width, (x + ONE) * width, x * m
        # the line of the run that ends before the subtree of x
        before = a_first[a_start + x] * width
        cost = np.int64(x) - np.int64(i_first) + 1
        forests[line + j_first] = cost
        if a_first[a_start + x] == i_first:
            label = a_labels[a_start + x]
            for y in range(j_first, j + ONE):
                y_first = b_first[b_start + y]
                without_x = np.int64(forests[above + y + ONE]) + 1
                if y_first == j_first:
                    cost = min(
                        cost + 1,
                        min(without_x, forests[above + y] + (label != b_labels[b_start + y])),
                    )
                    trees[here + y] = cost
                else:
                    cost = min(
                        cost + 1, min(without_x, forests[before + y_first] + trees[here + y])
                    )
                forests[line + y + ONE] = cost
        else:
            for y in range(j_first, j + ONE):
                without_x = np.int64(forests[above + y + ONE]) + 1
                cost = min(
                    cost + 1,
                    min(without_x, forests[before + b_first[b_start + y]] + trees[here + y]),
                )
                forests[line + y + ONE] = cost


@compiled
def hausdorff_block(
    left: Floats,
    left_starts: Integers,
    right: Floats,
    right_starts: Integers,
    dimension: int,
    ground: int,
) -> Floats:
    """Compute the Hausdorff distances of all pairs of sets.

    A pair takes at most a time proportional to the product of the numbers of points, usually far
    less. Nothing is checked: no set is empty, and all coordinates are finite.

    Examples
    --------
    >>> hausdorff_block(
    ...     np.array([0.0, 1.0]),
    ...     np.array([0, 2]),
    ...     np.array([0.0, 5.0]),
    ...     np.array([0, 2]),
    ...     1,
    ...     EUCLIDEAN,
    ... )
    array([[4.]])
    """
    distances = np.empty((left_starts.size - 1, right_starts.size - 1))
    size = np.uint64(dimension)
    for s in range(distances.shape[0]):
        first, stop = np.uint64(left_starts[s]) * size, np.uint64(left_starts[s + 1]) * size
        for t in range(distances.shape[1]):
            begin, end = np.uint64(right_starts[t]) * size, np.uint64(right_starts[t + 1]) * size
            there = _directed_distance(left, first, stop, right, begin, end, size, ground, 0.0)
            both = _directed_distance(right, begin, end, left, first, stop, size, ground, there)
            distances[s, t] = np.sqrt(both) if ground == EUCLIDEAN else both
    return distances


@compiled
def _directed_distance(
    x: Floats,
    x_first: Position,
    x_stop: Position,
    y: Floats,
    y_first: Position,
    y_stop: Position,
    size: Position,
    ground: int,
    largest: float,
) -> float:
    """The distance of the most distant point of x from its nearest neighbour in y, or ``largest``
    if that is more.

    Points begin at ``x_first``, ``x_first + size`` and so on, before ``x_stop``; likewise in y.
    Euclidean distances are squared.
    """
    count = (y_stop - y_first) // size
    nearest_point = y_first
    for here in range(x_first, x_stop, size):
        nearest = np.inf
        there = nearest_point
        for _ in range(count):
            distance = _ground_distance(x, here, y, there, size, ground)
            if distance < nearest:
                nearest = distance
                nearest_point = there
                if distance <= largest:
                    break
            there += size
            if there == y_stop:
                there = y_first
        largest = max(largest, nearest)
    return largest


@compiled(inline="always")
def _ground_distance(
    x: Floats, here: Position, y: Floats, there: Position, size: Position, ground: int
) -> float:
    """The ground distance of the points that begin at ``here`` in x and at ``there`` in y, squared
    if it is Euclidean.
    """
    distance = 0.0
    if ground == EUCLIDEAN:
        for k in range(size):
            distance += (x[here + k] - y[there + k]) ** 2
    elif ground == MANHATTAN:
        for k in range(size):
            distance += abs(x[here + k] - y[there + k])
    else:
        for k in range(size):
            distance = max(distance, abs(x[here + k] - y[there + k]))
    return distance
