"""Every example runs."""

import runpy
import sys
from pathlib import Path

import pytest

import wideberth as wb

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("*.py"))
#: What `make demo` shows.
DEMO = "first_names"


@pytest.mark.parametrize(
    "script",
    [
        pytest.param(each, id=each.stem, marks=[pytest.mark.slow] * (each.stem != DEMO))
        for each in EXAMPLES
    ],
)
def test_the_example_runs(script, monkeypatch, capsys, tmp_path):
    monkeypatch.chdir(tmp_path)  # some write files
    names, sexes = wb.datasets.load_first_names()
    monkeypatch.setattr(wb.datasets, "load_first_names", lambda: (names[:1000], sexes[:1000]))
    monkeypatch.setattr(sys, "argv", [str(script)])
    runpy.run_path(str(script), run_name="__main__")
    assert capsys.readouterr().out


def test_there_are_examples():
    assert DEMO in {each.stem for each in EXAMPLES}
