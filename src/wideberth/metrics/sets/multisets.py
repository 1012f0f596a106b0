"""Prepared samples of weighted sets, flat arrays of keys and weights, and the distances between them.

Weighted sets, graphs (their subtrees, counted) and texts (their words or n-grams, counted) are prepared like this.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from wideberth.metrics.containers import check_starts, taken
from wideberth.metrics.metric import Distances
from wideberth.metrics.sets.kernels import euclidean_of_sets, l1_of_sets, ruzicka_of_sets
from wideberth.objects.digests import Digests
from wideberth.objects.near_copy_digests import multiset_digests

Keys = NDArray[np.int64]
#: In double precision, or in single precision for whole numbers that are exact there.
Weights = NDArray[np.floating[Any]]

#: The largest sum of the weights of a set, so that the sum of two sets stays finite.
MAX_TOTAL = float(np.finfo(np.float64).max / 4)


@dataclass(frozen=True, eq=False)
class Multisets:
    """A prepared sample of n weighted sets.

    Set i has the elements ``keys[numbers[starts[i]:starts[i + 1]]]`` with the weights ``weights[starts[i]:starts[i + 1]]``.

    Attributes
    ----------
    keys : ndarray of int64
        The elements that occur, ascending. A key means the same element in every sample: it is a column number, or the key of a
        token (`wideberth.metrics.numbering`).
    numbers : ndarray of uint32
        Positions in ``keys``, ascending within each set.
    weights : ndarray
        Positive and finite.
    starts : ndarray of int64 of shape (n + 1,)
        Where each set begins.
    totals : ndarray of shape (n,)
        The sum of the weights of each set.
    columns : int or None
        The number of columns if keys are column numbers; None if they are keys of tokens.
    """

    keys: Keys
    numbers: NDArray[np.uint32]
    weights: Weights
    starts: NDArray[np.int64]
    totals: Weights
    columns: int | None

    @classmethod
    def collect(cls, owners: NDArray[np.int64], keys: Keys, weights: Weights, count: int, columns: int | None = None) -> Self:
        """Make ``count`` sets from entries in any order: set ``owners[e]`` gets the key ``keys[e]`` with ``weights[e]``.

        Weights of entries with the same set and key are added; entries of weight 0 are dropped. ``columns`` is stored.

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

    def digests(self) -> Digests:
        """A digest of each set by its elements and their rounded weights, in any order."""
        return multiset_digests(self.keys[self.numbers], self.weights.astype(np.float64, copy=False), self.starts)

    def take(self, indices: Any) -> Self:
        """Return the sets at ``indices``; those of a slice share the memory of this sample. See `Prepared.take`."""
        entries, starts = taken(self.starts, indices)
        return type(self)(self.keys, self.numbers[entries], self.weights[entries], starts, self.totals[indices], self.columns)

    def numbered_like(self, other: "Multisets") -> NDArray[np.uint32]:
        """Return the elements in the numbers of another sample, ``len(other.keys)`` for those that it does not have."""
        if self.keys is other.keys:
            return self.numbers
        keys = self.keys[self.numbers]
        numbers = np.searchsorted(other.keys, keys)
        known = numbers < len(other.keys)
        known[known] = other.keys[numbers[known]] == keys[known]
        return np.where(known, numbers, len(other.keys)).astype(np.uint32)

    def plain(self) -> dict[str, Any]:
        """Return keys, weights, starts and columns; see `Prepared.plain`."""
        return {"keys": self.keys[self.numbers], "weights": self.weights, "starts": self.starts, "columns": self.columns}

    @classmethod
    def from_plain(cls, plain: dict[str, Any]) -> Any:
        """Make the sample from the values of a file, or raise a `ValueError`; see `Prepared.from_plain`."""
        match plain:
            case {"keys": keys, "weights": weights, "starts": starts, "columns": None | int() as columns}:
                check_starts(keys, starts, "i")
                check_starts(weights, starts, "f")
                if columns is not None and not np.all((keys >= 0) & (keys < columns)):
                    raise ValueError(f"there are {columns} columns, and others have weights")
                owners = np.repeat(np.arange(len(starts) - 1), np.diff(starts.astype(np.int64)))
                sets = cls.collect(owners, keys.astype(np.int64), weights.astype(np.float64), len(starts) - 1, columns)
                if not (np.all(weights > 0) and np.all(sets.totals <= MAX_TOTAL)):
                    raise ValueError("weights are positive numbers, with finite sums")
                return sets
        raise ValueError("keys, weights and starts of weighted sets are needed")


def ruzicka_between(left: Multisets, right: Multisets) -> Distances:
    """Return the Ruzicka distances between two samples of weighted sets: shape (len(left), len(right)).

    >>> tea, rum = (Multisets.collect(np.zeros(2, int), np.array(keys), np.array([2.0, 1.0]), 1) for keys in ([3, 5], [5, 8]))
    >>> ruzicka_between(tea, rum)  # 1 in common, 5 in all
    array([[0.8]])
    """
    return _by_kernel(ruzicka_of_sets, left, right)


def l1_between(left: Multisets, right: Multisets) -> Distances:
    """Return the sums of absolute differences of weights between two samples of weighted sets: shape (len(left), len(right)).

    >>> tea, rum = (Multisets.collect(np.zeros(2, int), np.array(keys), np.array([2.0, 1.0]), 1) for keys in ([3, 5], [5, 8]))
    >>> l1_between(tea, rum)  # 2 of one, 1 of another, and 1 of the element in common
    array([[4.]])
    """
    return _by_kernel(l1_of_sets, left, right)


def euclidean_between(left: Multisets, right: Multisets) -> Distances:
    """Return the Euclidean distances between the weights of two samples of weighted sets: shape (len(left), len(right)).

    >>> tea, rum = (Multisets.collect(np.zeros(2, int), np.array(keys), np.array([2.0, 1.0]), 1) for keys in ([3, 5], [5, 8]))
    >>> euclidean_between(tea, rum)  # the root of 4 + 1 + 1
    array([[2.44948974]])
    """
    return _by_kernel(euclidean_of_sets, left, right)


def _by_kernel(kernel: Callable[..., None], left: Multisets, right: Multisets) -> Distances:
    """Fill a block by a kernel, with the elements of the left sample in the numbers of the right one."""
    out = np.empty((len(left), len(right)))
    kernel(
        left.numbered_like(right),
        left.weights,
        left.starts,
        left.totals,
        right.numbers,
        right.weights,
        right.starts,
        right.totals,
        len(right.keys) + 1,
        out,
    )
    return out
