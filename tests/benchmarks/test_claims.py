"""Numbers in README, the guide and the paper are those of result files, or of a snippet that is run.

Whoever changes a result changes the sentence, or this fails: `claims.toml` links each number to its
place in a result. Numbers in fenced blocks are what snippets print, and doctest compares those.
"""

import re
import tomllib
from pathlib import Path

import pytest

from benchmarks import claims
from benchmarks.claims import measured

ROOT = Path(__file__).parents[2]
TABLE = tomllib.loads((Path(__file__).parent / "claims.toml").read_text(encoding="utf-8"))
CLAIMS, TOLD = TABLE["claim"], TABLE["told"]
#: Pages that are written from results, where every number is one.
WRITTEN = {"reliability.md"}
PAGES = [
    ROOT / "README.md",
    ROOT / "docs" / "paper" / "paper.md",
    *sorted(each for each in (ROOT / "docs").glob("*.md") if each.name not in WRITTEN),
]
#: A number with a unit that somebody may have measured.
MEASURED = re.compile(
    r"\d[\d,.]*\s*(?:%|x\b|times\b|s\b|ms\b|µs\b|us\b|seconds\b|minutes\b|hours\b|[kMG]B\b)"
)


def words(path):
    """The text of a page on one line, without fenced blocks, code and formulas."""
    text = re.sub(
        r"^```.*?^```", " ", path.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL
    )
    return " ".join(text.split())


def named(claim):
    return f"{claim['page']}: {claim['number']}"


@pytest.mark.parametrize("claim", CLAIMS, ids=named)
def test_a_claim_is_the_rounded_value_of_its_result(claim):
    assert measured(claim) == claim["number"], "python -m benchmarks --claims"


@pytest.mark.parametrize("claim", CLAIMS, ids=named)
def test_a_claim_stands_on_its_page(claim):
    assert claim["number"] in claim["text"].replace(",", "")
    assert claim["text"] in words(ROOT / claim["page"])


@pytest.mark.parametrize("told", TOLD, ids=lambda told: told["text"])
def test_what_nobody_measured_stands_on_its_page(told):
    assert told["text"] in words(ROOT / told["page"])


def unexplained(path):
    """Numbers with a unit that are in no claim and not said to be told."""
    text = words(path)
    known = [each["text"] for each in (*CLAIMS, *TOLD) if ROOT / each["page"] == path]
    spans = [match.span() for part in known for match in re.finditer(re.escape(part), text)]
    loose = [
        match
        for match in MEASURED.finditer(text)
        if not any(a <= match.start() < b for a, b in spans)
    ]
    return [text[max(0, match.start() - 30) : match.end() + 20] for match in loose]


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_every_number_with_a_unit_is_linked_to_a_result(path):
    assert unexplained(path) == []


def test_claims_of_the_readme_link_to_a_page_of_figures():
    assert [
        each["number"]
        for each in CLAIMS
        if each["page"] == "README.md" and "docs/benchmarks/" not in each["text"]
    ] == []


def test_present_numbers_are_put_into_the_sentences(tmp_path, monkeypatch):
    (tmp_path / "page.md").write_text("It takes 12 s\nand 1,024 calls, 12 MB.\n")
    path = '"rows", "n=1"'
    (tmp_path / "claims.toml").write_text(
        "".join(
            f'[[claim]]\npage = "page.md"\ntext = "12 s and 1,024 calls"\nnumber = "{number}"\n'
            f'result = "some"\npath = [{path}, "{what}"]\n\n'
            for number, what in (("12", "cpu"), ("1024", "calls"))
        )
    )
    (tmp_path / "some.json").write_text(
        '{"facts": {"rows": [{"n": 1, "cpu": 9.6, "calls": 2048}]}}'
    )
    for name, value in (
        ("ROOT", tmp_path),
        ("RESULTS", tmp_path),
        ("TABLE", tmp_path / "claims.toml"),
    ):
        monkeypatch.setattr(claims, name, value)
    assert len(claims.rewrite()) == 2
    assert (tmp_path / "page.md").read_text() == "It takes 10 s\nand 2,048 calls, 12 MB.\n"
    assert [(each["text"], each["number"]) for each in claims.claims()] == [
        ("10 s and 2,048 calls", "10"),
        ("10 s and 2,048 calls", "2048"),
    ]
    assert claims.rewrite() == []
