"""Compiled kernels of the elastic distances: one recurrence each, and one driver for the loops that
they share.

An elastic distance fills a table of least costs D(i, j), one cell for each pair of points. The
cells of an anti-diagonal (all cells with the same i + j) do not depend on each other, so the
processor fills several at a time, and only three diagonals are kept: time O(n m), memory O(n + m).
The right series is stored in reverse order: then everything that the cells of a diagonal read is
contiguous in memory.

Three levels, from the outside to the inside:

- ``*_block`` prepares the parameters and passes its table function to `_all_pairs`, which loops
  over pairs and channels;
- a table function (``_msm``, ...) passes its recurrence to `_last_cell`, which loops over the
  anti-diagonals;
- a recurrence (``_fill_msm``, ...) computes the cells of one diagonal. Its first lines take slices
  and its loop starts at 0, because numba vectorises a loop only if it can see that no index is
  negative.

Cell (i, j) is at position i + 1 of the diagonal i + j; the positions around a diagonal hold
infinity, which keeps paths inside the table. Functions that receive a function, and the
recurrences, are inlined (``inline="always"``): numba cannot cache a compiled function that takes
another one as an argument, and a call would count references to each slice, which takes longer than
filling a short diagonal.

Series are flat: series s is ``values[offsets[s]:offsets[s + 1]]``, its channels one after another.
All kernels assume finite float64 values, int64 offsets, no empty series and the same number of
channels on both sides.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wideberth.array_types import Floats
from wideberth.compilation import compiled

Offsets = NDArray[np.int64]
#: Where a recurrence works: the number i + j of the diagonal, its first row i, the row after its
#: last, and the shift by which point j of y is ``reversed_y[i + shift]``.
Place = tuple[int, int, int, int]


@compiled
def msm_block(
    left: Floats,
    left_offsets: Offsets,
    right: Floats,
    right_offsets: Offsets,
    channels: int,
    cost: float,
) -> Floats:
    """Compute the move-split-merge distances of all pairs, summed over the channels. ``cost`` is
    that of a split or a merge, positive.

    Examples
    --------
    >>> series, offsets = np.array([0.0, 1.0, 0.0, 0.0, 3.0, 0.0]), np.array([0, 3, 6])
    >>> msm_block(series, offsets, series, offsets, 1, 0.5)
    array([[0., 2.],
           [2., 0.]])
    """
    return _all_pairs(left, left_offsets, right, right_offsets, channels, 0.0, _msm, cost)


@compiled
def _msm(x: Floats, n: int, reversed_y: Floats, m: int, cost: float, diagonals: Floats) -> float:
    """Compute the distance of one pair; what stands before the first points of x and y must be
    finite.
    """
    return _last_cell(_fill_msm, x, n, reversed_y, m, n + m, cost, diagonals)


@compiled(inline="always")
def _fill_msm(
    x: Floats,
    reversed_y: Floats,
    place: Place,
    across: Floats,
    above: Floats,
    beside: Floats,
    cells: Floats,
    cost: float,
) -> None:
    """Fill one diagonal by the recurrence of `MSM`; see `_last_cell` for the arguments."""
    _, first, stop, shift = place
    x_now, x_before = x[first + 1 : stop + 1], x[first:stop]
    y_now = reversed_y[first + shift : stop + shift]
    y_before = reversed_y[first + shift + 1 : stop + shift + 1]
    for k in range(cells.size):
        move = across[k] + abs(x_now[k] - y_now[k])
        merge = above[k] + _outside(x_now[k], x_before[k], y_now[k])
        split = beside[k] + _outside(y_now[k], y_before[k], x_now[k])
        cells[k] = min(move, min(merge, split) + cost)


@compiled
def _outside(value: float, one: float, other: float) -> float:
    """Return how far ``value`` is outside the interval between ``one`` and ``other``."""
    return max(0.0, max(min(one, other) - value, value - max(one, other)))


@compiled
def dtw_block(
    left: Floats,
    left_offsets: Offsets,
    right: Floats,
    right_offsets: Offsets,
    channels: int,
    window: float,
) -> Floats:
    """Compute the dynamic time warping distances of all pairs, all channels warped together.
    ``window`` is the share of the longer length by which aligned points may be apart, in (0, 1].

    Examples
    --------
    >>> series, offsets = np.array([1.0, 1.0, 2.0, 1.0, 2.0]), np.array([0, 3, 5])
    >>> dtw_block(series, offsets, series, offsets, 1, 1.0)
    array([[0., 0.],
           [0., 0.]])
    """
    # one "channel" for the driver: the recurrence adds the channels up, cell by cell
    return np.sqrt(
        _all_pairs(left, left_offsets, right, right_offsets, 1, 0.0, _dtw, (channels, window))
    )


@compiled
def _dtw(
    x: Floats,
    x_size: int,
    reversed_y: Floats,
    y_size: int,
    parameters: tuple[int, float],
    diagonals: Floats,
) -> float:
    """Compute the squared distance of one pair, whose sizes count the values of all channels."""
    channels, window = parameters
    n, m = x_size // channels, y_size // channels
    radius = max(int(window * max(n, m)), abs(n - m))
    return _last_cell(_fill_dtw, x, n, reversed_y, m, radius, (channels, n, m), diagonals)


@compiled(inline="always")
def _fill_dtw(
    x: Floats,
    reversed_y: Floats,
    place: Place,
    across: Floats,
    above: Floats,
    beside: Floats,
    cells: Floats,
    sizes: tuple[int, int, int],
) -> None:
    """Fill one diagonal by the recurrence of `DTW`, channel by channel; see `_last_cell` for the
    arguments.

    ``sizes`` are the number of channels and of the points of x and of y. Reversing all values of y
    also reverses the order of its channels: its first channel is the last block of m values.
    """
    _, first, stop, shift = place
    channels, n, m = sizes
    shift += (channels - 1) * m
    x_now, y_now = x[first + 1 : stop + 1], reversed_y[first + shift : stop + shift]
    for k in range(cells.size):
        cells[k] = min(across[k], min(above[k], beside[k])) + (x_now[k] - y_now[k]) ** 2
    for channel in range(1, channels):
        shift -= m
        x_next = x[channel * n + first + 1 : channel * n + stop + 1]
        y_next = reversed_y[first + shift : stop + shift]
        for k in range(cells.size):
            cells[k] += (x_next[k] - y_next[k]) ** 2


@compiled
def erp_block(
    left: Floats,
    left_offsets: Offsets,
    right: Floats,
    right_offsets: Offsets,
    channels: int,
    gap: float,
) -> Floats:
    """Compute the edit distances with real penalty of all pairs, summed over the channels. Deleted
    and inserted values are measured from ``gap``.

    Examples
    --------
    >>> series, offsets = np.array([1.0, 5.0, 1.0, 1.0, 1.0]), np.array([0, 3, 5])
    >>> erp_block(series, offsets, series, offsets, 1, 0.0)  # delete the 5
    array([[0., 5.],
           [5., 0.]])
    """
    return _all_pairs(left, left_offsets, right, right_offsets, channels, gap, _erp, gap)


@compiled
def _erp(x: Floats, n: int, reversed_y: Floats, m: int, gap: float, diagonals: Floats) -> float:
    """Compute the distance of one pair, both with the gap as an additional first point.

    Matching the two additional points costs nothing, and the borders of the table become cells like
    all others.
    """
    return _last_cell(_fill_erp, x, n + 1, reversed_y, m + 1, n + m + 2, gap, diagonals)


@compiled(inline="always")
def _fill_erp(
    x: Floats,
    reversed_y: Floats,
    place: Place,
    across: Floats,
    above: Floats,
    beside: Floats,
    cells: Floats,
    gap: float,
) -> None:
    """Fill one diagonal by the recurrence of `ERP`; see `_last_cell` for the arguments. Row 0 is
    the gap, ``x[0]``.
    """
    _, first, stop, shift = place
    x_now, y_now = x[first:stop], reversed_y[first + shift : stop + shift]
    for k in range(cells.size):
        replace = across[k] + abs(x_now[k] - y_now[k])
        delete = above[k] + abs(x_now[k] - gap)
        insert = beside[k] + abs(y_now[k] - gap)
        cells[k] = min(replace, min(delete, insert))


@compiled
def twe_block(
    left: Floats,
    left_offsets: Offsets,
    right: Floats,
    right_offsets: Offsets,
    channels: int,
    nu: float,
    lmbda: float,
) -> Floats:
    """Compute the time warp edit distances of all pairs, summed over the channels. ``nu`` is the
    cost of a unit of time, positive, and ``lmbda`` the additional cost of a deletion, 0 or more.

    Examples
    --------
    >>> series, offsets = np.array([2.0, 2.0, 2.0, 2.0, 2.0]), np.array([0, 3, 5])
    >>> twe_block(series, offsets, series, offsets, 1, 0.5, 1.0)  # delete a step without height
    array([[0. , 1.5],
           [1.5, 0. ]])
    """
    centre = _longest(right_offsets) // channels + 1
    delays = _delays(_longest(left_offsets) // channels + 1, centre, nu)
    return _all_pairs(
        left, left_offsets, right, right_offsets, channels, 0.0, _twe, (delays, centre, nu + lmbda)
    )


@compiled
def _twe(
    x: Floats,
    n: int,
    reversed_y: Floats,
    m: int,
    parameters: tuple[Floats, int, float],
    diagonals: Floats,
) -> float:
    """Compute the distance of one pair; the point before the first of each is 0, at time 0."""
    return _last_cell(_fill_twe, x, n, reversed_y, m, n + m, parameters, diagonals)


@compiled(inline="always")
def _fill_twe(
    x: Floats,
    reversed_y: Floats,
    place: Place,
    across: Floats,
    above: Floats,
    beside: Floats,
    cells: Floats,
    parameters: tuple[Floats, int, float],
) -> None:
    """Fill one diagonal by the recurrence of `TWE`; see `_last_cell` for the arguments.

    ``parameters`` are the costs of delays and their ``centre``, as `_delays` computes them, and the
    cost of a deletion.
    """
    number, first, stop, shift = place
    delays, centre, deletion = parameters
    x_now, x_before = x[first + 1 : stop + 1], x[first:stop]
    y_now = reversed_y[first + shift : stop + shift]
    y_before = reversed_y[first + shift + 1 : stop + shift + 1]
    start = centre - (number >> 1)
    delay = delays[number & 1, first + start : stop + start]
    for k in range(cells.size):
        match = across[k] + (abs(x_now[k] - y_now[k]) + abs(x_before[k] - y_before[k])) + delay[k]
        delete = above[k] + abs(x_now[k] - x_before[k])
        insert = beside[k] + abs(y_now[k] - y_before[k])
        cells[k] = min(match, min(delete, insert) + deletion)


@compiled
def _delays(n: int, centre: int, nu: float) -> Floats:
    """Compute the cost 2 nu |i - j| of the delay between two points, contiguous along each
    diagonal.

    Along the diagonal 2 h + odd, i - j = 2 (i - h) - odd: row ``odd`` of the result has its cost at
    position centre + i - h.
    """
    costs = np.empty((2, n + centre))
    for odd in range(2):
        for position in range(n + centre):
            costs[odd, position] = 2.0 * nu * abs(2 * (position - centre) - odd)
    return costs


@compiled(inline="always")
def _all_pairs(
    left: Floats,
    left_offsets: Offsets,
    right: Floats,
    right_offsets: Offsets,
    channels: int,
    before: float,
    table: Callable[..., float],
    parameters: Any,
) -> Floats:
    """Compute the distances of all pairs of a left and a right series, summed over the channels.

    ``table(x, n, reversed_y, m, parameters, diagonals)`` returns the distance of one pair of
    channels: the n points ``x[1 : n + 1]``, ``before`` at ``x[0]``, and the m points
    ``reversed_y[:m]``, last point first, ``before`` at ``reversed_y[m]``. ``diagonals`` is working
    memory.
    """
    distances = np.zeros((left_offsets.size - 1, right_offsets.size - 1))
    x = np.empty(_longest(left_offsets) // channels + 1)
    reversed_y = np.empty(_longest(right_offsets) // channels + 1)
    diagonals = np.empty((3, x.size + 2))
    for row in range(distances.shape[0]):
        for channel in range(channels):
            n = _copy_channel(left, left_offsets, row, channel, channels, before, x)
            for column in range(distances.shape[1]):
                m = _copy_channel_reversed(
                    right, right_offsets, column, channel, channels, before, reversed_y
                )
                distances[row, column] += table(x, n, reversed_y, m, parameters, diagonals)
    return distances


@compiled
def _longest(offsets: Offsets) -> int:
    """Return the largest number of values in a series, all channels together; 0 in an empty
    sample.
    """
    most = 0
    for index in range(offsets.size - 1):
        most = max(most, offsets[index + 1] - offsets[index])
    return most


@compiled(inline="always")
def _copy_channel(
    values: Floats,
    offsets: Offsets,
    index: int,
    channel: int,
    channels: int,
    before: float,
    line: Floats,
) -> int:
    """Write ``before`` and then one channel of series ``index`` into ``line``; return the number of
    its points.
    """
    length = (offsets[index + 1] - offsets[index]) // channels
    start = offsets[index] + channel * length
    line[0] = before
    for point in range(length):
        line[point + 1] = values[start + point]
    return length  # type: ignore[no-any-return]


@compiled
def _copy_channel_reversed(
    values: Floats,
    offsets: Offsets,
    index: int,
    channel: int,
    channels: int,
    before: float,
    line: Floats,
) -> int:
    """Like `_copy_channel`, last point first: ``before`` follows the points."""
    length = (offsets[index + 1] - offsets[index]) // channels
    start = offsets[index] + channel * length
    for point in range(length):
        line[length - 1 - point] = values[start + point]
    line[length] = before
    return length  # type: ignore[no-any-return]


@compiled(inline="always")
def _last_cell(
    fill: Callable[..., None],
    x: Floats,
    n: int,
    reversed_y: Floats,
    m: int,
    radius: int,
    parameters: Any,
    diagonals: Floats,
) -> float:
    """Fill an n x m table, one anti-diagonal after the other, and return its last cell D(n - 1, m -
    1).

    ``fill(x, reversed_y, place, across, above, beside, cells, parameters)`` computes the cells D(i,
    j) of one diagonal from ``across``, D(i-1, j-1), ``above``, D(i-1, j), and ``beside``, D(i,
    j-1), all in the order of i. Only cells with |i - j| <= radius are filled, which is at least |n
    - m|. ``diagonals`` is working memory of shape (3, n + 2) or wider.
    """
    before_last, last, current = diagonals[0], diagonals[1], diagonals[2]
    # cell (0, 0) is reached from (-1, -1), at no cost, and from nowhere else
    before_last[0] = 0.0
    before_last[1] = last[0] = last[1] = np.inf
    for number in range(n + m - 1):
        first, stop = _rows_of_diagonal(number, n, m, radius)
        # point j of y is reversed_y[m - 1 - j], and j = number - i
        fill(
            x,
            reversed_y,
            (number, first, stop, m - 1 - number),
            before_last[first:stop],
            last[first:stop],
            last[first + 1 : stop + 1],
            current[first + 1 : stop + 1],
            parameters,
        )
        current[first] = current[stop + 1] = np.inf
        before_last, last, current = last, current, before_last
    return last[n]  # type: ignore[no-any-return]


@compiled
def _rows_of_diagonal(number: int, n: int, m: int, radius: int) -> tuple[int, int]:
    """Return the first row i, and the row after the last, of the cells (i, number - i) of an n x m
    table, |i - j| <= radius.
    """
    first = max(0, number - m + 1, (number - radius + 1) >> 1)
    stop = min(n, number + 1, ((number + radius) >> 1) + 1)
    return first, stop
