"""The best margin in hindsight, for any ball of functions: how much of a sample has the margin, and
what the ball costs.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import log

import numpy as np

from wideberth.array_types import Floats
from wideberth.bounds.lipschitz_ball import measured_ball_risk
from wideberth.bounds.strata import STRATA_PER_OCTAVE, log_share, open_stratum

#: Margins that at most this share of the sample reaches are not tried: the loss there is almost 1.
_FEWEST = 0.02
#: Margins that are 2 to this power times as narrow as the widest are not tried either: their balls
#: are too rich.
_OCTAVES = 30


@dataclass(frozen=True)
class BallMargin:
    r"""A margin :math:`1 / L` and the bound of the error that it proves,

    .. math:: \frac1n \sum_i \min\{1, \max\{0, 1 - L m_i\}\} + 2 \hat R_n + 3
        \sqrt{\frac{\ln(2/\delta_i)}{2n}}

    where :math:`\delta_i` is the share of delta that belongs to the stratum of L.

    Attributes
    ----------
    n : int
        The number of objects.
    norm : float
        L, one over the margin.
    stratum : int
        The number of the stratum of L (`wideberth.bounds.strata`).
    loss : float
        The mean ramp loss on the sample, the first term.
    complexity : float
        An upper bound of the Rademacher average of the ball of norm L on the sample.
    delta : float
        The probability with which the bound may fail, for all strata together.

    Examples
    --------
    >>> BallMargin(n=10**6, norm=1.0, stratum=1, loss=0.1, complexity=0.05, delta=0.05).risk < 0.21
    True
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
        """The numbers from which `risk` follows, for a certificate."""
        return {
            "objects": self.n,
            "margin_loss": self.loss,
            "rademacher": self.complexity,
            "norm": self.norm,
            "stratum": self.stratum,
            "delta": self.delta,
        }


def best_margin(
    margins: Floats, complexity: Callable[[float], float], *, delta: float
) -> BallMargin:
    r"""The margin with the smallest bound, for a function of norm 1 with given margins on the
    sample.

    The function times L has the norm L; strata of L pay for the choice
    (`wideberth.bounds.lipschitz_ball.stratified_ball_risk`).

    Parameters
    ----------
    margins : ndarray of shape (n,)
        The margins :math:`m_i`; 0 or less counts as an error.
    complexity : callable
        Maps a norm to an upper bound of :math:`\hat R_n` of the ball of this norm.
    delta : float
        The probability with which the bound may fail.

    Returns
    -------
    BallMargin
        Of equal bounds, such as several of 1, the one with the smallest loss and complexity.

    Examples
    --------
    >>> best_margin(
    ...     np.full(10**6, 0.5), lambda norm: 0.01 * norm, delta=0.05
    ... ).norm  # margins of 1/2 are 1 at the norm 2
    2.0
    """
    tried = (
        BallMargin(len(margins), norm, stratum, _ramp_loss(margins, norm), complexity(norm), delta)
        for stratum, norm in _tried_strata(margins)
    )
    return min(tried, key=lambda margin: (margin.risk, margin.loss + 2 * margin.complexity))


def _ramp_loss(margins: Floats, norm: float) -> float:
    """The mean of min{1, max{0, 1 - norm x margin}}."""
    return float(np.clip(1.0 - norm * margins, 0.0, 1.0).mean())


def _tried_strata(margins: Floats) -> list[tuple[int, float]]:
    """The strata of L worth trying, as pairs (number, norm).

    They go from half the norm at which few objects have the margin to the norm at which almost all
    have it, at least to 1.
    """
    usual = np.sort(margins[(margins > 0) & np.isfinite(margins)])
    if not len(usual):
        return [open_stratum(1.0)]
    widest, narrowest = usual[-1 - int(_FEWEST * len(usual))], usual[int(_FEWEST * len(usual))]
    first, last = np.floor(STRATA_PER_OCTAVE * np.log2([0.5 / widest, 1 / narrowest]))
    last = min(
        max(last, 0), first + _OCTAVES * STRATA_PER_OCTAVE
    )  # a norm of 1 has the largest share of delta
    return [
        open_stratum(2.0 ** (stratum / STRATA_PER_OCTAVE)) for stratum in np.arange(first, last + 2)
    ]
