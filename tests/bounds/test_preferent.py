"""The preferent bound is the root of its equation, from one object to ten million."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles.bounds import bounds as oracle

from wideberth.bounds.binomial import binomial_inversion
from wideberth.bounds.compression import preferent_bound
from wideberth.papers.compression_bounds import explicit_preferent_bound


@pytest.mark.parametrize("log_delta", [-1e-6, -0.05, -3.0, -50.0, -1e4])
@pytest.mark.parametrize(
    ("kept", "n"),
    [
        (0, 1),
        (0, 2),
        (1, 2),
        (0, 10),
        (5, 10),
        (9, 10),
        (0, 1000),
        (10, 1000),
        (500, 1000),
        (998, 1000),
        (99, 4000),
    ],
)
def test_it_is_the_root_of_the_direct_sum(kept, n, log_delta):
    assert preferent_bound(kept, n, log_delta=log_delta) == pytest.approx(
        oracle.preferent_bound(kept, n, log_delta), abs=1e-9
    )


@pytest.mark.parametrize(
    ("kept", "log_delta"), [(0, -3.0), (1, -0.05), (10**5, -3.0), (5 * 10**5, -1e4)]
)
@pytest.mark.parametrize("n", [10**6, pytest.param(10**7, marks=pytest.mark.slow)])
def test_it_is_the_root_for_millions(kept, n, log_delta):
    eps = preferent_bound(kept, n, log_delta=log_delta)
    assert kept / n < eps < 1
    just_below, just_above = (
        log_delta + oracle.preferent_sum(kept, n, factor * eps) for factor in (1 - 1e-6, 1 + 1e-6)
    )
    assert just_below < 0 < just_above


@pytest.mark.parametrize(
    ("kept", "n", "delta", "value"), [(600, 60_000, 0.01, 0.0116), (99, 4000, 0.05, 0.0330)]
)
def test_known_values(kept, n, delta, value):
    assert preferent_bound(kept, n, log_delta=math.log(delta)) == pytest.approx(value, abs=5e-5)


def test_the_edges():
    assert preferent_bound(5, 5, log_delta=-1.0) == 1.0
    assert preferent_bound(6, 5, log_delta=-1.0) == 1.0
    assert preferent_bound(0, 1, log_delta=math.log(0.1)) == pytest.approx(0.9)
    for n in (1, 10, 10**9):
        assert preferent_bound(0, n, log_delta=0.0) == pytest.approx(0.0, abs=1e-14)
    assert preferent_bound(9, 10, log_delta=-1e6) == 1.0
    assert preferent_bound(3, 10, log_delta=-math.inf) == 1.0


@given(st.integers(1, 10**7), st.floats(0, 1), st.floats(-1e5, -1e-3))
def test_more_kept_less_data_and_smaller_delta_make_it_larger(n, share, log_delta):
    kept = int(share * n)
    value = preferent_bound(kept, n, log_delta=log_delta)
    slack = 1e-11
    assert kept / n <= value <= 1.0
    assert preferent_bound(kept + 1, n, log_delta=log_delta) >= value - slack
    assert preferent_bound(kept, n + 1, log_delta=log_delta) <= value + slack
    assert preferent_bound(kept, n, log_delta=1.5 * log_delta) >= value - slack


@given(st.integers(1, 10**7), st.floats(0, 1), st.floats(-1e6, -1e-9))
def test_it_lies_between_a_test_of_fresh_objects_and_the_explicit_formula(n, share, log_delta):
    kept = int(share * n)
    value = preferent_bound(kept, n, log_delta=log_delta)
    assert binomial_inversion(kept, n, log_delta=log_delta) <= value + 1e-11
    assert value <= explicit_preferent_bound(kept, n, log_delta=log_delta) + 1e-11
