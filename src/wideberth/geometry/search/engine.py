"""What a search answers, what it has found so far and how far it must still look; what an engine is given and promises."""

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, Protocol

import numpy as np

from wideberth.arrays import Flags, Indices
from wideberth.geometry.measure.counting import CountedSample
from wideberth.metrics.metric import Distances
from wideberth.objects import sample

#: Objects in the first batch of a query; each further batch is twice as large.
FIRST_BATCH = 8


class Neighbors(NamedTuple):
    """The k nearest objects of each query, by (distance, index): shape (queries, k); -1 and infinity where there are fewer."""

    indices: Indices
    distances: Distances


class Neighborhoods(NamedTuple):
    """The objects near each query: those of query q are at ``starts[q]:starts[q + 1]``, by (distance, index)."""

    starts: Indices
    indices: Indices
    distances: Distances


class Found(Protocol):
    """What a search fills. An object at distance d <= ``limits[row]`` from query ``row`` may still be wanted.

    Where the distance equals the limit, an index below ``last_indices[row]`` is needed too. An object may be left out unmeasured
    if its distance is at least b and ``stretch`` * b is beyond that. Nothing may be offered twice.
    """

    limits: Distances
    last_indices: Indices
    stretch: float
    first_batch: int  # how many objects to try before the limits say how far to look; 0: the limits are fixed

    def offer(self, rows: Indices, indices: Indices, distances: Distances) -> None:
        """Objects with their distances, one query each."""

    def offer_row(self, row: int, indices: Indices, distances: Distances) -> None:
        """Objects with their distances from one query."""

    def offer_tile(self, rows: Indices, indices: Indices, distances: Distances) -> None:
        """All distances from some queries to some objects, whose indices ascend."""


class NearestFound:
    """The k nearest objects seen so far.

    >>> found = NearestFound(1, k=2)
    >>> found.offer_row(0, np.array([7, 3, 5]), np.array([1.0, 1.0, 0.5]))
    >>> found.answer()
    Neighbors(indices=array([[5, 3]]), distances=array([[0.5, 1. ]]))
    """

    def __init__(self, n_queries: int, k: int, eta: float = 0.0) -> None:
        self.indices = np.full((n_queries, k), -1, dtype=np.intp)
        self.distances = np.full((n_queries, k), np.inf)
        self.limits = self.distances[:, -1]  # views: they follow
        self.last_indices = self.indices[:, -1]
        self.stretch = 1.0 + eta
        self.first_batch = max(FIRST_BATCH, k)

    def offer(self, rows: Indices, indices: Indices, distances: Distances) -> None:
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
        k = self.indices.shape[1]
        indices = np.concatenate([self.indices[row], indices])
        distances = np.concatenate([self.distances[row], distances])
        order = np.lexsort((indices, distances))[:k]
        self.indices[row] = indices[order]
        self.distances[row] = distances[order]

    def offer_tile(self, rows: Indices, indices: Indices, distances: Distances) -> None:
        if self.indices.shape[1] == 1:
            nearest = distances.argmin(axis=1)  # the first of equals, so the smallest index
            self.offer(rows, indices[nearest], distances[np.arange(len(distances)), nearest])
            return
        limits = self.limits[rows]
        k = self.indices.shape[1]
        if k < distances.shape[1] and np.isinf(limits).any():
            limits = np.minimum(limits, np.partition(distances, k - 1, axis=1)[:, k - 1])
        near, columns = np.nonzero(distances <= limits[:, None])
        self.offer(rows[near], indices[columns], distances[near, columns])

    def answer(self) -> Neighbors:
        """What was found."""
        return Neighbors(self.indices, self.distances)


class WithinFound:
    """The objects seen so far at distance at most a radius, one for each query.

    >>> found = WithinFound(np.array([1.0, 2.0]))
    >>> found.offer(np.array([1, 0, 1]), np.array([4, 5, 6]), np.array([2.0, 3.0, 1.0]))
    >>> found.answer()
    Neighborhoods(starts=array([0, 0, 2]), indices=array([6, 4]), distances=array([1., 2.]))
    """

    first_batch = 0
    stretch = 1.0

    def __init__(self, radii: Distances) -> None:
        self.limits = radii
        self.last_indices = np.full(len(radii), np.iinfo(np.intp).max)
        self._parts: list[tuple[Indices, Indices, Distances]] = []

    def offer(self, rows: Indices, indices: Indices, distances: Distances) -> None:
        near = distances <= self.limits[rows]
        if near.any():
            self._parts.append((rows[near], indices[near], distances[near]))

    def offer_row(self, row: int, indices: Indices, distances: Distances) -> None:
        self.offer(np.full(len(indices), row), indices, distances)

    def offer_tile(self, rows: Indices, indices: Indices, distances: Distances) -> None:
        near, columns = np.nonzero(distances <= self.limits[rows][:, None])
        if len(near):
            self._parts.append((rows[near], indices[columns], distances[near, columns]))

    def answer(self) -> Neighborhoods:
        """What was found."""
        none = (np.empty(0, dtype=np.intp), np.empty(0, dtype=np.intp), np.empty(0))
        rows, indices, distances = (np.concatenate(column) for column in zip(none, *self._parts, strict=True))
        order = np.lexsort((indices, distances, rows))
        starts = np.searchsorted(rows[order], np.arange(len(self.limits) + 1))
        return Neighborhoods(starts, indices[order], distances[order])


@dataclass
class Population:
    """The objects that can be found: their distances, the number of their class, and whether they are still there."""

    counted: CountedSample
    codes: Indices
    alive: Flags

    def __len__(self) -> int:
        return len(self.codes)

    def part(self, chosen: Indices) -> "Population":
        """Those objects alone, renumbered and counted anew."""
        return Population(self.counted.fork(chosen), self.codes[chosen], self.alive[chosen])

    def wanted(self, indices: Indices, excluded: Indices) -> Flags:
        """Whether the objects are there and not of the excluded class, one for each."""
        wanted: Flags = self.alive[indices] & (self.codes[indices] != excluded)
        return wanted


@dataclass
class Queries:
    """Some prepared queries: for each the class whose objects do not count (-1: all count), and a counter of their own.

    ``bounds_compared`` counts the objects that an engine looked at without measuring them.
    """

    queries: Any
    excluded: Indices
    counted: CountedSample
    bounds_compared: int = 0

    def __len__(self) -> int:
        return len(self.excluded)

    def distances(self, rows: Any, indices: Any) -> Distances:
        """The distances from the queries at ``rows`` to the objects at ``indices``."""
        return self.counted.block(sample.pick(self.queries, rows), indices)


class Engine(Protocol):
    """Finds neighbours as brute force would, ties included, from fewer distances. Answering changes nothing in it."""

    name: ClassVar[str]

    def nearest(self, asked: Queries, k: int, eta: float) -> Neighbors:
        """The k nearest objects of each query, or (1 + eta)-nearest ones."""

    def within(self, asked: Queries, radii: Distances) -> Neighborhoods:
        """All objects within a radius of each query."""

    def forget(self, gone: Indices) -> None:
        """Take note that these objects are no longer alive."""

    def rows_at_once(self, n_queries: int, jobs: int) -> int:
        """How many queries to answer together."""


class SearchEngine:
    """An engine that answers both questions by the same search."""

    name: ClassVar[str]

    def nearest(self, asked: Queries, k: int, eta: float) -> Neighbors:
        found = NearestFound(len(asked), k, eta)
        self.search(asked, found)
        return found.answer()

    def within(self, asked: Queries, radii: Distances) -> Neighborhoods:
        found = WithinFound(radii)
        self.search(asked, found)
        return found.answer()

    def search(self, asked: Queries, found: Found) -> None:
        """Offer every object that may be wanted, once, with its distance."""
        raise NotImplementedError

    def forget(self, gone: Indices) -> None:
        """The population knows who is alive; an engine that keeps no more has nothing to do."""
