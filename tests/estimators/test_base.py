"""The door that classifiers and transformers share."""

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

import wideberth
from wideberth.errors import InvalidInput
from wideberth.estimators.training import broken_triangle

ESTIMATORS = [wideberth.NeighborsClassifier, wideberth.KuratowskiEmbedding, wideberth.HilbertEmbedding]


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_tags_follow_the_metric(estimator):
    tags = {
        each: estimator(each).__sklearn_tags__().input_tags for each in ("euclidean", "levenshtein", "precomputed", "jaccard")
    }
    assert [tags[each].two_d_array for each in tags] == [True, False, True, False]
    assert [tags[each].pairwise for each in tags] == [False, False, True, False]
    assert [tags[each].string for each in tags] == [False, True, False, False]


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_no_objects_are_refused(estimator):
    with pytest.raises(InvalidInput, match=r"no objects to learn from\. Pass one at least"):
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


@pytest.mark.filterwarnings("ignore::wideberth.errors.SlowMetricWarning")
def test_a_triangle_is_found_among_many_objects():
    def squared(one, other):
        return (one - other) ** 2

    metric = wideberth.metric(squared)
    found = broken_triangle(metric.prepare(list(range(400))), metric, random_state=3)
    i, j, k = found.objects
    assert squared(i, j) > squared(i, k) + squared(k, j)
    promised = wideberth.metric(squared, obeys_triangle=True)
    assert broken_triangle(promised.prepare(list(range(400))), promised, random_state=3) is None
    line = wideberth.metric("precomputed", distances=np.abs(np.arange(5.0)[:, None] - np.arange(5)))
    assert broken_triangle(np.arange(5), line, random_state=None) is None
