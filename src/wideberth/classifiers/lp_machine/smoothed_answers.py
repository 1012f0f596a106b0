"""The answers of an LP machine in cross-validation, from functions that are nearly optimal and take a small part of the time."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from wideberth.array_types import Flags, Floats, Indices
from wideberth.classifiers.lp_machine.classifier import LPMachineClassifier
from wideberth.classifiers.lp_machine.function import RadialFunction, class_scores
from wideberth.classifiers.lp_machine.nearby_leads import ClassFunctions, RadialLeads
from wideberth.classifiers.lp_machine.one_vs_rest import Problem
from wideberth.classifiers.lp_machine.smoothed_path import SmoothedPath
from wideberth.estimators.choosing.answers import Answers, Variant, hinge_losses
from wideberth.estimators.choosing.certified_scoring import CertifiedScore
from wideberth.estimators.choosing.folds import Fold
from wideberth.estimators.choosing.shared_distances import Shared
from wideberth.estimators.radius_rules import NearbyDistances
from wideberth.estimators.radius_units import radius_unit
from wideberth.geometry.measure.blocks import pairwise_distances
from wideberth.geometry.space.space import SpaceMetric
from wideberth.metrics.metric import Metric
from wideberth.metrics.precomputed import Precomputed
from wideberth.objects import sample
from wideberth.rounding import DistanceErrors

#: Bytes for a pair of objects: its distance, and its copy in the columns of a fold.
_BYTES_A_PAIR = 16


@dataclass(frozen=True, eq=False)
class SmoothedVariant(Variant):
    """An LP machine of which only C is open, that answers with the functions of a `SmoothedPath`.

    Hard margins (an infinite C) have no smooth version: then all answers are those of the exact programs.

    Attributes
    ----------
    looked_up : Shared
        The same objects, with their distances in one matrix if the memory holds it (`in_one_matrix`).
    group_of : ndarray of int, shape (n,)
        A number for each object that it shares with equal objects only.
    """

    looked_up: Shared
    group_of: Indices

    def answers(self, fold: Fold, values: Floats) -> Answers:
        """What functions for the given values of C, learned from the known objects of a fold, say of those left out."""
        return self._answers(fold, values, None)

    def certified_answers(self, fold: Fold, values: Floats, score: CertifiedScore) -> Answers:
        """The same, with what is proved of these functions."""
        return self._answers(fold, values, score)

    def _answers(self, fold: Fold, values: Floats, score: CertifiedScore | None) -> Answers:
        if np.isinf(values).any():
            return self._by_path(fold, values, score)
        model, truth = self._learner, self.shared.labels[fold.left_out]
        objects, labels, _, weights = self.looked_up.known(fold, values)
        problem = model._problem(model.admit(objects, labels, weights), self.group_of[fold.known])
        functions, classes = self._functions(problem, values), model.classes_
        found = functions.values(model.admit_queries(self.looked_up.left_out(fold)))
        by_value = found.reshape(len(found), len(values), len(problem.signs))
        scores = np.array([class_scores(by_value[:, place], len(classes)) for place in range(len(values))])
        sides = 2.0 * scores if len(classes) == 2 else scores  # the scores of two classes are halves of one function
        stable = None if score is None else self._stable(functions, len(values), len(classes), fold, score)
        return Answers(classes, scores, hinge_losses(sides, classes, truth), stable)

    def _stable(self, functions: RadialFunction, n_values: int, n_classes: int, fold: Fold, score: CertifiedScore) -> Flags:
        """Which labels of the objects left out stay within a radius, for each value of C; each distance is looked up once."""
        metric = self.shared.metric
        objects = metric.prepare(self.shared.left_out(fold))
        references = metric.prepare(self._measurable(functions.references))
        errors = metric.distance_errors(objects).towards(metric.distance_errors(references))
        stable = np.empty((n_values, len(fold.left_out)), dtype=bool)
        shape = n_values, -1, *functions.coefficients.shape[1:]
        own = functions.coefficients.reshape(shape), functions.intercepts.reshape(n_values, -1)
        each = [
            ClassFunctions(replace(functions, coefficients=coefficients, intercepts=intercepts), n_classes)
            for coefficients, intercepts in zip(*own, strict=True)
        ]
        unit, reach = radius_unit(metric, score.unit).other, score.reach(metric)
        for part, distances in functions.distance_blocks(self._learner.admit_queries(self.looked_up.left_out(fold)), 96):
            rows, some = np.arange(len(distances)), DistanceErrors(errors.relative, errors.absolute[part])
            nearby = NearbyDistances(metric, sample.pick(objects, part), references, distances, some)
            for place, classes in enumerate(each):
                leads = RadialLeads(classes, nearby)
                stable[place, part] = leads.lowest(np.full(len(rows), reach), rows, unit) > 0
        return stable

    def _measurable(self, references: Any) -> Any:
        """References that the functions know as rows of a matrix, as objects of the shared metric."""
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
        learner = LPMachineClassifier(**self.classifier.get_params(deep=False) | {"metric": self.looked_up.metric} | given)
        learner.remembers = False
        return learner

    def _functions(self, problem: Problem, values: Floats) -> RadialFunction:
        """The functions of all values of C, in this order, for each of them those of all classes."""
        columns, n_functions = problem.columns, len(problem.signs)
        path = SmoothedPath(columns, problem.signs, problem.merged.weights, max_memory=self.shared.max_memory // 2)
        units = problem.units(path.critical_prices)
        table, intercepts = np.empty((len(values), n_functions, columns.n_columns)), np.empty((len(values), n_functions))
        for place in np.argsort(values, kind="stable"):
            table[place], found = path.functions(values[place] * units)
            intercepts[place] = found + problem.tie_breaks(~table[place].any(axis=1))
        coefficients = table.reshape(-1, len(columns.radials), columns.n_references)
        used = np.flatnonzero(coefficients.any(axis=(0, 1)))
        limits: Any = self.shared.max_memory, self._learner.n_jobs
        references, chosen = columns.picked_references(used), np.ascontiguousarray(coefficients[:, :, used])
        return RadialFunction(references, self._learner.metric_, columns.radials, chosen, intercepts.ravel(), *limits)


def in_one_matrix(shared: Shared, n_jobs: int | None) -> Shared:
    """The same objects as numbers of rows of a matrix with all of their distances, if the memory holds it.

    Where distances are already read from a matrix, or measured as fast as they are read from one, as those of vectors are,
    nothing is gained, and ``shared`` itself is returned. The numbers carry no promises of the metric: they are for answers, not
    for radii.

    Parameters
    ----------
    shared : Shared
        The objects of all folds.
    n_jobs : int or None
        Cores to use.

    Returns
    -------
    Shared

    Examples
    --------
    >>> from wideberth.metrics.named import metric
    >>> drinks, labels = np.array(["tea", "rum", "tee"], dtype=object), np.array([0, 1, 0])
    >>> numbered = in_one_matrix(Shared(drinks, metric("levenshtein"), labels, np.ones(3), max_memory=1000), n_jobs=1)
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
        matrix[:n, n:] = pairwise_distances(shared.objects, shared.more, shared.metric, n_jobs=n_jobs)
    more = np.arange(n, n + m) if m else None
    return replace(shared, objects=np.arange(n), metric=Precomputed(matrix), more=more)


def _all_distances(objects: Any, metric: Metric, n_jobs: int | None) -> Floats:
    """The distances of all pairs; from a space all at once, because it hands out single rows slowly."""
    if isinstance(metric, SpaceMetric):
        return metric.block(objects, objects)
    return pairwise_distances(objects, None, metric, n_jobs=n_jobs)
