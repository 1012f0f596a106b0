"""Any Python function of two objects, lifted to blocks."""

from collections.abc import Callable
from typing import Any

import numpy as np

from wideberth.errors import InvalidInput, SlowMetricWarning, warn_user
from wideberth.metrics.metric import Distances, Kind, Metric

#: From so many pairs on, a Python function is worth a warning.
MANY_PAIRS = 10_000


class PairFunction(Metric):
    """A distance given as a Python function of two objects. Right, but slow: one call for each pair.

    It promises nothing unless told. `wideberth.diagnose` looks for what it breaks.

    >>> shortest = PairFunction(lambda one, other: abs(len(one) - len(other)), separates=False)
    >>> shortest.block(["tea", "milk"], ["coffee"])
    array([[3.],
           [2.]])
    """

    parallel = "processes"

    def __init__(
        self,
        function: Callable[[Any, Any], float],
        *,
        name: str | None = None,
        accepts: Kind = "objects",
        obeys_triangle: bool | None = None,
        hilbertian: bool | None = None,
        negative_type: bool | None = None,
        bounded: bool | None = None,
        separates: bool | None = None,
        step: float | None = None,
        unit: str | None = None,
    ) -> None:
        super().__init__(
            function,
            name=name,
            accepts=accepts,
            obeys_triangle=obeys_triangle,
            hilbertian=hilbertian,
            negative_type=negative_type,
            bounded=bounded,
            separates=separates,
            step=step,
            unit=unit,
        )
        self._warned = False

    def _measure(self, left: Any, right: Any) -> Distances:
        if len(left) * len(right) >= MANY_PAIRS and not self._warned:
            self._warned = True
            warn_user(
                f"{self.name!r} is a Python function, called once for each of {len(left) * len(right):,} pairs. "
                "A function of two blocks, wideberth.Metric(function), can be a hundred times faster.",
                SlowMetricWarning,
            )
        out = np.empty((len(left), len(right)))
        for i, one in enumerate(left):
            for j, other in enumerate(right):
                out[i, j] = self._distance(one, other)
        return out

    def _distance(self, one: Any, other: Any) -> float:
        distance = self.function(one, other)
        try:
            return float(distance)
        except (TypeError, ValueError):
            raise InvalidInput(
                f"{self.name!r} returned {distance!r} for {one!r} and {other!r}.",
                advice="A distance is one number. For a function of two blocks use wideberth.Metric(function).",
                witness=(one, other),
                value=distance,
            ) from None
