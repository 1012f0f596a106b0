"""A command that is added as docs/how-to-add-a-command.md says is there."""

import json
import re
import sys
from pathlib import Path

import pytest

import wideberth.cli
from wideberth.cli import commands

PAGE = Path(__file__).parents[2] / "docs" / "how-to-add-a-command.md"
TABLE = "drink,kind\ntea,soft\nmilk,soft\nrum,hard\n"


@pytest.fixture
def one_more(tmp_path_factory, monkeypatch):
    """The file of the page beside the others, and its word in the table."""
    beside = tmp_path_factory.mktemp("cli")
    (code,) = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    (beside / "tally.py").write_text(code, encoding="utf-8")
    monkeypatch.setattr(wideberth.cli, "__path__", [*wideberth.cli.__path__, str(beside)])
    monkeypatch.setattr(commands, "COMMANDS", (*commands.COMMANDS, "tally"))
    commands.parser.cache_clear()
    yield
    commands.parser.cache_clear()
    sys.modules.pop("wideberth.cli.tally", None)


@pytest.mark.usefixtures("one_more")
def test_it_is_listed_before_it_is_loaded(run):
    listed = run("--help").out
    assert "Count the objects of each class, the largest class first." in listed
    shown = run("tally", "--help").out
    assert "--least" in shown
    assert "--on-error" in shown
    assert "wideberth.cli.tally" not in sys.modules


@pytest.mark.usefixtures("one_more")
def test_it_runs(run, folder):
    (folder / "drinks.csv").write_text(TABLE)
    said = run("tally", "drinks.csv", "--target", "kind").out
    assert said.endswith("label  objects\nsoft         2\nhard         1\n")
    some = run("tally", "drinks.csv", "--target", "kind", "--least", "2", "--json").out
    assert json.loads(some) == {"soft": 2}
    assert "is not a whole number" in run("tally", "drinks.csv", "--least", "many", code=2).err
    failed = run("tally", "drinks.csv", "--target", "sort", code=2).err
    assert "'sort'" in failed
    assert "Traceback" not in failed


def test_a_command_has_a_file_and_a_help_text():
    for name in commands.COMMANDS:
        picked, help_text = commands.declaration(name)
        assert help_text.endswith(".")
        assert len({each.name for each in picked.options}) == len(picked.options)
