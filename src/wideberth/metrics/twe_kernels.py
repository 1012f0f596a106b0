"""Compiled blocks of the time warp edit distance; `diagonals_kernels` says how they go and what they assume."""

import numpy as np
from numba import njit

from wideberth.metrics.diagonals_kernels import (
    Floats,
    Offsets,
    extent,
    frame_the_corner,
    lay_out,
    lay_out_reversed,
    longest,
)


@njit(nogil=True, cache=True)
def twe_block(
    left: Floats, left_offsets: Offsets, right: Floats, right_offsets: Offsets, channels: int, nu: float, lmbda: float
) -> Floats:
    """Time warp edit distances of all pairs, summed over the channels; assumes nu > 0 and lmbda >= 0."""
    distances = np.zeros((left_offsets.size - 1, right_offsets.size - 1))
    x = np.empty(longest(left_offsets) // channels + 1)
    reversed_y = np.empty(longest(right_offsets) // channels + 1)
    diagonals = np.empty((3, x.size + 1))
    delays = _delays(x.size, reversed_y.size, nu)
    for row in range(distances.shape[0]):
        for channel in range(channels):
            n = lay_out(left, left_offsets, row, channel, channels, 0.0, x)
            for column in range(distances.shape[1]):
                m = lay_out_reversed(right, right_offsets, column, channel, channels, 0.0, reversed_y)
                distances[row, column] += _twe(x, n, reversed_y, m, delays, reversed_y.size, nu + lmbda, diagonals)
    return distances


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
def _twe(x: Floats, n: int, reversed_y: Floats, m: int, delays: Floats, centre: int, price: float, diagonals: Floats) -> float:
    """The distance of ``x[1 : n + 1]`` and ``reversed_y[:m]`` read backwards; the point before each of them is 0 at time 0."""
    before_last, last, current = diagonals[0], diagonals[1], diagonals[2]
    frame_the_corner(before_last, last)
    for number in range(n + m - 1):
        first, stop = extent(number, n, m, n + m)
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
