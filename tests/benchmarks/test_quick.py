"""Short forms of benchmarks: all run though one fails, and what they count is counted for every
classifier that takes it.
"""

from types import SimpleNamespace

import pytest


@pytest.fixture
def quick(benchmark_module, monkeypatch, tmp_path):
    """Two benchmarks with a short form, of which the first one fails."""
    module = benchmark_module("quick")
    forms = {
        "failing": SimpleNamespace(quick=lambda: 1 / 0),
        "counting": SimpleNamespace(quick=lambda: {"calls": 3}),
    }
    monkeypatch.setattr(module, "MODULES", {name: name for name in forms})
    monkeypatch.setattr(
        module, "PLAN", {name: SimpleNamespace(sources=(), data=()) for name in forms}
    )
    monkeypatch.setattr(module, "import_module", forms.__getitem__)
    monkeypatch.setattr(module, "rows_of", lambda name, facts: [])
    monkeypatch.setattr(module, "told", lambda stored, found: " ".join(found))
    monkeypatch.setattr(module, "QUICK", tmp_path)
    monkeypatch.setattr(module.keeping._Run, "anew", False)
    return module


def test_one_that_fails_stops_no_other(quick, capsys, tmp_path):
    assert quick.run_quick([]) == 1
    told = capsys.readouterr()
    assert "Failed: failing." in told.out
    assert "ZeroDivisionError" in told.err
    assert [path.stem for path in tmp_path.iterdir()] == ["counting"]


def test_all_went_well(quick, capsys):
    assert quick.run_quick(["counting"]) == 0
    assert "Failed" not in capsys.readouterr().out


@pytest.mark.slow
def test_calls_are_counted_for_every_classifier_that_takes_any_distance(
    benchmark_module, monkeypatch
):
    calls = benchmark_module("choosing.calls")
    monkeypatch.setattr(calls, "LEARNED", 30)
    found = calls.measure()["promised"]
    assert {"`NeighborsClassifier`", "`LPMachineClassifierCV`", "`HilbertSVCCV`"} <= set(
        found["fits"]
    )
    assert all(0 < count <= found["pairs"] + 16 for count in found["fits"].values())
