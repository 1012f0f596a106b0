"""Does a metric keep its promises."""

import pickle
from collections.abc import Callable
from typing import Any

import numpy as np

from wideberth.geometry.measure.blocks import pairwise_distances
from wideberth.metrics.axioms import find_violations
from wideberth.metrics.metric import Distances, Metric
from wideberth.metrics.named import bind
from wideberth.objects import sample
from wideberth.rounding import DISTANCE_ERROR, EIGENVALUE_ERROR, SUM_ERROR


def check_metric(metric: str | Metric | Callable[[Any, Any], float], objects: Any) -> None:
    """Assert that a metric keeps its contract and its promises on the objects given, at least three of them.

    Blocks: float64, of the right shape, equal to the distances pair by pair, independent of order, chunks and ``n_jobs``, of the
    form the objects are prepared in, and with empty samples. Axioms as promised: those of a metric if ``obeys_triangle``; the
    eigenvalues if ``hilbertian`` or ``negative_type``; ``separates``, ``step``. Copies made from its parameters and by pickling
    measure the same. An ``AssertionError`` says what broke; a promise that is None is not checked.

    >>> check_metric("levenshtein", ["tea", "tee", "coffee", ""])
    >>> import wideberth
    >>> check_metric(wideberth.Metric(lambda a, b: (a - b.T) ** 2, obeys_triangle=True), np.array([[0.0], [1.0], [2.0]]))
    Traceback (most recent call last):
    ...
    AssertionError: '<lambda>' breaks the triangle inequality at objects 0, 1, 2: d(0, 2) = 4 > 1 + 1 = d(0, 1) + d(1, 2).
    """
    objects, metric = bind(objects, metric)
    prepared = metric.prepare(objects)
    assert sample.count(prepared) >= 3, f"{sample.count(prepared)} objects cannot break a triangle: pass three at least"
    distances = metric.block(prepared, prepared)
    _check_form(metric, objects, prepared, distances)
    _check_order(metric, prepared, distances)
    _check_copies(metric, prepared, distances)
    _check_axioms(metric, distances)
    _check_hilbert(metric, distances)
    _check_values(metric, objects, distances)


def _check_form(metric: Metric, objects: Any, prepared: Any, distances: Distances) -> None:
    n = sample.count(prepared)
    assert distances.dtype == np.float64, f"block returns {distances.dtype}, not float64"
    assert distances.shape == (n, n), f"block returns shape {distances.shape} for {n} and {n} objects"
    _same(metric.block(objects, objects), distances, "objects as given and as prepared measure differently")
    _same(metric.block(metric.prepare(prepared), prepared), distances, "preparing twice changes the distances")
    none = sample.pick(prepared, slice(0, 0))
    assert metric.block(none, prepared).shape == (0, n), "a block without rows must have shape (0, n)"
    assert metric.block(prepared, none).shape == (n, 0), "a block without columns must have shape (n, 0)"


def _check_order(metric: Metric, prepared: Any, distances: Distances) -> None:
    n = sample.count(prepared)
    shuffled = np.random.default_rng(0).permutation(n)
    _same(
        metric.block(sample.pick(prepared, shuffled), prepared),
        distances[shuffled],
        "the order of the objects changes their distances",
    )
    for i, j in {(0, n - 1), (n // 2, 0), (n - 1, n - 1)}:
        alone = metric.block(sample.pick(prepared, [i]), sample.pick(prepared, [j]))
        _same(alone, distances[i : i + 1, j : j + 1], f"the pair ({i}, {j}) alone and in a block measure differently")
    _same(pairwise_distances(prepared, prepared, metric, n_jobs=1), distances, "chunks change the distances")
    _same(pairwise_distances(prepared, prepared, metric, n_jobs=2), distances, "n_jobs changes the distances")


def _check_copies(metric: Metric, prepared: Any, distances: Distances) -> None:
    params = metric.get_params(deep=False)
    twin = type(metric)(**params)
    assert all(twin.get_params(deep=False)[name] is value for name, value in params.items()), (
        "get_params must return what was given"
    )
    _same(twin.block(prepared, prepared), distances, "a copy made from get_params measures differently")
    assert twin.set_params(**params) is twin, "set_params must return the metric"
    if not _can_be_pickled(metric):  # a lambda among its parameters is not the metric's fault
        assert not all(map(_can_be_pickled, params.values())), f"{metric!r} cannot be pickled"
        return
    pickled = pickle.dumps(metric)
    copy = pickle.loads(pickled)  # noqa: S301 - the bytes were made a line above
    _same(copy.block(prepared, prepared), distances, "a pickled copy measures differently")


def _can_be_pickled(value: Any) -> bool:
    try:
        pickle.dumps(value)
    except (pickle.PicklingError, AttributeError, TypeError):
        return False
    return True


def _check_axioms(metric: Metric, distances: Distances) -> None:
    if not metric.obeys_triangle:
        return
    for violation in find_violations(distances):
        raise AssertionError(violation.describe(metric.name))


def _check_hilbert(metric: Metric, distances: Distances) -> None:
    for promise, promised, squared in (
        ("hilbertian", metric.hilbertian, distances**2),
        ("negative_type", metric.negative_type, distances),
    ):
        if not promised:
            continue
        centring = np.eye(len(distances)) - 1 / len(distances)
        eigenvalues = np.linalg.eigvalsh(-centring @ squared @ centring / 2)
        assert eigenvalues[0] >= -EIGENVALUE_ERROR * max(eigenvalues[-1], 1e-300), (
            f"{metric.name!r} promises {promise}, but has the eigenvalue {eigenvalues[0]:.6g} beside {eigenvalues[-1]:.6g}"
        )


def _check_values(metric: Metric, objects: Any, distances: Distances) -> None:
    if metric.step:
        off = np.abs(distances / metric.step - np.rint(distances / metric.step))
        assert off.max() <= DISTANCE_ERROR * max(1.0, distances.max()), f"{metric.name!r} promises steps of {metric.step}"
    if metric.separates:
        held = sample.hold(objects)
        for i, j in np.argwhere(np.triu(distances == 0, 1)):
            one, other = sample.pick_one(held, int(i)), sample.pick_one(held, int(j))
            assert _equal(one, other), f"{metric.name!r} promises to separate, but puts {one!r} and {other!r} at distance 0"


def _equal(one: Any, other: Any) -> bool:
    if isinstance(one, str | bytes):
        return bool(one == other)
    if isinstance(one, set | frozenset) or isinstance(other, set | frozenset):
        return set(one) == set(other)
    try:
        return np.array_equal(np.asarray(one), np.asarray(other))
    except ValueError:  # lists of lists of unequal lengths, as trees are, make no array
        return bool(one == other)


def _same(measured: Distances, expected: Distances, problem: str) -> None:
    np.testing.assert_allclose(measured, expected, rtol=SUM_ERROR, atol=0, err_msg=problem)
