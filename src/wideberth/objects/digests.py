"""Hash objects of any kind to 64-bit digests, so that an object is recognised whenever and in
whatever form it is given.

Lists, tuples and arrays of the same numbers have the same digest, and so have 1 and 1.0, a text and
its Latin-1 bytes, a text and the list of its letters, a series and an array that has it as its only
channel. A digest may take two different objects for one, which costs a needless warning, but should
not take a known object for a new one. It does where one object has forms that only a metric knows
to be equal: a graph with its edges in another order, or the rows of a distance matrix whose columns
have changed places. If none of m new objects is among n known ones, the probability that some
digest is shared is about :math:`mn / 2^{64}`.

Rows of numbers can be computed that have a given digest. Whoever does so gets new objects taken for
training objects, which voids what they would prove. Only whoever certifies a model on its *training
sample* could gain by that, from rows that have all of its digests; that statement assumes that the
objects are those of fit. Where objects are merged, they are compared in full.

Digests are the same in every process, so that a model read from a file recognises its training
objects (`wideberth.estimators.training`).
"""

from collections.abc import Callable, Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import is_dataclass
from hashlib import blake2b
from itertools import chain
from typing import Any, Generic, TypeVar

import numpy as np
import scipy
from numpy.typing import NDArray

from wideberth.array_types import Objects, Sample
from wideberth.objects import sample

Digests = NDArray[np.uint64]
_Held = TypeVar("_Held")

#: Odd numbers with well-spread bits (Steele, Lea & Flood 2014, SplitMix).
_STEP = np.uint64(0x9E3779B97F4A7C15)
_FIRST = np.uint64(0xBF58476D1CE4E5B9)
_SECOND = np.uint64(0x94D049BB133111EB)
#: Numbers hashed at a time.
_CHUNK = 1 << 18


def given_digests(X: Objects, *, rows: bool = False) -> Digests | None:
    """Compute the digest of each object of a collection as the user gave it.

    Rows of a sparse array, and sparse arrays in a list, have the digests of the same rows in full.

    Examples
    --------
    >>> from scipy.sparse import csr_array
    >>> full = np.array([[0.0, 2.0]])
    >>> given_digests(csr_array(full)) == given_digests([csr_array(full)]) == given_digests(full)
    array([ True])
    """
    if scipy.sparse.issparse(X):
        return sparse_row_digests(X)
    held = sample.hold(X, rows=rows)
    if (
        isinstance(held, np.ndarray)
        and held.dtype == object
        and len(held)
        and all(map(scipy.sparse.issparse, held))
    ):
        return sparse_row_digests(scipy.sparse.vstack([row.reshape(1, -1) for row in held]))
    return object_digests(held)


def object_digests(objects: Sample) -> Digests | None:
    """Compute the digest of each object of a held sample.

    None if the contents of some object cannot be read, if it is nested too deeply, or if a metric
    has already prepared the sample.

    Numbers, text, bytes, sets, dicts, sequences and objects with attributes are hashed by their
    contents, however deeply nested.

    Examples
    --------
    >>> object_digests(sample.hold(["tea", "rum"])).tolist() == object_digests(
    ...     sample.hold(["tea", b"rum"])
    ... ).tolist()
    True
    >>> object_digests(sample.hold([(1, 2)]))[0] == object_digests(
    ...     sample.hold(np.array([[1.0, 2.0]]))
    ... )[0]
    np.True_
    >>> object_digests(sample.hold([object()])) is None
    True
    """
    if isinstance(objects, np.ndarray) and objects.dtype.kind in sample.NUMERIC:
        return row_digests(objects.reshape(len(objects), -1))
    if not isinstance(objects, np.ndarray) and not hasattr(objects, "to_numpy"):
        return None  # a container that a metric prepared, in a form of its own
    try:
        return _digests_one_by_one(sample.one_by_one(objects), sample.count(objects))
    except (TypeError, RecursionError):
        return None


def row_digests(rows: NDArray[Any]) -> Digests:
    r"""Compute the digest of each row of a matrix of numbers.

    Numbers are converted to float64 a chunk at a time, so that no copy of the matrix is made.

    .. math:: \mathrm{mix}\Bigl(\sum_j m_j\, (\mathrm{mix}(w_j) + 1) \Bigr) \bmod 2^{64}

    for the bits :math:`w_j` of the numbers of a row as float64, and odd multipliers :math:`m_j`.
    Every number contributes to the sum on its own, so that sparse rows can skip their zeros. -0.0
    counts as 0.0, and all NaN are one value, whatever their bits.

    Examples
    --------
    >>> rows = row_digests(np.array([[1.0, 2.0], [2.0, 1.0], [1, 2]]))
    >>> rows[0] == rows[2] != rows[1]
    np.True_
    """
    width = rows.shape[1]
    multipliers = _multipliers(width)
    digests = np.empty(len(rows), dtype=np.uint64)
    step = max(1, _CHUNK // max(width, 1))
    for start in range(0, len(rows), step):
        words = _number_bits(rows[start : start + step]) * multipliers
        digests[start : start + step] = words.sum(axis=1, dtype=np.uint64)
    return mix(digests + multipliers.sum(dtype=np.uint64))


def sparse_row_digests(rows: Any) -> Digests:
    """Compute the digest of each row of a sparse array: that of the same row in full, since a 0
    adds the same to every sum.

    Examples
    --------
    >>> from scipy.sparse import csr_array
    >>> full = np.array([[0.0, 2.0], [0.0, 0.0], [1.0, 0.0]])
    >>> (sparse_row_digests(csr_array(full)) == row_digests(full)).all()
    np.True_
    """
    rows = rows.tocsr(copy=True)
    rows.sum_duplicates()
    multipliers = _multipliers(rows.shape[1])
    sums = np.zeros(rows.nnz + 1, dtype=np.uint64)
    np.cumsum(_number_bits(rows.data) * multipliers[rows.indices], out=sums[1:])
    return mix(sums[rows.indptr[1:]] - sums[rows.indptr[:-1]] + multipliers.sum(dtype=np.uint64))


def _multipliers(width: int) -> Digests:
    """An odd multiplier for each column, the same in every process."""
    return mix(np.arange(1, width + 1, dtype=np.uint64) * _STEP) | np.uint64(1)


def _number_bits(numbers: NDArray[Any]) -> Digests:
    """The mixed bits of each number as float64; 0 for the number 0, so that zeros add nothing."""
    numbers = np.ascontiguousarray(numbers, dtype=np.float64) + 0.0  # -0.0 + 0.0 = 0.0
    numbers[np.isnan(numbers)] = np.nan  # one bit pattern for all NaN
    return (
        mix(numbers.view(np.uint64)) if numbers.size else np.zeros(numbers.shape, dtype=np.uint64)
    )


def joint_digest(objects: Digests, labels: Digests) -> int:
    """Compute one digest for a labelled sample: for all objects with their labels, whatever their
    order. It is below :math:`2^{64}`.

    Examples
    --------
    >>> one, other = np.array([1, 2], dtype=np.uint64), np.array([7, 8], dtype=np.uint64)
    >>> joint_digest(one, other) == joint_digest(one[::-1], other[::-1]) != joint_digest(
    ...     one, other[::-1]
    ... )
    True
    """
    return int(mix(objects ^ mix(labels + _STEP)).sum(dtype=np.uint64))


def mix(words: Digests) -> Digests:
    """Map 64 bits one to one to 64 bits of which each depends on all (the finalizer of SplitMix).

    Examples
    --------
    >>> mix(np.array([0, 1], dtype=np.uint64)).tolist()
    [0, 6238072747940578789]
    """
    words = words ^ (words >> np.uint64(30))
    words *= _FIRST
    words ^= words >> np.uint64(27)
    words *= _SECOND
    words ^= words >> np.uint64(31)
    return words


def as_row(item: Any) -> NDArray[Any] | None:
    """All numbers of an object that holds nothing else, whatever its shape; None for other
    objects.
    """
    if isinstance(item, list | tuple):
        if not len(item) or isinstance(item[0], str | bytes):
            return None  # empty, or begins with text: a word, or a tree and its label
    elif not isinstance(item, np.ndarray | np.generic | int | float):
        return None
    try:
        array = np.asarray(item)
    except ValueError:  # parts of different lengths
        return None
    if array.dtype.kind in sample.NUMERIC and array.dtype.itemsize <= 8 and array.size:
        return array.ravel()
    return None


def _digests_one_by_one(items: Iterable[Any], count: int) -> Digests:
    """The digest of each of ``count`` objects by its contents; a `TypeError` if those of one cannot
    be read. Numbers, and the parts of sequences, are digested many at a time.
    """
    digests = np.empty(count, dtype=np.uint64)
    numbers = _Waiting[float](lambda held: row_digests(np.array(held)[:, None]), digests)
    sequences = _Waiting[list[Any]](_digests_of_sequences, digests)
    by_width: dict[int, _Waiting[NDArray[Any]]] = {}
    for position, item in enumerate(items):
        if type(item) is float or (type(item) is int and -(2**63) <= item < 2**63):
            numbers.add(position, float(item), 1)
            continue
        row = as_row(item)
        if row is not None:
            of_width = by_width.setdefault(
                len(row), _Waiting(lambda held: row_digests(np.stack(held)), digests)
            )
            of_width.add(position, row, len(row))
        elif isinstance(item, list | tuple | np.ndarray):
            sequences.add(position, list(item), len(item))
        else:
            digests[position] = _digest(item)
    kinds: list[_Waiting[Any]] = [numbers, sequences, *by_width.values()]
    for waiting in kinds:
        waiting.digest()
    return digests


class _Waiting(Generic[_Held]):
    """Objects whose digests are computed in one call, once there are many."""

    def __init__(self, compute: Callable[[list[_Held]], Digests], digests: Digests) -> None:
        self._compute, self._digests = compute, digests
        self._positions: list[int] = []
        self._held: list[_Held] = []
        self._size = 0

    def add(self, position: int, item: _Held, size: int) -> None:
        """Let an object of so many parts wait for the others."""
        self._positions.append(position)
        self._held.append(item)
        self._size += size + 1
        if self._size > _CHUNK:
            self.digest()

    def digest(self) -> None:
        """Write the digests of all that have waited."""
        if self._held:
            self._digests[self._positions] = self._compute(self._held)
        self._positions, self._held, self._size = [], [], 0


def _digests_of_sequences(sequences: list[list[Any]]) -> Digests:
    """The digest of each sequence by those of its parts; letters are joined to a text."""
    letters = [all(isinstance(part, str) and len(part) == 1 for part in each) for each in sequences]
    others = [each for each, joined in zip(sequences, letters, strict=True) if not joined]
    ends = np.cumsum([len(each) for each in others], dtype=np.intp)
    parts = _digests_one_by_one(chain.from_iterable(others), int(ends[-1]) if len(ends) else 0)
    hashed = iter(
        _hash(b"parts", parts[end - len(each) : end].tobytes())
        for each, end in zip(others, ends.tolist(), strict=True)
    )
    return np.array(
        [
            _digest("".join(each)) if joined else next(hashed)
            for each, joined in zip(sequences, letters, strict=True)
        ],
        dtype=np.uint64,
    )


def _digest(item: Any) -> int:
    """The digest of one object by its contents; a `TypeError` if they cannot be read."""
    row = as_row(item)
    if row is not None:
        return int(row_digests(row[None, :])[0])
    if isinstance(item, str):
        return _hash(b"text", item.encode("utf-8", "surrogatepass"))
    if isinstance(item, bytes | bytearray):
        return _digest(item.decode("latin-1"))
    if isinstance(item, AbstractSet):
        return _hash(b"set", _to_bytes(sorted(map(_digest, item))))
    if isinstance(item, Mapping):
        return _hash(
            b"dict", _to_bytes(sorted(_digest_item(key, value) for key, value in item.items()))
        )
    if hasattr(item, "to_numpy"):  # a data frame, or one of its rows or columns
        return _digest(item.to_numpy().tolist())
    if isinstance(item, list | tuple | np.ndarray):
        return int(_digests_of_sequences([list(item)])[0])
    if isinstance(item, int):  # of more than 64 bits, and perhaps of more digits than Python writes
        return _hash(b"value", hex(item).encode())
    if item is None or isinstance(item, float | complex | np.generic):
        return _hash(b"value", repr(item.item() if isinstance(item, np.generic) else item).encode())
    return _digest_attributes(item)


def _digest_attributes(item: Any) -> int:
    """The digest of an object of a user's class by the class name and its attributes; a `TypeError`
    if it has none.
    """
    attributes = getattr(item, "__dict__", None)
    if not attributes and not is_dataclass(item):
        raise TypeError(f"{type(item).__name__} has no attributes that can be compared")
    return _hash(
        b"object", type(item).__qualname__.encode() + _to_bytes([_digest(dict(attributes or {}))])
    )


def _digest_item(key: Any, value: Any) -> int:
    return _hash(b"pair", _to_bytes([_digest(key), _digest(value)]))


def _to_bytes(digests: Iterable[int]) -> bytes:
    return np.fromiter(digests, np.uint64).tobytes()


def _hash(kind: bytes, content: bytes) -> int:
    """The first 64 bits of BLAKE2b, different for each kind of content."""
    return int.from_bytes(blake2b(content, digest_size=8, person=kind).digest(), "little")
