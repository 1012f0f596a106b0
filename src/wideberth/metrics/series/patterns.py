"""Series by how often short patterns occur in them, at several scales: thresholds are learned from
a sample.
"""

import math
from dataclasses import dataclass
from itertools import combinations
from typing import Any, ClassVar, Self

import numpy as np
import scipy

from wideberth.array_types import Floats, Objects, Sample
from wideberth.errors import InvalidInput
from wideberth.metrics.containers import as_real_numbers
from wideberth.metrics.metric import Distances, Kind, Metric, Promises
from wideberth.metrics.series.sample import prepare_series
from wideberth.objects.digests import Digests
from wideberth.objects.disguises import rounded_digests

#: Points of a pattern, and how many of them weigh 2; the others weigh -1, so that the weights add
#: up to 0.
_POINTS, _HEAVY = 9, 3
#: The shares of the outputs of a pattern that are below its thresholds.
_SHARES = (0.1, 0.3, 0.5, 0.7, 0.9)
#: Series from which thresholds are learned, at most, evenly spaced in the sample.
_LEARNED_FROM = 200
#: The widest scale, a power of two: patterns across more points than any series has say nothing.
_MOST_SCALES = 24
#: Channels that are looked at alone, at most: a series of hundreds of them would have a million shares.
_MOST_ALONE = 15
#: Thresholds of outputs of scaled series are below this.
_LARGEST_OUTPUT = 1e6


@dataclass(frozen=True, eq=False)
class PatternShares:
    """A prepared sample of series: for each the shares of its points at which patterns exceed their
    thresholds.

    Examples
    --------
    >>> len(PatternShares(np.zeros((3, 420))))
    3
    """

    rows: Floats

    def __len__(self) -> int:
        return len(self.rows)

    def take(self, indices: Any) -> Self:
        """Select series; see `wideberth.metrics.containers.Prepared`."""
        return type(self)(self.rows[indices])

    def plain(self) -> dict[str, Any]:
        """Return the shares; see `wideberth.metrics.containers.Prepared`."""
        return {"rows": self.rows}

    @classmethod
    def from_plain(cls, plain: dict[str, Any]) -> Any:
        """Make the sample from the values of a file, or raise a `ValueError`."""
        match plain:
            case {"rows": np.ndarray() as rows} if (
                rows.ndim == 2
                and rows.dtype.kind == "f"
                and bool(((rows >= 0) & (rows <= 1)).all())
            ):
                return cls(rows.astype(np.float64))
        raise ValueError("shares from 0 to 1 in rows are needed")


class Patterns(Metric):
    r"""Root mean square difference of how often patterns occur in two series.

    .. math:: d(x, y) = \Big( \frac1F \sum_{p, s, j} \big(f_{psj}(x) - f_{psj}(y)\big)^2
        \Big)^{1/2}, \qquad
        f_{psj}(x) = \frac1T \sum_t \Big[\sum_{i=-4}^{4} p_i\, x_{t + i s} > \theta_{psj}\Big]

    for series scaled to mean 0 and standard deviation 1, with zeros outside; the 84 patterns p of
    nine weights, three of them 2 and six -1; the scales s = 1, 2, 4, ... at which nine points fit
    the shortest series of a sample; and five thresholds :math:`\theta` for each, which are
    quantiles of the outputs on that sample. The patterns are those of MiniRocket (Dempster, Schmidt
    & Webb, KDD 2021), whose classifier is linear in such shares; here they make a distance. It does
    not matter where in a series a pattern occurs, and lengths may differ. Of several channels each
    is looked at alone, and then the sum of all, with thresholds of their own; of more than 15,
    sums of neighbouring channels in 15 groups.

    It is a Euclidean distance of vectors: Hilbertian, of negative type, at most 1. It does not
    separate series that differ in location and scale only, and others.

    Parameters
    ----------
    thresholds : array-like of shape (scales, 84, thresholds), optional
        The numbers :math:`\theta`; with an axis in front for several channels, one entry for each
        and a last one for their sum. Without that axis only the sum is looked at. By default they
        are learned from the sample to which the metric is `fitted`, as classifiers do.

    Examples
    --------
    >>> t = np.arange(40.0)
    >>> waves = [np.sin(t), np.sin(t + 1), np.sin(t / 3), np.sin(t / 3 + 1)]
    >>> metric = Patterns().fitted(waves)
    >>> metric(waves[0], waves[1]) < metric(waves[0], waves[2])
    True
    """

    name = "patterns"
    accepts: Kind = "series"
    source = "Euclidean between shares of points at which patterns exceed thresholds"
    examples = (
        *([0, 1, 0, 2], [0, 2, 1], [0.5, 1.5, 0, 0], [1, 7]),
        *([5, 4, 5], [6, 6, 1, 9, 3], [4.5, 5, 5, 4], [5, 1, 1, 1]),
    )
    counterexamples: ClassVar = {"separates": [[0, 1, 0, 2], [0, 2, 0, 4]]}
    promises = Promises(
        obeys_triangle=True, hilbertian=True, negative_type=True, bounded=True, separates=False
    )

    def __init__(self, thresholds: Any = None) -> None:
        self.thresholds = thresholds
        self._thresholds = None if thresholds is None else _checked_thresholds(thresholds)

    def fitted(self, objects: Objects) -> "Patterns":
        """Return the metric with thresholds learned from series; itself if it already has some.

        Examples
        --------
        >>> # scales 1 and 2; 4 would need 33 points
        >>> Patterns().fitted([np.arange(30.0) % 7]).thresholds.shape
        (2, 84, 5)
        """
        if self._thresholds is not None:
            return self
        series = prepare_series(objects)
        if not len(series):
            raise InvalidInput(
                "'patterns' learns thresholds from one series at least.",
                advice="Pass some.",
                value=0,
            )
        shortest = int(np.diff(series.offsets).min()) // series.channels
        scales = [2**k for k in range(_MOST_SCALES) if not k or (_POINTS - 1) * 2**k < shortest]
        some = series.take(
            np.unique(np.linspace(0, len(series) - 1, min(len(series), _LEARNED_FROM)).astype(int))
        )
        views = [_views(_scaled(each, series.channels)) for each in some]
        learned = [
            [_quantiles([_outputs(each, scale) for each in alike]) for scale in scales]
            for alike in zip(*views, strict=True)
        ]
        fitted = Patterns(np.array(learned if series.channels > 1 else learned[0]))
        fitted._taught_by = self.digests(objects, series)
        return fitted

    def prepare(self, objects: Objects) -> Sample:
        """Check series and, if the thresholds are known, count the patterns in them."""
        if isinstance(objects, PatternShares):
            self._check_width(objects)
            return objects
        series = prepare_series(objects)
        if self._thresholds is None:
            return series
        rows = [self._shares(_scaled(each, series.channels)) for each in series]
        width = self._thresholds.size
        return PatternShares(np.array(rows).reshape(len(rows), width))

    def alike_digests(self, prepared: Sample) -> Digests | None:
        """Those of the rounded shares; see `wideberth.Metric.alike_digests`."""
        return rounded_digests(prepared.rows) if isinstance(prepared, PatternShares) else None

    def nanoseconds(self, prepared: Sample) -> float:
        """Estimate the time of one distance, that of vectors with so many shares."""
        return 20.0 + (
            prepared.rows.shape[1] if isinstance(prepared, PatternShares) else 84.0 * 5 * 6
        )

    def _shares(self, scaled: Floats) -> Floats:
        """The shares of one series, flat: pattern after pattern of each scale, for each view."""
        thresholds = self._thresholds
        several = thresholds is not None and thresholds.ndim == 4
        views = _views(scaled) if several else [scaled]
        of_views = thresholds if several else [thresholds]
        if len(views) != len(of_views):  # type: ignore[arg-type]
            raise InvalidInput(
                f"Series of {len(scaled)} channels do not fit thresholds of 'patterns' for "
                f"{len(of_views) - 1}.",  # type: ignore[arg-type]
                advice="Patterns().fitted(series) learns thresholds for them.",
                value=len(scaled),
            )
        found = [
            (_outputs(view, 2**k)[:, None, :] > of_scale[:, :, None]).mean(axis=2)
            for view, of_view in zip(views, of_views, strict=True)  # type: ignore[arg-type]
            for k, of_scale in enumerate(of_view)
        ]
        shares: Floats = np.concatenate(found).ravel()
        return shares

    def _measure(self, left: Sample, right: Sample) -> Distances:
        if self._thresholds is None:
            raise InvalidInput(
                "'patterns' has no thresholds yet.",
                advice="Learn them from a sample, Patterns().fitted(series), or let a classifier "
                "do so.",
                value=None,
            )
        distances: Distances = scipy.spatial.distance.cdist(left.rows, right.rows)
        return distances / math.sqrt(self._thresholds.size)

    def _check_width(self, shares: PatternShares) -> None:
        if self._thresholds is not None and shares.rows.shape[1] != self._thresholds.size:
            raise InvalidInput(
                f"Series with {shares.rows.shape[1]} shares do not fit {self._thresholds.size} "
                "thresholds.",
                advice="Give the metric the series themselves.",
                value=shares.rows.shape[1],
            )

    def __repr__(self) -> str:
        known = (
            "" if self._thresholds is None else f"thresholds=<{self._thresholds.shape[-3]} scales>"
        )
        return f"{type(self).__name__}({known})"


#: The patterns, shape (84, 9).
_PATTERNS = np.array(
    [
        [2.0 if place in heavy else -1.0 for place in range(_POINTS)]
        for heavy in combinations(range(_POINTS), _HEAVY)
    ]
)


def _scaled(series: Floats, channels: int) -> Floats:
    """A series with mean 0 and standard deviation 1 in each channel, shape (channels, length);
    zeros if it is constant.
    """
    rows = series.reshape(channels, -1)
    largest = np.maximum(np.abs(rows).max(axis=1, keepdims=True), np.finfo(np.float64).tiny)
    centred = rows / largest
    centred = centred - centred.mean(axis=1, keepdims=True)
    spread = centred.std(axis=1, keepdims=True)
    scaled: Floats = np.divide(centred, spread, out=np.zeros_like(centred), where=spread > 1e-12)
    return scaled


def _views(scaled: Floats) -> list[Floats]:
    """What patterns are looked for in: each channel alone, or sums of neighbouring ones if there are
    many, and the sum of all.
    """
    if len(scaled) == 1:
        return [scaled]
    return [*np.array_split(scaled, min(len(scaled), _MOST_ALONE)), scaled]


def _quantiles(outputs: list[Floats]) -> Floats:
    """The thresholds of the patterns at one scale, from their outputs on several series."""
    found: Floats = np.quantile(np.concatenate(outputs, axis=1), _SHARES, axis=1).T
    return found


def _outputs(series: Floats, scale: int) -> Floats:
    """The outputs of all patterns on the sum of all channels at a scale, at all points: shape
    (84, length).
    """
    channels, length = series.shape
    reach = (_POINTS // 2) * scale
    padded = np.zeros((channels, length + 2 * reach))
    padded[:, reach : reach + length] = series
    shifted = np.stack(
        [padded[:, place * scale : place * scale + length].sum(axis=0) for place in range(_POINTS)]
    )
    outputs: Floats = _PATTERNS @ shifted
    return outputs


def _checked_thresholds(thresholds: Any) -> Floats:
    """The thresholds as an array, or an error if they are not finite numbers for all patterns."""
    numbers = as_real_numbers(thresholds)
    shaped = (
        numbers is not None
        and numbers.ndim in (3, 4)
        and (numbers.ndim == 3 or 3 <= len(numbers) <= _MOST_ALONE + 1)
        and 1 <= numbers.shape[-3] <= _MOST_SCALES
        and numbers.shape[-2] == len(_PATTERNS)
    )
    if (
        numbers is None
        or not shaped
        or not numbers.shape[-1]
        or not bool((np.abs(numbers) <= _LARGEST_OUTPUT).all())
    ):
        raise InvalidInput(
            f"Thresholds of 'patterns' are numbers for each scale and each of {len(_PATTERNS)} "
            f"patterns, not {thresholds!r}.",
            advice="Leave them out to learn them from the objects: "
            "Patterns().fitted(series).thresholds has this form.",
            value=thresholds,
        )
    return numbers
