"""The linear program of an LP machine on two classes, solved through the few columns that
matter.
"""

import math
import time
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from threadpoolctl import threadpool_limits

from wideberth.array_types import Flags, Floats, Indices
from wideberth.classifiers.lp_machine import smoothed_path
from wideberth.optimize import column_generation as generation
from wideberth.optimize.solution import Solution
from wideberth.progress import doing, note
from wideberth.rounding import SOLVER_ERROR, SUM_ERROR

# ---- Column generation along the central path of an LP machine, from a smoothed function on

#: Columns take part from the start if they have a coefficient in the smoothed function, or this
#: price there; at most this many times as many as have a coefficient. If they are this share of all
#: columns, all take part.
_PROMISING, _MOST_PROMISING, _NEARLY_ALL = 0.3, 1.7, 0.85
#: The gap at which columns are first priced, and the final gap.
_FIRST, _END = 0.03, 1e-11
#: The share of all columns above which those that join are many.
_MANY = 0.1
#: As many columns may join as there are, but at least this number.
_JOIN = 100
#: Columns of this price join too, because prices still move.
_ALMOST_VIOLATED = 0.95
#: Columns with a smaller price and a smaller share of the mean coefficient are dropped as idle; at
#: the end, columns with a price below the last number and no coefficient.
_IDLE_COLUMN_PRICE, _IDLE, _IDLE_IN_THE_END = 0.6, 0.01, 0.99
#: The most steps from one goal to the next.
_MOST_STEPS = 50
#: The gap below which the point shows which bounds are active in the optimum.
_TELLING = 1e-4


class Start(NamedTuple):
    """Columns that are likely to matter, and a function of them."""

    #: The columns, in increasing order, shape (m,).
    indices: Indices
    #: Their coefficients, many of them 0, shape (m,).
    coefficients: Floats
    #: The intercept of the function.
    intercept: float
    #: Its values at the objects times their signs, shape (n,).
    margins: Floats

    @property
    def n_used(self) -> int:
        """The number of columns with a coefficient."""
        return int(np.count_nonzero(self.coefficients))


def smoothed_start(path: smoothed_path.SmoothedPath, place: int, upper: Floats) -> Start:
    """Find columns and a function to start from: those of the rounded hinge loss, which take a
    small part of the time.

    Nearly all columns that the optimum needs have a coefficient in the smoothed function, or a
    price not far from 1. The function has margins below 1, because the rounded loss is small there;
    the multiple of it with the smallest value has not.

    Examples
    --------
    >>> from wideberth.estimators.radial_expansions import Radial
    >>> from wideberth.classifiers.lp_machine.problem import RadialColumns
    >>> from wideberth.metrics.named import metric
    >>> points = np.array([[0.0], [4.0]])
    >>> columns = RadialColumns(
    ...     points, points, metric("euclidean"), [Radial("distance")], max_memory=10**6, n_jobs=1
    ... )
    >>> path = smoothed_path.SmoothedPath(
    ...     columns, np.array([[-1.0, 1.0]]), np.ones(2), max_memory=10**6
    ... )
    >>> found = smoothed_start(path, 0, np.full(2, 100.0))
    >>> (columns.columns(found.indices) @ found.coefficients + found.intercept).round(4)
    array([-1.,  1.])
    """
    smoothed = path.function(place, float(upper.sum() / path.weights.sum()))
    size, used = path.column_prices(place), smoothed.coefficients != 0
    size[used] = np.inf
    most = min(
        int(_MOST_PROMISING * np.count_nonzero(used)), int(np.count_nonzero(size > _PROMISING))
    )
    if most >= _NEARLY_ALL * len(size) and path.holds_all:
        most = len(size)
    chosen = np.argsort(-size, kind="stable")[:most]
    chosen = chosen[np.argsort(smoothed.indices[chosen])]
    multiple = _best_multiple(float(np.abs(smoothed.coefficients).sum()), smoothed.margins, upper)
    return Start(
        smoothed.indices[chosen],
        multiple * smoothed.coefficients[chosen],
        multiple * smoothed.intercept,
        multiple * smoothed.margins,
    )


def _best_multiple(norm: float, margins: Floats, upper: Floats) -> float:
    r"""The number c with the smallest :math:`c \cdot \text{norm} + \sum_j u_j \max(0, 1 - c m_j)`,
    one of :math:`1 / m_j`.

    >>> # the slope is 2 beyond 1 / 0.25
    >>> _best_multiple(1.0, np.array([0.5, 0.25, -1.0]), np.array([10.0, 10.0, 1.0]))
    4.0
    """
    first = np.argsort(-margins, kind="stable")[: np.count_nonzero(margins > 0)]
    slopes = norm - float(upper @ margins) + np.cumsum(upper[first] * margins[first])
    rising = np.flatnonzero(slopes >= 0)
    return 1.0 / float(margins[first[rising[0]]]) if len(rising) else 1.0


class CentralColumns:
    """Column generation along the central path, from columns and a function near the optimum.

    An interior point prices columns better than a vertex does, so that many may join in one round.
    Each round starts again from the function of the last one: it stays as good as it was, while the
    multipliers change much when a violated column joins.
    """

    def __init__(
        self,
        generated: generation.GeneratedColumns,
        upper: Floats,
        function: Floats,
        price: Callable[[Floats], Floats],
        *,
        violated: float,
        accept: Callable[[generation.DualVertex], bool],
        goal: float,
    ) -> None:
        self._generated, self._price, self._violated = generated, price, violated
        self._accept = accept
        self._goal = min(goal, _FIRST) if goal > 2 * smoothed_path.TILT else _END
        self._upper, self._active = upper, upper > 0
        self._barrier = self._started(function)
        self._idle_left = False

    @property
    def point(self) -> generation.DualVertex:
        """The current point, with multipliers of all objects; close to a vertex only at the end."""
        inside, multipliers = self._barrier.vertex, np.zeros(len(self._active))
        multipliers[self._active] = inside.multipliers
        return generation.DualVertex(multipliers, inside.coefficients, inside.intercept)

    def follow(self, deadline: float) -> generation.Guess | None:
        """Go to the optimum of all columns.

        Columns are priced far from the optimum as long as many of them join, then at the gap that
        may be good enough, and in the end only if no column joins any more.
        """
        goal = _FIRST
        while self._reached(goal, deadline) and goal > _END:
            point = self.point
            prices = self._price(point.multipliers)
            if self._accept(point):
                return None
            goal = self._next_goal(goal, self._join(point, prices) / len(self._generated))
        return self._guess() if self._barrier.gap <= _TELLING else None

    def _next_goal(self, goal: float, joined: float) -> float:
        """The next gap at which columns are priced, after a share ``joined`` of all columns has
        joined at the last one.
        """
        if joined > _MANY:
            return _FIRST
        return self._goal if joined > 0 or goal > self._goal else _END

    def _reached(self, goal: float, deadline: float) -> bool:
        """Take steps until the gap is at most ``goal``, and return whether it is."""
        for _ in range(_MOST_STEPS):
            if self._barrier.gap <= goal and self._barrier.missing <= 10.0 * max(goal, _TELLING):
                return True
            if time.monotonic() >= deadline or not self._barrier.step():
                break
        return False

    def _join(self, point: generation.DualVertex, prices: Floats) -> int:
        """Let violated columns join and, the first time, drop idle ones; returns how many
        joined.
        """
        before = len(self._generated)
        limit = min(_ALMOST_VIOLATED, self._violated)
        if (
            np.abs(prices).max() <= self._violated
            or self._generated.add_violated(prices, limit, most=max(_JOIN, before)) is None
        ):
            return 0
        joined = len(self._generated) - before
        coefficients = np.append(point.coefficients, np.zeros(joined))
        if not self._idle_left:  # only once, because they may join again and again
            self._idle_left = True
            size = np.abs(point.coefficients)
            busy = (np.abs(self._barrier.prices) > _IDLE_COLUMN_PRICE) | (
                size > _IDLE * size.mean()
            )
            kept = np.flatnonzero(np.append(busy, np.full(joined, True)))
            self._generated.keep(kept)
            coefficients = coefficients[kept]
        self._barrier = self._started(np.append(coefficients, point.intercept))
        return joined

    def _started(self, function: Floats) -> smoothed_path.Barrier:
        """A barrier over the current columns and the objects that may have a multiplier, started
        from a function.
        """
        rows, active = self._generated.with_signs(), self._active
        return smoothed_path.Barrier(
            rows if active.all() else rows[:, active], self._upper[active], function
        )

    def _guess(self) -> generation.Guess:
        """The guess of the barrier for all objects; columns that are not needed for it are
        dropped.
        """
        guess = self._barrier.guess()
        kept = np.flatnonzero((guess.rows != 0) | (np.abs(self._barrier.prices) > _IDLE_IN_THE_END))
        self._generated.keep(kept)
        objects = np.full(len(self._active), -1, dtype=np.int8)
        objects[self._active] = guess.objects
        return generation.Guess(objects, guess.rows[kept])


#: The prices of slack, in multiples of the critical price, at which a hard margin is searched for.
_HARD_PRICES = (100.0, 3e3, 1e5)
#: At the next C idle columns are dropped if there are this many times as many columns as in use,
#: plus this number; columns with a price above the last number stay.
_MOSTLY_IDLE, _IDLE_AT_LEAST, _IDLE_PRICE = 2, 20, 0.99
#: From this number of columns on a smoothed function is worth its time as a start, and compiling
#: it, once.
_WORTH_SMOOTHING = 300
#: With this number of columns in use, and this many times as many violated ones, an interior-point
#: method is faster.
_DENSE, _MORE_TO_COME = 64, 3
#: The share of the tolerance that is left to the generated columns; the rest is for all other
#: columns, and for dropping coefficients.
_SHARE_OF_GENERATED = 0.25
#: A simplex method of more entries than this is dropped after use; its basis stays. It takes some
#: hundred bytes an entry.
_LARGE = 2**16
#: Of many objects, so many or this part of them are free in the simplex method, the others tied.
_FREE_OBJECTS, _FREE_SHARE = 1500, 10
#: About how many groups the others are tied in.
_GROUPS = 300
#: How often violated columns join a smoothed function of many columns where not all are held.
_JOINING = 3
#: Bytes for the columns of smoothed functions that a program does not share.
_HELD = 2**28


class DistanceProgram:
    r"""Minimise :math:`|\beta|_1 + \sum_j C w_j \xi_j` subject to
    :math:`y_j (\sum_k \beta_k c_k(x_j) + b) \geq 1 - \xi_j` and :math:`\xi \geq 0`.

    This is the linear-programming machine of Graepel et al. (1999), for distances to the training
    objects the one of Hein, Bousquet & Schoelkopf (2005, section 3.2), for radial functions of them
    that of von Luxburg & Bousquet (2004, section 5.3). Its dual is to maximise :math:`\sum_j a_j`
    subject to :math:`0 \leq a_j \leq C w_j`, :math:`y'a = 0` and :math:`|\sum_j a_j y_j c_k(x_j)|
    \leq 1` for every column k. The columns are rows there, and are generated: the most violated
    ones join, and the dual simplex method continues from its last basis. Of many columns, those of
    a smoothed function (`wideberth.classifiers.lp_machine.smoothed_path`) are there from the start.
    Where the optimum needs many, an interior-point method starts from that function
    (`wideberth.classifiers.lp_machine.smoothed_path`). It ends at a point whose gap is proved to be
    at most ``tol``, without the coefficients that this gap can spare; if ``tol`` is too small for
    that (below about 1e-4), the simplex method starts at the vertex that it points to, and ends at
    an exact one.

    Where a smoothed function holds some of the columns only, these are priced first; only if none of
    them is violated are all columns priced, and a lower bound is proved from all alone. Of many
    objects those far from the margin are tied in groups while the simplex method is at work.

    No bound relies on the accuracy of the solver. Its multipliers are clipped to their bounds,
    balanced, and divided by the largest price of any column: that is feasible in the dual, and a
    lower bound. Its coefficients give the value of the function they make.

    Solving again with another C continues from the last solution; ascending C is cheapest.

    Examples
    --------
    >>> from wideberth.estimators.radial_expansions import Radial
    >>> from wideberth.classifiers.lp_machine.problem import RadialColumns
    >>> from wideberth.metrics.named import metric
    >>> points = np.array([[0.0], [1.0], [3.0], [4.0]])
    >>> columns = RadialColumns(
    ...     points, points, metric("euclidean"), [Radial("distance")], max_memory=10**6, n_jobs=1
    ... )
    >>> program = DistanceProgram(columns, np.array([-1.0, -1.0, 1.0, 1.0]), np.ones(4), tol=1e-6)
    >>> found = program.solve(100.0)
    >>> found.value, found.status  # d(x, 0) - 2: the margin between 1 and 3 is 1
    (1.0, 'optimal')
    """

    def __init__(
        self,
        columns: generation.Columns,
        signs: Floats,
        weights: Floats,
        *,
        tol: float = 1e-6,
        smoothed: tuple[smoothed_path.SmoothedPath, int] | None = None,
    ) -> None:
        self._columns = columns
        self._signs = np.asarray(signs, dtype=np.float64)
        self._weights = weights
        self.tol = tol
        self._smoothed = smoothed or (
            smoothed_path.SmoothedPath(columns, self._signs[None, :], weights, max_memory=_HELD),
            0,
        )
        self._balanced = smoothed_path.balanced_weights(self._signs, weights)
        self._balanced_sums: Floats | None = None
        self._prices = generation.RunningPrices(columns, self._signs)
        self._generated = generation.GeneratedColumns(columns, self._signs)
        self._program: generation.SoftProgram | None = (
            None  # none while the simplex method has not seen the generated columns
        )
        self._vertex: generation.DualVertex | None = None
        self._basis: generation.Guess | None = None  # that of a simplex method that was dropped
        self._sides = _Sides(self._signs)

    @property
    def critical_price(self) -> float:
        """The unit of C, see the function of this name; the prices that it computes are those with
        which solving starts.
        """
        return smoothed_path.critical_price_of(
            self._sums_at_balance, self._balanced, self._columns.scale
        )

    @property
    def _sums_at_balance(self) -> Floats:
        """The prices of all columns at balanced weights."""
        if self._balanced_sums is None:
            self._balanced_sums = self._prices.at(self._balanced)
        return self._balanced_sums

    def first_multipliers(self, C: float, *, deadline: float = math.inf) -> Floats:
        """Multipliers not far from the optimum for one value of C, from the held columns alone.

        C is in units of the critical price, which is not known before all columns were priced;
        that of the held columns takes its place. `begin` takes the prices of all columns there;
        few objects are left then whose multipliers are not those of the optimum.
        """
        path, place = self._smoothed
        upper = min(C, _HARD_PRICES[0]) * path.critical_prices[place] * self._weights
        start = smoothed_start(path, place, upper)
        if not start.n_used:
            return smoothed_path.balanced_weights(self._signs, upper)
        if start.n_used >= _DENSE:
            return self._feasible(path.multipliers(place), upper)
        self._generated.add(start.indices[start.coefficients != 0])
        self._sides.decide(start.margins)
        while True:
            vertex = self._next_vertex(upper, deadline)
            if vertex is None:
                return smoothed_path.balanced_weights(self._signs, upper)
            multipliers = self._feasible(vertex.multipliers / self._columns.scale, upper)
            prices = self._prices_of_held(multipliers)
            rows = None if prices is None else self._generated.add_violated(prices, 1.0)
            if rows is None:
                self._set_aside()
                return multipliers
            self._add(rows)

    @property
    def holds_all(self) -> bool:
        """Whether the values of all columns are held in memory."""
        return self._smoothed[0].holds_all

    def begin(self, balanced_sums: Floats, multipliers: Floats, sums: Floats) -> None:
        """Take the prices of all columns at balanced weights, and at some multipliers near which the
        optimum is (`first_multipliers`).
        """
        self._balanced_sums = balanced_sums
        self._prices.begin(multipliers, sums)

    def solve(self, C: float, *, deadline: float = math.inf) -> Solution:
        """Solve the program for one value of C."""
        return self._solve(C * self._weights, deadline)

    def hard_margin(self, *, deadline: float = math.inf) -> Solution:
        r"""Minimise :math:`|\beta|_1` subject to :math:`y_j (\sum_k \beta_k c_k(x_j) + b) \geq 1`
        for all j of positive weight.

        A soft margin without any slack is a hard one. If there is slack at every price tried, the
        program of the largest margin decides. A margin below 1e-9 of the scale of the columns
        counts as none.
        """
        weighted = self._weights > 0
        unit = self.critical_price * self._weights[weighted].mean()
        for price in _HARD_PRICES:
            soft = self._solve(np.where(weighted, price * unit, 0.0), deadline)
            found = self._without_slack(soft)
            if found.relative_gap <= self.tol or soft.status == "stopped at max_time":
                return found
        return generation.widest_margin(
            self._columns,
            self._signs,
            weighted,
            self._generated.indices,
            tol=self.tol,
            deadline=deadline,
        )

    # ---- the steps of solving --------------------------------------------------------------------

    def _solve(self, upper: Floats, deadline: float) -> Solution:
        """Solve the program in which ``upper`` bounds the multipliers; these bounds are the prices
        of slack.
        """
        vertex = self._vertex
        if self._program is not None and self._sides.groups is not None:
            # the bounds of a group are those for another C
            basis = None if vertex is None else self._program.basis()
            self._restarted_simplex(self._generated, upper, basis)
        elif self._basis is not None:
            self._restarted_simplex(self._generated, upper, self._basis)
        self._vertex = vertex
        found = self._generate(upper, deadline)
        self._set_aside()
        return found

    def _set_aside(self) -> None:
        """Drop a large simplex method: of several programs that are solved in turns, only one needs
        its memory.
        """
        if self._program is None or self._vertex is None:  # no basis to keep
            return
        if len(self._generated) * self._columns.n_rows > _LARGE:
            self._basis = self._program.basis()
            self._program = None

    @doing("columns")
    def _generate(self, upper: Floats, deadline: float) -> Solution:
        """Generate columns until the gap is proved."""
        best = _BestSoFar(self._signs, upper)
        if time.monotonic() >= deadline:
            return best.solution("stopped at max_time")
        if self._program is not None:
            self._program.set_upper(upper * self._columns.scale)
            self._drop_idle(self._program, upper)
        prices = None if len(self._generated) else self._starting_prices(best, upper)
        start = self._start(upper) if best.gap > self.tol else None
        central = start is not None and start.n_used >= _DENSE
        if start is not None and start.n_used:
            prices = None
            if central:
                self._follow_central_path(best, start, upper, deadline)
            elif len(
                new := np.setdiff1d(start.indices[start.coefficients != 0], self._generated.indices)
            ):
                self._generated.add(new)
                self._sides.decide(start.margins)
        while best.gap > self.tol:
            if not central and self._vertex is not None and self._is_dense(self._vertex, prices):
                self._smoothed[0].join(self._generated.indices)
                self._follow_central_path(best, self._start_of_many(upper), upper, deadline)
                central, prices = True, None
                continue
            if prices is not None:
                rows = self._generated.add_violated(prices, 1.0 + SOLVER_ERROR)
                if rows is None:
                    # the gap is below the accuracy of the simplex method
                    return best.solution("stopped at rounding")
                self._add(rows)
            vertex = self._next_vertex(upper, deadline)
            if vertex is None:
                return best.solution("stopped at max_time")
            best.offer_function(*self._generated.function(vertex.coefficients, vertex.intercept))
            prices = self._price_columns(best, vertex.multipliers / self._columns.scale, upper)
        return best.solution("optimal")

    def _add(self, rows: generation.SparseRows) -> None:
        """Add rows to the simplex method, if it has begun; it begins with all rows."""
        if self._program is not None:
            self._program.add(rows)

    def _next_vertex(self, upper: Floats, deadline: float) -> generation.DualVertex | None:
        """The optimum of the generated columns; None if the deadline came first.

        Of many objects most are far from the margin, on one side of it or the other, where their
        multipliers are 0 or at their upper bound: these are tied in groups. Where the vertex
        contradicts that, those that do and the others that are nearest are set free, and the simplex
        method goes on.
        """
        program = self._program or self._restarted_simplex(self._generated, upper, None)
        while True:
            vertex = program.solve(deadline)
            if vertex is None:
                return None
            _, intercept, sums = self._generated.function(vertex.coefficients, vertex.intercept)
            margins = self._signs * (sums + intercept)
            if self._sides.agree(margins, vertex.multipliers, upper * self._columns.scale):
                self._vertex = vertex
                return vertex
            basis = program.basis()
            del program  # it would take memory beside the next one
            program = self._restarted_simplex(self._generated, upper, basis)

    def _start(self, upper: Floats) -> Start | None:
        """Columns and a function to start from; None if the simplex method does better without, or
        has a basis to go on from.
        """
        if self._columns.n_columns < _WORTH_SMOOTHING or self._program is not None:
            return None
        return self._start_of_many(upper)

    def _start_of_many(self, upper: Floats) -> Start:
        """Columns and a function to start from. Where not all columns are held and many are needed,
        those that the smoothed function violates most join it first.
        """
        path, place = self._smoothed
        start = smoothed_start(path, place, upper)
        for _ in range(_JOINING):
            if start.n_used < _DENSE or path.holds_all:
                break
            prices = self._prices_at(self._feasible(path.multipliers(place), upper)).copy()
            prices[path.indices] = 0.0
            violated = generation.GeneratedColumns(self._columns, self._signs)
            if violated.add_violated(prices, 1.0, most=max(_JOIN, start.n_used)) is None:
                break
            path.join(violated.indices)
            start = smoothed_start(path, place, upper)
        return start

    def _is_dense(self, vertex: generation.DualVertex, prices: Floats | None) -> bool:
        """Whether a vertex uses many columns and many more are violated; ``prices`` are None if C
        has changed.
        """
        used = np.count_nonzero(vertex.coefficients)
        violated = (
            math.inf if prices is None else np.count_nonzero(np.abs(prices) > 1.0 + SOLVER_ERROR)
        )
        return bool(used >= _DENSE and violated >= _MORE_TO_COME * used)

    def _follow_central_path(
        self, best: "_BestSoFar", start: Start, upper: Floats, deadline: float
    ) -> None:
        """Generate columns along the central path from a smoothed function on; the simplex method
        starts where the path ends.

        BLAS is limited to one thread, because on small matrices its threads mostly wait for each
        other.
        """
        scale = self._columns.scale
        generated = generation.GeneratedColumns(self._columns, self._signs)
        generated.add(start.indices)
        self._generated, self._program, self._basis = generated, None, None
        self._sides.forget()
        function = generated.shifted(start.coefficients, start.intercept)

        def price(scaled: Floats) -> Floats:
            return self._price_columns(best, scaled / scale, upper)

        def accept(point: generation.DualVertex) -> bool:
            return self._offer_sparse(best, generated, point)

        limits = {"violated": 1.0 + SOLVER_ERROR, "goal": _SHARE_OF_GENERATED * self.tol}
        with threadpool_limits(1, user_api="blas"):
            central = CentralColumns(
                generated, upper * scale, function, price, accept=accept, **limits
            )
            guess = central.follow(deadline)
        self._vertex = central.point
        if best.gap > self.tol and (guess is not None or not accept(central.point)):
            self._restarted_simplex(generated, upper, guess)

    def _offer_sparse(
        self,
        best: "_BestSoFar",
        generated: generation.GeneratedColumns,
        point: generation.DualVertex,
    ) -> bool:
        """Take the function of an interior point if its gap is proved to be small enough, of as few
        columns as the gap allows.
        """

        def function(coefficients: Floats) -> tuple[generation.Coefficients, float, Floats]:
            return generated.function(coefficients, point.intercept)

        def good_enough(coefficients: Floats) -> bool:
            return best.gap_with(*function(coefficients)) <= self.tol

        if good_enough(point.coefficients):
            best.take_function(
                *function(smoothed_path.fewest_coefficients(point.coefficients, good_enough))
            )
        else:
            best.offer_function(*function(point.coefficients))
        return best.gap <= self.tol

    def _drop_idle(self, program: generation.SoftProgram, upper: Floats) -> None:
        """Drop columns without use at the last C if they are most of all columns; the basis
        stays.
        """
        used = 0 if self._vertex is None else np.count_nonzero(self._vertex.coefficients)
        if (
            not used
            or used >= _DENSE
            or len(self._generated) <= _IDLE_AT_LEAST + _MOSTLY_IDLE * used
        ):
            return
        basis, generated = program.basis(), self._generated.copied()
        kept = np.flatnonzero(
            (basis.rows != 0) | (np.abs(self._prices.latest[generated.indices]) > _IDLE_PRICE)
        )
        generated.keep(kept)
        self._restarted_simplex(generated, upper, generation.Guess(basis.objects, basis.rows[kept]))

    def _restarted_simplex(
        self, generated: generation.GeneratedColumns, upper: Floats, guess: generation.Guess | None
    ) -> generation.SoftProgram:
        """The simplex method started again with other columns, at a guessed basis if there is
        one.
        """
        self._program = None  # its memory is given back before that of the next is taken
        bounds = upper * self._columns.scale
        program = generation.SoftProgram(self._signs, self._sides.groups, bounds)
        program.set_upper(bounds)
        if len(generated):
            program.add(generated.rows())
        if guess is not None:
            program.begin(guess)
        self._generated, self._program = generated, program
        self._vertex = self._basis = None
        return program

    def _starting_prices(self, best: "_BestSoFar", upper: Floats) -> Floats:
        """The prices of all columns at multipliers that balance the classes, which are optimal as
        long as there are no columns; they are known up to a factor.
        """
        multipliers = smoothed_path.balanced_weights(self._signs, upper)
        factor = float(multipliers.sum() / self._balanced.sum())
        if np.allclose(multipliers, factor * self._balanced, rtol=SUM_ERROR, atol=0.0):
            prices = factor * self._sums_at_balance
        else:
            prices = self._prices_at(multipliers)
        best.offer_multipliers(multipliers, float(np.abs(prices).max(initial=0.0)))
        return prices

    def _price_columns(self, best: "_BestSoFar", multipliers: Floats, upper: Floats) -> Floats:
        """Make the multipliers feasible, offer them as a lower bound, and return the prices of all
        columns there.

        If not all columns are held, and one of those that are held is clearly violated, their prices
        are returned, with zeros for all others: before more is measured, what is known is used.
        """
        feasible = self._feasible(multipliers, upper)
        prices = self._prices_of_held(feasible)
        if prices is None:
            prices = self._prices_at(feasible)
            best.offer_multipliers(self._prices.multipliers, float(np.abs(prices).max(initial=0.0)))
            note(f"gap {best.gap:.1%}")
        return prices

    def _feasible(self, multipliers: Floats, upper: Floats) -> Floats:
        """The multipliers within their bounds and balanced."""
        return smoothed_path.balance_multipliers(np.clip(multipliers, 0.0, upper), self._signs)

    def _prices_of_held(self, multipliers: Floats) -> Floats | None:
        """The prices of the held columns, zeros elsewhere; None if all columns are held, or none of
        them is clearly violated and not generated yet.
        """
        path, _ = self._smoothed
        if path.holds_all:
            return None
        sums = path.sums(multipliers * self._signs)
        sums[np.isin(path.indices, self._generated.indices)] = 0.0
        if np.abs(sums).max() <= 1.0 + _SHARE_OF_GENERATED * self.tol:
            return None
        prices = np.zeros(self._columns.n_columns)
        prices[path.indices] = sums
        return prices

    def _prices_at(self, feasible: Floats) -> Floats:
        """The prices of all columns at feasible multipliers, or at some that differ from them by
        rounding.
        """
        settled = smoothed_path.balance_multipliers(self._prices.settled(feasible), self._signs)
        return self._prices.at(settled)

    def _without_slack(self, soft: Solution) -> Solution:
        """The hard margin of the function of a soft margin; multipliers and lower bound hold for
        both.
        """
        point: generation.DistancePoint = soft.point
        sums = self._columns.columns(point.coefficients.indices) @ point.coefficients.values
        found = generation.hardened(
            point.coefficients, sums, self._signs, self._weights > 0, self._columns.scale
        )
        if found is None:
            return Solution(point, math.inf, soft.lower_bound, soft.status)
        found = generation.DistancePoint(found.coefficients, found.intercept, point.multipliers)
        proved = soft.lower_bound >= (1.0 - self.tol) * found.norm
        return Solution(found, found.norm, soft.lower_bound, "optimal" if proved else soft.status)


class _Sides:
    """Which objects are clearly on one side of the margin, so that their multipliers are likely to
    be known, and which of these are alike.

    The margin of a misclassified object, or one within the margin, is below 1, and its multiplier
    at its upper bound; that of one beyond the margin is 0. Objects of one label and side and of
    similar margins are a group, whose multipliers are the same share of their bounds: if a step
    goes so far that they all would have to change sides, the program sees it.
    """

    def __init__(self, signs: Floats) -> None:
        self._signs = signs
        self._n_free = max(_FREE_OBJECTS, len(signs) // _FREE_SHARE)
        #: The number of the group of each object, -1 for those that are free; None if all are.
        self.groups: Indices | None = None

    def decide(self, margins: Floats) -> None:
        """Leave only the objects nearest to the margin free."""
        self.forget()
        if len(margins) >= 2 * self._n_free:
            self._tie(margins, np.full(len(margins), False), self._n_free)

    def forget(self) -> None:
        """Set all objects free."""
        self.groups = None

    def agree(self, margins: Floats, multipliers: Floats, upper: Floats) -> bool:
        """Whether the multipliers of the objects that are not free are those of their margins, up to
        rounding; if not, those that are not and some others are set free.
        """
        if self.groups is None:
            return True
        free, rounding = self.groups < 0, SOLVER_ERROR * upper
        wrong = ~free & np.where(
            margins > 1.0,
            (margins > 1.0 + SOLVER_ERROR) & (multipliers > rounding),
            (margins < 1.0 - SOLVER_ERROR) & (multipliers < upper - rounding),
        )
        if not wrong.any():
            return True
        free |= wrong
        self._tie(margins, free, int(np.count_nonzero(free)) + self._n_free // 2)
        return False

    def _tie(self, margins: Floats, free: Flags, count: int) -> None:
        """Tie all objects in groups, but those that are ``free`` and those nearest to the margin, so
        many altogether.
        """
        left = np.argsort(np.where(free, -1.0, np.abs(margins - 1.0)), kind="stable")[count:]
        if not len(left):
            self.forget()
            return
        kinds = 2 * (margins[left] < 1.0) + (self._signs[left] > 0)
        order = np.lexsort((margins[left], kinds))
        _, starts, sizes = np.unique(kinds[order], return_index=True, return_counts=True)
        within = np.arange(len(left)) - np.repeat(starts, sizes)
        begins = within % -(-len(left) // _GROUPS) == 0
        self.groups = np.full(len(margins), -1)
        self.groups[left[order]] = np.cumsum(begins) - 1


class _BestSoFar:
    """The best function and the best multipliers so far: the optimum lies between their values."""

    def __init__(self, signs: Floats, upper: Floats) -> None:
        self._signs, self._upper = signs, upper
        heavier = 1.0 if upper @ signs > 0 else -1.0
        self._point = generation.constant(heavier, np.zeros(len(signs)))
        self._value = self._objective(0.0, np.full(len(signs), heavier))
        self._lower = 0.0

    @property
    def gap(self) -> float:
        """The relative gap between the two values."""
        return (self._value - self._lower) / self._value

    def offer_function(
        self, coefficients: generation.Coefficients, intercept: float, sums: Floats
    ) -> None:
        """Take the function if it is better; ``sums`` are its values at the objects without the
        intercept.
        """
        if self._value_of(coefficients, intercept, sums) < self._value:
            self.take_function(coefficients, intercept, sums)

    def take_function(
        self, coefficients: generation.Coefficients, intercept: float, sums: Floats
    ) -> None:
        """Take the function even if it is worse."""
        self._point = generation.DistancePoint(coefficients, intercept, self._point.multipliers)
        self._value = self._value_of(coefficients, intercept, sums)

    def gap_with(
        self, coefficients: generation.Coefficients, intercept: float, sums: Floats
    ) -> float:
        """The relative gap that there would be with this function."""
        value = self._value_of(coefficients, intercept, sums)
        return (value - self._lower) / value

    def offer_multipliers(self, multipliers: Floats, largest_price: float) -> None:
        """Take the multipliers if they are better, after dividing them by the largest price of a
        column if that is above 1.
        """
        feasible = multipliers / max(1.0, largest_price)
        if feasible.sum() > self._lower:
            self._lower = float(feasible.sum())
            self._point = generation.DistancePoint(
                self._point.coefficients, self._point.intercept, np.minimum(feasible, self._upper)
            )

    def solution(self, status: str) -> Solution:
        """The solution with this status."""
        return Solution(self._point, self._value, min(self._lower, self._value), status)

    def _value_of(
        self, coefficients: generation.Coefficients, intercept: float, sums: Floats
    ) -> float:
        return self._objective(float(np.abs(coefficients.values).sum()), sums + intercept)

    def _objective(self, norm: float, scores: Floats) -> float:
        return norm + float(self._upper @ np.maximum(0.0, 1.0 - self._signs * scores))
