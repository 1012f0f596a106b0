r"""What a column holds: its type, whether it identifies rows or names categories, and how its
numbers are written: decimal commas, thousands separators, percentages, dates.

A way of writing is named by an example, which the caller can pass as ``numbers={"price": "1,5"}``
where the cells leave it open: 1,234 may be a little more than one or more than a thousand, and
01/02/2024 a day of January or of February.
"""

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cached_property, partial
from typing import Any, NamedTuple

from wideberth.errors import UnknownName
from wideberth.io.readers.formats.delimited import parse_number
from wideberth.io.readers.missing import MissingWords, in_column, is_missing
from wideberth.io.readers.records import (
    CELL_TYPES,
    CellReader,
    CellType,
    Row,
    fault,
    listed,
)
from wideberth.objects.sample import EPOCH, shown
from wideberth.wording import setting

# ---- How numbers and dates are written

PLAIN = "1.5"
_SPACED, _SPACED_COMMA = "1 234.5", "1 234,5"
#: Codes have as many digits in each row, some of them zeros in front: postal codes, but not months.
_CODE = re.compile(r"[0-9]{4,}")
_BRACKETS = re.compile(r"\((?P<number>[^()-]*[0-9][^()-]*)\)")
#: Characters of the longest cell that may be a number or a date in another format.
LONGEST_NUMBER = 400
_MONTH_NAMES = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTHS = {name: number for number, name in enumerate(_MONTH_NAMES, start=1)}
_TIME = r"(?:[T ](?P<hour>\d{1,2}):(?P<minute>\d{2})(?::(?P<second>\d{2}(?:\.\d+)?))?(?P<zone>Z|[+-]\d{2}:?\d{2})?)?"
_PERCENT = re.compile(r"(?P<number>.*[0-9])\s?%", re.DOTALL)


class NumberFormat(NamedTuple):
    """A way to write numbers or dates."""

    example: str  # a number or date that is written so: the name of the format
    pattern: re.Pattern[str]  # what a cell has to match as a whole
    #: takes the match and returns the number; raises a `ValueError` for what only looks like
    #: one, such as 2024-13-01
    value: Callable[[re.Match[str]], float]
    why: str  # what a person is told about a column of such cells
    is_date: bool = False  # whether the number is a number of days since 1970-01-01

    def parse(self, cell: str) -> float | None:
        """The number in a cell, or None if it is not written in this way.

        Examples
        --------
        >>> FORMATS["1,5"].parse("3,25"), FORMATS["1,5"].parse("3.25")
        (3.25, None)
        >>> FORMATS["31.12.2024"].parse("02.01.1970"), FORMATS["31.12.2024"].parse("31.02.1970")
        (1.0, None)
        """
        cell = _with_spaces(cell)
        match = (
            self.pattern.fullmatch(cell.strip(" "))
            if cell.isascii() and len(cell) <= LONGEST_NUMBER
            else None
        )
        try:
            return None if match is None else self.value(match)
        except (ValueError, OverflowError):
            return None


#: Spaces between thousands that no program breaks lines at.
_NO_BREAK = re.compile("(?<=[0-9])[\u00a0\u202f\u2009](?=[0-9]{3})")


def _with_spaces(cell: str) -> str:
    """A cell with plain spaces between thousands.

    >>> _with_spaces("1\u202f003\u00a0000")
    '1 003 000'
    """
    return cell if cell.isascii() else _NO_BREAK.sub(" ", cell)


def _plain(match: re.Match[str]) -> float:
    number = parse_number(match.group())
    if number is None:
        raise ValueError("not a finite number")
    return number


def _replaced(match: re.Match[str], thousands: str, decimal: str) -> float:
    number = parse_number(match.group().replace(thousands, "").replace(decimal, "."))
    if number is None:
        raise ValueError("not a finite number")
    return number


def _days(match: re.Match[str]) -> float:
    """Days since 1970-01-01, in UTC where a time zone is given."""
    parts = match.groupdict()
    month = _MONTHS[parts["month"][:3].lower()] if parts["month"].isalpha() else int(parts["month"])
    days = (date(int(parts["year"]), month, int(parts["day"])) - EPOCH).days
    if parts.get("hour") is None:
        return float(days)
    hours, minutes, seconds = int(parts["hour"]), int(parts["minute"]), float(parts["second"] or 0)
    if hours > 23 or minutes > 59 or seconds >= 60:
        raise ValueError("not a time of day")
    return days + (hours + (minutes + seconds / 60) / 60 - _zone_hours(parts["zone"])) / 24


def _hours(match: re.Match[str]) -> float:
    seconds = match["second"]
    if seconds is None and int(match["hour"]) > 23:
        raise ValueError("not a time of day")
    return int(match["hour"]) + (int(match["minute"]) + float(seconds or 0) / 60) / 60


def _zone_hours(zone: str | None) -> float:
    if zone in (None, "Z"):
        return 0.0
    assert zone is not None
    digits = zone[1:].replace(":", "")
    return (-1 if zone[0] == "-" else 1) * (int(digits[:2]) + int(digits[2:]) / 60)


def _grouped(thousands: str, decimal: str, example: str) -> NumberFormat:
    """The format of numbers with a separator between thousands."""
    mark, point = re.escape(thousands), re.escape(decimal)
    pattern = re.compile(rf"[+-]?(?:[1-9]\d{{0,2}}(?:{mark}\d{{3}})+|\d+)(?:{point}\d+)?")
    why = (
        f"thousands are separated: {example} is "
        f"{example.replace(thousands, '').replace(decimal, '.')}"
    )
    return NumberFormat(
        example, pattern, partial(_replaced, thousands=thousands, decimal=decimal), why
    )


def _date(example: str, pattern: str, why: str) -> NumberFormat:
    days = r"(?P<day>\d{1,2})"
    whole = (
        pattern.replace("D", days)
        .replace("M", r"(?P<month>\d{1,2})")
        .replace("Y", r"(?P<year>\d{4})")
    )
    whole = whole.replace("N", rf"(?P<month>(?i:{'|'.join(_MONTH_NAMES)})[a-z]{{0,6}})")
    return NumberFormat(
        example, re.compile(whole + _TIME), _days, f"{why}, as days since 1970-01-01", is_date=True
    )


#: All formats by their examples; of those that read equally many cells, the first is taken unless
#: it is open which one is meant.
FORMATS: Mapping[str, NumberFormat] = {
    found.example: found
    for found in (
        NumberFormat(PLAIN, re.compile(r".*", re.DOTALL), _plain, ""),
        NumberFormat(
            "1,5",
            re.compile(r"[+-]?(?:\d+(?:,\d*)?|,\d+)(?:[eE][+-]?\d+)?"),
            partial(_replaced, thousands="", decimal=","),
            "decimal commas: 1,5 is 1.5",
        ),
        _grouped(",", ".", "1,234.5"),
        _grouped(".", ",", "1.234,5"),
        _grouped("'", ".", "1'234.5"),
        _grouped(" ", ".", _SPACED),
        _grouped(" ", ",", _SPACED_COMMA),
        NumberFormat(
            "8:30",
            re.compile(r"(?P<hour>\d{1,3}):(?P<minute>[0-5]\d)(?::(?P<second>[0-5]\d(?:\.\d+)?))?"),
            _hours,
            "times, as hours: 8:30 is 8.5",
        ),
        _date("2024-12-31", "Y-M-D", "dates"),
        _date("2024/12/31", "Y/M/D", "dates"),
        _date("31.12.2024", r"D\.M\.Y", "dates, the day first"),
        _date("31/12/2024", "D/M/Y", "dates, the day first"),
        _date("12/31/2024", "M/D/Y", "dates, the month first"),
        _date("31-12-2024", "D-M-Y", "dates, the day first"),
        _date("31 Dec 2024", r"D[ -]N[ -]Y", "dates"),
        _date("Dec 31, 2024", r"N D,? Y", "dates"),
    )
}
#: Formats that may read the same cells as other numbers.
_OPEN = (("1,5", "1,234.5"), ("31/12/2024", "12/31/2024"))
_NUMBERS = tuple(found for found in FORMATS.values() if not found.is_date)
_DATES = tuple(found for found in FORMATS.values() if found.is_date)


class Writing(NamedTuple):
    """How the cells of a column are written.

    Examples
    --------
    >>> Writing((FORMATS["1,5"],), percent=True).parse("12,5 %")
    12.5
    """

    #: several only if it is open which one is meant: they read the cells as different
    #: numbers. Empty if none reads any cell
    formats: tuple[NumberFormat, ...]
    percent: bool = False  # whether the cells are percentages
    unit: str = ""  # the unit or currency that every number has, before or after it
    brackets: bool = False  # whether numbers in brackets are negative

    def parse(self, cell: object) -> float | None:
        """The number in a cell, by the first format; in a column of percentages only cells with the
        sign are numbers.
        """
        if not isinstance(cell, str) or not self.formats:
            return None
        if self.brackets and (match := _BRACKETS.fullmatch(cell.strip())):
            number = self._replace(brackets=False).parse(match["number"])
            return None if number is None else -number
        text: str | None = cell
        if self.percent:
            text = _without_percent(cell)
        elif self.unit:
            text, unit = _without_unit(cell)
            text = text if unit == self.unit else None
        return None if text is None else self.formats[0].parse(text)

    def is_open(self, cell: str) -> bool:
        """Whether the formats read a cell as different numbers."""
        return len({self._replace(formats=(found,)).parse(cell) for found in self.formats}) > 1

    @property
    def is_plain(self) -> bool:
        """Whether the cells are numbers as programs write them."""
        plain = len(self.formats) == 1 and self.formats[0].example == PLAIN
        return plain and not self.percent and not self.unit and not self.brackets

    @property
    def why(self) -> str:
        """What a person is told about a column that is written so."""
        percent = "percentages: 5 % is 5" if self.percent else ""
        unit = f"in {self.unit}" if self.unit else ""
        brackets = "in brackets below zero: (5) is -5" if self.brackets else ""
        formats = (found.why for found in self.formats[:1])
        return "; ".join(filter(None, (percent, unit, brackets, *formats)))


def _without_percent(cell: str) -> str | None:
    """The number before a percent sign; None if there is no such sign."""
    match = _PERCENT.fullmatch(cell.strip(" "))
    return None if match is None else match["number"]


#: A number with a unit after it, or with a currency before or after it.
_WITH_UNIT = re.compile(
    r"(?P<sign>[+-]?)(?P<before>US\$|[$€£¥₹]|(?:USD|EUR|GBP|CHF|JPY)(?= ))?\s?"
    r"(?P<number>[+-]?\d[\d.,' ]*?)(?:\s?(?P<after>[^\W\d_]{1,8}|[€$£¥₹°]C?|[A-Za-zµ]+/[A-Za-z]+))?"
)
#: Not units, although they stand after numbers.
_ORDINALS = frozenset({"st", "nd", "rd", "th"})
_CURRENCIES = frozenset(["$", "US$", "€", "£", "¥", "₹", "USD", "EUR", "GBP", "CHF", "JPY"])
#: The share of cells that must have the unit of a column.
_WITH_ONE_UNIT = 0.9
#: Thousands that are separated by spaces show themselves by a zero behind one, 1 003 000, by a
#: decimal comma, or by spaces at which lines are not broken. Otherwise the cells are lists of numbers.
_SHOWS_THOUSANDS = re.compile(f" 0[0-9]{{2}}|[0-9] [0-9]{{3}},[0-9]|{_NO_BREAK.pattern}")


def _without_unit(cell: str) -> tuple[str | None, str]:
    """The number in a cell and its unit; None and nothing if it has not exactly one.

    >>> _without_unit("60 kg"), _without_unit("-$1,037"), _without_unit("3rd"), _without_unit("7")
    (('60', 'kg'), ('-1,037', '$'), (None, ''), (None, ''))
    """
    if len(cell) > LONGEST_NUMBER:
        return None, ""
    match = _WITH_UNIT.fullmatch(_with_spaces(cell).strip())
    if match is None:
        return None, ""
    before, after = match["before"] or "", match["after"] or ""
    if bool(before) == bool(after) or after in _ORDINALS:
        return None, ""
    return match["sign"] + match["number"], before or after


def _common_unit(cells: Sequence[str]) -> str:
    """The unit that nearly all cells have; empty if there is none."""
    if not cells or (_without_unit(cells[0])[0] is None and _without_unit(cells[-1])[0] is None):
        return ""
    unit, times = Counter(_without_unit(cell)[1] for cell in cells).most_common(1)[0]
    return unit if times >= _WITH_ONE_UNIT * len(cells) else ""


def find_writing(cells: Sequence[str], dates_only: bool = False) -> Writing:
    """Find the formats in which most cells of a column are numbers or dates.

    Examples
    --------
    >>> (
    ...     [found.example for found in find_writing(["3,5", "12"]).formats],
    ...     find_writing(["tea", "rum"]).formats,
    ... )
    (['1,5'], ())
    >>> [found.example for found in find_writing(["1,234", "2,500"]).formats]
    ['1,5', '1,234.5']
    """
    if not dates_only and all(parse_number(cell) is not None for cell in cells):
        return Writing((FORMATS[PLAIN],))
    inside = [match["number"] for cell in cells if (match := _BRACKETS.fullmatch(cell.strip()))]
    if inside and len(inside) < len(cells) and not dates_only:
        bare = [cell for cell in cells if _BRACKETS.fullmatch(cell.strip()) is None]
        writing = find_writing([*bare, *inside])
        of_numbers = writing.formats and not any(found.is_date for found in writing.formats)
        return writing._replace(brackets=True) if of_numbers else Writing(())
    percent = not dates_only and 2 * sum(
        _without_percent(cell) is not None for cell in cells
    ) > len(cells)
    unit = "" if percent or dates_only else _common_unit(cells)
    numbers = [_without_percent(cell) or "" for cell in cells] if percent else cells
    if unit:
        numbers = [_without_unit(cell)[0] or "" for cell in cells]
    possible = (() if dates_only else _NUMBERS) + (() if percent or unit else _DATES)
    values = {found.example: [found.parse(cell) for cell in numbers] for found in possible}
    counts = {example: sum(value is not None for value in read) for example, read in values.items()}
    most = max(counts.values(), default=0)
    best = [example for example, count in counts.items() if count == most] if most else []
    spaced = best and best[0] in (_SPACED, _SPACED_COMMA)
    if spaced and not any(map(_SHOWS_THOUSANDS.search, numbers)):
        return Writing(())
    if unit in _CURRENCIES and "1,234.5" in best:  # money has no three decimals
        best = ["1,234.5"] if any("," in number for number in numbers) else best
    for one, other in _OPEN:
        if best[:1] == [one] and other in best and values[one] != values[other]:
            return Writing((FORMATS[one], FORMATS[other]), percent, unit)
    return Writing(tuple(FORMATS[example] for example in best[:1]), percent, unit)


def is_grouped(cells: Sequence[str]) -> bool:
    """Whether plain numbers could as well have points between thousands: 1.234, 25.000.

    Examples
    --------
    >>> is_grouped(["1.234", "25.000", "7"]), is_grouped(["1.234", "25.5"]), is_grouped(["7", "8"])
    (True, False, False)
    """
    grouped = FORMATS["1.234,5"]
    return any("." in cell for cell in cells) and all(
        grouped.parse(cell) is not None for cell in cells
    )


# ---- What the first rows show about a column

#: Rows from which on it says something that no value of a column repeats.
ENOUGH_ROWS = 20
#: Free text has at least so many characters and words in a cell, on average, and most cells are
#: different.
_LONG, _WORDS = 25, 4
#: Other cells make a column of numbers one of texts if there are so many of them, and if they are
#: so large a share; fewer are misprints, which are reported.
_OTHERS, _SHARE_OF_OTHERS = 2, 0.1
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
#: In a column that has some of the words, the bits stand for them too.
TRUE_AND_FALSE, BITS = frozenset({"true", "false"}), frozenset({"1", "0"})
_UUID = re.compile(r"\{?[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}\}?")
#: What has a number that names it; also with the word number behind.
_NUMBERED = r"(?:account|barcode|invoice|isbn|passport|phone|serial|ssn|telephone|ticket)"
_ID = rf"{_NUMBERED}(?:[\s_.-]?(?:number|code))?|"
_ID += r"ids?|uuid|guid|key|index|idx|nr|no\.?|num|rowid|rownames|accession|record|unnamed: 0|#"
_IDENTIFIER = re.compile(rf"(?:.*[\s_.-])?(?:{_ID})|(?:id|uuid|guid|nr)[\s_.-].*", re.IGNORECASE)
_CAMEL_IDENTIFIER = re.compile(r".*[a-z0-9](?:Id|ID|Uuid|UUID|Nr|Key)")
#: Names that nothing but identifiers has: of patients, too, who are in several rows.
_SURELY = re.compile(r"(?:.*[\s_.-])?(?:id|ID|Id|uuid|UUID|guid|GUID)|.*[a-z0-9](?:Id|ID)")
#: What stands before and beside a text of its own.
_TITLE = re.compile(r"(?:.*[\s_.-])?(?:title|headline|subject)", re.IGNORECASE)
_NAME = re.compile(r"(?:.*[\s_.-])?(?:names?|title)", re.IGNORECASE)
_CAMEL_NAME = re.compile(r".*[a-z0-9]Name")


@dataclass(frozen=True)
class ColumnFacts:
    """What the first rows show about one column.

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
    n_rows: int  # how many rows were looked at
    type: CellType  # what most of the filled cells are; ``"text"`` for a column without any
    writing: Writing  # how numbers in text are written
    missing: frozenset[str] = frozenset({""})  # the words that stand for no value here

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

    @property
    def is_code(self) -> bool:
        """Whether the cells are digits with zeros in front, as in postal codes."""
        return self.type == "text" and are_codes(self.filled)

    @cached_property
    def is_truth(self) -> bool:
        """Whether the cells are truth values, or words such as yes and no: both, unless one of
        them is a whole word; N alone may be the north.
        """
        words = {str(cell).strip().casefold() for cell in self.filled}
        words -= BITS if words & TRUE_AND_FALSE else frozenset()
        return any(words <= pair for pair in TRUTH_WORDS) and (
            len(words) > 1 or any(len(word) > 1 for word in words)
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

        Its values are all different, and it is called like an identifier or has no name, its cells
        are UUIDs, or they count the rows. Quantities that only increase, such as a population from
        year to year, do not. What is called id identifies also where half of the values repeat:
        patients come twice.
        """
        if not self.filled or self.type not in ("number", "text") or self.is_date:
            return None
        if (
            _SURELY.fullmatch(self.name)
            and len(self.filled) >= ENOUGH_ROWS
            and 2 * self.n_distinct >= len(self.filled)
            and (self.type == "text" or self.is_whole())
        ):
            return (
                f"its name and its values, {'nearly ' if self.repeats else ''}all different"
                if self.n_distinct > _NEARLY_ALL * len(self.filled)
                else "its name and its many values"
            )
        if self.repeats or len(self.filled) < self.n_rows:
            return None
        if not self.name:
            return "without a name, as programs write an index" if self._may_be_index() else None
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
        counts = self.n_rows >= ENOUGH_ROWS and self.is_whole() and self._counts_rows()
        return "whole numbers that count the rows" if counts else None

    def _may_be_index(self) -> bool:
        return self.type == "text" or self.is_whole()

    @property
    def is_title(self) -> bool:
        """Whether the column is called a title, headline or subject, and holds texts."""
        return bool(_TITLE.fullmatch(self.name)) and self.type == "text"

    @property
    def n_words(self) -> float:
        """How many words a cell has on average."""
        texts = [cell for cell in self.filled if isinstance(cell, str)]
        return sum(len(text.split()) for text in texts) / max(1, len(texts))

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

    def _counts_rows(self) -> bool:
        """Whether the numbers are 0, 1, 2... or 1, 2, 3..., in this order or in any."""
        numbers = sorted(self.plain_numbers() or [])
        return numbers[0] in (0, 1) and numbers[-1] - numbers[0] == len(numbers) - 1


def are_codes(cells: Sequence[Any]) -> bool:
    """Whether all cells have the same number of digits, and some of them zeros in front.

    >>> are_codes(["01067", "80331"]), are_codes(["01", "12"]), are_codes(["1067", "80331"])
    (True, False, False)
    """
    texts = [cell.strip() for cell in cells if isinstance(cell, str)]
    return (
        len(texts) == len(cells) > 1
        and len(set(map(len, texts))) == 1
        and all(map(_CODE.fullmatch, texts))
        and any(text[0] == "0" for text in texts)
    )


def column_facts(
    rows: Sequence[Row],
    name: str,
    cells: CellReader,
    declared: CellType | None = None,
    words: MissingWords | None = None,
) -> ColumnFacts:
    """Gather the facts about one column.

    The type is that of most filled cells; of two types that are equally frequent, the wider one.
    One misprint must not turn a column of numbers into text: it is reported later, when the rows
    are converted. Many other cells do, as in a column of tickets that are 113803 or PC 17599.

    Examples
    --------
    >>> from wideberth.io.readers.formats.delimited import TEXT_CELLS
    >>> column_facts([Row(2, {"day": "2024-02-29"})], "day", TEXT_CELLS).is_date
    True
    """
    written = [row.cells.get(name) for row in rows]
    missing = in_column(written, (words or MissingWords()).of_features)
    filled = [cell for cell in written if not is_missing(cell, missing)]
    texts = [cell for cell in filled if isinstance(cell, str)]
    if declared is None and texts and not cells.has_numbers and are_codes(filled):
        return ColumnFacts(name, filled, len(rows), "text", Writing(()), missing)
    if declared is not None:
        return ColumnFacts(
            name,
            filled,
            len(rows),
            declared,
            Writing((FORMATS[PLAIN],) if declared == "number" else ()),
            missing,
        )
    writing = find_writing(texts, dates_only=cells.has_numbers) if texts else Writing(())
    if (
        writing.is_plain
        and len(texts) == len(filled)
        and all(cells.number(cell) is not None for cell in texts)
    ):
        # the usual case, and the fastest
        return ColumnFacts(name, filled, len(rows), "number", writing, missing)
    counts = Counter(
        "number" if writing.parse(cell) is not None else cells.cell_type(cell) for cell in filled
    )
    most = (
        max(CELL_TYPES, key=lambda cell_type: (counts[cell_type], CELL_TYPES.index(cell_type)))
        if counts
        else "text"
    )
    if most == "number" and {str(cell).strip().casefold() for cell in texts} & TRUE_AND_FALSE:
        most = "text"
    others = len(filled) - counts["number"]
    least = max(_OTHERS, _SHARE_OF_OTHERS * len(filled))
    if len(filled) >= ENOUGH_ROWS and 1 < len({*texts}) <= _MOST_LABELS:
        least = 1  # as a code: cylinders are 4, 6, 8 or rotary
    if most == "number" and others >= least:
        most = max(("series", "text", "other"), key=lambda cell_type: counts[cell_type])
        most = "text" if most == "series" else most
    return ColumnFacts(name, filled, len(rows), most, writing, missing)


# ---- Settle how numbers are written where a column alone leaves it open: the other columns of the
# file, or the caller, tell

_WITH_COMMA = ("1,5", "1.234,5", _SPACED_COMMA)
_WITH_POINT = ("1,234.5", "1'234.5")
_SLASHED = ("31/12/2024", "12/31/2024")


@dataclass(frozen=True)
class SettledWritings:
    """How the numbers of each column are written."""

    #: a `Writing` for each column; one with several formats is refused when it is used
    by_name: dict[str, Writing]
    facts: Mapping[str, ColumnFacts]  # the facts about each column, for messages

    def is_special(self, name: str) -> bool:
        """Whether the cells of a column need another reader than plain numbers do."""
        writing = self.by_name[name]
        return bool(writing.formats) and not writing.is_plain

    def of(self, name: str, path: str) -> Writing:
        """How a column that is used as numbers is written; an error if that is open."""
        writing = self.by_name[name]
        if len(writing.formats) < 2:
            return writing
        texts = [cell for cell in self.facts[name].filled if isinstance(cell, str)]
        cell = next((text for text in texts if writing.is_open(text)), texts[0])
        one, other = (found.example for found in writing.formats)
        raise fault(
            path,
            f"it is open what {shown(cell)} in column {name!r} means: written as {one} or as "
            f"{other}.",
            f"Say which: {setting('numbers', {name: one})} or "
            f"{setting('numbers', {name: other})}, or name the columns to read with "
            f"{setting('column', shown='...')}",
            value=cell,
        )


def settle_writings(
    facts: Mapping[str, ColumnFacts], named: Mapping[str, str], path: str
) -> SettledWritings:
    """Settle how the numbers of each column are written.

    A comma before three digits is a decimal comma if other columns have decimal commas, and
    separates thousands if others have decimal points; so do dates with slashes follow other such
    dates. Where nothing tells, it stays open, and a column that is used is refused.

    Examples
    --------
    >>> from wideberth.io.readers.formats.delimited import csv_table
    >>> from wideberth.io.readers.columns import column_facts
    >>> table = csv_table(["a;b\\n", "1,234;0,5\\n"], "t.csv")
    >>> rows = list(table.rows)
    >>> settled = settle_writings(
    ...     {name: column_facts(rows, name, table.cells) for name in "ab"}, {}, "t.csv"
    ... )
    >>> settled.of("a", "t.csv").parse("1,234")
    1.234
    """
    writings = {name: fact.writing for name, fact in facts.items()}
    for name, example in named.items():
        if example not in FORMATS:
            raise UnknownName(
                f"{setting('numbers', shown=f'{{{name!r}: {shown(example)}}}')} names no way to "
                "write numbers.",
                advice=f"Choose one of {listed(list(FORMATS))}.",
                value=example,
                known=list(FORMATS),
            )
        if name in writings:
            writings[name] = writings[name]._replace(formats=(FORMATS[example],))
    known = {
        found.formats[0].example
        for name, found in writings.items()
        if _is_evidence(facts[name], found)
    }
    return SettledWritings(
        {name: _settled(facts[name], found, known) for name, found in writings.items()}, facts
    )


def _is_evidence(facts: ColumnFacts, writing: Writing) -> bool:
    """Whether a column shows how decimals, or dates, are written."""
    if facts.type != "number" or len(writing.formats) != 1:
        return False
    if writing.formats[0].example != PLAIN:
        return True
    return any("." in cell for cell in facts.filled if isinstance(cell, str))


def _settled(facts: ColumnFacts, writing: Writing, known: set[str]) -> Writing:
    """The writing of one column, in view of the formats that other columns certainly have."""
    comma, point = bool(known & {*_WITH_COMMA}), bool(known & {*_WITH_POINT, PLAIN})
    examples = tuple(found.example for found in writing.formats)
    if examples == ("1,5", "1,234.5") and comma != point:
        return writing._replace(formats=writing.formats[:1] if comma else writing.formats[1:])
    if examples == _SLASHED and len(known & {*_SLASHED}) == 1:
        return Writing((FORMATS[(known & {*_SLASHED}).pop()],))
    if examples == (PLAIN,) and comma and facts.type == "number":
        texts = [cell for cell in facts.filled if isinstance(cell, str)]
        if is_grouped(texts):
            return writing._replace(formats=(FORMATS[PLAIN], FORMATS["1.234,5"]))
    return writing
