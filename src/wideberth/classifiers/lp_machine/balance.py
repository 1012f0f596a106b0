"""Multipliers that weigh both classes alike, as every dual program of two classes wants them."""

import numpy as np

from wideberth.arrays import Floats


def balanced_weights(signs: Floats, weights: Floats) -> Floats:
    """The weights with those of the heavier class scaled down, so that both classes weigh the same.

    >>> balanced_weights(np.array([-1.0, -1.0, 1.0]), np.array([1.0, 3.0, 2.0]))
    array([0.5, 1.5, 2. ])
    """
    positive, negative = weights @ (signs > 0), weights @ (signs < 0)
    lighter = min(positive, negative)
    return weights * np.where(signs > 0, lighter / positive, lighter / negative)


def balance_multipliers(multipliers: Floats, signs: Floats) -> Floats:
    """Multipliers with equal sums in both classes: the largest one of the heavier class gives way, or all.

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
