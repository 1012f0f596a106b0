"""The time warp edit distance."""

import numpy as np

from wideberth.errors import InvalidInput
from wideberth.metrics.metric import Distances, Promises
from wideberth.metrics.parameters import is_number
from wideberth.metrics.series import SeriesMetric
from wideberth.metrics.series_sample import SeriesSample
from wideberth.metrics.twe_kernels import twe_block


class TWE(SeriesMetric):
    r"""Time warp edit distance: the cheapest way to match the steps of one series with those of the other (at the cost of the
    differences at both ends of the steps, in value and, times ``nu``, in time), or to delete a step of either (at the cost of its
    height, its duration times ``nu``, and ``lmbda``).

    .. math::
        d(x, y) &= D_{nm}, \\
        D_{ij} &= \min \left\{ \begin{array}{l}
            D_{i-1,j-1} + |x_i - y_j| + |x_{i-1} - y_{j-1}| + 2 \nu |i - j| \\
            D_{i-1,j} + |x_i - x_{i-1}| + \nu + \lambda \\
            D_{i,j-1} + |y_j - y_{j-1}| + \nu + \lambda
        \end{array} \right.

    where :math:`D_{00} = 0`, the other borders are infinite, the points in time are the positions, and both series begin with
    :math:`x_0 = y_0 = 0` at time 0.

    A metric on series of any lengths for :math:`\nu > 0` and :math:`\lambda \geq 0`: Marteau, "Time warp edit distance with
    stiffness adjustment for time series matching", IEEE Transactions on Pattern Analysis and Machine Intelligence 31(2), 2009.
    It separates: deleting costs :math:`\nu` at least, so only matches without delay, of equal values, are free. The distances of
    several channels are added, which keeps all this.

    Neither Hilbertian nor of negative type: the series 0110, 1001, 0101, 1010, 001, 1110, times a large s, and weights
    b = (2, 2, -1, -1, -1, -1), whose sum is zero. Their distances divided by s are those of 0110, ... under :math:`\nu / s` and
    :math:`\lambda / s`; as s grows, :math:`\sum_{i<j} b_i b_j d_{ij} / s` tends to its value under :math:`\nu = \lambda = 0`,
    which is 4 > 0.

    >>> TWE(nu=0.5, lmbda=1)([2, 2, 2], [2, 2])  # delete the last step, which has no height
    1.5
    >>> TWE(nu=0.5, lmbda=1)([2, 2], [2, 3])
    1.0
    >>> TWE(nu=0.5, lmbda=1)([2, 2, 2], [2, 3, 2])  # a point is the end of two steps
    2.0

    Parameters
    ----------
    nu : float
        The stiffness, positive: the price of a unit of time. The larger, the more rigid: in the end only points at the same
        positions are matched.
    lmbda : float
        What deleting a step costs besides, 0 or more.
    """

    name = "twe"
    promises = Promises(obeys_triangle=True, hilbertian=False, negative_type=False, bounded=False, separates=True)

    def __init__(self, nu: float = 0.001, lmbda: float = 1.0) -> None:
        if not is_number(nu) or not 0 < nu < np.inf:
            raise InvalidInput(
                f"The stiffness nu of 'twe' must be a positive number, not {nu!r}: it is proved to be a metric only if time has "
                "a price. Without one, and with lmbda=0, [1] and [1, 1] would be at distance 0.",
                advice="Start with 0.001; a tiny nu such as 1e-9 comes as near to 0 as you like.",
                value=nu,
            )
        if not is_number(lmbda) or not 0 <= lmbda < np.inf:
            raise InvalidInput(
                f"The price lmbda of a deletion in 'twe' must be a number, 0 or more, not {lmbda!r}.",
                advice="Start with 1.0 for series scaled to unit variance, or a tenth or ten times that.",
                value=lmbda,
            )
        self.nu = nu
        self.lmbda = lmbda

    def _between(self, left: SeriesSample, right: SeriesSample, channels: int) -> Distances:
        nu, lmbda = float(self.nu), float(self.lmbda)
        return twe_block(left.values, left.offsets, right.values, right.offsets, channels, nu, lmbda)
