"""Distances straight from their definitions, one pair at a time."""

from collections.abc import Sequence
from functools import cache
from itertools import combinations, permutations
from typing import Any

import numpy as np


def minkowski(one: Sequence[float], other: Sequence[float], p: float) -> float:
    differences = [abs(a - b) for a, b in zip(one, other, strict=True)]
    return max(differences) if np.isinf(p) else sum(each**p for each in differences) ** (1 / p)


def levenshtein(one: Sequence[Any], other: Sequence[Any]) -> int:
    @cache
    def edits(i: int, j: int) -> int:
        if not i or not j:
            return i + j
        return min(
            edits(i - 1, j) + 1,
            edits(i, j - 1) + 1,
            edits(i - 1, j - 1) + (one[i - 1] != other[j - 1]),
        )

    return edits(len(one), len(other))


def normalized_levenshtein(one: Sequence[Any], other: Sequence[Any]) -> float:
    edits = levenshtein(one, other)
    return 2 * edits / (len(one) + len(other) + edits) if edits else 0.0


def hamming(one: Sequence[Any], other: Sequence[Any]) -> int:
    return sum(a != b for a, b in zip(one, other, strict=True))


def jaccard(one: set[Any], other: set[Any]) -> float:
    return 1 - len(one & other) / len(one | other) if one | other else 0.0


def broken_triangles(distances: np.ndarray) -> tuple[int, float]:
    """How many triangles break, and the largest excess of a way over the way round it."""
    broken, worst = 0, 0.0
    for triangle in combinations(range(len(distances)), 3):
        excess = max(
            distances[i, j] - distances[i, k] - distances[k, j]
            for i, j, k in permutations(triangle)
        )
        broken += excess > 1e-9
        worst = max(worst, excess)
    return broken, worst
