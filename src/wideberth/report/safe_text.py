"""Text of unknown origin, made harmless for people: no character of it can hide, reorder or break
what stands around it; and facts as text that is safe inside a script element of a page.
"""

import json
import math
import unicodedata
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import numpy as np

#: The most characters of any text in a report, and of a name of a class, a column or a row.
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


# ---- Facts as plain values that JSON holds, and as text that is safe inside a script element of a
# page.

#: What could end a script element, begin a comment in it, or end a line of JavaScript.
_ESCAPES = str.maketrans(
    {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}
)
#: Significant digits of numbers: no figure shows more.
_DIGITS = 6
#: The key under which drawings hold pictures, which are data of ours and must not be shortened.
_PICTURE = "uri"


def plain(value: Any) -> Any:
    r"""Convert facts to dicts, lists, numbers, safe texts, truth values and None.

    Numbers that are not finite become None, and what is unknown its text. Every text, also as a
    key, went through `safe_text`.

    Examples
    --------
    >>> plain({"a\x00": np.array([1.0, np.nan]), "b": (np.int64(2), 1 / 3)})
    {'a\\x00': [1.0, None], 'b': [2, 0.333333]}
    """
    if isinstance(value, Mapping):
        return {
            safe_text(key): each if key == _PICTURE else plain(each) for key, each in value.items()
        }
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if isinstance(value, list | tuple | set | frozenset | range):
        return [plain(each) for each in value]
    if isinstance(value, np.generic):
        return plain(value.item())
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, float):
        return float(f"{value:.{_DIGITS}g}") if math.isfinite(value) else None
    return safe_text(value, LONGEST)


def json_block(facts: Any) -> str:
    r"""Facts as JSON for a ``<script type="application/json">`` element, whatever texts they hold.

    Without ``<``, ``>``, ``&`` and the line separators of Unicode, which are written as escapes.

    Examples
    --------
    >>> print(json_block({"word": "</script>"}))
    {"word":"\u003c/script\u003e"}
    """
    return json.dumps(facts, ensure_ascii=False, allow_nan=False, separators=(",", ":")).translate(
        _ESCAPES
    )
