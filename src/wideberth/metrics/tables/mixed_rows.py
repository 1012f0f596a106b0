"""Rows of tables that mix numbers and categories: how columns are read from a data frame, an array,
or a sequence of dicts or tuples, and the prepared rows that are made of them.

Numbers stay as they are; a category becomes its position among the categories of the sample.
"""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from wideberth.array_types import Flags, Floats, Objects
from wideberth.errors import InvalidInput
from wideberth.metrics.elements import Elements, NumberedTokens, read_token, written_token
from wideberth.objects import sample
from wideberth.objects.digests import Digests, row_digests
from wideberth.wording import at, python

# ---- The columns of a table

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
    1970-01-01, lengths of time are days too. None if the column is not one of numbers: if it has
    other values (truth values are not numbers), the pandas type "category", or neither a value nor
    a numeric type.

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
    if isinstance(array, np.ndarray) and array.dtype.kind == "m":
        return array / np.timedelta64(1, "D")
    values = as_values(column)
    kinds = {type(value) for value in values} - {type(None)}
    if kinds and all(issubclass(kind, date) for kind in kinds):
        return np.array([np.nan if value is None else sample.days_of(value) for value in values])
    if kinds and all(issubclass(kind, timedelta) for kind in kinds):
        day = timedelta(days=1)
        return np.array([np.nan if value is None else value / day for value in values])
    if not kinds or not all(is_numeric(kind) for kind in kinds):
        return None
    return np.array([np.nan if value is None else value for value in values])


def as_values(column: Any) -> list[Any]:
    """Return the values of a column as a list of Python objects. Missing ones, NaN and NaT, and
    pandas' NA, are None.

    Examples
    --------
    >>> as_values(np.array(["Ulm", np.nan], dtype=object))
    ['Ulm', None]
    >>> as_values(np.array(["2024-05-18", "NaT"], dtype="datetime64[D]"))
    [datetime.datetime(2024, 5, 18, 0, 0), None]
    """
    if hasattr(column, "to_list"):
        values = column.to_list()
    elif isinstance(column, np.ndarray) and column.dtype.kind in "mM":
        return column.astype(f"{column.dtype.kind}8[us]").tolist()  # type: ignore[no-any-return]
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


# ---- Prepared rows

#: What a column holds: numbers of this range, categories in this order, or categories (None).
Range = float | Sequence[Any] | None

#: The code of a category that is missing.
MISSING = 0
#: Whole numbers up to this size are exact as float64.
_EXACT = 2.0**53


@dataclass(frozen=True, eq=False)
class MixedRows:
    """A prepared sample of n rows of a table. The second axis of both arrays counts the rows.
    Numbers are NaN where they are missing; codes are positions among all categories, counted from
    1, `MISSING` where they are missing.

    Examples
    --------
    >>> rows = MixedRows(
    ...     np.array([[20.0, np.nan]]), np.array([[MISSING, 1]]), Elements.of_texts(["Ulm"])[0]
    ... )
    >>> len(rows), rows.present(0), rows.present(1)
    (2, array([ True, False]), array([False,  True]))
    """

    numbers: Floats
    codes: NDArray[np.int64]
    categories: Elements

    def __len__(self) -> int:
        return int(self.codes.shape[1])

    def take(self, indices: Any) -> Self:
        """Return the rows at ``indices``, a slice or an integer array; see `Prepared.take`."""
        if isinstance(indices, slice):
            numbers = np.ascontiguousarray(self.numbers[:, indices])
            codes = np.ascontiguousarray(self.codes[:, indices])
            return type(self)(numbers, codes, self.categories)
        return type(self)(
            self.numbers.take(indices, axis=1), self.codes.take(indices, axis=1), self.categories
        )

    def codes_like(self, other: "MixedRows") -> NDArray[np.int64]:
        """Return the codes that the categories have in another sample; those that it lacks have a
        code that it lacks.
        """
        if self.categories is other.categories:
            return self.codes
        places, known = self.categories.places_in(other.categories)
        codes = np.where(known, places, len(other.categories)) + 1
        return np.concatenate([[MISSING], codes])[self.codes]

    def digests(self) -> Digests:
        """Return a digest of each row, by its numbers and the keys of its categories.

        So a row has the same digest as a dict and as a tuple, and whatever represents its missing
        values. Other categories of the same keys have the same digest: rows are then recognised
        that were not there, none is missed.
        """
        keys = np.concatenate([[MISSING], self.categories.keys])
        return row_digests(np.vstack([self.numbers, keys[self.codes]]).T)

    def plain(self) -> dict[str, Any]:
        """Return numbers, codes and the categories that occur; see `Prepared.plain`."""
        used, codes = np.unique(np.append(MISSING, self.codes), return_inverse=True)
        categories = self.categories.only(used[1:] - 1).plain()
        return {
            "numbers": self.numbers,
            "codes": codes[1:].reshape(self.codes.shape),
            "categories": categories,
        }

    @classmethod
    def from_plain(cls, plain: dict[str, Any]) -> Any:
        """Make the sample from the values of a file, and check them; see `Prepared.from_plain`.

        Whether the columns are those of the metric is checked when it prepares the sample.
        """
        match plain:
            case {
                "numbers": np.ndarray() as numbers,
                "codes": np.ndarray() as codes,
                "categories": written,
            }:
                categories = Elements.from_plain(written)
                if (
                    (numbers.dtype, codes.dtype) != (np.float64, np.int64)
                    or numbers.ndim != 2
                    or codes.ndim != 2
                ):
                    raise ValueError("numbers and codes of rows are two tables")
                if numbers.shape[1] != codes.shape[1] or np.isinf(numbers).any():
                    raise ValueError("rows need as many finite numbers as codes")
                if codes.size and not 0 <= codes.min() <= codes.max() <= len(categories):
                    raise ValueError(f"there are {len(categories)} categories, and codes of others")
                return cls(np.ascontiguousarray(numbers), np.ascontiguousarray(codes), categories)
        raise ValueError("numbers, codes and categories of rows are needed")

    def present(self, row: int) -> Flags:
        """Return for each column, those of numbers first, whether a row has a value in it."""
        return np.concatenate([~np.isnan(self.numbers[:, row]), self.codes[:, row] != MISSING])


def learn_ranges(
    table: TableColumns, ordered: Mapping[Hashable, tuple[Any, ...]]
) -> dict[Hashable, Range]:
    """Return the range of each column of a table. For numbers or dates it is the largest minus the
    smallest one, in days, 0 if all are missing; for ordered categories, those of ``ordered`` or of
    the column, their order; for other categories None. A column that mixes numbers with other
    values, or has numbers whose differences are not exact, is refused.

    Examples
    --------
    >>> from wideberth.metrics.tables.mixed_rows import read_table
    >>> learn_ranges(read_table([("Ulm", 3), ("Bonn", 8)]), {})
    {0: None, 1: 5.0}
    """
    return {
        name: tuple(ordered[name]) if name in ordered else _range(name, table.column(name))
        for name in table.names
    }


def code_rows(table: TableColumns, names: list[Any], ranges: Mapping[Hashable, Range]) -> MixedRows:
    """Check the columns of a table, and encode its rows. ``names`` are those of the columns in this
    table, in the order of ``ranges``.

    Examples
    --------
    >>> from wideberth.metrics.tables.mixed_rows import read_table
    >>> code_rows(read_table([("Ulm", 3), ("Bonn", 8)]), [0, 1], {0: None, 1: 5.0}).numbers
    array([[3., 8.]])
    """
    numeric: list[NDArray[Any]] = []
    categorical: list[NDArray[Any]] = []
    tokens = NumberedTokens()
    tokens.of([None])  # so that missing values have the number 0
    # a table without rows may have no columns
    for name, width in zip(names, ranges.values(), strict=False):
        column = table.column(name)
        values = _codes(name, column, tokens) if width is None else _numbers(name, column, width)
        (categorical if width is None else numeric).append(values)
    n_numeric, n_categorical = count_columns(ranges)
    numbers = np.array(numeric, dtype=np.float64).reshape(n_numeric, table.count)
    found = np.array(categorical, dtype=np.int64).reshape(n_categorical, table.count)
    categories, places = tokens.elements()
    return MixedRows(numbers, np.concatenate([[MISSING], 1 + places[1:]])[found], categories)


def decoded_rows(rows: MixedRows, ranges: Mapping[Hashable, Range]) -> list[dict[Any, Any]]:
    """The rows that `code_rows` encoded, missing values as None; dates stay days, and truth values
    0 and 1.

    Examples
    --------
    >>> table, ranges = read_table([("Ulm", 3), (None, 8)]), {0: None, 1: 5.0}
    >>> decoded_rows(code_rows(table, [0, 1], ranges), ranges)
    [{0: 'Ulm', 1: 3.0}, {0: None, 1: 8.0}]
    """
    tokens = [None, *(read_token(bytes(letters)) for letters in rows.categories.tuples())]
    numbers, codes = iter(rows.numbers.tolist()), iter(rows.codes.tolist())
    columns: list[list[Any]] = []
    for width in ranges.values():
        if width is None:
            columns.append([tokens[code] for code in next(codes)])
        else:
            found = [None if number != number else number for number in next(numbers)]
            levels = width if isinstance(width, Sequence) else None
            columns.append(
                found
                if levels is None
                else [None if rank is None else levels[int(rank)] for rank in found]
            )
    return [dict(zip(ranges, row, strict=True)) for row in zip(*columns, strict=True)]


def widths_of(ranges: Mapping[Hashable, Range]) -> Floats:
    """Return the ranges of the columns of numbers; of ordered categories, the number of steps from
    the least to the greatest.

    >>> widths_of({"age": 50.0, "city": None, "size": ("S", "M", "L")})
    array([50.,  2.])
    """
    widths = (
        len(width) - 1 if isinstance(width, Sequence) else width
        for width in ranges.values()
        if width is not None
    )
    return np.array([*widths], dtype=np.float64)


def count_columns(ranges: Mapping[Hashable, Range]) -> tuple[int, int]:
    """Return the numbers of columns of numbers, ordered categories among them, and of other
    categories.

    >>> count_columns({"age": 50.0, "city": None, "member": None})
    (1, 2)
    """
    n_numeric = sum(width is not None for width in ranges.values())
    return n_numeric, len(ranges) - n_numeric


def _range(name: Any, column: Any) -> Range:
    """Return the range of a column of numbers, the levels of ordered categories, None for others,
    after checking it.
    """
    levels = levels_of(column)
    if levels is not None:
        return levels
    given = as_numbers(column)
    if given is None:
        _check_categories(name, as_values(column))
        return None
    numbers = _exact(name, given)
    known = numbers[~np.isnan(numbers)]
    width = float(known.max() - known.min()) if len(known) else 0.0
    if np.isinf(width):
        raise InvalidInput(
            f"The numbers in column {name!r} differ by more than a float can hold.",
            advice="Scale the column.",
            value=width,
        )
    return width


def _check_categories(name: Any, values: list[Any]) -> None:
    """Raise an error for numbers among texts, which are more often a typing error than
    categories.
    """
    kinds = set(map(type, values)) - {type(None)}
    numeric = {kind for kind in kinds if is_numeric(kind)}
    if numeric and numeric != kinds:  # a column of only numbers was declared a category
        number = next(row for row, value in enumerate(values) if type(value) in numeric)
        other = next(row for row, value in enumerate(values) if type(value) in kinds - numeric)
        raise InvalidInput(
            f"{at('Column', name)} holds numbers and other values: {values[number]!r} in "
            f"{at('row', number)}, {values[other]!r} in {at('row', other)}.",
            advice="Correct the values; to compare them as categories, convert all of them to "
            "text.",
            witness=(number, other),
            value=(values[number], values[other]),
        )


def _numbers(name: Any, column: Any, width: Range) -> Floats:
    """Return the values of a column of numbers, NaN for missing ones, or raise an error for the
    first other value.
    """
    if isinstance(width, Sequence):
        return _ranks(name, as_values(column), {level: rank for rank, level in enumerate(width)})
    numbers = as_numbers(column)
    if numbers is not None:
        return _exact(name, numbers)
    values = as_values(column)
    for row, value in enumerate(values):
        if value is not None and not is_numeric(type(value)):
            raise InvalidInput(
                f"{at('Column', name)} is one of numbers, but {at('row', row)} holds {value!r}.",
                advice="Correct it, or write None for a missing number.",
                witness=(row, name),
                value=value,
            )
    return np.array([np.nan if value is None else value for value in values], dtype=np.float64)


def _ranks(name: Any, values: list[Any], rank_of: dict[Any, int]) -> Floats:
    """Return the ranks of ordered categories, NaN for missing ones, or raise an error for the first
    that has none.
    """
    for row, value in enumerate(values):
        if value is not None and value not in rank_of:
            raise InvalidInput(
                f"{at('Column', name)} holds ordered categories, and {at('row', row)} holds "
                f"{value!r}, which has no place among them.",
                advice=f"They are {listed(list(rank_of))}; None means a missing value.",
                witness=(row, name),
                value=value,
            )
    return np.array(
        [np.nan if value is None else rank_of[value] for value in values], dtype=np.float64
    )


def _exact(name: Any, numbers: NDArray[Any]) -> Floats:
    """Return numbers as float64, or raise an error for the first one whose differences would not be
    exact.

    Infinite numbers have no differences, and integers beyond 2^53 would lose digits.
    """
    floats = numbers.astype(np.float64)
    unfit = np.isinf(floats) | (np.abs(floats) > _EXACT if numbers.dtype.kind != "f" else False)
    if unfit.any():
        row = int(unfit.argmax())
        raise InvalidInput(
            f"{at('Row', row)} holds {numbers[row]} in {at('column', name)}: differences of such "
            "numbers are not exact.",
            advice="Numbers must be finite, and integers at most 2^53. If it is an identifier, "
            "convert the column to text.",
            witness=(row, name),
            value=numbers[row],
        )
    return floats


def _codes(name: Any, column: Any, tokens: NumberedTokens) -> NDArray[np.int64]:
    """Return the numbers of a column of categories among all tokens so far, 0 for missing ones."""
    values = as_values(column)
    try:
        return np.array(tokens.of(values), dtype=np.int64)
    except TypeError:
        row = next(row for row, value in enumerate(values) if not _is_category(value))
        raise InvalidInput(
            f"{at('Column', name)} is one of categories, but {at('row', row)} holds the "
            f"{type(values[row]).__name__} {values[row]!r}.",
            advice="Convert the column to text or numbers. "
            f"{python('wideberth.transforms.product')} gives a column a metric of its own.",
            witness=(row, name),
            value=values[row],
        ) from None


def _is_category(value: Any) -> bool:
    try:
        written_token(value)
    except TypeError:
        return False
    return True
