"""The certificate that a margin classifier of neighbours computed when it chose its separation, restated at another delta."""

from wideberth.certificate import Certificate
from wideberth.classifiers.margin_neighbors.classifier import MarginNeighborsClassifier
from wideberth.estimators.training_digests import learned_metric_doubt
from wideberth.guarantees.evidence import TrainingSample, nothing_proved, voided
from wideberth.guarantees.metric_doubts import metric_doubts, violations_on_sample

REFITTED = (
    "It is about the classifier before it learned again from the objects that were set aside. Fit with refit=False, or certify "
    "the model on new objects."
)


def restated_risk_bound(model: MarginNeighborsClassifier, sampled: TrainingSample, *, delta: float) -> Certificate:
    """``risk_bound_`` of the model at another delta (`Certificate.at`).

    These bounds hold for all compared separations at once, at every delta, so the separation that was chosen at one delta may be
    kept at another.

    Parameters
    ----------
    model : MarginNeighborsClassifier
        The fitted classifier.
    sampled : TrainingSample
        The sample that it learned from, on which the assumptions are checked.
    delta : float
        The probability with which the statement may fail.

    Returns
    -------
    Certificate
        The restated certificate, void if an assumption is violated on the sample.
    """
    kept = model.risk_bound_
    if kept.kind == "none":
        return nothing_proved(sampled, "separation", kept.statement)
    kept = kept.at(delta)
    reasons = (*sampled.reasons, *_learned_metric(sampled), *_doubts(kept, model, sampled))
    return voided(kept, *(reason for reason in reasons if reason not in kept.void))


def _learned_metric(sampled: TrainingSample) -> tuple[str, ...]:
    """The doubt about a metric that learned from the sample, perhaps before fit, which then did not know of it."""
    learned = sampled.given._learned_from
    return (learned_metric_doubt(sampled.model.metric_.name),) if learned is not None and learned.metric_learned else ()


def _doubts(kept: Certificate, model: MarginNeighborsClassifier, sampled: TrainingSample) -> tuple[str, ...]:
    """The violated assumptions: a hold-out needs no axiom, a compression needs symmetry, the theorems need a metric."""
    if kept.kind == "holdout":
        return (REFITTED,) if model.refit and not len(model.held_out_) else ()
    if kept.kind == "preferent compression":
        broken = violations_on_sample(sampled.objects, sampled.metric)
        return tuple(violation.describe(sampled.metric.name) for violation in broken if violation.axiom != "triangle")
    return metric_doubts(sampled.objects, sampled.metric)
