"""Objects that are set aside before anything is chosen, and what they prove in the end."""

from typing import Any

import numpy as np
from sklearn.model_selection import train_test_split

from wideberth.certificate import Certificate
from wideberth.errors import InvalidInput
from wideberth.guarantees.certify import certificates_of, classifier_to_certify
from wideberth.guarantees.evidence import set_aside
from wideberth.objects import sample
from wideberth.objects.labels import code_labels

#: X, y, sample_weight and groups, as ``fit`` takes them.
Given = tuple[Any, Any, Any, Any]


def hold_out(auto: Any, X: Any, y: Any, sample_weight: Any, groups: Any) -> tuple[Given, tuple[Any, Any] | None]:
    """The objects to learn from, and those that are set aside with their labels, if ``holdout`` asks for it.

    Parameters
    ----------
    auto : AutoClassifier
        Its ``holdout`` is a share; ``random_state`` draws the objects, with the classes in their shares where they allow it.
    X, y, sample_weight, groups
        As for ``fit``.

    Returns
    -------
    learned : tuple
        X, y, sample_weight and groups of the objects to learn from.
    aside : tuple or None
        X and y of those set aside.
    """
    if auto.holdout is None:
        return (X, y, sample_weight, groups), None
    if auto.is_precomputed():
        raise InvalidInput(
            "holdout cannot cut a matrix of distances.", advice="Cut it before fit, and certify afterwards.", value=auto.holdout
        )
    held = sample.hold(X)
    labels = code_labels(y, sample.count(held))
    common = bool(np.bincount(labels.codes).min() >= 2)
    known, left = train_test_split(
        np.arange(len(labels)),
        test_size=auto.holdout,
        random_state=auto.random_state,
        stratify=labels.codes if common else None,
    )
    known.sort()
    left.sort()
    learned = tuple(None if each is None else sample.pick(sample.hold(each), known) for each in (X, y, sample_weight, groups))
    return learned, (sample.pick(held, left), sample.pick(sample.hold(y), left))  # type: ignore[return-value]


def certify_on(auto: Any, aside: tuple[Any, Any]) -> Certificate:
    """What objects that took no part in anything prove about the error of a fitted classifier: the first certificate."""
    model, reasons = classifier_to_certify(auto)
    return certificates_of(set_aside(model, *aside, auto.metric), reasons, delta=0.05, radius=None, unit=None)[0]
