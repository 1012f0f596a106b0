"""A sample that counts how many of its distances were measured: the price of everything that stands on a metric."""

from collections.abc import Callable
from threading import Lock
from typing import Any, Self

import numpy as np

from wideberth.arrays import Indices
from wideberth.metrics.metric import Distances, Metric
from wideberth.metrics.named import metric as as_metric
from wideberth.objects import sample


class CountedSample:
    """Objects prepared for their metric; ``calls`` is the number of pairs measured so far, by any thread.

    >>> drinks = CountedSample(["tea", "coffee", "milk"], "levenshtein")
    >>> drinks.between([0], [1, 2])
    array([[5., 4.]])
    >>> drinks.calls
    2
    """

    def __init__(self, objects: Any, metric: str | Metric | Callable[[Any, Any], float]) -> None:
        self.metric = as_metric(metric)
        self.prepared = self.metric.prepare(objects)
        self.calls = 0
        self._lock = Lock()

    def __len__(self) -> int:
        return sample.count(self.prepared)

    def block(self, left: Any, right: Indices | slice | None = None) -> Distances:
        """The distances from prepared objects to those of this sample at ``right``, to all of them by default."""
        chosen = self.prepared if right is None else sample.pick(self.prepared, right)
        self.count(sample.count(left) * sample.count(chosen))
        return self.metric.block(left, chosen)

    def between(self, first: Any, second: Any) -> Distances:
        """The distances from the objects at ``first`` to the objects at ``second``, both of this sample."""
        return self.block(sample.pick(self.prepared, np.asarray(first, dtype=np.intp)), np.asarray(second, dtype=np.intp))

    def count(self, calls: int) -> None:
        """Add calls that somebody else made on behalf of this sample."""
        with self._lock:
            self.calls += calls

    def fork(self, chosen: Indices | None = None) -> Self:
        """The same objects, or those ``chosen``, counted anew: what a worker, maybe in another process, measures by itself."""
        twin = object.__new__(type(self))
        twin.metric, twin.calls, twin._lock = self.metric, 0, Lock()
        twin.prepared = self.prepared if chosen is None else sample.pick(self.prepared, chosen)
        return twin

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "_lock"}  # a lock cannot travel

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state, _lock=Lock())
