"""Additively weighted nearest neighbours: the smallest sums of an offset and a scaled distance."""

from functools import partial
from typing import NamedTuple

import numpy as np

from wideberth.array_types import Indices, Sample
from wideberth.geometry.measure.blocks import reduced_blocks, row_spans
from wideberth.geometry.measure.parallel import over_chunks
from wideberth.geometry.search import kdtree
from wideberth.geometry.search.kdtree_kernels import (
    least_sums_in_block,
    least_sums_in_tree,
    node_minima,
)
from wideberth.geometry.search.sum_filter import SumFilter
from wideberth.metrics.metric import Distances, Metric
from wideberth.objects import sample

#: So many sums are not worth loading compiled code, which takes half a second.
FEW_SUMS = 2**20


class LeastSums(NamedTuple):
    """The k least sums of each query, in the order of (sum, index)."""

    #: The objects that have these sums; -1 where no further object has a sum below the limit of the
    #: query, shape (n_queries, k).
    indices: Indices
    #: offset + slope * distance; the limit of the query where there is no object, shape (n_queries,
    #: k).
    sums: Distances
    #: The distances to these objects; infinity where there is no object, shape (n_queries, k).
    distances: Distances


class WeightedNeighbors:
    r"""Finds the objects :math:`z_j` with the least :math:`a_j + \rho\, d(x, z_j)`, for offsets and
    slopes given with each call.

    Vectors under a Minkowski metric, unless they are few, are searched in a kd-tree whose nodes
    keep the least offset of their points, provided a trial shows that the tree rules out most of
    them. Many queries for the least sum among strings are answered by bounds of edit distances
    (`wideberth.geometry.search.sum_filter`). For other objects all distances are computed, in
    blocks.

    Any distance; it need not obey the triangle inequality.

    Examples
    --------
    >>> from wideberth.metrics.vectors.minkowski import Euclidean
    >>> near = WeightedNeighbors(np.array([[0.0], [10.0]]), Euclidean())
    >>> # 3 + 4 against 0 + 6
    >>> near.least(np.array([[4.0]]), offsets=np.array([3.0, 0.0]), slope=1.0)
    LeastSums(indices=array([[1]]), sums=array([[6.]]), distances=array([[6.]]))
    """

    def __init__(
        self,
        prepared: Sample,
        metric: Metric,
        *,
        max_memory: int = 2**31,
        n_jobs: int | None = None,
    ) -> None:
        self.metric = metric
        self._prepared, self._memory, self._n_jobs = prepared, max_memory, n_jobs
        self._power = kdtree.power_of(metric) or 0
        self._tree: kdtree.KdTree | None = None
        self._filter = SumFilter(
            prepared, metric, np.zeros(sample.count(prepared), dtype=np.intp), 1, n_jobs=n_jobs
        )
        self._measured = 0
        if kdtree.suits(metric, sample.count(prepared)):
            tree = kdtree.build(prepared)
            self._tree = tree if kdtree.prunes(tree, self._power) else None

    def __len__(self) -> int:
        return sample.count(self._prepared)

    @property
    def distance_calls(self) -> int:
        """How many distances were computed so far."""
        return self._measured + self._filter.distance_calls

    @property
    def has_tree(self) -> bool:
        """Whether the objects are searched in a tree."""
        return self._tree is not None

    def least(
        self,
        queries: Sample,
        offsets: Distances,
        slope: float,
        *,
        k: int = 1,
        below: Distances | None = None,
    ) -> LeastSums:
        """Find the k least sums of each query.

        Only sums below the limit ``below`` of a query are found, which can be much faster. The
        slope is 0 or more.

        Examples
        --------
        >>> from wideberth.metrics.vectors.minkowski import Euclidean
        >>> near = WeightedNeighbors(np.array([[0.0], [10.0]]), Euclidean())
        >>> # 6 is not below 6
        >>> near.least(np.array([[4.0]]), np.array([3.0, 0.0]), 1.0, below=np.array([6.0])).indices
        array([[-1]])
        """
        n = sample.count(queries)
        limits = np.full(n, np.inf) if below is None else below
        if n and self._tree is not None:
            return self._search_tree(self._tree, queries, offsets, slope, limits, k)
        if k == 1 and self._filter.pays(queries, offsets, slope, limits[:, None]):
            return LeastSums(*self._filter.least(queries, offsets, slope, limits[:, None]))
        if n and len(self):
            return self._search_blocks(queries, offsets, slope, limits, k)
        return _nothing_below(limits, k)

    def _search_tree(
        self,
        tree: kdtree.KdTree,
        queries: Sample,
        offsets: Distances,
        slope: float,
        limits: Distances,
        k: int,
    ) -> LeastSums:
        """Search in the tree, chunks of queries on all cores."""
        ordered, vectors = offsets[tree.order], np.ascontiguousarray(queries)
        work = partial(
            _sums_of_chunk,
            tree,
            ordered,
            node_minima(tree, ordered),
            slope,
            self._power,
            vectors,
            limits,
            k,
        )
        found = over_chunks(
            work, kdtree.query_chunks(len(vectors)), n_jobs=self._n_jobs, what="search"
        )
        parts, calls = zip(*found, strict=True)
        self._measured += sum(calls)
        return (
            parts[0]
            if len(parts) == 1
            else LeastSums(*map(np.concatenate, zip(*parts, strict=True)))
        )

    def _search_blocks(
        self, queries: Sample, offsets: Distances, slope: float, limits: Distances, k: int
    ) -> LeastSums:
        """Search in blocks of all distances."""
        spans = row_spans(len(limits), len(self), self._memory)
        find = partial(_sums_of_block, offsets, slope, limits, k)
        found = [
            sums
            for _, sums in reduced_blocks(
                find, self.metric, queries, self._prepared, spans, n_jobs=self._n_jobs
            )
        ]
        self._measured += len(limits) * len(self)
        return (
            found[0]
            if len(found) == 1
            else LeastSums(*map(np.concatenate, zip(*found, strict=True)))
        )


def _sums_of_block(
    offsets: Distances, slope: float, limits: Distances, k: int, rows: slice, block: Distances
) -> LeastSums:
    """Find the least sums of the queries ``rows`` in their distances from all objects."""
    best = _nothing_below(limits[rows], k)
    if k == 1 and block.size <= FEW_SUMS:
        _least_sum_in_block(block, offsets, slope, best)
    else:
        least_sums_in_block(block, offsets, slope, *best)
    return best


def _least_sum_in_block(
    block: Distances, offsets: Distances, slope: float, best: LeastSums
) -> None:
    """Do with numpy, for k = 1, what `least_sums_in_block` does: a model that answers needs no
    compiled code for it.
    """
    sums = slope * block
    sums += offsets
    places, rows = sums.argmin(axis=1), np.arange(len(block))
    below = np.flatnonzero(sums[rows, places] < best.sums[:, 0])
    for kept, values in zip(best, (places, sums[rows, places], block[rows, places]), strict=True):
        kept[below, 0] = values[below]


def _sums_of_chunk(
    tree: kdtree.KdTree,
    offsets: Distances,
    minima: Distances,
    slope: float,
    power: int,
    queries: Distances,
    limits: Distances,
    k: int,
    rows: slice,
) -> tuple[LeastSums, int]:
    """Find the least sums of the queries ``rows``, and count the distances computed."""
    found = _nothing_below(limits[rows], k)
    return found, int(
        least_sums_in_tree(tree, offsets, minima, slope, queries[rows], (1,) * power, *found)
    )


def _nothing_below(limits: Distances, k: int) -> LeastSums:
    """Make the answer before a search: -1 comes before every index, so that a sum equal to the
    limit is not below it.
    """
    shape = len(limits), k
    return LeastSums(
        np.full(shape, -1, dtype=np.intp),
        np.repeat(limits[:, None], k, axis=1),
        np.full(shape, np.inf),
    )
