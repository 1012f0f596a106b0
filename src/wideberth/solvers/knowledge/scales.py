r"""The scales on which a knowledge set is looked at, and the constants that go with them.

Scale i is there for queries in whose direction the knowledge set K is :math:`2^{-i}` to :math:`2^{1-i}` wide. On it K is replaced
by a body that holds :math:`K + z_i B`, fattened by a thickness far below that width,

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

import numpy as np
from numpy.typing import NDArray

FINEST = 32  # finer than this, bodies are thinner than rounding lets them be
RESOLUTION = 2.0**-FINEST  # reaches of a unit vector up to this count as zero


@dataclass(frozen=True)
class Scales:
    """Scales ``coarsest`` to ``finest`` of a knowledge set in the ball of ``radius``, for losses to the ``power`` alpha.

    ``share`` is the 8 of the thickness. With 16, rows may have slacks up to the thickness and cuts are as deep as without.

    >>> scales = Scales.of(dimension=2, radius=2.0, power=1.0)
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
    def of(cls, dimension: int, radius: float, power: float) -> "Scales":
        """The scales that a ball of this radius needs: its width, 2 radius, is at most 2^-coarsest."""
        return cls(dimension, radius, power, -ceil(log2(2 * radius)))

    @cached_property
    def indices(self) -> NDArray[np.int64]:
        """All scales, the coarsest first."""
        return np.arange(self.coarsest, self.finest + 1)

    @cached_property
    def thicknesses(self) -> NDArray[np.float64]:
        """By how much the bodies of all scales are fattened, the coarsest first."""
        return self.widths / (self.share * self.dimension)

    @cached_property
    def widths(self) -> NDArray[np.float64]:
        """The least widths that the scales are for, 2^-i, the coarsest first."""
        return 2.0 ** -self.indices.astype(np.float64)

    @cached_property
    def weights(self) -> NDArray[np.float64]:
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

    def ball_excess(self) -> NDArray[np.float64]:
        """For every scale, the logarithm of the volume of the ball of radius R + z_i over that of the ball of radius z_i."""
        return self.dimension * np.log1p(self.radius / self.thicknesses)

    def log_small_balls(self) -> NDArray[np.float64]:
        """For every scale, the logarithm of the volume of the ball of radius z_i."""
        unit_ball = self.dimension / 2 * log(pi) - lgamma(self.dimension / 2 + 1)
        return unit_ball + self.dimension * np.log(self.thicknesses)

    def potential(self, excess: NDArray[np.float64], *, kept: float) -> float:
        """The potential of bodies whose volumes, as logarithms and beyond the balls z_i B, are ``excess``."""
        return self.constant(kept) * float(self.weights @ excess)
