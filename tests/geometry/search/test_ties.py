"""The nearest objects with all ties: as brute force finds them, from as few distances as the
nearest alone where nothing ties.
"""

import numpy as np
import pytest
import strategies
from hypothesis import given, settings
from hypothesis import strategies as st

import wideberth
from wideberth.errors import InvalidInput
from wideberth.geometry.search.index import Index


def assert_all_ties(index, distances, queries, k, alive=None):
    """Every object no farther than the k-th nearest, by (distance, index), and nothing else."""
    alive = np.ones(distances.shape[1], dtype=bool) if alive is None else alive
    row = 0
    for found in index.nearest_with_ties(queries, k):
        for start, stop in zip(found.starts, found.starts[1:], strict=False):
            own = np.where(alive, distances[row], np.inf)
            kth = np.sort(own)[min(k, alive.sum()) - 1] if alive.any() else -1.0
            expected = np.lexsort((np.arange(len(own)), own))[: (own <= kth).sum()]
            np.testing.assert_array_equal(found.indices[start:stop], expected)
            np.testing.assert_array_equal(found.distances[start:stop], own[expected])
            row += 1
    assert row == len(distances)


@pytest.mark.parametrize("engine", ["brute", "pivots"])
@settings(max_examples=30, deadline=None)
@given(
    matrix=strategies.metric_matrices(max_size=14),
    scale=st.sampled_from([1.0, 0.37]),
    k=st.integers(1, 16),
)
def test_any_metric_space(engine, matrix, scale, k):
    objects = np.arange(len(matrix))
    metric = wideberth.metric("precomputed", distances=scale * matrix, obeys_triangle=True)
    index = Index(objects, metric, engine=engine)
    assert_all_ties(index, scale * matrix, objects, k)
    index.delete(objects[::3])
    assert_all_ties(index, scale * matrix, objects, k, alive=objects % 3 > 0)


@pytest.mark.kernels
@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "chebyshev"])
@pytest.mark.parametrize("k", [1, 3, 40, 70])
def test_the_kd_tree(metric, k):
    points = np.random.default_rng(0).integers(0, 4, size=(60, 2)).astype(float)
    queries = np.random.default_rng(1).integers(0, 4, size=(9, 2)).astype(float)
    index = Index(points, metric, engine="kdtree")
    distances = wideberth.pairwise_distances(queries, points, metric=metric)
    assert_all_ties(index, distances, queries, k)
    index.delete(np.arange(0, 60, 2))
    assert_all_ties(index, distances, queries, k, alive=np.arange(60) % 2 > 0)


@pytest.mark.few(1)
@pytest.mark.parametrize("engine", ["brute", "pivots", "kdtree"])
def test_batches_of_queries_are_in_order(engine):
    points = np.random.default_rng(0).integers(0, 9, size=(700, 2)).astype(float)
    index = Index(points, engine=engine, max_memory="1MB")
    assert len(list(index.nearest_with_ties(points, 2))) > 1
    assert_all_ties(
        index, wideberth.pairwise_distances(points, None, metric="euclidean"), points, 2
    )
    assert not [
        len(found.indices) for found in index.nearest_with_ties(points[:0]) if len(found.indices)
    ]


@pytest.mark.parametrize("engine", ["brute", "pivots"])
@pytest.mark.parametrize("k", [1, 5])
def test_no_distance_is_measured_twice(engine, k):
    words = wideberth.datasets.load_first_names()[0][::20]
    queries = [word + "e" for word in words[::5]]
    index = Index(words[:-1], "levenshtein", engine=engine)
    before = index.distance_calls
    list(index.nearest_with_ties(queries, k))
    assert index.distance_calls - before <= len(queries) * len(index)


@pytest.mark.parametrize("engine", ["brute", "pivots"])
def test_where_nothing_ties_no_more_distances_are_measured(engine):
    random = np.random.default_rng(0)
    points, queries = random.normal(size=(500, 3)), random.normal(size=(50, 3))
    calls = []
    for ask in (
        lambda index: index.nearest(queries, 3),
        lambda index: list(index.nearest_with_ties(queries, 3)),
    ):
        index = Index(points, engine=engine)
        before = index.distance_calls
        ask(index)
        calls.append(index.distance_calls - before)
    assert calls[1] == calls[0]


def test_the_number_of_neighbours_is_checked():
    with pytest.raises(InvalidInput, match="k must be a positive integer, not 0"):
        list(Index([[0.0]]).nearest_with_ties([[0.0]], 0))
