"""The folds of a cross-validation of the Lipschitz classifier, answered from one matrix of all distances."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from wideberth.array_types import Floats, Indices
from wideberth.classifiers.lipschitz.function import between, constant_scores, score_bounds, winners_and_margins
from wideberth.classifiers.lipschitz.kernels import least_sums_by_class
from wideberth.classifiers.lipschitz.pricing import MatrixPricing
from wideberth.classifiers.lipschitz.program import LipschitzPoint
from wideberth.estimators.choosing.answers import Answers, Variant, hinge_losses
from wideberth.estimators.choosing.folds import Fold
from wideberth.estimators.choosing.shared_distances import Shared
from wideberth.estimators.training import Merged, Training, merge_equal
from wideberth.geometry.classes.duplicates import group_equal
from wideberth.geometry.measure.blocks import pairwise_distances
from wideberth.objects import sample
from wideberth.optimize.solution import warn_of_gap

#: Bytes for a pair of objects: its distance, and the copies in the blocks of a fold.
_BYTES_A_PAIR = 16


@dataclass(frozen=True, eq=False)
class MatrixFolds(Variant):
    """Lipschitz classifiers of which only C is open, and all distances that their folds need.

    Programs and scores read blocks of the matrix in compiled loops. They are those of `LipschitzClassifier.path`, where each
    model would ask the metric for its distances again.

    Attributes
    ----------
    distances : ndarray of shape (n, n)
        The distances of the shared objects.
    group_of : ndarray of int, shape (n,)
        A number for each object that it shares with equal objects only.
    """

    distances: Floats
    group_of: Indices

    def answers(self, fold: Fold, values: Floats) -> Answers:
        """What the models with the given values of C, learned from the known objects of a fold, say of those left out."""
        classes, codes = np.unique(self.shared.labels[fold.known], return_inverse=True)
        if len(classes) == 1 or not np.isfinite(values).all():
            return super().answers(fold, values)  # no program is solved, so that nothing can be saved
        training = self._training(fold, codes, len(classes))
        merged = merge_equal(training, classes, self.classifier.class_weight, self.group_of[fold.known])
        places = merged.positions(training)
        known, asked = (self.distances[rows[:, None], places] for rows in (places, fold.left_out))
        pricing = MatrixPricing(known, merged.codes, merged.weights)
        scores = np.empty((len(values), len(asked), len(classes)))
        for place, solution in self.classifier._solutions(values, merged, pricing):
            warn_of_gap(solution, self.classifier.tol)
            point = LipschitzPoint(solution.point.slacks, float(solution.point.slope / pricing.scale))
            scores[place] = _scores(known, asked, merged, point, len(classes))
        return Answers(classes, scores, hinge_losses(scores, classes, self.shared.labels[fold.left_out]))

    def _training(self, fold: Fold, codes: Indices, n_classes: int) -> Training:
        """The known objects of a fold, with their positions among the shared objects."""
        objects, labels, _, weights = self.shared.known(fold, np.empty(0))
        metric = self.shared.metric
        return Training(metric.prepare(objects), metric, codes, weights, n_classes, fold.known, len(labels), examined=True)


def folds_variant(classifier: Any, shared: Shared) -> Variant:
    """The variant of a classifier without further parameters: with a matrix of all distances, if the memory holds it.

    Parameters
    ----------
    classifier : LipschitzClassifier
        Not fitted, and on the metric of ``shared``.
    shared : Shared
        The objects of all folds.

    Returns
    -------
    Variant
        A `MatrixFolds` or one that learns path by path.
    """
    n = sample.count(shared.objects)
    if _BYTES_A_PAIR * n**2 > shared.max_memory:
        return Variant({}, classifier, shared)
    distances = pairwise_distances(shared.objects, None, shared.metric, n_jobs=classifier.n_jobs)
    return MatrixFolds({}, classifier, shared, distances, group_equal(shared.objects, shared.metric).group_of)


def _scores(known: Floats, asked: Floats, merged: Merged, point: LipschitzPoint, n_classes: int) -> Floats:
    """The scores of the objects left out by the function that a solution stands for, shape (n, k)."""
    if not point.slope:
        return np.tile(constant_scores(point, merged.codes, merged.weights, n_classes), (len(asked), 1))
    depths = _least_sums(known, merged.codes, point.slacks - 1.0, point.slope, n_classes)
    winners, margins = winners_and_margins(depths)
    raising, limiting = (_least_sums(asked, winners, offsets, point.slope, n_classes) for offsets in (-margins, margins))
    return between(*score_bounds(raising, limiting))


def _least_sums(block: Floats, codes: Indices, offsets: Floats, slope: float, n_classes: int) -> Floats:
    """The least sums of offset and slope times distance over the columns of each class, shape (rows, classes)."""
    sums = np.full((len(block), n_classes), np.inf)
    least_sums_by_class(block, codes, offsets, slope, sums)
    return sums
