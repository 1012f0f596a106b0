"""Greedy matching by sorting all pairs."""

from typing import Any

import numpy as np


def greedy_matching(
    distances: np.ndarray, labels: Any, up_to: float = np.inf
) -> list[tuple[float, int, int]]:
    labels = list(labels)
    n = len(labels)
    pairs = sorted(
        (float(distances[i, j]), i, j)
        for i in range(n)
        for j in range(i + 1, n)
        if labels[i] != labels[j]
    )
    free, matched = [True] * n, []
    for distance, i, j in pairs:
        if distance <= up_to and free[i] and free[j]:
            free[i] = free[j] = False
            matched.append((distance, i, j))
    return matched


def weighted_matching(
    distances: np.ndarray, labels: Any, weights: Any, up_to: float = np.inf
) -> tuple[list[tuple[float, int, int, float]], list[float]]:
    """The pairs with the amount that each takes, and the distances at which objects are used up."""
    n, remaining = len(labels), list(weights)
    ends = [-np.inf if weight == 0 else np.inf for weight in weights]
    pairs = sorted(
        (float(distances[i, j]), i, j)
        for i in range(n)
        for j in range(i + 1, n)
        if labels[i] != labels[j]
    )
    matched = []
    for distance, i, j in pairs:
        amount = min(remaining[i], remaining[j])
        if distance <= up_to and amount > 0:
            matched.append((distance, i, j, float(amount)))
            for end in (i, j):
                remaining[end] -= amount
                if remaining[end] == 0:
                    ends[end] = distance
    return matched, ends
