"""The least true slope in a span of columns: the value is that of the program with all pairs, and
its parts prove it.
"""

import math
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.papers.lipschitz_subspaces import least_slope, steepest
from strategies import metric_matrices

import wideberth
from wideberth.classifiers.lp_machine.problem import RadialColumns
from wideberth.classifiers.lp_machine.program import DistanceProgram
from wideberth.estimators.radial_expansions import Radial
from wideberth.papers import subspace
from wideberth.papers.subspace import LipschitzSubspace

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
TWO_AND_TWO = np.array([1.0, 1.0, -1.0, -1.0])


def space_of(matrix, n_rows=None, references=None, radials=DISTANCE):
    """The columns and pairs of the first ``n_rows`` objects of a matrix, with some or all of its
    objects as references.
    """
    metric = wideberth.metric("precomputed", distances=matrix, obeys_triangle=True)
    rows = np.arange(n_rows or len(matrix))
    chosen = np.arange(len(matrix)) if references is None else np.asarray(references)
    return RadialColumns(rows, chosen, metric, radials, **LIMITS), matrix[np.ix_(rows, rows)]


def vectors(n, references=20, *, order=None, factor=1.0, radials=DISTANCE):
    """Points of two classes that overlap, in any order and unit."""
    points = np.random.default_rng(0).normal(size=(n, 3))
    signs = np.where(
        np.random.default_rng(1).normal(size=n) + 2 * points[:, 0] * points[:, 1] > 0.1, 1.0, -1.0
    )
    order = np.arange(n) if order is None else order
    metric, chosen = wideberth.metric("euclidean"), factor * points[order]
    columns = RadialColumns(chosen, factor * points[:references], metric, radials, **LIMITS)
    return columns, signs[order], factor * wideberth.pairwise_distances(points[order])


def whole(columns):
    return columns.columns(np.arange(columns.n_columns))


def two_signs(n):
    return (
        st.lists(st.sampled_from([-1.0, 1.0]), min_size=n, max_size=n)
        .filter(lambda signs: len(set(signs)) == 2)
        .map(np.array)
    )


def proved(found, columns, distances, signs, costs, *, rel=1e-6):
    """Value and slope are those of the function; multipliers are feasible in the dual, and their
    sum is the lower bound.
    """
    matrix, point = whole(columns), found.point
    scores = matrix[:, point.coefficients.indices] @ point.coefficients.values + point.intercept
    assert point.slope == pytest.approx(steepest(scores, distances), rel=rel, abs=1e-9)
    slacks = np.maximum(0.0, 1.0 - signs * scores)
    slacks[np.isinf(costs) & (slacks < 1e-7)] = 0.0
    paid = slacks > 0
    assert found.value == pytest.approx(point.slope + costs[paid] @ slacks[paid], rel=rel)
    assert point.slope <= point.norm * (1 + rel) + 1e-9
    a, (first, second, shares) = point.multipliers, point.pairs
    assert (a >= 0).all()
    assert (a <= costs * (1 + rel) + 1e-12).all()
    assert (shares >= 0).all()
    assert shares.sum() <= 1 + rel
    assert a @ signs == pytest.approx(0.0, abs=1e-7 * max(1.0, a.sum()))
    rises = (matrix[first] - matrix[second]) / distances[first, second][:, None]
    np.testing.assert_allclose(
        (a * signs) @ matrix, shares @ rises, atol=1e-6 * max(1.0, a.sum()) * columns.scale
    )
    assert a.sum() == pytest.approx(found.lower_bound, rel=rel)
    assert found.lower_bound <= found.value


# ---- against all pairs at once -------------------------------------------------------------------


@given(metric_matrices(min_size=4, max_size=9), st.sampled_from([DISTANCE, SEVERAL]), st.data())
@settings(max_examples=50, deadline=None)
def test_the_value_is_that_of_the_program_with_all_pairs(matrix, radials, data):
    """Also with objects that have no weight, with some references only, with others, and for a hard
    margin after soft ones.
    """
    n = data.draw(st.integers(3, len(matrix)))
    references = data.draw(
        st.none() | st.lists(st.integers(0, len(matrix) - 1), min_size=1, unique=True)
    )
    columns, pairs = space_of(matrix, n, references, radials)
    signs = data.draw(two_signs(n))
    weights = np.array(
        data.draw(st.lists(st.sampled_from([0.0, 1.0, 3.0]), min_size=n, max_size=n))
    )
    weights[[signs.argmin(), signs.argmax()]] = 1.0
    program = LipschitzSubspace(columns, pairs, signs, weights, tol=1e-8)
    for C in (0.03, 1.0, 40.0, math.inf):
        costs = np.where(weights > 0, C * np.maximum(weights, 1e-300), 0.0)
        expected = least_slope(whole(columns), matrix[:n, :n], signs, costs)
        found = program.solve(C)
        assert found.value == pytest.approx(expected, rel=1e-6)
        if math.isinf(expected):
            assert (found.status, found.lower_bound) == ("infeasible", math.inf)
            assert is_witness(found.point.multipliers, columns, signs)
        else:
            assert found.status == "optimal"
            proved(found, columns, matrix[:n, :n], signs, costs)


def is_witness(multipliers, columns, signs):
    priced = np.abs((multipliers * signs) @ whole(columns)).max()
    return (
        multipliers.min() >= 0
        and multipliers.sum() == pytest.approx(1)
        and priced <= 1e-8 * columns.scale
    )


@pytest.mark.few(2)
@pytest.mark.parametrize("radials", [DISTANCE, SEVERAL], ids=["distance", "several"])
@pytest.mark.parametrize("C", [0.02, 0.3, 10.0])
def test_the_value_on_vectors(radials, C):
    columns, signs, distances = vectors(60, 12, radials=radials)
    weights = np.random.default_rng(7).uniform(0.2, 2.0, size=60)
    found = LipschitzSubspace(columns, distances, signs, weights, tol=1e-8).solve(C)
    assert found.value == pytest.approx(
        least_slope(whole(columns), distances, signs, C * weights), rel=1e-6
    )
    proved(found, columns, distances, signs, C * weights)


# ---- the examples of von Luxburg & Bousquet ------------------------------------------------------


def test_example_1_has_no_hard_margin():
    columns, pairs = space_of(EXAMPLE_1)
    found = LipschitzSubspace(columns, pairs, TWO_AND_TWO, np.ones(4)).solve(math.inf)
    assert (found.status, found.value) == ("infeasible", math.inf)
    assert is_witness(found.point.multipliers, columns, TWO_AND_TWO)


def test_example_2_needs_the_fifth_object_as_a_reference():
    columns, pairs = space_of(EXAMPLE_2, 4, range(4))
    assert (
        LipschitzSubspace(columns, pairs, TWO_AND_TWO, np.ones(4)).solve(math.inf).status
        == "infeasible"
    )
    columns, pairs = space_of(EXAMPLE_2, 4)
    found = LipschitzSubspace(columns, pairs, TWO_AND_TWO, np.ones(4)).solve(math.inf)
    assert found.point.slope == pytest.approx(2.0)
    assert DistanceProgram(columns, TWO_AND_TWO, np.ones(4)).hard_margin().value == pytest.approx(
        6.0
    )


def test_example_3_has_slope_2_on_the_training_points_and_4_as_a_sum():
    columns, pairs = space_of(EXAMPLE_3, 4, range(4))
    found = LipschitzSubspace(columns, pairs, TWO_AND_TWO, np.ones(4)).solve(math.inf)
    assert (found.status, found.point.slope) == ("optimal", pytest.approx(2.0))
    summed = DistanceProgram(columns, TWO_AND_TWO, np.ones(4)).hard_margin()
    assert summed.value == pytest.approx(4.0)


def test_example_3_with_its_fifth_point_in_the_set():
    """Without weight and whatever its sign, it counts for the slope alone: in the span of the four
    that is 4.
    """
    columns, pairs = space_of(EXAMPLE_3, 5, range(4))
    for sign in (-1.0, 1.0):
        signs, weights = np.append(TWO_AND_TWO, sign), np.array([1.0, 1.0, 1.0, 1.0, 0.0])
        found = LipschitzSubspace(columns, pairs, signs, weights).solve(math.inf)
        costs = np.where(weights > 0, math.inf, 0.0)
        assert found.value == pytest.approx(4.0)
        proved(found, columns, EXAMPLE_3, signs, costs)


@given(metric_matrices(min_size=2, max_size=6))
@settings(max_examples=20, deadline=None)
def test_lemma_25_and_example_8_sums_of_distances_rise_between_two_objects_by_their_distance(
    matrix,
):
    """Condition (15): with slope 1 on the space, by the distance and no more."""
    far = int(matrix[0].argmax())
    if matrix[0, far] == 0:
        return
    columns, pairs = space_of(matrix)
    signs, weights = np.ones(len(matrix)), np.zeros(len(matrix))
    signs[far], weights[[0, far]] = -1.0, 1.0
    found = LipschitzSubspace(columns, pairs, signs, weights).solve(math.inf)
    assert 2 / found.point.slope == pytest.approx(matrix[0, far])


# ---- laws ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("C", [0.3, math.inf])
@pytest.mark.parametrize("factor", [0.37, 1e-7, 1e7])
def test_a_metric_in_another_unit_changes_nothing_but_the_unit(factor, C):
    (columns, signs, pairs), (others, _, other_pairs) = (
        vectors(40, 40),
        vectors(40, 40, factor=factor),
    )
    one = LipschitzSubspace(columns, pairs, signs, np.ones(40), tol=1e-8).solve(C)
    other = LipschitzSubspace(others, other_pairs, signs, np.ones(40), tol=1e-8).solve(C / factor)
    assert (one.status, other.status) == ("optimal", "optimal")
    assert other.value * factor == pytest.approx(one.value, rel=1e-6)


@pytest.mark.parametrize("C", [0.3, math.inf])
def test_the_order_of_the_objects_changes_nothing(C):
    order = np.random.default_rng(5).permutation(40)
    columns, signs, pairs = vectors(40, 40)
    others, other_signs, other_pairs = vectors(40, 40, order=order)
    one = LipschitzSubspace(columns, pairs, signs, np.ones(40), tol=1e-8).solve(C)
    other = LipschitzSubspace(others, other_pairs, other_signs, np.ones(40), tol=1e-8).solve(C)
    assert other.value == pytest.approx(one.value, rel=1e-6)


@pytest.mark.parametrize("C", [0.3, math.inf])
def test_more_objects_in_the_set_never_lower_the_value(C):
    points = np.random.default_rng(0).normal(size=(80, 2))
    metric, values = wideberth.metric("euclidean"), []
    for n in (20, 30, 50, 80):
        columns = RadialColumns(points[:n], points[:20], metric, DISTANCE, **LIMITS)
        pairs = wideberth.pairwise_distances(points[:n])
        signs, weights = (
            np.where(np.arange(n) % 3, 1.0, -1.0),
            np.where(np.arange(n) < 20, 1.0, 0.0),
        )
        values.append(LipschitzSubspace(columns, pairs, signs, weights, tol=1e-8).solve(C).value)
    assert (np.diff(values) >= -1e-6 * values[-1]).all()
    assert (
        math.isinf(C) or values[-1] > 1.01 * values[0]
    )  # here the hard margin's closest enemies hold the slope alone


def test_it_lies_between_the_best_lipschitz_function_and_the_least_sum_of_coefficients():
    columns, signs, distances = vectors(50, 50)
    hard = LipschitzSubspace(columns, distances, signs, np.ones(50)).solve(math.inf)
    assert hard.value >= 2.0 / distances[np.ix_(signs > 0, signs < 0)].min() * (1 - 1e-6)
    assert hard.value <= DistanceProgram(columns, signs, np.ones(50)).hard_margin().value * (
        1 + 1e-6
    )
    for C in (0.1, 1.0):
        soft = LipschitzSubspace(columns, distances, signs, np.ones(50)).solve(C)
        assert soft.value <= DistanceProgram(columns, signs, np.ones(50)).solve(C).value * (
            1 + 1e-6
        )


def test_solving_again_goes_on_from_what_is_there():
    columns, signs, pairs = vectors(60)
    program = LipschitzSubspace(columns, pairs, signs, np.ones(60), tol=1e-8)
    for C in (0.1, 3.0, 0.1, 0.5):
        fresh = LipschitzSubspace(columns, pairs, signs, np.ones(60), tol=1e-8).solve(C)
        assert program.solve(C).value == pytest.approx(fresh.value, rel=1e-7)


def test_equal_objects_are_no_obstacle():
    points = np.repeat(np.random.default_rng(2).normal(size=(15, 2)), 2, axis=0)
    signs = np.where(np.arange(30) % 4 < 2, 1.0, -1.0)
    metric = wideberth.metric("euclidean")
    columns = RadialColumns(points, points[::2], metric, DISTANCE, **LIMITS)
    pairs = wideberth.pairwise_distances(points)
    twice = LipschitzSubspace(columns, pairs, signs, np.ones(30)).solve(math.inf)
    once = LipschitzSubspace(
        columns.subset(slice(None, None, 2)),
        pairs[::2, ::2],
        signs[::2],
        np.ones(15),
    )
    assert twice.value == pytest.approx(once.solve(math.inf).value, rel=1e-6)


# ---- when it ends before the end -----------------------------------------------------------------


def test_a_deadline_in_the_past_gives_the_constant_function():
    columns, signs, pairs = vectors(30)
    program = LipschitzSubspace(columns, pairs, signs, np.ones(30))
    found = program.solve(1.0, deadline=time.monotonic() - 1)
    assert (found.status, found.lower_bound, found.point.slope) == ("stopped at max_time", 0.0, 0.0)
    assert found.value == 2.0 * min((signs > 0).sum(), (signs < 0).sum())
    assert program.solve(math.inf, deadline=time.monotonic() - 1).value == math.inf


def test_stopped_in_between_it_says_what_is_proved(monkeypatch):
    columns, signs, distances = vectors(150, 40)
    program = LipschitzSubspace(columns, distances, signs, np.ones(150), tol=1e-9)
    vertices, solve = [], program._program.solve

    def four_times(deadline):
        vertices.append(None)
        return solve(deadline) if len(vertices) <= 4 else None

    with monkeypatch.context() as patch:
        patch.setattr(subspace, "_PAIRS_A_ROUND", 5)
        patch.setattr(program._program, "solve", four_times)
        found = program.solve(0.1)
    assert found.status == "stopped at max_time"
    best = program.solve(0.1)
    assert best.status == "optimal"
    assert found.lower_bound < best.value < found.value
    proved(found, columns, distances, signs, np.full(150, 0.1))


def test_a_gap_that_rounding_leaves_open_is_said(monkeypatch):
    columns, signs, pairs = vectors(60)
    monkeypatch.setattr(subspace, "SOLVER_ERROR", math.inf)  # no pair is ever violated
    found = LipschitzSubspace(columns, pairs, signs, np.ones(60)).solve(0.5)
    assert found.status == "stopped at rounding"
    assert found.relative_gap > 1e-3


# ---- where a function is steepest ----------------------------------------------------------------


@given(metric_matrices(), st.data())
@settings(max_examples=40, deadline=None)
def test_the_largest_slope_is_that_of_all_pairs(matrix, data):
    n = len(matrix)
    values = np.array(data.draw(st.lists(st.integers(-5, 5), min_size=n, max_size=n)), dtype=float)
    found = subspace.steepest_partners(values, matrix)
    assert found.slopes.max() == pytest.approx(steepest(values, matrix), rel=1e-12)
    there = np.flatnonzero(found.partners >= 0)
    np.testing.assert_array_equal(found.distances[there], matrix[there, found.partners[there]])
    rises = np.abs(values[there] - values[found.partners[there]])
    np.testing.assert_allclose(found.slopes[there] * found.distances[there], rises, rtol=1e-12)


def test_equal_objects_constants_and_pairs_too_close_have_no_slope():
    points = np.array([[0.0], [0.0], [1e-6], [1.0]])
    distances, values = np.abs(points - points.T), np.array([0.0, 3.0, 1.0, 2.0])
    assert subspace.steepest_partners(values, distances).slopes.max() == pytest.approx(2e6)
    np.testing.assert_allclose(
        subspace.steepest_partners(values, distances, 1e-3).slopes, [2.0, 1.0, 1.0, 2.0], rtol=1e-5
    )
    flat = subspace.steepest_partners(np.ones(4), distances)
    assert flat.partners.tolist() == [-1] * 4
    assert flat.slopes.tolist() == [0.0] * 4
