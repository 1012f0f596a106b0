"""Model files that were changed and sealed again: as sound on the outside as one of ours, with one
wrong value inside.
"""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from wideberth.io.model_file.archive import (
    Archive,
    array_from_bytes,
    array_to_bytes,
    from_json,
    to_json,
    write_archive,
)
from wideberth.io.model_file.provenance import Provenance
from wideberth.io.model_file.read import up_to_date
from wideberth.io.model_file.write import MODEL

#: The provenance of a file that says nothing of where it comes from: what is wrong inside it is not
#: refused for that.
NOTHING_SAID = dict(vars(Provenance()))

#: How to find a value: keys of dicts and positions in lists, from the outside in.
Place = tuple[Any, ...]

NUMBERS = (
    -1,
    0,
    1,
    0.5,
    -0.0,
    7,
    320,
    2**31,
    2**63,
    10**30,
    1e300,
    1e-300,
    float("inf"),
    True,
    None,
    "tea",
    [],
    {},
    b"tea",
)
OTHERS = (
    None,
    "tea",
    "euclidean",
    3,
    0.5,
    True,
    [],
    {},
    [1.0],
    {"tea": 1},
    np.zeros(0),
    np.zeros((2**24, 0)),
    np.array(["tea"]),
)


def content_of(path: Path) -> dict[str, Any]:
    """The values of ``model.json``, with its arrays in their places, as the newest version of the
    format has them.
    """
    with Archive(path) as archive:
        text = archive.read(MODEL).decode()
        found = from_json(json.loads(text), lambda name: array_from_bytes(archive.read(name)))
        return up_to_date(found, archive.manifest["format_version"])


def write_content(content: dict[str, Any], path: Path) -> None:
    """A sealed model file with these values."""
    arrays: list[np.ndarray] = []

    def keep(array: np.ndarray) -> str:
        arrays.append(array)
        return f"arrays/{len(arrays) - 1}.npy"

    text = json.dumps(to_json(content, keep)).encode()
    with path.open("w+b") as stream:
        entries = [
            (MODEL, text),
            *((f"arrays/{n}.npy", array_to_bytes(each)) for n, each in enumerate(arrays)),
        ]
        write_archive(stream, entries, NOTHING_SAID)


def places(value: Any, above: Place = ()) -> Iterator[Place]:
    """The places of all values inside a value."""
    for key, each in (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else ()
    ):
        yield (*above, key)
        yield from places(each, (*above, key))


def value_at(content: Any, place: Place) -> Any:
    for key in place:
        content = content[key]
    return content


def replaced(content: Any, place: Place, value: Any) -> Any:
    """The content with another value at a place."""
    if not place:
        return value
    key, *rest = place
    if isinstance(content, dict):
        return content | {key: replaced(content[key], tuple(rest), value)}
    return [
        replaced(each, tuple(rest), value) if number == key else each
        for number, each in enumerate(content)
    ]


def without(content: Any, place: Place) -> Any:
    """The content without the value at a place, and without its key."""
    (key, *rest) = place
    if rest:
        return replaced(content, (key,), without(content[key], tuple(rest)))
    return {name: value for name, value in content.items() if name != key}


def wrong_arrays(array: np.ndarray) -> Iterator[np.ndarray]:
    """Arrays of other shapes, dtypes and values."""
    yield from (
        np.zeros((2**24, 0)),
        np.zeros((0, *array.shape)),
        array[None],
        array.ravel()[:, None],
        array[:-1],
        array[:0],
    )
    yield from (
        np.concatenate([array, array]),
        array.astype("U8"),
        np.zeros_like(array),
        array[..., :-1],
    )
    if array.dtype.kind in "fiu":
        yield from (
            array.astype(bool),
            array.astype("f4"),
            array * -1.0,
            np.full(array.shape, 1e300),
            array + 0.5,
            array[::-1],
        )
        yield from (
            _with(array.astype(float), wrong)
            for wrong in (np.nan, np.inf, -np.inf, 1e308, 1e-308, -1.0, 2.0**62)
        )
    if array.dtype.kind in "iu":
        yield from (
            _with(array.astype(np.int64), wrong) for wrong in (-1, -(2**63), 2**63 - 1, 1, 10**6)
        )


def _with(array: np.ndarray, wrong: float) -> np.ndarray:
    changed = array.copy()
    changed.flat[: min(1, changed.size)] = wrong
    return changed


def wrong_values(value: Any) -> Iterator[Any]:
    """Values that a file might have instead of this one."""
    if isinstance(value, np.ndarray):
        yield from wrong_arrays(value)
    if isinstance(value, dict):
        yield from (
            {key: each for key, each in value.items() if key != left_out} for left_out in value
        )
    if isinstance(value, list):
        yield from (value[:-1], value + value[-1:], value[::-1])
    yield from NUMBERS if isinstance(value, int | float) else OTHERS


def mutations(
    content: dict[str, Any], kept: Callable[[Place], bool] = lambda place: True
) -> Iterator[tuple[Place, Any]]:
    """All places of a content with all wrong values for them."""
    for place in places(content):
        if kept(place):
            yield from ((place, wrong) for wrong in wrong_values(value_at(content, place)))
