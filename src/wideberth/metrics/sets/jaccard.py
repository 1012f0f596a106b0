"""The Jaccard distance between sets, which are given as collections of elements or as rows of 0 and
1, and the Ruzicka distance between weighted sets: the same, where elements count by their weights.
"""

from collections.abc import Mapping
from itertools import chain
from typing import Any, ClassVar

import numpy as np
import scipy
from numpy.typing import NDArray

from wideberth.array_types import Objects, Sample
from wideberth.errors import InvalidInput
from wideberth.metrics.containers import for_kernels
from wideberth.metrics.elements import Elements, NumberedSample, NumberedTokens, renumbered
from wideberth.metrics.metric import Distances, Kind, Metric, Promises
from wideberth.metrics.sets.kernels import jaccard_block, ruzicka_of_rows
from wideberth.metrics.sets.multisets import MAX_TOTAL, Multisets, Weights, ruzicka_between
from wideberth.metrics.vectors.minkowski import prepare_vectors
from wideberth.objects import sample
from wideberth.objects.digests import Digests, given_digests
from wideberth.objects.disguises import rounded_digests
from wideberth.rounding import RADIUS_ERROR, UNIT
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

    in_files = ("members", "elements", "sets")


def prepare_sets(objects: Objects) -> SetSample:
    """Check sets, and number their elements. They are sets, lists or tuples of hashable elements,
    in which repetitions do not count, or the rows of a matrix of 0 and 1, in which row i is the set
    of the columns that hold 1. A text is refused.

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
    examples: ClassVar[tuple[Any, ...]] = (
        *({"tea", "milk"}, {"tea", 3}, {"tea", ("milk", 1)}, set()),
        *({"rum"}, {"rum", 4.5}, {"rum", ("milk", 1)}, {"rum", None}),
    )
    source = "Marczewski & Steinhaus 1958; Gower & Legendre 1986"
    counterexamples: ClassVar = {"hilbertian": [{"a"}, {"b"}, {"a", "b"}, {"a", "b", "c"}]}
    accepts: Kind = "sets"
    parallel = "threads"
    usual_nanoseconds = 50.0
    promises = Promises(
        obeys_triangle=True, hilbertian=False, negative_type=True, bounded=True, separates=True
    )

    def __init__(self) -> None:  # no parameters
        pass

    def prepare(self, objects: Objects) -> SetSample:
        """Check sets and number their elements; see `prepare_sets`."""
        return prepare_sets(objects)

    def digests(self, X: Objects, prepared: SetSample) -> Digests | None:
        """Return the digests of the objects as sets, so that a list and its set are the same; see
        `wideberth.Metric.digests`.
        """
        return given_digests(self.contents(X, prepared))

    def contents(self, X: Objects, prepared: SetSample) -> Sample:
        """The objects as sets; see `wideberth.Metric.contents`."""
        held = sample.hold(X)
        collections = isinstance(held, np.ndarray) and held.ndim == 1
        return sample.hold([frozenset(elements) for elements in held]) if collections else held

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
    # the same in every table, so that two tables agree
    column_numbers = {number: number for number in range(rows.shape[1])}
    return SetSample(column.astype(np.int64), starts.astype(np.int64), column_numbers)


# ---- Ruzicka: elements count by their weights

Rows = NDArray[np.float64]

#: The types of weights.
_REAL = (int, float, np.number, np.bool_)


def prepare_weights(objects: Objects) -> Multisets | Rows:
    """Check weighted sets. They are mappings from tokens to weights, or have their weights by
    column. Dense tables stay matrices, which are measured faster; everything else becomes
    `Multisets`.

    Examples
    --------
    >>> prepare_weights([{"tea": 2, "milk": 1}, {}]).totals
    array([3., 0.])
    """
    if isinstance(objects, Multisets):
        return objects
    # quick, as every block passes here
    if type(objects) is np.ndarray and objects.dtype == np.float64 and objects.ndim == 2:
        return _checked_rows(objects)
    if scipy.sparse.issparse(objects):
        return _from_sparse(objects)
    held = sample.hold(objects)
    if not isinstance(held, np.ndarray) or held.dtype != object or held.ndim != 1:
        return _checked_rows(prepare_vectors(held))
    if len(held) and all(map(scipy.sparse.issparse, held)):
        return _from_sparse(scipy.sparse.vstack([row.reshape(1, -1) for row in held], format="csr"))
    if any(isinstance(weights, Mapping) for weights in held) or not len(held):
        return _from_mappings(list(held))
    return _checked_rows(prepare_vectors(held))


class Ruzicka(Metric):
    r"""The Ruzicka distance: the share of the weight of two weighted sets that they do not have in
    common, in [0, 1].

    .. math:: d(x, y) = 1 - \frac{\sum_t \min(x_t, y_t)}{\sum_t \max(x_t, y_t)}, \qquad d(0, 0) = 0

    Objects are dictionaries (or Counters) token -> weight, the rows of a matrix, or those of a
    sparse matrix of scipy. Weights are not negative; a token of weight 0 is the same as no token.
    Tokens are texts, numbers, or tuples of them. With weights 0 and 1 it is `Jaccard`; it is also
    called Soergel distance.

    A metric: :math:`\mu(A \triangle B) / \mu(A \cup B)` is one for any measure (Marczewski &
    Steinhaus 1958), here for the area under the weights, A = {(t, h): h < x_t}; Charikar (2002) has
    another proof. Of negative type, because 1 - d is a positive definite kernel: within a set of
    area M, :math:`1 / \mu(A \cup B) = \frac1M \sum_n (\mu(A^c \cap B^c) / M)^n`, a sum of products
    of inner products, times the inner product :math:`\mu(A \cap B)`. Not Hilbertian, because
    `Jaccard` is not.

    Examples
    --------
    >>> Ruzicka()({"tea": 2, "milk": 1}, {"tea": 1, "rum": 1})  # 1 in common, 4 in all
    0.75
    """

    name = "ruzicka"
    underflow = 4 * RADIUS_ERROR  # it is a difference of numbers up to 1
    examples: ClassVar[tuple[Any, ...]] = (
        *({"tea": 2, "milk": 1}, {"tea": 1.5, 3: 1}, {"tea": 2, ("milk", 1): 0.5}, {}),
        *({"rum": 3}, {"rum": 2, 4.5: 1}, {"rum": 1, ("milk", 1): 1}, {"rum": 4, None: 2}),
    )
    source = "Jaccard's with weights (Marczewski & Steinhaus 1958, Charikar 2002)"
    counterexamples: ClassVar = {"hilbertian": [[1, 0, 0], [0, 1, 0], [1, 1, 0], [1, 1, 1]]}
    accepts: Kind = "sets"
    parallel = "threads"
    usual_nanoseconds = 50.0
    promises = Promises(
        obeys_triangle=True, hilbertian=False, negative_type=True, bounded=True, separates=True
    )

    def __init__(self) -> None:  # no parameters
        pass

    def prepare(self, objects: Objects) -> Multisets | Rows:
        """Check weighted sets; see `prepare_weights`."""
        return prepare_weights(objects)

    def alike_digests(self, prepared: Multisets | Rows) -> Digests:
        """Those of the elements with rounded weights; see `wideberth.Metric.alike_digests`."""
        return prepared.digests() if isinstance(prepared, Multisets) else rounded_digests(prepared)

    def _measure(self, left: Multisets | Rows, right: Multisets | Rows) -> Distances:
        out = np.zeros((len(left), len(right)))
        if not out.size:
            return out
        if isinstance(left, np.ndarray) and isinstance(right, np.ndarray):
            _check_columns(left.shape[1], right.shape[1])
            ruzicka_of_rows(left, right, out)
            return out
        left, right = _as_multisets(left), _as_multisets(right)
        _check_columns(left.columns, right.columns)
        return ruzicka_between(left, right)


def _checked_rows(rows: Rows) -> Rows:
    """Return a matrix of weights in the memory layout of the kernels, or raise an error for the
    first weight not allowed.
    """
    rows = for_kernels(rows)
    if rows.size and not (rows.min() >= 0 and rows.max() <= MAX_TOTAL / rows.shape[1]):
        row, column = map(int, np.argwhere(~((rows >= 0) & (rows <= MAX_TOTAL / rows.shape[1])))[0])
        raise _bad_weight(row, f"column {column}", rows[row, column])
    return rows


def _from_sparse(matrix: Any) -> Multisets:
    """Return the rows of a scipy sparse matrix as weighted sets, whose elements are column
    numbers.
    """
    entries = matrix.tocoo()
    owners, columns = entries.row.astype(np.int64), entries.col.astype(np.int64)
    weights = entries.data.astype(np.float64)
    fit = (weights >= 0) & (weights <= MAX_TOTAL / matrix.shape[1])
    if not fit.all():
        wrong = int(np.argmin(fit))
        raise _bad_weight(int(owners[wrong]), f"column {columns[wrong]}", weights[wrong])
    return Multisets.collect(owners, *Elements.of_numbers(columns), weights, *matrix.shape)


def _from_mappings(mappings: list[Any]) -> Multisets:
    """Return dictionaries token -> weight as weighted sets of tokens."""
    numbered = NumberedTokens()
    numbers: list[int] = []
    for position, weights in enumerate(mappings):
        if not isinstance(weights, Mapping):
            raise InvalidInput(
                f"{at('Object', position)} is not a dictionary token -> weight: "
                f"{sample.shown(weights)}.",
                advice="Count the tokens with collections.Counter; all objects of a sample must be "
                "of the same kind.",
                witness=position,
                value=weights,
            )
        try:
            numbers += numbered.of(weights)
        except TypeError as problem:
            raise InvalidInput(
                f"{at('Object', position)} has a token that cannot be recognised again: {problem}.",
                advice="Use texts, numbers, or tuples of them as tokens.",
                witness=position,
                value=weights,
            ) from None
    owners = np.repeat(
        np.arange(len(mappings)), np.fromiter(map(len, mappings), np.int64, len(mappings))
    )
    elements, places = numbered.elements()
    return Multisets.collect(
        owners, elements, places[numbers], _weights_of(mappings), len(mappings)
    )


def _weights_of(mappings: list[Any]) -> Weights:
    """Return the weights of all dictionaries, one after another, or raise an error for the first
    one not allowed.
    """
    given = list(chain.from_iterable(mapping.values() for mapping in mappings))
    if all(isinstance(weight, _REAL) for weight in given):
        weights = np.array(given, dtype=np.float64)
        if not given or (
            weights.min() >= 0 and weights.max() <= MAX_TOTAL / max(map(len, mappings))
        ):
            return weights
    for position, mapping in enumerate(mappings):
        for token, weight in mapping.items():
            if not isinstance(weight, _REAL) or not 0 <= weight <= MAX_TOTAL / len(mapping):
                raise _bad_weight(position, f"token {token!r}", weight)
    return np.array(given, dtype=np.float64)


def _bad_weight(position: int, where: str, weight: Any) -> InvalidInput:
    shown = repr(weight.item() if isinstance(weight, np.generic) else weight)
    return InvalidInput(
        f"Weights must be numbers >= 0 with a finite sum: {at('object', position)} has {shown} at "
        f"{where}.",
        advice="Shift or clip negative numbers (numpy.maximum(x, 0)), and drop missing values, or "
        "choose a vector metric.",
        witness=(position, where),
        value=weight,
    )


def _as_multisets(prepared: Multisets | Rows) -> Multisets:
    """Return a prepared sample as `Multisets`: of a matrix, the columns are the elements."""
    if isinstance(prepared, Multisets):
        return prepared
    owners, columns = np.nonzero(prepared)
    return Multisets.collect(
        owners, *Elements.of_numbers(columns), prepared[owners, columns], *prepared.shape
    )


def _check_columns(left: int | None, right: int | None) -> None:
    """Raise an error unless two samples have the same number of columns; None means tokens."""
    if left == right:
        return
    if left is None or right is None:
        raise InvalidInput(
            "Weights by token and weights by column cannot be compared: a column has a number, but "
            "no token.",
            advice="Pass both samples as dictionaries, or both as matrices with the same columns.",
            value=(left, right),
        )
    raise InvalidInput(
        f"Rows of {left} and of {right} weights cannot be compared.",
        advice="Both samples need the same columns.",
        value=(left, right),
    )
