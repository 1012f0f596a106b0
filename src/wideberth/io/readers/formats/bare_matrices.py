"""Recognise a matrix of distances in a table without a header: zeros on its diagonal, and symmetric."""

from collections.abc import Sequence

import numpy as np

from wideberth.io.readers.formats.text_cells import parse_number

#: The column of the names of the objects.
NAME = "name"
#: The fewest objects of a matrix that is taken for distances by its zeros and its symmetry.
FEWEST_IN_MATRIX = 3


def bare_matrix_header(rows: Sequence[Sequence[str]], complete: bool) -> list[str] | None:
    """Name the columns of a matrix of distances whose first line is a row of it rather than a header.

    Parameters
    ----------
    rows : sequence of sequences of str
        The first rows of a table.
    complete : bool
        Whether these are all of them.

    Returns
    -------
    list of str or None
        1, 2, 3... as many as there are objects, after "name" if the first cell of each row is its name; None for other tables.

    Examples
    --------
    >>> bare_matrix_header([["0", "2", "1"], ["2", "0", "1"], ["1", "1", "0"]], complete=True)
    ['1', '2', '3']
    >>> bare_matrix_header([["a", "b", "c"], ["0", "2", "1"], ["2", "0", "1"], ["1", "1", "0"]], complete=True) is None
    True
    """
    if len(rows) < FEWEST_IN_MATRIX or any(len(row) != len(rows[0]) for row in rows):
        return None
    for named in (False, True):
        width = len(rows[0]) - named
        if width < len(rows) or (complete and width != len(rows)):
            continue
        numbers = [[number_with_comma(cell) for cell in row[named : named + len(rows)]] for row in rows]
        if all(number is not None for row in numbers for number in row) and are_distances(np.array(numbers, dtype=np.float64)):
            return [*([NAME] if named else []), *(str(position) for position in range(1, width + 1))]
    return None


def number_with_comma(cell: str) -> float | None:
    """Parse a number with a decimal point or a decimal comma.

    Examples
    --------
    >>> number_with_comma("2.5"), number_with_comma("2,5"), number_with_comma("1.234,5")
    (2.5, 2.5, None)
    """
    return parse_number(cell.replace(",", ".")) if cell.count(",") == 1 else parse_number(cell)


def are_distances(block: np.ndarray) -> bool:
    """Whether a square block can only be one of distances: symmetric up to rounding, zeros on the diagonal, none negative.

    Examples
    --------
    >>> are_distances(np.array([[0.0, 1, 2], [1, 0, 3], [2, 3, 0]])), are_distances(np.eye(3)), are_distances(np.zeros((3, 3)))
    (True, False, False)
    """
    if len(block) < FEWEST_IN_MATRIX or np.diagonal(block).any() or not block.any() or not (block >= 0).all():
        return False
    return bool(np.isfinite(block).all() and np.allclose(block, block.T, rtol=1e-6, atol=0))
