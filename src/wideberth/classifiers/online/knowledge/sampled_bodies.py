r"""Offset polytopes represented by uniformly distributed points: shares of volumes are estimated by
counts with a confidence.

Of N independent points, the share of a body on one side of a cut is at most the u with
:math:`\mathrm{kl}(c/N, u) = 1/32`, where c points were counted and kl is the divergence of two
coins, with probability at least :math:`1 - e^{-N/32}` (Chernoff 1952). That u is at most :math:`c/N
+ 1/8` (Pinsker), and close to c/N when c is near 0.

Points stay uniformly distributed over a body that shrinks by walking at random
(`wideberth.classifiers.online.knowledge.populations`). How many independent points they are worth
is shown by their dispersion, and turned into a failure probability
(`wideberth.classifiers.online.stream`).
"""

from dataclasses import replace
from functools import cache
from math import log

import numpy as np
from scipy.special import rel_entr

from wideberth.array_types import Floats
from wideberth.classifiers.online.knowledge.halfspaces import (
    Cut,
    Rows,
    checked_points,
    reach_with_offsets,
    slab_share,
)
from wideberth.classifiers.online.knowledge.knowledge_set import Scales, State
from wideberth.classifiers.online.knowledge.population_kernels import count_sides
from wideberth.classifiers.online.knowledge.populations import (
    GROUPS,
    Body,
    Dispersion,
    confine,
    principal_axes,
    uniform_in_ball,
)
from wideberth.classifiers.online.knowledge.undecided import without_idle_scales
from wideberth.errors import InvalidInput
from wideberth.estimators import restored_values

MOST_POINTS = 2**16  # points of a population that is restored
TOLERANCE = (
    1 / 32
)  # largest divergence of a share from its count; by Pinsker they differ by 1/8 at most


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

    Parameters
    ----------
    scales : Scales
        The scales.
    points : int
        The number N of points of a population.
    seed : int
        Determines all random numbers.

    Examples
    --------
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
        slab = slab_share(
            self.scales, thickness, max(width, spread)
        )  # the points lie in the body, so it is at least as wide
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
            self._log_volumes = np.minimum.accumulate(
                boxes
            )  # a finer body lies in every coarser one
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

    Parameters
    ----------
    points : int
        The number N of points.

    Returns
    -------
    ndarray of shape (points + 1,)
        Entry c is the bound for c points; the array is cached and cannot be written to.

    Examples
    --------
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
    """The logarithm of the volume of a box that contains the body: an upper bound for any axes.

    Parameters
    ----------
    body : Body
        The body.
    axes : ndarray of shape (d, d)
        The directions of the edges of the box, orthonormal, one in each row.

    Examples
    --------
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
