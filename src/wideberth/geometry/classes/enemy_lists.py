"""The nearest enemies of each object, in lists that can be renewed."""

from functools import partial

import numpy as np

from wideberth.array_types import Indices
from wideberth.geometry.classes.enemy_kernels import Short, offer_lists, offer_to_both, offer_to_rows, sort_lists
from wideberth.geometry.classes.enemy_search import EnemySearch
from wideberth.geometry.classes.searched_enemies import SearchedEnemies
from wideberth.geometry.measure.blocks import reduced_blocks, row_spans
from wideberth.geometry.measure.enemy_blocks import PairBlock, reduced_enemy_blocks
from wideberth.metrics.metric import Distances
from wideberth.objects import sample


class EnemyLists:
    """Lists of the k nearest objects of other classes of every object, at distances up to a limit.

    Every pair of different classes is measured once to build the lists, unless a search engine rules out most of them; `renew`
    measures some objects again, against the objects that are still of interest.

    Parameters
    ----------
    search : EnemySearch
        The n objects; a tree is not used.
    k : int
        The length of a list.
    up_to : float
        The largest distance allowed.
    max_memory : int
        Bytes for blocks of distances.
    n_jobs : int or None
        Cores to use; None means all.

    Attributes
    ----------
    indices : ndarray of int32 of shape (n, k)
        The enemies of each object, ordered by (distance, index); n in a free place.
    distances : ndarray of shape (n, k)
        Their distances; ``up_to`` in a free place.
    distance_calls : int
        How many distances were measured.

    Examples
    --------
    >>> from wideberth.geometry.classes.enemy_search import prepare_search
    >>> search = prepare_search(["tea", "tee", "rum"], [0, 1, 1], "levenshtein")
    >>> EnemyLists(search, 1, up_to=np.inf, max_memory=10**6, n_jobs=1).indices.tolist()
    [[1], [0], [0]]
    """

    def __init__(self, search: EnemySearch, k: int, *, up_to: float, max_memory: int, n_jobs: int | None) -> None:
        n, codes = len(search.codes), search.codes
        self.indices = np.full((n, k), n, dtype=np.int32)
        self.distances = np.full((n, k), up_to)
        self.distance_calls = 0
        self._metric, self._prepared, self._codes, self._up_to = search.metric, search.prepared, codes, up_to
        self._memory, self._n_jobs = max_memory, n_jobs
        self._searched = SearchedEnemies.if_faster(search.metric, search.prepared, codes, k, up_to, max_memory, n_jobs)
        if self._searched is not None:
            self._fill(self._searched, np.arange(n))
            return
        find = partial(_lists_of_block, codes, k, up_to)
        for lists, calls in reduced_enemy_blocks(
            find, search.metric, search.prepared, codes, max_memory=max_memory, n_jobs=n_jobs
        ):
            offer_lists(*lists, self.indices, self.distances)
            self.distance_calls += calls
        sort_lists(np.arange(n), self.indices, self.distances)

    def renew(self, rows: Indices, among: Indices) -> None:
        """Build the lists of some objects again from the enemies that are still of interest.

        Parameters
        ----------
        rows : ndarray of int
            The objects whose lists are renewed.
        among : ndarray of int
            The objects that may be in the new lists.
        """
        if self._searched is not None and self._searched.can_search_some:
            self._fill(self._searched, rows, among)
            return
        self.indices[rows], self.distances[rows] = len(self.indices), self._up_to
        for code in np.unique(self._codes[rows]):
            self._renew_one_class(rows[self._codes[rows] == code], among[self._codes[among] != code])
        sort_lists(rows, self.indices, self.distances)

    def _fill(self, searched: SearchedEnemies, rows: Indices, among: Indices | None = None) -> None:
        """Fill lists by a search engine, which sorts them too."""
        for part, indices, distances in searched.nearest(rows, self.indices.shape[1], self._up_to, among):
            self.indices[part], self.distances[part] = indices, distances
        self.distance_calls = searched.distance_calls

    def _renew_one_class(self, rows: Indices, enemies: Indices) -> None:
        left, right = sample.pick(self._prepared, rows), sample.pick(self._prepared, enemies)
        spans = row_spans(len(rows), len(enemies), self._memory)
        find = partial(_lists_of_rows, enemies, len(self.indices), self.indices.shape[1], self._up_to)
        for part, (indices, distances) in reduced_blocks(find, self._metric, left, right, spans, n_jobs=self._n_jobs):
            self.indices[rows[part]], self.distances[rows[part]] = indices, distances
        self.distance_calls += len(rows) * len(enemies)

    def table(self) -> tuple[Indices, Distances]:
        """Return copies of the indices and the distances, with -1 and infinity in free places."""
        free = self.indices == len(self.indices)
        return np.where(free, -1, self.indices).astype(np.intp), np.where(free, np.inf, self.distances)


def _lists_of_block(codes: Indices, k: int, up_to: float, block: PairBlock) -> tuple[Indices, Short, Distances]:
    """The objects of a block, and the heaps of their k nearest enemies in it, as `EnemyLists` holds them."""
    objects = np.unique(np.concatenate([block.rows, block.columns]))  # sorted, so that places are ordered like indices
    free = len(objects)
    places, distances = np.full((free, k), free, dtype=np.int32), np.full((free, k), up_to)
    rows, columns = np.searchsorted(objects, block.rows), np.searchsorted(objects, block.columns)
    offer_to_both(block.distances, rows, columns, codes[objects], places, distances)
    return objects, np.append(objects, len(codes))[places].astype(np.int32), distances


def _lists_of_rows(enemies: Indices, n: int, k: int, up_to: float, rows: slice, block: Distances) -> tuple[Short, Distances]:
    """The heaps of the k nearest enemies of the rows of a block, whose columns are ``enemies``."""
    indices, distances = np.full((len(block), k), n, dtype=np.int32), np.full((len(block), k), up_to)
    offer_to_rows(block, np.arange(len(block)), enemies, indices, distances)
    return indices, distances
