"""The scores of the Lipschitz classifier: a Lipschitz function for each class, extended from its values at training objects."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from wideberth.array_types import Flags, Floats, Indices
from wideberth.classifiers.lipschitz.program import LipschitzPoint
from wideberth.geometry.search.weighted import LeastSums, WeightedNeighbors
from wideberth.metrics.metric import Metric
from wideberth.objects import sample
from wideberth.rounding import SUM_ERROR, TIE_BREAK

#: Scores are rounded to this number of digits.
_DIGITS = 12


def project(
    objects: Any, metric: Metric, own: Floats, codes: Indices, slope: float, n_classes: int, **limits: Any
) -> tuple[Indices, Floats]:
    r"""The winning class and its margin at every training object, from the objects' own scores :math:`g_j`.

    .. math:: f_y(x) = \max(-1, \max_{y_j = y} (g_j - \rho\, d(x, x_j)))

    is rho-Lipschitz, and so is the margin :math:`\frac12 (f_y - \max_{y' \neq y} f_{y'})`, cut at 1 (Kontorovich & Weiss 2014,
    eq. 4 and 8). It can only raise an object's own score.

    Parameters
    ----------
    objects : sample
        Prepared objects.
    metric : Metric
        How far apart they are.
    own : ndarray of shape (n,)
        The scores :math:`g_j` of the objects' own classes, between -1 and 1.
    codes : ndarray of int, shape (n,)
        Their classes; each of the ``n_classes`` occurs.
    slope : float
        rho.
    n_classes : int
        The number of classes.
    **limits
        ``max_memory`` and ``n_jobs``.

    Returns
    -------
    winners : ndarray of int, shape (n,)
        The winning class of each object.
    margins : ndarray of shape (n,)
        Its margin, between 0 and 1.

    Examples
    --------
    >>> from wideberth.metrics.named import metric
    >>> points, codes = np.array([[0.0], [4.0], [4.5]]), np.array([0, 1, 0])
    >>> own = np.array([1.0, 1.0, -0.5])  # the last object is wrong: its score is that of its neighbour
    >>> project(points, metric("euclidean"), own, codes, 0.5, 2, max_memory=10**6, n_jobs=1)
    (array([0, 1, 1]), array([1.   , 0.875, 0.625]))
    """
    depths = np.empty((len(codes), n_classes))
    for code in range(n_classes):
        members = np.flatnonzero(codes == code)
        neighbors = WeightedNeighbors(sample.pick(objects, members), metric, **limits)
        depths[:, code] = neighbors.least(objects, -own[members], slope).sums[:, 0]
    return winners_and_margins(depths)


def winners_and_margins(depths: Floats) -> tuple[Indices, Floats]:
    r"""The winning class and its margin at each object, from :math:`\min_{y_j = y} (\rho\, d(x, x_j) - g_j)`, shape (n, k).

    That is :math:`-f_y(x)` of `project` before it is cut at 1.

    Examples
    --------
    >>> winners_and_margins(np.array([[-1.0, 0.5], [3.0, 0.0]]))
    (array([0, 1]), array([0.75, 0.5 ]))
    """
    heights = np.maximum(-1.0, -depths)
    winners = heights.argmax(axis=1)
    rows = np.arange(len(heights))
    best = heights[rows, winners].copy()
    heights[rows, winners] = -np.inf
    return winners, np.clip((best - heights.max(axis=1)) / 2, 0.0, 1.0)


def constant_scores(flattest: LipschitzPoint, codes: Indices, weights: Floats, n_classes: int) -> Floats:
    """The scores of all objects if the slope is 0, shape (k,); of equal ones the class with the larger weight wins.

    Examples
    --------
    >>> point = LipschitzPoint(np.array([0.0, 2.0]), 0.0)
    >>> constant_scores(point, np.array([0, 1]), np.array([3.0, 1.0]), 2).round(6)
    array([ 1., -1.])
    """
    shares = np.bincount(codes, weights=weights, minlength=n_classes)
    flat = np.all(flattest.slacks == 1.0)  # with three classes and more, 0 for all may be better than 1 for the largest
    scores = np.zeros(n_classes) if flat else np.where(np.arange(n_classes) == shares.argmax(), 1.0, -1.0)
    with_ties: Floats = scores + TIE_BREAK * shares / shares.sum()
    return with_ties


@dataclass(frozen=True)
class Witness:
    """A training object that sets a limit of a score.

    Attributes
    ----------
    position : int
        Its position among the training objects.
    distance : float
        Its distance from the query.
    bound : float
        The largest score that it allows, or the smallest that it requires.
    """

    position: int
    distance: float
    bound: float


class StarFunction:
    r"""Scores with :math:`h(x_j, y) = m_j` for the winning class of training object j and :math:`-m_j` for all others.

    .. math:: h(x, y) = \frac12 \left[ \min_j (a^y_j + \rho\, d(x, x_j)) + \max_j (a^y_j - \rho\, d(x, x_j)) \right]

    with :math:`a^y_j = \pm m_j` (Kontorovich & Weiss 2014, eq. 16). Every :math:`h(\cdot, y)` is rho-Lipschitz. Both terms are
    least sums of an offset and a multiple of the distance, over the objects that each class wins; objects that never have the
    least sum, because that of another object is smaller everywhere, are left out.

    Parameters
    ----------
    objects : sample
        Prepared training objects.
    metric : Metric
        How far apart objects are.
    winners, margins : ndarray of shape (n,)
        The winning class of each object, and its margin :math:`m_j`; from `project`.
    slope : float
        rho.
    n_classes : int
        The number of classes.
    sides : (ndarray of bool, ndarray of bool), optional
        Which objects can set the lower limit of the score of their class, and which the upper one, if that is known.
    **limits
        ``max_memory`` and ``n_jobs``.

    Examples
    --------
    >>> from wideberth.metrics.named import metric
    >>> points, winners = np.array([[0.0], [4.0]]), np.array([0, 1])
    >>> h = StarFunction(points, metric("euclidean"), winners, np.ones(2), 0.5, 2, max_memory=10**6, n_jobs=1)
    >>> h.scores(np.array([[0.0], [1.0], [2.0]]))
    array([[ 1. , -1. ],
           [ 0.5, -0.5],
           [ 0. ,  0. ]])
    """

    def __init__(
        self,
        objects: Any,
        metric: Metric,
        winners: Indices,
        margins: Floats,
        slope: float,
        n_classes: int,
        *,
        sides: tuple[Flags, Flags] | None = None,
        **limits: Any,
    ) -> None:
        self.slope, self.n_classes = slope, n_classes
        self._objects, self._winners, self._margins = objects, winners, margins
        raising, limiting = sides or (None, None)  # known if the function comes from a model file
        members = [winners == code for code in range(n_classes)]
        self._raising = [_Side(objects, metric, member, -margins, slope, limits, raising) for member in members]
        self._limiting = [_Side(objects, metric, member, margins, slope, limits, limiting) for member in members]

    @property
    def kept(self) -> Indices:
        """The positions of the training objects that can set a score."""
        return np.unique(np.concatenate([side.positions for side in (*self._raising, *self._limiting)]))

    def parts(self) -> dict[str, Any]:
        """The values for a model file.

        They are the kept objects with their winners and margins, and on which side each of them can set a score.
        """
        kept = self.kept
        parts = {"objects": sample.pick(self._objects, kept), "winners": self._winners[kept], "margins": self._margins[kept]}
        for name, sides in (("raises", self._raising), ("limits", self._limiting)):
            parts[name] = np.isin(kept, np.concatenate([side.positions for side in sides]))
        return parts

    def scores(self, queries: Any) -> Floats:
        """h(x, y) for every query and class, shape (n, k)."""
        return self.scores_and_sizes(queries)[0]

    def scores_and_sizes(self, queries: Any) -> tuple[Floats, Floats]:
        """The scores, and the sums of the absolute terms of each, both of shape (n, k).

        Offsets are at most 1, so that an offset and a distance times the slope are at most 2 larger than their sum.
        """
        upper, lower = self.bounds(queries)
        return between(upper, lower), (np.abs(upper) + np.abs(lower)) / 2 + 2.0

    def bounds(self, queries: Any) -> tuple[Floats, Floats]:
        """The largest and the smallest score of every class that the training objects allow: the two terms of h, shape (n, k)."""
        raising = np.stack([side.least(queries).sums[:, 0] for side in self._raising], axis=1)
        limiting = np.stack([side.least(queries).sums[:, 0] for side in self._limiting], axis=1)
        return score_bounds(raising, limiting)

    def witnesses(self, queries: Any, classes: Indices) -> list[tuple[Witness, Witness]]:
        """For each query the objects that set the two limits of the score of a class.

        Parameters
        ----------
        queries : sample
            Prepared objects.
        classes : ndarray of int, shape (n,)
            A class for each query.

        Returns
        -------
        list of (Witness, Witness)
            The object that sets the upper limit of the score, and the one that sets the lower limit.
        """
        raising = [side.least(queries) for side in self._raising]
        limiting = [side.least(queries) for side in self._limiting]
        found = []
        for query, code in enumerate(classes):
            down = _least_witness(query, [(self._limiting[code], limiting[code]), *_others(self._raising, raising, code)])
            up = _least_witness(query, [(self._raising[code], raising[code]), *_others(self._limiting, limiting, code)])
            found.append((down, Witness(up.position, up.distance, -up.bound)))
        return found


def score_bounds(raising: Floats, limiting: Floats) -> tuple[Floats, Floats]:
    r"""The two terms of the scores of `StarFunction`, from the least sums over the objects that each class wins, shape (n, k).

    Parameters
    ----------
    raising, limiting : ndarray of shape (n, k)
        :math:`\min_j (\rho\, d(x, x_j) - m_j)` and :math:`\min_j (\rho\, d(x, x_j) + m_j)`.

    Returns
    -------
    upper, lower : ndarray of shape (n, k)
        The largest and the smallest score that these objects allow.

    Examples
    --------
    >>> score_bounds(np.array([[-1.0, 1.0]]), np.array([[1.0, 3.0]]))  # at an object of the first class
    (array([[ 1., -1.]]), array([[ 1., -1.]]))
    """
    return np.minimum(limiting, _least_of_others(raising)), -np.minimum(raising, _least_of_others(limiting))


def between(upper: Floats, lower: Floats) -> Floats:
    """The scores half way between two limits, rounded so that ties are not decided by the last bit."""
    return np.round((upper + lower) / 2, _DIGITS)


class _Side:
    """The objects that a class wins, with offsets of one sign, that have the least sum somewhere."""

    def __init__(
        self,
        objects: Any,
        metric: Metric,
        members: Flags,
        offsets: Floats,
        slope: float,
        limits: dict[str, Any],
        known: Flags | None = None,
    ) -> None:
        positions = np.flatnonzero(members if known is None else members & known)
        neighbors = WeightedNeighbors(sample.pick(objects, positions), metric, **limits)
        if known is None:
            kept = _undominated(neighbors, sample.pick(objects, positions), offsets[positions], slope)
        else:
            kept = np.ones(len(positions), dtype=bool)
        self.positions, self.slope = positions[kept], slope
        self.offsets = offsets[self.positions]
        self._neighbors = neighbors if kept.all() else WeightedNeighbors(sample.pick(objects, self.positions), metric, **limits)

    def least(self, queries: Any) -> LeastSums:
        """The least sum of offset and slope times distance for each query, with the object that has it."""
        return self._neighbors.least(queries, self.offsets, self.slope)


def _undominated(neighbors: WeightedNeighbors, objects: Any, offsets: Floats, slope: float) -> Flags:
    """Which objects have the least sum somewhere: those with the least sum at themselves, up to rounding and ties."""
    if not len(offsets):
        return np.zeros(0, dtype=bool)
    least = neighbors.least(objects, offsets, slope)
    other = least.indices[:, 0]
    undercut = (least.sums[:, 0] <= offsets + SUM_ERROR) & (offsets[other] < offsets)
    return ~undercut


def _least_of_others(values: Floats) -> Floats:
    """For each class the least value of all other classes, from the two smallest values of a row; shape (n, k)."""
    if values.shape[1] == 1:
        return np.full_like(values, np.inf)
    order = np.argsort(values, axis=1)
    first, second = order[:, :1], order[:, 1:2]
    smallest = np.take_along_axis(values, first, axis=1)
    runner_up = np.take_along_axis(values, second, axis=1)
    return np.where(np.arange(values.shape[1])[None, :] == first, runner_up, smallest)


def _others(sides: list[_Side], found: list[LeastSums], code: int) -> list[tuple[_Side, LeastSums]]:
    """The sides and least sums of all classes but one."""
    return [(side, sums) for place, (side, sums) in enumerate(zip(sides, found, strict=True)) if place != code]


def _least_witness(query: int, candidates: list[tuple[_Side, LeastSums]]) -> Witness:
    """The witness with the least sum at a query."""
    side, sums = min(candidates, key=lambda candidate: candidate[1].sums[query, 0])
    return Witness(int(side.positions[sums.indices[query, 0]]), float(sums.distances[query, 0]), float(sums.sums[query, 0]))
