"""Distances from one object to many: over and over, on one core while that is quick, or once, on all of them."""

import time
from functools import partial
from typing import Any

import numpy as np

from wideberth.arrays import Indices
from wideberth.geometry.measure.counting import CountedSample
from wideberth.geometry.measure.parallel import effective_jobs, over_chunks
from wideberth.metrics.metric import Distances, Metric
from wideberth.objects import sample

#: Seconds of work on one core from which it is cut in pieces.
WORTH_CUTTING = 0.01
#: Pieces for every core: more of them waste less time while the last one runs.
PIECES_PER_JOB = 4
#: Objects in a chunk of `distances_from`: of dear distances a fraction of a second, of cheap ones enough to be worth a block.
CHUNK_OBJECTS = 500


class OneToMany:
    """Measure from one object of a sample to others of it, again and again; the sample counts the distances.

    How long a distance takes, and whether cutting the work in pieces pays, is learned from one measurement for the next.

    >>> drinks = OneToMany(CountedSample(["tea", "coffee", "milk"], "levenshtein"))
    >>> drinks.measure(0), drinks.sample.calls
    (array([0., 5., 4.]), 3)
    """

    def __init__(self, counted: CountedSample, *, n_jobs: int | None = None) -> None:
        self.sample = counted
        self.n_jobs = n_jobs
        self._seconds_each = 0.0  # on one core
        self._uncut = 0  # so many measurements stay on one core, because cutting them has not paid
        self._pause = 1

    def measure(self, one: int, others: Indices | None = None) -> Distances:
        """The distances from object ``one`` to the ``others``, to all objects by default."""
        n = len(self.sample) if others is None else len(others)
        if not n:
            return np.empty(0)
        centre = sample.pick(self.sample.prepared, [one])
        targets = self.sample.prepared if others is None else sample.pick(self.sample.prepared, others)
        self.sample.count(n)
        started = time.perf_counter()
        alone = n * self._seconds_each
        if alone < WORTH_CUTTING or self._uncut > 0:
            distances = _whole(self.sample.metric, centre, targets)
            self._learn_speed(n, time.perf_counter() - started)
        else:
            distances = self._in_pieces(centre, targets, n)
            self._learn_whether_it_pays(time.perf_counter() - started < alone)
        return distances

    def _in_pieces(self, centre: Any, targets: Any, n: int) -> Distances:
        size = max(1, n // (effective_jobs(self.n_jobs) * PIECES_PER_JOB))
        pieces = [slice(start, start + size) for start in range(0, n, size)]
        work = partial(_piece, self.sample.metric, centre, targets)
        return np.concatenate(list(over_chunks(work, pieces, n_jobs=self.n_jobs, how=self.sample.metric.parallel)))

    def _learn_speed(self, n: int, seconds: float) -> None:
        """A short measurement is mostly overhead, so it can only lower the time of one distance."""
        each = seconds / n
        self._seconds_each = each if seconds > WORTH_CUTTING / 4 else min(each, self._seconds_each)
        self._uncut -= 1

    def _learn_whether_it_pays(self, faster: bool) -> None:
        """Stay on one core for a while after pieces were slower, twice as long each time."""
        self._pause = 1 if faster else 2 * self._pause
        self._uncut = 0 if faster else self._pause


def _piece(metric: Metric, centre: Any, targets: Any, piece: slice) -> Distances:
    return _whole(metric, centre, sample.pick(targets, piece))


def _whole(metric: Metric, centre: Any, targets: Any) -> Distances:
    return metric.block(centre, targets).reshape(-1)


def distances_from(counted: CountedSample, index: int, others: Indices, n_jobs: int | None) -> Distances:
    """The distances from the object at ``index`` to those at ``others``.

    >>> distances_from(CountedSample(["tea", "tee", "milk"], "levenshtein"), 0, np.array([1, 2]), n_jobs=1)
    array([1., 4.])
    """
    chunks = [others[start : start + CHUNK_OBJECTS] for start in range(0, len(others), CHUNK_OBJECTS)]
    measured = over_chunks(partial(_measure_chunk, counted, index), chunks, n_jobs=n_jobs, how=counted.metric.parallel)
    parts = list(measured)
    counted.count(sum(calls for _, calls in parts))
    return np.concatenate([part for part, _ in parts]) if parts else np.empty(0)


def _measure_chunk(counted: CountedSample, index: int, others: Indices) -> tuple[Distances, int]:
    own = counted.fork()  # the work may be done in another process, whose count would be lost
    return own.between([index], others)[0], own.calls
