"""Votes of nearest neighbours with ties in exact fractions, and how far they are from another
result, by trying all sets.
"""

from fractions import Fraction
from itertools import combinations

import numpy as np


def radius(distances: np.ndarray, codes: np.ndarray, k: int, winner: int) -> float:
    """Half the smallest change of distances after which the k nearest elect another class than the
    winner.

    For each set of k objects: how much its farthest must gain on the nearest object outside, and,
    where another class has as many votes as the winner, how much its nearest object must gain on
    that of the winner.
    """
    best = np.inf
    firsts = {code: distances[codes == code].min() for code in np.unique(codes)}
    for chosen in combinations(range(len(codes)), k):
        others = np.setdiff1d(np.arange(len(codes)), chosen)
        gain = distances[list(chosen)].max() - (distances[others].min() if len(others) else np.inf)
        votes = np.bincount(codes[list(chosen)], minlength=codes.max() + 1)
        for rival in set(codes.tolist()) - {winner}:
            if votes[rival] > votes[winner]:
                best = min(best, gain)
            elif votes[rival] == votes[winner]:
                best = min(best, max(gain, firsts[rival] - firsts[winner]))
    return max(best / 2, 0.0)


def elected(
    distances: np.ndarray, codes: np.ndarray, k: int, weights: np.ndarray | None = None
) -> int:
    """The class that the k nearest objects elect: shells share votes, then the nearest shell that
    tells tied classes apart.
    """
    share = shares(distances, codes, k, weights)
    tied = [code for code in sorted(share) if share[code] == max(share.values())]
    for distance in np.unique(distances):
        shell = _by_class(
            codes[distances == distance],
            None if weights is None else weights[distances == distance],
            tied,
        )
        tied = [code for code in tied if shell[code] == max(shell.values())]
    return tied[0]


def shares(
    distances: np.ndarray, codes: np.ndarray, k: int, weights: np.ndarray | None = None
) -> dict[int, Fraction]:
    """The share of each class in k votes: whole shells, and of the last one the part that is
    needed.
    """
    classes, left = np.unique(codes).tolist(), Fraction(k)
    votes = dict.fromkeys(classes, Fraction(0))
    for distance in np.unique(distances):
        here = distances == distance
        shell = _by_class(codes[here], None if weights is None else weights[here], classes)
        part = min(Fraction(1), left / sum(shell.values())) if sum(shell.values()) else Fraction(0)
        votes = {code: votes[code] + part * shell[code] for code in classes}
        left -= part * sum(shell.values())
    total = sum(votes.values())
    return {code: vote / total if total else vote for code, vote in votes.items()}


def _by_class(
    codes: np.ndarray, weights: np.ndarray | None, classes: list[int]
) -> dict[int, Fraction]:
    """The exact sum of the weights of each class."""
    weights = np.ones(len(codes)) if weights is None else weights
    return {
        code: sum((Fraction(float(weight)) for weight in weights[codes == code]), Fraction(0))
        for code in classes
    }
