"""Perturbations of a few objects from the definitions, by trying everything."""

from itertools import product

import numpy as np
from oracles.geometry.nets import _subsets, covering_number


def doubling_dimension(distances: np.ndarray) -> float:
    """The logarithm of the most balls of half its radius, round objects, that the objects in a ball
    need.
    """
    most = 1
    for centre in range(len(distances)):
        for radius in distances[centre]:
            ball = np.flatnonzero(distances[centre] <= radius)
            covers = (
                chosen
                for chosen in _subsets(len(distances))
                if (distances[np.ix_(ball, chosen)] <= radius / 2).any(1).all()
            )
            most = max(most, min(map(len, covers)))
    return float(np.log2(most))


def displacement(distances: np.ndarray, members: list[int]) -> float:
    return float(distances[:, members].min(axis=1).sum())


def least_displacement(distances: np.ndarray, dimension: float) -> float:
    """Over all sets of places whose doubling dimension is not larger."""
    return min(
        displacement(distances, chosen)
        for chosen in _subsets(len(distances))
        if doubling_dimension(distances[np.ix_(chosen, chosen)]) <= dimension + 1e-9
    )


def keeps_its_promise(
    distances: np.ndarray, levels: np.ndarray, radii: np.ndarray, capacity: int
) -> bool:
    """Whether every member is near every net, and no net has too many points near any object."""
    members = np.flatnonzero(levels >= 0)
    for level, radius in enumerate(radii):
        net = np.flatnonzero((levels >= 0) & (levels <= level))
        if not (distances[np.ix_(members, net)] <= radius).any(axis=1).all():
            return False
        if (distances[:, net] <= 8 * radius).sum(axis=1).max() > capacity:
            return False
    return len(members) > 0


def least_filling(distances: np.ndarray, radii: np.ndarray, capacity: int) -> float:
    """Over all ways to give each object the first net it belongs to, or only membership, or not
    even that.
    """
    choices = product(range(-1, len(radii) + 1), repeat=len(distances))
    return min(
        displacement(distances, np.flatnonzero(np.array(levels) >= 0).tolist())
        for levels in choices
        if keeps_its_promise(distances, np.array(levels), radii, capacity)
    )


def covers_as_promised(distances: np.ndarray, diameter: float, dimension: float) -> bool:
    """Whether (2 diameter / r) ** dimension balls of radius r are enough for every r, at worst just
    below a distance.
    """
    radii = np.unique(distances[distances > 0]) * (1 - 1e-12)
    return all(
        covering_number(distances, radius) <= (2 * diameter / radius) ** dimension * (1 + 1e-9)
        for radius in radii
    )
