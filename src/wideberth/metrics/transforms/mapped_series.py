"""Metrics on the shape of series: of their differences from point to point, and of their values in
units of their own spread.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from wideberth.array_types import Floats, Objects
from wideberth.errors import InvalidInput
from wideberth.metrics.containers import PartsSample
from wideberth.metrics.metric import Distances, Kind, Metric, Promises
from wideberth.metrics.series.sample import SeriesSample, prepare_series
from wideberth.metrics.transforms.promise_rules import closed, dominating, known_teachers
from wideberth.metrics.vectors.minkowski import Chebyshev, Euclidean, Manhattan, Minkowski
from wideberth.objects import sample
from wideberth.objects.digests import Digests
from wideberth.rounding import UNIT, DistanceErrors
from wideberth.wording import python

#: A series whose values differ by less than this share of the largest one is constant: the rest is
#: rounding.
_ROUNDING = 8 * UNIT


class MappedSeries(Metric):
    """The base class of metrics d(T(x), T(y)) on series, where T maps a series to another one and d
    is the inner metric.

    d may be a metric on series or on vectors, or a function of two series. For a metric on vectors
    all series need one length, and the channels of a series count as one vector, one after another.
    T is applied once, when series are prepared, to each series alone: the distance is that of the
    series that T returns in double precision.

    The triangle inequality, a Hilbert space and negative type are kept, whatever T is: they hold
    for any points T(x). Subclasses set ``call``, and define ``_map`` and `promises`.

    Examples
    --------
    >>> Derivative(Euclidean()).accepts, Derivative(Euclidean()).name
    ('series', 'derivative(euclidean)')
    """

    call: ClassVar[str]
    accepts: Kind = "series"

    def __init__(self, metric: Metric) -> None:
        if not isinstance(metric, Metric) or metric.accepts not in ("series", "vectors", "objects"):
            what = (
                f"{metric.name!r}, which measures {metric.accepts}"
                if isinstance(metric, Metric)
                else repr(metric)
            )
            raise InvalidInput(
                f"{type(self).__name__} needs a metric on series or vectors, not {what}.",
                advice=f"{python(f'wideberth.transforms.{self.call}')}('msm') and "
                f"{self.call}('euclidean') are such metrics.",
                value=metric,
            )
        self.metric = metric
        self._from_user = type(self)._from_user or not metric.built_in
        self.parallel = metric.parallel

    @property
    def name(self) -> str:
        """The call that makes it."""
        return f"{self.call}({self.metric.name})"

    def fitted(self, objects: Objects) -> Self:
        """Return the same transform of the inner metric fitted to what T makes of the objects;
        itself if that learns nothing.
        """
        fitted = self.metric.fitted(
            objects.for_metrics(1)[0] if isinstance(objects, PartsSample) else self._mapped(objects)
        )
        if fitted is self.metric:
            return self
        made = type(self)(fitted)
        made._taught_by = self.digests(objects, None)
        return made

    @property
    def taught_by(self) -> Digests | None:
        """What `fitted` took parameters from; what taught the inner metric before is not known, as
        it knows the mapped series.
        """
        return known_teachers(self._taught_by, [self.metric], same_objects=False)

    def prepare(self, objects: Objects) -> PartsSample:
        """Check the series, map each of them, and prepare the results by the inner metric. A series
        without an image is refused.
        """
        mapped = (
            objects.for_metrics(1)[0] if isinstance(objects, PartsSample) else self._mapped(objects)
        )
        return PartsSample((self.metric.prepare(mapped),))

    def alike_digests(self, prepared: PartsSample) -> Digests | None:
        """Those of the inner metric, of the mapped series; see `wideberth.Metric.alike_digests`."""
        return self.metric.alike_digests(prepared.parts[0])

    def distance_errors(self, prepared: PartsSample) -> DistanceErrors:
        """Those of the inner metric: the distance is defined on the mapped series as they are
        computed.
        """
        return self.metric.distance_errors(prepared.parts[0])

    def nanoseconds(self, prepared: PartsSample) -> float:
        """Estimate the time of one distance as the inner metric does: each series is mapped only
        once.
        """
        return self.metric.nanoseconds(prepared.parts[0])

    def _measure(self, left: PartsSample, right: PartsSample) -> Distances:
        return self.metric._distances(left.parts[0], right.parts[0], infinite=True)

    def _mapped(self, objects: Objects) -> Any:
        """Return the mapped series in the plainest form that the inner metric takes: an array if
        they have one length.
        """
        series = prepare_series(objects)
        return _as_given(self._map(series), self.metric) if len(series) else []

    def _map(self, series: SeriesSample) -> SeriesSample:
        """Apply T to each series of a sample that is not empty."""
        raise NotImplementedError


class Derivative(MappedSeries):
    r"""The distance between the differences of series from point to point, :math:`d(\Delta x,
    \Delta y)`.

    .. math:: \Delta x = (x_2 - x_1,\; x_3 - x_2,\; \dots,\; x_n - x_{n-1})

    It compares how series rise and fall; a constant added to a series changes nothing, so it does
    not separate. All other promises are those of d: every series is the sequence of differences of
    another one, so that what fails for d fails here too. A series needs two points; of several
    channels each is derived alone.

    Of d = `Euclidean`, `Manhattan`, `Chebyshev` or `Minkowski` with :math:`p \ge 1` it is at most
    twice d itself, because :math:`\|\Delta x - \Delta y\| \le \|(x - y)_{2 \dots n}\| + \|(x -
    y)_{1 \dots n-1}\|`; `dominated` says so, and radii can be had in d. Differences are small where
    series are smooth: to add them to the values, scale them, or normalise them (`ZNormalized`
    inside this transform, which acts on the differences). Derivatives for comparing series go back
    to Keogh & Pazzani, "Derivative dynamic time warping", SDM 2001; to sums with them, Gorecki &
    Luczak, Data Mining and Knowledge Discovery 26, 2013.

    Examples
    --------
    >>> from wideberth.metrics.series.elastic import MSM
    >>> Derivative(MSM())([1, 2, 4], [11, 12, 14])  # they rise in the same way
    0.0
    >>> Derivative(Euclidean())([0, 0, 0], [0, 3, -1])  # 0, 0 and 3, -4
    5.0
    """

    call = "derivative"

    @property
    def promises(self) -> Promises:
        """Those of the inner metric, but it does not separate."""
        known = closed(self.metric.promises)
        return replace(known, separates=False if known.obeys_triangle else None)

    @property
    def dominated(self) -> Mapping[str, float]:
        """For norms, twice the constants of the inner metric; by none otherwise.

        >>> Derivative(Euclidean()).dominated
        {'euclidean': 2.0, 'manhattan': 2.0}
        """
        inner = self.metric
        norm = type(inner) in (Euclidean, Manhattan, Chebyshev) or (
            type(inner) is Minkowski and inner.p >= 1
        )
        return (
            {name: 2.0 * constant for name, constant in dominating(inner).items()} if norm else {}
        )

    def _map(self, series: SeriesSample) -> SeriesSample:
        lengths = _lengths(series)
        if lengths.min() < 2:
            index = int(lengths.argmin())
            raise InvalidInput(
                f"Series {index} has one point, and no differences: {sample.shown(series[index])}.",
                advice="Leave it out, or repeat its point: then it does not change.",
                witness=index,
                value=series[index],
            )
        inside = np.ones(len(series.values), dtype=bool)
        inside[_channel_starts(series)] = False
        differences = np.diff(series.values, prepend=0.0)[inside]
        return SeriesSample(
            differences,
            series.offsets - series.channels * np.arange(len(series) + 1),
            series.channels,
        )


class ZNormalized(MappedSeries):
    r"""The distance between series that have been scaled, each alone, to mean 0 and standard
    deviation 1.

    .. math:: z_i = (x_i - \bar x) / s, \qquad s^2 = \frac{1}{n} \sum_i (x_i - \bar x)^2

    It compares shapes: a constant added to a series, or a positive factor, changes nothing, so it
    does not separate. A constant series becomes zeros, and so does one whose values differ by
    rounding alone. The triangle inequality, a Hilbert space, negative type, boundedness and step
    are kept where d has them; what d lacks may hold on normalised series, so nothing is known of
    it. Each channel is normalised alone, over the length of the series.

    Nothing bounds it by distances of the series themselves: a series that is almost constant is
    stretched by any factor.

    Examples
    --------
    >>> from wideberth.metrics.series.elastic import MSM
    >>> ZNormalized(MSM())([1, 2, 1], [10, 30, 10])
    0.0
    >>> ZNormalized(Euclidean())([0, 1], [1, 0])  # -1, 1 and 1, -1
    2.8284271247461903
    >>> ZNormalized(Euclidean())([5, 5], [7, 7])
    0.0
    """

    call = "znormalized"

    @property
    def promises(self) -> Promises:
        """What the inner metric has; nothing is known of what it lacks, but that this one does not
        separate.
        """
        known = closed(self.metric.promises)
        return Promises(
            obeys_triangle=known.obeys_triangle or None,
            hilbertian=known.hilbertian or None,
            negative_type=known.negative_type or None,
            bounded=known.bounded or None,
            separates=False if known.obeys_triangle else None,
            step=known.step,
        )

    def _map(self, series: SeriesSample) -> SeriesSample:
        starts = _channel_starts(series)
        lengths = np.diff(np.append(starts, len(series.values)))
        # constants are exactly 0 now
        shifted = series.values - np.repeat(series.values[starts], lengths)
        spread = np.maximum.reduceat(np.abs(shifted), starts)
        constant = spread <= _ROUNDING * np.maximum.reduceat(np.abs(series.values), starts)
        # so that no square overflows or vanishes
        shifted /= np.repeat(np.where(constant, 1.0, spread), lengths)
        shifted -= np.repeat(np.add.reduceat(shifted, starts) / lengths, lengths)
        deviations = np.sqrt(np.add.reduceat(shifted**2, starts) / lengths)
        values = shifted / np.repeat(np.where(constant, 1.0, deviations), lengths)
        return SeriesSample(
            np.where(np.repeat(constant, lengths), 0.0, values), series.offsets, series.channels
        )


def _lengths(series: SeriesSample) -> NDArray[np.int64]:
    """The number of points of each series."""
    return np.asarray(np.diff(series.offsets) // series.channels, dtype=np.int64)


def _channel_starts(series: SeriesSample) -> NDArray[np.int64]:
    """Where each channel of each series begins among the values."""
    steps = np.arange(series.channels) * _lengths(series)[:, None]
    return np.asarray((series.offsets[:-1, None] + steps).ravel(), dtype=np.int64)


def _as_given(series: SeriesSample, metric: Metric) -> Any:
    """Return series in the form in which a user would pass them to a metric: an array, or a list if
    their lengths differ.
    """
    lengths = _lengths(series)
    if (lengths == lengths[0]).all():
        rows: Floats = series.values.reshape(len(series), -1)
        if metric.accepts == "vectors" or series.channels == 1:
            return rows
        return rows.reshape(len(rows), series.channels, -1)
    if metric.accepts == "vectors":
        index = int((lengths != lengths[0]).argmax())
        raise InvalidInput(
            f"{metric.name!r} compares series of one length, point by point: here series 0 and "
            f"{index} have {lengths[0]} and {lengths[index]} points.",
            advice="For series of any lengths take an elastic distance inside: 'msm', 'erp' or "
            "'twe'.",
            witness=index,
            value=series[index],
        )
    return list(series)
