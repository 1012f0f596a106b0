"""Violated pairs of the Lipschitz program: searched for in lists of nearest enemies first, then among all pairs."""

from typing import Any

import numpy as np

from wideberth.array_types import Floats, Indices
from wideberth.classifiers.lipschitz.program import EnemyPairs, Violations
from wideberth.geometry.classes.conflicts import nearest_enemies
from wideberth.geometry.search.weighted import LeastSums, WeightedNeighbors
from wideberth.metrics.metric import Metric
from wideberth.objects import sample
from wideberth.rounding import SOLVER_ERROR

#: Nearest enemies listed for each object: the lists contain almost every pair that ever binds.
LIST_LENGTH = 40
#: Violations below this are rounding errors.
VIOLATED = SOLVER_ERROR / 10


class EnemyPricing:
    """Finds violated pairs, with distances divided by ``scale``: the median distance to the nearest object of another class.

    This unit makes the program well scaled whatever the unit of the metric.

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

    Attributes
    ----------
    scale : float
        The unit of distances in all methods.

    Examples
    --------
    >>> from wideberth.metrics.named import metric
    >>> points, codes = np.array([[0.0], [4.0], [5.0]]), np.array([0, 1, 1])
    >>> pricing = EnemyPricing(points, metric("euclidean"), codes, np.ones(3), max_memory=10**6, n_jobs=1)
    >>> pricing.scale, pricing.nearest(1).distances
    (4.0, array([1.  , 1.  , 1.25]))
    >>> pricing.violations(np.zeros(3), 1.6, 1).worst.round(6)  # 2 - 1.6 x 1.25 is 0
    array([0.4, 0.4, 0. ])
    """

    def __init__(
        self, prepared: Any, metric: Metric, codes: Indices, weights: Floats, *, max_memory: int, n_jobs: int | None
    ) -> None:
        self._prepared, self._metric, self._codes = prepared, metric, codes
        self._limits: dict[str, Any] = {"max_memory": max_memory, "n_jobs": n_jobs}
        found = nearest_enemies(prepared, codes, metric, min(LIST_LENGTH, len(codes) - 1), **self._limits)
        self.scale = weighted_median(found.distances[:, 0], weights)
        self._near = np.where(found.indices >= 0, found.indices, 0)
        self._distances = found.distances / self.scale  # infinite where there is no other enemy
        self._classes: list[tuple[Indices, WeightedNeighbors]] = []

    def nearest(self, count: int) -> EnemyPairs:
        """The pairs of every object with its ``count`` nearest enemies."""
        return self._listed(np.arange(len(self._near))[:, None], np.arange(min(count, self._near.shape[1]))[None, :])

    def near_violations(self, slacks: Floats, slope: float, count: int) -> Violations:
        """The ``count`` most violated pairs of every object among those in its list of nearest enemies."""
        sums = self._near_sums(slacks, slope)
        places = np.argpartition(sums, min(count, sums.shape[1]) - 1, axis=1)[:, :count]
        rows, chosen = np.nonzero(np.take_along_axis(sums, places, axis=1) < 2.0 - VIOLATED)
        return Violations(self._listed(rows, places[rows, chosen]), np.maximum(2.0 - sums.min(axis=1), 0.0))

    def violations(self, slacks: Floats, slope: float, count: int) -> Violations:
        """The ``count`` most violated pairs of every object among all, and by how much its worst pair is violated."""
        worst = np.maximum(2.0 - self._near_sums(slacks, slope).min(axis=1), 0.0)
        # enemies beyond the list of an object are farther than the last one in it: for most objects that settles the question
        last = np.where(np.isfinite(self._distances[:, -1]), slope * self._distances[:, -1], np.inf)
        unsure = slacks + slacks.min() + last < 2.0 - VIOLATED
        parts = [
            self._against(members, neighbors, np.flatnonzero(unsure & (self._codes != code)), slacks, slope, count)
            for code, (members, neighbors) in enumerate(self._by_class())
        ]
        first, second, distances, violated = (np.concatenate([part[place] for part in parts]) for place in range(4))
        np.maximum.at(worst, first, violated)
        order = np.lexsort((-violated, first))
        rank = np.arange(len(first)) - np.searchsorted(first[order], first[order])
        kept = order[rank < count]
        return Violations(EnemyPairs(first[kept], second[kept], distances[kept]), worst)

    def _near_sums(self, slacks: Floats, slope: float) -> Floats:
        """u_i + u_j + rho d_ij for every object and its listed enemies; infinite where an object has fewer enemies."""
        there = np.isfinite(self._distances)
        steps = np.multiply(slope, self._distances, out=np.full_like(self._distances, np.inf), where=there)
        return slacks[:, None] + slacks[self._near] + steps

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
        self, members: Indices, neighbors: WeightedNeighbors, rows: Indices, slacks: Floats, slope: float, count: int
    ) -> tuple[Indices, Indices, Floats, Floats]:
        """The pairs that the objects ``rows`` violate with ``members`` of one class: first, second, distance, and violation."""
        limits = 2.0 - VIOLATED - slacks[rows]
        found: LeastSums = neighbors.least(
            sample.pick(self._prepared, rows), slacks[members], slope / self.scale, k=count, below=limits
        )
        place, rank = np.nonzero(found.indices >= 0)
        violated = 2.0 - slacks[rows[place]] - found.sums[place, rank]
        return rows[place], members[found.indices[place, rank]], found.distances[place, rank] / self.scale, violated

    def _listed(self, rows: Indices, places: Indices) -> EnemyPairs:
        """The listed pairs at given rows and places of the lists, as flat arrays."""
        rows, places = np.broadcast_arrays(rows, places)
        distances = self._distances[rows, places].ravel()
        there = np.isfinite(distances)
        return EnemyPairs(rows.ravel()[there], self._near[rows, places].ravel()[there], distances[there])


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
