"""Read tables of text: a header, then rows of cells, each with the line on which it begins.

The format of .csv files is here, whatever separates their cells. That of .tsv and .tab files is in
`wideberth.io.readers.formats.ucr_archive`, since some hold time series; the others are read by
`table_rows` of this module.
"""

import csv
import math
import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import chain, compress, islice, takewhile
from typing import Any

import numpy as np

from wideberth.array_types import Floats
from wideberth.errors import InvalidFile, warn_user
from wideberth.io import strict_json
from wideberth.io.readers.records import (
    MOST_COMPARED,
    TARGET_NAMES,
    CellReader,
    RawTable,
    Row,
    Rows,
    counted,
    distinct_names,
    fault,
    listed,
    majority_type,
    numeric_array,
    place,
)
from wideberth.io.readers.source import Format
from wideberth.objects.sample import shown
from wideberth.wording import setting

# ---- Read the cells of tables of text: numbers, series, sets and structures, written as text

# all but tabs and line breaks; Python counts some of them among the spaces
_CONTROLS = re.compile(r"[\0-\x08\x0b\x0c\x0e-\x1f]")
_MINUS = str.maketrans("\u2212", "-")


def parse_number(cell: str) -> float | None:
    """Parse a finite number.

    Examples
    --------
    >>> parse_number(" 1.5e3 "), parse_number("1_000"), parse_number("NaN"), parse_number("١٢")
    (1500.0, None, None, None)
    """
    try:
        value = float(cell)
    except ValueError:
        return None
    return value if math.isfinite(value) and written_plainly(cell) else None


def written_plainly(text: str) -> bool:
    r"""Whether numbers are written with the digits 0 to 9 and plain spaces, as the standards of all
    formats have it.

    Python also takes digits of other scripts, no-break spaces and control characters around a
    number, and underscores in it.

    Examples
    --------
    >>> (
    ...     written_plainly(" 1.5"),
    ...     written_plainly("١٢"),
    ...     written_plainly("12\xa0"),
    ...     written_plainly("1_000"),
    ... )
    (True, False, False, False)
    """
    return text.isascii() and "_" not in text and (text.isprintable() or not _CONTROLS.search(text))


def is_disguised_number(cell: str) -> bool:
    r"""Whether a cell is a number for a reader, but not for a program: with digits of another
    script or no-break spaces.

    Such cells count as numbers when the type of a column is decided, so that a column of them is
    not taken for text, and are reported when the rows are converted.

    Examples
    --------
    >>> (
    ...     is_disguised_number("١٢"),
    ...     is_disguised_number("1\u202f000"),
    ...     is_disguised_number("−5"),
    ...     is_disguised_number("12"),
    ... )
    (True, True, True, False)
    """
    if cell.isascii():
        return False
    plain = "".join(cell.translate(_MINUS).split())
    return (
        "_" not in plain
        and parse_number("".join(str(unicodedata.decimal(letter, letter)) for letter in plain))
        is not None
    )


def parse_structure(cell: str) -> Any:
    """Parse a JSON list or object.

    Examples
    --------
    >>> parse_structure('["A", []]'), parse_structure("tea"), parse_structure("[tea")
    (['A', []], None, None)
    """
    try:
        return strict_json.parse_data(cell) if cell.lstrip()[:1] in ("[", "{") else None
    except ValueError:
        return None


def _split_cell(cell: str) -> list[str]:
    """The parts of a cell between semicolons if it has any, otherwise between spaces."""
    return [
        piece for piece in re.split(r"\s*;\s*" if ";" in cell else r"\s+", cell.strip()) if piece
    ]


def _series(cell: str) -> Floats | None:
    if cell.lstrip().startswith("["):
        values = parse_structure(cell)
        return None if values is None else numeric_array(values)
    if not written_plainly(cell):  # a no-break space does not separate numbers
        return None
    numbers = [parse_number(piece) for piece in _split_cell(cell)]
    return np.array(numbers, dtype=np.float64) if numbers and None not in numbers else None


def _members(cell: str) -> frozenset[Any] | None:
    """The members of a set: of a JSON list without lists or objects in it, or the parts of the
    cell.
    """
    members = parse_structure(cell) if cell.lstrip().startswith("[") else _split_cell(cell)
    if (
        not cell.strip()
        or members is None
        or any(isinstance(member, list | dict) for member in members)
    ):
        return None
    return frozenset(members)


def _text(cell: str) -> str | None:
    return cell or None


def _label(cell: str) -> str | None:
    return cell if cell.strip() else None


TEXT_CELLS = CellReader(
    number=parse_number,
    series=_series,
    text=_text,
    members=_members,
    structure=parse_structure,
    label=_label,
    fallback_kind="strings",
    disguised=is_disguised_number,
)


# ---- Recognise a matrix of distances in a table without a header: zeros on its diagonal, and
# symmetric

#: The column of the names of the objects.
NAME = "name"
#: The fewest objects of a matrix that is taken for distances by its zeros and its symmetry.
FEWEST_IN_MATRIX = 3


def bare_matrix_header(rows: Sequence[Sequence[str]], complete: bool) -> list[str] | None:
    """Name the columns of a matrix of distances whose first line is a row of it rather than a
    header.

    Examples
    --------
    >>> bare_matrix_header([["0", "2", "1"], ["2", "0", "1"], ["1", "1", "0"]], complete=True)
    ['1', '2', '3']
    >>> bare_matrix_header(
    ...     [["a", "b", "c"], ["0", "2", "1"], ["2", "0", "1"], ["1", "1", "0"]], complete=True
    ... ) is None
    True
    """
    if len(rows) < FEWEST_IN_MATRIX or any(len(row) != len(rows[0]) for row in rows):
        return None
    for named in (False, True):
        width = len(rows[0]) - named
        if width < len(rows) or (complete and width != len(rows)):
            continue
        numbers = [
            [number_with_comma(cell) for cell in row[named : named + len(rows)]] for row in rows
        ]
        if all(number is not None for row in numbers for number in row) and are_distances(
            np.array(numbers, dtype=np.float64)
        ):
            return [
                *([NAME] if named else []),
                *(str(position) for position in range(1, width + 1)),
            ]
    return None


def number_with_comma(cell: str) -> float | None:
    """Parse a number with a decimal point or a decimal comma.

    Examples
    --------
    >>> number_with_comma("2.5"), number_with_comma("2,5"), number_with_comma("1.234,5")
    (2.5, 2.5, None)
    """
    return parse_number(cell.replace(",", ".")) if cell.count(",") == 1 else parse_number(cell)


def are_distances(block: np.ndarray) -> bool:
    """Whether a square block can only be one of distances: symmetric up to rounding, zeros on the
    diagonal, none negative.

    Examples
    --------
    >>> (
    ...     are_distances(np.array([[0.0, 1, 2], [1, 0, 3], [2, 3, 0]])),
    ...     are_distances(np.eye(3)),
    ...     are_distances(np.zeros((3, 3))),
    ... )
    (True, False, False)
    """
    if (
        len(block) < FEWEST_IN_MATRIX
        or np.diagonal(block).any()
        or not block.any()
        or not (block >= 0).all()
    ):
        return False
    return bool(np.isfinite(block).all() and np.allclose(block, block.T, rtol=1e-6, atol=0))


BLANK = " "
CSV_DELIMITERS = (",", ";", "\t", "|", BLANK)
LINES_FOR_DELIMITER = 50
ROWS_FOR_MATRIX = 50
# characters; without a limit one stray quote would pull the rest of a large file into memory
LONGEST_CELL = 1 << 26


def csv_table(lines: Iterable[str], path: str, header: bool | None = None) -> RawTable:
    r"""Read the lines of a CSV file, whatever its delimiter.

    Examples
    --------
    >>> next(csv_table(["word;label\n", "tea;en\n"], "drinks.csv").rows).cells["word"]
    'tea'
    """
    return RawTable(table_rows(lines, path, header=header), TEXT_CELLS)


def table_rows(
    lines: Iterable[str],
    path: str,
    delimiters: Sequence[str] = CSV_DELIMITERS,
    header: bool | None = None,
) -> Rows:
    r"""Yield the rows of a table with a header; ``header`` says whether it has one, otherwise that is
    seen where it is clear.

    Blank lines are skipped, and so are comments: lines that begin with #, above the header or with
    another number of cells. A header that is repeated further down is left out, with a warning.
    Quoted cells may contain line breaks. Without a header, as in a matrix of distances, columns are
    called 1, 2, 3..., and those of the names of a matrix "name".

    Examples
    --------
    >>> list(table_rows(["word;label\n", "tea;en\n"], "drinks.csv"))
    [Row(line=2, cells={'word': 'tea', 'label': 'en'})]
    """
    # never lowered: other code may rely on a higher limit
    csv.field_size_limit(max(csv.field_size_limit(), LONGEST_CELL))
    lines = iter(lines)
    beginning = list(islice(lines, LINES_FOR_DELIMITER))
    comments = _leading_comments(beginning, delimiters)
    if header is None:
        comments += _leading_titles(beginning[comments:], delimiters, path, comments)
    delimiter = find_delimiter(beginning[comments:], delimiters)
    records = _numbered_records(chain(beginning[comments:], lines), path, delimiter, comments)
    first = list(islice(records, ROWS_FOR_MATRIX))
    names, is_data = _names(first, path, header)
    # columns that are numbered may have a row like that
    numbered = all(parse_number(cell) is not None for cell in first[0][1])
    header_again = None if is_data or numbered or len(names) == 1 else first[0][1]
    n_rows = repeated = 0
    for line, cells in chain(first if is_data else first[1:], records):
        if len(cells) != len(names):
            if not cells[0].startswith("#"):
                yield _width_error(path, line, cells, names, delimiter)
        elif cells == header_again:
            repeated += 1
        else:
            yield Row(line, dict(zip(names, cells, strict=True)))
            n_rows += 1
    if not n_rows:
        raise fault(
            path,
            f"a header ({listed(names)}) and no rows.",
            "The first line must name the columns, the rows follow; if it is data, say so: "
            f"{setting('header', False)}.",
            value=names,
        )
    if repeated:
        times = "once" if repeated == 1 else f"{repeated:,} times"
        warn_user(
            f"{place(path)}: the header is repeated {times} below, which is left out.", UserWarning
        )


def _leading_comments(beginning: Sequence[str], delimiters: Sequence[str]) -> int:
    """How many lines before the header are comments. The last line that begins with # is the header
    if it has as many cells as the next one, which has a number.
    """
    n_lines = sum(1 for _ in takewhile(lambda line: line.startswith("#"), beginning))
    below = beginning[n_lines : n_lines + 1]
    if not n_lines or not below:
        return 0
    try:
        delimiter = find_delimiter(beginning[n_lines:], delimiters)
        head, next_cells = csv.reader([beginning[n_lines - 1], *below], delimiter=delimiter)
    except (csv.Error, ValueError):
        return n_lines
    if len(next_cells) == 1:  # a text may begin with #
        return n_lines if all(line.startswith("# ") for line in beginning[:n_lines]) else 0
    numbers = any(number_with_comma(cell) is not None for cell in next_cells)
    return n_lines - (len(head) == len(next_cells) and numbers)


#: Rows below the header that tell titles above it from a table of one column.
_FEWEST_BELOW_TITLES = 3


def _leading_titles(
    beginning: Sequence[str], delimiters: Sequence[str], path: str, above: int
) -> int:
    """How many lines before the header are titles, which are told: lines of one filled cell, and
    empty ones, above a row of names with numbers below one of them.
    """
    for delimiter in delimiters:
        reader = csv.reader(beginning, delimiter=delimiter)
        ends, rows = [], []
        with suppress(csv.Error):
            for cells in reader:
                rows.append([cell.strip() for cell in cells])
                ends.append(reader.line_num)
        n_titles = sum(1 for _ in takewhile(lambda cells: sum(map(bool, cells)) < 2, rows))
        if 0 < n_titles < len(rows) and are_named(rows[n_titles:]):
            title = next((cell for cells in rows for cell in cells if cell), "")
            warn_user(
                f"{place(path)}: {shown(title)} is read as a title, and line "
                f"{above + ends[n_titles - 1] + 1} as the names of the columns. If the first line "
                f"names them, say so: {setting('header', True)}.",
                UserWarning,
            )
            return ends[n_titles - 1]
    return 0


def are_named(rows: Sequence[Sequence[Any]]) -> bool:
    """Whether the first row of a table holds names, and others below one of them numbers, in rows as
    wide.

    >>> below = [["Ann", 35], ["Bob", 41], ["Cid", 29]]
    >>> are_named([["name", "age"], *below]), are_named([["Dan", 50], *below])
    (True, False)
    """
    texts = [["" if cell is None else str(cell).strip() for cell in cells] for cells in rows]
    head, *below = [cells for cells in texts if any(cells)] or [[]]
    below = below[:-1] if len(below) > _FEWEST_BELOW_TITLES else below  # it may be cut off
    if len(below) < _FEWEST_BELOW_TITLES or any(len(cells) != len(head) for cells in below):
        return False
    if any(number_with_comma(cell) is not None for cell in head):
        return False
    columns = zip(*below, strict=True)
    return any(
        2 * sum(number_with_comma(cell) is not None for cell in column) > len(column)
        for column in columns
    )


def _names(
    first: Sequence[tuple[int, list[str]]], path: str, header: bool | None
) -> tuple[list[str], bool]:
    """The names of the columns, and whether the first line is data."""
    rows = [cells for _, cells in first]
    if header is not True and (
        bare := bare_matrix_header(rows, complete=len(first) < ROWS_FOR_MATRIX)
    ):
        return bare, True
    is_data = header is False or (header is None and first_row_is_data(rows))
    if is_data and rows:
        if header is None:
            warn_user(
                f"{place(path)}: the first line is data, so that the columns are called 1, 2, 3 and "
                f"so on. If it names them, say so: {setting('header', True)}.",
                UserWarning,
            )
        return _numbers_as_names(len(rows[0])), True
    names = _header(first[0] if first else None, path)
    if rows[1:] and all(len(cells) == len(names) + 1 for cells in rows[1:]):
        names = ["", *names]  # R leaves out the name of the column of row names
    return names, False


def _numbers_as_names(count: int) -> list[str]:
    """What the columns of a table without a header are called."""
    return [str(position) for position in range(1, count + 1)]


#: Rows below the first that tell whether it is data.
_FEWEST_BELOW = 3
#: Words from which on a cell is a sentence rather than a name.
_SENTENCE = 4


def first_row_is_data(rows: Sequence[Sequence[str]]) -> bool:
    """Whether the first row of a table can only be data: it has numbers wherever the others have
    them, and decimals among them that are as large as those below, a value of its column, or a
    sentence as the others have. (Wavelengths and years name columns too.)

    Examples
    --------
    >>> first_row_is_data([["5.1", "setosa"], ["4.9", "setosa"], ["7.0", "other"], ["5", "b"]])
    True
    >>> first_row_is_data([["1", "2"], ["4.9", "3"], ["7.0", "3"], ["5", "3"]])
    False
    """
    head, *below = rows or [[]]
    if len(below) < _FEWEST_BELOW or any(len(cells) != len(head) for cells in below):
        return False
    if any(cell.strip().lower() in TARGET_NAMES for cell in head):
        return False
    columns = [[cell.strip() for cell in column] for column in zip(*below, strict=True)]
    of_numbers = [all(number_with_comma(cell) is not None for cell in cells) for cells in columns]
    above = [cell.strip() for cell in compress(head, of_numbers)]
    if not above or any(number_with_comma(cell) is None for cell in above):
        return False
    if any("." in cell or "," in cell for cell in above) and all(
        map(_is_among, above, compress(columns, of_numbers))
    ):
        return True
    texts = (
        (cell.strip(), cells)
        for cell, cells, numbers in zip(head, columns, of_numbers, strict=True)
        if not numbers and len(cell.strip()) > 1
    )
    return any(cells.count(cell) > 1 or _are_sentences([cell, *cells]) for cell, cells in texts)


def _is_among(cell: str, below: Sequence[str]) -> bool:
    """Whether a number is not much larger or smaller than those below it."""
    number = number_with_comma(cell)
    numbers = [each for text in below if (each := number_with_comma(text)) is not None]
    low, high = min(numbers), max(numbers)
    return number is not None and 2 * low - high <= number <= 2 * high - low


def _are_sentences(cells: Sequence[str]) -> bool:
    return all(len(cell.split()) >= _SENTENCE for cell in cells[:_SENTENCE])


def find_delimiter(beginning: Sequence[str], delimiters: Sequence[str]) -> str:
    r"""Find the delimiter of a table.

    One that gives every row as many cells as the header is preferred; among equals, the one that
    gives most columns. Blanks, which texts have too, only where nothing else splits the header and
    all rows are as wide, with numbers.

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
        # the last row may be cut off
        return all(width == header for width in rows[:-1] or rows), header

    splitting = [
        delimiter
        for delimiter in delimiters
        if delimiter != BLANK and max(widths(delimiter)[:1], default=1) > 1
    ]
    if not splitting and BLANK in delimiters and _blanks_separate(beginning):
        return BLANK
    return max(splitting, key=quality, default=delimiters[0])


#: Columns that a table separated by blanks has at least.
_COLUMNS_WITH_BLANKS = 3


def _blanks_separate(beginning: Sequence[str]) -> bool:
    """Whether lines are rows of a table separated by blanks, below a header: as wide as it, with a
    column of numbers. Fewer than three columns may be texts of two words.
    """
    header, *rows = [line.split() for line in beginning if line.strip()] or [[]]
    return (
        len(header) >= _COLUMNS_WITH_BLANKS
        and bool(rows)
        and all(len(row) == len(header) for row in rows)
        and all(parse_number(cell) is None for cell in header)
        and any(
            all(parse_number(cell) is not None for cell in column)
            for column in zip(*rows, strict=True)
        )
    )


def _numbered_records(
    lines: Iterable[str], path: str, delimiter: str, above: int
) -> Iterator[tuple[int, list[str]]]:
    """The cells of each row that is not blank, with the line on which it begins, below so many
    others.
    """
    reader = csv.reader(
        lines, delimiter=delimiter, skipinitialspace=delimiter == BLANK, strict=True
    )
    while True:
        line = above + reader.line_num + 1  # a record may span lines: messages name the first
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as broken:
            raise fault(
                path,
                f"the row that begins here cannot be split into cells ({broken}).",
                'Close every quote; write a quote inside a quoted cell twice: "a ""b"" c".',
                line=line,
                value=str(broken),
            ) from None
        if cells:
            yield line, cells


def _header(record: tuple[int, list[str]] | None, path: str) -> list[str]:
    """The names of the columns, after a check that they are different and are names rather than
    numbers.
    """
    if record is None:
        raise fault(path, "the file is empty.", "The first line must name the columns.", value="")
    line, cells = record
    if len(cells) > 1 and cells[0].startswith("#") and cells[0].strip() != "#":
        cells = [cells[0].lstrip("# "), *cells[1:]]
    header = [
        cell.strip() or f"column {place}" * (place > 1) for place, cell in enumerate(cells, start=1)
    ]
    if all(re.fullmatch(r"'[^']+'", name) for name in header):
        header = [name[1:-1] for name in header]
    header = distinct_names(header, path)
    if all(number_with_comma(name) is not None for name in header) and any(
        "." in name or "," in name for name in header
    ):
        advice = "Put a first line with the names of the columns above them."
        raise fault(
            path,
            f"numbers ({listed(header)}) where the names of the columns should be.",
            advice,
            line=line,
            value=cells,
        )
    return header


def _width_error(
    path: str, line: int, cells: list[str], header: list[str], delimiter: str
) -> InvalidFile:
    """The error for a row with another number of cells than the header."""
    many = f"Put cells that contain {delimiter!r} in double quotes."
    few = f"Write an empty cell as nothing between two {delimiter!r}."
    return fault(
        path,
        f"{counted(len(cells), 'cell')} in {shown(delimiter.join(cells))}, but the header has "
        f"{len(header)} ({listed(header)}).",
        many if len(cells) > len(header) else few,
        line=line,
        value=cells,
    )


# ---- Whether the first line of a table holds data rather than the names of columns

#: What to do about it.
_WAY_OUT = f"say so, {setting('header', False)}, or put a line that names the columns before it"


def value_in_header(rows: Sequence[Row], names: Sequence[str], table: RawTable) -> str | None:
    r"""Find a name of a column that several of its cells repeat, while nothing else in the header
    can only be a name.

    A name above numbers that is none itself can only be a name. Names of one letter, and those that
    columns of labels have, are often values too: 'y' above 'y' and 'n'.

    Examples
    --------
    >>> table = csv_table(
    ...     ["5.1,setosa\n", "4.9,setosa\n", "7.0,virginica\n", "5.0,setosa\n"],
    ...     "iris.csv",
    ...     header=True,
    ... )
    >>> value_in_header(list(table.rows), ["5.1", "setosa"], table)
    'setosa'
    """
    if (
        not _may_lack_header(table)
        or len(names) > MOST_COMPARED
        or any(name.lower() in TARGET_NAMES for name in names)
    ):
        return None
    repeated = [
        name
        for name in names
        if len(name) > 1 and sum(row.cells.get(name) == name for row in rows) > 1
    ]
    if not repeated:
        return None
    types = {name: majority_type(rows, name, table.cells) for name in names}
    fits = all(
        table.cells.cell_type(name) == types[name]
        for name in names
        if name and types[name] in ("number", "series")
    )
    texts = [name for name in repeated if types[name] == "text"]
    return texts[0] if fits and texts else None


def header_warning(value: str, path: str) -> str:
    """The warning about a header that has a value of its column.

    Examples
    --------
    >>> print(header_warning("setosa", "iris.csv"))
    iris.csv: the first line is read as the names of the columns, and 'setosa' in it is also a value of its column. ...
    """
    return (
        f"{place(path)}: the first line is read as the names of the columns, and {shown(value)} in "
        f"it is also a value of its column. If the file has no header, {_WAY_OUT}: otherwise its "
        "first object is lost."
    )


def header_hint(names: Sequence[str], table: RawTable, value: str | None) -> str:
    """What to add to the error about a column that is not there: where the names come from, if they
    look like data.

    Examples
    --------
    >>> str(header_hint(["5.1", "setosa"], csv_table([], "iris.csv"), None))
    'These names are the first line of the file: if that is data, say so, ...'
    >>> str(header_hint(["1", "2"], csv_table([], "iris.csv"), None))
    'Without a header columns are numbered: if the first line names them, say so, ...'
    """
    if _may_lack_header(table) and list(names) == _numbers_as_names(len(names)):
        return (
            "Without a header columns are numbered: if the first line names them, say so, "
            f"{setting('header', True)}."
        )
    if not _may_lack_header(table) or (
        value is None and all(TEXT_CELLS.number(name) is None for name in names)
    ):
        return ""
    return f"These names are the first line of the file: if that is data, {_WAY_OUT}."


def _may_lack_header(table: RawTable) -> bool:
    return table.cells is TEXT_CELLS and table.column is None and not table.types


CSV = Format(
    name="a CSV file",
    endings=(".csv",),
    of_lines=csv_table,
    has_header=True,
    example=b"word,label\ntea,en\nlait,fr\n",
)
