"""What a reader returns: objects, their labels, and where both were found."""

from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

import numpy as np

Kind = Literal["strings", "vectors", "series", "sets", "molecules", "trees", "graphs", "rows", "objects", "distances"]
KINDS: tuple[Kind, ...] = get_args(Kind)


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
