"""Bounds for streams: sums against their series, laws, the numbers of the solvers, and simulated
halving.
"""

from itertools import pairwise
from math import comb, log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles.classifiers.knowledge import knowledge_set
from scipy.special import gammaln

from wideberth.classifiers.online.knowledge_set import Scales
from wideberth.classifiers.online.lifts import EuclideanLift, lift_of
from wideberth.papers.online_bounds import (
    EXACT_VOTE,
    SAMPLED_VOTE,
    convex_regions_exponent,
    ellipsoid_kept,
    euclidean_loss,
    even_power_loss,
    halving_mistakes,
    initial_potential,
    ladder_loss,
    margin_mistakes,
    mistakes_at_scale,
    partition_loss,
    ranking_loss,
    robust_mistakes,
    stated_even_power_loss,
    stated_margin_mistakes,
)
from wideberth.papers.online_powers import lp_ladder

DIMENSIONS = st.integers(1, 200)
POWERS = st.floats(0.05, 3)
RADII = st.floats(0.01, 1e6)
KEPT = st.floats(0.5, 0.99)
MARGINS = st.floats(1e-9, 1)


@given(DIMENSIONS, st.floats(0.2, 3), RADII, KEPT)
def test_the_closed_form_ends_the_series(d, alpha, R, kept):
    first = -int(np.ceil(np.log2(2 * R)))
    scales = np.arange(first, first + 400, dtype=float)
    ray = (
        np.exp(gammaln(d / 2 + 1) - gammaln((d + 1) / 2)) / np.sqrt(np.pi) * 8 * d * R * 2.0**scales
    )
    excess = d * np.log1p(8 * d * R * 2.0**scales) - np.log1p(ray)
    series = np.sum(
        np.minimum(2.0**-scales, R / 2) ** alpha * excess
    )  # half of the losses, to the power
    bound = initial_potential(d, alpha=alpha, R=R, kept=kept)
    assert bound == pytest.approx(2**alpha / -log(kept) * series, rel=1e-9)


@given(DIMENSIONS, POWERS, RADII, KEPT)
def test_potentials_grow_with_all_but_the_power(d, alpha, R, kept):
    value = initial_potential(d, alpha=alpha, R=R, kept=kept)
    assert initial_potential(d + 1, alpha=alpha, R=R, kept=kept) > value
    assert initial_potential(d, alpha=alpha, R=2 * R, kept=kept) > value
    assert initial_potential(d, alpha=alpha, R=R, kept=kept + 0.001) > value


def test_growth_is_that_of_theorem_10():
    assert initial_potential(10_000) / initial_potential(1_000) == pytest.approx(
        10 * log(10_000) / log(1_000), rel=0.1
    )
    assert initial_potential(5, alpha=0.001) / initial_potential(5, alpha=0.01) == pytest.approx(
        100, rel=0.2
    )


@pytest.mark.parametrize(("d", "alpha", "R"), [(2, 1.0, 2.0), (7, 0.5, 4.2), (30, 1.0, 161.0)])
@pytest.mark.parametrize("kept", [EXACT_VOTE, SAMPLED_VOTE])
def test_potentials_are_those_of_the_scales(d, alpha, R, kept):
    scales = Scales.for_ball(d, R, alpha)
    finite = scales.potential(scales.ball_excess(), kept=kept)
    assert finite <= initial_potential(d, alpha=alpha, R=R, kept=kept) <= finite * 1.01


@pytest.mark.parametrize(
    ("engine", "kept"), [("sampling", SAMPLED_VOTE), ("ellipsoid", ellipsoid_kept(3))]
)
def test_engines_in_a_ball_start_at_the_bound(engine, kept):
    assert knowledge_set(3, engine=engine).initial_potential == pytest.approx(
        initial_potential(3, kept=kept), rel=1e-6
    )


@pytest.mark.parametrize("d", [1, 2, 5, 50, 1000])
def test_an_ellipsoid_loses_about_a_quarter_of_a_dimensionth(d):
    assert 0.2 < -d * log(ellipsoid_kept(d)) < 0.5


def test_lifted_losses_are_those_of_the_lifts():
    for d in (1, 4, 9):
        lift = EuclideanLift(d)
        unit = lift.loss_scale(np.zeros(d))
        bound = unit * initial_potential(
            lift.dimension, alpha=lift.power, R=lift.radius, other=(1 / unit, 0.5)
        )
        assert euclidean_loss(d) == pytest.approx(bound)
        for p in (4, 6, 12):
            lift = lift_of("lp", d, p=p)
            power = 2 * lift.power
            unit = lift.loss_scale(np.zeros(d)) ** 2
            other = 1 / unit, 2 / p
            bound = unit * initial_potential(
                lift.dimension, alpha=power, R=lift.radius, kept=SAMPLED_VOTE, other=other
            )
            assert even_power_loss(p, d, alpha=2.0, kept=SAMPLED_VOTE) == pytest.approx(bound)


def summed(dimension, R, loss, kept):
    """Losses of mistakes times how many there can be, over 900 scales one by one."""
    scales = np.arange(-np.ceil(np.log2(2 * R)), 900)
    x = 8 * dimension * R * 2.0**scales
    ball = np.exp(gammaln(dimension / 2 + 1) - gammaln((dimension + 1) / 2)) / np.sqrt(np.pi)
    mistakes = (dimension * np.log1p(x) - np.log1p(ball * x)) / -log(kept)
    return float(loss(np.minimum(2.0 ** (1 - scales), R)) @ mistakes)


@pytest.mark.parametrize("d", [1, 3, 20])
@pytest.mark.parametrize("alpha", [0.5, 1.0, 2.0])
def test_remark_4_1_is_the_sum_over_all_scales(d, alpha):
    """A product g loses at most 5 g / sqrt 10 and at most the root of g, in one dimension more."""

    def loss(g):
        return np.minimum(5 / np.sqrt(10) * g, np.sqrt(g)) ** alpha

    by_hand = summed(d + 1, 4 * np.sqrt(10) / 3, loss, SAMPLED_VOTE)
    assert euclidean_loss(d, alpha=alpha, kept=SAMPLED_VOTE) == pytest.approx(by_hand, rel=1e-6)


@pytest.mark.parametrize("d", [1, 3, 20])
@pytest.mark.parametrize("p", [2, 4, 6])
def test_theorem_12_is_the_sum_over_all_scales(p, d):
    """The radius from the mean square of the slope p (1 - t)^(p - 1) at Chebyshev's nodes, over
    which the mean of such a polynomial is exact.
    """
    nodes = np.cos(np.pi * (np.arange(100) + 0.5) / 100)
    slope = p * np.sqrt(np.mean((1 - nodes) ** (2 * p - 2)))
    radius = 2 * slope * np.sqrt(d * (2 * p - 1))
    near = 2 ** (p - 2) * d ** (1 / 2 - 1 / p)

    def loss(g):
        return np.minimum((near * g) ** (1 / (p - 1)), g ** (1 / p))

    by_hand = summed(d * (p - 1) + 1, radius, loss, EXACT_VOTE)
    assert even_power_loss(p, d) == pytest.approx(by_hand, rel=1e-6)


@pytest.mark.parametrize("p", [4, 8])
def test_even_powers_grow_no_faster_than_theorem_12_states(p):
    measured = even_power_loss(p, 400) / even_power_loss(p, 100)
    assert stated_even_power_loss(p, 16, 3) == pytest.approx(9 * p**4 * 16 ** (1 + 1 / p) * log(16))
    assert measured <= stated_even_power_loss(p, 400, 2) / stated_even_power_loss(p, 100, 2) * 1.1


def test_rungs_add_up_and_the_sum_settles():
    """Losses of the first rungs, for p = 5: finer ones add less and less (Theorem 13 needs p >
    2).
    """
    ladder = lp_ladder(2, 5.0, separation=1.0, resolution=2.0**-9)
    rungs = [(rung.scale, rung.dimension, rung.radius) for rung in ladder]
    added = [ladder_loss([rung]) for rung in rungs]
    assert ladder_loss(rungs) == pytest.approx(sum(added))
    for alpha in (1.0, 0.5):  # what each mistake costs, times how often it shrinks what is possible
        by_hand = [(2 * 0.5**i) ** alpha * D * log(1 + 16 * D * R * 2**i) for i, D, R in rungs]
        assert ladder_loss(rungs, alpha=alpha, kept=0.5) == pytest.approx(sum(by_hand) / log(2))
    assert all(later < 0.7 * earlier for earlier, later in pairwise(added[1:]))


@given(st.floats(0, 1e6), st.integers(2, 50), st.floats(0.1, 4))
def test_many_labels_are_pairs(potential, k, alpha):
    assert partition_loss(potential, k) == pytest.approx(2 * comb(k, 2) * potential)
    assert ranking_loss(potential, k, alpha=min(alpha, 1.0)) == pytest.approx(
        partition_loss(potential, k, price=1.0)
    )
    assert ranking_loss(potential, k, alpha=alpha) >= ranking_loss(potential, k)


@given(DIMENSIONS, MARGINS, st.floats(0.5, 100))
def test_mistakes_grow_as_the_margin_shrinks(d, margin, R):
    for count in (margin_mistakes, halving_mistakes):
        assert 0 < count(d, margin, R=R) <= count(d, margin / 2, R=R)
    assert robust_mistakes(7.0, margin) == pytest.approx(7 / margin)
    assert stated_margin_mistakes(d + 1, margin) == pytest.approx((d + 1) * log((d + 1) / margin))
    assert stated_margin_mistakes(d + 1, margin, k=5) == pytest.approx(
        25 * stated_margin_mistakes(d + 1, margin)
    )


def test_scales_count_mistakes_better_than_losses_do_at_small_margins():
    assert margin_mistakes(10, 1e-6) < robust_mistakes(initial_potential(10), 1e-6) / 1000
    assert margin_mistakes(3, 1.0) == pytest.approx(
        sum(mistakes_at_scale(3, i) for i in (-2, -1, 0))
    )


def test_margins_in_one_dimension_are_halved():
    """A known margin g for a hidden number in [-2, 2], told by comparisons with thresholds: binary
    search, simulated at worst.
    """
    margin, low, high, mistakes = 1e-3, -2.001, 2.001, 0
    while high - low > 2 * margin:  # what is possible holds an interval of half width g
        low = (low + high) / 2  # the majority votes for the other half, and errs
        mistakes += 1
    assert mistakes - 1 <= halving_mistakes(1, margin) <= mistakes


def test_the_exponent_of_convex_regions():
    assert [round(convex_regions_exponent(d), 3) for d in (4, 5, 6, 12)] == [0, 0.333, 0.5, 0.8]
