"""Solutions of the Lipschitz program for several prices of errors, each of which starts from the one before."""

import math
import time
from collections.abc import Iterator, Sequence

import numpy as np

from wideberth.array_types import Floats, Indices
from wideberth.classifiers.lipschitz.program import Pricing, initial_program, solve_lipschitz_program
from wideberth.optimize.solution import Solution


def solutions_by_price(
    pricing: Pricing, codes: Indices, weights: Floats, prices: Sequence[float], *, tol: float, max_time: float | None
) -> Iterator[tuple[int, Solution]]:
    """Solve the program for every price, from the smallest to the largest.

    All programs together cost about as much as the hardest one: each starts from the pairs and the basis of the one before.

    Parameters
    ----------
    pricing : Pricing
        Finds violated pairs, and sets the unit of distances.
    codes, weights : ndarray of shape (n,)
        The classes of the objects, and their weights.
    prices : sequence of float
        Finite values of the parameter C.
    tol : float
        The relative gap at which to stop.
    max_time : float or None
        Seconds for each program.

    Yields
    ------
    place : int
        The position of a price in ``prices``.
    solution : Solution
        Its solution in the unit of ``pricing``.

    Examples
    --------
    >>> from wideberth.classifiers.lipschitz.pricing import MatrixPricing
    >>> points, codes = np.array([0.0, 4.0, 5.0]), np.array([0, 1, 1])
    >>> pricing = MatrixPricing(abs(points[:, None] - points), codes, np.ones(3))
    >>> found = solutions_by_price(pricing, codes, np.ones(3), [25.0, 0.1], tol=1e-6, max_time=None)
    >>> [(place, round(float(solution.point.slope), 6)) for place, solution in found]
    [(1, 0.0), (0, 2.0)]
    """
    program, shares = initial_program(pricing, len(codes)), 2.0 * weights / weights.sum()
    for place in np.argsort(prices, kind="stable").tolist():
        deadline = math.inf if max_time is None else time.monotonic() + max_time
        yield place, solve_lipschitz_program(pricing, prices[place] * shares, codes, tol=tol, deadline=deadline, program=program)
