"""Metrics on differences and on normalised values of series: their definitions, promises, lengths,
channels and files.
"""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.metrics import elastic
from oracles.metrics import transforms as twins
from strategies import tied_numbers

import wideberth
from wideberth import transforms
from wideberth.checks import check_metric
from wideberth.errors import InvalidInput
from wideberth.metrics.containers import PartsSample
from wideberth.metrics.transforms.mapped_series import Derivative, ZNormalized

MADE = {"derivative": transforms.derivative, "znormalized": transforms.znormalized}
TWINS = {"derivative": twins.differences, "znormalized": twins.znormalized}
any_transform = pytest.mark.parametrize("call", sorted(MADE))

ragged = st.lists(st.lists(tied_numbers, min_size=2, max_size=6), min_size=3, max_size=6)
of_one_length = st.integers(2, 6).flatmap(
    lambda length: st.lists(
        st.lists(tied_numbers, min_size=length, max_size=length), min_size=3, max_size=6
    )
)
TIDES = [
    [0, 1, 0, 2],
    [0, 2, 4],
    [5, 5],
    [1, 7, 1, 0, 3],
    [0.1, 0.1, 0.1],
    [3, 1],
    [2, 2, 9],
    [9, 1, 9],
]
WAVES = np.random.default_rng(0).normal(size=(40, 12)).cumsum(axis=1)
SIDES = np.where(WAVES[:, -1] > WAVES[:, 0], "up", "down")


@any_transform
@given(series=ragged)
@settings(max_examples=30, deadline=None)
def test_it_is_the_distance_of_mapped_series(call, series):
    mapped = [TWINS[call](one) for one in series]
    for inner in ("msm", "erp"):
        expected = wideberth.metric(inner).block(mapped, mapped)
        np.testing.assert_allclose(
            MADE[call](inner).block(series, series), expected, rtol=1e-9, atol=1e-9
        )
    one, other = mapped[:2]
    assert MADE[call]("msm")(*series[:2]) == pytest.approx(
        elastic.msm(one, other, 1.0), rel=1e-9, abs=1e-9
    )


@any_transform
@pytest.mark.parametrize("inner", ["euclidean", "manhattan", "chebyshev", "standardized", "msm"])
@given(series=of_one_length)
@settings(max_examples=20, deadline=None)
def test_promises_hold(call, inner, series):
    metric = MADE[call](inner)
    check_metric(metric.fitted(series), series)
    assert not wideberth.diagnose(series, metric).broken_promises


def test_what_is_promised():
    for inner in ("euclidean", "manhattan", "msm", "dtw"):
        known, derived = wideberth.metric(inner).promises, transforms.derivative(inner).promises
        assert (derived.obeys_triangle, derived.hilbertian) == (
            known.obeys_triangle,
            known.hilbertian,
        )
        assert derived.separates is (False if known.obeys_triangle else None)
        normal = transforms.znormalized(inner).promises
        assert (normal.obeys_triangle, normal.hilbertian) == (
            known.obeys_triangle or None,
            known.hilbertian or None,
        )
    same = [[1, 2, 4], [11, 12, 14]]
    assert transforms.derivative("msm")(*same) == 0
    assert transforms.znormalized("euclidean")(*same) == 0
    both = transforms.total("euclidean", transforms.derivative("euclidean"))
    assert (both.accepts, both.separates, both.negative_type) == ("series", True, True)


@pytest.mark.parametrize("inner", ["msm", "dtw"])
def test_what_fails_inside_fails_on_differences(inner):
    witness = wideberth.metric(inner).counterexamples["hilbertian"]
    rising = [np.concatenate([[0.0], np.cumsum(series)]) for series in witness]
    assert "hilbertian" in [
        fact.promise
        for fact in wideberth.diagnose(rising, transforms.derivative(inner)).spectrum
        if fact.violated
    ]


@given(series=of_one_length)
@settings(max_examples=30, deadline=None)
def test_differences_are_at_most_twice_as_far(series):
    for inner in ("euclidean", "manhattan", "chebyshev", wideberth.metric("minkowski", p=3)):
        metric = transforms.derivative(inner)
        for other, constant in metric.dominated.items():
            measure = inner if other == "minkowski(p=3)" else wideberth.metric(other)
            assert (
                metric.block(series, series)
                <= constant * wideberth.metric(measure).block(series, series) + 1e-9
            ).all()
    assert (
        transforms.derivative("msm").dominated
        == {}
        == transforms.derivative(wideberth.metric("minkowski", p=0.5)).dominated
    )
    assert transforms.derivative("chebyshev")([0, 0, 0], [-1, 1, -1]) == 2.0  # attained


def test_radii_in_the_units_of_the_series():
    metric = transforms.total("euclidean", transforms.derivative("euclidean"))
    assert metric.dominated["euclidean"] == 3.0
    model = wideberth.LipschitzClassifier(metric, C=10).fit(WAVES, SIDES)
    np.testing.assert_allclose(
        model.certified_radius(WAVES, unit="euclidean"),
        model.certified_radius(WAVES) / 3,
        rtol=1e-6,
    )


def test_constants_become_zeros_whatever_rounding_does():
    for value in (0.1, 1 / 3, 1e9 + 0.1, 1e-200, 0.0):
        series = np.full(10, value)
        assert ZNormalized(wideberth.metric("euclidean"))(series, np.zeros(10)) == 0
    nearly = np.full(10, 1e9) + np.spacing(1e9) * (np.arange(10) % 2)
    assert transforms.znormalized("euclidean")(nearly, np.zeros(10)) == 0
    for scale in (1e-200, 1e-3, 1e140):  # no square vanishes or overflows
        assert transforms.znormalized("euclidean")(
            scale * np.array([1.0, 2.0, 3.0]), [1, 2, 3]
        ) == pytest.approx(0, abs=1e-12)


@any_transform
def test_channels_are_mapped_one_by_one(call):
    pairs = np.random.default_rng(1).normal(size=(5, 2, 6))
    alone = [MADE[call]("msm").block(pairs[:, channel], pairs[:, channel]) for channel in range(2)]
    np.testing.assert_allclose(MADE[call]("msm").block(pairs, pairs), sum(alone), rtol=1e-12)
    squares = [
        MADE[call]("euclidean").block(pairs[:, channel], pairs[:, channel]) ** 2
        for channel in range(2)
    ]
    np.testing.assert_allclose(
        MADE[call]("euclidean").block(pairs, pairs) ** 2, sum(squares), rtol=1e-9, atol=1e-12
    )
    ragged_pairs = [pairs[0], pairs[1][:, :4], pairs[2][:, :2]]
    assert MADE[call]("msm").block(ragged_pairs, pairs).shape == (3, 5)


@any_transform
def test_a_series_is_mapped_alike_in_any_company(call):
    metric = MADE[call]("msm")
    whole = metric.block(TIDES, TIDES)
    np.testing.assert_array_equal(whole, [[metric(one, other) for other in TIDES] for one in TIDES])
    prepared = metric.prepare(TIDES)
    assert isinstance(prepared, PartsSample)
    assert metric.prepare(prepared).parts[0] is prepared.parts[0]
    np.testing.assert_array_equal(metric.block(prepared.take([2, 0]), TIDES), whole[[2, 0]])
    assert metric.block([], TIDES).shape == (0, 8)
    assert metric.block([], []).shape == (0, 0)


def test_lengths_that_do_not_fit_are_said():
    with pytest.raises(
        InvalidInput, match=r"series 0 and 1 have 3 and 2 points.*elastic distance inside: 'msm'"
    ):
        transforms.derivative("euclidean").prepare([[1, 2, 3, 4], [1, 2, 3]])
    assert transforms.derivative("msm")([1, 2, 3, 4], [1, 2, 3]) > 0
    with pytest.raises(InvalidInput, match="Vectors of 3 and of 2 numbers"):
        transforms.znormalized("euclidean")([1, 2, 3], [1, 2])
    with pytest.raises(
        InvalidInput, match=r"Series 1 has one point, and no differences.*repeat its point"
    ):
        transforms.derivative("msm").prepare([[1, 2], [4]])
    assert transforms.derivative("msm")([4, 4], [7, 7]) == 0
    with pytest.raises(
        InvalidInput,
        match="needs a metric on series or vectors, not 'levenshtein', which measures strings",
    ):
        transforms.derivative("levenshtein")
    with pytest.raises(InvalidInput, match="not 'msm'"):
        Derivative("msm")


def test_functions_of_two_series_and_mapped_series_inside_others():
    def last_gap(one, other):
        return abs(float(one[-1]) - float(other[-1]))

    metric = transforms.derivative(wideberth.metric(last_gap, obeys_triangle=True))
    assert metric([0, 1, 5], [3, 3]) == 4.0
    assert not metric.built_in
    nested = transforms.derivative(transforms.znormalized("euclidean"))
    assert nested.name == "derivative(znormalized(euclidean))"
    expected = wideberth.metric("euclidean")(
        *[twins.znormalized(twins.differences(one)) for one in ([0, 1, 5], [2, 0, 0])]
    )
    assert nested([0, 1, 5], [2, 0, 0]) == pytest.approx(expected)
    assert nested.get_params()["metric__metric"].name == "euclidean"
    assert transforms.derivative(transforms.total("euclidean", "msm"))([0, 1, 1], [0, 2, 2]) == 2.0


METRICS = [
    transforms.derivative("msm"),
    transforms.znormalized("euclidean"),
    transforms.total("euclidean", transforms.derivative(transforms.znormalized("euclidean"))),
    transforms.total("msm", transforms.scale(transforms.derivative("msm"), 3.0)),
    transforms.derivative("standardized"),
    transforms.cap(transforms.znormalized("dtw"), 2.0),
]


@pytest.mark.filterwarnings("ignore:.*triangle")
@pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric.name)
def test_models_are_saved_and_spaces_measure_them(metric, tmp_path):
    model = wideberth.NeighborsClassifier(metric, n_neighbors=3).fit(WAVES, SIDES)
    wideberth.save(model, tmp_path / "model.wb")
    loaded = wideberth.load(tmp_path / "model.wb")
    np.testing.assert_array_equal(
        loaded.decision_function(WAVES[:9] + 0.1), model.decision_function(WAVES[:9] + 0.1)
    )
    assert repr(loaded.metric_) == repr(model.metric_)
    space = wideberth.MetricSpace(WAVES, metric)
    fitted = metric.fitted(WAVES)
    np.testing.assert_array_equal(
        space.metric.block(space.index, space.index), fitted.block(WAVES, WAVES)
    )
    inside = wideberth.NeighborsClassifier(space.metric, n_neighbors=3).fit(space.index, SIDES)
    wideberth.save(inside, tmp_path / "space.wb")
    np.testing.assert_array_equal(
        wideberth.load(tmp_path / "space.wb").predict(WAVES), model.predict(WAVES)
    )


def test_what_the_metric_inside_learns_is_known():
    metric = transforms.derivative("standardized")
    model = wideberth.NeighborsClassifier(metric).fit(WAVES, SIDES)
    assert model.learned_from_.metric_learned
    np.testing.assert_array_equal(
        model.metric_.metric.scales, wideberth.metric("standardized").fitted(np.diff(WAVES)).scales
    )
    fitted = metric.fitted(WAVES)
    assert set(fitted.taught_by) == set(metric.digests(WAVES, None))
    assert fitted.fitted(WAVES) is fitted
    assert wideberth.NeighborsClassifier(fitted).fit(WAVES, SIDES).learned_from_.metric_learned
    assert (
        len(transforms.derivative(wideberth.metric("standardized").fitted(WAVES[:, 1:])).taught_by)
        == 0
    )  # not known
    assert transforms.derivative("msm").fitted(TIDES).taught_by is None
