"""The references of an LP machine: the objects to which distances may become columns of its program."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from wideberth.array_types import Indices
from wideberth.estimators.constraints import given_references, is_count
from wideberth.estimators.training import Merged, Training
from wideberth.geometry.shape.nets import farthest_first
from wideberth.objects import sample


@dataclass(frozen=True)
class References:
    """Prepared objects that may serve as references.

    Attributes
    ----------
    objects : prepared sample
        The m objects.
    positions : ndarray of shape (m,)
        Their positions in X, or among the references that the user gave.
    """

    objects: Any
    positions: Indices


def choose_references(wanted: Any, training: Training, merged: Merged, *, n_jobs: int | None) -> References:
    """Choose the references from which the program may select.

    Parameters
    ----------
    wanted : int, objects or None
        The parameter ``references`` of `wideberth.LPMachineClassifier`: None for all training objects; a number for that many of
        them, far from each other (farthest-first traversal); or the references themselves.
    training : Training
        The training objects.
    merged : Merged
        The same with equal objects merged, from which references are chosen.
    n_jobs : int or None
        Cores to use.

    Returns
    -------
    References
        The references.

    Raises
    ------
    InvalidInput
        If the given references are empty, or are rows of distances that a precomputed matrix does not contain.
    """
    if wanted is not None and not is_count(wanted):
        return _given_by_user(wanted, training)
    positions = merged.positions(training)
    if wanted is None or wanted >= len(merged):
        return References(merged.objects, positions)
    net = farthest_first(merged.objects, training.metric, count=int(wanted), n_jobs=n_jobs).order
    return References(sample.pick(merged.objects, net), positions[net])


def _given_by_user(objects: Any, training: Training) -> References:
    """The references that the user gave, prepared and checked against the training objects."""
    prepared = given_references(
        objects,
        training.objects,
        training.metric,
        unlabelled="Put references that have no label into the matrix too, with sample_weight 0, and name their rows.",
    )
    return References(prepared, np.arange(sample.count(prepared)))
