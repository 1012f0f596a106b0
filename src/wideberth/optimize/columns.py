"""Linear programs on distances through the few columns that matter: what they solve for, and which columns to generate next."""

from copy import copy
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from wideberth.arrays import Floats, Indices
from wideberth.rounding import SOLVER_ERROR, SUM_ERROR

#: The most columns that may join at once: a simplex method that has to satisfy many new rows wanders.
_MOST_AT_ONCE = 100
#: Entries of columns fetched at once, at most.
_MOST_ENTRIES = 2**23
#: Violated columns looked at for each one that may join.
_CANDIDATES = 2
#: Rows with a smaller share of entries than this are hardly alike.
_SPARSE = 0.5
#: HiGHS leaves out entries of this size.
_VANISHING = SOLVER_ERROR
#: Multipliers that change by less, relative to the largest, count as unchanged.
_UNCHANGED = 1e-13
#: Coefficients smaller than this, relative to the largest, are rounding.
_NO_COEFFICIENT = SUM_ERROR
#: Objects at which columns are compared, evenly spread over the sample.
_COMPARED = 500
#: How much of its excess a column loses that is a multiple of one chosen before: not all, because the guess is not exact.
_EXCESS_LOST = 0.9
#: A column is chosen only while its excess is at least this share of the largest.
_LEAST_EXCESS = 0.1
#: What is left of a column, relative to its square, that is nothing but rounding.
_USED_UP = SOLVER_ERROR


class Columns(Protocol):
    """The columns of a program: functions c_k of the training objects x_j, too many to hold all of them.

    `wideberth.classifiers.lp_machine.columns.RadialColumns` is one.
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


class SparseRows(NamedTuple):
    """Rows of a matrix as HiGHS takes them."""

    starts: NDArray[np.int32]
    columns: NDArray[np.int32]
    values: Floats


class GeneratedColumns:
    r"""Columns :math:`c_k` that a program has been given so far, shifted and scaled to be well-conditioned rows of its dual.

    The row of column k is :math:`y_j (c_k(x_j) - o_k) / s`. Since :math:`y'a = 0` holds in the dual, the shift :math:`o_k`
    changes nothing there, and moves into the intercept; it is a value that the column takes, its median, so that whole
    numbers stay whole and many entries vanish. s is the scale of the columns: without it, HiGHS calls points optimal that are
    not.
    """

    def __init__(self, columns: Columns, signs: Floats) -> None:
        self.scale = columns.scale
        self.indices = np.empty(0, dtype=np.intp)
        self._columns, self._signs = columns, signs
        self._shifts = np.empty(0)
        self._blocks: list[Floats] = []
        self._entries = 0  # of all rows, without those that vanish

    def __len__(self) -> int:
        return len(self.indices)

    def add(self, indices: Indices) -> SparseRows:
        """Fetch more columns; their rows."""
        return self._take(indices, self._columns.columns(indices))

    def add_violated(self, prices: Floats, limit: float, most: int | None = None) -> SparseRows | None:
        """Fetch up to ``most`` of the columns whose price is above ``limit``, by default the more the more there are; their rows.

        None if there are none. Most of many are alike, so that few are taken (see `unlike_columns`); of almost empty rows,
        as narrow radial functions make them, so many that they cost as much.
        """
        size = np.abs(prices)
        size[self.indices] = 0.0
        found = np.flatnonzero(size > limit)
        if not len(found):
            return None
        n, density = self._columns.n_rows, self._density()
        usual = int(min(_MOST_AT_ONCE, 20 + len(self) // 3) / density) if most is None else most
        at_once = min(usual, max(20, _MOST_ENTRIES // n))
        found = found[np.argsort(-size[found], kind="stable")[: at_once if density < _SPARSE else _CANDIDATES * at_once]]
        block = self._columns.columns(found)
        if len(found) <= at_once:
            return self._take(found, block)
        chosen = unlike_columns(block, np.sign(prices[found]), size[found] - limit, at_once)
        return self._take(found[chosen], block[:, chosen])

    def copied(self) -> Self:
        """The same columns, to be changed on their own."""
        twin = copy(self)
        twin._blocks = list(self._blocks)
        return twin

    def keep(self, places: Indices) -> None:
        """Drop all columns but those at some places."""
        block = np.hstack(self._blocks)[:, places]
        self._entries = self._entries * len(places) // len(self)
        self.indices, self._shifts, self._blocks = self.indices[places], self._shifts[places], [block]

    def rows(self) -> SparseRows:
        """The rows of all columns."""
        return _sparse(self.with_signs()[:-1])

    def with_signs(self) -> Floats:
        """The rows of all columns, one below the other, and the signs below them."""
        table, start = np.empty((len(self) + 1, len(self._signs))), 0
        for block in self._blocks:
            stop = start + block.shape[1]
            table[start:stop] = self._scaled(block, self._shifts[start:stop])
            start = stop
        table[-1] = self._signs
        return table

    def function(self, coefficients: Floats, intercept: float) -> tuple[Coefficients, float, Floats]:
        """Of coefficients of the rows: those of the columns, the intercept, and what the columns add up to at the objects."""
        coefficients = coefficients / self.scale
        coefficients[np.abs(coefficients) <= _NO_COEFFICIENT * np.abs(coefficients).max(initial=0.0)] = 0.0
        intercept -= float(coefficients @ self._shifts)
        sums = np.zeros(len(self._signs))
        start = 0
        for block in self._blocks:
            part = coefficients[start : start + block.shape[1]]
            if part.any():
                sums += block @ part
            start += block.shape[1]
        used = np.flatnonzero(coefficients)
        used = used[np.argsort(self.indices[used])]
        return Coefficients(self.indices[used], coefficients[used]), intercept, sums

    def _scaled(self, block: Floats, shifts: Floats) -> Floats:
        """The rows of some columns."""
        return ((block - shifts) * (self._signs / self.scale)[:, None]).T

    def _take(self, indices: Indices, block: Floats) -> SparseRows:
        middle = len(block) // 2
        shifts = np.partition(block, middle, axis=0)[middle]
        self.indices = np.concatenate([self.indices, indices])
        self._shifts = np.concatenate([self._shifts, shifts])
        self._blocks.append(block)
        rows = _sparse(self._scaled(block, shifts))
        self._entries += len(rows.values)
        return rows

    def _density(self) -> float:
        """The share of the entries of the rows that does not vanish; 1 while there are none."""
        return self._entries / (self._columns.n_rows * len(self)) if self._entries else 1.0


def _sparse(rows: Floats) -> SparseRows:
    places = [np.flatnonzero(np.abs(row) > _VANISHING).astype(np.int32) for row in rows]
    starts = np.cumsum([0, *(len(each) for each in places[:-1])], dtype=np.int32)
    values = np.concatenate([row[each] for row, each in zip(rows, places, strict=True)])
    return SparseRows(starts, np.concatenate(places), values)


def unlike_columns(block: Floats, signs: Floats, excess: Floats, count: int) -> Indices:
    r"""Up to ``count`` of the columns of a block, of large ``excess`` and unlike each other.

    Satisfying one violated column changes the prices of all that are like it. So each choice takes from the excess of the others
    what a step along it would, by orthogonal projection:
    :math:`e_k \gets e_k - 0.9\, e_p \langle c_k, c_p \rangle / \langle c_p, c_p \rangle`, with the columns centred, each times
    the sign of its price, and made orthogonal to those chosen. Near-equal columns, as from neighbours, would make the
    program several times as large and gain nothing.

    >>> unlike_columns(np.array([[0.0, 0.1, 2.0], [1.0, 1.0, 1.0], [2.0, 2.0, 2.0]]), np.ones(3), np.array([1.0, 0.9, 0.5]), 2)
    array([0, 2])
    """
    rows = np.linspace(0, len(block) - 1, min(len(block), _COMPARED)).astype(np.intp)
    left = block[rows] * signs
    left -= left.mean(axis=0)
    squares = np.einsum("ij,ij->j", left, left)
    excess, least = excess.copy(), _LEAST_EXCESS * excess.max()
    chosen: list[int] = []
    while len(chosen) < count:
        best = int(excess.argmax())
        if excess[best] <= least:
            break
        chosen.append(best)
        column, gain = left[:, best].copy(), excess[best]
        if column @ column > _USED_UP * squares[best]:
            along = (column @ left) / (column @ column)
            excess -= _EXCESS_LOST * gain * along
            left -= np.outer(column, along)
        excess[best] = -np.inf
    return np.array(chosen, dtype=np.intp)


class RunningPrices:
    r"""The prices :math:`\sum_j a_j y_j c_k(x_j)` of all columns at the multipliers of the last call, kept up to date.

    Only objects whose multiplier has changed are priced. The old multipliers may first be multiplied by a common factor: another
    C changes all that are at their bounds in proportion.
    """

    def __init__(self, columns: Columns, signs: Floats) -> None:
        self._columns, self._signs = columns, signs
        self._multipliers = np.zeros(columns.n_rows)
        self._prices = np.zeros(columns.n_columns)

    @property
    def latest(self) -> Floats:
        """The prices of the last call; do not write into them."""
        return self._prices

    def settled(self, multipliers: Floats) -> Floats:
        """These multipliers without changes that are mere rounding."""
        largest = multipliers.max(initial=0.0)
        before = self._multipliers.max(initial=0.0)
        factors = {0.0, 1.0} | ({float(largest / before)} if before > 0 else set())
        changed = {factor: np.abs(multipliers - factor * self._multipliers) > _UNCHANGED * largest for factor in sorted(factors)}
        best = min(changed, key=lambda factor: np.count_nonzero(changed[factor]))
        if best != 1.0:
            self._multipliers, self._prices = best * self._multipliers, best * self._prices
        return np.where(changed[best], multipliers, self._multipliers)

    def at(self, multipliers: Floats) -> Floats:
        """The prices at these multipliers; do not write into them."""
        change = multipliers - self._multipliers
        if change.any():
            self._prices = self._prices + self._columns.price(change * self._signs)
            self._multipliers = multipliers
        return self._prices
