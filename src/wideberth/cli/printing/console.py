"""Print the results of a command: lines for people or JSON for programs; remarks go to standard error, unless ``--quiet``."""

import json
import math
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import typer

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
    """Print a sentence to standard error, unless the user wants only answers.

    Parameters
    ----------
    sentence : str
        What people should know, and programs need not.
    """
    if not is_quiet():
        typer.secho(f"wideberth: {sentence}", fg="yellow", err=True)


def show_json(facts: Any) -> None:
    """Print facts as JSON.

    Parameters
    ----------
    facts : object
        Dicts, lists, arrays, numbers and texts; infinite numbers become the texts "inf" and "-inf", as in certificates.

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
    if isinstance(value, dict):
        return {str(key): to_plain(item) for key, item in value.items()}
    return [to_plain(item) for item in value] if isinstance(value, Iterable) else str(value)


def table(header: Iterable[str], rows: Iterable[Iterable[Any]]) -> list[str]:
    """The lines of a table with aligned columns: texts to the left, numbers to the right.

    Parameters
    ----------
    header : iterable of str
        The headings of the columns; empty for none.
    rows : iterable of rows
        The cells, as texts or numbers.

    Returns
    -------
    list of str

    Examples
    --------
    >>> print("\\n".join(table(["label", "objects"], [["soft", 12], ["hard", 7]])))
    label  objects
    soft        12
    hard         7
    """
    cells = [list(row) for row in rows]
    texts = [list(head) for head in [list(header)] if head] + [[str(cell) for cell in row] for row in cells]
    if not texts:
        return []
    right = [all(isinstance(row[place], int | float) for row in cells) for place in range(len(texts[0]))]
    widths = [max(len(row[place]) for row in texts) for place in range(len(texts[0]))]
    aligned = [
        [cell.rjust(width) if number else cell.ljust(width) for cell, width, number in zip(row, widths, right, strict=True)]
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
