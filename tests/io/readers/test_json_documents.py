"""JSON documents: lists of records, columns as pandas writes them, and JSON lines under their name."""

import json

import pytest

import wideberth

RECORDS = [{"word": "tea", "label": "a"}, {"word": "rum", "label": "b"}]


@pytest.mark.parametrize(
    "document",
    [
        json.dumps(RECORDS),
        json.dumps(RECORDS, indent=2),
        json.dumps({"name": "drinks", "data": RECORDS}),
        json.dumps({"word": {"0": "tea", "1": "rum"}, "label": {"0": "a", "1": "b"}}),
        json.dumps({"word": ["tea", "rum"], "label": ["a", "b"]}),
        "\n".join(map(json.dumps, RECORDS)),
    ],
)
def test_every_way_of_writing_records(write, document):
    records = wideberth.read(write("t.json", document))
    assert (records.objects, records.labels) == (["tea", "rum"], ["a", "b"])


def test_bare_values_and_gaps(write):
    assert wideberth.read(write("t.json", "[[1, 2], [3, 4]]")).kind == "series"
    path = write("t.json", '[{"x": 1, "z": 2.5}, {"x": null, "z": 3.5}]')
    assert wideberth.read(path).objects[1].tolist()[1] == 3.5


@pytest.mark.parametrize(
    ("document", "complaint", "line"),
    [
        ("[]", "no list of records", None),
        ('{"a": 1}', "no list of records", None),
        ("[1, 2", "not JSON", None),
        ('[{"word": "tea"}, 3]', "3 has no fields, unlike the first record", 2),
    ],
)
def test_what_is_no_list_of_records_is_refused(write, refused, document, complaint, line):
    path = write("t.json", document)
    with refused(path, complaint, line=line, unit="record"):
        wideberth.read(path)
