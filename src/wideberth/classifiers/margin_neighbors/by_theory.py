"""Choice of the separation with the smallest structural risk of Kontorovich & Weiss (2014)."""

from collections.abc import Callable
from math import ceil, log, log2

import numpy as np

from wideberth.bounds.balls import STRATA_PER_OCTAVE, stratum
from wideberth.bounds.named import BOUNDS
from wideberth.certificate import VALUE, Certificate
from wideberth.classifiers.margin_neighbors.criteria import (
    NO_HOLDOUT,
    NO_OBJECTS,
    ChosenSeparation,
    RiskCurve,
    Settings,
    common_assumptions,
    condensed,
    equal_weights,
    error_of_guessing,
    greedy_path,
    learned_metric,
    match,
    no_bound,
    solved_path,
)
from wideberth.classifiers.margin_neighbors.given_separation import keep_all
from wideberth.classifiers.margin_neighbors.quantisation import quantised_capacity
from wideberth.estimators.training import Training
from wideberth.geometry.measure.blocks import pairwise_distances
from wideberth.objects import sample

#: The risk is evaluated at no more than this many separations.
CANDIDATES = 64
#: The complexity on the sample is measured with no more than this many centres.
CENTRES = 1024


def choose_by_theory(
    training: Training, settings: Settings, capacity: Callable[[float], float] | None = None
) -> ChosenSeparation:
    r"""Minimise :math:`Q(L) = |C_t| / n + \Delta(L)` over the covers :math:`C_t`, with L = 2 / t in
    units of the diameter.

    With a dimension, the penalty :math:`\Delta` is the smallest of those of Theorems 4 and 5, in
    versions whose constants are proved, and of one that counts labelled cells in place of Theorem
    5; all of them hold together. Without a dimension it comes from the complexity on the sample, as
    in Theorem 7: measured by assigning the objects to cells instead of perturbing them, or given as
    ``capacity``, a function of L in units of the metric. The diameter is at most twice the largest
    distance from the first object.

    Parameters
    ----------
    training : Training
        The objects, their classes and weights.
    settings : Settings
        The parameters of the classifier; ``dimension`` is the doubling dimension, or None.
    capacity : callable, optional
        A bound of the complexity on the sample as a function of L; only without a dimension.

    Returns
    -------
    ChosenSeparation
        With nothing removed if all objects are equal to one of another class.

    Examples
    --------
    >>> from wideberth.metrics.named import metric
    >>> points, codes = np.arange(100.0)[:, None], np.repeat([0, 1], 50)
    >>> training = Training(
    ...     points, metric("euclidean"), codes, np.ones(100), 2, np.arange(100), 100
    ... )
    >>> choice = choose_by_theory(
    ...     training, Settings("greedy", None, 0.0, 0.05, 1.0, 0.2, False, 10**8, 1, 0)
    ... )
    >>> len(choice.removed), round(choice.certificate.value, 2)  # 100 objects prove little
    (26, 0.9)
    """
    matching = match(training, settings)
    path = greedy_path(matching)
    total = float(training.weights.sum())
    separations = path.spread(CANDIDATES, below=total)
    if not len(separations):
        return keep_all(training, settings, "every object is equal to one of another class.")
    covers = [matching.exhausted() < separation for separation in separations]
    if settings.cover in ("lp", "exact"):
        path, covers = solved_path(training, separations, settings.cover, **settings.limits)
    diameter = _diameter(training)
    evidence_at = _penalty_evidence(training, settings, diameter, capacity)
    removed = np.array([float(training.weights[cover].sum()) for cover in covers]) / total
    # no distance exceeds the diameter, so a larger separation counts as the diameter, and L is at
    # least 2
    evidence = [
        evidence_at(2.0 / min(float(separation), diameter) * diameter) for separation in separations
    ]
    bound, log_delta = BOUNDS[_bound_name(settings)], log(settings.delta)
    risks = np.array(
        [
            bound(facts | {"without_margin": share}, log_delta)
            for facts, share in zip(evidence, removed, strict=True)
        ]
    )
    best = int(np.argmin(risks))
    kept = condensed(training, np.flatnonzero(~covers[best]), float(separations[best]), settings)
    return ChosenSeparation(
        separation=float(separations[best]),
        kept=kept,
        removed=np.flatnonzero(covers[best]),
        held_out=NO_OBJECTS,
        cover_path=path,
        risk_curve=RiskCurve(separations, risks),
        certificate=_certificate(training, len(kept), evidence[best], diameter, settings),
    )


def _bound_name(settings: Settings) -> str:
    """Return the name of the bound in `wideberth.bounds.named.BOUNDS`."""
    return (
        "structural risk, "
        f"{'complexity of the sample' if settings.dimension is None else 'Theorems 4 and 5'}"
    )


def _penalty_evidence(
    training: Training,
    settings: Settings,
    diameter: float,
    capacity: Callable[[float], float] | None,
) -> Callable[[float], dict[str, float]]:
    """Return a function that computes the evidence for the penalty of a Lipschitz constant L, in
    units of 1 / diameter.

    With a dimension the evidence is L and the constants of the theorems; otherwise the complexity
    measured on the sample.
    """
    n = len(training)
    if settings.dimension is not None:
        constants = {
            "dimension": settings.dimension,
            "classes": max(training.n_classes, 2),
            "eta": settings.eta,
            "objects": n,
        }
        return lambda L: {"lipschitz": L, **constants}
    capacity_at = capacity or quantised_capacity(
        training.objects,
        training.codes,
        training.metric,
        count=min(CENTRES, n),
        n_jobs=settings.n_jobs,
    )

    def measured(L: float) -> dict[str, float]:
        number, largest = stratum(L)
        # neighbours up to 1 + eta times as far cost eta / (2 + eta), less than 4 eta: see
        # wideberth.bounds.margin
        return {
            "rademacher": capacity_at(largest / diameter) + 2 * settings.eta,
            "stratum": number,
            "objects": n,
        }

    return measured


def _diameter(training: Training) -> float:
    """Bound the largest distance between two objects by the triangle inequality.

    It is rounded up to a power of :math:`2^{1/8}`, so that Lipschitz constants fall into the same
    strata for every sample.
    """
    reach = float(
        pairwise_distances(
            sample.pick(training.objects, [0]), training.objects, training.metric
        ).max()
    )
    return (
        2.0 ** (ceil(STRATA_PER_OCTAVE * log2(2.0 * reach)) / STRATA_PER_OCTAVE)
        if reach > 0
        else 1.0
    )


def _certificate(
    training: Training, kept: int, evidence: dict[str, float], diameter: float, settings: Settings
) -> Certificate:
    """Build the certificate; none if weights differ or the metric does not promise the triangle
    inequality.

    ``kept`` is the number of objects that answer; all others count as lacking the margin.
    """
    if not equal_weights(training):
        return no_bound(
            training, "the theorems are about objects that count alike, and their weights differ."
        )
    if not training.metric.obeys_triangle:
        return no_bound(
            training,
            f"the theorems need the triangle inequality, which {training.metric.name!r} does not "
            "promise.",
        )
    missed = 1.0 - kept / len(
        training
    )  # only the objects that answer are certain to have the margin
    assumed = settings.dimension
    dimension = () if assumed is None else (f"The space has doubling dimension {assumed:g}.",)
    return Certificate.proved_by(
        _bound_name(settings),
        f"The probability that the classifier errs on a new object is at most {VALUE}. "
        f"{NO_HOLDOUT}",
        delta=settings.delta,
        assumptions=(
            *common_assumptions(training),
            *dimension,
            f"The space has diameter {diameter:.4g} at most, and no more than {training.n_classes} "
            "classes.",
        ),
        evidence=evidence | {"without_margin": missed},
        guessing=error_of_guessing(training),
        void=learned_metric(training),
    )
