"""Whether a metric may be called one where a bound needs it: what it promises, and what some of the objects say to that."""

from typing import Any

import numpy as np

from wideberth.geometry.distances import pairwise_distances
from wideberth.metrics.axioms import Violation, find_violations
from wideberth.metrics.metric import Metric
from wideberth.objects import sample

#: Objects whose distances are measured and whose triangles are all tried.
TRIED = 60


def metric_doubts(objects: Any, metric: Metric) -> tuple[str, ...]:
    """Why a bound that needs a metric does not hold: a broken axiom, with its witness, or no promise; empty if nothing is wrong.

    Promises are tried too: a metric that breaks its word is found out if it does so often.

    >>> metric_doubts(np.array([[0.0], [1.0], [2.0]]), Metric(lambda a, b: (a - b.T) ** 2, name="squared", obeys_triangle=True))
    ("'squared' breaks the triangle inequality at objects 0, 1, 2: d(0, 2) = 4 > 1 + 1 = d(0, 1) + d(1, 2).",)
    """
    broken = broken_axioms(objects, metric)
    if broken:
        return tuple(each.describe(metric.name) for each in broken)
    if metric.obeys_triangle:
        return ()
    said = "does not obey" if metric.obeys_triangle is False else "does not promise to obey"
    return (f"{metric.name!r} {said} the triangle inequality, which this needs.",)


def broken_axioms(objects: Any, metric: Metric) -> list[Violation]:
    """The axioms that prepared objects break, each with its worst witness, among some that are spread evenly over the sample.

    Rows of distances, of objects that have no distances between each other, break none.

    >>> [each.axiom for each in broken_axioms(np.array([[0.0], [1.0], [3.0]]), Metric(lambda a, b: np.maximum(a - b.T, 0)))]
    ['symmetric']
    """
    if metric.eats == "indices" and np.ndim(objects) == 2:
        return []
    n = sample.count(objects)
    chosen = np.unique(np.linspace(0, n - 1, min(n, TRIED)).astype(np.intp))
    distances = pairwise_distances(sample.pick(objects, chosen), None, metric)
    return [each.at(chosen) for each in find_violations(distances)]
