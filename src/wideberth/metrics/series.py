"""Elastic distances between series of numbers: of any lengths, with one or several channels."""

from typing import Any

import numpy as np

from wideberth.errors import InvalidInput
from wideberth.metrics.metric import Distances, Kind, Metric, Promises
from wideberth.metrics.parameters import is_number
from wideberth.metrics.series_kernels import dtw_block, msm_block
from wideberth.metrics.series_sample import SeriesSample, channels_of_both, prepare_series


class SeriesMetric(Metric):
    """A distance between series of any lengths; children measure two samples of them with as many channels in ``_between``."""

    eats: Kind = "series"
    parallel = "threads"

    def prepare(self, objects: Any) -> SeriesSample:
        return prepare_series(objects)

    def _measure(self, left: SeriesSample, right: SeriesSample) -> Distances:
        return np.asarray(self._between(left, right, channels_of_both(left, right)))

    def _between(self, left: SeriesSample, right: SeriesSample, channels: int) -> Distances:
        raise NotImplementedError


class MSM(SeriesMetric):
    r"""Move-split-merge: the cheapest way to turn one series into the other by moving a value (at the cost of the change),
    splitting a point in two equal ones, or merging two equal neighbours (at ``cost`` each).

    .. math::
        d(x, y) = D_{nm}, \qquad
        D_{ij} = \min \{ D_{i-1,j-1} + |x_i - y_j|,\; D_{i-1,j} + C(x_i; x_{i-1}, y_j),\; D_{i,j-1} + C(y_j; y_{j-1}, x_i) \}

    where :math:`D_{00} = 0`, the other borders are infinite, and :math:`C(v; a, b)` is ``cost`` plus how far v lies outside the
    interval between a and b.

    A metric on series of any lengths: Stefan, Athitsos & Das, "The move-split-merge metric for time series", IEEE Transactions on
    Knowledge and Data Engineering 25(6), 2013. The distances of several channels are added, which keeps it one. Transforming all
    channels together does not: with Euclidean moves, [[3, 0, 3], [0, 0, 1]] would be at 11.43 from [[1], [3]], but at 8.48 from
    [[2], [2]], which is at 1.41 from it.

    Neither Hilbertian nor of negative type: with cost 1, the series 00, 01, 11, 010, 110 and weights b = (1, -3, 2, 2, -2), whose
    sum is zero, have :math:`\sum_{i<j} b_i b_j d_{ij} = 1 > 0`. Other costs multiply the series and their distances alike.

    >>> MSM(cost=0.5)([0, 1, 0], [0, 1, 1, 0])  # one split
    0.5
    >>> MSM(cost=0.5)([0, 1, 0], [0, 3, 0])  # one move
    2.0

    Parameters
    ----------
    cost : float
        The price of a split or a merge, positive. The larger, the more rigid: in the end only moves are left where the lengths
        are equal.
    """

    name = "msm"
    promises = Promises(obeys_triangle=True, hilbertian=False, negative_type=False, bounded=False, separates=True)

    def __init__(self, cost: float = 1.0) -> None:
        if not is_number(cost) or not 0 < cost < np.inf:
            raise InvalidInput(
                f"The cost of 'msm' must be a positive number, not {cost!r}.",
                advice="Start with 1.0 for series scaled to unit variance, or a tenth or ten times that.",
                value=cost,
            )
        self.cost = cost

    def _between(self, left: SeriesSample, right: SeriesSample, channels: int) -> Distances:
        return msm_block(left.values, left.offsets, right.values, right.offsets, channels, float(self.cost))


class DTW(SeriesMetric):
    r"""Dynamic time warping: the Euclidean distance along the best alignment that may dwell on a point.

    .. math:: d(x, y) = \sqrt{D_{nm}}, \qquad D_{ij} = |x_i - y_j|^2 + \min \{ D_{i-1,j-1},\; D_{i-1,j},\; D_{i,j-1} \}

    where :math:`D_{00} = 0`, the other borders are infinite, and several channels are warped together (:math:`x_i` is the vector
    of their values). Sakoe & Chiba, "Dynamic programming algorithm optimization for spoken word recognition", 1978.

    Not a metric, whatever the window: x = [1, 1, 2] and y = [1, 2] are at distance 0, yet z = [0] is at :math:`\sqrt 6` from x
    and :math:`\sqrt 5` from y. Taking roots does not mend that, so it is not of negative type either. `MSM` is the metric
    alternative.

    >>> DTW()([1, 1, 2], [1, 2])  # dwell on the 1
    0.0
    >>> DTW()([0, 0], [3, 4])
    5.0

    Parameters
    ----------
    window : float, optional
        Align points i and j only if :math:`|i - j|` is at most this share of the longer length, in (0, 1], rounded down, or the
        difference of the lengths if that is more (nothing could be aligned within less). None sets no limit. For equal lengths
        this is the band of aeon; for unequal ones aeon takes a share of the shorter length, around the stretched diagonal.
    """

    name = "dtw"
    promises = Promises(obeys_triangle=False, hilbertian=False, negative_type=False, bounded=False, separates=False)

    def __init__(self, window: float | None = None) -> None:
        if window is not None and (not is_number(window) or not 0 < window <= 1):
            raise InvalidInput(
                f"The window of 'dtw' must be a share of the length in (0, 1], or None for no limit, not {window!r}.",
                advice="window=0.1 lets a point move by a tenth of the length.",
                value=window,
            )
        self.window = window

    def _between(self, left: SeriesSample, right: SeriesSample, channels: int) -> Distances:
        window = 1.0 if self.window is None else float(self.window)
        return dtw_block(left.values, left.offsets, right.values, right.offsets, channels, window)
