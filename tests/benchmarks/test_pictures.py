"""Pictures of the benchmarks are drawn by the displays of the library, and show what was stored."""

import json
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def displays(monkeypatch, tmp_path):
    """Draws a picture from stored results, and returns the facts, the displays that were drawn and
    the picture.
    """
    monkeypatch.syspath_prepend(str(ROOT))
    pytest.importorskip("matplotlib")

    def drawn(benchmark, module, display):
        found = []
        kind = getattr(import_module("wideberth.plots"), display)
        plot = kind.plot
        monkeypatch.setattr(
            kind,
            "plot",
            lambda self, *args, **kwargs: found.append(self) or plot(self, *args, **kwargs),
        )
        module = import_module(module)
        for name, path in (("PAGES", tmp_path), ("PICTURE", tmp_path / "drawn.svg")):
            if hasattr(module, name):
                monkeypatch.setattr(module, name, path)
        facts = json.loads(
            (ROOT / "benchmarks" / "results" / f"{benchmark}.json").read_text(encoding="utf-8")
        )["facts"]
        module.draw_from(facts)
        (picture,) = tmp_path.glob("*.svg")
        return facts, found, picture.read_text(encoding="utf-8")

    return drawn


def test_shares_that_are_certified(displays):
    facts, found, picture = displays(
        "certified.news", "benchmarks.certified.news", "CertifiedAccuracyDisplay"
    )
    assert [display.name for display in found] == list(facts["methods"])
    for display, method in zip(found, facts["methods"].values(), strict=True):
        np.testing.assert_allclose(
            display.at([0, 1, 2, 3]), [method["right"], *method["certified"]], atol=1e-12
        )
        assert f">{display.name}<" in picture


@pytest.mark.slow
def test_what_was_not_earned(displays):
    facts, found, picture = displays("pricing", "benchmarks.online.pricing", "OnlineLossDisplay")
    assert [display.name for display in found] == list(facts["curves"])
    for display, curve in zip(found, facts["curves"].values(), strict=True):
        np.testing.assert_allclose(display.line_.get_ydata(), curve["missed"])
    assert ">not earned so far<" in picture


def test_losses_against_rounds_of_the_papers(displays):
    facts, found, _ = displays("papers.slopes", "benchmarks.papers.slopes", "OnlineLossDisplay")
    for display, row in zip(found, facts["rows"], strict=True):
        np.testing.assert_allclose(display.line_.get_ydata(), row["any"])
        assert display.rounds.tolist() == facts["rounds"]


@pytest.mark.slow
def test_what_an_opponent_can_still_get(displays):
    facts, found, _ = displays(
        "papers.adversaries", "benchmarks.papers.adversaries", "OnlineLossDisplay"
    )
    for display, row in zip(found, facts["rows"], strict=True):
        np.testing.assert_allclose(display.line_.get_ydata(), row["lost"][1:], atol=1e-12)
        np.testing.assert_allclose(display.line_.get_ydata() + display.bounds, row["limit"][1:])
