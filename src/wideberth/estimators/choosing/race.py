"""A race of candidates on folds: those that are clearly behind the leader are not tried any further."""

import numpy as np

from wideberth.array_types import Flags, Floats
from wideberth.rounding import SUM_ERROR

#: A candidate is dropped when it trails the leader by this many standard errors of their difference.
_CLEARLY = 2.5


class Race:
    r"""A table of candidates, and which objects each of them classified correctly in the folds so far.

    After each fold, a candidate c is dropped if the leader b (the one with the largest mean accuracy of those still running) is
    better on the same objects by more than chance: with
    :math:`\delta_i = w_i ([b \text{ is right on } i] - [c \text{ is right on } i])`,

    .. math:: \sum_i \delta_i > 2.5 \, \sqrt{\sum_i \delta_i^2},

    where the right side is 2.5 standard errors of the left one if neither were better (for equal weights, McNemar's test). All
    others stay, so that the choice is that of the whole table, except with a probability of about one in a hundred.

    Parameters
    ----------
    shape : tuple of int
        The shape of the table of candidates.

    Attributes
    ----------
    running : ndarray of bool
        Which candidates are still tried, in the shape of the table.

    Examples
    --------
    >>> race = Race((1, 3))
    >>> good, fair, poor = np.ones(20, dtype=bool), np.arange(20) > 1, np.arange(20) > 15
    >>> race.record(np.array([[good, fair, poor]]), np.ones(20))
    >>> race.running
    array([[ True,  True, False]])
    >>> race.scores  # one fold so far
    array([[[1. , 0.9, 0.2]]])
    """

    def __init__(self, shape: tuple[int, ...]) -> None:
        self.running: Flags = np.ones(shape, dtype=bool)
        self._folds: list[Floats] = []
        self._answers: list[Floats] = []
        self._weights: list[Floats] = []

    def record(self, right: Flags, weights: Floats) -> None:
        """Record the answers of a fold, and drop the candidates that are now clearly behind.

        Parameters
        ----------
        right : ndarray of bool, shape (*table, n)
            Which of the n objects each candidate classified correctly; rows of dropped candidates are ignored.
        weights : ndarray of shape (n,)
            The weights of the objects.
        """
        accuracies = right @ (weights / weights.sum())
        self._folds.append(np.where(self.running, accuracies, np.nan))
        self._answers.append(right.astype(np.float64))
        self._weights.append(weights)
        leader = self.best
        answers, weights = np.concatenate(self._answers, axis=-1), np.concatenate(self._weights)
        behind = (answers[leader] - answers) * weights
        self.running &= behind.sum(axis=-1) <= _CLEARLY * np.sqrt((behind**2).sum(axis=-1))

    @property
    def scores(self) -> Floats:
        """The accuracy of each candidate in each fold, shape (folds, *table); nan where it was not tried any more."""
        return np.array(self._folds)

    @property
    def best(self) -> tuple[int, ...]:
        """The position of the running candidate with the largest mean accuracy, the first of several."""
        means = np.where(self.running, self.scores.mean(axis=0), -1.0)
        first = int(np.argmax(means.ravel() >= means.max() - SUM_ERROR))
        return tuple(int(place) for place in np.unravel_index(first, means.shape))
