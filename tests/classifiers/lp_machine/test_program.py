"""The linear-programming machine: its value is that of the program with all columns, and its bounds
hold without trust.
"""

import math
import time

import numpy as np
import pytest
from child_process import run_script
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from oracles.classifiers.distance_programs import hard_margin, soft_margin
from scipy.optimize import linprog
from strategies import metric_matrices

import wideberth
from wideberth.classifiers.lp_machine import program as program_module
from wideberth.classifiers.lp_machine import smoothed_path
from wideberth.classifiers.lp_machine.problem import RadialColumns
from wideberth.classifiers.lp_machine.program import DistanceProgram
from wideberth.classifiers.lp_machine.smoothed_path import SmoothedPath, critical_price
from wideberth.estimators.radial_expansions import Radial, chosen_radials
from wideberth.optimize import column_generation
from wideberth.optimize.column_generation import (
    SoftProgram,
    SparseRows,
    unlike_columns,
    widest_margin,
)

DISTANCE = [Radial("distance")]
SEVERAL = [
    Radial("distance"),
    Radial("gaussian", 2.0),
    Radial("laplace", 1.0),
    Radial("bounded", 3.0),
]
LIMITS = {"max_memory": 10**8, "n_jobs": 1}

EXAMPLE_1 = np.array([[0, 2, 1, 1], [2, 0, 1, 1], [1, 1, 0, 2], [1, 1, 2, 0]], dtype=float)
EXAMPLE_2 = np.array(
    [[0, 2, 1, 1, 1], [2, 0, 1, 1, 1], [1, 1, 0, 2, 1], [1, 1, 2, 0, 2], [1, 1, 1, 2, 0]],
    dtype=float,
)
EXAMPLE_3 = np.array(
    [[0, 1, 1, 1, 1], [1, 0, 1, 1, 2], [1, 1, 0, 2, 1], [1, 1, 2, 0, 1], [1, 2, 1, 1, 0]],
    dtype=float,
)


def columns_of(matrix, n_rows=None, references=None, radials=DISTANCE):
    """The first ``n_rows`` objects of a matrix of distances, with some or all of its objects as
    references.
    """
    metric = wideberth.metric("precomputed", distances=matrix, obeys_triangle=True)
    chosen = np.arange(len(matrix)) if references is None else np.asarray(references)
    return RadialColumns(np.arange(n_rows or len(matrix)), chosen, metric, radials, **LIMITS)


def vectors(n, seed=0, references=None, radials=DISTANCE, factor=1.0):
    points = np.random.default_rng(seed).normal(size=(n, 3)) * factor
    signs = np.where(
        np.random.default_rng(seed + 1).normal(size=n) + points[:, 0] / factor > 0.2, 1.0, -1.0
    )
    return RadialColumns(
        points, points[:references], wideberth.metric("euclidean"), radials, **LIMITS
    ), signs


def noisy_vectors(n=600):
    """A sample whose function needs hundreds of columns."""
    points, noise = (
        np.random.default_rng(0).normal(size=(n, 10)),
        np.random.default_rng(1).random(n),
    )
    signs = np.where(points[:, 0] + 3 * noise > 1.5, 1.0, -1.0)
    return RadialColumns(points, points, wideberth.metric("euclidean"), DISTANCE, **LIMITS), signs


def whole(columns):
    return columns.columns(np.arange(columns.n_columns))


def two_signs(n):
    return (
        st.lists(st.sampled_from([-1.0, 1.0]), min_size=n, max_size=n)
        .filter(lambda y: len(set(y)) == 2)
        .map(np.array)
    )


def proved(found, columns, signs, upper, tol=1e-6):
    """That the point has the value it claims, and its multipliers the lower bound, by nothing but
    the formulas.
    """
    table, point = whole(columns), found.point
    coefficients = np.zeros(columns.n_columns)
    coefficients[point.coefficients.indices] = point.coefficients.values
    slacks = np.maximum(0.0, 1.0 - signs * (table @ coefficients + point.intercept))
    assert found.value == pytest.approx(point.norm + upper @ slacks, rel=1e-9)
    multipliers = point.multipliers
    assert np.all(multipliers >= 0)
    assert np.all(multipliers <= upper * (1 + 1e-9))
    assert signs @ multipliers == pytest.approx(0.0, abs=1e-9 * (1 + multipliers.sum()))
    assert np.abs(table.T @ (signs * multipliers)).max() <= 1 + 1e-9
    assert found.lower_bound == pytest.approx(multipliers.sum(), rel=1e-9)
    assert np.all(np.diff(point.coefficients.indices) > 0)
    assert np.all(point.coefficients.values != 0)
    if found.status == "optimal":
        assert found.relative_gap <= tol


@given(metric_matrices(min_size=4, max_size=9), st.sampled_from([DISTANCE, SEVERAL]), st.data())
@settings(max_examples=60, deadline=None)
def test_the_value_is_that_of_the_program_with_all_columns(matrix, radials, data):
    """Also with weights, with some references only, and with references beyond the training
    objects.
    """
    n_rows = data.draw(st.integers(3, len(matrix)))
    references = data.draw(
        st.none() | st.lists(st.integers(0, len(matrix) - 1), min_size=1, unique=True)
    )
    columns = columns_of(matrix, n_rows, references, radials)
    signs = data.draw(two_signs(n_rows))
    weights = np.array(
        data.draw(st.lists(st.sampled_from([0.5, 1.0, 3.0]), min_size=n_rows, max_size=n_rows))
    )
    program = DistanceProgram(columns, signs, weights, tol=1e-8)
    for C in (0.03, 1.0, 40.0):
        found = program.solve(C)
        assert found.value == pytest.approx(
            soft_margin(whole(columns), signs, C * weights), rel=1e-6
        )
        assert found.status == "optimal"
        proved(found, columns, signs, C * weights, tol=1e-8)


@pytest.mark.parametrize("radials", [DISTANCE, SEVERAL], ids=["distance", "several"])
@pytest.mark.parametrize("references", [None, 20])
@pytest.mark.parametrize("unit", [1.5, 30.0, 1000.0])
def test_the_value_on_vectors(radials, references, unit):
    columns, signs = vectors(90, references=references, radials=radials)
    weights = np.random.default_rng(7).uniform(0.2, 2.0, size=90)
    C = unit * critical_price(columns, signs, weights)
    found = DistanceProgram(columns, signs, weights, tol=1e-8).solve(C)
    assert found.value == pytest.approx(soft_margin(whole(columns), signs, C * weights), rel=1e-6)
    proved(found, columns, signs, C * weights, tol=1e-8)


@pytest.mark.parametrize("width", [0.05, 0.2])
def test_the_value_of_narrow_columns_whose_rows_are_almost_empty(width):
    columns, signs = vectors(120, radials=[Radial("gaussian", width)])
    for unit in (3.0, 100.0):
        program = DistanceProgram(columns, signs, np.ones(120), tol=1e-8)
        C = unit * program.critical_price
        found = program.solve(C)
        assert found.value == pytest.approx(
            soft_margin(whole(columns), signs, np.full(120, C)), rel=1e-6
        )
        proved(found, columns, signs, np.full(120, C), tol=1e-8)


def test_columns_that_join_together_are_unlike():
    random = np.random.default_rng(0)
    kinds = random.normal(size=(1000, 4))
    block = np.hstack([kind[:, None] + 1e-3 * random.normal(size=(1000, 25)) for kind in kinds.T])
    signs = random.choice([-1.0, 1.0], size=100)
    chosen = unlike_columns(block * signs, signs, random.uniform(0.9, 1.0, size=100), 20)
    assert set(chosen // 25) == {0, 1, 2, 3}
    assert len(chosen) <= 8
    assert len(unlike_columns(random.normal(size=(1000, 30)), np.ones(30), np.ones(30), 20)) == 20


def test_references_beyond_the_training_objects_are_columns_like_others():
    points = np.random.default_rng(3).normal(size=(60, 2))
    signs = np.where(points[:25, 0] * points[:25, 1] > 0, 1.0, -1.0)
    columns = RadialColumns(points[:25], points, wideberth.metric("euclidean"), DISTANCE, **LIMITS)
    found = DistanceProgram(columns, signs, np.ones(25), tol=1e-8).solve(1.0)
    assert found.value == pytest.approx(soft_margin(whole(columns), signs, np.ones(25)), rel=1e-6)
    assert (found.point.coefficients.indices >= 25).any()


def test_a_whole_weight_is_as_good_as_repeated_rows():
    points = np.random.default_rng(5).normal(size=(30, 2))
    signs = np.where(points[:, 0] > 0.1 * points[:, 1], 1.0, -1.0) * np.where(
        np.arange(30) % 6, 1.0, -1.0
    )
    weights = 1.0 + np.arange(30) % 3
    rows = np.repeat(np.arange(30), weights.astype(int))
    metric = wideberth.metric("euclidean")
    once = RadialColumns(points, points, metric, DISTANCE, **LIMITS)
    often = RadialColumns(points[rows], points, metric, DISTANCE, **LIMITS)
    assert critical_price(often, signs[rows], np.ones(len(rows))) == pytest.approx(
        critical_price(once, signs, weights)
    )
    for C in (0.05, 1.0):
        weighted = DistanceProgram(once, signs, weights, tol=1e-8).solve(C)
        repeated = DistanceProgram(often, signs[rows], np.ones(len(rows)), tol=1e-8).solve(C)
        assert weighted.value == pytest.approx(repeated.value, rel=1e-7)


def test_objects_of_weight_zero_do_not_count():
    columns, signs = vectors(40)
    weights = np.where(np.arange(40) % 4, 1.0, 0.0)
    kept = np.flatnonzero(weights)
    some = DistanceProgram(columns, signs, weights, tol=1e-8)
    rest = DistanceProgram(columns.subset(kept), signs[kept], np.ones(len(kept)), tol=1e-8)
    assert some.solve(0.3).value == pytest.approx(rest.solve(0.3).value, rel=1e-7)
    assert some.hard_margin().value == pytest.approx(rest.hard_margin().value, rel=1e-6)


@pytest.mark.few(1)
@pytest.mark.parametrize("factor", [0.37, 1e-8, 1e8])
@pytest.mark.parametrize(
    "names",
    ["distance", ["distance", ("gaussian", "100%"), ("laplace", "100%"), ("bounded", "100%")]],
    ids=["distance", "several"],
)
def test_a_metric_in_another_unit_changes_nothing_but_the_unit(factor, names):
    radials = [chosen_radials(names, scale) for scale in (2.0, 2.0 * factor)]
    (one, signs), (other, _) = (
        vectors(120, radials=radials[0]),
        vectors(120, radials=radials[1], factor=factor),
    )
    programs = (
        DistanceProgram(one, signs, np.ones(120), tol=1e-9),
        DistanceProgram(other, signs, np.ones(120), tol=1e-9),
    )
    assert programs[1].critical_price * factor == pytest.approx(
        programs[0].critical_price, rel=1e-9
    )
    for multiple in (3.0, 300.0):
        here, there = (program.solve(multiple * program.critical_price) for program in programs)
        assert there.status == here.status == "optimal"
        assert there.value * factor == pytest.approx(here.value, rel=1e-8)
        assert there.point.norm * factor == pytest.approx(here.point.norm, rel=1e-6)
        assert there.point.intercept == pytest.approx(here.point.intercept, rel=1e-5)
    hard = [program.hard_margin() for program in programs]
    assert hard[1].value * factor == pytest.approx(hard[0].value, rel=1e-5)


def test_up_to_the_critical_price_all_coefficients_are_zero():
    columns, signs = vectors(80)
    weights = np.random.default_rng(1).uniform(0.5, 2.0, size=80)
    program = DistanceProgram(columns, signs, weights, tol=1e-9)
    assert program.critical_price == critical_price(columns, signs, weights)
    found = program.solve(0.999 * program.critical_price)
    assert len(found.point.coefficients.indices) == 0
    assert found.point.intercept == (1.0 if weights @ signs > 0 else -1.0)
    assert found.relative_gap <= 1e-9
    assert program.solve(30 * program.critical_price).point.norm > 0


def test_the_critical_price_of_balanced_classes_that_no_column_tells_apart():
    columns = columns_of(EXAMPLE_1)
    assert critical_price(columns, np.array([1.0, 1, -1, -1]), np.ones(4)) == pytest.approx(
        1 / (4 * columns.scale)
    )


@pytest.mark.few(1)
@pytest.mark.parametrize("radials", [DISTANCE, SEVERAL], ids=["distance", "several"])
def test_a_path_gives_what_cold_starts_give(radials):
    columns, signs = vectors(150, radials=radials)
    warm = DistanceProgram(columns, signs, np.ones(150), tol=1e-9)
    unit = warm.critical_price
    ascending = np.geomspace(0.5, 2000, 9)
    for C in unit * np.concatenate([ascending, ascending[::-2]]):
        cold = DistanceProgram(columns, signs, np.ones(150), tol=1e-9).solve(C)
        found = warm.solve(C)
        assert found.value == pytest.approx(cold.value, rel=1e-8)
        proved(found, columns, signs, np.full(150, C), tol=1e-9)


@pytest.mark.few(1)
@pytest.mark.parametrize("radials", [DISTANCE, SEVERAL], ids=["distance", "several"])
def test_columns_that_the_last_price_had_no_use_for_are_dropped_and_its_basis_stays(
    radials, monkeypatch
):
    columns, signs = vectors(150, radials=radials)
    monkeypatch.setattr(program_module, "_MOSTLY_IDLE", 0)
    monkeypatch.setattr(program_module, "_IDLE_AT_LEAST", 0)
    program = DistanceProgram(columns, signs, np.ones(150), tol=1e-9)
    for C in program.critical_price * np.geomspace(1.5, 500, 7):
        found = program.solve(C)
        assert found.value == pytest.approx(
            soft_margin(whole(columns), signs, np.full(150, C)), rel=1e-6
        )
        proved(found, columns, signs, np.full(150, C), tol=1e-9)
    many = len(program._generated)
    assert program.solve(C).value == pytest.approx(found.value, rel=1e-9)
    assert program._program._highs.getInfo().simplex_iteration_count == 0
    assert len(found.point.coefficients.indices) <= len(program._generated) < many


# ---- many columns, of which few are held; many objects, of which few are free -----------------------


@pytest.fixture
def few_of_all(monkeypatch):
    """Begin with a smoothed function however few columns there are, and tie all objects but a few."""
    monkeypatch.setattr(program_module, "_WORTH_SMOOTHING", 1)
    monkeypatch.setattr(program_module, "_FREE_OBJECTS", 2)


def of_few_columns(columns, signs, weights, likely, tol):
    """A program that holds some of the columns, begun as those of a classifier are."""
    path = SmoothedPath(columns, signs[None, :], weights, max_memory=10**8, likely=likely)
    return DistanceProgram(columns, signs, weights, tol=tol, smoothed=(path, 0))


def begun(program, columns, signs, C):
    """The same after all columns were priced together, at two multipliers."""
    near = program.first_multipliers(C)
    balanced = smoothed_path.balanced_weights(signs, program._weights)
    sums = columns.price(np.array([balanced * signs, near * signs]).T).T
    program.begin(sums[0], near, sums[1])
    return program


@given(
    metric_matrices(min_size=4, max_size=9),
    st.sampled_from([DISTANCE, SEVERAL]),
    st.sampled_from([0.1, 1e-3, 1e-8]),
    st.data(),
)
@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_the_gap_of_the_full_program_is_proved_from_few_columns_and_objects(
    few_of_all, matrix, radials, tol, data
):
    columns, signs = columns_of(matrix, radials=radials), data.draw(two_signs(len(matrix)))
    weights = np.array(
        data.draw(
            st.lists(st.sampled_from([0.5, 1.0, 3.0]), min_size=len(matrix), max_size=len(matrix))
        )
    )
    likely = data.draw(st.sampled_from([np.array([0]), np.arange(0, columns.n_columns, 3)]))
    program = of_few_columns(columns, signs, weights, likely, tol)
    if data.draw(st.booleans()):
        begun(program, columns, signs, data.draw(st.sampled_from([2.0, 50.0, math.inf])))
    for C in (0.03, 1.0, 40.0, 1.0):
        found, optimum = program.solve(C), soft_margin(whole(columns), signs, C * weights)
        assert found.status == "optimal"
        assert found.lower_bound * (1 - 1e-6) <= optimum <= found.value * (1 + 1e-6)
        proved(found, columns, signs, C * weights, tol=tol)


@pytest.mark.parametrize("radials", [DISTANCE, SEVERAL], ids=["distance", "several"])
@pytest.mark.parametrize("dense", [1, 64])
def test_few_columns_and_objects_at_first_lead_to_the_same_value(
    few_of_all, monkeypatch, radials, dense
):
    monkeypatch.setattr(program_module, "_DENSE", dense)
    monkeypatch.setattr(program_module, "_JOIN", 5)
    columns, signs = vectors(150, radials=radials)
    weights = np.random.default_rng(7).uniform(0.2, 2.0, size=150)
    likely = np.arange(0, columns.n_columns, 10)
    program = begun(of_few_columns(columns, signs, weights, likely, 1e-8), columns, signs, 3.0)
    tied = program._sides.groups is not None
    for unit in (3.0, 100.0, 30.0):
        C = unit * program.critical_price
        found = program.solve(C)
        assert found.value == pytest.approx(
            soft_margin(whole(columns), signs, C * weights), rel=1e-6
        )
        proved(found, columns, signs, C * weights, tol=1e-8)
    assert tied == (dense > 1)
    assert program.critical_price == pytest.approx(critical_price(columns, signs, weights))
    hard = DistanceProgram(columns, signs, np.ones(150), tol=1e-8).hard_margin()
    few = of_few_columns(columns, signs, np.ones(150), likely, 1e-8).hard_margin()
    assert (few.status, few.value) == (hard.status, pytest.approx(hard.value, rel=1e-6))


def test_near_the_optimum_few_objects_are_priced_again(monkeypatch):
    columns, signs = vectors(400)
    program = of_few_columns(columns, signs, np.ones(400), np.arange(0, 400, 4), 1e-3)
    begun(program, columns, signs, 30.0)
    priced, price = [], RadialColumns.price
    monkeypatch.setattr(
        RadialColumns,
        "price",
        lambda self, values: (priced.append(np.count_nonzero(values)), price(self, values))[1],
    )
    found = program.solve(30 * program.critical_price)
    proved(found, columns, signs, np.full(400, 30 * program.critical_price), tol=1e-3)
    assert max(priced) <= 100


def test_the_wrong_objects_may_be_tied(few_of_all, monkeypatch):
    columns, signs = vectors(60)
    decide = program_module._Sides.decide
    monkeypatch.setattr(
        program_module._Sides, "decide", lambda self, margins: decide(self, -margins)
    )
    program = of_few_columns(columns, signs, np.ones(60), np.arange(0, 60, 4), 1e-8)
    found = program.solve(2.0)
    assert found.value == pytest.approx(soft_margin(whole(columns), signs, np.full(60, 2.0)))


def test_groups_are_of_one_label_and_side_and_of_similar_margins(few_of_all):
    rng = np.random.default_rng(3)
    signs, margins = rng.choice([-1.0, 1.0], size=200), rng.normal(1.0, 2.0, size=200)
    sides = program_module._Sides(signs)
    sides.decide(margins)
    groups, upper = sides.groups, np.full(200, 3.0)
    free = groups < 0
    assert np.abs(margins[free] - 1).max() <= np.abs(margins[~free] - 1).min()
    for number in range(groups.max() + 1):
        own = np.flatnonzero(groups == number)
        assert len(np.unique(signs[own])) == 1
        assert len(np.unique(margins[own] < 1)) == 1
        like = (signs == signs[own[0]]) & ~free & ((margins < 1) == (margins[own[0]] < 1))
        between = (margins >= margins[own].min()) & (margins <= margins[own].max())
        assert set(np.flatnonzero(like & between)) == set(own)
    multipliers = np.where(margins < 1, 3.0, 0.0)
    assert sides.agree(margins, multipliers, upper)
    wrong = np.array(
        [np.flatnonzero(~free & (margins < 1))[0], np.flatnonzero(~free & (margins > 1))[0]]
    )
    multipliers[wrong] = 1.5
    assert not sides.agree(margins, multipliers, upper)
    assert (sides.groups[free] == -1).all()
    assert (sides.groups[wrong] == -1).all()


@given(data=st.data())
def test_tied_multipliers_are_the_same_share_of_their_bounds(data):
    n, n_rows = data.draw(st.integers(2, 12)), data.draw(st.integers(1, 4))
    rng = np.random.default_rng(data.draw(st.integers(0, 10**6)))
    signs = np.append(rng.choice([-1.0, 1.0], size=n - 2), [-1.0, 1.0])
    upper, rows = rng.uniform(0.1, 3.0, size=n), rng.integers(-3, 4, size=(n_rows, n))
    groups = np.array(data.draw(st.lists(st.integers(-1, 1), min_size=n, max_size=n)))
    groups = np.where(groups < 0, -1, np.searchsorted(np.unique(groups[groups >= 0]), groups))
    tying = np.zeros((n, n))
    for number, group in enumerate(groups):
        tying[number, number if group < 0 else np.flatnonzero(groups == group)[0]] = upper[number]
    expected = linprog(
        -tying.sum(axis=0),
        A_ub=np.vstack([rows @ tying, -rows @ tying]),
        b_ub=np.ones(2 * n_rows),
        A_eq=(signs @ tying)[None, :],
        b_eq=[0.0],
        bounds=(0.0, 1.0),
    )
    program = SoftProgram(signs, groups, upper)
    program.set_upper(upper)
    for row in rows:
        nonzero = np.flatnonzero(row).astype(np.int32)
        program.add(SparseRows(np.array([0], np.int32), nonzero, row[nonzero].astype(float)))
        program.solve(math.inf)
    vertex = program.solve(math.inf)
    again = SoftProgram(signs, groups, upper)
    again.set_upper(upper)
    for row in rows:
        nonzero = np.flatnonzero(row).astype(np.int32)
        again.add(SparseRows(np.array([0], np.int32), nonzero, row[nonzero].astype(float)))
    again.begin(program.basis())
    for found in (vertex, again.solve(math.inf)):
        assert found.multipliers.sum() == pytest.approx(-expected.fun, abs=1e-7)
        assert np.abs(rows @ found.multipliers).max() <= 1 + 1e-7
        assert signs @ found.multipliers == pytest.approx(0.0, abs=1e-7)
        shares = found.multipliers / upper
        for number in range(groups.max() + 1):
            assert np.ptp(shares[groups == number]) <= 1e-9


# ---- many columns: along the central path --------------------------------------------------------


@pytest.fixture
def always_central(monkeypatch):
    """Take the central path from the first vertex on that uses a column."""
    monkeypatch.setattr(program_module, "_DENSE", 1)
    monkeypatch.setattr(program_module, "_MORE_TO_COME", 0)


@given(metric_matrices(min_size=4, max_size=9), st.sampled_from([DISTANCE, SEVERAL]), st.data())
@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_the_central_path_leads_to_the_value_of_tiny_programs(
    always_central, matrix, radials, data
):
    columns, signs = columns_of(matrix, radials=radials), data.draw(two_signs(len(matrix)))
    weights = np.array(
        data.draw(
            st.lists(st.sampled_from([0.0, 0.5, 3.0]), min_size=len(matrix), max_size=len(matrix))
        )
    )
    weights[[np.argmax(signs), np.argmin(signs)]] = 1.0
    program = DistanceProgram(columns, signs, weights, tol=1e-8)
    for C in (0.03, 1.0, 40.0):
        found = program.solve(C)
        assert found.value == pytest.approx(
            soft_margin(whole(columns), signs, C * weights), rel=1e-6
        )
        assert found.status == "optimal"
        proved(found, columns, signs, C * weights, tol=1e-8)


@pytest.mark.few(1)
@pytest.mark.parametrize(
    "radials", [DISTANCE, SEVERAL, [Radial("gaussian", 0.2)]], ids=["distance", "several", "narrow"]
)
@pytest.mark.parametrize("weightless", [0, 30])
def test_the_central_path_leads_to_the_value_and_to_a_vertex(always_central, radials, weightless):
    columns, signs = vectors(150, radials=radials)
    weights = np.random.default_rng(7).uniform(0.2, 2.0, size=150)
    weights[:weightless] = 0.0
    program = DistanceProgram(columns, signs, weights, tol=1e-8)
    for unit in (3.0, 30.0, 1000.0, 100.0):
        C = unit * program.critical_price
        found = program.solve(C)
        assert found.value == pytest.approx(
            soft_margin(whole(columns), signs, C * weights), rel=1e-6
        )
        proved(found, columns, signs, C * weights, tol=1e-8)
        multipliers = found.point.multipliers
        between = np.count_nonzero(
            (multipliers > 1e-7 * C) & (multipliers < C * weights * (1 - 1e-7))
        )
        assert len(found.point.coefficients.indices) <= between + 1


@pytest.mark.slow
def test_programs_that_need_many_columns_take_the_central_path(monkeypatch):
    columns, signs = noisy_vectors()
    taken, go = [], DistanceProgram._follow_central_path
    monkeypatch.setattr(
        DistanceProgram, "_follow_central_path", lambda *args: (taken.append(None), go(*args))
    )
    program = DistanceProgram(columns, signs, np.ones(600), tol=1e-8)
    unit = program.critical_price
    assert program.solve(3 * unit).status == "optimal"
    assert not taken
    central = program.solve(300 * unit)
    assert len(taken) == 1
    monkeypatch.setattr(program_module, "_DENSE", math.inf)
    simplex = DistanceProgram(columns, signs, np.ones(600), tol=1e-8).solve(300 * unit)
    assert len(taken) == 1
    assert len(simplex.point.coefficients.indices) > 300
    assert central.value == pytest.approx(simplex.value, rel=1e-8)
    np.testing.assert_array_equal(
        central.point.coefficients.indices, simplex.point.coefficients.indices
    )


@pytest.mark.few(1)
@pytest.mark.parametrize("tol", [0.1, 1e-2, 1e-3, 1e-4, 1e-6])
@pytest.mark.parametrize("radials", [DISTANCE, SEVERAL], ids=["distance", "several"])
def test_the_central_path_ends_where_the_tolerance_is_proved(always_central, radials, tol):
    columns, signs = vectors(150, radials=radials)
    weights = np.random.default_rng(7).uniform(0.2, 2.0, size=150)
    program = DistanceProgram(columns, signs, weights, tol=tol)
    for unit in (3.0, 30.0, 1000.0, 100.0):
        upper = unit * program.critical_price * weights
        found, optimum = (
            program.solve(unit * program.critical_price),
            soft_margin(whole(columns), signs, upper),
        )
        assert found.status == "optimal"
        assert optimum * (1 - 1e-6) <= found.value <= optimum * (1 + 1e-6) / (1 - tol)
        assert found.lower_bound <= optimum * (1 + 1e-6)
        proved(found, columns, signs, upper, tol=tol)


@given(metric_matrices(min_size=4, max_size=9), st.sampled_from([0.1, 1e-2, 1e-3]), st.data())
@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_the_gap_of_tiny_programs_is_proved_at_any_tolerance(always_central, matrix, tol, data):
    columns, signs = columns_of(matrix, radials=SEVERAL), data.draw(two_signs(len(matrix)))
    program = DistanceProgram(columns, signs, np.ones(len(matrix)), tol=tol)
    for C in (0.03, 1.0, 40.0):
        found, optimum = (
            program.solve(C),
            soft_margin(whole(columns), signs, np.full(len(matrix), C)),
        )
        assert found.status == "optimal"
        assert found.lower_bound * (1 - 1e-6) <= optimum <= found.value * (1 + 1e-6)
        proved(found, columns, signs, np.full(len(matrix), C), tol=tol)


def test_a_point_that_is_good_enough_spares_the_simplex_method_and_most_columns():
    columns, signs = noisy_vectors()
    vertex, point = (DistanceProgram(columns, signs, np.ones(600), tol=tol) for tol in (1e-8, 1e-3))
    exact, good = (program.solve(300 * program.critical_price) for program in (vertex, point))
    assert point._program is point._basis is None
    assert vertex._program is not None or vertex._basis is not None
    assert len(good.point.coefficients.indices) < 1.2 * len(exact.point.coefficients.indices)
    assert exact.value <= good.value <= exact.value / (1 - 1e-3)
    proved(good, columns, signs, np.full(600, 300 * point.critical_price), tol=1e-3)
    again = point.solve(300 * point.critical_price)
    proved(again, columns, signs, np.full(600, 300 * point.critical_price), tol=1e-3)


@pytest.mark.slow
@pytest.mark.parametrize("tol", [1e-3, 1e-8])
def test_programs_start_from_smoothed_functions_whatever_was_solved_before(tol):
    """With few columns in use or many, rising prices and falling ones, and functions that other
    programs share.
    """
    columns, signs = vectors(320)
    sides = np.array([signs, np.roll(signs, 50)])
    path = SmoothedPath(columns, sides, np.ones(320), max_memory=10**7)
    for place, own in enumerate(sides):
        program = DistanceProgram(columns, own, np.ones(320), tol=tol, smoothed=(path, place))
        for unit in (1.0, 3.0, 100.0, 3000.0, 30.0, 2.0):
            C = unit * program.critical_price
            found, optimum = program.solve(C), soft_margin(whole(columns), own, np.full(320, C))
            assert found.status == "optimal"
            assert optimum * (1 - 1e-6) <= found.value <= optimum * (1 + 1e-6) / (1 - tol)
            proved(found, columns, own, np.full(320, C), tol=tol)


def test_columns_of_the_smoothed_function_spare_the_simplex_method_rounds(monkeypatch):
    columns, signs = noisy_vectors()
    rounds, solve = [], column_generation.SoftProgram.solve
    monkeypatch.setattr(program_module, "_DENSE", math.inf)
    monkeypatch.setattr(
        column_generation.SoftProgram, "solve", lambda *args: (rounds.append(None), solve(*args))[1]
    )
    program = DistanceProgram(columns, signs, np.ones(600), tol=1e-8)
    C = 30 * program.critical_price
    seeded, few = program.solve(C), len(rounds)
    monkeypatch.setattr(program_module, "_WORTH_SMOOTHING", math.inf)
    plain = DistanceProgram(columns, signs, np.ones(600), tol=1e-8).solve(C)
    assert seeded.value == pytest.approx(plain.value, rel=1e-7)
    assert few < len(rounds) - few


def test_where_the_central_path_ends_early_the_simplex_method_goes_on(always_central, monkeypatch):
    columns, signs = vectors(100)
    expected = soft_margin(whole(columns), signs, np.full(100, 2.0))
    monkeypatch.setattr(smoothed_path.Barrier, "step", lambda self: False)
    found = DistanceProgram(columns, signs, np.ones(100), tol=1e-8).solve(2.0)
    assert found.value == pytest.approx(expected, rel=1e-6)
    assert found.status == "optimal"


def test_stopped_on_the_central_path_it_says_what_is_proved(always_central, monkeypatch):
    columns, signs = vectors(100)
    program, clock = DistanceProgram(columns, signs, np.ones(100), tol=1e-8), time.monotonic
    step, steps = smoothed_path.Barrier.step, []

    def counted(self):
        steps.append(None)
        return step(self)

    monkeypatch.setattr(smoothed_path.Barrier, "step", counted)
    monkeypatch.setattr(time, "monotonic", lambda: clock() + (1000 if len(steps) > 12 else 0))
    found = program.solve(2.0, deadline=clock() + 500)
    assert found.status == "stopped at max_time"
    assert len(steps) == 13
    assert 0 < found.relative_gap < 0.7
    proved(found, columns, signs, np.full(100, 2.0))
    again = program.solve(2.0)
    assert again.value == pytest.approx(
        soft_margin(whole(columns), signs, np.full(100, 2.0)), rel=1e-6
    )


# ---- hard margins --------------------------------------------------------------------------------


def separates(found, columns, signs):
    indices, values = found.point.coefficients
    return np.all(signs * (columns.columns(indices) @ values + found.point.intercept) >= 1 - 1e-9)


def is_witness(multipliers, columns, signs):
    assert np.all(multipliers >= 0)
    assert multipliers.sum() == pytest.approx(1.0)
    assert signs @ multipliers == pytest.approx(0.0, abs=1e-12)
    assert np.abs(whole(columns).T @ (signs * multipliers)).max() <= 1e-9 * columns.scale
    return True


@given(metric_matrices(min_size=4, max_size=9), st.sampled_from([DISTANCE, SEVERAL]), st.data())
@settings(max_examples=60, deadline=None)
def test_the_hard_margin_is_that_of_the_program_with_all_columns(matrix, radials, data):
    n_rows = data.draw(st.integers(3, len(matrix)))
    columns, signs = columns_of(matrix, n_rows, radials=radials), data.draw(two_signs(n_rows))
    expected = hard_margin(whole(columns), signs)
    for found in (
        DistanceProgram(columns, signs, np.ones(n_rows), tol=1e-8).hard_margin(),
        widest_margin(columns, signs, np.full(n_rows, True), np.empty(0, dtype=int), tol=1e-8),
    ):
        assert found.value == pytest.approx(expected, rel=1e-6)
        if math.isinf(expected):
            assert (found.status, found.lower_bound) == ("infeasible", math.inf)
            assert is_witness(found.point.multipliers, columns, signs)
        else:
            assert found.status == "optimal"
            assert found.relative_gap <= 1e-8
            assert found.point.norm == pytest.approx(found.value)
            assert separates(found, columns, signs)
            assert np.abs(whole(columns).T @ (signs * found.point.multipliers)).max() <= 1 + 1e-9


def test_example_1_has_no_hard_margin_and_its_witness_says_why():
    """von Luxburg & Bousquet 2004: two pairs at distance 2, everything else at distance 1."""
    columns, signs = columns_of(EXAMPLE_1), np.array([1.0, 1, -1, -1])
    found = DistanceProgram(columns, signs, np.ones(4)).hard_margin()
    assert found.status == "infeasible"
    assert found.value == math.inf
    assert is_witness(found.point.multipliers, columns, signs)
    np.testing.assert_allclose(found.point.multipliers, 0.25)
    assert hard_margin(whole(columns), signs) == math.inf


def test_equal_objects_of_different_classes_have_no_hard_margin():
    points = np.random.default_rng(0).normal(size=(50, 4))
    points[17] = points[3]
    signs = np.where(np.arange(50) % 2, 1.0, -1.0)
    signs[3], signs[17] = 1.0, -1.0
    columns = RadialColumns(points, points, wideberth.metric("euclidean"), DISTANCE, **LIMITS)
    found = DistanceProgram(columns, signs, np.ones(50)).hard_margin()
    assert found.status == "infeasible"
    assert is_witness(found.point.multipliers, columns, signs)
    np.testing.assert_array_equal(np.flatnonzero(found.point.multipliers), [3, 17])


def test_example_2_as_printed_is_feasible():
    """2 d(x_3, .) - 3 gives (-1, -1, -3, 1): only interpolation is impossible."""
    columns, signs = columns_of(EXAMPLE_2[:4, :4]), np.array([-1.0, -1, -1, 1])
    np.testing.assert_array_equal(2 * columns.columns([2])[:, 0] - 3, [-1, -1, -3, 1])
    found = DistanceProgram(columns, signs, np.ones(4)).hard_margin()
    assert found.status == "optimal"
    assert found.value == pytest.approx(2.0)
    assert separates(found, columns, signs)


def test_example_2_as_meant_needs_the_fifth_object():
    signs = np.array([1.0, 1, -1, -1])
    four, five = columns_of(EXAMPLE_2[:4, :4]), columns_of(EXAMPLE_2, n_rows=4)
    assert DistanceProgram(four, signs, np.ones(4)).hard_margin().status == "infeasible"
    found = DistanceProgram(five, signs, np.ones(4)).hard_margin()
    assert found.status == "optimal"
    assert found.value == pytest.approx(6.0)
    assert separates(found, five, signs)


def test_example_3_has_norm_4():
    found = DistanceProgram(
        columns_of(EXAMPLE_3[:4, :4]), np.array([1.0, 1, -1, -1]), np.ones(4)
    ).hard_margin()
    assert found.value == pytest.approx(4.0)
    assert 1.0 / found.point.norm == pytest.approx(0.25)


# ---- when it ends before the end -----------------------------------------------------------------


def test_a_deadline_in_the_past_gives_the_constant_function():
    columns, signs = vectors(30)
    program = DistanceProgram(columns, signs, np.ones(30))
    found = program.solve(1.0, deadline=time.monotonic() - 1)
    assert found.status == "stopped at max_time"
    assert found.value == 2.0 * min((signs > 0).sum(), (signs < 0).sum())
    assert found.lower_bound == 0.0
    assert len(found.point.coefficients.indices) == 0
    hard = program.hard_margin(deadline=time.monotonic() - 1)
    assert (hard.status, hard.value) == ("stopped at max_time", math.inf)
    never = widest_margin(
        columns, signs, np.full(30, True), np.arange(3), tol=1e-6, deadline=time.monotonic() - 1
    )
    assert (never.status, never.value) == ("stopped at max_time", math.inf)


def test_stopped_in_between_it_says_what_is_proved(monkeypatch):
    columns, signs = vectors(150)
    program = DistanceProgram(columns, signs, np.ones(150), tol=1e-9)
    C = 100 * program.critical_price
    vertices, solve = [], column_generation.SoftProgram.solve

    def three_times(simplex, deadline):
        vertices.append(None)
        return solve(simplex, deadline) if len(vertices) <= 3 else None

    with monkeypatch.context() as patch:
        patch.setattr(column_generation.SoftProgram, "solve", three_times)
        found = program.solve(C)
    assert found.status == "stopped at max_time"
    assert found.lower_bound < program.solve(C).value < found.value
    proved(found, columns, signs, np.full(150, C))


def test_a_gap_that_rounding_leaves_open_is_said(monkeypatch):
    columns, signs = vectors(100)
    monkeypatch.setattr(program_module, "SOLVER_ERROR", math.inf)  # no column is ever violated
    program = DistanceProgram(columns, signs, np.ones(100), tol=1e-9)
    found = program.solve(30 * program.critical_price)
    assert found.status == "stopped at rounding"
    assert found.relative_gap > 0.1
    proved(found, columns, signs, np.full(100, 30 * program.critical_price))


LONG = """
import os, signal, sys, threading, time
import numpy as np
import wideberth
from wideberth.estimators.radial_expansions import Radial
from wideberth.classifiers.lp_machine.problem import RadialColumns
from wideberth.classifiers.lp_machine.program import DistanceProgram
random = np.random.default_rng(0)
points, signs = random.normal(size=(2000, 20)), random.choice([-1.0, 1.0], size=2000)
columns = RadialColumns(points, points, wideberth.metric("euclidean"), [Radial("distance")], max_memory=10**9, n_jobs=1)
program = DistanceProgram(columns, signs, np.ones(2000))
C = 1000 * program.critical_price
"""


@pytest.mark.slow
def test_a_real_interrupt_ends_a_long_solve():
    script = LONG + (
        "threading.Timer(1.0, os.kill, (os.getpid(), signal.SIGINT)).start()\n"
        "try:\n    program.solve(C)\n    print('finished')\n"
        "except KeyboardInterrupt:\n    print('interrupted')\n"
    )
    done = run_script(script, cpu_seconds=120)
    assert done.stdout.strip() == "interrupted", done.stderr


@pytest.mark.slow
def test_max_time_ends_a_long_solve():
    script = LONG + (
        "found = program.solve(C, deadline=time.monotonic() + 1.0)\nprint(found.status, 0 <= "
        "found.lower_bound <= found.value)\n"
    )
    done = run_script(script, cpu_seconds=120)
    assert done.stdout.strip() == "stopped at max_time True", done.stderr
