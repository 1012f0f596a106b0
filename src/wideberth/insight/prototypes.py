r"""Typical objects of a sample: k medoids, the objects of it with the smallest sum of distances to
all others.

.. math:: \min_{M \subset S,\, |M| = k} \; \sum_{o \in S} \min_{m \in M} d(m, o)

The problem is NP-hard. Greedy choice (BUILD of Kaufman & Rousseeuw 1990), followed by exchanges of
a medoid for another object as long as the cost falls, finds medoids that no single exchange
improves; in a metric space these cost at most five times the optimum (Arya et al. 2004). All
exchanges for one candidate are valued in one pass over the objects (FasterPAM: Schubert & Rousseeuw
2021).
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wideberth.array_types import Floats, Indices, Labels, Objects, Sample
from wideberth.errors import InvalidInput
from wideberth.estimators.metric_estimator import code_targets
from wideberth.geometry.measure.blocks import parse_memory, show_memory
from wideberth.geometry.measure.remembered_distances import KeptDistances, measure_once
from wideberth.insight.kernels import exchange_medoids, saved_by_adding, two_nearest
from wideberth.metrics.metric import Metric
from wideberth.metrics.named import bind
from wideberth.metrics.parameters import is_whole
from wideberth.metrics.precomputed import Precomputed
from wideberth.objects import sample
from wideberth.progress import task
from wideberth.rounding import SUM_ERROR
from wideberth.wording import setting


@dataclass(frozen=True, eq=False)
class Prototypes:
    """Objects that stand for a sample, and which of them stands for which object.

    Attributes
    ----------
    indices : ndarray of int, shape (p,)
        Their positions in X: class by class, in each the one that stands for the most objects
        first.
    objects : list of length p
        The objects themselves, as they were passed; of a matrix of distances their numbers.
    labels : ndarray of shape (p,), or None
        Their labels, if labels were given.
    assignment : ndarray of int, shape (n,)
        For each object the number of its prototype, from 0 to p - 1: the nearest, of its own class
        if there are labels.
    distances : ndarray of shape (n,)
        The distance from that prototype to the object.
    n_candidates : int
        From how many objects they were chosen: all, unless the memory was too small.
    n_exchanges : int
        How many exchanges followed the greedy choice.

    Examples
    --------
    >>> found = Prototypes(
    ...     np.array([1]), ["tee"], None, np.array([0, 0]), np.array([1.0, 0.0]), 2, 0
    ... )
    >>> found.cost, found.sizes
    (1.0, array([2]))
    """

    indices: Indices
    objects: list[Any]
    labels: NDArray[Any] | None
    assignment: Indices
    distances: Floats
    n_candidates: int
    n_exchanges: int

    def __len__(self) -> int:
        return len(self.indices)

    @property
    def cost(self) -> float:
        """The sum of the distances between the objects and their prototypes."""
        return float(self.distances.sum())

    @property
    def sizes(self) -> Indices:
        """How many objects each prototype stands for, shape (p,)."""
        return np.bincount(self.assignment, minlength=len(self)).astype(np.intp)


def prototypes(
    X: Objects,
    metric: Any = "euclidean",
    k: int = 5,
    y: Labels = None,
    *,
    max_exchanges: int = 1000,
    max_memory: str | int = "2GB",
    n_jobs: int | None = None,
    random_state: int | None = 0,
    verbose: int = 0,
) -> Prototypes:
    """Find k typical objects of a sample, or of each class: medoids, under any metric.

    Each distance of a function of your own is measured once, and each pair once if it promises the
    axioms. Distances are kept in half of ``max_memory``; where all of them do not fit, medoids are
    chosen from as many randomly drawn candidates as do, for all objects.

    Parameters
    ----------
    X : sample
        Objects that the metric measures, a matrix of distances for "precomputed", or the index of a
        `wideberth.MetricSpace`.
    metric : str, Metric or callable
        The distance; where it is not symmetric, it is measured from the prototype to the object.
    k : int
        How many prototypes to find; with labels, for each class, and all objects of a smaller
        class.
    y : array-like of shape (n,), optional
        Labels.
    max_exchanges : int
        The largest number of exchanges after the greedy choice, for each class; 0 for none.
    max_memory : str or int
        The memory for distances, such as "2GB".
    n_jobs : int, optional
        Cores that measure; None means all.
    random_state : int or None
        Draws candidates where the memory does not hold all distances.
    verbose : int
        0 shows progress in a terminal, 1 elsewhere too, as lines on standard error; -1 shows none.

    Returns
    -------
    Prototypes
        Their positions, and for each object its prototype and its distance.

    Raises
    ------
    InvalidInput
        If there are fewer than k objects, or the memory does not hold the distances to k
        candidates.

    Examples
    --------
    >>> drinks = ["tea", "teas", "tear", "rum", "rums", "room"]
    >>> found = prototypes(drinks, "levenshtein", k=2)
    >>> found.objects, found.cost
    (['tea', 'rum'], 5.0)
    >>> found.assignment
    array([0, 0, 0, 1, 1, 1])
    >>> prototypes(
    ...     drinks, "levenshtein", k=1, y=["soft", "soft", "soft", "hard", "hard", "hard"]
    ... ).labels
    array(['hard', 'soft'], dtype='<U4')
    """
    objects, measure = bind(X, metric)
    prepared = measure.prepare(objects)
    n = sample.count(prepared)
    _check(k, n, max_exchanges)
    labels = None if y is None else code_targets(y, n)
    groups = (
        [np.arange(n)]
        if labels is None
        else [np.flatnonzero(labels.codes == code) for code in range(len(labels.classes))]
    )
    memory = parse_memory(max_memory)
    prepared, kept, table = measure_once(prepared, measure, max_memory=memory // 2, n_jobs=n_jobs)
    rest = memory if table is None else memory // 2
    search = _Search(kept, rest, n_jobs, max_exchanges, np.random.default_rng(random_state))
    with task("prototypes", len(groups), verbose=verbose) as searching:
        found = []
        for group in groups:
            found.append(search.medoids(sample.pick(prepared, group), min(k, len(group))))
            searching.advance()
    starts = np.cumsum([0, *(len(each.medoids) for each in found)])
    assignment, distances = np.empty(n, dtype=np.intp), np.empty(n)
    for group, start, each in zip(groups, starts, found, strict=False):
        assignment[group], distances[group] = start + each.owner, each.nearest
    indices = np.concatenate(
        [group[each.medoids] for group, each in zip(groups, found, strict=True)]
    )
    held: Sample = (
        range(n) if isinstance(measure, Precomputed) else sample.one_by_one(sample.hold(X))
    )
    return Prototypes(
        indices=indices,
        objects=[sample.pick_one(held, index) for index in indices.tolist()],
        labels=None if labels is None else labels.classes[labels.codes[indices]],
        assignment=assignment,
        distances=distances,
        n_candidates=sum(each.n_candidates for each in found),
        n_exchanges=sum(each.n_exchanges for each in found),
    )


@dataclass(frozen=True, eq=False)
class _Medoids:
    """The positions of medoids in a sample, for each object the number of its own and its distance,
    and how they were found.
    """

    medoids: Indices
    owner: Indices
    nearest: Floats
    n_candidates: int
    n_exchanges: int


@dataclass(frozen=True, eq=False)
class _Search:
    """How medoids are looked for."""

    metric: Metric
    memory: int
    n_jobs: int | None
    max_exchanges: int
    random: np.random.Generator

    def medoids(self, objects: Sample, k: int) -> _Medoids:
        """Find k medoids of prepared objects."""
        candidates, distances = self._distances(objects, k)
        medoids = _greedy(distances, k)
        owner, nearest, second = (
            np.empty(distances.shape[1], dtype=np.intp),
            *np.empty((2, distances.shape[1])),
        )
        two_nearest(distances, medoids, owner, nearest, second)
        chosen = np.isin(np.arange(len(candidates)), medoids)
        least = SUM_ERROR * float(nearest.sum())
        exchanges = exchange_medoids(
            distances, medoids, chosen, owner, nearest, second, least, self.max_exchanges
        )
        order = np.lexsort([medoids, -np.bincount(owner, minlength=k)])
        places = np.empty(k, dtype=np.intp)
        places[order] = np.arange(k)
        return _Medoids(
            candidates[medoids[order]], places[owner], nearest, len(candidates), int(exchanges)
        )

    def _distances(self, objects: Sample, k: int) -> tuple[Indices, NDArray[Any]]:
        """The positions of the candidates, all if the memory allows it, and their distances to all
        objects.
        """
        n = sample.count(objects)
        matrix = self._measured(objects, objects)
        if matrix is not None:
            return np.arange(n), matrix
        count = self.memory // (2 * 8 * n)
        if count < k:
            raise InvalidInput(
                f"{show_memory(self.memory)} do not hold the distances from {k:,} prototypes to "
                f"{n:,} objects.",
                advice=f"Allow {show_memory(2 * 8 * n * 10 * k)}, for ten candidates for each.",
                value=self.memory,
            )
        candidates = np.sort(self.random.choice(n, count, replace=False))
        matrix = self._measured(sample.pick(objects, candidates), objects)
        assert matrix is not None  # eight bytes for each distance were counted
        return candidates, matrix

    def _measured(self, candidates: Sample, objects: Sample) -> NDArray[Any] | None:
        return KeptDistances(
            candidates, objects, self.metric, max_memory=self.memory, n_jobs=self.n_jobs
        ).matrix()


def _greedy(distances: NDArray[Any], k: int) -> Indices:
    """The first k medoids: each time the candidate that lowers the cost most, the first of
    several.
    """
    medoids, sums = np.empty(k, dtype=np.intp), distances.sum(axis=1, dtype=np.float64)
    medoids[0] = first_largest(-sums, SUM_ERROR * sums.max())
    nearest, saved = distances[medoids[0]].astype(np.float64), np.empty(len(distances))
    for place in range(1, k):
        saved_by_adding(distances, nearest, saved)
        saved[medoids[:place]] = -1.0
        medoids[place] = first_largest(saved, SUM_ERROR * float(nearest.sum()))
        np.minimum(nearest, distances[medoids[place]], out=nearest)
    return medoids


def first_largest(values: Floats, tolerance: float) -> int:
    """The position of the largest value; the first of several that differ by rounding, so that
    units do not matter.
    """
    return int(np.argmax(values >= values.max() - tolerance))


def _check(k: Any, n: int, max_exchanges: Any) -> None:
    if not is_whole(k, 1) or k > n:
        raise InvalidInput(
            f"{setting('k', k)} prototypes cannot be chosen from {n} objects.",
            advice="Pass a whole number between 1 and the number of objects.",
            value=k,
        )
    if not is_whole(max_exchanges, 0):
        raise InvalidInput(
            f"{setting('max_exchanges', max_exchanges)} is not a whole number from 0 on.",
            advice="Leave it out.",
            value=max_exchanges,
        )
