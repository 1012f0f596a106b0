"""The edit distance with real penalty."""

import numpy as np

from wideberth.errors import InvalidInput
from wideberth.metrics.erp_kernels import erp_block
from wideberth.metrics.metric import Distances, Promises
from wideberth.metrics.parameters import is_number
from wideberth.metrics.series import SeriesMetric
from wideberth.metrics.series_sample import SeriesSample


class ERP(SeriesMetric):
    r"""Edit distance with real penalty: the cheapest way to turn one series into the other by moving a value (at the cost of the
    change), and deleting or inserting one (at the cost of its distance from ``gap``).

    .. math::
        d(x, y) = D_{nm}, \qquad
        D_{ij} = \min \{ D_{i-1,j-1} + |x_i - y_j|,\; D_{i-1,j} + |x_i - g|,\; D_{i,j-1} + |y_j - g| \}

    where g is the gap, :math:`D_{00} = 0`, and what lies outside the table is infinite, so that the borders :math:`D_{i0}` and
    :math:`D_{0j}` hold the cost of the first i or j points. (aeon 1.6 writes the cost of the whole series into all of them, and
    loses the triangle inequality: its [1], [-1, 1] and [-1, 2] have 4 > 2 + 1.)

    It obeys the triangle inequality on series of any lengths, because the values and the gap have a metric of their own: Chen &
    Ng, "On the marriage of Lp-norms and edit distance", VLDB 2004. The distances of several channels are added, which keeps it.
    The gap must be a constant for that. Taken from the data of each pair, say as the standard deviation of both series together,
    it would put [4] at 5.89 from [0, 0], but at 4 from [0], which is at 0 from [0, 0].

    It does not separate: values equal to the gap are inserted for nothing, so with gap 0, [1] and [0, 1] are at distance 0.

    Neither Hilbertian nor of negative type: with gap 0, the series 12, 111, 11, 112, 121 and weights b = (3, 3, -2, -2, -2),
    whose sum is zero, have :math:`\sum_{i<j} b_i b_j d_{ij} = 6 > 0`. Another gap is added to the values.

    >>> ERP()([1, 5, 1], [1, 1])  # delete the 5
    5.0
    >>> ERP(gap=4)([1, 5, 1], [1, 1])
    1.0
    >>> ERP()([1, 5, 1], [1, 3, 1])  # one move
    2.0

    Parameters
    ----------
    gap : float
        What an inserted value is measured from. 0 suits series that are scaled to mean 0, so that the usual value costs little.
    """

    name = "erp"
    promises = Promises(obeys_triangle=True, hilbertian=False, negative_type=False, bounded=False, separates=False)

    def __init__(self, gap: float = 0.0) -> None:
        if not is_number(gap) or not -np.inf < gap < np.inf:
            raise InvalidInput(
                f"The gap of 'erp' must be a finite number, the same for all pairs, not {gap!r}.",
                advice="Scale the series to mean 0 and leave gap=0.0, or give their usual value.",
                value=gap,
            )
        self.gap = gap

    def _between(self, left: SeriesSample, right: SeriesSample, channels: int) -> Distances:
        return erp_block(left.values, left.offsets, right.values, right.offsets, channels, float(self.gap))
