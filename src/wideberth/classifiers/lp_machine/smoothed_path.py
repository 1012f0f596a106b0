r"""Approximate functions of an LP machine along C: the hinge loss is rounded, and coordinate
descent takes few passes.

Which C and which radial function are best shows in functions that are nearly optimal. These take a
small part of the time of the exact programs, whose last steps are the longest.

**Balancing of dual multipliers: both classes must carry the same total weight in the dual program
of an LP machine.**

Balanced weights are also what the unit of C is computed from.

The constraint :math:`y'a = 0` of the dual program comes from the free intercept of the primal one.
Multipliers that a solver returns satisfy it only up to its tolerance; a lower bound is proved only
if they satisfy it exactly.

**The dual program of an LP machine on given columns, by an interior-point method.**

The simplex method is slow where the optimum needs hundreds of columns. There an interior-point
method approaches the optimum in some tens of steps, in ten if it starts from a function that is
nearly optimal. At the end it guesses which bounds are active, so that the simplex method has little
left to do if a vertex is asked for.
"""

import math
from collections.abc import Callable
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve
from scipy.linalg.blas import dsyrk

from wideberth.array_types import Floats, Indices
from wideberth.classifiers.lp_machine.kernels import descend
from wideberth.optimize.column_generation import Columns, DualVertex, Guess
from wideberth.rounding import SOLVER_ERROR, SUM_ERROR


def balanced_weights(signs: Floats, weights: Floats) -> Floats:
    """Scale the weights of the heavier class down, so that both classes weigh the same.

    Examples
    --------
    >>> balanced_weights(np.array([-1.0, -1.0, 1.0]), np.array([1.0, 3.0, 2.0]))
    array([0.5, 1.5, 2. ])
    """
    positive, negative = weights @ (signs > 0), weights @ (signs < 0)
    lighter = min(positive, negative)
    return weights * np.where(signs > 0, lighter / positive, lighter / negative)


def balance_multipliers(multipliers: Floats, signs: Floats) -> Floats:
    """Make the sums of both classes equal by reducing the largest multiplier of the heavier class.

    Only one multiplier changes, so that prices of columns that are already known can be updated
    cheaply. If it is smaller than the excess, all multipliers of the heavier class are scaled down
    instead.

    Examples
    --------
    >>> balance_multipliers(np.array([1.0, 2.0, 2.5]), np.array([-1.0, -1.0, 1.0]))
    array([1. , 1.5, 2.5])
    """
    excess = float(signs @ multipliers)
    heavier = signs * excess > 0
    largest = int(np.argmax(np.where(heavier, multipliers, -1.0)))
    if multipliers[largest] < abs(excess):
        return balanced_weights(signs, multipliers)
    balanced = multipliers.copy()
    balanced[largest] -= abs(excess)
    return balanced


def critical_price(columns: Columns, signs: Floats, weights: Floats) -> float:
    r"""Compute the unit of C: the largest price of errors at which all coefficients are still 0.

    .. math:: 1 / \max_k \Bigl|\sum_j a_j w_j y_j c_k(x_j)\Bigr|

    with a that balances the classes: the lighter class has :math:`a_j = 1`, the heavier one what
    makes the classes weigh the same. Up to this C all coefficients are 0, because C w a proves that
    nothing is better. It is in the unit of 1 / c_k and falls with the weights, so that a multiple
    of it means the same in any unit and for a repeated sample. If no column distinguishes the
    balanced classes, it is what a column would give that separates them by its scale.

    Examples
    --------
    >>> from wideberth.estimators.radial_expansions import Radial
    >>> from wideberth.classifiers.lp_machine.problem import RadialColumns
    >>> from wideberth.metrics.named import metric
    >>> points = np.array([[0.0], [4.0]])
    >>> columns = RadialColumns(
    ...     points, points, metric("euclidean"), [Radial("distance")], max_memory=10**6, n_jobs=1
    ... )
    >>> critical_price(columns, np.array([-1.0, 1.0]), np.ones(2))
    0.25
    """
    signs = np.asarray(signs, dtype=np.float64)
    balanced = balanced_weights(signs, weights)
    return critical_price_of(columns.price(balanced * signs), balanced, columns.scale)


def critical_price_of(prices: Floats, balanced: Floats, scale: float) -> float:
    """The critical price from the prices of all columns at balanced weights; prices that rounding
    explains count as 0.

    >>> critical_price_of(np.array([2.0, -4.0]), np.ones(2), scale=1.0)
    0.25
    """
    largest, usual = float(np.abs(prices).max(initial=0.0)), scale * float(balanced.sum())
    return 1.0 / (largest if largest > SOLVER_ERROR * usual else usual)


#: The gap of the starting point, as a share of the value of its function. Much smaller ones can be
#: so near to the bounds that steps stay short.
_GAP_AT_THE_START = 0.8
#: The share of the way to the nearest bound that a step may go.
_STEP_SHARE = 0.995
#: The size of random changes of the objective and of the limits of prices: of several optima they
#: leave one, at a vertex.
TILT = 1e-5
#: The relative increase of the diagonal of the normal equations, which keeps them positive definite
#: in spite of rounding.
_FIRMER = SUM_ERROR
#: Objects whose contributions to the normal equations are added together.
_BLOCK = 1024


class Barrier:
    r"""Maximise :math:`\sum_j a_j` subject to :math:`0 \leq a_j \leq u_j`, :math:`y'a = 0` and
    :math:`-1 \leq Ra \leq 1`.

    The predictor-corrector method of Mehrotra (1992), started from a function. With :math:`r = Ra`,
    each bound has a multiplier: z and w are those of :math:`0 \leq a` and :math:`a \leq u`, v and t
    those of :math:`-1 \leq r` and :math:`r \leq 1`. The coefficients are :math:`\beta = t - v`, and
    :math:`R'\beta + b y - 1 = z - w` holds from the start; w is the slack of the primal program. A
    step solves a dense system for :math:`(\beta, b)` and takes :math:`n p^2` operations of fast
    linear algebra, however many rows are tight; some tens of steps are enough. The simplex method
    needs thousands of slower ones.

    All numbers that must stay positive, (a, u - a, 1 + r, 1 - r), are kept in one array, and their
    multipliers, (z, w, v, t), in another.

    Examples
    --------
    >>> rows = np.array([[2.0, 1.0], [1.0, -1.0]])
    >>> barrier = Barrier(rows, np.full(2, 5.0), np.zeros(2))
    >>> while barrier.gap > 1e-9 and barrier.step():
    ...     pass
    >>> barrier.vertex.multipliers.round(4), barrier.vertex.coefficients.round(4)  # 2 a + a <= 1
    (array([0.3333, 0.3333]), array([0.6667]))
    """

    def __init__(self, rows: Floats, upper: Floats, function: Floats) -> None:
        self._rows, self._p, self._n = rows, len(rows) - 1, len(upper)
        random = np.random.default_rng(0)
        gains, limits = 1.0 + TILT * random.random(self._n), 1.0 + TILT * random.random(self._p)
        self._function, surplus = function, function @ rows - gains
        value = float(np.abs(function[:-1]).sum() + upper @ np.maximum(0.0, -surplus))
        product = _GAP_AT_THE_START * value / (2.0 * (self._n + self._p))
        multipliers, below_upper = _central(upper, surplus, product)
        below, above = _central(2.0 * limits, function[:-1], product)
        self._positive = np.concatenate([multipliers, below_upper, above, below])
        self._slopes = product / self._positive
        self._missing = rows @ multipliers - np.append(self.prices, 0.0)

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
        """Take one predictor-corrector step."""
        z, w, v, t = self._parts(self._slopes / self._positive)
        moves = 1.0 / (z + w), 1.0 / (v + t)
        try:
            factor = cho_factor(
                self._normal_matrix(*moves), lower=True, overwrite_a=True, check_finite=False
            )
        except LinAlgError:
            return False
        products = self._positive * self._slopes
        total = float(products.sum())
        # the predictor, as if no bound were in the way
        _, ahead, slopes_ahead = self._direction(factor, moves, -products)
        step = min(1.0, _reach(self._positive, ahead))
        slope_step = min(1.0, _reach(self._slopes, slopes_ahead))
        left = float((self._positive + step * ahead) @ (self._slopes + slope_step * slopes_ahead))
        target = (left / total) ** 3 * total / len(products)
        function, ahead, slopes_ahead = self._direction(
            factor, moves, target - products - ahead * slopes_ahead
        )
        step, slope_step = (
            min(1.0, _STEP_SHARE * _reach(*pair))
            for pair in ((self._positive, ahead), (self._slopes, slopes_ahead))
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

        A bound counts as active if its distance is smaller than its multiplier, both relative to
        their mean size.
        """
        a, below_upper, above, below = self._parts(self._positive)
        z, w, v, t = self._parts(self._slopes)
        mean_multiplier, mean_slope = float(a.mean()), float(np.abs(self._function[:-1]).mean())
        objects = np.where(
            z * mean_multiplier > a, -1, np.where(w * mean_multiplier > below_upper, 1, 0)
        )
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
        """The direction in which the products of positive numbers and their multipliers change by
        ``change``, to first order.

        ``factor`` is the Cholesky factor of the normal matrix; ``moves`` are the reciprocal weights
        of objects and rows in it. Returns the direction of the function (coefficients and
        intercept), of the positive numbers, and of their multipliers.
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


def _central(widths: Floats, slopes: Floats, product: float) -> tuple[Floats, Floats]:
    r"""Cut intervals in two so that :math:`m / \text{first} - m / \text{second}` is a given slope,
    for the product m.

    Both parts are computed without cancellation, however short they are.

    >>> first, second = _central(np.array([3.0, 3.0]), np.array([0.5, -0.5]), 1.0)  # 1 / 1 - 1 / 2
    >>> first, second
    (array([1., 2.]), array([2., 1.]))
    """
    halves, size = 0.5 * widths, np.abs(slopes)
    longer = halves + size * halves**2 / (product + np.hypot(product, size * halves))
    shorter = product / (size + product / longer)
    return np.where(slopes > 0, shorter, longer), np.where(slopes > 0, longer, shorter)


def _reach(positive: Floats, ahead: Floats) -> float:
    """The number of steps ahead at which the first of the positive numbers becomes 0; infinite if
    none falls.
    """
    fastest = float((-ahead / positive).max())
    return 1.0 / fastest if fastest > 0 else math.inf


def fewest_coefficients(coefficients: Floats, good_enough: Callable[[Floats], bool]) -> Floats:
    """Set the smallest coefficients to 0, as many as leave a function that is good enough.

    An interior point has no coefficient of 0, though most columns matter little. How many can go is
    found by bisection, as if dropping more coefficients never made a function better; whatever is
    returned has been tested.

    Examples
    --------
    >>> fewest_coefficients(np.array([0.1, -3.0, 0.2, 1.0]), lambda left: np.abs(left).sum() >= 4.0)
    array([ 0., -3.,  0.,  1.])
    """
    smallest_first = np.argsort(np.abs(coefficients), kind="stable")
    found, dropped, too_many = coefficients, 0, len(coefficients) + 1
    while too_many - dropped > 1:
        middle = (dropped + too_many) // 2
        left = coefficients.copy()
        left[smallest_first[:middle]] = 0.0
        if good_enough(left):
            found, dropped = left, middle
        else:
            too_many = middle
    return found


#: The width over which the hinge loss is rounded.
BAND = 0.5
#: The slope in a coefficient at which it has settled; that of its absolute value is 1.
_SETTLED = 0.05
#: Passes over the coefficients for each price, and for each price on the way to one.
_PASSES, _PASSES_BETWEEN = 30, 15
#: The largest factor from one price to the next, and the multiple of the critical price to begin
#: with.
_STRIDE, _BEGINNING = 2.0, 2.0
#: By how much of its value a constant must be beaten.
_CLEARLY = 0.02
#: Columns that are always held, however little memory there is, and columns computed at once.
_ALWAYS_HELD = 100


class SmoothedFunction(NamedTuple):
    """An approximate minimum."""

    #: The columns that are held, which may have a coefficient, shape (m,).
    indices: Indices
    #: Their coefficients :math:`\beta`, shape (m,).
    coefficients: Floats
    intercept: float
    #: :math:`y_j f(x_j)`, shape (n,).
    margins: Floats


class SmoothedPath:
    r"""For several functions on the same columns, an approximate minimum of

    .. math:: |\beta|_1 + C \sum_j w_j H\Bigl(1 - y_j \bigl(\sum_k \beta_k c_k(x_j) + b\bigr)\Bigr),
        \qquad
        H(t) = \begin{cases} 0 & t \le 0 \\ t^2 / 2\gamma & 0 \le t \le \gamma \\ t - \gamma / 2 & t
        \ge \gamma \end{cases}

    with :math:`\gamma` = 1/2. For :math:`\gamma \to 0` it is the program of the LP machine
    (`DistanceProgram`).

    Prices are raised by factors of at most two, each minimum starting from the one before: at a
    large price coordinate descent that starts at 0 is far from the minimum after many passes.
    Columns are computed once and held: all, or those that are ``likely`` to matter and those that
    `join` them later. The memory bounds how many, but not below 100; of ``likely`` the first count.

    Examples
    --------
    >>> from wideberth.classifiers.lp_machine.problem import RadialColumns
    >>> from wideberth.estimators.radial_expansions import Radial
    >>> from wideberth.metrics.named import metric
    >>> points = np.array([[0.0], [1.0], [3.0], [4.0]])
    >>> columns = RadialColumns(
    ...     points, points, metric("euclidean"), [Radial("distance")], max_memory=10**6, n_jobs=1
    ... )
    >>> path = SmoothedPath(
    ...     columns, np.array([[-1.0, -1.0, 1.0, 1.0]]), np.ones(4), max_memory=10**6
    ... )
    >>> coefficients, intercepts = path.functions(100 * path.critical_prices)
    >>> # 1 and 3 are at the margin
    >>> (coefficients @ columns.columns(range(4)).T + intercepts[:, None])[:, 1:3].round(1)
    array([[-1.,  1.]])
    """

    def __init__(
        self,
        columns: Columns,
        signs: Floats,
        weights: Floats,
        *,
        max_memory: int,
        likely: Indices | None = None,
    ) -> None:
        self._columns, self._signs, self.weights = columns, signs, weights
        self._shares = weights / weights.sum()
        self._most = max(_ALWAYS_HELD, max_memory // (8 * columns.n_rows))
        self._first = (np.arange(columns.n_columns) if likely is None else likely)[: self._most]
        self._coefficients = np.zeros((len(signs), len(self._first)))
        # of functions on centred columns
        self._intercepts = np.array([_best_constant(own, weights) for own in signs])
        self._shortfalls = (1.0 - signs * self._intercepts[:, None]) / BAND
        self._prices = np.zeros(len(signs))

    @property
    def indices(self) -> Indices:
        """The columns that are held, shape (m,)."""
        return self._held.indices

    @property
    def holds_all(self) -> bool:
        """Whether all columns are held."""
        return len(self.indices) == self._columns.n_columns

    @cached_property
    def critical_prices(self) -> Floats:
        """The unit of C for each function (`critical_price`) on the columns first held, shape
        (functions,).
        """
        balanced = np.array([balanced_weights(own, self.weights) for own in self._signs]).reshape(
            self._signs.shape
        )
        sums, scale = self.sums((balanced * self._signs).T).T, self._columns.scale
        return np.array(
            [
                critical_price_of(own, shares, scale)
                for own, shares in zip(sums, balanced, strict=True)
            ]
        )

    def functions(self, prices: Floats) -> tuple[Floats, Floats]:
        """Approximate the functions at these prices, none below those of the call before; the
        coefficients are those of the held columns.
        """
        intercepts = np.array(
            [self.function(place, price).intercept for place, price in enumerate(prices)]
        )
        return self._coefficients / self._columns.scale, intercepts

    def function(self, place: int, price: float) -> "SmoothedFunction":
        """Approximate one of the functions at a price, not below that of the call before for the
        same place.
        """
        for step in _steps(self._prices[place] or _BEGINNING * self.critical_prices[place], price):
            self._descend(place, step, _PASSES if step == price else _PASSES_BETWEEN)
        self._prices[place] = price
        own = self._coefficients[place]
        intercept = float(self._intercepts[place] - own @ self._held.means)
        margins = 1.0 - BAND * self._shortfalls[place]
        return SmoothedFunction(self.indices, own / self._columns.scale, intercept, margins)

    def multipliers(self, place: int) -> Floats:
        """The slopes of the loss at the last function of one place, shape (n,): multipliers of the
        dual program, which balance the classes at the minimum.
        """
        pulls = self._prices[place] * self.weights * np.clip(self._shortfalls[place], 0.0, 1.0)
        return np.asarray(pulls)

    def is_constant(self, place: int) -> bool:
        r"""Whether the multipliers of the last function of one place prove that no function of the
        held columns is clearly better than a constant without rounding of the loss, where the
        function itself bends a little.

        The constant costs :math:`2 C W`, with W the weight of the lighter class. Multipliers that
        are balanced, and divided by the largest price of a column if that is above 1, add up to at
        most the optimum.
        """
        signs, multipliers = self._signs[place], self.multipliers(place)
        pulls, weights = (
            min(float(each @ (signs > 0)), float(each @ (signs < 0)))
            for each in (multipliers, self.weights)
        )
        constant = 2.0 * self._prices[place] * weights
        if 2.0 * pulls < (1.0 - _CLEARLY) * constant:
            return False
        # scaled, so that weights count as repetitions
        balanced = balanced_weights(signs, multipliers)
        largest = float(np.abs(self.sums(balanced * signs)).max(initial=0.0))
        return bool(2.0 * pulls >= (1.0 - _CLEARLY) * constant * max(1.0, largest))

    def constant(self, place: int) -> float:
        """The best constant of one place without rounding: the side that weighs more."""
        return 1.0 if float(self._signs[place] @ self.weights) > 0 else -1.0

    def column_prices(self, place: int) -> Floats:
        """The absolute prices of the held columns at the last function of one place, shape (m,); at
        the minimum at most 1.
        """
        return np.abs(self.sums(self.multipliers(place) * self._signs[place]))

    def sums(self, values: Floats) -> Floats:
        """The sums of values, shape (n,) or (n, q), over the held columns, centred, shape (m,) or
        (m, q).
        """
        return np.asarray(self._held.values @ values) * self._columns.scale

    def join(self, indices: Indices) -> None:
        """Hold these columns too, as many of them as the memory allows."""
        held = self._held
        new = indices[~np.isin(indices, held.indices)][: self._most - len(held.indices)]
        if len(new):
            both: list[Any] = [
                np.concatenate(pair) for pair in zip(held, self._hold(new), strict=True)
            ]
            self._held = _Held(*both)
            self._coefficients = np.pad(self._coefficients, ((0, 0), (0, len(new))))

    # ---- the steps -------------------------------------------------------------------------------

    def _descend(self, place: int, price: float, passes: int) -> None:
        """Lower the objective of one function."""
        self._intercepts[place] += descend(
            self._held.values,
            price * self._columns.scale * self._held.squares,
            self._signs[place],
            price * self._columns.scale * self.weights,
            BAND,
            self._coefficients[place],
            self._shortfalls[place],
            _SETTLED,
            passes,
        )

    @cached_property
    def _held(self) -> "_Held":
        return self._hold(self._first)

    def _hold(self, indices: Indices) -> "_Held":
        """Compute columns, some at a time, because memory holds the result with little to spare."""
        values = np.empty((len(indices), self._columns.n_rows))
        for start in range(0, len(indices), _ALWAYS_HELD):
            part = slice(start, start + _ALWAYS_HELD)
            np.divide(self._columns.columns(indices[part]).T, self._columns.scale, out=values[part])
        means = values @ self._shares
        values -= means[:, None]
        squares = np.einsum("kj,kj,j->k", values, values, self.weights)
        return _Held(indices, values, means, squares)


class _Held(NamedTuple):
    """The values of some columns over their scale, centred at the mean of the objects."""

    #: Which columns, shape (m,).
    indices: Indices
    #: Their values, a column in each row, shape (m, n).
    values: Floats
    #: The means that were subtracted, shape (m,).
    means: Floats
    #: The weighted sums of their squares, shape (m,).
    squares: Floats


def _best_constant(signs: Floats, weights: Floats) -> float:
    """The constant function with the smallest rounded loss: 0 if the sides weigh the same,
    otherwise near the heavier side.

    >>> _best_constant(np.array([-1.0, 1.0, 1.0]), np.ones(3))  # 1 - t with t / 0.5 = 1 / 2
    0.75
    """
    positive, negative = float(weights @ (signs > 0)), float(weights @ (signs < 0))
    lean = np.sign(positive - negative)
    return float(lean * (1.0 - BAND * min(positive, negative) / max(positive, negative)))


def _steps(before: float, price: float) -> list[float]:
    """Prices from ``before``, which is left out, up to ``price``, by equal factors of at most
    `_STRIDE`; one if it is lower.

    >>> _steps(2.0, 16.0), _steps(2.0, 1.0)
    ([4.0, 8.0, 16.0], [1.0])
    """
    count = max(1, int(np.ceil(np.log(price / before) / np.log(_STRIDE) - 1e-9)))
    ratio = (price / before) ** (1.0 / count) if price > before else 1.0
    return [*(before * ratio**number for number in range(1, count)), price]
