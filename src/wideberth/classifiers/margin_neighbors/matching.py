"""Greedy matching of objects of different classes, for all thresholds at once."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wideberth.arrays import Indices
from wideberth.classifiers.margin_neighbors.search_kernels import match_by_chains
from wideberth.errors import InvalidInput
from wideberth.geometry.classes.conflicts import EnemyLists
from wideberth.geometry.classes.kernels import Capacities, match_on_lists
from wideberth.geometry.measure.memory import parse_memory
from wideberth.geometry.search import kdtree
from wideberth.metrics.metric import Distances, Metric
from wideberth.metrics.named import bind
from wideberth.objects import sample
from wideberth.objects.labels import code_labels

#: Nearest enemies remembered of each object, where there is no tree.
LIST_LENGTH = 12
#: Objects whose lists are made anew at a time, to begin with: about as many as a round of them matches.
FIRST_RENEWALS = 2 * LIST_LENGTH


@dataclass(frozen=True)
class Matching:
    """Pairs of objects of different classes, sorted by (distance, first, second), with first < second.

    No object is in two pairs, unless objects have weights: then ``amounts`` says how much of both a pair takes, and no object
    gives more than its weight. The pairs closer than a threshold are a maximal matching of the conflicts below it, whatever the
    threshold: at least so many objects, and at most twice as many, must go to leave no conflict (Gavril's bound for vertex
    covers), and with weights at least so much of their weight.
    """

    first: Indices
    second: Indices
    distances: Distances
    n_objects: int
    distance_calls: int
    amounts: Distances
    ends: Distances | None = None  # what `exhausted` returns, if that is not both ends of every pair

    def __len__(self) -> int:
        return len(self.distances)

    def at(self, threshold: float) -> int:
        """The number of pairs closer than ``threshold``: they are the first ones.

        >>> greedy_matching([[0.0], [1.0], [5.0], [8.0]], ["rum", "tea", "rum", "tea"]).at(3.0)
        1
        """
        return int(np.searchsorted(self.distances, threshold))

    def total(self, threshold: float) -> float:
        """How much the pairs closer than ``threshold`` take, together.

        >>> greedy_matching([[0.0], [1.0], [5.0]], ["rum", "tea", "rum"], weights=[2.0, 3.0, 4.0]).total(np.inf)
        3.0
        """
        return float(self.amounts[: self.at(threshold)].sum())

    def exhausted(self) -> Distances:
        """The distance of the pair that used up each object: infinity if none did, minus infinity if its weight is 0.

        >>> greedy_matching([[0.0], [1.0], [5.0]], ["rum", "tea", "rum"], weights=[2.0, 3.0, 4.0]).exhausted()
        array([ 1.,  4., inf])
        """
        if self.ends is not None:
            return self.ends.copy()
        ends = np.full(self.n_objects, np.inf)
        ends[self.first] = ends[self.second] = self.distances
        return ends


def greedy_matching(
    objects: Any,
    labels: Any,
    metric: str | Metric | Callable[[Any, Any], float] = "euclidean",
    *,
    weights: Any = None,
    up_to: float = np.inf,
    max_memory: str | int = "2GB",
    n_jobs: int | None = None,
) -> Matching:
    r"""Go through all pairs of objects of different classes by increasing distance and match those that are both still free.

    The order is (distance, smaller index, larger index); equal objects with different labels come first, at distance 0. The
    result is that of the sorted list of all pairs, which is never made: a pair in which each is the other's nearest free object
    of another class is matched whatever else is, and chains from object to nearest object end in such pairs (the
    nearest-neighbour chains of hierarchical clustering; Benzecri 1982). It takes about 1.5 n searches.

    Weights are capacities: a match takes the smaller of what remains of the two objects, and an object is free as long as
    something of it remains. Whole numbers give the matching of a sample that holds each object so many times.

    Vectors under the Minkowski metrics p = 1, 2 and infinity are searched in a kd-tree if its boxes rule out enough; other
    objects are measured once for each pair of different classes, and a few again.

    >>> matching = greedy_matching(["tea", "tee", "rum", "rye"], ["hot", "cold", "cold", "hot"], "levenshtein")
    >>> matching.first, matching.second, matching.distances
    (array([0, 2]), array([1, 3]), array([1., 2.]))

    Parameters
    ----------
    objects, labels, metric
        What to match, and how far apart it is.
    weights : optional
        How much each object has to give, from 0 on; 1 by default. A rest below 1e-12 of it counts as nothing.
    up_to : float
        Leave out pairs farther apart than this, which saves most of the work if it is small.
    max_memory : str or int
        Room for the distances that wait to be looked at.
    n_jobs : int, optional
        How many cores measure distances: all by default. A kd-tree is walked by one.
    """
    objects, measure = bind(objects, metric)
    prepared = measure.prepare(objects)
    codes = code_labels(labels, sample.count(prepared)).codes
    room = parse_memory(max_memory)
    if np.isnan(up_to):
        raise InvalidInput("up_to is NaN.", advice="Leave it out to match at all distances.", value=up_to)
    supply = _supply(weights, len(codes))
    power = kdtree.power_of(measure)
    if power is not None:
        tree = kdtree.build(prepared, codes)
        if kdtree.prunes(tree, power):
            return _in_a_tree(tree, power, supply, up_to)
    return _on_lists(measure, prepared, codes, supply, up_to, room, n_jobs)


@dataclass(frozen=True)
class _Supply:
    """What the objects have to give: their capacities, or one weight that they all have, and room for the pairs."""

    capacities: Capacities
    each: float
    most_pairs: int

    @property
    def without(self) -> Indices:
        """The objects that have nothing to give."""
        return np.flatnonzero(self.capacities.weights == 0)


def _supply(weights: Any, n: int) -> _Supply:
    if weights is None:
        return _Supply(Capacities(*np.empty((4, 0))), 1.0, n // 2)
    given = np.array(weights, dtype=np.float64)
    if given.shape != (n,) or not (np.isfinite(given) & (given >= 0)).all():
        raise InvalidInput(
            f"Weights are finite numbers from 0 on, one for each of the {n} objects, not {weights!r}.",
            advice="Leave them out if all objects count alike.",
            value=weights,
        )
    if n and given.min() == given.max() > 0:  # a match uses up both
        return _Supply(Capacities(*np.empty((4, 0))), float(given[0]), n // 2)
    ends = np.where(given > 0, np.inf, -np.inf)
    return _Supply(Capacities(given, given.copy(), ends, np.empty(n)), 1.0, n)  # every pair uses up one object at least


def _in_a_tree(tree: kdtree.KdTree, power: int, supply: _Supply, up_to: float) -> Matching:
    kdtree.delete(tree, supply.without)
    pairs, distances = np.empty((2, supply.most_pairs), dtype=np.int32), np.empty(supply.most_pairs)
    found, calls = match_by_chains(tree, (1,) * power, up_to, supply.capacities, pairs[0], pairs[1], distances)
    return _sorted(pairs[:, :found], distances[:found], supply, len(tree.order), calls)


def _on_lists(
    measure: Metric, prepared: Any, codes: Indices, supply: _Supply, up_to: float, room: int, n_jobs: int | None
) -> Matching:
    n = len(codes)
    lists = EnemyLists(measure, prepared, codes, LIST_LENGTH, up_to=up_to, max_memory=room, n_jobs=n_jobs)
    alive, exhausted = np.ones(n, dtype=np.bool_), np.zeros(n, dtype=np.bool_)
    alive[supply.without] = False
    cursor = np.zeros(n, dtype=np.int32)
    pairs, distances = np.empty((2, supply.most_pairs), dtype=np.int32), np.empty(supply.most_pairs)
    found, renewals = 0, FIRST_RENEWALS
    while True:
        before = found
        found = match_on_lists(
            lists.near, lists.far, cursor, alive, exhausted, supply.capacities, pairs[0], pairs[1], distances, found
        )
        waiting = np.flatnonzero(exhausted & alive)
        if not len(waiting):
            return _sorted(pairs[:, :found], distances[:found], supply, n, lists.distance_calls)
        if 2 * (found - before) > renewals:
            renewals *= 2
        elif 4 * (found - before) < renewals:  # where many objects tie, new lists are alike, and soon old together
            renewals = max(FIRST_RENEWALS, renewals // 2)
        chosen = waiting[np.argsort(lists.far[waiting, -1], kind="stable")[:renewals]]
        lists.renew(chosen, np.flatnonzero(alive))
        cursor[chosen], exhausted[chosen] = 0, False


def _sorted(pairs: NDArray[np.int32], distances: Distances, supply: _Supply, n: int, calls: int) -> Matching:
    order = np.lexsort((pairs[1], pairs[0], distances))
    first, second = pairs[0, order].astype(np.intp), pairs[1, order].astype(np.intp)
    if not len(supply.capacities.weights):
        return Matching(first, second, distances[order], n, int(calls), np.broadcast_to(supply.each, len(order)))
    return Matching(first, second, distances[order], n, int(calls), supply.capacities.amounts[order], supply.capacities.ends)
