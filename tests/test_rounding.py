"""What is taken off a radius for rounding, and what may be given back."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wideberth.rounding import (
    RADIUS_ERROR,
    DistanceErrors,
    binary_unit,
    half_leads,
    radii_of_leads,
    shown_radius,
    to_steps,
)

EXACT = DistanceErrors.of(1, 0.0)
SIZES = st.floats(1e-3, 1e6)


@given(st.floats(0, 1e4), st.sampled_from([0.37, 0.5, 1.0, 2.0]))
def test_what_is_given_back_says_nothing_new_of_distances_in_steps(radius, step):
    given_back = float(to_steps(np.array([radius]), step)[0])
    assert given_back >= radius
    multiples = step * np.arange(0, int(radius / step) + 3)
    np.testing.assert_array_equal(multiples < given_back, multiples < radius)


def test_a_person_sees_whole_and_half_steps():
    radii = np.array([1.5, 2.0, 0.5, 3.25, 0.0, np.inf]) * (1 - 4 * RADIUS_ERROR)
    np.testing.assert_array_equal(
        to_steps(radii, 1.0)[[0, 1, 2, 4, 5]], [1.5, 2.0, 0.5, 0.0, np.inf]
    )
    np.testing.assert_array_equal(to_steps(radii, None), radii)


@given(
    st.lists(st.tuples(st.floats(-100, 100), SIZES, SIZES), min_size=2, max_size=5),
    st.sampled_from([0.0, 1e-150, 1e-3]),
)
def test_radii_of_leads_are_below_the_exact_ones_and_close(terms, underflow):
    scores, sizes, slopes = (np.array(each) for each in zip(*terms, strict=True))
    sizes += np.abs(scores)
    found = float(
        radii_of_leads(scores[None], sizes[None], slopes, DistanceErrors.of(1, underflow))[0]
    )
    winner = int(scores.argmax())
    exact = min(
        (scores[winner] - scores[rival]) / (slopes[winner] + slopes[rival])
        for rival in range(len(scores))
        if rival != winner
    )
    assert 0 <= found <= exact
    least = min(slopes[winner] + slopes[rival] for rival in range(len(scores)) if rival != winner)
    assert (
        found
        >= exact * (1 - 5 * RADIUS_ERROR)
        - 5 * underflow
        - 5 * RADIUS_ERROR * 2 * sizes.max() / least
    )


def test_nothing_is_certified_from_nan():
    nan = np.array([[np.nan, 1.0]])
    assert radii_of_leads(nan, np.ones((1, 2)), np.ones(2), EXACT) == 0
    assert radii_of_leads(np.array([[2.0, 1.0]]), nan, np.ones(2), EXACT) == 0
    assert half_leads(np.array([np.nan]), np.array([1.0]), EXACT) == 0
    assert half_leads(np.array([0.0]), np.array([np.nan]), EXACT) == 0


@pytest.mark.parametrize("stretch", [1.0, 1.5])
def test_half_a_lead_is_what_the_triangle_inequality_leaves(stretch):
    assert half_leads(np.array([1.0]), np.array([4.0]), EXACT, stretch)[0] == pytest.approx(
        (4 / stretch - stretch) / (1 + stretch)
    )
    assert half_leads(np.array([1.0]), np.array([np.inf]), EXACT)[0] == np.inf


@given(st.floats(0, 1e12))
def test_a_radius_is_never_shown_larger_than_it_is(radius):
    assert radius * (1 - 1e-5) <= float(shown_radius(radius)) <= radius
    assert len(shown_radius(radius)) <= 24


@given(st.floats(0, np.finfo(float).max))
def test_values_in_a_binary_unit_are_about_1_and_lose_no_digit(largest):
    unit = binary_unit(np.array([0.0, largest]))
    assert largest == 0 or 1 <= largest / unit < 2
    assert largest / unit * unit == largest
