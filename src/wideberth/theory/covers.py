"""Vertex covers of the conflicts of labelled objects at several thresholds, within a memory budget."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wideberth.arrays import Floats, Indices
from wideberth.classifiers.margin_neighbors.matching import greedy_matching
from wideberth.classifiers.margin_neighbors.vertex_cover import vertex_cover
from wideberth.errors import InvalidInput
from wideberth.geometry.classes.conflicts import conflict_pairs
from wideberth.geometry.measure.memory import parse_memory, show_memory
from wideberth.geometry.search.index import Index
from wideberth.metrics.metric import Metric
from wideberth.metrics.named import bind
from wideberth.objects import sample
from wideberth.objects.labels import code_labels
from wideberth.optimize.solution import Solution
from wideberth.theory.greedy_cover import Conflicts, greedy_cover

Ends = NDArray[np.int32]

#: Bytes for each pair held, while pairs are sorted and linked.
BYTES_PER_PAIR = 48
#: Bytes for each conflict listed, while lists are made.
BYTES_PER_CONFLICT = 64
#: Objects on each side of the block that tells about how many pairs there are.
PROBE = 1_000


@dataclass(frozen=True, eq=False)
class Covers:
    """Covers of the conflicts closer than each threshold, as masks of the objects in ``solutions``.

    Up to ``held_up_to`` all pairs were held, and covers are those of `vertex_cover`: minimum ones for two classes. Above it they
    come from a greedy matching. It is the last threshold if memory was enough for all, and 0 if it was not even for the first.
    ``note`` says it in words.
    """

    thresholds: Floats
    solutions: tuple[Solution, ...]
    held_up_to: float
    note: str

    @property
    def sizes(self) -> Floats:
        """The sizes of the covers."""
        return np.array([each.value for each in self.solutions])

    @property
    def lower_bounds(self) -> Floats:
        """What no cover can be smaller than."""
        return np.array([each.lower_bound for each in self.solutions])

    @property
    def ratios(self) -> Floats:
        """How many times larger than a minimum cover each one may be at most."""
        return np.array([each.ratio for each in self.solutions])


def covers(
    objects: Any,
    labels: Any,
    metric: str | Metric | Callable[[Any, Any], float] = "euclidean",
    thresholds: Any = (),
    *,
    max_memory: str | int = "2GB",
    n_jobs: int | None = None,
) -> Covers:
    """Small sets of objects to give up so that no two of different classes are closer than each of the ``thresholds``.

    Pairs are held up to the largest threshold at which they fit the memory. Above it, a greedy matching gives a cover of at most
    twice the minimum size, from which redundant objects are dropped by asking an index; no larger threshold needs fewer objects
    than a smaller one, so the best lower bound below counts too.

    >>> found = covers([[0.0], [1.0], [1.5], [8.0]], ["rum", "tea", "rum", "tea"], thresholds=[0.3, 3.0])
    >>> found.sizes, found.ratios, found.solutions[1].point
    (array([0., 1.]), array([1., 1.]), array([False,  True, False, False]))
    >>> found.note
    'All pairs closer than 3 were held.'
    """
    objects, measure = bind(objects, metric)
    prepared = measure.prepare(objects)
    codes = code_labels(labels, sample.count(prepared)).codes
    scales = _checked_thresholds(thresholds)
    room = parse_memory(max_memory)
    held = _hold_pairs(prepared, codes, measure, scales, room, n_jobs)
    n_held = held.n_held
    solutions = _solve_held(held, codes, scales[:n_held])
    if n_held < len(scales):
        best = max([0.0, *(each.lower_bound for each in solutions)])
        solutions += _solve_greedily(prepared, codes, measure, scales[n_held:], best, room, n_jobs)
    held_up_to = float(scales[n_held - 1]) if n_held else 0.0
    note = f"All pairs closer than {held_up_to:g} were held."
    if n_held < len(scales):
        note += f" At {scales[n_held]:g} there are more than {show_memory(room)} can hold: from there on covers are greedy."
    return Covers(scales, tuple(solutions), held_up_to, note)


def _checked_thresholds(thresholds: Any) -> Floats:
    scales = np.asarray(thresholds, dtype=np.float64)
    if scales.ndim != 1 or not len(scales) or not (np.diff(scales) > 0).all() or not scales[0] >= 0:
        raise InvalidInput(
            f"Thresholds are increasing numbers from 0 on, not {thresholds!r}.",
            advice="Pass a list, such as numpy.linspace(0.1, 1, 10).",
            value=thresholds,
        )
    return scales


@dataclass(eq=False)
class HeldPairs:
    """All pairs closer than the largest of the ``thresholds`` below which there are at most ``capacity`` of them.

    ``n_held`` counts the thresholds whose pairs are held.

    >>> held = HeldPairs(np.array([2.0, 5.0]), capacity=2)
    >>> held.add([([0, 1], [2, 3], [1.0, 4.0]), ([4, 5], [6, 7], [3.0, 0.5])])
    >>> held.n_held, held.sorted()
    (1, (array([5, 0], dtype=int32), array([7, 2], dtype=int32), array([0.5, 1. ])))
    """

    thresholds: Floats  # increasing
    capacity: int
    n_held: int = field(init=False)

    def __post_init__(self) -> None:
        self.n_held = len(self.thresholds)
        self._counts = np.zeros(len(self.thresholds), dtype=np.int64)  # of pairs first met by each threshold
        self._parts: list[tuple[Ends, Ends, Floats]] = []
        self._size = 0

    def add(self, stream: Iterable[Any]) -> None:
        """Take in (first, second, distances), part by part."""
        for first, second, distances in stream:
            met = np.searchsorted(self.thresholds, distances, side="right")
            self._counts += np.bincount(met, minlength=len(self.thresholds) + 1)[: len(self.thresholds)]
            self.n_held = min(self.n_held, int((np.cumsum(self._counts) <= self.capacity).sum()))
            kept = met < self.n_held
            ends = np.asarray(first, dtype=np.int32), np.asarray(second, dtype=np.int32)
            self._parts.append((ends[0][kept], ends[1][kept], np.asarray(distances, dtype=np.float64)[kept]))
            self._size += int(kept.sum())
            if self._size > self.capacity:
                self._cut()

    def sorted(self) -> tuple[Ends, Ends, Floats]:
        """The pairs held, by increasing distance; they are given away."""
        self._cut()
        first, second, distances = self._join()
        order = np.argsort(distances, kind="stable")
        return first[order], second[order], distances[order]

    def _cut(self) -> None:
        limit = self.thresholds[self.n_held - 1] if self.n_held else -np.inf
        for position, (first, second, distances) in enumerate(self._parts):
            kept = distances < limit
            if not kept.all():
                self._parts[position] = first[kept], second[kept], distances[kept]
        self._size = sum(len(part[2]) for part in self._parts)

    def _join(self) -> tuple[Ends, Ends, Floats]:
        none = np.empty(0, dtype=np.int32)
        first = np.concatenate([none, *(part[0] for part in self._parts)])
        second = np.concatenate([none, *(part[1] for part in self._parts)])
        distances = np.concatenate([np.empty(0), *(part[2] for part in self._parts)])
        self._parts.clear()
        return first, second, distances


def _hold_pairs(prepared: Any, codes: Indices, metric: Metric, scales: Floats, room: int, n_jobs: int | None) -> HeldPairs:
    """The pairs that fit. They are listed up to where there seem to be twice as many; if all of those fit, then all of them."""
    capacity = room * 3 // 4 // BYTES_PER_PAIR
    likely = _likely_counts(prepared, codes, metric, scales)
    enough = min(int((likely <= 2 * capacity).sum()) + 1, len(scales))
    while True:
        held = HeldPairs(scales[:enough], capacity)
        held.add(conflict_pairs(prepared, codes, metric, scales[enough - 1], max_memory=room // 4, n_jobs=n_jobs))
        if held.n_held < enough or enough == len(scales):
            return held
        enough = len(scales)


def _likely_counts(prepared: Any, codes: Indices, metric: Metric, scales: Floats) -> Floats:
    """About how many pairs are closer than each threshold, from a few objects."""
    n = len(codes)
    rng = np.random.default_rng(0)
    left, right = (rng.choice(n, min(n, PROBE), replace=False) for _ in range(2))
    distances = metric.block(sample.pick(prepared, left), sample.pick(prepared, right))
    near = np.sort(distances[codes[left][:, None] != codes[right]])
    return np.searchsorted(near, scales) * (n / len(left)) * (n / len(right)) / 2


def _solve_held(held: HeldPairs, codes: Indices, scales: Floats) -> list[Solution]:
    first, second, distances = held.sorted()
    below = np.searchsorted(distances, scales)
    return [vertex_cover(len(codes), codes, first[:stop], second[:stop]) for stop in below]


def _solve_greedily(
    prepared: Any, codes: Indices, metric: Metric, scales: Floats, best: float, room: int, n_jobs: int | None
) -> list[Solution]:
    matching = greedy_matching(prepared, codes, metric, up_to=float(scales[-1]), max_memory=room, n_jobs=n_jobs)
    index = Index(prepared, metric, labels=codes, max_memory=room, n_jobs=n_jobs)
    at_once = room // BYTES_PER_CONFLICT
    solutions = []
    for threshold in scales:
        found = greedy_cover(matching, threshold, _conflicts_below(threshold, index, prepared, codes), at_once=at_once)
        best = max(best, found.lower_bound)
        status = "optimal" if found.value == best else found.status
        solutions.append(Solution(found.point, found.value, best, status))
    return solutions


def _conflicts_below(threshold: float, index: Index, prepared: Any, codes: Indices) -> Conflicts:
    def ask(asked: Indices) -> tuple[Indices, Indices]:
        found = index.within(sample.pick(prepared, asked), threshold, excluding=codes[asked], strict=True)
        return found.starts, found.indices

    return ask
