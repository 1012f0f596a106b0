"""A kd-tree for vectors under the Minkowski metrics p = 1, 2 and infinity, with classes and deletion, and its search engine.

Its distances are those of scipy's ``cdist`` bit for bit, so neighbours come in the order of brute force, ties included.
"""

import sys
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wideberth.arrays import Indices
from wideberth.errors import InvalidInput
from wideberth.geometry.measure.parallel import over_chunks
from wideberth.geometry.search.engine import Neighborhoods, Neighbors, Population, Queries
from wideberth.geometry.search.kdtree_kernels import MIXED, KdTree, build_tree, delete_points, nearest_points, points_within
from wideberth.metrics.metric import Distances, Metric
from wideberth.metrics.vectors.minkowski import Chebyshev, Euclidean, Manhattan, Minkowski, Vectors

__all__ = ["LEAF_SIZE", "KdTree", "Nearest", "Within", "build", "delete", "nearest", "power_of", "prunes", "within"]

ClassCodes = NDArray[np.integer[Any]]

#: Points in a leaf, at most.
LEAF_SIZE = 8
#: Queries in a chunk: milliseconds of work.
CHUNK_QUERIES = 2_000
#: Points below which a tree is never slow, and the share of the points that searches of a tree worth its while may measure: above
#: it blocks of distances, on all cores, are faster.
FEW_POINTS, FEW_MEASURED = 1_000, 1 / 16


class Nearest(NamedTuple):
    """The k nearest points of each query: shape (queries, k); -1 and infinity where there are fewer."""

    indices: Indices
    distances: Distances
    distance_calls: int


class Within(NamedTuple):
    """The points near each query: those of query q are ``indices[starts[q]:starts[q + 1]]``, by (distance, index)."""

    starts: Indices
    indices: Indices
    distances: Distances
    distance_calls: int


def power_of(metric: Metric) -> int | None:
    """The exponent of a metric that the tree can measure, as its kernels write it: 1, 2, or 0 for infinity; None if it cannot.

    >>> power_of(Euclidean()), power_of(Minkowski(p=np.inf)), power_of(Minkowski(p=3))
    (2, 0, None)
    """
    if type(metric) is Minkowski:
        return {1.0: 1, 2.0: 2, np.inf: 0}.get(float(metric.p))
    powers: dict[type[Metric], int] = {Manhattan: 1, Euclidean: 2, Chebyshev: 0}
    return powers.get(type(metric))


def build(points: Vectors, codes: ClassCodes | None = None, leaf_size: int = LEAF_SIZE) -> KdTree:
    """A tree over the rows of ``points``, finite numbers; ``codes`` are their classes, numbered from 0.

    >>> tree = build(np.array([[0.0], [5.0], [1.0]]))
    >>> nearest(tree, np.array([[0.2]]), k=2, power=2).indices
    array([[0, 2]])
    """
    n, dimension = points.shape
    depth = max(0, int(np.ceil(np.log2(max(n, 1) / leaf_size))))
    nodes = 2 ** (depth + 1) - 1
    reordered = np.array(points, dtype=np.float64, order="C")
    order = np.arange(n, dtype=np.int32)
    classes = np.zeros(n, dtype=np.int32) if codes is None else codes.astype(np.int32)
    boxes, sole = np.empty((nodes, 2, dimension)), np.empty(nodes, dtype=np.int32)
    build_tree(reordered, order, classes, boxes, sole, depth)
    positions = np.empty(n, dtype=np.int32)
    positions[order] = np.arange(n, dtype=np.int32)
    return KdTree(reordered, order, positions, classes, np.ones(n, dtype=np.bool_), boxes, sole, depth)


def prunes(tree: KdTree, power: int) -> bool:
    """Whether boxes rule out most of the points: a search for the nearest others of a few points measures so many.

    Where there are classes it is the nearest points of other classes.

    >>> prunes(build(np.random.default_rng(0).normal(size=(2000, 2))), power=2)
    True
    """
    n = len(tree.order)
    some = slice(0, n, max(1, n // 50))
    mixed = tree.sole[0] == MIXED
    wanted = 1 if mixed else 2  # the nearest point of all is the point itself
    trial = nearest(tree, tree.points[some], wanted, power, excluded=tree.codes[some] if mixed else None, n_jobs=1)
    return n < FEW_POINTS or trial.distance_calls <= FEW_MEASURED * n * len(trial.indices)


def delete(tree: KdTree, indices: Any) -> None:
    """The points with these original indices are never found again; deleting one twice does nothing.

    >>> tree = build(np.array([[0.0], [5.0]]))
    >>> delete(tree, [0])
    >>> nearest(tree, np.array([[0.0]]), k=2, power=2).indices
    array([[ 1, -1]])
    """
    delete_points(tree, tree.positions[np.asarray(indices, dtype=np.intp)])


def nearest(
    tree: KdTree, queries: Vectors, k: int, power: int, *, excluded: ClassCodes | None = None, n_jobs: int | None = None
) -> Nearest:
    """The k >= 1 nearest points alive of each query, by (distance, original index).

    ``excluded``: one class code for each query, whose points do not count; -1 excludes nothing.

    >>> tree = build(np.array([[0.0], [5.0], [1.0]]), np.array([0, 1, 0]))
    >>> nearest(tree, np.array([[0.2]]), k=1, power=2, excluded=np.array([0]))
    Nearest(indices=array([[1]]), distances=array([[4.8]]), distance_calls=1)
    """
    queries = np.ascontiguousarray(queries, dtype=np.float64)
    indices = np.empty((len(queries), k), dtype=np.intp)
    distances = np.empty((len(queries), k))
    skipped = _skipped(excluded, len(queries))

    def answer(rows: slice) -> int:
        return int(nearest_points(tree, queries[rows], skipped[rows], (1,) * power, indices[rows], distances[rows]))

    return Nearest(indices, distances, sum(over_chunks(answer, _chunks(len(queries)), n_jobs=n_jobs)))


def within(
    tree: KdTree,
    queries: Vectors,
    radius: float | Distances,
    power: int,
    *,
    strict: bool = False,
    excluded: ClassCodes | None = None,
    n_jobs: int | None = None,
) -> Within:
    """The points alive with distance <= ``radius`` (< if ``strict``), one radius for all queries or one for each.

    >>> tree = build(np.array([[0.0], [5.0], [1.0]]))
    >>> within(tree, np.array([[0.0], [9.0]]), 1.0, power=2).indices
    array([0, 2])
    """
    queries = np.ascontiguousarray(queries, dtype=np.float64)
    radii = np.full(len(queries), radius, dtype=np.float64)
    skipped = _skipped(excluded, len(queries))
    counts = np.empty(len(queries), dtype=np.intp)

    def answer(rows: slice) -> tuple[Indices, Distances, int]:
        near, far, _, calls = points_within(
            tree, queries[rows], radii[rows], strict, skipped[rows], (1,) * power, sys.maxsize, counts[rows]
        )
        return near, far, calls

    parts = list(over_chunks(answer, _chunks(len(queries)), n_jobs=n_jobs))
    return Within(
        np.concatenate(([0], np.cumsum(counts))),
        np.concatenate([part[0] for part in parts]),
        np.concatenate([part[1] for part in parts]),
        sum(part[2] for part in parts),
    )


def _skipped(excluded: ClassCodes | None, n_queries: int) -> NDArray[np.int32]:
    return np.full(n_queries, -1, dtype=np.int32) if excluded is None else excluded.astype(np.int32)


def _chunks(n_queries: int) -> list[slice]:
    return [slice(start, start + CHUNK_QUERIES) for start in range(0, n_queries, CHUNK_QUERIES)] or [slice(0, 0)]


class KdTreeSearch:
    """Boxes of coordinates rule objects out: for vectors of few dimensions under the Minkowski metrics p = 1, 2, infinity."""

    name: ClassVar[str] = "kdtree"

    def __init__(self, population: Population) -> None:
        self.population = population
        self.power = _required_power(population.counted.metric)
        self.tree = build(population.counted.prepared, population.codes)

    @staticmethod
    def takes(metric: Metric) -> bool:
        """Whether a metric is one of those that the tree measures."""
        return power_of(metric) is not None

    def nearest(self, asked: Queries, k: int, eta: float) -> Neighbors:  # exact, so (1 + eta)-nearest whatever eta is
        found = nearest(self.tree, asked.queries, k, self.power, excluded=asked.excluded, n_jobs=1)
        asked.counted.count(found.distance_calls)
        return Neighbors(found.indices, found.distances)

    def within(self, asked: Queries, radii: Distances) -> Neighborhoods:
        found = within(self.tree, asked.queries, radii, self.power, excluded=asked.excluded, n_jobs=1)
        asked.counted.count(found.distance_calls)
        return Neighborhoods(found.starts, found.indices, found.distances)

    def forget(self, gone: Indices) -> None:
        delete(self.tree, gone)

    def rows_at_once(self, n_queries: int, jobs: int) -> int:
        return max(1, min(CHUNK_QUERIES, -(-n_queries // (8 * jobs))))


def _required_power(metric: Metric) -> Any:
    power = power_of(metric)
    if power is None:
        raise InvalidInput(
            f"A kd-tree measures vectors under the Minkowski metrics with p = 1, 2 or infinity, not {metric!r}.",
            advice="Take engine='pivots', or 'auto', which finds the fastest.",
            value=metric,
        )
    return power
