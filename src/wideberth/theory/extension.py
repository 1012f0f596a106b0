"""Lipschitz extension: from values on some objects to a function on all."""

from typing import Any, NamedTuple

import numpy as np

from wideberth.errors import InvalidInput
from wideberth.geometry.measure.blocks import row_spans, stream
from wideberth.geometry.measure.memory import parse_memory
from wideberth.geometry.search.weighted import WeightedNeighbors
from wideberth.metrics.metric import Distances, Metric
from wideberth.metrics.named import bind
from wideberth.objects import sample
from wideberth.rounding import DISTANCE_ERROR


class Envelope(NamedTuple):
    """The smallest and the largest value that any extension can have."""

    lower: Distances
    upper: Distances


class LipschitzExtension:
    r"""Functions on a whole metric space that agree with given values on a sample and are as steep as the sample allows.

    With L the slope, every L-Lipschitz function with the values :math:`v_j` at the objects :math:`x_j` lies between

    .. math:: f_0(x) = \max_j (v_j - L\, d(x, x_j)), \qquad f_1(x) = \min_j (v_j + L\, d(x, x_j)),

    and :math:`f_\alpha = (1 - \alpha) f_0 + \alpha f_1` is one of them for every alpha in [0, 1] (McShane 1934; Whitney 1934;
    von Luxburg & Bousquet 2004, Lemmas 7 and 8).

    >>> heights = LipschitzExtension([[0.0], [4.0]], [0.0, 2.0], slope=1.0)
    >>> heights.envelope([[1.0]])  # at least 2 - 3, at most 0 + 1
    Envelope(lower=array([-1.]), upper=array([1.]))
    >>> heights([[1.0]], alpha=0.5)
    array([0.])

    Parameters
    ----------
    objects, values : the sample and a value for each of its objects.
    slope : the Lipschitz constant; None takes the smallest one, :math:`\max_{i,j} |v_i - v_j| / d(x_i, x_j)`. Too small a one is
        refused, with the pair that shows it.
    metric : how far apart things are.
    """

    def __init__(
        self,
        objects: Any,
        values: Any,
        slope: float | None = None,
        metric: Any = "euclidean",
        *,
        max_memory: str | int = "2GB",
        n_jobs: int | None = None,
    ) -> None:
        objects, self.metric = bind(objects, metric)
        prepared = self.metric.prepare(objects)
        self.values = np.asarray(values, dtype=np.float64)
        if self.values.shape != (sample.count(prepared),) or not np.isfinite(self.values).all():
            raise InvalidInput(
                f"{sample.count(prepared)} objects need as many finite values; these have shape {self.values.shape}.",
                advice="Pass one number for each object.",
                value=self.values.shape,
            )
        room: dict[str, Any] = {"max_memory": parse_memory(max_memory), "n_jobs": n_jobs}
        self._neighbors = WeightedNeighbors(prepared, self.metric, **room)
        self.slope = _steepest(prepared, self.values, self.metric, room) if slope is None else float(slope)
        self._refuse_too_steep(prepared)

    def envelope(self, X: Any) -> Envelope:
        """The values :math:`f_0` and :math:`f_1` at each object: an interval that holds every extension's value."""
        queries = self.metric.prepare(X)
        lower = -self._neighbors.least(queries, -self.values, self.slope).sums[:, 0]
        return Envelope(lower, self._neighbors.least(queries, self.values, self.slope).sums[:, 0])

    def __call__(self, X: Any, alpha: float = 0.5) -> Distances:
        """The value of :math:`f_\\alpha` at each object."""
        lower, upper = self.envelope(X)
        return (1 - alpha) * lower + alpha * upper

    def _refuse_too_steep(self, prepared: Any) -> None:
        found = self._neighbors.least(prepared, self.values, self.slope)
        excess = self.values - found.sums[:, 0]
        worst = int(excess.argmax())
        if excess[worst] > DISTANCE_ERROR * max(1.0, float(np.abs(self.values).max())):
            other, distance = int(found.indices[worst, 0]), float(found.distances[worst, 0])
            step = abs(self.values[worst] - self.values[other])
            raise InvalidInput(
                f"Objects {worst} and {other}, {distance:.6g} apart, have values {step:.6g} apart: steeper than {self.slope:g}.",
                advice=f"The slope must be {step / distance:.6g} at least." if distance else "Equal objects need equal values.",
                witness=(worst, other),
                value=step,
            )


def _steepest(prepared: Any, values: Distances, metric: Metric, room: dict[str, Any]) -> float:
    """The largest difference of values over distance; equal objects are left to the refusal of what is too steep."""
    n, slope = len(values), 0.0
    for (rows, _), distances in stream(metric, prepared, prepared, row_spans(n, n, room["max_memory"]), **room):
        steps = np.abs(values[rows, None] - values[None, :])
        apart = distances > 0
        slope = max(slope, float(np.max(np.divide(steps, distances, out=np.zeros_like(steps), where=apart), initial=0.0)))
    return slope
