"""Distances of vectors straight from their definitions, one pair at a time."""

import math
from collections.abc import Sequence

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
        (math.cos(latitude) * math.cos(longitude), math.cos(latitude) * math.sin(longitude), math.sin(latitude))
        for latitude, longitude in (one, other)
    ]
    return angular(*vectors)
