r"""Covering numbers: how many balls cover a space of a given dimension, and how many functions
cover its margin functions.

:math:`\mathcal H_L` (Kontorovich & Weiss 2014, (8)): functions of an object and a label that are
:math:`+\gamma` on one label and :math:`-\gamma` on all others, :math:`0 \le \gamma \le 1`, and
L-Lipschitz; equivalently L-Lipschitz maps into a star with k arms of length 1. The space has
diameter 1 and doubling dimension at most D; there are k >= 2 classes. Entropies are natural
logarithms of covering numbers in the sup norm, infinite if they are too large for a float.
"""

from collections.abc import Callable
from math import ceil, inf, log

#: scale, L, D, k -> an upper bound of the logarithm of the covering number of the margin functions
#: at this scale
Entropy = Callable[[float, float, float, int], float]

#: The parts of the scale that are tried for the radius of the cells; the rest is for rounding.
SPLITS = tuple(0.05 + 0.025 * i for i in range(37))


def covering_number(radius: float, D: float) -> float:
    r"""How many balls of this radius are enough to cover a space of diameter 1 and doubling
    dimension at most D.

    .. math:: N(r) \le (2 / r)^D, \qquad N(r) = 1 \text{ for } r \ge 1

    (Kontorovich & Weiss 2014, (2)).

    Parameters
    ----------
    radius : float
        The radius r, in diameters of the space.
    D : float
        The doubling dimension.

    Examples
    --------
    >>> covering_number(0.5, 3)
    64.0
    """
    if radius >= 1:
        return 1.0
    log_number = D * log(2 / radius)
    return inf if log_number > 700 else (2 / radius) ** D


def lemma_2_entropy(eps: float, L: float, D: float, k: int) -> float:
    r"""The entropy of the margin functions as in Lemma 2 of Kontorovich & Weiss (2014).

    .. math:: \ln N(\varepsilon, \mathcal H_L) \le N\Bigl(\frac{\varepsilon}{8L}\Bigr)
        \ln\frac{5k}{\varepsilon},
        \qquad 0 < \varepsilon \le 1

    The printed proof needs cover points that are separated. A maximal :math:`\varepsilon /
    4L`-separated set is such a cover, and has at most :math:`N(\varepsilon / 8L)` points.

    Parameters
    ----------
    eps : float
        The scale, above 0 and at most 1.
    L, D, k : float, float, int
        Lipschitz constant times diameter, doubling dimension, number of classes.

    Examples
    --------
    >>> lemma_2_entropy(1.0, 1.0, 1.0, 2) == 16 * log(10)
    True
    """
    return covering_number(eps / (8 * L), D) * log(5 * k / eps)


def external_entropy(eps: float, L: float, D: float, k: int) -> float:
    r"""The entropy with functions that are constant on the cells of a net and need not be margin
    functions themselves.

    .. math:: \ln N(\varepsilon) \le \min_{Lr + q/2 = \varepsilon} N(r) \ln\bigl(k \lceil 1/q \rceil
        + 1\bigr)

    Derived here: within a cell values differ by at most Lr from that at its centre, and rounding
    that to a multiple of q adds q/2. At an even split it is about :math:`4^D` times smaller than
    Lemma 2, and sufficient for chaining.

    Parameters
    ----------
    eps : float
        The scale, above 0 and at most 1.
    L, D, k : float, float, int
        Lipschitz constant times diameter, doubling dimension, number of classes.

    Examples
    --------
    >>> external_entropy(1.0, 1.0, 1.0, 2) <= 4 * log(3)  # the even split
    True
    """
    return min(
        covering_number(split * eps / L, D) * log(k * ceil(1 / (2 * (1 - split) * eps)) + 1)
        for split in SPLITS
    )


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

    Parameters
    ----------
    eps : float
        The scale, above 0 and at most 1.
    L, D, k : float, float, int
        Lipschitz constant times diameter, doubling dimension, number of classes.

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
    choices at the hub of the star and three elsewhere. `external_entropy` has another factor
    :math:`\ln(1 / \varepsilon)` for each cell.

    Parameters
    ----------
    eps : float
        The scale, above 0 and at most 1.
    L, D, k : float, float, int
        Lipschitz constant times diameter, doubling dimension, number of classes.

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

    Parameters
    ----------
    eps : float
        The scale.
    L, D, k : float, float, int
        Lipschitz constant times diameter, doubling dimension, number of classes.
    eta : float
        How approximate the nearest neighbours are.
    entropy : callable
        The entropy of the margin functions, as a function of (eps, L, D, k).

    Examples
    --------
    >>> perturbed_entropy(0.5, 1.0, 2.0, 3, eta=0.125) == external_entropy(0.25, 1.0, 2.0, 3)
    True
    """
    return entropy(eps - 2 * eta, L, D, k) if eps > 2 * eta else inf
