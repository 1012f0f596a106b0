"""Classifiers that choose their parameters on folds, learn from all objects with these, and answer with what was learned."""

import warnings
from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.metaestimators import available_if

from wideberth.classifiers.interface import MetricClassifier
from wideberth.errors import BrokenAxiomWarning

Floats = NDArray[np.float64]


class ChosenClassifier(MetricClassifier):
    """Base of classifiers that choose on folds.

    A child names the class ``single`` that it chooses among, the parameters that are ``passed_on`` to it as they are, and those
    that are passed on ``to_the_last`` only. Its `_learn` sets ``best_C_`` and what else is chosen, and `_choice` names that.
    """

    single: ClassVar[type[MetricClassifier]]
    passed_on: ClassVar[tuple[str, ...]]
    to_the_last: ClassVar[tuple[str, ...]] = ("calibrate", "memory")

    best_estimator_: Any
    best_C_: float  # noqa: N815 - C is the name of the price everywhere

    def _choice(self) -> dict[str, Any]:
        """The parameters that were chosen."""
        return {"C": self.best_C_}

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Choose on folds of the objects X with labels y, then learn from all of them; objects of weight 0 are left out."""
        super().fit(X, y, sample_weight)
        with warnings.catch_warnings(action="ignore", category=BrokenAxiomWarning):  # said before
            last = {name: getattr(self, name) for name in self.to_the_last}
            self.best_estimator_ = self._classifier(self.metric, **last, **self._choice()).fit(X, y, sample_weight)
        self.C_ = self.best_estimator_.C_
        learned = self.best_estimator_._learned_from
        if learned is not None:  # it may be asked on its own, and its parameters were not fixed beforehand
            self.best_estimator_._learned_from = replace(learned, searched=True)
        return self

    def _scores(self, objects: Any) -> Floats:
        scores: Floats = self.best_estimator_._scores(objects)
        return scores

    def certified_radius(self, X: Any) -> Floats:
        """How far each object may move, in the metric's unit, before its label can change, by the classifier that was chosen."""
        self._admit_queries(X)
        radii: Floats = self.best_estimator_.certified_radius(X)
        return radii

    def explain(self, X: Any) -> list[Any]:
        """For each object what brought it its label, by the classifier that was chosen."""
        self._admit_queries(X)
        explanations: list[Any] = self.best_estimator_.explain(X)
        return explanations

    @available_if(lambda self: self._classifier(self.metric, calibrate=self.calibrate).predict_proba)
    def predict_proba(self, X: Any) -> Floats:
        """Probabilities of the classes, shape (n, k): a softmax of the scores, its temperature fitted on objects left out."""
        self._admit_queries(X)
        probabilities: Floats = self.best_estimator_.predict_proba(X)
        return probabilities

    def _classifier(self, metric: Any, **parameters: Any) -> Any:
        return self.single(metric, **{name: getattr(self, name) for name in self.passed_on}, **parameters)
