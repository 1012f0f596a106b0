"""``wideberth report``, by the real command."""

import csv
import json
import sys

import pytest

TEAS = ["tea", "teas", "tee", "team", "ten", "tear", "teal", "tent"]
RUMS = ["rum", "rums", "rumor", "rim", "ram", "rom", "rump", "drum"]


@pytest.fixture
def model(folder, run):
    rows = [
        *((word, "soft") for word in TEAS),
        *((word, "hard") for word in RUMS),
        ("teams", "hard"),
    ]
    for name, table in {
        "drinks.csv": rows,
        "new.csv": [("teen", "soft"), ("rumba", "hard"), ("tom", "hard")],
    }.items():
        with (folder / name).open("w", newline="") as stream:
            csv.writer(stream).writerows(
                [("number", "name", "kind"), *((f"n{i}", *row) for i, row in enumerate(table))]
            )
    options = (
        "--target",
        "kind",
        "--column",
        "name",
        "--model",
        "neighbors",
        "--param",
        "n_neighbors=3",
    )
    run("fit", "drinks.csv", *options, "-o", "drinks.wb")
    return "drinks.wb"


def test_a_page_is_written_and_told_in_short(run, model, folder):
    done = run("report", model, "drinks.csv", "-o", "page.html")
    page = (folder / "page.html").read_text(encoding="utf-8")
    assert "A NeighborsClassifier learned from 17 labelled objects" in done.out
    assert "Check first: line 18" in done.out
    assert "The report is in page.html" in done.err
    assert "drinks.wb on drinks.csv" in page
    assert "teams" in page
    assert "Lines are those of the file." in page


def test_new_objects_have_an_interval(run, model, folder):
    done = run("report", model, "new.csv")
    assert (folder / "report.html").is_file()
    assert "new to the model" in done.out
    assert "with 95% confidence" in done.out


def test_without_objects(run, model, folder):
    done = run("report", model, "drinks.csv", "--no-objects")
    assert "It holds no objects" in done.err
    page = (folder / "report.html").read_text(encoding="utf-8")
    assert "teams" not in page
    assert "line 18" in page


def test_programs_get_the_facts(run, model, folder):
    facts = json.loads(run("report", model, "drinks.csv", "--json").out)
    assert facts["error"]["n"] == 17
    assert not (folder / "report.html").exists()
    json.loads(run("report", model, "drinks.csv", "--json", "-o", "r.html").out)
    assert (folder / "r.html").is_file()


def test_the_input_is_not_overwritten(run, model):
    assert (
        "would be overwritten" in run("report", model, "drinks.csv", "-o", "drinks.csv", code=2).err
    )


def test_the_extra_is_looked_for_before_anything_is_read(run, monkeypatch):
    monkeypatch.setitem(sys.modules, "jinja2", None)
    monkeypatch.delitem(sys.modules, "wideberth.cli.report", raising=False)
    told = run("report", "no_such_model.wb", "no_such_data.csv", code=2)
    assert 'pip install "wideberth[report]"' in told.err
    assert "wideberth.cli.report" not in sys.modules
