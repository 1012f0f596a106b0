"""Bounds on Rademacher complexities against exact values, and against each other."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.bounds import bounds as oracle
from scipy.sparse import coo_array

from wideberth.bounds.margin import chained_rademacher, quantised_rademacher, shortest_chain
from wideberth.papers.margin_bounds import (
    closed_rademacher,
    lemma_2_entropy,
    perturbed_rademacher,
    rademacher_constant,
)

SIZES = st.floats(1, 1e18)
CONSTANTS = st.floats(0.001, 100)
DIMENSIONS = st.floats(0.1, 30)
CLASSES = st.integers(2, 10_000)


@pytest.mark.parametrize(
    ("D", "value"),
    [(2, 158.5), (3, 110.9), (5, 87.2), (8, 77.2), (10, 74.2), (20, 68.8), (10**6, 64.0)],
)
def test_the_constant(D, value):
    assert rademacher_constant(D) == pytest.approx(value, abs=0.05)


@given(st.floats(1, 50), st.floats(1.01, 20), CLASSES)
def test_the_closed_form_is_below_that_of_the_paper_with_this_constant(L, D, k):
    n = 1e40
    assert closed_rademacher(n, L, D, k) <= rademacher_constant(D) * L * (math.log(5 * k) / n) ** (
        1 / (D + 1)
    ) * (1 + 1e-12)


@pytest.mark.parametrize("rademacher", [closed_rademacher, chained_rademacher])
@settings(max_examples=30, deadline=None)
@given(n=SIZES, L=CONSTANTS, D=DIMENSIONS, k=CLASSES)
def test_complexity_grows_with_all_but_the_sample(rademacher, n, L, D, k):
    value = rademacher(n, L, D, k)
    rounding = 1 + 1e-9
    assert 0 < value <= 1
    assert rademacher(2 * n, L, D, k) <= value * rounding
    assert rademacher(n, 2 * L, D, k) * rounding >= value
    if D >= 2 or rademacher is chained_rademacher:  # the closed form has a pole at dimension 1
        assert rademacher(n, L, D + 1, k) * rounding >= value
    assert rademacher(n, L, D, k + 1) * rounding >= value


@settings(max_examples=30, deadline=None)
@given(SIZES, CONSTANTS, DIMENSIONS, CLASSES)
def test_chains_are_below_the_closed_form(n, L, D, k):
    by_lemma_2 = chained_rademacher(n, L, D, k, lemma_2_entropy)
    assert (
        chained_rademacher(n, L, D, k)
        <= by_lemma_2
        <= closed_rademacher(n, L, D, k) * (1 + 1e-9) + 2e-6
    )


@given(st.integers(1, 7), st.integers(0, 2**32 - 1), st.floats(1, 1e6))
def test_the_shortest_chain_is_the_best_of_all(length, seed, n):
    random = np.random.default_rng(seed)
    scales = np.r_[1.0, np.sort(random.uniform(size=length))[::-1]]
    entropies = np.r_[0.0, np.cumsum(random.exponential(10, size=length))]
    assert shortest_chain(scales, entropies, n) == pytest.approx(
        oracle.shortest_chain(scales, entropies, n)
    )


@pytest.mark.few(3)
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("L", [0.0, 0.5, 2.0, 10.0])
def test_cells_bound_the_exact_complexity_of_two_classes(seed, L):
    random = np.random.default_rng(seed)
    points, codes = np.sort(random.uniform(size=6)), random.integers(2, size=6)
    exact = oracle.rademacher_of_two_classes(np.abs(points[:, None] - points), codes, L)
    for cells in (np.zeros(6, int), np.arange(6), np.arange(6) // 2):
        centres = np.array([points[cells == cell].mean() for cell in range(cells.max() + 1)])
        counts = np.zeros((len(centres), 2))
        np.add.at(counts, (cells, codes), 1)
        assert (
            quantised_rademacher(np.abs(points - centres[cells]).mean(), counts, L) >= exact - 1e-12
        )
    assert perturbed_rademacher(0.0, 6, L or 1e-9, 1.0, 2) >= exact


@pytest.mark.parametrize("k", [2, 3, 5])
@pytest.mark.parametrize(
    "codes",
    [[0] * 8, [0, 1] * 4, [0, 0, 0, 0, 0, 0, 1, 1], [0, 1, 0, 1, 0, 1, 0, 1], [0] * 9 + [1]],
)
def test_a_cell_bounds_the_exact_complexity_of_constants(codes, k):
    codes = np.array(codes)
    counts = np.bincount(codes, minlength=k)[None]
    assert quantised_rademacher(0.0, counts, 1.0) >= oracle.rademacher_of_constants(codes, k)


def test_counts_may_be_sparse_and_cells_empty():
    dense = np.array([[4, 0, 5], [0, 0, 0], [9, 0, 0]])
    assert quantised_rademacher(0.1, coo_array(dense), 1.0) == quantised_rademacher(0.1, dense, 1.0)
    by_label, by_class = math.sqrt(2 * 9 * math.log(4)), math.sqrt(4) + math.sqrt(5)
    assert quantised_rademacher(0.1, dense, 1.0) == pytest.approx(
        0.1 + (min(by_label, by_class) + 3) / 18
    )


def test_many_classes_in_a_cell_are_paid_for_by_their_logarithm():
    n = 10_000
    counts = np.ones(
        (1, n)
    )  # each object a class of its own: the sum over the classes alone would be 1
    assert quantised_rademacher(0.0, counts, 1.0) == pytest.approx(
        math.sqrt(2 * math.log(1 + n) / n)
    )


def test_a_perturbation_costs_its_length():
    n, b, k = 10**15, 3.0, 10
    still = perturbed_rademacher(0.0, n, 2.0, b, k)
    assert perturbed_rademacher(0.01, n, 2.0, b, k) == pytest.approx(still + 0.02)
    assert perturbed_rademacher(0.01, n, 2.0, b, k, rademacher=closed_rademacher) == pytest.approx(
        0.02 + 4 * (b + 1) / (b - 1) * (9 * 32.0**b * math.log(5 * k) / n) ** (1 / (b + 1))
    )
    assert perturbed_rademacher(3.0, n, 2.0, b, k) == 1.0
