r"""The theorems of Kontorovich & Weiss, Maximum margin multiclass nearest neighbors (ICML 2014),
with constants that are proved.

With probability at least :math:`1 - \delta`, for all L > 0 and all margin functions h of
:math:`\mathcal H_L`,

.. math:: P(\text{error}) \le \hat E[\ell(h)] + \Delta

with the penalty :math:`\Delta` of a function of this file and the loss :math:`\ell(h) = 1\{h <
1\}`. For nearest neighbours in a sample from which a cover of all conflicts was removed, the mean
loss is the share that was removed. With `rademacher_penalty` and `empirical_penalty` it also holds
for the smaller loss :math:`\min(1, \max(0, 1 - h))`. A penalty of 1 or more is useless; those that
assume a dimension are that large unless n is far above :math:`(4L)^D`.

``eta``, :math:`\eta`, is for neighbours up to :math:`1 + \eta` times as far as the nearest. Far
away from the sample their scores can be off by any amount (kept -1 at 0 and +1 at 1, L = 2: at x =
10 a neighbour 10/9 times as far as the nearest has the other label, although the margin is 1), so
that the argument of section 5.1 of the paper does not apply. Derived here instead: let objects of
different labels be at least :math:`2/L` apart, :math:`S_c` be those of label c, and

.. math:: u_c(x) = \max\{0,\ 1 - L\, d(x, S_c)\} .

At each x at most one of these cones is positive, since otherwise two of the sets were less than
:math:`2/L` apart; and for different labels :math:`u_c(x) + u_b(x') \le 2 - L (d(S_c, S_b) - d(x,
x')) \le L\, d(x, x')`. So the cones are one L-Lipschitz map h into the star, a margin function of
:math:`\mathcal H_L`, with :math:`h(x_i, y_i) = 1` at every object that was kept. Let the classifier
answer by an object z with :math:`d(x, z) \le (1 + \eta)\, d(x, S)`, and err: its label is not y. If
:math:`h(x, y) = u_y(x) > 0`, the nearest object has the label y, at a distance :math:`s = d(x, S_y)
< 1/L`, and z is at least :math:`2/L - s` away: :math:`(2 + \eta) s \ge 2/L`. Hence

.. math:: \text{error at } (x, y) \implies h(x, y) = 1 - L s \le \theta = \frac{\eta}{2 + \eta} \le
    \frac\eta2 .

So the error is at most :math:`E[\min(1, \max(0, 1 - h))] + \theta`, and a cover that tells :math:`h
= 1` from
:math:`h \le \theta` is fine enough. The penalties are those of the paper, with :math:`4\eta`,
:math:`1 - 8\eta` and :math:`1 - 4\eta` where :math:`\theta` and :math:`1 - \theta` would do: they
are valid, and stay as they are in model files.

`cells_penalty` and `cells_bound` count labelled cells instead of functions. Cover the space by N
cells of radius :math:`r < 1/2L` and give each the label of its centre if the margin function h is
at least 1/2 there, and "unknown" if not. Within a cell h changes by less than 1/2 (in the star of
`wideberth.bounds.covering`), so that an object with :math:`h(x, y) = 1` lies in a cell labelled y,
and an object on which the classifier errs, :math:`h(x, y) \le 0`, in a cell with another label:

.. math:: 1\{\text{error}\} \le 1\{\text{cell label} \ne y\} \le 1\{h < 1\}.

There are :math:`(k+1)^N` ways to label the cells, fixed before the sample is drawn: a finite class,
whose errors are between the two. With approximate neighbours, where errors have :math:`h \le
\theta`, the same holds for :math:`r \le (1 - \theta)/2L`, so for :math:`r < (1 - 4\eta)/2L`, with
:math:`(1 + \theta)/2` in place of 1/2 for the label of a cell. Derived here, in place of Theorem 5
of Kontorovich & Weiss (2014): about :math:`16^D` times fewer objects are needed.
"""

from collections.abc import Callable
from math import exp, inf, log, sqrt

from wideberth.bounds.binomial import binomial_inversion
from wideberth.bounds.covering import covering_number
from wideberth.bounds.lipschitz_ball import measured_ball_risk
from wideberth.bounds.rademacher_complexity import Rademacher, chained_rademacher
from wideberth.bounds.strata import log_share, stratum


def bayes_bound(bayes_error: float, n: int, L: float, D: float) -> float:
    r"""The mean error of the nearest neighbour in n objects (Theorem 1).

    .. math:: E[P(\text{error})] \le 2 P^* + 4 L n^{-1/(D+1)}

    if the probabilities of all classes are L-Lipschitz functions of the object; :math:`P^*` is the
    Bayes error. L and :math:`P^*` are unknown in practice, so this is a formula for understanding,
    not a certificate. At most 1.

    Parameters
    ----------
    bayes_error : float
        The smallest possible error :math:`P^*`.
    n : int
        The size of the sample.
    L, D : float
        Lipschitz constant times diameter, doubling dimension.

    Examples
    --------
    >>> bayes_bound(0.25, 10_000, L=1.0, D=1.0)
    0.54
    """
    return min(1.0, 2 * bayes_error + 4 * L * exp(-log(n) / (D + 1)))


def rademacher_penalty(
    n: int,
    L: float,
    D: float,
    k: int,
    *,
    log_delta: float,
    eta: float = 0.0,
    rademacher: Rademacher = chained_rademacher,
) -> float:
    r"""The penalty of Theorem 4.

    .. math::
        \Delta_{\mathrm{Rad}} = 2 R_n(\mathcal H_{L_i}) + \sqrt{\frac{\ln i}{n}} +
        \sqrt{\frac{\ln(2/\delta)}{2n}} + 4\eta

    with the stratum i of L and :math:`\delta_i = \delta / 2i^2`. The paper has one constant for
    :math:`2 R_n` and the strata together, and does not give its value; ``rademacher`` bounds
    :math:`R_n`.

    Parameters
    ----------
    n : int
        The size of the sample.
    L, D, k : float, float, int
        Lipschitz constant times diameter, doubling dimension, number of classes.
    log_delta : float
        The logarithm of the probability with which the bound may fail.
    eta : float
        How approximate the nearest neighbours are.
    rademacher : callable
        A bound of :math:`R_n` as a function of (n, L, D, k).

    Examples
    --------
    >>> round(rademacher_penalty(10**12, 1.0, 5.0, 10, log_delta=log(0.01)), 3)
    0.105
    """
    i, L_i = stratum(L)
    chance = sqrt(log(i) / n) + sqrt((log(2) - log_delta) / (2 * n))
    return 2 * rademacher(n, L_i, D, k) + chance + 4 * eta


def scale_penalty(
    n: int, L: float, D: float, k: int, *, log_delta: float, eta: float = 0.0
) -> float:
    r"""The penalty of Theorem 5, with the constant that Lemma 2 gives.

    .. math::
        \Delta_{\mathrm{fat}} = \sqrt{\frac2n \Bigl(\ln 2 + \Bigl(\frac{64 L}{1 - 8\eta}\Bigr)^{D}
        \ln\frac{20 k}{1 - 8\eta}
        + \ln\frac{2L}{\delta}\Bigr)} + \frac1n, \qquad L \ge 1

    (a smaller L is raised to 1), infinite for :math:`\eta \ge 1/8`. Lemma 2 at the scale 1/4 has
    :math:`(64L)^D` where the theorem prints :math:`(16L)^D`. Derived: for the comparison with a
    ghost sample (Vapnik 1998; the 1/n is for the median of a binomial distribution) any cover of
    :math:`\mathcal H_{L'}` by functions less than 1/2 away is enough, for the power of two
    :math:`L' \ge 2` from L to 2L, whose share of :math:`\delta` is :math:`1 / L'`. `cells_penalty`
    is smaller.

    Parameters
    ----------
    n : int
        The size of the sample.
    L, D, k : float, float, int
        Lipschitz constant times diameter, doubling dimension, number of classes.
    log_delta : float
        The logarithm of the probability with which the bound may fail.
    eta : float
        How approximate the nearest neighbours are.

    Examples
    --------
    >>> 0.99 < scale_penalty(11_400_000_000, 1.0, 5.0, 10, log_delta=log(0.01)) < 1.01
    True
    """
    if eta >= 1 / 8:
        return inf
    L = max(L, 1.0)
    slack = 1 - 8 * eta
    entropy = covering_number(slack / (32 * L), D) * log(20 * k / slack)
    return sqrt(2 / n * (log(2) + entropy + log(2 * L) - log_delta)) + 1 / n


def printed_scale_penalty(n: float, L: float, D: float, k: int, *, log_delta: float) -> float:
    r"""Theorem 5 as it is printed. Its constant is not proved: use it only to draw Figure 3 of the
    paper.

    .. math:: \sqrt{\frac2n \Bigl(2 (16 L)^D \ln(20k) + \ln\frac{2L}{\delta}\Bigr)} + \frac1n

    Parameters
    ----------
    n : int
        The size of the sample.
    L, D, k : float, float, int
        Lipschitz constant times diameter, doubling dimension, number of classes.
    log_delta : float
        The logarithm of the probability with which the bound may fail.

    Examples
    --------
    >>> round(printed_scale_penalty(1e9, 1.0, 5.0, 10, log_delta=log(0.01)), 3)
    0.149
    """
    entropy = 2 * covering_number(1 / (8 * L), D) * log(20 * k)
    return sqrt(2 / n * (entropy + log(2 * L) - log_delta)) + 1 / n


def combined_penalty(
    n: int, L: float, D: float, k: int, *, log_delta: float, eta: float = 0.0
) -> float:
    r"""The smaller one of the penalties of Theorems 4 and 5, each at :math:`\delta / 2` (section
    3.2.4).

    .. math:: \min\{\Delta_{\mathrm{Rad}}(n, L, \delta/2),\ \Delta_{\mathrm{fat}}(n, L, \delta/2)\}

    The paper uses :math:`\delta` in both; but both have to hold at the same time.

    Parameters
    ----------
    n : int
        The size of the sample.
    L, D, k : float, float, int
        Lipschitz constant times diameter, doubling dimension, number of classes.
    log_delta : float
        The logarithm of the probability with which the bound may fail.
    eta : float
        How approximate the nearest neighbours are.

    Examples
    --------
    >>> arguments = (10**15, 1.0, 5.0, 10)
    >>> (
    ...     round(combined_penalty(*arguments, log_delta=log(0.02)), 5),
    ...     round(scale_penalty(*arguments, log_delta=log(0.01)), 5),
    ... )
    (0.00337, 0.00337)
    """
    half = log_delta - log(2)
    return min(
        rademacher_penalty(n, L, D, k, log_delta=half, eta=eta),
        scale_penalty(n, L, D, k, log_delta=half, eta=eta),
    )


def empirical_penalty(
    n: int, L: float, rademacher: Callable[[float], float], *, log_delta: float
) -> float:
    r"""The penalty from a complexity measured on the sample, which needs no assumption about the
    dimension of the source.

    .. math:: 2 \hat R_n(\mathcal H_{L_i}; S) + 3 \sqrt{\frac{\ln(2/\delta_i)}{2n}}

    with the stratum i of L and its share :math:`\delta_i` (Bartlett & Mendelson 2002; Mohri et al.
    2012, Theorem 3.1; the loss is 1-Lipschitz). ``rademacher`` maps an L to a bound on :math:`\hat
    R_n(\mathcal H_L; S)`, for example `wideberth.bounds.rademacher_complexity.quantised_rademacher`
    or `wideberth.bounds.rademacher_complexity.perturbed_rademacher` (Theorem 7). The partition or
    perturbation in it may be chosen after the sample is seen.

    Parameters
    ----------
    n : int
        The size of the sample.
    L : float
        Lipschitz constant times diameter.
    rademacher : callable
        From an L to a bound of the complexity measured on the sample.
    log_delta : float
        The logarithm of the probability with which the bound may fail.

    Examples
    --------
    >>> round(empirical_penalty(10_000, 1.0, lambda L: 0.1 * L, log_delta=log(0.05)), 3)
    0.243
    """
    i, L_i = stratum(L)
    return measured_ball_risk(0.0, rademacher(L_i), n, log_delta=log_delta + log_share(i))


def cells_penalty(
    n: int, L: float, D: float, k: int, *, log_delta: float, eta: float = 0.0
) -> float:
    r"""The penalty by labelled cells, to be added to the share of the sample on which h < 1; for
    all L at once.

    .. math::
        \sqrt{\frac{N \ln(k+1) + \ln(1/\delta_i)}{2n}}, \qquad N = \Bigl(\frac{4 L_i}{1 -
        4\eta}\Bigr)^D

    with the stratum i of L and its share :math:`\delta_i`; Hoeffding's inequality. Infinite for
    :math:`\eta \ge 1/4`.

    Parameters
    ----------
    n : int
        The size of the sample.
    L, D, k : float, float, int
        Lipschitz constant times diameter, doubling dimension, number of classes.
    log_delta : float
        The logarithm of the probability with which the bound may fail.
    eta : float
        How approximate the nearest neighbours are.

    Examples
    --------
    >>> round(cells_penalty(1230, 1.0, 5.0, 10, log_delta=log(0.01)), 3)
    1.0
    """
    return sqrt(-_log_chance(L, D, k, log_delta, eta) / (2 * n))


def cells_bound(
    violations: int, n: int, L: float, D: float, k: int, *, log_delta: float, eta: float = 0.0
) -> float:
    r"""The error of a margin function with h < 1 on e objects, ``violations``, of its n; never
    above e/n + `cells_penalty`.

    .. math:: \overline{\mathrm{Bin}}\bigl(e,\ n,\ \delta_i (k+1)^{-N}\bigr)

    Parameters
    ----------
    violations, n : int
        e objects with h < 1 in a sample of n.
    L, D, k : float, float, int
        Lipschitz constant times diameter, doubling dimension, number of classes.
    log_delta : float
        The logarithm of the probability with which the bound may fail.
    eta : float
        How approximate the nearest neighbours are.

    Examples
    --------
    >>> cells_bound(0, 10_000, 1.0, 2.0, 2, log_delta=log(0.05)) < 0.003
    True
    """
    return binomial_inversion(violations, n, log_delta=_log_chance(L, D, k, log_delta, eta))


def _log_chance(L: float, D: float, k: int, log_delta: float, eta: float) -> float:
    """The logarithm of the part of delta that each labelling of the cells gets."""
    if eta >= 1 / 4:
        return -inf
    i, L_i = stratum(L)
    cells = covering_number((1 - 4 * eta) / (2 * L_i), D)
    return log_delta + log_share(i) - cells * log(k + 1)
