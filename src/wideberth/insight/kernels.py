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
    \max(0, d_1(o) - d(c, o))` for the distances :math:`d_1` to the nearest medoid; ``distances``
    are from candidates to objects.
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
    """Find the nearest medoid of each object, the first of several, as a number from 0 to k - 1,
    and the distances to it and to the second nearest, infinite if there is one medoid.
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
    """Find the medoid to exchange for a candidate, the first of several that are best up to the
    tolerance, and by how much the cost changes, negative if it falls; ``changes`` is work space.
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
    """Exchange medoids for candidates as long as the cost falls by more than the tolerance, each as
    soon as it is found, and return how often; all of ``medoids`` to ``second`` are changed.
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
