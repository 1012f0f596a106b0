r"""Candidates compared on the same objects: by how much one is behind another, and when it is given
up.

With :math:`\delta_i = [b \text{ is right on } i] - [c \text{ is right on } i]`, a mean if object i
was left out several times, and weights that add up to 1, candidate c is behind b by :math:`\sum w_i
\delta_i`, with the standard error :math:`\sqrt{\sum w_i^2 \delta_i^2}`.

**Giving up.** A family on a metric runs fold after fold, and after each fold but the last its best
settings so far are compared with the best candidate of the choice on the objects that were left out
so far. It is given up where these settings are behind by more than `NamedClassifier.patience`
standard errors: 1.5, and half of one for the LP machine, which takes the longest and is tried when
the others have shown what can be had. The best of many settings looks better than it is, so that
the comparison favours the family.

On 23 halves of eight sets (wine, promoters, breast cancer, enzymes, phishing, bace, first names,
sms) this changed no choice and left out a third of the work; with 1 standard error for all, two
choices changed and the error grew by 0.3 ± 0.4 points.
"""

from collections.abc import Sequence

import numpy as np

from wideberth.array_types import Flags, Floats, Indices
from wideberth.estimators.choosing.fold_answers import Fold


def mean_by_object(answers: Flags, objects: Indices) -> Floats:
    """The share of the answers about each object that are true; an object that several folds leave
    out has several.

    Examples
    --------
    >>> mean_by_object(np.array([True, True, False]), np.array([7, 4, 7]))
    array([1. , 0.5])
    """
    _, places, counts = np.unique(objects, return_inverse=True, return_counts=True)
    sums = np.zeros((*answers.shape[:-1], len(counts)))
    np.add.at(sums, (..., places), answers)  # type: ignore[arg-type]
    means: Floats = sums / counts
    return means


def lag(best: Floats, other: Floats, weights: Floats) -> tuple[float, float]:
    """By how much one candidate is behind another, and the standard error of that, from the shares
    of right answers about each object.

    Examples
    --------
    >>> behind, error = lag(np.array([1.0, 1.0, 1.0, 0.0]), np.zeros(4), np.ones(4))
    >>> behind, round(error, 3)
    (0.75, 0.433)
    """
    differences = (best - other) * weights / weights.sum()
    return float(differences.sum()), float(np.sqrt((differences**2).sum()))


class GivenUp(Exception):
    """A candidate is behind the best one by more than it can be expected to make up for."""

    def __init__(self, behind: float, error: float, after: int, folds: int) -> None:
        super().__init__(
            f"behind by {100 * behind:.1f} ± {100 * error:.1f} points after {after} of {folds} "
            "folds"
        )
        self.behind = behind


class Leader:
    """What the best candidate so far said of the objects left out, against which others are held
    after each fold.

    ``right`` tells which objects it got right, fold after fold, ``floor`` by how much others may be
    behind and still be chosen.

    Examples
    --------
    >>> folds = [Fold(np.array([2, 3]), np.array([0, 1])), Fold(np.array([0, 1]), np.array([2, 3]))]
    >>> leader = Leader(folds, np.ones(4, dtype=bool), np.ones(4), patience=1.0, floor=0.0)
    >>> leader.hold([np.array([True, True])])
    >>> leader.hold([np.array([False, False])])
    Traceback (most recent call last):
    ...
    wideberth.choice.paired.GivenUp: behind by 100.0 ± 70.7 points after 1 of 2 folds
    """

    def __init__(
        self,
        folds: Sequence[Fold],
        right: Flags,
        weights: Floats,
        *,
        patience: float,
        floor: float,
    ) -> None:
        self._folds, self._right, self._weights = folds, right, weights
        self._patience, self._floor = patience, floor

    def hold(self, right: Sequence[Flags]) -> None:
        """Raise `GivenUp` if another candidate, which got these objects of the first folds right,
        is hopeless.
        """
        done = len(right)
        if done == len(self._folds):
            return
        objects = np.concatenate([fold.left_out for fold in self._folds[:done]])
        answers = np.array([self._right[: len(objects)], np.concatenate(right)])
        best, other = mean_by_object(answers, objects)
        behind, error = lag(best, other, self._weights[np.unique(objects)])
        if behind > self._floor + self._patience * error:
            raise GivenUp(behind, error, done, len(self._folds))
