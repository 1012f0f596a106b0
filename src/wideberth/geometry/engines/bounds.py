"""Lower bounds of distances from the triangle inequality, and the measuring of what they leave."""

import numpy as np
from numpy.typing import NDArray

from wideberth.errors import InvalidInput
from wideberth.geometry.engines.engine import Asked
from wideberth.geometry.engines.found import Found, Indices
from wideberth.metrics.axioms import ROUNDING
from wideberth.metrics.metric import Distances, Metric


def certain(bounds: Distances, reach: Distances | float, metric: Metric) -> Distances:
    r"""Lower bounds that rounding cannot make wrong.

    ``bounds`` are differences :math:`|d(q, p) - d(x, p)|`, computed; ``reach`` is the largest d(q, p) that went in, and
    d(x, p) is at most ``reach + bounds``. What is checked of a metric allows a relative error of `ROUNDING` in its triangles,
    so that much is taken off. Distances in whole steps bring the bound back up to the next one.

    >>> import wideberth
    >>> certain(np.array([3.0]), np.array([5.0]), wideberth.metric("levenshtein"))
    array([3.])
    >>> bool(certain(np.array([3.0]), np.array([5.0]), wideberth.metric("euclidean")) < 3)
    True
    """
    lowered = bounds * (1 - ROUNDING) - 2 * ROUNDING * reach
    if metric.step is not None and float(metric.step).is_integer():  # only whole numbers are multiplied without rounding
        lowered = np.ceil(lowered / metric.step - ROUNDING) * metric.step
    return np.maximum(lowered, 0)


def farthest_hope(found: Found, reach: Distances) -> Distances:
    """The largest computed bounds, one for each query, that `certain` may bring down to the limit."""
    return (found.limits / found.stretch + 2 * ROUNDING * reach) / (1 - 2 * ROUNDING)


def require_triangle(metric: Metric, engine: str) -> None:
    """Refuse to rule out objects by the triangle inequality where nobody promised it."""
    if metric.obeys_triangle:
        return
    why = "does not obey it" if metric.obeys_triangle is False else "does not say whether it obeys it (obeys_triangle is None)"
    raise InvalidInput(
        f"The engine {engine!r} leaves objects out by the triangle inequality, and {metric.name!r} {why}.",
        advice="Take engine='brute', or 'auto', which does. "
        + (
            "wideberth.repair turns some distances into metrics."
            if metric.obeys_triangle is False
            else "If you can prove it, declare obeys_triangle=True; wideberth.diagnose looks for a counterexample."
        ),
        value=metric.obeys_triangle,
    )


def may_count(found: Found, row: int, indices: Indices, bounds: Distances) -> NDArray[np.bool_]:
    """Whether objects at least ``bounds`` away may still be wanted by a query; see `Found`."""
    stretched, limit = bounds * found.stretch, found.limits[row]
    may: NDArray[np.bool_] = (stretched < limit) | ((stretched == limit) & (indices < found.last_indices[row]))
    return may


def measure_by_bound(asked: Asked, row: int, indices: Indices, bounds: Distances, found: Found) -> None:
    """Measure objects in the order of their lower bounds, in growing batches, until no bound leaves a hope."""
    size = found.first_batch or len(indices)
    while True:
        hopeful = may_count(found, row, indices, bounds)
        indices, bounds = indices[hopeful], bounds[hopeful]
        if len(indices) <= size:
            break
        order = np.argpartition(bounds, size - 1)
        _measure(asked, row, indices[order[:size]], found)
        indices, bounds = indices[order[size:]], bounds[order[size:]]
        size *= 2
    if len(indices):
        _measure(asked, row, indices, found)


def _measure(asked: Asked, row: int, indices: Indices, found: Found) -> None:
    found.offer_row(row, indices, asked.distances(slice(row, row + 1), indices)[0])
