"""Votes of nearest neighbours on training objects that are left out: one by one, for the choice of
the number of neighbours and for probabilities, by folds where labels taught the metric, and in the
folds of a comparison, from one list of neighbours for all of them.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from sklearn.model_selection import KFold

from wideberth.array_types import Floats, Indices
from wideberth.classifiers.neighbors.kernels import known_neighbors
from wideberth.estimators.choosing import fold_answers
from wideberth.estimators.training import Training, weigh_classes
from wideberth.geometry.classes.votes import Electorate
from wideberth.geometry.search.engine import Neighborhoods
from wideberth.geometry.search.index import Index
from wideberth.objects import sample
from wideberth.progress import task
from wideberth.rounding import SUM_ERROR

# ---- One by one

#: Objects whose votes are counted at a time.
_CHUNK = 4096
#: The errors of at most so many objects choose the number of neighbours. The standard error of a
#: rate is then 0.7 points at most, and less for the difference of two numbers, which err on much
#: the same objects.
CHOOSING = 5000
#: As many objects calibrate probabilities: a temperature and some offsets need no more.
_CALIBRATING = 1000
_TINY = np.finfo(np.float64).tiny


class VotesOfOthers(NamedTuple):
    """What the other objects say of each one that was left out, for several numbers of votes."""

    #: The share of the counted objects, by what each counts, that get another label than their
    #: own, for each number of votes, shape (s,).
    errors: Floats
    #: The share of every class in the votes on the objects that were asked for, shape (m, s, k).
    shares: Floats


def odd_numbers(total: float) -> Floats:
    """The numbers of votes that are tried: the odd ones up to the root of the sum of all weights.

    Examples
    --------
    >>> odd_numbers(30.0)
    array([1., 3., 5.])
    """
    return np.arange(1.0, max(2.0, min(np.sqrt(total) + 1, total)), 2.0)


def counted(weights: Floats, random_state: int | None) -> Floats:
    r"""What each object counts in the choice of the number of neighbours: its weight, or, of more
    objects than are asked, 0 for those that are not drawn.

    An object of the weight :math:`w` is drawn with the chance :math:`\min(1, w / s)`, where
    :math:`s` is the sum of all weights over 5,000, and then counts :math:`\max(w, s)`: every
    expected sum is that over all objects (Horvitz & Thompson 1952), and a rare class that weighs
    much is drawn as a whole. Steps of one through the chances, added up in random order, draw so
    many (systematic sampling).

    Examples
    --------
    >>> counted(np.array([1.0, 2.0]), random_state=0)
    array([1., 2.])
    >>> counts = counted(np.ones(20000), random_state=0)
    >>> np.unique(counts, return_counts=True)
    (array([0., 4.]), array([15000,  5000]))
    """
    if len(weights) <= CHOOSING:
        return weights
    random, share = np.random.default_rng(random_state), weights.sum() / CHOOSING
    order = random.permutation(len(weights))
    chances = np.minimum(1.0, weights[order] / share)
    steps = np.floor(np.cumsum(np.append(random.random(), chances)))
    drawn = order[np.diff(steps) > 0]
    counts = np.zeros(len(weights))
    counts[drawn] = np.maximum(weights[drawn], share)
    return counts


def calibrating(n_objects: int) -> Indices:
    """The positions of the objects that calibrate probabilities: all, or so many drawn at random,
    always the same ones.

    Examples
    --------
    >>> calibrating(3), len(calibrating(10**5))
    (array([0, 1, 2]), 1000)
    """
    if n_objects <= _CALIBRATING:
        return np.arange(n_objects)
    return np.sort(np.random.default_rng(0).choice(n_objects, _CALIBRATING, replace=False))


def votes_of_others(
    electorate: Electorate, training: Training, sizes: Floats, counts: Floats, asked: Indices
) -> VotesOfOthers:
    """Leave out, one by one, the objects that count and those that are asked, and let the others
    vote on each.

    Of an object with the sample weight w, one copy is left out, and w - 1 copies stay, times the
    weight of its class.
    """
    remaining = np.maximum(training.weights - 1, 0.0) * (electorate.weights / training.weights)
    left_out = np.union1d(np.flatnonzero(counts), asked)
    missed, kept = np.zeros(len(sizes)), [np.empty((0, len(sizes), electorate.n_classes))]
    with task("leave one out", len(left_out)) as leaving_out:
        for start in range(0, len(left_out), _CHUNK):
            chosen = left_out[start : start + _CHUNK]
            objects = sample.pick(training.objects, chosen)
            shares = electorate.shares(objects, sizes, left_out=chosen, remaining=remaining)
            missed += counts[chosen] @ (shares.argmax(axis=2) != training.codes[chosen, None])
            kept.append(shares[np.isin(chosen, asked)])
            leaving_out.advance(len(chosen))
    return VotesOfOthers(missed / max(counts.sum(), _TINY), np.concatenate(kept))


def votes_by_folds(
    electorate: Electorate,
    training: Training,
    sizes: Floats,
    counts: Floats,
    asked: Indices,
    random_state: int | None,
) -> VotesOfOthers:
    """The votes on the objects that each fold leaves out, by those that it knows, which teach the
    metric anew: under a metric that all labels taught, those of the others tell too much.
    """
    shares = np.zeros((len(training), len(sizes), electorate.n_classes))
    n_folds = min(_FOLDS, len(training))
    folds = KFold(n_folds, shuffle=True, random_state=random_state) if n_folds > 1 else None
    for known, left_out in folds.split(shares) if folds is not None else ():
        here, weights = training.taught_by(known), electorate.weights[known]
        objects, codes = sample.pick(here.objects, known), training.codes[known].astype(np.int64)
        index = Index(objects, here.metric, labels=codes)
        voters = Electorate(index, codes, weights, electorate.n_classes)
        queries = sample.pick(here.objects, left_out)
        shares[left_out] = voters.shares(queries, np.minimum(sizes, weights.sum()))
    missed = counts @ (shares.argmax(axis=2) != training.codes[:, None])
    return VotesOfOthers(missed / max(counts.sum(), _TINY), shares[asked])


#: So many folds take the place of leaving out one by one, where each teaches a metric.
_FOLDS = 5


class Chosen(NamedTuple):
    """The numbers of neighbours to choose from, how the others vote with each, and which is best."""

    sizes: Floats
    votes: VotesOfOthers
    best: int


def choose_number(
    electorate: Electorate,
    training: Training,
    n_neighbors: Any,
    asked: Indices,
    random_state: int | None,
) -> Chosen:
    """The number of neighbours with the fewest errors of the others' votes, or the one that is
    given; with their votes on the objects that are asked for.
    """
    choosing = n_neighbors == "loo"
    weights = electorate.weights
    sizes = odd_numbers(weights.sum()) if choosing else np.array([float(n_neighbors)])
    counts = counted(weights, random_state) if choosing else np.zeros(len(training))
    if training.labels_taught:
        votes = votes_by_folds(electorate, training, sizes, counts, asked, random_state)
    else:
        votes = votes_of_others(electorate, training, sizes, counts, asked)
    # the first of numbers whose errors differ by rounding alone
    best = int((votes.errors <= votes.errors.min() + SUM_ERROR).argmax())
    return Chosen(sizes, votes, best)


# ---- Fold by fold


@dataclass(frozen=True, eq=False)
class ListedNeighbors:
    """All objects of a sample in the order of their distances from each of them."""

    #: The objects nearest first, for each object; shape (n, n).
    order: Indices
    #: Their distances, in the same places.
    distances: Floats

    @classmethod
    def of(cls, distances: Floats) -> "ListedNeighbors":
        """The lists for all distances between n objects.

        Examples
        --------
        >>> ListedNeighbors.of(np.array([[0.0, 2.0, 1.0], [2.0, 0.0, 3.0], [1.0, 3.0, 0.0]])).order
        array([[0, 2, 1],
               [1, 0, 2],
               [2, 0, 1]])
        """
        order = np.argsort(distances, axis=1, kind="stable")
        return cls(order, np.take_along_axis(distances, order, axis=1))


class KnownNeighbors:
    """Finds the nearest of some objects of a list, as `wideberth.Index` does; queries are
    positions in the list.

    Examples
    --------
    >>> of_all = ListedNeighbors.of(np.abs(np.subtract.outer([0.0, 1.0, 2.0], [0.0, 1.0, 2.0])))
    >>> next(KnownNeighbors(of_all, np.array([0, 2])).nearest_with_ties(np.array([0, 1]))).indices
    array([0, 0, 1])
    """

    def __init__(self, of_all: ListedNeighbors, known: Indices) -> None:
        self._of_all = of_all
        self._places = np.full(len(of_all.order), -1)
        self._places[known] = np.arange(len(known))

    def nearest_with_ties(self, queries: Indices, k: int = 1) -> Iterator[Neighborhoods]:
        """The k nearest known objects of each query, and all others that are as near as the
        k-th.
        """
        lists = self._of_all.order, self._of_all.distances, self._places, queries, k
        starts = np.zeros(len(queries) + 1, dtype=np.intp)
        known_neighbors(*lists, starts, np.empty(0, dtype=np.intp), np.empty(0))
        starts = starts.cumsum()
        indices, distances = np.empty(starts[-1], dtype=np.intp), np.empty(starts[-1])
        known_neighbors(*lists, starts, indices, distances)
        yield Neighborhoods(starts, indices, distances)


@dataclass(frozen=True, eq=False)
class ListedVariant(fold_answers.WithoutPrice):
    """Nearest neighbours whose votes in all folds are counted from one list."""

    #: All of the objects, with their classes.
    training: Training

    def answers(self, fold: fold_answers.Fold, values: Floats) -> fold_answers.Answers:
        """What neighbours among the known objects of a fold say of those left out."""
        part, labels = self.training.part(fold.known), self.shared.labels
        classes, codes = np.unique(labels[fold.known], return_inverse=True)
        known = Training(
            fold.known, part.metric, codes, part.weights, len(classes), part.positions, len(part)
        )
        weighted = weigh_classes(known, classes, self.classifier.class_weight)
        index: Any = KnownNeighbors(self._lists, fold.known)
        electorate = Electorate(index, codes, weighted.weights, len(classes))
        nobody = np.empty(0, dtype=np.intp)
        chosen = choose_number(
            electorate, known, self.classifier.n_neighbors, nobody, self.classifier.random_state
        )
        size = chosen.sizes[chosen.best]
        scores = electorate.shares(fold.left_out, np.array([size])).transpose(1, 0, 2)
        losses = fold_answers.hinge_losses(scores, classes, labels[fold.left_out])
        return fold_answers.Answers(classes, scores, losses)

    @cached_property
    def _lists(self) -> ListedNeighbors:
        objects = self.shared.metric.prepare(self.shared.objects)
        return ListedNeighbors.of(np.asarray(self.shared.metric.block(objects, objects)))


#: Bytes for a pair of objects in the lists of neighbours, and while they are sorted.
_BYTES_A_PAIR = 32


def neighbors_on_folds(
    classifier: Any, shared: fold_answers.Shared, training: Training
) -> fold_answers.Variant:
    """Nearest neighbours as a candidate on folds: by lists, if the memory holds them."""
    if _BYTES_A_PAIR * len(training) ** 2 > shared.max_memory:
        return fold_answers.WithoutPrice({}, classifier, shared)
    return ListedVariant({}, classifier, shared, training)
