"""Transforms of distances, one number at a time; and promises by hand, for each transform as a
paper states them.
"""

import math
from fractions import Fraction
from itertools import pairwise
from typing import Any


def scaled(t: float, factor: float) -> float:
    return factor * t


def capped(t: float, at: float) -> float:
    return t if t < at else at


def power(t: float, exponent: float) -> float:
    return math.pow(t, exponent)


def saturated(t: float) -> float:
    return t / (1 + t)


def one_minus_exp(t: float, rate: float) -> float:
    return 1 - math.exp(-rate * t)


def schoenberg(t: float, weights: list[float], rates: list[float], linear: float) -> float:
    terms = [
        weight * (1 - math.exp(-rate * t * t)) for weight, rate in zip(weights, rates, strict=True)
    ]
    return math.sqrt(linear * t * t + sum(terms))


def product(distances: list[float], weights: list[float], p: float) -> float:
    weighted: list[Any] = [
        weight * distance for weight, distance in zip(weights, distances, strict=True)
    ]
    return max(weighted) if p == math.inf else sum(each**p for each in weighted) ** (1 / p)


def differences(series: list[float]) -> list[float]:
    return [after - before for before, after in pairwise(series)]


def znormalized(series: list[float]) -> list[float]:
    """In exact arithmetic up to the root; zeros for a constant, also where values differ by
    rounding alone.
    """
    exact = [Fraction(value) for value in series]
    mean = sum(exact) / len(exact)
    shifted = max(abs(value - exact[0]) for value in exact)
    if shifted <= Fraction(2) ** -50 * max(map(abs, exact)):
        return [0.0] * len(exact)
    units = [(value - mean) / shifted for value in exact]
    spread = math.sqrt(sum(value**2 for value in units) / len(units))
    return [float(value) / spread for value in units]
