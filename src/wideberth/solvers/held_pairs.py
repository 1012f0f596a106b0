"""As many of the closest pairs as fit the memory, from a stream of all of them."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

Ends = NDArray[np.int32]
Floats = NDArray[np.float64]


@dataclass(eq=False)
class HeldPairs:
    """All pairs closer than the largest of the ``thresholds`` below which there are at most ``capacity`` of them.

    ``n_held`` counts the thresholds whose pairs are held.

    >>> held = HeldPairs(np.array([2.0, 5.0]), capacity=2)
    >>> held.add([([0, 1], [2, 3], [1.0, 4.0]), ([4, 5], [6, 7], [3.0, 0.5])])
    >>> held.n_held, held.sorted()
    (1, (array([5, 0], dtype=int32), array([7, 2], dtype=int32), array([0.5, 1. ])))
    """

    thresholds: Floats  # increasing
    capacity: int
    n_held: int = field(init=False)

    def __post_init__(self) -> None:
        self.n_held = len(self.thresholds)
        self._counts = np.zeros(len(self.thresholds), dtype=np.int64)  # of pairs first met by each threshold
        self._parts: list[tuple[Ends, Ends, Floats]] = []
        self._size = 0

    def add(self, stream: Iterable[Any]) -> None:
        """Take in (first, second, distances), part by part."""
        for first, second, distances in stream:
            met = np.searchsorted(self.thresholds, distances, side="right")
            self._counts += np.bincount(met, minlength=len(self.thresholds) + 1)[: len(self.thresholds)]
            self.n_held = min(self.n_held, int((np.cumsum(self._counts) <= self.capacity).sum()))
            kept = met < self.n_held
            ends = np.asarray(first, dtype=np.int32), np.asarray(second, dtype=np.int32)
            self._parts.append((ends[0][kept], ends[1][kept], np.asarray(distances, dtype=np.float64)[kept]))
            self._size += int(kept.sum())
            if self._size > self.capacity:
                self._cut()

    def sorted(self) -> tuple[Ends, Ends, Floats]:
        """The pairs held, by increasing distance; they are given away."""
        self._cut()
        first, second, distances = self._join()
        order = np.argsort(distances, kind="stable")
        return first[order], second[order], distances[order]

    def _cut(self) -> None:
        limit = self.thresholds[self.n_held - 1] if self.n_held else -np.inf
        for position, (first, second, distances) in enumerate(self._parts):
            kept = distances < limit
            if not kept.all():
                self._parts[position] = first[kept], second[kept], distances[kept]
        self._size = sum(len(part[2]) for part in self._parts)

    def _join(self) -> tuple[Ends, Ends, Floats]:
        none = np.empty(0, dtype=np.int32)
        first = np.concatenate([none, *(part[0] for part in self._parts)])
        second = np.concatenate([none, *(part[1] for part in self._parts)])
        distances = np.concatenate([np.empty(0), *(part[2] for part in self._parts)])
        self._parts.clear()
        return first, second, distances
