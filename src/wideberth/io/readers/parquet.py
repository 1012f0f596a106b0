"""Parquet: typed columns, read a batch of rows at a time through pyarrow."""

import re
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import count, repeat
from typing import Any

from wideberth.extras import import_extra
from wideberth.io.readers.columns import TARGET_NAMES, Wish
from wideberth.io.readers.delimited import written_structure
from wideberth.io.readers.faults import fault, listed
from wideberth.io.readers.json_lines import JSON_CELLS
from wideberth.io.readers.records import RawTable, Row

ROWS_AT_ONCE = 1024
INDEX = re.compile(r"__index_level_\d+__")  # pandas' own, which nobody named
TEXTS = ("string", "large_string", "string_view")


def parquet_table(path: str, wish: Wish) -> RawTable:
    """A Parquet file as a table. Columns that the wish does not need are not read, and their cells are empty.

    Truth values are the numbers 0 and 1, except as labels; decimals are floats. Trees and graphs may be JSON texts, since no
    column type can hold a tree.
    """
    import_extra("pyarrow", "tables")
    schema = _schema(path)
    names = [name for name in schema.names if name in (*wish.columns, wish.target) or not INDEX.fullmatch(name)]
    needed = [name for name in names if not wish.columns or name in (*wish.columns, wish.target) or name.lower() in TARGET_NAMES]
    unreadable = {name: str(schema.field(name).type) for name in needed if not _is_readable(schema.field(name).type)}
    readable = [name for name in needed if name not in unreadable]
    blank = dict.fromkeys(names) | dict.fromkeys(unreadable, _UNREAD)
    return RawTable(_rows(path, readable, blank), STORED_CELLS, unit="row", unreadable=unreadable)


def _schema(path: str) -> Any:
    with _damage(path):
        schema = import_extra("pyarrow.parquet", "tables").read_schema(path)
    for name, times in Counter(schema.names).items():
        if times > 1:
            raise fault(path, f"{times} columns are called {name!r}.", value=name, advice="Give every column its own name.")
    return schema


def _rows(path: str, columns: list[str], blank: dict[str, Any]) -> Iterator[Row]:
    number = count(1)
    with _damage(path), import_extra("pyarrow.parquet", "tables").ParquetFile(path) as file:
        if not file.metadata.num_rows:
            raise fault(
                path, f"columns ({listed(list(blank))}) and no rows.", value=list(blank), advice="Write the objects into it."
            )
        for batch in file.iter_batches(ROWS_AT_ONCE, columns=columns):
            values = [_plain(batch.column(name)) for name in columns]
            cells = zip(*values, strict=True) if columns else repeat((), batch.num_rows)
            for row in cells:
                yield Row(next(number), blank | dict(zip(columns, row, strict=True)))


def _plain(column: Any) -> list[Any]:
    arrow = import_extra("pyarrow", "tables")
    if arrow.types.is_decimal(column.type) or arrow.types.is_float16(column.type):
        column = column.cast(arrow.float64())
    return list(column.to_pylist())


def _is_readable(type_: Any) -> bool:
    types = import_extra("pyarrow", "tables").types
    if types.is_list(type_) or types.is_large_list(type_) or types.is_fixed_size_list(type_):
        return _is_readable(type_.value_type) and not types.is_decimal(type_.value_type)
    return _is_plain(type_.value_type if types.is_dictionary(type_) else type_) or bool(types.is_decimal(type_))


def _is_plain(type_: Any) -> bool:
    types = import_extra("pyarrow", "tables").types
    known = (types.is_integer, types.is_floating, types.is_boolean, types.is_null)
    return str(type_) in TEXTS or any(is_such(type_) for is_such in known)


@contextmanager
def _damage(path: str) -> Iterator[None]:
    try:
        yield
    except (import_extra("pyarrow", "tables").ArrowException, OSError, UnicodeDecodeError) as broken:
        advice = "Write the file anew, for example with pandas: frame.to_parquet(path)."
        raise fault(path, f"the Parquet file is damaged ({broken}).", value=None, advice=advice) from None


def _number(cell: Any) -> float | None:
    return float(cell) if isinstance(cell, bool) else JSON_CELLS.number(cell)


def _structure(cell: Any) -> Any:
    return written_structure(cell) if isinstance(cell, str) else JSON_CELLS.structure(cell)


STORED_CELLS = replace(JSON_CELLS, number=_number, structure=_structure)
_UNREAD = object()  # in the cells of columns that have no reader: it is neither number nor text nor a list
