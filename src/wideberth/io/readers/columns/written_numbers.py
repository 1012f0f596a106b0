r"""Recognise how the numbers of a column are written: decimal commas, thousands separators,
percentages, dates.

A way of writing is named by an example, which the caller can pass as ``numbers={"price": "1,5"}``
where the cells leave it open: 1,234 may be a little more than one or more than a thousand, and
01/02/2024 a day of January or of February.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from functools import partial
from typing import NamedTuple

from wideberth.io.readers.formats.delimited import parse_number
from wideberth.objects.dates import EPOCH

PLAIN = "1.5"
#: Characters of the longest cell that may be a number or a date in another format.
LONGEST_NUMBER = 400
_MONTH_NAMES = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTHS = {name: number for number, name in enumerate(_MONTH_NAMES, start=1)}
_TIME = r"(?:[T ](?P<hour>\d{1,2}):(?P<minute>\d{2})(?::(?P<second>\d{2}(?:\.\d+)?))?(?P<zone>Z|[+-]\d{2}:?\d{2})?)?"
_PERCENT = re.compile(r"(?P<number>.*[0-9])\s?%", re.DOTALL)


class NumberFormat(NamedTuple):
    """A way to write numbers or dates.

    Attributes
    ----------
    example : str
        A number or date that is written so: the name of the format.
    pattern : pattern
        What a cell has to match as a whole.
    value : callable
        Takes the match and returns the number; raises a `ValueError` for what only looks like one,
        such as 2024-13-01.
    why : str
        What a person is told about a column of such cells.
    is_date : bool
        Whether the number is a number of days since 1970-01-01.
    """

    example: str
    pattern: re.Pattern[str]
    value: Callable[[re.Match[str]], float]
    why: str
    is_date: bool = False

    def parse(self, cell: str) -> float | None:
        """The number in a cell, or None if it is not written in this way.

        Examples
        --------
        >>> FORMATS["1,5"].parse("3,25"), FORMATS["1,5"].parse("3.25")
        (3.25, None)
        >>> FORMATS["31.12.2024"].parse("02.01.1970"), FORMATS["31.12.2024"].parse("31.02.1970")
        (1.0, None)
        """
        match = (
            self.pattern.fullmatch(cell.strip(" "))
            if cell.isascii() and len(cell) <= LONGEST_NUMBER
            else None
        )
        try:
            return None if match is None else self.value(match)
        except (ValueError, OverflowError):
            return None


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

    Attributes
    ----------
    formats : tuple of NumberFormat
        Several only if it is open which one is meant: they read the cells as different numbers.
        Empty if none reads any cell.
    percent : bool
        Whether the cells are percentages.

    Examples
    --------
    >>> Writing((FORMATS["1,5"],), percent=True).parse("12,5 %")
    12.5
    """

    formats: tuple[NumberFormat, ...]
    percent: bool = False

    def parse(self, cell: object) -> float | None:
        """The number in a cell, by the first format; in a column of percentages only cells with the
        sign are numbers.
        """
        if not isinstance(cell, str) or not self.formats:
            return None
        text = _without_percent(cell) if self.percent else cell
        return None if text is None else self.formats[0].parse(text)

    def is_open(self, cell: str) -> bool:
        """Whether the formats read a cell as different numbers."""
        return len({Writing((found,), self.percent).parse(cell) for found in self.formats}) > 1

    @property
    def is_plain(self) -> bool:
        """Whether the cells are numbers as programs write them."""
        return not self.percent and len(self.formats) == 1 and self.formats[0].example == PLAIN

    @property
    def why(self) -> str:
        """What a person is told about a column that is written so."""
        percent = "percentages: 5 % is 5" if self.percent else ""
        return "; ".join(filter(None, (percent, *(found.why for found in self.formats[:1]))))


def _without_percent(cell: str) -> str | None:
    """The number before a percent sign; None if there is no such sign."""
    match = _PERCENT.fullmatch(cell.strip(" "))
    return None if match is None else match["number"]


def find_writing(cells: Sequence[str], dates_only: bool = False) -> Writing:
    """Find the formats in which most cells of a column are numbers or dates.

    Parameters
    ----------
    cells : sequence of str
        The filled cells at the beginning of a column.
    dates_only : bool, default=False
        The format of the file has numbers of its own, so that text is never one.

    Returns
    -------
    Writing

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
    percent = not dates_only and 2 * sum(
        _without_percent(cell) is not None for cell in cells
    ) > len(cells)
    numbers = [_without_percent(cell) or "" for cell in cells] if percent else cells
    possible = (() if dates_only else _NUMBERS) + (() if percent else _DATES)
    values = {found.example: [found.parse(cell) for cell in numbers] for found in possible}
    counts = {example: sum(value is not None for value in read) for example, read in values.items()}
    most = max(counts.values(), default=0)
    best = [example for example, count in counts.items() if count == most] if most else []
    for one, other in _OPEN:
        if best[:1] == [one] and other in best and values[one] != values[other]:
            return Writing((FORMATS[one], FORMATS[other]), percent)
    return Writing(tuple(FORMATS[example] for example in best[:1]), percent)


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
