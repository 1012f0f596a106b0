"""The linear program of the Lipschitz classifier, solved exactly by generating the few pairs that matter, in rounds of HiGHS."""

import math
from dataclasses import dataclass
from typing import Any, Protocol

import highspy
import numpy as np

from wideberth.array_types import Floats, Indices
from wideberth.optimize.simplex import empty_program, solved
from wideberth.optimize.solution import Solution
from wideberth.progress import doing, note


@dataclass(frozen=True, eq=False)
class LipschitzPoint:
    """A feasible point of the program.

    Attributes
    ----------
    slacks : ndarray of shape (n,)
        The slack u of every object, between 0 and 2.
    slope : float
        rho, in one over the unit of the distances.
    """

    slacks: Floats
    slope: float


@dataclass(frozen=True)
class EnemyPairs:
    """Pairs of objects of different classes.

    Attributes
    ----------
    first, second : ndarray of int, shape (m,)
        The positions of the two objects.
    distances : ndarray of shape (m,)
        Their distances.
    """

    first: Indices
    second: Indices
    distances: Floats


@dataclass(frozen=True)
class Violations:
    """Pairs that a point violates.

    Attributes
    ----------
    pairs : EnemyPairs
        The pairs.
    worst : ndarray of shape (n,)
        By how much the most violated pair of each object is violated, 0 if none is.
    """

    pairs: EnemyPairs
    worst: Floats


class Pricing(Protocol):
    """A source of violated pairs: fast from the nearest ones, and complete from all.

    One pair for each object: more pairs a round make fewer rounds but a larger program (docs/decisions/0005).
    """

    #: The unit of the distances, in that of the metric.
    scale: float

    def nearest(self) -> EnemyPairs:
        """The pair of every object with its nearest enemy."""

    def near_violations(self, slacks: Floats, slope: float) -> Violations:
        """The most violated pair of every object among those with its nearest enemies."""

    def violations(self, slacks: Floats, slope: float) -> Violations:
        """The most violated pair of every object among all; ``worst`` is exact."""


@dataclass(frozen=True)
class PairVertex:
    """An optimum of the program with the pairs so far.

    Attributes
    ----------
    slacks : ndarray of shape (n,)
        The slack of each object.
    slope : float
        rho.
    value : float
        The value, a lower bound of the value of the program with all pairs.
    """

    slacks: Floats
    slope: float
    value: float


class PairProgram:
    r"""Minimise :math:`\rho + \sum_i c_i u_i` subject to :math:`u_i + u_j + \rho\, d_{ij} \geq 2` for the pairs added so far.

    :math:`0 \leq u_i \leq 2` and :math:`\rho \geq 0`. Leaving out pairs only enlarges the set of feasible points, so the value is
    a lower bound of that of the program with all pairs. The dual simplex method starts from the last basis, which stays dual
    feasible when rows are added.

    Parameters
    ----------
    costs : ndarray of shape (n,)
        The cost c_i of the slack of each object.

    Examples
    --------
    >>> program = PairProgram(np.array([10.0, 10.0]))
    >>> program.add(np.array([0]), np.array([1]), np.array([4.0]))
    1
    >>> float(program.solve(math.inf).slope)  # 2 over the distance
    0.5
    """

    def __init__(self, costs: Floats) -> None:
        self.n = len(costs)
        self._pairs = np.empty(0, dtype=np.int64)
        self._highs = empty_program()
        upper = np.append(np.full(self.n, 2.0), highspy.kHighsInf)
        self._highs.addVars(self.n + 1, np.zeros(self.n + 1), upper)
        self.set_costs(costs)

    def __len__(self) -> int:
        """The number of pairs."""
        return len(self._pairs)

    def set_costs(self, costs: Floats) -> None:
        """Change the costs of slacks; pairs and basis stay."""
        columns = np.arange(self.n + 1, dtype=np.int32)
        self._highs.changeColsCost(self.n + 1, columns, np.append(costs, 1.0))

    def add(self, first: Any, second: Any, distances: Any) -> int:
        """Add the pairs that are not there yet, and return how many were added.

        Parameters
        ----------
        first, second : ndarray of int, shape (m,)
            The positions of the objects of each pair, in any order.
        distances : ndarray of shape (m,)
            Their distances.

        Returns
        -------
        int
            The number of new pairs.
        """
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
        """The optimum of the pairs so far; None if it is not found before ``deadline``, a time of ``time.monotonic``."""
        if not solved(self._highs, deadline):
            return None
        point = np.array(self._highs.getSolution().col_value)
        return PairVertex(np.clip(point[:-1], 0.0, 2.0), max(point[-1], 0.0), self._highs.getObjectiveValue())


@doing("pairs that bind")
def solve_lipschitz_program(
    pricing: Pricing, costs: Floats, codes: Indices, *, tol: float, deadline: float = math.inf, program: PairProgram | None = None
) -> Solution:
    r"""Minimise :math:`\rho + \sum_i c_i u_i` subject to :math:`u_i + u_j + \rho\, d_{ij} \geq 2` wherever the classes differ.

    This is the program of the Lipschitz classifier (von Luxburg & Bousquet 2004, section 4.2; for several classes Kontorovich &
    Weiss 2014) reduced to one number for each object: constraints inside a class follow from those between classes, and only
    pairs closer than 2 / rho can bind. Pairs are generated: the program over those found so far is a lower bound, as the simplex
    method finds it; raising every slack by half of its worst violation is feasible and gives the upper bound.

    Parameters
    ----------
    pricing : Pricing
        Finds violated pairs.
    costs : ndarray of shape (n,)
        The costs c_i, positive.
    codes : ndarray of int, shape (n,)
        The classes.
    tol : float
        Stop when lower and upper bound are within this share of the upper one.
    deadline : float
        The time of ``time.monotonic`` at which to stop with the best point so far.
    program : PairProgram, optional
        Pairs and a basis from an earlier solve.

    Returns
    -------
    Solution
        Its point is a `LipschitzPoint`, feasible for all pairs.

    Examples
    --------
    >>> from wideberth.classifiers.lipschitz.pricing import MatrixPricing
    >>> points, codes = np.array([0.0, 4.0, 5.0]), np.array([0, 1, 1])
    >>> pricing = MatrixPricing(abs(points[:, None] - points), codes, np.ones(3))
    >>> round(solve_lipschitz_program(pricing, np.full(3, 10.0), codes, tol=1e-6).value, 6)  # 2 over the distance, the unit
    2.0
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
        note(f"gap {(value - lower) / value:.1%}")
        if value - lower <= tol * value:
            break
        found = pricing.near_violations(vertex.slacks, vertex.slope)
        if 0.5 * costs @ found.worst <= 0.5 * tol * lower or not program.add(*_as_arrays(found.pairs)):
            found = pricing.violations(vertex.slacks, vertex.slope)
            raised = LipschitzPoint(vertex.slacks + 0.5 * found.worst, vertex.slope)
            if _value(raised, costs) < value:
                best, value = raised, _value(raised, costs)
            if not program.add(*_as_arrays(found.pairs)):
                break  # the remaining violations are below the accuracy of the simplex method
    return Solution(best, value, lower, "optimal" if value - lower <= tol * value else "stopped at rounding")


def initial_program(pricing: Pricing, n: int) -> PairProgram:
    """A program over the nearest pairs of every object, to be solved with several costs in turn."""
    program = PairProgram(np.zeros(n))
    program.add(*_as_arrays(pricing.nearest()))
    return program


def flattest(costs: Floats, codes: Indices) -> LipschitzPoint:
    """The best point with slope 0, which is always feasible: every slack 1, or 0 for the heaviest class and 2 for all others.

    Examples
    --------
    >>> flattest(np.array([3.0, 1.0]), np.array([0, 1])).slacks
    array([0., 2.])
    """
    by_class = np.bincount(codes, weights=costs)
    heaviest = int(by_class.argmax())
    if 2 * (costs.sum() - by_class[heaviest]) <= costs.sum():
        return LipschitzPoint(np.where(codes == heaviest, 0.0, 2.0), 0.0)
    return LipschitzPoint(np.ones(len(codes)), 0.0)


def _value(point: LipschitzPoint, costs: Floats) -> float:
    """The value of a point: its slope plus the cost of its slacks."""
    return float(point.slope + costs @ point.slacks)


def _as_arrays(pairs: EnemyPairs) -> tuple[Indices, Indices, Floats]:
    return pairs.first, pairs.second, pairs.distances
