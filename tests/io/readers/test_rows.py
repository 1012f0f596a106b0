"""Whole rows of mixed tables: numbers, text, and None where nothing stands."""

import pytest

import wideberth
from wideberth.errors import InvalidInput
from wideberth.io.readers import read_batches

PEOPLE = "age,city,member,label\n30,Ulm,True,a\n,Bonn,False,b\n40.5,,True,a\n"
ROWS = [
    {"age": 30.0, "city": "Ulm", "member": "True"},
    {"age": None, "city": "Bonn", "member": "False"},
    {"age": 40.5, "city": None, "member": "True"},
]
JSON = (
    '{"age": 30, "city": "Ulm", "member": true, "label": "a"}\n'
    '{"city": "Bonn", "member": false, "label": "b"}\n'
    '{"age": 40.5, "city": null, "member": true, "label": "a"}\n'
)


@pytest.mark.parametrize(
    ("name", "text"), [("t.csv", PEOPLE), ("t.tsv", PEOPLE.replace(",", "\t")), ("t.jsonl", JSON)]
)
def test_rows_are_dicts_of_numbers_and_text(write, name, text):
    records = wideberth.read(write(name, text), kind="rows")
    assert (records.objects, records.labels, records.kind) == (ROWS, ["a", "b", "a"], "rows")
    assert (records.column, records.numbers) == (("age", "city", "member"), ("age",))
    batches = list(read_batches(write(name, text), kind="rows", size=2))
    assert [row for batch in batches for row in batch.objects] == ROWS


def test_one_column_makes_rows_too(write):
    assert wideberth.read(write("t.csv", "city,label\nUlm,a\n"), kind="rows").objects == [
        {"city": "Ulm"}
    ]
    assert wideberth.read(write("t.csv", PEOPLE), kind="rows", column=["city", "age"]).objects[
        0
    ] == {"city": "Ulm", "age": 30.0}


def test_several_columns_are_rows(write):
    records = wideberth.read(write("t.csv", PEOPLE))
    assert (records.kind, records.objects) == ("rows", ROWS)


def test_series_in_a_table_are_text(write):
    assert wideberth.read(write("t.csv", "a,b\n1 2,3\n"), kind="rows").objects == [
        {"a": "1 2", "b": 3.0}
    ]


def test_numbers_may_be_categories(write):
    path = write("t.csv", "zip,age\n07745,30\n89073,40\n")
    told = wideberth.read(path, kind="rows")
    assert told.objects[0] == {"zip": "07745", "age": 30.0}
    assert told.understood[0].why.startswith("codes with zeros in front")
    numbers = wideberth.read(path, kind="rows", numbers=["zip", "age"]).objects
    assert numbers[0] == {"zip": 7745.0, "age": 30.0}
    for zips in (["7745", "89073"], ["07", "12"]):
        lines = "".join(f"{each},30,u\n" for each in zips)
        assert wideberth.read(write("n.csv", "zip,age,c\n" + lines)).objects[0]["zip"] in (7745, 7)
    records = wideberth.read(path, kind="rows", numbers=["age"])
    assert records.objects[0] == {"zip": "07745", "age": 30.0}
    assert records.numbers == ("age",)
    assert wideberth.read(path, kind="rows", numbers="age").objects == records.objects
    assert wideberth.read(path, kind="rows", numbers=[]).objects[0] == {"zip": "07745", "age": "30"}
    path = write(
        "t.jsonl", '{"code": 7, "age": 30, "ok": true}\n{"code": "x", "age": 40, "ok": null}\n'
    )
    told = wideberth.read(path, kind="rows", numbers=["age"]).objects
    assert told == [
        {"code": "7", "age": 30.0, "ok": "True"},
        {"code": "x", "age": 40.0, "ok": None},
    ]


def test_numbers_belong_to_rows_and_must_be_there(write, refused):
    path = write("t.csv", PEOPLE)
    with pytest.raises(InvalidInput, match=r"numbers=\['age'\] names columns of rows"):
        wideberth.read(path, numbers=["age"])
    with refused(path, "there is no column 'agee'. Did you mean 'age'?", value="agee"):
        wideberth.read(path, kind="rows", numbers=["agee"])


@pytest.mark.parametrize(
    ("name", "text", "complaint", "line", "value"),
    [
        ("t.csv", "age,city\n1,a\n2,b\nold,c\n", "'old' in column 'age' is not a number", 4, "old"),
        (
            "t.jsonl",
            '{"city": "a"}\n{"city": "b"}\n{"city": [1]}\n',
            "[1] in column 'city' is not text",
            3,
            [1],
        ),
        (
            "t.jsonl",
            '{"age": 1}\n{"age": 2}\n{"age": "x"}\n',
            "'x' in column 'age' is not a number",
            3,
            "x",
        ),
    ],
)
def test_odd_cells_are_refused_and_may_be_empty_or_text(
    write, refused, name, text, complaint, line, value
):
    path = write(name, text)
    with refused(
        path,
        complaint,
        "say that it stands for an unknown value, missing=",
        "numbers=[...]",
        line=line,
        value=value,
    ):
        wideberth.read(path, kind="rows")


def test_columns_of_numbers_are_not_advised_to_who_has_named_them(write):
    path = write("t.csv", "age,city\n1,a\n2,b\nold,c\n")
    with pytest.raises(InvalidInput) as refusal:
        wideberth.read(path, kind="rows", numbers=["age"])
    assert "numbers=" not in str(refusal.value)
    assert "missing=['old']" in str(refusal.value)
    found = wideberth.read(path, kind="rows", numbers=["age"], missing=["old"])
    assert found.objects[2]["age"] is None


def test_none_among_words_is_missing_and_the_advice_makes_it_a_category(write):
    path = write("t.csv", "bags,size\nNone,1\nDriver,2\nBoth,NA\nNone,4\n")
    found = wideberth.read(path, kind="rows")
    assert found.objects[0]["bags"] is None
    assert "missing=['', 'NA'] makes it a value" in found.understood[0].why
    other = wideberth.read(path, kind="rows", missing=["", "NA"])
    assert other.objects[0]["bags"] == "None"
    assert other.objects[2]["size"] is None
    assert "makes it" not in other.understood[0].why


@pytest.mark.parametrize("name", ["t.jsonl", "t.json"])
def test_a_field_that_comes_late_is_missing_before(write, name):
    rows = ['{"a": 1}'] * 300 + ['{"a": 1, "b": 2}']
    text = "\n".join(rows) if name == "t.jsonl" else f"[{', '.join(rows)}]"
    found = wideberth.read(write(name, text), kind="rows")
    assert [row["b"] for row in found.objects[299:]] == [None, 2.0]


def test_a_field_that_comes_too_late_is_refused_until_the_columns_are_named(
    write, refused, monkeypatch
):
    monkeypatch.setattr("wideberth.io.readers.reading.MOST_LOOKED_AT", 50)
    path = write("t.jsonl", '{"a": 1}\n' * 300 + '{"a": 1, "b": 2}\n')
    with refused(
        path,
        "column 'b' is not in the rows at the beginning of the file",
        "column=[...]",
        line=301,
        value="b",
    ):
        wideberth.read(path, kind="rows")
    assert len(wideberth.read(path, kind="rows", column=["a"])) == 301
