r"""Bounds of the total loss and the mistakes of an online learner of nearest centres, for any
sequence of queries.

Guruganesh, Liu, Schneider & Wang, Margin-independent online multiclass learning via convex geometry
(2021). For two labels a hidden vector w with :math:`|w| \le R` in d dimensions decides by the sign
of :math:`\langle q, w \rangle`, :math:`|q| \le 1`; a mistake loses :math:`|\langle q, w
\rangle|^\alpha`. For two centres in the unit ball, :math:`w = x_1 - x_2` and R = 2. Labels are
never wrong; nothing is assumed about the source of the queries.

The paper gives orders of growth. The constants here are derived for the algorithm of
`wideberth.classifiers.online.knowledge_set`. At scale i, :math:`2^{-i} \le \text{width} < 2^{1-i}`,
it uses a body P_i around all w that are still possible, enlarged by :math:`z_i = 2^{-i}/8d`. A
mistake at scale i leaves at most the share ``kept`` of its volume: 5/8 for exact volumes, 3/4 for
votes that may be off by 1/8, `ellipsoid_kept` for ellipsoids. The volume decreases from at most
that of the ball of radius :math:`R + z_i` to at least that of a segment fattened by z_i. ``alpha``
is the power of the loss, ``k`` the number of labels, ``margin`` is :math:`\gamma`, and
``potential`` bounds the total loss of one pair of labels.

`stated_margin_mistakes`, `stated_even_power_loss` and `convex_regions_exponent` are orders of
growth as the paper states them, without constants: for ratios, they are no bounds.
"""

from collections.abc import Iterable
from math import ceil, comb, exp, expm1, inf, lgamma, log, log1p, log2, pi, sqrt

#: The share of the volume of a body that a mistake leaves at most.
EXACT_VOTE, SAMPLED_VOTE = 5 / 8, 3 / 4


#: The number of scales that are summed one by one; the sum over all others has a closed form.
_SCALES = 64


def ellipsoid_kept(d: int) -> float:
    r"""The share ``kept`` for ellipsoids, about :math:`e^{-0.28/d}`: volume of the smallest one
    around what a mistake leaves.

    .. math:: \frac{d (1 - g)}{d + 1} \Bigl(\frac{d^2 (1 - g^2)}{d^2 - 1}\Bigr)^{(d-1)/2}

    at the depth :math:`g = -1/4d` of the cut.

    Examples
    --------
    >>> ellipsoid_kept(1), round(ellipsoid_kept(10), 4)
    (0.625, 0.9722)
    """
    g = -1 / (4 * d)
    along = d * (1 - g) / (d + 1)
    return along if d == 1 else along * (d**2 * (1 - g**2) / (d**2 - 1)) ** ((d - 1) / 2)


def mistakes_at_scale(d: int, scale: int, *, R: float = 2.0, kept: float = EXACT_VOTE) -> float:
    r"""How many mistakes a learner of two labels makes at most at one scale.

    .. math:: \frac{d \ln(1 + 8 d R 2^i)}{\ln(1/\texttt{kept})}

    With ``kept`` = 0.95 it also bounds the rows stored at one scale, if only rows that leave at
    most 95 % are stored.

    Examples
    --------
    >>> (
    ...     round(mistakes_at_scale(1, 0, R=1 / 8), 3),
    ...     round(mistakes_at_scale(1, 0, R=1 / 8, kept=0.5), 3),
    ... )
    (1.475, 1.0)
    """
    return d * log(1 + 8 * d * R * 2.0**scale) / -log(kept)


def initial_potential(
    d: int,
    *,
    alpha: float = 1.0,
    R: float = 2.0,
    kept: float = EXACT_VOTE,
    other: tuple[float, float] | None = None,
) -> float:
    r"""A bound of the total loss with two labels, :math:`O(\alpha^{-2} d \log d)` (Theorems 1 and
    10).

    .. math:: \Phi_0 = \frac{1}{\ln(1/\texttt{kept})} \sum_{i \ge i_0} \min(2^{1-i}, R)^\alpha
        \ln \frac{(1 + x_i)^d}{1 + c_d x_i}, \qquad x_i = 8 d R 2^i, \quad i_0 = -\lceil \log_2 2R
        \rceil

    since a mistake at scale i loses at most :math:`2^{1-i}` and at most R, to the power. Derived
    here. The possible w are a cone, so that the body of a scale always contains a segment of length
    R, fattened by z_i, which has :math:`1 + c_d x_i` times the volume of the ball z_i B, :math:`c_d
    = \Gamma(d/2+1) / \sqrt\pi\, \Gamma((d+1)/2)`. The sum over all but the first scales is bounded
    by :math:`\ln(1 + x 2^i) \le \ln(x + 2^{-m}) + i \ln 2` for i >= m, a series with a closed form.

    Examples
    --------
    >>> [round(initial_potential(d)) for d in (2, 5, 10, 20, 50)]
    [64, 289, 748, 1801, 5415]
    """
    first = -ceil(log2(2 * R))
    last = first + _SCALES
    x, ratio = 8 * d * R, 2.0**-alpha
    section = x * exp(lgamma(d / 2 + 1) - lgamma((d + 1) / 2)) / sqrt(pi)
    near = 0.0
    for i in range(first, last):
        width = min(2.0 ** (1 - i), R)
        loss = min(width**alpha, inf if other is None else other[0] * width ** other[1])
        near += loss * (d * log1p(x * 2.0**i) - log1p(section * 2.0**i))
    left = -expm1(-alpha * log(2))  # 1 - ratio
    start, step = d * log(x + 2.0**-last) - log(section), (d - 1) * log(2)
    far = 2**alpha * ratio**last * ((start + last * step) / left + step * ratio / left**2)
    return float((near + far) / -log(kept))


def partition_loss(potential: float, k: int, *, price: float = 2.0) -> float:
    r"""A bound of the total loss with k labels, with one learner of this initial potential for each
    pair (Theorem 11).

    .. math:: \texttt{price} \cdot \binom k2 \, \Phi_0

    The price 2 is that of the theorem, for the expected loss: guesses are random, and learners
    learn from their own mistakes. The price 1 holds in every run and is derived here, for the rule
    that uses all the information of every label
    (`wideberth.classifiers.online.tournament.informative_rule`).

    Examples
    --------
    >>> partition_loss(10.0, 2), partition_loss(10.0, 5), partition_loss(10.0, 5, price=1.0)
    (20.0, 200.0, 100.0)
    """
    return price * comb(k, 2) * potential


def ranking_loss(potential: float, k: int, *, alpha: float = 1.0) -> float:
    r"""A bound of the total loss of a majority vote of all pairs if the ranking of all labels is
    revealed (Remark 3.4).

    .. math:: \max(1, 2^{\alpha - 1}) \binom k2 \, \Phi_0

    Derived: the loss of the vote is at most the sum of the losses of two learners that err, and
    :math:`(s + t)^\alpha \le \max(1, 2^{\alpha-1}) (s^\alpha + t^\alpha)`.

    Examples
    --------
    >>> ranking_loss(10.0, 5), ranking_loss(10.0, 5, alpha=2.0)
    (100.0, 200.0)
    """
    return max(1.0, 2 ** (alpha - 1)) * comb(k, 2) * potential


def euclidean_loss(d: int, *, alpha: float = 1.0, kept: float = EXACT_VOTE) -> float:
    r"""A bound of the total loss with two labels and the Euclidean distance, centres and queries in
    the unit ball (Remark 4.1).

    It is that for the inner product g in d + 1 dimensions with :math:`R = 4\sqrt{10}/3` and losses
    of at most the smaller one of :math:`5 g/\sqrt{10}` and :math:`\sqrt g`: the features of
    `wideberth.classifiers.online.lifts.EuclideanLift`. In a ball of radius b, :math:`b^\alpha`
    times as much.

    Examples
    --------
    >>> [round(euclidean_loss(d)) for d in (1, 2, 5)]
    [99, 203, 575]
    """
    unit = float((5 / sqrt(10)) ** alpha)
    return unit * initial_potential(
        d + 1, alpha=alpha, R=4 * sqrt(10) / 3, kept=kept, other=(1 / unit, alpha / 2)
    )


def even_power_loss(p: int, d: int, *, alpha: float = 1.0, kept: float = EXACT_VOTE) -> float:
    r"""A bound of the total loss with two labels and the :math:`L^p` distance, p even, all in the
    unit ball (Theorem 12).

    It is that for the inner product g in :math:`d (p - 1) + 1` dimensions with losses of at most
    the smaller one of
    :math:`(2^{p-2} d^{1/2-1/p} g)^{1/(p-1)}` and :math:`g^{1/p}`, and

    .. math:: R = p\, 2^p \sqrt{\frac{\Gamma(2p - 3/2)}{\sqrt\pi\, \Gamma(2p - 1)}} \sqrt{d (2p -
        1)},

    derived here: the features of `wideberth.classifiers.online.lifts.ChebyshevLift`.

    Examples
    --------
    >>> euclidean_loss(3) < even_power_loss(2, 3) < even_power_loss(4, 3) < even_power_loss(4, 6)
    True
    """
    steepness = p * 2.0 ** (p - 1) * sqrt(exp(lgamma(2 * p - 1.5) - lgamma(2 * p - 1)) / sqrt(pi))
    R = 2 * steepness * sqrt(d * (2 * p - 1))
    power = alpha / (p - 1)
    unit = float((2 ** (p - 2) * d ** (1 / 2 - 1 / p)) ** power)
    return unit * initial_potential(
        d * (p - 1) + 1, alpha=power, R=R, kept=kept, other=(1 / unit, alpha / p)
    )


def ladder_loss(
    rungs: Iterable[tuple[int, int, float]], *, alpha: float = 1.0, kept: float = EXACT_VOTE
) -> float:
    r"""A bound of the sum of the losses above the resolution, for two labels, any p > 2 and
    separated centres (Theorem 13).

    .. math:: \sum_i (2^{1-i})^\alpha \frac{D_i \ln(1 + 16 D_i R_i 2^i)}{\ln(1/\texttt{kept})}

    over the rungs (i, D_i, R_i): scale, dimension and radius of
    `wideberth.papers.online_powers.lp_ladder`, which ensures that the features are
    accurate enough for their scale. The paper states :math:`\mathrm{poly}(d, p) / \Delta (p-2)^2`
    for all scales together, without giving the polynomial.

    Examples
    --------
    >>> ladder_loss([(0, 1, 15 / 16)], kept=0.5) == 2 * 1 * log(16) / log(2)
    True
    """
    return float(
        sum(
            2.0 ** (alpha * (1 - i)) * D * log(1 + 16 * D * R * 2.0**i) / -log(kept)
            for i, D, R in rungs
        )
    )


def margin_mistakes(d: int, margin: float, *, R: float = 2.0, kept: float = EXACT_VOTE) -> float:
    r"""A bound of the mistakes at queries with :math:`|\langle q, w \rangle| \ge \gamma`, the
    margin, for two labels.

    .. math:: \sum_{i_0 \le i \le \lceil \log_2 (1/\gamma) \rceil} \frac{d \ln(1 + 8 d R
        2^i)}{\ln(1/\texttt{kept})}
        = O\Bigl(d \log\frac1\gamma \log\frac d\gamma\Bigr)

    Derived here: all these mistakes happen at scales at which the set of possible w is at least
    :math:`\gamma` wide. Other queries may be arbitrarily near to the border (the robust model), and
    the margin need not be known. The paper states :math:`O(d \log(d/\gamma))` for streams without
    such queries (Theorems 5 and 16), see `stated_margin_mistakes`, and :math:`O(d \log(d)/\gamma)`
    for the robust model, see `robust_mistakes`; use the smaller one.

    Examples
    --------
    >>> margin_mistakes(10, 0.001) < robust_mistakes(initial_potential(10), 0.001)
    True
    """
    first = -ceil(log2(2 * R))
    return sum(
        mistakes_at_scale(d, i, R=R, kept=kept) for i in range(first, ceil(-log2(margin)) + 1)
    )


def robust_mistakes(total_loss: float, margin: float, *, alpha: float = 1.0) -> float:
    r"""A bound of the mistakes that lose at least the margin :math:`\gamma`, for any number of
    labels and any other queries.

    .. math:: \text{total loss} / \gamma^\alpha

    (section 1.2).

    Examples
    --------
    >>> robust_mistakes(200.0, 0.5)
    400.0
    """
    return float(total_loss / margin**alpha)


def halving_mistakes(
    d: int, margin: float, *, R: float = 2.0, k: int = 2, price: float = 2.0
) -> float:
    r"""A bound of the mistakes of exact majority votes if all queries keep a known margin
    :math:`\gamma` (section 1.2).

    .. math:: d \log_2 \Bigl(1 + \frac R\gamma\Bigr)

    and for k > 2 labels `partition_loss` of that. Derived: in the ball of radius :math:`R +
    \gamma`, the set of possible w always contains a ball of radius :math:`\gamma`, and a mistake
    leaves at most half of its volume, so that :math:`\log_2` of the volume is a potential for the
    number of mistakes. It grows like Theorems 6 and 17 or slower, for a learner that knows its
    margin.

    Examples
    --------
    >>> halving_mistakes(3, 2 / 7), halving_mistakes(3, 2 / 7, k=3)
    (9.0, 54.0)
    """
    for_two = d * log2(1 + R / margin)
    return for_two if k == 2 else partition_loss(for_two, k, price=price)


def stated_margin_mistakes(d: int, margin: float, k: int = 2) -> float:
    r"""The growth of the mistakes with margin :math:`\gamma` as the paper states it (Theorems 5,
    16; 6, 17 for k > 2); no bound.

    .. math:: d \ln(d/\gamma), \qquad k^2 d \ln(d/\gamma)

    Examples
    --------
    >>> from math import exp
    >>> stated_margin_mistakes(1, 1 / exp(2)), stated_margin_mistakes(1, 1 / exp(2), k=3)
    (2.0, 18.0)
    """
    return (1 if k == 2 else k**2) * d * log(d / margin)


def stated_even_power_loss(p: int, d: int, k: int) -> float:
    r"""The growth of the loss for even p as the paper states it (Theorem 12); no bound.

    .. math:: p^4 d^{(p+1)/p} k^2 \ln d

    Examples
    --------
    >>> stated_even_power_loss(4, 16, 2) == 4**4 * 16**1.25 * 4 * log(16)
    True
    """
    return float(p**4 * d ** ((p + 1) / p) * k**2 * log(d))


def convex_regions_exponent(d: int) -> float:
    """The exponent of a lower bound: some stream of T queries makes a learner of two convex regions
    lose T to this power.

    In d dimensions, for every learner (Theorem 4).

    Examples
    --------
    >>> convex_regions_exponent(6)
    0.5
    """
    return (d - 4) / (d - 2)
