"""The Lipschitz classifier with its C chosen by cross-validation, along one path for each fold."""

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedKFold
from sklearn.utils.metaestimators import available_if

from wideberth.classifiers.axioms_at_fit import examine_distance
from wideberth.classifiers.interface import MetricClassifier, Training
from wideberth.classifiers.lipschitz import Explanation, LipschitzClassifier
from wideberth.errors import BrokenAxiomWarning, InvalidInput
from wideberth.geometry.memory import parse_memory
from wideberth.geometry.space import MetricSpace
from wideberth.metrics.metric import Metric
from wideberth.objects import sample

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]

#: Mean accuracies nearer to each other than this are a tie.
_ROUNDING = 1e-12


class LipschitzClassifierCV(MetricClassifier):
    r"""A `wideberth.LipschitzClassifier` whose C has the smallest error on objects left out.

    .. math:: \hat C = \arg\min_C \sum_f \frac1{W_f} \sum_{i \in f} w_i \, [\hat y_C^{-f}(x_i) \neq y_i]

    where :math:`\hat y_C^{-f}` was learned without the objects of fold f, which weigh :math:`W_f` together; of several best
    values the smallest is taken. Each fold costs one path, about as much as its costliest fit, and the folds share the distances.

    >>> drinks, kinds = ["tea", "tee", "ten", "rum", "rom", "rim"], ["soft"] * 3 + ["hard"] * 3
    >>> clf = LipschitzClassifierCV("levenshtein", C=[2, 25], cv=3).fit(drinks, kinds)
    >>> clf.best_C_, clf.scores_.shape
    (2.0, (3, 2))
    >>> clf.predict(["tel", "rem"])
    array(['soft', 'hard'], dtype='<U4')

    Parameters
    ----------
    metric : str, Metric or callable
        A name, a `wideberth.Metric`, or a function of two objects; "precomputed" for a matrix of distances.
    C : sequence of float, optional
        The values to choose from, in the unit of `wideberth.LipschitzClassifier`: twelve from 1.5 to 50, evenly on a logarithmic
        scale, by default.
    cv : int, splitter of scikit-learn, or sequence of (training, test) indices
        The folds: with a number so many, shuffled, each with the classes in the same shares. Objects of weight 0 are in none.
    tol, class_weight, random_state
        As for `wideberth.LipschitzClassifier`; random_state also shuffles the folds.
    max_time : float, optional
        Seconds that each program may take, one for each value and fold.
    calibrate : int, optional
        With a number of folds, `predict_proba` exists; the chosen classifier alone is calibrated.
    memory, n_jobs
        Memory for distances, cores to use (all by default). Distances are kept from fold to fold if half of the memory holds all.

    Attributes
    ----------
    best_C_ : the chosen value of C.
    C_ : the number that it stands for in the formula of `wideberth.LipschitzClassifier`.
    best_index_ : its place in C.
    scores_ : the accuracy in each fold (rows) with each value of C (columns).
    best_estimator_ : the `wideberth.LipschitzClassifier` with the chosen value, fitted on all objects.
    classes_ : the labels, sorted.
    """

    needs = LipschitzClassifier.needs

    def __init__(
        self,
        metric: Any = "euclidean",
        *,
        C: Any = None,
        cv: Any = 5,
        tol: float = 1e-3,
        max_time: float | None = None,
        class_weight: Any = None,
        calibrate: int | None = None,
        memory: str | int = "2GB",
        n_jobs: int | None = None,
        random_state: int | None = None,
    ) -> None:
        self.metric = metric
        self.C = C
        self.cv = cv
        self.tol = tol
        self.max_time = max_time
        self.class_weight = class_weight
        self.calibrate = calibrate
        self.memory = memory
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Choose C on folds of the objects X with labels y, then learn from all of them; objects of weight 0 are left out."""
        super().fit(X, y, sample_weight)
        with warnings.catch_warnings(action="ignore", category=BrokenAxiomWarning):  # said before
            chosen = self._classifier(self.metric, C=self.best_C_, calibrate=self.calibrate, memory=self.memory)
            self.best_estimator_ = chosen.fit(X, y, sample_weight)
        self.C_ = self.best_estimator_.C_
        return self

    def _learn(self, training: Training) -> None:
        values, folds = self._values(), list(self._folds(training))
        shared = self._share_distances(training)
        examine_distance(training.objects, training.metric, random_state=self.random_state)
        with warnings.catch_warnings(action="ignore", category=BrokenAxiomWarning):  # said of all objects, in the line above
            self.scores_ = np.array([self._accuracies(shared, fold, values) for fold in folds])
        means = self.scores_.mean(axis=0)
        best = np.flatnonzero(means >= means.max() - _ROUNDING)
        self.best_index_ = int(best[values[best].argmin()])
        self.best_C_ = float(values[self.best_index_])

    def _scores(self, objects: Any) -> Floats:
        return self.best_estimator_._scores(objects)

    def _lipschitz(self) -> Floats:
        return self.best_estimator_._lipschitz()

    def explain(self, X: Any) -> list[Explanation]:
        """For each object the training objects that set its winning score, with their distances."""
        self._admit_queries(X)
        return self.best_estimator_.explain(X)

    def score_interval(self, X: Any) -> tuple[Floats, Floats]:
        """The smallest and the largest score of every class that the training objects allow: shape (n, k) each."""
        self._admit_queries(X)
        return self.best_estimator_.score_interval(X)

    @available_if(lambda self: self._classifier(self.metric, calibrate=self.calibrate).predict_proba)
    def predict_proba(self, X: Any) -> Floats:
        """Probabilities of the classes, shape (n, k): a softmax of the scores, its temperature fitted on objects left out."""
        self._admit_queries(X)
        probabilities: Floats = self.best_estimator_.predict_proba(X)
        return probabilities

    # ---- the steps of choosing ---------------------------------------------------------------------------------------------

    def _values(self) -> Floats:
        values = np.geomspace(1.5, 50, 12) if self.C is None else np.asarray(self.C, dtype=np.float64)
        if values.ndim != 1 or not len(values) or not (values > 0).all():
            raise InvalidInput(
                f"C={self.C!r} is no choice of values.",
                advice="Pass positive numbers to choose from, such as [2, 5, 25]; LipschitzClassifier takes a single one.",
                value=self.C,
            )
        return values

    def _folds(self, training: Training) -> Iterator["_Fold"]:
        """Where the objects of each fold stand in ``training``."""
        if not isinstance(self.cv, int | np.integer) and not hasattr(self.cv, "split"):
            for known, asked in self.cv:
                yield _Fold(*(np.flatnonzero(np.isin(training.positions, part)) for part in (known, asked)))
            return
        splitter = self.cv
        if isinstance(splitter, int | np.integer):
            largest = int(np.bincount(training.codes).max())
            if not 2 <= splitter <= largest:
                raise InvalidInput(
                    f"cv={splitter} folds do not fit: n_samples = {len(training)}, and the largest class has {largest} of them.",
                    advice="Pass 2 or more, up to the size of the largest class, or take LipschitzClassifier with a C of yours.",
                    value=splitter,
                )
            splitter = StratifiedKFold(int(splitter), shuffle=True, random_state=self.random_state)
        for known, asked in splitter.split(np.zeros(len(training)), training.codes):
            yield _Fold(known, asked)

    def _share_distances(self, training: Training) -> "_Shared":
        """The objects with a metric that measures each pair once, if half of the memory holds all of their distances.

        A matrix or a space has that already; vectors are measured as fast as they are looked up.
        """
        half = parse_memory(self.memory) // 2
        needed = 8 * len(training) ** 2 // (2 if training.metric.obeys_triangle else 1)
        labels = self.classes_[training.codes]
        if training.metric.eats in ("indices", "vectors") or needed > half:
            return _Shared(training.objects, training.metric, labels, training.weights, parse_memory(self.memory))
        space = MetricSpace(training.objects, training.metric, memory=half, n_jobs=self.n_jobs)
        return _Shared(space.index, space.metric, labels, training.weights, half)

    def _accuracies(self, shared: "_Shared", fold: "_Fold", values: Floats) -> list[float]:
        """The weighted share of the objects asked that each model of the path over the known ones gets right."""
        path = self._classifier(shared.metric, memory=shared.memory).path(
            sample.pick(shared.objects, fold.known), shared.labels[fold.known], values, shared.weights[fold.known]
        )
        asked, truth = sample.pick(shared.objects, fold.asked), shared.labels[fold.asked]
        return [float(np.average(model.predict(asked) == truth, weights=shared.weights[fold.asked])) for model in path]

    def _classifier(self, metric: Any, **parameters: Any) -> LipschitzClassifier:
        kept = ("tol", "max_time", "class_weight", "n_jobs", "random_state")
        return LipschitzClassifier(metric, **{name: getattr(self, name) for name in kept}, **parameters)


@dataclass(frozen=True)
class _Fold:
    """Which objects are learned from, and which are asked for."""

    known: Indices
    asked: Indices


@dataclass(frozen=True)
class _Shared:
    """What all folds learn from, and the memory that each has for blocks."""

    objects: Any
    metric: Metric
    labels: NDArray[Any]
    weights: Floats
    memory: int
