"""The decision where objects, labels and all else are in every row of a file, and how cells are
read.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from wideberth.io.readers.columns.written_numbers import Writing
from wideberth.io.readers.records import CellReader, CellType, ColumnUse, Kind


@dataclass(frozen=True)
class Layout:
    """Where the objects, labels and all else are in every row of a file, and how cells are read.

    Attributes
    ----------
    columns : tuple of str
        The columns of the objects.
    target : str or None
        The column of the labels.
    kind : str
        The kind of the objects.
    types : dict
        The type as which the cells of each column are read: ``"number"``, ``"series"``, ``"text"``
        or ``"other"``.
    all_columns : bool
        No column was named, so that an object of several fields has all fields of its row.
    labels : bool
        Whether labels are read.
    numbers_given : bool
        Whether the caller named the columns of rows that hold numbers.
    identifier, weight, groups : str or None
        The columns of the names, the weights and the groups of the objects.
    writings : dict
        How numbers are written in columns where they are not plain.
    truths : frozenset of str
        The columns of words such as yes and no.
    uses : tuple of ColumnUse
        What each column is used as, and why.
    empty : tuple of str
        The columns that are left out because no cell of theirs was filled in the first rows.

    Examples
    --------
    >>> Layout(
    ...     ("age", "city"), None, "rows", {"age": "number", "city": "text"}, all_columns=True
    ... ).numbers
    ('age',)
    """

    columns: tuple[str, ...]
    target: str | None
    kind: Kind
    types: dict[str, CellType]
    all_columns: bool  # no column was named: an object of several fields has all of them
    labels: bool = True
    numbers_given: bool = False  # the caller named the columns of rows that hold numbers
    identifier: str | None = None
    weight: str | None = None
    groups: str | None = None
    writings: dict[str, Writing] = field(default_factory=dict)
    truths: frozenset[str] = frozenset()
    uses: tuple[ColumnUse, ...] = ()
    empty: tuple[str, ...] = ()

    @property
    def in_lists(self) -> bool:
        """Whether one cell holds all numbers of an object, rather than one cell for each number."""
        return len(self.columns) == 1 and (
            self.kind == "series" or self.types[self.columns[0]] == "series"
        )

    @property
    def numbers(self) -> tuple[str, ...] | None:
        """Of rows, the columns that are read as numbers; None for other kinds."""
        return (
            tuple(name for name in self.columns if self.types[name] == "number")
            if self.kind == "rows"
            else None
        )

    @property
    def column(self) -> str | tuple[str, ...]:
        """The columns as `Records` names them: one name, or a tuple of several."""
        return self.columns[0] if len(self.columns) == 1 else self.columns

    def number_reader(self, name: str, cells: CellReader) -> Callable[[Any], float | None]:
        """The function that reads the numbers of a column."""
        writing = self.writings.get(name)
        if writing is None:
            return cells.number
        return lambda cell: writing.parse(cell) if isinstance(cell, str) else cells.number(cell)
