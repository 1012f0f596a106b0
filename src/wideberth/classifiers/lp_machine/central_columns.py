"""Column generation along the central path of an LP machine, from a smoothed function on."""

import time
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from wideberth.array_types import Floats, Indices
from wideberth.classifiers.lp_machine.interior_point import TILT, Barrier
from wideberth.classifiers.lp_machine.smoothed_path import SmoothedPath
from wideberth.optimize.column_generation import GeneratedColumns
from wideberth.optimize.dual_program import DualVertex, Guess

#: Columns take part from the start if they have a coefficient in the smoothed function, or this price there; at most this many
#: times as many as have a coefficient. If they are this share of all columns, all take part.
_PROMISING, _MOST_PROMISING, _NEARLY_ALL = 0.3, 1.7, 0.85
#: The gap at which columns are first priced, and the final gap.
_FIRST, _END = 0.03, 1e-11
#: The share of all columns above which those that join are many.
_MANY = 0.1
#: As many columns may join as there are, but at least this number.
_JOIN = 100
#: Columns of this price join too, because prices still move.
_ALMOST_VIOLATED = 0.95
#: Columns with a smaller price and a smaller share of the mean coefficient are dropped as idle; at the end, columns with a price
#: below the last number and no coefficient.
_IDLE_PRICE, _IDLE, _IDLE_IN_THE_END = 0.6, 0.01, 0.99
#: The most steps from one goal to the next.
_MOST_STEPS = 50
#: The gap below which the point shows which bounds are active in the optimum.
_TELLING = 1e-4


class Start(NamedTuple):
    """Columns that are likely to matter, and a function of them.

    Attributes
    ----------
    indices : ndarray of shape (m,)
        The columns, in increasing order.
    coefficients : ndarray of shape (m,)
        Their coefficients, many of them 0.
    intercept : float
        The intercept of the function.
    """

    indices: Indices
    coefficients: Floats
    intercept: float

    @property
    def n_used(self) -> int:
        """The number of columns with a coefficient."""
        return int(np.count_nonzero(self.coefficients))


def smoothed_start(path: SmoothedPath, place: int, upper: Floats) -> Start:
    """Find columns and a function to start from: those of the rounded hinge loss, which take a small part of the time.

    Nearly all columns that the optimum needs have a coefficient in the smoothed function, or a price not far from 1. The function
    has margins below 1, because the rounded loss is small there; the multiple of it with the smallest value has not.

    Parameters
    ----------
    path : SmoothedPath
        The smoothed functions on the same columns and objects.
    place : int
        Which of its functions.
    upper : ndarray of shape (n,)
        The prices of slack, which bound the multipliers.

    Returns
    -------
    Start
        The columns, and the function.

    Examples
    --------
    >>> from wideberth.estimators.radial_functions import Radial
    >>> from wideberth.classifiers.lp_machine.radial_columns import RadialColumns
    >>> from wideberth.metrics.named import metric
    >>> points = np.array([[0.0], [4.0]])
    >>> columns = RadialColumns(points, points, metric("euclidean"), [Radial("distance")], max_memory=10**6, n_jobs=1)
    >>> path = SmoothedPath(columns, np.array([[-1.0, 1.0]]), np.ones(2), max_memory=10**6)
    >>> found = smoothed_start(path, 0, np.full(2, 100.0))
    >>> (columns.columns(found.indices) @ found.coefficients + found.intercept).round(4)
    array([-1.,  1.])
    """
    smoothed = path.function(place, float(upper.sum() / path.weights.sum()))
    size, used = path.column_prices(place), smoothed.coefficients != 0
    size[used] = np.inf
    most = min(int(_MOST_PROMISING * np.count_nonzero(used)), int(np.count_nonzero(size > _PROMISING)))
    if most >= _NEARLY_ALL * len(size):
        most = len(size)
    chosen = np.sort(np.argsort(-size, kind="stable")[:most])
    multiple = _best_multiple(float(np.abs(smoothed.coefficients).sum()), smoothed.margins, upper)
    return Start(chosen, multiple * smoothed.coefficients[chosen], multiple * smoothed.intercept)


def _best_multiple(norm: float, margins: Floats, upper: Floats) -> float:
    r"""The number c with the smallest :math:`c \cdot \text{norm} + \sum_j u_j \max(0, 1 - c m_j)`, one of :math:`1 / m_j`.

    >>> _best_multiple(1.0, np.array([0.5, 0.25, -1.0]), np.array([10.0, 10.0, 1.0]))  # the slope is 2 beyond 1 / 0.25
    4.0
    """
    first = np.argsort(-margins, kind="stable")[: np.count_nonzero(margins > 0)]
    slopes = norm - float(upper @ margins) + np.cumsum(upper[first] * margins[first])
    rising = np.flatnonzero(slopes >= 0)
    return 1.0 / float(margins[first[rising[0]]]) if len(rising) else 1.0


class CentralColumns:
    """Column generation along the central path, from columns and a function near the optimum.

    An interior point prices columns better than a vertex does, so that many may join in one round. Each round starts again from
    the function of the last one: it stays as good as it was, while the multipliers change much when a violated column joins.

    Parameters
    ----------
    generated : GeneratedColumns
        The columns to begin with. It gains columns, and loses those that are idle.
    upper : ndarray of shape (n,)
        The bounds of the multipliers; objects with the bound 0 do not take part.
    function : ndarray of shape (len(generated) + 1,)
        The coefficients of the rows of these columns, and the intercept, to start from.
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
        function: Floats,
        price: Callable[[Floats], Floats],
        *,
        violated: float,
        accept: Callable[[DualVertex], bool],
        goal: float,
    ) -> None:
        self._generated, self._price, self._violated = generated, price, violated
        self._accept, self._goal = accept, min(goal, _FIRST) if goal > 2 * TILT else _END
        self._upper, self._active = upper, upper > 0
        self._barrier = self._started(function)
        self._idle_left = False

    @property
    def point(self) -> DualVertex:
        """The current point, with multipliers of all objects; close to a vertex only at the end."""
        inside, multipliers = self._barrier.vertex, np.zeros(len(self._active))
        multipliers[self._active] = inside.multipliers
        return DualVertex(multipliers, inside.coefficients, inside.intercept)

    def follow(self, deadline: float) -> Guess | None:
        """Go to the optimum of all columns.

        Columns are priced far from the optimum as long as many of them join, then at the gap that may be good enough, and in the
        end only if no column joins any more.

        Parameters
        ----------
        deadline : float
            A time of ``time.monotonic`` at which to stop.

        Returns
        -------
        Guess or None
            Which bounds are active in the optimum; None if it was not approached closely enough to know, or need not be.
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
        """The next gap at which columns are priced, after a share ``joined`` of all columns has joined at the last one."""
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

    def _join(self, point: DualVertex, prices: Floats) -> int:
        """Let violated columns join and, the first time, drop idle ones; returns how many joined."""
        before = len(self._generated)
        limit = min(_ALMOST_VIOLATED, self._violated)
        if np.abs(prices).max() <= self._violated or self._generated.add_violated(prices, limit, most=max(_JOIN, before)) is None:
            return 0
        joined = len(self._generated) - before
        coefficients = np.append(point.coefficients, np.zeros(joined))
        if not self._idle_left:  # only once, because they may join again and again
            self._idle_left = True
            size = np.abs(point.coefficients)
            busy = (np.abs(self._barrier.prices) > _IDLE_PRICE) | (size > _IDLE * size.mean())
            kept = np.flatnonzero(np.append(busy, np.full(joined, True)))
            self._generated.keep(kept)
            coefficients = coefficients[kept]
        self._barrier = self._started(np.append(coefficients, point.intercept))
        return joined

    def _started(self, function: Floats) -> Barrier:
        """A barrier over the current columns and the objects that may have a multiplier, started from a function."""
        rows, active = self._generated.with_signs(), self._active
        return Barrier(rows if active.all() else rows[:, active], self._upper[active], function)

    def _guess(self) -> Guess:
        """The guess of the barrier for all objects; columns that are not needed for it are dropped."""
        guess = self._barrier.guess()
        kept = np.flatnonzero((guess.rows != 0) | (np.abs(self._barrier.prices) > _IDLE_IN_THE_END))
        self._generated.keep(kept)
        objects = np.full(len(self._active), -1, dtype=np.int8)
        objects[self._active] = guess.objects
        return Guess(objects, guess.rows[kept])
