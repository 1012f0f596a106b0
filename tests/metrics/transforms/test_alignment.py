"""Weights of a sum learned from labels: the best fit, none for what does not help, and known as
learned.
"""

import numpy as np
import pytest
from scipy.optimize import minimize

import wideberth
from wideberth import transforms
from wideberth.errors import InvalidInput
from wideberth.metrics.transforms.sum_and_maximum import aligned_weights

random = np.random.default_rng(0)
ROWS = random.normal(size=(60, 3)) * [1.0, 1.0, 50.0]
LABELS = (ROWS[:, 0] + 0.3 * ROWS[:, 1] > 0).astype(int)
COLUMNS = [wideberth.transforms.product({column: "euclidean"}) for column in range(3)]


def test_weights_are_those_of_the_best_fit():
    factors = aligned_weights(COLUMNS, ROWS, LABELS)
    blocks = [metric.block(ROWS, ROWS) for metric in COLUMNS]
    centre = np.eye(60) - 1 / 60
    kernels = [centre @ (-block / block.mean()) @ centre for block in blocks]
    target = centre @ (LABELS[:, None] == LABELS) @ centre

    def loss(weights):
        return np.sum(
            (sum(weight * kernel for weight, kernel in zip(weights, kernels, strict=True)) - target)
            ** 2
        )

    best = minimize(loss, np.ones(3), bounds=[(0, None)] * 3, tol=1e-12).x
    weights = factors * [block.mean() for block in blocks]
    np.testing.assert_allclose(weights, best / best.sum(), atol=1e-4)
    assert weights[0] > weights[1] > weights[2]


def test_a_sum_with_learned_weights_is_known_as_learned(tmp_path):
    plain = transforms.total(*COLUMNS)
    learned = plain.aligned(ROWS, LABELS)
    assert learned.obeys_triangle
    assert set(learned.taught_by) == set(plain.digests(ROWS, None))
    model = wideberth.NeighborsClassifier(learned).fit(ROWS, LABELS)
    assert model.learned_from_.metric_learned
    new = random.normal(size=(60, 3)) * [1.0, 1.0, 50.0]
    assert not wideberth.NeighborsClassifier(learned).fit(new, LABELS).learned_from_.metric_learned
    wideberth.save(model, tmp_path / "model.wb")
    np.testing.assert_array_equal(
        wideberth.load(tmp_path / "model.wb").predict(new), model.predict(new)
    )
    truth = (new[:, 0] + 0.3 * new[:, 1] > 0).astype(int)
    before = wideberth.NeighborsClassifier(plain, n_neighbors=5).fit(ROWS, LABELS).score(new, truth)
    assert (
        wideberth.NeighborsClassifier(learned, n_neighbors=5).fit(ROWS, LABELS).score(new, truth)
        > before
    )


def test_metrics_that_learn_and_metrics_that_do_not_help():
    learned = transforms.total("standardized", "manhattan").aligned(ROWS, LABELS)
    assert learned.metrics[0].metric.scales is not None
    useless = transforms.total(
        COLUMNS[0],
        wideberth.metric(lambda one, other: float(one is not other), obeys_triangle=True),
    )
    assert len(useless.aligned(ROWS, LABELS).metrics) == 2
    backwards = np.arange(60) % 2
    assert (
        len(transforms.total(*COLUMNS).aligned(np.zeros((60, 3)), backwards).metrics) == 3
    )  # nothing helps: all alike
    many = np.vstack([ROWS] * 20)
    few, all_of_them = (
        aligned_weights(COLUMNS, ROWS, LABELS),
        aligned_weights(COLUMNS, many, np.tile(LABELS, 20)),
    )
    np.testing.assert_allclose(all_of_them, few, atol=0.1)


@pytest.mark.parametrize("labels", [[0, 1], np.zeros(60), LABELS[:, None]])
def test_labels_that_do_not_fit(labels):
    with pytest.raises(InvalidInput, match="Pass one label for each object"):
        transforms.total(*COLUMNS).aligned(ROWS, labels)


def test_metrics_of_a_balanced_sum_count_alike():
    plain = transforms.total(*COLUMNS)
    balanced = plain.balanced(ROWS)
    np.testing.assert_allclose([part.block(ROWS, ROWS).mean() for part in balanced.metrics], 1.0)
    assert set(balanced.taught_by) == set(plain.digests(ROWS, None))
    assert (
        transforms.total("standardized", "manhattan").balanced(ROWS).metrics[0].metric.scales
        is not None
    )
    assert [part.factor for part in plain.balanced(np.zeros((5, 3))).metrics] == [1.0] * 3
    with pytest.raises(InvalidInput, match="two objects at least"):
        plain.balanced(ROWS[:1])
