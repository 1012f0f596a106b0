"""The Lipschitz classifier: the flattest scores that get the training objects right, at a price for
those that they get wrong.
"""

import math
import time
from collections.abc import Iterator, Sequence
from typing import Any, ClassVar, Self

import numpy as np

from wideberth.array_types import Floats, Indices
from wideberth.classifiers.lipschitz.function import (
    StarFunction,
    SumsByClass,
    Witness,
    constant_scores,
    project,
)
from wideberth.classifiers.lipschitz.program import (
    EnemyPricing,
    LipschitzPoint,
    Pricing,
    initial_program,
    solve_lipschitz_program,
)
from wideberth.errors import InvalidInput
from wideberth.estimators import restored_values
from wideberth.estimators.calibration import calibration_to_plain, restore_calibration
from wideberth.estimators.metric_classifier import PricedClassifier
from wideberth.estimators.metric_estimator import CALIBRATE, MAX_TIME, PRICE, TOLERANCE
from wideberth.estimators.model_facts import Explanation, Kept, Push, in_units, one_label_in_words
from wideberth.estimators.radius_rules import LipschitzScores
from wideberth.estimators.training import Merged, Training, examine_distance, merge_equal
from wideberth.geometry.classes.enemies import nearest_enemies
from wideberth.geometry.measure.blocks import parse_memory
from wideberth.objects import sample
from wideberth.optimize.solution import Solution, warn_of_gap

# ---- Solutions of the Lipschitz program for several prices of errors, each of which starts from
# the one before


def solutions_by_price(
    pricing: Pricing,
    codes: Indices,
    weights: Floats,
    prices: Sequence[float],
    *,
    tol: float,
    max_time: float | None,
) -> Iterator[tuple[int, Solution]]:
    """Solve the program for every price, from the smallest to the largest.

    All programs together cost about as much as the hardest one: each starts from the pairs and the
    basis of the one before.

    Examples
    --------
    >>> from wideberth.classifiers.lipschitz.program import MatrixPricing
    >>> points, codes = np.array([0.0, 4.0, 5.0]), np.array([0, 1, 1])
    >>> pricing = MatrixPricing(abs(points[:, None] - points), codes, np.ones(3))
    >>> found = solutions_by_price(pricing, codes, np.ones(3), [25.0, 0.1], tol=1e-6, max_time=None)
    >>> [(place, round(float(solution.point.slope), 6)) for place, solution in found]
    [(1, 0.0), (0, 2.0)]
    """
    program, shares = initial_program(pricing, len(codes)), 2.0 * weights / weights.sum()
    for place in np.argsort(prices, kind="stable").tolist():
        deadline = math.inf if max_time is None else time.monotonic() + max_time
        yield (
            place,
            solve_lipschitz_program(
                pricing, prices[place] * shares, codes, tol=tol, deadline=deadline, program=program
            ),
        )


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
    C : float
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
        Positions of the training objects that set the scores: of equal ones the first; none if
        scores are constant.
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
    decides_by = (
        "the label with the highest score; scores change as slowly with the distance as known "
        "labels allow"
    )
    holds = (StarFunction, LipschitzPoint, SumsByClass)

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
            point = LipschitzPoint(np.zeros(len(merged.codes)), 0.0)
            for model in models:
                model._conclude(training, merged, Solution(point, 0.0, 0.0, "one class"), 1.0)
            return
        hard, soft = (
            [model for model in models if math.isinf(model.C) == it] for it in (True, False)
        )
        for model in hard:
            model._conclude(training, merged, self._hard_margin(training, merged), 1.0)
        if soft:
            pricing = EnemyPricing(
                merged.objects, training.metric, merged.codes, merged.weights, **self._limits()
            )
            for place, solution in self.solutions([model.C for model in soft], merged, pricing):
                soft[place]._conclude(training, merged, solution, pricing.scale)

    def scores(self, objects: Any) -> Floats:
        if len(self.classes_) == 1:
            return np.ones((sample.count(objects), 1))
        if self.lipschitz_constant_ == 0:
            return np.tile(self._constant_scores, (sample.count(objects), 1))
        return self._function.scores(objects)

    def radius_rule(self) -> LipschitzScores:
        slopes = np.full(len(self.classes_), self.lipschitz_constant_)
        if not self.lipschitz_constant_:
            return LipschitzScores.of(self, slopes, None)
        measured = self._function.scores_and_sizes if len(self.classes_) > 1 else None
        return LipschitzScores.of(self, slopes, self._function.references, measured)

    def kept(self) -> Kept | None:
        return (
            Kept(self._function.references, self._positions) if self.lipschitz_constant_ else None
        )

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
            LipschitzPoint(restored_values.numbers(state, "point_slacks"), slope),
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
        self.support_ = self._positions = restored_values.codes(
            state, "support", n_kept, below=len(self.slack_)
        )
        self._function = StarFunction(
            state["objects"],
            self.metric_,
            restored_values.codes(state, "winners", n_kept, below=n_classes),
            restored_values.finite(state, "margins", n_kept, least=0.0),
            slope,
            n_classes,
            **self._limits(),
        )

    def score_interval(self, X: Any) -> tuple[Floats, Floats]:
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

    def explain(self, X: Any) -> list[Explanation]:
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
        winners = scores.argmax(axis=1)
        return [
            Explanation(
                self.classes_[code],
                float(scores[row, code]),
                0.0,
                (self._push(up), self._push(down)),
            )
            for row, (code, (down, up)) in enumerate(
                zip(winners, self._function.witnesses(objects, winners), strict=True)
            )
        ]

    def in_words(self) -> list[str]:
        if not self.lipschitz_constant_:
            label = self.classes_[: 1 + int(np.argmax(self._constant_scores))].tolist()[-1]
            return [f"C = {self.C:g}: {one_label_in_words(label, len(self.classes_))}"]
        return [
            f"C = {self.C:g}: Lipschitz constant {self.lipschitz_constant_:.4g}, margin "
            f"{self.margin_:.4g} (classes are separated by "
            f"{in_units(2 * self.margin_, self.metric_)} where they do not overlap; "
            f"{len(self.support_):,} objects are kept); within "
            f"{max(0.0, self.solution_.relative_gap):.2g} of the optimum."
        ]

    def _limits(self) -> dict[str, Any]:
        return {"max_memory": parse_memory(self.max_memory), "n_jobs": self.n_jobs}

    def solutions(
        self, prices: Sequence[float], merged: Merged, pricing: Pricing
    ) -> Iterator[tuple[int, Solution]]:
        """The solutions for finite prices, in units of the scale of ``pricing``, in which the price
        is the parameter C.
        """
        return solutions_by_price(
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
        point = LipschitzPoint(np.zeros(len(merged.codes)), slope)
        return Solution(point, slope, slope, "optimal")

    def _conclude(
        self, training: Training, merged: Merged, solution: Solution, scale: float
    ) -> None:
        """Turn the solution, whose unit of distance is ``scale``, into scores and into numbers in
        the unit of the metric.
        """
        point: LipschitzPoint = solution.point
        self.lipschitz_constant_ = float(point.slope / scale)
        self.margin_ = 1.0 / self.lipschitz_constant_ if self.lipschitz_constant_ else math.inf
        self.C_ = 2.0 * self.C / (scale * merged.weights.sum())
        slacks = self._make_function(training, merged, point)
        value = self.lipschitz_constant_ + (
            self.C_ * float(merged.weights @ slacks) if math.isfinite(self.C) else 0.0
        )
        self.solution_ = Solution(
            LipschitzPoint(slacks, self.lipschitz_constant_),
            value,
            solution.lower_bound / scale,
            solution.status,
        )
        warn_of_gap(self.solution_, self.tol)
        self.slack_ = np.full(training.n_given, np.nan)
        self.slack_[training.positions] = slacks[merged.group_of]

    def _make_function(self, training: Training, merged: Merged, point: LipschitzPoint) -> Floats:
        """Make the scores from the solution, and return the slack of each merged object, never
        larger than in the solution.
        """
        self._positions = merged.positions(training)
        if not self.lipschitz_constant_:
            self._constant_scores = constant_scores(
                point, merged.codes, merged.weights, training.n_classes
            )
            self.support_ = np.empty(0, dtype=np.intp)
            return point.slacks
        keywords = {
            "slope": self.lipschitz_constant_,
            "n_classes": training.n_classes,
            **self._limits(),
        }
        winners, margins = project(
            merged.objects, training.metric, 1.0 - point.slacks, merged.codes, **keywords
        )
        self._function = StarFunction(merged.objects, training.metric, winners, margins, **keywords)
        self.support_ = self._positions
        return np.where(winners == merged.codes, 1.0 - margins, 1.0 + margins)

    def _push(self, witness: Witness) -> Push:
        """A witness as part of an explanation: the score is the mean of two limits, so each counts
        half.
        """
        return Push(witness.bound / 2, int(self._positions[witness.position]), witness.distance)
