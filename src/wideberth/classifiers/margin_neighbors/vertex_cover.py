r"""Small vertex covers of a conflict graph: which objects to remove so that no two of different
classes are too close.

The graph joins objects of different classes. A *cover* contains at least one end of every pair; the
smallest one solves

.. math:: \min \sum_v x_v \quad\text{subject to}\quad x_u + x_v \ge 1 \text{ for every pair } uv,
    \qquad x_v \in \{0, 1\}.

With :math:`0 \le x_v \le 1` instead it is a linear program that has a solution in {0, 1/2, 1}
(Nemhauser & Trotter 1975). This solution is read off a maximum matching of the double cover: the
bipartite graph with the edges :math:`u_L v_R` and
:math:`v_L u_R` for every pair.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from wideberth.array_types import Flags, Floats, Indices, Labels, Objects
from wideberth.classifiers.margin_neighbors.kernels import (
    cover_by_degree,
    drop_redundant_in_order,
    link,
    match_by_chains,
    maximum_matching,
)
from wideberth.geometry.classes.enemies import EnemyLists, EnemySearch, prepare_search
from wideberth.geometry.classes.kernels import REST_ROUNDING, Capacities, match_on_lists
from wideberth.geometry.measure.blocks import enemy_blocks, parse_memory
from wideberth.geometry.search import kdtree
from wideberth.metrics.metric import Distances, Metric
from wideberth.optimize.solution import Solution
from wideberth.progress import doing

Ends = NDArray[np.int32]
# the neighbours of v are lists[1][lists[0][v] : lists[0][v + 1]]
Lists = tuple[NDArray[np.int64], Ends]


@doing("cover")
def vertex_cover(n_objects: int, codes: Indices, first: Ends, second: Ends) -> Solution:
    """Compute a small vertex cover of pairs of objects of different classes, with a lower bound.

    If the pairs join two classes the cover is a minimum one (Koenig 1931): its size is that of a
    maximum matching. For k classes the lower bound is the value of the linear program, rounded up.
    Vertices of value 1 enter the cover. Of those of value 1/2, two candidates are compared: all but
    the largest class of each connected component, which gives at most :math:`2 - 2/k` times the
    optimum (Hochbaum 1983, with the classes as colours); and all but those that are left out one by
    one because they have the fewest conflicts left. Vertices whose neighbours are all in the cover
    then leave it, those with few neighbours first.

    Examples
    --------
    >>> first, second = np.array([[0, 1, 2], [3, 3, 3]], dtype=np.int32)
    >>> found = vertex_cover(4, np.array([0, 0, 0, 1]), first, second)
    >>> found.point, found.value, found.lower_bound, found.status
    (array([False, False, False,  True]), 1.0, 1.0, 'optimal')
    """
    lists = link(n_objects, first, second)
    classes = classes_of_pairs(codes, first, second)
    if len(classes) <= 2:
        return _bipartite_cover(
            lists, codes == classes[0] if len(classes) else np.zeros(n_objects, dtype=bool)
        )
    values = relax(lists)
    candidates = [
        round_up(values, codes, lists),
        (values == 1) | cover_by_degree(*lists, values == 0.5),
    ]
    for candidate in candidates:
        drop_redundant(candidate, lists)
    cover = min(candidates, key=np.count_nonzero)
    bound = float(np.ceil(values.sum()))
    size = float(cover.sum())
    return Solution(
        cover,
        size,
        bound,
        "optimal" if size == bound else "rounded linear program, redundant vertices dropped",
    )


@doing("cover")
def exact_cover(
    n_objects: int, codes: Indices, first: Ends, second: Ends, *, max_time: float = 60.0
) -> Solution:
    """Compute a minimum vertex cover, or the best one found within the time limit and a lower
    bound.

    With two classes it is that of `vertex_cover`. With more classes the problem is NP-hard, but
    some minimum cover contains the objects of value 1 in the linear program and none of value 0
    (Nemhauser & Trotter 1975). Only those of value 1/2 have to be decided, usually few, by the
    branch and bound of HiGHS.

    Examples
    --------
    >>> first, second = np.array([[0, 1, 2], [1, 2, 0]], dtype=np.int32)
    >>> exact_cover(3, np.arange(3), first, second).value  # a triangle: two of the three
    2.0
    """
    rounded = vertex_cover(n_objects, codes, first, second)
    if rounded.gap == 0:
        return rounded
    values = relax(link(n_objects, first, second))
    half = np.flatnonzero(values == 0.5)
    open_pairs = (values[first] == 0.5) & (values[second] == 0.5)
    found = _decide_halves(half, first[open_pairs], second[open_pairs], n_objects, max_time)
    certain = float((values == 1).sum())
    bound = rounded.lower_bound
    if found.mip_dual_bound is not None:  # there may be none yet when the time is up
        bound = max(bound, certain + np.ceil(found.mip_dual_bound - 1e-6))
    if found.x is None or certain + found.fun > rounded.value:
        return Solution(rounded.point, rounded.value, bound, rounded.status)
    cover: Flags = values == 1
    cover[half] = found.x > 0.5
    size = float(cover.sum())
    return Solution(cover, size, bound, "optimal" if size == bound else "out of time")


def classes_of_pairs(codes: Indices, first: Ends, second: Ends) -> Indices:
    """Return the class codes that occur in pairs, sorted.

    Examples
    --------
    >>> classes_of_pairs(np.array([4, 7, 9]), np.array([0]), np.array([1]))
    array([4, 7])
    """
    occurs = np.zeros(len(codes), dtype=bool)
    occurs[first] = occurs[second] = True
    return np.unique(codes[occurs])


def relax(lists: Lists) -> Floats:
    """Compute an optimal solution of the linear program with values in {0, 1/2, 1}.

    The value of a vertex is half the number of its two roles that are in a minimum cover of the
    double cover.

    Examples
    --------
    >>> relax(link(3, np.array([0, 1, 2], np.int32), np.array([1, 2, 0], np.int32)))  # a triangle
    array([0.5, 0.5, 0.5])
    """
    both_roles = np.ones(len(lists[0]) - 1, dtype=bool)
    _, left, right = maximum_matching(*lists, both_roles)
    return (0.5 * ~left + 0.5 * right).astype(np.float64)


def round_up(values: Floats, codes: Indices, lists: Lists) -> Flags:
    """Round the solution of the linear program to a cover.

    It contains the vertices of value 1, and those of value 1/2 except the largest class in each of
    their connected components. A class can stay out because no two of its objects are in conflict;
    the largest has at least 1/k of the component.

    Examples
    --------
    >>> lists = link(3, np.array([0, 1, 2], np.int32), np.array([1, 2, 0], np.int32))  # a triangle
    >>> round_up(np.array([0.5, 0.5, 0.5]), np.array([0, 1, 2]), lists)
    array([False,  True,  True])
    """
    cover: Flags = values == 1
    half = np.flatnonzero(values == 0.5)
    if len(half):
        graph = csr_array(
            (np.ones(len(lists[1]), dtype=np.int8), lists[1], lists[0]),
            shape=(len(codes), len(codes)),
        )
        _, component = connected_components(graph[half][:, half], directed=False)
        classes = int(codes.max()) + 1
        counts = np.bincount(
            component * classes + codes[half], minlength=(component.max() + 1) * classes
        )
        spared = counts.reshape(-1, classes).argmax(axis=1)
        cover[half] = codes[half] != spared[component]
    return cover


def drop_redundant(cover: Flags, lists: Lists) -> int:
    """Remove vertices whose neighbours are all in the cover from it, in place, those with few
    neighbours first.

    Returns the number of vertices removed.

    Examples
    --------
    >>> cover, lists = (
    ...     np.array([True, True]),
    ...     link(2, np.array([0], np.int32), np.array([1], np.int32)),
    ... )
    >>> drop_redundant(cover, lists), cover
    (1, array([False,  True]))
    """
    inside = np.flatnonzero(cover)
    degrees = np.diff(lists[0])[inside]
    return int(drop_redundant_in_order(*lists, inside[np.argsort(degrees, kind="stable")], cover))


def _bipartite_cover(lists: Lists, is_left: Flags) -> Solution:
    """Compute a minimum cover of a bipartite graph by Koenig's theorem.

    It consists of the left vertices that no alternating path from a free left vertex reaches, and
    the right vertices that one reaches.
    """
    partner, left, right = maximum_matching(*lists, is_left)
    size = float((partner >= 0).sum())
    return Solution((is_left & ~left) | right, size, size, "optimal")


def _decide_halves(
    half: Indices, first: Ends, second: Ends, n_objects: int, max_time: float
) -> Any:
    """Cover the pairs by as few as possible of the objects at ``half``, by an integer program.

    Returns the result of `scipy.optimize.milp` after at most ``max_time`` seconds.
    """
    place = np.full(n_objects, -1)
    place[half] = np.arange(len(half))
    rows = np.repeat(np.arange(len(first)), 2)
    columns = np.stack([place[first], place[second]], axis=1).ravel()
    ends = csr_array((np.ones(len(rows)), (rows, columns)), shape=(len(first), len(half)))
    return milp(
        np.ones(len(half)),
        integrality=np.ones(len(half), dtype=int),
        bounds=Bounds(0, 1),
        constraints=LinearConstraint(ends, lb=1),
        options={"time_limit": max_time},
    )


# ---- Greedy matching of objects of different classes, which gives small vertex covers for all
# thresholds at once

#: Of fewer objects than this all pairs are sorted.
FEW_OBJECTS = 256
#: Length of the lists of nearest enemies, where there is no tree.
LIST_LENGTH = 12
#: The share of the objects above which no chains start at a class. Below it, lists on both sides of
#: pairs cost no more, and less where all distances are equal.
LARGE_CLASS = 0.6
#: Lists that are renewed at a time at the beginning; the number then adapts to how many pairs a
#: round of them matches.
FIRST_RENEWALS = 2 * LIST_LENGTH


@dataclass(frozen=True)
class Matching:
    """A greedy matching: pairs of objects of different classes, sorted by (distance, first,
    second), with first < second.

    No object is in two pairs, unless objects have different weights: then no object gives more than
    its weight in all its pairs. The pairs closer than a threshold are a maximal matching of the
    conflicts below it, for every threshold. If there are m of them, every vertex cover of these
    conflicts has at least m objects, and the 2 m objects of the pairs are one (Gavril's bound).
    With weights, the same holds for the total weight.

    Examples
    --------
    >>> matching = greedy_matching([[0.0], [1.0], [5.0], [8.0]], ["rum", "tea", "rum", "tea"])
    >>> len(matching), matching.distances
    (2, array([1., 3.]))
    """

    first: Indices
    second: Indices
    distances: Distances
    n_objects: int  # matched or not
    distance_calls: int
    amounts: Distances  # how much of both objects each pair takes; 1 without weights
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

    def exhausted(self) -> Distances:
        """Return the distance of the pair that used up each object.

        The objects with a value below t are a vertex cover of the conflicts closer than t.

        Examples
        --------
        >>> greedy_matching(
        ...     [[0.0], [1.0], [5.0]], ["rum", "tea", "rum"], weights=[2.0, 3.0, 4.0]
        ... ).exhausted()
        array([ 1.,  4., inf])
        """
        if self.ends is not None:
            return self.ends.copy()
        ends = np.full(self.n_objects, np.inf)
        ends[self.first] = ends[self.second] = self.distances
        return ends


@doing("matching")
def greedy_matching(
    objects: Objects,
    labels: Labels,
    metric: str | Metric | Callable[[Any, Any], float] = "euclidean",
    *,
    weights: ArrayLike | None = None,
    up_to: float = np.inf,
    max_memory: str | int = "2GB",
    n_jobs: int | None = None,
) -> Matching:
    """Match objects of different classes greedily: take pairs by increasing distance, and match
    those that are both still free.

    The order is (distance, smaller index, larger index); equal objects with different labels come
    first, at distance 0. The result is the same as with a sorted list of all pairs, but that list
    is never built. Two objects that are each other's nearest free object of another class are
    matched whatever the other pairs are, and chains from object to nearest object end in such pairs
    (the nearest-neighbour chains of hierarchical clustering; Benzecri 1982). It takes about 1.5 n
    searches.

    Weights are capacities: a match takes the smaller of what remains of the two objects, and an
    object is free as long as something of it remains. Integer weights give the matching of a sample
    in which each object is repeated that often. Pairs farther apart than ``up_to`` are left out,
    which saves most of the work if it is small.

    Vectors under the Minkowski metrics p = 1, 2 and infinity are searched in a kd-tree if its boxes
    exclude enough. For other objects every pair of different classes is measured once, and a few
    pairs again. Of few objects all pairs are sorted.

    Examples
    --------
    >>> matching = greedy_matching(
    ...     ["tea", "tee", "rum", "rye"], ["hot", "cold", "cold", "hot"], "levenshtein"
    ... )
    >>> matching.first, matching.second, matching.distances
    (array([0, 2]), array([1, 3]), array([1., 2.]))
    """
    budget = parse_memory(max_memory)
    search = prepare_search(objects, labels, metric)
    supply = _supply(weights, len(search.codes))
    if len(search.codes) < FEW_OBJECTS:
        return _match_sorted_pairs(search, supply, up_to, budget, n_jobs)
    if search.tree is not None:
        return _match_in_tree(search.tree, search.power, supply, up_to)
    return _match_with_lists(search, supply, up_to, budget, n_jobs)


@dataclass(frozen=True)
class _Supply:
    """Capacities of the objects, or one weight that all of them have, and the largest possible
    number of pairs.
    """

    capacities: Capacities
    common_weight: float
    max_pairs: int

    @property
    def empty(self) -> Indices:
        """Indices of the objects with capacity 0."""
        return np.flatnonzero(self.capacities.weights == 0)


def _supply(weights: ArrayLike | None, n: int) -> _Supply:
    """If all weights are equal, no capacities have to be tracked: each match uses up both
    objects.
    """
    if weights is None:
        return _Supply(Capacities(*np.empty((4, 0))), 1.0, n // 2)
    given = np.array(weights, dtype=np.float64)
    if n and given.min() == given.max() > 0:
        return _Supply(Capacities(*np.empty((4, 0))), float(given[0]), n // 2)
    ends = np.where(given > 0, np.inf, -np.inf)
    # every pair uses up at least one object
    return _Supply(Capacities(given, given.copy(), ends, np.empty(n)), 1.0, n)


def _match_sorted_pairs(
    search: EnemySearch, supply: _Supply, up_to: float, max_memory: int, n_jobs: int | None
) -> Matching:
    """Match objects by the sorted list of all pairs: those that come first for both of their
    objects, then of the rest again.
    """
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
    """All pairs of different classes up to a distance, sorted by (distance, first, second), and how
    many were measured.
    """
    codes, calls = search.codes, 0
    between = np.full((len(codes), len(codes)), np.nan)
    for rows, columns, block in enemy_blocks(
        search.metric, search.prepared, codes, max_memory=max_memory, n_jobs=n_jobs
    ):
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
    found, calls = match_by_chains(
        tree, (1,) * power, up_to, supply.capacities, pairs[0], pairs[1], distances
    )
    return _sorted_matching(pairs[:, :found], distances[:found], supply, len(tree.order), calls)


def _match_with_lists(
    search: EnemySearch, supply: _Supply, up_to: float, max_memory: int, n_jobs: int | None
) -> Matching:
    """Match objects by short lists of nearest enemies, and renew lists of which all entries are
    matched already.

    One object of each pair is not of the largest class. If that class is large, chains start at
    the others, and of its own lists only those are built that chains lead to. The number of lists
    renewed at a time doubles while they produce many pairs, and halves while they produce few.
    """
    n, codes = len(search.codes), search.codes
    alive, exhausted = np.ones(n, dtype=np.bool_), np.zeros(n, dtype=np.bool_)
    alive[supply.empty] = False
    starts = _starts_of_chains(codes, np.flatnonzero(alive))
    lists = EnemyLists(
        search, LIST_LENGTH, of=starts, up_to=up_to, max_memory=max_memory, n_jobs=n_jobs
    )
    cursor = np.where(lists.known, 0, LIST_LENGTH).astype(np.int32)
    pairs, distances = np.empty((2, supply.max_pairs), dtype=np.int32), np.empty(supply.max_pairs)
    found, renewals = 0, FIRST_RENEWALS
    while True:
        before = found
        found = match_on_lists(
            starts[alive[starts]],
            lists.indices,
            lists.distances,
            cursor,
            alive,
            exhausted,
            supply.capacities,
            pairs[0],
            pairs[1],
            distances,
            found,
        )
        waiting = np.flatnonzero(exhausted & alive)
        if not len(waiting) or np.ptp(codes[alive]) == 0:
            return _sorted_matching(
                pairs[:, :found], distances[:found], supply, n, lists.distance_calls
            )
        if 2 * (found - before) > renewals:
            renewals *= 2
        elif 4 * (found - before) < renewals:
            # with many equal distances, new lists are similar and all used up soon
            renewals = max(FIRST_RENEWALS, renewals // 2)
        chosen = waiting[np.argsort(lists.distances[waiting, -1], kind="stable")[:renewals]]
        lists.renew(chosen, np.flatnonzero(alive))
        cursor[chosen], exhausted[chosen] = 0, False


def _starts_of_chains(codes: Indices, free: Indices) -> Indices:
    """The objects at which chains start: all that are free, or all but a large class."""
    counts = np.bincount(codes[free], minlength=1)
    if counts.max() <= LARGE_CLASS * len(free):
        return free
    return np.asarray(free[codes[free] != counts.argmax()])


def _sorted_matching(
    pairs: NDArray[np.int32], distances: Distances, supply: _Supply, n: int, calls: int
) -> Matching:
    """Sort pairs by (distance, first, second)."""
    order = np.lexsort((pairs[1], pairs[0], distances))
    first, second = pairs[:, order].astype(np.intp)
    found = first, second, distances[order], n, int(calls)
    if not len(supply.capacities.weights):
        return Matching(*found, np.broadcast_to(supply.common_weight, len(order)))
    return Matching(*found, supply.capacities.amounts[order], supply.capacities.ends)
