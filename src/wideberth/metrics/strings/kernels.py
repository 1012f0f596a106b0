"""Compiled blocks of edit distances: normalised by lengths, or with costs by token.

With costs by token, one row of the table of best costs after the other is filled, for a group of right sequences at once: their
tokens, and the cells of their rows, lie side by side in memory, `LANES` numbers for each position, so the processor fills several
cells at a time although each waits for the one before it. Shorter sequences of a group are filled up at the end; what comes after
their last token does not change the cell at it.
"""

import numpy as np
from numba import njit

from wideberth.arrays import Floats, Integers

#: Sequences in a group: a multiple of what the processor adds at a time, and more, because a sum takes some time to be there.
LANES = 16


@njit(nogil=True, cache=True)
def divide_by_lengths(distances: Floats, left_lengths: Floats, right_lengths: Floats) -> None:
    """Replace every edit distance d by 2 d / (|x| + |y| + d), and 0 between two empty strings by 0, in place.

    Assumes a matrix with one row for each left and one column for each right length.
    """
    for i in range(distances.shape[0]):
        for j in range(distances.shape[1]):
            edits = distances[i, j]
            if edits > 0:
                distances[i, j] = 2 * edits / (left_lengths[i] + right_lengths[j] + edits)


@njit(nogil=True, cache=True)
def weighted_edit_block(
    left: Integers,
    left_starts: Integers,
    right: Integers,
    right_starts: Integers,
    right_order: Integers,
    class_of: Integers,
    substitutions: Floats,
    gaps: Floats,
    out: Floats,
) -> None:
    """Fill ``out[i, j]`` with the cost of turning left sequence i into right sequence j.

    Assumes sequences i ``numbers[starts[i]:starts[i + 1]]``, numbers on both sides that mean the same tokens and index
    ``class_of``, whose classes index the costs, and in ``right_order`` the right sequences from short to long, at least one.
    """
    slot_of, classes = _classes_in(left, class_of, gaps.size)
    longest = right_starts[right_order[-1] + 1] - right_starts[right_order[-1]]
    tokens = np.empty(longest * LANES, dtype=np.int64)
    token_gaps = np.empty(longest * LANES)
    costs = np.empty((classes.size, longest * LANES))
    rows = np.empty((2, (longest + 1) * LANES))
    for first in range(0, right_order.size, LANES):
        group = right_order[first : first + LANES]
        height = right_starts[group[-1] + 1] - right_starts[group[-1]]
        _lay_out(group, height, right, right_starts, class_of, gaps, tokens, token_gaps)
        _look_up(tokens[: height * LANES], class_of, classes, substitutions, costs)
        for i in range(left_starts.size - 1):
            last = _last_row(
                left[left_starts[i] : left_starts[i + 1]],
                tokens[: height * LANES],
                token_gaps,
                costs,
                class_of,
                slot_of,
                gaps,
                rows,
            )
            for lane in range(group.size):
                length = right_starts[group[lane] + 1] - right_starts[group[lane]]
                out[i, group[lane]] = last[length * LANES + lane]


@njit(nogil=True, cache=True)
def _classes_in(left: Integers, class_of: Integers, n_classes: int) -> tuple[Integers, Integers]:
    """The classes that occur, and the position of each among them."""
    slot_of = np.full(n_classes, -1, dtype=np.int64)
    classes = np.empty(n_classes, dtype=np.int64)
    found = 0
    for number in left:
        each = class_of[number]
        if slot_of[each] < 0:
            slot_of[each] = found
            classes[found] = each
            found += 1
    return slot_of, classes[:found]


@njit(nogil=True, cache=True)
def _lay_out(
    group: Integers,
    height: int,
    right: Integers,
    right_starts: Integers,
    class_of: Integers,
    gaps: Floats,
    tokens: Integers,
    token_gaps: Floats,
) -> None:
    """Fill in the tokens of a group of sequences and the costs of their gaps; -1 and 0 after the end of one."""
    for lane in range(LANES):
        length = 0
        if lane < group.size:
            first = right_starts[group[lane]]
            length = right_starts[group[lane] + 1] - first
            for position in range(length):
                number = right[first + position]
                tokens[position * LANES + lane] = number
                token_gaps[position * LANES + lane] = gaps[class_of[number]]
        for position in range(length, height):
            tokens[position * LANES + lane] = -1
            token_gaps[position * LANES + lane] = 0.0


@njit(nogil=True, cache=True)
def _look_up(tokens: Integers, class_of: Integers, classes: Integers, substitutions: Floats, costs: Floats) -> None:
    """Fill ``costs[k]`` with what it costs to substitute each token for another one of class ``classes[k]``."""
    for position in range(tokens.size):
        number = tokens[position]
        for slot in range(classes.size):
            costs[slot, position] = substitutions[classes[slot], class_of[number]] if number >= 0 else 0.0


@njit(nogil=True, cache=True)
def _last_row(
    x: Integers,
    tokens: Integers,
    token_gaps: Floats,
    costs: Floats,
    class_of: Integers,
    slot_of: Integers,
    gaps: Floats,
    rows: Floats,
) -> Floats:
    """The costs of turning the whole of ``x`` into every beginning of every sequence of the group."""
    before, current = rows[0], rows[1]
    current[:LANES] = 0.0
    for p in range(tokens.size):
        current[p + LANES] = current[p] + token_gaps[p]
    for number in x:
        before, current = current, before
        gap = gaps[class_of[number]]
        for lane in range(LANES):
            current[lane] = before[lane] + gap
        _fill_row(number, gap, costs[slot_of[class_of[number]]], tokens, token_gaps, before, current)
    return current  # type: ignore[no-any-return]


@njit(nogil=True, cache=True, inline="always")
def _fill_row(
    number: int, gap: float, costs: Floats, tokens: Integers, token_gaps: Floats, before: Floats, current: Floats
) -> None:
    """The recurrence of `WeightedEdit` along one row; inlined by force, like what runs along the diagonals of series."""
    for p in range(tokens.size):
        cost = costs[p]
        replace = before[p] + (cost if tokens[p] != number else 0.0)
        delete = before[p + LANES] + gap
        insert = current[p] + token_gaps[p]
        lesser = delete if delete < insert else insert
        current[p + LANES] = replace if replace < lesser else lesser
