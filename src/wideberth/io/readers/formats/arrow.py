"""Read Parquet files: typed columns, a batch of rows at a time, with pyarrow, which the extra
``wideberth[tables]`` installs.
"""

import re
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import date
from itertools import count, repeat
from typing import Any

from wideberth.extras import import_extra
from wideberth.io.readers.formats.delimited import parse_structure
from wideberth.io.readers.formats.json_lines import JSON_CELLS
from wideberth.io.readers.records import TARGET_NAMES, RawTable, ReadOptions, Row, fault, listed
from wideberth.io.readers.source import too_large
from wideberth.objects.values import days_of

ROWS_AT_ONCE = 1024


INDEX = re.compile(r"__index_level_\d+__")  # columns that pandas adds for an index without a name


TEXTS = ("string", "large_string", "string_view")


def parquet_table(path: str, options: ReadOptions, max_size: int) -> RawTable:
    """Read a Parquet file as a table.

    Columns that the options do not need are not read, and their cells are empty. Truth values are
    the numbers 0 and 1, except as labels; decimals are floats, and dates days since 1970-01-01.
    Trees and graphs may be JSON texts, since no column type can hold a tree.
    """
    import_extra("pyarrow", "tables")
    schema = _schema(path)
    names = [name for name in schema.names if name in options.names or not INDEX.fullmatch(name)]
    needed = [
        name
        for name in names
        if not options.columns or name in options.names or name.lower() in TARGET_NAMES
    ]
    unreadable = {
        name: str(schema.field(name).type)
        for name in needed
        if not _is_readable(schema.field(name).type)
    }
    readable = [name for name in needed if name not in unreadable]
    blank = dict.fromkeys(names) | dict.fromkeys(unreadable, _NO_READER)
    return RawTable(
        _rows(path, readable, blank, max_size), PARQUET_CELLS, unit="row", unreadable=unreadable
    )


def _schema(path: str) -> Any:
    """The names and types of the columns, after a check that the names are different."""
    with _damage_reported(path):
        schema = import_extra("pyarrow.parquet", "tables").read_schema(path)
    for name, times in Counter(schema.names).items():
        if times > 1:
            raise fault(
                path,
                f"{times} columns are called {name!r}.",
                value=name,
                advice="Give every column its own name.",
            )
    return schema


def _rows(path: str, columns: list[str], blank: dict[str, Any], max_size: int) -> Iterator[Row]:
    """The rows of the file; ``blank`` gives the cells of the columns that are not read."""
    number, size = count(1), 0
    with (
        _damage_reported(path),
        import_extra("pyarrow.parquet", "tables").ParquetFile(path) as file,
    ):
        if not file.metadata.num_rows:
            raise fault(
                path,
                f"columns ({listed(list(blank))}) and no rows.",
                value=list(blank),
                advice="Write the objects into it.",
            )
        if (declared := _declared_size(file.metadata, columns)) > max_size:
            raise too_large(path, max_size, declared)
        for batch in file.iter_batches(ROWS_AT_ONCE, columns=columns):
            size += batch.nbytes  # a value that repeats a million times is stored once
            if size > max_size:
                raise too_large(path, max_size)
            values = [_column_values(batch.column(name)) for name in columns]
            cells = zip(*values, strict=True) if columns else repeat((), batch.num_rows)
            for row in cells:
                yield Row(next(number), blank | dict(zip(columns, row, strict=True)))


def _declared_size(metadata: Any, columns: list[str]) -> int:
    """How many bytes the pages of columns have when they are decompressed, as the file declares."""
    groups = [metadata.row_group(number) for number in range(metadata.num_row_groups)]
    chunks = (group.column(position) for group in groups for position in range(group.num_columns))
    return sum(
        chunk.total_uncompressed_size
        for chunk in chunks
        if chunk.path_in_schema.partition(".")[0] in columns
    )


def _column_values(column: Any) -> list[Any]:
    """The values of a column as Python objects; decimals and half-precision floats as floats."""
    arrow = import_extra("pyarrow", "tables")
    if arrow.types.is_decimal(column.type) or arrow.types.is_float16(column.type):
        column = column.cast(arrow.float64())
    if arrow.types.is_timestamp(column.type):  # Python's dates have microseconds
        column = column.cast(arrow.timestamp("us", column.type.tz), safe=False)
    return list(column.to_pylist())


def _is_readable(type_: Any) -> bool:
    """Whether cells of a type can be read: numbers, text, truth values, dates, and lists of the
    first three but decimals.
    """
    types = import_extra("pyarrow", "tables").types
    if types.is_list(type_) or types.is_large_list(type_) or types.is_fixed_size_list(type_):
        inner = type_.value_type
        return _is_readable(inner) and not (
            types.is_decimal(inner) or types.is_date(inner) or types.is_timestamp(inner)
        )
    return _is_plain(type_.value_type if types.is_dictionary(type_) else type_) or bool(
        types.is_decimal(type_)
    )


def _is_plain(type_: Any) -> bool:
    types = import_extra("pyarrow", "tables").types
    known = (
        types.is_integer,
        types.is_floating,
        types.is_boolean,
        types.is_null,
        types.is_date,
        types.is_timestamp,
    )
    return str(type_) in TEXTS or any(is_such(type_) for is_such in known)


@contextmanager
def _damage_reported(path: str) -> Iterator[None]:
    """Turn the errors of pyarrow about a damaged file into `InvalidFile`."""
    try:
        yield
    except (
        import_extra("pyarrow", "tables").ArrowException,
        OSError,
        UnicodeDecodeError,
    ) as broken:
        advice = "Write the file again, for example with pandas: frame.to_parquet(path)."
        raise fault(
            path, f"the Parquet file is damaged ({broken}).", value=None, advice=advice
        ) from None


def _number(cell: Any) -> float | None:
    if isinstance(cell, date):
        return days_of(cell)
    return float(cell) if isinstance(cell, bool) else JSON_CELLS.number(cell)


def _structure(cell: Any) -> Any:
    return parse_structure(cell) if isinstance(cell, str) else JSON_CELLS.structure(cell)


PARQUET_CELLS = replace(JSON_CELLS, number=_number, structure=_structure)


_NO_READER = (
    object()
)  # in the cells of columns that have no reader: it is neither number nor text nor a list
