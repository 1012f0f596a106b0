"""Compiled passes over the cells of a net: cell radii, and the objects that may move to a new net
point.

A cell is the set of objects that have the same nearest net point, their *owner*.
"""

import numpy as np

from wideberth.array_types import Floats, Indices
from wideberth.compilation import compiled


@compiled
def cell_radii(nearest: Floats, owner: Indices, n_owners: int) -> Floats:
    """Compute the largest distance from each owner to an object of its cell."""
    radii = np.zeros(n_owners)
    for i in range(owner.size):
        if nearest[i] > radii[owner[i]]:
            radii[owner[i]] = nearest[i]
    return radii


@compiled
def beyond(nearest: Floats, owner: Indices, limits: Floats) -> Indices:
    """Find the objects that are farther from their owner than the limit of that owner."""
    found = np.empty(owner.size, dtype=np.intp)
    count = 0
    for i in range(owner.size):
        found[count] = i
        count += nearest[i] > limits[owner[i]]
    return found[:count]
