"""Compiled weighted sums of matrix rows: they price all columns of an LP machine, and evaluate the function it has learned."""

from typing import Any

from numpy.typing import NDArray

from wideberth.array_types import Floats, Indices
from wideberth.compilation import compiled


@compiled
def add_rows(block: NDArray[Any], rows: Indices, values: Floats, first: int, out: Floats, table: Floats | None = None) -> None:
    """Add weighted rows of a matrix, or of a table of its entries, to running sums.

    Without a table, ``out[q, k] += sum_i values[i, q] * block[rows[i], first + k]``. With one, the block holds whole numbers and
    ``table[block[...]]`` takes the place of ``block[...]``: a radial function of integer distances is looked up, not computed.
    numba compiles each of the two cases without the branch of the other.

    The rows are added one after the other, so that the result does not depend on how a caller cuts the columns into pieces.
    Rows with the value 0 are skipped. Nothing is checked: all indices must be in range.

    Parameters
    ----------
    block : ndarray of shape (n, m)
        Distances, or columns; whole numbers if there is a table.
    rows : ndarray of shape (r,)
        The rows to add.
    values : ndarray of shape (r, q)
        The weight of each of these rows in each of q sums.
    first : int
        The first column of the block that counts.
    out : ndarray of shape (q, k)
        The running sums, changed in place, of k columns from ``first`` on.
    table : ndarray of shape (largest entry + 1,), optional
        What stands for each whole number.

    Examples
    --------
    >>> import numpy as np
    >>> block, sums = np.array([[1.0, 2.0, 3.0], [10.0, 20.0, 30.0]]), np.zeros((1, 2))
    >>> add_rows(block, np.array([0, 1]), np.array([[1.0], [0.5]]), 1, sums)
    >>> sums
    array([[12., 18.]])
    """
    width = out.shape[1]
    for i in range(rows.size):
        line = block[rows[i], first : first + width]
        for q in range(out.shape[0]):
            value = values[i, q]
            if value != 0.0:
                total = out[q]
                for k in range(width):
                    if table is None:
                        total[k] += value * line[k]
                    else:
                        total[k] += value * table[line[k]]
