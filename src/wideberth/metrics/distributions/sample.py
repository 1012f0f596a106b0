"""A sample of distributions over common bins (histograms, counts, compositions), normalised to mass
one.
"""

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from wideberth.array_types import Objects
from wideberth.errors import InvalidInput
from wideberth.metrics.containers import for_kernels
from wideberth.metrics.vectors.minkowski import prepare_vectors
from wideberth.wording import at

Masses = NDArray[np.float64]

#: Examples of metrics on histograms: rows of counts, the first four of one class.
EXAMPLES = (
    *([1, 0, 0, 2], [2, 1, 0, 2], [1, 1, 0, 1], [3, 0, 1, 4]),
    *([0, 3, 1, 0], [0, 2, 2, 0], [1, 3, 1, 0], [0, 1, 1, 1]),
)

#: Tolerance for the sum of the masses of a distribution read from a file: far above rounding
#: errors, far below an effect.
_FILE_TOLERANCE = 1e-9


@dataclass(frozen=True, eq=False)
class Distributions:
    """Rows of masses that sum to one, and the coordinates in which a metric compares them.

    ``view`` identifies the transformation; ``"masses"`` if there is none.

    A metric transforms the masses once, for many blocks of distances, and stores the result as
    ``coordinates``. A metric that receives the coordinates of another one starts again from the
    masses.

    Examples
    --------
    >>> sample = prepare_distributions([[1, 3], [5, 5]])
    >>> len(sample), sample.view
    (2, 'masses')
    """

    masses: Masses
    coordinates: Masses
    view: Hashable = "masses"

    def __len__(self) -> int:
        return len(self.masses)

    def __getitem__(self, index: int) -> Masses:
        """Return the masses of one distribution."""
        row: Masses = self.masses[index]
        return row

    def take(self, indices: Any) -> Self:
        """Select the distributions at ``indices``, in the same coordinates."""
        masses = for_kernels(self.masses[indices])
        coordinates = (
            masses if self.coordinates is self.masses else for_kernels(self.coordinates[indices])
        )
        return type(self)(masses, coordinates, self.view)

    def with_coordinates(self, view: Hashable, coordinates_of: Callable[[Masses], Any]) -> Self:
        """Return the same distributions in other coordinates. A sample that has this view already
        is returned unchanged.

        Examples
        --------
        >>> prepare_distributions([[1, 3]]).with_coordinates(
        ...     "doubled", lambda masses: 2 * masses
        ... ).coordinates
        array([[0.5, 1.5]])
        """
        if view == self.view:
            return self
        return type(self)(self.masses, for_kernels(coordinates_of(self.masses)), view)

    def plain(self) -> dict[str, Any]:
        """Return what a model file stores; see `wideberth.metrics.containers.Prepared`."""
        return {"masses": self.masses}

    @classmethod
    def from_plain(cls, plain: dict[str, Any]) -> Any:
        """Restore distributions from a model file with bitwise the same masses. A `ValueError` if
        they are not a table of non-negative float64 numbers whose rows sum to one.

        They are not divided by their sums again, because that could change the last bit.
        """
        masses = plain.get("masses")
        if not isinstance(masses, np.ndarray) or masses.dtype != np.float64 or masses.ndim != 2:
            raise ValueError("a table of masses is needed")
        if not np.all(masses >= 0) or not np.all(np.abs(masses.sum(axis=1) - 1) <= _FILE_TOLERANCE):
            raise ValueError("masses are not negative and sum to one")
        masses = for_kernels(masses)
        return cls(masses, masses)


def prepare_distributions(objects: Objects) -> Distributions:
    """Check rows of numbers and divide them by their sums.

    Examples
    --------
    >>> prepare_distributions([[1, 3], [5, 5]]).masses
    array([[0.25, 0.75],
           [0.5 , 0.5 ]])
    """
    if isinstance(objects, Distributions):
        return objects
    masses = for_kernels(normalised(prepare_vectors(objects)))
    return Distributions(masses, masses)


def normalised(rows: Masses) -> Masses:
    """Divide rows of finite numbers by their sums. A row with a negative number, or only zeros, is
    refused.

    For integers the result is exact in this sense: a row and its multiples become bitwise equal, as
    long as their sums stay below 2^53. Rows whose sum overflows are divided by their largest number
    first.

    Examples
    --------
    >>> normalised(np.array([[1.0, 3.0]]))
    array([[0.25, 0.75]])
    """
    negative = rows < 0
    if negative.any():
        row, column = map(int, np.argwhere(negative)[0])
        raise InvalidInput(
            f"A distribution has no negative masses: {at('object', row)} holds "
            f"{rows[row, column]:g} at position {column}.",
            advice="Pass counts, weights or probabilities; for rows of any numbers choose a metric "
            "on vectors.",
            witness=(row, column),
            value=float(rows[row, column]),
        )
    peaks = rows.max(axis=1, initial=0.0)
    if not peaks.all():
        empty = int(np.argmin(peaks))
        raise InvalidInput(
            f"{at('Object', empty)} is not a distribution: all its {rows.shape[1]} masses are "
            "zero.",
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
    """Raise `InvalidInput` if two samples have different numbers of bins; an empty sample fits
    every other.
    """
    if len(left) and len(right) and left.masses.shape[1] != right.masses.shape[1]:
        raise InvalidInput(
            f"Distributions over {left.masses.shape[1]} and over {right.masses.shape[1]} bins have "
            "no distance.",
            advice="Count both samples in the same bins.",
            value=(left.masses.shape[1], right.masses.shape[1]),
        )
