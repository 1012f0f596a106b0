"""Compiled kernels of edit distances: normalisation by lengths, weighted edit distances with
costs by token, signatures of character counts, and edits of short strings bit by bit.

The weighted edit distance fills a table of least costs row by row. Each cell of a row depends on
the one before it, so a single row cannot be vectorised. Therefore the rows of `LANES` right
sequences, a *group*, are filled together: their tokens and cells are interleaved in memory, `LANES`
numbers for each position, and the processor fills the same position of several sequences at a time.
Shorter sequences of a group are padded at the end, which does not change the cell at their last
token.

For signatures and short strings, a sample of strings is one array of letters, numbered from 0, and
the places where its strings start. A letter -1 of a pattern is in no string of the sample. Words of
64 bits are uint64; a pattern of at most `LONGEST` letters has one bit of a word for each letter,
and one more for a carry.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from wideberth.array_types import Floats, Indices, Integers
from wideberth.compilation import compiled

#: Sequences in a group: several times the width of the vector registers, to hide the latency of
#: additions.
LANES = 16


@compiled
def divide_by_lengths(distances: Floats, left_lengths: Floats, right_lengths: Floats) -> None:
    """Replace every edit distance d by 2 d / (|x| + |y| + d), in place; 0 stays 0, also between
    empty strings.

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

    Tokens are numbers that mean the same on both sides and have the classes ``class_of``;
    ``right_order`` sorts the right sequences from short to long, so that groups need little
    padding. Between different tokens a substitution costs ``substitutions`` by their classes, an
    insertion or deletion ``gaps``, and each run of those ``opening`` besides.

    Takes time proportional to the product of the two lengths for each pair. The costs of
    substitutions are looked up once for each group of right sequences, not for each cell.

    Examples
    --------
    >>> # the sequences "ab" and "a"
    >>> tokens, starts, out = (np.array([0, 1, 0]), np.array([0, 2, 3]), np.empty((2, 2)))
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
    """Find the classes of the tokens that occur. The first array has the position of each class
    among them, -1 if it does not occur; the second those that do, in the order of their first
    token.
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


# ---- Signatures of character counts, their bounds, and edits of short strings bit by bit

Letters = NDArray[np.int32]
Words = NDArray[np.uint64]
#: A number of type uint64, which numba keeps as such.
Word = Any
Bounds = NDArray[np.uint8]

#: Letters of the longest pattern that `count_edits` and `count_unshared` take.
LONGEST = 62
#: What a number of edits is turned into: itself, or the normalised distance of
#: `NormalizedLevenshtein`.
EDITS, SHARE = 0, 1
#: How signatures bound edits: by the larger of surplus and deficit where letters can be
#: substituted, else by their sum.
LARGER, SUM = 0, 1

_ONE = np.uint64(1)


@compiled
def number_levels(buckets: Letters, starts: Indices, most: int, n_buckets: int) -> Letters:
    """Number the levels that the letters of strings reach: b (most + 1) + j for the j-th letter of
    a string in bucket b.

    ``buckets`` holds the bucket of every letter. Letters after the ``most``-th in a bucket get the
    number of its level 0.
    """
    levels = np.empty(buckets.size, dtype=np.int32)
    counts = np.zeros(n_buckets, dtype=np.int32)
    for row in range(starts.size - 1):
        for place in range(starts[row], starts[row + 1]):
            bucket = buckets[place]
            counts[bucket] += 1
            levels[place] = bucket * (most + 1) + (counts[bucket] if counts[bucket] <= most else 0)
        for place in range(starts[row], starts[row + 1]):
            counts[buckets[place]] = 0
    return levels


@compiled
def sign(levels: Letters, starts: Indices, bits: Words) -> Words:
    """Compute signatures, of shape (2, n): the bits of all levels that the letters of a string
    reach.

    ``levels`` are those of `number_levels`, and ``bits``, of shape (2, number of levels), holds the
    bit of each.
    """
    signatures = np.zeros((2, starts.size - 1), dtype=np.uint64)
    for row in range(starts.size - 1):
        for place in range(starts[row], starts[row + 1]):
            signatures[0, row] |= bits[0, levels[place]]
            signatures[1, row] |= bits[1, levels[place]]
    return signatures


@compiled(inline="always")
def ones(word: Word) -> Word:
    """Count the bits of a word that are set; LLVM replaces these lines by the instruction of the
    processor.
    """
    word = word - ((word >> np.uint64(1)) & np.uint64(0x5555555555555555))
    word = (word & np.uint64(0x3333333333333333)) + (
        (word >> np.uint64(2)) & np.uint64(0x3333333333333333)
    )
    word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return (word * np.uint64(0x0101010101010101)) >> np.uint64(56)


@compiled
def bound_edits(
    first: Word, second: Word, firsts: Words, seconds: Words, apart: Word, rule: int, out: Bounds
) -> None:
    """Bound the edits between one string and others from below.

    ``first`` and ``second`` are the words of the signature of the one, ``firsts`` and ``seconds``
    those of the others, from 0 on, so that the loop is compiled to instructions for several of them
    at once. ``apart`` is the least difference of the lengths, a bound in itself, at most 255. A
    bound of 255 stands for 255 or more.
    """
    if rule == SUM:
        for place in range(out.size):
            different = ones(first ^ firsts[place]) + ones(second ^ seconds[place])
            out[place] = max(different, apart)
        return
    for place in range(out.size):
        one, other = firsts[place], seconds[place]
        surplus = ones(first & ~one) + ones(second & ~other)
        deficit = ones(one & ~first) + ones(other & ~second)
        out[place] = max(max(surplus, deficit), apart)


@compiled
def set_pattern(letters: Letters, start: int, stop: int, positions: Words) -> None:
    """Set, for each letter of a pattern, the bits at which it stands; ``positions`` has a word for
    each letter, all 0 before.
    """
    for place in range(start, stop):
        if letters[place] >= 0:
            positions[letters[place]] |= _ONE << np.uint64(place - start)


@compiled
def clear_pattern(letters: Letters, start: int, stop: int, positions: Words) -> None:
    """Undo `set_pattern`."""
    for place in range(start, stop):
        if letters[place] >= 0:
            positions[letters[place]] = np.uint64(0)


@compiled
def count_edits(positions: Words, size: int, letters: Letters, start: int, stop: int) -> int:
    """Compute the Levenshtein distance of a pattern of ``size`` letters and the string
    ``letters[start:stop]``.

    A column of the table of Wagner & Fischer is two words, of the rows where it grows and where it
    falls (Myers, "A fast bit-vector algorithm for approximate string matching based on dynamic
    programming", 1999; Hyyrö 2003).
    """
    if size == 0:
        return stop - start
    everywhere = (_ONE << np.uint64(size)) - _ONE
    last = _ONE << np.uint64(size - 1)
    up, down, edits = everywhere, np.uint64(0), size
    for place in range(start, stop):
        equal = positions[letters[place]]
        vertical = equal | down
        diagonal = ((((equal & up) + up) ^ up) | equal) & everywhere
        rises = down | (everywhere & ~(diagonal | up))
        falls = up & diagonal
        if rises & last:
            edits += 1
        elif falls & last:
            edits -= 1
        rises = ((rises << _ONE) | _ONE) & everywhere
        falls = (falls << _ONE) & everywhere
        up = falls | (everywhere & ~(vertical | rises))
        down = rises & vertical
    return edits


@compiled
def count_unshared(positions: Words, size: int, letters: Letters, start: int, stop: int) -> int:
    """Compute the indel distance of a pattern of ``size`` letters and the string
    ``letters[start:stop]``.

    The zeros of a word are the rows at which the longest common subsequence grows (Hyyrö,
    "Bit-parallel LCS-length computation revisited", 2004).
    """
    everywhere = (_ONE << np.uint64(size)) - _ONE
    rows = everywhere
    for place in range(start, stop):
        equal = rows & positions[letters[place]]
        rows = ((rows + equal) | (rows - equal)) & everywhere
    shared: Any = np.int64(ones(everywhere & ~rows))
    unshared: int = size + (stop - start) - 2 * shared
    return unshared


@compiled(inline="always")
def as_distance(edits: int, both_sizes: int, form: int) -> float:
    """Turn a number of edits of two strings, or a lower bound of it, into a distance, rounded as
    metrics round it.
    """
    distance = float(edits)
    if form == SHARE and edits > 0:
        distance = 2 * distance / (both_sizes + distance)
    return distance


@compiled
def bounds_of_block(
    left: Words, left_sizes: Indices, right: Words, right_sizes: Indices, rule: int, form: int
) -> NDArray[np.float64]:
    """Bound all distances between two samples of signatures from below; see `bound_edits` and
    `as_distance`.
    """
    out = np.empty((left_sizes.size, right_sizes.size))
    edits, nothing = np.empty(right_sizes.size, dtype=np.uint8), np.uint64(0)
    for row in range(left_sizes.size):
        size = left_sizes[row]
        bound_edits(left[0, row], left[1, row], right[0], right[1], nothing, rule, edits)
        for column in range(right_sizes.size):
            bound = max(np.int64(edits[column]), abs(size - right_sizes[column]))
            out[row, column] = as_distance(bound, size + right_sizes[column], form)
    return out
