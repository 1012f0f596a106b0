"""A table of distances to a few pivots (LAESA): by the triangle inequality most objects are ruled out without measuring them.

Micó, Oncina & Vidal, "A new version of the nearest-neighbour approximating and eliminating search algorithm (AESA) with linear
preprocessing time and memory requirements", Pattern Recognition Letters 15, 1994.
"""

import math

import numpy as np

from wideberth.arrays import Flags, Indices
from wideberth.errors import InvalidInput
from wideberth.geometry.measure.one_to_many import distances_from
from wideberth.geometry.search import kdtree
from wideberth.geometry.search.engine import Found, Population, Queries, SearchEngine
from wideberth.metrics.metric import Distances, Metric
from wideberth.rounding import DISTANCE_ERROR

#: Pivots for each doubling of the objects.
PIVOTS_PER_DOUBLING = 1.5
#: How the kd-tree writes the exponent infinity.
CHEBYSHEV = 0


class Pivots(SearchEngine):
    r"""Pivots p far from each other; :math:`d(q, x) \ge \max_p |d(q, p) - d(x, p)|` by the triangle inequality.

    Building measures n distances for each pivot, which make every object a vector; the bound is the Chebyshev distance of two
    of them, so a kd-tree finds the objects with small bounds. A query measures its distances to the pivots, then the objects with
    the smallest bounds, and then all whose bound is not beyond the k-th nearest found, until none is left.
    """

    name = "pivots"

    def __init__(self, population: Population, *, max_memory: int, n_jobs: int | None, random_state: int) -> None:
        require_triangle(population.counted.metric, self.name)
        self.population = population
        n = len(population)
        wanted = math.ceil(PIVOTS_PER_DOUBLING * math.log2(max(n, 2)))
        self._spare = max(max_memory // 4, 1)
        affordable = max(1, self._spare // (16 * max(n, 1)))
        self.pivots, table = _farthest_first(population, min(n, wanted, affordable), n_jobs, random_state)
        self.others = np.delete(np.arange(n), self.pivots)
        self.tree = kdtree.build(table[self.others], population.codes[self.others])

    def forget(self, gone: Indices) -> None:
        places = np.searchsorted(self.others, gone)
        among_others = ~np.isin(gone, self.pivots)
        kdtree.delete(self.tree, places[among_others])

    def search(self, asked: Queries, found: Found) -> None:
        to_pivots = asked.distances(slice(None), self.pivots)
        self._offer_pivots(asked, to_pivots, found)
        if not len(self.others):
            return
        first = np.zeros(len(asked), dtype=np.intp)
        if found.first_batch:
            near = kdtree.nearest(self.tree, to_pivots, found.first_batch, CHEBYSHEV, excluded=asked.excluded, n_jobs=1)
            asked.bounds_compared += near.distance_calls
            first = (near.indices >= 0).sum(axis=1)
            starts = found.first_batch * np.arange(len(asked))
            self._measure(asked, to_pivots, starts, starts + first, near.indices.ravel(), near.distances.ravel(), found)
        radii = farthest_hope(found, to_pivots.max(axis=1))
        left = kdtree.within(self.tree, to_pivots, radii, CHEBYSHEV, excluded=asked.excluded, n_jobs=1)
        asked.bounds_compared += left.distance_calls
        starts = np.minimum(left.starts[:-1] + first, left.starts[1:])  # both come by (bound, index): the first ones are done
        self._measure(asked, to_pivots, starts, left.starts[1:], left.indices, left.distances, found)

    def _offer_pivots(self, asked: Queries, to_pivots: Distances, found: Found) -> None:
        rows, columns = np.indices(to_pivots.shape).reshape(2, -1)
        wanted = self.population.wanted(self.pivots[columns], asked.excluded[rows])
        found.offer(rows[wanted], self.pivots[columns[wanted]], to_pivots.ravel()[wanted])

    def _measure(
        self,
        asked: Queries,
        to_pivots: Distances,
        starts: Indices,
        stops: Indices,
        places: Indices,
        bounds: Distances,
        found: Found,
    ) -> None:
        """Measure for query q what of ``others[places[starts[q]:stops[q]]]`` its limit does not rule out."""
        reach = to_pivots.max(axis=1)
        for row, (start, stop) in enumerate(zip(starts, stops, strict=True)):
            if start < stop:
                safe = certain(bounds[start:stop], reach[row], self.population.counted.metric)
                measure_by_bound(asked, row, self.others[places[start:stop]], safe, found)

    def rows_at_once(self, n_queries: int, jobs: int) -> int:
        affordable = self._spare // (64 * max(1, len(self.population)) * jobs)  # all objects may be left, and are sorted
        return int(max(1, min(max(8, -(-n_queries // (8 * jobs))), affordable, 256)))


def _farthest_first(population: Population, count: int, n_jobs: int | None, random_state: int) -> tuple[Indices, Distances]:
    """Pivots, each as far as possible from those before it, and the distances of all objects to them."""
    n = len(population)
    pivots = np.zeros(count, dtype=np.intp)
    table = np.empty((n, count))
    nearest = np.full(n, np.inf)
    everyone = np.arange(n)
    for column in range(count):
        pivot = int(nearest.argmax()) if column else int(np.random.default_rng(random_state).integers(n))
        if nearest[pivot] == 0:  # all objects equal a pivot
            return pivots[:column], table[:, :column]
        pivots[column] = pivot
        table[:, column] = distances_from(population.counted, pivot, everyone, n_jobs)
        nearest = np.minimum(nearest, table[:, column])
    return pivots, table


def require_triangle(metric: Metric, engine: str) -> None:
    """Refuse to rule out objects by the triangle inequality where nobody promised it."""
    if metric.obeys_triangle:
        return
    why = "does not obey it" if metric.obeys_triangle is False else "does not say whether it obeys it (obeys_triangle is None)"
    raise InvalidInput(
        f"The engine {engine!r} leaves objects out by the triangle inequality, and {metric.name!r} {why}.",
        advice="Take engine='brute', or 'auto', which does. "
        + (
            "wideberth.doctor.repair turns some distances into metrics."
            if metric.obeys_triangle is False
            else "If you can prove it, declare obeys_triangle=True; wideberth.diagnose looks for a counterexample."
        ),
        value=metric.obeys_triangle,
    )


def certain(bounds: Distances, reach: Distances | float, metric: Metric) -> Distances:
    r"""Lower bounds that rounding cannot make wrong.

    ``bounds`` are differences :math:`|d(q, p) - d(x, p)|`, computed; ``reach`` is the largest d(q, p) that went in, and
    d(x, p) is at most ``reach + bounds``. What is checked of a metric allows a relative error of `DISTANCE_ERROR` in its
    triangles, so that much is taken off. Distances in whole steps bring the bound back up to the next one.

    >>> import wideberth
    >>> certain(np.array([3.0]), np.array([5.0]), wideberth.metric("levenshtein"))
    array([3.])
    >>> bool(certain(np.array([3.0]), np.array([5.0]), wideberth.metric("euclidean")) < 3)
    True
    """
    lowered = bounds * (1 - DISTANCE_ERROR) - 2 * DISTANCE_ERROR * reach
    if metric.step is not None and float(metric.step).is_integer():  # only whole numbers are multiplied without rounding
        lowered = np.ceil(lowered / metric.step - DISTANCE_ERROR) * metric.step
    return np.maximum(lowered, 0)


def farthest_hope(found: Found, reach: Distances) -> Distances:
    """The largest computed bounds, one for each query, that `certain` may bring down to the limit."""
    return (found.limits / found.stretch + 2 * DISTANCE_ERROR * reach) / (1 - 2 * DISTANCE_ERROR)


def measure_by_bound(asked: Queries, row: int, indices: Indices, bounds: Distances, found: Found) -> None:
    """Measure objects in the order of their lower bounds, in growing batches, until no bound leaves a hope."""
    size = found.first_batch or len(indices)
    while True:
        hopeful = may_count(found, row, indices, bounds)
        indices, bounds = indices[hopeful], bounds[hopeful]
        if len(indices) <= size:
            break
        order = np.argpartition(bounds, size - 1)
        _offer_measured(asked, row, indices[order[:size]], found)
        indices, bounds = indices[order[size:]], bounds[order[size:]]
        size *= 2
    if len(indices):
        _offer_measured(asked, row, indices, found)


def may_count(found: Found, row: int, indices: Indices, bounds: Distances) -> Flags:
    """Whether objects at least ``bounds`` away may still be wanted by a query; see `Found`."""
    stretched, limit = bounds * found.stretch, found.limits[row]
    may: Flags = (stretched < limit) | ((stretched == limit) & (indices < found.last_indices[row]))
    return may


def _offer_measured(asked: Queries, row: int, indices: Indices, found: Found) -> None:
    found.offer_row(row, indices, asked.distances(slice(row, row + 1), indices)[0])
