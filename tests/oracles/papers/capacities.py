"""Rademacher averages as their definitions say, sign vector by sign vector."""

from itertools import product

import numpy as np


def kuratowski_average(distances, base, references):
    """The best of all references, for all sign vectors."""
    n = len(distances)
    best = [
        max(
            abs(sum(signs[i] * (distances[i][z] - distances[base][z]) for i in range(n)))
            for z in references
        )
        for signs in product((-1, 1), repeat=n)
    ]
    return float(np.mean(best)) / n


def hilbert_average(points, base):
    """The length of the signed sum of points in a Euclidean space, for all sign vectors."""
    from_base = np.asarray(points) - points[base]
    lengths = [
        np.linalg.norm(np.array(signs) @ from_base)
        for signs in product((-1, 1), repeat=len(points))
    ]
    return float(np.mean(lengths)) / len(points)
