"""The objects of a metric space, and blocks of their distances from tiles: known distances are
read, missing ones are measured and stored.

`Members` keeps the objects as the user gave them and as the metric prepares them, in the order of
their indices, and divides them into the blocks that are the sides of tiles. A request lists objects
in any order and perhaps with repetitions (`Side`). Its missing pairs are covered by rectangles,
which are cut into jobs that run on all cores (`plan`).
"""

import itertools
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial, reduce
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wideberth.array_types import Flags, Indices, Objects, Sample
from wideberth.atomic_write import temporary_mark
from wideberth.errors import StaleCache
from wideberth.geometry.measure.blocks import TRIAL_PAIRS
from wideberth.geometry.measure.parallel import goes_elsewhere, over_chunks
from wideberth.geometry.measure.remembered_distances import (
    DistanceStore,
    Place,
    are_whole,
    as_slice,
    measure_bundle,
    rectangles,
)
from wideberth.geometry.space.fingerprint import fingerprint
from wideberth.geometry.space.tiles import MISSING, Key, Tile, TileFiles, TileStore, rectangle
from wideberth.metrics.metric import Distances, Metric
from wideberth.objects import sample
from wideberth.progress import follow, task
from wideberth.wording import setting


@dataclass(frozen=True)
class Piece:
    """Consecutive objects that were prepared together."""

    #: The index of the first one.
    start: int
    #: The objects as `wideberth.objects.sample.hold` keeps them.
    held: Sample
    #: The objects as ``metric.prepare`` returns them.
    prepared: Sample

    def __len__(self) -> int:
        return sample.count(self.held)

    @property
    def stop(self) -> int:
        """The index after the last one."""
        return self.start + len(self)


class BlockPart(NamedTuple):
    """Those of a sorted list of indices that lie in one block."""

    #: The number of the block.
    block: int
    #: ``start``, ``stop``: they are at positions ``start`` to ``stop - 1`` of the list.
    start: int
    stop: int
    #: Their positions within the block.
    local: slice | Indices


class Members:
    """A growing sequence of objects; objects are only appended, so an index never changes its
    meaning.

    A block is a run of ``block_size`` objects, one side of a tile. The initial objects fill blocks
    of their own, the last of them perhaps smaller, and appended objects start a new block. So a
    tile between initial objects never changes, whatever is appended. When appended pieces become
    many they are joined and prepared again, so that their number stays logarithmic in the number of
    objects.

    Examples
    --------
    >>> import wideberth
    >>> members = Members(
    ...     np.array([[0.0], [1.0], [5.0]]), wideberth.metric("euclidean"), block_size=2
    ... )
    >>> members.count, members.blocks(), members.block_of(np.array([0, 1, 2]))
    (3, 2, array([0, 0, 1]))
    """

    def __init__(self, held: Sample, metric: Metric, block_size: int) -> None:
        self.metric, self.block_size = metric, block_size
        self.first = sample.count(held)
        self.pieces: tuple[Piece, ...] = (self._piece(0, held),)
        self._first_blocks = -(-self.first // block_size)
        self._names: dict[int, tuple[int, str]] = {}

    def prepare(self, objects: Objects) -> Piece:
        """Check and prepare further objects, without appending them yet."""
        held = sample.hold(objects, rows=self.metric.accepts == "rows")
        return self._piece(
            self.count, sample.join(sample.pick(self.pieces[0].held, slice(0, 0)), held)
        )

    def append(self, piece: Piece) -> None:
        """Append the objects that `prepare` returned; nothing may have been appended in between."""
        pieces = [*self.pieces, piece]
        # the first piece is never prepared again
        while len(pieces) > 2 and len(pieces[-2]) <= 2 * len(pieces[-1]):
            pieces[-2:] = [
                self._piece(pieces[-2].start, sample.join(pieces[-2].held, pieces[-1].held))
            ]
        self.pieces = tuple(pieces)

    def _piece(self, start: int, held: Sample) -> Piece:
        return Piece(start, held, self.metric.prepare(held))

    @property
    def count(self) -> int:
        """The number of objects."""
        return self.pieces[-1].stop

    @property
    def objects(self) -> Sample:
        """All objects, as one held sample."""
        return reduce(sample.join, (piece.held for piece in self.pieces))

    def prepared_at(self, index: int) -> Sample:
        """Return the object at ``index`` as a prepared sample of one object."""
        ((_, _, piece),) = self.split_by_piece(np.array([index]))
        return sample.pick(piece.prepared, slice(index - piece.start, index - piece.start + 1))

    def block_of(self, indices: Indices) -> Indices:
        """Return the number of the block of each object."""
        appended = self._first_blocks + (indices - self.first) // self.block_size
        return np.where(indices < self.first, indices // self.block_size, appended)

    def start(self, block: int) -> int:
        """Return the index of the first object of a block."""
        if block < self._first_blocks:
            return block * self.block_size
        return self.first + (block - self._first_blocks) * self.block_size

    def capacity(self, block: int) -> int:
        """Return how many objects a block can have: those it has, or ``block_size`` if appended
        objects may fill it.
        """
        return (
            min(self.block_size, self.first - self.start(block))
            if block < self._first_blocks
            else self.block_size
        )

    def indices_of(self, block: int) -> Indices:
        """Return the indices of the objects of a block."""
        start = self.start(block)
        return np.arange(start, min(start + self.capacity(block), self.count))

    def blocks(self) -> int:
        """Return the number of blocks."""
        return self._first_blocks - (-(self.count - self.first) // self.block_size)

    def name(self, block: int) -> str:
        """Return the fingerprint of the objects of a block; it changes while appended objects fill
        the block.
        """
        indices = self.indices_of(block)
        size = len(indices)
        if self._names.get(block, (0, ""))[0] != size:
            pieces = self.split_by_piece(indices)
            parts = [
                sample.pick(piece.held, as_slice(indices[a:b] - piece.start))
                for a, b, piece in pieces
            ]
            self._names[block] = size, fingerprint(reduce(sample.join, parts))
        return self._names[block][1]

    def split_by_piece(self, indices: Indices) -> list[tuple[int, int, Piece]]:
        """Split sorted indices by the pieces that hold them.

        Each ``(start, stop, piece)`` is for the positions ``start`` to ``stop - 1`` of ``indices``;
        in order, without empty ranges.
        """
        pieces = self.pieces
        cuts = [
            0,
            *np.searchsorted(indices, [piece.start for piece in pieces[1:]]).tolist(),
            len(indices),
        ]
        return [(a, b, piece) for a, b, piece in zip(cuts, cuts[1:], pieces, strict=False) if a < b]

    def split_by_block(self, indices: Indices) -> list[BlockPart]:
        """Split sorted indices by the blocks that hold them, in order.

        Examples
        --------
        >>> import wideberth
        >>> members = Members(np.zeros((9, 1)), wideberth.metric("euclidean"), block_size=4)
        >>> [
        ...     (part.block, part.start, part.stop, part.local)
        ...     for part in members.split_by_block(np.array([1, 2, 8]))
        ... ]
        [(0, 0, 2, slice(1, 3, None)), (2, 2, 3, slice(0, 1, None))]
        """
        if not len(indices):
            return []
        blocks = self.block_of(indices)
        cuts = np.flatnonzero(np.diff(blocks)) + 1
        ranges = zip([0, *cuts.tolist()], [*cuts.tolist(), len(indices)], strict=True)
        return [
            BlockPart(int(blocks[a]), a, b, as_slice(indices[a:b] - self.start(int(blocks[a]))))
            for a, b in ranges
        ]


# ---- Which distances to measure, in which pieces of work: missing pairs covered by rectangles


class Job(NamedTuple):
    """A rectangle of pairs to measure."""

    #: ``rows``, ``columns``: where it is in the matrix of missing pairs.
    rows: slice | Indices
    columns: slice | Indices
    #: ``left``, ``right``: the objects of both sides, among the samples of the plan.
    left: Place
    right: Place


def plan(
    members: Members,
    left: Indices,
    right: Indices,
    missing: Flags,
    chunk_pairs: int,
    samples: list[Sample] | None = None,
) -> tuple[list[Sample], list[list[Job]]]:
    """Cut missing pairs into jobs, in bundles that are measured one at a time by a core.

    Together the jobs hold each missing pair once, and no other pair. ``samples`` are those of other
    plans that are carried out together with this one; new ones are added to it.

    Examples
    --------
    >>> import numpy as np
    >>> import wideberth
    >>> members = Members(np.zeros((4, 1)), wideberth.metric("euclidean"), block_size=4)
    >>> _, bundles = plan(
    ...     members, np.arange(4), np.arange(4), np.ones((4, 4), dtype=bool), chunk_pairs=8
    ... )
    >>> [len(bundle) for bundle in bundles]
    [1, 1]
    """
    bundles: list[list[Job]] = []
    samples = [] if samples is None else samples
    remaining = 0  # pairs that still fit into the last bundle
    for rows, columns in rectangles(missing):
        height = max(1, chunk_pairs // len(columns))
        for right_part, right_place in _places(members, right, columns, len(columns), samples):
            for left_part, left_place in _places(members, left, rows, height, samples):
                if remaining <= 0:
                    bundles.append([])
                    remaining = chunk_pairs
                bundles[-1].append(
                    Job(as_slice(left_part), as_slice(right_part), left_place, right_place)
                )
                remaining -= len(left_part) * len(right_part)
    return samples, bundles


def _places(
    members: Members, indices: Indices, positions: Indices, size: int, samples: list[Sample]
) -> Iterator[tuple[Indices, Place]]:
    """Yield where the members ``indices[positions]`` are, at most ``size`` of them at a time, with
    their positions.

    They are never in two samples, which were not prepared together; a sample that is new is added
    to ``samples``.
    """
    chosen = indices[positions]
    for start, stop, piece in members.split_by_piece(chosen):
        number = next(
            (number for number, known in enumerate(samples) if known is piece.prepared),
            len(samples),
        )
        if number == len(samples):
            samples.append(piece.prepared)
        for first in range(start, stop, size):
            part = slice(first, min(first + size, stop))
            yield positions[part], Place(number, as_slice(chosen[part] - piece.start))


# ---- Whole tiles that the workers of a cluster measure, and write into the cache themselves where
# they share its directory


class WholeTile(NamedTuple):
    """A tile to be measured."""

    #: Its two blocks.
    key: Key
    #: Its file in the cache.
    path: Path
    #: Its shape, with places for objects that are yet to come.
    shape: tuple[int, int]
    #: What is to be measured of it; of a tile on the diagonal of a symmetric metric the upper half.
    jobs: list[Job]
    #: Whether the other half follows.
    mirrored: bool


class MeasuredTile(NamedTuple):
    """What is known of a tile after a worker has measured it."""

    #: Its two blocks.
    key: Key
    #: How many distances were measured.
    calls: int
    #: How long that took.
    seconds: float
    #: The tile; None if the worker has written its file.
    distances: NDArray[Any] | None


def measure_elsewhere(
    members: Members,
    files: TileFiles,
    keys: list[Key],
    symmetric: bool,
    *,
    n_jobs: int | None,
    expected: float,
) -> Iterator[MeasuredTile]:
    """Measure tiles of which nothing is known yet, one a chunk of work.

    Workers that see the directory of the cache, which is tried by a file in it, write their tiles
    there; others send them.
    """
    samples: list[Sample] = []
    tiles = [_planned(members, files, key, symmetric, samples) for key in keys]
    with temporary_mark(files.folder / "sign") as sign:
        work = partial(_measured, members.metric, samples, sign, symmetric)
        yield from over_chunks(
            work, tiles, n_jobs=n_jobs, how=members.metric.parallel, expected=expected
        )


def _planned(
    members: Members, files: TileFiles, key: Key, symmetric: bool, samples: list[Sample]
) -> WholeTile:
    rows, columns = (members.indices_of(block) for block in key)
    mirrored = symmetric and key[0] == key[1]
    missing = np.ones((len(rows), len(columns)), dtype=bool)
    _, bundles = plan(
        members, rows, columns, np.triu(missing, 1) if mirrored else missing, missing.size, samples
    )
    path = files.path(*map(members.name, key))
    return WholeTile(
        key,
        path,
        (members.capacity(key[0]), members.capacity(key[1])),
        [job for bundle in bundles for job in bundle],
        mirrored,
    )


def _measured(
    metric: Metric, samples: list[Sample], sign: Path, symmetric: bool, task: WholeTile
) -> MeasuredTile:
    blocks, seconds = measure_bundle(metric, samples, [(job.left, job.right) for job in task.jobs])
    known = np.full(task.shape, -np.inf)
    for job, block in zip(task.jobs, blocks, strict=True):
        known[rectangle(job.rows, job.columns)] = block
    tile = Tile(task.shape, zero_diagonal=task.mirrored)
    tile.write(slice(None), slice(None), np.maximum(known, known.T) if task.mirrored else known)
    calls = sum(block.size for block in blocks)
    if not sign.exists():
        return MeasuredTile(task.key, calls, seconds, tile.distances)
    TileFiles(sign.parent.parent, sign.parent.name).save(task.path, tile.distances)
    return MeasuredTile(task.key, calls, seconds, None)


#: The number of tiles to work on at once, unless the budget is small.
TILES_AT_ONCE = 32


#: How many known distances of a tile from elsewhere are measured again, and by how much of the
#: largest one they may differ: blocks of other shapes, on other machines, are added up in another
#: order.
TRIED, SAME = 8, 1e-6
_GOLDEN = (5**0.5 - 1) / 2  # its multiples, modulo 1, are spread evenly


class TiledDistances(DistanceStore):
    """Blocks of distances between members; each distance is computed once, as long as the store
    keeps it.

    If the metric promises the axioms, a pair is measured once, with the lower index on the left,
    and kept in a tile on or above the diagonal. Otherwise both directions are measured.

    Those that `agrees` has measured again are not counted.
    """

    def __init__(self, members: Members, store: TileStore, n_jobs: int | None) -> None:
        super().__init__(members.metric, n_jobs)
        self.members, self.store = members, store

    def block(self, left: Indices, right: Indices) -> Distances:
        """Return the distances between two lists of indices of members, in any order and perhaps
        with repetitions.
        """
        if self.store.files is not None and goes_elsewhere(np.inf):
            if self.seconds_a_pair is None:
                self._block(left[:1], right[:TRIAL_PAIRS])
            self._measure_elsewhere(self.store.files, np.unique(left), np.unique(right))
        return self._block(left, right)

    def _block(self, left: Indices, right: Indices) -> Distances:
        out = np.empty((len(left), len(right)))
        rows, columns, target = Side.from_request(left), Side.from_request(right), out
        # fewer and longer rows of tiles
        if self.symmetric and len(rows.objects) > len(columns.objects):
            rows, columns, target = columns, rows, out.T
        column_parts = self.members.split_by_block(columns.objects)
        with task(
            f"distances ({self.members.metric.name})", len(rows.objects) * len(columns.objects)
        ) as measuring:
            for row_part in self.members.split_by_block(rows.objects):
                down, row_of = rows.positions(row_part.start, row_part.stop)
                for run in self._runs(row_part.block, column_parts):
                    across, column_of = columns.positions(run[0].start, run[-1].stop)
                    distances = self._distances(row_part, rows.objects, run, columns.objects)
                    target[rectangle(down, across)] = distances[row_of][:, column_of]
                    measuring.advance(distances.size)
        return out

    def keep_pair(self, left: int, right: int, distance: Distances) -> None:
        """Store a distance that was measured elsewhere, of shape (1, 1), and count it."""
        (row,), (column,) = (
            self.members.split_by_block(np.array([left])),
            self.members.split_by_block(np.array([right])),
        )
        key = row.block, column.block
        with self.store.borrow([key]) as tiles:
            tiles[key].write(row.local, column.local, distance)
            if self.symmetric and row.block == column.block:
                tiles[key].write(column.local, row.local, distance)
        with self._counting:
            self.calls += 1

    def _runs(self, block: int, parts: list[BlockPart]) -> list[list[BlockPart]]:
        """Group the columns into runs to work on at once: few enough for the budget, and on one
        side of the diagonal.
        """
        at_once = min(
            TILES_AT_ONCE, max(1, self.store.budget // (8 * 8 * self.members.block_size**2))
        )
        sides = (
            [part for part in parts if part.block < block],
            [part for part in parts if part.block == block],
            [part for part in parts if part.block > block],
        )
        return [
            side[start : start + at_once]
            for side in sides
            for start in range(0, len(side), at_once)
        ]

    def _distances(
        self, row_part: BlockPart, rows: Indices, run: list[BlockPart], columns: Indices
    ) -> Distances:
        """Return the distances between the rows of one block and the columns of a run of blocks.

        ``row_part`` and ``run`` refer to positions in the sorted indices ``rows`` and ``columns``.
        """
        # stored as their mirror images above the diagonal
        below = self.symmetric and run[0].block < row_part.block
        first, last = run[0].start, run[-1].stop
        out = np.empty((row_part.stop - row_part.start, last - first))
        slots = [
            _slot(row_part, part, out[:, part.start - first : part.stop - first], below)
            for part in run
        ]
        with self.store.borrow([slot.key for slot in slots]) as tiles:
            if _read(slots, tiles) and (not self.store.refresh(tiles) or _read(slots, tiles)):
                left, right = rows[row_part.start : row_part.stop], columns[first:last]
                if self.symmetric and row_part.block == run[0].block:
                    self._fill_diagonal(tiles, row_part.block, left, right, out == -np.inf)
                    _read(slots, tiles)
                elif below:
                    self._fill(tiles, right, left, out.T, partial(_write, slots, tiles))
                else:
                    self._fill(tiles, left, right, out, partial(_write, slots, tiles))
        return out

    def _measure_elsewhere(self, files: TileFiles, rows: Indices, columns: Indices) -> None:
        """Let a cluster measure the tiles that are wanted as a whole and not known at all, if it
        pays.
        """
        seconds_a_tile = self.members.block_size**2 * (self.seconds_a_pair or 0.0)
        if not goes_elsewhere(len(rows) * len(columns) * (self.seconds_a_pair or 0.0)):
            return
        sides = (
            [part.block for part in self.members.split_by_block(side) if self._is_whole(part)]
            for side in (rows, columns)
        )
        keys = {(row, column) for row, column in itertools.product(*sides)}
        keys = {(min(key), max(key)) for key in keys} if self.symmetric else keys
        unknown = sorted(filter(self.store.is_unknown, keys))
        expected = len(unknown) * seconds_a_tile
        measured = measure_elsewhere(
            self.members, files, unknown, self.symmetric, n_jobs=self.n_jobs, expected=expected
        )
        for key, calls, seconds, distances in follow(
            measured, f"distances ({self.members.metric.name})", len(unknown)
        ):
            if calls:
                self.count(calls, seconds)
            if distances is not None and self.store.is_sound(key, distances):
                with self.store.borrow([key]) as tiles:
                    tiles[key].merge(distances)
                    tiles[key].dirty = True

    def _is_whole(self, part: BlockPart) -> bool:
        """Whether all objects of a block are wanted."""
        return part.stop - part.start == len(self.members.indices_of(part.block))

    def _fill_diagonal(
        self, tiles: Mapping[Key, Tile], block: int, left: Indices, right: Indices, missing: Flags
    ) -> None:
        """Measure missing pairs of a block with itself, with the lower index on the left, so that
        no pair is measured twice.

        ``missing`` has shape (len(left), len(right)); both lists are sorted and lie in the block.
        """
        both = np.union1d(left, right)
        pairs = np.zeros((len(both), len(both)), dtype=bool)
        pairs[np.ix_(np.searchsorted(both, left), np.searchsorted(both, right))] = missing
        upper = np.where(np.triu(pairs | pairs.T, 1), -np.inf, 0.0)
        measured = upper < 0
        local = as_slice(both - self.members.start(block))

        def keep() -> None:
            known = np.where(measured, upper, -np.inf)
            tiles[block, block].write(local, local, np.maximum(known, known.T))

        self._fill(tiles, both, both, upper, keep)

    def _fill(
        self,
        tiles: Mapping[Key, Tile],
        left: Indices,
        right: Indices,
        distances: Distances,
        keep: Callable[[], None],
    ) -> None:
        """Measure the pairs that are minus infinity in ``distances``, and set them there.

        ``keep()`` stores what is known in the borrowed ``tiles``. It is called before each save and
        at the end, after errors too.
        """
        missing = distances == -np.inf
        pairs = int(missing.sum())
        chunk = self.chunk_pairs(pairs, self.members.pieces[0].prepared)
        samples, bundles = plan(self.members, left, right, missing, chunk)
        places = [[(job.left, job.right) for job in bundle] for bundle in bundles]
        try:
            for bundle, blocks in zip(bundles, self.measured(samples, places, pairs), strict=True):
                for job, block in zip(bundle, blocks, strict=True):
                    distances[rectangle(job.rows, job.columns)] = block
                if self.store.should_save():
                    keep()
                    self.store.save(tiles)
        finally:
            keep()

    def check_disk(self, n: int) -> None:
        """Raise an error unless the distances of n objects fit on the disk, if there is a cache.

        A distance takes one byte if all are whole numbers (counts of edits), else eight.
        """
        files, members = self.store.files, self.members
        if files is not None:
            width = 1 if are_whole(members.metric) else 8
            pairs = n * (n + 1) // 2 if self.symmetric else n * n
            saved = files.size({members.name(block) for block in range(members.blocks())})
            files.check_free_space(max(0, width * pairs - saved))


def agrees(members: Members, folder: str, key: Key, distances: NDArray[Any]) -> bool:
    """Measure some distances of a tile again that another process, or an earlier one, has measured.

    Which ones depends on the tile alone. Of a symmetric metric every other one is measured the
    other way round.

    False if the tile has distances of objects that are not there; a distance that is another one is
    an error (`StaleCache`).
    """
    metric, symmetric = members.metric, members.metric.is_symmetric
    rows, columns = (members.indices_of(block) for block in key)
    known = distances != MISSING[distances.dtype]
    if symmetric and key[0] == key[1]:
        known = np.triu(known, 1)
    if known[len(rows) :].any() or known[:, len(columns) :].any():
        return False
    places = np.flatnonzero(known)
    tried = (
        places[np.unique((np.arange(1, TRIED + 1) * _GOLDEN % 1 * len(places)).astype(np.intp))]
        if len(places)
        else places
    )
    tolerance = SAME * float(distances.max(where=known, initial=0))
    for number, (i, j) in enumerate(zip(*np.unravel_index(tried, distances.shape), strict=True)):
        left, right = int(rows[i]), int(columns[j])
        one, other = members.prepared_at(left), members.prepared_at(right)
        pair = (other, one) if symmetric and number % 2 else (one, other)
        stored, measured = float(distances[i, j]), float(metric.block(*pair)[0, 0])
        rounding = sum(float(metric.distance_errors(each).absolute[0]) for each in pair)
        if abs(stored - measured) > tolerance + rounding:
            raise StaleCache(
                f"The distance of objects {left} and {right} of the space is stored as "
                f"{stored:.6g}, and {metric.name!r} now measures {measured:.6g}.",
                advice="It depends on more than its code and the values that it names (files, "
                "random numbers, compiled code, the order of the two), or workers have another "
                f"version of it. Delete {folder!r}, or choose {setting('cache', None)}.",
                witness=(left, right),
                value=(stored, measured),
            )
    return True


class _Slot(NamedTuple):
    """A part of a result, and where its distances are stored: ``rows`` and ``columns`` of the tile
    ``key``.
    """

    key: Key
    rows: slice | Indices
    columns: slice | Indices
    part: Distances


def _slot(row: BlockPart, column: BlockPart, part: Distances, below: bool) -> _Slot:
    """Return the slot of a part of a result; ``below`` the diagonal it is the transpose of a part
    of the mirrored tile.
    """
    if below:
        return _Slot((column.block, row.block), column.local, row.local, part.T)
    return _Slot((row.block, column.block), row.local, column.local, part)


def _read(slots: list[_Slot], tiles: Mapping[Key, Tile]) -> bool:
    """Read all parts from their tiles; return whether any distance is missing."""
    missing = [tiles[slot.key].read(slot.rows, slot.columns, slot.part) for slot in slots]
    return any(missing)


def _write(slots: list[_Slot], tiles: Mapping[Key, Tile]) -> None:
    for slot in slots:
        tiles[slot.key].write(slot.rows, slot.columns, slot.part)


@dataclass(frozen=True)
class Side:
    """The objects on one side of a request, sorted and without repetition.

    Examples
    --------
    >>> side = Side.from_request(np.array([7, 3, 7]))
    >>> side.objects, side.order, side.ranks
    (array([3, 7]), array([1, 0, 2]), array([0, 1, 1]))
    """

    #: Their indices, ascending.
    objects: Indices
    #: Positions of the request, such that ``request[order]`` ascends. None if the request was like
    #: ``objects`` already.
    order: Indices | None = None
    #: ``request[order[k]]`` is ``objects[ranks[k]]``.
    ranks: Indices | None = None

    @classmethod
    def from_request(cls, indices: Indices) -> "Side":
        """Sort the indices of a request, which may come in any order and with repetitions."""
        if np.all(indices[1:] > indices[:-1]):
            return cls(indices)
        order = np.argsort(indices, kind="stable")
        objects, ranks = np.unique(indices[order], return_inverse=True)
        return cls(objects, order, ranks.astype(np.intp))

    def positions(self, start: int, stop: int) -> tuple[slice | Indices, slice | Indices]:
        """Return where the objects from ``start`` to ``stop - 1`` stand in the request.

        Returns the positions of the request that hold one of these objects, and which of them each
        holds, counted from ``start``.
        """
        if self.order is None or self.ranks is None:
            return slice(start, stop), slice(None)
        first, last = np.searchsorted(self.ranks, [start, stop])
        return self.order[first:last], self.ranks[first:last] - start
