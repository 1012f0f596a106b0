"""The axioms of a metric, tried on a sample: on all of its objects, or on some that are drawn at random."""

from typing import Any

import numpy as np

from wideberth.geometry.measure.blocks import pairwise_distances
from wideberth.metrics.axioms import Violation, find_violations
from wideberth.metrics.metric import Metric
from wideberth.metrics.precomputed import Precomputed
from wideberth.objects import sample

#: Objects on which a triangle inequality that is not promised is tried, in all their triangles.
EXAMINED = 150


def broken_axioms(objects: Any, metric: Metric, *, most: int | None, random_state: int | None) -> list[Violation]:
    """The axioms that a distance breaks on a sample, each with its worst witness.

    All pairs and all triangles of the examined objects are tried, n^2 distances and n^3 / 6 triangles of n objects. That none is
    broken proves nothing about other objects.

    Parameters
    ----------
    objects : sample
        Prepared by the metric. Rows of distances to the objects of a matrix (`Precomputed`) have no distances to each other and
        break no axiom.
    metric : Metric
        The distance to try. Its promises are tried like everything else.
    most : int or None
        How many objects are examined at most, drawn at random without replacement; None examines all of them.
    random_state : int or None
        The seed of that draw.

    Returns
    -------
    list of Violation
        The most serious axiom first; objects are named by their positions in the sample.

    Examples
    --------
    >>> backwards = Metric(lambda left, right: np.maximum(left - right.T, 0.0))
    >>> [found.axiom for found in broken_axioms(np.array([[0.0], [1.0], [3.0]]), backwards, most=None, random_state=0)]
    ['symmetric']
    """
    if metric.accepts == "indices" and np.ndim(objects) == 2:
        return []
    n = sample.count(objects)
    examined = np.arange(n)
    if most is not None and n > most:
        examined = np.sort(np.random.default_rng(random_state).choice(n, most, replace=False))
    distances = pairwise_distances(sample.pick(objects, examined), None, metric)
    return [violation.at(examined) for violation in find_violations(distances)]


def broken_triangle(objects: Any, metric: Metric, *, random_state: int | None) -> Violation | None:
    """The triangle that breaks the inequality most, for methods that also work, with less to promise, without the inequality.

    A metric that promises the axioms is trusted. All entries of a matrix are examined; of other distances, those between 150
    objects drawn at random.

    Parameters
    ----------
    objects : sample
        Prepared by the metric.
    metric : Metric
        The distance to try.
    random_state : int or None
        The seed of the draw.

    Returns
    -------
    Violation or None
        The worst triangle; None if the inequality is promised or holds on the examined objects.

    Raises
    ------
    BrokenAxiom
        If another axiom is broken: the distance is negative or not finite, not symmetric, or not 0 from an object to itself.

    Examples
    --------
    >>> squares = np.array([[0.0, 1.0, 4.0], [1.0, 0.0, 1.0], [4.0, 1.0, 0.0]])
    >>> broken_triangle(np.arange(3), Precomputed(squares), random_state=0).values
    (4.0, 1.0, 1.0)
    """
    if metric.obeys_triangle:
        return None
    most = None if isinstance(metric, Precomputed) else EXAMINED
    violations = broken_axioms(objects, metric, most=most, random_state=random_state)
    for violation in violations:
        if violation.axiom != "triangle":
            raise violation.error(metric.name)
    return violations[0] if violations else None
