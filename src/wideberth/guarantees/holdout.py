"""What objects that a model has not seen prove about it: counts of errors, turned into bounds by the binomial distribution."""

from typing import Any

import numpy as np

from wideberth.array_types import Flags
from wideberth.certificate import VALUE, Certificate
from wideberth.errors import NotCertified
from wideberth.estimators.radius_units import radius_unit
from wideberth.guarantees.evidence import LabelledSample

DRAWN = "These objects are independent, drawn like the new ones, and had no part in choosing the model."

KIND_OF_CLASS, KIND_AT_RADIUS = "holdout, class", "holdout at a radius"

#: A class with at least this number of objects gets its own certificate: without an error they prove 0.1 at a delta of 5 %.
ENOUGH = 30


def holdout_certificates(
    labelled: LabelledSample, *, delta: float, radius: float | None, unit: str | None = None
) -> list[Certificate]:
    """Bounds of the error on new objects: on all of them, on large classes, and at a radius.

    Each of them is the exact bound of Langford (2005) and Clopper & Pearson (1934), `wideberth.bounds.binomial.holdout_bound`.

    Parameters
    ----------
    labelled : LabelledSample
        Objects with labels. Unless all of them are new to the model, the only certificate is void.
    delta : float
        The probability with which each statement may fail.
    radius : float or None
        With a radius, one more certificate counts objects that are wrong or not certified at it.
    unit : str or None
        What the radius is measured in, as in ``certified_radius``.

    Returns
    -------
    list of Certificate
        For all objects, at the radius, and for each class with at least 30 objects.

    Examples
    --------
    >>> from wideberth.classifiers.neighbors.classifier import NeighborsClassifier
    >>> from wideberth.guarantees.evidence import recognise
    >>> model = NeighborsClassifier("levenshtein", n_neighbors=1).fit(["tea", "rum"], ["soft", "hard"])
    >>> new = recognise(model, ["tee", "rim", "ram"], ["soft", "hard", "hard"])
    >>> [round(found.value, 3) for found in holdout_certificates(new, delta=0.05, radius=None)]  # 1 - 0.05^(1/3): no errors of 3
    [0.632]
    """
    if labelled.kind != "new":
        what = "These objects do not prove how often the classifier errs on new ones."
        return [_void(labelled, "holdout", what, labelled.reasons)]
    wrong = labelled.wrong
    what = "The probability that the classifier errs on a new object"
    found = [_counted(labelled, what, "holdout", wrong, delta, labelled.guessing)]
    if radius is not None:
        found.append(_at_radius(labelled, wrong, radius, unit, delta))
    for label in np.unique(labelled.labels).tolist():
        members = labelled.labels == label
        if ENOUGH <= members.sum() < len(members):
            what = f"The probability that the classifier errs on a new object of the class {label!r}"
            found.append(_counted(labelled, what, f"{KIND_OF_CLASS} {label!r}", wrong[members], delta, None))
    return found


def _counted(
    labelled: LabelledSample, what: str, kind: str, wrong: Flags, delta: float, guessing: float | None, **more: Any
) -> Certificate:
    """The certificate of a probability that begins with ``what``, from the errors among held-out objects."""
    return Certificate.proved_by(
        "holdout",
        f"{what} is at most {VALUE}.",
        delta=delta,
        evidence={"errors": int(wrong.sum()), "held_out": len(wrong), **more},
        kind=kind,
        assumptions=(DRAWN, *labelled.notes),
        guessing=guessing,
    )


def _at_radius(labelled: LabelledSample, wrong: Flags, radius: float, unit: str | None, delta: float) -> Certificate:
    r"""The bound of the error after any move by less than the radius: an object counts as wrong unless :math:`r(x) \ge r`."""
    moved = radius_unit(labelled.model.metric_, unit).in_words(radius)
    what = f"The probability that a new object is misclassified, or has another label less than {moved} away from it,"
    doubts = labelled.doubts()
    uncertain = wrong
    if not doubts:
        try:
            uncertain = wrong | (labelled.radii(unit) < radius)
        except NotCertified as refusal:
            doubts = (str(refusal),)
    if doubts:
        statement = "How far new objects may move before their label changes is not certified."
        return _void(labelled, KIND_AT_RADIUS, statement, doubts)
    return _counted(labelled, what, KIND_AT_RADIUS, uncertain, delta, labelled.guessing, radius=radius)


def _void(labelled: LabelledSample, kind: str, statement: str, reasons: tuple[str, ...]) -> Certificate:
    """A certificate that proves nothing, with the reasons."""
    return Certificate(
        statement=statement,
        value=1.0,
        kind=kind,
        evidence={"objects": len(labelled), "known": labelled.known},
        guessing=labelled.guessing,
        void=reasons,
    )
