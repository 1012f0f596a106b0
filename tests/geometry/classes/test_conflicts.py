"""Nearest enemies and conflicts, against the matrix of distances."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.geometry.enemies import conflicts, nearest
from scipy.spatial.distance import cdist
from strategies import metric_matrices

import wideberth
from wideberth.errors import InvalidInput
from wideberth.geometry.classes import enemies as module
from wideberth.geometry.classes.enemies import conflict_pairs, nearest_enemies
from wideberth.geometry.search import kdtree

fast = settings(deadline=None, max_examples=40)
rng = np.random.default_rng(0)
labelled = st.tuples(
    metric_matrices(max_size=12), st.lists(st.integers(0, 2), min_size=14, max_size=14)
)


@pytest.fixture(scope="module", autouse=True)
def trees_of_few_points():
    """Vectors are searched in trees, however few they are."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kdtree, "FEW_POINTS", 0)
        yield


def as_list(parts):
    return sorted(
        pair
        for part in parts
        for pair in zip(
            part.distances.tolist(), part.first.tolist(), part.second.tolist(), strict=True
        )
    )


def table_of(distances):
    return np.arange(len(distances)), wideberth.metric(
        "precomputed", distances=distances, obeys_triangle=True
    )


@fast
@given(labelled, st.integers(1, 4))
def test_nearest_enemies_of_any_metric(case, k):
    distances, labels = case
    labels = np.array(labels[: len(distances)])
    objects, metric = table_of(distances)
    indices, lengths = nearest(distances, labels[:, None] != labels, k)
    found = nearest_enemies(objects, labels, metric, k)
    assert found.indices.tolist() == indices
    assert found.distances.tolist() == lengths


@fast
@given(labelled, st.sampled_from([0.0, 1.0, 3.0, 100.0]))
def test_conflicts_of_any_metric(case, threshold):
    distances, labels = case
    objects, metric = table_of(distances)
    labels = labels[: len(distances)]
    assert as_list(conflict_pairs(objects, labels, metric, threshold)) == conflicts(
        distances, labels, threshold
    )


@pytest.mark.kernels
@pytest.mark.parametrize("metric", ["euclidean", "precomputed"])
@pytest.mark.parametrize("classes", [1, 3])
def test_a_few_points(metric, classes):
    points = np.round(rng.normal(size=(30, 2)), 1)
    labels = rng.integers(0, classes, 30)
    distances = cdist(points, points)
    objects, measure = (points, metric) if metric == "euclidean" else table_of(distances)
    indices, lengths = nearest(distances, labels[:, None] != labels, 2)
    found = nearest_enemies(objects, labels, measure, 2)
    assert found.indices.tolist() == indices
    assert found.distances.tolist() == lengths
    for threshold in (0.0, float(lengths[0][1]), np.inf, -1.0):
        assert as_list(conflict_pairs(objects, labels, measure, threshold)) == conflicts(
            distances, labels, threshold
        )


@pytest.mark.kernels
@pytest.mark.parametrize("metric", ["euclidean", "precomputed"])
def test_conflicts_come_in_parts_that_fit(metric, monkeypatch):
    monkeypatch.setattr(module, "CHUNK_POINTS", 20)
    points, labels = rng.normal(size=(50, 2)), rng.integers(0, 3, 50)
    distances = cdist(points, points)
    objects, measure = (points, metric) if metric == "euclidean" else table_of(distances)
    parts = list(conflict_pairs(objects, labels, measure, 10.0, max_memory=1_000))
    assert as_list(parts) == conflicts(distances, labels, 10.0)
    assert max(len(part.first) for part in parts) <= 50
    assert len(parts) > 5


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_vectors_of_few_and_many_dimensions(n_jobs):
    for dimension in (2, 40):
        points, labels = rng.normal(size=(1_010, dimension)), rng.integers(0, 3, 1_010)
        distances = cdist(points, points)
        threshold = float(np.quantile(distances, 0.01))
        first, second = np.nonzero(np.triu((distances < threshold) & (labels[:, None] != labels)))
        found = as_list(conflict_pairs(points, labels, "euclidean", threshold, n_jobs=n_jobs))
        assert found == sorted(
            zip(distances[first, second].tolist(), first.tolist(), second.tolist(), strict=True)
        )
        enemies = np.where(labels[:, None] != labels, distances, np.inf)
        nearest_of_all = nearest_enemies(points, labels, k=3, n_jobs=n_jobs).indices
        assert nearest_of_all.tolist() == np.argsort(enemies, axis=1, kind="stable")[:, :3].tolist()


def test_nobody():
    assert nearest_enemies(np.empty((0, 2)), []).indices.shape == (0, 1)
    assert list(conflict_pairs(np.empty((0, 2)), [], "euclidean", 1.0)) == []
    assert nearest_enemies([], [], "levenshtein", 2).indices.shape == (0, 2)


def test_refuses_nonsense():
    with pytest.raises(InvalidInput, match="integer of at least 1"):
        nearest_enemies([[0.0]], [0], k=0)
    with pytest.raises(InvalidInput, match="threshold is NaN"):
        conflict_pairs([[0.0]], [0], "euclidean", np.nan)
