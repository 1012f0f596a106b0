"""Transport and the norm of molecules: von Luxburg & Bousquet 2004, section 2 and Lemma 4."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.papers import transport as oracle
from strategies import metric_matrices

import wideberth
from wideberth.errors import BrokenAxiom, InvalidInput
from wideberth.papers.norms import molecule_norm, transport


@st.composite
def molecules(draw):
    distances = draw(metric_matrices())
    n = len(distances)
    amounts = np.array(
        draw(st.lists(st.integers(-4, 4) | st.sampled_from([0.125, 1e-6]), min_size=n, max_size=n)),
        dtype=float,
    )
    amounts[-1] -= amounts.sum()
    return distances, amounts


def norm(distances, amounts):
    return molecule_norm(
        np.arange(len(distances)), amounts, wideberth.metric("precomputed", distances=distances)
    )


@given(molecules())
@settings(max_examples=60, deadline=None)
def test_the_norm_is_the_cost_of_transport_and_the_best_lipschitz_function(molecule):
    distances, amounts = molecule
    found = norm(distances, amounts)
    assert found == pytest.approx(oracle.transport_cost(distances, amounts), abs=1e-7)
    assert found == pytest.approx(oracle.best_lipschitz_function(distances, amounts), abs=1e-7)


@given(molecules(), st.floats(-3, 3), st.data())
@settings(max_examples=40, deadline=None)
def test_it_is_a_norm_in_which_the_space_keeps_its_distances(molecule, factor, data):
    distances, one = molecule
    other = np.roll(one, 1)
    assert norm(distances, factor * one) == pytest.approx(
        abs(factor) * norm(distances, one), abs=1e-9
    )
    assert norm(0.37 * distances, one) == pytest.approx(0.37 * norm(distances, one), abs=1e-9)
    assert norm(distances, one + other) <= norm(distances, one) + norm(distances, other) + 1e-9
    first, second = data.draw(st.tuples(st.integers(0, len(one) - 1), st.integers(0, len(one) - 1)))
    basic = np.zeros(len(one))
    basic[first] += 1
    basic[second] -= 1
    assert norm(distances, basic) == pytest.approx(distances[first, second])


@given(st.integers(1, 12), st.integers(1, 12), st.integers(0, 2**32))
@settings(max_examples=40, deadline=None)
def test_plans_arrive_and_prices_prove_them(sources, targets, seed):
    random = np.random.default_rng(seed)
    costs, supplies, demands = (
        random.random((sources, targets)),
        random.random(sources) * 10,
        random.random(targets),
    )
    demands *= supplies.sum() / demands.sum()
    found = transport(costs, supplies, demands)
    plan, u, v = found.point
    np.testing.assert_allclose(plan.sum(axis=1), supplies, atol=1e-9)
    np.testing.assert_allclose(plan.sum(axis=0), demands, atol=1e-9)
    assert np.all(u[:, None] + v <= costs + 1e-12)
    assert found.status == "optimal"
    assert 0 <= found.gap <= 1e-9 * found.value


def test_words_are_moved_and_nothing_costs_nothing():
    words = ["tea", "tee", "coffee", "toffee"]
    assert molecule_norm(words, [1, -1, 1, -1], "levenshtein") == pytest.approx(2)
    assert molecule_norm(words, [1, 1, -1, -1], "levenshtein") == pytest.approx(8)
    assert molecule_norm(words, [0, 0, 0, 0], "levenshtein") == 0
    assert transport(np.zeros((0, 3)), np.zeros(0), np.zeros(3)).value == 0


def test_what_is_no_molecule_is_refused():
    with pytest.raises(InvalidInput, match=r"add up to 1\. Add a base object") as error:
        molecule_norm([[0.0], [1.0]], [1.0, 0.0])
    assert error.value.value == 1.0
    assert molecule_norm([[0.0], [1.0], [3.0]], [1.0, 0.0, -1.0]) == pytest.approx(3)
    with pytest.raises(
        InvalidInput, match=r"2 objects need as many finite amounts; these have shape \(3,\)"
    ):
        molecule_norm([[0.0], [1.0]], [1.0, 0.0, -1.0])
    with pytest.raises(InvalidInput, match="finite amounts"):
        molecule_norm([[0.0], [1.0]], [np.nan, 0.0])


def test_what_is_no_metric_is_refused_with_its_triangle():
    squares = [[0, 1, 4, 9], [1, 0, 1, 4], [4, 1, 0, 1], [9, 4, 1, 0]]
    with pytest.raises(BrokenAxiom, match="triangle inequality at objects 0, 1, 2") as error:
        norm(np.array(squares, dtype=float), [1.0, 1.0, -2.0, 0.0])
    assert set(error.value.witness) == {0, 1, 2}
    assert norm(np.sqrt(squares), [1.0, 1.0, -2.0, 0.0]) == pytest.approx(3)


@pytest.mark.parametrize("factor", [1e-100, 1e-14, 1e-12, 0.37, 1e12, 1e60])
def test_costs_in_another_unit_cost_the_same_in_it(factor):
    """What the network simplex takes for 0 is absolute: it is given costs of about 1."""
    random = np.random.default_rng(0)
    points, amounts = random.normal(size=(40, 3)), np.repeat([1.0, -1.0], 20)
    distances = np.linalg.norm(points[:, None] - points, axis=2)
    assert norm(factor * distances, amounts) / factor == pytest.approx(
        norm(distances, amounts), rel=1e-9
    )
    found = transport(factor * distances[:20, 20:], amounts[:20], -amounts[20:])
    assert found.lower_bound == pytest.approx(found.value, rel=1e-9)
