"""Facts as plain values that JSON holds, and as text that is safe inside a script element of a page."""

import json
import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from wideberth.safe_text import LONGEST, safe_text

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
