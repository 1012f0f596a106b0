"""The base class of classifiers that answer by another one, which they have chosen."""

from typing import Any

from wideberth.array_types import Floats
from wideberth.estimators.base import MetricClassifier


class AnswersOfBest(MetricClassifier):
    """Base of classifiers whose ``best_estimator_`` answers for them once they are fitted.

    Attributes
    ----------
    best_estimator_ : MetricClassifier
        The classifier that was chosen, fitted.
    """

    best_estimator_: Any

    @property
    def decides_by(self) -> str:  # type: ignore[override]
        """How the chosen classifier decides."""
        return str(self.best_estimator_.decides_by)

    def settings(self) -> dict[str, Any]:
        settings: dict[str, Any] = self.best_estimator_.settings()
        return settings

    def scores(self, objects: Any) -> Floats:
        scores: Floats = self.best_estimator_.scores(objects)
        return scores

    def certified_radius(self, X: Any, unit: str | None = None) -> Floats:
        """How far each object may move before the label from the chosen classifier can change, in a unit as for every classifier.

        Shape (n,).
        """
        self.admit_queries(X)
        radii: Floats = self.best_estimator_.certified_radius(X, unit)
        return radii

    def lowest_leads(self, objects: Any, radius: float | Floats, unit: str | None = None) -> Floats:
        bounds: Floats = self.best_estimator_.lowest_leads(objects, radius, unit)
        return bounds

    def scores_and_radii(self, X: Any, unit: str | None = None) -> tuple[Floats, Floats]:
        self.admit_queries(X)
        scores, radii = self.best_estimator_.scores_and_radii(X, unit)
        return scores, radii

    def nearest_change(self, target: Any, unit: str) -> tuple[Any, float] | None:
        found: tuple[Any, float] | None = self.best_estimator_.nearest_change(target, unit)
        return found

    def explain(self, X: Any) -> list[Any]:
        """Why each object got its label, by the chosen classifier."""
        self.admit_queries(X)
        explanations: list[Any] = self.best_estimator_.explain(X)
        return explanations
