"""Equal objects: those at distance 0 from each other, grouped once for the whole library."""

from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wideberth.arrays import Flags, Floats, Indices
from wideberth.errors import InvalidInput
from wideberth.geometry.measure.blocks import pairwise_distances
from wideberth.geometry.space.space import SpaceMetric
from wideberth.metrics.metric import Metric
from wideberth.metrics.named import bind
from wideberth.metrics.transforms.transformed_metric import TransformedMetric
from wideberth.metrics.vectors.minkowski import Chebyshev, Euclidean, Manhattan, Minkowski
from wideberth.objects import sample
from wideberth.objects.digests import row_digests
from wideberth.objects.labels import code_labels
from wideberth.rounding import DISTANCE_ERROR

#: Kinds of object whose equality in Python is the one that a metric means when it promises to separate.
_PLAIN = {str, bytes, int, set, frozenset}

#: Objects measured against all others to tell most of them apart, at most.
_MOST_PIVOTS = 32
#: Objects compared at once, with at most so many others.
_ROWS, _COLUMNS = 256, 16_384


@dataclass(frozen=True)
class MixedGroup:
    """A group of equal objects that do not share one label: its number, its members and the label of each."""

    group: int
    members: Indices
    labels: NDArray[Any]

    def __str__(self) -> str:
        named = [
            f"object {member} is {label!r}" for member, label in zip(self.members.tolist(), self.labels.tolist(), strict=True)
        ]
        return f"Equal objects with different labels: {', '.join(named)}."


@dataclass(frozen=True)
class Groups:
    """Equal objects, in groups numbered by their first members.

    ``representatives``: the index of the first member of each group, increasing. ``group_of``: the number of the group of each
    object. ``weights``: what its members weigh together, by default how many they are. ``conflicts``: the groups whose members
    have different labels.
    """

    representatives: Indices
    group_of: Indices
    weights: Floats
    conflicts: tuple[MixedGroup, ...]

    def __len__(self) -> int:
        return len(self.representatives)

    def members(self, group: int) -> Indices:
        """The indices of the objects of a group."""
        return np.flatnonzero(self.group_of == group)


def group_equal(
    objects: Any,
    metric: str | Metric | Callable[[Any, Any], float] = "euclidean",
    labels: Any = None,
    weights: Any = None,
) -> Groups:
    """Group objects at distance 0, add their weights, and name the groups with conflicting labels.

    Distance 0 is an equivalence under a metric; under any other distance an object joins the first group whose first member is at
    distance 0 from it. Texts, sets and vectors are compared by hashing, where the metric promises that this is the same; other
    objects by their distances, of which the triangle inequality saves most. Memory is linear in the number of objects.

    >>> groups = group_equal(["tea", "rum", "tea"], "levenshtein", labels=["leaf", "sugar", "drink"])
    >>> groups.group_of
    array([0, 1, 0])
    >>> print(groups.conflicts[0])
    Equal objects with different labels: object 0 is 'leaf', object 2 is 'drink'.
    """
    objects, measure = bind(objects, metric)
    if isinstance(measure, SpaceMetric):  # indices are not what is equal: the objects are
        objects, measure = sample.pick(measure.space.objects, measure.prepare(objects)), measure.space.measured_by
    prepared = measure.prepare(objects)
    first = _first_equal(objects, prepared, measure)
    representatives, group_of = np.unique(first, return_inverse=True)
    group_of = group_of.astype(np.intp)
    return Groups(representatives, group_of, _summed(weights, group_of, len(representatives)), _conflicts(labels, group_of))


def _summed(weights: Any, group_of: Indices, n_groups: int) -> Floats:
    given = np.ones(len(group_of)) if weights is None else np.asarray(weights, dtype=np.float64)
    if given.shape != group_of.shape:
        raise InvalidInput(
            f"There are {len(group_of)} objects and weights of shape {given.shape}.",
            advice="Each object needs one weight, in the same order.",
            value=given.shape,
        )
    summed: Floats = np.bincount(group_of, weights=given, minlength=n_groups).astype(np.float64)
    return summed


def _conflicts(labels: Any, group_of: Indices) -> tuple[MixedGroup, ...]:
    if labels is None:
        return ()
    coded = code_labels(labels, len(group_of))
    if not len(group_of):
        return ()
    order = np.argsort(group_of, kind="stable")
    starts = np.searchsorted(group_of[order], np.arange(group_of.max() + 1))
    stops = np.append(starts[1:], len(order))
    codes = coded.codes[order]
    mixed = np.flatnonzero(np.minimum.reduceat(codes, starts) != np.maximum.reduceat(codes, starts))
    parts = [(group, slice(starts[group], stops[group])) for group in mixed.tolist()]
    return tuple(MixedGroup(group, order[part], coded.classes[codes[part]]) for group, part in parts)


def _first_equal(objects: Any, prepared: Any, metric: Metric) -> Indices:
    """For each object the first one at distance 0: by hashing where that is sure to be the same, else by measuring."""
    if metric.obeys_triangle and metric.separates:
        if isinstance(prepared, np.ndarray) and prepared.ndim == 2 and not _can_vanish(prepared, metric):
            return _first_equal_row(prepared)
        held = sample.hold(objects)
        kinds = set(map(type, held)) if isinstance(held, np.ndarray) and held.dtype == object else set()
        if len(kinds) == 1 and kinds <= _PLAIN:
            return _first_equal_key(map(frozenset, held) if kinds == {set} else held)
    first = np.arange(sample.count(prepared))
    for bucket in _buckets(prepared, metric):
        _group_bucket(prepared, metric, bucket, first)
    return first


def _can_vanish(rows: NDArray[Any], metric: Metric) -> bool:
    """Whether different rows may be at distance 0, because of rounding, or equal ones may not, because of NaN."""
    if rows.dtype.kind not in "fiub" or rows.dtype.itemsize > 8 or np.isnan(rows).any():
        return True
    sizes = np.abs(rows[rows != 0])
    innermost = metric
    while isinstance(innermost, TransformedMetric):
        innermost = innermost.metric
    if not isinstance(innermost, Euclidean | Manhattan | Chebyshev | Minkowski) or not sizes.size:
        return False
    closest = np.zeros((1, rows.shape[1]))
    closest[0, 0] = sizes.min() * np.finfo(np.float64).epsneg  # two different numbers of this size or more are no closer
    return bool(metric.block(closest, np.zeros_like(closest))[0, 0] == 0)


def _first_equal_row(rows: NDArray[Any]) -> Indices:
    """For each row the first one that holds the same numbers, from 64 bits of hash for each row."""
    rows = np.ascontiguousarray(rows, dtype=np.float64) + 0.0  # -0.0 + 0.0 = 0.0
    words, hashes = rows.view(np.uint64), row_digests(rows)
    order = np.argsort(hashes, kind="stable")
    together = np.diff(hashes[order]) == 0
    same = np.zeros(len(together), dtype=bool)
    same[together] = (words[order[1:][together]] == words[order[:-1][together]]).all(axis=1)
    if (same != together).any():  # different rows of one hash
        return _first_equal_key(row.tobytes() for row in rows)
    starts = np.concatenate([[True], ~same])[: len(rows)]
    first = np.empty(len(rows), dtype=np.intp)
    first[order] = order[np.flatnonzero(starts)[np.cumsum(starts) - 1]]
    return first


def _first_equal_key(keys: Iterable[Hashable]) -> Indices:
    """For each object the first one with its key."""
    first: dict[Hashable, int] = {}
    return np.array([first.setdefault(key, position) for position, key in enumerate(keys)], dtype=np.intp)


def _buckets(prepared: Any, metric: Metric) -> list[Indices]:
    """Objects that may be at distance 0 from each other, in order; all of them unless the triangle inequality tells them apart.

    Objects at distance 0 have the same distance from any other object, the *pivot*, but for rounding. A bucket is a chain of
    objects whose distances from all pivots so far go up in steps no larger than that.
    """
    n = sample.count(prepared)
    bucket = np.zeros(n, dtype=np.intp)
    if metric.obeys_triangle:
        for pivot in np.random.default_rng(0).permutation(n)[:_MOST_PIVOTS]:
            if (np.bincount(bucket) ** 2).sum() <= 3 * n:  # telling more apart would cost more than comparing
                break
            distances = pairwise_distances(prepared, sample.pick(prepared, [pivot]), metric)[:, 0]
            order = np.lexsort((distances, bucket))
            steps = np.diff(distances[order]) > DISTANCE_ERROR * distances.max()
            bucket[order] = np.concatenate([[0], np.cumsum(steps | (np.diff(bucket[order]) > 0))])
    order = np.argsort(bucket, kind="stable")
    cuts = np.flatnonzero(np.diff(bucket[order])) + 1
    return [each for each in np.split(order, cuts) if len(each) > 1]


def _group_bucket(prepared: Any, metric: Metric, bucket: Indices, first: Indices) -> None:
    """Set ``first`` for the objects of a bucket: compare them in order with the first members of the groups so far."""
    found = bucket[:0]
    for start in range(0, len(bucket), _ROWS):
        asking = bucket[start : start + _ROWS]
        for known in np.split(found, range(_COLUMNS, len(found), _COLUMNS)):
            equal = _equal(prepared, metric, asking, known)
            joined = equal.any(axis=1)
            if joined.any():
                first[asking[joined]] = known[equal[joined].argmax(axis=1)]
                asking = asking[~joined]
        equal = _equal(prepared, metric, asking, asking)
        leads = np.ones(len(asking), dtype=bool)
        for position in range(len(asking)):
            if leads[position]:
                followers = position + 1 + np.flatnonzero(equal[position + 1 :, position] & leads[position + 1 :])
                first[asking[followers]] = asking[position]
                leads[followers] = False
        found = np.concatenate([found, asking[leads]])


def _equal(prepared: Any, metric: Metric, some: Indices, others: Indices) -> Flags:
    equal: Flags = pairwise_distances(sample.pick(prepared, some), sample.pick(prepared, others), metric) == 0
    return equal
