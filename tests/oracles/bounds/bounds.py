"""Bounds from their definitions: exact sums, bisection, all chains, all signs."""

import math
from fractions import Fraction
from itertools import combinations, pairwise, product

import numpy as np
from scipy.optimize import linprog
from scipy.special import gammaln, logsumexp


def log_binomial_tail(errors: int, n: int, p: Fraction) -> float:
    """The logarithm of P(Bin(n, p) <= errors), from an exact sum."""
    terms = (math.comb(n, i) * p**i * (1 - p) ** (n - i) for i in range(errors + 1))
    tail = sum(terms, Fraction(0))
    if tail > Fraction(1, 2):
        return math.log1p(float(tail - 1))
    return math.log(tail.numerator) - math.log(tail.denominator) if tail else -math.inf


def preferent_sum(kept: int, n: int, eps: float) -> float:
    """The logarithm of the sum in the definition of the preferent bound, over n."""
    m = np.arange(kept, n)
    log_ratio = gammaln(m + 1) - gammaln(m - kept + 1) - gammaln(n + 1) + gammaln(n - kept + 1)
    return float(logsumexp(log_ratio - (n - m) * math.log1p(-eps))) - math.log(n)


def preferent_bound(kept: int, n: int, log_delta: float) -> float:
    """The root of delta times the sum = 1 in (kept / n, 1), by bisection."""
    low, high = kept / n, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        if middle == 1.0:
            break
        low, high = (middle, high) if log_delta + preferent_sum(kept, n, middle) < 0 else (low, middle)
    return high


def shortest_chain(scales: np.ndarray, entropies: np.ndarray, n: float) -> float:
    """The least over all sets of scales that hold the first one."""
    values = []
    for size in range(len(scales)):
        for rest in combinations(range(1, len(scales)), size):
            chain = (0, *rest)
            steps = [(scales[i] + scales[j]) * math.sqrt(2 * (entropies[i] + entropies[j]) / n) for i, j in pairwise(chain)]
            values.append(scales[chain[-1]] + sum(steps))
    return min(values)


def rademacher_of_two_classes(distances: np.ndarray, codes: np.ndarray, L: float) -> float:
    """The empirical complexity of the margin functions of two classes, a linear program for each choice of signs.

    With two classes a margin function is an L-Lipschitz function g into [-1, 1], with h(x, 0) = g(x) and h(x, 1) = -g(x).
    """
    n = len(codes)
    first, second = np.triu_indices(n, 1)
    slopes = np.zeros((len(first), n))
    slopes[np.arange(len(first)), first], slopes[np.arange(len(first)), second] = 1.0, -1.0
    limits = L * distances[first, second]
    suprema = [
        -linprog(
            -np.array(signs) * np.where(codes == 0, 1, -1),
            A_ub=np.r_[slopes, -slopes],
            b_ub=np.r_[limits, limits],
            bounds=(-1, 1),
        ).fun
        for signs in product((-1, 1), repeat=n)
    ]
    return float(np.mean(suprema)) / n


def rademacher_of_constants(codes: np.ndarray, k: int) -> float:
    """The empirical complexity of the margin functions that do not depend on the object: a label and a height."""
    agreement = np.where(codes == np.arange(k)[:, None], 1, -1)
    suprema = [max(0, (agreement * np.array(signs)).sum(axis=1).max()) for signs in product((-1, 1), repeat=len(codes))]
    return float(np.mean(suprema)) / len(codes)
