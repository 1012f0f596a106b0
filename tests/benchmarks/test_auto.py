"""The tables of the automatic choice beside its peers: ranks, differences, and which halves
count.
"""

from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def tables(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT))
    return import_module("benchmarks.auto.tables")


def outcome(name, method, wrong, half=0):
    told = {"family": "svm", "metric": "hamming"} if method == "AutoClassifier" else {}
    sizes = {"known": 100, "asked": 100, "classes": 2, "wrong": wrong}
    return {
        "set": name,
        "method": method,
        "repeat": 0,
        "half": half,
        "wall": 2.0,
        "cpu": 1.0,
        "told": told,
    } | sizes


def test_only_halves_that_all_methods_have_count(tables):
    found = [
        outcome("tea", "AutoClassifier", 10),
        outcome("tea", "AutoClassifier", 30, half=1),
        outcome("tea", "kNN", 12),
    ]
    (row,) = tables.rows_of(found)
    assert row.error("AutoClassifier") == 10
    assert row.gap == pytest.approx(-2)


def test_sets_without_the_automatic_choice_or_without_peers_have_no_row(tables):
    assert tables.rows_of([outcome("tea", "kNN", 12), outcome("rum", "AutoClassifier", 10)]) == []


def test_equal_errors_share_the_mean_of_their_ranks(tables):
    found = [
        outcome("tea", "AutoClassifier", 10),
        outcome("tea", "kNN", 10),
        outcome("tea", "SVM", 20),
    ]
    (row,) = tables.rows_of(found)
    assert [row.rank(method) for method in row.outcomes] == [1.5, 1.5, 3.0]


def test_wins_are_counted_where_both_ran(tables):
    found = [
        *(outcome("tea", "AutoClassifier", 10), outcome("tea", "kNN", 12)),
        *(outcome("rum", "AutoClassifier", 10), outcome("rum", "SVM", 7)),
    ]
    lines = tables.ranks_and_wins(
        tables.rows_of(found), ["AutoClassifier", "kNN", "SVM"]
    ).splitlines()
    assert lines[3] == "| kNN | 1 | 2.00 | 1.00 | 1 / 0 / 0 | +2.0 |"
    assert lines[4] == "| SVM | 1 | 1.00 | 2.00 | 0 / 0 / 1 | -3.0 |"


def test_sets_on_which_too_many_points_are_missing_are_named(tables):
    found = [
        outcome("tea", "AutoClassifier", 10),
        outcome("tea", "kNN", 12),
        outcome("rum", "AutoClassifier", 10),
    ]
    verdict = tables.verdict(tables.rows_of([*found, outcome("rum", "SVM", 7)]))
    assert (
        "Farthest behind the best peer: +3.0 points, on rum (SVM). More than 2 points behind: rum "
        "(+3.0, SVM)." in verdict
    )


def test_halves_that_are_lacking_are_named(tables):
    found = [
        outcome("tea", method, 10, half)
        for method in ("AutoClassifier", "kNN")
        for half in range(10)
    ]
    assert (
        tables.halves_in_words(tables.rows_of(found)) == "All sets that are halved have 10 halves."
    )
    more = [
        outcome("rum", method, 10, half)
        for method in ("AutoClassifier", "kNN")
        for half in range(4)
    ]
    assert "not enough for all 10 halves of rum (4)" in tables.halves_in_words(
        tables.rows_of([*found, *more])
    )
