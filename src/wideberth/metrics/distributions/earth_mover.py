"""The earth mover's distance: optimal transport between histograms or images."""

import math
from collections.abc import Callable
from difflib import get_close_matches
from typing import Any, ClassVar

import numpy as np

from wideberth.array_types import Floats, Objects
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
from wideberth.objects.digests import Digests
from wideberth.objects.disguises import rounded_digests
from wideberth.rounding import DistanceErrors, binary_unit
from wideberth.wording import at

#: Masses are rounded to integer multiples of 1 / UNITS: then their sums and differences are exact,
#: and supply equals demand.
UNITS = 2.0**50
#: Pivots after which the network simplex gives up; problems with thousands of bins need far fewer.
_MOST_PIVOTS = 10**9
#: What POT's network simplex returns when it has found the optimum.
_OPTIMAL = 1
#: Metrics on positions of bins, by name. The table of all metrics cannot be used here, because it
#: contains this metric.
_GROUNDS: dict[str, Callable[[], Metric]] = {
    str(metric.name): metric
    for metric in (Euclidean, Manhattan, Chebyshev, Minkowski, Canberra, Angular, Haversine)
}


#: Images of 2 x 2 pixels that disprove negative type: two diagonals and three edges (see the
#: class).
_PIXEL_PAIRS = [
    [[1, 0], [0, 1]],
    [[0, 1], [1, 0]],
    [[1, 1], [0, 0]],
    [[1, 0], [1, 0]],
    [[0, 0], [1, 1]],
]


class EarthMover(Metric):
    r"""Earth mover's distance (Wasserstein-1): the least work that turns one histogram or image
    into the other.

    Work is mass times ground distance:

    .. math:: d(p, q) = \min_{\pi \ge 0} \sum_{ij} \pi_{ij} g_{ij}, \qquad
        \sum_j \pi_{ij} = p_i, \quad \sum_i \pi_{ij} = q_j

    where g is the ground distance between bins. Objects are rows of masses, in bins at 0, 1, 2,
    ..., or images of shape (height, width), with pixels at distance one; each is divided by its
    sum. It needs the package POT: ``pip install "wideberth[transport]"``.

    It is a metric whenever g is one (Rubner, Tomasi & Guibas, "The earth mover's distance as a
    metric for image retrieval", International Journal of Computer Vision 40, 2000; Villani,
    "Optimal transport: old and new", 2009, chapter 6). A ground distance that is not declared to be
    a metric is examined on the bins, and refused if it violates an axiom. For a metric g, mass that
    both objects have in a bin can stay there, because a way through the bin is no shorter than the
    direct one: only the differences are transported.

    Not Hilbertian as soon as three bins lie apart: d(p, q) is a norm of p - q whose unit ball is a
    polytope (Kantorovich & Rubinstein 1958). Not of negative type in the plane: in images of 2 x 2
    pixels, the two diagonals are at distance 1/2 from the upper, the left and the lower edge, and
    with weights 3 and -2, whose sum is zero, :math:`\sum_{i<j} b_i b_j d_{ij} = 4 \sqrt 2
    - 5 > 0`. (For the other Minkowski distances take this square or one turned by 45 degrees; Naor
      & Schechtman, "Planar
    earthmover is not in L1", SIAM Journal on Computing 37, 2007, bound how far from L1 it is. On
    histograms alone it is `Wasserstein1D`, which is of negative type.) For any other ground
    distance between three bins or more, negative type is not known. It is bounded if the ground
    distance is. It does not separate, because multiples of an object are at distance 0 from it.

    Parameters
    ----------
    ground : str, Metric, callable or array-like of shape (b, b)
        A metric on the positions of bins, which are vectors of one or two integers; or the matrix
        of the distances between bins, for bins at other places. Images are read row by row.

    Examples
    --------
    >>> EarthMover()([[1, 0], [0, 0]], [[0, 0], [0, 5]])  # all mass along the diagonal
    1.4142135623730951
    >>> EarthMover("manhattan")([[1, 0], [0, 0]], [[0, 0], [0, 5]])
    2.0
    >>> ring = [[0, 1, 2, 1], [1, 0, 1, 2], [2, 1, 0, 1], [1, 2, 1, 0]]  # four seasons
    >>> EarthMover(ring)([1, 0, 0, 0], [0, 0, 0, 1])  # from winter to autumn
    1.0
    """

    name = "earth_mover"
    examples = (
        *([[1, 0], [0, 2]], [[2, 1], [0, 2]], [[1, 1], [0, 1]], [[3, 0], [1, 4]]),
        *([[0, 3], [1, 0]], [[0, 2], [2, 0]], [[1, 3], [1, 0]], [[0, 1], [1, 1]]),
    )
    source = "work in the plane (Rubner, Tomasi & Guibas 2000; Naor & Schechtman 2007)"
    counterexamples: ClassVar = {
        "hilbertian": [[0, 1, 1], [0, 1, 0], [1, 0, 1], [1, 1, 0]],
        "negative_type": _PIXEL_PAIRS,
    }
    accepts: Kind = "distributions"
    parallel = "threads"  # POT releases the GIL while solving

    def __init__(self, ground: Any = "euclidean") -> None:
        self._between: Metric | Distances = (
            _checked_matrix(ground) if _is_matrix(ground) else _checked_metric(ground)
        )
        self._ground_of: dict[tuple[int, ...], Distances] = {}
        self.ground = ground

    @property
    def promises(self) -> Promises:
        """The declared properties, as far as the ground distance determines them."""
        between = self._between
        if not isinstance(between, Metric):
            # then a distribution is one number, the mass in one of the places
            two_places = not _has_three_places(between)
            return Promises(
                obeys_triangle=True,
                hilbertian=two_places,
                negative_type=two_places or None,
                bounded=True,
                separates=False,
            )
        in_a_norm = isinstance(between, Euclidean | Manhattan | Chebyshev | Minkowski)
        return Promises(
            obeys_triangle=True,
            hilbertian=False if between.separates else None,
            negative_type=False if in_a_norm else None,
            bounded=between.bounded,
            separates=False,
        )

    def prepare(self, objects: Objects) -> Masses:
        """Check the objects and round their masses so that each object sums to one exactly. All are
        integer multiples of 1 / `UNITS`.
        """
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

    def alike_digests(self, prepared: Masses) -> Digests:
        """Those of the rounded masses; see `wideberth.Metric.alike_digests`."""
        return rounded_digests(prepared)

    def distance_errors(self, prepared: Masses) -> DistanceErrors:
        """The roundings of masses, each moved as far as bins are apart."""
        if not len(prepared):
            return super().distance_errors(prepared)
        bins = math.prod(prepared.shape[1:])
        farthest = float(self._ground_between_bins(prepared.shape[1:]).max())
        return DistanceErrors.of(len(prepared), 4.0 * (bins + 8) / UNITS * farthest)

    def nanoseconds(self, prepared: Masses) -> float:
        """Estimated time for one distance: it grows with the square of the number of bins."""
        return 10.0 * math.prod(prepared.shape[1:]) ** 2

    def _measure(self, left: Masses, right: Masses) -> Distances:
        distances = np.zeros((len(left), len(right)))
        if not distances.size:
            return distances
        if left.shape[1:] != right.shape[1:]:
            raise InvalidInput(
                f"Objects of shapes {left.shape[1:]} and {right.shape[1:]} have no distance: their "
                "bins differ.",
                advice="Count all objects in the same bins; resize images to the same size.",
                value=(left.shape[1:], right.shape[1:]),
            )
        ground = self._ground_between_bins(left.shape[1:])
        _transport(left.reshape(len(left), -1), right.reshape(len(right), -1), ground, distances)
        return distances

    def _ground_between_bins(self, shape: tuple[int, ...]) -> Distances:
        """Return the distances between the bins of objects of a shape; computed once for each
        shape.
        """
        between = self._between
        if not isinstance(between, Metric):
            return between
        if shape not in self._ground_of:
            positions = np.indices(shape).reshape(len(shape), -1).T.astype(np.float64)
            distances = np.ascontiguousarray(between.block(positions, positions))
            if not (between.obeys_triangle and between.built_in):
                _refuse_violations(distances, between.name)
            self._ground_of[shape] = distances
        return self._ground_of[shape]


def _transport(left: Masses, right: Masses, ground: Distances, distances: Distances) -> None:
    """Fill in the distances by one network simplex for each pair, over the bins in which the two
    objects differ.
    """
    solve = import_extra("ot.lp.emd_wrap", "transport").emd_c
    bins, unit = len(ground), binary_unit(ground)  # what POT takes for 0 is absolute
    ground = ground / unit
    supplies, demands, costs = np.empty(bins), np.empty(bins), np.empty(bins * bins // 4)
    for row, p in enumerate(left):
        for column, q in enumerate(right):
            sources, targets = split_difference(p, q, UNITS, ground, supplies, demands, costs)
            if not sources:
                continue
            problem = costs[: sources * targets].reshape(sources, targets)
            _, work, _, _, status = solve(
                supplies[:sources], demands[:targets], problem, _MOST_PIVOTS, 1
            )
            if status != _OPTIMAL:
                raise WideberthError(
                    f"The transport between {sources} and {targets} bins was not solved (status "
                    f"{status}).",
                    advice="Please report it with the two objects.",
                    witness=(row, column),
                    value=status,
                )
            distances[row, column] = work / UNITS * unit


def _in_units(masses: Masses) -> Masses:
    """Round the masses to whole units, and add what is then missing in the sum, or too much, to the
    largest mass.
    """
    whole = np.rint(masses * UNITS)
    largest = whole.argmax(axis=1)
    whole[np.arange(len(whole)), largest] += UNITS - whole.sum(axis=1)
    return np.asarray(whole / UNITS)


def _stacked(objects: Objects) -> Masses:
    """Put histograms or images into one array of finite numbers, whose first axis counts the
    objects.
    """
    held = sample.one_by_one(sample.hold(objects))
    if isinstance(held, np.ndarray) and held.dtype.kind in "fiub" and held.ndim in (2, 3):
        return _finite(for_kernels(held))
    if not len(held):
        return np.empty((0, 0))
    arrays = [_as_numbers(candidate, index) for index, candidate in enumerate(held)]
    for index, array in enumerate(arrays):
        if array.shape != arrays[0].shape:
            raise InvalidInput(
                f"All objects need the same shape: {at('object', 0)} has {arrays[0].shape}, "
                f"{at('object', index)} has {array.shape}.",
                advice="Count all objects in the same bins; resize images to the same size.",
                witness=(0, index),
                value=array.shape,
            )
    return _finite(np.stack(arrays))


def _as_numbers(candidate: Any, index: int) -> Floats:
    """Return a histogram or image as an array, or raise `InvalidInput` that names its index."""
    numbers = as_real_numbers(candidate)
    if numbers is None or numbers.ndim not in (1, 2):
        what = sample.shown(candidate) if numbers is None else f"of shape {numbers.shape}"
        raise InvalidInput(
            f"{at('Object', index)} is neither a histogram nor an image: {what}.",
            advice="Pass arrays of numbers, of shape (bins,) or (height, width); convert colour "
            "images to grey.",
            witness=index,
            value=candidate,
        )
    return numbers


def _finite(stacked: Masses) -> Masses:
    """Return the masses if all are finite; otherwise raise `InvalidInput` that names the first one
    that is not.
    """
    if np.isfinite(stacked).all():
        return stacked
    where = tuple(map(int, np.argwhere(~np.isfinite(stacked))[0]))
    raise InvalidInput(
        f"Masses are finite numbers: {at('object', where[0])} holds {stacked[where]} at "
        f"{where[1:]}.",
        advice="Put 0 where there is no mass.",
        witness=where,
        value=float(stacked[where]),
    )


def _is_matrix(ground: Any) -> bool:
    """Whether the ground distance is given as a matrix rather than a metric."""
    return not isinstance(ground, str | Metric) and not callable(ground)


def _checked_matrix(ground: Any) -> Distances:
    """Return a square matrix of ground distances that satisfies the axioms of a metric, or raise an
    error.
    """
    matrix = as_real_numbers(ground)
    if matrix is None or matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or not matrix.size:
        raise InvalidInput(
            "The ground distance of 'earth_mover' is a metric or a square matrix, not "
            f"{type(ground).__name__} {ground!r}.",
            advice="Name a metric on positions, such as 'euclidean', or pass the distances between "
            "all pairs of bins.",
            value=ground,
        )
    _refuse_violations(matrix, "ground")
    return for_kernels(matrix)


def _has_three_places(matrix: Distances) -> bool:
    """Whether there are three bins of which no two are at distance 0."""
    apart = matrix[0] > 0
    return bool(matrix[apart][:, apart].any())


def _checked_metric(ground: Any) -> Metric:
    """Return the ground metric, unless it is known not to obey the triangle inequality."""
    between = _ground_metric(ground)
    if between.obeys_triangle is False:
        raise InvalidInput(
            f"{between!r} is not a metric, so the earth mover's distance over it is not a metric "
            "either.",
            advice="Choose a ground distance that is one, such as 'euclidean'.",
            value=ground,
        )
    return between


def _ground_metric(ground: Any) -> Metric:
    """Find the metric that ``ground`` names, or wrap a function of two positions."""
    if isinstance(ground, Metric):
        return ground
    if isinstance(ground, str) and ground in _GROUNDS:
        return _GROUNDS[ground]()
    if callable(ground):
        return PairFunction(ground)
    close = get_close_matches(ground.lower(), _GROUNDS, n=1)
    known = (
        f"Known: {', '.join(_GROUNDS)}; or pass a Metric, a function of two positions, or a matrix."
    )
    raise UnknownName(
        f"There is no ground distance {ground!r} between the positions of bins.",
        advice=f"Did you mean {close[0]!r}?" if close else known,
        value=ground,
        known=list(_GROUNDS),
    )


def _refuse_violations(distances: Distances, name: str) -> None:
    """Raise an error that names the first violation of an axiom, if there is one."""
    for violation in find_violations(distances):
        raise violation.error(name)
