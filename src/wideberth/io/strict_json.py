"""JSON as its standard has it: no NaN, no infinity, no field twice."""

import json
from typing import Any, NoReturn


def parse(text: str) -> Any:
    """The value of a JSON text; a ``ValueError`` (of which ``json.JSONDecodeError`` knows the column) if it is none.

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


def _once_each(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) < len(pairs):
        names = [name for name, _ in pairs]
        raise ValueError(f"field {next(name for name in names if names.count(name) > 1)!r} twice")
    return fields


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a JSON number")


_DECODER = json.JSONDecoder(object_pairs_hook=_once_each, parse_constant=_no_constant)
