"""Which objects a support vector machine keeps, where its constant is not unique."""

import numpy as np
import pytest

import wideberth as wb
from wideberth.guarantees.hilbert_margin import SLACK, best_shifts


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
    """Two far groups at a small price: all objects are at their price, and the middle may lie anywhere in between."""
    points = np.r_[np.zeros((30, 1)), np.full((30, 1), 8.0)] + np.linspace(0, 0.5, 60)[:, None]
    labels = np.repeat([0, 1], 30)
    model = wb.HilbertSVC(kernel="gaussian", width=1.0, C=1e-3).fit(points, labels)
    signs, values = np.where(labels == 1, 1.0, -1.0), model.decision_function(points)
    low, high = best_shifts(values, signs, np.ones(60))
    assert low < high - 0.1
    found = {each.kind: each for each in wb.certify(model, points, labels)}["support vector compression"]
    worst = np.minimum(signs * (values + low), signs * (values + high))
    assert found.evidence["kept"] == np.sum(worst <= 1 + SLACK)
