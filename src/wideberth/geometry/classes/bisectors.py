r"""How far a point may move in Euclidean space before its nearest neighbour is of another class.

A point is closer to p than to q beyond the bisector of the two, a plane; a move that gives x a nearest neighbour of another class
crosses, for some *enemy* p, its bisectors with all *friends* q, the points of the class that x has now.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.optimize import nnls
from scipy.spatial import cKDTree

from wideberth.arrays import Floats, Indices
from wideberth.geometry.classes.kernels import LEAD_ROUNDING, bisector_distances
from wideberth.geometry.search.index import Index
from wideberth.rounding import DISTANCE_ERROR

#: Friends whose bisectors are looked at, those nearest to x; fewer friends give a smaller radius, which holds all the more.
FRIENDS = 48
#: Enemies that are looked at first; four times as many as long as one farther off could be the first to be met.
FIRST_ENEMIES = 16
#: Enemies looked at for a radius that need not be exact: those beyond are as far off as their distance proves.
MOST_ENEMIES = 1024
#: Enemies found at a time, for all queries together.
ROOM = 2**22


@dataclass(frozen=True, eq=False)
class LabelledPoints:
    """Points with the codes of their classes, and an index that knows both."""

    points: Floats
    codes: Indices
    index: Index

    @cached_property
    def of_class(self) -> dict[int, tuple[Floats, cKDTree]]:
        """The points of each class, and a tree of them."""
        parts = {int(code): self.points[self.codes == code] for code in np.unique(self.codes)}
        return {code: (part, cKDTree(part)) for code, part in parts.items()}


def bisector_radii(labelled: LabelledPoints, queries: Floats) -> Floats:
    r"""Within this distance of each query the nearest point keeps its class; infinite if there is one class only.

    .. math:: r(x) = \min_{p\ \text{enemy}}\ \max_{q\ \text{friend}} \frac{\|x - p\|^2 - \|x - q\|^2}{2\,\|p - q\|},

    the distance of the nearest enemy's last bisector, over the `FRIENDS` friends nearest to x. At least half the lead of the
    nearest friend over the nearest enemy, which is the radius in any metric space, and at most the `exact_radii` (Wang, Liu, Yi,
    Zhou & Hsieh, "Evaluating the robustness of nearest neighbor classifiers: a primal-dual perspective", 2019). It is close to
    these (97 % on digits) unless points are so dense that the friends nearest to x do not reach the boundary (75 % among 10,000
    points of two moons).

    >>> points = np.array([[0.0, 0.0], [4.0, 0.0]])
    >>> labelled = LabelledPoints(points, np.array([0, 1]), Index(points, labels=[0, 1]))
    >>> bisector_radii(labelled, np.array([[0.0, 3.0]])).round(6)  # half the lead of 3 over 5 would be 1
    array([2.])
    """
    around = _Around(labelled, queries)
    for asking, _, distances in around.rounds(MOST_ENEMIES):
        around.radii[asking] = np.minimum(around.radii[asking], distances.min(axis=1))
    return around.proved()


def exact_radii(labelled: LabelledPoints, queries: Floats) -> Floats:
    r"""The distance from each query to the nearest place where an enemy is as near as all friends; infinite if there is none.

    For an enemy p it is the length of the shortest z with :math:`2 (p - q) \cdot (x + z) \ge \|p\|^2 - \|q\|^2` for all friends
    q, a problem of least distance, solved as one of nonnegative least squares (Lawson & Hanson 1974, chapter 23). Friends come in
    only when a solution is nearer to them than to the enemy, and enemies only while their bisectors are near enough. The value is
    that of the dual problem, which no solution can be below, however far it was solved.

    >>> points = np.array([[0.0, 0.0], [4.0, 0.0]])
    >>> labelled = LabelledPoints(points, np.array([0, 1]), Index(points, labels=[0, 1]))
    >>> exact_radii(labelled, np.array([[0.0, 3.0]])).round(6)
    array([2.])
    """
    around = _Around(labelled, queries)
    for asking, enemies, distances in around.rounds(len(labelled.points)):
        for row, query in enumerate(asking):
            around.radii[query] = _nearest_cell(
                labelled, queries[query], int(around.codes[query]), enemies[row], distances[row], around.radii[query]
            )
    return around.proved()


class _Around:
    """Queries, the class that each has now, and the radii found so far."""

    def __init__(self, labelled: LabelledPoints, queries: Floats) -> None:
        self.labelled, self.queries = labelled, queries
        near = labelled.index.nearest(queries, min(FRIENDS, len(labelled.points)))
        self.codes = labelled.codes[near.indices[:, 0]]
        self.friends = np.where(labelled.codes[near.indices] == self.codes[:, None], near.indices, -1)
        self.nearest = near.distances[:, 0]
        self.radii = np.full(len(queries), np.inf)

    def rounds(self, most: int) -> Iterator[tuple[Indices, Indices, Floats]]:
        """Queries whose radius may still shrink, enemies of each that were not seen before, and the distances of their bisectors.

        An enemy d away has its bisector with the nearest friend, e away, at (d - e) / 2 at least: farther ones do not matter.
        Where more than ``most`` enemies would have to be seen, the radius is no larger than that proves for the others.
        """
        n, seen = len(self.labelled.points), 0
        asking, wanted = np.arange(len(self.queries)), min(FIRST_ENEMIES, n)
        while len(asking):
            reach = np.empty(len(asking))
            for start in range(0, len(asking), max(1, ROOM // wanted)):
                part = slice(start, start + max(1, ROOM // wanted))
                some = asking[part]
                found = self.labelled.index.nearest(self.queries[some], wanted, excluding=self.codes[some])
                enemies = np.ascontiguousarray(found.indices[:, seen:])
                yield some, enemies, bisector_distances(self.labelled.points, self.queries[some], self.friends[some], enemies)
                reach[part] = (found.distances[:, -1] - self.nearest[some]) / 2
            if wanted >= min(n, most):
                self.radii[asking] = np.minimum(self.radii[asking], reach) if wanted < n else self.radii[asking]
                return
            asking = asking[reach < self.radii[asking]]
            seen, wanted = wanted, min(4 * wanted, n)

    def proved(self) -> Floats:
        """The radii less what rounding may have added."""
        slack = DISTANCE_ERROR * (self.nearest + np.where(np.isinf(self.radii), 0.0, self.radii))
        return np.maximum(self.radii - slack, 0.0)


def _nearest_cell(labelled: LabelledPoints, x: Floats, code: int, enemies: Indices, bisectors: Floats, best: float) -> float:
    """The smaller of ``best`` and the distances from x to the places that are nearer to an enemy than to all friends."""
    for place in np.argsort(bisectors):
        if bisectors[place] >= best:
            break
        best = min(best, _distance_to_cell(x, labelled.points[enemies[place]], *labelled.of_class[code], best))
    return best


def _distance_to_cell(x: Floats, enemy: Floats, friends: Floats, tree: cKDTree, best: float) -> float:
    """How far x is from the places that are nearer to the enemy than to all friends; infinite if that is ``best`` or more."""
    chosen = [int(tree.query(x)[1])]
    while True:
        length, move = _shortest_move(*_bisectors(x, enemy, friends[chosen]))
        if length >= best:
            return np.inf
        place = x + move
        distance, rival = tree.query(place)
        there = float(np.linalg.norm(place - enemy))
        if distance >= there - 1e-10 * (there + length) or rival in chosen:
            return length  # without the other friends it can only be shorter
        chosen.append(int(rival))


def _bisectors(x: Floats, enemy: Floats, friends: Floats) -> tuple[Floats, Floats]:
    """The directions from friends to the enemy, and how far x is from their bisectors on the side of the friends."""
    normals = enemy - friends
    apart = np.linalg.norm(normals, axis=1)
    apart[apart == 0] = 1.0  # equal points have no bisector; the lead, below 0, then asks for nothing
    sure = 1.0 - LEAD_ROUNDING * (len(x) + 4)
    leads = sure * ((x - enemy) ** 2).sum() - ((x - friends) ** 2).sum(axis=1)
    return normals / apart[:, None], leads / (2.0 * apart)


def _shortest_move(normals: Floats, heights: Floats) -> tuple[float, Floats]:
    r"""The shortest z with ``normals @ z >= heights``, for normals of length 1: a length that no such z is below, and z.

    For any weights :math:`u \ge 0`, :math:`|z| \ge u \cdot h / |N^\top u|`; those of the least squares give the largest.
    """
    highest = int(heights.argmax())
    length, move = max(float(heights[highest]), 0.0), max(float(heights[highest]), 0.0) * normals[highest]
    if length == 0.0 or len(heights) == 1:
        return length, move
    system = np.vstack([normals.T, heights / length])
    target = np.zeros(len(system))
    target[-1] = 1.0
    try:
        weights, _ = nnls(system, target, maxiter=50 * system.shape[1])
    except RuntimeError:  # no solution after so many steps: the highest one alone proves its height
        return length, move
    direction = weights @ normals
    steepness = float(np.linalg.norm(direction)) + 1e-14 * float(weights.sum())
    proved = float(weights @ heights) / steepness if steepness else 0.0
    return (proved, proved / steepness * direction) if proved > length else (length, move)
