r"""Points spread evenly over a body :math:`\{x : a_j \cdot x \ge -b_j, |x| \le r\}` with :math:`b > 0`, kept so as it shrinks.

Of points that are spread evenly, those inside a smaller body are spread evenly over it. So where rows are added or offsets fall,
points outside are replaced by copies of points inside, and all of them wander (`walk_kernels.walk`) until copies have parted.
How long that takes is not proved here; ``SWEEPS`` passes through all directions of the points' own principal axes are enough in
practice, and tests compare shares with exact volumes.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wideberth.solvers.knowledge.walk_kernels import walk

Floats = NDArray[np.float64]

SWEEPS = 3  # passes through all axes after a cut
LEFT = 4  # a cut that would leave less than one point in LEFT is made in steps
STEPS = 500  # of one cut; each leaves a share 1 / LEFT or more


@dataclass(frozen=True)
class Body:
    """Rows, offsets and the radius of a ball around 0."""

    directions: Floats
    offsets: Floats
    radius: float


def in_ball(count: int, dimension: int, radius: float, generator: np.random.Generator) -> Floats:
    """Points spread evenly over a ball."""
    points = generator.standard_normal((count, dimension))
    lengths = radius * generator.random(count) ** (1 / dimension) / np.linalg.norm(points, axis=1)
    return np.asarray(points * lengths[:, None])


def confine(points: Floats, body: Body, first: int, generator: np.random.Generator) -> Floats:
    """Points spread evenly over ``body``, from such points of a larger one that obey its rows up to ``first``.

    Where few points are inside, the rows from ``first`` on, and the ball, first close in only as far as a share of the points
    allows: one in ``LEFT`` remains, and the next step starts from there.
    """
    for _ in range(STEPS):
        depths = _depths(points, body, first)
        inside = depths >= 0
        if inside.all():
            return points
        excess = 0.0 if LEFT * np.count_nonzero(inside) >= len(points) else -float(np.quantile(depths, 1 - 1 / LEFT))
        offsets = body.offsets.copy()
        offsets[first:] += excess
        points = _repopulate(points, depths >= -excess, generator)
        mix(points, Body(body.directions, offsets, body.radius + excess), SWEEPS, generator)
        if excess == 0.0:
            return points
    return _drawn_in(points, body, generator)


def mix(points: Floats, body: Body, sweeps: int, generator: np.random.Generator) -> None:
    """Let the points wander through the body, along their own principal axes."""
    chances = generator.random((len(points), sweeps * points.shape[1]))
    walk(points, body.directions, body.offsets, body.radius, principal_axes(points), chances)


def principal_axes(points: Floats) -> Floats:
    """As many axes as there are dimensions, one in each row, even if there are fewer points than that.

    >>> principal_axes(np.array([[0.0, 3.0, 0.0], [0.0, 5.0, 0.0]])).shape
    (3, 3)
    """
    n, dimension = points.shape
    axes = np.linalg.svd(points - points.mean(axis=0), full_matrices=n < dimension)[2]
    return np.ascontiguousarray(axes)


def _depths(points: Floats, body: Body, first: int) -> Floats:
    """How far inside the rows from ``first`` on, and the ball, each point is."""
    depths: Floats = body.radius - np.linalg.norm(points, axis=1)
    if first < len(body.directions):
        gaps = points @ body.directions[first:].T + body.offsets[first:]
        depths = np.minimum(depths, gaps.min(axis=1))
    return depths


def _repopulate(points: Floats, kept: NDArray[np.bool_], generator: np.random.Generator) -> Floats:
    """The points that are kept, and copies of them, drawn evenly, in the places of the others."""
    survivors = np.flatnonzero(kept)
    copies = survivors[generator.integers(len(survivors), size=len(points) - len(survivors))]
    return np.asarray(points[np.concatenate([survivors, copies])])


def _drawn_in(points: Floats, body: Body, generator: np.random.Generator) -> Floats:
    """Each point drawn towards 0, which every body holds, until it is inside; then long mixed. For cuts that nothing survives."""
    gaps = points @ body.directions.T
    factors = np.min(body.offsets / np.maximum(-gaps, body.offsets), axis=1)
    factors = np.minimum(factors, body.radius / np.maximum(np.linalg.norm(points, axis=1), body.radius))
    points = points * (0.999 * factors)[:, None]
    mix(points, body, 8 * SWEEPS, generator)
    return points
