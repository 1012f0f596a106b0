"""`ColdHighs`, which stands in for ``highspy.Highs`` where highspy is not installed: the HiGHS
inside scipy, which starts every program from nothing.

The same program has the same optimal value, but scipy keeps no basis from one solve to the next, so
that a program that grows in rounds takes longer; where several points are optimal, it may find
another one.
"""

import math
import time
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import coo_array, csr_array, vstack

from wideberth.array_types import Floats

#: A variable or a row that is closer to a bound than this, relative to the bound, is at it.
_AT_BOUND = 1e-9


class ModelStatus(Enum):
    """How a run of HiGHS can end, by the names of highspy."""

    kNotset = "Not Set"  # noqa: N815 - the names are highspy's
    kOptimal = "Optimal"  # noqa: N815
    kTimeLimit = "Time limit reached"  # noqa: N815
    kInfeasible = "Infeasible"  # noqa: N815
    kUnbounded = "Unbounded"  # noqa: N815
    kSolveError = "Solve error"  # noqa: N815


class BasisStatus(Enum):
    """Where a variable or a row is in a basis, by the names of highspy."""

    kLower = 0  # noqa: N815
    kBasic = 1  # noqa: N815
    kUpper = 2  # noqa: N815


@dataclass
class Basis:
    """Which variables and rows are at their bounds, with the fields of ``highspy.HighsBasis``."""

    col_status: list[Any] = field(default_factory=list)
    row_status: list[Any] = field(default_factory=list)
    valid: bool = False
    alien: bool = False


@dataclass
class Optimum:
    """A point and its multipliers, with the fields of ``highspy.HighsSolution``."""

    col_value: Floats
    row_value: Floats
    row_dual: Floats


#: How `scipy.optimize.linprog` says that it ended; anything else is an error of its arithmetic.
_ENDINGS = {
    0: ModelStatus.kOptimal,
    1: ModelStatus.kTimeLimit,
    2: ModelStatus.kInfeasible,
    3: ModelStatus.kUnbounded,
}
#: The simplex methods by highspy's numbers, and what scipy offers: the interior point method ends in
#: a vertex too.
_METHODS = {1: "highs-ds", 4: "highs-ipm"}


class ColdHighs:
    r"""A linear program for the HiGHS inside scipy, with the methods of ``highspy.Highs`` that we
    call.

    It minimises :math:`c'x` subject to :math:`l \leq x \leq u` and :math:`L \leq A x \leq U`. Each
    `run` starts from nothing: `setBasis` is without effect, and `getBasis` reads from the optimum
    what is at a bound. `cancelSolve` does nothing, since scipy's HiGHS cannot be interrupted.

    Examples
    --------
    Minimise x subject to x >= 3:

    >>> program = ColdHighs()
    >>> program.addVars(1, np.array([3.0]), np.array([np.inf]))
    >>> program.changeColCost(0, 1.0)
    >>> program.run()
    >>> program.getModelStatus().value, program.getObjectiveValue()
    ('Optimal', 3.0)
    """

    def __init__(self) -> None:
        self.HandleUserInterrupt = False
        self._options: dict[str, Any] = {}
        self._costs = self._lower = self._upper = np.empty(0)
        self._row_lower = self._row_upper = np.empty(0)
        self._entries: list[tuple[Any, Any, Any]] = []  # rows, columns and values
        self._seconds = 0.0
        self.clearSolver()

    # ---- the program -----------------------------------------------------------------------------

    def setOptionValue(self, name: str, value: Any) -> None:  # noqa: N802 - here and below, highspy's
        """Set an option of HiGHS; those that scipy does not know are without effect."""
        self._options[name] = value

    def getOptionValue(self, name: str) -> tuple[None, Any]:  # noqa: N802
        """A status, which is of no interest, and the value of an option."""
        return None, self._options.get(name)

    def addVar(self, lower: float, upper: float) -> None:  # noqa: N802
        """Add a variable without cost."""
        self.addVars(1, [lower], [upper])

    def addVars(self, count: int, lower: ArrayLike, upper: ArrayLike) -> None:  # noqa: N802
        """Add variables without cost."""
        self._costs = np.append(self._costs, np.zeros(count))
        self._lower, self._upper = np.append(self._lower, lower), np.append(self._upper, upper)

    def addCols(  # noqa: N802
        self,
        count: int,
        costs: ArrayLike,
        lower: ArrayLike,
        upper: ArrayLike,
        entries: int,
        starts: ArrayLike,
        rows: ArrayLike,
        values: ArrayLike,
    ) -> None:
        """Add variables with costs and with coefficients in the rows that are there."""
        first = len(self._costs)
        self.addVars(count, lower, upper)
        self._costs[first:] = costs
        self._entries.append((rows, first + _owners(starts, entries, count), values))

    def addRow(  # noqa: N802
        self, lower: float, upper: float, entries: int, columns: ArrayLike, values: ArrayLike
    ) -> None:
        """Add a row."""
        self.addRows(1, [lower], [upper], entries, [0], columns, values)

    def addRows(  # noqa: N802
        self,
        count: int,
        lower: ArrayLike,
        upper: ArrayLike,
        entries: int,
        starts: ArrayLike,
        columns: ArrayLike,
        values: ArrayLike,
    ) -> None:
        """Add rows: row i has its coefficients from ``starts[i]`` on."""
        first = len(self._row_lower)
        self._row_lower = np.append(self._row_lower, lower)
        self._row_upper = np.append(self._row_upper, upper)
        self._entries.append((first + _owners(starts, entries, count), columns, values))

    def changeColCost(self, column: int, cost: float) -> None:  # noqa: N802
        """Change the cost of a variable."""
        self._costs[column] = cost

    def changeColsCost(self, count: int, columns: Any, costs: Any) -> None:  # noqa: N802
        """Change the costs of variables."""
        self._costs[columns] = costs

    def changeColsBounds(self, count: int, columns: Any, lower: Any, upper: Any) -> None:  # noqa: N802
        """Change the bounds of variables."""
        self._lower[columns], self._upper[columns] = lower, upper

    def getNumCol(self) -> int:  # noqa: N802
        """The number of variables."""
        return len(self._costs)

    def getNumRow(self) -> int:  # noqa: N802
        """The number of rows."""
        return len(self._row_lower)

    # ---- its optimum -----------------------------------------------------------------------------

    def run(self) -> None:
        """Solve it from nothing; `getModelStatus` tells how that ended."""
        from scipy.optimize import linprog  # takes long to load

        begun = time.monotonic()
        matrix, equal, above, below = self._matrix(), *self._kinds_of_rows()
        upper_rows = vstack([matrix[below], -matrix[above]], format="csr")
        ends = np.append(self._row_upper[below], -self._row_lower[above])
        limit = self._options.get("time_limit", math.inf) - self._seconds
        settings: dict[str, Any] = {
            name: self._options[name]
            for name in ("primal_feasibility_tolerance", "dual_feasibility_tolerance")
            if name in self._options
        }
        if math.isfinite(limit):
            settings["time_limit"] = max(limit, 0.0)
        solve: Any = linprog
        found = solve(
            self._costs,
            *((upper_rows, ends) if len(ends) else (None, None)),
            *((matrix[equal], self._row_lower[equal]) if equal.any() else (None, None)),
            bounds=np.column_stack([self._lower, self._upper]),
            method=_METHODS[self._options.get("simplex_strategy", 1)],
            options=settings,
        )
        self._seconds += time.monotonic() - begun
        self.clearSolver()
        self._status = _ENDINGS.get(found.status, ModelStatus.kSolveError)
        if self._status is ModelStatus.kOptimal:
            duals, n_below = np.zeros(len(self._row_lower)), int(np.count_nonzero(below))
            # the multipliers of scipy are derivatives by the right-hand sides, as highspy's are
            duals[below] += found.ineqlin.marginals[:n_below]
            duals[above] -= found.ineqlin.marginals[n_below:]
            duals[equal] = found.eqlin.marginals
            self._value = float(found.fun)
            self._optimum = Optimum(found.x, matrix @ found.x, duals)

    def clearSolver(self) -> None:  # noqa: N802
        """Forget the optimum."""
        self._status = ModelStatus.kNotset
        self._value = 0.0
        nothing = np.zeros(len(self._costs)), np.zeros(len(self._row_lower))
        self._optimum = Optimum(*nothing, nothing[1])

    def getModelStatus(self) -> ModelStatus:  # noqa: N802
        """How the last run ended."""
        return self._status

    def modelStatusToString(self, status: ModelStatus) -> str:  # noqa: N802
        """The words of HiGHS for a status."""
        return status.value

    def getObjectiveValue(self) -> float:  # noqa: N802
        """The value of the last optimum."""
        return self._value

    def getSolution(self) -> Optimum:  # noqa: N802
        """The last optimum."""
        return self._optimum

    def getBasis(self) -> Basis:  # noqa: N802
        """What is at a bound in the last optimum; where more than a basis allows is, it is no
        basis, and good as a guess only.
        """
        found = self._optimum
        return Basis(
            _places(found.col_value, self._lower, self._upper),
            _places(found.row_value, self._row_lower, self._row_upper),
            valid=self._status is ModelStatus.kOptimal,
            alien=True,
        )

    def setBasis(self, basis: Basis) -> None:  # noqa: N802
        """Nothing: scipy's HiGHS cannot start from a basis."""

    def getRunTime(self) -> float:  # noqa: N802
        """The seconds that all runs have taken."""
        return self._seconds

    def cancelSolve(self) -> None:  # noqa: N802
        """Nothing: scipy's HiGHS cannot be interrupted."""

    def _matrix(self) -> csr_array:
        """A, in one piece, which replaces what it was made of."""
        rows, columns, values = (
            np.concatenate([np.asarray(part[place]) for part in self._entries] or [np.empty(0)])
            for place in range(3)
        )
        self._entries = [(rows, columns, values)]
        shape = len(self._row_lower), len(self._costs)
        return coo_array((values, (rows.astype(np.int64), columns.astype(np.int64))), shape).tocsr()

    def _kinds_of_rows(self) -> tuple[Any, Any, Any]:
        """Which rows are equalities, and of the others which have a lower and which an upper
        bound.
        """
        equal = self._row_lower == self._row_upper
        return equal, ~equal & np.isfinite(self._row_lower), ~equal & np.isfinite(self._row_upper)


def _owners(starts: ArrayLike, entries: int, count: int) -> Any:
    """The row, or the column, of each of the entries of some that begin at ``starts``."""
    return np.repeat(np.arange(count), np.diff(np.append(starts, entries)))


def _places(values: Floats, lower: Floats, upper: Floats) -> list[Any]:
    """The status of each value between two bounds."""

    def at(bound: Floats) -> Any:
        finite = np.where(np.isfinite(bound), bound, 0.0)
        near = np.abs(values - finite) <= _AT_BOUND * (1.0 + np.abs(finite))
        return np.isfinite(bound) & near

    low, high = at(lower), at(upper)
    return [
        BasisStatus.kLower if is_low else BasisStatus.kUpper if is_high else BasisStatus.kBasic
        for is_low, is_high in zip(low.tolist(), high.tolist(), strict=True)
    ]
