"""Read workbooks (.xlsx): one sheet as a table, with openpyxl, which the extra
``wideberth[tables]`` installs.

A workbook is a zip archive of XML. What it unpacks to is limited before anything is parsed,
definitions of entities are refused, and rows are read one after the other, so that neither a small
archive nor a cell far away can fill the memory.
"""

import io
import re
import warnings
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from datetime import date, datetime, time, timedelta
from itertools import chain, islice, takewhile
from typing import Any
from zipfile import ZipFile

from wideberth.errors import InvalidFile, MissingExtra, warn_user
from wideberth.extras import import_extra
from wideberth.io.readers.formats.delimited import are_named, parse_number, parse_structure
from wideberth.io.readers.formats.json_lines import JSON_CELLS
from wideberth.io.readers.records import (
    Cell,
    RawTable,
    ReadOptions,
    Row,
    Rows,
    check_exists,
    distinct_names,
    fault,
    listed,
    place,
)
from wideberth.io.readers.source import Format, Source, too_large
from wideberth.objects.sample import days_of, half_character, shown
from wideberth.wording import setting

#: The last row that a sheet can have.
LAST_ROW = 1_048_576
#: Rows from which titles above the names of the columns are seen.
_ROWS_FOR_TITLES = 20
#: The most parts of an archive: a workbook has a few for each sheet.
MOST_PARTS = 10_000
#: Bytes at the beginning of each part that are searched for a definition of entities, which comes
#: first.
HEAD = 1 << 16
_DEFINITIONS = tuple(
    "<!DOCTYPE".encode(encoding) for encoding in ("utf-8", "utf-16-le", "utf-16-be")
)
#: What a cell shows whose formula failed.
#: What a formula says for a value that is missing: the only such word that is no mistake.
NOT_AVAILABLE = "#N/A"
_ERRORS = re.compile(r"#(?:NULL!|DIV/0!|VALUE!|REF!|NAME\?|NUM!|N/A|SPILL!|CALC!)")


def workbook_table(source: Source, options: ReadOptions) -> RawTable:
    """Read a sheet of a workbook as a table: its first row that is not empty names the columns.

    Formulas count as the value that the program which wrote the file computed. Dates are days since
    1970-01-01.
    """
    with _damage_reported(source.path):
        _check_archive(source.path, source.max_size)
    return RawTable(_rows(source.path, options.sheet), WORKBOOK_CELLS, unit="row")


def _check_archive(path: str, max_size: int) -> None:
    """Refuse an archive that unpacks to too much (no more than it declares is ever unpacked) or
    defines entities.
    """
    with ZipFile(path) as archive:
        parts = archive.infolist()
        if (size := sum(part.file_size for part in parts)) > max_size:
            raise too_large(path, max_size, size)
        if len(parts) > MOST_PARTS:
            advice = "Save the sheet alone in a new workbook."
            raise fault(path, f"{len(parts):,} parts in the workbook.", advice, value=len(parts))
        for part in parts:
            with archive.open(part) as stream:
                head = stream.read(HEAD)
            if any(definition in head for definition in _DEFINITIONS):
                problem = (
                    f"the part {shown(part.filename)} defines entities, which no workbook needs."
                )
                raise fault(path, problem, "Save the workbook again.", value=part.filename)


def _rows(path: str, sheet: str | None) -> Rows:
    with _damage_reported(path), closing(_workbook(path)) as workbook:
        rows = _without_titles(_filled_rows(_sheet(workbook, sheet, path), path), path)
        header = _header(next(rows, None), path)
        found = False
        for number, values in rows:
            found = True
            problem = _problem(values, header)
            if problem:
                advice = "Correct it or remove the row; empty the cell if its value is unknown."
                yield fault(path, problem, advice, line=number, value=values, unit="row")
                continue
            cells = values[: len(header)] + [None] * (len(header) - len(values))
            yield Row(
                number,
                {name: cell for name, cell in zip(header, cells, strict=True) if name is not None},
            )
        if not found:
            names = [name for name in header if name is not None]
            advice = "The first row must name the columns, the rows follow."
            raise fault(path, f"a header ({listed(names)}) and no rows.", advice, value=names)


def _without_titles(
    rows: Iterator[tuple[int, list[Any]]], path: str
) -> Iterator[tuple[int, list[Any]]]:
    """The rows from that of the names on: titles above it, rows of one cell, are told."""
    first = list(islice(rows, _ROWS_FOR_TITLES))
    width = max((len(cells) for _, cells in first), default=0)
    wide = [cells + [None] * (width - len(cells)) for _, cells in first]
    n_titles = sum(1 for _ in takewhile(lambda row: len(row[1]) < 2, first))
    if 0 < n_titles < len(first) and are_named(wide[n_titles:]):
        warn_user(
            f"{place(path)}: {shown(str(first[0][1][0]))} is read as a title, and row "
            f"{first[n_titles][0]} as the names of the columns.",
            UserWarning,
        )
        first = first[n_titles:]
    return chain(first, rows)


def _workbook(path: str) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about styles and other parts that are not read
        return import_extra("openpyxl", "tables").load_workbook(
            path, read_only=True, data_only=True, keep_links=False
        )


def _sheet(workbook: Any, named: str | None, path: str) -> Any:
    """The sheet that was named, or the only one with cells."""
    sheets = {sheet.title: sheet for sheet in workbook.worksheets}
    if named is not None:
        check_exists(named, list(sheets), path, noun="sheet")
        return sheets[named]
    filled = [
        name for name, sheet in sheets.items() if next(_filled_rows(sheet, path), None) is not None
    ]
    if len(filled) > 1:
        advice = f"Name one: {setting('sheet', filled[0])}."
        raise fault(
            path, f"{len(filled)} sheets have cells: {listed(filled)}.", advice, value=filled
        )
    if not filled:
        raise fault(
            path, "no sheet has cells.", "The first row must name the columns.", value=list(sheets)
        )
    return sheets[filled[0]]


def _filled_rows(sheet: Any, path: str) -> Iterator[tuple[int, list[Any]]]:
    """The rows that are not empty, with their numbers, without the empty cells at their ends."""
    sheet.reset_dimensions()  # what a file declares need not be so
    for number, row in enumerate(sheet.iter_rows(values_only=True), start=1):
        if number > LAST_ROW:
            advice = f"A sheet has at most {LAST_ROW:,} rows. Save the workbook again."
            raise fault(
                path,
                "a row beyond the end of a sheet.",
                advice,
                line=number,
                value=number,
                unit="row",
            )
        values = [None if cell == "" else cell for cell in row]
        while values and values[-1] is None:
            values.pop()
        if values:
            yield number, values


def _header(row: tuple[int, list[Any]] | None, path: str) -> list[str | None]:
    """The names of the columns, None for columns without a name."""
    assert row is not None, "a sheet without cells is refused before"
    number, cells = row
    names = [None if cell is None else str(cell).strip() for cell in cells]
    distinct = iter(distinct_names([name for name in names if name is not None], path))
    names = [None if name is None else next(distinct) for name in names]
    if all(isinstance(cell, int | float | date) for cell in cells if cell is not None):
        problem = (
            f"numbers ({listed([str(cell) for cell in cells])}) where the names of the columns "
            "should be."
        )
        raise fault(
            path,
            problem,
            "Put a row with the names above them.",
            line=number,
            value=cells,
            unit="row",
        )
    return names


def _problem(values: list[Any], header: list[str | None]) -> str | None:
    """What is wrong with a row; None if nothing is."""
    for position, value in enumerate(values):
        if value is None:
            continue
        if position >= len(header) or header[position] is None:
            return (
                f"{shown(value)} in column {position + 1}, which has no name; "
                f"{listed([name for name in header if name is not None])} have one."
            )
        if (
            isinstance(value, str)
            and value != NOT_AVAILABLE
            and (_ERRORS.fullmatch(value) or half_character(value))
        ):
            return f"{shown(value)} in column {header[position]!r} is not a value."
    return None


@contextmanager
def _damage_reported(path: str) -> Iterator[None]:
    """Turn all errors about a damaged archive or damaged XML into `InvalidFile`."""
    try:
        yield
    except (InvalidFile, MissingExtra, MemoryError):
        raise
    except Exception as broken:  # zipfile, expat and openpyxl may raise anything on damaged bytes
        reason = str(broken).splitlines()[0] if str(broken) else type(broken).__name__
        advice = (
            "Save it again as .xlsx, or as .csv. Workbooks with a password and .xls files are not "
            "read."
        )
        raise fault(path, f"the workbook is damaged, or not one ({reason}).", advice) from None


def _number(cell: Cell) -> float | None:
    if isinstance(cell, date):
        return days_of(cell)
    if isinstance(cell, time):
        return (datetime.combine(date.min, cell) - datetime.min) / timedelta(days=1)
    if isinstance(cell, timedelta):
        return cell / timedelta(days=1)
    return parse_number(cell) if isinstance(cell, str) else JSON_CELLS.number(cell)


def _structure(cell: Cell) -> Any:
    return parse_structure(cell) if isinstance(cell, str) else None


WORKBOOK_CELLS = replace(
    JSON_CELLS, number=_number, structure=_structure, fallback_kind="strings", has_numbers=False
)


def _example() -> bytes:
    """A workbook with labels."""
    workbook, stream = import_extra("openpyxl", "tables").Workbook(), io.BytesIO()
    for row in (("word", "label"), ("tea", "en"), ("lait", "fr")):
        workbook.active.append(row)
    workbook.save(stream)
    return stream.getvalue()


XLSX = Format(
    name="a workbook",
    endings=(".xlsx", ".xlsm"),
    of_file=workbook_table,
    needs=("openpyxl", "tables"),
    has_sheets=True,
    example=_example,
)
