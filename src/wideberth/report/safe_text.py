"""Text of unknown origin, made harmless for people: no character of it can hide, reorder or break what stands around it."""

import unicodedata
from typing import Any

#: The most characters of any text in a report, and of a name of a class, a column or a row.
LONGEST, LONGEST_NAME = 2000, 80

#: Format characters that writing systems and emoji need, and that cannot reorder what stands around them.
_JOINERS = "\u200c\u200d"
#: Categories of Unicode that are shown as escapes: controls, formats (bidirectional marks), surrogates, separators of lines.
_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})


def safe_text(text: Any, longest: int = LONGEST) -> str:
    r"""A text in which nothing is hidden: control characters, bidirectional marks and lone surrogates become visible escapes.

    Parameters
    ----------
    text : object
        A text; of other objects what ``str`` gives.
    longest : int
        The most characters; the middle of longer texts is left out.

    Returns
    -------
    str
        Characters that UTF-8 can hold. It still has to be escaped for HTML.

    Examples
    --------
    >>> safe_text("tea\u202egnp.exe\x00")
    'tea\\u202egnp.exe\\x00'
    >>> safe_text("x" * 1_000_000, longest=9)
    'xxxxxx…xx'
    """
    whole = text if isinstance(text, str) else str(text)
    return _cut("".join(map(_visible, _cut(whole, longest))), longest)


def safe_name(name: Any) -> str:
    """The name of a class, a column or a row: a `safe_text` of at most 80 characters, never empty.

    Examples
    --------
    >>> safe_name(""), safe_name("tea")
    ('(empty)', 'tea')
    """
    return safe_text(name, LONGEST_NAME) or "(empty)"


def _visible(character: str) -> str:
    if character in _JOINERS or unicodedata.category(character) not in _HIDDEN:
        return character
    return character.encode("unicode_escape", "surrogatepass").decode("ascii")


def _cut(text: str, longest: int) -> str:
    """The first two thirds and the end of a text that is too long."""
    if len(text) <= longest:
        return text
    end = (longest - 1) // 3
    return f"{text[: longest - 1 - end]}…{text[len(text) - end :]}"
