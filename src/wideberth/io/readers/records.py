"""What readers return: objects, their labels, and what was understood of each column."""

from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any, Literal, NamedTuple, get_args

import numpy as np

#: The kinds of objects that a file can hold.
Kind = Literal["strings", "vectors", "series", "sets", "molecules", "trees", "graphs", "rows", "objects", "distances"]
KINDS: tuple[Kind, ...] = get_args(Kind)
#: What a column can be used as.
Use = Literal["number", "category", "text", "date", "series", "object", "label", "identifier", "weight", "group", "ignored"]


class ColumnUse(NamedTuple):
    """What a column of a file is used as, and why.

    Attributes
    ----------
    name : str
        The column.
    use : str
        As a feature or the object itself: ``"number"``, ``"category"``, ``"text"``, ``"date"`` (a number of days),
        ``"series"`` or ``"object"`` (any other); otherwise ``"label"``, ``"identifier"``, ``"weight"``, ``"group"`` or
        ``"ignored"``.
    why : str
        A short phrase; empty where there is nothing to explain.

    Examples
    --------
    >>> print(*ColumnUse("price", "number", "decimal commas: 3,5 is 3.5"), sep=" | ")
    price | number | decimal commas: 3,5 is 3.5
    """

    name: str
    use: Use
    why: str

    def because(self, why: str) -> "ColumnUse":
        """The same use for another reason."""
        return self._replace(why=why)


class Skipped(NamedTuple):
    """A record that could not be read and was left out, as ``on_error="skip"`` wants it.

    Attributes
    ----------
    line : int or None
        Where it is in the file, as messages count: the line, or the row of a file without lines.
    why : str
        What is wrong with it.

    Examples
    --------
    >>> Skipped(17, "'abc' in column 'height' is not a number.").line
    17
    """

    line: int | None
    why: str

    def because(self, why: str) -> "Skipped":
        """The same record for another reason."""
        return self._replace(why=why)


@dataclass(frozen=True, eq=False, repr=False)
class Records:
    """Objects of one kind and, where the file has them, their labels.

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
        The column or columns, fields or array from which the objects were read; None for an NPY file, whose array has no name.
    target : str or None
        The column, field or array from which the labels were read.
    path : str
        The file.
    numbers : tuple of str or None
        Of rows, the columns that were read as numbers.
    understood : tuple of ColumnUse
        What each column is used as and why, in the order of the file; empty for arrays, which have no columns.
    names : list or None
        The identifier of each object, where a column holds identifiers.
    weights : list of float or None
        The weight of each object, from the column named with ``weight=``.
    groups : list or None
        The group of each object, from the column named with ``groups=``.
    cells : list of dict or None
        The cells of each row as they are in the file, in the order of its columns; kept only with ``keep_cells=True``.
    skipped : list of Skipped
        The records that were left out, with ``on_error="skip"``.

    Examples
    --------
    >>> Records(["tea", "thé"], ["en", "fr"], kind="strings", column="word", target="language", path="drinks.csv")
    Records(2 strings from 'word' with labels from 'language', in 'drinks.csv')
    """

    objects: Any
    labels: list[Any] | None
    kind: Kind
    column: str | tuple[str, ...] | None
    target: str | None
    path: str
    numbers: tuple[str, ...] | None = None
    understood: tuple[ColumnUse, ...] = ()
    names: list[Any] | None = None
    weights: list[float] | None = None
    groups: list[Any] | None = None
    cells: list[dict[str, Any]] | None = None
    skipped: list[Skipped] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.objects)

    def __repr__(self) -> str:
        what = "rows of distances" if self.kind == "distances" else self.kind
        origin = f" from {self._origin()}" if self.column else ""
        labels = f" with labels from {self.target!r}" if self.target else ""
        return f"Records({len(self)} {what}{origin}{labels}, in {self.path!r})"

    def _origin(self) -> str:
        """The columns of the objects, as the repr names them."""
        return f"{len(self.column)} columns" if isinstance(self.column, tuple) else repr(self.column)


def join(batches: list[Records]) -> Records:
    """Join all batches of one file to one.

    Parameters
    ----------
    batches : list of Records
        At least one; all of the same kind, from the same columns.

    Returns
    -------
    Records
        With what was understood when the last batch was read: only the end of a file shows all of it.

    Examples
    --------
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
        objects = [item for batch in batches for item in batch.objects]
    lists: dict[str, Any] = {name: _joined(batches, name) for name in ("labels", "names", "weights", "groups", "cells")}
    skipped = [record for batch in batches for record in batch.skipped]
    return replace(first, objects=objects, **lists, skipped=skipped, understood=batches[-1].understood)


def _joined(batches: list[Records], name: str) -> list[Any] | None:
    """A list of all batches joined to one; None if they have none."""
    if getattr(batches[0], name) is None:
        return None
    return list(chain.from_iterable(getattr(batch, name) for batch in batches))
