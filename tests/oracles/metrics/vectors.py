"""Distances of vectors straight from their definitions, one pair at a time."""

import math
from collections.abc import Sequence
from statistics import NormalDist

import numpy as np


def canberra(one: Sequence[float], other: Sequence[float]) -> float:
    return sum(abs(a - b) / (abs(a) + abs(b)) for a, b in zip(one, other, strict=True) if a or b)


def mahalanobis(one: Sequence[float], other: Sequence[float], covariance: np.ndarray) -> float:
    difference = np.subtract(one, other)
    return math.sqrt(difference @ np.linalg.inv(covariance) @ difference)


def angular(one: Sequence[float], other: Sequence[float]) -> float:
    cosine = np.dot(one, other) / math.hypot(*one) / math.hypot(*other)
    return math.acos(max(-1.0, min(1.0, cosine)))


def haversine(one: Sequence[float], other: Sequence[float]) -> float:
    """The angle between the two places as vectors in space."""
    vectors = [
        (
            math.cos(latitude) * math.cos(longitude),
            math.cos(latitude) * math.sin(longitude),
            math.sin(latitude),
        )
        for latitude, longitude in (one, other)
    ]
    return angular(*vectors)


def standardized(
    one: Sequence[float], other: Sequence[float], scales: Sequence[float], p: int
) -> float:
    return sum(
        abs((a - b) / scale) ** p for a, b, scale in zip(one, other, scales, strict=True)
    ) ** (1 / p)


def spread(column: Sequence[float]) -> float:
    """The distance between the quartiles in units of a normal deviation; else the deviation, else
    1.
    """
    lower, upper = (_quantile(sorted(column), share) for share in (0.25, 0.75))
    mean = math.fsum(column) / len(column)
    deviation = math.sqrt(math.fsum((value - mean) ** 2 for value in column) / len(column))
    normal = 2 * NormalDist().inv_cdf(0.75)
    return (upper - lower) / normal or (deviation if max(column) > min(column) else 1.0)


def _quantile(ordered: list[float], share: float) -> float:
    """Linear between the two order statistics around it, as numpy's default."""
    place = share * (len(ordered) - 1)
    below = math.floor(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (place - below) * (ordered[above] - ordered[below])


def minkowski(one: Sequence[float], other: Sequence[float], p: float) -> float:
    gaps = [abs(a - b) for a, b in zip(one, other, strict=True)]
    return max(gaps) if p == math.inf else sum(gap**p for gap in gaps) ** (1 / p)


def longer(row: Sequence[float], fills: Sequence[float], apart: Sequence[float]) -> list[float]:
    """A row with missing numbers as a longer one without."""
    missing = [math.isnan(x) for x in row]
    filled = [fill if absent else x for x, absent, fill in zip(row, missing, fills, strict=True)]
    return filled + [far * absent for absent, far in zip(missing, apart, strict=True)]
