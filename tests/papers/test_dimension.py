"""Estimates of dimension: near what is known of cubes and manifolds, and modest about it."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import metric_matrices

import wideberth
from wideberth.errors import InvalidInput, UnknownName
from wideberth.papers.dimension import METHODS, intrinsic_dimension

N = 2000


def cube(dimension):
    return np.random.default_rng(dimension).random((N, dimension))


def manifold():
    rng = np.random.default_rng(0)
    plane = rng.random((N, 2))
    return np.c_[np.sin(3 * plane), np.cos(5 * plane), plane, plane @ rng.normal(size=(2, 14))]


@pytest.mark.few(1)
@pytest.mark.parametrize(
    ("points", "expected"),
    [
        (cube(2), {"twonn": 2.0, "correlation": 1.85, "packing": 1.5, "doubling": 3.7}),
        (cube(5), {"twonn": 4.6, "correlation": 4.2, "packing": 2.8, "doubling": 6.8}),
        pytest.param(
            cube(10),
            {"twonn": 8.2, "correlation": 7.4, "packing": 5.0, "doubling": 9.3},
            marks=pytest.mark.slow,
        ),
        (manifold(), {"twonn": 2.0, "correlation": 1.9, "packing": 1.5, "doubling": 3.8}),
    ],
    ids=["square", "5-cube", "10-cube", "surface"],
)
def test_known_shapes(points, expected):
    for method, value in expected.items():
        assert intrinsic_dimension(points, "euclidean", method).value == pytest.approx(
            value, rel=0.12
        )


@pytest.mark.few(1)
@pytest.mark.parametrize("method", METHODS)
def test_scaling_and_reordering_change_little(method):
    points = cube(3)[:400]
    plain = intrinsic_dimension(points, "euclidean", method)
    shorter = intrinsic_dimension(0.37 * points, "euclidean", method)
    assert shorter.value == pytest.approx(plain.value)
    np.testing.assert_allclose(shorter.scales, np.multiply(0.37, plain.scales))
    if method != "doubling":  # it looks at balls round some objects
        moved = intrinsic_dimension(
            points[np.random.default_rng(0).permutation(400)], "euclidean", method
        )
        assert moved.value == pytest.approx(plain.value, rel=0.1)


@pytest.mark.parametrize("method", METHODS)
@settings(deadline=None, max_examples=20)
@given(distances=metric_matrices())
def test_tiny_spaces_with_ties_get_a_number_or_none(method, distances):
    metric = wideberth.metric("precomputed", distances=distances)
    found = intrinsic_dimension(np.arange(len(distances)), metric, method)
    assert np.isnan(found.value) or found.value >= 0
    assert found.n_sampled == len(distances)


@pytest.mark.parametrize("method", METHODS)
def test_equal_objects_have_no_scales(method):
    found = intrinsic_dimension(np.zeros((5, 2)), "euclidean", method)
    assert np.isnan(found.value) or found.value == 0


def test_large_samples_are_drawn_from():
    points = cube(2)
    few = intrinsic_dimension(points, n_sampled=300, random_state=1)
    assert (few.n_sampled, few.distance_calls) == (300, 300 * 300)
    assert few == intrinsic_dimension(points, n_sampled=300, random_state=1)
    assert few.value != intrinsic_dimension(points, n_sampled=300, random_state=2).value
    assert "no upper bound" in few.note


def test_words_have_a_correlation_dimension():
    words = [
        "".join(letters) for letters in np.random.default_rng(0).choice(list("abc"), size=(80, 6))
    ]
    assert intrinsic_dimension(words, "levenshtein", "correlation").value > 0


def test_memory_is_respected_and_the_advice_helps():
    with pytest.raises(InvalidInput, match="n_sampled=204 fits"):
        intrinsic_dimension(cube(2), max_memory="1MB")
    assert intrinsic_dimension(cube(2), max_memory="1MB", n_sampled=204).n_sampled == 204


@given(st.integers(0, 2))
def test_two_objects_are_too_few(n):
    with pytest.raises(InvalidInput, match=f"cannot be estimated from {n} objects"):
        intrinsic_dimension(np.arange(float(n)).reshape(-1, 1))


def test_an_unknown_method_is_named():
    with pytest.raises(UnknownName, match="twonn, correlation, packing, doubling"):
        intrinsic_dimension(cube(2), method="fractal")
