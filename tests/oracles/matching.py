"""Greedy matching by sorting all pairs."""

from typing import Any

import numpy as np


def greedy_matching(distances: np.ndarray, labels: Any, up_to: float = np.inf) -> list[tuple[float, int, int]]:
    labels = list(labels)
    n = len(labels)
    pairs = sorted((float(distances[i, j]), i, j) for i in range(n) for j in range(i + 1, n) if labels[i] != labels[j])
    free, matched = [True] * n, []
    for distance, i, j in pairs:
        if distance <= up_to and free[i] and free[j]:
            free[i] = free[j] = False
            matched.append((distance, i, j))
    return matched
