r"""Bounds of the risk of functions from a ball, and the Rademacher complexity of the ball of
Lipschitz functions.

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
"""

from collections.abc import Callable
from math import log, sqrt

import numpy as np
from numpy.typing import ArrayLike

from wideberth.bounds.rademacher_complexity import inner_chain
from wideberth.bounds.strata import log_share, open_stratum


def lemma_14_risk(empirical: float, rademacher: float, n: int, *, log_delta: float) -> float:
    r"""The risk of every function of a ball that was fixed before the sample, as in Lemma 14 of von
    Luxburg & Bousquet (2004).

    .. math:: E\,\ell \le E_n \ell + 2 R_n + \sqrt{\frac{8 \ln(2/\delta)}{n}}

    ``rademacher`` bounds :math:`R_n`, the mean over samples, which cannot be measured on one
    sample: it follows from assumptions about the source. The value may be above 1.

    Parameters
    ----------
    empirical : float
        The mean loss on the sample.
    rademacher : float
        An upper bound of :math:`R_n`.
    n : int
        The size of the sample.
    log_delta : float
        The logarithm of the probability with which the bound may fail.

    Examples
    --------
    >>> lemma_14_risk(0.25, 0.125, 8, log_delta=log(2) - 1)
    1.5
    """
    return empirical + 2 * rademacher + sqrt(8 * (log(2) - log_delta) / n)


def fixed_ball_risk(empirical: float, rademacher: float, n: int, *, log_delta: float) -> float:
    r"""Lemma 14 with the constant that its proof gives for a loss in [0, 1]; never above
    `lemma_14_risk`.

    .. math:: E\,\ell \le E_n \ell + 2 R_n + \sqrt{\frac{\ln(1/\delta)}{2n}}

    One object moves :math:`\sup_f (E - E_n)\,\ell` by at most 1/n (McDiarmid), and its mean is at
    most
    :math:`2 R_n(\ell \circ \mathcal F)` (symmetrisation). The value may be above 1.

    Parameters
    ----------
    empirical : float
        The mean loss on the sample.
    rademacher : float
        An upper bound of :math:`R_n`.
    n : int
        The size of the sample.
    log_delta : float
        The logarithm of the probability with which the bound may fail.

    Examples
    --------
    >>> fixed_ball_risk(0.25, 0.125, 8, log_delta=-1.0)
    0.75
    """
    return empirical + 2 * rademacher + sqrt(-log_delta / (2 * n))


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


def stratified_ball_risk(
    empirical: float, norm: float, rademacher: Callable[[float], float], n: int, *, log_delta: float
) -> float:
    r"""`measured_ball_risk` for a function whose norm, such as its Lipschitz constant, is known
    only after it is learned.

    .. math:: E\,\ell \le E_n \ell + 2 \hat R_n(\mathcal F_{L_i}) + 3
        \sqrt{\frac{\ln(2/\delta_i)}{2n}}

    for all norms L > 0 at once, with the stratum i of L (`wideberth.bounds.strata.open_stratum`, in
    any unit that does not depend on the sample) and its share :math:`\delta_i`. ``rademacher`` maps
    a norm to an upper bound of :math:`\hat R_n` of its ball. For Lipschitz functions clipped to
    [-1, 1] this is :math:`\max(L, 1/r)\,\hat R`, where :math:`\hat R` is the complexity of the ball
    of constant 1 whose functions do not exceed r; r may be chosen after the sample is seen.

    Parameters
    ----------
    empirical : float
        The mean loss on the sample.
    norm : float
        The norm L of the learned function, positive.
    rademacher : callable
        From a norm to an upper bound of :math:`\hat R_n` of its ball.
    n : int
        The size of the sample.
    log_delta : float
        The logarithm of the probability with which the bound may fail.

    Examples
    --------
    >>> fixed = measured_ball_risk(0.1, 0.05, 1000, log_delta=log(0.05))
    >>> 0 < stratified_ball_risk(
    ...     0.1, 0.5, lambda L: 0.1 * L, 1000, log_delta=log(0.05)
    ... ) - fixed < 0.09
    True
    """
    i, norm_i = open_stratum(norm)
    return measured_ball_risk(empirical, rademacher(norm_i), n, log_delta=log_delta + log_share(i))


def tree_rademacher(scales: ArrayLike, numbers: ArrayLike, n: int, *, reach: float) -> float:
    r"""The complexity of 1-Lipschitz functions with values in [-r, r], ``reach``, from covering
    numbers.

    .. math::
        \hat R_n \le \varepsilon_J + r \sqrt{\frac{N_1}{n}} + \sum_{j=2}^{J} \varepsilon_{j-1}
        \sqrt{\frac{N_j}{n}}

    for the best choice among the decreasing ``scales`` :math:`\varepsilon_j`, where :math:`N_j`,
    ``numbers``, balls of this radius around objects cover the sample (or the space). For
    L-Lipschitz functions with values in [-1, 1] it is L times the bound with r = 1/L. The last
    scale may be 0, with a ball for each object of the sample.

    Derived here: connect every object with the nearest centre of the finest cover, and every centre
    with the nearest one of the next coarser cover, to a tree. A function changes by at most
    :math:`\varepsilon_{j-1}` along a branch; if m objects are below the branch, the sum of their
    signs is at most :math:`\sqrt m` in the mean, and by Cauchy & Schwarz these roots add up to at
    most :math:`\sqrt{N_j n}` on a level. Entropy integrals (`wideberth.bounds.lipschitz_entropy`,
    Theorem 18) count functions instead of branches, and are larger by a logarithm.

    Parameters
    ----------
    scales, numbers : array-like of shape (m,)
        Decreasing radii, and how many balls of these radii cover the sample.
    n : int
        The size of the sample.
    reach : float
        The largest absolute value r of the functions.

    Examples
    --------
    >>> tree_rademacher([1.0, 0.25], [1, 4], 100, reach=1.0)  # 0.25 + 1 * 2 / 10
    0.45
    """
    lengths = np.r_[reach, np.minimum(np.asarray(scales, dtype=np.float64), 2 * reach)]
    halves = np.r_[0.0, np.asarray(numbers, dtype=np.float64) / 2]
    return inner_chain(lengths, halves, n)


def cube_rademacher(n: int, d: int) -> float:
    r"""The complexity of the unit ball of Lipschitz functions on the cube :math:`[0, 1]^d`,
    Euclidean, with constants.

    .. math:: \hat R_n \le \texttt{tree\_rademacher} \text{ with } \varepsilon_j = 2^{-j} \sqrt d /
        2,\ N_j = 2^{jd},\ r = \sqrt d

    for every sample from it. It decreases like `discrepancy_rate`, except for d = 2, where it
    decreases like
    :math:`\ln n / \sqrt n` (Example 5 of von Luxburg & Bousquet 2004).

    Parameters
    ----------
    n, d : int
        The size of the sample and the dimension of the cube.

    Examples
    --------
    >>> cube_rademacher(1, 1), round(cube_rademacher(10**6, 1), 4)
    (1.0, 0.0028)
    """
    levels = np.arange(2 + int(np.log2(n) / min(d, 2)))
    return tree_rademacher(0.5**levels * sqrt(d) / 2, 2.0 ** (levels * d), n, reach=sqrt(d))


def discrepancy_rate(n: float, d: int) -> float:
    r"""The rate at which the maximum discrepancy of the Lipschitz unit ball on the cube :math:`[0,
    1]^d` decreases with n.

    .. math:: n^{-1/2} \ (d = 1), \qquad \sqrt{\ln n / n} \ (d = 2), \qquad n^{-1/d} \ (d \ge 3)

    (von Luxburg & Bousquet 2004, Theorem 15; d = 1 is not in it.) The constant is not known, so
    this is not a bound; `cube_rademacher` is one.

    Parameters
    ----------
    n, d : int
        The size of the sample and the dimension of the cube.

    Examples
    --------
    >>> round(discrepancy_rate(1000, 3), 9)
    0.1
    """
    if d == 2:
        return sqrt(log(n) / n)
    return float(n ** (-1 / max(d, 2)))
