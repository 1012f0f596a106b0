"""Count, pick and hold objects of any kind: the only place that knows how a collection of objects is stored.

A *held* sample is one of three things, and everything above this file may rely on it: an array whose first axis counts the
objects, a data frame whose rows are the objects, or a container of our own that a metric prepared (it has ``take``).
"""

import reprlib
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from importlib import import_module
from typing import Any

import numpy as np

from wideberth.errors import InvalidInput

Indices = Any  # a slice, or an integer array

#: How long a value may be in a message.
_LINE = 60
_BRIEF = reprlib.Repr()
_BRIEF.maxstring = _BRIEF.maxother = _LINE


def hold(objects: Any, *, rows: bool = False) -> Any:
    """Hold any collection of objects as a sample, without turning equal-length lists into a matrix.

    Numeric arrays stay as they are (a two-dimensional one holds its rows), as do those of other libraries that speak numpy's
    protocol; pandas and polars columns, and frames of one column, become the column; numeric frames become arrays; every other
    sequence becomes a one-dimensional array of objects, pyarrow's too. If the objects are the ``rows`` of tables, frames become
    arrays of dicts, which keep the names of the columns.

    >>> hold([[1, 2], [3, 4]]).shape  # two lists, not a 2 x 2 matrix
    (2,)
    >>> hold(("tea", "coffee")).dtype
    dtype('O')
    """
    if isinstance(objects, np.ndarray):
        return _hold_array(objects)
    if hasattr(objects, "to_pylist"):  # of pyarrow, whose tables give dicts
        return _hold_sequence(objects.to_pylist())
    if rows and hasattr(objects, "to_numpy") and len(objects.shape) == 2:
        return _hold_sequence(objects.to_dict("records") if hasattr(objects, "iloc") else objects.to_dicts())
    if hasattr(objects, "to_numpy"):
        return _hold_frame(objects)
    if hasattr(objects, "__array__"):
        return _hold_array(np.asarray(objects))
    if hasattr(objects, "take") and hasattr(objects, "__len__"):
        return objects
    return _hold_sequence(objects)


def one_by_one(held: Any) -> Any:
    """The objects of a held sample to go through: a frame, which would give its columns, as an array of its rows."""
    return held.to_numpy() if hasattr(held, "to_numpy") else held


def shown(value: Any) -> str:
    """A value for a message: on one line and short, however large or deep it is.

    >>> shown(np.zeros((2, 2))), len(shown("tea" * 100))
    ('array([[0., 0.], [0., 0.]])', 60)
    """
    line = " ".join(_BRIEF.repr(value).split())
    return line if len(line) <= _LINE else f"{line[: _LINE - 3]}..."


def count(objects: Any) -> int:
    """How many objects there are.

    >>> count(["tea", "coffee"]), count(np.zeros((3, 5)))
    (2, 3)
    """
    return len(objects)


def pick(objects: Any, indices: Indices) -> Any:
    """The objects at ``indices`` (a slice or an integer array), held the same way.

    >>> pick(hold(["tea", "coffee", "milk"]), [2, 0]).tolist()
    ['milk', 'tea']
    """
    if isinstance(objects, np.ndarray):
        return objects[indices]
    if hasattr(objects, "iloc"):
        return objects.iloc[indices]
    if hasattr(objects, "to_numpy"):  # a polars frame
        return objects[indices]
    return objects.take(indices)


def join(held: Any, more: Any) -> Any:
    """Two held samples as one, ``more`` after ``held`` and held like it where that can be.

    >>> join(hold(np.zeros((2, 3))), hold([[1, 2, 3]])).shape  # a list of one row joins a matrix
    (3, 3)
    """
    if isinstance(held, np.ndarray) and isinstance(more, np.ndarray):
        more = _numeric(more) if held.dtype != object else more
        if held.shape[1:] == more.shape[1:]:
            return np.concatenate([held, more])
    if hasattr(held, "to_numpy") and type(held) is type(more):  # pandas and polars join frames by a function of one name
        return import_module(type(held).__module__.partition(".")[0]).concat([held, more])
    return _hold_sequence([pick_one(each, index) for each in (held, more) for index in range(count(each))])


def pick_one(objects: Any, index: int) -> Any:
    """The single object at ``index``, as the user gave it."""
    return objects.iloc[index] if hasattr(objects, "iloc") else objects[index]


def _numeric(objects: np.ndarray) -> np.ndarray:
    """Rows of numbers that Python holds one by one as a numeric array, everything else as it is."""
    try:
        array = np.array(objects.tolist()) if objects.dtype == object else objects
    except ValueError:  # of unequal lengths
        return objects
    return array if array.dtype.kind in "fiub" else objects


def _hold_array(array: np.ndarray) -> np.ndarray:
    if array.ndim == 0:
        raise _not_a_collection(array.item())
    if isinstance(array, np.ma.MaskedArray) and np.ma.is_masked(array):
        missing = np.argwhere(np.ma.getmaskarray(array))
        first = tuple(map(int, missing[0]))
        raise InvalidInput(
            f"Values are masked, so they are not known: {len(missing)} of them, the first at {first}.",
            advice="Fill them, array.filled(value), or leave these objects out.",
            witness=first,
            value=len(missing),
        )
    array = np.asarray(array)  # a plain one: matrices and others of its kind have rules of their own
    return array.astype(object) if array.dtype.kind in "US" else array


def _hold_frame(frame: Any) -> Any:
    if len(frame.shape) == 1:
        return _hold_sequence(frame.to_list())
    if frame.shape[1] == 1:
        return _hold_frame(frame[frame.columns[0]])
    array = frame.to_numpy()
    return array if array.dtype.kind in "fiub" else frame


def _hold_sequence(objects: Any) -> np.ndarray:
    if not isinstance(objects, Sequence) or isinstance(objects, str | bytes | bytearray):
        raise _not_a_collection(objects)
    held = np.empty(len(objects), dtype=object)
    for position, each in enumerate(objects):  # held[:] = objects would build a matrix out of equal-length lists
        held[position] = each
    return held


def _not_a_collection(objects: Any) -> InvalidInput:
    if isinstance(objects, str | bytes | bytearray) or not isinstance(objects, Iterable):
        advice = "Wrap a single object in a list: [object]."
    elif isinstance(objects, AbstractSet | Mapping):
        advice = "It has no order, so its objects have no index. Make it a list."
    else:
        advice = "Make it a list first: list(objects)."
    return InvalidInput(
        f"A sequence of objects is needed, not {type(objects).__name__} {shown(objects)}.", advice=advice, value=objects
    )
