"""Hidden centres, the distances that decide about labels, and streams of queries around them."""

import numpy as np


def distances(similarity, query, centers, p=2):
    """How far a query is from each centre, by definition; for inner products, minus the product."""
    if similarity == "inner":
        return -centers @ query
    return (np.abs(centers - query) ** (p if similarity == "lp" else 2)).sum(axis=1) ** (
        1 / (p if similarity == "lp" else 2)
    )


def centers_in_ball(count, dimension, generator):
    """Centres spread over the unit ball."""
    points = generator.normal(size=(count, dimension))
    return (
        points
        / np.linalg.norm(points, axis=1, keepdims=True)
        * generator.random((count, 1)) ** (1 / dimension)
    )


def queries_in_ball(count, dimension, generator):
    """Queries spread over the unit ball."""
    return centers_in_ball(count, dimension, generator)


def queries_near_borders(count, similarity, centers, generator, p=2):
    """Queries that bisection has brought close to a border, to within distances of all
    magnitudes.
    """
    found = []
    while len(found) < count:
        here, there = queries_in_ball(2, centers.shape[1], generator)
        nearest = [int(distances(similarity, each, centers, p).argmin()) for each in (here, there)]
        if nearest[0] == nearest[1]:
            continue
        for _ in range(generator.integers(2, 20)):
            middle = (here + there) / 2
            if int(distances(similarity, middle, centers, p).argmin()) == nearest[0]:
                here = middle
            else:
                there = middle
        found.append(here)
    return np.array(found)
