"""Compiled blocks of Gower's distance.

A table is two arrays whose second axis counts the rows: ``numbers``, float64 with NaN for a missing one, and ``codes``, a number
for each category. Columns lie side by side in memory, so that one value meets many others at a time; blocks are filled in strips
that stay in the nearest cache.
"""

import numpy as np
from numba import njit
from numpy.typing import NDArray

from wideberth.arrays import Floats

Codes = NDArray[np.int64]

#: Objects on the right that are measured together.
_STRIP = 512


@njit(nogil=True, cache=True)
def gower_block(left_numbers: Floats, left_codes: Codes, right_numbers: Floats, right_codes: Codes, ranges: Floats) -> Floats:
    """The mean over all columns; what is missing differs by 1 from everything but what is missing.

    Assumes as many ranges as columns of numbers, not negative, and one column at least.
    """
    out = np.zeros((left_codes.shape[1], right_codes.shape[1]))
    columns = len(left_numbers) + len(left_codes)
    for start in range(0, out.shape[1], _STRIP):
        stop = min(start + _STRIP, out.shape[1])
        for i in range(out.shape[0]):
            row = out[i, start:stop]
            for column in range(len(left_numbers)):
                _add_gaps(left_numbers[column, i], right_numbers[column, start:stop], ranges[column], row)
            for column in range(len(left_codes)):
                _add_differences(left_codes[column, i], right_codes[column, start:stop], row)
            for j in range(stop - start):
                row[j] /= columns
    return out


@njit(nogil=True, cache=True)
def gower_block_of_known(
    left_numbers: Floats, left_codes: Codes, right_numbers: Floats, right_codes: Codes, ranges: Floats, missing: int
) -> Floats:
    """The mean over the columns that both rows have, NaN if there is none; ``missing`` is the code of a missing category."""
    out = np.zeros((left_codes.shape[1], right_codes.shape[1]))
    shared = np.empty(_STRIP)
    for start in range(0, out.shape[1], _STRIP):
        stop = min(start + _STRIP, out.shape[1])
        for i in range(out.shape[0]):
            row, known = out[i, start:stop], shared[: stop - start]
            known[:] = 0.0
            for column in range(len(left_numbers)):
                _add_known_gaps(left_numbers[column, i], right_numbers[column, start:stop], ranges[column], row, known)
            for column in range(len(left_codes)):
                if left_codes[column, i] != missing:
                    _add_known_differences(left_codes[column, i], right_codes[column, start:stop], missing, row, known)
            for j in range(stop - start):
                row[j] = row[j] / known[j] if known[j] else np.nan
    return out


@njit(nogil=True, cache=True, inline="always", error_model="numpy")
def _add_gaps(x: float, others: Floats, width: float, row: Floats) -> None:
    if np.isnan(x):
        for j in range(row.size):
            row[j] += 0.0 if np.isnan(others[j]) else 1.0
    elif width == 0.0:
        for j in range(row.size):
            row[j] += 1.0 if others[j] != x else 0.0  # NaN differs
    else:
        for j in range(row.size):
            gap = abs(x - others[j]) / width
            row[j] += gap if gap < 1.0 else 1.0  # NaN is not below 1


@njit(nogil=True, cache=True, inline="always")
def _add_differences(code: int, others: Codes, row: Floats) -> None:
    for j in range(row.size):
        row[j] += 1.0 if others[j] != code else 0.0


@njit(nogil=True, cache=True, inline="always", error_model="numpy")
def _add_known_gaps(x: float, others: Floats, width: float, row: Floats, known: Floats) -> None:
    if np.isnan(x):
        return
    for j in range(row.size):
        there = not np.isnan(others[j])
        gap = abs(x - others[j]) / width if width > 0.0 else np.inf if others[j] != x else 0.0
        row[j] += 0.0 if not there else gap if gap < 1.0 else 1.0
        known[j] += 1.0 if there else 0.0


@njit(nogil=True, cache=True, inline="always")
def _add_known_differences(code: int, others: Codes, missing: int, row: Floats, known: Floats) -> None:
    for j in range(row.size):
        there = others[j] != missing
        row[j] += 1.0 if there and others[j] != code else 0.0
        known[j] += 1.0 if there else 0.0
