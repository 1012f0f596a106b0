"""Parquet: the rules of tables on typed columns, a batch at a time."""

import datetime
import decimal
import tracemalloc

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import wideberth
from wideberth.errors import InvalidInput
from wideberth.io.readers import read_batches

DAY = datetime.date(2024, 2, 29)


@pytest.fixture
def save(tmp_path):
    def save(columns, name="things.parquet", **options):
        path = tmp_path / name
        pq.write_table(pa.table(columns), path, **options)
        return path

    return save


def test_text_is_strings(save):
    records = wideberth.read(save({"id": [1, 2], "word": ["tea", "thé"], "label": ["en", "fr"]}))
    assert (records.objects, records.labels, records.kind) == (
        ["tea", "thé"],
        ["en", "fr"],
        "strings",
    )
    assert (records.column, records.target) == ("word", "label")


@pytest.mark.parametrize(
    "column",
    [
        pa.array([1, 2], pa.int8()),
        pa.array([1, 2], pa.uint64()),
        pa.array([1, 2], pa.float16()),
        pa.array([1, 2], pa.float32()),
        pa.array([decimal.Decimal("1.00"), decimal.Decimal("2.00")]),
        pa.array([1, 2]).dictionary_encode(),
    ],
    ids=lambda column: str(column.type),
)
def test_numbers_are_vectors(save, column):
    records = wideberth.read(save({"a": column, "b": [0.5, 1.5], "c": [True, False], "y": [3, 4]}))
    np.testing.assert_array_equal(records.objects, [[1, 0.5, 1], [2, 1.5, 0]])
    assert (records.kind, records.labels) == ("vectors", [3, 4])


@pytest.mark.parametrize(
    "labels",
    [
        ["a", "b"],
        [1, 2],
        [0.5, 1.5],
        [True, False],
        pa.array(["a", "b"]).dictionary_encode(),
        pa.array([1, 2], pa.int8()),
    ],
)
def test_labels_are_kept_as_they_are(save, labels):
    assert (
        wideberth.read(save({"word": ["x", "y"], "label": labels})).labels
        == pa.array(labels).to_pylist()
    )


@pytest.mark.parametrize(
    "type_", [pa.string(), pa.large_string(), pa.dictionary(pa.int8(), pa.string())], ids=str
)
def test_every_type_of_text(save, type_):
    assert wideberth.read(save({"word": pa.array(["tea", "thé"]).cast(type_)})).objects == [
        "tea",
        "thé",
    ]


@pytest.mark.parametrize(
    ("column", "shapes"),
    [
        (pa.array([[1.0, 2], [3]]), [(2,), (1,)]),
        (pa.array([[1, 2], [3]], pa.large_list(pa.int64())), [(2,), (1,)]),
        (pa.array([[1, 2], [3, 4]], pa.list_(pa.int64(), 2)), [(2,), (2,)]),
        (pa.array([[[1, 2], [3, 4]], [[1], [2]]]), [(2, 2), (2, 1)]),
    ],
    ids=["list", "large", "fixed", "channels"],
)
def test_lists_of_numbers_are_series(save, column, shapes):
    records = wideberth.read(save({"beat": column, "label": ["a", "b"]}))
    assert (records.kind, [series.shape for series in records.objects]) == ("series", shapes)


def test_lists_of_text_can_be_sets(save):
    path = save({"spices": [["salt", "pepper"], []]})
    assert wideberth.read(path, kind="sets").objects == [{"salt", "pepper"}, frozenset()]


def test_rows_mix_numbers_text_and_nothing(save):
    records = wideberth.read(
        save({"age": [30, None], "city": ["Ulm", None], "member": [True, None], "label": [1, 2]}),
        kind="rows",
    )
    assert records.objects == [
        {"age": 30.0, "city": "Ulm", "member": "True"},
        {"age": None, "city": None, "member": None},
    ]
    assert records.numbers == ("age",)


def test_molecules_graphs_and_trees_are_known_by_name(save):
    assert wideberth.read(save({"smiles": ["CCO"], "name": ["ethanol"]})).kind == "molecules"
    records = wideberth.read(save({"nodes": [["C", "O"]], "edges": [[[0, 1]]], "label": ["a"]}))
    assert (records.kind, records.objects) == ("graphs", [{"nodes": ["C", "O"], "edges": [[0, 1]]}])
    records = wideberth.read(save({"tree": ['["A", [["B", []]]]'], "label": ["a"]}))
    assert (records.kind, records.objects) == ("trees", [["A", [["B", []]]]])


def test_what_pandas_and_polars_write_is_read(tmp_path):
    frame = pd.DataFrame(
        {"a": [1.5, 2.5], "b": [3, 4], "label": pd.Categorical(["x", "y"])}, index=[7, 9]
    )
    frame.to_parquet(tmp_path / "pandas.parquet")
    records = wideberth.read(tmp_path / "pandas.parquet")
    assert (records.column, records.labels) == (
        ("a", "b"),
        ["x", "y"],
    )  # without the index, which has no name
    assert wideberth.read(
        tmp_path / "pandas.parquet", column="__index_level_0__"
    ).objects.tolist() == [[7], [9]]
    pl.DataFrame(
        {"word": ["tea", "rum"], "label": pl.Series(["x", "y"], dtype=pl.Categorical)}
    ).write_parquet(tmp_path / "p.parquet")
    assert wideberth.read(tmp_path / "p.parquet").objects == ["tea", "rum"]


@pytest.mark.parametrize(
    ("value", "shown"),
    [(b"tea", "binary"), ({"x": 1}, "struct<x: int64>"), ([DAY], "list<element: date32")],
)
def test_other_types_are_refused_where_they_are_read(save, refused, value, shown):
    path = save({"word": ["tea"], "when": [value], "label": ["a"]})
    with refused(path, f"column 'when' holds {shown}"):
        wideberth.read(path)
    with refused(
        path, f"column 'when' holds {shown}", "Write it as text or as numbers", "column=..."
    ):
        wideberth.read(path, column="when")
    with refused(path, f"column 'when' holds {shown}", "target=..."):
        wideberth.read(path, column="word", target="when")
    with refused(path, f"column 'when' holds {shown}"):
        wideberth.read(path, kind="rows")
    assert wideberth.read(path, column="word").objects == ["tea"]
    alone = save({"when": [value]})
    with refused(alone, f"column 'when' holds {shown}"):
        wideberth.read(alone)


def test_a_date_beside_molecules_does_no_harm(save):
    assert wideberth.read(save({"smiles": ["CCO"], "when": [DAY], "label": ["a"]})).objects == [
        "CCO"
    ]


def test_a_label_of_another_type_is_left_alone_if_nobody_wants_it(save, refused):
    path = save({"word": ["tea"], "label": [b"a"]})
    with refused(path, "column 'label' holds binary", "target=..."):
        wideberth.read(path)
    assert next(read_batches(path, labels=False)).objects == ["tea"]


def test_dates_are_days(save, refused):
    moment = datetime.datetime(1970, 1, 2, 12, tzinfo=datetime.UTC)
    path = save({"day": [datetime.date(1970, 1, 3)], "moment": [moment], "label": ["a"]})
    records = wideberth.read(path)
    assert (records.objects.tolist(), records.kind) == ([[2.0, 1.5]], "vectors")
    assert [use.use for use in records.understood] == ["date", "date", "label"]
    path = save({"word": ["tea"], "label": [DAY]})
    with refused(path, "in column 'label' is not a label", line=1, value=DAY, unit="row"):
        wideberth.read(path)


@pytest.mark.parametrize(
    ("columns", "complaint", "row", "value"),
    [
        ({"x": [1.0, 2.0, float("inf")]}, "inf in column 'x' is not a number", 3, float("inf")),
        (
            {"x": [[1.0], [2.0], [None]]},
            "[None] in column 'x' is not a series of numbers",
            3,
            [None],
        ),
        (
            {"x": [[[1, 2], [3, 4]], [[1, 2], [3]]]},
            "[[1, 2], [3]] in column 'x' is not a series of numbers",
            2,
            [[1, 2], [3]],
        ),
    ],
)
def test_odd_cells_are_refused_with_their_row(save, refused, columns, complaint, row, value):
    path = save(columns)
    with refused(path, complaint, line=row, value=value, unit="row"):
        wideberth.read(path, kind="series" if isinstance(columns.get("x", [0])[0], list) else None)


@pytest.mark.parametrize("lacking", [None, ""])
def test_rows_without_object_or_label_are_left_out(save, lacking):
    path = save({"word": ["tea", lacking], "label": ["a", "b"]})
    with pytest.warns(UserWarning, match="1 of 2 rows have no object in 'word'.*in row 2"):
        assert wideberth.read(path).objects == ["tea"]
    path = save({"word": ["tea", "rum"], "label": ["a", lacking]})
    with pytest.warns(UserWarning, match="1 of 2 rows have no label in 'label'.*in row 2"):
        assert wideberth.read(path).objects == ["tea"]


def test_a_late_row_has_its_number(save, refused):
    path = save({"x": [1.0] * 5000 + [float("inf")]})
    batches = read_batches(path, size=1000)
    assert len(next(batches)) == 1000
    with refused(path, "inf in column 'x' is not a number", line=5001, unit="row"):
        list(batches)


def test_batches_joined_are_the_whole(save):
    path = save({"a": range(5000), "label": [i % 7 for i in range(5000)]}, row_group_size=700)
    batches = list(read_batches(path, size=999))
    assert [label for batch in batches for label in batch.labels] == wideberth.read(path).labels
    np.testing.assert_array_equal(
        np.concatenate([batch.objects for batch in batches])[:, 0], np.arange(5000)
    )


@pytest.mark.slow
def test_memory_does_not_grow_with_the_file(save):
    def peak(rows):
        path = save({"word": ["tea"] * rows}, row_group_size=500)
        tracemalloc.start()
        try:
            assert sum(len(batch) for batch in read_batches(path, size=250)) == rows
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    peak(1_000)  # what is only set up once does not count
    assert peak(16_000) < 1.1 * peak(8_000)


def test_names_are_checked(save, refused):
    path = save({"word": ["tea"], "language": ["en"]})
    with refused(path, "Did you mean 'language'? It has 'word', 'language'", value="langauge"):
        wideberth.read(path, target="langauge")
    assert wideberth.read(path, target="language").labels == ["en"]
    path = save({"a.b": [1], "a": [2]})
    assert wideberth.read(path, column="a").objects.tolist() == [[2]]
    assert wideberth.read(path, column="a.b").objects.tolist() == [[1]]


def test_two_columns_of_one_name_are_refused(save, refused):
    path = save(pa.table([[1], [2]], names=["a", "a"]))
    with refused(path, "2 columns are called 'a'", value="a"):
        wideberth.read(path)


def test_a_file_without_rows_is_refused(save, refused):
    path = save({"word": pa.array([], pa.string())})
    with refused(path, "columns ('word') and no rows", value=["word"]):
        wideberth.read(path)


def test_damaged_files_are_refused(save, refused):
    path = save({"word": [f"word {i}" for i in range(1000)]})
    whole = path.read_bytes()
    for content in (whole[:-100], b"tea", whole[:50] + b"\xff" * 200 + whole[250:]):
        path.write_bytes(content)
        with refused(path, "the Parquet file is damaged", "to_parquet"):
            wideberth.read(path)


def test_parquet_has_no_encoding(save):
    with pytest.raises(InvalidInput, match="no encoding"):
        wideberth.read(save({"word": ["tea"]}), encoding="utf-8")
