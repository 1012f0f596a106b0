"""Shortest ways over a sample: their definition, new objects, promises, models and files."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import metric_matrices, objects_of, vectors

import wideberth
from wideberth import transforms
from wideberth.checks import check_metric
from wideberth.errors import InvalidInput
from wideberth.metrics.transforms.geodesic import Geodesic, shortest_ways

TURNS = np.linspace(0, 5, 80)
ARC = np.column_stack([np.cos(TURNS), np.sin(TURNS)])
HALVES = np.where(TURNS < 2.5, "first", "second")


def slow_ways(distances, neighbors):
    """Over the nearest neighbours and the edges without which a part would be cut off, by trying
    all ways of one more step.
    """
    n = len(distances)
    edges = np.full((n, n), np.inf)
    for i in range(n):
        for j in sorted(range(n), key=lambda j: (distances[i][j], j))[: neighbors + 1]:
            edges[i, j] = edges[j, i] = distances[i][j]
    parts = [{i} for i in range(n)]
    for i, j in sorted(itertools.combinations(range(n), 2), key=lambda pair: distances[pair]):
        one, other = (next(part for part in parts if end in part) for end in (i, j))
        if one is not other:
            edges[i, j] = edges[j, i] = distances[i][j]
            parts = [part for part in parts if part not in (one, other)] + [one | other]
    np.fill_diagonal(edges, 0.0)
    for k in range(n):
        edges = np.minimum(edges, edges[:, k, None] + edges[k])
    return edges


@given(matrix=metric_matrices(), neighbors=st.integers(1, 3), seed=st.integers(0, 99))
@settings(max_examples=60, deadline=None)
def test_ways_equal_the_definition(matrix, neighbors, seed):
    noise = np.random.default_rng(seed).random(
        matrix.shape
    )  # without ties, there is only one spanning tree
    matrix = np.where(matrix > 0, matrix + 1e-3 * (noise + noise.T), 0.0)
    np.fill_diagonal(matrix, 0.0)
    if (matrix + np.eye(len(matrix)) == 0).any():
        return
    np.testing.assert_allclose(
        shortest_ways(matrix, neighbors), slow_ways(matrix, neighbors), rtol=1e-12
    )


def test_equal_references_are_at_zero():
    rows = np.array([[0.0], [0.0], [1.0], [1.0], [5.0]])
    metric = transforms.geodesic("euclidean", neighbors=1).fitted(rows)
    assert metric.block(rows, rows)[0].tolist() == [0.0, 0.0, 1.0, 1.0, 5.0]


@pytest.mark.parametrize("inner", ["euclidean", "levenshtein", "msm", "gower"])
@given(data=st.data())
@settings(max_examples=15, deadline=None)
def test_promises_hold_for_references_and_new_objects(inner, data):
    objects = list(data.draw(objects_of[inner]))
    metric = transforms.geodesic(inner, neighbors=2).fitted(objects[: len(objects) // 2 + 1])
    check_metric(metric, objects)
    assert not wideberth.diagnose(objects, metric).broken_promises


@given(rows=vectors())
@settings(max_examples=20, deadline=None)
def test_references_have_the_lengths_of_ways(rows):
    metric = transforms.geodesic("euclidean", neighbors=2).fitted(rows)
    expected = shortest_ways(wideberth.metric("euclidean").block(rows, rows), 2)
    np.testing.assert_allclose(metric.block(rows, rows), expected, rtol=1e-9, atol=1e-9)


def test_far_ends_of_an_arc_are_far():
    metric = transforms.geodesic("euclidean", neighbors=2).fitted(ARC)
    assert metric(ARC[0], ARC[-1]) == pytest.approx(5, rel=0.01)
    between = [[np.cos(0.03), np.sin(0.03)]]
    np.testing.assert_allclose(metric.block(between, ARC[-1:])[0, 0], 4.97, rtol=0.01)


@pytest.mark.parametrize(
    ("inner", "objects", "labels"),
    [
        ("euclidean", ARC, HALVES),
        ("standardized", ARC, HALVES),
        (
            "levenshtein",
            ["tea", "tee", "ten", "rum", "ram", "rim"] * 3,
            ["soft"] * 3 + ["hard"] * 3,
        ),
        ("msm", [[0, 1], [0, 1, 1], [5, 4], [5, 4, 4, 4]] * 3, ["up", "up", "down", "down"]),
        ("gower", [{"age": age, "city": "Ulm"} for age in range(12)], ["young"] * 6 + ["old"] * 6),
    ],
)
def test_models_learn_and_survive_a_file(inner, objects, labels, tmp_path):
    labels = np.resize(labels, len(objects))
    model = wideberth.NeighborsClassifier(
        transforms.geodesic(inner, neighbors=3), n_neighbors=1
    ).fit(objects, labels)
    assert model.learned_from_.metric_learned
    wideberth.save(model, tmp_path / "model.wb")
    loaded = wideberth.load(tmp_path / "model.wb")
    np.testing.assert_array_equal(
        loaded.decision_function(objects), model.decision_function(objects)
    )
    space = wideberth.MetricSpace(objects, transforms.geodesic(inner, neighbors=3))
    assert space.metric.block(space.index[:2], space.index).shape == (2, len(objects))


def test_what_does_not_fit_is_said():
    with pytest.raises(InvalidInput, match=r"has no references yet.*fitted\(objects\)"):
        transforms.geodesic("euclidean").prepare(ARC)
    with pytest.raises(InvalidInput, match="neighbors=0 is no number"):
        transforms.geodesic("euclidean", neighbors=0)
    with pytest.raises(InvalidInput, match="needs a Metric, not 'euclidean'"):
        Geodesic("euclidean")
    with pytest.raises(InvalidInput, match="indices into a matrix"):
        transforms.geodesic(wideberth.MetricSpace(ARC, "euclidean").metric)
    with pytest.raises(InvalidInput, match="over no objects"):
        transforms.geodesic("euclidean").fitted([])
    assert transforms.geodesic("euclidean").fitted(ARC).block([], ARC).shape == (0, 80)
    fitted = transforms.geodesic("euclidean").fitted(ARC)
    assert fitted.fitted(ARC[:3]) is fitted
