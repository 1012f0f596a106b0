"""Enemies, objects of other classes: the nearest of each object, lists of them, and all pairs that
are too close.
"""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from wideberth.array_types import Indices, Labels, Objects, Sample
from wideberth.errors import InvalidInput
from wideberth.geometry.classes.kernels import (
    Short,
    offer_lists,
    offer_to_both,
    offer_to_rows,
    sort_lists,
)
from wideberth.geometry.measure.blocks import (
    CountedSample,
    PairBlock,
    parse_memory,
    reduced_blocks,
    reduced_enemy_blocks,
    row_spans,
)
from wideberth.geometry.measure.parallel import effective_jobs, over_chunks
from wideberth.geometry.search import kdtree
from wideberth.geometry.search.choosing import engine_for_enemies
from wideberth.geometry.search.engine import (
    NearestCollector,
    Population,
    QueryBatch,
    RadiusCollector,
)
from wideberth.geometry.search.filter import Filter
from wideberth.geometry.search.kdtree_kernels import points_within
from wideberth.geometry.search.pivots import Pivots
from wideberth.metrics.metric import Distances, Metric
from wideberth.metrics.named import bind
from wideberth.metrics.parameters import is_whole
from wideberth.objects import sample
from wideberth.objects.labels import code_labels
from wideberth.wording import setting

# ---- Labelled objects, checked and prepared once for searches of objects of other classes

SomeMetric = str | Metric | Callable[[Any, Any], float]


class EnemySearch(NamedTuple):
    """Labelled objects that are checked and prepared for searches, with a kd-tree if it is fast for
    them.
    """

    #: The distance.
    metric: Metric
    #: The objects as ``metric.prepare`` returns them.
    prepared: Sample
    #: Class codes 0, 1, 2... Shape (n,).
    codes: Indices
    #: A kd-tree of the points with their codes; None for other metrics, and if its boxes exclude
    #: too little.
    tree: kdtree.KdTree | None
    #: The exponent p of the Minkowski metric as the tree takes it: 1, 2, or 0 for infinity. Without
    #: a tree it has no meaning.
    power: int


def prepare_search(objects: Objects, labels: Labels, metric: SomeMetric) -> EnemySearch:
    """Check and prepare labelled objects, and build a kd-tree if the metric has one and its boxes
    exclude enough.

    Examples
    --------
    >>> prepare_search(["tea", "rum"], ["hot", "cold"], "levenshtein").codes
    array([1, 0])
    """
    objects, measure = bind(objects, metric)
    prepared = measure.prepare(objects)
    codes = code_labels(labels, sample.count(prepared)).codes
    if kdtree.suits(measure, len(codes)):
        tree, power = kdtree.build(prepared, codes), kdtree.power_of(measure) or 0
        if kdtree.prunes(tree, power):
            return EnemySearch(measure, prepared, codes, tree, power)
    return EnemySearch(measure, prepared, codes, None, 0)


# ---- Nearest enemies and conflicts by a search engine, where one is expected to be faster than
# measuring all pairs

#: Chunks whose conflicts are held at the same time.
CHUNKS_AT_ONCE = 8


class SearchedEnemies:
    """Searches for enemies by signatures of the objects or, if distances are expensive, by pivots."""

    def __init__(self, engine: Filter | Pivots, n_jobs: int | None) -> None:
        # those of the trial, and to build the engine
        self.distance_calls = engine.population.counted.calls
        self._engine = engine
        self._n_jobs = n_jobs
        self._how = engine.population.counted.metric.parallel

    @classmethod
    def if_faster(
        cls,
        metric: Metric,
        prepared: Sample,
        codes: Indices,
        k: int,
        radius: float,
        max_memory: int,
        n_jobs: int | None,
    ) -> "SearchedEnemies | None":
        """Build an engine if it is expected to be clearly faster than blocks of all pairs;
        otherwise return None.

        ``k`` is how many enemies of each object will be searched for, 0 for all within ``radius``.

        Examples
        --------
        >>> import wideberth
        >>> words = wideberth.metric("levenshtein")
        >>> two = words.prepare(["tea", "rum"])
        >>> SearchedEnemies.if_faster(
        ...     words, two, np.arange(2), 1, np.inf, max_memory=10**6, n_jobs=1
        ... ) is None
        True
        """
        population = Population(
            CountedSample(prepared, metric), codes, np.ones(len(codes), dtype=bool)
        )
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

        Only among the objects ``among``, if it `can_search_some`. Yields some of the rows with
        their enemies and distances, ordered by (distance, index); n and ``up_to`` in free places.
        """
        alive = self._engine.population.alive
        alive[:] = among is None
        if among is not None:
            alive[among] = True
        size = self._engine.chunk_size(len(rows), effective_jobs(self._n_jobs))
        chunks = [rows[start : start + size] for start in range(0, len(rows), size)]
        work = partial(_nearest_of, self._engine, k, up_to)
        found = over_chunks(
            work, chunks, n_jobs=self._n_jobs, how=self._how, what="nearest enemies"
        )
        for chunk, (indices, distances, calls) in zip(chunks, found, strict=True):
            self.distance_calls += calls
            yield chunk, indices, distances

    def conflicts(
        self, threshold: float, max_memory: int
    ) -> Iterator[tuple[Indices, Indices, Distances]]:
        """Find all pairs of different classes closer than a threshold: parts of first < second, in
        any order, and distances.
        """
        n = len(self._engine.population)
        size = max(
            1, min(self._engine.chunk_size(n, 1), max_memory // (64 * CHUNKS_AT_ONCE * max(1, n)))
        )
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
    return QueryBatch(sample.pick(counted.prepared, rows), codes[rows], counted.fork(), own=rows)


def _nearest_of(
    engine: Filter | Pivots, k: int, up_to: float, rows: Indices
) -> tuple[Indices, Distances, int]:
    """Find the nearest enemies of one chunk of objects, and count the distances measured."""
    batch, collector = _batch(engine, rows), NearestCollector(len(rows), k)
    collector.indices[:], collector.distances[:] = len(engine.population), up_to
    engine.search(batch, collector)
    return collector.indices, collector.distances, batch.counted.calls


def _conflicts_of(
    engine: Filter | Pivots, radius: float, rows: Indices
) -> tuple[Indices, Indices, Distances, int]:
    """Find the enemies of larger index within a radius of one chunk of objects, and count the
    distances measured.
    """
    batch, collector = _batch(engine, rows), RadiusCollector(np.full(len(rows), radius))
    engine.search(batch, collector)
    found = collector.result()
    first = np.repeat(rows, np.diff(found.starts))
    once = first < found.indices
    return first[once], found.indices[once], found.distances[once], batch.counted.calls


class EnemyLists:
    """Lists of the k nearest objects of other classes of every object, at distances up to a limit.

    Every pair of different classes is measured once to build the lists, unless a search engine
    rules out most of them; `renew` measures some objects again, against the objects that are still
    of interest.

    ``indices`` and ``distances``, of shape (n, k), are ordered by (distance, index), with n and
    ``up_to`` in free places. A tree is not used. If only the lists ``of`` some objects are needed,
    others are built where that costs nothing; ``known`` tells which there are.

    Examples
    --------
    >>> from wideberth.geometry.classes.enemies import prepare_search
    >>> search = prepare_search(["tea", "tee", "rum"], [0, 1, 1], "levenshtein")
    >>> EnemyLists(search, 1, up_to=np.inf, max_memory=10**6, n_jobs=1).indices.tolist()
    [[1], [0], [0]]
    """

    def __init__(
        self,
        search: EnemySearch,
        k: int,
        *,
        of: Indices | None = None,
        up_to: float,
        max_memory: int,
        n_jobs: int | None,
    ) -> None:
        n, codes = len(search.codes), search.codes
        self.indices = np.full((n, k), n, dtype=np.int32)
        self.distances = np.full((n, k), up_to)
        self.known = np.zeros(n, dtype=bool)
        self.distance_calls = 0
        self._metric = search.metric
        self._prepared = search.prepared
        self._codes = codes
        self._up_to = up_to
        self._memory, self._n_jobs = max_memory, n_jobs
        self._searched = SearchedEnemies.if_faster(
            search.metric, search.prepared, codes, k, up_to, max_memory, n_jobs
        )
        if self._searched is not None:
            lazily = of is not None and self._searched.can_search_some
            self._fill(self._searched, of if lazily and of is not None else np.arange(n))
            return
        self.known[:] = True
        find = partial(_lists_of_block, codes, k, up_to)
        for lists, calls in reduced_enemy_blocks(
            find, search.metric, search.prepared, codes, max_memory=max_memory, n_jobs=n_jobs
        ):
            offer_lists(*lists, self.indices, self.distances)
            self.distance_calls += calls
        sort_lists(np.arange(n), self.indices, self.distances)

    def renew(self, rows: Indices, among: Indices) -> None:
        """Build the lists of some objects again from the enemies that are still of interest."""
        if self._searched is not None and self._searched.can_search_some:
            self._fill(self._searched, rows, among)
            return
        self.indices[rows], self.distances[rows] = len(self.indices), self._up_to
        for code in np.unique(self._codes[rows]):
            self._renew_one_class(
                rows[self._codes[rows] == code], among[self._codes[among] != code]
            )
        sort_lists(rows, self.indices, self.distances)

    def _fill(self, searched: SearchedEnemies, rows: Indices, among: Indices | None = None) -> None:
        """Fill lists by a search engine, which sorts them too."""
        for part, indices, distances in searched.nearest(
            rows, self.indices.shape[1], self._up_to, among
        ):
            self.indices[part], self.distances[part] = indices, distances
        self.known[rows] = True
        self.distance_calls = searched.distance_calls

    def _renew_one_class(self, rows: Indices, enemies: Indices) -> None:
        left, right = sample.pick(self._prepared, rows), sample.pick(self._prepared, enemies)
        spans = row_spans(len(rows), len(enemies), self._memory)
        find = partial(
            _lists_of_rows, enemies, len(self.indices), self.indices.shape[1], self._up_to
        )
        for part, (indices, distances) in reduced_blocks(
            find, self._metric, left, right, spans, n_jobs=self._n_jobs
        ):
            self.indices[rows[part]], self.distances[rows[part]] = indices, distances
        self.distance_calls += len(rows) * len(enemies)

    def table(self) -> tuple[Indices, Distances]:
        """Return copies of the indices and the distances, with -1 and infinity in free places."""
        free = self.indices == len(self.indices)
        return np.where(free, -1, self.indices).astype(np.intp), np.where(
            free, np.inf, self.distances
        )


def _lists_of_block(
    codes: Indices, k: int, up_to: float, block: PairBlock
) -> tuple[Indices, Short, Distances]:
    """The objects of a block, and the heaps of their k nearest enemies in it, as `EnemyLists` holds
    them.
    """
    # sorted, so that places are ordered like indices
    objects = np.unique(np.concatenate([block.rows, block.columns]))
    free = len(objects)
    places, distances = np.full((free, k), free, dtype=np.int32), np.full((free, k), up_to)
    rows, columns = np.searchsorted(objects, block.rows), np.searchsorted(objects, block.columns)
    offer_to_both(block.distances, rows, columns, codes[objects], places, distances)
    return objects, np.append(objects, len(codes))[places].astype(np.int32), distances


def _lists_of_rows(
    enemies: Indices, n: int, k: int, up_to: float, rows: slice, block: Distances
) -> tuple[Short, Distances]:
    """The heaps of the k nearest enemies of the rows of a block, whose columns are ``enemies``."""
    indices = np.full((len(block), k), n, dtype=np.int32)
    distances = np.full((len(block), k), up_to)
    offer_to_rows(block, np.arange(len(block)), enemies, indices, distances)
    return indices, distances


# ---- Objects of different classes that are close to each other: nearest enemies, lists of them,
# and all pairs below a
#      threshold

#: Points of the tree whose neighbourhoods are searched in one chunk, and chunks whose results are
#: held at the same time.
CHUNK_POINTS, CONFLICT_CHUNKS_AT_ONCE = 1_000, 16


class NearestEnemies(NamedTuple):
    """The k nearest objects of other classes for each of n objects, ordered by (distance, index)."""

    #: Indices of the enemies; -1 where there are fewer than k, shape (n, k).
    indices: Indices
    #: Their distances; infinite where there are fewer than k, shape (n, k).
    distances: Distances


class Conflicts(NamedTuple):
    """Pairs of objects of different classes."""

    #: ``first``, ``second``: indices of the two objects of each pair, first < second, shape (m,).
    first: Indices
    second: Indices
    #: Their distances, shape (m,).
    distances: Distances


def nearest_enemies(
    objects: Objects,
    labels: Labels,
    metric: SomeMetric = "euclidean",
    k: int = 1,
    *,
    max_memory: str | int = "2GB",
    n_jobs: int | None = None,
) -> NearestEnemies:
    """Find the k nearest objects of other classes for every object.

    Vectors under a Minkowski metric are searched in a kd-tree if that is fast, strings by
    signatures of their letters and objects with expensive distances by pivots, where these leave
    few pairs to measure. Otherwise each pair of different classes is measured once.

    Examples
    --------
    >>> nearest_enemies([[0.0], [1.0], [5.0]], ["rum", "rum", "tea"])
    NearestEnemies(indices=array([[2],
           [2],
           [1]]), distances=array([[5.],
           [4.],
           [4.]]))
    """
    if not is_whole(k, 1):
        raise InvalidInput(
            f"k must be an integer of at least 1, not {k!r}.",
            advice=f"{setting('k', 1)} is the nearest.",
            value=k,
        )
    search = prepare_search(objects, labels, metric)
    tree = search.tree
    if tree is None:
        lists = EnemyLists(
            search, int(k), up_to=np.inf, max_memory=parse_memory(max_memory), n_jobs=n_jobs
        )
        return NearestEnemies(*lists.table())
    found = kdtree.nearest(
        tree, tree.points, int(k), search.power, excluded=tree.codes, n_jobs=n_jobs
    )
    # queries are the points in tree order, so that neighbours follow each other
    back = tree.positions
    return NearestEnemies(found.indices[back], found.distances[back])


def conflict_pairs(
    objects: Objects,
    labels: Labels,
    metric: SomeMetric,
    threshold: float,
    *,
    max_memory: str | int = "2GB",
    n_jobs: int | None = None,
) -> Iterator[Conflicts]:
    """Iterate over all pairs of objects of different classes closer than a threshold, each pair
    once.

    Pairs come in parts, in no particular order. Parts in memory stay within ``max_memory``, however
    many pairs there are.

    Only pairs strictly closer than ``threshold``; each `Conflicts` has one at least.

    Examples
    --------
    >>> for pairs in conflict_pairs(
    ...     [[0.0], [1.0], [5.0]], ["rum", "tea", "rum"], "euclidean", threshold=4.0
    ... ):
    ...     print(pairs)
    Conflicts(first=array([0]), second=array([1]), distances=array([1.]))
    """
    if np.isnan(threshold):
        raise InvalidInput(
            "The threshold is NaN.", advice="numpy.inf stands for all pairs.", value=threshold
        )
    search = prepare_search(objects, labels, metric)
    budget = parse_memory(max_memory)
    if search.tree is None:
        parts = _conflicts_without_tree(search, threshold, budget, n_jobs)
    else:
        parts = _conflicts_in_tree(search.tree, search.power, threshold, budget, n_jobs)
    return (part for part in parts if len(part.first))


def _conflicts_without_tree(
    search: EnemySearch, threshold: float, max_memory: int, n_jobs: int | None
) -> Iterator[Conflicts]:
    """Find the conflicts by a search engine if that is faster, otherwise in blocks of all
    distances.
    """
    searched = SearchedEnemies.if_faster(
        search.metric, search.prepared, search.codes, 0, threshold, max_memory // 2, n_jobs
    )
    if searched is None:
        return _conflicts_in_blocks(search, threshold, max_memory, n_jobs)
    return (Conflicts(*pairs) for pairs in searched.conflicts(threshold, max_memory // 2))


def _conflicts_in_blocks(
    search: EnemySearch, threshold: float, max_memory: int, n_jobs: int | None
) -> Iterator[Conflicts]:
    """Find the conflicts in blocks of distances that hold every pair of different classes."""
    find = partial(_conflicts_of_block, search.codes, threshold)
    found = reduced_enemy_blocks(
        find,
        search.metric,
        search.prepared,
        search.codes,
        max_memory=max_memory // 2,
        n_jobs=n_jobs,
    )
    return (pairs for pairs, _ in found)


def _conflicts_of_block(codes: Indices, threshold: float, block: PairBlock) -> Conflicts:
    rows, columns, distances = block
    near = (distances < threshold) & (codes[rows][:, None] < codes[columns])
    i, j = np.nonzero(near)
    return Conflicts(
        np.minimum(rows[i], columns[j]), np.maximum(rows[i], columns[j]), distances[near]
    )


def _conflicts_in_tree(
    tree: kdtree.KdTree, power: int, threshold: float, max_memory: int, n_jobs: int | None
) -> Iterator[Conflicts]:
    """Find the conflicts around each point of a kd-tree, in chunks of points that are searched in
    parallel.
    """
    n = len(tree.order)
    # pairs in a part; each takes 64 bytes while arrays grow and are copied
    most = max(n, max_memory // (64 * CONFLICT_CHUNKS_AT_ONCE))
    answer = partial(_conflicts_of_points, tree, power, threshold, most)
    chunks = [slice(start, min(start + CHUNK_POINTS, n)) for start in range(0, n, CHUNK_POINTS)]
    for first in range(0, len(chunks), CONFLICT_CHUNKS_AT_ONCE):
        wave = chunks[first : first + CONFLICT_CHUNKS_AT_ONCE]
        for rows, (answered, pairs) in zip(
            wave, over_chunks(answer, wave, n_jobs=n_jobs, what="conflicts"), strict=True
        ):
            yield pairs
            while answered < rows.stop:
                answered, pairs = answer(slice(answered, rows.stop))
                yield pairs


def _conflicts_of_points(
    tree: kdtree.KdTree, power: int, threshold: float, most: int, rows: slice
) -> tuple[int, Conflicts]:
    """Find conflicts of the points at the positions ``rows`` of the tree with points of larger
    index, at most ``most``.

    Returns the position up to which the points were searched, and the pairs.
    """
    radii = np.full(rows.stop - rows.start, threshold)
    counts = np.empty(rows.stop - rows.start, dtype=np.intp)
    second, distances, answered, _ = points_within(
        tree, tree.points[rows], radii, True, tree.codes[rows], (1,) * power, most, counts
    )
    first = np.repeat(tree.order[rows][:answered].astype(np.intp), counts[:answered])
    once = first < second
    return rows.start + answered, Conflicts(first[once], second[once], distances[once])
