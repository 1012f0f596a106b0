"""What is written comes back: random tables, JSON lines and arrays of every kind."""

import csv
import gzip
import json
import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

import wideberth

TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1)
LABELS = TEXT.filter(lambda label: bool(label.strip()))
NUMBERS = st.floats(allow_nan=False, allow_infinity=False)
SERIES = st.lists(NUMBERS, min_size=1)
unhurried = settings(deadline=None)  # a disk may take its time


@pytest.fixture(scope="module")
def folder():
    with tempfile.TemporaryDirectory() as name:
        yield Path(name)


def write_table(path, header, rows, *, encoding="utf-8", delimiter=","):
    compress = gzip.open if path.suffix == ".gz" else open
    with compress(path, "wt", encoding=encoding, newline="") as stream:
        writer = csv.writer(stream, delimiter=delimiter, quoting=csv.QUOTE_ALL)
        writer.writerows([header, *rows])
    return path


@unhurried
@given(
    rows=st.lists(st.tuples(TEXT, LABELS), min_size=1),
    encoding=st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "utf-32"]),
    form=st.sampled_from([("t.csv", ","), ("t.csv", ";"), ("t.csv", "|"), ("t.csv", "\t"), ("t.tsv", "\t"), ("t.csv.gz", ",")]),
    size=st.integers(1, 5),
)
def test_tables_of_strings(folder, rows, encoding, form, size):
    name, delimiter = form
    path = write_table(folder / name, ["text", "label"], rows, encoding=encoding, delimiter=delimiter)
    batches = list(wideberth.read_batches(path, column="text", kind="strings", size=size))
    assert [row for batch in batches for row in zip(batch.objects, batch.labels, strict=True)] == rows


@unhurried
@given(
    st.integers(1, 4).flatmap(lambda width: arrays.arrays(float, st.tuples(st.integers(1, 6), st.just(width)), elements=NUMBERS))
)
def test_tables_of_vectors(folder, matrix):
    header = [f"x{i}" for i in range(matrix.shape[1])]
    path = write_table(folder / "t.csv", [*header, "label"], [[*map(repr, map(float, row)), "a"] for row in matrix])
    np.testing.assert_array_equal(wideberth.read(path).objects, matrix)


@unhurried
@given(st.lists(SERIES, min_size=1), st.sampled_from([" ", ";", " ; ", None]))
def test_tables_of_series(folder, series, separator):
    cells = [[json.dumps(one) if separator is None else separator.join(map(repr, one))] for one in series]
    records = wideberth.read(write_table(folder / "t.csv", ["series"], cells), kind="series")
    assert [one.tolist() for one in records.objects] == series


@unhurried
@given(st.lists(st.frozensets(TEXT, min_size=1), min_size=1))
def test_tables_of_sets(folder, sets):
    path = write_table(folder / "t.csv", ["members"], [[json.dumps(sorted(members))] for members in sets])
    assert wideberth.read(path, kind="sets").objects == sets


VALUES = st.recursive(NUMBERS | TEXT | st.booleans(), lambda inner: st.lists(inner) | st.dictionaries(TEXT, inner), max_leaves=5)


@unhurried
@given(st.lists(st.tuples(VALUES, st.integers()), min_size=1), st.booleans())
def test_json_lines_of_anything(folder, rows, ascii_only):
    path = folder / "t.jsonl"
    lines = [json.dumps({"thing": thing, "label": label}, ensure_ascii=ascii_only) for thing, label in rows]
    path.write_text("\n".join(lines), encoding="utf-8")
    records = wideberth.read(path, kind="objects")
    assert list(zip(records.objects, records.labels, strict=True)) == rows


@unhurried
@given(st.lists(SERIES, min_size=1), st.sampled_from([".jsonl", ".jsonl.gz"]))
def test_json_lines_of_series(folder, series, ending):
    path = folder / f"t{ending}"
    content = "\n".join(map(json.dumps, series)).encode()
    path.write_bytes(gzip.compress(content) if ending.endswith("gz") else content)
    assert [one.tolist() for one in wideberth.read(path).objects] == series


@unhurried
@given(
    arrays.arrays(
        st.sampled_from([np.float64, np.float32, np.int16, np.bool_]),
        arrays.array_shapes(min_dims=2, max_dims=3),
        elements={"allow_nan": False, "allow_infinity": False},
    ),
    st.integers(1, 5),
)
def test_arrays_of_numbers(folder, array, size):
    np.savez(folder / "t.npz", X=array, y=np.arange(len(array)))
    batches = list(wideberth.read_batches(folder / "t.npz", size=size))
    np.testing.assert_array_equal(np.concatenate([batch.objects for batch in batches]), array)
    assert [label for batch in batches for label in batch.labels] == list(range(len(array)))
    assert batches[0].objects.dtype == array.dtype
