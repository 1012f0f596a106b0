"""Choose the price of errors by cross-validation, along one path for each fold."""

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedKFold

from wideberth.classifiers.axioms_at_fit import examine_distance
from wideberth.classifiers.interface import Training
from wideberth.errors import BrokenAxiomWarning, InvalidInput
from wideberth.geometry.space import MetricSpace
from wideberth.metrics.metric import Metric
from wideberth.objects import sample
from wideberth.selection.race import Race

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]

#: Mean accuracies nearer to each other than this are a tie.
_ROUNDING = 1e-12


@dataclass(frozen=True, eq=False)
class PriceChoice:
    r"""The accuracy in each fold, with each variant of a classifier and each value of C, and which of them is best.

    .. math:: \hat C = \arg\min_C \sum_f \frac1{W_f} \sum_{i \in f} w_i \, [\hat y_C^{-f}(x_i) \neq y_i]

    where :math:`\hat y_C^{-f}` was learned without the objects of fold f, which weigh :math:`W_f` together; of several best
    values the smallest is taken, of several variants the first. ``scores`` has the shape (folds, variants, values), with nan
    where a candidate was out of the `Race`.
    """

    values: Floats
    scores: Floats

    @property
    def best(self) -> tuple[int, int]:
        """The places of the best variant and of its value.

        >>> PriceChoice(np.array([9.0, 3.0]), np.array([[[0.5, 0.5], [1.0, 1.0]]])).best
        (1, 1)
        """
        means = np.nan_to_num(self.scores.mean(axis=0), nan=-1.0)
        variants, places = np.nonzero(means >= means.max() - _ROUNDING)
        first = self.values[places].argmin()
        return int(variants[first]), int(places[first])


@dataclass(frozen=True)
class Shared:
    """What all folds learn from, and the memory that each has for blocks.

    ``more`` are other objects that they measure against, in the words of the metric.
    """

    objects: Any
    metric: Metric
    labels: NDArray[Any]
    weights: Floats
    memory: int
    more: Any = None


def share_distances(training: Training, classes: NDArray[Any], *, memory: int, n_jobs: int | None, more: Any = None) -> Shared:
    """The objects with a metric that measures each pair once, if half of the memory holds all of their distances.

    A matrix or a space has that already; vectors are measured as fast as they are looked up.
    """
    half = memory // 2
    count = len(training) + (0 if more is None else len(more))
    needed = 8 * count**2 // (2 if training.metric.obeys_triangle else 1)
    labels = classes[training.codes]
    if training.metric.eats in ("indices", "vectors") or needed > half:
        return Shared(training.objects, training.metric, labels, training.weights, memory, more)
    space = MetricSpace(training.objects, training.metric, memory=half, n_jobs=n_jobs)
    index = space.index
    return Shared(index, space.metric, labels, training.weights, half, None if more is None else space.append(more))


def choose_price(
    training: Training,
    shared: Shared,
    values: Floats,
    cv: Any,
    variants: Sequence[Any],
    *,
    random_state: int | None,
) -> PriceChoice:
    """Try the values on folds of the training objects; ``variants`` are classifiers on the metric shared."""
    folds = list(_folds(training, cv, random_state))
    examine_distance(training.objects, training.metric, random_state=random_state)
    with warnings.catch_warnings(action="ignore", category=BrokenAxiomWarning):  # said of all objects, in the line above
        race = Race((len(variants), len(values)))
        for each in variants:
            each._remembers = False
        for fold in folds:
            right = [_answers(each, shared, fold, values, still) for each, still in zip(variants, race.running, strict=True)]
            race.record(np.array(right), shared.weights[fold.asked])
    return PriceChoice(values, race.scores)


def checked_values(given: Any, usual: Floats, single: str) -> Floats:
    """The values of C to choose from, ``usual`` ones unless told; ``single`` is the class that takes one."""
    values = usual if given is None else np.asarray(given, dtype=np.float64)
    if values.ndim != 1 or not len(values) or not (values > 0).all():
        raise InvalidInput(
            f"C={given!r} is no choice of values.",
            advice=f"Pass positive numbers to choose from, such as [2, 5, 25]; {single} takes a single one.",
            value=given,
        )
    return values


@dataclass(frozen=True)
class _Fold:
    """Which objects are learned from, and which are asked for."""

    known: Indices
    asked: Indices


def _folds(training: Training, cv: Any, random_state: int | None) -> Iterator[_Fold]:
    """Where the objects of each fold stand in ``training``."""
    if not isinstance(cv, int | np.integer) and not hasattr(cv, "split"):
        for known, asked in cv:
            yield _Fold(*(np.flatnonzero(np.isin(training.positions, part)) for part in (known, asked)))
        return
    splitter = cv
    if isinstance(cv, int | np.integer):
        largest = int(np.bincount(training.codes).max())
        if not 2 <= cv <= largest:
            raise InvalidInput(
                f"cv={cv} folds do not fit: n_samples = {len(training)}, and the largest class has {largest} of them.",
                advice="Pass 2 or more, up to the size of the largest class, or take a classifier with a C of yours.",
                value=cv,
            )
        splitter = StratifiedKFold(int(cv), shuffle=True, random_state=random_state)
    for known, asked in splitter.split(np.zeros(len(training)), training.codes):
        yield _Fold(known, asked)


def _answers(classifier: Any, shared: Shared, fold: _Fold, values: Floats, running: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Which of the objects asked each model of the path over the known ones gets right; models out of the race, none."""
    right = np.zeros((len(values), len(fold.asked)), dtype=bool)
    if running.any():
        known = sample.pick(shared.objects, fold.known), shared.labels[fold.known], values[running], shared.weights[fold.known]
        asked, truth = sample.pick(shared.objects, fold.asked), shared.labels[fold.asked]
        right[running] = [model.predict(asked) == truth for model in classifier.path(*known)]
    return right
