"""Parse JSON strictly by its standard: no NaN, no infinity, no field twice in an object.

Python's own parser accepts all three, and reads numbers that are too large, such as 1e999, as
infinity. Of a field that occurs twice it silently keeps the last, which hides errors in data.
"""

import json
import math
from collections import Counter
from collections.abc import Iterator
from typing import Any, NoReturn

from wideberth.objects.sample import half_character


def parse(text: str) -> Any:
    """Parse a JSON text.

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


def parse_data(text: str) -> Any:
    r"""Parse a JSON text that a user wrote, in which all texts must be text.

    Examples
    --------
    >>> parse_data(r'"\u2615"') == "\u2615"
    True
    >>> parse_data(r'["tea", "\ud83c"]')
    Traceback (most recent call last):
    ...
    ValueError: '\ud83c' at character 1 is half of a surrogate pair
    """
    value = parse(text)
    if "\\u" in text:  # nothing else makes one, since files are decoded before
        for part in _texts(value):
            if half := half_character(part):
                raise ValueError(half)
    return value


def _texts(value: Any) -> Iterator[str]:
    """All texts in a value, also the names of fields."""
    pending = [value]
    while pending:
        item = pending.pop()
        if isinstance(item, str):
            yield item
        elif isinstance(item, list):
            pending += item
        elif isinstance(item, dict):
            pending += [*item, *item.values()]


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
    value = float(digits)
    if math.isinf(value):
        raise ValueError(
            f"{digits if len(digits) <= 20 else digits[:17] + '...'} is too large for a number"
        )
    return value


_DECODER = json.JSONDecoder(
    object_pairs_hook=_unique_fields, parse_constant=_no_constant, parse_float=_finite
)
