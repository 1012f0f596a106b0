"""What search engines have in common: the results of searches, the collectors that gather them, the
queries, and the objects that are searched.

An engine *offers* objects with their distances to a `Collector`, which keeps what belongs to the
answer and publishes how near an object must be to matter still. So one search procedure answers all
kinds of query: the k nearest objects, all objects within a radius, and the k nearest with all ties.
All orders are by (distance, index), so that ties are broken alike by every engine.

**Brute-force search: compute every distance, in tiles.** It works for any distance, also without
the triangle inequality, and it is the fastest engine where few objects can be ruled out.
"""

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, Protocol

import numpy as np

from wideberth.array_types import Flags, Indices, Sample
from wideberth.geometry.measure.blocks import CountedSample
from wideberth.metrics.metric import Distances
from wideberth.objects import sample

#: Objects in the first batch of a query; each further batch is twice as large.
FIRST_BATCH = 8


class Neighbors(NamedTuple):
    """The k nearest objects of each query, in the order of (distance, index).

    Attributes
    ----------
    indices : ndarray of shape (n_queries, k)
        Indices of the objects; -1 where a query has fewer than k neighbours.
    distances : ndarray of shape (n_queries, k)
        Their distances; infinity where there is no neighbour.
    """

    indices: Indices
    distances: Distances


class Neighborhoods(NamedTuple):
    """All objects within a radius of each query, in flat arrays, in the order of (distance, index)
    for each query.

    Attributes
    ----------
    starts : ndarray of shape (n_queries + 1,)
        The neighbours of query q are at ``starts[q]:starts[q + 1]`` of the other two arrays.
    indices : ndarray of shape (starts[-1],)
        Indices of the objects.
    distances : ndarray of shape (starts[-1],)
        Their distances.
    """

    starts: Indices
    indices: Indices
    distances: Distances


class Collector(Protocol):
    """Collects the answer of a search, and publishes which objects can still be part of it.

    An object at distance d from query ``row`` can belong to the answer if d < ``limits[row]``, or
    if d = ``limits[row]`` and its index is below ``last_indices[row]``. An object whose distance is
    at least b may be left out unmeasured if ``stretch`` * b fails this test. No object may be
    offered twice to the same query.
    """

    #: The largest distance that still matters; it falls as better objects are found, shape
    #: (n_queries,).
    limits: Distances
    #: Breaks ties at the limit, shape (n_queries,).
    last_indices: Indices
    #: 1 + eta for approximate neighbours, 1 for exact ones.
    stretch: float
    #: How many objects to measure before the limits mean anything; 0 if the limits are fixed from
    #: the start.
    first_batch: int
    #: How many objects lower a limit, to the distance of the farthest of them; 0 if the limits are
    #: fixed from the start.
    k: int
    #: Whether all objects at the limit belong to the answer.
    keeps_ties: bool

    def offer(self, rows: Indices, indices: Indices, distances: Distances) -> None:
        """Offer pairs: object ``indices[i]`` is at ``distances[i]`` from query ``rows[i]``."""

    def offer_row(self, row: int, indices: Indices, distances: Distances) -> None:
        """Offer several objects to the single query ``row``."""

    def offer_tile(self, rows: Indices, indices: Indices, distances: Distances) -> None:
        """Offer all pairs of the queries ``rows`` and the objects ``indices``, which ascend.

        ``distances`` has shape (len(rows), len(indices)).
        """


class NearestCollector:
    """Keeps the k nearest of the objects offered so far; a `Collector`.

    The j-th neighbour may be 1 + ``eta`` times as far as the j-th nearest object.

    Examples
    --------
    >>> collector = NearestCollector(1, k=2)
    >>> collector.offer_row(0, np.array([7, 3, 5]), np.array([1.0, 1.0, 0.5]))
    >>> collector.result()
    Neighbors(indices=array([[5, 3]]), distances=array([[0.5, 1. ]]))
    """

    keeps_ties = False

    def __init__(self, n_queries: int, k: int, eta: float = 0.0) -> None:
        self.k = k
        self.indices = np.full((n_queries, k), -1, dtype=np.intp)
        self.distances = np.full((n_queries, k), np.inf)
        self.limits = self.distances[:, -1]  # views: they change with the arrays
        self.last_indices = self.indices[:, -1]
        self.stretch = 1.0 + eta
        self.first_batch = max(FIRST_BATCH, k)

    def offer(self, rows: Indices, indices: Indices, distances: Distances) -> None:
        """See `Collector.offer`."""
        better = distances < self.limits[rows]
        better |= (distances == self.limits[rows]) & (indices < self.last_indices[rows])
        rows, indices, distances = rows[better], indices[better], distances[better]
        if not len(rows):
            return
        k = self.indices.shape[1]
        changed = np.unique(rows)
        rows = np.concatenate([np.repeat(changed, k), rows])
        indices = np.concatenate([self.indices[changed].ravel(), indices])
        distances = np.concatenate([self.distances[changed].ravel(), distances])
        order = np.lexsort((indices, distances, rows))
        rows = rows[order]
        rank = np.arange(len(rows)) - np.searchsorted(rows, rows)
        kept = rank < k
        self.indices[rows[kept], rank[kept]] = indices[order[kept]]
        self.distances[rows[kept], rank[kept]] = distances[order[kept]]

    def offer_row(self, row: int, indices: Indices, distances: Distances) -> None:
        """See `Collector.offer_row`."""
        k = self.indices.shape[1]
        indices = np.concatenate([self.indices[row], indices])
        distances = np.concatenate([self.distances[row], distances])
        order = np.lexsort((indices, distances))[:k]
        self.indices[row] = indices[order]
        self.distances[row] = distances[order]

    def offer_tile(self, rows: Indices, indices: Indices, distances: Distances) -> None:
        """See `Collector.offer_tile`."""
        if self.indices.shape[1] == 1:
            nearest = distances.argmin(axis=1)  # the first of equals, so the smallest index
            self.offer(rows, indices[nearest], distances[np.arange(len(distances)), nearest])
            return
        near, columns = np.nonzero(distances <= self.limits_with(rows, distances)[:, None])
        self.offer(rows[near], indices[columns], distances[near, columns])

    def limits_with(self, rows: Indices, distances: Distances) -> Distances:
        """Return how near an object must be to matter once the queries ``rows`` have been offered
        these distances.

        For more than one neighbour, limits that are finite already are not lowered: most of a later
        tile is beyond them.
        """
        k = self.indices.shape[1]
        limits: Distances = self.limits[rows]
        if k == 1:
            limits = np.minimum(limits, distances.min(axis=1, initial=np.inf))
        elif k < distances.shape[1] and np.isinf(limits).any():
            limits = np.minimum(limits, np.partition(distances, k - 1, axis=1)[:, k - 1])
        return limits

    def result(self) -> Neighbors:
        """Return the neighbours found so far."""
        return Neighbors(self.indices, self.distances)


class RadiusCollector:
    """Keeps the objects offered so far that are within a radius of their query; a `Collector`.

    Examples
    --------
    >>> collector = RadiusCollector(np.array([1.0, 2.0]))
    >>> collector.offer(np.array([1, 0, 1]), np.array([4, 5, 6]), np.array([2.0, 3.0, 1.0]))
    >>> collector.result()
    Neighborhoods(starts=array([0, 0, 2]), indices=array([6, 4]), distances=array([1., 2.]))
    """

    first_batch = 0
    k = 0
    keeps_ties = True
    stretch = 1.0

    def __init__(self, radii: Distances) -> None:
        self.limits = radii
        self.last_indices = np.full(len(radii), np.iinfo(np.intp).max)
        self._parts: list[tuple[Indices, Indices, Distances]] = []

    def offer(self, rows: Indices, indices: Indices, distances: Distances) -> None:
        """See `Collector.offer`."""
        near = distances <= self.limits[rows]
        if near.any():
            self._parts.append((rows[near], indices[near], distances[near]))

    def offer_row(self, row: int, indices: Indices, distances: Distances) -> None:
        """See `Collector.offer_row`."""
        self.offer(np.full(len(indices), row), indices, distances)

    def offer_tile(self, rows: Indices, indices: Indices, distances: Distances) -> None:
        """See `Collector.offer_tile`."""
        near, columns = np.nonzero(distances <= self.limits[rows][:, None])
        if len(near):
            self._parts.append((rows[near], indices[columns], distances[near, columns]))

    def result(self) -> Neighborhoods:
        """Return the neighbourhoods found so far."""
        none = (np.empty(0, dtype=np.intp), np.empty(0, dtype=np.intp), np.empty(0))
        rows, indices, distances = (
            np.concatenate(column) for column in zip(none, *self._parts, strict=True)
        )
        order = np.lexsort((indices, distances, rows))
        starts = np.searchsorted(rows[order], np.arange(len(self.limits) + 1))
        return Neighborhoods(starts, indices[order], distances[order])


class TiedCollector:
    """Keeps the k nearest of the objects offered so far, and all others that are as near as the
    k-th; a `Collector`.

    Examples
    --------
    >>> collector = TiedCollector(1, k=1)
    >>> collector.offer_row(0, np.array([7, 3, 5]), np.array([1.0, 2.0, 1.0]))
    >>> collector.result()
    Neighborhoods(starts=array([0, 2]), indices=array([5, 7]), distances=array([1., 1.]))
    """

    keeps_ties = True
    stretch = 1.0

    def __init__(self, n_queries: int, k: int) -> None:
        self.k = k
        self._nearest = NearestCollector(n_queries, k)
        self.limits = self._nearest.limits
        # at the limit every object matters
        self.last_indices = np.full(n_queries, np.iinfo(np.intp).max)
        self.first_batch = self._nearest.first_batch
        self._parts: list[tuple[Indices, Indices, Distances]] = []

    def offer(self, rows: Indices, indices: Indices, distances: Distances) -> None:
        """See `Collector.offer`."""
        self._nearest.offer(rows, indices, distances)
        near = distances <= self.limits[rows]
        if near.any():
            self._parts.append((rows[near], indices[near], distances[near]))

    def offer_row(self, row: int, indices: Indices, distances: Distances) -> None:
        """See `Collector.offer_row`."""
        self._nearest.offer_row(row, indices, distances)
        near = np.flatnonzero(distances <= self.limits[row])
        self._parts.append((np.full(len(near), row), indices[near], distances[near]))

    def offer_tile(self, rows: Indices, indices: Indices, distances: Distances) -> None:
        """See `Collector.offer_tile`."""
        near, columns = np.nonzero(distances <= self._nearest.limits_with(rows, distances)[:, None])
        self.offer(rows[near], indices[columns], distances[near, columns])

    def result(self) -> Neighborhoods:
        """Return the neighbourhoods found so far."""
        within = RadiusCollector(self.limits)
        if self._parts:
            within.offer(*(np.concatenate(column) for column in zip(*self._parts, strict=True)))
        return within.result()


# ---- The contract of search engines: the queries they get, and the objects they search


@dataclass
class Population:
    """The objects that an engine searches.

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

    #: The objects with their metric, and a counter of measured distances.
    counted: CountedSample
    #: The class of each object, numbered from 0, shape (n,).
    codes: Indices
    #: False for deleted objects, which are never found, shape (n,).
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

    Examples
    --------
    >>> import numpy as np
    >>> words = CountedSample(["tea", "milk", "rum"], "levenshtein")
    >>> batch = QueryBatch(words.metric.prepare(["tee"]), excluded=np.array([-1]), counted=words)
    >>> batch.distances([0], [0, 2])
    array([[1., 3.]])
    """

    #: The queries, as ``metric.prepare`` returns them.
    prepared: Sample
    #: The class whose objects do not count for a query; -1 excludes nothing, shape (n_queries,).
    excluded: Indices
    #: The objects to measure against. It counts the distances of this batch alone, so that batches
    #: can run in parallel.
    counted: CountedSample
    #: How many objects an engine examined by a lower bound instead of a distance.
    bounds_compared: int = 0
    #: Where the queries stand among the objects, if they are some of these.
    own: Indices | None = None

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

    Small budgets make the tiles smaller, down to one pair.

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
        # a tile, its mask, and what is sorted of it, on several cores
        pairs = max(1, max_memory // 64)
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
