"""Print the results of a command: lines for people or JSON for programs; remarks go to standard
error, unless ``--quiet``.
"""

import json
import math
import shlex
import sys
from ast import literal_eval
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import date
from typing import Any, NamedTuple

import typer

from wideberth.errors import WideberthError
from wideberth.wording import Face, told

#: Whether only answers are printed: no remarks, warnings or progress.
_quiet: ContextVar[bool] = ContextVar("quiet", default=False)


@contextmanager
def quietly(quiet: bool) -> Iterator[None]:
    """Leave out remarks, warnings and progress, if asked to.

    Examples
    --------
    >>> with quietly(True):
    ...     say("This is not printed.")
    """
    token = _quiet.set(quiet)
    try:
        if quiet:
            from wideberth.progress import task  # not needed by --help and --version

            with task("", verbose=-1):
                yield
        else:
            yield
    finally:
        _quiet.reset(token)


def is_quiet() -> bool:
    """Whether only answers are printed.

    Examples
    --------
    >>> is_quiet()
    False
    """
    return _quiet.get()


def say(*lines: str) -> None:
    """Print lines that accompany an answer to standard output, unless the user wants only answers.

    Examples
    --------
    >>> say("2 objects of 2 classes.")
    2 objects of 2 classes.
    """
    if not is_quiet():
        for line in lines:
            print(line, flush=True)


def remark(sentence: str) -> None:
    """Print a sentence to standard error, unless the user wants only answers."""
    if not is_quiet():
        typer.secho(f"wideberth: {sentence}", fg="yellow", err=True)


def show_json(facts: Any) -> None:
    """Print facts as JSON.

    Infinite numbers become the texts "inf" and "-inf", as in certificates.

    Examples
    --------
    >>> import numpy as np
    >>> show_json({"radius": math.inf, "labels": np.array([1, 2])})
    {
      "radius": "inf",
      "labels": [
        1,
        2
      ]
    }
    """
    print(json.dumps(to_plain(facts), indent=2, ensure_ascii=False))


def to_plain(value: Any) -> Any:
    """Convert facts to values that JSON holds, other objects to their text.

    Examples
    --------
    >>> import numpy as np
    >>> to_plain({1: (np.float64(0.5), math.nan)})
    {'1': [0.5, None]}
    """
    import numpy as np  # --help and --version do without it

    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()
    if isinstance(value, float):
        return value if math.isfinite(value) else None if math.isnan(value) else str(value)
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, date):
        return str(value).removesuffix(" 00:00:00")
    if isinstance(value, dict):
        return {str(key): to_plain(item) for key, item in value.items()}
    return [to_plain(item) for item in value] if isinstance(value, Iterable) else str(value)


def table(header: Iterable[str], rows: Iterable[Iterable[Any]]) -> list[str]:
    """The lines of a table with aligned columns: texts to the left, numbers to the right.

    Examples
    --------
    >>> print("\\n".join(table(["label", "objects"], [["soft", 12], ["hard", 7]])))
    label  objects
    soft        12
    hard         7
    """
    cells = [list(row) for row in rows]
    texts = [list(head) for head in [list(header)] if head] + [
        [str(cell) for cell in row] for row in cells
    ]
    if not texts:
        return []
    right = [
        all(isinstance(row[place], int | float) for row in cells) for place in range(len(texts[0]))
    ]
    widths = [max(len(row[place]) for row in texts) for place in range(len(texts[0]))]
    aligned = [
        [
            cell.rjust(width) if number else cell.ljust(width)
            for cell, width, number in zip(row, widths, right, strict=True)
        ]
        for row in texts
    ]
    return ["  ".join(row).rstrip() for row in aligned]


def number(value: float, digits: int = 4) -> str:
    """A number for people to read, rounded to a few digits.

    Examples
    --------
    >>> number(0.123456), number(1234.5678), number(2.0), number(1e-9)
    ('0.1235', '1235', '2', '1e-09')
    """
    return f"{value:.{digits}g}" if abs(value) < 10**digits else f"{value:.0f}"


def to_stdout() -> Any:
    """Standard output, in UTF-8 where it can be changed; None if it is closed."""
    if sys.stdout is not None and hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(encoding="utf-8")
    return sys.stdout


# ---- The face of the command line: what Python calls parameters are options of the command that
# runs, and calls are commands

#: The parameters of Python that are options of commands, by the name that both share but for
#: dashes.
_SHARED = (
    *(
        "column",
        "target",
        "kind",
        "encoding",
        "max_size",
        "metric",
        "unit",
        "weight",
        "groups",
        "on_error",
        "numbers",
        "sheet",
        "missing",
        "keep",
        "header",
    ),
    *(
        "exact_labels",
        "max_memory",
        "max_objects",
        "prefer",
        "radius",
        "delta",
        "independent",
        "workers",
    ),
)
#: The option of each parameter.
OPTIONS = {name: f"--{name.replace('_', '-')}" for name in _SHARED} | {"labels_from": "--labels"}
#: Those of them that are settings of classifiers too, which ``--param`` gives to the commands that
#: have no such option.
_OF_MODELS = ("delta", "radius", "unit")
#: What people do on the command line where Python calls a function.
CALLS = {
    "wideberth.certify": "'wideberth certify'",
    "wideberth.diagnose": "'wideberth doctor'",
    "wideberth.list_metrics()": "'wideberth metrics'",
    "wideberth.transforms.total": "'total(words, ngrams)'",
}
#: How a promise is declared.
DECLARED = "declare obeys_triangle=True"
#: What stands in messages for columns that the user knows.
_TO_FILL_IN = {"[...]": "COLUMN", "{...}": "COLUMN=1,5"}


class Running(NamedTuple):
    """The options of the command that runs, and of the one that made its model."""

    options: frozenset[str]
    of_fit: frozenset[str]


_running: ContextVar[Running | None] = ContextVar("running", default=None)


def run_with(command: Any, fit: Any) -> None:
    """Note which command runs: messages name its options from now on."""
    _running.set(Running(_options_of(command), _options_of(fit)))


def _options_of(command: Any) -> frozenset[str]:
    return frozenset(option for parameter in command.params for option in parameter.opts)


class CommandLine(Face):
    """Messages in the words of the command line.

    Examples
    --------
    >>> from wideberth.wording import Text, setting
    >>> text = Text(
    ...     f"{setting('target', '')} names no column. Leave {setting('target')} out, or pass {setting('kind', 'rows')}."
    ... )
    >>> print(text.told(CommandLine()))
    --target '' names no column. Leave --target out, or pass --kind 'rows'.
    >>> of_fit = Running(frozenset({"--target"}), frozenset({"--target", "--kind"}))
    >>> print(text.told(CommandLine(of_fit)))
    --target '' names no column. Leave --target out, or pass --kind 'rows' (of 'wideberth fit').
    """

    def __init__(self, running: Running | None = None) -> None:
        self._running = running

    def setting(self, name: str, shown: str) -> str:
        """Say a parameter: an option of the command, of the one that made the model, or a setting
        of the classifier.
        """
        of_gower = name == "missing" and not isinstance(_value(shown), list)
        option = "--metric" if of_gower else OPTIONS.get(name)
        if option is None:
            return super().setting(name, shown)
        written = f'--metric "gower(missing={shown})"' if of_gower else _written(option, shown)
        if name == "header" and shown == "False":
            written = "--no-header"
        if self._running is None or option in self._running.options:
            return written
        if name in _OF_MODELS and "--param" in self._running.options:
            value = _value(shown)
            return f"--param {_typed(f'{name}={value if isinstance(value, str) else shown}')}"
        return (
            f"{written} (of 'wideberth fit')"
            if option in self._running.of_fit
            else super().setting(name, shown)
        )

    def python(self, code: str) -> str:
        """Say a call: the command that does the same, if there is one."""
        if code != DECLARED:
            return CALLS.get(code, code)
        declares = self._running is None or "--declare" in self._running.options
        option = (
            "--declare obeys_triangle"
            if declares
            else "--declare obeys_triangle to 'wideberth fit'"
        )
        return f"say {option} (of a matrix of distances)"


def in_options(message: Any) -> str:
    """A message in the words of the command that runs: what has marked parts names options, another
    text is printed as it is.
    """
    face = CommandLine(_running.get())
    if isinstance(message, WideberthError):
        return message.told(face)
    if isinstance(message, Warning) and len(message.args) == 1:
        return told(message.args[0], face)
    return told(message, face)


def _written(option: str, shown: str) -> str:
    """An option with a value, as people type it."""
    if shown in ("", "True"):
        return option
    if shown in _TO_FILL_IN:
        return f"{option} {_TO_FILL_IN[shown]}"
    match _value(shown):
        case str(text):
            return f"{option} {_quoted(text)}"
        case [*texts] if texts and all(isinstance(text, str) for text in texts):
            return " ".join(f"{option} {_typed(text)}" for text in texts)
        case {**settings} if settings:
            return " ".join(
                f"{option} {_quoted(f'{name}={value}')}" for name, value in settings.items()
            )
    return f"{option} {shown}"


def _value(shown: str) -> Any:
    """The value that a message shows, if it can be read; otherwise None."""
    try:
        return literal_eval(shown)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return None


def _quoted(text: str) -> str:
    """A text in quotes, which a shell takes off: those of Python, where these do."""
    return repr(text) if repr(text) == f"'{text}'" else _typed(text)


def _typed(text: str) -> str:
    """A text as people type it in a shell; with escapes, if a terminal must not get its
    characters.
    """
    return shlex.quote(text) if text.isprintable() else repr(text)
