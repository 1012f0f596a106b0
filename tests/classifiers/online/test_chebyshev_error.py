"""Errors of truncated Chebyshev series: what is proved is true, and not far from the truth."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.polynomial import chebyshev

from wideberth.classifiers.online.chebyshev_error import measured_error, steepness, truncation_error

QUERIES = np.cos(np.linspace(0, np.pi, 1001))


def error_on_a_grid(p, n):
    """The largest error over a grid of centres; coefficients by the midpoint rule on many nodes."""
    angles = np.pi * (np.arange(4000) + 0.5) / 4000
    cosines = np.cos(np.arange(n + 1)[:, None] * angles)
    errors = []
    for center in np.linspace(0, 1, 11):
        series = 2 * cosines @ np.abs(np.cos(angles) - center) ** p / len(angles)
        series[0] /= 2
        errors.append(
            np.abs(chebyshev.chebval(QUERIES, series) - np.abs(QUERIES - center) ** p).max()
        )
    return max(errors)


@pytest.mark.parametrize("p", [2.2, 3.0, 3.9, 5.0, 6.5])
@pytest.mark.parametrize("n", [1, 2, 5, 12, 40])
def test_the_bound_holds_and_is_at_most_some_times_the_error(p, n):
    error = error_on_a_grid(p, n)
    assert error <= truncation_error(p, n) <= 2.5 * error + 1e-12


@pytest.mark.parametrize("p", [2, 4, 6, 10])
def test_even_powers_are_polynomials(p):
    assert truncation_error(p, p) == truncation_error(p, 3 * p) == 0
    assert truncation_error(p, p - 1) == pytest.approx(
        2 * 2.0 ** (1 - p)
    )  # twice the last coefficient


@settings(deadline=None)
@given(st.floats(1.1, 20), st.integers(1, 10_000))
def test_errors_fall_with_the_degree(p, n):
    assert truncation_error(p, 2 * n) <= truncation_error(p, n)


def test_errors_fall_like_the_degree_to_the_power():
    for p in (2.5, 3.0, 7.0):
        assert truncation_error(p, 200_000) * 2**p == pytest.approx(
            truncation_error(p, 100_000), rel=1e-3
        )


@settings(deadline=None, max_examples=50)
@given(st.floats(1.5, 10), st.floats(-1, 1), st.floats(-1, 1))
def test_the_function_moves_no_faster_than_its_steepness(p, one, other):
    nodes = np.cos(np.pi * (np.arange(2000) + 0.5) / 2000)
    moved = np.abs(nodes - one) ** p - np.abs(nodes - other) ** p
    rounding = 1e-15 * 2**p
    assert np.sqrt(np.mean(moved**2)) <= steepness(p) * abs(one - other) * (1 + 1e-6) + rounding


@pytest.mark.parametrize("p", [2.2, 3.0, 5.0, 6.5])
@pytest.mark.parametrize("n", [2, 5, 12, 40])
def test_the_measured_error_is_attacked_in_vain_and_sharper(p, n):
    """A dense search over centres and queries, denser where the first one finds the largest
    error.
    """
    angles = np.pi * (np.arange(8000) + 0.5) / 8000
    cosines = np.cos(np.arange(n + 1)[:, None] * angles)
    bound = measured_error(p, n)

    def error(center, queries):
        series = 2 * cosines @ np.abs(np.cos(angles) - center) ** p / len(angles)
        series[0] /= 2
        return np.abs(chebyshev.chebval(queries, series) - np.abs(queries - center) ** p).max()

    centers = np.cos(np.linspace(0, np.pi, 61))
    worst = max(centers, key=lambda center: error(center, QUERIES))
    near = np.clip(worst + np.linspace(-0.05, 0.05, 41), -1, 1)
    found = max(error(center, np.append(QUERIES, near)) for center in near)
    assert found <= bound <= 1.5 * found + 1e-12
    assert bound <= 0.9 * truncation_error(p, n)
