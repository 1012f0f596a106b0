"""The dual program of an LP machine on given columns, by an interior-point method.

The simplex method is slow where the optimum needs hundreds of columns. There an interior-point method approaches the optimum in
some tens of steps, in ten if it starts from a function that is nearly optimal. At the end it guesses which bounds are active, so
that the simplex method has little left to do if a vertex is asked for.
"""

import math
from collections.abc import Callable

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve
from scipy.linalg.blas import dsyrk

from wideberth.array_types import Floats
from wideberth.optimize.dual_program import DualVertex, Guess
from wideberth.rounding import SUM_ERROR

#: The gap of the starting point, as a share of the value of its function. Much smaller ones can be so near to the bounds that
#: steps stay short.
_GAP_AT_THE_START = 0.8
#: The share of the way to the nearest bound that a step may go.
_STEP_SHARE = 0.995
#: The size of random changes of the objective and of the limits of prices: of several optima they leave one, at a vertex.
TILT = 1e-5
#: The relative increase of the diagonal of the normal equations, which keeps them positive definite in spite of rounding.
_FIRMER = SUM_ERROR
#: Objects whose contributions to the normal equations are added together.
_BLOCK = 1024


class Barrier:
    r"""Maximise :math:`\sum_j a_j` subject to :math:`0 \leq a_j \leq u_j`, :math:`y'a = 0` and :math:`-1 \leq Ra \leq 1`.

    The predictor-corrector method of Mehrotra (1992), started from a function. With :math:`r = Ra`, each bound has a
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
    function : ndarray of shape (p + 1,)
        The coefficients :math:`\beta` and the intercept b to start from. The nearer to the optimum they are, the fewer steps are
        needed. All products of the other numbers and their multipliers begin with the same size, as on the central path; what
        is missing then is :math:`r = Ra`.

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


def _central(widths: Floats, slopes: Floats, product: float) -> tuple[Floats, Floats]:
    r"""Cut intervals in two so that :math:`m / \text{first} - m / \text{second}` is a given slope, for the product m.

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
    """The number of steps ahead at which the first of the positive numbers becomes 0; infinite if none falls."""
    fastest = float((-ahead / positive).max())
    return 1.0 / fastest if fastest > 0 else math.inf


def fewest_coefficients(coefficients: Floats, good_enough: Callable[[Floats], bool]) -> Floats:
    """Set the smallest coefficients to 0, as many as leave a function that is good enough.

    An interior point has no coefficient of 0, though most columns matter little. How many can go is found by bisection, as if
    dropping more coefficients never made a function better; whatever is returned has been tested.

    Parameters
    ----------
    coefficients : ndarray of shape (p,)
        Coefficients of a function that is good enough.
    good_enough : callable
        ``good_enough(coefficients)`` tells whether a function is; it is called about log2(p) times.

    Returns
    -------
    ndarray of shape (p,)
        The coefficients that are left, and 0 for the others.

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
