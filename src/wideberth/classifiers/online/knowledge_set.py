r"""The interface of knowledge sets: what is known of a hidden vector w from signs of its inner
products with queries.

Nearest-centre labels are such signs: :math:`w = x_i - x_j` for two centres under the inner product.
The knowledge set

.. math:: K = \{w : |w| \le R,\ a_j \cdot w \ge -s_j\}

is the set of all w that agree with the past: one row :math:`a_j`, of length 1, for each label that
was stored, with a slack :math:`s_j \ge 0` where features are inexact. Engines keep K, or a body
around it, in different ways and give the same guarantees (`KnowledgeSet`).

They look at K on `Scales`. Scale i is used for queries in whose direction K is :math:`2^{-i}` to
:math:`2^{1-i}` wide. On it K is replaced by a body :math:`P_i` that contains :math:`K + z_i B`,
fattened by a thickness far below that width,

.. math:: z_i = \frac{2^{-i}}{8 d},

so that the body never has less volume than the ball :math:`z_i B`. The potential adds up what the
bodies can still lose,

.. math:: \Phi = C \sum_i \min(2^{1-i}, R)^\alpha \ln \frac{\mathrm{Vol}(P_i)}{V_i}, \qquad C =
    \frac{1}{\ln(1/\kappa)},

where :math:`\kappa < 1` is the largest share of the body that a wrong answer leaves, and
:math:`V_i` the least volume that the body can have. Rows without slacks leave a cone, which
contains with w all its multiples, up to the length R: the body contains a segment of this length,
fattened by z_i, and :math:`V_i = \mathrm{Vol}_d z_i^d + R\, \mathrm{Vol}_{d-1} z_i^{d-1}` with the
volumes of unit balls (derived here; where rows have slacks, only the first term). A wrong answer at
scale i then costs at most :math:`\min(2^{1-i}, R)^\alpha`, and :math:`\Phi` falls by at least as
much (Guruganesh, Liu, Schneider & Wang 2021, Definition 9).
"""

from dataclasses import dataclass
from functools import cached_property
from math import ceil, exp, inf, lgamma, log, log2, pi, sqrt
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from wideberth.array_types import Floats

State = dict[str, Any]  # names to numbers, text and arrays

FINEST = 32  # on finer scales, bodies would be thinner than rounding allows
RESOLUTION = 2.0**-FINEST  # reaches of a unit vector up to this count as zero


def to_power(loss: float, power: float) -> float:
    """A loss to a power, infinite where floating-point numbers end.

    >>> to_power(3.0, 2.0), to_power(1e200, 2.0)
    (9.0, inf)
    """
    try:
        return float(loss**power)
    except OverflowError:
        return inf


@dataclass(frozen=True)
class Scales:
    r"""The scales of a knowledge set in a ball, and the weights of its potential.

    Arrays have one entry for each scale, the coarsest first.

    >>> scales = Scales.for_ball(dimension=2, radius=2.0, power=1.0)
    >>> (
    ...     scales.coarsest,
    ...     scales.thickness(0),
    ...     scales.active(4.0),
    ...     scales.active(1.0),
    ...     scales.active(0.9),
    ... )
    (-2, 0.0625, -2, 0, 1)
    >>> round(scales.potential(scales.ball_excess(), kept=5 / 8))
    64
    """

    dimension: int
    radius: float  # R
    power: float  # alpha
    coarsest: int
    finest: int = FINEST
    # of the thickness 2^-i / 8d; with 16, rows may have slacks up to the thickness, and a wrong
    # answer still leaves no larger share than without slacks
    share: int = 8
    cone: bool = True  # whether rows have no slacks
    # a factor and a power: losses are at most the reach to the power alpha, and also at most the
    # factor times the reach to this other power
    other_bound: tuple[float, float] | None = None

    @classmethod
    def for_ball(
        cls,
        dimension: int,
        radius: float,
        power: float,
        *,
        cone: bool = True,
        other_bound: tuple[float, float] | None = None,
    ) -> "Scales":
        """The scales that a ball needs: its width, 2 ``radius``, is at most
        :math:`2^{-coarsest}`.
        """
        return cls(
            dimension, radius, power, -ceil(log2(2 * radius)), cone=cone, other_bound=other_bound
        )

    def loss(self, reach: float) -> float:
        """The most that a wrong answer can lose where vectors reach this far against it.

        >>> (
        ...     Scales.for_ball(2, 2.0, 2.0).loss(0.5),
        ...     Scales.for_ball(2, 2.0, 2.0, other_bound=(0.3, 1.0)).loss(0.5),
        ... )
        (0.25, 0.15)
        """
        loss = float(reach**self.power)
        return (
            loss
            if self.other_bound is None
            else min(loss, float(self.other_bound[0] * reach ** self.other_bound[1]))
        )

    @cached_property
    def indices(self) -> NDArray[np.int64]:
        """The numbers of all scales."""
        return np.arange(self.coarsest, self.finest + 1)

    @cached_property
    def thicknesses(self) -> Floats:
        """The thickness z_i by which the body of each scale is fattened."""
        return self.widths / (self.share * self.dimension)

    @cached_property
    def widths(self) -> Floats:
        """The smallest width 2^-i that each scale is for."""
        return 2.0 ** -self.indices.astype(np.float64)

    @cached_property
    def weights(self) -> Floats:
        """The weight of each scale in the potential: the most that a wrong answer loses there."""
        return np.array([self.weight(int(scale)) for scale in self.indices])

    def thickness(self, scale: int) -> float:
        """The thickness z_i of one scale."""
        return float(2.0**-scale) / (self.share * self.dimension)

    def active(self, width: float) -> int:
        """The scale i with 2^-i <= width < 2^(1-i), or the nearest there is."""
        return min(self.finest, max(self.coarsest, ceil(-log2(width))))

    def weight(self, scale: int) -> float:
        """The weight of one scale in the potential."""
        return self.loss(min(float(2.0 ** (1 - scale)), self.radius))

    def constant(self, kept: float) -> float:
        """The constant C of the potential if a wrong answer leaves at most the share ``kept`` of a
        body.
        """
        return 1 / log(1 / kept)

    def ball_excess(self) -> Floats:
        """The logarithm of the volume of the ball of radius R + z_i over that of radius z_i, for
        each scale.
        """
        return self.dimension * np.log1p(self.radius / self.thicknesses)

    def log_small_balls(self) -> Floats:
        """The logarithm of the volume of the ball of radius z_i, for each scale."""
        unit_ball = self.dimension / 2 * log(pi) - lgamma(self.dimension / 2 + 1)
        return unit_ball + self.dimension * np.log(self.thicknesses)

    @cached_property
    def least_excess(self) -> Floats:
        """The least logarithm of the volume of a body over that of the ball of radius z_i, for each
        scale.
        """
        if not self.cone:
            return np.zeros(len(self.indices))
        sections = exp(lgamma(self.dimension / 2 + 1) - lgamma((self.dimension + 1) / 2)) / sqrt(pi)
        return np.log1p(self.radius * sections / self.thicknesses)

    def potential(self, excess: Floats, *, kept: float) -> float:
        """The potential of bodies, from the logarithm of the volume of each over that of the ball
        z_i B.
        """
        return self.constant(kept) * float(
            self.weights @ np.maximum(excess - self.least_excess, 0.0)
        )


@dataclass(frozen=True)
class Outlook:
    """What is known of the sign of a query, and what each answer can lose and teach.

    >>> outlook = Outlook(
    ...     loss_plus=0.3, loss_minus=0.5, drop_plus=1.0, drop_minus=2.0, vote=0.7, certain=0
    ... )
    >>> outlook.answer, outlook.loss
    (1, 0.5)
    """

    loss_plus: float  # the most that the answer - can lose if + is true
    loss_minus: float  # the most that the answer + can lose if - is true
    drop_plus: float  # how much the potential falls if the sign + is learned
    drop_minus: float
    vote: float  # the share of the vectors still possible for which the sign is +
    certain: int  # the sign that earlier signs imply, 1 or -1, or 0 if none is implied

    @property
    def loss(self) -> float:
        """The most that a wrong answer can lose; 0 where the right one is certain."""
        return 0.0 if self.certain else max(self.loss_plus, self.loss_minus)

    @property
    def answer(self) -> int:
        """The best answer if there are only two classes: the certain sign, or that of the
        majority.
        """
        return self.certain or (1 if self.vote >= 0.5 else -1)


@dataclass(frozen=True)
class Lesson:
    """The effect of learning a sign."""

    # how much the potential fell: at least what the outlook announced for that sign, or, where
    # drops are not proved, just that
    drop: float
    stored: bool  # whether the sign changed what is known
    # whether no w in K gives the query this sign by more than 2^-32 |q|, so that at best a tie
    # explains it; engines that rule vectors out do not learn such a sign
    contradiction: bool


class KnowledgeSet(Protocol):
    r"""What every engine guarantees; :math:`\alpha` is the power of the loss.

    1. :math:`-h_- \le \langle q, w \rangle \le h_+` for every w in K, with :math:`(h_+, h_-)` from
       `reach`.
    2. ``loss_plus`` = :math:`h_+^\alpha`, ``loss_minus`` = :math:`h_-^\alpha`. A sign is certain
       where the opposite one reaches at most :math:`2^{-32} |q|`; that counts as 0.
    3. For :math:`|q| \le 1`, rows without slack, and a query that is not certain, the drop of the
       sign that loses the vote is at least ``loss``: `Outlook.answer` is a potential-based
       algorithm in the sense of Guruganesh, Liu, Schneider & Wang (2021), Definition 9. With other
       `Scales` than `Scales.for_ball` this holds for widths from :math:`2^{-finest}` to
       :math:`2^{1-coarsest}`.
    4. `learn` lowers the potential by the drop that `outlook` announced, or more.
    5. `potential` never rises and is never less than the losses still to come; it starts at
       ``initial_potential`` or below.

    Queries that differ by a positive factor get the same votes, drops and certain signs.
    """

    proved: bool  # whether drops are proved; if not, they are only likely, or only plausible
    engine: str
    scales: Scales
    # the largest share of the active body that learning a sign against the vote leaves; 1 where
    # none is known
    kept: float

    @property
    def n_rows(self) -> int:
        """How many rows are stored."""

    @property
    def directions(self) -> Floats:
        """The stored rows, shape (n_rows, dimension), each of length 1 and oriented so that <row,
        w> >= 0.
        """

    @property
    def initial_potential(self) -> float:
        """The potential before the first sign: a bound of the loss of any stream, if `proved`."""

    def reach(self, query: Floats) -> tuple[float, float]:
        """Upper bounds of <q, w> and of -<q, w> over K."""

    def outlook(self, query: Floats, *, slack: float = 0.0) -> Outlook:
        """What is known of the sign of a query of length at most 1, and what learning it would do."""

    def learn(
        self, query: Floats, sign: int, *, informative_only: bool = True, slack: float = 0.0
    ) -> Lesson:
        """Learn that sign <q, w> >= -slack, where features err by the slack; with
        ``informative_only`` rows that would change almost nothing are skipped.
        """

    def scratch_copy(self) -> Self:
        """The same knowledge, for outlooks that do not change this one; from then on, learn with
        only one of the two.
        """

    def with_implied_row(self, row: Floats) -> Self:
        """A copy to which <row, w> >= 0 was added, which is known to be true although bodies around
        K may not show it.
        """

    def potential(self) -> float:
        """A bound of the total future loss."""

    def state(self) -> State:
        """All that must be remembered, as numbers, text and arrays; restored from it, knowledge
        continues in the same way.
        """
