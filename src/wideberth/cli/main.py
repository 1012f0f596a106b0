"""Run the command line; `wideberth.cli.printing.failures` gives the exit codes of commands that
fail.
"""

import sys
import warnings

from wideberth.cli.commands import app
from wideberth.cli.printing.console import in_options, quietly, remark
from wideberth.cli.printing.failures import (
    exit_code,
    flush_output,
    prepare_streams,
    report,
    take_debug,
    take_quiet,
)


def main() -> None:
    """Run the command line: whatever goes wrong is printed as one sentence, and its traceback only
    with ``--debug``.

    The entry point of the program ``wideberth``.
    """
    warnings.showwarning = _show_warning
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
        app(args=arguments)
    except SystemExit:
        flush_output()
        raise


def _show_warning(
    message: object,
    category: object,
    filename: str,
    lineno: int,
    file: object = None,
    line: object = None,
) -> None:
    """Print a warning as one sentence on standard error: its place in the source code is of no use
    on the command line.
    """
    remark(in_options(message))
