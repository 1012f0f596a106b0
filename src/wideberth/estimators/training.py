"""The training sample: equal objects merged, and a distance that nobody has promised to be a metric examined on it."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.class_weight import compute_class_weight

from wideberth.arrays import Floats, Indices
from wideberth.errors import BrokenAxiomWarning, InvalidInput, warn_user
from wideberth.geometry.classes.duplicates import group_equal
from wideberth.geometry.measure.sampled_axioms import broken_triangle
from wideberth.geometry.space.space import SpaceMetric
from wideberth.metrics.metric import Metric
from wideberth.objects import sample


@dataclass(frozen=True)
class Training:
    """What a classifier learns from: prepared objects, their metric, the number of each one's class, and positive weights.

    ``positions`` says where each of them stood among the ``n_given`` objects of X: those of weight 0 are not here.
    ``metric_learned`` says whether the metric took something from these objects (`wideberth.Metric.fitted`).
    """

    objects: Any
    metric: Metric
    codes: Indices
    weights: Floats
    n_classes: int
    positions: Indices
    n_given: int
    metric_learned: bool = False

    def __len__(self) -> int:
        return len(self.codes)

    def part(self, chosen: Indices) -> "Training":
        """Some of the objects, with all the classes."""
        return replace(
            self,
            objects=sample.pick(self.objects, chosen),
            codes=self.codes[chosen],
            weights=self.weights[chosen],
            positions=np.arange(len(chosen)),
            n_given=len(chosen),
        )


@dataclass(frozen=True)
class Merged:
    """Equal objects of one class as one, their weights added; ``group_of`` says which one stands for each training object."""

    objects: Any
    codes: Indices
    weights: Floats
    group_of: Indices

    def __len__(self) -> int:
        return len(self.codes)

    def positions(self, training: Training) -> Indices:
        """Where the first of the objects that each one stands for stood in X."""
        return training.positions[np.unique(self.group_of, return_index=True)[1]]

    def spread(self, values: Floats, training: Training) -> Floats:
        """Values of these objects, one for each object of X: each shared by weight among the objects that it stands for."""
        out = np.zeros(training.n_given)
        out[training.positions] = (values / self.given_weights(training))[self.group_of] * training.weights
        return out

    def given_weights(self, training: Training) -> Floats:
        """The weights without those of the classes."""
        return np.asarray(np.bincount(self.group_of, weights=training.weights), dtype=np.float64)

    def refuse_weightless(self, classes: NDArray[Any], class_weight: Any) -> None:
        """Raise an error if ``class_weight`` leaves a class no weight."""
        if not (self.weights > 0).all():
            raise _weightless(classes[self.codes[np.argmin(self.weights)]].item(), class_weight)

    def no_hard_margin(self, training: Training, classes: NDArray[Any], *equal: int) -> InvalidInput:
        """The error for two equal objects of different classes, which no margin separates."""
        twins = sorted(int(np.flatnonzero(self.group_of == each)[0]) for each in equal)
        one, other = (int(training.positions[each]) for each in twins)
        labels = classes[training.codes[twins]].tolist()
        return InvalidInput(
            f"Objects {one} ({labels[0]!r}) and {other} ({labels[1]!r}) are equal, their labels differ: there is no hard margin.",
            advice="Take a finite C, which pays for one of them, or correct the labels.",
            witness=(one, other),
            value=labels,
        )


def weigh_classes(training: Training, classes: NDArray[Any], class_weight: Any) -> Training:
    """The same objects, their weights times that of their class (``class_weight`` as in scikit-learn), all of them positive."""
    if class_weight is None:
        return training
    weights = _class_weights(training, classes, class_weight)
    wrong = np.flatnonzero(~(np.isfinite(weights) & (weights > 0)))
    if len(wrong):
        raise _weightless(classes[wrong[0]].item(), class_weight)
    return replace(training, weights=training.weights * weights[training.codes])


def merge_equal(training: Training, classes: NDArray[Any], class_weight: Any, first_equal: Indices | None = None) -> Merged:
    """Merge equal objects of one class, their weights times that of their class (``class_weight`` as in scikit-learn).

    Who knows for each object the first one that equals it saves looking for them.
    """
    class_weights = _class_weights(training, classes, class_weight)
    group_keys = group_equal(training.objects, training.metric).group_of if first_equal is None else first_equal
    keys = group_keys * training.n_classes + training.codes
    _, first, group_of = np.unique(keys, return_index=True, return_inverse=True)
    order = _canonical_order(sample.pick(training.objects, first), training.metric)
    weights = np.bincount(group_of, weights=training.weights * class_weights[training.codes])
    chosen = first[order]
    return Merged(
        sample.pick(training.objects, chosen),
        training.codes[chosen],
        np.asarray(weights[order], dtype=np.float64),
        np.argsort(order)[group_of],
    )


def _class_weights(training: Training, classes: NDArray[Any], class_weight: Any) -> Floats:
    """The weight of each class."""
    balance: Any = compute_class_weight(class_weight, classes=classes, y=classes[training.codes])
    return np.asarray(balance, dtype=np.float64)


def _weightless(label: Any, class_weight: Any) -> InvalidInput:
    return InvalidInput(
        f"class_weight leaves no weight to the class {label!r}.",
        advice="Give it a positive one, or leave its objects out.",
        value=class_weight,
    )


def _canonical_order(objects: Any, metric: Metric) -> Indices:
    """For vectors their own order, else that of the sample: of several optima the same is found, however vectors came."""
    if isinstance(metric, SpaceMetric):
        objects = metric.space.measured_by.prepare(sample.pick(metric.space.objects, objects))
    if isinstance(objects, np.ndarray) and objects.ndim == 2:
        return np.lexsort(objects.T[::-1]).astype(np.intp)
    return np.arange(sample.count(objects))


def examine_distance(objects: Any, metric: Metric, *, random_state: int | None) -> None:
    """Raise an error for a distance that is no distance at all, and warn with the witness if the triangle inequality breaks.

    Which of them are looked at says `broken_triangle`.
    """
    broken = broken_triangle(objects, metric, random_state=random_state)
    if broken is not None:
        warn_user(
            f"{broken.describe(metric.name)} The scores are still those of the best program, and labels can be "
            "predicted; but they need not be Lipschitz, so margins mean less and no radius is certified.",
            BrokenAxiomWarning,
        )
