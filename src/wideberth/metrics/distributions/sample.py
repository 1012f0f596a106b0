"""A sample of distributions over common bins: histograms, counts, compositions, normalised to mass one."""

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from wideberth.errors import InvalidInput
from wideberth.metrics.containers import for_kernels
from wideberth.metrics.vectors.minkowski import prepare_vectors

Masses = NDArray[np.float64]

#: How far from one the masses of a distribution in a file may sum: far above rounding, far below what would be felt.
_FILE_TOLERANCE = 1e-9


@dataclass(frozen=True, eq=False)
class Distributions:
    """Rows of masses that sum to one, and the coordinates in which a metric compares them.

    ``view`` says what the coordinates are: the masses themselves, or what one metric makes of them once for many blocks. A metric
    that is given the view of another starts from the masses again.
    """

    masses: Masses
    coordinates: Masses
    view: Hashable = "masses"

    def __len__(self) -> int:
        return len(self.masses)

    def __getitem__(self, index: int) -> Masses:
        """The masses of one distribution."""
        row: Masses = self.masses[index]
        return row

    def take(self, indices: Any) -> Self:
        """The distributions at ``indices``, in the same view."""
        masses = for_kernels(self.masses[indices])
        coordinates = masses if self.coordinates is self.masses else for_kernels(self.coordinates[indices])
        return type(self)(masses, coordinates, self.view)

    def seen_as(self, view: Hashable, coordinates_of: Callable[[Masses], Any]) -> Self:
        """The same distributions in the coordinates that ``coordinates_of`` makes of their masses."""
        if view == self.view:
            return self
        return type(self)(self.masses, for_kernels(coordinates_of(self.masses)), view)

    def plain(self) -> dict[str, Any]:
        """See `wideberth.metrics.containers.Prepared`."""
        return {"masses": self.masses}

    @classmethod
    def from_plain(cls, plain: dict[str, Any]) -> Any:
        """The distributions with their masses bit by bit: dividing by the sum again could change the last one."""
        masses = plain.get("masses")
        if not isinstance(masses, np.ndarray) or masses.dtype != np.float64 or masses.ndim != 2:
            raise ValueError("a table of masses is needed")
        if not np.all(masses >= 0) or not np.all(np.abs(masses.sum(axis=1) - 1) <= _FILE_TOLERANCE):
            raise ValueError("masses are not negative and sum to one")
        masses = for_kernels(masses)
        return cls(masses, masses)


def prepare_distributions(objects: Any) -> Distributions:
    """Rows of numbers that are not negative and not all zero, divided by their sums.

    >>> prepare_distributions([[1, 3], [5, 5]]).masses
    array([[0.25, 0.75],
           [0.5 , 0.5 ]])
    """
    if isinstance(objects, Distributions):
        return objects
    masses = for_kernels(normalised(prepare_vectors(objects)))
    return Distributions(masses, masses)


def normalised(rows: Masses) -> Masses:
    """The rows of finite numbers divided by their sums; a row with a negative number, or with zeros only, is refused.

    Whole numbers lose nothing: a row and its multiples become equal to the last bit, as long as their sums stay below 2^53.
    """
    negative = rows < 0
    if negative.any():
        row, column = map(int, np.argwhere(negative)[0])
        raise InvalidInput(
            f"A distribution has no negative masses: object {row} holds {rows[row, column]:g} at position {column}.",
            advice="Pass counts, weights or probabilities; for rows of any numbers choose a metric on vectors.",
            witness=(row, column),
            value=float(rows[row, column]),
        )
    peaks = rows.max(axis=1, initial=0.0)
    if not peaks.all():
        empty = int(np.argmin(peaks))
        raise InvalidInput(
            f"Object {empty} is no distribution: all its {rows.shape[1]} masses are zero.",
            advice="Leave it out, or add a small constant to all counts.",
            witness=empty,
            value=rows[empty],
        )
    with np.errstate(over="ignore"):
        totals = rows.sum(axis=1)
    if not np.isfinite(totals).all():
        return normalised(rows / peaks[:, None])
    return np.asarray(rows / totals[:, None])


def check_same_bins(left: Distributions, right: Distributions) -> None:
    """Refuse samples over different bins; an empty one fits everything."""
    if len(left) and len(right) and left.masses.shape[1] != right.masses.shape[1]:
        raise InvalidInput(
            f"Distributions over {left.masses.shape[1]} and over {right.masses.shape[1]} bins have no distance.",
            advice="Count both samples in the same bins.",
            value=(left.masses.shape[1], right.masses.shape[1]),
        )
