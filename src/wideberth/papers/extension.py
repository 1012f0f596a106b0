"""Lipschitz extension: functions on a whole metric space from values on some objects.

In every metric space, a function on a subset extends to the whole space without becoming steeper
(McShane 1934; Whitney 1934). This is why a Lipschitz classifier can be learned from its values on
the sample alone.
"""

from functools import partial
from typing import Any, NamedTuple

import numpy as np

from wideberth.errors import InvalidInput
from wideberth.geometry.measure.blocks import parse_memory, reduced_blocks, row_spans
from wideberth.geometry.search.weighted import WeightedNeighbors
from wideberth.metrics.metric import Distances, Metric
from wideberth.metrics.named import bind
from wideberth.objects import sample
from wideberth.rounding import DISTANCE_ERROR


class Envelope(NamedTuple):
    """The smallest and the largest value that an extension can have at each query.

    Attributes
    ----------
    lower, upper : ndarray of shape (n_queries,)
    """

    lower: Distances
    upper: Distances


class LipschitzExtension:
    r"""Lipschitz functions on a whole metric space that have given values on a sample.

    With L the slope, every L-Lipschitz function with the values :math:`v_j` at the objects
    :math:`x_j` lies between

    .. math:: f_0(x) = \max_j (v_j - L\, d(x, x_j)), \qquad f_1(x) = \min_j (v_j + L\, d(x, x_j)),

    and :math:`f_\alpha = (1 - \alpha) f_0 + \alpha f_1` is one of them for every alpha in [0, 1]
    (McShane 1934; Whitney 1934; von Luxburg & Bousquet 2004, Lemmas 7 and 8).

    Parameters
    ----------
    objects : sequence of objects, or array
        The sample.
    values : array-like of float, shape (n,)
        The value at each object, finite.
    slope : float, optional
        The Lipschitz constant L. None takes the smallest possible one, :math:`\max_{i,j} |v_i -
        v_j| / d(x_i, x_j)`, for which all n^2 distances are measured.
    metric : str, Metric or callable
        A metric; the triangle inequality is not tested.
    max_memory : str or int
        Memory for blocks of distances.
    n_jobs : int, optional
        How many cores measure distances; all by default.

    Attributes
    ----------
    slope : float
        The Lipschitz constant that is used.
    values : ndarray of shape (n,)
    metric : Metric

    Raises
    ------
    wideberth.errors.InvalidInput
        If the values have the wrong shape, or no function of this slope has them; the error has the
        pair that shows it.

    Examples
    --------
    >>> heights = LipschitzExtension([[0.0], [4.0]], [0.0, 2.0], slope=1.0)
    >>> heights.envelope([[1.0]])  # at least 2 - 3, at most 0 + 1
    Envelope(lower=array([-1.]), upper=array([1.]))
    >>> heights([[1.0]], alpha=0.5)
    array([0.])
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
                f"{sample.count(prepared)} objects need as many finite values; these have shape "
                f"{self.values.shape}.",
                advice="Pass one number for each object.",
                value=self.values.shape,
            )
        limits: dict[str, Any] = {"max_memory": parse_memory(max_memory), "n_jobs": n_jobs}
        self._neighbors = WeightedNeighbors(prepared, self.metric, **limits)
        self.slope = (
            _steepest(prepared, self.values, self.metric, limits) if slope is None else float(slope)
        )
        self._refuse_too_steep(prepared)

    def envelope(self, X: Any) -> Envelope:
        """The values :math:`f_0` and :math:`f_1` at each query: the interval of the values that
        extensions can have there.

        Parameters
        ----------
        X : sequence of objects, or array

        Returns
        -------
        Envelope

        Examples
        --------
        >>> LipschitzExtension(["tea", "coffee"], [0.0, 4.0], 1.0, metric="levenshtein").envelope(
        ...     ["toffee"]
        ... )  # 4 and 1 edits
        Envelope(lower=array([3.]), upper=array([4.]))
        """
        queries = self.metric.prepare(X)
        lower = -self._neighbors.least(queries, -self.values, self.slope).sums[:, 0]
        return Envelope(lower, self._neighbors.least(queries, self.values, self.slope).sums[:, 0])

    def __call__(self, X: Any, alpha: float = 0.5) -> Distances:
        r"""The value of :math:`f_\alpha` at each query.

        Examples
        --------
        >>> # the smallest slope leaves no choice in between
        >>> LipschitzExtension([[0.0], [4.0]], [0.0, 2.0])([[1.0]])
        array([0.5])
        """
        lower, upper = self.envelope(X)
        return (1 - alpha) * lower + alpha * upper

    def _refuse_too_steep(self, prepared: Any) -> None:
        """Raise an error if the values of two objects differ by more than the slope times their
        distance.
        """
        found = self._neighbors.least(prepared, self.values, self.slope)
        excess = self.values - found.sums[:, 0]
        worst = int(excess.argmax())
        if excess[worst] > DISTANCE_ERROR * max(1.0, float(np.abs(self.values).max())):
            other, distance = int(found.indices[worst, 0]), float(found.distances[worst, 0])
            step = abs(self.values[worst] - self.values[other])
            raise InvalidInput(
                f"Objects {worst} and {other}, {distance:.6g} apart, have values {step:.6g} apart: "
                f"steeper than {self.slope:g}.",
                advice=f"The slope must be {step / distance:.6g} at least."
                if distance
                else "Equal objects need equal values.",
                witness=(worst, other),
                value=step,
            )


def _steepest(prepared: Any, values: Distances, metric: Metric, limits: dict[str, Any]) -> float:
    """The largest quotient of a difference of values and a distance.

    Pairs at distance 0 are left out here; `_refuse_too_steep` finds those with different values.
    """
    n = len(values)
    find, spans = partial(_steepest_of_block, values), row_spans(n, n, limits["max_memory"])
    slopes = reduced_blocks(find, metric, prepared, prepared, spans, n_jobs=limits["n_jobs"])
    return max((slope for _, slope in slopes), default=0.0)


def _steepest_of_block(values: Distances, rows: slice, distances: Distances) -> float:
    steps = np.abs(values[rows, None] - values[None, :])
    return float(
        np.max(
            np.divide(steps, distances, out=np.zeros_like(steps), where=distances > 0), initial=0.0
        )
    )
