"""The certificate that a margin classifier of neighbours computed when it chose its separation, restated at another delta."""

from dataclasses import replace
from typing import Any

from wideberth.certificate import Certificate
from wideberth.estimators.model_facts import TrainingEvidence
from wideberth.estimators.training_digests import learned_metric_doubt

REFITTED = (
    "It is about the classifier before it learned again from the objects that were set aside. Fit with refit=False, or certify "
    "the model on new objects."
)


def restated_risk_bound(model: Any, evidence: TrainingEvidence, *, delta: float) -> Certificate:
    """``risk_bound_`` of the model at another delta (`Certificate.at`).

    These bounds hold for all compared separations at once, at every delta, so the separation that was chosen at one delta may be
    kept at another.

    Parameters
    ----------
    model : MarginNeighborsClassifier
        The fitted classifier.
    evidence : TrainingEvidence
        The sample that it learned from, on which the assumptions are checked.
    delta : float
        The probability with which the statement may fail.

    Returns
    -------
    Certificate
        The restated certificate, void if an assumption is violated on the sample.
    """
    kept: Certificate = model.risk_bound_
    if kept.kind == "none":
        return evidence.nothing_proved("separation", kept.statement)
    kept = kept.at(delta)
    reasons = (*evidence.reasons, *_learned_metric(evidence), *_doubts(kept, model, evidence))
    return replace(kept, void=(*kept.void, *(reason for reason in reasons if reason not in kept.void)))


def _learned_metric(evidence: TrainingEvidence) -> tuple[str, ...]:
    """The doubt about a metric that learned from the sample, perhaps before fit, which then did not know of it."""
    learned = evidence.given.learned_from_
    return (learned_metric_doubt(evidence.given.metric_.name),) if learned is not None and learned.metric_learned else ()


def _doubts(kept: Certificate, model: Any, evidence: TrainingEvidence) -> tuple[str, ...]:
    """The violated assumptions: a hold-out needs no axiom, a compression needs symmetry, the theorems need a metric."""
    if kept.kind == "holdout":
        return (REFITTED,) if model.refit and not len(model.held_out_) else ()
    if kept.kind == "preferent compression":
        broken = evidence.violations()
        return tuple(violation.describe(evidence.metric.name) for violation in broken if violation.axiom != "triangle")
    return evidence.metric_doubts()
