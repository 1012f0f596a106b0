"""Radial functions: their formulas, their Lipschitz constants, their widths."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wideberth.errors import InvalidInput
from wideberth.estimators.radial_expansions import Radial

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
