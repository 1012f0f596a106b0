"""CSV and TSV: a header, then rows of written cells, with the line each begins on."""

import csv
import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice
from typing import Any

import numpy as np

from wideberth.arrays import Floats
from wideberth.errors import InvalidFile
from wideberth.io import strict_json
from wideberth.io.readers.faults import counted, fault, listed, shown
from wideberth.io.readers.records import CellReader, RawTable, Row, numeric_array

COMMA_LIKE = (",", ";", "\t", "|")
LINES_FOR_DELIMITER = 50
LONGEST_CELL = 1 << 26  # characters; without a limit one stray quote would pull the rest of a large file into memory


def csv_table(lines: Iterable[str], path: str) -> RawTable:
    """A table whose delimiter is one of those that CSV files have.

    >>> next(csv_table(["word;label\\n", "tea;en\\n"], "drinks.csv").rows).cells["word"]
    'tea'
    """
    return RawTable(table_rows(lines, path), WRITTEN_CELLS)


def table_rows(lines: Iterable[str], path: str, delimiters: Sequence[str] = COMMA_LIKE) -> Iterator[Row]:
    """The rows of a table with a header, each checked to have as many cells as the header. Blank lines are skipped.

    The delimiter is the one of ``delimiters`` that splits the first lines into the most columns.

    >>> list(table_rows(["word;label\\n", "tea;en\\n"], "drinks.csv"))
    [Row(line=2, cells={'word': 'tea', 'label': 'en'})]
    """
    csv.field_size_limit(max(csv.field_size_limit(), LONGEST_CELL))  # only ever raised: others may count on a higher one
    lines = iter(lines)
    beginning = list(islice(lines, LINES_FOR_DELIMITER))
    delimiter = find_delimiter(beginning, delimiters)
    records = _numbered_records(chain(beginning, lines), path, delimiter)
    header = _header(next(records, None), path)
    rows = 0
    for line, cells in records:
        if len(cells) != len(header):
            raise _wrong_width(path, line, cells, header, delimiter)
        yield Row(line, dict(zip(header, cells, strict=True)))
        rows += 1
    if not rows:
        raise fault(
            path,
            f"a header ({listed(header)}) and no rows.",
            value=header,
            advice="The first line must name the columns, the rows follow.",
        )


def find_delimiter(beginning: Sequence[str], delimiters: Sequence[str]) -> str:
    """The delimiter that gives most columns in the header, and first of all one that gives as many in every row.

    >>> find_delimiter(["name;first, last\\n", "tea;a\\n"], (",", ";"))
    ';'
    """

    def widths(delimiter: str) -> list[int]:
        try:
            return [len(record) for record in csv.reader(beginning, delimiter=delimiter) if record]
        except csv.Error:
            return []

    def merit(delimiter: str) -> tuple[bool, int]:
        header, *rows = widths(delimiter) or [1]
        return all(width == header for width in rows[:-1] or rows), header  # the last row may be cut off

    splitting = [delimiter for delimiter in delimiters if max(widths(delimiter)[:1], default=1) > 1]
    return max(splitting, key=merit, default=delimiters[0])


def _numbered_records(lines: Iterable[str], path: str, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    reader = csv.reader(lines, delimiter=delimiter, strict=True)
    while True:
        line = reader.line_num + 1  # a record may span lines: it is known by its first
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as broken:
            raise fault(
                path,
                f"the row that begins here cannot be split into cells ({broken}).",
                line=line,
                value=str(broken),
                advice='Close every quote; write a quote inside a quoted cell twice: "a ""b"" c".',
            ) from None
        if cells:
            yield line, cells


def _header(record: tuple[int, list[str]] | None, path: str) -> list[str]:
    if record is None:
        raise fault(path, "the file is empty.", value="", advice="The first line must name the columns.")
    line, cells = record
    header = [cell.strip() for cell in cells]
    name, times = Counter(header).most_common(1)[0]
    if times > 1:
        raise fault(
            path, f"{times} columns are called {name!r}.", line=line, value=name, advice="Give every column its own name."
        )
    if all(written_number(name) is not None for name in header) and any("." in name for name in header):
        advice = "Put a first line with the names of the columns above them."
        raise fault(
            path, f"numbers ({listed(header)}) where the names of the columns should be.", line=line, value=cells, advice=advice
        )
    return header


def _wrong_width(path: str, line: int, cells: list[str], header: list[str], delimiter: str) -> InvalidFile:
    many = f"Put cells that contain {delimiter!r} in double quotes."
    few = f"Write an empty cell as nothing between two {delimiter!r}."
    return fault(
        path,
        f"{counted(len(cells), 'cell')} in {shown(delimiter.join(cells))}, but the header has {len(header)} ({listed(header)}).",
        line=line,
        value=cells,
        advice=many if len(cells) > len(header) else few,
    )


def written_number(cell: str) -> float | None:
    """The finite number that a text is, else None.

    >>> written_number(" 1.5e3 "), written_number("1_000"), written_number("NaN")
    (1500.0, None, None)
    """
    try:
        value = float(cell)
    except ValueError:
        return None
    return value if math.isfinite(value) and "_" not in cell else None  # Python reads 1_000, tables do not write it


def written_structure(cell: str) -> Any:
    """The JSON list or object that a text is, else None.

    >>> written_structure('["A", []]'), written_structure("tea"), written_structure("[tea")
    (['A', []], None, None)
    """
    try:
        return strict_json.parse(cell) if cell.lstrip()[:1] in ("[", "{") else None
    except ValueError:
        return None


def _pieces(cell: str) -> list[str]:
    return [piece for piece in re.split(r"\s*;\s*" if ";" in cell else r"\s+", cell.strip()) if piece]


def _series(cell: str) -> Floats | None:
    if cell.lstrip().startswith("["):
        values = written_structure(cell)
        return None if values is None else numeric_array(values)
    numbers = [written_number(piece) for piece in _pieces(cell)]
    return np.array(numbers, dtype=np.float64) if numbers and None not in numbers else None


def _members(cell: str) -> frozenset[Any] | None:
    members = written_structure(cell) if cell.lstrip().startswith("[") else _pieces(cell)
    return (
        None
        if not cell.strip() or members is None or any(isinstance(member, list | dict) for member in members)
        else frozenset(members)
    )


def _text(cell: str) -> str | None:
    return cell or None


def _label(cell: str) -> str | None:
    return cell if cell.strip() else None


WRITTEN_CELLS = CellReader(
    number=written_number,
    series=_series,
    text=_text,
    members=_members,
    structure=written_structure,
    label=_label,
    widest="strings",
)
