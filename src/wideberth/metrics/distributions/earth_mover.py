"""The earth mover's distance: optimal transport between histograms or images."""

import math
from collections.abc import Callable
from difflib import get_close_matches
from typing import Any, ClassVar

import numpy as np

from wideberth.arrays import Floats
from wideberth.errors import InvalidInput, UnknownName, WideberthError
from wideberth.extras import import_extra
from wideberth.metrics.axioms import find_violations
from wideberth.metrics.containers import as_real_numbers, for_kernels
from wideberth.metrics.distributions.kernels import split_difference
from wideberth.metrics.distributions.sample import Masses, normalised
from wideberth.metrics.functions import PairFunction
from wideberth.metrics.metric import Distances, Kind, Metric, Promises
from wideberth.metrics.vectors.angles import Angular, Haversine
from wideberth.metrics.vectors.minkowski import Canberra, Chebyshev, Euclidean, Manhattan, Minkowski
from wideberth.objects import sample

#: Masses are whole multiples of 1 / UNITS, so that sums and differences of them are exact and what leaves is what arrives.
UNITS = 2.0**50
#: Pivots after which the network simplex gives up; thousands of bins need far fewer.
_MOST_PIVOTS = 10**9
#: What POT's network simplex returns when it has found the optimum.
_OPTIMAL = 1
#: Metrics on positions, by name: not the whole table of names, which holds this metric too.
_GROUNDS: dict[str, Callable[[], Metric]] = {
    str(each.name): each for each in (Euclidean, Manhattan, Chebyshev, Minkowski, Canberra, Angular, Haversine)
}


#: Two diagonals and three edges of 2 x 2 pixels: each diagonal is half-way between the upper and the lower edge.
_PIXEL_PAIRS = [[[1, 0], [0, 1]], [[0, 1], [1, 0]], [[1, 1], [0, 0]], [[1, 0], [1, 0]], [[0, 0], [1, 1]]]


class EarthMover(Metric):
    r"""Earth mover's distance (Wasserstein-1): the least work, mass times ground distance, that turns one histogram or image into
    the other.

    .. math:: d(p, q) = \min_{\pi \ge 0} \sum_{ij} \pi_{ij} g_{ij}, \qquad
        \sum_j \pi_{ij} = p_i, \quad \sum_i \pi_{ij} = q_j

    where g is the ground distance between bins. Objects are rows of masses, in bins at 0, 1, 2, ..., or images of shape (height,
    width), with pixels one apart; each is divided by its sum. It needs the package POT: ``pip install "wideberth[transport]"``.

    A metric whenever g is one (Rubner, Tomasi & Guibas, "The earth mover's distance as a metric for image retrieval",
    International Journal of Computer Vision 40, 2000; Villani, "Optimal transport: old and new", 2009, chapter 6); a ground
    distance that nobody calls a metric is examined on the bins, and refused if it is none. Then mass that both have in a bin may
    stay there, because a way through the bin is no shorter than the direct one: only the differences are transported.

    Not Hilbertian as soon as three bins lie apart: d(p, q) is a norm of p - q whose unit ball is a polytope (Kantorovich &
    Rubinstein 1958). Not of negative type in the plane: in images of 2 x 2 pixels, the two diagonals are at 1/2 from the upper,
    the left and the lower edge, and with weights 3 and -2, whose sum is zero,
    :math:`\sum_{i<j} b_i b_j d_{ij} = 4 \sqrt 2 - 5 > 0`. (For the other Minkowski distances take this square or one turned by 45
    degrees; Naor & Schechtman, "Planar earthmover is not in L1", SIAM Journal on Computing 37, 2007, say how far from L1 it
    is. On histograms alone it is `Wasserstein1D`, which is of negative type.) For any other ground distance between three bins or
    more, negative type is not known. Bounded if the ground distance is; multiples of an object are at distance 0 from it, so that
    it does not separate.

    >>> EarthMover()([[1, 0], [0, 0]], [[0, 0], [0, 5]])  # all mass along the diagonal
    1.4142135623730951
    >>> EarthMover("manhattan")([[1, 0], [0, 0]], [[0, 0], [0, 5]])
    2.0
    >>> ring = [[0, 1, 2, 1], [1, 0, 1, 2], [2, 1, 0, 1], [1, 2, 1, 0]]  # four seasons
    >>> EarthMover(ring)([1, 0, 0, 0], [0, 0, 0, 1])  # from winter to autumn
    1.0

    Parameters
    ----------
    ground : str, Metric, function or matrix
        A metric on the positions of bins, vectors of one or two whole numbers; or a square matrix of the distances between bins,
        for bins that lie elsewhere: images are read row by row.
    """

    name = "earth_mover"
    examples = (
        [[1, 0], [0, 2]],
        [[2, 1], [0, 2]],
        [[1, 1], [0, 1]],
        [[3, 0], [1, 4]],
        [[0, 3], [1, 0]],
        [[0, 2], [2, 0]],
        [[1, 3], [1, 0]],
        [[0, 1], [1, 1]],
    )
    source = "work in the plane (Rubner, Tomasi & Guibas 2000; Naor & Schechtman 2007)"
    counterexamples: ClassVar = {"hilbertian": [[0, 1, 1], [0, 1, 0], [1, 0, 1], [1, 1, 0]], "negative_type": _PIXEL_PAIRS}
    accepts: Kind = "distributions"
    parallel = "threads"  # POT releases the GIL while it solves

    def __init__(self, ground: Any = "euclidean") -> None:
        self._between: Metric | Distances = _checked_matrix(ground) if _is_matrix(ground) else _checked_metric(ground)
        self._ground_of: dict[tuple[int, ...], Distances] = {}
        self.ground = ground

    @property
    def promises(self) -> Promises:
        between = self._between
        if not isinstance(between, Metric):
            two_places = not _has_three_places(between)  # then only the mass in one of them counts, a number
            return Promises(
                obeys_triangle=True, hilbertian=two_places, negative_type=two_places or None, bounded=True, separates=False
            )
        in_a_norm = isinstance(between, Euclidean | Manhattan | Chebyshev | Minkowski)
        return Promises(
            obeys_triangle=True,
            hilbertian=False if between.separates else None,
            negative_type=False if in_a_norm else None,
            bounded=between.bounded,
            separates=False,
        )

    def prepare(self, objects: Any) -> Masses:
        """Masses of shape (objects, bins) or (objects, height, width); in each object they sum to one without any rounding."""
        stacked = _stacked(objects)
        if not len(stacked):
            return stacked
        bins = math.prod(stacked.shape[1:])
        if not isinstance(self._between, Metric) and bins != len(self._between):
            raise InvalidInput(
                f"Objects of {bins} bins do not fit ground distances between {len(self._between)}.",
                advice="The matrix has one row and one column for each bin.",
                value=stacked.shape,
            )
        return _in_units(normalised(stacked.reshape(len(stacked), bins))).reshape(stacked.shape)

    def nanoseconds(self, prepared: Masses) -> float:
        return 10.0 * math.prod(prepared.shape[1:]) ** 2

    def _measure(self, left: Masses, right: Masses) -> Distances:
        distances = np.zeros((len(left), len(right)))
        if not distances.size:
            return distances
        if left.shape[1:] != right.shape[1:]:
            raise InvalidInput(
                f"Between objects of shapes {left.shape[1:]} and {right.shape[1:]} nothing can be moved.",
                advice="Give all the same bins; images can be resized.",
                value=(left.shape[1:], right.shape[1:]),
            )
        ground = self._ground_between_bins(left.shape[1:])
        _transport(left.reshape(len(left), -1), right.reshape(len(right), -1), ground, distances)
        return distances

    def _ground_between_bins(self, shape: tuple[int, ...]) -> Distances:
        between = self._between
        if not isinstance(between, Metric):
            return between
        if shape not in self._ground_of:
            positions = np.indices(shape).reshape(len(shape), -1).T.astype(np.float64)
            distances = np.ascontiguousarray(between.block(positions, positions))
            if not between.obeys_triangle:
                _refuse_violations(distances, between.name)
            self._ground_of[shape] = distances
        return self._ground_of[shape]


def _transport(left: Masses, right: Masses, ground: Distances, distances: Distances) -> None:
    """Fill in the distances, one network simplex for each pair, over the bins in which it differs."""
    solve = import_extra("ot.lp.emd_wrap", "transport").emd_c
    bins = len(ground)
    supplies, demands, costs = np.empty(bins), np.empty(bins), np.empty(bins * bins // 4)
    for row, p in enumerate(left):
        for column, q in enumerate(right):
            sources, targets = split_difference(p, q, UNITS, ground, supplies, demands, costs)
            if not sources:
                continue
            problem = costs[: sources * targets].reshape(sources, targets)
            _, work, _, _, status = solve(supplies[:sources], demands[:targets], problem, _MOST_PIVOTS, 1)
            if status != _OPTIMAL:
                raise WideberthError(
                    f"The transport between {sources} and {targets} bins was not solved (status {status}).",
                    advice="Please report it with the two objects.",
                    witness=(row, column),
                    value=status,
                )
            distances[row, column] = work / UNITS


def _in_units(masses: Masses) -> Masses:
    """The masses rounded to whole units; what is missing in the sum, or too much, goes to the largest."""
    whole = np.rint(masses * UNITS)
    largest = whole.argmax(axis=1)
    whole[np.arange(len(whole)), largest] += UNITS - whole.sum(axis=1)
    return np.asarray(whole / UNITS)


def _stacked(objects: Any) -> Masses:
    """Histograms or images as one array, the first axis of which counts them."""
    held = sample.one_by_one(sample.hold(objects))
    if isinstance(held, np.ndarray) and held.dtype.kind in "fiub" and held.ndim in (2, 3):
        return _finite(for_kernels(held))
    if not len(held):
        return np.empty((0, 0))
    arrays = [_as_numbers(each, index) for index, each in enumerate(held)]
    for index, each in enumerate(arrays):
        if each.shape != arrays[0].shape:
            raise InvalidInput(
                f"Objects need one shape: object 0 has {arrays[0].shape}, object {index} has {each.shape}.",
                advice="Count all in the same bins; images can be resized.",
                witness=(0, index),
                value=each.shape,
            )
    return _finite(np.stack(arrays))


def _as_numbers(each: Any, index: int) -> Floats:
    numbers = as_real_numbers(each)
    if numbers is None or numbers.ndim not in (1, 2):
        what = sample.shown(each) if numbers is None else f"of shape {numbers.shape}"
        raise InvalidInput(
            f"Object {index} is neither a histogram nor an image: {what}.",
            advice="Pass arrays of numbers, of shape (bins,) or (height, width); turn colours to grey.",
            witness=index,
            value=each,
        )
    return numbers


def _finite(stacked: Masses) -> Masses:
    if np.isfinite(stacked).all():
        return stacked
    where = tuple(map(int, np.argwhere(~np.isfinite(stacked))[0]))
    raise InvalidInput(
        f"Masses are finite numbers: object {where[0]} holds {stacked[where]} at {where[1:]}.",
        advice="Put 0 where there is no mass.",
        witness=where,
        value=float(stacked[where]),
    )


def _is_matrix(ground: Any) -> bool:
    return not isinstance(ground, str | Metric) and not callable(ground)


def _checked_matrix(ground: Any) -> Distances:
    matrix = as_real_numbers(ground)
    if matrix is None or matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or not matrix.size:
        raise InvalidInput(
            f"The ground distance of 'earth_mover' is a metric or a square matrix, not {type(ground).__name__} {ground!r}.",
            advice="Name a metric on positions, such as 'euclidean', or pass the distances between all pairs of bins.",
            value=ground,
        )
    _refuse_violations(matrix, "ground")
    return for_kernels(matrix)


def _has_three_places(matrix: Distances) -> bool:
    """Whether three bins lie apart from each other."""
    apart = matrix[0] > 0
    return bool(matrix[apart][:, apart].any())


def _checked_metric(ground: Any) -> Metric:
    between = _ground_metric(ground)
    if between.obeys_triangle is False:
        raise InvalidInput(
            f"{between!r} is no metric, so that transport along it is none.",
            advice="Name one that is, such as 'euclidean'.",
            value=ground,
        )
    return between


def _ground_metric(ground: Any) -> Metric:
    if isinstance(ground, Metric):
        return ground
    if isinstance(ground, str) and ground in _GROUNDS:
        return _GROUNDS[ground]()
    if callable(ground):
        return PairFunction(ground)
    close = get_close_matches(ground.lower(), _GROUNDS, n=1)
    known = f"Known: {', '.join(_GROUNDS)}; or pass a Metric, a function of two positions, or a matrix."
    raise UnknownName(
        f"There is no ground distance {ground!r} between the positions of bins.",
        advice=f"Did you mean {close[0]!r}?" if close else known,
        value=ground,
        known=list(_GROUNDS),
    )


def _refuse_violations(distances: Distances, name: str) -> None:
    for violation in find_violations(distances):
        raise violation.error(name)
