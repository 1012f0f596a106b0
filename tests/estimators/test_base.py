"""The checks of the input of fit that classifiers and transformers share."""

import re
import warnings

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

import wideberth
from wideberth.errors import BrokenAxiom, BrokenAxiomWarning, InvalidInput

ESTIMATORS = [
    wideberth.NeighborsClassifier,
    wideberth.KuratowskiEmbedding,
    wideberth.HilbertEmbedding,
]


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_tags_follow_the_metric(estimator):
    tags = {
        each: estimator(each).__sklearn_tags__().input_tags
        for each in ("euclidean", "levenshtein", "precomputed", "jaccard")
    }
    assert [tags[each].two_d_array for each in tags] == [True, False, True, False]
    assert [tags[each].pairwise for each in tags] == [False, False, True, False]
    assert [tags[each].string for each in tags] == [False, True, False, False]


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_no_objects_are_refused(estimator):
    with pytest.raises(InvalidInput, match=r"no objects to learn from\. Pass at least one"):
        estimator("levenshtein").fit([], [])
    estimator("levenshtein").fit(["tea"], ["soft"])


def test_a_fit_that_failed_leaves_nothing_fitted():
    model = wideberth.NeighborsClassifier("levenshtein")
    with pytest.raises(InvalidInput):
        model.fit(["tea", "rum"], ["soft"])
    with pytest.raises(NotFittedError):
        model.predict(["tea"])
    embedding = wideberth.HilbertEmbedding("levenshtein", n_components=0)
    with pytest.raises(InvalidInput):
        embedding.fit(["tea", "rum"])
    with pytest.raises(NotFittedError):
        embedding.transform(["tea"])


@pytest.mark.parametrize(
    "model",
    [
        wideberth.NeighborsClassifier("precomputed"),
        wideberth.LPMachineClassifier("precomputed"),
        wideberth.MarginNeighborsClassifier("precomputed"),
    ],
    ids=lambda model: type(model).__name__,
)
@pytest.mark.parametrize(
    ("place", "said"),
    [((2, 5), r"not symmetric.*2.*5"), ((3, 3), r"object 3|d\(3, 3\)")],
    ids=["asymmetric", "diagonal"],
)
def test_odd_matrices_are_said_with_a_witness(model, place, said):
    points = np.array([0.0, 1.0, 2.5, 3.0, 10.0, 11.5, 13.0, 14.0])
    matrix = np.abs(points[:, None] - points)
    matrix[place] += 0.5
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            model.fit(matrix, [0] * 4 + [1] * 4)
        except BrokenAxiom as refused:
            warnings.warn(str(refused), BrokenAxiomWarning, stacklevel=1)
    told = [str(each.message) for each in caught if each.category is BrokenAxiomWarning]
    assert any(re.search(said, each) for each in told), told
    with warnings.catch_warnings():
        warnings.simplefilter("error", BrokenAxiomWarning)
        wideberth.NeighborsClassifier("precomputed").fit(
            np.abs(points[:, None] - points), [0] * 4 + [1] * 4
        )
