"""The Lipschitz classifier with its C chosen by cross-validation, along one path for each fold."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from wideberth.array_types import Floats, Indices
from wideberth.classifiers.lipschitz.classifier import LipschitzClassifier
from wideberth.classifiers.lipschitz.function import (
    between,
    constant_scores,
    score_bounds,
    winners_and_margins,
)
from wideberth.classifiers.lipschitz.kernels import least_sums_by_class
from wideberth.classifiers.lipschitz.program import LipschitzPoint, MatrixPricing
from wideberth.estimators.choosing.chosen_classifier import ChosenClassifier
from wideberth.estimators.choosing.cross_validation import checked_values
from wideberth.estimators.choosing.fold_answers import (
    Answers,
    Fold,
    Shared,
    Variant,
    hinge_losses,
    share_distances,
)
from wideberth.estimators.choosing.scoring import FLOOR
from wideberth.estimators.training import Merged, Training, merge_equal
from wideberth.geometry.classes.duplicates import group_equal
from wideberth.geometry.measure.blocks import pairwise_distances, parse_memory
from wideberth.objects import sample
from wideberth.optimize.solution import warn_of_gap

# ---- The folds of a cross-validation of the Lipschitz classifier, answered from one matrix of all
# distances

#: Bytes for a pair of objects: its distance, and the copies in the blocks of a fold.
_BYTES_A_PAIR = 16


@dataclass(frozen=True, eq=False)
class MatrixFolds(Variant):
    """Lipschitz classifiers of which only C is open, and all distances that their folds need.

    Programs and scores read blocks of the matrix in compiled loops. They are those of
    `LipschitzClassifier.path`, where each model would ask the metric for its distances again.
    """

    #: The distances of the shared objects, shape (n, n).
    distances: Floats
    #: A number for each object that it shares with equal objects only, shape (n,).
    group_of: Indices

    def answers(self, fold: Fold, values: Floats) -> Answers:
        """What the models with the given values of C, learned from the known objects of a fold, say
        of those left out.
        """
        classes, codes = np.unique(self.shared.labels[fold.known], return_inverse=True)
        if len(classes) == 1 or not np.isfinite(values).all():
            return super().answers(
                fold, values
            )  # no program is solved, so that nothing can be saved
        training = self._training(fold, codes, len(classes))
        merged = merge_equal(
            training, classes, self.classifier.class_weight, self.group_of[fold.known]
        )
        places = merged.positions(training)
        known, asked = (self.distances[rows[:, None], places] for rows in (places, fold.left_out))
        pricing = MatrixPricing(known, merged.codes, merged.weights)
        scores = np.empty((len(values), len(asked), len(classes)))
        for place, solution in self.classifier.solutions(values, merged, pricing):
            warn_of_gap(solution, self.classifier.tol)
            point = LipschitzPoint(
                solution.point.slacks, float(solution.point.slope / pricing.scale)
            )
            scores[place] = _scores(known, asked, merged, point, len(classes))
        return Answers(
            classes, scores, hinge_losses(scores, classes, self.shared.labels[fold.left_out])
        )

    def _training(self, fold: Fold, codes: Indices, n_classes: int) -> Training:
        """The known objects of a fold, with their positions among the shared objects."""
        objects, labels, _, weights = self.shared.known(fold, np.empty(0))
        metric = self.shared.metric
        return Training(
            metric.prepare(objects),
            metric,
            codes,
            weights,
            n_classes,
            fold.known,
            len(labels),
            examined=True,
        )


def folds_variant(classifier: Any, shared: Shared) -> Variant:
    """The variant of a classifier without further parameters: with a matrix of all distances, if
    the memory holds it.
    """
    n = sample.count(shared.objects)
    if _BYTES_A_PAIR * n**2 > shared.max_memory:
        return Variant({}, classifier, shared)
    distances = pairwise_distances(shared.objects, None, shared.metric, n_jobs=classifier.n_jobs)
    return MatrixFolds(
        {}, classifier, shared, distances, group_equal(shared.objects, shared.metric).group_of
    )


def _scores(
    known: Floats, asked: Floats, merged: Merged, point: LipschitzPoint, n_classes: int
) -> Floats:
    """The scores of the objects left out by the function that a solution stands for, shape (n,
    k).
    """
    if not point.slope:
        return np.tile(
            constant_scores(point, merged.codes, merged.weights, n_classes), (len(asked), 1)
        )
    depths = _least_sums(known, merged.codes, point.slacks - 1.0, point.slope, n_classes)
    winners, margins = winners_and_margins(depths)
    raising, limiting = (
        _least_sums(asked, winners, offsets, point.slope, n_classes)
        for offsets in (-margins, margins)
    )
    return between(*score_bounds(raising, limiting))


def _least_sums(
    block: Floats, codes: Indices, offsets: Floats, slope: float, n_classes: int
) -> Floats:
    """The least sums of offset and slope times distance over the columns of each class, shape
    (rows, classes).
    """
    sums = np.full((len(block), n_classes), np.inf)
    least_sums_by_class(block, codes, offsets, slope, sums)
    return sums


class LipschitzClassifierCV(ChosenClassifier):
    r"""A `wideberth.LipschitzClassifier` whose C has the smallest error on objects left out.

    .. math:: \hat C = \arg\min_C \sum_f \frac1{W_f} \sum_{i \in f} w_i \, [\hat y_C^{-f}(x_i) \neq
        y_i]

    where :math:`\hat y_C^{-f}` was learned without the objects of fold f, whose weights add up to
    :math:`W_f`; of several best values the one with the smallest hinge loss is taken. Each fold
    costs one path, about as much as its most expensive fit, and the folds share the distances. A
    value that is clearly behind after some folds is not tried in the others
    (`wideberth.estimators.choosing.cross_validation.Race`).

    Parameters
    ----------
    metric : str, Metric or callable
        A name, a `wideberth.Metric`, or a function of two objects; "precomputed" for a matrix of
        distances.
    C : sequence of float, optional
        The values to choose from, in the unit of `wideberth.LipschitzClassifier`: by default twelve
        from 1.5 to 50, evenly spaced on a logarithmic scale.
    cv : int, splitter of scikit-learn, or sequence of (training, test) indices
        The folds: a number of shuffled folds, each with the classes in the same shares. Objects of
        weight 0 are in none.
    scoring : str or callable, optional
        The score that decides: the accuracy by default, any score of scikit-learn by its name, such
        as "balanced_accuracy", or a function scorer(estimator, X, y). Weights count in scores that
        take them; scores of probabilities need ``calibrate``. Scores other than the accuracy are
        computed for all candidates in all folds. "certified" and "certified_balanced" need a
        ``radius``.
    radius : float, optional
        With ``scoring="certified"``: the choice is by the share of the objects left out that are
        right and proved to stay so under every change within the radius, one edit of a text for
        ``radius=1, unit="edit"``. "certified_balanced" is the mean of that share over the classes.
        See `wideberth.estimators.choosing.scoring`.
    unit : str, optional
        What the radius is measured in, as in `certified_radius`; by default the metric.
    floor : float, default 0.03
        Only candidates whose accuracy is at most this far behind the best accuracy can be chosen: a
        constant is certified everywhere.
    tol, class_weight, verbose, random_state
        As for `wideberth.LipschitzClassifier`; random_state also shuffles the folds.
    max_time : float, optional
        Seconds that each program may take, one for each value and fold.
    calibrate : int, optional
        With a number of folds, `predict_proba` exists; the chosen classifier is calibrated, those
        of the folds only for a ``scoring`` of probabilities.
    max_memory, n_jobs
        Memory for distances, cores to use (all by default). Distances are kept from fold to fold if
        half of the memory holds them.

    Attributes
    ----------
    best_params_ : dict
        The chosen value of C.
    best_score_ : float
        Its mean score over the folds.
    best_index_ : int
        Its row in ``cv_results_``.
    best_estimator_ : LipschitzClassifier
        The classifier with the chosen value, fitted on all objects.
    C_ : float
        The number that the chosen value stands for in the formula of
        `wideberth.LipschitzClassifier`.
    cv_results_ : dict of columns
        As of scikit-learn's GridSearchCV, with a row for each candidate: ``params``, ``param_C``,
        the scores ``split0_test_score`` and so on, ``mean_test_score``, ``std_test_score``,
        ``mean_test_loss``, ``rank_test_score``; for a certified score also the accuracies,
        ``split0_test_accuracy`` and so on and ``mean_test_accuracy``. Folds in which a candidate
        was not tried any more have nan, and its mean is over the others.
    classes_ : ndarray of shape (k,)
        The labels, sorted.

    Examples
    --------
    >>> drinks, kinds = ["tea", "tee", "ten", "rum", "rom", "rim"], ["soft"] * 3 + ["hard"] * 3
    >>> clf = LipschitzClassifierCV("levenshtein", C=[2, 25], cv=3).fit(drinks, kinds)
    >>> clf.best_params_, clf.cv_results_["rank_test_score"]
    ({'C': 2.0}, array([1, 1]))
    >>> clf.predict(["tel", "rem"])
    array(['soft', 'hard'], dtype='<U4')
    """

    needs = LipschitzClassifier.needs
    single = LipschitzClassifier

    def __init__(
        self,
        metric: Any = "euclidean",
        *,
        C: Any = None,
        cv: Any = 5,
        scoring: Any = None,
        radius: float | None = None,
        unit: str | None = None,
        floor: float = FLOOR,
        tol: float = 1e-3,
        max_time: float | None = None,
        class_weight: Any = None,
        calibrate: int | None = None,
        max_memory: str | int = "2GB",
        n_jobs: int | None = None,
        verbose: int = 0,
        random_state: int | None = None,
    ) -> None:
        self.metric = metric
        self.C = C
        self.cv = cv
        self.scoring = scoring
        self.radius = radius
        self.unit = unit
        self.floor = floor
        self.tol = tol
        self.max_time = max_time
        self.class_weight = class_weight
        self.calibrate = calibrate
        self.max_memory = max_memory
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.random_state = random_state

    def candidates_on(self, training: Training) -> tuple[Floats, list[Variant]]:
        values = checked_values(self.C, np.geomspace(1.5, 50, 12), LipschitzClassifier.__name__)
        shared = share_distances(
            training, self.classes_, max_memory=parse_memory(self.max_memory), n_jobs=self.n_jobs
        )
        classifier = self._classifier(shared.metric, max_memory=shared.max_memory)
        return values, [folds_variant(classifier, shared)]

    def score_interval(self, X: Any) -> tuple[Floats, Floats]:
        """The smallest and the largest score of every class that the training objects allow: two
        arrays of shape (n, k).
        """
        self.admit_queries(X)
        low, high = self.best_estimator_.score_interval(X)
        return low, high
