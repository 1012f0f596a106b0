"""What metrics accept and what they refuse: the witness is named, and the advice works."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
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
    ids=[
        "list",
        "tuple",
        "array",
        "pandas",
        "frame",
        "polars",
        "polars frame",
        "bytes",
        "tokens",
        "tuples",
        "codes",
    ],
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
    left, right = (
        metric.prepare([{"x", "tea"}, {"tea"}, set()]),
        metric.prepare([{"tea", "rum"}, {"y"}]),
    )
    np.testing.assert_allclose(metric.block(left, right), [[2 / 3, 1], [0.5, 1], [1, 1]])
    np.testing.assert_allclose(metric.block(left.take([1]), right.take(slice(0, 1))), [[0.5]])


@pytest.mark.parametrize(
    ("name", "objects", "message"),
    [
        ("euclidean", [[1.0, 2.0], [1.0]], "object 0 has 2 numbers, object 1 has 1"),
        ("euclidean", [[1.0, 2.0], ["a", "b"]], "Object 1 is not a vector of numbers"),
        (
            "euclidean",
            [["1", "2"]],
            "Object 0 is not a vector of numbers: \\['1', '2'\\]. Convert its values",
        ),
        ("euclidean", np.array([[1, 2], ["a", 3]], dtype=object), "Object 1 is not a vector"),
        ("euclidean", [np.array([1j])], "Object 0 is not a vector of numbers"),
        (
            "euclidean",
            [np.array(["2020-01-01"], dtype="M8[D]")],
            "Object 0 is not a vector of numbers",
        ),
        ("euclidean", [[10**400]], "Object 0 is not a vector of numbers"),
        (
            "euclidean",
            [3.0],
            "Object 0 is not a vector of numbers: 3.0.*wrap a single vector in a list",
        ),
        ("hellinger", [["1", "2"]], "Object 0 is not a vector of numbers"),
        ("earth_mover", [["1", "2"]], "Object 0 is neither a histogram nor an image"),
        ("earth_mover", np.array([[1j]]), "Object 0 is neither a histogram nor an image"),
        ("euclidean", np.array([1.0, 2.0]), r"reshape\(-1, 1\)"),
        ("euclidean", np.array([[1.0], [np.nan]]), "Object 1 has no number at position 0"),
        ("euclidean", np.array([[1.0], [np.inf]]), "object 1 holds inf"),
        (
            "euclidean",
            pd.DataFrame({"a": [1], "b": ["x"]}),
            "numeric table; this is a DataFrame of shape",
        ),
        ("levenshtein", ["tea", None], "Object 1 is not a string"),
        ("levenshtein", ["tea", 3.0], "Object 1 is not a string"),
        (
            "levenshtein",
            np.array([[1.5, 2.0]]),
            r"floating-point.*'standardized'.*X\.astype\(int\)",
        ),
        ("ngrams", [["tea"], [0.5, 2.0]], "Object 1 holds floating-point numbers"),
        ("levenshtein", "tea", "Wrap a single object in a list"),
        ("levenshtein", 3, "Wrap a single object in a list"),
        ("levenshtein", {"tea": 1}, "no order"),
        ("levenshtein", iter(["tea"]), r"list\(objects\)"),
        ("levenshtein", np.array("tea"), "Wrap a single object"),
        ("hamming", ["tea", "te"], "object 0 'tea' has 3, object 1 'te' has 2"),
        (
            "hamming",
            np.array([[1.0, 2.0], [3.0, np.nan]]),
            "Object 1 cannot be compared .*nan: it does not equal itself",
        ),
        ("jaccard", ["tea"], "Object 0 is not a set"),
        ("jaccard", [{1}, 3], "Object 1 is not a set"),
        ("jaccard", [[[1]]], "Object 0 is not a set"),
        (
            "jaccard",
            np.array([[0, 1], [0, 2]]),
            r"row 1 has np.int64\(2\) in column 1.*Binarise it first",
        ),
        (
            "jaccard",
            np.array([["a", "b"]], dtype=object),
            r"row 0 has 'a' in column 0.*or pass lists of elements",
        ),
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


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    "name",
    [
        "euclidean",
        "manhattan",
        "chebyshev",
        "canberra",
        "minkowski",
        "msm",
        "dtw",
        "erp",
        "twe",
        "hausdorff",
    ],
)
def test_numbers_whose_distances_would_be_infinite_are_refused_and_others_are_not(name):
    metric, objects = wideberth.metric(name), [[1.0, 2.0], [1.7e308, 2.0]]
    objects = [[each] for each in objects] if name == "hausdorff" else objects
    with pytest.raises(InvalidInput, match=r"1.7e\+308") as refused:
        metric.block(objects, objects)
    assert refused.value.advice
    tamed = [(np.array(each) / 1.7e308 * 1e150).tolist() for each in objects]
    assert np.isfinite(metric.block(tamed, tamed)).all()


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ([97], ["a"]),
        ([-1], [-2]),
        ([0], [2**61 - 1]),
        ([0.5], [2**60]),
        ([b"ab"], ["ab"]),
        ([1], ["1"]),
        ([(1,)], [1]),
        ([None], [0]),
    ],
    ids=repr,
)
@pytest.mark.parametrize(
    "name",
    [
        "levenshtein",
        "indel",
        "damerau",
        "hamming",
        "normalized_levenshtein",
        "weighted_edit",
        "jaccard",
    ],
)
def test_tokens_that_share_a_hash_or_a_code_are_told_apart(name, one, other):
    metric = wideberth.metric(name)
    assert metric(one, other) > 0
    assert metric(one, list(one)) == 0
    assert metric.block([one, other], [one, other])[0, 1] > 0


@pytest.mark.parametrize(
    "name",
    [
        "levenshtein",
        "indel",
        "damerau",
        "hamming",
        "normalized_levenshtein",
        "weighted_edit",
        "jaccard",
    ],
)
@pytest.mark.parametrize(
    ("objects", "message"),
    [
        (
            [["a", "b"], ["a", float("nan")]],
            "Object 1 cannot be compared .*nan.* does not equal itself",
        ),
        ([["a", "b"], ["a", pd.NA]], "Object 1 cannot be compared .*<NA>.* does not equal itself"),
        (
            [["a", "b"], ["a", ["b"]]],
            "Object 1 (cannot be compared .* unhashable|is not a set of hashable)",
        ),
    ],
    ids=["nan", "NA", "list"],
)
def test_tokens_that_cannot_be_compared_are_refused_and_the_advice_helps(name, objects, message):
    metric = wideberth.metric(name)
    with pytest.raises(InvalidInput, match=message):
        metric.block(objects, objects)
    mended = [objects[0], ["a", ("b",)]]
    assert not metric.block(mended, mended).diagonal().any()


def test_equal_tokens_of_different_make_are_equal():
    metric = wideberth.metric("levenshtein")
    assert (
        metric([1, "x"], [np.int8(1), np.str_("x")])
        == metric([1.0], [True])
        == metric("tea", ["t", "e", "a"])
        == 0
    )


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
@pytest.mark.parametrize("name", ["hamming", "jaccard"])
def test_a_frame_of_texts_is_its_rows_and_not_its_columns(name, frame):
    metric = wideberth.metric(name)
    table = frame({"first": ["tea", "rum", "tea"], "then": ["milk", "milk", "milk"]})
    rows = [["tea", "milk"], ["rum", "milk"], ["tea", "milk"]]
    np.testing.assert_array_equal(metric.block(table, table), metric.block(rows, rows))
    np.testing.assert_array_equal(metric.block(table, rows), metric.block(rows, table))


def test_hamming_takes_tables_beside_lists_and_rows_without_columns():
    metric, codes = wideberth.metric("hamming"), np.array([[1, 2], [1, 3]])
    assert (
        metric.block(codes, [[1, 2]]).tolist()
        == metric.block([[1, 2]], codes).T.tolist()
        == [[0], [1]]
    )
    assert metric.block(np.zeros((2, 0)), np.zeros((1, 0))).tolist() == [[0], [0]]
    assert metric.block(np.array([[2**60, 2**60 + 1]]), np.array([[2**60, 2**60]])).tolist() == [
        [1]
    ]
    assert metric.block(np.array([["tea", "rum"]], dtype=object), [["tea", "milk"]]).tolist() == [
        [1]
    ]
    assert metric.block(np.ones((1, 2), dtype=np.longdouble), [[1, 0]]).dtype == np.float64


class Tensor:
    """What arrays of other libraries look like: they speak numpy's protocol, and have a take of
    their own.
    """

    def __init__(self, rows):
        self.rows = rows

    def __array__(self, dtype=None, copy=None):
        return np.array(self.rows, dtype=dtype)

    def __len__(self):
        return len(self.rows)

    def take(self, indices):
        raise NotImplementedError


def test_arrays_of_other_makes_are_arrays():
    metric = wideberth.metric("euclidean")
    assert metric.block(Tensor([[0, 0], [3, 4]]), [[0, 0]]).tolist() == [[0], [5]]
    assert metric.block(np.array([[0, 0], [3, 4]]).view(np.matrix), [[0, 0]]).tolist() == [[0], [5]]
    assert metric.block(np.ma.masked_array([[0, 0], [3, 4]]), [[0, 0]]).tolist() == [[0], [5]]
    half_known = np.ma.masked_array([[0.0, 0.0], [3.0, 4.0]], mask=[[False, False], [True, False]])
    with pytest.raises(InvalidInput, match=r"1 of them, the first at \(1, 0\).*filled"):
        metric.block(half_known, [[0, 0]])
    assert metric.block(half_known.filled(0), [[0, 0]]).tolist() == [[0], [4]]


def test_columns_of_pyarrow_are_sequences_and_its_tables_rows():
    words = pa.chunked_array([["tea"], ["tee"]])
    assert wideberth.metric("levenshtein").block(words, pa.array(["tea"])).tolist() == [[0], [1]]
    people = pa.table({"age": [20, 60], "city": ["Ulm", "Ulm"]})
    assert wideberth.metric("gower").fitted(people).block(people, people)[0, 1] == 0.5


def test_precomputed_takes_numbers_however_they_are_held():
    metric = wideberth.metric("precomputed", distances=[[0, 1], [1, 0]])
    for numbers in ([0, 1], np.array([0, 1], dtype=object), pd.Series([0, 1]), (np.int8(0), 1)):
        assert metric.block(numbers, [1]).tolist() == [[1], [0]]


@pytest.mark.parametrize(
    ("distances", "objects", "message"),
    [
        ([[0.0, 1.0]], [0], "square"),
        ([["a", "b"], ["c", "d"]], [0], r"holds numbers; this is \[\['a', 'b'\].*list_metrics"),
        ([[0.0], [1.0, 0.0]], [0], "holds numbers"),
        ([[0.0]], [[0], [0, 1]], "row numbers, not lists of different lengths"),
        ([[0.0]], [1], "has 1 objects; there is no number 1"),
        ([[0.0]], [-1], "no number -1"),
        ([[0.0]], ["a"], "row numbers, not"),
    ],
)
def test_precomputed_refuses_what_is_outside(distances, objects, message):
    with pytest.raises(InvalidInput, match=message):
        wideberth.metric("precomputed", distances=distances).block(objects, objects)
