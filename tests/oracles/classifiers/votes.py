"""How far the vote of the nearest neighbours is from another result, by trying all sets of neighbours."""

from itertools import combinations

import numpy as np


def radius(distances: np.ndarray, codes: np.ndarray, k: int, winner: int) -> float:
    """Half the smallest change of distances after which the k nearest elect another class than the winner.

    For each set of k objects: how much its farthest must gain on the nearest object outside, and, where another class has as many
    votes as the winner, how much its nearest object must gain on that of the winner.
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
