"""The certificate that nearest neighbours with a margin came to while they chose their separation, at the delta asked for."""

from wideberth.certificate import Certificate
from wideberth.classifiers.margin_neighbors.classifier import MarginNeighborsClassifier
from wideberth.guarantees.evidence import TrainingSample, metric_doubts, nothing_proved, violations_on_sample, voided

REFITTED = (
    "It is about the classifier before it learned again from the objects that were set aside. Fit with refit=False, or certify "
    "the model on new objects."
)


def own_certificate(model: MarginNeighborsClassifier, sampled: TrainingSample, *, delta: float) -> Certificate:
    """``risk_bound_`` at another delta, where its evidence is enough (`Certificate.at`).

    All of these bounds hold for all separations that were compared, at every delta: the separation that was best at one may be
    kept at another. Files of before do not hold all that the theorems need; their certificates stay at the delta of fit.
    """
    kept = model.risk_bound_
    if kept.kind == "none":
        return nothing_proved(sampled, "separation", kept.statement)
    if kept.bound is not None:
        kept = kept.at(delta)
    return voided(kept, *sampled.reasons, *_doubts(kept, model, sampled))


def _doubts(kept: Certificate, model: MarginNeighborsClassifier, sampled: TrainingSample) -> tuple[str, ...]:
    """What is wrong with the assumptions: a hold-out needs no axiom, a compression symmetry, the theorems a metric."""
    if kept.kind == "holdout":
        return (REFITTED,) if model.refit and not len(model.held_out_) else ()
    if kept.kind == "preferent compression":
        broken = violations_on_sample(sampled.objects, sampled.metric)
        return tuple(each.describe(sampled.metric.name) for each in broken if each.axiom != "triangle")
    return metric_doubts(sampled.objects, sampled.metric)
