"""Text of unknown origin, made harmless for people: no character of it can hide, reorder or break
what stands around it.
"""

import unicodedata
from functools import lru_cache
from typing import Any

#: The most characters of any text that is shown, and of a name of a class, a column or a row.
LONGEST, LONGEST_NAME = 2000, 80

#: Categories of Unicode whose characters cannot be seen: controls, formats (among them those that
#: turn the direction of writing), halves of surrogate pairs, private and unassigned ones,
#: separators of lines and paragraphs, and spaces.
_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp", "Zs"})
#: The usual space, and the two characters that join letters or keep them apart, which writing
#: systems and emoji need.
_HARMLESS = " \u200c\u200d"


def safe_text(text: Any, longest: int = LONGEST) -> str:
    r"""A text in which nothing is hidden: control characters, bidirectional marks and lone
    surrogates become visible escapes.

    The middle of longer texts is left out. It still has to be escaped for HTML.

    Examples
    --------
    >>> safe_text("tea\u202egnp.exe\x00")
    'tea\\u202egnp.exe\\x00'
    >>> safe_text("x" * 1_000_000, longest=9)
    'xxxxxx…xx'
    """
    whole = text if isinstance(text, str) else str(text)
    return _cut(visible(_cut(whole, longest)), longest)


def safe_name(name: Any) -> str:
    """The name of a class, a column or a row: a `safe_text` of at most 80 characters, never empty.

    Examples
    --------
    >>> safe_name(""), safe_name("tea")
    ('(empty)', 'tea')
    """
    return safe_text(name, LONGEST_NAME) or "(empty)"


def visible(text: str) -> str:
    r"""Write characters that cannot be seen, or that change how others are shown, as escapes, each
    character alone.

    The visible forms of two texts, joined, are the visible form of both.

    Examples
    --------
    >>> visible("tea\x00\n"), visible("abc\u202egpj.exe"), visible("\ud83c")
    ('tea\\x00\\n', 'abc\\u202egpj.exe', '\\ud83c')
    """
    return text if text.isascii() and text.isprintable() else "".join(map(_visible_character, text))


@lru_cache(maxsize=4096)
def _visible_character(character: str) -> str:
    if character in _HARMLESS or unicodedata.category(character) not in _UNSEEN:
        return character
    return character.encode("unicode_escape", "surrogatepass").decode("ascii")


def _cut(text: str, longest: int) -> str:
    """The first two thirds and the end of a text that is too long."""
    if len(text) <= longest:
        return text
    end = (longest - 1) // 3
    return f"{text[: longest - 1 - end]}…{text[len(text) - end :]}"
