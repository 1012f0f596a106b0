"""The base class of classifiers that answer by another one, which they have chosen: the one place that hands questions on."""

from typing import Any

from sklearn.utils.validation import check_is_fitted

from wideberth.array_types import Floats, Indices
from wideberth.certificate import Certificate
from wideberth.estimators.calibration import Calibrator
from wideberth.estimators.metric_classifier import MetricClassifier
from wideberth.estimators.model_facts import Explanation, Kept, TrainingEvidence
from wideberth.estimators.radius_rules import RadiusRule


class AnswersOfBest(MetricClassifier):
    """Base of classifiers whose ``best_estimator_`` answers for them once they are fitted.

    Attributes
    ----------
    best_estimator_ : MetricClassifier
        The classifier that was chosen, fitted.
    """

    best_estimator_: Any

    @property
    def answering(self) -> MetricClassifier:
        """The classifier that was chosen, or that it has chosen in turn."""
        check_is_fitted(self, "best_estimator_")
        best: MetricClassifier = self.best_estimator_.answering
        return best

    @property
    def calibrator(self) -> Calibrator:
        """That of the chosen classifier."""
        return self.answering.calibrator

    @property
    def decides_by(self) -> str:  # type: ignore[override]
        """How the chosen classifier decides."""
        return str(self.answering.decides_by)

    def settings(self) -> dict[str, Any]:
        return self.answering.settings()

    def scores(self, objects: Any) -> Floats:
        return self.answering.scores(objects)

    def winners(self, objects: Any) -> Indices:
        return self.answering.winners(objects)

    def radius_rule(self) -> RadiusRule:
        return self.answering.radius_rule()

    def kept(self) -> Kept | None:
        return self.answering.kept()

    def explain(self, X: Any) -> list[Explanation]:
        """Why each object got its label, by the chosen classifier."""
        self.admit_queries(X)
        return self.answering.explain(X)

    def certificates(self, evidence: TrainingEvidence, *, delta: float) -> list[Certificate]:
        return self.answering.certificates(evidence, delta=delta)

    def nearest_change(self, target: Any, unit: str) -> tuple[Any, float] | None:
        return self.answering.nearest_change(target, unit)
