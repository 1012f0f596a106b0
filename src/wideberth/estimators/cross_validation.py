"""Cross-validation of parameters, among them the price of errors C, and the base class of classifiers that choose in this way."""

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from wideberth.array_types import Flags, Floats
from wideberth.errors import BrokenAxiomWarning
from wideberth.estimators import restored_values
from wideberth.estimators.base import MetricClassifier
from wideberth.estimators.candidate_scores import Tried
from wideberth.estimators.folds import Fold, cut_folds
from wideberth.estimators.race import Race
from wideberth.estimators.scoring import FoldModel, Scorer, as_scorer, score_of_fold, scored, warn_if_unweighted
from wideberth.estimators.training import Training, examine_distance
from wideberth.geometry.space.measure_once import space_if_it_fits
from wideberth.metrics.metric import Metric
from wideberth.objects import sample


@dataclass(frozen=True)
class Shared:
    """What the models of all folds learn from, and their memory budget.

    Attributes
    ----------
    objects : sample
        All training objects, prepared by ``metric``.
    metric : Metric
        Measures them; after `share_distances` it may look distances up.
    labels, weights : ndarray of shape (n,)
        Of the objects.
    max_memory : int
        Bytes that each model may use for blocks of distances.
    more : sample or None
        Other objects that they are measured against, such as references, prepared by ``metric``.
    """

    objects: Any
    metric: Metric
    labels: NDArray[Any]
    weights: Floats
    max_memory: int
    more: Any = None

    def known(self, fold: Fold, values: Floats) -> tuple[Any, NDArray[Any], Floats, Floats]:
        """The arguments of ``path`` for the objects that a fold learns from: objects, labels, values of C, weights."""
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


@dataclass(frozen=True)
class LeftOut:
    """The objects that a fold leaves out, to be scored; scorers see them as they were ``given`` by the user."""

    fold: Fold
    shared: Shared
    given: Any
    calibrate: int | None

    def scores(self, classifier: Any, values: Floats, scorer: Scorer) -> list[float]:
        """The score of the model at each value of C, by one path over the known objects."""
        queries, truth = sample.pick(self.shared.objects, self.fold.left_out), self.shared.labels[self.fold.left_out]
        weights = None if (self.shared.weights == 1).all() else self.shared.weights[self.fold.left_out]
        models = classifier.path(*self.shared.known(self.fold, values))
        fold_models = [FoldModel(model, queries, self.given, self._recalibration(model)) for model in models]
        return [score_of_fold(scorer, model, truth, weights) for model in fold_models]

    def _recalibration(self, model: Any) -> Callable[[], Any] | None:
        """A function that fits a model of the path again, with probabilities; None without ``calibrate``."""
        if self.calibrate is None:
            return None
        objects, labels, _, weights = self.shared.known(self.fold, np.empty(0))
        return lambda: clone(model).set_params(calibrate=self.calibrate).fit(objects, labels, weights)


@dataclass(frozen=True)
class Examination:
    """How candidates are compared.

    Attributes
    ----------
    folds : list of Fold
        The folds.
    scorer : callable or None
        The score; None means the accuracy.
    given : sample or None
        The X of fit, which scorers see.
    matrix : bool
        Whether X is a matrix of distances: scorers then see its rows for the objects left out and columns for the known ones.
    calibrate, random_state
        The number of folds that calibrate probabilities; the seed of the draw on which the triangle inequality is tried.
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
        """The objects that a fold leaves out, as the user passed them; of a matrix their distances to the known objects."""
        known, left_out = training.positions[fold.known], training.positions[fold.left_out]
        objects = sample.pick(self.given, left_out)
        return objects[:, known] if self.matrix else objects


def choose_price(
    training: Training,
    shared: Shared,
    values: Floats,
    variants: Sequence[tuple[dict[str, Any], Any]],
    examination: Examination,
) -> Tried:
    """Compare the values of C, and other parameters, on folds of the training objects.

    By accuracy, candidates that are clearly behind after some folds are dropped (`Race`); by another score all run in all folds.

    Parameters
    ----------
    training : Training
        The objects.
    shared : Shared
        The same objects, with shared distances.
    values : ndarray of shape (m,)
        The values of C; each variant has a path over them.
    variants : sequence of (dict, classifier)
        Other parameters, and the classifier on the shared metric that has them.
    examination : Examination
        Folds and score.

    Returns
    -------
    Tried
        The score of each candidate, a variant with a value of C, in each fold.
    """
    examine_distance(training.objects, training.metric, random_state=examination.random_state)
    classifiers = [classifier for _, classifier in variants]
    for classifier in classifiers:
        classifier._remembers = False
    with warnings.catch_warnings(action="ignore", category=BrokenAxiomWarning):  # examine_distance has warned
        if examination.scorer is None:
            scores = _race(shared, values, classifiers, examination.folds)
        else:  # a score need not be a mean over objects, so that no test can tell that a candidate is behind
            left_out = examination.left_out(training, shared)
            scores = np.array([[part.scores(model, values, examination.scorer) for model in classifiers] for part in left_out])
    params = [{"C": float(C), **parameters} for parameters, _ in variants for C in values]
    return Tried(params, scores.reshape(len(scores), -1))


def _race(shared: Shared, values: Floats, classifiers: list[Any], folds: list[Fold]) -> Floats:
    """The accuracy of each classifier with each value of C in each fold, shape (folds, classifiers, values).

    It is nan in the folds after a candidate was dropped.
    """
    race = Race((len(classifiers), len(values)))
    for fold in folds:
        right = [_right(model, shared, fold, values, running) for model, running in zip(classifiers, race.running, strict=True)]
        race.record(np.array(right), shared.weights[fold.left_out])
    return race.scores


def _right(classifier: Any, shared: Shared, fold: Fold, values: Floats, running: Flags) -> Flags:
    """Which objects left out are classified correctly by each model of the path over the known ones, shape (values, objects).

    The rows of dropped candidates are False.
    """
    right = np.zeros((len(values), len(fold.left_out)), dtype=bool)
    if running.any():
        queries, truth = sample.pick(shared.objects, fold.left_out), shared.labels[fold.left_out]
        right[running] = [model.predict(queries) == truth for model in classifier.path(*shared.known(fold, values[running]))]
    return right


class ChosenClassifier(MetricClassifier):
    """Base of classifiers that choose parameters by cross-validation. A subclass implements `_search` and sets three attributes.

    Attributes
    ----------
    single : type
        The class of the classifiers to choose among.
    passed_on : tuple of str
        The parameters that all of them get unchanged.
    refit_only : tuple of str
        The parameters that only the final classifier gets, which learns from all objects.
    """

    single: ClassVar[type[MetricClassifier]]
    passed_on: ClassVar[tuple[str, ...]]
    refit_only: ClassVar[tuple[str, ...]] = ("calibrate", "max_memory")

    cv: Any
    scoring: Any
    calibrate: int | None
    random_state: int | None
    best_estimator_: Any
    best_params_: dict[str, Any]
    cv_results_: dict[str, Any]

    def _search(self, training: Training, examination: Examination) -> Tried:
        """Score the candidates on the folds, by `choose_price`."""
        raise NotImplementedError

    def fit(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None) -> Self:
        """Choose parameters on folds of the objects X with labels y, then learn from all of them.

        Parameters
        ----------
        X : sample
            Objects that the metric measures, a square matrix of distances, or the index of a `wideberth.MetricSpace`.
        y : array-like of shape (n,)
            A label for each object.
        sample_weight : array-like of shape (n,), optional
            Weights, finite and not negative; objects of weight 0 are left out. A score that takes no weights counts all others
            alike, with a warning.
        groups : array-like of shape (n,), optional
            A group for each object, for a ``cv`` that keeps groups together, such as scikit-learn's GroupKFold.

        Returns
        -------
        self
            The fitted classifier.
        """
        training = self._admit(X, y, sample_weight)
        warn_if_unweighted(self.scoring, training.weights)
        tried = self._search(training, self._examination(training, X, groups))
        self._conclude(tried)
        self._learn_best(X, y, sample_weight)
        return self

    def _examination(self, training: Training, X: Any, groups: Any) -> Examination:
        """The folds and the score, as the parameters of this classifier describe them."""
        folds = cut_folds(training, self.cv, groups, self.random_state)
        scorer = as_scorer(self.scoring)
        given = None if scorer is None else sample.hold(X)
        return Examination(folds, scorer, given, self._is_precomputed(), self.calibrate, self.random_state)

    def _conclude(self, tried: Tried) -> None:
        """Set the attributes that describe the search."""
        self.cv_results_, self.best_index_ = tried.results(), tried.best
        self.best_params_ = tried.params[self.best_index_]
        self.best_score_ = float(self.cv_results_["mean_test_score"][self.best_index_])

    def _learn_best(self, X: Any, y: Any, sample_weight: Any) -> None:
        """Fit the best candidate on all objects."""
        with warnings.catch_warnings(action="ignore", category=BrokenAxiomWarning):  # the search has warned
            self.best_estimator_ = self._best_candidate().fit(X, y, sample_weight)
        self._adopt_best()

    def _best_candidate(self) -> Any:
        """A classifier with the best parameters, not fitted."""
        only = {name: getattr(self, name) for name in self.refit_only}
        return self._classifier(self.metric, **only, **self.best_params_)

    def _adopt_best(self) -> None:
        """Set the attributes that follow from the fitted ``best_estimator_``."""
        self.C_ = self.best_estimator_.C_
        learned = self.best_estimator_._learned_from
        if learned is not None:  # it may be certified on its own, and its parameters were not fixed beforehand
            self.best_estimator_._learned_from = replace(learned, searched=True)

    def _state(self) -> dict[str, Any]:
        check_is_fitted(self, "best_estimator_")
        learned: dict[str, Any] = self.best_estimator_._state()
        return learned | {"search": vars(Tried.of(self.cv_results_))}

    def _restore(self, state: dict[str, Any]) -> None:
        restored_values.check_limits(self)
        self._conclude(Tried.from_plain(state["search"]))
        self.best_estimator_ = self._best_candidate()
        self.best_estimator_._inherit(self)
        self.best_estimator_._check_parameters()
        self.best_estimator_._restore(state)
        self._adopt_best()

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The score on X with labels y by which parameters were chosen: that of ``scoring``, or the accuracy.

        Weights count if the score takes them.
        """
        scorer = as_scorer(self.scoring)
        return float(super().score(X, y, sample_weight)) if scorer is None else scored(scorer, self, X, y, sample_weight)

    def _scores(self, objects: Any) -> Floats:
        scores: Floats = self.best_estimator_._scores(objects)
        return scores

    def _in_words(self) -> list[str]:
        return ["Chosen by cross-validation:", *self.best_estimator_._in_words()]

    def certified_radius(self, X: Any) -> Floats:
        """How far each object may move, in the metric's unit, before the label from the chosen classifier can change.

        Shape (n,).
        """
        self._admit_queries(X)
        radii: Floats = self.best_estimator_.certified_radius(X)
        return radii

    def explain(self, X: Any) -> list[Any]:
        """Why each object got its label, by the chosen classifier."""
        self._admit_queries(X)
        explanations: list[Any] = self.best_estimator_.explain(X)
        return explanations

    @available_if(lambda self: self._classifier(self.metric, calibrate=self.calibrate).predict_proba)
    def predict_proba(self, X: Any) -> Floats:
        """Probabilities of the classes, shape (n, k): a softmax of the scores, with a temperature fitted on objects left out."""
        self._admit_queries(X)
        probabilities: Floats = self.best_estimator_.predict_proba(X)
        return probabilities

    def _classifier(self, metric: Any, **parameters: Any) -> Any:
        """A classifier of the class ``single`` with the parameters that are passed on."""
        return self.single(metric, **{name: getattr(self, name) for name in self.passed_on}, **parameters)
