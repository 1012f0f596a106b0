"""The program of the Lipschitz classifier: bounds that hold, rounds that end."""

import time
from itertools import product

import numpy as np
import pytest
from child_process import run_script
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog
from strategies import metric_matrices

import wideberth
from wideberth.classifiers.lipschitz import program as pricing_module
from wideberth.classifiers.lipschitz.program import (
    EnemyPricing,
    MatrixPricing,
    PairProgram,
    flattest,
    initial_program,
    solve_lipschitz_program,
)


def all_pairs(matrix, codes, costs):
    """The reduced program with every pair of different classes."""
    n = len(codes)
    first, second = np.nonzero(np.triu(codes[:, None] != codes, 1))
    rows = np.zeros((len(first), n + 1))
    rows[np.arange(len(first)), first] = rows[np.arange(len(first)), second] = 1
    rows[:, n] = matrix[first, second]
    return linprog(
        np.append(costs, 1.0),
        A_ub=-rows,
        b_ub=-np.full(len(first), 2.0),
        bounds=[(0, None)] * (n + 1),
    ).fun


def feasible(point, matrix, codes):
    sums = point.slacks[:, None] + point.slacks + point.slope * matrix
    return np.all(sums[codes[:, None] != codes] >= 2 - 1e-7)


@pytest.mark.kernels
@given(metric_matrices(min_size=5, max_size=9), st.data())
@settings(max_examples=40, deadline=None)
def test_value_and_bound_enclose_the_program_of_all_pairs(matrix, data):
    n = len(matrix)
    codes = np.array(
        data.draw(
            st.lists(st.integers(0, 2), min_size=n, max_size=n).filter(
                lambda y: len(set(y)) == max(y) + 1 > 1
            )
        )
    )
    costs = np.array(data.draw(st.lists(st.sampled_from([0.1, 0.5, 2.0]), min_size=n, max_size=n)))
    metric = wideberth.metric("precomputed", distances=matrix, obeys_triangle=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            pricing_module, "LIST_LENGTH", data.draw(st.integers(1, 3))
        )  # short lists, so that all pairs are priced
        searching = EnemyPricing(
            np.arange(n), metric, codes, np.ones(n), max_memory=2**20, n_jobs=1
        )
        reading = MatrixPricing(matrix, codes, np.ones(n))
        assert searching.scale == reading.scale
        for pricing, tol in product((searching, reading), (1e-2, 1e-8)):
            found = solve_lipschitz_program(pricing, costs, codes, tol=tol)
            expected = all_pairs(matrix / pricing.scale, codes, costs)
            assert found.lower_bound <= expected * (1 + 1e-7)
            assert found.value >= expected * (1 - 1e-7)
            assert found.gap <= tol * found.value * (1 + 1e-6)
            assert feasible(found.point, matrix / pricing.scale, codes)


@given(st.lists(st.sampled_from([0.5, 1.0, 3.0]), min_size=3, max_size=7), st.data())
@settings(max_examples=40, deadline=None)
def test_the_flattest_point_is_the_best_of_slope_zero(costs, data):
    costs = np.array(costs)
    codes = np.array(
        data.draw(st.lists(st.integers(0, 2), min_size=len(costs), max_size=len(costs)))
    )
    point = flattest(costs, codes)
    assert feasible(point, np.zeros((len(costs), len(costs))), codes)
    never = np.zeros((len(costs), len(costs)))
    assert costs @ point.slacks == pytest.approx(
        all_pairs(never, codes, costs) if len(set(codes)) > 1 else 0.0
    )


def test_pairs_are_added_once():
    program = PairProgram(np.ones(4))
    first, second, distances = np.array([0, 1, 0]), np.array([1, 0, 2]), np.array([1.0, 1.0, 2.0])
    assert program.add(first, second, distances) == 2
    assert program.add(first, second, distances) == 0
    assert len(program) == 2


def test_a_deadline_in_the_past_gives_the_flattest_point():
    codes = np.array([0, 0, 1])
    pricing = EnemyPricing(
        np.array([[0.0], [1.0], [3.0]]),
        wideberth.metric("euclidean"),
        codes,
        np.ones(3),
        max_memory=2**20,
        n_jobs=1,
    )
    found = solve_lipschitz_program(
        pricing, np.ones(3), codes, tol=1e-6, deadline=time.monotonic() - 1
    )
    assert found.status == "stopped at max_time"
    assert (found.value, found.lower_bound) == (2.0, 0.0)


def test_a_program_goes_on_from_where_it_stood():
    random = np.random.default_rng(0)
    points, codes = random.normal(size=(200, 2)), random.integers(2, size=200)
    pricing = EnemyPricing(
        points, wideberth.metric("euclidean"), codes, np.ones(200), max_memory=2**20, n_jobs=1
    )
    program = initial_program(pricing, np.full(200, 1e-9))
    for c in (1.0, 5.0, 25.0):
        warm = solve_lipschitz_program(
            pricing, np.full(200, c / 100), codes, tol=1e-7, program=program
        )
        cold = solve_lipschitz_program(pricing, np.full(200, c / 100), codes, tol=1e-7)
        assert warm.value == pytest.approx(cold.value, rel=1e-6)


@pytest.mark.slow
def test_a_real_interrupt_ends_a_long_fit():
    script = """
import os, signal, threading
import wideberth
from sklearn.datasets import make_moons
points, labels = make_moons(40_000, noise=0.4, random_state=0)
threading.Timer(6.0, os.kill, (os.getpid(), signal.SIGINT)).start()
try:
    wideberth.LipschitzClassifier(C=1.5, tol=1e-9).fit(points, labels)
    print("finished")
except KeyboardInterrupt:
    print("interrupted")
"""
    done = run_script(script, cpu_seconds=120)
    assert done.stdout.strip() == "interrupted", done.stderr
