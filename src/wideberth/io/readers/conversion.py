"""Rows to records: each cell read as what the layout says it is, or reported with its line."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from wideberth.arrays import Floats
from wideberth.errors import InvalidFile
from wideberth.io.readers.columns import Layout
from wideberth.io.readers.faults import fault, shown
from wideberth.io.readers.json_lines import CHILDREN, GRAPH_ADVICE, TREE_ADVICE, graph, tree
from wideberth.io.readers.records import CellReader, Records, Row, is_empty


@dataclass
class Conversion:
    """Turns the rows of one file into records, batch after batch, and holds later ones to what the first ones were."""

    path: str
    layout: Layout
    cells: CellReader
    unit: str = "line"  # what the number of a row counts
    _count: int = field(default=0, init=False)
    _width: int = field(default=0, init=False)
    _first_series: Floats | None = field(default=None, init=False)
    _first_label: Any = field(default=None, init=False)

    def records(self, rows: Sequence[Row]) -> Records:
        """The records of a batch."""
        layout = self.layout
        labels = None if layout.target is None or not layout.labels else self._labels(rows, layout.target)
        objects = self._objects(rows)
        self._count += len(rows)
        return Records(objects, labels, layout.kind, layout.column, layout.target, self.path, layout.numbers)

    def check_complete(self) -> None:
        """What only the end of the file can show: a distance matrix has as many rows as columns."""
        if self.layout.kind == "distances" and self._count != self._width:
            raise fault(
                self.path,
                f"{self._count} rows of {self._width} distances; a distance matrix is square.",
                value=(self._count, self._width),
                advice="Give one row and one column for each object below the line of names, and beside them only labels.",
            )

    def _objects(self, rows: Sequence[Row]) -> Any:
        kind, column = self.layout.kind, self.layout.columns[0]
        if kind == "strings":
            return self._column(rows, column, self.cells.text, "is not text")
        if kind == "molecules":
            return self._column(rows, column, self._smiles, "is not a SMILES")
        if kind == "sets":
            return self._column(rows, column, self.cells.members, "is not a list of members")
        if kind == "trees":
            return self._structures(rows, tree, TREE_ADVICE)
        if kind == "graphs":
            return self._structures(rows, graph, GRAPH_ADVICE)
        if kind == "rows":
            return self._rows(rows)
        if kind == "objects":
            return self._column(rows, column, _as_it_is) if len(self.layout.columns) == 1 else [self._whole(row) for row in rows]
        numbers = self._series(rows, column) if self.layout.in_lists else self._matrix(rows)
        if kind == "series":
            return list(numbers)
        self._width = len(numbers[0])
        return np.asarray(numbers)

    def _matrix(self, rows: Sequence[Row]) -> Floats:
        columns = [self._column(rows, name, self.cells.number, "is not a number") for name in self.layout.columns]
        return np.array(columns, dtype=np.float64).T.copy()  # rows next to each other in memory: they are the objects

    def _series(self, rows: Sequence[Row], column: str) -> list[Floats]:
        batch = self._column(rows, column, self.cells.series, "is not a series of numbers")
        if self._first_series is None:
            self._first_series = batch[0]
        first = self._first_series.shape
        if self.layout.kind == "series":
            fixed, advice = slice(None, -1), "Give every series the same channels."
        else:
            fixed, advice = slice(None), "Give every row as many numbers, or say kind='series'."
        for row, series in zip(rows, batch, strict=True):
            if series.shape[fixed] != first[fixed]:
                problem = f"column {column!r} has numbers of shape {series.shape}, the first row {first}."
                raise self._fault(row, problem, row.cells[column], advice)
        return batch

    def _smiles(self, cell: Any) -> str | None:
        return (self.cells.text(cell) or "").strip() or None

    def _structures(self, rows: Sequence[Row], shape: Callable[[Any], Any], advice: str) -> list[Any]:
        """Trees or graphs, in one cell each or in the fields of the records themselves."""
        for name in self.layout.columns:
            if name != CHILDREN:  # a leaf need not have any
                self._column(rows, name, _as_it_is)
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
        structure = self.cells.structure(cell)
        return cell if structure is None else structure

    def _rows(self, rows: Sequence[Row]) -> list[dict[str, Any]]:
        if self.layout.whole:
            self._check_fields(rows)
        columns = [self._attributes(rows, name) for name in self.layout.columns]
        return [dict(zip(self.layout.columns, values, strict=True)) for values in zip(*columns, strict=True)]

    def _check_fields(self, rows: Sequence[Row]) -> None:
        known = {*self.layout.columns, self.layout.target}
        for row in rows:
            if not row.cells.keys() <= known:
                name = next(name for name in row.cells if name not in known)
                problem = f"column {name!r} is not in the rows at the beginning of the file."
                raise self._fault(row, problem, name, "Name the columns to compare with column=[...].")

    def _attributes(self, rows: Sequence[Row], name: str) -> list[Any]:
        """One column of rows: numbers or text, and None where a cell is empty."""
        is_number = self.layout.sorts[name] == "number"
        complaint = "is not a number" if is_number else "is not text"
        filled = [row for row in rows if not is_empty(row.cells.get(name))]
        values = iter(self._column(filled, name, self.cells.number if is_number else self._category, complaint))
        return [None if is_empty(row.cells.get(name)) else next(values) for row in rows]

    def _category(self, cell: Any) -> str | None:
        """Text; a truth value by its name, and a number as it is written where somebody says that it is a category."""
        if isinstance(cell, bool) or (self.layout.told and isinstance(cell, int | float)):
            return str(cell)
        return self.cells.text(cell)

    def _whole(self, row: Row) -> dict[str, Any]:
        names = row.cells if self.layout.whole else self.layout.columns
        return {name: self._attribute(row, name) for name in names if name != self.layout.target}

    def _attribute(self, row: Row, name: str) -> Any:
        if is_empty(row.cells.get(name)):
            return None  # one attribute of many may be missing; an object that is one cell may not
        if self.layout.sorts.get(name) != "number":
            return row.cells[name]
        return self._column([row], name, self.cells.number, "is not a number")[0]

    def _labels(self, rows: Sequence[Row], target: str) -> list[Any]:
        labels = self._column(rows, target, self.cells.label, "is not a label")
        if self._first_label is None:
            self._first_label = labels[0]
        first, usual = self._first_label, _sort_of_label(self._first_label)
        for row, label in zip(rows, labels, strict=True):
            if (sort := _sort_of_label(label)) != usual:
                problem = f"{shown(label)} in column {target!r} is {sort}, but the first label {shown(first)} is {usual}."
                advice = "Write all labels as text, or all as numbers."
                raise self._fault(row, problem, label, advice)
        return labels

    def _column(self, rows: Sequence[Row], name: str, reading: Callable[[Any], Any], complaint: str = "") -> list[Any]:
        """One column of a batch; where and why it cannot be read is only looked into when it cannot."""
        values = [reading(row.cells.get(name)) for row in rows]
        for row, value in zip(rows, values, strict=True):
            if value is None:
                raise self._unread(row, name, complaint)
        return values

    def _unread(self, row: Row, name: str, complaint: str) -> InvalidFile:
        cell, is_label = row.cells.get(name), name == self.layout.target
        if is_empty(cell) or (is_label and str(cell).isspace()):
            problem = f"column {name!r} is {'empty' if name in row.cells else 'missing'}."
            advice = f"Fill it in or remove the row, or name another column with {'target' if is_label else 'column'}=..."
        else:
            problem = f"{shown(cell)} in column {name!r} {complaint}."
            advice = f"Correct it or remove the row, {self._another_way(is_label)}"
        return self._fault(row, problem, cell, advice)

    def _fault(self, row: Row, problem: str, value: Any, advice: str) -> InvalidFile:
        return fault(self.path, problem, line=row.line, value=value, advice=advice, unit=self.unit)

    def _another_way(self, is_label: bool) -> str:
        if is_label:
            return "or name another column with target=..."
        if self.layout.kind == "rows":
            return (
                "or empty the cell if it is unknown, or say which columns hold numbers with numbers=[...]; the others are text."
            )
        if len(self.layout.columns) == 1:
            return f"or say kind={self.cells.widest!r} to take the cells as they are."
        return "or name the columns to read with column=... Numbers are finite, with a point before the decimals."


def _as_it_is(cell: Any) -> Any:
    return None if is_empty(cell) else cell


def _sort_of_label(label: Any) -> str:
    if isinstance(label, bool):
        return "a truth value"
    return "text" if isinstance(label, str) else "a number"
