"""The references of an LP machine: the objects to which distances may become columns of its program."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from wideberth.array_types import Indices
from wideberth.classifiers.lp_machine.radial_columns import RadialColumns
from wideberth.errors import GapWarning, warn_user
from wideberth.estimators.metric_estimator import given_references, is_count
from wideberth.estimators.training import Merged, Training
from wideberth.geometry.shape.nets import farthest_first
from wideberth.objects import sample
from wideberth.rounding import DISTANCE_ERROR

#: Columns that differ by no more than this share of their values are constants, as far as three digits of the difference matter.
_INDISTINCT = 1e3 * DISTANCE_ERROR


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


def warn_if_indistinct(columns: RadialColumns) -> None:
    """Warn if no reference distinguishes the objects: all columns are constant, up to a millionth of their values.

    A distance may err by `DISTANCE_ERROR` of its size, so that of such differences not even three digits are known. The program
    takes the columns for constants, and so is its function.

    Parameters
    ----------
    columns : RadialColumns
        The columns of the references on the training objects.

    Warns
    -----
    GapWarning
        With the largest difference in a column, and the values between which it is.

    Examples
    --------
    >>> import warnings
    >>> from wideberth.estimators.radial_functions import Radial
    >>> from wideberth.metrics.named import metric
    >>> near, far, size = np.array([[0.0], [1.0]]), np.array([[1e9]]), {"max_memory": 10**6, "n_jobs": 1}
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     warn_if_indistinct(RadialColumns(near, far, metric("euclidean"), [Radial("distance")], **size))
    >>> print(caught[0].message)
    The references do not distinguish the objects: their columns differ by at most 1, from 999999999 to 1e+09. The function ...
    """
    values = columns.columns(np.arange(columns.n_columns))
    low, high = values.min(axis=0), values.max(axis=0)
    widest = int((high - low).argmax())
    if high[widest] - low[widest] <= _INDISTINCT * high.max():
        warn_user(
            f"The references do not distinguish the objects: their columns differ by at most {high[widest] - low[widest]:.3g}, "
            f"from {low[widest]:.9g} to {high[widest]:.9g}. The function is constant, so that all objects get one label. "
            "Take references that are nearer, such as training objects, or a larger width.",
            GapWarning,
        )


def _given_by_user(objects: Any, training: Training) -> References:
    """The references that the user gave, prepared and checked against the training objects."""
    prepared = given_references(
        objects,
        training.objects,
        training.metric,
        unlabelled="Put references that have no label into the matrix too, with sample_weight 0, and name their rows.",
    )
    return References(prepared, np.arange(sample.count(prepared)))
