"""Choose parameters by cross-validation: a race of candidates, the price of errors, and the base of classifiers that choose."""

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedKFold
from sklearn.utils.metaestimators import available_if

from wideberth.arrays import Flags, Floats, Indices
from wideberth.errors import BrokenAxiomWarning, InvalidInput
from wideberth.estimators.base import MetricClassifier
from wideberth.estimators.training import Training, examine_distance
from wideberth.geometry.space.space import MetricSpace
from wideberth.metrics.metric import Metric
from wideberth.objects import sample

#: A candidate leaves when it trails the leader by this many standard errors of their difference.
_CLEARLY = 2.5
#: Mean accuracies nearer to each other than this are a tie.
_TIE = 1e-12


class Race:
    r"""Candidates in a table, and the objects that each has answered rightly in the folds so far.

    After each fold, a candidate c leaves if the leader b (the one with the largest mean accuracy of those still in) is better on
    the same objects by more than chance: with :math:`\delta_i = w_i ([b \text{ is right on } i] - [c \text{ is right on } i])`,

    .. math:: \sum_i \delta_i > 2.5 \, \sqrt{\sum_i \delta_i^2},

    the right side being 2.5 standard errors of the left one if neither were better (for equal weights, McNemar's test). Whoever
    is within that stays, so that the choice is that of the whole table, except by a chance of about one in a hundred.

    >>> race = Race((1, 3))
    >>> good, fair, poor = np.ones(20, dtype=bool), np.arange(20) > 1, np.arange(20) > 15
    >>> race.record(np.array([[good, fair, poor]]), np.ones(20))
    >>> race.running
    array([[ True,  True, False]])
    >>> race.scores  # one fold so far
    array([[[1. , 0.9, 0.2]]])
    """

    def __init__(self, shape: tuple[int, ...]) -> None:
        self.running: Flags = np.ones(shape, dtype=bool)
        self._folds: list[Floats] = []
        self._leads: list[Floats] = []
        self._weights: list[Floats] = []

    def record(self, right: Flags, weights: Floats) -> None:
        """Take the answers of a fold: which objects each candidate got right, of shape (*table, objects).

        Those of candidates that have left are not looked at.
        """
        accuracies = right @ (weights / weights.sum())
        self._folds.append(np.where(self.running, accuracies, np.nan))
        self._leads.append(right.astype(np.float64))
        self._weights.append(weights)
        leader = self.best
        answers, weights = np.concatenate(self._leads, axis=-1), np.concatenate(self._weights)
        behind = (answers[leader] - answers) * weights
        self.running &= behind.sum(axis=-1) <= _CLEARLY * np.sqrt((behind**2).sum(axis=-1))

    @property
    def scores(self) -> Floats:
        """The accuracy in each fold of each candidate, of shape (folds, *table); nan where it was not tried any more."""
        return np.array(self._folds)

    @property
    def best(self) -> tuple[int, ...]:
        """The place of the candidate with the largest mean accuracy, the first of several."""
        means = np.where(self.running, self.scores.mean(axis=0), -1.0)
        first = int(np.argmax(means.ravel() >= means.max() - _TIE))
        return tuple(int(each) for each in np.unravel_index(first, means.shape))


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


def share_distances(
    training: Training, classes: NDArray[Any], *, max_memory: int, n_jobs: int | None, more: Any = None
) -> Shared:
    """The objects with a metric that measures each pair once, if half of the memory holds all of their distances.

    A matrix or a space has that already; vectors are measured as fast as they are looked up.
    """
    half = max_memory // 2
    count = len(training) + (0 if more is None else len(more))
    needed = 8 * count**2 // (2 if training.metric.obeys_triangle else 1)
    labels = classes[training.codes]
    if training.metric.accepts in ("indices", "vectors") or needed > half:
        return Shared(training.objects, training.metric, labels, training.weights, max_memory, more)
    space = MetricSpace(training.objects, training.metric, max_memory=half, n_jobs=n_jobs)
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


@dataclass(frozen=True, eq=False)
class PriceChoice:
    r"""The accuracy in each fold, with each variant of a classifier and each value of C, and which of them is best.

    .. math:: \hat C = \arg\min_C \sum_f \frac1{W_f} \sum_{i \in f} w_i \, [\hat y_C^{-f}(x_i) \neq y_i]

    where :math:`\hat y_C^{-f}` was learned without the objects of fold f, which weigh :math:`W_f` together; of several best
    values the smallest is taken, of several variants the first. ``scores`` has the shape (folds, variants, values), with nan
    where a candidate was out of the `Race`.
    """

    values: Floats
    scores: Floats

    @property
    def best(self) -> tuple[int, int]:
        """The places of the best variant and of its value.

        >>> PriceChoice(np.array([9.0, 3.0]), np.array([[[0.5, 0.5], [1.0, 1.0]]])).best
        (1, 1)
        """
        means = np.nan_to_num(self.scores.mean(axis=0), nan=-1.0)
        variants, places = np.nonzero(means >= means.max() - _TIE)
        first = self.values[places].argmin()
        return int(variants[first]), int(places[first])


def choose_price(
    training: Training,
    shared: Shared,
    values: Floats,
    cv: Any,
    variants: Sequence[Any],
    *,
    random_state: int | None,
) -> PriceChoice:
    """Try the values on folds of the training objects; ``variants`` are classifiers on the metric shared."""
    folds = list(_folds(training, cv, random_state))
    examine_distance(training.objects, training.metric, random_state=random_state)
    with warnings.catch_warnings(action="ignore", category=BrokenAxiomWarning):  # said of all objects, in the line above
        race = Race((len(variants), len(values)))
        for each in variants:
            each._remembers = False
        for fold in folds:
            right = [_answers(each, shared, fold, values, still) for each, still in zip(variants, race.running, strict=True)]
            race.record(np.array(right), shared.weights[fold.asked])
    return PriceChoice(values, race.scores)


@dataclass(frozen=True)
class _Fold:
    """Which objects are learned from, and which are asked for."""

    known: Indices
    asked: Indices


def _folds(training: Training, cv: Any, random_state: int | None) -> Iterator[_Fold]:
    """Where the objects of each fold stand in ``training``."""
    if not isinstance(cv, int | np.integer) and not hasattr(cv, "split"):
        for known, asked in cv:
            yield _Fold(*(np.flatnonzero(np.isin(training.positions, part)) for part in (known, asked)))
        return
    splitter = cv
    if isinstance(cv, int | np.integer):
        largest = int(np.bincount(training.codes).max())
        if not 2 <= cv <= largest:
            raise InvalidInput(
                f"cv={cv} folds do not fit: n_samples = {len(training)}, and the largest class has {largest} of them.",
                advice="Pass 2 or more, up to the size of the largest class, or take a classifier with a C of yours.",
                value=cv,
            )
        splitter = StratifiedKFold(int(cv), shuffle=True, random_state=random_state)
    for known, asked in splitter.split(np.zeros(len(training)), training.codes):
        yield _Fold(known, asked)


def _answers(classifier: Any, shared: Shared, fold: _Fold, values: Floats, running: Flags) -> Flags:
    """Which of the objects asked each model of the path over the known ones gets right; models out of the race, none."""
    right = np.zeros((len(values), len(fold.asked)), dtype=bool)
    if running.any():
        known = sample.pick(shared.objects, fold.known), shared.labels[fold.known], values[running], shared.weights[fold.known]
        asked, truth = sample.pick(shared.objects, fold.asked), shared.labels[fold.asked]
        right[running] = [model.predict(asked) == truth for model in classifier.path(*known)]
    return right


class ChosenClassifier(MetricClassifier):
    """Base of classifiers that choose on folds.

    A child names the class ``single`` that it chooses among, the parameters that are ``passed_on`` to it as they are, and those
    that are passed on ``to_the_last`` only. Its `_learn` sets ``best_C_`` and what else is chosen, and `_choice` names that.
    """

    single: ClassVar[type[MetricClassifier]]
    passed_on: ClassVar[tuple[str, ...]]
    to_the_last: ClassVar[tuple[str, ...]] = ("calibrate", "max_memory")

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
