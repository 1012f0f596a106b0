"""Where a function on a finite metric space is steepest."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.papers.lipschitz_subspaces import steepest
from strategies import metric_matrices

import wideberth
from wideberth.papers.steepest_pairs import SteepestPairs

WORDS = ["tea", "tee", "coffee", "milk", "water", "wine", "toffee"]


def space_of(matrix):
    return np.arange(len(matrix)), wideberth.metric(
        "precomputed", distances=matrix, obeys_triangle=True
    )


@given(metric_matrices(), st.data(), st.sampled_from([10, 10**6]))
@settings(max_examples=40, deadline=None)
def test_the_largest_slope_is_that_of_all_pairs(matrix, data, max_memory):
    n = len(matrix)
    values = np.array(data.draw(st.lists(st.integers(-5, 5), min_size=n, max_size=n)), dtype=float)
    found = SteepestPairs(*space_of(matrix), max_memory=max_memory, n_jobs=1).search(values)
    assert found.slopes.max() == pytest.approx(steepest(values, matrix), rel=1e-12)
    there = np.flatnonzero(found.partners >= 0)
    np.testing.assert_array_equal(found.distances[there], matrix[there, found.partners[there]])
    rises = np.abs(values[there] - values[found.partners[there]])
    np.testing.assert_allclose(found.slopes[there] * found.distances[there], rises, rtol=1e-12)


def test_neither_memory_nor_cores_change_the_answer(monkeypatch):
    monkeypatch.setattr("wideberth.papers.steepest_pairs._PIECE_PAIRS", 3000)
    points = np.random.default_rng(0).normal(size=(300, 3))
    values = np.sin(points[:, 0])
    metric = wideberth.metric("euclidean")
    kept = SteepestPairs(points, metric, max_memory=10**7, n_jobs=2)
    anew = SteepestPairs(points, metric, max_memory=10**5, n_jobs=2)
    for one, other in zip(kept.search(values), anew.search(values), strict=True):
        np.testing.assert_array_equal(one, other)
    calls = kept.distance_calls, anew.distance_calls
    kept.search(-values)
    anew.search(-values)
    assert kept.distance_calls == calls[0]
    assert anew.distance_calls == calls[1] + 300**2


def test_whole_numbers_are_kept_as_such():
    metric = wideberth.metric("levenshtein")
    lengths = np.array([len(word) for word in WORDS], dtype=float)
    found = SteepestPairs(metric.prepare(WORDS), metric, max_memory=10**6, n_jobs=1).search(lengths)
    matrix = wideberth.pairwise_distances(WORDS, metric="levenshtein")
    assert found.slopes.max() == steepest(lengths, matrix) == 1.0


@pytest.mark.kernels
def test_equal_objects_constants_and_pairs_too_close_have_no_slope():
    points = np.array([[0.0], [0.0], [1e-6], [1.0]])
    pairs = SteepestPairs(points, wideberth.metric("euclidean"), max_memory=10**6, n_jobs=1)
    values = np.array([0.0, 3.0, 1.0, 2.0])
    assert pairs.search(values).slopes.max() == pytest.approx(2e6)
    np.testing.assert_allclose(
        pairs.search(values, closest=1e-3).slopes, [2.0, 1.0, 1.0, 2.0], rtol=1e-5
    )
    flat = pairs.search(np.ones(4))
    assert flat.partners.tolist() == [-1] * 4
    assert flat.slopes.tolist() == [0.0] * 4
