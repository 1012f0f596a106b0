r"""Perturbations: move the objects of a sample a little into places of low doubling dimension, by
linear programming.

An :math:`(\alpha, \beta)`-perturbation of :math:`x_1, \dots, x_n` is a sample :math:`\tilde x_1,
\dots, \tilde x_n` of doubling dimension at most :math:`\beta` with :math:`\sum_i d(x_i, \tilde x_i)
\le \alpha` (Kontorovich & Weiss 2014, section 5.2). The best one is hard to find. As in Gottlieb,
Kontorovich & Krauthgamer (Adaptive metric dimensionality reduction, 2013), the places are objects
of the sample, and nets limit their dimension; the program and its constants are derived here.

With the diameter :math:`\Delta` and radii :math:`r_0 = \Delta / 8, r_1 = \Delta / 16, \dots` choose
members Y of the sample and nets :math:`S_0 \subseteq S_1 \subseteq \dots \subseteq Y` so that for
all i

- every member is within :math:`r_i` of a net point of :math:`S_i`,
- within :math:`8 r_i` of any object there are at most :math:`2^{5b}` net points of :math:`S_i`,

and the sum of the distances of the objects to Y is smallest. This problem lies between two problems
on doubling dimensions:

- *every Y of dimension at most b can be chosen.* Let :math:`S_i` be nested nets of Y with distances
  :math:`> r_i`. Those within :math:`8 r_i` of an object lie in a ball of radius :math:`16 r_i`
  around one of them, which :math:`2^{5b}` balls of radius :math:`r_i / 2` cover, with one net point
  in each at most. So a lower bound for this problem is one for all :math:`(\alpha,
  b)`-perturbations inside the sample.
- *every Y chosen has dimension at most 5b.* The part of Y in a ball of radius R around a member,
  :math:`2 r_i \le R < 4 r_i`, lies within :math:`r_i \le R/2` of the net points of :math:`S_i` that
  are nearer than :math:`5 r_i` to its centre. For larger R the points of :math:`S_0` cover it, all
  of which are within :math:`8 r_0` of any object.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import floor, isfinite
from typing import Any

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import block_array, csr_array, eye_array

from wideberth.array_types import Flags, Floats, Indices
from wideberth.bounds.margin import Rademacher, chained_rademacher
from wideberth.errors import InvalidInput
from wideberth.geometry.classes.duplicates import group_equal
from wideberth.geometry.measure.blocks import pairwise_distances
from wideberth.geometry.shape.nets import farthest_first
from wideberth.metrics.metric import Distances, Metric
from wideberth.metrics.named import bind
from wideberth.metrics.precomputed import Precomputed
from wideberth.objects import sample
from wideberth.optimize.solution import Solution
from wideberth.papers.margin_bounds import perturbed_rademacher
from wideberth.rounding import SUM_ERROR

#: The most different objects that are accepted: the program has about n log n variables and n^2
#: entries.
MOST_OBJECTS = 2_000
#: Net points are counted in balls of this many times the radius of their net, up to 2 ** (HALVINGS
#: * b) of them.
REACH, HALVINGS = 8, 5
#: The ranks of the nearest objects whose distances are the rho of the linear program.
RANKS = (1, 2, 4, 8, 16, 32)
#: Digits to which distances and the solution are rounded, and the relative error that its value may
#: have.
ROUNDED, DIGITS, LP_ACCURACY = 12, 6, 1e-6
#: Added to the share of every object in the solution: one that the program leaves out may still
#: become a member.
LEAST_SHARE = 0.1


@dataclass(frozen=True, eq=False)
class Perturbation:
    r"""The places that objects are moved to: members of the sample, on nets of limited size.

    Attributes
    ----------
    images : ndarray of int, shape (n,)
        Object j is moved to the place of object ``images[j]``.
    distances : ndarray of shape (n,)
        How far each object is moved.
    levels : ndarray of int, shape (n,)
        The coarsest net that a member belongs to, 0 for the first one; ``len(radii)`` for a member
        that is in no net, -1 for an object that is no member.
    radii : ndarray of float
        The radii of the nets, each half the one before. Finer nets than these can hold all members.
    capacity : int
        The most points that a net has within 8 times its radius of any object.
    diameter : float
        The largest distance in the sample, :math:`\Delta`.
    doubling_dimension : float
        A proved upper bound for the members as a space of their own: the smaller one of 5b and a
        measured bound.
    covering_dimension : float
        A :math:`\beta` such that :math:`(2 \Delta / r)^\beta` balls of radius r cover the members,
        for all r. Covering arguments, such as Theorem 7 of Kontorovich & Weiss (2014), use nothing
        else of the dimension.
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
        """The objects that stay in their place; of equal objects only the first."""
        return np.flatnonzero(self.levels >= 0)

    def net(self, level: int) -> Indices:
        """The points of a net, 0 for the coarsest; those of the coarser nets are among them."""
        return np.flatnonzero((self.levels >= 0) & (self.levels <= level))


def perturb(
    objects: Any,
    metric: str | Metric | Callable[[Any, Any], float] = "euclidean",
    dimension: float = 1.0,
    *,
    relax: bool = True,
    n_jobs: int | None = None,
) -> Solution:
    r"""Find a perturbation of small total displacement whose doubling dimension is at most 5 times
    ``dimension``.

    The lower bound is the value of the linear program

    .. math::
        \min \sum_j c_j, \quad
        c_j \ge \rho - \sum_k (\rho - d_{jk})_+\, y_k, \quad
        z^0_j \le z^1_j \le \dots \le y_j \le \sum_{d_{jk} \le r_i} z^i_k, \quad
        \sum_{d_{jk} \le 8 r_i} z^i_k \le 2^{5b}, \quad 0 \le y, z \le 1

    where b is ``dimension`` and the :math:`\rho` are the distances to some of the nearest objects.
    Members are then added one by one: always the object for which (decrease of the distances) x
    (its share in the solution) is largest, if the nets have capacity for it. How good that is, is
    not proved in general but seen in each solution: in the benchmarks the value is 1.5 to 7 times
    the bound. The program takes about a minute for 1,000 objects.
    `wideberth.papers.adaptive_capacity` serves the same purpose at any size.

    Parameters
    ----------
    objects : sequence of objects, or array
        Up to 2,000 different ones.
    metric : str, Metric or callable
        It must obey the triangle inequality.
    dimension : float
        b, at least 0.
    relax : bool
        Whether to solve the linear program. Without it members are added by the decrease of the
        distances alone, and no lower bound is proved.
    n_jobs : int, optional
        How many cores measure distances; all by default.

    Returns
    -------
    Solution
        ``point`` is a `Perturbation`, ``value`` its :math:`\sum_i d(x_i, \tilde x_i)`. No
        :math:`(\alpha, b)`-perturbation into objects of the sample has an :math:`\alpha` below
        ``lower_bound``.

    Examples
    --------
    >>> line = np.arange(8.0).reshape(-1, 1)
    >>> perturb(line, dimension=1.0).value  # 8 objects: a net has fewer than 2 ** 5 points
    0.0
    >>> perturb(line, dimension=0.0).value  # all in one place
    16.0
    """
    if not (isfinite(dimension) and dimension >= 0):
        raise InvalidInput(
            f"A dimension is at least 0, not {dimension!r}.", advice="Try 1.", value=dimension
        )
    objects, measure = bind(objects, metric)
    groups = group_equal(objects, measure)
    if not 0 < len(groups) <= MOST_OBJECTS:
        raise InvalidInput(
            f"{len(groups)} different objects cannot be perturbed: 1 to {MOST_OBJECTS:,} can.",
            advice="Quantise larger samples (wideberth.papers.adaptive_capacity).",
            value=len(groups),
        )
    places = sample.pick(measure.prepare(objects), groups.representatives)
    space = _Space(pairwise_distances(places, None, measure, n_jobs=n_jobs), dimension)
    if not space.radii:
        chosen, lower = np.zeros(len(space), dtype=np.intp), 0.0
    else:
        lower, shares = _relax(space, groups.weights) if relax else (0.0, np.ones(len(space)))
        preferences = (shares, np.ones(len(space))) if relax else (shares,)
        candidates = (space.fill(groups.weights, preference) for preference in preferences)
        chosen = min(candidates, key=lambda levels: groups.weights @ space.moves(levels)[1])
    point = _perturbation(space, chosen, groups.representatives, groups.group_of)
    value = float(point.distances.sum())
    return Solution(point, value, min(lower, value), "optimal" if value <= lower else "rounded")


def perturbed_capacity(
    found: Perturbation,
    lipschitz_constant: float,
    n_classes: int,
    *,
    rademacher: Rademacher = chained_rademacher,
) -> float:
    r"""The bound of Theorem 7 of Kontorovich & Weiss (2014) from a perturbation of the sample.

    It is `perturbed_rademacher` with the smaller one of the two dimensions proved for the members,
    in units of the diameter.

    Parameters
    ----------
    found : Perturbation
    lipschitz_constant : float
        L, in the unit 1 / distance.
    n_classes : int
    rademacher : callable
        The bound for a sample of known dimension.

    Returns
    -------
    float
        A bound of the Rademacher complexity of the margin functions, at most 1.

    Examples
    --------
    >>> perturbed_capacity(perturb([[0.0]] * 300).point, 1.0, 2) < 0.8  # one place, whatever L
    True
    """
    unit = found.diameter or 1.0
    dimension = min(found.doubling_dimension, found.covering_dimension)
    moved, n = float(found.distances.mean()) / unit, len(found.distances)
    return perturbed_rademacher(
        moved, n, lipschitz_constant * unit, dimension, n_classes, rademacher=rademacher
    )


class _Space:
    """Distances between different objects, the radii of the nets that could exceed their capacity,
    and this capacity.
    """

    def __init__(self, distances: Distances, dimension: float) -> None:
        self.distances = distances
        self.diameter = float(distances.max())
        n = len(distances)
        self.capacity = (
            n
            if HALVINGS * dimension > np.log2(n)
            else floor(2 ** (HALVINGS * dimension) * (1 + SUM_ERROR))
        )
        self.radii: list[float] = []
        radius = self.diameter / REACH
        while radius > 0 and (distances <= REACH * radius).sum(axis=1).max() > self.capacity:
            self.radii.append(radius)
            radius /= 2

    def __len__(self) -> int:
        return len(self.distances)

    def fill(self, weights: Floats, shares: Floats) -> Indices:
        """Add members until none can be added: always the one for which (distance saved) x (its
        share) is largest.

        An object that is too far from the points of some net has to join that net and all finer
        ones; it becomes a member if they have capacity for it. Returns the level of each object, -1
        for those that are no members.
        """
        near = np.stack([self.distances <= radius for radius in self.radii])
        wide = np.stack([self.distances <= REACH * radius for radius in self.radii])
        covered, points = np.zeros((2, len(self.radii), len(self)), dtype=np.intp)
        levels, untried = np.full(len(self), -1), np.ones(len(self), dtype=bool)
        displacements = np.full(len(self), self.diameter)
        # an old value is an upper bound
        saved, fresh = np.full(len(self), np.inf), np.zeros(len(self), dtype=bool)
        while untried.any():
            candidate = int(np.where(untried, saved * shares, -1).argmax())
            if not fresh[candidate]:
                saved[candidate] = weights @ np.maximum(
                    displacements - self.distances[candidate], 0
                )
                fresh[candidate] = True
                continue
            untried[candidate] = False
            uncovered = covered[:, candidate] == 0
            first = int(uncovered.argmax()) if uncovered.any() else len(self.radii)
            if not (points[first:] >= self.capacity)[wide[first:, candidate]].any():
                covered[first:] += near[first:, candidate]
                points[first:] += wide[first:, candidate]
                levels[candidate] = first
                displacements = np.minimum(displacements, self.distances[candidate])
                fresh[:] = False
        return levels

    def moves(self, levels: Indices) -> tuple[Indices, Distances]:
        """The nearest member of every object, the first among equally near ones, and its
        distance.
        """
        members = np.flatnonzero(levels >= 0)
        to_members = self.distances[:, members]
        return members[to_members.argmin(axis=1)], to_members.min(axis=1)


def _relax(space: _Space, weights: Floats) -> tuple[float, Floats]:
    """The value of the linear program, and the sum of the variables y and z of each object in its
    solution.
    """
    n = len(space)
    matrix, limits = _program(space)
    heaviest = weights.max()
    costs = np.concatenate([weights / heaviest, np.zeros(matrix.shape[1] - n)])
    solved: Any = linprog(costs, A_ub=matrix, b_ub=limits, bounds=(0, 1), method="highs-ipm")
    if solved.status != 0:
        return 0.0, np.ones(n)  # nothing is proved, but members can still be chosen
    shares = np.round(solved.x[n:], DIGITS).reshape(-1, n).sum(axis=0)
    return float(solved.fun * heaviest) * (1 - LP_ACCURACY) * space.diameter, shares + LEAST_SHARE


def _program(space: _Space) -> tuple[Any, Floats]:
    """A and b of the program A x <= b, in units of the diameter; x is c, y, then z of the nets from
    coarse to fine.
    """
    n, last = len(space), len(space.radii) + 1
    # the same in all units
    one, unit = eye_array(n), np.round(space.distances / space.diameter, ROUNDED)
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
    matrix = block_array(
        [[blocks.get(column) for column in range(last + 1)] for blocks, _ in rows], format="csr"
    )
    return matrix, np.concatenate([limits for _, limits in rows])


def _crowded(balls: Flags, capacity: int) -> Floats:
    """The balls that contain more objects than a net may have points there, as rows of 0 and 1;
    equal balls once.
    """
    large = balls[balls.sum(axis=1) > capacity]
    _, chosen = np.unique(np.packbits(large, axis=1), axis=0, return_index=True)
    return np.asarray(large[chosen], dtype=np.float64)


def _perturbation(
    space: _Space, chosen: Indices, representatives: Indices, group_of: Indices
) -> Perturbation:
    """From levels of the different objects to a perturbation of all objects.

    ``representatives`` are the positions of the different objects in the sample, ``group_of[j]`` is
    the one that object j equals.
    """
    nearest, displacements = space.moves(chosen)
    levels = np.full(len(group_of), -1)
    levels[representatives] = chosen
    members = np.flatnonzero(chosen >= 0)
    doubling, covering = _dimensions(space.distances[np.ix_(members, members)], space.diameter)
    return Perturbation(
        images=representatives[nearest][group_of],
        distances=displacements[group_of],
        levels=levels,
        radii=np.array(space.radii),
        capacity=space.capacity,
        diameter=space.diameter,
        doubling_dimension=min(doubling, float(np.log2(space.capacity))),
        covering_dimension=covering,
    )


def _dimensions(distances: Distances, diameter: float) -> tuple[float, float]:
    r"""An upper bound of the doubling dimension of a space, and its covering dimension, from a
    farthest-first traversal.

    Its first m objects are within :math:`\lambda_{m+1}` of all others. So for :math:`2\lambda_{m+1}
    \le R < 2\lambda_m` those nearer than :math:`2\lambda_m + \lambda_{m+1}` to the centre of a ball
    of radius R cover it by balls of half the radius; and for :math:`\lambda_{m+1} \le r <
    \lambda_m` m balls of radius r cover the space.
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
