"""Compiled blocks of Wasserstein distances between samples of numbers.

Samples are flat: sample s is ``values[offsets[s]:offsets[s + 1]]``, in increasing order and not empty.
"""

import numpy as np
from numba import njit
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Offsets = NDArray[np.int64]


@njit(nogil=True, cache=True, error_model="numpy", fastmath={"reassoc", "nsz", "contract"})
def wasserstein_block(left: Floats, left_offsets: Offsets, right: Floats, right_offsets: Offsets) -> Floats:
    """The areas between the quantile functions of all pairs."""
    distances = np.empty((left_offsets.size - 1, right_offsets.size - 1))
    for row in range(distances.shape[0]):
        x = left[left_offsets[row] : left_offsets[row + 1]]
        for column in range(distances.shape[1]):
            y = right[right_offsets[column] : right_offsets[column + 1]]
            distances[row, column] = _mean_gap(x, y) if x.size == y.size else _merged(x, y)
    return distances


@njit(nogil=True, cache=True, inline="always")
def _mean_gap(x: Floats, y: Floats) -> float:
    """For samples of one size: the smallest number goes to the smallest, and so on."""
    total = 0.0
    for each in range(x.size):
        total += abs(x[each] - y[each])
    return total / x.size


@njit(nogil=True, cache=True)
def _merged(x: Floats, y: Floats) -> float:
    """Cut the mass into x.size * y.size units: every number of x holds y.size of them, every number of y holds x.size."""
    total = 0.0
    i = j = 0
    left_of_x, left_of_y = y.size, x.size
    while i < x.size:
        moved = min(left_of_x, left_of_y)
        total += moved * abs(x[i] - y[j])
        left_of_x -= moved
        left_of_y -= moved
        if left_of_x == 0:
            i, left_of_x = i + 1, y.size
        if left_of_y == 0:
            j, left_of_y = j + 1, x.size
    return total / (float(x.size) * float(y.size))
