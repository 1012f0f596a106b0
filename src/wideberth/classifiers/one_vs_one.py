"""One function for each pair of classes: the votes, and how far an object may move before they change."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]


class Pairs(NamedTuple):
    """The classes of each pair, in the order (0, 1), (0, 2), ..., (1, 2), ...: the function of a pair is positive for the second.

    >>> Pairs.of(3)
    Pairs(first=array([0, 0, 1]), second=array([1, 2, 2]))
    """

    first: Indices
    second: Indices

    @classmethod
    def of(cls, n_classes: int) -> "Pairs":
        """All pairs of so many classes."""
        return cls(*np.triu_indices(n_classes, 1))


def scores_of_votes(values: Floats, n_classes: int) -> Floats:
    """A score for each class, shape (n, k), from the values of the pairs, shape (n, k (k - 1) / 2): the votes and a fraction.

    Each pair votes for one of its classes; the class with most votes has the largest score, of several such the first, as in
    LIBSVM. The fraction, below 1/3 in size, says how clearly the pairs of a class decided. For two classes the scores are
    the value itself, half of it to each side.

    >>> scores_of_votes(np.array([[-1.0, -2.0, 5.0]]), 3).round(2)  # 0 beats 1 and 2, and 2 beats 1
    array([[ 2.25, -0.29,  1.25]])
    """
    if n_classes == 1:
        return np.ones((len(values), 1))
    if n_classes == 2:
        return np.concatenate([-values, values], axis=1) / 2.0
    pairs = Pairs.of(n_classes)
    votes, clarity = np.zeros((len(values), n_classes)), np.zeros((len(values), n_classes))
    for place, (first, second) in enumerate(zip(*pairs, strict=True)):
        for_second = values[:, place] >= 0
        votes[:, second] += for_second
        votes[:, first] += ~for_second
        clarity[:, second] += values[:, place]
        clarity[:, first] -= values[:, place]
    scores = votes + clarity / (3.0 * (np.abs(clarity) + 1.0))
    rows, winners, highest = np.arange(len(votes)), votes.argmax(axis=1), scores.argmax(axis=1)
    scores[rows, winners], scores[rows, highest] = scores[rows, highest], scores[rows, winners]  # equal in votes, if they differ
    return scores


def certain_radii(values: Floats, slopes: Floats, slack: Floats, n_classes: int) -> Floats:
    r"""How far each object may move before its label can change.

    .. math:: r(x) = \min_{ab} |f_{ab}(x)| / L_{ab}

    over the pairs of the winner if it wins them all, and over all pairs if not; ``slopes`` are the Lipschitz constants of the
    functions, and the values may be wrong by ``slack``. A function that is constant never changes its vote.

    >>> certain_radii(np.array([[-1.0, -2.0, 0.1]]), np.array([1.0, 1.0, 1.0]), np.zeros((1, 3)), 3)
    array([1.])
    """
    if n_classes == 1:
        return np.full(len(values), np.inf)
    pairs = Pairs.of(n_classes)
    sizes = np.maximum(np.abs(values) - slack, 0.0)
    radii = np.divide(sizes, slopes, out=np.full_like(sizes, np.inf), where=slopes > 0)
    for_second = values >= 0
    winners = scores_of_votes(values, n_classes).argmax(axis=1)[:, None]
    won = np.where(for_second, pairs.second == winners, pairs.first == winners)
    own = (pairs.first == winners) | (pairs.second == winners)
    wins_all = won.sum(axis=1) == n_classes - 1
    counted = own | ~wins_all[:, None]
    smallest: Floats = np.where(counted, radii, np.inf).min(axis=1)
    return smallest
