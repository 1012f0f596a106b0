"""Blocks of distances, in bounded memory and on all cores.

`pairwise_distances` returns one matrix. Where that matrix would not fit in memory, `row_spans`
plans blocks and `stream` measures them one after the other. `reduced_blocks` is for minima or
counts: a block is reduced where it was measured. `enemy_blocks` and `reduced_enemy_blocks` do the
same for the pairs of objects of different classes; `OneToMany` and `distances_from` measure from
one object to many others.
"""

import math
import re
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from numbers import Integral
from threading import Lock
from typing import Any, Literal, NamedTuple, Self, TypeVar

import numpy as np

from wideberth.array_types import Indices, Objects, Sample
from wideberth.errors import InvalidInput
from wideberth.geometry.measure.parallel import effective_jobs, over_chunks
from wideberth.metrics.metric import Distances, Metric
from wideberth.metrics.named import bind
from wideberth.metrics.named import metric as as_metric
from wideberth.objects import sample
from wideberth.progress import follow, task

# ---- Amounts of memory written for people, such as "2GB": to bytes and back

_UNITS = {"": 1, "B": 1} | {
    f"{letter}{suffix}": base**power
    for power, letter in enumerate("KMGT", start=1)
    for suffix, base in (("", 1000), ("B", 1000), ("IB", 1024))
}
_MOST = 2**62
_SIZE = re.compile(r"\s*([0-9]+(?:\.[0-9]*)?|\.[0-9]+)\s*([a-z]*)\s*", re.IGNORECASE)


def parse_memory(max_memory: str | int) -> int:
    """Convert an amount of memory, as users write it, to a number of bytes.

    A whole number of bytes, or a number with a unit: "kB", "MB", "GB", "TB" are powers of 1000,
    "KiB", "MiB", "GiB", "TiB" powers of 1024. Letters may be small or large, and the "B" may be
    left out. Anything else, and less than a byte, is an `InvalidInput`.

    Examples
    --------
    >>> parse_memory("2GB"), parse_memory("1.5 GiB"), parse_memory(4096)
    (2000000000, 1610612736, 4096)
    """
    if isinstance(max_memory, Integral) and not isinstance(max_memory, bool):
        size = int(max_memory)
    else:
        match = _SIZE.fullmatch(max_memory) if isinstance(max_memory, str) else None
        if match is None or match[2].upper() not in _UNITS:
            raise InvalidInput(
                f"The memory {max_memory!r} is not a size.",
                advice='Write it like "2GB", "500 MB" or "1.5 GiB", or give a whole number of bytes.',
                value=max_memory,
            )
        size = int(min(float(match[1]) * _UNITS[match[2].upper()], _MOST))
    if size <= 0:
        raise InvalidInput(
            f"The memory {max_memory!r} is not above 0 bytes.",
            advice='"2GB" is a usual choice.',
            value=max_memory,
        )
    return min(size, _MOST)


def show_memory(size: float) -> str:
    """Write a number of bytes with three digits and the unit that fits, in powers of 1000.

    Examples
    --------
    >>> show_memory(1_500_000_000), show_memory(12)
    ('1.5 GB', '12 bytes')
    """
    for power, unit in ((4, "TB"), (3, "GB"), (2, "MB"), (1, "kB")):
        if size >= 0.9995 * 1000**power:  # rounded to three digits, it is at least 1 of this unit
            return f"{size / 1000**power:.3g} {unit}"
    return f"{size:.0f} bytes"


# ---- A sample that counts the distances measured on it: the number of metric calls is the cost of
# a search


class CountedSample:
    """Objects prepared for their metric, with a count of the distances measured so far.

    Counting is safe when several threads measure at the same time. A copy in another process
    (pickled) has a count of its own: let it report its ``calls`` and add them here by `count`.

    ``calls`` is how many distances the metric was asked for; that of a space may have known some of
    them.

    Examples
    --------
    >>> drinks = CountedSample(["tea", "coffee", "milk"], "levenshtein")
    >>> drinks.between([0], [1, 2])
    array([[5., 4.]])
    >>> drinks.calls
    2
    """

    def __init__(
        self, objects: Objects, metric: str | Metric | Callable[[Any, Any], float]
    ) -> None:
        self.metric = as_metric(metric)
        self.prepared = self.metric.prepare(objects)
        self.calls = 0
        self._lock = Lock()

    def __len__(self) -> int:
        return sample.count(self.prepared)

    def block(self, left: Sample, right: Indices | slice | None = None) -> Distances:
        """Measure the distances from new objects to objects of this sample."""
        chosen = self.prepared if right is None else sample.pick(self.prepared, right)
        self.count(sample.count(left) * sample.count(chosen))
        return self.metric.block(left, chosen)

    def between(self, first: Any, second: Any) -> Distances:
        """Measure the distances from objects of this sample to others of it, both given by their
        positions.
        """
        return self.block(
            sample.pick(self.prepared, np.asarray(first, dtype=np.intp)),
            np.asarray(second, dtype=np.intp),
        )

    def count(self, calls: int) -> None:
        """Add calls of the metric that were made elsewhere on behalf of this sample, for example in
        another process.
        """
        with self._lock:
            self.calls += calls

    def fork(self, chosen: Indices | None = None) -> Self:
        """Return the same objects, or those at the positions ``chosen``, with a new count from 0.

        A worker, maybe in another process, measures on such a copy and reports its ``calls``.
        """
        copy = object.__new__(type(self))
        copy.metric, copy.calls, copy._lock = self.metric, 0, Lock()
        copy.prepared = self.prepared if chosen is None else sample.pick(self.prepared, chosen)
        return copy

    def __getstate__(self) -> dict[str, Any]:
        # a lock cannot be pickled
        return {name: value for name, value in vars(self).items() if name != "_lock"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state, _lock=Lock())


Result = TypeVar("Result")

#: Pairs measured first, to estimate the cost of a distance: between 0.004 us and 300 us, depending
#: on the metric.
TRIAL_PAIRS = 200
#: Seconds of work in a chunk: enough to hide the cost of starting it, few enough to keep all cores
#: busy until the end.
CHUNK_SECONDS = 0.02
#: Fewest and most pairs in a block: small blocks keep all cores busy, large ones have less
#: overhead.
BLOCK_PAIRS = (20_000, 500_000)


def pairwise_distances(
    left: Objects,
    right: Objects = None,
    metric: str | Metric | Callable[[Any, Any], float] = "euclidean",
    *,
    n_jobs: int | None = None,
    verbose: int = 0,
) -> Distances:
    """The matrix of the distances from all objects of one sample to all objects of another.

    The work is divided into chunks of rows. They run in threads (in processes if the metric is a
    Python function) as soon as a short trial shows that this pays. The result does not depend on
    ``n_jobs``.

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
        A terminal shows the progress of work that takes seconds; with 1, lines on standard error
        show it elsewhere too.

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
    with task(f"distances ({measure.name})", n_left, verbose=verbose) as measuring:
        for rows, block in row_bands(measure, left, right, n_jobs=n_jobs):
            out[rows] = block
            measuring.advance(rows.stop - rows.start)
    return out


def row_bands(
    metric: Metric, left: Sample, right: Sample, *, n_jobs: int | None, mirrored: bool = False
) -> Iterator[tuple[slice, Distances]]:
    """Bands of rows of ``left`` with their distances to ``right``, on all cores as soon as a short
    trial shows that this pays; to those objects from the band on if ``mirrored``, where both are the
    same sample.
    """
    n_left, n_right = sample.count(left), sample.count(right)
    if not n_left * n_right:
        return
    work = partial(_row_band, metric, left, right, mirrored)
    trial = slice(0, max(1, min(n_left, TRIAL_PAIRS // n_right)))
    started = time.perf_counter()
    first = work(trial)
    seconds_per_row = (time.perf_counter() - started) / trial.stop
    yield trial, first
    bands = row_chunks(trial.stop, n_left, seconds_per_row)
    expected = seconds_per_row * (n_left - trial.stop)
    measured = over_chunks(work, bands, n_jobs=n_jobs, how=metric.parallel, expected=expected)
    yield from zip(bands, measured, strict=True)


def row_chunks(first: int, stop: int, seconds_per_row: float) -> list[slice]:
    """Divide rows into slices of about `CHUNK_SECONDS` of work each.

    Examples
    --------
    >>> row_chunks(1, 5, 0.01)
    [slice(1, 3, None), slice(3, 5, None)]
    """
    rows = max(1, int(CHUNK_SECONDS / max(seconds_per_row, 1e-9)))
    return [slice(start, min(start + rows, stop)) for start in range(first, stop, rows)]


def _row_band(
    metric: Metric, left: Sample, right: Sample, mirrored: bool, rows: slice
) -> Distances:
    others = sample.pick(right, slice(rows.start, None)) if mirrored else right
    return metric.block(sample.pick(left, rows), others)


def stream(
    metric: Metric,
    left: Sample,
    right: Sample,
    spans: Sequence[tuple[slice, slice]],
    *,
    max_memory: int,
    n_jobs: int | None,
) -> Iterator[tuple[tuple[slice, slice], Distances]]:
    """Measure the given blocks in order, several at a time, and hand them out one by one.

    Blocks are measured in groups whose distances fit into half of ``max_memory``; a group has at
    least one block. The next group is started when the caller has taken all blocks of this one.

    ``spans`` are the rows of ``left`` and columns of ``right`` of each block, as of `row_spans`.

    Examples
    --------
    >>> line = Metric(lambda a, b: abs(a[:, None] - b))
    >>> spans = [(slice(0, 1), slice(0, 2)), (slice(1, 2), slice(0, 2))]
    >>> points = np.array([1.0, 4.0])
    >>> [
    ...     distances.tolist()
    ...     for _, distances in stream(line, points, points, spans, max_memory=1000, n_jobs=1)
    ... ]
    [[[0.0, 3.0]], [[3.0, 0.0]]]
    """
    blocks = _in_groups(
        partial(block_of, metric, left, right), spans, max_memory, n_jobs, metric.parallel
    )
    yield from follow(blocks, f"distances ({metric.name})", len(spans))


def reduced_blocks(
    reduce: Callable[[slice, Distances], Result],
    metric: Metric,
    left: Sample,
    right: Sample,
    spans: Sequence[tuple[slice, slice]],
    *,
    n_jobs: int | None,
) -> Iterator[tuple[slice, Result]]:
    """Measure the given blocks, several at a time, reduce each where it was measured, and hand out
    the results in order.

    ``reduce`` makes of the rows of a block and its distances something small; it is a function of a
    module, with its data as arguments of a ``functools.partial``.

    Examples
    --------
    >>> line, points = Metric(lambda a, b: abs(a[:, None] - b)), np.array([1.0, 4.0])
    >>> list(
    ...     reduced_blocks(
    ...         lambda rows, block: block.max(),
    ...         line,
    ...         points,
    ...         points,
    ...         row_spans(2, 2, 1000),
    ...         n_jobs=1,
    ...     )
    ... )
    [(slice(0, 2, None), np.float64(3.0))]
    """
    work = partial(_reduced, reduce, metric, left, right)
    found = over_chunks(
        work, spans, n_jobs=n_jobs, how=metric.parallel, what=f"distances ({metric.name})"
    )
    yield from zip((rows for rows, _ in spans), found, strict=True)


def grouped(
    spans: Sequence[tuple[slice, slice]], max_memory: int
) -> Iterator[Sequence[tuple[slice, slice]]]:
    """Divide blocks into groups of which the distances fit into half of the memory; each has one
    block at least.
    """
    first = 0
    while first < len(spans):
        # pairs of 8 bytes, and as much again for what the caller makes of them
        stop, budget = first, max_memory // 16
        while stop < len(spans) and (stop == first or budget >= pairs_of(spans[stop])):
            budget -= pairs_of(spans[stop])
            stop += 1
        yield spans[first:stop]
        first = stop


def _in_groups(
    measure: Callable[[tuple[slice, slice]], Distances],
    spans: Sequence[tuple[slice, slice]],
    max_memory: int,
    n_jobs: int | None,
    how: Literal["threads", "processes"] | None,
) -> Iterator[tuple[tuple[slice, slice], Distances]]:
    for group in grouped(spans, max_memory):
        yield from zip(group, over_chunks(measure, group, n_jobs=n_jobs, how=how), strict=True)


def row_spans(n_rows: int, n_columns: int, max_memory: int) -> list[tuple[slice, slice]]:
    """Divide a matrix of distances into bands of whole rows that `stream` can measure one by one.

    A band takes at most an eighth of the memory, but has at least one row.

    Examples
    --------
    >>> row_spans(3, 10, max_memory=64 * 20)
    [(slice(0, 2, None), slice(0, 10, None)), (slice(2, 3, None), slice(0, 10, None))]
    """
    height = max(1, block_pairs(n_rows * n_columns, max_memory) // max(1, n_columns))
    return [
        (slice(start, min(start + height, n_rows)), slice(0, n_columns))
        for start in range(0, n_rows, height)
    ]


def block_pairs(total: int, max_memory: int) -> int:
    """How many pairs a block has: about a hundredth of all, within `BLOCK_PAIRS` and within an
    eighth of the memory.
    """
    least, most = BLOCK_PAIRS
    # eight blocks of float64 in the memory given
    return min(max(least, min(most, total // 100)), max(1, max_memory // 64))


def pairs_of(span: tuple[slice, slice]) -> int:
    """How many pairs a block has."""
    rows, columns = span
    return int((rows.stop - rows.start) * (columns.stop - columns.start))


def block_of(metric: Metric, left: Sample, right: Sample, span: tuple[slice, slice]) -> Distances:
    """The distances of a block."""
    return metric.block(sample.pick(left, span[0]), sample.pick(right, span[1]))


def _reduced(
    reduce: Callable[[slice, Distances], Result],
    metric: Metric,
    left: Sample,
    right: Sample,
    span: tuple[slice, slice],
) -> Result:
    return reduce(span[0], block_of(metric, left, right, span))


# ---- Pairs of objects of different classes, each once: whole blocks, or reduced where they were
# measured


class PairBlock(NamedTuple):
    """The distances between some objects of a sample and others of it.

    Examples
    --------
    >>> PairBlock(np.array([4]), np.array([0, 7]), np.array([[1.5, 2.0]])).distances.shape
    (1, 2)
    """

    #: Positions in the sample of the objects of the rows, shape (r,).
    rows: Indices
    #: Positions in the sample of the objects of the columns, shape (c,).
    columns: Indices
    #: Entry (i, j) is the distance from object ``rows[i]`` to object ``columns[j]``, shape (r, c).
    distances: Distances


def enemy_blocks(
    metric: Metric, prepared: Sample, codes: Indices, *, max_memory: int, n_jobs: int | None
) -> Iterator[PairBlock]:
    """Measure every pair of objects of different classes, once.

    The objects are sorted by class. Rows go through all classes but the last; the columns of a
    block are among the objects of the classes after that of its first row. Where the rows of a
    block run over the end of a class, the block also holds pairs of one class and pairs in reverse
    order: use only pairs whose row has the smaller class code.

    The metric must be symmetric. Positions refer to the sample as it was given, not to the sorted
    one.

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
    prepared: Sample,
    codes: Indices,
    *,
    max_memory: int,
    n_jobs: int | None,
) -> Iterator[tuple[Result, int]]:
    """Measure every pair of objects of different classes, once, and reduce each block where it was
    measured.

    Blocks never travel and are as square as they can be, so that what is known of their objects is
    little.

    ``reduce`` is a function of a module, with its data as arguments of a ``functools.partial``;
    what it returns is yielded with the number of distances that were measured for it.

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
    arranged: Sample,
    order: Indices,
    span: tuple[slice, slice],
) -> Result:
    rows, columns = span
    return reduce(
        PairBlock(order[rows], order[columns], block_of(metric, arranged, arranged, span))
    )


# ---- Distances from one object to many others

#: Seconds of work on one core from which on it is divided into pieces for all cores.
WORTH_CUTTING = 0.01
#: Pieces for every core: with more pieces, cores wait less for the last one.
PIECES_PER_JOB = 4
#: Objects in a chunk of `distances_from`: a fraction of a second of expensive distances, enough
#: cheap ones for one block.
CHUNK_OBJECTS = 500


class OneToMany:
    """Measure the distances from one object of a sample to others of it, again and again.

    A measurement runs on one core or is divided into pieces for all cores, whichever was faster so
    far: the time of one distance is learned from each measurement for the next, and after pieces
    were slower than one core they are tried less and less often. The result is the same either way.

    Examples
    --------
    >>> drinks = OneToMany(CountedSample(["tea", "coffee", "milk"], "levenshtein"))
    >>> drinks.measure(0), drinks.sample.calls
    (array([0., 5., 4.]), 3)
    """

    def __init__(self, counted: CountedSample, *, n_jobs: int | None = None) -> None:
        self.sample = counted
        self.n_jobs = n_jobs
        self._seconds_per_distance = 0.0  # on one core
        self._uncut = (
            0  # the next measurements that stay on one core, because dividing them was slower
        )
        self._pause = 1  # how many measurements stay on one core after the next slow division

    def measure(self, one: int, others: Indices | None = None) -> Distances:
        """Measure the distances from the object at position ``one`` to others."""
        n = len(self.sample) if others is None else len(others)
        if not n:
            return np.empty(0)
        centre = sample.pick(self.sample.prepared, [one])
        targets = (
            self.sample.prepared if others is None else sample.pick(self.sample.prepared, others)
        )
        self.sample.count(n)
        started = time.perf_counter()
        alone = n * self._seconds_per_distance
        if alone < WORTH_CUTTING or self._uncut > 0:
            distances = _whole(self.sample.metric, centre, targets)
            self._learn_speed(n, time.perf_counter() - started)
        else:
            distances = self._in_pieces(centre, targets, n)
            self._learn_whether_pieces_pay(time.perf_counter() - started < alone)
        return distances

    def _in_pieces(self, centre: Sample, targets: Sample, n: int) -> Distances:
        size = max(1, n // (effective_jobs(self.n_jobs) * PIECES_PER_JOB))
        pieces = [slice(start, start + size) for start in range(0, n, size)]
        work = partial(_piece, self.sample.metric, centre, targets)
        return np.concatenate(
            list(over_chunks(work, pieces, n_jobs=self.n_jobs, how=self.sample.metric.parallel))
        )

    def _learn_speed(self, n: int, seconds: float) -> None:
        """Update the time of one distance after a measurement on one core.

        A short measurement is mostly overhead, so it can only lower the estimate.
        """
        measured = seconds / n
        self._seconds_per_distance = (
            measured if seconds > WORTH_CUTTING / 4 else min(measured, self._seconds_per_distance)
        )
        self._uncut -= 1

    def _learn_whether_pieces_pay(self, faster: bool) -> None:
        """Stay on one core for a while after pieces were slower, twice as long each time."""
        self._pause = 1 if faster else 2 * self._pause
        self._uncut = 0 if faster else self._pause


def _piece(metric: Metric, centre: Sample, targets: Sample, piece: slice) -> Distances:
    return _whole(metric, centre, sample.pick(targets, piece))


def _whole(metric: Metric, centre: Sample, targets: Sample) -> Distances:
    return metric.block(centre, targets).reshape(-1)


def distances_from(
    counted: CountedSample, index: int, others: Indices, n_jobs: int | None
) -> Distances:
    """Measure the distances from one object of a sample to others of it, on all cores if that pays.

    Examples
    --------
    >>> distances_from(
    ...     CountedSample(["tea", "tee", "milk"], "levenshtein"), 0, np.array([1, 2]), n_jobs=1
    ... )
    array([1., 4.])
    """
    chunks = [
        others[start : start + CHUNK_OBJECTS] for start in range(0, len(others), CHUNK_OBJECTS)
    ]
    work, how = partial(_measure_chunk, counted, index), counted.metric.parallel
    parts = list(over_chunks(work, chunks, n_jobs=n_jobs, how=how, what="distances"))
    counted.count(sum(calls for _, calls in parts))
    return np.concatenate([part for part, _ in parts]) if parts else np.empty(0)


def _measure_chunk(counted: CountedSample, index: int, others: Indices) -> tuple[Distances, int]:
    own = counted.fork()  # the work may be done in another process, whose count would be lost
    return own.between([index], others)[0], own.calls
