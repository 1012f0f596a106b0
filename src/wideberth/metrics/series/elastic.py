"""Elastic distances between series of numbers of any lengths, with one or several channels: MSM,
DTW, ERP and TWE.

All four align the points of two series at the least cost, by a table with one cell for each pair of
points (`wideberth.metrics.series.kernels`): the time for one distance grows with the product of the
two lengths. They differ in what an alignment may do and in what it costs. MSM, ERP and TWE obey the
triangle inequality, DTW does not.
"""

from typing import ClassVar

import numpy as np

from wideberth.array_types import Objects
from wideberth.errors import InvalidInput
from wideberth.metrics.containers import mean_size
from wideberth.metrics.metric import Distances, Kind, Metric, Promises
from wideberth.metrics.parameters import finite, is_number, nonnegative, positive
from wideberth.metrics.series.kernels import dtw_block, erp_block, msm_block, twe_block
from wideberth.metrics.series.sample import SeriesSample, channels_of_both, prepare_series
from wideberth.objects.digests import Digests
from wideberth.objects.disguises import ragged_digests
from wideberth.wording import setting

#: Series whose jumps cost far more than deleting a step, on which `TWE` is not of negative type.
_TENFOLD_STEPS = [
    [0, 10, 10, 0],
    [10, 0, 0, 10],
    [0, 10, 0, 10],
    [10, 0, 10, 0],
    [0, 0, 10],
    [10, 10, 10, 0],
]
#: The advice for costs that are added to differences of values.
_START_WITH_ONE = "Start with 1.0 for series scaled to unit variance, or a tenth or ten times that."


class SeriesMetric(Metric):
    """The base class of distances between series of any lengths.

    It prepares the series, checks that both samples have the same number of channels, and leaves
    the rest to subclasses, which implement ``_between(left, right, channels)``.

    Examples
    --------
    >>> MSM().accepts, MSM().prepare([[0, 1, 0], [0, 2]]).channels
    ('series', 1)
    """

    accepts: Kind = "series"
    parallel = "threads"
    examples = ([0, 1, 0], [0, 2], [0.5, 1.5, 0, 0], [1], [5, 4, 5], [6, 6], [4.5, 5, 5, 4], [5])

    def prepare(self, objects: Objects) -> SeriesSample:
        """Check the series and store them in one flat array."""
        return prepare_series(objects)

    def alike_digests(self, prepared: SeriesSample) -> Digests:
        """Those of the rounded values; see `wideberth.Metric.alike_digests`."""
        return ragged_digests(prepared.values, prepared.offsets)

    def nanoseconds(self, prepared: SeriesSample) -> float:
        """Estimate the time for one distance: quadratic in the mean length, linear in the number of
        channels.
        """
        length = mean_size(prepared.offsets) / prepared.channels
        return prepared.channels * (20.0 * length + 0.7 * length**2)

    def _measure(self, left: SeriesSample, right: SeriesSample) -> Distances:
        return np.asarray(self._between(left, right, channels_of_both(left, right)))

    def _between(self, left: SeriesSample, right: SeriesSample, channels: int) -> Distances:
        """Compute the distances between two samples with the same number of channels."""
        raise NotImplementedError


class MSM(SeriesMetric):
    r"""Move-split-merge distance: the least cost of turning one series into the other by three
    operations.

    A move changes a value, at the cost of the change; a split turns a point into two equal ones and
    a merge turns two equal neighbours into one, at ``cost`` each.

    .. math::
        d(x, y) = D_{nm}, \qquad
        D_{ij} = \min \{ D_{i-1,j-1} + |x_i - y_j|,\; D_{i-1,j} + C(x_i; x_{i-1}, y_j),\; D_{i,j-1}
        + C(y_j; y_{j-1}, x_i) \}

    where :math:`D_{00} = 0`, the other borders are infinite, and :math:`C(v; a, b)` is ``cost``
    plus how far v lies outside the interval between a and b.

    A metric on series of any lengths: Stefan, Athitsos & Das, "The move-split-merge metric for time
    series", IEEE Transactions on Knowledge and Data Engineering 25(6), 2013. The distances of
    several channels are added, which keeps it one. Transforming all channels together does not:
    with Euclidean moves, [[3, 0, 3], [0, 0, 1]] would be at 11.43 from [[1], [3]], but at 8.48 from
    [[2], [2]], which is at 1.41 from it.

    Neither Hilbertian nor of negative type: with cost 1, the series 00, 01, 11, 010, 110 and
    weights b = (1, -3, 2, 2, -2), whose sum is zero, have :math:`\sum_{i<j} b_i b_j d_{ij} = 1 >
    0`. Other costs multiply the series and their distances alike.

    Parameters
    ----------
    cost : float, default=1.0
        The cost of a split or a merge, positive, in the unit of the values. The larger, the more
        rigid: with a very large cost, only moves remain between series of equal lengths.

    Examples
    --------
    >>> MSM(cost=0.5)([0, 1, 0], [0, 1, 1, 0])  # one split
    0.5
    >>> MSM(cost=0.5)([0, 1, 0], [0, 3, 0])  # one move
    2.0
    """

    name = "msm"
    source = "move, split, merge (Stefan, Athitsos & Das 2013)"
    counterexamples: ClassVar = dict.fromkeys(
        ("hilbertian", "negative_type"), ([0, 0], [0, 1], [1, 1], [0, 1, 0], [1, 1, 0])
    )
    promises = Promises(
        obeys_triangle=True, hilbertian=False, negative_type=False, bounded=False, separates=True
    )

    def __init__(self, cost: float = 1.0) -> None:
        self.cost = positive(cost, "The cost of 'msm'", _START_WITH_ONE, parameter="cost")

    def _between(self, left: SeriesSample, right: SeriesSample, channels: int) -> Distances:
        return msm_block(
            left.values, left.offsets, right.values, right.offsets, channels, float(self.cost)
        )


class DTW(SeriesMetric):
    r"""Dynamic time warping: the Euclidean distance along the best alignment, which may repeat
    points of either series.

    .. math:: d(x, y) = \sqrt{D_{nm}}, \qquad D_{ij} = |x_i - y_j|^2 + \min \{ D_{i-1,j-1},\;
        D_{i-1,j},\; D_{i,j-1} \}

    where :math:`D_{00} = 0`, the other borders are infinite, and several channels are warped
    together (:math:`x_i` is the vector of their values). Sakoe & Chiba, "Dynamic programming
    algorithm optimization for spoken word recognition", 1978.

    Not a metric, whatever the window: x = [1, 1, 2] and y = [1, 2] are at distance 0, yet z = [0]
    is at :math:`\sqrt 6` from x and :math:`\sqrt 5` from y. Taking square roots does not repair
    that, so it is not of negative type either. `MSM` is the metric alternative.

    Parameters
    ----------
    window : float, optional
        Align points i and j only if :math:`|i - j|` is at most this share of the longer length, in
        (0, 1], rounded down, or the difference of the lengths if that is more (nothing could be
        aligned within less). None sets no limit. For equal lengths this is the band of aeon; for
        unequal ones aeon takes a share of the shorter length, around the stretched diagonal.

    Examples
    --------
    >>> DTW()([1, 1, 2], [1, 2])  # the 1 is repeated at no cost
    0.0
    >>> DTW()([0, 0], [3, 4])
    5.0
    """

    name = "dtw"
    source = "no metric: it costs nothing to repeat a point (Sakoe & Chiba 1978)"
    counterexamples: ClassVar = dict.fromkeys(
        ("obeys_triangle", "hilbertian", "negative_type"), ([1, 1, 2], [1, 2], [0])
    )
    promises = Promises(
        obeys_triangle=False, hilbertian=False, negative_type=False, bounded=False, separates=False
    )

    def __init__(self, window: float | None = None) -> None:
        if window is not None and (not is_number(window) or not 0 < window <= 1):
            raise InvalidInput(
                "The window of 'dtw' must be a share of the length in (0, 1], or None for no "
                f"limit, not {window!r}.",
                advice=f"{setting('window', 0.1)} lets a point move by a tenth of the length.",
                value=window,
            )
        self.window = window

    def alike_digests(self, prepared: SeriesSample) -> Digests:
        """Those of the rounded values, without repetitions, on which it costs nothing to dwell."""
        if prepared.channels > 1 or not len(prepared):
            return super().alike_digests(prepared)
        moves = np.concatenate([[True], np.diff(prepared.values) != 0])
        moves[prepared.offsets[:-1]] = True
        starts = np.concatenate([[0], np.cumsum(moves)])[prepared.offsets]
        return ragged_digests(prepared.values[moves], starts)

    def _between(self, left: SeriesSample, right: SeriesSample, channels: int) -> Distances:
        window = 1.0 if self.window is None else float(self.window)
        return dtw_block(left.values, left.offsets, right.values, right.offsets, channels, window)


class ERP(SeriesMetric):
    r"""Edit distance with real penalty: the least cost of turning one series into the other by
    edits of single values.

    A value is changed at the cost of the change, and deleted or inserted at the cost of its
    distance from ``gap``.

    .. math::
        d(x, y) = D_{nm}, \qquad
        D_{ij} = \min \{ D_{i-1,j-1} + |x_i - y_j|,\; D_{i-1,j} + |x_i - g|,\; D_{i,j-1} + |y_j - g|
        \}

    where g is the gap, :math:`D_{00} = 0`, and everything outside the table is infinite, so that
    the borders :math:`D_{i0}` and :math:`D_{0j}` hold the cost of the first i or j points. (aeon
    1.6 writes the cost of the whole series into all of them, and loses the triangle inequality: its
    [1], [-1, 1] and [-1, 2] have 4 > 2 + 1.)

    It obeys the triangle inequality on series of any lengths, because the values and the gap have a
    metric of their own: Chen & Ng, "On the marriage of Lp-norms and edit distance", VLDB 2004. The
    distances of several channels are added, which keeps it. The gap must be a constant for that.
    Taken from the data of each pair, say as the standard deviation of both series together, it
    would put [4] at 5.89 from [0, 0], but at 4 from [0], which is at 0 from [0, 0].

    It does not separate: values equal to the gap are inserted at no cost, so with gap 0, [1] and
    [0, 1] are at distance 0.

    Neither Hilbertian nor of negative type: with gap 0, the series 12, 111, 11, 112, 121 and
    weights b = (3, 3, -2, -2, -2), whose sum is zero, have :math:`\sum_{i<j} b_i b_j d_{ij} = 6 >
    0`. Another gap is added to the values.

    Parameters
    ----------
    gap : float, default=0.0
        The value from which deleted and inserted values are measured. 0 suits series that are
        scaled to mean 0: then typical values cost little.

    Examples
    --------
    >>> ERP()([1, 5, 1], [1, 1])  # delete the 5
    5.0
    >>> ERP(gap=4)([1, 5, 1], [1, 1])
    1.0
    >>> ERP()([1, 5, 1], [1, 3, 1])  # change one value
    2.0
    """

    name = "erp"
    source = "values are inserted at their distance from the gap (Chen & Ng 2004)"
    counterexamples: ClassVar = {
        "hilbertian": [[1, 2], [1, 1, 1], [1, 1], [1, 1, 2], [1, 2, 1]],
        "negative_type": [[1, 2], [1, 1, 1], [1, 1], [1, 1, 2], [1, 2, 1]],
        "separates": [[1], [0, 1]],
    }
    promises = Promises(
        obeys_triangle=True, hilbertian=False, negative_type=False, bounded=False, separates=False
    )

    def __init__(self, gap: float = 0.0) -> None:
        advice = (
            "It is the same for all pairs: scale the series to mean 0 and leave "
            f"{setting('gap', 0.0)}, or give their typical value."
        )
        self.gap = finite(gap, "The gap of 'erp'", advice, parameter="gap")

    def _between(self, left: SeriesSample, right: SeriesSample, channels: int) -> Distances:
        return erp_block(
            left.values, left.offsets, right.values, right.offsets, channels, float(self.gap)
        )


class TWE(SeriesMetric):
    r"""Time warp edit distance: the least cost of matching the steps of two series, or deleting
    some of them.

    A step leads from one point to the next. Matching two steps costs the differences at both of
    their ends, in value and, times ``nu``, in time; deleting a step costs its height, its duration
    times ``nu``, and ``lmbda``.

    .. math::
        d(x, y) &= D_{nm}, \\
        D_{ij} &= \min \left\{ \begin{array}{l}
            D_{i-1,j-1} + |x_i - y_j| + |x_{i-1} - y_{j-1}| + 2 \nu |i - j| \\
            D_{i-1,j} + |x_i - x_{i-1}| + \nu + \lambda \\
            D_{i,j-1} + |y_j - y_{j-1}| + \nu + \lambda
        \end{array} \right.

    where :math:`D_{00} = 0`, the other borders are infinite, the points in time are the positions,
    and both series begin with
    :math:`x_0 = y_0 = 0` at time 0.

    A metric on series of any lengths for :math:`\nu > 0` and :math:`\lambda \geq 0`: Marteau, "Time
    warp edit distance with stiffness adjustment for time series matching", IEEE Transactions on
    Pattern Analysis and Machine Intelligence 31(2), 2009. It separates: deleting costs :math:`\nu`
    at least, so only matches without delay, of equal values, are free. The distances of several
    channels are added, which keeps all this.

    Neither Hilbertian nor of negative type: the series 0110, 1001, 0101, 1010, 001, 1110, times a
    large s, and weights b = (2, 2, -1, -1, -1, -1), whose sum is zero. Their distances divided by s
    are those of 0110, ... under :math:`\nu / s` and :math:`\lambda / s`; as s grows,
    :math:`\sum_{i<j} b_i b_j d_{ij} / s` tends to its value under :math:`\nu = \lambda = 0`, which
    is 4 > 0.

    Parameters
    ----------
    nu : float, default=0.001
        The stiffness, positive: the cost of a unit of time. The larger, the more rigid: with a very
        large one, only points at the same positions are matched.
    lmbda : float, default=1.0
        The additional cost of deleting a step, 0 or more.

    Examples
    --------
    >>> TWE(nu=0.5, lmbda=1)([2, 2, 2], [2, 2])  # delete the last step, which has no height
    1.5
    >>> TWE(nu=0.5, lmbda=1)([2, 2], [2, 3])
    1.0
    >>> TWE(nu=0.5, lmbda=1)([2, 2, 2], [2, 3, 2])  # a point is the end of two steps
    2.0
    """

    name = "twe"
    source = "time has a price too (Marteau 2009)"
    counterexamples: ClassVar = {"hilbertian": _TENFOLD_STEPS, "negative_type": _TENFOLD_STEPS}
    promises = Promises(
        obeys_triangle=True, hilbertian=False, negative_type=False, bounded=False, separates=True
    )

    def __init__(self, nu: float = 0.001, lmbda: float = 1.0) -> None:
        without = (
            f"With {setting('nu', 0)} and {setting('lmbda', 0)}, [1] and [1, 1] would be at "
            "distance 0."
        )
        self.nu = positive(
            nu,
            "The stiffness nu of 'twe'",
            f"{without} Start with 0.001; a tiny nu such as 1e-9 is allowed.",
            parameter="nu",
        )
        self.lmbda = nonnegative(
            lmbda, "The cost lmbda of a deletion in 'twe'", _START_WITH_ONE, parameter="lmbda"
        )

    def _between(self, left: SeriesSample, right: SeriesSample, channels: int) -> Distances:
        nu, lmbda = float(self.nu), float(self.lmbda)
        return twe_block(
            left.values, left.offsets, right.values, right.offsets, channels, nu, lmbda
        )
