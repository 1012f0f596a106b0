"""How the other training objects vote on each one: for the choice of the number of neighbours, and for probabilities."""

from typing import NamedTuple

import numpy as np

from wideberth.array_types import Floats, Indices
from wideberth.estimators.training import Training
from wideberth.geometry.classes.votes import Electorate
from wideberth.objects import sample
from wideberth.progress import task

#: Objects whose votes are counted at a time.
_CHUNK = 4096
#: As many objects calibrate probabilities: a temperature and some offsets need no more.
_CALIBRATING = 1000


class VotesOfOthers(NamedTuple):
    """What the other objects say of each one that was left out, for several numbers of votes.

    Attributes
    ----------
    errors : ndarray of shape (s,)
        The weight of the objects that get another label than their own, for each number of votes.
    shares : ndarray of shape (m, s, k)
        The share of every class in the votes on the objects that were asked for.
    """

    errors: Floats
    shares: Floats


def odd_numbers(total: float) -> Floats:
    """The numbers of votes that are tried: the odd ones up to the root of the sum of all weights.

    Examples
    --------
    >>> odd_numbers(30.0)
    array([1., 3., 5.])
    """
    return np.arange(1.0, max(2.0, min(np.sqrt(total) + 1, total)), 2.0)


def calibrating(n_objects: int) -> Indices:
    """The positions of the objects that calibrate probabilities: all, or so many drawn at random, always the same ones.

    Examples
    --------
    >>> calibrating(3), len(calibrating(10**5))
    (array([0, 1, 2]), 1000)
    """
    if n_objects <= _CALIBRATING:
        return np.arange(n_objects)
    return np.sort(np.random.default_rng(0).choice(n_objects, _CALIBRATING, replace=False))


def votes_of_others(
    electorate: Electorate, training: Training, sizes: Floats, left_out: Indices, asked: Indices
) -> VotesOfOthers:
    """Leave out objects one by one, and let the others vote on them.

    Of an object with the sample weight w, one copy is left out, and w - 1 copies stay, times the weight of its class.

    Parameters
    ----------
    electorate : Electorate
        The training objects; their weights include those of the classes.
    training : Training
        The same with the weights of the sample.
    sizes : ndarray of shape (s,)
        Increasing numbers of votes.
    left_out : ndarray of int
        The positions of the objects that are left out one by one, increasing.
    asked : ndarray of int, shape (m,)
        Those of them whose votes are returned, increasing.

    Returns
    -------
    VotesOfOthers
        Errors of all that are left out, and shares of those asked for.
    """
    remaining = np.maximum(training.weights - 1, 0.0) * (electorate.weights / training.weights)
    errors, kept = np.zeros(len(sizes)), [np.empty((0, len(sizes), electorate.n_classes))]
    with task("leave one out", len(left_out)) as leaving_out:
        for start in range(0, len(left_out), _CHUNK):
            chosen = left_out[start : start + _CHUNK]
            objects = sample.pick(training.objects, chosen)
            shares = electorate.shares(objects, sizes, left_out=chosen, remaining=remaining)
            missed = shares.argmax(axis=2) != training.codes[chosen, None]
            errors += electorate.weights[chosen] @ missed
            kept.append(shares[np.isin(chosen, asked)])
            leaving_out.advance(len(chosen))
    return VotesOfOthers(errors, np.concatenate(kept))
