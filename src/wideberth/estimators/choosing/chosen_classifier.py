"""The base class of classifiers that choose parameters by cross-validation."""

from dataclasses import replace
from inspect import signature
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted
from threadpoolctl import threadpool_limits

from wideberth.array_types import Floats, Indices, Labels, Objects, Sample
from wideberth.certificate import Certificate
from wideberth.errors import NotCertified, warn_user
from wideberth.estimators import restored_values
from wideberth.estimators.calibration import Calibrator
from wideberth.estimators.choosing.cross_validation import Examination, Tried, choose_price
from wideberth.estimators.choosing.fold_answers import (
    TaughtByFolds,
    Variant,
    candidates_by_folds,
    cut_folds,
)
from wideberth.estimators.choosing.scoring import (
    FLOOR,
    CertifiedScore,
    as_scorer,
    scored,
    warn_if_unweighted,
)
from wideberth.estimators.metric_classifier import MetricClassifier
from wideberth.estimators.metric_estimator import checked_weights, reported
from wideberth.estimators.model_facts import Explanation, Kept, TrainingEvidence, counted
from wideberth.estimators.radius_rules import RadiusRule
from wideberth.estimators.training import Training
from wideberth.geometry.measure.blocks import parse_memory
from wideberth.objects import sample
from wideberth.wording import python

# ---- The base class of classifiers that answer by another one, which they have chosen: the one
# place that hands questions
#      on


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

    def scores(self, objects: Sample) -> Floats:
        return self.answering.scores(objects)

    def winners(self, objects: Sample) -> Indices:
        return self.answering.winners(objects)

    def radius_rule(self) -> RadiusRule:
        return self.answering.radius_rule()

    def kept(self) -> Kept | None:
        return self.answering.kept()

    def learned_in_words(self) -> list[str]:
        return self.answering.learned_in_words()

    def proved_while_learning(self) -> Certificate | None:
        return self.answering.proved_while_learning()

    def explain(self, X: Objects) -> list[Explanation]:
        """Why each object got its label, by the chosen classifier."""
        self.admit_queries(X)
        return self.answering.explain(X)

    def certificates(self, evidence: TrainingEvidence, *, delta: float) -> list[Certificate]:
        return self.answering.certificates(evidence, delta=delta)

    @property
    def one_row_decides(self) -> bool:  # type: ignore[override]
        """As of the chosen classifier."""
        return self.answering.one_row_decides

    def changes_withstood(self, objects: Sample, *, adding: bool) -> Indices:
        """Only that one row can decide is passed on: what else the chosen classifier withstands, it
        was chosen by the rows that may change.
        """
        if adding and self.one_row_decides:
            return self.answering.changes_withstood(objects, adding=adding)
        raise NotCertified(
            f"This {type(self).__name__} chose by the labels that may be wrong, so other labels might "
            "choose another model.",
            advice="Choose the settings on other objects, and learn with these alone; or put it into "
            f"{python('wideberth.PartitionVoteClassifier')}, whose parts choose for themselves.",
            missing="changed_rows",
        )

    def nearest_change(self, target: Any, unit: str | None) -> tuple[Any, float] | None:
        return self.answering.nearest_change(target, unit)

    def preferred_unit(self) -> str:
        return self.answering.preferred_unit()


class ChosenClassifier(AnswersOfBest):
    """Base of classifiers that choose parameters by cross-validation.

    A subclass implements `candidates_on`, and names the class of the classifiers to choose among.
    These get all of its parameters that they have too, but for those that are chosen.
    """

    single: ClassVar[type[MetricClassifier]]
    #: The parameters that candidates differ in.
    chosen: ClassVar[tuple[str, ...]] = ("C",)
    #: The parameters that only the final classifier gets, which learns from all objects.
    refit_only: ClassVar[tuple[str, ...]] = ("calibrate", "max_memory")

    #: What only certified scores use; for children that do not ask for them.
    radius: float | None = None
    unit: str | None = None
    floor: float = FLOOR

    cv: Any
    scoring: Any
    calibrate: int | None
    random_state: int | None
    best_params_: dict[str, Any]
    cv_results_: dict[str, Any]

    @classmethod
    def suits(cls, metric: Any) -> bool:
        return cls.single.suits(metric)

    def candidates_on(self, training: Training) -> tuple[Floats, list[Variant]]:
        """The values of C to try, and the classifiers, of which only C is open, to try each of them
        with.
        """
        raise NotImplementedError

    def _search(self, training: Training, examination: Examination) -> Tried:
        """Score the candidates on the folds."""
        quarter = parse_memory(self.max_memory) // 4
        by_folds = TaughtByFolds(training, quarter, getattr(self, "n_jobs", None))
        candidates = candidates_by_folds(self.candidates_on, training, by_folds)
        return choose_price(training, *candidates, examination)

    @reported
    def fit(self, X: Objects, y: Labels, sample_weight: Any = None, groups: Any = None) -> Self:
        """Choose parameters on folds of the objects X with labels y, then learn from all of them.

        Parameters
        ----------
        X : sample
            Objects that the metric measures, a square matrix of distances, or the index of a
            `wideberth.MetricSpace`.
        y : array-like of shape (n,)
            A label for each object.
        sample_weight : array-like of shape (n,), optional
            Weights, finite and not negative; objects of weight 0 are left out. A score that takes
            no weights counts all others alike, with a warning.
        groups : array-like of shape (n,), optional
            A group for each object, for a ``cv`` that keeps groups together, such as scikit-learn's
            GroupKFold.

        Returns
        -------
        self
            The fitted classifier.
        """
        certified = CertifiedScore.of(self)
        training = self.admit(X, y, sample_weight)
        if certified is not None:
            self.radius_unit(certified.unit)  # NotCertified, before anything is learned
            self.require_triangle()
        warn_if_unweighted(self.scoring, training.weights)
        # its threads would fight with those of the candidates over the cores
        with threadpool_limits(1, user_api="blas"):
            self.conclude(self._search(training, self._examination(training, X, groups)))
            self._learn_best(training)
        return self

    def _examination(self, training: Training, X: Objects, groups: Any) -> Examination:
        """The folds and the score, as the parameters of this classifier describe them."""
        folds = cut_folds(training, self.cv, groups, self.random_state)
        scorer = as_scorer(self.scoring)
        given = None if scorer is None else sample.hold(X)
        certified = CertifiedScore.of(self)
        return Examination(
            folds,
            scorer,
            given,
            self.is_precomputed(),
            self.calibrate,
            self.random_state,
            certified,
        )

    def conclude(self, tried: Tried) -> None:
        """Set the attributes that describe the search."""
        self._tried = tried
        self.cv_results_, self.best_index_ = tried.results(), tried.best
        self.best_params_ = tried.params[self.best_index_]
        self.best_score_ = float(self.cv_results_["mean_test_score"][self.best_index_])

    def _learn_best(self, training: Training) -> None:
        """Fit the best candidate on all objects, which the search has examined."""
        self.best_estimator_ = self.best_candidate()
        self.best_estimator_.inherit(self)
        self.best_estimator_.learn(replace(training, examined=True))
        self._adopt_best()

    def best_candidate(self) -> Any:
        """A classifier with the best parameters, not fitted."""
        own = self.get_params(deep=False)
        only = {name: own[name] for name in self.refit_only if name in own}
        return self._classifier(self.metric, **only, **self.best_params_)

    def _adopt_best(self) -> None:
        """Set the attributes that follow from the fitted ``best_estimator_``."""
        self.C_ = self.best_estimator_.C_
        learned = self.best_estimator_.learned_from_
        # it may be certified on its own, and its parameters were not fixed beforehand
        if learned is not None:
            self.best_estimator_.learned_from_ = replace(learned, searched=True)

    def state(self) -> dict[str, Any]:
        check_is_fitted(self, "best_estimator_")
        learned: dict[str, Any] = self.best_estimator_.state()
        return learned | {"search": self._tried.to_plain()}

    def restore(self, state: dict[str, Any]) -> None:
        restored_values.check_limits(self)
        self.conclude(Tried.from_plain(state["search"]))
        self.best_estimator_ = self.best_candidate()
        self.best_estimator_.inherit(self)
        self.best_estimator_.check_parameters()
        self.best_estimator_.restore(state)
        self._adopt_best()

    def score(self, X: Objects, y: Labels, sample_weight: Any = None) -> float:
        """The score on X with labels y by which parameters were chosen: that of ``scoring``, or the
        accuracy.

        Weights count if the score takes them.
        """
        certified = CertifiedScore.of(self)
        if certified is not None:
            labels, weights = np.asarray(y), checked_weights(sample_weight, len(y))
            stable = certified.stable(self.best_estimator_, self.admit_queries(X))
            return float(
                certified.weights(labels, weights) @ (stable & (self.predict(X) == labels))
            )
        scorer = as_scorer(self.scoring)
        return (
            float(super().score(X, y, sample_weight))
            if scorer is None
            else scored(scorer, self, X, y, sample_weight)
        )

    def settings(self) -> dict[str, Any]:
        return self.best_params_

    def in_words(self) -> list[str]:
        return [self._choice_in_words(), *self.best_estimator_.in_words()]

    def measured_in_words(self) -> str:
        if CertifiedScore.of(self) is not None and self._tried.accuracies is not None:
            return self._choice_in_words()
        name = "score" if as_scorer(self.scoring) is not None else "accuracy"
        return (
            f"{name} {self.best_score_:.3g} on the objects left out, of the best of "
            f"{counted(len(self._tried.params), 'setting', 'settings')} (a little too good: it was "
            "chosen by this)"
        )

    def _choice_in_words(self) -> str:
        """By what the classifier was chosen; with a certified accuracy the largest class stands
        beside it.
        """
        certified = CertifiedScore.of(self)
        if certified is None or self._tried.accuracies is None:
            return "Chosen by cross-validation:"
        within = self.radius_unit(certified.unit).in_words(certified.radius)
        accuracy = float(self.cv_results_["mean_test_accuracy"][self.best_index_])
        alike = ", with all classes weighed alike" if certified.balanced else ""
        return (
            f"Chosen by cross-validation: of the objects left out {self.best_score_:.1%} are right "
            f"and proved to stay so within {within}, {accuracy:.1%} are right; the largest class "
            f"has {self._tried.largest_class:.1%}{alike}."
        )

    def _classifier(self, metric: Any, **parameters: Any) -> Any:
        """A classifier of the class ``single`` with the parameters that are passed on."""
        known = signature(self.single).parameters.keys() - {
            *self.chosen,
            *self.refit_only,
            "metric",
        }
        own = self.get_params(deep=False)
        return self.single(metric, **{name: own[name] for name in known & own.keys()}, **parameters)


def warn_of_one_label(label: Any) -> None:
    """Warn that the chosen classifier, learned from all objects, gives one label, which its copies
    on folds did not.
    """
    warn_user(
        f"Learned from all objects, the chosen classifier gives every object the label {label!r}. "
        "On folds it told labels apart: its errors there are not those of this model. More objects "
        "or another metric may help.",
        UserWarning,
    )
