"""What the first rows of a table show about a column: the type of its cells, how they are written,
and whether they repeat.
"""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from itertools import pairwise
from typing import Any

from wideberth.errors import InvalidFile
from wideberth.io.readers.columns.layout import Layout
from wideberth.io.readers.columns.written_numbers import FORMATS, PLAIN, Writing, find_writing
from wideberth.io.readers.formats.delimited import parse_number
from wideberth.io.readers.records import CELL_TYPES, CellReader, CellType, Row, fault, is_empty
from wideberth.objects.sample import shown
from wideberth.wording import setting

# ---- Read the cells of one column in all rows of a batch, and report the first that cannot be
# read, with its line


@dataclass(frozen=True)
class CellColumns:
    r"""Reads the columns of one file.

    Parameters
    ----------
    path : str
        The file, for messages.
    layout : Layout
        Where objects and labels are.
    cells : CellReader
        How cells are read.
    unit : str, default="line"
        What the numbers of rows count, for messages.

    Examples
    --------
    >>> from wideberth.io.readers.formats.delimited import TEXT_CELLS
    >>> layout = Layout(
    ...     ("age", "city"), None, "rows", {"age": "number", "city": "text"}, all_columns=True
    ... )
    >>> CellColumns("people.csv", layout, TEXT_CELLS).numbers(
    ...     [Row(2, {"age": "30", "city": "Ulm"})], "age"
    ... )
    [30.0]
    """

    path: str
    layout: Layout
    cells: CellReader
    unit: str = "line"  # what the number of a row counts

    def column(
        self, rows: Sequence[Row], name: str, parse: Callable[[Any], Any], complaint: str = ""
    ) -> list[Any]:
        """Read the cells of one column.

        Parameters
        ----------
        rows : sequence of Row
            A batch.
        name : str
            The column.
        parse : callable
            Takes a cell and returns its value, or None if it cannot be read.
        complaint : str
            What the message says about a filled cell that cannot be read.

        Returns
        -------
        list

        Raises
        ------
        InvalidFile
            With the line of the first cell that cannot be read.
        """
        values = [parse(row.cells.get(name)) for row in rows]
        for row, value in zip(rows, values, strict=True):
            if value is None:
                raise self._cell_error(row, name, complaint)
        return values

    def numbers(self, rows: Sequence[Row], name: str) -> list[float]:
        """Read a column of numbers, as the layout says that they are written."""
        return self.column(
            rows, name, self.layout.number_reader(name, self.cells), "is not a number"
        )

    def fault(self, row: Row, problem: str, value: Any, advice: str) -> InvalidFile:
        """The error for a problem in a row."""
        return fault(self.path, problem, line=row.line, value=value, advice=advice, unit=self.unit)

    def _cell_error(self, row: Row, name: str, complaint: str) -> InvalidFile:
        """The error for a cell that cannot be read: an empty one, a missing one, or one of another
        type.
        """
        cell, option = row.cells.get(name), self._option(name)
        if is_empty(cell) or (option != "column" and str(cell).isspace()):
            problem = f"column {name!r} is {'empty' if name in row.cells else 'missing'}."
            advice = (
                "Fill it in or remove the row, or name another column with "
                f"{setting(option, shown='...')}"
            )
        else:
            problem = f"{shown(cell)} in column {name!r} {complaint}{self._as_written(name)}."
            plainly = (
                "Write it with the digits 0 to 9, '-' and no spaces. "
                if self.cells.disguised(cell)
                else ""
            )
            advice = f"{plainly}Correct it or remove the row, {self._alternative(option)}"
        return self.fault(row, problem, cell, advice)

    def _option(self, name: str) -> str:
        """The option that names a column for its purpose."""
        purposes = {
            self.layout.target: "target",
            self.layout.weight: "weight",
            self.layout.groups: "groups",
        }
        return "column" if name in self.layout.columns else purposes.get(name, "column")

    def _as_written(self, name: str) -> str:
        """How the other numbers of a column are written, where that is not plain."""
        writing = self.layout.writings.get(name)
        if writing is None or not writing.formats:
            return ""
        return f" as the others are written ({writing.formats[0].example}{' %' * writing.percent})"

    def _alternative(self, option: str) -> str:
        """How else the file could be read: the end of the advice about a cell that has the wrong
        type.
        """
        if option != "column":
            return f"or name another column with {setting(option, shown='...')}"
        if self.layout.kind == "rows":
            return (
                "or empty the cell if it is unknown, or name the columns of numbers with "
                f"{setting('numbers', shown='[...]')}; the others are text."
            )
        if len(self.layout.columns) == 1:
            return (
                f"or pass {setting('kind', self.cells.fallback_kind)} to take the cells as they "
                "are."
            )
        return (
            f"or name the columns to read with {setting('column', shown='...')} Numbers are "
            "finite, with a point before the decimals unless the first rows have commas or "
            f"{setting('numbers', shown='{...}')} says so."
        )


#: Rows from which on it says something that no value of a column repeats.
ENOUGH_ROWS = 20
#: Free text has at least so many characters and words in a cell, on average, and most cells are
#: different.
_LONG, _WORDS = 25, 4
#: The share of different cells from which on a column of text does not divide the rows into groups.
_NEARLY_ALL = 0.9
#: The most values of a column that may be labels.
_MOST_LABELS = 20
#: Pairs of words that stand for yes and no.
_TRUTHS = (
    "yes no",
    "true false",
    "ja nein",
    "oui non",
    "si no",
    "sí no",
    "y n",
    "j n",
    "t f",
    "on off",
    "wahr falsch",
)
TRUTH_WORDS = tuple(frozenset(pair.split()) for pair in _TRUTHS)
_UUID = re.compile(r"\{?[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}\}?")
_ID = r"ids?|uuid|guid|key|index|idx|nr|no\.?|num|rowid|rownames|accession|record|unnamed: 0|#"
_IDENTIFIER = re.compile(rf"(?:.*[\s_.-])?(?:{_ID})|(?:id|uuid|guid|nr)[\s_.-].*", re.IGNORECASE)
_CAMEL_IDENTIFIER = re.compile(r".*[a-z0-9](?:Id|ID|Uuid|UUID|Nr|Key)")
_NAME = re.compile(r"(?:.*[\s_.-])?(?:names?|title)", re.IGNORECASE)
_CAMEL_NAME = re.compile(r".*[a-z0-9]Name")


@dataclass(frozen=True)
class ColumnFacts:
    """What the first rows show about one column.

    Attributes
    ----------
    name : str
        The column.
    filled : list
        Its filled cells.
    n_rows : int
        How many rows were looked at.
    type : str
        What most of the filled cells are; ``"text"`` for a column without any.
    writing : Writing
        How numbers in text are written.

    Examples
    --------
    >>> from wideberth.io.readers.formats.delimited import TEXT_CELLS
    >>> facts = column_facts(
    ...     [Row(line, {"size": cell}) for line, cell in enumerate(["1,5", "2", "3o"])],
    ...     "size",
    ...     TEXT_CELLS,
    ... )
    >>> facts.type, facts.writing.why, facts.repeats
    ('number', 'decimal commas: 1,5 is 1.5', False)
    """

    name: str
    filled: list[Any]
    n_rows: int
    type: CellType
    writing: Writing

    @cached_property
    def n_distinct(self) -> int:
        """How many different cells there are; lists and dicts count as different."""
        plain = [
            cell.strip() if isinstance(cell, str) else cell
            for cell in self.filled
            if not isinstance(cell, list | dict)
        ]
        try:
            return len(set(plain)) + len(self.filled) - len(plain)
        except TypeError:  # arrays, which are different for our purposes
            return len(self.filled)

    @property
    def repeats(self) -> bool:
        """Whether some cell is there twice."""
        return self.n_distinct < len(self.filled)

    @property
    def is_constant(self) -> bool:
        """Whether all of several rows have the same value."""
        return self.n_rows > 1 and len(self.filled) == self.n_rows and self.n_distinct == 1

    @property
    def is_date(self) -> bool:
        """Whether the cells are dates."""
        if (
            self.filled
            and self.type == "number"
            and all(isinstance(cell, date) for cell in self.filled)
        ):
            return True
        return self.type == "number" and any(found.is_date for found in self.writing.formats)

    @cached_property
    def is_truth(self) -> bool:
        """Whether the cells are truth values, or words such as yes and no."""
        words = {str(cell).strip().casefold() for cell in self.filled[: 2 * ENOUGH_ROWS]}
        if not words or not any(words <= pair for pair in TRUTH_WORDS):
            return False
        return all(
            any(str(cell).strip().casefold() in pair for pair in TRUTH_WORDS)
            for cell in self.filled
        )

    @property
    def is_unlike(self) -> bool:
        """Whether a column of text has another value in nearly every one of many rows: no two rows
        would be alike in it.
        """
        return (
            self.type == "text"
            and len(self.filled) >= ENOUGH_ROWS
            and self.n_distinct >= _NEARLY_ALL * len(self.filled)
        )

    @property
    def is_free_text(self) -> bool:
        """Whether the cells are sentences rather than the names of categories."""
        if self.type != "text" or not self.filled or 2 * self.n_distinct <= len(self.filled):
            return False
        texts = [cell for cell in self.filled if isinstance(cell, str)]
        words = sum(len(text.split()) for text in texts)
        return sum(map(len, texts)) >= _LONG * len(texts) and words >= _WORDS * len(texts) > 0

    @property
    def could_be_labels(self) -> bool:
        """Whether the cells are few different words or whole numbers."""
        few = 0 < self.n_distinct <= min(_MOST_LABELS, max(2, len(self.filled) // 2))
        return few and (
            self.type == "text" or (self.type == "number" and not self.is_date and self.is_whole())
        )

    @property
    def identifies(self) -> str | None:
        """Why the column identifies the rows rather than describing them; None if it does not.

        Its values are all different, and it is called like an identifier, its cells are UUIDs, or
        they are whole numbers that only increase from row to row.
        """
        if (
            self.repeats
            or len(self.filled) < self.n_rows
            or self.type not in ("number", "text")
            or self.is_date
        ):
            return None
        if not self.name:
            return "without a name, as pandas writes its index" if self.is_whole() else None
        if _IDENTIFIER.fullmatch(self.name) or _CAMEL_IDENTIFIER.fullmatch(self.name):
            return (
                "its name and its values, all different"
                if self.type == "text" or self.is_whole()
                else None
            )
        if self.type == "text" and all(
            isinstance(cell, str) and _UUID.fullmatch(cell.strip()) for cell in self.filled
        ):
            return "UUIDs"
        counts_up = self.n_rows >= ENOUGH_ROWS and self.is_whole() and self._increases()
        return "whole numbers that increase from row to row" if counts_up else None

    @property
    def names_rows(self) -> bool:
        """Whether the column is called a name and has another text in every row: the names of the
        rows, or the objects.
        """
        called = _NAME.fullmatch(self.name) or _CAMEL_NAME.fullmatch(self.name)
        return (
            bool(called)
            and self.type == "text"
            and len(self.filled) == self.n_rows
            and not self.repeats
        )

    def plain_numbers(self) -> list[float] | None:
        """The numbers in the filled cells; None if one of them is no number."""
        parse = parse_number if self.writing.is_plain else self.writing.parse
        numbers: list[Any] = [
            parse(cell) if isinstance(cell, str) else cell for cell in self.filled
        ]
        return numbers if all(isinstance(number, int | float) for number in numbers) else None

    def is_whole(self) -> bool:
        """Whether all cells are whole numbers."""
        numbers = self.plain_numbers()
        return (
            numbers is not None
            and not self.writing.percent
            and all(float(number).is_integer() for number in numbers)
        )

    def _increases(self) -> bool:
        numbers = self.plain_numbers() or []
        return all(one < other for one, other in pairwise(numbers))


def column_facts(
    rows: Sequence[Row], name: str, cells: CellReader, declared: CellType | None = None
) -> ColumnFacts:
    """Gather the facts about one column.

    The type is that of most filled cells; of two types that are equally frequent, the wider one.
    One misprint must not turn a column of numbers into text: it is reported later, when the rows
    are converted.

    Parameters
    ----------
    rows : sequence of Row
        The first rows of a file.
    name : str
        The column.
    cells : CellReader
        How its cells are read.
    declared : str, optional
        The type that the file itself declares.

    Returns
    -------
    ColumnFacts

    Examples
    --------
    >>> from wideberth.io.readers.formats.delimited import TEXT_CELLS
    >>> column_facts([Row(2, {"day": "2024-02-29"})], "day", TEXT_CELLS).is_date
    True
    """
    filled = [row.cells[name] for row in rows if not is_empty(row.cells.get(name))]
    texts = [cell for cell in filled if isinstance(cell, str)]
    if declared is not None:
        return ColumnFacts(
            name,
            filled,
            len(rows),
            declared,
            Writing((FORMATS[PLAIN],) if declared == "number" else ()),
        )
    writing = find_writing(texts, dates_only=cells.has_numbers) if texts else Writing(())
    if (
        writing.is_plain
        and len(texts) == len(filled)
        and all(cells.number(cell) is not None for cell in texts)
    ):
        return ColumnFacts(
            name, filled, len(rows), "number", writing
        )  # the usual case, and the fastest
    counts = Counter(
        "number" if writing.parse(cell) is not None else cells.cell_type(cell) for cell in filled
    )
    most = (
        max(CELL_TYPES, key=lambda cell_type: (counts[cell_type], CELL_TYPES.index(cell_type)))
        if counts
        else "text"
    )
    return ColumnFacts(name, filled, len(rows), most, writing)
