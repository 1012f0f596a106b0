"""The columns of a table, whatever holds it: a data frame, an array, or rows one by one as dicts or tuples."""

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wideberth.errors import InvalidInput
from wideberth.objects import sample

#: What pandas puts where a value is missing, beside None and NaN; known by name, so that pandas is not imported.
_MISSING_TYPES = {"NAType", "NaTType"}


@dataclass(frozen=True)
class TableColumns:
    """Rows by columns. ``names`` are the names of the columns, or their positions if rows have no names (``named``)."""

    count: int
    names: list[Any]
    named: bool
    column: Callable[[Any], Any]

    def require(self, wanted: Iterable[Any], metric: str) -> None:
        """Refuse a table without one of the columns that ``metric`` measures; others do no harm. Without rows, anything goes."""
        there = set(self.names)
        for name in wanted:
            if name not in there and (self.count or there):
                raise InvalidInput(
                    f"There is no column {name!r}, which {metric!r} measures; there are {listed(self.names)}.",
                    advice="Give it this name, or take a metric for the columns there are. In dicts, None stands for no value.",
                    witness=name,
                    value=self.names,
                )


def read_table(objects: Any) -> TableColumns:
    """The columns of a data frame, of a two-dimensional array, or of a sequence of rows, which are dicts or tuples.

    A dict without one of the names that others have misses that value.

    >>> table = read_table([{"age": 3, "city": "Ulm"}, {"city": "Bonn"}])
    >>> table.names, table.column("age")
    (['age', 'city'], [3, None])
    >>> read_table([(3, "Ulm"), (4, "Bonn")]).column(1)
    ['Ulm', 'Bonn']
    """
    if hasattr(objects, "to_numpy") and len(getattr(objects, "shape", ())) == 2:
        return _of_frame(objects)
    held = sample.hold(objects)
    if isinstance(held, np.ndarray) and held.ndim == 2:
        return TableColumns(len(held), list(range(held.shape[1])), False, lambda position: held[:, position])
    rows = list(held) if isinstance(held, np.ndarray) and held.dtype == object else None
    if rows is None:
        raise _not_rows(held[0] if len(held) else held, 0)
    return _of_dicts(rows) if rows and hasattr(rows[0], "keys") else _of_tuples(rows)


def as_numbers(column: Any) -> NDArray[Any] | None:
    """A column of numbers as a numeric array, NaN where one is missing; None for any other column.

    Truth values are no numbers, nor is what pandas declares a category.

    >>> as_numbers([1, None, 2.5]), as_numbers(["1", "2"]), as_numbers([True, False])
    (array([1. , nan, 2.5]), None, None)
    """
    if str(getattr(column, "dtype", "")) == "category":
        return None
    array = column.to_numpy() if hasattr(column, "to_numpy") else column
    if isinstance(array, np.ndarray) and array.dtype.kind in "fiu":
        return array
    values = as_values(column)
    kinds = {type(value) for value in values} - {type(None)}
    if not kinds or not all(is_numeric(kind) for kind in kinds):
        return None
    return np.array([np.nan if value is None else value for value in values])


def as_values(column: Any) -> list[Any]:
    """The values of a column one by one, None where one is missing (NaN, and what pandas calls NA or NaT).

    >>> as_values(np.array(["Ulm", np.nan], dtype=object))
    ['Ulm', None]
    """
    if hasattr(column, "to_list"):
        values = column.to_list()
    elif isinstance(column, np.ndarray) and column.dtype.kind in "fiubOUS":
        values = column.tolist()
    else:
        values = list(column)
    kinds = set(map(type, values))
    if kinds <= {str, int, bool, type(None)}:
        return list(values)
    return [None if is_missing(value) else value for value in values]


def is_missing(value: Any) -> bool:
    """Whether there is no value: None, NaN, or what pandas calls NA or NaT.

    >>> is_missing(float("nan")), is_missing(None), is_missing(0)
    (True, True, False)
    """
    if isinstance(value, float | np.floating):
        return bool(value != value)
    return value is None or type(value).__name__ in _MISSING_TYPES


def is_numeric(kind: type) -> bool:
    """Whether values of a type are numbers, which truth values are not.

    >>> is_numeric(int), is_numeric(np.float32), is_numeric(bool), is_numeric(str)
    (True, True, False, False)
    """
    return issubclass(kind, int | float | np.integer | np.floating) and not issubclass(kind, bool)


def _of_frame(frame: Any) -> TableColumns:
    names = list(frame.columns)
    twice, times = Counter(names).most_common(1)[0] if names else (None, 0)
    if times > 1:
        raise InvalidInput(
            f"{times} columns are called {twice!r}.", advice="Give each column a name of its own.", witness=twice, value=names
        )
    return TableColumns(len(frame), names, True, lambda name: frame[name])


def _of_dicts(rows: list[Any]) -> TableColumns:
    for position, row in enumerate(rows):
        if not hasattr(row, "keys"):
            raise _not_rows(row, position, "Object 0 has named values.")
    names = list(dict.fromkeys(name for row in rows for name in row.keys()))  # noqa: SIM118 - a pandas row iterates its values
    return TableColumns(len(rows), names, True, lambda name: [row.get(name) for row in rows])


def _of_tuples(rows: list[Any]) -> TableColumns:
    for position, row in enumerate(rows):
        if not isinstance(row, list | tuple) and not (isinstance(row, np.ndarray) and row.ndim == 1):
            raise _not_rows(row, position)
        if len(row) != len(rows[0]):
            raise InvalidInput(
                f"Rows need the same columns: row 0 has {len(rows[0])} values, row {position} has {len(row)}.",
                advice="Write None where a value is missing, or pass dicts, which name their values.",
                witness=position,
                value=row,
            )
    return TableColumns(
        len(rows), list(range(len(rows[0]))) if rows else [], False, lambda position: [row[position] for row in rows]
    )


def _not_rows(value: Any, position: int, other: str = "") -> InvalidInput:
    return InvalidInput(
        f"Object {position} is not the row of a table: {sample.shown(value)}. {other}".rstrip(),
        advice="Pass a data frame, or rows that are all dicts, or all tuples; wrap a single row in a list.",
        witness=position,
        value=value,
    )


def listed(names: list[Any]) -> str:
    """Names for a message, not more than eight."""
    shown = ", ".join(map(repr, names[:8]))
    return f"{shown} and {len(names) - 8} more" if len(names) > 8 else shown or "none"
