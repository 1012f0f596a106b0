"""The separation with the smallest structural risk of Kontorovich & Weiss."""

from collections.abc import Callable
from math import ceil, log, log2

import numpy as np

from wideberth.bounds.of_evidence import BOUNDS
from wideberth.bounds.strata import STRATA_PER_OCTAVE, stratum
from wideberth.certificate import VALUE, Certificate
from wideberth.classifiers.margin_neighbors.as_given import keep_all
from wideberth.classifiers.margin_neighbors.capacity import quantised_capacity
from wideberth.classifiers.margin_neighbors.separation import (
    NO_HOLDOUT,
    ChosenSeparation,
    RiskCurve,
    Settings,
    assumed,
    condensed,
    equal_weights,
    error_of_guessing,
    greedy_path,
    match,
    no_bound,
    solved_path,
)
from wideberth.estimators.training import Training
from wideberth.geometry.measure.blocks import pairwise_distances
from wideberth.objects import sample

#: Separations at which the risk is evaluated, at most.
CANDIDATES = 64
#: Centres with which the complexity is measured on the sample, at most.
CENTRES = 1024


def choose_by_theory(training: Training, settings: Settings) -> ChosenSeparation:
    r"""Minimise :math:`Q(L) = |C_t| / n + \Delta(L)` over the covers :math:`C_t`, with L = 2 / t in units of the diameter.

    With a dimension, :math:`\Delta` is the smallest of the penalties of Theorems 4 and 5 in versions whose constants are proved,
    and of the one that counts labelled cells in place of Theorem 5; all of them hold together. Without a dimension it comes from
    the complexity on the sample, as in Theorem 7, measured by putting the objects into cells instead of perturbing them. The
    diameter is bounded by twice the largest distance from the first object.
    """
    matching = match(training, settings)
    path = greedy_path(matching)
    total = float(training.weights.sum())
    separations = path.spread(CANDIDATES, below=total)
    if not len(separations):
        return keep_all(training, settings, "every object is equal to one of another class.")
    covers = [matching.exhausted() < each for each in separations]
    if settings.cover in ("lp", "exact"):
        path, covers = solved_path(training, separations, settings.cover, **settings.room)
    diameter = _diameter(training)
    evidence_at = _evidence(training, settings, diameter)
    removed = np.array([float(training.weights[cover].sum()) for cover in covers]) / total
    # objects farther apart than the diameter are as far apart as it; so L is 2 at least
    evidence = [evidence_at(2.0 / min(float(each), diameter) * diameter) for each in separations]
    bound, log_delta = BOUNDS[_kind(settings)], log(settings.delta)
    risks = np.array([bound(each | {"without_margin": share}, log_delta) for each, share in zip(evidence, removed, strict=True)])
    best = int(np.argmin(risks))
    kept = condensed(training, np.flatnonzero(~covers[best]), float(separations[best]), settings)
    return ChosenSeparation(
        separation=float(separations[best]),
        kept=kept,
        removed=np.flatnonzero(covers[best]),
        held_out=np.empty(0, dtype=np.intp),
        cover_path=path,
        risk_curve=RiskCurve(separations, risks),
        certificate=_certified(training, len(kept), evidence[best], diameter, settings),
    )


def _kind(settings: Settings) -> str:
    """The name of the bound."""
    return f"structural risk, {'complexity of the sample' if settings.dimension is None else 'Theorems 4 and 5'}"


def _evidence(training: Training, settings: Settings, diameter: float) -> Callable[[float], dict[str, float]]:
    """From what the penalty of a Lipschitz constant, per diameter of the space, follows."""
    n = len(training)
    if settings.dimension is not None:
        about = {"dimension": settings.dimension, "classes": max(training.n_classes, 2), "eta": settings.eta, "objects": n}
        return lambda L: {"lipschitz": L, **about}
    capacity = quantised_capacity(
        training.objects, training.codes, training.metric, count=min(CENTRES, n), n_jobs=settings.n_jobs
    )

    def measured(L: float) -> dict[str, float]:
        number, largest = stratum(L)
        # scores of neighbours up to 1 + eta times as far are off by 2 eta
        return {"rademacher": capacity(largest / diameter) + 2 * settings.eta, "stratum": number, "objects": n}

    return measured


def _diameter(training: Training) -> float:
    r"""A bound of the largest distance of two objects, by the triangle inequality.

    It is rounded up to a power of :math:`2^{1/8}`, so that Lipschitz constants fall into the same strata whatever the sample.
    """
    reach = float(pairwise_distances(sample.pick(training.objects, [0]), training.objects, training.metric).max())
    return 2.0 ** (ceil(STRATA_PER_OCTAVE * log2(2.0 * reach)) / STRATA_PER_OCTAVE) if reach > 0 else 1.0


def _certified(training: Training, kept: int, evidence: dict[str, float], diameter: float, settings: Settings) -> Certificate:
    if not equal_weights(training):
        return no_bound(training, "the theorems are about objects that count alike, and their weights differ.")
    if not training.metric.obeys_triangle:
        return no_bound(training, f"the theorems need the triangle inequality, which {training.metric.name!r} does not promise.")
    missed = 1.0 - kept / len(training)  # the margin is sure to be there for the objects that answer, and for no others
    dimension = () if settings.dimension is None else (f"The space has doubling dimension {settings.dimension:g}.",)
    return Certificate.proved_by(
        _kind(settings),
        f"The probability that the classifier errs on a new object is at most {VALUE}. {NO_HOLDOUT}",
        delta=settings.delta,
        assumptions=(
            *assumed(training),
            *dimension,
            f"The space has diameter {diameter:.4g} at most, and no more than {training.n_classes} classes.",
        ),
        evidence=evidence | {"without_margin": missed},
        guessing=error_of_guessing(training),
    )
