"""The answers of an LP machine in cross-validation, from functions that are nearly optimal and take a small part of the time."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from wideberth.array_types import Floats
from wideberth.classifiers.lp_machine.classifier import LPMachineClassifier
from wideberth.classifiers.lp_machine.function import RadialFunction
from wideberth.classifiers.lp_machine.one_vs_rest import Problem
from wideberth.classifiers.lp_machine.smoothed_path import SmoothedPath
from wideberth.estimators.choosing.answers import Answers, Variant, hinge_losses
from wideberth.estimators.choosing.folds import Fold


@dataclass(frozen=True, eq=False)
class SmoothedVariant(Variant):
    """An LP machine of which only C is open, that answers with the functions of a `SmoothedPath`.

    Hard margins (an infinite C) have no smooth version: then all answers are those of the exact programs.
    """

    classifier: LPMachineClassifier

    def answers(self, fold: Fold, values: Floats) -> Answers:
        """What functions for the given values of C, learned from the known objects of a fold, say of those left out."""
        if np.isinf(values).any():
            return super().answers(fold, values)
        model = self.classifier
        objects, labels, _, weights = self.shared.known(fold, values)
        problem = model._problem(model._admit(objects, labels, weights))
        found = self._functions(problem, values).values(model._admit_queries(self.shared.left_out(fold)))
        by_value = found.reshape(len(found), len(values), len(problem.signs))
        scores = np.array([model._class_scores(by_value[:, place]) for place in range(len(values))])
        sides = 2.0 * scores if len(model.classes_) == 2 else scores  # the scores of two classes are halves of one function
        return Answers(model.classes_, scores, hinge_losses(sides, model.classes_, self.shared.labels[fold.left_out]))

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
        limits: Any = self.shared.max_memory, self.classifier.n_jobs
        references, chosen = columns.picked_references(used), np.ascontiguousarray(coefficients[:, :, used])
        return RadialFunction(references, self.classifier.metric_, columns.radials, chosen, intercepts.ravel(), *limits)
