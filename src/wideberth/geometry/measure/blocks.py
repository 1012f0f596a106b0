"""Blocks of distances in bounded memory: between two samples, and between all objects of different classes.

`pairwise_distances` returns one matrix. Where that matrix would not fit in memory, `row_spans` plans blocks and `stream` measures
them one after the other, on all cores; `enemy_blocks` does both for the pairs of different classes, each pair once.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, Literal, NamedTuple

import numpy as np

from wideberth.array_types import Indices
from wideberth.geometry.measure.parallel import over_chunks
from wideberth.metrics.metric import Distances, Metric
from wideberth.metrics.named import bind
from wideberth.metrics.named import metric as as_metric
from wideberth.objects import sample
from wideberth.progress import follow, task

#: Pairs measured first, to estimate the cost of a distance: between 0.004 us and 300 us, depending on the metric.
TRIAL_PAIRS = 200
#: Seconds of work in a chunk: enough to hide the cost of starting it, few enough to keep all cores busy until the end.
CHUNK_SECONDS = 0.02
#: Fewest and most pairs in a block: small blocks keep all cores busy, large ones have less overhead.
BLOCK_PAIRS = (20_000, 500_000)


def pairwise_distances(
    left: Any,
    right: Any = None,
    metric: str | Metric | Callable[[Any, Any], float] = "euclidean",
    *,
    n_jobs: int | None = None,
    verbose: int = 0,
) -> Distances:
    """The matrix of the distances from all objects of one sample to all objects of another.

    The work is divided into chunks of rows. They run in threads (in processes if the metric is a Python function) as soon as a
    short trial shows that this pays. The result does not depend on ``n_jobs``.

    Parameters
    ----------
    left : sequence of n objects
        Any sample that the metric accepts: strings, rows of an array, sets, ...
    right : sequence of m objects, optional
        The other sample; ``left`` itself by default.
    metric : str, Metric or callable
        The name of a metric, a metric, or a Python function of two objects.
    n_jobs : int, optional
        How many cores to use; all of them by default.
    verbose : int
        A terminal shows the progress of work that takes seconds; with 1, lines on standard error show it elsewhere too.

    Returns
    -------
    ndarray of shape (n, m)
        Entry (i, j) is the distance from ``left[i]`` to ``right[j]``.

    Examples
    --------
    >>> pairwise_distances(["tea", "coffee"], ["tee"], "levenshtein")
    array([[1.],
           [4.]])
    """
    if right is None:
        left, measure = bind(left, metric)
    else:
        measure = as_metric(metric)
    left = measure.prepare(left)
    right = left if right is None else measure.prepare(right)
    n_left, n_right = sample.count(left), sample.count(right)
    if n_left * n_right <= TRIAL_PAIRS:
        return measure.block(left, right)
    out = np.empty((n_left, n_right))
    trial = slice(0, max(1, TRIAL_PAIRS // n_right))
    started = time.perf_counter()
    out[trial] = measure.block(sample.pick(left, trial), right)
    seconds_per_row = (time.perf_counter() - started) / trial.stop
    chunks = row_chunks(trial.stop, n_left, seconds_per_row)
    measured = over_chunks(
        partial(_row_block, measure, left, right),
        chunks,
        n_jobs=n_jobs,
        how=measure.parallel,
        expected=seconds_per_row * (n_left - trial.stop),
    )
    with task(f"distances ({measure.name})", n_left, verbose=verbose) as measuring:
        for rows, block in zip(chunks, measured, strict=True):
            out[rows] = block
            measuring.advance(rows.stop - rows.start)
    return out


def row_chunks(first: int, stop: int, seconds_per_row: float) -> list[slice]:
    """Divide rows into slices of about `CHUNK_SECONDS` of work each.

    Parameters
    ----------
    first, stop : int
        The rows from ``first`` up to, not including, ``stop``.
    seconds_per_row : float
        The measured time of one row, on one core.

    Returns
    -------
    list of slice
        In order, without gaps; every slice has at least one row.

    Examples
    --------
    >>> row_chunks(1, 5, 0.01)
    [slice(1, 3, None), slice(3, 5, None)]
    """
    rows = max(1, int(CHUNK_SECONDS / max(seconds_per_row, 1e-9)))
    return [slice(start, min(start + rows, stop)) for start in range(first, stop, rows)]


def _row_block(metric: Metric, left: Any, right: Any, rows: slice) -> Distances:
    return metric.block(sample.pick(left, rows), right)


class PairBlock(NamedTuple):
    """The distances between some objects of a sample and others of it.

    Attributes
    ----------
    rows : ndarray of shape (r,)
        Positions in the sample of the objects of the rows.
    columns : ndarray of shape (c,)
        Positions in the sample of the objects of the columns.
    distances : ndarray of shape (r, c)
        Entry (i, j) is the distance from object ``rows[i]`` to object ``columns[j]``.

    Examples
    --------
    >>> PairBlock(np.array([4]), np.array([0, 7]), np.array([[1.5, 2.0]])).distances.shape
    (1, 2)
    """

    rows: Indices
    columns: Indices
    distances: Distances


def enemy_blocks(metric: Metric, prepared: Any, codes: Indices, *, max_memory: int, n_jobs: int | None) -> Iterator[PairBlock]:
    """Measure every pair of objects of different classes, once.

    The objects are sorted by class. Rows go through all classes but the last; the columns of a block are the objects of all
    classes after that of its first row. Where the rows of a block run over the end of a class, the block also holds pairs of one
    class and pairs in reverse order: use only pairs whose row has the smaller class code.

    Parameters
    ----------
    metric : Metric
        The metric; it must be symmetric, since each pair is measured in one direction.
    prepared : sample of n objects
        The objects as ``metric.prepare`` returns them.
    codes : ndarray of shape (n,)
        The class of each object, a number from 0 on.
    max_memory : int
        Bytes for all blocks that wait to be used at the same time.
    n_jobs : int or None
        How many cores to use; None for all.

    Yields
    ------
    PairBlock
        Positions refer to the sample as it was given, not to the sorted one.

    Examples
    --------
    >>> blocks = enemy_blocks(Metric(lambda a, b: abs(a[:, None] - b)), np.array([1.0, 5.0, 2.0]), np.array([0, 1, 0]),
    ...                       max_memory=1000, n_jobs=1)
    >>> [(block.rows.tolist(), block.columns.tolist(), block.distances.tolist()) for block in blocks]
    [([0, 2], [1], [[4.0], [3.0]])]
    """
    order = np.argsort(codes, kind="stable")
    ends = np.cumsum(np.bincount(codes))
    spans = _enemy_spans(ends[codes[order]], max_memory)
    arranged = sample.pick(prepared, order)
    for (rows, columns), distances in stream(metric, arranged, arranged, spans, max_memory=max_memory, n_jobs=n_jobs):
        yield PairBlock(order[rows], order[columns], distances)


def stream(
    metric: Metric, left: Any, right: Any, spans: Sequence[tuple[slice, slice]], *, max_memory: int, n_jobs: int | None
) -> Iterator[tuple[tuple[slice, slice], Distances]]:
    """Measure the given blocks in order, several at a time, and hand them out one by one.

    Blocks are measured in groups whose distances fit into half of ``max_memory``; a group has at least one block. The next group
    is started when the caller has taken all blocks of this one.

    Parameters
    ----------
    metric : Metric
        The metric of both samples.
    left, right : prepared samples
        The objects of the rows and of the columns, as ``metric.prepare`` returns them.
    spans : sequence of (slice, slice)
        Rows of ``left`` and columns of ``right`` of each block, for example from `row_spans`.
    max_memory : int
        Bytes for a group of blocks and for what the caller makes of it.
    n_jobs : int or None
        How many cores to use; None for all.

    Yields
    ------
    span : (slice, slice)
        The rows and columns of a block.
    distances : ndarray of shape (rows, columns)
        The distances of that block.

    Examples
    --------
    >>> line = Metric(lambda a, b: abs(a[:, None] - b))
    >>> spans = [(slice(0, 1), slice(0, 2)), (slice(1, 2), slice(0, 2))]
    >>> points = np.array([1.0, 4.0])
    >>> [distances.tolist() for _, distances in stream(line, points, points, spans, max_memory=1000, n_jobs=1)]
    [[[0.0, 3.0]], [[3.0, 0.0]]]
    """
    blocks = _in_groups(partial(_block, metric, left, right), spans, max_memory, n_jobs, metric.parallel)
    yield from follow(blocks, f"distances ({metric.name})", len(spans))


def _in_groups(
    measure: Callable[[tuple[slice, slice]], Distances],
    spans: Sequence[tuple[slice, slice]],
    max_memory: int,
    n_jobs: int | None,
    how: Literal["threads", "processes"] | None,
) -> Iterator[tuple[tuple[slice, slice], Distances]]:
    first = 0
    while first < len(spans):
        stop, budget = first, max_memory // 16  # pairs of 8 bytes, and as much again for what the caller makes of them
        while stop < len(spans) and (stop == first or budget >= _pairs(spans[stop])):
            budget -= _pairs(spans[stop])
            stop += 1
        wave = spans[first:stop]
        yield from zip(wave, over_chunks(measure, wave, n_jobs=n_jobs, how=how), strict=True)
        first = stop


def row_spans(n_rows: int, n_columns: int, max_memory: int) -> list[tuple[slice, slice]]:
    """Divide a matrix of distances into bands of whole rows that `stream` can measure one by one.

    Parameters
    ----------
    n_rows, n_columns : int
        The shape of the matrix.
    max_memory : int
        Bytes; a band takes at most an eighth of it, but has at least one row.

    Returns
    -------
    list of (slice, slice)
        The rows of each band, in order, and all columns.

    Examples
    --------
    >>> row_spans(3, 10, max_memory=64 * 20)
    [(slice(0, 2, None), slice(0, 10, None)), (slice(2, 3, None), slice(0, 10, None))]
    """
    height = max(1, _block_pairs(n_rows * n_columns, max_memory) // max(1, n_columns))
    return [(slice(start, min(start + height, n_rows)), slice(0, n_columns)) for start in range(0, n_rows, height)]


def _enemy_spans(ends: Indices, max_memory: int) -> list[tuple[slice, slice]]:
    """Plan the blocks of `enemy_blocks` for objects sorted by class.

    ``ends[i]`` is the position at which the class of object i ends. The columns of a band begin where the class of its first row
    ends; the objects of the last class are never rows.
    """
    n = len(ends)
    last_class = int(np.searchsorted(ends, n))
    pairs = _block_pairs(int((n - ends).sum()), max_memory)
    spans, start = [], 0
    while start < last_class:
        stop = min(last_class, start + max(1, pairs // int(n - ends[start])))
        spans.append((slice(start, stop), slice(int(ends[start]), n)))
        start = stop
    return spans


def _block_pairs(total: int, max_memory: int) -> int:
    """How many pairs a block has: about a hundredth of all, within `BLOCK_PAIRS` and within an eighth of the memory."""
    least, most = BLOCK_PAIRS
    return min(max(least, min(most, total // 100)), max(1, max_memory // 64))  # eight blocks of float64 in the memory given


def _pairs(span: tuple[slice, slice]) -> int:
    rows, columns = span
    return int((rows.stop - rows.start) * (columns.stop - columns.start))


def _block(metric: Metric, left: Any, right: Any, span: tuple[slice, slice]) -> Distances:
    return metric.block(sample.pick(left, span[0]), sample.pick(right, span[1]))
