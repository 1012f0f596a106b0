"""Compiled blocks of distances between bit vectors, 64 bits at a time."""

import numpy as np
from numba import njit, uint64
from numpy.typing import NDArray

Words = NDArray[np.uint64]
Counts = NDArray[np.int64]
Floats = NDArray[np.float64]


@njit(nogil=True, cache=True)
def tanimoto_block(left: Words, left_counts: Counts, right: Words, right_counts: Counts, out: Floats) -> None:
    """Fill ``out[i, j]`` with 1 - (bits in both) / (bits in either), and 0 for two vectors without bits.

    Assumes rows of equally many words, bits beyond the vectors' length zero, and the number of bits in each row.
    """
    for i in range(left.shape[0]):
        for j in range(right.shape[0]):
            both = uint64(0)
            for word in range(left.shape[1]):
                both += _bits_in(left[i, word] & right[j, word])
            shared = np.int64(both)
            either = left_counts[i] + right_counts[j] - shared
            out[i, j] = 1.0 - shared / either if either else 0.0


@njit(nogil=True, cache=True)
def _bits_in(word: np.uint64) -> np.uint64:
    """How many bits of a word are set: sums of 2, 4 and 8 neighbouring bits, then of all bytes.

    LLVM knows this pattern and puts the processor's own instruction in its place, for several words at a time where it can.
    """
    word = word - ((word >> uint64(1)) & uint64(0x5555555555555555))
    word = (word & uint64(0x3333333333333333)) + ((word >> uint64(2)) & uint64(0x3333333333333333))
    word = (word + (word >> uint64(4))) & uint64(0x0F0F0F0F0F0F0F0F)
    return (word * uint64(0x0101010101010101)) >> uint64(56)
