"""Compiled bookkeeping of pick-to-learn: one pass over the objects for each one picked."""

import numpy as np
from numba import njit
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]


@njit(nogil=True, cache=True)
def learn_from(distances: Floats, codes: Indices, picked: int, stretch: float, margin: float, own: Floats, other: Floats) -> int:
    """Take the distances from an object that was picked into account; the object that is most wrong now, -1 if none is.

    ``own`` and ``other`` hold the distances to the picked objects of an object's own class and of other ones, infinite at first,
    and minus infinity in ``own`` for the picked objects themselves, which are never wrong.
    """
    code = codes[picked]
    own[picked] = -np.inf
    worst, most = -1, -np.inf
    for i in range(codes.size):
        if codes[i] == code:
            own[i] = min(own[i], distances[i])
        else:
            other[i] = min(other[i], distances[i])
        if own[i] == -np.inf or (other[i] == np.inf and own[i] < np.inf):
            continue
        wrong = np.inf if own[i] == np.inf else stretch * own[i] - other[i] + margin
        if wrong >= 0 and wrong > most:
            worst, most = i, wrong
    return worst
