"""Entropy integrals: the number of functions, on spaces where it can be counted, and complexities
beside exact ones.
"""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.bounds import balls as oracle
from sources import covers
from strategies import metric_matrices

from wideberth.bounds.margin import shortest_chain
from wideberth.papers.capacities import (
    dudley_rademacher,
    inner_chain,
    lipschitz_entropies,
    lipschitz_rademacher,
    radial_entropies,
    theorem_17_entropies,
    tree_rademacher,
)

#: The interval [0, 1]: so many balls of radius 1 / 2m cover it.
M = 2.0 ** np.arange(14)


@given(
    st.lists(st.floats(0.01, 1), min_size=1, max_size=6, unique=True),
    st.lists(st.floats(0, 50), min_size=6, max_size=6),
)
def test_inner_chains_are_the_shortest(scales, steps):
    scales = np.r_[1.5, np.sort(scales)[::-1]]
    entropies = np.r_[0.0, np.cumsum(steps)[: len(scales) - 1]]
    inner = inner_chain(scales, entropies, 100)
    assert inner <= shortest_chain(scales, entropies, 100) + 1e-12
    one_by_one = min(
        scales[j] + sum(scales[i - 1] * math.sqrt(2 * entropies[i] / 100) for i in range(1, j + 1))
        for j in range(len(scales))
    )
    assert inner <= one_by_one + 1e-12


@given(st.floats(0.001, 0.1), st.floats(0.1, 3), st.integers(1, 10**8))
def test_the_integral_is_above_the_chain_through_its_scales(finest, growth, n):
    """Entropies u ** -growth: halved scales and steps of the integral, as in the proof."""
    levels = int(math.log2(1 / finest))
    scales = 0.5 ** np.arange(levels + 1)
    entropies = np.r_[0.0, scales[1:] ** -growth]
    assert inner_chain(scales, entropies, n) <= dudley_rademacher(scales, entropies, n) + 1e-12


@settings(deadline=None, max_examples=6)
@given(metric_matrices(min_size=4, max_size=4))
def test_integrals_are_above_the_exact_complexity(distances):
    radii, numbers = covers(distances)
    diameter, n = distances.max() or 1.0, len(distances)
    exact = oracle.lipschitz_rademacher(distances, diameter)
    assert exact <= lipschitz_rademacher(radii, numbers, diameter, n) + 1e-9
    assert exact <= inner_chain(*lipschitz_entropies(radii, numbers, diameter), n) + 1e-9


@pytest.mark.parametrize("connected", [False, True])
def test_entropies_of_the_interval_are_above_those_from_below(connected):
    """Theorem 17 from below: functions that are 2u or -2u at points 4u apart are many, and each
    needs its own.
    """
    u, entropies = lipschitz_entropies(0.5 / M, M, 1.0, connected=connected)
    assert (np.diff(entropies) >= 0).all()
    fine = u > 2 / M[-1]
    assert (entropies[fine][1:] >= np.ceil(1 / (8 * u[fine][1:])) * math.log(2)).all()


def functions_on_a_path(points, steps):
    """All functions on so many points, steps apart, that move by a step or not at all, within as
    many steps as points.
    """
    height = points - 1
    paths = [[v] for v in range(-height, height + 1)]
    for _ in range(points - 1):
        paths = [
            [*path, path[-1] + move]
            for path in paths
            for move in (-1, 0, 1)
            if abs(path[-1] + move) <= height
        ]
    return steps * np.array(paths, dtype=float)


@pytest.mark.parametrize("points", [3, 4, 5])
def test_there_are_as_many_functions_as_counted(points):
    """Functions far apart, each of which needs its own in a cover: there are at most exp(entropy)
    of them.
    """
    distances = np.abs(np.subtract.outer(np.arange(points), np.arange(points))) / (points - 1)
    functions = functions_on_a_path(points, 1 / (points - 1))
    u, entropies = lipschitz_entropies(*covers(distances), 1.0)
    for scale, entropy in zip(u[::8], entropies[::8], strict=True):
        left, packed = functions, 0
        while len(left):
            left, packed = left[np.abs(left - left[0]).max(axis=1) > 2 * scale], packed + 1
        assert math.log(packed) <= entropy + 1e-9


@given(
    st.lists(st.floats(-1, 1), min_size=20, max_size=20),
    st.sampled_from([(1.0, 3), (2.0, 2), (0.5, 5)]),
)
def test_the_walk_through_a_connected_space_has_so_many_choices(slopes, choice):
    """Values at centres 2r apart, rounded to within e: the next one is one of ceil(1 + 2r / e)."""
    r = 0.5
    e, choices = choice[0] * r, choice[1]
    values = np.cumsum(np.array(slopes) * 2 * r)
    code = values[0]
    for value in values:
        next_ones = code + 2 * e * (np.arange(choices) - (choices - 1) / 2)
        code = next_ones[np.abs(next_ones - value).argmin()]
        assert abs(code - value) <= e + 1e-9


def test_ours_is_below_theorem_17_where_that_is_proved_and_near_it_where_not():
    for connected in (False, True):
        u, printed = theorem_17_entropies(0.5 / M, M, 1.0, connected=connected)
        v, ours = lipschitz_entropies(0.5 / M, M, 1.0, connected=connected)
        for scale, entropy in zip(u[1:], printed[1:], strict=True):
            at = ours[
                np.searchsorted(-v, -scale, side="right") - 1
            ]  # the next scale of ours above: no larger than at this one
            assert at <= entropy * (math.log(3) / math.log(2) if connected else 1.0) + 1e-9


def test_theorem_17_by_hand():
    u, entropies = theorem_17_entropies([1.0, 0.25, 0.125, 0.0], [1, 3, 5, 9], diameter=1.0)
    np.testing.assert_allclose(u, [1.0, 0.5])
    np.testing.assert_allclose(entropies, [0.0, 5 * math.log(9)])
    u, entropies = theorem_17_entropies(
        [1.0, 0.25, 0.125, 0.0], [1, 3, 5, 9], diameter=1.0, connected=True
    )
    np.testing.assert_allclose(u, [1.0, 0.5, 0.25])
    np.testing.assert_allclose(
        entropies, [0.0, 3 * math.log(2) + math.log(9), 5 * math.log(2) + math.log(17)]
    )


@pytest.mark.parametrize(("connected", "later"), [(False, 5), (True, 4)])
def test_our_theorems_17_and_18_by_hand(connected, later):
    """At u = 0.464 values are rounded to within e = u - 1/4 = 0.214: 5 are enough, and from a ball
    to one that meets it 4.
    """
    u, entropies = lipschitz_entropies([0.25], [3], 1.0, connected=connected)
    assert u[8] == pytest.approx(0.464, abs=1e-3)
    assert entropies[8] == pytest.approx(math.log(5) + 2 * math.log(later))
    # in a huge sample 8 times the smallest scale that a ball of this radius can cover is left
    found = lipschitz_rademacher([0.00105], [2], 1.0, 10**40, connected=connected)
    assert found == pytest.approx(8 * 10 ** (-71 / 24))


def test_units_do_not_matter():
    """Theorem 18's own limits, 4 root 2 and 2 root 2, have none."""
    one, other = (lipschitz_rademacher(unit * 0.5 / M, M, unit, 10**5) for unit in (1.0, 370.0))
    assert other == pytest.approx(370 * one)


@pytest.mark.parametrize("n", [10**3, 10**5, 10**7])
def test_the_tree_is_smaller_than_the_integral(n):
    tree = tree_rademacher(0.5 / M, M, n, reach=1.0)
    connected, any_space = (
        lipschitz_rademacher(0.5 / M, M, 1.0, n, connected=connected) for connected in (True, False)
    )
    assert 2 * tree < connected < any_space


def test_radial_functions_by_hand():
    u, entropies = radial_entropies([1.0, 0.5, 0.25], [1, 2, 4], reach=0.75)
    np.testing.assert_allclose((u, entropies), [[0.75, 0.5, 0.25], [0.0, math.log(5), math.log(9)]])
    u, entropies = radial_entropies([1.0, 0.5, 0.25], [1, 2, 4], reach=0.75, profiles=[1, 1, 3])
    np.testing.assert_allclose((u, entropies), [[0.75, 0.5], [0.0, math.log(25)]])


def test_a_single_function_has_a_complexity():
    """Theorems 16 and 20 as printed have none for it; a sum of signs of one function is not 0."""
    values, n = np.full(8, 2.0), 8
    exact = float(np.abs(oracle.signs(n) @ values).mean()) / n
    assert dudley_rademacher(np.array([2.0, 0.0]), np.zeros(2), n) == 0 < exact
    both = radial_entropies([0.0], [1], reach=2.0)
    assert dudley_rademacher(*both, n) == pytest.approx(2 * 4 * math.sqrt(2 * math.log(3) / n))
    found = inner_chain(*both, n)
    assert exact <= found
    assert found == pytest.approx(2 * math.sqrt(2 * math.log(3) / n))


@settings(deadline=None, max_examples=20)
@given(metric_matrices(min_size=3, max_size=8))
def test_sums_of_distances_are_below_theorem_20(distances):
    """Without a base point: the functions d(p, x) themselves."""
    n, diameter = len(distances), distances.max() or 1.0
    exact = float(np.abs(oracle.signs(n) @ distances).max(axis=1).mean()) / n
    entropies = radial_entropies(*covers(distances), diameter)
    assert exact <= inner_chain(*entropies, n) + 1e-9
    assert exact <= dudley_rademacher(*entropies, n) + 1e-9
