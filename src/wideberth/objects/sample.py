"""Hold, count, pick and join objects of any kind: the only module that knows how a collection of
objects is stored.

A *held* sample is one of three things, and all other modules may rely on it:

- an array whose first axis counts the objects;
- a data frame whose rows are the objects;
- a container that a metric prepared (it has ``take`` and a length).

What is to be said of single values, how they are shown among it, is here too.
"""

import re
import reprlib
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from datetime import date, datetime, timedelta
from importlib import import_module
from numbers import Real
from typing import Any

import numpy as np

from wideberth.array_types import Objects, Sample
from wideberth.errors import InvalidInput

Indices = Any  # a slice, or an integer array

#: Kinds of arrays of numbers (`numpy.dtype.kind`): floats, signed and unsigned integers, truth
#: values.
NUMERIC = "fiub"

#: Most characters of a value in a message.
_LONGEST = 60
_BRIEF = reprlib.Repr()
_BRIEF.maxstring = _BRIEF.maxother = _LONGEST


def hold(objects: Objects, *, rows: bool = False) -> Sample:
    """Hold any collection of objects as a sample, without turning lists of equal length into a
    matrix.

    With ``rows`` the objects are rows of tables: frames become arrays of dicts, which keep the
    names of the columns. Arrays and containers are not copied unless their type changes. A single
    object, a set, a dict, an iterator and masked values are refused.

    ==============================================  ============================================================
    given                                           held as
    ==============================================  ============================================================
    numeric array                                   the array; a two-dimensional one is a sample of its rows
    array of texts with one column                  one-dimensional array of objects, as imputers of scikit-learn make it
    array of another library (``__array__``)        a NumPy array
    column or one-column frame of pandas, polars    one-dimensional array of objects
    numeric frame, also with None                   two-dimensional array; None and pandas' NA become NaN
    numeric table of pyarrow, also with null        the same
    other frame                                     the frame; an array of dicts if ``rows``
    pyarrow column, or other table                  one-dimensional array of objects; of a table, one dict a row
    container that a metric prepared                the container
    any other sequence                              one-dimensional array of objects
    ==============================================  ============================================================

    Examples
    --------
    >>> hold([[1, 2], [3, 4]]).shape  # two lists, not a 2 x 2 matrix
    (2,)
    >>> hold(("tea", "coffee")).dtype
    dtype('O')
    """
    if isinstance(objects, np.ndarray):
        held = _hold_array(objects)
        return held[:, 0] if not rows and _is_column_of_texts(held) else held
    if hasattr(objects, "to_pylist"):  # pyarrow; a table gives one dict for each row
        numbers = None if rows else _numbers_of_table(objects)
        return _hold_sequence(objects.to_pylist()) if numbers is None else numbers
    if rows and hasattr(objects, "to_numpy") and len(objects.shape) == 2:
        return _hold_sequence(
            objects.to_dict("records") if hasattr(objects, "iloc") else objects.to_dicts()
        )
    if hasattr(objects, "to_numpy"):
        return _hold_frame(objects)
    if hasattr(objects, "__array__"):
        return _hold_array(np.asarray(objects))
    if hasattr(objects, "take") and hasattr(objects, "__len__"):
        return objects
    return _hold_sequence(objects)


def one_by_one(held: Sample) -> Sample:
    """Return a held sample in a form that iterates over its objects: a frame, which would give its
    columns, as an array of rows.

    Examples
    --------
    >>> list(one_by_one(hold(["tea", "coffee"])))
    ['tea', 'coffee']
    """
    return held.to_numpy() if hasattr(held, "to_numpy") else held


def shown(value: Any) -> str:
    """Show a value in a message: its repr on one line and in at most 60 characters, however large
    or deep it is.

    Examples
    --------
    >>> shown(np.zeros((2, 2))), len(shown("tea" * 100))
    ('array([[0., 0.], [0., 0.]])', 60)
    """
    line = " ".join(_BRIEF.repr(value).split())
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 3]}..."


def count(objects: Sample) -> int:
    """Count the objects of a sample.

    Examples
    --------
    >>> count(["tea", "coffee"]), count(np.zeros((3, 5)))
    (2, 3)
    """
    return len(objects)


def pick(objects: Sample, indices: Indices) -> Sample:
    """Pick some objects of a held sample.

    Examples
    --------
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


def join(held: Sample, more: Sample) -> Sample:
    """Join two held samples to one. They are held like the first where the second can be converted,
    else as a one-dimensional array of objects.

    Examples
    --------
    >>> join(hold(np.zeros((2, 3))), hold([[1, 2, 3]])).shape  # a list with one row joins a matrix
    (3, 3)
    """
    if isinstance(held, np.ndarray) and isinstance(more, np.ndarray):
        more = _numeric(more) if held.dtype != object else more
        if held.shape[1:] == more.shape[1:]:
            return np.concatenate([held, more])
    # both pandas and polars call it concat
    if hasattr(held, "to_numpy") and type(held) is type(more):
        return import_module(type(held).__module__.partition(".")[0]).concat([held, more])
    return _hold_sequence(
        [pick_one(part, index) for part in (held, more) for index in range(count(part))]
    )


def has_objects(prepared: Sample) -> bool:
    """Whether a prepared sample still has its objects, to be picked one by one: of some, only
    counts are left.

    Examples
    --------
    >>> has_objects(["tea", "rum"])
    True
    """
    return bool(getattr(prepared, "has_objects", hasattr(type(prepared), "__getitem__")))


def pick_one(objects: Sample, index: int) -> Any:
    """Return the single object at ``index`` of a held sample, as the user gave it.

    Examples
    --------
    >>> pick_one(hold(["tea", "coffee"]), 1)
    'coffee'
    """
    return objects.iloc[index] if hasattr(objects, "iloc") else objects[index]


def _numeric(objects: np.ndarray) -> np.ndarray:
    """Rows of numbers in a one-dimensional array of objects as a numeric array; every other array
    unchanged.
    """
    try:
        array = np.array(objects.tolist()) if objects.dtype == object else objects
    except ValueError:  # rows of unequal lengths
        return objects
    return array if array.dtype.kind in NUMERIC else objects


def _hold_array(array: np.ndarray) -> np.ndarray:
    if array.ndim == 0:
        raise _not_a_collection(array.item())
    if isinstance(array, np.ma.MaskedArray) and np.ma.is_masked(array):
        missing = np.argwhere(np.ma.getmaskarray(array))
        first = tuple(map(int, missing[0]))
        raise InvalidInput(
            f"Values are masked, so they are unknown: {len(missing)} of them, the first at "
            f"{first}.",
            advice="Fill them, array.filled(value), or leave these objects out.",
            witness=first,
            value=len(missing),
        )
    array = np.asarray(array)  # numpy.matrix and other subclasses index differently
    return array.astype(object) if array.dtype.kind in "US" else array


def _is_column_of_texts(array: np.ndarray) -> bool:
    """Whether a two-dimensional array has one column, of texts: each row is one text, not a
    sequence of one token.
    """
    if array.ndim != 2 or array.shape[1] != 1 or array.dtype != object or not len(array):
        return False
    return isinstance(array[0, 0], str | bytes) and all(
        isinstance(item, str | bytes) for item in array[:, 0]
    )


def several_columns(objects: Objects) -> list[Any]:
    """The names of the columns of a data frame that has more than one; empty for everything else.

    Examples
    --------
    >>> several_columns(["tea", "coffee"])
    []
    """
    is_frame = (
        hasattr(objects, "to_numpy") and hasattr(objects, "columns") and len(objects.shape) == 2
    )
    return list(objects.columns) if is_frame and objects.shape[1] > 1 else []


def _hold_frame(frame: Any) -> Any:
    if len(frame.shape) == 1:
        # pandas' own arrays
        return _hold_sequence(frame.to_list() if hasattr(frame, "to_list") else frame.tolist())
    if frame.shape[1] == 1:
        return _hold_frame(frame[frame.columns[0]])
    array = (
        frame.to_numpy(dtype=np.float64, na_value=np.nan)
        if _has_nullable_numbers(frame)
        else frame.to_numpy()
    )
    if array.dtype == object and _are_numbers_or_none(array):
        return array.astype(np.float64)
    return array if array.dtype.kind in NUMERIC else frame


def _numbers_of_table(table: Any) -> Any:
    """A table of pyarrow with several columns of numbers as a matrix, NaN where one is null; None for
    all others.
    """
    if len(getattr(table, "column_names", ())) < 2:
        return None
    cells = np.array([column.to_pylist() for column in table.columns], dtype=object).T
    return cells.astype(np.float64) if cells.ndim == 2 and _are_numbers_or_none(cells) else None


def _are_numbers_or_none(array: np.ndarray) -> bool:
    """Whether the cells of a frame are numbers, or None where one is missing, and not all are."""
    cells = array.ravel().tolist()
    return all(
        cell is None or (isinstance(cell, Real) and not isinstance(cell, bool)) for cell in cells
    ) and not all(cell is None for cell in cells)


def _has_nullable_numbers(frame: Any) -> bool:
    """Whether all columns of a frame of pandas are numbers, and some may hold pandas' NA: their
    array would be one of objects.
    """
    if not hasattr(frame, "iloc"):
        return False
    types = list(frame.dtypes)
    return all(type_.kind in NUMERIC for type_ in types) and not all(
        isinstance(type_, np.dtype) for type_ in types
    )


def _hold_sequence(objects: Objects) -> np.ndarray:
    if not isinstance(objects, Sequence) or isinstance(objects, str | bytes | bytearray):
        raise _not_a_collection(objects)
    held = np.empty(len(objects), dtype=object)
    # held[:] = objects would build a matrix out of equal-length lists
    for position, item in enumerate(objects):
        held[position] = item
    return held


def _not_a_collection(objects: Objects) -> InvalidInput:
    """The error for something that is not a sequence of objects, with the way to make it one."""
    if isinstance(objects, str | bytes | bytearray) or not isinstance(objects, Iterable):
        advice = "Wrap a single object in a list: [object]."
    elif isinstance(objects, AbstractSet | Mapping):
        advice = "It has no order, so its objects have no index. Make it a list."
    else:
        advice = "Make it a list first: list(objects)."
    return InvalidInput(
        f"A sequence of objects is needed, not {type(objects).__name__} {shown(objects)}.",
        advice=advice,
        value=objects,
    )


# ---- Single values: dates as numbers of days, texts that are none, what does not equal itself

#: The day from which days are counted.
EPOCH = date(1970, 1, 1)


def days_of(moment: date) -> float:
    """The days since 1970-01-01 of a date or a point in time, in UTC where it has a time zone.

    Examples
    --------
    >>> days_of(date(1970, 1, 3)), days_of(datetime(1970, 1, 1, 12))
    (2.0, 0.5)
    """
    if not isinstance(moment, datetime):
        return float((moment - EPOCH).days)
    offset = moment.utcoffset() or timedelta()
    return (moment.replace(tzinfo=None) - datetime(1970, 1, 1) - offset) / timedelta(days=1)


def date_of(days: float) -> str:
    """Write days since 1970-01-01 as a date, with the time if they are not whole.

    Examples
    --------
    >>> date_of(19739.0), date_of(0.5)
    ('2024-01-17', '1970-01-01 12:00:00')
    """
    try:
        moment = datetime(EPOCH.year, EPOCH.month, EPOCH.day) + timedelta(days=float(days))
    except (OverflowError, ValueError):  # no number, or beyond the year 9999
        return str(days)
    return (
        moment.date().isoformat()
        if float(days).is_integer()
        else moment.isoformat(sep=" ", timespec="seconds")
    )


_SURROGATE = re.compile("[\ud800-\udfff]")


def half_character(text: str) -> str | None:
    r"""Describe the first half of a surrogate pair in a text. It is the beginning of a sentence.

    UTF-16 writes some characters as pairs of surrogates. One of them alone, which JSON and Python
    can hold, is no character: no file or terminal takes it.

    Examples
    --------
    >>> half_character("tea"), half_character("tea \u2615")
    (None, None)
    >>> print(half_character("tea \ud83c"))
    '\ud83c' at character 5 is half of a surrogate pair
    """
    if text.isascii() or not (found := _SURROGATE.search(text)):
        return None
    return f"{found[0]!r} at character {found.start() + 1} is half of a surrogate pair"


def equals_itself(token: Any) -> bool:
    """Tell whether a value equals itself, as NaN and pandas.NA do not: only such values can be
    looked up.

    Examples
    --------
    >>> equals_itself("tea"), equals_itself(float("nan"))
    (True, False)
    """
    try:
        return bool(token == token)
    except TypeError:  # as pandas.NA
        return False
