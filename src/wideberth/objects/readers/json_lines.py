"""JSON lines: one JSON value a line, an object with fields or the bare thing to classify."""

import json
import math
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wideberth.errors import InvalidFile
from wideberth.objects.readers import strict_json
from wideberth.objects.readers.cells import CellReader, Row, Table, numeric_array
from wideberth.objects.readers.faults import fault, shown

BARE = "value"


def json_table(lines: Iterable[str], path: str) -> Table:
    """JSON lines as a table whose columns are the fields.

    >>> next(json_table(['{"word": "tea", "label": "en"}'], "drinks.jsonl").rows).cells["label"]
    'en'
    """
    return Table(json_rows(lines, path), JSON_CELLS)


def json_rows(lines: Iterable[str], path: str) -> Iterator[Row]:
    """The records of JSON lines; a bare value is a record with the one field ``"value"``. Blank lines are skipped.

    >>> list(json_rows(['{"word": "tea", "label": "en"}'], "drinks.jsonl"))
    [Row(line=1, cells={'word': 'tea', 'label': 'en'})]
    >>> list(json_rows(['"tea"'], "drinks.jsonl"))
    [Row(line=1, cells={'value': 'tea'})]
    """
    bare: bool | None = None
    for line, text in enumerate(lines, start=1):
        if not text.strip():
            continue
        value = _parse_line(text.strip("\r\n"), path, line)
        bare = not isinstance(value, dict) if bare is None else bare
        if isinstance(value, dict) is bare:
            raise _mixed(path, line, value, bare)
        yield Row(line, {BARE: value} if bare else value)
    if bare is None:
        raise fault(
            path,
            "no line holds a value.",
            value="",
            advice='Write one JSON value a line, such as {"word": "tea", "label": "en"}.',
        )


def _parse_line(text: str, path: str, line: int) -> Any:
    try:
        return strict_json.parse(text)
    except ValueError as broken:
        reason, position = str(broken), 0
        if isinstance(broken, json.JSONDecodeError):
            reason, position = f"column {broken.pos + 1}: {broken.msg}", max(0, broken.pos - 10)
        raise fault(
            path,
            f"not JSON ({reason}) in {shown(text[position:])}.",
            line=line,
            value=text,
            advice="Each line must be one whole JSON value; numbers must be finite.",
        ) from None


def _mixed(path: str, line: int, value: Any, bare: bool) -> InvalidFile:
    problem = "has fields, while the lines above are bare values" if bare else "has no fields, while the lines above have"
    advice = "Write all lines as records with fields, or none."
    return fault(path, f"{shown(value)} {problem}.", line=line, value=value, advice=advice)


def _number(cell: Any) -> float | None:
    if type(cell) not in (int, float):  # a bool is an int in Python, not in JSON
        return None
    try:
        return float(cell) if math.isfinite(cell) else None
    except OverflowError:
        return None


def _series(cell: Any) -> NDArray[np.float64] | None:
    return numeric_array(cell) if isinstance(cell, list) else None


def _text(cell: Any) -> str | None:
    return cell if isinstance(cell, str) and cell else None


def _members(cell: Any) -> frozenset[Any] | None:
    plain = isinstance(cell, list) and all(isinstance(member, str | int | float) for member in cell)
    return frozenset(cell) if plain else None


def _structure(cell: Any) -> list[Any] | dict[str, Any] | None:
    return cell if isinstance(cell, list | dict) else None


def _label(cell: Any) -> Any:
    if isinstance(cell, bool):
        return cell
    return cell if _number(cell) is not None or (isinstance(cell, str) and cell.strip()) else None


JSON_CELLS = CellReader(
    number=_number, series=_series, text=_text, members=_members, structure=_structure, label=_label, widest="objects"
)
