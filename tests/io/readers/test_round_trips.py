"""What is written comes back: random tables, JSON lines and arrays of every kind."""

import csv
import gzip
import json
import shutil
import tempfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

import wideberth
from wideberth.io.readers import read_batches
from wideberth.io.readers.missing import MissingWords

TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1)
LABELS = TEXT.filter(lambda label: not MissingWords().in_labels(label))
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
    form=st.sampled_from(
        [
            ("t.csv", ","),
            ("t.csv", ";"),
            ("t.csv", "|"),
            ("t.csv", "\t"),
            ("t.tsv", "\t"),
            ("t.csv.gz", ","),
        ]
    ),
    size=st.integers(1, 5),
)
def test_tables_of_strings(folder, rows, encoding, form, size):
    name, delimiter = form
    path = write_table(
        folder / name, ["text", "label"], rows, encoding=encoding, delimiter=delimiter
    )
    batches = list(read_batches(path, column="text", kind="strings", size=size, exact_labels=True))
    assert [
        row for batch in batches for row in zip(batch.objects, batch.labels, strict=True)
    ] == rows


@unhurried
@given(
    st.integers(1, 4).flatmap(
        lambda width: arrays.arrays(
            float, st.tuples(st.integers(1, 6), st.just(width)), elements=NUMBERS
        )
    )
)
def test_tables_of_vectors(folder, matrix):
    header = [f"x{i}" for i in range(matrix.shape[1])]
    path = write_table(
        folder / "t.csv", [*header, "label"], [[*map(repr, map(float, row)), "a"] for row in matrix]
    )
    np.testing.assert_array_equal(wideberth.read(path).objects, matrix)


@unhurried
@given(st.lists(SERIES, min_size=1), st.sampled_from([" ", ";", " ; ", None]))
def test_tables_of_series(folder, series, separator):
    cells = [
        [json.dumps(one) if separator is None else separator.join(map(repr, one))] for one in series
    ]
    records = wideberth.read(write_table(folder / "t.csv", ["series"], cells), kind="series")
    assert [one.tolist() for one in records.objects] == series


@unhurried
@given(st.lists(st.frozensets(TEXT, min_size=1), min_size=1))
def test_tables_of_sets(folder, sets):
    path = write_table(
        folder / "t.csv", ["members"], [[json.dumps(sorted(members))] for members in sets]
    )
    assert wideberth.read(path, kind="sets").objects == sets


VALUES = st.recursive(
    NUMBERS | TEXT | st.booleans(),
    lambda inner: st.lists(inner) | st.dictionaries(TEXT, inner),
    max_leaves=5,
)


@unhurried
@given(st.lists(st.tuples(VALUES, st.integers()), min_size=1), st.booleans())
def test_json_lines_of_anything(folder, rows, ascii_only):
    path = folder / "t.jsonl"
    lines = [
        json.dumps({"thing": thing, "label": label}, ensure_ascii=ascii_only)
        for thing, label in rows
    ]
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
    batches = list(read_batches(folder / "t.npz", size=size))
    np.testing.assert_array_equal(np.concatenate([batch.objects for batch in batches]), array)
    assert [label for batch in batches for label in batch.labels] == list(range(len(array)))
    assert batches[0].objects.dtype == array.dtype


RESIDUES = st.text("ACGTacgtNX*-", min_size=1)
WORDS = st.text("tea7é茶", min_size=1, max_size=4)
brief = settings(deadline=None, max_examples=40)


@brief
@given(
    st.lists(st.tuples(WORDS, WORDS, RESIDUES), min_size=1),
    st.integers(1, 7),
    st.sampled_from(["\n", "\r\n", "\n\n", "\n;comment\n", " \n"]),
    st.sampled_from(["label={}", "[label={}]", 'label="{}"', "two words label={} [x=y]"]),
    st.sampled_from([".fa", ".fasta.gz"]),
)
def test_fasta(folder, records, width, ending, form, suffix):
    text = ""
    for name, label, sequence in records:
        wrapped = [sequence[start : start + width] for start in range(0, len(sequence), width)]
        text += ending.join([f">{name} {form.format(label)}", *wrapped, ""])
    path = folder / f"t{suffix}"
    path.write_bytes(gzip.compress(text.encode()) if suffix.endswith("gz") else text.encode())
    batches = list(read_batches(path, size=width))
    assert [item for batch in batches for item in batch.objects] == [
        sequence for _, _, sequence in records
    ]
    assert [label for batch in batches for label in batch.labels] == [
        label for _, label, _ in records
    ]
    assert wideberth.read(path, column="id", kind="strings").objects == [
        name for name, _, _ in records
    ]


@brief
@given(
    st.integers(1, 3).flatmap(
        lambda channels: st.lists(
            arrays.arrays(float, st.tuples(st.just(channels), st.integers(1, 5)), elements=NUMBERS),
            min_size=1,
        )
    ),
    st.integers(1, 3),
)
def test_ts_files(folder, cases, size):
    lines = [
        ":".join(",".join(map(repr, map(float, channel))) for channel in case) + f":c{len(case[0])}"
        for case in cases
    ]
    (folder / "t.ts").write_text("\n".join(["@classLabel true c1 c2 c3 c4 c5", "@data", *lines]))
    batches = list(read_batches(folder / "t.ts", size=size))
    read = [series for batch in batches for series in batch.objects]
    for case, series in zip(cases, read, strict=True):
        np.testing.assert_array_equal(series, case if len(case) > 1 else case[0])
    assert [label for batch in batches for label in batch.labels] == [
        f"c{case.shape[1]}" for case in cases
    ]


@brief
@given(st.lists(st.tuples(st.integers(-3, 9), SERIES), min_size=1))
def test_ucr_tables(folder, rows):
    width = max(len(series) for _, series in rows)
    padded = [
        [str(label), *map(repr, series), *["NaN"] * (width - len(series))] for label, series in rows
    ]
    (folder / "t.tsv").write_text("\n".join("\t".join(row) for row in padded))
    records = wideberth.read(folder / "t.tsv")
    assert [series.tolist() for series in records.objects] == [series for _, series in rows]
    assert records.labels == [str(label) for label, _ in rows]


@brief
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["C", "CCO", "c1ccccc1", "[Na+].[Cl-]", "N#N", "C[C@H](N)O"]),
            st.none() | WORDS,
        ),
        min_size=1,
    )
)
def test_smiles_files(folder, molecules):
    (folder / "t.smi").write_text(
        "\n".join(smiles + (f"\t{name}" if name else "") for smiles, name in molecules),
        encoding="utf-8",
    )
    assert wideberth.read(folder / "t.smi").objects == [smiles for smiles, _ in molecules]


TREES = st.recursive(
    st.tuples(WORDS, st.just([])).map(list),
    lambda inner: st.tuples(WORDS, st.lists(inner)).map(list),
    max_leaves=8,
)


def as_dicts(tree):
    label, children = tree
    return (
        {"label": label, "children": [as_dicts(child) for child in children]}
        if children
        else {"label": label}
    )


@brief
@given(st.lists(st.tuples(TREES, WORDS), min_size=1), st.booleans())
def test_trees(folder, rows, dicts):
    lines = [
        json.dumps({"tree": as_dicts(tree) if dicts else tree, "label": label})
        for tree, label in rows
    ]
    (folder / "t.jsonl").write_text("\n".join(lines))
    records = wideberth.read(folder / "t.jsonl")
    assert (records.kind, records.objects, records.labels) == (
        "trees",
        [tree for tree, _ in rows],
        [label for _, label in rows],
    )


@st.composite
def graphs(draw):
    labels = draw(st.lists(WORDS | st.integers(), min_size=1, max_size=4))
    node = st.integers(0, len(labels) - 1)
    if draw(st.booleans()):
        return {"nodes": labels, "edges": draw(st.lists(st.lists(node, min_size=2, max_size=2)))}
    return {
        "nodes": labels,
        "neighbors": draw(st.lists(st.lists(node), min_size=len(labels), max_size=len(labels))),
    }


@brief
@given(st.lists(graphs(), min_size=1))
def test_graphs(folder, all_graphs):
    for joined in ("edges", "neighbors"):
        some = [graph for graph in all_graphs if joined in graph]
        if some:
            (folder / "t.jsonl").write_text(
                "\n".join(json.dumps({**graph, "label": 1}) for graph in some)
            )
            records = wideberth.read(folder / "t.jsonl")
            assert (records.kind, records.objects) == ("graphs", some)


MIXED = st.fixed_dictionaries({"age": st.none() | NUMBERS, "city": st.none() | TEXT})


@brief
@given(st.lists(MIXED, min_size=1), st.sampled_from(["csv", "jsonl", "parquet"]))
def test_rows(folder, rows, ending):
    path = folder / f"t.{ending}"
    if ending == "csv":
        write_table(
            path,
            ["age", "city"],
            [["" if row[name] is None else row[name] for name in ("age", "city")] for row in rows],
        )
    elif ending == "jsonl":
        path.write_text("\n".join(map(json.dumps, rows)))
    else:
        pq.write_table(
            pa.Table.from_pylist(
                rows, schema=pa.schema({"age": pa.float64(), "city": pa.string()})
            ),
            path,
        )
    assert wideberth.read(path, kind="rows", numbers=["age"]).objects == rows


@brief
@given(st.lists(st.tuples(NUMBERS, TEXT, SERIES, LABELS), min_size=1), st.integers(1, 5))
def test_parquet(folder, rows, size):
    columns = dict(
        zip(("number", "text", "series", "label"), map(list, zip(*rows, strict=True)), strict=True)
    )
    pq.write_table(pa.table(columns), folder / "t.parquet", row_group_size=3)
    for column in ("number", "text", "series"):
        batches = list(
            read_batches(folder / "t.parquet", column=column, size=size, exact_labels=True)
        )
        objects = [item for batch in batches for item in batch.objects]
        assert [item if column == "text" else item.tolist() for item in objects] == [
            [value] if column == "number" else value for value in columns[column]
        ]
        assert [label for batch in batches for label in batch.labels] == columns["label"]


@brief
@given(
    st.dictionaries(
        st.sampled_from(["a", "b b", "é"]),
        st.lists(TEXT.filter(lambda text: "\r" not in text), min_size=1),
        min_size=1,
    ),
    st.sampled_from(["utf-8", "utf-8-sig", "utf-16"]),
    st.integers(1, 5),
)
def test_directories(folder, texts, encoding, size):
    shutil.rmtree(folder / "texts", ignore_errors=True)
    for label, contents in texts.items():
        (folder / "texts" / label).mkdir(parents=True)
        for number, text in enumerate(contents):
            (folder / "texts" / label / f"{number:03}").write_bytes(f"{text}\n".encode(encoding))
    batches = list(read_batches(folder / "texts", size=size))
    assert [
        pair for batch in batches for pair in zip(batch.objects, batch.labels, strict=True)
    ] == [(text.removeprefix("\ufeff"), label) for label in sorted(texts) for text in texts[label]]
