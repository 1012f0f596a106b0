r"""Nets: few objects that are far from each other and near to all others.

A set N is an *r-net* of the objects if its points are pairwise at distance >= r (a packing) and every object is at distance < r
from one of them (a covering).
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from wideberth.arrays import Indices
from wideberth.errors import InvalidInput
from wideberth.geometry.measure.counting import CountedSample
from wideberth.geometry.measure.one_to_many import OneToMany
from wideberth.geometry.shape.kernels import beyond, cell_radii
from wideberth.metrics.metric import Distances, Metric
from wideberth.metrics.named import bind
from wideberth.rounding import DISTANCE_ERROR

#: Objects are left out only where the triangle inequality decides by more than this share: rounding never changes a net.
SLACK = DISTANCE_ERROR


@dataclass(frozen=True, eq=False)
class Net:
    """An r-net: its ``indices``, and for every object its ``owner``, a net point nearer than ``radius``, and how far it is."""

    radius: float
    indices: Indices
    owner: Indices
    distances: Distances
    distance_calls: int

    def __len__(self) -> int:
        return len(self.indices)


@dataclass(frozen=True, eq=False)
class Traversal:
    r"""Objects in farthest-first order: nets at all scales at once.

    ``insertions[m]`` is :math:`\lambda_{m+1}`, the distance of ``order[m]`` from the objects before it, infinite for the first;
    it never grows. So the first m objects are pairwise at distance :math:`\ge \lambda_m`, and every object is within
    :math:`\lambda_{m+1}` of one of them.

    ``owner`` is the nearest object of the order for every object (the first in the order among equally near ones),
    ``distances`` how far it is. ``parents[m]`` is what owned ``order[m]`` in the coarser net of the hierarchy (see
    `wideberth.theory.net_hierarchy`), ``parent_distances[m]`` how far it was.
    """

    order: Indices
    insertions: Distances
    owner: Indices
    distances: Distances
    parents: Indices
    parent_distances: Distances
    distance_calls: int
    obeys_triangle: bool | None

    def __len__(self) -> int:
        return len(self.order)

    @property
    def n_objects(self) -> int:
        """How many objects were traversed or owned."""
        return len(self.owner)

    @property
    def covering_radius(self) -> float:
        """How far the farthest object is from the order; 0 after a complete traversal."""
        return float(self.distances.max())

    def net(self, radius: float) -> Indices:
        """The net of this radius: as many objects of the order as are pairwise at distance >= ``radius``.

        >>> walk = farthest_first([[0.0], [1.0], [10.0], [4.0]], "euclidean")
        >>> walk.net(3.0), walk.net(5.0)
        (array([0, 2, 3]), array([0, 2]))
        """
        if not radius > 0 or radius <= self.covering_radius:
            raise InvalidInput(
                f"The traversal of {len(self)} objects has nets for radii above {self.covering_radius:g}, not for {radius!r}.",
                advice="Traverse more objects, or ask for a larger radius.",
                value=radius,
            )
        return self.order[: int(np.searchsorted(-self.insertions, -radius, side="right"))]


def farthest_first(
    objects: Any,
    metric: str | Metric | Callable[[Any, Any], float] = "euclidean",
    *,
    count: int | None = None,
    radius: float = 0.0,
    start: int = 0,
    n_jobs: int | None = None,
) -> Traversal:
    """Order the objects so that each one is as far as possible from those before it (Gonzalez 1985).

    Stops after ``count`` objects, or when every object is nearer than ``radius`` to one of them; equal objects never join. Ties
    go to the smallest index. At most n distances for each object of the order, in O(n) memory; where the metric obeys the
    triangle inequality, objects that cannot change their owner are not measured.

    >>> walk = farthest_first([[0.0], [1.0], [10.0], [4.0]], "euclidean")
    >>> walk.order, walk.insertions
    (array([0, 2, 3, 1]), array([inf, 10.,  4.,  1.]))
    """
    objects, measure = bind(objects, metric)
    counted = CountedSample(objects, measure)
    n = len(counted)
    _check_start(n, count, radius, start)
    walk = Walk(OneToMany(counted, n_jobs=n_jobs), prune=measure.obeys_triangle is True)
    walk.add(start)
    for _ in range((n if count is None else min(count, n)) - 1):
        farthest = int(walk.nearest.argmax())
        if walk.nearest[farthest] <= 0 or walk.nearest[farthest] < radius:
            break
        walk.add(farthest)
    order = walk.order[: walk.size].copy()
    return Traversal(
        order=order,
        insertions=np.array(walk.insertions),
        owner=order[walk.owner],
        distances=walk.nearest,
        parents=np.array(walk.parents, dtype=np.intp),
        parent_distances=np.array(walk.parent_distances),
        distance_calls=counted.calls,
        obeys_triangle=measure.obeys_triangle,
    )


def greedy_net(
    objects: Any,
    metric: str | Metric | Callable[[Any, Any], float] = "euclidean",
    radius: float = 1.0,
    *,
    n_jobs: int | None = None,
) -> Net:
    """The net that takes the objects in their order: one joins if no earlier net point is nearer than ``radius``.

    The owner of an object is the first net point that is near enough.

    >>> net = greedy_net([[0.0], [1.0], [10.0], [4.0]], "euclidean", radius=2.0)
    >>> net.indices, net.owner
    (array([0, 2, 3]), array([0, 0, 2, 3]))
    """
    if not radius > 0:
        raise InvalidInput(
            f"A net needs a radius above 0, not {radius!r}.",
            advice="Below the smallest distance every object joins.",
            value=radius,
        )
    objects, measure = bind(objects, metric)
    rays = OneToMany(CountedSample(objects, measure), n_jobs=n_jobs)
    n = len(rays.sample)
    owner, distances = np.arange(n), np.zeros(n)
    waiting, joined = np.arange(n), []
    while len(waiting):
        newcomer, waiting = int(waiting[0]), waiting[1:]
        gaps = rays.measure(newcomer, waiting)
        near = gaps < radius
        owner[waiting[near]], distances[waiting[near]] = newcomer, gaps[near]
        waiting = waiting[~near]
        joined.append(newcomer)
    return Net(radius, np.array(joined, dtype=np.intp), owner, distances, rays.sample.calls)


class Walk:
    """A traversal under way, farthest first or in any order; ``owner`` counts in the order, not in the objects."""

    def __init__(self, rays: OneToMany, *, prune: bool) -> None:
        n = len(rays.sample)
        self.rays = rays
        self.prune = prune
        self.order = np.empty(n, dtype=np.intp)
        self.size = 0
        self.insertions: list[float] = []
        self.parents: list[int] = []
        self.parent_distances: list[float] = []
        self.nearest = np.full(n, np.inf)
        self.owner = np.zeros(n, dtype=np.intp)
        self._level_radius = np.inf  # of the net that is being filled
        self._coarser = (self.owner, self.nearest)  # owners in the complete net one level above, and the distances to them
        self._resume = 1  # from this size on owners are compared; at first there are none

    def add(self, newcomer: int) -> Indices:
        """Take one more object into the order and give it the objects that are nearer to it than to their owner: these."""
        self._note_parent(newcomer)
        touched = self._touched(newcomer) if self.prune and self.size >= self._resume else None
        gaps = self.rays.measure(newcomer, touched)
        closer = gaps < (self.nearest if touched is None else self.nearest[touched])
        moved = np.flatnonzero(closer) if touched is None else touched[closer]
        self.nearest[moved], self.owner[moved] = gaps[closer], self.size
        self.order[self.size] = newcomer
        self.size += 1
        return moved

    def _note_parent(self, newcomer: int) -> None:
        """Remember who owns the newcomer in the coarser net. Radii halve, from twice the distance of the second object on."""
        insertion = float(self.nearest[newcomer])
        if not self.size:
            parent, distance = newcomer, 0.0
        else:
            if insertion < self._level_radius:  # the net of the level radius is complete, a finer one begins
                self._coarser = (self.owner.copy(), self.nearest.copy())
                while insertion < self._level_radius:
                    self._level_radius = insertion if np.isinf(self._level_radius) else self._level_radius / 2
            owner, nearest = self._coarser
            parent, distance = int(self.order[owner[newcomer]]), float(nearest[newcomer])
        self.insertions.append(insertion)
        self.parents.append(parent)
        self.parent_distances.append(distance)

    def _touched(self, newcomer: int) -> Indices | None:
        """The objects that may be nearer to the newcomer c than to their owner o; None for all of them.

        d(x, c) >= d(c, o) - d(x, o), so x stays where d(x, o) <= d(c, o) / 2. Every d(c, o) is at least the distance of c from
        the order, so owners of small cells need not be measured. Where this saves nothing it pauses as long as it has run.
        """
        radii = cell_radii(self.nearest, self.owner, self.size)
        wide = np.flatnonzero(radii > self.nearest[newcomer] * (0.5 - SLACK))
        limits = np.full(self.size, np.inf)
        limits[wide] = self.rays.measure(newcomer, self.order[wide]) * (0.5 - SLACK)
        touched = beyond(self.nearest, self.owner, limits)
        if len(wide) + len(touched) > 0.9 * len(self.owner):
            self._resume = 2 * self.size
        return touched


def _check_start(n: int, count: int | None, radius: float, start: int) -> None:
    if n == 0:
        raise InvalidInput("There is nothing to traverse: no objects.", advice="Pass at least one object.", value=n)
    if not 0 <= start < n:
        raise InvalidInput(f"Object {start!r} is not one of the {n} objects.", advice="Start at 0.", value=start)
    if not radius >= 0 or (count is not None and count < 1):
        raise InvalidInput(
            f"A traversal to radius {radius!r} with {count!r} objects cannot be.",
            advice="The radius is at least 0 and the count at least 1.",
            value=(radius, count),
        )
