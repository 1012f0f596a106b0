"""Risks from complexities, and the complexity of the Lipschitz ball beside its exact value."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.bounds import balls as oracle
from sources import covers
from strategies import metric_matrices

from wideberth.bounds.balls import log_share, measured_ball_risk, open_stratum
from wideberth.papers.capacities import (
    cube_rademacher,
    discrepancy_rate,
    fixed_ball_risk,
    lemma_14_risk,
    stratified_ball_risk,
    tree_rademacher,
)

LOG_DELTA = math.log(0.05)
SHARES = st.floats(0, 1)


@given(SHARES, SHARES, st.integers(1, 10**9), st.floats(-1e4, -1e-6))
def test_risks_are_ordered(empirical, rademacher, n, log_delta):
    fixed, measured, printed = (
        risk(empirical, rademacher, n, log_delta=log_delta)
        for risk in (fixed_ball_risk, measured_ball_risk, lemma_14_risk)
    )
    assert empirical + 2 * rademacher <= fixed <= measured <= printed
    chosen = stratified_ball_risk(empirical, 1.0, lambda L: rademacher * L, n, log_delta=log_delta)
    assert measured <= chosen


def test_the_formulas_by_hand():
    n = 200
    assert lemma_14_risk(0.1, 0.05, n, log_delta=LOG_DELTA) == pytest.approx(
        0.2 + math.sqrt(8 * math.log(40) / n)
    )
    assert fixed_ball_risk(0.1, 0.05, n, log_delta=LOG_DELTA) == pytest.approx(
        0.2 + math.sqrt(math.log(20) / (2 * n))
    )
    assert measured_ball_risk(0.1, 0.05, n, log_delta=LOG_DELTA) == pytest.approx(
        0.2 + 3 * math.sqrt(math.log(40) / (2 * n))
    )


def test_a_norm_that_was_learned_is_raised_to_its_stratum_and_paid_for():
    norms = []
    found = stratified_ball_risk(
        0.1, 3.0, lambda L: norms.append(L) or 0.05, 1000, log_delta=LOG_DELTA
    )
    i, L = open_stratum(3.0)
    assert norms == [L]
    assert 3.0 <= L < 3.0 * 2 ** (1 / 8)
    assert found == measured_ball_risk(0.1, 0.05, 1000, log_delta=LOG_DELTA + log_share(i))


@given(st.floats(1e-12, 1e12))
def test_every_number_has_an_open_stratum_just_above(L):
    i, L_i = open_stratum(L)
    assert i >= 1
    assert L * (1 - 1e-12) <= L_i <= 2 ** (1 / 8) * L * (1 + 1e-12)
    assert open_stratum(L_i * (1 - 1e-12))[0] == i


def test_no_two_open_strata_share_a_number():
    assert sorted(open_stratum(2 ** (j / 8) * 0.999)[0] for j in range(-40, 41)) == list(
        range(1, 82)
    )


@settings(deadline=None, max_examples=6)
@given(metric_matrices(min_size=4, max_size=5), st.sampled_from([0.1, 0.5, 1.0, 3.0]))
def test_the_tree_is_above_the_exact_complexity(distances, height):
    reach = height * (distances.max() or 1.0)
    exact = oracle.lipschitz_rademacher(distances, reach)
    radii, numbers = covers(distances)
    n = len(distances)
    assert exact <= tree_rademacher(radii, numbers, n, reach=reach) + 1e-9
    assert exact <= tree_rademacher(radii[:1], numbers[:1], n, reach=reach) + 1e-9


def test_the_tree_needs_its_numbers():
    """Objects far apart: each function is free on each, and the complexity is the reach. With balls
    too few it is too small.
    """
    distances = 2.0 * (1 - np.eye(6))
    exact = oracle.lipschitz_rademacher(distances, 1.0)
    assert exact == pytest.approx(1.0)
    assert tree_rademacher([2.0, 0.0], [1, 6], 6, reach=1.0) >= 1.0
    assert tree_rademacher([2.0, 0.0], [1, 3], 6, reach=1.0) < exact


def test_the_tree_by_hand_and_its_laws():
    scales, numbers = [1.0, 0.5, 0.25, 0.125], [1, 2, 4, 8]
    n = 10_000
    found = tree_rademacher(scales, numbers, n, reach=0.5)
    assert found == pytest.approx(
        0.125 + 0.5 * math.sqrt(8) / 100
    )  # straight to the last: levels between would be dearer
    fine, many = 0.5 ** np.arange(9), 4.0 ** np.arange(9)
    by_levels = 0.5**8 + (0.5 * math.sqrt(many[0]) + (fine[:-1] * np.sqrt(many[1:])).sum()) / 10_000
    assert (
        tree_rademacher(fine, many, 10**8, reach=0.5)
        <= by_levels
        < 0.5**8 + 0.5 * math.sqrt(many[-1]) / 10_000
    )
    assert tree_rademacher(0.37 * np.array(scales), numbers, n, reach=0.37 * 0.5) == pytest.approx(
        0.37 * found
    )
    assert (
        tree_rademacher(scales, numbers, 4 * n, reach=0.5)
        <= found
        <= tree_rademacher(scales, numbers, n, reach=1.0)
    )
    assert tree_rademacher(scales, numbers, 1, reach=0.5) == 0.5


@pytest.mark.parametrize("d", [1, 2, 3])
def test_the_cube_is_above_what_is_seen_on_it(d):
    """The complexity of five random points, exactly; on the whole cube it is no smaller for
    others.
    """
    points = np.random.default_rng(d).uniform(size=(5, d))
    distances = np.linalg.norm(points[:, None] - points, axis=2)
    assert oracle.lipschitz_rademacher(distances, math.sqrt(d)) <= cube_rademacher(5, d)


@pytest.mark.parametrize(("d", "slope"), [(1, -1 / 2), (3, -1 / 3), (4, -1 / 4), (6, -1 / 6)])
def test_the_cube_falls_at_the_rate_of_theorem_15(d, slope):
    exponents = np.arange(20, 50, 2 * d)
    values = [math.log2(cube_rademacher(2 ** int(e), d)) for e in exponents]
    assert np.polyfit(exponents, values, 1)[0] == pytest.approx(slope, abs=0.02)
    rates = [math.log2(discrepancy_rate(2.0**e, d)) for e in exponents]
    np.testing.assert_allclose(rates, slope * exponents)
    assert cube_rademacher(1, d) == pytest.approx(math.sqrt(d))  # one object: the largest value
    # one cell and then 8 of half the width, whose corners are sqrt(3) / 4 from their centres
    assert cube_rademacher(100, 3) == pytest.approx(math.sqrt(3) * (1 / 4 + 0.1 + 0.08**0.5 / 2))


def test_in_the_plane_the_chain_pays_a_logarithm():
    assert cube_rademacher(1, 2) == pytest.approx(math.sqrt(2))
    assert cube_rademacher(100, 2) == pytest.approx(math.sqrt(2) * (1 / 8 + 0.1 + 0.1 + 0.1))
    assert discrepancy_rate(100, 2) == pytest.approx(math.sqrt(math.log(100)) / 10)
    sizes = [2**e for e in range(20, 60, 4)]
    beside_example_5 = [cube_rademacher(n, 2) / (math.log(n) / math.sqrt(n)) for n in sizes]
    beside_theorem_15 = [cube_rademacher(n, 2) / discrepancy_rate(n, 2) for n in sizes]
    assert max(beside_example_5) / min(beside_example_5) < 1.15
    assert (np.diff(beside_theorem_15) > 0).all()
