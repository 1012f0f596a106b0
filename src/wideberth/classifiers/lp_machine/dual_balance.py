"""Balancing of dual multipliers: both classes must carry the same total weight in the dual program of an LP machine.

Balanced weights are also what the unit of C is computed from.

The constraint :math:`y'a = 0` of the dual program comes from the free intercept of the primal one. Multipliers that a solver
returns satisfy it only up to its tolerance; a lower bound is proved only if they satisfy it exactly.
"""

import numpy as np

from wideberth.array_types import Floats
from wideberth.optimize.column_generation import Columns
from wideberth.rounding import SOLVER_ERROR


def balanced_weights(signs: Floats, weights: Floats) -> Floats:
    """Scale the weights of the heavier class down, so that both classes weigh the same.

    Parameters
    ----------
    signs : ndarray of shape (n,)
        The side of each object, -1 or 1; both occur.
    weights : ndarray of shape (n,)
        Not negative, with a positive sum on both sides.

    Returns
    -------
    ndarray of shape (n,)
        The balanced weights, none larger than before.

    Examples
    --------
    >>> balanced_weights(np.array([-1.0, -1.0, 1.0]), np.array([1.0, 3.0, 2.0]))
    array([0.5, 1.5, 2. ])
    """
    positive, negative = weights @ (signs > 0), weights @ (signs < 0)
    lighter = min(positive, negative)
    return weights * np.where(signs > 0, lighter / positive, lighter / negative)


def balance_multipliers(multipliers: Floats, signs: Floats) -> Floats:
    """Make the sums of both classes equal by reducing the largest multiplier of the heavier class.

    Only one multiplier changes, so that prices of columns that are already known can be updated cheaply. If it is smaller than
    the excess, all multipliers of the heavier class are scaled down instead.

    Parameters
    ----------
    multipliers : ndarray of shape (n,)
        Not negative.
    signs : ndarray of shape (n,)
        The side of each object, -1 or 1.

    Returns
    -------
    ndarray of shape (n,)
        The balanced multipliers, none larger than before.

    Examples
    --------
    >>> balance_multipliers(np.array([1.0, 2.0, 2.5]), np.array([-1.0, -1.0, 1.0]))
    array([1. , 1.5, 2.5])
    """
    excess = float(signs @ multipliers)
    heavier = signs * excess > 0
    largest = int(np.argmax(np.where(heavier, multipliers, -1.0)))
    if multipliers[largest] < abs(excess):
        return balanced_weights(signs, multipliers)
    balanced = multipliers.copy()
    balanced[largest] -= abs(excess)
    return balanced


def critical_price(columns: Columns, signs: Floats, weights: Floats) -> float:
    r"""Compute the unit of C: the largest price of errors at which all coefficients are still 0.

    .. math:: 1 / \max_k \Bigl|\sum_j a_j w_j y_j c_k(x_j)\Bigr|

    with a that balances the classes: the lighter class has :math:`a_j = 1`, the heavier one what makes the classes weigh the
    same. Up to this C all coefficients are 0, because C w a proves that nothing is better. It is in the unit of 1 / c_k and falls
    with the weights, so that a multiple of it means the same in any unit and for a repeated sample. If no column distinguishes
    the balanced classes, it is what a column would give that separates them by its scale.

    Parameters
    ----------
    columns : Columns
        The columns on n objects.
    signs : ndarray of shape (n,)
        The side of each object, -1 or 1.
    weights : ndarray of shape (n,)
        The weight of each object, positive in sum on both sides.

    Returns
    -------
    float
        The critical price, positive.

    Examples
    --------
    >>> from wideberth.estimators.radial_functions import Radial
    >>> from wideberth.classifiers.lp_machine.radial_columns import RadialColumns
    >>> from wideberth.metrics.named import metric
    >>> points = np.array([[0.0], [4.0]])
    >>> columns = RadialColumns(points, points, metric("euclidean"), [Radial("distance")], max_memory=10**6, n_jobs=1)
    >>> critical_price(columns, np.array([-1.0, 1.0]), np.ones(2))
    0.25
    """
    signs = np.asarray(signs, dtype=np.float64)
    balanced = balanced_weights(signs, weights)
    return critical_price_of(columns.price(balanced * signs), balanced, columns.scale)


def critical_price_of(prices: Floats, balanced: Floats, scale: float) -> float:
    """The critical price from the prices of all columns at balanced weights; prices that rounding explains count as 0.

    >>> critical_price_of(np.array([2.0, -4.0]), np.ones(2), scale=1.0)
    0.25
    """
    largest, usual = float(np.abs(prices).max(initial=0.0)), scale * float(balanced.sum())
    return 1.0 / (largest if largest > SOLVER_ERROR * usual else usual)
