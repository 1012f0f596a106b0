"""Complexities of the balls of the two embeddings beside their exact values, and what a constant
costs.
"""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.bounds import balls as oracle
from sources import covers
from strategies import metric_matrices, vectors

from wideberth.bounds.balls import hilbert_rademacher, offset_hilbert_rademacher, offset_price
from wideberth.papers.capacities import (
    dudley_rademacher,
    kuratowski_floor,
    kuratowski_rademacher,
    trivial_kuratowski_rademacher,
)


@settings(deadline=None, max_examples=40)
@given(vectors(max_size=9), st.floats(0.1, 10))
def test_theorem_6_is_at_most_a_root_of_2_above(points, B):
    distances = np.linalg.norm(points - points[0], axis=1)
    exact = B * oracle.hilbert_rademacher(points, points[0])
    bound = hilbert_rademacher(distances, B)
    assert exact <= bound * (1 + 1e-9) <= math.sqrt(2) * exact * (1 + 1e-8) + 1e-9


def test_theorem_6_by_hand():
    """One ball of radius 1/4 covers the space: at u = 1/2 a function, its negative and 0 do."""
    assert hilbert_rademacher([3.0, 4.0], B=2.0) == 5
    found = kuratowski_rademacher([0.25], [1], np.ones(100), B=2.0)
    assert found == pytest.approx(2 * (0.5 + math.sqrt(2 * math.log(3) / 100)))


@settings(deadline=None, max_examples=40)
@given(metric_matrices(min_size=3, max_size=9), st.floats(0.1, 10))
def test_the_kuratowski_ball_lies_between_its_bounds(distances, B):
    sample, base = np.arange(len(distances) - 1), len(distances) - 1
    exact = B * oracle.kuratowski_rademacher(distances, sample, base)
    from_base = distances[sample, base]
    rounding = 1e-9 * (1 + exact)
    assert kuratowski_floor(from_base, B) <= exact + rounding
    assert exact <= trivial_kuratowski_rademacher(from_base, B) + rounding
    radii, numbers = covers(distances)
    for chain in ({}, {"chain": dudley_rademacher}):
        assert exact <= kuratowski_rademacher(radii, numbers, from_base, B, **chain) + rounding


def repeated(distances, times):
    """A sample in which objects of the space are repeated; the signs are drawn at random, because
    there are too many.
    """
    sample = np.tile(np.arange(len(distances)), times)
    drawn = np.random.default_rng(0).choice([-1.0, 1.0], (1000, len(sample)))
    values = np.abs(drawn @ (distances[sample] - distances[0])).max(axis=1) / len(sample)
    return sample, values.mean() - 4 * values.std() / math.sqrt(1000)


@pytest.mark.parametrize("seed", range(3))
def test_covers_beat_the_trivial_bound_and_hold_with_many_objects(seed):
    points = np.random.default_rng(seed).uniform(size=(20, 2))
    distances = np.linalg.norm(points[:, None] - points, axis=2)
    sample, surely = repeated(distances, 100)
    radii, numbers = covers(distances)
    base = distances[sample, 0]
    chained = kuratowski_rademacher(radii, numbers, base, 1.0)
    assert surely <= chained < 0.3 * trivial_kuratowski_rademacher(base, 1.0)
    integral = kuratowski_rademacher(radii, numbers, base, 1.0, chain=dudley_rademacher)
    assert chained <= integral < trivial_kuratowski_rademacher(base, 1.0)
    many = np.tile(base, 100)
    assert kuratowski_rademacher(radii, numbers, many, 1.0) == pytest.approx(chained / 10)


LINE = np.linspace(-1, 1, 8)
OFFSETS = np.linspace(-4, 4, 161)


@pytest.mark.parametrize("B", [0.0, 0.5, 3.0])
@pytest.mark.parametrize("y", [[1] * 8, [1, -1] * 4, [-1] * 4 + [1] * 4])
def test_the_price_of_a_constant(B, y):
    """Lines of slope up to B on the interval, with many constants: never above the bound."""
    slopes = np.linspace(-B, B, 15)
    values = (slopes[:, None, None] * LINE + OFFSETS[:, None]).reshape(-1, 8)
    found = oracle.rademacher_of_losses(values, np.array(y))
    without = B * float(np.mean(np.abs(oracle.signs(8) @ LINE))) / 8
    assert found <= without + offset_price(B, 8) + 1e-12
    assert found <= offset_hilbert_rademacher(np.abs(LINE), B) + 1e-12
    if B < 1:
        assert found > without  # so it cannot be left out


@given(st.floats(0, 1e6), st.integers(1, 10**9))
def test_the_price_grows_with_the_reach_and_falls_with_the_sample(reach, n):
    price = offset_price(reach, n)
    assert 0 < price <= (1 + reach) / math.sqrt(n)
    assert offset_price(2 * reach, n) >= price >= offset_price(reach, 2 * n)


def test_a_wide_ball_pays_a_logarithm_only():
    assert offset_price(1e6, 10_000) < 0.05
    assert offset_price(0.0, 10_000) == 0.01
