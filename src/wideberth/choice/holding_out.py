"""Objects that are set aside before anything is chosen, and what they prove in the end."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.model_selection import train_test_split

from wideberth.array_types import Indices
from wideberth.certificate import Certificate
from wideberth.errors import InvalidInput
from wideberth.estimators.training import Training
from wideberth.guarantees.certify import certificates_of, classifier_to_certify
from wideberth.guarantees.evidence import set_aside
from wideberth.objects import sample
from wideberth.objects.labels import code_labels

#: X, y, sample_weight and groups, as ``fit`` takes them.
Given = tuple[Any, Any, Any, Any]


@dataclass(frozen=True, eq=False)
class SetAside:
    """Objects that take no part in learning, and where the others stood.

    Attributes
    ----------
    X, y : sample
        The objects set aside, with their labels.
    learned : ndarray of int
        The positions, in the X of fit, of the objects to learn from.
    n_given : int
        How many objects there are in all.
    """

    X: Any
    y: Any
    learned: Indices
    n_given: int

    def numbered(self, training: Training) -> Training:
        """The objects to learn from, called by their positions in the X of fit."""
        return training.at(self.learned, self.n_given)


def hold_out(auto: Any, X: Any, y: Any, sample_weight: Any, groups: Any) -> tuple[Given, SetAside | None]:
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
    aside : SetAside or None
        Those set aside.
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
    aside = SetAside(sample.pick(held, left), sample.pick(sample.hold(y), left), known, len(labels))
    return learned, aside  # type: ignore[return-value]


def certify_on(auto: Any, aside: SetAside) -> Certificate:
    """What objects that took no part in anything prove about the error of a fitted classifier: the first certificate."""
    model, reasons = classifier_to_certify(auto)
    return certificates_of(set_aside(model, aside.X, aside.y, auto.metric), reasons, delta=0.05, radius=None, unit=None)[0]
