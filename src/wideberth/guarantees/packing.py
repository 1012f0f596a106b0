r"""Covering and packing numbers at all scales, as far as one farthest-first traversal proves them."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from wideberth.arrays import Indices
from wideberth.geometry.shape.nets import farthest_first
from wideberth.metrics.metric import Distances, Metric


@dataclass(frozen=True, eq=False)
class PackingCurve:
    r"""What m = 1, 2, 3... objects of a farthest-first traversal certify.

    They are pairwise at distance >= ``separations[m - 1]``, :math:`\lambda_m`, and every object is within
    ``covering_radii[m - 1]``, :math:`\lambda_{m+1}`, of one of them. Bounds that need the triangle inequality are trivial where
    the metric does not promise it. Lower bounds hold for every space that contains the objects, upper bounds for the objects
    alone: a sample never bounds the numbers of its source from above.
    """

    sizes: Indices
    separations: Distances
    covering_radii: Distances
    n_objects: int
    obeys_triangle: bool | None
    distance_calls: int

    def covering_bounds(self, radius: float) -> tuple[int, int]:
        r"""Bounds of the covering number N(r): the least number of closed balls of this radius that hold all objects.

        m objects with :math:`\lambda_m > 2r` lie in m different balls; m balls are enough where :math:`\lambda_{m+1} \le r`.

        >>> packing_curve([[0.0], [1.0], [10.0], [4.0]], "euclidean").covering_bounds(1.0)
        (3, 3)
        """
        lower = int((self.separations > 2 * radius).sum()) if self.obeys_triangle else 1
        return max(lower, 1), self._first(self.covering_radii <= radius)

    def packing_bounds(self, separation: float) -> tuple[int, int]:
        r"""Bounds of the packing number: the most objects that are pairwise at distance at least ``separation``, s.

        m objects are such a packing where :math:`\lambda_m \ge s`. Where :math:`\lambda_{m+1} < s/2`, m balls hold all objects
        and no ball two objects of a packing.

        >>> packing_curve([[0.0], [1.0], [10.0], [4.0]], "euclidean").packing_bounds(3.0)
        (3, 3)
        """
        upper = self._first(self.covering_radii < separation / 2) if self.obeys_triangle else self.n_objects
        return int((self.separations >= separation).sum()), upper

    def _first(self, holds: np.ndarray[Any, np.dtype[np.bool_]]) -> int:
        return int(self.sizes[holds.argmax()]) if holds.any() else self.n_objects


def packing_curve(
    objects: Any,
    metric: str | Metric | Callable[[Any, Any], float] = "euclidean",
    *,
    count: int | None = None,
    start: int = 0,
    n_jobs: int | None = None,
) -> PackingCurve:
    """Traverse the objects farthest first, ``count`` of them (all by default), and keep what each prefix certifies."""
    walk = farthest_first(objects, metric, count=count, start=start, n_jobs=n_jobs)
    return PackingCurve(
        sizes=np.arange(1, len(walk) + 1),
        separations=walk.insertions,
        covering_radii=np.append(walk.insertions[1:], walk.covering_radius),
        n_objects=walk.n_objects,
        obeys_triangle=walk.obeys_triangle,
        distance_calls=walk.distance_calls,
    )
