"""Distances between two samples, and between all objects of different classes: in blocks, each pair once, in bounded memory."""

import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from wideberth.arrays import Indices
from wideberth.geometry.measure.parallel import over_chunks
from wideberth.metrics.metric import Distances, Metric
from wideberth.metrics.named import bind
from wideberth.metrics.named import metric as as_metric
from wideberth.objects import sample

#: Pairs measured first, to see what a distance costs: 0.004 us or 300 us, depending on the metric.
TRIAL_PAIRS = 200
#: Seconds of work in a chunk: enough to hide what a chunk costs to start, few enough to keep all cores busy to the end.
CHUNK_SECONDS = 0.02
#: Pairs in a block, at least and at most if there are so many: small blocks keep all cores busy, large ones cost less to start.
BLOCK_PAIRS = (20_000, 500_000)


def pairwise_distances(
    left: Any,
    right: Any = None,
    metric: str | Metric | Callable[[Any, Any], float] = "euclidean",
    *,
    n_jobs: int | None = None,
) -> Distances:
    """The distances between all objects of ``left`` and all of ``right`` (of ``left`` itself by default).

    The work is cut in chunks of rows; they run in threads (in processes for a Python function) as soon as that pays, on
    ``n_jobs`` cores, all by default. The result does not depend on it.

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
    seconds_a_row = (time.perf_counter() - started) / trial.stop
    chunks = row_chunks(trial.stop, n_left, seconds_a_row)
    measured = over_chunks(
        partial(_row_block, measure, left, right),
        chunks,
        n_jobs=n_jobs,
        how=measure.parallel,
        expected=seconds_a_row * (n_left - trial.stop),
    )
    for rows, block in zip(chunks, measured, strict=True):
        out[rows] = block
    return out


def row_chunks(first: int, stop: int, seconds_a_row: float) -> list[slice]:
    """Slices of the rows from ``first`` to ``stop``, each of about `CHUNK_SECONDS` of work.

    >>> row_chunks(1, 5, 0.01)
    [slice(1, 3, None), slice(3, 5, None)]
    """
    rows = max(1, int(CHUNK_SECONDS / max(seconds_a_row, 1e-9)))
    return [slice(start, min(start + rows, stop)) for start in range(first, stop, rows)]


def _row_block(metric: Metric, left: Any, right: Any, rows: slice) -> Distances:
    return metric.block(sample.pick(left, rows), right)


class PairBlock(NamedTuple):
    """The distances between the objects ``rows`` and the objects ``columns``."""

    rows: Indices
    columns: Indices
    distances: Distances


def enemy_blocks(metric: Metric, prepared: Any, codes: Indices, *, max_memory: int, n_jobs: int | None) -> Iterator[PairBlock]:
    """Every pair of objects of different classes, once: as the pairs of the blocks whose row has the smaller class code.

    Rows go through the objects class by class; the columns are the objects of all later classes. A block holds other pairs only
    where its rows run over the end of a class.

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
    """The blocks of these rows of ``left`` and columns of ``right``, measured on all cores, waiting in ``max_memory``."""
    first = 0
    while first < len(spans):
        stop, room = first, max_memory // 16  # float64, and as much again for whoever looks at them
        while stop < len(spans) and (stop == first or room >= _pairs(spans[stop])):
            room -= _pairs(spans[stop])
            stop += 1
        wave = spans[first:stop]
        yield from zip(
            wave, over_chunks(partial(_block, metric, left, right), wave, n_jobs=n_jobs, how=metric.parallel), strict=True
        )
        first = stop


def row_spans(n_rows: int, n_columns: int, max_memory: int) -> list[tuple[slice, slice]]:
    """All pairs of rows and columns, in bands of rows."""
    height = max(1, _block_pairs(n_rows * n_columns, max_memory) // max(1, n_columns))
    return [(slice(start, min(start + height, n_rows)), slice(0, n_columns)) for start in range(0, n_rows, height)]


def _enemy_spans(ends: Indices, max_memory: int) -> list[tuple[slice, slice]]:
    """Bands of rows; their columns begin at ``ends`` of the first row, where its class ends."""
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
    least, most = BLOCK_PAIRS
    return min(max(least, min(most, total // 100)), max(1, max_memory // 64))  # eight blocks of float64 in the memory given


def _pairs(span: tuple[slice, slice]) -> int:
    rows, columns = span
    return int((rows.stop - rows.start) * (columns.stop - columns.start))


def _block(metric: Metric, left: Any, right: Any, span: tuple[slice, slice]) -> Distances:
    return metric.block(sample.pick(left, span[0]), sample.pick(right, span[1]))
