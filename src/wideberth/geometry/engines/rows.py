"""The distances from one object to many, on all cores."""

from functools import partial

import numpy as np

from wideberth.geometry.counting import CountedSample
from wideberth.geometry.engines.found import Indices
from wideberth.geometry.parallel import over_chunks
from wideberth.metrics.metric import Distances

#: Objects in a chunk: of dear distances a fraction of a second, of cheap ones enough to be worth a block.
CHUNK_OBJECTS = 500


def distances_from(counted: CountedSample, index: int, others: Indices, n_jobs: int | None) -> Distances:
    """The distances from the object at ``index`` to those at ``others``.

    >>> distances_from(CountedSample(["tea", "tee", "milk"], "levenshtein"), 0, np.array([1, 2]), n_jobs=1)
    array([1., 4.])
    """
    chunks = [others[start : start + CHUNK_OBJECTS] for start in range(0, len(others), CHUNK_OBJECTS)]
    measured = over_chunks(partial(_measure, counted, index), chunks, n_jobs=n_jobs, how=counted.metric.parallel)
    parts = list(measured)
    counted.count(sum(calls for _, calls in parts))
    return np.concatenate([part for part, _ in parts]) if parts else np.empty(0)


def _measure(counted: CountedSample, index: int, others: Indices) -> tuple[Distances, int]:
    own = counted.fork()  # the work may be done in another process, whose count would be lost
    return own.between([index], others)[0], own.calls
