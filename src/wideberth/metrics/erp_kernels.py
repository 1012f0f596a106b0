"""Compiled blocks of the edit distance with real penalty; `diagonals_kernels` says how they go and what they assume."""

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
def erp_block(left: Floats, left_offsets: Offsets, right: Floats, right_offsets: Offsets, channels: int, gap: float) -> Floats:
    """Edit distances with real penalty of all pairs, summed over the channels; assumes a finite gap.

    Both series get a first point at the gap, which costs nothing and makes the borders of the table cells like all others.
    """
    distances = np.zeros((left_offsets.size - 1, right_offsets.size - 1))
    x = np.empty(longest(left_offsets) // channels + 1)
    reversed_y = np.empty(longest(right_offsets) // channels + 1)
    diagonals = np.empty((3, x.size + 2))
    for row in range(distances.shape[0]):
        for channel in range(channels):
            n = 1 + lay_out(left, left_offsets, row, channel, channels, gap, x)
            for column in range(distances.shape[1]):
                m = 1 + lay_out_reversed(right, right_offsets, column, channel, channels, gap, reversed_y)
                distances[row, column] += _erp(x, n, reversed_y, m, gap, diagonals)
    return distances


@njit(nogil=True, cache=True)
def _erp(x: Floats, n: int, reversed_y: Floats, m: int, gap: float, diagonals: Floats) -> float:
    """The distance of ``x[:n]`` and ``reversed_y[:m]`` read backwards, both of which begin with the gap."""
    before_last, last, current = diagonals[0], diagonals[1], diagonals[2]
    frame_the_corner(before_last, last)
    for number in range(n + m - 1):
        first, stop = extent(number, n, m, n + m)
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
