"""Certified radii in Euclidean space: how far a point may move before its nearest neighbour has
another class.

The points that are as near to p as to q form a plane, the *bisector* of p and q. Let x be a query,
its *friends* the points of the class that x has now, and its *enemies* all other points. A move
that gives x a nearest neighbour of another class crosses, for some enemy p, the bisectors of p with
all friends.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.optimize import nnls
from scipy.spatial import cKDTree

from wideberth.array_types import Floats, Indices
from wideberth.geometry.classes.kernels import LEAD_ROUNDING, bisector_distances
from wideberth.geometry.search.index import Index
from wideberth.rounding import DISTANCE_ERROR, shortened

#: Only the bisectors with this many friends, those nearest to x, are examined. Fewer friends give a
#: smaller radius, still proved.
FRIENDS = 48
#: Enemies examined in the first round. Each round examines four times as many, while a farther one
#: may still matter.
FIRST_ENEMIES = 16
#: Enemies examined for a radius that need not be exact. For the others, their distance bounds the
#: radius.
MAX_ENEMIES = 1024
#: Enemies held in memory at a time, for all queries together.
MAX_ENEMIES_AT_ONCE = 2**22


@dataclass(frozen=True, eq=False)
class LabelledPoints:
    """Points of Euclidean space, their classes, and an index for searching them.

    Examples
    --------
    >>> points = np.array([[0.0], [4.0], [5.0]])
    >>> LabelledPoints(points, np.array([0, 1, 1]), Index(points, labels=[0, 1, 1])).by_class[1][0]
    array([[4.],
           [5.]])
    """

    #: The points, shape (n, d).
    points: Floats
    #: Their class codes, shape (n,).
    codes: Indices
    #: An index of the same points, built with these codes as labels.
    index: Index

    @cached_property
    def by_class(self) -> dict[int, tuple[Floats, cKDTree]]:
        """The points of each class, and a k-d tree of them, by class code; computed on first
        use.
        """
        parts = {int(code): self.points[self.codes == code] for code in np.unique(self.codes)}
        return {code: (part, cKDTree(part)) for code, part in parts.items()}


def bisector_radii(labelled: LabelledPoints, queries: Floats) -> Floats:
    r"""Compute a radius for each query within which the nearest point keeps its class.

    .. math:: r(x) = \min_{p\ \text{enemy}}\ \max_{q\ \text{friend}} \frac{\|x - p\|^2 - \|x -
        q\|^2}{2\,\|p - q\|},

    where q runs through the `FRIENDS` friends nearest to x. It is at least half the lead of the
    nearest friend over the nearest enemy, which is the radius in any metric space, and at most the
    radius of `exact_radii` (Wang, Liu, Yi, Zhou & Hsieh, "Evaluating the robustness of nearest
    neighbor classifiers: a primal-dual perspective", 2019). It is close to the exact radius (97 %
    on digits) unless points are so dense that the friends nearest to x do not reach the boundary
    (75 % among 10,000 points of two moons).

    They are reduced by a bound of the rounding errors, and infinite if there is only one class.

    Examples
    --------
    >>> points = np.array([[0.0, 0.0], [4.0, 0.0]])
    >>> labelled = LabelledPoints(points, np.array([0, 1]), Index(points, labels=[0, 1]))
    >>> # half the lead of 3 over 5 would be 1
    >>> bisector_radii(labelled, np.array([[0.0, 3.0]])).round(6)
    array([2.])
    """
    search = _RadiusSearch(labelled, queries)
    for active, _, distances in search.rounds(MAX_ENEMIES):
        search.radii[active] = np.minimum(search.radii[active], distances.min(axis=1))
    return search.proved()


def exact_radii(labelled: LabelledPoints, queries: Floats) -> Floats:
    r"""Compute the distance from each query to the nearest place where an enemy is as near as all
    friends.

    For an enemy p it is the length of the shortest z with :math:`2 (p - q) \cdot (x + z) \ge
    \|p\|^2 - \|q\|^2` for all friends q, a least-distance problem, solved as one of nonnegative
    least squares (Lawson & Hanson 1974, chapter 23). A friend enters the problem only if the
    current solution is nearer to it than to the enemy; an enemy is examined only if its bisectors
    are near enough. The result is the value of the dual problem, a lower bound of the distance
    however exactly the problem was solved.

    They are reduced by a bound of the rounding errors, and infinite if there is no such place.

    Examples
    --------
    >>> points, codes = np.array([[0.0, 0.0], [4.0, 0.0]]), np.array([0, 1])
    >>> exact_radii(
    ...     LabelledPoints(points, codes, Index(points, labels=codes)), np.array([[0.0, 3.0]])
    ... ).round(6)
    array([2.])
    """
    search = _RadiusSearch(labelled, queries)
    for active, enemies, distances in search.rounds(len(labelled.points)):
        for row, query in enumerate(active):
            search.radii[query] = _nearest_cell(
                labelled,
                queries[query],
                int(search.codes[query]),
                enemies[row],
                distances[row],
                search.radii[query],
            )
    return search.proved()


class _RadiusSearch:
    """Queries, their current classes, their nearest friends (-1 in free places), and the smallest
    radii found so far.
    """

    def __init__(self, labelled: LabelledPoints, queries: Floats) -> None:
        self.labelled, self.queries = labelled, queries
        near = labelled.index.nearest(queries, min(FRIENDS, len(labelled.points)))
        self.codes = labelled.codes[near.indices[:, 0]]
        self.friends = np.where(
            labelled.codes[near.indices] == self.codes[:, None], near.indices, -1
        )
        self.nearest = near.distances[:, 0]
        self.radii = np.full(len(queries), np.inf)

    def rounds(self, most: int) -> Iterator[tuple[Indices, Indices, Floats]]:
        """Iterate over enemies, nearest first, as long as they can reduce a radius.

        An enemy at distance d has its bisector with the nearest friend, at distance e, at least (d
        - e) / 2 away, so that farther enemies do not matter once this exceeds the radius. If more
        than ``most`` enemies would have to be examined, the radius is limited to what this bound
        proves for the others. The caller updates ``radii`` between the rounds.

        Yields the queries whose radius may still decrease, enemies of each that were not examined
        before (-1 for none), and the distance to the farthest bisector of each of these.
        """
        n, seen = len(self.labelled.points), 0
        active, wanted = np.arange(len(self.queries)), min(FIRST_ENEMIES, n)
        while len(active):
            reach = np.empty(len(active))
            for start in range(0, len(active), max(1, MAX_ENEMIES_AT_ONCE // wanted)):
                part = slice(start, start + max(1, MAX_ENEMIES_AT_ONCE // wanted))
                some = active[part]
                found = self.labelled.index.nearest(
                    self.queries[some], wanted, excluding=self.codes[some]
                )
                enemies = np.ascontiguousarray(found.indices[:, seen:])
                yield (
                    some,
                    enemies,
                    bisector_distances(
                        self.labelled.points, self.queries[some], self.friends[some], enemies
                    ),
                )
                reach[part] = (found.distances[:, -1] - self.nearest[some]) / 2
            if wanted >= min(n, most):
                self.radii[active] = (
                    np.minimum(self.radii[active], reach) if wanted < n else self.radii[active]
                )
                return
            active = active[reach < self.radii[active]]
            seen, wanted = wanted, min(4 * wanted, n)

    def proved(self) -> Floats:
        """Return the radii, reduced by a bound of the rounding errors."""
        slack = DISTANCE_ERROR * (self.nearest + np.where(np.isinf(self.radii), 0.0, self.radii))
        return shortened(self.radii - slack, 4 * self.labelled.index.metric.underflow, 0.0)


def _nearest_cell(
    labelled: LabelledPoints, x: Floats, code: int, enemies: Indices, bisectors: Floats, best: float
) -> float:
    """Return the smaller of ``best`` and the distances from x to the cells of its enemies.

    The cell of an enemy is the set of places that are nearer to it than to all friends.
    ``bisectors`` holds a lower bound of the distance to each cell, so that enemies are examined in
    this order until it reaches ``best``.
    """
    for place in np.argsort(bisectors):
        if bisectors[place] >= best:
            break
        best = min(
            best,
            _distance_to_cell(x, labelled.points[enemies[place]], *labelled.by_class[code], best),
        )
    return best


def _distance_to_cell(
    x: Floats, enemy: Floats, friends: Floats, tree: cKDTree, best: float
) -> float:
    """Return a lower bound of the distance from x to the cell of an enemy; infinite if it is
    ``best`` or more.

    Friends are added to the problem one by one: the friend nearest to the place found, until that
    is not nearer than the enemy.
    """
    chosen = [int(tree.query(x)[1])]
    while True:
        length, move = _shortest_move(*_bisectors(x, enemy, friends[chosen]))
        if length >= best:
            return np.inf
        place = x + move
        distance, rival = tree.query(place)
        there = float(np.linalg.norm(place - enemy))
        if distance >= there - 1e-10 * (there + length) or rival in chosen:
            return length  # a lower bound: more friends can only make the move longer
        chosen.append(int(rival))


def _bisectors(x: Floats, enemy: Floats, friends: Floats) -> tuple[Floats, Floats]:
    """Return the unit vectors from friends to the enemy, and how far x is from their bisectors on
    the side of the friends.
    """
    normals = enemy - friends
    apart = np.linalg.norm(normals, axis=1)
    apart[apart == 0] = (
        1.0  # equal points have no bisector; their lead is negative and constrains nothing
    )
    safety = 1.0 - LEAD_ROUNDING * (len(x) + 4)
    leads = safety * ((x - enemy) ** 2).sum() - ((x - friends) ** 2).sum(axis=1)
    return normals / apart[:, None], leads / (2.0 * apart)


def _shortest_move(normals: Floats, heights: Floats) -> tuple[float, Floats]:
    r"""Find the shortest z with ``normals @ z >= heights``, for normals of length 1.

    Returns a proved lower bound of its length, and z. For any weights :math:`u \ge 0` the bound
    :math:`|z| \ge u \cdot h / |N^\top u|` holds, and the weights of the nonnegative least squares
    problem make it largest.
    """
    highest = int(heights.argmax())
    length = max(float(heights[highest]), 0.0)
    move = max(float(heights[highest]), 0.0) * normals[highest]
    if length == 0.0 or len(heights) == 1:
        return length, move
    system = np.vstack([normals.T, heights / length])
    target = np.zeros(len(system))
    target[-1] = 1.0
    try:
        weights, _ = nnls(system, target, maxiter=50 * system.shape[1])
    except RuntimeError:  # no convergence: the highest plane alone proves its height
        return length, move
    direction = weights @ normals
    steepness = float(np.linalg.norm(direction)) + 1e-14 * float(weights.sum())
    proved = float(weights @ heights) / steepness if steepness else 0.0
    return (proved, proved / steepness * direction) if proved > length else (length, move)
