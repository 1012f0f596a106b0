"""A space gives the distances of its metric, measures each of them once, and keeps to its
budget.
"""

import copy
import pickle
import sys
import threading
import time

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import metric_matrices, words

import wideberth
from wideberth.checks import check_metric
from wideberth.errors import InvalidInput
from wideberth.geometry.classes.duplicates import group_equal
from wideberth.geometry.measure import remembered_distances
from wideberth.geometry.measure.remembered_distances import rectangles
from wideberth.geometry.space import space
from wideberth.geometry.space.space import MetricSpace, SpaceMetric
from wideberth.geometry.space.tiled_distances import Members, Side
from wideberth.metrics.metric import Metric
from wideberth.progress import Task

WORDS = [
    f"{a}{b}{c}" for a in ("tea", "rum", "") for b in ("pot", "", "cups") for c in ("s", "shop", "")
]


@pytest.fixture(autouse=True)
def small_tiles(monkeypatch):
    monkeypatch.setattr(space, "TILE_SIZE", 4)


class Watched(Metric):
    """The gap between numbers; it records the pairs that are measured."""

    def __init__(self, seen, symmetric=True):
        self.seen, self.symmetric = seen, symmetric
        super().__init__(self._gap, name="watched", obeys_triangle=symmetric)

    def _gap(self, left, right):
        self.seen += [(one, other) for one in left.tolist() for other in right.tolist()]
        distances = np.abs(np.subtract.outer(left, right)).astype(float)
        return distances if self.symmetric else distances * (1 + (left[:, None] > right))


requests = st.lists(
    st.tuples(
        st.lists(st.integers(0, 10**6), max_size=9), st.lists(st.integers(0, 10**6), max_size=9)
    ),
    max_size=8,
)


@settings(max_examples=60, deadline=None)
@given(
    requests,
    st.integers(0, 14),
    st.lists(st.integers(0, 5), max_size=3),
    st.sampled_from([1, 150, 10**6]),
    st.booleans(),
)
def test_any_requests_get_the_distances_of_the_metric(requests, n, appends, max_memory, symmetric):
    seen = []
    numbers = np.random.default_rng(n).permutation(100)[: n + sum(appends)] * 3
    made = MetricSpace(numbers[:n], Watched(seen, symmetric), max_memory=max_memory, n_jobs=1)
    distances = Watched([], symmetric).block(numbers, numbers)
    for left, right in requests or [([], [])]:
        if appends:
            assert made.append(numbers[len(made) : len(made) + appends.pop()]).shape[1:] == (1,)
        size = max(1, len(made))
        rows, columns = np.array(left, dtype=int) % size, np.array(right, dtype=int) % size
        if len(made):
            np.testing.assert_array_equal(
                made.metric.block(rows, columns[:, None]), distances[np.ix_(rows, columns)]
            )
        assert made._store.nbytes <= max_memory
    assert made.distance_calls == len(seen)
    np.testing.assert_array_equal(made.objects, numbers[: len(made)])
    if max_memory == 10**6:
        pairs = {frozenset(pair) for pair in seen} if symmetric else set(seen)
        assert len(pairs) == len(seen)  # none twice
        assert not symmetric or all(len(pair) == 2 for pair in pairs)  # nothing with itself


@settings(max_examples=20, deadline=None)
@given(metric_matrices())
def test_a_matrix_of_distances_is_a_space(matrix):
    made = MetricSpace(
        matrix, wideberth.metric("precomputed", distances=matrix, obeys_triangle=True)
    )
    assert len(MetricSpace(matrix, "precomputed")) == len(matrix)
    made = MetricSpace(np.arange(len(matrix)), made.measured_by)
    np.testing.assert_array_equal(made.metric.block(made.index, made.index), matrix)


@settings(max_examples=20, deadline=None)
@given(words)
def test_the_metric_of_a_space_is_a_metric(objects):
    made = MetricSpace(objects, "levenshtein")
    check_metric(made.metric, made.index)
    assert made.distance_calls == len(objects) * (len(objects) - 1) // 2


@pytest.mark.parametrize(
    ("metric", "objects", "more"),
    [
        ("jaccard", [{1, 2}, {2}, [3, 3], {1}, set()], [[1, 2], {9}]),
        ("msm", [[1.0, 2.0], [0.0], [3.0, 1.0, 1.0], [2.0]], [[1, 2, 3]]),
        ("euclidean", np.arange(12.0).reshape(6, 2), [[7, 7]]),
        ("euclidean", np.arange(12).reshape(6, 2), np.array([[0.5, 7.0]])),
        ("hamming", np.arange(12).reshape(6, 2), [[0, 1]]),
        ("levenshtein", pd.Series(WORDS[:6]), ("rum", "tea")),
        ("dtw", np.arange(12.0).reshape(6, 2), [[1.0, 2.0, 3.0]]),
    ],
)
def test_new_objects_of_any_kind_can_be_appended(metric, objects, more):
    made, plain = MetricSpace(objects, metric), wideberth.metric(metric)
    made.metric.block(made.index[::2], made.index)
    for objects_added in (more, more[:1], more[:0], more):
        new = made.append(objects_added)
        np.testing.assert_array_equal(
            new[:, 0], np.arange(len(made) - len(objects_added), len(made))
        )
        np.testing.assert_array_equal(
            made.metric.block(new, np.arange(len(objects))), plain.block(objects_added, objects)
        )
    everything = plain.prepare(made.objects)
    np.testing.assert_array_equal(
        made.metric.block(made.index, made.index), plain.block(everything, everything)
    )
    assert len(made._members.pieces) <= 4


def test_what_cannot_be_measured_is_not_appended():
    made = MetricSpace(np.zeros((3, 2)))
    for wrong in ([[1.0, 2.0, 3.0]], ["tea"], "tea"):
        with pytest.raises(InvalidInput):
            made.append(wrong)
    assert len(made) == 3
    assert made.append([[3.0, 4.0]]).tolist() == [[3]]
    assert made.distance_calls == 1
    assert made.metric(0, 3) == 5.0
    assert made.distance_calls == 1  # appending measured it already


def test_a_space_can_begin_empty():
    made = MetricSpace([], "levenshtein")
    assert made.index.shape == (0, 1)
    assert made.metric.block([], []).shape == (0, 0)
    with pytest.raises(InvalidInput, match="Append some"):
        made.metric.block([0], [])
    made.append(["tea"])
    made.append(["tee"])
    assert made.metric.block([0, 1], [0, 1]).tolist() == [[0.0, 1.0], [1.0, 0.0]]
    assert made.distance_calls == 1


def test_one_row_costs_one_row():
    made = MetricSpace(WORDS, "levenshtein")
    made.metric.block([5], made.index)
    assert made.distance_calls == len(WORDS) - 1
    made.metric.block(made.index, [5])
    assert made.distance_calls == len(WORDS) - 1


def test_a_row_of_a_distance_without_axioms_costs_itself_too():
    made = MetricSpace(np.arange(10), Watched([], symmetric=False))
    made.metric.block([5], made.index)
    assert made.distance_calls == 10


def test_tiles_are_as_narrow_as_their_distances():
    def itemsizes(objects, metric):
        made = MetricSpace(objects, metric)
        made.metric.block(made.index, made.index)
        return {tile.distances.itemsize for tile in made._store._kept.values()}

    assert itemsizes(WORDS, "levenshtein") == {1}
    assert itemsizes(["", "a" * 255], "levenshtein") == {2}
    assert itemsizes([[0.0], [0.25]], "euclidean") == {4}
    assert itemsizes([[0.0], [0.1]], "euclidean") == {8}


def test_a_small_budget_is_kept_and_costs_calls_only():
    plenty, scarce = (
        MetricSpace(WORDS, "levenshtein", max_memory=max_memory) for max_memory in ("1MB", 64)
    )
    for made in (plenty, scarce):
        for start in range(0, len(WORDS), 5):
            rows = made.index[start : start + 5]
            np.testing.assert_array_equal(
                made.metric.block(rows, made.index),
                made.measured_by.block(WORDS[start : start + 5], WORDS),
            )
            assert made._store.nbytes <= made._store.budget
    assert plenty.distance_calls == len(WORDS) * (len(WORDS) - 1) // 2 < scarce.distance_calls


@pytest.mark.parametrize("n_jobs", [1, 2, None])
def test_jobs_do_not_change_the_distances(n_jobs, monkeypatch):
    monkeypatch.setattr(remembered_distances, "TRIAL_PAIRS", 3)
    monkeypatch.setattr(remembered_distances, "CHUNK_SECONDS", 1e-9)
    monkeypatch.setattr(
        "wideberth.geometry.measure.parallel.WORTH_STARTING", {"threads": 0.0, "processes": 0.0}
    )
    made = MetricSpace(WORDS, "levenshtein", n_jobs=n_jobs)
    for _ in range(2):
        np.testing.assert_array_equal(
            made.metric.block(made.index, made.index), made.measured_by.block(WORDS, WORDS)
        )
    assert made.distance_calls == len(WORDS) * (len(WORDS) - 1) // 2


def far(one, other):
    return abs(one - other) * 1.5


@pytest.mark.filterwarnings("ignore::wideberth.errors.SlowMetricWarning")
def test_a_python_function_is_measured_in_processes(monkeypatch):
    monkeypatch.setattr(
        "wideberth.geometry.measure.parallel.WORTH_STARTING", {"threads": 0.0, "processes": 0.0}
    )
    made = MetricSpace(list(range(9)), far, n_jobs=2)
    for _ in range(2):
        np.testing.assert_array_equal(
            made.metric.block(made.index, made.index[1:]),
            far(np.arange(9)[:, None], np.arange(1, 9)[None, :]),
        )
    assert made.distance_calls == 72


def test_threads_share_what_they_measure():
    def slow(left, right):
        time.sleep(0.001)
        return np.abs(np.subtract.outer(left, right))

    numbers = np.arange(30.0)
    made = MetricSpace(numbers, Metric(slow, obeys_triangle=True), n_jobs=1)
    failed = []

    def ask(seed):
        rng = np.random.default_rng(seed)
        for _ in range(6):
            rows, columns = rng.integers(0, 30, 12), rng.integers(0, 30, 20)
            if not np.array_equal(
                made.metric.block(rows, columns),
                np.abs(np.subtract.outer(numbers[rows], numbers[columns])),
            ):
                failed.append(seed)

    threads = [threading.Thread(target=ask, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed
    made.metric.block(made.index, made.index)
    assert made.distance_calls == 30 * 29 // 2


def test_what_was_measured_before_an_interruption_is_kept(monkeypatch):
    monkeypatch.setattr(remembered_distances, "TRIAL_PAIRS", 4)
    calls = []

    def interrupted(left, right):
        calls.append(len(left) * len(right))
        if len(calls) == 4:
            raise KeyboardInterrupt
        return np.abs(np.subtract.outer(left, right))

    made = MetricSpace(np.arange(12.0), Metric(interrupted, obeys_triangle=True), n_jobs=1)
    with pytest.raises(KeyboardInterrupt):
        made.metric.block(made.index, made.index)
    assert made.distance_calls == sum(calls[:3])
    np.testing.assert_array_equal(
        made.metric.block(made.index, made.index), np.abs(np.subtract.outer(*2 * [np.arange(12.0)]))
    )
    assert made.distance_calls == 66


def test_a_long_request_says_how_far_it_is(monkeypatch):
    shown = []
    monkeypatch.setattr(Task, "advance", lambda self, amount: shown.append(amount))
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    made = MetricSpace(WORDS, "levenshtein")
    made.metric.block(made.index, made.index)
    assert sum(shown) == len(WORDS) ** 2


def test_copies_are_the_space_itself():
    made = MetricSpace(WORDS, "levenshtein")
    assert copy.copy(made) is made
    assert copy.deepcopy(made) is made
    assert copy.deepcopy([made.metric])[0].space is made


def test_a_pickled_copy_takes_the_objects_but_not_the_distances():
    made = MetricSpace(WORDS, "levenshtein", max_memory="1MB", n_jobs=1)
    made.append(["tea"])
    made.append(["rum"])
    made.metric.block(made.index, made.index)
    twin = pickle.loads(pickle.dumps(made.metric))
    assert len(pickle.dumps(made)) < 2000
    assert twin.space is not made
    assert twin.space.distance_calls == twin.space._store.nbytes == 0
    assert (twin.space.max_memory, twin.space.n_jobs, twin.space.cache) == ("1MB", 1, None)
    np.testing.assert_array_equal(
        twin.block(made.index, made.index), made.metric.block(made.index, made.index)
    )


def test_setting_parameters_later_does_not_mix_two_distances():
    metric = wideberth.metric("minkowski", p=1)
    made = MetricSpace([[0.0, 0.0], [3.0, 4.0], [3.0, 4.0]], metric)
    assert made.metric(0, 1) == 7.0
    metric.set_params(p=2)
    assert made.metric(0, 2) == 7.0


def test_the_metric_carries_the_name_and_the_promises():
    made = MetricSpace(WORDS, "levenshtein").metric
    plain = wideberth.metric("levenshtein")
    assert made.name == plain.name
    assert made.accepts == "indices"
    assert (made.obeys_triangle, made.hilbertian, made.step, made.bounded) == (
        True,
        False,
        1,
        False,
    )
    assert made.separates is None  # two indices may stand for one word
    assert MetricSpace([[1.0], [2.0]], "dtw").metric.separates is False
    assert made.get_params() == {"space": made.space}
    other = MetricSpace(["a"], "levenshtein")
    assert made.set_params(space=other).space is other
    with pytest.raises(InvalidInput, match="not list"):
        SpaceMetric(WORDS)


def test_indices_are_checked():
    metric = MetricSpace(WORDS, "levenshtein").metric
    expected = metric.block([1, 2], [3])
    for same in (
        np.array([[1], [2]]),
        np.array([1.0, 2.0]),
        (1, 2),
        np.array([1, 2], dtype=np.uint8),
    ):
        np.testing.assert_array_equal(metric.block(same, [[3]]), expected)
    for wrong in (["tea"], [1.5], [[1, 2]], [None], [True], [np.nan]):
        with pytest.raises(InvalidInput, match=r"space\.append"):
            metric.block(wrong, [0])
    for outside in (-1, len(WORDS)):
        with pytest.raises(InvalidInput, match=f"no index {outside}") as caught:
            metric.block([0, outside], [0])
        assert caught.value.value == outside


def test_it_says_what_it_is():
    made = MetricSpace(WORDS, "levenshtein", max_memory="3MB")
    made.metric.block([0], [1])
    assert (
        repr(made)
        == "MetricSpace(<27 objects>, Levenshtein(): 1 distances measured, 16 bytes of 3 MB used)"
    )
    assert "27 objects" in repr(made.metric)


def test_equal_objects_of_a_space_are_grouped():
    made = MetricSpace(["tea", "rum", "tea"], "levenshtein")
    assert group_equal(made.index[::-1], made.metric).group_of.tolist() == [0, 1, 0]
    assert made.distance_calls == 0


@given(st.lists(st.lists(st.booleans(), min_size=5, max_size=5), max_size=6))
def test_rectangles_cover_what_is_needed_once(rows):
    needed = np.array(rows, dtype=bool).reshape(-1, 5)
    covered = np.zeros(needed.shape, dtype=int)
    for some, columns in rectangles(needed):
        covered[np.ix_(some, columns)] += 1
    np.testing.assert_array_equal(covered, needed)


@given(st.lists(st.integers(0, 9)))
def test_a_side_knows_where_its_objects_stand(indices):
    side = Side.from_request(np.array(indices, dtype=np.intp))
    found = np.full(len(indices), -1)
    for start in range(0, len(side.objects), 2):
        where, which = side.positions(start, min(start + 2, len(side.objects)))
        found[where] = side.objects[start : start + 2][which]
    assert found.tolist() == indices
    assert side.objects.tolist() == sorted(set(indices))


@given(st.integers(0, 11), st.lists(st.integers(0, 9), max_size=4))
def test_blocks_cut_the_members(n, appends):
    members = Members(np.arange(n), Watched([]), block_size=4)
    for count in appends:
        members.append(members.prepare(np.arange(count)))
    indices = np.arange(members.count)
    blocks = members.block_of(indices)
    assert members.blocks() == (blocks[-1] + 1 if len(blocks) else 0)
    for part in members.split_by_block(indices):
        own = np.flatnonzero(blocks == part.block)
        assert members.start(part.block) == own[0]
        assert len(own) <= members.capacity(part.block) <= 4
        assert (part.start, part.stop) == (own[0], own[-1] + 1)


def test_a_look_up_is_declared_cheaper_than_a_measurement():
    space = MetricSpace(
        ["tea", "rum", "punch"], lambda one, other: float(abs(len(one) - len(other)))
    )
    index = space.metric.prepare(space.index)
    assert space.metric.nanoseconds(index) == space.measured_by.nanoseconds(space.objects)
    space.metric(0, 1)
    some_known = space.metric.nanoseconds(index)
    space.metric.block(index, index)
    assert (
        space.metric.nanoseconds(index) < some_known < space.measured_by.nanoseconds(space.objects)
    )
