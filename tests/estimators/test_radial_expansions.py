"""Radial functions: their formulas, Lipschitz constants and widths; sums of them, and their bounds."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

import wideberth
from wideberth.classifiers.hilbert_svm.kernel import HilbertKernel
from wideberth.errors import InvalidInput
from wideberth.estimators.radial_expansions import Radial, RadialExpansion

FORMULAS = {
    "distance": lambda t, s: t,
    "gaussian": lambda t, s: math.exp(-((t / s) ** 2)),
    "laplace": lambda t, s: math.exp(-t / s),
    "bounded": lambda t, s: t / (s + t),
}
WITH_WIDTH = sorted(set(FORMULAS) - {"distance"})
widths = st.floats(1e-3, 1e3)


def radial(name, width):
    return Radial(name) if name == "distance" else Radial(name, width)


@pytest.mark.parametrize("name", FORMULAS)
@given(widths, st.lists(st.floats(0, 1e4), min_size=1, max_size=9))
def test_values_are_those_of_the_formula(name, width, distances):
    found = radial(name, width).values(np.array(distances))
    np.testing.assert_allclose(
        found, [FORMULAS[name](t, width) for t in distances], rtol=1e-12, atol=1e-300
    )


@pytest.mark.parametrize("name", FORMULAS)
@given(widths)
def test_the_lipschitz_constant_is_reached_and_never_exceeded(name, width):
    function = radial(name, width)
    distances = np.linspace(0, 4 * width, 20_001)
    slopes = np.abs(np.diff(function.values(distances))) / np.diff(distances)
    assert slopes.max() <= function.lipschitz * (1 + 1e-9)
    assert slopes.max() >= function.lipschitz * (1 - 1e-3)


@pytest.mark.parametrize("name", FORMULAS)
@given(widths)
def test_scaled_is_divided_by_it_and_works_in_place(name, width):
    function, distances = radial(name, width), np.linspace(0, 5 * width, 50)
    given_before = distances.copy()
    expected = function.values(distances) / function.lipschitz
    np.testing.assert_allclose(function.column(distances), expected, rtol=1e-12)
    np.testing.assert_array_equal(distances, given_before)
    out = np.empty_like(distances)
    assert function.column(distances, out=out) is out
    kept = out.copy()
    assert function.column(distances, out=distances) is distances
    np.testing.assert_array_equal(distances, kept)


@pytest.mark.parametrize("name", WITH_WIDTH)
@pytest.mark.parametrize("factor", [0.37, 1e-8, 1e8])
def test_a_scaled_metric_scales_the_columns(name, factor):
    distances = np.linspace(0, 10, 30)
    np.testing.assert_allclose(
        Radial(name, 2.0 * factor).column(distances * factor),
        factor * Radial(name, 2.0).column(distances),
        rtol=1e-12,
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ("gauss",),
            "There is no radial function 'gauss'. Known: distance, gaussian, laplace, bounded.",
        ),
        (("gaussian", 0.0), "The width 0.0 of 'gaussian' does not fit. It is a positive number"),
        (("gaussian",), "The width None of 'gaussian' does not fit"),
        (("gaussian", math.inf), "does not fit"),
        (("gaussian", math.nan), "does not fit"),
        (("gaussian", "wide"), "does not fit"),
        (("gaussian", True), "does not fit"),
        (("distance", 1.0), "The radial function 'distance' has no width."),
    ],
)
def test_what_is_not_a_radial_function_is_refused(arguments, message):
    with pytest.raises(InvalidInput, match=message):
        Radial(*arguments)


COLUMNS = [
    (Radial("distance"),),
    (Radial("gaussian", 2.0), Radial("bounded", 1.0), Radial("laplace", 3.0)),
    (HilbertKernel("distance"),),
    (HilbertKernel("laplace", 2.0, jump=0.5),),
]


@pytest.mark.parametrize("columns", COLUMNS, ids=str)
@given(st.integers(0, 2**32 - 1), st.integers(0, 4))
@settings(max_examples=30, deadline=None)
def test_sums_are_between_those_of_their_least_and_greatest_terms(columns, seed, n_references):
    random = np.random.default_rng(seed)
    references = random.normal(size=(n_references, 2))
    table = random.normal(size=(3, len(columns) * n_references))
    table *= random.uniform(size=table.shape) < 0.7
    function = RadialExpansion(
        references, wideberth.metric("euclidean"), columns, csr_array(table), np.ones(3), 10**6, 1
    )
    near = random.uniform(0, 3, size=(5, n_references))
    far = near + random.uniform(0, 2, size=near.shape)
    low, high, sizes = function.between(*function.ends(near.copy(), far.copy()))
    for share in (0.0, 0.3, 1.0):
        values = function.values_at(function.terms(near + share * (far - near)))
        assert (low - 1e-9 <= values).all()
        assert (values <= high + 1e-9).all()
        assert (np.abs(values) <= sizes + 1e-9).all()
    ends = np.array([function.terms(near), function.terms(far)])
    for row, weights in enumerate(table):
        np.testing.assert_allclose(low[:, row], 1.0 + (ends * weights).min(axis=0).sum(axis=1))
        np.testing.assert_allclose(high[:, row], 1.0 + (ends * weights).max(axis=0).sum(axis=1))


@pytest.mark.parametrize("columns", COLUMNS, ids=str)
def test_values_do_not_depend_on_the_other_objects_of_a_call_nor_on_memory(columns):
    random = np.random.default_rng(0)
    points, queries = random.normal(size=(20, 2)), random.normal(size=(30, 2))
    told = csr_array(random.normal(size=(4, 20 * len(columns)))), random.normal(size=4)
    metric = wideberth.metric("euclidean")
    plenty, little = (
        RadialExpansion(points, metric, columns, *told, memory, 1) for memory in (10**8, 700)
    )
    alone = np.vstack([plenty.values(query[None]) for query in queries])
    np.testing.assert_array_equal(plenty.values(queries), alone)
    np.testing.assert_array_equal(little.values(queries), alone)
    assert plenty.values(queries[:0]).shape == (0, 4)
