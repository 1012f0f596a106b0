"""Objects that stand for a sample: nets, whose points are far from each other and near to all other
objects, and objects that are evenly spread; and the typical distance.

A set N is an *r-net* of the objects if its points are pairwise at distance >= r (a packing) and
every object is at distance < r from one of them (a covering).
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from wideberth.array_types import Floats, Indices, Objects
from wideberth.errors import InvalidInput
from wideberth.geometry.measure.blocks import CountedSample, OneToMany
from wideberth.geometry.shape.kernels import beyond, cell_radii
from wideberth.metrics.metric import Distances, Metric
from wideberth.metrics.named import bind
from wideberth.progress import doing
from wideberth.rounding import DISTANCE_ERROR
from wideberth.wording import at

#: An object is skipped only if the triangle inequality excludes it by more than this relative
#: amount, so that rounding errors never change a net.
SLACK = DISTANCE_ERROR


@dataclass(frozen=True, eq=False)
class Net:
    """An r-net: objects pairwise at distance >= ``radius``, such that every object is nearer than
    ``radius`` to one of them.
    """

    #: The radius r.
    radius: float
    #: The objects of the net, shape (m,).
    indices: Indices
    #: For every object the index of a net point nearer than ``radius``; a net point owns itself,
    #: shape (n,).
    owner: Indices
    #: The distance of every object to its owner, shape (n,).
    distances: Distances
    #: How many distances were measured.
    distance_calls: int

    def __len__(self) -> int:
        return len(self.indices)


@dataclass(frozen=True, eq=False)
class Traversal:
    r"""Objects in farthest-first order, whose prefixes are nets at all scales.

    ``insertions[m]`` is :math:`\lambda_{m+1}`, the distance of ``order[m]`` from the objects before
    it. It never increases, so the first m objects are pairwise at distance :math:`\ge \lambda_m`,
    and every object is within :math:`\lambda_{m+1}` of one of them.
    """

    #: Indices of the objects, in the order of the traversal, shape (m,).
    order: Indices
    #: The distance of each of them from those before it; infinite for the first, shape (m,).
    insertions: Distances
    #: For every object the index of the nearest object of the order; among equally near ones, the
    #: first in the order, shape (n,).
    owner: Indices
    #: The distance of every object to its owner, shape (n,).
    distances: Distances
    #: ``parents``, ``parent_distances``: the owner of ``order[m]`` in the next coarser net of the
    #: hierarchy (see `wideberth.papers.net_hierarchy`), and how far away it is. Shape (m,).
    parents: Indices
    parent_distances: Distances
    #: How many distances were measured.
    distance_calls: int
    #: Whether the metric promises the triangle inequality; None if that is not known.
    obeys_triangle: bool | None

    def __len__(self) -> int:
        return len(self.order)

    @property
    def n_objects(self) -> int:
        """The number of objects in the sample, whether they are in the order or not."""
        return len(self.owner)

    @property
    def covering_radius(self) -> float:
        """The largest distance of an object from the order; 0 after a complete traversal."""
        return float(self.distances.max())

    def net(self, radius: float) -> Indices:
        """Return the r-net for a radius: the longest prefix of the order whose objects are pairwise
        at distance >= ``radius``.

        A radius at which the traversal does not cover the sample yet is an `InvalidInput`.

        Examples
        --------
        >>> walk = farthest_first([[0.0], [1.0], [10.0], [4.0]], "euclidean")
        >>> walk.net(3.0), walk.net(5.0)
        (array([0, 2, 3]), array([0, 2]))
        """
        if not radius > 0 or radius <= self.covering_radius:
            raise InvalidInput(
                f"The traversal of {len(self)} objects has nets for radii above "
                f"{self.covering_radius:g}, not for {radius!r}.",
                advice="Traverse more objects, or use a larger radius.",
                value=radius,
            )
        return self.order[: int(np.searchsorted(-self.insertions, -radius, side="right"))]


@doing("net")
def farthest_first(
    objects: Objects,
    metric: str | Metric | Callable[[Any, Any], float] = "euclidean",
    *,
    count: int | None = None,
    radius: float = 0.0,
    start: int = 0,
    n_jobs: int | None = None,
) -> Traversal:
    """Order the objects so that each one is as far as possible from those before it (Gonzalez
    1985).

    Ties go to the smallest index; an object equal to an earlier one never joins. It measures at
    most n distances for each object of the order, in O(n) memory. If the metric obeys the triangle
    inequality, objects that cannot change their owner are not measured.

    It begins at ``start`` and stops after ``count`` objects, or when every object is nearer than
    ``radius`` to an object of the order.

    Examples
    --------
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


@doing("net")
def greedy_net(
    objects: Objects,
    metric: str | Metric | Callable[[Any, Any], float] = "euclidean",
    radius: float = 1.0,
    *,
    n_jobs: int | None = None,
) -> Net:
    """Build the r-net that takes objects in their given order: one joins if no earlier net point is
    nearer than ``radius``.

    The owner of an object is the first net point nearer than ``radius``. It measures at most n
    distances for each net point.

    Examples
    --------
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
    one_to_many = OneToMany(CountedSample(objects, measure), n_jobs=n_jobs)
    n = len(one_to_many.sample)
    owner, distances = np.arange(n), np.zeros(n)
    uncovered, joined = np.arange(n), []
    while len(uncovered):
        newcomer, uncovered = int(uncovered[0]), uncovered[1:]
        gaps = one_to_many.measure(newcomer, uncovered)
        near = gaps < radius
        owner[uncovered[near]], distances[uncovered[near]] = newcomer, gaps[near]
        uncovered = uncovered[~near]
        joined.append(newcomer)
    return Net(radius, np.array(joined, dtype=np.intp), owner, distances, one_to_many.sample.calls)


class Walk:
    """A traversal in progress, farthest first or in any other order.

    ``owner`` holds positions in the order, not indices of objects. With ``prune`` the triangle
    inequality saves distances.
    """

    def __init__(self, one_to_many: OneToMany, *, prune: bool) -> None:
        n = len(one_to_many.sample)
        self.one_to_many = one_to_many
        self.prune = prune
        self.order = np.empty(n, dtype=np.intp)
        self.size = 0
        self.insertions: list[float] = []
        self.parents: list[int] = []
        self.parent_distances: list[float] = []
        self.nearest = np.full(n, np.inf)
        self.owner = np.zeros(n, dtype=np.intp)
        self._level_radius = np.inf  # radius of the net that is being built
        # owners in the finished net one level above, and distances to them
        self._coarser = (self.owner, self.nearest)
        # pruning is tried again once the order has this size; the first object has no owners to
        # compare
        self._resume = 1

    def add(self, newcomer: int) -> Indices:
        """Append an object to the order, and make it the owner of all objects that are nearer to it
        than to their owner.
        """
        self._record_parent(newcomer)
        candidates = (
            self._candidates(newcomer) if self.prune and self.size >= self._resume else None
        )
        gaps = self.one_to_many.measure(newcomer, candidates)
        closer = gaps < (self.nearest if candidates is None else self.nearest[candidates])
        moved = np.flatnonzero(closer) if candidates is None else candidates[closer]
        self.nearest[moved], self.owner[moved] = gaps[closer], self.size
        self.order[self.size] = newcomer
        self.size += 1
        return moved

    def _record_parent(self, newcomer: int) -> None:
        """Store the owner of the newcomer in the next coarser net.

        The radii of the nets halve from level to level; the largest is twice the distance of the
        second object from the first.
        """
        insertion = float(self.nearest[newcomer])
        if not self.size:
            parent, distance = newcomer, 0.0
        else:
            # the net of this radius is complete; the next one is finer
            if insertion < self._level_radius:
                self._coarser = (self.owner.copy(), self.nearest.copy())
                while insertion < self._level_radius:
                    self._level_radius = (
                        insertion if np.isinf(self._level_radius) else self._level_radius / 2
                    )
            owner, nearest = self._coarser
            parent, distance = int(self.order[owner[newcomer]]), float(nearest[newcomer])
        self.insertions.append(insertion)
        self.parents.append(parent)
        self.parent_distances.append(distance)

    def _candidates(self, newcomer: int) -> Indices | None:
        """Find the objects that may be nearer to the newcomer c than to their owner o.

        d(x, c) >= d(c, o) - d(x, o), so x keeps its owner if d(x, o) <= d(c, o) / 2. Every d(c, o)
        is at least the distance of c from the order, so owners of small cells need not be measured.
        If this saves hardly anything, it is paused until the order has doubled.
        """
        radii = cell_radii(self.nearest, self.owner, self.size)
        wide = np.flatnonzero(radii > self.nearest[newcomer] * (0.5 - SLACK))
        limits = np.full(self.size, np.inf)
        limits[wide] = self.one_to_many.measure(newcomer, self.order[wide]) * (0.5 - SLACK)
        candidates = beyond(self.nearest, self.owner, limits)
        if len(wide) + len(candidates) > 0.9 * len(self.owner):
            self._resume = 2 * self.size
        return candidates


def _check_start(n: int, count: int | None, radius: float, start: int) -> None:
    """Refuse an empty sample, a start outside of it, and stopping rules that make no sense."""
    if n == 0:
        raise InvalidInput(
            "There is nothing to traverse: no objects.", advice="Pass at least one object.", value=n
        )
    if not 0 <= start < n:
        raise InvalidInput(
            f"{at('Object', start)} is not one of the {n} objects.",
            advice="Start at 0.",
            value=start,
        )
    if not radius >= 0 or (count is not None and count < 1):
        raise InvalidInput(
            f"A traversal to radius {radius!r} with {count!r} objects is impossible.",
            advice="The radius is at least 0 and the count at least 1.",
            value=(radius, count),
        )


# ---- The typical distance of a sample, as a unit for widths and coefficients


def evenly_spread(count: int, most: int) -> Indices:
    """Choose at most ``most`` of ``count`` positions at even distances, the first and the last
    among them.

    The choice is deterministic: the same sample in the same order gives the same positions.

    Examples
    --------
    >>> evenly_spread(2, 3), evenly_spread(9, 3)
    (array([0, 1]), array([0, 4, 8]))
    """
    return (
        np.arange(count)
        if count <= most
        else np.linspace(0, count - 1, most).round().astype(np.intp)
    )


def median_distance(distances: Floats) -> float:
    """Compute the median of the positive finite distances.

    Distances of 0, as between an object and itself, and missing or infinite ones do not count.

    1 if no distance is positive and finite, so that it can always be divided by.

    Examples
    --------
    >>> median_distance(np.array([[0.0, 3.0], [3.0, 0.0]]))
    3.0
    """
    positive = distances[(distances > 0) & np.isfinite(distances)]
    return float(np.median(positive)) if len(positive) else 1.0
