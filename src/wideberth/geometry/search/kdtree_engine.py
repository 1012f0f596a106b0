"""The search engine of `wideberth.Index` that uses a kd-tree."""

from typing import ClassVar

from wideberth.array_types import Indices
from wideberth.errors import InvalidInput
from wideberth.geometry.search import kdtree
from wideberth.geometry.search.engine import Neighborhoods, Neighbors, Population, QueryBatch, even_chunk_size
from wideberth.metrics.metric import Distances, Metric


class KdTreeSearch:
    """The engine that rules objects out by boxes of coordinates: for vectors of few dimensions under a Minkowski metric.

    Its answers are exact, whatever tolerance ``eta`` a query allows.

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
        found = kdtree.nearest(self.tree, batch.prepared, k, self.power, excluded=batch.excluded, n_jobs=1)
        batch.counted.count(found.distance_calls)
        return Neighbors(found.indices, found.distances)

    def within(self, batch: QueryBatch, radii: Distances) -> Neighborhoods:
        """See `wideberth.geometry.search.engine.Engine.within`."""
        found = kdtree.within(self.tree, batch.prepared, radii, self.power, excluded=batch.excluded, n_jobs=1)
        batch.counted.count(found.distance_calls)
        return Neighborhoods(found.starts, found.indices, found.distances)

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
            advice="Take engine='pivots', or 'auto', which finds the fastest.",
            value=metric,
        )
    return power
