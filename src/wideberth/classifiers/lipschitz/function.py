"""The scores of the Lipschitz classifier: a Lipschitz function for each class, extended from its values at training objects."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from wideberth.array_types import Floats, Indices
from wideberth.classifiers.lipschitz.program import LipschitzPoint
from wideberth.classifiers.lipschitz.sums_by_class import SumsByClass, least_of_others
from wideberth.metrics.metric import Metric
from wideberth.objects import sample
from wideberth.rounding import TIE_BREAK

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
    return winners_and_margins(SumsByClass(objects, metric, codes, slope, n_classes, **limits).least(objects, -own))


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
    least sums of an offset and a multiple of the distance, over the objects that each class wins. Every object can have the least
    sum: margins are rho-Lipschitz themselves, so that none is ruled out on both sides (docs/decisions/0005).

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
        **limits: Any,
    ) -> None:
        self.slope, self.n_classes = slope, n_classes
        self._objects, self._metric, self._winners, self._margins = objects, metric, winners, margins
        self._sums = SumsByClass(objects, metric, winners, slope, n_classes, **limits)

    @property
    def references(self) -> Any:
        """The objects to which the scores measure distances."""
        return self._objects

    def parts(self) -> dict[str, Any]:
        """The values for a model file: the objects with their winners and margins."""
        return {"objects": self._objects, "winners": self._winners, "margins": self._margins}

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
        return score_bounds(*self._sums.raising_and_limiting(queries, self._margins))

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
        return [self._witnesses_of(sample.pick(queries, slice(row, row + 1)), code) for row, code in enumerate(classes)]

    def _witnesses_of(self, query: Any, code: int) -> tuple[Witness, Witness]:
        """The two witnesses of a sample of one object."""
        distances = self._metric.block(query, self._objects)[0]
        offsets = np.where(self._winners == code, self._margins, -self._margins)
        upper, lower = offsets + self.slope * distances, offsets - self.slope * distances
        return tuple(  # type: ignore[return-value]
            Witness(int(place), float(distances[place]), float(limits[place]))
            for limits, place in ((upper, upper.argmin()), (lower, lower.argmax()))
        )


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
    return np.minimum(limiting, least_of_others(raising)), -np.minimum(raising, least_of_others(limiting))


def between(upper: Floats, lower: Floats) -> Floats:
    """The scores half way between two limits, rounded so that ties are not decided by the last bit."""
    return np.round((upper + lower) / 2, _DIGITS)
