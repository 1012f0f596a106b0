"""Prepared samples of weighted sets, flat arrays of elements and weights, and the distances between
them.

Weighted sets, graphs (their subtrees, counted) and texts (their words or n-grams, counted) are
prepared like this.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from wideberth.metrics.containers import check_starts, taken
from wideberth.metrics.elements import Elements
from wideberth.metrics.metric import Distances
from wideberth.metrics.sets.kernels import euclidean_of_sets, l1_of_sets, ruzicka_of_sets
from wideberth.objects.digests import Digests
from wideberth.objects.disguises import multiset_digests

#: In double precision, or in single precision for whole numbers that are exact there.
Weights = NDArray[np.floating[Any]]

#: The largest sum of the weights of a set, so that the sum of two sets stays finite.
MAX_TOTAL = float(np.finfo(np.float64).max / 4)


@dataclass(frozen=True, eq=False)
class Multisets:
    """A prepared sample of n weighted sets.

    The elements of a set are different, its weights positive and finite, and ``totals`` has their
    sum. ``columns`` is the number of columns if elements are column numbers, otherwise None.

    Set i has the elements at ``numbers[starts[i]:starts[i + 1]]`` with the weights
    ``weights[starts[i]:starts[i + 1]]``.
    """

    elements: Elements
    numbers: NDArray[np.uint32]
    weights: Weights
    starts: NDArray[np.int64]
    totals: Weights
    columns: int | None

    @classmethod
    def collect(
        cls,
        owners: NDArray[np.int64],
        elements: Elements,
        numbers: NDArray[Any],
        weights: Weights,
        count: int,
        columns: int | None = None,
    ) -> Self:
        """Make ``count`` sets from entries in any order: set ``owners[e]`` gets the element
        ``numbers[e]`` with ``weights[e]``.

        Weights of entries with the same set and element are added; entries of weight 0 are dropped.
        ``columns`` is stored. The elements of each set ascend.

        >>> elements, numbers = Elements.of_texts(["tea"])
        >>> two = Multisets.collect(
        ...     np.array([1, 0, 1]),
        ...     elements,
        ...     numbers[[0, 0, 0]],
        ...     np.array([2.0, 1.0, 3.0]),
        ...     count=2,
        ... )
        >>> two.weights, two.totals
        (array([1., 5.]), array([1., 5.]))
        """
        present = weights != 0
        owners, weights = owners[present].astype(np.int64), weights[present]
        size = max(1, len(elements))
        entries, entry_of = np.unique(owners * size + numbers[present], return_inverse=True)
        owners, numbers = np.divmod(entries, size)
        weights = np.bincount(entry_of, weights, minlength=len(entries)).astype(np.float64)
        starts = np.searchsorted(owners, np.arange(count + 1)).astype(np.int64)
        # in the order in which a kernel adds
        totals = np.bincount(owners, weights, minlength=count).astype(np.float64)
        return cls(elements, numbers.astype(np.uint32), weights, starts, totals, columns)

    @classmethod
    def none(cls, elements: Elements) -> Self:
        """No sets at all."""
        nothing = np.empty(0, dtype=np.int64)
        return cls.collect(nothing, elements, nothing, nothing.astype(np.float64), 0)

    def __len__(self) -> int:
        return len(self.starts) - 1

    def digests(self) -> Digests:
        """A digest of each set by the keys of its elements and their rounded weights, in any order.

        Other elements of the same keys have the same digest: sets are then recognised that were not
        there, none is missed.
        """
        return multiset_digests(
            self.elements.keys[self.numbers],
            self.weights.astype(np.float64, copy=False),
            self.starts,
        )

    def take(self, indices: Any) -> Self:
        """Return the sets at ``indices``; those of a slice share the memory of this sample. See
        `Prepared.take`.
        """
        entries, starts = taken(self.starts, indices)
        return type(self)(
            self.elements,
            self.numbers[entries],
            self.weights[entries],
            starts,
            self.totals[indices],
            self.columns,
        )

    def numbered_like(self, other: "Multisets") -> NDArray[np.uint32]:
        """Return the elements in the numbers of another sample, ``len(other.elements)`` for those
        that it does not have.
        """
        if self.elements is other.elements:
            return self.numbers
        few = len(self.numbers) < len(self.elements)  # of a sample from which some sets were taken
        places, known = self.elements.places_in(other.elements, self.numbers if few else None)
        numbers = np.where(known, places, len(other.elements)).astype(np.uint32)
        return numbers if few else numbers[self.numbers]

    def plain(self) -> dict[str, Any]:
        """Return the elements that occur, numbers, weights, starts and columns; see
        `Prepared.plain`.
        """
        used, numbers = np.unique(self.numbers, return_inverse=True)
        return {
            "elements": self.elements.only(used.astype(np.int64)).plain(),
            "numbers": numbers.reshape(-1).astype(np.uint32),
            "weights": self.weights,
            "starts": self.starts,
            "columns": self.columns,
        }

    @classmethod
    def from_plain(cls, plain: dict[str, Any]) -> Any:
        """Make the sample from the values of a file, or raise a `ValueError`; see
        `Prepared.from_plain`.
        """
        match plain:
            case {
                "elements": written,
                "numbers": numbers,
                "weights": weights,
                "starts": starts,
                "columns": None | int() as columns,
            }:
                elements = Elements.from_plain(written)
                check_starts(numbers, starts, "iu")
                check_starts(weights, starts, "f")
                if len(numbers) and not 0 <= numbers.min() <= numbers.max() < len(elements):
                    raise ValueError(f"there are {len(elements)} elements, and others have weights")
                if columns is not None and not elements.are_numbers_below(columns):
                    raise ValueError(f"there are {columns} columns, and others have weights")
                owners = np.repeat(np.arange(len(starts) - 1), np.diff(starts.astype(np.int64)))
                numbered = numbers.astype(np.int64)
                sets = cls.collect(
                    owners, elements, numbered, weights.astype(np.float64), len(starts) - 1, columns
                )
                if not (np.all(weights > 0) and np.all(sets.totals <= MAX_TOTAL)):
                    raise ValueError("weights are positive numbers, with finite sums")
                return sets
        raise ValueError("elements, numbers, weights and starts of weighted sets are needed")


def ruzicka_between(left: Multisets, right: Multisets) -> Distances:
    """Return the Ruzicka distances between two samples of weighted sets: shape (len(left),
    len(right)).

    >>> tea, rum = (
    ...     Multisets.collect(
    ...         np.zeros(2, int), *Elements.of_numbers(np.array(numbers)), np.array([2.0, 1.0]), 1
    ...     )
    ...     for numbers in ([3, 5], [5, 8])
    ... )
    >>> ruzicka_between(tea, rum)  # 1 in common, 5 in all
    array([[0.8]])
    """
    return _by_kernel(ruzicka_of_sets, left, right)


def l1_between(left: Multisets, right: Multisets) -> Distances:
    """Return the sums of absolute differences of weights between two samples of weighted sets:
    shape (len(left), len(right)).

    >>> tea, rum = (
    ...     Multisets.collect(
    ...         np.zeros(2, int), *Elements.of_numbers(np.array(numbers)), np.array([2.0, 1.0]), 1
    ...     )
    ...     for numbers in ([3, 5], [5, 8])
    ... )
    >>> l1_between(tea, rum)  # 2 of one, 1 of another, and 1 of the element in common
    array([[4.]])
    """
    return _by_kernel(l1_of_sets, left, right)


def euclidean_between(left: Multisets, right: Multisets) -> Distances:
    """Return the Euclidean distances between the weights of two samples of weighted sets: shape
    (len(left), len(right)).

    The elements of each set have to be in the order of their numbers.

    >>> tea, rum = (
    ...     Multisets.collect(
    ...         np.zeros(2, int), *Elements.of_numbers(np.array(numbers)), np.array([2.0, 1.0]), 1
    ...     )
    ...     for numbers in ([3, 5], [5, 8])
    ... )
    >>> euclidean_between(tea, rum)  # the root of 4 + 1 + 1
    array([[2.44948974]])
    """
    out = np.empty((len(left), len(right)))
    left_ranks = left.elements.ranks_beside(right.elements, left.numbers)
    right_ranks = 2 * right.numbers.astype(np.int64) + 1
    left_weights, right_weights = (
        each.weights.astype(np.float64, copy=False) for each in (left, right)
    )
    euclidean_of_sets(
        left_ranks, left_weights, left.starts, right_ranks, right_weights, right.starts, out
    )
    return out


def _by_kernel(kernel: Callable[..., None], left: Multisets, right: Multisets) -> Distances:
    """Fill a block by a kernel, with the elements of the left sample in the numbers of the right
    one.
    """
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
        len(right.elements) + 1,
        out,
    )
    return out
