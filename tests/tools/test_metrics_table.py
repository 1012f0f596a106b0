"""The table in docs/metrics.md is current, and its examples are objects of their metrics."""

import ast
import runpy
from pathlib import Path

import pytest

import wideberth
from wideberth.metrics.named import METRICS

TOOL = runpy.run_path(str(Path(__file__).parents[2] / "tools" / "metrics_table.py"))
KNOWN = TOOL["KNOWN"]


def test_every_metric_has_its_line():
    assert set(KNOWN) == set(METRICS), "tools/metrics_table.py needs an example and a source for each metric"


def test_the_page_shows_the_table_of_today():
    page = TOOL["PAGE"].read_text(encoding="utf-8")
    assert TOOL["renewed"](page) == page, "run: python tools/metrics_table.py"


@pytest.mark.parametrize("name", sorted(set(METRICS) - {"precomputed"}))
def test_the_example_is_an_object_of_its_metric(name):
    example = ast.literal_eval(KNOWN[name][0])
    metric = wideberth.metric(name)
    metric = metric.fitted([example]) if name == "gower" else metric  # it prepares only columns that it knows
    assert len(metric.prepare([example])) == 1
