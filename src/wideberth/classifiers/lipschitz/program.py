"""The linear program of the Lipschitz classifier, solved exactly by generating the few pairs that
matter, in rounds of HiGHS.
"""

import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from wideberth.array_types import Floats, Indices, Sample
from wideberth.classifiers.lipschitz.kernels import least_enemy_sums
from wideberth.geometry.classes.enemies import NearestEnemies, nearest_enemies
from wideberth.geometry.classes.kernels import offer_to_both, sort_lists
from wideberth.geometry.search.weighted import LeastSums, WeightedNeighbors
from wideberth.metrics.metric import Metric
from wideberth.objects import sample
from wideberth.optimize.highs import INFINITY
from wideberth.optimize.simplex import empty_program, solved
from wideberth.optimize.solution import Solution
from wideberth.progress import doing, note
from wideberth.rounding import SOLVER_ERROR


@dataclass(frozen=True, eq=False)
class LipschitzPoint:
    """A feasible point of the program."""

    #: The slack u of every object, between 0 and 2, shape (n,).
    slacks: Floats
    #: rho, in one over the unit of the distances.
    slope: float


@dataclass(frozen=True)
class EnemyPairs:
    """Pairs of objects of different classes."""

    #: ``first``, ``second``: the positions of the two objects, shape (m,).
    first: Indices
    second: Indices
    #: Their distances, shape (m,).
    distances: Floats


@dataclass(frozen=True)
class Violations:
    """Pairs that a point violates."""

    pairs: EnemyPairs
    #: By how much the most violated pair of each object is violated, 0 if none is, shape (n,).
    worst: Floats


class Pricing(Protocol):
    """A source of violated pairs: fast from the nearest ones, and complete from all.

    One pair for each object: more pairs a round make fewer rounds but a larger program
    (docs/decisions/0005).
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
    """An optimum of the program with the pairs so far."""

    #: The slack of each object, shape (n,).
    slacks: Floats
    slope: float
    #: The value, a lower bound of the value of the program with all pairs.
    value: float


class PairProgram:
    r"""Minimise :math:`\rho + \sum_i c_i u_i` subject to :math:`u_i + u_j + \rho\, d_{ij} \geq 2`
    for the pairs added so far.

    :math:`0 \leq u_i \leq 2` and :math:`\rho \geq 0`. Leaving out pairs only enlarges the set of
    feasible points, so the value is a lower bound of that of the program with all pairs. The dual
    simplex method starts from the last basis, which stays dual feasible when rows are added.

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
        upper = np.append(np.full(self.n, 2.0), INFINITY)
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
        """Add the pairs that are not there yet, and return how many were added."""
        keys = np.minimum(first, second).astype(np.int64) * self.n + np.maximum(first, second)
        keys, chosen = np.unique(keys, return_index=True)
        new = ~np.isin(keys, self._pairs)
        keys, chosen = keys[new], chosen[new]
        rows = len(keys)
        if rows:
            columns = np.stack(
                [first[chosen], second[chosen], np.full(rows, self.n)], axis=1
            ).astype(np.int32)
            values = np.stack([np.ones(rows), np.ones(rows), distances[chosen]], axis=1)
            starts = np.arange(0, 3 * rows, 3, dtype=np.int32)
            lower, upper = np.full(rows, 2.0), np.full(rows, INFINITY)
            self._highs.addRows(
                rows, lower, upper, 3 * rows, starts, columns.ravel(), values.ravel()
            )
            self._pairs = np.concatenate([self._pairs, keys])
        return rows

    def solve(self, deadline: float) -> PairVertex | None:
        """The optimum of the pairs so far; None if it is not found before ``deadline``, a time of
        ``time.monotonic``.
        """
        if not solved(self._highs, deadline):
            return None
        point = np.array(self._highs.getSolution().col_value)
        return PairVertex(
            np.clip(point[:-1], 0.0, 2.0), max(point[-1], 0.0), self._highs.getObjectiveValue()
        )


@doing("pairs that bind")
def solve_lipschitz_program(
    pricing: Pricing,
    costs: Floats,
    codes: Indices,
    *,
    tol: float,
    deadline: float = math.inf,
    program: PairProgram | None = None,
) -> Solution:
    r"""Minimise :math:`\rho + \sum_i c_i u_i` subject to :math:`u_i + u_j + \rho\, d_{ij} \geq 2`
    wherever the classes differ.

    This is the program of the Lipschitz classifier (von Luxburg & Bousquet 2004, section 4.2; for
    several classes Kontorovich & Weiss 2014) reduced to one number for each object: constraints
    inside a class follow from those between classes, and only pairs closer than 2 / rho can bind.
    Pairs are generated: the program over those found so far is a lower bound, as the simplex method
    finds it; raising every slack by half of its worst violation is feasible and gives the upper
    bound.

    Examples
    --------
    >>> from wideberth.classifiers.lipschitz.program import MatrixPricing
    >>> points, codes = np.array([0.0, 4.0, 5.0]), np.array([0, 1, 1])
    >>> pricing = MatrixPricing(abs(points[:, None] - points), codes, np.ones(3))
    >>> # 2 over the distance, the unit
    >>> round(solve_lipschitz_program(pricing, np.full(3, 10.0), codes, tol=1e-6).value, 6)
    2.0
    """
    program = initial_program(pricing, costs) if program is None else program
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
        if 0.5 * costs @ found.worst <= 0.5 * tol * lower or not program.add(
            *_as_arrays(found.pairs)
        ):
            found = pricing.violations(vertex.slacks, vertex.slope)
            raised = LipschitzPoint(vertex.slacks + 0.5 * found.worst, vertex.slope)
            if _value(raised, costs) < value:
                best, value = raised, _value(raised, costs)
            if not program.add(*_as_arrays(found.pairs)):
                break  # the remaining violations are below the accuracy of the simplex method
    return Solution(
        best, value, lower, "optimal" if value - lower <= tol * value else "stopped at rounding"
    )


def initial_program(pricing: Pricing, costs: Floats) -> PairProgram:
    """A program over the nearest pairs of objects that may bind with these costs, to be solved with
    them and then with larger ones.
    """
    program, nearest = PairProgram(np.zeros(len(costs))), pricing.nearest()
    near = nearest.distances <= _reach(nearest, costs)
    program.add(nearest.first[near], nearest.second[near], nearest.distances[near])
    return program


def _reach(pairs: EnemyPairs, costs: Floats) -> float:
    r"""A distance beyond which pairs are not expected to bind: that at which a greedy matching has
    spent all that there is.

    The dual program prices pairs, :math:`\max 2 \sum \lambda_{ij}` with :math:`\sum_j \lambda_{ij}
    \leq c_i` and :math:`\sum \lambda_{ij} d_{ij} \leq 1`, and uses none with :math:`d_{ij} > 2 /
    \rho`. Pairs taken by increasing distance, each as far as the costs of its objects go, reach
    farther than the best prices do. The larger the costs, the nearer they end. Nothing depends on
    it but the time: pairs that are violated later are added.

    Examples
    --------
    >>> pairs = EnemyPairs(np.array([0, 2, 4]), np.array([1, 3, 5]), np.array([9.0, 0.1, 0.5]))
    >>> _reach(pairs, np.ones(6)), _reach(pairs, np.full(6, 10.0)), _reach(pairs, np.full(6, 0.01))
    (9.0, 0.5, inf)
    """
    order, left, spent = np.argsort(pairs.distances, kind="stable"), costs.tolist(), 0.0
    by_distance = (values[order].tolist() for values in _as_arrays(pairs))
    for first, second, distance in zip(*by_distance, strict=True):
        price = min(left[first], left[second])
        spent += price * distance
        if spent > 1.0:
            return float(distance)
        left[first] -= price
        left[second] -= price
    return math.inf


def flattest(costs: Floats, codes: Indices) -> LipschitzPoint:
    """The best point with slope 0, which is always feasible: every slack 1, or 0 for the heaviest
    class and 2 for all others.

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


# ---- Violated pairs of the Lipschitz program: from lists of nearest enemies first and then from
# all, or from a whole matrix

#: Nearest enemies listed for each object: the lists contain almost every pair that ever binds.
LIST_LENGTH = 40
#: Violations below this are rounding errors.
VIOLATED = SOLVER_ERROR / 10


class NearPricing:
    """Finds violated pairs in lists of nearest enemies, with distances divided by ``scale``.

    The scale is the median distance to the nearest object of another class. This unit makes the
    program well scaled whatever the unit of the metric. A child finds the violated pairs among all.
    """

    def __init__(self, found: NearestEnemies, weights: Floats) -> None:
        self.scale = weighted_median(found.distances[:, 0], weights)
        self._near = np.where(found.indices >= 0, found.indices, 0)
        self._distances = found.distances / self.scale

    def nearest(self) -> EnemyPairs:
        """The pair of every object with its nearest enemy."""
        return self._listed(np.arange(len(self._near)), 0)

    def near_violations(self, slacks: Floats, slope: float) -> Violations:
        """The most violated pair of every object among those in its list of nearest enemies."""
        sums = self._near_sums(slacks, slope)
        places = sums.argmin(axis=1)
        worst = np.maximum(2.0 - sums[np.arange(len(sums)), places], 0.0)
        rows = np.flatnonzero(worst > VIOLATED)
        return Violations(self._listed(rows, places[rows]), worst)

    def _near_sums(self, slacks: Floats, slope: float) -> Floats:
        """u_i + u_j + rho d_ij for every object and its listed enemies; infinite where an object
        has fewer enemies.
        """
        there = np.isfinite(self._distances)
        steps = np.multiply(
            slope, self._distances, out=np.full_like(self._distances, np.inf), where=there
        )
        return slacks[:, None] + slacks[self._near] + steps

    def _listed(self, rows: Indices, places: Any) -> EnemyPairs:
        """The listed pairs at given rows and places of the lists."""
        distances = self._distances[rows, places]
        there = np.isfinite(distances)
        return EnemyPairs(rows[there], self._near[rows, places][there], distances[there])


class EnemyPricing(NearPricing):
    """Finds violated pairs of objects that a metric measures, in the unit of `NearPricing`.

    Examples
    --------
    >>> from wideberth.metrics.named import metric
    >>> points, codes = np.array([[0.0], [4.0], [5.0]]), np.array([0, 1, 1])
    >>> pricing = EnemyPricing(
    ...     points, metric("euclidean"), codes, np.ones(3), max_memory=10**6, n_jobs=1
    ... )
    >>> pricing.scale, pricing.nearest().distances
    (4.0, array([1.  , 1.  , 1.25]))
    >>> pricing.violations(np.zeros(3), 1.6).worst.round(6)  # 2 - 1.6 x 1.25 is 0
    array([0.4, 0.4, 0. ])
    """

    def __init__(
        self,
        prepared: Sample,
        metric: Metric,
        codes: Indices,
        weights: Floats,
        *,
        max_memory: int,
        n_jobs: int | None,
    ) -> None:
        self._prepared, self._metric, self._codes = prepared, metric, codes
        self._limits: dict[str, Any] = {"max_memory": max_memory, "n_jobs": n_jobs}
        super().__init__(
            nearest_enemies(
                prepared, codes, metric, min(LIST_LENGTH, len(codes) - 1), **self._limits
            ),
            weights,
        )
        self._classes: list[tuple[Indices, WeightedNeighbors]] = []

    def violations(self, slacks: Floats, slope: float) -> Violations:
        """The most violated pair of every object among all, and by how much it is violated."""
        worst = np.maximum(2.0 - self._near_sums(slacks, slope).min(axis=1), 0.0)
        # enemies beyond the list of an object are farther than the last one in it: for most objects
        # that settles the question
        last = np.where(np.isfinite(self._distances[:, -1]), slope * self._distances[:, -1], np.inf)
        unsure = slacks + slacks.min() + last < 2.0 - VIOLATED
        parts = [
            self._against(
                members, neighbors, np.flatnonzero(unsure & (self._codes != code)), slacks, slope
            )
            for code, (members, neighbors) in enumerate(self._by_class())
        ]
        first, second, distances, violated = (
            np.concatenate([part[place] for part in parts]) for place in range(4)
        )
        np.maximum.at(worst, first, violated)
        most = np.lexsort((-violated, first))
        kept = most[np.unique(first[most], return_index=True)[1]]
        return Violations(EnemyPairs(first[kept], second[kept], distances[kept]), worst)

    def _by_class(self) -> list[tuple[Indices, WeightedNeighbors]]:
        """The positions of the objects of each class, and an index of them; built when it is needed
        first.
        """
        if not self._classes:
            members = [np.flatnonzero(self._codes == code) for code in range(self._codes.max() + 1)]
            self._classes = [
                (
                    positions,
                    WeightedNeighbors(
                        sample.pick(self._prepared, positions), self._metric, **self._limits
                    ),
                )
                for positions in members
            ]
        return self._classes

    def _against(
        self,
        members: Indices,
        neighbors: WeightedNeighbors,
        rows: Indices,
        slacks: Floats,
        slope: float,
    ) -> tuple[Indices, Indices, Floats, Floats]:
        """The pairs that the objects ``rows`` violate with ``members`` of one class: first, second,
        distance, and violation.
        """
        limits = 2.0 - VIOLATED - slacks[rows]
        found: LeastSums = neighbors.least(
            sample.pick(self._prepared, rows), slacks[members], slope / self.scale, below=limits
        )
        place, rank = np.nonzero(found.indices >= 0)
        violated = 2.0 - slacks[rows[place]] - found.sums[place, rank]
        return (
            rows[place],
            members[found.indices[place, rank]],
            found.distances[place, rank] / self.scale,
            violated,
        )


class MatrixPricing(NearPricing):
    """Finds violated pairs in a matrix of all distances, in the unit of `NearPricing`.

    Examples
    --------
    >>> points, codes = np.array([0.0, 4.0, 5.0]), np.array([0, 1, 1])
    >>> pricing = MatrixPricing(abs(points[:, None] - points), codes, np.ones(3))
    >>> pricing.scale, pricing.nearest().distances
    (4.0, array([1.  , 1.  , 1.25]))
    >>> pricing.violations(np.zeros(3), 1.6).worst.round(6)  # 2 - 1.6 x 1.25 is 0
    array([0.4, 0.4, 0. ])
    """

    def __init__(self, distances: Floats, codes: Indices, weights: Floats) -> None:
        self._matrix, self._codes = distances, codes
        super().__init__(
            _enemies_in_matrix(distances, codes, min(LIST_LENGTH, len(codes) - 1)), weights
        )

    def violations(self, slacks: Floats, slope: float) -> Violations:
        """The most violated pair of every object among all, and by how much it is violated."""
        partners, sums = np.empty(len(slacks), dtype=np.intp), np.empty(len(slacks))
        least_enemy_sums(self._matrix, self._codes, slacks, slope / self.scale, sums, partners)
        worst = np.maximum(2.0 - slacks - sums, 0.0)
        first = np.flatnonzero(worst > VIOLATED)
        second = partners[first]
        return Violations(
            EnemyPairs(first, second, self._matrix[first, second] / self.scale), worst
        )


def weighted_median(distances: Floats, weights: Floats) -> float:
    """The weighted median of the positive finite distances; 1 if there is none.

    Examples
    --------
    >>> weighted_median(np.array([1.0, 2.0, 9.0, 0.0]), np.array([1.0, 1.0, 5.0, 3.0]))
    9.0
    """
    counted = (distances > 0) & np.isfinite(distances)
    if not counted.any():
        return 1.0
    values, weights = distances[counted], weights[counted]
    order = np.argsort(values)
    reached = np.cumsum(weights[order])
    return float(values[order][np.searchsorted(reached, 0.5 * reached[-1])])


def _enemies_in_matrix(distances: Floats, codes: Indices, k: int) -> NearestEnemies:
    """The k nearest enemies of every object in a matrix of distances; -1 and infinity where there
    are fewer.
    """
    n, everywhere = len(codes), np.arange(len(codes))
    indices, lengths = np.full((n, k), n, dtype=np.int32), np.full((n, k), np.inf)
    offer_to_both(distances, everywhere, everywhere, codes, indices, lengths)
    sort_lists(everywhere, indices, lengths)
    return NearestEnemies(np.where(indices == n, -1, indices).astype(np.intp), lengths)


def solutions_by_price(
    pricing: Pricing,
    codes: Indices,
    weights: Floats,
    prices: Sequence[float],
    *,
    tol: float,
    max_time: float | None,
) -> Iterator[tuple[int, Solution]]:
    """Solve the program for every price, from the smallest to the largest.

    All programs together cost about as much as the hardest one: each starts from the pairs and the
    basis of the one before.

    Examples
    --------
    >>> points, codes = np.array([0.0, 4.0, 5.0]), np.array([0, 1, 1])
    >>> pricing = MatrixPricing(abs(points[:, None] - points), codes, np.ones(3))
    >>> found = solutions_by_price(pricing, codes, np.ones(3), [25.0, 0.1], tol=1e-6, max_time=None)
    >>> [(place, round(float(solution.point.slope), 6)) for place, solution in found]
    [(1, 0.0), (0, 2.0)]
    """
    shares = 2.0 * weights / weights.sum()
    program = initial_program(pricing, min(prices) * shares)
    for place in np.argsort(prices, kind="stable").tolist():
        deadline = math.inf if max_time is None else time.monotonic() + max_time
        yield (
            place,
            solve_lipschitz_program(
                pricing, prices[place] * shares, codes, tol=tol, deadline=deadline, program=program
            ),
        )
