r"""The complexity of linear functions in a Hilbert space, from distances alone (Hein, Bousquet &
Schoelkopf 2005, section 5).

The metric embeds in a Hilbert space by :math:`x \mapsto \Phi_x`. The ball has the functions
:math:`f(x) = \langle w, \Phi_x - \Phi_{x_0} \rangle` with :math:`\|w\| \le B`: they are B-Lipschitz
and 0 at the base point :math:`x_0`. If any constant may be added to them, `offset_price` is added
to their complexity. `wideberth.bounds.lipschitz_ball` turns the complexity into a bound of the
error.
"""

from math import log, sqrt

import numpy as np
from numpy.typing import ArrayLike

#: Numbers J of offsets on a grid that are tried.
GRIDS = tuple(2.0**i for i in range(64))


def hilbert_rademacher(base_distances: ArrayLike, B: float) -> float:
    r"""The complexity of the ball on objects at these distances from the base point (Theorem 6).

    .. math:: \hat R_n \le \frac{B}{n} \sqrt{\sum_{i=1}^n d(x_i, x_0)^2}

    by Jensen's inequality from :math:`\hat R_n = \frac{B}{n} E_\sigma \|\sum_i \sigma_i (\Phi_{x_i}
    - \Phi_{x_0})\|`, and at most
    :math:`\sqrt2` times that (Khintchine & Kahane). The base point is fixed in advance.

    Parameters
    ----------
    base_distances : array-like of shape (n,)
        The distances of the objects of the sample to the base point.
    B : float
        The radius of the ball: the norm of its functions is at most B.

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
    :math:`\ell` is the ramp of `wideberth.bounds.lipschitz_ball`.

    Derived here: offsets beyond :math:`\beta` have the same losses on the sample as
    :math:`\pm\beta`. Either the offsets follow the signs themselves, :math:`\beta E|\sum_i
    \sigma_i| \le \beta \sqrt n`; or J offsets represent all, none of which is farther than
    :math:`\beta / J` from one of them: the mean of the largest of their suprema is at most
    :math:`\sqrt{\ln J / 2n}` above the largest of their means, because a sign changes each supremum
    by at most 1/n once 1/2 is subtracted from the losses.

    Parameters
    ----------
    reach : float
        The largest absolute value r of the functions of the ball on the sample.
    n : int
        The size of the sample.

    Examples
    --------
    >>> offset_price(0.0, 100)
    0.1
    >>> round(offset_price(1000.0, 100), 2)
    0.25
    """
    beta = 1 + reach
    return min(beta / sqrt(n), *(beta / J + sqrt(log(J) / (2 * n)) for J in GRIDS))
