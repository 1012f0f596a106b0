"""Every command in the documentation of the command line runs, and prints what stands there."""

import csv
import re
import shlex
from pathlib import Path

import pytest

import wideberth
from wideberth.choice import contest
from wideberth.cli.commands import COMMANDS

PAGE = (Path(__file__).parents[2] / "docs" / "command-line.md").read_text(encoding="utf-8")


@pytest.fixture
def names(folder):
    """The files that the page speaks of."""
    rows = list(zip(*wideberth.datasets.load_first_names(), strict=True))
    tables = {
        "names.csv": [("name", "sex"), *rows[0:3000:3]],
        "test.csv": [("name", "sex"), *rows[1:1500:3]],
        "new.csv": [("number", "name"), (1, "Marianne"), (2, "Frederick"), (3, "Kim")],
    }
    for name, table in tables.items():
        with (folder / name).open("w", newline="") as stream:
            csv.writer(stream).writerows(table)


def documented():
    """The commands of the page, each with the lines that follow it."""
    blocks = re.findall(r"```console\n(.*?)```", PAGE, flags=re.DOTALL)
    for block in blocks:
        for part in block.split("$ wideberth ")[1:]:
            command, _, said = part.partition("\n")
            yield shlex.split(command), said


@pytest.mark.slow
def test_the_page_is_so(names, run, monkeypatch):
    monkeypatch.setattr(contest, "work_clock", lambda _: lambda: 0.0)  # however slow the machine is
    commands = list(documented())
    assert commands
    for arguments, said in commands:
        printed = run(*arguments).out
        for piece in said.split("..."):
            assert " ".join(piece.split()) in " ".join(printed.split()), arguments


def test_the_page_names_every_command():
    assert set(COMMANDS) <= set(re.findall(r"wideberth (\w+)", PAGE))
