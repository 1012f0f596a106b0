"""Blocks of distances out of tiles: what is known is read, what is missing is measured and kept.

A request names objects in any order and perhaps repeatedly (`Side`). What is missing of it is covered by rectangles of pairs, and
these are cut into jobs that run on all cores (`plan`).
"""

import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wideberth.arrays import Flags, Indices
from wideberth.geometry.measure.blocks import CHUNK_SECONDS, TRIAL_PAIRS
from wideberth.geometry.measure.parallel import effective_jobs, over_chunks, progress
from wideberth.geometry.space.members import Members, Share, tight
from wideberth.geometry.space.tiles import Key, Tile, TileStore
from wideberth.metrics.metric import Distances, Metric
from wideberth.objects import sample

#: Tiles worked on at once, unless the budget is small.
TILES_AT_ONCE = 32


class TiledDistances:
    """Distances between members, each measured once as long as the store keeps it.

    If the metric promises the axioms, a pair is measured once, the lower index on the left, and kept in a tile on or above the
    diagonal.
    """

    def __init__(self, members: Members, store: TileStore, n_jobs: int | None) -> None:
        self.members, self.store, self.n_jobs = members, store, n_jobs
        self.symmetric = members.metric.obeys_triangle is True
        self.calls = 0
        self._counting = threading.Lock()
        self._seconds_a_pair: float | None = None  # at best: small blocks cost more, and so does compiling

    def block(self, left: Indices, right: Indices) -> Distances:
        """The distances between the members ``left`` and the members ``right``, in any order and perhaps repeated."""
        out = np.empty((len(left), len(right)))
        rows, columns, target = Side.of(left), Side.of(right), out
        if self.symmetric and len(rows.objects) > len(columns.objects):  # fewer and longer rows of tiles
            rows, columns, target = columns, rows, out.T
        column_shares = self.members.shares(columns.objects)
        with progress(len(rows.objects) * len(columns.objects), f"distances ({self.members.metric.name})") as advance:
            for share in self.members.shares(rows.objects):
                down, row_of = rows.positions(share.start, share.stop)
                for run in self._runs(share.block, column_shares):
                    across, column_of = columns.positions(run[0].start, run[-1].stop)
                    part = self._part(share, rows.objects, run, columns.objects)
                    assign(target, down, across, part[row_of][:, column_of])
                    advance(part.size)
        return out

    def keep_pair(self, left: int, right: int, distance: Distances) -> None:
        """Keep a distance that somebody has measured already."""
        (row,), (column,) = self.members.shares(np.array([left])), self.members.shares(np.array([right]))
        key = row.block, column.block
        with self.store.borrow([key]) as tiles:
            tiles[key].write(row.local, column.local, distance)
            if self.symmetric and row.block == column.block:
                tiles[key].write(column.local, row.local, distance)
        with self._counting:
            self.calls += 1

    def _runs(self, block: int, shares: list[Share]) -> list[list[Share]]:
        """Columns to work on at once: few enough for the budget, and on one side of the diagonal."""
        at_once = min(TILES_AT_ONCE, max(1, self.store.budget // (8 * 8 * self.members.block_size**2)))
        sides = (
            [share for share in shares if share.block < block],
            [share for share in shares if share.block == block],
            [share for share in shares if share.block > block],
        )
        return [side[start : start + at_once] for side in sides for start in range(0, len(side), at_once)]

    def _part(self, share: Share, rows: Indices, run: list[Share], columns: Indices) -> Distances:
        """The distances between the rows of one block and the columns of a run of blocks."""
        below = self.symmetric and run[0].block < share.block  # kept as their mirror images above the diagonal
        first, last = run[0].start, run[-1].stop
        out = np.empty((share.stop - share.start, last - first))
        slots = [_slot(share, each, out[:, each.start - first : each.stop - first], below) for each in run]
        with self.store.borrow([slot.key for slot in slots]) as tiles:
            if _read(slots, tiles) and (not self.store.refresh(tiles) or _read(slots, tiles)):
                some, others = rows[share.start : share.stop], columns[first:last]
                if self.symmetric and share.block == run[0].block:
                    self._fill_diagonal(tiles, share.block, some, others, out == -np.inf)
                    _read(slots, tiles)
                elif below:
                    self._fill(tiles, others, some, out.T, partial(_write, slots, tiles))
                else:
                    self._fill(tiles, some, others, out, partial(_write, slots, tiles))
        return out

    def _fill_diagonal(self, tiles: Mapping[Key, Tile], block: int, left: Indices, right: Indices, missing: Flags) -> None:
        """Measure missing pairs of one block with itself, the lower index on the left, so that no pair is measured twice."""
        both = np.union1d(left, right)
        pairs = np.zeros((len(both), len(both)), dtype=bool)
        pairs[np.ix_(np.searchsorted(both, left), np.searchsorted(both, right))] = missing
        upper = np.where(np.triu(pairs | pairs.T, 1), -np.inf, 0.0)
        measured = upper < 0
        local = tight(both - self.members.start(block))

        def keep() -> None:
            known = np.where(measured, upper, -np.inf)
            tiles[block, block].write(local, local, np.maximum(known, known.T))

        self._fill(tiles, both, both, upper, keep)

    def _fill(
        self, tiles: Mapping[Key, Tile], left: Indices, right: Indices, distances: Distances, keep: Callable[[], None]
    ) -> None:
        """Measure what is minus infinity in ``distances``. ``keep`` it in the tiles, also if something goes wrong on the way."""
        missing = distances == -np.inf
        chunk_pairs, expected = self._estimate(int(missing.sum()))
        bundles = plan(self.members, left, right, missing, chunk_pairs)
        samples = [[(job.left, job.right) for job in bundle] for bundle in bundles]
        metric = self.members.metric
        measured = over_chunks(partial(measure, metric), samples, n_jobs=self.n_jobs, how=metric.parallel, expected=expected)
        try:
            for bundle, (blocks, seconds) in zip(bundles, measured, strict=True):
                for job, block in zip(bundle, blocks, strict=True):
                    assign(distances, job.rows, job.columns, block)
                self._count(sum(block.size for block in blocks), seconds)
                if self.store.should_save():
                    keep()
                    self.store.save(tiles)
        finally:
            keep()

    def _count(self, pairs: int, seconds: float) -> None:
        with self._counting:
            self.calls += pairs
            self._seconds_a_pair = min(self._seconds_a_pair or np.inf, seconds / pairs)

    def _estimate(self, pairs: int) -> tuple[int, float | None]:
        """Pairs in a chunk, so that all cores have work and none for long; and seconds of work, if that is known yet."""
        if self._seconds_a_pair is None:
            return TRIAL_PAIRS, None
        each = max(1, pairs // (4 * effective_jobs(self.n_jobs)))
        return min(each, 1 + int(CHUNK_SECONDS / max(self._seconds_a_pair, 1e-9))), self._seconds_a_pair * pairs


class _Slot(NamedTuple):
    """A part of an answer, and where it is kept."""

    key: Key
    rows: slice | Indices
    columns: slice | Indices
    part: Distances


def _slot(row: Share, column: Share, part: Distances, below: bool) -> _Slot:
    if below:
        return _Slot((column.block, row.block), column.local, row.local, part.T)
    return _Slot((row.block, column.block), row.local, column.local, part)


def _read(slots: list[_Slot], tiles: Mapping[Key, Tile]) -> bool:
    """Read all parts; tell whether anything is missing."""
    gaps = [tiles[slot.key].read(slot.rows, slot.columns, slot.part) for slot in slots]
    return any(gaps)


def _write(slots: list[_Slot], tiles: Mapping[Key, Tile]) -> None:
    for slot in slots:
        tiles[slot.key].write(slot.rows, slot.columns, slot.part)


@dataclass(frozen=True)
class Side:
    """The objects on one side of a request: ``objects`` sorted and each once; object number ``back[k]`` of them stands at
    position ``where[k]`` of the request. Both are None if the request was like this already.
    """

    objects: Indices
    where: Indices | None = None
    back: Indices | None = None

    @classmethod
    def of(cls, indices: Indices) -> "Side":
        """From the indices as they were asked for, in any order and perhaps repeated."""
        if np.all(indices[1:] > indices[:-1]):
            return cls(indices)
        where = np.argsort(indices, kind="stable")
        objects, back = np.unique(indices[where], return_inverse=True)
        return cls(objects, where, back.astype(np.intp))

    def positions(self, start: int, stop: int) -> tuple[slice | Indices, slice | Indices]:
        """Where the objects from ``start`` to ``stop`` stand in the request, and which of them, counted from 0, stands there."""
        if self.where is None or self.back is None:
            return slice(start, stop), slice(None)
        first, last = np.searchsorted(self.back, [start, stop])
        return self.where[first:last], self.back[first:last] - start


def assign(out: NDArray[Any], rows: slice | Indices, columns: slice | Indices, values: NDArray[Any]) -> None:
    """Set the rectangle of these rows and columns."""
    if isinstance(rows, slice) or isinstance(columns, slice):
        out[rows, columns] = values
    else:
        out[np.ix_(rows, columns)] = values


class Job(NamedTuple):
    """A rectangle to measure: where it stands among the pairs asked for, and the objects of both sides."""

    rows: slice | Indices
    columns: slice | Indices
    left: Any
    right: Any


def plan(members: Members, left: Indices, right: Indices, missing: Flags, chunk_pairs: int) -> list[list[Job]]:
    """The missing pairs of the members ``left`` and ``right`` as bundles of jobs, of about ``chunk_pairs`` pairs each."""
    bundles: list[list[Job]] = []
    room = 0
    for rows, columns in rectangles(missing):
        height = max(1, chunk_pairs // len(columns))
        for right_part, right_sample in _samples(members, right, columns, len(columns)):
            for left_part, left_sample in _samples(members, left, rows, height):
                if room <= 0:
                    bundles.append([])
                    room = chunk_pairs
                bundles[-1].append(Job(tight(left_part), tight(right_part), left_sample, right_sample))
                room -= len(left_part) * len(right_part)
    return bundles


def rectangles(needed: Flags) -> list[tuple[Indices, Indices]]:
    """Rows and columns of rectangles that cover what is needed, each pair once and nothing else: rows alike go together.

    >>> rectangles(np.array([[True, False], [True, True], [True, False]]))
    [(array([0, 2]), array([0])), (array([1]), array([0, 1]))]
    """
    if needed.all():
        return [(np.arange(needed.shape[0]), np.arange(needed.shape[1]))] if needed.size else []
    alike: dict[bytes, list[int]] = {}
    for row, pattern in enumerate(np.packbits(needed, axis=1)):
        alike.setdefault(pattern.tobytes(), []).append(row)
    found = ((np.array(rows), np.flatnonzero(needed[rows[0]])) for rows in alike.values())
    return [(rows, columns) for rows, columns in found if len(columns)]


def _samples(members: Members, indices: Indices, positions: Indices, size: int) -> Iterator[tuple[Indices, Any]]:
    """The members ``indices[positions]`` as samples of at most ``size`` objects that were prepared together."""
    chosen = indices[positions]
    for start, stop, piece in members.pieces_of(chosen):
        for first in range(start, stop, size):
            part = slice(first, min(first + size, stop))
            yield positions[part], sample.pick(piece.prepared, tight(chosen[part] - piece.start))


def measure(metric: Metric, bundle: list[tuple[Any, Any]]) -> tuple[list[Distances], float]:
    """The distances of every block of a bundle, and the seconds that took."""
    started = time.perf_counter()
    blocks = [metric.block(left, right) for left, right in bundle]
    return blocks, time.perf_counter() - started
