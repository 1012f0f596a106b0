"""Distances that are kept while a model learns: the same as measured ones, each measured once, and
gone afterwards.
"""

import pickle
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wideberth.errors import BrokenAxiom
from wideberth.geometry.measure.remembered_distances import (
    IndexedSample,
    MeasuredOnce,
    index_more,
    measure_once,
    plain_objects,
    table_bytes,
)
from wideberth.geometry.measure.sampled_axioms import try_promises
from wideberth.metrics.functions import PairFunction
from wideberth.metrics.metric import Metric
from wideberth.metrics.named import metric

SIZE = 9


class Gaps:
    """How far numbers are apart, with a note of every call."""

    def __init__(self):
        self.calls = Counter()

    def __call__(self, one, other):
        self.calls[one, other] += 1
        return abs(one - other)


requests = st.lists(
    st.tuples(*(st.lists(st.integers(0, SIZE - 1), max_size=2 * SIZE) for _ in range(2))),
    max_size=6,
)


@given(requests=requests, promised=st.sampled_from([True, None]))
def test_any_requests_give_what_is_measured_and_measure_it_once(requests, promised):
    gaps, numbers = Gaps(), np.random.default_rng(0).permutation(SIZE).astype(float)
    objects, kept, table = measure_once(
        numbers, PairFunction(gaps, obeys_triangle=promised), max_memory=8 * SIZE**2
    )
    for left, right in requests:
        left, right = np.array(left, dtype=np.intp), np.array(right, dtype=np.intp)
        found = kept.block(objects.take(left), objects.take(right))
        np.testing.assert_array_equal(found, np.abs(numbers[left][:, None] - numbers[right]))
    pairs = Counter({pair: gaps.calls[pair] for pair in gaps.calls})
    if promised:
        pairs = Counter(tuple(sorted(pair)) for pair in gaps.calls.elements())
        assert not any(one == other for one, other in pairs)
    assert max(pairs.values(), default=1) == 1
    assert table.calls == gaps.calls.total()


@pytest.mark.parametrize("jobs", [1, 2])
def test_cores_change_nothing(jobs):
    numbers = np.arange(60.0)
    objects, kept, table = measure_once(numbers, PairFunction(gap), max_memory=10**6, n_jobs=jobs)
    np.testing.assert_array_equal(kept.block(objects, objects), np.abs(numbers[:, None] - numbers))
    assert table.calls == 60**2


def gap(one, other):
    return abs(one - other)


def test_what_pays_and_fits_is_kept():
    numbers, words = np.arange(3.0), metric("levenshtein").prepare(["tea", "tee", "rum"])
    assert (
        measure_once(numbers, PairFunction(gap), max_memory=table_bytes(3, PairFunction(gap)))[2]
        is not None
    )
    assert (
        measure_once(numbers, PairFunction(gap), max_memory=table_bytes(3, PairFunction(gap)) - 1)[
            2
        ]
        is None
    )
    assert (
        measure_once(words, metric("levenshtein"), max_memory=10**6)[2] is None
    )  # a few nanoseconds
    assert (
        measure_once(np.zeros((3, 500)), metric("minkowski", p=3), max_memory=10**6)[2] is None
    )  # vectors
    assert (
        measure_once(
            np.arange(3), metric("precomputed", distances=1 - np.eye(3)), max_memory=10**6
        )[2]
        is None
    )
    trees = metric("tree_edit").prepare([["a", [["b", []]] * 20]] * 3)
    assert measure_once(trees, metric("tree_edit"), max_memory=10**6)[2] is not None


def test_without_its_table_it_is_its_metric():
    inner = PairFunction(
        gap, name="gap", obeys_triangle=True, step=1.0, unit="step", accepts="vectors"
    )
    objects, kept, table = measure_once(np.arange(4.0), inner, max_memory=10**6)
    assert (kept.name, kept.promises, kept.unit, kept.underflow) == (
        inner.name,
        inner.promises,
        inner.unit,
        inner.underflow,
    )
    assert (kept.accepts, kept.parallel, kept.built_in) == ("objects", None, False)
    assert isinstance(objects.take([1, 2]), IndexedSample)
    some = objects.take([1, 2])
    del table
    assert (kept.accepts, kept.parallel, kept.table) == ("vectors", "processes", None)
    assert (repr(kept), len(some), some[1], list(some)) == (repr(inner), 2, 2.0, [1.0, 2.0])
    np.testing.assert_array_equal(some.take([1]), [2.0])
    np.testing.assert_array_equal(kept.block(np.array([7.0]), some), [[6.0, 5.0]])


def test_a_pickled_copy_is_plain():
    objects, kept, _table = measure_once(np.arange(4.0), PairFunction(gap), max_memory=10**6)
    copied = pickle.loads(pickle.dumps((objects.take([3]), kept)))
    np.testing.assert_array_equal(copied[0], [3.0])
    assert type(copied[1]) is PairFunction


def test_new_objects_are_measured_and_more_can_be_kept():
    gaps = Gaps()
    objects, kept, table = measure_once(np.arange(4.0), PairFunction(gaps), max_memory=8 * 6**2)
    for _ in range(2):
        np.testing.assert_array_equal(kept.block(np.array([9.0]), objects), [[9.0, 8.0, 7.0, 6.0]])
    assert table.calls == 0
    references = index_more([8.0, 9.0], kept)
    for _ in range(2):
        np.testing.assert_array_equal(
            kept.block(references, objects), [[8.0, 7.0, 6.0, 5.0], [9.0, 8.0, 7.0, 6.0]]
        )
        np.testing.assert_array_equal(
            kept.block(objects, objects), np.abs(np.arange(4.0)[:, None] - np.arange(4.0))
        )
    assert table.calls == 8 + 16
    assert not isinstance(index_more([7.0], kept), IndexedSample)  # there is no place left
    np.testing.assert_array_equal(plain_objects(references), [8.0, 9.0])


@pytest.mark.parametrize("wrong", [np.nan, np.inf, -np.inf, -1.0])
def test_what_is_no_distance_is_refused_with_its_objects(wrong):
    broken = PairFunction(
        lambda one, other: wrong if {one, other} == {1.0, 2.0} else abs(one - other), name="broken"
    )
    objects, kept, _table = measure_once(np.arange(4.0), broken, max_memory=10**6)
    for _ in range(2):
        with pytest.raises(BrokenAxiom, match=r"between 1\.0 and 2\.0|between 2\.0 and 1\.0"):
            kept.block(objects, objects)


@pytest.mark.parametrize(
    "sort", [np.sort, lambda numbers: np.sort(numbers)[::-1], lambda numbers: numbers]
)
@pytest.mark.parametrize(
    "distance",
    [
        lambda one, other: max(one - other, 0.0),
        lambda one, other: abs(one - other) * (1.2 if one < other else 1.0),
    ],
)
def test_one_direction_of_each_pair_refutes_a_promise_of_symmetry(distance, sort):
    numbers = sort(np.random.default_rng(0).normal(size=50))
    objects, kept, _table = measure_once(
        numbers, PairFunction(distance, obeys_triangle=True), max_memory=10**6
    )
    with pytest.raises(BrokenAxiom, match="refutes the promise"):
        try_promises(objects, kept)


def test_functions_of_blocks_are_kept_too():
    sizes = []

    def blocks(left, right):
        sizes.append(left.shape[0] * right.shape[0])
        return np.abs(left[:, :1] - right[:, :1].T)

    vectors = np.random.default_rng(0).normal(size=(20, 2))
    objects, kept, _table = measure_once(
        vectors, Metric(blocks, accepts="vectors", obeys_triangle=True), max_memory=10**6
    )
    assert isinstance(kept, MeasuredOnce)
    for _ in range(3):
        np.testing.assert_array_equal(
            kept.block(objects, objects), np.abs(vectors[:, :1] - vectors[:, :1].T)
        )
    assert sum(sizes) == 20 * 19 // 2


def test_edits_take_two_bytes_and_are_those_of_the_metric_whatever_is_asked_first():
    edits, rng = metric("levenshtein"), np.random.default_rng(0)
    words = ["".join(rng.choice(list("abc"), rng.integers(1, 9))) for _ in range(150)]
    prepared = edits.prepare(words)
    everything = edits.block(prepared, prepared)
    objects, kept, table = measure_once(prepared, edits, max_memory=2 * 150**2, again=True)
    assert measure_once(prepared, edits, max_memory=2 * 150**2 - 1, again=True)[2] is None
    for size in (3, 70, 150):
        rows, columns = rng.integers(0, 150, size), rng.integers(0, 150, 2 * size)
        found = kept.block(objects.take(rows), objects.take(columns))
        np.testing.assert_array_equal(found, everything[np.ix_(rows, columns)])
        assert found.dtype == np.float64
    np.testing.assert_array_equal(kept.block(objects, objects), everything)
    assert table.calls < 150**2


def test_distances_that_two_bytes_cannot_hold_are_kept_in_eight():
    edits = metric("levenshtein")
    words = edits.prepare(["a" * 65_535, "", "aa", "a" * 70_000])
    objects, kept, _table = measure_once(words, edits, max_memory=10**6, again=True)
    np.testing.assert_array_equal(
        kept.block(objects.take([1]), objects.take([2])), [[2.0]]
    )  # in two bytes
    for _ in range(2):
        np.testing.assert_array_equal(kept.block(objects, objects), edits.block(words, words))
