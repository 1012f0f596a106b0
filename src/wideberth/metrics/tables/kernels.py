"""Compiled blocks of the Gower distance.

A table is two arrays whose first axis counts the columns and whose second axis counts the rows:
``numbers``, float64 with NaN for missing values, and ``codes``, an integer for each category. The
values of a column are neighbours in memory, so that one value is compared with many others at a
time. Blocks are filled in strips that fit into the first-level cache.
"""

import numpy as np
from numpy.typing import NDArray

from wideberth.array_types import Floats
from wideberth.compilation import compiled

Codes = NDArray[np.int64]

#: Rows on the right that are measured together.
_STRIP = 512


@compiled
def gower_block(
    left_numbers: Floats,
    left_codes: Codes,
    right_numbers: Floats,
    right_codes: Codes,
    ranges: Floats,
    weights: Floats,
) -> Floats:
    """Return the weighted mean difference over all columns; a missing value differs by 1 from
    others, by 0 from a missing one.

    Columns are rows of these arrays, one of numbers or of categories at least; ranges are 0 or
    more, and weights, those of numbers first, positive.

    Examples
    --------
    >>> ages, cities = np.array([[20.0, 60.0]]), np.array([[7, 7]])
    >>> gower_block(ages, cities, ages, cities, np.array([40.0]), np.ones(2))
    array([[0. , 0.5],
           [0.5, 0. ]])
    """
    out = np.zeros((left_codes.shape[1], right_codes.shape[1]))
    n_numbers, total = len(left_numbers), weights.sum()
    for start in range(0, out.shape[1], _STRIP):
        stop = min(start + _STRIP, out.shape[1])
        for i in range(out.shape[0]):
            row = out[i, start:stop]
            for column in range(n_numbers):
                _add_numeric(
                    left_numbers[column, i],
                    right_numbers[column, start:stop],
                    ranges[column],
                    weights[column],
                    row,
                )
            for column in range(len(left_codes)):
                _add_categorical(
                    left_codes[column, i],
                    right_codes[column, start:stop],
                    weights[n_numbers + column],
                    row,
                )
            for j in range(stop - start):
                row[j] /= total
    return out


@compiled
def gower_block_skipping_missing(
    left_numbers: Floats,
    left_codes: Codes,
    right_numbers: Floats,
    right_codes: Codes,
    ranges: Floats,
    weights: Floats,
    missing: int,
) -> Floats:
    """Return the weighted mean difference over the columns in which both rows have a value; NaN if
    there is no such column. ``missing`` is the code of a missing category.

    Examples
    --------
    >>> ages, cities = np.array([[20.0, np.nan]]), np.array([[7, 8]])
    >>> gower_block_skipping_missing(ages, cities, ages, cities, np.array([40.0]), np.ones(2), 0)
    array([[0., 1.],
           [1., 0.]])
    """
    out = np.zeros((left_codes.shape[1], right_codes.shape[1]))
    counts = np.empty(_STRIP)  # the weights of columns in which both rows have a value
    n_numbers = len(left_numbers)
    for start in range(0, out.shape[1], _STRIP):
        stop = min(start + _STRIP, out.shape[1])
        for i in range(out.shape[0]):
            row, common = out[i, start:stop], counts[: stop - start]
            common[:] = 0.0
            for column in range(n_numbers):
                others, weight = right_numbers[column, start:stop], weights[column]
                _add_common_numeric(
                    left_numbers[column, i], others, ranges[column], weight, row, common
                )
            for column in range(len(left_codes)):
                if left_codes[column, i] != missing:
                    categories = right_codes[column, start:stop]
                    weight = weights[n_numbers + column]
                    _add_common_categorical(
                        left_codes[column, i], categories, missing, weight, row, common
                    )
            for j in range(stop - start):
                row[j] = row[j] / common[j] if common[j] else np.nan
    return out


@compiled(inline="always", error_model="numpy")
def _add_numeric(x: float, others: Floats, width: float, weight: float, row: Floats) -> None:
    """Add ``weight`` times the difference of x from each of ``others``, in units of ``width`` and
    at most 1, to ``row``.
    """
    if np.isnan(x):
        for j in range(row.size):
            row[j] += 0.0 if np.isnan(others[j]) else weight
    elif width == 0.0:
        for j in range(row.size):
            row[j] += weight if others[j] != x else 0.0  # NaN differs
    else:
        for j in range(row.size):
            difference = abs(x - others[j]) / width
            row[j] += weight * (difference if difference < 1.0 else 1.0)  # NaN is not below 1


@compiled(inline="always")
def _add_categorical(code: int, others: Codes, weight: float, row: Floats) -> None:
    """Add ``weight`` to ``row`` for each of the ``others`` that is another category."""
    for j in range(row.size):
        row[j] += weight if others[j] != code else 0.0


@compiled(inline="always", error_model="numpy")
def _add_common_numeric(
    x: float, others: Floats, width: float, weight: float, row: Floats, common: Floats
) -> None:
    """Do the same as `_add_numeric` for values present on both sides, and add their weight to
    ``common``.
    """
    if np.isnan(x):
        return
    for j in range(row.size):
        present = not np.isnan(others[j])
        difference = (
            abs(x - others[j]) / width if width > 0.0 else np.inf if others[j] != x else 0.0
        )
        row[j] += weight * (0.0 if not present else difference if difference < 1.0 else 1.0)
        common[j] += weight if present else 0.0


@compiled(inline="always")
def _add_common_categorical(
    code: int, others: Codes, missing: int, weight: float, row: Floats, common: Floats
) -> None:
    """Do the same as `_add_categorical` for ``others`` that are not ``missing``, and add their
    weight to ``common``.
    """
    for j in range(row.size):
        present = others[j] != missing
        row[j] += weight if present and others[j] != code else 0.0
        common[j] += weight if present else 0.0
