"""Perturbations: the bound below everything that can be tried, the places as crowded as promised
and no more.
"""

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.bounds.bounds import rademacher_of_two_classes
from oracles.papers import perturbation as slow
from scipy.spatial.distance import cdist
from strategies import metric_matrices

import wideberth
from wideberth.errors import InvalidInput
from wideberth.papers import perturbation
from wideberth.papers.margin_bounds import closed_rademacher
from wideberth.papers.perturbation import perturb, perturbed_capacity

fast = settings(deadline=None, max_examples=25)
dimensions = st.sampled_from([0.0, 0.2, 0.33, 0.4, 0.5, 1.0])


def bent_line(n: int, seed: int = 0) -> np.ndarray:
    """Points near a curve in the plane."""
    generator = np.random.default_rng(seed)
    times = generator.random(n)
    return np.c_[times, np.sin(5 * times)] + 0.05 * generator.normal(size=(n, 2))


def check_point(distances, found, dimension):
    """Everything that a perturbation says about itself, but for how good it is."""
    point = found.point
    members = point.members
    assert found.value == pytest.approx(slow.displacement(distances, members.tolist()))
    np.testing.assert_array_equal(
        point.distances, distances[np.arange(len(distances)), point.images]
    )
    np.testing.assert_array_equal(point.distances, distances[:, members].min(axis=1))
    assert set(point.images) <= set(members)
    assert point.capacity <= 2 ** (5 * dimension) * (1 + 1e-9)
    assert slow.keeps_its_promise(distances, point.levels, point.radii, point.capacity)
    for level in range(1, len(point.radii)):
        assert set(point.net(level - 1)) <= set(point.net(level)) <= set(members)
    assert point.doubling_dimension <= 5 * dimension + 1e-9


@pytest.mark.slow
@fast
@given(metric_matrices(min_size=3, max_size=5), dimensions)
def test_nothing_that_can_be_tried_is_below_the_bound(distances, dimension):
    found = perturb(distances, "precomputed", dimension)
    assert 0 <= found.lower_bound <= found.value
    assert found.lower_bound <= slow.least_displacement(distances, dimension) + 1e-9
    check_point(distances, found, dimension)


@fast
@given(metric_matrices(min_size=3, max_size=5), dimensions)
def test_the_dimensions_are_proved(distances, dimension):
    point = perturb(distances, "precomputed", dimension).point
    places = distances[np.ix_(point.members, point.members)]
    assert slow.doubling_dimension(places) <= point.doubling_dimension + 1e-9
    assert slow.covers_as_promised(places, point.diameter, point.covering_dimension)


@settings(deadline=None, max_examples=25)
@given(st.integers(3, 5), st.integers(0, 10**6), st.sampled_from([0.0, 0.2, 0.33]))
def test_the_best_choice_of_members_lies_between_the_bound_and_ours(n, seed, dimension):
    points = np.random.default_rng(seed).random((n, 2)) ** 2
    distances = cdist(points, points)
    found = perturb(distances, "precomputed", dimension)
    if (len(found.point.radii) + 2) ** n <= 3000:  # all choices can be tried
        best = slow.least_filling(distances, found.point.radii, found.point.capacity)
        assert found.lower_bound <= best + 1e-9
        assert best <= found.value + 1e-9


@pytest.mark.few(1)
@pytest.mark.parametrize(("dimension", "ratio"), [(0.0, 8), (0.4, 4), (0.7, 4)])
def test_a_sample_of_some_size(dimension, ratio):
    points = bent_line(90)
    found = perturb(points, "euclidean", dimension)
    check_point(cdist(points, points), found, dimension)
    assert found.status == "rounded"
    assert 0 < found.lower_bound <= found.value < ratio * found.lower_bound


def test_more_dimension_needs_less_displacement():
    points = bent_line(60)
    found = [perturb(points, "euclidean", dimension) for dimension in (0.0, 0.3, 0.6, 0.9, 1.2)]
    lower = [solution.lower_bound for solution in found]
    assert lower == sorted(lower, reverse=True)
    assert (found[-1].value, found[-1].lower_bound) == (0.0, 0.0)


@fast
@given(metric_matrices(max_size=8), st.sampled_from([1.0, 2.0, 40.0]))
def test_with_enough_dimensions_nothing_moves(distances, dimension):
    found = perturb(distances, "precomputed", dimension)
    assert (found.value, found.lower_bound, found.gap, found.status) == (0.0, 0.0, 0.0, "optimal")
    assert len(found.point.radii) == 0
    np.testing.assert_array_equal(np.unique(found.point.images), found.point.members)


def test_the_dimension_of_places_on_a_line_by_hand():
    """The first places of the traversal 0, 8, 4, 2, 6, 1, ... are five, two apart and one from all
    others: within less than 2 * 2 + 1 of place 4 are all five. At half the diameter two balls are
    enough.
    """
    point = perturb(np.arange(9.0)[:, None], "euclidean", 40.0).point
    assert point.doubling_dimension == pytest.approx(np.log2(5))
    assert point.covering_dimension == 1.0


def test_without_dimension_all_go_to_the_middle():
    found = perturb([[0.0], [1.0], [2.0], [10.0], [11.0]], "euclidean", 0.0)
    assert found.point.images.tolist() == [2] * 5
    assert found.value == 2 + 1 + 0 + 8 + 9
    assert (found.point.doubling_dimension, found.point.covering_dimension) == (0.0, 0.0)


@pytest.mark.few(1)
@pytest.mark.parametrize("scale", [0.37, 1e9])
def test_scaling_scales(scale):
    points = bent_line(50)
    found, scaled = perturb(points, "euclidean", 0.6), perturb(scale * points, "euclidean", 0.6)
    np.testing.assert_array_equal(found.point.levels, scaled.point.levels)
    np.testing.assert_array_equal(found.point.images, scaled.point.images)
    assert scaled.value == pytest.approx(scale * found.value)
    assert scaled.lower_bound == pytest.approx(scale * found.lower_bound)
    assert scaled.point.doubling_dimension == pytest.approx(found.point.doubling_dimension)
    assert scaled.point.covering_dimension == pytest.approx(found.point.covering_dimension)


def test_reordering_changes_no_bound():
    points = bent_line(50)
    order = np.random.default_rng(1).permutation(50)
    found, other = perturb(points, "euclidean", 0.6), perturb(points[order], "euclidean", 0.6)
    assert found.lower_bound == pytest.approx(other.lower_bound, rel=1e-6)


def test_equal_objects_count_and_take_one_place():
    points = bent_line(30)
    found, twice = (
        perturb(points, "euclidean", 0.5),
        perturb(np.repeat(points, 2, axis=0), "euclidean", 0.5),
    )
    assert twice.value == pytest.approx(2 * found.value)
    assert twice.lower_bound == pytest.approx(2 * found.lower_bound)
    np.testing.assert_array_equal(twice.point.members, 2 * found.point.members)
    np.testing.assert_array_equal(twice.point.images[::2], twice.point.images[1::2])
    alone = perturb([[3.0]] * 4).point
    assert (alone.images.tolist(), alone.members.tolist(), alone.diameter) == ([0] * 4, [0], 0.0)


def test_words():
    words, _ = wideberth.datasets.load_first_names()
    found = perturb(words[:40], "levenshtein", 0.6)
    check_point(wideberth.pairwise_distances(words[:40], None, "levenshtein"), found, 0.6)
    assert found.lower_bound > 0


def test_where_the_program_fails_there_is_no_bound_but_a_perturbation(monkeypatch):
    points = bent_line(30)
    monkeypatch.setattr(perturbation, "linprog", lambda *_, **__: SimpleNamespace(status=4))
    found = perturb(points, "euclidean", 0.5)
    check_point(cdist(points, points), found, 0.5)
    assert found.lower_bound == 0.0


@pytest.mark.parametrize("dimension", [-0.1, np.nan, np.inf])
def test_a_dimension_that_cannot_be_is_refused(dimension):
    with pytest.raises(InvalidInput, match="dimension") as refused:
        perturb([[0.0], [1.0]], "euclidean", dimension)
    assert (
        perturb([[0.0], [1.0]], "euclidean", float(refused.value.advice.strip("Try. "))).value == 0
    )


def test_too_many_objects_are_refused(monkeypatch):
    monkeypatch.setattr(perturbation, "MOST_OBJECTS", 5)
    assert perturb(np.arange(10.0).reshape(-1, 1) % 5).value == 0
    with pytest.raises(InvalidInput, match="Quantise larger samples") as refused:
        perturb(np.arange(6.0).reshape(-1, 1))
    assert refused.value.value == 6


@settings(deadline=None, max_examples=12)
@given(
    metric_matrices(min_size=4, max_size=4),
    st.sampled_from([0.01, 0.1, 0.37, 1.0, 4.0]),
    st.sampled_from([0.0, 0.2, 1.0]),
)
def test_the_bound_of_theorem_7_is_above_the_true_complexity(distances, slope, dimension):
    codes = np.arange(len(distances)) % 2
    found = perturb(distances, "precomputed", dimension).point
    assert (
        rademacher_of_two_classes(distances, codes, slope)
        <= perturbed_capacity(found, slope, 2) + 1e-9
    )


def test_units_do_not_matter_to_the_bound_of_theorem_7():
    points = np.random.default_rng(0).random((40, 3))
    moved, moved_less = (
        perturb(points, "euclidean", 0.5).point,
        perturb(0.37 * points, "euclidean", 0.5).point,
    )
    for slope in (0.1, 0.5, 2.0):
        assert perturbed_capacity(moved, slope, 2) == pytest.approx(
            perturbed_capacity(moved_less, slope / 0.37, 2)
        )


def test_the_bound_of_theorem_7_takes_the_constants_it_is_given():
    point = perturb(3 * np.random.default_rng(0).random((50, 1)), "euclidean", 0.4).point
    asked = []
    found = perturbed_capacity(point, 0.5, 2, rademacher=lambda *a: asked.append(a) or 0.125)
    assert 0 < point.distances.mean() == pytest.approx((found - 0.125) / 0.5)
    dimension = min(point.doubling_dimension, point.covering_dimension)
    assert asked == [(50, 0.5 * point.diameter, dimension, 2)]
    assert (
        perturbed_capacity(point, 0.5, 2)
        <= perturbed_capacity(point, 0.5, 2, rademacher=closed_rademacher)
        == 1.0
    )
