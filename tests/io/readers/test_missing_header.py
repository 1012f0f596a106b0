"""A table without a header: its first line is taken for one, which is said where it looks like
data, and only there.
"""

import warnings

import pytest

from wideberth.errors import InvalidFile, InvalidInput
from wideberth.io.readers import read, read_batches

NAMELESS = "sour milk,bad\nhot tea,good\nold milk,bad\niced tea,good\nwarm gin,bad\n"
IRIS = "5.1,3.5,setosa\n4.9,3.0,setosa\n4.7,3.2,setosa\n7.0,3.2,virginica\n"


@pytest.fixture
def table(tmp_path):
    def written(content, name="table.csv"):
        (tmp_path / name).write_text(content)
        return tmp_path / name

    return written


NEWS = (
    "3,Wall St. Bears Claw Back,Short sellers are seeing green again today\n"
    "4,A New Probe Has Landed,It has sent its first picture home\n"
    "3,Oil Prices Rise Once More,They rose because of a pipeline\n"
    "1,Talks Begin In The Capital,Both sides say that they hope for peace\n"
    "2,The Cup Goes North Again,A late goal decided the last match\n"
)


def test_a_first_line_that_is_clearly_data_is_data(table):
    with pytest.warns(UserWarning, match="the first line is data.*header=True"):
        records = read(table(IRIS), target="3")
    assert (records.objects[0].tolist(), records.labels[0]) == ([5.1, 3.5], "setosa")
    with pytest.warns(UserWarning, match="the first line is data"):
        records = read(table(NEWS), target="1")
    assert (len(records), records.kind, records.column) == (5, "strings", ("2", "3"))


def test_quoted_cells_of_such_a_file_are_read_as_they_are_published(table):
    rows = [row.split(",") for row in NEWS.splitlines()]
    quoted = "".join(f'"{one}","{title}","{text}, ""they"" say."\n' for one, title, text in rows)
    with pytest.warns(UserWarning, match="the first line is data"):
        records = read(table(quoted), target="1")
    assert records.labels == ["3", "4", "3", "1", "2"]
    assert records.objects[2] == (
        'Oil Prices Rise Once More\nThey rose because of a pipeline, "they" say.'
    )


def test_the_caller_says_whether_there_is_a_header(table):
    records = read(table(NAMELESS), target="2", header=False)
    assert (records.objects[0], records.labels[0], len(records)) == ("sour milk", "bad", 5)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert read(table("5.5,b\n5.1,a\n5.2,b\n5.3,a\n"), header=True, target="b").column == "5.5"
    with pytest.raises(InvalidInput, match=r"header=False for .*, which is a FASTA file"):
        read(table(">a\nACGT\n", "t.fasta"), header=False)


@pytest.mark.parametrize(("content", "value"), [(NAMELESS, "bad")])
def test_a_header_with_a_value_of_its_column_is_warned_of(table, content, value):
    with pytest.warns(
        UserWarning,
        match=f"the first line is read as the names of the columns, and '{value}' in it",
    ):
        read(table(content), target=value)


@pytest.mark.parametrize("content", [NAMELESS])
def test_the_error_about_a_missing_column_says_where_the_names_come_from(table, content):
    with pytest.raises(
        InvalidFile,
        match="first line of the file: if that is data, say so, header=False, or put a line that "
        "names the columns before it",
    ):
        read(table(content), target="label")


@pytest.mark.parametrize(
    "content",
    [
        "age,male\n20,male\n30,male\n40,female\n",  # 'age' above numbers can only be a name
        "drink,y\ntea,y\nrum,y\ngin,n\n",  # one letter
        # a name that columns of labels have
        "drink,category\ntea,category\nrum,category\ngin,other\n",
        "drink,kind\ntea,soft\nrum,hard\nkind,soft\n",  # in another column
        "drink,kind\ntea,soft\nrum,hard\ngin,kind\n",  # once
        "400.5,401.5,kind\n0.1,0.2,a\n0.3,0.4,b\n0.1,0.4,b\n0.2,0.1,a\n",  # a spectrum by its wavelengths
        "1990,1991,kind\n1990,1991,a\n1990,1991,b\n",  # years above numbers
    ],
)
def test_true_headers_are_not_doubted(table, content):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        read(table(content), target=content.splitlines()[0].split(",")[-1])


def test_other_errors_do_not_mention_it(table):
    with pytest.raises(InvalidFile) as failed:
        read(table("drink,kind\ntea,soft\nrum,hard\n"), target="label")
    assert "first line" not in str(failed.value)
    with pytest.raises(InvalidFile) as failed:
        read(table('{"5.1": "tea"}\n', "table.jsonl"), target="label")
    assert "first line" not in str(failed.value)


def test_new_objects_are_not_spoken_of(table):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        list(read_batches(table(NAMELESS), labels=False, column="sour milk"))
