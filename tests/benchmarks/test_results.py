"""Results of benchmarks: pages come from stored results alone, and say where and with what those
were measured.
"""

import json
import re
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

ROOT = Path(__file__).parents[2]
STORED = sorted(path.stem for path in (ROOT / "benchmarks" / "results").glob("*.json"))


@pytest.fixture
def pages(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT))
    return import_module("benchmarks.pages")


@pytest.fixture
def toy(pages, monkeypatch, tmp_path):
    """A page "toy" whose results and text go to a folder of the test."""
    module = ModuleType("benchmarks.toy")
    module.measure = lambda: {
        "points": np.arange(2),
        "error": np.float64(0.25),
        "by size": {1: (3, 4)},
    }
    module.page = lambda facts: f"# Toy\n\n{json.dumps(facts, sort_keys=True)}\n"
    monkeypatch.setitem(sys.modules, "benchmarks.toy", module)
    monkeypatch.setitem(pages.MODULES, "toy", "benchmarks.toy")
    monkeypatch.setattr(pages, "PAGES", tmp_path)
    monkeypatch.setattr(import_module("benchmarks.results"), "RESULTS", tmp_path)
    return module


@pytest.mark.parametrize("name", STORED)
def test_every_page_is_what_its_results_give(pages, name):
    page = name.partition(".")[0]
    assert pages.path_of(page).read_text(encoding="utf-8") == pages.page_of(page)


def test_a_page_is_written_from_plain_values(pages, toy, tmp_path):
    pages.run("toy")
    shown = pages.render("toy")
    assert '{"by size": {"1": [3, 4]}, "error": 0.25, "points": [0, 1]}' in shown
    assert (tmp_path / "toy.md").read_text(encoding="utf-8") == shown


def test_rendering_does_not_measure(pages, toy):
    pages.run("toy")
    shown = pages.render("toy")
    toy.measure = lambda: pytest.fail("measured")
    assert pages.render("toy") == shown


def test_the_footer_names_commit_machine_and_versions(pages, toy, tmp_path):
    pages.run("toy")
    circumstances = json.loads((tmp_path / "toy.json").read_text(encoding="utf-8"))["circumstances"]
    last = pages.render("toy").splitlines()[-1]
    assert circumstances["commit"][:12] in last
    assert circumstances["machine"]["processor"] in last
    assert f"numpy {np.__version__}" in last
    assert ("not committed" in last) == circumstances["changed"]


def test_a_page_of_sections_shows_those_that_were_measured(pages, toy, monkeypatch):
    package = ModuleType("benchmarks.book")
    package.INTRODUCTION = "# Book"
    monkeypatch.setitem(sys.modules, "benchmarks.book", package)
    monkeypatch.setitem(pages.SECTIONS, "book", ["first", "second"])
    for section in ("first", "second"):
        monkeypatch.setitem(pages.MODULES, f"book.{section}", f"benchmarks.book.{section}")
        module = ModuleType(f"benchmarks.book.{section}")
        module.measure, module.page = dict, lambda facts, section=section: f"## {section}"
        monkeypatch.setitem(sys.modules, f"benchmarks.book.{section}", module)
    assert pages.benchmarks_of("book") == ["book.first", "book.second"]
    pages.run("book.second")
    one = pages.render("book.second").splitlines()
    pages.run("book.first")
    both = pages.render("book.first").splitlines()
    assert [line for line in one if line.startswith("#")] == ["# Book", "## second"]
    assert [line for line in both if line.startswith("#")] == ["# Book", "## first", "## second"]


def test_results_of_an_earlier_commit_are_not_measured_again(pages, toy, tmp_path):
    pages.run("toy")
    before = (tmp_path / "toy.json").read_text(encoding="utf-8")
    del toy.measure
    pages.run("toy")
    assert (tmp_path / "toy.json").read_text(encoding="utf-8") == before


def test_every_page_is_written_by_a_benchmark(pages):
    front = import_module("benchmarks.front")
    written = {pages.path_of(name.partition(".")[0]) for name in pages.MODULES} | {
        pages.PAGES / name for name in front.WRITTEN
    }
    assert sorted(path.name for path in set(pages.PAGES.glob("*.md")) - written) == []


@pytest.mark.parametrize(
    "path", sorted((ROOT / "docs" / "benchmarks").glob("*.md")), ids=lambda path: path.name
)
def test_every_picture_of_a_page_is_there(path):
    shown = re.findall(r"!\[[^]]*\]\(([^)]+)\)", path.read_text(encoding="utf-8"))
    assert [name for name in shown if not (path.parent / name).is_file()] == []


@pytest.mark.parametrize("name", STORED)
def test_results_name_commit_machine_and_versions(name):
    told = json.loads(
        (ROOT / "benchmarks" / "results" / f"{name}.json").read_text(encoding="utf-8")
    )["circumstances"]
    assert {"date", "commit", "changed", "machine", "versions"} <= set(told)


def test_what_is_missing_or_lacking_is_named(pages):
    told = {
        "date": "today",
        "commit": "0" * 40,
        "changed": False,
        "machine": {"cores": 2, "processor": "p", "system": "s"},
    }
    shown = import_module("benchmarks.results").footer(
        told | {"versions": {}, "missing": ["bace.csv"], "lacking": [f"n = {n}" for n in range(10)]}
    )
    assert "Rows are missing, as their data were not there: bace.csv." in shown
    assert "There was no time for 10 outcomes: n = 0; " in shown
    assert "and 2 more." in shown
