"""Ordinary tables: how they are halved, what peers get, and how the page tells who is ahead."""

import json
from pathlib import Path

import numpy as np
import pytest


@pytest.fixture
def tables(benchmark_module):
    return benchmark_module("tables.tables")


@pytest.fixture
def files(benchmark_module):
    return benchmark_module("tables.files")


def table(file, errors=None, noise=1.0, **changed):
    """What is kept of a table: all commands ended well unless ``changed`` says otherwise."""
    names = ("fit", "predict", "evaluate", "suspects", "report")
    facts = {
        "file": file,
        "package": "toys",
        "target": "kind",
        "has_classes": True,
        "commands": {name: {"code": 0, "seconds": 2.0, "remarks": ""} for name in names},
        "left_out": ["id"],
    }
    if errors is not None:
        ours, theirs = errors
        facts |= {
            "known": 100,
            "asked": 100,
            "classes": 2,
            "gaps": 5.0,
            "errors": {"fit": ours, "HistGB": theirs},
            "most_frequent": 50.0,
            "differences": {"HistGB": [ours - theirs, noise]},
            "family": "svm",
            "metric": "gower",
        }
    return facts | changed


def test_there_are_forty_tables_each_once(files):
    assert len({each.key for each in files.TABLES}) == 40
    assert sum(not each.has_classes for each in files.TABLES) == 4


def test_ahead_and_behind_are_beyond_two_standard_errors(tables):
    found = [table("tea.csv", (10, 13)), table("rum.csv", (10, 11)), table("gin.csv", (13, 10))]
    shown = tables.page({"most": 200, "tables": found})
    assert "ended well on 3 of 3 tables" in shown
    assert "| HistGB | 3 | 1 / 1 / 1 | -0.3 ± 1.8 | -1.0 |" in shown


def test_commands_that_did_not_end_well_are_told(tables):
    failed = table("tea.csv")
    failed["commands"]["report"] = {
        "code": 1,
        "seconds": 1.0,
        "remarks": "wideberth: a remark\nwideberth: asked.csv: out of tea.\n",
    }
    refused = table("rum.csv", has_classes=False)
    refused["commands"]["fit"] = {
        "code": 2,
        "seconds": 1.0,
        "remarks": "wideberth: known.csv: 'kind' holds measurements.\n",
    }
    shown = tables.page(
        {
            "most": 200,
            "tables": [failed, refused, table("gin.csv", (1, 2)), table("ale.csv", (1, 1))],
        }
    )
    assert "ended well on 2 of 3 tables" in shown
    assert "- tea.csv, `report`: out of tea." in shown
    assert "| rum.csv | kind | 'kind' holds measurements. |" in shown
    assert len(list(tables.rows({"tables": [failed, refused]}))) == 0


def test_halves_of_a_document_are_different_records(benchmark_module, tmp_path):
    path = tmp_path / "tea.json"
    path.write_text(json.dumps([{"n": n} for n in range(9)]), encoding="utf-8")
    known, asked = benchmark_module("halves").halves(path, tmp_path, most=6)
    found = [[each["n"] for each in json.loads(half.read_text())] for half in (known, asked)]
    assert [len(each) for each in found] == [3, 3]
    assert len({*found[0], *found[1]}) == 6


def test_peers_get_columns_without_names_of_rows_and_days(benchmark_module, files, tmp_path):
    peers = benchmark_module("tables.peers")
    path = Path(tmp_path, "tea.csv")
    path.write_text(
        ",id,day,sort,kind\n1,a,1970-01-03,x,None\n2,b,,,NA\n3,c,1970-01-02,y,b \n",
        encoding="utf-8",
    )
    about = files.Table("toys", "tea.csv", "kind", ("id",), dates=("day",))
    assert peers.labels_in(path, about).tolist() == ["None", "", "b"]
    frame = peers.columns_in(path, about)
    assert list(frame.columns) == ["day", "sort"]
    np.testing.assert_array_equal(frame["day"], [2, np.nan, 1])
