"""The references that an LP machine may choose from."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wideberth.classifiers.interface import Training
from wideberth.classifiers.merging import Merged
from wideberth.errors import InvalidInput
from wideberth.geometry.nets import farthest_first
from wideberth.objects import sample

Indices = NDArray[np.intp]


@dataclass(frozen=True)
class References:
    """Prepared objects, and where each of them stood: in X, or among the references given."""

    objects: Any
    positions: Indices


def candidates(asked: Any, training: Training, merged: Merged, *, n_jobs: int | None) -> References:
    """All training objects if None is asked for, so many of them that are far from each other, or the objects given."""
    if asked is not None and not is_count(asked):
        return _given(asked, training)
    positions = merged.positions(training)
    if asked is None or asked >= len(merged):
        return References(merged.objects, positions)
    net = farthest_first(merged.objects, training.metric, count=int(asked), n_jobs=n_jobs).order
    return References(sample.pick(merged.objects, net), positions[net])


def is_count(asked: Any) -> bool:
    """Whether it is a number of references rather than references."""
    return isinstance(asked, int | np.integer) and not isinstance(asked, bool)


def may_be_references(asked: Any) -> bool:
    """Whether it is a number from 1 on, None, or may be a sample of objects.

    >>> may_be_references(5), may_be_references(["tea"]), may_be_references(0), may_be_references("all"), may_be_references(0.5)
    (True, True, False, False, False)
    """
    if is_count(asked):
        return bool(asked >= 1)
    return asked is None or (hasattr(asked, "__len__") and not isinstance(asked, str | bytes))


def _given(asked: Any, training: Training) -> References:
    prepared = training.metric.prepare(asked)
    count = sample.count(prepared)
    if not count:
        raise InvalidInput("references is empty: there is nothing to measure distances to.", advice="Pass one at least.", value=0)
    if training.metric.eats == "indices" and prepared.ndim > 1:
        raise InvalidInput(
            "With a matrix of distances, references are row numbers: distances between new objects are not in it.",
            advice="Put references that have no label into the matrix too, with sample_weight 0, and name their rows.",
            value=prepared.shape,
        )
    training.metric.block(sample.pick(training.objects, slice(0, 1)), sample.pick(prepared, slice(0, 1)))  # do they go together
    return References(prepared, np.arange(count))
