"""Measure everything, in tiles: right for any distance, and the fastest where nothing can be ruled out."""

import numpy as np

from wideberth.arrays import Indices
from wideberth.geometry.search.engine import Found, Population, Queries, SearchEngine

#: Queries and objects in a tile: large enough for compiled blocks, small enough for the processor's cache.
TILE_ROWS, TILE_COLUMNS = 256, 2048
#: Pairs that are worth a chunk of work of their own.
CHUNK_PAIRS = 50_000


class Brute(SearchEngine):
    """All distances to all objects that count, tile by tile."""

    name = "brute"

    def __init__(self, population: Population, *, max_memory: int) -> None:
        self.population = population
        pairs = max(1, max_memory // 64)  # a tile, its mask, and what is sorted of it, on several cores
        self.rows = int(min(TILE_ROWS, pairs))
        self.columns = int(min(TILE_COLUMNS, max(1, pairs // self.rows)))

    def search(self, asked: Queries, found: Found) -> None:
        alive = self.population.alive
        for excluded in np.unique(asked.excluded):
            counted = np.flatnonzero(alive & (self.population.codes != excluded))
            rows = np.flatnonzero(asked.excluded == excluded)
            self._search(asked, rows, counted, found)

    def _search(self, asked: Queries, rows: Indices, objects: Indices, found: Found) -> None:
        for start in range(0, len(rows), self.rows):
            some = rows[start : start + self.rows]
            for first in range(0, len(objects), self.columns):
                columns = objects[first : first + self.columns]
                found.offer_tile(some, columns, asked.distances(some, _as_slice(columns)))

    def rows_at_once(self, n_queries: int, jobs: int) -> int:
        worth_a_chunk = CHUNK_PAIRS // max(1, len(self.population))
        return max(1, min(self.rows, max(worth_a_chunk, -(-n_queries // (8 * jobs)))))


def _as_slice(indices: Indices) -> Indices | slice:
    """Neighbouring objects without copying them."""
    first, last = int(indices[0]), int(indices[-1])
    return slice(first, last + 1) if last - first + 1 == len(indices) else indices
