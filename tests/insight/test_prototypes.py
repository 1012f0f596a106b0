"""Medoids: equal to slow twins, no single exchange improves them, and the memory limits the
candidates.
"""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.insight import medoids as slow
from strategies import metric_matrices, words

import wideberth as wb
from wideberth.errors import InvalidInput
from wideberth.insight.kernels import exchange_medoids, saved_by_adding, two_nearest
from wideberth.insight.prototypes import _greedy

fast = settings(deadline=None, max_examples=60)


@fast
@given(metric_matrices(max_size=9), st.integers(1, 4))
def test_the_greedy_choice_and_the_exchanges_are_their_definitions(distances, k):
    k = min(k, len(distances))
    greedy = slow.greedy(distances, k)
    assert _greedy(distances, k).tolist() == greedy
    assert sorted(wb.prototypes(distances, "precomputed", k, max_exchanges=0).indices) == sorted(
        greedy
    )
    found = wb.prototypes(distances, "precomputed", k)
    assert sorted(found.indices) == sorted(slow.exchanged(distances, greedy))
    assert not slow.improvable(distances, found.indices)
    assert found.cost == slow.cost(distances, found.indices)
    assert found.cost <= 5 * slow.optimum(distances, k)  # Arya et al. 2004


@fast
@given(metric_matrices(max_size=9), st.integers(1, 4))
def test_each_object_belongs_to_its_nearest_prototype(distances, k):
    found = wb.prototypes(distances, "precomputed", min(k, len(distances)))
    to_prototypes = distances[found.indices]
    np.testing.assert_array_equal(found.distances, to_prototypes.min(axis=0))
    np.testing.assert_array_equal(
        to_prototypes[found.assignment, np.arange(len(distances))], found.distances
    )
    assert (np.diff(found.sizes) <= 0).all()
    assert found.objects == found.indices.tolist()
    assert len(found) == min(k, len(distances))


@fast
@given(metric_matrices(max_size=9))
def test_scaling_scales(distances):
    one, other = (wb.prototypes(scale * distances, "precomputed", 2) for scale in (1.0, 0.37))
    assert other.cost == pytest.approx(0.37 * one.cost)


@fast
@given(words, st.integers(1, 3))
def test_labels_divide_the_problem(strings, k):
    labels = np.arange(len(strings)) % 2
    found = wb.prototypes(strings, "levenshtein", k, y=labels)
    for label in (0, 1):
        own, members = found.indices[found.labels == label], np.flatnonzero(labels == label)
        alone = wb.prototypes([strings[i] for i in members], "levenshtein", min(k, len(members)))
        assert members[alone.indices].tolist() == own.tolist()
        assert found.distances[members].tolist() == alone.distances.tolist()
        assert set(found.assignment[members]) <= set(np.flatnonzero(found.labels == label))
    assert found.objects == [strings[i] for i in found.indices]


@pytest.mark.kernels
@pytest.mark.parametrize("kind", [np.uint16, np.float64])
def test_kernels_take_the_distances_as_they_are_kept(kind):
    distances = np.array([[0, 1, 9, 8], [1, 0, 9, 8], [9, 9, 0, 2], [8, 8, 2, 0]], dtype=kind)
    saved, medoids = np.empty(4), np.array([0, 1])
    saved_by_adding(distances, np.array([0.0, 1.0, 9.0, 8.0]), saved)
    assert saved.tolist() == [0.0, 1.0, 15.0, 15.0]
    owner, nearest, second = np.empty(4, dtype=np.intp), np.empty(4), np.empty(4)
    two_nearest(distances, medoids, owner, nearest, second)
    assert (owner.tolist(), nearest.tolist(), second.tolist()) == (
        [0, 1, 0, 0],
        [0, 0, 9, 8],
        [1, 1, 9, 8],
    )
    chosen = np.array([True, True, False, False])
    assert exchange_medoids(distances, medoids, chosen, owner, nearest, second, 1e-9, 100) == 1
    assert (medoids.tolist(), chosen.tolist(), nearest.sum()) == (
        [2, 1],
        [False, True, True, False],
        3.0,
    )


def measured_once(obeys_triangle):
    calls = []

    def gap(one, other):
        calls.append((one, other))
        return abs(one - other)

    return calls, wb.metric(gap, obeys_triangle=obeys_triangle)


@pytest.mark.parametrize("obeys_triangle", [True, None])
def test_each_distance_is_measured_once(obeys_triangle):
    calls, metric = measured_once(obeys_triangle)
    found = wb.prototypes(list(range(12)), metric, 3, n_jobs=1)
    assert found.cost == 12.0  # three runs of four numbers
    assert len(set(calls)) == len(calls) == (12 * 11 / 2 if obeys_triangle else 12 * 12)


def test_little_memory_means_fewer_candidates():
    points = np.random.default_rng(0).normal(size=(400, 2))
    whole, part = (
        wb.prototypes(points, k=4),
        wb.prototypes(points, k=4, max_memory=2 * 8 * 400 * 40),
    )
    assert (whole.n_candidates, part.n_candidates) == (400, 40)
    assert whole.cost <= part.cost <= 1.2 * whole.cost
    again = wb.prototypes(points, k=4, max_memory=2 * 8 * 400 * 40)
    assert again.indices.tolist() == part.indices.tolist()


def test_the_advice_on_memory_works():
    points = np.random.default_rng(0).normal(size=(300, 2))
    with pytest.raises(InvalidInput, match="do not hold the distances from 3 prototypes") as error:
        wb.prototypes(points, k=3, max_memory=1000)
    advised = error.value.advice.removeprefix("Allow ").partition(",")[0]
    assert len(wb.prototypes(points, k=3, max_memory=advised)) == 3


@pytest.mark.parametrize("k", [0, 4, 1.5, "2"])
def test_k_must_fit(k):
    with pytest.raises(InvalidInput, match="cannot be chosen from 3 objects"):
        wb.prototypes(["tea", "rum", "ale"], "levenshtein", k)


def test_exchanges_must_be_a_number():
    with pytest.raises(InvalidInput, match="max_exchanges=-1"):
        wb.prototypes(["tea", "rum", "ale"], "levenshtein", 2, max_exchanges=-1)


def test_the_objects_of_a_space_are_not_measured_again():
    space = wb.MetricSpace(["tea", "teas", "tear", "rum", "rums"], "levenshtein")
    first = wb.prototypes(space.index, space.metric, 2)
    calls = space.distance_calls
    second = wb.prototypes(space.index, space.metric, 2, y=[1, 1, 1, 0, 0])
    assert space.distance_calls == calls <= 10
    assert first.indices.tolist() == [0, 3]
    assert second.labels.tolist() == [0, 0, 1, 1]
