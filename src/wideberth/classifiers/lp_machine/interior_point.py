"""The dual program of an LP machine by an interior-point method, and columns generated along its central path.

The simplex method is slow where the optimum needs hundreds of columns. There an interior-point method approaches the optimum in
some tens of steps. It stops at a point that is proved to be good enough; if nothing but a vertex is, it ends by guessing which
bounds are active, and the simplex method finishes from there.
"""

import math
import time
from collections.abc import Callable

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve
from scipy.linalg.blas import dsyrk

from wideberth.array_types import Floats
from wideberth.classifiers.lp_machine.dual_balance import balanced_weights
from wideberth.optimize.column_generation import GeneratedColumns
from wideberth.optimize.dual_program import DualVertex, Guess
from wideberth.rounding import SUM_ERROR

#: The share of the middle in the starting point; how far the middle is inside of the box, as a share of it; and the largest price
#: of a column there, for which it is scaled down.
_MIDDLE, _MIDDLE_OF_BOX, _MIDDLE_PRICE = 0.1, 0.3, 30.0
#: The largest size of prices at the start, inside of -1 and 1; the distance of slopes from 0, relative to their usual size.
_INSIDE, _AWAY = 0.9, 0.1
#: The share of the way to the nearest bound that a step may go.
_STEP_SHARE = 0.995
#: The size of random changes of the objective and of the limits of prices: of several optima they leave one, at a vertex.
_TILT = 1e-5
#: The relative increase of the diagonal of the normal equations, which keeps them positive definite in spite of rounding.
_FIRMER = SUM_ERROR
#: Objects whose contributions to the normal equations are added together.
_BLOCK = 1024
#: Gaps at which columns are priced: far from the optimum while many columns join, near it while some do; and the final gap.
_FAR, _NEAR, _END = 0.1, 0.01, 1e-11
#: The shares of all columns above which those that join are many, and below which they are few.
_MANY, _FEW = 0.1, 0.01
#: As many columns may join as there are, but at least this number.
_JOIN = 100
#: Near the optimum columns of this price join too, because prices still move.
_ALMOST_VIOLATED = 0.95
#: Columns with a smaller price and a smaller share of the mean coefficient are dropped as idle; at the end, columns with a price
#: below the last number and no coefficient.
_IDLE_PRICE, _IDLE, _IDLE_IN_THE_END = 0.7, 0.01, 0.99
#: The most steps from one goal to the next.
_MOST_STEPS = 50
#: The gap below which the point shows which bounds are active in the optimum.
_TELLING = 1e-4


class Barrier:
    r"""Maximise :math:`\sum_j a_j` subject to :math:`0 \leq a_j \leq u_j`, :math:`y'a = 0` and :math:`-1 \leq Ra \leq 1`.

    The predictor-corrector method of Mehrotra (1992), from a point near a given one. With :math:`r = Ra`, each bound has a
    multiplier: z and w are those of :math:`0 \leq a` and :math:`a \leq u`, v and t those of :math:`-1 \leq r` and
    :math:`r \leq 1`. The coefficients are :math:`\beta = t - v`, and :math:`R'\beta + b y - 1 = z - w` holds from the start; w is
    the slack of the primal program. A step solves a dense system for :math:`(\beta, b)` and takes :math:`n p^2` operations of
    fast linear algebra, however many rows are tight; some tens of steps are enough. The simplex method needs thousands of slower
    ones.

    All numbers that must stay positive, (a, u - a, 1 + r, 1 - r), are kept in one array, and their multipliers, (z, w, v, t), in
    another.

    Parameters
    ----------
    rows : ndarray of shape (p + 1, n)
        The rows of R and, last, y.
    upper : ndarray of shape (n,)
        The bounds u, positive.
    near : DualVertex
        A point to start near: multipliers within their bounds, and coefficients.

    Examples
    --------
    >>> rows = np.array([[2.0, 1.0], [1.0, -1.0]])
    >>> barrier = Barrier(rows, np.full(2, 5.0), DualVertex(np.zeros(2), np.zeros(1), 0.0))
    >>> while barrier.gap > 1e-9 and barrier.step():
    ...     pass
    >>> barrier.vertex.multipliers.round(4), barrier.vertex.coefficients.round(4)  # 2 a + a <= 1
    (array([0.3333, 0.3333]), array([0.6667]))
    """

    def __init__(self, rows: Floats, upper: Floats, near: DualVertex) -> None:
        self._rows, self._p, self._n = rows, len(rows) - 1, len(upper)
        random = np.random.default_rng(0)
        gains, limits = 1.0 + _TILT * random.random(self._n), 1.0 + _TILT * random.random(self._p)
        multipliers = (1.0 - _MIDDLE) * near.multipliers + _MIDDLE * _middle(rows, upper)
        sums = rows @ multipliers
        prices = np.clip(sums[:-1], -_INSIDE, _INSIDE)
        self._missing = sums - np.append(prices, 0.0)
        self._positive = np.concatenate([multipliers, upper - multipliers, limits + prices, limits - prices])
        self._function = np.append(near.coefficients, near.intercept)
        surplus = self._function @ rows - gains
        slopes = np.concatenate([surplus, -surplus, -near.coefficients, near.coefficients])
        usual = np.repeat([1.0, float(np.abs(near.coefficients).mean()) or 1.0 / self._p], [2 * self._n, 2 * self._p])
        self._slopes = np.maximum(slopes, 0.0) + _AWAY * usual

    @property
    def vertex(self) -> DualVertex:
        """The current point; close to a vertex only at the end."""
        return DualVertex(self._positive[: self._n], self._function[:-1], float(self._function[-1]))

    @property
    def prices(self) -> Floats:
        """The sums r of the rows, between -1 and 1, shape (p,)."""
        _, _, above, below = self._parts(self._positive)
        return 0.5 * (above - below)

    @property
    def gap(self) -> float:
        """The distance of the value from that of the primal program, as a share of the latter."""
        left, value = float(self._positive @ self._slopes), float(self._positive[: self._n].sum())
        return left / (value + left)

    @property
    def missing(self) -> float:
        """The largest violation of :math:`r = Ra` and :math:`y'a = 0`."""
        return float(np.abs(self._missing).max())

    def step(self) -> bool:
        """Take one predictor-corrector step.

        Returns
        -------
        bool
            False if rounding does not allow another step; the point is then unchanged.
        """
        z, w, v, t = self._parts(self._slopes / self._positive)
        moves = 1.0 / (z + w), 1.0 / (v + t)
        try:
            factor = cho_factor(self._normal_matrix(*moves), lower=True, overwrite_a=True, check_finite=False)
        except LinAlgError:
            return False
        products = self._positive * self._slopes
        total = float(products.sum())
        _, ahead, slopes_ahead = self._direction(factor, moves, -products)  # the predictor, as if no bound were in the way
        step, slope_step = min(1.0, _reach(self._positive, ahead)), min(1.0, _reach(self._slopes, slopes_ahead))
        left = float((self._positive + step * ahead) @ (self._slopes + slope_step * slopes_ahead))
        target = (left / total) ** 3 * total / len(products)
        function, ahead, slopes_ahead = self._direction(factor, moves, target - products - ahead * slopes_ahead)
        step, slope_step = (
            min(1.0, _STEP_SHARE * _reach(*pair)) for pair in ((self._positive, ahead), (self._slopes, slopes_ahead))
        )
        if not np.isfinite(function).all():
            return False
        self._positive = self._positive + step * ahead
        self._slopes = self._slopes + slope_step * slopes_ahead
        self._function = self._function + slope_step * function
        self._missing = self._rows @ self._positive[: self._n] - np.append(self.prices, 0.0)
        return True

    def guess(self) -> Guess:
        """Guess which bounds are active in the optimum.

        A bound counts as active if its distance is smaller than its multiplier, both relative to their mean size.

        Returns
        -------
        Guess
            -1 at a lower bound, 1 at an upper bound, 0 between them, for the objects and for the rows.
        """
        a, below_upper, above, below = self._parts(self._positive)
        z, w, v, t = self._parts(self._slopes)
        mean_multiplier, mean_slope = float(a.mean()), float(np.abs(self._function[:-1]).mean())
        objects = np.where(z * mean_multiplier > a, -1, np.where(w * mean_multiplier > below_upper, 1, 0))
        rows = np.where(v > above * mean_slope, -1, np.where(t > below * mean_slope, 1, 0))
        return Guess(objects.astype(np.int8), rows.astype(np.int8))

    def _parts(self, whole: Floats) -> list[Floats]:
        """The four parts of an array: n, n, p and p numbers."""
        return np.split(whole, np.cumsum([self._n, self._n, self._p]))

    def _normal_matrix(self, object_moves: Floats, row_moves: Floats) -> Floats:
        """The lower half of the matrix of the linear system of a step, shape (p + 1, p + 1)."""
        total = np.zeros((self._p + 1, self._p + 1), order="F")
        roots = np.sqrt(object_moves)
        for start in range(0, self._n, _BLOCK):
            part = self._rows[:, start : start + _BLOCK] * roots[start : start + _BLOCK]
            total = dsyrk(1.0, part.T, beta=1.0, c=total, trans=1, lower=1, overwrite_c=1)
        total[np.diag_indices(self._p)] += row_moves
        total[np.diag_indices(self._p + 1)] *= 1.0 + _FIRMER
        return total

    def _direction(
        self, factor: tuple[Floats, bool], moves: tuple[Floats, Floats], change: Floats
    ) -> tuple[Floats, Floats, Floats]:
        """The direction in which the products of positive numbers and their multipliers change by ``change``, to first order.

        ``factor`` is the Cholesky factor of the normal matrix; ``moves`` are the reciprocal weights of objects and rows in it.
        Returns the direction of the function (coefficients and intercept), of the positive numbers, and of their multipliers.
        """
        z, w, v, t = self._parts(change / self._positive)
        right = self._rows @ (moves[0] * (z - w)) + self._missing
        right[:-1] += moves[1] * (t - v)
        function = cho_solve(factor, right, check_finite=False)
        # one step of refinement, because near the optimum the system is almost singular
        wrong = right - self._rows @ (moves[0] * (function @ self._rows))
        wrong[:-1] -= moves[1] * function[:-1]
        function += cho_solve(factor, wrong, check_finite=False)
        objects = moves[0] * (z - w - function @ self._rows)
        rows = moves[1] * (function[:-1] - (t - v))
        ahead = np.concatenate([objects, -objects, rows, -rows])
        return function, ahead, (change - self._slopes * ahead) / self._positive


def _middle(rows: Floats, upper: Floats) -> Floats:
    """Balanced multipliers far from their bounds, with prices that are not too large: a point from which steps can be long."""
    balanced = balanced_weights(rows[-1], upper)
    largest = float(np.abs(rows[:-1] @ balanced).max(initial=0.0))
    return balanced * min(_MIDDLE_OF_BOX, _MIDDLE_PRICE / largest if largest > 0 else 1.0)


def _reach(positive: Floats, ahead: Floats) -> float:
    """The number of steps ahead at which the first of the positive numbers becomes 0; infinite if none falls."""
    fastest = float((-ahead / positive).max())
    return 1.0 / fastest if fastest > 0 else math.inf


class CentralColumns:
    """Column generation along the central path, from a point near the optimum.

    An interior point prices columns better than a vertex does, so that many may join in one round; about ten rounds are enough.

    Parameters
    ----------
    generated : GeneratedColumns
        The columns so far. It gains columns, and loses those that are idle.
    upper : ndarray of shape (n,)
        The bounds of the multipliers; objects with the bound 0 do not take part.
    near : DualVertex
        A point to start near.
    price : callable
        ``price(multipliers)`` gives the prices of all columns at multipliers of all objects.
    violated : float
        The price from which on a column is violated, 1 or a little more.
    accept : callable
        ``accept(point)`` tells whether a point, at which columns have just been priced, is good enough to stop there.
    goal : float
        The gap, of the generated columns alone, at which a point may be good enough. A gap as small as the tilt is not tried: the
        point then goes on to the end, where it shows which bounds are active.
    """

    def __init__(
        self,
        generated: GeneratedColumns,
        upper: Floats,
        near: DualVertex,
        price: Callable[[Floats], Floats],
        *,
        violated: float,
        accept: Callable[[DualVertex], bool],
        goal: float,
    ) -> None:
        self._generated, self._price, self._violated = generated, price, violated
        self._accept, self._goal = accept, min(goal, _NEAR) if goal > 2 * _TILT else _END
        self._upper, self._active = upper, upper > 0
        self._barrier = self._started(near)
        self._idle_left = False

    @property
    def point(self) -> DualVertex:
        """The current point, with multipliers of all objects; close to a vertex only at the end."""
        inside, multipliers = self._barrier.vertex, np.zeros(len(self._active))
        multipliers[self._active] = inside.multipliers
        return DualVertex(multipliers, inside.coefficients, inside.intercept)

    def follow(self, deadline: float) -> Guess | None:
        """Go to the optimum of all columns.

        The gap is reduced in stages: while many columns join, far from the optimum; then closer to it; and to the end once few
        join.

        Parameters
        ----------
        deadline : float
            A time of ``time.monotonic`` at which to stop.

        Returns
        -------
        Guess or None
            Which bounds are active in the optimum; None if it was not approached closely enough to know, or need not be.
        """
        goal = _FAR
        while self._reached(goal, deadline) and goal > _END:
            point = self.point
            prices = self._price(point.multipliers)
            if self._accept(point):
                return None
            goal = self._next_goal(goal, self._join(point, prices, near=goal < _FAR) / len(self._generated))
        return self._guess() if self._barrier.gap <= _TELLING else None

    def _next_goal(self, goal: float, joined: float) -> float:
        """The next gap at which columns are priced, after a share ``joined`` of all columns has joined at the last one."""
        if joined > _MANY:
            return _FAR
        if joined > _FEW or goal > _NEAR:
            return _NEAR
        return self._goal if joined > 0 or goal > self._goal else _END

    def _reached(self, goal: float, deadline: float) -> bool:
        """Take steps until the gap is at most ``goal``, and return whether it is."""
        for _ in range(_MOST_STEPS):
            if self._barrier.gap <= goal and self._barrier.missing <= 10.0 * max(goal, _TELLING):
                return True
            if time.monotonic() >= deadline or not self._barrier.step():
                break
        return False

    def _join(self, point: DualVertex, prices: Floats, *, near: bool) -> int:
        """Let violated columns join and, once the optimum is near, drop idle ones; returns how many joined."""
        before = len(self._generated)
        limit = _ALMOST_VIOLATED if near else self._violated
        if self._generated.add_violated(prices, limit, most=max(_JOIN, before)) is None:
            return 0
        joined = len(self._generated) - before
        coefficients = np.append(point.coefficients, np.zeros(joined))
        if near and not self._idle_left:  # only once, because they may join again and again
            self._idle_left = True
            size = np.abs(point.coefficients)
            busy = (np.abs(self._barrier.prices) > _IDLE_PRICE) | (size > _IDLE * size.mean())
            kept = np.flatnonzero(np.append(busy, np.full(joined, True)))
            self._generated.keep(kept)
            coefficients = coefficients[kept]
        multipliers = point.multipliers / max(1.0, float(np.abs(prices).max()))
        self._barrier = self._started(DualVertex(multipliers, coefficients, point.intercept))
        return joined

    def _started(self, near: DualVertex) -> Barrier:
        """A barrier over the current columns and the objects that may have a multiplier, started near a point."""
        rows, active = self._generated.with_signs(), self._active
        rows = rows if active.all() else rows[:, active]
        return Barrier(rows, self._upper[active], DualVertex(near.multipliers[active], near.coefficients, near.intercept))

    def _guess(self) -> Guess:
        """The guess of the barrier for all objects; columns that are not needed for it are dropped."""
        guess = self._barrier.guess()
        kept = np.flatnonzero((guess.rows != 0) | (np.abs(self._barrier.prices) > _IDLE_IN_THE_END))
        self._generated.keep(kept)
        objects = np.full(len(self._active), -1, dtype=np.int8)
        objects[self._active] = guess.objects
        return Guess(objects, guess.rows[kept])
