"""Convert rows to records: every cell is read as the type that the layout gives it, or reported with its line."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from wideberth.array_types import Floats
from wideberth.errors import InvalidFile
from wideberth.io.readers.columns import Layout
from wideberth.io.readers.faults import fault
from wideberth.io.readers.json_lines import CHILDREN, GRAPH_ADVICE, TREE_ADVICE, as_graph, as_tree
from wideberth.io.readers.records import CellReader, Records, Row, is_empty
from wideberth.objects.sample import shown


@dataclass
class Conversion:
    r"""Converts the rows of one file to records, a batch at a time, and checks later rows against the first ones.

    Every series must have the channels of the first one, every vector its length, and every label its type. These are remembered
    between the batches, so that one conversion reads one file, from its beginning to its end.

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
    >>> from wideberth.io.readers.columns import decide_layout
    >>> from wideberth.io.readers.delimited import csv_table
    >>> from wideberth.io.readers.options import ReadOptions
    >>> table = csv_table(["word,label\n", "tea,en\n", "lait,fr\n"], "drinks.csv")
    >>> rows = list(table.rows)
    >>> conversion = Conversion("drinks.csv", decide_layout(rows, table, ReadOptions(), "drinks.csv"), table.cells)
    >>> conversion.records(rows).objects
    ['tea', 'lait']
    """

    path: str
    layout: Layout
    cells: CellReader
    unit: str = "line"  # what the number of a row counts
    _count: int = field(default=0, init=False)
    _width: int = field(default=0, init=False)
    _first_series: Floats | None = field(default=None, init=False)
    _first_label: Any = field(default=None, init=False)

    def records(self, rows: Sequence[Row]) -> Records:
        """Convert a batch of rows.

        Parameters
        ----------
        rows : sequence of Row
            At least one row.

        Returns
        -------
        Records

        Raises
        ------
        InvalidFile
            With the line of the first cell that cannot be read as the layout requires.
        """
        layout = self.layout
        labels = None if layout.target is None or not layout.labels else self._labels(rows, layout.target)
        objects = self._objects(rows)
        self._count += len(rows)
        return Records(objects, labels, layout.kind, layout.column, layout.target, self.path, layout.numbers)

    def check_complete(self) -> None:
        """Check what only the end of a file can show: a distance matrix has as many rows as columns."""
        if self.layout.kind == "distances" and self._count != self._width:
            raise fault(
                self.path,
                f"{self._count} rows of {self._width} distances; a distance matrix is square.",
                value=(self._count, self._width),
                advice="Give one row and one column for each object below the header, and besides them only labels.",
            )

    def _objects(self, rows: Sequence[Row]) -> Any:
        """The objects of a batch, converted by the rules of their kind."""
        kind, column = self.layout.kind, self.layout.columns[0]
        if kind == "strings":
            return self._column(rows, column, self.cells.text, "is not text")
        if kind == "molecules":
            return self._column(rows, column, self._smiles, "is not a SMILES")
        if kind == "sets":
            return self._column(rows, column, self.cells.members, "is not a list of members")
        if kind == "trees":
            return self._structures(rows, as_tree, TREE_ADVICE)
        if kind == "graphs":
            return self._structures(rows, as_graph, GRAPH_ADVICE)
        if kind == "rows":
            return self._rows(rows)
        if kind == "objects":
            return (
                self._column(rows, column, _unchanged)
                if len(self.layout.columns) == 1
                else [self._whole_row(row) for row in rows]
            )
        numbers = self._series(rows, column) if self.layout.in_lists else self._matrix(rows)
        if kind == "series":
            return list(numbers)
        self._width = len(numbers[0])
        return np.asarray(numbers)

    def _matrix(self, rows: Sequence[Row]) -> Floats:
        """One row of numbers for each row of the table."""
        columns = [self._column(rows, name, self.cells.number, "is not a number") for name in self.layout.columns]
        return np.array(columns, dtype=np.float64).T.copy()  # rows next to each other in memory: they are the objects

    def _series(self, rows: Sequence[Row], column: str) -> list[Floats]:
        """The series of a column of lists, which must have the channels (vectors: the length) of the first one in the file."""
        batch = self._column(rows, column, self.cells.series, "is not a series of numbers")
        if self._first_series is None:
            self._first_series = batch[0]
        first = self._first_series.shape
        if self.layout.kind == "series":
            fixed, advice = slice(None, -1), "Give every series the same channels."
        else:
            fixed, advice = slice(None), "Give every row the same number of values, or pass kind='series'."
        for row, series in zip(rows, batch, strict=True):
            if series.shape[fixed] != first[fixed]:
                problem = f"column {column!r} has numbers of shape {series.shape}, the first row {first}."
                raise self._fault(row, problem, row.cells[column], advice)
        return batch

    def _smiles(self, cell: Any) -> str | None:
        return (self.cells.text(cell) or "").strip() or None

    def _structures(self, rows: Sequence[Row], shape: Callable[[Any], Any], advice: str) -> list[Any]:
        """Convert trees or graphs, either in one cell each or in the fields of the records themselves.

        ``shape`` brings a value of JSON into the common form and raises a `ValueError` for a wrong one; ``advice`` describes
        the form.
        """
        for name in self.layout.columns:
            if name != CHILDREN:  # a leaf need not have any
                self._column(rows, name, _unchanged)
        structures = []
        for row in rows:
            fields = {name: self._structure(row.cells[name]) for name in self.layout.columns if not is_empty(row.cells.get(name))}
            value = fields if len(self.layout.columns) > 1 else fields[self.layout.columns[0]]
            try:
                structures.append(shape(value))
            except ValueError as wrong:
                raise self._fault(row, f"{wrong}.", value, advice) from None
        return structures

    def _structure(self, cell: Any) -> Any:
        """The list or dict in a cell; the cell itself if it has neither, for the message."""
        structure = self.cells.structure(cell)
        return cell if structure is None else structure

    def _rows(self, rows: Sequence[Row]) -> list[dict[str, Any]]:
        """Each row as a dict of its columns."""
        if self.layout.all_columns:
            self._check_fields(rows)
        columns = [self._attributes(rows, name) for name in self.layout.columns]
        return [dict(zip(self.layout.columns, values, strict=True)) for values in zip(*columns, strict=True)]

    def _check_fields(self, rows: Sequence[Row]) -> None:
        """Refuse a JSON record with a field that the first rows do not have, since its type was never decided."""
        known = {*self.layout.columns, self.layout.target}
        for row in rows:
            if not row.cells.keys() <= known:
                name = next(name for name in row.cells if name not in known)
                problem = f"column {name!r} is not in the rows at the beginning of the file."
                raise self._fault(row, problem, name, "Name the columns to compare with column=[...].")

    def _attributes(self, rows: Sequence[Row], name: str) -> list[Any]:
        """One column of rows: numbers or text, and None where a cell is empty."""
        is_number = self.layout.types[name] == "number"
        complaint = "is not a number" if is_number else "is not text"
        filled = [row for row in rows if not is_empty(row.cells.get(name))]
        values = iter(self._column(filled, name, self.cells.number if is_number else self._category, complaint))
        return [None if is_empty(row.cells.get(name)) else next(values) for row in rows]

    def _category(self, cell: Any) -> str | None:
        """A cell of a column of text; truth values and, where the caller named the columns of numbers, other numbers as text."""
        if isinstance(cell, bool) or (self.layout.numbers_given and isinstance(cell, int | float)):
            return str(cell)
        return self.cells.text(cell)

    def _whole_row(self, row: Row) -> dict[str, Any]:
        """A row as one object: all fields, or the columns that the caller named."""
        names = row.cells if self.layout.all_columns else self.layout.columns
        return {name: self._attribute(row, name) for name in names if name != self.layout.target}

    def _attribute(self, row: Row, name: str) -> Any:
        """One field of a row that is taken as a dict: a number where its column holds numbers, None where it is empty."""
        if is_empty(row.cells.get(name)):
            return None  # one attribute of many may be missing; an object that is one cell may not
        if self.layout.types.get(name) != "number":
            return row.cells[name]
        return self._column([row], name, self.cells.number, "is not a number")[0]

    def _labels(self, rows: Sequence[Row], target: str) -> list[Any]:
        """The labels of a batch, which must be of the same type as the first one in the file."""
        labels = self._column(rows, target, self.cells.label, "is not a label")
        if self._first_label is None:
            self._first_label = labels[0]
        first, usual = self._first_label, _label_type(self._first_label)
        for row, label in zip(rows, labels, strict=True):
            if (label_type := _label_type(label)) != usual:
                problem = f"{shown(label)} in column {target!r} is {label_type}, but the first label {shown(first)} is {usual}."
                advice = "Write all labels as text, or all as numbers."
                raise self._fault(row, problem, label, advice)
        return labels

    def _column(self, rows: Sequence[Row], name: str, parse: Callable[[Any], Any], complaint: str = "") -> list[Any]:
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
        """
        values = [parse(row.cells.get(name)) for row in rows]
        for row, value in zip(rows, values, strict=True):
            if value is None:
                raise self._cell_error(row, name, complaint)
        return values

    def _cell_error(self, row: Row, name: str, complaint: str) -> InvalidFile:
        """The error for a cell that cannot be read: an empty one, a missing one, or one of another type."""
        cell, is_label = row.cells.get(name), name == self.layout.target
        if is_empty(cell) or (is_label and str(cell).isspace()):
            problem = f"column {name!r} is {'empty' if name in row.cells else 'missing'}."
            advice = f"Fill it in or remove the row, or name another column with {'target' if is_label else 'column'}=..."
        else:
            problem = f"{shown(cell)} in column {name!r} {complaint}."
            plainly = "Write it with the digits 0 to 9, '-' and no spaces. " if self.cells.disguised(cell) else ""
            advice = f"{plainly}Correct it or remove the row, {self._alternative(is_label)}"
        return self._fault(row, problem, cell, advice)

    def _fault(self, row: Row, problem: str, value: Any, advice: str) -> InvalidFile:
        return fault(self.path, problem, line=row.line, value=value, advice=advice, unit=self.unit)

    def _alternative(self, is_label: bool) -> str:
        """How else the file could be read: the end of the advice about a cell that has the wrong type."""
        if is_label:
            return "or name another column with target=..."
        if self.layout.kind == "rows":
            return "or empty the cell if it is unknown, or name the columns of numbers with numbers=[...]; the others are text."
        if len(self.layout.columns) == 1:
            return f"or pass kind={self.cells.fallback_kind!r} to take the cells as they are."
        return "or name the columns to read with column=... Numbers are finite, with a point before the decimals."


def _unchanged(cell: Any) -> Any:
    """The cell as it is; None if it is empty."""
    return None if is_empty(cell) else cell


def _label_type(label: Any) -> str:
    """The type of a label as messages name it."""
    if isinstance(label, bool):
        return "a truth value"
    return "text" if isinstance(label, str) else "a number"
