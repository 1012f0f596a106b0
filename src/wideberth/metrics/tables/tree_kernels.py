"""Compiled loops that grow randomised trees on rows, drop rows through them, and compare leaves.

A tree is cut into nodes, the root first and children behind their parent. A node is the column that
it asks for, -1 in a leaf, where it cuts that column, and its two children. Rows of a column are
ranks, 0 for the least value of the sample, -1 for a missing one.

Random numbers are those of Lehmer's generator (Park & Miller 1988), whose products stay below 2^53:
compiled and in Python, and on every machine, a seed gives the same tree.
"""

import numpy as np
from numpy.typing import NDArray

from wideberth.array_types import Floats
from wideberth.compilation import compiled

Ranks = NDArray[np.int32]
Leaves = NDArray[np.uint16]

#: The generator: its next state is _FACTOR times the state modulo _PRIME.
_PRIME, _FACTOR = 2_147_483_647, 48_271


@compiled
def grow_tree(
    ranks: Ranks,
    codes: NDArray[np.int64],
    weights: Floats,
    n_classes: int,
    n_tried: int,
    least: int,
    seed: int,
    columns: NDArray[np.int32],
    cuts: Ranks,
    shares: Floats,
    missing_left: NDArray[np.bool_],
    children: Ranks,
) -> int:
    """Grow one tree (Geurts, Ernst & Wehenkel 2006) into the last five arrays, which have room for
    2 n - 1 nodes of n rows, and return the number of its nodes.

    A node tries so many columns in which its rows differ, each with one cut drawn at random, and
    takes the one with the largest sum of :math:`\\sum_c w_c^2 / w` over both sides, which is that of
    Gini's index. Both sides have ``least`` rows or more. Ranks up to the cut go left; ``shares`` is
    a random number that says where the cut is between the two values. Rows without a value go to a
    side drawn at random, where the node has such rows, and with the majority elsewhere. With one
    class nothing is compared, and nodes are cut until they are too small.

    Examples
    --------
    >>> ranks, codes = np.array([[0, 1, 2, 3]], dtype=np.int32), np.array([0, 0, 1, 1])
    >>> nodes = [np.zeros(7, dtype=np.int32), np.zeros(7, dtype=np.int32), np.zeros(7)]
    >>> sides, children = np.zeros(7, dtype=np.bool_), np.zeros((7, 2), dtype=np.int32)
    >>> grow_tree(ranks, codes, np.ones(4), 2, 1, 2, 7, *nodes, sides, children), nodes[0][:3]
    (3, array([ 0, -1, -1], dtype=int32))
    """
    n_columns, n = ranks.shape
    state = seed
    rows = np.arange(n)
    order = np.arange(n_columns)
    totals, left = np.zeros(n_classes), np.zeros(n_classes)
    starts, stops = np.zeros(2 * n, dtype=np.int64), np.zeros(2 * n, dtype=np.int64)
    stops[0], count, node = n, 1, 0
    while node < count:
        start, stop = starts[node], stops[node]
        columns[node] = -1
        totals[:] = 0.0
        for place in range(start, stop):
            totals[codes[rows[place]]] += weights[rows[place]]
        weight, mixed = 0.0, 0
        for total in totals:
            weight += total
            mixed += 1 if total > 0 else 0
        if stop - start < 2 * least or (n_classes > 1 and mixed < 2):
            node += 1
            continue
        best, tried, drawn = -1.0, 0, 0
        while tried < n_tried and drawn < n_columns:
            state = state * _FACTOR % _PRIME
            other = drawn + state % (n_columns - drawn)
            column = order[other]
            order[other] = order[drawn]
            order[drawn] = column
            drawn += 1
            lowest, highest, missing = _PRIME, -1, 0
            for place in range(start, stop):
                rank = ranks[column, rows[place]]
                if rank < 0:
                    missing += 1
                else:
                    lowest, highest = min(lowest, rank), max(highest, rank)
            # where rows miss a value, a cut may also set them apart from all others
            choices = highest - lowest + (1 if missing else 0)
            if highest < 0 or choices < 1:
                continue
            tried += 1
            state = state * _FACTOR % _PRIME
            drawn_share = state / _PRIME * choices
            cut = lowest + int(drawn_share)
            state = state * _FACTOR % _PRIME
            goes_left = missing > 0 and cut < highest and state % 2 == 0
            left[:] = 0.0
            n_left = 0
            for place in range(start, stop):
                row = rows[place]
                rank = ranks[column, row]
                if goes_left if rank < 0 else rank <= cut:
                    left[codes[row]] += weights[row]
                    n_left += 1
            if n_left < least or stop - start - n_left < least:
                continue
            weight_left, score, score_right = 0.0, 0.0, 0.0
            for code in range(n_classes):
                weight_left += left[code]
                score += left[code] * left[code]
                score_right += (totals[code] - left[code]) * (totals[code] - left[code])
            score = score / weight_left + score_right / (weight - weight_left)
            if score > best:
                best = score
                columns[node], cuts[node] = column, cut
                shares[node] = drawn_share - int(drawn_share)
                missing_left[node] = goes_left if missing else 2 * n_left > stop - start
        if columns[node] >= 0:
            # rows that go left first
            middle, last = start, stop - 1
            while middle <= last:
                rank = ranks[columns[node], rows[middle]]
                if missing_left[node] if rank < 0 else rank <= cuts[node]:
                    middle += 1
                else:
                    row = rows[middle]
                    rows[middle] = rows[last]
                    rows[last] = row
                    last -= 1
            children[node, 0], children[node, 1] = count, count + 1
            starts[count], stops[count] = start, middle
            starts[count + 1], stops[count + 1] = middle, stop
            count += 2
        node += 1
    return count


@compiled
def drop_rows(
    values: Floats,
    starts: NDArray[np.int64],
    columns: NDArray[np.int32],
    thresholds: Floats,
    missing_left: NDArray[np.bool_],
    children: Ranks,
    numbers: Leaves,
) -> Leaves:
    """The number of the leaf in which each row ends in each tree, shape (n, trees).

    ``values`` has a row for each row, NaN where a value is missing. Trees follow each other, from
    ``starts[t]`` to ``starts[t + 1]``; children are counted from the root of their tree.

    Examples
    --------
    >>> tree = np.array([0, -1, -1], dtype=np.int32), np.array([2.5, 0, 0]), np.ones(3, dtype=bool)
    >>> children, numbers = np.array([[1, 2], [0, 0], [0, 0]], np.int32), np.arange(3, dtype="u2")
    >>> drop_rows(np.array([[2.0], [3.0]]), np.array([0, 3]), *tree, children, numbers).tolist()
    [[1], [2]]
    """
    n, n_trees = len(values), len(starts) - 1
    leaves = np.empty((n, n_trees), dtype=np.uint16)
    for row in range(n):
        for tree in range(n_trees):
            root = starts[tree]
            node = root
            while columns[node] >= 0:
                value = values[row, columns[node]]
                left = missing_left[node] if np.isnan(value) else value <= thresholds[node]
                node = root + children[node, 0 if left else 1]
            leaves[row, tree] = numbers[node]
    return leaves


@compiled
def differing_leaves(left: Leaves, right: Leaves) -> Floats:
    """The share of trees in which two rows end in different leaves, shape (left, right).

    Examples
    --------
    >>> one, other = np.array([[1, 2]], dtype=np.uint16), np.array([[1, 3]], dtype=np.uint16)
    >>> differing_leaves(one, other)
    array([[0.5]])
    """
    n_trees = left.shape[1]
    out = np.empty((len(left), len(right)))
    for i in range(len(left)):
        for j in range(len(right)):
            differing = 0
            for tree in range(n_trees):
                differing += left[i, tree] != right[j, tree]
            out[i, j] = differing / n_trees
    return out
