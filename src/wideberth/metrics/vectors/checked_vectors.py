"""The check of vectors, which all metrics on them share: rows of finite numbers, of one dimension."""

from contextlib import suppress
from typing import Any

import numpy as np
import scipy
from numpy.typing import NDArray

from wideberth.errors import InvalidInput
from wideberth.metrics.containers import as_array
from wideberth.objects import sample
from wideberth.wording import at, python

Vectors = NDArray[np.float64]

#: Numbers that BLAS sums at a time, the fastest test for NaN (and no warning of overflow); with more it would start threads.
_TOGETHER = 5_000


def prepare_vectors(objects: Any, largest: float = np.finfo(np.float64).max) -> Vectors:
    """Check vectors and return them as the rows of a matrix.

    Parameters
    ----------
    objects : array-like of shape (n, k), numeric data frame, or sequence of sequences of numbers
        The vectors. A float64 matrix is checked and returned without a copy.
    largest : float, optional
        The largest absolute value that is allowed; by default every finite number is.

    Returns
    -------
    ndarray of float64, shape (n, k)

    Raises
    ------
    InvalidInput
        If a vector has another dimension than the first one, or holds something else than finite numbers up to ``largest``; the
        message names the object.

    Examples
    --------
    >>> prepare_vectors([[1, 2], [3, 4]])
    array([[1., 2.],
           [3., 4.]])
    """
    # first the usual case: for small blocks, preparing takes a good part of the time
    if type(objects) is np.ndarray and objects.dtype == np.float64 and objects.ndim == 2:
        return _checked(objects, largest)
    held = sample.hold(objects)
    if isinstance(held, np.ndarray) and held.dtype == object and held.ndim == 1:
        return _checked(_stack(held), largest)
    if not isinstance(held, np.ndarray) or held.dtype.kind not in "fiubO" or held.ndim != 2:
        mixed = "Rows with categories are compared column by column: metric 'gower'. Otherwise pass"
        start = mixed if sample.several_columns(held) else "Pass"
        raise InvalidInput(
            f"Vectors are the rows of a numeric table; this is {_describe(held)}.",
            advice=f"{start} a two-dimensional array; a single feature becomes one by array.reshape(-1, 1).",
            value=held,
        )
    return _checked(_stack(held) if held.dtype == object else held.astype(np.float64), largest)


def _describe(held: Any) -> str:
    """Describe the type and the shape of a sample for an error message."""
    if isinstance(held, np.ndarray):
        return f"an array of {held.dtype} with shape {held.shape}"
    return f"a {type(held).__name__} of shape {held.shape}" if hasattr(held, "shape") else f"a {type(held).__name__}"


def _stack(rows: NDArray[Any]) -> Vectors:
    """Copy rows that are separate Python objects into a matrix; an error names the first one that does not fit."""
    if len(rows) == 0:
        return np.empty((0, 0))
    matrix = np.empty((len(rows), len(_vector(rows[0], 0))))
    for position, row in enumerate(rows):
        numbers = _vector(row, position)
        if len(numbers) != matrix.shape[1]:
            raise InvalidInput(
                f"Vectors need one dimension: {at('object', 0)} has {matrix.shape[1]} numbers, {at('object', position)} has "
                f"{len(numbers)}.",
                advice="For series of unequal lengths choose an elastic distance: 'msm', 'erp' or 'twe'.",
                witness=position,
                value=row,
            )
        matrix[position] = numbers
    return matrix


def _vector(row: Any, position: int) -> NDArray[Any]:
    """Return one row as an array of numbers, or raise an error with its position in the sample."""
    numbers = as_array(row)
    if numbers is not None and numbers.dtype.kind == "O":  # None, which becomes NaN, or numbers of a strange class
        with suppress(TypeError, ValueError, OverflowError):
            numbers = numbers.astype(np.float64)
    if numbers is None or numbers.ndim != 1 or numbers.dtype.kind not in "fiub":
        raise InvalidInput(
            f"{at('Object', position)} is not a vector of numbers: {sample.shown(row)}.",
            advice="Convert its values to float, wrap a single vector in a list, or choose a metric for its kind of object: "
            f"'levenshtein' for strings, 'gower' for rows with categories; {python('wideberth.list_metrics()')} names all.",
            witness=position,
            value=row,
        )
    return numbers


def _checked(matrix: Vectors, largest: float) -> Vectors:
    """Return the matrix if all numbers are finite and not too large; otherwise raise an error that names the first other one."""
    numbers = matrix.ravel()
    if all(scipy.linalg.blas.dasum(numbers[first : first + _TOGETHER]) <= largest for first in range(0, numbers.size, _TOGETHER)):
        return matrix  # a sum of absolute values bounds each of them
    unfit = ~(np.abs(matrix) <= largest)
    if not unfit.any():
        return matrix
    row, column = map(int, np.argwhere(unfit)[0])
    value = float(matrix[row, column])
    finite = np.isfinite(value)
    raise InvalidInput(
        f"Vectors need finite numbers{f' of at most {largest:g}' if finite else ''}: {at('object', row)} holds {value} at "
        "position "
        f"{column} ({int(unfit.sum())} such values: {'their squares would overflow' if finite else 'NaN or infinity'}).",
        advice="Scale the features, and drop numbers that mark missing values."
        if finite
        else "Drop or impute them, for example with sklearn.impute.SimpleImputer.",
        witness=(row, column),
        value=value,
    )
