"""Samples of series: taken in every usual form, picked from like a list, clear about what is
refused.
"""

import math

import numpy as np
import pytest

from wideberth.errors import InvalidInput
from wideberth.metrics.series.sample import SeriesSample, prepare_series

RAGGED = [[0.0], [1.0, 3.0, 2.0], [2.0, 2.0], [0.5, -1.0, 4.0, 0.0], [3.0, 3.0, 1.0]]


def test_all_forms_hold_the_same_series():
    rows = np.arange(6).reshape(2, 3)
    prepared = prepare_series(rows)
    others = [
        rows.tolist(),
        tuple(rows),
        rows.astype(object),
        rows[:, None, :],
        list(rows[:, None, :].astype(np.float32)),
    ]
    for each in map(prepare_series, others):
        np.testing.assert_array_equal(each.values, prepared.values)
        np.testing.assert_array_equal(each.offsets, prepared.offsets)
        assert each.channels == prepared.channels == 1
    assert (prepared.values.dtype, prepared.offsets.dtype) == (np.float64, np.int64)


def test_channels_come_from_the_middle_axis():
    stacked = np.arange(24.0).reshape(2, 3, 4)
    prepared = prepare_series(stacked)
    assert (len(prepared), prepared.channels) == (2, 3)
    np.testing.assert_array_equal(prepared[-1], stacked[1])
    np.testing.assert_array_equal(prepare_series(list(stacked)).values, prepared.values)


def test_a_column_of_lists_and_a_frame_of_numbers():
    pandas = pytest.importorskip("pandas")
    assert len(prepare_series(pandas.Series([[1, 2], [3]]))) == 2
    assert prepare_series(pandas.DataFrame({"monday": [1.0, 2.0], "tuesday": [3.0, 4.0]}))[
        1
    ].tolist() == [2.0, 4.0]
    with pytest.raises(InvalidInput, match=r"Series 0 holds something else than numbers"):
        prepare_series(pandas.DataFrame({"monday": [1.0, 2.0], "note": ["a", "b"]}))


def test_preparing_again_and_float_rows_cost_nothing():
    rows = np.zeros((3, 4))
    prepared = prepare_series(rows)
    assert prepare_series(prepared) is prepared
    assert np.shares_memory(prepared.values, rows)


def test_read_only_rows_are_copied():
    rows = np.zeros((3, 4))
    rows.setflags(write=False)
    assert prepare_series(rows).values.flags.writeable


@pytest.mark.parametrize(
    "indices",
    [
        slice(1, 3),
        slice(0, 0),
        slice(3, 1),
        slice(None),
        slice(-2, None),
        slice(None, None, 2),
        [4, 0, 0],
        [],
        [-1],
    ],
)
@pytest.mark.parametrize(
    "series",
    [RAGGED, [np.full((2, k), float(k)) for k in (1, 2, 3, 2, 1)]],
    ids=["one channel", "two"],
)
def test_take_picks_like_a_list(series, indices):
    picked = prepare_series(series).take(indices)
    wanted = [series[index] for index in np.arange(5)[indices]]
    assert isinstance(picked, SeriesSample)
    assert len(picked) == len(wanted)
    for mine, theirs in zip(picked, wanted, strict=True):
        np.testing.assert_array_equal(mine, theirs)


def test_a_slice_shares_memory():
    prepared = prepare_series(RAGGED)
    picked = prepared.take(slice(1, 3))
    assert np.shares_memory(picked.values, prepared.values)
    assert len(picked.values) == 5


def test_reading_past_the_end_stops():
    with pytest.raises(IndexError):
        prepare_series(RAGGED)[5]


@pytest.mark.parametrize(
    ("objects", "message"),
    [
        ([[1.0], []], r"Series 1 is empty: \[\]"),
        (np.zeros((2, 0)), r"Series 0 is empty"),
        (
            [[1.0, 2.0], [1.0, math.nan]],
            r"Series 1 has the value nan at point 1: array\(\[ 1., nan\]\)",
        ),
        (np.array([[0.0, 1.0], [math.inf, 0.0]]), r"Series 1 has the value inf at point 0"),
        (
            [np.array([[0.0, 1.0, 2.0], [0.0, 1.0, -math.inf]])],
            r"Series 0 has the value -inf at point 2",
        ),
        ([["a", "b"]], r"Series 0 holds something else than numbers: \['a', 'b'\]"),
        ([[1, None]], r"Series 0 holds something else than numbers: \[1, None\]"),
        ([[1.0], "tea"], r"Series 1 is not a sequence of numbers: 'tea'"),
        ([1.0, 2.0], r"Series 0 is not a sequence of numbers: 1.0"),
        (np.array([1.0, 2.0]), r"Series 0 is not a sequence of numbers"),
        ([[[1, 2], [3]]], r"Series 0 has channels of different lengths: \[\[1, 2\], \[3\]\]"),
        ([np.ones((2, 3)), np.ones((3, 3))], r"Series 0 has 2 channels, series 1 has 3"),
        (np.ones((2, 2, 2, 9)), r"Series 0 has shape \(2, 2, 9\): array.*\.\.\."),
    ],
)
def test_refused_with_index_and_value(objects, message):
    with pytest.raises(InvalidInput, match=message):
        prepare_series(objects)


def test_the_advice_for_a_single_series_works():
    with pytest.raises(InvalidInput, match=r"Wrap a single series in a list: \[series\]\."):
        prepare_series([1.0, 2.0])
    assert len(prepare_series([[1.0, 2.0]])) == 1
