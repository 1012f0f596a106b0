"""What labels have said: rows a with a . w >= -s, in the order in which they came."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


class Rows:
    """Unit vectors with slacks, in arrays that grow.

    >>> rows = Rows(2)
    >>> rows.add(np.array([0.0, 1.0]), slack=0.25)
    >>> rows.directions, rows.slacks, len(rows), rows.any_slack
    (array([[0., 1.]]), array([0.25]), 1, True)
    """

    def __init__(self, dimension: int) -> None:
        self._directions, self._slacks = np.empty((16, dimension)), np.empty(16)
        self._count = 0
        self.any_slack = False

    def __len__(self) -> int:
        return self._count

    @property
    def directions(self) -> Floats:
        """The rows, one a line."""
        return self._directions[: self._count]

    @property
    def slacks(self) -> Floats:
        """By how much each row may be violated."""
        return self._slacks[: self._count]

    def add(self, direction: Floats, slack: float = 0.0) -> None:
        """Remember that ``direction . w >= -slack``; the direction has length 1."""
        if self._count == len(self._slacks):
            self._directions = np.concatenate([self._directions, np.empty_like(self._directions)])
            self._slacks = np.concatenate([self._slacks, np.empty_like(self._slacks)])
        self._directions[self._count], self._slacks[self._count] = direction, slack
        self._count += 1
        self.any_slack = self.any_slack or slack > 0

    def copy(self) -> "Rows":
        """The same rows, to which others may be added."""
        return self.widened(self._directions.shape[1])

    def widened(self, dimension: int) -> "Rows":
        """The same rows in more dimensions, of which they say nothing."""
        wider = Rows(dimension)
        wider._directions = np.pad(self._directions, ((0, 0), (0, dimension - self._directions.shape[1])))
        wider._slacks, wider._count, wider.any_slack = self._slacks.copy(), self._count, self.any_slack
        return wider
