r"""Populations of points that stay uniformly distributed over a body of rows while it shrinks.

A body :math:`\{x : a_j \cdot x \ge -b_j, |x| \le r\}`, :math:`b > 0`, only shrinks. Of uniformly
distributed points, those inside a smaller body are uniformly distributed over it. So where rows are
added or offsets fall, points outside are replaced by copies of points inside, and the copies walk
at random (`wideberth.classifiers.online.knowledge.projection_and_walk_kernels.walk`) until they are
far from their originals. The uniform distribution is stationary under every step, so a walk that is
too short leaves points where they should be, but too much alike.

Copies are made within `GROUPS` groups of points only: groups have nothing in common but the
directions of the walk, so that how much their shares differ shows how much points of one group are
alike (`Dispersion`).
"""

from dataclasses import dataclass

import numpy as np
from scipy.stats import chi2

from wideberth.array_types import Flags, Floats
from wideberth.classifiers.online.knowledge.population_kernels import (
    depths_inside,
    replace_lost,
    triangle_of,
)
from wideberth.classifiers.online.knowledge.projection_and_walk_kernels import walk

SWEEPS = 4  # passes of a copy through all axes
LEFT = 4  # a cut that would leave less than one point in LEFT is made in steps
STEPS = 500  # most steps of one cut; each leaves a share 1 / LEFT or more
GROUPS = 8  # groups of points that develop separately
MIDDLE = 0.1  # cuts that leave less than this, or all but this, tell little about points


@dataclass(frozen=True)
class Body:
    r"""A polytope within a ball, :math:`\{x : a_j \cdot x \ge -b_j, |x| \le r\}`.

    Attributes
    ----------
    directions : ndarray of shape (n, d)
        The rows a_j.
    offsets : ndarray of shape (n,)
        The offsets b_j, above 0.
    radius : float
        The radius r of the ball around 0.
    """

    directions: Floats
    offsets: Floats
    radius: float


@dataclass
class Dispersion:
    r"""How much the shares of groups of points differ at cuts, beside what independent points would
    show.

    Of a cut that leaves a share :math:`\bar p` of all points, and :math:`p_g` of those of group g,
    with n points in each,

    .. math:: X = \sum_g \frac{(p_g - \bar p)^2}{\bar p (1 - \bar p) / n}

    is nearly distributed as chi-square with G - 1 degrees of freedom if all points are independent.
    If each point is like F - 1 others of its group, it is F times as large, and N points tell as
    much as N / F independent ones.

    Attributes
    ----------
    total : float
        The sum of X over all cuts so far.
    freedom : int
        Its degrees of freedom.

    Examples
    --------
    >>> dispersion = Dispersion()
    >>> dispersion.inflation(0.001)  # the first points are independent
    1.0
    >>> dispersion.observe(np.repeat([True, False], 16))  # all points of a group are alike
    >>> dispersion.freedom, dispersion.inflation(0.5) > 4
    (7, True)
    """

    total: float = 0.0
    freedom: int = 0

    def observe(self, inside: Flags) -> None:
        """Take a cut into account, of which ``inside`` says what it leaves, group by group."""
        shares = inside.reshape(GROUPS, -1).mean(axis=1)
        share = float(shares.mean())
        if MIDDLE <= share <= 1 - MIDDLE:
            self.total += (
                float(np.square(shares - share).sum())
                * (len(inside) // GROUPS)
                / (share * (1 - share))
            )
            self.freedom += GROUPS - 1

    def inflation(self, risk: float) -> float:
        """An upper bound of F, at least 1, that is too small with probability ``risk``."""
        return max(1.0, self.total / float(chi2.ppf(risk, self.freedom))) if self.freedom else 1.0

    def __add__(self, other: "Dispersion") -> "Dispersion":
        return Dispersion(self.total + other.total, self.freedom + other.freedom)


def uniform_in_ball(
    count: int, dimension: int, radius: float, generator: np.random.Generator
) -> Floats:
    """Points uniformly distributed over a ball around 0, shape (count, dimension).

    Examples
    --------
    >>> points = uniform_in_ball(5, 3, 2.0, np.random.default_rng(0))
    >>> points.shape, bool((np.linalg.norm(points, axis=1) <= 2.0).all())
    ((5, 3), True)
    """
    points = generator.standard_normal((count, dimension))
    lengths = radius * generator.random(count) ** (1 / dimension) / np.linalg.norm(points, axis=1)
    return np.asarray(points * lengths[:, None])


def confine(
    points: Floats,
    body: Body,
    first: int,
    generator: np.random.Generator,
    *,
    dispersion: Dispersion | None = None,
) -> Floats:
    """Points uniformly distributed over a body, from such points of a larger body.

    If few points are inside, the new rows and the ball first close in only as far as a quarter of
    the points allows (one in ``LEFT``), and the next step starts from there.

    Parameters
    ----------
    points : ndarray of shape (n, d)
        Points of the larger body.
    body : Body
        The body.
    first : int
        The position of the first row that the points may violate; they obey all earlier ones.
    generator : Generator
        Random numbers.
    dispersion : Dispersion, optional
        If given, copies are made within groups only, and cuts are added to it; n is then a multiple
        of `GROUPS`.

    Returns
    -------
    ndarray of shape (n, d)
        The same array if all points are inside, otherwise a new one.

    Examples
    --------
    >>> generator = np.random.default_rng(0)
    >>> half = Body(np.array([[1.0, 0.0]]), np.array([1e-9]), 2.0)
    >>> points = confine(uniform_in_ball(50, 2, 2.0, generator), half, 0, generator)
    >>> bool((points[:, 0] > -1e-8).all())
    True
    """
    for _ in range(STEPS):
        depths = depths_inside(points, body.directions[first:], body.offsets[first:], body.radius)
        inside = depths >= 0
        if inside.all():
            return points
        excess = (
            0.0
            if LEFT * np.count_nonzero(inside) >= len(points)
            else -float(np.quantile(depths, 1 - 1 / LEFT))
        )
        offsets = body.offsets.copy()
        offsets[first:] += excess
        kept = depths >= -excess
        if dispersion is not None:
            dispersion.observe(kept)
        points = points.copy()
        replace_lost(
            points, kept, 1 if dispersion is None else GROUPS, generator.random(len(points))
        )
        mix(points, ~kept, Body(body.directions, offsets, body.radius + excess), SWEEPS, generator)
        if excess == 0.0:
            return points
    return _shrunk_into(points, body, generator)


def mix(
    points: Floats, which: Flags, body: Body, sweeps: int, generator: np.random.Generator
) -> None:
    """Let some of the points walk at random through the body, in place, along the principal axes of
    all of them.

    ``which`` says which of them walk, ``sweeps`` is the number of passes through all axes.
    """
    moved = points[which]
    chances = generator.random((len(moved), sweeps * points.shape[1]))
    walk(moved, body.directions, body.offsets, body.radius, principal_axes(points), chances)
    points[which] = moved


def principal_axes(points: Floats) -> Floats:
    """The principal axes of points, one in each row; a full basis even if there are fewer points
    than dimensions.

    Examples
    --------
    >>> principal_axes(np.array([[0.0, 3.0, 0.0], [0.0, 5.0, 0.0]])).shape
    (3, 3)
    """
    n, dimension = points.shape
    if n >= 16 * dimension:
        points = points[:: n // (8 * dimension)]  # enough for the directions of a walk
    spread = triangle_of(points) if n >= dimension else points - points.mean(axis=0)
    return np.ascontiguousarray(np.linalg.svd(spread)[2])


def _shrunk_into(points: Floats, body: Body, generator: np.random.Generator) -> Floats:
    """Each point moved towards 0 until it is inside, then mixed for long: the last resort of
    `confine`.
    """
    gaps = points @ body.directions.T
    factors = np.min(body.offsets / np.maximum(-gaps, body.offsets), axis=1)
    factors = np.minimum(
        factors, body.radius / np.maximum(np.linalg.norm(points, axis=1), body.radius)
    )
    points = points * (0.999 * factors)[:, None]
    mix(points, np.ones(len(points), dtype=bool), body, 8 * SWEEPS, generator)
    return points
