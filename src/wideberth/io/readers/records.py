"""What a reader returns, objects with their labels, and what it reads them from: the cells of rows."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, NamedTuple, get_args

import numpy as np

from wideberth.arrays import Floats

#: What the objects of a file can be.
Kind = Literal["strings", "vectors", "series", "sets", "molecules", "trees", "graphs", "rows", "objects", "distances"]
KINDS: tuple[Kind, ...] = get_args(Kind)
#: What a cell can be read as, from narrow to wide.
Sort = Literal["number", "series", "text", "other"]
SORTS: tuple[Sort, ...] = get_args(Sort)


@dataclass(frozen=True, eq=False, repr=False)
class Records:
    """Objects of one kind and, where the file has them, their labels.

    >>> Records(["tea", "thé"], ["en", "fr"], kind="strings", column="word", target="language", path="drinks.csv")
    Records(2 strings from 'word' with labels from 'language', in 'drinks.csv')

    Attributes
    ----------
    objects : list or array
        Strings, series (float64 arrays, one axis for time or two for channels x time), frozensets, molecules (SMILES), trees
        (lists ``[label, children]``), graphs (dicts of ``nodes`` and ``edges`` or ``neighbors``), rows (dicts of their columns:
        float, str or None) or any objects in a list; vectors and rows of a distance matrix in an array.
    labels : list or None
        One label for each object.
    kind : {"strings", "vectors", "series", "sets", "molecules", "trees", "graphs", "rows", "objects", "distances"}
        What the objects are.
    column : str, tuple of str or None
        The column or columns, fields or array the objects came from.
    target : str or None
        The one the labels came from.
    path : str
        The file.
    numbers : tuple of str or None
        Of rows, the columns that were read as numbers.
    """

    objects: Any
    labels: list[Any] | None
    kind: Kind
    column: str | tuple[str, ...] | None
    target: str | None
    path: str
    numbers: tuple[str, ...] | None = None

    def __len__(self) -> int:
        return len(self.objects)

    def __repr__(self) -> str:
        what = "rows of distances" if self.kind == "distances" else self.kind
        origin = f" from {self._origin()}" if self.column else ""
        labels = f" with labels from {self.target!r}" if self.target else ""
        return f"Records({len(self)} {what}{origin}{labels}, in {self.path!r})"

    def _origin(self) -> str:
        return f"{len(self.column)} columns" if isinstance(self.column, tuple) else repr(self.column)


def join(batches: list[Records]) -> Records:
    """All batches of one file as one.

    >>> parts = [Records([word], None, kind="strings", column=None, target=None, path="a.npy") for word in ("tea", "milk")]
    >>> join(parts).objects
    ['tea', 'milk']
    """
    first = batches[0]
    if len(batches) == 1:
        return first
    if isinstance(first.objects, np.ndarray):
        objects: Any = np.concatenate([batch.objects for batch in batches])
    else:
        objects = [each for batch in batches for each in batch.objects]
    labels = None if first.labels is None else [label for batch in batches for label in batch.labels or ()]
    return replace(first, objects=objects, labels=labels)


class Row(NamedTuple):
    """The cells of one row or JSON record by column name, and the line on which it begins; None if its file has no lines."""

    line: int | None
    cells: dict[str, Any]


@dataclass(frozen=True)
class CellReader:
    """How one format's cells are read: each function returns None for a cell that is no such thing, as an empty one."""

    number: Callable[[Any], float | None]
    series: Callable[[Any], Floats | None]
    text: Callable[[Any], str | None]
    members: Callable[[Any], frozenset[Any] | None]
    structure: Callable[[Any], list[Any] | dict[str, Any] | None]  # of JSON: a tree, or a part of a graph
    label: Callable[[Any], Any]
    widest: Kind  # what every filled cell can be read as

    def sort(self, cell: Any) -> Sort:
        """The narrowest thing a cell can be read as."""
        if self.number(cell) is not None:
            return "number"
        if self.series(cell) is not None:
            return "series"
        return "other" if self.text(cell) is None else "text"


@dataclass(frozen=True)
class RawTable:
    """The rows of one file, how their cells are read and, where the format itself says it, which column holds what objects."""

    rows: Iterator[Row]
    cells: CellReader
    column: str | None = None
    kind: Kind | None = None
    unit: str = "line"  # what the number of a row counts
    unreadable: dict[str, str] = field(default_factory=dict)  # columns of types that have no reader: refused where they are used


def is_empty(cell: Any) -> bool:
    """Nothing in it: an empty cell of a table, or a null in JSON.

    >>> is_empty(""), is_empty(None), is_empty(0), is_empty([])
    (True, True, False, False)
    """
    return cell is None or (isinstance(cell, str) and not cell)


def usual_sort(rows: Sequence[Row], name: str, cells: CellReader) -> Sort:
    """What most filled cells of a column are. One typing error must not turn numbers into text: it is reported later."""
    counts = Counter(cells.sort(row.cells[name]) for row in rows if not is_empty(row.cells.get(name)))
    return max(SORTS, key=lambda sort: (counts[sort], SORTS.index(sort))) if counts else "text"


def numeric_array(values: list[Any]) -> Floats | None:
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
