"""Objects of different classes that are close to each other: nearest enemies, lists of them, and all pairs below a threshold."""

from collections.abc import Iterator
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from wideberth.array_types import Indices
from wideberth.errors import InvalidInput
from wideberth.geometry.classes.enemies import EnemyLists, EnemySearch, SearchedEnemies, SomeMetric, prepare_search
from wideberth.geometry.measure.blocks import parse_memory
from wideberth.geometry.measure.enemy_blocks import PairBlock, reduced_enemy_blocks
from wideberth.geometry.measure.parallel import over_chunks
from wideberth.geometry.search import kdtree
from wideberth.geometry.search.kdtree_kernels import points_within
from wideberth.metrics.metric import Distances
from wideberth.metrics.parameters import is_whole
from wideberth.wording import setting

#: Points of the tree whose neighbourhoods are searched in one chunk, and chunks whose results are held at the same time.
CHUNK_POINTS, CHUNKS_AT_ONCE = 1_000, 16


class NearestEnemies(NamedTuple):
    """The k nearest objects of other classes for each of n objects, ordered by (distance, index).

    Attributes
    ----------
    indices : ndarray of shape (n, k)
        Indices of the enemies; -1 where there are fewer than k.
    distances : ndarray of shape (n, k)
        Their distances; infinite where there are fewer than k.
    """

    indices: Indices
    distances: Distances


class Conflicts(NamedTuple):
    """Pairs of objects of different classes.

    Attributes
    ----------
    first, second : ndarray of shape (m,)
        Indices of the two objects of each pair, first < second.
    distances : ndarray of shape (m,)
        Their distances.
    """

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
    """Find the k nearest objects of other classes for every object.

    Vectors under a Minkowski metric are searched in a kd-tree if that is fast, strings by signatures of their letters and objects
    with expensive distances by pivots, where these leave few pairs to measure. Otherwise each pair of different classes is
    measured once.

    Parameters
    ----------
    objects : sequence
        The sample of n objects.
    labels : array-like of shape (n,)
        Their classes.
    metric : str, Metric or callable
        The distance.
    k : int
        How many enemies to find, at least 1.
    max_memory : str or int
        Memory for blocks of distances, such as "2GB".
    n_jobs : int, optional
        Cores to use; None means all.

    Returns
    -------
    NearestEnemies

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
            f"k must be an integer of at least 1, not {k!r}.", advice=f"{setting('k', 1)} is the nearest.", value=k
        )
    search = prepare_search(objects, labels, metric)
    tree = search.tree
    if tree is None:
        lists = EnemyLists(search, int(k), up_to=np.inf, max_memory=parse_memory(max_memory), n_jobs=n_jobs)
        return NearestEnemies(*lists.table())
    found = kdtree.nearest(tree, tree.points, int(k), search.power, excluded=tree.codes, n_jobs=n_jobs)
    back = tree.positions  # queries are the points in tree order, so that neighbours follow each other
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
    """Iterate over all pairs of objects of different classes closer than a threshold, each pair once.

    Pairs come in parts, in no particular order. Parts in memory stay within ``max_memory``, however many pairs there are.

    Parameters
    ----------
    objects, labels, metric
        As in `nearest_enemies`.
    threshold : float
        Only pairs strictly closer than this; infinity for all pairs.
    max_memory : str or int
        Memory for parts and blocks of distances, such as "2GB".
    n_jobs : int, optional
        Cores to use; None means all.

    Yields
    ------
    Conflicts
        Some of the pairs, at least one.

    Examples
    --------
    >>> for pairs in conflict_pairs([[0.0], [1.0], [5.0]], ["rum", "tea", "rum"], "euclidean", threshold=4.0):
    ...     print(pairs)
    Conflicts(first=array([0]), second=array([1]), distances=array([1.]))
    """
    if np.isnan(threshold):
        raise InvalidInput("The threshold is NaN.", advice="numpy.inf stands for all pairs.", value=threshold)
    search = prepare_search(objects, labels, metric)
    budget = parse_memory(max_memory)
    if search.tree is None:
        parts = _conflicts_without_tree(search, threshold, budget, n_jobs)
    else:
        parts = _conflicts_in_tree(search.tree, search.power, threshold, budget, n_jobs)
    return (part for part in parts if len(part.first))


def _conflicts_without_tree(search: EnemySearch, threshold: float, max_memory: int, n_jobs: int | None) -> Iterator[Conflicts]:
    """Find the conflicts by a search engine if that is faster, otherwise in blocks of all distances."""
    searched = SearchedEnemies.if_faster(search.metric, search.prepared, search.codes, 0, threshold, max_memory // 2, n_jobs)
    if searched is None:
        return _conflicts_in_blocks(search, threshold, max_memory, n_jobs)
    return (Conflicts(*pairs) for pairs in searched.conflicts(threshold, max_memory // 2))


def _conflicts_in_blocks(search: EnemySearch, threshold: float, max_memory: int, n_jobs: int | None) -> Iterator[Conflicts]:
    """Find the conflicts in blocks of distances that hold every pair of different classes."""
    find = partial(_conflicts_of_block, search.codes, threshold)
    found = reduced_enemy_blocks(find, search.metric, search.prepared, search.codes, max_memory=max_memory // 2, n_jobs=n_jobs)
    return (pairs for pairs, _ in found)


def _conflicts_of_block(codes: Indices, threshold: float, block: PairBlock) -> Conflicts:
    rows, columns, distances = block
    near = (distances < threshold) & (codes[rows][:, None] < codes[columns])
    i, j = np.nonzero(near)
    return Conflicts(np.minimum(rows[i], columns[j]), np.maximum(rows[i], columns[j]), distances[near])


def _conflicts_in_tree(
    tree: kdtree.KdTree, power: int, threshold: float, max_memory: int, n_jobs: int | None
) -> Iterator[Conflicts]:
    """Find the conflicts around each point of a kd-tree, in chunks of points that are searched in parallel."""
    n = len(tree.order)
    most = max(n, max_memory // (64 * CHUNKS_AT_ONCE))  # pairs in a part; each takes 64 bytes while arrays grow and are copied
    answer = partial(_conflicts_of_points, tree, power, threshold, most)
    chunks = [slice(start, min(start + CHUNK_POINTS, n)) for start in range(0, n, CHUNK_POINTS)]
    for first in range(0, len(chunks), CHUNKS_AT_ONCE):
        wave = chunks[first : first + CHUNKS_AT_ONCE]
        for rows, (answered, pairs) in zip(wave, over_chunks(answer, wave, n_jobs=n_jobs, what="conflicts"), strict=True):
            yield pairs
            while answered < rows.stop:
                answered, pairs = answer(slice(answered, rows.stop))
                yield pairs


def _conflicts_of_points(tree: kdtree.KdTree, power: int, threshold: float, most: int, rows: slice) -> tuple[int, Conflicts]:
    """Find conflicts of the points at the positions ``rows`` of the tree with points of larger index, at most ``most``.

    Returns the position up to which the points were searched, and the pairs.
    """
    radii, counts = np.full(rows.stop - rows.start, threshold), np.empty(rows.stop - rows.start, dtype=np.intp)
    second, distances, answered, _ = points_within(
        tree, tree.points[rows], radii, True, tree.codes[rows], (1,) * power, most, counts
    )
    first = np.repeat(tree.order[rows][:answered].astype(np.intp), counts[:answered])
    once = first < second
    return rows.start + answered, Conflicts(first[once], second[once], distances[once])
