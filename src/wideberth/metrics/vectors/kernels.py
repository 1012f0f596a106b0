"""Compiled work on vectors: scaling to length 1, great-circle distances between places, and whitening by a covariance."""

import numpy as np
from numba import njit

from wideberth.arrays import Floats

#: Haversines below this, of points less than about a degree apart, are taken from differences: products would cancel.
_NEAR = 1e-4
#: Rows that are whitened side by side: few enough to stay near the processor, many enough to fill it.
_TOGETHER = 128


@njit(nogil=True, cache=True)
def unit_vectors(rows: Floats, out: Floats) -> None:
    """Fill ``out`` with the rows at length 1, each by itself; assumes that no row is zero.

    The largest entry is divided out first, so that squares neither overflow nor vanish.
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


@njit(nogil=True, cache=True)
def central_angles(left: Floats, right: Floats, out: Floats) -> None:
    """Fill ``out[i, j]`` with the angle at which the places ``left[i]`` and ``right[j]`` are seen from the centre of the sphere.

    Assumes rows (latitude, longitude) in radians, longitudes in [-2 pi, 2 pi]. The haversine of the angle, or of the angle to the
    place opposite where that is nearer, comes from sines and cosines of each place, which are fewer than the pairs.
    """
    ours, theirs = _bearings(left), _bearings(right)
    for i in range(left.shape[0]):
        latitude, longitude, sin_lat, cos_lat, sin_lon, cos_lon, parallel = ours[i]
        for j in range(right.shape[0]):
            other = theirs[j]
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


@njit(nogil=True, cache=True)
def _bearings(places: Floats) -> Floats:
    """Of each place: latitude, longitude in [-pi, pi], sine and cosine of half of each, and the radius of its parallel."""
    bearings = np.empty((places.shape[0], 7))
    for i in range(places.shape[0]):
        latitude, longitude = places[i, 0], places[i, 1]
        if abs(longitude) > np.pi:  # exact, as the two numbers are within a factor of two
            longitude -= np.copysign(2 * np.pi, longitude)
        bearings[i, 0], bearings[i, 1] = latitude, longitude
        bearings[i, 2], bearings[i, 3] = np.sin(latitude / 2), np.cos(latitude / 2)
        bearings[i, 4], bearings[i, 5] = np.sin(longitude / 2), np.cos(longitude / 2)
        bearings[i, 6] = np.cos(latitude)
    return bearings


@njit(nogil=True, cache=True)
def _longitude_gap(one: float, other: float) -> float:
    """The difference of two longitudes in [-pi, pi], the short way round and exact for neighbours on the two sides of pi."""
    gap = one - other
    if abs(gap) <= np.pi:
        return gap
    half_turn = np.copysign(np.pi, gap)
    return (one - half_turn) - (other + half_turn)  # type: ignore[no-any-return]


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
                _add_multiple(whitening[j, k], columns[j, :count], column)
            for i in range(count):
                out[first + i, k] = column[i]


@njit(nogil=True, cache=True, inline="always")
def _scale(column: Floats, factor: float) -> None:
    for i in range(column.size):
        column[i] *= factor


@njit(nogil=True, cache=True, inline="always")
def _add_multiple(factor: float, other: Floats, column: Floats) -> None:
    for i in range(column.size):
        column[i] += factor * other[i]
