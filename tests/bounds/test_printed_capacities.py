"""Capacities as printed: the lower half of Theorem 17 beside its upper one, Theorems 18 and 20 beside ours."""

import numpy as np
import pytest

from wideberth.bounds import lipschitz_entropies, lipschitz_rademacher, theorem_17_entropies, theorem_17_floor
from wideberth.bounds.printed_capacities import theorem_18_rademacher, theorem_20_rademacher

RADII = np.geomspace(1.0, 1e-3, 120)
LINE = np.ceil(0.5 / RADII)  # balls that cover the unit interval, no fewer do


def test_the_halves_of_theorem_17_do_not_cross():
    scales, floor = theorem_17_floor(RADII, LINE)
    for found in (theorem_17_entropies(RADII, LINE, 1.0), lipschitz_entropies(RADII, LINE, 1.0)):
        upper = np.interp(-scales, -found[0], np.where(np.isfinite(found[1]), found[1], 1e9))
        assert (floor[scales < 0.2] <= upper[scales < 0.2] + 1e-9).all()


def test_the_lower_half_by_trying_all_functions_on_few_points():
    """Of points 4 apart, the signs times 2 u at u = 1 are as many functions, no two of them in a ball of radius 1."""
    distances = 4.001 * np.abs(np.subtract.outer(np.arange(4), np.arange(4)))
    signs = 2 * np.array([[1 if code >> bit & 1 else -1 for bit in range(4)] for code in range(16)])
    slopes = np.abs(signs[:, :, None] - signs[:, None, :]) / np.where(distances > 0, distances, 1)
    assert slopes.max() <= 1
    apart = np.abs(signs[:, None] - signs[None]).max(axis=2)
    assert apart[~np.eye(16, dtype=bool)].min() > 2
    assert np.exp(theorem_17_floor([4.0], [4])[1][0]) == pytest.approx(16)


def test_ours_are_below_the_printed_ones():
    assert lipschitz_rademacher(RADII, LINE, 1.0, 10**6) <= theorem_18_rademacher(RADII, LINE, 1.0, 10**6)


def test_theorem_20_fails_for_one_function():
    one = np.ones(len(RADII) + 1)
    assert theorem_20_rademacher(np.append(RADII, 0.0), one, one, 1.0, 100) == pytest.approx(0.0)
    signs = np.array([[1, 1], [1, -1]])
    assert np.abs(signs.sum(axis=1)).mean() / 2 == 0.5  # the complexity of the function 1 on two objects, with its two signs
