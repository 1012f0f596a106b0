"""Compiled search for the pair of each object between which a function changes fastest."""

from typing import Any

from numba import njit
from numpy.typing import NDArray

from wideberth.arrays import Floats, Indices


@njit(nogil=True, cache=True)
def steepest_in_block(
    block: NDArray[Any], first: int, values: Floats, closest: float, partners: Indices, slopes: Floats, distances: Floats
) -> None:
    """Row i of the block, object ``first + i``: the object j of most |values[first + i] - values[j]| / block[i, j], and both.

    Pairs no farther apart than ``closest`` are passed over; -1, 0 and 0 where no other pair has a slope above 0.
    """
    for i in range(block.shape[0]):
        value, partner, slope, distance = values[first + i], -1, 0.0, 0.0
        for j in range(block.shape[1]):
            d = float(block[i, j])
            rise = abs(value - values[j])
            if rise > slope * d and d > closest:
                slope, partner, distance = rise / d, j, d
        partners[i], slopes[i], distances[i] = partner, slope, distance
