"""The references that an LP machine may choose from."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from wideberth.arrays import Indices
from wideberth.estimators.constraints import given_references, is_count
from wideberth.estimators.training import Merged, Training
from wideberth.geometry.shape.nets import farthest_first
from wideberth.objects import sample


@dataclass(frozen=True)
class References:
    """Prepared objects, and where each of them stood: in X, or among the references given."""

    objects: Any
    positions: Indices


def choose_references(wanted: Any, training: Training, merged: Merged, *, n_jobs: int | None) -> References:
    """All training objects if None is asked for, so many of them that are far from each other, or the objects given."""
    if wanted is not None and not is_count(wanted):
        return _given_by_user(wanted, training)
    positions = merged.positions(training)
    if wanted is None or wanted >= len(merged):
        return References(merged.objects, positions)
    net = farthest_first(merged.objects, training.metric, count=int(wanted), n_jobs=n_jobs).order
    return References(sample.pick(merged.objects, net), positions[net])


def _given_by_user(objects: Any, training: Training) -> References:
    prepared = given_references(
        objects,
        training.objects,
        training.metric,
        unlabelled="Put references that have no label into the matrix too, with sample_weight 0, and name their rows.",
    )
    return References(prepared, np.arange(sample.count(prepared)))
