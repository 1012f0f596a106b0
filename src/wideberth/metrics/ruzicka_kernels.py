"""Compiled blocks of Ruzicka's distance: of weighted sets, and of rows of weights."""

import numpy as np
from numba import njit
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Numbers = NDArray[np.uint32]


@njit(nogil=True, cache=True)
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
    """Fill ``out[i, j]`` with 1 - (sum of the smaller weights) / (sum of the larger ones), and 0 for two empty sets.

    Assumes `wideberth.metrics.multisets.Multisets` that number their elements alike, below ``universe``. What two sets share is
    added in the order of the elements, as the totals are: so both ways give the same number, and equal sets exactly 0.
    """
    held = np.zeros(universe)
    for i in range(left_starts.size - 1):
        for position in range(left_starts[i], left_starts[i + 1]):
            held[left_numbers[position]] = left_weights[position]
        for j in range(right_starts.size - 1):
            shared = 0.0
            for position in range(np.uint64(right_starts[j]), np.uint64(right_starts[j + 1])):  # no sign to look at
                here, there = held[right_numbers[position]], right_weights[position]
                shared += here if here < there else there
            union = left_totals[i] + right_totals[j] - shared
            out[i, j] = (union - shared) / union if union > 0 else 0.0
        for position in range(left_starts[i], left_starts[i + 1]):
            held[left_numbers[position]] = 0.0


@njit(nogil=True, cache=True, fastmath={"reassoc", "nsz"})
def ruzicka_of_rows(left: Floats, right: Floats, out: Floats) -> None:
    """Fill ``out[i, j]`` with (sum of the differences) / (sum of the larger weights), and 0 for two rows of zeros.

    Assumes rows of equal length, not negative, whose sums are finite. The processor may add several columns at a time.
    """
    for i in range(left.shape[0]):
        for j in range(right.shape[0]):
            apart, union = 0.0, 0.0
            for k in range(left.shape[1]):
                here, there = left[i, k], right[j, k]
                apart += abs(here - there)
                union += max(here, there)
            out[i, j] = apart / union if union > 0 else 0.0
