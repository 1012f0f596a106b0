"""Collections of objects of any kind are counted, picked and held alike."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

from wideberth.errors import InvalidInput
from wideberth.objects import sample


class Thing:
    pass


COLLECTIONS = {
    "strings": ["a", "b", "c"],
    "tuple": ("a", "b", "c"),
    "ragged lists": [[1], [1, 2], [1, 2, 3]],
    "equal lists": [[1, 2], [3, 4], [5, 6]],
    "equal arrays": [np.zeros(2), np.ones(2), np.ones(2)],
    "sets": [{1}, {2}, set()],
    "dicts": [{"a": 1}, {}, {"b": 2}],
    "bytes": [b"a", b"bb", b""],
    "things": [Thing(), Thing(), Thing()],
    "string array": np.array(["a", "b", "c"]),
    "object array": np.array([{1}, "a", None], dtype=object),
    "numbers": np.arange(3.0),
    "rows": np.arange(6.0).reshape(3, 2),
    "images": np.zeros((3, 4, 4)),
    "pandas column": pd.Series(["a", "b", "c"], index=[7, 8, 9]),
    "polars column": pl.Series(["a", "b", "c"]),
    "pandas frame of one column": pd.DataFrame({"a": ["x", "y", "z"]}),
    "polars frame of one column": pl.DataFrame({"a": ["x", "y", "z"]}),
    "numeric pandas frame": pd.DataFrame({"a": [1, 2, 3], "b": [4, 5, 6]}),
    "numeric polars frame": pl.DataFrame({"a": [1, 2, 3], "b": [4, 5, 6]}),
    "mixed pandas frame": pd.DataFrame({"a": [1, 2, 3], "b": ["x", "y", "z"]}),
    "mixed polars frame": pl.DataFrame({"a": [1, 2, 3], "b": ["x", "y", "z"]}),
}


@pytest.mark.parametrize("objects", COLLECTIONS.values(), ids=COLLECTIONS)
def test_every_collection_is_counted_picked_and_held(objects):
    held = sample.hold(objects)
    assert sample.count(held) == 3
    assert sample.hold(held) is held or sample.count(sample.hold(held)) == 3
    back = sample.pick(held, [2, 0, 0])
    assert sample.count(back) == 3
    assert repr(sample.pick_one(back, 1)) == repr(sample.pick_one(held, 0))
    assert sample.count(sample.pick(held, slice(1, 3))) == 2


@pytest.mark.parametrize("name", ["equal lists", "equal arrays", "ragged lists", "dicts", "sets"])
def test_objects_stay_what_they_are(name):
    held = sample.hold(COLLECTIONS[name])
    assert held.shape == (3,)
    assert all(one is other for one, other in zip(held, COLLECTIONS[name], strict=True))


@pytest.mark.parametrize(
    ("objects", "advice"),
    [
        ("tea", r"\[object\]"),
        (b"tea", r"\[object\]"),
        (7, r"\[object\]"),
        ({"a"}, "no order"),
        ({"a": 1}, "no order"),
        ((x for x in "ab"), "list"),
    ],
)
def test_what_is_no_sequence_is_refused_with_the_way_out(objects, advice):
    with pytest.raises(InvalidInput, match=advice):
        sample.hold(objects)


def test_long_values_are_shortened():
    with pytest.raises(InvalidInput) as error:
        sample.hold("x" * 1000)
    assert len(str(error.value)) < 200
    assert error.value.value == "x" * 1000


@pytest.mark.parametrize("name", COLLECTIONS)
def test_joining_keeps_all_objects_in_order(name):
    held = sample.hold(COLLECTIONS[name])
    joined = sample.join(sample.pick(held, slice(0, 2)), sample.pick(held, [2, 0]))
    assert type(joined) is type(held)
    assert sample.count(joined) == 4
    for position, index in enumerate([0, 1, 2, 0]):
        assert repr(sample.pick_one(joined, position)) == repr(sample.pick_one(held, index))


def test_rows_that_python_holds_join_a_numeric_array():
    rows = np.zeros((2, 2))
    assert sample.join(rows, sample.hold([[1, 2], (3, 4)])).tolist() == [
        [0, 0],
        [0, 0],
        [1, 2],
        [3, 4],
    ]
    assert sample.join(np.arange(2), sample.hold([5])).tolist() == [0, 1, 5]
    for misfit in ([[1, 2, 3]], [[1], [1, 2]], ["tea"], [{1}]):
        joined = sample.join(rows, sample.hold(misfit))
        assert joined.dtype == object
        assert sample.count(joined) == 2 + len(misfit)


@pytest.mark.parametrize("dtype", [object, str])
def test_a_column_of_texts_is_unwrapped_as_imputers_make_it(dtype):
    column = np.array([["tea"], ["coffee"], ["rum"]], dtype=dtype)
    assert sample.hold(column).tolist() == ["tea", "coffee", "rum"]
    assert sample.hold(column, rows=True).shape == (3, 1)  # a table of one column stays one
    assert sample.hold(np.array([["tea", "cup"], ["rum", "glass"]], dtype=dtype)).shape == (
        2,
        2,
    )  # sequences of tokens
    assert sample.hold(np.array([["tea"], [None]], dtype=object)).shape == (2, 1)
    assert sample.hold(np.array([[1.0], [2.0]])).shape == (2, 1)


def test_only_frames_have_several_columns():
    assert sample.several_columns(pd.DataFrame({"a": ["x"], "b": ["y"]})) == ["a", "b"]
    assert sample.several_columns(pl.DataFrame({"a": ["x"], "b": ["y"]})) == ["a", "b"]
    for other in (pd.DataFrame({"a": ["x"]}), pd.Series(["x"]), np.zeros((2, 2)), ["x"]):
        assert sample.several_columns(other) == []
