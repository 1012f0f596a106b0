"""Compiled passes over the distances from candidates to objects: which candidate to add to the
medoids, and which to exchange.

Both follow Kaufman & Rousseeuw (1990), in the order of operations of Schubert & Rousseeuw (2021),
"Fast and eager k-medoids clustering", Information Systems 101, algorithm 3.
"""

import numpy as np
from numpy.typing import NDArray

from wideberth.array_types import Flags, Floats, Indices
from wideberth.compilation import compiled


@compiled
def saved_by_adding(distances: NDArray[np.generic], nearest: Floats, saved: Floats) -> None:
    r"""For each candidate c, by how much the cost falls if it becomes a medoid, :math:`\sum_o
    \max(0, d_1(o) - d(c, o))`.

    Parameters
    ----------
    distances : ndarray of shape (m, n)
        From each candidate to each object.
    nearest : ndarray of shape (n,)
        From each object to its nearest medoid.
    saved : ndarray of shape (m,)
        Is filled.
    """
    for candidate in range(distances.shape[0]):
        total = 0.0
        for i in range(distances.shape[1]):
            gain = nearest[i] - distances[candidate, i]
            if gain > 0.0:
                total += gain
        saved[candidate] = total


@compiled
def two_nearest(
    distances: NDArray[np.generic],
    medoids: Indices,
    owner: Indices,
    nearest: Floats,
    second: Floats,
) -> None:
    """Find the nearest medoid of each object, the first of several, and the distances to it and to
    the second nearest.

    Parameters
    ----------
    distances : ndarray of shape (m, n)
        From each candidate to each object.
    medoids : ndarray of int, shape (k,)
        Which candidates are medoids.
    owner, nearest, second : ndarrays of shape (n,)
        Are filled; ``owner`` with the number of the nearest medoid, from 0 to k - 1. The second
        distance of a single medoid is infinite.
    """
    for i in range(distances.shape[1]):
        nearest[i], second[i] = np.inf, np.inf
        for place in range(medoids.size):
            distance = float(distances[medoids[place], i])
            if distance < nearest[i]:
                second[i] = nearest[i]
                nearest[i] = distance
                owner[i] = place
            elif distance < second[i]:
                second[i] = distance


@compiled
def best_exchange(
    distances: NDArray[np.generic],
    candidate: int,
    owner: Indices,
    nearest: Floats,
    second: Floats,
    tolerance: float,
    changes: Floats,
) -> tuple[int, float]:
    """Find the medoid to exchange for a candidate, and by how much the cost changes.

    Parameters
    ----------
    distances : ndarray of shape (m, n)
        From each candidate to each object.
    candidate : int
        The candidate.
    owner, nearest, second : ndarrays of shape (n,)
        As `two_nearest` fills them.
    tolerance : float
        What is better by no more than this is a tie.
    changes : ndarray of shape (k,)
        Work space.

    Returns
    -------
    int
        The number of the medoid, the first of several that are best.
    float
        The change of the cost; negative if it falls.
    """
    changes[:] = 0.0
    shared = 0.0
    for i in range(distances.shape[1]):
        distance = float(distances[candidate, i])
        if distance < nearest[i]:  # the candidate takes it over, whichever medoid leaves
            shared += distance - nearest[i]
        else:  # it changes only if its own medoid leaves
            changes[owner[i]] += min(distance, second[i]) - nearest[i]
    best = 0
    for place in range(changes.size):
        if changes[place] < changes[best] - tolerance:
            best = place
    return best, changes[best] + shared


@compiled
def exchange_medoids(
    distances: NDArray[np.generic],
    medoids: Indices,
    chosen: Flags,
    owner: Indices,
    nearest: Floats,
    second: Floats,
    tolerance: float,
    most: int,
) -> int:
    """Exchange medoids for candidates as long as the cost falls, each as soon as it is found.

    Parameters
    ----------
    distances : ndarray of shape (m, n)
        From each candidate to each object.
    medoids : ndarray of int, shape (k,)
        Which candidates are medoids; it is changed.
    chosen : ndarray of bool, shape (m,)
        Whether a candidate is a medoid; it is changed.
    owner, nearest, second : ndarrays of shape (n,)
        As `two_nearest` fills them; they are changed.
    tolerance : float
        By how much the cost must fall.
    most : int
        The largest number of exchanges.

    Returns
    -------
    int
        The number of exchanges.
    """
    changes = np.empty(medoids.size)
    exchanges, rejected, candidate = 0, 0, 0
    while rejected < chosen.size and exchanges < most:
        rejected += 1
        if not chosen[candidate]:
            place, change = best_exchange(
                distances, candidate, owner, nearest, second, tolerance, changes
            )
            if change < -tolerance:
                chosen[medoids[place]] = False
                chosen[candidate] = True
                medoids[place] = candidate
                two_nearest(distances, medoids, owner, nearest, second)
                exchanges, rejected = exchanges + 1, 0
        candidate += 1
        if candidate == chosen.size:
            candidate = 0
    return exchanges
