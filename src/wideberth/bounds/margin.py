r"""The theorems of Kontorovich & Weiss, Maximum margin multiclass nearest neighbors (ICML 2014),
with constants that are proved.

:math:`\mathcal H_L` (Kontorovich & Weiss 2014, (8)): functions of an object and a label that are
:math:`+\gamma` on one label and :math:`-\gamma` on all others, :math:`0 \le \gamma \le 1`, and
L-Lipschitz; equivalently L-Lipschitz maps into a star with k arms of length 1. The space has
diameter 1 and doubling dimension at most D; there are k >= 2 classes. Entropies are natural
logarithms of covering numbers in the sup norm, infinite if they are too large for a float.

Their Rademacher complexity says how well they can follow random signs,

.. math::
    R_n(\mathcal H_L) = E \sup_{h \in \mathcal H_L} \frac1n \sum_i \sigma_i h(X_i, Y_i),
    \qquad \hat R_n(\mathcal H_L; S) = E_\sigma \sup_{h} \frac1n \sum_i \sigma_i h(x_i, y_i)

with independent random signs :math:`\sigma_i`; both are at most 1 and grow with L.

With probability at least :math:`1 - \delta`, for all L > 0 and all margin functions h of
:math:`\mathcal H_L`,

.. math:: P(\text{error}) \le \hat E[\ell(h)] + \Delta

with the penalty :math:`\Delta` of a function of this file and the loss :math:`\ell(h) = 1\{h <
1\}`. For nearest neighbours in a sample from which a cover of all conflicts was removed, the mean
loss is the share that was removed. With `rademacher_penalty` and a
complexity measured on the sample it also holds for the smaller loss :math:`\min(1, \max(0, 1 -
h))`. A penalty of 1 or more is useless; those that
assume a dimension are that large unless n is far above :math:`(4L)^D`.

``eta``, :math:`\eta`, is for neighbours up to :math:`1 + \eta` times as far as the nearest. Far
away from the sample their scores can be off by any amount (kept -1 at 0 and +1 at 1, L = 2: at x =
10 a neighbour 10/9 times as far as the nearest has the other label, although the margin is 1), so
that the argument of section 5.1 of the paper does not apply. Derived here instead: let objects of
different labels be at least :math:`2/L` apart, :math:`S_c` be those of label c, and

.. math:: u_c(x) = \max\{0,\ 1 - L\, d(x, S_c)\} .

At each x at most one of these cones is positive, since otherwise two of the sets were less than
:math:`2/L` apart; and for different labels :math:`u_c(x) + u_b(x') \le 2 - L (d(S_c, S_b) - d(x,
x')) \le L\, d(x, x')`. So the cones are one L-Lipschitz map h into the star, a margin function of
:math:`\mathcal H_L`, with :math:`h(x_i, y_i) = 1` at every object that was kept. Let the classifier
answer by an object z with :math:`d(x, z) \le (1 + \eta)\, d(x, S)`, and err: its label is not y. If
:math:`h(x, y) = u_y(x) > 0`, the nearest object has the label y, at a distance :math:`s = d(x, S_y)
< 1/L`, and z is at least :math:`2/L - s` away: :math:`(2 + \eta) s \ge 2/L`. Hence

.. math:: \text{error at } (x, y) \implies h(x, y) = 1 - L s \le \theta = \frac{\eta}{2 + \eta} \le
    \frac\eta2 .

So the error is at most :math:`E[\min(1, \max(0, 1 - h))] + \theta`, and a cover that tells :math:`h
= 1` from
:math:`h \le \theta` is fine enough. The penalties are those of the paper, with :math:`4\eta`,
:math:`1 - 8\eta` and :math:`1 - 4\eta` where :math:`\theta` and :math:`1 - \theta` would do: they
are valid, and stay as they are in model files.

`cells_penalty` counts labelled cells instead of functions. Cover the space by N
cells of radius :math:`r < 1/2L` and give each the label of its centre if the margin function h is
at least 1/2 there, and "unknown" if not. Within a cell h changes by less than 1/2 (in the star), so
that an object with :math:`h(x, y) = 1` lies in a cell labelled y, and an object on which the
classifier errs, :math:`h(x, y) \le 0`, in a cell with another label:

.. math:: 1\{\text{error}\} \le 1\{\text{cell label} \ne y\} \le 1\{h < 1\}.

There are :math:`(k+1)^N` ways to label the cells, fixed before the sample is drawn: a finite class,
whose errors are between the two. With approximate neighbours, where errors have :math:`h \le
\theta`, the same holds for :math:`r \le (1 - \theta)/2L`, so for :math:`r < (1 - 4\eta)/2L`, with
:math:`(1 + \theta)/2` in place of 1/2 for the label of a cell. Derived here, in place of Theorem 5
of Kontorovich & Weiss (2014): about :math:`16^D` times fewer objects are needed.
"""

from collections.abc import Callable
from functools import lru_cache
from math import ceil, inf, log, sqrt
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from wideberth.array_types import Floats
from wideberth.bounds.balls import log_share, stratum

# ---- Covering numbers of the space, and entropies of its margin functions


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

    Examples
    --------
    >>> covering_number(0.5, 3)
    64.0
    """
    if radius >= 1:
        return 1.0
    log_number = D * log(2 / radius)
    return inf if log_number > 700 else (2 / radius) ** D


def external_entropy(eps: float, L: float, D: float, k: int) -> float:
    r"""The entropy with functions that are constant on the cells of a net and need not be margin
    functions themselves.

    .. math:: \ln N(\varepsilon) \le \min_{Lr + q/2 = \varepsilon} N(r) \ln\bigl(k \lceil 1/q \rceil
        + 1\bigr)

    Derived here: within a cell values differ by at most Lr from that at its centre, and rounding
    that to a multiple of q adds q/2. At an even split it is about :math:`4^D` times smaller than
    Lemma 2, and sufficient for chaining.

    Examples
    --------
    >>> external_entropy(1.0, 1.0, 1.0, 2) <= 4 * log(3)  # the even split
    True
    """
    return min(
        covering_number(split * eps / L, D) * log(k * ceil(1 / (2 * (1 - split) * eps)) + 1)
        for split in SPLITS
    )


# ---- Rademacher complexities


#: n, L, D, k -> an upper bound of the Rademacher complexity
Rademacher = Callable[[float, float, float, int], float]


#: The scales that a chain may use, from 1 down.
SCALES = np.logspace(0, -6, 90)


# structural risk minimisation needs it for the same few values of L many times
@lru_cache(maxsize=4096)
def chained_rademacher(
    n: float, L: float, D: float, k: int, entropy: Entropy = external_entropy
) -> float:
    r"""The bound of the best chain over 90 scales from 1 to 1e-6 (`shortest_chain`); far below
    `wideberth.papers.margin_bounds.closed_rademacher`.

    The chain starts at scale 1, where the function 0 covers all margin functions.

    Examples
    --------
    >>> round(chained_rademacher(1e12, 1.0, 5.0, 10), 3)
    0.052
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

    Examples
    --------
    >>> shortest_chain(np.array([1.0, 0.5]), np.array([0.0, 2.0]), n=100)  # 0.5 + 1.5 * 0.2
    0.8
    """
    return cheapest_chain(
        scales, np.add.outer(scales, scales) * np.sqrt(2 / n * np.add.outer(entropies, entropies))
    )


def cheapest_chain(scales: Floats, steps: Floats) -> float:
    """The least sum of steps on a path from the first scale, plus the scale at which the path ends,
    by dynamic programming.
    """
    cheapest = np.zeros(len(scales))
    for j in range(1, len(scales)):
        cheapest[j] = (cheapest[:j] + steps[:j, j]).min()
    return float((cheapest + scales).min())


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


# ---- Penalties


def rademacher_penalty(
    n: int,
    L: float,
    D: float,
    k: int,
    *,
    log_delta: float,
    eta: float = 0.0,
    rademacher: Rademacher = chained_rademacher,
) -> float:
    r"""The penalty of Theorem 4.

    .. math::
        \Delta_{\mathrm{Rad}} = 2 R_n(\mathcal H_{L_i}) + \sqrt{\frac{\ln i}{n}} +
        \sqrt{\frac{\ln(2/\delta)}{2n}} + 4\eta

    with the stratum i of L and :math:`\delta_i = \delta / 2i^2`. The paper has one constant for
    :math:`2 R_n` and the strata together, and does not give its value; ``rademacher`` bounds
    :math:`R_n`.

    Examples
    --------
    >>> round(rademacher_penalty(10**12, 1.0, 5.0, 10, log_delta=log(0.01)), 3)
    0.105
    """
    i, L_i = stratum(L)
    chance = sqrt(log(i) / n) + sqrt((log(2) - log_delta) / (2 * n))
    return 2 * rademacher(n, L_i, D, k) + chance + 4 * eta


def scale_penalty(
    n: int, L: float, D: float, k: int, *, log_delta: float, eta: float = 0.0
) -> float:
    r"""The penalty of Theorem 5, with the constant that Lemma 2 gives.

    .. math::
        \Delta_{\mathrm{fat}} = \sqrt{\frac2n \Bigl(\ln 2 + \Bigl(\frac{64 L}{1 - 8\eta}\Bigr)^{D}
        \ln\frac{20 k}{1 - 8\eta}
        + \ln\frac{2L}{\delta}\Bigr)} + \frac1n, \qquad L \ge 1

    (a smaller L is raised to 1), infinite for :math:`\eta \ge 1/8`. Lemma 2 at the scale 1/4 has
    :math:`(64L)^D` where the theorem prints :math:`(16L)^D`. Derived: for the comparison with a
    ghost sample (Vapnik 1998; the 1/n is for the median of a binomial distribution) any cover of
    :math:`\mathcal H_{L'}` by functions less than 1/2 away is enough, for the power of two
    :math:`L' \ge 2` from L to 2L, whose share of :math:`\delta` is :math:`1 / L'`. `cells_penalty`
    is smaller.

    Examples
    --------
    >>> 0.99 < scale_penalty(11_400_000_000, 1.0, 5.0, 10, log_delta=log(0.01)) < 1.01
    True
    """
    if eta >= 1 / 8:
        return inf
    L = max(L, 1.0)
    slack = 1 - 8 * eta
    entropy = covering_number(slack / (32 * L), D) * log(20 * k / slack)
    return sqrt(2 / n * (log(2) + entropy + log(2 * L) - log_delta)) + 1 / n


def combined_penalty(
    n: int, L: float, D: float, k: int, *, log_delta: float, eta: float = 0.0
) -> float:
    r"""The smaller one of the penalties of Theorems 4 and 5, each at :math:`\delta / 2` (section
    3.2.4).

    .. math:: \min\{\Delta_{\mathrm{Rad}}(n, L, \delta/2),\ \Delta_{\mathrm{fat}}(n, L, \delta/2)\}

    The paper uses :math:`\delta` in both; but both have to hold at the same time.

    Parameters
    ----------
    n : int
        The size of the sample.
    L, D, k : float, float, int
        Lipschitz constant times diameter, doubling dimension, number of classes.
    log_delta : float
        The logarithm of the probability with which the bound may fail.
    eta : float
        How approximate the nearest neighbours are.

    Examples
    --------
    >>> arguments = (10**15, 1.0, 5.0, 10)
    >>> (
    ...     round(combined_penalty(*arguments, log_delta=log(0.02)), 5),
    ...     round(scale_penalty(*arguments, log_delta=log(0.01)), 5),
    ... )
    (0.00337, 0.00337)
    """
    half = log_delta - log(2)
    return min(
        rademacher_penalty(n, L, D, k, log_delta=half, eta=eta),
        scale_penalty(n, L, D, k, log_delta=half, eta=eta),
    )


def cells_penalty(
    n: int, L: float, D: float, k: int, *, log_delta: float, eta: float = 0.0
) -> float:
    r"""The penalty by labelled cells, to be added to the share of the sample on which h < 1; for
    all L at once.

    .. math::
        \sqrt{\frac{N \ln(k+1) + \ln(1/\delta_i)}{2n}}, \qquad N = \Bigl(\frac{4 L_i}{1 -
        4\eta}\Bigr)^D

    with the stratum i of L and its share :math:`\delta_i`; Hoeffding's inequality. Infinite for
    :math:`\eta \ge 1/4`.

    Parameters
    ----------
    n : int
        The size of the sample.
    L, D, k : float, float, int
        Lipschitz constant times diameter, doubling dimension, number of classes.
    log_delta : float
        The logarithm of the probability with which the bound may fail.
    eta : float
        How approximate the nearest neighbours are.

    Examples
    --------
    >>> round(cells_penalty(1230, 1.0, 5.0, 10, log_delta=log(0.01)), 3)
    1.0
    """
    return sqrt(-log_chance_of_cells(L, D, k, log_delta, eta) / (2 * n))


def log_chance_of_cells(L: float, D: float, k: int, log_delta: float, eta: float) -> float:
    """The logarithm of the part of delta that each labelling of the cells gets."""
    if eta >= 1 / 4:
        return -inf
    i, L_i = stratum(L)
    cells = covering_number((1 - 4 * eta) / (2 * L_i), D)
    return log_delta + log_share(i) - cells * log(k + 1)
