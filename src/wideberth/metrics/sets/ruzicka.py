"""The Ruzicka distance between weighted sets: the Jaccard distance, where elements count by their
weights.
"""

from collections.abc import Mapping
from itertools import chain
from typing import Any, ClassVar

import numpy as np
import scipy
from numpy.typing import NDArray

from wideberth.errors import InvalidInput
from wideberth.metrics.containers import for_kernels
from wideberth.metrics.elements import Elements
from wideberth.metrics.metric import Distances, Kind, Metric, Promises
from wideberth.metrics.numbering import NumberedTokens
from wideberth.metrics.sets.kernels import ruzicka_of_rows
from wideberth.metrics.sets.multisets import MAX_TOTAL, Multisets, Weights, ruzicka_between
from wideberth.metrics.vectors.minkowski import prepare_vectors
from wideberth.objects import sample
from wideberth.objects.digests import Digests
from wideberth.objects.disguises import rounded_digests
from wideberth.rounding import RADIUS_ERROR
from wideberth.wording import at

Rows = NDArray[np.float64]

#: The types of weights.
_REAL = (int, float, np.number, np.bool_)


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
        If a weight is negative or no finite number, or a token is no text, number, or tuple of
        them.

    Examples
    --------
    >>> prepare_weights([{"tea": 2, "milk": 1}, {}]).totals
    array([3., 0.])
    """
    if isinstance(objects, Multisets):
        return objects
    if (
        type(objects) is np.ndarray and objects.dtype == np.float64 and objects.ndim == 2
    ):  # quick, as every block passes here
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
    promises = Promises(
        obeys_triangle=True, hilbertian=False, negative_type=True, bounded=True, separates=True
    )

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
