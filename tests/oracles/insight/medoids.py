"""Medoids by their definitions: every cost is added up anew. Row c of the distances are those from
candidate c to all objects.
"""

from itertools import combinations

import numpy as np


def cost(distances, medoids):
    return distances[list(medoids)].min(axis=0).sum()


def greedy(distances, k):
    """Each time the candidate with which the cost is lowest, the first of several."""
    medoids = []
    for _ in range(k):
        rest = [c for c in range(len(distances)) if c not in medoids]
        medoids.append(min(rest, key=lambda c: (cost(distances, [*medoids, c]), c)))
    return medoids


def exchanged(distances, medoids):
    """Exchange medoids as long as the cost falls: candidates in turn, each for the medoid that it
    replaces best.
    """
    medoids, candidate, rejected = list(medoids), 0, 0
    while rejected < len(distances):
        rejected += 1
        if candidate not in medoids:
            trials = [
                [*medoids[:place], candidate, *medoids[place + 1 :]]
                for place in range(len(medoids))
            ]
            best = min(trials, key=lambda trial: cost(distances, trial))
            if cost(distances, best) < cost(distances, medoids):
                medoids, rejected = best, 0
        candidate = (candidate + 1) % len(distances)
    return medoids


def optimum(distances, k):
    return min(cost(distances, medoids) for medoids in combinations(range(len(distances)), k))


def improvable(distances, medoids):
    """Whether a single exchange lowers the cost."""
    now = cost(distances, medoids)
    return any(
        cost(distances, [*np.delete(medoids, place), candidate]) < now * (1 - 1e-9)
        for place in range(len(medoids))
        for candidate in range(len(distances))
    )
