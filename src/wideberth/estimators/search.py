"""Choose parameters by cross-validation, the price of errors among them, and the base of classifiers that choose."""

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils.metaestimators import available_if

from wideberth.arrays import Flags, Floats
from wideberth.errors import BrokenAxiomWarning, InvalidInput
from wideberth.estimators.base import MetricClassifier
from wideberth.estimators.candidates import Tried
from wideberth.estimators.folds import Fold, cut_folds
from wideberth.estimators.race import Race
from wideberth.estimators.scoring import FoldModel, Scorer, as_scorer, score_of_fold, scored
from wideberth.estimators.training import Training, examine_distance
from wideberth.geometry.space.measure_once import space_if_it_fits
from wideberth.metrics.metric import Metric
from wideberth.objects import sample


@dataclass(frozen=True)
class Shared:
    """What all folds learn from, and the memory that each has for blocks.

    ``more`` are other objects that they measure against, in the words of the metric.
    """

    objects: Any
    metric: Metric
    labels: NDArray[Any]
    weights: Floats
    max_memory: int
    more: Any = None

    def known(self, fold: Fold, values: Floats) -> tuple[Any, NDArray[Any], Floats, Floats]:
        """What a path over these values learns from in a fold."""
        return sample.pick(self.objects, fold.known), self.labels[fold.known], values, self.weights[fold.known]


def share_distances(
    training: Training, classes: NDArray[Any], *, max_memory: int, n_jobs: int | None, more: Any = None
) -> Shared:
    """The objects with a metric that measures each pair once, if half of the memory holds all of their distances."""
    labels, half = classes[training.codes], max_memory // 2
    appended = 0 if more is None else len(more)
    space = space_if_it_fits(training.objects, training.metric, max_memory=half, n_jobs=n_jobs, appended=appended)
    if space is None:
        return Shared(training.objects, training.metric, labels, training.weights, max_memory, more)
    index = space.index
    return Shared(index, space.metric, labels, training.weights, half, None if more is None else space.append(more))


def checked_values(given: Any, usual: Floats, single: str) -> Floats:
    """The values of C to choose from, ``usual`` ones unless told; ``single`` is the class that takes one."""
    values = usual if given is None else np.asarray(given, dtype=np.float64)
    if values.ndim != 1 or not len(values) or not (values > 0).all():
        raise InvalidInput(
            f"C={given!r} is no choice of values.",
            advice=f"Pass positive numbers to choose from, such as [2, 5, 25]; {single} takes a single one.",
            value=given,
        )
    return values


@dataclass(frozen=True)
class LeftOut:
    """The objects that a fold leaves out: as the folds share them, as they were given, their labels and weights."""

    fold: Fold
    shared: Shared
    given: Any
    calibrate: int | None

    def scores(self, classifier: Any, values: Floats, scorer: Scorer) -> list[float]:
        """The score of each model of the path over the known objects."""
        asked, truth = sample.pick(self.shared.objects, self.fold.asked), self.shared.labels[self.fold.asked]
        weights = None if (self.shared.weights == 1).all() else self.shared.weights[self.fold.asked]
        models = classifier.path(*self.shared.known(self.fold, values))
        seen = [FoldModel(model, asked, self.given, self._recalibration(model)) for model in models]
        return [score_of_fold(scorer, each, truth, weights) for each in seen]

    def _recalibration(self, model: Any) -> Callable[[], Any] | None:
        """How to learn a model of a path once more, with probabilities; None if there are to be none."""
        if self.calibrate is None:
            return None
        objects, labels, _, weights = self.shared.known(self.fold, np.empty(0))
        return lambda: clone(model).set_params(calibrate=self.calibrate).fit(objects, labels, weights)


@dataclass(frozen=True)
class Examination:
    """How candidates are compared: on which folds, by which score, and how many folds calibrate their probabilities.

    Without a ``scorer`` it is the accuracy. A scorer is shown the objects of X as they were ``given``, rows of distances if
    X is a ``matrix`` of them.
    """

    folds: list[Fold]
    scorer: Scorer | None
    given: Any
    matrix: bool
    calibrate: int | None
    random_state: int | None

    def left_out(self, training: Training, shared: Shared) -> list[LeftOut]:
        """What each fold leaves out."""
        return [LeftOut(fold, shared, self._shown(training, fold), self.calibrate) for fold in self.folds]

    def _shown(self, training: Training, fold: Fold) -> Any:
        """The objects that a fold leaves out, as the user wrote them; of a matrix their distances to those learned from."""
        known, asked = training.positions[fold.known], training.positions[fold.asked]
        objects = sample.pick(self.given, asked)
        return objects[:, known] if self.matrix else objects


def choose_price(
    training: Training,
    shared: Shared,
    values: Floats,
    variants: Sequence[tuple[dict[str, Any], Any]],
    examination: Examination,
) -> Tried:
    """Try the values of C on folds of the training objects; ``variants`` are parameters, and classifiers on the metric shared."""
    examine_distance(training.objects, training.metric, random_state=examination.random_state)
    classifiers = [classifier for _, classifier in variants]
    for each in classifiers:
        each._remembers = False
    with warnings.catch_warnings(action="ignore", category=BrokenAxiomWarning):  # said of all objects, in the first line
        if examination.scorer is None:
            scores = _race(shared, values, classifiers, examination.folds)
        else:  # a score need not be a mean over objects, so nobody can be told to be behind by more than chance
            left_out = examination.left_out(training, shared)
            scores = np.array([[each.scores(model, values, examination.scorer) for model in classifiers] for each in left_out])
    params = [{"C": float(C), **parameters} for parameters, _ in variants for C in values]
    return Tried(params, scores.reshape(len(scores), -1))


def _race(shared: Shared, values: Floats, classifiers: list[Any], folds: list[Fold]) -> Floats:
    """The accuracy in each fold of each classifier with each value, nan where it was clearly behind before."""
    race = Race((len(classifiers), len(values)))
    for fold in folds:
        right = [_right(each, shared, fold, values, still) for each, still in zip(classifiers, race.running, strict=True)]
        race.record(np.array(right), shared.weights[fold.asked])
    return race.scores


def _right(classifier: Any, shared: Shared, fold: Fold, values: Floats, running: Flags) -> Flags:
    """Which of the objects asked each model of the path over the known ones gets right; models out of the race, none."""
    right = np.zeros((len(values), len(fold.asked)), dtype=bool)
    if running.any():
        asked, truth = sample.pick(shared.objects, fold.asked), shared.labels[fold.asked]
        right[running] = [model.predict(asked) == truth for model in classifier.path(*shared.known(fold, values[running]))]
    return right


class ChosenClassifier(MetricClassifier):
    """Base of classifiers that choose on folds.

    A child names the class ``single`` that it chooses among, the parameters that are ``passed_on`` to it as they are, and those
    that are passed on ``to_the_last`` only. Its `_search` tries the candidates.
    """

    single: ClassVar[type[MetricClassifier]]
    passed_on: ClassVar[tuple[str, ...]]
    to_the_last: ClassVar[tuple[str, ...]] = ("calibrate", "max_memory")

    cv: Any
    scoring: Any
    calibrate: int | None
    random_state: int | None
    best_estimator_: Any
    best_params_: dict[str, Any]
    cv_results_: dict[str, Any]

    def _search(self, training: Training, examination: Examination) -> Tried:
        """Try the candidates on the folds, by `choose_price`."""
        raise NotImplementedError

    def fit(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None) -> Self:
        """Choose on folds of the objects X with labels y, then learn from all of them; objects of weight 0 are left out.

        ``groups``, one for each object, go to a ``cv`` that keeps groups together, such as scikit-learn's GroupKFold.
        """
        training = self._admit(X, y, sample_weight)
        tried = self._search(training, self._examination(training, X, groups))
        self._conclude(tried)
        self._learn_best(X, y, sample_weight)
        return self

    def _examination(self, training: Training, X: Any, groups: Any) -> Examination:
        folds = cut_folds(training, self.cv, groups, self.random_state)
        scorer = as_scorer(self.scoring)
        given = None if scorer is None else sample.hold(X)
        return Examination(folds, scorer, given, self._is_precomputed(), self.calibrate, self.random_state)

    def _conclude(self, tried: Tried) -> None:
        self.cv_results_, self.best_index_ = tried.results(), tried.best
        self.best_params_ = tried.params[self.best_index_]
        self.best_score_ = float(self.cv_results_["mean_test_score"][self.best_index_])

    def _learn_best(self, X: Any, y: Any, sample_weight: Any) -> None:
        last = {name: getattr(self, name) for name in self.to_the_last}
        with warnings.catch_warnings(action="ignore", category=BrokenAxiomWarning):  # said before
            self.best_estimator_ = self._classifier(self.metric, **last, **self.best_params_).fit(X, y, sample_weight)
        self.C_ = self.best_estimator_.C_
        learned = self.best_estimator_._learned_from
        if learned is not None:  # it may be asked on its own, and its parameters were not fixed beforehand
            self.best_estimator_._learned_from = replace(learned, searched=True)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The score on the objects X with labels y by which parameters were chosen: the accuracy, or that of ``scoring``."""
        scorer = as_scorer(self.scoring)
        return float(super().score(X, y, sample_weight)) if scorer is None else scored(scorer, self, X, y, sample_weight)

    def _scores(self, objects: Any) -> Floats:
        scores: Floats = self.best_estimator_._scores(objects)
        return scores

    def _in_words(self) -> list[str]:
        return ["Chosen by cross-validation:", *self.best_estimator_._in_words()]

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
