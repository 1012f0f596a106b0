"""Brute-force search: compute every distance, in tiles.

It works for any distance, also without the triangle inequality, and it is the fastest engine where few objects can be ruled out.
"""

import numpy as np

from wideberth.array_types import Indices
from wideberth.geometry.search.collectors import Collector
from wideberth.geometry.search.engine import CollectorEngine, Population, QueryBatch, even_chunk_size

#: Queries and objects in a tile: large enough for compiled blocks, small enough for the processor's cache.
TILE_ROWS, TILE_COLUMNS = 256, 2048
#: Pairs that are worth a chunk of work of their own if a distance takes no more than so many nanoseconds; of slower ones, fewer.
CHUNK_PAIRS, USUAL_NANOSECONDS = 50_000, 2_000


class Brute(CollectorEngine):
    """The engine that measures the distances from each query to all eligible objects, tile by tile.

    A query costs as many distances as there are objects that are not deleted and not of its excluded class.

    Parameters
    ----------
    population : Population
        The objects that can be found.
    max_memory : int
        Bytes for the tiles that are worked on at the same time. Small budgets make the tiles smaller, down to one pair.

    Examples
    --------
    >>> from wideberth.geometry.measure.counting import CountedSample
    >>> counted = CountedSample([[0.0], [1.0], [5.0]], "euclidean")
    >>> population = Population(counted, codes=np.zeros(3, dtype=int), alive=np.ones(3, dtype=bool))
    >>> batch = QueryBatch(np.array([[4.0]]), excluded=np.array([-1]), counted=counted)
    >>> Brute(population, max_memory=10**6).nearest(batch, k=1, eta=0.0).indices
    array([[2]])
    """

    name = "brute"

    def __init__(self, population: Population, *, max_memory: int) -> None:
        self.population = population
        pairs = max(1, max_memory // 64)  # a tile, its mask, and what is sorted of it, on several cores
        self.rows = int(min(TILE_ROWS, pairs))
        self.columns = int(min(TILE_COLUMNS, max(1, pairs // self.rows)))

    def search(self, batch: QueryBatch, collector: Collector) -> None:
        """Offer all eligible objects; queries that exclude the same class share their tiles. See `CollectorEngine.search`."""
        alive = self.population.alive
        for excluded in np.unique(batch.excluded):
            eligible = np.flatnonzero(alive & (self.population.codes != excluded))
            rows = np.flatnonzero(batch.excluded == excluded)
            self._offer_tiles(batch, rows, eligible, collector)

    def _offer_tiles(self, batch: QueryBatch, rows: Indices, objects: Indices, collector: Collector) -> None:
        """Measure the queries ``rows`` against ``objects``, whose indices ascend, and offer the distances tile by tile."""
        for start in range(0, len(rows), self.rows):
            tile_rows = rows[start : start + self.rows]
            for first in range(0, len(objects), self.columns):
                columns = objects[first : first + self.columns]
                collector.offer_tile(tile_rows, columns, batch.distances(tile_rows, _as_slice(columns)))

    def chunk_size(self, n_queries: int, jobs: int) -> int:
        """One tile of queries at most, and `CHUNK_PAIRS` pairs at least, fewer of slow distances. See `Engine.chunk_size`."""
        if not n_queries or not len(self.population):
            return 1
        counted = self.population.counted
        slower = max(1.0, counted.metric.nanoseconds(counted.prepared) / USUAL_NANOSECONDS)
        worth_a_chunk = int(CHUNK_PAIRS / slower) // len(self.population)
        return max(1, min(self.rows, max(worth_a_chunk, even_chunk_size(n_queries, jobs))))


def _as_slice(indices: Indices) -> Indices | slice:
    """Consecutive indices as a slice, which picks objects without copying them; any others unchanged."""
    first, last = int(indices[0]), int(indices[-1])
    return slice(first, last + 1) if last - first + 1 == len(indices) else indices
