"""Vertex covers of the conflicts of labelled objects at several thresholds, within a memory budget.

Objects of different classes that are closer than a threshold are in conflict. A cover is a set of
objects whose removal leaves no conflict; its size is the number of training objects to give up for
a margin of half the threshold (Kontorovich & Weiss 2014, section 4).
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wideberth.array_types import Floats, Indices
from wideberth.classifiers.margin_neighbors.vertex_cover import greedy_matching, vertex_cover
from wideberth.errors import InvalidInput
from wideberth.geometry.classes.enemies import conflict_pairs
from wideberth.geometry.measure.blocks import parse_memory, show_memory
from wideberth.geometry.search.index import Index
from wideberth.metrics.metric import Metric
from wideberth.metrics.named import bind
from wideberth.objects import sample
from wideberth.objects.labels import code_labels
from wideberth.optimize.solution import Solution
from wideberth.papers.greedy_vertex_cover import Conflicts, greedy_cover

Ends = NDArray[np.int32]

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

    Parameters
    ----------
    thresholds : ndarray of shape (m,)
        In increasing order.
    capacity : int
        How many pairs can be held.

    Attributes
    ----------
    n_held : int
        The number of thresholds all of whose pairs are held.

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
        self._counts = np.zeros(
            len(self.thresholds), dtype=np.int64
        )  # pairs between a threshold and the one before
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
