r"""Entropy integrals of the ball of Lipschitz functions (von Luxburg & Bousquet 2004, Theorems
16-18 and 20).

Covering numbers are given as two arrays: decreasing ``scales`` :math:`r_j` and ``numbers``
:math:`N_j` of balls with these radii, around objects of the space, that cover it. Between two
scales the number of the smaller one is used, below the last scale none. Bounds of :math:`\hat R_n`
also hold with covering numbers of the sample, because :math:`\hat R_n` depends on the sample alone;
a cover of the sample need not cover the space. Entropies have the same form: decreasing scales,
beginning with one at which a single function is enough, and natural logarithms of the numbers of
functions at these scales.

The unit ball has the functions with Lipschitz constant at most 1 and values between
:math:`\pm\mathrm{diam}`, so that integrals end at diam. Theorem 18 prints :math:`4 \sqrt2` and
:math:`2 \sqrt2` as the ends, numbers without the unit of the metric.
"""

from math import sqrt

import numpy as np
from numpy.typing import ArrayLike

from wideberth.array_types import Floats

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
    \varepsilon, 2 \varepsilon, \dots` as in `wideberth.bounds.rademacher_complexity.inner_chain`,
    which at the same scales is smaller. The paper's
    :math:`2 \varepsilon` could be :math:`\varepsilon`.

    Parameters
    ----------
    scales, entropies : ndarray of shape (m,)
        Decreasing scales, and the entropies of the class at them, 0 at the first.
    n : int
        The size of the sample.

    Examples
    --------
    >>> dudley_rademacher(
    ...     np.array([1.0, 0.5]), np.array([0.0, 2.0]), n=10**8
    ... )  # 2 eps is 8 times the last scale
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

    Parameters
    ----------
    scales, numbers : array-like of shape (m,)
        Decreasing radii, and how many balls of these radii cover the space.
    diameter : float
        The diameter of the space, in the unit of the scales.
    connected : bool
        Whether the space is connected.

    Examples
    --------
    >>> u, entropies = lipschitz_entropies([0.5, 0.25], [1, 2], diameter=1.0)
    >>> (
    ...     bool(entropies[0] == 0),
    ...     bool(entropies[-1] == np.inf),
    ... )  # one function at the diameter; no cover for the last scale
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

    Parameters
    ----------
    scales, numbers : array-like of shape (m,)
        Decreasing radii, and how many balls of these radii cover the space.
    diameter : float
        The diameter of the space, in the unit of the scales.
    connected : bool
        Whether the space is connected.

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
    `wideberth.bounds.lipschitz_ball.tree_rademacher` is smaller, and decreases at the same rate up
    to logarithms: this function is for comparison.

    Parameters
    ----------
    scales, numbers : array-like of shape (m,)
        Decreasing radii, and how many balls of these radii cover the space.
    diameter : float
        The diameter of the space, in the unit of the scales.
    n : int
        The size of the sample.
    connected : bool
        Whether the space is connected.

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
    functions with a constant added see `wideberth.bounds.hilbert_ball.offset_price`.

    Parameters
    ----------
    scales, numbers : array-like of shape (m,)
        Decreasing radii, and how many balls of these radii cover the space.
    reach : float
        The largest absolute value of the functions.
    slope : float
        How much an extreme function changes at most when its reference is moved by distance 1.
    profiles : array-like of shape (m,), optional
        How many functions of one number cover the :math:`g / L(g)` at the same scales.

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
