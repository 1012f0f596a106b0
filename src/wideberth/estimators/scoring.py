"""Scores of scikit-learn for classifiers that were learned on folds with shared distances."""

from collections.abc import Callable
from inspect import signature
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics import check_scoring, get_scorer
from sklearn.utils.metaestimators import available_if

from wideberth.arrays import Floats
from wideberth.errors import InvalidInput, warn_user

#: What scikit-learn calls as scorer(estimator, X, y), and with weights if it takes them.
Scorer = Callable[..., float]


def as_scorer(scoring: Any) -> Scorer | None:
    """The scorer that is meant; None for the accuracy, which needs labels alone.

    >>> as_scorer("balanced_accuracy")
    make_scorer(balanced_accuracy_score, response_method='predict')
    """
    if scoring is None or (isinstance(scoring, str) and scoring == "accuracy"):
        return None
    try:
        if isinstance(scoring, str):
            return get_scorer(scoring)  # type: ignore[no-any-return]
        if callable(scoring):
            return check_scoring(_Anyone(), scoring)  # type: ignore[no-any-return]
    except ValueError as refused:
        raise _no_scorer(scoring) from refused
    raise _no_scorer(scoring)


def scored(scorer: Scorer, classifier: Any, X: Any, y: NDArray[Any], weights: Floats | None) -> float:
    """The score of a classifier on X with labels y; weights count if the scorer takes them."""
    weighted = {} if weights is None or not _takes_weights(scorer) else {"sample_weight": weights}
    return float(scorer(classifier, X, y, **weighted))


def warn_if_unweighted(scoring: Any, weights: Floats) -> None:
    """Warn that a score ignores sample weights, if it does and the weights differ.

    Parameters
    ----------
    scoring : str, callable or None
        As the user passed it.
    weights : ndarray of shape (n,)
        The weights of the objects, without those of weight 0.
    """
    scorer = as_scorer(scoring)
    if scorer is None or weights.min() == weights.max() or _takes_weights(scorer):
        return
    name = scoring if isinstance(scoring, str) else getattr(scoring, "__name__", repr(scoring))
    warn_user(
        f"The score {name!r} takes no sample weights: all objects with a positive weight count alike in the choice of "
        "parameters. Choose a score that takes them, such as 'balanced_accuracy', or write scorer(estimator, X, y, "
        "sample_weight=None).",
        UserWarning,
    )


class FoldModel(ClassifierMixin, BaseEstimator):
    """A classifier of a fold as a scorer sees it: it answers for the objects left out, as the user wrote them.

    It knows them by the distances that all folds share, and no others. ``recalibrated`` gives the same classifier with
    probabilities; it is None if nobody asked for any, and then there is no ``predict_proba``.
    """

    def __init__(self, model: Any, shared: Any, given: Any, recalibrated: Callable[[], Any] | None) -> None:
        self.model = model
        self.shared = shared
        self.given = given
        self.recalibrated = recalibrated

    @property
    def classes_(self) -> NDArray[Any]:
        """The labels that the fold has learned."""
        labels: NDArray[Any] = self.model.classes_
        return labels

    def predict(self, X: Any) -> NDArray[Any]:
        """The labels."""
        labels: NDArray[Any] = self.model.predict(self._recognised(X))
        return labels

    def decision_function(self, X: Any) -> Floats:
        """The scores of the classes, or their difference."""
        scores: Floats = self.model.decision_function(self._recognised(X))
        return scores

    def certified_radius(self, X: Any) -> Floats:
        """How far each object may move before its label can change."""
        radii: Floats = self.model.certified_radius(self._recognised(X))
        return radii

    @available_if(lambda self: self.recalibrated is not None)
    def predict_proba(self, X: Any) -> Floats:
        """The probabilities of the classes, calibrated on the objects that were learned from."""
        asked = self._recognised(X)
        probabilities: Floats = self.recalibrated().predict_proba(asked)  # type: ignore[misc]
        return probabilities

    def _recognised(self, X: Any) -> Any:
        if X is not self.given:
            raise InvalidInput(
                "On folds that share their distances, a scorer can ask for the objects of the fold only, all of them at once.",
                advice="Pass on the X that the scorer was given.",
                value=type(X).__name__,
            )
        return self.shared


def score_of_fold(scorer: Scorer, model: FoldModel, y: NDArray[Any], weights: Floats | None) -> float:
    """The score of a fold; an error that says what to do if it needs probabilities that are not there, or is not defined."""
    try:
        score = scored(scorer, model, model.given, y, weights)
    except AttributeError as missing:
        if model.recalibrated is None and "predict_proba" in str(missing):
            raise InvalidInput(
                f"The score {scorer!r} needs predict_proba, and calibrate=None gives no probabilities.",
                advice="Fit with calibrate=folds, such as calibrate=5, or choose a score of labels or of decision values.",
                value=scorer,
            ) from missing
        raise
    if np.isnan(score):
        raise InvalidInput(
            f"The score {scorer!r} is nan on a fold with the labels {np.unique(y).tolist()}: it cannot choose.",
            advice="Take fewer folds or stratified ones, so that each has objects of every class, or another score.",
            value=score,
        )
    return score


class _Anyone(BaseEstimator):
    """What scikit-learn wants to see before it looks at a scorer."""

    def fit(self, X: Any, y: Any) -> "_Anyone":
        return self


def _takes_weights(scorer: Scorer) -> bool:
    """Whether a scorer of scikit-learn has a score function that takes weights, or a function of the user does."""
    return "sample_weight" in signature(getattr(scorer, "_score_func", scorer)).parameters


def _no_scorer(scoring: Any) -> InvalidInput:
    return InvalidInput(
        f"scoring={scoring!r} is no score.",
        advice="Pass a name of sklearn.metrics.get_scorer_names(), sklearn.metrics.make_scorer(...) of a function of labels, or "
        "a function scorer(estimator, X, y).",
        value=scoring,
    )
