"""Objects that nobody should pass: every metric takes them or refuses them with a sentence; pandas'
NA is a missing value.
"""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

import wideberth
from wideberth.errors import InvalidInput, WideberthError, WrongType
from wideberth.metrics.vectors.minkowski import Euclidean

METRICS = [name for name in wideberth.list_metrics() if name != "precomputed"]


def contains_itself():
    bad = []
    bad.append(bad)
    return bad


def tree_that_contains_itself():
    bad = ["A", []]
    bad[1].append(bad)
    return bad


def dict_that_contains_itself():
    bad = {"nodes": ["C"], "edges": []}
    bad["nodes"].append(bad)
    bad["label"], bad["children"] = "A", [bad]
    return bad


def deeply_nested():
    bad = []
    for _ in range(100_000):
        bad = [bad]
    return bad


#: What every metric must refuse.
NEVER = {
    "contains itself": contains_itself,
    "nested deeply": deeply_nested,
    "NA": lambda: pd.NA,
    "NaT": lambda: pd.NaT,
    "a number": lambda: 3.0,
    "None": lambda: None,
}
#: What some metrics take.
SOMETIMES = {
    "a tree that contains itself": tree_that_contains_itself,
    "a dict that contains itself": dict_that_contains_itself,
    "NA in a list": lambda: [pd.NA, 1.0],
    "NA in a dict": lambda: {
        "label": pd.NA,
        "children": [],
        "nodes": [pd.NA],
        "edges": [],
        "age": pd.NA,
    },
    "nullable numbers": lambda: pd.array([1, pd.NA], dtype="Int64"),
    "nullable truths": lambda: pd.array([True, pd.NA], dtype="boolean"),
    "nullable texts": lambda: pd.array(["a", pd.NA], dtype="string"),
    "half a pair": lambda: "CC\ud83c",
    "half a pair in a list": lambda: ["C\ud83c", "b"],
    "half a pair in a dict": lambda: {
        "label": "\ud83c",
        "children": [],
        "nodes": ["\ud83c"],
        "edges": [],
    },
    "a number too large": lambda: [10**400, 1],
    "complex": lambda: [1j, 2j],
    "bytes": lambda: b"\xff\xfe",
}


def fit(metric, bad):
    examples = list(wideberth.metric(metric).examples)
    labels = [number % 2 for number in range(len(examples) + 1)]
    return wideberth.NeighborsClassifier(metric, n_neighbors=1).fit([*examples, bad], labels)


@pytest.mark.parametrize("bad", NEVER)
@pytest.mark.parametrize("metric", METRICS)
def test_no_metric_takes_it(metric, bad):
    with pytest.raises(InvalidInput) as caught:
        fit(metric, NEVER[bad]())
    assert len(str(caught.value)) < 1000


@pytest.mark.parametrize("bad", SOMETIMES)
@pytest.mark.parametrize("metric", METRICS)
def test_a_metric_takes_it_or_says_why_not(metric, bad):
    try:
        model = fit(metric, SOMETIMES[bad]())
        assert model.predict([SOMETIMES[bad]()]) == [0]
    except WideberthError as error:
        assert len(str(error)) < 1000  # noqa: PT017 - it may also succeed


X = np.array([[0.0, 1.0], [1.0, 0.0], [5.0, 5.0], [6.0, 5.0]])
NULLABLE = {
    "Int64": pd.DataFrame({"a": X[:, 0], "b": X[:, 1]}).astype("Int64"),
    "Float64": pd.DataFrame({"a": X[:, 0], "b": X[:, 1]}).astype("Float64"),
    "mixed": pd.DataFrame({"a": pd.array([0, 1, 5, 6], dtype="Int8"), "b": X[:, 1]}),
    "truths": pd.DataFrame(
        {
            "a": pd.array([False, True] * 2, dtype="boolean"),
            "b": pd.array([1, 2, 5, 6], dtype="UInt16"),
        }
    ),
    "arrow": pd.DataFrame({"a": X[:, 0], "b": X[:, 1]}).astype("double[pyarrow]"),
}


@pytest.mark.parametrize("name", NULLABLE)
@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "angular", "mahalanobis"])
def test_nullable_numbers_are_the_numbers_they_are(name, metric):
    frame = NULLABLE[name]
    plain = frame.to_numpy(dtype=float)
    model = wideberth.NeighborsClassifier(metric, n_neighbors=1)
    labels = [0, 0, 1, 1]
    np.testing.assert_array_equal(
        clone(model).fit(frame, labels).certified_radius(frame),
        clone(model).fit(plain, labels).certified_radius(plain),
    )
    measure = wideberth.metric(metric).fitted(plain)
    np.testing.assert_array_equal(measure.prepare(frame), measure.prepare(plain))


@pytest.mark.parametrize("name", NULLABLE)
@pytest.mark.parametrize("columns", [["a"], ["a", "b"]])
def test_a_missing_number_is_named(name, columns):
    frame = NULLABLE[name][columns].copy()
    frame.loc[2, "a"] = pd.NA
    with pytest.raises(InvalidInput, match="object 2 has the value nan at feature 0") as caught:
        wideberth.NeighborsClassifier("canberra").fit(frame, [0, 0, 1, 1])
    assert caught.value.witness == (2, 0)
    with pytest.raises(InvalidInput):
        wideberth.metric("euclidean").prepare(frame)
    model = wideberth.NeighborsClassifier("euclidean", n_neighbors=1).fit(frame, [0, 0, 1, 1])
    assert model.predict(frame)[2] == 1  # the advice
    plain = frame.to_numpy(dtype=float, na_value=np.nan)
    np.testing.assert_array_equal(model.metric_.gaps, Euclidean().fitted(plain).gaps)


@pytest.mark.parametrize(
    ("labels", "classes"),
    [
        (pd.array([0, 0, 1, 1], dtype="Int64"), [0, 1]),
        (pd.array([False, False, True, True], dtype="boolean"), [False, True]),
        (pd.array(["b", "b", "a", "a"], dtype="string"), ["a", "b"]),
        (pd.Categorical(["b", "b", "a", "a"]), ["a", "b"]),
        (pd.array([0, 0, 1, 1], dtype="int64[pyarrow]"), [0, 1]),
    ],
    ids=lambda value: str(getattr(value, "dtype", "")),
)
def test_nullable_labels_keep_their_type(labels, classes):
    for given in (labels, pd.Series(labels)):
        model = wideberth.NeighborsClassifier(n_neighbors=1).fit(X, given)
        assert model.classes_.tolist() == classes
        assert [type(label) for label in model.classes_.tolist()] == [
            type(label) for label in classes
        ]
        assert model.predict(X[:1]).tolist() == [classes[0] if classes[0] in (0, False) else "b"]
    missing = pd.Series(labels).astype(pd.Series(labels).dtype)
    missing[1] = None
    for given in (missing, missing.array):
        with pytest.raises(InvalidInput, match="Object 1 has no label"):
            wideberth.NeighborsClassifier().fit(X, given)


@pytest.mark.parametrize("dtype", ["string", "object", "string[pyarrow]"])
def test_columns_and_arrays_of_text(dtype):
    words = pd.Series(["tea", "teal", "rum", "rums"], dtype=dtype)
    for given in (words, words.array, words.to_frame()):
        model = wideberth.NeighborsClassifier("levenshtein", n_neighbors=1).fit(given, [0, 0, 1, 1])
        assert model.predict(given).tolist() == [0, 0, 1, 1]
    words[2] = pd.NA
    for given in (words, words.array, words.to_frame()):
        with pytest.raises(InvalidInput, match="Object 2 is not a string"):
            wideberth.NeighborsClassifier("levenshtein").fit(given, [0, 0, 1, 1])


def test_weights_that_are_missing_are_refused():
    for weights in (
        [1, pd.NA, 1, 1],
        pd.array([1, pd.NA, 1, 1], dtype="Int64"),
        ["a"] * 4,
        [[1], 2, 3, 4],
    ):
        with pytest.raises(InvalidInput, match="weight"):
            wideberth.NeighborsClassifier().fit(X, [0, 0, 1, 1], sample_weight=weights)


def test_wrong_types_are_type_errors_too():
    with pytest.raises(WrongType, match="Pass rows of numbers"):
        wideberth.NeighborsClassifier().fit([[1, {}], [2, 3]], [0, 1])
    with pytest.raises(TypeError):
        wideberth.NeighborsClassifier().fit([[1, pd.NA], [2, 3]], [0, 1])


@pytest.mark.parametrize("label", [contains_itself, dict_that_contains_itself, deeply_nested])
def test_labels_that_contain_themselves_are_refused(label):
    with pytest.raises(InvalidInput):
        wideberth.NeighborsClassifier().fit(X, [0, 0, 1, label()])
