"""Nearest neighbours in any metric space."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, TypeVar

import numpy as np

from wideberth.arrays import Indices
from wideberth.errors import InvalidInput, UnknownName
from wideberth.geometry.measure.counting import CountedSample
from wideberth.geometry.measure.memory import parse_memory, show_memory
from wideberth.geometry.measure.parallel import effective_jobs, over_chunks
from wideberth.geometry.search.choosing import EngineChoice, build, choose
from wideberth.geometry.search.engine import Engine, Neighborhoods, Neighbors, Population, Queries
from wideberth.metrics.metric import Distances, Metric
from wideberth.metrics.named import bind
from wideberth.objects import sample
from wideberth.objects.labels import code_labels

__all__ = ["ENGINES", "Index", "Neighborhoods", "Neighbors"]

ENGINES = ("auto", "brute", "kdtree", "pivots")

Answer = TypeVar("Answer")


class Index:
    r"""Finds the objects near others, from as few distances as possible.

    Answers are those of brute force, ties included: neighbours come by (value of ``metric.block``, index). With ``eta`` > 0 the
    j-th neighbour found, for every j, is at most 1 + eta times as far as the j-th nearest, which saves distances (Kontorovich &
    Weiss, "Maximum margin multiclass nearest neighbors", ICML 2014, section 5.1).

    >>> index = Index(["tea", "coffee", "milk"], "levenshtein")
    >>> index.nearest(["tee", "mild"])
    Neighbors(indices=array([[0],
           [2]]), distances=array([[1.],
           [1.]]))

    Parameters
    ----------
    objects, metric
        What can be found, and how far apart things are.
    labels : optional
        One for each object, for the questions that leave a label out.
    eta : float
        How much too far a nearest neighbour may be, relative to its distance.
    engine : {"auto", "brute", "kdtree", "pivots"}
        ``"brute"`` measures everything, for any distance. The others leave out what the triangle inequality rules out, and
        refuse a metric that does not promise it: ``"pivots"`` keeps the distances to a few far objects, ``"kdtree"`` boxes of
        coordinates (Minkowski metrics with p = 1, 2, infinity). ``"auto"`` counts the distances that they measure on a part of
        the objects, weighs them by what the metric declares a distance to cost (`Metric.nanoseconds`), and assumes a tenth as
        many queries as objects. No clock is asked, so the same objects get the same engine; ``choice`` says what it saw. A small
        job goes to ``"brute"`` untried.
    max_memory : str or int
        Room to work in beside the objects; the answers of `within` must fit too.
    n_jobs : int, optional
        How many cores to use: all by default.
    random_state : int
        Draws the pivots and the part to try; answers do not depend on it.
    """

    def __init__(
        self,
        objects: Any,
        metric: str | Metric | Callable[[Any, Any], float] = "euclidean",
        *,
        labels: Any = None,
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
            self.choice.engine, self._population, max_memory=self._memory, n_jobs=n_jobs, random_state=random_state
        )

    @property
    def engine(self) -> str:
        """The name of the engine at work."""
        return self.choice.engine

    @property
    def metric(self) -> Metric:
        """How far apart things are."""
        return self._population.counted.metric

    @property
    def distance_calls(self) -> int:
        """How many pairs have been measured so far, to choose an engine, to build it and to answer."""
        return self._population.counted.calls

    def __len__(self) -> int:
        """How many objects can be found: those not deleted."""
        return int(self._population.alive.sum())

    def __repr__(self) -> str:
        return f"Index({len(self)} objects, {self.metric!r}, engine={self.engine!r})"

    def nearest(self, queries: Any, k: int = 1, *, excluding: Any = None) -> Neighbors:
        """The k nearest objects of each query; with ``excluding``, one label for each query, of those with other labels.

        >>> index = Index([[0.0], [1.0], [5.0]], labels=["rum", "rum", "tea"])
        >>> index.nearest([[0.2]], k=2, excluding=["rum"])
        Neighbors(indices=array([[ 2, -1]]), distances=array([[4.8, inf]]))
        """
        if not isinstance(k, int | np.integer) or k < 1:
            raise InvalidInput(f"k must be a whole number from 1 on, not {k!r}.", advice="k=1 is the nearest.", value=k)
        parts = self._ask(partial(_nearest, int(k), self.eta), *self._checked_queries(queries, excluding))
        indices, distances = zip(*parts, strict=True)
        return Neighbors(np.concatenate(indices), np.concatenate(distances))

    def within(self, queries: Any, radius: Any, *, excluding: Any = None, strict: bool = False) -> Neighborhoods:
        """All objects at distance at most ``radius`` of each query (below it if ``strict``), one radius for all or one for each.

        >>> found = Index([[0.0], [1.0], [5.0]]).within([[0.0], [9.0], [4.0]], 1.0)
        >>> found.starts, found.indices, found.distances
        (array([0, 2, 2, 3]), array([0, 1, 2]), array([0., 1., 1.]))
        """
        prepared, excluded = self._checked_queries(queries, excluding)
        radii = _checked_radii(radius, len(excluded))
        if strict:
            radii = np.nextafter(radii, -np.inf)
        parts, size = [], 0
        for part in self._ask(partial(_within, radii), prepared, excluded):
            parts.append(part)
            size += part.indices.nbytes + part.distances.nbytes
            self._check_room(size, len(parts))
        sizes = np.concatenate([np.diff(part.starts) for part in parts])
        return Neighborhoods(
            np.concatenate([[0], np.cumsum(sizes)]),
            np.concatenate([part.indices for part in parts]),
            np.concatenate([part.distances for part in parts]),
        )

    def delete(self, indices: Any) -> None:
        """These objects are never found again; the others keep their indices.

        >>> index = Index([[0.0], [1.0]])
        >>> index.delete([0])
        >>> index.nearest([[0.0]]).indices
        array([[1]])
        """
        gone = np.atleast_1d(np.asarray(indices))
        n = len(self._population)
        if gone.size and (gone.dtype.kind not in "iu" or gone.min() < 0 or gone.max() >= n):
            raise InvalidInput(
                f"Objects are deleted by their indices, whole numbers from 0 to {n - 1}, not {indices!r}.",
                advice="Indices are those of the objects at construction, before and after deletions.",
                value=indices,
            )
        gone = np.unique(gone.astype(np.intp))
        gone = gone[self._population.alive[gone]]
        self._population.alive[gone] = False
        self._engine.forget(gone)

    def _chosen(self, engine: str, random_state: int) -> EngineChoice:
        if engine not in ENGINES:
            raise UnknownName(
                f"There is no engine {engine!r}.", advice=f"Known: {', '.join(ENGINES)}.", value=engine, known=list(ENGINES)
            )
        if engine == "auto":
            return choose(self._population, eta=self.eta, max_memory=self._memory, random_state=random_state)
        return EngineChoice(engine, "it was asked for.")

    def _checked_queries(self, queries: Any, excluding: Any) -> tuple[Any, Indices]:
        prepared = self.metric.prepare(queries)
        n = sample.count(prepared)
        if excluding is None:
            return prepared, np.full(n, -1, dtype=np.intp)
        if self._labels is None:
            raise InvalidInput(
                "Labels cannot be excluded: the index was built without.", advice="Pass labels= at construction.", value=excluding
            )
        labels = sample.hold(excluding)
        if labels.shape != (n,):
            raise InvalidInput(
                f"There are {n} queries; the labels to exclude have shape {labels.shape}.",
                advice="excluding= takes one label for each query.",
                value=labels.shape,
            )
        codes = {label: code for code, label in enumerate(self._labels.classes.tolist())}
        return prepared, np.fromiter((codes.get(label, -1) for label in labels.tolist()), dtype=np.intp, count=n)

    def _ask(self, question: Callable[[Engine, Queries, slice], Answer], queries: Any, excluded: Indices) -> Iterator[Answer]:
        """The answers to chunks of the queries, in order, several at a time."""
        n, counted = len(excluded), self._population.counted
        size = self._engine.rows_at_once(n, effective_jobs(self.n_jobs))
        chunks = [slice(start, min(start + size, n)) for start in range(0, n, size)] or [slice(0, 0)]
        work = partial(_answer, question, self._engine, counted, queries, excluded)
        for answer, calls in over_chunks(work, chunks, n_jobs=self.n_jobs, how=self.metric.parallel):
            counted.count(calls)
            yield answer

    def _check_room(self, size: int, n_parts: int) -> None:
        if size > self._memory:
            raise InvalidInput(
                f"The neighbourhoods of the first {n_parts} batches of queries alone need {show_memory(size)}, "
                f"more than the memory of {show_memory(self._memory)}.",
                advice="Ask for a smaller radius or for fewer queries at a time, or allow more memory.",
                value=size,
            )


def _answer(
    question: Callable[[Engine, Queries, slice], Answer],
    engine: Engine,
    counted: CountedSample,
    queries: Any,
    excluded: Indices,
    rows: slice,
) -> tuple[Answer, int]:
    own = counted.fork()  # the work may be done in another process, whose count would be lost
    return question(engine, Queries(sample.pick(queries, rows), excluded[rows], own), rows), own.calls


def _nearest(k: int, eta: float, engine: Engine, asked: Queries, rows: slice) -> Neighbors:
    return engine.nearest(asked, k, eta)


def _within(radii: Distances, engine: Engine, asked: Queries, rows: slice) -> Neighborhoods:
    return engine.within(asked, radii[rows])


def _checked_eta(eta: float) -> float:
    if not isinstance(eta, int | float | np.number) or not 0 <= eta < np.inf:
        raise InvalidInput(
            f"eta must be a finite number from 0 on, not {eta!r}.", advice="eta=0 finds the nearest neighbour itself.", value=eta
        )
    return float(eta)


def _checked_radii(radius: Any, n_queries: int) -> Distances:
    radii = np.asarray(radius, dtype=np.float64)
    if radii.shape not in ((), (n_queries,)) or not (radii >= 0).all():
        raise InvalidInput(
            f"A radius is a number from 0 on, one for all queries or one for each of the {n_queries}; this is {radius!r}.",
            advice="numpy.inf stands for no limit.",
            value=radius,
        )
    return np.broadcast_to(radii, n_queries).copy()
