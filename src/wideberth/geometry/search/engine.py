"""The contract of search engines: the queries they get, and the objects they search.

An engine *offers* objects to a collector (`wideberth.geometry.search.collectors`), so that one
search procedure answers all kinds of query: the k nearest objects, all objects within a radius, and
the k nearest with all ties.

**Brute-force search: compute every distance, in tiles.**

It works for any distance, also without the triangle inequality, and it is the fastest engine where
few objects can be ruled out.
"""

from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import numpy as np

from wideberth.array_types import Flags, Indices
from wideberth.geometry.measure.blocks import CountedSample
from wideberth.geometry.search.collectors import (
    Collector,
    NearestCollector,
    Neighborhoods,
    Neighbors,
    RadiusCollector,
    TiedCollector,
)
from wideberth.metrics.metric import Distances
from wideberth.objects import sample


@dataclass
class Population:
    """The objects that an engine searches.

    Attributes
    ----------
    counted : CountedSample
        The objects with their metric, and a counter of measured distances.
    codes : ndarray of shape (n,)
        The class of each object, numbered from 0.
    alive : ndarray of bool of shape (n,)
        False for deleted objects, which are never found.

    Examples
    --------
    >>> import numpy as np
    >>> words = CountedSample(["tea", "milk", "rum"], "levenshtein")
    >>> population = Population(
    ...     words, codes=np.array([0, 0, 1]), alive=np.array([True, False, True])
    ... )
    >>> population.eligible(np.array([0, 1, 2]), excluded=np.array([1, 1, 1]))
    array([ True, False, False])
    """

    counted: CountedSample
    codes: Indices
    alive: Flags

    def __len__(self) -> int:
        return len(self.codes)

    def part(self, chosen: Indices) -> "Population":
        """Return the chosen objects as a population of their own, renumbered from 0 and with a new
        counter.
        """
        return Population(self.counted.fork(chosen), self.codes[chosen], self.alive[chosen])

    def eligible(self, indices: Indices, excluded: Indices) -> Flags:
        """Return which of the objects ``indices[i]`` are not deleted and not of class
        ``excluded[i]``.
        """
        eligible: Flags = self.alive[indices] & (self.codes[indices] != excluded)
        return eligible


@dataclass
class QueryBatch:
    """Prepared queries that are answered together.

    Attributes
    ----------
    prepared : prepared sample of n_queries objects
        The queries, as ``metric.prepare`` returns them.
    excluded : ndarray of shape (n_queries,)
        The class whose objects do not count for a query; -1 excludes nothing.
    counted : CountedSample
        The objects to measure against. It counts the distances of this batch alone, so that batches
        can run in parallel.
    bounds_compared : int
        How many objects an engine examined by a lower bound instead of a distance.

    Examples
    --------
    >>> import numpy as np
    >>> words = CountedSample(["tea", "milk", "rum"], "levenshtein")
    >>> batch = QueryBatch(words.metric.prepare(["tee"]), excluded=np.array([-1]), counted=words)
    >>> batch.distances([0], [0, 2])
    array([[1., 3.]])
    """

    prepared: Any
    excluded: Indices
    counted: CountedSample
    bounds_compared: int = 0

    def __len__(self) -> int:
        return len(self.excluded)

    def distances(self, rows: Any, indices: Any) -> Distances:
        """Return the distances from the queries at ``rows`` to the objects at ``indices``: shape
        (rows, indices).
        """
        return self.counted.block(sample.pick(self.prepared, rows), indices)


class Engine(Protocol):
    """Finds neighbours exactly as brute force does, ties included. Answering queries does not
    change an engine.
    """

    name: ClassVar[str]

    def nearest(self, batch: QueryBatch, k: int, eta: float) -> Neighbors:
        """Return the k nearest objects of each query, each at most 1 + eta times as far as the
        nearest of its rank.
        """

    def within(self, batch: QueryBatch, radii: Distances) -> Neighborhoods:
        """Return all objects at distance at most ``radii[q]`` of each query q."""

    def nearest_with_ties(self, batch: QueryBatch, k: int) -> Neighborhoods:
        """Return the k nearest objects of each query and all others that are as near as the k-th,
        whatever eta is.
        """

    def delete(self, indices: Indices) -> None:
        """Update the engine after these objects were marked as deleted in its population; they were
        alive before.
        """

    def chunk_size(self, n_queries: int, jobs: int) -> int:
        """Return how many of ``n_queries`` queries to answer together if ``jobs`` chunks run at the
        same time.
        """


class CollectorEngine:
    """An engine whose single `search` procedure answers all kinds of query, by filling different
    collectors.
    """

    name: ClassVar[str]

    def nearest(self, batch: QueryBatch, k: int, eta: float) -> Neighbors:
        """See `Engine.nearest`."""
        collector = NearestCollector(len(batch), k, eta)
        self.search(batch, collector)
        return collector.result()

    def within(self, batch: QueryBatch, radii: Distances) -> Neighborhoods:
        """See `Engine.within`."""
        collector = RadiusCollector(radii)
        self.search(batch, collector)
        return collector.result()

    def nearest_with_ties(self, batch: QueryBatch, k: int) -> Neighborhoods:
        """See `Engine.nearest_with_ties`."""
        collector = TiedCollector(len(batch), k)
        self.search(batch, collector)
        return collector.result()

    def search(self, batch: QueryBatch, collector: Collector) -> None:
        """Offer every object that the collector may need, once, with its distance; leave out what
        cannot matter.
        """
        raise NotImplementedError

    def delete(self, indices: Indices) -> None:
        """Do nothing: the population records what is deleted, and most engines keep no copy of
        that. See `Engine.delete`.
        """


def even_chunk_size(n_queries: int, jobs: int) -> int:
    """Return the chunk size that gives each job about eight chunks, so that no job waits long for
    the last one.

    >>> even_chunk_size(1000, jobs=2)
    63
    """
    return -(-n_queries // (8 * jobs))


#: Queries and objects in a tile: large enough for compiled blocks, small enough for the processor's
#: cache.
TILE_ROWS, TILE_COLUMNS = 256, 2048
#: Pairs that are worth a chunk of work of their own if a distance takes no more than so many
#: nanoseconds; of slower ones, fewer.
CHUNK_PAIRS, USUAL_NANOSECONDS = 50_000, 2_000


class Brute(CollectorEngine):
    """The engine that measures the distances from each query to all eligible objects, tile by tile.

    A query costs as many distances as there are objects that are not deleted and not of its
    excluded class.

    Parameters
    ----------
    population : Population
        The objects that can be found.
    max_memory : int
        Bytes for the tiles that are worked on at the same time. Small budgets make the tiles
        smaller, down to one pair.

    Examples
    --------
    >>> from wideberth.geometry.measure.blocks import CountedSample
    >>> counted = CountedSample([[0.0], [1.0], [5.0]], "euclidean")
    >>> population = Population(counted, codes=np.zeros(3, dtype=int), alive=np.ones(3, dtype=bool))
    >>> batch = QueryBatch(np.array([[4.0]]), excluded=np.array([-1]), counted=counted)
    >>> Brute(population, max_memory=10**6).nearest(batch, k=1, eta=0.0).indices
    array([[2]])
    """

    name = "brute"

    def __init__(self, population: Population, *, max_memory: int) -> None:
        self.population = population
        pairs = max(
            1, max_memory // 64
        )  # a tile, its mask, and what is sorted of it, on several cores
        self.rows = int(min(TILE_ROWS, pairs))
        self.columns = int(min(TILE_COLUMNS, max(1, pairs // self.rows)))

    def search(self, batch: QueryBatch, collector: Collector) -> None:
        """Offer all eligible objects; queries that exclude the same class share their tiles. See
        `CollectorEngine.search`.
        """
        alive = self.population.alive
        for excluded in np.unique(batch.excluded):
            eligible = np.flatnonzero(alive & (self.population.codes != excluded))
            rows = np.flatnonzero(batch.excluded == excluded)
            self._offer_tiles(batch, rows, eligible, collector)

    def _offer_tiles(
        self, batch: QueryBatch, rows: Indices, objects: Indices, collector: Collector
    ) -> None:
        """Measure the queries ``rows`` against ``objects``, whose indices ascend, and offer the
        distances tile by tile.
        """
        for start in range(0, len(rows), self.rows):
            tile_rows = rows[start : start + self.rows]
            for first in range(0, len(objects), self.columns):
                columns = objects[first : first + self.columns]
                collector.offer_tile(
                    tile_rows, columns, batch.distances(tile_rows, _as_slice(columns))
                )

    def chunk_size(self, n_queries: int, jobs: int) -> int:
        """One tile of queries at most, and `CHUNK_PAIRS` pairs at least, fewer of slow distances.
        See `Engine.chunk_size`.
        """
        if not n_queries or not len(self.population):
            return 1
        counted = self.population.counted
        slower = max(1.0, counted.metric.nanoseconds(counted.prepared) / USUAL_NANOSECONDS)
        worth_a_chunk = int(CHUNK_PAIRS / slower) // len(self.population)
        return max(1, min(self.rows, max(worth_a_chunk, even_chunk_size(n_queries, jobs))))


def _as_slice(indices: Indices) -> Indices | slice:
    """Consecutive indices as a slice, which picks objects without copying them; any others
    unchanged.
    """
    first, last = int(indices[0]), int(indices[-1])
    return slice(first, last + 1) if last - first + 1 == len(indices) else indices
