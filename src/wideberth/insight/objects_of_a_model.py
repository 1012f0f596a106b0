"""What objects are to a model: new to it, as calibration needs them, or the ones that it learned
from.
"""

from typing import Any

from wideberth.errors import InvalidInput
from wideberth.estimators.metric_classifier import MetricClassifier
from wideberth.guarantees.certify import given_to, recognise
from wideberth.guarantees.newness import examine_newness
from wideberth.objects import sample

#: What has to be believed where a model does not remember its training objects, or cannot recognise
#: them.
UNCHECKED_NEW = (
    "The calibration objects had no part in the model; it remembers too little of its training "
    "objects to check that."
)
UNCHECKED_TRAINING = (
    "The training objects are those of the model; it remembers too little of them to check that."
)


def assumptions_of_new(
    model: MetricClassifier, X: Any, *, independent: bool = False
) -> tuple[str, ...]:
    """What has to be assumed of calibration objects, which must be new to a model; an error if they
    are not.

    They are compared with the training objects by digests and by distances, and with each other:
    `wideberth.guarantees.newness` has the rules.

    Examples
    --------
    >>> from wideberth import NeighborsClassifier
    >>> model = NeighborsClassifier("levenshtein").fit(
    ...     ["tea", "rum", "ale"], ["soft", "hard", "hard"]
    ... )
    >>> assumptions_of_new(model, ["milk", "tea"])
    Traceback (most recent call last):
    ...
    wideberth.errors.InvalidInput: Calibration needs objects that are new to the model. 1 of 2 objects are among those that ...
    """
    prepared, given = given_to(model, X)
    if not sample.count(prepared):
        raise InvalidInput(
            "There are no calibration objects.", advice="Pass at least one.", value=0
        )
    learned = model.learned_from_
    if given is None or learned is None:
        return (UNCHECKED_NEW,)
    found = examine_newness(model, learned, given, independent=independent)
    if found.reasons:
        raise InvalidInput(
            f"Calibration needs objects that are new to the model. {found.reasons[0]}",
            value=found.known,
            witness=found.reasons,
        )
    return ("The calibration objects had no part in choosing the model.", *found.notes)


def assumptions_of_training(model: MetricClassifier, X: Any, y: Any = None) -> tuple[str, ...]:
    """What has to be assumed of the training objects of a model; an error if others are passed.

    Examples
    --------
    >>> from wideberth import NeighborsClassifier
    >>> model = NeighborsClassifier("levenshtein").fit(
    ...     ["tea", "rum", "ale"], ["soft", "hard", "hard"]
    ... )
    >>> assumptions_of_training(model, ["ale", "tea", "rum"])
    ()
    >>> assumptions_of_training(model, ["ale", "tea"])
    Traceback (most recent call last):
    ...
    wideberth.errors.InvalidInput: These 2 objects are not the 3 that the model learned from. Pass all of those, ...
    """
    digests, learned = model.digests(X), model.learned_from_
    if digests is None or learned is None:
        return (UNCHECKED_TRAINING,)
    same = learned.is_all(digests) if y is None else recognise(model, X, y).kind == "training"
    if not same:
        labelled = "" if y is None else ", with their labels,"
        raise InvalidInput(
            f"These {len(digests):,} objects are not the {len(learned):,} that the model learned "
            f"from{labelled.rstrip(',')}.",
            advice="Pass all of those, as they were passed to fit, or objects that are new to the "
            "model as calibration.",
            value=len(digests),
        )
    return ()
