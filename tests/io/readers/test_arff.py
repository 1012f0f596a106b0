"""ARFF: declared attributes are what they are declared, quotes are taken off, and what is odd is
refused with its line.
"""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import wideberth
from wideberth.io.readers.formats.arff import arff_table

WEATHER = """% a comment
@RELATION 'the weather'

@ATTRIBUTE 'air temperature' NUMERIC
@attribute outlook {sunny, 'a bit rainy', "it\\'s foggy"}
@attribute station {1, 2}
@attribute note string
@attribute class {yes,no}
@DATA
20.5, sunny, 1, 'tea, with milk', yes
% another
?, 'a bit rainy', 2, ?, no
18,'it\\'s foggy',1,"x",yes
"""


def test_a_table_with_declared_columns(write):
    records = wideberth.read(write("weather.arff", WEATHER))
    assert records.kind == "rows"
    assert records.objects == [
        {"air temperature": 20.5, "outlook": "sunny", "station": "1", "note": "tea, with milk"},
        {"air temperature": None, "outlook": "a bit rainy", "station": "2", "note": None},
        {"air temperature": 18.0, "outlook": "it's foggy", "station": "1", "note": "x"},
    ]
    assert (records.labels, records.target, records.numbers) == (
        ["yes", "no", "yes"],
        "class",
        ("air temperature",),
    )


def test_numbers_alone_are_vectors_and_dates_are_days(write):
    declared = (
        "@relation r\n@attribute x real\n@attribute d date 'yyyy-MM-dd'\n@attribute y {a,b}\n"
    )
    records = wideberth.read(write("t.arff", declared + "@data\n1,1970-01-02,a\n2,1970-01-03,b\n"))
    assert (records.objects.tolist(), records.labels) == ([[1, 1], [2, 2]], ["a", "b"])


@pytest.mark.parametrize(
    ("old", "new", "complaint", "line"),
    [
        (
            "20.5, sunny",
            "warm, sunny",
            "'warm' in column 'air temperature' is not a number, as it is declared",
            10,
        ),
        ("20.5, sunny", "20.5, snowy", "'snowy' is not a declared value of 'outlook'", 10),
        ("20.5, sunny, 1,", "20.5, sunny,", "4 values in", 10),
        ("'tea, with milk'", "'tea, with milk", "cannot be split into values", 10),
        (
            "20.5, sunny, 1, 'tea, with milk', yes",
            "{0 20.5, 1 sunny}",
            "is a sparse row or has a weight",
            10,
        ),
        (
            "@attribute note string",
            "@attribute note relational",
            "declares no attribute that can be read",
            7,
        ),
        ("@attribute note string", "note string", "declares no attribute", 7),
        (
            "@attribute note string",
            "@attribute station string",
            "2 columns are called 'station'",
            7,
        ),
        ("@DATA", "", "declares no attribute", 10),
    ],
)
def test_what_is_odd_is_refused_with_its_line(write, refused, old, new, complaint, line):
    assert old in WEATHER
    path = write("t.arff", WEATHER.replace(old, new))
    with refused(path, complaint, line=line):
        wideberth.read(path)


@pytest.mark.parametrize(
    ("text", "complaint", "line"),
    [
        ("@relation r\n@data\n1\n", "no attributes", 2),
        ("@relation r\n@attribute x real\n", "there is no @data", None),
        ("@relation r\n@attribute x real\n@data\n", "no rows below @data", None),
    ],
)
def test_incomplete_files_are_refused(write, refused, text, complaint, line):
    path = write("t.arff", text)
    with refused(path, complaint, line=line):
        wideberth.read(path)


TEXT = st.text(
    st.characters(codec="utf-8", exclude_characters="\r\n\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029"),
    min_size=1,
)


@settings(deadline=None, max_examples=100)
@given(st.lists(st.tuples(TEXT, TEXT), min_size=1))
def test_quoted_values_come_back(rows):
    def quoted(value):
        escaped = value.replace("\\", "\\\\").replace("'", "\\'")
        return f"'{escaped}'"

    lines = [
        "@attribute a string",
        "@attribute b string",
        "@data",
        *(",".join(map(quoted, row)) for row in rows),
    ]
    assert [tuple(row.cells.values()) for row in arff_table(lines, "t.arff").rows] == rows
