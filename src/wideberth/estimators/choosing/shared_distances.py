"""The training objects of a cross-validation with distances that all folds share."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wideberth.array_types import Floats
from wideberth.estimators.choosing.folds import Fold
from wideberth.estimators.training import Training
from wideberth.geometry.measure.remembered_distances import MeasuredOnce, index_more
from wideberth.geometry.space.measure_once import keeps_all, space_if_it_fits
from wideberth.metrics.metric import Metric
from wideberth.objects import sample


@dataclass(frozen=True)
class Shared:
    """What the models of all folds learn from, and their memory budget.

    Attributes
    ----------
    objects : sample
        All training objects, prepared by ``metric``.
    metric : Metric
        Measures them; after `share_distances` it may look distances up.
    labels, weights : ndarray of shape (n,)
        Of the objects.
    max_memory : int
        Bytes that each model may use for blocks of distances.
    more : sample or None
        Other objects that they are measured against, such as references, prepared by ``metric``.
    """

    objects: Any
    metric: Metric
    labels: NDArray[Any]
    weights: Floats
    max_memory: int
    more: Any = None

    def known(self, fold: Fold, values: Floats) -> tuple[Any, NDArray[Any], Floats, Floats]:
        """The arguments of ``path`` for the objects that a fold learns from: objects, labels, values of C, weights."""
        return sample.pick(self.objects, fold.known), self.labels[fold.known], values, self.weights[fold.known]

    def left_out(self, fold: Fold) -> Any:
        """The objects that a fold leaves out."""
        return sample.pick(self.objects, fold.left_out)


def share_distances(
    training: Training, classes: NDArray[Any], *, max_memory: int, n_jobs: int | None, more: Any = None
) -> Shared:
    """The objects with a metric that measures each pair once, if half of the memory holds all of their distances."""
    labels, half = classes[training.codes], max_memory // 2
    if isinstance(training.metric, MeasuredOnce):
        more = None if more is None else index_more(more, training.metric)
        return Shared(training.objects, training.metric, labels, training.weights, half, more)
    appended = 0 if more is None else len(more)
    space = space_if_it_fits(training.objects, training.metric, max_memory=half, n_jobs=n_jobs, appended=appended)
    if space is None:
        return Shared(training.objects, training.metric, labels, training.weights, max_memory, more)
    index = space.index
    return Shared(index, space.metric, labels, training.weights, half, None if more is None else space.append(more))


def measure_all(shared: Shared) -> None:
    """Measure all distances that the metric keeps, if it keeps them and the memory holds all: folds elsewhere look them up."""
    metric = shared.metric
    if not keeps_all(metric):
        return
    objects, n = metric.prepare(shared.objects), sample.count(shared.objects)
    height = max(1, shared.max_memory // (np.dtype(float).itemsize * n))
    for start in range(0, n, height):
        rows = sample.pick(objects, np.arange(start, min(start + height, n)))
        metric.block(rows, objects)
        if shared.more is not None:
            metric.block(rows, metric.prepare(shared.more))
