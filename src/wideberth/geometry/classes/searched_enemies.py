"""Nearest enemies and conflicts by a search engine, where one is expected to be faster than measuring all pairs."""

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from wideberth.array_types import Indices
from wideberth.geometry.measure.counting import CountedSample
from wideberth.geometry.measure.parallel import effective_jobs, over_chunks
from wideberth.geometry.search.choosing import engine_for_enemies
from wideberth.geometry.search.collectors import NearestCollector, RadiusCollector
from wideberth.geometry.search.engine import Population, QueryBatch
from wideberth.geometry.search.filter import Filter
from wideberth.geometry.search.pivots import Pivots
from wideberth.metrics.metric import Distances, Metric
from wideberth.objects import sample

#: Chunks whose conflicts are held at the same time.
CHUNKS_AT_ONCE = 8


class SearchedEnemies:
    """Searches for enemies by signatures of the objects or, if distances are expensive, by pivots.

    Parameters
    ----------
    engine : Filter or Pivots
        The engine over all n objects with their classes.
    n_jobs : int or None
        Cores to use; None means all.

    Attributes
    ----------
    distance_calls : int
        How many distances were measured.
    """

    def __init__(self, engine: Filter | Pivots, n_jobs: int | None) -> None:
        self.distance_calls = engine.population.counted.calls  # those of the trial, and to build the engine
        self._engine, self._n_jobs, self._how = engine, n_jobs, engine.population.counted.metric.parallel

    @classmethod
    def if_faster(
        cls, metric: Metric, prepared: Any, codes: Indices, k: int, radius: float, max_memory: int, n_jobs: int | None
    ) -> "SearchedEnemies | None":
        """Build an engine if it is expected to be clearly faster than blocks of all pairs; otherwise return None.

        Parameters
        ----------
        metric : Metric
            The distance.
        prepared : sample of n objects
            The objects as ``metric.prepare`` returns them.
        codes : ndarray of shape (n,)
            Their classes.
        k : int
            How many enemies of each object will be searched for; 0 for all within a radius.
        radius : float
            The largest distance of interest.
        max_memory : int
            Bytes for the work.
        n_jobs : int or None
            Cores to use; None means all.

        Examples
        --------
        >>> import wideberth
        >>> words = wideberth.metric("levenshtein")
        >>> two = words.prepare(["tea", "rum"])
        >>> SearchedEnemies.if_faster(words, two, np.arange(2), 1, np.inf, max_memory=10**6, n_jobs=1) is None
        True
        """
        population = Population(CountedSample(prepared, metric), codes, np.ones(len(codes), dtype=bool))
        engine = engine_for_enemies(population, k, radius, max_memory=max_memory, n_jobs=n_jobs)
        return None if engine is None else cls(engine, n_jobs)

    @property
    def can_search_some(self) -> bool:
        """Whether `nearest` can search among some of the objects only, as signatures can."""
        return isinstance(self._engine, Filter)

    def nearest(
        self, rows: Indices, k: int, up_to: float, among: Indices | None = None
    ) -> Iterator[tuple[Indices, Indices, Distances]]:
        """Find the k nearest enemies of some objects.

        Parameters
        ----------
        rows : ndarray of int
            The objects.
        k : int
            How many enemies to find.
        up_to : float
            The largest distance allowed.
        among : ndarray of int, optional
            The objects that may be found, if it `can_search_some`; all by default.

        Yields
        ------
        rows : ndarray of shape (m,)
            Some of the objects.
        indices, distances : ndarrays of shape (m, k)
            Their enemies, ordered by (distance, index); n and ``up_to`` in free places.
        """
        alive = self._engine.population.alive
        alive[:] = among is None
        if among is not None:
            alive[among] = True
        size = self._engine.chunk_size(len(rows), effective_jobs(self._n_jobs))
        chunks = [rows[start : start + size] for start in range(0, len(rows), size)]
        work = partial(_nearest_of, self._engine, k, up_to)
        found = over_chunks(work, chunks, n_jobs=self._n_jobs, how=self._how, what="nearest enemies")
        for chunk, (indices, distances, calls) in zip(chunks, found, strict=True):
            self.distance_calls += calls
            yield chunk, indices, distances

    def conflicts(self, threshold: float, max_memory: int) -> Iterator[tuple[Indices, Indices, Distances]]:
        """Find all pairs of different classes closer than a threshold: parts of first < second, in any order, and distances."""
        n = len(self._engine.population)
        size = max(1, min(self._engine.chunk_size(n, 1), max_memory // (64 * CHUNKS_AT_ONCE * max(1, n))))
        chunks = [np.arange(start, min(start + size, n)) for start in range(0, n, size)]
        work = partial(_conflicts_of, self._engine, float(np.nextafter(threshold, -np.inf)))
        for first in range(0, len(chunks), CHUNKS_AT_ONCE):
            wave = chunks[first : first + CHUNKS_AT_ONCE]
            for smaller, larger, distances, calls in over_chunks(
                work, wave, n_jobs=self._n_jobs, how=self._how, what="conflicts"
            ):
                self.distance_calls += calls
                yield smaller, larger, distances


def _batch(engine: Filter | Pivots, rows: Indices) -> QueryBatch:
    """Objects of a population as queries for their enemies."""
    counted, codes = engine.population.counted, engine.population.codes
    return QueryBatch(sample.pick(counted.prepared, rows), codes[rows], counted.fork())


def _nearest_of(engine: Filter | Pivots, k: int, up_to: float, rows: Indices) -> tuple[Indices, Distances, int]:
    """Find the nearest enemies of one chunk of objects, and count the distances measured."""
    batch, collector = _batch(engine, rows), NearestCollector(len(rows), k)
    collector.indices[:], collector.distances[:] = len(engine.population), up_to
    engine.search(batch, collector)
    return collector.indices, collector.distances, batch.counted.calls


def _conflicts_of(engine: Filter | Pivots, radius: float, rows: Indices) -> tuple[Indices, Indices, Distances, int]:
    """Find the enemies of larger index within a radius of one chunk of objects, and count the distances measured."""
    batch, collector = _batch(engine, rows), RadiusCollector(np.full(len(rows), radius))
    engine.search(batch, collector)
    found = collector.result()
    first = np.repeat(rows, np.diff(found.starts))
    once = first < found.indices
    return first[once], found.indices[once], found.distances[once], batch.counted.calls
