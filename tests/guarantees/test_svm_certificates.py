"""Which objects a support vector machine keeps, where its constant is not unique."""

import numpy as np
import pytest

import wideberth as wb
from wideberth.classifiers.hilbert_svm.certificates import best_shifts, optimality


@pytest.mark.parametrize("seed", range(20))
def test_shifts_are_the_minima_of_the_loss(seed):
    random = np.random.default_rng(seed)
    n = int(random.integers(2, 9))
    signs = np.where(np.arange(n) % 2, 1.0, -1.0)
    values = random.integers(-4, 5, n) / 2
    prices = np.where(signs > 0, float(random.integers(1, 3)), 1.0)
    low, high = best_shifts(values, signs, prices)
    grid = np.linspace(-8, 8, 6401)
    losses = (prices * np.maximum(0, 1 - signs * (values + grid[:, None]))).sum(axis=1)
    best = grid[losses <= losses.min() + 1e-9]
    assert (low, high) == pytest.approx((best.min(), best.max()), abs=1e-9)


def test_a_constant_that_is_not_unique_keeps_more():
    """Two far groups at a small price: all objects are at their price, and the middle may lie
    anywhere in between.
    """
    points = np.r_[np.zeros((30, 1)), np.full((30, 1), 8.0)] + np.linspace(0, 0.5, 60)[:, None]
    labels = np.repeat([0, 1], 30)
    model = wb.HilbertSVC(kernel="gaussian", width=1.0, C=1e-3).fit(points, labels)
    signs, values = np.where(labels == 1, 1.0, -1.0), model.decision_function(points)
    low, high = best_shifts(values, signs, np.ones(60))
    assert low < high - 0.1
    found = {each.kind: each for each in wb.certify(model, points, labels)}[
        "support vector compression"
    ]
    worst = np.minimum(signs * (values + low), signs * (values + high))
    assert found.evidence["kept"] == np.sum(worst <= 1 + found.evidence["slack"])


def noisy_circle(seed, n):
    random = np.random.default_rng(seed)
    points = random.normal(size=(n, 2))
    return points, (
        (points[:, 0] ** 2 + points[:, 1] > 0.5) ^ (random.uniform(size=n) < 0.1)
    ).astype(int)


@pytest.mark.parametrize("kernel", ["gaussian", "laplace", "bounded"])
@pytest.mark.parametrize("C", [0.1, 1.0, 100.0])
@pytest.mark.parametrize("weights", [None, {0: 3.0}])
def test_the_gap_bounds_the_distance_from_the_optimal_machine(kernel, C, weights):
    """Functions of a rough and of a fine solution differ, up to a constant, by no more than both
    bounds say.
    """
    points, labels = noisy_circle(1, 120)
    points[60:70], labels[60:70] = points[:10], labels[:10]  # equal objects, whose prices add up
    new = np.random.default_rng(2).normal(size=(200, 2))
    values, errors = [], []
    for tol in (0.3, 1e-3, 1e-6):
        model = wb.HilbertSVC(kernel=kernel, width=1.0, C=C, tol=tol, class_weight=weights).fit(
            points, labels
        )
        values.append(model.decision_function(new))
        errors.append(optimality(model, points, labels).errors[0])
    for rough, error in zip(values[:2], errors[:2], strict=True):
        difference = rough - values[2]
        assert np.ptp(difference) <= 2 * (error + errors[2])
    assert errors[0] > errors[2]


def test_several_classes_have_a_gap_for_each_pair():
    points, _ = noisy_circle(3, 90)
    labels = np.repeat([0, 1, 2], 30)
    rough, fine = (
        optimality(
            wb.HilbertSVC(kernel="gaussian", width=1.0, tol=tol).fit(points, labels), points, labels
        )
        for tol in (0.1, 1e-6)
    )
    assert fine.errors.shape == (3,)
    assert (fine.gaps < 1e-3).all()
    assert (rough.gaps > fine.gaps).all()


def test_a_machine_far_from_the_optimal_one_is_not_certified_by_its_support_vectors():
    points, labels = noisy_circle(3, 400)
    steep = wb.HilbertSVC(kernel="gaussian", width=1.0, C=1e4).fit(points, labels)
    found = {each.kind: each for each in wb.certify(steep, points, labels)}[
        "support vector compression"
    ]
    assert "The solver left a duality gap of" in found.void[0]
    assert "smaller tol (it was 0.001) or a smaller C" in found.void[0]
    rough = wb.HilbertSVC(kernel="gaussian", width=1.0, tol=0.5).fit(points, labels)
    assert {each.kind: each for each in wb.certify(rough, points, labels)}[
        "support vector compression"
    ].void
    advised = wb.HilbertSVC(kernel="gaussian", width=1.0, tol=1e-4).fit(points, labels)
    found = {each.kind: each for each in wb.certify(advised, points, labels)}[
        "support vector compression"
    ]
    assert not found.void
    assert found.evidence["slack"] < 0.2
    assert len(found.assumptions) == 2  # none of them about the solver


def test_the_gap_does_not_trust_the_solver():
    """Multipliers above their prices, and so a function that is not the optimal one, make the gap
    large.
    """
    points, labels = noisy_circle(4, 100)
    model = wb.HilbertSVC(kernel="gaussian", width=1.0, tol=1e-6).fit(points, labels)
    before = optimality(model, points, labels).errors[0]
    model.coef_.data *= 1.5
    model._norms *= 1.5
    assert optimality(model, points, labels).errors[0] > 0.1 > before
