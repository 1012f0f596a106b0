"""Parse JSON strictly by its standard: no NaN, no infinity, no field twice in an object.

Python's own parser accepts all three, and reads 1e999 as an infinity. Of a field that occurs twice it silently keeps the last,
which hides errors in data.
"""

import json
import math
from collections import Counter
from typing import Any, NoReturn


def parse(text: str) -> Any:
    """Parse a JSON text.

    Parameters
    ----------
    text : str
        One JSON value.

    Returns
    -------
    dict, list, str, int, float, bool or None

    Raises
    ------
    ValueError
        If the text is not JSON, has NaN, an infinity, a number beyond the largest float or a repeated field, or is nested too
        deeply for Python's stack. For syntax errors it is a `json.JSONDecodeError`, which has their position.

    Examples
    --------
    >>> parse('{"word": "tea", "sizes": [1, 2.5]}')
    {'word': 'tea', 'sizes': [1, 2.5]}
    >>> parse('{"word": "tea", "word": "milk"}')
    Traceback (most recent call last):
    ...
    ValueError: field 'word' twice
    """
    try:
        return _DECODER.decode(text)
    except RecursionError:
        raise ValueError("nested too deeply") from None


def _unique_fields(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """The fields of a JSON object as a dict; a `ValueError` that names a repeated one."""
    fields = dict(pairs)
    if len(fields) < len(pairs):
        (name, _), *_ = Counter(name for name, _ in pairs).most_common(1)
        raise ValueError(f"field {name!r} twice")
    return fields


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a JSON number")


def _finite(digits: str) -> float:
    """The number that is written; a `ValueError` if it is beyond the largest float."""
    number = float(digits)
    if math.isinf(number):
        raise ValueError(f"{digits} is larger than any number that can be held")
    return number


_DECODER = json.JSONDecoder(object_pairs_hook=_unique_fields, parse_constant=_no_constant, parse_float=_finite)
