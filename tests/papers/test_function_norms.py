"""Norms of functions on finite metric spaces: von Luxburg & Bousquet 2004, Lemmas 2 and 4, Example
6.
"""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.papers import transport as oracle
from strategies import metric_matrices

from wideberth.errors import InvalidInput
from wideberth.papers.norms import (
    dual_kuratowski_norm,
    kuratowski_functional,
    lipschitz_constant,
    lipschitz_norm,
    transport,
)

EXAMPLE_6 = np.array([[0, 5, 3, 6], [5, 0, 4, 1], [3, 4, 0, 5], [6, 1, 5, 0]], dtype=float)


@st.composite
def functions(draw):
    distances = draw(metric_matrices())
    n = len(distances)
    values = np.array(draw(st.lists(st.integers(-5, 5), min_size=n, max_size=n)), dtype=float)
    return distances, values[(distances == 0).argmax(axis=1)]  # equal objects have equal values


@pytest.mark.parametrize(
    ("values", "lipschitz", "kuratowski"),
    [((-1, -1, -1, -1), 1 / 6, 0.3662), ((1, 0, 1, 0), 1 / 4, 0.2817)],
)
def test_example_6(values, lipschitz, kuratowski):
    assert lipschitz_norm(values, EXAMPLE_6) == pytest.approx(lipschitz)
    assert dual_kuratowski_norm(values, EXAMPLE_6) == pytest.approx(kuratowski, abs=5e-5)


@given(functions())
@settings(max_examples=80, deadline=None)
def test_the_dual_norm_is_the_program_that_defines_it_and_never_below_the_lipschitz_norm(function):
    distances, values = function
    found = kuratowski_functional(values, distances)
    expected = oracle.dual_kuratowski_norm(distances, values)
    assert found.value == pytest.approx(expected, rel=1e-6)
    assert dual_kuratowski_norm(values, distances) == found.value
    assert (
        lipschitz_constant(values, distances)
        <= lipschitz_norm(values, distances)
        <= found.value * (1 + 1e-9)
    )
    if np.isfinite(expected):
        np.testing.assert_allclose(distances @ found.point, values, atol=1e-7)
        assert found.lower_bound == pytest.approx(found.value, abs=1e-9)


@given(functions(), st.floats(-3, 3))
@settings(max_examples=40, deadline=None)
def test_both_are_norms(function, factor):
    distances, one = function
    for norm in (lipschitz_norm, lipschitz_constant):
        assert norm(factor * one, distances) == pytest.approx(
            abs(factor) * norm(one, distances), abs=1e-9
        )
        assert norm(one, 0.37 * distances) == pytest.approx(norm(one, distances) / 0.37)
    other = np.abs(one)  # equal objects still have equal values
    assert (
        lipschitz_norm(one + other, distances)
        <= lipschitz_norm(one, distances) + lipschitz_norm(other, distances) + 1e-9
    )


@given(functions(), st.data())
@settings(max_examples=40, deadline=None)
def test_the_lipschitz_norm_is_that_of_the_functional_on_molecules(function, data):
    """Lemma 4: with one more point, a diameter away, where f is 0, f is a functional on molecules;
    basic ones reach its norm.
    """
    distances, values = function
    n, diameter = len(values), distances.max()
    extended = np.pad(distances, (0, 1), constant_values=diameter)
    extended[n, n] = 0
    amounts = np.array(data.draw(st.lists(st.integers(-3, 3), min_size=n, max_size=n)), dtype=float)
    amounts = np.append(amounts, -amounts.sum())
    molecule = transport(
        np.ascontiguousarray(extended[amounts > 0][:, amounts < 0]),
        amounts[amounts > 0],
        -amounts[amounts < 0],
    ).value
    assert abs(amounts[:n] @ values) <= lipschitz_norm(values, distances) * molecule + 1e-7
    steps = np.abs(np.append(values, 0)[:, None] - np.append(values, 0))
    steepest = (steps[extended > 0] / extended[extended > 0]).max()
    assert lipschitz_norm(values, distances) == pytest.approx(steepest)


def test_functions_that_no_functional_has():
    twins = np.array([[0.0, 0.0, 2.0], [0.0, 0.0, 2.0], [2.0, 2.0, 0.0]])
    assert lipschitz_constant([1, 2, 2], twins) == np.inf
    assert dual_kuratowski_norm([1, 2, 2], twins) == np.inf
    assert kuratowski_functional([1, 2, 2], twins).point is None
    assert dual_kuratowski_norm([0, 0, 2], twins) == pytest.approx(1)
    assert lipschitz_norm([1.0], np.zeros((1, 1))) == np.inf
    assert lipschitz_norm([0.0], np.zeros((1, 1))) == 0


@pytest.mark.parametrize("norm", [lipschitz_constant, lipschitz_norm, dual_kuratowski_norm])
def test_values_and_distances_that_do_not_fit_are_refused(norm):
    with pytest.raises(
        InvalidInput, match=r"n values and an n x n matrix.*\(3,\) and \(4, 4\).*pairwise_distances"
    ):
        norm([1, 2, 3], EXAMPLE_6)
    with pytest.raises(InvalidInput, match="finite"):
        norm([1, 2, 3, np.inf], EXAMPLE_6)


@pytest.mark.parametrize("factor", [1e-100, 1e-12, 0.37, 1e12, 1e60])
def test_norms_in_another_unit_are_the_same_in_it(factor):
    random = np.random.default_rng(0)
    points, values = random.normal(size=(30, 3)), random.normal(size=30)
    distances = np.linalg.norm(points[:, None] - points, axis=2)
    for measured in (dual_kuratowski_norm, lipschitz_norm):
        assert measured(values, factor * distances) * factor == pytest.approx(
            measured(values, distances), rel=1e-6
        )
        assert measured(factor * values, distances) / factor == pytest.approx(
            measured(values, distances), rel=1e-6
        )
    found = kuratowski_functional(values, factor * distances)
    np.testing.assert_allclose(factor * distances @ found.point, values, atol=1e-6)
