"""Capacities as printed: the lower half of Theorem 17 beside its upper one, Theorems 18 and 20
beside ours.
"""

from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import metric_matrices

from wideberth.papers.capacities import (
    dudley_rademacher,
    lipschitz_entropies,
    lipschitz_rademacher,
    radial_entropies,
    theorem_17_entropies,
    theorem_17_floor,
    theorem_18_rademacher,
    theorem_20_rademacher,
)

RADII = np.geomspace(1.0, 1e-3, 120)
LINE = np.ceil(0.5 / RADII)  # balls that cover the unit interval, no fewer do


def test_the_halves_of_theorem_17_do_not_cross():
    scales, floor = theorem_17_floor(RADII, LINE, 1.0)
    for found in (theorem_17_entropies(RADII, LINE, 1.0), lipschitz_entropies(RADII, LINE, 1.0)):
        upper = np.interp(-scales, -found[0], np.where(np.isfinite(found[1]), found[1], 1e9))
        assert (floor[scales < 0.2] <= upper[scales < 0.2] + 1e-9).all()


def test_the_lower_half_by_trying_all_functions_on_few_points():
    """Of points a little more than 4 apart, the signs times 2 u at the scale u of 4 are as many
    functions, no two of them in a ball of radius u; they are as steep as the ball allows.
    """
    distances = 4.001 * np.abs(np.subtract.outer(np.arange(4), np.arange(4)))
    (u,), (entropy,) = theorem_17_floor([4.0], [balls_needed(distances, 4.0)], distances.max())
    signs = 2 * u * np.array(list(product([-1, 1], repeat=4)))
    slopes = np.abs(signs[:, :, None] - signs[:, None, :]) / np.where(distances > 0, distances, 1)
    assert 0.999 < slopes.max() <= 1
    apart = np.abs(signs[:, None] - signs[None]).max(axis=2)
    assert apart[~np.eye(16, dtype=bool)].min() > 2 * u
    assert np.exp(entropy) == pytest.approx(len(signs))


def balls_needed(distances, radius):
    """How many balls around points cover all points, by trying all sets of centres."""
    n = len(distances)
    return next(
        size
        for size in range(1, n + 1)
        for centres in combinations(range(n), size)
        if (distances[list(centres)].min(axis=0) <= radius).all()
    )


def in_the_ball(functions, distances):
    """Whether functions have slope 1 at most and values between plus and minus the diameter."""
    steps = np.abs(functions[:, :, None] - functions[:, None, :])
    return (steps <= distances).all(axis=(1, 2)) & (np.abs(functions) <= distances.max()).all(
        axis=1
    )


def packed(functions, u):
    """Of functions, some that are more than 2u apart: no ball of radius u holds two of them."""
    chosen = []
    for each in functions:
        if all(np.abs(each - other).max() > 2 * u for other in chosen):
            chosen.append(each)
    return len(chosen)


def covered(functions, radius):
    """How many balls of a radius around functions cover them all; the greedy choice, so perhaps too
    many.
    """
    inside, balls = np.abs(functions[:, None] - functions[None]).max(axis=2) <= radius, 0
    alive = np.ones(len(functions), dtype=bool)
    while alive.any():
        alive &= ~inside[np.argmax(inside[:, alive].sum(axis=1))]
        balls += 1
    return balls


@settings(deadline=None, max_examples=60)
@given(metric_matrices(1, 3), st.sampled_from([0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0, 5.0, 7.0]))
def test_the_lower_half_is_true_on_every_small_space(distances, u):
    """By brute force: as many functions of the ball are more than 2u apart, and so never fewer
    balls cover it.
    """
    distances = distances[:3, :3]
    diameter, n = float(distances.max()), len(distances)
    needed = balls_needed(distances, 4 * u)
    (scale,), (floor,) = theorem_17_floor([4 * u], [needed], diameter)
    assert scale == u
    assert theorem_17_floor([4 * u], [needed])[1] <= floor  # a diameter that is not known
    grid = np.array(list(product(np.arange(-diameter, diameter + 1), repeat=n)))
    grid = grid[in_the_ball(grid, distances)]
    # rounding down to whole numbers keeps a function in the ball and moves it by less than 1
    assert floor <= np.log(covered(grid, max(u - 1.0, 0.0))) + 1e-12
    heights = np.array(list(product([2 * u, -2 * u], repeat=n)))
    proof = np.r_[heights, [[diameter] * n, [-diameter] * n]]
    apart = max(
        packed(extended[in_the_ball(extended, distances)], u)
        for some in range(1, n + 1)
        for points in combinations(range(n), some)
        for extended in [(proof[:, list(points), None] + distances[list(points)]).min(axis=1)]
    )
    assert floor <= np.log(max(apart, 1)) + 1e-12


@settings(deadline=None, max_examples=60)
@given(st.floats(1e-12, 1e12), st.floats(1.0, 1e6))
def test_one_function_covers_the_ball_from_the_diameter_on(diameter, times):
    """Two points: the function 0 is within the diameter of all functions of the ball; the scale of
    the metric is no matter.
    """
    assert theorem_17_floor([4 * diameter * times], [1], diameter)[1] == 0
    assert theorem_17_floor([4 * diameter * 0.99], [1], diameter)[1] == pytest.approx(np.log(2))


def test_ours_are_below_the_printed_ones():
    assert lipschitz_rademacher(RADII, LINE, 1.0, 10**6) <= theorem_18_rademacher(
        RADII, LINE, 1.0, 10**6
    )


def best_integral(entropy, end, n):
    """The bound of Theorem 16, smallest over eps, by the trapezoidal rule on a fine grid."""
    u = np.geomspace(end, end * 1e-4, 200_001)
    heights = np.sqrt(entropy(u))
    pieces = -np.diff(u) * (heights[1:] + heights[:-1]) / 2
    return (8 * u + 4 * np.sqrt(2 / n) * np.r_[0.0, np.cumsum(pieces)]).min()  # eps is 4 u


#: Fine enough for sums over them to be integrals, almost.
FINE = np.geomspace(1.0, 1e-4, 20_000)


@pytest.mark.parametrize("n", [30, 1000])
def test_theorem_18_is_its_integral(n):
    """On the unit interval, up to the diameter, by another rule of integration."""

    def values(u):
        return np.log(2 * np.ceil(2 / u) + 1)

    printed = best_integral(lambda u: np.ceil(2 / u) * values(u), 1.0, n)
    assert theorem_18_rademacher(FINE, np.ceil(0.5 / FINE), 1.0, n) == pytest.approx(
        printed, rel=0.01
    )
    connected = best_integral(lambda u: np.ceil(1 / u) * np.log(2) + values(u), 1.0, n)
    assert theorem_18_rademacher(
        FINE, np.ceil(0.5 / FINE), 1.0, n, connected=True
    ) == pytest.approx(connected, rel=0.01)


def test_ours_is_its_integral_where_one_ball_covers_the_space():
    """A ball of radius 1 / 20: values within u - 1 / 20 of one of 2 q + 1."""

    def entropy(u):
        e = np.maximum(u - 0.05, 1e-9)
        return np.where(u > 0.05, np.log(2 * np.ceil(0.5 / e - 0.5) + 1), np.inf)

    found = lipschitz_rademacher([0.05], [1], 1.0, 1000)
    assert found == pytest.approx(best_integral(entropy, 1.0, 1000), rel=0.15)


@pytest.mark.parametrize(("n", "width"), [(2, 1.0), (4, 1.0), (4, 1.5)])
def test_theorem_20_is_its_integral(n, width):
    """Places in the unit interval and 1 / u profiles, by another rule of integration."""
    places, profiles = np.ceil(0.5 / FINE), np.ceil(1 / FINE)
    printed = best_integral(lambda u: np.log(np.ceil(1 / u)) + np.log(np.ceil(2 / u)), width, n)
    assert theorem_20_rademacher(FINE, places, profiles, width, n) == pytest.approx(
        printed, rel=0.01
    )


def test_theorem_20_fails_for_one_function():
    """The function exp(-d) of a space of one point is 1 there; with its two signs it has the
    complexity 1/2 on that point taken twice.
    """
    one = np.ones(len(RADII) + 1)
    assert theorem_20_rademacher(np.append(RADII, 0.0), one, one, 1.0, 2) == pytest.approx(0.0)
    exact = np.abs([2, 0, 0, -2]).mean() / 2
    held = radial_entropies(np.append(RADII, 0.0), one, 1.0, profiles=one)
    assert exact <= dudley_rademacher(*held, 2)
