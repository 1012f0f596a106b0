"""Read the cells of one column in all rows of a batch, and report the first that cannot be read, with its line."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from wideberth.errors import InvalidFile
from wideberth.io.readers.columns.layout import Layout
from wideberth.io.readers.faults import fault
from wideberth.io.readers.tables import CellReader, Row, is_empty
from wideberth.objects.sample import shown
from wideberth.wording import setting


@dataclass(frozen=True)
class CellColumns:
    r"""Reads the columns of one file.

    Parameters
    ----------
    path : str
        The file, for messages.
    layout : Layout
        Where objects and labels are.
    cells : CellReader
        How cells are read.
    unit : str, default="line"
        What the numbers of rows count, for messages.

    Examples
    --------
    >>> from wideberth.io.readers.formats.delimited import TEXT_CELLS
    >>> layout = Layout(("age", "city"), None, "rows", {"age": "number", "city": "text"}, all_columns=True)
    >>> CellColumns("people.csv", layout, TEXT_CELLS).numbers([Row(2, {"age": "30", "city": "Ulm"})], "age")
    [30.0]
    """

    path: str
    layout: Layout
    cells: CellReader
    unit: str = "line"  # what the number of a row counts

    def column(self, rows: Sequence[Row], name: str, parse: Callable[[Any], Any], complaint: str = "") -> list[Any]:
        """Read the cells of one column.

        Parameters
        ----------
        rows : sequence of Row
            A batch.
        name : str
            The column.
        parse : callable
            Takes a cell and returns its value, or None if it cannot be read.
        complaint : str
            What the message says about a filled cell that cannot be read.

        Returns
        -------
        list

        Raises
        ------
        InvalidFile
            With the line of the first cell that cannot be read.
        """
        values = [parse(row.cells.get(name)) for row in rows]
        for row, value in zip(rows, values, strict=True):
            if value is None:
                raise self._cell_error(row, name, complaint)
        return values

    def numbers(self, rows: Sequence[Row], name: str) -> list[float]:
        """Read a column of numbers, as the layout says that they are written."""
        return self.column(rows, name, self.layout.number_reader(name, self.cells), "is not a number")

    def fault(self, row: Row, problem: str, value: Any, advice: str) -> InvalidFile:
        """The error for a problem in a row."""
        return fault(self.path, problem, line=row.line, value=value, advice=advice, unit=self.unit)

    def _cell_error(self, row: Row, name: str, complaint: str) -> InvalidFile:
        """The error for a cell that cannot be read: an empty one, a missing one, or one of another type."""
        cell, option = row.cells.get(name), self._option(name)
        if is_empty(cell) or (option != "column" and str(cell).isspace()):
            problem = f"column {name!r} is {'empty' if name in row.cells else 'missing'}."
            advice = f"Fill it in or remove the row, or name another column with {setting(option, shown='...')}"
        else:
            problem = f"{shown(cell)} in column {name!r} {complaint}{self._as_written(name)}."
            plainly = "Write it with the digits 0 to 9, '-' and no spaces. " if self.cells.disguised(cell) else ""
            advice = f"{plainly}Correct it or remove the row, {self._alternative(option)}"
        return self.fault(row, problem, cell, advice)

    def _option(self, name: str) -> str:
        """The option that names a column for its purpose."""
        purposes = {self.layout.target: "target", self.layout.weight: "weight", self.layout.groups: "groups"}
        return "column" if name in self.layout.columns else purposes.get(name, "column")

    def _as_written(self, name: str) -> str:
        """How the other numbers of a column are written, where that is not plain."""
        writing = self.layout.writings.get(name)
        if writing is None or not writing.formats:
            return ""
        return f" as the others are written ({writing.formats[0].example}{' %' * writing.percent})"

    def _alternative(self, option: str) -> str:
        """How else the file could be read: the end of the advice about a cell that has the wrong type."""
        if option != "column":
            return f"or name another column with {setting(option, shown='...')}"
        if self.layout.kind == "rows":
            return (
                "or empty the cell if it is unknown, or name the columns of numbers with "
                f"{setting('numbers', shown='[...]')}; the others are text."
            )
        if len(self.layout.columns) == 1:
            return f"or pass {setting('kind', self.cells.fallback_kind)} to take the cells as they are."
        return (
            f"or name the columns to read with {setting('column', shown='...')} Numbers are finite, with a point before the "
            "decimals "
            f"unless the first rows have commas or {setting('numbers', shown='{...}')} says so."
        )
