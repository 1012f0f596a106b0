"""What objects that a model has not seen prove about it: counts of errors, turned into bounds by the binomial distribution."""

from typing import Any

import numpy as np

from wideberth.arrays import Flags
from wideberth.certificate import VALUE, Certificate
from wideberth.errors import NotCertified
from wideberth.guarantees.evidence import Occasion, metric_doubts

DRAWN = "These objects are independent, drawn like the new ones, and had no part in choosing the model."

KIND_OF_CLASS, KIND_AT_RADIUS = "holdout, class", "holdout at a radius"

#: Objects of a class from which on it gets a certificate of its own: without an error they prove 0.1 at a delta of 5 %.
ENOUGH = 30


def holdout_certificates(occasion: Occasion, *, delta: float, radius: float | None) -> list[Certificate]:
    """The error on new objects, on those of each class of which there are enough, and at a radius if one was named.

    Each of them is the exact bound of Langford (2005) and Clopper & Pearson (1934), `wideberth.bounds.binomial.holdout_bound`.
    """
    if occasion.kind != "new":
        what = "These objects do not prove how often the classifier errs on new ones."
        return [_void(occasion, "holdout", what, occasion.reasons)]
    wrong = occasion.wrong
    found = [_counted("The probability that the classifier errs on a new object", "holdout", wrong, delta, occasion.guessing)]
    if radius is not None:
        found.append(_at_radius(occasion, wrong, radius, delta))
    for label in np.unique(occasion.labels).tolist():
        members = occasion.labels == label
        if ENOUGH <= members.sum() < len(members):
            what = f"The probability that the classifier errs on a new object of the class {label!r}"
            found.append(_counted(what, f"{KIND_OF_CLASS} {label!r}", wrong[members], delta, None))
    return found


def _counted(what: str, kind: str, wrong: Flags, delta: float, guessing: float | None, **more: Any) -> Certificate:
    return Certificate.proved_by(
        "holdout",
        f"{what} is at most {VALUE}.",
        delta=delta,
        evidence={"errors": int(wrong.sum()), "held_out": len(wrong), **more},
        kind=kind,
        assumptions=(DRAWN,),
        guessing=guessing,
    )


def _at_radius(occasion: Occasion, wrong: Flags, radius: float, delta: float) -> Certificate:
    r"""The error if every object may be moved by less than the radius first: it counts as wrong unless :math:`r(x) \ge r`."""
    model = occasion.model
    what = f"The probability that a new object is misclassified, or has another label less than {radius:g} away from it,"
    doubts = metric_doubts(model._admit_queries(occasion.X), model.metric_)
    uncertain = wrong
    if not doubts:
        try:
            uncertain = wrong | (model.certified_radius(occasion.X) < radius)
        except NotCertified as refusal:
            doubts = (str(refusal),)
    if doubts:
        statement = "How far new objects may move before their label changes is not certified."
        return _void(occasion, KIND_AT_RADIUS, statement, doubts)
    return _counted(what, KIND_AT_RADIUS, uncertain, delta, occasion.guessing, radius=radius)


def _void(occasion: Occasion, kind: str, statement: str, reasons: tuple[str, ...]) -> Certificate:
    return Certificate(
        statement=statement,
        value=1.0,
        kind=kind,
        evidence={"objects": len(occasion), "known": occasion.known},
        guessing=occasion.guessing,
        void=reasons,
    )
