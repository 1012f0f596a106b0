"""Scores of scikit-learn for the models of cross-validation folds, which share their distances."""

from collections.abc import Callable
from inspect import signature
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics import check_scoring, get_scorer
from sklearn.utils.metaestimators import available_if

from wideberth.array_types import Floats
from wideberth.errors import InvalidInput, warn_user
from wideberth.estimators.choosing.certified_scoring import CERTIFIED, CERTIFIED_BALANCED
from wideberth.wording import setting

#: Called as scorer(estimator, X, y), and with sample_weight if it takes that.
Scorer = Callable[..., float]


def as_scorer(scoring: Any) -> Scorer | None:
    """The scorer that ``scoring`` stands for; None for the accuracy and for certified accuracies, which need no scorer.

    Parameters
    ----------
    scoring : str, callable or None
        A name of scikit-learn, or a function scorer(estimator, X, y); None means the accuracy. The names of
        `wideberth.estimators.choosing.certified_scoring` are no scorers.

    Returns
    -------
    callable or None
        The scorer.

    Raises
    ------
    InvalidInput
        If it is neither a known name nor a function of that kind.

    Examples
    --------
    >>> as_scorer("balanced_accuracy")
    make_scorer(balanced_accuracy_score, response_method='predict')
    """
    if scoring is None or (isinstance(scoring, str) and scoring in ("accuracy", CERTIFIED, CERTIFIED_BALANCED)):
        return None
    try:
        if isinstance(scoring, str):
            return get_scorer(scoring)  # type: ignore[no-any-return]
        if callable(scoring):
            return check_scoring(_AnyEstimator(), scoring)  # type: ignore[no-any-return]
    except ValueError as refused:
        raise _not_a_score(scoring) from refused
    raise _not_a_score(scoring)


def scored(scorer: Scorer, classifier: Any, X: Any, y: NDArray[Any], weights: Floats | None) -> float:
    """The score of a classifier on X with labels y.

    Parameters
    ----------
    scorer : callable
        From `as_scorer`.
    classifier : estimator
        A fitted one.
    X, y : sample and ndarray of shape (n,)
        Labelled objects.
    weights : ndarray of shape (n,) or None
        They count if the scorer takes them (`warn_if_unweighted`).

    Returns
    -------
    float
        The score; larger is better.

    Examples
    --------
    >>> from wideberth import NeighborsClassifier
    >>> model = NeighborsClassifier("levenshtein", n_neighbors=1).fit(["tea", "rum"], ["soft", "hard"])
    >>> scored(as_scorer("balanced_accuracy"), model, ["tee", "ram"], np.array(["soft", "hard"]), None)
    1.0
    """
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

    Examples
    --------
    >>> warn_if_unweighted("balanced_accuracy", np.array([1.0, 2.0]))  # this score takes weights
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
    """A model of a fold as a scorer sees it: it predicts the objects that the fold leaves out, in the form that the user passed.

    Its scores are known already, and it can predict no other objects.

    Parameters
    ----------
    classes_ : ndarray of shape (k,)
        The labels that the fold has learned.
    scores : ndarray of shape (n, k)
        The scores of the objects left out.
    refit : callable
        ``refit(calibrate)`` learns the classifier itself, for scores that need more of it.
    shared : sample
        The objects left out, in the form that the classifier measures.
    given : sample
        The same objects as the user passed them: the only X that the methods accept.
    calibrate : int or None
        The number of folds that calibrate probabilities; without it there is no ``predict_proba``.
    """

    def __init__(
        self, classes_: NDArray[Any], scores: Floats, refit: Callable[..., Any], shared: Any, given: Any, calibrate: int | None
    ) -> None:
        self.classes_ = classes_
        self.scores = scores
        self.refit = refit
        self.shared = shared
        self.given = given
        self.calibrate = calibrate

    def predict(self, X: Any) -> NDArray[Any]:
        """The labels of the objects left out."""
        self._recognise(X)
        labels: NDArray[Any] = self.classes_[self.scores.argmax(axis=1)]
        return labels

    def decision_function(self, X: Any) -> Floats:
        """The scores of the classes; for two classes their difference."""
        self._recognise(X)
        return self.scores[:, 1] - self.scores[:, 0] if self.scores.shape[1] == 2 else self.scores

    def certified_radius(self, X: Any, unit: str | None = None) -> Floats:
        """How far each object may move before its label can change, by the classifier itself."""
        self._recognise(X)
        radii: Floats = self.refit().certified_radius(self.shared, unit)
        return radii

    @available_if(lambda self: self.calibrate is not None)
    def predict_proba(self, X: Any) -> Floats:
        """The probabilities of the classes, calibrated on the objects that were learned from."""
        self._recognise(X)
        probabilities: Floats = self.refit(self.calibrate).predict_proba(self.shared)
        return probabilities

    def _recognise(self, X: Any) -> None:
        """Raise an error for any X but the objects left out."""
        if X is not self.given:
            raise InvalidInput(
                "A scorer can only predict the objects that the fold leaves out, all at once: the folds share their distances.",
                advice="Predict the X that the scorer was called with.",
                value=type(X).__name__,
            )


def score_of_fold(scorer: Scorer, model: FoldModel, y: NDArray[Any], weights: Floats | None) -> float:
    """The score of a model of a fold on the objects left out.

    Parameters
    ----------
    scorer : callable
        From `as_scorer`.
    model : FoldModel
        The model.
    y, weights : ndarray of shape (n,)
        The labels of the objects left out, and their weights (or None).

    Returns
    -------
    float
        The score, never nan.

    Raises
    ------
    InvalidInput
        If the score needs probabilities and ``calibrate`` is None, or if it is not defined for the labels of the fold.
    """
    try:
        score = scored(scorer, model, model.given, y, weights)
    except AttributeError as missing:
        if model.calibrate is None and "predict_proba" in str(missing):
            raise InvalidInput(
                f"The score {scorer!r} needs predict_proba, and {setting('calibrate', None)} gives no probabilities.",
                advice=f"Fit with {setting('calibrate', shown='folds')}, such as {setting('calibrate', 5)}, or choose a "
                "score of labels or of decision values.",
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


class _AnyEstimator(BaseEstimator):
    """An estimator for scikit-learn's check of a scorer."""

    def fit(self, X: Any, y: Any) -> "_AnyEstimator":
        return self


def _takes_weights(scorer: Scorer) -> bool:
    """Whether the score function of a scorer of scikit-learn, or a function of the user, has a parameter ``sample_weight``."""
    return "sample_weight" in signature(getattr(scorer, "_score_func", scorer)).parameters


def _not_a_score(scoring: Any) -> InvalidInput:
    """The error for a ``scoring`` that cannot be used."""
    return InvalidInput(
        f"{setting('scoring', scoring)} is not a score.",
        advice="Pass a name of sklearn.metrics.get_scorer_names(), 'certified' with a radius, sklearn.metrics.make_scorer(...) "
        "of a function of labels, or a function scorer(estimator, X, y).",
        value=scoring,
    )
