"""Nested nets at radii that halve, each net point with its parent in the next coarser net."""

from dataclasses import dataclass

import numpy as np

from wideberth.arrays import Indices
from wideberth.geometry.shape.nets import Traversal
from wideberth.metrics.metric import Distances


@dataclass(frozen=True, eq=False)
class NetHierarchy:
    """Nets from coarse to fine. Level 0 holds one object; level i the first ``sizes[i]`` objects of ``order``.

    Points of level i are pairwise at distance >= ``radii[i]``, and every object is within ``covering_radii[i]`` < ``radii[i]`` of
    one of them. The radii are 2, 1, 1/2, 1/4... times the distance of the first two objects of the order; those that add no
    point are left out.
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
        """The objects of one level; those of the coarser levels come first."""
        return self.order[: self.sizes[level]]

    def parents(self, level: int) -> tuple[Indices, Distances]:
        """For every object of `net` at this level the nearest one a level above (itself if it is there), and how far it is."""
        parents, distances = self.net(level).copy(), np.zeros(self.sizes[level])
        above = self.sizes[max(level - 1, 0)] if level else 1
        parents[above:] = self._parents[above : self.sizes[level]]
        distances[above:] = self._parent_distances[above : self.sizes[level]]
        return parents, distances


def net_hierarchy(traversal: Traversal) -> NetHierarchy:
    """The hierarchy of nets in a farthest-first traversal; it measures nothing more.

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
        traversal.order, np.array(sizes), np.array(radii), covering, traversal.parents, traversal.parent_distances
    )
