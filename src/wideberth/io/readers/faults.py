"""Make the error messages of readers: the file and line, what is wrong, and how to correct it."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from wideberth.errors import InvalidFile
from wideberth.objects.sample import shown

STANDARD_INPUT = "-"
#: Most characters of each of the two parts of a message.
LONGEST = 600


def fault(
    path: str, problem: str, *, line: int | None = None, value: object = None, advice: str = "", unit: str = "line"
) -> InvalidFile:
    """Make the error for a problem in a file.

    Parameters
    ----------
    path : str
        The file, or ``"-"`` for standard input.
    problem : str
        What is wrong, as the end of a sentence; cut in the middle if it is very long.
    line : int, optional
        The line of the problem, counted from 1.
    value : object, optional
        The value that is wrong, kept as an attribute of the error.
    advice : str, optional
        How to correct it.
    unit : str, default="line"
        What ``line`` counts.

    Returns
    -------
    InvalidFile
        To be raised by the caller.

    Examples
    --------
    >>> print(fault("names.csv", "'abc' is not a number.", line=17, value="abc", advice="Correct it."))
    names.csv, line 17: 'abc' is not a number. Correct it.
    """
    return InvalidFile(
        f"{place(path, line, unit)}: {_shortened(problem)}", advice=_shortened(advice), path=path, line=line, value=value
    )


def _shortened(text: str) -> str:
    """A text without its middle if it is very long: a file decides how long its names are, but people read messages."""
    return text if len(text) <= LONGEST else f"{text[: LONGEST // 2]} ... {text[-LONGEST // 2 :]}"


def place(path: str, line: int | None = None, unit: str = "line") -> str:
    """Name a file and a line in it, as messages begin; ``unit`` is what ``line`` counts in a file without lines.

    Examples
    --------
    >>> place("names.csv", 17), place("names.parquet", 17, "row"), place("-")
    ('names.csv, line 17', 'names.parquet, row 17', 'standard input')
    """
    name = "standard input" if path == STANDARD_INPUT else path
    return name if line is None else f"{name}, {unit} {line}"


def counted(number: int, noun: str) -> str:
    """Write a number with a noun, in the singular if it is 1.

    Examples
    --------
    >>> counted(1, "row"), counted(2, "row")
    ('1 row', '2 rows')
    """
    return f"{number} {noun}{'s' * (number != 1)}"


def listed(names: list[str]) -> str:
    """List names in a message: quoted, and at most twelve of them.

    Examples
    --------
    >>> listed(["word", "label"])
    "'word', 'label'"
    """
    rest = len(names) - 12
    return ", ".join(map(shown, names[:12])) + (f" and {rest} more" if rest > 0 else "")


@contextmanager
def explained_os_errors(name: str) -> Iterator[None]:
    """Turn errors of the operating system about a file into `InvalidFile`, with the name of the file and advice.

    Examples
    --------
    >>> with explained_os_errors("/no/such/file"):
    ...     _ = open("/no/such/file")
    Traceback (most recent call last):
    ...
    wideberth.errors.InvalidFile: /no/such/file: there is no such file. Check the path.
    """
    try:
        yield
    except FileNotFoundError:
        where = "" if Path(name).is_absolute() else f"The working directory is {str(Path.cwd())!r}."
        raise fault(name, "there is no such file.", value=name, advice=f"Check the path. {where}".strip()) from None
    except OSError as error:
        reason = error.strerror or str(error)
        raise fault(name, f"cannot be opened ({reason}).", value=name, advice="Check that you may read it.") from None
