"""A table without a header: its first line is taken for one, which is said where it looks like
data, and only there.
"""

import warnings

import pytest

from wideberth.errors import InvalidFile
from wideberth.io.readers import read, read_batches

NAMELESS = "sour milk,bad\nhot tea,good\nold milk,bad\niced tea,good\nwarm gin,bad\n"
IRIS = "5.1,3.5,setosa\n4.9,3.0,setosa\n4.7,3.2,setosa\n7.0,3.2,virginica\n"


@pytest.fixture
def table(tmp_path):
    def written(content, name="table.csv"):
        (tmp_path / name).write_text(content)
        return tmp_path / name

    return written


@pytest.mark.parametrize(("content", "value"), [(NAMELESS, "bad"), (IRIS, "setosa")])
def test_a_header_with_a_value_of_its_column_is_warned_of(table, content, value):
    with pytest.warns(
        UserWarning,
        match=f"the first line is read as the names of the columns, and '{value}' in it",
    ):
        read(table(content), target=value)


@pytest.mark.parametrize("content", [NAMELESS, IRIS])
def test_the_error_about_a_missing_column_says_where_the_names_come_from(table, content):
    with pytest.raises(
        InvalidFile,
        match="first line of the file: if that is data, put a line that names the columns before "
        "it",
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
        "400.5,401.5,kind\n0.1,0.2,a\n0.3,0.4,b\n",  # a spectrum by its wavelengths
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
