"""Compiled heaps of neighbours: two rows, of distances and of indices, ordered by (distance, index) with the last one on top.

A full heap of the k best found so far takes a better neighbour by replacing its top and letting that sink.
"""

import numpy as np
from numba import njit
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Indices = NDArray[np.intp] | NDArray[np.int32]


@njit(nogil=True, cache=True)
def sink(far: Floats, near: Indices, place: int, size: int) -> None:
    """Let the neighbour at ``place`` of a heap sink below those that come after it in the order (distance, index)."""
    distance, index = far[place], near[place]
    while 2 * place + 1 < size:
        child = 2 * place + 1
        if child + 1 < size and (far[child] < far[child + 1] or (far[child] == far[child + 1] and near[child] < near[child + 1])):
            child += 1
        if far[child] < distance or (far[child] == distance and near[child] < index):
            break
        far[place], near[place] = far[child], near[child]
        place = child
    far[place], near[place] = distance, index


@njit(nogil=True, cache=True)
def sort_by_distance(far: Floats, near: Indices) -> None:
    """Sort neighbours by (distance, index)."""
    for place in range(far.size // 2 - 1, -1, -1):
        sink(far, near, place, far.size)
    sort_heap(far, near, far.size)


@njit(nogil=True, cache=True)
def sort_heap(far: Floats, near: Indices, size: int) -> None:
    """Take a heap down into increasing order."""
    for last in range(size - 1, 0, -1):
        far[0], far[last] = far[last], far[0]
        near[0], near[last] = near[last], near[0]
        sink(far, near, 0, last)
