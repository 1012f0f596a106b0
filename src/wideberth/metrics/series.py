"""Elastic distances between series of numbers: of any lengths, with one or several channels."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from wideberth.errors import InvalidInput
from wideberth.metrics.metric import Distances, Kind, Metric, Promises
from wideberth.metrics.prepared import cut
from wideberth.metrics.series_kernels import dtw_block, msm_block
from wideberth.objects import sample


@dataclass(frozen=True, eq=False)
class SeriesSample:
    """Series in one flat array: series i is ``values[offsets[i]:offsets[i + 1]]``, its channels one after another."""

    values: NDArray[np.float64]
    offsets: NDArray[np.int64]
    channels: int

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, index: int) -> NDArray[np.float64]:
        """One series: of shape (length,), or (channels, length) if there are several channels."""
        position = range(len(self))[index]
        series = self.values[self.offsets[position] : self.offsets[position + 1]]
        return series if self.channels == 1 else series.reshape(self.channels, -1)

    def __iter__(self) -> Iterator[NDArray[np.float64]]:
        return (self[index] for index in range(len(self)))

    def take(self, indices: Any) -> Self:
        """The series at ``indices``; neighbouring ones, from a slice, share the memory of this sample."""
        if isinstance(indices, slice) and indices.step in (None, 1):
            first, stop, _ = indices.indices(len(self))
            offsets = self.offsets[first : max(first, stop) + 1]
            return type(self)(self.values[offsets[0] : offsets[-1]], offsets - offsets[0], self.channels)
        chosen = np.arange(len(self))[indices]
        starts = self.offsets[chosen]
        lengths = self.offsets[chosen + 1] - starts
        offsets = np.concatenate([[0], np.cumsum(lengths)])
        positions = np.arange(offsets[-1]) + np.repeat(starts - offsets[:-1], lengths)
        return type(self)(self.values[positions], offsets, self.channels)

    def plain(self) -> dict[str, Any]:
        """See `wideberth.metrics.prepared.Prepared`."""
        return {"values": self.values, "offsets": self.offsets, "channels": self.channels}

    @classmethod
    def from_plain(cls, plain: dict[str, Any]) -> Any:
        """The series one by one, to be checked again."""
        match plain:
            case {"values": values, "offsets": offsets, "channels": int(channels)} if channels >= 1:
                parts = cut(values, offsets, "fiu")
                if all(len(part) % channels == 0 for part in parts):
                    return [part.reshape(channels, -1) for part in parts]
                raise ValueError(f"series are not whole in {channels} channels")
        raise ValueError("values, offsets and channels of series are needed")


def prepare_series(objects: Any) -> SeriesSample:
    """Series of finite numbers, none of them empty.

    Rows of a matrix, an array of shape (series, channels, length), or a list of sequences of numbers, of any lengths; with
    several channels, a list of arrays of shape (channels, length).

    >>> tides = prepare_series([[0, 1, 0], [0, 2]])
    >>> tides.values, tides.offsets
    (array([0., 1., 0., 0., 2.]), array([0, 3, 5]))
    """
    if isinstance(objects, SeriesSample):
        return objects
    held = sample.hold(objects)
    if isinstance(held, np.ndarray) and held.dtype.kind in "fiub" and held.ndim in (2, 3) and held.size:
        return _checked(_from_array(held))
    return _checked(_from_sequences([_as_channels(each, index) for index, each in enumerate(_rows(held))]))


class MSM(Metric):
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
    eats: Kind = "series"
    parallel = "threads"
    promises = Promises(obeys_triangle=True, hilbertian=False, negative_type=False, bounded=False, separates=True)

    def __init__(self, cost: float = 1.0) -> None:
        if not isinstance(cost, int | float | np.number) or not 0 < cost < np.inf:
            raise InvalidInput(
                f"The cost of 'msm' must be a positive number, not {cost!r}.",
                advice="Start with 1.0 for series scaled to unit variance, or a tenth or ten times that.",
                value=cost,
            )
        self.cost = cost

    def prepare(self, objects: Any) -> SeriesSample:
        return prepare_series(objects)

    def _measure(self, left: SeriesSample, right: SeriesSample) -> Distances:
        channels = _channels_of_both(left, right)
        return np.asarray(msm_block(left.values, left.offsets, right.values, right.offsets, channels, float(self.cost)))


class DTW(Metric):
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
    eats: Kind = "series"
    parallel = "threads"
    promises = Promises(obeys_triangle=False, hilbertian=False, negative_type=False, bounded=False, separates=False)

    def __init__(self, window: float | None = None) -> None:
        if window is not None and (not isinstance(window, int | float | np.number) or not 0 < window <= 1):
            raise InvalidInput(
                f"The window of 'dtw' must be a share of the length in (0, 1], or None for no limit, not {window!r}.",
                advice="window=0.1 lets a point move by a tenth of the length.",
                value=window,
            )
        self.window = window

    def prepare(self, objects: Any) -> SeriesSample:
        return prepare_series(objects)

    def _measure(self, left: SeriesSample, right: SeriesSample) -> Distances:
        channels = _channels_of_both(left, right)
        window = 1.0 if self.window is None else float(self.window)
        return np.asarray(dtw_block(left.values, left.offsets, right.values, right.offsets, channels, window))


def _from_array(array: NDArray[Any]) -> SeriesSample:
    count, size = len(array), array[0].size
    channels = array.shape[1] if array.ndim == 3 else 1
    return SeriesSample(_flat(array), np.arange(count + 1) * size, channels)


def _from_sequences(series: list[NDArray[Any]]) -> SeriesSample:
    """``series`` are of shape (channels, length)."""
    if not series:
        return SeriesSample(np.empty(0), np.zeros(1, dtype=np.int64), 1)
    channels = len(series[0])
    for index, each in enumerate(series):
        if len(each) != channels:
            raise InvalidInput(
                f"Series 0 has {channels} channels, series {index} has {len(each)}.",
                advice="Give every series the same channels, as arrays of shape (channels, length).",
                witness=(0, index),
                value=len(each),
            )
    offsets = np.concatenate([[0], np.cumsum([each.size for each in series])])
    return SeriesSample(_flat(np.concatenate([each.ravel() for each in series])), offsets, channels)


def _flat(array: NDArray[Any]) -> NDArray[np.float64]:
    # Writeable and plain although nobody writes: the kernels would be compiled again for any other layout.
    return np.require(array, np.float64, ["C", "A", "W", "E"]).reshape(-1)


def _rows(held: Any) -> Any:
    """What to go through one by one: a frame that mixes texts and numbers is one row a series, like an array."""
    return held.to_numpy() if hasattr(held, "to_numpy") else held


def _as_channels(series: Any, index: int) -> NDArray[Any]:
    """One series as an array of shape (channels, length)."""
    array = _as_array(series)
    if array is None:
        raise _refused(
            series, index, "has channels of different lengths", "Align them first, all channels at the same points in time."
        )
    if array.ndim == 0:
        raise _refused(series, index, "is not a sequence of numbers", "Wrap a single series in a list: [series].")
    if array.size == 0:
        raise _refused(series, index, "is empty", "Leave it out: no distance to a series without points is defined.")
    if array.dtype.kind not in "fiub":
        raise _refused(
            series, index, "holds something else than numbers", "Convert its values to float, and fill those that are missing."
        )
    if array.ndim > 2:
        raise _refused(series, index, f"has shape {array.shape}", "A series has shape (length,), or (channels, length).")
    return np.atleast_2d(array)


def _as_array(series: Any) -> NDArray[Any] | None:
    """Anything like an array as one; None if its parts do not fit together."""
    try:
        array = np.asarray(series)
        return np.asarray(array.tolist()) if array.dtype.kind == "O" else array
    except ValueError:
        return None


def _checked(series: SeriesSample) -> SeriesSample:
    finite = np.isfinite(series.values)
    if finite.all():
        return series
    position = int(np.argmin(finite))
    index = int(np.searchsorted(series.offsets, position, side="right")) - 1
    point = (position - series.offsets[index]) % (np.diff(series.offsets)[index] // series.channels)
    raise _refused(
        series[index],
        index,
        f"has the value {series.values[position]} at point {point}",
        "Fill the gap, for example by interpolation.",
    )


def _channels_of_both(left: SeriesSample, right: SeriesSample) -> int:
    """The number of channels; an empty sample has any."""
    if len(left) and len(right) and left.channels != right.channels:
        raise InvalidInput(
            f"Series with {left.channels} channels cannot be compared with series with {right.channels}.",
            advice="Give both sides the same channels, as arrays of shape (channels, length).",
            value=(left.channels, right.channels),
        )
    return left.channels if len(left) else right.channels


def _refused(series: Any, index: int, problem: str, advice: str) -> InvalidInput:
    shown = " ".join(repr(series).split())
    shown = shown if len(shown) <= 60 else shown[:57] + "..."
    return InvalidInput(f"Series {index} {problem}: {shown}.", advice=advice, witness=index, value=series)
