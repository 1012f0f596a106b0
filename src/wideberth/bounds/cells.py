r"""A bound for nearest neighbours with a margin that counts labelled cells instead of functions.

Cover the space by N cells of radius :math:`r < 1/2L` and write on each the label of its centre if the margin function h is at
least 1/2 there, and "unknown" if not. Within a cell h moves by less than 1/2 (in the star of `wideberth.bounds.covering`), so an
object with :math:`h(x, y) = 1` lies in a cell that carries y, and one on which the classifier errs, :math:`h(x, y) \le 0`, in one
that does not:

.. math:: 1\{\text{error}\} \le 1\{\text{cell label} \ne y\} \le 1\{h < 1\}.

There are :math:`(k+1)^N` ways to label the cells, fixed before the sample is drawn: a finite class, whose errors are between the
two. With scores off by :math:`2\eta` the same holds for :math:`r < (1 - 4\eta)/2L`. Derived here, in place of Theorem 5 of
Kontorovich & Weiss (2014): about :math:`16^D` times fewer objects do.
"""

from math import inf, log, sqrt

from wideberth.bounds.binomial import binomial_inversion
from wideberth.bounds.covering import covering_number
from wideberth.bounds.strata import log_share, stratum


def cells_penalty(n: int, L: float, D: float, k: int, *, log_delta: float, eta: float = 0.0) -> float:
    r"""What to add to the share of the sample on which h < 1, for all L at once.

    .. math::
        \sqrt{\frac{N \ln(k+1) + \ln(1/\delta_i)}{2n}}, \qquad N = \Bigl(\frac{4 L_i}{1 - 4\eta}\Bigr)^D

    with the stratum i of L and its share :math:`\delta_i`; Hoeffding's inequality. Infinite for :math:`\eta \ge 1/4`.

    >>> round(cells_penalty(1230, 1.0, 5.0, 10, log_delta=log(0.01)), 3)
    1.0
    """
    return sqrt(-_log_chance(L, D, k, log_delta, eta) / (2 * n))


def cells_bound(violations: int, n: int, L: float, D: float, k: int, *, log_delta: float, eta: float = 0.0) -> float:
    r"""The error of a margin function with h < 1 on e objects, ``violations``, of its n; never above e/n + `cells_penalty`.

    .. math:: \overline{\mathrm{Bin}}\bigl(e,\ n,\ \delta_i (k+1)^{-N}\bigr)

    >>> cells_bound(0, 10_000, 1.0, 2.0, 2, log_delta=log(0.05)) < 0.003
    True
    """
    return binomial_inversion(violations, n, log_delta=_log_chance(L, D, k, log_delta, eta))


def _log_chance(L: float, D: float, k: int, log_delta: float, eta: float) -> float:
    """The logarithm of the share of one labelling of the cells in delta."""
    if eta >= 1 / 4:
        return -inf
    i, L_i = stratum(L)
    cells = covering_number((1 - 4 * eta) / (2 * L_i), D)
    return log_delta + log_share(i) - cells * log(k + 1)
