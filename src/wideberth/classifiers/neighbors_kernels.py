"""Compiled loops over the votes of neighbours."""

import numpy as np
from numba import njit
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


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
