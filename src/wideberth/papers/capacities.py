r"""Complexities of balls of functions: Lipschitz functions, and sums of distances (von Luxburg &
Bousquet 2004, section 5; Hein, Bousquet & Schoelkopf 2005, section 5).

Losses, risks and :math:`\hat R_n` are those of `wideberth.bounds.balls`. ``n`` is the size of the
sample, ``log_delta`` the logarithm of the probability with which a bound may fail, ``diameter``
that of the space in the unit of the scales, ``reach`` the largest absolute value of the functions,
and ``connected`` says whether the space is connected.

*Entropy integrals of the ball of Lipschitz functions (Theorems 16-18 and 20).* Covering numbers are
given as two arrays: decreasing ``scales`` :math:`r_j` and ``numbers`` :math:`N_j` of balls with
these radii, around objects of the space, that cover it. Between two scales the number of the
smaller one is used, below the last scale none. Bounds of :math:`\hat R_n` also hold with covering
numbers of the sample, because :math:`\hat R_n` depends on the sample alone; a cover of the sample
need not cover the space. Entropies have the same form: decreasing scales, beginning with one at
which a single function is enough, and natural logarithms of the numbers of functions at these
scales.

The unit ball has the functions with Lipschitz constant at most 1 and values between
:math:`\pm\mathrm{diam}`, so that integrals end at diam. Theorem 18 prints :math:`4 \sqrt2` and
:math:`2 \sqrt2` as the ends, numbers without the unit of the metric.

*Sums of distances: the ball of the Kuratowski embedding.* The ball has the functions :math:`f(x) =
\sum_j \beta_j (d(x, z_j) - d(x_0, z_j))` with :math:`\sum_j |\beta_j| \le B` and any objects
:math:`z_j` of the space, and their limits. They are B-Lipschitz and 0 at the base point
:math:`x_0`, so every bound for the Lipschitz ball of constant B holds for them as well. By (15) of
the paper

.. math:: \hat R_n = B\, E_\sigma \sup_{z} \Bigl|\frac1n \sum_i \sigma_i (d(x_i, z) - d(x_0,
    z))\Bigr| .

The supremum is over the whole space. Over the objects of the sample alone it is smaller, and not a
bound. ``base_distances`` are those of the objects of the sample to the base point.
"""

from collections.abc import Callable
from math import log, sqrt

import numpy as np
from numpy.typing import ArrayLike

from wideberth.array_types import Floats
from wideberth.bounds.balls import hilbert_rademacher, log_share, measured_ball_risk, open_stratum
from wideberth.bounds.margin import cheapest_chain

# ---- Risks of functions from a ball


def lemma_14_risk(empirical: float, rademacher: float, n: int, *, log_delta: float) -> float:
    r"""The risk of every function of a ball that was fixed before the sample, as in Lemma 14 of von
    Luxburg & Bousquet (2004).

    .. math:: E\,\ell \le E_n \ell + 2 R_n + \sqrt{\frac{8 \ln(2/\delta)}{n}}

    ``rademacher`` bounds :math:`R_n`, the mean over samples, which cannot be measured on one
    sample: it follows from assumptions about the source. The value may be above 1.

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

    Examples
    --------
    >>> fixed_ball_risk(0.25, 0.125, 8, log_delta=-1.0)
    0.75
    """
    return empirical + 2 * rademacher + sqrt(-log_delta / (2 * n))


def stratified_ball_risk(
    empirical: float, norm: float, rademacher: Callable[[float], float], n: int, *, log_delta: float
) -> float:
    r"""`wideberth.bounds.measured_ball_risk` for a function whose norm, such as its Lipschitz
    constant, is known only after it is learned.

    .. math:: E\,\ell \le E_n \ell + 2 \hat R_n(\mathcal F_{L_i}) + 3
        \sqrt{\frac{\ln(2/\delta_i)}{2n}}

    for all norms L > 0 at once, with the stratum i of L (`wideberth.bounds.balls.open_stratum`, in
    any unit that does not depend on the sample) and its share :math:`\delta_i`. ``rademacher`` maps
    a norm to an upper bound of :math:`\hat R_n` of its ball. For Lipschitz functions clipped to
    [-1, 1] this is :math:`\max(L, 1/r)\,\hat R`, where :math:`\hat R` is the complexity of the ball
    of constant 1 whose functions do not exceed r; r may be chosen after the sample is seen.

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


# ---- The Lipschitz ball by covering numbers of the sample or the space


def inner_chain(scales: Floats, entropies: Floats, n: float) -> float:
    r"""The smallest bound of a chain whose covers consist of functions of the class; below
    `wideberth.bounds.margin.shortest_chain`.

    .. math::
        R_n \le \varepsilon_J + \sum_{j=1}^{J} \varepsilon_{j-1} \sqrt{\frac{2 H_j}{n}}

    Derived here: each member of a cover has a neighbour in the previous cover at distance at most
    :math:`\varepsilon_{j-1}`, and there are as many such pairs as members.

    Examples
    --------
    >>> inner_chain(np.array([1.0, 0.5]), np.array([0.0, 2.0]), n=100)  # 0.5 + 1 * 0.2
    0.7
    """
    return cheapest_chain(scales, np.multiply.outer(scales, np.sqrt(2 / n * entropies)))


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
    most :math:`\sqrt{N_j n}` on a level. Entropy integrals (`wideberth.papers.capacities`,
    Theorem 18) count functions instead of branches, and are larger by a logarithm.

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

    Examples
    --------
    >>> round(discrepancy_rate(1000, 3), 9)
    0.1
    """
    if d == 2:
        return sqrt(log(n) / n)
    return float(n ** (-1 / max(d, 2)))


# ---- The Lipschitz ball by entropy integrals


#: Scales, in diameters, at which functions are counted.
FUNCTION_SCALES = np.logspace(0, -4, 97)


def dudley_rademacher(scales: Floats, entropies: Floats, n: float) -> float:
    r"""The entropy integral of Theorem 16, at the best :math:`\varepsilon`.

    .. math:: \hat R_n(\mathcal F) \le \min_\varepsilon\ 2 \varepsilon
        + \frac{4 \sqrt2}{\sqrt n} \int_{\varepsilon / 4}^\infty \sqrt{H(u)}\, du

    :math:`H(u) = \ln N(\mathcal F, u)`, ``entropies``, counts the functions of a cover within the
    class, in the mean square on the sample or in the sup norm. The theorem has absolute values
    within the supremum; then it holds if :math:`-f` is in the class for every f, and not in
    general: for a single function it would give 0.

    Proof: choose functions more than :math:`\varepsilon` apart, such that no other function is
    farther than that from them, and chain them through covers at :math:`\varepsilon / 2,
    \varepsilon, 2 \varepsilon, \dots` as in `inner_chain`,
    which at the same scales is smaller. The paper's
    :math:`2 \varepsilon` could be :math:`\varepsilon`.

    Examples
    --------
    >>> # 2 eps is 8 times the last scale
    >>> dudley_rademacher(np.array([1.0, 0.5]), np.array([0.0, 2.0]), n=10**8)
    4.0004
    """
    widths = -np.diff(scales)
    integral = np.r_[0.0, np.cumsum(widths * np.sqrt(entropies[1:]))]
    return float((8 * scales + 4 * sqrt(2 / n) * integral).min())


def lipschitz_entropies(
    scales: ArrayLike, numbers: ArrayLike, diameter: float, *, connected: bool = False
) -> tuple[Floats, Floats]:
    r"""The entropy of the unit ball of Lipschitz functions: scales, from the diameter down, and
    entropies at these scales.

    .. math::
        \ln N(u) \le \min_{r + e = u} N(r) \ln(2 q + 1), \qquad q = \Bigl\lceil
        \frac{\mathrm{diam}}{2e} - \frac12 \Bigr\rceil

    and in a connected space

    .. math:: \ln N(u) \le \min_{r + e = u} \bigl(N(r) - 1\bigr) \ln\Bigl\lceil 1 + \frac{2r}{e}
        \Bigr\rceil + \ln(2 q + 1)

    Derived here, in place of Theorem 17 (which has r = u/4 where r = e = u/2 is enough): round the
    values at the centres of balls to multiples of 2e. In a connected space two balls that meet have
    centres at most 2r apart, so that the next value has three choices for e = r. Functions with the
    same rounded values are at most 2u apart, and the mean of their supremum and their infimum is a
    function of the ball within u of all of them. A sample is never connected: the second form needs
    covering numbers of the space.

    Examples
    --------
    >>> u, entropies = lipschitz_entropies([0.5, 0.25], [1, 2], diameter=1.0)
    >>> # one function at the diameter; no cover for the last scale
    >>> (bool(entropies[0] == 0), bool(entropies[-1] == np.inf))
    (True, True)
    """
    u = diameter * FUNCTION_SCALES
    radii, counts = np.asarray(scales, dtype=np.float64), np.asarray(numbers, dtype=np.float64)
    e = u[:, None] - radii
    with np.errstate(divide="ignore", invalid="ignore"):
        first = np.log(2 * np.ceil(diameter / (2 * e) - 0.5) + 1)
        later = np.log(np.ceil(1 + 2 * radii / e)) if connected else first
        entropies = np.where(e > 0, first + (counts - 1) * later, np.inf).min(axis=1)
    entropies[0] = 0.0
    return u, entropies


def theorem_17_entropies(
    scales: ArrayLike, numbers: ArrayLike, diameter: float, *, connected: bool = False
) -> tuple[Floats, Floats]:
    r"""Theorem 17 as it is printed: scales, from the diameter down, and entropies at them.

    .. math::
        \ln N(u) \le N(u/4) \ln\Bigl(2 \Bigl\lceil \frac{2\,\mathrm{diam}}{u} \Bigr\rceil + 1\Bigr),
        \qquad
        \ln N(u) \le N(u/2) \ln 2 + \ln\Bigl(2 \Bigl\lceil \frac{2\,\mathrm{diam}}{u} \Bigr\rceil +
        1\Bigr)

    The first form is proved in `lipschitz_entropies`, which is smaller. The second, for connected
    and centred spaces, rests on Kolmogorov & Tihomirov (1961); we can prove it on an interval only,
    and with ln 3 in place of ln 2 in general. Use it for comparison, and `lipschitz_entropies` for
    bounds that have to hold.

    Examples
    --------
    >>> theorem_17_entropies([0.125], [4], diameter=1.0)[1] / np.log(9)
    array([0., 4.])
    """
    radii, counts = np.asarray(scales, dtype=np.float64), np.asarray(numbers, dtype=np.float64)
    u = radii * (2 if connected else 4)
    inside = (u > 0) & (u < diameter)
    u, counts = u[inside], counts[inside]
    values = np.log(2 * np.ceil(2 * diameter / u) + 1)
    return np.r_[diameter, u], np.r_[
        0.0, counts * np.log(2) + values if connected else counts * values
    ]


def lipschitz_rademacher(
    scales: ArrayLike, numbers: ArrayLike, diameter: float, n: int, *, connected: bool = False
) -> float:
    r"""The complexity of the unit ball of Lipschitz functions by the entropy integral of Theorem
    18, up to the diameter.

    .. math:: \hat R_n \le \min_\varepsilon\ 2 \varepsilon
        + \frac{4 \sqrt2}{\sqrt n} \int_{\varepsilon / 4}^{\mathrm{diam}} \sqrt{\ln N(u)}\, du

    with N(u) from `lipschitz_entropies`, and at most the diameter.
    `tree_rademacher` is smaller, and decreases at the same rate up
    to logarithms: this function is for comparison.

    Examples
    --------
    >>> lipschitz_rademacher([1.0], [1], diameter=2.0, n=100)
    2.0
    """
    return min(
        diameter,
        dudley_rademacher(*lipschitz_entropies(scales, numbers, diameter, connected=connected), n),
    )


def radial_entropies(
    scales: ArrayLike,
    numbers: ArrayLike,
    reach: float,
    *,
    slope: float = 1.0,
    profiles: ArrayLike | None = None,
) -> tuple[Floats, Floats]:
    r"""The entropy of sums of functions of distances: scales, from ``reach`` down, and entropies at
    these scales.

    .. math::
        f(x) = \sum_j a_j g_j(d(p_j, x)),\ \sum_j |a_j| L(g_j) \le 1:
        \qquad H(u) = \ln\bigl(2 N(r) N_G(r) + 1\bigr), \quad u = (\text{slope} + 1)\, r

    (Theorem 20 of von Luxburg & Bousquet 2004, by (13) and Lemma 19.) The extreme functions of the
    ball are :math:`\pm g(d(p, \cdot)) / L(g)`; they change by at most ``slope`` times the distance
    by which p is moved, and are at most ``reach``. ``profiles`` are the numbers :math:`N_G` of
    functions that cover the :math:`g / L(g)` at the same scales; without them there is one g, as in
    the LP machine, and u = slope r. The paper leaves out the two signs and the function 0 from
    which a chain starts, without which a class of one function would have complexity 0. For
    functions with a constant added see `wideberth.bounds.balls.offset_price`.

    Examples
    --------
    >>> radial_entropies([0.5, 0.25], [1, 2], reach=1.0)  # ln 3 and ln 5
    (array([1.  , 0.5 , 0.25]), array([0.        , 1.09861229, 1.60943791]))
    """
    radii, counts = np.asarray(scales, dtype=np.float64), np.asarray(numbers, dtype=np.float64)
    if profiles is None:
        u = slope * radii
    else:
        u, counts = (slope + 1) * radii, counts * np.asarray(profiles, dtype=np.float64)
    inside = u < reach
    return np.r_[reach, u[inside]], np.r_[0.0, np.log(2 * counts[inside] + 1)]


# ---- The same as the paper prints it, for comparison


def theorem_17_floor(
    scales: ArrayLike, numbers: ArrayLike, diameter: float = 0.0
) -> tuple[Floats, Floats]:
    r"""The lower half of Theorem 17: scales, and entropies that the unit ball of Lipschitz
    functions has at least at them.

    .. math:: \ln N(u) \ge N(4u) \ln 2 \quad (u < \mathrm{diam}), \qquad \ln N(u) = 0 \quad (u \ge
        \mathrm{diam})

    The theorem prints no condition on u, neither here nor in its second form, :math:`N(2u) \ln 2`
    for connected and centred spaces. It needs one: functions of the ball are between
    :math:`\pm\mathrm{diam}`, so that from the diameter on the function 0 is within u of all of
    them. Below the diameter: take a maximal set of points more than 4u apart, which covers the
    space at 4u. If it has one point only, N(4u) = 1, and the constants :math:`\pm\mathrm{diam}`
    differ by more than 2u. If it has more, the diameter is more than 4u; every choice of signs at
    them, times 2u, has Lipschitz constant 1 and extends to the space, and two of these functions
    differ by 4u somewhere. No ball of radius u holds both. ``numbers`` are those of balls that are
    needed at least; ``diameter`` may be less than the true one, and only scales at which one ball is
    enough need it.

    Examples
    --------
    >>> theorem_17_floor([8.0, 4.0, 2.0], [1, 1, 3], diameter=2.0)[1] / np.log(2)
    array([0., 1., 3.])
    >>> theorem_17_floor([8.0, 4.0, 2.0], [1, 1, 3])[1] / np.log(2)
    array([0., 0., 3.])
    """
    radii, counts = np.asarray(scales, dtype=np.float64), np.asarray(numbers, dtype=np.float64)
    u = radii / 4
    return u, np.where((u < diameter) | (counts > 1), counts * np.log(2), 0.0)


def theorem_18_rademacher(
    scales: ArrayLike, numbers: ArrayLike, diameter: float, n: int, *, connected: bool = False
) -> float:
    r"""Theorem 18: the entropy integral of Theorem 16 with the entropies of Theorem 17 as they are
    printed.

    The integrals end at the diameter, from which one function is enough; the theorem prints
    :math:`4 \sqrt2` and :math:`2 \sqrt2`, numbers without the unit of the metric. The bound that
    is proved here, and smaller, is `lipschitz_rademacher`.

    Examples
    --------
    >>> radii = np.geomspace(1.0, 1e-4, 60)
    >>> theorem_18_rademacher(radii, np.ceil(0.5 / radii), 1.0, 10**6) < 1
    True
    """
    return dudley_rademacher(
        *theorem_17_entropies(scales, numbers, diameter, connected=connected), n
    )


def theorem_20_rademacher(
    scales: ArrayLike, numbers: ArrayLike, profiles: ArrayLike, width: float, n: int
) -> float:
    r"""Theorem 20 as it is printed, for sums of functions of distances.

    .. math:: 2 \varepsilon + \frac{4 \sqrt2}{\sqrt n} \int_{\varepsilon/4}^w
              \sqrt{\ln N(u/2) + \ln N_G(u/2)}\, du

    with the larger one w of the diameters of the space and of the profiles, ``width``. It leaves
    out the two signs and the function 0, without which a class of a single function would have
    complexity 0 (with Theorem 16 it fails for one function). Use `radial_entropies` for bounds that
    have to hold.

    Examples
    --------
    >>> # one function: too small
    >>> theorem_20_rademacher([0.5, 0.25, 0.0], [1, 1, 1], [1, 1, 1], 1.0, 100)
    0.0
    """
    radii = np.asarray(scales, dtype=np.float64)
    entropies = np.log(np.asarray(numbers, dtype=np.float64)) + np.log(
        np.asarray(profiles, dtype=np.float64)
    )
    inside = 2 * radii < width
    return dudley_rademacher(np.r_[width, 2 * radii[inside]], np.r_[0.0, entropies[inside]], n)


# ---- Sums of distances


#: falling scales and the entropies of a class at them, n -> an upper bound of its complexity
Chain = Callable[[Floats, Floats, float], float]


def trivial_kuratowski_rademacher(base_distances: ArrayLike, B: float) -> float:
    r"""The complexity of the ball on objects at these distances from the base point, without
    covering numbers (section 5.1).

    .. math:: \hat R_n \le \frac{B}{n} \sum_{i=1}^n d(x_i, x_0)

    It does not fall with n.

    Examples
    --------
    >>> trivial_kuratowski_rademacher([3.0, 5.0], B=2.0)
    8.0
    """
    return B * float(np.mean(np.asarray(base_distances, dtype=np.float64)))


def kuratowski_rademacher(
    scales: ArrayLike,
    numbers: ArrayLike,
    base_distances: ArrayLike,
    B: float,
    *,
    chain: Chain = inner_chain,
) -> float:
    r"""The complexity of the ball from covering numbers of the whole space (Theorem 6).

    .. math:: \hat R_n \le \frac{4 \sqrt2\, B}{\sqrt n} \int_0^{R} \sqrt{\ln\bigl(2 N(u/2) +
        1\bigr)}\, du,
        \qquad R^2 = \frac1n \sum_i d(x_i, x_0)^2

    with ``chain=wideberth.papers.capacities.dudley_rademacher``, which also starts the
    integral above 0; the default chain is smaller. ``numbers`` are N at the decreasing ``scales``.
    The paper leaves the constant open, for which Theorem 16 of von Luxburg & Bousquet (2004) gives
    :math:`4 \sqrt 2`, and prints :math:`\ln N(u/2)`: the absolute value in (15) needs the functions
    of both signs, and the function 0 as the start of the chain. At most
    `trivial_kuratowski_rademacher`.

    Examples
    --------
    >>> line = 0.5 ** np.arange(1, 12)  # the interval [0, 1]: 2^j balls of radius 2^-(j + 1)
    >>> distances = np.linspace(0, 1, 10_000)
    >>> kuratowski_rademacher(line, 0.5 / line, distances, B=1.0) < 0.05
    True
    """
    distances = np.asarray(base_distances, dtype=np.float64)
    start = sqrt(float(np.mean(distances**2)))
    by_covers = B * chain(*radial_entropies(scales, numbers, start, slope=2.0), len(distances))
    return min(by_covers, trivial_kuratowski_rademacher(distances, B))


def kuratowski_floor(base_distances: ArrayLike, B: float) -> float:
    r"""A lower bound of the complexity of the ball, from the one reference :math:`z = x_0` (Theorem
    7).

    .. math:: \frac{1}{\sqrt2} \frac{B}{n} \sqrt{\sum_i d(x_i, x_0)^2} \le \hat R_n

    This holds in any metric space, by Khintchine's inequality. So if the metric is Hilbertian, the
    Hilbert ball, which `wideberth.bounds.balls.hilbert_rademacher` bounds, has at most
    :math:`\sqrt2` times the complexity of this ball.

    Examples
    --------
    >>> round(kuratowski_floor([3.0, 4.0], B=2.0), 4)
    3.5355
    """
    return hilbert_rademacher(base_distances, B) / sqrt(2)
