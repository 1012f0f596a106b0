"""Nearest neighbours among objects that are removed at different thresholds, for all thresholds in one search.

Each object has a *lifetime*: the largest threshold at which it is still present. Of the objects sorted by (distance, index) from
a query, those that live longer than all nearer ones are its *records*: they are its nearest neighbours at some threshold.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wideberth.array_types import Indices
from wideberth.classifiers.margin_neighbors.search_kernels import records_in_block, records_in_tree
from wideberth.errors import InvalidInput
from wideberth.geometry.measure.blocks import parse_memory, row_spans, show_memory
from wideberth.geometry.measure.parallel import effective_jobs, over_chunks
from wideberth.geometry.search import kdtree
from wideberth.geometry.search.kdtree_kernels import node_minima
from wideberth.metrics.metric import Distances, Metric
from wideberth.metrics.named import bind
from wideberth.objects import sample

#: Queries that a kd-tree answers in one chunk, and queries that are tried to see whether it is fast.
CHUNK_QUERIES, TRIAL_QUERIES = 1_000, 50
#: Memory for one record while the results are assembled, in bytes.
RECORD_BYTES = 64


@dataclass(frozen=True)
class LastingNeighbors:
    """The records of each query, which determine its nearest neighbour at every threshold.

    The first record of a query is the nearest object of all, and the answer for thresholds up to its lifetime. The next one is
    the nearest of the objects that live longer, and the answer from there to its own lifetime, and so on.

    Attributes
    ----------
    starts : ndarray of shape (n_queries + 1,)
        The records of query q are at positions ``starts[q]:starts[q + 1]``, by increasing distance.
    indices : ndarray
        The object of each record.
    until : ndarray
        The lifetime of each record, the last threshold at which it is the answer.

    Examples
    --------
    >>> found = LastingNeighbors(np.array([0, 2]), np.array([3, 1]), np.array([0.5, np.inf]))
    >>> found.at([0.5, 0.6])  # object 3 up to the threshold 0.5, then object 1
    array([[3, 1]])
    """

    starts: Indices
    indices: Indices
    until: Distances

    def __len__(self) -> int:
        return len(self.starts) - 1

    def at(self, thresholds: Any) -> Indices:
        """Return the nearest object that is present at each threshold.

        Parameters
        ----------
        thresholds : array-like of shape (t,)
            Thresholds in any order, none of them NaN.

        Returns
        -------
        ndarray of shape (n_queries, t)
            Indices of objects; -1 where no object is present.

        Examples
        --------
        >>> found = lasting_neighbors([[1.0], [2.0], [5.0]], [0.5, 3.0, 3.0], [[0.0], [4.0]], "euclidean")
        >>> found.at([0.5, 3.0, 3.5])
        array([[ 0,  1, -1],
               [ 2,  2, -1]])
        """
        wanted = np.asarray(thresholds, dtype=np.float64)
        if wanted.ndim != 1 or np.isnan(wanted).any():
            raise InvalidInput(
                f"Thresholds are a list of numbers, none of them NaN, not {thresholds!r}.",
                advice="Write a single one as [threshold]; numpy.inf selects the objects that are never removed.",
                value=thresholds,
            )
        order = np.argsort(wanted)
        # a record answers from the lifetime of the one before it to its own; after the last one of a query comes "none", for ever
        ends = np.insert(np.searchsorted(wanted[order], self.until, side="right"), self.starts[1:], len(wanted))
        records = np.insert(self.indices, self.starts[1:], -1)
        begins = np.concatenate([[0], ends[:-1]])
        begins[self.starts[:-1] + np.arange(len(self))] = 0
        answers = np.empty((len(self), len(wanted)), dtype=np.intp)
        answers[:, order] = np.repeat(records, ends - begins).reshape(answers.shape)
        return answers

    def codes_at(self, thresholds: Any, codes: Any) -> Indices:
        """Return the class code of the nearest object that is present at each threshold.

        Parameters
        ----------
        thresholds : array-like of shape (t,)
            Thresholds in any order, none of them NaN.
        codes : array-like of shape (n_objects,)
            Class codes of the objects.

        Returns
        -------
        ndarray of shape (n_queries, t)
            Class codes; -1 where no object is present.

        Examples
        --------
        >>> found = lasting_neighbors([[1.0], [2.0], [5.0]], [0.5, 3.0, 3.0], [[0.0], [4.0]], "euclidean")
        >>> found.codes_at([0.5, 3.0, 3.5], codes=[7, 8, 9])
        array([[ 7,  8, -1],
               [ 9,  9, -1]])
        """
        return np.append(np.asarray(codes, dtype=np.intp), -1)[self.at(thresholds)]  # the index -1 selects the last one


class _Records(NamedTuple):
    """The records of some queries, the number of records of each, and whether all queries were answered within the memory."""

    indices: Indices
    until: Distances
    counts: Indices
    complete: bool = True


def lasting_neighbors(
    objects: Any,
    lifetimes: Any,
    queries: Any,
    metric: str | Metric | Callable[[Any, Any], float],
    *,
    max_memory: str | int = "2GB",
    n_jobs: int | None = None,
) -> LastingNeighbors:
    """Find for each query the nearest object with a lifetime >= t, by (distance, index), for every threshold t in one search.

    As t grows objects are removed, and the answer changes only when it is removed itself: the answers are the objects that live
    longer than every nearer one. If lifetimes are independent of distances, these are about ln(n) of n objects. If far objects
    live longer there may be many, but never more than there are different lifetimes: `rounded_down` to the thresholds of interest
    keeps the answers at these thresholds and makes the records few.

    Vectors under the Minkowski metrics p = 1, 2 and infinity are searched in a kd-tree that stores the longest lifetime in each
    node, if it excludes enough. Other objects are measured once for each query, in blocks.

    Parameters
    ----------
    objects : sequence
        The n objects among which neighbours are found.
    lifetimes : array-like of shape (n,)
        The largest threshold at which each object is present; infinity for always, minus infinity for never.
    queries : sequence
        The objects whose neighbours are found.
    metric : str, Metric or callable
        The distance.
    max_memory : str or int
        Memory for blocks of distances, or for the results while they are assembled, such as "2GB".
    n_jobs : int, optional
        Cores to use; None means all.

    Returns
    -------
    LastingNeighbors

    Raises
    ------
    InvalidInput
        If lifetimes are NaN or not one for each object, or if the records do not fit in the memory.

    Examples
    --------
    >>> found = lasting_neighbors(["tea", "tee", "rum"], [1.0, 2.0, np.inf], ["ten", "rumba"], "levenshtein")
    >>> found.indices[: found.starts[1]], found.until[: found.starts[1]]  # of "ten": "tea" up to 1, "tee" up to 2, then "rum"
    (array([0, 1, 2]), array([ 1.,  2., inf]))
    """
    objects, measure = bind(objects, metric)
    prepared, targets = measure.prepare(objects), measure.prepare(queries)
    checked = _checked_lifetimes(lifetimes, sample.count(prepared))
    budget = parse_memory(max_memory)
    if not (checked > -np.inf).any() or not sample.count(targets):
        return LastingNeighbors(np.zeros(sample.count(targets) + 1, np.intp), np.empty(0, np.intp), np.empty(0))
    if kdtree.suits(measure, len(checked)):
        measure.block(prepared[:1], targets[:1])  # refuses vectors of another dimension
        search = _TreeSearch(kdtree.build(prepared), checked, kdtree.power_of(measure) or 0)
        if search.is_fast(targets):
            return search.answer(targets, budget, n_jobs)
    return _search_in_blocks(measure, prepared, checked, targets, budget, n_jobs)


def rounded_down(lifetimes: Any, thresholds: Any) -> Distances:
    """Round each lifetime down to one of some thresholds.

    This changes no answer at these thresholds, and leaves at most as many records of a query as there are thresholds.

    Parameters
    ----------
    lifetimes : array-like of shape (n,)
        The lifetimes.
    thresholds : array-like of shape (t,)
        The thresholds of interest, in any order.

    Returns
    -------
    ndarray of shape (n,)
        The largest threshold not above each lifetime; minus infinity if there is none.

    Examples
    --------
    >>> rounded_down([0.5, 3.0, 7.0, np.inf], thresholds=[1.0, 3.0, 10.0])
    array([-inf,   3.,   3.,  10.])
    """
    grid = np.append(-np.inf, np.sort(np.asarray(thresholds, dtype=np.float64)))
    return grid[np.searchsorted(grid, np.asarray(lifetimes, dtype=np.float64), side="right") - 1]


class _TreeSearch:
    """A kd-tree of the objects with the longest lifetime in each of its nodes."""

    def __init__(self, tree: kdtree.KdTree, lifetimes: Distances, power: int) -> None:
        self.tree, self.power = tree, (1,) * power
        self.lifetimes = lifetimes[tree.order]
        self.longest = -node_minima(tree, -self.lifetimes)

    def is_fast(self, queries: Any) -> bool:
        """Whether searches measure so few objects that blocks of all distances would be slower, tried on some queries."""
        n = len(self.tree.order)
        trial = np.ascontiguousarray(queries[:: max(1, len(queries) // TRIAL_QUERIES)])
        if n < kdtree.NEVER_SLOW:
            return True
        *_, measured = records_in_tree(
            self.tree, self.lifetimes, self.longest, trial, self.power, n, np.empty(len(trial), np.intp)
        )
        return bool(measured <= kdtree.FEW_MEASURED * n * len(trial))

    def answer(self, queries: Any, max_memory: int, n_jobs: int | None) -> LastingNeighbors:
        """Find the records of all queries, in the order of a kd-tree of the queries: neighbours visit the same nodes."""
        order = kdtree.build(queries)
        n = len(queries)
        chunks = [slice(start, min(start + CHUNK_QUERIES, n)) for start in range(0, n, CHUNK_QUERIES)]
        most = max(1, max_memory // RECORD_BYTES // min(effective_jobs(n_jobs), len(chunks)))
        parts = over_chunks(partial(_records_of_chunk, self, order.points, most), chunks, n_jobs=n_jobs, what="neighbours")
        return _reordered(_joined(parts, max_memory), order.positions)


def _records_of_chunk(search: _TreeSearch, queries: Any, most: int, rows: slice) -> _Records:
    """Find the records of the queries ``rows``, at most ``most`` of them."""
    counts = np.zeros(rows.stop - rows.start, dtype=np.intp)
    indices, until, answered, _ = records_in_tree(
        search.tree, search.lifetimes, search.longest, queries[rows], search.power, most, counts
    )
    return _Records(indices, until, counts, answered == len(counts))


def _search_in_blocks(
    measure: Metric, prepared: Any, lifetimes: Distances, queries: Any, max_memory: int, n_jobs: int | None
) -> LastingNeighbors:
    """Find the records in blocks of all distances.

    Objects are sorted by decreasing lifetime; those that are never present are left out.
    """
    order = np.argsort(-lifetimes, kind="stable")
    order = order[lifetimes[order] > -np.inf]
    spans = row_spans(sample.count(queries), len(order), max_memory // effective_jobs(n_jobs))
    work = partial(_block_records, measure, queries, sample.pick(prepared, order), order, lifetimes[order])
    chunks = [rows for rows, _ in spans]
    return _joined(over_chunks(work, chunks, n_jobs=n_jobs, how=measure.parallel, what="neighbours"), max_memory)


def _block_records(measure: Metric, queries: Any, objects: Any, order: Indices, lifetimes: Distances, rows: slice) -> _Records:
    """Find the records of the queries ``rows``; the columns of the block are the objects at ``order``, by decreasing lifetime."""
    counts = np.empty(rows.stop - rows.start, dtype=np.intp)
    return _Records(*records_in_block(measure.block(sample.pick(queries, rows), objects), order, lifetimes, counts), counts)


def _joined(parts: Iterable[_Records], max_memory: int) -> LastingNeighbors:
    """Concatenate the records of all parts, or raise `InvalidInput` if they do not fit in the memory."""
    kept, size = [], 0
    for part in parts:
        kept.append(part)
        size += len(part.indices)
        if RECORD_BYTES * size > max_memory or not part.complete:
            n = sum(len(records.counts) for records in kept)
            raise InvalidInput(
                f"The first {n} queries alone have more than {size} answers at different thresholds, too many for a memory of "
                f"{show_memory(max_memory)}.",
                advice="Round `lifetimes` down to fewer thresholds (rounded_down), pass fewer queries, or allow more memory.",
                value=size,
            )
    counts = np.concatenate([part.counts for part in kept])
    return LastingNeighbors(
        np.concatenate([[0], np.cumsum(counts)]),
        np.concatenate([part.indices for part in kept]),
        np.concatenate([part.until for part in kept]),
    )


def _reordered(found: LastingNeighbors, positions: NDArray[np.int32]) -> LastingNeighbors:
    """Undo a reordering of the queries: the query at position ``positions[q]`` becomes query q."""
    counts = np.diff(found.starts)[positions]
    starts = np.concatenate([[0], np.cumsum(counts)])
    source = np.repeat(found.starts[positions] - starts[:-1], counts) + np.arange(starts[-1])
    return LastingNeighbors(starts, found.indices[source], found.until[source])


def _checked_lifetimes(lifetimes: Any, n: int) -> Distances:
    """Return the lifetimes as an array, one for each of n objects and none NaN, or raise `InvalidInput`."""
    ends = np.asarray(lifetimes, dtype=np.float64)
    if ends.shape != (n,) or np.isnan(ends).any():
        raise InvalidInput(
            f"`lifetimes` needs one number for each of the {n} objects, none of them NaN; this has shape {ends.shape}.",
            advice="Use numpy.inf for objects that are never removed.",
            value=lifetimes,
        )
    return ends
