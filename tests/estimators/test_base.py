"""The checks of the input of fit that classifiers and transformers share."""

import pytest
from sklearn.exceptions import NotFittedError

import wideberth
from wideberth.errors import InvalidInput

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
