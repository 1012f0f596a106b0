"""Transport on the line: histograms and samples, beside scipy and the definition."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.metrics import distributions as oracle
from scipy.stats import wasserstein_distance
from strategies import histograms, numbers

import wideberth
from wideberth.checks import check_metric
from wideberth.errors import InvalidInput
from wideberth.metrics.distributions.wasserstein import (
    SortedSamples,
    Wasserstein1D,
    prepare_samples,
)

TRANSPORT_SQUARE = Wasserstein1D.counterexamples["hilbertian"]
samples = st.lists(st.lists(numbers, min_size=1, max_size=6), min_size=3, max_size=7)


@pytest.mark.kernels
@given(rows=histograms(), data=st.data())
@settings(max_examples=30, deadline=None)
def test_histograms_equal_the_definition_and_scipy(rows, data):
    bins = rows.shape[1]
    positions = data.draw(st.none() | st.lists(numbers, min_size=bins, max_size=bins))
    places = range(bins) if positions is None else positions
    measured = Wasserstein1D(positions=positions).block(rows, rows)
    expected = [
        [oracle.wasserstein_of_histograms(one, other, places) for other in rows] for one in rows
    ]
    np.testing.assert_allclose(measured, expected, rtol=1e-10, atol=1e-11)
    known = [
        [wasserstein_distance(list(places), list(places), one, other) for other in rows]
        for one in rows
    ]
    np.testing.assert_allclose(measured, known, rtol=1e-10, atol=1e-11)


@pytest.mark.kernels
@given(objects=samples)
@settings(max_examples=30, deadline=None)
def test_samples_equal_the_definition_and_scipy(objects):
    measured = Wasserstein1D(of="samples").block(objects, objects)
    expected = [[oracle.wasserstein_of_samples(one, other) for other in objects] for one in objects]
    np.testing.assert_allclose(measured, expected, rtol=1e-10, atol=1e-11)
    known = [[wasserstein_distance(one, other) for other in objects] for one in objects]
    np.testing.assert_allclose(measured, known, rtol=1e-10, atol=1e-11)
    np.testing.assert_array_equal(measured, measured.T)


@given(objects=samples)
@settings(max_examples=20, deadline=None)
def test_samples_keep_the_promises(objects):
    metric = Wasserstein1D(of="samples")
    check_metric(metric, objects)
    assert wideberth.diagnose(objects, metric).broken_promises == ()


@given(rows=histograms(), data=st.data())
@settings(max_examples=20, deadline=None)
def test_histograms_at_positions_keep_the_promises(rows, data):
    positions = np.array(
        data.draw(st.lists(numbers, min_size=rows.shape[1], max_size=rows.shape[1]))
    )
    check_metric(Wasserstein1D(positions=positions), rows)


def test_neither_form_is_hilbertian():
    square = [[0, 2], [0, 3], [1, 2], [1, 3]]
    for objects, metric in (
        (TRANSPORT_SQUARE, Wasserstein1D()),
        (square, Wasserstein1D(of="samples")),
    ):
        hilbertian, negative_type = wideberth.diagnose(objects, metric).spectrum
        assert hilbertian.violated
        assert not negative_type.violated


def test_between_two_positions_it_is_a_line():
    metric = Wasserstein1D(positions=[0, 3, 3])
    assert metric.hilbertian is True
    assert Wasserstein1D(positions=[0, 3, 4]).hilbertian is False
    check_metric(metric, [*TRANSPORT_SQUARE, [1, 0, 0], [2, 1, 3]])


def test_order_and_repetition_of_a_sample_do_not_count():
    metric = Wasserstein1D(of="samples")
    assert metric([3, 1, 2], [1, 2, 3]) == 0
    assert metric([0.1, 0.7], [0.7, 0.1, 0.1, 0.7, 0.7, 0.1]) == 0
    assert metric.separates is False


def test_only_given_positions_bound_it():
    assert Wasserstein1D(positions=[0, 1]).bounded is True
    assert Wasserstein1D().bounded is False
    assert Wasserstein1D(of="samples").bounded is False


@pytest.mark.parametrize(
    "objects",
    [
        [[3, 1], [2, 2]],
        np.array([[1, 3], [2, 2]]),
        np.array([[1, 3], [2, 2]], dtype=object),
        (np.array([1.0, 3.0]), [2]),
        pd.Series([[3, 1], [2]]),
        pd.DataFrame({"a": [1, 2], "b": [3, 2]}),
    ],
    ids=["lists", "matrix", "objects", "arrays", "column", "frame"],
)
def test_samples_come_in_many_forms(objects):
    assert Wasserstein1D(of="samples").block(objects, objects)[0, 1] == 1


@pytest.mark.parametrize(
    ("objects", "message"),
    [
        ([[1.0], []], "Sample 1 is empty"),
        ([[1.0], [1.0, np.nan]], "Sample 1 holds NaN, infinity, or a number beyond"),
        ([[1.0], ["tea"]], "Sample 1 does not consist of numbers"),
        ([1.0, 2.0], r"Sample 0 has shape \(\).*wrap a single one in a list"),
        ([[[1.0, 2.0]]], r"Sample 0 has shape \(1, 2\)"),
    ],
)
def test_refused_samples_are_named(objects, message):
    with pytest.raises(InvalidInput, match=message):
        Wasserstein1D(of="samples").prepare(objects)


def test_a_single_bin_and_an_empty_sample():
    assert Wasserstein1D()([3], [8]) == 0
    assert Wasserstein1D(positions=[4]).block([], [[1]]).shape == (0, 1)
    assert Wasserstein1D(of="samples").block([], [[1]]).shape == (0, 1)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"of": "numbers"}, r"not 'numbers'\. of=\"histograms\" for rows of masses"),
        ({"of": "samples", "positions": [0, 1]}, "Leave positions out"),
        ({"positions": [0, np.inf]}, "finite numbers, one for each bin"),
        ({"positions": [[0, 1], [1, 0]]}, "choose 'earth_mover'"),
        ({"positions": ["left", "right"]}, "finite numbers, one for each bin"),
    ],
)
def test_parameters_are_checked(parameters, message):
    with pytest.raises(InvalidInput, match=message):
        wideberth.metric("wasserstein_1d", **parameters)


def test_bins_and_positions_must_fit():
    with pytest.raises(InvalidInput, match="Histograms of 2 bins do not fit 3 positions"):
        Wasserstein1D(positions=[0, 1, 5]).prepare([[1, 2]])


def test_histograms_prepared_at_other_positions_are_placed_again():
    rows = [[1, 0, 0], [0, 0, 1]]
    prepared = Wasserstein1D(positions=[0, 1, 5]).prepare(rows)
    assert Wasserstein1D(positions=[0, 1, 7]).block(prepared, prepared)[0, 1] == 7
    assert Wasserstein1D().block(prepared, prepared)[0, 1] == 2


def test_samples_survive_a_model_file(tmp_path):
    objects = [[3, 1, 2], [2, 2], [9], [8, 10]]
    metric = Wasserstein1D(of="samples")
    model = wideberth.NeighborsClassifier(metric).fit(objects, ["low", "low", "high", "high"])
    wideberth.save(model, tmp_path / "model.wb")
    loaded = wideberth.load(tmp_path / "model.wb")
    assert loaded.predict([[1, 1], [9, 9]]).tolist() == ["low", "high"]
    prepared = prepare_samples(objects)
    assert prepare_samples(prepared) is prepared
    for lie in ({}, {"values": np.array([1.0]), "offsets": np.array([0, 2])}):
        with pytest.raises(ValueError, match="offsets"):
            SortedSamples.from_plain(lie)
