"""Gram matrices and their eigenvalues."""

import numpy as np
import pytest
from hypothesis import given, settings
from scipy.sparse.linalg import ArpackNoConvergence
from strategies import metric_matrices, vectors

import wideberth
from wideberth.geometry.shape.gram import Spectrum, centred, clip_negative


@given(vectors())
@settings(max_examples=40, deadline=None)
def test_the_centred_matrix_is_the_gram_matrix_of_the_centred_points(points):
    middle = points - points.mean(axis=0)
    gram = centred(wideberth.pairwise_distances(points) ** 2)
    np.testing.assert_allclose(gram, middle @ middle.T, atol=1e-8)
    np.testing.assert_array_equal(gram, gram.T)
    assert not Spectrum.of(gram).violated


@given(metric_matrices())
@settings(max_examples=40, deadline=None)
def test_clipping_leaves_the_positive_part(distances):
    gram = centred(distances**2)
    before, after = Spectrum.of(gram), Spectrum.of(clip_negative(gram))
    assert not after.violated
    assert after.negative_part == 0
    np.testing.assert_allclose(
        np.sort(after.values),
        np.sort(np.maximum(before.values, 0)),
        atol=1e-9 * max(1, before.largest),
    )
    assert 0 <= before.negative_part < 1
    assert before.violated == (before.negative_part > 0)


def test_a_spectrum_says_how_far_from_positive_it_is():
    found = Spectrum(np.array([6.0, -1.0, 1.0, -2.0]))
    assert (found.smallest, found.largest, found.violated) == (-2.0, 6.0, True)
    assert found.negative_part == pytest.approx(0.3)
    rounded = Spectrum(np.array([1.0, -1e-12]))
    assert not rounded.violated
    assert rounded.negative_part == 0
    assert not Spectrum(np.zeros(3)).violated
    assert Spectrum(np.zeros(3)).negative_part == 0
    assert Spectrum(np.array([-1.0, -3.0])).violated


@pytest.mark.parametrize("seed", range(5))
def test_the_ends_of_a_large_spectrum(seed):
    generator = np.random.default_rng(seed)
    noise, points = generator.normal(size=(320, 320)), generator.normal(size=(320, 4))
    kernel = points @ points.T + (noise + noise.T) / 30
    every = np.linalg.eigvalsh(centred(-2 * kernel))
    found = Spectrum.ends_of_centred(kernel)
    assert found.values == pytest.approx(every[[0, -1]], rel=1e-3)
    assert found.smallest <= every[0] + 1e-9 * every[-1], (
        "a shift by its size leaves nothing negative"
    )
    assert (found.whole, found.violated, np.isnan(found.negative_part)) == (False, True, True)


def test_the_ends_of_a_small_spectrum_come_with_all_others():
    kernel = -0.5 * np.abs(np.arange(9.0)[:, None] - np.arange(9.0)) ** 2
    found = Spectrum.ends_of_centred(kernel)
    np.testing.assert_allclose(
        found.values, np.linalg.eigvalsh(centred(-2 * kernel)), atol=1e-12 * found.largest
    )
    assert found.whole


def test_where_lanczos_does_not_end_all_eigenvalues_are_computed(monkeypatch):
    def endless(*_, **__):
        raise ArpackNoConvergence("no end", np.empty(0), np.empty((0, 0)))

    monkeypatch.setattr("wideberth.geometry.shape.gram.eigsh", endless)
    kernel = np.diag(np.linspace(-1, 5, 310))
    np.testing.assert_allclose(
        Spectrum.ends_of_centred(kernel).values, np.linalg.eigvalsh(centred(-2 * kernel)), atol=1e-9
    )
