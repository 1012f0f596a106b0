"""The linear classifier on the command line: where the metric counts something, and the way out
where it does not.
"""

import sys
from pathlib import Path

import pytest

from wideberth.cli.main import main

DRINKS = """drink,kind
hot tea with milk,soft
iced tea or milk,soft
milk and tea,soft
tea and tea,soft
old rum and ale,hard
ale or rum,hard
rum with ale,hard
a cask of old rum,hard
"""


@pytest.fixture
def run(monkeypatch, capsys, tmp_path):
    monkeypatch.chdir(tmp_path)
    Path("drinks.csv").write_text(DRINKS)

    def command(*arguments):
        monkeypatch.setattr(sys, "argv", ["wideberth", *arguments])
        with pytest.raises(SystemExit) as ended:
            main()
        return ended.value.code or 0, *capsys.readouterr()

    return command


def test_fit_and_predict_with_radii_in_edits(run):
    code, out, err = run(
        "fit",
        "drinks.csv",
        "--target",
        "kind",
        "--metric",
        "words",
        "--model",
        "linear",
        "-o",
        "drinks.wb",
    )
    assert (code, err) == (0, "")
    assert "LinearLipschitzClassifier by words distance, learned from 8 objects" in out
    assert "exact up to 3 edits, by shortest paths" in out
    code, out, _ = run("predict", "drinks.wb", "drinks.csv", "--unit", "edit")
    assert code == 0
    assert out.count("soft") >= 4


def test_answers_explanations_and_accuracies_speak_of_edits_and_features(run):
    run(
        "fit",
        "drinks.csv",
        "--target",
        "kind",
        "--metric",
        "words",
        "--model",
        "linear",
        "-o",
        "drinks.wb",
    )
    assert run("predict", "drinks.wb", "drinks.csv")[1].startswith(
        "drink,kind,label,lead,safe_edits\n"
    )
    explained = run("explain", "drinks.wb", "milk and tea")[1]
    assert "nearest training objects" not in explained  # the model holds none
    assert "what the score is made of" in explained
    assert "milk " in explained
    assert "after any 1 edit" in run("evaluate", "drinks.wb", "drinks.csv", "--target", "kind")[1]


def test_a_metric_that_counts_nothing_is_refused_with_the_way_out(run):
    code, _, err = run(
        "fit", "drinks.csv", "--target", "kind", "--metric", "levenshtein", "--model", "linear"
    )
    assert code != 0
    assert "--metric 'words' or 'ngrams'" in err


def test_tables_of_methods_leave_it_out_where_it_does_not_suit(run):
    counted = run("compare", "drinks.csv", "--target", "kind", "--metric", "words", "--folds", "2")[
        1
    ]
    assert "linear in counts, C = 1" in counted
    assert "measured once" in counted
    measured = run(
        "compare", "drinks.csv", "--target", "kind", "--metric", "levenshtein", "--folds", "2"
    )[1]
    assert "linear in counts" not in measured
    assert (
        "LinearLipschitzClassifier"
        in run("doctor", "drinks.csv", "--target", "kind", "--metric", "words")[1]
    )
    assert (
        "LinearLipschitzClassifier"
        not in run("doctor", "drinks.csv", "--target", "kind", "--metric", "levenshtein")[1]
    )
    asked = run(
        "compare",
        "drinks.csv",
        "--target",
        "kind",
        "--metric",
        "levenshtein",
        "--model",
        "linear",
        "--folds",
        "2",
    )[1]
    assert "linear in counts (levenshtein): It does not take the metric levenshtein" in asked


@pytest.mark.few(1)
@pytest.mark.parametrize(("column", "metric"), [("drink", "words"), ("word", "ngrams")])
def test_the_metric_that_is_chosen_suits_the_model(run, column, metric):
    rows = [line.split(",") for line in DRINKS.splitlines()[1:]]
    Path("drinks.csv").write_text(
        "drink,word,kind\n" + "".join(f"{text},{text.split()[0]},{kind}\n" for text, kind in rows)
    )
    asked = ("drinks.csv", "--target", "kind", "--column", column, "--model", "linear")
    code, out, err = run("fit", *asked)
    assert (code, err) == (0, "")
    assert (
        f"Metric: {metric}, chosen because the objects are strings, and --model linear needs one "
        "of counts." in out
    )
    assert f"Metric: {metric}, chosen" in run("compare", *asked, "--folds", "2")[1]
    assert run("suspects", *asked, "--folds", "2")[0] == 0


def test_the_metric_that_is_chosen_for_numbers_suits_the_model(run):
    Path("sizes.csv").write_text(
        "a,b,kind\n" + "".join(f"{i},{i % 3},{'large' if i > 5 else 'small'}\n" for i in range(12))
    )
    code, out, _ = run("fit", "sizes.csv", "--target", "kind", "--model", "linear")
    assert code == 0
    assert "Metric: manhattan, chosen because the objects are vectors" in out


def test_the_way_out_is_in_words_of_the_command_line(run):
    err = run(
        "fit", "drinks.csv", "--target", "kind", "--metric", "levenshtein", "--model", "linear"
    )[2]
    assert "wideberth.transforms" not in err
    assert (
        run(
            "fit",
            "drinks.csv",
            "--target",
            "kind",
            "--metric",
            "total(words, ngrams)",
            "--model",
            "linear",
        )[0]
        == 0
    )


def test_radii_in_words_and_synonyms(run):
    Path("synonyms.json").write_text('{"tea": ["chai"], "Rum": ["ale", "tea"]}')
    named = ("drinks.csv", "--target", "kind", "--model", "linear", "--metric")
    code, out, _ = run("fit", *named, "words", "--param", "unit=word", "-o", "words.wb")
    assert code == 0
    assert "a word is what stands between white space" in out
    code, out, _ = run("predict", "words.wb", "drinks.csv", "--unit", "word")
    assert code == 0
    assert "safe_word_edits" in out
    code, out, _ = run("explain", "words.wb", "hot tea with milk", "--unit", "word")
    assert code == 0
    assert "word edit" in out
    marks, synonyms = "words(tokens=punctuation)", "synonyms=synonyms.json"
    code, out, _ = run("fit", *named, marks, "--param", synonyms, "-o", "marks.wb")
    assert code == 0
    assert "2 words have synonyms in the table" in out
    code, out, _ = run("predict", "marks.wb", "drinks.csv")
    assert code == 0
    assert "safe_synonyms" in out
    code, _, err = run("predict", "words.wb", "drinks.csv", "--unit", "synonym")
    assert code != 0
    assert "'word edit'" in err  # among the units that there are


@pytest.mark.parametrize(
    ("written", "told"),
    [
        ("[1]", "it holds a list"),
        ('{"tea": "chai"}', "'tea' has no list of words"),
        ('{"tea": ["chai"], "tea": []}', "field 'tea' twice"),
        ("tea,chai", "it is no JSON"),
    ],
)
def test_a_file_that_is_no_table_of_synonyms(run, written, told):
    Path("table.json").write_text(written)
    named = ("drinks.csv", "--target", "kind", "--model", "linear", "--metric", "words")
    code, _, err = run("fit", *named, "--param", "synonyms=table.json", "-o", "model.wb")
    assert code != 0
    assert "table.json is no table of synonyms" in err
    assert told in err
    assert '{"good": ["fine", "great"]}' in err
