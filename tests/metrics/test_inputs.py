"""What metrics accept and what they refuse: the witness is named, and the advice works."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

import wideberth
from wideberth.errors import InvalidInput


@pytest.mark.parametrize(
    "rows",
    [
        [[0, 0], [3, 4]],
        ((0, 0), (3, 4)),
        np.array([[0, 0], [3, 4]]),
        np.array([[0, 0], [3, 4]], dtype=np.float32),
        np.array([[0, 0], [3, 4]], dtype=object),
        [np.array([0, 0]), np.array([3, 4])],
        pd.DataFrame({"a": [0, 3], "b": [0, 4]}),
        pl.DataFrame({"a": [0, 3], "b": [0, 4]}),
    ],
    ids=["lists", "tuples", "integers", "float32", "objects", "arrays", "pandas", "polars"],
)
def test_vectors_come_in_many_forms(rows):
    assert wideberth.metric("euclidean").block(rows, rows)[0, 1] == 5


@pytest.mark.parametrize(
    "words",
    [
        ["tea", "tee"],
        ("tea", "tee"),
        np.array(["tea", "tee"]),
        pd.Series(["tea", "tee"]),
        pd.DataFrame({"word": ["tea", "tee"]}),
        pl.Series(["tea", "tee"]),
        pl.DataFrame({"word": ["tea", "tee"]}),
        [b"tea", b"tee"],
        [list("tea"), list("tee")],
        [("t", "e", "a"), ("t", "e", "e")],
        np.array([[1, 2, 3], [1, 2, 2]]),
    ],
    ids=["list", "tuple", "array", "pandas", "frame", "polars", "polars frame", "bytes", "tokens", "tuples", "codes"],
)
@pytest.mark.parametrize("name", ["levenshtein", "hamming"])
def test_strings_come_in_many_forms(name, words):
    assert wideberth.metric(name).block(words, words)[0, 1] == 1


@pytest.mark.parametrize(
    "sets",
    [
        [{"a", "b"}, {"b"}],
        [["a", "b", "b"], ["b"]],
        [("b", "a"), frozenset("b")],
        np.array([[1, 1, 0], [0, 1, 0]]),
        np.array([[True, True], [False, True]]),
    ],
)
def test_sets_come_in_many_forms(sets):
    assert wideberth.metric("jaccard").block(sets, sets)[0, 1] == 0.5


def test_sets_of_two_samples_share_their_elements():
    metric = wideberth.metric("jaccard")
    left, right = metric.prepare([{"x", "tea"}, {"tea"}, set()]), metric.prepare([{"tea", "rum"}, {"y"}])
    np.testing.assert_allclose(metric.block(left, right), [[2 / 3, 1], [0.5, 1], [1, 1]])
    np.testing.assert_allclose(metric.block(left.take([1]), right.take(slice(0, 1))), [[0.5]])


@pytest.mark.parametrize(
    ("name", "objects", "message"),
    [
        ("euclidean", [[1.0, 2.0], [1.0]], "object 0 has 2 numbers, object 1 has shape"),
        ("euclidean", [[1.0, 2.0], ["a", "b"]], "Object 1 is not a vector of numbers"),
        ("euclidean", np.array([1.0, 2.0]), r"reshape\(-1, 1\)"),
        ("euclidean", np.array([[1.0], [np.nan]]), "object 1 holds nan at position 0"),
        ("euclidean", np.array([[1.0], [np.inf]]), "object 1 holds inf"),
        ("euclidean", pd.DataFrame({"a": [1], "b": ["x"]}), "numeric table; this is a DataFrame of shape"),
        ("levenshtein", ["tea", None], "Object 1 is not a string"),
        ("levenshtein", ["tea", 3.0], "Object 1 is not a string"),
        ("levenshtein", "tea", "Wrap a single object in a list"),
        ("levenshtein", 3, "Wrap a single object in a list"),
        ("levenshtein", {"tea": 1}, "no order"),
        ("levenshtein", iter(["tea"]), r"list\(objects\)"),
        ("levenshtein", np.array("tea"), "Wrap a single object"),
        ("hamming", ["tea", "te"], "object 0 'tea' has 3, object 1 'te' has 2"),
        ("hamming", np.array([["a", "b"]], dtype=object), "Encode the values as numbers"),
        ("hamming", np.array([[2**60, 2**60 + 1]]), "whole numbers below"),
        ("jaccard", ["tea"], "Object 0 is not a set"),
        ("jaccard", [{1}, 3], "Object 1 is not a set"),
        ("jaccard", [[[1]]], "Object 0 is not a set"),
        ("jaccard", np.array([[0, 2]]), "Binarise it first"),
    ],
)
def test_refused_objects_are_named(name, objects, message):
    with pytest.raises(InvalidInput, match=message):
        wideberth.metric(name).block(objects, objects)


def test_samples_must_fit_each_other():
    with pytest.raises(InvalidInput, match="Vectors of 2 and of 1 numbers"):
        wideberth.metric("euclidean").block([[1.0, 2.0]], [[1.0]])
    with pytest.raises(InvalidInput, match="has 3, the second sample's 'te' has 2"):
        wideberth.metric("hamming").block(["tea"], ["te"])


@pytest.mark.filterwarnings("ignore:overflow")
def test_huge_numbers_are_finite():
    assert wideberth.metric("chebyshev").block([[1e308, 1e308]], [[0.0, 0.0]])[0, 0] == 1e308


@pytest.mark.parametrize(
    ("distances", "objects", "message"),
    [
        ([[0.0, 1.0]], [0], "square"),
        ([[0.0]], [1], "has 1 objects; there is no number 1"),
        ([[0.0]], [-1], "no number -1"),
        ([[0.0]], ["a"], "row numbers, not"),
    ],
)
def test_precomputed_refuses_what_is_outside(distances, objects, message):
    with pytest.raises(InvalidInput, match=message):
        wideberth.metric("precomputed", distances=distances).block(objects, objects)
