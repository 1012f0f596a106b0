"""Capacity that adapts to the dimension that the sample has: chains through cells of several kinds,
and through perturbations.
"""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from wideberth.array_types import Indices
from wideberth.classifiers.margin_neighbors.capacity.chain import (
    ChainedCapacity,
    Level,
    chained_capacity,
)
from wideberth.classifiers.margin_neighbors.capacity.perturbation import MOST_OBJECTS, perturb
from wideberth.classifiers.margin_neighbors.capacity.quantisation import Quantisation, quantise
from wideberth.geometry.measure.blocks import pairwise_distances
from wideberth.metrics.metric import Distances, Metric
from wideberth.metrics.named import bind
from wideberth.objects import sample
from wideberth.progress import doing

#: The most cells of a level, and the most objects among which medians are looked for.
CELLS, MEDIANS_AMONG = 1024, 1000
#: The dimensions of the perturbations, and the most objects for which the linear program guides
#: them.
DIMENSIONS, MOST_RELAXED = (0.25, 0.5, 1.0), 300


@doing("complexity")
def adaptive_capacity(
    objects: Any,
    labels: Any,
    metric: str | Metric | Callable[[Any, Any], float] = "euclidean",
    *,
    n_jobs: int | None = None,
    random_state: int = 0,
) -> ChainedCapacity:
    r"""Bound the complexity on a sample by the best chain of levels, for all Lipschitz constants
    (Kontorovich & Weiss, 5.2).

    Levels have 1, 2, 4, 8... places: centres taken farthest first, which leave no object far away,
    and medians, each of which shortens the distances of all objects to their places most. Up to
    2,000 objects those of the perturbations of dimension 1/4, 1/2 and 1 are levels too
    (`wideberth.papers.perturb`; the linear program guides them up to 300 objects, where it is
    solved within seconds). The trade of displacement for dimension is that of the chain: coarse
    levels are few places, fine ones are near the objects.

    Parameters
    ----------
    objects : sequence
        The sample of n objects.
    labels : array-like of shape (n,)
        Their classes.
    metric : str, Metric or callable
        The distance; without the promise of the triangle inequality there are no perturbations.
    n_jobs : int, optional
        Cores to use; None means all.
    random_state : int
        Determines among which 1,000 objects medians are looked for.

    Returns
    -------
    ChainedCapacity

    Examples
    --------
    >>> curve = np.linspace(0, 1, 100)
    >>> points = np.sin(np.outer(curve, np.arange(1.0, 21.0)))  # a curve in 20 dimensions
    >>> len(
    ...     adaptive_capacity(points, curve > 0.5).chain(0.1)
    ... ) > 1  # several scales are better than one
    True
    """
    objects, measure = bind(objects, metric)
    objects = sample.hold(objects)
    n = sample.count(objects)
    levels = list(
        _levels_of(
            quantise(objects, labels, measure, count=min(CELLS, n), n_jobs=n_jobs), "farthest first"
        )
    )
    chosen = np.sort(np.random.default_rng(random_state).permutation(n)[:MEDIANS_AMONG])
    medians = chosen[
        greedy_medians(
            pairwise_distances(sample.pick(objects, chosen), None, measure, n_jobs=n_jobs)
        )
    ]
    levels += _levels_of(
        quantise(objects, labels, measure, count=CELLS, order=medians, n_jobs=n_jobs), "medians"
    )
    if n <= MOST_OBJECTS and measure.obeys_triangle:
        for dimension in DIMENSIONS:
            moved = perturb(
                objects, measure, dimension, relax=n <= MOST_RELAXED, n_jobs=n_jobs
            ).point
            levels.append(
                Level(
                    moved.images, float(moved.distances.mean()), f"perturbation, b = {dimension:g}"
                )
            )
    return chained_capacity(objects, labels, levels, measure, n_jobs=n_jobs)


def _levels_of(found: Quantisation, kind: str) -> Iterator[Level]:
    """The levels of 1, 2, 4, 8... centres, and of all of them."""
    sizes = [*(2**power for power in range((len(found) - 1).bit_length())), len(found)]
    for size, owners in zip(sizes, found.owners(sizes), strict=True):
        yield Level(found.centres[owners], float(found.displacements[size - 1]), kind)


def greedy_medians(distances: Distances) -> Indices:
    """Order objects so that each one shortens the sum of all distances to the nearest before it as
    much as possible.

    What an object shortens never grows as others join, so that an old value is an upper bound: only
    the objects with the largest ones are measured anew.

    Parameters
    ----------
    distances : ndarray of shape (n, n)
        The distances between the objects.

    Returns
    -------
    ndarray of int
        Positions of different objects, until no distance can be shortened; the first of equally
        good ones.

    Examples
    --------
    >>> points = np.array([0.0, 1.0, 2.0, 9.0])
    >>> greedy_medians(abs(points[:, None] - points))
    array([1, 3, 0, 2])
    """
    first = int(distances.sum(axis=1).argmin())
    order, nearest = [first], distances[first].copy()
    shortened = np.maximum(nearest - distances, 0).sum(axis=1)
    fresh = np.ones(len(distances), dtype=bool)
    while True:
        best = int(shortened.argmax())
        if shortened[best] <= 0:
            return np.array(order)
        if fresh[best]:
            order.append(best)
            nearest = np.minimum(nearest, distances[best])
            fresh[:] = False
        else:
            fresh[best] = True
        shortened[best] = np.maximum(nearest - distances[best], 0).sum()
