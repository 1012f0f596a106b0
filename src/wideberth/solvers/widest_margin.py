"""The largest margin that functions of the columns have, or the proof that they have none."""

import math

import numpy as np
from numpy.typing import NDArray

from wideberth.solvers.distance_point import Coefficients, Columns, DistancePoint, Floats, Indices, constant
from wideberth.solvers.generated_columns import GeneratedColumns, RunningPrices
from wideberth.solvers.multiplier_program import MarginProgram
from wideberth.solvers.solution import Solution

#: Margins below this share of the scale cannot be told from none.
MARGIN_FLOOR = 1e-9
#: A column is violated if its price is above that of all generated ones by more than this share.
_VIOLATED = 1e-9


def widest_margin(
    columns: Columns, signs: Floats, there: NDArray[np.bool_], start: Indices, *, tol: float, deadline: float = math.inf
) -> Solution:
    r"""Minimise :math:`|\beta|_1` subject to :math:`y_j (\sum_k \beta_k c_k(x_j) + b) \geq 1` for the objects that are ``there``.

    The program of the largest margin of functions with :math:`|\beta|_1 \leq 1` is always feasible: its dual is to minimise the
    largest price :math:`t = \max_k |\sum_j a_j y_j c_k(x_j)|` over :math:`a \geq 0` with :math:`\sum_j a_j = 1` and
    :math:`y'a = 0`. A margin of t is a norm of 1 / t; if t is 0, the multipliers prove that there is none, and the
    status is "infeasible". The columns at ``start`` are generated first.
    """
    program, generated, prices = MarginProgram(signs, there), GeneratedColumns(columns, signs), RunningPrices(columns, signs)
    if len(start):
        program.add(generated.add(start))
    point, value, lower = constant(0.0, np.zeros(len(signs))), math.inf, 0.0
    while True:
        vertex = program.solve(deadline)
        if vertex is None:
            return Solution(point, value, lower, "stopped at max_time")
        multipliers = _halves(prices.settled(np.maximum(vertex.multipliers, 0.0)), signs)
        priced = prices.at(multipliers)
        largest = float(np.abs(priced).max(initial=0.0))
        if largest <= MARGIN_FLOOR * generated.scale:
            return Solution(constant(0.0, multipliers), math.inf, math.inf, "infeasible")
        if 1.0 / largest > lower:
            lower = 1.0 / largest
            point = DistancePoint(point.coefficients, point.intercept, multipliers / largest)
        coefficients, _, sums = generated.function(vertex.coefficients, vertex.intercept)
        widest = hardened(coefficients, sums, signs, there, generated.scale)
        if widest is not None and widest.norm < value:
            point, value = DistancePoint(widest.coefficients, widest.intercept, point.multipliers), widest.norm
        if lower >= (1.0 - tol) * value:
            return Solution(point, value, lower, "optimal")
        limit = float(np.abs(priced[generated.indices]).max(initial=0.0))
        rows = generated.add_violated(priced, limit * (1.0 + _VIOLATED))
        if rows is None:
            return Solution(point, value, lower, "stopped at rounding")
        program.add(rows)


def hardened(
    coefficients: Coefficients, sums: Floats, signs: Floats, there: NDArray[np.bool_], scale: float
) -> DistancePoint | None:
    """The function of these coefficients moved to the middle of its margin and scaled so that this is 1; None if it has none.

    ``sums`` are its values without an intercept: beside that, a small margin would drown in rounding.

    >>> found = hardened(Coefficients(np.array([4]), np.array([1.0])), np.array([1.0, 5.0, 9.0]), np.array([-1.0, 1.0, 1.0]),
    ...                  np.full(3, True), 1.0)
    >>> found.coefficients.values, found.intercept
    (array([0.5]), -1.5)
    """
    lowest, highest = float(sums[there & (signs > 0)].min()), float(sums[there & (signs < 0)].max())
    margin, middle = 0.5 * (lowest - highest), 0.5 * (lowest + highest)
    if margin <= MARGIN_FLOOR * scale * float(np.abs(coefficients.values).sum()):
        return None
    scaled = Coefficients(coefficients.indices, coefficients.values / margin)
    return DistancePoint(scaled, -middle / margin, np.zeros(len(signs)))


def _halves(multipliers: Floats, signs: Floats) -> Floats:
    """The multipliers with a sum of one half for either sign."""
    sums = np.where(signs > 0, multipliers @ (signs > 0), multipliers @ (signs < 0))
    return 0.5 * multipliers / sums
