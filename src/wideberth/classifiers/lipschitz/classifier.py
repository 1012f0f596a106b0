"""The Lipschitz classifier: the flattest scores that get the training objects right, at a price for
those that they get wrong; and its price chosen by cross-validation, along one path for each fold.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from wideberth.array_types import Floats, Indices, Objects, Sample
from wideberth.classifiers.lipschitz import function, program
from wideberth.errors import InvalidInput
from wideberth.estimators import restored_values
from wideberth.estimators.calibration import calibration_to_plain, restore_calibration
from wideberth.estimators.choosing import fold_answers
from wideberth.estimators.choosing.chosen_classifier import ChosenClassifier
from wideberth.estimators.choosing.cross_validation import checked_values
from wideberth.estimators.choosing.scoring import FLOOR
from wideberth.estimators.metric_classifier import PricedClassifier
from wideberth.estimators.metric_estimator import CALIBRATE, MAX_TIME, PRICE, TOLERANCE
from wideberth.estimators.model_facts import (
    Explanation,
    Explanations,
    Kept,
    Push,
    counted,
    in_units,
    one_label_in_words,
)
from wideberth.estimators.radius_rules import LipschitzScores
from wideberth.estimators.training import Merged, Training, examine_distance, merge_equal
from wideberth.geometry.classes.duplicates import group_equal
from wideberth.geometry.classes.enemies import nearest_enemies
from wideberth.geometry.measure.blocks import pairwise_distances, parse_memory
from wideberth.objects import sample
from wideberth.optimize.solution import Solution, warn_of_gap


class LipschitzClassifier(PricedClassifier):
    r"""Large-margin classification on any metric: the margin is 1 / (Lipschitz constant of the
    scores).

    .. math:: \min_{\rho \geq 0,\; h \in H_\rho} \; \rho + C \sum_i w_i \, (1 - h(x_i, y_i))_+

    where :math:`h(x, \cdot)` is +g for one class and -g for all others, :math:`0 \leq g \leq 1`,
    and every :math:`h(\cdot, y)` is rho-Lipschitz. For two classes this is problem (**) of von
    Luxburg & Bousquet (JMLR 2004, section 4.2), for more the class of Kontorovich & Weiss (ICML
    2014, eq. 8 and 16). Solved exactly, through the few pairs of different classes that matter.

    Parameters
    ----------
    metric : str, Metric or callable
        A name, a `wideberth.Metric`, or a function of two objects; "precomputed" for a matrix of
        distances.
    C : float, default 5
        The price of errors, free of scale: the number ``C_`` in the formula is 2 C / (s W), with s
        the median distance to the nearest object of another class and W the sum of all weights.
        About one over the share of the objects whose margin matters; 2 to 25 is usual, and larger
        means fewer training errors. ``numpy.inf`` is the hard margin.
    tol : float
        The largest relative gap between the value reached and the lower bound, which is as accurate
        as the simplex method.
    max_time : float, optional
        Seconds after which the best point so far is taken, with a warning that states its gap.
    class_weight : dict, "balanced" or None
        Weights of the classes, multiplied into the sample weights.
    calibrate : int, optional
        The number of folds on which `predict_proba` is calibrated, None for none: copies learn from
        all folds but one.
    max_memory : str or int
        The memory for blocks of distances, such as "2GB".
    n_jobs : int, optional
        Cores to use; None means all.
    verbose : int
        0 shows progress in a terminal, 1 elsewhere too, as lines on standard error; -1 shows none.
    random_state : int, optional
        Shuffles the folds of ``calibrate``, and draws the objects on which a triangle inequality
        that is not promised is tried.

    Attributes
    ----------
    lipschitz_constant_ : float
        rho, the Lipschitz constant of the scores; 0 if all scores are constant.
    margin_ : float
        1 / rho, infinite if all scores are constant.
    C_ : float
        The C of the formula.
    slack_ : ndarray of shape (n,)
        1 - h(x_i, y_i) of each training object: above 0 inside the margin, above 1 wrong; NaN for
        weight 0.
    support_ : ndarray of int
        Positions of the training objects that are kept to answer by: all that have a weight, of
        equal ones the first, since each can set a score; none if scores are constant.
    solution_ : Solution
        Value, lower bound, gap and status of the program.
    classes_ : ndarray of shape (k,)
        The labels, sorted.

    Examples
    --------
    >>> words, languages = ["garten", "garden", "jardin", "jarden"], ["de", "en", "fr", "en"]
    >>> clf = LipschitzClassifier("levenshtein", C=np.inf).fit(words, languages)
    >>> clf.margin_  # half the smallest distance between classes
    0.5
    >>> clf.predict(["gardens"]), clf.certified_radius(["gardens"])
    (array(['en'], dtype='<U2'), array([0.5]))
    """

    needs = frozenset({"obeys_triangle"})
    one_row_decides = True
    decides_by = (
        "the label with the highest score; scores change as slowly with the distance as known "
        "labels allow"
    )
    holds = (function.StarFunction, program.LipschitzPoint, function.SumsByClass)

    _fits: ClassVar = {"C": PRICE, "tol": TOLERANCE, "max_time": MAX_TIME, "calibrate": CALIBRATE}

    def __init__(
        self,
        metric: Any = "euclidean",
        *,
        C: float = 5.0,
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
        self.tol = tol
        self.max_time = max_time
        self.class_weight = class_weight
        self.calibrate = calibrate
        self.max_memory = max_memory
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.random_state = random_state

    def learn_together(self, training: Training, models: Sequence[Self]) -> None:
        examine_distance(training, random_state=self.random_state)
        merged = merge_equal(training, self.classes_, self.class_weight)
        if training.n_classes == 1:
            point = program.LipschitzPoint(np.zeros(len(merged.codes)), 0.0)
            for model in models:
                model._conclude(training, merged, Solution(point, 0.0, 0.0, "one class"), 1.0)
            return
        hard, soft = (
            [model for model in models if math.isinf(model.C) == it] for it in (True, False)
        )
        for model in hard:
            model._conclude(training, merged, self._hard_margin(training, merged), 1.0)
        if soft:
            pricing = program.EnemyPricing(
                merged.objects, training.metric, merged.codes, merged.weights, **self._limits()
            )
            for place, solution in self.solutions([model.C for model in soft], merged, pricing):
                soft[place]._conclude(training, merged, solution, pricing.scale)

    def scores(self, objects: Sample) -> Floats:
        if len(self.classes_) == 1:
            return np.ones((sample.count(objects), 1))
        if self.lipschitz_constant_ == 0:
            return np.tile(self._constant_scores, (sample.count(objects), 1))
        return self._function.scores(objects)

    def radius_rule(self) -> LipschitzScores:
        slopes = np.full(len(self.classes_), self.lipschitz_constant_)
        if not self.lipschitz_constant_:
            return LipschitzScores.of(self, slopes, None)
        return LipschitzScores.of(
            self, slopes, self._function.references, self._function.scores_and_sizes
        )

    def kept(self) -> Kept | None:
        return Kept(self._function.references, self.support_) if self.lipschitz_constant_ else None

    def state(self) -> dict[str, Any]:
        learned = {
            "lipschitz_constant": self.lipschitz_constant_,
            "C": self.C_,
            "slack": self.slack_,
            "support": self.support_,
            **calibration_to_plain(self),
            "point_slacks": self.solution_.point.slacks,
            "value": self.solution_.value,
            "lower_bound": self.solution_.lower_bound,
            "status": self.solution_.status,
        }
        if not self.lipschitz_constant_:
            return learned | {"objects": None, "constant_scores": self._constant_scores}
        return learned | self._function.parts()

    def restore(self, state: dict[str, Any]) -> None:
        slope = restored_values.number(
            state, "lipschitz_constant", least=0.0, most=restored_values.FINITE
        )
        self.lipschitz_constant_, self.margin_ = slope, 1.0 / slope if slope else math.inf
        self.C_ = restored_values.number(state, "C", least=0.0)
        self.slack_ = restored_values.numbers(state, "slack")
        self.solution_ = Solution(
            program.LipschitzPoint(restored_values.numbers(state, "point_slacks"), slope),
            restored_values.number(state, "value"),
            restored_values.number(state, "lower_bound"),
            str(state["status"]),
        )
        restore_calibration(self, state)
        if not slope:
            self.support_ = restored_values.codes(state, "support", 0, below=1)
            self._constant_scores = restored_values.finite(
                state, "constant_scores", len(self.classes_)
            )
            return
        n_kept, n_classes = sample.count(state["objects"]), len(self.classes_)
        self.support_ = restored_values.codes(state, "support", n_kept, below=len(self.slack_))
        self._function = function.StarFunction(
            state["objects"],
            self.metric_,
            restored_values.codes(state, "winners", n_kept, below=n_classes),
            restored_values.finite(state, "margins", n_kept, least=0.0),
            slope,
            n_classes,
            **self._limits(),
        )

    def score_interval(self, X: Objects) -> tuple[Floats, Floats]:
        """The smallest and the largest score of every class that the training objects allow: two
        arrays of shape (n, k).

        The score is their mean. A wide interval means that no training object is near.
        """
        objects = self.admit_queries(X)
        if self.lipschitz_constant_ == 0:
            scores = self.scores(objects)
            return scores, scores
        upper, lower = self._function.bounds(objects)
        return lower, upper

    def explain(self, X: Objects) -> list[Explanation]:
        """For each object the two training objects that set its winning score: the first holds it
        up, the second down.

        The score is the mean of a lower limit, set by the first, and an upper one, set by the
        second; each pushes by half of it.
        """
        objects = self.admit_queries(X)
        if self.lipschitz_constant_ == 0:
            problem = "All scores are constant: no training object sets them."
            raise InvalidInput(problem, advice="Raise C to let the margin shrink.", value=self.C)
        scores = self._function.scores(objects)
        winners, labels = scores.argmax(axis=1), self.classes_.tolist()
        return Explanations(
            Explanation(
                labels[code],
                float(scores[row, code]),
                0.0,
                (self._push(up), self._push(down)),
            )
            for row, (code, (down, up)) in enumerate(
                zip(winners, self._function.witnesses(objects, winners), strict=True)
            )
        )

    def in_words(self) -> list[str]:
        if not self.lipschitz_constant_:
            # a list has the labels as Python's own values, which print without their types
            label = self.classes_.tolist()[int(np.argmax(self._constant_scores))]
            return [f"C = {self.C:g}: {one_label_in_words(label, len(self.classes_))}"]
        return [
            f"C = {self.C:g}: Lipschitz constant {self.lipschitz_constant_:.4g}, margin "
            f"{self.margin_:.4g} (classes are separated by "
            f"{in_units(2 * self.margin_, self.metric_)} where they do not overlap; "
            f"{counted(len(self.support_), 'object is', 'objects are')} kept); within "
            f"{max(0.0, self.solution_.relative_gap):.2g} of the optimum."
        ]

    def _limits(self) -> dict[str, Any]:
        return {"max_memory": parse_memory(self.max_memory), "n_jobs": self.n_jobs}

    def solutions(
        self, prices: Sequence[float], merged: Merged, pricing: program.Pricing
    ) -> Iterator[tuple[int, Solution]]:
        """The solutions for finite prices, in units of the scale of ``pricing``, in which the price
        is the parameter C.
        """
        return program.solutions_by_price(
            pricing, merged.codes, merged.weights, prices, tol=self.tol, max_time=self.max_time
        )

    def _hard_margin(self, training: Training, merged: Merged) -> Solution:
        """The solution without errors: the slope is 2 over the smallest distance between two
        classes.
        """
        enemies = nearest_enemies(merged.objects, merged.codes, training.metric, **self._limits())
        closest = int(enemies.distances[:, 0].argmin())
        smallest = float(enemies.distances[closest, 0])
        if smallest == 0:
            raise merged.no_hard_margin(
                training, self.classes_, closest, int(enemies.indices[closest, 0])
            )
        slope = 2.0 / smallest
        point = program.LipschitzPoint(np.zeros(len(merged.codes)), slope)
        return Solution(point, slope, slope, "optimal")

    def _conclude(
        self, training: Training, merged: Merged, solution: Solution, scale: float
    ) -> None:
        """Turn the solution, whose unit of distance is ``scale``, into scores and into numbers in
        the unit of the metric.
        """
        point: program.LipschitzPoint = solution.point
        self.lipschitz_constant_ = float(point.slope / scale)
        self.margin_ = 1.0 / self.lipschitz_constant_ if self.lipschitz_constant_ else math.inf
        self.C_ = 2.0 * self.C / (scale * merged.weights.sum())
        slacks = self._make_function(training, merged, point)
        value = self.lipschitz_constant_ + (
            self.C_ * float(merged.weights @ slacks) if math.isfinite(self.C) else 0.0
        )
        self.solution_ = Solution(
            program.LipschitzPoint(slacks, self.lipschitz_constant_),
            value,
            solution.lower_bound / scale,
            solution.status,
        )
        warn_of_gap(self.solution_, self.tol)
        self.slack_ = np.full(training.n_given, np.nan)
        self.slack_[training.positions] = slacks[merged.group_of]

    def _make_function(
        self, training: Training, merged: Merged, point: program.LipschitzPoint
    ) -> Floats:
        """Make the scores from the solution, and return the slack of each merged object, never
        larger than in the solution.
        """
        if not self.lipschitz_constant_:
            self._constant_scores = function.constant_scores(
                point, merged.codes, merged.weights, training.n_classes
            )
            self.support_ = np.empty(0, dtype=np.intp)
            return point.slacks
        keywords = {
            "slope": self.lipschitz_constant_,
            "n_classes": training.n_classes,
            **self._limits(),
        }
        winners, margins = function.project(
            merged.objects, training.metric, 1.0 - point.slacks, merged.codes, **keywords
        )
        self._function = function.StarFunction(
            merged.objects, training.metric, winners, margins, **keywords
        )
        self.support_ = merged.positions(training)
        return np.where(winners == merged.codes, 1.0 - margins, 1.0 + margins)

    def _push(self, witness: function.Witness) -> Push:
        """A witness as part of an explanation: the score is the mean of two limits, so each counts
        half.
        """
        return Push(witness.bound / 2, int(self.support_[witness.position]), witness.distance)


# ---- The folds of a cross-validation of the Lipschitz classifier, answered from one matrix of all
# distances

#: Bytes for a pair of objects: its distance, and the copies in the blocks of a fold.
_BYTES_A_PAIR = 16


@dataclass(frozen=True, eq=False)
class MatrixFolds(fold_answers.Variant):
    """Lipschitz classifiers of which only C is open, and all distances that their folds need.

    Programs and scores read blocks of the matrix in compiled loops. They are those of
    `LipschitzClassifier.path`, where each model would ask the metric for its distances again.
    """

    #: The distances of the shared objects, shape (n, n).
    distances: Floats
    #: A number for each object that it shares with equal objects only, shape (n,).
    group_of: Indices

    def answers(self, fold: fold_answers.Fold, values: Floats) -> fold_answers.Answers:
        """What the models with the given values of C, learned from the known objects of a fold, say
        of those left out.
        """
        classes, codes = np.unique(self.shared.labels[fold.known], return_inverse=True)
        if len(classes) == 1 or not np.isfinite(values).all():
            # no program is solved, so that nothing can be saved
            return super().answers(fold, values)
        training = self._training(fold, codes, len(classes))
        merged = merge_equal(
            training, classes, self.classifier.class_weight, self.group_of[fold.known]
        )
        places = merged.positions(training)
        known, asked = (self.distances[rows[:, None], places] for rows in (places, fold.left_out))
        pricing = program.MatrixPricing(known, merged.codes, merged.weights)
        scores = np.empty((len(values), len(asked), len(classes)))
        for place, solution in self.classifier.solutions(values, merged, pricing):
            warn_of_gap(solution, self.classifier.tol)
            point = program.LipschitzPoint(
                solution.point.slacks, float(solution.point.slope / pricing.scale)
            )
            scores[place] = _scores(known, asked, merged, point, len(classes))
        return fold_answers.Answers(
            classes,
            scores,
            fold_answers.hinge_losses(scores, classes, self.shared.labels[fold.left_out]),
        )

    def _training(self, fold: fold_answers.Fold, codes: Indices, n_classes: int) -> Training:
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


def folds_variant(classifier: Any, shared: fold_answers.Shared) -> fold_answers.Variant:
    """The variant of a classifier without further parameters: with a matrix of all distances, if
    the memory holds it.
    """
    n = sample.count(shared.objects)
    if _BYTES_A_PAIR * n**2 > shared.max_memory:
        return fold_answers.Variant({}, classifier, shared)
    distances = pairwise_distances(shared.objects, None, shared.metric, n_jobs=classifier.n_jobs)
    return MatrixFolds(
        {}, classifier, shared, distances, group_equal(shared.objects, shared.metric).group_of
    )


def _scores(
    known: Floats, asked: Floats, merged: Merged, point: program.LipschitzPoint, n_classes: int
) -> Floats:
    """The scores of the objects left out by the function that a solution stands for, shape (n,
    k).
    """
    if not point.slope:
        return np.tile(
            function.constant_scores(point, merged.codes, merged.weights, n_classes),
            (len(asked), 1),
        )
    return function.scores_from_distances(
        known, asked, 1.0 - point.slacks, merged.codes, point.slope, n_classes
    )


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

    def candidates_on(self, training: Training) -> tuple[Floats, list[fold_answers.Variant]]:
        values = checked_values(self.C, np.geomspace(1.5, 50, 12), LipschitzClassifier.__name__)
        shared = fold_answers.share_distances(
            training, self.classes_, max_memory=parse_memory(self.max_memory), n_jobs=self.n_jobs
        )
        classifier = self._classifier(shared.metric, max_memory=shared.max_memory)
        return values, [folds_variant(classifier, shared)]

    def score_interval(self, X: Objects) -> tuple[Floats, Floats]:
        """The smallest and the largest score of every class that the training objects allow: two
        arrays of shape (n, k).
        """
        self.admit_queries(X)
        low, high = self.best_estimator_.score_interval(X)
        return low, high
