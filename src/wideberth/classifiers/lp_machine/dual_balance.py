"""Balancing of dual multipliers: both classes must carry the same total weight in the dual program of an LP machine.

The constraint :math:`y'a = 0` of the dual program comes from the free intercept of the primal one. Multipliers that a solver
returns satisfy it only up to its tolerance; a lower bound is proved only if they satisfy it exactly.
"""

import numpy as np

from wideberth.array_types import Floats


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
