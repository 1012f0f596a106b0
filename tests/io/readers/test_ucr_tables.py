"""The .tsv files of the UCR archive, and the tables that must not be taken for them."""

import gzip

import numpy as np
import pytest

import wideberth

BEATS = "2\t0.5\t1.5\t-2e-1\n1\t3\t4\t5\n"


@pytest.mark.parametrize("ending", ["tsv", "tab"])
def test_a_first_line_of_numbers_is_a_series_with_its_label(write, ending):
    records = wideberth.read(write(f"beats.{ending}", BEATS))
    assert (records.kind, records.labels, records.column, records.target) == (
        "series",
        ["2", "1"],
        "series",
        "label",
    )
    assert [series.tolist() for series in records.objects] == [[0.5, 1.5, -0.2], [3, 4, 5]]


def test_blank_lines_compression_and_line_endings(write):
    for ending in ("\n", "\r\n", "\r"):
        assert len(wideberth.read(write("beats.tsv", f"\n{BEATS}\n".replace("\n", ending)))) == 2
    assert len(wideberth.read(write("beats.tsv.gz", gzip.compress(BEATS.encode())))) == 2


@pytest.mark.parametrize("nan", ["NaN", "nan", " NaN "])
def test_padding_at_the_end_is_cut_off(write, nan):
    records = wideberth.read(write("beats.tsv", f"1\t3\t{nan}\t{nan}\n2\t1\t2\t3\n"))
    assert [series.tolist() for series in records.objects] == [[3], [1, 2, 3]]


def test_equal_lengths_can_be_vectors(write):
    np.testing.assert_array_equal(
        wideberth.read(write("beats.tsv", BEATS), kind="vectors").objects,
        [[0.5, 1.5, -0.2], [3, 4, 5]],
    )


def test_a_missing_value_inside_is_refused(write, refused):
    path = write("beats.tsv", "1\t1\t2\t3\n2\t1\tNaN\t3\n")
    with refused(
        path,
        "a missing value ('NaN') in column 3, inside the series",
        "interpolation",
        line=2,
        value="NaN",
    ):
        wideberth.read(path)
    assert len(wideberth.read(write("beats.tsv", "1\t1\t2\t3\n2\t1\t2\t3\n"))) == 2


@pytest.mark.parametrize("value", ["two", "", "inf", "1_0"])
def test_what_is_not_a_number_is_refused(write, refused, value):
    path = write("beats.tsv", f"1\t1\t2\n2\t1\t{value}\n")
    with refused(path, f"{value!r} in column 3 is not a number", line=2, value=value):
        wideberth.read(path)


@pytest.mark.parametrize(
    ("row", "complaint", "value"),
    [
        ("1\t2", "1 number after the label, the first row has 2", 1),
        ("\t1\t2", "'' in the first column is not the number of a class", ""),
        ("4.9\t1\t2", "'4.9' in the first column is not the number of a class", "4.9"),
        ("1\tNaN\tNaN", "no numbers after the label", ["NaN", "NaN"]),
        (
            "2\t3\tNaN\x1c",
            "'NaN\\x1c' in column 3 is not a number",
            "NaN\x1c",
        ),  # a separator is blank to str.strip, not to float
    ],
)
def test_broken_rows_are_refused(write, refused, row, complaint, value):
    path = write("beats.tsv", f"1\t1\t2\n{row}\n")
    with refused(path, complaint, line=2, value=value):
        wideberth.read(path)


def test_a_table_with_a_header_stays_a_table(write):
    assert wideberth.read(write("t.tsv", "word\t1\ntea\t2\n")).objects == [
        {"word": "tea", "1": 2.0}
    ]
    assert wideberth.read(write("t.tsv", "a\tb\n1\t2\n")).objects.tolist() == [[1, 2]]
    assert wideberth.read(write("t.tsv", "\n\nword\tlabel\ntea\ten\n")).labels == ["en"]


@pytest.mark.parametrize("header", ["0\t1", "1\t2", "0\t1\tlabel", "7"])
def test_a_header_that_counts_is_one_all_the_same(write, header):
    records = wideberth.read(write("t.tsv", f"{header}\n{header.replace('label', 'a')}\n"))
    assert (records.kind, len(records)) == ("vectors", 1)


def test_a_table_of_numbers_without_header_is_refused(write, refused):
    path = write("t.tsv", "5.1\t3.5\t0\n4.9\t3.0\t0\n")
    with refused(
        path, "numbers ('5.1', '3.5', '0') where the names of the columns should be", line=1
    ):
        wideberth.read(path)
    assert wideberth.read(write("t.tsv", "a\tb\tlabel\n5.1\t3.5\t0\n4.9\t3.0\t0\n")).labels == [
        "0",
        "0",
    ]


def test_a_file_of_blank_lines_is_refused(write, refused):
    path = write("t.tsv", "\n\n")
    with refused(path, "the file is empty"):
        wideberth.read(path)
