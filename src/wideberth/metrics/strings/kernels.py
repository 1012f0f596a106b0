"""Compiled kernels of edit distances: normalisation by lengths, and the weighted edit distances
with costs by token.

The weighted edit distance fills a table of least costs row by row. Each cell of a row depends on
the one before it, so a single row cannot be vectorised. Therefore the rows of `LANES` right
sequences, a *group*, are filled together: their tokens and cells are interleaved in memory, `LANES`
numbers for each position, and the processor fills the same position of several sequences at a time.
Shorter sequences of a group are padded at the end, which does not change the cell at their last
token.
"""

import numpy as np

from wideberth.array_types import Floats, Integers
from wideberth.compilation import compiled

#: Sequences in a group: several times the width of the vector registers, to hide the latency of
#: additions.
LANES = 16


@compiled
def divide_by_lengths(distances: Floats, left_lengths: Floats, right_lengths: Floats) -> None:
    """Replace every edit distance d by 2 d / (|x| + |y| + d), in place; 0 stays 0, also between
    empty strings.

    Parameters
    ----------
    distances : ndarray of float64, shape (n, m)
        Edit distances, overwritten by normalised ones.
    left_lengths, right_lengths : ndarray of float64, shapes (n,) and (m,)
        The lengths of the sequences.

    Examples
    --------
    >>> distances = np.array([[2.0, 0.0]])
    >>> divide_by_lengths(distances, np.array([1.0]), np.array([1.0, 1.0]))
    >>> distances
    array([[1., 0.]])
    """
    for i in range(distances.shape[0]):
        for j in range(distances.shape[1]):
            edits = distances[i, j]
            if edits > 0:
                distances[i, j] = 2 * edits / (left_lengths[i] + right_lengths[j] + edits)


@compiled
def weighted_edit_block(
    left: Integers,
    left_starts: Integers,
    right: Integers,
    right_starts: Integers,
    right_order: Integers,
    class_of: Integers,
    substitutions: Floats,
    gaps: Floats,
    opening: float,
    out: Floats,
) -> None:
    """Compute the costs of turning each left sequence into each right sequence.

    Takes time proportional to the product of the two lengths for each pair. The costs of
    substitutions are looked up once for each group of right sequences, not for each cell.

    Parameters
    ----------
    left, right : ndarray of int64
        The tokens of all sequences as numbers, which mean the same tokens on both sides and index
        ``class_of``.
    left_starts, right_starts : ndarray of int64
        Where each sequence begins: sequence i is ``left[left_starts[i]:left_starts[i + 1]]``.
    right_order : ndarray of int64
        The positions of the right sequences from short to long, at least one, so that groups need
        little padding.
    class_of : ndarray of int64
        The class of costs of each token.
    substitutions : ndarray of float64, shape (k, k)
        The cost of substituting a token of one class by a different token of another.
    gaps : ndarray of float64, shape (k,)
        The cost of inserting or deleting a token of each class.
    opening : float
        What each run of insertions or deletions costs beyond its tokens.
    out : ndarray of float64, shape (n_left, n_right)
        Receives the costs.

    Examples
    --------
    >>> tokens, starts, out = (
    ...     np.array([0, 1, 0]),
    ...     np.array([0, 2, 3]),
    ...     np.empty((2, 2)),
    ... )  # the sequences "ab" and "a"
    >>> one_class, costs = np.zeros(2, dtype=np.int64), np.ones((1, 1))
    >>> weighted_edit_block(
    ...     tokens, starts, tokens, starts, np.array([1, 0]), one_class, costs, np.ones(1), 5.0, out
    ... )
    >>> out
    array([[0., 6.],
           [6., 0.]])
    """
    slot_of, classes = _classes_in(left, class_of, gaps.size)
    longest = right_starts[right_order[-1] + 1] - right_starts[right_order[-1]]
    tokens = np.empty(longest * LANES, dtype=np.int64)
    token_gaps = np.empty(longest * LANES)
    costs = np.empty((classes.size, longest * LANES))
    rows = np.empty((4 if opening > 0 else 2, (longest + 1) * LANES))
    for first in range(0, right_order.size, LANES):
        group = right_order[first : first + LANES]
        height = right_starts[group[-1] + 1] - right_starts[group[-1]]
        _interleave(group, height, right, right_starts, class_of, gaps, tokens, token_gaps)
        _look_up_substitutions(tokens[: height * LANES], class_of, classes, substitutions, costs)
        for i in range(left_starts.size - 1):
            x = left[left_starts[i] : left_starts[i + 1]]
            y = tokens[: height * LANES]
            if opening > 0:
                last = _last_affine_row(
                    x, y, token_gaps, costs, class_of, slot_of, gaps, opening, rows
                )
            else:
                last = _last_row(x, y, token_gaps, costs, class_of, slot_of, gaps, rows)
            for lane in range(group.size):
                length = right_starts[group[lane] + 1] - right_starts[group[lane]]
                out[i, group[lane]] = last[length * LANES + lane]


@compiled
def _classes_in(left: Integers, class_of: Integers, n_classes: int) -> tuple[Integers, Integers]:
    """Find the classes of the tokens that occur.

    Returns
    -------
    slot_of : ndarray of int64, shape (n_classes,)
        The position of each class in ``classes``; -1 if it does not occur.
    classes : ndarray of int64
        The classes that occur, in the order of their first token.
    """
    slot_of = np.full(n_classes, -1, dtype=np.int64)
    classes = np.empty(n_classes, dtype=np.int64)
    found = 0
    for number in left:
        token_class = class_of[number]
        if slot_of[token_class] < 0:
            slot_of[token_class] = found
            classes[found] = token_class
            found += 1
    return slot_of, classes[:found]


@compiled
def _interleave(
    group: Integers,
    height: int,
    right: Integers,
    right_starts: Integers,
    class_of: Integers,
    gaps: Floats,
    tokens: Integers,
    token_gaps: Floats,
) -> None:
    """Write the tokens of a group of sequences, and the costs of their gaps, interleaved.

    Position p of the sequence in lane l is at index ``p * LANES + l``. Up to ``height``, the length
    of the longest sequence of the group, shorter ones are padded with the token -1 and the cost 0.
    """
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


@compiled
def _look_up_substitutions(
    tokens: Integers, class_of: Integers, classes: Integers, substitutions: Floats, costs: Floats
) -> None:
    """Fill ``costs[k]`` with the cost of turning a token of class ``classes[k]`` into each token of
    the group; 0 for padding.
    """
    for position in range(tokens.size):
        number = tokens[position]
        for slot in range(classes.size):
            costs[slot, position] = (
                substitutions[classes[slot], class_of[number]] if number >= 0 else 0.0
            )


@compiled
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
    """Compute the costs of turning the whole sequence ``x`` into every prefix of every sequence of
    a group.

    ``tokens``, ``token_gaps`` and ``costs`` describe the group, as `_interleave` and
    `_look_up_substitutions` fill them. ``rows`` is working memory for two rows of the table; the
    result is one of them.
    """
    before, current = rows[0], rows[1]
    current[:LANES] = 0.0
    for p in range(tokens.size):
        current[p + LANES] = current[p] + token_gaps[p]
    for number in x:
        before, current = current, before
        gap = gaps[class_of[number]]
        for lane in range(LANES):
            current[lane] = before[lane] + gap
        _fill_row(
            number, gap, costs[slot_of[class_of[number]]], tokens, token_gaps, before, current
        )
    return current  # type: ignore[no-any-return]


@compiled(inline="always")
def _fill_row(
    number: int,
    gap: float,
    costs: Floats,
    tokens: Integers,
    token_gaps: Floats,
    before: Floats,
    current: Floats,
) -> None:
    """Fill one row of the table by the recurrence of `WeightedEdit`, for token ``number`` of x.

    It is inlined: a call would count references to each array, which takes longer than filling a
    short row.
    """
    for p in range(tokens.size):
        cost = costs[p]
        replace = before[p] + (cost if tokens[p] != number else 0.0)
        delete = before[p + LANES] + gap
        insert = current[p] + token_gaps[p]
        lesser = delete if delete < insert else insert
        current[p + LANES] = replace if replace < lesser else lesser


@compiled
def _last_affine_row(
    x: Integers,
    tokens: Integers,
    token_gaps: Floats,
    costs: Floats,
    class_of: Integers,
    slot_of: Integers,
    gaps: Floats,
    opening: float,
    rows: Floats,
) -> Floats:
    """Compute the same as `_last_row`, where each run of insertions or deletions costs ``opening``
    beyond its tokens.

    By the three tables of Gotoh (1982): the least costs of two prefixes, and of those alignments
    that end in a deletion or in an insertion. ``rows`` has four rows, the last two for these.
    """
    before, current, deleted, inserted = rows[0], rows[1], rows[2], rows[3]
    current[:LANES], inserted[:LANES] = 0.0, np.inf
    deleted[: tokens.size + LANES] = np.inf
    for p in range(tokens.size):
        current[p + LANES] = current[p] + token_gaps[p] + (opening if p < LANES else 0.0)
    for number in x:
        before, current = current, before
        gap = gaps[class_of[number]]
        for lane in range(LANES):
            begun = before[lane] + opening
            deleted[lane] = (deleted[lane] if deleted[lane] < begun else begun) + gap
            current[lane] = deleted[lane]
        _fill_affine_row(
            number,
            gap,
            opening,
            costs[slot_of[class_of[number]]],
            tokens,
            token_gaps,
            before,
            current,
            deleted,
            inserted,
        )
    return current  # type: ignore[no-any-return]


@compiled(inline="always")
def _fill_affine_row(
    number: int,
    gap: float,
    opening: float,
    costs: Floats,
    tokens: Integers,
    token_gaps: Floats,
    before: Floats,
    current: Floats,
    deleted: Floats,
    inserted: Floats,
) -> None:
    """Fill one row of the three tables for token ``number`` of x; ``deleted`` holds the row before,
    and is overwritten.

    In two loops: in one there would be more pairs of arrays than the compiler is willing to tell
    apart, and it would not fill several cells at a time.
    """
    for p in range(tokens.size):
        cost = costs[p]
        replace = before[p] + (cost if tokens[p] != number else 0.0)
        begun = before[p + LANES] + opening
        delete = (deleted[p + LANES] if deleted[p + LANES] < begun else begun) + gap
        deleted[p + LANES] = delete
        current[p + LANES] = replace if replace < delete else delete
    for p in range(tokens.size):
        begun = current[p] + opening
        insert = (inserted[p] if inserted[p] < begun else begun) + token_gaps[p]
        inserted[p + LANES] = insert
        current[p + LANES] = current[p + LANES] if current[p + LANES] < insert else insert
