"""The least sums of an offset and a scaled distance over the objects of each class: what the scores are made of."""

import itertools
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, TypeVar

import numpy as np

from wideberth.array_types import Floats, Indices
from wideberth.classifiers.lipschitz.kernels import least_sums_by_class, raise_and_limit_by_class
from wideberth.geometry.measure.blocks import reduced_blocks, row_spans
from wideberth.geometry.search import kdtree
from wideberth.geometry.search.weighted import FEW_SUMS, WeightedNeighbors
from wideberth.metrics.metric import Metric
from wideberth.objects import sample

Result = TypeVar("Result")


class SumsByClass:
    r"""Finds :math:`\min_{y_j = y} (a_j + \rho\, d(x, x_j))` for every class y.

    Vectors in a kd-tree are searched class by class. Other objects are measured in blocks, each pair once, for all classes and
    for several offsets at a time.

    Parameters
    ----------
    objects : sample
        Prepared objects.
    metric : Metric
        How far apart objects are.
    codes : ndarray of int, shape (n,)
        The class of each object.
    slope : float
        rho.
    n_classes : int
        The number of classes; those without objects have infinite sums.
    max_memory : int
        Bytes for blocks of distances.
    n_jobs : int or None
        Cores to use; None means all.

    Examples
    --------
    >>> from wideberth.metrics.named import metric
    >>> words, codes = ["tea", "tee", "rum"], np.array([0, 0, 1])
    >>> sums = SumsByClass(metric("levenshtein").prepare(words), metric("levenshtein"), codes, 0.5, 2, max_memory=10**6, n_jobs=1)
    >>> sums.least(metric("levenshtein").prepare(["ten"]), np.array([0.0, -1.0, 0.0]))
    array([[-0.5,  1.5]])
    """

    def __init__(
        self, objects: Any, metric: Metric, codes: Indices, slope: float, n_classes: int, *, max_memory: int, n_jobs: int | None
    ) -> None:
        self._order = np.argsort(codes, kind="stable")
        self._codes = codes[self._order]
        self._starts = np.searchsorted(self._codes, np.arange(n_classes + 1))
        self._objects, self._metric = sample.pick(objects, self._order), metric
        self._slope, self._n_classes = slope, n_classes
        self._memory, self._n_jobs = max_memory, n_jobs
        self._searches = self._trees() if kdtree.power_of(metric) is not None else []

    def least(self, queries: Any, offsets: Floats) -> Floats:
        """The least sums of every query with the given offsets of the objects, shape (queries, classes)."""
        found, offsets = self._unknown(queries), offsets[self._order]
        if self._searches:
            for code, (search, part) in enumerate(zip(self._searches, self._parts, strict=True)):
                found[:, code] = search.least(queries, offsets[part], self._slope).sums[:, 0]
            return found
        find = partial(_least_by_class, self._codes, offsets, self._slope, self._n_classes)
        for rows, least in self._reduced(find, queries):
            found[rows] = least
        return found

    def raising_and_limiting(self, queries: Any, margins: Floats) -> tuple[Floats, Floats]:
        r"""The least sums with the offsets :math:`-m_j` and :math:`m_j`, as far as they matter for `score_bounds`.

        There, what a class raises competes with the limits of every other class, and the limit of a class with what every other
        class raises. A tree is asked only for sums that can win; where there are none, a value that does not win is returned.
        """
        margins = margins[self._order]
        if self._searches:
            raising = self._raising_in_trees(queries, margins)
            return raising, self._limiting_in_trees(queries, margins, -least_of_others(-raising))
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
        searches = [WeightedNeighbors(sample.pick(self._objects, part), self._metric, **limits) for part in self._parts]
        return searches if any(search.has_tree for search in searches) else []

    def _raising_in_trees(self, queries: Any, margins: Floats) -> Floats:
        """What each class raises, or a limit that another class is known to set, if that is smaller."""
        raising = self._unknown(queries)
        limits = np.full(len(raising), np.inf)
        for code, (search, part) in enumerate(zip(self._searches, self._parts, strict=True)):
            found = search.least(queries, -margins[part], self._slope, below=limits)
            raising[:, code] = found.sums[:, 0]
            there = np.flatnonzero(found.indices[:, 0] >= 0)
            own_limits = raising[there, code] + 2.0 * margins[part][found.indices[there, 0]]  # of the objects that raise
            limits[there] = np.minimum(limits[there], own_limits)
        return raising

    def _limiting_in_trees(self, queries: Any, margins: Floats, below: Floats) -> Floats:
        """The limit that each class sets, or what ``below`` says, if that is smaller."""
        searched = zip(self._searches, self._parts, below.T, strict=True)
        found = [search.least(queries, margins[part], self._slope, below=most) for search, part, most in searched]
        return np.stack([each.sums[:, 0] for each in found], axis=1)

    def _reduced(self, find: Callable[[slice, Floats], Result], queries: Any) -> Iterator[tuple[slice, Result]]:
        """What is found in the distances of queries from all objects, rows and block by block."""
        spans = row_spans(sample.count(queries), len(self._codes), self._memory)
        return reduced_blocks(find, self._metric, queries, self._objects, spans, n_jobs=self._n_jobs)

    def _unknown(self, queries: Any) -> Floats:
        """Sums that nothing has lowered yet."""
        return np.full((sample.count(queries), self._n_classes), np.inf)


def _parts(starts: Indices) -> list[slice]:
    return [slice(*ends) for ends in itertools.pairwise(starts)]


def _least_by_class(codes: Indices, offsets: Floats, slope: float, n_classes: int, rows: slice, block: Floats) -> Floats:
    """The least sums of each class for the rows of a block, shape (rows, classes)."""
    found = np.full((len(block), n_classes), np.inf)
    least_sums_by_class(block, codes, offsets, slope, found)
    return found


def _raising_and_limiting(starts: Indices, margins: Floats, slope: float, rows: slice, block: Floats) -> tuple[Floats, Floats]:
    """What each class raises and limits for the rows of a block."""
    if block.size <= FEW_SUMS:
        scaled = slope * block
        return _least_in_block(starts, scaled - margins), _least_in_block(starts, scaled + margins)
    raising, limiting = (np.full((len(block), len(starts) - 1), np.inf) for _ in range(2))
    raise_and_limit_by_class(block, starts, margins, slope, raising, limiting)
    return raising, limiting


def _least_in_block(starts: Indices, sums: Floats) -> Floats:
    """The least of the sums of each class by numpy: a model that answers few objects needs no compiled code."""
    return np.stack([sums[:, part].min(axis=1, initial=np.inf) for part in _parts(starts)], axis=1)


def least_of_others(values: Floats) -> Floats:
    """For each class the least value of all other classes, shape (n, k); infinite if there is no other.

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
