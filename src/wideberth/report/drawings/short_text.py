"""Texts and values of any type as short, visible texts."""

import reprlib
from typing import Any

from wideberth.report.safe_text import visible

#: Most characters of a text that are shown.
MOST_CHARACTERS = 200
#: Of a text that is longer, how much of its end is shown.
_END = 40

#: The types of pandas' missing values, which need not be installed.
_MISSING = {"NAType", "NaTType"}

_BRIEF = reprlib.Repr()
_BRIEF.maxstring = _BRIEF.maxother = 60
_BRIEF.maxlevel = 3


def shortened(text: str, most: int = MOST_CHARACTERS) -> str:
    r"""The visible form of a text; of a long one, that of its beginning and its end.

    Parameters
    ----------
    text : str
        Any text, of any length.
    most : int, default=200
        Most characters of the text that are shown.

    Returns
    -------
    str
        At most ten characters for each that is shown.

    Examples
    --------
    >>> shortened("tea " * 1000, 20)
    'tea tea tea tea …tea '
    """
    if len(text) <= most:
        return visible(text)
    end = min(_END, most // 5)
    return f"{visible(text[: most - end])}…{visible(text[len(text) - end :])}"


def in_words(value: Any, most: int = 60) -> str:
    """A value of any type as a short, visible text: numbers with five digits, texts as they are, others by their repr.

    Parameters
    ----------
    value : object
        What stands in a cell of a table, or labels a node.
    most : int, default=60
        Most characters of it that are shown.

    Returns
    -------
    str

    Examples
    --------
    >>> in_words(2 / 3), in_words("tea"), in_words(None), in_words(float("nan")), in_words(10**400)
    ('0.66667', 'tea', 'missing', 'missing', '1000000000...')
    """
    if value is None or type(value).__name__ in _MISSING:
        return "missing"
    if isinstance(value, str):
        return shortened(value, most)
    if isinstance(value, bytes):
        return shortened(value[: 2 * most].decode("latin-1"), most)
    return shortened(_number(value) or " ".join(_BRIEF.repr(value).split()), most)


def _number(value: Any) -> str | None:
    """A number in at most five digits, or None if the value is none."""
    if isinstance(value, bool) or not hasattr(value, "__float__") or hasattr(value, "__len__"):
        return None
    try:
        number = float(value)
    except (OverflowError, TypeError, ValueError):
        return None
    if number != number:
        return "missing"
    return str(int(number)) if number.is_integer() and abs(number) < 1e7 else f"{number:.5g}"
