"""`LPMachineClassifier`: a sum of few radial functions of distances to references, with the
smallest sum of slopes.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, Self, cast

import numpy as np
from scipy.sparse import csr_array

from wideberth.array_types import Floats, Indices, Labels, Objects, Sample
from wideberth.classifiers.lp_machine import problem as problems
from wideberth.classifiers.lp_machine.program import DistanceProgram
from wideberth.errors import InvalidInput
from wideberth.estimators import metric_estimator as parameters
from wideberth.estimators import model_facts as facts
from wideberth.estimators import radial_expansions as expansions
from wideberth.estimators import restored_values
from wideberth.estimators.calibration import calibration_to_plain, restore_calibration
from wideberth.estimators.metric_classifier import PricedClassifier
from wideberth.estimators.radius_rules import LipschitzScores, ScoresBoundedNearby
from wideberth.estimators.training import Training, examine_distance, merge_equal
from wideberth.geometry.measure.blocks import parse_memory
from wideberth.objects import sample
from wideberth.optimize.column_generation import Coefficients, DistancePoint
from wideberth.optimize.solution import Solution, warn_of_gap
from wideberth.rounding import RADIUS_ERROR, DistanceErrors, radii_of_leads

# ---- The scores of the classes, sums of radial functions: how low their leads can get near objects,
# and explanations


def class_functions(
    coefficients: Floats, intercepts: Floats, n_classes: int
) -> tuple[Floats, Floats]:
    """The coefficients and intercepts of the scores of all classes, shape (..., k, columns) and
    (..., k), from those of the functions that were learned (`classes_with_function`).

    Examples
    --------
    >>> class_functions(np.array([[2.0]]), np.array([-1.0]), 2)  # their difference is the function
    (array([[-1.],
           [ 1.]]), array([ 0.5, -0.5]))
    """
    if n_classes > 2:
        return coefficients, intercepts
    if n_classes == 1:
        rest, columns = intercepts.shape[:-1], coefficients.shape[-1]
        return np.zeros((*rest, 1, columns)), np.ones((*rest, 1))
    return (
        np.concatenate([-coefficients, coefficients], axis=-2) / 2.0,
        np.concatenate([-intercepts, intercepts], axis=-1) / 2.0,
    )


@dataclass(frozen=True, eq=False)
class ScoreLeads(expansions.ExpansionNearby):
    """The leads of objects whose scores are an expansion; it satisfies
    `wideberth.estimators.radius_rules.LeadsNearby`.
    """

    @property
    def scores(self) -> Floats:
        """The scores of these objects, shape (n, k)."""
        return self.values

    @cached_property
    def radii(self) -> Floats:
        """Their radii by the Lipschitz constants, shape (n,)."""
        slopes = self.function.slopes
        sizes = sizes_of_scores(self.function, self.nearby.distances, self.terms)
        errors = self.nearby.errors if slopes.any() else DistanceErrors.of(len(sizes), 0.0)
        return radii_of_leads(self.scores, sizes, slopes, errors)

    @property
    def guesses(self) -> Floats:
        """The radii themselves."""
        return self.radii

    def lowest(self, radii: Floats, rows: Indices, unit: str | None = None) -> Floats:
        """See `wideberth.estimators.radius_rules.LeadsNearby.lowest`."""
        winners, found = self.scores[rows].argmax(axis=1), np.full(len(rows), np.inf)
        # bounds that are infinite or undefined prove nothing
        with np.errstate(over="ignore", invalid="ignore"):
            least, most = self.ends(radii, rows, unit)
            # constants are exact
            sizes = self.function.sizes_at(most) + np.where(
                self.function.slopes > 0, np.abs(self.function.intercepts), 0.0
            )
            for winner in np.unique(winners).tolist():
                own, over_rivals = np.flatnonzero(winners == winner), self._over_rivals[winner]
                leads, _, _ = over_rivals.between(least[own], most[own])
                both = sizes[own, winner][:, None] + np.delete(sizes[own], winner, axis=1)
                found[own] = (leads - 2.0 * RADIUS_ERROR * both).min(axis=1, initial=np.inf)
        return found

    @cached_property
    def _over_rivals(self) -> dict[int, expansions.RadialExpansion]:
        """The leads of each winner over its rivals, which are expansions too."""
        return {
            winner: lead_over_rivals(self.function, winner)
            for winner in np.unique(self.scores.argmax(axis=1)).tolist()
        }


def lead_over_rivals(
    function: expansions.RadialExpansion, winner: int
) -> expansions.RadialExpansion:
    """The differences of the score of a class and those of all others, in their order."""
    differences = -np.delete(np.eye(len(function.intercepts)), winner, axis=0)
    differences[:, winner] = 1.0
    return replace(
        function,
        coefficients=csr_array(csr_array(differences) @ function.coefficients),
        intercepts=function.intercepts[winner] - np.delete(function.intercepts, winner),
    )


def sizes_of_scores(
    function: expansions.RadialExpansion, distances: Floats, terms: Floats
) -> Floats:
    r"""Bound what the error of distances can do to the scores of n objects, in units of the
    relative error, shape (n, k).

    .. math:: S_q(x) = \sum_{r, i} |\beta_{q, r, i}| \frac{|g_r(d)| + d\,
        |g_r'(d)|}{\mathrm{Lip}(g_r)} + |b_q|,
        \qquad d = d(x, z_i).

    An absolute error u of the distances adds at most u times the slope of the function, for which
    `radii_of_leads` allows.
    """
    radials = cast(tuple[expansions.Radial, ...], function.columns)
    sensitive = np.hstack([radial.sensitivity(distances) for radial in radials])
    return function.sizes_at(terms + sensitive) + np.abs(function.intercepts)


def explanations(
    function: expansions.RadialExpansion,
    objects: Sample,
    winners: Indices,
    labels: Labels,
    centres: Floats,
    positions: Indices,
) -> list[facts.Explanation]:
    """Explain the label of each object by how strongly the references push its score; the strongest
    first.

    The baseline is the mean score of the label over the training objects, and a push is what a
    reference adds beyond its mean there: ``centres``, of shape (radials, m), are the means of the
    columns. Of two classes the score is the lead over the other.
    """
    names = labels.tolist()
    if len(names) == 1:
        return [facts.Explanation(names[0], 1.0, 1.0, ()) for _ in winners]
    distances = expansions.distances_between(
        objects, function.references, function.metric, function.n_jobs
    )
    deviations = (function.terms(distances) - centres.ravel()).reshape(len(winners), *centres.shape)
    scored = {
        winner: (lead_over_rivals(function, winner), 0) if len(names) == 2 else (function, winner)
        for winner in np.unique(winners).tolist()
    }
    found = []
    for row, winner in enumerate(winners.tolist()):
        expansion, place = scored[winner]
        coefficients = expansion.coefficients[[place]].toarray().reshape(centres.shape)
        terms = (coefficients * deviations[row]).sum(axis=0)
        baseline = float(expansion.intercepts[place] + (coefficients * centres).sum())
        used = np.flatnonzero(coefficients.any(axis=0))
        pushes = expansions.strongest_first(terms, used, positions, distances[row])
        found.append(
            facts.Explanation(names[winner], float(baseline + terms.sum()), baseline, pushes)
        )
    return found


class LPMachineClassifier(PricedClassifier):
    r"""Linear-programming machine: distances to references as features, with the smallest sum of
    absolute coefficients.

    The function is :math:`f(x) = \sum_k \beta_k c_k(x) + b`. A column :math:`c_k(x) = g(d(x, z)) /
    \mathrm{Lip}(g)` is a radial function of the distance to a reference z, divided by its Lipschitz
    constant, so that the sum of the absolute coefficients bounds the Lipschitz constant of f and

    .. math:: \min_{\beta, b, \xi}\ \sum_k |\beta_k| + C_* \sum_j w_j \xi_j
        \quad\text{subject to}\quad y_j f(x_j) \ge 1 - \xi_j,\ \xi_j \ge 0

    has a large margin. With g(t) = t and the training objects as references it is the LP machine
    (Graepel et al. 1999), the maximal margin for the Kuratowski embedding of the metric space
    (Hein, Bousquet & Schoelkopf 2005, section 3.2); with other radial functions the class of von
    Luxburg & Bousquet 2004, section 5.3. The program is solved to a certified gap, and most
    coefficients are 0. With more than two classes there is one function for each class against the
    rest. Labels can be learned from any dissimilarity; certified radii need the triangle
    inequality, and are searched near each object (`wideberth.estimators.radial_expansions`), at
    least as far as the Lipschitz constants reach.

    Parameters
    ----------
    metric : str, Metric or callable, default "euclidean"
        A name (`wideberth.list_metrics`), a `wideberth.Metric`, or a function of two objects;
        "precomputed" for a matrix.
    C : float, default 30
        The price of errors, independent of the scale of the data: :math:`C_*` is C times the price
        up to which all coefficients are 0. 3 is a strong regularisation, 30 medium, 300 weak;
        larger means fewer training errors. ``numpy.inf`` is the hard margin.
    radial : str, pair, or list of them, default "distance"
        ``"distance"``, ``"gaussian"``, ``"laplace"`` or ``"bounded"``, the last three with widths
        of a quarter, a half and the whole of the median distance; ``("gaussian", 2.0)`` sets the
        width, in the unit of the metric; ``("gaussian", "50%")`` sets it as a share of the median
        distance. All functions of a list may be used together.
    references : int or objects, optional
        The objects to which distances are measured: the training objects by default; with a number,
        that many of them that are far from each other; or objects of your own, labelled or not (the
        papers' transductive setting). With a matrix of distances or a `wideberth.MetricSpace`,
        these are numbers of its objects.
    class_weight : dict, "balanced" or None, default None
        The price of errors of each class, in multiples of C; the unit of C does not depend on it.
    calibrate : int, optional
        The number of folds on which `predict_proba` is calibrated, None for none: copies learn from
        all folds but one.
    tol : float, default 1e-3
        The relative gap between the value reached and the lower bound proved, at which solving
        stops. A small one, such as 1e-6, goes on to a vertex of the program: the optimum up to
        rounding, with the fewest references, which took up to two and a half times as long on
        samples of 1,000.
    max_time : float, optional
        Seconds of solving after which the best function proved so far is taken, with a warning that
        states its gap.
    max_memory : int or str, default "2GB"
        Memory for distances. Distances that take more than half of it are measured repeatedly.
    n_jobs : int, optional
        Cores to use; all by default.
    verbose : int
        0 shows progress in a terminal, 1 elsewhere too, as lines on standard error; -1 shows none.
    random_state : int, optional
        Shuffles the folds of ``calibrate``, and draws the objects on which an unpromised triangle
        inequality is checked.

    Attributes
    ----------
    classes_ : ndarray of shape (k,)
        The labels, sorted.
    references_ : ndarray of shape (m,)
        The positions in X, or in the references given, of those that prediction measures distances
        to.
    coef_, intercept_ : ndarray of shape (functions, radials, m), ndarray of shape (functions,)
        The coefficients :math:`\beta` and the intercepts b; one function for two classes.
    radials_ : tuple of Radial
        The radial functions with their widths.
    lipschitz_bound_ : ndarray of shape (functions,)
        The sum of the absolute coefficients of each function, which bounds its Lipschitz constant.
    C_ : ndarray of shape (functions,)
        :math:`C_*` in the formula, for each function.
    solution_ : Solution
        Value, lower bound, gap and status, added up over the functions; its point has their
        coefficients and multipliers.

    Examples
    --------
    >>> words, languages = ["garten", "garden", "jardin", "jarden"], ["de", "en", "fr", "fr"]
    >>> clf = LPMachineClassifier("levenshtein", C=100).fit(words, languages)
    >>> clf.predict(["jardins", "gartens"])
    array(['fr', 'de'], dtype='<U2')
    >>> line = LPMachineClassifier(C=np.inf).fit(
    ...     [[0.0], [1.0], [3.0], [4.0]], ["low", "low", "up", "up"]
    ... )
    >>> line.lipschitz_bound_, line.certified_radius([[1.5]]).round(6)  # the border is at 2
    (array([1.]), array([0.5]))
    """

    decides_by = "its label by a weighted sum of its distances to a few reference objects"
    holds = (expansions.RadialExpansion, expansions.Radial, Coefficients, DistancePoint)

    _fits: ClassVar = {
        "C": parameters.PRICE,
        "tol": parameters.TOLERANCE,
        "max_time": parameters.MAX_TIME,
        "calibrate": parameters.CALIBRATE,
        "references": parameters.Fits(
            parameters.may_be_references,
            "Pass a number of references from 1 on, objects, or None for the training objects.",
        ),
    }

    def __init__(
        self,
        metric: Any = "euclidean",
        *,
        C: float = 30.0,
        radial: expansions.RadialLike | list[expansions.RadialLike] = "distance",
        references: Any = None,
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
        self.class_weight = class_weight
        self.calibrate = calibrate
        self.tol = tol
        self.max_time = max_time
        self.max_memory = max_memory
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.random_state = random_state

    def learn_together(self, training: Training, models: Sequence[Self]) -> None:
        examine_distance(training, random_state=self.random_state)
        programs = self._programs(training, min(model.C for model in models))
        for model in sorted(models, key=lambda model: model.C):
            model._solve_and_store(training, programs)

    def scores(self, objects: Sample) -> Floats:
        return self._function.values(objects)

    def radius_rule(self) -> ScoresBoundedNearby:
        function = self._function
        by_slopes = LipschitzScores.of(
            self, function.slopes, function.references, self._scores_and_sizes
        )

        def leads(objects: Sample) -> Iterator[tuple[slice, ScoreLeads]]:
            for part, nearby in function.nearby(objects, by_slopes.errors(objects)):
                yield part, ScoreLeads(function, nearby)

        return ScoresBoundedNearby(leads, by_slopes)

    def _scores_and_sizes(self, objects: Sample) -> tuple[Floats, Floats]:
        scores, sizes = (np.empty((sample.count(objects), len(self.classes_))) for _ in range(2))
        for part, distances in self._function.distance_blocks(objects):
            terms = self._function.terms(distances)
            scores[part] = self._function.values_at(terms)
            sizes[part] = sizes_of_scores(self._function, distances, terms)
        return scores, sizes

    def kept(self) -> facts.Kept | None:
        if not len(self.references_):
            return None
        return facts.Kept(self._function.references, self.references_, own=self._own_references)

    @property
    def _own_references(self) -> bool:
        """Whether references are training objects, and not objects that the user gave."""
        return self.references is None or parameters.is_count(self.references)

    def state(self) -> dict[str, Any]:
        return {
            "objects": self._function.references,
            "positions": self.references_,
            "coefficients": self.coef_.ravel(),
            "intercepts": self.intercept_,
            "centres": self._centres.ravel(),
            "radials": [[radial.name, radial.width] for radial in self.radials_],
            "C": self.C_,
            **calibration_to_plain(self),
            "value": self.solution_.value,
            "lower_bound": self.solution_.lower_bound,
            "status": self.solution_.status,
            "multipliers": [point.multipliers for point in self.solution_.point],
        }

    def restore(self, state: dict[str, Any]) -> None:
        if not isinstance(state["radials"], list) or not state["radials"]:
            raise InvalidInput(
                "There are no radial functions.", value=type(state["radials"]).__name__
            )
        self.radials_ = tuple(expansions.Radial(name, width) for name, width in state["radials"])
        n_references = sample.count(state["objects"])
        n_functions = len(problems.classes_with_function(len(self.classes_)))
        shape = (n_functions, len(self.radials_), n_references)
        self.references_ = restored_values.codes(
            state, "positions", n_references, below=restored_values.ANY_POSITION
        )
        self.coef_ = restored_values.finite(state, "coefficients", math.prod(shape)).reshape(shape)
        self.intercept_ = restored_values.finite(state, "intercepts", n_functions)
        self._centres = restored_values.finite(state, "centres", math.prod(shape[1:])).reshape(
            shape[1:]
        )
        self.C_ = restored_values.numbers(state, "C", n_functions, least=0.0)
        restore_calibration(self, state)
        if not isinstance(state["multipliers"], list) or len(state["multipliers"]) != n_functions:
            raise InvalidInput(
                f"There are {n_functions} functions, but not as many lists of multipliers.",
                value=n_functions,
            )
        multipliers = [
            restored_values.numbers({"multipliers": numbers}, "multipliers")
            for numbers in state["multipliers"]
        ]
        value, lower_bound = (
            restored_values.number(state, name) for name in ("value", "lower_bound")
        )
        self.solution_ = Solution(
            self._points(multipliers), value, lower_bound, str(state["status"])
        )
        self._set_function(state["objects"])

    def explain(self, X: Objects) -> list[facts.Explanation]:
        """Explain each label by how the distances to the references push the score of an object up
        or down.

        Parameters
        ----------
        X : sequence of objects
            New objects, as for `predict`.

        Returns
        -------
        list of Explanation
            One for each object; its baseline is the mean score of the label over the training
            objects.

        Examples
        --------
        >>> clf = LPMachineClassifier(C=np.inf, references=[[0.0]]).fit(
        ...     [[1.0], [3.0], [3.5]], ["low", "up", "up"]
        ... )
        >>> # the score is 2 - d(x, 0); the training objects have -0.5 on average
        >>> clf.explain([[1.5]])[0]
        Explanation(label='low', score=0.5, baseline=-0.5, pushes=(Push(push=1.0, reference=0, distance=1.5),))
        """
        objects = self.admit_queries(X)
        winners = self.winners(objects)
        told = objects, winners, self.classes_, self._centres, self.references_
        return facts.Explanations(explanations(self._function, *told))

    def in_words(self) -> list[str]:
        if not len(self.references_):
            winner = int(self._function.intercepts.argmax())
            return [
                f"C = {self.C:g}: "
                f"{facts.one_label_in_words(self.classes_[winner:].tolist()[0], len(self.classes_))}"
            ]
        steepest = float(self.lipschitz_bound_.max())
        return [
            f"C = {self.C:g}: "
            f"{facts.references_in_words(len(self.references_), self.n_learned if self._own_references else None)} "
            f"Lipschitz constant at most {steepest:.4g}, margin at least "
            f"{facts.in_units(1 / steepest, self.metric_)}; within "
            f"{max(0.0, self.solution_.relative_gap):.2g} of the optimum."
        ]

    # ---- the steps of learning -------------------------------------------------------------------

    def _problem(self, training: Training, first_equal: Indices | None = None) -> problems.Problem:
        """What the functions of all classes learn from: they share objects, columns and distances.

        ``first_equal`` is a number for each object that it shares with equal objects only; without
        it they are searched for.
        """
        merged = merge_equal(training, self.classes_, self.class_weight, first_equal)
        references = problems.choose_references(
            self.references, training, merged, n_jobs=self.n_jobs
        )
        limits: dict[str, Any] = {
            "max_memory": parse_memory(self.max_memory),
            "n_jobs": self.n_jobs,
        }
        distances = problems.RadialColumns(
            merged.objects, references.objects, training.metric, [], **limits
        )
        columns = distances.with_radials(expansions.chosen_radials(self.radial, distances.scale))
        return problems.Problem(
            columns, references, merged, merged.given_weights(training), training.n_classes
        )

    def _programs(self, training: Training, C: float) -> problems.OneVsRest:
        """The exact program of each function, begun for this C."""
        problem = self._problem(training)
        weights = problem.merged.weights
        path = problem.smoothed_path(parse_memory(self.max_memory) // 8)
        programs = [
            DistanceProgram(problem.columns, signs, weights, tol=self.tol, smoothed=(path, place))
            for place, signs in enumerate(problem.signs)
        ]
        problems.begin_together(problem, programs, C, self.max_time)
        units = problem.units([program.critical_price for program in programs])
        return problems.OneVsRest(
            problem, programs, units, self.classes_, problem.merged.positions(training)
        )

    def _solve_and_store(self, training: Training, programs: problems.OneVsRest) -> None:
        """Solve the programs for this C, and set the fitted attributes; only references with a
        coefficient are kept.
        """
        solutions, problem = programs.solve(self.C, self.max_time), programs.problem
        columns, merged = problem.columns, problem.merged
        table = np.zeros((len(solutions), len(columns.radials), columns.n_references))
        for row, solution in zip(
            table.reshape(len(solutions), columns.n_columns), solutions, strict=True
        ):
            row[solution.point.coefficients.indices] = solution.point.coefficients.values
        used = np.flatnonzero(table.any(axis=(0, 1)))
        self.references_, self.radials_ = problem.references.positions[used], columns.radials
        self.coef_ = np.ascontiguousarray(table[:, :, used])
        constant = np.logical_not(self.coef_.any(axis=(1, 2)))
        self.intercept_ = np.array(
            [solution.point.intercept for solution in solutions]
        ) + problem.tie_breaks(constant)
        self.C_ = self.C * programs.units
        self._centres = _column_means(columns, used, merged.weights)
        self._set_function(columns.picked_references(used))
        multipliers = [
            merged.spread(solution.point.multipliers, training) for solution in solutions
        ]
        self.solution_ = problems.combined_solution(solutions, self._points(multipliers))
        warn_of_gap(self.solution_, self.tol)
        if not len(used) and self.C >= 1 and not self._own_references:
            problems.warn_if_indistinct(columns)

    def _set_function(self, references: Sample) -> None:
        """Set what follows from the coefficients, the intercepts and the references."""
        self.lipschitz_bound_ = np.abs(self.coef_).sum(axis=(1, 2))
        n_functions, *columns = self.coef_.shape
        table = self.coef_.reshape(n_functions, math.prod(columns))
        coefficients, intercepts = class_functions(table, self.intercept_, len(self.classes_))
        self._function = expansions.RadialExpansion(
            references,
            self.metric_,
            self.radials_,
            csr_array(coefficients),
            intercepts,
            parse_memory(self.max_memory),
            self.n_jobs,
        )

    def _points(self, multipliers: Sequence[Floats]) -> tuple[DistancePoint, ...]:
        """The solution of each program in terms of ``coef_``, with multipliers of the objects of
        X.
        """
        points = []
        for coefficients, intercept, own in zip(
            self.coef_, self.intercept_, multipliers, strict=True
        ):
            used = np.flatnonzero(coefficients)
            points.append(
                DistancePoint(Coefficients(used, coefficients.ravel()[used]), float(intercept), own)
            )
        return tuple(points)


def _column_means(columns: problems.RadialColumns, used: Indices, weights: Floats) -> Floats:
    """The mean of each used column over the training objects, of shape (radials, used
    references).
    """
    means = np.zeros((len(columns.radials), len(used)))
    if len(used):
        for place, row in enumerate(means):
            row[:] = weights @ columns.columns(place * columns.n_references + used) / weights.sum()
    return means
