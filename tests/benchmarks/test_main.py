"""The command that measures: what is due, the cheapest first, in time, whatever fails on the
way.
"""

from types import SimpleNamespace

import pytest


@pytest.fixture
def main(benchmark_module, monkeypatch):
    module = benchmark_module("__main__")
    monkeypatch.setattr(module, "written_pages", lambda: None)
    monkeypatch.setattr(module.keeping._Run, "deadline", float("inf"))
    monkeypatch.setattr(
        module,
        "due",
        lambda environment=None: ["errors", "engines"] + ["ksu"] * (environment is None),
    )
    monkeypatch.setattr(module, "shown", " ".join)
    monkeypatch.setattr(module, "minutes", {"errors": 17.0, "engines": 3.0}.get)
    return module


@pytest.fixture
def runs(main, monkeypatch):
    """The commands that were run; engines fails."""
    found = []

    def run(command):
        found.append(command[3:])
        return SimpleNamespace(returncode=int(command[-1] == "engines"))

    monkeypatch.setattr(main.subprocess, "run", run)
    return found


def test_everything_due_runs_though_one_fails(main, runs, capsys):
    with pytest.raises(SystemExit) as ended:
        main.main(["--environment", "bench"])
    assert ended.value.code == 1
    assert runs == [["engines"], ["errors"]]
    told = capsys.readouterr().out
    assert "Failed: engines." in told
    assert "In other environments: ksu." in told


def test_nothing_begins_after_the_limit(main, runs, capsys):
    with pytest.raises(SystemExit):
        main.main(["--environment", "bench", "--minutes", "-1"])
    assert runs == []
    assert "No time for: engines, errors." in capsys.readouterr().out


def test_the_limit_is_handed_on(main, runs):
    with pytest.raises(SystemExit):
        main.main(["--environment", "bench", "--minutes", "60"])
    assert [(command[0], float(command[1]) <= 60) for command in runs] == [("--minutes", True)] * 2


def test_an_unknown_name_is_an_error_that_lists_the_known_ones(main):
    with pytest.raises(SystemExit, match=r"No benchmark is called tea; there are .*errors"):
        main.main(["tea"])


def test_stale_results_end_with_1(main, monkeypatch, capsys):
    monkeypatch.setattr(
        main,
        "status",
        lambda name: "older than the code: bounds changed" if name == "criteria" else "",
    )
    with pytest.raises(SystemExit) as ended:
        main.main(["--stale"])
    assert ended.value.code == 1
    assert capsys.readouterr().out.split() == [
        "criteria",
        "older",
        "than",
        "the",
        "code:",
        "bounds",
        "changed",
    ]
