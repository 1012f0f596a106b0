"""Folds of the training objects, as scikit-learn cuts them."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.model_selection import StratifiedKFold

from wideberth.arrays import Indices
from wideberth.errors import InvalidInput
from wideberth.estimators.training import Training
from wideberth.objects import sample


@dataclass(frozen=True)
class Fold:
    """Which objects are learned from, and which are asked for."""

    known: Indices
    asked: Indices


def cut_folds(training: Training, cv: Any, groups: Any, random_state: int | None) -> list[Fold]:
    """Where the objects of each fold stand in ``training``; ``groups``, one for each object of X, go to a splitter."""
    if hasattr(cv, "split"):
        return list(_split(training, cv, _of_training(training, groups)))
    if groups is not None:
        raise InvalidInput(
            f"cv={sample.shown(cv)} does not look at groups: objects of one group may stand on both sides of a fold.",
            advice="Pass cv=sklearn.model_selection.GroupKFold(5), or another splitter for groups.",
            value=cv,
        )
    if isinstance(cv, int | np.integer):
        return list(_split(training, _stratified(training, int(cv), random_state), None))
    return [Fold(*(np.flatnonzero(np.isin(training.positions, part)) for part in parts)) for parts in cv]


def _split(training: Training, splitter: Any, groups: Any) -> Iterator[Fold]:
    together = {} if groups is None else {"groups": groups}
    for known, asked in splitter.split(np.zeros(len(training)), training.codes, **together):
        yield Fold(known, asked)


def _stratified(training: Training, count: int, random_state: int | None) -> StratifiedKFold:
    largest = int(np.bincount(training.codes).max())
    if not 2 <= count <= largest:
        raise InvalidInput(
            f"cv={count} folds do not fit: n_samples = {len(training)}, and the largest class has {largest} of them.",
            advice="Pass 2 or more, up to the size of the largest class, or take a classifier with a C of yours.",
            value=count,
        )
    return StratifiedKFold(count, shuffle=True, random_state=random_state)


def _of_training(training: Training, groups: Any) -> Any:
    """The groups of the objects that have a weight."""
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
