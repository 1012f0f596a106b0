"""Read the columns of a table from a data frame, from an array, or from a sequence of dicts or
tuples.
"""

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import date
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wideberth.array_types import Objects
from wideberth.errors import InvalidInput
from wideberth.objects import sample
from wideberth.wording import at

#: Types of the missing values of pandas besides None and NaN; given by name, so that pandas is not
#: imported.
_MISSING_TYPES = {"NAType", "NaTType"}


@dataclass(frozen=True)
class TableColumns:
    """A table that can be read column by column. ``column(name)`` returns a column: a list, an
    array, or a column of a data frame. Columns without names are named by their positions.

    Examples
    --------
    >>> table = read_table([{"age": 3}, {"age": 5}])
    >>> table.count, table.names, table.column("age")
    (2, ['age'], [3, 5])
    """

    count: int
    names: list[Any]
    named: bool
    column: Callable[[Any], Any]

    def require(self, wanted: Iterable[Any], metric: str) -> None:
        """Raise an error if a column is missing that a metric measures.

        Further columns are ignored, and a table without rows and columns is always accepted.
        """
        present = set(self.names)
        for name in wanted:
            if name not in present and (self.count or present):
                raise InvalidInput(
                    f"There is no column {name!r}, which {metric!r} measures; there are "
                    f"{listed(self.names)}.",
                    advice="Rename a column, or use a metric for the existing columns. In dicts, "
                    "None means a missing value.",
                    witness=name,
                    value=self.names,
                )


def read_table(objects: Objects) -> TableColumns:
    """Return the columns of a table. Dicts are matched by their keys; a key that others have and a
    dict lacks is a missing value of that row.

    Examples
    --------
    >>> table = read_table([{"age": 3, "city": "Ulm"}, {"city": "Bonn"}])
    >>> table.names, table.column("age")
    (['age', 'city'], [3, None])
    >>> read_table([(3, "Ulm"), (4, "Bonn")]).column(1)
    ['Ulm', 'Bonn']
    """
    if hasattr(objects, "to_numpy") and len(getattr(objects, "shape", ())) == 2:
        return _of_frame(objects)
    held = sample.hold(objects, rows=True)
    if isinstance(held, np.ndarray) and held.ndim == 2:
        return TableColumns(
            len(held), list(range(held.shape[1])), False, lambda position: held[:, position]
        )
    rows = list(held) if isinstance(held, np.ndarray) and held.dtype == object else None
    if rows is None:
        raise _not_rows(held[0] if len(held) else held, 0)
    return _of_dicts(rows) if rows and hasattr(rows[0], "keys") else _of_tuples(rows)


def as_numbers(column: Any) -> NDArray[Any] | None:
    """Return a column of numbers as an array. Missing values are NaN, dates are days since
    1970-01-01. None if the column is not one of numbers: if it has other values (truth values are
    not numbers), the pandas type "category", or neither a value nor a numeric type.

    Examples
    --------
    >>> as_numbers([1, None, 2.5]), as_numbers(["1", "2"]), as_numbers([True, False])
    (array([1. , nan, 2.5]), None, None)
    >>> as_numbers([date(1970, 1, 3), None])
    array([ 2., nan])
    """
    if str(getattr(column, "dtype", "")) == "category":
        return None
    array = column.to_numpy() if hasattr(column, "to_numpy") else column
    if isinstance(array, np.ndarray) and array.dtype.kind in "fiu":
        return array
    if isinstance(array, np.ndarray) and array.dtype.kind == "M":
        days = (array - np.datetime64(0, "D")) / np.timedelta64(1, "D")
        return np.where(np.isnat(array), np.nan, days)
    values = as_values(column)
    kinds = {type(value) for value in values} - {type(None)}
    if kinds and all(issubclass(kind, date) for kind in kinds):
        return np.array([np.nan if value is None else sample.days_of(value) for value in values])
    if not kinds or not all(is_numeric(kind) for kind in kinds):
        return None
    return np.array([np.nan if value is None else value for value in values])


def as_values(column: Any) -> list[Any]:
    """Return the values of a column as a list of Python objects. Missing ones, NaN and pandas' NA
    and NaT, are None.

    Examples
    --------
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


def levels_of(column: Any) -> tuple[Any, ...] | None:
    """Return the categories of an ordered categorical column of pandas from the least to the
    greatest; None for other columns.

    >>> import pandas as pd
    >>> levels_of(pd.Series(pd.Categorical(["S", "L"], categories=["S", "M", "L"], ordered=True)))
    ('S', 'M', 'L')
    """
    kind: Any = getattr(column, "dtype", None)
    return tuple(kind.categories.tolist()) if getattr(kind, "ordered", None) else None


def is_missing(value: Any) -> bool:
    """Return whether a value is missing: None, NaN, or NA or NaT of pandas.

    >>> is_missing(float("nan")), is_missing(None), is_missing(0)
    (True, True, False)
    """
    if isinstance(value, float | np.floating):
        return bool(value != value)
    return value is None or type(value).__name__ in _MISSING_TYPES


def is_numeric(kind: type) -> bool:
    """Return whether the values of a type are real numbers; truth values are not.

    >>> is_numeric(int), is_numeric(np.float32), is_numeric(bool), is_numeric(str)
    (True, True, False, False)
    """
    return issubclass(kind, int | float | np.integer | np.floating) and not issubclass(kind, bool)


def _of_frame(frame: Any) -> TableColumns:
    """Return the columns of a pandas or polars data frame."""
    names = list(frame.columns)
    repeated, times = Counter(names).most_common(1)[0] if names else (None, 0)
    if times > 1:
        raise InvalidInput(
            f"{times} columns are called {repeated!r}.",
            advice="Give every column its own name.",
            witness=repeated,
            value=names,
        )
    return TableColumns(len(frame), names, True, lambda name: frame[name])


def _of_dicts(rows: list[Any]) -> TableColumns:
    """Return the columns of dicts (or rows of pandas), in the order in which their names appear
    first.
    """
    for position, row in enumerate(rows):
        if not hasattr(row, "keys"):
            raise _not_rows(row, position, f"{at('Object', 0)} has named values.")
    names = list(dict.fromkeys(name for row in rows for name in row.keys()))  # noqa: SIM118 - a pandas row iterates its values
    return TableColumns(len(rows), names, True, lambda name: [row.get(name) for row in rows])


def _of_tuples(rows: list[Any]) -> TableColumns:
    """Return the columns of tuples, lists or flat arrays of the same length; their names are
    positions.
    """
    for position, row in enumerate(rows):
        if not isinstance(row, list | tuple) and not (
            isinstance(row, np.ndarray) and row.ndim == 1
        ):
            raise _not_rows(row, position)
        if len(row) != len(rows[0]):
            raise InvalidInput(
                f"All rows need the same columns: {at('row', 0)} has {len(rows[0])} values, "
                f"{at('row', position)} has {len(row)}.",
                advice="Write None for a missing value, or pass dicts, whose keys name the "
                "columns.",
                witness=position,
                value=row,
            )
    return TableColumns(
        len(rows),
        list(range(len(rows[0]))) if rows else [],
        False,
        lambda position: [row[position] for row in rows],
    )


def _not_rows(value: Any, position: int, other: str = "") -> InvalidInput:
    """Return the error for an object that is no row; ``other`` is a further sentence of the
    message.
    """
    return InvalidInput(
        f"{at('Object', position)} is not the row of a table: {sample.shown(value)}. {other}".rstrip(),
        advice="Pass a data frame, or rows that are all dicts or all tuples; wrap a single row in "
        "a list.",
        witness=position,
        value=value,
    )


def listed(names: list[Any]) -> str:
    """Return names as a text for a message, at most eight of them.

    >>> listed(["age", "city"]), listed(list("abcdefghij")), listed([])
    ("'age', 'city'", "'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h' and 2 more", 'none')
    """
    shown = ", ".join(map(repr, names[:8]))
    return f"{shown} and {len(names) - 8} more" if len(names) > 8 else shown or "none"
