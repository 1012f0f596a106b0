"""Columns of radial functions: kept or measured, whole or in part, they have the values of the
formula.
"""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import wideberth
from wideberth.classifiers.lp_machine import problem
from wideberth.classifiers.lp_machine.kernels import add_rows
from wideberth.classifiers.lp_machine.problem import RadialColumns
from wideberth.estimators.radial_expansions import Radial
from wideberth.geometry.measure.remembered_distances import KeptDistances
from wideberth.metrics.metric import Metric

RADIALS = [
    Radial("distance"),
    Radial("gaussian", 1.5),
    Radial("laplace", 0.7),
    Radial("bounded", 2.0),
]
PLENTY, NOTHING = 10**9, 1


def obvious(distances, radials):
    return np.hstack([radial.values(distances) / radial.lipschitz for radial in radials])


def vectors(n, seed=0):
    return np.random.default_rng(seed).normal(size=(n, 3))


@st.composite
def samples(draw):
    """Objects, references and their metric: vectors, whose distances are any numbers, or words,
    whose distances are whole.
    """
    seed, n, m = draw(st.integers(0, 99)), draw(st.integers(1, 12)), draw(st.integers(1, 12))
    if draw(st.booleans()):
        metric, objects, references = (
            wideberth.metric("euclidean"),
            vectors(n, seed),
            vectors(m, seed + 1),
        )
    else:
        random, metric = np.random.default_rng(seed), wideberth.metric("levenshtein")
        words = [
            "".join(random.choice(list("ab"), size=random.integers(0, 6))) for _ in range(n + m)
        ]
        objects, references = metric.prepare(words[:n]), metric.prepare(words[n:])
    return metric, objects, objects if draw(st.booleans()) else references


@pytest.mark.kernels
@given(samples(), st.sampled_from([PLENTY, NOTHING]), st.data())
@settings(max_examples=60, deadline=None)
def test_columns_and_prices_are_those_of_the_formula(drawn, max_memory, data):
    metric, objects, references = drawn
    columns = RadialColumns(objects, references, metric, RADIALS, max_memory=max_memory, n_jobs=1)
    expected = obvious(metric.block(objects, references), RADIALS)
    n, p = columns.n_rows, columns.n_columns
    assert (n, p) == expected.shape
    chosen = np.array(data.draw(st.lists(st.integers(0, p - 1), max_size=5)), dtype=int)
    values = np.array(
        data.draw(st.lists(st.sampled_from([0.0, 1.0, -2.5]), min_size=2 * n, max_size=2 * n))
    ).reshape(n, 2)
    for _ in range(2):  # before and after the distances are kept
        np.testing.assert_allclose(
            columns.columns(chosen), expected[:, chosen], rtol=1e-12, atol=1e-12
        )
        np.testing.assert_allclose(columns.price(values), expected.T @ values, rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(
            columns.price(values[:, 0]), expected.T @ values[:, 0], rtol=1e-9, atol=1e-9
        )


@pytest.mark.kernels
@given(samples(), st.sampled_from([PLENTY, NOTHING]), st.data())
@settings(max_examples=60, deadline=None)
def test_a_subset_is_the_columns_of_its_objects_and_references(drawn, max_memory, data):
    metric, objects, references = drawn
    whole = RadialColumns(objects, references, metric, RADIALS, max_memory=max_memory, n_jobs=1)
    rows = np.array(data.draw(st.lists(st.integers(0, whole.n_rows - 1), min_size=1, unique=True)))
    some = data.draw(
        st.none()
        | st.lists(st.integers(0, whole.n_references - 1), min_size=1, unique=True).map(np.array)
    )
    part = whole.subset(rows, some)
    distances = metric.block(objects, references)[rows]
    expected = obvious(distances if some is None else distances[:, some], RADIALS)
    values = np.linspace(-1, 2, len(rows))
    assert (part.n_rows, part.n_columns) == expected.shape
    np.testing.assert_allclose(
        part.columns(np.arange(part.n_columns)), expected, rtol=1e-12, atol=1e-12
    )
    np.testing.assert_allclose(part.price(values), expected.T @ values, rtol=1e-9, atol=1e-9)
    again = part.subset(np.arange(len(rows))[::-1])
    np.testing.assert_allclose(again.price(values[::-1]), expected.T @ values, rtol=1e-9, atol=1e-9)


def test_half_is_measured_if_the_metric_promises_the_axioms_and_shared_by_all(monkeypatch):
    monkeypatch.setattr(
        "wideberth.geometry.measure.blocks.CHUNK_SECONDS", 1e-9
    )  # as if a distance took long
    points = vectors(40)
    columns = RadialColumns(
        points, points, wideberth.metric("euclidean"), RADIALS, max_memory=PLENTY, n_jobs=1
    )
    columns.price(np.ones(40))
    assert 40 * 41 / 2 <= columns.distance_calls < 0.6 * 40 * 40
    calls = columns.distance_calls
    part = columns.subset(np.arange(30), np.arange(30))
    part.price(np.ones(30))
    part.columns([0, 5])
    columns.price(np.ones(40))
    assert part.scale > 0
    assert columns.distance_calls == part.distance_calls == calls


def test_without_memory_only_rows_with_values_are_measured_and_nothing_is_kept():
    points = vectors(40)
    columns = RadialColumns(
        points, points[:7], wideberth.metric("euclidean"), RADIALS, max_memory=NOTHING, n_jobs=1
    )
    values = np.zeros(40)
    values[[3, 8]] = 1.0
    for round_ in (1, 2):
        columns.price(values)
        assert columns.distance_calls == round_ * 2 * 7
    columns.price(np.zeros(40))
    assert columns.distance_calls == 2 * 2 * 7


def test_the_result_does_not_depend_on_the_cores_nor_on_the_pieces(monkeypatch):
    points, values = vectors(300), np.random.default_rng(1).normal(size=300)
    for max_memory in (PLENTY, NOTHING):
        one, two = (
            RadialColumns(
                points,
                points,
                wideberth.metric("euclidean"),
                RADIALS,
                max_memory=max_memory,
                n_jobs=jobs,
            )
            for jobs in (1, 2)
        )
        expected = one.price(values)
        with monkeypatch.context() as patch:
            patch.setattr(problem, "PIECE", (7, 50))
            patch.setattr(problem, "WORTH_SHARING", 0)
            patch.setattr(problem, "BLOCK", 700)
            np.testing.assert_array_equal(two.price(values), expected)


def test_a_metric_in_processes_gives_the_same():
    slow = wideberth.metric(_gap)
    numbers = slow.prepare([0.0, 1.0, 4.0, 9.0])
    columns = RadialColumns(numbers, numbers, slow, RADIALS, max_memory=NOTHING, n_jobs=2)
    expected = obvious(
        np.abs(np.subtract.outer([0.0, 1.0, 4.0, 9.0], [0.0, 1.0, 4.0, 9.0])), RADIALS
    )
    np.testing.assert_allclose(columns.price(np.ones(4)), expected.sum(axis=0))


def _gap(one, other):
    return abs(one - other)


@pytest.mark.parametrize("factor", [1.0, 0.37, 1e-8, 1e8])
def test_the_scale_is_the_median_distance(factor):
    points = vectors(60) * factor
    metric = wideberth.metric("euclidean")
    columns = RadialColumns(
        points,
        points,
        metric,
        [Radial("laplace", factor)],
        max_memory=PLENTY,
        n_jobs=1,
    )
    distances = metric.block(points, points)
    assert columns.scale == pytest.approx(np.median(distances[distances > 0]), rel=1e-12)


def test_the_scale_of_a_large_sample_comes_from_some_of_it_and_is_always_the_same():
    points, metric = vectors(1000), wideberth.metric("euclidean")
    found = [
        RadialColumns(points, points, metric, RADIALS, max_memory=PLENTY, n_jobs=1)
        for _ in range(2)
    ]
    assert (
        found[0].scale
        == found[1].scale
        == pytest.approx(np.median(metric.block(points, points)), rel=0.1)
    )
    assert found[0].distance_calls == problem.SCALE_OBJECTS**2


def test_other_radial_functions_have_the_same_scale_without_measuring_it_again():
    points = np.random.default_rng(0).normal(size=(300, 2))
    plain = RadialColumns(points, points, wideberth.metric("euclidean"), [], max_memory=0, n_jobs=1)
    twin = plain.with_radials([Radial("gaussian", plain.scale)])
    measured = plain.distance_calls
    assert twin.scale == plain.scale
    assert twin.distance_calls == measured > 0


def test_equal_objects_have_the_scale_one():
    columns = RadialColumns(
        np.zeros((3, 2)),
        np.zeros((3, 2)),
        wideberth.metric("euclidean"),
        RADIALS,
        max_memory=1,
        n_jobs=1,
    )
    assert columns.scale == 1.0


def test_whole_distances_take_two_bytes_and_others_eight():
    edits = wideberth.metric("levenshtein")
    words = edits.prepare(["tea", "coffee", "milk"])
    kept = KeptDistances(words, words, edits, max_memory=2 * 2 * 9, n_jobs=1)
    assert kept.matrix().dtype == np.uint16
    assert KeptDistances(words, words, edits, max_memory=2 * 2 * 9 - 1, n_jobs=1).matrix() is None
    points = vectors(3)
    euclidean = wideberth.metric("euclidean")
    assert (
        KeptDistances(points, points, euclidean, max_memory=2 * 8 * 9, n_jobs=1).matrix().dtype
        == np.float64
    )
    assert (
        KeptDistances(points, points, euclidean, max_memory=2 * 8 * 9 - 1, n_jobs=1).matrix()
        is None
    )


@pytest.mark.parametrize("numbers", [[0.0, 1.0, 70_000.0], [0.0, 0.5, 1.0]])
def test_distances_that_two_bytes_cannot_hold_are_kept_in_eight(numbers):
    gaps = Metric(lambda left, right: np.abs(left[:, None] - right), step=1, obeys_triangle=True)
    points = np.array(numbers)
    kept = KeptDistances(points, points, gaps, max_memory=PLENTY, n_jobs=1)
    np.testing.assert_array_equal(kept.matrix(), np.abs(points[:, None] - points))
    columns = RadialColumns(points, points, gaps, RADIALS, max_memory=PLENTY, n_jobs=1)
    np.testing.assert_allclose(
        columns.price(np.ones(3)), obvious(np.abs(points[:, None] - points), RADIALS).sum(axis=0)
    )


def test_what_a_metric_returns_is_not_written_upon():
    table = np.abs(np.subtract.outer(np.arange(4.0), np.arange(4.0)))
    held = table.copy()
    metric = Metric(lambda left, right: held[left[0] : left[-1] + 1, right[0] : right[-1] + 1])
    columns = RadialColumns(
        np.arange(4), np.arange(4), metric, [Radial("gaussian", 1.0)], max_memory=NOTHING, n_jobs=1
    )
    columns.price(np.ones(4))
    np.testing.assert_array_equal(held, table)


def test_many_distances_are_measured_in_bands(monkeypatch):
    monkeypatch.setattr("wideberth.geometry.measure.blocks.TRIAL_PAIRS", 1)
    monkeypatch.setattr("wideberth.geometry.measure.blocks.CHUNK_SECONDS", 1e-9)
    points, metric = vectors(20), wideberth.metric("euclidean")
    for references in (points, points[:6].copy()):
        kept = KeptDistances(points, references, metric, max_memory=PLENTY, n_jobs=2)
        np.testing.assert_array_equal(kept.matrix(), metric.block(points, references))


@pytest.mark.kernels
def test_python_adds_rows_to_the_last_bit_as_compiled_code_does():
    random = np.random.default_rng(0)
    block, values = (
        random.normal(size=(30, 40)),
        random.normal(size=(30, 3)) * (random.random((30, 3)) < 0.8),
    )
    sums = np.zeros((3, 40)), np.zeros((3, 40))
    add_rows(block, np.arange(30), values, 0, sums[0])
    add_rows.py_func(block, np.arange(30), values, 0, sums[1])
    np.testing.assert_array_equal(*sums)
