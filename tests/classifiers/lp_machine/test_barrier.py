"""The interior-point method: its value is that of the whole program, and the basis it points to is
the optimal one.
"""

import math

import numpy as np
import pytest
from oracles.classifiers.distance_programs import soft_margin
from threadpoolctl import threadpool_limits

from wideberth.classifiers.lp_machine import smoothed_path
from wideberth.classifiers.lp_machine.smoothed_path import Barrier
from wideberth.optimize.column_generation import SoftProgram, _sparse


@pytest.fixture(autouse=True)
def one_core():
    with threadpool_limits(1, user_api="blas"):
        yield


def example(n, p, seed=0):
    """Columns, signs and bounds of multipliers, these of different sizes."""
    random = np.random.default_rng(seed)
    signs = np.where(np.arange(n) % 3, 1.0, -1.0)
    columns = random.normal(size=(n, p)) + 0.3 * signs[:, None] * random.random(p)
    return columns, signs, random.uniform(0.05, 0.5, size=n)


def barrier_of(columns, signs, upper):
    rows = np.vstack([columns.T * signs, signs])
    return Barrier(rows, upper, np.zeros(len(rows)))


def program_of(columns, signs, upper):
    program = SoftProgram(signs)
    program.set_upper(upper)
    program.add(_sparse(columns.T * signs))
    return program


def ended(found):
    steps = 0
    while found.gap > 1e-11 and found.step():
        steps += 1
    assert found.gap <= 1e-11
    return steps


@pytest.mark.parametrize(("n", "p"), [(6, 2), (40, 10), (60, 90), (1500, 30)])
def test_the_value_is_that_of_the_program(n, p):
    columns, signs, upper = example(n, p)
    found = barrier_of(columns, signs, upper)
    assert ended(found) <= 40
    point = found.vertex
    expected = soft_margin(columns, signs, upper)
    assert point.multipliers.sum() == pytest.approx(
        expected, rel=1e-4
    )  # the program is tilted by 1e-5
    slacks = np.maximum(0.0, 1.0 - signs * (columns @ point.coefficients + point.intercept))
    assert np.abs(point.coefficients).sum() + upper @ slacks == pytest.approx(expected, rel=1e-4)
    assert np.all((point.multipliers > 0) & (point.multipliers < upper))
    np.testing.assert_allclose(found.prices, columns.T @ (signs * point.multipliers), atol=1e-8)
    assert found.missing <= 1e-8


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(("objects", "times"), [(1, 1), (2, 3)], ids=["one optimum", "many optima"])
def test_the_simplex_method_has_little_left_to_do(seed, objects, times):
    """Also where every object is there twice and every column three times, so that any of the
    copies may be used.
    """
    columns, signs, upper = example(80, 60, seed)
    columns, signs, upper = (
        np.tile(columns, (objects, times)),
        np.tile(signs, objects),
        np.tile(upper, objects),
    )
    found = barrier_of(columns, signs, upper)
    ended(found)
    cold, warm = program_of(columns, signs, upper), program_of(columns, signs, upper)
    warm.begin(found.guess())
    one, other = cold.solve(math.inf), warm.solve(math.inf)
    assert other.multipliers.sum() == pytest.approx(one.multipliers.sum(), rel=1e-9)
    steps = [program._highs.getInfo().simplex_iteration_count for program in (cold, warm)]
    assert steps[1] <= 0.1 * steps[0]


def test_it_starts_on_equal_products_from_any_function():
    """Then the equation of the surpluses holds exactly; that of the prices is what the steps have
    to mend.
    """
    columns, signs, upper = example(40, 10)
    rows = np.vstack([columns.T * signs, signs])
    random = np.random.default_rng(1)
    for size in (0.0, 1e-6, 1.0, 1e6):
        function = size * random.normal(size=11)
        found = Barrier(rows, upper, function)
        products = found._positive * found._slopes
        assert np.all(found._positive > 0)
        np.testing.assert_allclose(products, products[0])
        z, w, v, t = np.split(found._slopes, [40, 80, 90])
        np.testing.assert_allclose(
            z - w, function @ rows - 1.0, atol=1e-4 + 1e-12 * size
        )  # tilted by 1e-5
        np.testing.assert_allclose(t - v, function[:-1], rtol=1e-9, atol=1e-12)


def test_from_a_good_function_there_are_few_steps_to_go():
    columns, signs, upper = example(300, 200)
    cold = barrier_of(columns, signs, upper)
    steps = ended(cold)
    best = cold.vertex
    near = np.append(best.coefficients, best.intercept) * 1.02
    warm = Barrier(np.vstack([columns.T * signs, signs]), upper, near)
    assert ended(warm) < steps


def test_a_guess_that_is_no_basis_is_mended():
    columns, signs, upper = example(40, 10)
    program = program_of(columns, signs, upper)
    guess = barrier_of(columns, signs, upper).guess()  # before the first step
    program.begin(guess._replace(objects=np.zeros(40, dtype=np.int8)))
    assert program.solve(math.inf).multipliers.sum() == pytest.approx(
        soft_margin(columns, signs, upper), rel=1e-9
    )


def test_rounding_ends_it(monkeypatch):
    found = barrier_of(*example(20, 5))
    before = found.gap

    def singular(*args, **options):
        raise smoothed_path.LinAlgError

    with monkeypatch.context() as patch:
        patch.setattr(smoothed_path, "cho_factor", singular)
        assert not found.step()
    with monkeypatch.context() as patch:
        patch.setattr(
            smoothed_path, "cho_solve", lambda factor, right, **options: np.full(len(right), np.nan)
        )
        assert not found.step()
    assert found.gap == before
    assert found.step()
