"""Jaccard's distance between sets, given as collections of elements or as rows of 0 and 1."""

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


class SetSample(NumberedSample):
    """Sets of elements, which stand in no order and do not repeat."""

    def plain(self) -> dict[str, Any]:
        """See `wideberth.metrics.containers.Prepared`."""
        members, elements = in_use(self.numbers, self.number_of)
        return {"members": members, "elements": elements, "starts": self.starts}

    @classmethod
    def from_plain(cls, plain: dict[str, Any]) -> Any:
        """The sets one by one, to be checked again."""
        match plain:
            case {"members": list(members), "elements": elements, "starts": starts}:
                parts = cut(elements, starts, "iu")
                check_numbers(elements, members)
                return [frozenset(members[each] for each in part) for part in parts]
        raise ValueError("members, elements and starts of sets are needed")


def prepare_sets(objects: Any) -> SetSample:
    """Sets of hashable elements, given as sets, lists or tuples (repetitions do not count), or as rows of 0 and 1.

    >>> len(prepare_sets([{"tea", "milk"}, ["tea", "tea"]]).numbers)
    3
    """
    if isinstance(objects, SetSample):
        return objects
    held = sample.hold(objects)
    if isinstance(held, np.ndarray) and held.ndim == 2:
        return _from_indicators(held)
    return SetSample.of(_as_set(each, position) for position, each in enumerate(sample.one_by_one(held)))


class Jaccard(Metric):
    r"""The share of the elements of two sets that they do not have in common, in [0, 1].

    .. math:: d(A, B) = 1 - \frac{|A \cap B|}{|A \cup B|}, \qquad d(\emptyset, \emptyset) = 0

    A metric (Marczewski & Steinhaus 1958). Of negative type, because 1 - d is a positive definite kernel (Gower & Legendre 1986).
    Not Hilbertian: {a, b} lies half-way between {a} and {b}, but {a, b, c} is at 1/3 from it where a Hilbert space asks for 0.44.

    >>> Jaccard()({"tea", "milk"}, {"tea", "rum"})
    0.6666666666666667
    """

    name = "jaccard"
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
    promises = Promises(obeys_triangle=True, hilbertian=False, negative_type=True, bounded=True, separates=True)

    def __init__(self) -> None:  # no parameters
        pass

    def prepare(self, objects: Any) -> SetSample:
        return prepare_sets(objects)

    def digests(self, X: Any, prepared: SetSample) -> Digests | None:
        """Lists may stand for sets; see `wideberth.Metric.digests`."""
        held = sample.hold(X)
        lists = isinstance(held, np.ndarray) and held.ndim == 1
        return given_digests([frozenset(each) for each in held] if lists else held)

    def nanoseconds(self, prepared: Any) -> float:
        return 50.0

    def _measure(self, left: SetSample, right: SetSample) -> Distances:
        out = np.empty((len(left), len(right)))
        elements, new = renumbered(left.numbers, left.number_of, right.number_of)
        jaccard_block(elements, left.starts, right.numbers, right.starts, len(right.number_of) + len(new), out)
        return out


def _as_set(each: Any, position: int) -> frozenset[Any]:
    try:
        if not isinstance(each, str | bytes):
            return frozenset(each)
    except TypeError:
        pass
    raise InvalidInput(
        f"Object {position} is not a set of hashable elements: {sample.shown(each)}.",
        advice="Pass sets, or lists of elements; split a text into its words with text.split().",
        witness=position,
        value=each,
    )


def _from_indicators(rows: NDArray[Any]) -> SetSample:
    """Row i is the set of its columns that are not zero."""
    wrong = np.argwhere((rows != 0) & (rows != 1))
    if len(wrong):
        where = tuple(map(int, wrong[0]))
        raise InvalidInput(
            "A table of sets has one row a set and one column an element, with 0 and 1 for absent and present; "
            f"here row {where[0]} has {sample.shown(rows[where])} in column {where[1]}.",
            advice="Binarise it first (table > 0), or pass lists of elements; for rows of any numbers choose a vector metric.",
            witness=where,
            value=rows[where],
        )
    row, column = np.nonzero(rows)
    starts = np.searchsorted(row, np.arange(len(rows) + 1))
    own_numbers = {each: each for each in range(rows.shape[1])}  # a column is its own number, so that two tables agree
    return SetSample(column.astype(np.int64), starts.astype(np.int64), own_numbers)
