r"""Offset polytopes seen through points spread evenly over them: votes and shares are counts, and counts have a confidence.

Of N independent points, the share of a body on one side of a cut is at most the u with :math:`\mathrm{kl}(c/N, u) = 1/32`, where
c points were counted and kl is the divergence of two coins, with probability at least :math:`1 - e^{-N/32}` (Chernoff 1952). That
u is at most :math:`c/N + 1/8` (Pinsker), and close to c/N when c is near 0.

A body :math:`\{x : a_j \cdot x \ge -b_j, |x| \le r\}`, :math:`b > 0`, only shrinks. Of points that are spread evenly, those
inside a smaller body are spread evenly over it. So where rows are added or offsets fall, points outside are replaced by copies of
points inside, and all of them wander (`wideberth.classifiers.online.knowledge.rows_kernels.walk`) until copies have parted. How
long that takes is not proved here; ``SWEEPS`` passes through all directions of the points' own principal axes are enough in
practice, and tests compare shares with exact volumes.
"""

from copy import copy
from dataclasses import dataclass
from functools import cache

import numpy as np
from scipy.special import rel_entr

from wideberth.arrays import Flags, Floats
from wideberth.classifiers.online.knowledge.knowledge_set import Scales, State
from wideberth.classifiers.online.knowledge.rows import Cut, Rows, reach_with_offsets, slab_share
from wideberth.classifiers.online.knowledge.rows_kernels import walk

SWEEPS = 3  # passes through all axes after a cut
LEFT = 4  # a cut that would leave less than one point in LEFT is made in steps
STEPS = 500  # most steps of one cut; each leaves a share 1 / LEFT or more
TOLERANCE = 1 / 32  # divergence up to which a share may differ from what was counted; by Pinsker, by 1/8 at most


@dataclass(frozen=True)
class Body:
    """Rows, offsets and the radius of a ball around 0."""

    directions: Floats
    offsets: Floats
    radius: float


class SampledBodies:
    r"""Populations of points, one for each scale that was ever active.

    Proved: volumes (`excess`, by boxes), and the constant. Likely: ``most_plus`` and ``most_minus``. Each of the two bounds the
    true share with probability at least :math:`1 - 2 e^{-N/32}` (0.9999 for N = 320), for a query that was chosen
    independently of N independent, evenly spread points. Points that wander are nearly that, with no proof of how nearly; an
    opponent who watches the answers is not independent of them.

    Then a label against the vote leaves at most 3/4: half by count, 1/8 for chance, 1/8 for the slab.
    """

    kept = 3 / 4
    proved = False

    def __init__(self, scales: Scales, *, points: int, seed: int) -> None:
        self.scales, self.n_points, self.seed = scales, points, seed
        self._most = share_upper_bounds(points)
        self._populations: dict[int, Floats] = {}
        self._applied: dict[int, int] = {}  # by scale, the number of rows that its population obeys
        self._draws = 0
        self.initial_excess = scales.ball_excess()
        self._log_volumes = self.initial_excess + scales.log_small_balls()
        self._measured = 0  # the number of rows that the volumes take into account

    def cut(self, rows: Rows, scale: int, direction: Floats, thickness: float, width: float) -> Cut:
        """What a query does to the body of a scale, by counting; the population is brought up to date first."""
        heights = self.points(rows, scale) @ direction
        above = int(np.count_nonzero(heights > 0))
        below = self.n_points - above
        plus, minus = int(np.count_nonzero(heights >= -thickness)), int(np.count_nonzero(heights <= thickness))
        spread = float(heights.max() - heights.min())  # the points lie in the body, so it is at least as wide
        slab = slab_share(self.scales, thickness, max(width, spread))
        total, most = self.n_points, self._most
        return Cut(
            vote=above / total,
            left_plus=min(plus / total, above / total + slab),
            left_minus=min(minus / total, below / total + slab),
            most_plus=min(most[plus], most[above] + slab),
            most_minus=min(most[minus], most[below] + slab),
        )

    def points(self, rows: Rows, scale: int) -> Floats:
        """The population of a scale, confined to what the rows leave of its body."""
        applied = self._applied.get(scale, -1)
        if applied < len(rows):
            start = self._populations[scale] if applied >= 0 else self._start(rows, scale)
            self._populations[scale] = confine(start, self._body(rows, scale), max(applied, 0), self._generator())
            self._applied[scale] = len(rows)
        return self._populations[scale]

    def excess(self, rows: Rows) -> Floats:
        """Bounds by boxes along the principal axes of the finest population, and never above an earlier bound."""
        if self._measured < len(rows) and self._populations:
            finest = max(self._populations)
            points = self._populations[finest]
            axes = principal_axes(points)
            for position in range(finest - self.scales.coarsest + 1):
                body = self._body(rows, self.scales.coarsest + position)
                self._log_volumes[position] = min(self._log_volumes[position], log_box_volume(body, axes))
            self._log_volumes = np.minimum.accumulate(self._log_volumes)  # a finer body lies in every coarser one
            self._measured = len(rows)
        return self._log_volumes - self.scales.log_small_balls()

    def scratch_copy(self) -> "SampledBodies":
        """A twin whose populations go their own way; points never move in place, so both share those there are."""
        scratch = copy(self)
        scratch._populations, scratch._applied = dict(self._populations), dict(self._applied)
        return scratch

    def state(self) -> State:
        """Populations, the rows they obey, and where the stream of random numbers is."""
        opened = sorted(self._populations)
        shape = (len(opened), self.n_points, self.scales.dimension)
        return {
            "points": self.n_points,
            "seed": self.seed,
            "draws": self._draws,
            "opened": np.array(opened, dtype=np.int64),
            "populations": np.array([self._populations[scale] for scale in opened]).reshape(shape),
            "applied": np.array([self._applied[scale] for scale in opened], dtype=np.int64),
            "log_volumes": self._log_volumes.copy(),
            "measured": self._measured,
        }

    @classmethod
    def from_state(cls, scales: Scales, state: State) -> "SampledBodies":
        """The bodies that gave this state."""
        bodies = cls(scales, points=int(state["points"]), seed=int(state["seed"]))
        bodies._draws, bodies._measured = int(state["draws"]), int(state["measured"])
        for scale, points, applied in zip(state["opened"], state["populations"], state["applied"], strict=True):
            bodies._populations[int(scale)], bodies._applied[int(scale)] = np.array(points), int(applied)
        bodies._log_volumes = np.array(state["log_volumes"])
        return bodies

    def _start(self, rows: Rows, scale: int) -> Floats:
        """Where the population of a new scale comes from: the next coarser one, whose body holds that of the new scale."""
        coarser = [opened for opened in self._populations if opened < scale]
        if coarser:
            return self.points(rows, max(coarser))
        radius = self.scales.radius + self.scales.thickness(scale)
        return uniform_in_ball(self.n_points, self.scales.dimension, radius, self._generator())

    def _body(self, rows: Rows, scale: int) -> Body:
        thickness = self.scales.thickness(scale)
        return Body(rows.directions, rows.slacks + thickness, self.scales.radius + thickness)

    def _generator(self) -> np.random.Generator:
        """Fresh random numbers that depend on the seed and on how often this was asked: a state is two integers."""
        self._draws += 1
        return np.random.default_rng((self.seed, self._draws))


@cache
def share_upper_bounds(points: int) -> Floats:
    r"""By the number c of ``points`` counted, the largest share u with :math:`\mathrm{kl}(c/N, u) \le 1/32`.

    >>> share_upper_bounds(320)[[0, 160, 320]].round(3)
    array([0.031, 0.623, 1.   ])
    """
    shares = np.arange(points + 1) / points
    low, high = shares.copy(), np.ones(points + 1)
    for _ in range(60):
        middle = (low + high) / 2
        too_far = rel_entr(shares, middle) + rel_entr(1 - shares, 1 - middle) > TOLERANCE
        low, high = np.where(too_far, low, middle), np.where(too_far, middle, high)
    high.flags.writeable = False  # the cached table is shared by all callers
    return high


def log_box_volume(body: Body, axes: Floats) -> float:
    """The logarithm of the volume of a box along ``axes``, orthonormal, that holds the body: a bound whatever the axes are."""
    widths = [
        sum(reach_with_offsets(body.directions, body.offsets, body.radius, side * axis) for side in (1.0, -1.0)) for axis in axes
    ]
    return float(np.log(widths).sum())


def uniform_in_ball(count: int, dimension: int, radius: float, generator: np.random.Generator) -> Floats:
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
    return _shrunk_into(points, body, generator)


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


def _repopulate(points: Floats, kept: Flags, generator: np.random.Generator) -> Floats:
    """The points that are kept, and copies of them, drawn evenly, in the places of the others."""
    survivors = np.flatnonzero(kept)
    copies = survivors[generator.integers(len(survivors), size=len(points) - len(survivors))]
    return np.asarray(points[np.concatenate([survivors, copies])])


def _shrunk_into(points: Floats, body: Body, generator: np.random.Generator) -> Floats:
    """Each point drawn towards 0, which every body holds, until it is inside; then long mixed. For cuts that nothing survives."""
    gaps = points @ body.directions.T
    factors = np.min(body.offsets / np.maximum(-gaps, body.offsets), axis=1)
    factors = np.minimum(factors, body.radius / np.maximum(np.linalg.norm(points, axis=1), body.radius))
    points = points * (0.999 * factors)[:, None]
    mix(points, body, 8 * SWEEPS, generator)
    return points
