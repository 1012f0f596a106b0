"""Compiled whitening of vectors."""

import numpy as np
from numba import njit
from numpy.typing import NDArray

Floats = NDArray[np.float64]

#: Rows that are whitened side by side: few enough to stay near the processor, many enough to fill it.
_TOGETHER = 128


@njit(nogil=True, cache=True)
def whiten(rows: Floats, whitening: Floats, out: Floats) -> None:
    """Fill row i of ``out`` with ``rows[i] @ whitening``, where ``whitening`` is upper triangular.

    A product of matrices from BLAS would round a row differently in blocks of different sizes; here it does not matter which
    other rows there are, so that equal rows stay equal and distances do not depend on the block.
    """
    dimension = whitening.shape[0]
    columns = np.empty((dimension, _TOGETHER))
    for first in range(0, rows.shape[0], _TOGETHER):
        count = min(_TOGETHER, rows.shape[0] - first)
        for i in range(count):
            for k in range(dimension):
                columns[k, i] = rows[first + i, k]
        for k in range(dimension - 1, -1, -1):  # backwards, as column k needs those before it as they were
            column = columns[k, :count]
            _scale(column, whitening[k, k])
            for j in range(k):
                _add(whitening[j, k], columns[j, :count], column)
            for i in range(count):
                out[first + i, k] = column[i]


@njit(nogil=True, cache=True, inline="always")
def _scale(column: Floats, factor: float) -> None:
    for i in range(column.size):
        column[i] *= factor


@njit(nogil=True, cache=True, inline="always")
def _add(factor: float, other: Floats, column: Floats) -> None:
    for i in range(column.size):
        column[i] += factor * other[i]
