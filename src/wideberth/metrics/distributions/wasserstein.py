"""The Wasserstein-1 distance on the line, between histograms or between samples of numbers."""

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
import scipy
from numpy.typing import NDArray

from wideberth.array_types import Objects, Sample
from wideberth.errors import InvalidInput
from wideberth.metrics.containers import LARGEST, as_real_numbers, cut, refused
from wideberth.metrics.distributions.kernels import wasserstein_block
from wideberth.metrics.distributions.sample import (
    EXAMPLES,
    Distributions,
    Masses,
    check_same_bins,
    prepare_distributions,
)
from wideberth.metrics.metric import Distances, Kind, Metric, Promises
from wideberth.metrics.series.sample import SeriesSample
from wideberth.objects import sample
from wideberth.objects.digests import Digests
from wideberth.objects.disguises import ragged_digests, rounded_digests
from wideberth.rounding import UNIT, DistanceErrors

Numbers = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class SortedSamples(SeriesSample):
    """Samples of numbers in one flat array, each sample in increasing order.

    Examples
    --------
    >>> prepare_samples([[3, 1, 2], [5]]).offsets.tolist()
    [0, 3, 4]
    """

    def plain(self) -> dict[str, Any]:
        """Return what a model file stores; see `wideberth.metrics.containers.Prepared`."""
        return {"values": self.values, "offsets": self.offsets}

    @classmethod
    def from_plain(cls, plain: dict[str, Any]) -> Any:
        """Return the samples one by one, to be checked and sorted again."""
        match plain:
            case {"values": values, "offsets": offsets}:
                return cut(values, offsets, "f")
        raise ValueError("values and offsets of samples are needed")


def prepare_samples(objects: Objects) -> SortedSamples:
    """Check samples of numbers and sort each of them. None may be empty; they may have any sizes.

    Examples
    --------
    >>> prepare_samples([[3, 1, 2], [5]]).values
    array([1., 2., 3., 5.])
    """
    if isinstance(objects, SortedSamples):
        return objects
    ordered = [
        np.sort(_checked_numbers(given, index))
        for index, given in enumerate(sample.one_by_one(sample.hold(objects)))
    ]
    offsets = np.concatenate(
        [[0], np.cumsum([numbers.size for numbers in ordered], dtype=np.int64)]
    )
    return SortedSamples(np.concatenate([np.empty(0), *ordered]), offsets, channels=1)


#: Four distributions over three bins, two of which are different midpoints of the other two:
#: impossible in a Hilbert space.
_TRANSPORT_SQUARE = [[0, 1, 1], [0, 1, 0], [1, 0, 1], [1, 1, 0]]


class Wasserstein1D(Metric):
    r"""Wasserstein-1 distance on the line: the least work, mass times distance, that turns one
    distribution into the other.

    .. math:: d(p, q) = \int |F_p(x) - F_q(x)| \, dx = \int_0^1 |F_p^{-1}(t) - F_q^{-1}(t)| \, dt

    where F is the cumulative distribution function (Vallender, "Calculation of the Wasserstein
    distance between probability distributions on the line", Theory of Probability and its
    Applications 18, 1974).

    Of negative type: it is the L1 distance between the functions F (Schoenberg 1938). Not
    Hilbertian: over three bins, (0, 1, 0) and (1, 0, 1) both lie half-way between (0, 1, 1) and (1,
    1, 0). With only two different positions it is Hilbertian, because the mass at one of them, a
    single number, determines the distribution. It does not separate: multiples of a histogram are
    at distance 0 from it, and so are permutations and repetitions of a sample. It is bounded if the
    positions of the bins are given.

    Parameters
    ----------
    of : {"histograms", "samples"}
        What a row of numbers is: the masses of one distribution in bins that all rows share, or
        numbers drawn from it, of any count and in any order.
    positions : array-like of shape (b,), optional
        Where the bins of histograms lie on the line, in any order; 0, 1, 2, ... by default.

    Examples
    --------
    >>> Wasserstein1D()([1, 0, 0, 0], [0, 0, 0, 1])  # all mass from bin 0 to bin 3
    3.0
    >>> Wasserstein1D(positions=[0, 0.5, 10])([0, 7, 0], [0, 0, 7])
    9.5
    >>> Wasserstein1D(of="samples")([4, 1], [2, 2, 5, 5])
    1.0
    """

    name = "wasserstein_1d"
    examples = EXAMPLES
    source = "work on the line; L1 between cumulative sums (Vallender 1974)"
    counterexamples: ClassVar = {"hilbertian": _TRANSPORT_SQUARE}
    accepts: Kind = "distributions"
    parallel = "threads"
    usual_nanoseconds = 50.0

    def __init__(
        self, of: Literal["histograms", "samples"] = "histograms", positions: Any = None
    ) -> None:
        if of not in ("histograms", "samples"):
            raise InvalidInput(
                f"'wasserstein_1d' is between histograms or samples, not {of!r}.",
                advice='of="histograms" for rows of masses in common bins, of="samples" for rows of numbers drawn.',
                value=of,
            )
        if of == "samples" and positions is not None:
            raise InvalidInput(
                "Samples have no bins, so positions of bins mean nothing for 'wasserstein_1d' "
                "between samples.",
                advice='Leave positions out; if the rows are counts, pass of="histograms".',
                value=positions,
            )
        self._places = None if positions is None else _checked_positions(positions)
        self.of = of
        self.positions = positions

    @property
    def promises(self) -> Promises:
        """The declared properties: Hilbertian only between two positions, and bounded only if the
        positions are given.
        """
        at_two_places = self._places is not None and len(np.unique(self._places)) <= 2
        bounded = self._places is not None
        return Promises(
            obeys_triangle=True,
            hilbertian=at_two_places,
            negative_type=True,
            bounded=bounded,
            separates=False,
        )

    def prepare(self, objects: Objects) -> Distributions | SortedSamples:
        """Check the rows; store cumulative sums for histograms, and sorted numbers for samples."""
        if self.of == "samples":
            return prepare_samples(objects)
        histograms = prepare_distributions(objects)
        if self._places is None:
            return histograms.with_coordinates(
                "cumulative", lambda masses: np.cumsum(masses, axis=1)[:, :-1]
            )
        if len(histograms) and histograms.masses.shape[1] != len(self._places):
            raise InvalidInput(
                f"Histograms of {histograms.masses.shape[1]} bins do not fit {len(self._places)} "
                "positions.",
                advice="positions must contain one number for each bin.",
                value=histograms.masses.shape,
            )
        return histograms.with_coordinates(("cumulative", self._places.tobytes()), self._areas)

    def _areas(self, masses: Masses) -> Masses:
        """Multiply each cumulative sum by the distance to the next bin: the L1 distance of the
        results is the area between the functions F.
        """
        assert self._places is not None
        if not len(masses):
            return masses
        order = np.argsort(self._places, kind="stable")
        return np.asarray(
            np.cumsum(masses[:, order], axis=1)[:, :-1] * np.diff(self._places[order])
        )

    def alike_digests(self, prepared: Distributions | SortedSamples) -> Digests:
        """Those of the rounded masses or sorted numbers; see `wideberth.Metric.alike_digests`."""
        if isinstance(prepared, SortedSamples):
            return ragged_digests(prepared.values, prepared.offsets)
        return rounded_digests(prepared.masses)

    def distance_errors(self, prepared: Sample) -> DistanceErrors:
        """Distances of samples are sums of absolute differences; those of histograms err by
        roundings of cumulative sums.
        """
        if isinstance(prepared, SortedSamples):
            return super().distance_errors(prepared)
        bins = prepared.masses.shape[1]
        reach = (
            float(np.ptp(self._places))
            if self._places is not None and self._places.size
            else max(bins - 1, 0)
        )
        return DistanceErrors.of(len(prepared), 4.0 * (bins + 8) * UNIT * reach)

    def _measure(self, left: Sample, right: Sample) -> Distances:
        if not len(left) or not len(right):
            return np.zeros((len(left), len(right)))
        if self.of == "samples":
            return np.asarray(
                wasserstein_block(left.values, left.offsets, right.values, right.offsets)
            )
        check_same_bins(left, right)
        if left.coordinates.shape[1] == 0:  # a single bin: all distributions are equal
            return np.zeros((len(left), len(right)))
        return scipy.spatial.distance.cdist(left.coordinates, right.coordinates, "cityblock")


def _checked_positions(positions: Any) -> Numbers:
    """Return the positions of the bins as an array, or raise `InvalidInput`."""
    places = as_real_numbers(positions)
    if places is None or places.ndim != 1 or not np.all(np.abs(places) <= LARGEST):
        raise InvalidInput(
            f"The positions of bins must be finite numbers, one for each bin, not {positions!r}.",
            advice="For bins in the plane, or with any other distances between them, choose "
            "'earth_mover'.",
            value=positions,
        )
    return places


def _checked_numbers(given: Any, index: int) -> Numbers:
    """Return a sample as a one-dimensional array of finite numbers, or raise `InvalidInput` that
    names its index.
    """
    numbers = as_real_numbers(given)
    if numbers is None:
        problem = "does not consist of numbers", "Convert its values to float."
    elif numbers.ndim != 1:
        advice = "A sample is a sequence of numbers; wrap a single one in a list."
        problem = f"has shape {numbers.shape}", advice
    elif not numbers.size:
        problem = "is empty", "Leave it out: an empty sample has no distribution."
    elif not np.all(np.abs(numbers) <= LARGEST):
        advice = "Remove these values from the sample."
        problem = "holds NaN, infinity, or a number beyond 1e150", advice
    else:
        return numbers
    raise refused("Sample", index, given, *problem)
