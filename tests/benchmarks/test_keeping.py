"""Outcomes are kept by the sources that they measured, and a limit of time leaves out what it has
no time for.
"""

import pytest


@pytest.fixture
def keeping(benchmark_module, monkeypatch, tmp_path):
    module = benchmark_module("keeping")
    monkeypatch.setattr(benchmark_module("folders"), "KEPT", tmp_path)
    monkeypatch.setattr(module, "digests", lambda parts: {"bounds": "one"})
    monkeypatch.setattr(module._Run, "deadline", float("inf"))
    monkeypatch.setattr(module._Run, "anew", False)
    module.begin()
    return module


def test_an_outcome_is_measured_once(keeping):
    assert keeping.kept("engines", "a / b", lambda: {"error": 1}) == {"error": 1}
    assert keeping.kept("engines", "a / b", lambda: pytest.fail("measured again")) == {"error": 1}
    assert keeping.noted()["spent_before"] >= 0


def test_other_sources_measure_again(keeping, monkeypatch):
    keeping.kept("engines", "a", lambda: 1)
    monkeypatch.setattr(keeping, "digests", lambda parts: {"bounds": "other"})
    assert keeping.kept("engines", "a", lambda: 2) == 2


def test_nothing_begins_after_the_limit(keeping):
    keeping.kept("engines", "there", lambda: 1)
    keeping.limit(-1)
    assert keeping.kept("engines", "there", lambda: 2) == 1
    assert keeping.kept("engines", "late", lambda: pytest.fail("begun")) is None
    assert keeping.noted()["lacking"] == ["late"]


def test_short_runs_neither_use_nor_keep_outcomes(keeping, tmp_path):
    keeping.kept("engines", "a", lambda: 1)
    keeping.measure_anew()
    assert keeping.kept("engines", "a", lambda: 2) == 2
    assert keeping.kept("engines", "b", lambda: 3) == 3
    assert len(list(tmp_path.rglob("*.json"))) == 1
