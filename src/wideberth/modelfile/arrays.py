"""Arrays as NPY, of numbers and text only: nothing is ever unpickled, and no header is believed that its data do not bear out."""

import io
import math
from typing import Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from wideberth.errors import InvalidInput

#: Truth values, integers, floats, text, bytes.
_KINDS = "biufUS"


def array_to_bytes(array: NDArray[Any]) -> bytes:
    """An array as the content of an NPY file."""
    if array.dtype.kind not in _KINDS:
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
    if dtype.kind not in _KINDS or dtype.subdtype is not None or dtype.itemsize == 0:
        raise ValueError(f"arrays of dtype {dtype} are not read")
    claimed, there = math.prod(shape) * dtype.itemsize, len(content) - stream.tell()
    if min(shape, default=0) < 0 or claimed != there:
        raise ValueError(f"shape {shape} of {dtype} needs {claimed} bytes, there are {there}")
    flat = np.frombuffer(bytearray(content[stream.tell() :]), dtype=dtype)  # a bytearray: arrays that can be written to
    return flat.reshape(shape, order="F" if column_order else "C")
