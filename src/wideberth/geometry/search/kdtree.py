"""A kd-tree for vectors under the Minkowski metrics with p = 1, 2 and infinity.

Points may have classes, so that a search can exclude one, and may be deleted. Distances equal those
of scipy's ``cdist`` bit for bit, so neighbours are ordered as brute force orders them, ties
included. Searches pay in few dimensions, up to about ten.
"""

import sys
from functools import partial
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wideberth.array_types import Indices
from wideberth.errors import InvalidInput
from wideberth.geometry.measure.parallel import over_chunks
from wideberth.geometry.search.engine import (
    Neighborhoods,
    Neighbors,
    Population,
    QueryBatch,
    even_chunk_size,
)
from wideberth.geometry.search.kdtree_kernels import (
    MIXED,
    KdTree,
    build_tree,
    delete_points,
    nearest_points,
    points_within,
)
from wideberth.metrics.metric import Distances, Metric
from wideberth.metrics.vectors.minkowski import (
    Chebyshev,
    Euclidean,
    Manhattan,
    Minkowski,
    NormMetric,
    Vectors,
)
from wideberth.wording import setting

__all__ = [
    "KdTree",
    "Nearest",
    "Within",
    "build",
    "delete",
    "nearest",
    "power_of",
    "prunes",
    "query_chunks",
    "suits",
    "within",
]

ClassCodes = NDArray[np.integer[Any]]

#: The largest number of points in a leaf.
LEAF_SIZE = 8
#: Queries in a chunk: milliseconds of work.
CHUNK_QUERIES = 2_000
#: For fewer points than this no tree is built: all distances take a millisecond or two, and the
#: tree has 40 loops to compile.
FEW_POINTS = 256
#: With fewer points than this a tree is never slow. Otherwise a search should measure at most this
#: share of the points: above it, blocks of all distances are faster.
NEVER_SLOW, FEW_MEASURED = 1_000, 1 / 16


class Nearest(NamedTuple):
    """The k nearest points of each query, in the order of (distance, index)."""

    #: ``indices``, ``distances``: original indices of the points and their distances; -1 and
    #: infinity where there are fewer than k, shape (n_queries, k).
    indices: Indices
    distances: Distances
    #: How many distances were computed.
    distance_calls: int


class Within(NamedTuple):
    """The points within a radius of each query, in the order of (distance, index)."""

    #: The points of query q are ``indices[starts[q]:starts[q + 1]]``, shape (n_queries + 1,).
    starts: Indices
    #: ``indices``, ``distances``: original indices of the points, query after query, and their
    #: distances, shape (starts[-1],).
    indices: Indices
    distances: Distances
    #: How many distances were computed.
    distance_calls: int


def power_of(metric: Metric) -> int | None:
    """Return the exponent p of a Minkowski metric as the kernels of the tree write it.

    1, 2, or 0 for infinity; None for all metrics that the tree cannot measure.

    Examples
    --------
    >>> power_of(Euclidean()), power_of(Minkowski(p=np.inf)), power_of(Minkowski(p=3))
    (2, 0, None)
    """
    if isinstance(metric, NormMetric) and metric.gaps is not None:
        return None
    if type(metric) is Minkowski:
        return {1.0: 1, 2.0: 2, np.inf: 0}.get(float(metric.p))
    powers: dict[type[Metric], int] = {Manhattan: 1, Euclidean: 2, Chebyshev: 0}
    return powers.get(type(metric))


def suits(metric: Metric, n: int) -> bool:
    """Return whether a tree can measure a metric, and n points are enough for one.

    Examples
    --------
    >>> suits(Euclidean(), 10_000), suits(Euclidean(), 20), suits(Minkowski(p=3), 10_000)
    (True, False, False)
    """
    return n >= FEW_POINTS and power_of(metric) is not None


def build(points: Vectors, codes: ClassCodes | None = None, leaf_size: int = LEAF_SIZE) -> KdTree:
    """Build a tree over points, in O(n log n) time; the points are copied.

    Examples
    --------
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
    return KdTree(
        reordered, order, positions, classes, np.ones(n, dtype=np.bool_), boxes, sole, depth
    )


def prunes(tree: KdTree, power: int) -> bool:
    """Return whether searches in a tree rule out most of the points, judged by the searches of
    about fifty of them.

    If there are several classes, the trial searches for the nearest points of other classes. Trees
    of high-dimensional points often do not prune; then blocks of all distances are faster.

    True also for small trees, which are never slow.

    Examples
    --------
    >>> prunes(build(np.random.default_rng(0).normal(size=(2000, 2))), power=2)
    True
    """
    n = len(tree.order)
    some = slice(0, n, max(1, n // 50))
    mixed = tree.sole[0] == MIXED
    wanted = 1 if mixed else 2  # the nearest point of all is the point itself
    trial = nearest(
        tree,
        tree.points[some],
        wanted,
        power,
        excluded=tree.codes[some] if mixed else None,
        n_jobs=1,
    )
    return n < NEVER_SLOW or trial.distance_calls <= FEW_MEASURED * n * len(trial.indices)


def delete(tree: KdTree, indices: Any) -> None:
    """Delete points, so that they are not found any more; deleting a point twice does nothing.

    Examples
    --------
    >>> tree = build(np.array([[0.0], [5.0]]))
    >>> delete(tree, [0])
    >>> nearest(tree, np.array([[0.0]]), k=2, power=2).indices
    array([[ 1, -1]])
    """
    delete_points(tree, tree.positions[np.asarray(indices, dtype=np.intp)])


def nearest(
    tree: KdTree,
    queries: Vectors,
    k: int,
    power: int,
    *,
    eta: float = 0.0,
    excluded: ClassCodes | None = None,
    n_jobs: int | None = None,
) -> Nearest:
    """Find the k nearest points of each query that are not deleted.

    The j-th found may be 1 + ``eta`` times as far as the j-th nearest point. ``excluded`` is the
    class whose points do not count for a query; -1 excludes nothing, as does the default.

    Examples
    --------
    >>> tree = build(np.array([[0.0], [5.0], [1.0]]), np.array([0, 1, 0]))
    >>> nearest(tree, np.array([[0.2]]), k=1, power=2, excluded=np.array([0]))
    Nearest(indices=array([[1]]), distances=array([[4.8]]), distance_calls=1)
    """
    queries = np.ascontiguousarray(queries, dtype=np.float64)
    work = partial(
        _nearest_of_chunk, tree, queries, k, power, eta, _excluded_codes(excluded, len(queries))
    )
    parts = list(over_chunks(work, query_chunks(len(queries)), n_jobs=n_jobs, what="neighbours"))
    if len(parts) == 1:
        return parts[0]
    indices, distances, calls = zip(*parts, strict=True)
    return Nearest(np.concatenate(indices), np.concatenate(distances), sum(calls))


def _nearest_of_chunk(
    tree: KdTree,
    queries: Vectors,
    k: int,
    power: int,
    eta: float,
    excluded: NDArray[np.int32],
    rows: slice,
) -> Nearest:
    """Find the nearest points of the queries ``rows``."""
    chunk = queries[rows]
    indices, distances = np.empty((len(chunk), k), dtype=np.intp), np.empty((len(chunk), k))
    calls = nearest_points(tree, chunk, excluded[rows], (1,) * power, eta, indices, distances)
    return Nearest(indices, distances, int(calls))


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
    """Find all points within a radius of each query that are not deleted.

    Points at exactly the radius are left out if ``strict``; the rest is as for `nearest`.

    Examples
    --------
    >>> tree = build(np.array([[0.0], [5.0], [1.0]]))
    >>> within(tree, np.array([[0.0], [9.0]]), 1.0, power=2).indices
    array([0, 2])
    """
    queries = np.ascontiguousarray(queries, dtype=np.float64)
    radii = np.full(len(queries), radius, dtype=np.float64)
    work = partial(
        _within_of_chunk,
        tree,
        queries,
        radii,
        power,
        strict,
        _excluded_codes(excluded, len(queries)),
    )
    found = over_chunks(work, query_chunks(len(queries)), n_jobs=n_jobs, what="neighbours")
    counts, indices, distances, calls = zip(*found, strict=True)
    return Within(
        np.cumsum(np.concatenate(([0], *counts))),
        np.concatenate(indices),
        np.concatenate(distances),
        sum(calls),
    )


def _within_of_chunk(
    tree: KdTree,
    queries: Vectors,
    radii: Distances,
    power: int,
    strict: bool,
    excluded: NDArray[np.int32],
    rows: slice,
) -> tuple[Indices, Indices, Distances, int]:
    """Find the points around the queries ``rows``: how many each has, all of them, their distances,
    and the calls.
    """
    chunk = queries[rows]
    counts = np.empty(len(chunk), dtype=np.intp)
    indices, distances, _, calls = points_within(
        tree, chunk, radii[rows], strict, excluded[rows], (1,) * power, sys.maxsize, counts
    )
    return counts, indices, distances, int(calls)


def _excluded_codes(excluded: ClassCodes | None, n_queries: int) -> NDArray[np.int32]:
    return np.full(n_queries, -1, dtype=np.int32) if excluded is None else excluded.astype(np.int32)


def query_chunks(n_queries: int) -> list[slice]:
    """Cut queries into slices of `CHUNK_QUERIES`; a single empty slice if there are none.

    >>> query_chunks(3000)
    [slice(0, 2000, None), slice(2000, 4000, None)]
    """
    return [
        slice(start, start + CHUNK_QUERIES) for start in range(0, n_queries, CHUNK_QUERIES)
    ] or [slice(0, 0)]


# ---- The search engine of `wideberth.Index` that uses a kd-tree


class KdTreeSearch:
    """The engine that rules objects out by boxes of coordinates: for vectors of few dimensions
    under a Minkowski metric.

    With a tolerance ``eta`` it leaves out boxes that are farther than the neighbours found so far
    over 1 + eta.

    Vectors under a metric with p = 1, 2 or infinity; any other is an `InvalidInput`.
    """

    name: ClassVar[str] = "kdtree"

    def __init__(self, population: Population) -> None:
        self.population = population
        self.power = _checked_power(population.counted.metric)
        self.tree = build(population.counted.prepared, population.codes)

    @staticmethod
    def supports(metric: Metric) -> bool:
        """Return whether the tree can measure a metric: Minkowski's with p = 1, 2 or infinity."""
        return power_of(metric) is not None

    def nearest(self, batch: QueryBatch, k: int, eta: float) -> Neighbors:
        """See `wideberth.geometry.search.engine.Engine.nearest`."""
        found = nearest(
            self.tree, batch.prepared, k, self.power, eta=eta, excluded=batch.excluded, n_jobs=1
        )
        batch.counted.count(found.distance_calls)
        return Neighbors(found.indices, found.distances)

    def within(self, batch: QueryBatch, radii: Distances) -> Neighborhoods:
        """See `wideberth.geometry.search.engine.Engine.within`."""
        found = within(
            self.tree, batch.prepared, radii, self.power, excluded=batch.excluded, n_jobs=1
        )
        batch.counted.count(found.distance_calls)
        return Neighborhoods(found.starts, found.indices, found.distances)

    def nearest_with_ties(self, batch: QueryBatch, k: int) -> Neighborhoods:
        """Search around a query again only if the neighbour after the k-th is as near as the k-th;
        see `Engine`.
        """
        found = self.nearest(batch, k + 1, 0.0)
        kept = (found.distances <= found.distances[:, k - 1 : k]) & (found.indices >= 0)
        tied = np.flatnonzero(kept[:, k])
        if not len(tied):
            return Neighborhoods(
                np.append(0, np.cumsum(kept.sum(axis=1))),
                found.indices[kept],
                found.distances[kept],
            )
        kept[tied] = False
        around = within(
            self.tree,
            batch.prepared[tied],
            found.distances[tied, k - 1],
            self.power,
            excluded=batch.excluded[tied],
            n_jobs=1,
        )
        batch.counted.count(around.distance_calls)
        counts = kept.sum(axis=1)
        counts[tied] = np.diff(around.starts)
        rows = np.concatenate([np.nonzero(kept)[0], np.repeat(tied, counts[tied])])
        order = np.argsort(rows, kind="stable")  # the neighbours of a query stay in their order
        return Neighborhoods(
            np.concatenate([[0], np.cumsum(counts)]),
            np.concatenate([found.indices[kept], around.indices])[order],
            np.concatenate([found.distances[kept], around.distances])[order],
        )

    def delete(self, indices: Indices) -> None:
        """See `wideberth.geometry.search.engine.Engine.delete`."""
        delete(self.tree, indices)

    def chunk_size(self, n_queries: int, jobs: int) -> int:
        """See `wideberth.geometry.search.engine.Engine.chunk_size`."""
        return max(1, min(CHUNK_QUERIES, even_chunk_size(n_queries, jobs)))


def _checked_power(metric: Metric) -> int:
    power = power_of(metric)
    if power is None:
        raise InvalidInput(
            "A kd-tree measures vectors under the Minkowski metrics with p = 1, 2 or infinity, not "
            f"{metric!r}.",
            advice=f"Take {setting('engine', 'pivots')}, or 'auto', which finds the fastest.",
            value=metric,
        )
    return power
