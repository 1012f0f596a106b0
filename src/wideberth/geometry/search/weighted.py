"""The least of offset + slope * distance: additively weighted nearest neighbours."""

from typing import Any, NamedTuple

import numpy as np

from wideberth.arrays import Indices
from wideberth.geometry.measure.blocks import row_spans, stream
from wideberth.geometry.measure.parallel import over_chunks
from wideberth.geometry.search import kdtree
from wideberth.geometry.search.weighted_kernels import least_offsets, least_sums_in_block, least_sums_in_tree
from wideberth.metrics.metric import Distances, Metric
from wideberth.objects import sample

#: Queries that a kd-tree answers in one chunk.
_CHUNK_QUERIES = 2_000


class LeastSums(NamedTuple):
    """The k least sums of each query, by (sum, index), the objects that have them and their distances.

    -1, the limit and infinity where no object has a sum below the limit.
    """

    indices: Indices
    sums: Distances
    distances: Distances


class WeightedNeighbors:
    r"""Finds :math:`\min_j (a_j + \rho\, d(x, z_j))` over objects :math:`z_j`, for offsets and slopes that change by the call.

    Vectors go through a kd-tree whose nodes know their least offset; other objects through blocks of distances.

    >>> from wideberth.metrics.vectors.minkowski import Euclidean
    >>> near = WeightedNeighbors(np.array([[0.0], [10.0]]), Euclidean())
    >>> near.least(np.array([[4.0]]), offsets=np.array([3.0, 0.0]), slope=1.0)  # 3 + 4 against 0 + 6
    LeastSums(indices=array([[1]]), sums=array([[6.]]), distances=array([[6.]]))
    """

    def __init__(self, prepared: Any, metric: Metric, *, max_memory: int = 2**31, n_jobs: int | None = None) -> None:
        self.metric = metric
        self._prepared, self._memory, self._n_jobs = prepared, max_memory, n_jobs
        self._power = kdtree.power_of(metric) or 0
        self._tree: kdtree.KdTree | None = None
        self.distance_calls = 0
        if kdtree.power_of(metric) is not None and sample.count(prepared):
            tree = kdtree.build(prepared)
            self._tree = tree if kdtree.prunes(tree, self._power) else None

    def __len__(self) -> int:
        return sample.count(self._prepared)

    def least(self, queries: Any, offsets: Distances, slope: float, *, k: int = 1, below: Distances | None = None) -> LeastSums:
        """The k least sums of each query (prepared); with ``below``, one limit for each query, only those smaller than it."""
        n = sample.count(queries)
        limits = np.full(n, np.inf) if below is None else below
        # -1 comes before every index, so that a sum equal to the limit is not below it
        found = LeastSums(np.full((n, k), -1, dtype=np.intp), np.repeat(limits[:, None], k, axis=1), np.full((n, k), np.inf))
        if n and len(self):
            if self._tree is not None:
                self._search_tree(self._tree, queries, offsets, slope, found)
            else:
                self._search_blocks(queries, offsets, slope, found)
        return found

    def _search_tree(self, tree: kdtree.KdTree, queries: Any, offsets: Distances, slope: float, found: LeastSums) -> None:
        ordered, least = offsets[tree.order], np.empty(len(tree.sole))
        least_offsets(tree, ordered, least)
        asked, power = np.ascontiguousarray(queries), (1,) * self._power

        def answer(rows: slice) -> int:
            return int(
                least_sums_in_tree(
                    tree, ordered, least, slope, asked[rows], power, found.indices[rows], found.sums[rows], found.distances[rows]
                )
            )

        chunks = [slice(start, start + _CHUNK_QUERIES) for start in range(0, len(asked), _CHUNK_QUERIES)]
        self.distance_calls += sum(over_chunks(answer, chunks, n_jobs=self._n_jobs))

    def _search_blocks(self, queries: Any, offsets: Distances, slope: float, found: LeastSums) -> None:
        spans = row_spans(len(found.sums), len(self), self._memory)
        blocks = stream(self.metric, queries, self._prepared, spans, max_memory=self._memory, n_jobs=self._n_jobs)
        for (rows, _), block in blocks:
            least_sums_in_block(block, offsets, slope, found.indices[rows], found.sums[rows], found.distances[rows])
            self.distance_calls += block.size
