"""The contract of search engines: the queries they get, and the objects they search.

An engine *offers* objects to a collector (`wideberth.geometry.search.collectors`), so that one search procedure answers all kinds
of query: the k nearest objects, all objects within a radius, and the k nearest with all ties.
"""

from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

from wideberth.array_types import Flags, Indices
from wideberth.geometry.measure.counting import CountedSample
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
    >>> population = Population(words, codes=np.array([0, 0, 1]), alive=np.array([True, False, True]))
    >>> population.eligible(np.array([0, 1, 2]), excluded=np.array([1, 1, 1]))
    array([ True, False, False])
    """

    counted: CountedSample
    codes: Indices
    alive: Flags

    def __len__(self) -> int:
        return len(self.codes)

    def part(self, chosen: Indices) -> "Population":
        """Return the chosen objects as a population of their own, renumbered from 0 and with a new counter."""
        return Population(self.counted.fork(chosen), self.codes[chosen], self.alive[chosen])

    def eligible(self, indices: Indices, excluded: Indices) -> Flags:
        """Return which of the objects ``indices[i]`` are not deleted and not of class ``excluded[i]``."""
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
        The objects to measure against. It counts the distances of this batch alone, so that batches can run in parallel.
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
        """Return the distances from the queries at ``rows`` to the objects at ``indices``: shape (rows, indices)."""
        return self.counted.block(sample.pick(self.prepared, rows), indices)


class Engine(Protocol):
    """Finds neighbours exactly as brute force does, ties included. Answering queries does not change an engine."""

    name: ClassVar[str]

    def nearest(self, batch: QueryBatch, k: int, eta: float) -> Neighbors:
        """Return the k nearest objects of each query, each at most 1 + eta times as far as the nearest of its rank."""

    def within(self, batch: QueryBatch, radii: Distances) -> Neighborhoods:
        """Return all objects at distance at most ``radii[q]`` of each query q."""

    def nearest_with_ties(self, batch: QueryBatch, k: int) -> Neighborhoods:
        """Return the k nearest objects of each query and all others that are as near as the k-th, whatever eta is."""

    def delete(self, indices: Indices) -> None:
        """Update the engine after these objects were marked as deleted in its population; they were alive before."""

    def chunk_size(self, n_queries: int, jobs: int) -> int:
        """Return how many of ``n_queries`` queries to answer together if ``jobs`` chunks run at the same time."""


class CollectorEngine:
    """An engine whose single `search` procedure answers all kinds of query, by filling different collectors."""

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
        """Offer every object that the collector may need, once, with its distance; leave out what cannot matter."""
        raise NotImplementedError

    def delete(self, indices: Indices) -> None:
        """Do nothing: the population records what is deleted, and most engines keep no copy of that. See `Engine.delete`."""


def even_chunk_size(n_queries: int, jobs: int) -> int:
    """Return the chunk size that gives each job about eight chunks, so that no job waits long for the last one.

    >>> even_chunk_size(1000, jobs=2)
    63
    """
    return -(-n_queries // (8 * jobs))
