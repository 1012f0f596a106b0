"""Search with a table of distances to pivots (LAESA): the triangle inequality rules out most
objects without measuring them.

Micó, Oncina & Vidal, "A new version of the nearest-neighbour approximating and eliminating search
algorithm (AESA) with linear preprocessing time and memory requirements", Pattern Recognition
Letters 15, 1994.
"""

import math

import numpy as np

from wideberth.array_types import Flags, Indices
from wideberth.errors import InvalidInput
from wideberth.geometry.measure.blocks import distances_from
from wideberth.geometry.search import kdtree
from wideberth.geometry.search.engine import (
    Collector,
    CollectorEngine,
    Population,
    QueryBatch,
    even_chunk_size,
)
from wideberth.metrics.metric import Distances, Metric
from wideberth.rounding import DISTANCE_ERROR
from wideberth.wording import python, setting

#: Pivots for each doubling of the number of objects.
PIVOTS_PER_DOUBLING = 1.5
#: How the kd-tree writes the exponent infinity.
CHEBYSHEV = 0


class Pivots(CollectorEngine):
    r"""The engine that bounds distances from below with pivots, objects p far from each other.

    By the triangle inequality :math:`d(q, x) \ge \max_p |d(q, p) - d(x, p)|`. Building measures n
    distances for each pivot, which make every object a vector; the bound is the Chebyshev distance
    of two such vectors, so a kd-tree finds the objects with small bounds. A query measures its
    distances to the pivots, then the objects with the smallest bounds, and then all objects whose
    bound does not exceed the distance of the k-th nearest found, until none is left.

    There are about 1.5 log2(n) pivots; fewer if all objects equal a pivot, or the memory does not
    hold the table, its kd-tree, and the work on queries.

    Examples
    --------
    >>> from wideberth.geometry.measure.blocks import CountedSample
    >>> words = CountedSample(["tea", "tee", "coffee", "toffee"], "levenshtein")
    >>> population = Population(words, codes=np.zeros(4, dtype=int), alive=np.ones(4, dtype=bool))
    >>> engine = Pivots(population, max_memory=10**6, n_jobs=1, random_state=0)
    >>> batch = QueryBatch(
    ...     words.metric.prepare(["coffees"]), excluded=np.array([-1]), counted=words
    ... )
    >>> engine.nearest(batch, k=2, eta=0.0).indices
    array([[2, 3]])
    """

    name = "pivots"

    def __init__(
        self, population: Population, *, max_memory: int, n_jobs: int | None, random_state: int
    ) -> None:
        require_triangle(population.counted.metric, self.name)
        self.population = population
        n = len(population)
        wanted = math.ceil(PIVOTS_PER_DOUBLING * math.log2(max(n, 2)))
        self._budget = max(max_memory // 4, 1)
        affordable = max(1, self._budget // (16 * max(n, 1)))
        self.pivots, table = _farthest_first(
            population, min(n, wanted, affordable), n_jobs, random_state
        )
        self.others = np.delete(np.arange(n), self.pivots)
        self.tree = kdtree.build(table[self.others], population.codes[self.others])

    def delete(self, indices: Indices) -> None:
        """Delete the vectors of these objects from the tree; deleted pivots still bound distances.
        See `Engine.delete`.
        """
        places = np.searchsorted(self.others, indices)
        in_tree = ~np.isin(indices, self.pivots)
        kdtree.delete(self.tree, places[in_tree])

    def search(self, batch: QueryBatch, collector: Collector) -> None:
        """Offer the pivots, the objects with the smallest bounds, then all whose bound is within
        the limit so far.

        See `CollectorEngine.search`.
        """
        to_pivots = batch.distances(slice(None), self.pivots)
        self._offer_pivots(batch, to_pivots, collector)
        if not len(self.others):
            return
        measured = np.zeros(len(batch), dtype=np.intp)
        if collector.first_batch:
            near = kdtree.nearest(
                self.tree,
                to_pivots,
                collector.first_batch,
                CHEBYSHEV,
                excluded=batch.excluded,
                n_jobs=1,
            )
            batch.bounds_compared += near.distance_calls
            measured = (near.indices >= 0).sum(axis=1)
            starts = collector.first_batch * np.arange(len(batch))
            self._measure(
                batch,
                to_pivots,
                starts,
                starts + measured,
                near.indices.ravel(),
                near.distances.ravel(),
                collector,
            )
        radii = largest_useful_bounds(collector, to_pivots.max(axis=1))
        left = kdtree.within(
            self.tree, to_pivots, radii, CHEBYSHEV, excluded=batch.excluded, n_jobs=1
        )
        batch.bounds_compared += left.distance_calls
        # both searches return objects by (bound, index), so those measured before come first
        starts = np.minimum(left.starts[:-1] + measured, left.starts[1:])
        self._measure(
            batch, to_pivots, starts, left.starts[1:], left.indices, left.distances, collector
        )

    def _offer_pivots(self, batch: QueryBatch, to_pivots: Distances, collector: Collector) -> None:
        rows, columns = np.indices(to_pivots.shape).reshape(2, -1)
        eligible = self.population.eligible(self.pivots[columns], batch.excluded[rows])
        collector.offer(rows[eligible], self.pivots[columns[eligible]], to_pivots.ravel()[eligible])

    def _measure(
        self,
        batch: QueryBatch,
        to_pivots: Distances,
        starts: Indices,
        stops: Indices,
        places: Indices,
        bounds: Distances,
        collector: Collector,
    ) -> None:
        """Measure those of the objects ``others[places[starts[q]:stops[q]]]`` that can still matter
        for query q.

        ``bounds`` are the computed lower bounds at the same places; ``to_pivots`` are the distances
        from queries to pivots.
        """
        farthest_pivot = to_pivots.max(axis=1)
        for row, (start, stop) in enumerate(zip(starts, stops, strict=True)):
            if start < stop:
                safe = safe_lower_bounds(
                    bounds[start:stop], farthest_pivot[row], self.population.counted.metric
                )
                measure_by_bound(batch, row, self.others[places[start:stop]], safe, collector)

    def chunk_size(self, n_queries: int, jobs: int) -> int:
        """Return at most 256 queries, fewer if the objects left for them might exceed the memory.
        See `Engine.chunk_size`.
        """
        # all objects may be left, and are sorted
        affordable = self._budget // (64 * max(1, len(self.population)) * jobs)
        return int(max(1, min(max(8, even_chunk_size(n_queries, jobs)), affordable, 256)))


def _farthest_first(
    population: Population, count: int, n_jobs: int | None, random_state: int
) -> tuple[Indices, Distances]:
    """Choose pivots, each as far as possible from those before it, and measure the distances of all
    objects to them.

    Fewer than ``count`` if all objects are at distance 0 from a pivot.
    """
    n = len(population)
    pivots = np.zeros(count, dtype=np.intp)
    table = np.empty((n, count))
    nearest = np.full(n, np.inf)
    all_objects = np.arange(n)
    for column in range(count):
        pivot = (
            int(nearest.argmax())
            if column
            else int(np.random.default_rng(random_state).integers(n))
        )
        if nearest[pivot] == 0:  # all objects equal a pivot
            return pivots[:column], table[:, :column]
        pivots[column] = pivot
        table[:, column] = distances_from(population.counted, pivot, all_objects, n_jobs)
        nearest = np.minimum(nearest, table[:, column])
    return pivots, table


def require_triangle(metric: Metric, engine: str) -> None:
    """Raise an error unless the metric promises the triangle inequality, by which ``engine`` rules
    objects out.

    Examples
    --------
    >>> import wideberth
    >>> require_triangle(wideberth.metric("levenshtein"), "pivots")
    """
    if metric.obeys_triangle:
        return
    why = (
        "does not obey it"
        if metric.obeys_triangle is False
        else "does not say whether it obeys it (obeys_triangle is None)"
    )
    raise InvalidInput(
        f"The engine {engine!r} rules objects out by the triangle inequality, and {metric.name!r} "
        f"{why}.",
        advice=f"Take {setting('engine', 'brute')}, or 'auto', which does. "
        + (
            f"{python('wideberth.doctor.repair')} turns some distances into metrics."
            if metric.obeys_triangle is False
            else f"If you can prove it, {python('declare obeys_triangle=True')}; "
            f"{python('wideberth.diagnose')} looks for a counterexample."
        ),
        value=metric.obeys_triangle,
    )


def safe_lower_bounds(
    bounds: Distances, farthest_pivot: Distances | float, metric: Metric
) -> Distances:
    r"""Lower computed bounds so far that rounding errors cannot make them wrong.

    Distances obey the triangle inequality only up to a relative error of `DISTANCE_ERROR`, so that
    much is subtracted. If all distances are multiples of a whole step, the bound is then raised to
    the next multiple.

    ``bounds`` are differences :math:`|d(q, p) - d(x, p)|`, as computed, and ``farthest_pivot`` the
    largest d(q, p) of the query: so d(x, p) is at most ``farthest_pivot + bounds``.

    Examples
    --------
    >>> import wideberth
    >>> safe_lower_bounds(np.array([3.0]), np.array([5.0]), wideberth.metric("levenshtein"))
    array([3.])
    >>> bool(safe_lower_bounds(np.array([3.0]), np.array([5.0]), wideberth.metric("euclidean")) < 3)
    True
    """
    lowered = bounds * (1 - DISTANCE_ERROR) - 2 * DISTANCE_ERROR * farthest_pivot
    # only whole numbers are multiplied without rounding
    if metric.step is not None and float(metric.step).is_integer():
        lowered = np.ceil(lowered / metric.step - DISTANCE_ERROR) * metric.step
    return np.maximum(lowered, 0)


def largest_useful_bounds(collector: Collector, farthest_pivot: Distances) -> Distances:
    """Return, for each query, the largest computed bound that `safe_lower_bounds` may lower to the
    query's limit.

    Objects with larger bounds cannot belong to the answer, so a search in the tree may stop there.

    >>> from wideberth.geometry.search.engine import RadiusCollector
    >>> largest_useful_bounds(RadiusCollector(np.array([2.0])), np.array([5.0])).round(6)
    array([2.])
    """
    return (collector.limits / collector.stretch + 2 * DISTANCE_ERROR * farthest_pivot) / (
        1 - 2 * DISTANCE_ERROR
    )


def measure_by_bound(
    batch: QueryBatch, row: int, indices: Indices, bounds: Distances, collector: Collector
) -> None:
    """Measure objects in the order of their lower bounds, in batches of doubling size, until no
    other can matter.

    The limit of the collector for the query falls meanwhile, which rules out more candidates.
    """
    size = collector.first_batch or len(indices)
    while True:
        candidates = can_matter(collector, row, indices, bounds)
        indices, bounds = indices[candidates], bounds[candidates]
        if len(indices) <= size:
            break
        order = np.argpartition(bounds, size - 1)
        _offer_measured(batch, row, indices[order[:size]], collector)
        indices, bounds = indices[order[size:]], bounds[order[size:]]
        size *= 2
    if len(indices):
        _offer_measured(batch, row, indices, collector)


def can_matter(collector: Collector, row: int, indices: Indices, bounds: Distances) -> Flags:
    """Return which objects, at least ``bounds`` away from query ``row``, may belong to its answer;
    see `Collector`.

    >>> from wideberth.geometry.search.engine import RadiusCollector
    >>> can_matter(RadiusCollector(np.array([2.0])), 0, np.array([4, 5]), np.array([2.0, 2.5]))
    array([ True, False])
    """
    stretched, limit = bounds * collector.stretch, collector.limits[row]
    flags: Flags = (stretched < limit) | (
        (stretched == limit) & (indices < collector.last_indices[row])
    )
    return flags


def _offer_measured(batch: QueryBatch, row: int, indices: Indices, collector: Collector) -> None:
    collector.offer_row(row, indices, batch.distances(slice(row, row + 1), indices)[0])
