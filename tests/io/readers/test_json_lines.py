"""JSON lines: fields or bare values, what is found in them and what is refused."""

import numpy as np
import pytest

import wideberth


def lines(*values):
    return "".join(f"{value}\n" for value in values)


@pytest.mark.parametrize("ending", ["jsonl", "ndjson"])
def test_fields_are_columns(write, ending):
    path = write(
        f"drinks.{ending}",
        lines('{"word": "tea", "size": 2, "label": "en"}', "", '{"label": "fr", "word": "thé"}'),
    )
    records = wideberth.read(path)
    assert (records.objects, records.labels) == (
        [{"word": "tea", "size": 2.0}, {"word": "thé", "size": None}],
        ["en", "fr"],
    )
    assert (records.kind, records.column, records.target) == ("rows", ("word", "size"), "label")
    named = wideberth.read(path, column="word")
    assert (named.objects, named.kind) == (["tea", "thé"], "strings")


@pytest.mark.parametrize(
    ("first", "second", "kind"),
    [
        ('"tea"', '"milk"', "strings"),
        ("[1, 2]", "[3]", "series"),
        ("[[1, 2], [3, 4]]", "[[1], [2]]", "series"),
        ('["a", "b"]', "[]", "objects"),
        ('["root", [["leaf", []]]]', '["root", []]', "objects"),
        ("[[1], [0, 2]]", "[[]]", "objects"),
    ],
)
def test_bare_values_are_objects_without_labels(write, first, second, kind):
    records = wideberth.read(write("things.jsonl", lines(first, second)))
    assert (records.kind, len(records), records.labels) == (kind, 2, None)


def test_fields_of_numbers_are_vectors(write):
    records = wideberth.read(
        write("sizes.jsonl", lines('{"a": 1, "b": 2.5, "y": 0}', '{"b": 4, "a": 3, "y": 1}'))
    )
    np.testing.assert_array_equal(records.objects, [[1, 2.5], [3, 4]])
    assert records.labels == [0, 1]


def test_lists_can_be_vectors_sets_or_a_distance_matrix(write):
    path = write(
        "points.jsonl", lines('{"x": [0, 1], "label": true}', '{"x": [1, 0], "label": false}')
    )
    assert wideberth.read(path, kind="vectors").objects.tolist() == [[0, 1], [1, 0]]
    assert wideberth.read(path, kind="distances").kind == "distances"
    assert wideberth.read(path, kind="sets").objects == [{0, 1}, {0, 1}]
    assert wideberth.read(path).labels == [True, False]


def test_an_empty_list_can_be_a_set(write):
    assert wideberth.read(write("meals.jsonl", lines('["salt"]', "[]")), kind="sets").objects == [
        {"salt"},
        frozenset(),
    ]


def test_whole_records_can_be_objects(write):
    path = write(
        "graphs.jsonl",
        lines(
            '{"nodes": [1], "edges": [], "size": 1, "label": "a"}',
            '{"nodes": [2], "new": 3, "label": "b"}',
        ),
    )
    assert wideberth.read(path, kind="objects").objects == [
        {"nodes": [1], "edges": [], "size": 1},
        {"nodes": [2], "new": 3},
    ]


def test_dicts_are_objects(write):
    records = wideberth.read(write("graphs.jsonl", lines('{"graph": {"a": ["b"]}, "label": "x"}')))
    assert (records.objects, records.kind) == ([{"a": ["b"]}], "objects")


@pytest.mark.parametrize(
    ("broken", "reason"),
    [
        ('{"word": "tea" "label": 1}', "column 16: Expecting ',' delimiter) in"),
        ('{"word": NaN}', "NaN is not a JSON number"),
        ('{"word": "a", "word": "b"}', "field 'word' twice"),
        ("[" * 100_000, "nested too deeply"),
        ('{"word": ' + "1" * 5000 + "}", "Exceeds the limit"),
    ],
    ids=["syntax", "constant", "twice", "nested", "digits"],
)
def test_what_is_not_json_is_refused_with_line_and_text(write, refused, broken, reason):
    path = write("drinks.jsonl", lines('{"word": "tea"}', broken))
    with refused(path, reason, "one whole JSON value", line=2, value=broken):
        wideberth.read(path)


def test_the_text_around_a_mistake_is_shown(write, refused):
    path = write("drinks.jsonl", '{"word": "' + "x" * 500 + '", "label": en}\n')
    with refused(path, '"label": en}', line=1):
        wideberth.read(path)


@pytest.mark.parametrize(
    ("first", "second", "complaint"),
    [('{"word": "tea"}', '"milk"', "has no fields"), ('"milk"', '{"word": "tea"}', "has fields")],
)
def test_records_and_bare_values_do_not_mix(write, refused, first, second, complaint):
    path = write("drinks.jsonl", lines(first, second))
    with refused(path, complaint, line=2):
        wideberth.read(path)


def test_records_with_missing_and_null_fields_are_left_out(write):
    missing = write("drinks.jsonl", lines('{"word": "tea", "label": "en"}', '{"label": "fr"}'))
    with pytest.warns(UserWarning, match="1 of 2 rows have no object in 'word'.*in line 2"):
        assert wideberth.read(missing).objects == ["tea"]
    null = write(
        "drinks.jsonl", lines('{"word": "tea", "label": "en"}', '{"word": "thé", "label": null}')
    )
    with pytest.warns(UserWarning, match="1 of 2 rows have no label in 'label'.*in line 2"):
        assert wideberth.read(null).labels == ["en"]


@pytest.mark.parametrize(
    ("first", "second", "complaint", "value"),
    [
        ('"tea"', "5", "5 in column 'value' is not text", 5),
        ("1", "true", "True in column 'value' is not a number", True),
        ("1", "1" + "0" * 400, "is not a number", 10**400),
        (
            "[1, 2]",
            "[1, null]",
            "[1, None] in column 'value' is not a series of numbers",
            [1, None],
        ),
        ("[1, 2]", "[1" + "0" * 400 + "]", "is not a series of numbers", [10**400]),
        ("[1, 2]", "[]", "is not a series of numbers", []),
    ],
)
def test_odd_values_are_refused_and_may_be_read_as_objects(
    write, refused, first, second, complaint, value
):
    path = write("things.jsonl", lines(first, first, second))
    with refused(path, complaint, "kind='objects'", line=3, value=value):
        wideberth.read(path)
    assert wideberth.read(path, kind="objects").objects[2] == value


def test_sets_need_lists_of_plain_members(write, refused):
    path = write("meals.jsonl", lines('["salt"]', '[["salt"]]'))
    with refused(path, "is not a list of members", line=2, value=[["salt"]]):
        wideberth.read(path, kind="sets")


def test_labels_must_be_plain_and_of_one_type(write, refused):
    listed = write("drinks.jsonl", lines('{"word": "tea", "label": ["en"]}'))
    with refused(listed, "['en'] in column 'label' is not a label", line=1, value=["en"]):
        wideberth.read(listed)
    mixed = write(
        "drinks.jsonl", lines('{"word": "tea", "label": 1}', '{"word": "thé", "label": "1"}')
    )
    with refused(
        mixed, "'1' in column 'label' is text, but the first label 1 is a number", line=2, value="1"
    ):
        wideberth.read(mixed)
    boolean = write(
        "drinks.jsonl", lines('{"word": "tea", "label": 1.5}', '{"word": "thé", "label": true}')
    )
    with refused(boolean, "True in column 'label' is a truth value", line=2, value=True):
        wideberth.read(boolean)


def test_a_file_of_blank_lines_is_refused(write, refused):
    path = write("drinks.jsonl", "\n \n")
    with refused(path, "no line holds a value"):
        wideberth.read(path)


def test_fields_that_could_each_be_the_object_are_listed(write, refused):
    path = write("walks.jsonl", lines('{"places": [1], "ways": [], "label": "a"}'))
    with refused(
        path, "'places', 'ways'", "kind='rows'", "kind='objects'", value=["places", "ways"]
    ):
        wideberth.read(path)
    assert wideberth.read(path, column="places").kind == "series"


def test_null_in_lists_is_missing_in_vectors_and_refused_in_series(write, refused):
    path = write("t.jsonl", '{"x": [1, null]}\n{"x": [null, null]}\n{"x": [3, 4]}\n')
    expected = [[1, np.nan], [np.nan, np.nan], [3, 4]]
    assert np.array_equal(wideberth.read(path, kind="vectors").objects, expected, equal_nan=True)
    with refused(path, "[1, None] in column 'x' is not a series", "kind='vectors'", line=1):
        wideberth.read(path)
