"""What a metric may make of a sample: the contract of prepared containers, and what flat ones have in common.

A *flat* container has the parts of all its objects in one array, one object after another: object i has those from ``starts[i]``
to ``starts[i + 1]``.
"""

from typing import Any, Protocol, Self, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from wideberth.arrays import Floats

#: Numbers beyond this are refused: squares of differences would overflow, and distances be infinite.
LARGEST = 1e150


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


def taken(starts: NDArray[np.int64], indices: Any) -> tuple[Any, NDArray[np.int64]]:
    """What to take from a flat array for the objects at ``indices``, a slice or integers, and the starts of what was taken.

    Neighbouring objects, from a slice, lie in a slice, which shares the memory of the array.

    >>> taken(np.array([0, 1, 3, 6]), slice(1, 3))
    (slice(1, 6, None), array([0, 2, 5]))
    >>> taken(np.array([0, 1, 3, 6]), [2, 0])
    (array([3, 4, 5, 0]), array([0, 3, 4]))
    """
    if isinstance(indices, slice) and indices.step in (None, 1):
        first, stop, _ = indices.indices(len(starts) - 1)
        chosen = starts[first : max(first, stop) + 1]
        return slice(int(chosen[0]), int(chosen[-1])), chosen - chosen[0]
    begins, sizes = starts[:-1][indices], np.diff(starts)[indices]
    new_starts = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(sizes)])
    return np.arange(new_starts[-1]) + np.repeat(begins - new_starts[:-1], sizes), new_starts


def mean_size(starts: NDArray[np.int64]) -> float:
    """How many parts the objects of a flat container have, on average.

    >>> mean_size(np.array([0, 1, 3, 6]))
    2.0
    """
    return float(starts[-1] - starts[0]) / max(1, len(starts) - 1)


def for_kernels(array: Any) -> Floats:
    """An array as plain float64, writeable although nobody writes: kernels would be compiled again for any other layout."""
    return np.require(array, np.float64, ["C", "A", "W", "E"])


def as_array(given: Any) -> NDArray[Any] | None:
    """Anything like an array as one, of numbers if it holds nothing else; None if its parts do not fit together.

    >>> as_array([[1, 2], [3, 4]]).shape, as_array([[1, 2], [3]])
    ((2, 2), None)
    """
    try:
        array = np.asarray(given)
        return np.asarray(array.tolist()) if array.dtype.kind == "O" else array
    except ValueError:
        return None


def as_real_numbers(given: Any) -> Floats | None:
    """Anything like an array of real numbers as one of float64; None for anything else, texts of digits among them.

    >>> as_real_numbers([[1, 2]]), as_real_numbers(["1"]), as_real_numbers([1j])
    (array([[1., 2.]]), None, None)
    """
    array = as_array(given)
    return None if array is None or array.dtype.kind not in "fiub" else array.astype(np.float64, copy=False)


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
