"""Compiled loops over strings as numbers: signatures of character counts, their bounds, and edits
of short strings bit by bit.

A sample of strings is one array of letters, numbered from 0, and the places where its strings
start. A letter -1 of a pattern is in no string of the sample. Words of 64 bits are uint64; a
pattern of at most `LONGEST` letters has one bit of a word for each letter, and one more for a
carry.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from wideberth.array_types import Indices
from wideberth.compilation import compiled

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

    Parameters
    ----------
    first, second : uint64
        The two words of the signature of the one string.
    firsts, seconds : ndarray of uint64 of shape (m,)
        Those of the others. From 0 to m, so that the loop is compiled to instructions for several
        of them at once.
    apart : uint64
        The least difference of the lengths, a bound in itself; at most 255.
    rule : {LARGER, SUM}
        How surplus and deficit make a bound.
    out : ndarray of uint8 of shape (m,)
        The bounds; 255 stands for 255 or more.
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
