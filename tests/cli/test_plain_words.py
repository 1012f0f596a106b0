"""Errors and remarks that a newcomer meets: the value, in plain words, and the way out; all by the
real command.
"""

import re

import pytest

ROWS = "age,colour,day,buys\n" + "".join(
    f"{20 + i},{'red' if i % 2 else 'blue'},2024-01-{i + 1:02d},{'yes' if i % 2 else 'no'}\n"
    for i in range(12)
)
NUMBERS = "a,b,kind\n" + "".join(
    f"{i % 7},{i % 3},{'large' if i % 7 > 3 else 'small'}\n" for i in range(30)
)
DRINKS = "drink,kind\ntea,soft\ntee,soft\nmilk,soft\nrum,hard\nrom,hard\ngin,hard\n"


@pytest.fixture
def rows(folder, run):
    (folder / "rows.csv").write_text(ROWS)
    run("fit", "rows.csv", "--target", "buys", "--model", "neighbors", "-o", "rows.wb")
    return "rows.wb"


@pytest.fixture
def numbers(folder, run):
    (folder / "numbers.csv").write_text(NUMBERS)
    run("fit", "numbers.csv", "--target", "kind", "--model", "neighbors", "-o", "numbers.wb")
    return "numbers.wb"


@pytest.fixture
def words(folder, run):
    (folder / "drinks.csv").write_text(DRINKS)
    run("fit", "drinks.csv", "--target", "kind", "--model", "neighbors", "-o", "drinks.wb")
    return "drinks.wb"


@pytest.mark.parametrize("typed", ["35,red,2024-01-11", '[35, "red"]', "no.csv"])
def test_an_object_without_its_columns_is_refused_with_their_names(run, rows, typed):
    failed = run("explain", rows, typed, code=2).err
    assert (
        "and 3 are needed: 'age', 'colour', 'day'. Write {\"age\": ..., \"colour\": ..., \"day\": "
        "...}." in failed
    )
    assert "'value'" not in failed


def test_a_list_of_as_many_values_as_columns_is_an_object(run, rows):
    assert '[35, "red", "2024-01-11"]: yes' in run("explain", rows, '[35, "red", "2024-01-11"]').out


def test_objects_of_a_file_are_explained(run, words, folder):
    assert "line 3: tee: soft" in run("explain", words, "drinks.csv", "--row", "3").out
    done = run("explain", words, "drinks.csv")
    assert "the first 5 of 6 objects; --row LINE or --id NAME chooses" in done.err
    assert done.out.count("nearest training objects") == 5
    (folder / "more.csv").write_text("id,drink\nx1,rum\nx2,\nx3,tea\n")
    assert "line 4 (x3): tea: soft" in run("explain", words, "more.csv", "--id", "x3").out
    for arguments, message in (
        (["drinks.csv", "--row", "1"], "no object in line 1. Its objects are in lines 2 to 7"),
        (["more.csv", "--id", "x9"], "no object is called 'x9'. Some are 'x1', 'x3'"),
        (["tea", "--row", "2"], "there is no file 'tea'"),
        (["drinks.csv", "tea"], "drinks.csv is a file, and 2 arguments are given"),
    ):
        assert message in run("explain", words, *arguments, code=2).err


def test_too_few_numbers_are_counted_with_the_columns(run, numbers):
    failed = run("explain", numbers, "0.5", code=2).err
    assert "1 number, and the model learned from objects of 2: 'a', 'b'. Write 2 numbers" in failed
    assert run("explain", numbers, "0.5,1").out


def test_dates_are_shown_as_dates(run, rows, folder):
    explained = run("explain", rows, '{"age": 25, "colour": "red", "day": "2024-01-06"}').out
    assert '"day": "2024-01-06"' in explained
    assert "197" not in explained
    (folder / "days.csv").write_text(
        "age,day,kind\n" + "".join(f"{i},2024-01-{i + 1:02d},{'ab'[i > 5]}\n" for i in range(12))
    )
    run("fit", "days.csv", "--target", "kind", "--model", "neighbors", "-o", "days.wb")
    explained = run("explain", "days.wb", "days.csv", "--row", "5").out
    assert "a row with age 5.5, day 2024-01-06 12:00:00 is b" in explained
    assert "197" not in explained
    for typed in (
        "3,2024-01-04",
        '[3, "2024-01-04"]',
        "[3, 19726]",
        '{"age": 3, "day": "2024-01-04"}',
    ):
        lines = run("explain", "days.wb", typed).out.splitlines()
        assert any(line.split()[:3] == ["day", "2024-01-04", "2024-01-04"] for line in lines)
    gap = run("explain", "days.wb", "3,")
    assert any(line.split()[:2] == ["day", "—"] for line in gap.out.splitlines())
    assert gap.err.count("Numbers are missing in 1 object") == 1
    run("suspects", "days.csv", "--target", "kind", "--model", "neighbors", "-o", "all.csv")
    assert re.search(r"\[\d+, 2024-01-\d\d\]", (folder / "all.csv").read_text())


@pytest.mark.parametrize("command", [("predict",), ("evaluate",), ("certify",), ("explain",)])
def test_a_unit_that_is_none_is_refused_with_those_there_are(run, words, command):
    asked = "tea" if command == ("explain",) else "drinks.csv"
    failed = run(*command, words, asked, "--unit", "foo", code=2).err
    assert (
        "--unit 'foo': no radius by 'levenshtein' is proved in it. Leave --unit out, or name "
        "'edit', 'levenshtein'" in failed
    )
    assert "Metric(" not in failed


def test_a_unit_for_a_server_is_checked_too(run, words):
    assert "--unit 'foo': no radius" in run("serve", words, "--unit", "foo", code=2).err


def test_a_model_that_only_guesses_is_warned_of(run, numbers, folder):
    (folder / "same.csv").write_text("a,kind\n" + "7,x\n7,y\n" * 8)
    assert (
        "all 16 objects are equal"
        in run("fit", "same.csv", "--target", "kind", "--model", "neighbors").err
    )
    (folder / "noise.csv").write_text(
        "word,kind\n" + "".join(f"{'abcdefghij'[i]},{i % 2}\n" for i in range(10))
    )
    guessed = run("fit", "noise.csv", "--target", "kind", "--model", "neighbors").err
    assert (
        "the model is no better than guessing: 100.0% of the objects that were left out one by one are "
        "classified wrongly" in guessed
    )
    assert "always answering '0' errs on 50.0%" in guessed
    (folder / "more.csv").write_text(
        "word,kind\n" + "".join(f"{'kmnop'[i % 5]}{i},{int(i % 3 > 0)}\n" for i in range(30))
    )
    told = run("evaluate", "noise.wb", "more.csv").out
    assert "The model is no better than guessing: always answering '1' is right for 66.7%" in told
    assert (
        run("fit", "numbers.csv", "--target", "kind", "--model", "neighbors", "-o", "other.wb").err
        == ""
    )


def test_wrong_values_of_options_are_told_in_plain_words(run, numbers):
    def told(*arguments):
        return " ".join(run(*arguments, code=2).err.replace("│", " ").split())

    named = told("fit", "numbers.csv", "--model", "neighbours")
    assert "Did you mean 'neighbors'?" in named
    assert "Value error" not in named
    assert "99999" in told("serve", numbers, "--port", "99999")
    assert "'abc' is not" in told("serve", numbers, "--port", "abc")
    assert "-3" in told("fit", "numbers.csv", "--time", "-3")
    assert "Missing argument" in told("explain")


def test_a_table_without_a_header_is_recognised(folder, run):
    (folder / "nameless.csv").write_text(
        "sour milk,bad\nhot tea,good\nold milk,bad\niced tea,good\nwarm gin,bad\n"
    )
    assert (
        "put a line that names the columns before it"
        in run("fit", "nameless.csv", "--target", "kind", code=2).err
    )
    assert (
        "the first line is read as"
        in run("fit", "nameless.csv", "--target", "bad", "--model", "neighbors").err
    )


def test_rows_that_push_or_would_change_the_answer_are_told_by_the_cells_that_differ(
    run, numbers, rows
):
    explained = run("explain", numbers, "0.5,1").out
    assert "    a row with a 1  +0.25\n" in explained
    assert "what would change the answer: a row with a 3.5 is large" in explained
    assert "a row with the same cells  +1" in run("explain", rows, "rows.csv", "--row", "2").out
