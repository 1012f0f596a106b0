r"""Linear programs of large-margin functions, and the generation of their columns: those used so
far, their prices, and which to add next.

A program is over functions :math:`f = \sum_k \beta_k c_k + b` of a training sample, with the norm
:math:`|\beta|_1` and one column :math:`c_k` for each reference object and radial function: too many
for memory. Its dual has one multiplier :math:`a_j` for each object, of label :math:`y_j`, -1 or 1.
The *price* of column k is :math:`\sum_j a_j y_j c_k(x_j)`; a column whose absolute price is above a
limit is *violated* and has to be added. In the dual program a column is a row, so that the dual
simplex method continues from its last basis.
"""

import math
from copy import copy
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from wideberth.array_types import Flags, Floats, Indices
from wideberth.optimize.highs import INFINITY, Basis, BasisStatus
from wideberth.optimize.simplex import empty_program, solved
from wideberth.optimize.solution import Solution
from wideberth.rounding import SOLVER_ERROR, SUM_ERROR

#: The most columns that are added at once: with many new rows the simplex method needs many
#: detours.
_MOST_AT_ONCE = 100
#: Entries of columns fetched at once, at most.
_MOST_ENTRIES = 2**23
#: Violated columns that are compared for each one that may be added.
_CANDIDATES = 2
#: Rows with a smaller share of nonzero entries than this are hardly similar, and are not compared.
_SPARSE = 0.5
#: HiGHS drops entries that are not larger than this.
_VANISHING = SOLVER_ERROR
#: Multipliers that change by less, relative to the largest, count as unchanged.
_UNCHANGED = 1e-13
#: Coefficients smaller than this, relative to the largest, are rounding.
_NO_COEFFICIENT = SUM_ERROR
#: Objects at which columns are compared, evenly spread over the sample.
_COMPARED = 500
#: The share of its excess that a column loses if it is a multiple of one chosen before; not all,
#: because this is an estimate.
_EXCESS_LOST = 0.9
#: A column is chosen only while its excess is at least this share of the largest.
_LEAST_EXCESS = 0.1
#: A squared norm below this share of the original one is nothing but rounding.
_USED_UP = SOLVER_ERROR


class Columns(Protocol):
    """The interface of the columns of a program: functions c_k of the training objects x_j,
    computed when they are needed.

    `wideberth.classifiers.lp_machine.problem.RadialColumns` implements it.
    """

    @property
    def n_rows(self) -> int:
        """The number of training objects."""

    @property
    def n_columns(self) -> int:
        """The number of columns, k = 0 ... n_columns - 1."""

    @property
    def scale(self) -> float:
        """A typical size of their values, positive: a unit for distances."""

    def columns(self, indices: Any) -> Floats:
        """The values c_k(x_j) of some columns, shape (n_rows, len(indices))."""

    def price(self, values: Floats) -> Floats:
        """The sum of values[j] c_k(x_j) over j for every column k, shape (n_columns,); objects with
        value 0 cost no time.
        """


class Coefficients(NamedTuple):
    """The coefficients that are not 0: ``values[i]`` is that of column ``indices[i]``; the indices
    increase.
    """

    indices: Indices
    values: Floats


@dataclass(frozen=True, eq=False)
class DistancePoint:
    """A function sum_k beta_k c_k + b, and the dual multipliers that prove how good it is."""

    #: The beta_k, in the unit 1 / c_k: for distances 1 / length.
    coefficients: Coefficients
    #: b, without a unit.
    intercept: float
    #: a_j for each training object, in the unit of the coefficients, shape (n_rows,).
    multipliers: Floats

    @property
    def norm(self) -> float:
        """The sum of the absolute coefficients. If the columns are 1-Lipschitz, it is a Lipschitz
        constant of the function.
        """
        return float(np.abs(self.coefficients.values).sum())


def constant(value: float, multipliers: Floats) -> DistancePoint:
    """The function that is ``value`` everywhere: no column has a coefficient."""
    return DistancePoint(Coefficients(np.empty(0, dtype=np.intp), np.empty(0)), value, multipliers)


class SparseRows(NamedTuple):
    """Rows of a matrix without their zeros, as HiGHS takes them: row i begins at ``starts[i]`` of
    ``columns`` and ``values``.
    """

    starts: NDArray[np.int32]
    columns: NDArray[np.int32]
    values: Floats


class GeneratedColumns:
    r"""The columns that a program has so far, shifted and scaled to be well-conditioned rows of its
    dual.

    The row of column k is :math:`y_j (c_k(x_j) - o_k) / s`. Since :math:`y'a = 0` holds in the
    dual, the shift :math:`o_k` changes nothing there, and moves into the intercept. It is the
    median of the column, a value that the column takes, so that whole numbers stay whole and many
    entries are 0. s is the scale of the columns; without it, the absolute tolerances of HiGHS would
    accept points that are not optimal. ``len`` is the number of columns.
    """

    def __init__(self, columns: Columns, signs: Floats) -> None:
        self.scale = columns.scale
        self.indices = np.empty(0, dtype=np.intp)
        self._columns, self._signs = columns, signs
        self._shifts = np.empty(0)
        self._blocks: list[Floats] = []
        self._entries = 0  # nonzero entries of all rows

    def __len__(self) -> int:
        return len(self.indices)

    def add(self, indices: Indices) -> SparseRows:
        """Add columns; returns their rows."""
        return self._take(indices, self._columns.columns(indices))

    def add_violated(
        self, prices: Floats, limit: float, most: int | None = None
    ) -> SparseRows | None:
        """Add some of the columns whose absolute price is above ``limit``; returns their rows, or
        None if there are none.

        Many violated columns are similar to each other, so few and dissimilar ones are chosen
        (`unlike_columns`). Sparse rows, as those of narrow radial functions, are not compared; more
        of them are added, with as many nonzero entries altogether.

        By default at most 20 and a third of the columns so far, up to 100, divided by the density
        of the rows.
        """
        size = np.abs(prices)
        size[self.indices] = 0.0
        found = np.flatnonzero(size > limit)
        if not len(found):
            return None
        n, density = self._columns.n_rows, self._density()
        usual = int(min(_MOST_AT_ONCE, 20 + len(self) // 3) / density) if most is None else most
        at_once = min(usual, max(20, _MOST_ENTRIES // n))
        found = found[
            np.argsort(-size[found], kind="stable")[
                : at_once if density < _SPARSE else _CANDIDATES * at_once
            ]
        ]
        block = self._columns.columns(found)
        if len(found) <= at_once:
            return self._take(found, block)
        chosen = unlike_columns(block, np.sign(prices[found]), size[found] - limit, at_once)
        return self._take(found[chosen], block[:, chosen])

    def copied(self) -> Self:
        """A copy that can be changed independently; the values of the columns are shared."""
        duplicate = copy(self)
        duplicate._blocks = list(self._blocks)
        return duplicate

    def keep(self, places: Indices) -> None:
        """Drop all columns except those at these places in ``indices``."""
        block = np.hstack(self._blocks)[:, places]
        self._entries = self._entries * len(places) // len(self)
        self.indices, self._shifts, self._blocks = (
            self.indices[places],
            self._shifts[places],
            [block],
        )

    def rows(self) -> SparseRows:
        """The rows of all columns, sparse."""
        return _sparse(self.with_signs()[:-1])

    def with_signs(self) -> Floats:
        """A dense matrix of shape (len + 1, n_rows): the rows of all columns, and the signs as the
        last row.
        """
        table, start = np.empty((len(self) + 1, len(self._signs))), 0
        for block in self._blocks:
            stop = start + block.shape[1]
            table[start:stop] = self._scaled(block, self._shifts[start:stop])
            start = stop
        table[-1] = self._signs
        return table

    def function(
        self, coefficients: Floats, intercept: float
    ) -> tuple[Coefficients, float, Floats]:
        """Translate coefficients and intercept of the shifted and scaled rows into those of the
        columns themselves.

        Returns the coefficients, without those that are rounding, the intercept, and the values of
        the function at the objects without the intercept, shape (n_rows,).
        """
        coefficients = coefficients / self.scale
        coefficients[
            np.abs(coefficients) <= _NO_COEFFICIENT * np.abs(coefficients).max(initial=0.0)
        ] = 0.0
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

    def shifted(self, coefficients: Floats, intercept: float) -> Floats:
        """The reverse of `function` for coefficients of all columns; the intercept comes last."""
        return np.append(coefficients * self.scale, intercept + float(coefficients @ self._shifts))

    def _scaled(self, block: Floats, shifts: Floats) -> Floats:
        """The rows of a block of columns, dense."""
        return ((block - shifts) * (self._signs / self.scale)[:, None]).T

    def _take(self, indices: Indices, block: Floats) -> SparseRows:
        """Add columns whose values are known; returns their rows."""
        middle = len(block) // 2
        shifts = np.partition(block, middle, axis=0)[middle]
        self.indices = np.concatenate([self.indices, indices])
        self._shifts = np.concatenate([self._shifts, shifts])
        self._blocks.append(block)
        rows = _sparse(self._scaled(block, shifts))
        self._entries += len(rows.values)
        return rows

    def _density(self) -> float:
        """The share of the entries of the rows that are not 0; 1 while there are none."""
        return self._entries / (self._columns.n_rows * len(self)) if self._entries else 1.0


def _sparse(rows: Floats) -> SparseRows:
    """The entries of dense rows that HiGHS would not drop."""
    columns = [np.flatnonzero(np.abs(row) > _VANISHING).astype(np.int32) for row in rows]
    starts = np.cumsum([0, *map(len, columns[:-1])], dtype=np.int32)
    values = np.concatenate([row[nonzero] for row, nonzero in zip(rows, columns, strict=True)])
    return SparseRows(starts, np.concatenate(columns), values)


def unlike_columns(block: Floats, signs: Floats, excess: Floats, count: int) -> Indices:
    r"""Choose columns of large excess that are dissimilar to each other.

    A step that satisfies one violated column also lowers the prices of all similar ones. So the
    choice is greedy: the column p with the largest excess is chosen, and the excess of the others
    is reduced by what a step along it would change, by orthogonal projection: :math:`e_k \gets e_k
    - 0.9\, e_p \langle c_k, c_p \rangle / \langle c_p, c_p \rangle`, with the columns centred,
    times the sign of their price, and made orthogonal to those chosen. Nearly equal columns, as
    from neighbouring objects, would make the program several times as large and gain nothing.

    Fewer than ``count`` if the excess of the others falls below a tenth of the largest. Positions
    in the block, in the order in which they were chosen; columns are compared at 500 objects at
    most.

    Examples
    --------
    >>> unlike_columns(
    ...     np.array([[0.0, 0.1, 2.0], [1.0, 1.0, 1.0], [2.0, 2.0, 2.0]]),
    ...     np.ones(3),
    ...     np.array([1.0, 0.9, 0.5]),
    ...     2,
    ... )
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
    r"""The prices :math:`\sum_j a_j y_j c_k(x_j)` of all columns, updated from the multipliers of
    the last call.

    Only objects whose multiplier has changed are priced again. The old multipliers may first be
    multiplied by a common factor, because another C changes all that are at their bounds in
    proportion.
    """

    def __init__(self, columns: Columns, signs: Floats) -> None:
        self._columns, self._signs = columns, signs
        self._multipliers = np.zeros(columns.n_rows)
        self._prices = np.zeros(columns.n_columns)

    def begin(self, multipliers: Floats, prices: Floats) -> None:
        """Start from multipliers whose prices are known."""
        self._multipliers, self._prices = multipliers, prices

    @property
    def multipliers(self) -> Floats:
        """The last multipliers. Read only: the array is not a copy."""
        return self._multipliers

    @property
    def latest(self) -> Floats:
        """The prices at the last multipliers. Read only: the array is not a copy."""
        return self._prices

    def settled(self, multipliers: Floats) -> Floats:
        """These multipliers, except that those that differ from the last ones only by rounding keep
        their last value.

        Tried are the last multipliers themselves, all 0, and a multiple of the last ones; what
        leaves the fewest changes is used.
        """
        largest = multipliers.max(initial=0.0)
        before = self._multipliers.max(initial=0.0)
        factors = {0.0, 1.0} | ({float(largest / before)} if before > 0 else set())
        changed = {
            factor: np.abs(multipliers - factor * self._multipliers) > _UNCHANGED * largest
            for factor in sorted(factors)
        }
        best = min(changed, key=lambda factor: np.count_nonzero(changed[factor]))
        if best != 1.0:
            self._multipliers, self._prices = best * self._multipliers, best * self._prices
        return np.where(changed[best], multipliers, self._multipliers)

    def at(self, multipliers: Floats) -> Floats:
        """The prices at these multipliers, shape (n_columns,). Read only: the array is not a
        copy.
        """
        change = multipliers - self._multipliers
        if change.any():
            self._prices = self._prices + self._columns.price(change * self._signs)
            self._multipliers = multipliers
        return self._prices


# ---- The dual programs, in one multiplier for each object, and the hard margin solved through them

#: The status of HiGHS for -1, 0 and 1 in a `Guess`: at the lower bound, between the bounds, at the
#: upper bound; and the reverse.
_STATUS = np.array(
    [
        BasisStatus.kLower,
        BasisStatus.kBasic,
        BasisStatus.kUpper,
    ]
)
_PLACES = {BasisStatus.kBasic: 0, BasisStatus.kUpper: 1}
#: A margin below this share of the scale of the columns counts as none.
MARGIN_FLOOR = SOLVER_ERROR


@dataclass(frozen=True, eq=False)
class DualVertex:
    """An optimal vertex of a program with the rows that it has so far."""

    #: The dual variable a of each object, shape (n,).
    multipliers: Floats
    #: The primal coefficient of each row, for the scaled rows of `GeneratedColumns`, shape (rows,).
    coefficients: Floats
    #: The primal intercept, for the shifted rows.
    intercept: float


class Guess(NamedTuple):
    """A basis to start from: what is at its lower bound (-1), at its upper bound (1), or between
    them (0).
    """

    #: For the multipliers, shape (n,).
    objects: NDArray[np.int8]
    #: For the rows, without the row y'a = 0, shape (rows,).
    rows: NDArray[np.int8]


class SoftProgram:
    r"""The dual of the soft margin: maximise :math:`\sum_j a_j` subject to :math:`0 \leq a_j \leq
    u_j`, :math:`y'a = 0` and
    :math:`-1 \leq r'a \leq 1` for all rows r.

    :math:`u_j` is the price of the slack of object j. New rows, and other upper bounds, leave the
    last basis dual feasible, so that the dual simplex method continues from there.

    Objects may be tied: those with the same number in ``groups``, which is -1 for all others, have
    multipliers of the same share of their bounds, and take the time and the memory of one. The
    program is feasible whatever is tied.

    Examples
    --------
    Two objects of different labels at 0 and 4; the one row is the coordinate times the label:

    >>> program = SoftProgram(np.array([-1.0, 1.0]))
    >>> program.set_upper(np.array([5.0, 5.0]))
    >>> program.add(SparseRows(np.array([0], np.int32), np.array([1], np.int32), np.array([4.0])))
    >>> vertex = program.solve(deadline=math.inf)
    >>> vertex.multipliers, vertex.coefficients, vertex.intercept  # f(x) = x / 2 - 1
    (array([0.25, 0.25]), array([0.5]), -1.0)
    """

    def __init__(
        self, signs: Floats, groups: Indices | None = None, upper: Floats | None = None
    ) -> None:
        """``upper`` are the bounds that `set_upper` will set, if some objects are tied."""
        n = len(signs)
        if groups is None or upper is None:
            groups, upper = np.full(n, -1), np.ones(n)
        free = groups < 0
        self._n_free = int(np.count_nonzero(free))
        # the multiplier of an object is the variable at its place times its unit
        self._places = np.where(free, np.cumsum(free) - 1, self._n_free + groups)
        self._units = np.where(free, 1.0, upper)
        self._free, count = free, self._n_free + int(groups.max(initial=-1)) + 1
        self._tying: csr_array | None = None
        if not free.all():
            self._tying = csr_array((self._units, self._places, np.arange(n + 1)), (n, count))
        self._variables = np.arange(count, dtype=np.int32)
        self._highs = empty_program()
        self._highs.addVars(count, np.zeros(count), np.zeros(count))
        self._highs.changeColsCost(count, self._variables, -self._tied(np.ones(n)))
        self._highs.addRow(0.0, 0.0, count, self._variables, self._tied(signs))

    def _tied(self, values: Floats) -> Floats:
        """The coefficients of the variables from those of the multipliers."""
        return values if self._tying is None else values @ self._tying

    def set_upper(self, upper: Floats) -> None:
        """Set the upper bounds u of the multipliers, shape (n,)."""
        bounds = np.ones(len(self._variables))
        bounds[: self._n_free] = upper[self._free]
        self._highs.changeColsBounds(len(bounds), self._variables, np.zeros(len(bounds)), bounds)

    def add(self, rows: SparseRows) -> None:
        """Add the rows r of new columns."""
        count = len(rows.starts)
        if self._tying is not None:
            ends = np.append(rows.starts, len(rows.values))
            shape = count, self._tying.shape[0]
            tied = csr_array((rows.values, rows.columns, ends), shape) @ self._tying
            rows = SparseRows(tied.indptr[:-1], tied.indices, tied.data)
        ends = np.ones(count)
        self._highs.addRows(count, -ends, ends, len(rows.values), *rows)

    def basis(self) -> Guess:
        """The basis of the last optimum; objects that are tied are at one of their bounds."""
        found = self._highs.getBasis()
        variables, rows = (
            np.array([_PLACES.get(status, -1) for status in part], np.int8)
            for part in (found.col_status, found.row_status[1:])
        )
        objects = variables[self._places]
        return Guess(np.where(self._free | (objects != 0), objects, 1).astype(np.int8), rows)

    def begin(self, guess: Guess) -> None:
        """Let the next `solve` start from a guessed basis. HiGHS completes or corrects a guess that
        is not a basis.
        """
        basis = Basis()
        variables = np.empty(len(self._variables), dtype=np.int8)
        variables[: self._n_free] = guess.objects[self._free]
        # of a group as of the most
        tied = ~self._free
        leaning = np.bincount(self._places[tied], guess.objects[tied], len(variables))
        variables[self._n_free :] = np.where(leaning > 0, 1, -1)[self._n_free :]
        basis.col_status = _STATUS[variables + 1].tolist()
        basis.row_status = [BasisStatus.kLower, *_STATUS[guess.rows + 1]]
        basis.valid = True
        # too many or too few basic ones
        basis.alien = np.count_nonzero(variables == 0) != np.count_nonzero(guess.rows) + 1
        self._highs.setBasis(basis)

    def solve(self, deadline: float) -> DualVertex | None:
        """The optimum of the rows so far, or None if it is not found before ``deadline``, a time of
        ``time.monotonic``.
        """
        if not solved(self._highs, deadline):
            return None
        found = self._highs.getSolution()
        duals = -np.array(found.row_dual)
        multipliers = self._units * np.array(found.col_value)[self._places]
        return DualVertex(multipliers, duals[1:], float(duals[0]))


class MarginProgram:
    r"""The dual of the hard margin: minimise t subject to :math:`a \geq 0`, :math:`\sum_j a_j = 1`,
    :math:`y'a = 0` and
    :math:`-t \leq r'a \leq t` for all rows r.

    The minimum is the largest margin :math:`\min_j y_j f(x_j)` of the functions of the rows with
    :math:`|\beta|_1 \leq 1`. It is always feasible if both signs are among the active objects.

    Examples
    --------
    Two objects at 0 and 4 of different labels: with a slope of at most 1 the margin is 2.

    >>> program = MarginProgram(np.array([-1.0, 1.0]), np.array([True, True]))
    >>> program.add(SparseRows(np.array([0], np.int32), np.array([1], np.int32), np.array([4.0])))
    >>> vertex = program.solve(deadline=math.inf)
    >>> vertex.multipliers, vertex.coefficients, vertex.intercept  # f(x) = x - 2
    (array([0.5, 0.5]), array([1.]), -2.0)
    """

    def __init__(self, signs: Floats, active: Flags) -> None:
        n = self._n = len(signs)
        self._highs = empty_program()
        self._highs.addVars(
            n + 1, np.zeros(n + 1), np.where(np.append(active, True), INFINITY, 0.0)
        )
        self._highs.changeColCost(n, 1.0)
        objects = np.arange(n, dtype=np.int32)
        self._highs.addRow(0.0, 0.0, n, objects, signs)
        self._highs.addRow(1.0, 1.0, n, objects, np.ones(n))

    def add(self, rows: SparseRows) -> None:
        """Add rows, each as two: r'a - t <= 0 and r'a + t >= 0."""
        ends = np.append(rows.starts[1:], len(rows.values))
        for start, end in zip(rows.starts, ends, strict=True):
            columns = np.append(rows.columns[start:end], np.int32(self._n))
            for sign, lower, upper in (
                (-1.0, -INFINITY, 0.0),
                (1.0, 0.0, INFINITY),
            ):
                self._highs.addRow(
                    lower, upper, len(columns), columns, np.append(rows.values[start:end], sign)
                )

    def solve(self, deadline: float) -> DualVertex | None:
        """The optimum of the rows so far, or None if it is not found before ``deadline``, a time of
        ``time.monotonic``.
        """
        if not solved(self._highs, deadline):
            return None
        found = self._highs.getSolution()
        duals = -np.array(found.row_dual)
        return DualVertex(
            np.array(found.col_value)[: self._n],
            duals[2:].reshape(-1, 2).sum(axis=1),
            float(duals[0]),
        )


def widest_margin(
    columns: Columns,
    signs: Floats,
    active: Flags,
    start: Indices,
    *,
    tol: float,
    deadline: float = math.inf,
) -> Solution:
    r"""The hard margin: minimise :math:`|\beta|_1` with :math:`y_j (\sum_k \beta_k c_k(x_j) + b)
    \geq 1` for all active objects.

    The equivalent program of the largest margin t among functions with :math:`|\beta|_1 \leq 1` is
    always feasible; its dual is to minimise the largest price :math:`t = \max_k |\sum_j a_j y_j
    c_k(x_j)|` over :math:`a \geq 0` with
    :math:`\sum_j a_j = 1` and :math:`y'a = 0`. A margin of t is a norm of 1 / t.

    ``point`` is a `DistancePoint`, ``value`` its norm. If no function separates the classes, the
    status is "infeasible", the value is infinite, and the multipliers prove it (the largest price
    is 0). Only the ``active`` objects count, with both signs among them; after the ``deadline``, a
    time of ``time.monotonic``, the best solution so far is returned.

    Examples
    --------
    Two objects 4 apart, and the distances to them as columns: the slope is at least 1/2 for values
    of -1 and 1.

    >>> from types import SimpleNamespace
    >>> table = np.array([[0.0, 4.0], [4.0, 0.0]])
    >>> columns = SimpleNamespace(
    ...     n_rows=2,
    ...     n_columns=2,
    ...     scale=4.0,
    ...     columns=lambda k: table[:, k],
    ...     price=lambda v: v @ table,
    ... )
    >>> found = widest_margin(
    ...     columns, np.array([-1.0, 1.0]), np.array([True, True]), np.array([0]), tol=1e-6
    ... )
    >>> found.value, found.status
    (0.5, 'optimal')
    """
    program = MarginProgram(signs, active)
    generated = GeneratedColumns(columns, signs)
    prices = RunningPrices(columns, signs)
    if len(start):
        program.add(generated.add(start))
    point, value, lower = constant(0.0, np.zeros(len(signs))), math.inf, 0.0
    while True:
        vertex = program.solve(deadline)
        if vertex is None:
            return Solution(point, value, lower, "stopped at max_time")
        multipliers = _halves(prices.settled(np.maximum(vertex.multipliers, 0.0)), signs)
        priced = prices.at(multipliers)
        largest = float(np.abs(priced).max(initial=0.0))
        if largest <= MARGIN_FLOOR * generated.scale:
            return Solution(constant(0.0, multipliers), math.inf, math.inf, "infeasible")
        if 1.0 / largest > lower:
            lower = 1.0 / largest
            point = DistancePoint(point.coefficients, point.intercept, multipliers / largest)
        coefficients, _, sums = generated.function(vertex.coefficients, vertex.intercept)
        widest = hardened(coefficients, sums, signs, active, generated.scale)
        if widest is not None and widest.norm < value:
            point, value = (
                DistancePoint(widest.coefficients, widest.intercept, point.multipliers),
                widest.norm,
            )
        if lower >= (1.0 - tol) * value:
            return Solution(point, value, lower, "optimal")
        limit = float(np.abs(priced[generated.indices]).max(initial=0.0))
        rows = generated.add_violated(priced, limit * (1.0 + SOLVER_ERROR))
        if rows is None:
            return Solution(point, value, lower, "stopped at rounding")
        program.add(rows)


def hardened(
    coefficients: Coefficients, sums: Floats, signs: Floats, active: Flags, scale: float
) -> DistancePoint | None:
    """Shift a function to the middle of its margin and scale it so that the margin is 1.

    ``sums`` are the values of the function without an intercept: next to a large intercept,
    rounding would hide a small margin. None if the function does not separate the active objects;
    the multipliers are 0.

    Examples
    --------
    >>> found = hardened(
    ...     Coefficients(np.array([4]), np.array([1.0])),
    ...     np.array([1.0, 5.0, 9.0]),
    ...     np.array([-1.0, 1.0, 1.0]),
    ...     np.full(3, True),
    ...     1.0,
    ... )
    >>> found.coefficients.values, found.intercept
    (array([0.5]), -1.5)
    """
    lowest = float(sums[active & (signs > 0)].min())
    highest = float(sums[active & (signs < 0)].max())
    margin, middle = 0.5 * (lowest - highest), 0.5 * (lowest + highest)
    if margin <= MARGIN_FLOOR * scale * float(np.abs(coefficients.values).sum()):
        return None
    scaled = Coefficients(coefficients.indices, coefficients.values / margin)
    return DistancePoint(scaled, -middle / margin, np.zeros(len(signs)))


def _halves(multipliers: Floats, signs: Floats) -> Floats:
    """The multipliers scaled so that those of either sign add up to one half; then a is
    feasible.
    """
    sums = np.where(signs > 0, multipliers @ (signs > 0), multipliers @ (signs < 0))
    return 0.5 * multipliers / sums
