"""Read the objects of a request: JSON, JSON lines or CSV, by the readers of files and as the
training objects were read.
"""

import json
from collections.abc import Iterable
from typing import Any, Literal

import numpy as np

from wideberth.errors import InvalidInput
from wideberth.io import strict_json
from wideberth.io.model_file.read import SavedModel
from wideberth.io.model_file.saved_classifier import check_width, in_columns, options_for
from wideberth.io.readers import Records
from wideberth.io.readers.reading import read_content
from wideberth.objects.sample import shown
from wideberth.serve.limits import Limits
from wideberth.serve.problems import HOW_OBJECTS_ARE_WRITTEN, RequestProblem

#: How a body may be written.
Format = Literal["json", "jsonl", "csv"]
#: The media types of bodies.
MEDIA_TYPES: dict[str, Format] = {
    "application/json": "json",
    "application/x-ndjson": "jsonl",
    "application/jsonl": "jsonl",
    "text/csv": "csv",
}
#: The field of the objects in a JSON body.
OBJECTS = "objects"
#: What messages call a body.
_NAME = "body"


def read_objects(body: bytes, written: Format, saved: SavedModel, limits: Limits) -> Records:
    """Read the objects of a request.

    Parameters
    ----------
    body : bytes
        What was sent.
    written : {"json", "jsonl", "csv"}
        How it is written.
    saved : SavedModel
        The model, with the origin of its training objects if that is known.
    limits : Limits
        The most objects, and the longest.

    Returns
    -------
    Records
        A column of labels, if there is one, is not read.

    Raises
    ------
    RequestProblem, InvalidFile
        If the body cannot be read, or has more or longer objects than allowed.
    """
    if written == "json":
        values = _values(body)
        _check_batch(len(values), limits)
        _check_lengths(values, limits)
        body = _lines(values, options_for(saved, "body.jsonl").get("column"))
    options = options_for(saved, "body.csv" if written == "csv" else "body.jsonl")
    records = read_content(
        body, "csv" if written == "csv" else "jsonl", _NAME, labels=False, **options
    )
    _check_batch(len(records), limits)
    _check_lengths(records.objects, limits)
    if isinstance(records.objects, np.ndarray) and records.objects.ndim == 2:
        check_width(saved, records.objects.shape[1])
    return records


def _values(body: bytes) -> list[Any]:
    """The list of objects in a JSON body."""
    try:
        asked = strict_json.parse_data(body.decode("utf-8"))
    except UnicodeDecodeError as error:
        detail = (
            f"The body is not UTF-8: byte {error.start} is {body[error.start : error.start + 1]!r}."
        )
        raise RequestProblem(400, detail, "Encode it in UTF-8.") from None
    except ValueError as error:
        broken = isinstance(error, json.JSONDecodeError)
        way_out = (
            f'Send {{"{OBJECTS}": [...]}}'
            if broken
            else "Numbers must be finite, and no field may be there twice"
        )
        raise RequestProblem(400, f"The body is not JSON: {error}.", f"{way_out}.") from None
    advice = f'Send {{"{OBJECTS}": [...]}}.'
    if not isinstance(asked, dict):
        raise RequestProblem(400, f"The body is {shown(asked)}, not a JSON object.", advice)
    if unknown := asked.keys() - {OBJECTS}:
        raise RequestProblem(400, f"The field {shown(min(unknown))} is not known.", advice)
    if not isinstance(asked.get(OBJECTS), list) or not asked[OBJECTS]:
        found = shown(asked[OBJECTS]) if OBJECTS in asked else "missing"
        raise RequestProblem(
            400, f'"{OBJECTS}" is {found}, not a list of one object or more.', advice
        )
    return list(asked[OBJECTS])


def _lines(values: list[Any], column: str | tuple[str, ...] | None) -> bytes:
    """The objects as JSON lines, with the columns of the training objects where they come
    without.
    """
    lines: list[str] = []
    try:
        lines.extend(
            json.dumps(in_columns(value, column)) for value in values
        )  # those before a wrong one are kept
    except InvalidInput as wrong:
        place = len(lines) + 1
        raise RequestProblem(
            400, f"Object {place}: {wrong.problem}", wrong.advice, object=place
        ) from None
    except RecursionError:
        raise RequestProblem(
            400, "An object is nested too deeply.", HOW_OBJECTS_ARE_WRITTEN
        ) from None
    return "\n".join(lines).encode()


def _check_batch(count: int, limits: Limits) -> None:
    if count > limits.batch:
        raise RequestProblem(
            413,
            f"These are {count:,} objects, and {limits.batch:,} may come at a time.",
            "Send them in several requests.",
        )


def _check_lengths(objects: Any, limits: Limits) -> None:
    for place, item in enumerate(objects, start=1):
        length = object_length(item)
        if length > limits.length:
            detail = (
                f"Object {place} has {length:,} characters or numbers, and {limits.length:,} are "
                "allowed."
            )
            raise RequestProblem(413, detail, "Shorten it.", object=place)


def object_length(item: Any) -> int:
    """How long an object is: its characters and numbers, with those of all its parts; an empty text
    counts one.

    Examples
    --------
    >>> (
    ...     object_length("tea"),
    ...     object_length(np.zeros(5)),
    ...     object_length({"age": 3.0, "city": "Bonn"}),
    ...     object_length(["", ""]),
    ... )
    (3, 5, 5, 2)
    """
    length, pending = 0, [item]
    while pending:
        part = pending.pop()
        if isinstance(part, str):
            length += len(part) or 1
        elif isinstance(part, np.ndarray):
            length += part.size
        elif isinstance(part, dict):
            pending += part.values()
        elif isinstance(part, Iterable):
            pending += part
        else:
            length += 1
    return length
