"""Run the command line, and print what went wrong: one sentence, and a traceback only if it was
asked for.

Exit codes: 1 for what nobody foresaw, a full disk or too little memory; 2 for an error that the
user can correct; 130 after Ctrl-C. Messages name the options of the command line.
"""

import errno
import os
import sys
import traceback
import warnings
from collections.abc import Callable
from contextlib import suppress
from io import TextIOWrapper

import typer

from wideberth.cli.commands import parser
from wideberth.cli.console import in_options, quietly, remark
from wideberth.errors import WideberthError


def main() -> None:
    """Run the command line: whatever goes wrong is printed as one sentence, and its traceback only
    with ``--debug``.

    The entry point of the program ``wideberth``.
    """
    warnings.showwarning = _shown_once()
    prepare_streams()
    arguments, debug = take_debug(sys.argv[1:])
    arguments, quiet = take_quiet(arguments)
    try:
        with quietly(quiet):
            _run(arguments)
    except (Exception, KeyboardInterrupt) as error:
        report(error, debug=debug)
        sys.exit(exit_code(error))


def _run(arguments: list[str]) -> None:
    """Run a command and write out what it printed; ends with `SystemExit`."""
    try:
        parser()(args=arguments)
    except SystemExit:
        flush_output()
        raise


def _shown_once() -> Callable[..., None]:
    """What prints a warning as one sentence on standard error, each sentence once: its place in the
    source code is of no use on the command line.
    """
    shown: set[str] = set()

    def show(message: object, *_place: object) -> None:
        sentence = in_options(message)
        if sentence not in shown:
            shown.add(sentence)
            remark(sentence)

    return show


#: The option and the environment variable that show the traceback of an error.
DEBUG_OPTION, DEBUG_VARIABLE = "--debug", "WIDEBERTH_DEBUG"
#: The option that leaves out everything but answers.
QUIET_OPTION = "--quiet"
#: Most characters that are shown of the message of an unforeseen error.
_LONGEST = 300


def take_debug(arguments: list[str]) -> tuple[list[str], bool]:
    """Take the option ``--debug`` out of a command line: it may stand anywhere before ``--``.

    Examples
    --------
    >>> take_debug(["fit", "names.csv", "--debug", "--target", "sex"])
    (['fit', 'names.csv', '--target', 'sex'], True)
    """
    kept, debug = _take(arguments, DEBUG_OPTION)
    return kept, debug or bool(os.environ.get(DEBUG_VARIABLE))


def take_quiet(arguments: list[str]) -> tuple[list[str], bool]:
    """Take the option ``--quiet`` out of a command line, as `take_debug` does with its own.

    Examples
    --------
    >>> take_quiet(["fit", "names.csv", "--quiet"])
    (['fit', 'names.csv'], True)
    """
    return _take(arguments, QUIET_OPTION)


def _take(arguments: list[str], option: str) -> tuple[list[str], bool]:
    end = arguments.index("--") if "--" in arguments else len(arguments)
    kept = [argument for argument in arguments[:end] if argument != option]
    return kept + arguments[end:], len(kept) < end


def exit_code(error: BaseException) -> int:
    """Look up the exit code for an error: 2 for what the caller can mend, as a name that is too
    long; 130 for Ctrl-C.

    Examples
    --------
    >>> (
    ...     exit_code(WideberthError("No.")),
    ...     exit_code(KeyboardInterrupt()),
    ...     exit_code(ZeroDivisionError()),
    ... )
    (2, 130, 1)
    """
    if isinstance(error, KeyboardInterrupt):
        return 130
    name_is_too_long = isinstance(error, OSError) and error.errno == errno.ENAMETOOLONG
    return 2 if name_is_too_long or isinstance(error, WideberthError) else 1


def in_a_sentence(error: BaseException) -> str:
    """Describe an error in a sentence or two, with the way out: the message of an error of this
    library; for others what happened, and where to go with it.

    Examples
    --------
    >>> print(in_a_sentence(PermissionError(13, "Permission denied", "names.csv")))
    Permission denied: names.csv. Check that you may read and write there, and that the disk is not full.
    >>> print(in_a_sentence(ZeroDivisionError("division by zero")))
    an error that nobody foresaw (ZeroDivisionError: division by zero). This is a fault of wideberth: please report it ...
    """
    if isinstance(error, WideberthError):
        return in_options(error)
    if isinstance(error, KeyboardInterrupt):
        return "stopped."
    if isinstance(error, MemoryError):
        return (
            f"there is not enough memory ({_brief(error) or 'MemoryError'}). Use fewer objects, or "
            "lower --max-memory."
        )
    if isinstance(error, OSError) and error.strerror:
        where = (
            ""
            if error.filename is None
            else f": {os.fsdecode(error.filename) if error.filename != '' else repr('')}"
        )
        return (
            f"{error.strerror}{where}. Check that you may read and write there, and that the disk "
            "is not full."
        )
    return (
        f"an error that nobody foresaw ({type(error).__name__}: {_brief(error)}). This is a fault "
        "of wideberth: please report it where you got wideberth from, with the command, what it "
        f"prints with {DEBUG_OPTION}, and wideberth.show_versions()."
    )


def report(error: BaseException, *, debug: bool) -> None:
    """Print an error to standard error."""
    with suppress(OSError):  # nobody may be listening
        if debug:
            typer.echo("".join(traceback.format_exception(error)), err=True, nl=False)
        typer.secho(f"wideberth: {in_a_sentence(error)}", fg="red", err=True)


def prepare_streams() -> None:
    """Let the terminal show every text: characters that its encoding lacks, and bytes of file names
    that are none, as escapes.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def flush_output() -> None:
    """Write out what standard output still holds, while an error can still be reported."""
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except (OSError, ValueError) as error:  # a ValueError if it is closed
        _discard_output()
        if not isinstance(error, BrokenPipeError | ValueError):
            raise


def _discard_output() -> None:
    """Send what is left to nowhere, so that Python does not fail once more when it ends."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _brief(error: BaseException) -> str:
    """The first line of a message."""
    line = str(error).strip().partition("\n")[0]
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 3]}..."
