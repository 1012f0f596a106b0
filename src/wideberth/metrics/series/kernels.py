"""Compiled blocks of elastic distances, which go through their tables along the anti-diagonals.

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

from wideberth.arrays import Floats

Offsets = NDArray[np.int64]


@njit(nogil=True, cache=True)
def msm_block(left: Floats, left_offsets: Offsets, right: Floats, right_offsets: Offsets, channels: int, cost: float) -> Floats:
    """Move-split-merge distances of all pairs, summed over the channels; assumes cost > 0."""
    distances = np.zeros((left_offsets.size - 1, right_offsets.size - 1))
    x = np.empty(_longest(left_offsets) // channels + 1)
    reversed_y = np.empty(_longest(right_offsets) // channels + 1)
    diagonals = np.empty((3, x.size + 1))
    for row in range(distances.shape[0]):
        for channel in range(channels):
            n = _lay_out(left, left_offsets, row, channel, channels, 0.0, x)
            for column in range(distances.shape[1]):
                m = _lay_out_reversed(right, right_offsets, column, channel, channels, 0.0, reversed_y)
                distances[row, column] += _msm(x, n, reversed_y, m, cost, diagonals)
    return distances


@njit(nogil=True, cache=True)
def _msm(x: Floats, n: int, reversed_y: Floats, m: int, cost: float, diagonals: Floats) -> float:
    """The distance of ``x[1 : n + 1]`` and ``reversed_y[:m]`` read backwards; the values around them must be finite."""
    before_last, last, current = diagonals[0], diagonals[1], diagonals[2]
    _frame_the_corner(before_last, last)
    for number in range(n + m - 1):
        first, stop = _extent(number, n, m, n + m)
        shift = m - 1 - number  # point j of y is reversed_y[m - 1 - j], and j = number - i
        _fill_msm(
            x[first + 1 : stop + 1],
            x[first:stop],
            reversed_y[first + shift : stop + shift],
            reversed_y[first + shift + 1 : stop + shift + 1],
            before_last[first:stop],
            last[first:stop],
            last[first + 1 : stop + 1],
            cost,
            current[first + 1 : stop + 1],
        )
        current[first] = current[stop + 1] = np.inf
        before_last, last, current = last, current, before_last
    return last[n]  # type: ignore[no-any-return]


@njit(nogil=True, cache=True, inline="always")
def _fill_msm(
    x: Floats,
    x_before: Floats,
    y: Floats,
    y_before: Floats,
    across: Floats,
    above: Floats,
    beside: Floats,
    cost: float,
    cells: Floats,
) -> None:
    """The recurrence of `MSM` along one diagonal; ``across`` is D(i-1, j-1), ``above`` D(i-1, j), ``beside`` D(i, j-1)."""
    for k in range(cells.size):
        move = across[k] + abs(x[k] - y[k])
        merge = above[k] + _outside(x[k], x_before[k], y[k])
        split = beside[k] + _outside(y[k], y_before[k], x[k])
        cells[k] = min(move, min(merge, split) + cost)


@njit(nogil=True, cache=True)
def _outside(value: float, one: float, other: float) -> float:
    """How far ``value`` lies outside the interval between ``one`` and ``other``."""
    return max(0.0, max(min(one, other) - value, value - max(one, other)))


@njit(nogil=True, cache=True)
def dtw_block(left: Floats, left_offsets: Offsets, right: Floats, right_offsets: Offsets, channels: int, window: float) -> Floats:
    """Dynamic time warping distances of all pairs, all channels warped together; assumes 0 < window <= 1."""
    distances = np.empty((left_offsets.size - 1, right_offsets.size - 1))
    reversed_y = np.empty(_longest(right_offsets))
    diagonals = np.empty((3, _longest(left_offsets) // channels + 2))
    for row in range(distances.shape[0]):
        x = left[left_offsets[row] : left_offsets[row + 1]]
        for column in range(distances.shape[1]):
            y = right[right_offsets[column] : right_offsets[column + 1]]
            reversed_y[: y.size] = y[::-1]
            distances[row, column] = np.sqrt(_dtw(x, reversed_y[: y.size], channels, window, diagonals))
    return distances


@njit(nogil=True, cache=True)
def _dtw(x: Floats, reversed_y: Floats, channels: int, window: float, diagonals: Floats) -> float:
    """The squared distance of ``x`` and ``reversed_y`` read backwards, which also puts the last channel of y first."""
    n, m = x.size // channels, reversed_y.size // channels
    radius = max(int(window * max(n, m)), abs(n - m))
    before_last, last, current = diagonals[0], diagonals[1], diagonals[2]
    _frame_the_corner(before_last, last)
    for number in range(n + m - 1):
        first, stop = _extent(number, n, m, radius)
        shift = channels * m - 1 - number
        _fill_dtw(
            x[first:stop],
            reversed_y[first + shift : stop + shift],
            before_last[first:stop],
            last[first:stop],
            last[first + 1 : stop + 1],
            current[first + 1 : stop + 1],
        )
        for channel in range(1, channels):
            shift -= m
            _add_squared_gaps(
                x[channel * n + first : channel * n + stop],
                reversed_y[first + shift : stop + shift],
                current[first + 1 : stop + 1],
            )
        current[first] = current[stop + 1] = np.inf
        before_last, last, current = last, current, before_last
    return last[n]  # type: ignore[no-any-return]


@njit(nogil=True, cache=True, inline="always")
def _fill_dtw(x: Floats, y: Floats, across: Floats, above: Floats, beside: Floats, cells: Floats) -> None:
    """The recurrence of `DTW` along one diagonal, for the first channel; `_add_squared_gaps` adds the others."""
    for k in range(cells.size):
        cells[k] = min(across[k], min(above[k], beside[k])) + (x[k] - y[k]) ** 2


@njit(nogil=True, cache=True, inline="always")
def _add_squared_gaps(x: Floats, y: Floats, cells: Floats) -> None:
    for k in range(cells.size):
        cells[k] += (x[k] - y[k]) ** 2


@njit(nogil=True, cache=True)
def erp_block(left: Floats, left_offsets: Offsets, right: Floats, right_offsets: Offsets, channels: int, gap: float) -> Floats:
    """Edit distances with real penalty of all pairs, summed over the channels; assumes a finite gap.

    Both series get a first point at the gap, which costs nothing and makes the borders of the table cells like all others.
    """
    distances = np.zeros((left_offsets.size - 1, right_offsets.size - 1))
    x = np.empty(_longest(left_offsets) // channels + 1)
    reversed_y = np.empty(_longest(right_offsets) // channels + 1)
    diagonals = np.empty((3, x.size + 2))
    for row in range(distances.shape[0]):
        for channel in range(channels):
            n = 1 + _lay_out(left, left_offsets, row, channel, channels, gap, x)
            for column in range(distances.shape[1]):
                m = 1 + _lay_out_reversed(right, right_offsets, column, channel, channels, gap, reversed_y)
                distances[row, column] += _erp(x, n, reversed_y, m, gap, diagonals)
    return distances


@njit(nogil=True, cache=True)
def _erp(x: Floats, n: int, reversed_y: Floats, m: int, gap: float, diagonals: Floats) -> float:
    """The distance of ``x[:n]`` and ``reversed_y[:m]`` read backwards, both of which begin with the gap."""
    before_last, last, current = diagonals[0], diagonals[1], diagonals[2]
    _frame_the_corner(before_last, last)
    for number in range(n + m - 1):
        first, stop = _extent(number, n, m, n + m)
        shift = m - 1 - number  # point j of y is reversed_y[m - 1 - j], and j = number - i
        _fill_erp(
            x[first:stop],
            reversed_y[first + shift : stop + shift],
            before_last[first:stop],
            last[first:stop],
            last[first + 1 : stop + 1],
            gap,
            current[first + 1 : stop + 1],
        )
        current[first] = current[stop + 1] = np.inf
        before_last, last, current = last, current, before_last
    return last[n]  # type: ignore[no-any-return]


@njit(nogil=True, cache=True, inline="always")
def _fill_erp(x: Floats, y: Floats, across: Floats, above: Floats, beside: Floats, gap: float, cells: Floats) -> None:
    """The recurrence of `ERP` along one diagonal; ``across`` is D(i-1, j-1), ``above`` D(i-1, j), ``beside`` D(i, j-1)."""
    for k in range(cells.size):
        replace = across[k] + abs(x[k] - y[k])
        delete = above[k] + abs(x[k] - gap)
        insert = beside[k] + abs(y[k] - gap)
        cells[k] = min(replace, min(delete, insert))


@njit(nogil=True, cache=True)
def twe_block(
    left: Floats, left_offsets: Offsets, right: Floats, right_offsets: Offsets, channels: int, nu: float, lmbda: float
) -> Floats:
    """Time warp edit distances of all pairs, summed over the channels; assumes nu > 0 and lmbda >= 0."""
    distances = np.zeros((left_offsets.size - 1, right_offsets.size - 1))
    x = np.empty(_longest(left_offsets) // channels + 1)
    reversed_y = np.empty(_longest(right_offsets) // channels + 1)
    diagonals = np.empty((3, x.size + 1))
    delays = _delays(x.size, reversed_y.size, nu)
    for row in range(distances.shape[0]):
        for channel in range(channels):
            n = _lay_out(left, left_offsets, row, channel, channels, 0.0, x)
            for column in range(distances.shape[1]):
                m = _lay_out_reversed(right, right_offsets, column, channel, channels, 0.0, reversed_y)
                distances[row, column] += _twe(x, n, reversed_y, m, delays, reversed_y.size, nu + lmbda, diagonals)
    return distances


@njit(nogil=True, cache=True)
def _twe(x: Floats, n: int, reversed_y: Floats, m: int, delays: Floats, centre: int, price: float, diagonals: Floats) -> float:
    """The distance of ``x[1 : n + 1]`` and ``reversed_y[:m]`` read backwards; the point before each of them is 0 at time 0."""
    before_last, last, current = diagonals[0], diagonals[1], diagonals[2]
    _frame_the_corner(before_last, last)
    for number in range(n + m - 1):
        first, stop = _extent(number, n, m, n + m)
        shift = m - 1 - number  # point j of y is reversed_y[m - 1 - j], and j = number - i
        delay = centre - (number >> 1)
        _fill_twe(
            x[first + 1 : stop + 1],
            x[first:stop],
            reversed_y[first + shift : stop + shift],
            reversed_y[first + shift + 1 : stop + shift + 1],
            delays[number & 1, first + delay : stop + delay],
            before_last[first:stop],
            last[first:stop],
            last[first + 1 : stop + 1],
            price,
            current[first + 1 : stop + 1],
        )
        current[first] = current[stop + 1] = np.inf
        before_last, last, current = last, current, before_last
    return last[n]  # type: ignore[no-any-return]


@njit(nogil=True, cache=True, inline="always")
def _fill_twe(
    x: Floats,
    x_before: Floats,
    y: Floats,
    y_before: Floats,
    delay: Floats,
    across: Floats,
    above: Floats,
    beside: Floats,
    price: float,
    cells: Floats,
) -> None:
    """The recurrence of `TWE` along one diagonal; ``across`` is D(i-1, j-1), ``above`` D(i-1, j), ``beside`` D(i, j-1)."""
    for k in range(cells.size):
        match = across[k] + (abs(x[k] - y[k]) + abs(x_before[k] - y_before[k])) + delay[k]
        delete = above[k] + abs(x[k] - x_before[k])
        insert = beside[k] + abs(y[k] - y_before[k])
        cells[k] = min(match, min(delete, insert) + price)


@njit(nogil=True, cache=True)
def _delays(n: int, m: int, nu: float) -> Floats:
    """The price 2 nu |i - j| of the delay between two points, as the cells of a diagonal need it: side by side.

    Along the diagonal 2 h + odd, i - j = 2 (i - h) - odd: row ``odd`` holds its price at position m + i - h.
    """
    prices = np.empty((2, n + m))
    for odd in range(2):
        for position in range(n + m):
            prices[odd, position] = 2.0 * nu * abs(2 * (position - m) - odd)
    return prices


@njit(nogil=True, cache=True)
def _longest(offsets: Offsets) -> int:
    """The largest number of values in a series, all channels together; 0 in an empty sample."""
    most = 0
    for index in range(offsets.size - 1):
        most = max(most, offsets[index + 1] - offsets[index])
    return most


@njit(nogil=True, cache=True)
def _lay_out(values: Floats, offsets: Offsets, index: int, channel: int, channels: int, before: float, line: Floats) -> int:
    """Put ``before`` and then a channel of a series into ``line``; return how many points the series has."""
    length = (offsets[index + 1] - offsets[index]) // channels
    start = offsets[index] + channel * length
    line[0] = before
    line[1 : length + 1] = values[start : start + length]
    return length  # type: ignore[no-any-return]


@njit(nogil=True, cache=True)
def _lay_out_reversed(
    values: Floats, offsets: Offsets, index: int, channel: int, channels: int, before: float, line: Floats
) -> int:
    """Like `_lay_out`, last point first: ``before`` comes after the points."""
    length = (offsets[index + 1] - offsets[index]) // channels
    start = offsets[index] + channel * length
    line[:length] = values[start : start + length][::-1]
    line[length] = before
    return length  # type: ignore[no-any-return]


@njit(nogil=True, cache=True)
def _frame_the_corner(before_last: Floats, last: Floats) -> None:
    """Set up the two diagonals before the first: cell (0, 0) is reached from (-1, -1), at no cost, and from nowhere else."""
    before_last[0] = 0.0
    before_last[1] = last[0] = last[1] = np.inf


@njit(nogil=True, cache=True)
def _extent(number: int, n: int, m: int, radius: int) -> tuple[int, int]:
    """The rows i, from the first to before the stop, of the cells (i, number - i) of an n x m table with |i - j| <= radius."""
    first = max(0, number - m + 1, (number - radius + 1) >> 1)
    stop = min(n, number + 1, ((number + radius) >> 1) + 1)
    return first, stop
