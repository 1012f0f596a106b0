"""Edit distance with real penalty: equal to its definition, lawful as promised, clear about what it
refuses.
"""

import math
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.metrics.elastic import erp, over_channels
from strategies import any_series, one_channel, several_channels

import wideberth
from wideberth.checks import check_metric
from wideberth.errors import InvalidInput
from wideberth.metrics.series.elastic import ERP

CLOSE = 1e-9
RAGGED = [[0.0], [1.0, 3.0, 2.0], [2.0, 2.0], [0.5, -1.0, 4.0, 0.0], [3.0, 3.0, 1.0]]
TWO_CHANNELS = [
    np.array([[0.0], [1.0]]),
    np.array([[1.0, 3.0, 2.0], [0.0, -1.0, 5.0]]),
    np.array([[2.0, 2.0, 0.0, 1.0], [1.0, 0.0, 0.0, 3.0]]),
]
gaps = st.one_of(st.just(0.0), st.integers(-3, 3), st.floats(-10, 10))
fast = settings(deadline=None, max_examples=60)


def all_expected(gap, left, right):
    twin = partial(over_channels, partial(erp, gap=gap))
    return np.array(
        [
            [twin(np.atleast_2d(one).tolist(), np.atleast_2d(other).tolist()) for other in right]
            for one in left
        ]
    )


@pytest.mark.kernels
@pytest.mark.parametrize("series", [RAGGED, TWO_CHANNELS], ids=["one channel", "two channels"])
@pytest.mark.parametrize("gap", [0.0, 0.5, -3])
def test_block_equals_the_definition(gap, series):
    np.testing.assert_allclose(
        ERP(gap).block(series, series[1:]), all_expected(gap, series, series[1:]), atol=CLOSE
    )


@pytest.mark.kernels
def test_empty_blocks():
    assert ERP().block([], RAGGED).shape == (0, 5)
    assert ERP().block(TWO_CHANNELS, []).shape == (3, 0)


@fast
@given(gap=gaps, series=any_series)
def test_random_blocks_equal_the_definition(gap, series):
    np.testing.assert_allclose(
        ERP(gap).block(series, series), all_expected(gap, series, series), rtol=CLOSE, atol=CLOSE
    )


@fast
@given(gap=gaps, series=any_series)
def test_promises_hold_for_every_gap_and_for_several_channels(gap, series):
    check_metric(ERP(gap), series)
    distances = ERP(gap).block(series, series)
    np.testing.assert_array_equal(distances, distances.T)
    np.testing.assert_array_equal(np.diag(distances), 0)


@fast
@given(gap=gaps, one=several_channels(), other=several_channels())
def test_channels_are_added(gap, one, other):
    apart = sum(ERP(gap)(here, there) for here, there in zip(one, other, strict=True))
    assert ERP(gap)(one, other) == pytest.approx(apart, rel=1e-12)


@fast
@given(one=one_channel, other=one_channel, gap=gaps, place=st.integers(0, 5))
def test_values_at_the_gap_cost_nothing(one, other, gap, place):
    longer = [*one[:place], gap, *one[place:]]
    assert ERP(gap)(one, longer) == 0
    assert ERP(gap)(longer, other) == pytest.approx(ERP(gap)(one, other), rel=CLOSE, abs=CLOSE)


@fast
@given(series=any_series, gap=gaps)
def test_scaling_and_shifting_with_the_gap(series, gap):
    moved = [0.37 * each + 2.0 for each in series]
    np.testing.assert_allclose(
        ERP(0.37 * gap + 2.0).block(moved, moved), 0.37 * ERP(gap).block(series, series), atol=1e-8
    )


def test_long_series_equal_the_definition():
    walks = np.random.default_rng(0).normal(size=(2, 90)).cumsum(axis=1).tolist()
    assert ERP(0.3)(walks[0], walks[1][:61]) == pytest.approx(
        erp(walks[0], walks[1][:61], 0.3), rel=1e-12
    )


@pytest.mark.parametrize("gap", [0.0, 0.7, -5])
def test_not_of_negative_type_whatever_the_gap(gap):
    witness = [np.array(each) + gap for each in ERP.counterexamples["negative_type"]]
    weights = np.array([3, 3, -2, -2, -2])
    assert weights.sum() == 0
    assert weights @ ERP(gap).block(witness, witness) @ weights == pytest.approx(
        12.0
    )  # each pair twice
    found = wideberth.diagnose(witness, ERP(gap))
    assert all(fact.violated for fact in found.spectrum)
    assert not found.broken_promises


def test_does_not_separate():
    assert ERP()(*ERP.counterexamples["separates"]) == 0
    assert ERP().separates is False
    assert ERP(gap=2)([1, 2], [1]) == 0


def test_a_gap_from_each_pair_would_break_the_triangle_inequality():
    def erp_with_standard_deviation(x, y):
        return erp(x, y, float(np.std([*x, *y])))

    found = wideberth.diagnose([[4], [0], [0, 0]], erp_with_standard_deviation)
    assert found.violation("triangle").values == pytest.approx((5.8856, 4, 0), abs=1e-4)
    assert (
        wideberth.diagnose([[4], [0], [0, 0]], ERP(gap=float(np.std([4, 0, 0, 0])))).violations
        == ()
    )


@pytest.mark.parametrize("gap", [math.nan, math.inf, -math.inf, "std", None, [0.0], 1j])
def test_gap_must_be_a_constant(gap):
    with pytest.raises(
        InvalidInput, match=r"gap of 'erp' must be a finite number, not .*gap=0\.0"
    ) as refused:
        ERP(gap=gap)
    assert refused.value.value is gap
    with pytest.raises(InvalidInput):
        ERP().set_params(gap=gap)


def test_the_advice_for_the_gap_works():
    series = np.random.default_rng(0).normal(5.0, size=(4, 6))
    usual = ERP(gap=series.mean())
    np.testing.assert_allclose(
        usual.block(series, series),
        ERP(gap=0.0).block(series - series.mean(), series - series.mean()),
    )


def test_both_sides_need_the_same_channels():
    with pytest.raises(
        InvalidInput, match=r"Series with 1 channels cannot be compared with series with 2"
    ):
        ERP().block(RAGGED, TWO_CHANNELS)
