r"""Approximate functions of an LP machine along C: the hinge loss is rounded, and coordinate descent takes few passes.

Which C and which radial function are best shows in functions that are nearly optimal. These take a small part of the time of the
exact programs, whose last steps are the longest.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from wideberth.array_types import Floats, Indices
from wideberth.classifiers.lp_machine.dual_balance import balanced_weights, critical_price_of
from wideberth.classifiers.lp_machine.kernels import descend
from wideberth.optimize.column_generation import Columns

#: The width over which the hinge loss is rounded.
BAND = 0.5
#: The slope in a coefficient at which it has settled; that of its absolute value is 1.
_SETTLED = 0.05
#: Passes over the coefficients for each price, and for each price on the way to one.
_PASSES, _PASSES_BETWEEN = 30, 15
#: The largest factor from one price to the next, and the multiple of the critical price to begin with.
_STRIDE, _BEGINNING = 2.0, 2.0
#: Where memory does not hold all columns: the most choices of columns for each price, and the columns that may always be held.
_ROUNDS, _ALWAYS_HELD = 3, 100


class SmoothedFunction(NamedTuple):
    """An approximate minimum.

    Attributes
    ----------
    coefficients : ndarray of shape (n_columns,)
        :math:`\\beta`.
    intercept : float
        b.
    margins : ndarray of shape (n,)
        :math:`y_j f(x_j)`.
    """

    coefficients: Floats
    intercept: float
    margins: Floats


class SmoothedPath:
    r"""For several functions on the same columns, an approximate minimum of

    .. math:: |\beta|_1 + C \sum_j w_j H\Bigl(1 - y_j \bigl(\sum_k \beta_k c_k(x_j) + b\bigr)\Bigr), \qquad
        H(t) = \begin{cases} 0 & t \le 0 \\ t^2 / 2\gamma & 0 \le t \le \gamma \\ t - \gamma / 2 & t \ge \gamma \end{cases}

    with :math:`\gamma` = 1/2. For :math:`\gamma \to 0` it is the program of the LP machine (`DistanceProgram`).

    Prices are raised by factors of at most two, each minimum starting from the one before: at a large price coordinate descent
    that starts at 0 is far from the minimum after many passes. Columns are computed once and held if the memory allows it. If
    not, those with a coefficient and the most violated others are chosen some times for each price.

    Parameters
    ----------
    columns : Columns
        The columns on n objects.
    signs : ndarray of shape (functions, n)
        The side y of each object for each function, -1 or 1; both occur.
    weights : ndarray of shape (n,)
        The weight w of each object, positive.
    max_memory : int
        Bytes for the values of columns.

    Examples
    --------
    >>> from wideberth.classifiers.lp_machine.radial_columns import RadialColumns
    >>> from wideberth.estimators.radial_functions import Radial
    >>> from wideberth.metrics.named import metric
    >>> points = np.array([[0.0], [1.0], [3.0], [4.0]])
    >>> columns = RadialColumns(points, points, metric("euclidean"), [Radial("distance")], max_memory=10**6, n_jobs=1)
    >>> path = SmoothedPath(columns, np.array([[-1.0, -1.0, 1.0, 1.0]]), np.ones(4), max_memory=10**6)
    >>> coefficients, intercepts = path.functions(100 * path.critical_prices)
    >>> (coefficients @ columns.columns(range(4)).T + intercepts[:, None])[:, 1:3].round(1)  # 1 and 3 are at the margin
    array([[-1.,  1.]])
    """

    def __init__(self, columns: Columns, signs: Floats, weights: Floats, *, max_memory: int) -> None:
        self._columns, self._signs, self.weights = columns, signs, weights
        self._shares = weights / weights.sum()
        self._most = max(_ALWAYS_HELD, max_memory // (8 * columns.n_rows))
        self._coefficients = np.zeros((len(signs), columns.n_columns))
        self._intercepts = np.array([_best_constant(own, weights) for own in signs])  # of functions on centred columns
        self._shortfalls = (1.0 - signs * self._intercepts[:, None]) / BAND
        self._prices = np.zeros(len(signs))

    @cached_property
    def critical_prices(self) -> Floats:
        """The unit of C for each function (`critical_price`), shape (functions,)."""
        balanced = np.array([balanced_weights(own, self.weights) for own in self._signs]).reshape(self._signs.shape)
        sums = self._sums((balanced * self._signs).T).T
        scale = self._columns.scale
        return np.array([critical_price_of(scale * own, shares, scale) for own, shares in zip(sums, balanced, strict=True)])

    def functions(self, prices: Floats) -> tuple[Floats, Floats]:
        """Approximate the functions at these prices, none below those of the call before.

        Parameters
        ----------
        prices : ndarray of shape (functions,)
            The price C of errors, for each function.

        Returns
        -------
        coefficients : ndarray of shape (functions, n_columns)
            :math:`\\beta`.
        intercepts : ndarray of shape (functions,)
            b.
        """
        intercepts = np.array([self.function(place, price).intercept for place, price in enumerate(prices)])
        return self._coefficients / self._columns.scale, intercepts

    def function(self, place: int, price: float) -> "SmoothedFunction":
        """Approximate one of the functions at a price, not below that of the call before for the same place."""
        for step in _steps(self._prices[place] or _BEGINNING * self.critical_prices[place], price):
            self._descend(place, step, _PASSES if step == price else _PASSES_BETWEEN)
        self._prices[place] = price
        intercept = float(self._intercepts[place] - self._offset(place))
        margins = 1.0 - BAND * self._shortfalls[place]
        return SmoothedFunction(self._coefficients[place] / self._columns.scale, intercept, margins)

    def column_prices(self, place: int) -> Floats:
        """The absolute prices of all columns at the last function of one place, shape (n_columns,); at the minimum at most 1."""
        return self._prices_of_columns(place, float(self._prices[place]))

    # ---- the steps -----------------------------------------------------------------------------------------------------------

    def _descend(self, place: int, price: float, passes: int) -> None:
        """Lower the objective of one function; where not all columns are held, on several choices of them."""
        for _ in range(_ROUNDS):
            held = self._all if self._all is not None else self._held(self._worth_holding(place, price))
            coefficients = self._coefficients[place, held.indices]
            self._intercepts[place] += descend(
                held.values,
                price * self._columns.scale * held.squares,
                self._signs[place],
                price * self._columns.scale * self.weights,
                BAND,
                coefficients,
                self._shortfalls[place],
                _SETTLED,
                passes,
            )
            self._coefficients[place, held.indices] = coefficients
            if len(held.indices) == self._columns.n_columns:
                break

    def _prices_of_columns(self, place: int, price: float) -> Floats:
        """The slope of the loss of one function in each coefficient, without its sign; that of its absolute value is 1."""
        pulls = price * self._columns.scale * self.weights * self._signs[place] * np.clip(self._shortfalls[place], 0.0, 1.0)
        return np.abs(self._sums(pulls[:, None])[:, 0])

    def _worth_holding(self, place: int, price: float) -> Indices:
        """The columns with a coefficient, and the most violated ones of the others, as many as may be held."""
        size = self._prices_of_columns(place, price)
        size[self._coefficients[place] != 0] = np.inf
        return np.sort(np.argsort(-size, kind="stable")[: min(self._most, np.count_nonzero(size > 1.0))])

    def _sums(self, values: Floats) -> Floats:
        """The sums of values, shape (n, q), over all centred and scaled columns, shape (n_columns, q)."""
        if self._all is not None:
            return np.asarray(self._all.values @ values)
        return self._columns.price(values - np.outer(self._shares, values.sum(axis=0))) / self._columns.scale

    def _offset(self, place: int) -> float:
        """By how much centring moves the intercept of a function."""
        used = np.flatnonzero(self._coefficients[place])
        means = self._all.means[used] if self._all is not None else self._held(used).means
        return float(self._coefficients[place, used] @ means)

    @cached_property
    def _all(self) -> "_Held | None":
        """All columns, or None if memory does not hold them."""
        count = self._columns.n_columns
        return self._held(np.arange(count)) if count <= self._most else None

    def _held(self, indices: Indices) -> "_Held":
        values = np.ascontiguousarray(self._columns.columns(indices).T)
        values /= self._columns.scale
        means = values @ self._shares
        values -= means[:, None]
        return _Held(indices, values, means, np.einsum("kj,kj,j->k", values, values, self.weights))


@dataclass(frozen=True, eq=False)
class _Held:
    """The values of some columns over their scale, centred at the mean of the objects.

    Attributes
    ----------
    indices : ndarray of shape (m,)
        Which columns.
    values : ndarray of shape (m, n)
        Their values, a column in each row.
    means : ndarray of shape (m,)
        The means that were subtracted.
    squares : ndarray of shape (m,)
        The weighted sums of their squares.
    """

    indices: Indices
    values: Floats
    means: Floats
    squares: Floats


def _best_constant(signs: Floats, weights: Floats) -> float:
    """The constant function with the smallest rounded loss: 0 if the sides weigh the same, otherwise near the heavier side.

    >>> _best_constant(np.array([-1.0, 1.0, 1.0]), np.ones(3))  # 1 - t with t / 0.5 = 1 / 2
    0.75
    """
    positive, negative = float(weights @ (signs > 0)), float(weights @ (signs < 0))
    lean = np.sign(positive - negative)
    return float(lean * (1.0 - BAND * min(positive, negative) / max(positive, negative)))


def _steps(before: float, price: float) -> list[float]:
    """Prices from ``before``, which is left out, up to ``price``, by equal factors of at most `_STRIDE`; one if it is lower.

    >>> _steps(2.0, 16.0), _steps(2.0, 1.0)
    ([4.0, 8.0, 16.0], [1.0])
    """
    count = max(1, int(np.ceil(np.log(price / before) / np.log(_STRIDE) - 1e-9)))
    ratio = (price / before) ** (1.0 / count) if price > before else 1.0
    return [*(before * ratio**number for number in range(1, count)), price]
