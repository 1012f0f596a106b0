"""Angular metrics: the angle between two vectors, and great-circle distances on a sphere."""

import math
from typing import ClassVar

import numpy as np
import scipy

from wideberth.array_types import Objects
from wideberth.errors import InvalidInput
from wideberth.metrics.containers import for_kernels
from wideberth.metrics.metric import Distances, Promises
from wideberth.metrics.parameters import positive
from wideberth.metrics.vectors.kernels import central_angles, unit_vectors
from wideberth.metrics.vectors.minkowski import VectorMetric, Vectors, prepare_vectors
from wideberth.objects.digests import Digests
from wideberth.objects.disguises import rounded_digests
from wideberth.rounding import UNIT, DistanceErrors
from wideberth.wording import at


class Angular(VectorMetric):
    r"""The angle between two vectors in radians, :math:`d(x, y) = \arccos \frac{\langle x, y
    \rangle}{|x|\,|y|}`, in [0, pi].

    Use it instead of the cosine distance, which is :math:`1 - \cos d` and breaks the triangle
    inequality. Computed as :math:`2\,\mathrm{atan2}(|u - v|, |u + v|)` of the unit vectors u and v
    (Kahan 2006), which is accurate for tiny angles too, where the cosine is 1 up to rounding.

    A metric of negative type: a random hyperplane through the origin separates x and y with
    probability d / pi (Crofton's formula on the sphere; Goemans & Williamson 1995, Lemma 3.2), so d
    / pi is the mean of the squared differences of the indicators of its two sides. Not Hilbertian:
    opposite vectors have many different midpoints. It does not separate: vectors of the same
    direction are at distance 0.

    Examples
    --------
    >>> Angular()([1, 0], [0, 5]) / np.pi
    0.5
    >>> Angular()([1, 0], [1, 1e-12])
    1e-12
    """

    name = "angular"
    source = "the angle, in place of cosine distance, which is no metric; Crofton's formula"
    counterexamples: ClassVar = {
        "hilbertian": [[1.0, 0.0], [0.0, 2.0], [-3.0, 0.0], [0.0, -4.0]],
        "separates": [[1.0, 2.0], [2.0, 4.0]],
    }
    promises = Promises(
        obeys_triangle=True, hilbertian=False, negative_type=True, bounded=True, separates=False
    )

    def prepare(self, objects: Objects) -> Vectors:
        """Check vectors, which may have any finite length except 0. The zero vector has no
        direction.
        """
        rows = prepare_vectors(objects)
        nonzero = rows.any(axis=1)
        if not nonzero.all():
            zero = int(nonzero.argmin())
            raise InvalidInput(
                f"{at('Object', zero)} is the zero vector, which has no direction "
                f"({int((~nonzero).sum())} such).",
                advice="Leave it out: rows[rows.any(axis=1)]; or choose 'euclidean', which "
                "measures lengths as well.",
                witness=zero,
                value=rows[zero],
            )
        return rows

    def alike_digests(self, prepared: Vectors) -> Digests:
        """Those of the directions; see `wideberth.Metric.alike_digests`."""
        return rounded_digests(_units(prepared))

    def distance_errors(self, prepared: Vectors) -> DistanceErrors:
        """The roundings of the two unit vectors, which matter for tiny angles."""
        return DistanceErrors.of(len(prepared), 4.0 * (prepared.shape[1] + 8) * UNIT)

    def _between(self, left: Vectors, right: Vectors) -> Distances:
        left_units, right_units = _units(left), _units(right)
        apart = scipy.spatial.distance.cdist(left_units, right_units)
        opposite = scipy.spatial.distance.cdist(left_units, -right_units)
        angles: Distances = 2 * np.arctan2(apart, opposite)
        return angles


class Haversine(VectorMetric):
    r"""Great-circle distance: the length of the shortest way between two places on a sphere.

    A place is a row (latitude :math:`\varphi`, longitude :math:`\lambda`) in radians, and r is the
    radius of the sphere.

    .. math:: d(x, y) = 2 r \arcsin \sqrt{\sin^2 \frac{\varphi_x - \varphi_y}{2} +
              \cos \varphi_x \cos \varphi_y \sin^2 \frac{\lambda_x - \lambda_y}{2}}

    It is `Angular` on the unit vectors of the places, times the radius, and promises the same for
    the same reasons: a metric, of negative type, not Hilbertian, bounded by half the circumference.
    It does not separate: longitudes that differ by a full turn are the same place, and at a pole
    all longitudes are. Accurate for neighbouring and for opposite places.

    Parameters
    ----------
    radius : float, default=1.0
        The radius of the sphere, positive, in the unit of the distances: 6371 for kilometres on the
        Earth. 1 gives angles.

    Examples
    --------
    >>> Haversine()([0, 0], [0, 1])  # along the equator
    1.0
    >>> paris, tokyo = np.radians([[48.86, 2.35], [35.68, 139.65]])
    >>> round(Haversine(radius=6371)(paris, tokyo))  # kilometres
    9711
    """

    name = "haversine"
    examples = (
        # Paris, Marseille, Lyon, Lille
        *([0.853, 0.041], [0.756, 0.094], [0.799, 0.084], [0.884, 0.053]),
        # Berlin, Munich, Hamburg, Dresden
        *([0.917, 0.234], [0.840, 0.202], [0.935, 0.174], [0.891, 0.240]),
    )
    source = "latitude and longitude in radians; angles on a sphere"
    counterexamples: ClassVar = {
        "hilbertian": [[0.0, 0.0], [0.0, math.pi / 2], [0.0, math.pi], [0.0, -math.pi / 2]],
        "separates": [[0.5, 0.0], [0.5, 2 * math.pi]],
    }
    promises = Promises(
        obeys_triangle=True, hilbertian=False, negative_type=True, bounded=True, separates=False
    )

    def __init__(self, radius: float = 1.0) -> None:
        advice = "The Earth has 6371 (kilometres); 1 gives angles in radians."
        self.radius = positive(radius, "The radius of 'haversine'", advice, parameter="radius")

    def prepare(self, objects: Objects) -> Vectors:
        """Check places, pairs of latitudes in [-pi/2, pi/2] and longitudes in [-2 pi, 2 pi]. The
        advice for others depends on whether they look like degrees or like swapped columns.
        """
        rows = super().prepare(objects)
        if not len(rows):
            return rows
        if rows.shape[1] != 2:
            raise InvalidInput(
                f"A place is a pair (latitude, longitude) in radians; these have {rows.shape[1]} "
                "numbers.",
                advice="Keep the two columns, in this order.",
                value=rows.shape[1],
            )
        return _places(rows)

    def alike_digests(self, prepared: Vectors) -> Digests:
        """Those of the places as points of the unit sphere; see
        `wideberth.Metric.alike_digests`.
        """
        if not len(prepared):
            return rounded_digests(prepared)
        latitude, longitude = prepared.T
        round_the_pole = np.cos(latitude) * np.stack([np.cos(longitude), np.sin(longitude)])
        return rounded_digests(np.vstack([round_the_pole, np.sin(latitude)]).T)

    def nanoseconds(self, prepared: Vectors) -> float:
        """Estimate the time of one distance."""
        return 30.0

    def distance_errors(self, prepared: Vectors) -> DistanceErrors:
        """The roundings of angles and of full turns, which matter for tiny distances."""
        return DistanceErrors.of(len(prepared), 32.0 * UNIT * float(self.radius))

    def _between(self, left: Vectors, right: Vectors) -> Distances:
        out = np.empty((len(left), len(right)))
        central_angles(for_kernels(left), for_kernels(right), out)
        out *= float(self.radius)
        return out


def _units(rows: Vectors) -> Vectors:
    """Return the rows scaled to length 1."""
    out = np.empty(rows.shape)
    unit_vectors(for_kernels(rows), out)
    return out


def _places(rows: Vectors) -> Vectors:
    """Return rows of latitude and longitude, or raise an error if they cannot be radians."""
    extremes = np.abs(rows).max(axis=0)
    if extremes[0] > np.pi / 2:
        raise _outside(rows, 0, "latitude", "pi/2", _advice(*extremes))
    if extremes[1] > 2 * np.pi:
        advice = (
            "Degrees become radians by numpy.radians(rows); longitude % (2 * numpy.pi) takes off "
            "whole turns."
        )
        raise _outside(rows, 1, "longitude", "2 pi", advice)
    return rows


def _advice(highest_latitude: float, highest_longitude: float) -> str:
    """Advise the user according to what numbers that are too large for latitudes in radians may
    be.
    """
    if highest_latitude <= 2 * np.pi and highest_longitude <= np.pi / 2:
        return "Latitude comes first: swap the columns, rows[:, ::-1]."
    if highest_latitude <= 90:
        return "They look like degrees: pass numpy.radians(rows)."
    return (
        "Latitude comes first, then longitude, both in radians; from degrees the other way round: "
        "numpy.radians(rows[:, ::-1])."
    )


def _outside(rows: Vectors, column: int, name: str, limit: str, advice: str) -> InvalidInput:
    """Make the error for a column of angles (``name``) that exceeds its ``limit``, with the largest
    one as the witness.
    """
    place = int(np.abs(rows[:, column]).argmax())
    value = float(rows[place, column])
    problem = f"{at('Object', place)} has the {name} {value:.6g}, outside [-{limit}, {limit}]."
    return InvalidInput(problem, advice=advice, witness=place, value=value)
