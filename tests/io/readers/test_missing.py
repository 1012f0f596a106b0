"""Missing values: which cells hold none, what is made of them, and what is said."""

import numpy as np
import pytest

import wideberth
from wideberth.io.readers.missing import MissingWords
from wideberth.io.readers.reading import read_batches

WORDS = ["", " ", "NA", "N/A", "nan", "NaN", "NULL", "null", "None", "?", "-", ".", "missing"]


def why(records, name):
    return next(use.why for use in records.understood if use.name == name)


@pytest.mark.parametrize("word", WORDS)
def test_the_usual_words_are_gaps_in_numbers_dates_truths_and_categories(write, word):
    text = "size,day,hot,city,label\n1,2024-01-01,yes,Ulm,a\n"
    text += f"{word},{word},{word},{word},b\n3,2024-01-03,no,Bonn,a\n"
    records = wideberth.read(write("t.csv", text))
    assert records.objects[1] == dict.fromkeys(("size", "day", "hot", "city"))
    assert records.objects[2]["size"] == 3.0
    assert "1 of 3 missing" in why(records, "size")


def test_a_table_of_numbers_stays_vectors_and_gaps_are_nan(write):
    records = wideberth.read(write("t.csv", "x,z,label\n1,2,a\nNA,3,b\n4,?,a\n"))
    assert records.kind == "vectors"
    np.testing.assert_array_equal(records.objects, [[1, 2], [np.nan, 3], [4, np.nan]])
    assert why(records, "x") == "1 of 3 missing"
    assert why(records, "z") == "1 of 3 missing, written '?'"


def test_in_texts_that_are_the_objects_a_word_is_a_text(write):
    records = wideberth.read(write("t.csv", "word,label\nNA,a\ntea,b\nNone,a\n"))
    assert records.objects == ["NA", "tea", "None"]


def test_further_words_and_none_of_the_usual_ones(write):
    path = write("t.csv", "x,city,label\n1,NA,a\n-99,Ulm,b\n2,Bonn,a\n")
    assert wideberth.read(path, missing="-99").objects[1]["x"] is None
    assert wideberth.read(path, missing=["", "-99"]).objects[0]["city"] == "NA"
    with pytest.raises(wideberth.errors.InvalidInput, match="missing=-99 is not a word"):
        wideberth.read(path, missing=[-99])


def test_a_minus_beside_a_plus_is_a_value(write):
    path = write("t.csv", "rh,city,label\n+,Ulm,a\n-,Bonn,b\n+,Ulm,a\n")
    assert [row["rh"] for row in wideberth.read(path).objects] == ["+", "-", "+"]


def test_rows_without_a_label_are_left_out_and_counted(write):
    path = write("t.csv", "word,label\ntea,a\nrum,NA\nmilk,\nale,b\n")
    with pytest.warns(UserWarning, match="2 of 4 rows have no label in 'label'.*in line 3"):
        records = wideberth.read(path)
    assert (records.objects, records.labels) == (["tea", "ale"], ["a", "b"])
    assert "2 of 4 missing: these rows are left out" in why(records, "label")
    skipped = wideberth.read(path, on_error="skip").skipped
    assert [each.line for each in skipped] == [3, 4]
    assert "'NA' in column 'label' stands for a missing value" in skipped[0].why


def test_none_and_minus_name_classes_which_is_said(write):
    path = write("t.csv", "word,label\ntea,None\nrum,Some\nale,-\n")
    records = wideberth.read(path)
    assert records.labels == ["None", "Some", "-"]
    assert "'-', 'None' names a class; missing=['-', 'None'] leaves" in why(records, "label")
    with pytest.warns(UserWarning, match="1 of 3 rows have no label"):
        assert wideberth.read(path, missing="None").labels == ["Some", "-"]


def test_rows_without_an_object_keep_their_places_where_they_are_asked_for(write):
    path = write("t.csv", 'word\n""\ntea\n""\n""\nrum\n""\n')
    for size in (1, 2, 10):
        batches = list(
            read_batches(path, size=size, labels=False, keep_absent=True, keep_cells=True)
        )
        found = wideberth.io.readers.records.join(batches)
        assert found.objects == ["tea", "rum"]
        assert [(each.before, each.line) for each in found.absent] == [
            (0, 2),
            (1, 4),
            (1, 5),
            (2, 7),
        ]


def test_numbers_with_many_other_cells_are_categories_and_one_misprint_is_refused(write, refused):
    tickets = ["113803", "PC 17599", "A/5 21171", "113803", "347082"] * 5
    rows = [{"ticket": cell, "x": 2.5 * n} for n, cell in enumerate(tickets)]
    text = "ticket,x\n" + "".join(f"{row['ticket']},{row['x']}\n" for row in rows)
    assert wideberth.read(write("t.csv", text)).objects[:2] == rows[:2]
    path = write("t.csv", "size,x\n" + "".join(f"{n}.5,2\n" for n in range(30)) + "l,2\n")
    with refused(path, "'l' in column 'size' is not a number", "missing=['l']", line=32):
        wideberth.read(path)


def test_a_column_of_one_letter_is_no_truth_and_a_late_word_is_a_category(write):
    text = "region,x\n" + "N,1\n" * 300 + "C,2\n"
    assert wideberth.read(write("t.csv", text)).objects[-1]["region"] == "C"
    text = "hot,x\n" + "yes,1\nNo,1\n" * 150 + "maybe,2\n"
    objects = wideberth.read(write("t.csv", text)).objects
    assert [row["hot"] for row in objects[-3:]] == ["Yes", "No", "maybe"]


def test_words_of_labels_are_words_of_features():
    words = MissingWords()
    assert words.of_labels < words.of_features
    assert words.classes == words.of_features - words.of_labels
