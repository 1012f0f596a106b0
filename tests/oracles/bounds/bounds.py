"""Bounds from their definitions: exact sums, bisection, all chains, all signs."""

import math
from fractions import Fraction
from itertools import combinations, pairwise, permutations, product

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
        low, high = (
            (middle, high) if log_delta + preferent_sum(kept, n, middle) < 0 else (low, middle)
        )
    return high


def shortest_chain(scales: np.ndarray, entropies: np.ndarray, n: float) -> float:
    """The least over all sets of scales that hold the first one."""
    values = []
    for size in range(len(scales)):
        for rest in combinations(range(1, len(scales)), size):
            chain = (0, *rest)
            steps = [
                (scales[i] + scales[j]) * math.sqrt(2 * (entropies[i] + entropies[j]) / n)
                for i, j in pairwise(chain)
            ]
            values.append(scales[chain[-1]] + sum(steps))
    return min(values)


def rademacher_of_two_classes(distances: np.ndarray, codes: np.ndarray, L: float) -> float:
    """The empirical complexity of the margin functions of two classes, a linear program for each
    choice of signs.

    With two classes a margin function is an L-Lipschitz function g into [-1, 1], with h(x, 0) =
    g(x) and h(x, 1) = -g(x).
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
    """The empirical complexity of the margin functions that do not depend on the object: a label
    and a height.
    """
    agreement = np.where(codes == np.arange(k)[:, None], 1, -1)
    suprema = [
        max(0, (agreement * np.array(signs)).sum(axis=1).max())
        for signs in product((-1, 1), repeat=len(codes))
    ]
    return float(np.mean(suprema)) / len(codes)


def rademacher_of_margin_functions(
    distances: np.ndarray, codes: np.ndarray, k: int, L: float
) -> float:
    """The empirical complexity of the margin functions of k classes: all ways to put the objects on
    arms of the star.

    On chosen arms the heights a solve a linear program: differ by at most L d on one arm, and add
    up to at most L d on two.
    """
    n = len(codes)
    first, second = np.triu_indices(n, 1)
    rows, limits, agreements = [], [], []
    for arms in product(range(k), repeat=n):
        together = np.equal(arms, np.array(arms)[:, None])[first, second]
        left, right = np.eye(n)[first], np.eye(n)[second]
        other = np.where(together[:, None], -right, right)
        rows.append(np.r_[left + other, right - left])
        limits.append(
            np.r_[
                L * distances[first, second], np.where(together, L * distances[first, second], 1.0)
            ]
        )
        agreements.append(np.where(codes == np.array(arms), 1, -1))
    cases = list(zip(rows, limits, agreements, strict=True))
    suprema = [
        max(
            -linprog(-np.array(signs) * agreement, A_ub=row, b_ub=limit, bounds=(0, 1)).fun
            for row, limit, agreement in cases
        )
        for signs in product((-1, 1), repeat=n)
    ]
    return float(np.mean(suprema)) / n


def cell_noise(codes: np.ndarray, k: int, *, signed: bool) -> float:
    """The noise of one cell, class by class or pattern by pattern."""
    counts = np.bincount(codes, minlength=k)
    by_class = sum(math.sqrt(count) for count in counts)
    patterns = {tuple(np.where(codes == label, 1, -1)) for label in range(k)}
    if k <= 2:
        return min(by_class, math.sqrt(len(codes)))
    allowed = min(k, len(np.unique(codes)) + 1) * (2 if signed else 1)
    assert len(patterns) <= allowed
    return min(by_class, math.sqrt(2 * len(codes) * math.log(1 + allowed)))


def best_chain(
    distances: np.ndarray, codes: np.ndarray, k: int, levels: list[np.ndarray], L: float
) -> float:
    """The smallest bound of all chains through levels, given as the places of the objects, whose
    places at least double.
    """
    n, best = len(codes), 1.0
    for length in range(1, len(levels) + 1):
        for chain in permutations(range(len(levels)), length):
            sizes = [len(set(levels[each].tolist())) for each in chain]
            if any(finer < 2 * coarser for coarser, finer in pairwise(sizes)):
                continue
            places = [levels[each] for each in chain]
            total = sum(
                cell_noise(codes[places[0] == cell], k, signed=False)
                for cell in set(places[0].tolist())
            )
            for coarse, fine in pairwise(places):
                for one, other in set(zip(coarse.tolist(), fine.tolist(), strict=True)):
                    group = codes[(coarse == one) & (fine == other)]
                    total += L * distances[one, other] * cell_noise(group, k, signed=True)
            best = min(best, (total + L * distances[np.arange(n), places[-1]].sum()) / n)
    return best
