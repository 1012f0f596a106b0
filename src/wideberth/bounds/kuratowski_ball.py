r"""The complexity of sums of distances: the ball of the Kuratowski embedding (Hein, Bousquet &
Schoelkopf 2005, section 5).

The ball has the functions :math:`f(x) = \sum_j \beta_j (d(x, z_j) - d(x_0, z_j))` with
:math:`\sum_j |\beta_j| \le B` and any objects :math:`z_j` of the space, and their limits. They are
B-Lipschitz and 0 at the base point :math:`x_0`, so every bound for the Lipschitz ball of constant B
holds for them as well. By (15) of the paper

.. math:: \hat R_n = B\, E_\sigma \sup_{z} \Bigl|\frac1n \sum_i \sigma_i (d(x_i, z) - d(x_0,
    z))\Bigr| .

The supremum is over the whole space. Over the objects of the sample alone it is smaller, and not a
bound.
"""

from collections.abc import Callable
from math import sqrt

import numpy as np
from numpy.typing import ArrayLike

from wideberth.array_types import Floats
from wideberth.bounds.hilbert_ball import hilbert_rademacher
from wideberth.bounds.lipschitz_entropy import radial_entropies
from wideberth.bounds.rademacher_complexity import inner_chain

#: falling scales and the entropies of a class at them, n -> an upper bound of its complexity
Chain = Callable[[Floats, Floats, float], float]


def trivial_kuratowski_rademacher(base_distances: ArrayLike, B: float) -> float:
    r"""The complexity of the ball on objects at these distances from the base point, without
    covering numbers (section 5.1).

    .. math:: \hat R_n \le \frac{B}{n} \sum_{i=1}^n d(x_i, x_0)

    It does not fall with n.

    Parameters
    ----------
    base_distances : array-like of shape (n,)
        The distances of the objects of the sample to the base point.
    B : float
        The radius of the ball: the norm of its functions is at most B.

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

    with ``chain=wideberth.bounds.lipschitz_entropy.dudley_rademacher``, which also starts the
    integral above 0; the default chain is smaller. ``numbers`` are N at the decreasing ``scales``.
    The paper leaves the constant open, for which Theorem 16 of von Luxburg & Bousquet (2004) gives
    :math:`4 \sqrt 2`, and prints :math:`\ln N(u/2)`: the absolute value in (15) needs the functions
    of both signs, and the function 0 as the start of the chain. At most
    `trivial_kuratowski_rademacher`.

    Parameters
    ----------
    scales : array-like of shape (m,)
        Decreasing radii.
    numbers : array-like of shape (m,)
        How many balls of these radii cover the space.
    base_distances : array-like of shape (n,)
        The distances of the objects of the sample to the base point.
    B : float
        The radius of the ball: the norm of its functions is at most B.
    chain : callable
        The chaining bound, as a function of scales, entropies and n.

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
    Hilbert ball, which `wideberth.bounds.hilbert_ball.hilbert_rademacher` bounds, has at most
    :math:`\sqrt2` times the complexity of this ball.

    Parameters
    ----------
    base_distances : array-like of shape (n,)
        The distances of the objects of the sample to the base point.
    B : float
        The radius of the ball: the norm of its functions is at most B.

    Examples
    --------
    >>> round(kuratowski_floor([3.0, 4.0], B=2.0), 4)
    3.5355
    """
    return hilbert_rademacher(base_distances, B) / sqrt(2)
