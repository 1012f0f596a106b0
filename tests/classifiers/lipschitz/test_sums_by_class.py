"""Least sums by class, from trees and from blocks, against all sums; scores and radii from one
pass.
"""

from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import make_moons
from strategies import metric_matrices

import wideberth
from wideberth import LipschitzClassifier, LipschitzClassifierCV, NeighborsClassifier
from wideberth.classifiers.lipschitz import function
from wideberth.classifiers.lipschitz.function import SumsByClass, score_bounds
from wideberth.metrics.precomputed import Precomputed

LIMITS = {"max_memory": 10**6, "n_jobs": 1}


def all_sums(distances, codes, offsets, slope, n_classes):
    """The least sum over the objects of each class, one by one."""
    sums = offsets + slope * distances
    return np.stack(
        [sums[:, codes == code].min(axis=1, initial=np.inf) for code in range(n_classes)], axis=1
    )


@pytest.mark.kernels
@given(metric_matrices(min_size=4), st.data())
@settings(max_examples=60, deadline=None)
def test_blocks_give_the_least_sums(matrix, data):
    n, k = len(matrix), 3
    codes = np.array(
        data.draw(st.lists(st.integers(0, k - 1), min_size=n, max_size=n))
    )  # a class may have no objects
    margins = np.array(data.draw(st.lists(st.floats(0, 1), min_size=n, max_size=n)))
    slope = data.draw(st.sampled_from([0.2, 1.0, 5.0]))
    sums = SumsByClass(
        np.arange(n),
        Precomputed(matrix),
        codes,
        slope,
        k,
        max_memory=data.draw(st.sampled_from([1, 10**6])),
        n_jobs=1,
    )
    expected = [all_sums(matrix, codes, offsets, slope, k) for offsets in (-margins, margins)]
    few = sums.raising_and_limiting(np.arange(n), margins)
    with mock.patch.object(function, "FEW_SUMS", 0):
        np.testing.assert_array_equal(sums.raising_and_limiting(np.arange(n), margins), few)
    np.testing.assert_allclose(few, expected, rtol=1e-12)
    np.testing.assert_allclose(sums.least(np.arange(n), margins), expected[1], rtol=1e-12)


@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("slope", [0.3, 2.0, 20.0])
def test_trees_find_all_that_bounds_the_scores(n_classes, slope):
    random = np.random.default_rng(n_classes)
    points, queries = random.normal(size=(3000, 2)), 1.5 * random.normal(size=(200, 2))
    codes, margins = random.integers(n_classes, size=3000), random.uniform(0, 1, 3000)
    margins[::3] = 1.0
    codes[codes == n_classes - 1] = (
        0 if n_classes == 4 else codes[codes == n_classes - 1]
    )  # a class that wins nowhere
    sums = SumsByClass(points, wideberth.metric("euclidean"), codes, slope, n_classes, **LIMITS)
    assert sums._searches, "the tree must be tried"
    distances = wideberth.pairwise_distances(queries, points)
    expected = [
        all_sums(distances, codes, offsets, slope, n_classes) for offsets in (-margins, margins)
    ]
    found = score_bounds(*sums.raising_and_limiting(queries, margins))
    np.testing.assert_allclose(found, score_bounds(*expected), rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(sums.least(queries, margins), expected[1], rtol=1e-12)


@pytest.mark.parametrize(
    "model",
    [
        LipschitzClassifier("levenshtein"),
        LipschitzClassifierCV("levenshtein", C=[5.0], cv=2),
        NeighborsClassifier("levenshtein"),
    ],
)
def test_scores_and_radii_together_are_those_of_separate_calls(model):
    names, sexes = (each[::60] for each in wideberth.datasets.load_first_names())
    model.fit(names[:60], sexes[:60])
    told = model.answers(names[60:])
    scores, radii = told.scores, told.radii
    np.testing.assert_array_equal(scores[:, 1] - scores[:, 0], model.decision_function(names[60:]))
    np.testing.assert_array_equal(radii, model.certified_radius(names[60:]))


def test_scores_and_radii_measure_each_distance_once():
    points, labels = make_moons(60, noise=0.3, random_state=0)
    measured = []

    def block(left, right):
        measured.append(len(left) * len(right))
        return np.abs(left[:, None, :] - right[None, :, :]).sum(axis=2)

    metric = wideberth.Metric(block, name="steps", accepts="vectors", obeys_triangle=True)
    model = LipschitzClassifier(metric).fit(points[:50], labels[:50])
    measured.clear()
    model.answers(points[50:])
    assert sum(measured) == 10 * 50
