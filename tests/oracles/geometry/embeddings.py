"""Distortion and classical scaling from their definitions, pair by pair."""

import numpy as np


def distortion(before, after, neighbors=5):
    """The smallest and the largest factor of any pair, and the ratio of the two among the nearest
    neighbours of each object.
    """
    n = len(before)
    factors = {
        (i, j): after[i][j] / before[i][j]
        for i in range(n)
        for j in range(n)
        if i != j and before[i][j] > 0
    }
    local = []
    for i in range(n):
        others = sorted((before[i][j], j) for j in range(n) if (i, j) in factors)
        if others:
            reach = others[min(neighbors, len(others)) - 1][0]
            near = [factors[i, j] for distance, j in others if distance <= reach]
            local.append(max(near) / min(near) if min(near) else np.inf)
    return (
        min(factors.values(), default=1.0),
        max(factors.values(), default=1.0),
        max(local, default=1.0),
    )


def principal_coordinates(points, others, n_components):
    """Where points lie along the principal axes of ``points``, and where ``others`` lie along the
    same axes.
    """
    mean = points.mean(axis=0)
    _, _, axes = np.linalg.svd(points - mean, full_matrices=False)
    return (points - mean) @ axes[:n_components].T, (others - mean) @ axes[:n_components].T
