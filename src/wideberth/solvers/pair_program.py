"""A linear program whose rows are pairs of objects, grown row by row in HiGHS and solved again from where it stood."""

from dataclasses import dataclass
from typing import Any

import highspy
import numpy as np
from numpy.typing import NDArray

from wideberth.optimize.simplex import empty_program, solved


@dataclass(frozen=True)
class Vertex:
    """An optimum of the program so far: the slack of each object, the slope, and the value, which bounds the whole one below."""

    slacks: NDArray[np.float64]
    slope: float
    value: float


class PairProgram:
    r"""Minimise :math:`\rho + \sum_i c_i u_i` subject to :math:`u_i + u_j + \rho\, d_{ij} \geq 2` for the pairs added so far.

    :math:`0 \leq u_i \leq 2` and :math:`\rho \geq 0`. Leaving pairs out only enlarges the set of feasible points, so the value
    bounds that of the whole program from below. The dual simplex method starts from the last basis, which new rows leave dual
    feasible.
    """

    def __init__(self, costs: NDArray[np.float64]) -> None:
        self.n = len(costs)
        self._pairs = np.empty(0, dtype=np.int64)
        self._highs = empty_program()
        upper = np.append(np.full(self.n, 2.0), highspy.kHighsInf)
        self._highs.addVars(self.n + 1, np.zeros(self.n + 1), upper)
        self.set_costs(costs)

    def __len__(self) -> int:
        """How many pairs it has."""
        return len(self._pairs)

    def set_costs(self, costs: NDArray[np.float64]) -> None:
        """Change what slack costs; the basis stays."""
        columns = np.arange(self.n + 1, dtype=np.int32)
        self._highs.changeColsCost(self.n + 1, columns, np.append(costs, 1.0))

    def add(self, first: Any, second: Any, distances: Any) -> int:
        """Add the pairs that are new; how many there were."""
        keys = np.minimum(first, second).astype(np.int64) * self.n + np.maximum(first, second)
        keys, chosen = np.unique(keys, return_index=True)
        new = ~np.isin(keys, self._pairs)
        keys, chosen = keys[new], chosen[new]
        rows = len(keys)
        if rows:
            columns = np.stack([first[chosen], second[chosen], np.full(rows, self.n)], axis=1).astype(np.int32)
            values = np.stack([np.ones(rows), np.ones(rows), distances[chosen]], axis=1)
            starts = np.arange(0, 3 * rows, 3, dtype=np.int32)
            lower, upper = np.full(rows, 2.0), np.full(rows, highspy.kHighsInf)
            self._highs.addRows(rows, lower, upper, 3 * rows, starts, columns.ravel(), values.ravel())
            self._pairs = np.concatenate([self._pairs, keys])
        return rows

    def solve(self, deadline: float) -> Vertex | None:
        """The optimum of the pairs so far, or None if it is not found before ``deadline``, a time of ``time.monotonic``."""
        if not solved(self._highs, deadline):
            return None
        point = np.array(self._highs.getSolution().col_value)
        return Vertex(np.clip(point[:-1], 0.0, 2.0), max(point[-1], 0.0), self._highs.getObjectiveValue())
