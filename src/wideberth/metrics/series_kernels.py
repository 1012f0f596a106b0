"""Compiled blocks of move-split-merge and dynamic time warping; `diagonals_kernels` says how they go and what they assume."""

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
def msm_block(left: Floats, left_offsets: Offsets, right: Floats, right_offsets: Offsets, channels: int, cost: float) -> Floats:
    """Move-split-merge distances of all pairs, summed over the channels; assumes cost > 0."""
    distances = np.zeros((left_offsets.size - 1, right_offsets.size - 1))
    x = np.empty(longest(left_offsets) // channels + 1)
    reversed_y = np.empty(longest(right_offsets) // channels + 1)
    diagonals = np.empty((3, x.size + 1))
    for row in range(distances.shape[0]):
        for channel in range(channels):
            n = lay_out(left, left_offsets, row, channel, channels, 0.0, x)
            for column in range(distances.shape[1]):
                m = lay_out_reversed(right, right_offsets, column, channel, channels, 0.0, reversed_y)
                distances[row, column] += _msm(x, n, reversed_y, m, cost, diagonals)
    return distances


@njit(nogil=True, cache=True)
def dtw_block(left: Floats, left_offsets: Offsets, right: Floats, right_offsets: Offsets, channels: int, window: float) -> Floats:
    """Dynamic time warping distances of all pairs, all channels warped together; assumes 0 < window <= 1."""
    distances = np.empty((left_offsets.size - 1, right_offsets.size - 1))
    reversed_y = np.empty(longest(right_offsets))
    diagonals = np.empty((3, longest(left_offsets) // channels + 2))
    for row in range(distances.shape[0]):
        x = left[left_offsets[row] : left_offsets[row + 1]]
        for column in range(distances.shape[1]):
            y = right[right_offsets[column] : right_offsets[column + 1]]
            reversed_y[: y.size] = y[::-1]
            distances[row, column] = np.sqrt(_dtw(x, reversed_y[: y.size], channels, window, diagonals))
    return distances


@njit(nogil=True, cache=True)
def _msm(x: Floats, n: int, reversed_y: Floats, m: int, cost: float, diagonals: Floats) -> float:
    """The distance of ``x[1 : n + 1]`` and ``reversed_y[:m]`` read backwards; the values around them must be finite."""
    before_last, last, current = diagonals[0], diagonals[1], diagonals[2]
    frame_the_corner(before_last, last)
    for number in range(n + m - 1):
        first, stop = extent(number, n, m, n + m)
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


@njit(nogil=True, cache=True)
def _dtw(x: Floats, reversed_y: Floats, channels: int, window: float, diagonals: Floats) -> float:
    """The squared distance of ``x`` and ``reversed_y`` read backwards, which also puts the last channel of y first."""
    n, m = x.size // channels, reversed_y.size // channels
    radius = max(int(window * max(n, m)), abs(n - m))
    before_last, last, current = diagonals[0], diagonals[1], diagonals[2]
    frame_the_corner(before_last, last)
    for number in range(n + m - 1):
        first, stop = extent(number, n, m, radius)
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


@njit(nogil=True, cache=True, inline="always")
def _fill_dtw(x: Floats, y: Floats, across: Floats, above: Floats, beside: Floats, cells: Floats) -> None:
    """The recurrence of `DTW` along one diagonal, for the first channel; `_add_squared_gaps` adds the others."""
    for k in range(cells.size):
        cells[k] = min(across[k], min(above[k], beside[k])) + (x[k] - y[k]) ** 2


@njit(nogil=True, cache=True, inline="always")
def _add_squared_gaps(x: Floats, y: Floats, cells: Floats) -> None:
    for k in range(cells.size):
        cells[k] += (x[k] - y[k]) ** 2
