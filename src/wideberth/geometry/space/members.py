"""The objects of a metric space, in the order of their indices.

`Members` keeps them as the user gave them and as the metric prepares them, and divides them into
the blocks that are the sides of tiles of distances.
"""

from dataclasses import dataclass
from functools import reduce
from typing import Any, NamedTuple

import numpy as np

from wideberth.array_types import Indices
from wideberth.geometry.measure.remembered_distances import as_slice
from wideberth.geometry.space.fingerprint import fingerprint
from wideberth.metrics.metric import Metric
from wideberth.objects import sample


@dataclass(frozen=True)
class Piece:
    """Consecutive objects that were prepared together.

    Attributes
    ----------
    start : int
        The index of the first one.
    held : held sample
        The objects as `wideberth.objects.sample.hold` keeps them.
    prepared : prepared sample
        The objects as ``metric.prepare`` returns them.
    """

    start: int
    held: Any
    prepared: Any

    def __len__(self) -> int:
        return sample.count(self.held)

    @property
    def stop(self) -> int:
        """The index after the last one."""
        return self.start + len(self)


class BlockPart(NamedTuple):
    """Those of a sorted list of indices that lie in one block.

    Attributes
    ----------
    block : int
        The number of the block.
    start, stop : int
        They are at positions ``start`` to ``stop - 1`` of the list.
    local : slice or ndarray of int
        Their positions within the block.
    """

    block: int
    start: int
    stop: int
    local: slice | Indices


class Members:
    """A growing sequence of objects; objects are only appended, so an index never changes its
    meaning.

    A block is a run of ``block_size`` objects, one side of a tile. The initial objects fill blocks
    of their own, the last of them perhaps smaller, and appended objects start a new block. So a
    tile between initial objects never changes, whatever is appended. When appended pieces become
    many they are joined and prepared again, so that their number stays logarithmic in the number of
    objects.

    Parameters
    ----------
    held : held sample
        The initial objects.
    metric : Metric
        Prepares the objects.
    block_size : int
        Objects in a block.

    Attributes
    ----------
    first : int
        The number of initial objects.
    pieces : tuple of Piece
        The objects in order; the first piece holds the initial ones.

    Examples
    --------
    >>> import wideberth
    >>> members = Members(
    ...     np.array([[0.0], [1.0], [5.0]]), wideberth.metric("euclidean"), block_size=2
    ... )
    >>> members.count, members.blocks(), members.block_of(np.array([0, 1, 2]))
    (3, 2, array([0, 0, 1]))
    """

    def __init__(self, held: Any, metric: Metric, block_size: int) -> None:
        self.metric, self.block_size = metric, block_size
        self.first = sample.count(held)
        self.pieces: tuple[Piece, ...] = (self._piece(0, held),)
        self._first_blocks = -(-self.first // block_size)
        self._names: dict[int, tuple[int, str]] = {}

    def prepare(self, objects: Any) -> Piece:
        """Check and prepare further objects, without appending them yet."""
        held = sample.hold(objects, rows=self.metric.accepts == "rows")
        return self._piece(
            self.count, sample.join(sample.pick(self.pieces[0].held, slice(0, 0)), held)
        )

    def append(self, piece: Piece) -> None:
        """Append the objects that `prepare` returned; nothing may have been appended in between."""
        pieces = [*self.pieces, piece]
        while len(pieces) > 2 and len(pieces[-2]) <= 2 * len(
            pieces[-1]
        ):  # the first piece is never prepared again
            pieces[-2:] = [
                self._piece(pieces[-2].start, sample.join(pieces[-2].held, pieces[-1].held))
            ]
        self.pieces = tuple(pieces)

    def _piece(self, start: int, held: Any) -> Piece:
        return Piece(start, held, self.metric.prepare(held))

    @property
    def count(self) -> int:
        """The number of objects."""
        return self.pieces[-1].stop

    @property
    def objects(self) -> Any:
        """All objects, as one held sample."""
        return reduce(sample.join, (piece.held for piece in self.pieces))

    def prepared_at(self, index: int) -> Any:
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

        Returns
        -------
        list of (start, stop, piece)
            The objects at positions ``start`` to ``stop - 1`` of ``indices`` lie in ``piece``; in
            order, without empty ranges.
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
