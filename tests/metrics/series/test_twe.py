"""Time warp edit distance: equal to its definition, lawful as promised, clear about what it
refuses.
"""

import math
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.metrics.elastic import over_channels, twe
from strategies import any_series, one_channel, several_channels

import wideberth
from wideberth.checks import check_metric
from wideberth.errors import InvalidInput
from wideberth.metrics.series.elastic import TWE

CLOSE = 1e-9
RAGGED = [[0.0], [1.0, 3.0, 2.0], [2.0, 2.0], [0.5, -1.0, 4.0, 0.0], [3.0, 3.0, 1.0]]
TWO_CHANNELS = [
    np.array([[0.0], [1.0]]),
    np.array([[1.0, 3.0, 2.0], [0.0, -1.0, 5.0]]),
    np.array([[2.0, 2.0, 0.0, 1.0], [1.0, 0.0, 0.0, 3.0]]),
]
PARAMETERS = [(0.001, 1.0), (0.5, 0.0), (2, 3), (1e-9, 0.1)]
any_metric = st.builds(
    TWE, st.one_of(st.just(0.001), st.floats(1e-6, 10)), st.one_of(st.just(0), st.floats(0, 10))
)
fast = settings(deadline=None, max_examples=60)


def all_expected(metric, left, right):
    twin = partial(over_channels, partial(twe, **metric.get_params()))
    return np.array(
        [[twin(np.atleast_2d(one), np.atleast_2d(other)) for other in right] for one in left]
    )


@pytest.mark.kernels
@pytest.mark.parametrize("series", [RAGGED, TWO_CHANNELS], ids=["one channel", "two channels"])
@pytest.mark.parametrize("metric", [TWE(*each) for each in PARAMETERS], ids=repr)
def test_block_equals_the_definition(metric, series):
    np.testing.assert_allclose(
        metric.block(series, series[1:]), all_expected(metric, series, series[1:]), atol=CLOSE
    )


@pytest.mark.kernels
def test_empty_blocks():
    assert TWE().block([], RAGGED).shape == (0, 5)
    assert TWE().block(TWO_CHANNELS, []).shape == (3, 0)


@fast
@given(metric=any_metric, series=any_series)
def test_random_blocks_equal_the_definition(metric, series):
    np.testing.assert_allclose(
        metric.block(series, series), all_expected(metric, series, series), rtol=CLOSE, atol=CLOSE
    )


@fast
@given(metric=any_metric, series=any_series)
def test_promises_hold_for_all_parameters_and_for_several_channels(metric, series):
    check_metric(metric, series)
    distances = metric.block(series, series)
    np.testing.assert_array_equal(distances, distances.T)
    np.testing.assert_array_equal(np.diag(distances), 0)


@fast
@given(metric=any_metric, one=several_channels(), other=several_channels())
def test_channels_are_added(metric, one, other):
    apart = sum(metric(here, there) for here, there in zip(one, other, strict=True))
    assert metric(one, other) == pytest.approx(apart, rel=1e-12)


@fast
@given(metric=any_metric, one=one_channel, other=one_channel)
def test_separates(metric, one, other):
    assert (metric(one, other) == 0) == (one == other)
    assert metric(one, [*one, one[-1]]) > 0


@fast
@given(series=any_series, nu=st.floats(0.001, 10), lmbda=st.floats(0, 10))
def test_scales_with_its_prices_and_ignores_the_origin(series, nu, lmbda):
    moved = [0.37 * each + 2.0 for each in series]
    prices = TWE(0.37 * nu, 0.37 * lmbda)
    np.testing.assert_allclose(
        prices.block(moved, moved), 0.37 * TWE(nu, lmbda).block(series, series), atol=1e-8
    )


@fast
@given(series=several_channels(channels=2))
def test_a_stiff_one_matches_point_by_point(series):
    gaps = abs(series[0] - series[1])
    assert TWE(nu=1e6)(*series) == pytest.approx(
        2 * gaps.sum() - gaps[-1]
    )  # all but the last point end two steps


@pytest.mark.parametrize("shape", [(90, 61), (40, 83), (1, 50)])
def test_long_series_equal_the_definition(shape):
    walks = [np.random.default_rng(length).normal(size=length).cumsum() for length in shape]
    for nu, lmbda in PARAMETERS:
        assert TWE(nu, lmbda)(*walks) == pytest.approx(twe(*walks, nu, lmbda), rel=1e-12)


@pytest.mark.parametrize(("nu", "lmbda"), [*PARAMETERS, (1e-9, 0), (1, 0), (0.001, 100)])
def test_not_of_negative_type_whatever_the_prices(nu, lmbda):
    weights = np.array([2, 2, -1, -1, -1, -1])
    assert weights.sum() == 0
    witness = [np.array(each) * (nu + lmbda) for each in TWE.counterexamples["negative_type"]]
    assert weights @ TWE(nu, lmbda).block(witness, witness) @ weights > 0
    found = wideberth.diagnose(witness, TWE(nu, lmbda))
    assert all(fact.violated for fact in found.spectrum)
    assert not found.broken_promises


def test_the_limit_that_its_docstring_names():
    steps = [np.array(each) / 10 for each in TWE.counterexamples["negative_type"]]
    weights = np.array([2, 2, -1, -1, -1, -1])
    assert weights @ all_expected(TWE(1e-300, 0), steps, steps) @ weights == pytest.approx(
        8.0
    )  # each pair twice


@pytest.mark.parametrize("nu", [0, 0.0, -1.0, math.nan, math.inf, "1", None])
def test_stiffness_must_be_positive(nu):
    with pytest.raises(
        InvalidInput,
        match=r"nu of 'twe' must be a positive number.*\[1\] and \[1, 1\].*Start with 0\.001",
    ) as refused:
        TWE(nu=nu)
    assert refused.value.value is nu
    with pytest.raises(InvalidInput):
        TWE().set_params(nu=nu)


def test_without_stiffness_it_would_be_as_the_refusal_says():
    assert twe([1], [1, 1], nu=0, lmbda=0) == 0
    assert TWE(nu=1e-9, lmbda=0)([1], [1, 1]) == 1e-9


@pytest.mark.parametrize("lmbda", [-1e-9, math.nan, math.inf, "1", None])
def test_deleting_must_not_be_rewarded(lmbda):
    with pytest.raises(
        InvalidInput,
        match=r"lmbda of a deletion in 'twe' must be a nonnegative number.*Start with 1\.0",
    ):
        TWE(lmbda=lmbda)
    TWE(lmbda=1.0)


def test_both_sides_need_the_same_channels():
    with pytest.raises(
        InvalidInput, match=r"Series with 1 channels cannot be compared with series with 2"
    ):
        TWE().block(RAGGED, TWO_CHANNELS)
