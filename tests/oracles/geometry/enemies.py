"""Neighbours, nearest enemies and conflicts straight from a matrix of distances."""

from typing import Any

import numpy as np


def nearest(
    distances: np.ndarray, allowed: np.ndarray, k: int
) -> tuple[list[list[int]], list[list[float]]]:
    """The k nearest allowed columns of each row by (distance, index); -1 and infinity where there
    are fewer.
    """
    indices, found = [], []
    for row, may in zip(distances, allowed, strict=True):
        ranked = sorted((float(row[j]), int(j)) for j in np.flatnonzero(may))[:k]
        indices.append([j for _, j in ranked] + [-1] * (k - len(ranked)))
        found.append([d for d, _ in ranked] + [np.inf] * (k - len(ranked)))
    return indices, found


def conflicts(distances: np.ndarray, labels: Any, threshold: float) -> list[tuple[float, int, int]]:
    n = len(labels)
    return sorted(
        (float(distances[i, j]), i, j)
        for i in range(n)
        for j in range(i + 1, n)
        if labels[i] != labels[j] and distances[i, j] < threshold
    )
