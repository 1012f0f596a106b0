"""Containers of prepared samples: their interface, the operations that flat ones share, and the one of
metrics that combine several metrics.

A *flat* container stores the parts of all its objects in one array, one object after another:
object i has the parts from ``starts[i]`` to ``starts[i + 1]``, so ``starts`` has one entry more
than there are objects.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol, Self, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from wideberth.array_types import Floats
from wideberth.errors import InvalidInput
from wideberth.objects import sample

#: Larger numbers are refused: squares of their differences would overflow, and distances would be
#: infinite.
LARGEST = 1e150


@runtime_checkable
class Prepared(Protocol):
    """The interface of a prepared sample that is not a plain array.

    It has a length and can be selected from like any sample (`wideberth.objects.sample`), and can
    be written into a model file.

    Examples
    --------
    >>> from wideberth.metrics.series.sample import prepare_series
    >>> isinstance(prepare_series([[0, 1]]), Prepared)
    True
    """

    def __len__(self) -> int: ...

    def take(self, indices: Any) -> Self:
        """Select the objects at ``indices``, a slice or an integer array, in the same form."""
        ...

    def plain(self) -> dict[str, Any]:
        """Return the sample as plain values: numbers, texts, arrays, and lists, tuples and dicts of
        them.
        """
        ...

    @classmethod
    def from_plain(cls, plain: dict[str, Any]) -> Any:
        """Convert values from a file into something that ``prepare`` of the metric accepts and
        checks. The values should come from `plain`, but may be anything: a `ValueError` if they do
        not fit together. Everything that compiled code relies on is checked here or in ``prepare``.
        """
        ...


def taken(starts: NDArray[np.int64], indices: Any) -> tuple[Any, NDArray[np.int64]]:
    """Find the entries of a flat array that belong to selected objects. Returned are the index that
    selects their parts, for a slice of objects a slice, so that the selection shares memory, and
    where each object begins in the selection.

    Examples
    --------
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
    """Return the mean number of parts of the objects of a flat container; 0 if it is empty.

    Examples
    --------
    >>> mean_size(np.array([0, 1, 3, 6]))
    2.0
    """
    return float(starts[-1] - starts[0]) / max(1, len(starts) - 1)


def for_kernels(array: Any) -> Floats:
    """Return an array as contiguous, aligned, writeable float64, without a copy if it already is.

    Kernels only read it. But numba compiles a kernel once for each layout of its arguments, so
    every sample gets the same one.

    Examples
    --------
    >>> for_kernels([1, 2]).dtype
    dtype('float64')
    """
    return np.require(array, np.float64, ["C", "A", "W", "E"])


def as_array(given: Any) -> NDArray[Any] | None:
    """Convert nested sequences or anything like an array into an array. None if the parts have
    different lengths. Arrays of dtype object, as pandas makes them of mixed columns, become arrays
    of numbers if they hold only numbers.

    Examples
    --------
    >>> as_array([[1, 2], [3, 4]]).shape, as_array([[1, 2], [3]])
    ((2, 2), None)
    """
    try:
        array = np.asarray(given)
        return np.asarray(array.tolist()) if array.dtype.kind == "O" else array
    except ValueError:
        return None


def as_real_numbers(given: Any) -> Floats | None:
    """Convert an array-like of real numbers into an array of float64. None for everything else,
    such as texts, even of digits, and complex numbers.

    Examples
    --------
    >>> as_real_numbers([[1, 2]]), as_real_numbers(["1"]), as_real_numbers([1j])
    (array([[1., 2.]]), None, None)
    """
    array = as_array(given)
    if array is None or array.dtype.kind not in "fiub":
        return None
    return array.astype(np.float64, copy=False)


def cut(values: Any, starts: Any, kinds: str) -> list[NDArray[Any]]:
    """Cut a flat array into the parts of its objects. ``kinds`` are the kinds of dtype that are
    allowed for the values; a `ValueError` if the arguments, which may come from a file, are not
    such arrays.

    Examples
    --------
    >>> cut(np.array([5, 6, 7]), np.array([0, 1, 3]), "iu")
    [array([5]), array([6, 7])]
    """
    check_starts(values, starts, kinds)
    return np.split(values, starts[1:-1]) if len(starts) > 1 else []


def check_starts(values: Any, starts: Any, kinds: str) -> None:
    """Raise a `ValueError` unless ``starts`` cuts the flat array ``values`` into parts; parameters
    as in `cut`.

    Examples
    --------
    >>> check_starts(np.array([5, 6, 7]), np.array([0, 1, 2]), "iu")
    Traceback (most recent call last):
    ...
    ValueError: offsets do not cut 3 numbers
    """
    for array, allowed in ((values, kinds), (starts, "iu")):
        if not isinstance(array, np.ndarray) or array.ndim != 1 or array.dtype.kind not in allowed:
            raise ValueError("a flat array of numbers is needed")
    if (
        len(starts) < 1
        or starts[0] != 0
        or starts[-1] != len(values)
        or np.any(np.diff(starts.astype(np.int64)) < 0)
    ):
        raise ValueError(f"offsets do not cut {len(values)} numbers")


def refused(what: str, index: int, given: Any, problem: str, advice: str) -> InvalidInput:
    """Make the error for an object that cannot be prepared: its kind and position, the problem, the
    object itself.

    Examples
    --------
    >>> print(refused("Set", 3, [], "has no points", "Leave it out."))
    Set 3 has no points: []. Leave it out.
    """
    message = f"{what} {index} {problem}: {sample.shown(given)}."
    return InvalidInput(message, advice=advice, witness=index, value=given)


# ---- One sample for each of several metrics


@dataclass(frozen=True, eq=False)
class PartsSample:
    """The same objects, or their parts, as prepared by each of several metrics.

    It satisfies `wideberth.metrics.containers.Prepared`.

    Examples
    --------
    >>> people = PartsSample((["Ann", "Bob"], [[20.0], [50.0]]))
    >>> len(people), people.for_metrics(2)[0]
    (2, ['Ann', 'Bob'])
    """

    parts: tuple[Any, ...]

    def __len__(self) -> int:
        return sample.count(self.parts[0])

    def __getitem__(self, index: int) -> Any:
        """One object, as the first metric that still has objects has prepared it: how it is shown
        in messages.
        """
        return sample.pick_one(next(filter(sample.has_objects, self.parts)), index)

    @property
    def has_objects(self) -> bool:
        """Whether a part has the objects themselves; see `sample.has_objects`."""
        return any(map(sample.has_objects, self.parts))

    def take(self, indices: Any) -> Self:
        """Select the objects at ``indices``, a slice or an integer array, from every part."""
        return type(self)(tuple(sample.pick(part, indices) for part in self.parts))

    def for_metrics(self, count: int) -> tuple[Any, ...]:
        """Return the parts, one for each metric."""
        if len(self.parts) != count:
            raise InvalidInput(
                f"These objects were prepared for {len(self.parts)} metrics, not for {count}.",
                advice="Give the metric the objects themselves.",
                value=len(self.parts),
            )
        return self.parts

    def plain(self) -> dict[str, Any]:
        """Return the samples of the parts, each of which is written into a model file as a sample
        of its own.
        """
        return {"parts": list(self.parts)}

    def plain_inside(self, written: Callable[[Any], Any]) -> dict[str, Any]:
        """Return what `plain` returns with each part as ``written`` writes a sample."""
        return {"parts": [written(part) for part in self.parts]}

    @classmethod
    def from_plain_inside(cls, plain: dict[str, Any], read: Callable[[Any], Any]) -> Any:
        """Read back what `plain_inside` wrote, each part by ``read``."""
        parts = plain.get("parts")
        return cls.from_plain(
            {"parts": [read(part) for part in parts] if isinstance(parts, list) else parts}
        )

    @classmethod
    def from_plain(cls, plain: dict[str, Any]) -> Any:
        """Read back what `plain` wrote; the metrics check their parts when they prepare them."""
        match plain:
            case {"parts": [first, *others]} if all(
                sample.count(part) == sample.count(first) for part in others
            ):
                return cls((first, *others))
        raise ValueError("parts of as many objects each are needed")


@dataclass(frozen=True, eq=False)
class VectorParts(PartsSample):
    """Vectors with what each of several metrics has prepared of them; where an array of vectors is
    needed, it is one. A model file keeps the vectors alone.

    Examples
    --------
    >>> vectors = VectorParts((np.zeros((2, 3)), np.array(["one", "other"])), np.zeros((2, 3)))
    >>> vectors.shape, np.asarray(vectors.take([0])).shape, vectors.take([0]).parts[1].tolist()
    ((2, 3), (1, 3), ['one'])
    """

    vectors: Floats

    def __getitem__(self, index: int) -> Any:
        """One vector."""
        return self.vectors[index]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return np.array(self.vectors, dtype=dtype, copy=copy)

    @property
    def shape(self) -> tuple[int, ...]:
        """The numbers of vectors and of their coordinates."""
        return self.vectors.shape

    @property
    def has_objects(self) -> bool:
        return True

    def take(self, indices: Any) -> Self:
        """Select the vectors at ``indices``, a slice or an integer array, with all their parts."""
        parts = tuple(sample.pick(part, indices) for part in self.parts)
        return type(self)(parts, self.vectors[indices])

    def plain_inside(self, written: Callable[[Any], Any]) -> dict[str, Any]:
        """Return the vectors; the metrics prepare them again."""
        return {"vectors": self.vectors}

    @classmethod
    def from_plain_inside(cls, plain: dict[str, Any], read: Callable[[Any], Any]) -> Any:
        """Read back what `plain_inside` wrote: an array, which the metrics check."""
        vectors = plain.get("vectors")
        if not isinstance(vectors, np.ndarray) or vectors.ndim != 2:
            raise ValueError("vectors are rows of numbers")
        return vectors
