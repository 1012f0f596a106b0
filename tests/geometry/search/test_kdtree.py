"""The kd-tree finds what brute force finds, in the same order, at the same distances to the last
bit.
"""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.geometry.enemies import nearest
from scipy.spatial.distance import cdist

from wideberth.geometry.search import kdtree
from wideberth.geometry.search.kdtree_kernels import largest_gap
from wideberth.metrics.vectors.minkowski import Minkowski

SCIPY = {2: "euclidean", 1: "cityblock", 0: "chebyshev"}
fast = settings(deadline=None, max_examples=40)
rng = np.random.default_rng(0)


@st.composite
def gridded(draw, max_size=30):
    """Points with many ties and duplicates, queries among and around them."""
    dimension = draw(st.integers(1, 3))
    row = st.lists(
        st.integers(-2, 2).map(lambda value: 0.1 * value), min_size=dimension, max_size=dimension
    )
    points = np.array(draw(st.lists(row, min_size=1, max_size=max_size)))
    queries = np.array(draw(st.lists(row, min_size=1, max_size=4)))
    codes = np.array(draw(st.lists(st.integers(0, 2), min_size=len(points), max_size=len(points))))
    excluded = np.array(
        draw(st.lists(st.integers(-1, 2), min_size=len(queries), max_size=len(queries)))
    )
    deleted = draw(st.lists(st.integers(0, len(points) - 1), max_size=len(points)))
    return points, queries, codes, excluded, deleted


def allowed_columns(codes, excluded, deleted):
    allowed = codes[None, :] != excluded[:, None]
    allowed[:, deleted] = False
    return allowed


def assert_nearest(case, power, k, leaf_size=2):
    points, queries, codes, excluded, deleted = case
    tree = kdtree.build(points, codes, leaf_size)
    kdtree.delete(tree, deleted)
    found = kdtree.nearest(tree, queries, k, power, excluded=excluded)
    allowed = allowed_columns(codes, excluded, deleted)
    indices, distances = nearest(cdist(queries, points, SCIPY[power]), allowed, k)
    assert found.indices.tolist() == indices
    assert found.distances.tolist() == distances
    assert found.distance_calls <= allowed.sum()


def assert_within(case, power, strict):
    points, queries, codes, excluded, deleted = case
    tree = kdtree.build(points, codes, 2)
    kdtree.delete(tree, deleted)
    distances = cdist(queries, points, SCIPY[power])
    radii = distances[:, -1]  # a distance that occurs
    found = kdtree.within(tree, queries, radii, power, strict=strict, excluded=excluded)
    inside = (distances < radii[:, None]) if strict else (distances <= radii[:, None])
    inside &= allowed_columns(codes, excluded, deleted)
    assert np.diff(found.starts).tolist() == inside.sum(axis=1).tolist()
    indices, lengths = nearest(distances, inside, len(points))
    assert found.indices.tolist() == [j for row in indices for j in row if j >= 0]
    assert found.distances.tolist() == [d for row in lengths for d in row if d < np.inf]


@fast
@given(gridded(), st.sampled_from([0, 1, 2]), st.integers(1, 5))
def test_nearest_equals_brute_force(case, power, k):
    assert_nearest(case, power, k)


@fast
@given(gridded(), st.sampled_from([0, 1, 2]), st.integers(1, 5), st.sampled_from([0.1, 0.5, 2.0]))
def test_eta_bounds_every_rank(case, power, k, eta):
    points, queries, codes, excluded, deleted = case
    tree = kdtree.build(points, codes, 2)
    kdtree.delete(tree, deleted)
    found, exact = (
        kdtree.nearest(tree, queries, k, power, eta=each, excluded=excluded) for each in (eta, 0.0)
    )
    lengths = cdist(queries, points, SCIPY[power])
    for row, (indices, distances) in enumerate(zip(found.indices, found.distances, strict=True)):
        there = indices >= 0
        assert distances[there].tolist() == lengths[row, indices[there]].tolist()
        assert len(set(indices[there].tolist())) == there.sum()
    assert np.array_equal(found.indices >= 0, exact.indices >= 0)
    assert (found.distances <= (1 + eta) * exact.distances * (1 + 1e-12)).all()
    assert found.distance_calls <= exact.distance_calls


def test_eta_saves_most_distances_in_eight_dimensions():
    points = np.random.default_rng(0).normal(size=(5000, 8))
    tree = kdtree.build(points[100:])
    exact, near = (kdtree.nearest(tree, points[:100], 1, 2, eta=eta) for eta in (0.0, 1.0))
    assert near.distance_calls < exact.distance_calls / 4


@fast
@given(gridded(), st.booleans())
def test_within_equals_brute_force(case, strict):
    assert_within(case, 2, strict)


@pytest.mark.kernels
@pytest.mark.parametrize("power", [0, 1, 2])
def test_kernels_on_a_few_points(power):
    points = np.round(rng.normal(size=(25, 2)), 1)
    points[3:7] = points[2]
    codes, excluded = rng.integers(0, 3, 25), np.array([-1, 0, 1, 2])
    for deleted in ([], [2, 5, 9, 9], range(25)):
        case = points, np.vstack([points[:3], [[9.0, -9.0]]]), codes, excluded, list(deleted)
        assert_nearest(case, power, 3)
        if power == 2:
            assert_within(case, power, strict=False)
            assert_within(case, power, strict=True)


@pytest.mark.kernels
def test_many_neighbours():
    points = rng.normal(size=(150, 1))
    tree = kdtree.build(points)
    found = kdtree.within(tree, points[:2], np.inf, 2)
    assert found.starts.tolist() == [0, 150, 300]
    assert kdtree.within(tree, points[:2], -1.0, 2).starts.tolist() == [0, 0, 0]


@pytest.mark.parametrize("dimension", range(1, 13))
@pytest.mark.parametrize("power", [0, 1, 2])
def test_distances_equal_those_of_scipy_bit_for_bit(dimension, power):
    points, queries = rng.normal(size=(60, dimension)), 100 * rng.normal(size=(20, dimension))
    found = kdtree.nearest(kdtree.build(points), queries, 60, power)
    expected = np.take_along_axis(cdist(queries, points, SCIPY[power]), found.indices, axis=1)
    assert np.array_equal(found.distances, expected)


def test_different_sums_of_squares_with_one_root_tie():
    """The coordinates of a vector in another order add up to another sum, which often has the same
    root.
    """
    vectors = np.vstack(
        [list(permutations(row)) for row in np.random.default_rng(1).normal(size=(80, 4))]
    )
    query = np.zeros((1, 4))
    distances = cdist(query, vectors)[0]
    sums = ((vectors[:, 0] ** 2 + vectors[:, 1] ** 2) + vectors[:, 2] ** 2) + vectors[:, 3] ** 2
    assert len(np.unique(sums)) > len(np.unique(distances)) + 10
    found = kdtree.nearest(kdtree.build(vectors), query, len(vectors), 2)
    assert found.indices[0].tolist() == np.lexsort((np.arange(len(vectors)), distances)).tolist()
    for k in range(1, 100, 33):
        assert (
            kdtree.nearest(kdtree.build(vectors), query, k, 2).indices[0].tolist()
            == found.indices[0, :k].tolist()
        )


@pytest.mark.parametrize("scale", [1e-165, 1e-160, 1e-150, 1.0, 1e150, 1e200])
def test_extreme_scales(scale):
    points = scale * np.round(rng.normal(size=(200, 2)), 1)
    with np.errstate(over="ignore"):
        distances = cdist(points, points)
    found = kdtree.nearest(kdtree.build(points), points, 5, 2)
    assert found.indices.tolist() == np.argsort(distances, axis=1, kind="stable")[:, :5].tolist()


@given(st.floats(5e-324, 1e300))
def test_no_gap_of_a_distance_exceeds_its_largest(gap):
    distance = np.sqrt(gap)
    while np.sqrt(gap) <= distance:
        assert gap <= largest_gap(distance, (1, 1))
        gap = np.nextafter(gap, np.inf)


@pytest.mark.kernels
def test_no_points():
    tree = kdtree.build(np.empty((0, 2)), np.empty(0, dtype=int))
    assert kdtree.nearest(tree, np.zeros((1, 2)), 2, 2).indices.tolist() == [[-1, -1]]
    assert kdtree.within(tree, np.zeros((1, 2)), np.inf, 2).starts.tolist() == [0, 0]
    assert kdtree.nearest(kdtree.build(np.zeros((3, 2))), np.empty((0, 2)), 1, 2).indices.shape == (
        0,
        1,
    )


def test_points_in_bad_order_build_as_fast():
    ramp = np.arange(20_000.0)
    for column in (ramp, ramp[::-1], np.minimum(ramp, ramp[::-1]), ramp % 2, np.zeros(20_000)):
        tree = kdtree.build(column[:, None])
        found = kdtree.nearest(tree, column[:50, None], 1, 2)
        assert found.distances.tolist() == [[0.0]] * 50


def test_it_takes_the_metrics_it_measures():
    assert kdtree.power_of(Minkowski(p=1)) == 1
    assert kdtree.power_of(Minkowski(p=1.5)) is None


def test_it_prunes_in_few_dimensions_only():
    assert kdtree.prunes(kdtree.build(rng.normal(size=(2_000, 3)), rng.integers(0, 2, 2_000)), 2)
    assert not kdtree.prunes(
        kdtree.build(rng.normal(size=(2_000, 40)), rng.integers(0, 2, 2_000)), 2
    )
