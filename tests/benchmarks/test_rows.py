"""Rows beside peers: who is ahead, what changed between two results, and what explains where a peer
is ahead.
"""

import json
from types import ModuleType

import pytest


@pytest.fixture
def rows(benchmark_module):
    return benchmark_module("rows")


def row(rows, **changed):
    usual = {
        "topic": "accuracy",
        "key": "toy: tea",
        "ours": 10.0,
        "peer": "kNN",
        "theirs": 12.0,
        "unit": "% wrong",
        "noise": 0.5,
    }
    return rows.Row(**(usual | changed))


@pytest.mark.parametrize(
    ("changed", "verdict"),
    [
        ({}, "ahead"),
        ({"noise": 1.5}, "even"),
        ({"ours": 14.0}, "behind"),
        ({"unit": "% right"}, "behind"),
        ({"unit": "s", "noise": 0.05}, "ahead"),
        ({"unit": "s", "noise": 0.1}, "even"),
        ({"unit": "s", "ours": 24.0, "noise": 0.1}, "behind"),
        ({"ours": 12.0, "noise": 0.0}, "even"),
        ({"ours": 12.1, "noise": 0.0}, "behind"),
    ],
)
def test_who_is_ahead(rows, changed, verdict):
    found = row(rows, **changed)
    assert (found.is_ahead, found.is_behind) == (verdict == "ahead", verdict == "behind")


@pytest.fixture
def compare(benchmark_module, rows, monkeypatch):
    """Results of a benchmark "toy" whose rows are its facts."""
    module = ModuleType("benchmarks.toy")
    module.rows = lambda facts: [row(rows, **each) for each in facts["rows"]]
    monkeypatch.setitem(__import__("sys").modules, "benchmarks.toy", module)
    monkeypatch.setitem(rows.MODULES, "toy", "benchmarks.toy")
    return benchmark_module("compare")


def result(*found):
    return {"toy": {"circumstances": {"machine": {"cores": 2}}, "facts": {"rows": list(found)}}}


def test_shares_are_compared_by_our_own_noise(compare):
    before, after = {"ours": 10.0, "own_noise": 0.5}, {"ours": 11.0, "own_noise": 0.5}
    assert "1 rows in both, 0 beyond 2 standard errors." in compare.told(
        result(before), result(after)
    )
    told = compare.told(result(before), result(after | {"ours": 12.0}))
    assert "1 beyond" in told
    assert "| toy: tea | % wrong | 10 | 12 | +2 | 0.71 | worse |" in told


def test_times_are_compared_by_their_ratio_to_the_peer(compare):
    before = {"unit": "s", "ours": 1.0, "theirs": 2.0, "noise": 0.05}
    slower_machine = before | {"ours": 3.0, "theirs": 6.0}
    assert "0 beyond" in compare.told(result(before), result(slower_machine))
    assert "worse" in compare.told(result(before), result(before | {"ours": 1.5}))
    assert "better" in compare.told(result(before), result(before | {"ours": 0.5}))


def test_rows_of_one_result_only_are_not_compared(compare):
    assert "0 rows in both" in compare.told(
        result({"key": "toy: tea"}), result({"key": "toy: rum"})
    )


def test_results_are_read_from_a_folder_or_a_revision(compare, tmp_path):
    (tmp_path / "toy.json").write_text(json.dumps(result({})["toy"]), encoding="utf-8")
    assert list(compare.results(str(tmp_path))) == ["toy"]
    with pytest.raises(SystemExit, match="neither a folder of results nor a revision"):
        compare.results("no-such-revision")


def test_every_row_in_which_a_peer_is_ahead_is_explained(benchmark_module):
    ahead, compare = benchmark_module("front.ahead"), benchmark_module("compare")
    behind = ahead.behind_rows(compare.results(str(compare.RESULTS)))
    assert [
        f"{each.key} | {each.peer}" for each in behind if ahead.paragraph_of(each) is None
    ] == []


def test_keys_of_rows_are_unique(rows, benchmark_module):
    compare = benchmark_module("compare")
    keys = [each.key for _, each in rows.all_rows(compare.results(str(compare.RESULTS)))]
    assert len(keys) == len(set(keys))


@pytest.mark.parametrize("name", ["README.md", "where-peers-are-ahead.md", "data.md"])
def test_pages_about_all_results_are_what_the_results_give(benchmark_module, name):
    front, folders = benchmark_module("front"), benchmark_module("folders")
    assert (folders.PAGES / name).read_text(encoding="utf-8") == front.text_of(name)
