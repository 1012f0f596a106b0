"""Novelty: p-values of full conformal prediction, so that a share delta of exchangeable objects is
called novel at most.
"""

from fractions import Fraction

import numpy as np
import pytest
from families import class_name, every_classifier
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.insight import conformal as slow
from strategies import metric_matrices, words

import wideberth as wb
from wideberth.errors import InvalidInput

fast = settings(deadline=None, max_examples=60)


def without(distances, position):
    """A model that has learned from all objects but one, and the distances of that one."""
    others = np.delete(np.arange(len(distances)), position)
    model = wb.NeighborsClassifier("precomputed", n_neighbors=1).fit(
        distances[np.ix_(others, others)], others % 2
    )
    return model, distances[position, others][None]


@fast
@given(metric_matrices(max_size=8), st.integers(1, 4))
def test_p_values_are_those_of_full_conformal_prediction(distances, k):
    model, row = without(distances, 0)
    found = wb.novelty(model, row, n_neighbors=k)
    kept = min(k, len(distances) - 2)
    assert found.n_neighbors == kept
    assert found.p_values[0] == pytest.approx(
        float(slow.full_conformal_novelty(distances[1:, 1:], row[0], kept))
    )
    assert found.distances[0] == np.sort(row[0])[kept - 1]


@pytest.mark.slow
@settings(deadline=None, max_examples=25)
@given(metric_matrices(max_size=8), st.integers(1, 3), st.sampled_from([0.1, 0.25, 0.34, 0.5]))
def test_of_exchangeable_objects_a_share_delta_is_novel_at_most(distances, k, delta):
    tests = [
        wb.novelty(*without(distances, position), delta=delta, n_neighbors=k)
        for position in range(len(distances))
    ]
    assert sum(bool(test.novel[0]) for test in tests) <= Fraction(repr(delta)) * len(distances)


@fast
@given(metric_matrices(min_size=4, max_size=8), st.integers(1, 3))
def test_scaling_and_reordering_change_nothing(distances, k):
    order = np.random.default_rng(len(distances)).permutation(len(distances) - 1)
    changed = 0.37 * distances
    changed[1:, 1:], changed[0, 1:], changed[1:, 0] = (
        changed[1:, 1:][np.ix_(order, order)],
        *2 * [changed[0, 1:][order]],
    )
    one, other = (
        wb.novelty(*without(each, 0), n_neighbors=k).p_values[0] for each in (distances, changed)
    )
    assert one == other


@fast
@given(words, words, st.integers(1, 3))
def test_objects_are_judged_one_by_one(strings, asked, k):
    model = wb.NeighborsClassifier("levenshtein", n_neighbors=1).fit(
        strings, np.arange(len(strings)) % 2
    )
    together = wb.novelty(model, asked, n_neighbors=k)
    assert together.p_values.tolist() == [
        wb.novelty(model, [each], n_neighbors=k).p_values[0] for each in asked
    ]
    assert len(together) == len(asked)


POINTS = np.random.default_rng(0).normal(size=(60, 2))
SIDES = (POINTS[:, 0] > 0).astype(int)
NEW = np.random.default_rng(1).normal(size=(40, 2))
FAR = [[0.0, 0.0], [30.0, 30.0]]


@pytest.mark.few(4)
@pytest.mark.parametrize("model", every_classifier("vectors"), ids=class_name)
def test_every_classifier_can_tell(model):
    model.fit(POINTS, SIDES)
    by_training, by_others = (
        wb.novelty(model, FAR, training=POINTS),
        wb.novelty(model, FAR, calibration=NEW, training=POINTS),
    )
    assert by_training.novel.tolist() == by_others.novel.tolist() == [False, True]
    assert (by_training.method, by_training.n_calibration) == ("leave one out", 60)
    assert (by_others.method, by_others.n_calibration) == ("split", 40)
    np.testing.assert_allclose(by_training.distances, by_others.distances)


def test_split_p_values_are_ranks_of_distances():
    model = wb.NeighborsClassifier().fit(POINTS, SIDES)
    found = wb.novelty(model, FAR, calibration=NEW, n_neighbors=3)
    apart = np.sort(wb.pairwise_distances(np.r_[NEW, FAR], POINTS), axis=1)[:, 2]
    wanted = [float(slow.p_value(apart[:40].tolist(), each)) for each in apart[40:]]
    np.testing.assert_allclose(found.p_values, wanted)


def test_a_model_that_keeps_some_objects_needs_all_or_others():
    model = wb.MarginNeighborsClassifier(separation=0.5, condense="net").fit(POINTS, SIDES)
    with pytest.raises(
        InvalidInput,
        match=r"The model keeps \d+ of 60 training objects. Pass all of them, training=X",
    ):
        wb.novelty(model, FAR)
    assert wb.novelty(model, FAR, calibration=NEW).novel.tolist() == [False, True]


def test_other_objects_are_no_training_objects():
    model = wb.LipschitzClassifier().fit(POINTS, SIDES)
    with pytest.raises(
        InvalidInput, match="These 59 objects are not the 60 that the model learned from"
    ):
        wb.novelty(model, FAR, training=POINTS[1:])


def test_training_objects_calibrate_nothing():
    model = wb.NeighborsClassifier().fit(POINTS, SIDES)
    with pytest.raises(
        InvalidInput, match="All 60 objects are among the 60 that the model learned from"
    ):
        wb.novelty(model, FAR, calibration=POINTS)
    words = wb.NeighborsClassifier("levenshtein").fit(
        ["tea", "rum", "ale"], ["soft", "hard", "hard"]
    )
    with pytest.raises(InvalidInput, match="There are no calibration objects"):
        wb.novelty(words, ["milk"], calibration=[])


def test_a_metric_taught_by_training_objects_needs_others():
    model = wb.NeighborsClassifier("mahalanobis").fit(POINTS, SIDES)
    with pytest.raises(
        InvalidInput, match="'mahalanobis' took its parameters from the training objects"
    ):
        wb.novelty(model, FAR)
    assert wb.novelty(model, FAR, calibration=NEW).novel.tolist() == [False, True]


def test_one_object_has_no_neighbours():
    with pytest.raises(InvalidInput, match="One training object has no neighbour"):
        wb.novelty(wb.NeighborsClassifier("levenshtein").fit(["tea"], ["soft"]), ["rum"])


@pytest.mark.parametrize(
    ("parameter", "value"),
    [("delta", 0.0), ("delta", "a"), ("n_neighbors", 0), ("n_neighbors", 1.5)],
)
def test_parameters_must_fit(parameter, value):
    model = wb.NeighborsClassifier().fit(POINTS, SIDES)
    with pytest.raises(InvalidInput, match=parameter):
        wb.novelty(model, FAR, **{parameter: value})


def test_it_says_what_it_assumes_and_what_is_too_little():
    model = wb.NeighborsClassifier("levenshtein", n_neighbors=1).fit(
        ["tea", "rum", "ale"], ["soft", "hard", "hard"]
    )
    said = str(wb.novelty(model, ["marmalade"]))
    assert "0 of 1 object is novel" in said
    assert "3 objects are too few to call any object novel" in said
    assert "holds if: The training objects and the new ones are drawn alike" in said
    unpromised = wb.NeighborsClassifier(
        wb.metric(lambda one, other: abs(one - other), name="gap"), n_neighbors=1
    )
    assert (
        "'gap' is symmetric." in wb.novelty(unpromised.fit([1, 2, 4], [0, 1, 1]), [9]).assumptions
    )


def test_objects_that_cannot_be_recognised_are_believed():
    class Drink:
        __slots__ = ("strength",)

        def __init__(self, strength):
            self.strength = strength

    metric = wb.metric(lambda one, other: abs(one.strength - other.strength), obeys_triangle=True)
    drinks = [Drink(strength) for strength in range(40)]
    model = wb.NeighborsClassifier(metric, n_neighbors=1).fit(drinks[::2], np.arange(20) % 2)
    with pytest.raises(InvalidInput, match="keeps 20 of an unknown number of training objects"):
        wb.novelty(model, [Drink(500)])
    found = wb.novelty(model, [Drink(500)], calibration=drinks[1::2])
    assert found.novel.tolist() == [True]
    assert any("remembers too little" in assumption for assumption in found.assumptions)
    found = wb.novelty(model, [Drink(500)], training=drinks[::2])
    assert found.novel.tolist() == [True]
    assert any("remembers too little" in assumption for assumption in found.assumptions)


def test_only_classifiers_on_a_metric_have_training_objects():
    from sklearn.linear_model import LogisticRegression

    for model in (LogisticRegression().fit(POINTS, SIDES), "lipschitz"):
        with pytest.raises(InvalidInput, match="has no metric to judge objects by"):
            wb.novelty(model, FAR)
