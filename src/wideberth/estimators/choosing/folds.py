"""The folds of a cross-validation, as scikit-learn cuts them."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.model_selection import StratifiedKFold

from wideberth.array_types import Indices
from wideberth.errors import InvalidInput
from wideberth.estimators.training import Training
from wideberth.objects import sample
from wideberth.wording import setting


@dataclass(frozen=True)
class Fold:
    """The positions, in the training sample, of the objects that a fold learns from and of those that it leaves out.

    Attributes
    ----------
    known : ndarray of int
        The objects to learn from.
    left_out : ndarray of int
        The objects to predict.
    """

    known: Indices
    left_out: Indices


def cut_folds(training: Training, cv: Any, groups: Any, random_state: int | None) -> list[Fold]:
    """Cut the training objects into folds.

    Parameters
    ----------
    training : Training
        The objects, without those of weight 0.
    cv : int, splitter, or iterable of (train, test)
        A number of stratified and shuffled folds, a splitter of scikit-learn, or positions in the X of fit.
    groups : array-like of shape (n_given,), optional
        A group for each object of X, for splitters that keep groups together.
    random_state : int or None
        Shuffles the folds if ``cv`` is a number.

    Returns
    -------
    list of Fold
        Positions in ``training``.

    Raises
    ------
    InvalidInput
        If ``groups`` are given without a splitter, or there are more folds than objects of the largest class.

    Examples
    --------
    >>> from wideberth.metrics.named import metric
    >>> training = Training(np.eye(4), metric("euclidean"), np.array([0, 1, 0, 1]), np.ones(4), 2, np.arange(4), 4)
    >>> [fold.left_out.tolist() for fold in cut_folds(training, [([0, 1], [2, 3]), ([2, 3], [0, 1])], None, None)]
    [[2, 3], [0, 1]]
    """
    if hasattr(cv, "split"):
        return list(_split(training, cv, _training_groups(training, groups)))
    if groups is not None:
        raise InvalidInput(
            f"{setting('cv', shown=sample.shown(cv))} ignores groups: objects of the same group may be on both sides of a fold.",
            advice=f"Pass {setting('cv', shown='sklearn.model_selection.GroupKFold(5)')}, or another splitter for groups.",
            value=cv,
        )
    if isinstance(cv, int | np.integer):
        return list(_split(training, _stratified(training, int(cv), random_state), None))
    return [Fold(*(np.flatnonzero(np.isin(training.positions, part)) for part in parts)) for parts in cv]


def _split(training: Training, splitter: Any, groups: Any) -> Iterator[Fold]:
    """The folds of a splitter of scikit-learn."""
    keywords = {} if groups is None else {"groups": groups}
    try:
        cuts = list(splitter.split(np.zeros(len(training)), training.codes, **keywords))
    except ValueError as reason:
        raise InvalidInput(
            f"{splitter!r} cannot cut {len(training)} objects of {training.n_classes} classes: {str(reason).rstrip('.')}.",
            advice="Pass fewer folds, or other groups.",
            value=splitter,
        ) from None
    for known, left_out in cuts:
        yield Fold(known, left_out)


def _stratified(training: Training, count: int, random_state: int | None) -> StratifiedKFold:
    """The splitter for a number of folds."""
    largest = int(np.bincount(training.codes).max())
    if not 2 <= count <= largest:
        raise InvalidInput(
            f"{setting('cv', shown=count)} folds do not fit: n_samples = {len(training)}, and the largest class has "
            f"{largest} of them.",
            advice="Pass 2 or more, up to the size of the largest class, or a classifier with a fixed C.",
            value=count,
        )
    return StratifiedKFold(count, shuffle=True, random_state=random_state)


def _training_groups(training: Training, groups: Any) -> Any:
    """The groups of the objects in the training sample, those of a positive weight."""
    if groups is None:
        return None
    held = sample.hold(groups)
    if len(held) != training.n_given:
        raise InvalidInput(
            f"There are {training.n_given} objects and {len(held)} groups.",
            advice="Pass one group for each object, in the same order.",
            value=(training.n_given, len(held)),
        )
    return held[training.positions]
