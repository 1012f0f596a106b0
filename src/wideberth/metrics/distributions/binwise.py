"""Metrics that compare distributions bin by bin: total variation, Hellinger, Jensen-Shannon and
chi-squared.

They ignore which bins lie near each other; `Wasserstein1D` and `EarthMover` take that into account.
"""

import math
from typing import ClassVar

import numpy as np
import scipy

from wideberth.array_types import Objects
from wideberth.metrics.distributions.kernels import chi2_block, jensen_shannon_block
from wideberth.metrics.distributions.sample import (
    EXAMPLES,
    Distributions,
    Masses,
    check_same_bins,
    prepare_distributions,
)
from wideberth.metrics.metric import Distances, Kind, Metric, Promises
from wideberth.objects.digests import Digests
from wideberth.objects.disguises import rounded_digests
from wideberth.rounding import UNIT, DistanceErrors


class _BinwiseMetric(Metric):
    """Base class of metrics on rows of masses, which compare the coordinates of a `Distributions`
    sample.
    """

    accepts: Kind = "distributions"
    parallel = "threads"
    usual_nanoseconds = 50.0
    examples = EXAMPLES

    def __init__(self) -> None:  # no parameters
        pass

    def prepare(self, objects: Objects) -> Distributions:
        """Check the rows and divide them by their sums."""
        return prepare_distributions(objects).with_coordinates("masses", lambda masses: masses)

    def distance_errors(self, prepared: Distributions) -> DistanceErrors:
        """The roundings of masses divided by their sum, which matter for tiny distances."""
        return DistanceErrors.of(len(prepared), 4.0 * (prepared.masses.shape[1] + 8) * UNIT)

    def alike_digests(self, prepared: Distributions) -> Digests:
        """Those of the rounded masses; see `wideberth.Metric.alike_digests`."""
        return rounded_digests(prepared.masses)

    def _measure(self, left: Distributions, right: Distributions) -> Distances:
        check_same_bins(left, right)
        if not len(left) or not len(right):
            return np.zeros((len(left), len(right)))
        return np.asarray(self._compare(left.coordinates, right.coordinates))

    def _compare(self, left: Masses, right: Masses) -> Distances:
        """Compute the distances between all rows of two non-empty arrays of coordinates."""
        raise NotImplementedError


class TotalVariation(_BinwiseMetric):
    r"""Total variation: the largest difference between the probabilities that two distributions
    give to an event, in [0, 1].

    .. math:: d(p, q) = \frac12 \sum_i |p_i - q_i|

    Of negative type, like every distance in L1 (Schoenberg 1938). Not Hilbertian: (1/2, 1/2, 0)
    lies half-way between (1, 0, 0) and (0, 1, 0), but is at distance 1 from (0, 0, 1), where a
    Hilbert space requires :math:`\sqrt{3}/2`. Rows are divided by their sums, so that multiples of
    a row are at distance 0 from it: the metric does not separate them.

    At most `Chi2`, by the Cauchy-Schwarz inequality, and hence at most :math:`\sqrt 2` times
    `Hellinger`.

    Examples
    --------
    >>> TotalVariation()([1, 1, 0], [0, 1, 1])
    0.5
    """

    name = "total_variation"
    source = "half the city-block distance (Schoenberg 1938)"
    counterexamples: ClassVar = {"hilbertian": [[1, 0, 0], [0, 1, 0], [1, 1, 0], [0, 0, 1]]}
    promises = Promises(
        obeys_triangle=True, hilbertian=False, negative_type=True, bounded=True, separates=False
    )
    dominated: ClassVar = {"chi2": 1.0, "hellinger": math.sqrt(2)}

    def _compare(self, left: Masses, right: Masses) -> Distances:
        return scipy.spatial.distance.cdist(left, right, "cityblock") / 2


class Hellinger(_BinwiseMetric):
    r"""Hellinger distance: Euclidean distance between the square roots of the masses, in [0, 1].

    .. math:: d(p, q) = \sqrt{\frac12 \sum_i (\sqrt{p_i} - \sqrt{q_i})^2}

    Hilbertian by definition, and therefore of negative type (Schoenberg 1938). Rows are divided by
    their sums, so that multiples of a row are at distance 0 from it: the metric does not separate
    them.

    At most `Chi2`: :math:`(p - q)^2 = (\sqrt p - \sqrt q)^2 (\sqrt p + \sqrt q)^2`, and the second
    is from p + q to 2 (p + q).

    Examples
    --------
    >>> Hellinger()([2, 0], [0, 5])
    1.0
    """

    name = "hellinger"
    source = "Euclidean between square roots"
    promises = Promises(
        obeys_triangle=True, hilbertian=True, negative_type=True, bounded=True, separates=False
    )
    dominated: ClassVar = {"chi2": 1.0}

    def prepare(self, objects: Objects) -> Distributions:
        """Check the rows, divide them by their sums, and take the square roots of half the
        masses.
        """
        rows = prepare_distributions(objects)
        return rows.with_coordinates("roots", lambda masses: np.sqrt(masses / 2))

    def _compare(self, left: Masses, right: Masses) -> Distances:
        return scipy.spatial.distance.cdist(left, right, "euclidean")


class JensenShannon(_BinwiseMetric):
    r"""Jensen-Shannon distance: the square root of the Jensen-Shannon divergence, with logarithms
    to base 2, in [0, 1].

    .. math:: d(p, q) = \sqrt{\frac12 \sum_i p_i \log_2 \frac{p_i}{m_i} + \frac12 \sum_i q_i \log_2
        \frac{q_i}{m_i}},
        \qquad m_i = \frac{p_i + q_i}{2}, \qquad 0 \log 0 = 0

    Multiply it by :math:`\sqrt{\ln 2}` for natural logarithms, which are scipy's default.

    A metric: Endres & Schindelin, "A new metric for probability distributions", IEEE Transactions
    on Information Theory 49, 2003. Hilbertian: Fuglede & Topsoe, "Jensen-Shannon divergence and
    Hilbert space embedding", IEEE International Symposium on Information Theory, 2004; therefore of
    negative type (Schoenberg 1938). Rows are divided by their sums, so that multiples of a row are
    at distance 0 from it: the metric does not separate them.

    Examples
    --------
    >>> JensenShannon()([2, 0], [0, 5])
    1.0
    """

    name = "jensen_shannon"
    source = "Endres & Schindelin 2003, Fuglede & Topsoe 2004"
    usual_nanoseconds = 200.0
    promises = Promises(
        obeys_triangle=True, hilbertian=True, negative_type=True, bounded=True, separates=False
    )

    def _compare(self, left: Masses, right: Masses) -> Distances:
        return np.asarray(jensen_shannon_block(left, right))


class Chi2(_BinwiseMetric):
    r"""Chi-squared distance: the square root of half the symmetric chi-squared divergence
    (triangular discrimination), in [0, 1].

    .. math:: d(p, q) = \sqrt{\frac12 \sum_i \frac{(p_i - q_i)^2}{p_i + q_i}}, \qquad \frac00 = 0

    Hilbertian: :math:`(p - q)^2 / (p + q) = p + q - 4 p q / (p + q)`, and :math:`p q / (p + q) = p
    q \int_0^\infty e^{-t p} e^{-t q} dt` is a positive definite kernel (Hein & Bousquet,
    "Hilbertian metrics and positive definite kernels on probability measures", AISTATS 2005);
    therefore of negative type (Schoenberg 1938). Rows are divided by their sums, so that multiples
    of a row are at distance 0 from it: the metric does not separate them.

    At most :math:`\sqrt 2` times `Hellinger`, which has the proof.

    Examples
    --------
    >>> Chi2()([1, 1, 0], [0, 1, 1])
    0.7071067811865476
    """

    name = "chi2"
    source = "Hein & Bousquet 2005"
    promises = Promises(
        obeys_triangle=True, hilbertian=True, negative_type=True, bounded=True, separates=False
    )
    dominated: ClassVar = {"hellinger": math.sqrt(2)}

    def _compare(self, left: Masses, right: Masses) -> Distances:
        return np.asarray(chi2_block(left, right))
