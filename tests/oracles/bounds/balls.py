"""Complexities of balls on a few objects, from their definitions: all signs, and for each the best
function.
"""

from itertools import product

import numpy as np
from oracles.bounds.bounds import rademacher_of_two_classes


def signs(n):
    return np.array(list(product((-1.0, 1.0), repeat=n)))


def lipschitz_rademacher(distances: np.ndarray, reach: float) -> float:
    """Of 1-Lipschitz functions with values in [-reach, reach]: of two classes all objects are in
    the first.
    """
    return reach * rademacher_of_two_classes(
        distances, np.zeros(len(distances), dtype=int), 1 / reach
    )


def kuratowski_rademacher(distances: np.ndarray, sample: np.ndarray, base: int) -> float:
    """Of the unit ball on a sample from a whole space with these distances: the best reference for
    each choice of signs.
    """
    coordinates = distances[sample] - distances[base]
    return float(np.abs(signs(len(sample)) @ coordinates).max(axis=1).mean()) / len(sample)


def hilbert_rademacher(points: np.ndarray, base: np.ndarray) -> float:
    """Of the unit ball on points of a Euclidean space: the length of their signed sum."""
    return float(np.linalg.norm(signs(len(points)) @ (points - base), axis=1).mean()) / len(points)


def rademacher_of_losses(values: np.ndarray, y: np.ndarray) -> float:
    """Of the ramp losses of functions, one a row, on objects with labels y = -1 or 1."""
    losses = np.clip(1 - y * values, 0, 1)
    return float((signs(len(y)) @ losses.T).max(axis=1).mean()) / len(y)
