"""Metrics on sets."""

from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from wideberth.errors import InvalidInput
from wideberth.metrics.metric import Distances, Kind, Metric, Promises
from wideberth.metrics.prepared import cut
from wideberth.metrics.sets_kernels import jaccard_block
from wideberth.objects import sample


@dataclass(frozen=True)
class SetSample:
    """Sets as numbers: set i holds ``elements[starts[i]:starts[i + 1]]``, numbered by ``number_of``."""

    elements: NDArray[np.int64]
    starts: NDArray[np.int64]
    number_of: dict[Any, int] = field(repr=False)

    def __len__(self) -> int:
        return len(self.starts) - 1

    def take(self, indices: Any) -> Self:
        """The sets at ``indices``, numbered the same way."""
        sizes = np.diff(self.starts)[indices]
        first = self.starts[:-1][indices]
        starts = np.concatenate([[0], np.cumsum(sizes)])
        within = np.arange(starts[-1]) - np.repeat(starts[:-1], sizes)
        return type(self)(self.elements[np.repeat(first, sizes) + within], starts, self.number_of)

    def plain(self) -> dict[str, Any]:
        """See `wideberth.metrics.prepared.Prepared`."""
        used, numbers = np.unique(self.elements, return_inverse=True)
        names = list(self.number_of)
        return {"members": [names[each] for each in used], "elements": numbers, "starts": self.starts}

    @classmethod
    def from_plain(cls, plain: dict[str, Any]) -> Any:
        """The sets one by one, to be checked again."""
        match plain:
            case {"members": list(members), "elements": elements, "starts": starts}:
                return [frozenset(members[each] for each in part) for part in cut(elements, starts, "iu")]
        raise ValueError("members, elements and starts of sets are needed")


def prepare_sets(objects: Any) -> SetSample:
    """Sets of hashable elements, given as sets, lists or tuples (repetitions do not count), or as rows of 0 and 1.

    >>> len(prepare_sets([{"tea", "milk"}, ["tea", "tea"]]).elements)
    3
    """
    if isinstance(objects, SetSample):
        return objects
    held = sample.hold(objects)
    if isinstance(held, np.ndarray) and held.ndim == 2:
        return _from_indicators(held)
    number_of: dict[Any, int] = {}
    sizes, elements = [], []
    for position, each in enumerate(held):
        numbers = [number_of.setdefault(element, len(number_of)) for element in _as_set(each, position)]
        sizes.append(len(numbers))
        elements.extend(numbers)
    return SetSample(np.array(elements, dtype=np.int64), np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)]), number_of)


def _as_set(each: Any, position: int) -> frozenset[Any]:
    try:
        if not isinstance(each, str | bytes):
            return frozenset(each)
    except TypeError:
        pass
    raise InvalidInput(
        f"Object {position} is not a set of hashable elements: {each!r}.",
        advice="Pass sets, or lists of elements; split a text into its words with text.split().",
        witness=position,
        value=each,
    )


def _from_indicators(rows: NDArray[Any]) -> SetSample:
    """Row i is the set of its columns that are not zero."""
    if rows.dtype.kind not in "biuf" or not np.isin(rows, (0, 1)).all():
        raise InvalidInput(
            "A table of sets has one row a set and one column an element, with 0 and 1 for absent and present.",
            advice="Binarise it first (table > 0); for vectors of other numbers choose a vector metric.",
            value=rows.dtype,
        )
    row, column = np.nonzero(rows)
    starts = np.searchsorted(row, np.arange(len(rows) + 1))
    own_numbers = {each: each for each in range(rows.shape[1])}  # a column is its own number, so that two tables agree
    return SetSample(column.astype(np.int64), starts.astype(np.int64), own_numbers)


def _renumbered(left: SetSample, right: SetSample) -> tuple[NDArray[np.int64], int]:
    """Left's elements in the numbers of ``right`` (elements that right has not get new ones), and how many numbers there are."""
    if left.number_of is right.number_of:
        return left.elements, len(right.number_of)
    used = np.unique(left.elements)
    universe = len(right.number_of)
    name_of = list(left.number_of)
    known = [right.number_of.get(name_of[number], -1) for number in used]
    numbers = np.array(known, dtype=np.int64)
    unknown = numbers < 0
    numbers[unknown] = universe + np.arange(unknown.sum())
    return numbers[np.searchsorted(used, left.elements)], universe + int(unknown.sum())


class Jaccard(Metric):
    r"""The share of the elements of two sets that they do not have in common, in [0, 1].

    .. math:: d(A, B) = 1 - \frac{|A \cap B|}{|A \cup B|}, \qquad d(\emptyset, \emptyset) = 0

    A metric (Marczewski & Steinhaus 1958). Of negative type, because 1 - d is a positive definite kernel (Gower & Legendre 1986).
    Not Hilbertian: {a, b} lies half-way between {a} and {b}, but {a, b, c} is at 1/3 from it where a Hilbert space asks for 0.44.

    >>> Jaccard()({"tea", "milk"}, {"tea", "rum"})
    0.6666666666666667
    """

    name = "jaccard"
    eats: Kind = "sets"
    parallel = "threads"
    promises = Promises(obeys_triangle=True, hilbertian=False, negative_type=True, bounded=True, separates=True)

    def __init__(self) -> None:  # no parameters
        pass

    def prepare(self, objects: Any) -> SetSample:
        return prepare_sets(objects)

    def _measure(self, left: SetSample, right: SetSample) -> Distances:
        out = np.empty((len(left), len(right)))
        elements, universe = _renumbered(left, right)
        jaccard_block(elements, left.starts, right.elements, right.starts, universe, out)
        return out
