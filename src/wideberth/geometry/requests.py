"""What a request for distances asks for: which objects, where they stand in it, and which pairs are to be measured."""

import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wideberth.geometry.members import Indices, Members, tight
from wideberth.metrics.metric import Distances, Metric
from wideberth.objects import sample


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


def rectangles(needed: NDArray[np.bool_]) -> list[tuple[Indices, Indices]]:
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


class Job(NamedTuple):
    """A rectangle to measure: where it stands among the pairs asked for, and the objects of both sides."""

    rows: slice | Indices
    columns: slice | Indices
    left: Any
    right: Any


def plan(members: Members, left: Indices, right: Indices, missing: NDArray[np.bool_], chunk_pairs: int) -> list[list[Job]]:
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
