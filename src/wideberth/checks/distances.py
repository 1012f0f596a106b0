"""`check_metric`: does a metric keep its contract and its promises on given objects; and
`check_index`: does an index of nearest neighbours find what brute force finds.

The contract of a metric (`wideberth.Metric`): ``block(left, right)`` returns the distances of all
pairs of two samples, ``prepare`` brings objects into the form that blocks work on, and accepts what
it returned before. The promises: ``obeys_triangle``, ``hilbertian``, ``negative_type``,
``separates`` and ``step``.

The contract of an index, as `wideberth.Index` keeps it:

- ``nearest(queries, k, excluding=None)`` returns ``indices`` and ``distances`` of shape (n_queries,
  k); -1 and infinity where fewer than k objects exist;
- ``within(queries, radius, excluding=None, strict=False)`` returns ``starts``, ``indices`` and
  ``distances``; the objects found for query q are at ``starts[q] : starts[q + 1]``;
- ``excluding`` has a label for each query whose objects must not be found;
- ``delete(indices)`` removes objects; the others keep their positions;
- ``distance_calls`` counts the distances measured so far.
"""

import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wideberth.array_types import Flags, Indices, Labels, Objects, Sample
from wideberth.doctor.facts import spectrum_facts
from wideberth.geometry.measure.blocks import pairwise_distances
from wideberth.metrics.axioms import find_violations
from wideberth.metrics.functions import unchecked
from wideberth.metrics.metric import Distances, Metric
from wideberth.metrics.named import bind
from wideberth.objects import sample
from wideberth.rounding import DISTANCE_ERROR, SUM_ERROR


def check_metric(metric: str | Metric | Callable[[Any, Any], float], objects: Objects) -> None:
    """Assert that a metric keeps its contract and its promises on the given objects.

    Checked are, in this order:

    - blocks have dtype float64 and the right shape, also for empty samples, and objects as given,
      prepared, or prepared twice have the same distances;
    - distances depend neither on the order of the objects, nor on what else is in the block, nor on
      chunks and ``n_jobs``;
    - copies made from ``get_params`` and by pickling measure the same;
    - the axioms of a metric, if it promises ``obeys_triangle``;
    - the eigenvalues, if it promises ``hilbertian`` or ``negative_type``;
    - ``step``, and that only equal objects are at distance 0 if it promises ``separates``.

    A promise that is None or False is not checked. A check that passes proves nothing about other
    objects.

    Parameters
    ----------
    metric : str, Metric or callable
        A name (`wideberth.list_metrics`), a `wideberth.Metric`, or a function of two objects.
    objects : sequence of objects, or array
        At least three. All pairs and triangles are tested, so some dozens are enough; choose
        difficult ones: equal, empty, extreme.

    Raises
    ------
    AssertionError
        What is broken, with the numbers.

    Notes
    -----
    Distances that should be equal may differ by a relative 1e-12, so that another order of
    summation is no error. Symmetry and the triangle inequality may be broken by a relative 1e-9,
    and eigenvalues may be negative by 1e-8 of the largest one.

    Examples
    --------
    >>> check_metric("levenshtein", ["tea", "tee", "coffee", ""])
    >>> import wideberth
    >>> check_metric(
    ...     wideberth.Metric(lambda a, b: (a - b.T) ** 2, obeys_triangle=True),
    ...     np.array([[0.0], [1.0], [2.0]]),
    ... )
    Traceback (most recent call last):
    ...
    AssertionError: '<lambda>' breaks the triangle inequality at objects 0, 1, 2: d(0, 2) = 4 > 1 + 1 = d(0, 1) + d(1, 2).
    """
    objects, metric = bind(objects, metric)
    prepared = metric.prepare(objects)
    assert sample.count(prepared) >= 3, (
        f"{sample.count(prepared)} objects have no triangles: pass at least three"
    )
    distances = unchecked(metric).block(prepared, prepared)
    _check_axioms(metric, distances)
    _check_form(metric, objects, prepared, distances)
    _check_order(metric, prepared, distances)
    _check_copies(metric, prepared, distances)
    _check_hilbert(metric, distances)
    _check_values(metric, objects, distances)


def _check_form(metric: Metric, objects: Objects, prepared: Sample, distances: Distances) -> None:
    """Blocks have the right dtype and shape, and preparing objects does not change their
    distances.
    """
    n = sample.count(prepared)
    assert distances.dtype == np.float64, f"block returns {distances.dtype}, not float64"
    assert distances.shape == (n, n), (
        f"block returns shape {distances.shape} for {n} and {n} objects"
    )
    _same(
        metric.block(objects, objects),
        distances,
        "objects as given and as prepared measure differently",
    )
    _same(
        metric.block(metric.prepare(prepared), prepared),
        distances,
        "preparing twice changes the distances",
    )
    none = sample.pick(prepared, slice(0, 0))
    assert metric.block(none, prepared).shape == (0, n), (
        "a block without rows must have shape (0, n)"
    )
    assert metric.block(prepared, none).shape == (n, 0), (
        "a block without columns must have shape (n, 0)"
    )


def _check_order(metric: Metric, prepared: Sample, distances: Distances) -> None:
    """A distance depends on its two objects alone: not on order, block, chunks or number of
    cores.
    """
    n = sample.count(prepared)
    shuffled = np.random.default_rng(0).permutation(n)
    _same(
        metric.block(sample.pick(prepared, shuffled), prepared),
        distances[shuffled],
        "the order of the objects changes their distances",
    )
    for i, j in {(0, n - 1), (n // 2, 0), (n - 1, n - 1)}:
        alone = metric.block(sample.pick(prepared, [i]), sample.pick(prepared, [j]))
        _same(
            alone,
            distances[i : i + 1, j : j + 1],
            f"the pair ({i}, {j}) alone and in a block measure differently",
        )
    _same(
        pairwise_distances(prepared, prepared, metric, n_jobs=1),
        distances,
        "chunks change the distances",
    )
    _same(
        pairwise_distances(prepared, prepared, metric, n_jobs=2),
        distances,
        "n_jobs changes the distances",
    )


def _check_copies(metric: Metric, prepared: Sample, distances: Distances) -> None:
    """The metric can be copied by its parameters, as scikit-learn's ``clone`` does, and by
    pickling.
    """
    params = metric.get_params(deep=False)
    rebuilt = type(metric)(**params)
    assert all(rebuilt.get_params(deep=False)[name] is value for name, value in params.items()), (
        "get_params must return what was given"
    )
    _same(
        rebuilt.block(prepared, prepared),
        distances,
        "a copy made from get_params measures differently",
    )
    assert rebuilt.set_params(**params) is rebuilt, "set_params must return the metric"
    if not _can_be_pickled(metric):  # a lambda among its parameters is not the metric's fault
        assert not all(map(_can_be_pickled, params.values())), f"{metric!r} cannot be pickled"
        return
    pickled = pickle.dumps(metric)
    copy = pickle.loads(pickled)  # made a line above  # noqa: S301
    _same(copy.block(prepared, prepared), distances, "a pickled copy measures differently")


def _can_be_pickled(value: Any) -> bool:
    try:
        pickle.dumps(value)
    except (pickle.PicklingError, AttributeError, TypeError):
        return False
    return True


def _check_axioms(metric: Metric, distances: Distances) -> None:
    """The axioms of a metric hold if they are promised; the error names the worst pair or
    triangle.
    """
    if not metric.obeys_triangle:
        return
    for violation in find_violations(distances):
        raise AssertionError(violation.describe(metric.name))


def _check_hilbert(metric: Metric, distances: Distances) -> None:
    """The eigenvalues allow the embeddings in a Hilbert space that are promised
    (`wideberth.doctor.facts`).
    """
    if not (metric.hilbertian or metric.negative_type):
        return
    for fact in spectrum_facts((distances + distances.T) / 2, metric):
        assert not (fact.promised and fact.violated), (
            f"{metric.name!r} promises {fact.promise}, but has the eigenvalue {fact.smallest:.6g} "
            f"beside {fact.largest:.6g}"
        )


def _check_values(metric: Metric, objects: Objects, distances: Distances) -> None:
    """Distances are multiples of the promised step, and 0 only between equal objects if that is
    promised.
    """
    if metric.step:
        off = np.abs(distances / metric.step - np.rint(distances / metric.step))
        assert off.max() <= DISTANCE_ERROR * max(1.0, distances.max()), (
            f"{metric.name!r} promises steps of {metric.step}"
        )
    if metric.separates:
        held = sample.hold(objects)
        for i, j in np.argwhere(np.triu(distances == 0, 1)):
            one, other = sample.pick_one(held, int(i)), sample.pick_one(held, int(j))
            assert _equal(one, other), (
                f"{metric.name!r} promises to separate, but puts {one!r} and {other!r} at distance "
                "0"
            )


def _equal(one: Any, other: Any) -> bool:
    """Whether two objects of any kind are equal: texts, sets, arrays, with numbers missing in the
    same places, or nested lists.
    """
    if isinstance(one, str | bytes):
        return bool(one == other)
    if isinstance(one, set | frozenset) or isinstance(other, set | frozenset):
        return set(one) == set(other)
    try:
        arrays = np.asarray(one), np.asarray(other)
        return np.array_equal(*arrays, equal_nan=all(each.dtype.kind == "f" for each in arrays))
    except ValueError:  # nested lists of unequal lengths, such as trees, cannot become an array
        return bool(one == other)


def _same(measured: Distances, expected: Distances, problem: str) -> None:
    """Assert that distances agree up to rounding; ``problem`` starts the message."""
    np.testing.assert_allclose(measured, expected, rtol=SUM_ERROR, atol=0, err_msg=problem)


# ---- `check_index`: does an index of nearest neighbours find what brute force finds.


def check_index(
    make_index: Callable[..., Any],
    objects: Objects,
    metric: str | Metric | Callable[[Any, Any], float] = "euclidean",
    *,
    labels: Labels = None,
    queries: Objects = None,
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
    """The same index by brute force, on the whole matrix of distances from queries to objects."""

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


def _check_answers(index: Any, metric: Metric, queries: Objects, brute: _BruteForce) -> None:
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


def _check_one_by_one(index: Any, metric: Metric, queries: Objects, exact: bool) -> None:
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
