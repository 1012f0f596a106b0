"""A set of labels for each object, with what is proved about it."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from wideberth.array_types import Flags, Floats, Indices


@dataclass(frozen=True, eq=False)
class PredictionSets:
    """A set of labels for each object, and what is proved about them. ``sets[i]`` are the labels of object i.

    Attributes
    ----------
    p_values : ndarray of shape (n, k)
        For each object and class, a conformal p-value, or a mean of them: how usual it is that other labels lead over the true
        one by so much.
    members : ndarray of bool, shape (n, k)
        Whether a class is in the set of an object: its p-value is above ``delta``.
    classes : ndarray of shape (k,)
        The labels.
    delta : float
        The share of sets that may miss, as it was asked for.
    proved : float
        The probability with which the set of a new object is proved to contain its label, over the draw of all objects:
        1 - delta, or 1 - 2 delta for "cross-conformal".
    method : {"split conformal", "cross-conformal"}
        How the sets were made.
    n_calibration : int
        The number of objects that calibrated them.
    too_few : bool
        Whether these are too few to leave out a label at ``delta``, so that all sets are full.
    assumptions : tuple of str
        Sentences that have to be true.

    Examples
    --------
    >>> values, members = np.array([[0.9, 0.02]]), np.array([[True, False]])
    >>> sets = PredictionSets(values, members, np.array(["hard", "soft"]), 0.1, 0.9, "split conformal", 50, False, ())
    >>> sets[0], sets.sizes
    (array(['hard'], dtype='<U4'), array([1]))
    """

    p_values: Floats
    members: Flags
    classes: NDArray[Any]
    delta: float
    proved: float
    method: Literal["split conformal", "cross-conformal"]
    n_calibration: int
    too_few: bool
    assumptions: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.members)

    def __getitem__(self, position: int) -> NDArray[Any]:
        labels: NDArray[Any] = self.classes[self.members[position]]
        return labels

    def __iter__(self) -> Iterator[NDArray[Any]]:
        return (self[position] for position in range(len(self)))

    @property
    def sizes(self) -> Indices:
        """The number of labels of each set, shape (n,)."""
        return np.asarray(self.members.sum(axis=1), dtype=np.intp)

    @property
    def n_empty(self) -> int:
        """The number of sets without a label: objects unlike the calibration objects of all labels."""
        return int((self.sizes == 0).sum())

    @property
    def n_full(self) -> int:
        """The number of sets with all labels, which say nothing."""
        return int((self.sizes == len(self.classes)).sum())

    def __str__(self) -> str:
        single = int((self.sizes == 1).sum())
        lines = [
            f"{len(self):,} sets of labels ({self.method}): {single:,} with one label, {self.n_empty:,} empty, {self.n_full:,} "
            f"with all {len(self.classes)}; {self.sizes.mean() if len(self) else 0:.2f} labels on average.",
            f"The label of a new object is in its set with probability {self.proved:.10g} or more.",
        ]
        if self.too_few:
            lines.append(f"{self.n_calibration:,} calibration objects are too few to leave out a label at delta={self.delta:g}.")
        return "\n".join([*lines, *(f"if: {assumption}" for assumption in self.assumptions)])
