"""Read tables of Arrow with pyarrow, which the extra ``wideberth[tables]`` installs: Parquet files,
and tables in memory such as the frames of pandas and polars; typed columns, a batch of rows at a
time.
"""

import io
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import date
from functools import partial
from itertools import count, repeat
from typing import Any, Protocol

from wideberth.extras import import_extra
from wideberth.io.readers.formats.delimited import parse_structure
from wideberth.io.readers.formats.json_lines import JSON_CELLS
from wideberth.io.readers.records import (
    TARGET_NAMES,
    Cell,
    RawTable,
    ReadOptions,
    Row,
    Rows,
    fault,
    listed,
)
from wideberth.io.readers.source import Format, Source, too_large
from wideberth.objects.sample import days_of

ROWS_AT_ONCE = 1024
INDEX = re.compile(r"__index_level_\d+__")  # columns that pandas adds for an index without a name
TEXTS = ("string", "large_string", "string_view")


def parquet_table(source: Source, options: ReadOptions) -> RawTable:
    """Read a Parquet file as a table, whose rows are numbered from 1.

    Columns that the options do not need are not read, and their cells are empty. Truth values are
    the numbers 0 and 1, except as labels; decimals are floats, and dates days since 1970-01-01.
    Trees and graphs may be JSON texts, since no column type can hold a tree.
    """
    with _damage_reported(source.path):
        schema = import_extra("pyarrow.parquet", "tables").read_schema(source.path)
    return _table(schema, partial(_of_file, source), options, source.path, first=1)


class SpeaksArrow(Protocol):
    """What frames of pandas and polars and tables of Arrow have in common: they give their columns
    to any program that knows Arrow.
    """

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """The columns, as a capsule."""


def frame_table(source: Source, options: ReadOptions) -> RawTable:
    """Read a table in memory by its Arrow interface as the Parquet file that it could be written
    to; rows are numbered from 0, as Python does.
    """
    arrow = import_extra("pyarrow", "tables")
    try:
        stream = arrow.RecordBatchReader.from_stream(source.frame)
    except MemoryError:
        raise
    except Exception as broken:  # each package has errors of its own
        reason = "; ".join(str(part).strip().partition("\n")[0] for part in broken.args)
        raise fault(
            source.path,
            f"it cannot be read as a table of Arrow ({reason}).",
            "Pass a frame with columns, each of one type; trees and graphs are written as "
            "JSON texts.",
        ) from None
    return _table(stream.schema, partial(_of_stream, stream, source.path), options, source.path)


def _table(
    schema: Any,
    cells: Callable[[list[str]], Iterator[tuple[Any, ...]]],
    options: ReadOptions,
    path: str,
    first: int = 0,
) -> RawTable:
    """The table of a schema; ``cells`` gives those of the columns that it is asked for, and
    ``first`` is the number of the first row.
    """
    for name, times in Counter(schema.names).items():
        if times > 1:
            raise fault(
                path,
                f"{times} columns are called {name!r}.",
                "Give every column its own name.",
                value=name,
            )
    names = [name for name in schema.names if name in options.names or not INDEX.fullmatch(name)]
    needed = [
        name
        for name in names
        if not options.columns
        or options.labels_from is not None  # the identifiers of the labels may be in any
        or name in options.names
        or name.lower() in TARGET_NAMES
    ]
    unreadable = {
        name: str(schema.field(name).type)
        for name in needed
        if not _is_readable(schema.field(name).type)
    }
    readable = [name for name in needed if name not in unreadable]
    blank = dict.fromkeys(names) | dict.fromkeys(unreadable, _NO_READER)
    rows = _rows(cells(readable), readable, blank, path, first)
    return RawTable(rows, ARROW_CELLS, unit="row", unreadable=unreadable)


def _rows(
    cells: Iterator[tuple[Any, ...]],
    columns: list[str],
    blank: dict[str, Any],
    path: str,
    first: int,
) -> Rows:
    """The rows with the cells of these columns; ``blank`` gives those that are not read."""
    number = count(first)
    for row in cells:
        yield Row(next(number), blank | dict(zip(columns, row, strict=True)))
    if next(number) == first:
        raise fault(
            path,
            f"columns ({listed(list(blank))}) and no rows.",
            "Write the objects into it.",
            value=list(blank),
        )


def _of_file(source: Source, columns: list[str]) -> Iterator[tuple[Any, ...]]:
    """The cells of a file, as long as they are within its limit."""
    path, size = source.path, 0
    with (
        _damage_reported(path),
        import_extra("pyarrow.parquet", "tables").ParquetFile(path) as file,
    ):
        if (declared := _declared_size(file.metadata, columns)) > source.max_size:
            raise too_large(path, source.max_size, declared)
        for batch in file.iter_batches(ROWS_AT_ONCE, columns=columns):
            size += batch.nbytes  # a value that repeats a million times is stored once
            if size > source.max_size:
                raise too_large(path, source.max_size)
            yield from _cells(batch, columns)


def _of_stream(stream: Any, path: str, columns: list[str]) -> Iterator[tuple[Any, ...]]:
    """The cells of a table in memory."""
    with _damage_reported(path, "the table", "Make it again."):
        for batch in stream:
            for start in range(0, batch.num_rows, ROWS_AT_ONCE):
                yield from _cells(batch.slice(start, ROWS_AT_ONCE), columns)


def _cells(batch: Any, columns: list[str]) -> Iterable[tuple[Any, ...]]:
    """The cells of the rows of a batch."""
    values = [_column_values(batch.column(name)) for name in columns]
    return zip(*values, strict=True) if columns else repeat((), batch.num_rows)


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
def _damage_reported(
    path: str,
    what: str = "the Parquet file",
    advice: str = "Write the file again, for example with pandas: frame.to_parquet(path).",
) -> Iterator[None]:
    """Turn the errors of pyarrow about a damaged file or table into `InvalidFile`."""
    try:
        yield
    except (
        import_extra("pyarrow", "tables").ArrowException,
        OSError,
        UnicodeDecodeError,
    ) as broken:
        raise fault(path, f"{what} is damaged ({broken}).", advice) from None


def _number(cell: Cell) -> float | None:
    if isinstance(cell, date):
        return days_of(cell)
    return float(cell) if isinstance(cell, bool) else JSON_CELLS.number(cell)


def _structure(cell: Cell) -> Any:
    return parse_structure(cell) if isinstance(cell, str) else JSON_CELLS.structure(cell)


ARROW_CELLS = replace(JSON_CELLS, number=_number, structure=_structure)
# in the cells of columns that have no reader: it is neither number nor text nor a list
_NO_READER = object()


def _example() -> bytes:
    """A Parquet file with labels."""
    arrow, stream = import_extra("pyarrow", "tables"), io.BytesIO()
    table = arrow.table({"word": ["tea", "lait"], "label": ["en", "fr"]})
    import_extra("pyarrow.parquet", "tables").write_table(table, stream)
    return stream.getvalue()


PARQUET = Format(
    name="a Parquet file",
    endings=(".parquet",),
    of_file=parquet_table,
    begins=(b"PAR1",),
    needs=("pyarrow", "tables"),
    example=_example,
)
#: Tables in memory.
FRAME = Format(
    name="a table in memory",
    endings=(),
    of_file=frame_table,
    needs=("pyarrow", "tables"),
    example=_example,
)
