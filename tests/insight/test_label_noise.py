"""The noise of labels: its gradient beside differences, noise that was made found again, scores of
classes that a model does not know.
"""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wideberth.insight import label_noise
from wideberth.insight.label_noise import LabelNoise


def labelled(k, n, rates, seed=0, overlap=1.0):
    """Scores of a model, and labels of which a share of each class was replaced."""
    rng = np.random.default_rng(seed)
    true = rng.integers(0, k, n)
    scores = 3.0 * np.eye(k)[true] + overlap * rng.normal(size=(n, k))
    wrong = rng.random(n) < np.broadcast_to(rates, k)[true]
    codes = np.where(wrong, (true + rng.integers(1, k, n)) % k, true)
    return scores, codes, true


@settings(max_examples=10, deadline=None)
@given(st.integers(0, 2**32), st.integers(2, 4))
def test_the_gradient_is_that_of_the_loss(seed, k):
    scores, codes, _ = labelled(k, 30, 0.2, seed)
    scores[0, (codes[0] + 1) % k] = -np.inf
    leads = label_noise._Leads.of(scores, None)
    given_labels = np.arange(k) == codes[:, None]
    point = np.random.default_rng(seed).normal(size=3 + 2 * k)

    def loss(at):
        return label_noise._loss(at, leads, given_labels, 0.5)

    step = 1e-6
    for place, slope in enumerate(loss(point)[1]):
        move = step * (np.arange(len(point)) == place)
        around = (loss(point + move)[0] - loss(point - move)[0]) / (2 * step)
        assert slope == pytest.approx(around, rel=1e-4, abs=1e-4)


@pytest.mark.parametrize("rates", [(0.0, 0.0, 0.0), (0.1, 0.1, 0.1), (0.0, 0.3, 0.05)])
def test_noise_that_was_made_is_found_also_where_classes_overlap(rates):
    scores, codes, true = labelled(3, 3000, rates, overlap=1.3)
    noise = LabelNoise.of(scores, codes)
    assert noise.rates == pytest.approx(rates, abs=0.05)
    right = noise.true_classes(scores, codes)[np.arange(3000), codes]
    # as many as are said to be, which errors of the scores are not
    assert (1 - right).mean() == pytest.approx((codes != true).mean(), abs=0.03)
    flagged = right < 0.5
    assert flagged.sum() < 0.6 * (scores.argmax(axis=1) != codes).sum()
    assert (codes != true)[flagged].sum() >= 0.75 * flagged.sum() - 5


def test_a_class_that_a_model_does_not_know_is_not_the_true_one():
    scores, codes, _ = labelled(3, 60, 0.1)
    scores[codes != 2, 2] = -np.inf
    found = LabelNoise.of(scores, codes).true_classes(scores, codes)
    assert np.isfinite(found).all()
    assert (found[codes != 2, 2] == 0).all()
    assert found.sum(axis=1) == pytest.approx(1)


def test_scores_that_say_nothing_and_one_class():
    codes = np.arange(20) % 2
    found = LabelNoise.of(np.zeros((20, 2)), codes).true_classes(np.zeros((20, 2)), codes)
    assert np.isfinite(found).all()
    alone = LabelNoise.of(np.ones((5, 1)), np.zeros(5, dtype=int))
    assert (alone.true_classes(np.ones((5, 1)), np.zeros(5, dtype=int)) == 1).all()
