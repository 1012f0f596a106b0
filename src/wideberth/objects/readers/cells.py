"""One row of a file, and the contract of what its cells can be read as."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wideberth.objects.readers.records import Kind

Sort = Literal["number", "series", "text", "other"]


class Row(NamedTuple):
    """The cells of one row or JSON record by column name, and the line on which it begins."""

    line: int
    cells: dict[str, Any]


@dataclass(frozen=True)
class CellReader:
    """How one format's cells are read: each function returns None for a cell that is no such thing, as an empty one."""

    number: Callable[[Any], float | None]
    series: Callable[[Any], NDArray[np.float64] | None]
    text: Callable[[Any], str | None]
    members: Callable[[Any], frozenset[Any] | None]
    label: Callable[[Any], Any]
    widest: Kind  # what every filled cell can be read as

    def sort(self, cell: Any) -> Sort:
        """The narrowest thing a cell can be read as."""
        if self.number(cell) is not None:
            return "number"
        if self.series(cell) is not None:
            return "series"
        return "other" if self.text(cell) is None else "text"


def is_empty(cell: Any) -> bool:
    """Nothing in it: an empty cell of a table, or a null in JSON.

    >>> is_empty(""), is_empty(None), is_empty(0), is_empty([])
    (True, True, False, False)
    """
    return cell is None or cell == ""


def numeric_array(values: list[Any]) -> NDArray[np.float64] | None:
    """A list of finite numbers, or of equally long lists of them (channels), as an array; None for anything else.

    >>> numeric_array([[1, 2], [3, 4]]).shape, numeric_array([[1, 2], [3]]), numeric_array([1, True]), numeric_array([])
    ((2, 2), None, None, None)
    """
    rows = values if values and all(type(row) is list for row in values) else [values]
    if not rows[0] or any(len(row) != len(rows[0]) for row in rows):
        return None
    if not all(type(value) in (int, float) for row in rows for value in row):
        return None
    try:
        array = np.array(values, dtype=np.float64)
    except OverflowError:
        return None
    return array if bool(np.isfinite(array).all()) else None
