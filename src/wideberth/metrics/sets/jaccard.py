"""The Jaccard distance between sets, which are given as collections of elements or as rows of 0 and
1.
"""

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from wideberth.errors import InvalidInput
from wideberth.metrics.containers import cut
from wideberth.metrics.metric import Distances, Kind, Metric, Promises
from wideberth.metrics.numbering import NumberedSample, check_numbers, in_use, renumbered
from wideberth.metrics.sets.kernels import jaccard_block
from wideberth.objects import sample
from wideberth.objects.digests import Digests, given_digests
from wideberth.rounding import UNIT
from wideberth.wording import at


class SetSample(NumberedSample):
    """A prepared sample of sets: the elements of set i are ``numbers[starts[i]:starts[i + 1]]``,
    without repetition.

    Elements are numbered within the sample (``number_of``); two samples are compared in the numbers
    of one of them.

    Examples
    --------
    >>> sets = SetSample.of([{"tea"}, set()])
    >>> len(sets), sets.starts
    (2, array([0, 1, 1]))
    """

    def plain(self) -> dict[str, Any]:
        """Return the elements that occur, the number of each entry, and the starts; see
        `Prepared.plain`.
        """
        members, elements = in_use(self.numbers, self.number_of)
        return {"members": members, "elements": elements, "starts": self.starts}

    @classmethod
    def from_plain(cls, plain: dict[str, Any]) -> Any:
        """Return the sets as frozensets, which `prepare_sets` checks; see `Prepared.from_plain`.

        Raises
        ------
        ValueError
            If the values do not fit together.
        """
        match plain:
            case {"members": list(members), "elements": elements, "starts": starts}:
                parts = cut(elements, starts, "iu")
                check_numbers(elements, members)
                return [frozenset(members[number] for number in part) for part in parts]
        raise ValueError("members, elements and starts of sets are needed")


def prepare_sets(objects: Any) -> SetSample:
    """Check sets, and number their elements.

    Parameters
    ----------
    objects : sequence of collections, or ndarray of shape (n, m)
        Sets, lists or tuples of hashable elements (repetitions do not count), or a matrix of 0 and
        1, in which row i is the set of the columns that hold 1.

    Returns
    -------
    SetSample

    Raises
    ------
    InvalidInput
        If an object is no collection (a text is refused too), if an element is not hashable or does
        not equal itself, or if a matrix has other entries than 0 and 1.

    Examples
    --------
    >>> len(prepare_sets([{"tea", "milk"}, ["tea", "tea"]]).numbers)
    3
    """
    if isinstance(objects, SetSample):
        return objects
    held = sample.hold(objects)
    if isinstance(held, np.ndarray) and held.ndim == 2:
        return _from_indicators(held)
    return SetSample.of(
        _as_set(elements, position) for position, elements in enumerate(sample.one_by_one(held))
    )


class Jaccard(Metric):
    r"""The Jaccard distance: the share of the elements of two sets that they do not have in common,
    in [0, 1].

    .. math:: d(A, B) = 1 - \frac{|A \cap B|}{|A \cup B|}, \qquad d(\emptyset, \emptyset) = 0

    A metric (Marczewski & Steinhaus 1958). Of negative type, because 1 - d is a positive definite
    kernel (Gower & Legendre 1986). Not Hilbertian: {a, b} is the midpoint of {a} and {b}, but {a,
    b, c} is at 1/3 from it, where a Hilbert space requires 0.44.

    Objects are sets, lists or tuples of hashable elements, such as the words of a text or the items
    of a purchase, or the rows of a matrix of 0 and 1. A distance takes time proportional to the
    size of one of the sets.

    Examples
    --------
    One element in common, three in all:

    >>> Jaccard()({"tea", "milk"}, {"tea", "rum"})
    0.6666666666666667
    """

    name = "jaccard"
    underflow = 4 * UNIT  # it is a difference of numbers up to 1
    examples = (
        {"tea", "milk"},
        {"tea", 3},
        {"tea", ("milk", 1)},
        set(),
        {"rum"},
        {"rum", 4.5},
        {"rum", ("milk", 1)},
        {"rum", None},
    )
    source = "Marczewski & Steinhaus 1958; Gower & Legendre 1986"
    counterexamples: ClassVar = {"hilbertian": [{"a"}, {"b"}, {"a", "b"}, {"a", "b", "c"}]}
    accepts: Kind = "sets"
    parallel = "threads"
    promises = Promises(
        obeys_triangle=True, hilbertian=False, negative_type=True, bounded=True, separates=True
    )

    def __init__(self) -> None:  # no parameters
        pass

    def prepare(self, objects: Any) -> SetSample:
        """Check sets and number their elements; see `prepare_sets`."""
        return prepare_sets(objects)

    def digests(self, X: Any, prepared: SetSample) -> Digests | None:
        """Return the digests of the objects as sets, so that a list and its set are the same; see
        `wideberth.Metric.digests`.
        """
        return given_digests(self.contents(X, prepared))

    def contents(self, X: Any, prepared: SetSample) -> Any:
        """The objects as sets; see `wideberth.Metric.contents`."""
        held = sample.hold(X)
        collections = isinstance(held, np.ndarray) and held.ndim == 1
        return sample.hold([frozenset(elements) for elements in held]) if collections else held

    def nanoseconds(self, prepared: Any) -> float:
        """Return the cost of a distance between small sets; see `wideberth.Metric.nanoseconds`."""
        return 50.0

    def _measure(self, left: SetSample, right: SetSample) -> Distances:
        out = np.empty((len(left), len(right)))
        elements, new = renumbered(left.numbers, left.number_of, right.number_of)
        jaccard_block(
            elements, left.starts, right.numbers, right.starts, len(right.number_of) + len(new), out
        )
        return out


def non_binary_entry(rows: NDArray[Any]) -> tuple[int, int] | None:
    """Return the row and column of the first entry of a matrix that is neither 0 nor 1; None if
    there is none.

    >>> non_binary_entry(np.array([[0, 1], [1, 7]])), non_binary_entry(np.array([[0, 1]]))
    ((1, 1), None)
    """
    wrong = (rows != 0) & (rows != 1)
    if not wrong.any():
        return None
    row, column = np.argwhere(wrong)[0]
    return int(row), int(column)


def _as_set(elements: Any, position: int) -> frozenset[Any]:
    """Return the object at a position as a set; texts, which are collections of letters, are
    refused.
    """
    try:
        if not isinstance(elements, str | bytes):
            return frozenset(elements)
    except TypeError:
        pass
    raise InvalidInput(
        f"{at('Object', position)} is not a set of hashable elements: {sample.shown(elements)}.",
        advice="Pass sets, or lists of elements; split a text into its words with text.split().",
        witness=position,
        value=elements,
    )


def _from_indicators(rows: NDArray[Any]) -> SetSample:
    """Return the sets of the columns that hold 1, one set for each row."""
    wrong = non_binary_entry(rows)
    if wrong is not None:
        raise InvalidInput(
            "A table of sets has one row for each set and one column for each element, with 0 and "
            f"1 for absent and present; here {at('row', wrong[0])} has {sample.shown(rows[wrong])} "
            f"in column {wrong[1]}.",
            advice="Binarise it first (table > 0), or pass lists of elements; for rows of any "
            "numbers choose a vector metric.",
            witness=wrong,
            value=rows[wrong],
        )
    row, column = np.nonzero(rows)
    starts = np.searchsorted(row, np.arange(len(rows) + 1))
    column_numbers = {
        number: number for number in range(rows.shape[1])
    }  # the same in every table, so that two tables agree
    return SetSample(column.astype(np.int64), starts.astype(np.int64), column_numbers)
