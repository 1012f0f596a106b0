r"""The papers' program on linear scores: the smallest slope plus the price of errors, with a proved
gap.
"""

import math
import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from wideberth.array_types import Flags, Floats, Indices
from wideberth.classifiers.linear.robust_hinge import LinearPoint, balancing_factors
from wideberth.optimize.solution import Solution
from wideberth.progress import note, task

#: After how many steps the gap is computed, and the average starts anew at the latest; the most
#: steps of all.
_EVERY, _LONGEST, _STEPS = 50, 600, 50_000
#: The average starts anew when the gap has fallen by this factor.
_FALLEN = 0.6
#: Multiples of scores of which the best is taken.
_MULTIPLES = np.geomspace(0.5, 2.0, 41)


def least_slope_scores(
    matrix: Any,
    codes: Indices,
    prices: Floats,
    n_classes: int,
    *,
    tol: float,
    deadline: float = math.inf,
) -> Solution:
    r"""Minimise :math:`L + \sum_i c_i \max_{j \ne y_i} (1 - l_{ij})_+` over linear scores with
    leads of slope L.

    The lead of a class over another has the slope :math:`\max_g |w_g^y - w_g^{y'}|` in the L1
    distance of the features, so that L is twice the largest coefficient, after the middle of the
    classes is set to 0. Restarted primal-dual steps with diagonal step lengths (Chambolle & Pock
    2011; Pock & Chambolle 2011; restarts as in Applegate et al. 2021).

    **Lower bound.** The dual program is to maximise :math:`\sum \alpha_{ij}` subject to
    :math:`\alpha \ge 0`, :math:`\sum_j \alpha_{ij} \le c_i`, as much own as rivals' multipliers of
    each class, and :math:`\sum_y \|\Phi' A^y\|_1 \le 2`, where :math:`A_i^y` is :math:`\sum_j
    \alpha_{ij}` for the own class and :math:`-\alpha_{iy}` for another. Any multipliers become
    feasible: they are balanced between classes, then scaled.

    Parameters
    ----------
    matrix : ndarray or csr_array of shape (n, features)
        The features :math:`\Phi`.
    codes : ndarray of int, shape (n,)
        The classes.
    prices : ndarray of shape (n,)
        The prices c of errors, positive.
    n_classes : int
        How many classes there are.
    tol : float
        The relative gap at which to stop.
    deadline : float, default infinity
        A time of ``time.monotonic`` at which to stop.

    Returns
    -------
    Solution
        Its point is a `LinearPoint`.

    Examples
    --------
    >>> line, codes = np.array([[0.0], [1.0], [3.0], [4.0]]), np.array([0, 0, 1, 1])
    >>> found = least_slope_scores(line, codes, np.full(4, 10.0), 2, tol=1e-4)
    >>> round(found.value, 2), found.status  # from lead 1 at 1 to lead -1 at 3
    (1.0, 'optimal')
    """
    steps = _Steps(matrix, codes, prices, n_classes)
    best = _Best(steps)
    with task("slope program") as solving:
        for number in range(1, _STEPS + 1):
            steps.step()
            if number % _EVERY:
                continue
            gap = best.offer(steps.last, steps.average)
            solving.advance(_EVERY)
            note(f"gap {best.relative_gap:.1e}")
            if best.relative_gap <= tol:
                return best.solution("optimal")
            if time.monotonic() >= deadline:
                return best.solution("stopped at max_time")
            if gap < _FALLEN * steps.gap_at_restart or steps.since_restart >= _LONGEST:
                steps.restart(gap)
    return best.solution(f"stopped after {_STEPS} steps")


@dataclass(frozen=True, eq=False)
class _Pair:
    """Scores and multipliers."""

    coefficients: Floats
    intercepts: Floats
    multipliers: Floats


class _Steps:
    """The primal-dual steps: coefficients, intercepts and multipliers, and their average since the
    last restart.
    """

    def __init__(self, matrix: Any, codes: Indices, prices: Floats, n_classes: int) -> None:
        self.matrix, self.codes, self.prices, self.n_classes = matrix, codes, prices, n_classes
        self._columns = matrix.T if isinstance(matrix, np.ndarray) else matrix.T.tocsr()
        n, n_features = matrix.shape
        self.rows = np.arange(n)
        self.own: Flags = np.zeros((n, n_classes), dtype=bool)
        self.own[self.rows, codes] = True
        size = abs(matrix)
        self._of_features = (
            1.0 / (2.0 * np.maximum(np.asarray(size.sum(axis=0)).ravel(), 1e-300))[:, None]
        )
        self._of_objects = 1.0 / (2.0 * (np.asarray(size.sum(axis=1)).ravel() + 1.0))[:, None]
        self._of_intercepts = 1.0 / (2.0 * n)
        start = np.where(self.own, 0.0, (prices / (2.0 * max(n_classes - 1, 1)))[:, None])
        self.last = _Pair(np.zeros((n_features, n_classes)), np.zeros(n_classes), start)
        self._ratio = 1.0 / (2.0 * math.sqrt(n) * float(prices.mean()))
        self._begun, self._sums, self.since_restart = self.last, self._zeros(), 0
        self._largest, self.gap_at_restart = 0.0, math.inf
        self._pull = self.pull(start)

    def pull(self, multipliers: Floats) -> tuple[Floats, Floats]:
        """What multipliers pull at coefficients and intercepts."""
        signed = -multipliers
        signed[self.rows, self.codes] = multipliers.sum(axis=1)
        return np.asarray(self._columns @ signed), signed.sum(axis=0)

    def scores(self, coefficients: Floats, intercepts: Floats) -> Floats:
        """The scores of the objects, shape (n, k)."""
        return np.asarray(self.matrix @ coefficients) + intercepts

    def step(self) -> None:
        """A step of the coefficients, and one of the multipliers at what the coefficients would be
        a step later.
        """
        w, b, multipliers = self.last.coefficients, self.last.intercepts, self.last.multipliers
        lengths = self._ratio * self._of_features
        new, self._largest = _clipped(w + lengths * self._pull[0], 1.0 / lengths, self._largest)
        new_b = b + self._ratio * self._of_intercepts * self._pull[1]
        scores = self.scores(2.0 * new - w, 2.0 * new_b - b)
        slack = 1.0 - (scores[self.rows, self.codes][:, None] - scores)
        moved = multipliers + self._of_objects / self._ratio * slack
        moved[self.own] = -np.inf
        self.last = _Pair(new, new_b, _below_prices(moved, self.prices))
        self._pull = self.pull(self.last.multipliers)
        for total, part in zip(self._sums, (new, new_b, self.last.multipliers), strict=True):
            total += part
        self.since_restart += 1

    @property
    def average(self) -> _Pair:
        """The mean since the last restart."""
        return _Pair(*(total / self.since_restart for total in self._sums))

    def restart(self, gap: float) -> None:
        """Start anew at the average, with a ratio of step lengths that suits how far both sides
        have moved.
        """
        self.last, begun = self.average, self._begun
        moved_w = ((self.last.coefficients - begun.coefficients) ** 2 / self._of_features).sum()
        moved_b = ((self.last.intercepts - begun.intercepts) ** 2).sum() / self._of_intercepts
        moved_a = ((self.last.multipliers - begun.multipliers) ** 2 / self._of_objects).sum()
        if moved_w + moved_b > 0 and moved_a > 0:
            self._ratio = math.sqrt(self._ratio * math.sqrt((moved_w + moved_b) / moved_a))
        self._begun, self._sums, self.since_restart = self.last, self._zeros(), 0
        self.gap_at_restart = gap
        self._pull = self.pull(self.last.multipliers)

    def _zeros(self) -> tuple[Floats, Floats, Floats]:
        return (
            np.zeros_like(self.last.coefficients),
            np.zeros(self.n_classes),
            np.zeros_like(self.last.multipliers),
        )


class _Best:
    """The best scores and the best lower bound so far."""

    def __init__(self, steps: _Steps) -> None:
        self._steps = steps
        self._value, self._lower = math.inf, 0.0
        self._point = LinearPoint(steps.last.coefficients, steps.last.intercepts)

    @property
    def relative_gap(self) -> float:
        """The relative gap."""
        return self.solution("").relative_gap

    def offer(self, *pairs: _Pair) -> float:
        """Take what is better; returns the smallest gap of a pair."""
        return min(self._value_of(pair) - self._bound_of(pair) for pair in pairs)

    def solution(self, status: str) -> Solution:
        """The solution with this status."""
        return Solution(self._point, self._value, min(self._lower, self._value), status)

    def _value_of(self, pair: _Pair) -> float:
        """The value of the best multiple of some scores."""
        steps = self._steps
        scores = steps.scores(pair.coefficients, pair.intercepts)
        leads = scores[steps.rows, steps.codes] - np.where(steps.own, -np.inf, scores).max(axis=1)
        slope = float(
            (pair.coefficients.max(axis=1) - pair.coefficients.min(axis=1)).max(initial=0.0)
        )
        values = [
            float(each * slope + steps.prices @ np.maximum(0.0, 1.0 - each * leads))
            for each in _MULTIPLES
        ]
        place = int(np.argmin(values))
        if values[place] < self._value:
            self._value = values[place]
            self._point = LinearPoint(
                pair.coefficients * _MULTIPLES[place], pair.intercepts * _MULTIPLES[place]
            )
        return values[place]

    def _bound_of(self, pair: _Pair) -> float:
        """The lower bound that multipliers prove after they were balanced and scaled."""
        steps = self._steps
        flow = np.zeros((steps.n_classes, steps.n_classes))
        np.add.at(flow, steps.codes, pair.multipliers)
        factors = balancing_factors(flow)
        multipliers = pair.multipliers * (factors / max(1.0, float(factors.max())))[steps.codes]
        length = float(np.abs(steps.pull(multipliers)[0]).sum())
        bound = float(multipliers.sum()) * min(1.0, 2.0 / max(length, 1e-300))
        self._lower = max(self._lower, bound)
        return bound


def _clipped(moved: Floats, stiffness: Floats, guess: float) -> tuple[Floats, float]:
    r"""Minimise :math:`2 \max |W| + \frac12 \sum h (W - V)^2`: V clipped at the t with :math:`\sum
    h (|V| - t)_+ = 2`.

    Newton's method on t, from below it increases to the root; returns the clipped V and t.
    """
    size = np.abs(moved)
    weight = np.broadcast_to(stiffness, size.shape)
    if float((weight * size).sum()) <= 2.0:
        return np.zeros_like(moved), 0.0
    limit = guess
    for _ in range(100):
        above = size > limit
        stiff = float(weight[above].sum())
        if not stiff:
            limit *= 0.5
            continue
        new = max((float((weight[above] * size[above]).sum()) - 2.0) / stiff, 0.0)
        if abs(new - limit) <= 1e-13 * max(new, 1e-300):
            break
        limit = new
    return np.clip(moved, -limit, limit), limit


def _below_prices(moved: Floats, prices: Floats) -> Floats:
    """The nearest multipliers that are not negative and whose rows add up to at most the prices."""
    positive = np.maximum(moved, 0.0)
    over = positive.sum(axis=1) > prices
    if over.any():
        ordered = -np.sort(-moved[over], axis=1)
        sums = (
            np.cumsum(np.where(np.isfinite(ordered), ordered, 0.0), axis=1) - prices[over][:, None]
        )
        counts = np.arange(1, moved.shape[1] + 1)
        last = (ordered * counts > sums).sum(axis=1) - 1
        threshold = sums[np.arange(len(last)), last] / (last + 1.0)
        positive[over] = np.maximum(moved[over] - threshold[:, None], 0.0)
    return positive
