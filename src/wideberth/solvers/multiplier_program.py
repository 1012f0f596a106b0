"""The dual linear programs on distances: their variables are the multipliers of the objects, their rows generated columns."""

from dataclasses import dataclass
from typing import NamedTuple

import highspy
import numpy as np
from numpy.typing import NDArray

from wideberth.solvers.distance_point import Floats
from wideberth.solvers.generated_columns import SparseRows
from wideberth.solvers.simplex import empty_program, solved

#: The statuses of what is at its lower bound, between the bounds, and at its upper bound.
_STATUS = np.array([highspy.HighsBasisStatus.kLower, highspy.HighsBasisStatus.kBasic, highspy.HighsBasisStatus.kUpper])
_PLACES = {highspy.HighsBasisStatus.kBasic: 0, highspy.HighsBasisStatus.kUpper: 1}


@dataclass(frozen=True, eq=False)
class Vertex:
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

    def solve(self, deadline: float) -> Vertex | None:
        """The optimum of the rows so far, or None if it is not found before ``deadline``, a time of ``time.monotonic``."""
        if not solved(self._highs, deadline):
            return None
        found = self._highs.getSolution()
        duals = -np.array(found.row_dual)
        return Vertex(np.array(found.col_value), duals[1:], float(duals[0]))


class MarginProgram:
    r"""Minimise t subject to :math:`a \geq 0`, :math:`\sum_j a_j = 1`, :math:`y'a = 0` and
    :math:`-t \leq r'a \leq t` for all rows r.

    Objects that are not ``there`` have multiplier 0. It is feasible if both signs are among the others; t is the largest margin
    of functions of the rows with :math:`|\beta|_1 \leq 1`.
    """

    def __init__(self, signs: Floats, there: NDArray[np.bool_]) -> None:
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

    def solve(self, deadline: float) -> Vertex | None:
        """The optimum of the rows so far, or None if it is not found before ``deadline``, a time of ``time.monotonic``."""
        if not solved(self._highs, deadline):
            return None
        found = self._highs.getSolution()
        duals = -np.array(found.row_dual)
        return Vertex(np.array(found.col_value)[: self._n], duals[2:].reshape(-1, 2).sum(axis=1), float(duals[0]))
