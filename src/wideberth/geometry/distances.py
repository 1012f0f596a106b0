"""Distances between two samples."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from wideberth.geometry.parallel import over_chunks
from wideberth.metrics.metric import Distances, Metric
from wideberth.metrics.named import bind
from wideberth.metrics.named import metric as as_metric
from wideberth.objects import sample

#: Pairs in a chunk: enough to hide what a chunk costs to start, few enough to keep all cores busy to the end.
CHUNK_PAIRS = 50_000


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
    chunks = row_chunks(sample.count(left), sample.count(right))
    if len(chunks) == 1:
        return measure.block(left, right)
    out = np.empty((sample.count(left), sample.count(right)))
    measured = over_chunks(partial(_rows, measure, left, right), chunks, n_jobs=n_jobs, how=measure.parallel)
    for rows, block in zip(chunks, measured, strict=True):
        out[rows] = block
    return out


def row_chunks(n_left: int, n_right: int) -> list[slice]:
    """Slices of the rows, each with about `CHUNK_PAIRS` pairs.

    >>> row_chunks(3, 50_000)
    [slice(0, 1, None), slice(1, 2, None), slice(2, 3, None)]
    """
    rows = max(1, CHUNK_PAIRS // max(1, n_right))
    return [slice(start, min(start + rows, n_left)) for start in range(0, n_left, rows)] or [slice(0, 0)]


def _rows(metric: Metric, left: Any, right: Any, rows: slice) -> Distances:
    return metric.block(sample.pick(left, rows), right)
