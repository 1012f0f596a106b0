"""How compiled elastic distances go through their tables: along the anti-diagonals.

An elastic distance fills a table of best costs, one cell for each pair of points. The cells of an anti-diagonal do not depend on
each other, so the processor fills several at a time, and only three diagonals are kept. With the right series reversed,
everything the cells of a diagonal read lies side by side in memory.

Cell (i, j) sits at position i + 1 of the diagonal i + j; the positions around a diagonal hold infinity, which keeps paths inside
the table. What runs along a diagonal is inlined by force: a call would count references to each of its slices, which costs more
than filling a short diagonal.

Series are flat: series s is ``values[offsets[s]:offsets[s + 1]]``, its channels one after another. All kernels assume
finite float64 values, int64 offsets, no empty series and the same number of channels on both sides.
"""

import numpy as np
from numba import njit
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Offsets = NDArray[np.int64]


@njit(nogil=True, cache=True)
def longest(offsets: Offsets) -> int:
    """The largest number of values in a series, all channels together; 0 in an empty sample."""
    most = 0
    for index in range(offsets.size - 1):
        most = max(most, offsets[index + 1] - offsets[index])
    return most


@njit(nogil=True, cache=True)
def lay_out(values: Floats, offsets: Offsets, index: int, channel: int, channels: int, before: float, line: Floats) -> int:
    """Put ``before`` and then a channel of a series into ``line``; return how many points the series has."""
    length = (offsets[index + 1] - offsets[index]) // channels
    start = offsets[index] + channel * length
    line[0] = before
    line[1 : length + 1] = values[start : start + length]
    return length  # type: ignore[no-any-return]


@njit(nogil=True, cache=True)
def lay_out_reversed(
    values: Floats, offsets: Offsets, index: int, channel: int, channels: int, before: float, line: Floats
) -> int:
    """Like `lay_out`, last point first: ``before`` comes after the points."""
    length = (offsets[index + 1] - offsets[index]) // channels
    start = offsets[index] + channel * length
    line[:length] = values[start : start + length][::-1]
    line[length] = before
    return length  # type: ignore[no-any-return]


@njit(nogil=True, cache=True)
def frame_the_corner(before_last: Floats, last: Floats) -> None:
    """Set up the two diagonals before the first: cell (0, 0) is reached from (-1, -1), at no cost, and from nowhere else."""
    before_last[0] = 0.0
    before_last[1] = last[0] = last[1] = np.inf


@njit(nogil=True, cache=True)
def extent(number: int, n: int, m: int, radius: int) -> tuple[int, int]:
    """The rows i, from the first to before the stop, of the cells (i, number - i) of an n x m table with |i - j| <= radius."""
    first = max(0, number - m + 1, (number - radius + 1) >> 1)
    stop = min(n, number + 1, ((number + radius) >> 1) + 1)
    return first, stop
