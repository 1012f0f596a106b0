"""Blocks of distances between objects of different classes, each pair once: whole, or reduced where
they were measured.
"""

import math
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple, TypeVar

import numpy as np

from wideberth.array_types import Indices
from wideberth.geometry.measure.blocks import block_of, block_pairs, grouped, pairs_of, stream
from wideberth.geometry.measure.parallel import over_chunks
from wideberth.metrics.metric import Distances, Metric
from wideberth.objects import sample

Result = TypeVar("Result")


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


def enemy_blocks(
    metric: Metric, prepared: Any, codes: Indices, *, max_memory: int, n_jobs: int | None
) -> Iterator[PairBlock]:
    """Measure every pair of objects of different classes, once.

    The objects are sorted by class. Rows go through all classes but the last; the columns of a
    block are among the objects of the classes after that of its first row. Where the rows of a
    block run over the end of a class, the block also holds pairs of one class and pairs in reverse
    order: use only pairs whose row has the smaller class code.

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
    >>> blocks = enemy_blocks(
    ...     Metric(lambda a, b: abs(a[:, None] - b)),
    ...     np.array([1.0, 5.0, 2.0]),
    ...     np.array([0, 1, 0]),
    ...     max_memory=1000,
    ...     n_jobs=1,
    ... )
    >>> [
    ...     (block.rows.tolist(), block.columns.tolist(), block.distances.tolist())
    ...     for block in blocks
    ... ]
    [([0, 2], [1], [[4.0], [3.0]])]
    """
    order, spans = _by_class(codes, max_memory)
    arranged = sample.pick(prepared, order)
    for (rows, columns), distances in stream(
        metric, arranged, arranged, spans, max_memory=max_memory, n_jobs=n_jobs
    ):
        yield PairBlock(order[rows], order[columns], distances)


def reduced_enemy_blocks(
    reduce: Callable[[PairBlock], Result],
    metric: Metric,
    prepared: Any,
    codes: Indices,
    *,
    max_memory: int,
    n_jobs: int | None,
) -> Iterator[tuple[Result, int]]:
    """Measure every pair of objects of different classes, once, and reduce each block where it was
    measured.

    Blocks never travel and are as square as they can be, so that what is known of their objects is
    little.

    Parameters
    ----------
    reduce : callable
        Makes of a `PairBlock`, as `enemy_blocks` has them, what is yielded; a function of a module,
        with its data as arguments of a ``functools.partial``.
    metric, prepared, codes, max_memory, n_jobs
        As for `enemy_blocks`.

    Yields
    ------
    object
        What ``reduce`` returns.
    int
        How many distances were measured for it.

    Examples
    --------
    >>> line, points, codes = (
    ...     Metric(lambda a, b: abs(a[:, None] - b)),
    ...     np.array([1.0, 5.0, 2.0]),
    ...     np.array([0, 1, 0]),
    ... )
    >>> nearest = lambda block: float(block.distances.min())
    >>> list(reduced_enemy_blocks(nearest, line, points, codes, max_memory=1000, n_jobs=1))
    [(3.0, 2)]
    """
    order, spans = _by_class(codes, max_memory)
    work = partial(_reduced_enemies, reduce, metric, sample.pick(prepared, order), order)
    for group in grouped(spans, max_memory):
        found = over_chunks(
            work, group, n_jobs=n_jobs, how=metric.parallel, what=f"distances ({metric.name})"
        )
        yield from zip(found, map(pairs_of, group), strict=True)


def _enemy_spans(ends: Indices, max_memory: int) -> list[tuple[slice, slice]]:
    """Plan the blocks of `enemy_blocks` for objects sorted by class.

    ``ends[i]`` is the position at which the class of object i ends. The columns of a band of rows
    begin where the class of its first row ends, and so does the band if it has half of its height
    then; the objects of the last class are never rows.
    """
    n = len(ends)
    last_class = int(np.searchsorted(ends, n))
    side = max(1, math.isqrt(block_pairs(int((n - ends).sum()), max_memory)))
    spans, start = [], 0
    while start < last_class:
        end = int(ends[start])
        stop = end if side // 2 <= end - start <= side else min(last_class, start + side)
        spans += [
            (slice(start, stop), slice(first, min(first + side, n)))
            for first in range(end, n, side)
        ]
        start = stop
    return spans


def _by_class(codes: Indices, max_memory: int) -> tuple[Indices, list[tuple[slice, slice]]]:
    """The order of the objects by class, and the blocks of their pairs in that order."""
    order = np.argsort(codes, kind="stable")
    return order, _enemy_spans(np.cumsum(np.bincount(codes))[codes[order]], max_memory)


def _reduced_enemies(
    reduce: Callable[[PairBlock], Result],
    metric: Metric,
    arranged: Any,
    order: Indices,
    span: tuple[slice, slice],
) -> Result:
    rows, columns = span
    return reduce(
        PairBlock(order[rows], order[columns], block_of(metric, arranged, arranged, span))
    )
