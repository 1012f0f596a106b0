"""Votes in folds from one list of neighbours are those of a classifier that learned from the fold."""

import numpy as np
import pytest

from wideberth import NeighborsClassifier
from wideberth.classifiers.neighbors.leaving_out import ListedVariant
from wideberth.estimators.choosing.fold_answers import Fold, WithoutPrice


@pytest.mark.parametrize("parameters", [{}, {"class_weight": "balanced"}, {"n_neighbors": 3}])
@pytest.mark.parametrize("weights", [None, "whole", "any"])
def test_answers_are_those_of_a_fit_on_each_fold(parameters, weights):
    random = np.random.default_rng(3)
    words = ["".join(random.choice(list("ab"), random.integers(1, 5))) for _ in range(50)]
    labels = random.integers(0, 3, 50)
    labels[0] = 9  # a class that a fold does not know
    given = {None: None, "whole": random.integers(0, 3, 50), "any": random.random(50) + 0.1}
    classifier = NeighborsClassifier("levenshtein", calibrate=None, **parameters)
    training = classifier.admit(words, labels, given[weights])
    values, (listed,) = classifier.candidates_on(training)
    assert isinstance(listed, ListedVariant)
    twin = WithoutPrice({}, listed.classifier, listed.shared)
    everything = np.arange(len(training))
    for start in range(3):
        fold = Fold(np.setdiff1d(everything, everything[start::3]), everything[start::3])
        found, expected = listed.answers(fold, values), twin.answers(fold, values)
        np.testing.assert_array_equal(found.classes, expected.classes)
        np.testing.assert_allclose(found.scores, expected.scores, rtol=0, atol=1e-12)
        np.testing.assert_allclose(found.losses, expected.losses, rtol=0, atol=1e-12)


def test_lists_that_the_memory_does_not_hold_are_not_made():
    classifier = NeighborsClassifier("levenshtein")
    training = classifier.admit(["tea", "tee", "rum", "rom"], [0, 0, 1, 1], None)
    for memory, lists in [(32 * 16, True), (32 * 16 - 1, False)]:
        classifier.max_memory = memory
        assert isinstance(classifier.candidates_on(training)[1][0], ListedVariant) is lists
