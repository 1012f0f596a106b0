"""Folds answered from a matrix of distances say what fitted classifiers say."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import make_moons
from strategies import metric_matrices

import wideberth
from wideberth import LipschitzClassifier, LipschitzClassifierCV
from wideberth.classifiers.lipschitz.classifier import MatrixFolds, _scores, folds_variant
from wideberth.classifiers.lipschitz.function import StarFunction, project
from wideberth.classifiers.lipschitz.program import LipschitzPoint
from wideberth.errors import GapWarning
from wideberth.estimators.choosing.fold_answers import Fold, Shared, Variant
from wideberth.estimators.training import Merged
from wideberth.metrics.precomputed import Precomputed


def shared_points(objects, labels, weights=None, max_memory=2**30):
    weights = np.ones(len(labels)) if weights is None else weights
    return Shared(objects, wideberth.metric("euclidean"), labels, weights, max_memory)


def both(shared, **parameters):
    """A variant that fits classifiers, and one that reads a matrix."""
    classifier = LipschitzClassifier(shared.metric, **parameters)
    return Variant({}, classifier, shared), folds_variant(classifier, shared)


@pytest.mark.kernels
@given(metric_matrices(min_size=4), st.data())
@settings(max_examples=60, deadline=None)
def test_scores_are_those_of_the_function_of_the_same_solution(matrix, data):
    n, k = len(matrix), data.draw(st.integers(2, 3))
    known = np.arange(n) % 3 != 0
    codes = np.array(
        data.draw(
            st.lists(st.integers(0, k - 1), min_size=int(known.sum()), max_size=int(known.sum()))
        )
    )
    if len(set(codes)) < k:
        return
    slacks = np.array(
        data.draw(st.lists(st.floats(0, 2), min_size=len(codes), max_size=len(codes)))
    )
    slope = data.draw(st.sampled_from([0.3, 1.0, 4.0]))
    metric, objects = Precomputed(matrix), np.flatnonzero(known)
    limits = {"max_memory": 10**6, "n_jobs": 1}
    winners, margins = project(objects, metric, 1 - slacks, codes, slope, k, **limits)
    expected = StarFunction(objects, metric, winners, margins, slope, k, **limits).scores(
        np.flatnonzero(~known)
    )
    merged = Merged(objects, codes, np.ones(len(codes)), np.arange(len(codes)))
    blocks = matrix[np.ix_(known, known)], matrix[np.ix_(~known, known)]
    found = _scores(*blocks, merged, LipschitzPoint(slacks, slope), k)
    np.testing.assert_allclose(found, expected, atol=1e-11)


@pytest.mark.parametrize("class_weight", [None, {0: 1.0, 1: 3.0, 2: 0.5}])
def test_weights_and_equal_objects_count_as_in_fits(class_weight):
    random = np.random.default_rng(5)
    objects, labels = random.normal(size=(70, 2)), random.integers(3, size=70)
    objects[:, 0] += labels
    objects[60:], labels[60:] = objects[:10], labels[:10]
    objects[50], labels[50] = objects[51], (labels[51] + 1) % 3
    shared = shared_points(objects, labels, random.uniform(0.5, 2.0, 70))
    fold = Fold(np.arange(10, 70), np.arange(10))
    fitting, reading = both(shared, tol=1e-10, class_weight=class_weight)
    assert isinstance(reading, MatrixFolds)
    values = np.array([12.0, 1.5, 4.0])
    slow, fast = fitting.answers(fold, values), reading.answers(fold, values)
    np.testing.assert_array_equal(slow.classes, fast.classes)
    np.testing.assert_allclose(fast.scores, slow.scores, atol=1e-6)
    np.testing.assert_allclose(fast.losses, slow.losses, atol=1e-6)


@pytest.mark.parametrize(
    ("known", "values"),
    [
        (np.arange(20), [5.0]),  # one class
        (np.arange(40), [5.0, np.inf]),  # the hard margin
        (np.arange(40), [1e-3, 5.0]),  # constant scores
    ],
)
def test_solutions_without_a_slope_or_a_price(known, values):
    objects = np.r_[np.linspace(0, 1, 20), np.linspace(3, 4.5, 30)][:, None]
    shared = shared_points(objects, np.repeat(["a", "b"], [20, 30]))
    fold = Fold(known, np.arange(40, 50))
    slow, fast = (variant.answers(fold, np.array(values)) for variant in both(shared, tol=1e-10))
    np.testing.assert_array_equal(slow.classes, fast.classes)
    np.testing.assert_allclose(fast.scores, slow.scores, atol=1e-6)


def test_a_matrix_that_does_not_fit_is_not_made():
    objects, labels = make_moons(50, noise=0.3, random_state=0)
    enough = 16 * 50**2
    assert isinstance(both(shared_points(objects, labels, max_memory=enough))[1], MatrixFolds)
    assert not isinstance(
        both(shared_points(objects, labels, max_memory=enough - 1))[1], MatrixFolds
    )


def test_a_program_that_is_stopped_in_a_fold_warns():
    objects, labels = make_moons(1500, noise=0.4, random_state=0)
    with pytest.warns(GapWarning, match="max_time"):
        LipschitzClassifierCV(C=[1.5, 3.0], cv=2, tol=1e-9, max_time=1e-3, random_state=0).fit(
            objects, labels
        )
