"""Votes of nearest neighbours on training objects that are left out: one by one, for the choice of
the number of neighbours and for probabilities, and fold by fold, from one list of neighbours for all
folds.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from wideberth.array_types import Floats, Indices
from wideberth.classifiers.neighbors.kernels import known_neighbors
from wideberth.estimators.choosing import fold_answers
from wideberth.estimators.training import Training, weigh_classes
from wideberth.geometry.classes.votes import Electorate
from wideberth.geometry.search.engine import Neighborhoods
from wideberth.objects import sample
from wideberth.progress import task

# ---- One by one

#: Objects whose votes are counted at a time.
_CHUNK = 4096
#: As many objects calibrate probabilities: a temperature and some offsets need no more.
_CALIBRATING = 1000


class VotesOfOthers(NamedTuple):
    """What the other objects say of each one that was left out, for several numbers of votes."""

    #: The weight of the objects that get another label than their own, for each number of votes,
    #: shape (s,).
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
    electorate: Electorate, training: Training, sizes: Floats, left_out: Indices, asked: Indices
) -> VotesOfOthers:
    """Leave out objects one by one, and let the others vote on them.

    Of an object with the sample weight w, one copy is left out, and w - 1 copies stay, times the
    weight of its class.
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


class Chosen(NamedTuple):
    """The numbers of neighbours to choose from, how the others vote with each, and which is best."""

    sizes: Floats
    votes: VotesOfOthers
    best: int


def choose_number(
    electorate: Electorate, training: Training, n_neighbors: Any, asked: Indices
) -> Chosen:
    """The number of neighbours with the fewest errors of the others' votes, or the one that is
    given; with their votes on the objects that are asked for.
    """
    choosing = n_neighbors == "loo"
    sizes = odd_numbers(electorate.weights.sum()) if choosing else np.array([float(n_neighbors)])
    left_out = np.arange(len(training)) if choosing else asked
    votes = votes_of_others(electorate, training, sizes, left_out, asked)
    return Chosen(sizes, votes, int(votes.errors.argmin()) if choosing else 0)


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
        chosen = choose_number(electorate, known, self.classifier.n_neighbors, nobody)
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
