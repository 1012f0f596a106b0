"""A distance that nobody has promised to be a metric, tried on some of the objects before anything is learned from them."""

from typing import Any

import numpy as np

from wideberth.geometry.distances import pairwise_distances
from wideberth.metrics.axioms import Violation, find_violations
from wideberth.metrics.metric import Metric
from wideberth.metrics.precomputed import Precomputed
from wideberth.objects import sample

#: Objects on which an unpromised triangle inequality is tried, in all their triangles.
_TRIED = 150


def broken_triangle(objects: Any, metric: Metric, *, random_state: int | None) -> Violation | None:
    """The triangle that breaks the inequality most, or None; an error if the distance is no distance at all.

    A metric that promises the axioms is believed. Of a matrix every entry is looked at, of other distances those between some
    objects chosen at random.

    >>> squares = np.array([[0.0, 1.0, 4.0], [1.0, 0.0, 1.0], [4.0, 1.0, 0.0]])
    >>> broken_triangle(np.arange(3), Precomputed(squares), random_state=0).values
    (4.0, 1.0, 1.0)
    """
    if metric.obeys_triangle:
        return None
    n = sample.count(objects)
    chosen = np.arange(n)
    if n > _TRIED and not isinstance(metric, Precomputed):
        chosen = np.sort(np.random.default_rng(random_state).choice(n, _TRIED, replace=False))
    distances = pairwise_distances(sample.pick(objects, chosen), None, metric)
    violations = [violation.at(chosen) for violation in find_violations(distances)]
    for violation in violations:
        if violation.axiom != "triangle":
            raise violation.error(metric.name)
    return violations[0] if violations else None
