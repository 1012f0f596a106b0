"""The chart of metrics: what it shows is how far each stays behind the best of its set, and it
shows the stored results.
"""

import json
from importlib import import_module
from pathlib import Path
from textwrap import fill

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def behind(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT))
    return import_module("benchmarks.metrics.behind")


def row(metric, data, neighbors, svm):
    return {
        "kind": "words",
        "data": data,
        "metric": metric,
        "us": 0.5,
        "kNN": neighbors,
        "SVM": svm,
    }


def test_points_behind_the_best_of_the_same_set_and_classifier(behind):
    rows = [
        row("far +", "names", 30.0, 20.0),
        row("near", "names", 25.0, 21.0),
        row("near", "words", 40.0, None),
    ]
    found = behind.behind_the_best(rows)["words"]
    assert [(each.metric, each.data, each.model, each.points) for each in found] == [
        ("near", "names", "kNN", 0.0),
        ("near", "names", "SVM", 1.0),
        ("near", "words", "kNN", 0.0),
        ("far", "names", "kNN", 5.0),
        ("far", "names", "SVM", 0.0),
    ]


def test_the_chart_names_every_set_and_metric_of_the_results(behind):
    rows = json.loads(
        (ROOT / "benchmarks" / "results" / "metrics.json").read_text(encoding="utf-8")
    )["facts"]["rows"]
    drawn = (ROOT / "docs" / "benchmarks" / "metrics.svg").read_text(encoding="utf-8")
    for kind, marks in behind.behind_the_best(rows).items():
        lines = {part for each in marks for part in fill(each.metric, 36).splitlines()}
        assert [
            text
            for text in {kind, *lines, *(each.data for each in marks)}
            if f">{text}<" not in drawn
        ] == []


def test_the_same_results_give_the_same_picture(behind, tmp_path):
    pytest.importorskip("matplotlib")
    plot = import_module("benchmarks.metrics.metrics_plot")
    found = behind.behind_the_best(
        [row("levenshtein", "names", 30.0, 20.0), row("ngrams", "names", 25.0, 21.0)]
    )
    for name in ("one.svg", "other.svg"):
        plot.draw(found, tmp_path / name)
    assert (tmp_path / "one.svg").read_bytes() == (tmp_path / "other.svg").read_bytes()
