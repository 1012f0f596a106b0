"""What readers return, and the rows of cells and errors on the way: objects, labels, and what was
understood of each column.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import Any, Literal, NamedTuple, get_args

import numpy as np

from wideberth.array_types import Floats
from wideberth.errors import InvalidFile
from wideberth.objects.sample import shown
from wideberth.wording import Text, at

#: The kinds of objects that a file can hold.
Kind = Literal[
    "strings",
    "vectors",
    "series",
    "sets",
    "molecules",
    "trees",
    "graphs",
    "rows",
    "objects",
    "distances",
]
KINDS: tuple[Kind, ...] = get_args(Kind)
#: What a column can be used as.
Use = Literal[
    "number",
    "category",
    "text",
    "date",
    "series",
    "object",
    "label",
    "identifier",
    "weight",
    "group",
    "ignored",
]


class ColumnUse(NamedTuple):
    """What a column of a file is used as, and why.

    Attributes
    ----------
    name : str
        The column.
    use : str
        As a feature or the object itself: ``"number"``, ``"category"``, ``"text"``, ``"date"`` (a
        number of days), ``"series"`` or ``"object"`` (any other); otherwise ``"label"``,
        ``"identifier"``, ``"weight"``, ``"group"`` or ``"ignored"``.
    why : str
        A short phrase; empty where there is nothing to explain.

    Examples
    --------
    >>> print(*ColumnUse("price", "number", "decimal commas: 3,5 is 3.5"), sep=" | ")
    price | number | decimal commas: 3,5 is 3.5
    """

    name: str
    use: Use
    why: str

    def because(self, why: str) -> "ColumnUse":
        """The same use for another reason."""
        return self._replace(why=why)


class Skipped(NamedTuple):
    """A record that could not be read and was left out, as ``on_error="skip"`` wants it.

    Attributes
    ----------
    line : int or None
        Where it is in the file, as messages count: the line, or the row of a file without lines.
    why : str
        What is wrong with it.

    Examples
    --------
    >>> Skipped(17, "'abc' in column 'height' is not a number.").line
    17
    """

    line: int | None
    why: str

    def because(self, why: str) -> "Skipped":
        """The same record for another reason."""
        return self._replace(why=why)


@dataclass(frozen=True, eq=False, repr=False)
class Records:
    """Objects of one kind and, where the file has them, their labels.

    Attributes
    ----------
    objects : list or array
        Strings, series (float64 arrays, one axis for time or two for channels x time), frozensets,
        molecules (SMILES), trees (lists ``[label, children]``), graphs (dicts of ``nodes`` and
        ``edges`` or ``neighbors``), rows (dicts of their columns: float, str or None) or any
        objects in a list; vectors and rows of a distance matrix in an array.
    labels : list or None
        One label for each object.
    kind : {"strings", "vectors", "series", "sets", "molecules", "trees", "graphs", "rows", "objects", "distances"}
        What the objects are.
    column : str, tuple of str or None
        The column or columns, fields or array from which the objects were read; None for an NPY
        file, whose array has no name.
    target : str or None
        The column, field or array from which the labels were read.
    path : str
        The file.
    numbers : tuple of str or None
        Of rows, the columns that were read as numbers.
    understood : tuple of ColumnUse
        What each column is used as and why, in the order of the file; empty for arrays, which have
        no columns.
    names : list or None
        The identifier of each object, where a column holds identifiers.
    weights : list of float or None
        The weight of each object, from the column named with ``weight=``.
    groups : list or None
        The group of each object, from the column named with ``groups=``.
    cells : list of dict or None
        The cells of each row as they are in the file, in the order of its columns; kept only with
        ``keep_cells=True``.
    skipped : list of Skipped
        The records that were left out, with ``on_error="skip"``.

    Examples
    --------
    >>> Records(
    ...     ["tea", "thé"],
    ...     ["en", "fr"],
    ...     kind="strings",
    ...     column="word",
    ...     target="language",
    ...     path="drinks.csv",
    ... )
    Records(2 strings from 'word' with labels from 'language', in 'drinks.csv')
    """

    objects: Any
    labels: list[Any] | None
    kind: Kind
    column: str | tuple[str, ...] | None
    target: str | None
    path: str
    numbers: tuple[str, ...] | None = None
    understood: tuple[ColumnUse, ...] = ()
    names: list[Any] | None = None
    weights: list[float] | None = None
    groups: list[Any] | None = None
    cells: list[dict[str, Any]] | None = None
    skipped: list[Skipped] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.objects)

    def __repr__(self) -> str:
        what = "rows of distances" if self.kind == "distances" else self.kind
        origin = f" from {self._origin()}" if self.column else ""
        labels = f" with labels from {self.target!r}" if self.target else ""
        return f"Records({len(self)} {what}{origin}{labels}, in {self.path!r})"

    def _origin(self) -> str:
        """The columns of the objects, as the repr names them."""
        return (
            f"{len(self.column)} columns" if isinstance(self.column, tuple) else repr(self.column)
        )


def join(batches: list[Records]) -> Records:
    """Join all batches of one file to one.

    Parameters
    ----------
    batches : list of Records
        At least one; all of the same kind, from the same columns.

    Returns
    -------
    Records
        With what was understood when the last batch was read: only the end of a file shows all of
        it.

    Examples
    --------
    >>> parts = [
    ...     Records([word], None, kind="strings", column=None, target=None, path="a.npy")
    ...     for word in ("tea", "milk")
    ... ]
    >>> join(parts).objects
    ['tea', 'milk']
    """
    first = batches[0]
    if len(batches) == 1:
        return first
    if isinstance(first.objects, np.ndarray):
        objects: Any = np.concatenate([batch.objects for batch in batches])
    else:
        objects = [item for batch in batches for item in batch.objects]
    lists: dict[str, Any] = {
        name: _joined(batches, name) for name in ("labels", "names", "weights", "groups", "cells")
    }
    skipped = [record for batch in batches for record in batch.skipped]
    return replace(
        first, objects=objects, **lists, skipped=skipped, understood=batches[-1].understood
    )


def _joined(batches: list[Records], name: str) -> list[Any] | None:
    """A list of all batches joined to one; None if they have none."""
    if getattr(batches[0], name) is None:
        return None
    return list(chain.from_iterable(getattr(batch, name) for batch in batches))


# ---- Make the error messages of readers: the file and line, what is wrong, and how to correct it

STANDARD_INPUT = "-"
#: Most characters of each of the two parts of a message.
LONGEST = 600


def fault(
    path: str,
    problem: str,
    *,
    line: int | None = None,
    value: object = None,
    advice: str = "",
    unit: str = "line",
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
    >>> print(
    ...     fault("names.csv", "'abc' is not a number.", line=17, value="abc", advice="Correct it.")
    ... )
    names.csv, line 17: 'abc' is not a number. Correct it.
    """
    reason = Text(problem).shortened(
        LONGEST
    )  # a file decides how long its names are, but people read messages
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
    """Raise the error about a record: what is done unless records that cannot be read are
    skipped.
    """
    raise error


@dataclass
class BadRecords:
    """What is done with the records of a file that cannot be read: the first is an error, or all
    are left out and listed.

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
        found = Skipped(
            line, error.problem if line is None else vars(error)["reason"]
        )  # without a line, the file is named
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
    """Name a file and a line in it, as messages begin, with a mark; ``unit`` is what ``line``
    counts in a file without lines.

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
    """Turn errors of the operating system about a file into `InvalidFile`, with the name of the
    file and advice.

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
        raise fault(
            name, "there is no such file.", value=name, advice=f"Check the path. {where}".strip()
        ) from None
    except OSError as error:
        reason = error.strerror or str(error)
        raise fault(
            name, f"cannot be opened ({reason}).", value=name, advice="Check that you may read it."
        ) from None


# ---- Rows of cells, as the module of a format cuts them out of a file, and how their cells are
# read

#: What a cell can be read as, from the narrowest type to the widest.
CellType = Literal["number", "series", "text", "other"]
CELL_TYPES: tuple[CellType, ...] = get_args(CellType)


class Row(NamedTuple):
    """One row of a table or one JSON record.

    Attributes
    ----------
    line : int or None
        The line on which it begins, counted from 1; None if the file has no lines.
    cells : dict
        The cells by the names of their columns.

    Examples
    --------
    >>> Row(2, {"word": "tea"}).cells["word"]
    'tea'
    """

    line: int | None
    cells: dict[str, Any]


@dataclass(frozen=True)
class CellReader:
    """How the cells of one format are read: a function for each type.

    A function returns None for a cell that cannot be read as its type; an empty cell cannot be read
    as any type.

    Attributes
    ----------
    number : callable
        A finite float.
    series : callable
        A float64 array with one axis, or two for channels x time.
    text : callable
        A text that is not empty.
    members : callable
        The members of a set, as a frozenset.
    structure : callable
        A list or dict as in JSON: a tree, or a part of a graph.
    label : callable
        A label of any type.
    fallback_kind : str
        The kind of objects that every filled cell can be read as, which messages recommend.
    disguised : callable
        Whether a cell is meant as a number although ``number`` cannot read it: the type of a column
        is decided by what is meant.
    has_numbers : bool
        Whether the format has numbers of its own, so that text which looks like one is text.

    Examples
    --------
    >>> from wideberth.io.readers.formats.delimited import TEXT_CELLS
    >>> TEXT_CELLS.number("2.5"), TEXT_CELLS.number("tea"), sorted(TEXT_CELLS.members("milk tea"))
    (2.5, None, ['milk', 'tea'])
    """

    number: Callable[[Any], float | None]
    series: Callable[[Any], Floats | None]
    text: Callable[[Any], str | None]
    members: Callable[[Any], frozenset[Any] | None]
    structure: Callable[
        [Any], list[Any] | dict[str, Any] | None
    ]  # of JSON: a tree, or a part of a graph
    label: Callable[[Any], Any]
    fallback_kind: Kind  # what every filled cell can be read as
    disguised: Callable[[Any], bool] = lambda cell: False
    has_numbers: bool = False  # the format has numbers of its own: text is not searched for them

    def cell_type(self, cell: Any) -> CellType:
        """Find the narrowest type as which a cell can be read.

        Parameters
        ----------
        cell : object
            A filled cell.

        Returns
        -------
        {"number", "series", "text", "other"}

        Examples
        --------
        >>> from wideberth.io.readers.formats.delimited import TEXT_CELLS
        >>> TEXT_CELLS.cell_type("1"), TEXT_CELLS.cell_type("1 2"), TEXT_CELLS.cell_type("1 cup")
        ('number', 'series', 'text')
        """
        if self.number(cell) is not None or self.disguised(cell):
            return "number"
        if self.series(cell) is not None:
            return "series"
        return "other" if self.text(cell) is None else "text"


@dataclass(frozen=True)
class RawTable:
    """The rows of one file and how their cells are read.

    Attributes
    ----------
    rows : iterator of Row
        Read from the file on demand, and only once.
    cells : CellReader
        How their cells are read.
    column, kind : str or None
        The column of the objects and their kind, where the format itself defines them.
    unit : str
        What `Row.line` counts, for messages.
    unreadable : dict
        The types of the columns that cannot be read, by name; an error only if such a column is
        used.
    identifier : str or None
        The column of the names of the objects, where the format defines it.
    types : dict
        The types of columns that the file itself declares.
    labels : str or None
        The name under which each row has a label that was read from another file.

    Examples
    --------
    >>> from wideberth.io.readers.formats.fasta import fasta_table
    >>> table = fasta_table([">s1", "ACGT"], "genes.fasta")
    >>> table.column, table.kind, len(list(table.rows))
    ('sequence', 'strings', 1)
    """

    rows: Iterator[Row]
    cells: CellReader
    column: str | None = None
    kind: Kind | None = None
    unit: str = "line"  # what the number of a row counts
    unreadable: dict[str, str] = field(
        default_factory=dict
    )  # columns of types that have no reader: refused where they are used
    identifier: str | None = None
    types: dict[str, CellType] = field(default_factory=dict)
    labels: str | None = None


def is_empty(cell: Any) -> bool:
    """Whether a cell is empty: the empty text of a table, or null in JSON.

    Examples
    --------
    >>> is_empty(""), is_empty(None), is_empty(0), is_empty([])
    (True, True, False, False)
    """
    return cell is None or (isinstance(cell, str) and not cell)


def majority_type(rows: Sequence[Row], name: str, cells: CellReader) -> CellType:
    """Find the type of most filled cells of a column; of two types that are equally frequent, the
    wider one.

    One misprint must not turn a column of numbers into text: it is reported later, when the rows
    are converted.

    Parameters
    ----------
    rows : sequence of Row
        The first rows of a file.
    name : str
        The column.
    cells : CellReader
        How its cells are read.

    Returns
    -------
    {"number", "series", "text", "other"}
        ``"text"`` for a column without any filled cell.

    Examples
    --------
    >>> from wideberth.io.readers.formats.delimited import TEXT_CELLS
    >>> majority_type(
    ...     [Row(line, {"size": cell}) for line, cell in enumerate(["1", "2", "3o"])],
    ...     "size",
    ...     TEXT_CELLS,
    ... )
    'number'
    """
    counts = Counter(
        cells.cell_type(row.cells[name]) for row in rows if not is_empty(row.cells.get(name))
    )
    return (
        max(CELL_TYPES, key=lambda cell_type: (counts[cell_type], CELL_TYPES.index(cell_type)))
        if counts
        else "text"
    )


def numeric_array(values: list[Any]) -> Floats | None:
    """Convert a list of finite numbers, or of equally long lists of them, to an array.

    Parameters
    ----------
    values : list
        A value out of JSON; lists of lists are channels.

    Returns
    -------
    ndarray of shape (length,) or (channels, length), or None
        None for any other list: empty, ragged, or with values that are not finite numbers.

    Examples
    --------
    >>> (
    ...     numeric_array([[1, 2], [3, 4]]).shape,
    ...     numeric_array([[1, 2], [3]]),
    ...     numeric_array([1, True]),
    ...     numeric_array([]),
    ... )
    ((2, 2), None, None, None)
    """
    rows = values if values and all(type(row) is list for row in values) else [values]
    if not rows[0] or any(len(row) != len(rows[0]) for row in rows):
        return None
    if not all(type(value) in (int, float) for row in rows for value in row):
        return None
    try:
        array = np.array(values, dtype=np.float64)
    except OverflowError:
        return None
    return array if bool(np.isfinite(array).all()) else None
