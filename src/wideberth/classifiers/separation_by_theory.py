"""The separation with the smallest structural risk of Kontorovich & Weiss."""

from math import log

import numpy as np
from numpy.typing import NDArray

from wideberth.bounds.margin import combined_penalty
from wideberth.certificate import Certificate
from wideberth.classifiers.covering import greedy_path, solved_path
from wideberth.classifiers.interface import Training
from wideberth.classifiers.separation import Choice, RiskCurve, Settings, condensed, error_of_guessing, match
from wideberth.geometry.distances import pairwise_distances
from wideberth.objects import sample

Floats = NDArray[np.float64]

#: Separations at which the risk is evaluated, at most.
CANDIDATES = 64
#: A Lipschitz constant so small that the penalty is that of a constant classifier.
_FLAT = 1e-9


def choose_by_theory(training: Training, settings: Settings) -> Choice:
    r"""Minimise :math:`Q(L) = |C_t| / n + \Delta(L)` over the covers :math:`C_t`, with L = 2 / t in units of the diameter.

    :math:`\Delta` is the smaller of the penalties of Theorems 4 and 5 in versions whose constants are proved, with half of delta
    for each. The diameter is bounded by twice the largest distance from the first object.
    """
    matching = match(training, settings)
    path = greedy_path(matching)
    total = float(training.weights.sum())
    separations = path.spread(CANDIDATES, below=total)
    covers = [matching.exhausted() < each for each in separations]
    if settings.cover in ("lp", "exact"):
        path, covers = solved_path(training, separations, settings.cover, **settings.room)
    diameter = _diameter(training)
    removed = np.array([float(training.weights[cover].sum()) for cover in covers]) / total
    penalties = np.array([_penalty(training, max(2.0 * diameter / each, _FLAT), settings) for each in separations])
    risks = removed + penalties
    best = int(np.argmin(risks))
    certificate = _certified(training, float(removed[best]), float(penalties[best]), diameter, settings)
    stay = np.flatnonzero(~covers[best])
    kept = condensed(training, stay, float(separations[best]), settings)
    nobody = np.empty(0, dtype=np.intp)
    return Choice(
        float(separations[best]), kept, np.flatnonzero(covers[best]), nobody, path, RiskCurve(separations, risks), certificate
    )


def _penalty(training: Training, slope: float, settings: Settings) -> float:
    assert settings.dimension is not None
    return combined_penalty(
        len(training), slope, settings.dimension, training.n_classes, log_delta=log(settings.delta), eta=settings.eta
    )


def _diameter(training: Training) -> float:
    """A bound of the largest distance of two objects, by the triangle inequality."""
    reach = pairwise_distances(sample.pick(training.objects, [0]), training.objects, training.metric).max()
    return 2.0 * float(reach) if reach > 0 else 1.0


def _certified(training: Training, removed: float, penalty: float, diameter: float, settings: Settings) -> Certificate:
    value = removed + penalty
    return Certificate(
        statement=f"The probability that the classifier errs on a new object is at most {value:.4g}.",
        value=value,
        kind="structural risk, Theorems 4 and 5",
        confidence=1.0 - settings.delta,
        assumptions=(
            "The objects are independent and drawn like the new ones.",
            f"The space has doubling dimension {settings.dimension:g}.",
            f"The space has diameter {diameter:.4g} at most.",
        ),
        evidence={"removed": removed, "penalty": penalty, "objects": len(training)},
        guessing=error_of_guessing(training),
    )
