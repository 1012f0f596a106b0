"""Compiled loops over blocks of edit distances."""

import numpy as np
from numba import njit
from numpy.typing import NDArray

Floats = NDArray[np.float64]


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
