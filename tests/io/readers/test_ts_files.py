"""The .ts files of the UCR and UEA archives: cases read as the header says, and held to it."""

import gzip

import numpy as np
import pytest

import wideberth
from wideberth.io.readers import read_batches

TAGS = (
    "# a comment\n@problemName Beats\n@timeStamps false\n@univariate true\n@equalLength "
    "true\n@classLabel true 1 2\n@data\n"
)


def several(*cases):
    return "\n".join(["@univariate false", "@classLabel true a b", "@data", *cases])


def test_cases_are_series_with_labels_as_text(write):
    records = wideberth.read(write("beats.ts", TAGS + "1,2.5, -3e1:1\n\n4,5,6:2\n"))
    assert (records.kind, records.labels, records.column, records.target) == (
        "series",
        ["1", "2"],
        "series",
        "label",
    )
    assert [series.tolist() for series in records.objects] == [[1, 2.5, -30], [4, 5, 6]]
    assert records.objects[0].dtype == np.float64


def test_compressed_files_and_all_line_endings(write):
    text = TAGS + "1,2:1\n3,4:2\n"
    for ending in ("\n", "\r\n", "\r"):
        assert wideberth.read(write("beats.ts", text.replace("\n", ending))).labels == ["1", "2"]
    assert len(wideberth.read(write("beats.ts.gz", gzip.compress(text.encode())))) == 2


def test_several_channels_are_arrays_and_lengths_may_differ(write):
    records = wideberth.read(write("beats.ts", several("1,2,3:4,5,6:a", "1:2:b")))
    assert [series.shape for series in records.objects] == [(2, 3), (2, 1)]
    np.testing.assert_array_equal(records.objects[0], [[1, 2, 3], [4, 5, 6]])


def test_tags_may_be_written_in_any_case_and_unknown_ones_are_skipped(write):
    records = wideberth.read(
        write("beats.ts", "%\n@AUTHOR me\n@classlabel TRUE tea rum\n@Data\n1,2:tea\n")
    )
    assert records.labels == ["tea"]


def test_there_need_not_be_labels(write):
    records = wideberth.read(write("beats.ts", "@classLabel false\n@data\n1,2:3,4\n"))
    assert records.labels is None
    assert records.objects[0].shape == (2, 2)


def test_a_target_is_a_number(write, refused):
    records = wideberth.read(write("beats.ts", "@targetLabel true\n@data\n1,2:0.5\n"))
    assert records.labels == [0.5]
    path = write("beats.ts", "@targetLabel true\n@data\n1,2:high\n")
    with refused(path, "'high' is not a number, as @targetLabel requires", line=3, value="high"):
        wideberth.read(path)


def test_equal_lengths_can_be_vectors(write):
    path = write("beats.ts", TAGS + "1,2:1\n3,4:2\n")
    assert wideberth.read(path, kind="vectors").objects.tolist() == [[1, 2], [3, 4]]
    assert wideberth.read(path, column="label").objects == ["1", "2"]
    assert next(read_batches(path, labels=False)).labels is None


@pytest.mark.parametrize("missing", ["?", "NaN", "nan", " ? "])
def test_missing_values_are_refused(write, refused, missing):
    path = write("beats.ts", several("1,2:3,4:a", f"1,2:3,{missing}:b"))
    with refused(
        path, "a missing value", "at point 2 of channel 2", "interpolation", line=5, value=missing
    ):
        wideberth.read(path)
    assert len(wideberth.read(write("beats.ts", several("1,2:3,4:a", "1,2:3,3:b")))) == 2


@pytest.mark.parametrize("value", ["two", "", "inf", "1_0", "(0"])
def test_what_is_not_a_number_is_refused(write, refused, value):
    path = write("beats.ts", TAGS + f"1,{value},3:1\n")
    with refused(path, f"{value!r} at point 2 of channel 1 is not a number", line=8, value=value):
        wideberth.read(path)


def test_time_stamps_are_refused(write, refused):
    path = write("beats.ts", "@timeStamps true\n@classLabel true a\n@data\n(0,1),(1,2):a\n")
    with refused(path, "time stamps are not read", "@timeStamps false", line=1, value=True):
        wideberth.read(path)
    assert (
        len(
            wideberth.read(
                write("beats.ts", "@timeStamps false\n@classLabel true a\n@data\n1,2:a\n")
            )
        )
        == 1
    )


def test_channels_of_a_case_need_one_length(write, refused):
    path = write("beats.ts", several("1,2:3,4:a", "1,2:3:b"))
    with refused(path, "channels of 2 and 1 points in one case", line=5, value=(2, 1)):
        wideberth.read(path)


def test_cases_need_the_same_channels(write, refused):
    path = write("beats.ts", several("1,2:3,4:a", "1,2:b"))
    with refused(path, "shape (2,), the first row (2, 2)", "same channels", line=5):
        wideberth.read(path)


@pytest.mark.parametrize(
    ("tag", "says"),
    [("@univariate true", 1), ("@univariate false\n@dimensions 3", 3), ("@dimensions 1", 1)],
)
def test_channels_are_as_many_as_the_header_says(write, refused, tag, says):
    path = write("beats.ts", f"@classLabel true a\n{tag}\n@data\n1,2:3,4:a\n")
    with refused(
        path, f"2 channels, but the header declares {says}", line=4 + tag.count("\n"), value=2
    ):
        wideberth.read(path)


def test_lengths_are_equal_if_the_header_says_so(write, refused):
    path = write("beats.ts", TAGS + "1,2,3:1\n4,5:2\n")
    with refused(
        path, "2 points in a file of @equalLength true, the first case has 3", line=9, value=2
    ):
        wideberth.read(path)
    assert (
        len(
            wideberth.read(
                write(
                    "beats.ts",
                    TAGS.replace("equalLength true", "equalLength false") + "1,2,3:1\n4,5:2\n",
                )
            )
        )
        == 2
    )


@pytest.mark.parametrize(
    ("case", "complaint", "value"),
    [
        ("1,2:3", "'3' is not one of the labels in @classLabel", "3"),
        ("1,2:", "the label is empty", ""),
        ("1,2", "no label", "1,2"),
    ],
)
def test_labels_are_those_of_the_header(write, refused, case, complaint, value):
    path = write("beats.ts", TAGS + f"1,2:1\n{case}\n")
    with refused(path, complaint, line=9, value=value):
        wideberth.read(path)


def test_any_label_will_do_where_none_are_listed(write):
    assert wideberth.read(write("beats.ts", "@classLabel true\n@data\n1:tea\n")).labels == ["tea"]


@pytest.mark.parametrize(
    ("text", "complaint", "line"),
    [
        ("1,2:a\n@data\n", "'1,2:a' is before @data", 1),
        ("@problemName Beats\n", "there is no @data", None),
        ("@data\n1,2:a\n", "the tags do not tell whether the cases have labels", None),
        ("@classLabel true a\n@data\n", "no cases below @data", None),
        ("@classLabel maybe\n@data\n1:a\n", "@classlabel maybe is neither true nor false", 1),
        ("@classLabel\n@data\n1:a\n", "@classlabel is neither true nor false", 1),
        (
            "@classLabel true\n@dimensions two\n@data\n1:a\n",
            "'two' in @dimensions is not a number of channels",
            2,
        ),
        (
            "@classLabel true\n@dimensions\n@data\n1:a\n",
            "'' in @dimensions is not a number of channels",
            2,
        ),
    ],
)
def test_broken_headers_are_refused(write, refused, text, complaint, line):
    path = write("beats.ts", text)
    with refused(path, complaint, line=line):
        wideberth.read(path)


def test_a_series_is_no_row_of_numbers_and_text(write, refused):
    path = write("beats.ts", TAGS + "1,2:1\n")
    with refused(path, "in column 'series' is not text", line=8):
        wideberth.read(path, kind="rows", column=["series", "label"])
