r"""What Kontorovich & Weiss, Maximum margin multiclass nearest neighbors (ICML 2014), state beside
the penalties in use: entropies as printed, closed forms, other penalties.

`wideberth.bounds.margin` defines :math:`\mathcal H_L`, and has the bounds that classifiers use.
``n`` is the size of the sample, ``L`` a Lipschitz constant times the diameter, ``D`` the doubling
dimension, ``k`` the number of classes, ``eps`` a scale above 0 and at most 1, ``eta`` how
approximate the nearest neighbours are, and ``log_delta`` the logarithm of the probability with
which a bound may fail. ``rademacher`` and ``entropy`` are bounds as functions of (n, L, D, k) and
(eps, L, D, k).
"""

from collections.abc import Callable
from math import ceil, exp, inf, log, sqrt

from wideberth.bounds.balls import log_share, measured_ball_risk, stratum
from wideberth.bounds.binomial import binomial_inversion
from wideberth.bounds.margin import (
    Entropy,
    Rademacher,
    chained_rademacher,
    covering_number,
    external_entropy,
    log_chance_of_cells,
)


def lemma_2_entropy(eps: float, L: float, D: float, k: int) -> float:
    r"""The entropy of the margin functions as in Lemma 2 of Kontorovich & Weiss (2014).

    .. math:: \ln N(\varepsilon, \mathcal H_L) \le N\Bigl(\frac{\varepsilon}{8L}\Bigr)
        \ln\frac{5k}{\varepsilon},
        \qquad 0 < \varepsilon \le 1

    The printed proof needs cover points that are separated. A maximal :math:`\varepsilon /
    4L`-separated set is such a cover, and has at most :math:`N(\varepsilon / 8L)` points.

    Examples
    --------
    >>> lemma_2_entropy(1.0, 1.0, 1.0, 2) == 16 * log(10)
    True
    """
    return covering_number(eps / (8 * L), D) * log(5 * k / eps)


def lemma_3_entropy(eps: float, L: float, D: float, k: int) -> float:
    r"""The entropy of the margin functions on a connected and centred space, as in Lemma 3 of
    Kontorovich & Weiss (2014).

    .. math:: \ln N(\varepsilon, \mathcal H_L) \le \ln\Bigl(\Bigl\lceil \frac{4k}{\varepsilon}
        \Bigr\rceil + 1\Bigr)
        + \Bigl(N\Bigl(\frac{\varepsilon}{8L}\Bigr) - 1\Bigr) \ln(2k + 1), \qquad 0 < \varepsilon
        \le 1

    The printed proof needs cover points that are separated and within twice the radius of the next
    one, which need not exist. The result is correct nevertheless, because it is above that of
    `connected_entropy` at half the scale, and twice the radius is enough to have the cover within
    the class.

    Examples
    --------
    >>> lemma_3_entropy(1.0, 1 / 8, 3.0, 2) == log(9)
    True
    """
    return log(ceil(4 * k / eps) + 1) + (covering_number(eps / (8 * L), D) - 1) * log(2 * k + 1)


def connected_entropy(eps: float, L: float, D: float, k: int) -> float:
    r"""The entropy of the margin functions on a connected space, with functions that need not be
    margin functions themselves.

    .. math:: \ln N(\varepsilon) \le \ln\Bigl(k \Bigl\lceil \frac1\varepsilon - \frac12 \Bigr\rceil
        + 1\Bigr)
        + \Bigl(N\Bigl(\frac{\varepsilon}{2L}\Bigr) - 1\Bigr) \ln(k + 1), \qquad 0 < \varepsilon \le
        1

    Derived here: round the value at the centre of each ball to a multiple of :math:`\varepsilon` on
    its arm of the star. Centres of balls that meet are at most :math:`\varepsilon / L` apart, so
    that their values differ by at most :math:`\varepsilon`, and the next rounded value has k + 1
    choices at the hub of the star and three elsewhere. `wideberth.bounds.margin.external_entropy`
    has
    another factor :math:`\ln(1 / \varepsilon)` for each cell.

    Examples
    --------
    >>> connected_entropy(1.0, 0.5, 3.0, 2) == log(3)
    True
    """
    return log(k * ceil(1 / eps - 0.5) + 1) + (covering_number(eps / (2 * L), D) - 1) * log(k + 1)


def perturbed_entropy(
    eps: float, L: float, D: float, k: int, *, eta: float, entropy: Entropy = external_entropy
) -> float:
    r"""The entropy of functions that are within :math:`2\eta` of margin functions (Kontorovich &
    Weiss 2014, Lemma 6).

    .. math:: N(\varepsilon, \mathcal H_{L, 2\eta}) \le N(\varepsilon - 2\eta, \mathcal H_L), \qquad
        \varepsilon > 2\eta

    The paper takes the scores of :math:`(1 + \eta)`-approximate nearest neighbours for such
    functions, which they are not far away from the sample; `wideberth.bounds.margin` bounds their
    errors in another way. Infinite for
    :math:`\varepsilon \le 2\eta`.

    Examples
    --------
    >>> perturbed_entropy(0.5, 1.0, 2.0, 3, eta=0.125) == external_entropy(0.25, 1.0, 2.0, 3)
    True
    """
    return entropy(eps - 2 * eta, L, D, k) if eps > 2 * eta else inf


def rademacher_constant(D: float) -> float:
    r"""The constant of (10) in Kontorovich & Weiss (2014), which the paper leaves open, for D > 1.

    .. math::
        R_n(\mathcal H_L) \le c_D L \Bigl(\frac{\ln 5k}{n}\Bigr)^{1/(D+1)} \text{ for } L \ge 1,
        \qquad c_D = 4 \frac{D+1}{D-1} (9 \cdot 16^D)^{1/(D+1)}

    Derived as in `closed_rademacher`. It decreases to 64 for large D.

    Examples
    --------
    >>> round(rademacher_constant(5), 1)
    87.2
    """
    return 4 * (D + 1) / (D - 1) * exp((log(9) + D * log(16)) / (D + 1))


def closed_rademacher(n: float, L: float, D: float, k: int) -> float:
    r"""A closed formula, with the constants that follow from Lemma 2 and Dudley's integral.

    .. math::
        R_n \le 4 \frac{D+1}{D-1} \Bigl(\frac{9 (16 L)^D \ln 5k}{n}\Bigr)^{1/(D+1)}

    Derived: :math:`R_n \le 4a + \frac{12}{\sqrt n} \int_a^1 \sqrt{\ln N(\varepsilon)}\,
    d\varepsilon` for every a, with :math:`\ln(5k/\varepsilon) \le \ln(5k)/\varepsilon`, at the best
    a. An L below 1/16 is raised to 1/16, because a cover has at least one ball, and a D below 2 may
    be raised to 2, because covering numbers grow with D. At most 1.

    Examples
    --------
    >>> round(
    ...     closed_rademacher(1e18, 1, 5, 10)
    ...     / rademacher_constant(5)
    ...     / (log(50) / 1e18) ** (1 / 6),
    ...     9,
    ... )
    1.0
    """
    dimensions = [dimension for dimension in (D, 2.0) if dimension >= D and dimension > 1]
    return min(1.0, *(_dudley(n, max(L, 1 / 16), dimension, k) for dimension in dimensions))


def _dudley(n: float, L: float, D: float, k: int) -> float:
    """The formula of `closed_rademacher`, for D > 1, without its limit of 1."""
    log_term = log(9) + D * log(16 * L) + log(log(5 * k)) - log(n)
    return 4 * (D + 1) / (D - 1) * exp(min(log_term / (D + 1), 700))


def perturbed_rademacher(
    displacement: float,
    n: int,
    L: float,
    b: float,
    k: int,
    *,
    rademacher: Rademacher = chained_rademacher,
) -> float:
    r"""The complexity on a sample that is near a sample of lower dimension (Kontorovich & Weiss
    2014, Theorem 7).

    .. math:: \hat R_n(\mathcal H_L; S) \le L \frac{\alpha}{n} + R_n(\mathcal H_L) \text{ in
        dimension } b

    where objects :math:`\tilde x_i` of doubling dimension b, as a space of their own, lie at the
    mean distance :math:`\alpha / n`, ``displacement``, from the :math:`x_i`. The theorem leaves its
    constants open; here they are those of ``rademacher``. At most 1.

    Examples
    --------
    >>> perturbed_rademacher(0.25, 10, L=8.0, b=3.0, k=2)
    1.0
    """
    return min(1.0, L * displacement + rademacher(n, L, b, k))


def bayes_bound(bayes_error: float, n: int, L: float, D: float) -> float:
    r"""The mean error of the nearest neighbour in n objects (Theorem 1).

    .. math:: E[P(\text{error})] \le 2 P^* + 4 L n^{-1/(D+1)}

    if the probabilities of all classes are L-Lipschitz functions of the object; :math:`P^*` is the
    Bayes error. L and :math:`P^*` are unknown in practice, so this is a formula for understanding,
    not a certificate. At most 1.

    Examples
    --------
    >>> bayes_bound(0.25, 10_000, L=1.0, D=1.0)
    0.54
    """
    return min(1.0, 2 * bayes_error + 4 * L * exp(-log(n) / (D + 1)))


def printed_scale_penalty(n: float, L: float, D: float, k: int, *, log_delta: float) -> float:
    r"""Theorem 5 as it is printed. Its constant is not proved: use it only to draw Figure 3 of the
    paper.

    .. math:: \sqrt{\frac2n \Bigl(2 (16 L)^D \ln(20k) + \ln\frac{2L}{\delta}\Bigr)} + \frac1n

    Examples
    --------
    >>> round(printed_scale_penalty(1e9, 1.0, 5.0, 10, log_delta=log(0.01)), 3)
    0.149
    """
    entropy = 2 * covering_number(1 / (8 * L), D) * log(20 * k)
    return sqrt(2 / n * (entropy + log(2 * L) - log_delta)) + 1 / n


def empirical_penalty(
    n: int, L: float, rademacher: Callable[[float], float], *, log_delta: float
) -> float:
    r"""The penalty from a complexity measured on the sample, which needs no assumption about the
    dimension of the source.

    .. math:: 2 \hat R_n(\mathcal H_{L_i}; S) + 3 \sqrt{\frac{\ln(2/\delta_i)}{2n}}

    with the stratum i of L and its share :math:`\delta_i` (Bartlett & Mendelson 2002; Mohri et al.
    2012, Theorem 3.1; the loss is 1-Lipschitz). ``rademacher`` maps an L to a bound on :math:`\hat
    R_n(\mathcal H_L; S)`, for example `wideberth.bounds.margin.quantised_rademacher`
    or `wideberth.papers.margin_bounds.perturbed_rademacher` (Theorem 7). The partition or
    perturbation in it may be chosen after the sample is seen.

    Examples
    --------
    >>> round(empirical_penalty(10_000, 1.0, lambda L: 0.1 * L, log_delta=log(0.05)), 3)
    0.243
    """
    i, L_i = stratum(L)
    return measured_ball_risk(0.0, rademacher(L_i), n, log_delta=log_delta + log_share(i))


def cells_bound(
    violations: int, n: int, L: float, D: float, k: int, *, log_delta: float, eta: float = 0.0
) -> float:
    r"""The error of a margin function with h < 1 on e objects, ``violations``, of its n; never
    above e/n + `wideberth.bounds.cells_penalty`.

    .. math:: \overline{\mathrm{Bin}}\bigl(e,\ n,\ \delta_i (k+1)^{-N}\bigr)

    Examples
    --------
    >>> cells_bound(0, 10_000, 1.0, 2.0, 2, log_delta=log(0.05)) < 0.003
    True
    """
    return binomial_inversion(violations, n, log_delta=log_chance_of_cells(L, D, k, log_delta, eta))
