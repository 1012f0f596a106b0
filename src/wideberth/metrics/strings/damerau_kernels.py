"""Compiled kernel of the Damerau distance, with swaps of two neighbours between which letters may
be put in or taken out.

Lowrance & Wagner (1975) let two letters change places at the cost of all letters between them in
both strings and 1. Where there are letters between them in both, other edits cost no more: a swap
of ends around p and q letters costs p + q + 1, and to replace the ends and edit the rest costs 2 +
max(p, q), no more if p, q >= 1. So only swaps matter that are neighbours in one of the strings, and
a cell of the table needs what stood where its letters were last equal, by column and by row (Zhao &
Sahni, "String correction using the Damerau-Levenshtein distance", 2019), not a search.

The table is filled for `LANES` right strings at a time, the same cell of each in one go. What
belongs to a column is one *slot* of `SLOT` numbers, its fields one after the other, so that all
that a cell reads lies at fixed distances from what it writes, and the compiler sees that they are
apart.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from wideberth.array_types import Floats, Indices
from wideberth.compilation import compiled

Small = NDArray[np.int16]
#: Strings that are compared with one at a time.
LANES = 32
#: The fields of a slot: the letters of the right strings; the costs of the present row, of the one
#: before it and of the one before that; the cost before the last equal letters in this column; the
#: last row with an equal letter in this column; the cost before the last equal letters in this row,
#: and the last column with one.
_LETTER, _ROW, _OLD, _OLDER, _CORNER, _LAST_ROW, _SIDE, _LAST_COLUMN = (
    np.arange(8) * LANES
).tolist()
SLOT = 8 * LANES
#: Where the slots of the column, of the one before it and of the one before that start in a window.
_HERE, _BEFORE = 2 * SLOT, SLOT
#: Letters of the longest string, so that no cost exceeds 16 bits, and a cost above all others.
LONGEST_IN_LANES, _NEVER = 4_000, np.int16(8_192)
_NONE, _ZERO, _ONE = np.int16(-1), np.int16(0), np.int16(1)


@compiled
def damerau_block(
    left: Small,
    left_starts: Indices,
    right: Small,
    right_starts: Indices,
    right_order: Indices,
    out: Floats,
) -> None:
    """Compute the Damerau distance of each left string from each right string.

    Letters are numbers from 0 on that mean the same on both sides; ``right_order`` sorts the right
    strings from short to long, so that lanes of a group need little padding. No string has more
    than `LONGEST_IN_LANES` letters.

    Examples
    --------
    >>> # CA and ABC; AC
    >>> out, starts = np.empty((1, 2)), np.array([0, 3, 5])
    >>> damerau_block(
    ...     np.array([2, 0], dtype=np.int16),
    ...     np.array([0, 2]),
    ...     np.array([0, 1, 2, 0, 2], dtype=np.int16),
    ...     starts,
    ...     np.array([1, 0]),
    ...     out,
    ... )
    >>> out
    array([[2., 1.]])
    """
    longest = right_starts[right_order[-1] + 1] - right_starts[right_order[-1]]
    slots = np.empty((longest + 2) * SLOT, dtype=np.int16)
    letters = np.empty((longest + 2) * LANES, dtype=np.int16)
    for first in range(0, right_order.size, LANES):
        group = right_order[first : first + LANES]
        height = right_starts[group[-1] + 1] - right_starts[group[-1]]
        letters[: (height + 2) * LANES] = _NONE
        for lane in range(group.size):
            start = right_starts[group[lane]]
            for place in range(right_starts[group[lane] + 1] - start):
                letters[(place + 2) * LANES + lane] = right[start + place]
        for i in range(left_starts.size - 1):
            _fill_table(left[left_starts[i] : left_starts[i + 1]], letters, height, slots)
            for lane in range(group.size):
                size = right_starts[group[lane] + 1] - right_starts[group[lane]]
                out[i, group[lane]] = slots[(size + 1) * SLOT + _ROW + lane]


@compiled
def _fill_table(pattern: Small, letters: Small, height: int, slots: Small) -> None:
    """Fill the rows of the table for a left string, one after the other.

    Slot 0 stands before the table; slot 1 is the column of the empty right string.
    """
    for slot in range(height + 2):
        start, column = slot * SLOT, np.int16(slot - 1)
        for lane in range(LANES):
            slots[start + _LETTER + lane] = letters[slot * LANES + lane]
            slots[start + _ROW + lane] = column if slot > 0 else _NEVER
            slots[start + _OLD + lane] = _NEVER
            slots[start + _OLDER + lane] = _NEVER
            slots[start + _CORNER + lane] = _NEVER
            slots[start + _LAST_ROW + lane] = _NONE
            slots[start + _SIDE + lane] = _NEVER
            slots[start + _LAST_COLUMN + lane] = _NONE
    row = _ZERO
    for letter in pattern:
        row = np.int16(row + _ONE)
        for lane in range(LANES):
            slots[SLOT + _OLDER + lane] = slots[SLOT + _OLD + lane]
            slots[SLOT + _OLD + lane] = slots[SLOT + _ROW + lane]
            slots[SLOT + _ROW + lane] = row
        column = _ZERO
        for slot in range(2, height + 2):
            column = np.int16(column + _ONE)
            _fill_cells(letter, row, column, slots[(slot - 2) * SLOT : (slot + 1) * SLOT])


@compiled(inline="always")
def _fill_cells(letter: Any, row: Any, column: Any, window: Small) -> None:
    """Fill the cells of one row and column in all lanes; ``window`` has the slots of this column
    and of the two before it.

    Everything is cast to 16 bits at once, so that the processor works on as many lanes at a time as
    it has room for.
    """
    for lane in range(LANES):
        equal = window[lane + _HERE + _LETTER] == letter
        up, old = window[lane + _HERE + _ROW], window[lane + _HERE + _OLD]
        left, diagonal = window[lane + _BEFORE + _ROW], window[lane + _BEFORE + _OLD]
        before_diagonal = window[lane + _OLD]
        corner_here, last_row_here = (
            window[lane + _HERE + _CORNER],
            window[lane + _HERE + _LAST_ROW],
        )
        older_before, side_before = (
            window[lane + _BEFORE + _OLDER],
            window[lane + _BEFORE + _SIDE],
        )
        last_column_before = window[lane + _BEFORE + _LAST_COLUMN]
        corner = before_diagonal if equal else corner_here
        side = older_before if equal else side_before
        last_row = row if equal else last_row_here
        last_column = column if equal else last_column_before
        cost = np.int16((left if left < up else up) + _ONE)
        replaced = np.int16(diagonal + (_ZERO if equal else _ONE))
        cost = replaced if replaced < cost else cost
        rows, columns = np.int16(row - last_row), np.int16(column - last_column)
        taking_out = np.int16(corner + rows)
        putting_in = np.int16(side + columns)
        taking_out = taking_out if columns == _ONE else _NEVER
        putting_in = putting_in if rows == _ONE else _NEVER
        swapped = taking_out if taking_out < putting_in else putting_in
        window[lane + _HERE + _OLDER] = old
        window[lane + _HERE + _OLD] = up
        window[lane + _HERE + _CORNER] = corner
        window[lane + _HERE + _LAST_ROW] = last_row
        window[lane + _HERE + _SIDE] = side
        window[lane + _HERE + _LAST_COLUMN] = last_column
        window[lane + _HERE + _ROW] = swapped if swapped < cost else cost
