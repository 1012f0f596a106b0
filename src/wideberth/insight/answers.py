"""What a model answers about new objects: label, probability, lead over the next label, and certified radius."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from wideberth.array_types import Floats
from wideberth.errors import NotCertified
from wideberth.estimators.calibration import Calibrator
from wideberth.estimators.radius_units import radius_unit
from wideberth.rounding import TIE_BREAK


@dataclass(frozen=True, eq=False)
class AnsweredObjects:
    """The answers of a model for some objects.

    Attributes
    ----------
    labels : list
        The label of each object, as `predict` gives it.
    probabilities : list of float or None
        How probable each label is; None if the model was not calibrated.
    leads : list of float
        By how much the score of the label exceeds that of the next one.
    radii : ndarray or None
        The certified radii; None if there are none.
    """

    labels: list[Any]
    probabilities: list[float] | None
    leads: list[float]
    radii: Floats | None


def answers_of(model: Any, objects: Any, unit: str | None = None, *, certified: bool = True) -> AnsweredObjects:
    """Ask a model everything about some objects, with one pass over the distances where that is possible.

    Parameters
    ----------
    model : MetricClassifier
        A fitted classifier.
    objects : sample
        New objects.
    unit : str or None
        What radii are measured in, as in ``certified_radius``.
    certified : bool
        Whether to ask for radii; `NotCertified` is raised if there are none.

    Returns
    -------
    AnsweredObjects

    Examples
    --------
    >>> from wideberth import NeighborsClassifier
    >>> model = NeighborsClassifier("levenshtein", n_neighbors=1).fit(["tea", "rum"], ["soft", "hard"])
    >>> found = answers_of(model, ["tee", "rom"], "edit")
    >>> found.labels, found.radii
    (['soft', 'hard'], array([1., 1.]))
    """
    if certified:
        scores, radii = model.scores_and_radii(objects, unit)
    else:
        scores, radii = scores_of_classes(model, objects), None
    found = probabilities(model, objects, scores)
    return AnsweredObjects(
        labels=model.classes_[scores.argmax(axis=1)].tolist(),
        probabilities=None if found is None else found.max(axis=1).tolist(),
        leads=leads(scores),
        radii=None if radii is None else np.asarray(radii),
    )


def leads(scores: Floats) -> list[float]:
    """By how much the score of the best class exceeds that of the next one; its own score if there is no other class.

    What only breaks a tie is no lead.

    Examples
    --------
    >>> leads(np.array([[0.5, 2.0, 1.0]]))
    [1.0]
    """
    if scores.shape[1] == 1:
        return list(scores[:, 0].tolist())
    best = np.sort(scores, axis=1)[:, -2:]
    ahead = best[:, 1] - best[:, 0]
    return list(np.where(ahead > 2.0 * scores.shape[1] * TIE_BREAK, ahead, 0.0).tolist())


def probabilities(model: Any, objects: Any, scores: Floats) -> Floats | None:
    """The probabilities of the classes, shape (n, k), if a model has them; from scores that are known already where it can be."""
    if not hasattr(model, "predict_proba"):
        return None
    for fitted in (model, getattr(model, "best_estimator_", None)):
        if isinstance(calibration := getattr(fitted, "calibration_", None), Calibrator):
            return calibration.probabilities(scores)
    found: Floats = model.predict_proba(objects)
    return found


def scores_of_classes(model: Any, objects: Any) -> Floats:
    """The scores of each class, shape (n, k)."""
    scores: Floats = model.decision_function(objects)
    return np.stack([np.zeros(len(scores)), scores], axis=1) if scores.ndim == 1 else scores


def proves_edits(model: Any, objects: Any) -> bool:
    """Whether radii can be measured in edits, which people know better than counted words or n-grams."""
    if model.metric_.accepts != "strings":
        return False
    try:
        model.certified_radius(objects[:1], "edit")
    except NotCertified:
        return False
    return radius_unit(model.metric_, "edit").step == 1
