"""The robust hinge against its slow twin: value, gradient, and a lower bound that no scores go
below.
"""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.classifiers.linear_scores import robust_loss, robust_program
from scipy.optimize import check_grad
from scipy.sparse import csr_array

from wideberth.classifiers.linear.changes import EditChanges, edited_words
from wideberth.classifiers.linear.features import Vocabulary
from wideberth.classifiers.linear.robust_hinge import (
    LinearPoint,
    RobustHinge,
    balancing_factors,
    value_and_gradient,
)

pytestmark = pytest.mark.kernels

WORDS = ["ale", "ate", "rum", "run", "tea", "tee"]


def drawn(seed, n=9, n_classes=3):
    """Texts of known words, with classes and weights."""
    random = np.random.default_rng(seed)
    texts = [" ".join(random.choice(WORDS, size=random.integers(1, 6))) for _ in range(n)]
    codes = np.resize(np.arange(n_classes), n).astype(np.intp)
    weights = random.uniform(0.5, 2.0, size=n)
    return texts, codes, weights / weights.sum()


def problem(texts, codes, weights, n_classes=3):
    vocabulary = Vocabulary.of(WORDS)
    matrix = np.array(
        [[text.split().count(word) for word in vocabulary.names] for text in texts], dtype=float
    )
    changes = edited_words(texts, vocabulary, 1.0)
    return matrix, changes, RobustHinge(csr_array(matrix), changes, codes, weights, n_classes)


def changes_by_place(changes):
    deltas = changes.deltas.toarray()
    bounds = zip(changes.text_starts[:-1], changes.text_starts[1:], strict=True)
    places = [changes.sites[first:last] for first, last in bounds]
    return [
        [deltas[changes.starts[site] : changes.starts[site + 1]] for site in sites]
        for sites in places
    ]


@pytest.mark.parametrize("edits", [0, 1, 2, 3])
@pytest.mark.parametrize("seed", range(4))
def test_the_loss_is_that_of_the_worst_changes(edits, seed):
    texts, codes, weights = drawn(seed)
    matrix, changes, hinge = problem(texts, codes, weights)
    random = np.random.default_rng(seed)
    point = LinearPoint(random.normal(size=(6, 3)), random.normal(size=3))
    value, _ = value_and_gradient(hinge, point.flat, 0.25, edits)
    expected = robust_loss(
        matrix,
        changes_by_place(changes),
        codes,
        weights,
        point.coefficients,
        point.intercepts,
        edits,
    )
    assert value == pytest.approx(expected + 0.25 * (point.coefficients**2).sum())


@pytest.mark.parametrize("smoothing", [0.0, 0.003, 0.3])
@pytest.mark.parametrize("edits", [0, 1, 2])
def test_the_gradient_is_that_of_the_value(edits, smoothing):
    texts, codes, weights = drawn(5)
    _, _, hinge = problem(texts, codes, weights)
    numbers = np.random.default_rng(1).normal(size=6 * 3 + 3)

    def value(numbers):
        return value_and_gradient(hinge, numbers, 0.1, edits, smoothing)

    assert check_grad(lambda x: value(x)[0], lambda x: value(x)[1], numbers) < 1e-5


@given(
    seed=st.integers(0, 10**6),
    edits=st.integers(1, 3),
    smoothing=st.sampled_from([1e-4, 0.01, 0.3]),
)
@settings(max_examples=60, deadline=None)
def test_smoothing_takes_at_most_its_share_too_much(seed, edits, smoothing):
    texts, codes, _ = drawn(seed, n=1, n_classes=2)
    _, _, hinge = problem(texts, codes, np.ones(1), n_classes=2)
    random = np.random.default_rng(seed)
    point = LinearPoint(
        random.choice([-0.5, 0.0, 0.3, 0.5], size=(6, 2)), np.array([-9.0, 0.0])
    )  # with ties, and losses
    leads = [
        1.0
        - np.sqrt(
            2.0 * hinge.losses(point, edits, each, np.ones((2, 2))).loss - _clean(hinge, point)
        )
        for each in (0.0, smoothing)
    ]
    assert -1e-9 <= leads[0] - leads[1] <= smoothing * edits + 1e-9


@given(seed=st.integers(0, 10**6), edits=st.integers(0, 2), boxed=st.booleans())
@settings(max_examples=40, deadline=None)
def test_no_scores_are_below_the_bound(seed, edits, boxed):
    texts, codes, weights = drawn(seed, n=6)
    _, _, hinge = problem(texts, codes, weights)
    ridge, box = (1e-6, 0.2) if boxed else (0.05, np.inf)
    found = hinge.solve(ridge, box, edits=edits)
    assert found.lower_bound <= found.value
    assert found.relative_gap <= 1e-3
    assert np.abs(found.point.coefficients).max() <= box
    random = np.random.default_rng(seed)
    for size in (0.0, 0.01, 0.1):
        numbers = found.point.flat + size * random.normal(size=6 * 3 + 3)
        numbers[: 6 * 3] = np.clip(numbers[: 6 * 3], -box, box)
        assert value_and_gradient(hinge, numbers, ridge, edits)[0] >= found.lower_bound - 1e-12


def _clean(hinge, point):
    """Twice the loss before edits."""
    return hinge.losses(point, 0, 0.0, np.ones((2, 2))).loss


@pytest.mark.parametrize("edits", [0, 1, 2])
@pytest.mark.parametrize("seed", range(4))
def test_a_slow_solver_ends_between_the_bounds(edits, seed):
    texts, codes, weights = drawn(seed, n=4, n_classes=2)
    texts = [" ".join(text.split()[:3]) for text in texts]
    matrix, changes, hinge = problem(texts, codes, weights, n_classes=2)
    found = hinge.solve(0.02, edits=edits, tol=1e-4)
    exact = robust_program(matrix, changes_by_place(changes), codes, weights, 2, edits, 0.02)
    assert found.lower_bound <= exact * (1 + 1e-6)
    assert exact <= found.value * (1 + 1e-6)
    assert found.status == "optimal"


@pytest.mark.slow
@given(
    seed=st.integers(0, 10**6),
    edits=st.integers(0, 2),
    order=st.permutations([0.3, 0.03, 0.003, 0.0003]),
)
@settings(max_examples=25, deadline=None)
def test_a_start_elsewhere_changes_the_value_by_no_more_than_the_gap(seed, edits, order):
    """On a path each program starts at the solution of another price, often at a kink: all changes
    there are equally bad.
    """
    texts, codes, weights = drawn(seed, n=12)
    _, _, hinge = problem(texts, codes, weights)
    start = None
    for ridge in order:
        cold, warm = hinge.solve(ridge, edits=edits), hinge.solve(ridge, edits=edits, start=start)
        for found in (cold, warm):
            assert found.status == "optimal"
            assert found.gap <= 1e-3 * found.value
        assert max(cold.lower_bound, warm.lower_bound) <= min(cold.value, warm.value)
        start = warm.point


def test_texts_of_two_words_are_not_given_up_for_the_sake_of_two_edits():
    texts = ["tea rum", "tea ale", "rum ale", "ale rum"] * 2
    codes = np.array([0, 0, 1, 1] * 2, dtype=np.intp)
    matrix, _, hinge = problem(texts, codes, np.full(8, 0.125), n_classes=2)
    found = hinge.solve(1e-4, edits=2)
    assert (
        (matrix @ found.point.coefficients + found.point.intercepts).argmax(axis=1) == codes
    ).all()


def test_without_edits_it_is_the_squared_hinge():
    points, codes = np.array([[0.0], [1.0], [3.0], [4.0]]), np.array([0, 0, 1, 1])
    found = RobustHinge(points, EditChanges.none(4, 1), codes, np.full(4, 0.25), 2).solve(1e-5)
    pull = found.point.coefficients[0, 1] - found.point.coefficients[0, 0]
    assert pull == pytest.approx(1.0, abs=1e-3)  # from -1 at 1 to 1 at 3
    assert found.value == pytest.approx(
        0.5e-5, rel=1e-3
    )  # what is left is the price of two coefficients of 0.5


def test_a_deadline_stops_it():
    texts, codes, weights = drawn(2)
    _, _, hinge = problem(texts, codes, weights)
    found = hinge.solve(0.01, deadline=0.0)
    assert found.status == "stopped at max_time"
    assert found.gap >= 0


@given(seed=st.integers(0, 10**6), n_classes=st.integers(2, 5))
def test_balanced_flows_leave_every_class_as_they_enter_it(seed, n_classes):
    random = np.random.default_rng(seed)
    flow = random.uniform(size=(n_classes, n_classes)) * (
        random.uniform(size=(n_classes, n_classes)) < 0.6
    )
    np.fill_diagonal(flow, 0.0)
    balanced = flow * balancing_factors(flow)
    np.testing.assert_allclose(
        balanced.sum(axis=0), balanced.sum(axis=1), atol=1e-9 * max(1.0, balanced.sum())
    )
    assert (balanced >= 0).all()


def test_a_program_of_many_changes_is_solved_with_few_of_them(monkeypatch):
    texts, codes, weights = drawn(3)
    _, _, hinge = problem(texts, codes, weights)
    whole = hinge.solve(0.01, edits=1)
    monkeypatch.setattr("wideberth.classifiers.linear.robust_hinge._MANY_CHANGES", 0)
    parts = hinge.solve(0.01, edits=1)
    assert max(parts.lower_bound, whole.lower_bound) <= min(parts.value, whole.value) * (1 + 1e-9)
    assert parts.status == whole.status == "optimal"
    elsewhere = hinge.solve(0.01, edits=1, start=hinge.solve(1.0, edits=1).point)
    assert elsewhere.status == "optimal"
    assert elsewhere.lower_bound <= whole.value
    assert parts.value == pytest.approx(value_and_gradient(hinge, parts.point.flat, 0.01, 1)[0])


def test_a_start_whose_leads_no_change_takes_is_solved_by_parts_too(monkeypatch):
    texts, codes, weights = ["tea tea tea", "rum rum rum"], np.arange(2), np.full(2, 0.5)
    _, _, hinge = problem(texts, codes, weights, n_classes=2)
    monkeypatch.setattr("wideberth.classifiers.linear.robust_hinge._MANY_CHANGES", 0)
    sides = np.array([[word == "tea", word == "rum"] for word in WORDS], dtype=float)
    found = hinge.solve(
        0.01, edits=1, start=LinearPoint(9.0 * (sides - sides[:, ::-1]), np.zeros(2))
    )
    assert np.isfinite(found.value)
    assert found.value == pytest.approx(value_and_gradient(hinge, found.point.flat, 0.01, 1)[0])
