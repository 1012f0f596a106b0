"""What a linear program on distances is made of, and what solves it."""

from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]


class Columns(Protocol):
    """The columns of a program: functions c_k of the training objects x_j, too many to hold all of them.

    `wideberth.geometry.radial_columns.RadialColumns` is one.
    """

    @property
    def n_rows(self) -> int:
        """How many objects there are."""

    @property
    def n_columns(self) -> int:
        """How many columns there are."""

    @property
    def scale(self) -> float:
        """A usual size of their values, positive."""

    def columns(self, indices: Any) -> Floats:
        """Some of the columns, shape (n_rows, len(indices))."""

    def price(self, values: Floats) -> Floats:
        """The sum of values[j] c_k(x_j) over j for every column k; zeros among the values cost nothing."""


class Coefficients(NamedTuple):
    """The coefficients that are not 0: ``values`` of the columns ``indices``, which increase."""

    indices: Indices
    values: Floats


@dataclass(frozen=True, eq=False)
class DistancePoint:
    """A function sum_k beta_k c_k + b, and the dual multiplier a_j of every training object that proves how good it is.

    The coefficients are in the unit of 1 / c_k, for distances 1 / length; so are the multipliers.
    """

    coefficients: Coefficients
    intercept: float
    multipliers: Floats

    @property
    def norm(self) -> float:
        """The sum of the absolute coefficients: a Lipschitz constant of the function if those of all columns are at most 1."""
        return float(np.abs(self.coefficients.values).sum())


def constant(value: float, multipliers: Floats) -> DistancePoint:
    """The function that is ``value`` everywhere."""
    return DistancePoint(Coefficients(np.empty(0, dtype=np.intp), np.empty(0)), value, multipliers)
