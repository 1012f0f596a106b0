"""`check_metric`: does a metric keep its contract and its promises on given objects.

The contract (`wideberth.Metric`): ``block(left, right)`` returns the distances of all pairs of two
samples, ``prepare`` brings objects into the form that blocks work on, and accepts what it returned
before. The promises: ``obeys_triangle``, ``hilbertian``, ``negative_type``, ``separates`` and
``step``.
"""

import pickle
from collections.abc import Callable
from typing import Any

import numpy as np

from wideberth.doctor.facts import spectrum_facts
from wideberth.geometry.measure.blocks import pairwise_distances
from wideberth.metrics.axioms import find_violations
from wideberth.metrics.functions import unchecked
from wideberth.metrics.metric import Distances, Metric
from wideberth.metrics.named import bind
from wideberth.objects import sample
from wideberth.rounding import DISTANCE_ERROR, SUM_ERROR


def check_metric(metric: str | Metric | Callable[[Any, Any], float], objects: Any) -> None:
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


def _check_form(metric: Metric, objects: Any, prepared: Any, distances: Distances) -> None:
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


def _check_order(metric: Metric, prepared: Any, distances: Distances) -> None:
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


def _check_copies(metric: Metric, prepared: Any, distances: Distances) -> None:
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
    copy = pickle.loads(pickled)  # made a line above  # noqa: S301  # nosec B301
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


def _check_values(metric: Metric, objects: Any, distances: Distances) -> None:
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
    """Whether two objects of any kind are equal: texts, sets, arrays or nested lists."""
    if isinstance(one, str | bytes):
        return bool(one == other)
    if isinstance(one, set | frozenset) or isinstance(other, set | frozenset):
        return set(one) == set(other)
    try:
        return np.array_equal(np.asarray(one), np.asarray(other))
    except ValueError:  # nested lists of unequal lengths, such as trees, cannot become an array
        return bool(one == other)


def _same(measured: Distances, expected: Distances, problem: str) -> None:
    """Assert that distances agree up to rounding; ``problem`` starts the message."""
    np.testing.assert_allclose(measured, expected, rtol=SUM_ERROR, atol=0, err_msg=problem)
