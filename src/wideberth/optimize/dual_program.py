"""The dual linear programs on distances, in the multipliers of the objects, and the largest margin that they prove."""

import math
from dataclasses import dataclass
from typing import NamedTuple

import highspy
import numpy as np
from numpy.typing import NDArray

from wideberth.arrays import Flags, Floats, Indices
from wideberth.optimize.columns import Coefficients, Columns, DistancePoint, GeneratedColumns, RunningPrices, SparseRows, constant
from wideberth.optimize.simplex import empty_program, solved
from wideberth.optimize.solution import Solution
from wideberth.rounding import SOLVER_ERROR

#: HiGHS's words for what a `Guess` says: at the lower bound, between the bounds, at the upper bound; and back from these.
_STATUS = np.array([highspy.HighsBasisStatus.kLower, highspy.HighsBasisStatus.kBasic, highspy.HighsBasisStatus.kUpper])
_PLACES = {highspy.HighsBasisStatus.kBasic: 0, highspy.HighsBasisStatus.kUpper: 1}
#: Margins below this share of the scale cannot be told from none.
MARGIN_FLOOR = SOLVER_ERROR


@dataclass(frozen=True, eq=False)
class DualVertex:
    """An optimum of a program so far: its multipliers, and what its rows say of the primal program."""

    multipliers: Floats
    coefficients: Floats
    intercept: float


class Guess(NamedTuple):
    """What is at its lower bound (-1), at its upper one (1), or between them (0) in an optimum: of the objects, of the rows."""

    objects: NDArray[np.int8]
    rows: NDArray[np.int8]


class SoftProgram:
    r"""Maximise :math:`\sum_j a_j` subject to :math:`0 \leq a_j \leq u_j`, :math:`y'a = 0` and
    :math:`-1 \leq r'a \leq 1` for all rows r.

    More rows, and other upper bounds, leave the last basis dual feasible, so that the dual simplex method goes on from there.
    """

    def __init__(self, signs: Floats) -> None:
        n = len(signs)
        self._objects = np.arange(n, dtype=np.int32)
        self._highs = empty_program()
        self._highs.addVars(n, np.zeros(n), np.zeros(n))
        self._highs.changeColsCost(n, self._objects, -np.ones(n))
        self._highs.addRow(0.0, 0.0, n, self._objects, signs)

    def set_upper(self, upper: Floats) -> None:
        """Change the upper bounds of the multipliers."""
        self._highs.changeColsBounds(len(upper), self._objects, np.zeros(len(upper)), upper)

    def add(self, rows: SparseRows) -> None:
        """Add rows."""
        count = len(rows.starts)
        self._highs.addRows(count, -np.ones(count), np.ones(count), len(rows.values), rows.starts, rows.columns, rows.values)

    def basis(self) -> Guess:
        """What is at its bounds in the last optimum, and what is basic."""
        found = self._highs.getBasis()
        return Guess(
            *(np.array([_PLACES.get(each, -1) for each in part], np.int8) for part in (found.col_status, found.row_status[1:]))
        )

    def begin(self, guess: Guess) -> None:
        """Let the next solve begin from a basis that is guessed; HiGHS mends what is no basis."""
        basis = highspy.HighsBasis()
        basis.col_status = _STATUS[guess.objects + 1].tolist()
        basis.row_status = [highspy.HighsBasisStatus.kLower, *_STATUS[guess.rows + 1]]
        basis.valid = True
        basis.alien = np.count_nonzero(guess.objects == 0) != np.count_nonzero(guess.rows) + 1  # too many or too few of them
        self._highs.setBasis(basis)

    def solve(self, deadline: float) -> DualVertex | None:
        """The optimum of the rows so far, or None if it is not found before ``deadline``, a time of ``time.monotonic``."""
        if not solved(self._highs, deadline):
            return None
        found = self._highs.getSolution()
        duals = -np.array(found.row_dual)
        return DualVertex(np.array(found.col_value), duals[1:], float(duals[0]))


class MarginProgram:
    r"""Minimise t subject to :math:`a \geq 0`, :math:`\sum_j a_j = 1`, :math:`y'a = 0` and
    :math:`-t \leq r'a \leq t` for all rows r.

    Objects that are not ``there`` have multiplier 0. It is feasible if both signs are among the others; t is the largest margin
    of functions of the rows with :math:`|\beta|_1 \leq 1`.
    """

    def __init__(self, signs: Floats, there: Flags) -> None:
        n = self._n = len(signs)
        self._highs = empty_program()
        self._highs.addVars(n + 1, np.zeros(n + 1), np.where(np.append(there, True), highspy.kHighsInf, 0.0))
        self._highs.changeColCost(n, 1.0)
        objects = np.arange(n, dtype=np.int32)
        self._highs.addRow(0.0, 0.0, n, objects, signs)
        self._highs.addRow(1.0, 1.0, n, objects, np.ones(n))

    def add(self, rows: SparseRows) -> None:
        """Add rows, each as two: r'a - t <= 0 and r'a + t >= 0."""
        ends = np.append(rows.starts[1:], len(rows.values))
        for start, end in zip(rows.starts, ends, strict=True):
            columns = np.append(rows.columns[start:end], np.int32(self._n))
            for sign, lower, upper in ((-1.0, -highspy.kHighsInf, 0.0), (1.0, 0.0, highspy.kHighsInf)):
                self._highs.addRow(lower, upper, len(columns), columns, np.append(rows.values[start:end], sign))

    def solve(self, deadline: float) -> DualVertex | None:
        """The optimum of the rows so far, or None if it is not found before ``deadline``, a time of ``time.monotonic``."""
        if not solved(self._highs, deadline):
            return None
        found = self._highs.getSolution()
        duals = -np.array(found.row_dual)
        return DualVertex(np.array(found.col_value)[: self._n], duals[2:].reshape(-1, 2).sum(axis=1), float(duals[0]))


def widest_margin(
    columns: Columns, signs: Floats, there: Flags, start: Indices, *, tol: float, deadline: float = math.inf
) -> Solution:
    r"""Minimise :math:`|\beta|_1` subject to :math:`y_j (\sum_k \beta_k c_k(x_j) + b) \geq 1` for the objects that are ``there``.

    The program of the largest margin of functions with :math:`|\beta|_1 \leq 1` is always feasible: its dual is to minimise the
    largest price :math:`t = \max_k |\sum_j a_j y_j c_k(x_j)|` over :math:`a \geq 0` with :math:`\sum_j a_j = 1` and
    :math:`y'a = 0`. A margin of t is a norm of 1 / t; if t is 0, the multipliers prove that there is none, and the
    status is "infeasible". The columns at ``start`` are generated first.
    """
    program, generated, prices = MarginProgram(signs, there), GeneratedColumns(columns, signs), RunningPrices(columns, signs)
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
        widest = hardened(coefficients, sums, signs, there, generated.scale)
        if widest is not None and widest.norm < value:
            point, value = DistancePoint(widest.coefficients, widest.intercept, point.multipliers), widest.norm
        if lower >= (1.0 - tol) * value:
            return Solution(point, value, lower, "optimal")
        limit = float(np.abs(priced[generated.indices]).max(initial=0.0))
        rows = generated.add_violated(priced, limit * (1.0 + SOLVER_ERROR))
        if rows is None:
            return Solution(point, value, lower, "stopped at rounding")
        program.add(rows)


def hardened(coefficients: Coefficients, sums: Floats, signs: Floats, there: Flags, scale: float) -> DistancePoint | None:
    """The function of these coefficients moved to the middle of its margin and scaled so that this is 1; None if it has none.

    ``sums`` are its values without an intercept: beside that, a small margin would drown in rounding.

    >>> found = hardened(Coefficients(np.array([4]), np.array([1.0])), np.array([1.0, 5.0, 9.0]), np.array([-1.0, 1.0, 1.0]),
    ...                  np.full(3, True), 1.0)
    >>> found.coefficients.values, found.intercept
    (array([0.5]), -1.5)
    """
    lowest, highest = float(sums[there & (signs > 0)].min()), float(sums[there & (signs < 0)].max())
    margin, middle = 0.5 * (lowest - highest), 0.5 * (lowest + highest)
    if margin <= MARGIN_FLOOR * scale * float(np.abs(coefficients.values).sum()):
        return None
    scaled = Coefficients(coefficients.indices, coefficients.values / margin)
    return DistancePoint(scaled, -middle / margin, np.zeros(len(signs)))


def _halves(multipliers: Floats, signs: Floats) -> Floats:
    """The multipliers with a sum of one half for either sign."""
    sums = np.where(signs > 0, multipliers @ (signs > 0), multipliers @ (signs < 0))
    return 0.5 * multipliers / sums
