"""A classifier under attack: it answers questions about objects near one of its own, as often as the attacker may ask."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from wideberth.arrays import Flags, Floats
from wideberth.objects import sample


@dataclass(frozen=True, eq=False)
class Attack:
    """What an attack on the label of an object found: a changed object with another label, as close as it could.

    ``distance`` is that of the two by the metric of the model: nothing is certified beyond it. It bounds the true radius from
    above, and how far above is not known. Where nothing was found, ``changed`` and ``label`` are None and the distance infinite.
    ``label_before`` is the label of the object itself, ``questions`` how many objects the model was asked about.
    """

    changed: Any
    distance: float
    label: Any
    label_before: Any
    questions: int

    @property
    def found(self) -> bool:
        """Whether there is a changed object."""
        return bool(np.isfinite(self.distance))


class Victim:
    """One object, its label, and the closest object found so far that has another.

    The model is a black box: its ``predict`` and ``decision_function`` are asked about ``limit`` objects at most, and distances
    are those of its metric.
    """

    def __init__(self, model: Any, target: Any, label: Any, limit: int) -> None:
        self.target, self.label, self.limit = target, label, limit
        self.questions = 0
        self.closest: Any = None
        self.distance = np.inf
        self.label_there: Any = None
        self._model = model
        self._sign = 1.0 if len(model.classes_) == 2 and label == model.classes_[1] else -1.0
        self._own = int(np.flatnonzero(model.classes_ == label)[0])

    @property
    def left(self) -> int:
        """How many questions are left."""
        return self.limit - self.questions

    def distances(self, candidates: Any) -> Floats:
        """How far the candidates are from the object."""
        return self._model.metric_.block([self.target], candidates)[0] if len(candidates) else np.empty(0)

    def ask(self, candidates: Any, distances: Floats) -> Flags:
        """Which candidates have another label; the closest of all is kept. Those beyond the limit are not asked about."""
        asked = candidates[: self.left]
        changed = np.zeros(len(candidates), dtype=bool)
        if not len(asked):
            return changed
        labels = self._model.predict(asked)
        self.questions += len(asked)
        changed[: len(asked)] = labels != self.label
        for place in np.flatnonzero(changed):
            if distances[place] < self.distance:
                self.closest, self.distance, self.label_there = asked[place], float(distances[place]), labels[place].item()
        return changed

    def leads(self, candidates: Any, *, asked: bool) -> Floats:
        """By how much the label is ahead of the next one, below 0 if it is behind; ``asked`` if these were asked about before."""
        self.questions += 0 if asked else len(candidates)
        scores = self._model.decision_function(candidates)
        if scores.ndim == 1:
            return np.asarray(self._sign * scores)
        others = np.delete(scores, self._own, axis=1)
        return np.asarray(scores[:, self._own] - others.max(axis=1, initial=-np.inf))

    def attack(self) -> Attack:
        """What was found."""
        return Attack(self.closest, self.distance, self.label_there, self.label.item(), self.questions)


def in_order_of_distance(victim: Victim, others: Any, most: int) -> Any:
    """The ``most`` objects closest to the one under attack, the closest first."""
    return sample.pick(others, np.argsort(victim.distances(others), kind="stable")[:most])
