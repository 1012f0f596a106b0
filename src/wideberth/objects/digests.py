r"""Recognise objects again: 64 bits for each of them, the same whenever and however the object is given.

Lists, tuples and arrays of the same numbers are the same object, and so are 1 and 1.0, text and its Latin-1 bytes, a text and the
list of its letters, a series and its only channel: a digest may take two different things for one, which costs a warning too
many, but should not take a known object for a new one. It does where one object has forms that only a metric knows to be equal:
a graph with its edges in another order, the rows of a matrix of distances whose columns have changed places. m new objects, none
of them among n known ones, have a digest in common with a chance of about :math:`mn / 2^{64}`.
"""

from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import is_dataclass
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse, vstack

from wideberth.objects import sample

Digests = NDArray[np.uint64]

#: Odd numbers with well-spread bits (Steele, Lea & Flood 2014, SplitMix).
_STEP, _FIRST, _SECOND = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
#: Numbers that are mixed at once.
_CHUNK = 1 << 18
#: Kinds of arrays of numbers.
_NUMBERS = "fiub"


def given_digests(X: Any, *, rows: bool = False) -> Digests | None:
    """The digest of each object of X as somebody gave it; ``rows`` as for `wideberth.objects.sample.hold`.

    Rows of a sparse array, and sparse arrays one by one, are what they would be in full.

    >>> from scipy.sparse import csr_array
    >>> full = np.array([[0.0, 2.0]])
    >>> given_digests(csr_array(full)) == given_digests([csr_array(full)]) == given_digests(full)
    array([ True])
    """
    if issparse(X):
        return sparse_row_digests(X)
    held = sample.hold(X, rows=rows)
    if isinstance(held, np.ndarray) and held.dtype == object and len(held) and all(map(issparse, held)):
        return sparse_row_digests(vstack([each.reshape(1, -1) for each in held]))
    return object_digests(held)


def object_digests(objects: Any) -> Digests | None:
    """The digest of each object of a held sample (`wideberth.objects.sample.hold`); None where some cannot be told apart.

    >>> object_digests(sample.hold(["tea", "rum"])).tolist() == object_digests(sample.hold(["tea", b"rum"])).tolist()
    True
    >>> object_digests(sample.hold([(1, 2)]))[0] == object_digests(sample.hold(np.array([[1.0, 2.0]])))[0]
    np.True_
    >>> object_digests(sample.hold([object()])) is None
    True
    """
    if isinstance(objects, np.ndarray) and objects.dtype.kind in _NUMBERS:
        return row_digests(objects.reshape(len(objects), -1))
    if not isinstance(objects, np.ndarray) and not hasattr(objects, "to_numpy"):
        return None  # a container of a metric, which has its own form of the objects
    digests = np.empty(sample.count(objects), dtype=np.uint64)
    of_width: dict[int, tuple[list[int], list[NDArray[Any]]]] = {}
    try:
        for position, each in enumerate(sample.one_by_one(objects)):
            row = _as_row(each)
            if row is None:
                digests[position] = _digest(each)
            else:
                positions, rows = of_width.setdefault(len(row), ([], []))
                positions.append(position)
                rows.append(row)
    except (TypeError, RecursionError):
        return None
    for positions, rows in of_width.values():  # many short rows at once
        digests[positions] = row_digests(np.stack(rows))
    return digests


def row_digests(rows: NDArray[Any]) -> Digests:
    r"""The digest of each row of numbers; -0.0 counts as 0.0, and what is no number as one thing, whatever its bits.

    .. math:: \mathrm{mix}\Bigl(\sum_j m_j\, (\mathrm{mix}(w_j) + 1) \Bigr) \bmod 2^{64}

    for the bits :math:`w_j` of the numbers of a row and odd multipliers :math:`m_j`.

    >>> rows = row_digests(np.array([[1.0, 2.0], [2.0, 1.0], [1, 2]]))
    >>> rows[0] == rows[2] != rows[1]
    np.True_
    """
    width = rows.shape[1]
    multipliers = _multipliers(width)
    digests = np.empty(len(rows), dtype=np.uint64)
    step = max(1, _CHUNK // max(width, 1))
    for start in range(0, len(rows), step):
        words = _number_words(rows[start : start + step]) * multipliers
        digests[start : start + step] = words.sum(axis=1, dtype=np.uint64)
    return _mixed(digests + multipliers.sum(dtype=np.uint64))


def sparse_row_digests(rows: Any) -> Digests:
    """The digest of each row of a sparse array, that of the same row in full: a 0 adds nothing to the sum of the others.

    >>> from scipy.sparse import csr_array
    >>> full = np.array([[0.0, 2.0], [0.0, 0.0], [1.0, 0.0]])
    >>> (sparse_row_digests(csr_array(full)) == row_digests(full)).all()
    np.True_
    """
    rows = rows.tocsr(copy=True)
    rows.sum_duplicates()
    multipliers = _multipliers(rows.shape[1])
    sums = np.zeros(rows.nnz + 1, dtype=np.uint64)
    np.cumsum(_number_words(rows.data) * multipliers[rows.indices], out=sums[1:])
    return _mixed(sums[rows.indptr[1:]] - sums[rows.indptr[:-1]] + multipliers.sum(dtype=np.uint64))


def _multipliers(width: int) -> Digests:
    return _mixed(np.arange(1, width + 1, dtype=np.uint64) * _STEP) | np.uint64(1)


def _number_words(numbers: NDArray[Any]) -> Digests:
    """The mixed bits of each number, 0 for 0."""
    numbers = np.ascontiguousarray(numbers, dtype=np.float64) + 0.0  # -0.0 + 0.0 = 0.0
    numbers[np.isnan(numbers)] = np.nan  # they come with different bits
    return _mixed(numbers.view(np.uint64)) if numbers.size else np.zeros(numbers.shape, dtype=np.uint64)


def joint_digest(objects: Digests, labels: Digests) -> int:
    """One digest for all objects with their labels, whatever their order.

    >>> one, other = np.array([1, 2], dtype=np.uint64), np.array([7, 8], dtype=np.uint64)
    >>> joint_digest(one, other) == joint_digest(one[::-1], other[::-1]) != joint_digest(one, other[::-1])
    True
    """
    return int(_mixed(objects ^ _mixed(labels + _STEP)).sum(dtype=np.uint64))


def _mixed(words: Digests) -> Digests:
    """A one-to-one map of 64 bits in which each bit depends on all."""
    words = words ^ (words >> np.uint64(30))
    words *= _FIRST
    words ^= words >> np.uint64(27)
    words *= _SECOND
    words ^= words >> np.uint64(31)
    return words


def _as_row(thing: Any) -> NDArray[Any] | None:
    """All numbers of an object that holds nothing else, whatever its shape; None for other objects."""
    if isinstance(thing, list | tuple):
        if not len(thing) or isinstance(thing[0], str | bytes):
            return None  # nothing; letters, or a tree and its label: no need to try
    elif not isinstance(thing, np.ndarray | np.generic | int | float):
        return None
    try:
        array = np.asarray(thing)
    except ValueError:  # parts of different lengths
        return None
    return array.ravel() if array.dtype.kind in _NUMBERS and array.dtype.itemsize <= 8 and array.size else None


def _digest(thing: Any) -> int:
    row = _as_row(thing)
    if row is not None:
        return int(row_digests(row[None, :])[0])
    if isinstance(thing, str):
        return _hashed(b"text", thing.encode("utf-8", "surrogatepass"))
    if isinstance(thing, bytes | bytearray):
        return _digest(thing.decode("latin-1"))
    if isinstance(thing, AbstractSet):
        return _hashed(b"set", _together(sorted(map(_digest, thing))))
    if isinstance(thing, Mapping):
        return _hashed(b"dict", _together(sorted(_pair(key, value) for key, value in thing.items())))
    if hasattr(thing, "to_numpy"):  # a data frame, or one of its rows or columns
        return _digest(thing.to_numpy().tolist())
    if isinstance(thing, list | tuple | np.ndarray):
        return _digest_parts(list(thing))
    if isinstance(thing, int):  # of more than 64 bits, and perhaps of more digits than Python writes
        return _hashed(b"value", hex(thing).encode())
    if thing is None or isinstance(thing, float | complex | np.generic):
        return _hashed(b"value", repr(thing.item() if isinstance(thing, np.generic) else thing).encode())
    return _digest_strange(thing)


def _digest_parts(parts: list[Any]) -> int:
    if all(isinstance(each, str) and len(each) == 1 for each in parts):
        return _digest("".join(parts))
    return _hashed(b"parts", _together(map(_digest, parts)))


def _digest_strange(thing: Any) -> int:
    """An object of somebody's class is what its attributes are; a `TypeError` if it does not show them."""
    attributes = getattr(thing, "__dict__", None)
    if not attributes and not is_dataclass(thing):
        raise TypeError(f"{type(thing).__name__} does not show what it holds")
    return _hashed(b"object", type(thing).__qualname__.encode() + _together([_digest(dict(attributes or {}))]))


def _pair(key: Any, value: Any) -> int:
    return _hashed(b"pair", _together([_digest(key), _digest(value)]))


def _together(digests: Iterable[int]) -> bytes:
    return np.fromiter(digests, np.uint64).tobytes()


def _hashed(kind: bytes, content: bytes) -> int:
    return int.from_bytes(blake2b(content, digest_size=8, person=kind).digest(), "little")
