"""Columns generated along the central path: many at once, for programs whose optimum needs hundreds of them."""

import time
from collections.abc import Callable

import numpy as np

from wideberth.optimize.columns import Floats, GeneratedColumns
from wideberth.optimize.dual_program import Guess, Vertex
from wideberth.solvers.barrier import Barrier

#: Gaps at which columns are priced: far from the optimum while many join, near it while some do; and the gap at which it ends.
_FAR, _NEAR, _END = 0.1, 0.01, 1e-11
#: Columns that join are many, or few, if they are more, or less, than this share of all.
_MANY, _FEW = 0.1, 0.01
#: As many columns may join as there are, and so many in any case.
_JOIN = 100
#: Near the optimum columns of this price join too, because prices still move.
_ALMOST_VIOLATED = 0.95
#: Columns of a smaller price, and with a smaller share of the mean coefficient, will hardly be needed; in the end, those of a
#: smaller price than the last without a coefficient.
_IDLE_PRICE, _IDLE, _IDLE_IN_THE_END = 0.7, 0.01, 0.99
#: Steps from one goal to the next, at most.
_STEPS = 50
#: The gap from which on the point tells what is at a bound in the optimum.
_TELLING = 1e-4


class CentralColumns:
    """The program of all columns from a point ``near`` its optimum, solved up to columns that are hardly violated.

    An interior point prices columns better than a vertex does, so that many may join at once: about ten rounds do. ``generated``
    gains columns, and loses those that are idle. ``price`` gives the prices of all columns at multipliers of all objects;
    columns are ``violated`` from such a price on.
    """

    def __init__(
        self, generated: GeneratedColumns, upper: Floats, near: Vertex, price: Callable[[Floats], Floats], *, violated: float
    ) -> None:
        self._generated, self._price, self._violated = generated, price, violated
        self._upper, self._there = upper, upper > 0
        self._barrier = self._started(near)
        self._idle_left = False

    @property
    def vertex(self) -> Vertex:
        """The point that it has come to; a vertex only in the end."""
        point, multipliers = self._barrier.vertex, np.zeros(len(self._there))
        multipliers[self._there] = point.multipliers
        return Vertex(multipliers, point.coefficients, point.intercept)

    def follow(self, deadline: float) -> Guess | None:
        """Go to the optimum before ``deadline``, a time of ``time.monotonic``; what is at a bound there, None if it did not."""
        goal = _FAR
        while self._reached(goal, deadline) and goal > _END:
            joined = self._join(near=goal < _FAR) / len(self._generated)
            goal = _FAR if joined > _MANY else _NEAR if joined > _FEW or goal > _NEAR else _END
        return self._guess() if self._barrier.gap <= _TELLING else None

    def _reached(self, goal: float, deadline: float) -> bool:
        """Take steps until the gap is at most ``goal``; whether it is."""
        for _ in range(_STEPS):
            if self._barrier.gap <= goal and self._barrier.missing <= 10.0 * max(goal, _TELLING):
                return True
            if time.monotonic() >= deadline or not self._barrier.step():
                break
        return False

    def _join(self, *, near: bool) -> int:
        """Let violated columns join and, once the optimum is near, idle ones leave; how many joined."""
        point, before = self.vertex, len(self._generated)
        prices = self._price(point.multipliers)
        limit = _ALMOST_VIOLATED if near else self._violated
        if self._generated.add_violated(prices, limit, most=max(_JOIN, before)) is None:
            return 0
        joined = len(self._generated) - before
        coefficients = np.append(point.coefficients, np.zeros(joined))
        if near and not self._idle_left:  # only once, because they may join again
            self._idle_left = True
            size = np.abs(point.coefficients)
            busy = (np.abs(self._barrier.prices) > _IDLE_PRICE) | (size > _IDLE * size.mean())
            kept = np.flatnonzero(np.append(busy, np.full(joined, True)))
            self._generated.keep(kept)
            coefficients = coefficients[kept]
        multipliers = point.multipliers / max(1.0, float(np.abs(prices).max()))
        self._barrier = self._started(Vertex(multipliers, coefficients, point.intercept))
        return joined

    def _started(self, near: Vertex) -> Barrier:
        """A barrier of the columns and of the objects that may have a multiplier, near a point."""
        rows, there = self._generated.with_signs(), self._there
        rows = rows if there.all() else rows[:, there]
        return Barrier(rows, self._upper[there], Vertex(near.multipliers[there], near.coefficients, near.intercept))

    def _guess(self) -> Guess:
        guess = self._barrier.guess()
        kept = np.flatnonzero((guess.rows != 0) | (np.abs(self._barrier.prices) > _IDLE_IN_THE_END))
        self._generated.keep(kept)
        objects = np.full(len(self._there), -1, dtype=np.int8)
        objects[self._there] = guess.objects
        return Guess(objects, guess.rows[kept])
