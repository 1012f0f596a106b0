r"""Digests that nearly equal objects share: copies in single precision, out of a text file, or with their parts in another order.

A row of numbers is rounded to multiples of :math:`2^{-16}` of the largest power of two in it, about five digits. Numbers that
differ by a share e of that largest one get different multiples with a probability of about :math:`2^{16} e`: 0.4 % for single
precision. So nearly all rows that are copied keep their digest, while different rows seldom share one unless they are short; how
often they do is known from the rows of one sample among each other (`wideberth.bounds.binomial.excess_chance`).

`wideberth.Metric.alike_digests` first brings objects into the form that is the same for all of them at distance 0.
"""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wideberth.array_types import Floats
from wideberth.objects.digests import Digests, mix, row_digests

#: Rows are rounded to multiples of 2 to this power of the largest power of two in them.
_BITS = -16


def rounded_digests(rows: NDArray[Any]) -> Digests:
    """Compute a digest of each row of numbers that nearly equal rows share.

    Parameters
    ----------
    rows : ndarray of shape (n, ...)
        Numbers.

    Returns
    -------
    ndarray of shape (n,), dtype uint64

    Examples
    --------
    >>> rows = np.array([[0.1, 2.0, 0.0]])
    >>> [bool((rounded_digests(rows) == rounded_digests(other))[0]) for other in (rows.astype("f4"), rows + 1e-15, rows + 0.01)]
    [True, True, False]
    """
    flat = np.asarray(rows, dtype=np.float64).reshape(len(rows), math.prod(rows.shape[1:]))  # there may be none
    return row_digests(_rounded(flat, np.abs(flat).max(axis=1, initial=0.0)))


def ragged_digests(values: Floats, starts: NDArray[np.int64]) -> Digests:
    """Compute a digest of each of several sequences of numbers of any lengths that nearly equal sequences share.

    Parameters
    ----------
    values : ndarray
        All numbers; sequence i is ``values[starts[i]:starts[i + 1]]``.
    starts : ndarray of shape (n + 1,)
        Where the sequences begin.

    Returns
    -------
    ndarray of shape (n,), dtype uint64

    Examples
    --------
    >>> found = ragged_digests(np.array([1.0, 2.0, 1.0, 1.0, 2.0]), np.array([0, 2, 3, 5]))
    >>> bool(found[0] == found[2] != found[1])
    True
    """
    sizes = np.diff(starts)
    digests = np.empty(len(sizes), dtype=np.uint64)
    for size in np.unique(sizes).tolist():
        chosen = np.flatnonzero(sizes == size)
        digests[chosen] = rounded_digests(values[starts[chosen][:, None] + np.arange(size)])
    return digests


def bag_digests(points: Floats, starts: NDArray[np.int64]) -> Digests:
    """Compute a digest of each of several sets of points that nearly equal sets share, whatever the order of their points.

    Points that are listed twice count once.

    Parameters
    ----------
    points : ndarray of shape (m, d)
        All points; set i is ``points[starts[i]:starts[i + 1]]``.
    starts : ndarray of shape (n + 1,)
        Where the sets begin.

    Returns
    -------
    ndarray of shape (n,), dtype uint64

    Examples
    --------
    >>> points = np.array([[0.0, 1.0], [2.0, 3.0], [2.0, 3.0], [0.0, 1.0], [0.0, 1.0]])
    >>> found = bag_digests(points, np.array([0, 2, 5]))
    >>> bool(found[0] == found[1])
    True
    """
    owners = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    largest = np.zeros(len(starts) - 1)
    np.maximum.at(largest, owners, np.abs(points).max(axis=1, initial=0.0))
    members = np.unique(np.rec.fromarrays([owners, row_digests(_rounded(points, largest[owners]))]))
    return _summed(members["f0"], members["f1"], len(starts) - 1)


def multiset_digests(keys: NDArray[np.int64], weights: Floats, starts: NDArray[np.int64]) -> Digests:
    """Compute a digest of each of several weighted sets that nearly equal sets share, whatever the order of their elements.

    Parameters
    ----------
    keys : ndarray of shape (m,)
        All elements; set i is ``keys[starts[i]:starts[i + 1]]``, in which none occurs twice.
    weights : ndarray of shape (m,)
        Their weights.
    starts : ndarray of shape (n + 1,)
        Where the sets begin.

    Returns
    -------
    ndarray of shape (n,), dtype uint64

    Examples
    --------
    >>> found = multiset_digests(np.array([5, 7, 7, 5]), np.array([1.0, 2.0, 2.0, 1.0 + 1e-12]), np.array([0, 2, 4]))
    >>> bool(found[0] == found[1])
    True
    """
    owners = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    elements = mix(keys.astype(np.int64).view(np.uint64)) ^ rounded_digests(weights[:, None])
    return _summed(owners, elements, len(starts) - 1)


def _summed(owners: NDArray[np.int64], members: Digests, count: int) -> Digests:
    """A digest of each of so many multisets from those of its members, in any order; ``owners`` are their multisets."""
    sums = np.zeros(count, dtype=np.uint64)
    np.add.at(sums, owners, mix(members))  # modulo 2^64
    return mix(sums)


def _rounded(rows: Floats, largest: Floats) -> Floats:
    """The rows, rounded to multiples of a share of the power of two below the ``largest`` number of each."""
    powers = np.frexp(largest)[1]
    with np.errstate(under="ignore"):
        rounded: Floats = np.ldexp(np.rint(np.ldexp(rows, (-powers - _BITS)[:, None])), (powers + _BITS)[:, None])
    return rounded
