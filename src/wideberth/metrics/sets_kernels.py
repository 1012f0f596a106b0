"""Compiled loops over blocks of sets."""

import numpy as np
from numba import njit
from numpy.typing import NDArray

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]


@njit(nogil=True, cache=True)
def jaccard_block(
    left_elements: Integers, left_starts: Integers, right_elements: Integers, right_starts: Integers, universe: int, out: Floats
) -> None:
    """Fill ``out[i, j]`` with 1 - |A_i & B_j| / |A_i | B_j|, and 0 for two empty sets.

    Assumes sets without repetition: set i is ``elements[starts[i]:starts[i + 1]]``, its elements lie in [0, universe).
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
