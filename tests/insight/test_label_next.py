"""The objects to label next are those of its definition: the greedy choice among the doubtful ones."""

import numpy as np
import pytest
from families import class_name, every_classifier
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.insight import medoids as slow
from strategies import metric_matrices

import wideberth as wb
from wideberth.errors import InvalidInput
from wideberth.insight.label_next import greedy

fast = settings(deadline=None, max_examples=60)
RNG = np.random.default_rng(0)
POINTS = RNG.normal(size=(40, 2))
LABELS = np.where(POINTS[:, 0] > 0, "up", "down")
POOL = RNG.normal(size=(200, 2))


@fast
@given(metric_matrices(max_size=9), st.integers(1, 4))
def test_without_labels_the_choice_is_that_of_medoids(distances, k):
    k = min(k, len(distances))
    assert greedy(distances, np.full(len(distances), np.inf), k).tolist() == (
        slow.greedy(distances, k)
    )


@fast
@given(metric_matrices(min_size=3, max_size=8), st.integers(1, 3))
def test_each_label_lowers_the_sum_of_distances_most(distances, n):
    nearest = distances[0]
    others = distances[1:, 1:]
    found = greedy(others, nearest[1:], n)
    left = nearest[1:].astype(float)
    for place in found.tolist():
        sums = [np.minimum(left, others[each]).sum() for each in range(len(others))]
        left = np.minimum(left, others[place])
        assert left.sum() == pytest.approx(min(sums))
    assert len(set(found.tolist())) == len(found) == min(n, len(others))


def test_the_choice_is_among_those_that_the_model_is_least_sure_of():
    model = wb.HilbertSVC().fit(POINTS, LABELS)
    leads = model.answers(POOL, certified=False).leads
    asked = wb.label_next(model, POOL, 5, training=POINTS)
    assert set(asked.indices) <= set(np.argsort(leads, kind="stable")[:40])
    assert set(asked.indices) != set(np.argsort(leads, kind="stable")[:5])
    np.testing.assert_allclose(asked.leads, leads[asked.indices])
    np.testing.assert_array_equal(asked.objects, POOL[asked.indices])
    doubtful = np.argsort(leads, kind="stable")[:40]
    distances = wb.pairwise_distances(POOL[doubtful], POOL[doubtful])
    nearest = wb.pairwise_distances(POOL[doubtful], POINTS).min(axis=1)
    assert asked.indices.tolist() == doubtful[greedy(distances, nearest, 5)].tolist()


def test_twins_are_not_asked_for_together():
    model = wb.NeighborsClassifier("levenshtein", n_neighbors=1).fit(["tea", "rum"], ["s", "h"])
    asked = wb.label_next(model, ["beer", "beer", "wines"], 2)
    assert asked.objects == ["beer", "wines"]
    told = [
        f"{i} {each!r} {lead:.3g}"
        for i, each, lead in zip(asked.indices, asked.objects, asked.leads, strict=True)
    ]
    assert str(asked).splitlines()[1:] == told
    assert wb.label_next(model, ["beer", "beer"], 9).indices.tolist() == [0, 1]


@pytest.mark.few(3)
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("model", every_classifier("vectors"), ids=class_name)
def test_every_classifier_can_be_asked(model):
    asked = wb.label_next(model.fit(POINTS, LABELS), POOL, 4)
    assert len(set(asked.indices.tolist())) == 4


def test_units_and_the_order_of_objects_do_not_matter():
    plain = wb.LipschitzClassifier().fit(POINTS, LABELS)
    scaled = wb.LipschitzClassifier().fit(0.37 * POINTS, LABELS)
    order = RNG.permutation(len(POOL))
    found = wb.label_next(plain, POOL, 5, training=POINTS).indices
    assert set(wb.label_next(scaled, 0.37 * POOL, 5, training=0.37 * POINTS).indices) == set(found)
    assert set(order[wb.label_next(plain, POOL[order], 5, training=POINTS).indices]) == set(found)


def test_a_matrix_and_no_number_of_labels_are_refused():
    matrix = wb.pairwise_distances(POINTS)
    model = wb.NeighborsClassifier("precomputed").fit(matrix, LABELS)
    with pytest.raises(InvalidInput, match=r"none between new objects.*index of a MetricSpace"):
        wb.label_next(model, matrix[:5])
    space = wb.MetricSpace(POINTS, "euclidean")
    inside = wb.NeighborsClassifier(space.metric).fit(space.index[:20], LABELS[:20])
    assert len(wb.label_next(inside, space.index[20:], 3)) == 3
    with pytest.raises(InvalidInput, match="n=0 is no number of labels"):
        wb.label_next(inside, space.index[20:], 0)
