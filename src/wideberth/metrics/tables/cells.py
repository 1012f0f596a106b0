"""Rows of tables as people read them: what each column holds, its cells as short texts, and how far
one of them may move.
"""

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any, Literal

import numpy as np

from wideberth.array_types import Floats, Objects
from wideberth.metrics.metric import Metric
from wideberth.metrics.tables.mixed_rows import as_values, is_missing, is_numeric, read_table
from wideberth.objects import sample
from wideberth.rounding import shown_radius

#: What a column holds. Dates are whole days, moments have times.
ColumnKind = Literal["numbers", "dates", "moments", "lengths of time", "truth values", "categories"]

#: How a missing value is shown, in every table.
NO_VALUE = "—"
#: Digits of numbers that are not whole: equal texts mean equal numbers but for rounding.
_DIGITS = 6
#: Digits of how far a cell may move, rounded down.
_MOVE_DIGITS = 3


def kind_of(values: Iterable[Any]) -> ColumnKind:
    """What a column with these values, missing ones as None, holds.

    Examples
    --------
    >>> kind_of([1, None, 2.5]), kind_of([True, False]), kind_of(["S", None]), kind_of([None])
    ('numbers', 'truth values', 'categories', 'categories')
    >>> from datetime import datetime
    >>> kind_of([date(2020, 1, 3)]), kind_of([datetime(2020, 1, 3, 12)])
    ('dates', 'moments')
    """
    known = [value for value in values if value is not None]
    kinds = {type(value) for value in known}
    if kinds and all(issubclass(kind, date) for kind in kinds):
        days = (sample.days_of(value) for value in known)
        return "dates" if all(day.is_integer() for day in days) else "moments"
    if kinds and all(issubclass(kind, timedelta) for kind in kinds):
        return "lengths of time"
    if kinds and all(map(is_numeric, kinds)):
        return "numbers"
    truths = kinds and all(issubclass(kind, bool | np.bool_) for kind in kinds)
    return "truth values" if truths else "categories"


def _kind_of_days(days: Iterable[Any]) -> ColumnKind:
    """Whether days since 1970-01-01 are dates, or moments with times; other values are what they
    are.
    """
    known = [day for day in days if day is not None]
    if not all(is_numeric(type(day)) for day in known):
        return kind_of(known)
    return "dates" if all(float(day).is_integer() for day in known) else "moments"


def cell_text(value: Any, kind: ColumnKind) -> str:
    """A cell as a text; a value that a metric has prepared, such as the days of a date, like the
    one that was given.

    Examples
    --------
    >>> cell_text(3.0, "numbers"), cell_text(2 / 3, "numbers"), cell_text(None, "categories")
    ('3', '0.666667', '—')
    >>> cell_text(2.0, "dates"), cell_text(date(1970, 1, 3), "dates"), cell_text(1, "truth values")
    ('1970-01-03', '1970-01-03', 'True')
    """
    if is_missing(value):
        return NO_VALUE
    if kind in ("dates", "moments"):
        days = sample.days_of(value) if isinstance(value, date) else value
        return sample.date_of(days) if is_numeric(type(days)) else str(value)
    if kind == "lengths of time":
        return str(
            timedelta(value)
            if is_numeric(type(value))
            else timedelta(value.days, value.seconds, value.microseconds)
        )
    if kind == "truth values":
        return str(bool(value))
    if not is_numeric(type(value)):
        return str(value)
    whole = float(value).is_integer() and abs(value) < 1e15
    return str(int(value)) if whole else f"{value:.{_DIGITS}g}"


def move_text(most: float, kind: ColumnKind, ordered: bool = False) -> str | None:
    """By how much a cell may move alone, from `wideberth.Metric.moves_alone`; None where it may
    not.

    What is shown is rounded down, and proved for every move by less.

    Examples
    --------
    >>> move_text(3.14159, "numbers"), move_text(12.5, "dates"), move_text(math.inf, "categories")
    ('less than 3.14', 'less than 12.5 days', 'any value')
    >>> move_text(2.5, "categories", ordered=True), move_text(0.0, "categories")
    ('up to 2 steps', None)
    """
    if most == math.inf:
        return "any value"
    if ordered:
        steps = math.ceil(most) - 1
        return f"up to {steps} step{'' if steps == 1 else 's'}" if steps > 0 else None
    if not most > 0 or kind in ("truth values", "categories"):
        return None
    unit = " days" if kind in ("dates", "moments", "lengths of time") else ""
    return f"less than {shown_radius(float(most), _MOVE_DIGITS)}{unit}"


def moves_in_words(moves: Mapping[str, str], most: int | None = None) -> str:
    """Moves of columns, each alone, in a phrase that goes on after "if".

    Examples
    --------
    >>> moves_in_words({"age": "less than 3", "fare": "less than 0.5", "sex": "any value"})
    'age alone moves by less than 3, or fare by less than 0.5, or sex alone takes any value'
    """
    moved = {name: text for name, text in moves.items() if text != "any value"}
    freely = [name for name, text in moves.items() if text == "any value"]
    shown = list(moved.items())[:most]
    parts = [
        f"{name} {'by' if place else 'alone moves by'} {text}"
        for place, (name, text) in enumerate(shown)
    ]
    free = freely[: None if most is None else max(most - len(parts), 0)]
    if free:
        parts.append(f"{' or '.join(free)} alone takes any value")
    return ", or ".join(parts)


@dataclass(frozen=True, eq=False)
class ShownTable:
    """Objects that are rows of a table, or vectors, read column by column."""

    keys: list[Any]  # how the metric calls the columns: by names or positions
    names: list[str]
    values: list[list[Any]]  # column by column, missing ones as None
    kinds: list[ColumnKind]

    @classmethod
    def of(
        cls,
        objects: Objects,
        metric: Metric,
        names: Sequence[Any] | None = None,
        dates: Collection[Any] = (),
    ) -> "ShownTable":
        """Objects that a metric measures as rows or as vectors; of rows, the columns that it
        measures. ``names`` are those of all columns, if the objects do not know them; ``dates`` are
        the names of columns whose numbers are days since 1970-01-01.
        """
        table = read_table(objects)
        keys = [key for key in table.names if _is_measured(key, metric)]
        columns = [as_values(table.column(key)) for key in keys]
        if table.named:
            names = keys
        elif names is None or len(names) != len(table.names):
            names = [f"x{key}" for key in keys]
        else:
            names = [names[key] for key in keys]
        kinds = [
            _kind_of_days(values) if name in dates else kind_of(values)
            for name, values in zip(names, columns, strict=True)
        ]
        return cls(keys, [str(name) for name in names], columns, kinds)

    def __len__(self) -> int:
        return len(self.values[0]) if self.values else 0

    def cells(self, place: int) -> list[str]:
        """The cells of one row."""
        pairs = zip(self.values, self.kinds, strict=True)
        return [cell_text(values[place], kind) for values, kind in pairs]

    def cells_of(self, row: Any) -> list[str]:
        """The cells of a row that the metric gives back; see `wideberth.Metric.as_objects`."""
        named = row.items() if hasattr(row, "items") else enumerate(row)
        held = dict(named)
        return [
            cell_text(held.get(key), kind) for key, kind in zip(self.keys, self.kinds, strict=True)
        ]

    def moves(self, metric: Metric, radii: Floats) -> list[list[str | None]] | None:
        """For each radius, and each column, by how much that column may move alone; None if nothing
        is known of any.
        """
        found = [metric.moves_alone(key, radii) for key in self.keys]
        if all(each is None for each in found):
            return None
        ranges = getattr(metric, "ranges", None) or {}
        ordered = [isinstance(ranges.get(key), Sequence) for key in self.keys]
        texts = [
            [None] * len(radii)
            if most is None
            else [move_text(each, kind, steps) for each in most.tolist()]
            for most, kind, steps in zip(found, self.kinds, ordered, strict=True)
        ]
        return [list(row) for row in zip(*texts, strict=True)]


def _is_measured(key: Any, metric: Metric) -> bool:
    """Whether a metric measures a column; all, where it does not say which."""
    for columns in ("ranges", "parts"):
        if isinstance(measured := getattr(metric, columns, None), Mapping):
            return key in measured
    return True
