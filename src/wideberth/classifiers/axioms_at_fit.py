"""What a method that counts on a metric does at fit with a distance that nobody has promised to be one."""

import warnings
from typing import Any

from wideberth.errors import BrokenAxiomWarning
from wideberth.estimators.axioms import broken_triangle
from wideberth.metrics.metric import Metric


def examine_distance(objects: Any, metric: Metric, *, random_state: int | None) -> None:
    """Raise an error for a distance that is no distance at all, and warn with the witness if the triangle inequality breaks.

    Which of them are looked at says `broken_triangle`.
    """
    broken = broken_triangle(objects, metric, random_state=random_state)
    if broken is not None:
        warnings.warn(
            f"{broken.describe(metric.name)} The scores are still those of the best program, and labels can be "
            "predicted; but they need not be Lipschitz, so margins mean less and no radius is certified.",
            BrokenAxiomWarning,
            stacklevel=5,
        )
