"""`check_index`: does an index of nearest neighbours find what brute force finds.

The contract of an index, as `wideberth.Index` keeps it:

- ``nearest(queries, k, excluding=None)`` returns ``indices`` and ``distances`` of shape (n_queries,
  k); -1 and infinity where fewer than k objects exist;
- ``within(queries, radius, excluding=None, strict=False)`` returns ``starts``, ``indices`` and
  ``distances``; the objects found for query q are at ``starts[q] : starts[q + 1]``;
- ``excluding`` has a label for each query whose objects must not be found;
- ``delete(indices)`` removes objects; the others keep their positions;
- ``distance_calls`` counts the distances measured so far.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wideberth.array_types import Flags, Indices
from wideberth.metrics.metric import Distances, Metric
from wideberth.metrics.named import bind
from wideberth.objects import sample


def check_index(
    make_index: Callable[..., Any],
    objects: Any,
    metric: str | Metric | Callable[[Any, Any], float] = "euclidean",
    *,
    labels: Any = None,
    queries: Any = None,
    eta: float = 0.0,
) -> None:
    """Assert that an index finds the same neighbours as brute force, in the same order: by
    distance, then by position.

    Checked are the answers of ``nearest`` for several k and of ``within`` for several radii, closed
    and open balls, with and without the objects of one label, before and after objects are deleted,
    for one query at a time and for none; and that ``distance_calls`` never falls.

    Parameters
    ----------
    make_index : callable
        ``make_index(objects, metric, labels=labels)`` returns the index: a class like
        `wideberth.Index`, or a function.
    objects : sequence of objects, or array
        At least two. Include equal objects and ties.
    metric : str, Metric or callable
        A name (`wideberth.list_metrics`), a `wideberth.Metric`, or a function of two objects.
    labels : array-like of shape (n,), optional
        Labels of the objects; by default 0, 1, 2, 0, 1, 2...
    queries : sequence of objects, or array, optional
        What neighbours are searched for; by default the objects themselves.
    eta : float
        If positive, the index may be approximate: the i-th object that ``nearest`` finds may be up
        to 1 + eta times as far as the i-th nearest.

    Raises
    ------
    AssertionError
        The query, the answer of the index and that of brute force.

    Examples
    --------
    >>> from wideberth.geometry.search.index import Index
    >>> check_index(Index, ["tea", "tee", "coffee", "tea"], "levenshtein")

    An index that ignores the labels to exclude is found out:

    >>> class Forgetful(Index):
    ...     def nearest(self, queries, k, excluding=None):
    ...         return super().nearest(queries, k)
    >>> check_index(Forgetful, [[0.0], [1.0], [2.0]])
    Traceback (most recent call last):
    ...
    AssertionError: the 1 nearest of query 0 except those labelled ...: [0] holds an object that is deleted or excluded
    """
    objects, metric = bind(objects, metric)
    n = sample.count(sample.hold(objects))
    assert n >= 2, f"{n} objects have no neighbours: pass at least two"
    labels = np.arange(n) % 3 if labels is None else np.asarray(labels)
    queries = objects if queries is None else queries
    index = make_index(objects, metric, labels=labels)
    brute = _BruteForce(metric.block(queries, objects), labels, eta)
    _check_answers(index, metric, queries, brute)
    for deleted in (np.arange(0, n, 3), np.arange(n)):
        index.delete(deleted)
        brute.alive[deleted] = False
        _check_answers(index, metric, queries, brute)


class _BruteForce:
    """The same index by brute force, on the whole matrix of distances from queries to objects.

    Attributes
    ----------
    distances : ndarray of shape (n_queries, n)
    labels : ndarray of shape (n,)
    eta : float
        How approximate the index under test may be.
    alive : ndarray of bool, shape (n,)
        False for objects that were deleted.
    """

    def __init__(self, distances: Distances, labels: NDArray[Any], eta: float) -> None:
        self.distances, self.labels, self.eta = distances, labels, eta
        self.alive = np.ones(len(labels), dtype=bool)

    def wanted(self, excluding: NDArray[Any] | None) -> Flags:
        """The objects that may be found: alive, and not of the label ``excluding[q]``; shape
        (n_queries, n).
        """
        wanted = np.tile(self.alive, (len(self.distances), 1))
        if excluding is not None:
            wanted &= self.labels[None, :] != excluding[:, None]
        return wanted

    def in_order(self, query: int, wanted: Flags) -> Indices:
        """The wanted objects of a query, by increasing distance; equally near ones by increasing
        position.
        """
        candidates = np.flatnonzero(wanted[query])
        return candidates[np.argsort(self.distances[query, candidates], kind="stable")]


def _check_answers(index: Any, metric: Metric, queries: Any, brute: _BruteForce) -> None:
    """Compare all answers of the index in its present state with those of brute force."""
    n_queries, n = brute.distances.shape
    labels = brute.labels[np.arange(n_queries) % n]
    for excluding in (None, labels):
        for k in (1, min(5, n), n + 1):
            calls = index.distance_calls
            _check_nearest(index.nearest(queries, k, excluding=excluding), k, excluding, brute)
            assert index.distance_calls >= calls, "distance_calls went down"
        radii = _radii(brute.distances)
        for radius, strict in (
            (radii[1], False),
            (radii[1], True),
            (np.resize(radii, n_queries), False),
        ):
            found = index.within(queries, radius, excluding=excluding, strict=strict)
            _check_within(found, radius, strict, excluding, brute)
    _check_one_by_one(index, metric, queries, exact=brute.eta == 0)


def _radii(distances: Distances) -> Distances:
    """Four radii: 0, a distance that occurs (their median), 1.3 times that, and infinity."""
    middle = np.sort(distances, axis=None)[distances.size // 2]
    return np.array([0.0, middle, 1.3 * middle, np.inf])


def _check_nearest(found: Any, k: int, excluding: NDArray[Any] | None, brute: _BruteForce) -> None:
    """``found`` are the k nearest of every query; where fewer exist, -1 at infinite distance fills
    up the rows.
    """
    wanted = brute.wanted(excluding)
    assert found.indices.shape == found.distances.shape == (len(wanted), k), (
        f"nearest: shape {found.indices.shape} for k={k}"
    )
    for query, (indices, distances) in enumerate(zip(found.indices, found.distances, strict=True)):
        expected = brute.in_order(query, wanted)[:k]
        real = indices[: len(expected)]
        case = f"the {k} nearest of query {query}" + (
            "" if excluding is None else f" except those labelled {excluding[query]!r}"
        )
        missing = k - len(expected)
        assert (indices[len(expected) :] == -1).all(), (
            f"{case}: {missing} do not exist and must be -1, not {indices}"
        )
        assert np.isinf(distances[len(expected) :]).all(), (
            f"{case}: {missing} do not exist and must be at infinity"
        )
        assert (real >= 0).all(), f"{case}: {len(expected)} exist, but {indices} were found"
        assert wanted[query, real].all(), (
            f"{case}: {real} holds an object that is deleted or excluded"
        )
        assert len(set(real.tolist())) == len(real), f"{case}: {real} holds an object twice"
        measured = brute.distances[query, real]
        assert np.array_equal(measured, distances[: len(real)]), (
            f"{case}: {distances} are not the distances of {real}: {measured}"
        )
        if brute.eta == 0:
            assert np.array_equal(real, expected), f"{case}: {real}, by brute force {expected}"
        limits = (1 + brute.eta) * brute.distances[query, expected]
        assert (measured <= limits).all(), (
            f"{case}: {measured} are beyond 1 + eta = {1 + brute.eta} times the nearest"
        )


def _check_within(
    found: Any, radius: Any, strict: bool, excluding: NDArray[Any] | None, brute: _BruteForce
) -> None:
    """``found`` are the objects within ``radius``, one number or one for each query; in the open
    ball if ``strict``.
    """
    wanted = brute.wanted(excluding)
    radii = np.broadcast_to(radius, len(wanted))[:, None]
    wanted &= (brute.distances < radii) if strict else (brute.distances <= radii)
    assert np.array_equal(np.diff(found.starts, prepend=0)[1:], wanted.sum(axis=1)), (
        f"within {radius}: {np.diff(found.starts)} objects were found, by brute force "
        f"{wanted.sum(axis=1)}"
    )
    for query in range(len(wanted)):
        own = slice(found.starts[query], found.starts[query + 1])
        expected = brute.in_order(query, wanted)
        assert np.array_equal(found.indices[own], expected), (
            f"within {radius} of query {query}: {found.indices[own]}, by brute force {expected}"
        )
        assert np.array_equal(found.distances[own], brute.distances[query, expected]), (
            f"within {radius} of query {query}: {found.distances[own]} are not the distances of "
            f"{expected}"
        )


def _check_one_by_one(index: Any, metric: Metric, queries: Any, exact: bool) -> None:
    """A query alone is answered as among others (if the index is ``exact``), and an empty batch
    gets empty answers.
    """
    prepared = metric.prepare(queries)
    together = index.nearest(queries, 2)
    n = sample.count(prepared)
    for query in {0, n // 2, n - 1} if exact else ():
        alone = index.nearest(sample.pick(prepared, slice(query, query + 1)), 2)
        assert np.array_equal(alone.distances[0], together.distances[query]), (
            f"query {query} alone is answered differently"
        )
    none = sample.pick(prepared, slice(0, 0))
    assert index.nearest(none, 2).indices.shape == (0, 2), (
        "no queries must have answers of shape (0, k)"
    )
    assert len(index.within(none, 1.0).starts) == 1, (
        "no queries have no neighbourhoods: starts is [0]"
    )
