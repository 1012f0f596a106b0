"""Orders of growth as Guruganesh, Liu, Schneider & Wang (2021) state them, without constants: for
ratios, they are no bounds.
"""

from math import log


def stated_margin_mistakes(d: int, margin: float, k: int = 2) -> float:
    r"""The growth of the mistakes with margin :math:`\gamma` as the paper states it (Theorems 5,
    16; 6, 17 for k > 2); no bound.

    .. math:: d \ln(d/\gamma), \qquad k^2 d \ln(d/\gamma)

    Parameters
    ----------
    d, margin, k : int, float, int
        The dimension, the margin, and the number of labels.

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

    Parameters
    ----------
    p, d, k : int
        The even power of the distance, the dimension, and the number of labels.

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

    Parameters
    ----------
    d : int
        The dimension.

    Examples
    --------
    >>> convex_regions_exponent(6)
    0.5
    """
    return (d - 4) / (d - 2)
