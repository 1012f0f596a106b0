"""A bar for a person who waits, silence for everybody else."""

import io
import math
import sys

import pytest

from wideberth.geometry.measure import parallel as module
from wideberth.geometry.measure.parallel import progress


class Terminal(io.StringIO):
    def isatty(self):
        return True


def terminal(monkeypatch, patience):
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(module, "PATIENCE", patience)
    return stream


def work(total=3):
    with progress(total, "measuring tea") as advance:
        for _ in range(total):
            advance(1)


def test_nothing_is_shown_where_nobody_looks(monkeypatch, capsys):
    monkeypatch.setattr(module, "PATIENCE", 0.0)
    work()
    assert capsys.readouterr() == ("", "")


def test_short_work_shows_nothing(monkeypatch):
    shown = terminal(monkeypatch, patience=math.inf)
    work()
    assert shown.getvalue() == ""


def test_long_work_shows_a_bar(monkeypatch):
    shown = terminal(monkeypatch, patience=0.0)
    work()
    assert "measuring tea" in shown.getvalue()


def test_work_inside_work_shows_one_bar(monkeypatch):
    shown = terminal(monkeypatch, patience=0.0)
    with progress(1, "outer") as advance:
        work()
        advance(1)
    assert "outer" in shown.getvalue()
    assert "tea" not in shown.getvalue()


def test_a_failure_takes_the_bar_away(monkeypatch):
    shown = terminal(monkeypatch, patience=0.0)
    with pytest.raises(TypeError), progress(2, "first") as advance:
        advance("no number")
    work()
    assert "measuring tea" in shown.getvalue()
