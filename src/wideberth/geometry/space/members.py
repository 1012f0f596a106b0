"""The objects of a metric space in the order of their indices: held, prepared for the metric, cut in blocks for the tiles."""

from dataclasses import dataclass
from functools import reduce
from typing import Any, NamedTuple

import numpy as np

from wideberth.arrays import Indices
from wideberth.geometry.space.fingerprint import fingerprint
from wideberth.metrics.metric import Metric
from wideberth.objects import sample


def tight(indices: Indices) -> slice | Indices:
    """Consecutive indices as a slice, which costs nothing to pick; any others as they are. They must be sorted and all different.

    >>> tight(np.array([3, 4, 5])), tight(np.array([3, 5]))
    (slice(3, 6, None), array([3, 5]))
    """
    if len(indices) and indices[-1] - indices[0] == len(indices) - 1:
        return slice(int(indices[0]), int(indices[-1]) + 1)
    return indices


@dataclass(frozen=True)
class Piece:
    """Objects from index ``start`` on that are prepared together."""

    start: int
    held: Any
    prepared: Any

    def __len__(self) -> int:
        return sample.count(self.held)

    @property
    def stop(self) -> int:
        """The index after the last one."""
        return self.start + len(self)


class Share(NamedTuple):
    """Of a list of indices, those from ``start`` to ``stop`` lie in one block, at the positions ``local`` of it."""

    block: int
    start: int
    stop: int
    local: slice | Indices


class Members:
    """Objects that only become more: an index stays what it is.

    A block is a run of ``block_size`` objects, one side of a tile. The objects given first fill blocks of their own, the last one
    perhaps smaller, and appended objects start a new one: a tile of the first objects stays what it is, whatever is appended.
    Appended pieces are joined and prepared again as they become many, so that their number stays logarithmic.
    """

    def __init__(self, held: Any, metric: Metric, block_size: int) -> None:
        self.metric, self.block_size = metric, block_size
        self.first = sample.count(held)
        self.pieces: tuple[Piece, ...] = (self._piece(0, held),)
        self._first_blocks = -(-self.first // block_size)
        self._names: dict[int, tuple[int, str]] = {}

    def prepare(self, objects: Any) -> Piece:
        """More objects, to be appended after those that are here."""
        held = sample.hold(objects, rows=self.metric.accepts == "rows")
        return self._piece(self.count, sample.join(sample.pick(self.pieces[0].held, slice(0, 0)), held))

    def append(self, piece: Piece) -> None:
        """Append what was prepared."""
        pieces = [*self.pieces, piece]
        while len(pieces) > 2 and len(pieces[-2]) <= 2 * len(pieces[-1]):  # the first piece is never prepared again
            pieces[-2:] = [self._piece(pieces[-2].start, sample.join(pieces[-2].held, pieces[-1].held))]
        self.pieces = tuple(pieces)

    def _piece(self, start: int, held: Any) -> Piece:
        return Piece(start, held, self.metric.prepare(held))

    @property
    def count(self) -> int:
        """How many objects there are."""
        return self.pieces[-1].stop

    @property
    def objects(self) -> Any:
        """All objects, as one held sample."""
        return reduce(sample.join, (piece.held for piece in self.pieces))

    def one(self, index: int) -> Any:
        """The object at ``index``, as a prepared sample."""
        ((_, _, piece),) = self.pieces_of(np.array([index]))
        return sample.pick(piece.prepared, slice(index - piece.start, index - piece.start + 1))

    def block_of(self, indices: Indices) -> Indices:
        """The number of the block of each object."""
        appended = self._first_blocks + (indices - self.first) // self.block_size
        return np.where(indices < self.first, indices // self.block_size, appended)

    def start(self, block: int) -> int:
        """The index of the first object of a block."""
        if block < self._first_blocks:
            return block * self.block_size
        return self.first + (block - self._first_blocks) * self.block_size

    def capacity(self, block: int) -> int:
        """How many objects a block has, or may come to have if objects are appended."""
        return min(self.block_size, self.first - self.start(block)) if block < self._first_blocks else self.block_size

    def blocks(self) -> int:
        """How many blocks there are."""
        return self._first_blocks - (-(self.count - self.first) // self.block_size)

    def name(self, block: int) -> str:
        """The fingerprint of the objects of a block: it changes while appended objects fill it."""
        start = self.start(block)
        size = min(self.capacity(block), self.count - start)
        if self._names.get(block, (0, ""))[0] != size:
            indices = np.arange(start, start + size)
            parts = [sample.pick(piece.held, tight(indices[a:b] - piece.start)) for a, b, piece in self.pieces_of(indices)]
            self._names[block] = size, fingerprint(reduce(sample.join, parts))
        return self._names[block][1]

    def pieces_of(self, indices: Indices) -> list[tuple[int, int, Piece]]:
        """Of sorted indices, the ranges that lie in one piece each, and the piece."""
        pieces = self.pieces
        cuts = [0, *np.searchsorted(indices, [piece.start for piece in pieces[1:]]).tolist(), len(indices)]
        return [(a, b, piece) for a, b, piece in zip(cuts, cuts[1:], pieces, strict=False) if a < b]

    def shares(self, indices: Indices) -> list[Share]:
        """Sorted indices, by the blocks that hold them."""
        if not len(indices):
            return []
        blocks = self.block_of(indices)
        cuts = np.flatnonzero(np.diff(blocks)) + 1
        ranges = zip([0, *cuts.tolist()], [*cuts.tolist(), len(indices)], strict=True)
        return [Share(int(blocks[a]), a, b, tight(indices[a:b] - self.start(int(blocks[a])))) for a, b in ranges]
