"""Distances between two samples."""

import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from wideberth.geometry.parallel import over_chunks
from wideberth.metrics.metric import Distances, Metric
from wideberth.metrics.named import bind
from wideberth.metrics.named import metric as as_metric
from wideberth.objects import sample

#: Pairs measured first, to see what a distance costs: 0.004 us or 300 us, depending on the metric.
TRIAL_PAIRS = 200
#: Seconds of work in a chunk: enough to hide what a chunk costs to start, few enough to keep all cores busy to the end.
CHUNK_SECONDS = 0.02


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
        partial(_rows, measure, left, right),
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


def _rows(metric: Metric, left: Any, right: Any, rows: slice) -> Distances:
    return metric.block(sample.pick(left, rows), right)
