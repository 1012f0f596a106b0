"""Does an index find what brute force finds."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wideberth.arrays import Flags, Indices
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
    """Assert that an index answers as brute force does: nearest neighbours and neighbourhoods, by (distance, index).

    ``make_index(objects, metric, labels=labels)`` makes it: a class like `wideberth.Index`, or a function. Checked
    are its answers for several k and radii, with ties and equal objects, with a label excluded, before and after objects are
    deleted, one query at a time, with no query at all; and that ``distance_calls`` only grows. With ``eta`` > 0 its
    neighbours need only be (1 + eta)-nearest, at every rank. Queries are the objects themselves by default; labels are made up.

    >>> from wideberth.geometry.search.index import Index
    >>> check_index(Index, ["tea", "tee", "coffee", "tea"], "levenshtein")
    """
    objects, metric = bind(objects, metric)
    n = sample.count(sample.hold(objects))
    assert n >= 2, f"{n} objects have no neighbours: pass two at least"
    labels = np.arange(n) % 3 if labels is None else np.asarray(labels)
    queries = objects if queries is None else queries
    index = make_index(objects, metric, labels=labels)
    twin = _Twin(metric.block(queries, objects), labels, eta)
    _check_answers(index, metric, queries, twin)
    for gone in (np.arange(0, n, 3), np.arange(n)):
        index.delete(gone)
        twin.alive[gone] = False
        _check_answers(index, metric, queries, twin)


class _Twin:
    """Brute force on the whole matrix of distances from queries to objects."""

    def __init__(self, distances: Distances, labels: NDArray[Any], eta: float) -> None:
        self.distances, self.labels, self.eta = distances, labels, eta
        self.alive = np.ones(len(labels), dtype=bool)

    def wanted(self, excluding: NDArray[Any] | None) -> Flags:
        wanted = np.tile(self.alive, (len(self.distances), 1))
        if excluding is not None:
            wanted &= self.labels[None, :] != excluding[:, None]
        return wanted

    def in_order(self, query: int, wanted: Flags) -> Indices:
        """The wanted objects of a query, by (distance, index)."""
        candidates = np.flatnonzero(wanted[query])
        return candidates[np.argsort(self.distances[query, candidates], kind="stable")]


def _check_answers(index: Any, metric: Metric, queries: Any, twin: _Twin) -> None:
    n_queries, n = twin.distances.shape
    labels = twin.labels[np.arange(n_queries) % n]
    for excluding in (None, labels):
        for k in (1, min(5, n), n + 1):
            calls = index.distance_calls
            _check_nearest(index.nearest(queries, k, excluding=excluding), k, excluding, twin)
            assert index.distance_calls >= calls, "distance_calls went down"
        radii = _radii(twin.distances)
        for radius, strict in ((radii[1], False), (radii[1], True), (np.resize(radii, n_queries), False)):
            found = index.within(queries, radius, excluding=excluding, strict=strict)
            _check_within(found, radius, strict, excluding, twin)
    _check_one_by_one(index, metric, queries, exact=twin.eta == 0)


def _radii(distances: Distances) -> Distances:
    """Nothing, a distance that occurs, one that does not, everything."""
    middle = np.sort(distances, axis=None)[distances.size // 2]
    return np.array([0.0, middle, 1.3 * middle, np.inf])


def _check_nearest(found: Any, k: int, excluding: NDArray[Any] | None, twin: _Twin) -> None:
    wanted = twin.wanted(excluding)
    assert found.indices.shape == found.distances.shape == (len(wanted), k), f"nearest: shape {found.indices.shape} for k={k}"
    for query, (indices, distances) in enumerate(zip(found.indices, found.distances, strict=True)):
        expected = twin.in_order(query, wanted)[:k]
        real = indices[: len(expected)]
        case = f"the {k} nearest of query {query}" + ("" if excluding is None else f" but those labelled {excluding[query]!r}")
        missing = k - len(expected)
        assert (indices[len(expected) :] == -1).all(), f"{case}: {missing} do not exist and must be -1, not {indices}"
        assert np.isinf(distances[len(expected) :]).all(), f"{case}: {missing} do not exist and must be at infinity"
        assert (real >= 0).all(), f"{case}: {len(expected)} exist, but {indices} were found"
        assert wanted[query, real].all(), f"{case}: {real} holds an object that is deleted or excluded"
        assert len(set(real.tolist())) == len(real), f"{case}: {real} holds an object twice"
        measured = twin.distances[query, real]
        assert np.array_equal(measured, distances[: len(real)]), (
            f"{case}: {distances} are not the distances of {real}: {measured}"
        )
        if twin.eta == 0:
            assert np.array_equal(real, expected), f"{case}: {real}, by brute force {expected}"
        limits = (1 + twin.eta) * twin.distances[query, expected]
        assert (measured <= limits).all(), f"{case}: {measured} are beyond 1 + eta = {1 + twin.eta} times the nearest"


def _check_within(found: Any, radius: Any, strict: bool, excluding: NDArray[Any] | None, twin: _Twin) -> None:
    wanted = twin.wanted(excluding)
    radii = np.broadcast_to(radius, len(wanted))[:, None]
    wanted &= (twin.distances < radii) if strict else (twin.distances <= radii)
    assert np.array_equal(np.diff(found.starts, prepend=0)[1:], wanted.sum(axis=1)), (
        f"within {radius}: {np.diff(found.starts)} objects were found, by brute force {wanted.sum(axis=1)}"
    )
    for query in range(len(wanted)):
        own = slice(found.starts[query], found.starts[query + 1])
        expected = twin.in_order(query, wanted)
        assert np.array_equal(found.indices[own], expected), (
            f"within {radius} of query {query}: {found.indices[own]}, by brute force {expected}"
        )
        assert np.array_equal(found.distances[own], twin.distances[query, expected]), (
            f"within {radius} of query {query}: {found.distances[own]} are not the distances of {expected}"
        )


def _check_one_by_one(index: Any, metric: Metric, queries: Any, exact: bool) -> None:
    prepared = metric.prepare(queries)
    together = index.nearest(queries, 2)
    n = sample.count(prepared)
    for query in {0, n // 2, n - 1} if exact else ():
        alone = index.nearest(sample.pick(prepared, slice(query, query + 1)), 2)
        assert np.array_equal(alone.distances[0], together.distances[query]), f"query {query} alone is answered differently"
    none = sample.pick(prepared, slice(0, 0))
    assert index.nearest(none, 2).indices.shape == (0, 2), "no queries must have answers of shape (0, k)"
    assert len(index.within(none, 1.0).starts) == 1, "no queries have no neighbourhoods: starts is [0]"
