"""What an engine is given, and what it promises."""

from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from wideberth.geometry.counting import CountedSample
from wideberth.geometry.engines.found import Found, Indices, NearestFound, Neighborhoods, Neighbors, WithinFound
from wideberth.metrics.metric import Distances
from wideberth.objects import sample


@dataclass
class Population:
    """The objects that can be found: their distances, the number of their class, and whether they are still there."""

    counted: CountedSample
    codes: NDArray[np.intp]
    alive: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.codes)

    def part(self, chosen: Indices) -> "Population":
        """Those objects alone, renumbered and counted anew."""
        return Population(self.counted.fork(chosen), self.codes[chosen], self.alive[chosen])

    def wanted(self, indices: Indices, excluded: Indices) -> NDArray[np.bool_]:
        """Whether the objects are there and not of the excluded class, one for each."""
        wanted: NDArray[np.bool_] = self.alive[indices] & (self.codes[indices] != excluded)
        return wanted


@dataclass
class Asked:
    """Some prepared queries: for each the class whose objects do not count (-1: all count), and a counter of their own.

    ``bounds_compared`` counts the objects that an engine looked at without measuring them.
    """

    queries: Any
    excluded: NDArray[np.intp]
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

    def nearest(self, asked: Asked, k: int, eta: float) -> Neighbors:
        """The k nearest objects of each query, or (1 + eta)-nearest ones."""

    def within(self, asked: Asked, radii: Distances) -> Neighborhoods:
        """All objects within a radius of each query."""

    def forget(self, gone: Indices) -> None:
        """Take note that these objects are no longer alive."""

    def rows_at_once(self, n_queries: int, jobs: int) -> int:
        """How many queries to answer together."""


class SearchEngine:
    """An engine that answers both questions by the same search."""

    name: ClassVar[str]

    def nearest(self, asked: Asked, k: int, eta: float) -> Neighbors:
        found = NearestFound(len(asked), k, eta)
        self.search(asked, found)
        return found.answer()

    def within(self, asked: Asked, radii: Distances) -> Neighborhoods:
        found = WithinFound(radii)
        self.search(asked, found)
        return found.answer()

    def search(self, asked: Asked, found: Found) -> None:
        """Offer every object that may be wanted, once, with its distance."""
        raise NotImplementedError

    def forget(self, gone: Indices) -> None:
        """The population knows who is alive; an engine that keeps no more has nothing to do."""
