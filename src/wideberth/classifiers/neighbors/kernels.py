"""Compiled loops over the votes of neighbours."""

import numpy as np
from numba import njit

from wideberth.arrays import Floats, Integers
from wideberth.rounding import TIE_BREAK


@njit(nogil=True, cache=True)
def cast_votes(voters: Integers, weights: Floats, sizes: Floats, votes: Floats) -> None:
    """Fill ``votes[q, s, c]`` with what the nearest neighbours of weight ``sizes[s]`` in all give to class c.

    Assumes rows of ``voters`` (class numbers, nearest first, -1 where there is none) and of their weights, and increasing sizes.
    The last neighbour that fits only in part gives that part of its weight.
    """
    n_classes = votes.shape[2]
    tally = np.empty(n_classes)
    for query in range(voters.shape[0]):
        tally[:] = 0.0
        counted, position = 0.0, 0
        for size in range(len(sizes)):
            while position < voters.shape[1] and voters[query, position] >= 0:
                if counted + weights[query, position] > sizes[size]:
                    break
                tally[voters[query, position]] += weights[query, position]
                counted += weights[query, position]
                position += 1
            votes[query, size] = tally
            if position < voters.shape[1] and voters[query, position] >= 0:
                votes[query, size, voters[query, position]] += sizes[size] - counted


@njit(nogil=True, cache=True)
def shortest_flips(
    distances: Floats, voters: Integers, weights: Floats, winners: Integers, n_classes: int, size: float, slack: float, ties: bool
) -> Floats:
    """How much closer to each query the far objects would have to be than the near ones for another class to win, at least.

    Assumes rows of distances that do not decrease, with the class and the weight of each object. What is farther than the last
    counts as if it were there; the caller sees whether it matters. `wideberth.classifiers.neighbors.radius` has the argument.
    """
    shortest = np.full(len(distances), np.inf)
    for query in range(len(distances)):
        row = distances[query], voters[query], weights[query]
        for rival in range(n_classes):
            if rival == winners[query]:
                continue
            won = _narrowest(*row, winners[query], rival, size, slack)
            if ties:  # a rival with as many votes wins if its nearest object comes first
                ahead = _first(*row[:2], rival) - _first(*row[:2], winners[query])
                won = min(won, max(ahead, _narrowest(*row, winners[query], rival, size, 0.0)))
            shortest[query] = min(shortest[query], won)
    return shortest


@njit(nogil=True, cache=True)
def _first(distances: Floats, voters: Integers, code: int) -> float:
    """How far the nearest object of a class is; as far as the last, if there is none among these."""
    for place in range(len(voters)):
        if voters[place] == code:
            return float(distances[place])
    return float(distances[-1])


@njit(nogil=True, cache=True)
def _narrowest(
    distances: Floats, voters: Integers, weights: Floats, winner: int, rival: int, size: float, least_lead: float
) -> float:
    """The smallest difference of two distances, far less near, such that objects between them may vote, or not, for the rival.

    All nearer objects vote and no farther ones do, ``size`` votes together; the rival leads by ``least_lead``. The farther the
    far one, the farther may the near one be: two places that move in one direction find all pairs.
    """
    n = len(distances)
    sure, maybe = np.zeros(3), np.zeros(3)  # the votes of winner, rival and others: before the near place, up to the far one
    near, narrowest = 0, np.inf
    for far in range(n):
        maybe[_side(voters[far], winner, rival)] += weights[far]
        while near <= far:
            side = _side(voters[near], winner, rival)
            sure[side] += weights[near]
            if not _wins(sure, maybe, size, least_lead):
                sure[side] -= weights[near]
                break
            near += 1
        if _wins(sure, maybe, size, least_lead):
            beyond = distances[near] if near < n else np.inf
            narrowest = min(narrowest, distances[far] - beyond)
    return narrowest


@njit(nogil=True, cache=True)
def _side(code: int, winner: int, rival: int) -> int:
    return 0 if code == winner else 1 if code == rival else 2


@njit(nogil=True, cache=True)
def _wins(sure: Floats, maybe: Floats, size: float, least_lead: float) -> bool:
    """Whether the rival can lead by so much if those sure to vote do, and of the others as many as it likes, ``size`` in all."""
    free, rounding = size - sure.sum(), TIE_BREAK * size
    if free < -rounding or maybe.sum() < size - rounding:
        return False
    for_rival = min(free, maybe[1] - sure[1])
    for_winner = max(0.0, free - for_rival - (maybe[2] - sure[2]))
    return bool(sure[1] + for_rival - sure[0] - for_winner >= least_lead)
