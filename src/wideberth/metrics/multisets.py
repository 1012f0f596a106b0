"""Weighted sets in flat arrays: what Ruzicka's distance is measured on, whatever the sets were made of."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from wideberth.metrics.prepared import check_starts, taken

Keys = NDArray[np.int64]
Weights = NDArray[np.float64]

#: What the weights of one set may sum up to: those of two must stay finite.
HEAVIEST = float(np.finfo(np.float64).max / 4)


@dataclass(frozen=True, eq=False)
class Multisets:
    """Elements with weights: set i holds ``keys[numbers[starts[i]:starts[i + 1]]]`` with ``weights[starts[i]:starts[i + 1]]``.

    A key means the same element in every sample; ``keys`` are all different, in increasing order, and so are the numbers of each
    set. Weights are positive and finite, and ``totals`` are their sums, set by set. ``columns`` says of how many columns the keys
    are the numbers; it is None where they are the keys of tokens (`wideberth.metrics.token_keys`).
    """

    keys: Keys
    numbers: NDArray[np.uint32]
    weights: Weights
    starts: NDArray[np.int64]
    totals: Weights
    columns: int | None

    @classmethod
    def collect(cls, owners: NDArray[np.int64], keys: Keys, weights: Weights, count: int, columns: int | None = None) -> Self:
        """``count`` sets out of entries in any order: set ``owners[e]`` holds ``keys[e]`` with ``weights[e]``.

        Entries of one set with one key are added up; entries of weight zero do not count.

        >>> two = Multisets.collect(np.array([1, 0, 1]), np.array([7, 7, 7]), np.array([2.0, 1.0, 3.0]), count=2)
        >>> two.weights, two.totals
        (array([1., 5.]), array([1., 5.]))
        """
        present = weights != 0
        owners, weights = owners[present], weights[present]
        distinct, numbers = np.unique(keys[present], return_inverse=True)
        entries, entry_of = np.unique(owners * max(1, len(distinct)) + numbers, return_inverse=True)
        owners, numbers = np.divmod(entries, max(1, len(distinct)))
        weights = np.bincount(entry_of, weights, minlength=len(entries)).astype(np.float64)
        starts = np.searchsorted(owners, np.arange(count + 1)).astype(np.int64)
        totals = np.bincount(owners, weights, minlength=count).astype(np.float64)  # in the order in which a kernel adds
        return cls(distinct, numbers.astype(np.uint32), weights, starts, totals, columns)

    def __len__(self) -> int:
        return len(self.starts) - 1

    def take(self, indices: Any) -> Self:
        """The sets at ``indices``; neighbouring ones, from a slice, share the memory of this sample."""
        entries, starts = taken(self.starts, indices)
        return type(self)(self.keys, self.numbers[entries], self.weights[entries], starts, self.totals[indices], self.columns)

    def numbered_like(self, other: "Multisets") -> NDArray[np.uint32]:
        """The elements in the numbers of another sample; ``len(other.keys)`` for those that it does not know."""
        if self.keys is other.keys:
            return self.numbers
        keys = self.keys[self.numbers]
        numbers = np.searchsorted(other.keys, keys)
        known = numbers < len(other.keys)
        known[known] = other.keys[numbers[known]] == keys[known]
        return np.where(known, numbers, len(other.keys)).astype(np.uint32)

    def plain(self) -> dict[str, Any]:
        """See `wideberth.metrics.prepared.Prepared`."""
        return {"keys": self.keys[self.numbers], "weights": self.weights, "starts": self.starts, "columns": self.columns}

    @classmethod
    def from_plain(cls, plain: dict[str, Any]) -> Any:
        """The sets, checked."""
        match plain:
            case {"keys": keys, "weights": weights, "starts": starts, "columns": None | int() as columns}:
                check_starts(keys, starts, "i")
                check_starts(weights, starts, "f")
                if columns is not None and not np.all((keys >= 0) & (keys < columns)):
                    raise ValueError(f"there are {columns} columns, and others have weights")
                owners = np.repeat(np.arange(len(starts) - 1), np.diff(starts.astype(np.int64)))
                sets = cls.collect(owners, keys.astype(np.int64), weights.astype(np.float64), len(starts) - 1, columns)
                if not (np.all(weights > 0) and np.all(sets.totals <= HEAVIEST)):
                    raise ValueError("weights are positive numbers, with finite sums")
                return sets
        raise ValueError("keys, weights and starts of weighted sets are needed")
