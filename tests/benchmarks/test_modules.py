"""The benchmarks, without running them: every metric is measured, and every page of `make bench`
has its module.
"""

import ast
from importlib import import_module
from pathlib import Path

import pytest

import wideberth

ROOT = Path(__file__).parents[2]


@pytest.fixture
def rivals(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT))
    return import_module("benchmarks.distances.rivals")


def test_every_metric_has_a_row_in_the_table_of_times(rivals):
    assert {rival.metric for rival in rivals.RIVALS} == set(wideberth.list_metrics())


def test_a_metric_without_a_row_is_measured_on_its_own_examples(rivals):
    *others, last = rivals.with_the_others(
        [rival for rival in rivals.RIVALS if rival.metric != "msm"]
    )
    assert "msm" not in {rival.metric for rival in others}
    prepared, metric, _ = last.bound()
    assert (metric.name, len(prepared), last.library) == ("msm", 200, "")


def test_every_page_has_its_module(rivals):
    modules = import_module("benchmarks.pages").MODULES.values()
    with_page = {
        path
        for path in (ROOT / "benchmarks").rglob("*.py")
        if "\ndef page(" in path.read_text(encoding="utf-8")
    }
    assert {ROOT / f"{module.replace('.', '/')}.py" for module in modules} == with_page


def test_rows_for_the_front_page_are_made_of_facts_alone(rivals):
    """The front page calls ``rows(facts)`` of every benchmark that has a result: nothing else may
    have that name there.
    """
    for module in import_module("benchmarks.pages").MODULES.values():
        tree = ast.parse((ROOT / f"{module.replace('.', '/')}.py").read_text(encoding="utf-8"))
        for function in [
            each for each in tree.body if isinstance(each, ast.FunctionDef) and each.name == "rows"
        ]:
            assert ast.unparse(function.args) == "facts: Facts", module
            assert ast.unparse(function.returns) == "Iterator[Row]", module
