"""Functions with a rounded hinge loss: with patience they reach the minimum of their objective, and
soon they are near it.
"""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.classifiers.distance_programs import smoothed_margin, smoothed_value, soft_margin
from sklearn.datasets import make_moons
from strategies import metric_matrices

import wideberth
from wideberth.classifiers.lp_machine import smoothed_path
from wideberth.classifiers.lp_machine.problem import RadialColumns
from wideberth.classifiers.lp_machine.smoothed_path import BAND, SmoothedPath, critical_price
from wideberth.estimators.radial_expansions import Radial

SEVERAL = [Radial("distance"), Radial("gaussian", 2.0), Radial("laplace", 1.0)]
LIMITS = {"max_memory": 10**8, "n_jobs": 1}
PLENTY, NOTHING = 10**8, 1


def value(columns, signs, weights, price, function):
    """The objective of a function, in the unit of the scale of the columns."""
    table = columns.columns(np.arange(columns.n_columns)) / columns.scale
    coefficients, intercept = function
    costs = price * columns.scale * weights
    return smoothed_value(table, signs, costs, BAND, coefficients * columns.scale, intercept)


def minimum(columns, signs, weights, price):
    table = columns.columns(np.arange(columns.n_columns)) / columns.scale
    return smoothed_margin(table - table.mean(axis=0), signs, price * columns.scale * weights, BAND)


def first(functions):
    coefficients, intercepts = functions
    return coefficients[0], intercepts[0]


@st.composite
def programs(draw):
    """Columns of a random finite metric space, the sides of its objects, and their weights."""
    matrix = draw(metric_matrices(min_size=3, max_size=7))
    n = len(matrix)
    metric = wideberth.metric("precomputed", distances=matrix, obeys_triangle=True)
    columns = RadialColumns(
        np.arange(n), np.arange(n), metric, draw(st.sampled_from([SEVERAL[:1], SEVERAL])), **LIMITS
    )
    sides = st.lists(st.sampled_from([-1.0, 1.0]), min_size=n, max_size=n).filter(
        lambda y: len(set(y)) == 2
    )
    weights = st.lists(st.sampled_from([0.5, 1.0, 3.0]), min_size=n, max_size=n)
    return columns, np.array(draw(sides)), np.array(draw(weights))


@given(programs(), st.sampled_from([0.5, 3.0, 20.0]))
@settings(max_examples=30, deadline=None)
def test_with_patience_the_minimum_is_reached(drawn, multiple):
    columns, signs, weights = drawn
    with pytest.MonkeyPatch.context() as patient:
        patient.setattr(smoothed_path, "_SETTLED", 1e-9)
        patient.setattr(smoothed_path, "_PASSES", 30_000)
        path = SmoothedPath(columns, signs[None, :], weights, max_memory=PLENTY)
        np.testing.assert_allclose(path.critical_prices, critical_price(columns, signs, weights))
        price = multiple * path.critical_prices
        found = value(columns, signs, weights, price[0], first(path.functions(price)))
    assert found <= minimum(columns, signs, weights, price[0]) * (1 + 1e-4) + 1e-9


@pytest.mark.kernels
@given(programs())
@settings(max_examples=20, deadline=None)
def test_more_passes_never_make_it_worse(drawn):
    columns, signs, weights = drawn
    path = SmoothedPath(columns, signs[None, :], weights, max_memory=PLENTY)
    price = 20 * path.critical_prices
    reached = [
        value(columns, signs, weights, price[0], first(path.functions(price))) for _ in range(4)
    ]
    assert all(after <= before + 1e-9 for before, after in pairwise(reached))


def moons(n, radials=SEVERAL[:1]):
    points, labels = make_moons(n, noise=0.35, random_state=3)
    return RadialColumns(
        points, points, wideberth.metric("euclidean"), radials, **LIMITS
    ), np.where(labels, 1.0, -1.0)


@pytest.mark.parametrize("radials", [SEVERAL[:1], [Radial("gaussian", 0.5)], SEVERAL])
def test_few_passes_come_near_the_minimum(radials):
    columns, signs = moons(120, radials)
    weights = np.ones(120)
    path = SmoothedPath(columns, signs[None, :], weights, max_memory=PLENTY)
    for multiple in (3.0, 30.0):
        price = multiple * path.critical_prices
        found = value(columns, signs, weights, price[0], first(path.functions(price)))
        assert found <= 1.05 * minimum(columns, signs, weights, price[0])


def test_columns_that_are_violated_join_until_the_functions_are_nearly_those_of_all():
    columns, signs = moons(120, SEVERAL)
    weights = np.linspace(0.5, 2.0, 120)
    whole = SmoothedPath(columns, signs[None, :], weights, max_memory=PLENTY)
    price = 30 * whole.critical_prices
    coefficients, intercepts = whole.functions(price)
    goal = value(columns, signs, weights, price[0], (coefficients[0], intercepts[0]))
    few = SmoothedPath(
        columns, signs[None, :], weights, max_memory=PLENTY, likely=np.arange(5, 360, 40)
    )
    assert not few.holds_all
    reached = []
    for _ in range(4):
        found = few.function(0, price[0])
        spread = np.zeros(360)
        spread[found.indices] = found.coefficients
        reached.append(value(columns, signs, weights, price[0], (spread, found.intercept)))
        prices = np.abs(columns.price(few.multipliers(0) * signs))
        np.testing.assert_allclose(  # the multipliers balance the classes only at the minimum
            few.column_prices(0), prices[few.indices], atol=0.2 * prices.max()
        )
        few.join(np.flatnonzero(prices > 1.0))
    assert goal < reached[-1] < reached[0]
    assert reached[-1] == pytest.approx(goal, rel=0.05)


def test_memory_limits_how_many_columns_are_held():
    columns, signs = moons(120, SEVERAL)
    path = SmoothedPath(columns, signs[None, :], np.ones(120), max_memory=NOTHING)
    assert len(path.indices) == smoothed_path._ALWAYS_HELD
    path.join(np.arange(200, 300))
    assert len(path.indices) == smoothed_path._ALWAYS_HELD
    assert not path.holds_all


def test_functions_do_not_depend_on_each_other():
    columns, signs = moons(60)
    weights, sides = np.ones(60), np.array([signs, -signs, np.where(np.arange(60) < 20, 1.0, -1.0)])
    together = SmoothedPath(columns, sides, weights, max_memory=PLENTY)
    prices = 30 * together.critical_prices
    coefficients, intercepts = together.functions(prices)
    for place, side in enumerate(sides):
        alone = SmoothedPath(columns, side[None, :], weights, max_memory=PLENTY)
        expected, constant = alone.functions(prices[place : place + 1])
        np.testing.assert_allclose(coefficients[place], expected[0], rtol=1e-9, atol=1e-12)
        assert intercepts[place] == pytest.approx(constant[0])
    np.testing.assert_allclose(coefficients[0], -coefficients[1], rtol=1e-6, atol=1e-9)


def test_up_to_the_critical_price_functions_are_constant():
    columns, signs = moons(60)
    path = SmoothedPath(columns, signs[None, :], np.ones(60), max_memory=PLENTY)
    assert not path.functions(0.99 * path.critical_prices)[0].any()
    assert path.functions(1.5 * path.critical_prices)[0].any()


def test_columns_that_distinguish_nothing_are_left_alone():
    equal = 1.0 - np.eye(4)
    metric = wideberth.metric("precomputed", distances=equal, obeys_triangle=True)
    columns = RadialColumns(np.arange(2), np.array([2, 3]), metric, SEVERAL[:1], **LIMITS)
    path = SmoothedPath(columns, np.array([[-1.0, 1.0]]), np.ones(2), max_memory=PLENTY)
    coefficients, intercepts = path.functions(100 * path.critical_prices)
    assert not coefficients.any()
    assert intercepts == pytest.approx(0.0)


def constant_cost(signs, weights, price):
    return 2 * price * min(weights[signs > 0].sum(), weights[signs < 0].sum())


@given(programs(), st.sampled_from([1.1, 2.0, 4.0, 20.0]))
@settings(max_examples=40, deadline=None)
def test_what_is_called_constant_is_hardly_beaten_without_rounding(drawn, multiple):
    columns, signs, weights = drawn
    path = SmoothedPath(columns, signs[None, :], weights, max_memory=PLENTY)
    price = multiple * path.critical_prices
    path.functions(price)
    optimum = soft_margin(columns.columns(np.arange(columns.n_columns)), signs, price[0] * weights)
    cost = constant_cost(signs, weights, price[0])
    if path.is_constant(0):
        assert optimum >= (1 - smoothed_path._CLEARLY) * cost * (1 - 1e-6)
    assert path.constant(0) * (signs @ weights) >= 0


def test_a_function_that_bends_where_the_exact_one_is_constant_is_found():
    rng = np.random.default_rng(0)
    points, signs = rng.normal(size=(40, 2)), np.where(np.arange(40) < 8, 1.0, -1.0)
    columns = RadialColumns(points, points, wideberth.metric("euclidean"), SEVERAL[:1], **LIMITS)
    table = columns.columns(np.arange(columns.n_columns))
    path = SmoothedPath(columns, signs[None, :], np.ones(40), max_memory=PLENTY)
    called, exact = [], []
    for multiple in (1.5, 2.0, 4.0, 40.0):
        price = multiple * path.critical_prices
        assert path.functions(price)[0].any()
        called.append(path.is_constant(0))
        cost = constant_cost(signs, np.ones(40), price[0])
        exact.append(soft_margin(table, signs, np.full(40, price[0])) >= 0.999 * cost)
    assert called == exact
    assert {*called} == {True, False}
