"""Rows of numbers and categories, prepared: columns of numbers as they are, categories as keys that mean the same everywhere."""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from wideberth.arrays import Flags, Floats
from wideberth.errors import InvalidInput
from wideberth.metrics.numbering import token_key, token_keys
from wideberth.metrics.tables.columns import TableColumns, as_numbers, as_values, is_numeric
from wideberth.objects.digests import Digests, row_digests

#: The key of a category that is missing.
MISSING = token_key(None)
#: Whole numbers up to this size are exact as float64.
_EXACT = 2.0**53


@dataclass(frozen=True, eq=False)
class MixedRows:
    """The rows of a table; the second axis of both arrays counts them.

    ``numbers``: float64, NaN where one is missing. ``codes``: the key of each category (`token_key`), `MISSING` where there is
    none.
    """

    numbers: Floats
    codes: NDArray[np.int64]

    def __len__(self) -> int:
        return int(self.codes.shape[1])

    def take(self, indices: Any) -> Self:
        """The rows at ``indices``."""
        if isinstance(indices, slice):
            return type(self)(np.ascontiguousarray(self.numbers[:, indices]), np.ascontiguousarray(self.codes[:, indices]))
        return type(self)(self.numbers.take(indices, axis=1), self.codes.take(indices, axis=1))

    def digests(self) -> Digests:
        """The digest of each row: columns may go by name or by place, and many things stand for a missing value."""
        return row_digests(np.vstack([self.numbers, self.codes]).T)

    def plain(self) -> dict[str, Any]:
        """See `wideberth.metrics.containers.Prepared`."""
        return {"numbers": self.numbers, "codes": self.codes}

    @classmethod
    def from_plain(cls, plain: dict[str, Any]) -> Any:
        """The rows, their numbers checked; that they have the columns of a metric is checked when it prepares them."""
        match plain:
            case {"numbers": np.ndarray() as numbers, "codes": np.ndarray() as codes}:
                if (numbers.dtype, codes.dtype) != (np.float64, np.int64) or numbers.ndim != 2 or codes.ndim != 2:
                    raise ValueError("numbers and codes of rows are two tables")
                if numbers.shape[1] != codes.shape[1] or np.isinf(numbers).any():
                    raise ValueError("rows need as many finite numbers as codes")
                return cls(np.ascontiguousarray(numbers), np.ascontiguousarray(codes))
        raise ValueError("numbers and codes of rows are needed")

    def has(self, row: int) -> Flags:
        """For each column, those of numbers first, whether a row has a value in it."""
        return np.concatenate([~np.isnan(self.numbers[:, row]), self.codes[:, row] != MISSING])


def learn_ranges(table: TableColumns) -> dict[Hashable, float | None]:
    """For each column the range of its numbers, or None for one of categories.

    >>> from wideberth.metrics.tables.columns import read_table
    >>> learn_ranges(read_table([("Ulm", 3), ("Bonn", 8)]))
    {0: None, 1: 5.0}
    """
    return {name: _range(name, table.column(name)) for name in table.names}


def code_rows(
    table: TableColumns, names: list[Any], ranges: Mapping[Hashable, float | None], *, allow_missing: bool
) -> MixedRows:
    """The columns ``names`` of a table, which are those of ``ranges`` in the same order, checked."""
    numeric: list[NDArray[Any]] = []
    categorical: list[NDArray[Any]] = []
    known: dict[Any, int] = {}
    for name, width in zip(names, ranges.values(), strict=False):  # a table without rows may have no columns
        column = table.column(name)
        values = _codes(name, column, known) if width is None else _numbers(name, column)
        missing = np.isnan(values) if width is not None else values == MISSING
        if not allow_missing and missing.any():
            raise _incomplete(int(missing.argmax()), name, int(missing.sum()))
        (categorical if width is None else numeric).append(values)
    of_numbers = sum(width is not None for width in ranges.values())
    return MixedRows(
        np.array(numeric, dtype=np.float64).reshape(of_numbers, table.count),
        np.array(categorical, dtype=np.int64).reshape(len(ranges) - of_numbers, table.count),
    )


def _range(name: Any, column: Any) -> float | None:
    given = as_numbers(column)
    if given is None:
        _check_categories(name, as_values(column))
        return None
    numbers = _exact(name, given)
    there = numbers[~np.isnan(numbers)]
    width = float(there.max() - there.min()) if len(there) else 0.0
    if np.isinf(width):
        raise InvalidInput(
            f"The numbers in column {name!r} differ by more than a float can hold.", advice="Scale the column.", value=width
        )
    return width


def _check_categories(name: Any, values: list[Any]) -> None:
    """Numbers among texts are more often a typing error than categories: somebody must say so."""
    kinds = set(map(type, values)) - {type(None)}
    numeric = {kind for kind in kinds if is_numeric(kind)}
    if numeric and numeric != kinds:  # numbers alone were declared a category
        number = next(row for row, value in enumerate(values) if type(value) in numeric)
        other = next(row for row, value in enumerate(values) if type(value) in kinds - numeric)
        raise InvalidInput(
            f"Column {name!r} holds numbers and others: {values[number]!r} in row {number}, {values[other]!r} in row {other}.",
            advice="Correct the values; to compare them as categories, turn all of them into text.",
            witness=(number, other),
            value=(values[number], values[other]),
        )


def _numbers(name: Any, column: Any) -> Floats:
    numbers = as_numbers(column)
    if numbers is not None:
        return _exact(name, numbers)
    values = as_values(column)
    for row, value in enumerate(values):
        if value is not None and not is_numeric(type(value)):
            raise InvalidInput(
                f"Column {name!r} is one of numbers, but row {row} holds {value!r}.",
                advice="Correct it, or write None where the number is missing.",
                witness=(row, name),
                value=value,
            )
    return np.array([np.nan if value is None else value for value in values], dtype=np.float64)


def _exact(name: Any, numbers: NDArray[Any]) -> Floats:
    """As float64, which holds them all: infinite ones have no differences, and whole ones beyond 2^53 would lose digits."""
    floats = numbers.astype(np.float64)
    unfit = np.isinf(floats) | (np.abs(floats) > _EXACT if numbers.dtype.kind != "f" else False)
    if unfit.any():
        row = int(unfit.argmax())
        raise InvalidInput(
            f"Row {row} holds {numbers[row]} in column {name!r}: differences of such numbers are not known.",
            advice="Numbers are finite, and whole ones below 2^53. If it is an identifier, turn the column into text.",
            witness=(row, name),
            value=numbers[row],
        )
    return floats


def _codes(name: Any, column: Any, known: dict[Any, int]) -> NDArray[np.int64]:
    values = as_values(column)
    try:
        return np.array(token_keys(values, known), dtype=np.int64)
    except TypeError:
        row = next(row for row, value in enumerate(values) if not _is_category(value))
        raise InvalidInput(
            f"Column {name!r} is one of categories, but row {row} holds the {type(values[row]).__name__} {values[row]!r}.",
            advice="Turn the column into text or numbers. wideberth.transforms.product gives a column a metric of its own.",
            witness=(row, name),
            value=values[row],
        ) from None


def _is_category(value: Any) -> bool:
    try:
        token_key(value)
    except TypeError:
        return False
    return True


def _incomplete(row: int, name: Any, count: int) -> InvalidInput:
    return InvalidInput(
        f"Row {row} has no value in column {name!r} (missing there in all: {count}).",
        advice="Fill it in, or say what it means: missing='far' lets it differ from every value, which is still a metric; "
        "missing='skip' leaves the column out of each comparison, which is none.",
        witness=(row, name),
        value=None,
    )
