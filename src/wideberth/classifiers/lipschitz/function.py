"""The scores of the Lipschitz classifier: a Lipschitz function for each class, extended from its
values at training objects.
"""

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

import numpy as np

from wideberth.array_types import Floats, Indices, Sample
from wideberth.classifiers.lipschitz.kernels import least_sums_by_class, raise_and_limit_by_class
from wideberth.classifiers.lipschitz.program import LipschitzPoint
from wideberth.geometry.measure.blocks import reduced_blocks, row_spans
from wideberth.geometry.search import kdtree
from wideberth.geometry.search.sum_filter import SumFilter
from wideberth.geometry.search.weighted import FEW_SUMS, WeightedNeighbors
from wideberth.metrics.metric import Metric
from wideberth.objects import sample
from wideberth.rounding import TIE_BREAK

# ---- The least sums of an offset and a scaled distance over the objects of each class: what the
# scores are made of

Result = TypeVar("Result")


class SumsByClass:
    r"""Finds :math:`\min_{y_j = y} (a_j + \rho\, d(x, x_j))` for every class y.

    Vectors in a kd-tree are searched class by class, and strings by bounds of edit distances. Other
    objects are measured in blocks, each pair once, for all classes and for several offsets at a
    time.

    Examples
    --------
    >>> from wideberth.metrics.named import metric
    >>> words, codes = ["tea", "tee", "rum"], np.array([0, 0, 1])
    >>> sums = SumsByClass(
    ...     metric("levenshtein").prepare(words),
    ...     metric("levenshtein"),
    ...     codes,
    ...     0.5,
    ...     2,
    ...     max_memory=10**6,
    ...     n_jobs=1,
    ... )
    >>> sums.least(metric("levenshtein").prepare(["ten"]), np.array([0.0, -1.0, 0.0]))
    array([[-0.5,  1.5]])
    """

    def __init__(
        self,
        objects: Sample,
        metric: Metric,
        codes: Indices,
        slope: float,
        n_classes: int,
        *,
        max_memory: int,
        n_jobs: int | None,
    ) -> None:
        self._order = np.argsort(codes, kind="stable")
        self._codes = codes[self._order]
        self._starts = np.searchsorted(self._codes, np.arange(n_classes + 1))
        self._objects, self._metric = sample.pick(objects, self._order), metric
        self._slope, self._n_classes = slope, n_classes
        self._memory, self._n_jobs = max_memory, n_jobs
        self._searches = self._trees() if kdtree.power_of(metric) is not None else []
        self._filter = SumFilter(self._objects, metric, self._codes, n_classes, n_jobs=n_jobs)

    def least(self, queries: Sample, offsets: Floats, below: float = np.inf) -> Floats:
        """The least sums of every query with the given offsets of the objects, shape (queries,
        classes); where one is not ``below`` a limit, it or the limit.
        """
        found, offsets = self._unknown(queries), offsets[self._order]
        if self._searches:
            limits = np.full(len(found), below)
            for code, (search, part) in enumerate(zip(self._searches, self._parts, strict=True)):
                sums = search.least(queries, offsets[part], self._slope, below=limits).sums
                found[:, code] = sums[:, 0]
            return found
        np.minimum(found, below, out=found)
        if self._filter.pays(queries, offsets, self._slope, found):
            return self._filter.least(queries, offsets, self._slope, found, breaks_ties=False).sums
        find = partial(_least_by_class, self._codes, offsets, self._slope, self._n_classes)
        for rows, least in self._reduced(find, queries):
            found[rows] = least
        return found

    def raising_and_limiting(self, queries: Sample, margins: Floats) -> tuple[Floats, Floats]:
        r"""The least sums with the offsets :math:`-m_j` and :math:`m_j`, as far as they matter for
        `score_bounds`.

        There, what a class raises competes with the limits of every other class, and the limit of a
        class with what every other class raises. A tree, or a filter, is asked only for sums that
        can win; where there are none, a value that does not win is returned.
        """
        margins = margins[self._order]
        if self._searches:
            raising = self._raising_in_trees(queries, margins)
            return raising, self._limiting_in_trees(queries, margins, -least_of_others(-raising))
        if self._filter.pays(queries, -margins, self._slope):
            least = partial(self._filter.least, queries, slope=self._slope, breaks_ties=False)
            raising = least(-margins, limits_others=True).sums
            return raising, least(margins, limits=-least_of_others(-raising)).sums
        raising, limiting = self._unknown(queries), self._unknown(queries)
        find = partial(_raising_and_limiting, self._starts, margins, self._slope)
        for rows, found in self._reduced(find, queries):
            raising[rows], limiting[rows] = found
        return raising, limiting

    @property
    def _parts(self) -> list[slice]:
        """The places of the objects of each class, in the order by class."""
        return _parts(self._starts)

    def _trees(self) -> list[WeightedNeighbors]:
        """A search of the objects of each class, if a tree is fast for one of them."""
        limits: dict[str, Any] = {"max_memory": self._memory, "n_jobs": self._n_jobs}
        searches = [
            WeightedNeighbors(sample.pick(self._objects, part), self._metric, **limits)
            for part in self._parts
        ]
        return searches if any(search.has_tree for search in searches) else []

    def _raising_in_trees(self, queries: Sample, margins: Floats) -> Floats:
        """What each class raises, or a limit that another class is known to set, if that is
        smaller.
        """
        raising = self._unknown(queries)
        limits = np.full(len(raising), np.inf)
        for code, (search, part) in enumerate(zip(self._searches, self._parts, strict=True)):
            found = search.least(queries, -margins[part], self._slope, below=limits)
            raising[:, code] = found.sums[:, 0]
            there = np.flatnonzero(found.indices[:, 0] >= 0)
            # of the objects that raise
            own_limits = raising[there, code] + 2.0 * margins[part][found.indices[there, 0]]
            limits[there] = np.minimum(limits[there], own_limits)
        return raising

    def _limiting_in_trees(self, queries: Sample, margins: Floats, below: Floats) -> Floats:
        """The limit that each class sets, or what ``below`` says, if that is smaller."""
        searched = zip(self._searches, self._parts, below.T, strict=True)
        found = [
            search.least(queries, margins[part], self._slope, below=most)
            for search, part, most in searched
        ]
        return np.stack([each.sums[:, 0] for each in found], axis=1)

    def _reduced(
        self, find: Callable[[slice, Floats], Result], queries: Sample
    ) -> Iterator[tuple[slice, Result]]:
        """What is found in the distances of queries from all objects, rows and block by block."""
        spans = row_spans(sample.count(queries), len(self._codes), self._memory)
        return reduced_blocks(
            find, self._metric, queries, self._objects, spans, n_jobs=self._n_jobs
        )

    def _unknown(self, queries: Sample) -> Floats:
        """Sums that nothing has lowered yet."""
        return np.full((sample.count(queries), self._n_classes), np.inf)


def _parts(starts: Indices) -> list[slice]:
    return [slice(*ends) for ends in itertools.pairwise(starts)]


def _least_by_class(
    codes: Indices, offsets: Floats, slope: float, n_classes: int, rows: slice, block: Floats
) -> Floats:
    """The least sums of offset and slope times distance over the columns of each class, shape
    (rows, classes); which rows of all they are does not matter.
    """
    found = np.full((len(block), n_classes), np.inf)
    least_sums_by_class(block, codes, offsets, slope, found)
    return found


def _raising_and_limiting(
    starts: Indices, margins: Floats, slope: float, rows: slice, block: Floats
) -> tuple[Floats, Floats]:
    """What each class raises and limits for the rows of a block."""
    if block.size <= FEW_SUMS:
        scaled = slope * block
        return _least_in_block(starts, scaled - margins), _least_in_block(starts, scaled + margins)
    raising, limiting = (np.full((len(block), len(starts) - 1), np.inf) for _ in range(2))
    raise_and_limit_by_class(block, starts, margins, slope, raising, limiting)
    return raising, limiting


def _least_in_block(starts: Indices, sums: Floats) -> Floats:
    """The least of the sums of each class by numpy: a model that answers few objects needs no
    compiled code.
    """
    return np.stack([sums[:, part].min(axis=1, initial=np.inf) for part in _parts(starts)], axis=1)


def least_of_others(values: Floats) -> Floats:
    """For each class the least value of all other classes, shape (n, k); infinite if there is no
    other.

    Examples
    --------
    >>> least_of_others(np.array([[3.0, 1.0, 2.0]]))
    array([[1., 2., 1.]])
    """
    if values.shape[1] == 1:
        return np.full_like(values, np.inf)
    order = np.argsort(values, axis=1)
    first, second = order[:, :1], order[:, 1:2]
    smallest = np.take_along_axis(values, first, axis=1)
    runner_up = np.take_along_axis(values, second, axis=1)
    return np.where(np.arange(values.shape[1])[None, :] == first, runner_up, smallest)


#: Scores are rounded to this number of digits.
_DIGITS = 12


def project(
    objects: Sample,
    metric: Metric,
    own: Floats,
    codes: Indices,
    slope: float,
    n_classes: int,
    **limits: Any,
) -> tuple[Indices, Floats]:
    r"""The winning class and its margin at every training object, from the objects' own scores
    :math:`g_j`.

    .. math:: f_y(x) = \max(-1, \max_{y_j = y} (g_j - \rho\, d(x, x_j)))

    is rho-Lipschitz, and so is the margin :math:`\frac12 (f_y - \max_{y' \neq y} f_{y'})`, cut at 1
    (Kontorovich & Weiss 2014, eq. 4 and 8). It can only raise an object's own score.

    Examples
    --------
    >>> from wideberth.metrics.named import metric
    >>> points, codes = np.array([[0.0], [4.0], [4.5]]), np.array([0, 1, 0])
    >>> # the last object is wrong: its score is that of its neighbour
    >>> own = np.array([1.0, 1.0, -0.5])
    >>> project(points, metric("euclidean"), own, codes, 0.5, 2, max_memory=10**6, n_jobs=1)
    (array([0, 1, 1]), array([1.   , 0.875, 0.625]))
    """
    sums = SumsByClass(objects, metric, codes, slope, n_classes, **limits)
    # what is not below 1 is cut
    return winners_and_margins(sums.least(objects, -own, below=1.0))


def winners_and_margins(depths: Floats) -> tuple[Indices, Floats]:
    r"""The winning class and its margin at each object, from :math:`\min_{y_j = y} (\rho\, d(x,
    x_j) - g_j)`, shape (n, k).

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


def scores_from_distances(
    known: Floats, asked: Floats, own: Floats, codes: Indices, slope: float, n_classes: int
) -> Floats:
    """The scores of `StarFunction` with the winners and margins of `project`, shape (n, k), from
    distances that are measured already: among the training objects, and from queries to these.

    Examples
    --------
    >>> known, asked = np.array([[0.0, 4.0], [4.0, 0.0]]), np.array([[1.0, 3.0]])
    >>> scores_from_distances(known, asked, np.ones(2), np.array([0, 1]), 0.5, 2)
    array([[ 0.5, -0.5]])
    """
    every = slice(None)
    winners, margins = winners_and_margins(
        _least_by_class(codes, -own, slope, n_classes, every, known)
    )
    raising, limiting = (
        _least_by_class(winners, offsets, slope, n_classes, every, asked)
        for offsets in (-margins, margins)
    )
    return between(*score_bounds(raising, limiting))


def constant_scores(
    flattest: LipschitzPoint, codes: Indices, weights: Floats, n_classes: int
) -> Floats:
    """The scores of all objects if the slope is 0, shape (k,); of equal ones the class with the
    larger weight wins.

    Examples
    --------
    >>> point = LipschitzPoint(np.array([0.0, 2.0]), 0.0)
    >>> constant_scores(point, np.array([0, 1]), np.array([3.0, 1.0]), 2).round(6)
    array([ 1., -1.])
    """
    shares = np.bincount(codes, weights=weights, minlength=n_classes)
    # with three classes and more, 0 for all may be better than 1 for the largest
    flat = np.all(flattest.slacks == 1.0)
    scores = (
        np.zeros(n_classes)
        if flat
        else np.where(np.arange(n_classes) == shares.argmax(), 1.0, -1.0)
    )
    with_ties: Floats = scores + TIE_BREAK * shares / shares.sum()
    return with_ties


@dataclass(frozen=True)
class Witness:
    """A training object that sets a limit of a score."""

    #: Its position among the training objects.
    position: int
    #: Its distance from the query.
    distance: float
    #: The largest score that it allows, or the smallest that it requires.
    bound: float


class StarFunction:
    r"""Scores with :math:`h(x_j, y) = m_j` for the winning class of training object j and
    :math:`-m_j` for all others.

    .. math:: h(x, y) = \frac12 \left[ \min_j (a^y_j + \rho\, d(x, x_j)) + \max_j (a^y_j - \rho\,
        d(x, x_j)) \right]

    with :math:`a^y_j = \pm m_j` (Kontorovich & Weiss 2014, eq. 16). Every :math:`h(\cdot, y)` is
    rho-Lipschitz. Both terms are least sums of an offset and a multiple of the distance, over the
    objects that each class wins. Every object can have the least sum: margins are rho-Lipschitz
    themselves, so that none is ruled out on both sides (docs/decisions/0005).

    Examples
    --------
    >>> from wideberth.metrics.named import metric
    >>> points, winners = np.array([[0.0], [4.0]]), np.array([0, 1])
    >>> h = StarFunction(
    ...     points, metric("euclidean"), winners, np.ones(2), 0.5, 2, max_memory=10**6, n_jobs=1
    ... )
    >>> h.scores(np.array([[0.0], [1.0], [2.0]]))
    array([[ 1. , -1. ],
           [ 0.5, -0.5],
           [ 0. ,  0. ]])
    """

    def __init__(
        self,
        objects: Sample,
        metric: Metric,
        winners: Indices,
        margins: Floats,
        slope: float,
        n_classes: int,
        **limits: Any,
    ) -> None:
        self.slope, self.n_classes = slope, n_classes
        self._objects = objects
        self._metric = metric
        self._winners = winners
        self._margins = margins
        self._sums = SumsByClass(objects, metric, winners, slope, n_classes, **limits)

    @property
    def references(self) -> Any:
        """The objects to which the scores measure distances."""
        return self._objects

    def parts(self) -> dict[str, Any]:
        """The values for a model file: the objects with their winners and margins."""
        return {"objects": self._objects, "winners": self._winners, "margins": self._margins}

    def scores(self, queries: Sample) -> Floats:
        """h(x, y) for every query and class, shape (n, k)."""
        return self.scores_and_sizes(queries)[0]

    def scores_and_sizes(self, queries: Sample) -> tuple[Floats, Floats]:
        """The scores, and the sums of the absolute terms of each, both of shape (n, k).

        Offsets are at most 1, so that an offset and a distance times the slope are at most 2 larger
        than their sum.
        """
        upper, lower = self.bounds(queries)
        return between(upper, lower), (np.abs(upper) + np.abs(lower)) / 2 + 2.0

    def bounds(self, queries: Sample) -> tuple[Floats, Floats]:
        """The largest and the smallest score of every class that the training objects allow: the
        two terms of h, shape (n, k).
        """
        return score_bounds(*self._sums.raising_and_limiting(queries, self._margins))

    def witnesses(self, queries: Sample, classes: Indices) -> list[tuple[Witness, Witness]]:
        """For each query the objects that set the two limits of the score of a class."""
        return [
            self._witnesses_of(sample.pick(queries, slice(row, row + 1)), code)
            for row, code in enumerate(classes)
        ]

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
    r"""The two terms of the scores of `StarFunction`, from the least sums over the objects that
    each class wins, shape (n, k).

    Examples
    --------
    >>> # at an object of the first class
    >>> score_bounds(np.array([[-1.0, 1.0]]), np.array([[1.0, 3.0]]))
    (array([[ 1., -1.]]), array([[ 1., -1.]]))
    """
    return np.minimum(limiting, least_of_others(raising)), -np.minimum(
        raising, least_of_others(limiting)
    )


def between(upper: Floats, lower: Floats) -> Floats:
    """The scores half way between two limits, rounded so that ties are not decided by the last
    bit.
    """
    return np.round((upper + lower) / 2, _DIGITS)
