"""Distances from one object to many others: `OneToMany` for repeated measurements, `distances_from`
for a single one.
"""

import time
from functools import partial
from typing import Any

import numpy as np

from wideberth.array_types import Indices
from wideberth.geometry.measure.blocks import CountedSample
from wideberth.geometry.measure.parallel import effective_jobs, over_chunks
from wideberth.metrics.metric import Distances, Metric
from wideberth.objects import sample

#: Seconds of work on one core from which on it is divided into pieces for all cores.
WORTH_CUTTING = 0.01
#: Pieces for every core: with more pieces, cores wait less for the last one.
PIECES_PER_JOB = 4
#: Objects in a chunk of `distances_from`: a fraction of a second of expensive distances, enough
#: cheap ones for one block.
CHUNK_OBJECTS = 500


class OneToMany:
    """Measure the distances from one object of a sample to others of it, again and again.

    A measurement runs on one core or is divided into pieces for all cores, whichever was faster so
    far: the time of one distance is learned from each measurement for the next, and after pieces
    were slower than one core they are tried less and less often. The result is the same either way.

    Parameters
    ----------
    counted : CountedSample
        The objects; it counts the distances.
    n_jobs : int, optional
        How many cores to use; all of them by default.

    Attributes
    ----------
    sample : CountedSample
        The sample.
    n_jobs : int or None
        How many cores to use.

    Examples
    --------
    >>> drinks = OneToMany(CountedSample(["tea", "coffee", "milk"], "levenshtein"))
    >>> drinks.measure(0), drinks.sample.calls
    (array([0., 5., 4.]), 3)
    """

    def __init__(self, counted: CountedSample, *, n_jobs: int | None = None) -> None:
        self.sample = counted
        self.n_jobs = n_jobs
        self._seconds_per_distance = 0.0  # on one core
        self._uncut = (
            0  # the next measurements that stay on one core, because dividing them was slower
        )
        self._pause = 1  # how many measurements stay on one core after the next slow division

    def measure(self, one: int, others: Indices | None = None) -> Distances:
        """Measure the distances from the object at position ``one`` to others.

        Parameters
        ----------
        one : int
            Position of the object in the sample.
        others : ndarray of shape (n,), optional
            Positions of the other objects; all objects by default.

        Returns
        -------
        ndarray of shape (n,)
            The distances; n calls are counted.
        """
        n = len(self.sample) if others is None else len(others)
        if not n:
            return np.empty(0)
        centre = sample.pick(self.sample.prepared, [one])
        targets = (
            self.sample.prepared if others is None else sample.pick(self.sample.prepared, others)
        )
        self.sample.count(n)
        started = time.perf_counter()
        alone = n * self._seconds_per_distance
        if alone < WORTH_CUTTING or self._uncut > 0:
            distances = _whole(self.sample.metric, centre, targets)
            self._learn_speed(n, time.perf_counter() - started)
        else:
            distances = self._in_pieces(centre, targets, n)
            self._learn_whether_pieces_pay(time.perf_counter() - started < alone)
        return distances

    def _in_pieces(self, centre: Any, targets: Any, n: int) -> Distances:
        size = max(1, n // (effective_jobs(self.n_jobs) * PIECES_PER_JOB))
        pieces = [slice(start, start + size) for start in range(0, n, size)]
        work = partial(_piece, self.sample.metric, centre, targets)
        return np.concatenate(
            list(over_chunks(work, pieces, n_jobs=self.n_jobs, how=self.sample.metric.parallel))
        )

    def _learn_speed(self, n: int, seconds: float) -> None:
        """Update the time of one distance after a measurement on one core.

        A short measurement is mostly overhead, so it can only lower the estimate.
        """
        measured = seconds / n
        self._seconds_per_distance = (
            measured if seconds > WORTH_CUTTING / 4 else min(measured, self._seconds_per_distance)
        )
        self._uncut -= 1

    def _learn_whether_pieces_pay(self, faster: bool) -> None:
        """Stay on one core for a while after pieces were slower, twice as long each time."""
        self._pause = 1 if faster else 2 * self._pause
        self._uncut = 0 if faster else self._pause


def _piece(metric: Metric, centre: Any, targets: Any, piece: slice) -> Distances:
    return _whole(metric, centre, sample.pick(targets, piece))


def _whole(metric: Metric, centre: Any, targets: Any) -> Distances:
    return metric.block(centre, targets).reshape(-1)


def distances_from(
    counted: CountedSample, index: int, others: Indices, n_jobs: int | None
) -> Distances:
    """Measure the distances from one object of a sample to others of it, on all cores if that pays.

    Parameters
    ----------
    counted : CountedSample
        The objects; it counts the distances.
    index : int
        Position of the one object.
    others : ndarray of shape (n,)
        Positions of the other objects.
    n_jobs : int or None
        How many cores to use; None for all.

    Returns
    -------
    ndarray of shape (n,)
        The distances.

    Examples
    --------
    >>> distances_from(
    ...     CountedSample(["tea", "tee", "milk"], "levenshtein"), 0, np.array([1, 2]), n_jobs=1
    ... )
    array([1., 4.])
    """
    chunks = [
        others[start : start + CHUNK_OBJECTS] for start in range(0, len(others), CHUNK_OBJECTS)
    ]
    work, how = partial(_measure_chunk, counted, index), counted.metric.parallel
    parts = list(over_chunks(work, chunks, n_jobs=n_jobs, how=how, what="distances"))
    counted.count(sum(calls for _, calls in parts))
    return np.concatenate([part for part, _ in parts]) if parts else np.empty(0)


def _measure_chunk(counted: CountedSample, index: int, others: Indices) -> tuple[Distances, int]:
    own = counted.fork()  # the work may be done in another process, whose count would be lost
    return own.between([index], others)[0], own.calls
