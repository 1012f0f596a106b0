"""Compiled search for the steepest pair of each object: the other object to which a function
changes fastest.
"""

from typing import Any

from numpy.typing import NDArray

from wideberth.array_types import Floats, Indices
from wideberth.compilation import compiled


@compiled
def steepest_in_block(
    block: NDArray[Any],
    first: int,
    values: Floats,
    closest: float,
    partners: Indices,
    slopes: Floats,
    distances: Floats,
) -> None:
    """Find for each row of a block of distances the object to which the function has the largest
    slope.

    Row i of the block belongs to the object ``first + i``. The slope to object j is
    ``abs(values[first + i] - values[j]) / block[i, j]``. Pairs no farther apart than ``closest``
    are skipped. Of several largest slopes the first is taken. Nothing is checked: the block has a
    column for each value.

    Parameters
    ----------
    block : ndarray of shape (r, n)
        The distances from r consecutive objects to all n.
    first : int
        The number of the object of the first row.
    values : ndarray of shape (n,)
        The function.
    closest : float
        The distance up to which pairs are skipped.
    partners, slopes, distances : ndarray of shape (r,)
        Filled in place: the partner, the slope and the distance of each row; -1, 0 and 0 where no
        slope is above 0.

    Examples
    --------
    >>> import numpy as np
    >>> line, found = (
    ...     np.array([[0.0, 1.0, 3.0]]),
    ...     (np.empty(1, dtype=np.intp), np.empty(1), np.empty(1)),
    ... )
    >>> steepest_in_block(line, 0, np.array([0.0, 1.0, 6.0]), 0.0, *found)
    >>> found  # 6 / 3 is steeper than 1 / 1
    (array([2]), array([2.]), array([3.]))
    """
    for i in range(block.shape[0]):
        value, partner, slope, distance = values[first + i], -1, 0.0, 0.0
        for j in range(block.shape[1]):
            d = float(block[i, j])
            rise = abs(value - values[j])
            if rise > slope * d and d > closest:
                slope, partner, distance = rise / d, j, d
        partners[i], slopes[i], distances[i] = partner, slope, distance
