"""Plain values as JSON and arrays as NPY, of numbers and text only: nothing is ever unpickled.

What JSON lacks is a dict with one key that begins with ``$``; arrays go into entries of their own. No header of an array is
believed that its data do not bear out.
"""

import base64
import io
import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from wideberth.errors import InvalidInput

KeepArray = Callable[[NDArray[Any]], str]
FetchArray = Callable[[str], NDArray[Any]]

#: Kinds of arrays: truth values, integers, floats, text, bytes.
_ARRAY_KINDS = "biufUS"


def to_json(value: Any, keep: KeepArray) -> Any:
    """A value as JSON can hold it; ``keep`` puts an array away and says under which name.

    >>> to_json({"sizes": (1, 2.5), "limit": math.inf, 3: {"tea"}}, keep=None)
    {'$dict': [['sizes', {'$tuple': [1, 2.5]}], ['limit', {'$float': 'inf'}], [3, {'$set': ['tea']}]]}
    """
    match value:
        case None | bool() | str() | int():
            return value
        case np.bool_() | np.integer() | np.floating() if isinstance(value.item(), bool | int | float):
            return to_json(value.item(), keep)
        case float() if not math.isnan(value):  # NaN as a token equals itself only as long as it is the same object
            return float(value) if math.isfinite(value) else {"$float": repr(float(value))}
        case bytes():
            return {"$bytes": base64.b64encode(value).decode()}
        case np.ndarray():
            return {"$array": keep(value)}
        case list():
            return [to_json(each, keep) for each in value]
        case tuple():
            return {"$tuple": [to_json(each, keep) for each in value]}
        case set() | frozenset():
            return {"$set": [to_json(each, keep) for each in sorted(value, key=repr)]}
        case dict():
            if all(isinstance(key, str) and not key.startswith("$") for key in value):
                return {key: to_json(each, keep) for key, each in value.items()}
            return {"$dict": [[to_json(key, keep), to_json(each, keep)] for key, each in value.items()]}
    shown = repr(value)
    raise InvalidInput(
        f"{type(value).__name__} {shown if len(shown) <= 60 else shown[:57] + '...'} cannot go into a model file.",
        advice="It holds numbers, text, bytes, and lists, tuples, sets and dicts of them; convert the objects before fit.",
        value=value,
    )


def from_json(value: Any, fetch: FetchArray) -> Any:
    """What `to_json` was given; a `ValueError` or `TypeError` for anything that it does not write.

    >>> from_json({"$tuple": [1, {"$float": "inf"}]}, fetch=None)
    (1, inf)
    """
    if isinstance(value, list):
        return [from_json(each, fetch) for each in value]
    if not isinstance(value, dict):
        return value
    if not any(key.startswith("$") for key in value):
        return {key: from_json(each, fetch) for key, each in value.items()}
    match value:
        case {"$float": "inf" | "-inf" as name, **rest} if not rest:
            return float(name)
        case {"$bytes": str(text), **rest} if not rest:
            return base64.b64decode(text, validate=True)
        case {"$array": str(name), **rest} if not rest:
            return fetch(name)
        case {"$tuple": list(items), **rest} if not rest:
            return tuple(from_json(each, fetch) for each in items)
        case {"$set": list(items), **rest} if not rest:
            return frozenset(from_json(each, fetch) for each in items)
        case {"$dict": list(items), **rest} if not rest:
            return {from_json(key, fetch): from_json(each, fetch) for key, each in items}
    raise ValueError(f"{sorted(value)} is not a value of a model file")


def array_to_bytes(array: NDArray[Any]) -> bytes:
    """An array as the content of an NPY file."""
    if array.dtype.kind not in _ARRAY_KINDS:
        raise InvalidInput(
            f"An array of {array.dtype} cannot go into a model file, which holds numbers and text.",
            advice="Labels may be strings, whole numbers, truth values or floats; convert them before fit.",
            value=array.dtype,
        )
    buffer = io.BytesIO()
    npy.write_array(buffer, np.ascontiguousarray(array).reshape(array.shape), allow_pickle=False)
    return buffer.getvalue()


def array_from_bytes(content: bytes) -> NDArray[Any]:
    """The array; a `ValueError` if the content is anything but one array of numbers or text, exactly as long as it says.

    >>> array_from_bytes(array_to_bytes(np.array([1.5, 2.0])))
    array([1.5, 2. ])
    """
    stream = io.BytesIO(content)
    if npy.read_magic(stream) != (1, 0):
        raise ValueError("not version 1.0 of the NPY format")
    shape, column_order, dtype = npy.read_array_header_1_0(stream)
    if dtype.kind not in _ARRAY_KINDS or dtype.subdtype is not None or dtype.itemsize == 0:
        raise ValueError(f"arrays of dtype {dtype} are not read")
    claimed, there = math.prod(shape) * dtype.itemsize, len(content) - stream.tell()
    if min(shape, default=0) < 0 or claimed != there:
        raise ValueError(f"shape {shape} of {dtype} needs {claimed} bytes, there are {there}")
    flat = np.frombuffer(bytearray(content[stream.tell() :]), dtype=dtype)  # a bytearray: arrays that can be written to
    return flat.reshape(shape, order="F" if column_order else "C")
