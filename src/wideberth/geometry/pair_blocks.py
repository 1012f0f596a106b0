"""All pairs of objects of different classes, measured once each, block by block, in bounded memory."""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wideberth.geometry.parallel import over_chunks
from wideberth.metrics.metric import Distances, Metric
from wideberth.objects import sample

Indices = NDArray[np.intp]

#: Pairs in a block, at least and at most if there are so many: small blocks keep all cores busy, large ones cost less to start.
BLOCK_PAIRS = (20_000, 500_000)


class PairBlock(NamedTuple):
    """The distances between the objects ``rows`` and the objects ``columns``."""

    rows: Indices
    columns: Indices
    distances: Distances


def enemy_blocks(metric: Metric, prepared: Any, codes: Indices, *, memory: int, n_jobs: int | None) -> Iterator[PairBlock]:
    """Every pair of objects of different classes, once: as the pairs of the blocks whose row has the smaller class code.

    Rows go through the objects class by class; the columns are the objects of all later classes. A block holds other pairs only
    where its rows run over the end of a class.

    >>> blocks = enemy_blocks(Metric(lambda a, b: abs(a[:, None] - b)), np.array([1.0, 5.0, 2.0]), np.array([0, 1, 0]),
    ...                       memory=1000, n_jobs=1)
    >>> [(block.rows.tolist(), block.columns.tolist(), block.distances.tolist()) for block in blocks]
    [([0, 2], [1], [[4.0], [3.0]])]
    """
    order = np.argsort(codes, kind="stable")
    ends = np.cumsum(np.bincount(codes))
    spans = _spans(ends[codes[order]], memory)
    arranged = sample.pick(prepared, order)
    for (rows, columns), distances in stream(metric, arranged, arranged, spans, memory=memory, n_jobs=n_jobs):
        yield PairBlock(order[rows], order[columns], distances)


def stream(
    metric: Metric, left: Any, right: Any, spans: Sequence[tuple[slice, slice]], *, memory: int, n_jobs: int | None
) -> Iterator[tuple[tuple[slice, slice], Distances]]:
    """The blocks of these rows of ``left`` and columns of ``right``, measured on all cores; those that wait fit in ``memory``."""
    first = 0
    while first < len(spans):
        stop, room = first, memory // 16  # float64, and as much again for whoever looks at them
        while stop < len(spans) and (stop == first or room >= _pairs(spans[stop])):
            room -= _pairs(spans[stop])
            stop += 1
        wave = spans[first:stop]
        yield from zip(
            wave, over_chunks(partial(_block, metric, left, right), wave, n_jobs=n_jobs, how=metric.parallel), strict=True
        )
        first = stop


def row_spans(n_rows: int, n_columns: int, memory: int) -> list[tuple[slice, slice]]:
    """All pairs of rows and columns, in bands of rows."""
    height = max(1, _block_pairs(n_rows * n_columns, memory) // max(1, n_columns))
    return [(slice(start, min(start + height, n_rows)), slice(0, n_columns)) for start in range(0, n_rows, height)]


def _spans(ends: Indices, memory: int) -> list[tuple[slice, slice]]:
    """Bands of rows; their columns begin at ``ends`` of the first row, where its class ends."""
    n = len(ends)
    last_class = int(np.searchsorted(ends, n))
    pairs = _block_pairs(int((n - ends).sum()), memory)
    spans, start = [], 0
    while start < last_class:
        stop = min(last_class, start + max(1, pairs // int(n - ends[start])))
        spans.append((slice(start, stop), slice(int(ends[start]), n)))
        start = stop
    return spans


def _block_pairs(total: int, memory: int) -> int:
    least, most = BLOCK_PAIRS
    return min(max(least, min(most, total // 100)), max(1, memory // 64))  # eight blocks of float64 in the memory given


def _pairs(span: tuple[slice, slice]) -> int:
    rows, columns = span
    return int((rows.stop - rows.start) * (columns.stop - columns.start))


def _block(metric: Metric, left: Any, right: Any, span: tuple[slice, slice]) -> Distances:
    return metric.block(sample.pick(left, span[0]), sample.pick(right, span[1]))
