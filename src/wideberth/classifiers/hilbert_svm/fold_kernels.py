"""Compiled sequential minimal optimisation: the SVM of two classes for increasing prices, each
started from the one before.
"""

import numpy as np
from numpy.typing import NDArray

from wideberth.array_types import Floats, Indices
from wideberth.compilation import compiled

#: Curvatures below this, which an indefinite kernel may have, are raised to it, as in LIBSVM.
_FLATTEST = 1e-12
#: Multipliers within this share of a limit are at it: rounding would otherwise keep an object free
#: for ever.
_AT_LIMIT = 1e-12


@compiled
def pair_path(
    kernel: NDArray[np.float32],
    members: Indices,
    signs: Floats,
    weights: Floats,
    prices: Floats,
    queries: Indices,
    tol: float,
    most_steps: int,
    out: Floats,
) -> None:
    """Solve the SVM of two classes for all prices, and write the values of its functions at other
    objects into ``out``.

    The solution for a price is where the search for the next one starts: with multipliers as they
    are, or scaled by the ratio of the prices if most of their sum belongs to objects at their
    limits, which then stay there. Nothing is checked.
    """
    size = members.size
    own = np.empty((size, size), dtype=np.float32)
    for i in range(size):
        for j in range(size):
            own[i, j] = kernel[members[i], members[j]]
    multipliers, residuals, limits = np.zeros(size), np.zeros(size), np.zeros(size)
    for i in range(size):
        residuals[i] = signs[i]
    coefficients = np.empty((prices.size, size))
    for v in range(prices.size):
        _raise_limits(limits, multipliers, residuals, signs, prices[v], weights)
        minimise(own, signs, limits, multipliers, residuals, tol, most_steps)
        offset = intercept(signs, limits, multipliers, residuals)
        for i in range(size):
            coefficients[v, i] = signs[i] * multipliers[i]
        for q in range(queries.size):
            out[v, q] = offset
    for q in range(queries.size):
        row = kernel[queries[q]]
        for i in range(size):
            value = row[members[i]]
            for v in range(prices.size):
                out[v, q] += coefficients[v, i] * value


@compiled
def minimise(
    kernel: NDArray[np.float32],
    signs: Floats,
    limits: Floats,
    multipliers: Floats,
    residuals: Floats,
    tol: float,
    most_steps: int,
) -> int:
    r"""Minimise the dual of an SVM from given multipliers, which are changed in place.

    .. math:: \min_\alpha \tfrac12 \sum_{ij} y_i y_j \alpha_i \alpha_j k_{ij} - \sum_i \alpha_i
        \quad\text{subject to}\quad \sum_i y_i \alpha_i = 0,\ 0 \le \alpha_i \le p_i .

    Each step moves two multipliers: i, whose residual :math:`r_i = y_i - \sum_j k_{ij} y_j
    \alpha_j` is the largest of those whose :math:`y_i \alpha_i` can grow, and of those that can
    shrink the j that promises the largest decrease, :math:`(r_i - r_j)^2 / (k_{ii} + k_{jj} - 2
    k_{ij})` (Fan, Chen & Lin 2005, *Working set selection using second order information*). The end
    is where no two residuals of such a pair differ by ``tol``, as in LIBSVM. On an indefinite
    kernel this is a stationary point.

    Examples
    --------
    >>> line = -0.5 * np.array(
    ...     [[0.0, 1.0, 16.0], [1.0, 0.0, 9.0], [16.0, 9.0, 0.0]], dtype=np.float32
    ... )  # points at 0, 1 and 4
    >>> signs, multipliers, residuals = (
    ...     np.array([-1.0, -1.0, 1.0]),
    ...     np.zeros(3),
    ...     np.array([-1.0, -1.0, 1.0]),
    ... )
    >>> minimise(line, signs, np.full(3, 100.0), multipliers, residuals, 1e-3, 100)
    1
    >>> multipliers.round(3)  # the nearest objects of the two classes carry the margin
    array([0.   , 0.222, 0.222])
    """
    for step in range(most_steps):
        i, high = -1, -np.inf
        for t in range(signs.size):
            grows = multipliers[t] < limits[t] if signs[t] > 0 else multipliers[t] > 0
            if grows and residuals[t] > high:
                i, high = t, residuals[t]
        if i < 0:
            return step
        row = kernel[i]
        j, low, most = -1, np.inf, 0.0
        for t in range(signs.size):
            shrinks = multipliers[t] > 0 if signs[t] > 0 else multipliers[t] < limits[t]
            if shrinks:
                low = min(low, residuals[t])
                ahead = high - residuals[t]
                if ahead > 0:
                    decrease = ahead * ahead / max(-2.0 * row[t], _FLATTEST)
                    if decrease > most:
                        j, most = t, decrease
        if j < 0 or high - low < tol:
            return step
        move = (high - residuals[j]) / max(-2.0 * row[j], _FLATTEST)
        move = min(move, limits[i] - multipliers[i] if signs[i] > 0 else multipliers[i])
        move = min(move, multipliers[j] if signs[j] > 0 else limits[j] - multipliers[j])
        multipliers[i] = _snapped(multipliers[i] + signs[i] * move, limits[i])
        multipliers[j] = _snapped(multipliers[j] - signs[j] * move, limits[j])
        other = kernel[j]
        for t in range(signs.size):
            residuals[t] -= move * (row[t] - other[t])
    return most_steps


@compiled
def intercept(signs: Floats, limits: Floats, multipliers: Floats, residuals: Floats) -> float:
    """The offset b of the function: the mean residual of objects between their limits, else the
    middle of what is possible.
    """
    total, free = 0.0, 0
    high, low = -np.inf, np.inf
    for t in range(signs.size):
        positive, below = multipliers[t] > 0, multipliers[t] < limits[t]
        if positive and below:
            total += residuals[t]
            free += 1
        if below if signs[t] > 0 else positive:
            high = max(high, residuals[t])
        if positive if signs[t] > 0 else below:
            low = min(low, residuals[t])
    return total / free if free else (high + low) / 2.0


@compiled
def _raise_limits(
    limits: Floats,
    multipliers: Floats,
    residuals: Floats,
    signs: Floats,
    price: float,
    weights: Floats,
) -> None:
    """Set limits to those of a larger price; multipliers grow by the same factor if those at limits
    are more than half of the sum.
    """
    total = bounded = 0.0
    for t in range(signs.size):
        total += multipliers[t]
        if multipliers[t] == limits[t]:
            bounded += multipliers[t]
    if 2.0 * bounded > total:
        ratio = price * weights[0] / limits[0]
        for t in range(signs.size):
            multipliers[t] = (
                price * weights[t] if multipliers[t] == limits[t] else ratio * multipliers[t]
            )
            residuals[t] = signs[t] - ratio * (signs[t] - residuals[t])
    for t in range(signs.size):
        limits[t] = price * weights[t]


@compiled
def _snapped(multiplier: float, limit: float) -> float:
    """The multiplier, moved to a limit that only rounding separates it from."""
    if multiplier < _AT_LIMIT * limit:
        return 0.0
    return limit if multiplier > (1.0 - _AT_LIMIT) * limit else multiplier
