r"""Offset polytopes represented by uniformly distributed points: shares of volumes are estimated by
counts with a confidence.

Of N independent points, the share of a body on one side of a cut is at most the u with
:math:`\mathrm{kl}(c/N, u) = 1/32`, where c points were counted and kl is the divergence of two
coins, with probability at least :math:`1 - e^{-N/32}` (Chernoff 1952). That u is at most :math:`c/N
+ 1/8` (Pinsker), and close to c/N when c is near 0.

*Populations* stay uniformly distributed over a body of rows while it shrinks. A body :math:`\{x :
a_j \cdot x \ge -b_j, |x| \le r\}`, :math:`b > 0`, only shrinks. Of uniformly distributed points,
those inside a smaller body are uniformly distributed over it. So where rows are added or offsets
fall, points outside are replaced by copies of points inside, and the copies walk at random
(`wideberth.classifiers.online.polytope_kernels.walk`) until they are far from their originals. The
uniform distribution is stationary under every step, so a walk that is too short leaves points where
they should be, but too much alike.

Copies are made within `GROUPS` groups of points only: groups have nothing in common but the
directions of the walk, so that how much their shares differ shows how much points of one group are
alike (`Dispersion`). How many independent points they are worth is turned into a failure
probability (`wideberth.classifiers.online.stream`).
"""

from dataclasses import dataclass, replace
from functools import cache
from math import log

import numpy as np
from scipy.special import rel_entr
from scipy.stats import chi2

from wideberth.array_types import Flags, Floats
from wideberth.classifiers.online.knowledge_set import Scales, State
from wideberth.classifiers.online.polytope_kernels import (
    count_sides,
    depths_inside,
    replace_lost,
    triangle_of,
    walk,
)
from wideberth.classifiers.online.polytopes import (
    Cut,
    Rows,
    checked_points,
    reach_with_offsets,
    slab_share,
    without_idle_scales,
)
from wideberth.errors import InvalidInput
from wideberth.estimators import restored_values

SWEEPS = 4  # passes of a copy through all axes
LEFT = 4  # a cut that would leave less than one point in LEFT is made in steps
STEPS = 500  # most steps of one cut; each leaves a share 1 / LEFT or more
GROUPS = 8  # groups of points that develop separately
MIDDLE = 0.1  # cuts that leave less than this, or all but this, tell little about points


@dataclass(frozen=True)
class Body:
    r"""A polytope within a ball, :math:`\{x : a_j \cdot x \ge -b_j, |x| \le r\}`."""

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

    >>> dispersion = Dispersion()
    >>> dispersion.inflation(0.001)  # the first points are independent
    1.0
    >>> dispersion.observe(np.repeat([True, False], 16))  # all points of a group are alike
    >>> dispersion.freedom, dispersion.inflation(0.5) > 4
    (7, True)
    """

    total: float = 0.0  # the sum of X over all cuts so far
    freedom: int = 0  # its degrees of freedom

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
    the points allows (one in ``LEFT``), and the next step starts from there. The points obey the
    rows before the ``first``. With a ``dispersion``, copies are made within groups only, cuts are
    added to it, and the number of points is a multiple of `GROUPS`.

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


MOST_POINTS = 2**16  # points of a population that is restored
# largest divergence of a share from its count; by Pinsker they differ by 1/8 at most
TOLERANCE = 1 / 32


class SampledBodies:
    """Populations of points, one for each scale that was ever active (`Bodies`).

    Proved: the constant. Likely: ``most_plus`` and ``most_minus``. Each of the two bounds the true
    share with probability at least :math:`1 - 2 e^{-N/32}`, for a query that was chosen
    independently of N independent, uniformly distributed points. Points that walk at random count
    as fewer, which `dispersion` shows; an adversary who observes the answers is not independent of
    them. As likely: volumes (`excess`). They start from that of the ball, every row multiplies that
    of its scale by the share that it left at most, and boxes around the bodies, which are proved,
    lower them further; in many dimensions a box is much larger than what it contains, and only the
    shares lower them.

    Then a label against the vote leaves at most 3/4: half by count, 1/8 for chance, 1/8 for the
    slab.

    >>> bodies = SampledBodies(Scales.for_ball(2, 2.0, 1.0), points=320, seed=0)
    >>> cut = bodies.cut(Rows(2), 0, np.array([1.0, 0.0]), thickness=0.0, width=4.0)
    >>> 0.4 < cut.vote < 0.6, bool(cut.left_plus <= cut.most_plus)
    (True, True)
    """

    kept = 3 / 4
    proved = False

    def __init__(self, scales: Scales, *, points: int, seed: int) -> None:
        self.scales, self.n_points, self.seed = scales, points, seed
        self._most = share_upper_bounds(points)
        self._populations: dict[int, Floats] = {}
        self.dispersion, self._grouped = Dispersion(), points % GROUPS == 0
        self._applied: dict[int, int] = {}  # by scale, the number of rows that its population obeys
        self._draws = 0
        self.initial_excess = scales.ball_excess()
        self._log_volumes = self.initial_excess + scales.log_small_balls()
        self._measured = 0  # the number of rows that the volumes take into account

    def cut(self, rows: Rows, scale: int, direction: Floats, thickness: float, width: float) -> Cut:
        """How a query divides the body of a scale, by counting; the population is brought up to
        date first.
        """
        above, plus, minus, spread = count_sides(self.points(rows, scale), direction, thickness)
        below = self.n_points - above
        # the points lie in the body, so it is at least as wide
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
        """The population of a scale, shape (points, dimension), confined to what the rows leave of
        its body.
        """
        applied = self._applied.get(scale, -1)
        if applied < len(rows):
            start = self._populations[scale] if applied >= 0 else self._start(rows, scale)
            self._populations[scale] = confine(
                start,
                self._body(rows, scale),
                max(applied, 0),
                self._generator(),
                dispersion=self.dispersion if self._grouped else None,
            )
            self._applied[scale] = len(rows)
        return self._populations[scale]

    def left(self, scale: int, share: float) -> None:
        """Multiply the volume of the body of a scale by the share that a row left of it at most."""
        volumes = self._log_volumes.copy()  # copies for outlooks share the array
        volumes[scale - self.scales.coarsest] += log(share)
        self._log_volumes = np.minimum.accumulate(volumes)

    def excess(self, rows: Rows) -> Floats:
        """Bounds of volumes by the shares that rows left, and by boxes along the principal axes of
        the finest population.

        They are never above an earlier bound.
        """
        if self._measured < len(rows) and self._populations:
            finest = max(self._populations)
            points = self._populations[finest]
            axes = principal_axes(points)
            boxes = self._log_volumes.copy()
            for position in range(finest - self.scales.coarsest + 1):
                body = self._body(rows, self.scales.coarsest + position)
                boxes[position] = min(boxes[position], log_box_volume(body, axes))
            # a finer body lies in every coarser one
            self._log_volumes = np.minimum.accumulate(boxes)
            small = self.scales.log_small_balls()
            self._log_volumes = small + without_idle_scales(
                self._log_volumes - small, self.scales, rows, points
            )
            self._measured = len(rows)
        return self._log_volumes - self.scales.log_small_balls()

    def scratch_copy(self) -> "SampledBodies":
        """A copy whose populations develop separately; points are never changed in place, so both
        share the present ones.
        """
        scratch = object.__new__(SampledBodies)
        scratch.__dict__.update(self.__dict__)  # as copy does, in a fifth of the time
        scratch._populations, scratch._applied = dict(self._populations), dict(self._applied)
        scratch.dispersion = replace(self.dispersion)
        return scratch

    def state(self) -> State:
        """Populations, the number of rows that each obeys, bounds of volumes, and how many
        generators were used.
        """
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
            "dispersion": self.dispersion.total,
            "freedom": self.dispersion.freedom,
        }

    @classmethod
    def from_state(cls, scales: Scales, state: State, n_rows: int) -> "SampledBodies":
        """The bodies with the given state, beside ``n_rows`` rows; an `InvalidInput` if there are
        no such bodies.
        """
        count = restored_values.whole(state, "points", least=1, most=MOST_POINTS)
        bodies = cls(
            scales,
            points=count,
            seed=restored_values.whole(state, "seed", least=0, most=restored_values.ANY_POSITION),
        )
        bodies._draws = restored_values.whole(
            state, "draws", least=0, most=restored_values.ANY_POSITION
        )
        bodies._measured = restored_values.whole(state, "measured", least=0, most=n_rows)
        total = restored_values.number(state, "dispersion", least=0.0, most=restored_values.FINITE)
        bodies.dispersion = Dispersion(
            total,
            restored_values.whole(state, "freedom", least=0, most=restored_values.ANY_POSITION),
        )
        bodies._log_volumes = restored_values.finite(state, "log_volumes", len(scales.indices))
        largest = scales.radius + scales.thickness(scales.coarsest)
        populations = checked_points(state, "populations", (None, count, scales.dimension), largest)
        applied = restored_values.codes(
            state, "applied", len(populations), below=n_rows + 1
        ).tolist()
        opened = restored_values.table(state, "opened", (len(populations),)).tolist()
        if len(set(opened)) < len(opened) or not set(opened) <= set(scales.indices.tolist()):
            raise InvalidInput(f"There are no populations for the scales {opened}.", value=opened)
        for scale, points, rows in zip(map(int, opened), populations, applied, strict=True):
            bodies._populations[scale], bodies._applied[scale] = points.copy(), rows
        return bodies

    def _start(self, rows: Rows, scale: int) -> Floats:
        """The points from which the population of a new scale starts: those of the next coarser
        one, or of the whole ball.
        """
        coarser = [opened for opened in self._populations if opened < scale]
        if coarser:
            return self.points(rows, max(coarser))
        radius = self.scales.radius + self.scales.thickness(scale)
        return uniform_in_ball(self.n_points, self.scales.dimension, radius, self._generator())

    def _body(self, rows: Rows, scale: int) -> Body:
        thickness = self.scales.thickness(scale)
        return Body(rows.directions, rows.slacks + thickness, self.scales.radius + thickness)

    def _generator(self) -> np.random.Generator:
        """A new generator that depends only on the seed and the number of earlier calls, so that
        two integers are its state.
        """
        self._draws += 1
        return np.random.default_rng((self.seed, self._draws))


@cache
def share_upper_bounds(points: int) -> Floats:
    r"""For each count c of points, the largest share u with :math:`\mathrm{kl}(c/N, u) \le 1/32`,
    by bisection.

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
    """The logarithm of the volume of a box that contains the body: an upper bound for any axes,
    orthonormal vectors in rows.

    >>> box = log_box_volume(Body(np.empty((0, 2)), np.empty(0), 1.0), np.eye(2))
    >>> round(float(np.exp(box)), 9)  # the square around the unit disc
    4.0
    """
    widths = [
        sum(
            reach_with_offsets(body.directions, body.offsets, body.radius, side * axis)
            for side in (1.0, -1.0)
        )
        for axis in axes
    ]
    return float(np.log(widths).sum())
