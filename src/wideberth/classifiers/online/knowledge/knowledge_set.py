r"""What is known of a hidden vector w, :math:`|w| \le R`, when signs of :math:`\langle q, w \rangle` are told, query by query.

Nearest-centre labels are such signs: :math:`w = x_i - x_j` for two centres under the inner product. The knowledge set

.. math:: K = \{w : |w| \le R,\ a_j \cdot w \ge -s_j\}

holds every w that agrees with the past: one row :math:`a_j`, of length 1, for each label that was kept, with a slack
:math:`s_j \ge 0` where features are only nearly right. Engines keep K, or a body around it, in different ways and make the same
promises (`KnowledgeSet`).

They look at K on `Scales`. Scale i is there for queries in whose direction K is :math:`2^{-i}` to :math:`2^{1-i}` wide. On it K
is replaced by a body :math:`P_i` that holds :math:`K + z_i B`, fattened by a thickness far below that width,

.. math:: z_i = \frac{2^{-i}}{8 d},

so that the body never has less volume than the ball :math:`z_i B`. The potential adds up what the bodies can still lose,

.. math:: \Phi = C \sum_i 2^{-\alpha i} \ln \frac{\mathrm{Vol}(P_i)}{\mathrm{Vol}(z_i B)}, \qquad
          C = \frac{2^\alpha}{\ln(1/\kappa)},

where :math:`\kappa < 1` is the share of the body that a wrong answer leaves at most. A wrong answer at scale i then costs at most
:math:`(2^{1-i})^\alpha`, and :math:`\Phi` falls by at least as much (Guruganesh, Liu, Schneider & Wang 2021, Definition 9).
"""

from dataclasses import dataclass
from functools import cached_property
from math import ceil, lgamma, log, log2, pi
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from wideberth.arrays import Floats

State = dict[str, Any]  # names to numbers, text and arrays

FINEST = 32  # finer than this, bodies are thinner than rounding lets them be
RESOLUTION = 2.0**-FINEST  # reaches of a unit vector up to this count as zero


@dataclass(frozen=True)
class Scales:
    """Scales ``coarsest`` to ``finest`` of a knowledge set in the ball of ``radius``, for losses to the ``power`` alpha.

    ``share`` is the 8 of the thickness. With 16, rows may have slacks up to the thickness and cuts are as deep as without.

    >>> scales = Scales.for_ball(dimension=2, radius=2.0, power=1.0)
    >>> scales.coarsest, scales.thickness(0), scales.active(4.0), scales.active(1.0), scales.active(0.9)
    (-2, 0.0625, -2, 0, 1)
    >>> round(scales.potential(scales.ball_excess(), kept=5 / 8))
    194
    """

    dimension: int
    radius: float
    power: float
    coarsest: int
    finest: int = FINEST
    share: int = 8

    @classmethod
    def for_ball(cls, dimension: int, radius: float, power: float) -> "Scales":
        """The scales that a ball of this radius needs: its width, 2 radius, is at most 2^-coarsest."""
        return cls(dimension, radius, power, -ceil(log2(2 * radius)))

    @cached_property
    def indices(self) -> NDArray[np.int64]:
        """All scales, the coarsest first."""
        return np.arange(self.coarsest, self.finest + 1)

    @cached_property
    def thicknesses(self) -> Floats:
        """By how much the bodies of all scales are fattened, the coarsest first."""
        return self.widths / (self.share * self.dimension)

    @cached_property
    def widths(self) -> Floats:
        """The least widths that the scales are for, 2^-i, the coarsest first."""
        return 2.0 ** -self.indices.astype(np.float64)

    @cached_property
    def weights(self) -> Floats:
        """What the scales count for in the potential, 2^(-alpha i), the coarsest first."""
        return self.widths**self.power

    def thickness(self, scale: int) -> float:
        """By how much the body of a scale is fattened, z_i."""
        return float(2.0**-scale) / (self.share * self.dimension)

    def active(self, width: float) -> int:
        """The scale i with 2^-i <= width < 2^(1-i), or the nearest there is."""
        return min(self.finest, max(self.coarsest, ceil(-log2(width))))

    def weight(self, scale: int) -> float:
        """What a scale counts for in the potential, 2^(-alpha i)."""
        return float(2.0 ** (-self.power * scale))

    def constant(self, kept: float) -> float:
        """The constant C of the potential when a wrong answer keeps at most the share ``kept``."""
        return float(2.0**self.power) / log(1 / kept)

    def ball_excess(self) -> Floats:
        """For every scale, the logarithm of the volume of the ball of radius R + z_i over that of the ball of radius z_i."""
        return self.dimension * np.log1p(self.radius / self.thicknesses)

    def log_small_balls(self) -> Floats:
        """For every scale, the logarithm of the volume of the ball of radius z_i."""
        unit_ball = self.dimension / 2 * log(pi) - lgamma(self.dimension / 2 + 1)
        return unit_ball + self.dimension * np.log(self.thicknesses)

    def potential(self, excess: Floats, *, kept: float) -> float:
        """The potential of bodies whose volumes, as logarithms and beyond the balls z_i B, are ``excess``."""
        return self.constant(kept) * float(self.weights @ excess)


@dataclass(frozen=True)
class Outlook:
    """What may be said of a query before its sign is known.

    ``loss_plus`` is the most that the answer - can lose if + is true, ``loss_minus`` the most that + can lose if - is true.
    ``drop_plus`` and ``drop_minus`` are what the potential loses if the sign + or - is learned. ``vote`` in [0, 1] is the share
    of what is still possible that says +. ``certain`` is the sign that the past implies, or 0.
    """

    loss_plus: float
    loss_minus: float
    drop_plus: float
    drop_minus: float
    vote: float
    certain: int

    @property
    def loss(self) -> float:
        """The most that a wrong answer can lose; 0 where the past implies the right one."""
        return 0.0 if self.certain else max(self.loss_plus, self.loss_minus)

    @property
    def answer(self) -> int:
        """The sign to answer when two classes are all there are: the certain one, or that of the majority."""
        return self.certain or (1 if self.vote >= 0.5 else -1)


@dataclass(frozen=True)
class Lesson:
    """What learning a sign did.

    ``drop`` is what the potential lost, never less than the outlook announced for that sign; where drops are not proved it is
    what was announced. ``stored`` says whether the sign changed what is known. ``contradiction`` says that no w in K gives the
    query this sign by more than :math:`2^{-32} |q|`, so that at best a tie explains it; such a sign is not learned.
    """

    drop: float
    stored: bool
    contradiction: bool


class KnowledgeSet(Protocol):
    r"""What every engine promises; :math:`\alpha` is the power of the loss.

    1. :math:`-h_- \le \langle q, w \rangle \le h_+` for every w in K, with :math:`(h_+, h_-)` from `reach`.
    2. ``loss_plus`` = :math:`h_+^\alpha`, ``loss_minus`` = :math:`h_-^\alpha`. A sign is certain where the opposite one reaches
       at most :math:`2^{-32} |q|`; that little counts as nothing.
    3. For :math:`|q| \le 1`, rows without slack, and a query that is not certain, the drop of the sign that loses the vote is at
       least ``loss``: `Outlook.answer` is a potential-based algorithm in the sense of Guruganesh, Liu, Schneider & Wang (2021),
       Definition 9. With `Scales` of one's own this holds for widths from :math:`2^{-finest}` to :math:`2^{1-coarsest}`.
    4. `learn` executes the drop that `outlook` announced, or more.
    5. `potential` never rises and is never less than what losses are still to come; it starts at ``initial_potential`` or below.

    ``proved`` says whether drops are proved, or only likely (the engine says how likely) or only plausible. Queries that differ
    by a positive factor get the same votes, drops and certain signs.
    """

    proved: bool
    scales: Scales

    @property
    def n_rows(self) -> int:
        """How many rows are kept."""

    @property
    def directions(self) -> Floats:
        """The rows that are kept, each of length 1 and turned so that <row, w> >= 0."""

    @property
    def initial_potential(self) -> float:
        """The potential before the first sign: a bound of the loss of any stream, as far as `proved` says."""

    def reach(self, query: Floats) -> tuple[float, float]:
        """Upper bounds of <q, w> and of -<q, w> over K."""

    def outlook(self, query: Floats, *, slack: float = 0.0) -> Outlook:
        """What is known of the sign of a query, and what learning it would bring if it only means sign <q, w> >= -slack."""

    def learn(self, query: Floats, sign: int, *, informative_only: bool = True, slack: float = 0.0) -> Lesson:
        """Learn that sign <q, w> >= -slack, sign being 1 or -1; ``informative_only`` leaves out what changes next to nothing."""

    def scratch_copy(self) -> Self:
        """The same knowledge for questions that shall leave no trace here; from then on, learn with one of the two only."""

    def potential(self) -> float:
        """A bound of all the loss to come."""

    def state(self) -> State:
        """All there is to remember, as numbers, text and arrays; what comes back from it goes on in exactly the same way."""
