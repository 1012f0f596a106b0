"""CSV and TSV: what is found in them, what is refused, and that the way out works."""

import csv
import gzip
import re

import numpy as np
import pytest

import wideberth
from wideberth.errors import InvalidFile, InvalidInput, UnknownName
from wideberth.io.readers import read_batches
from wideberth.io.readers.formats import delimited


def test_one_text_column_holds_strings(write):
    records = wideberth.read(write("drinks.csv", "id,word,Label\n1,tea,en\n2,lait,fr\n"))
    assert records.objects == ["tea", "lait"]
    assert records.labels == ["en", "fr"]
    assert (records.kind, records.column, records.target, len(records)) == (
        "strings",
        "word",
        "Label",
        2,
    )


def test_columns_of_numbers_hold_vectors(write):
    records = wideberth.read(write("sizes.csv", "height,weight,class\n1.5, 60 ,a\n-2e1,70,b\n"))
    np.testing.assert_array_equal(records.objects, [[1.5, 60], [-20, 70]])
    assert records.objects.dtype == np.float64
    assert records.objects.flags.c_contiguous
    assert records.column == ("height", "weight")
    assert "2 vectors from 2 columns with labels from 'class'" in repr(records)


def test_numeric_labels_stay_text(write):
    assert wideberth.read(write("drinks.csv", "word,y\ntea,1\nlait,0\n")).labels == ["1", "0"]


def test_no_labels_without_a_usual_name(write):
    records = wideberth.read(write("drinks.csv", "word,volume\ntea,1\n"))
    assert (records.labels, records.target, records.column) == (None, None, ("word", "volume"))


@pytest.mark.parametrize("cell", ['"[1, 2.5]"', "1 2.5", "1;2.5", " 1.0  2.5 ", "1 ; 2.5"])
def test_cells_of_numbers_hold_series(write, cell):
    records = wideberth.read(write("beats.csv", f"beat,label\n{cell},a\n1 2 3,b\n"))
    assert records.kind == "series"
    np.testing.assert_array_equal(records.objects[0], [1, 2.5])
    np.testing.assert_array_equal(records.objects[1], [1, 2, 3])


def test_nested_lists_are_channels(write):
    records = wideberth.read(write("beats.csv", 'beat\n"[[1, 2], [3, 4]]"\n"[[1], [3]]"\n'))
    assert [series.shape for series in records.objects] == [(2, 2), (2, 1)]


def test_columns_of_numbers_can_be_a_series(write):
    records = wideberth.read(write("beats.csv", "t0,t1,label\n1,2,a\n3,4,b\n"), kind="series")
    assert [series.tolist() for series in records.objects] == [[1, 2], [3, 4]]


def test_cells_of_equally_many_numbers_can_be_vectors(write):
    path = write("points.csv", "point\n1 2\n3 4\n")
    assert wideberth.read(path, kind="vectors").objects.tolist() == [[1, 2], [3, 4]]


@pytest.mark.parametrize(
    "cell", ["salt pepper", "salt;pepper", '"[""salt"", ""pepper"", ""salt""]"']
)
def test_words_can_be_sets(write, cell):
    records = wideberth.read(write("meals.csv", f"spices\n{cell}\n"), kind="sets")
    assert records.objects == [frozenset({"salt", "pepper"})]


def test_whole_rows_can_be_objects(write):
    path = write("mixed.csv", "colour,shape,weight,label\nred,round,1.5,a\nblue,,2,b\n")
    records = wideberth.read(path, kind="objects")
    assert records.objects == [
        {"colour": "red", "shape": "round", "weight": 1.5},
        {"colour": "blue", "shape": None, "weight": 2.0},
    ]
    named = wideberth.read(path, kind="objects", column=["weight", "colour"])
    assert named.objects[0] == {"weight": 1.5, "colour": "red"}


def test_named_columns_and_target_win(write):
    path = write("points.csv", "x,y,label,sex\n1,2,a,f\n3,4,b,m\n")
    assert wideberth.read(path, column=["x", "y"], target="sex").objects.tolist() == [
        [1, 2],
        [3, 4],
    ]
    assert wideberth.read(path, column="x", target="sex").objects.tolist() == [[1], [3]]
    assert wideberth.read(path, column="x", target="sex", kind="strings").objects == ["1", "3"]
    assert wideberth.read(path, column=["x", "y"]).labels == ["a", "b"]


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_the_delimiter_is_found(write, delimiter):
    text = "word,label\ntea,en\n".replace(",", delimiter)
    assert wideberth.read(write("drinks.csv", text)).objects == ["tea"]


def test_blanks_separate_cells_where_nothing_else_does(write):
    records = wideberth.read(
        write("drinks.csv", "'dose' 'group' 'label'\n1.5  a yes\n2.5 b  no\n"), target="label"
    )
    assert [each.use for each in records.understood] == ["number", "category", "label"]
    assert records.labels == ["yes", "no"]


@pytest.mark.parametrize(
    "text",
    [
        "text of two\nno number here\n",
        "phone number\n555 1234\n",
        "text of two\ntea for 2\none\n",
        "a b,label\n1 2,x\n",
    ],
)
def test_texts_with_blanks_are_not_split(text):
    assert delimited.find_delimiter(text.splitlines(), delimited.CSV_DELIMITERS) == ","


def test_the_delimiter_that_fits_all_rows_wins_over_one_in_the_header(write):
    path = write("drinks.csv", "word, or name;label\ntea;en\nlait;fr\n")
    assert wideberth.read(path).column == "word, or name"


def test_tsv_is_split_at_tabs_only(write):
    for ending in ("tsv", "tab", "TSV"):
        assert wideberth.read(
            write(f"drinks.{ending}", "word\tlabel\nmilk, tea\ten\n")
        ).objects == ["milk, tea"]


def test_blank_lines_are_skipped_and_line_endings_do_not_matter(write):
    for ending in ("\n", "\r\n", "\r"):
        path = write(
            "drinks.csv", f"word,label{ending}{ending}tea,en{ending}lait,fr{ending}{ending}"
        )
        assert wideberth.read(path).objects == ["tea", "lait"]


def test_quoted_line_breaks_keep_the_line_numbers_right(write, refused):
    path = write("drinks.csv", 'word,label\n"tea\nor\r\nmilk",en\n"coffee\n"\n')
    with refused(path, "1 cell in", line=5):
        wideberth.read(path)


def test_long_cells_are_read(write):
    sequence = "ACGT" * 100_000
    assert wideberth.read(write("genomes.csv", f"genome,label\n{sequence},a\n")).objects == [
        sequence
    ]


def test_a_cell_without_end_is_stopped(write, refused, monkeypatch):
    monkeypatch.setattr(delimited, "LONGEST_CELL", 100)
    usual = csv.field_size_limit(100)
    try:
        path = write("drinks.csv", 'word,label\ntea,en\n"' + "lait,fr\n" * 1000)
        with refused(path, "field larger than field limit", line=3):
            wideberth.read(path)
    finally:
        csv.field_size_limit(usual)


def test_compressed_tables_are_read(write):
    assert wideberth.read(
        write("drinks.csv.gz", gzip.compress(b"word,label\ntea,en\n"))
    ).labels == ["en"]


def test_a_distance_matrix_with_labels(write):
    records = wideberth.read(write("cities.csv", "a,b,label\n0,2.5,x\n2.5,0,y\n"), kind="distances")
    assert records.objects.tolist() == [[0, 2.5], [2.5, 0]]
    assert (records.kind, records.labels) == ("distances", ["x", "y"])
    assert "2 rows of distances" in repr(records)


def test_a_distance_matrix_must_be_square(write, refused):
    path = write("cities.csv", "a,b,c\n0,2,1\n2,0,1\n")
    with refused(path, "2 rows of 3 distances", value=(2, 3)):
        wideberth.read(path, kind="distances")
    assert (
        len(wideberth.read(write("cities.csv", "a,b,c\n0,2,1\n2,0,1\n1,1,0\n"), kind="distances"))
        == 3
    )


def test_a_word_among_numbers_is_refused_with_its_line(write, refused):
    path = write("sizes.csv", "height,weight,label\n1,2,a\nabc,4,b\n5,6,c\n")
    with refused(path, "'abc' in column 'height' is not a number", "column=", line=3, value="abc"):
        wideberth.read(path)
    assert wideberth.read(path, column=["weight"]).objects.tolist() == [[2], [4], [6]]


def test_a_word_in_the_only_column_of_numbers_may_be_text(write, refused):
    path = write("codes.csv", "code,label\n1,a\n2,b\nC3,a\n")
    with refused(
        path, "'C3' in column 'code' is not a number", "kind='strings'", line=4, value="C3"
    ):
        wideberth.read(path)
    assert wideberth.read(path, kind="strings").objects == ["1", "2", "C3"]


def test_a_word_among_series_is_refused(write, refused):
    path = write("beats.csv", "beat\n1 2\n3 4\n1 two\n[1\n5 6\n")
    with refused(
        path, "'1 two' in column 'beat' is not a series of numbers", line=4, value="1 two"
    ):
        wideberth.read(path)
    assert wideberth.read(path, kind="strings").objects[2:4] == ["1 two", "[1"]


@pytest.mark.parametrize("value", ["inf", "1_000", "1,5,5"])
def test_what_is_not_a_finite_number_is_refused(write, refused, value):
    path = write("sizes.csv", f'height,weight\n1,2\n3,"{value}"\n5,6\n')
    with refused(
        path,
        f"{value!r} in column 'weight' is not a number",
        "finite, with a point",
        line=3,
        value=value,
    ):
        wideberth.read(path)


def test_a_late_row_is_held_to_what_the_first_ones_were(write, refused):
    path = write("sizes.csv", "height,weight\n" + "1,2\n" * 2500 + "1,heavy\n")
    batches = read_batches(path, size=1000)
    assert len(next(batches)) + len(next(batches)) == 2000
    with refused(path, "'heavy' in column 'weight'", line=2502, value="heavy"):
        next(batches)


@pytest.mark.parametrize(
    ("text", "column"),
    [("word,label\n,en\n", "word"), ("word,label\ntea, \n", "label"), ('word\n""\n', "word")],
)
def test_a_file_of_empty_cells_is_refused(write, refused, text, column):
    path = write("drinks.csv", text)
    with refused(path, "no row has a", f"in {column!r}", "Fill it in"):
        wideberth.read(path)


def test_an_empty_cell_is_no_set(write):
    path = write("meals.csv", "spices,label\n,a\nsalt,b\n")
    with pytest.warns(UserWarning, match="1 of 2 rows have no object in 'spices'.*in line 2"):
        assert wideberth.read(path, kind="sets").labels == ["b"]


def test_nested_sets_are_refused(write, refused):
    path = write("meals.csv", 'spices\n"[[1], [2]]"\n')
    with refused(path, "is not a list of members", "kind='strings'", line=2, value="[[1], [2]]"):
        wideberth.read(path, kind="sets")
    assert wideberth.read(path, kind="strings").objects == ["[[1], [2]]"]


def test_rows_with_too_many_cells_are_refused(write, refused):
    path = write("drinks.csv", "word,label\ntea,en\nmilk, tea,en\n")
    with refused(
        path,
        "3 cells in 'milk, tea,en', but the header has 2 ('word', 'label')",
        "double quotes",
        line=3,
    ):
        wideberth.read(path)
    assert wideberth.read(write("drinks.csv", 'word,label\ntea,en\n"milk, tea",en\n')).objects == [
        "tea",
        "milk, tea",
    ]


def test_rows_with_too_few_cells_are_refused(write, refused):
    path = write("drinks.csv", "word,label\ntea\n")
    with refused(path, "1 cell in 'tea', but the header has 2", line=2, value=["tea"]):
        wideberth.read(path)


@pytest.mark.parametrize(
    "text", ['word,label\ntea,en\n"milk,fr\n', 'word,label\ntea,en\n"mi"lk,fr\n']
)
def test_broken_quotes_are_refused_where_the_row_begins(write, refused, text):
    path = write("drinks.csv", text)
    with refused(path, "cannot be split into cells", "Close every quote", line=3):
        wideberth.read(path)
    assert wideberth.read(write("drinks.csv", 'word,label\n"mi""lk",fr\n')).objects == ['mi"lk']


def test_columns_of_one_name_are_told_apart(write):
    path = write("sizes.csv", "size,size (2),size,size,label\n1,2,3,4,a\n5,6,7,8,b\n")
    told = "3 columns are called 'size'; they are told apart as 'size', 'size (3)', 'size (4)'"
    with pytest.warns(UserWarning, match=re.escape(told)):
        records = wideberth.read(path)
    assert records.column == ("size", "size (2)", "size (3)", "size (4)")
    assert records.objects.tolist() == [[1, 2, 3, 4], [5, 6, 7, 8]]


@pytest.mark.parametrize(
    "above", ["Survey of 2024\n", "Survey of 2024,,\n,,\n", "\nSurvey, 2024\n"]
)
def test_titles_above_the_names_are_told(write, above):
    below = "age,city,label\n35,Ulm,a\n41,Bonn,b\n29,Ulm,a\n44,Bonn,b\n"
    path = write("staff.csv", above.replace("Survey, 2024", '"Survey, 2024"') + below)
    names_in = above.count("\n") + 1
    with pytest.warns(UserWarning, match=f"read as a title, and line {names_in} as the names"):
        records = wideberth.read(path)
    assert records.objects[2] == {"age": 29, "city": "Ulm"}
    assert wideberth.read(write("plain.csv", below)).objects == records.objects
    texts = write("texts.csv", "text\n" + 2 * "red, hot, wet\nblue, cold, wet\n")
    with pytest.raises(InvalidFile, match=r"the header has 1 \('text'\)"):
        wideberth.read(texts)


def test_times_and_numbers_in_brackets_are_numbers(write):
    path = write(
        "t.csv", "at,ran,paid,x\n08:30,1:30:36,(5.50),3\n23:45,0:03:00,7,4\n7:06,12:00:00,($8),5\n"
    )
    with pytest.raises(InvalidFile, match="'\\(\\$8\\)' in column 'paid' is not a number"):
        wideberth.read(path, kind="vectors")
    path = write("t.csv", path.read_text().replace("$", ""))
    records = wideberth.read(path)
    assert records.objects.tolist() == [[8.5, 1.51, -5.5, 3], [23.75, 0.05, 7, 4], [7.1, 12, -8, 5]]
    assert [each.why for each in records.understood[1:3]] == [
        "times, as hours: 8:30 is 8.5",
        "in brackets below zero: (5) is -5",
    ]
    for cells in ("(5)", "(a)"), ("24:10", "3:70"):  # names, and what is no time of day
        odd = write("odd.csv", "x,y\n" + "".join(f"{each},1\n" for each in cells))
        assert wideberth.read(odd).understood[0].use != "number"


def test_a_column_without_name_names_the_rows_or_is_left_out(write, refused):
    path = write("sizes.csv", ",height,weight\n0.5,1,2\n0.5,3,4\n")
    assert wideberth.read(path).objects.tolist() == [[1, 2], [3, 4]]
    path = write("sizes.csv", ",height,,\nAda,1,,\nBob,3,,\n")
    records = wideberth.read(path)
    assert (records.names, records.objects.tolist()) == (["Ada", "Bob"], [[1], [3]])
    path = write("sizes.csv", ",label\n0.5,a\n")
    with refused(path, "column 1 has no name", "index=False", value=""):
        wideberth.read(path)


def test_row_names_of_r_comments_and_repeated_headers(write):
    path = write("cars.csv", "mpg,cyl\nMazda,21.5,6\nFiat,30.5,4\n")
    records = wideberth.read(path)
    assert (records.names, records.column) == (["Mazda", "Fiat"], ("mpg", "cyl"))
    path = write("t.csv", '# from a "probe\n# 2024\nx,z\n1,2\n# late\n3,4,5\n')
    with pytest.raises(wideberth.errors.InvalidFile, match="line 6: 3 cells"):
        wideberth.read(path)
    path = write("t.csv", "# made by hand\n#x,z\n1.5,2\n3.5,4\n")
    assert wideberth.read(path).column == ("x", "z")
    path = write("t.csv", "word,label\n#tea,a\n#rum,b\n")
    assert wideberth.read(path).objects == ["#tea", "#rum"]
    path = write("t.csv", "x,z\n1.5,2\nx,z\n3.5,4\n")
    with pytest.warns(UserWarning, match="the header is repeated once below"):
        assert wideberth.read(path).objects.tolist() == [[1.5, 2], [3.5, 4]]


def test_words_and_bits_for_truth(write):
    path = write("t.csv", "ok,x\nTRUE,1\nfalse,2\n1,3\n0,5\n")
    objects = wideberth.read(path).objects
    assert [row["ok"] for row in objects] == ["True", "False", "True", "False"]


def test_a_missing_header_is_noticed(write, refused):
    path = write("sizes.csv", "5.1,3.5\n4.9,3\n")
    with refused(path, "numbers ('5.1', '3.5') where the names of the columns should be", line=1):
        wideberth.read(path)
    assert len(wideberth.read(write("sizes.csv", "a,b\n5.1,3.5\n4.9,3\n"))) == 2


def test_a_misspelt_column_brings_the_closest_name(write, refused):
    path = write("drinks.csv", "word,language\ntea,en\n")
    with refused(
        path,
        "no column 'langauge'. Did you mean 'language'? It has 'word', 'language'",
        value="langauge",
    ):
        wideberth.read(path, target="langauge")
    with refused(path, "Did you mean 'word'?", value="WORD"):
        wideberth.read(path, column="WORD")
    assert wideberth.read(path, target="language").labels == ["en"]


def test_long_lists_of_columns_are_cut(write, refused):
    path = write(
        "wide.csv", ",".join(f"x{i}" for i in range(15)) + "\n" + ",".join("1" * 15) + "\n"
    )
    with refused(path, "'x11' and 3 more"):
        wideberth.read(path, column="height")


def test_several_columns_of_text_are_rows_unless_one_is_named(write, refused):
    path = write("drinks.csv", "word,country,label\ntea,china,en\n")
    assert wideberth.read(path).objects == [{"word": "tea", "country": "china"}]
    with refused(
        path,
        "2 columns could hold the objects: 'word', 'country'",
        "column='word'",
        value=["word", "country"],
    ):
        wideberth.read(path, kind="strings")
    assert wideberth.read(path, column="word").objects == ["tea"]
    assert wideberth.read(path, kind="objects").objects == [{"word": "tea", "country": "china"}]


def test_several_columns_of_labels_are_refused_until_one_is_named(write, refused):
    path = write("drinks.csv", "word,label,class\ntea,en,hot\n")
    with refused(
        path,
        "'label', 'class' could each hold the labels",
        "target='label'",
        value=["label", "class"],
    ):
        wideberth.read(path)
    assert wideberth.read(path, target="label", column="word").labels == ["en"]


def test_y_beside_x_is_a_coordinate(write, refused):
    records = wideberth.read(write("points.csv", "x,y,label\n1,2.5,a\n3,4.5,b\n"))
    assert (records.column, records.target) == (("x", "y"), "label")
    assert wideberth.read(write("points.csv", "x,y\n1,a\n3,b\n")).target == "y"
    other = write("points.csv", "u,y,label\n1,2,a\n3,4,b\n")
    with refused(other, "'y', 'label' could each hold the labels"):
        wideberth.read(other)


def test_labels_alone_are_refused(write, refused):
    path = write("drinks.csv", "label\nen\n")
    with refused(path, "no column besides the labels in 'label'", value="label"):
        wideberth.read(path)
    assert wideberth.read(path, column="label").objects == ["en"]


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("word,label\n\n", "a header ('word', 'label') and no rows"),
        ("\n\n", "empty"),
        ("", "empty"),
    ],
)
def test_files_without_rows_are_refused(write, refused, text, complaint):
    path = write("drinks.csv", text)
    with refused(path, complaint):
        wideberth.read(path)


def test_vectors_of_unequal_lengths_are_refused(write, refused):
    path = write("points.csv", "point\n1 2\n1 2 3\n")
    with refused(path, "shape (3,), the first row (2,)", "kind='series'", line=3, value="1 2 3"):
        wideberth.read(path, kind="vectors")
    assert len(wideberth.read(path, kind="series")) == 2


def test_series_of_unequal_channels_are_refused(write, refused):
    path = write("beats.csv", 'beat\n"[[1, 2], [3, 4]]"\n1 2\n')
    with refused(path, "shape (2,), the first row (2, 2)", "same channels", line=3):
        wideberth.read(path)


def test_a_column_is_not_both_objects_and_labels(write):
    with pytest.raises(InvalidInput, match="'word' is named as column and as target"):
        wideberth.read(write("drinks.csv", "word\ntea\n"), column="word", target="word")


def test_an_unknown_kind_lists_the_known_ones(write):
    with pytest.raises(UnknownName, match=r"'words' is not a kind of objects.*'strings'"):
        wideberth.read(write("drinks.csv", "word\ntea\n"), kind="words")
