"""Statements of Kontorovich & Weiss (2014) that no other test is about, each as it is printed."""

import itertools
from math import exp, log, sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import make_moons
from strategies import metric_matrices

import wideberth as wb
from wideberth.bounds.margin import external_entropy, scale_penalty
from wideberth.papers.margin_bounds import (
    closed_rademacher,
    lemma_2_entropy,
    lemma_3_entropy,
    rademacher_constant,
)

fast = settings(deadline=None, max_examples=50)


def margins(label, height, k):
    """A value of a margin function: the height on its label, minus the height on all others."""
    return np.where(np.arange(k) == label, height, -height)


@pytest.mark.parametrize("k", [2, 3, 7])
@pytest.mark.parametrize("parts", [1, 2, 5])
def test_figures_1_and_2_the_values_on_the_star_are_as_many_as_lemmas_2_and_3_count(k, parts):
    """At the scale eps values are multiples of eps / 4 on the arms; the next value is at most eps /
    2 away.
    """
    eps = 1 / parts
    heights = [step * eps / 4 for step in range(4 * parts + 1)]
    star = np.unique([margins(arm, height, k) for arm in range(k) for height in heights], axis=0)
    one_ball = eps / 8  # times L, for L = 1, the whole space
    assert exp(lemma_3_entropy(eps, one_ball, 3.0, k)) == pytest.approx(len(star))
    assert len(star) <= exp(lemma_2_entropy(eps, one_ball, 3.0, k)) + 1e-9
    assert exp(lemma_2_entropy(eps, one_ball, 3.0, k)) == pytest.approx(5 * k / eps)
    beside_the_hub = (np.abs(star).max(axis=1) <= eps / 2).sum()
    four_balls = 2 * eps / 8  # balls of half the diameter, 4 in one dimension
    assert lemma_3_entropy(eps, four_balls, 1.0, k) == pytest.approx(
        log(len(star)) + 3 * log(beside_the_hub)
    )
    assert lemma_2_entropy(eps, four_balls, 1.0, k) == pytest.approx(4 * log(5 * k / eps))


def drawn_functions(distances, L, k, count, random):
    """Margin functions at all points, as labels and heights: those of random scores that are
    L-Lipschitz.
    """
    found = []
    for _ in range(count):
        scores = random.uniform(-2, 2, size=(k, len(distances)))
        scores = (scores[:, None, :] + L * distances[None]).min(
            axis=2
        )  # the largest L-Lipschitz functions below
        ordered = np.sort(scores, axis=0)
        found.append((scores.argmax(axis=0), np.minimum((ordered[-1] - ordered[-2]) / 2, 1.0)))
    return found


@pytest.mark.few(2)
@pytest.mark.parametrize("k", [2, 4])
@pytest.mark.parametrize(("L", "eps"), [(1.0, 0.25), (4.0, 0.5), (10.0, 0.25)])
def test_lemma_2_no_more_functions_are_far_apart_than_it_counts(L, k, eps):
    """Functions more than 2 eps apart need a function each in a cover at the scale eps."""
    random, points = np.random.default_rng(0), np.linspace(0, 1, 6)
    distances = np.abs(points[:, None] - points)
    kept: list = []
    for labels, heights in drawn_functions(distances, L, k, 600, random):
        values = np.array(
            [margins(label, height, k) for label, height in zip(labels, heights, strict=True)]
        )
        steps = np.abs(values[:, None] - values).max(axis=2)
        assert (steps <= 2 * L * distances + 1e-9).all()
        if all(np.abs(values - other).max() > 2 * eps for other in kept):
            kept.append(values)
    assert (
        1
        < len(kept)
        <= exp(min(external_entropy(eps, L, 1.0, k), 600))
        <= exp(min(lemma_2_entropy(eps, L, 1.0, k), 600))
    )


@pytest.mark.parametrize("D", [2.0, 5.0])
def test_table_1_penalties_grow_like_logarithms_of_the_number_of_classes(D):
    few, many = 10, 10_000
    fat = [scale_penalty(1e18, 1.0, D, k, log_delta=log(0.01)) for k in (few, many)]
    expected = [sqrt(2 / 1e18 * 64**D * log(20 * k)) for k in (few, many)]
    assert fat == pytest.approx(expected, rel=1e-3)
    closed = [closed_rademacher(1e30, 1.0, D, k) for k in (few, many)]
    constant = rademacher_constant(D)
    expected = [constant * (log(5 * k) / 1e30) ** (1 / (D + 1)) for k in (few, many)]
    assert closed == pytest.approx(expected)


@fast
@given(metric_matrices(min_size=4, max_size=9), st.data())
def test_equation_16_is_the_nearest_neighbour_of_what_was_kept(matrix, data):
    codes = np.array(
        data.draw(st.lists(st.integers(0, 2), min_size=len(matrix), max_size=len(matrix)))
    )
    separation = max(float(np.median(matrix)), 0.5)
    L = 2 / separation
    space = wb.metric("precomputed", distances=matrix, obeys_triangle=True)
    model = wb.MarginNeighborsClassifier(space, separation=separation, cover="exact")
    if len(set(codes.tolist())) < 2:
        return
    model.fit(np.arange(len(matrix)), codes)
    kept = np.asarray(model.kept_)
    answers = model.predict(np.arange(len(matrix)))
    signs = np.where(codes[kept] == np.arange(3)[:, None], 1, -1)
    lower, upper = signs[:, None] + L * matrix[:, kept], signs[:, None] - L * matrix[:, kept]
    h = (lower.min(axis=2) + upper.max(axis=2)) / 2
    assert (h[codes[kept], kept] == 1).all()  # no two of different classes are closer than 2 / L
    for x in range(len(matrix)):
        nearest = set(codes[kept][matrix[x, kept] == matrix[x, kept].min()].tolist())
        if len(nearest) == 1 and h[:, x].max() > np.sort(h[:, x])[-2] + 1e-12:
            assert {int(h[:, x].argmax())} == nearest == {int(answers[x])}


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("dimension", [1.0, None])
def test_section_4_the_structural_risk_is_within_the_factor_of_14(seed, dimension):
    """A greedy cover is at most twice a least one, and the binary search of the paper costs another
    2, which is not needed.
    """
    points, labels = make_moons(60, noise=0.3, random_state=seed)
    greedy, exact = (
        wb.MarginNeighborsClassifier(separation="theory", dimension=dimension, cover=cover).fit(
            points, labels
        )
        for cover in ("greedy", "exact")
    )
    assert greedy.risk_curve_.risks.min() <= 2 * exact.risk_curve_.risks.min()
    for separation, lower, size in zip(
        greedy.cover_path_.separations,
        greedy.cover_path_.lower_bounds,
        greedy.cover_path_.covers,
        strict=True,
    ):
        assert lower <= size <= 2 * lower, separation
    kept = greedy.kept_
    for one, other in itertools.combinations(kept, 2):
        if labels[one] != labels[other]:
            assert np.linalg.norm(points[one] - points[other]) >= greedy.separation_ - 1e-12
