"""A run without any time stores what it has, and its page can be written: the next run goes on."""

import pytest

#: Those that need no data and no peers to say that nothing was measured.
RESUMABLE = [
    "memory",
    "lipschitz",
    "lp_machine",
    "margin",
    "perturbation",
    "capacity",
    "growth",
    "prediction_sets",
    "repairs",
]


@pytest.mark.slow
@pytest.mark.parametrize("name", RESUMABLE)
def test_pages_and_rows_of_nothing(benchmark_module, monkeypatch, tmp_path, name):
    keeping, pages = benchmark_module("keeping"), benchmark_module("pages")
    module = benchmark_module(pages.MODULES[name].removeprefix("benchmarks."))
    monkeypatch.setattr(benchmark_module("folders"), "KEPT", tmp_path)
    monkeypatch.setattr(keeping._Run, "deadline", 0.0)
    keeping.begin()
    facts = module.measure()
    assert keeping.noted()["lacking"]
    assert module.page(facts).startswith("# ")
    assert list(getattr(module, "rows", lambda facts: [])(facts)) == []
    getattr(module, "draw_from", lambda facts: None)(facts)
    keeping.begin()
