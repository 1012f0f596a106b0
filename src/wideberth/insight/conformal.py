r"""Conformal p-values: ranks of new scores among those of calibration objects, valid for every n; and
what has to be assumed of calibration objects.

If n calibration scores and a new one are exchangeable, so that all orders are equally likely, then

.. math:: p = \frac{1 + \#\{i : E_i \ge E\}}{n + 1}, \qquad P(p \le \delta) \le \delta

(Vovk, Gammerman & Shafer 2005, Algorithmic Learning in a Random World, chapter 2). Ties count as
larger, which errs on the safe side. :math:`p > \delta` is the same as :math:`E \le E_{(r)}` with
the rank :math:`r = \lceil (n + 1)(1 - \delta) \rceil`; for r > n it is true of every score.
"""

from fractions import Fraction

import numpy as np

from wideberth.array_types import Flags, Floats, Integers, Labels, Objects
from wideberth.errors import InvalidInput
from wideberth.estimators.metric_classifier import MetricClassifier
from wideberth.guarantees.certify import given_to, recognise
from wideberth.guarantees.newness import examine_newness
from wideberth.objects import sample
from wideberth.rounding import SUM_ERROR


def at_least_as_large(calibration: Floats, scores: Floats) -> Integers:
    """How many calibration scores are at least as large as each score.

    Examples
    --------
    >>> at_least_as_large(np.array([1.0, 2.0, 2.0]), np.array([0.0, 2.0, 3.0]))
    array([3, 2, 0])
    """
    return len(calibration) - np.searchsorted(np.sort(calibration), scores, side="left").astype(
        np.int64
    )


def p_values(counts: Integers, n: int) -> Floats:
    """The p-values of scores that so many of n calibration scores reach.

    Examples
    --------
    >>> p_values(np.array([0, 9]), 9)
    array([0.1, 1. ])
    """
    return np.asarray((1 + counts) / (n + 1))


def exceed(counts: Integers, n: int, delta: float) -> Flags:
    """Whether the p-values of scores are above delta, by how many of n calibration scores reach
    them, without rounding: delta is the decimal number that it is written as.

    Examples
    --------
    >>> exceed(np.array([2, 3]), 9, 0.3)  # 3 / 10 is not above 0.3
    array([False,  True])
    >>> # eight objects are too few to reject anything: 1 / 9 > 0.1
    >>> bool(exceed(np.array([0]), 8, 0.1)[0])
    True
    """
    return np.asarray(counts >= int(Fraction(repr(float(delta))) * (n + 1)))


def mean_exceeds(values: Floats, delta: float) -> Flags:
    r"""Whether means of p-values are above delta, or next to it.

    The mean of p-values, however they depend on each other, satisfies :math:`P(\bar p \le \delta)
    \le 2 \delta` (Rueschendorf 1982; Vovk & Wang 2020, Biometrika 107, "Combining p-values via
    averaging").

    Examples
    --------
    >>> mean_exceeds(np.array([[0.1, 0.1], [0.3, 0.09]]), 0.1)
    array([ True, False])
    """
    return np.asarray(values.mean(axis=0) > delta * (1 - SUM_ERROR))


# ---- What objects are to a model: new to it, as calibration needs them, or the ones that it learned
# from

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
    model: MetricClassifier, X: Objects, *, independent: bool = False
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


def assumptions_of_training(
    model: MetricClassifier, X: Objects, y: Labels = None
) -> tuple[str, ...]:
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
        labelled = "" if y is None else ", with their labels"
        raise InvalidInput(
            f"These {len(digests):,} objects are not the {len(learned):,} that the model learned "
            f"from{labelled}.",
            advice="Pass all of those, as they were passed to fit, or objects that are new to the "
            "model as calibration.",
            value=len(digests),
        )
    return ()
