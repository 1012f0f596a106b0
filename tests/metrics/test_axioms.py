"""The finders of broken axioms, against looking at every triangle."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.metrics.distances import broken_triangles
from strategies import metric_matrices

from wideberth.errors import BrokenAxiom
from wideberth.metrics.axioms import (
    find_asymmetry,
    find_broken_triangle,
    find_violations,
    triangle_count,
)

matrices = st.integers(3, 7).flatmap(
    lambda n: st.lists(st.integers(0, 9), min_size=n * n, max_size=n * n).map(
        lambda v: np.array(v, dtype=float).reshape(n, n)
    )
)


@given(metric_matrices(), st.sampled_from([1.0, 0.37]))
@settings(max_examples=60, deadline=None)
def test_a_metric_space_breaks_nothing(distances, scale):
    assert find_violations(distances * scale) == []


@pytest.mark.kernels
@given(matrices, st.booleans())
@settings(max_examples=60, deadline=None)
def test_triangles_equal_looking_at_each(distances, symmetric):
    if symmetric:
        distances = distances + distances.T
    np.fill_diagonal(distances, 0.0)
    broken, worst = broken_triangles(distances)
    found = find_broken_triangle(distances)
    assert (found.broken if found else 0) == broken
    if found:
        i, j, k = found.objects
        assert found.values == (distances[i, j], distances[i, k], distances[k, j])
        assert found.values[0] - found.values[1] - found.values[2] == pytest.approx(worst)
        assert found.tried == triangle_count(len(distances))


def line() -> np.ndarray:
    points = np.arange(5.0)
    return abs(points[:, None] - points)


@pytest.mark.parametrize(
    ("place", "value", "axiom", "sentence"),
    [
        ((1, 2), np.nan, "finite", "'d' is nan between objects 1 and 2."),
        ((1, 2), np.inf, "finite", "'d' is inf between objects 1 and 2."),
        ((1, 2), -3.0, "nonnegative", "'d' is negative between objects 1 and 2: -3."),
        ((2, 2), 0.5, "zero_self", "'d' puts object 2 at distance 0.5 from itself."),
        (
            (0, 1),
            1.5,
            "symmetric",
            "'d' is not symmetric at objects 0, 1: d(0, 1) = 1.5, d(1, 0) = 1.",
        ),
    ],
)
def test_a_hand_broken_matrix_is_found(place, value, axiom, sentence):
    distances = line()
    distances[place] = value
    found = {violation.axiom: violation for violation in find_violations(distances)}
    assert found[axiom].describe("d") == sentence
    assert found[axiom].broken == 1
    error = found[axiom].error("d")
    assert isinstance(error, BrokenAxiom)
    assert error.witness == found[axiom].objects


def test_a_violation_keeps_the_numbers_of_the_whole():
    distances = line() ** 2
    found = find_broken_triangle(distances).at([10, 11, 12, 13, 14])
    assert found.objects == (10, 14, 12)
    assert found.share == 1.0
    assert "d(10, 14) = 16 > 4 + 4 = d(10, 12) + d(12, 14)" in found.describe("squared")


def test_rounding_is_no_violation():
    points = (
        np.random.default_rng(0).normal(size=(40, 1)) @ np.ones((1, 3)) + 1e3
    )  # collinear: every triangle is flat
    distances = np.linalg.norm(points[:, None] - points, axis=-1)
    assert find_violations(distances) == []


def test_asymmetry_is_found_in_every_tile_of_a_large_matrix():
    points = np.random.default_rng(0).random(300)
    distances = np.abs(points[:, None] - points)
    assert find_asymmetry(distances) is None
    for row, column in ((2, 5), (290, 5), (5, 290), (299, 298), (130, 250)):
        spoiled = distances.copy()
        spoiled[row, column] += 1.0
        assert find_asymmetry(spoiled).objects == (min(row, column), max(row, column))
    spoiled[3, 4] = spoiled[4, 3] = np.nan
    assert find_asymmetry(spoiled).objects == (130, 250)
