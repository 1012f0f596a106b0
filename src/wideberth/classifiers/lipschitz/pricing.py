"""Violated pairs of the Lipschitz program: from lists of nearest enemies first and then from all, or from a whole matrix."""

from typing import Any

import numpy as np

from wideberth.array_types import Floats, Indices
from wideberth.classifiers.lipschitz.kernels import least_enemy_sums
from wideberth.classifiers.lipschitz.program import EnemyPairs, Violations
from wideberth.geometry.classes.conflicts import NearestEnemies, nearest_enemies
from wideberth.geometry.classes.enemy_kernels import offer_to_both, sort_lists
from wideberth.geometry.search.weighted import LeastSums, WeightedNeighbors
from wideberth.metrics.metric import Metric
from wideberth.objects import sample
from wideberth.rounding import SOLVER_ERROR

#: Nearest enemies listed for each object: the lists contain almost every pair that ever binds.
LIST_LENGTH = 40
#: Violations below this are rounding errors.
VIOLATED = SOLVER_ERROR / 10


class NearPricing:
    """Finds violated pairs in lists of nearest enemies, with distances divided by ``scale``.

    The scale is the median distance to the nearest object of another class. This unit makes the program well scaled whatever the
    unit of the metric. A child finds the violated pairs among all.

    Parameters
    ----------
    found : NearestEnemies
        The nearest enemies of each object, -1 and infinity where there are no more.
    weights : ndarray of shape (n,)
        The weights of the objects, for the median.

    Attributes
    ----------
    scale : float
        The unit of distances in all methods.
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
        """u_i + u_j + rho d_ij for every object and its listed enemies; infinite where an object has fewer enemies."""
        there = np.isfinite(self._distances)
        steps = np.multiply(slope, self._distances, out=np.full_like(self._distances, np.inf), where=there)
        return slacks[:, None] + slacks[self._near] + steps

    def _listed(self, rows: Indices, places: Any) -> EnemyPairs:
        """The listed pairs at given rows and places of the lists."""
        distances = self._distances[rows, places]
        there = np.isfinite(distances)
        return EnemyPairs(rows[there], self._near[rows, places][there], distances[there])


class EnemyPricing(NearPricing):
    """Finds violated pairs of objects that a metric measures, in the unit of `NearPricing`.

    Parameters
    ----------
    prepared : sample
        Objects, of at least two classes.
    metric : Metric
        How far apart they are.
    codes : ndarray of int, shape (n,)
        Their classes.
    weights : ndarray of shape (n,)
        Their weights, for the median.
    max_memory : int
        Bytes for blocks of distances.
    n_jobs : int or None
        Cores to use; None means all.

    Examples
    --------
    >>> from wideberth.metrics.named import metric
    >>> points, codes = np.array([[0.0], [4.0], [5.0]]), np.array([0, 1, 1])
    >>> pricing = EnemyPricing(points, metric("euclidean"), codes, np.ones(3), max_memory=10**6, n_jobs=1)
    >>> pricing.scale, pricing.nearest().distances
    (4.0, array([1.  , 1.  , 1.25]))
    >>> pricing.violations(np.zeros(3), 1.6).worst.round(6)  # 2 - 1.6 x 1.25 is 0
    array([0.4, 0.4, 0. ])
    """

    def __init__(
        self, prepared: Any, metric: Metric, codes: Indices, weights: Floats, *, max_memory: int, n_jobs: int | None
    ) -> None:
        self._prepared, self._metric, self._codes = prepared, metric, codes
        self._limits: dict[str, Any] = {"max_memory": max_memory, "n_jobs": n_jobs}
        super().__init__(nearest_enemies(prepared, codes, metric, min(LIST_LENGTH, len(codes) - 1), **self._limits), weights)
        self._classes: list[tuple[Indices, WeightedNeighbors]] = []

    def violations(self, slacks: Floats, slope: float) -> Violations:
        """The most violated pair of every object among all, and by how much it is violated."""
        worst = np.maximum(2.0 - self._near_sums(slacks, slope).min(axis=1), 0.0)
        # enemies beyond the list of an object are farther than the last one in it: for most objects that settles the question
        last = np.where(np.isfinite(self._distances[:, -1]), slope * self._distances[:, -1], np.inf)
        unsure = slacks + slacks.min() + last < 2.0 - VIOLATED
        parts = [
            self._against(members, neighbors, np.flatnonzero(unsure & (self._codes != code)), slacks, slope)
            for code, (members, neighbors) in enumerate(self._by_class())
        ]
        first, second, distances, violated = (np.concatenate([part[place] for part in parts]) for place in range(4))
        np.maximum.at(worst, first, violated)
        most = np.lexsort((-violated, first))
        kept = most[np.unique(first[most], return_index=True)[1]]
        return Violations(EnemyPairs(first[kept], second[kept], distances[kept]), worst)

    def _by_class(self) -> list[tuple[Indices, WeightedNeighbors]]:
        """The positions of the objects of each class, and an index of them; built when it is needed first."""
        if not self._classes:
            members = [np.flatnonzero(self._codes == code) for code in range(self._codes.max() + 1)]
            self._classes = [
                (positions, WeightedNeighbors(sample.pick(self._prepared, positions), self._metric, **self._limits))
                for positions in members
            ]
        return self._classes

    def _against(
        self, members: Indices, neighbors: WeightedNeighbors, rows: Indices, slacks: Floats, slope: float
    ) -> tuple[Indices, Indices, Floats, Floats]:
        """The pairs that the objects ``rows`` violate with ``members`` of one class: first, second, distance, and violation."""
        limits = 2.0 - VIOLATED - slacks[rows]
        found: LeastSums = neighbors.least(sample.pick(self._prepared, rows), slacks[members], slope / self.scale, below=limits)
        place, rank = np.nonzero(found.indices >= 0)
        violated = 2.0 - slacks[rows[place]] - found.sums[place, rank]
        return rows[place], members[found.indices[place, rank]], found.distances[place, rank] / self.scale, violated


class MatrixPricing(NearPricing):
    """Finds violated pairs in a matrix of all distances, in the unit of `NearPricing`.

    Parameters
    ----------
    distances : ndarray of shape (n, n)
        The distances of objects of at least two classes.
    codes : ndarray of int, shape (n,)
        Their classes.
    weights : ndarray of shape (n,)
        Their weights, for the median.

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
        super().__init__(_enemies_in_matrix(distances, codes, min(LIST_LENGTH, len(codes) - 1)), weights)

    def violations(self, slacks: Floats, slope: float) -> Violations:
        """The most violated pair of every object among all, and by how much it is violated."""
        partners, sums = np.empty(len(slacks), dtype=np.intp), np.empty(len(slacks))
        least_enemy_sums(self._matrix, self._codes, slacks, slope / self.scale, sums, partners)
        worst = np.maximum(2.0 - slacks - sums, 0.0)
        first = np.flatnonzero(worst > VIOLATED)
        second = partners[first]
        return Violations(EnemyPairs(first, second, self._matrix[first, second] / self.scale), worst)


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
    """The k nearest enemies of every object in a matrix of distances; -1 and infinity where there are fewer."""
    n, everywhere = len(codes), np.arange(len(codes))
    indices, lengths = np.full((n, k), n, dtype=np.int32), np.full((n, k), np.inf)
    offer_to_both(distances, everywhere, everywhere, codes, indices, lengths)
    sort_lists(everywhere, indices, lengths)
    return NearestEnemies(np.where(indices == n, -1, indices).astype(np.intp), lengths)
