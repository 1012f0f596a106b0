"""Nested nets at radii that halve, each net point with its parent in the next coarser net.

An r-net is a set of objects that are pairwise at distance r or more, such that every object is
closer than r to one of them.
"""

from dataclasses import dataclass

import numpy as np

from wideberth.array_types import Indices
from wideberth.geometry.shape.nets import Traversal
from wideberth.metrics.metric import Distances


@dataclass(frozen=True, eq=False)
class NetHierarchy:
    """Nets from coarse to fine: level 0 has one object, level i the first ``sizes[i]`` objects of
    ``order``.

    Points of level i are pairwise at distance >= ``radii[i]``, and every object is within
    ``covering_radii[i]`` < ``radii[i]`` of one of them. The radii are 2, 1, 1/2, 1/4... times the
    distance of the first two objects of the order; radii that add no point are left out. ``len`` is
    the number of levels.

    Attributes
    ----------
    order : ndarray of int
        The objects in farthest-first order.
    sizes : ndarray of int, shape (levels,)
        The number of points of each net, increasing.
    radii : ndarray of float, shape (levels,)
        The radius of each net, decreasing.
    covering_radii : ndarray of float, shape (levels,)
        How far the farthest object is from the nearest point of each net.
    """

    order: Indices
    sizes: Indices
    radii: Distances
    covering_radii: Distances
    _parents: Indices
    _parent_distances: Distances

    def __len__(self) -> int:
        return len(self.sizes)

    def net(self, level: int) -> Indices:
        """The positions of the points of one net; those of the coarser nets come first.

        Examples
        --------
        >>> from wideberth.geometry.shape.nets import farthest_first
        >>> net_hierarchy(farthest_first([[0.0], [1.0], [10.0], [4.0]], "euclidean")).net(1)
        array([0, 2])
        """
        return self.order[: self.sizes[level]]

    def parents(self, level: int) -> tuple[Indices, Distances]:
        """For every point of ``net(level)`` the nearest point of the next coarser net, and its
        distance.

        Returns
        -------
        parents : ndarray of int, shape (sizes[level],)
            A point that belongs to the coarser net is its own parent; so is the one point of level
            0.
        distances : ndarray of float, shape (sizes[level],)

        Examples
        --------
        >>> from wideberth.geometry.shape.nets import farthest_first
        >>> net_hierarchy(farthest_first([[0.0], [1.0], [10.0], [4.0]], "euclidean")).parents(
        ...     2
        ... )  # object 3, at 4, is new
        (array([0, 2, 0]), array([0., 0., 4.]))
        """
        parents, distances = self.net(level).copy(), np.zeros(self.sizes[level])
        above = self.sizes[max(level - 1, 0)] if level else 1
        parents[above:] = self._parents[above : self.sizes[level]]
        distances[above:] = self._parent_distances[above : self.sizes[level]]
        return parents, distances


def net_hierarchy(traversal: Traversal) -> NetHierarchy:
    """The hierarchy of nets that a farthest-first traversal contains; no distance is measured.

    Parameters
    ----------
    traversal : Traversal
        Of `wideberth.geometry.shape.nets.farthest_first`. If it ends early, the hierarchy ends with
        its last object.

    Returns
    -------
    NetHierarchy

    Examples
    --------
    >>> from wideberth.geometry.shape.nets import farthest_first
    >>> nets = net_hierarchy(farthest_first([[0.0], [1.0], [10.0], [4.0]], "euclidean"))
    >>> nets.radii, nets.sizes, nets.covering_radii
    (array([20.  , 10.  ,  2.5 ,  0.625]), array([1, 2, 3, 4]), array([10.,  4.,  1.,  0.]))
    >>> nets.net(3), nets.parents(3)[0]
    (array([0, 2, 3, 1]), array([0, 2, 3, 0]))
    """
    insertions = traversal.insertions
    radii, sizes = [], []
    radius = 2 * insertions[1] if len(insertions) > 1 else np.inf
    size = 1
    while True:
        radii.append(radius)
        sizes.append(size)
        if size == len(insertions):
            break
        while insertions[size] < radius:
            radius /= 2
        size = int(np.searchsorted(-insertions, -radius, side="right"))
    covering = np.append(insertions, traversal.covering_radius)[sizes]
    return NetHierarchy(
        traversal.order,
        np.array(sizes),
        np.array(radii),
        covering,
        traversal.parents,
        traversal.parent_distances,
    )
