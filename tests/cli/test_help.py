"""What ``--help`` of each command shows: examples that the parser takes, options in groups, no types
of Python.
"""

import shlex

import pytest

from wideberth.cli import options
from wideberth.cli.commands import COMMANDS, declaration, parser


def test_help_of_the_program_shows_no_types_of_python(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "100")
    with pytest.raises(SystemExit):
        parser()(args=["--help"])
    shown = capsys.readouterr().out
    assert "--debug" in shown
    assert "<" not in shown


@pytest.mark.parametrize("name", COMMANDS)
def test_help_has_examples_first_and_options_in_groups(name, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "100")
    with pytest.raises(SystemExit):
        parser()(args=[name, "--help"])
    shown = capsys.readouterr().out
    examples = declaration(name)[0].examples
    assert examples
    assert f"$ wideberth {name}" in shown
    assert shown.index("$ wideberth") < shown.index("--help")
    for python in ("<bool>", "<str>", "<list", "<float", "<int", "─ Options ─"):
        assert python not in shown
    assert any(f"─ {panel.value} ─" in shown for panel in options.Panel)


@pytest.mark.parametrize(
    ("name", "example"),
    [(name, each) for name in COMMANDS for each in declaration(name)[0].examples],
)
def test_examples_are_commands(name, example):
    command = parser().commands[name]
    assert command.make_context(name, shlex.split(example)).params


@pytest.mark.parametrize(
    ("name", "option", "panel"),
    [
        ("fit", "target", "Data"),
        ("fit", "tune", "Model"),
        ("fit", "output", "Output"),
        ("suspects", "count", "Output"),
        ("suspects", "model", "Model"),
        ("serve", "port", "Server"),
        ("serve", "labels_from", "Data"),
        ("evaluate", "delta", "What is proved"),
    ],
)
def test_groups(name, option, panel):
    [found] = [each for each in parser().commands[name].params if each.name == option]
    assert found.rich_help_panel == panel
