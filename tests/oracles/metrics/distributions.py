"""Distances between distributions straight from their definitions, one pair at a time."""

import math
from collections.abc import Sequence
from decimal import Decimal, localcontext
from itertools import pairwise

import numpy as np
from scipy.optimize import linprog

Masses = Sequence[float]


def shares(masses: Masses) -> list[float]:
    total = math.fsum(masses)
    return [mass / total for mass in masses]


def total_variation(one: Masses, other: Masses) -> float:
    return sum(abs(p - q) for p, q in zip(shares(one), shares(other), strict=True)) / 2


def hellinger(one: Masses, other: Masses) -> float:
    roots = [(math.sqrt(p), math.sqrt(q)) for p, q in zip(shares(one), shares(other), strict=True)]
    return math.sqrt(sum((p - q) ** 2 for p, q in roots) / 2)


def chi2(one: Masses, other: Masses) -> float:
    pairs = zip(shares(one), shares(other), strict=True)
    return math.sqrt(sum((p - q) ** 2 / (p + q) for p, q in pairs if p + q) / 2)


def jensen_shannon(one: Masses, other: Masses) -> float:
    """With fifty digits, so that the divergence of nearly equal distributions has some left."""
    with localcontext() as context:
        context.prec = 50
        pairs = [(Decimal(p), Decimal(q)) for p, q in zip(shares(one), shares(other), strict=True)]
        divergence = sum((_surprise(p, q) + _surprise(q, p) for p, q in pairs), Decimal(0)) / 2
        return float((divergence / Decimal(2).ln()).sqrt())


def _surprise(p: Decimal, q: Decimal) -> Decimal:
    return p * (2 * p / (p + q)).ln() if p else Decimal(0)


def wasserstein_of_histograms(one: Masses, other: Masses, positions: Sequence[float]) -> float:
    """The area between the two cumulative distribution functions, step by step."""
    p, q = shares(one), shares(other)
    places = sorted(set(positions))
    area = 0.0
    for here, there in pairwise(places):
        gap = sum(a - b for a, b, place in zip(p, q, positions, strict=True) if place <= here)
        area += abs(gap) * (there - here)
    return area


def wasserstein_of_samples(one: Sequence[float], other: Sequence[float]) -> float:
    """Samples as histograms whose bins are the numbers that occur."""
    positions = [*one, *other]
    first = [1.0] * len(one) + [0.0] * len(other)
    second = [0.0] * len(one) + [1.0] * len(other)
    return wasserstein_of_histograms(first, second, positions)


def earth_mover(one: np.ndarray, other: np.ndarray, ground: np.ndarray) -> float:
    """The linear program over all plans between all bins."""
    bins = len(ground)
    leaving = np.kron(np.eye(bins), np.ones(bins))
    arriving = np.kron(np.ones(bins), np.eye(bins))
    masses = [*shares(np.ravel(one).tolist()), *shares(np.ravel(other).tolist())]
    return float(linprog(ground.ravel(), A_eq=np.vstack([leaving, arriving]), b_eq=masses).fun)
