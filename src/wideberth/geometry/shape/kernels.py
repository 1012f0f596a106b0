"""Compiled passes over objects and their owners: which of them a new net point may come nearer to."""

import numpy as np
from numba import njit

from wideberth.arrays import Floats, Indices


@njit(nogil=True, cache=True)
def cell_radii(nearest: Floats, owner: Indices, n_owners: int) -> Floats:
    """How far the farthest object of every owner is from it."""
    radii = np.zeros(n_owners)
    for i in range(owner.size):
        if nearest[i] > radii[owner[i]]:
            radii[owner[i]] = nearest[i]
    return radii


@njit(nogil=True, cache=True)
def beyond(nearest: Floats, owner: Indices, limits: Floats) -> Indices:
    """The objects that are farther from their owner than the limit of that owner, in order."""
    found = np.empty(owner.size, dtype=np.intp)
    count = 0
    for i in range(owner.size):
        found[count] = i
        count += nearest[i] > limits[owner[i]]
    return found[:count]
