"""`LPMachineClassifierCV`: the LP machine with its C and its radial function chosen by
cross-validation.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from wideberth.array_types import Flags, Floats, Indices, Sample
from wideberth.classifiers.lp_machine.classifier import (
    LPMachineClassifier,
    ScoreLeads,
    class_functions,
)
from wideberth.classifiers.lp_machine.problem import Problem
from wideberth.errors import InvalidInput
from wideberth.estimators.choosing import fold_answers
from wideberth.estimators.choosing.chosen_classifier import ChosenClassifier, warn_of_one_label
from wideberth.estimators.choosing.cross_validation import checked_values
from wideberth.estimators.choosing.scoring import FLOOR, CertifiedScore
from wideberth.estimators.metric_estimator import is_count
from wideberth.estimators.radial_expansions import RadialExpansion, RadialLike, is_pair
from wideberth.estimators.radius_rules import NearbyDistances, radius_unit
from wideberth.estimators.training import Training
from wideberth.geometry.classes.duplicates import group_equal
from wideberth.geometry.measure.blocks import pairwise_distances, parse_memory
from wideberth.geometry.measure.remembered_distances import MeasuredOnce
from wideberth.geometry.space.space import SpaceMetric
from wideberth.metrics.metric import Metric
from wideberth.metrics.precomputed import Precomputed
from wideberth.objects import sample
from wideberth.rounding import DistanceErrors
from wideberth.wording import setting

# ---- The answers of an LP machine in cross-validation, from functions that are nearly optimal and
# take a small part of the
#      time

#: Bytes for a pair of objects: its distance, and its copy in the columns of a fold.
_BYTES_A_PAIR = 16


@dataclass(frozen=True, eq=False)
class SmoothedVariant(fold_answers.Variant):
    """An LP machine of which only C is open, that answers with the functions of a `SmoothedPath`.

    Hard margins (an infinite C) have no smooth version: then all answers are those of the exact
    programs.
    """

    #: The same objects, with their distances in one matrix if the memory holds it
    #: (`in_one_matrix`).
    looked_up: fold_answers.Shared
    #: A number for each object that it shares with equal objects only, shape (n,).
    group_of: Indices

    def answers(self, fold: fold_answers.Fold, values: Floats) -> fold_answers.Answers:
        """What functions for the given values of C, learned from the known objects of a fold, say
        of those left out.
        """
        return self._answers(fold, values, None)

    def certified_answers(
        self, fold: fold_answers.Fold, values: Floats, score: CertifiedScore
    ) -> fold_answers.Answers:
        """The same, with what is proved of these functions."""
        return self._answers(fold, values, score)

    def _answers(
        self, fold: fold_answers.Fold, values: Floats, score: CertifiedScore | None
    ) -> fold_answers.Answers:
        if np.isinf(values).any():
            return self._by_path(fold, values, score)
        model, truth = self._learner, self.shared.labels[fold.left_out]
        objects, labels, _, weights = self.looked_up.known(fold, values)
        problem = model._problem(model.admit(objects, labels, weights), self.group_of[fold.known])
        functions, classes = self._functions(problem, values), model.classes_
        found = functions.values(model.admit_queries(self.looked_up.left_out(fold)))
        by_value = found.reshape(len(found), len(values), len(classes))
        scores = np.ascontiguousarray(by_value.transpose(1, 0, 2))
        # the scores of two classes are halves of one function
        sides = 2.0 * scores if len(classes) == 2 else scores
        stable = (
            None
            if score is None
            else self._stable(functions, len(values), len(classes), fold, score)
        )
        return fold_answers.Answers(
            classes, scores, fold_answers.hinge_losses(sides, classes, truth), stable
        )

    def _stable(
        self,
        functions: RadialExpansion,
        n_values: int,
        n_classes: int,
        fold: fold_answers.Fold,
        score: CertifiedScore,
    ) -> Flags:
        """Which labels of the objects left out stay within a radius, for each value of C; each
        distance is looked up once.
        """
        metric = self.shared.metric
        objects = metric.prepare(self.shared.left_out(fold))
        references = metric.prepare(self._measurable(functions.references))
        errors = metric.distance_errors(objects).towards(metric.distance_errors(references))
        stable = np.empty((n_values, len(fold.left_out)), dtype=bool)
        parts = [slice(n_classes * place, n_classes * (place + 1)) for place in range(n_values)]
        each = [
            replace(
                functions,
                coefficients=functions.coefficients[part],
                intercepts=functions.intercepts[part],
            )
            for part in parts
        ]
        measure = radius_unit(metric, score.unit)
        unit, reach = measure.other, float(measure.reach(score.radius))
        for part, distances in functions.distance_blocks(
            self._learner.admit_queries(self.looked_up.left_out(fold))
        ):
            rows = np.arange(len(distances))
            some = DistanceErrors(errors.relative, errors.absolute[part])
            nearby = NearbyDistances(
                metric, sample.pick(objects, part), references, distances, some
            )
            for place, function in enumerate(each):
                leads = ScoreLeads(function, nearby)
                stable[place, part] = leads.lowest(np.full(len(rows), reach), rows, unit) > 0
        return stable

    def _measurable(self, references: Sample) -> Any:
        """References that the functions know as rows of a matrix, as objects of the shared
        metric.
        """
        if self.looked_up is self.shared:
            return references
        n = sample.count(self.shared.objects)
        if self.shared.more is not None:
            return sample.pick(self.shared.more, np.asarray(references) - n)
        return sample.pick(self.shared.objects, np.asarray(references))

    @cached_property
    def _learner(self) -> LPMachineClassifier:
        """The classifier on the distances that are looked up."""
        given = {} if self.looked_up.more is None else {"references": self.looked_up.more}
        learner = LPMachineClassifier(
            **self.classifier.get_params(deep=False) | {"metric": self.looked_up.metric} | given
        )
        learner.remembers = False
        return learner

    def _functions(self, problem: Problem, values: Floats) -> RadialExpansion:
        """The functions of all values of C, in this order, for each of them those of all
        classes.
        """
        columns, n_functions = problem.columns, len(problem.signs)
        path = problem.smoothed_path(self.shared.max_memory // 2)
        units = problem.units(path.critical_prices)
        table = np.zeros((len(values), n_functions, columns.n_columns))
        intercepts = np.empty((len(values), n_functions))
        for place in np.argsort(values, kind="stable"):
            table[place][:, path.indices], found = path.functions(values[place] * units)
            for function in filter(path.is_constant, range(n_functions)):
                table[place, function] = 0.0
                found[function] = path.constant(function)
            intercepts[place] = found + problem.tie_breaks(~table[place].any(axis=1))
        by_radial = table.reshape(-1, len(columns.radials), columns.n_references)
        used = np.flatnonzero(by_radial.any(axis=(0, 1)))
        shape = len(values), n_functions, len(columns.radials) * len(used)
        chosen = by_radial[:, :, used].reshape(shape)
        coefficients, constants = class_functions(chosen, intercepts, problem.n_classes)
        return RadialExpansion(
            columns.picked_references(used),
            self._learner.metric_,
            columns.radials,
            csr_array(coefficients.reshape(constants.size, shape[2])),
            constants.ravel(),
            self.shared.max_memory,
            self._learner.n_jobs,
        )


def in_one_matrix(shared: fold_answers.Shared, n_jobs: int | None) -> fold_answers.Shared:
    """The same objects as numbers of rows of a matrix with all of their distances, if the memory
    holds it.

    Where distances are already read from a matrix, or measured as fast as they are read from one,
    as those of vectors are, nothing is gained, and ``shared`` itself is returned. The numbers carry
    no promises of the metric: they are for answers, not for radii.

    Examples
    --------
    >>> from wideberth.metrics.named import metric
    >>> drinks, labels = np.array(["tea", "rum", "tee"], dtype=object), np.array([0, 1, 0])
    >>> numbered = in_one_matrix(
    ...     fold_answers.Shared(drinks, metric("levenshtein"), labels, np.ones(3), max_memory=1000),
    ...     n_jobs=1,
    ... )
    >>> numbered.objects, numbered.metric.block([0], [1, 2])
    (array([0, 1, 2]), array([[3., 1.]]))
    """
    n, m = sample.count(shared.objects), 0 if shared.more is None else sample.count(shared.more)
    if isinstance(shared.metric, Precomputed) or shared.metric.accepts == "vectors":
        return shared
    if _BYTES_A_PAIR * (n + m) ** 2 > shared.max_memory:
        return shared
    matrix = np.zeros((n + m, n + m))
    matrix[:n, :n] = _all_distances(shared.objects, shared.metric, n_jobs)
    if m:
        matrix[:n, n:] = pairwise_distances(
            shared.objects, shared.more, shared.metric, n_jobs=n_jobs
        )
    more = np.arange(n, n + m) if m else None
    return replace(shared, objects=np.arange(n), metric=Precomputed(matrix), more=more)


def _all_distances(objects: Sample, metric: Metric, n_jobs: int | None) -> Floats:
    """The distances of all pairs; from a space or a table all at once, which is faster than by
    rows.
    """
    if isinstance(metric, SpaceMetric | MeasuredOnce):
        return metric.block(objects, objects)
    return pairwise_distances(objects, None, metric, n_jobs=n_jobs)


#: Radial functions to choose from, from the smoothest to the most local.
USUAL_RADIALS: tuple[RadialLike, ...] = (
    "distance",
    ("gaussian", "120%"),
    ("gaussian", "70%"),
    ("gaussian", "45%"),
)


class LPMachineClassifierCV(ChosenClassifier):
    r"""A `wideberth.LPMachineClassifier` whose C and radial function have the smallest error on
    objects left out.

    .. math:: \hat C, \hat g = \arg\min_{C, g} \sum_f \frac1{W_f} \sum_{i \in f} w_i \, [\hat y_{C,
        g}^{-f}(x_i) \neq y_i]

    where :math:`\hat y_{C, g}^{-f}` was learned without the objects of fold f, whose weights add up
    to :math:`W_f`. Of several best candidates the one with the smallest hinge loss on the objects
    left out is taken.

    The functions of the folds are approximate: their hinge loss is rounded, and their objective is
    a few percent above its minimum (`wideberth.classifiers.lp_machine.smoothed_path.SmoothedPath`).
    They tell the candidates apart as well as optimal ones do, in a small part of the time; the
    chosen classifier is then solved to ``tol``. All share the distances. Candidates that are
    clearly worse after some folds are not tried in the others
    (`wideberth.estimators.choosing.cross_validation.Race`).

    Parameters
    ----------
    metric : str, Metric or callable, default "euclidean"
        A name, a `wideberth.Metric`, or a function of two objects; "precomputed" for a matrix of
        distances.
    C : sequence of float, optional
        The values to choose from, in the unit of `wideberth.LPMachineClassifier`: eight from 2 to
        200, evenly on a logarithmic scale, by default.
    radial : str, pair, or sequence of choices, optional
        The radial functions to choose from, each as for `wideberth.LPMachineClassifier` (a list
        among them offers all of its own together): by default the distance, and gaussians with
        widths of 120, 70 and 45 percent of the median distance. Which width is best depends on the
        metric and on how finely the classes are mixed; on words it matters by several points of
        accuracy. One choice alone, such as "distance", takes a quarter of the time.
    references : int or objects, optional
        As for `wideberth.LPMachineClassifier`; a number is the number of references of each fold.
    cv, scoring, radius, unit, floor
        As for `wideberth.LipschitzClassifierCV`.
    tol, class_weight, verbose, random_state
        As for `wideberth.LPMachineClassifier`; random_state also shuffles the folds.
    max_time : float, optional
        Seconds of solving for the chosen classifier, and for each fold with an infinite C among the
        values.
    calibrate : int, optional
        The number of folds on which `predict_proba` of the chosen classifier is calibrated; the
        classifiers of the folds are calibrated only for a ``scoring`` of probabilities.
    max_memory : int or str, default "2GB"
        Memory for distances. They are kept from fold to fold if half of it holds all of them.
    n_jobs : int, optional
        Cores to use; all by default.

    Attributes
    ----------
    best_params_ : dict
        The chosen value of C, and the chosen radial function as it was written.
    best_score_, best_index_ : float, int
        Their mean score over the folds, and their row in ``cv_results_``.
    best_estimator_ : LPMachineClassifier
        The chosen classifier, fitted on all objects.
    C_ : ndarray of shape (functions,)
        The numbers :math:`C_*` that the chosen value means in the formula of
        `wideberth.LPMachineClassifier`.
    cv_results_ : dict of columns
        As of `wideberth.LipschitzClassifierCV`, with ``param_radial``.
    classes_ : ndarray of shape (k,)
        The labels, sorted.

    Examples
    --------
    >>> drinks, kinds = ["tea", "tee", "ten", "rum", "rom", "rim"], ["soft"] * 3 + ["hard"] * 3
    >>> clf = LPMachineClassifierCV(
    ...     "levenshtein", C=[3, 30], radial="distance", cv=3, random_state=0
    ... ).fit(drinks, kinds)
    >>> clf.best_params_, clf.cv_results_["rank_test_score"]
    ({'C': 30.0, 'radial': 'distance'}, array([1, 1]))
    >>> clf.predict(["tel", "rem"])
    array(['soft', 'hard'], dtype='<U4')
    """

    needs = LPMachineClassifier.needs
    single = LPMachineClassifier
    chosen = ("C", "radial")
    refit_only = ("calibrate", "max_memory", "references")

    def __init__(
        self,
        metric: Any = "euclidean",
        *,
        C: Any = None,
        radial: Any = None,
        references: Any = None,
        cv: Any = 5,
        scoring: Any = None,
        radius: float | None = None,
        unit: str | None = None,
        floor: float = FLOOR,
        class_weight: Any = None,
        calibrate: int | None = None,
        tol: float = 1e-3,
        max_time: float | None = None,
        max_memory: str | int = "2GB",
        n_jobs: int | None = None,
        verbose: int = 0,
        random_state: int | None = None,
    ) -> None:
        self.metric = metric
        self.C = C
        self.radial = radial
        self.references = references
        self.cv = cv
        self.scoring = scoring
        self.radius = radius
        self.unit = unit
        self.floor = floor
        self.class_weight = class_weight
        self.calibrate = calibrate
        self.tol = tol
        self.max_time = max_time
        self.max_memory = max_memory
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.random_state = random_state

    def _learn_best(self, training: Training) -> None:
        super()._learn_best(training)
        sizes = np.bincount(training.codes, weights=training.weights)
        guessing, best = float(sizes.max() / sizes.sum()), self.best_estimator_
        # near small prices the functions of folds bend a little where exact ones are constant
        if not len(best.references_) and self.scoring is None and self.best_score_ > guessing:
            warn_of_one_label(best.classes_[best._function.intercepts.argmax()].item())

    def candidates_on(self, training: Training) -> tuple[Floats, list[fold_answers.Variant]]:
        values = checked_values(self.C, np.geomspace(2, 200, 8), LPMachineClassifier.__name__)
        self._classifier(self.metric, references=self.references).check_parameters()
        given = None if self.references is None or is_count(self.references) else self.references
        limits: dict[str, Any] = {
            "max_memory": parse_memory(self.max_memory),
            "n_jobs": self.n_jobs,
        }
        shared = fold_answers.share_distances(training, self.classes_, more=given, **limits)
        references = self.references if given is None else shared.more
        fixed = {"max_memory": shared.max_memory, "references": references}
        looked_up = in_one_matrix(shared, self.n_jobs)
        of_all_folds = shared, looked_up, group_equal(looked_up.objects, looked_up.metric).group_of
        variants: list[fold_answers.Variant] = [
            SmoothedVariant(
                {"radial": radial},
                self._classifier(shared.metric, radial=radial, **fixed),
                *of_all_folds,
            )
            for radial in self._radials()
        ]
        return values, variants

    def _radials(self) -> list[RadialLike | list[RadialLike]]:
        """The radial functions to choose from, each as it was written."""
        if self.radial is None:
            return list(USUAL_RADIALS)
        several = not isinstance(self.radial, str) and not is_pair(self.radial)
        choices = list(self.radial) if several else [self.radial]
        if not choices:
            raise InvalidInput(
                f"{setting('radial', [])} leaves nothing to choose from.",
                advice="Name one, such as 'distance'.",
                value=self.radial,
            )
        return choices
