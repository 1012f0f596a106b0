"""What readers return and what they are asked: objects with labels, what was understood of each
column, the options of the caller, the rows of cells on the way, and errors with their lines.
"""

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from functools import cached_property
from itertools import accumulate, chain
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

import numpy as np

from wideberth.array_types import Floats, Objects
from wideberth.errors import InvalidFile, InvalidInput, UnknownName, warn_user
from wideberth.io.readers.missing import MissingWords
from wideberth.objects.sample import shown
from wideberth.wording import Text, at, setting

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


class Absent(NamedTuple):
    """A row of new objects in which there is none: the cell of the object is empty."""

    before: int  # the position in the batch of the object that follows it
    line: int | None
    cells: dict[str, Any]


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
    lines : list or None
        The line of each row, as messages count; kept with the cells.
    skipped : list of Skipped
        The records that were left out, with ``on_error="skip"``.
    absent : list of Absent
        The rows without an object, where they are asked for.

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

    objects: Objects
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
    lines: list[int | None] | None = None
    skipped: list[Skipped] = field(default_factory=list)
    absent: list[Absent] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.objects)

    @property
    def dates(self) -> set[str]:
        """The columns that hold dates, which are days since 1970-01-01 in the objects."""
        return {column.name for column in self.understood if column.use == "date"}

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
        objects: Objects = np.concatenate([batch.objects for batch in batches])
    else:
        objects = [item for batch in batches for item in batch.objects]
    starts = accumulate((len(batch) for batch in batches), initial=0)
    absent = [
        each._replace(before=start + each.before)
        for start, batch in zip(starts, batches, strict=False)
        for each in batch.absent
    ]
    lists: dict[str, Any] = {
        name: _joined(batches, name)
        for name in ("labels", "names", "weights", "groups", "cells", "lines")
    }
    skipped = [record for batch in batches for record in batch.skipped]
    return replace(
        first,
        objects=objects,
        **lists,
        skipped=skipped,
        absent=absent,
        understood=batches[-1].understood,
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
    advice: str = "",
    *,
    line: int | None = None,
    value: object = None,
    unit: str = "line",
) -> InvalidFile:
    """Make the error for a problem in a file.

    Examples
    --------
    >>> print(
    ...     fault("names.csv", "'abc' is not a number.", line=17, value="abc", advice="Correct it.")
    ... )
    names.csv, line 17: 'abc' is not a number. Correct it.
    """
    # a file decides how long its names are, but people read messages
    reason = Text(problem).shortened(LONGEST)
    return InvalidFile(
        f"{place(path, line, unit)}: {reason.marked}",
        advice=Text(advice).shortened(LONGEST),
        path=path,
        line=line,
        value=value,
        reason=reason,
    )


@dataclass
class BadRecords:
    """What is done with the records of a file that cannot be read: the first is an error, or all
    are left out and listed.

    Examples
    --------
    >>> bad = BadRecords(skips=True)
    >>> bad.report(fault("names.csv", "'abc' is not a number.", line=17))
    >>> bad.take(), bad.count
    ([Skipped(line=17, why="'abc' is not a number.")], 1)
    """

    skips: bool = False  # whether they are left out
    count: int = 0  # how many were left out so far
    first: Skipped | None = None
    _skipped: list[Skipped] = field(default_factory=list)

    def report(self, error: InvalidFile) -> None:
        """Raise the error, or remember it."""
        if not self.skips:
            raise error
        line = vars(error).get("line")
        # without a line, the file is named
        found = Skipped(line, error.problem if line is None else vars(error)["reason"])
        self.first = self.first or found
        self.count += 1
        self._skipped.append(found)

    def take(self) -> list[Skipped]:
        """The records that were left out since this was last asked, in the order of the file."""
        taken, self._skipped = sorted(self._skipped, key=lambda each: each.line or 0), []
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
            name, "there is no such file.", f"Check the path. {where}".strip(), value=name
        ) from None
    except OSError as error:
        reason = error.strerror or str(error)
        raise fault(
            name, f"cannot be opened ({reason}).", "Check that you may read it.", value=name
        ) from None


# ---- Rows of cells, as the module of a format cuts them out of a file, and how their cells are
# read

#: A cell as its format gives it: a text, or a value with a type; None and "" are empty.
Cell: TypeAlias = Any
#: What a cell can be read as, from the narrowest type to the widest.
CellType = Literal["number", "series", "text", "other"]
CELL_TYPES: tuple[CellType, ...] = get_args(CellType)


class Row(NamedTuple):
    """One row of a table or one JSON record.

    Examples
    --------
    >>> Row(2, {"word": "tea"}).cells["word"]
    'tea'
    """

    line: int | None  # the line on which it begins, counted from 1; None if the file has no lines
    cells: dict[str, Cell]  # the cells by the names of their columns


#: Rows, and in place of each record that cannot be read the error about it.
Rows: TypeAlias = Iterator[Row | InvalidFile]


def readable(rows: Rows, report: Callable[[InvalidFile], None] | None = None) -> Iterator[Row]:
    """The rows alone; errors about the others are raised, or given to ``report``."""
    for row in rows:
        if isinstance(row, Row):
            yield row
        elif report is None:
            raise row
        else:
            report(row)


@dataclass(frozen=True)
class CellReader:
    """How the cells of one format are read: a function for each type.

    A function returns None for a cell that cannot be read as its type; an empty cell cannot be read
    as any type.

    Examples
    --------
    >>> from wideberth.io.readers.formats.delimited import TEXT_CELLS
    >>> TEXT_CELLS.number("2.5"), TEXT_CELLS.number("tea"), sorted(TEXT_CELLS.members("milk tea"))
    (2.5, None, ['milk', 'tea'])
    """

    number: Callable[[Cell], float | None]
    #: a float64 array with one axis, or two for channels x time
    series: Callable[[Cell], Floats | None]
    text: Callable[[Cell], str | None]  # a text that is not empty
    members: Callable[[Cell], frozenset[Any] | None]  # the members of a set, as a frozenset
    # of JSON: a tree, or a part of a graph
    structure: Callable[[Cell], list[Any] | dict[str, Any] | None]
    label: Callable[[Cell], Any]  # a label of any type
    fallback_kind: Kind  # what every filled cell can be read as
    #: whether a cell is meant as a number although ``number`` cannot read it: the type of a
    #: column is decided by what is meant
    disguised: Callable[[Cell], bool] = lambda cell: False
    has_numbers: bool = False  # the format has numbers of its own: text is not searched for them
    #: as ``series``, with NaN where the format can say that a number is missing
    gapped: Callable[[Cell], Floats | None] = lambda cell: None

    def cell_type(self, cell: Cell) -> CellType:
        """Find the narrowest type as which a cell can be read.

        Examples
        --------
        >>> from wideberth.io.readers.formats.delimited import TEXT_CELLS
        >>> TEXT_CELLS.cell_type("1"), TEXT_CELLS.cell_type("1 2"), TEXT_CELLS.cell_type("1 cup")
        ('number', 'series', 'text')
        """
        if self.number(cell) is not None or self.disguised(cell):
            return "number"
        if self.vector(cell) is not None:
            return "series"
        return "other" if self.text(cell) is None else "text"

    def vector(self, cell: Cell) -> Floats | None:
        """The numbers in a cell that holds a list of them, NaN where one is missing."""
        numbers = self.series(cell)
        return self.gapped(cell) if numbers is None else numbers


@dataclass(frozen=True)
class RawTable:
    """The rows of one file and how their cells are read.

    Examples
    --------
    >>> from wideberth.io.readers.formats.fasta import fasta_table
    >>> table = fasta_table([">s1", "ACGT"], "genes.fasta")
    >>> table.column, table.kind, len(list(table.rows))
    ('sequence', 'strings', 1)
    """

    rows: Rows  # read from the file on demand, and only once
    cells: CellReader  # how their cells are read
    #: the column of the objects and their kind, where the format itself defines them
    column: str | None = None
    kind: Kind | None = None
    unit: str = "line"  # what the number of a row counts
    # columns of types that have no reader: refused where they are used
    unreadable: dict[str, str] = field(default_factory=dict)
    #: the column of the names of the objects, where the format defines it
    identifier: str | None = None
    #: the types of columns that the file itself declares
    types: dict[str, CellType] = field(default_factory=dict)
    #: the name under which each row has a label that was read from another file
    labels: str | None = None
    #: whether each record names its own fields, so that a later one may have others
    names_in_rows: bool = False


def is_empty(cell: Cell) -> bool:
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


# ---- The columns, fields or arrays that a caller names, or that their names tell: those of the
# labels

#: What a column of labels is called, in any case.
TARGET_NAMES = frozenset({"label", "labels", "class", "target", "y", "category"})
#: Names, and characters of a name, that are compared in the search for the one that was meant.
MOST_COMPARED = 1000


def check_exists(
    name: str, names: Sequence[str], path: str, noun: str = "column", hint: str = ""
) -> None:
    """Refuse a name that does not exist, and suggest the closest one.

    Examples
    --------
    >>> check_exists("words", ["word", "label"], "drinks.csv")
    Traceback (most recent call last):
    ...
    wideberth.errors.InvalidFile: drinks.csv: there is no column 'words'. Did you mean 'word'? It has 'word', 'label'.
    """
    if name not in names:
        # comparing long names takes long
        short = [known for known in names[:MOST_COMPARED] if len(known) <= MOST_COMPARED]
        close = get_close_matches(name[:MOST_COMPARED], short, n=1) or [
            known for known in names if known.lower() == name.lower()
        ]
        meant = f"Did you mean {close[0]!r}? " if close else ""
        advice = f"{meant}It has {listed(list(names))}. {hint}".strip()
        raise fault(path, f"there is no {noun} {shown(name)}.", advice, value=name)


def distinct_names(names: Sequence[str], path: str) -> list[str]:
    """The names of columns; those that were there before, with a number, and a remark about it.

    Examples
    --------
    >>> distinct_names(["size", "label"], "drinks.csv")
    ['size', 'label']
    """
    taken, distinct = set(names), list[str]()
    for position, name in enumerate(names):
        free, number = name, names[:position].count(name) + 1
        while number > 1 and free in taken:
            free, number = f"{name} ({number})", number + 1
        distinct.append(free)
        taken.add(free)
    again = Counter(names).most_common(1)
    if again and again[0][1] > 1:
        name, times = again[0]
        warn_user(
            f"{place(path)}: {times} columns are called {shown(name)}; they are told apart as "
            f"{listed([told for told, given in zip(distinct, names, strict=True) if given == name])}.",
            UserWarning,
        )
    return distinct


def find_target(names: Sequence[str], named: str | None, path: str) -> str | None:
    """Find the column of the labels: as named, else the only one with a usual name
    (`TARGET_NAMES`; y beside x is a coordinate where another column has one), else None.

    Examples
    --------
    >>> (
    ...     find_target(["word", "Label"], None, "drinks.csv"),
    ...     find_target(["word", "language"], None, "drinks.csv"),
    ...     find_target(["x", "y", "label"], None, "points.csv"),
    ... )
    ('Label', None, 'label')
    """
    if named is not None:
        return named
    found = [name for name in names if name.lower() in TARGET_NAMES]
    if len(found) > 1 and any(name.lower() == "x" for name in names):
        found = [name for name in found if name.lower() != "y"]  # a coordinate
    if len(found) > 1:
        raise fault(
            path,
            f"{listed(found)} could each hold the labels.",
            f"Name one, for example {setting('target', found[0])}.",
            value=found,
        )
    return found[0] if found else None


#: What is done with a record that cannot be read.
OnError = Literal["raise", "skip"]


@dataclass(frozen=True)
class ReadOptions:
    """What the caller of a reader named; everything else is found.

    Examples
    --------
    >>> ReadOptions(("word",), target="language").names
    ('word', 'language')
    """

    columns: tuple[str, ...] = ()  # the columns of the objects; empty if none was named
    target: str | None = None
    kind: Kind | None = None
    labels: bool = True  # False: a column of labels is recognised, but not read
    #: of rows: the columns that hold numbers, while the others hold text
    numbers: tuple[str, ...] | None = (
        None  # of rows: the columns that hold numbers, the others hold text
    )
    #: how the numbers or dates of columns are written, as examples of
    #: `wideberth.io.readers.columns`
    number_formats: Mapping[str, str] = field(default_factory=dict)
    labels_from: str | None = None  # a second file, which holds the labels
    weight: str | None = None
    groups: str | None = None
    on_error: OnError = "raise"  # what is done with a record that cannot be read
    exact_labels: bool = False  # whether spaces around labels are kept
    keep_cells: bool = False  # whether the cells of all rows are kept as they are
    sheet: str | None = None  # the sheet of a workbook
    encoding: str | None = None  # of a text; found if None
    missing: tuple[str, ...] = ()  # words for missing values, besides the usual ones
    header: bool | None = None  # whether the first line of a table names the columns; found if None
    keep: tuple[str, ...] = ()  # columns that are used although they look like identifiers
    #: whether rows without an object are kept as `Records.absent`; else they are left out where
    #: objects are learned from (with a warning), and refused where they are asked about
    keep_absent: bool = False

    @cached_property
    def missing_words(self) -> MissingWords:
        """The words that stand for no value."""
        return MissingWords(self.missing)

    @property
    def names(self) -> tuple[str, ...]:
        """All columns that the caller named, those of the objects first."""
        return (
            *self.columns,
            *(name for name in (self.target, self.weight, self.groups) if name is not None),
        )

    def __post_init__(self) -> None:
        for option in ("target", "weight", "groups"):
            checked_names(option, getattr(self, option))
        if self.on_error not in get_args(OnError):
            raise InvalidInput(
                f"{setting('on_error', shown=shown(self.on_error))} is not known.",
                advice="Choose 'raise' or 'skip'.",
                value=self.on_error,
            )
        if self.numbers is not None and self.kind != "rows":
            raise InvalidInput(
                f"{setting('numbers', shown=list(self.numbers))} names columns of rows that hold "
                "numbers, but the objects are not read as rows.",
                advice=f"Pass {setting('kind', 'rows')} as well, or leave {setting('numbers')} "
                "out.",
                value=self.numbers,
            )
        if self.kind is not None and self.kind not in KINDS:
            raise UnknownName(
                f"{self.kind!r} is not a kind of objects.",
                advice=f"Choose one of {listed(list(KINDS))}.",
                value=self.kind,
                known=KINDS,
                parameter="kind",
            )
        self._check_different()

    def _check_different(self) -> None:
        """Refuse a column that is named for two purposes."""
        purposes = dict.fromkeys(self.columns, "column")
        for option in ("target", "weight", "groups"):
            name = getattr(self, option)
            if name is None:
                continue
            if name in purposes:
                raise InvalidInput(
                    f"{name!r} is named as {purposes[name]} and as {option}.",
                    advice=f"Name a column of its own with {setting(option)}, or leave it out.",
                    value=name,
                )
            purposes[name] = option


def read_options(
    column: str | Iterable[str] | None,
    numbers: str | Iterable[str] | Mapping[str, str] | None,
    **others: Any,
) -> ReadOptions:
    """Gather the keyword arguments of a reader.

    Examples
    --------
    >>> read_options("word", {"price": "1,5"}, target="language").number_formats
    {'price': '1,5'}
    """
    if isinstance(numbers, Mapping):
        formats = dict(zip(checked_names("numbers", numbers), numbers.values(), strict=True))
        names = None
    else:
        formats, names = {}, None if numbers is None else checked_names("numbers", numbers)
    if others.get("missing") is not None:
        others["missing"] = _checked_words(others["missing"])
    if "keep" in others:
        others["keep"] = checked_names("keep", others["keep"])
    if others.get("labels_from") is not None:
        others["labels_from"] = file_name(others["labels_from"])
    return ReadOptions(
        checked_names("column", column), numbers=names, number_formats=formats, **others
    )


def _checked_words(words: Any) -> tuple[str, ...]:
    """Check the words for missing values that the caller gave."""
    found = (words,) if isinstance(words, str) else tuple(words)
    for word in found:
        if not isinstance(word, str):
            raise InvalidInput(
                f"{setting('missing', shown=shown(word))} is not a word.",
                advice="Give words as they are in the file, such as 'unknown' or '-99'.",
                value=word,
            )
    return found


def file_name(path: Any) -> str:
    """The name of a file as text.

    Examples
    --------
    >>> file_name("names.csv")
    'names.csv'
    """
    if not _names_a_file(path):
        raise InvalidInput(
            f"{shown(path)} is not the name of a file.",
            advice="Pass the path of a file or a directory, '-', or a frame of pandas, polars or "
            "Arrow that is in memory.",
            value=path,
        )
    return os.fsdecode(path)


def _names_a_file(path: Any) -> bool:
    """Whether the system could have a file of that name: not if it holds a NUL, or half of a
    surrogate pair.
    """
    if not isinstance(path, str | bytes | os.PathLike) or not os.fspath(path):
        return False
    try:
        return b"\0" not in os.fsencode(path)
    except UnicodeEncodeError:
        return False


def checked_names(option: str, names: Any) -> tuple[str, ...]:
    """Check the names of columns that the caller gave.

    Examples
    --------
    >>> (
    ...     checked_names("column", "word"),
    ...     checked_names("column", ["a", "b", "a"]),
    ...     checked_names("column", None),
    ... )
    (('word',), ('a', 'b'), ())
    >>> checked_names("target", "")
    Traceback (most recent call last):
    ...
    wideberth.errors.InvalidInput: target='' names no column. ...
    """
    if names is None:
        return ()
    several = isinstance(names, Iterable) and not isinstance(names, str)
    found = list(names) if several else [names]
    for name in found:
        if not isinstance(name, str) or not name:
            raise InvalidInput(
                f"{setting(option, shown=shown(name))} names no column.",
                advice=f"Give the name of one, or leave {setting(option)} out; a column without a "
                "name needs one first.",
                value=name,
            )
    return tuple(dict.fromkeys(found))
