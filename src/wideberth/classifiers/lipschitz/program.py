"""The program of the Lipschitz classifier, solved exactly through the few pairs that matter, round by round in HiGHS."""

import math
from dataclasses import dataclass
from typing import Any, Protocol

import highspy
import numpy as np

from wideberth.arrays import Floats, Indices
from wideberth.optimize.simplex import empty_program, solved
from wideberth.optimize.solution import Solution

#: The nearest pairs of each object that the program starts with, and the most violated ones that a round adds. More pairs make
#: fewer rounds but a larger program (docs/decisions/0005).
PAIRS_A_ROUND = 1


@dataclass(frozen=True, eq=False)
class LipschitzPoint:
    """A feasible point: the slack u of every object and the slope rho, in units of the distances given."""

    slacks: Floats
    slope: float


@dataclass(frozen=True)
class EnemyPairs:
    """Pairs of objects of different classes with their distances."""

    first: Indices
    second: Indices
    distances: Floats


@dataclass(frozen=True)
class Violations:
    """Pairs that a point violates, and for each object by how much its worst pair is violated (0 if none is)."""

    pairs: EnemyPairs
    worst: Floats


class Pricing(Protocol):
    """Where violated pairs come from: quickly from those near by, and surely from all."""

    def nearest(self, count: int) -> EnemyPairs:
        """The ``count`` nearest pairs of every object."""

    def near_violations(self, slacks: Floats, slope: float, count: int) -> Violations:
        """The worst ``count`` pairs of every object among those near by."""

    def violations(self, slacks: Floats, slope: float, count: int) -> Violations:
        """The worst ``count`` pairs of every object among all; ``worst`` is exact."""


@dataclass(frozen=True)
class PairVertex:
    """An optimum of the pairs so far: the slack of each object, the slope, and the value, which bounds the whole one below."""

    slacks: Floats
    slope: float
    value: float


class PairProgram:
    r"""Minimise :math:`\rho + \sum_i c_i u_i` subject to :math:`u_i + u_j + \rho\, d_{ij} \geq 2` for the pairs added so far.

    :math:`0 \leq u_i \leq 2` and :math:`\rho \geq 0`. Leaving pairs out only enlarges the set of feasible points, so the value
    bounds that of the whole program from below. The dual simplex method starts from the last basis, which new rows leave dual
    feasible.
    """

    def __init__(self, costs: Floats) -> None:
        self.n = len(costs)
        self._pairs = np.empty(0, dtype=np.int64)
        self._highs = empty_program()
        upper = np.append(np.full(self.n, 2.0), highspy.kHighsInf)
        self._highs.addVars(self.n + 1, np.zeros(self.n + 1), upper)
        self.set_costs(costs)

    def __len__(self) -> int:
        """How many pairs it has."""
        return len(self._pairs)

    def set_costs(self, costs: Floats) -> None:
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

    def solve(self, deadline: float) -> PairVertex | None:
        """The optimum of the pairs so far, or None if it is not found before ``deadline``, a time of ``time.monotonic``."""
        if not solved(self._highs, deadline):
            return None
        point = np.array(self._highs.getSolution().col_value)
        return PairVertex(np.clip(point[:-1], 0.0, 2.0), max(point[-1], 0.0), self._highs.getObjectiveValue())


def solve_lipschitz_program(
    pricing: Pricing, costs: Floats, codes: Indices, *, tol: float, deadline: float = math.inf, program: PairProgram | None = None
) -> Solution:
    r"""Minimise :math:`\rho + \sum_i c_i u_i` subject to :math:`u_i + u_j + \rho\, d_{ij} \geq 2` wherever the classes differ.

    This is the program of the Lipschitz classifier (von Luxburg & Bousquet 2004, section 4.2; for several classes Kontorovich &
    Weiss 2014) reduced to one number for each object: constraints inside a class follow from those between classes, and only
    pairs closer than 2 / rho can bind. Pairs are generated: the program over those found so far is a lower bound, as the simplex
    method finds it; raising every slack by half of its worst violation is feasible and gives the upper bound. It stops when the
    two are within ``tol`` of each other, or at the deadline with the best of both. ``program`` may hold pairs and a basis from an
    earlier solve.
    """
    program = initial_program(pricing, len(costs)) if program is None else program
    program.set_costs(costs)
    best, lower = flattest(costs, codes), 0.0
    value = _value(best, costs)
    while value - lower > tol * value:
        vertex = program.solve(deadline)
        if vertex is None:
            return Solution(best, value, lower, "stopped at max_time")
        lower = max(lower, vertex.value)
        if value - lower <= tol * value:
            break
        found = pricing.near_violations(vertex.slacks, vertex.slope, PAIRS_A_ROUND)
        if 0.5 * costs @ found.worst <= 0.5 * tol * lower or not program.add(*_as_arrays(found.pairs)):
            found = pricing.violations(vertex.slacks, vertex.slope, PAIRS_A_ROUND)
            raised = LipschitzPoint(vertex.slacks + 0.5 * found.worst, vertex.slope)
            if _value(raised, costs) < value:
                best, value = raised, _value(raised, costs)
            if not program.add(*_as_arrays(found.pairs)):
                break  # what is left is below the accuracy of the simplex method
    return Solution(best, value, lower, "optimal" if value - lower <= tol * value else "stopped at rounding")


def initial_program(pricing: Pricing, n: int) -> PairProgram:
    """A program over the nearest pairs of every object, for solving with several costs in turn."""
    program = PairProgram(np.zeros(n))
    program.add(*_as_arrays(pricing.nearest(PAIRS_A_ROUND)))
    return program


def flattest(costs: Floats, codes: Indices) -> LipschitzPoint:
    """The best point with slope 0: every slack 1, or the dearest class 0 and all others 2. Always feasible."""
    by_class = np.bincount(codes, weights=costs)
    dearest = int(by_class.argmax())
    if 2 * (costs.sum() - by_class[dearest]) <= costs.sum():
        return LipschitzPoint(np.where(codes == dearest, 0.0, 2.0), 0.0)
    return LipschitzPoint(np.ones(len(codes)), 0.0)


def _value(point: LipschitzPoint, costs: Floats) -> float:
    return float(point.slope + costs @ point.slacks)


def _as_arrays(pairs: EnemyPairs) -> tuple[Indices, Indices, Floats]:
    return pairs.first, pairs.second, pairs.distances
