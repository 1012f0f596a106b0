"""The Lipschitz classifier in a span of functions, by its true slope (von Luxburg & Bousquet 2004,
5.3 and Lemma 25).

The smallest slope on a finite set is found through the few pairs that matter.
"""

import math
import time
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from wideberth.array_types import Floats, Indices
from wideberth.classifiers.lp_machine.problem import RadialColumns
from wideberth.errors import InvalidInput
from wideberth.estimators.radial_expansions import Radial
from wideberth.geometry.measure.blocks import pairwise_distances
from wideberth.metrics.metric import Metric
from wideberth.metrics.named import metric as metric_named
from wideberth.objects import sample
from wideberth.optimize.column_generation import Coefficients, Columns, widest_margin
from wideberth.optimize.simplex import PRIMAL, empty_program, solved
from wideberth.optimize.solution import Solution
from wideberth.rounding import DISTANCE_ERROR, SOLVER_ERROR, SUM_ERROR

# ---- Any columns


#: The most pairs that join in a round: the steepest ones, at most one for each object.
_PAIRS_A_ROUND = 100
#: Pairs of objects closer than this share of the scale are skipped: their columns differ by little
#: more than rounding.
_TOGETHER = DISTANCE_ERROR
#: A hard margin starts from the widest one of the least sum of coefficients, found up to this
#: relative gap.
_START_GAP = 0.1


class SteepestPartners(NamedTuple):
    """For each object the one to which a function changes fastest, the slope between the two and
    their distance; -1, 0 and 0 where the function has the same value at all others.
    """

    partners: Indices
    slopes: Floats
    distances: Floats


def steepest_partners(values: Floats, distances: Floats, closest: float = 0.0) -> SteepestPartners:
    r"""Find :math:`\max_z |f(x) - f(z)| / d(x, z)` for every object x; the largest of all is the
    Lipschitz constant of f.

    Pairs no farther apart than ``closest`` are skipped: rounding of the values would look like a
    slope.

    Examples
    --------
    >>> places = np.array([[0.0], [1.0], [3.0]])
    >>> found = steepest_partners(np.array([0.0, 1.0, 7.0]), np.abs(places - places.T))
    >>> found.partners, found.slopes.round(2), found.distances
    (array([2, 2, 1]), array([2.33, 3.  , 3.  ]), array([3., 2., 2.]))
    """
    rises = np.abs(values[:, None] - values)
    slopes = np.divide(rises, distances, out=np.zeros_like(rises), where=distances > closest)
    rows, partners = np.arange(len(values)), slopes.argmax(axis=1)
    steepest = slopes[rows, partners]
    there = steepest > 0
    return SteepestPartners(
        np.where(there, partners, -1), steepest, np.where(there, distances[rows, partners], 0.0)
    )


@dataclass(frozen=True, eq=False)
class SpanVertex:
    r"""An optimum of the program over the pairs so far: the function, its slope on them, the dual
    multipliers a of objects and :math:`\lambda` of pairs, and the value that they prove: a lower
    bound for all pairs.
    """

    coefficients: Floats
    intercept: float
    slope: float
    multipliers: Floats
    pair_multipliers: Floats
    value: float


class SpanProgram:
    r"""Minimise :math:`L + \sum_j u_j \xi_j` subject to :math:`y_j (r_j'\beta + b) \geq 1 - \xi_j`
    and
    :math:`q'\beta \leq L` for the pairs q added so far.

    Solved in its dual form, maximise :math:`\sum_j a_j` subject to :math:`0 \leq a_j \leq u_j`,
    :math:`y'a = 0`, :math:`\sum_j a_j y_j r_j = \sum_q \lambda_q q`, :math:`\lambda \geq 0` and
    :math:`\sum_q \lambda_q \leq 1`: it has as many rows as the span has dimensions, however many
    objects and pairs there are. New pairs leave the last basis feasible, so the primal simplex
    method continues from there. A program over some of the pairs has at most the value of the
    program over all.

    Examples
    --------
    >>> # the column x at -1 and 1
    >>> program = SpanProgram(np.array([[-1.0], [1.0]]), np.array([-1.0, 1.0]))
    >>> program.set_upper(np.full(2, 10.0))
    >>> program.add(np.array([[1.0]]))  # it rises by 2 over the distance 2
    >>> round(program.solve(np.inf).value, 9)  # f(x) = x
    1.0
    """

    def __init__(self, rows: Floats, signs: Floats) -> None:
        n, self._p = rows.shape
        self._n = n
        self._highs = empty_program()
        nothing = np.empty(0, dtype=np.int32)
        for _ in range(self._p + 1):
            self._highs.addRow(0.0, 0.0, 0, nothing, np.empty(0))
        self._highs.addRow(-np.inf, 1.0, 0, nothing, np.empty(0))
        self._add_columns(
            np.hstack([rows, np.ones((n, 1))]) * signs[:, None],
            np.arange(self._p + 1),
            cost=-1.0,
            upper=0.0,
        )

    def set_upper(self, upper: Floats) -> None:
        """Set the prices u of slack, which are the upper bounds of the multipliers; infinite for a
        hard margin.
        """
        self._highs.changeColsBounds(
            self._n, np.arange(self._n, dtype=np.int32), np.zeros(self._n), upper
        )

    def add(self, pairs: Floats) -> None:
        """Add pairs q of objects, one in each row: by how much each column rises between its two
        objects, divided by their distance.
        """
        entries = np.hstack([-pairs, np.ones((len(pairs), 1))])
        self._add_columns(
            entries, np.append(np.arange(self._p), self._p + 1), cost=0.0, upper=np.inf
        )

    def solve(self, deadline: float) -> SpanVertex | None:
        """Solve the program over the pairs so far; None if the optimum was not found before the
        deadline, a time of ``time.monotonic``.
        """
        if not solved(self._highs, deadline, PRIMAL):
            return None
        found = self._highs.getSolution()
        point, duals = np.maximum(np.array(found.col_value), 0.0), -np.array(found.row_dual)
        function = duals[: self._p], float(duals[self._p]), max(float(duals[self._p + 1]), 0.0)
        return SpanVertex(
            *function, point[: self._n], point[self._n :], -self._highs.getObjectiveValue()
        )

    def _add_columns(self, entries: Floats, rows: Indices, cost: float, upper: float) -> None:
        """Add a variable for each row of ``entries``, which are its coefficients in the ``rows`` of
        the program.
        """
        count, width = entries.shape
        starts = np.arange(0, entries.size, width, dtype=np.int32)
        places = np.tile(rows.astype(np.int32), count)
        costs, uppers = np.full(count, cost), np.full(count, upper)
        self._highs.addCols(
            count, costs, np.zeros(count), uppers, entries.size, starts, places, entries.ravel()
        )


class BindingPairs(NamedTuple):
    """Pairs of objects, f(first) > f(second), that keep the slope from being smaller, and their
    dual multipliers, which add up to at most 1.
    """

    first: Indices
    second: Indices
    multipliers: Floats


@dataclass(frozen=True, eq=False)
class SubspacePoint:
    r"""A function :math:`f = \sum_k \beta_k c_k + b`, its slope on the set, and the multipliers
    that prove how good it is.

    The multipliers are :math:`a_j` of objects and :math:`\lambda_{xz}` of pairs. No function of the
    span has a value below :math:`\sum_j a_j`, because :math:`\sum_j a_j y_j c_k(x_j) = \sum_{(x,
    z)} \lambda_{xz} (c_k(x) - c_k(z)) / d(x, z)` for all columns k. The unit of coefficients, slope
    and a is 1 / c_k, for distances 1 / length.
    """

    coefficients: Coefficients
    intercept: float
    slope: float
    multipliers: Floats
    pairs: BindingPairs

    @property
    def norm(self) -> float:
        """The sum of the absolute coefficients: a Lipschitz constant everywhere; the slope is one
        on the set alone.
        """
        return float(np.abs(self.coefficients.values).sum())


class LipschitzSubspace:
    r"""Minimise :math:`L + C \sum_j w_j \xi_j` over functions :math:`f = \sum_k \beta_k c_k + b`
    with :math:`|f(x) - f(z)| \leq L\, d(x, z)` for all x, z of a finite set, :math:`\xi \geq 0` and
    :math:`y_j f(x_j) \geq 1 - \xi_j`.

    This is the Lipschitz classifier of von Luxburg & Bousquet (2004, section 6, Lemma 25 and
    Example 8) with the span of the columns as its space of functions. The linear-programming
    machine (`wideberth.classifiers.lp_machine.program`) minimises the sum of the absolute
    coefficients instead, which bounds L in the whole space, often from far above (Example 3 of the
    paper: 4 instead of 2); L itself bounds nothing beyond the set. The set is that of the rows of
    the columns and of ``distances``. Objects of weight 0 have no margin to keep but count for the
    slope: where the whole space is known, they make L its true constant.

    Pairs are generated: the program over those found so far is a lower bound, as the simplex method
    finds it; the function it gives has a slope on all pairs, which makes it feasible and an upper
    bound; the steepest pairs join. All columns are held in memory, so that there should be some
    hundreds at most. Solving again with another C continues from the last solution.

    Parameters
    ----------
    columns : Columns
        The columns on n objects.
    distances : ndarray of shape (n, n)
        Between the same objects; the triangle inequality holds.
    signs : ndarray of shape (n,)
        The side y of each object, -1 or 1; both occur among the objects of positive weight.
    weights : ndarray of shape (n,)
        The weight w of each object, not negative.
    tol : float, default 1e-6
        The relative gap at which solving stops.

    Examples
    --------
    >>> from wideberth.estimators.radial_expansions import Radial
    >>> from wideberth.classifiers.lp_machine.problem import RadialColumns
    >>> from wideberth.metrics.named import metric
    >>> points, limits = np.array([[0.0], [1.0], [3.0], [4.0]]), {"max_memory": 10**6, "n_jobs": 1}
    >>> columns = RadialColumns(
    ...     points, points[1:3], metric("euclidean"), [Radial("distance")], **limits
    ... )
    >>> distances = np.abs(points - points.T)
    >>> found = LipschitzSubspace(
    ...     columns, distances, np.array([-1.0, -1.0, 1.0, 1.0]), np.ones(4)
    ... ).solve(math.inf)
    >>> found.status, round(found.point.slope, 9)  # from -1 at 1 to 1 at 3
    ('optimal', 1.0)
    """

    def __init__(
        self,
        columns: Columns,
        distances: Floats,
        signs: Floats,
        weights: Floats,
        *,
        tol: float = 1e-6,
    ) -> None:
        self._columns, self._distances = columns, distances
        self._weights, self.tol = weights, tol
        self._signs = np.asarray(signs, dtype=np.float64)
        self._scale = columns.scale
        matrix = columns.columns(np.arange(columns.n_columns))
        middle = len(matrix) // 2
        # absorbed by the intercept: rows of moderate size
        self._shifts = np.partition(matrix, middle, axis=0)[middle]
        self._rows = (matrix - self._shifts) / self._scale
        self._first = self._second = np.empty(0, dtype=np.intp)
        self._program = SpanProgram(self._rows, self._signs)

    def solve(self, C: float, *, deadline: float = math.inf) -> Solution:
        r"""Solve the program for one value of C.

        If no function of the span separates the classes, the hard margin has the status
        "infeasible", an infinite value, and multipliers as the witness (Farkas): :math:`a \geq 0`,
        :math:`\sum_j a_j = 1`, :math:`y'a = 0`, and :math:`\sum_j a_j y_j c_k(x_j) = 0` for all k;
        a margin below 1e-9 of the scale of the columns counts as none.

        Parameters
        ----------
        C : float
            The price of errors; ``math.inf`` is the hard margin.
        deadline : float, default infinity
            A time of ``time.monotonic`` at which to stop. It is checked between rounds and by
            HiGHS, but not while pairs are searched.

        Returns
        -------
        Solution
            Its point is a `SubspacePoint`; at the deadline the best that is proved so far.
        """
        weighted = self._weights > 0
        upper = np.zeros(len(weighted))
        upper[weighted] = C * self._weights[weighted]
        best = _BestSoFar(self._signs, upper)
        if time.monotonic() >= deadline:
            return best.solution("stopped at max_time")
        if math.isinf(C):
            start = widest_margin(
                self._columns,
                self._signs,
                weighted,
                np.empty(0, dtype=np.intp),
                tol=_START_GAP,
                deadline=deadline,
            )
            if start.status == "infeasible":
                return Solution(
                    _constant(0.0, start.point.multipliers), math.inf, math.inf, "infeasible"
                )
            self._offer(best, start.point.coefficients, start.point.intercept)
        self._program.set_upper(upper * self._scale)
        while True:
            vertex = self._program.solve(deadline)
            if vertex is None:
                return best.solution("stopped at max_time")
            best.offer_multipliers(
                vertex.multipliers / self._scale,
                self._binding_pairs(vertex),
                vertex.value / self._scale,
            )
            found = self._offer(best, *self._function(vertex))
            if best.gap <= self.tol:
                return best.solution("optimal")
            if not self._add(*found, vertex.slope):
                # the gap is below the accuracy of the simplex method
                return best.solution("stopped at rounding")

    def _offer(
        self, best: "_BestSoFar", coefficients: Coefficients, intercept: float
    ) -> tuple[Floats, SteepestPartners]:
        """Take a function if it is better than the best so far; returns its values and its steepest
        pairs.
        """
        used, values = coefficients
        scores = self._rows[:, used] @ (values * self._scale) + (
            intercept + float(values @ self._shifts[used])
        )
        steepest = steepest_partners(scores, self._distances, _TOGETHER * self._scale)
        best.offer_function(
            coefficients, intercept, float(steepest.slopes.max(initial=0.0)), scores
        )
        return scores, steepest

    def _function(self, vertex: SpanVertex) -> tuple[Coefficients, float]:
        """The coefficients and the intercept of a vertex in the unit of the columns, without those
        that rounding explains.
        """
        values = vertex.coefficients / self._scale
        used = np.flatnonzero(np.abs(values) > SUM_ERROR * np.abs(values).max(initial=0.0))
        return Coefficients(used, values[used]), vertex.intercept - float(
            values[used] @ self._shifts[used]
        )

    def _add(self, scores: Floats, steepest: SteepestPartners, slope: float) -> bool:
        """Add the steepest new pairs whose slope is above that of the program; returns whether
        there were any.
        """
        partners, slopes, distances = steepest
        n = len(scores)
        steep = np.flatnonzero(
            (partners >= 0) & (slopes * self._scale > slope * (1.0 + SOLVER_ERROR) + SOLVER_ERROR)
        )
        up = scores[steep] > scores[partners[steep]]
        first, second = np.where(up, steep, partners[steep]), np.where(up, partners[steep], steep)
        keys, places = np.unique(first * n + second, return_index=True)
        places = places[~np.isin(keys, self._first * n + self._second)]
        chosen = places[np.argsort(-slopes[steep[places]], kind="stable")[:_PAIRS_A_ROUND]]
        if len(chosen):
            first, second = first[chosen], second[chosen]
            rises = (self._rows[first] - self._rows[second]) * self._scale
            self._program.add(rises / distances[steep[chosen]][:, None])
            self._first, self._second = (
                np.append(self._first, first),
                np.append(self._second, second),
            )
        return bool(len(chosen))

    def _binding_pairs(self, vertex: SpanVertex) -> BindingPairs:
        """The pairs of a vertex with a positive multiplier."""
        used = np.flatnonzero(vertex.pair_multipliers)
        return BindingPairs(self._first[used], self._second[used], vertex.pair_multipliers[used])


class _BestSoFar:
    """The best function and the best multipliers so far: the optimum lies between their values.

    ``upper`` is the price of slack of each object. Where it is infinite, functions are scaled so
    that they need no slack.
    """

    def __init__(self, signs: Floats, upper: Floats) -> None:
        self._signs, self._upper = signs, upper
        heavier = 1.0 if upper[signs > 0].sum() >= upper[signs < 0].sum() else -1.0
        self._point = _constant(heavier, np.zeros(len(signs)))
        self._hard = bool(np.isinf(upper).any())
        self._value = (
            math.inf if self._hard else float(upper @ np.maximum(0.0, 1.0 - heavier * signs))
        )
        self._lower = 0.0

    @property
    def gap(self) -> float:
        """The relative gap."""
        return self.solution("").relative_gap

    def offer_function(
        self, coefficients: Coefficients, intercept: float, slope: float, scores: Floats
    ) -> None:
        """Take the function if it is better.

        For a hard margin it is first scaled and shifted so that its margin is 1; a function that
        does not separate is ignored.
        """
        loss = 0.0
        if self._hard:
            weighted = self._upper > 0
            lowest = scores[weighted & (self._signs > 0)].min()
            highest = scores[weighted & (self._signs < 0)].max()
            margin, middle = float(0.5 * (lowest - highest)), float(0.5 * (lowest + highest))
            if margin <= 0:
                return
            coefficients = Coefficients(coefficients.indices, coefficients.values / margin)
            intercept, slope = (intercept - middle) / margin, slope / margin
        else:
            loss = float(self._upper @ np.maximum(0.0, 1.0 - self._signs * scores))
        value = slope + loss
        if value < self._value:
            self._point = SubspacePoint(
                coefficients, intercept, slope, self._point.multipliers, self._point.pairs
            )
            self._value = value

    def offer_multipliers(self, multipliers: Floats, pairs: BindingPairs, value: float) -> None:
        """Take the multipliers if they prove a better lower bound."""
        if value > self._lower:
            point, self._lower = self._point, value
            self._point = SubspacePoint(
                point.coefficients, point.intercept, point.slope, multipliers, pairs
            )

    def solution(self, status: str) -> Solution:
        """The solution with this status."""
        return Solution(self._point, self._value, min(self._lower, self._value), status)


def _constant(value: float, multipliers: Floats) -> SubspacePoint:
    """The constant function with this value."""
    none, no_values = np.empty(0, dtype=np.intp), np.empty(0)
    return SubspacePoint(
        Coefficients(none, no_values), value, 0.0, multipliers, BindingPairs(none, none, no_values)
    )


# ---- Distance functions


#: Distances that are kept while the program is solved.
_MEMORY = 10**8


def least_slope(
    X: Any,
    signs: Any,
    metric: str | Metric = "euclidean",
    *,
    references: Any = None,
    C: float = math.inf,
) -> Solution:
    r"""Minimise the slope of :math:`f = \sum_j \beta_j d(z_j, \cdot) + b` on a sample, plus the
    price of its errors.

    .. math:: \min_f\ \max_{x, x'} \frac{|f(x) - f(x')|}{d(x, x')} + C \sum_i \max(0, 1 - y_i
        f(x_i))

    The LP machine minimises :math:`\sum_j |\beta_j|`, which is at least the slope (Example 3: 4
    instead of 2); here it is the slope itself, on the objects of the sample.

    Parameters
    ----------
    X : sequence
        Objects.
    signs : array-like of shape (n,)
        Their classes, 1 or -1.
    metric : str or Metric
        The distance.
    references : sequence, optional
        The objects z; those of X by default.
    C : float
        The price of errors; infinite for the hard margin.

    Returns
    -------
    Solution
        With ``point.slope``, and ``status`` "infeasible" where no such function separates the
        classes.

    Examples
    --------
    >>> # from -1 at 1 to 1 at 3
    >>> round(least_slope([[0.0], [1.0], [3.0], [4.0]], [-1, -1, 1, 1]).point.slope, 6)
    1.0
    """
    chosen = metric_named(metric)
    objects = chosen.prepare(X)
    known = objects if references is None else chosen.prepare(references)
    limits: dict[str, Any] = {"max_memory": _MEMORY, "n_jobs": 1}
    columns = RadialColumns(objects, known, chosen, [Radial("distance")], **limits)
    labels = np.asarray(signs, dtype=np.float64)
    distances = pairwise_distances(objects, metric=chosen)
    return LipschitzSubspace(columns, distances, labels, np.ones(len(labels))).solve(C)


class LeastSlopeFunction:
    r"""The function of `least_slope` on all objects; its sign is the class, and it is a classifier
    of two classes by its slope.

    Parameters
    ----------
    X, signs, metric, references, C
        As for `least_slope`.

    Attributes
    ----------
    solution : Solution
        What `least_slope` found.
    slope : float
        The slope on the sample; 1 / slope is the margin of Theorem 5. Beyond the sample f can be
        steeper (Example 3), up to the sum of the coefficients, ``solution.point.norm``.

    Raises
    ------
    InvalidInput
        If no function of the span separates the classes.

    Examples
    --------
    >>> f = LeastSlopeFunction([[0.0], [1.0], [3.0], [4.0]], [-1, -1, 1, 1])
    >>> f([[1.5], [2.5]]).round(6)
    array([-0.5,  0.5])
    """

    def __init__(
        self,
        X: Any,
        signs: Any,
        metric: str | Metric = "euclidean",
        *,
        references: Any = None,
        C: float = math.inf,
    ) -> None:
        self._metric = metric_named(metric)
        self.solution = least_slope(X, signs, self._metric, references=references, C=C)
        if self.solution.status == "infeasible":
            raise InvalidInput(
                "No sum of distances to the references separates the classes.",
                advice="Pass a finite price C of errors, or more references.",
                value=C,
            )
        point = self.solution.point
        self.slope: float = point.slope
        self._chosen = sample.pick(
            sample.hold(X if references is None else references), point.coefficients.indices
        )

    def __call__(self, X: Any) -> Floats:
        """Compute the values of the function at objects."""
        point = self.solution.point
        if not len(point.coefficients.indices):
            return np.full(sample.count(X), point.intercept)
        found: Floats = (
            pairwise_distances(X, self._chosen, self._metric) @ point.coefficients.values
            + point.intercept
        )
        return found
