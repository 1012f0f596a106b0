"""Convert plain values to JSON and arrays to NPY, and back; numbers and text only, and nothing is ever unpickled.

A value that JSON cannot express is a dict with one key that begins with ``$``. Arrays go into entries of their own, and the
header of an array is believed only if it agrees with the length of the data.

===================  ==========================================================
value                JSON
===================  ==========================================================
inf, -inf            ``{"$float": "inf"}``
bytes                ``{"$bytes": base64}``
tuple                ``{"$tuple": [item, ...]}``
set, frozenset       ``{"$set": [item, ...]}``, read back as a frozenset
dict with any keys   ``{"$dict": [[key, value], ...]}``
array                ``{"$array": name}``, the name of its entry
===================  ==========================================================
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
from wideberth.objects import sample

KeepArray = Callable[[NDArray[Any]], str]
FetchArray = Callable[[str], NDArray[Any]]

#: Kinds of arrays (`numpy.dtype.kind`) that files hold: truth values, integers, floats, text, bytes.
_ARRAY_KINDS = "biufUS"


def to_json(value: Any, keep: KeepArray) -> Any:
    """Convert a value to one that JSON can hold.

    Parameters
    ----------
    value : object
        None, truth values, numbers, text, bytes, arrays, and lists, tuples, sets and dicts of them.
    keep : callable
        Takes an array, stores it elsewhere, and returns the name under which `from_json` finds it.

    Returns
    -------
    object
        A value of JSON types.

    Raises
    ------
    InvalidInput
        If a value is of another type, or is NaN.

    Examples
    --------
    >>> to_json({"sizes": (1, 2.5), "limit": math.inf, 3: {"tea"}}, keep=None)
    {'$dict': [['sizes', {'$tuple': [1, 2.5]}], ['limit', {'$float': 'inf'}], [3, {'$set': ['tea']}]]}
    """
    match value:
        case None | bool() | str() | int():
            return value
        case np.bool_() | np.integer() | np.floating() if isinstance(value.item(), bool | int | float):
            return to_json(value.item(), keep)
        case float() if not math.isnan(value):  # a NaN is refused: read back, it would not equal itself
            return float(value) if math.isfinite(value) else {"$float": repr(float(value))}
        case bytes():
            return {"$bytes": base64.b64encode(value).decode()}
        case np.ndarray():
            return {"$array": keep(value)}
        case list():
            return [to_json(item, keep) for item in value]
        case tuple():
            return {"$tuple": [to_json(item, keep) for item in value]}
        case set() | frozenset():
            return {"$set": [to_json(item, keep) for item in sorted(value, key=repr)]}
        case dict():
            if all(isinstance(key, str) and not key.startswith("$") for key in value):
                return {key: to_json(item, keep) for key, item in value.items()}
            return {"$dict": [[to_json(key, keep), to_json(item, keep)] for key, item in value.items()]}
    raise InvalidInput(
        f"{type(value).__name__} {sample.shown(value)} cannot go into a model file.",
        advice="It holds numbers, text, bytes, and lists, tuples, sets and dicts of them; convert the objects before fit.",
        value=value,
    )


def from_json(value: Any, fetch: FetchArray) -> Any:
    """Convert a value back that `to_json` converted.

    Parameters
    ----------
    value : object
        A value of JSON types, as read from a file: nothing in it is trusted.
    fetch : callable
        Takes the name of an array and returns the array.

    Returns
    -------
    object
        The value that `to_json` was given; sets as frozensets.

    Raises
    ------
    ValueError or TypeError
        For anything that `to_json` does not write.

    Examples
    --------
    >>> from_json({"$tuple": [1, {"$float": "inf"}]}, fetch=None)
    (1, inf)
    """
    if isinstance(value, list):
        return [from_json(item, fetch) for item in value]
    if not isinstance(value, dict):
        return value
    if not any(key.startswith("$") for key in value):
        return {key: from_json(item, fetch) for key, item in value.items()}
    match value:
        case {"$float": "inf" | "-inf" as name, **rest} if not rest:
            return float(name)
        case {"$bytes": str(text), **rest} if not rest:
            return base64.b64decode(text, validate=True)
        case {"$array": str(name), **rest} if not rest:
            return fetch(name)
        case {"$tuple": list(items), **rest} if not rest:
            return tuple(from_json(item, fetch) for item in items)
        case {"$set": list(items), **rest} if not rest:
            return frozenset(from_json(item, fetch) for item in items)
        case {"$dict": list(items), **rest} if not rest:
            return {from_json(key, fetch): from_json(item, fetch) for key, item in items}
    raise ValueError(f"{sorted(value)} is not a value of a model file")


def array_to_bytes(array: NDArray[Any]) -> bytes:
    r"""Write an array as the content of an NPY file.

    Parameters
    ----------
    array : ndarray
        Numbers, truth values, text or bytes, of any shape.

    Returns
    -------
    bytes

    Raises
    ------
    InvalidInput
        If the array holds Python objects, dates or records.

    Examples
    --------
    >>> array_to_bytes(np.array([1.5, 2.0]))[:6]
    b'\x93NUMPY'
    """
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
    """Read the content of an NPY file as an array.

    Parameters
    ----------
    content : bytes
        As `array_to_bytes` writes it: version 1.0 of the format.

    Returns
    -------
    ndarray
        Writable.

    Raises
    ------
    ValueError
        If the content is not exactly one array of numbers or text, with as many bytes of data as its header declares.

    Examples
    --------
    >>> array_from_bytes(array_to_bytes(np.array([1.5, 2.0])))
    array([1.5, 2. ])
    """
    stream = io.BytesIO(content)
    if npy.read_magic(stream) != (1, 0):
        raise ValueError("not version 1.0 of the NPY format")
    shape, column_order, dtype = npy.read_array_header_1_0(stream)
    if dtype.kind not in _ARRAY_KINDS or dtype.subdtype is not None or dtype.itemsize == 0:
        raise ValueError(f"arrays of dtype {dtype} are not read")
    claimed, present = math.prod(shape) * dtype.itemsize, len(content) - stream.tell()
    if min(shape, default=0) < 0 or claimed != present:
        raise ValueError(f"shape {shape} of {dtype} needs {claimed} bytes, there are {present}")
    flat = np.frombuffer(bytearray(content[stream.tell() :]), dtype=dtype)  # from a bytearray, so that the array is writable
    return flat.reshape(shape, order="F" if column_order else "C")
