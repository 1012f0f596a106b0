"""What an estimator recognises objects by, beneath the numbers of a space or of a matrix."""

import numpy as np
import pandas as pd
from scipy.sparse import coo_array, csr_array

import wideberth
from wideberth.estimators.recognition import content_digests
from wideberth.metrics.precomputed import DistanceRows

WORDS = ["tea", "rum", "milk"]


def digests(X, metric):
    return content_digests(X, metric, metric.prepare(X))


def test_a_space_and_transforms_of_it_stand_for_its_objects():
    space = wideberth.MetricSpace(WORDS, "levenshtein")
    found = digests([2, 0], space.metric)
    np.testing.assert_array_equal(found, digests(["milk", "tea"], wideberth.metric("levenshtein")))
    np.testing.assert_array_equal(found, digests([2, 0], wideberth.transforms.cap(space.metric, 2)))


def test_a_matrix_stands_for_its_rows():
    matrix = np.abs(np.arange(4.0)[:, None] - np.arange(4.0))
    table = wideberth.metric("precomputed", distances=matrix)
    np.testing.assert_array_equal(digests([3, 1], table), digests(matrix[[3, 1]], table))
    np.testing.assert_array_equal(digests(matrix, table), digests(matrix, DistanceRows(4)))
    assert digests([3, 1], DistanceRows(4)) is None  # the matrix is gone


def test_rows_of_tables_keep_the_names_of_their_columns():
    frame = pd.DataFrame({"size": [1.0, 2.0], "kind": ["a", "b"]})
    metric = wideberth.metric("gower").fitted(frame)
    np.testing.assert_array_equal(digests(frame, metric), digests(frame.to_dict("records"), metric))


def test_rows_are_known_again_by_name_and_by_place_and_with_values_missing():
    frame = pd.DataFrame({"size": [1, 2], "kind": ["a", None], "age": [np.nan, 3.0]})
    metric = wideberth.metric("gower", missing="far").fitted(frame)
    by_place = [(1.0, "a", None), (2, None, 3)]
    for other in (frame[["age", "kind", "size"]], frame.astype({"size": float}), by_place):
        np.testing.assert_array_equal(digests(other, metric), digests(frame, metric))
    assert len(set(digests([*by_place, (2, "a", 3), (1, None, None), (3, None, 2)], metric))) == 5


def test_sets_are_known_again_as_lists():
    metric = wideberth.metric("jaccard")
    sets = [{"tea", "milk"}, {"a", "b"}, {3, 1}]
    lists = [["milk", "tea", "tea"], ("b", "a"), [1, 3]]
    np.testing.assert_array_equal(digests(lists, metric), digests(sets, metric))
    assert len(set(digests([*sets, {"tea"}], metric))) == 4


def test_a_prepared_container_is_not_recognised():
    metric = wideberth.metric("msm")
    assert digests(metric.prepare([[1.0, 2.0], [3.0]]), metric) is None


def test_sparse_rows_are_known_again_in_full_and_one_by_one():
    counts = np.random.default_rng(0).poisson(0.5, size=(6, 4)).astype(float)
    metric, rows = wideberth.metric("ruzicka"), csr_array(counts)
    for given in (rows, coo_array(counts), [rows[[place]] for place in range(6)]):
        np.testing.assert_array_equal(digests(given, metric), digests(counts, metric))
