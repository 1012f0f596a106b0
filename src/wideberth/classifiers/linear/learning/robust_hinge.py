r"""The robust hinge: squared losses of leads after the worst few edits, by L-BFGS, with a lower bound from its multipliers."""

import math
import time
from collections import deque
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np
from scipy.optimize import Bounds, minimize

from wideberth.array_types import Floats, Indices
from wideberth.classifiers.linear.features.edit_changes import EditChanges
from wideberth.classifiers.linear.learning.flow_balance import balancing_factors
from wideberth.classifiers.linear.learning.hinge_kernels import robust_losses
from wideberth.classifiers.linear.learning.mixed_bounds import Linearisation, largest_bound
from wideberth.optimize.solution import Solution
from wideberth.progress import task

#: The most steps.
_STEPS = 500
#: The share of the value by which a step has to improve it: without edits, where the program is smooth; with edits; and for a
#: start of the next program.
_LEAST_SMOOTH, _LEAST, _LEAST_ROUGH = 1e-11, 1e-5, 1e-4
#: With edits, so many of the last points are mixed for the lower bound.
_MIXED = 20
#: With more changes than so many for each object, the program is solved with a part of them, again and again with others added,
#: at most so many times, or until the value with all of them is larger by this share at most.
_MANY_CHANGES, _ROUNDS, _LEAST_BY_PARTS = 100, 30, 1e-3


@dataclass(frozen=True, eq=False)
class LinearPoint:
    """Linear scores.

    Attributes
    ----------
    coefficients : ndarray of shape (features, k)
        The coefficients of each class.
    intercepts : ndarray of shape (k,)
        The constants.
    """

    coefficients: Floats
    intercepts: Floats

    @property
    def flat(self) -> Floats:
        """All numbers in one row."""
        return np.concatenate([self.coefficients.ravel(), self.intercepts])

    @classmethod
    def from_flat(cls, numbers: Floats, n_classes: int) -> "LinearPoint":
        """The point whose `flat` these numbers are."""
        return cls(numbers[:-n_classes].reshape(-1, n_classes), numbers[-n_classes:])


class LossSums(NamedTuple):
    """Sums over objects at a point.

    Attributes
    ----------
    loss, linear, quadratic : float
        What `robust_losses` returns.
    on_features : ndarray of shape (features, k)
        The multipliers on features.
    on_intercepts : ndarray of shape (k,)
        The multipliers on the scores of all objects.
    """

    loss: float
    linear: float
    quadratic: float
    on_features: Floats
    on_intercepts: Floats

    def __add__(self, other: Any) -> "LossSums":
        """The sums over the objects of both."""
        return LossSums(*(mine + theirs for mine, theirs in zip(self, other, strict=True)))


class HingeSums(Protocol):
    """Objects whose losses can be summed, wherever they are."""

    @property
    def shape(self) -> tuple[int, int]:
        """The numbers of features and of classes."""
        ...

    def losses(self, point: LinearPoint, edits: int, factors: Floats) -> LossSums:
        """The sums of losses after the worst edits, with multipliers times the factors of their classes, shape (k, k)."""
        ...

    def flow(self, point: LinearPoint, edits: int) -> Floats:
        """The sums of the multipliers of each class against each other one, shape (k, k)."""
        ...


class RobustHinge:
    r"""Minimise :math:`\lambda \sum_y \|w_y\|^2 + \sum_i w_i \sum_{j \ne y_i} (1 - l_{ij})_+^2`, with :math:`|w| \le \tau`.

    The lead :math:`l_{ij}` of an object's own class over another is the one after its worst edits: the ``edits`` single changes
    of different sites that take most from it. It is a minimum of linear functions of w, so the program is convex.

    **Lower bound.** For fixed changes a loss is at least its linear part :math:`\alpha v - \alpha^2 / 4w`, for any
    :math:`\alpha \ge 0` and :math:`v = 1 - l`. With multipliers that leave no gradient for the intercepts, the minimum over w is
    known: it subtracts :math:`\|g\|^2 / 4 \lambda`, or :math:`\tau \|g\|_1` where the box binds. Multipliers at the last
    points are mixed (`largest_bound`).

    Parameters
    ----------
    matrix : ndarray or csr_array of shape (n, features)
        The features.
    changes : EditChanges
        What single edits do to them.
    codes : ndarray of int, shape (n,)
        The class of each object.
    weights : ndarray of shape (n,)
        Positive, of sum 1.
    n_classes : int
        The number of classes, two or more.

    Examples
    --------
    >>> points, codes = np.array([[-1.0], [1.0]]), np.array([0, 1])
    >>> hinge = RobustHinge(points, EditChanges.none(2, 1), codes, np.full(2, 0.5), 2)
    >>> found = hinge.solve(1e-6)
    >>> found.point.coefficients.round(3), found.gap < 1e-6
    (array([[-0.5,  0.5]]), True)
    """

    def __init__(self, matrix: Any, changes: EditChanges, codes: Indices, weights: Floats, n_classes: int) -> None:
        self._matrix, self._changes, self._codes, self._weights, self._k = matrix, changes, codes, weights, n_classes
        self._columns = matrix.T if isinstance(matrix, np.ndarray) else matrix.T.tocsr()
        self._change_columns = changes.deltas.T.tocsr()
        often = np.bincount(changes.sites, minlength=len(changes.starts) - 1) > n_classes
        self._kept = np.where(often, np.cumsum(often) - 1, -1)

    @property
    def knows_edits(self) -> bool:
        """Whether any change by an edit is listed."""
        return len(self._changes.sites) > 0

    def solve(
        self,
        ridge: float,
        box: float = math.inf,
        *,
        edits: int = 0,
        start: LinearPoint | None = None,
        rough: bool = False,
        deadline: float = math.inf,
    ) -> Solution:
        r"""Solve the program.

        Parameters
        ----------
        ridge : float
            :math:`\lambda`, positive.
        box : float, default infinity
            :math:`\tau`.
        edits : int, default 0
            How many changes take place.
        start : LinearPoint, optional
            Where to start. With edits, a start at 0 is a bad one: no change makes a difference there.
        rough : bool, default False
            Whether a rough solution will do, as a start of the next program.
        deadline : float
            A time of ``time.monotonic`` at which to stop.

        Returns
        -------
        Solution
            Its point is a `LinearPoint`.
        """
        if edits and self._changes.deltas.shape[0] > _MANY_CHANGES * len(self._codes):
            return self._solve_by_parts(ridge, box, edits=edits, start=start, rough=rough, deadline=deadline)
        return solve_hinge(self, ridge, box, edits=edits, start=start, rough=rough, deadline=deadline)

    def _solve_by_parts(
        self, ridge: float, box: float, *, edits: int, start: LinearPoint | None, rough: bool, deadline: float
    ) -> Solution:
        """Solve with the changes that were the worst of some object so far, until no others make much of a difference.

        With fewer changes losses are not larger, so that the lower bound of a part holds for all.
        """
        used = np.zeros(self._changes.deltas.shape[0], dtype=bool)
        at = LinearPoint(np.zeros((self._matrix.shape[1], self._k)), np.zeros(self._k)) if start is None else start
        best, least, bound, status = at, math.inf, 0.0, "converged"
        for _ in range(_ROUNDS):
            used |= self._multipliers(at, edits, np.ones((self._k, self._k)))[2].any(axis=1)
            part = RobustHinge(self._matrix, self._changes.only(used), self._codes, self._weights, self._k)
            found = solve_hinge(part, ridge, box, edits=edits, start=at, rough=rough, deadline=deadline)
            at, bound, status = found.point, max(bound, found.lower_bound), found.status
            value = value_and_gradient(self, at.flat, ridge, edits)[0]
            if value < least:
                best, least = at, value
            if value <= (1.0 + _LEAST_BY_PARTS) * found.value or time.monotonic() >= deadline:
                break
        return Solution(best, least, min(bound, least), status)

    @property
    def shape(self) -> tuple[int, int]:
        """The numbers of features and of classes."""
        return int(self._matrix.shape[1]), self._k

    def losses(self, point: LinearPoint, edits: int, factors: Floats) -> LossSums:
        """The sums of losses; see `HingeSums`."""
        sums, of_objects, of_changes = self._multipliers(point, edits, factors)
        on_features = np.asarray(self._columns @ of_objects)
        if edits:
            on_features += np.asarray(self._change_columns @ of_changes)
        return LossSums(*sums, on_features, of_objects.sum(axis=0))

    def flow(self, point: LinearPoint, edits: int) -> Floats:
        """The sums of the multipliers of each class against each other one."""
        _, of_objects, _ = self._multipliers(point, edits, np.ones((self._k, self._k)))
        flow = np.zeros((self._k, self._k))
        np.add.at(flow, self._codes, np.maximum(-of_objects, 0.0))
        return flow

    def _multipliers(self, point: LinearPoint, edits: int, factors: Floats) -> tuple[tuple[float, float, float], Floats, Floats]:
        """What `robust_losses` returns, and the multipliers of the scores of objects and of changes."""
        changes = self._changes
        scores = np.asarray(self._matrix @ point.coefficients) + point.intercepts
        changed = np.asarray(changes.deltas @ point.coefficients) if edits else np.zeros((0, self._k))
        of_objects, of_changes = np.zeros_like(scores), np.zeros_like(changed)
        sites = changes.starts, changes.sites, changes.text_starts, self._kept, int(self._kept.max(initial=-1)) + 1
        objects = self._codes, self._weights, edits, factors
        return robust_losses(scores, changed, *sites, *objects, of_objects, of_changes), of_objects, of_changes


def solve_hinge(
    sums: HingeSums, ridge: float, box: float, *, edits: int, start: LinearPoint | None, rough: bool, deadline: float
) -> Solution:
    """Solve the program of `RobustHinge` with all changes, by sums over its objects; the parameters are those of `solve`.

    Examples
    --------
    >>> hinge = RobustHinge(np.array([[-1.0], [1.0]]), EditChanges.none(2, 1), np.array([0, 1]), np.full(2, 0.5), 2)
    >>> solve_hinge(hinge, 1e-6, math.inf, edits=0, start=None, rough=False, deadline=math.inf).point.coefficients.round(3)
    array([[-0.5,  0.5]])
    """
    n_features, n_classes = sums.shape
    size = n_features * n_classes
    limits = np.concatenate([np.full(size, box), np.full(n_classes, np.inf)])
    first = np.zeros(size + n_classes) if start is None else np.clip(start.flat, -limits, limits)
    recent: deque[Floats] = deque(maxlen=_MIXED if edits and not rough else 1)
    with task(f"hinge after {edits} edits") as solving:

        def value(numbers: Floats) -> tuple[float, Floats]:
            solving.advance()
            return value_and_gradient(sums, numbers, ridge, edits)

        def stop_in_time(numbers: Floats) -> None:
            recent.append(numbers.copy())
            if time.monotonic() >= deadline:
                raise StopIteration

        least = _LEAST_ROUGH if rough else _LEAST if edits else _LEAST_SMOOTH
        options = {"maxiter": _STEPS, "ftol": least, "gtol": 1e-10, "maxfun": 4 * _STEPS}
        bounds = Bounds(-limits, limits) if math.isfinite(box) else None
        settings: Any = {"method": "L-BFGS-B", "bounds": bounds, "callback": stop_in_time, "options": options}
        found = minimize(value, first, jac=True, **settings)
    pieces = [_linearised(sums, numbers, edits) for numbers in (found.x, *recent)]
    bound = largest_bound(pieces, ridge, box)
    status = "stopped at max_time" if time.monotonic() >= deadline else "converged"
    return Solution(LinearPoint.from_flat(found.x, n_classes), float(found.fun), min(max(bound, 0.0), float(found.fun)), status)


def value_and_gradient(sums: HingeSums, numbers: Floats, ridge: float, edits: int) -> tuple[float, Floats]:
    """The value of the program and its gradient."""
    n_classes = sums.shape[1]
    point = LinearPoint.from_flat(numbers, n_classes)
    found = sums.losses(point, edits, np.ones((n_classes, n_classes)))
    value = found.loss + ridge * float(np.vdot(point.coefficients, point.coefficients))
    return value, np.concatenate([(2.0 * ridge * point.coefficients - found.on_features).ravel(), -found.on_intercepts])


def _linearised(sums: HingeSums, numbers: Floats, edits: int) -> Linearisation:
    """What the multipliers at a point prove, after they are balanced between the classes."""
    point = LinearPoint.from_flat(numbers, sums.shape[1])
    found = sums.losses(point, edits, balancing_factors(sums.flow(point, edits)))
    return Linearisation(found.linear, found.quadratic, found.on_features)
