"""Covering and packing numbers at all scales, as far as one farthest-first traversal proves
them.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from wideberth.array_types import Indices
from wideberth.geometry.shape.nets import farthest_first
from wideberth.metrics.metric import Distances, Metric


@dataclass(frozen=True, eq=False)
class PackingCurve:
    r"""What the first m = 1, 2, 3... objects of a farthest-first traversal prove.

    They are pairwise at distance >= ``separations[m - 1]``, :math:`\lambda_m`. Every object is
    within ``covering_radii[m - 1]``, :math:`\lambda_{m+1}`, of one of them. Bounds that need the
    triangle inequality are trivial where the metric does not promise it. Lower bounds hold for
    every space that contains the objects, upper bounds for the objects alone: a sample never bounds
    the numbers of its source from above.

    Attributes
    ----------
    sizes : ndarray of shape (m,)
        1, 2, ..., m.
    separations : ndarray of shape (m,)
        The smallest distance among the first objects; infinite for a single one.
    covering_radii : ndarray of shape (m,)
        The largest distance of an object from the nearest of the first ones.
    n_objects : int
        The number of all objects.
    obeys_triangle : bool or None
        The promise of the metric.
    distance_calls : int
        How many distances were measured.
    """

    sizes: Indices
    separations: Distances
    covering_radii: Distances
    n_objects: int
    obeys_triangle: bool | None
    distance_calls: int

    def covering_bounds(self, radius: float) -> tuple[int, int]:
        r"""Bounds of the covering number N(r): the least number of closed balls of this radius that
        hold all objects.

        m objects with :math:`\lambda_m > 2r` lie in m different balls; m balls are enough where
        :math:`\lambda_{m+1} \le r`.

        Parameters
        ----------
        radius : float
            The radius r of the balls.

        Returns
        -------
        lower, upper : int
            The two bounds; the lower one is 1 without the triangle inequality.

        Examples
        --------
        >>> packing_curve([[0.0], [1.0], [10.0], [4.0]], "euclidean").covering_bounds(1.0)
        (3, 3)
        """
        lower = int((self.separations > 2 * radius).sum()) if self.obeys_triangle else 1
        return max(lower, 1), self._first(self.covering_radii <= radius)

    def packing_bounds(self, separation: float) -> tuple[int, int]:
        r"""Bounds of the packing number: the most objects that are pairwise at distance at least
        ``separation``, s.

        m objects are such a packing where :math:`\lambda_m \ge s`. Where :math:`\lambda_{m+1} <
        s/2`, m balls hold all objects, and no ball holds two objects of a packing.

        Parameters
        ----------
        separation : float
            The smallest distance s between two objects of a packing.

        Returns
        -------
        lower, upper : int
            The two bounds; the upper one is the number of objects without the triangle inequality.

        Examples
        --------
        >>> packing_curve([[0.0], [1.0], [10.0], [4.0]], "euclidean").packing_bounds(3.0)
        (3, 3)
        """
        upper = (
            self._first(self.covering_radii < separation / 2)
            if self.obeys_triangle
            else self.n_objects
        )
        return int((self.separations >= separation).sum()), upper

    def _first(self, holds: np.ndarray[Any, np.dtype[np.bool_]]) -> int:
        """The smallest size for which the condition holds; the number of all objects if there is
        none.
        """
        return int(self.sizes[holds.argmax()]) if holds.any() else self.n_objects


def packing_curve(
    objects: Any,
    metric: str | Metric | Callable[[Any, Any], float] = "euclidean",
    *,
    count: int | None = None,
    start: int = 0,
    n_jobs: int | None = None,
) -> PackingCurve:
    """Traverse the objects farthest first and keep what each prefix proves.

    Parameters
    ----------
    objects : sample
        The objects, or a matrix of distances.
    metric : str, Metric or callable
        How far apart they are.
    count : int, optional
        The length of the traversal; all objects by default.
    start : int
        The position of the first object.
    n_jobs : int, optional
        Cores to use; None means all.

    Returns
    -------
    PackingCurve
        The separations and covering radii of all prefixes; count x n distances are measured.

    Examples
    --------
    >>> packing_curve([[0.0], [1.0], [10.0], [4.0]]).covering_radii
    array([10.,  4.,  1.,  0.])
    """
    walk = farthest_first(objects, metric, count=count, start=start, n_jobs=n_jobs)
    return PackingCurve(
        sizes=np.arange(1, len(walk) + 1),
        separations=walk.insertions,
        covering_radii=np.append(walk.insertions[1:], walk.covering_radius),
        n_objects=walk.n_objects,
        obeys_triangle=walk.obeys_triangle,
        distance_calls=walk.distance_calls,
    )


@dataclass(frozen=True, eq=False)
class CoveringNumbers:
    """How many balls cover all objects: at least ``lower`` and at most ``upper`` of radius
    ``scales``.

    Between two scales the upper bound of the smaller one holds. Both bounds are proved for the
    objects; about the source of the objects a sample proves only the lower bounds.

    Attributes
    ----------
    scales : ndarray of shape (m,)
        Radii, decreasing.
    lower, upper : ndarray of shape (m,)
        Bounds of the covering number at each radius.
    """

    scales: Distances
    lower: Indices
    upper: Indices


def covering_numbers(
    objects: Any,
    metric: str | Metric | Callable[[Any, Any], float] = "euclidean",
    *,
    count: int | None = None,
    n_jobs: int | None = None,
) -> CoveringNumbers:
    """Covering numbers of a sample at all scales that one farthest-first traversal reaches.

    m balls round the first m objects cover all others if their radius is the distance of the next
    one; see `packing_curve`.

    Parameters
    ----------
    objects : sample
        The objects, or a matrix of distances.
    metric : str, Metric or callable
        How far apart they are. Without the promise of the triangle inequality, all lower bounds are
        1.
    count : int, optional
        The length of the traversal; all objects by default.
    n_jobs : int, optional
        Cores to use; None means all.

    Returns
    -------
    CoveringNumbers
        Bounds at each scale; count x n distances are measured.

    Examples
    --------
    >>> found = covering_numbers([[0.0], [1.0], [10.0], [4.0]])
    >>> found.scales.tolist(), found.upper.tolist(), found.lower.tolist()
    ([10.0, 4.0, 1.0, 0.0], [1, 2, 3, 4], [1, 2, 3, 4])
    """
    curve = packing_curve(objects, metric, count=count, n_jobs=n_jobs)
    scales, first = np.unique(-curve.covering_radii, return_index=True)
    lower = (
        np.searchsorted(-curve.separations, 2 * scales)
        if curve.obeys_triangle
        else np.ones(len(scales), dtype=np.intp)
    )
    return CoveringNumbers(-scales, np.maximum(lower, 1), curve.sizes[first])
