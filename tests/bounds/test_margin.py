"""The theorems of Kontorovich & Weiss: Figure 3, the laws that penalties obey, and their
approximate versions.
"""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import brentq

from wideberth.bounds.balls import log_share, stratum
from wideberth.bounds.margin import (
    cells_penalty,
    combined_penalty,
    quantised_rademacher,
    rademacher_penalty,
    scale_penalty,
)
from wideberth.papers.margin_bounds import (
    bayes_bound,
    cells_bound,
    closed_rademacher,
    empirical_penalty,
    printed_scale_penalty,
)

#: Figure 3 of the paper: 10 classes, delta = 0.01, dimension 5
D, K, LOG_DELTA = 5.0, 10, math.log(0.01)
PENALTIES = [rademacher_penalty, scale_penalty, combined_penalty, cells_penalty]


def n_where_it_is_1(penalty, L):
    return 10 ** brentq(
        lambda exponent: penalty(10**exponent, L, D, K, log_delta=LOG_DELTA) - 1, 1, 20
    )


def three_digits(value):
    return float(f"{value:.3g}")


@pytest.mark.parametrize(
    ("L", "printed", "valid", "cells"),
    [
        (1, 2.22e7, 1.14e10, 1.23e3),
        (2, 7.11e8, 3.64e11, 3.93e4),
        (4, 2.28e10, 1.17e13, 1.26e6),
        (8, 7.28e11, 3.73e14, 4.02e7),
    ],
)
def test_figure_3_where_the_curves_enter_it(L, printed, valid, cells):
    assert three_digits(n_where_it_is_1(printed_scale_penalty, L)) == printed
    assert three_digits(n_where_it_is_1(scale_penalty, L)) == valid
    assert three_digits(n_where_it_is_1(cells_penalty, L)) == cells


@pytest.mark.parametrize(
    ("n", "values"),
    [
        (1e9, [0.149, 0.843, 4.77, 27.0]),
        (1e12, [0.00471, 0.0267, 0.151, 0.853]),
        (1e15, [0.000149, 0.000843, 0.00477, 0.0270]),
    ],
)
def test_figure_3_as_printed(n, values):
    assert [
        three_digits(printed_scale_penalty(n, L, D, K, log_delta=LOG_DELTA)) for L in (1, 2, 4, 8)
    ] == values


@pytest.mark.parametrize(
    ("n", "values"),
    [
        (1e9, [0.399, 0.757, 1.36, 2.00]),
        (1e12, [0.105, 0.205, 0.401, 0.760]),
        (1e15, [0.0272, 0.0539, 0.105, 0.206]),
    ],
)
def test_figure_3_by_chaining(n, values):
    found = [rademacher_penalty(n, L, D, K, log_delta=LOG_DELTA) for L in (1, 2, 4, 8)]
    assert [three_digits(value) for value in found] == values
    both = [scale_penalty(n, L, D, K, log_delta=LOG_DELTA) for L in (1, 2, 4, 8)]
    combined = [
        combined_penalty(n, L, D, K, log_delta=LOG_DELTA + math.log(2)) for L in (1, 2, 4, 8)
    ]
    assert combined == pytest.approx(np.minimum(found, both))


@pytest.mark.parametrize(("L", "constant"), [(1, 13.4), (2, 11.9), (4, 10.6), (8, 9.45)])
def test_figure_3_shows_theorem_4_only_with_a_small_constant(L, constant):
    """The c_D with which the first term of Theorem 4 is 1 where Theorem 5 is; the one that is
    proved is 87.
    """
    n = n_where_it_is_1(printed_scale_penalty, L)
    assert three_digits(1 / (L * (math.log(5 * K) / n) ** (1 / (D + 1)))) == constant


@pytest.mark.parametrize("L", [1, 2, 4, 8])
def test_the_closed_form_is_never_the_smaller_one_in_figure_3(L):
    for n in (1e7, 1e9, 1e11, 1e13, 1e15):
        closed = rademacher_penalty(n, L, D, K, log_delta=LOG_DELTA, rademacher=closed_rademacher)
        assert closed > min(1, scale_penalty(n, L, D, K, log_delta=LOG_DELTA))


@pytest.mark.parametrize("penalty", PENALTIES)
@settings(max_examples=25, deadline=None)
@given(
    n=st.integers(1, 10**18),
    L=st.floats(1e-3, 1e6),
    D=st.floats(0.1, 300),
    k=st.integers(2, 10_000),
    log_delta=st.floats(-1e5, -1e-3),
    eta=st.floats(0, 0.5),
)
def test_penalties_grow_with_all_but_the_sample(penalty, n, L, D, k, log_delta, eta):
    value = penalty(n, L, D, k, log_delta=log_delta, eta=eta)
    rounding = 1 - 1e-9
    assert value > 0
    assert not math.isnan(value)
    assert penalty(2 * n, L, D, k, log_delta=log_delta, eta=eta) * rounding <= value
    assert penalty(n, 2 * L, D, k, log_delta=log_delta, eta=eta) >= value * rounding
    assert penalty(n, L, D + 1, k, log_delta=log_delta, eta=eta) >= value * rounding
    assert penalty(n, L, D, k + 1, log_delta=log_delta, eta=eta) >= value * rounding
    assert penalty(n, L, D, k, log_delta=2 * log_delta, eta=eta) >= value * rounding
    assert penalty(n, L, D, k, log_delta=log_delta, eta=eta + 0.01) >= value * rounding


@pytest.mark.parametrize("penalty", PENALTIES)
def test_a_small_constant_is_not_better_than_1(penalty):
    arguments = (10**15, D, K)
    assert penalty(arguments[0], 0.01, *arguments[1:], log_delta=LOG_DELTA) == penalty(
        arguments[0], 1.0, *arguments[1:], log_delta=LOG_DELTA
    )


def test_the_combined_penalty_pays_for_both():
    for n in (10**9, 10**15):
        both = [
            penalty(n, 1.0, D, K, log_delta=LOG_DELTA - math.log(2))
            for penalty in (rademacher_penalty, scale_penalty)
        ]
        assert combined_penalty(n, 1.0, D, K, log_delta=LOG_DELTA) == min(both)
    assert both[0] > both[1]


def test_approximate_neighbors():
    n, L, eta = 10**14, 2.0, 0.01
    exact = rademacher_penalty(n, L, D, K, log_delta=LOG_DELTA)
    assert rademacher_penalty(n, L, D, K, log_delta=LOG_DELTA, eta=eta) == pytest.approx(
        exact + 4 * eta
    )
    entropy = (64 * L / (1 - 8 * eta)) ** D * math.log(20 * K / (1 - 8 * eta))
    expected = math.sqrt(2 / n * (math.log(2) + entropy + math.log(2 * L / 0.01))) + 1 / n
    assert scale_penalty(n, L, D, K, log_delta=LOG_DELTA, eta=eta) == pytest.approx(expected)
    cells = (4 * L / (1 - 4 * eta)) ** D
    i = 9  # eight strata from 1 to 2
    expected = math.sqrt(
        (cells * math.log(K + 1) + math.log(math.pi**2 * i**2 / 6 / 0.01)) / (2 * n)
    )
    assert cells_penalty(n, L, D, K, log_delta=LOG_DELTA, eta=eta) == pytest.approx(expected)


def cones(queries, kept, codes, L, k):
    """The heights max(0, 1 - L d(x, S_c)) of all classes, shape (queries, k); under the largest
    norm.
    """
    distances = np.abs(queries[:, None] - kept).max(axis=2)
    return np.maximum(
        0, 1 - L * np.stack([distances[:, codes == code].min(axis=1) for code in range(k)], axis=1)
    ), distances


def separated(random, n, k, d):
    """Objects of which those of different classes are at least 1 apart, as a cover of all conflicts
    leaves them.
    """
    points, codes = random.uniform(-3, 3, (n, d)), random.integers(0, k, n)
    kept = list(range(k))
    points[:k, 0], codes[:k] = 100.0 * np.arange(k), np.arange(k)  # at least one of each class
    for each in range(k, n):
        apart = np.abs(points[kept] - points[each]).max(axis=1)
        if (apart[codes[kept] != codes[each]] >= 1).all():
            kept.append(each)
    return points[kept], codes[kept]


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 2**32),
    k=st.integers(2, 4),
    d=st.integers(1, 3),
    eta=st.floats(0, 3),
    spread=st.floats(0.1, 50),
)
def test_approximate_neighbors_err_only_where_the_cones_are_low(seed, k, d, eta, spread):
    """As in the docstring of the bounds: the cones are a margin function of L = 2, and errors have
    h <= eta / (2 + eta).
    """
    random = np.random.default_rng(seed)
    kept, codes = separated(random, 40, k, d)
    between = kept[random.integers(len(kept), size=(80, 2))].mean(
        axis=1
    )  # half-way, where neighbours differ
    queries = np.r_[
        random.normal(0, spread, (80, d)), between + random.normal(0, 0.05, (80, d)), kept
    ]
    heights, distances = cones(queries, kept, codes, 2.0, k)
    assert (np.count_nonzero(heights, axis=1) <= 1).all()
    assert (heights[-len(kept) :][np.arange(len(kept)), codes] == 1).all()
    arms, tops = heights.argmax(axis=1), heights.max(axis=1)
    in_star = np.where(arms[:, None] == arms, np.abs(tops[:, None] - tops), tops[:, None] + tops)
    assert (in_star <= 2 * np.abs(queries[:, None] - queries).max(axis=2) + 1e-9).all()
    allowed = distances <= (1 + eta) * distances.min(axis=1, keepdims=True)
    for answer in range(k):  # whichever neighbour answers, a truth with a higher cone is not missed
        answers = allowed[:, codes == answer].any(axis=1)
        others = np.delete(heights, answer, axis=1).max(axis=1)
        assert (others[answers] <= eta / (2 + eta) + 1e-9).all()


@given(eta=st.floats(0, 0.124))
def test_the_penalties_allow_for_more_than_approximate_neighbors_cost(eta):
    height = eta / (2 + eta)
    assert height <= 4 * eta
    assert 1 - 8 * eta <= 1 - 4 * eta <= 1 - height
    exact = rademacher_penalty(10**9, 1.0, D, K, log_delta=LOG_DELTA)
    assert (
        rademacher_penalty(10**9, 1.0, D, K, log_delta=LOG_DELTA, eta=eta) >= exact + height - 1e-12
    )


def test_scores_of_approximate_neighbors_can_be_off_by_any_amount():
    """Why the proof needs cones: here the scores, cut at 1, are 1 and -1, not within 2 eta =
    0.4.
    """
    kept, codes, x, L, eta = (
        np.array([[0.0], [1.0]]),
        np.array([0, 1]),
        np.array([[10.0]]),
        2.0,
        0.2,
    )
    heights, distances = cones(x, kept, codes, L, 2)
    assert distances[0, 0] <= (1 + eta) * distances[0, 1]  # class 0 may answer
    exact = np.clip(L / 2 * (distances[0, 0] - distances[0, 1]), -1, 1)
    assert exact == 1 > -1 + 2 * eta
    assert heights.max() == 0  # and the cones do not claim a margin there


def test_too_rough_neighbors_prove_nothing():
    assert scale_penalty(10**18, 1.0, D, K, log_delta=LOG_DELTA, eta=0.125) == math.inf
    assert cells_penalty(10**18, 1.0, D, K, log_delta=LOG_DELTA, eta=0.25) == math.inf
    assert cells_bound(0, 10**18, 1.0, D, K, log_delta=LOG_DELTA, eta=0.25) == 1.0


@given(
    n=st.integers(1, 10**7),
    share=st.floats(0, 1),
    L=st.floats(0.1, 50),
    D=st.floats(0.1, 10),
    k=st.integers(2, 100),
    log_delta=st.floats(-1e3, -0.7),
)
def test_the_inversion_of_cells_is_never_above_their_penalty(n, share, L, D, k, log_delta):
    violations = int(share * n)
    value = cells_bound(violations, n, L, D, k, log_delta=log_delta)
    assert violations / n <= value + 1e-12 <= 1 + 1e-12
    assert value <= violations / n + cells_penalty(n, L, D, k, log_delta=log_delta) + 1e-12


@given(st.floats(1e-6, 1e12))
def test_every_constant_has_a_stratum_just_above(L):
    i, L_i = stratum(L)
    assert L_i >= max(L, 1.0) * (1 - 1e-12)
    assert L_i <= max(2 ** (1 / 8) * L, 1.0) * (1 + 1e-12)
    assert stratum(L_i * (1 - 1e-12))[0] == i


def test_the_strata_share_delta():
    assert sum(math.exp(log_share(i)) for i in range(1, 10_000)) == pytest.approx(1.0, abs=1e-4)


def test_the_empirical_penalty_of_a_partition():
    n, L = 1000, 2.0
    expected = 2 * (L * 0.001 + 2 * math.sqrt(500) / 1000) + 3 * math.sqrt(
        math.log(2 * math.pi**2 * 81 / 6 / 0.01) / (2 * n)
    )
    found = empirical_penalty(
        n, L, lambda L: quantised_rademacher(0.001, [[500, 0], [0, 500]], L), log_delta=LOG_DELTA
    )
    assert found == pytest.approx(expected)


def test_theorem_4_by_hand():
    """A constant of 3 is in a later stratum, which has a constant and a share of its own."""
    i, constant = stratum(3.0)
    assert i > 1
    asked = []
    found = rademacher_penalty(
        50, 3.0, D, K, log_delta=LOG_DELTA, eta=0.01, rademacher=lambda *a: asked.append(a) or 0.125
    )
    assert asked == [(50, constant, D, K)]
    chance = math.sqrt(math.log(i) / 50) + math.sqrt(math.log(2 / 0.01) / 100)
    assert found == pytest.approx(0.25 + chance + 0.04)


def test_the_bayes_bound_needs_the_least_error():
    assert bayes_bound(0.0, 10**6, 1.0, 2.0) == pytest.approx(0.04)
    assert bayes_bound(0.2, 10**6, 1.0, 2.0) == pytest.approx(0.44)
    assert bayes_bound(0.2, 1, 1.0, 2.0) == 1.0
