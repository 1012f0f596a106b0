"""Dropping coefficients: what is left is good enough, and one fewer would not be."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from wideberth.classifiers.lp_machine.smoothed_path import fewest_coefficients


@given(st.lists(st.floats(-10, 10), max_size=20).map(np.array), st.floats(0, 1))
def test_the_smallest_are_dropped_until_one_more_would_be_too_many(coefficients, share):
    enough = share * np.abs(coefficients).sum() * (1 - 1e-9)

    def good_enough(left):
        return bool(np.abs(left).sum() >= enough)

    left = fewest_coefficients(coefficients, good_enough)
    assert good_enough(left)
    used = np.flatnonzero(left)
    np.testing.assert_array_equal(left[used], coefficients[used])
    if len(used):
        assert np.abs(left[used]).min() >= np.abs(coefficients[left == 0]).max(initial=0.0)
        left[used[np.abs(left[used]).argmin()]] = 0.0
        assert not good_enough(left)


def test_nothing_is_dropped_if_all_are_needed_and_everything_if_none_is():
    coefficients = np.array([1.0, -2.0, 3.0])
    np.testing.assert_array_equal(
        fewest_coefficients(coefficients, lambda left: bool(left.all())), coefficients
    )
    np.testing.assert_array_equal(fewest_coefficients(coefficients, lambda left: True), np.zeros(3))
