"""The typical distance of a sample: the median over some objects, evenly spread, as a unit for
widths and coefficients.
"""

import numpy as np

from wideberth.array_types import Floats, Indices


def evenly_spread(count: int, most: int) -> Indices:
    """Choose at most ``most`` of ``count`` positions at even distances, the first and the last
    among them.

    The choice is deterministic: the same sample in the same order gives the same positions.

    Parameters
    ----------
    count : int
        The number of positions to choose from.
    most : int
        The largest number to choose, from 2 on.

    Returns
    -------
    ndarray of shape (min(count, most),)
        Increasing positions.

    Examples
    --------
    >>> evenly_spread(2, 3), evenly_spread(9, 3)
    (array([0, 1]), array([0, 4, 8]))
    """
    return (
        np.arange(count)
        if count <= most
        else np.linspace(0, count - 1, most).round().astype(np.intp)
    )


def median_distance(distances: Floats) -> float:
    """Compute the median of the positive finite distances.

    Distances of 0, as between an object and itself, and missing or infinite ones do not count.

    Parameters
    ----------
    distances : ndarray of any shape
        Distances in the unit of a metric.

    Returns
    -------
    float
        The median in the same unit; 1 if no distance is positive and finite, so that it can always
        be divided by.

    Examples
    --------
    >>> median_distance(np.array([[0.0, 3.0], [3.0, 0.0]]))
    3.0
    """
    positive = distances[(distances > 0) & np.isfinite(distances)]
    return float(np.median(positive)) if len(positive) else 1.0
