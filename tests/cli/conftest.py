"""Run the real command in this process, in an empty folder: what it printed, after it has ended as
it should.
"""

import csv
import io
import sys
from typing import NamedTuple

import pytest

from wideberth.cli.main import main


class Done(NamedTuple):
    """What a command printed."""

    out: str
    err: str

    @property
    def rows(self):
        """Standard output as a table."""
        return list(csv.DictReader(io.StringIO(self.out)))


@pytest.fixture
def folder(monkeypatch, tmp_path):
    """An empty folder, in which commands run."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("WIDEBERTH_DEBUG", raising=False)
    return tmp_path


@pytest.fixture
def run(monkeypatch, capsys, folder):
    def command(*arguments, code=0):
        monkeypatch.setattr(sys, "argv", ["wideberth", *map(str, arguments)])
        with pytest.raises(SystemExit) as done:
            main()
        captured = capsys.readouterr()
        assert "Traceback" not in captured.err
        assert not set(captured.out + captured.err) & set(
            "\ufdd0\ufdd1\ufdd2"
        )  # the marks of wideberth.wording
        assert done.value.code == code, captured.err
        return Done(captured.out, captured.err)

    return command
