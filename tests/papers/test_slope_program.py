"""The program of the slope: its bounds enclose what HiGHS finds."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.classifiers.linear_scores import slope_program
from scipy.sparse import csr_array

from wideberth.papers.slope_program import least_slope_scores


def drawn(seed, n=14, d=6, n_classes=3):
    random = np.random.default_rng(seed)
    codes = np.resize(np.arange(n_classes), n)
    matrix = random.poisson(0.7, size=(n, d)).astype(float)
    matrix[np.arange(n), codes] += random.poisson(1.5, size=n)
    return matrix, codes, random.uniform(0.02, 0.3, size=n)


@pytest.mark.parametrize("n_classes", [2, 3, 4])
@pytest.mark.parametrize("seed", range(4))
def test_highs_lies_between_the_bounds(seed, n_classes):
    matrix, codes, prices = drawn(seed, n_classes=n_classes)
    found = least_slope_scores(csr_array(matrix), codes, prices, n_classes)
    best = slope_program(matrix, codes, prices, n_classes)
    assert found.status == "optimal"
    assert found.lower_bound <= best * (1 + 1e-7) + 1e-9
    assert best <= found.value * (1 + 1e-7) + 1e-9
    assert found.relative_gap <= 1e-6


@given(seed=st.integers(0, 10**6))
@settings(max_examples=20, deadline=None)
def test_the_value_is_that_of_the_point_and_above_the_bound(seed):
    matrix, codes, prices = drawn(seed, n=8, d=4)
    found = least_slope_scores(matrix, codes, prices, 3)
    scores = matrix @ found.point.coefficients + found.point.intercepts
    rivals = np.where(np.arange(3) == codes[:, None], -np.inf, scores)
    losses = np.maximum(0.0, 1.0 - (scores[np.arange(8), codes] - rivals.max(axis=1)))
    slope = (found.point.coefficients.max(axis=1) - found.point.coefficients.min(axis=1)).max()
    assert found.value == pytest.approx(slope + prices @ losses)
    assert found.lower_bound <= found.value


def test_prices_that_pay_for_nothing_leave_constant_scores():
    matrix, codes, _ = drawn(0, n_classes=2)
    found = least_slope_scores(matrix, codes, np.full(14, 1e-6), 2)
    assert np.abs(found.point.coefficients).max() < 1e-9
    assert found.relative_gap <= 1e-6
