r"""The Lipschitz classifier on linear scores: the smallest slope plus the price of errors, with a
proved gap (von Luxburg & Bousquet 2004, section 6).
"""

from typing import Any

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import block_array, csr_array, eye_array, hstack

from wideberth.array_types import Floats, Indices
from wideberth.classifiers.linear.robust_hinge import LinearPoint, balancing_factors
from wideberth.errors import UnsolvedProgram
from wideberth.optimize.solution import Solution


def least_slope_scores(matrix: Any, codes: Indices, prices: Floats, n_classes: int) -> Solution:
    r"""Minimise :math:`L + \sum_i c_i \max_{j \ne y_i} (1 - l_{ij})_+` over linear scores with
    leads of slope L.

    The lead of a class over another has the slope :math:`\max_g |w_g^y - w_g^{y'}|` in the L1
    distance of the features, so that L is twice the largest coefficient, after the middle of the
    classes is set to 0. Solved by HiGHS.

    **Lower bound.** The dual program is to maximise :math:`\sum \alpha_{ij}` subject to
    :math:`\alpha \ge 0`, :math:`\sum_j \alpha_{ij} \le c_i`, as much own as rivals' multipliers of
    each class, and :math:`\sum_y \|\Phi' A^y\|_1 \le 2`, where :math:`A_i^y` is :math:`\sum_j
    \alpha_{ij}` for the own class and :math:`-\alpha_{iy}` for another. The multipliers of HiGHS
    become feasible: they are balanced between classes, then scaled.

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

    Returns
    -------
    Solution
        Its point has ``coefficients`` of shape (features, k), and ``intercepts``.

    Examples
    --------
    >>> line, codes = np.array([[0.0], [1.0], [3.0], [4.0]]), np.array([0, 0, 1, 1])
    >>> found = least_slope_scores(line, codes, np.full(4, 10.0), 2)
    >>> round(found.value, 6), found.status  # from lead 1 at 1 to lead -1 at 3
    (1.0, 'optimal')
    """
    features = csr_array(matrix)
    (n, d), k = features.shape, n_classes
    objects, rivals = np.nonzero(np.arange(k) != codes[:, None])
    rows = np.arange(len(objects))
    own, other = (
        csr_array((np.ones(len(rows)), (rows, each)), shape=(len(rows), k))
        for each in (codes[objects], rivals)
    )
    signs, slacks = own - other, csr_array((np.ones(len(rows)), (rows, objects)))
    leads = hstack([signs[:, [code]].multiply(features[objects]) for code in range(k)])
    size, one = eye_array(d * k), csr_array(np.ones((d * k, 1)))
    # the variables: coefficients, class by class; intercepts; slacks; the largest coefficient
    parts: list[list[Any]] = [
        [-leads, -signs, -slacks, None],
        [size, None, None, -one],
        [-size, None, None, -one],
    ]
    constraints: Any = block_array(parts, format="csr")
    bounds: Any = [(None, None)] * (d * k + k) + [(0, None)] * (n + 1)
    found: Any = linprog(
        np.concatenate([np.zeros(d * k + k), prices, [2.0]]),
        A_ub=constraints,
        b_ub=np.concatenate([-np.ones(len(rows)), np.zeros(2 * d * k)]),
        bounds=bounds,
        method="highs",
    )
    if found.status != 0:
        raise UnsolvedProgram("HiGHS did not find the optimum.", status=found.message)
    point = LinearPoint(found.x[: d * k].reshape(k, d).T, found.x[d * k : d * k + k])
    multipliers = np.zeros((n, k))
    multipliers[objects, rivals] = np.maximum(-found.ineqlin.marginals[: len(rows)], 0.0)
    value = _value(features, codes, prices, point)
    bound = _bound(features, codes, prices, multipliers)
    return Solution(point, value, min(bound, value), "optimal")


def _value(features: csr_array, codes: Indices, prices: Floats, point: LinearPoint) -> float:
    """The slope of scores plus the price of their errors."""
    scores = features @ point.coefficients + point.intercepts
    rows = np.arange(len(codes))
    own = scores[rows, codes]
    scores[rows, codes] = -np.inf
    slope = (point.coefficients.max(axis=1) - point.coefficients.min(axis=1)).max(initial=0.0)
    return float(slope + prices @ np.maximum(0.0, 1.0 - (own - scores.max(axis=1))))


def _bound(features: csr_array, codes: Indices, prices: Floats, multipliers: Floats) -> float:
    """The lower bound that multipliers prove after they were balanced and scaled."""
    sums = multipliers.sum(axis=1)
    multipliers = multipliers * np.minimum(1.0, prices / np.maximum(sums, 1e-300))[:, None]
    flow = np.zeros((multipliers.shape[1],) * 2)
    np.add.at(flow, codes, multipliers)
    factors = balancing_factors(flow)
    multipliers = multipliers * (factors / max(1.0, float(factors.max())))[codes]
    signed = -multipliers
    signed[np.arange(len(codes)), codes] = multipliers.sum(axis=1)
    length = float(np.abs(features.T @ signed).sum())
    return float(multipliers.sum()) * min(1.0, 2.0 / max(length, 1e-300))
