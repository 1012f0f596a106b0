"""Numbers in README and the guide are those of result files, or of a snippet that is run.

Whoever changes a result changes the sentence, or this fails: `claims.toml` links each number to its place in a result.
Numbers in fenced blocks are what snippets print, and doctest compares those.
"""

import json
import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TABLE = tomllib.loads((Path(__file__).parent / "claims.toml").read_text(encoding="utf-8"))
CLAIMS, TOLD = TABLE["claim"], TABLE["told"]
#: Pages that are written from results, where every number is one.
WRITTEN = {"reliability.md"}
PAGES = [ROOT / "README.md", *sorted(each for each in (ROOT / "docs").glob("*.md") if each.name not in WRITTEN)]
#: A number with a unit that somebody may have measured.
MEASURED = re.compile(r"\d[\d,.]*\s*(?:%|x\b|times\b|s\b|ms\b|µs\b|us\b|seconds\b|minutes\b|hours\b|[kMG]B\b)")


def words(path):
    """The text of a page on one line, without fenced blocks, code and formulas."""
    text = re.sub(r"^```.*?^```", " ", path.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    return " ".join(text.split())


def found_in(facts, path):
    """The value at a place of a result."""
    for step in path:
        if isinstance(facts, list) and isinstance(step, str):
            wanted = dict(part.split("=", 1) for part in step.split(";"))
            facts = next(each for each in facts if all(str(each[key]) == value for key, value in wanted.items()))
        else:
            facts = facts[step]
    return facts


def named(claim):
    return f"{claim['page']}: {claim['number']}"


@pytest.mark.parametrize("claim", CLAIMS, ids=named)
def test_a_claim_is_the_rounded_value_of_its_result(claim):
    result = json.loads((ROOT / "benchmarks" / "results" / f"{claim['result']}.json").read_text(encoding="utf-8"))
    value = found_in(result["facts"], claim["path"]) * claim.get("times", 1)
    decimals = len(claim["number"].partition(".")[2])
    assert f"{value:.{decimals}f}" == claim["number"]


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
    loose = [match for match in MEASURED.finditer(text) if not any(a <= match.start() < b for a, b in spans)]
    return [text[max(0, match.start() - 30) : match.end() + 20] for match in loose]


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_every_number_with_a_unit_is_linked_to_a_result(path):
    assert unexplained(path) == []


def test_claims_of_the_readme_link_to_a_page_of_figures():
    assert [each["number"] for each in CLAIMS if each["page"] == "README.md" and "docs/benchmarks/" not in each["text"]] == []
