"""Cells round any number of centres: equal to their definition, however many there are."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import metric_matrices

import wideberth
from wideberth.classifiers.margin_neighbors.quantisation import quantise
from wideberth.geometry.shape.nets import farthest_first

fast = settings(deadline=None, max_examples=60)


def check_cells(distances, labels, found):
    """For every number of centres: the nearest centre, the first of equals; what is there; how far
    it is.
    """
    sizes = range(1, len(found) + 1)
    classes = np.unique(labels)
    for size, owner, counts in zip(sizes, found.owners(sizes), found.counts(sizes), strict=True):
        gaps = distances[:, found.centres[:size]]
        np.testing.assert_array_equal(owner, gaps.argmin(axis=1))
        assert found.displacements[size - 1] == pytest.approx(gaps.min(axis=1).mean())
        expected = [
            [np.sum((owner == cell) & (labels == label)) for label in classes]
            for cell in range(size)
        ]
        np.testing.assert_array_equal(counts.toarray(), expected)
        joined = (owner == size - 1) & (
            (distances[:, found.centres[: size - 1]] > gaps[:, -1:]).all(axis=1)
        )
        np.testing.assert_array_equal(np.sort(found.taken(size - 1)), np.flatnonzero(joined))


@fast
@given(metric_matrices(max_size=9), st.sampled_from([True, None]), st.data())
def test_cells_are_their_definition(distances, obeys_triangle, data):
    n = len(distances)
    table = wideberth.metric("precomputed", distances=distances, obeys_triangle=obeys_triangle)
    labels = np.array(data.draw(st.lists(st.sampled_from("abc"), min_size=n, max_size=n)))
    found = quantise(np.arange(n), labels, table)
    assert found.centres.tolist() == farthest_first(np.arange(n), table).order.tolist()
    assert found.displacements[-1] == 0
    check_cells(distances, labels, found)
    order = data.draw(st.permutations(range(n)))
    other = quantise(np.arange(n), labels, table, order=order)
    assert other.centres.tolist() == order
    check_cells(distances, labels, other)


@fast
@given(metric_matrices(max_size=9), st.integers(1, 12))
def test_fewer_centres_are_the_first_ones(distances, count):
    labels = np.arange(len(distances)) % 2
    whole, part = (
        quantise(distances, labels, "precomputed"),
        quantise(distances, labels, "precomputed", count=count),
    )
    assert len(part) == min(count, len(whole))
    assert part.centres.tolist() == whole.centres[: len(part)].tolist()
    np.testing.assert_array_equal(part.displacements, whole.displacements[: len(part)])


@fast
@given(metric_matrices(max_size=9))
def test_scaling_scales(distances):
    labels = np.arange(len(distances)) % 3
    found, shorter = (
        quantise(distances, labels, "precomputed"),
        quantise(0.37 * distances, labels, "precomputed"),
    )
    np.testing.assert_array_equal(found.centres, shorter.centres)
    np.testing.assert_allclose(0.37 * found.displacements, shorter.displacements)


def test_the_triangle_inequality_spares_distances():
    points = np.random.default_rng(0).random((2000, 2))
    found = quantise(points, np.zeros(2000), count=200)
    assert found.distance_calls < 200 * 2000 / 5


def test_words():
    found = quantise(
        ["tea", "tee", "coffee", "tea"], ["leaf", "wood", "bean", "leaf"], "levenshtein"
    )
    assert found.centres.tolist() == [0, 2, 1]
    assert next(found.counts([2])).toarray().tolist() == [[0, 2, 1], [1, 0, 0]]
