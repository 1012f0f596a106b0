r"""Stratification: one bound for all Lipschitz constants at once, from bounds for a sequence of
constants.
"""

from math import ceil, log, log2, pi

#: Neighbouring strata differ by the factor 2 ** (1 / 8), 9 %.
STRATA_PER_OCTAVE = 8


def stratum(L: float) -> tuple[int, float]:
    r"""The number i and the constant :math:`L_i \ge L` of the stratum of a Lipschitz constant.

    .. math:: L_i = 2^{(i - 1) / 8}, \quad i = 1, 2, \dots

    If the bound for each :math:`L_i` fails with probability at most :math:`\delta_i`, and
    :math:`\sum_i \delta_i \le \delta`, the bounds hold for all L at once with probability :math:`1
    - \delta`, so that L may be chosen afterwards.

    Parameters
    ----------
    L : float
        Lipschitz constant times diameter, positive.

    Examples
    --------
    >>> stratum(0.3), stratum(2.0)
    ((1, 1.0), (9, 2.0))
    """
    i = 1 + max(0, ceil(STRATA_PER_OCTAVE * log2(L)))
    return i, 2.0 ** ((i - 1) / STRATA_PER_OCTAVE)


def open_stratum(L: float) -> tuple[int, float]:
    r"""The number i and the constant :math:`L_i \ge L` of the stratum of any positive number, large
    or small.

    .. math:: L_i = 2^{j / 8}, \quad j = 0, 1, -1, 2, -2, \dots \text{ for } i = 1, 2, 3, 4, 5,
        \dots

    Like `stratum`, for numbers whose order of magnitude is not known in advance. The unit must be
    that of the metric, or be fixed before the sample is seen in another way.

    Parameters
    ----------
    L : float
        Any positive number.

    Examples
    --------
    >>> open_stratum(1.0), open_stratum(2.0), open_stratum(0.5)
    ((1, 1.0), (16, 2.0), (17, 0.5))
    """
    j = ceil(STRATA_PER_OCTAVE * log2(L))
    return 2 * j if j > 0 else 1 - 2 * j, 2.0 ** (j / STRATA_PER_OCTAVE)


def log_share(i: int) -> float:
    r"""The logarithm of the share of the i-th stratum in :math:`\delta`.

    .. math:: \frac{\delta_i}{\delta} = \frac{6}{\pi^2 i^2}

    Parameters
    ----------
    i : int
        The number of the stratum, from 1 on.

    Examples
    --------
    >>> round(log_share(1), 4)
    -0.4977
    """
    return log(6 / (pi * i) ** 2)
