"""Functions of as few columns as a tolerance allows."""

from collections.abc import Callable

import numpy as np

from wideberth.array_types import Floats


def fewest_coefficients(coefficients: Floats, good_enough: Callable[[Floats], bool]) -> Floats:
    """Set the smallest coefficients to 0, as many as leave a function that is good enough.

    An interior point has no coefficient of 0, though most columns matter little. How many can go is found by bisection, as if
    dropping more coefficients never made a function better; whatever is returned has been tested.

    Parameters
    ----------
    coefficients : ndarray of shape (p,)
        Coefficients of a function that is good enough.
    good_enough : callable
        ``good_enough(coefficients)`` tells whether a function is; it is called about log2(p) times.

    Returns
    -------
    ndarray of shape (p,)
        The coefficients that are left, and 0 for the others.

    Examples
    --------
    >>> fewest_coefficients(np.array([0.1, -3.0, 0.2, 1.0]), lambda left: np.abs(left).sum() >= 4.0)
    array([ 0., -3.,  0.,  1.])
    """
    smallest_first = np.argsort(np.abs(coefficients), kind="stable")
    found, dropped, too_many = coefficients, 0, len(coefficients) + 1
    while too_many - dropped > 1:
        middle = (dropped + too_many) // 2
        left = coefficients.copy()
        left[smallest_first[:middle]] = 0.0
        if good_enough(left):
            found, dropped = left, middle
        else:
            too_many = middle
    return found
