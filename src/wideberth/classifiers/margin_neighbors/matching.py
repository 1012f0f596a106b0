"""Greedy matching of objects of different classes, which gives small vertex covers for all thresholds at once."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wideberth.array_types import Flags, Indices
from wideberth.classifiers.margin_neighbors.search_kernels import match_by_chains
from wideberth.errors import InvalidInput
from wideberth.geometry.classes.enemies import EnemyLists, EnemySearch, prepare_search
from wideberth.geometry.classes.enemy_kernels import REST_ROUNDING, Capacities, match_on_lists
from wideberth.geometry.measure.blocks import parse_memory
from wideberth.geometry.measure.enemy_blocks import enemy_blocks
from wideberth.geometry.search import kdtree
from wideberth.metrics.metric import Distances, Metric
from wideberth.progress import doing

#: Of fewer objects than this all pairs are sorted.
FEW_OBJECTS = 256
#: Length of the lists of nearest enemies, where there is no tree.
LIST_LENGTH = 12
#: Lists that are renewed at a time at the beginning; the number then adapts to how many pairs a round of them matches.
FIRST_RENEWALS = 2 * LIST_LENGTH


@dataclass(frozen=True)
class Matching:
    """A greedy matching: pairs of objects of different classes, sorted by (distance, first, second), with first < second.

    No object is in two pairs, unless objects have different weights: then no object gives more than its weight in all its pairs.
    The pairs closer than a threshold are a maximal matching of the conflicts below it, for every threshold. If there are m of
    them, every vertex cover of these conflicts has at least m objects, and the 2 m objects of the pairs are one (Gavril's bound).
    With weights, the same holds for the total weight.

    Attributes
    ----------
    first, second : ndarray of shape (m,)
        Indices of the two objects of each pair.
    distances : ndarray of shape (m,)
        Their distances, increasing.
    n_objects : int
        The number of all objects, matched or not.
    distance_calls : int
        How many distances were measured.
    amounts : ndarray of shape (m,)
        How much of both objects each pair takes; 1 without weights.
    ends : ndarray of shape (n_objects,) or None
        The distance at which each object is used up, if weights differ; otherwise None, because a pair uses up both objects.

    Examples
    --------
    >>> matching = greedy_matching([[0.0], [1.0], [5.0], [8.0]], ["rum", "tea", "rum", "tea"])
    >>> len(matching), matching.distances
    (2, array([1., 3.]))
    """

    first: Indices
    second: Indices
    distances: Distances
    n_objects: int
    distance_calls: int
    amounts: Distances
    ends: Distances | None = None  # with different weights: what `exhausted` returns

    def __len__(self) -> int:
        return len(self.distances)

    def at(self, threshold: float) -> int:
        """Count the pairs closer than ``threshold``; they are the first ones.

        Examples
        --------
        >>> greedy_matching([[0.0], [1.0], [5.0], [8.0]], ["rum", "tea", "rum", "tea"]).at(3.0)
        1
        """
        return int(np.searchsorted(self.distances, threshold))

    def total(self, threshold: float) -> float:
        """Sum the amounts of the pairs closer than ``threshold``: a lower bound of the weight of every vertex cover.

        Examples
        --------
        >>> greedy_matching([[0.0], [1.0], [5.0]], ["rum", "tea", "rum"], weights=[2.0, 3.0, 4.0]).total(np.inf)
        3.0
        """
        return float(self.amounts[: self.at(threshold)].sum())

    def exhausted(self) -> Distances:
        """Return the distance of the pair that used up each object.

        The objects with a value below t are a vertex cover of the conflicts closer than t.

        Returns
        -------
        ndarray of shape (n_objects,)
            Infinity for objects that are not used up, minus infinity for those of weight 0.

        Examples
        --------
        >>> greedy_matching([[0.0], [1.0], [5.0]], ["rum", "tea", "rum"], weights=[2.0, 3.0, 4.0]).exhausted()
        array([ 1.,  4., inf])
        """
        if self.ends is not None:
            return self.ends.copy()
        ends = np.full(self.n_objects, np.inf)
        ends[self.first] = ends[self.second] = self.distances
        return ends


@doing("matching")
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
    """Match objects of different classes greedily: take pairs by increasing distance, and match those that are both still free.

    The order is (distance, smaller index, larger index); equal objects with different labels come first, at distance 0. The
    result is the same as with a sorted list of all pairs, but that list is never built. Two objects that are each other's nearest
    free object of another class are matched whatever the other pairs are, and chains from object to nearest object end in such
    pairs (the nearest-neighbour chains of hierarchical clustering; Benzecri 1982). It takes about 1.5 n searches.

    Weights are capacities: a match takes the smaller of what remains of the two objects, and an object is free as long as
    something of it remains. Integer weights give the matching of a sample in which each object is repeated that often.

    Vectors under the Minkowski metrics p = 1, 2 and infinity are searched in a kd-tree if its boxes exclude enough. For other
    objects every pair of different classes is measured once, and a few pairs again. Of few objects all pairs are sorted.

    Parameters
    ----------
    objects : sequence
        The sample of n objects.
    labels : array-like of shape (n,)
        Their classes.
    metric : str, Metric or callable
        The distance.
    weights : array-like of shape (n,), optional
        The capacity of each object, at least 0; 1 by default. A remainder below 1e-12 of it counts as 0.
    up_to : float
        Leave out pairs farther apart than this, which saves most of the work if it is small.
    max_memory : str or int
        Memory for blocks of distances, such as "2GB".
    n_jobs : int, optional
        Cores that measure distances; None means all. A kd-tree is searched by one core.

    Returns
    -------
    Matching

    Raises
    ------
    InvalidInput
        If ``up_to`` is NaN, or weights are negative, not finite or not one for each object.

    Examples
    --------
    >>> matching = greedy_matching(["tea", "tee", "rum", "rye"], ["hot", "cold", "cold", "hot"], "levenshtein")
    >>> matching.first, matching.second, matching.distances
    (array([0, 2]), array([1, 3]), array([1., 2.]))
    """
    budget = parse_memory(max_memory)
    if np.isnan(up_to):
        raise InvalidInput("up_to is NaN.", advice="Leave it out to match at all distances.", value=up_to)
    search = prepare_search(objects, labels, metric)
    supply = _checked_supply(weights, len(search.codes))
    if len(search.codes) < FEW_OBJECTS:
        return _match_sorted_pairs(search, supply, up_to, budget, n_jobs)
    if search.tree is not None:
        return _match_in_tree(search.tree, search.power, supply, up_to)
    return _match_with_lists(search, supply, up_to, budget, n_jobs)


@dataclass(frozen=True)
class _Supply:
    """Capacities of the objects, or one weight that all of them have, and the largest possible number of pairs."""

    capacities: Capacities
    common_weight: float
    max_pairs: int

    @property
    def empty(self) -> Indices:
        """Indices of the objects with capacity 0."""
        return np.flatnonzero(self.capacities.weights == 0)


def _checked_supply(weights: Any, n: int) -> _Supply:
    """Check the weights. If all of them are equal, no capacities have to be tracked: each match uses up both objects."""
    if weights is None:
        return _Supply(Capacities(*np.empty((4, 0))), 1.0, n // 2)
    given = np.array(weights, dtype=np.float64)
    if given.shape != (n,) or not (np.isfinite(given) & (given >= 0)).all():
        raise InvalidInput(
            f"Weights must be finite numbers of at least 0, one for each of the {n} objects, not {weights!r}.",
            advice="Leave them out if all objects count alike.",
            value=weights,
        )
    if n and given.min() == given.max() > 0:  # each match uses up both objects
        return _Supply(Capacities(*np.empty((4, 0))), float(given[0]), n // 2)
    ends = np.where(given > 0, np.inf, -np.inf)
    return _Supply(Capacities(given, given.copy(), ends, np.empty(n)), 1.0, n)  # every pair uses up at least one object


def _match_sorted_pairs(search: EnemySearch, supply: _Supply, up_to: float, max_memory: int, n_jobs: int | None) -> Matching:
    """Match objects by the sorted list of all pairs: those that come first for both of their objects, then of the rest again."""
    n, different = len(search.codes), len(supply.capacities.weights) > 0
    first, second, distances, calls = _sorted_pairs(search, up_to, max_memory, n_jobs)
    weights = supply.capacities.weights if different else np.ones(n)
    remaining, ends = weights.copy(), np.full(n, -np.inf)
    left, rounds, amounts = np.arange(len(first)), [np.empty(0, dtype=np.intp)], [np.empty(0)]
    while True:
        free = remaining > REST_ROUNDING * weights
        left = left[free[first[left]] & free[second[left]]]
        if not len(left):
            break
        chosen = _first_for_both(first, second, left, n)
        amount = np.minimum(remaining[first[chosen]], remaining[second[chosen]])
        for objects in (first[chosen], second[chosen]):
            remaining[objects] -= amount
            ends[objects] = distances[chosen]
        rounds.append(chosen)
        amounts.append(amount)
    matched = np.concatenate(rounds)
    order = np.argsort(matched)
    pairs = first[matched[order]], second[matched[order]], distances[matched[order]], n, calls
    if not different:
        return Matching(*pairs, np.broadcast_to(supply.common_weight, len(order)))
    return Matching(*pairs, np.concatenate(amounts)[order], np.where(free, np.inf, ends))


def _sorted_pairs(
    search: EnemySearch, up_to: float, max_memory: int, n_jobs: int | None
) -> tuple[Indices, Indices, Distances, int]:
    """All pairs of different classes up to a distance, sorted by (distance, first, second), and how many were measured."""
    codes, calls = search.codes, 0
    between = np.full((len(codes), len(codes)), np.nan)
    for rows, columns, block in enemy_blocks(search.metric, search.prepared, codes, max_memory=max_memory, n_jobs=n_jobs):
        i, j = np.nonzero(codes[rows][:, None] < codes[columns])
        between[np.minimum(rows[i], columns[j]), np.maximum(rows[i], columns[j])] = block[i, j]
        calls += block.size
    first, second = np.nonzero(between <= up_to)  # in the order of (first, second)
    distances = between[first, second]
    order = np.argsort(distances, kind="stable")
    return first[order], second[order], distances[order], calls


def _first_for_both(first: Indices, second: Indices, left: Indices, n: int) -> Indices:
    """Of the pairs ``left``, those that come before all others of both of their objects."""
    earliest = np.full(n, len(first))
    np.minimum.at(earliest, first[left], left)
    np.minimum.at(earliest, second[left], left)
    leads: Flags = (earliest[first[left]] == left) & (earliest[second[left]] == left)
    return left[leads]


def _match_in_tree(tree: kdtree.KdTree, power: int, supply: _Supply, up_to: float) -> Matching:
    """Match the points of a kd-tree; their deletion uses the tree up."""
    kdtree.delete(tree, supply.empty)
    pairs, distances = np.empty((2, supply.max_pairs), dtype=np.int32), np.empty(supply.max_pairs)
    found, calls = match_by_chains(tree, (1,) * power, up_to, supply.capacities, pairs[0], pairs[1], distances)
    return _sorted_matching(pairs[:, :found], distances[:found], supply, len(tree.order), calls)


def _match_with_lists(search: EnemySearch, supply: _Supply, up_to: float, max_memory: int, n_jobs: int | None) -> Matching:
    """Match objects by short lists of nearest enemies, and renew lists of which all entries are matched already.

    The number of lists renewed at a time doubles while they produce many pairs, and halves while they produce few.
    """
    n = len(search.codes)
    lists = EnemyLists(search, LIST_LENGTH, up_to=up_to, max_memory=max_memory, n_jobs=n_jobs)
    alive, exhausted = np.ones(n, dtype=np.bool_), np.zeros(n, dtype=np.bool_)
    alive[supply.empty] = False
    cursor = np.zeros(n, dtype=np.int32)
    pairs, distances = np.empty((2, supply.max_pairs), dtype=np.int32), np.empty(supply.max_pairs)
    found, renewals = 0, FIRST_RENEWALS
    while True:
        before = found
        found = match_on_lists(
            lists.indices, lists.distances, cursor, alive, exhausted, supply.capacities, pairs[0], pairs[1], distances, found
        )
        waiting = np.flatnonzero(exhausted & alive)
        if not len(waiting):
            return _sorted_matching(pairs[:, :found], distances[:found], supply, n, lists.distance_calls)
        if 2 * (found - before) > renewals:
            renewals *= 2
        elif 4 * (found - before) < renewals:  # with many equal distances, new lists are similar and all used up soon
            renewals = max(FIRST_RENEWALS, renewals // 2)
        chosen = waiting[np.argsort(lists.distances[waiting, -1], kind="stable")[:renewals]]
        lists.renew(chosen, np.flatnonzero(alive))
        cursor[chosen], exhausted[chosen] = 0, False


def _sorted_matching(pairs: NDArray[np.int32], distances: Distances, supply: _Supply, n: int, calls: int) -> Matching:
    """Sort pairs by (distance, first, second)."""
    order = np.lexsort((pairs[1], pairs[0], distances))
    first, second = pairs[0, order].astype(np.intp), pairs[1, order].astype(np.intp)
    if not len(supply.capacities.weights):
        return Matching(first, second, distances[order], n, int(calls), np.broadcast_to(supply.common_weight, len(order)))
    return Matching(first, second, distances[order], n, int(calls), supply.capacities.amounts[order], supply.capacities.ends)
