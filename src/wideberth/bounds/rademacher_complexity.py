r"""Bounds of the Rademacher complexity of margin functions: how well they can follow random signs.

.. math::
    R_n(\mathcal H_L) = E \sup_{h \in \mathcal H_L} \frac1n \sum_i \sigma_i h(X_i, Y_i),
    \qquad \hat R_n(\mathcal H_L; S) = E_\sigma \sup_{h} \frac1n \sum_i \sigma_i h(x_i, y_i)

with independent random signs :math:`\sigma_i`; both are at most 1 and grow with L.
`wideberth.bounds.covering` defines
:math:`\mathcal H_L`, L, D and k.
"""

from collections.abc import Callable
from functools import lru_cache
from math import exp, log
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from wideberth.array_types import Floats
from wideberth.bounds.covering import Entropy, external_entropy

#: n, L, D, k -> an upper bound of the Rademacher complexity
Rademacher = Callable[[float, float, float, int], float]

#: The scales that a chain may use, from 1 down.
SCALES = np.logspace(0, -6, 90)


def rademacher_constant(D: float) -> float:
    r"""The constant of (10) in Kontorovich & Weiss (2014), which the paper leaves open, for D > 1.

    .. math::
        R_n(\mathcal H_L) \le c_D L \Bigl(\frac{\ln 5k}{n}\Bigr)^{1/(D+1)} \text{ for } L \ge 1,
        \qquad c_D = 4 \frac{D+1}{D-1} (9 \cdot 16^D)^{1/(D+1)}

    Derived as in `closed_rademacher`. It decreases to 64 for large D.

    Parameters
    ----------
    D : float
        The doubling dimension, above 1.

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

    Parameters
    ----------
    n, L, D, k : float, float, float, int
        Sample size, Lipschitz constant times diameter, doubling dimension, number of classes.

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


@lru_cache(
    maxsize=4096
)  # structural risk minimisation needs it for the same few values of L many times
def chained_rademacher(
    n: float, L: float, D: float, k: int, entropy: Entropy = external_entropy
) -> float:
    r"""The bound of the best chain over 90 scales from 1 to 1e-6 (`shortest_chain`); far below
    `closed_rademacher`.

    The chain starts at scale 1, where the function 0 covers all margin functions.

    Parameters
    ----------
    n, L, D, k : float, float, float, int
        Sample size, Lipschitz constant times diameter, doubling dimension, number of classes.
    entropy : callable
        A bound of the entropy of the margin functions, as a function of (eps, L, D, k).

    Examples
    --------
    >>> chained_rademacher(1e12, 1.0, 5.0, 10) < closed_rademacher(1e12, 1.0, 5.0, 10) / 10
    True
    """
    entropies = np.array([entropy(float(eps), L, D, k) for eps in SCALES])
    entropies[0] = 0.0
    return shortest_chain(SCALES, entropies, n)


def shortest_chain(scales: Floats, entropies: Floats, n: float) -> float:
    r"""The smallest bound of a chain through some of these decreasing scales, starting at the first
    one, whose entropy is 0.

    .. math::
        R_n \le \varepsilon_J + \sum_{j=1}^{J} (\varepsilon_j + \varepsilon_{j-1}) \sqrt{\frac{2
        (H_j + H_{j-1})}{n}}

    for :math:`1 = \varepsilon_0 > \varepsilon_1 > \dots > \varepsilon_J` with entropies
    :math:`H_j`: Massart's lemma for the differences of neighbouring covers (which need not lie in
    the class), and :math:`\varepsilon_J` for the rest. All chains are compared by dynamic
    programming.

    Parameters
    ----------
    scales, entropies : ndarray of shape (m,)
        Decreasing scales, and the entropies of the class at them, 0 at the first.
    n : int
        The size of the sample.

    Examples
    --------
    >>> shortest_chain(np.array([1.0, 0.5]), np.array([0.0, 2.0]), n=100)  # 0.5 + 1.5 * 0.2
    0.8
    """
    return _cheapest(
        scales, np.add.outer(scales, scales) * np.sqrt(2 / n * np.add.outer(entropies, entropies))
    )


def inner_chain(scales: Floats, entropies: Floats, n: float) -> float:
    r"""The smallest bound of a chain whose covers consist of functions of the class; below
    `shortest_chain`.

    .. math::
        R_n \le \varepsilon_J + \sum_{j=1}^{J} \varepsilon_{j-1} \sqrt{\frac{2 H_j}{n}}

    Derived here: each member of a cover has a neighbour in the previous cover at distance at most
    :math:`\varepsilon_{j-1}`, and there are as many such pairs as members.

    Parameters
    ----------
    scales, entropies : ndarray of shape (m,)
        Decreasing scales, and the entropies of the class at them, 0 at the first.
    n : int
        The size of the sample.

    Examples
    --------
    >>> inner_chain(np.array([1.0, 0.5]), np.array([0.0, 2.0]), n=100)  # 0.5 + 1 * 0.2
    0.7
    """
    return _cheapest(scales, np.multiply.outer(scales, np.sqrt(2 / n * entropies)))


def _cheapest(scales: Floats, steps: Floats) -> float:
    """The least sum of steps on a path from the first scale, plus the scale at which the path ends,
    by dynamic programming.
    """
    cheapest = np.zeros(len(scales))
    for j in range(1, len(scales)):
        cheapest[j] = (cheapest[:j] + steps[:j, j]).min()
    return float((cheapest + scales).min())


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

    Parameters
    ----------
    displacement : float
        The mean distance of the objects to their images, in diameters.
    n, k : int
        The numbers of objects and of classes.
    L, b : float
        Lipschitz constant times diameter, and the doubling dimension of the images.
    rademacher : callable
        A bound of :math:`R_n` as a function of (n, L, D, k).

    Examples
    --------
    >>> perturbed_rademacher(0.25, 10, L=8.0, b=3.0, k=2)
    1.0
    """
    return min(1.0, L * displacement + rademacher(n, L, b, k))


def quantised_rademacher(displacement: float, counts: Any, L: float) -> float:
    r"""The complexity on a sample from any partition of it into cells, without an assumption about
    its dimension.

    .. math:: \hat R_n(\mathcal H_L; S) \le L \frac1n \sum_i d(x_i, z_{c(i)}) + \frac1n \sum_c \nu_c

    Cell c has a centre :math:`z_c` (any object of the space) and the noise :math:`\nu_c` of
    `cell_noises`. ``displacement`` is the mean distance of an object to the centre of its cell, in
    diameters.

    Derived here: move the objects to the centres, and bound the average of each cell by
    `cell_noises`. At most 1.

    Parameters
    ----------
    displacement : float
        The mean distance of the objects to the centres of their cells, in diameters.
    counts : array-like or sparse array of shape (cells, k)
        How many objects of each class are in each cell.
    L : float
        Lipschitz constant times diameter.

    Examples
    --------
    >>> quantised_rademacher(0.01, [[25, 0], [0, 25]], L=2.0)  # 0.02 + (5 + 5) / 50
    0.22
    """
    return min(1.0, L * displacement + float(cell_noises(counts).sum() / csr_array(counts).sum()))


def cell_noises(counts: Any, *, signed: bool = False) -> Floats:
    r"""How well functions that are constant on a cell can follow random signs there, for each cell.

    .. math::
        \nu_c = E \sup_h \sum_{i \in c} \sigma_i h(z_c, y_i)
        \le \min\Bigl\{\sum_l \sqrt{n_{cl}},\ \sqrt{2 n_c \ln(1 + \min(k, u_c + 1))}\Bigr\}

    Cell c has :math:`n_c` objects of :math:`u_c` classes, :math:`n_{cl}` of them of class l.
    Derived here: a function of :math:`\mathcal H_L` is a height in [0, 1] times the signs of one
    label; at most :math:`\min(k, u_c + 1)` such patterns of signs are different, and 0 is one more
    (Massart's lemma). Or the classes are treated one by one. For two classes the function is one
    number in [-1, 1] times the same signs, so that :math:`\sqrt{n_c}` is enough.

    With ``signed`` it is the same for differences :math:`h(z, \cdot) - h(z', \cdot)` of values in
    two places, over their largest possible size, :math:`L\, d(z, z')`. If both values are on one
    arm of the star, the difference is a number times the signs of that label; if they are on arms y
    and y' at heights a and b, it is linear in (a, b), and its extreme points, 0, :math:`a = L d`
    and :math:`b = L d`, are the signs of y and minus those of y' times :math:`L d`. So each pattern
    counts with both signs, :math:`1 + 2 \min(k, u_c + 1)` in all.

    Parameters
    ----------
    counts : array-like or sparse array of shape (cells, k)
        How many objects of each class are in each cell.
    signed : bool
        Whether the functions are differences.

    Returns
    -------
    ndarray of shape (cells,)

    Examples
    --------
    >>> cell_noises([[9, 0], [9, 16]])
    array([3., 5.])
    """
    table = csr_array(counts, dtype=np.float64)
    table.eliminate_zeros()
    sizes, present, k = table.sum(axis=1), np.diff(table.indptr), table.shape[1]
    by_class: Floats = np.asarray(table.sqrt().sum(axis=1))
    patterns = (2 if signed else 1) * np.minimum(k, present + 1)
    by_label = np.sqrt(sizes if k <= 2 else 2 * sizes * np.log(1 + patterns))
    return np.minimum(by_class, by_label)
