"""Read tables of text (CSV and TSV): a header, then rows of cells, each with the line on which it begins."""

import csv
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice

from wideberth.errors import InvalidFile
from wideberth.io.readers.faults import Report, counted, fault, listed, raised
from wideberth.io.readers.formats.bare_matrices import bare_matrix_header, number_with_comma
from wideberth.io.readers.formats.text_cells import TEXT_CELLS
from wideberth.io.readers.tables import RawTable, Row
from wideberth.objects.sample import shown

CSV_DELIMITERS = (",", ";", "\t", "|")
LINES_FOR_DELIMITER = 50
ROWS_FOR_MATRIX = 50
LONGEST_CELL = 1 << 26  # characters; without a limit one stray quote would pull the rest of a large file into memory


def csv_table(lines: Iterable[str], path: str, report: Report = raised) -> RawTable:
    r"""Read the lines of a CSV file, whatever its delimiter.

    Parameters
    ----------
    lines : iterable of str
        The lines with their line breaks.
    path : str
        The file, for messages.
    report : callable
        Takes the error about a record that cannot be read, and raises it or returns so that reading goes on.

    Returns
    -------
    RawTable

    Examples
    --------
    >>> next(csv_table(["word;label\n", "tea;en\n"], "drinks.csv").rows).cells["word"]
    'tea'
    """
    return RawTable(table_rows(lines, path, report=report), TEXT_CELLS)


def table_rows(
    lines: Iterable[str], path: str, delimiters: Sequence[str] = CSV_DELIMITERS, report: Report = raised
) -> Iterator[Row]:
    r"""Yield the rows of a table with a header.

    Blank lines are skipped, and quoted cells may contain line breaks. A matrix of distances needs no header; its columns are
    then called 1, 2, 3..., and those of its names "name".

    Parameters
    ----------
    lines, path, report
        As for `csv_table`; a row with too many or too few cells is such a record.
    delimiters : sequence of str
        The delimiters that the file may have; `find_delimiter` chooses on the first lines.

    Yields
    ------
    Row
        With as many cells as the header has names.

    Raises
    ------
    InvalidFile
        If the file has no header or no rows, if names repeat, if a quote is not closed, or if a row has too many or too few
        cells.

    Examples
    --------
    >>> list(table_rows(["word;label\n", "tea;en\n"], "drinks.csv"))
    [Row(line=2, cells={'word': 'tea', 'label': 'en'})]
    """
    csv.field_size_limit(max(csv.field_size_limit(), LONGEST_CELL))  # never lowered: other code may rely on a higher limit
    lines = iter(lines)
    beginning = list(islice(lines, LINES_FOR_DELIMITER))
    delimiter = find_delimiter(beginning, delimiters)
    records = _numbered_records(chain(beginning, lines), path, delimiter)
    first = list(islice(records, ROWS_FOR_MATRIX))
    bare = bare_matrix_header([cells for _, cells in first], complete=len(first) < ROWS_FOR_MATRIX)
    header = bare or _header(first[0] if first else None, path)
    rows = 0
    for line, cells in chain(first if bare else first[1:], records):
        if len(cells) != len(header):
            report(_width_error(path, line, cells, header, delimiter))
            continue
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
    r"""Find the delimiter of a table.

    One that gives every row as many cells as the header is preferred; among equals, the one that gives most columns.

    Parameters
    ----------
    beginning : sequence of str
        The first lines; the last may be the beginning of a longer row.
    delimiters : sequence of str
        The candidates; the first is the answer if none of them occurs in the header.

    Returns
    -------
    str

    Examples
    --------
    >>> find_delimiter(["name;first, last\n", "tea;a\n"], (",", ";"))
    ';'
    """

    def widths(delimiter: str) -> list[int]:
        try:
            return [len(record) for record in csv.reader(beginning, delimiter=delimiter) if record]
        except csv.Error:
            return []

    def quality(delimiter: str) -> tuple[bool, int]:
        header, *rows = widths(delimiter) or [1]
        return all(width == header for width in rows[:-1] or rows), header  # the last row may be cut off

    splitting = [delimiter for delimiter in delimiters if max(widths(delimiter)[:1], default=1) > 1]
    return max(splitting, key=quality, default=delimiters[0])


def _numbered_records(lines: Iterable[str], path: str, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """The cells of each row that is not blank, with the line on which it begins."""
    reader = csv.reader(lines, delimiter=delimiter, strict=True)
    while True:
        line = reader.line_num + 1  # a record may span lines: messages name the first
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
    """The names of the columns, after a check that they are different and are names rather than numbers."""
    if record is None:
        raise fault(path, "the file is empty.", value="", advice="The first line must name the columns.")
    line, cells = record
    header = [cell.strip() for cell in cells]
    name, times = Counter(header).most_common(1)[0]
    if times > 1:
        raise fault(
            path, f"{times} columns are called {name!r}.", line=line, value=name, advice="Give every column its own name."
        )
    if all(number_with_comma(name) is not None for name in header) and any("." in name or "," in name for name in header):
        advice = "Put a first line with the names of the columns above them."
        raise fault(
            path, f"numbers ({listed(header)}) where the names of the columns should be.", line=line, value=cells, advice=advice
        )
    return header


def _width_error(path: str, line: int, cells: list[str], header: list[str], delimiter: str) -> InvalidFile:
    """The error for a row with another number of cells than the header."""
    many = f"Put cells that contain {delimiter!r} in double quotes."
    few = f"Write an empty cell as nothing between two {delimiter!r}."
    return fault(
        path,
        f"{counted(len(cells), 'cell')} in {shown(delimiter.join(cells))}, but the header has {len(header)} ({listed(header)}).",
        line=line,
        value=cells,
        advice=many if len(cells) > len(header) else few,
    )
