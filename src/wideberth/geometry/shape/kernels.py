"""Compiled passes over the cells of a net: cell radii, and the objects that may move to a new net
point.

A cell is the set of objects that have the same nearest net point, their *owner*.
"""

import numpy as np

from wideberth.array_types import Floats, Indices
from wideberth.compilation import compiled


@compiled
def cell_radii(nearest: Floats, owner: Indices, n_owners: int) -> Floats:
    """Compute the largest distance from each owner to an object of its cell.

    Parameters
    ----------
    nearest : ndarray of shape (n,)
        Distance of each object to its owner.
    owner : ndarray of shape (n,)
        Number of the owner of each object, from 0 to ``n_owners - 1``.
    n_owners : int
        How many owners there are.

    Returns
    -------
    ndarray of shape (n_owners,)
        The radii; 0 for an owner without objects.
    """
    radii = np.zeros(n_owners)
    for i in range(owner.size):
        if nearest[i] > radii[owner[i]]:
            radii[owner[i]] = nearest[i]
    return radii


@compiled
def beyond(nearest: Floats, owner: Indices, limits: Floats) -> Indices:
    """Find the objects that are farther from their owner than the limit of that owner.

    Parameters
    ----------
    nearest, owner : ndarray of shape (n,)
        As in `cell_radii`.
    limits : ndarray of shape (n_owners,)
        The limit of each owner.

    Returns
    -------
    ndarray
        Indices of the objects, increasing.
    """
    found = np.empty(owner.size, dtype=np.intp)
    count = 0
    for i in range(owner.size):
        found[count] = i
        count += nearest[i] > limits[owner[i]]
    return found[:count]
