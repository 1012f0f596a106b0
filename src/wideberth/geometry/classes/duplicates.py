"""Groups of equal objects, those at distance 0 from each other, with their total weights and
conflicting labels.
"""

from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wideberth.array_types import Flags, Floats, Indices, Labels, Objects, Sample
from wideberth.errors import InvalidInput
from wideberth.geometry.measure.blocks import pairwise_distances
from wideberth.geometry.space.space import themselves
from wideberth.metrics.metric import Metric
from wideberth.metrics.named import bind
from wideberth.metrics.transforms.metric_preserving import TransformedMetric
from wideberth.metrics.vectors.minkowski import Chebyshev, Euclidean, Manhattan, Minkowski
from wideberth.objects import sample
from wideberth.objects.digests import row_digests
from wideberth.objects.labels import code_labels
from wideberth.progress import doing
from wideberth.rounding import DISTANCE_ERROR

#: Types whose equality in Python is the one that a metric means when it promises to separate
#: different objects.
_PLAIN = {str, bytes, int, set, frozenset}

#: At most this many objects are measured against all others, to separate most of the objects that
#: are not equal.
_MOST_PIVOTS = 32
#: Sizes of the blocks of distances in which the objects of a bucket are compared: rows and columns.
_ROWS, _COLUMNS = 256, 16_384


@dataclass(frozen=True)
class MixedGroup:
    """A group of equal objects that have different labels.

    Examples
    --------
    >>> print(MixedGroup(0, np.array([0, 2]), np.array(["leaf", "drink"])))
    Equal objects with different labels: object 0 is 'leaf', object 2 is 'drink'.
    """

    #: The number of the group.
    group: int
    #: Indices of its objects, increasing, shape (m,).
    members: Indices
    #: The label of each of them, shape (m,).
    labels: NDArray[Any]

    def __str__(self) -> str:
        descriptions = [
            f"object {member} is {label!r}"
            for member, label in zip(self.members.tolist(), self.labels.tolist(), strict=True)
        ]
        return f"Equal objects with different labels: {', '.join(descriptions)}."


@dataclass(frozen=True)
class Groups:
    """The partition of a sample into groups of equal objects, numbered in the order of their first
    members.

    Examples
    --------
    >>> groups = group_equal([[1.0], [2.0], [1.0]])
    >>> len(groups), groups.representatives, groups.weights
    (2, array([0, 1]), array([2., 1.]))
    """

    #: The index of the first member of each group, increasing, shape (g,).
    representatives: Indices
    #: The number of the group of each object, shape (n,).
    group_of: Indices
    #: The total weight of the members of each group; without weights their number, shape (g,).
    weights: Floats
    #: The groups whose members have different labels.
    conflicts: tuple[MixedGroup, ...]

    def __len__(self) -> int:
        return len(self.representatives)

    def members(self, group: int) -> Indices:
        """Return the indices of the objects of a group, increasing.

        Examples
        --------
        >>> group_equal(["tea", "rum", "tea"], "levenshtein").members(0)
        array([0, 2])
        """
        return np.flatnonzero(self.group_of == group)


@doing("equal objects")
def group_equal(
    objects: Objects,
    metric: str | Metric | Callable[[Any, Any], float] = "euclidean",
    labels: Labels = None,
    weights: Any = None,
) -> Groups:
    """Group objects at distance 0, add up their weights, and find the groups with conflicting
    labels.

    Distance 0 is an equivalence relation under a metric. Under any other distance, an object joins
    the first group whose first member is at distance 0 from it. Strings, sets and vectors are
    compared by hashing where the metric guarantees the same result. Other objects are compared by
    their distances, most of which the triangle inequality saves. Memory is linear in the number of
    objects.

    Examples
    --------
    >>> groups = group_equal(
    ...     ["tea", "rum", "tea"], "levenshtein", labels=["leaf", "sugar", "drink"]
    ... )
    >>> groups.group_of
    array([0, 1, 0])
    >>> print(groups.conflicts[0])
    Equal objects with different labels: object 0 is 'leaf', object 2 is 'drink'.
    """
    first = _first_equal(*bind(objects, metric))
    representatives, group_of = np.unique(first, return_inverse=True)
    group_of = group_of.astype(np.intp)
    return Groups(
        representatives,
        group_of,
        _group_weights(weights, group_of, len(representatives)),
        _mixed_groups(labels, group_of),
    )


def _group_weights(weights: Any, group_of: Indices, n_groups: int) -> Floats:
    """Add up the weights of each group; without weights count its members."""
    given = np.ones(len(group_of)) if weights is None else np.asarray(weights, dtype=np.float64)
    if given.shape != group_of.shape:
        raise InvalidInput(
            f"There are {len(group_of)} objects and weights of shape {given.shape}.",
            advice="Each object needs one weight, in the same order.",
            value=given.shape,
        )
    summed: Floats = np.bincount(group_of, weights=given, minlength=n_groups).astype(np.float64)
    return summed


def _mixed_groups(labels: Labels, group_of: Indices) -> tuple[MixedGroup, ...]:
    """Find the groups with more than one label; none without labels."""
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
    return tuple(
        MixedGroup(group, order[part], coded.classes[codes[part]]) for group, part in parts
    )


def _first_equal(objects: Sample, metric: Metric) -> Indices:
    """Find for each object the first one at distance 0: by hashing if that surely gives the same,
    otherwise by measuring.
    """
    first = _first_equal_by_hashing(*themselves(objects, metric))
    if first is not None:
        return first
    prepared = metric.prepare(objects)
    first = np.arange(sample.count(prepared))
    for bucket in _buckets(prepared, metric):
        _group_bucket(prepared, metric, bucket, first)
    return first


def _first_equal_by_hashing(objects: Sample, metric: Metric) -> Indices | None:
    """Find for each object the first equal one, or None if objects at distance 0 need not be
    equal.
    """
    if not (metric.obeys_triangle and metric.separates):
        return None
    prepared = metric.prepare(objects)
    if (
        isinstance(prepared, np.ndarray)
        and prepared.ndim == 2
        and not _hashing_may_differ(prepared, metric)
    ):
        return _first_equal_row(prepared)
    held = sample.hold(objects)
    kinds = set(map(type, held)) if isinstance(held, np.ndarray) and held.dtype == object else set()
    if len(kinds) == 1 and kinds <= _PLAIN:
        return _first_equal_key(map(frozenset, held) if kinds == {set} else held)
    return None


def _hashing_may_differ(rows: NDArray[Any], metric: Metric) -> bool:
    """Whether distance 0 and equality of the numbers in two rows may disagree.

    They may disagree for NaN, unless the metric takes missing numbers; for types other than numbers
    of up to 64 bits, and where the distance of different rows can underflow to 0.
    """
    if rows.dtype.kind not in "fiub" or rows.dtype.itemsize > 8:
        return True
    missing = np.isnan(rows)
    if missing.any() and not metric.takes_missing:
        return True
    sizes = np.abs(rows[(rows != 0) & ~missing])
    innermost = metric
    while isinstance(innermost, TransformedMetric):
        innermost = innermost.metric
    if not isinstance(innermost, Euclidean | Manhattan | Chebyshev | Minkowski) or not sizes.size:
        return False
    closest = np.zeros((1, rows.shape[1]))
    # different numbers of this size or more differ at least by this
    closest[0, 0] = sizes.min() * np.finfo(np.float64).epsneg
    return bool(metric.block(closest, np.zeros_like(closest))[0, 0] == 0)


def _first_equal_row(rows: NDArray[Any]) -> Indices:
    """Find for each row the first row with the same numbers, by 64-bit hashes that are compared in
    full where they agree.
    """
    rows = np.ascontiguousarray(rows, dtype=np.float64) + 0.0  # -0.0 + 0.0 = 0.0
    rows[np.isnan(rows)] = np.nan  # one bit pattern for all
    words, hashes = rows.view(np.uint64), row_digests(rows)
    order = np.argsort(hashes, kind="stable")
    together = np.diff(hashes[order]) == 0
    same = np.zeros(len(together), dtype=bool)
    same[together] = (words[order[1:][together]] == words[order[:-1][together]]).all(axis=1)
    if (same != together).any():  # a collision: different rows with the same hash
        return _first_equal_key(row.tobytes() for row in rows)
    starts = np.concatenate([[True], ~same])[: len(rows)]
    first = np.empty(len(rows), dtype=np.intp)
    first[order] = order[np.flatnonzero(starts)[np.cumsum(starts) - 1]]
    return first


def _first_equal_key(keys: Iterable[Hashable]) -> Indices:
    """Find for each key the position of the first equal one."""
    first: dict[Hashable, int] = {}
    return np.array(
        [first.setdefault(key, position) for position, key in enumerate(keys)], dtype=np.intp
    )


def _buckets(prepared: Sample, metric: Metric) -> list[Indices]:
    """Partition the objects so that only objects of the same bucket can be at distance 0; buckets
    of one object are left out.

    Objects at distance 0 from each other have the same distance from any third object, the *pivot*,
    up to rounding. A bucket is a chain of objects whose distances from each pivot increase in steps
    no larger than the rounding error. Without the triangle inequality there is one bucket.
    """
    n = sample.count(prepared)
    bucket = np.zeros(n, dtype=np.intp)
    if metric.obeys_triangle:
        for pivot in np.random.default_rng(0).permutation(n)[:_MOST_PIVOTS]:
            # one more pivot would cost more than comparing within buckets
            if (np.bincount(bucket) ** 2).sum() <= 3 * n:
                break
            distances = pairwise_distances(prepared, sample.pick(prepared, [pivot]), metric)[:, 0]
            order = np.lexsort((distances, bucket))
            steps = np.diff(distances[order]) > DISTANCE_ERROR * distances.max()
            bucket[order] = np.concatenate([[0], np.cumsum(steps | (np.diff(bucket[order]) > 0))])
    order = np.argsort(bucket, kind="stable")
    cuts = np.flatnonzero(np.diff(bucket[order])) + 1
    return [members for members in np.split(order, cuts) if len(members) > 1]


def _group_bucket(prepared: Sample, metric: Metric, bucket: Indices, first: Indices) -> None:
    """Set ``first`` for the objects of a bucket.

    Objects are compared in order with the first members, the *leaders*, of the groups found so far.
    """
    all_leaders = bucket[:0]
    for start in range(0, len(bucket), _ROWS):
        candidates = bucket[start : start + _ROWS]
        for leaders in np.split(all_leaders, range(_COLUMNS, len(all_leaders), _COLUMNS)):
            equal = _equal_pairs(prepared, metric, candidates, leaders)
            joined = equal.any(axis=1)
            if joined.any():
                first[candidates[joined]] = leaders[equal[joined].argmax(axis=1)]
                candidates = candidates[~joined]
        equal = _equal_pairs(prepared, metric, candidates, candidates)
        leads = np.ones(len(candidates), dtype=bool)
        for position in range(len(candidates)):
            if leads[position]:
                followers = (
                    position
                    + 1
                    + np.flatnonzero(equal[position + 1 :, position] & leads[position + 1 :])
                )
                first[candidates[followers]] = candidates[position]
                leads[followers] = False
        all_leaders = np.concatenate([all_leaders, candidates[leads]])


def _equal_pairs(prepared: Sample, metric: Metric, some: Indices, others: Indices) -> Flags:
    """Flag which of ``some`` objects (rows) are at distance 0 from which of the ``others``
    (columns).
    """
    equal: Flags = (
        pairwise_distances(sample.pick(prepared, some), sample.pick(prepared, others), metric) == 0
    )
    return equal
