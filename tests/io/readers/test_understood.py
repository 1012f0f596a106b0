"""What is understood of a table: every column is used, or it is said why not; nothing is read as
something else in silence.
"""

import warnings

import numpy as np
import pytest

import wideberth
from wideberth.errors import InvalidInput, LabelSpellingWarning, UnknownName
from wideberth.io.readers import ColumnUse, read_batches, reading

SENTENCES = [f"The {n}th cup of tea is better than the one before it." for n in range(30)]
PEOPLE = ["Ada", "Bob", "Cleo", "Dan", "Eve"] * 6


def table(**columns):
    """A table separated by semicolons."""
    rows = zip(*columns.values(), strict=True)
    return "\n".join(";".join(map(str, row)) for row in [tuple(columns), *rows]) + "\n"


def uses(records):
    return {use.name: use.use for use in records.understood}


def why(records, name):
    return next(use.why for use in records.understood if use.name == name)


def test_numbers_next_to_one_text_column_are_not_dropped(write):
    records = wideberth.read(
        write("t.csv", "city,age,income,label\nUlm,30,1.5,a\nBonn,40,2.5,b\nUlm,50,3.5,a\n")
    )
    assert records.kind == "rows"
    assert records.objects[0] == {"city": "Ulm", "age": 30.0, "income": 1.5}
    assert uses(records) == {
        "city": "category",
        "age": "number",
        "income": "number",
        "label": "label",
    }
    assert all(isinstance(use, ColumnUse) for use in records.understood)


def test_each_column_is_mentioned_in_the_order_of_the_file(write):
    text = "id,word,w,g,empty,label\n1,tea,2,x,,a\n2,rum,0.5,y,,b\n"
    records = wideberth.read(write("t.csv", text), weight="w", groups="g", keep_cells=True)
    assert list(uses(records).items()) == [
        ("id", "identifier"),
        ("word", "text"),
        ("w", "weight"),
        ("g", "group"),
        ("empty", "ignored"),
        ("label", "label"),
    ]
    assert (records.objects, records.names, records.weights, records.groups) == (
        ["tea", "rum"],
        ["1", "2"],
        [2.0, 0.5],
        ["x", "y"],
    )
    assert records.cells[0] == {
        "id": "1",
        "word": "tea",
        "w": "2",
        "g": "x",
        "empty": "",
        "label": "a",
    }
    assert list(records.cells[0]) == ["id", "word", "w", "g", "empty", "label"]
    assert wideberth.read(write("t.csv", text)).cells is None


@pytest.mark.parametrize("size", [1, 7, 1000])
def test_batches_carry_the_same_and_joined_are_the_whole(write, size):
    path = write(
        "t.csv",
        table(
            id=range(25),
            word=PEOPLE[:25],
            age=range(0, 50, 2),
            label=["a", "b", " b", "a", "b"] * 5,
        ),
    )
    batches = list(read_batches(path, size=size, keep_cells=True, weight="age"))
    whole = wideberth.read(path, keep_cells=True, weight="age")
    for name in ("objects", "labels", "names", "weights", "cells"):
        assert [item for batch in batches for item in getattr(batch, name)] == list(
            getattr(whole, name)
        )
    assert batches[-1].understood == whole.understood


@pytest.mark.parametrize(
    "name",
    [
        "id",
        "ID",
        "customer_id",
        "CustomerID",
        "PassengerId",
        "uuid",
        "nr",
        "id number",
        "Row.Key",
        "account",
        "Invoice Number",
        "serial_number",
        "Phone",
    ],
)
def test_what_is_called_an_identifier_and_never_repeats_is_one(write, name):
    records = wideberth.read(write("t.csv", f"{name},x,z\n7,1,2\n9,1,3\n8,2,2\n"))
    assert (records.column, records.names) == (("x", "z"), ["7", "9", "8"])
    assert uses(records)[name] == "identifier"
    again = wideberth.read(write("t.csv", f"{name},x,z\n7,1,2\n7,1,3\n"))
    assert uses(again)[name] == "number"
    assert again.names is None
    named = wideberth.read(write("t.csv", f"{name},x,z\n7,1,2\n9,1,3\n"), column=[name, "x"])
    assert named.column == (name, "x")


@pytest.mark.parametrize(
    "name",
    [
        "grid",
        "valid",
        "identity",
        "kid",
        "height",
        "number",
        "accounts",
        "order",
        "telephones sold",
    ],
)
def test_other_names_are_not_those_of_identifiers(write, name):
    assert uses(wideberth.read(write("t.csv", f"{name},x\n7,1\n9,1\n")))[name] == "number"


def test_uuids_and_numbers_of_rows_are_identifiers(write):
    uuids = [f"{n:08x}-0000-4000-8000-{n:012x}" for n in range(25)]
    records = wideberth.read(
        write("t.csv", table(key_of_it=uuids, x=[1, 2, 3, 4, 5] * 5, z=[5, 5, 4, 4, 3] * 5))
    )
    assert uses(records)["key_of_it"] == "identifier"
    assert why(records, "key_of_it") == "UUIDs; keep='key_of_it' makes it a feature"
    records = wideberth.read(
        write(
            "t.csv", table(sample=[*range(1, 25), 0], x=[1, 2, 3, 4, 5] * 5, z=[5, 5, 4, 4, 3] * 5)
        )
    )
    assert (uses(records)["sample"], records.names[0]) == ("identifier", "1")
    assert why(records, "sample").endswith("keep='sample' makes it a feature")
    path = write("t.csv", table(doses=range(100, 125), x=[1, 2, 3, 4, 5] * 5))
    assert uses(wideberth.read(path))["doses"] == "number"
    patients = [n // 2 for n in range(40)]
    path = write("t.csv", table(patient_id=patients, x=[1, 2, 3, 4, 5] * 8, z=[1, 2] * 20))
    assert uses(wideberth.read(path))["patient_id"] == "identifier"
    assert uses(wideberth.read(path, keep="patient_id"))["patient_id"] == "number"
    shuffled = [
        (7 * n) % 25 * 1000 for n in range(25)
    ]  # another whole number in each row, but no counting
    records = wideberth.read(write("t.csv", table(population=shuffled, x=[1, 2, 3, 4, 5] * 5)))
    assert uses(records)["population"] == "number"
    assert why(records, "population") == (
        "whole, another in each row: if that names the rows, leave it out by naming the others, "
        "column=..."
    )


def test_the_index_of_pandas_is_an_identifier(write):
    records = wideberth.read(write("sizes.csv", ",height,weight\n0,1,2\n1,3,4\n"))
    assert (records.objects.tolist(), records.names) == ([[1, 2], [3, 4]], ["0", "1"])


def test_identifiers_alone_are_the_objects(write):
    records = wideberth.read(write("t.csv", "id,label\nA1,x\nB2,y\n"))
    assert (records.objects, records.names, uses(records)["id"]) == (["A1", "B2"], None, "text")
    records = wideberth.read(write("t.csv", "id,uuid,x,label\n1,a,5,x\n2,b,6,y\n"))
    assert (records.column, records.names) == ("x", ["1", "2"])
    assert "'id' names the objects" in why(records, "uuid")


def test_names_of_rows_are_identifiers_where_columns_describe_them(write):
    text = table(
        name=["Ada", "Bob", "Cleo"],
        age=[30, 40, 50],
        city=["Ulm", "Bonn", "Ulm"],
        label=["a", "b", "a"],
    )
    records = wideberth.read(write("t.csv", text))
    assert (records.column, records.names) == (("age", "city"), ["Ada", "Bob", "Cleo"])
    path = write(
        "t.csv", table(name=["Ada", "Bob", "Cleo"], percent=[3, 2, 1], label=["f", "m", "f"])
    )
    assert wideberth.read(path).objects.tolist() == [[3], [2], [1]]
    assert wideberth.read(path, keep="name").objects[0] == {"name": "Ada", "percent": 3.0}
    assert wideberth.read(path, column="name").objects == ["Ada", "Bob", "Cleo"]
    records = wideberth.read(path, column="percent")
    assert (records.objects.tolist(), records.names) == ([[3], [2], [1]], ["Ada", "Bob", "Cleo"])
    assert wideberth.read(write("t.csv", "name,label\nAda,f\nBob,m\n")).objects == ["Ada", "Bob"]


def test_free_text_is_the_object_next_to_identifiers_and_what_may_be_labels(write):
    topics = ["tea", "rum"] * 15
    records = wideberth.read(write("t.csv", table(id=range(30), text=SENTENCES, topic=topics)))
    assert (records.kind, records.column, records.objects) == ("strings", "text", SENTENCES)
    assert uses(records) == {"id": "identifier", "text": "text", "topic": "ignored"}
    assert "target='topic' makes them labels" in why(records, "topic")
    assert (
        wideberth.read(write("t.csv", table(text=SENTENCES, topic=topics)), target="topic").labels
        == topics
    )
    phrases = [" ".join(text.split()[:6]) + f" number {n}" for n, text in enumerate(SENTENCES)]
    path = write("t.csv", table(text=phrases, stars=[1.5, 2.5, 3.5] * 10, label=topics))
    records = wideberth.read(path)
    assert (records.kind, uses(records)["text"]) == ("vectors", "ignored")
    assert "column='text' makes them the objects" in why(records, "text")
    documents = [f"{text} {text} {text}" for text in SENTENCES]
    long = write("long.csv", table(text=documents, stars=[1.5, 2.5, 3.5] * 10, label=topics))
    records = wideberth.read(long)
    assert (records.objects, uses(records)["stars"]) == (documents, "ignored")
    assert wideberth.read(path, column="text").objects == phrases
    assert wideberth.read(path, column="stars").objects.shape == (30, 1)
    assert wideberth.read(path, kind="rows").kind == "rows"


def test_a_title_and_a_text_are_joined(write):
    titles = [f"About drink {n}" for n in range(30)]
    topics = ["tea", "rum"] * 15
    path = write("t.csv", table(title=titles, text=SENTENCES, topic=topics))
    records = wideberth.read(path, target="topic")
    assert (records.kind, records.column) == ("strings", ("title", "text"))
    assert records.objects[0] == f"{titles[0]}\n{SENTENCES[0]}"
    again = wideberth.read(path, column=["title", "text"], kind="strings")
    assert again.objects == records.objects


def test_texts_that_all_differ_are_no_category(write):
    words = [f"word{n}" for n in range(30)]
    path = write("t.csv", table(word=words, size=[1.5, 2.5, 3.5] * 10, label=["a", "b"] * 15))
    records = wideberth.read(path)
    assert (records.column, uses(records)["word"]) == ("size", "ignored")
    assert "texts that differ from row to row; keep='word' compares" in why(records, "word")
    assert wideberth.read(path, keep="word").kind == "rows"
    assert wideberth.read(path, column="word").objects == words


def test_series_next_to_numbers_are_refused_until_chosen(write, refused):
    path = write("t.csv", 'beat,age,label\n"[1, 2]",30.5,a\n"[3, 4]",40.5,b\n')
    with refused(path, "The cells of 'beat' are series", "column='beat'", "column='age'"):
        wideberth.read(path)
    assert wideberth.read(path, column="beat").kind == "series"


def test_sequences_are_found_by_name(write):
    records = wideberth.read(
        write("t.csv", "Sequence,length,species,label\nACGT,4,ape,a\nACGA,4,cat,b\n")
    )
    assert (records.kind, records.column, records.objects) == (
        "strings",
        "Sequence",
        ["ACGT", "ACGA"],
    )
    assert "kind='rows' takes all columns" in why(records, "length")
    assert wideberth.read(write("t.csv", "sequence,x,label\n1,2,a\n3,4,b\n")).kind == "vectors"


def test_empty_and_constant_columns_are_said(write, refused):
    records = wideberth.read(write("t.csv", "x,void,same,label\n1,,7,a\n2,,7,b\n"))
    assert (records.column, uses(records)["void"], why(records, "void")) == (
        ("x", "same"),
        "ignored",
        "empty",
    )
    assert why(records, "same") == "the same in all rows"


@pytest.mark.parametrize(
    ("cells", "use", "last"),
    [
        (["1.5", "2"], "number", 2.0),
        (['"1,5"', '"2,25"'], "number", 2.25),
        (["1969-12-31", "1970-01-03"], "date", 2.0),
        (["red", "blue"], "category", "blue"),
        ([""] * 5 + ["7"], "number", 7.0),
    ],
)
@pytest.mark.parametrize("gap", ["", "NA"])
def test_a_column_is_what_its_cells_are_however_late_they_come(write, cells, use, last, gap):
    filled = "".join(f"{x},{cell}\n" for x, cell in enumerate(cells))
    path = write("t.csv", "x,late\n" + f"1,{gap}\n" * 300 + filled)
    records = wideberth.read(path)
    assert uses(records) == {"x": "number", "late": use}
    assert records.objects[-1]["late" if use == "category" else 1] == last
    batches = list(read_batches(path, size=64))
    assert sum(map(len, batches)) == len(records)
    assert np.array_equal(batches[-1].objects[-1], records.objects[-1])
    # as a model asks for them, which knows which columns hold numbers
    numbers = ["x"] if use == "category" else ["x", "late"]
    rows = wideberth.read(path, kind="rows", column=["x", "late"], numbers=numbers).objects
    assert (rows[0]["late"], rows[-1]["late"]) == (None, last)


def test_what_comes_too_late_is_refused(write, refused, monkeypatch):
    path = write("t.csv", "x,z,void\n" + "1,2,\n" * 300 + "1,2,3\n")
    assert wideberth.read(path).column == ("x", "z", "void")
    monkeypatch.setattr(reading, "MOST_LOOKED_AT", 150)
    assert why(wideberth.read(write("s.csv", "x,z,void\n" + "1,2,\n" * 300)), "void") == (
        "empty in the first rows"
    )
    with refused(
        path, "column 'void' is empty in the rows at the beginning of the file", line=302, value="3"
    ):
        wideberth.read(path)
    assert len(wideberth.read(path, column=["x", "z"])) == 301


def test_records_that_differ_in_fields_may_have_others_later(write):
    path = write("t.jsonl", '{"a": 1, "c": 1}\n{"a": 1}\n' * 150 + '{"a": 1, "b": "tea"}\n')
    assert wideberth.read(path).objects[-1] == {"a": 1.0, "c": None, "b": "tea"}


def test_a_name_that_reveals_the_objects_does_so_however_late_they_come(write):
    path = write("t.csv", "sequence,n\n" + ",1\n" * 300 + "ACGT,2\n")
    with pytest.warns(UserWarning, match="300 of 301 rows have no object in 'sequence'"):
        assert wideberth.read(path).objects == ["ACGT"]


@pytest.mark.parametrize(
    ("cells", "numbers", "example"),
    [
        (["3,5", "12", "-0,25"], [3.5, 12, -0.25], "1,5"),
        (["1,5e3", ",5", "2,"], [1500, 0.5, 2], "1,5"),
        (["1,234.5", "12", "1,234,567"], [1234.5, 12, 1234567], "1,234.5"),
        (["1.234,5", "12", "1.234.567"], [1234.5, 12, 1234567], "1.234,5"),
        (["1'234.5", "12", "1'234'567"], [1234.5, 12, 1234567], "1'234.5"),
        (["2.5", "12", "1e3"], [2.5, 12, 1000], ""),
        (["5 %", "12%", "0.5%"], [5, 12, 0.5], "percentages"),
        (["60 kg", "70.5 kg", "8kg"], [60, 70.5, 8], "in kg"),
        (["$1,037", "$950", "-$2,000.50"], [1037, 950, -2000.5], "in $"),
        (["1 003 000", "950 000", "12"], [1003000, 950000, 12], "1 234.5"),
        (["5,5 %", "12%", "0,5%"], [5.5, 12, 0.5], "percentages"),
        (["2024-02-29", "1970-01-02", "1969-12-31"], [19782, 1, -1], "dates"),
        (
            ["1970-01-02T12:00:00Z", "1970-01-02 06:00", "1970-01-02T00:00+06:00"],
            [1.5, 1.25, 0.75],
            "dates",
        ),
        (["2.1.1970", "31.12.1969", "01.01.1970"], [1, -1, 0], "day first"),
        (["13/01/1970", "02/01/1970", "01/01/1970"], [12, 1, 0], "day first"),
        (["01/13/1970", "01/02/1970", "01/01/1970"], [12, 1, 0], "month first"),
        (["1970/01/03", "1970/1/2", "1970/01/01"], [2, 1, 0], "dates"),
        (["2 Jan 1970", "3-February-1970", "01 mar 1970"], [1, 33, 59], "dates"),
        (["January 2, 1970", "Feb 3 1970", "Mar 01, 1970"], [1, 33, 59], "dates"),
    ],
)
def test_numbers_and_dates_as_people_write_them(write, cells, numbers, example):
    records = wideberth.read(
        write("t.csv", table(x=cells, other=[1.5, 2.5, 3.5] if "," not in example else [1, 2, 3]))
    )
    np.testing.assert_allclose(records.objects[:, 0], numbers, rtol=0, atol=1e-12)
    assert example in why(records, "x")
    assert uses(records)["x"] == ("date" if "dates" in why(records, "x") else "number")


def test_what_leaves_open_what_it_means_is_refused_until_it_is_said(write, refused):
    path = write("t.csv", table(price=["1,234", "2,500"], label=["a", "b"]))
    with refused(
        path,
        "it is open what '1,234' in column 'price' means",
        "numbers={'price': '1,5'}",
        "'1,234.5'",
        value="1,234",
    ):
        wideberth.read(path)
    assert wideberth.read(path, numbers={"price": "1,5"}).objects.tolist() == [[1.234], [2.5]]
    assert wideberth.read(path, numbers={"price": "1,234.5"}).objects.tolist() == [[1234], [2500]]
    path = write("t.csv", table(day=["01/02/1970", "03/04/1970"], label=["a", "b"]))
    with refused(path, "'01/02/1970' in column 'day'", "31/12/2024", "12/31/2024"):
        wideberth.read(path)
    assert wideberth.read(path, numbers={"day": "12/31/2024"}).objects[:, 0].tolist() == [1, 62]
    assert wideberth.read(path, numbers={"day": "31/12/2024"}).objects[:, 0].tolist() == [31, 92]
    with pytest.raises(UnknownName, match="names no way to write numbers"):
        wideberth.read(path, numbers={"day": "D/M/Y"})


@pytest.mark.parametrize(
    ("price", "other", "first"),
    [
        (["1,234", "2,500"], ["0,5", "1,5"], 1.234),  # other columns have decimal commas
        (["1,234", "2,500"], ["0.5", "1.5"], 1234),  # other columns have decimal points
        (["1.234", "2.500"], ["0.5", "1.5"], 1.234),
        (["01/02/1970", "03/04/1970"], ["13/01/1970", "01/01/1970"], 31),
        (["01/02/1970", "03/04/1970"], ["01/13/1970", "01/01/1970"], 1),
    ],
)
def test_other_columns_tell_what_one_leaves_open(write, price, other, first):
    assert wideberth.read(write("t.csv", table(price=price, other=other))).objects[0, 0] == first


def test_points_between_thousands_are_not_taken_for_decimals_next_to_decimal_commas(write, refused):
    path = write("t.csv", table(salary=["1.234", "25.000"], rate=["0,5", "1,5"]))
    with refused(path, "it is open what '1.234' in column 'salary' means", "'1.5'", "'1.234,5'"):
        wideberth.read(path)
    assert wideberth.read(path, numbers={"salary": "1.234,5"}).objects[:, 0].tolist() == [
        1234,
        25000,
    ]


def test_one_number_in_another_writing_is_refused(write, refused):
    path = write("t.csv", table(x=["3,5", "4,5", "1.5", "7,25"], z=[1, 2, 3, 4]))
    with refused(
        path,
        "'1.5' in column 'x' is not a number as the others are written (1,5)",
        line=4,
        value="1.5",
    ):
        wideberth.read(path)
    path = write("t.csv", table(x=["5 %", "7 %", "0.5"], z=[1, 2, 3]))
    with refused(
        path, "'0.5' in column 'x' is not a number as the others are written", line=4, value="0.5"
    ):
        wideberth.read(path)
    path = write("t.csv", table(x=["2024-01-31", "2024-02-28", "2024-02-30"], z=[1, 2, 3]))
    with refused(path, "'2024-02-30' in column 'x'", line=4):
        wideberth.read(path)


def test_dates_in_json_are_days_and_numbers_in_quotes_are_text(write):
    path = write(
        "t.jsonl",
        '{"day": "1970-01-03", "code": "7", "label": 1}\n{"day": "1970-01-04", "code": "8", "label": 2}\n',
    )
    records = wideberth.read(path)
    assert records.objects == [{"day": 2.0, "code": "7"}, {"day": 3.0, "code": "8"}]
    assert uses(records) == {"day": "date", "code": "category", "label": "label"}


@pytest.mark.parametrize(
    "words", [("yes", "no"), ("TRUE", "FALSE"), ("ja", "nein"), ("Y", "n"), ("oui", "non")]
)
def test_truth_values_in_words_are_categories_whatever_their_case(write, words):
    yes, no = words
    records = wideberth.read(
        write("t.csv", table(member=[yes, no, yes.upper(), f" {no.lower()}"], x=[1, 2, 3, 4]))
    )
    assert [row["member"] for row in records.objects] == [
        word.capitalize() for word in (yes, no, yes, no)
    ]
    assert (uses(records)["member"], why(records, "member")) == ("category", "truth values")


def test_spaces_around_labels_are_removed_and_it_is_said(write):
    path = write("t.csv", "word,label\ntea, a\nrum,a\ngin,b \n")
    records = wideberth.read(path)
    assert records.labels == ["a", "a", "b"]
    assert "spaces around 2 labels were removed; exact_labels=True keeps them" in why(
        records, "label"
    )
    with pytest.warns(
        LabelSpellingWarning, match=r"labels ' a' \(1\) and 'a' \(1\) differ only in spelling"
    ):
        exact = wideberth.read(path, exact_labels=True)
    assert exact.labels == [" a", "a", "b "]
    assert why(exact, "label") == "by its name"


def test_labels_that_differ_only_in_case_are_warned_of_once(write):
    path = write("t.csv", "word,label\n" + "tea,True\nrum,true\ngin,False\n" * 2)
    with pytest.warns(
        LabelSpellingWarning, match=r"labels 'True' \(2\) and 'true' \(2\)"
    ) as caught:
        assert wideberth.read(path).labels == ["True", "true", "False"] * 2
    assert len(caught) == 1
    assert caught[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        wideberth.read(write("t.csv", "word,label\ntea,True\nrum,False\n"))


def test_weights_are_numbers_from_zero_and_have_columns_of_their_own(write, refused):
    path = write("t.csv", "word,w,label\ntea,1,a\nrum,-2,b\n")
    with refused(path, "the weight -2 in column 'w' is negative", line=3, value=-2.0):
        wideberth.read(path, weight="w")
    with refused(path, "there is no column 'weight'"):
        wideberth.read(path, weight="weight")
    with refused(
        write("t.csv", "word,w\ntea,1\nrum,\n"), "column 'w' is empty", "weight=...", line=3
    ):
        wideberth.read(path, weight="w")
    for options in (
        {"column": "w", "weight": "w"},
        {"target": "w", "weight": "w"},
        {"groups": "w", "weight": "w"},
    ):
        with pytest.raises(InvalidInput, match=r"'w' is named as \w+ and as \w+"):
            wideberth.read(path, **options)
    assert wideberth.read(write("t.csv", "word;w\ntea;1,5\nrum;2\n"), weight="w").weights == [
        1.5,
        2.0,
    ]


def test_decimal_commas_are_not_taken_for_a_header(write, refused):
    path = write("t.csv", "5,1;3,5\n4,9;3\n")
    with refused(path, "where the names of the columns should be", line=1):
        wideberth.read(path)


@pytest.mark.parametrize(
    ("cells", "last"),
    [
        (["1\u00a0003\u00a0000", "2\u00a0500"], 2500.0),
        (["1\u202f234,5", "12,25"], 12.25),
        (["1 234,5", "2 500"], 2500.0),
        (["1\u202f037 €", "2\u202f500 €"], 2500.0),
    ],
)
def test_thousands_may_be_separated_by_spaces_of_any_kind(write, cells, last):
    path = write("t.csv", "x;z;label\n" + "".join(f"{cell};1;a\n" for cell in cells))
    records = wideberth.read(path)
    assert uses(records)["x"] == "number"
    assert "thousands are separated" in why(records, "x")
    assert records.objects[-1].tolist() == [last, 1.0]


def test_a_space_that_does_not_stand_between_thousands_is_no_part_of_a_number(write, refused):
    assert wideberth.read(write("t.csv", "x;z\n1 23;1\n2 34;2\n"), column="x").kind == "series"
    path = write("t.csv", "x;z\n1\u00a023;1\n2\u00a034;2\n")
    with refused(path, "is not a number", line=2, value="1\u00a023"):
        wideberth.read(path)
