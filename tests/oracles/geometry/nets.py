"""Nets straight from their definitions, on a matrix of distances."""

import numpy as np


def farthest_first(distances: np.ndarray, start: int = 0) -> tuple[list[int], list[float]]:
    """The order and the insertion distances, down to objects at distance 0 from the order."""
    order, insertions = [start], [np.inf]
    while True:
        gaps = [min(distances[x, c] for c in order) for x in range(len(distances))]
        if max(gaps) <= 0:
            return order, insertions
        order.append(gaps.index(max(gaps)))
        insertions.append(max(gaps))


def greedy_net(distances: np.ndarray, radius: float) -> list[int]:
    net: list[int] = []
    for x in range(len(distances)):
        if all(distances[x, c] >= radius for c in net):
            net.append(x)
    return net


def covering_number(distances: np.ndarray, radius: float) -> int:
    """The least number of closed balls round objects that hold all of them."""
    return _smallest(
        len(distances), lambda chosen: (distances[:, chosen] <= radius).any(axis=1).all()
    )


def packing_number(distances: np.ndarray, separation: float) -> int:
    """The most objects that are pairwise so far apart."""
    n = len(distances)
    return max(len(chosen) for chosen in _subsets(n) if _apart(distances, chosen, separation))


def _apart(distances: np.ndarray, chosen: list[int], separation: float) -> bool:
    gaps = distances[np.ix_(chosen, chosen)][np.triu_indices(len(chosen), 1)]
    return bool((gaps >= separation).all())


def _subsets(n: int) -> list[list[int]]:
    return [[x for x in range(n) if bits >> x & 1] for bits in range(1, 2**n)]


def _smallest(n: int, holds) -> int:
    return min(len(chosen) for chosen in _subsets(n) if holds(chosen))
