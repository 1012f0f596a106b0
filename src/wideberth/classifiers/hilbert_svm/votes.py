"""Votes between pairs of classes: the score of each class, and the radius within which its label cannot change."""

from typing import NamedTuple

import numpy as np

from wideberth.array_types import Floats, Indices
from wideberth.rounding import RADIUS_ERROR, shortened


class ClassPairs(NamedTuple):
    """The two classes of each pair, in the order (0, 1), (0, 2), ..., (1, 2), ...

    The function of a pair is positive for its second class.

    Attributes
    ----------
    first, second : ndarray of shape (k (k - 1) / 2,)
        The smaller and the larger code of each pair.

    Examples
    --------
    >>> ClassPairs.of(3)
    ClassPairs(first=array([0, 0, 1]), second=array([1, 2, 2]))
    """

    first: Indices
    second: Indices

    @classmethod
    def of(cls, n_classes: int) -> "ClassPairs":
        """List all pairs of ``n_classes`` classes."""
        return cls(*np.triu_indices(n_classes, 1))


def scores_of_votes(values: Floats, n_classes: int) -> Floats:
    """Turn the values of all pairs into a score for each class: its number of votes plus a fraction.

    Each pair votes for one of its classes. The class with most votes has the largest score; of several such classes the first, as
    in LIBSVM. The fraction, below 1/3 in size, shows how clearly the pairs of a class decided. For two classes the difference of
    the scores is the value itself; a single class has the score 1.

    Parameters
    ----------
    values : ndarray of shape (n, k (k - 1) / 2)
        The value of each pair, positive for its second class.
    n_classes : int
        k.

    Returns
    -------
    ndarray of shape (n, k)
        The scores.

    Examples
    --------
    >>> scores_of_votes(np.array([[-1.0, -2.0, 5.0]]), 3).round(2)  # 0 beats 1 and 2, and 2 beats 1
    array([[ 2.25, -0.29,  1.25]])
    """
    if n_classes == 1:
        return np.ones((len(values), 1))
    if n_classes == 2:
        return np.concatenate([-values, values], axis=1) / 2.0
    pairs = ClassPairs.of(n_classes)
    votes, clarity = np.zeros((len(values), n_classes)), np.zeros((len(values), n_classes))
    for place, (first, second) in enumerate(zip(*pairs, strict=True)):
        for_second = values[:, place] >= 0
        votes[:, second] += for_second
        votes[:, first] += ~for_second
        clarity[:, second] += values[:, place]
        clarity[:, first] -= values[:, place]
    scores = votes + clarity / (3.0 * (np.abs(clarity) + 1.0))
    rows, winners, highest = np.arange(len(votes)), votes.argmax(axis=1), scores.argmax(axis=1)
    scores[rows, winners], scores[rows, highest] = (
        scores[rows, highest],
        scores[rows, winners],
    )  # if these are two classes, they have equally many votes
    return scores


def lead_of_votes(low: Floats, high: Floats, winners: Indices, n_classes: int) -> Floats:
    r"""Bound the lead of the winner, if the value of each pair may be anything between two bounds.

    A vote is sure for the second class of a pair if the value is above 0, and for the first if it is below. Otherwise it may go
    to either. The winner c keeps its label whatever the open votes if its sure votes are more than the possible votes of every
    other class, or as many and c comes first. That is also necessary if the values are free: all open votes may go against c.
    To look at the pairs of the winner alone is wrong unless it wins them all: with the votes 0 over 1, 2 over 0, 1 over 2 the
    label is 0, and if 2 beats 1 it is 2.

    Parameters
    ----------
    low, high : ndarray of shape (n, k (k - 1) / 2)
        The bounds of the value of each pair, which is positive for its second class. NaN bounds nothing.
    winners : ndarray of shape (n,)
        The winning classes.
    n_classes : int
        k.

    Returns
    -------
    ndarray of shape (n,)
        Positive if the label stays: for two classes the least value for the winner; for more the lead in votes, and a half more
        over classes that come after the winner.

    Examples
    --------
    >>> lead_of_votes(np.array([[-2.0, -2.0, -1.0]]), np.array([[-1.0, -1.0, 5.0]]), np.array([0]), 3)  # 2 to 1, and first
    array([1.5])
    """
    if n_classes == 1:
        return np.full(len(low), np.inf)
    if n_classes == 2:
        return np.where(winners == 1, low[:, 0], -high[:, 0])
    pairs, classes = ClassPairs.of(n_classes), np.arange(n_classes)
    first, second = ((side[:, None] == classes).astype(np.float64) for side in pairs)
    for_second, for_first = (low > 0).astype(np.float64), (high < 0).astype(np.float64)
    sure = for_first @ first + for_second @ second
    possible = (1.0 - for_second) @ first + (1.0 - for_first) @ second
    leads = sure[np.arange(len(low)), winners][:, None] - possible + 0.5 * (classes > winners[:, None])
    leads[np.arange(len(low)), winners] = np.inf
    return np.asarray(leads.min(axis=1))


def certified_radii(values: Floats, slopes: Floats, errors: Floats, n_classes: int) -> Floats:
    r"""Compute how far each object may move before its label can change.

    .. math:: r(x) = \min_{ab} \frac{|f_{ab}(x)| - e_{ab}(x)}{L_{ab}}

    over the pairs of the winner if it wins them all. If it does not, any vote may matter, and the minimum is over all pairs. A
    constant function never changes its vote. Proof: let e bound the error of the computed value at x plus that at any x' which is
    closer than :math:`|f_{ab}(x)| / L_{ab}`. The exact values at x and x' differ by at most :math:`L_{ab}` times the move, so
    that the computed value at x' has the sign of that at x.

    Parameters
    ----------
    values : ndarray of shape (n, k (k - 1) / 2)
        The value of each pair.
    slopes : ndarray of shape (k (k - 1) / 2,)
        The Lipschitz constants of the functions.
    errors : ndarray of shape (n, k (k - 1) / 2)
        Bounds e of the errors of the values, here and where an object has moved to, added.
    n_classes : int
        k.

    Returns
    -------
    ndarray of shape (n,)
        The radii in the metric of the Lipschitz constants; infinite for a single class.

    Examples
    --------
    >>> certified_radii(np.array([[-1.0, -2.0, 0.1]]), np.array([1.0, 1.0, 1.0]), np.zeros((1, 3)), 3).round(6)
    array([1.])
    """
    if n_classes == 1:
        return np.full(len(values), np.inf)
    pairs = ClassPairs.of(n_classes)
    leads = np.abs(values) - errors
    radii = shortened(np.divide(leads, slopes, out=np.full_like(leads, np.inf), where=slopes > 0), 0.0, 4.0 * RADIUS_ERROR)
    for_second = values >= 0
    winners = scores_of_votes(values, n_classes).argmax(axis=1)[:, None]
    won = np.where(for_second, pairs.second == winners, pairs.first == winners)
    own = (pairs.first == winners) | (pairs.second == winners)
    wins_all = won.sum(axis=1) == n_classes - 1
    counted = own | ~wins_all[:, None]
    smallest: Floats = np.where(counted, radii, np.inf).min(axis=1)
    return smallest
