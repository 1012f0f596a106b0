"""Compiled blocks of distances between sets of elements, weighted sets, and bit vectors (64 bits at
a time).
"""

import math

import numpy as np
from numpy.typing import NDArray

from wideberth.array_types import Floats, Integers
from wideberth.compilation import compiled

Numbers = NDArray[np.uint32]
Words = NDArray[np.uint64]


@compiled
def jaccard_block(
    left_elements: Integers,
    left_starts: Integers,
    right_elements: Integers,
    right_starts: Integers,
    universe: int,
    out: Floats,
) -> None:
    """Fill ``out[i, j]`` with the Jaccard distance 1 - |A_i & B_j| / |A_i | B_j|, and 0 for two
    empty sets.

    Set i is ``elements[starts[i]:starts[i + 1]]``, without repetition; all elements are in [0,
    universe).

    The elements of A_i are marked in an array of all elements, so that each B_j is read only once.

    Examples
    --------
    >>> out = np.empty((1, 2))  # {0, 1} against {1, 2} and {0, 1}
    >>> jaccard_block(
    ...     np.array([0, 1]), np.array([0, 2]), np.array([1, 2, 0, 1]), np.array([0, 2, 4]), 3, out
    ... )
    >>> out.round(3)
    array([[0.667, 0.   ]])
    """
    marked = np.zeros(universe, dtype=np.uint8)
    for i in range(len(left_starts) - 1):
        left_first, left_last = left_starts[i], left_starts[i + 1]
        for position in range(left_first, left_last):
            marked[left_elements[position]] = 1
        for j in range(len(right_starts) - 1):
            shared = 0
            for position in range(right_starts[j], right_starts[j + 1]):
                shared += marked[right_elements[position]]
            union = left_last - left_first + right_starts[j + 1] - right_starts[j] - shared
            out[i, j] = 1.0 - shared / union if union else 0.0
        for position in range(left_first, left_last):
            marked[left_elements[position]] = 0


@compiled
def ruzicka_of_sets(
    left_numbers: Numbers,
    left_weights: Floats,
    left_starts: Integers,
    left_totals: Floats,
    right_numbers: Numbers,
    right_weights: Floats,
    right_starts: Integers,
    right_totals: Floats,
    universe: int,
    out: Floats,
) -> None:
    """Fill ``out[i, j]`` with 1 - (sum of the smaller weights) / (sum of the larger weights), and 0
    for two empty sets.

    The arrays are those of two `Multisets` that number their elements alike, all below
    ``universe``.
    """
    _common_weights(
        left_numbers,
        left_weights,
        left_starts,
        right_numbers,
        right_weights,
        right_starts,
        universe,
        out,
    )
    for i in range(out.shape[0]):
        for j in range(out.shape[1]):
            shared = out[i, j]
            union = left_totals[i] + right_totals[j] - shared
            out[i, j] = (union - shared) / union if union > 0 else 0.0


@compiled
def l1_of_sets(
    left_numbers: Numbers,
    left_weights: Floats,
    left_starts: Integers,
    left_totals: Floats,
    right_numbers: Numbers,
    right_weights: Floats,
    right_starts: Integers,
    right_totals: Floats,
    universe: int,
    out: Floats,
) -> None:
    """Fill ``out[i, j]`` with the sum of the absolute differences of the weights: exact for counts;
    parameters as above.
    """
    _common_weights(
        left_numbers,
        left_weights,
        left_starts,
        right_numbers,
        right_weights,
        right_starts,
        universe,
        out,
    )
    for i in range(out.shape[0]):
        for j in range(out.shape[1]):
            out[i, j] = left_totals[i] + right_totals[j] - 2.0 * out[i, j]


@compiled
def euclidean_of_sets(
    left_keys: Integers,
    left_weights: Floats,
    left_starts: Integers,
    right_keys: Integers,
    right_weights: Floats,
    right_starts: Integers,
    out: Floats,
) -> None:
    """Fill ``out[i, j]`` with the root of the sum of squared differences of the weights.

    The elements of each set ascend.

    Squares of differences are added in the order of the keys, and nothing is subtracted from their
    sum: small distances are as exact as large ones, and the same in both directions.
    """
    for i in range(out.shape[0]):
        for j in range(out.shape[1]):
            one, other = left_starts[i], right_starts[j]
            last_one, last_other = left_starts[i + 1], right_starts[j + 1]
            total = 0.0
            # without branches, which no processor could foresee
            while one < last_one and other < last_other:
                key, other_key = left_keys[one], right_keys[other]
                step, other_step = np.int64(key <= other_key), np.int64(other_key <= key)
                difference = left_weights[one] * step - right_weights[other] * other_step
                total += difference * difference
                one += step
                other += other_step
            for position in range(one, last_one):
                total += left_weights[position] ** 2
            for position in range(other, last_other):
                total += right_weights[position] ** 2
            out[i, j] = math.sqrt(total)


@compiled
def _common_weights(
    left_numbers: Numbers,
    left_weights: Floats,
    left_starts: Integers,
    right_numbers: Numbers,
    right_weights: Floats,
    right_starts: Integers,
    universe: int,
    out: Floats,
) -> None:
    """Fill ``out[i, j]`` with the sum of the smaller weights of two sets.

    It is added in the order of the elements, as the totals of sets are. So it is the same in both
    directions, and equals the total for equal sets.
    """
    held = np.zeros(universe)
    for i in range(left_starts.size - 1):
        for position in range(left_starts[i], left_starts[i + 1]):
            held[left_numbers[position]] = left_weights[position]
        for j in range(right_starts.size - 1):
            shared = 0.0
            # unsigned, never negative
            for position in range(np.uint64(right_starts[j]), np.uint64(right_starts[j + 1])):
                here, there = held[right_numbers[position]], right_weights[position]
                shared += here if here < there else there
            out[i, j] = shared
        for position in range(left_starts[i], left_starts[i + 1]):
            held[left_numbers[position]] = 0.0


@compiled(fastmath={"reassoc", "nsz"})
def ruzicka_of_rows(left: Floats, right: Floats, out: Floats) -> None:
    """Fill ``out[i, j]`` with (sum of absolute differences) / (sum of the larger weights), and 0
    for two rows of zeros.

    Weights are 0 or more, and their row sums finite.

    This is the same as in `ruzicka_of_sets`, since max - min = abs(difference). The compiler may
    add several columns at a time (``fastmath``), so the last digits may differ from a sum in order.

    Examples
    --------
    >>> out = np.empty((1, 1))
    >>> ruzicka_of_rows(np.array([[2.0, 1.0, 0.0]]), np.array([[1.0, 0.0, 1.0]]), out)
    >>> out
    array([[0.75]])
    """
    for i in range(left.shape[0]):
        for j in range(right.shape[0]):
            apart, union = 0.0, 0.0
            for k in range(left.shape[1]):
                here, there = left[i, k], right[j, k]
                apart += abs(here - there)
                union += max(here, there)
            out[i, j] = apart / union if union > 0 else 0.0


@compiled
def tanimoto_block(
    left: Words, left_counts: Integers, right: Words, right_counts: Integers, out: Floats
) -> None:
    """Fill ``out[i, j]`` with 1 - (bits set in both) / (bits set in either), and 0 for two vectors
    without bits.

    A word has 64 bits, those beyond the length are 0; the counts are those of the bits that are
    set.

    Examples
    --------
    >>> out = np.empty((1, 1))  # bits 0, 1 against bits 1, 2, 3
    >>> tanimoto_block(
    ...     np.array([[0b11]], np.uint64),
    ...     np.array([2]),
    ...     np.array([[0b1110]], np.uint64),
    ...     np.array([3]),
    ...     out,
    ... )
    >>> out
    array([[0.75]])
    """
    for i in range(left.shape[0]):
        for j in range(right.shape[0]):
            both = np.uint64(0)
            for word in range(left.shape[1]):
                both += _bits_in(left[i, word] & right[j, word])
            shared = np.int64(both)
            either = left_counts[i] + right_counts[j] - shared
            out[i, j] = 1.0 - shared / either if either else 0.0


@compiled
def _bits_in(word: np.uint64) -> np.uint64:
    """Return how many bits of a word are set: sums of 2, 4 and 8 neighbouring bits, then of all
    bytes.

    LLVM recognises this pattern and replaces it by the processor's instruction (popcnt), for
    several words at a time if possible.
    """
    word = word - ((word >> np.uint64(1)) & np.uint64(0x5555555555555555))
    word = (word & np.uint64(0x3333333333333333)) + (
        (word >> np.uint64(2)) & np.uint64(0x3333333333333333)
    )
    word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return (word * np.uint64(0x0101010101010101)) >> np.uint64(56)
