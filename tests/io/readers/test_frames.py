"""Tables in memory: frames of pandas and polars, tables of Arrow and whatever has its interface are
understood as the Parquet files that they could be written to.
"""

import datetime

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import wideberth
from wideberth.errors import InvalidInput
from wideberth.io.readers import read_batches

COLUMNS = {
    "id": [7, 8, 9],
    "drink": ["tea", "tea", "rum"],
    "price": [1.5, None, 4.0],
    "sold": [datetime.date(1970, 1, day) for day in (1, 2, 3)],
    "hot": [True, True, False],
    "label": ["a", "a", "b"],
}


class Capsule:
    """A table of which nothing is known but the Arrow interface."""

    def __init__(self, columns):
        self._table = pa.table(columns)

    def __arrow_c_stream__(self, requested_schema=None):
        return self._table.__arrow_c_stream__(requested_schema)


every_table = pytest.mark.parametrize(
    "make",
    [
        pd.DataFrame,
        pl.DataFrame,
        pa.table,
        lambda columns: pa.table(columns).to_reader(max_chunksize=1),
        pa.RecordBatch.from_pydict,
        Capsule,
    ],
    ids=["pandas", "polars", "arrow", "reader", "batch", "interface"],
)


def as_file(columns, folder):
    """What is read from the Parquet file of the same columns."""
    pq.write_table(pa.table(columns), folder / "t.parquet")
    return folder / "t.parquet"


def same(one, other):
    assert (one.kind, one.column, one.target, one.labels, one.names, one.understood) == (
        *(other.kind, other.column, other.target, other.labels, other.names, other.understood),
    )
    assert [plain(each) for each in one.objects] == [plain(each) for each in other.objects]


def plain(item):
    return item.tolist() if isinstance(item, np.ndarray) else item


@every_table
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"target": "drink"},
        {"column": ["price", "hot"], "kind": "rows"},
        {"column": "drink", "target": "hot", "groups": "label"},
        {"kind": "rows", "numbers": ["id", "price", "sold"]},
        {"column": "drink", "weight": "id", "keep_cells": True},
    ],
    ids=str,
)
def test_a_table_is_read_as_the_file_of_it(make, options, tmp_path):
    same(
        wideberth.read(make(COLUMNS), **options),
        wideberth.read(as_file(COLUMNS, tmp_path), **options),
    )


@every_table
def test_series_vectors_and_distances(make, tmp_path):
    for columns in (
        {"beat": [[1.0, 2.0], [3.0]], "label": ["a", "b"]},
        {"x": [1, 2], "z": [0.5, 4.0]},
        {"a": [0.0, 1.0, 2.0], "b": [1.0, 0.0, 3.0], "c": [2.0, 3.0, 0.0]},
        {"smiles": ["CCO", "O"], "label": [1, 2]},
        {"tree": ['["A", []]', '["B", [["C", []]]]'], "label": [1, 2]},
    ):
        same(wideberth.read(make(columns)), wideberth.read(as_file(columns, tmp_path)))


@every_table
def test_rows_are_positions_and_columns_have_names(make):
    with pytest.warns(UserWarning, match=r"^\w+: 1 of \d+ rows have no object.* in row 1\."):
        wideberth.read(make(COLUMNS), column="price")
    with pytest.raises(InvalidInput, match=r"there is no column 'prize'\. Did you mean 'price'\?"):
        wideberth.read(make(COLUMNS), column="prize")


@every_table
def test_a_row_that_cannot_be_read_is_skipped(make):
    records = wideberth.read(make(COLUMNS), column="price", on_error="skip")
    assert records.objects.tolist() == [[1.5], [4.0]]
    assert [each.line for each in records.skipped] == [1]


@every_table
def test_options_of_files_are_refused(make):
    for option in ("encoding", "sheet"):
        with pytest.raises(InvalidInput, match=option):
            wideberth.read(make(COLUMNS), **{option: "utf-8"})


@every_table
def test_a_table_without_rows_is_refused(make):
    empty = pa.schema([("word", pa.string()), ("label", pa.string())]).empty_table()
    with pytest.raises(InvalidInput, match=r"columns \('word', 'label'\) and no rows"):
        wideberth.read(make(empty.to_pydict()) if make is not pd.DataFrame else empty.to_pandas())


@every_table
def test_batches_and_labels_of_a_second_file(make, tmp_path):
    (tmp_path / "labels.csv").write_text("id,label\n9,x\n8,y\n7,z\n")
    columns = {"id": [7, 8, 9], "drink": ["tea", "milk", "rum"]}
    batches = list(
        read_batches(make(columns), size=2, column="drink", labels_from=tmp_path / "labels.csv")
    )
    assert [batch.labels for batch in batches] == [["z", "y"], ["x"]]


def test_categories_and_types_of_each_library():
    words = ["tea", "rum", "tea"]
    for column in (pd.Categorical(words), pd.array(words, dtype="string"), np.array(words)):
        assert wideberth.read(pd.DataFrame({"word": column})).objects == words
    for dtype in (pl.Categorical, pl.Enum(["tea", "rum"]), pl.String):
        assert (
            wideberth.read(pl.DataFrame({"word": pl.Series(words, dtype=dtype)})).objects == words
        )
    fixed = pl.DataFrame(
        {"beat": pl.Series([[1.0, 2.0], [3.0, 4.0]], dtype=pl.Array(pl.Float64, 2))}
    )
    assert [series.tolist() for series in wideberth.read(fixed).objects] == [[1.0, 2.0], [3.0, 4.0]]


def test_the_index_of_pandas_is_no_feature_unless_it_has_a_name():
    frame = pd.DataFrame({"x": [1.0, 2.0], "z": [3.0, 5.0]}, index=["one", "two"])
    assert wideberth.read(frame).objects.tolist() == [[1.0, 3.0], [2.0, 5.0]]
    frame.index.name = "name"
    assert wideberth.read(frame).names == ["one", "two"]


def test_what_no_column_can_hold_is_refused_with_a_way_out():
    trees = [["A", []], ["B", [["C", []]]]]
    with pytest.raises(InvalidInput, match="JSON texts"):
        wideberth.read(pd.DataFrame({"tree": trees, "label": [1, 2]}))
    frame = pd.DataFrame({"tree": ['["A", []]', '["B", [["C", []]]]'], "label": [1, 2]})
    assert wideberth.read(frame).objects == trees


def test_two_columns_of_one_name_and_one_column_alone_are_refused():
    with pytest.raises(InvalidInput, match="2 columns are called 'a'"):
        wideberth.read(pa.table([[1], [2]], names=["a", "a"]))
    for column in (pl.Series("word", ["tea"]), pd.Series(["tea"], name="word")):
        with pytest.raises(InvalidInput, match="Pass a frame with columns"):
            wideberth.read(column)


def test_what_is_neither_a_file_nor_a_table_is_refused():
    with pytest.raises(InvalidInput, match=r"is not the name of a file\. .* a frame of pandas"):
        wideberth.read({"word": ["tea"]})
