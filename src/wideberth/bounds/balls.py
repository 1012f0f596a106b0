r"""Bounds of the risk of functions from a ball, for all radii at once, and the complexity of linear
functions in a Hilbert space.

A function f errs on (x, y), :math:`y = \pm 1`, where :math:`y f(x) \le 0`. Its loss is the ramp

.. math:: \ell(f(x), y) = \min\{1, \max\{0, 1 - y f(x)\}\},

which is never below the error and 1-Lipschitz in f(x) (von Luxburg & Bousquet 2004, section 5;
where :math:`y f(x) \le -1` is printed there, :math:`y f(x) \le 0` is meant). So a bound of the mean
loss bounds the error; ``empirical`` below is the mean loss on the sample. Values of f beyond 1
change nothing: an L-Lipschitz function, with its offset, may be clipped to [-1, 1] first.

.. math::
    \hat R_n(\mathcal F) = E_\sigma \sup_{f \in \mathcal F} \frac1n \sum_i \sigma_i f(x_i),
    \qquad R_n(\mathcal F) = E \hat R_n(\mathcal F)

With absolute values of the sums, as in the paper, both are at least as large, and equal for a ball.
The complexity of the losses, :math:`\hat R_n(\ell \circ \mathcal F)`, is at most that of the
functions and may replace it everywhere.

*The Hilbert ball, from distances alone (Hein, Bousquet & Schoelkopf 2005, section 5).* The metric
embeds in a Hilbert space by :math:`x \mapsto \Phi_x`. The ball has the functions :math:`f(x) =
\langle w, \Phi_x - \Phi_{x_0} \rangle` with :math:`\|w\| \le B`: they are B-Lipschitz and 0 at the
base point :math:`x_0`. If any constant may be added to them, `offset_price` is added to their
complexity.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import ceil, log, log2, pi, sqrt

import numpy as np
from numpy.typing import ArrayLike

from wideberth.array_types import Floats

# ---- Strata: one bound for all Lipschitz constants, from bounds for a sequence of constants


#: Neighbouring strata differ by the factor 2 ** (1 / 8), 9 %.
STRATA_PER_OCTAVE = 8


def stratum(L: float) -> tuple[int, float]:
    r"""The number i and the constant :math:`L_i \ge L` of the stratum of a Lipschitz constant.

    .. math:: L_i = 2^{(i - 1) / 8}, \quad i = 1, 2, \dots

    If the bound for each :math:`L_i` fails with probability at most :math:`\delta_i`, and
    :math:`\sum_i \delta_i \le \delta`, the bounds hold for all L at once with probability :math:`1
    - \delta`, so that L may be chosen afterwards.

    Examples
    --------
    >>> stratum(0.3), stratum(2.0)
    ((1, 1.0), (9, 2.0))
    """
    i = 1 + max(0, ceil(STRATA_PER_OCTAVE * log2(L)))
    return i, 2.0 ** ((i - 1) / STRATA_PER_OCTAVE)


def open_stratum(L: float) -> tuple[int, float]:
    r"""The number i and the constant :math:`L_i \ge L` of the stratum of any positive number, large
    or small.

    .. math:: L_i = 2^{j / 8}, \quad j = 0, 1, -1, 2, -2, \dots \text{ for } i = 1, 2, 3, 4, 5,
        \dots

    Like `stratum`, for numbers whose order of magnitude is not known in advance. The unit must be
    that of the metric, or be fixed before the sample is seen in another way.

    Examples
    --------
    >>> open_stratum(1.0), open_stratum(2.0), open_stratum(0.5)
    ((1, 1.0), (16, 2.0), (17, 0.5))
    """
    j = ceil(STRATA_PER_OCTAVE * log2(L))
    return 2 * j if j > 0 else 1 - 2 * j, 2.0 ** (j / STRATA_PER_OCTAVE)


def log_share(i: int) -> float:
    r"""The logarithm of the share of the i-th stratum in :math:`\delta`.

    .. math:: \frac{\delta_i}{\delta} = \frac{6}{\pi^2 i^2}

    Examples
    --------
    >>> round(log_share(1), 4)
    -0.4977
    """
    return log(6 / (pi * i) ** 2)


# ---- Risks, and the best margin in hindsight


def measured_ball_risk(empirical: float, rademacher: float, n: int, *, log_delta: float) -> float:
    r"""The risk of every function of a ball that was fixed before the sample, from its complexity
    measured on the sample.

    .. math:: E\,\ell \le E_n \ell + 2 \hat R_n + 3 \sqrt{\frac{\ln(2/\delta)}{2n}}

    (Bartlett & Mendelson 2002; Mohri, Rostamizadeh & Talwalkar 2012, Theorem 3.1.) ``rademacher``
    bounds :math:`\hat R_n` from above. If it was estimated with random signs and holds only with
    probability :math:`1 - \delta'`, the bound fails with probability at most :math:`\delta +
    \delta'`. The maximum discrepancy is only a lower bound of :math:`2 R_n` and cannot be used
    here. The value may be above 1.

    Parameters
    ----------
    empirical : float
        The mean loss on the sample.
    rademacher : float
        An upper bound of :math:`\hat R_n`.
    n : int
        The size of the sample.
    log_delta : float
        The logarithm of the probability with which the bound may fail.

    Examples
    --------
    >>> measured_ball_risk(0.25, 0.125, 18, log_delta=log(2) - 1)
    1.0
    """
    return empirical + 2 * rademacher + 3 * sqrt((log(2) - log_delta) / (2 * n))


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

    Examples
    --------
    >>> BallMargin(n=10**6, norm=1.0, stratum=1, loss=0.1, complexity=0.05, delta=0.05).risk < 0.21
    True
    """

    n: int
    norm: float  # L
    stratum: int
    loss: float  # the mean ramp loss on the sample
    complexity: float  # an upper bound of the complexity of the ball of this norm on the sample
    delta: float  # for all strata together

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
    (`wideberth.papers.capacities.stratified_ball_risk`). ``complexity`` maps a norm to an upper
    bound of :math:`\hat R_n` of its ball; a margin of 0 or less is an error.

    Examples
    --------
    >>> # margins of 1/2 are 1 at the norm 2
    >>> best_margin(np.full(10**6, 0.5), lambda norm: 0.01 * norm, delta=0.05).norm
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
    # a norm of 1 has the largest share of delta
    last = min(max(last, 0), first + _OCTAVES * STRATA_PER_OCTAVE)
    return [
        open_stratum(2.0 ** (stratum / STRATA_PER_OCTAVE)) for stratum in np.arange(first, last + 2)
    ]


# ---- The Hilbert ball


#: Numbers J of offsets on a grid that are tried.
GRIDS = tuple(2.0**i for i in range(64))


def hilbert_rademacher(base_distances: ArrayLike, B: float) -> float:
    r"""The complexity of the ball on objects at these distances from the base point (Theorem 6).

    .. math:: \hat R_n \le \frac{B}{n} \sqrt{\sum_{i=1}^n d(x_i, x_0)^2}

    by Jensen's inequality from :math:`\hat R_n = \frac{B}{n} E_\sigma \|\sum_i \sigma_i (\Phi_{x_i}
    - \Phi_{x_0})\|`, and at most
    :math:`\sqrt2` times that (Khintchine & Kahane). The base point is fixed in advance.

    Examples
    --------
    >>> hilbert_rademacher([3.0, 4.0], B=2.0)
    5.0
    """
    distances = np.asarray(base_distances, dtype=np.float64)
    return B / len(distances) * sqrt(float(distances @ distances))


def offset_hilbert_rademacher(base_distances: ArrayLike, B: float) -> float:
    r"""The complexity of the losses of functions of the ball with any constant added, as in a
    support vector machine.

    .. math:: \hat R_n \le \frac{B}{n} \sqrt{\sum_i d(x_i, x_0)^2} + \texttt{offset\_price}\bigl(B
        \max_i d(x_i, x_0),\ n\bigr)

    With constants the functions are the same for every base point, so it may be chosen after the
    sample is seen, and may be any point of the Hilbert space. The first term is smallest for the
    mean of the :math:`\Phi_{x_i}`, for which
    :math:`d(x_i, x_0)^2 = \frac1n \sum_j d(x_i, x_j)^2 - \frac1{2n^2} \sum_{jk} d(x_j, x_k)^2`.

    Parameters
    ----------
    base_distances : array-like of shape (n,)
        The distances of the objects of the sample to the base point.
    B : float
        The radius of the ball: the norm of its functions is at most B.

    Examples
    --------
    >>> round(offset_hilbert_rademacher(np.full(100, 0.5), B=1.0), 9)  # 0.05 + (1 + 0.5) / 10
    0.2
    """
    distances = np.asarray(base_distances, dtype=np.float64)
    return hilbert_rademacher(distances, B) + offset_price(
        B * float(distances.max()), len(distances)
    )


def offset_price(reach: float, n: int) -> float:
    r"""What to add to :math:`\hat R_n` of a ball to bound the complexity of the losses of f + b, f
    in the ball, b any number.

    .. math::
        \hat R_n\bigl(\ell \circ (\mathcal F + \mathbb R)\bigr) \le \hat R_n(\mathcal F) +
        \min\Bigl\{\frac{\beta}{\sqrt n},\
        \min_J \frac{\beta}{J} + \sqrt{\frac{\ln J}{2n}}\Bigr\}, \qquad \beta = 1 + r

    where :math:`|f(x_i)| \le r`, ``reach``, for all f of the ball on all n objects of the sample
    (it may depend on them), and
    :math:`\ell` is the ramp of `wideberth.bounds.balls`.

    Derived here: offsets beyond :math:`\beta` have the same losses on the sample as
    :math:`\pm\beta`. Either the offsets follow the signs themselves, :math:`\beta E|\sum_i
    \sigma_i| \le \beta \sqrt n`; or J offsets represent all, none of which is farther than
    :math:`\beta / J` from one of them: the mean of the largest of their suprema is at most
    :math:`\sqrt{\ln J / 2n}` above the largest of their means, because a sign changes each supremum
    by at most 1/n once 1/2 is subtracted from the losses.

    Examples
    --------
    >>> offset_price(0.0, 100)
    0.1
    >>> round(offset_price(1000.0, 100), 2)
    0.25
    """
    beta = 1 + reach
    return min(beta / sqrt(n), *(beta / J + sqrt(log(J) / (2 * n)) for J in GRIDS))
