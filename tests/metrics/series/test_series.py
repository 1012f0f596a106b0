"""Elastic distances: equal to their definitions, lawful as promised, clear about what they
refuse.
"""

import math
import pickle
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.metrics.elastic import dtw, joint_msm, msm, over_channels
from strategies import any_series, one_channel

from wideberth.errors import InvalidInput
from wideberth.metrics.series.elastic import DTW, MSM

CLOSE = 1e-9
WINDOWS = (None, 0.01, 0.3, 0.5, 1.0)
RAGGED = [[0.0], [1.0, 3.0, 2.0], [2.0, 2.0], [0.5, -1.0, 4.0, 0.0], [3.0, 3.0, 1.0]]
TWO_CHANNELS = [
    np.array([[0.0], [1.0]]),
    np.array([[1.0, 3.0, 2.0], [0.0, -1.0, 5.0]]),
    np.array([[2.0, 2.0, 0.0, 1.0], [1.0, 0.0, 0.0, 3.0]]),
]

any_metric = st.one_of(st.floats(0.01, 10).map(MSM), st.sampled_from(WINDOWS).map(DTW))
fast = settings(deadline=None, max_examples=60)


def expected(metric, one, other):
    one, other = np.atleast_2d(one), np.atleast_2d(other)
    if isinstance(metric, MSM):
        return over_channels(partial(msm, cost=metric.cost), one, other)
    return dtw(one, other, metric.window)


def all_expected(metric, left, right):
    return np.array([[expected(metric, one, other) for other in right] for one in left])


@pytest.mark.kernels
@pytest.mark.parametrize("series", [RAGGED, TWO_CHANNELS], ids=["one channel", "two channels"])
@pytest.mark.parametrize("metric", [MSM(), MSM(cost=0.3), *map(DTW, WINDOWS)], ids=repr)
def test_block_equals_the_definition(metric, series):
    np.testing.assert_allclose(
        metric.block(series, series[1:]), all_expected(metric, series, series[1:]), atol=CLOSE
    )


@pytest.mark.kernels
@pytest.mark.parametrize("metric", [MSM(), DTW()], ids=repr)
def test_empty_blocks(metric):
    assert metric.block([], RAGGED).shape == (0, 5)
    assert metric.block(TWO_CHANNELS, []).shape == (3, 0)
    assert metric.block([], []).shape == (0, 0)


@fast
@given(metric=any_metric, series=any_series)
def test_random_blocks_equal_the_definition(metric, series):
    np.testing.assert_allclose(
        metric.block(series, series), all_expected(metric, series, series), rtol=CLOSE, atol=CLOSE
    )


@fast
@given(metric=any_metric, series=any_series)
def test_block_equals_pairs(metric, series):
    one_by_one = [[metric(one, other) for other in series] for one in series]
    np.testing.assert_array_equal(metric.block(series, series), one_by_one)


@fast
@given(metric=any_metric, series=any_series)
def test_symmetric_and_zero_on_itself(metric, series):
    distances = metric.block(series, series)
    np.testing.assert_array_equal(distances, distances.T)
    np.testing.assert_array_equal(np.diag(distances), 0)


@fast
@given(cost=st.floats(0.01, 10), series=any_series)
def test_msm_obeys_the_triangle_inequality(cost, series):
    distances = MSM(cost).block(series, series)
    detours = (distances[:, :, None] + distances[None, :, :]).min(axis=1)
    assert (distances <= detours + CLOSE * (1 + distances.max())).all()


@fast
@given(one=one_channel, other=one_channel)
def test_msm_separates(one, other):
    assert (MSM()(one, other) == 0) == (one == other)


@fast
@given(series=any_series, cost=st.floats(0.1, 10))
def test_msm_scales_with_its_cost_and_ignores_the_origin(series, cost):
    scaled = [0.37 * each + 2.0 for each in series]
    np.testing.assert_allclose(
        MSM(0.37 * cost).block(scaled, scaled), 0.37 * MSM(cost).block(series, series), atol=1e-8
    )


def test_long_series_equal_the_definition():
    walks = np.random.default_rng(0).normal(size=(2, 90)).cumsum(axis=1)
    assert MSM()(walks[0], walks[1, :61]) == pytest.approx(
        msm(walks[0], walks[1, :61], 1.0), abs=CLOSE
    )


@pytest.mark.parametrize(
    ("window", "reach"), [(0.01, 0), (0.125, 1), (0.3, 2), (0.5, 4), (1.0, 6), (None, 6)]
)
def test_dtw_window_limits_the_shift(window, reach):
    """A pulse is aligned with a later one exactly if the window reaches that far: all but the end
    points are pulses here.
    """
    pulses = np.eye(8)[1:7]
    aligned = DTW(window).block(pulses, pulses) == 0
    shifts = np.abs(np.subtract.outer(range(6), range(6)))
    np.testing.assert_array_equal(aligned, shifts <= reach)


def test_msm_is_not_of_negative_type():
    witness = [[0, 0], [0, 1], [1, 1], [0, 1, 0], [1, 1, 0]]
    weights = np.array([1, -3, 2, 2, -2])
    assert weights.sum() == 0
    assert weights @ MSM().block(witness, witness) @ weights == pytest.approx(
        2.0
    )  # each pair twice
    scaled = [0.37 * np.array(each) for each in witness]
    assert weights @ MSM(cost=0.37).block(scaled, scaled) @ weights == pytest.approx(0.74)
    assert MSM().negative_type is False
    assert MSM().hilbertian is False  # d Hilbertian would make d of negative type (Schoenberg)


def test_joint_channels_would_break_the_triangle_inequality():
    x, y, z = [[3, 0, 3], [0, 0, 1]], [[2], [2]], [[1], [3]]
    assert joint_msm(x, z, 1.0) > joint_msm(x, y, 1.0) + joint_msm(y, z, 1.0) + 1.5
    assert MSM()(x, z) <= MSM()(x, y) + MSM()(y, z)


@pytest.mark.parametrize("window", WINDOWS)
def test_dtw_breaks_what_it_says_it_breaks(window):
    x, y, z = [1, 1, 2], [1, 2], [0]
    metric = DTW(window)
    assert metric(x, y) == 0
    assert metric(x, z) == pytest.approx(math.sqrt(6))
    assert metric(y, z) == pytest.approx(math.sqrt(5))
    assert (metric.obeys_triangle, metric.separates, metric.negative_type, metric.hilbertian) == (
        False,
        False,
        False,
        False,
    )


@pytest.mark.parametrize("metric", [MSM(), DTW()], ids=repr)
def test_both_sides_need_the_same_channels(metric):
    with pytest.raises(
        InvalidInput, match=r"Series with 1 channels cannot be compared with series with 2"
    ):
        metric.block(RAGGED, TWO_CHANNELS)


@pytest.mark.parametrize("cost", [0, -1.0, math.nan, math.inf, "1", None])
def test_cost_must_be_positive(cost):
    with pytest.raises(InvalidInput, match=r"cost of 'msm' must be a positive number"):
        MSM(cost=cost)
    with pytest.raises(InvalidInput):
        MSM().set_params(cost=cost)


@pytest.mark.parametrize("window", [0, -0.1, 1.5, math.nan, "0.1", 10])
def test_window_must_be_a_share(window):
    with pytest.raises(InvalidInput, match=r"window of 'dtw' must be a share"):
        DTW(window=window)


@pytest.mark.parametrize("metric", [MSM(cost=2), DTW(window=0.2)], ids=repr)
def test_parameters_and_pickling(metric):
    again = pickle.loads(pickle.dumps(metric))
    assert (
        again.get_params()
        == metric.get_params()
        == type(metric)(**metric.get_params()).get_params()
    )
    np.testing.assert_array_equal(again.block(RAGGED, RAGGED), metric.block(RAGGED, RAGGED))
    prepared = pickle.loads(pickle.dumps(metric.prepare(RAGGED)))
    np.testing.assert_array_equal(metric.block(prepared, prepared), metric.block(RAGGED, RAGGED))
