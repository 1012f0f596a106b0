"""The prepared sample of series of numbers: any lengths, one or several channels, all values in one
flat array.

The kernels of `wideberth.metrics.series` trust a `SeriesSample` without checking it;
`prepare_series` is the only way in, and checks every value once.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from wideberth.array_types import Floats, Objects
from wideberth.errors import InvalidInput
from wideberth.metrics.containers import LARGEST, as_array, cut, for_kernels, refused, taken
from wideberth.objects import sample


@dataclass(frozen=True, eq=False)
class SeriesSample:
    """Series in one flat array: series i is ``values[offsets[i]:offsets[i + 1]]``, its channels one
    after another.

    Values are finite and at most 1e150 in absolute value, so that squares of differences do not
    overflow.

    It satisfies `wideberth.metrics.containers.Prepared`.

    Examples
    --------
    >>> tides = SeriesSample(np.array([0.0, 1.0, 0.0, 2.0]), np.array([0, 3, 4]), channels=1)
    >>> len(tides), tides[1]
    (2, array([2.]))
    """

    values: Floats
    offsets: NDArray[np.int64]
    channels: int

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, index: int) -> Floats:
        """Return one series: of shape (length,), or (channels, length) if there are several
        channels.
        """
        position = range(len(self))[index]
        series = self.values[self.offsets[position] : self.offsets[position + 1]]
        return series if self.channels == 1 else series.reshape(self.channels, -1)

    def __iter__(self) -> Iterator[Floats]:
        return (self[index] for index in range(len(self)))

    def take(self, indices: Any) -> Self:
        """Select series. A slice shares the memory of this sample."""
        positions, offsets = taken(self.offsets, indices)
        return type(self)(self.values[positions], offsets, self.channels)

    def plain(self) -> dict[str, Any]:
        """Return the sample as plain values for a model file; see
        `wideberth.metrics.containers.Prepared`.
        """
        return {"values": self.values, "offsets": self.offsets, "channels": self.channels}

    @classmethod
    def from_plain(cls, plain: dict[str, Any]) -> Any:
        """Read back what `plain` wrote, as a list of arrays of shape (channels, length).
        `prepare_series` checks the values themselves.
        """
        match plain:
            case {"values": values, "offsets": offsets, "channels": int(channels)} if channels >= 1:
                parts = cut(values, offsets, "fiu")
                if all(len(part) % channels == 0 for part in parts):
                    return [part.reshape(channels, -1) for part in parts]
                raise ValueError(f"series are not whole in {channels} channels")
        raise ValueError("values, offsets and channels of series are needed")


def prepare_series(objects: Objects) -> SeriesSample:
    """Check series and store them in one flat array.

    They are the rows of a matrix; an array of shape (n_series, channels, length); or sequences of
    numbers of any lengths, which for several channels are arrays of shape (channels, length). An
    empty series, something else than finite numbers, or another number of channels than that of the
    first is refused by the name of the series.

    Examples
    --------
    >>> tides = prepare_series([[0, 1, 0], [0, 2]])
    >>> tides.values, tides.offsets
    (array([0., 1., 0., 0., 2.]), array([0, 3, 5]))
    """
    if isinstance(objects, SeriesSample):
        return objects
    held = sample.hold(objects)
    if (
        isinstance(held, np.ndarray)
        and held.dtype.kind in "fiub"
        and held.ndim in (2, 3)
        and held.size
    ):
        return _checked(_from_array(held))
    return _checked(
        _from_sequences(
            [_as_channels(series, index) for index, series in enumerate(sample.one_by_one(held))]
        )
    )


def channels_of_both(left: SeriesSample, right: SeriesSample) -> int:
    """Return the number of channels that two samples have in common.

    An empty sample goes with any number of channels.

    Examples
    --------
    >>> channels_of_both(prepare_series([[1, 2]]), prepare_series([]))
    1
    """
    if len(left) and len(right) and left.channels != right.channels:
        raise InvalidInput(
            f"Series with {left.channels} channels cannot be compared with series with "
            f"{right.channels}.",
            advice="Give both sides the same channels, as arrays of shape (channels, length).",
            value=(left.channels, right.channels),
        )
    return left.channels if len(left) else right.channels


def _from_array(array: NDArray[Any]) -> SeriesSample:
    """Flatten an array of shape (n_series, length) or (n_series, channels, length), not empty."""
    count, size = len(array), array[0].size
    channels = array.shape[1] if array.ndim == 3 else 1
    return SeriesSample(for_kernels(array).reshape(-1), np.arange(count + 1) * size, channels)


def _from_sequences(series: list[NDArray[Any]]) -> SeriesSample:
    """Join series of shape (channels, length), of any lengths, and check that they have the same
    channels.
    """
    if not series:
        return SeriesSample(np.empty(0), np.zeros(1, dtype=np.int64), 1)
    channels = len(series[0])
    for index, one in enumerate(series):
        if len(one) != channels:
            raise InvalidInput(
                f"Series 0 has {channels} channels, series {index} has {len(one)}.",
                advice="Give every series the same channels, as arrays of shape (channels, "
                "length).",
                witness=(0, index),
                value=len(one),
            )
    offsets = np.concatenate([[0], np.cumsum([one.size for one in series])])
    return SeriesSample(
        for_kernels(np.concatenate([one.ravel() for one in series])), offsets, channels
    )


def _as_channels(series: Any, index: int) -> NDArray[Any]:
    """Return one series as an array of shape (channels, length), or refuse what is not a series of
    numbers.
    """
    array = as_array(series)
    if array is None:
        advice = "Align them first, all channels at the same points in time."
        problem = "has channels of different lengths", advice
    elif array.ndim == 0:
        problem = "is not a sequence of numbers", "Wrap a single series in a list: [series]."
    elif array.size == 0:
        problem = "is empty", "Leave it out: no distance to a series without points is defined."
    elif array.dtype.kind not in "fiub":
        advice = "Convert its values to float, and fill those that are missing."
        problem = "holds something else than numbers", advice
    elif array.ndim > 2:
        advice = "A series has shape (length,), or (channels, length)."
        problem = f"has shape {array.shape}", advice
    else:
        return np.atleast_2d(array)
    raise refused("Series", index, series, *problem)


def _checked(series: SeriesSample) -> SeriesSample:
    """Return the sample if all values are finite and not too large; otherwise raise an error that
    names the first other one.
    """
    fit = np.abs(series.values) <= LARGEST
    if fit.all():
        return series
    position = int(np.argmin(fit))
    index = int(np.searchsorted(series.offsets, position, side="right")) - 1
    point = (position - series.offsets[index]) % (np.diff(series.offsets)[index] // series.channels)
    raise refused(
        "Series",
        index,
        series[index],
        f"has the value {series.values[position]} at point {point}",
        "Fill the gap, for example by interpolation; numbers beyond 1e150 stand for one too, or "
        "need another unit.",
    )
