"""The commands: which there are, and how the parser learns of them.

A new command is a file of this folder and a word in `COMMANDS`. ``--help`` shows all of them at
once and has to be instant, while what they need to run takes seconds to load: so the options and
the help text of a command are read from the source of its file, which is imported only when the
command runs.
"""

import ast
import functools
import gc
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from difflib import get_close_matches
from enum import Enum
from importlib import import_module
from importlib.util import find_spec
from inspect import Signature, cleandoc
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

import wideberth
from wideberth.cards.glosses import glosses
from wideberth.cli import options
from wideberth.cli.console import run_with
from wideberth.extras import import_extra

#: The commands in the order of ``--help``: each is a file of this folder, and a function in it.
COMMANDS = (
    *("fit", "predict", "evaluate", "certify", "report", "explain", "info"),
    *("compare", "suspects", "doctor", "serve", "metrics", "warmup"),
)
_EPILOG = (
    "Exit codes: 0 done; 2 something in the command or in the files has to be corrected; 1 what "
    "nobody foresaw, a full disk or too little memory; 130 stopped with Ctrl-C."
)


#: The words of ours that a command prints, which its ``--help`` explains.
WORDS: dict[str, tuple[str, ...]] = {
    "fit": ("wrong", "kept", "proved safe", "margin"),
    "predict": ("probability", "lead", "radius", "safe edits"),
    "evaluate": ("radius", "safe edits", "certificate", "holds if"),
    "certify": ("certificate", "confidence", "holds if", "guessing", "vacuous"),
    "explain": ("probability", "lead", "radius", "safe edits"),
    "suspects": ("quality",),
    "serve": ("probability", "lead", "radius", "safe edits"),
}


class Commands(TyperGroup):
    """The commands; messages name the options of the one that runs, and wrong values are told in
    our own words.
    """

    def get_params(self, ctx: Any) -> Any:
        """The options before a command, all of which are switches: no types are shown."""
        found = super().get_params(ctx)
        for each in found:
            each.metavar = ""
        return found

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Find the command that runs."""
        name, command, rest = super().resolve_command(ctx, args)
        if command is not None:
            run_with(command, self.commands["fit"])
        return name, command, rest

    def invoke(self, ctx: Any) -> Any:
        """Run a command."""
        try:
            return super().invoke(ctx)
        except typer.BadParameter as wrong:
            wrong.message = in_our_words(wrong)
            raise


class Grouped(TyperCommand):
    """A command whose ``--help`` shows options in their groups, and no types of Python."""

    def get_params(self, ctx: Any) -> Any:
        """The options; what the parser adds joins the last group."""
        found = super().get_params(ctx)
        for each in found:
            shown: Any = each
            if "--help" in each.opts:
                shown.metavar, shown.rich_help_panel = "", options.Panel.output.value
            elif each.param_type_name == "argument":
                shown.display_type_rich = _untyped
        return found


def _untyped(ctx: Any) -> None:
    """Arguments are shown by their names."""


def in_our_words(wrong: typer.BadParameter) -> str:
    """What is wrong with the value of an option; the parser's own message if nothing better is
    known.

    >>> in_our_words(typer.BadParameter("Value error, 'marjin' is not one of 'auto', 'margin'."))
    "'marjin' is not one of 'auto', 'margin'. Did you mean 'margin'?"
    """
    found: list[dict[str, Any]] = getattr(wrong.__cause__, "errors", list)()
    told = found[0] if found else {}
    value, limits = told.get("input"), told.get("ctx", {})
    match told.get("type"):
        case "less_than_equal":
            return f"{value} is more than {limits['le']:g}, the largest that is allowed."
        case "greater_than_equal":
            return f"{value} is less than {limits['ge']:g}, the smallest that is allowed."
        case "int_parsing" | "int_from_float":
            return f"{value!r} is not a whole number."
        case "float_parsing":
            return f"{value!r} is not a number."
    message = wrong.message.removeprefix("Value error, ")
    written, *known = re.findall(r"'([^']*)'", message) if " is not one of " in message else [""]
    close = get_close_matches(written, known, n=1)
    return f"{message} Did you mean {close[0]!r}?" if close else message


@functools.cache  # it takes a tenth of a second, and does not change
def parser() -> Any:
    """The parser of the whole command line, which is called with ``args``."""
    app = typer.Typer(
        name="wideberth",
        cls=Commands,
        help=_root.__doc__,
        epilog=_EPILOG,
        no_args_is_help=True,
        pretty_exceptions_enable=False,
    )
    app.callback(invoke_without_command=True)(_root)
    for name in COMMANDS:
        picked, help_text = declaration(name)
        app.command(
            name,
            cls=Grouped,
            help=_with_examples(help_text, name, picked.examples),
            epilog=_words(name),
        )(_runs(name, picked))
    return typer.main.get_command(app)


def _root(
    version: Annotated[bool, typer.Option("--version", help="Print the version and exit.")] = False,
    debug: Annotated[
        bool, typer.Option("--debug", help="Show the traceback of an error; may stand anywhere.")
    ] = False,
    quiet: Annotated[
        bool,
        typer.Option(
            "--quiet",
            help="Print answers and errors only: no remarks, warnings or progress; may stand "
            "anywhere.",
        ),
    ] = False,
) -> None:
    """Large-margin classification of anything you can measure a distance on."""
    if version:
        typer.echo(f"wideberth {wideberth.__version__}")
        raise typer.Exit


def declaration(name: str) -> tuple[options.Picked, str]:
    """The options of a command and its help text, from the source of its file.

    >>> picked, help_text = declaration("info")
    >>> [each.name for each in picked.options], help_text
    (['model', 'json'], 'Show what a model file holds, when it was made and from what.')
    """
    found = find_spec(f"wideberth.cli.{name}")
    path = str(found and found.origin)
    tree = ast.parse(Path(path).read_text(encoding="utf-8"))
    marked = next(
        node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == name
    )
    written = compile(ast.Expression(marked.decorator_list[0]), path, "eval")
    # the decorator of a file of this folder, nothing that a user wrote
    picked: options.Picked = eval(written, {"options": options})  # noqa: S307
    first_paragraph = cleandoc(ast.get_docstring(marked) or "").split("\n\n")[0]
    return picked, " ".join(first_paragraph.split())


def _words(name: str) -> str | None:
    """What the words mean that a command prints, each in a paragraph; None if it prints none."""
    told = [f"{word}: {meaning}" for word, meaning in glosses(WORDS.get(name, ()))]
    return "\n\n".join(told) or None


@contextmanager
def _loading() -> Iterator[None]:
    """Let Python look for no garbage while modules are loaded, and never among what they made: a
    tenth of the time of a short command, most of it when the process ends.
    """
    usual = gc.isenabled()
    gc.disable()
    try:
        yield
        gc.freeze()
    finally:
        if usual:
            gc.enable()


def _with_examples(help_text: str, name: str, examples: tuple[str, ...]) -> str:
    """A help text with examples, each in a line of its own.

    >>> print(_with_examples("Brew.", "brew", ("tea.csv",)).replace(chr(8), "|"))
    Brew.
    <BLANKLINE>
    |
    $ wideberth brew tea.csv
    """
    lines = [f"$ wideberth {name} {each}".rstrip() for each in examples]
    return "\n".join([help_text, "", "\b", *lines]) if lines else help_text


def _runs(name: str, picked: options.Picked) -> Callable[..., None]:
    """What the parser calls with the values of all options."""

    def run(**values: Any) -> None:
        for module, extra in picked.needs.items():
            import_extra(module, extra)
        plain = {
            each: value.value if isinstance(value, Enum) else value
            for each, value in values.items()
        }
        with _loading():
            command = getattr(import_module(f"wideberth.cli.{name}"), name)
        if "files" in plain:
            from wideberth.cli.data import DataOptions

            plain["data"] = DataOptions.taken_from(plain)
        command(**plain)

    run.__signature__ = Signature([each.parameter(picked.panel) for each in picked.options])  # type: ignore[attr-defined]
    return run
