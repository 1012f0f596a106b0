"""Compiled kernels for vectors: Minkowski distances, scaling to length 1, great-circle angles, and
whitening by a covariance.
"""

import numpy as np

from wideberth.array_types import Floats
from wideberth.compilation import compiled

#: Haversines below this, of points less than about a degree apart, are computed from differences of
#: angles, because the products would lose digits by cancellation.
_NEAR = 1e-4
#: Rows that are whitened side by side: few enough for the cache, many enough for vector
#: instructions.
_TOGETHER = 128


@compiled
def unit_vectors(rows: Floats, out: Floats) -> None:
    """Scale every row to length 1.

    No vector is zero.

    Each row is divided by its largest entry first, so that squares neither overflow nor underflow.

    Examples
    --------
    >>> out = np.empty((1, 2))
    >>> unit_vectors(np.array([[3e200, 4e200]]), out)
    >>> out.round(12)
    array([[0.6, 0.8]])
    """
    for i in range(rows.shape[0]):
        largest = 0.0
        for k in range(rows.shape[1]):
            largest = max(largest, abs(rows[i, k]))
        squares = 0.0
        for k in range(rows.shape[1]):
            out[i, k] = rows[i, k] / largest
            squares += out[i, k] ** 2
        length = np.sqrt(squares)
        for k in range(rows.shape[1]):
            out[i, k] /= length


@compiled(error_model="numpy")
def minkowski_block(left: Floats, right: Floats, p: float, out: Floats) -> None:
    """Compute Minkowski distances.

    The differences of two rows are divided by the largest of them first, so that powers neither
    overflow nor underflow, for any p.

    Examples
    --------
    >>> out = np.empty((1, 1))
    >>> minkowski_block(np.array([[0.0, 0.0]]), np.array([[1e120, 1e120]]), 3.0, out)
    >>> out / 1e120  # the cube root of 2
    array([[1.25992105]])
    """
    for i in range(left.shape[0]):
        for j in range(right.shape[0]):
            largest = 0.0
            for k in range(left.shape[1]):
                largest = max(largest, abs(left[i, k] - right[j, k]))
            powers = 0.0
            if largest > 0.0:
                for k in range(left.shape[1]):
                    powers += (abs(left[i, k] - right[j, k]) / largest) ** p
            out[i, j] = largest * powers ** (1.0 / p)


@compiled
def central_angles(left: Floats, right: Floats, out: Floats) -> None:
    """Compute the angles between places as seen from the centre of the sphere.

    Rows are (latitude, longitude) in radians, longitudes in [-2 pi, 2 pi].

    The haversine of the angle, or of the angle to the antipode if that is smaller, is computed from
    sines and cosines of each place: trigonometric functions are evaluated for each place rather
    than for each pair.

    Examples
    --------
    >>> out = np.empty((1, 1))
    >>> central_angles(np.array([[0.0, 0.0]]), np.array([[0.0, 1.0]]), out)
    >>> out
    array([[1.]])
    """
    left_terms, right_terms = _place_terms(left), _place_terms(right)
    for i in range(left.shape[0]):
        latitude, longitude, sin_lat, cos_lat, sin_lon, cos_lon, parallel = left_terms[i]
        for j in range(right.shape[0]):
            other = right_terms[j]
            parallels = parallel * other[6]
            up = sin_lat * other[3] - cos_lat * other[2]
            along = sin_lon * other[5] - cos_lon * other[4]
            haversine = up * up + parallels * (along * along)
            if haversine < _NEAR:
                up = np.sin((latitude - other[0]) / 2)
                along = np.sin(_longitude_gap(longitude, other[1]) / 2)
                haversine = up * up + parallels * (along * along)
            if haversine <= 0.5:
                out[i, j] = 2 * np.arcsin(np.sqrt(haversine))
            else:
                up = sin_lat * other[3] + cos_lat * other[2]
                along = cos_lon * other[5] + sin_lon * other[4]
                out[i, j] = np.pi - 2 * np.arcsin(np.sqrt(up * up + parallels * (along * along)))


@compiled
def _place_terms(places: Floats) -> Floats:
    """Compute for each place: latitude, longitude in [-pi, pi], sine and cosine of half of each,
    and cosine of the latitude.
    """
    terms = np.empty((places.shape[0], 7))
    for i in range(places.shape[0]):
        latitude, longitude = places[i, 0], places[i, 1]
        if abs(longitude) > np.pi:  # exact, as the two numbers are within a factor of two
            longitude -= np.copysign(2 * np.pi, longitude)
        terms[i, 0], terms[i, 1] = latitude, longitude
        terms[i, 2], terms[i, 3] = np.sin(latitude / 2), np.cos(latitude / 2)
        terms[i, 4], terms[i, 5] = np.sin(longitude / 2), np.cos(longitude / 2)
        terms[i, 6] = np.cos(latitude)
    return terms


@compiled
def _longitude_gap(one: float, other: float) -> float:
    """Return the difference of two longitudes in [-pi, pi], the short way round, exact for
    neighbours on both sides of pi.
    """
    gap = one - other
    if abs(gap) <= np.pi:
        return gap
    half_turn = np.copysign(np.pi, gap)
    return (one - half_turn) - (other + half_turn)  # type: ignore[no-any-return]


@compiled
def whiten(rows: Floats, whitening: Floats, out: Floats) -> None:
    """Multiply every row by an upper triangular matrix: row i of ``out`` becomes ``rows[i] @
    whitening``.

    The matrix is upper triangular: entries below the diagonal are not read.

    A matrix product of BLAS may round the same row differently in blocks of different sizes. Here
    the result for a row does not depend on the other rows, so equal rows stay equal and distances
    do not depend on the block.

    Examples
    --------
    >>> out = np.empty((1, 2))
    >>> whiten(np.array([[1.0, 2.0]]), np.array([[1.0, 3.0], [0.0, 1.0]]), out)
    >>> out
    array([[1., 5.]])
    """
    dimension = whitening.shape[0]
    columns = np.empty((dimension, _TOGETHER))
    for first in range(0, rows.shape[0], _TOGETHER):
        count = min(_TOGETHER, rows.shape[0] - first)
        for i in range(count):
            for k in range(dimension):
                columns[k, i] = rows[first + i, k]
        # backwards, because column k needs the old values of the columns before it
        for k in range(dimension - 1, -1, -1):
            column = columns[k, :count]
            _scale(column, whitening[k, k])
            for j in range(k):
                _add_multiple(whitening[j, k], columns[j, :count], column)
            for i in range(count):
                out[first + i, k] = column[i]


@compiled(inline="always")
def _scale(column: Floats, factor: float) -> None:
    """Multiply a column by a factor, in place."""
    for i in range(column.size):
        column[i] *= factor


@compiled(inline="always")
def _add_multiple(factor: float, other: Floats, column: Floats) -> None:
    """Add a multiple of another column to a column, in place."""
    for i in range(column.size):
        column[i] += factor * other[i]
