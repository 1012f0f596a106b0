"""Turn rows of cells into records, as a layout says: objects with their labels, what is missing, and
an error with its line for what cannot be read.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from itertools import compress
from typing import Any

import numpy as np

from wideberth.array_types import Floats, Objects
from wideberth.errors import InvalidFile, LabelSpellingWarning, warn_user
from wideberth.io.readers.columns import TRUTH_WORDS
from wideberth.io.readers.formats.json_lines import (
    CHILDREN,
    GRAPH_ADVICE,
    TREE_ADVICE,
    as_graph,
    as_tree,
)
from wideberth.io.readers.layout import Layout
from wideberth.io.readers.missing import MissingWords, is_missing
from wideberth.io.readers.records import (
    Absent,
    BadRecords,
    Cell,
    CellReader,
    ColumnUse,
    RawTable,
    ReadOptions,
    Records,
    Row,
    counted,
    fault,
    is_empty,
    listed,
    place,
)
from wideberth.objects.molecules import smiles_problem
from wideberth.objects.sample import shown
from wideberth.wording import Text, at, setting

#: What stands for no value where a layout names no words.
_EMPTY = frozenset({""})

# ---- Read the cells of one column in all rows of a batch, and report the first that cannot be
# read, with its line


@dataclass(frozen=True)
class CellColumns:
    r"""Reads the columns of one file.

    Examples
    --------
    >>> from wideberth.io.readers.formats.delimited import TEXT_CELLS
    >>> layout = Layout(
    ...     ("age", "city"), None, "rows", {"age": "number", "city": "text"}, all_columns=True
    ... )
    >>> CellColumns("people.csv", layout, TEXT_CELLS).numbers(
    ...     [Row(2, {"age": "30", "city": "Ulm"})], "age"
    ... )
    [30.0]
    """

    path: str
    layout: Layout
    cells: CellReader
    unit: str = "line"  # what the number of a row counts

    def column(
        self, rows: Sequence[Row], name: str, parse: Callable[[Cell], Any], complaint: str = ""
    ) -> list[Any]:
        """Read the cells of one column."""
        values = [parse(row.cells.get(name)) for row in rows]
        for row, value in zip(rows, values, strict=True):
            if value is None:
                raise self.cell_error(row, name, complaint)
        return values

    def numbers(self, rows: Sequence[Row], name: str) -> list[float]:
        """Read a column of numbers, as the layout says that they are written."""
        return self.column(
            rows, name, self.layout.number_reader(name, self.cells), "is not a number"
        )

    def is_missing(self, row: Row, name: str) -> bool:
        """Whether a row has no value in a column of numbers, dates, truth values or categories."""
        return is_missing(row.cells.get(name), self.layout.missing.get(name, _EMPTY))

    def where_filled(
        self,
        rows: Sequence[Row],
        name: str,
        read: Callable[[Sequence[Row], str], list[Any]],
        gap: float | None,
    ) -> list[Any]:
        """Read a column where it has values, with ``gap`` in the other rows."""
        filled = [not self.is_missing(row, name) for row in rows]
        if all(filled):
            return read(rows, name)
        values = iter(read(list(compress(rows, filled)), name))
        return [next(values) if has_value else gap for has_value in filled]

    def fault(self, row: Row, problem: str, value: Any, advice: str) -> InvalidFile:
        """The error for a problem in a row."""
        return fault(self.path, problem, advice, line=row.line, value=value, unit=self.unit)

    def cell_error(self, row: Row, name: str, complaint: str) -> InvalidFile:
        """The error for a cell that cannot be read: an empty one, a missing one, or one of another
        type.
        """
        cell, option = row.cells.get(name), self._option(name)
        if is_empty(cell) or (option != "column" and str(cell).isspace()):
            problem = f"column {name!r} is {'empty' if name in row.cells else 'missing'}."
            advice = (
                "Fill it in or remove the row, or name another column with "
                f"{setting(option, shown='...')}"
            )
        else:
            problem = f"{shown(cell)} in column {name!r} {complaint}{self._as_written(name)}."
            plainly = (
                "Write it with the digits 0 to 9, '-' and no spaces. "
                if self.cells.disguised(cell)
                else ""
            )
            advice = f"{plainly}Correct it or remove the row, {self._alternative(option, cell)}"
        return self.fault(row, problem, cell, advice)

    def _option(self, name: str) -> str:
        """The option that names a column for its purpose."""
        purposes = {
            self.layout.target: "target",
            self.layout.weight: "weight",
            self.layout.groups: "groups",
        }
        return "column" if name in self.layout.columns else purposes.get(name, "column")

    def _as_written(self, name: str) -> str:
        """How the other numbers of a column are written, where that is not plain."""
        writing = self.layout.writings.get(name)
        if writing is None or not writing.formats:
            return ""
        unit = " %" * writing.percent or f" {writing.unit}" * bool(writing.unit)
        return f" as the others are written ({writing.formats[0].example}{unit})"

    def _alternative(self, option: str, cell: Cell) -> str:
        """How else the file could be read: the end of the advice about a cell that has the wrong
        type.
        """
        if option != "column":
            return f"or name another column with {setting(option, shown='...')}"
        if self.layout.kind == "rows":
            unknown = f"or say that it stands for an unknown value, {self._as_missing(cell)}"
            if self.layout.numbers_given:  # by the caller, or by a model that measures numbers
                return f"{unknown}."
            return (
                f"{unknown}, or name the columns of numbers with "
                f"{setting('numbers', shown='[...]')}; the others are text."
            )
        if len(self.layout.columns) == 1:
            gaps = self.layout.kind == "series" and self.cells.gapped(cell) is not None
            vectors = f"or pass {setting('kind', 'vectors')}, in which numbers may be missing, "
            return (
                f"{vectors * gaps}or pass {setting('kind', self.cells.fallback_kind)} to take the cells as they "
                "are."
            )
        return (
            f"or say that it stands for an unknown value, {self._as_missing(cell)}, or name the "
            f"columns to read with {setting('column', shown='...')} Numbers are "
            "finite, with a point before the decimals unless the first rows have commas or "
            f"{setting('numbers', shown='{...}')} says so."
        )

    def _as_missing(self, cell: Cell) -> str:
        """The setting by which a cell stands for a missing value."""
        return setting("missing", [cell] if isinstance(cell, str) else None)


# ---- Read labels: without the spaces around them, all of one type, and with a word about those
# that differ only in their
#      letters

#: Different labels that are compared in the search for two spellings of one; more are no classes.
MOST_COMPARED = 10_000


@dataclass
class LabelColumn:
    """Reads the labels of one file, a batch at a time.

    Examples
    --------
    >>> from wideberth.io.readers.layout import Layout
    >>> from wideberth.io.readers.formats.delimited import TEXT_CELLS
    >>> layout = Layout(("word",), "label", "strings", {"word": "text"}, all_columns=True)
    >>> labels = LabelColumn(CellColumns("drinks.csv", layout, TEXT_CELLS), exact=False)
    >>> (
    ...     labels.cleaned(
    ...         labels.read([Row(2, {"label": " en"}), Row(3, {"label": "en"})], "label")
    ...     ),
    ...     labels.n_stripped,
    ... )
    (['en', 'en'], 1)
    """

    columns: CellColumns
    exact: bool
    n_stripped: int = field(default=0, init=False)
    _first: Any = field(default=None, init=False)
    _sizes: Counter[str] = field(default_factory=Counter, init=False)

    def read(self, rows: Sequence[Row], target: str) -> list[Any]:
        """The labels of a batch, which must be of the same type as the first one in the file."""
        labels = self.columns.column(rows, target, self.columns.cells.label, "is not a label")
        if self._first is None and labels:
            self._first = labels[0]
        first, usual = self._first, _label_type(self._first)
        for row, label in zip(rows, labels, strict=True):
            if (label_type := _label_type(label)) != usual:
                problem = (
                    f"{shown(label)} in column {target!r} is {label_type}, but the first label "
                    f"{shown(first)} is {usual}."
                )
                raise self.columns.fault(
                    row, problem, label, "Write all labels as text, or all as numbers."
                )
        return labels

    def cleaned(self, labels: list[Any]) -> list[Any]:
        """Labels without spaces around them, if they are text; they are counted, so that this is
        called once for each.
        """
        if not isinstance(self._first, str):
            return labels
        if not self.exact:
            stripped = [label.strip() for label in labels]
            self.n_stripped += sum(
                one != other for one, other in zip(labels, stripped, strict=True)
            )
            labels = stripped
        if len(self._sizes) <= MOST_COMPARED:
            self._sizes.update(labels)
        return labels

    def why(self, words: MissingWords) -> str:
        """What was done to labels so far, and which of them could stand for no label, as a phrase;
        empty if there is nothing to say.
        """
        odd = sorted(words.classes & self._sizes.keys())
        told = [
            f"spaces around {counted(self.n_stripped, 'label')} were removed; "
            f"{setting('exact_labels', True)} keeps them"
            if self.n_stripped
            else "",
            f"{listed(odd)} names a class; {setting('missing', odd)} leaves such rows out"
            if odd
            else "",
        ]
        return "; ".join(filter(None, told))

    def warn_of_spellings(self) -> None:
        """Warn of labels that differ only in upper and lower case, or in spaces where these were
        kept: they are two classes.
        """
        if len(self._sizes) > MOST_COMPARED:
            return
        spellings: dict[str, list[str]] = {}
        for label in self._sizes:
            spellings.setdefault(label.strip().casefold(), []).append(label)
        for several in spellings.values():
            if len(several) > 1:
                named = " and ".join(
                    f"{shown(label)} ({self._sizes[label]:,})" for label in several[:4]
                )
                warn_user(
                    f"{place(self.columns.path)}: the labels {named} differ only in spelling and "
                    "are different classes. If they are one class, write them alike.",
                    LabelSpellingWarning,
                )


def _label_type(label: Any) -> str:
    """The type of a label as messages name it."""
    if isinstance(label, bool):
        return "a truth value"
    return "text" if isinstance(label, str) else "a number"


@dataclass
class Conversion:
    r"""Converts the rows of one file to records, a batch at a time, and checks later rows against
    the first ones.

    Every series must have the channels of the first one, every vector its length, and every label
    its type. These are remembered between the batches, so that one conversion reads one file, from
    its beginning to its end.

    Examples
    --------
    >>> from wideberth.io.readers.layout import FirstRows, decide_layout
    >>> from wideberth.io.readers.formats.delimited import csv_table
    >>> table, options = (
    ...     csv_table(["word,label\n", "tea,en\n", "lait,fr\n"], "drinks.csv"),
    ...     ReadOptions(),
    ... )
    >>> rows = list(table.rows)
    >>> layout = decide_layout(FirstRows(rows, table, options, "drinks.csv", complete=True))
    >>> conversion = Conversion("drinks.csv", layout, table, options)
    >>> conversion.records(rows).objects
    ['tea', 'lait']
    """

    path: str
    layout: Layout
    table: RawTable
    options: ReadOptions
    bad: BadRecords = field(default_factory=BadRecords)
    _count: int = field(default=0, init=False)
    _width: int = field(default=0, init=False)
    _first_series: Floats | None = field(default=None, init=False)
    _missing: Counter[str] = field(default_factory=Counter, init=False)
    _words: dict[str, set[str]] = field(default_factory=dict, init=False)
    _without_label: list[Row] = field(default_factory=list, init=False)
    _without_object: list[Row] = field(default_factory=list, init=False)

    def __post_init__(self) -> None:
        self._columns = CellColumns(self.path, self.layout, self.table.cells, self.table.unit)
        self._labels = LabelColumn(self._columns, self.options.exact_labels)
        self.cells = self.table.cells
        self._absent: list[Absent] = []

    def records(self, rows: Sequence[Row]) -> Records | None:
        """Convert a batch of rows; None if none of them can be read."""
        rows, absent = self._with_objects(self._with_labels(rows))
        if not rows:
            self._absent += absent
            return None
        found = self._readable_records(rows)
        if found is None or not (self._absent or absent):
            return found
        before = [each._replace(before=0) for each in self._absent]
        self._absent = []
        return replace(found, absent=[*before, *absent])

    def _with_labels(self, rows: Sequence[Row]) -> Sequence[Row]:
        """The rows that have a label, if labels are read; the others are counted, and left out."""
        target, words = self.layout.target, self.options.missing_words
        if target is None or not self.layout.labels:
            return rows
        return self._left_in(
            rows, target, lambda row: words.in_labels(row.cells.get(target)), self._without_label
        )

    def _with_objects(self, rows: Sequence[Row]) -> tuple[Sequence[Row], list[Absent]]:
        """The rows that have an object, and those that have none but are asked for: where the one
        column of the objects is empty. A row of several columns is an object, whatever it lacks.
        """
        columns, kind = self.layout.columns, self.layout.kind
        column, numbers = columns[0], kind == "vectors" and not self.layout.in_lists
        if kind == "distances" or (len(columns) > 1 and kind != "strings"):
            return rows, []

        def lacks(row: Row) -> bool:
            if numbers:
                return self._columns.is_missing(row, column)
            return all(is_empty(row.cells.get(name)) for name in columns)

        if not self.options.keep_absent:
            leaves = self.options.labels or self.bad.skips
            return (
                self._left_in(rows, column, lacks, self._without_object) if leaves else rows
            ), []
        present: list[Row] = []
        absent: list[Absent] = []
        for row in rows:
            if lacks(row):
                absent.append(Absent(len(present), row.line, self._own_cells(row)))
            else:
                present.append(row)
        return present, absent

    def _left_in(
        self, rows: Sequence[Row], name: str, lacks: Callable[[Row], bool], left_out: list[Row]
    ) -> Sequence[Row]:
        """The rows that do not lack a cell; the others are skipped as bad records are, or else
        gathered.
        """
        kept = []
        for row in rows:
            if not lacks(row):
                kept.append(row)
            elif self.bad.skips:
                self.bad.report(self._columns.cell_error(row, name, "stands for a missing value"))
            else:
                left_out.append(Row(row.line, {}))
        return kept

    def _readable_records(self, rows: Sequence[Row]) -> Records | None:
        try:
            return self._convert(rows)
        except InvalidFile as error:
            if not self.bad.skips:
                raise
            if len(rows) == 1:
                self.bad.report(error)
                return None
        readable = [row for row in rows if self._is_readable(row)]
        return self._convert(readable) if readable else None

    def _is_readable(self, row: Row) -> bool:
        """Whether a row can be converted; if not, it is reported."""
        try:
            self._objects([row]), self._companions([row])
        except InvalidFile as error:
            self.bad.report(error)
            return False
        return True

    def _convert(self, rows: Sequence[Row]) -> Records:
        layout = self.layout
        objects, companions = self._objects(rows), self._companions(rows)
        if companions["labels"] is not None:
            companions["labels"] = self._labels.cleaned(companions["labels"])
        self._count += len(rows)
        self._count_missing(rows, objects)
        records = Records(
            objects, None, layout.kind, layout.column, layout.target, self.path, layout.numbers
        )
        return replace(records, **companions, understood=self._uses())

    def _companions(self, rows: Sequence[Row]) -> dict[str, Any]:
        """What goes with the objects: labels, names, weights, groups and cells."""
        layout, columns = self.layout, self._columns
        self._check_empty(rows)
        named, others = layout.target is not None and layout.labels, layout.identifier
        return {
            "labels": self._labels.read(rows, layout.target) if named and layout.target else None,
            "names": None if others is None else [row.cells.get(others) for row in rows],
            "weights": None if layout.weight is None else self._weights(rows, layout.weight),
            "groups": None
            if layout.groups is None
            else columns.column(rows, layout.groups, self.cells.label, "is not a group"),
            "cells": [self._own_cells(row) for row in rows] if self.options.keep_cells else None,
            "lines": [row.line for row in rows] if self.options.keep_cells else None,
        }

    def _weights(self, rows: Sequence[Row], name: str) -> list[float]:
        """The weights of a batch, which are at least 0."""
        weights = self._columns.numbers(rows, name)
        for row, weight in zip(rows, weights, strict=True):
            if weight < 0:
                problem = f"the weight {weight:g} in column {name!r} is negative."
                raise self._columns.fault(row, problem, weight, "Weights are numbers from 0.")
        return weights

    def _own_cells(self, row: Row) -> dict[str, Any]:
        """The cells of the row itself, without a label from another file."""
        return {name: cell for name, cell in row.cells.items() if name != self.table.labels}

    def _count_missing(self, rows: Sequence[Row], objects: Objects) -> None:
        """Count the missing values of each column, and note the words for them."""
        if self.layout.kind == "vectors" and not self.layout.in_lists:
            gaps = np.isnan(np.asarray(objects)).sum(axis=0).tolist()
        elif self.layout.kind == "rows":
            gaps = [sum(item[name] is None for item in objects) for name in self.layout.columns]
        else:
            return
        for name, count in zip(self.layout.columns, gaps, strict=True):
            if count:
                self._missing[name] += count
                words = (row.cells.get(name) for row in rows if self._columns.is_missing(row, name))
                found = {word.strip() for word in words if isinstance(word, str)}
                self._words.setdefault(name, set()).update(found - {""})

    def _uses(self) -> tuple[ColumnUse, ...]:
        """What each column is used as, with what is missing and what was done to labels so far."""
        return tuple(self._use_so_far(use) for use in self.layout.uses)

    def _use_so_far(self, use: ColumnUse) -> ColumnUse:
        told = [Text(use.why).marked, self._gaps_in_words(use.name)]
        if use.use == "label":
            left_out = len(self._without_label)
            told += [
                self._labels.why(self.options.missing_words),
                f"{left_out:,} of {self._count + left_out:,} missing: these rows are left out"
                if left_out
                else "",
            ]
        if not any(told[1:]):
            return use
        return use.because(Text("; ".join(filter(None, told))))

    def _gaps_in_words(self, name: str) -> str:
        """How many values of a column are missing, with the words that say so if they are not the
        commonest.
        """
        if not self._missing[name]:
            return ""
        words = sorted(self._words[name] - {"NA"})
        written = f", written {listed(words)}" if words else ""
        told = f"{self._missing[name]:,} of {self._count:,} missing{written}"
        # None in a column of words is missing, as pandas reads it: programs write it more often
        # than people mean a category by it, and nobody can tell which by looking. So it is said.
        classes = self.options.missing_words.classes & self._words[name]
        if classes and self.layout.types[name] == "text":
            told += f" ({setting('missing', ['', 'NA'])} makes it a value)"
        return told

    def _check_empty(self, rows: Sequence[Row]) -> None:
        """Refuse a cell in a column that was left out because it was empty in the first rows."""
        for name in self.layout.empty:
            for row in rows:
                if not self._columns.is_missing(row, name):
                    problem = (
                        f"column {name!r} is empty in the rows at the beginning of the file, but "
                        "not here."
                    )
                    raise self._columns.fault(
                        row,
                        problem,
                        row.cells[name],
                        f"Name the columns to read with {setting('column', shown='[...]')}.",
                    )

    def finish(self) -> None:
        """Do what only the end of a file allows: check that a distance matrix is square, and warn
        of odd labels.
        """
        self._check_square()
        self._labels.warn_of_spellings()
        self._tell_left_out(self._without_label, f"label in {self.layout.target!r}", "target")
        self._tell_left_out(self._without_object, f"object in {self.layout.columns[0]!r}", "column")

    def take_absent(self) -> list[Absent]:
        """The rows without an object after the last one that has one."""
        return self._absent

    def _tell_left_out(self, rows: list[Row], what: str, option: str) -> None:
        """Warn of rows that were left out; an error if these are all there are."""
        if option == "column" and self._absent and not self._count:
            rows = [Row(each.line, {}) for each in self._absent]
        if not rows:
            return
        n_rows = self._count + len(self._without_label) + len(self._without_object)
        if not self._count:
            raise fault(
                self.path,
                f"no row has {'an' if option == 'column' else 'a'} {what}.",
                f"Fill it in, or name another column with {setting(option, shown='...')}",
                value=n_rows,
            )
        line = rows[0].line
        first = "" if line is None else f", the first in {at(self.table.unit, line)}"
        warn_user(
            f"{place(self.path)}: {len(rows):,} of {n_rows:,} rows have no {what} and are left "
            f"out{first}.",
            UserWarning,
        )

    def _check_square(self) -> None:
        """A distance matrix has as many rows as columns."""
        if self.layout.kind == "distances" and self._count != self._width:
            raise fault(
                self.path,
                f"{self._count} rows of {self._width} distances; a distance matrix is square.",
                "Give one row and one column for each object below the header, and besides "
                "them only labels.",
                value=(self._count, self._width),
            )

    def _objects(self, rows: Sequence[Row]) -> Objects:
        """The objects of a batch, converted by the rules of their kind."""
        kind, column = self.layout.kind, self.layout.columns[0]
        if kind == "strings" and len(self.layout.columns) > 1:
            return [self._joined_texts(row) for row in rows]
        if kind == "strings":
            return self._columns.column(rows, column, self.cells.text, "is not text")
        if kind == "molecules":
            return self._molecules(rows, column)
        if kind == "sets":
            return self._columns.column(
                rows, column, self.cells.members, "is not a list of members"
            )
        if kind == "trees":
            return self._structures(rows, as_tree, TREE_ADVICE)
        if kind == "graphs":
            return self._structures(rows, as_graph, GRAPH_ADVICE)
        if kind == "rows":
            return self._rows(rows)
        if kind == "objects":
            return (
                self._columns.column(rows, column, _unchanged)
                if len(self.layout.columns) == 1
                else [self._whole_row(row) for row in rows]
            )
        numbers = self._series(rows, column) if self.layout.in_lists else self._matrix(rows)
        if kind == "series":
            return list(numbers)
        self._width = len(numbers[0])
        return np.asarray(numbers)

    def _joined_texts(self, row: Row) -> str:
        """The texts of several columns, such as a title and what it stands above, as one."""
        filled = [name for name in self.layout.columns if not is_empty(row.cells.get(name))]
        texts = [
            self._columns.column([row], name, self.cells.text, "is not text")[0] for name in filled
        ]
        if not texts:
            raise self._columns.cell_error(row, self.layout.columns[0], "is not text")
        return "\n".join(texts)

    def _matrix(self, rows: Sequence[Row]) -> Floats:
        """One row of numbers for each row of the table; in vectors, NaN where one is missing."""
        read = self._columns.numbers
        columns = [
            self._columns.where_filled(rows, name, read, np.nan)
            if self.layout.kind == "vectors"
            else read(rows, name)
            for name in self.layout.columns
        ]
        # rows next to each other in memory: they are the objects
        return np.array(columns, dtype=np.float64).T.copy()

    def _series(self, rows: Sequence[Row], column: str) -> list[Floats]:
        """The series of a column of lists, which must have the channels (vectors: the length) of
        the first one in the file.
        """
        of_vectors = self.layout.kind == "vectors"
        batch = self._columns.column(
            rows,
            column,
            self.cells.vector if of_vectors else self.cells.series,
            f"is not a {'list' if of_vectors else 'series'} of numbers",
        )
        if self._first_series is None:
            self._first_series = batch[0]
        first = self._first_series.shape
        if not of_vectors:
            fixed, advice = slice(None, -1), "Give every series the same channels."
        else:
            fixed, advice = (
                slice(None),
                f"Give every row the same number of values, or pass {setting('kind', 'series')}.",
            )
        for row, series in zip(rows, batch, strict=True):
            if series.shape[fixed] != first[fixed]:
                problem = (
                    f"column {column!r} has numbers of shape {series.shape}, the first row {first}."
                )
                raise self._columns.fault(row, problem, row.cells[column], advice)
        return batch

    def _smiles(self, cell: Cell) -> str | None:
        return (self.cells.text(cell) or "").strip() or None

    def _molecules(self, rows: Sequence[Row], column: str) -> list[str]:
        """The SMILES of a batch; each is parsed where rdkit is installed, since only here its line
        is known.
        """
        molecules: list[str] = self._columns.column(rows, column, self._smiles, "is not a SMILES")
        for row, molecule in zip(rows, molecules, strict=True):
            if problem := smiles_problem(molecule):
                whole = f"{shown(molecule)} in column {column!r} is not a molecule: {problem}."
                raise self._columns.fault(
                    row,
                    whole,
                    molecule,
                    f"Correct it or remove the row; {setting('on_error', 'skip')} leaves it out.",
                )
        return molecules

    def _structures(
        self, rows: Sequence[Row], shape: Callable[[Cell], Any], advice: str
    ) -> list[Any]:
        """Convert trees or graphs, either in one cell each or in the fields of the records
        themselves.

        ``shape`` brings a value of JSON into the common form and raises a `ValueError` for a wrong
        one; ``advice`` describes the form.
        """
        for name in self.layout.columns:
            if name != CHILDREN:  # a leaf need not have any
                self._columns.column(rows, name, _unchanged)
        structures = []
        for row in rows:
            fields = {
                name: self._structure(row.cells[name])
                for name in self.layout.columns
                if not is_empty(row.cells.get(name))
            }
            value = fields if len(self.layout.columns) > 1 else fields[self.layout.columns[0]]
            try:
                structures.append(shape(value))
            except ValueError as wrong:
                raise self._columns.fault(row, f"{wrong}.", value, advice) from None
        return structures

    def _structure(self, cell: Cell) -> Any:
        """The list or dict in a cell; the cell itself if it has neither, for the message."""
        structure = self.cells.structure(cell)
        return cell if structure is None else structure

    def _rows(self, rows: Sequence[Row]) -> list[dict[str, Any]]:
        """Each row as a dict of its columns."""
        if self.layout.all_columns:
            self._check_fields(rows)
        columns = [self._attributes(rows, name) for name in self.layout.columns]
        return [
            dict(zip(self.layout.columns, values, strict=True))
            for values in zip(*columns, strict=True)
        ]

    def _check_fields(self, rows: Sequence[Row]) -> None:
        """Refuse a JSON record with a field that the first rows do not have, since its type was
        never decided.
        """
        known = {use.name for use in self.layout.uses}
        for row in rows:
            if not row.cells.keys() <= known:
                name = next(name for name in row.cells if name not in known)
                problem = f"column {name!r} is not in the rows at the beginning of the file."
                raise self._columns.fault(
                    row,
                    problem,
                    name,
                    f"Name the columns to compare with {setting('column', shown='[...]')}.",
                )

    def _attributes(self, rows: Sequence[Row], name: str) -> list[Any]:
        """One column of rows: numbers or text, and None where a value is missing."""
        return self._columns.where_filled(rows, name, self._filled_attributes, None)

    def _filled_attributes(self, rows: Sequence[Row], name: str) -> list[Any]:
        """One column of rows that have a value in it."""
        if self.layout.types[name] == "number":
            return self._columns.numbers(rows, name)
        if name in self.layout.truths:
            return self._columns.column(rows, name, self._truth, "is not text")
        return self._columns.column(rows, name, self._category, "is not text")

    def _truth(self, cell: Cell) -> str | None:
        """A word such as yes or no, written alike whatever its case is in the file; any other as it
        is, one more category.
        """
        text = self._category(cell) or ""
        word = {"1": "true", "0": "false"}.get(text.strip(), text.strip())
        return word.capitalize() if any(word.casefold() in pair for pair in TRUTH_WORDS) else text

    def _category(self, cell: Cell) -> str | None:
        """A cell of a column of text; truth values and numbers as text."""
        if isinstance(cell, bool | int | float):
            return str(cell)
        return self.cells.text(cell)

    def _whole_row(self, row: Row) -> dict[str, Any]:
        """A row as one object: all fields, or the columns that the caller named."""
        names = row.cells if self.layout.all_columns else self.layout.columns
        return {name: self._attribute(row, name) for name in names if name != self.layout.target}

    def _attribute(self, row: Row, name: str) -> Any:
        """One field of a row that is taken as a dict: a number where its column holds numbers, None
        where it is empty.
        """
        if is_empty(row.cells.get(name)):
            return None  # one attribute of many may be missing; an object that is one cell may not
        if self.layout.types.get(name) != "number":
            return row.cells[name]
        return self._columns.where_filled([row], name, self._columns.numbers, None)[0]


def _unchanged(cell: Cell) -> Any:
    """The cell as it is; None if it is empty."""
    return None if is_empty(cell) else cell
