"""Single values: dates as numbers of days, texts that are none, and what does not equal itself."""

import re
from datetime import date, datetime, timedelta
from typing import Any

#: The day from which days are counted.
EPOCH = date(1970, 1, 1)


def days_of(moment: date) -> float:
    """The days since 1970-01-01 of a date or a point in time, in UTC where it has a time zone.

    Examples
    --------
    >>> days_of(date(1970, 1, 3)), days_of(datetime(1970, 1, 1, 12))
    (2.0, 0.5)
    """
    if not isinstance(moment, datetime):
        return float((moment - EPOCH).days)
    offset = moment.utcoffset() or timedelta()
    return (moment.replace(tzinfo=None) - datetime(1970, 1, 1) - offset) / timedelta(days=1)


_SURROGATE = re.compile("[\ud800-\udfff]")


def half_character(text: str) -> str | None:
    r"""Describe the first half of a surrogate pair in a text. It is the beginning of a sentence.

    UTF-16 writes some characters as pairs of surrogates. One of them alone, which JSON and Python
    can hold, is no character: no file or terminal takes it.

    Examples
    --------
    >>> half_character("tea"), half_character("tea \u2615")
    (None, None)
    >>> print(half_character("tea \ud83c"))
    '\ud83c' at character 5 is half of a surrogate pair
    """
    if text.isascii() or not (found := _SURROGATE.search(text)):
        return None
    return f"{found[0]!r} at character {found.start() + 1} is half of a surrogate pair"


def equals_itself(token: Any) -> bool:
    """Tell whether a value equals itself, as NaN and pandas.NA do not: only such values can be
    looked up.

    Examples
    --------
    >>> equals_itself("tea"), equals_itself(float("nan"))
    (True, False)
    """
    try:
        return bool(token == token)
    except TypeError:  # as pandas.NA
        return False
