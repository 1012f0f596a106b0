r"""Scores of scikit-learn for the models of cross-validation folds, which share their distances.

**Choosing by certified accuracy: the share of objects left out that are right, and stay so under
every change within a radius.**

As a bare number it chooses constants, whose label nothing changes. So the choice is among the
candidates whose accuracy is within a ``floor`` of the best accuracy, and the share of the largest
class, which a constant has, is shown beside the result.
"""

from collections.abc import Callable
from dataclasses import dataclass
from inspect import signature
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics import check_scoring, get_scorer
from sklearn.utils.metaestimators import available_if

from wideberth.array_types import Flags, Floats, Labels, Objects, Sample
from wideberth.errors import InvalidInput, warn_user
from wideberth.metrics.parameters import is_number
from wideberth.wording import setting

#: The names of the scores: shares of all objects, and means of the shares of each class.
CERTIFIED, CERTIFIED_BALANCED = "certified", "certified_balanced"
#: How far behind the best accuracy a candidate may be.
FLOOR = 0.03


@dataclass(frozen=True)
class CertifiedScore:
    r"""The certified accuracy at a radius.

    .. math:: A_r = \sum_i w_i\, [\hat y(x_i) = y_i]\, [\hat y(x) = y_i \text{ is proved for all }
        x: d(x, x_i) \le r]

    for weights that add up to 1; the balanced one weighs every class alike.

    Examples
    --------
    >>> score = CertifiedScore(1.0, "edit", 0.03, balanced=True)
    >>> score.weights(np.array(["hard", "soft", "soft"]), np.ones(3))
    array([0.5 , 0.25, 0.25])
    """

    #: r: with ``unit="edit"`` the number of edits.
    radius: float
    #: What it is measured in, as in `certified_radius`.
    unit: str | None
    #: How far the accuracy may be behind that of the best candidate.
    floor: float
    #: Whether classes weigh alike, in both accuracies.
    balanced: bool

    @classmethod
    def of(cls, classifier: Any) -> Self | None:
        """The score that the parameters of a classifier ask for; None if they ask for another one."""
        scoring, radius, unit, floor = (
            getattr(classifier, name) for name in ("scoring", "radius", "unit", "floor")
        )
        if not isinstance(scoring, str) or scoring not in (CERTIFIED, CERTIFIED_BALANCED):
            _refuse_without_certified(
                scoring, radius=(radius, None), unit=(unit, None), floor=(floor, FLOOR)
            )
            return None
        if not is_number(radius) or not 0 <= radius < np.inf:
            raise InvalidInput(
                f"{setting('scoring', scoring)} needs a radius, a number from 0 on, not "
                f"{setting('radius', radius)}.",
                advice=f"Pass how far objects may move: {setting('radius', 1)}, "
                f"{setting('unit', 'edit')} for one edit of a text.",
                value=radius,
            )
        if not is_number(floor) or not 0 <= floor <= 1:
            raise InvalidInput(
                f"{setting('floor', floor)} is not a share of objects.",
                advice=f"Pass a number from 0 to 1: {FLOOR:g} allows accuracies up to three points "
                "behind the best.",
                value=floor,
            )
        return cls(float(radius), unit, float(floor), scoring == CERTIFIED_BALANCED)

    def weights(self, labels: NDArray[Any], weights: Floats) -> Floats:
        """The weights of objects, adding up to 1, by their labels and given weights."""
        if self.balanced:
            _, codes = np.unique(labels, return_inverse=True)
            weights = weights / np.bincount(codes, weights=weights)[codes]
        shares: Floats = weights / weights.sum()
        return shares

    def stable(self, model: Any, objects: Sample) -> Flags:
        """For which prepared objects a fitted model proves that its label stays within the
        radius.
        """
        reach = float(model.radius_unit(self.unit).reach(self.radius))
        flags: Flags = model.lowest_leads(objects, reach, self.unit) > 0
        return flags

    def largest_class(self, labels: NDArray[Any], weights: Floats) -> float:
        """What a constant would have: the share of the largest class.

        Examples
        --------
        >>> CertifiedScore(1.0, None, 0.03, balanced=False).largest_class(
        ...     np.array([0, 1, 1]), np.array([2.0, 1.0, 3.0])
        ... )
        0.6666666666666666
        """
        _, codes = np.unique(labels, return_inverse=True)
        return float(np.bincount(codes, weights=self.weights(labels, weights)).max())


def _refuse_without_certified(scoring: Any, **given_and_usual: tuple[Any, Any]) -> None:
    """Raise an error for a parameter that only certified scores have."""
    for name, (given, usual) in given_and_usual.items():
        if given is not usual and given != usual:
            raise InvalidInput(
                f"{setting(name, given)} has no meaning with {setting('scoring', scoring)}.",
                advice=f"Pass {setting('scoring', CERTIFIED)} to choose by certified accuracy, or "
                f"leave {setting(name)} out.",
                value=given,
            )


#: Called as scorer(estimator, X, y), and with sample_weight if it takes that.
Scorer = Callable[..., float]


def as_scorer(scoring: Any) -> Scorer | None:
    """The scorer that ``scoring`` stands for; None for the accuracy and for certified accuracies,
    which need no scorer.

    Examples
    --------
    >>> as_scorer("balanced_accuracy")
    make_scorer(balanced_accuracy_score, response_method='predict')
    """
    if scoring is None or (
        isinstance(scoring, str) and scoring in ("accuracy", CERTIFIED, CERTIFIED_BALANCED)
    ):
        return None
    try:
        if isinstance(scoring, str):
            return get_scorer(scoring)  # type: ignore[no-any-return]
        if callable(scoring):
            return check_scoring(_AnyEstimator(), scoring)  # type: ignore[no-any-return]
    except ValueError as refused:
        raise _not_a_score(scoring) from refused
    raise _not_a_score(scoring)


def scored(
    scorer: Scorer, classifier: Any, X: Objects, y: NDArray[Any], weights: Floats | None
) -> float:
    """The score of a classifier on X with labels y.

    Examples
    --------
    >>> from wideberth import NeighborsClassifier
    >>> model = NeighborsClassifier("levenshtein", n_neighbors=1).fit(
    ...     ["tea", "rum"], ["soft", "hard"]
    ... )
    >>> scored(
    ...     as_scorer("balanced_accuracy"), model, ["tee", "ram"], np.array(["soft", "hard"]), None
    ... )
    1.0
    """
    weighted = {} if weights is None or not _takes_weights(scorer) else {"sample_weight": weights}
    return float(scorer(classifier, X, y, **weighted))


def warn_if_unweighted(scoring: Any, weights: Floats) -> None:
    """Warn that a score ignores sample weights, if it does and the weights differ.

    Examples
    --------
    >>> warn_if_unweighted("balanced_accuracy", np.array([1.0, 2.0]))  # this score takes weights
    """
    scorer = as_scorer(scoring)
    if scorer is None or weights.min() == weights.max() or _takes_weights(scorer):
        return
    name = scoring if isinstance(scoring, str) else getattr(scoring, "__name__", repr(scoring))
    warn_user(
        f"The score {name!r} takes no sample weights: all objects with a positive weight count "
        "alike in the choice of parameters. Choose a score that takes them, such as "
        "'balanced_accuracy', or write scorer(estimator, X, y, sample_weight=None).",
        UserWarning,
    )


class FoldModel(ClassifierMixin, BaseEstimator):
    """A model of a fold as a scorer sees it: it predicts the objects that the fold leaves out, in
    the form that the user passed.

    Its scores are known already, and it can predict no other objects: ``given``, as the user passed
    them, are the only X that its methods accept, and ``shared`` the same as the classifier measures
    them. ``refit(calibrate)`` learns the classifier itself, for scores that need more of it.
    """

    def __init__(
        self,
        classes_: NDArray[Any],
        scores: Floats,
        refit: Callable[..., Any],
        shared: Any,
        given: Sample,
        calibrate: int | None,
    ) -> None:
        self.classes_ = classes_
        self.scores = scores
        self.refit = refit
        self.shared = shared
        self.given = given
        self.calibrate = calibrate

    def predict(self, X: Objects) -> NDArray[Any]:
        """The labels of the objects left out."""
        self._recognise(X)
        labels: NDArray[Any] = self.classes_[self.scores.argmax(axis=1)]
        return labels

    def decision_function(self, X: Objects) -> Floats:
        """The scores of the classes; for two classes their difference."""
        self._recognise(X)
        return self.scores[:, 1] - self.scores[:, 0] if self.scores.shape[1] == 2 else self.scores

    def certified_radius(self, X: Objects, unit: str | None = None) -> Floats:
        """How far each object may move before its label can change, by the classifier itself."""
        self._recognise(X)
        radii: Floats = self.refit().certified_radius(self.shared, unit)
        return radii

    @available_if(lambda self: self.calibrate is not None)
    def predict_proba(self, X: Objects) -> Floats:
        """The probabilities of the classes, calibrated on the objects that were learned from."""
        self._recognise(X)
        probabilities: Floats = self.refit(self.calibrate).predict_proba(self.shared)
        return probabilities

    def _recognise(self, X: Objects) -> None:
        """Raise an error for any X but the objects left out."""
        if X is not self.given:
            raise InvalidInput(
                "A scorer can only predict the objects that the fold leaves out, all at once: the "
                "folds share their distances.",
                advice="Predict the X that the scorer was called with.",
                value=type(X).__name__,
            )


def score_of_fold(
    scorer: Scorer, model: FoldModel, y: NDArray[Any], weights: Floats | None
) -> float:
    """The score of a model of a fold on the objects left out."""
    try:
        score = scored(scorer, model, model.given, y, weights)
    except AttributeError as missing:
        if model.calibrate is None and "predict_proba" in str(missing):
            raise InvalidInput(
                f"The score {scorer!r} needs predict_proba, and {setting('calibrate', None)} gives "
                "no probabilities.",
                advice=f"Fit with {setting('calibrate', shown='folds')}, such as "
                f"{setting('calibrate', 5)}, or choose a score of labels or of decision values.",
                value=scorer,
            ) from missing
        raise
    if np.isnan(score):
        raise InvalidInput(
            f"The score {scorer!r} is nan on a fold with the labels {np.unique(y).tolist()}: it "
            "cannot choose.",
            advice="Take fewer folds or stratified ones, so that each has objects of every class, "
            "or another score.",
            value=score,
        )
    return score


class _AnyEstimator(BaseEstimator):
    """An estimator for scikit-learn's check of a scorer."""

    def fit(self, X: Objects, y: Labels) -> "_AnyEstimator":
        return self


def _takes_weights(scorer: Scorer) -> bool:
    """Whether the score function of a scorer of scikit-learn, or a function of the user, has a
    parameter ``sample_weight``.
    """
    return "sample_weight" in signature(getattr(scorer, "_score_func", scorer)).parameters


def _not_a_score(scoring: Any) -> InvalidInput:
    """The error for a ``scoring`` that cannot be used."""
    return InvalidInput(
        f"{setting('scoring', scoring)} is not a score.",
        advice="Pass a name of sklearn.metrics.get_scorer_names(), 'certified' with a radius, "
        "sklearn.metrics.make_scorer(...) of a function of labels, or a function scorer(estimator, "
        "X, y).",
        value=scoring,
    )
