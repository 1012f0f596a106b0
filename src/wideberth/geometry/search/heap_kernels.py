"""Compiled heaps of neighbours, ordered by (distance, index).

A heap is two arrays, distances and indices, in which the entry at place i comes after those at 2 i
+ 1 and 2 i + 2. So the last neighbour in the order is on top, at place 0. A full heap of the k best
neighbours so far takes a better one by replacing its top and letting it sink, in O(log k) steps.
"""

import numpy as np
from numpy.typing import NDArray

from wideberth.array_types import Floats, Indices
from wideberth.compilation import compiled

NeighborIndices = Indices | NDArray[np.int32]  # four bytes for each neighbour where there are many


@compiled(inline="always")
def precedes(distance: float, index: int, other_distance: float, other_index: int) -> bool:
    """Return whether a neighbour comes before another in the order of (distance, index).

    >>> precedes(1.0, 7, 2.0, 3), precedes(1.0, 7, 1.0, 3)
    (True, False)
    """
    return distance < other_distance or (distance == other_distance and index < other_index)


@compiled
def sink(distances: Floats, indices: NeighborIndices, place: int, size: int) -> None:
    """Let the neighbour at ``place`` of a heap sink below those that come after it, among the first
    ``size`` entries.

    >>> # 0.5 has replaced the top
    >>> distances, indices = (np.array([0.5, 3.0, 2.0]), np.array([7, 8, 9]))
    >>> sink(distances, indices, 0, 3)
    >>> distances, indices
    (array([3. , 0.5, 2. ]), array([8, 7, 9]))
    """
    distance, index = distances[place], indices[place]
    while 2 * place + 1 < size:
        child = 2 * place + 1
        if child + 1 < size and precedes(
            distances[child], indices[child], distances[child + 1], indices[child + 1]
        ):
            child += 1
        if precedes(distances[child], indices[child], distance, index):
            break
        distances[place], indices[place] = distances[child], indices[child]
        place = child
    distances[place], indices[place] = distance, index


@compiled
def sort_by_distance(distances: Floats, indices: NeighborIndices) -> None:
    """Sort neighbours by (distance, index), in place.

    >>> distances, indices = np.array([2.0, 1.0, 1.0]), np.array([3, 5, 4])
    >>> sort_by_distance(distances, indices)
    >>> distances, indices
    (array([1., 1., 2.]), array([4, 5, 3]))
    """
    for place in range(distances.size // 2 - 1, -1, -1):
        sink(distances, indices, place, distances.size)
    sort_heap(distances, indices, distances.size)


@compiled
def sort_heap(distances: Floats, indices: NeighborIndices, size: int) -> None:
    """Sort the first ``size`` entries, which are a heap, in place.

    >>> distances, indices = np.array([3.0, 0.5, 2.0]), np.array([8, 7, 9])
    >>> sort_heap(distances, indices, 3)
    >>> indices
    array([7, 9, 8])
    """
    for last in range(size - 1, 0, -1):
        distances[0], distances[last] = distances[last], distances[0]
        indices[0], indices[last] = indices[last], indices[0]
        sink(distances, indices, 0, last)
