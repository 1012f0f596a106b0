"""Distances between distributions, bin by bin: their definitions, their accuracy, and what they
refuse.
"""

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.metrics import distributions as oracle
from scipy.spatial.distance import cdist, jensenshannon
from sklearn.metrics.pairwise import additive_chi2_kernel
from strategies import histograms

import wideberth
from wideberth.checks import check_metric
from wideberth.errors import InvalidInput
from wideberth.metrics.distributions.sample import Distributions, prepare_distributions

BIN_BY_BIN = {
    "total_variation": oracle.total_variation,
    "hellinger": oracle.hellinger,
    "jensen_shannon": oracle.jensen_shannon,
    "chi2": oracle.chi2,
}
ROWS = np.random.default_rng(0).dirichlet(np.full(37, 0.3), size=40)


@pytest.mark.kernels
@pytest.mark.parametrize("name", BIN_BY_BIN)
@given(objects=histograms())
@settings(max_examples=30, deadline=None)
def test_blocks_equal_the_definition(name, objects):
    expected = [[BIN_BY_BIN[name](one, other) for other in objects] for one in objects]
    np.testing.assert_allclose(
        wideberth.metric(name).block(objects, objects), expected, rtol=1e-10, atol=1e-12
    )


@pytest.mark.parametrize("name", BIN_BY_BIN)
def test_blocks_are_symmetric_to_the_last_bit_and_zero_to_oneself(name):
    distances = wideberth.metric(name).block(ROWS, ROWS)
    np.testing.assert_array_equal(distances, distances.T)
    assert not np.diagonal(distances).any()
    assert distances.max() <= 1


def test_trusted_libraries_agree():
    def ours(name):
        return wideberth.metric(name).block(ROWS, ROWS)

    in_bits = [[jensenshannon(one, other, base=2) for other in ROWS[:9]] for one in ROWS[:9]]
    np.testing.assert_allclose(ours("jensen_shannon")[:9, :9], in_bits, rtol=1e-12, atol=1e-8)
    in_nats = cdist(ROWS, ROWS, "jensenshannon")
    np.testing.assert_allclose(
        ours("jensen_shannon") * math.sqrt(math.log(2)), in_nats, rtol=1e-12, atol=1e-8
    )
    np.testing.assert_allclose(
        ours("total_variation"), cdist(ROWS, ROWS, "cityblock") / 2, rtol=1e-12, atol=1e-15
    )
    np.testing.assert_allclose(
        ours("hellinger"),
        cdist(np.sqrt(ROWS), np.sqrt(ROWS)) / math.sqrt(2),
        rtol=1e-12,
        atol=1e-15,
    )
    np.testing.assert_allclose(
        ours("chi2"), np.sqrt(-additive_chi2_kernel(ROWS, ROWS) / 2), rtol=1e-12, atol=1e-15
    )


@pytest.mark.kernels
@pytest.mark.parametrize("distance", [0.5, 1e-2, 1e-4, 1e-7, 1e-12])
def test_jensen_shannon_keeps_its_digits_however_close_two_distributions_are(distance):
    near = np.array([0.2, 0.3, 0.5 - 1e-9, 1e-9])
    far = near * (1 + distance * np.array([1.0, -1.0, 0.5, -0.9]))
    masses = prepare_distributions([near, far]).masses
    measured = wideberth.metric("jensen_shannon").block(masses[:1], masses[1:])[0, 0]
    assert measured == pytest.approx(oracle.jensen_shannon(*masses), rel=1e-11)


@pytest.mark.parametrize("name", BIN_BY_BIN)
@given(data=st.data(), closeness=st.sampled_from([1e-3, 1e-8, 1e-15]))
@settings(max_examples=20, deadline=None)
def test_promises_hold_among_nearly_equal_distributions(name, data, closeness):
    rows = data.draw(histograms())
    close = rows[0] + closeness * rows
    check_metric(name, close)


@pytest.mark.parametrize("name", [*BIN_BY_BIN, "wasserstein_1d"])
def test_multiples_of_counts_are_equal(name):
    counts = np.array([[1, 2, 4], [3, 0, 7], [1, 1, 1]])
    metric = wideberth.metric(name)
    assert not np.diagonal(metric.block(counts, 3 * counts)).any()
    assert metric.separates is False


@pytest.mark.filterwarnings("ignore:overflow")
@pytest.mark.parametrize("name", [*BIN_BY_BIN, "wasserstein_1d"])
def test_disjoint_and_huge_and_tiny_masses(name):
    metric = wideberth.metric(name)
    assert metric([1, 0], [0, 1]) == 1
    assert metric([1e308, 1e308, 0], [0, 1e-300, 1e-300]) == pytest.approx(
        metric([1, 1, 0], [0, 1, 1]), rel=1e-14
    )


@pytest.mark.parametrize(
    "rows",
    [
        [[1, 3], [5, 5]],
        ([1, 3], (5, 5)),
        np.array([[1, 3], [5, 5]], dtype=np.float32),
        np.array([[1, 3], [5, 5]], order="F"),
        pd.DataFrame({"a": [1, 5], "b": [3, 5]}),
        [np.array([2, 6]), np.array([0.1, 0.1])],
    ],
    ids=["lists", "tuple", "float32", "columns", "pandas", "arrays"],
)
def test_histograms_come_in_many_forms(rows):
    assert wideberth.metric("total_variation").block(rows, rows)[0, 1] == 0.25


@pytest.mark.parametrize("name", [*BIN_BY_BIN, "wasserstein_1d"])
@pytest.mark.parametrize(
    ("objects", "message"),
    [
        ([[1.0, 2.0], [1.0, -0.5]], r"negative masses: object 1 holds -0\.5 at position 1"),
        ([[1.0, 2.0], [0.0, 0.0]], "Object 1 is not a distribution: all its 2 masses are zero"),
        ([[1.0, 2.0], [1.0, np.nan]], "[Oo]bject 1 (holds nan|has no number at position 1)"),
        ([[1.0, 2.0], [1.0]], "object 0 has 2 numbers, object 1 has 1"),
    ],
)
def test_what_is_no_distribution_is_refused_with_its_index(name, objects, message):
    metric = wideberth.metric(name)
    with pytest.raises(InvalidInput, match=message):
        metric.block(objects, objects)


def test_the_advice_for_an_empty_row_works():
    counts = np.array([[3, 0, 1], [0, 0, 0]])
    with pytest.raises(InvalidInput, match="add a small constant") as refused:
        wideberth.metric("jensen_shannon").prepare(counts)
    assert refused.value.witness == 1
    assert wideberth.metric("jensen_shannon").block(counts + 0.5, counts + 0.5)[0, 1] > 0


@pytest.mark.parametrize("name", [*BIN_BY_BIN, "wasserstein_1d"])
def test_samples_must_share_their_bins(name):
    with pytest.raises(InvalidInput, match="over 2 and over 3 bins"):
        wideberth.metric(name).block([[1, 2]], [[1, 2, 3]])


def test_a_sample_prepared_for_one_metric_serves_the_others():
    for prepared_by in (*BIN_BY_BIN, "wasserstein_1d"):
        prepared = wideberth.metric(prepared_by).prepare(ROWS)
        for name in (*BIN_BY_BIN, "wasserstein_1d"):
            metric = wideberth.metric(name)
            np.testing.assert_array_equal(
                metric.block(prepared, prepared), metric.block(ROWS, ROWS)
            )


def test_preparing_again_costs_nothing_and_changes_nothing():
    metric = wideberth.metric("hellinger")
    prepared = metric.prepare(ROWS)
    assert metric.prepare(prepared) is prepared
    np.testing.assert_array_equal(prepared[3], prepared.masses[3])
    again = metric.prepare(Distributions.from_plain(prepared.plain()))
    np.testing.assert_array_equal(again.coordinates, prepared.coordinates)
    picked = prepared.take(slice(None, None, -3))
    np.testing.assert_array_equal(picked.coordinates, prepared.coordinates[::-3])
    assert picked.coordinates.flags.c_contiguous


@pytest.mark.parametrize(
    "plain",
    [
        {},
        {"masses": [[0.5, 0.5]]},
        {"masses": np.array([0.5, 0.5])},
        {"masses": np.array([[1, 0]])},
        {"masses": np.array([[1.5, -0.5]])},
        {"masses": np.array([[0.5, 0.4]])},
        {"masses": np.array([[0.5, np.nan]])},
    ],
)
def test_a_file_that_lies_about_masses_is_refused(plain):
    with pytest.raises(ValueError, match="mass"):
        Distributions.from_plain(plain)
