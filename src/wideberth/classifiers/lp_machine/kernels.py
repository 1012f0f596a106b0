"""Compiled sums of rows, each times its weights: what distances, or functions of them, add up to for every column."""

from typing import Any

from numba import njit
from numpy.typing import NDArray

from wideberth.arrays import Floats, Indices


@njit(nogil=True, cache=True)
def add_rows(block: Floats, rows: Indices, values: Floats, first: int, out: Floats) -> None:
    """Add ``values[i, q] * block[rows[i], first + k]`` to ``out[q, k]``, in the order of the rows."""
    width = out.shape[1]
    for i in range(rows.size):
        line = block[rows[i], first : first + width]
        for q in range(out.shape[0]):
            value = values[i, q]
            if value != 0.0:
                total = out[q]
                for k in range(width):
                    total[k] += value * line[k]


@njit(nogil=True, cache=True)
def add_rows_of_table(block: NDArray[Any], table: Floats, rows: Indices, values: Floats, first: int, out: Floats) -> None:
    """Add ``values[i, q] * table[block[rows[i], first + k]]`` to ``out[q, k]``: the block holds whole numbers."""
    width = out.shape[1]
    for i in range(rows.size):
        line = block[rows[i], first : first + width]
        for q in range(out.shape[0]):
            value = values[i, q]
            if value != 0.0:
                total = out[q]
                for k in range(width):
                    total[k] += value * table[line[k]]
