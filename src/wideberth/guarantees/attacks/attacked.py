"""The state of a black-box attack on one object: the questions asked, and the closest object with
another label found so far.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from wideberth.array_types import Flags, Floats
from wideberth.metrics.metric import Metric
from wideberth.objects import sample


@dataclass(frozen=True, eq=False)
class Attack:
    """The result of an attack on the label of one object: a changed object with another label, as
    close as one was found.

    The distance bounds the true robustness radius of the object from above: nothing is certified
    beyond it. How far above the true radius it is, is not known.

    Attributes
    ----------
    changed : object or None
        The changed object; None if none with another label was found.
    distance : float
        Its distance from the original object, by the metric of the model or in another unit;
        infinite if none was found.
    label : label or None
        The label that the model gives to the changed object.
    label_before : label
        The label that the model gives to the original object.
    questions : int
        How many objects the model was asked about.

    Examples
    --------
    >>> Attack("rea", distance=1.0, label="hard", label_before="soft", questions=7).found
    True
    """

    changed: Any
    distance: float
    label: Any
    label_before: Any
    questions: int

    @property
    def found(self) -> bool:
        """Whether a changed object with another label was found."""
        return bool(np.isfinite(self.distance))


class AdversarialSearch:
    """The questions to a model about the surroundings of one object, and the closest object with
    another label so far.

    The model is a black box: only its ``predict`` and ``decision_function`` are called, on
    ``max_questions`` objects at most. Distances cost no question. Targets are prepared unless they
    are strings.

    Examples
    --------
    >>> from wideberth import NeighborsClassifier
    >>> model = NeighborsClassifier("levenshtein", n_neighbors=1).fit(
    ...     ["tea", "rum"], ["soft", "hard"]
    ... )
    >>> search = AdversarialSearch(model, "tea", np.str_("soft"), max_questions=10)
    >>> search.ask(["sea", "rua"], search.distances(["sea", "rua"]))
    array([False,  True])
    >>> search.closest, search.distance, search.questions_left
    ('rua', 2.0, 8)
    """

    def __init__(
        self, model: Any, target: Any, label: Any, max_questions: int, measure: Metric | None = None
    ) -> None:
        self.target, self.label, self.max_questions = target, label, max_questions
        self.questions = 0
        self.closest: Any = None
        self.distance = np.inf
        self.changed_label: Any = None
        self._model, self._measure = model, measure or model.metric_
        self._sign = 1.0 if len(model.classes_) == 2 and label == model.classes_[1] else -1.0
        self._own = int(np.flatnonzero(model.classes_ == label)[0])

    @property
    def questions_left(self) -> int:
        """How many objects the model may still be asked about."""
        return self.max_questions - self.questions

    def distances(self, candidates: Any) -> Floats:
        """The distances of the candidates from the target, shape (n,)."""
        return self._measure.block([self.target], candidates)[0] if len(candidates) else np.empty(0)

    def ask(self, candidates: Any, distances: Floats) -> Flags:
        """Ask the model for the labels of candidates at given distances, and keep the closest one
        that has another label; which of them have, False for those beyond the questions left.
        """
        asked = candidates[: self.questions_left]
        changed = np.zeros(len(candidates), dtype=bool)
        if not len(asked):
            return changed
        labels = self._model.predict(asked)
        self.questions += len(asked)
        changed[: len(asked)] = labels != self.label
        for place in np.flatnonzero(changed):
            if distances[place] < self.distance:
                self.closest, self.distance, self.changed_label = (
                    asked[place],
                    float(distances[place]),
                    labels[place].item(),
                )
        return changed

    def leads(self, candidates: Any, *, already_asked: bool) -> Floats:
        """By how much the score of the target's label is above the largest other score; below 0
        where another label wins.
        """
        self.questions += 0 if already_asked else len(candidates)
        scores = self._model.decision_function(candidates)
        if scores.ndim == 1:
            return np.asarray(self._sign * scores)
        others = np.delete(scores, self._own, axis=1)
        return np.asarray(scores[:, self._own] - others.max(axis=1, initial=-np.inf))

    def attack(self) -> Attack:
        """The result of the search so far."""
        return Attack(
            self.closest, self.distance, self.changed_label, self.label.item(), self.questions
        )


def nearest_first(search: AdversarialSearch, others: Any, most: int) -> Any:
    """The ``most`` objects nearest to the target of a search, the nearest first.

    Examples
    --------
    >>> from wideberth import NeighborsClassifier
    >>> model = NeighborsClassifier("levenshtein", n_neighbors=1).fit(
    ...     ["tea", "rum"], ["soft", "hard"]
    ... )
    >>> search = AdversarialSearch(model, "tea", np.str_("soft"), max_questions=10)
    >>> nearest_first(search, sample.hold(["rum", "rea", "ream"]), 2).tolist()
    ['rea', 'ream']
    """
    return sample.pick(others, np.argsort(search.distances(others), kind="stable")[:most])
