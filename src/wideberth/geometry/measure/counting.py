"""A sample that counts the distances measured on it: the number of metric calls is the cost of a search."""

from collections.abc import Callable
from threading import Lock
from typing import Any, Self

import numpy as np

from wideberth.array_types import Indices
from wideberth.metrics.metric import Distances, Metric
from wideberth.metrics.named import metric as as_metric
from wideberth.objects import sample


class CountedSample:
    """Objects prepared for their metric, with a count of the distances measured so far.

    Counting is safe when several threads measure at the same time. A copy in another process (pickled) has a count of its own:
    let it report its ``calls`` and add them here by `count`.

    Parameters
    ----------
    objects : sequence of objects
        Any sample that the metric accepts.
    metric : str, Metric or callable
        The name of a metric, a metric, or a Python function of two objects.

    Attributes
    ----------
    metric : Metric
        The metric.
    prepared : sample
        The objects as ``metric.prepare`` returns them.
    calls : int
        How many distances the metric was asked for so far. That of a space may have known some of them.

    Examples
    --------
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
        """Measure the distances from new objects to objects of this sample.

        Parameters
        ----------
        left : prepared sample of n objects
            As ``self.metric.prepare`` returns it.
        right : array of positions or slice, optional
            Which objects of this sample; all of them by default.

        Returns
        -------
        ndarray of shape (n, m)
            The distances; n m calls are counted.
        """
        chosen = self.prepared if right is None else sample.pick(self.prepared, right)
        self.count(sample.count(left) * sample.count(chosen))
        return self.metric.block(left, chosen)

    def between(self, first: Any, second: Any) -> Distances:
        """Measure the distances from objects of this sample to others of it, both given by their positions."""
        return self.block(sample.pick(self.prepared, np.asarray(first, dtype=np.intp)), np.asarray(second, dtype=np.intp))

    def count(self, calls: int) -> None:
        """Add calls of the metric that were made elsewhere on behalf of this sample, for example in another process."""
        with self._lock:
            self.calls += calls

    def fork(self, chosen: Indices | None = None) -> Self:
        """Return the same objects, or those at the positions ``chosen``, with a new count from 0.

        A worker, maybe in another process, measures on such a copy and reports its ``calls``.
        """
        copy = object.__new__(type(self))
        copy.metric, copy.calls, copy._lock = self.metric, 0, Lock()
        copy.prepared = self.prepared if chosen is None else sample.pick(self.prepared, chosen)
        return copy

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "_lock"}  # a lock cannot be pickled

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state, _lock=Lock())
