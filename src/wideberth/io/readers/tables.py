"""Rows of cells, as the module of a format cuts them out of a file, and how their cells are read."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, get_args

import numpy as np

from wideberth.array_types import Floats
from wideberth.io.readers.records import Kind

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

    A function returns None for a cell that cannot be read as its type; an empty cell cannot be read as any type.

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
        Whether a cell is meant as a number although ``number`` cannot read it: the type of a column is decided by what is meant.
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
    structure: Callable[[Any], list[Any] | dict[str, Any] | None]  # of JSON: a tree, or a part of a graph
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
        The types of the columns that cannot be read, by name; an error only if such a column is used.
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
    unreadable: dict[str, str] = field(default_factory=dict)  # columns of types that have no reader: refused where they are used
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
    """Find the type of most filled cells of a column; of two types that are equally frequent, the wider one.

    One misprint must not turn a column of numbers into text: it is reported later, when the rows are converted.

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
    >>> majority_type([Row(line, {"size": cell}) for line, cell in enumerate(["1", "2", "3o"])], "size", TEXT_CELLS)
    'number'
    """
    counts = Counter(cells.cell_type(row.cells[name]) for row in rows if not is_empty(row.cells.get(name)))
    return max(CELL_TYPES, key=lambda cell_type: (counts[cell_type], CELL_TYPES.index(cell_type))) if counts else "text"


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
    >>> numeric_array([[1, 2], [3, 4]]).shape, numeric_array([[1, 2], [3]]), numeric_array([1, True]), numeric_array([])
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
