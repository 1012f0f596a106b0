"""Convert plain values to JSON and arrays to NPY, and back; numbers and text only, and nothing is
ever unpickled.

A value that JSON cannot express is a dict with one key that begins with ``$``. Arrays go into
entries of their own. The header of an array is matched by a pattern, never evaluated, and believed
only if it agrees with the length of the data.

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
import re
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from wideberth.errors import InvalidInput
from wideberth.objects import sample

KeepArray = Callable[[NDArray[Any]], str]
FetchArray = Callable[[str], NDArray[Any]]

#: Kinds of arrays (`numpy.dtype.kind`) that files hold: truth values, integers, floats, text,
#: bytes.
_ARRAY_KINDS = "biufUS"
#: The largest number in bytes: longer floats differ between machines.
_LARGEST_NUMBER = 8
#: How an NPY file of version 1.0 begins, and its header exactly as numpy writes it: kind and size
#: of the numbers, order, shape.
_MAGIC = b"\x93NUMPY\x01\x00"
_HEADER = re.compile(
    rb"\{'descr': '([<>|][biufUS]\d{1,9})', 'fortran_order': (True|False), 'shape': \(((?:\d{1,18}, ?)*(?:\d{1,18})?)\), \} *\n"
)
#: The most bytes of a row of an array without rows (or of a column of one without columns): work
#: with such a shape is not free.
_LARGEST_EMPTY = 1 << 27
#: How many different values of a file may have the hash of another.
_MOST_CLASHES = 1000
#: The last code point of Unicode.
_LAST_LETTER = 0x10FFFF


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
        case np.bool_() | np.integer() | np.floating() if isinstance(
            value.item(), bool | int | float
        ):
            return to_json(value.item(), keep)
        case float() if not math.isnan(
            value
        ):  # a NaN is refused: read back, it would not equal itself
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
            return {
                "$dict": [[to_json(key, keep), to_json(item, keep)] for key, item in value.items()]
            }
    raise InvalidInput(
        f"{type(value).__name__} {sample.shown(value)} cannot go into a model file.",
        advice="It holds numbers, text, bytes, and lists, tuples, sets and dicts of them; convert "
        "the objects before fit.",
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
    return _Reading(fetch).convert(value)


class _Reading:
    """The conversion of one JSON value, which counts different values of the same hash.

    Python hashes whole numbers by a known rule, and tuples and sets of them too: a file could hold
    thousands with one hash, and every set and dict of them would take quadratic time. By chance
    there are none.
    """

    def __init__(self, fetch: FetchArray) -> None:
        self._fetch = fetch
        self._first_with: dict[int, Any] = {}
        self._clashes = 0

    def convert(self, value: Any) -> Any:
        """The value, with a `ValueError` or `TypeError` for anything that `to_json` does not
        write.
        """
        if isinstance(value, list):
            return [self.convert(item) for item in value]
        if isinstance(value, int) and abs(value) >= sys.hash_info.modulus:
            return self._counted(value)
        if not isinstance(value, dict):
            return value
        if not any(key.startswith("$") for key in value):
            return {key: self.convert(item) for key, item in value.items()}
        return self._convert_marked(value)

    def _convert_marked(self, value: dict[str, Any]) -> Any:
        """The value for which a dict with one key stands."""
        match value:
            case {"$float": "inf" | "-inf" as name, **rest} if not rest:
                return float(name)
            case {"$bytes": str(text), **rest} if not rest:
                return base64.b64decode(text, validate=True)
            case {"$array": str(name), **rest} if not rest:
                return self._fetch(name)
            case {"$tuple": list(items), **rest} if not rest:
                return self._counted(tuple(map(self.convert, items)))
            case {"$set": list(items), **rest} if not rest:
                return self._counted(frozenset(map(self.convert, items)))
            case {"$dict": list(items), **rest} if not rest:
                return {self.convert(key): self.convert(item) for key, item in items}
        raise ValueError(f"{sorted(value)} is not a value of a model file")

    def _counted(self, value: Any) -> Any:
        """The value itself; a `ValueError` if too many others had its hash."""
        try:
            first = self._first_with.setdefault(hash(value), value)
        except TypeError:  # a tuple with a list in it, which no set can hold
            return value
        self._clashes += first != value
        if self._clashes > _MOST_CLASHES:
            raise ValueError("thousands of different values have the same hash")
        return value


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
    if not _is_plain(array.dtype):
        raise InvalidInput(
            f"An array of {array.dtype} cannot go into a model file, which holds numbers and text.",
            advice="Labels may be strings, whole numbers, truth values or floats; convert them "
            "before fit.",
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
        If the content is not exactly one array of numbers or text, with as many bytes of data as
        its header declares, or if these are not numbers or text: a truth value that is neither 0
        nor 1, a letter beyond Unicode.

    Examples
    --------
    >>> array_from_bytes(array_to_bytes(np.array([1.5, 2.0])))
    array([1.5, 2. ])
    """
    start = len(_MAGIC) + 2
    end = start + int.from_bytes(content[len(_MAGIC) : start], "little")
    header = _HEADER.fullmatch(content[start:end])
    if not content.startswith(_MAGIC) or header is None:
        raise ValueError("not version 1.0 of the NPY format, or not an array of numbers or text")
    dtype, shape = (
        np.dtype(header[1].decode()),
        tuple(int(size) for size in header[3].replace(b" ", b"").split(b",") if size),
    )
    _check_size(dtype, shape, len(content) - end)
    flat = np.frombuffer(
        bytearray(content[end:]), dtype=dtype
    )  # from a bytearray, so that the array is writable
    _check_values(flat)
    array = flat.reshape(shape, order="F" if header[2] == b"True" else "C")
    return np.require(
        array, dtype.newbyteorder("="), ["C", "W"]
    )  # what compiled code takes, wherever the file was written


def _is_plain(dtype: np.dtype[Any]) -> bool:
    """Whether a file may hold arrays of this type."""
    return dtype.kind in "US" or (dtype.kind in _ARRAY_KINDS and dtype.itemsize <= _LARGEST_NUMBER)


def _check_size(dtype: np.dtype[Any], shape: tuple[int, ...], present: int) -> None:
    """Raise a `ValueError` unless the data have the size that type and shape need, and a shape
    without data is small.
    """
    claimed = math.prod(shape) * dtype.itemsize
    if not _is_plain(dtype) or dtype.itemsize == 0:
        raise ValueError(f"arrays of dtype {dtype} are not read")
    if claimed != present:
        raise ValueError(f"shape {shape} of {dtype} needs {claimed} bytes, there are {present}")
    if not claimed and math.prod(filter(None, shape)) * dtype.itemsize > _LARGEST_EMPTY:
        raise ValueError(f"shape {shape} of {dtype} has a size, but no data")


def _check_values(flat: NDArray[Any]) -> None:
    """Raise a `ValueError` for bytes that are no value of the type of the array; every byte of a
    number is one.
    """
    if flat.dtype.kind == "b" and np.any(flat.view(np.uint8) > 1):
        raise ValueError("a truth value is neither 0 nor 1")
    if flat.dtype.kind == "U" and np.any(
        flat.view(np.dtype(np.uint32).newbyteorder(flat.dtype.byteorder)) > _LAST_LETTER
    ):
        raise ValueError("a letter is beyond the last one of Unicode")
