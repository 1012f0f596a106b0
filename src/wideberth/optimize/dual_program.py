r"""Dual linear programs of large-margin functions, in one multiplier for each object, and the hard
margin solved through them.

The functions are :math:`f = \sum_k \beta_k c_k + b` with columns :math:`c_k`, such as distances to
objects, and the norm :math:`|\beta|_1`. In the dual programs each column is a row, so that column
generation adds rows and the dual simplex method continues from its last basis. :math:`y_j` are the
labels, -1 or 1.
"""

import math
from dataclasses import dataclass
from typing import NamedTuple

import highspy
import numpy as np
from numpy.typing import NDArray

from wideberth.array_types import Flags, Floats, Indices
from wideberth.optimize.column_generation import (
    Coefficients,
    Columns,
    DistancePoint,
    GeneratedColumns,
    RunningPrices,
    SparseRows,
    constant,
)
from wideberth.optimize.simplex import empty_program, solved
from wideberth.optimize.solution import Solution
from wideberth.rounding import SOLVER_ERROR

#: The status of HiGHS for -1, 0 and 1 in a `Guess`: at the lower bound, between the bounds, at the
#: upper bound; and the reverse.
_STATUS = np.array(
    [
        highspy.HighsBasisStatus.kLower,
        highspy.HighsBasisStatus.kBasic,
        highspy.HighsBasisStatus.kUpper,
    ]
)
_PLACES = {highspy.HighsBasisStatus.kBasic: 0, highspy.HighsBasisStatus.kUpper: 1}
#: A margin below this share of the scale of the columns counts as none.
MARGIN_FLOOR = SOLVER_ERROR


@dataclass(frozen=True, eq=False)
class DualVertex:
    """An optimal vertex of a program with the rows that it has so far.

    Attributes
    ----------
    multipliers : ndarray of shape (n,)
        The dual variable a of each object.
    coefficients : ndarray of shape (rows,)
        The primal coefficient of each row, for the scaled rows of `GeneratedColumns`.
    intercept : float
        The primal intercept, for the shifted rows.
    """

    multipliers: Floats
    coefficients: Floats
    intercept: float


class Guess(NamedTuple):
    """A basis to start from: what is at its lower bound (-1), at its upper bound (1), or between
    them (0).

    Attributes
    ----------
    objects : ndarray of int8, shape (n,)
        For the multipliers.
    rows : ndarray of int8, shape (rows,)
        For the rows, without the row y'a = 0.
    """

    objects: NDArray[np.int8]
    rows: NDArray[np.int8]


class SoftProgram:
    r"""The dual of the soft margin: maximise :math:`\sum_j a_j` subject to :math:`0 \leq a_j \leq
    u_j`, :math:`y'a = 0` and
    :math:`-1 \leq r'a \leq 1` for all rows r.

    :math:`u_j` is the price of the slack of object j. New rows, and other upper bounds, leave the
    last basis dual feasible, so that the dual simplex method continues from there.

    Parameters
    ----------
    signs : ndarray of shape (n,)
        The labels y, -1 or 1. There are no rows yet, and all upper bounds are 0.

    Examples
    --------
    Two objects of different labels at 0 and 4; the one row is the coordinate times the label:

    >>> program = SoftProgram(np.array([-1.0, 1.0]))
    >>> program.set_upper(np.array([5.0, 5.0]))
    >>> program.add(SparseRows(np.array([0], np.int32), np.array([1], np.int32), np.array([4.0])))
    >>> vertex = program.solve(deadline=math.inf)
    >>> vertex.multipliers, vertex.coefficients, vertex.intercept  # f(x) = x / 2 - 1
    (array([0.25, 0.25]), array([0.5]), -1.0)
    """

    def __init__(self, signs: Floats) -> None:
        n = len(signs)
        self._objects = np.arange(n, dtype=np.int32)
        self._highs = empty_program()
        self._highs.addVars(n, np.zeros(n), np.zeros(n))
        self._highs.changeColsCost(n, self._objects, -np.ones(n))
        self._highs.addRow(0.0, 0.0, n, self._objects, signs)

    def set_upper(self, upper: Floats) -> None:
        """Set the upper bounds u of the multipliers, shape (n,)."""
        self._highs.changeColsBounds(len(upper), self._objects, np.zeros(len(upper)), upper)

    def add(self, rows: SparseRows) -> None:
        """Add the rows r of new columns."""
        count = len(rows.starts)
        self._highs.addRows(
            count,
            -np.ones(count),
            np.ones(count),
            len(rows.values),
            rows.starts,
            rows.columns,
            rows.values,
        )

    def basis(self) -> Guess:
        """The basis of the last optimum."""
        found = self._highs.getBasis()
        statuses = found.col_status, found.row_status[1:]
        return Guess(
            *(np.array([_PLACES.get(status, -1) for status in part], np.int8) for part in statuses)
        )

    def begin(self, guess: Guess) -> None:
        """Let the next `solve` start from a guessed basis. HiGHS completes or corrects a guess that
        is not a basis.
        """
        basis = highspy.HighsBasis()
        basis.col_status = _STATUS[guess.objects + 1].tolist()
        basis.row_status = [highspy.HighsBasisStatus.kLower, *_STATUS[guess.rows + 1]]
        basis.valid = True
        basis.alien = (
            np.count_nonzero(guess.objects == 0) != np.count_nonzero(guess.rows) + 1
        )  # too many or too few basic ones
        self._highs.setBasis(basis)

    def solve(self, deadline: float) -> DualVertex | None:
        """The optimum of the rows so far, or None if it is not found before ``deadline``, a time of
        ``time.monotonic``.
        """
        if not solved(self._highs, deadline):
            return None
        found = self._highs.getSolution()
        duals = -np.array(found.row_dual)
        return DualVertex(np.array(found.col_value), duals[1:], float(duals[0]))


class MarginProgram:
    r"""The dual of the hard margin: minimise t subject to :math:`a \geq 0`, :math:`\sum_j a_j = 1`,
    :math:`y'a = 0` and
    :math:`-t \leq r'a \leq t` for all rows r.

    The minimum is the largest margin :math:`\min_j y_j f(x_j)` of the functions of the rows with
    :math:`|\beta|_1 \leq 1`. It is always feasible if both signs are among the active objects.

    Parameters
    ----------
    signs : ndarray of shape (n,)
        The labels y, -1 or 1.
    active : ndarray of bool, shape (n,)
        The objects that count; the others have multiplier 0.

    Examples
    --------
    Two objects at 0 and 4 of different labels: with a slope of at most 1 the margin is 2.

    >>> program = MarginProgram(np.array([-1.0, 1.0]), np.array([True, True]))
    >>> program.add(SparseRows(np.array([0], np.int32), np.array([1], np.int32), np.array([4.0])))
    >>> vertex = program.solve(deadline=math.inf)
    >>> vertex.multipliers, vertex.coefficients, vertex.intercept  # f(x) = x - 2
    (array([0.5, 0.5]), array([1.]), -2.0)
    """

    def __init__(self, signs: Floats, active: Flags) -> None:
        n = self._n = len(signs)
        self._highs = empty_program()
        self._highs.addVars(
            n + 1, np.zeros(n + 1), np.where(np.append(active, True), highspy.kHighsInf, 0.0)
        )
        self._highs.changeColCost(n, 1.0)
        objects = np.arange(n, dtype=np.int32)
        self._highs.addRow(0.0, 0.0, n, objects, signs)
        self._highs.addRow(1.0, 1.0, n, objects, np.ones(n))

    def add(self, rows: SparseRows) -> None:
        """Add rows, each as two: r'a - t <= 0 and r'a + t >= 0."""
        ends = np.append(rows.starts[1:], len(rows.values))
        for start, end in zip(rows.starts, ends, strict=True):
            columns = np.append(rows.columns[start:end], np.int32(self._n))
            for sign, lower, upper in (
                (-1.0, -highspy.kHighsInf, 0.0),
                (1.0, 0.0, highspy.kHighsInf),
            ):
                self._highs.addRow(
                    lower, upper, len(columns), columns, np.append(rows.values[start:end], sign)
                )

    def solve(self, deadline: float) -> DualVertex | None:
        """The optimum of the rows so far, or None if it is not found before ``deadline``, a time of
        ``time.monotonic``.
        """
        if not solved(self._highs, deadline):
            return None
        found = self._highs.getSolution()
        duals = -np.array(found.row_dual)
        return DualVertex(
            np.array(found.col_value)[: self._n],
            duals[2:].reshape(-1, 2).sum(axis=1),
            float(duals[0]),
        )


def widest_margin(
    columns: Columns,
    signs: Floats,
    active: Flags,
    start: Indices,
    *,
    tol: float,
    deadline: float = math.inf,
) -> Solution:
    r"""The hard margin: minimise :math:`|\beta|_1` with :math:`y_j (\sum_k \beta_k c_k(x_j) + b)
    \geq 1` for all active objects.

    The equivalent program of the largest margin t among functions with :math:`|\beta|_1 \leq 1` is
    always feasible; its dual is to minimise the largest price :math:`t = \max_k |\sum_j a_j y_j
    c_k(x_j)|` over :math:`a \geq 0` with
    :math:`\sum_j a_j = 1` and :math:`y'a = 0`. A margin of t is a norm of 1 / t.

    Parameters
    ----------
    columns : Columns
        All columns that may be used.
    signs : ndarray of shape (n,)
        The labels y, -1 or 1.
    active : ndarray of bool, shape (n,)
        The objects that count, with both signs among them.
    start : ndarray of int
        The columns that are generated first.
    tol : float
        The relative gap at which it stops.
    deadline : float
        A time of ``time.monotonic``; when it has passed, the best solution so far is returned.

    Returns
    -------
    Solution
        ``point`` is a `DistancePoint`, ``value`` its norm. If no function separates the classes,
        the status is "infeasible", the value is infinite, and the multipliers prove it (the largest
        price is 0).

    Examples
    --------
    Two objects 4 apart, and the distances to them as columns: the slope is at least 1/2 for values
    of -1 and 1.

    >>> from types import SimpleNamespace
    >>> table = np.array([[0.0, 4.0], [4.0, 0.0]])
    >>> columns = SimpleNamespace(
    ...     n_rows=2,
    ...     n_columns=2,
    ...     scale=4.0,
    ...     columns=lambda k: table[:, k],
    ...     price=lambda v: v @ table,
    ... )
    >>> found = widest_margin(
    ...     columns, np.array([-1.0, 1.0]), np.array([True, True]), np.array([0]), tol=1e-6
    ... )
    >>> found.value, found.status
    (0.5, 'optimal')
    """
    program, generated, prices = (
        MarginProgram(signs, active),
        GeneratedColumns(columns, signs),
        RunningPrices(columns, signs),
    )
    if len(start):
        program.add(generated.add(start))
    point, value, lower = constant(0.0, np.zeros(len(signs))), math.inf, 0.0
    while True:
        vertex = program.solve(deadline)
        if vertex is None:
            return Solution(point, value, lower, "stopped at max_time")
        multipliers = _halves(prices.settled(np.maximum(vertex.multipliers, 0.0)), signs)
        priced = prices.at(multipliers)
        largest = float(np.abs(priced).max(initial=0.0))
        if largest <= MARGIN_FLOOR * generated.scale:
            return Solution(constant(0.0, multipliers), math.inf, math.inf, "infeasible")
        if 1.0 / largest > lower:
            lower = 1.0 / largest
            point = DistancePoint(point.coefficients, point.intercept, multipliers / largest)
        coefficients, _, sums = generated.function(vertex.coefficients, vertex.intercept)
        widest = hardened(coefficients, sums, signs, active, generated.scale)
        if widest is not None and widest.norm < value:
            point, value = (
                DistancePoint(widest.coefficients, widest.intercept, point.multipliers),
                widest.norm,
            )
        if lower >= (1.0 - tol) * value:
            return Solution(point, value, lower, "optimal")
        limit = float(np.abs(priced[generated.indices]).max(initial=0.0))
        rows = generated.add_violated(priced, limit * (1.0 + SOLVER_ERROR))
        if rows is None:
            return Solution(point, value, lower, "stopped at rounding")
        program.add(rows)


def hardened(
    coefficients: Coefficients, sums: Floats, signs: Floats, active: Flags, scale: float
) -> DistancePoint | None:
    """Shift a function to the middle of its margin and scale it so that the margin is 1.

    Parameters
    ----------
    coefficients : Coefficients
    sums : ndarray of shape (n,)
        The values of the function at the objects without an intercept: next to a large intercept,
        rounding would hide a small margin.
    signs : ndarray of shape (n,)
        The labels, -1 or 1.
    active : ndarray of bool, shape (n,)
        The objects that count.
    scale : float
        The scale of the columns.

    Returns
    -------
    DistancePoint or None
        With multipliers 0. None if the function does not separate the active objects.

    Examples
    --------
    >>> found = hardened(
    ...     Coefficients(np.array([4]), np.array([1.0])),
    ...     np.array([1.0, 5.0, 9.0]),
    ...     np.array([-1.0, 1.0, 1.0]),
    ...     np.full(3, True),
    ...     1.0,
    ... )
    >>> found.coefficients.values, found.intercept
    (array([0.5]), -1.5)
    """
    lowest, highest = (
        float(sums[active & (signs > 0)].min()),
        float(sums[active & (signs < 0)].max()),
    )
    margin, middle = 0.5 * (lowest - highest), 0.5 * (lowest + highest)
    if margin <= MARGIN_FLOOR * scale * float(np.abs(coefficients.values).sum()):
        return None
    scaled = Coefficients(coefficients.indices, coefficients.values / margin)
    return DistancePoint(scaled, -middle / margin, np.zeros(len(signs)))


def _halves(multipliers: Floats, signs: Floats) -> Floats:
    """The multipliers scaled so that those of either sign add up to one half; then a is
    feasible.
    """
    sums = np.where(signs > 0, multipliers @ (signs > 0), multipliers @ (signs < 0))
    return 0.5 * multipliers / sums
