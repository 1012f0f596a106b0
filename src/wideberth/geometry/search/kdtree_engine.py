"""The search engine of `wideberth.Index` that uses a kd-tree."""

from typing import ClassVar

import numpy as np

from wideberth.array_types import Indices
from wideberth.errors import InvalidInput
from wideberth.geometry.search import kdtree
from wideberth.geometry.search.collectors import Neighborhoods, Neighbors
from wideberth.geometry.search.engine import Population, QueryBatch, even_chunk_size
from wideberth.metrics.metric import Distances, Metric
from wideberth.wording import setting


class KdTreeSearch:
    """The engine that rules objects out by boxes of coordinates: for vectors of few dimensions under a Minkowski metric.

    With a tolerance ``eta`` it leaves out boxes that are farther than the neighbours found so far over 1 + eta.

    Parameters
    ----------
    population : Population
        The objects that can be found, vectors under a metric with p = 1, 2 or infinity.

    Raises
    ------
    InvalidInput
        If the metric is another one.
    """

    name: ClassVar[str] = "kdtree"

    def __init__(self, population: Population) -> None:
        self.population = population
        self.power = _checked_power(population.counted.metric)
        self.tree = kdtree.build(population.counted.prepared, population.codes)

    @staticmethod
    def supports(metric: Metric) -> bool:
        """Return whether the tree can measure a metric: Minkowski's with p = 1, 2 or infinity."""
        return kdtree.power_of(metric) is not None

    def nearest(self, batch: QueryBatch, k: int, eta: float) -> Neighbors:
        """See `wideberth.geometry.search.engine.Engine.nearest`."""
        found = kdtree.nearest(self.tree, batch.prepared, k, self.power, eta=eta, excluded=batch.excluded, n_jobs=1)
        batch.counted.count(found.distance_calls)
        return Neighbors(found.indices, found.distances)

    def within(self, batch: QueryBatch, radii: Distances) -> Neighborhoods:
        """See `wideberth.geometry.search.engine.Engine.within`."""
        found = kdtree.within(self.tree, batch.prepared, radii, self.power, excluded=batch.excluded, n_jobs=1)
        batch.counted.count(found.distance_calls)
        return Neighborhoods(found.starts, found.indices, found.distances)

    def nearest_with_ties(self, batch: QueryBatch, k: int) -> Neighborhoods:
        """Search around a query again only if the neighbour after the k-th is as near as the k-th; see `Engine`."""
        found = self.nearest(batch, k + 1, 0.0)
        kept = (found.distances <= found.distances[:, k - 1 : k]) & (found.indices >= 0)
        tied = np.flatnonzero(kept[:, k])
        if not len(tied):
            return Neighborhoods(np.append(0, np.cumsum(kept.sum(axis=1))), found.indices[kept], found.distances[kept])
        kept[tied] = False
        around = kdtree.within(
            self.tree, batch.prepared[tied], found.distances[tied, k - 1], self.power, excluded=batch.excluded[tied], n_jobs=1
        )
        batch.counted.count(around.distance_calls)
        counts = kept.sum(axis=1)
        counts[tied] = np.diff(around.starts)
        rows = np.concatenate([np.nonzero(kept)[0], np.repeat(tied, counts[tied])])
        order = np.argsort(rows, kind="stable")  # the neighbours of a query stay in their order
        return Neighborhoods(
            np.concatenate([[0], np.cumsum(counts)]),
            np.concatenate([found.indices[kept], around.indices])[order],
            np.concatenate([found.distances[kept], around.distances])[order],
        )

    def delete(self, indices: Indices) -> None:
        """See `wideberth.geometry.search.engine.Engine.delete`."""
        kdtree.delete(self.tree, indices)

    def chunk_size(self, n_queries: int, jobs: int) -> int:
        """See `wideberth.geometry.search.engine.Engine.chunk_size`."""
        return max(1, min(kdtree.CHUNK_QUERIES, even_chunk_size(n_queries, jobs)))


def _checked_power(metric: Metric) -> int:
    power = kdtree.power_of(metric)
    if power is None:
        raise InvalidInput(
            f"A kd-tree measures vectors under the Minkowski metrics with p = 1, 2 or infinity, not {metric!r}.",
            advice=f"Take {setting('engine', 'pivots')}, or 'auto', which finds the fastest.",
            value=metric,
        )
    return power
