"""`Index`: nearest neighbours of any objects under any metric, and all neighbours within a
radius.
"""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, TypeVar

import numpy as np

from wideberth.array_types import Indices, Labels, Objects
from wideberth.errors import InvalidInput, UnknownName
from wideberth.geometry.measure.blocks import CountedSample, parse_memory, show_memory
from wideberth.geometry.measure.parallel import effective_jobs, over_chunks
from wideberth.geometry.search.choosing import EngineChoice, build, choose
from wideberth.geometry.search.engine import (
    Engine,
    Neighborhoods,
    Neighbors,
    Population,
    QueryBatch,
)
from wideberth.metrics.metric import Distances, Metric
from wideberth.metrics.named import bind
from wideberth.metrics.parameters import is_number, is_whole
from wideberth.objects import sample
from wideberth.objects.labels import code_labels
from wideberth.wording import setting

__all__ = ["ENGINES", "Index", "Neighborhoods", "Neighbors"]

ENGINES = ("auto", "brute", "kdtree", "filter", "pivots")

Answer = TypeVar("Answer")


class Index:
    r"""Finds the objects nearest to queries, with as few distance computations as possible.

    The results are those of brute force, ties included: neighbours are ordered by (value of
    ``metric.block``, index). With ``eta`` > 0 the j-th neighbour found, for every j, is at most 1 +
    eta times as far as the j-th nearest object, which saves distances (Kontorovich & Weiss,
    "Maximum margin multiclass nearest neighbors", ICML 2014, section 5.1).

    Parameters
    ----------
    objects : sequence
        The objects that can be found, of any kind that the metric measures.
    metric : str, Metric or function of two objects
        The distance.
    labels : array-like of shape (n,), optional
        A label for each object; needed only for queries that exclude a label.
    eta : float
        Relative tolerance for nearest neighbours; 0 finds the nearest ones.
    engine : {"auto", "brute", "kdtree", "filter", "pivots"}
        ``"brute"`` measures everything, for any distance. ``"pivots"`` keeps the distances to few
        objects far from each other and leaves out what the triangle inequality rules out; it
        refuses a metric that does not promise it. ``"kdtree"`` keeps boxes of coordinates
        (Minkowski metrics with p = 1, 2, infinity), ``"filter"`` signatures that bound distances
        from below (edit distances of strings, and metrics with a `wideberth.Metric.sketch`).
        ``"auto"`` counts the distances that engines measure on a part of the objects, multiplies
        them by the declared cost of a distance (`Metric.nanoseconds`), and assumes a tenth as many
        queries as objects. It uses no clock, so the same objects get the same engine, but that
        ``"filter"`` has to be worth its compilation where its loop was never compiled. Small
        problems use ``"brute"`` without a trial.
    max_memory : str or int
        Memory for the work, besides the objects themselves; the results of `within` must fit in it
        too.
    n_jobs : int, optional
        How many cores to use; all by default.
    random_state : int
        Seed for the pivots and for the part of the objects used in trials. With eta=0 the results
        do not depend on it.

    Attributes
    ----------
    choice : EngineChoice
        The engine in use, why it was chosen, and the trials that led to it; ``print(index.choice)``
        shows them.

    Examples
    --------
    >>> index = Index(["tea", "coffee", "milk"], "levenshtein")
    >>> index.nearest(["tee", "mild"])
    Neighbors(indices=array([[0],
           [2]]), distances=array([[1.],
           [1.]]))
    """

    def __init__(
        self,
        objects: Objects,
        metric: str | Metric | Callable[[Any, Any], float] = "euclidean",
        *,
        labels: Labels = None,
        eta: float = 0.0,
        engine: str = "auto",
        max_memory: str | int = "2GB",
        n_jobs: int | None = None,
        random_state: int = 0,
    ) -> None:
        self.eta = _checked_eta(eta)
        self.n_jobs = n_jobs
        self._memory = parse_memory(max_memory)
        counted = CountedSample(*bind(objects, metric))
        n = len(counted)
        self._labels = None if labels is None else code_labels(labels, n)
        codes = np.zeros(n, dtype=np.intp) if self._labels is None else self._labels.codes
        self._population = Population(counted, codes, np.ones(n, dtype=bool))
        self.choice = self._chosen(engine, random_state)
        self._engine: Engine = build(
            self.choice.engine,
            self._population,
            max_memory=self._memory,
            n_jobs=n_jobs,
            random_state=random_state,
        )

    @property
    def engine(self) -> str:
        """The name of the engine in use."""
        return self.choice.engine

    @property
    def metric(self) -> Metric:
        """The metric, with what it learned from the objects."""
        return self._population.counted.metric

    @property
    def distance_calls(self) -> int:
        """How many distances it asked the metric for so far: to choose an engine, to build it, and
        to answer queries.

        The metric of a space may have known some of them; `MetricSpace.distance_calls` counts those
        that were measured.
        """
        return self._population.counted.calls

    def __len__(self) -> int:
        """The number of objects that are not deleted."""
        return int(self._population.alive.sum())

    def __repr__(self) -> str:
        return f"Index({len(self)} objects, {self.metric!r}, engine={self.engine!r})"

    def nearest(self, queries: Objects, k: int = 1, *, excluding: Any = None) -> Neighbors:
        """Find the k nearest objects of each query.

        Parameters
        ----------
        queries : sequence
            Objects of the same kind as those of the index.
        k : int
            How many neighbours to find, 1 or more.
        excluding : array-like of shape (n_queries,), optional
            A label for each query; objects with this label do not count. A label that no object has
            excludes nothing.

        Returns
        -------
        Neighbors
            ``indices`` and ``distances`` of shape (n_queries, k), nearest first; -1 and infinity
            where there are fewer than k.

        Examples
        --------
        >>> index = Index([[0.0], [1.0], [5.0]], labels=["rum", "rum", "tea"])
        >>> index.nearest([[0.2]], k=2, excluding=["rum"])
        Neighbors(indices=array([[ 2, -1]]), distances=array([[4.8, inf]]))
        """
        parts = self._answers(
            partial(_nearest, _checked_count(k), self.eta),
            *self._checked_queries(queries, excluding),
        )
        indices, distances = zip(*parts, strict=True)
        return Neighbors(np.concatenate(indices), np.concatenate(distances))

    def within(
        self, queries: Objects, radius: Any, *, excluding: Any = None, strict: bool = False
    ) -> Neighborhoods:
        """Find all objects within a radius of each query.

        Parameters
        ----------
        queries : sequence
            Objects of the same kind as those of the index.
        radius : float or array-like of shape (n_queries,)
            The largest distance that counts, for all queries or for each; numpy.inf means no limit.
        excluding : array-like of shape (n_queries,), optional
            A label for each query; objects with this label do not count.
        strict : bool
            Whether an object at exactly this distance is left out.

        Returns
        -------
        Neighborhoods
            The neighbours of query q are ``indices[starts[q]:starts[q + 1]]``, nearest first.

        Examples
        --------
        >>> found = Index([[0.0], [1.0], [5.0]]).within([[0.0], [9.0], [4.0]], 1.0)
        >>> found.starts, found.indices, found.distances
        (array([0, 2, 2, 3]), array([0, 1, 2]), array([0., 1., 1.]))
        """
        prepared, excluded = self._checked_queries(queries, excluding)
        radii = _checked_radii(radius, len(excluded))
        if strict:
            radii = np.nextafter(radii, -np.inf)
        parts, size = [], 0
        for part in self._answers(partial(_within, radii), prepared, excluded):
            parts.append(part)
            size += part.indices.nbytes + part.distances.nbytes
            self._check_result_size(size, len(parts))
        sizes = np.concatenate([np.diff(part.starts) for part in parts])
        return Neighborhoods(
            np.concatenate([[0], np.cumsum(sizes)]),
            np.concatenate([part.indices for part in parts]),
            np.concatenate([part.distances for part in parts]),
        )

    def nearest_with_ties(self, queries: Objects, k: int = 1) -> Iterator[Neighborhoods]:
        """Find the k nearest objects of each query, and all others that are as near as the k-th;
        whatever ``eta`` is.

        Parameters
        ----------
        queries, k
            As for `nearest`.

        Yields
        ------
        Neighborhoods
            Those of a batch of queries, batch after batch: all of them may be too many to hold at
            once.

        Examples
        --------
        >>> [
        ...     found.indices
        ...     for found in Index(["tea", "rum", "ten"], "levenshtein").nearest_with_ties(["tee"])
        ... ]
        [array([0, 2])]
        """
        rows = max(
            64, self._memory // (64 * effective_jobs(self.n_jobs) * max(1, len(self._population)))
        )
        yield from self._answers(
            partial(_nearest_with_ties, _checked_count(k)),
            *self._checked_queries(queries, None),
            most=rows,
        )

    def delete(self, indices: Any) -> None:
        """Delete objects, so that they are not found any more; the others keep their indices.

        Deleting an object twice does nothing.

        Parameters
        ----------
        indices : int or array-like of int
            Positions of the objects in the sequence that the index was built from.

        Examples
        --------
        >>> index = Index([[0.0], [1.0]])
        >>> index.delete([0])
        >>> index.nearest([[0.0]]).indices
        array([[1]])
        """
        deleted = np.atleast_1d(np.asarray(indices))
        n = len(self._population)
        if deleted.size and (
            deleted.dtype.kind not in "iu" or deleted.min() < 0 or deleted.max() >= n
        ):
            raise InvalidInput(
                f"Objects are deleted by their indices, whole numbers from 0 to {n - 1}, not "
                f"{indices!r}.",
                advice="Indices are those of the objects at construction, before and after "
                "deletions.",
                value=indices,
            )
        deleted = np.unique(deleted.astype(np.intp))
        deleted = deleted[self._population.alive[deleted]]
        self._population.alive[deleted] = False
        self._engine.delete(deleted)

    def _chosen(self, engine: str, random_state: int) -> EngineChoice:
        if engine not in ENGINES:
            raise UnknownName(
                f"There is no engine {engine!r}.",
                advice=f"Known: {', '.join(ENGINES)}.",
                value=engine,
                known=list(ENGINES),
            )
        if engine == "auto":
            return choose(
                self._population, eta=self.eta, max_memory=self._memory, random_state=random_state
            )
        return EngineChoice(engine, "it was requested by name.")

    def _checked_queries(self, queries: Objects, excluding: Any) -> tuple[Any, Indices]:
        """Return the prepared queries, and the code of the class that each excludes, -1 for
        none.
        """
        prepared = self.metric.prepare(queries)
        n = sample.count(prepared)
        if excluding is None:
            return prepared, np.full(n, -1, dtype=np.intp)
        if self._labels is None:
            raise InvalidInput(
                "Labels cannot be excluded: the index was built without labels.",
                advice=f"Pass {setting('labels')} at construction.",
                value=excluding,
            )
        labels = sample.hold(excluding)
        if labels.shape != (n,):
            raise InvalidInput(
                f"There are {n} queries; the labels to exclude have shape {labels.shape}.",
                advice=f"{setting('excluding')} takes one label for each query.",
                value=labels.shape,
            )
        codes = {label: code for code, label in enumerate(self._labels.classes.tolist())}
        return prepared, np.fromiter(
            (codes.get(label, -1) for label in labels.tolist()), dtype=np.intp, count=n
        )

    def _answers(
        self,
        ask: Callable[[Engine, QueryBatch, slice], Answer],
        queries: Objects,
        excluded: Indices,
        most: float = np.inf,
    ) -> Iterator[Answer]:
        """Yield the answers to chunks of at most ``most`` queries, in order; several chunks run at
        the same time.

        ``ask(engine, batch, rows)`` answers one chunk; ``rows`` is its slice of all queries.
        """
        n, counted = len(excluded), self._population.counted
        size = int(min(self._engine.chunk_size(n, effective_jobs(self.n_jobs)), most))
        chunks = [slice(start, min(start + size, n)) for start in range(0, n, size)] or [
            slice(0, 0)
        ]
        work = partial(_answer, ask, self._engine, counted, queries, excluded)
        for answer, calls in over_chunks(
            work, chunks, n_jobs=self.n_jobs, how=self.metric.parallel, what="neighbours"
        ):
            counted.count(calls)
            yield answer

    def _check_result_size(self, size: int, n_parts: int) -> None:
        if size > self._memory:
            raise InvalidInput(
                f"The neighbourhoods of the first {n_parts} batches of queries alone need "
                f"{show_memory(size)}, more than the memory of {show_memory(self._memory)}.",
                advice="Ask for a smaller radius or for fewer queries at a time, or allow more "
                "memory.",
                value=size,
            )


def _answer(
    ask: Callable[[Engine, QueryBatch, slice], Answer],
    engine: Engine,
    counted: CountedSample,
    queries: Objects,
    excluded: Indices,
    rows: slice,
) -> tuple[Answer, int]:
    """Answer the queries of one chunk, and return how many distances that took."""
    own = counted.fork()  # the work may be done in another process, whose count would be lost
    return ask(engine, QueryBatch(sample.pick(queries, rows), excluded[rows], own), rows), own.calls


def _nearest(k: int, eta: float, engine: Engine, batch: QueryBatch, rows: slice) -> Neighbors:
    return engine.nearest(batch, k, eta)


def _nearest_with_ties(k: int, engine: Engine, batch: QueryBatch, rows: slice) -> Neighborhoods:
    return engine.nearest_with_ties(batch, k)


def _within(radii: Distances, engine: Engine, batch: QueryBatch, rows: slice) -> Neighborhoods:
    return engine.within(batch, radii[rows])


def _checked_count(k: Any) -> int:
    if not is_whole(k, 1):
        raise InvalidInput(
            f"k must be a positive integer, not {k!r}.",
            advice=f"{setting('k', 1)} is the nearest.",
            value=k,
        )
    return int(k)


def _checked_eta(eta: float) -> float:
    if not is_number(eta) or not 0 <= eta < np.inf:
        raise InvalidInput(
            f"eta must be a finite number >= 0, not {eta!r}.",
            advice=f"{setting('eta', 0)} finds the nearest neighbour itself.",
            value=eta,
        )
    return float(eta)


def _checked_radii(radius: Any, n_queries: int) -> Distances:
    """Return one radius for each query, a new array that may be changed."""
    radii = np.asarray(radius, dtype=np.float64)
    if radii.shape not in ((), (n_queries,)) or not (radii >= 0).all():
        raise InvalidInput(
            "A radius must be a number >= 0, one for all queries or one for each of the "
            f"{n_queries}; got {radius!r}.",
            advice="numpy.inf means no limit.",
            value=radius,
        )
    return np.broadcast_to(radii, n_queries).copy()
