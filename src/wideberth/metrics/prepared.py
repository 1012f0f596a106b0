"""What a metric may make of a sample: the contract of prepared containers."""

from typing import Any, Protocol, Self, runtime_checkable

import numpy as np
from numpy.typing import NDArray


@runtime_checkable
class Prepared(Protocol):
    """A sample in a form of its metric's own, where an array does not do.

    It can be counted and picked from like any sample (`wideberth.objects.sample`), and written into a model file.
    """

    def __len__(self) -> int: ...

    def take(self, indices: Any) -> Self:
        """The objects at ``indices``, a slice or an integer array, in the same form."""
        ...

    def plain(self) -> dict[str, Any]:
        """The sample as plain values: numbers, texts, arrays, and lists, tuples and dicts of them."""
        ...

    @classmethod
    def from_plain(cls, plain: dict[str, Any]) -> Any:
        """What ``prepare`` of the metric takes and checks, from values that a file claims `plain` gave.

        A `ValueError` where they do not fit together: what compiled code will trust is checked here or in ``prepare``.
        """
        ...


def cut(values: Any, starts: Any, kinds: str) -> list[NDArray[Any]]:
    """The parts of a flat array that begin at ``starts``, the last of which is its end; a `ValueError` if they are no such thing.

    >>> cut(np.array([5, 6, 7]), np.array([0, 1, 3]), "iu")
    [array([5]), array([6, 7])]
    """
    check_starts(values, starts, kinds)
    return np.split(values, starts[1:-1]) if len(starts) > 1 else []


def check_starts(values: Any, starts: Any, kinds: str) -> None:
    """Raise a `ValueError` unless ``starts`` cuts the flat array ``values``, whose dtype is one of ``kinds``, into parts."""
    for array, allowed in ((values, kinds), (starts, "iu")):
        if not isinstance(array, np.ndarray) or array.ndim != 1 or array.dtype.kind not in allowed:
            raise ValueError("a flat array of numbers is needed")
    if len(starts) < 1 or starts[0] != 0 or starts[-1] != len(values) or np.any(np.diff(starts.astype(np.int64)) < 0):
        raise ValueError(f"offsets do not cut {len(values)} numbers")
