"""The Ruzicka distance between weighted sets: the Jaccard distance, where elements count by their weights.

Weighted sets are prepared as `Multisets`, flat arrays of keys and weights. Metrics on graphs use them too.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Any, ClassVar, Self

import numpy as np
import scipy
from numpy.typing import NDArray

from wideberth.errors import InvalidInput
from wideberth.metrics.containers import check_starts, for_kernels, taken
from wideberth.metrics.metric import Distances, Kind, Metric, Promises
from wideberth.metrics.numbering import token_keys
from wideberth.metrics.sets.kernels import ruzicka_of_rows, ruzicka_of_sets
from wideberth.metrics.vectors.minkowski import prepare_vectors
from wideberth.objects import sample
from wideberth.objects.digests import Digests
from wideberth.objects.near_copy_digests import multiset_digests, rounded_digests

Keys = NDArray[np.int64]
Weights = NDArray[np.float64]
Rows = NDArray[np.float64]

#: The largest sum of the weights of a set, so that the sum of two sets stays finite.
MAX_TOTAL = float(np.finfo(np.float64).max / 4)
#: The types of weights.
_REAL = (int, float, np.number, np.bool_)


@dataclass(frozen=True, eq=False)
class Multisets:
    """A prepared sample of n weighted sets.

    Set i has the elements ``keys[numbers[starts[i]:starts[i + 1]]]`` with the weights ``weights[starts[i]:starts[i + 1]]``.

    Attributes
    ----------
    keys : ndarray of int64
        The elements that occur, ascending. A key means the same element in every sample: it is a column number, or the key of a
        token (`wideberth.metrics.numbering`).
    numbers : ndarray of uint32
        Positions in ``keys``, ascending within each set.
    weights : ndarray
        Positive and finite.
    starts : ndarray of int64 of shape (n + 1,)
        Where each set begins.
    totals : ndarray of shape (n,)
        The sum of the weights of each set.
    columns : int or None
        The number of columns if keys are column numbers; None if they are keys of tokens.
    """

    keys: Keys
    numbers: NDArray[np.uint32]
    weights: Weights
    starts: NDArray[np.int64]
    totals: Weights
    columns: int | None

    @classmethod
    def collect(cls, owners: NDArray[np.int64], keys: Keys, weights: Weights, count: int, columns: int | None = None) -> Self:
        """Make ``count`` sets from entries in any order: set ``owners[e]`` gets the key ``keys[e]`` with ``weights[e]``.

        Weights of entries with the same set and key are added; entries of weight 0 are dropped. ``columns`` is stored.

        >>> two = Multisets.collect(np.array([1, 0, 1]), np.array([7, 7, 7]), np.array([2.0, 1.0, 3.0]), count=2)
        >>> two.weights, two.totals
        (array([1., 5.]), array([1., 5.]))
        """
        present = weights != 0
        owners, weights = owners[present], weights[present]
        distinct, numbers = np.unique(keys[present], return_inverse=True)
        entries, entry_of = np.unique(owners * max(1, len(distinct)) + numbers, return_inverse=True)
        owners, numbers = np.divmod(entries, max(1, len(distinct)))
        weights = np.bincount(entry_of, weights, minlength=len(entries)).astype(np.float64)
        starts = np.searchsorted(owners, np.arange(count + 1)).astype(np.int64)
        totals = np.bincount(owners, weights, minlength=count).astype(np.float64)  # in the order in which a kernel adds
        return cls(distinct, numbers.astype(np.uint32), weights, starts, totals, columns)

    def __len__(self) -> int:
        return len(self.starts) - 1

    def digests(self) -> Digests:
        """A digest of each set by its elements and their rounded weights, in any order."""
        return multiset_digests(self.keys[self.numbers], self.weights, self.starts)

    def take(self, indices: Any) -> Self:
        """Return the sets at ``indices``; those of a slice share the memory of this sample. See `Prepared.take`."""
        entries, starts = taken(self.starts, indices)
        return type(self)(self.keys, self.numbers[entries], self.weights[entries], starts, self.totals[indices], self.columns)

    def numbered_like(self, other: "Multisets") -> NDArray[np.uint32]:
        """Return the elements in the numbers of another sample, ``len(other.keys)`` for those that it does not have."""
        if self.keys is other.keys:
            return self.numbers
        keys = self.keys[self.numbers]
        numbers = np.searchsorted(other.keys, keys)
        known = numbers < len(other.keys)
        known[known] = other.keys[numbers[known]] == keys[known]
        return np.where(known, numbers, len(other.keys)).astype(np.uint32)

    def plain(self) -> dict[str, Any]:
        """Return keys, weights, starts and columns; see `Prepared.plain`."""
        return {"keys": self.keys[self.numbers], "weights": self.weights, "starts": self.starts, "columns": self.columns}

    @classmethod
    def from_plain(cls, plain: dict[str, Any]) -> Any:
        """Make the sample from the values of a file, or raise a `ValueError`; see `Prepared.from_plain`."""
        match plain:
            case {"keys": keys, "weights": weights, "starts": starts, "columns": None | int() as columns}:
                check_starts(keys, starts, "i")
                check_starts(weights, starts, "f")
                if columns is not None and not np.all((keys >= 0) & (keys < columns)):
                    raise ValueError(f"there are {columns} columns, and others have weights")
                owners = np.repeat(np.arange(len(starts) - 1), np.diff(starts.astype(np.int64)))
                sets = cls.collect(owners, keys.astype(np.int64), weights.astype(np.float64), len(starts) - 1, columns)
                if not (np.all(weights > 0) and np.all(sets.totals <= MAX_TOTAL)):
                    raise ValueError("weights are positive numbers, with finite sums")
                return sets
        raise ValueError("keys, weights and starts of weighted sets are needed")


def prepare_weights(objects: Any) -> Multisets | Rows:
    """Check weighted sets.

    Parameters
    ----------
    objects : sequence of mappings, sparse matrix, or array-like of shape (n, m)
        Dictionaries token -> weight, or weights by column.

    Returns
    -------
    Multisets or ndarray of shape (n, m)
        Dense tables stay matrices, which are measured faster; everything else becomes `Multisets`.

    Raises
    ------
    InvalidInput
        If a weight is negative or no finite number, or a token is no text, number, or tuple of them.

    Examples
    --------
    >>> prepare_weights([{"tea": 2, "milk": 1}, {}]).totals
    array([3., 0.])
    """
    if isinstance(objects, Multisets):
        return objects
    if type(objects) is np.ndarray and objects.dtype == np.float64 and objects.ndim == 2:  # quick, as every block passes here
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
    r"""The Ruzicka distance: the share of the weight of two weighted sets that they do not have in common, in [0, 1].

    .. math:: d(x, y) = 1 - \frac{\sum_t \min(x_t, y_t)}{\sum_t \max(x_t, y_t)}, \qquad d(0, 0) = 0

    Objects are dictionaries (or Counters) token -> weight, the rows of a matrix, or those of a sparse matrix of scipy. Weights
    are not negative; a token of weight 0 is the same as no token. Tokens are texts, numbers, or tuples of them, identified by 64
    bits of a hash, so that samples need not share a vocabulary. With weights 0 and 1 it is `Jaccard`; it is also called Soergel
    distance.

    A metric: :math:`\mu(A \triangle B) / \mu(A \cup B)` is one for any measure (Marczewski & Steinhaus 1958), here for the area
    under the weights, A = {(t, h): h < x_t}; Charikar (2002) has another proof. Of negative type, because 1 - d is a positive
    definite kernel: within a set of area M, :math:`1 / \mu(A \cup B) = \frac1M \sum_n (\mu(A^c \cap B^c) / M)^n`, a sum of
    products of inner products, times the inner product :math:`\mu(A \cap B)`. Not Hilbertian, because `Jaccard` is not.

    Examples
    --------
    >>> Ruzicka()({"tea": 2, "milk": 1}, {"tea": 1, "rum": 1})  # 1 in common, 4 in all
    0.75
    >>> Ruzicka()([2, 1, 0], [1, 0, 1])
    0.75
    """

    name = "ruzicka"
    examples = (
        {"tea": 2, "milk": 1},
        {"tea": 1.5, 3: 1},
        {"tea": 2, ("milk", 1): 0.5},
        {},
        {"rum": 3},
        {"rum": 2, 4.5: 1},
        {"rum": 1, ("milk", 1): 1},
        {"rum": 4, None: 2},
    )
    source = "Jaccard's with weights (Marczewski & Steinhaus 1958, Charikar 2002)"
    counterexamples: ClassVar = {"hilbertian": [[1, 0, 0], [0, 1, 0], [1, 1, 0], [1, 1, 1]]}
    accepts: Kind = "sets"
    parallel = "threads"
    promises = Promises(obeys_triangle=True, hilbertian=False, negative_type=True, bounded=True, separates=True)

    def __init__(self) -> None:  # no parameters
        pass

    def prepare(self, objects: Any) -> Multisets | Rows:
        """Check weighted sets; see `prepare_weights`."""
        return prepare_weights(objects)

    def alike_digests(self, prepared: Multisets | Rows) -> Digests:
        """Those of the elements with rounded weights; see `wideberth.Metric.alike_digests`."""
        return prepared.digests() if isinstance(prepared, Multisets) else rounded_digests(prepared)

    def nanoseconds(self, prepared: Any) -> float:
        """Return the cost of a distance between small sets; see `wideberth.Metric.nanoseconds`."""
        return 50.0

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


def ruzicka_between(left: Multisets, right: Multisets) -> Distances:
    """Return the Ruzicka distances between two samples of weighted sets: shape (len(left), len(right)).

    >>> one, other = (prepare_weights([weights]) for weights in ({"tea": 2, "milk": 1}, {"tea": 1, "rum": 1}))
    >>> ruzicka_between(one, other)
    array([[0.75]])
    """
    out = np.empty((len(left), len(right)))
    ruzicka_of_sets(
        left.numbered_like(right),
        left.weights,
        left.starts,
        left.totals,
        right.numbers,
        right.weights,
        right.starts,
        right.totals,
        len(right.keys) + 1,
        out,
    )
    return out


def _checked_rows(rows: Rows) -> Rows:
    """Return a matrix of weights in the memory layout of the kernels, or raise an error for the first weight not allowed."""
    rows = for_kernels(rows)
    if rows.size and not (rows.min() >= 0 and rows.max() <= MAX_TOTAL / rows.shape[1]):
        row, column = map(int, np.argwhere(~((rows >= 0) & (rows <= MAX_TOTAL / rows.shape[1])))[0])
        raise _bad_weight(row, f"column {column}", rows[row, column])
    return rows


def _from_sparse(matrix: Any) -> Multisets:
    """Return the rows of a scipy sparse matrix as weighted sets, whose keys are column numbers."""
    entries = matrix.tocoo()
    owners, columns = entries.row.astype(np.int64), entries.col.astype(np.int64)
    weights = entries.data.astype(np.float64)
    fit = (weights >= 0) & (weights <= MAX_TOTAL / matrix.shape[1])
    if not fit.all():
        wrong = int(np.argmin(fit))
        raise _bad_weight(int(owners[wrong]), f"column {columns[wrong]}", weights[wrong])
    return Multisets.collect(owners, columns, weights, *matrix.shape)


def _from_mappings(mappings: list[Any]) -> Multisets:
    """Return dictionaries token -> weight as weighted sets, whose keys are those of the tokens."""
    known: dict[Any, int] = {}
    keys: list[int] = []
    for position, weights in enumerate(mappings):
        if not isinstance(weights, Mapping):
            raise InvalidInput(
                f"Object {position} is not a dictionary token -> weight: {sample.shown(weights)}.",
                advice="Count the tokens with collections.Counter; all objects of a sample must be of the same kind.",
                witness=position,
                value=weights,
            )
        try:
            keys += token_keys(weights, known)
        except TypeError as problem:
            raise InvalidInput(
                f"Object {position} has a token that cannot be recognised again: {problem}.",
                advice="Use texts, numbers, or tuples of them as tokens.",
                witness=position,
                value=weights,
            ) from None
    owners = np.repeat(np.arange(len(mappings)), np.fromiter(map(len, mappings), np.int64, len(mappings)))
    return Multisets.collect(owners, np.array(keys, dtype=np.int64), _weights_of(mappings), len(mappings))


def _weights_of(mappings: list[Any]) -> Weights:
    """Return the weights of all dictionaries, one after another, or raise an error for the first one not allowed."""
    given = list(chain.from_iterable(mapping.values() for mapping in mappings))
    if all(isinstance(weight, _REAL) for weight in given):
        weights = np.array(given, dtype=np.float64)
        if not given or (weights.min() >= 0 and weights.max() <= MAX_TOTAL / max(map(len, mappings))):
            return weights
    for position, mapping in enumerate(mappings):
        for token, weight in mapping.items():
            if not isinstance(weight, _REAL) or not 0 <= weight <= MAX_TOTAL / len(mapping):
                raise _bad_weight(position, f"token {token!r}", weight)
    return np.array(given, dtype=np.float64)


def _bad_weight(position: int, where: str, weight: Any) -> InvalidInput:
    shown = repr(weight.item() if isinstance(weight, np.generic) else weight)
    return InvalidInput(
        f"Weights must be numbers >= 0 with a finite sum: object {position} has {shown} at {where}.",
        advice="Shift or clip negative numbers (numpy.maximum(x, 0)), and drop missing values, or choose a vector metric.",
        witness=(position, where),
        value=weight,
    )


def _as_multisets(prepared: Multisets | Rows) -> Multisets:
    """Return a prepared sample as `Multisets`: of a matrix, the columns are the elements."""
    if isinstance(prepared, Multisets):
        return prepared
    owners, columns = np.nonzero(prepared)
    return Multisets.collect(owners, columns, prepared[owners, columns], *prepared.shape)


def _check_columns(left: int | None, right: int | None) -> None:
    """Raise an error unless two samples have the same number of columns; None means keys of tokens."""
    if left == right:
        return
    if left is None or right is None:
        raise InvalidInput(
            "Weights by token and weights by column cannot be compared: a column has a number, but no token.",
            advice="Pass both samples as dictionaries, or both as matrices with the same columns.",
            value=(left, right),
        )
    raise InvalidInput(
        f"Rows of {left} and of {right} weights cannot be compared.",
        advice="Both samples need the same columns.",
        value=(left, right),
    )
