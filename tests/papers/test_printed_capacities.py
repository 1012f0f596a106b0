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
    lipschitz_entropies,
    lipschitz_rademacher,
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
    """Of points 4 apart, the signs times 2 u at u = 1 are as many functions, no two of them in a
    ball of radius 1.
    """
    distances = 4.001 * np.abs(np.subtract.outer(np.arange(4), np.arange(4)))
    signs = 2 * np.array([[1 if code >> bit & 1 else -1 for bit in range(4)] for code in range(16)])
    slopes = np.abs(signs[:, :, None] - signs[:, None, :]) / np.where(distances > 0, distances, 1)
    assert slopes.max() <= 1
    apart = np.abs(signs[:, None] - signs[None]).max(axis=2)
    assert apart[~np.eye(16, dtype=bool)].min() > 2
    assert np.exp(theorem_17_floor([4.0], [4], 12.003)[1][0]) == pytest.approx(16)


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
    floor = theorem_17_floor([4 * u], [needed], diameter)[1][0]
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


def test_theorem_20_fails_for_one_function():
    one = np.ones(len(RADII) + 1)
    assert theorem_20_rademacher(np.append(RADII, 0.0), one, one, 1.0, 100) == pytest.approx(0.0)
    signs = np.array([[1, 1], [1, -1]])
    assert (
        np.abs(signs.sum(axis=1)).mean() / 2 == 0.5
    )  # the complexity of the function 1 on two objects, with its two signs
