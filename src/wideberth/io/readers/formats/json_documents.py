"""Read JSON documents: a list of records, records under one name, or columns as pandas writes them."""

from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Any

from wideberth.io import strict_json
from wideberth.io.readers.formats.json_lines import BARE_FIELD, JSON_CELLS, json_table
from wideberth.io.readers.records import RawTable, Row, Rows, fault
from wideberth.io.readers.source import Format
from wideberth.objects.sample import shown

ADVICE = 'Write a list of records, such as [{"word": "tea", "label": "en"}, ...].'


def json_document(lines: Iterable[str], path: str) -> RawTable:
    """Read a JSON document as a table; what has a value on each line is read as JSON lines.

    Examples
    --------
    >>> table = json_document(['[{"word": "tea"}, {"word": "milk"}]'], "drinks.json")
    >>> [row.cells["word"] for row in table.rows], table.unit
    (['tea', 'milk'], 'record')
    >>> columns = json_document(['{"word": {"0": "tea", "1": "milk"}}'], "drinks.json")
    >>> [row.cells["word"] for row in columns.rows]
    ['tea', 'milk']
    """
    lines = iter(lines)
    first = next((line for line in lines if line.strip()), "")
    if _is_record(first):
        second = next((line for line in lines if line.strip()), None)
        if second is not None:
            return json_table(chain([first, second], lines), path)
    text = first + "".join(lines)
    try:
        value = strict_json.parse_data(text)
    except ValueError as broken:
        raise fault(path, f"not JSON ({broken}).", ADVICE, value=text[:20]) from None
    rows = _rows(_records(value, path), path)
    return RawTable(rows, JSON_CELLS, unit="record", names_in_rows=True)


def _is_record(line: str) -> bool:
    """Whether a line is a whole JSON object."""
    try:
        return isinstance(strict_json.parse_data(line.strip()), dict)
    except ValueError:
        return False


def _records(value: Any, path: str) -> Sequence[Any]:
    """The records of a document: a list, the only list of an object, or columns side by side."""
    if isinstance(value, list) and value:
        return value
    if isinstance(value, dict):
        lists = [each for each in value.values() if isinstance(each, list)]
        if len(lists) == 1 and lists[0] and all(isinstance(each, dict) for each in lists[0]):
            return list(lists[0])
        if columns := _columns(value):
            names = list(columns)
            return [
                dict(zip(names, cells, strict=True))
                for cells in zip(*columns.values(), strict=True)
            ]
    raise fault(path, f"no list of records in {shown(value)}.", ADVICE, value=value)


def _columns(value: dict[str, Any]) -> dict[str, list[Any]] | None:
    """The columns of a table that is written column by column: equally long lists, or objects with
    the same keys.
    """
    parts = list(value.values())
    if parts and all(isinstance(part, dict) and part.keys() == parts[0].keys() for part in parts):
        return {name: [part[key] for key in parts[0]] for name, part in value.items()}
    if parts and all(isinstance(part, list) and len(part) == len(parts[0]) > 0 for part in parts):
        return dict(value)
    return None


def _rows(records: Sequence[Any], path: str) -> Rows:
    """The rows of records, counted from 1; bare values have the only field ``"value"``."""
    bare = not isinstance(records[0], dict)
    for number, record in enumerate(records, start=1):
        if isinstance(record, dict) is bare:
            yield fault(
                path,
                f"{shown(record)} has {'fields' if bare else 'no fields'}, unlike the first record.",
                "Write all records with fields, or none.",
                line=number,
                value=record,
                unit="record",
            )
        else:
            yield Row(number, {BARE_FIELD: record} if bare else record)


JSON = Format(
    name="a JSON document",
    endings=(".json",),
    of_lines=json_document,
    example=b'[{"word": "tea", "label": "en"}, {"word": "lait", "label": "fr"}]\n',
)
