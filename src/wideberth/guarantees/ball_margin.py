r"""The best margin of a function from a ball, in hindsight: how much of the sample has it, and what its ball costs."""

from collections.abc import Callable
from dataclasses import dataclass
from math import log

import numpy as np
from numpy.typing import NDArray

from wideberth.bounds.lipschitz_ball import measured_ball_risk
from wideberth.bounds.strata import STRATA_PER_OCTAVE, log_share, open_stratum

Floats = NDArray[np.float64]

#: The margin that is wide for this share of the sample, or less, is not tried: there the loss is almost 1.
_FEWEST = 0.02
#: Margins that are 2 to this power times as narrow as the widest are not tried either: their balls are too rich.
_OCTAVES = 30


@dataclass(frozen=True)
class BallMargin:
    r"""A margin :math:`1 / L` and what it proves: the ``loss`` at it, the ``stratum`` of L, and the ``complexity`` of its ball.

    .. math:: \frac1n \sum_i \min\{1, \max\{0, 1 - L m_i\}\} + 2 \hat R_n + 3 \sqrt{\frac{\ln(2/\delta_i)}{2n}}
    """

    n: int
    norm: float
    stratum: int
    loss: float
    complexity: float
    delta: float

    @property
    def risk(self) -> float:
        """The bound of the error, at most 1."""
        share = log(self.delta) + log_share(self.stratum)
        return min(1.0, measured_ball_risk(self.loss, self.complexity, self.n, log_delta=share))

    def evidence(self) -> dict[str, float]:
        """The numbers from which `risk` follows."""
        return {
            "objects": self.n,
            "margin_loss": self.loss,
            "rademacher": self.complexity,
            "norm": self.norm,
            "stratum": self.stratum,
            "delta": self.delta,
        }


def best_margin(margins: Floats, complexity: Callable[[float], float], *, delta: float) -> BallMargin:
    r"""The margin with the smallest bound, for a function of norm 1 that has the ``margins`` :math:`m_i` on the sample.

    Times L it has the norm L; strata of L pay for the choice (`wideberth.bounds.lipschitz_ball.stratified_ball_risk`).
    ``complexity`` maps a norm to an upper bound of :math:`\hat R_n` of its ball. A margin of 0 or less is an error.

    >>> best_margin(np.full(10**6, 0.5), lambda norm: 0.01 * norm, delta=0.05).norm  # margins of 1/2 are 1 at the norm 2
    2.0
    """
    tried = (
        BallMargin(len(margins), norm, stratum, _loss(margins, norm), complexity(norm), delta)
        for stratum, norm in _strata(margins)
    )
    return min(tried, key=lambda each: (each.risk, each.loss + 2 * each.complexity))


def _loss(margins: Floats, norm: float) -> float:
    return float(np.clip(1.0 - norm * margins, 0.0, 1.0).mean())


def _strata(margins: Floats) -> list[tuple[int, float]]:
    """The strata of all margins that some of the objects, but not all, have by far."""
    usual = np.sort(margins[(margins > 0) & np.isfinite(margins)])
    if not len(usual):
        return [open_stratum(1.0)]
    widest, narrowest = usual[-1 - int(_FEWEST * len(usual))], usual[int(_FEWEST * len(usual))]
    first, last = np.floor(STRATA_PER_OCTAVE * np.log2([0.5 / widest, 1 / narrowest]))
    last = min(max(last, 0), first + _OCTAVES * STRATA_PER_OCTAVE)  # a norm of 1 has the largest share of delta
    return [open_stratum(2.0 ** (each / STRATA_PER_OCTAVE)) for each in np.arange(first, last + 2)]
