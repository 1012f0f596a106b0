"""The kd-tree as an engine."""

from typing import Any, ClassVar

from wideberth.errors import InvalidInput
from wideberth.geometry import kdtree
from wideberth.geometry.engines.engine import Asked, Population
from wideberth.geometry.engines.found import Indices, Neighborhoods, Neighbors
from wideberth.metrics.metric import Distances, Metric


class KdTreeSearch:
    """Boxes of coordinates rule objects out: for vectors of few dimensions under the Minkowski metrics p = 1, 2, infinity."""

    name: ClassVar[str] = "kdtree"

    def __init__(self, population: Population) -> None:
        self.population = population
        self.power = _power(population.counted.metric)
        self.tree = kdtree.build(population.counted.prepared, population.codes)

    @staticmethod
    def takes(metric: Metric) -> bool:
        """Whether a metric is one of those that the tree measures."""
        return kdtree.power_of(metric) is not None

    def nearest(self, asked: Asked, k: int, eta: float) -> Neighbors:  # exact, so (1 + eta)-nearest whatever eta is
        found = kdtree.nearest(self.tree, asked.queries, k, self.power, excluded=asked.excluded, n_jobs=1)
        asked.counted.count(found.distance_calls)
        return Neighbors(found.indices, found.distances)

    def within(self, asked: Asked, radii: Distances) -> Neighborhoods:
        found = kdtree.within(self.tree, asked.queries, radii, self.power, excluded=asked.excluded, n_jobs=1)
        asked.counted.count(found.distance_calls)
        return Neighborhoods(found.starts, found.indices, found.distances)

    def forget(self, gone: Indices) -> None:
        kdtree.delete(self.tree, gone)

    def rows_at_once(self, n_queries: int, jobs: int) -> int:
        return max(1, min(2_000, -(-n_queries // (8 * jobs))))


def _power(metric: Metric) -> Any:
    power = kdtree.power_of(metric)
    if power is None:
        raise InvalidInput(
            f"A kd-tree measures vectors under the Minkowski metrics with p = 1, 2 or infinity, not {metric!r}.",
            advice="Take engine='pivots', or 'auto', which finds the fastest.",
            value=metric,
        )
    return power
