"""The compiled solver of folds beside LIBSVM, and the conditions of an optimum, which need no other
solver.
"""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.svm import SVC

from wideberth.classifiers.hilbert_svm.fold_kernels import intercept, minimise, pair_path
from wideberth.geometry.shape.gram import centred

pytestmark = pytest.mark.kernels


@st.composite
def problems(draw, positive=True):
    """A kernel that is 0 on the diagonal, positive or not; signs of both kinds; limits."""
    n, seed = draw(st.integers(2, 9)), draw(st.integers(0, 2**32 - 1))
    generator = np.random.default_rng(seed)
    points = generator.normal(size=(n, 3))
    squares = np.array([[((one - other) ** 2).sum() for other in points] for one in points])
    if not positive:
        noise = generator.uniform(0, 2, size=(n, n))
        squares = np.where(np.eye(n, dtype=bool), 0.0, noise + noise.T)
    signs = np.where(np.arange(n) < draw(st.integers(1, n - 1)), -1.0, 1.0)
    limits = generator.uniform(0.1, 1.0, n) * draw(st.sampled_from([0.1, 1.0, 10.0]))
    return -0.5 * squares, signs, limits


def solved(kernel, signs, limits, tol=1e-6, most_steps=100_000):
    multipliers, residuals = np.zeros(len(signs)), signs.copy()
    steps = minimise(
        kernel.astype(np.float32), signs, limits, multipliers, residuals, tol, most_steps
    )
    return multipliers, residuals, steps


def dual_objective(kernel, signs, multipliers):
    moved = signs * multipliers
    return 0.5 * moved @ kernel @ moved - multipliers.sum()


@settings(max_examples=40, deadline=None)
@given(problems())
def test_the_objective_is_that_of_libsvm(problem):
    kernel, signs, limits = problem
    machine = SVC(kernel="precomputed", tol=1e-8).fit(
        centred(-2 * kernel), signs, sample_weight=limits
    )
    theirs = np.zeros(len(signs))
    theirs[machine.support_] = np.abs(machine.dual_coef_[0])
    ours, residuals, _ = solved(kernel, signs, limits)
    best = dual_objective(kernel, signs, theirs)
    assert dual_objective(kernel, signs, ours) == pytest.approx(best, rel=1e-4, abs=1e-5)
    np.testing.assert_allclose(residuals, signs - kernel @ (signs * ours), atol=1e-4)


@settings(max_examples=40, deadline=None)
@given(problems(positive=False))
def test_on_any_kernel_the_end_is_a_stationary_point(problem):
    kernel, signs, limits = problem
    multipliers, _, steps = solved(kernel, signs, limits, tol=1e-3)
    residuals = signs - kernel @ (signs * multipliers)
    assert (multipliers >= 0).all()
    assert (multipliers <= limits).all()
    assert signs @ multipliers == pytest.approx(0, abs=1e-9 * limits.sum())
    rising = np.where(signs > 0, multipliers < limits, multipliers > 0)
    falling = np.where(signs > 0, multipliers > 0, multipliers < limits)
    assert steps < 100_000
    assert (
        residuals[rising].max(initial=-np.inf) - residuals[falling].min(initial=np.inf)
        <= 1e-3 + 1e-4
    )


@settings(max_examples=40, deadline=None)
@given(problems())
def test_the_offset_leaves_free_objects_on_the_margin(problem):
    kernel, signs, limits = problem
    multipliers, residuals, _ = solved(kernel, signs, limits)
    values = kernel @ (signs * multipliers) + intercept(signs, limits, multipliers, residuals)
    free = (multipliers > 0) & (multipliers < limits)
    np.testing.assert_allclose(signs[free] * values[free], 1.0, atol=1e-3)


@settings(max_examples=40, deadline=None)
@given(problems(), st.booleans())
def test_a_path_ends_where_each_price_alone_does(problem, equal_weights):
    kernel, signs, weights = problem
    weights = np.ones_like(weights) if equal_weights else weights
    prices, rows = np.array([0.05, 0.2, 1.0, 30.0]), np.arange(len(signs))
    along = np.empty((len(prices), len(signs)))
    pair_path(kernel.astype(np.float32), rows, signs, weights, prices, rows, 1e-6, 100_000, along)
    for price, values in zip(prices, along, strict=True):
        multipliers, _, _ = solved(kernel, signs, price * weights)
        slacks = np.maximum(0.0, 1.0 - signs * values)
        norm = (moved := signs * multipliers) @ kernel @ moved
        primal_bound = dual_objective(
            kernel, signs, multipliers
        )  # minus the value of the primal problem
        alone = (
            0.5 * norm + price * weights @ slacks
        )  # the functions agree but for an offset where it is not unique
        assert alone == pytest.approx(-primal_bound, rel=1e-3, abs=1e-3)


def test_steps_are_limited():
    kernel = -0.5 * np.abs(np.arange(6.0)[:, None] - np.arange(6.0)) ** 2
    signs = np.array([-1.0, 1.0, -1.0, 1.0, -1.0, 1.0])
    assert solved(kernel, signs, np.full(6, 1e6), tol=1e-12, most_steps=3)[2] == 3


def test_queries_are_rows_of_the_matrix():
    line = np.array([0.0, 1.0, 4.0, 2.0, 5.0])
    kernel = -0.5 * (line[:, None] - line) ** 2
    out = np.empty((1, 2))
    members, queries = np.array([0, 1, 2]), np.array([3, 4])
    pair_path(
        kernel.astype(np.float32),
        members,
        np.array([-1.0, -1.0, 1.0]),
        np.ones(3),
        np.array([100.0]),
        queries,
        1e-6,
        1000,
        out,
    )
    np.testing.assert_allclose(
        out, [[-1 / 3, 5 / 3]], atol=1e-5
    )  # the border is at 2.5, the margin 1.5
