"""Compiled loops of the LP machine: weighted sums of rows, which price columns; coordinate
descent.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from wideberth.array_types import Floats, Indices
from wideberth.compilation import compiled


@compiled
def add_rows(
    block: NDArray[Any],
    rows: Indices,
    values: Floats,
    first: int,
    out: Floats,
    table: Floats | None = None,
) -> None:
    """Add weighted rows of a matrix, or of a table of its entries, to running sums.

    Without a table, ``out[q, k] += sum_i values[i, q] * block[rows[i], first + k]``. With one, the
    block holds whole numbers and ``table[block[...]]`` takes the place of ``block[...]``: a radial
    function of integer distances is looked up, not computed. numba compiles each of the two cases
    without the branch of the other.

    The rows are added one after the other, so that the result does not depend on how a caller cuts
    the columns into pieces. Rows with the value 0 are skipped. Nothing is checked: all indices must
    be in range.

    Examples
    --------
    >>> import numpy as np
    >>> block, sums = np.array([[1.0, 2.0, 3.0], [10.0, 20.0, 30.0]]), np.zeros((1, 2))
    >>> add_rows(block, np.array([0, 1]), np.array([[1.0], [0.5]]), 1, sums)
    >>> sums
    array([[12., 18.]])
    """
    width = out.shape[1]
    for i in range(rows.size):
        line = block[rows[i], first : first + width]
        for q in range(out.shape[0]):
            value = values[i, q]
            if value != 0.0:
                total = out[q]
                for k in range(width):
                    if table is None:
                        total[k] += value * line[k]
                    else:
                        total[k] += value * table[line[k]]


#: Sums may be added in any order, so that the compiler adds several numbers at once.
_ANY_ORDER = {"reassoc", "contract", "nsz"}
#: The least curvature of a Newton step, as a share of the curvature if all objects were inside of
#: the band.
_LEAST_CURVATURE = 0.1
#: A coefficient at 0 is skipped for some passes if its slope is below this share of the one from
#: which on it moves.
_CLEARLY_IDLE = 0.98
#: The share of what the slope promises by which a Newton step has to lower the objective.
_ENOUGH = 0.1


@compiled
def descend(
    columns: Floats,
    squares: Floats,
    signs: Floats,
    prices: Floats,
    band: float,
    coefficients: Floats,
    shortfalls: Floats,
    tol: float,
    passes: int,
) -> float:
    r"""Lower :math:`|\beta|_1 + \sum_j p_j H(1 - y_j f_j)` with :math:`f = \sum_k \beta_k a_k + b`
    by coordinate descent.

    H is the hinge loss, rounded over a band of width :math:`\gamma`: 0 below 0, :math:`t^2 / 2
    \gamma` up to :math:`\gamma`, and :math:`t - \gamma / 2` above. A coefficient, or the intercept,
    takes a Newton step with the curvature of the objects inside of the band; if that does not lower
    the objective enough (the rule of Armijo), the shorter step that is right if all objects are
    inside, which always does. So the objective never rises, and converges to its minimum (Tseng &
    Yun 2009). Coefficients at 0 that clearly stay there are skipped until the others have settled.
    Nothing is checked.

    Examples
    --------
    >>> columns, signs, prices = np.array([[-1.0, 1.0]]), np.array([-1.0, 1.0]), np.full(2, 10.0)
    >>> coefficients, shortfalls = np.zeros(1), np.full(2, 10.0)
    >>> shift = descend(
    ...     columns, np.full(1, 20.0), signs, prices, 0.1, coefficients, shortfalls, 1e-9, 50
    ... )
    >>> coefficients, shortfalls  # the slope of 20 H(t) is 20 t / 0.1, which is 1 at t = 0.005
    (array([0.995]), array([0.05, 0.05]))
    """
    m, n = columns.shape
    pulls, moves, ones, idle = np.empty(n), np.empty(n), np.empty(n), np.zeros(m, np.bool_)
    total = 0.0
    for j in range(n):
        pulls[j], moves[j], ones[j] = prices[j] * signs[j], signs[j] / band, 1.0
        total += prices[j]
    loss = _move(ones, moves, 0.0, prices, band, shortfalls)
    shift, everything = 0.0, True
    for _ in range(passes):
        slope, curvature = _slope_and_curvature(ones, pulls, prices, shortfalls)
        step = -slope * band / max(curvature, _LEAST_CURVATURE * total)
        after = _move(ones, moves, step, prices, band, shortfalls)
        if after - loss > _ENOUGH * slope * step:
            safe = -slope * band / total
            after = _move(ones, moves, safe - step, prices, band, shortfalls)
            step = safe
        shift, loss = shift + step, after
        worst = 0.0
        for k in range(m):
            if idle[k] and not everything:
                continue
            column, old = columns[k], coefficients[k]
            slope, curvature = _slope_and_curvature(column, pulls, prices, shortfalls)
            idle[k] = old == 0.0 and abs(slope) < _CLEARLY_IDLE
            if old == 0.0 and abs(slope) <= 1.0:
                continue
            worst = max(worst, abs(slope) - 1.0 if old == 0.0 else abs(slope + np.sign(old)))
            new = _lowest(old, slope, max(curvature, _LEAST_CURVATURE * squares[k]) / band)
            if new == old:
                continue
            after = _move(column, moves, new - old, prices, band, shortfalls)
            longer = abs(new) - abs(old)
            if after - loss + longer > _ENOUGH * (slope * (new - old) + longer):
                safe = _lowest(old, slope, squares[k] / band)
                after = _move(column, moves, safe - new, prices, band, shortfalls)
                new = safe
            coefficients[k], loss = new, after
        if everything and worst <= tol:
            break
        everything = worst <= tol
    return shift


@compiled(fastmath=_ANY_ORDER)
def _slope_and_curvature(
    column: Floats, pulls: Floats, prices: Floats, shortfalls: Floats
) -> tuple[float, float]:
    """The slope of the rounded loss along a column, and its curvature times the width of the
    band.
    """
    slope, curvature = 0.0, 0.0
    for j in range(column.size):
        slope -= pulls[j] * min(max(shortfalls[j], 0.0), 1.0) * column[j]
        curvature += prices[j] * column[j] * column[j] if 0.0 < shortfalls[j] < 1.0 else 0.0
    return slope, curvature


@compiled(fastmath=_ANY_ORDER)
def _move(
    column: Floats, moves: Floats, step: float, prices: Floats, band: float, shortfalls: Floats
) -> float:
    """Take a step along a column; the rounded loss behind it."""
    loss = 0.0
    for j in range(column.size):
        shortfalls[j] -= moves[j] * step * column[j]
        inside = min(max(shortfalls[j], 0.0), 1.0)
        loss += prices[j] * inside * (shortfalls[j] - 0.5 * inside)
    return band * loss


@compiled
def _lowest(old: float, slope: float, curvature: float) -> float:
    """Where |x| + slope (x - old) + curvature (x - old)^2 / 2 is lowest."""
    free = old - slope / curvature
    if free > 1.0 / curvature:
        return free - 1.0 / curvature
    return free + 1.0 / curvature if free < -1.0 / curvature else 0.0
