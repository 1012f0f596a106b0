"""Covers: they cover, they are minimum for two classes, and near the bound they carry for more."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.classifiers.covers import (
    conflicts,
    is_cover,
    matching_number,
    relaxed_cover,
    smallest_cover,
    smallest_cover_by_search,
)
from scipy.spatial.distance import cdist
from strategies import metric_matrices

from wideberth.classifiers.margin_neighbors.kernels import cover_by_degree, link
from wideberth.classifiers.margin_neighbors.vertex_cover import (
    drop_redundant,
    relax,
    round_up,
    vertex_cover,
)

fast = settings(deadline=None, max_examples=60)


@st.composite
def conflict_graphs(draw, max_classes=4):
    distances = draw(metric_matrices())
    n = len(distances)
    codes = np.array(draw(st.lists(st.integers(0, max_classes - 1), min_size=n, max_size=n)))
    first, second, gaps = conflicts(distances, codes)
    near = gaps < draw(st.integers(0, 8))
    return n, codes, first[near], second[near]


@pytest.mark.kernels
@pytest.mark.parametrize("n_classes", [2, 3, 5])
def test_covers_of_small_graphs(n_classes):
    rng = np.random.default_rng(n_classes)
    for _ in range(20):
        n = int(rng.integers(2, 9))
        codes = rng.integers(n_classes, size=n)
        first, second, gaps = conflicts(rng.random((n, n)), codes)
        first, second = first[gaps < 0.6], second[gaps < 0.6]
        found = vertex_cover(n, codes, first, second)
        optimum = smallest_cover(n, first, second)
        assert is_cover(found.point, first, second)
        assert found.point.sum() == found.value
        assert found.lower_bound <= optimum <= found.value
        assert n_classes > 2 or found.value == optimum


@fast
@given(conflict_graphs(max_classes=2))
def test_two_classes_are_solved(graph):
    n, codes, first, second = graph
    found = vertex_cover(*graph)
    assert is_cover(found.point, first, second)
    assert found.point.sum() == found.value == found.lower_bound == smallest_cover(n, first, second)
    left, right = (
        np.where(codes[first] == 0, first, second),
        np.where(codes[first] == 0, second, first),
    )
    assert (
        found.value
        == matching_number(n, left, right)
        == relax(link(n, *int32(first, second))).sum()
    )
    assert found.status == "optimal"


@fast
@given(conflict_graphs())
def test_more_classes_keep_their_promises(graph):
    n, codes, first, second = graph
    lists = link(n, *int32(first, second))
    values = relax(lists)
    optimum = smallest_cover(n, first, second)
    assert set(values) <= {0.0, 0.5, 1.0}
    assert (values[first] + values[second] >= 1).all()
    assert values.sum() == pytest.approx(relaxed_cover(n, first, second))
    rounded = round_up(values, codes, lists)
    assert is_cover(rounded, first, second)
    assert rounded.sum() <= (2 - 2 / max(2, len(set(codes)))) * values.sum() + 1e-9
    found = vertex_cover(*graph)
    assert is_cover(found.point, first, second)
    assert (
        values.sum()
        <= found.lower_bound
        <= optimum
        <= found.value
        == found.point.sum()
        <= rounded.sum()
    )
    assert (found.status == "optimal") <= (found.value == optimum)


@fast
@given(conflict_graphs(), st.randoms(use_true_random=False))
def test_the_order_of_objects_and_pairs_does_not_matter_for_the_bound(graph, random):
    n, codes, first, second = graph
    place = np.array(random.sample(range(n), n))  # object i goes to place[i]
    pairs = random.sample(range(len(first)), len(first))
    moved = np.empty_like(codes)
    moved[place] = codes
    original, shuffled = (
        vertex_cover(*graph),
        vertex_cover(n, moved, place[second][pairs], place[first][pairs]),
    )
    assert original.lower_bound == shuffled.lower_bound
    if len(set(codes)) <= 2:
        assert original.value == shuffled.value


@fast
@given(conflict_graphs(), st.data())
def test_whom_the_degrees_spare_is_out_of_conflict_and_nobody_else_could_be(graph, data):
    n, _, first, second = graph
    inside = np.array(data.draw(st.lists(st.booleans(), min_size=n, max_size=n)))
    covered = cover_by_degree(*link(n, *int32(first, second)), inside)
    within = inside[first] & inside[second]
    spared = inside & ~covered
    assert not (covered & ~inside).any()
    assert is_cover(covered, first[within], second[within])
    beside_spared = np.zeros(n, dtype=bool)
    beside_spared[first[within & spared[second]]] = True
    beside_spared[second[within & spared[first]]] = True
    np.testing.assert_array_equal(covered, beside_spared)


def test_the_sparsest_are_spared():
    hub, leaves = np.zeros(6, dtype=np.int32), np.arange(1, 7, dtype=np.int32)
    assert cover_by_degree(*link(7, hub, leaves), np.ones(7, dtype=bool)).tolist() == [True] + 6 * [
        False
    ]
    path = np.arange(6, dtype=np.int32)  # 0 - 1 - ... - 6: the ends first, then what they left
    assert cover_by_degree(*link(7, path, path + 1), np.ones(7, dtype=bool)).sum() == 3


def test_a_cover_keeps_no_idle_object():
    rng = np.random.default_rng(0)
    codes = rng.integers(5, size=80)
    first, second, gaps = conflicts(rng.random((80, 80)), codes)
    first, second = first[gaps < 0.1], second[gaps < 0.1]
    mask = vertex_cover(80, codes, first, second).point
    for vertex in np.flatnonzero(mask):
        lesser = mask.copy()
        lesser[vertex] = False
        assert not is_cover(lesser, first, second)
    everything = np.ones(80, dtype=bool)
    assert drop_redundant(everything, link(80, *int32(first, second))) == 80 - everything.sum()
    assert is_cover(everything, first, second)


@pytest.mark.parametrize(("n_classes", "dimension"), [(2, 2), (3, 2), (10, 3), (10, 8)])
def test_on_overlapping_clouds_covers_are_near_the_optimum(n_classes, dimension):
    rng = np.random.default_rng(n_classes + dimension)
    codes = rng.integers(n_classes, size=300)
    points = 2 * rng.normal(size=(n_classes, dimension))[codes] + 0.7 * rng.normal(
        size=(300, dimension)
    )
    first, second, gaps = conflicts(cdist(points, points), codes)
    near = gaps < np.quantile(gaps, 0.04)
    found = vertex_cover(300, codes, first[near], second[near])
    optimum = smallest_cover_by_search(300, first[near], second[near])
    assert found.lower_bound <= optimum <= found.value <= 1.08 * optimum


def test_no_pairs_need_no_cover():
    found = vertex_cover(3, np.arange(3), *np.empty((2, 0), dtype=np.int32))
    assert (found.value, found.lower_bound, found.status) == (0.0, 0.0, "optimal")
    assert not found.point.any()


def test_an_odd_cycle_of_three_classes_shows_its_gap():
    found = vertex_cover(3, np.arange(3), *int32(np.array([0, 1, 2]), np.array([1, 2, 0])))
    assert (found.value, found.lower_bound) == (2.0, 2.0)


def int32(*arrays):
    return tuple(array.astype(np.int32) for array in arrays)
