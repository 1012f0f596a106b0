r"""The robust hinge: squared losses of leads before and after the worst few edits, with a lower
bound from its multipliers.
"""

import math
import time
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np
from scipy.optimize import Bounds, minimize
from scipy.sparse.csgraph import connected_components
from threadpoolctl import threadpool_limits

from wideberth.array_types import Floats, Indices
from wideberth.classifiers.linear.changes import EditChanges
from wideberth.classifiers.linear.hinge_kernels import robust_losses
from wideberth.optimize.solution import Solution
from wideberth.progress import task
from wideberth.rounding import SUM_ERROR

# ---- Lower bounds of the robust hinge from multipliers at several points: mixed, they prove more
# than those at one

#: Steps of the search for the best shares.
_BOUND_STEPS = 500


class Linearisation(NamedTuple):
    r"""What multipliers :math:`\alpha` at a point prove: the losses are at least :math:`a - q -
    \langle g, w \rangle` for all w, with :math:`a = \sum \alpha` and :math:`q = \sum \alpha^2 / 2
    w` over the losses before and after edits. Multipliers are balanced, so that intercepts have no
    gradient.
    """

    linear: float
    quadratic: float
    gradient: Floats


def largest_bound(pieces: list[Linearisation], ridge: float, box: float) -> float:
    r"""The largest lower bound that mixtures and multiples of linearisations prove.

    A mixture of lower bounds is one. At a kink, where several changes are equally bad, the gradient
    at a point is that of one of them and far from 0; mixed with those of points nearby it is not.
    Shares are those of the best bound without a box.

    Examples
    --------
    >>> left, right = (Linearisation(1.0, 0.25, np.array([[slope]])) for slope in (-1.0, 1.0))
    >>> (
    ...     round(largest_bound([left], 1.0, math.inf), 3),
    ...     round(largest_bound([left, right], 1.0, math.inf), 3),
    ... )
    (0.5, 0.938)
    """
    # no coefficient is too large: no loss is negative, and no more is known
    if ridge < np.finfo(np.float64).tiny:
        return 0.0
    gradients = np.array([piece.gradient.ravel() for piece in pieces])
    offsets = np.array([[piece.linear, piece.quadratic] for piece in pieces])
    shares = _best_shares(gradients, offsets[:, 0] - offsets[:, 1], ridge)
    mixtures = [shares, np.full(len(pieces), 1.0 / len(pieces)), np.eye(len(pieces))[0]]
    return max(
        _bound(mixture @ offsets, np.abs(mixture @ gradients), ridge, box) for mixture in mixtures
    )


def _best_shares(gradients: Floats, offsets: Floats, ridge: float) -> Floats:
    """Shares of sum 1 with the largest bound without a box: projected steps up a concave
    quadratic.
    """
    products = gradients @ gradients.T / (4.0 * ridge)
    steepest = 2.0 * float(np.linalg.eigvalsh(products)[-1])
    shares = np.full(len(offsets), 1.0 / len(offsets))
    for _ in range(_BOUND_STEPS if steepest > 0 and len(offsets) > 1 else 0):
        moved = shares + (offsets - 2.0 * products @ shares) / steepest
        ordered = np.sort(moved)[::-1]
        excess = (np.cumsum(ordered) - 1.0) / np.arange(1, len(moved) + 1)
        shares = np.maximum(moved - excess[ordered > excess][-1], 0.0)
    return np.asarray(shares / shares.sum())


def _bound(offsets: Floats, size: Floats, ridge: float, box: float) -> float:
    """The largest bound of multiples of multipliers, by their linear and quadratic part and the
    size of their gradient.
    """
    linear, quadratic = float(offsets[0]), float(offsets[1])

    def bound(scale: float) -> float:
        inside = scale * size <= 2.0 * ridge * box
        lost = float(((scale * size[inside]) ** 2).sum()) / (4.0 * ridge)
        if math.isfinite(box):
            lost += float((scale * size[~inside] * box - ridge * box**2).sum())
        return scale * linear - scale**2 * quadratic - lost

    return max(map(bound, np.linspace(0.5, 1.5, 101).tolist()))


# ---- Balance what classes owe each other: multipliers that leave no gradient for the intercepts
# prove a lower bound

#: How often the classes are balanced in turn, at most; the more errors of all kinds there are, the
#: fewer rounds it takes.
_BALANCE_ROUNDS = 2000
#: The imbalance that rounding leaves, relative to the flow.
_BALANCED = 1e-15


def balancing_factors(flow: Floats) -> Floats:
    r"""Find factors for the flows between classes such that as much flows out of each class as into
    it.

    Osborne's balancing: factors :math:`d_c / d_j` with positive d. Flows that lie on no circle
    cannot be balanced; their factor is 0.

    Examples
    --------
    >>> flow = np.array([[0.0, 4.0, 0.0], [1.0, 0.0, 0.0], [1.0, 0.0, 0.0]])
    >>> balanced = flow * balancing_factors(flow)
    >>> balanced.sum(axis=0), balanced.sum(axis=1)
    (array([2., 2., 0.]), array([2., 2., 0.]))
    """
    _, part = connected_components(flow > 0, directed=True, connection="strong")
    inside = np.where(part[:, None] == part[None, :], flow, 0.0)
    scales = np.ones(len(flow))
    for _ in range(_BALANCE_ROUNDS):
        worst = 0.0
        for code in range(len(flow)):
            out = scales[code] * float(inside[code] @ (1.0 / scales))
            into = float(inside[:, code] @ scales) / scales[code]
            if out > 0 and into > 0:
                worst = max(worst, abs(out - into) / max(out, into))
                scales[code] *= np.sqrt(into / out)
        if worst <= _BALANCED:
            break
    return np.where(inside > 0, scales[:, None] / scales[None, :], 0.0)


#: The most steps at each level; and how many of the last ones L-BFGS learns the curvature from.
_STEPS, _REMEMBERED = 500, 30
#: With edits: how much the worst changes are smoothed, and by which share of the value a step has
#: to improve it, level after level until the gap is small enough. A start that is given is near the
#: solution: it skips the first level.
_LEVELS = (
    (0.1, 1e-4),
    (0.01, 1e-7),
    (0.003, 1e-8),
    (0.001, 1e-9),
    (0.0003, 1e-10),
    (0.0001, 1e-11),
)
#: The same without edits, where nothing needs to be smoothed.
_LEVELS_SMOOTH = ((0.0, 1e-6), (0.0, 1e-9), (0.0, 1e-11))
#: With more changes than so many for each object, the program is solved with a part of them, again
#: and again with others added, at most so many times; changes that would have a share when smoothed
#: by so much are added; the gap at the start.
_MANY_CHANGES, _ROUNDS, _NEARLY_WORST, _FIRST_PART = 100, 30, 0.03, 0.1


@dataclass(frozen=True, eq=False)
class LinearPoint:
    """Linear scores: coefficients of shape (features, k), and intercepts of shape (k,)."""

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
    """Sums over objects at a point: what `robust_losses` returns, and the multipliers on features
    and on intercepts.
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

    def losses(self, point: LinearPoint, edits: int, smoothing: float, factors: Floats) -> LossSums:
        """The sums of losses, the worst edits smoothed, with multipliers times the factors of their
        classes, shape (k, k).
        """
        ...

    def flow(self, point: LinearPoint, edits: int, smoothing: float) -> Floats:
        """The sums of the multipliers of each class against each other one, shape (k, k)."""
        ...


class RobustHinge:
    r"""Minimise :math:`\lambda \sum_y \|w_y\|^2 + \frac12 \sum_i w_i \sum_{j \ne y_i} [(1 -
    s_{ij})_+^2 + (1 - l_{ij})_+^2]`.

    All :math:`|w| \le \tau`. The lead of an object's own class over another is :math:`s_{ij}` as it
    stands, and :math:`l_{ij}` after its worst edits: the ``edits`` single changes of different
    sites that take most from it. That is a minimum of linear functions of w, so the program is
    convex. The losses before edits keep short texts from being given up: what few words say is gone
    after two edits, and of the losses after edits alone a constant is then the optimum.

    **Kinks.** Where several changes are equally bad, the losses have kinks, and steps along
    gradients end at them, wherever they started. So the worst changes are smoothed
    (`hinge_kernels`), less and less, each level from the solution of the last.

    **Lower bound.** For any shares of the changes a loss is at least its linear part :math:`\alpha
    v - \alpha^2 / 2w`, for any :math:`\alpha \ge 0` and :math:`v = 1 - l`. With multipliers that
    leave no gradient for the intercepts, the minimum over w is known: it subtracts :math:`\|g\|^2 /
    4 \lambda`, or :math:`\tau \|g\|_1` where the box binds. At a solution of the smoothed program
    its shares leave a small g.

    Examples
    --------
    >>> points, codes = np.array([[-1.0], [1.0]]), np.array([0, 1])
    >>> hinge = RobustHinge(points, EditChanges.none(2, 1), codes, np.full(2, 0.5), 2)
    >>> found = hinge.solve(1e-6)
    >>> found.point.coefficients.round(3), found.status
    (array([[-0.5,  0.5]]), 'optimal')
    """

    def __init__(
        self, matrix: Any, changes: EditChanges, codes: Indices, weights: Floats, n_classes: int
    ) -> None:
        self._matrix = matrix
        self._changes = changes
        self._codes = codes
        self._weights = weights
        self._k = n_classes
        self._columns = matrix.T if isinstance(matrix, np.ndarray) else matrix.T.tocsr()
        self._change_columns = changes.deltas.T.tocsr()
        often = np.bincount(changes.sites, minlength=len(changes.starts) - 1) > n_classes
        if changes.everywhere >= 0:
            often[changes.everywhere] = True
        self._kept = np.where(often, np.cumsum(often) - 1, -1)

    def solve(
        self,
        ridge: float,
        box: float = math.inf,
        *,
        edits: int = 0,
        tol: float = 1e-3,
        start: LinearPoint | None = None,
        deadline: float = math.inf,
    ) -> Solution:
        r"""Solve the program for the price :math:`\lambda` of squared coefficients and the box
        :math:`\tau`, from the solution for another price if there is one, until the relative gap is
        ``tol``.
        """
        if edits and self._changes.deltas.shape[0] > _MANY_CHANGES * len(self._codes):
            return self._solve_by_parts(
                ridge, box, edits=edits, tol=tol, start=start, deadline=deadline
            )
        return solve_hinge(self, ridge, box, edits=edits, tol=tol, start=start, deadline=deadline)

    def _solve_by_parts(
        self,
        ridge: float,
        box: float,
        *,
        edits: int,
        tol: float,
        start: LinearPoint | None,
        deadline: float,
    ) -> Solution:
        """Solve with the changes that were nearly the worst of some object so far, until the gap is
        small with all of them.

        With fewer changes losses are not larger, so that the lower bound of a part holds for all.
        """
        used = np.zeros(self._changes.deltas.shape[0], dtype=bool)
        at = start
        if at is None:
            at = solve_hinge(
                self, ridge, box, edits=0, tol=_FIRST_PART, start=None, deadline=deadline
            ).point
        best = _Best(ridge, box)
        for turn in range(_ROUNDS):
            near = self._multipliers(at, edits, _NEARLY_WORST, np.ones((self._k, self._k)))[2].any(
                axis=1
            )
            if turn and not (near & ~used).any():
                break
            used |= near
            part = RobustHinge(
                self._matrix, self._changes.only(used), self._codes, self._weights, self._k
            )
            # the first parts lack most of the changes that matter: no need to solve them better
            # than that
            enough = max(0.5 * tol, 0.2 * min(best.relative_gap, _FIRST_PART))
            found = solve_hinge(
                part, ridge, box, edits=edits, tol=enough, start=at, deadline=deadline
            )
            at = found.point
            best.offer(
                at.flat, value_and_gradient(self, at.flat, ridge, edits)[0], found.lower_bound
            )
            if best.relative_gap <= tol or time.monotonic() >= deadline:
                break
        return best.solution(self._k, tol, deadline)

    @property
    def shape(self) -> tuple[int, int]:
        """The numbers of features and of classes."""
        return int(self._matrix.shape[1]), self._k

    def losses(self, point: LinearPoint, edits: int, smoothing: float, factors: Floats) -> LossSums:
        """The sums of losses; see `HingeSums`."""
        sums, of_objects, of_changes = self._multipliers(point, edits, smoothing, factors)
        on_features = np.asarray(self._columns @ of_objects)
        if edits:
            on_features += np.asarray(self._change_columns @ of_changes)
        return LossSums(*sums, on_features, of_objects.sum(axis=0))

    def flow(self, point: LinearPoint, edits: int, smoothing: float) -> Floats:
        """The sums of the multipliers of each class against each other one."""
        _, of_objects, _ = self._multipliers(point, edits, smoothing, np.ones((self._k, self._k)))
        flow = np.zeros((self._k, self._k))
        np.add.at(flow, self._codes, np.maximum(-of_objects, 0.0))
        return flow

    def _multipliers(
        self, point: LinearPoint, edits: int, smoothing: float, factors: Floats
    ) -> tuple[tuple[float, float, float], Floats, Floats]:
        """What `robust_losses` returns, and the multipliers of the scores of objects and of
        changes.
        """
        changes = self._changes
        scores = np.asarray(self._matrix @ point.coefficients) + point.intercepts
        changed = (
            np.asarray(changes.deltas @ point.coefficients) if edits else np.zeros((0, self._k))
        )
        of_objects, of_changes = np.zeros_like(scores), np.zeros_like(changed)
        sites = (
            changes.starts,
            changes.sites,
            changes.text_starts,
            self._kept,
            int(self._kept.max(initial=-1)) + 1,
            -1 if changes.everywhere < 0 else int(self._kept[changes.everywhere]),
        )
        objects = self._codes, self._weights, edits, smoothing, factors
        return (
            robust_losses(scores, changed, *sites, *objects, of_objects, of_changes),
            of_objects,
            of_changes,
        )


def solve_hinge(
    sums: HingeSums,
    ridge: float,
    box: float,
    *,
    edits: int,
    tol: float,
    start: LinearPoint | None,
    deadline: float,
) -> Solution:
    """Solve the program of `RobustHinge` with all changes, by sums over its objects; the parameters
    are those of `solve`.

    Examples
    --------
    >>> hinge = RobustHinge(
    ...     np.array([[-1.0], [1.0]]), EditChanges.none(2, 1), np.array([0, 1]), np.full(2, 0.5), 2
    ... )
    >>> limits = {"tol": 1e-3, "deadline": math.inf}
    >>> solve_hinge(hinge, 1e-6, math.inf, edits=0, start=None, **limits).point.coefficients.round(
    ...     3
    ... )
    array([[-0.5,  0.5]])
    """
    n_features, n_classes = sums.shape
    size = n_features * n_classes
    limits = np.concatenate([np.full(size, box), np.full(n_classes, np.inf)])
    at = np.zeros(size + n_classes) if start is None else np.clip(start.flat, -limits, limits)
    levels = _LEVELS[int(start is not None) :] if edits else _LEVELS_SMOOTH
    best = _Best(ridge, box)
    # the products of L-BFGS are small: threads of BLAS would wait for each other most of the time
    with (
        threadpool_limits(1, user_api="blas"),
        task("hinge after edits" if edits else "hinge") as solving,
    ):

        def value(numbers: Floats, smoothing: float, unit: float) -> tuple[float, Floats]:
            solving.advance()
            found, gradient = value_and_gradient(sums, numbers, ridge, edits, smoothing)
            return found / unit, gradient / unit

        def stop_in_time(numbers: Floats) -> None:
            if time.monotonic() >= deadline:
                raise StopIteration

        bounds = Bounds(-limits, limits) if math.isfinite(box) else None
        settings: Any = {
            "method": "L-BFGS-B",
            "bounds": bounds,
            "callback": stop_in_time,
            "jac": True,
        }
        options: Any = {
            "maxiter": _STEPS,
            "maxfun": 2 * _STEPS,
            "gtol": 0.0,
            "maxcor": _REMEMBERED,
            "maxls": 50,
        }
        for smoothing, least in levels:
            # scipy takes improvements of values below 1 as they are, not relative to the value: so
            # the value starts at 1
            unit = value_and_gradient(sums, at, ridge, edits, smoothing)[0] or 1.0
            options["ftol"] = least
            at = minimize(value, at, args=(smoothing, unit), options=options, **settings).x
            best.offer_multipliers(_linearised(sums, at, edits, smoothing))
            best.offer(at, value_and_gradient(sums, at, ridge, edits)[0])
            if best.relative_gap <= tol or time.monotonic() >= deadline:
                break
    return best.solution(n_classes, tol, deadline)


class _Best:
    """The best scores and the best lower bound so far; bounds of several points are mixed."""

    def __init__(self, ridge: float, box: float) -> None:
        self._ridge, self._box = ridge, box
        self._pieces: list[Linearisation] = []
        self._numbers, self._value, self._lower = np.empty(0), math.inf, 0.0

    @property
    def relative_gap(self) -> float:
        """The relative gap."""
        return Solution(None, self._value, min(self._lower, self._value), "").relative_gap

    def offer(self, numbers: Floats, value: float, lower_bound: float = 0.0) -> None:
        """Take scores and a bound if they are better."""
        self._lower = max(self._lower, lower_bound)
        if value < self._value:
            self._numbers, self._value = numbers, value

    def offer_multipliers(self, piece: Linearisation) -> None:
        """Take the bound that multipliers prove, on their own or with those before."""
        self._pieces.insert(0, piece)
        bound = largest_bound(self._pieces, self._ridge, self._box) - SUM_ERROR * piece.linear
        self._lower = max(self._lower, bound)

    def solution(self, n_classes: int, tol: float, deadline: float) -> Solution:
        """The solution, with the reason why it is the last one."""
        status = "optimal" if self.relative_gap <= tol else "stopped where steps hardly improve it"
        if status != "optimal" and time.monotonic() >= deadline:
            status = "stopped at max_time"
        point = LinearPoint.from_flat(self._numbers, n_classes)
        return Solution(point, self._value, min(self._lower, self._value), status)


def value_and_gradient(
    sums: HingeSums, numbers: Floats, ridge: float, edits: int, smoothing: float = 0.0
) -> tuple[float, Floats]:
    """The value of the program, smoothed, and its gradient."""
    n_classes = sums.shape[1]
    point = LinearPoint.from_flat(numbers, n_classes)
    found = sums.losses(point, edits, smoothing, np.ones((n_classes, n_classes)))
    value = found.loss + ridge * float(np.vdot(point.coefficients, point.coefficients))
    return value, np.concatenate(
        [(2.0 * ridge * point.coefficients - found.on_features).ravel(), -found.on_intercepts]
    )


def _linearised(sums: HingeSums, numbers: Floats, edits: int, smoothing: float) -> Linearisation:
    """What the multipliers at a point prove, after they are balanced between the classes."""
    point = LinearPoint.from_flat(numbers, sums.shape[1])
    factors = balancing_factors(sums.flow(point, edits, smoothing))
    found = sums.losses(point, edits, smoothing, factors)
    return Linearisation(found.linear, found.quadratic, found.on_features)
