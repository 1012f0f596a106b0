"""Coordinates from distances: Kuratowski's and classical scaling."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from oracles.geometry import embeddings as oracle
from strategies import metric_matrices, vectors

import wideberth
from wideberth.embeddings import ClassicalScaling, Kuratowski


def largest_differences(coordinates):
    return np.abs(coordinates[:, None] - coordinates).max(axis=2)


@given(metric_matrices(min_size=4), st.data())
@settings(max_examples=60, deadline=None)
def test_kuratowski_is_an_isometry_on_the_references_and_one_more_object(distances, data):
    n = len(distances)
    references = data.draw(st.lists(st.integers(0, n - 1), min_size=1, max_size=n, unique=True))
    found = largest_differences(
        Kuratowski(distances[references[0], references]).coordinates(distances[:, references])
    )
    assert np.all(found <= distances + 1e-12)
    np.testing.assert_allclose(found[references], distances[references])
    whole = wideberth.KuratowskiEmbedding("precomputed").fit(distances)
    found = largest_differences(whole.transform(distances))
    np.testing.assert_allclose(found, distances, atol=1e-12)


@given(vectors(min_size=4), st.integers(1, 4))
@settings(max_examples=60, deadline=None)
def test_scaling_is_principal_components_on_vectors(points, n_components):
    known, new = oracle.principal_coordinates(points[:-1], points, points.shape[1])
    spread = np.pad((known**2).sum(axis=0), (0, 1))
    distances = wideberth.pairwise_distances(points)
    scaling = ClassicalScaling.of(distances[:-1, :-1], n_components)
    width = min(n_components, known.shape[1])
    np.testing.assert_allclose(
        scaling.eigenvalues[:width], spread[:width], atol=1e-7 * max(1, spread[0])
    )
    assume(
        np.all(-np.diff(spread[: width + 1]) > 1e-3 * max(1, spread[0]))
    )  # else axes may turn into each other
    found = scaling.coordinates(distances[:, :-1])[:, :width]
    np.testing.assert_allclose(
        np.abs(found), np.abs(new[:, :width]), atol=1e-5 * max(1, np.abs(new).max())
    )


@given(vectors(min_size=4))
@settings(max_examples=40, deadline=None)
def test_all_axes_keep_distances_and_fewer_shorten_them(points):
    distances = wideberth.pairwise_distances(points)
    close = 1e-5 * max(1.0, distances.max())
    whole = ClassicalScaling.of(distances, None)
    np.testing.assert_allclose(
        wideberth.pairwise_distances(whole.coordinates(distances)), distances, atol=close
    )
    few = ClassicalScaling.of(distances[:3, :3], 1).coordinates(distances[:, :3])
    assert np.all(wideberth.pairwise_distances(few) <= distances + close)


@given(metric_matrices(), st.floats(0.1, 10))
@settings(max_examples=40, deadline=None)
def test_any_metric_has_a_positive_part(distances, scale):
    scaling, scaled = (
        ClassicalScaling.of(distances, None),
        ClassicalScaling.of(scale * distances, None),
    )
    values = scaling.spectrum.values
    assert np.all(np.diff(values) <= 0)
    assert scaling.axes.shape[1] == max(1, (values > max(-values[-1], 1e-12 * values[0])).sum())
    np.testing.assert_allclose(
        scaled.spectrum.values, scale**2 * values, atol=1e-8 * scale**2 * max(1, values[0])
    )
    coordinates = scaling.coordinates(distances)
    assert np.isfinite(coordinates).all()
    np.testing.assert_allclose(
        (coordinates**2).sum(axis=0), scaling.eigenvalues, atol=1e-6 * max(1, values[0])
    )
    np.testing.assert_allclose(coordinates.mean(axis=0), 0, atol=1e-6 * max(1, values[0]))


def test_axes_that_are_not_there_are_zero():
    line = np.abs(np.arange(4.0)[:, None] - np.arange(4.0))
    scaling = ClassicalScaling.of(line, 3)
    np.testing.assert_allclose(scaling.eigenvalues, [5, 0, 0], atol=1e-12)
    coordinates = scaling.coordinates(np.array([[0.5, 0.5, 1.5, 2.5]]))
    assert np.abs(coordinates[0]) == pytest.approx([1, 0, 0])
    alone = ClassicalScaling.of(np.zeros((1, 1)), None)
    np.testing.assert_array_equal(alone.coordinates(np.array([[0.0], [3.0]])), [[0], [0]])
    assert ClassicalScaling.of(np.zeros((2, 2)), 5).coordinates(np.zeros((2, 2))).shape == (2, 5)
