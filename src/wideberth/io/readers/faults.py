"""Make the error messages of readers: the file and line, what is wrong, and how to correct it."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from wideberth.errors import InvalidFile
from wideberth.io.readers.records import Skipped
from wideberth.objects.sample import shown
from wideberth.wording import Text, at

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
    reason = Text(problem).shortened(LONGEST)  # a file decides how long its names are, but people read messages
    return InvalidFile(
        f"{place(path, line, unit)}: {reason.marked}",
        advice=Text(advice).shortened(LONGEST),
        path=path,
        line=line,
        value=value,
        reason=reason,
    )


#: What is called with the error about a record that cannot be read.
Report = Callable[[InvalidFile], None]


def raised(error: InvalidFile) -> None:
    """Raise the error about a record: what is done unless records that cannot be read are skipped."""
    raise error


@dataclass
class BadRecords:
    """What is done with the records of a file that cannot be read: the first is an error, or all are left out and listed.

    Attributes
    ----------
    skips : bool
        Whether they are left out.
    count : int
        How many were left out so far.
    unread : int
        How many of these never became a row: what follows in the file is counted with them.
    first : Skipped or None
        The first of them.

    Examples
    --------
    >>> bad = BadRecords(skips=True)
    >>> bad.report(fault("names.csv", "'abc' is not a number.", line=17))
    >>> bad.take(), bad.count
    ([Skipped(line=17, why="'abc' is not a number.")], 1)
    """

    skips: bool = False
    count: int = 0
    unread: int = 0
    first: Skipped | None = None
    _skipped: list[Skipped] = field(default_factory=list)

    def report(self, error: InvalidFile) -> None:
        """Raise the error, or remember it."""
        if not self.skips:
            raise error
        line = vars(error).get("line")
        found = Skipped(line, error.problem if line is None else vars(error)["reason"])  # without a line, the file is named
        self.first = self.first or found
        self.count += 1
        self._skipped.append(found)

    def report_unread(self, error: InvalidFile) -> None:
        """Raise the error about a record that cannot be made a row, or remember it."""
        self.report(error)
        self.unread += 1

    def take(self) -> list[Skipped]:
        """The records that were left out since this was last asked."""
        taken, self._skipped = self._skipped, []
        return taken


def place(path: str, line: int | None = None, unit: str = "line") -> str:
    """Name a file and a line in it, as messages begin, with a mark; ``unit`` is what ``line`` counts in a file without lines.

    Examples
    --------
    >>> Text(place("names.csv", 17)), Text(place("names.parquet", 17, "row")), place("-")
    ('names.csv, line 17', 'names.parquet, row 17', 'standard input')
    """
    name = "standard input" if path == STANDARD_INPUT else path
    return name if line is None else f"{name}, {at(unit, line)}"


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
