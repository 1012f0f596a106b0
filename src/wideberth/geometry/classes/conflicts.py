"""Objects of different classes that are close: the nearest ones, short lists of them, and all pairs below a threshold."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from wideberth.arrays import Indices
from wideberth.errors import InvalidInput
from wideberth.geometry.classes.kernels import offer_to_both, offer_to_rows, sort_lists
from wideberth.geometry.measure.blocks import enemy_blocks, row_spans, stream
from wideberth.geometry.measure.memory import parse_memory
from wideberth.geometry.measure.parallel import over_chunks
from wideberth.geometry.search import kdtree
from wideberth.geometry.search.kdtree_kernels import points_within
from wideberth.metrics.metric import Distances, Metric
from wideberth.metrics.named import bind
from wideberth.objects import sample
from wideberth.objects.labels import code_labels

SomeMetric = str | Metric | Callable[[Any, Any], float]

#: Points asked for their neighbourhood in one chunk, and chunks that may wait to be looked at.
CHUNK_POINTS, CHUNKS_AT_ONCE = 1_000, 16


class NearestEnemies(NamedTuple):
    """The nearest objects of other classes: shape (n, k), by (distance, index); -1 and infinity where there are fewer."""

    indices: Indices
    distances: Distances


class Conflicts(NamedTuple):
    """Pairs of objects of different classes, first < second."""

    first: Indices
    second: Indices
    distances: Distances


def nearest_enemies(
    objects: Any,
    labels: Any,
    metric: SomeMetric = "euclidean",
    k: int = 1,
    *,
    max_memory: str | int = "2GB",
    n_jobs: int | None = None,
) -> NearestEnemies:
    """The k nearest objects of other classes of every object.

    >>> nearest_enemies([[0.0], [1.0], [5.0]], ["rum", "rum", "tea"])
    NearestEnemies(indices=array([[2],
           [2],
           [1]]), distances=array([[5.],
           [4.],
           [4.]]))
    """
    if not isinstance(k, int | np.integer) or k < 1:
        raise InvalidInput(f"k must be a whole number from 1 on, not {k!r}.", advice="k=1 is the nearest.", value=k)
    measure, prepared, codes, tree, power = _enter(objects, labels, metric)
    if tree is None:
        lists = EnemyLists(measure, prepared, codes, int(k), up_to=np.inf, max_memory=parse_memory(max_memory), n_jobs=n_jobs)
        return NearestEnemies(*lists.table())
    found = kdtree.nearest(tree, tree.points, int(k), power, excluded=tree.codes, n_jobs=n_jobs)
    back = tree.positions  # the tree was asked for its points in its own order, where neighbours stand together
    return NearestEnemies(found.indices[back], found.distances[back])


def conflict_pairs(
    objects: Any,
    labels: Any,
    metric: SomeMetric,
    threshold: float,
    *,
    max_memory: str | int = "2GB",
    n_jobs: int | None = None,
) -> Iterator[Conflicts]:
    """All pairs of objects of different classes closer than ``threshold``, each once, part by part in no particular order.

    Parts that wait to be looked at stay within ``max_memory``, however many pairs there are.

    >>> for pairs in conflict_pairs([[0.0], [1.0], [5.0]], ["rum", "tea", "rum"], "euclidean", threshold=4.0):
    ...     print(pairs)
    Conflicts(first=array([0]), second=array([1]), distances=array([1.]))
    """
    if np.isnan(threshold):
        raise InvalidInput("The threshold is NaN.", advice="numpy.inf stands for all pairs.", value=threshold)
    measure, prepared, codes, tree, power = _enter(objects, labels, metric)
    room = parse_memory(max_memory)
    if tree is None:
        parts = _in_blocks(measure, prepared, codes, threshold, room, n_jobs)
    else:
        parts = _in_a_tree(tree, power, threshold, room, n_jobs)
    return (part for part in parts if len(part.first))


def _enter(objects: Any, labels: Any, metric: SomeMetric) -> tuple[Metric, Any, Indices, kdtree.KdTree | None, int]:
    """Everything checked and prepared, and a kd-tree if one helps, with its exponent."""
    objects, measure = bind(objects, metric)
    prepared = measure.prepare(objects)
    codes = code_labels(labels, sample.count(prepared)).codes
    power = kdtree.power_of(measure)
    if power is not None:
        tree = kdtree.build(prepared, codes)
        if kdtree.prunes(tree, power):
            return measure, prepared, codes, tree, power
    return measure, prepared, codes, None, 0


def _in_blocks(
    measure: Metric, prepared: Any, codes: Indices, threshold: float, room: int, n_jobs: int | None
) -> Iterator[Conflicts]:
    for rows, columns, distances in enemy_blocks(measure, prepared, codes, max_memory=room // 2, n_jobs=n_jobs):
        near = (distances < threshold) & (codes[rows][:, None] < codes[columns])
        i, j = np.nonzero(near)
        yield Conflicts(np.minimum(rows[i], columns[j]), np.maximum(rows[i], columns[j]), distances[near])


def _in_a_tree(tree: kdtree.KdTree, power: int, threshold: float, room: int, n_jobs: int | None) -> Iterator[Conflicts]:
    n = len(tree.order)
    most = max(n, room // (64 * CHUNKS_AT_ONCE))  # of pairs in a part; 64 bytes each while arrays grow and are copied
    answer = partial(_around, tree, power, threshold, most)
    chunks = [slice(start, min(start + CHUNK_POINTS, n)) for start in range(0, n, CHUNK_POINTS)]
    for first in range(0, len(chunks), CHUNKS_AT_ONCE):
        wave = chunks[first : first + CHUNKS_AT_ONCE]
        for rows, (answered, pairs) in zip(wave, over_chunks(answer, wave, n_jobs=n_jobs), strict=True):
            yield pairs
            while answered < rows.stop:
                answered, pairs = answer(slice(answered, rows.stop))
                yield pairs


def _around(tree: kdtree.KdTree, power: int, threshold: float, most: int, rows: slice) -> tuple[int, Conflicts]:
    """The conflicts of the points at these positions of the tree with points of larger index, and how far it came."""
    radii, counts = np.full(rows.stop - rows.start, threshold), np.empty(rows.stop - rows.start, dtype=np.intp)
    second, distances, answered, _ = points_within(
        tree, tree.points[rows], radii, True, tree.codes[rows], (1,) * power, most, counts
    )
    first = np.repeat(tree.order[rows][:answered].astype(np.intp), counts[:answered])
    once = first < second
    return rows.start + answered, Conflicts(first[once], second[once], distances[once])


class EnemyLists:
    """The k nearest objects of other classes of every object, by (distance, index), at distances up to ``up_to``.

    ``near`` and ``far`` have shape (n, k); free places hold the index n and the distance ``up_to``. The lists come from every
    pair of different classes, measured once; ``renew`` measures some objects again, against those still wanted.
    """

    def __init__(
        self, metric: Metric, prepared: Any, codes: Indices, k: int, *, up_to: float, max_memory: int, n_jobs: int | None
    ) -> None:
        n = len(codes)
        self.near = np.full((n, k), n, dtype=np.int32)
        self.far = np.full((n, k), up_to)
        self.distance_calls = 0
        self._metric, self._prepared, self._codes, self._up_to = metric, prepared, codes, up_to
        self._memory, self._n_jobs = max_memory, n_jobs
        for rows, columns, distances in enemy_blocks(metric, prepared, codes, max_memory=max_memory, n_jobs=n_jobs):
            offer_to_both(distances, rows, columns, codes, self.near, self.far)
            self.distance_calls += distances.size
        sort_lists(np.arange(n), self.near, self.far)

    def renew(self, rows: Indices, among: Indices) -> None:
        """Make the lists of the objects ``rows`` anew, of the objects ``among``."""
        self.near[rows], self.far[rows] = len(self.near), self._up_to
        for code in np.unique(self._codes[rows]):
            self._renew_one_class(rows[self._codes[rows] == code], among[self._codes[among] != code])
        sort_lists(rows, self.near, self.far)

    def _renew_one_class(self, rows: Indices, enemies: Indices) -> None:
        left, right = sample.pick(self._prepared, rows), sample.pick(self._prepared, enemies)
        spans = row_spans(len(rows), len(enemies), self._memory)
        for (part, _), distances in stream(self._metric, left, right, spans, max_memory=self._memory, n_jobs=self._n_jobs):
            offer_to_rows(distances, rows[part], enemies, self.near, self.far)
            self.distance_calls += distances.size

    def table(self) -> tuple[Indices, Distances]:
        """Indices and distances, -1 and infinity in free places."""
        free = self.near == len(self.near)
        return np.where(free, -1, self.near).astype(np.intp), np.where(free, np.inf, self.far)
