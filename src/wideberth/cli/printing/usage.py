"""What is wrong with a command line, in our own words: the value, and the way out."""

import re
from difflib import get_close_matches
from typing import Any

import typer
from typer.core import TyperGroup

from wideberth.cli.printing.in_options import run_with


class Commands(TyperGroup):
    """The commands; messages name the options of the one that runs, and wrong values are told in our own words."""

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


def in_our_words(wrong: typer.BadParameter) -> str:
    """What is wrong with the value of an option.

    Parameters
    ----------
    wrong : BadParameter
        From the parser; the error that it stands for, if there is one, knows the value.

    Returns
    -------
    str
        Its own message if nothing better is known.

    Examples
    --------
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
