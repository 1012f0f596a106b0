r"""The complexity of linear functions in a Hilbert space, from distances alone (Hein, Bousquet & Schoelkopf 2005, section 5).

The metric embeds in a Hilbert space by :math:`x \mapsto \Phi_x`. The ball has the functions
:math:`f(x) = \langle w, \Phi_x - \Phi_{x_0} \rangle` with :math:`\|w\| \le B`: they are B-Lipschitz and 0 at the base point
:math:`x_0`. `wideberth.bounds.lipschitz_ball` makes a bound of the error of it.
"""

from math import sqrt

import numpy as np
from numpy.typing import ArrayLike

from wideberth.bounds.offset import offset_price


def hilbert_rademacher(base_distances: ArrayLike, B: float) -> float:
    r"""The complexity of the ball on objects at these distances from the base point (Theorem 6).

    .. math:: \hat R_n \le \frac{B}{n} \sqrt{\sum_{i=1}^n d(x_i, x_0)^2}

    by Jensen's inequality from :math:`\hat R_n = \frac{B}{n} E_\sigma \|\sum_i \sigma_i (\Phi_{x_i} - \Phi_{x_0})\|`, and at most
    :math:`\sqrt2` times that (Khintchine & Kahane). The base point is fixed in advance.

    >>> hilbert_rademacher([3.0, 4.0], B=2.0)
    5.0
    """
    distances = np.asarray(base_distances, dtype=np.float64)
    return B / len(distances) * sqrt(float(distances @ distances))


def offset_hilbert_rademacher(base_distances: ArrayLike, B: float) -> float:
    r"""The complexity of the losses of functions of the ball with any constant added, as a support vector machine has them.

    .. math:: \hat R_n \le \frac{B}{n} \sqrt{\sum_i d(x_i, x_0)^2} + \texttt{offset\_price}\bigl(B \max_i d(x_i, x_0),\ n\bigr)

    With constants the functions are the same whatever the base point, so it may be chosen by the sample, and may be any point of
    the Hilbert space: for the mean of the :math:`\Phi_{x_i}`,
    :math:`d(x_i, x_0)^2 = \frac1n \sum_j d(x_i, x_j)^2 - \frac1{2n^2} \sum_{jk} d(x_j, x_k)^2`, the first term is least.

    >>> round(offset_hilbert_rademacher(np.full(100, 0.5), B=1.0), 9)  # 0.05 + (1 + 0.5) / 10
    0.2
    """
    distances = np.asarray(base_distances, dtype=np.float64)
    return hilbert_rademacher(distances, B) + offset_price(B * float(distances.max()), len(distances))
