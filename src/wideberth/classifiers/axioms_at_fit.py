"""What a method that counts on a metric does at fit with a distance that nobody has promised to be one."""

import warnings
from typing import Any

import numpy as np

from wideberth.errors import BrokenAxiomWarning
from wideberth.geometry.distances import pairwise_distances
from wideberth.metrics.axioms import find_violations
from wideberth.metrics.metric import Metric
from wideberth.metrics.precomputed import Precomputed
from wideberth.objects import sample

#: Objects on which an unpromised triangle inequality is tried, in all their triangles.
_TRIED = 150


def examine_distance(objects: Any, metric: Metric, *, random_state: int | None) -> None:
    """Raise an error for a distance that is no distance at all, and warn with the witness if the triangle inequality breaks.

    A metric that promises the axioms is believed. Of a matrix every entry is looked at, of other distances those between some
    objects chosen at random.
    """
    if metric.obeys_triangle:
        return
    n = sample.count(objects)
    chosen = np.arange(n)
    if n > _TRIED and not isinstance(metric, Precomputed):
        chosen = np.sort(np.random.default_rng(random_state).choice(n, _TRIED, replace=False))
    distances = pairwise_distances(sample.pick(objects, chosen), None, metric)
    for violation in find_violations(distances):
        if violation.axiom != "triangle":
            raise violation.at(chosen).error(metric.name)
        warnings.warn(
            f"{violation.at(chosen).describe(metric.name)} The scores are still those of the best program, and labels can be "
            "predicted; but they need not be Lipschitz, so margins mean less and no radius is certified.",
            BrokenAxiomWarning,
            stacklevel=5,
        )
