"""Least sums of an offset and a multiple of the distance, against looking at all of them."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import wideberth
from wideberth.geometry.search import kdtree
from wideberth.geometry.search.weighted import WeightedNeighbors


def brute(distances, offsets, slope, k, below):
    sums = offsets[None, :] + slope * distances
    order = np.argsort(sums, axis=1, kind="stable")[:, :k]
    found = np.take_along_axis(sums, order, axis=1)
    return np.where(found < below[:, None], order, -1), np.where(
        found < below[:, None], found, below[:, None]
    )


@pytest.mark.few(2)
@pytest.mark.kernels
@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "chebyshev", "precomputed"])
@given(st.data())
@settings(max_examples=25, deadline=None)
def test_least_sums_equal_looking_at_all(metric, data):
    random = np.random.default_rng(data.draw(st.integers(0, 10**6)))
    n, m, k = (
        data.draw(st.integers(1, 12)),
        data.draw(st.integers(1, 4)),
        data.draw(st.integers(1, 3)),
    )
    objects = random.integers(0, 4, size=(n + m, 2)).astype(float)
    offsets, slope = (
        random.integers(-3, 3, size=n).astype(float),
        data.draw(st.sampled_from([0.0, 0.5, 2.0])),
    )
    below = random.choice([-1.0, 2.0, np.inf], size=m)
    if metric == "precomputed":
        matrix = wideberth.pairwise_distances(objects)
        measure, known, queries = (
            wideberth.metric("precomputed", distances=matrix),
            np.arange(n),
            np.arange(n, n + m),
        )
    else:
        measure, known, queries = wideberth.metric(metric), objects[:n], objects[n:]
    neighbors = WeightedNeighbors(known, measure)
    if metric != "precomputed":  # tiny samples would not ask the tree
        neighbors._tree = kdtree.build(known, leaf_size=2)
    found = neighbors.least(queries, offsets, slope, k=k, below=below)
    distances = measure.block(queries, known)
    indices, sums = brute(distances, offsets, slope, k, below)
    width = indices.shape[1]
    np.testing.assert_allclose(found.sums[:, :width], sums, atol=1e-12)
    np.testing.assert_array_equal(found.indices[:, :width], indices)
    there = found.indices >= 0
    rows = np.nonzero(there)[0]
    np.testing.assert_allclose(found.distances[there], distances[rows, found.indices[there]])
    assert np.all(found.indices[:, width:] == -1)


def test_nobody_is_nearest_among_none():
    empty = WeightedNeighbors(np.empty((0, 2)), wideberth.metric("euclidean"))
    found = empty.least(np.zeros((1, 2)), np.empty(0), 1.0)
    assert found.indices.tolist() == [[-1]]
    assert np.isinf(found.sums[0, 0])
