"""The plan names every benchmark, what it speaks of and what it needs."""

import inspect
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def plan(benchmark_module):
    return benchmark_module("plan")


def test_every_benchmark_has_a_line(plan):
    assert set(plan.PLAN) == set(plan.MODULES)


def test_the_parts_that_benchmarks_speak_of_exist(plan):
    parts = {part for section in plan.PLAN.values() for part in section.sources}
    assert [
        part for part in sorted(parts) if not (ROOT / "src" / "wideberth" / part).exists()
    ] == []


def test_whatever_is_measured_speaks_of_something(plan):
    assert [name for name in plan.PLAN if plan.measures(name) and not plan.PLAN[name].sources] == []


def test_data_have_a_source_or_come_with_a_package(plan, benchmark_module):
    data = benchmark_module("outside_data")
    named = {each for section in plan.PLAN.values() for each in section.data}
    assert named <= {*data.FILES, *data.PACKAGES}
    assert all(len(file.sha256) == 64 and file.source for file in data.FILES.values())


def test_sections_with_series_run_where_aeon_is(plan):
    assert [
        name
        for name, each in plan.PLAN.items()
        if "aeon" in each.data and each.environment != "aeon"
    ] == []


def test_benchmarks_have_the_two_functions(plan):
    for name, path in plan.MODULES.items():
        module = import_module(path)
        assert list(inspect.signature(module.page).parameters) == ["facts"], name
        for short in ("measure", "quick"):
            assert not inspect.signature(getattr(module, short, lambda: None)).parameters, name


def test_the_plan_is_shown_in_words(plan, monkeypatch):
    monkeypatch.setattr(plan, "stored", lambda name: None)
    assert plan.status("errors") == "not measured"
    assert plan.status("auto.before") == "kept as it was, on purpose"
    *lines, last = plan.shown(["errors", "index"]).splitlines()
    assert [line.split()[0] for line in lines] == ["errors", "index"]
    assert (
        last
        == f"{'together':<22}{plan.PLAN['errors'].minutes + plan.PLAN['index'].minutes:>7.1f} min "
        "of CPU"
    )


def test_results_that_are_older_or_unfinished_are_due(plan, monkeypatch):
    now = import_module("benchmarks.sources").digests(plan.PLAN["engines"].sources)
    told = {"commit": "unknown", "sources": now, "lacking": [], "cpu_minutes": 2.5}
    monkeypatch.setattr(
        plan, "stored", lambda name: {"circumstances": told} if name == "engines" else None
    )
    assert plan.status("engines") == ""
    assert "engines" not in plan.due()
    assert plan.minutes("engines") == 2.5
    told["lacking"] = ["n = 8,000"]
    assert plan.status("engines") == "unfinished: 1 outcomes are lacking"
    assert plan.minutes("engines") == plan.PLAN["engines"].minutes
    told["sources"] = now | {"optimize": "other"}
    assert plan.status("engines") == "older than the code: optimize changed"
    assert "engines" in plan.due("bench")
    assert "engines" not in plan.due("aeon")
