"""Vertex covers of the conflicts of labelled objects: at several thresholds within a memory
budget, and at all thresholds at once.

Objects of different classes that are closer than a threshold are in conflict. A cover is a set of
objects whose removal leaves no conflict; its size is the number of training objects to give up for
a margin of half the threshold (Kontorovich & Weiss 2014, section 4).
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wideberth.array_types import Flags, Floats, Indices
from wideberth.classifiers.margin_neighbors.kernels import count_links
from wideberth.classifiers.margin_neighbors.vertex_cover import (
    Matching,
    classes_of_pairs,
    greedy_matching,
    vertex_cover,
)
from wideberth.errors import InvalidInput
from wideberth.geometry.classes.enemies import conflict_pairs
from wideberth.geometry.measure.blocks import parse_memory, show_memory
from wideberth.geometry.search.index import Index
from wideberth.metrics.metric import Metric
from wideberth.metrics.named import bind
from wideberth.objects import sample
from wideberth.objects.labels import code_labels
from wideberth.optimize.solution import Solution
from wideberth.papers.vertex_cover_kernels import add_edges, empty_graph
from wideberth.wording import at

Ends = NDArray[np.int32]
#: From positions of objects to (starts, indices): the conflicts of the i-th one are
#: ``indices[starts[i] : starts[i + 1]]``.
Conflicts = Callable[[Indices], tuple[Indices, Indices]]

#: Bytes for each pair in memory, while pairs are sorted and linked.
BYTES_PER_PAIR = 48
#: Bytes for each conflict listed, while lists are made.
BYTES_PER_CONFLICT = 64
#: Objects on each side of the block of distances from which the number of pairs is estimated.
PROBE = 1_000


@dataclass(frozen=True, eq=False)
class Covers:
    """Covers of the conflicts at several thresholds, with their proofs.

    Attributes
    ----------
    thresholds : ndarray of shape (m,)
        In increasing order.
    solutions : tuple of m Solution
        For each threshold: ``point`` is a boolean mask of the objects to remove, ``value`` their
        number, ``lower_bound`` a number that no cover can be smaller than.
    held_up_to : float
        The largest threshold whose conflicts fitted into memory; 0 if there is none. Up to here
        covers are those of `vertex_cover`, which are minimum ones for two classes; above, they come
        from a greedy matching.
    note : str
        The same in words.
    """

    thresholds: Floats
    solutions: tuple[Solution, ...]
    held_up_to: float
    note: str

    @property
    def sizes(self) -> Floats:
        """How many objects each cover has, shape (m,)."""
        return np.array([solution.value for solution in self.solutions])

    @property
    def lower_bounds(self) -> Floats:
        """The proved lower bounds of the size of a minimum cover, shape (m,)."""
        return np.array([solution.lower_bound for solution in self.solutions])

    @property
    def ratios(self) -> Floats:
        """How many times as large as a minimum cover each one is at most, shape (m,)."""
        return np.array([solution.ratio for solution in self.solutions])


def covers(
    objects: Any,
    labels: Any,
    metric: str | Metric | Callable[[Any, Any], float] = "euclidean",
    thresholds: Any = (),
    *,
    max_memory: str | int = "2GB",
    n_jobs: int | None = None,
) -> Covers:
    """Small sets of objects to remove so that no two of different classes are closer than each of
    the ``thresholds``.

    Up to the largest threshold at which all conflicts fit into memory, these are covers of
    `vertex_cover`. Above it, a greedy matching gives a cover of at most twice the minimum size,
    from which redundant objects are dropped with the help of an index. A larger threshold never
    needs fewer objects, so that lower bounds of smaller thresholds are also used for larger ones.

    Parameters
    ----------
    objects : sequence of objects, or array
    labels : array-like of shape (n,)
        Any number of classes.
    metric : str, Metric or callable
        A name (`wideberth.list_metrics`), a `wideberth.Metric`, or a function of two objects.
    thresholds : array-like of float, shape (m,)
        Strictly increasing, the first at least 0.
    max_memory : str or int
        Memory for conflicts and distances.
    n_jobs : int, optional
        How many cores measure distances; all by default.

    Returns
    -------
    Covers

    Raises
    ------
    wideberth.errors.InvalidInput
        If the thresholds do not increase, or the labels do not fit the objects.

    Examples
    --------
    >>> found = covers(
    ...     [[0.0], [1.0], [1.5], [8.0]], ["rum", "tea", "rum", "tea"], thresholds=[0.3, 3.0]
    ... )
    >>> found.sizes, found.ratios, found.solutions[1].point
    (array([0., 1.]), array([1., 1.]), array([False,  True, False, False]))
    >>> found.note
    'All pairs closer than 3 were held in memory.'
    """
    objects, measure = bind(objects, metric)
    prepared = measure.prepare(objects)
    codes = code_labels(labels, sample.count(prepared)).codes
    scales = _checked_thresholds(thresholds)
    budget = parse_memory(max_memory)
    held = _hold_pairs(prepared, codes, measure, scales, budget, n_jobs)
    n_held = held.n_held
    solutions = _solve_held(held, codes, scales[:n_held])
    if n_held < len(scales):
        best = max([0.0, *(solution.lower_bound for solution in solutions)])
        solutions += _solve_greedily(
            prepared, codes, measure, scales[n_held:], best, budget, n_jobs
        )
    held_up_to = float(scales[n_held - 1]) if n_held else 0.0
    note = f"All pairs closer than {held_up_to:g} were held in memory."
    if n_held < len(scales):
        note += (
            f" At {scales[n_held]:g} there are more than {show_memory(budget)} can hold: from "
            "there on covers are greedy."
        )
    return Covers(scales, tuple(solutions), held_up_to, note)


def _checked_thresholds(thresholds: Any) -> Floats:
    """The thresholds as an array, after a check that they increase from 0 or more."""
    scales = np.asarray(thresholds, dtype=np.float64)
    if scales.ndim != 1 or not len(scales) or not (np.diff(scales) > 0).all() or not scales[0] >= 0:
        raise InvalidInput(
            f"Thresholds must be increasing numbers that are at least 0, not {thresholds!r}.",
            advice="Pass a list, such as numpy.linspace(0.1, 1, 10).",
            value=thresholds,
        )
    return scales


@dataclass(eq=False)
class HeldPairs:
    """Collects pairs from a stream, and keeps those below the largest threshold at which at most
    ``capacity`` pairs exist.

    Where the limit lies is known only when the stream has ended; until then the limit falls, and
    pairs above it are thrown away.

    Examples
    --------
    >>> held = HeldPairs(np.array([2.0, 5.0]), capacity=2)
    >>> held.add([([0, 1], [2, 3], [1.0, 4.0]), ([4, 5], [6, 7], [3.0, 0.5])])
    >>> held.n_held, held.sorted()
    (1, (array([5, 0], dtype=int32), array([7, 2], dtype=int32), array([0.5, 1. ])))
    """

    thresholds: Floats  # increasing
    capacity: int
    n_held: int = field(init=False)

    def __post_init__(self) -> None:
        """Start without pairs: as yet, all thresholds can be held."""
        self.n_held = len(self.thresholds)
        # pairs between a threshold and the one before
        self._counts = np.zeros(len(self.thresholds), dtype=np.int64)
        self._parts: list[tuple[Ends, Ends, Floats]] = []
        self._size = 0

    def add(self, stream: Iterable[Any]) -> None:
        """Take in a stream of parts ``(first, second, distances)``: positions of the two objects of
        each pair, and distances.
        """
        for first, second, distances in stream:
            met = np.searchsorted(self.thresholds, distances, side="right")
            self._counts += np.bincount(met, minlength=len(self.thresholds) + 1)[
                : len(self.thresholds)
            ]
            self.n_held = min(self.n_held, int((np.cumsum(self._counts) <= self.capacity).sum()))
            kept = met < self.n_held
            ends = np.asarray(first, dtype=np.int32), np.asarray(second, dtype=np.int32)
            self._parts.append(
                (ends[0][kept], ends[1][kept], np.asarray(distances, dtype=np.float64)[kept])
            )
            self._size += int(kept.sum())
            if self._size > self.capacity:
                self._cut()

    def sorted(self) -> tuple[Ends, Ends, Floats]:
        """The pairs by increasing distance, as (first, second, distances). Call it once: the pairs
        are not kept.
        """
        self._cut()
        first, second, distances = self._join()
        order = np.argsort(distances, kind="stable")
        return first[order], second[order], distances[order]

    def _cut(self) -> None:
        """Throw away the pairs at or above the largest threshold that can still be held."""
        limit = self.thresholds[self.n_held - 1] if self.n_held else -np.inf
        for position, (first, second, distances) in enumerate(self._parts):
            kept = distances < limit
            if not kept.all():
                self._parts[position] = first[kept], second[kept], distances[kept]
        self._size = sum(len(part[2]) for part in self._parts)

    def _join(self) -> tuple[Ends, Ends, Floats]:
        """All parts in one, and no parts left."""
        none = np.empty(0, dtype=np.int32)
        first = np.concatenate([none, *(part[0] for part in self._parts)])
        second = np.concatenate([none, *(part[1] for part in self._parts)])
        distances = np.concatenate([np.empty(0), *(part[2] for part in self._parts)])
        self._parts.clear()
        return first, second, distances


def _hold_pairs(
    prepared: Any, codes: Indices, metric: Metric, scales: Floats, budget: int, n_jobs: int | None
) -> HeldPairs:
    """The pairs that fit into ``budget`` bytes.

    Pairs are searched up to the threshold at which an estimate expects twice as many as fit,
    because that is faster than a search up to the last one. If, against the estimate, all of them
    fit, the search is repeated up to the last threshold.
    """
    capacity = budget * 3 // 4 // BYTES_PER_PAIR
    likely = _likely_counts(prepared, codes, metric, scales)
    enough = min(int((likely <= 2 * capacity).sum()) + 1, len(scales))
    while True:
        held = HeldPairs(scales[:enough], capacity)
        held.add(
            conflict_pairs(
                prepared, codes, metric, scales[enough - 1], max_memory=budget // 4, n_jobs=n_jobs
            )
        )
        if held.n_held < enough or enough == len(scales):
            return held
        enough = len(scales)


def _likely_counts(prepared: Any, codes: Indices, metric: Metric, scales: Floats) -> Floats:
    """Estimate how many pairs of different classes are closer than each threshold, from two random
    samples of the objects.
    """
    n = len(codes)
    rng = np.random.default_rng(0)
    left, right = (rng.choice(n, min(n, PROBE), replace=False) for _ in range(2))
    distances = metric.block(sample.pick(prepared, left), sample.pick(prepared, right))
    near = np.sort(distances[codes[left][:, None] != codes[right]])
    return np.searchsorted(near, scales) * (n / len(left)) * (n / len(right)) / 2


def _solve_held(held: HeldPairs, codes: Indices, scales: Floats) -> list[Solution]:
    """A vertex cover for each threshold whose pairs are held."""
    first, second, distances = held.sorted()
    below = np.searchsorted(distances, scales)
    return [vertex_cover(len(codes), codes, first[:stop], second[:stop]) for stop in below]


def _solve_greedily(
    prepared: Any,
    codes: Indices,
    metric: Metric,
    scales: Floats,
    best: float,
    budget: int,
    n_jobs: int | None,
) -> list[Solution]:
    """A greedy cover for each threshold; ``best`` is the best lower bound of all smaller
    thresholds.
    """
    matching = greedy_matching(
        prepared, codes, metric, up_to=float(scales[-1]), max_memory=budget, n_jobs=n_jobs
    )
    index = Index(prepared, metric, labels=codes, max_memory=budget, n_jobs=n_jobs)
    at_once = budget // BYTES_PER_CONFLICT
    solutions = []
    for threshold in scales:
        found = greedy_cover(
            matching,
            threshold,
            _conflicts_below(threshold, index, prepared, codes),
            at_once=at_once,
        )
        best = max(best, found.lower_bound)
        status = "optimal" if found.value == best else found.status
        solutions.append(Solution(found.point, found.value, best, status))
    return solutions


def _conflicts_below(threshold: float, index: Index, prepared: Any, codes: Indices) -> Conflicts:
    """The search for `greedy_cover`: the objects of other classes that are closer than
    ``threshold``.
    """

    def search(searched: Indices) -> tuple[Indices, Indices]:
        found = index.within(
            sample.pick(prepared, searched), threshold, excluding=codes[searched], strict=True
        )
        return found.starts, found.indices

    return search


# ---- Where the conflicts do not fit into memory: a greedy matching, and the conflicts of an object
# when they are needed


#: Objects in one search at most: many where all conflicts are needed, fewer where one result can
#: make the next search needless.
MOST_SEARCHED, MOST_CANDIDATES = 10_000, 256


def greedy_cover(
    matching: Matching,
    threshold: float,
    conflicts: Conflicts | None = None,
    *,
    at_once: int = 10**6,
) -> Solution:
    """A vertex cover from a greedy matching: both ends of every matched pair closer than
    ``threshold``.

    The matching is maximal, so this covers all conflicts; every cover has at least one end of each
    matched pair, so it is at most twice as large as a minimum cover (Gavril). If ``conflicts`` is
    given, redundant objects are then dropped: those whose conflicts are all in the cover, beginning
    with the pairs matched last, because these have the fewest conflicts.

    Examples
    --------
    >>> from wideberth.classifiers.margin_neighbors.vertex_cover import greedy_matching
    >>> matching = greedy_matching([[0.0], [1.0], [5.0], [8.0]], ["rum", "tea", "rum", "tea"])
    >>> found = greedy_cover(matching, 3.0)
    >>> found.point, found.value, found.lower_bound
    (array([ True,  True, False, False]), 2.0, 1.0)
    """
    pairs = matching.at(threshold)
    cover = np.zeros(matching.n_objects, dtype=bool)
    cover[matching.first[:pairs]] = cover[matching.second[:pairs]] = True
    status = "both ends of a greedy matching"
    if conflicts is not None:
        last_first = np.stack(
            [matching.first[:pairs][::-1], matching.second[:pairs][::-1]], axis=1
        ).ravel()
        _drop_redundant(cover, last_first, _BatchedSearch(conflicts, at_once, matching.n_objects))
        status += ", redundant objects dropped"
    size = float(cover.sum())
    return Solution(cover, size, float(pairs), "optimal" if size == pairs else status)


def _drop_redundant(cover: Flags, order: Indices, search: "_BatchedSearch") -> None:
    """Remove redundant objects from ``cover``, in place, tried in this order.

    An object is needed iff it conflicts with an object outside the cover. So only the conflicts of
    the objects that are outside in the end, and of few others, are searched.
    """
    needed = np.zeros(len(cover), dtype=bool)
    outside = np.flatnonzero(~cover)
    while len(outside):
        searched, _, found = search.first_of(outside, MOST_SEARCHED)
        needed[found] = True
        outside = outside[len(searched) :]
    while len(order := order[~needed[order]]):
        searched, starts, found = search.first_of(order, MOST_CANDIDATES)
        for position, candidate in enumerate(searched):
            if not needed[candidate]:
                cover[candidate] = False
                needed[found[starts[position] : starts[position + 1]]] = True
        order = order[len(searched) :]


class _BatchedSearch:
    """Search the conflicts of as many objects at a time as have about ``at_once`` of them, judged
    by the searches before.
    """

    def __init__(self, conflicts: Conflicts, at_once: int, most_conflicts: int) -> None:
        self.conflicts = conflicts
        self.at_once = at_once
        self.per_object = float(most_conflicts)

    def first_of(self, waiting: Indices, most: int) -> tuple[Indices, Indices, Indices]:
        """Search the conflicts of the first objects of ``waiting``, at most ``most``: these
        objects, starts, conflicts.
        """
        searched = waiting[: min(most, max(1, int(self.at_once / self.per_object)))]
        starts, found = self.conflicts(searched)
        # the next objects may have more conflicts than these, and the estimate may fall only slowly
        self.per_object = max(1.0, 4 * len(found) / len(searched), self.per_object / 4)
        return searched, starts, found


# ---- All thresholds at once: the conflict graph grows with the threshold, pair by pair


@dataclass(frozen=True, eq=False)
class MinimumCoverPath:
    """The size of a minimum cover, or a lower bound of it, as a step function of the threshold.

    Attributes
    ----------
    jumps : ndarray of shape (m,)
        The distances at which the value grows, increasing.
    values : ndarray of shape (m,)
        ``values[i]`` holds for thresholds above ``jumps[i]``, up to and including ``jumps[i + 1]``.
        Up to ``jumps[0]`` it is 0.
    exact : bool
        True with at most two classes: the values are sizes of minimum covers. Otherwise they are
        values of the linear program, which no cover can be smaller than.
    codes : ndarray of shape (n,)
        The class of each object.
    first, second, distances : ndarrays of shape (p,)
        The pairs and their distances, by increasing distance.
    """

    jumps: Floats
    values: Floats
    exact: bool
    codes: Indices
    first: Ends
    second: Ends
    distances: Floats

    def value(self, threshold: Any) -> Any:
        """The value at one threshold, or at an array of them.

        Examples
        --------
        >>> path = cover_path(4, [0, 0, 1, 1], [0, 0, 1], [2, 3, 2], [5.0, 6.0, 7.0])
        >>> path.value([5, 5.5, 7, 8]).tolist()
        [0.0, 1.0, 1.0, 2.0]
        """
        return np.concatenate([[0.0], self.values])[
            np.searchsorted(self.jumps, threshold, side="left")
        ]

    def cover(self, threshold: float) -> Solution:
        """A cover of the pairs closer than ``threshold``, computed anew by `vertex_cover`.

        Examples
        --------
        >>> path = cover_path(4, [0, 0, 1, 1], [0, 0, 1], [2, 3, 2], [5.0, 6.0, 7.0])
        >>> path.cover(6.5).point  # object 0 takes part in both pairs that are closer
        array([ True, False, False, False])
        """
        below = int(np.searchsorted(self.distances, threshold, side="left"))
        return vertex_cover(len(self.codes), self.codes, self.first[:below], self.second[:below])


def cover_path(
    n_objects: int, codes: Any, first: Any, second: Any, distances: Any
) -> MinimumCoverPath:
    """The size of a minimum vertex cover at every threshold, or a lower bound of it.

    A minimum cover of a bipartite graph is as large as a maximum matching (Koenig 1931). So the
    pairs are added by increasing distance, and the value grows by one where a pair lets the
    matching grow. With more than two classes the same is done on the double cover of the graph (see
    `vertex_cover`); half the matching is the value of the linear program.

    Parameters
    ----------
    n_objects : int
    codes : array-like of int, shape (n_objects,)
        The class of each object.
    first, second : array-like of int, shape (p,)
        The two objects of each pair, of different classes.
    distances : array-like of float, shape (p,)
        How far they are apart, in any order.

    Returns
    -------
    MinimumCoverPath

    Raises
    ------
    wideberth.errors.InvalidInput
        If shapes do not fit, an object does not exist, a pair has one class only, or a distance is
        NaN.

    Examples
    --------
    >>> path = cover_path(4, [0, 0, 1, 1], [0, 0, 1], [2, 3, 2], [5.0, 6.0, 7.0])
    >>> path.jumps, path.values
    (array([5., 7.]), array([1., 2.]))
    """
    first, second, codes = checked_pairs(n_objects, codes, first, second)
    first, second, distances = sort_pairs(first, second, np.asarray(distances, dtype=np.float64))
    classes = classes_of_pairs(codes, first, second)
    exact = len(classes) <= 2
    is_left = codes == classes[0] if len(classes) == 2 else np.ones(n_objects, dtype=bool)
    if exact:
        swapped = ~is_left[first]
        first, second = np.where(swapped, second, first), np.where(swapped, first, second)
    grew = np.empty(n_objects, dtype=np.int64)
    graph = empty_graph(count_links(n_objects, first, second), is_left)
    gained = add_edges(graph, first, second, not exact, grew)
    jumps, last = np.unique(distances[grew[:gained]][::-1], return_index=True)
    values = (gained - last).astype(np.float64) * (1.0 if exact else 0.5)
    return MinimumCoverPath(jumps, values, exact, codes, first, second, distances)


def sort_pairs(first: Ends, second: Ends, distances: Floats) -> tuple[Ends, Ends, Floats]:
    """Sort pairs by increasing distance; pairs that are sorted already are returned without a copy.

    Examples
    --------
    >>> ends, distances = np.array([[4, 5], [6, 7]], dtype=np.int32), np.array([2.0, 1.0])
    >>> [part.tolist() for part in sort_pairs(*ends, distances)]
    [[5, 4], [7, 6], [1.0, 2.0]]
    """
    if distances.shape != first.shape or np.isnan(distances).any():
        raise InvalidInput(
            f"{len(first)} pairs come with distances of shape {distances.shape}, "
            f"{int(np.isnan(distances).sum())} of them NaN.",
            advice="Each pair needs its distance.",
            value=distances.shape,
        )
    if np.all(distances[1:] >= distances[:-1]):
        return first, second, distances
    order = np.argsort(distances, kind="stable")
    return first[order], second[order], distances[order]


def checked_pairs(
    n_objects: int, codes: Any, first: Any, second: Any
) -> tuple[Ends, Ends, Indices]:
    """Convert the pairs and the class codes to arrays, and check that every pair joins two objects
    of different classes.

    Examples
    --------
    >>> first, second, codes = checked_pairs(3, [0, 1, 1], [0, 0], [1, 2])
    >>> second.tolist(), codes.tolist()
    ([1, 2], [0, 1, 1])
    """
    codes = np.asarray(codes, dtype=np.intp)
    first, second = np.asarray(first), np.asarray(second)
    if codes.shape != (n_objects,) or first.shape != second.shape or first.ndim != 1:
        raise InvalidInput(
            f"{n_objects} objects come with codes of shape {codes.shape} and pairs of shapes "
            f"{first.shape} and {second.shape}.",
            advice="Each object needs one code, and each pair one object in each of the two "
            "arrays.",
            value=(codes.shape, first.shape, second.shape),
        )
    for ends in (first, second):
        if ends.size and not 0 <= ends.min() <= ends.max() < n_objects:
            wrong = int(np.flatnonzero((ends < 0) | (ends >= n_objects))[0])
            raise InvalidInput(
                f"Pair {wrong} contains {at('object', ends[wrong])}, but there are {n_objects} "
                "objects.",
                advice="Objects are numbered from 0 to the number of objects minus 1.",
                witness=wrong,
                value=int(ends[wrong]),
            )
    first, second = first.astype(np.int32, copy=False), second.astype(np.int32, copy=False)
    same = np.flatnonzero(codes[first] == codes[second])
    if len(same):
        pair = int(first[same[0]]), int(second[same[0]])
        raise InvalidInput(
            f"Objects {pair[0]} and {pair[1]} are a pair, but both have class {codes[pair[0]]}.",
            advice="Only objects of different classes are in conflict; leave the other pairs out.",
            witness=pair,
            value=int(codes[pair[0]]),
        )
    return first, second, codes
