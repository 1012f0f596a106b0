"""The path over all thresholds equals the solution at each of them."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.classifiers.covers import conflicts, is_cover, matching_number, relaxed_cover
from scipy.spatial.distance import cdist
from strategies import metric_matrices

from wideberth.classifiers.margin_neighbors.kernels import count_links, link, maximum_matching
from wideberth.errors import InvalidInput
from wideberth.papers.vertex_cover_kernels import add_edges, empty_graph
from wideberth.papers.vertex_covers import cover_path

fast = settings(deadline=None, max_examples=40)


@st.composite
def labelled_spaces(draw, max_classes=4):
    distances = draw(metric_matrices())
    n = len(distances)
    return distances, np.array(
        draw(st.lists(st.integers(0, max_classes - 1), min_size=n, max_size=n))
    )


def thresholds_of(distances):
    values = np.unique(distances)
    return np.concatenate([[0.0], values, values + 0.5, [np.inf]])


def path_of(distances, codes):
    return cover_path(len(codes), codes, *conflicts(distances, codes))


@fast
@given(labelled_spaces(max_classes=2))
def test_two_classes_are_solved_at_every_threshold(space):
    distances, codes = space
    first, second, gaps = conflicts(distances, codes)
    path = path_of(distances, codes)
    assert path.exact
    left, right = (
        np.where(codes[first] == 0, first, second),
        np.where(codes[first] == 0, second, first),
    )
    for t in thresholds_of(distances):
        found = path.cover(t)
        assert (
            path.value(t)
            == matching_number(len(codes), left[gaps < t], right[gaps < t])
            == found.value
        )
        assert is_cover(found.point, first[gaps < t], second[gaps < t])


@fast
@given(labelled_spaces())
def test_the_linear_program_is_solved_at_every_threshold(space):
    distances, codes = space
    first, second, gaps = conflicts(distances, codes)
    path = path_of(distances, codes)
    assert path.exact == (len(set(codes)) <= 2)
    for t in thresholds_of(distances):
        assert path.value(t) == pytest.approx(
            relaxed_cover(len(codes), first[gaps < t], second[gaps < t])
        )
        assert path.value(t) <= path.cover(t).lower_bound


@fast
@given(labelled_spaces(), st.randoms(use_true_random=False))
def test_scaling_and_reordering(space, random):
    distances, codes = space
    path = path_of(distances, codes)
    shorter = path_of(0.37 * distances, codes)
    np.testing.assert_array_equal(shorter.jumps, 0.37 * path.jumps)
    np.testing.assert_array_equal(shorter.values, path.values)
    order = random.sample(range(len(codes)), len(codes))
    moved = path_of(distances[np.ix_(order, order)], codes[order])
    np.testing.assert_array_equal(moved.jumps, path.jumps)
    np.testing.assert_array_equal(moved.values, path.values)


def clouds(n, n_classes, seed):
    rng = np.random.default_rng(seed)
    codes = rng.integers(n_classes, size=n)
    points = rng.normal(size=(n, 2))
    points[:, 0] += 1.2 * codes
    first, second, gaps = conflicts(np.round(cdist(points, points), 2), codes)  # rounded: many ties
    order = np.argsort(gaps, kind="stable")
    return codes, first[order].astype(np.int32), second[order].astype(np.int32), gaps[order]


@pytest.mark.kernels
@pytest.mark.parametrize("n_classes", [2, 4])
def test_growing_and_building_at_once_agree_on_small_graphs(n_classes):
    rng = np.random.default_rng(n_classes)
    for _ in range(30):
        codes = np.r_[:n_classes, rng.integers(n_classes, size=10)]
        first, second = np.nonzero(np.triu(codes[:, None] != codes, 1))
        order = rng.permutation(len(first))
        agree_at_every_size(
            codes, first[order].astype(np.int32), second[order].astype(np.int32), every=5
        )


@pytest.mark.parametrize(("n_classes", "seed"), [(2, 0), (2, 1), (4, 2)])
def test_growing_and_building_at_once_agree_on_clouds(n_classes, seed):
    agree_at_every_size(*clouds(90, n_classes, seed)[:3], every=37)


def agree_at_every_size(codes, first, second, every):
    """The matching is as large and alternating paths reach the same vertices: they do not depend on
    the maximum matching.
    """
    n, both_ways = len(codes), len(set(codes)) > 2
    is_left = np.ones(n, dtype=bool) if both_ways else codes == 0
    swapped = ~is_left[first]
    first, second = np.where(swapped, second, first), np.where(swapped, first, second)
    graph, gained = empty_graph(count_links(n, first, second), is_left), 0
    for stop in range(every, len(first) + 1, every):
        part = slice(stop - every, stop)
        gained += add_edges(
            graph, first[part], second[part], both_ways, np.empty(n, dtype=np.int64)
        )
        partner, _, right = maximum_matching(*link(n, first[:stop], second[:stop]), is_left)
        assert gained == (partner >= 0).sum() == (graph.left_partner >= 0).sum()
        np.testing.assert_array_equal(graph.parent >= 0, right)


def test_the_two_sides_may_be_of_any_size():
    rng = np.random.default_rng(0)
    codes = np.r_[np.zeros(3, dtype=int), np.ones(30, dtype=int)]
    path = path_of(rng.random((33, 33)), codes)
    assert path.values[-1] == 3.0
    mirrored = path_of(np.random.default_rng(0).random((33, 33)), 1 - codes)
    np.testing.assert_array_equal(path.jumps, mirrored.jumps)


def test_no_pairs_make_a_flat_path():
    path = cover_path(3, [0, 0, 0], [], [], [])
    assert path.value([0.0, np.inf]).tolist() == [0.0, 0.0]
    assert path.cover(5.0).value == 0.0


@pytest.mark.parametrize("distances", [[1.0], [1.0, np.nan]])
def test_every_pair_needs_its_distance(distances):
    with pytest.raises(InvalidInput, match="2 pairs come with distances"):
        cover_path(3, [0, 1, 1], [0, 0], [1, 2], distances)


@pytest.mark.parametrize(
    ("pairs", "message"),
    [
        (([0], [1, 2]), "shapes"),
        (([0], [7]), "contains object 7, but there are 3 objects"),
        (([0], [-1]), "contains object -1"),
        (([1], [2]), "Objects 1 and 2 are a pair, but both have class 1"),
    ],
)
def test_what_is_no_conflict_is_refused(pairs, message):
    with pytest.raises(InvalidInput, match=message):
        cover_path(3, [0, 1, 1], *pairs, [1.0])


def test_every_object_needs_a_code():
    with pytest.raises(InvalidInput, match="codes of shape"):
        cover_path(3, [0, 1], [0], [1], [1.0])
