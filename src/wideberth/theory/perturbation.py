r"""Move the objects of a sample a little so that the places left have a low dimension, by linear programming.

An :math:`(\alpha, \beta)`-perturbation of :math:`x_1, \dots, x_n` is a sample :math:`\tilde x_1, \dots, \tilde x_n` of doubling
dimension at most :math:`\beta` with :math:`\sum_i d(x_i, \tilde x_i) \le \alpha` (Kontorovich & Weiss 2014, section 5.2). The
best one is hard to find. Here as in Gottlieb, Kontorovich & Krauthgamer (Adaptive metric dimensionality reduction, 2013) places
are objects of the sample and their dimension is held down through nets; the program and its constants are derived here.

With the diameter :math:`\Delta` and radii :math:`r_0 = \Delta / 8, r_1 = \Delta / 16, \dots` choose members Y of the sample and
nets :math:`S_0 \subseteq S_1 \subseteq \dots \subseteq Y` so that for all i

- every member is within :math:`r_i` of a net point of :math:`S_i`,
- within :math:`8 r_i` of any object there are at most :math:`2^{5b}` net points of :math:`S_i`,

and the sum of the distances of the objects to Y is smallest. This lies between two problems on doubling dimensions:

- *every Y of dimension at most b can be chosen.* Let :math:`S_i` be nested nets of Y with distances :math:`> r_i`. Those within
  :math:`8 r_i` of an object lie in a ball of radius :math:`16 r_i` round one of them, which :math:`2^{5b}` balls of radius
  :math:`r_i / 2` cover, with one net point in each at most. So a lower bound for this problem is one for all
  :math:`(\alpha, b)`-perturbations inside the sample.
- *every Y chosen has dimension at most 5b.* The part of Y in a ball of radius R round a member, :math:`2 r_i \le R < 4 r_i`, lies
  within :math:`r_i \le R/2` of the net points of :math:`S_i` that are nearer than :math:`5 r_i` to its centre. For larger R those
  of :math:`S_0`, all of which are within :math:`8 r_0` of any object, do.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import floor, isfinite
from typing import Any

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import block_array, csr_array, eye_array

from wideberth.arrays import Flags, Floats, Indices
from wideberth.bounds.rademacher import Rademacher, chained_rademacher, perturbed_rademacher
from wideberth.errors import InvalidInput
from wideberth.geometry.classes.duplicates import group_equal
from wideberth.geometry.measure.blocks import pairwise_distances
from wideberth.geometry.shape.nets import farthest_first
from wideberth.metrics.metric import Distances, Metric
from wideberth.metrics.named import bind
from wideberth.metrics.precomputed import Precomputed
from wideberth.objects import sample
from wideberth.optimize.solution import Solution
from wideberth.rounding import SUM_ERROR

#: More different objects than this are refused: the program has about n log n variables and n^2 entries.
MOST_OBJECTS = 2_000
#: Net points are counted in balls of this many times the radius of their net, up to 2 ** (HALVINGS * b) of them.
REACH, HALVINGS = 8, 5
#: What an object pays at least is told by the members among its so many nearest objects.
RANKS = (1, 2, 4, 8, 16, 32)
#: Digits of the distances and of the solution that count, and what its value may be off by, relatively.
ROUNDED, DIGITS, LP_ACCURACY = 12, 6, 1e-6
#: An object that the program leaves out may still become a member, if it saves much more than others.
LEAST_SHARE = 0.1


@dataclass(frozen=True, eq=False)
class Perturbation:
    r"""Where the objects go: ``images[j]`` is the object in whose place object j is put, ``distances[j]`` away.

    ``levels[j]`` is the first net, 0 for the coarsest, that object j belongs to; ``len(radii)`` for a member that no net needs,
    -1 for an object that is no member. Within 8 times its radius of any object, a net has at most ``capacity`` points; finer nets
    than these can hold all members.

    ``doubling_dimension`` is proved for the members as a space of their own: never more than 5b, and measured.
    ``covering_dimension`` is a :math:`\beta` with which :math:`(2 \Delta / r)^\beta` balls of radius r cover the members, for all
    r: all that covering arguments, and with them Theorem 7 of Kontorovich & Weiss (2014), take from the dimension.
    :math:`\Delta` is the ``diameter`` of the sample.
    """

    images: Indices
    distances: Distances
    levels: Indices
    radii: Distances
    capacity: int
    diameter: float
    doubling_dimension: float
    covering_dimension: float

    @property
    def members(self) -> Indices:
        """The objects that stay in their place, equal ones but for the first left out."""
        return np.flatnonzero(self.levels >= 0)

    def net(self, level: int) -> Indices:
        """The members of a net; those of the coarser nets are among them."""
        return np.flatnonzero((self.levels >= 0) & (self.levels <= level))


def perturb(
    objects: Any,
    metric: str | Metric | Callable[[Any, Any], float] = "euclidean",
    dimension: float = 1.0,
    *,
    n_jobs: int | None = None,
) -> Solution:
    r"""A `Perturbation` of small total displacement whose doubling dimension is at most 5 times ``dimension``, b.

    ``value`` is its :math:`\sum_i d(x_i, \tilde x_i)`; no :math:`(\alpha, b)`-perturbation into objects of the sample has an
    :math:`\alpha` below ``lower_bound``. The bound is the value of the linear program

    .. math::
        \min \sum_j c_j, \quad
        c_j \ge \rho - \sum_k (\rho - d_{jk})_+\, y_k, \quad
        z^0_j \le z^1_j \le \dots \le y_j \le \sum_{d_{jk} \le r_i} z^i_k, \quad
        \sum_{d_{jk} \le 8 r_i} z^i_k \le 2^{5b}, \quad 0 \le y, z \le 1

    with the :math:`\rho` that are the distances to some of the nearest objects. Members are then taken one after another, each
    time the object that shortens the distances most, times its share in the solution, if nets can still take it in. There is no
    proof of how good that is, but the two figures tell: 1.5 to 7 times the bound in the benchmarks. The metric must obey the
    triangle inequality. About a minute for 1,000 objects; `wideberth.classifiers.margin_neighbors.capacity` serves the same
    purpose at any size.

    >>> line = np.arange(8.0).reshape(-1, 1)
    >>> perturb(line, dimension=1.0).value  # 8 places on a line are no more than 2 ** 5
    0.0
    >>> perturb(line, dimension=0.0).value  # all in one place
    16.0
    """
    if not (isfinite(dimension) and dimension >= 0):
        raise InvalidInput(f"A dimension is at least 0, not {dimension!r}.", advice="Try 1.", value=dimension)
    objects, measure = bind(objects, metric)
    groups = group_equal(objects, measure)
    if not 0 < len(groups) <= MOST_OBJECTS:
        raise InvalidInput(
            f"{len(groups)} different objects cannot be perturbed: 1 to {MOST_OBJECTS:,} can.",
            advice="Beyond, quantise them (wideberth.classifiers.margin_neighbors.capacity).",
            value=len(groups),
        )
    places = sample.pick(measure.prepare(objects), groups.representatives)
    space = _Space(pairwise_distances(places, None, measure, n_jobs=n_jobs), dimension)
    if not space.radii:
        chosen, lower = np.zeros(len(space), dtype=np.intp), 0.0
    else:
        lower, shares = _relax(space, groups.weights)
        tries = (space.fill(groups.weights, each) for each in (shares, np.ones(len(space))))
        chosen = min(tries, key=lambda levels: groups.weights @ space.moves(levels)[1])
    point = _perturbation(space, chosen, groups.representatives, groups.group_of)
    value = float(point.distances.sum())
    return Solution(point, value, min(lower, value), "optimal" if value <= lower else "rounded")


def perturbed_capacity(
    found: Perturbation, lipschitz_constant: float, n_classes: int, *, rademacher: Rademacher = chained_rademacher
) -> float:
    r"""The bound of Theorem 7 of Kontorovich & Weiss (2014) from a perturbation of the sample.

    It is `perturbed_rademacher` with the smaller one of the dimensions proved for the places that are left; at most 1.

    >>> perturbed_capacity(perturb([[0.0]] * 300).point, 1.0, 2) < 0.8  # one place, whatever L
    True
    """
    unit = found.diameter or 1.0
    dimension = min(found.doubling_dimension, found.covering_dimension)
    moved, n = float(found.distances.mean()) / unit, len(found.distances)
    return perturbed_rademacher(moved, n, lipschitz_constant * unit, dimension, n_classes, rademacher=rademacher)


class _Space:
    """Distances between different objects, the radii of the nets that may be too crowded, and how many points these can have."""

    def __init__(self, distances: Distances, dimension: float) -> None:
        self.distances = distances
        self.diameter = float(distances.max())
        n = len(distances)
        self.capacity = n if HALVINGS * dimension > np.log2(n) else floor(2 ** (HALVINGS * dimension) * (1 + SUM_ERROR))
        self.radii: list[float] = []
        radius = self.diameter / REACH
        while radius > 0 and (distances <= REACH * radius).sum(axis=1).max() > self.capacity:
            self.radii.append(radius)
            radius /= 2

    def __len__(self) -> int:
        return len(self.distances)

    def fill(self, weights: Floats, shares: Floats) -> Indices:
        """The levels of members to which no object can be added; tried first are those that save most, times their share.

        An object that is too far from the points of some net would have to join that net and all finer ones; it becomes a member
        if they are not too crowded for it.
        """
        near = np.stack([self.distances <= radius for radius in self.radii])
        wide = np.stack([self.distances <= REACH * radius for radius in self.radii])
        covered, points = np.zeros((2, len(self.radii), len(self)), dtype=np.intp)
        levels, untried = np.full(len(self), -1), np.ones(len(self), dtype=bool)
        gaps = np.full(len(self), self.diameter)
        while untried.any():
            saved = weights @ np.maximum(gaps[:, None] - self.distances, 0)
            newcomer = int(np.where(untried, saved * shares, -1).argmax())
            untried[newcomer] = False
            uncovered = covered[:, newcomer] == 0
            first = int(uncovered.argmax()) if uncovered.any() else len(self.radii)
            if not (points[first:] >= self.capacity)[wide[first:, newcomer]].any():
                covered[first:] += near[first:, newcomer]
                points[first:] += wide[first:, newcomer]
                levels[newcomer] = first
                gaps = np.minimum(gaps, self.distances[newcomer])
        return levels

    def moves(self, levels: Indices) -> tuple[Indices, Distances]:
        """The nearest member of every object, the first among equals, and how far it is."""
        members = np.flatnonzero(levels >= 0)
        gaps = self.distances[:, members]
        return members[gaps.argmin(axis=1)], gaps.min(axis=1)


def _relax(space: _Space, weights: Floats) -> tuple[float, Floats]:
    """The value of the linear program, and how much of each object it takes into Y and the nets."""
    n = len(space)
    matrix, limits = _program(space)
    heaviest = weights.max()
    costs = np.concatenate([weights / heaviest, np.zeros(matrix.shape[1] - n)])
    solved: Any = linprog(costs, A_ub=matrix, b_ub=limits, bounds=(0, 1), method="highs-ipm")
    if solved.status != 0:
        return 0.0, np.ones(n)  # nothing is proved, and members can be chosen all the same
    shares = np.round(solved.x[n:], DIGITS).reshape(-1, n).sum(axis=0)
    return float(solved.fun * heaviest) * (1 - LP_ACCURACY) * space.diameter, shares + LEAST_SHARE


def _program(space: _Space) -> tuple[Any, Floats]:
    """Rows and limits, in units of the diameter, for columns c, y and z of the nets from coarse to fine."""
    n, last = len(space), len(space.radii) + 1
    one, unit = eye_array(n), np.round(space.distances / space.diameter, ROUNDED)  # the same in all units
    rows: list[tuple[dict[int, Any], Floats]] = []
    for rank in RANKS:
        if rank < n:
            rho = np.partition(unit, rank, axis=1)[:, rank]
            rows.append(({0: -one, 1: csr_array(-np.maximum(rho[:, None] - unit, 0))}, -rho))
    for z, radius in enumerate(space.radii, start=2):
        near = csr_array((space.distances <= radius).astype(float))
        crowded = _crowded(space.distances <= REACH * radius, space.capacity)
        rows.append(({1: one, z: -near}, np.zeros(n)))
        rows.append(({z: one, z + 1 if z < last else 1: -one}, np.zeros(n)))
        rows.append(({z: csr_array(crowded)}, np.full(len(crowded), float(space.capacity))))
    matrix = block_array([[blocks.get(column) for column in range(last + 1)] for blocks, _ in rows], format="csr")
    return matrix, np.concatenate([limits for _, limits in rows])


def _crowded(balls: Flags, capacity: int) -> Floats:
    """The different balls that hold more objects than there may be net points."""
    large = balls[balls.sum(axis=1) > capacity]
    _, chosen = np.unique(np.packbits(large, axis=1), axis=0, return_index=True)
    return np.asarray(large[chosen], dtype=np.float64)


def _perturbation(space: _Space, chosen: Indices, representatives: Indices, group_of: Indices) -> Perturbation:
    """The same for all objects, equal ones included."""
    nearest, gaps = space.moves(chosen)
    levels = np.full(len(group_of), -1)
    levels[representatives] = chosen
    members = np.flatnonzero(chosen >= 0)
    doubling, covering = _dimensions(space.distances[np.ix_(members, members)], space.diameter)
    return Perturbation(
        images=representatives[nearest][group_of],
        distances=gaps[group_of],
        levels=levels,
        radii=np.array(space.radii),
        capacity=space.capacity,
        diameter=space.diameter,
        doubling_dimension=min(doubling, float(np.log2(space.capacity))),
        covering_dimension=covering,
    )


def _dimensions(distances: Distances, diameter: float) -> tuple[float, float]:
    r"""An upper bound of the doubling dimension of a space, and its covering dimension, from a farthest-first traversal.

    Its first m objects are within :math:`\lambda_{m+1}` of all others. So for :math:`2\lambda_{m+1} \le R < 2\lambda_m` those
    nearer than :math:`2\lambda_m + \lambda_{m+1}` to the centre of a ball of radius R cover it by balls of half the radius; and
    for :math:`\lambda_{m+1} \le r < \lambda_m` m balls of radius r cover the space.
    """
    walk = farthest_first(np.arange(len(distances)), Precomputed(distances))
    separations, covers = walk.insertions, np.append(walk.insertions[1:], 0.0)
    ordered = distances[:, walk.order]
    largest, covering = 1, 0.0
    for m in range(2, len(walk) + 1):
        reach = 2 * separations[m - 1] + covers[m - 1]
        largest = max(largest, int((ordered[:, :m] < reach).sum(axis=1).max()))
        covering = max(covering, float(np.log(m) / np.log(2 * diameter / separations[m - 1])))
    return float(np.log2(largest)), covering
