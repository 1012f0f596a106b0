"""The inversion of the binomial tail is exact, however small delta is."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles.bounds.bounds import log_binomial_tail
from scipy.stats import beta, hypergeom

from wideberth.bounds.binomial import binomial_inversion, excess_chance, holdout_bound, log_binomial

LOG_DELTAS = [-1e-6, -0.05, -3.0, -99.9, -100.1, -800.0, -1e4, -1e6]


@pytest.mark.parametrize("log_delta", LOG_DELTAS)
@pytest.mark.parametrize(
    ("errors", "n"),
    [(0, 1), (1, 2), (1, 10), (8, 10), (9, 10), (3, 60), (30, 60), (59, 60), (5, 200)],
)
def test_it_is_the_exact_inverse(errors, n, log_delta):
    p, accuracy = Fraction(binomial_inversion(errors, n, log_delta=log_delta)), Fraction(1, 10**10)
    below, above = max(p - accuracy, Fraction(0)), min(p + accuracy, Fraction(1))
    assert log_binomial_tail(errors, n, below) >= log_delta
    assert log_binomial_tail(errors, n, above) <= log_delta


@pytest.mark.parametrize("n", [100, 10_000, 1_000_000, 10_000_000])
@pytest.mark.parametrize("share", [0.001, 0.1, 0.5, 0.9])
def test_both_ways_to_compute_it_agree_where_one_takes_over(n, share):
    errors = int(share * n)
    just_above, just_below = (
        binomial_inversion(errors, n, log_delta=-100 * factor) for factor in (1 - 1e-12, 1 + 1e-12)
    )
    assert just_below == pytest.approx(just_above, rel=1e-9, abs=1e-11)


@pytest.mark.parametrize(("errors", "n", "delta"), [(3, 50, 0.05), (0, 7, 0.2), (400, 1000, 1e-6)])
def test_it_is_the_interval_of_clopper_and_pearson(errors, n, delta):
    assert binomial_inversion(errors, n, log_delta=math.log(delta)) == pytest.approx(
        beta.isf(delta, errors + 1, n - errors)
    )


@pytest.mark.parametrize("log_delta", [*LOG_DELTAS, -1e300, -math.inf])
def test_the_edges(log_delta):
    assert binomial_inversion(0, 0, log_delta=log_delta) == 1.0
    assert binomial_inversion(5, 5, log_delta=log_delta) == 1.0
    assert binomial_inversion(6, 5, log_delta=log_delta) == 1.0
    for errors in (0, 1, 3, 4):
        assert 0.0 <= binomial_inversion(errors, 5, log_delta=log_delta) <= 1.0


def test_without_doubt_nothing_is_proved_and_with_certainty_of_failure_everything():
    assert binomial_inversion(2, 5, log_delta=-math.inf) == 1.0
    assert binomial_inversion(2, 5, log_delta=0.0) == 0.0


@given(st.integers(1, 10**6), st.floats(0, 1), st.floats(-1e5, -1e-3))
def test_more_errors_less_data_and_smaller_delta_make_it_larger(n, share, log_delta):
    errors = int(share * n)
    value = binomial_inversion(errors, n, log_delta=log_delta)
    assert 0.0 <= value <= 1.0
    slack = 1e-12
    assert binomial_inversion(errors + 1, n, log_delta=log_delta) >= value - slack
    assert binomial_inversion(errors, n + 1, log_delta=log_delta) <= value + slack
    assert binomial_inversion(errors, n, log_delta=1.5 * log_delta) >= value - slack
    assert value >= min(errors / n, 1.0) or log_delta > math.log(0.5)


def test_numbers_of_numpy_will_do():
    expected = binomial_inversion(3, 50, log_delta=-200.0)
    assert binomial_inversion(np.int32(3), np.int64(50), log_delta=np.float64(-200.0)) == expected


@pytest.mark.parametrize(("n", "k"), [(1, 0), (5, 2), (60, 30), (1000, 3), (1000, 997)])
def test_the_binomial_coefficient(n, k):
    assert log_binomial(n, k) == pytest.approx(math.log(math.comb(n, k)), rel=1e-12, abs=1e-12)


def test_a_choice_among_candidates_is_paid_for():
    assert holdout_bound(3, 50, log_delta=math.log(0.05)) == binomial_inversion(
        3, 50, log_delta=math.log(0.05)
    )
    assert holdout_bound(3, 50, log_delta=math.log(0.05), candidates=10) == pytest.approx(
        binomial_inversion(3, 50, log_delta=math.log(0.005))
    )


@given(
    n=st.integers(1, 300),
    share=st.floats(0, 1),
    other_n=st.integers(1, 300),
    other_share=st.floats(0, 1),
)
def test_an_excess_is_fishers_exact_test(n, share, other_n, other_share):
    hits, other_hits = int(share * n), int(other_share * other_n)
    expected = hypergeom.sf(hits - 1, n + other_n, hits + other_hits, n)
    assert excess_chance(hits, n, other_hits, other_n) == pytest.approx(
        expected, rel=1e-8, abs=1e-300
    )
