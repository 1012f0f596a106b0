r"""Conformal p-values: ranks of new scores among those of calibration objects, valid for every n.

If n calibration scores and a new one are exchangeable, so that all orders are equally likely, then

.. math:: p = \frac{1 + \#\{i : E_i \ge E\}}{n + 1}, \qquad P(p \le \delta) \le \delta

(Vovk, Gammerman & Shafer 2005, Algorithmic Learning in a Random World, chapter 2). Ties count as larger, which errs on the
safe side. :math:`p > \delta` is the same as :math:`E \le E_{(r)}` with the rank :math:`r = \lceil (n + 1)(1 - \delta) \rceil`;
for r > n it is true of every score.
"""

from fractions import Fraction

import numpy as np

from wideberth.array_types import Flags, Floats, Integers
from wideberth.rounding import SUM_ERROR


def at_least_as_large(calibration: Floats, scores: Floats) -> Integers:
    """How many calibration scores are at least as large as each score.

    Parameters
    ----------
    calibration : ndarray of shape (n,)
        The scores of the calibration objects; large ones are strange.
    scores : ndarray of any shape
        New scores.

    Returns
    -------
    ndarray of int, of the shape of ``scores``

    Examples
    --------
    >>> at_least_as_large(np.array([1.0, 2.0, 2.0]), np.array([0.0, 2.0, 3.0]))
    array([3, 2, 0])
    """
    return len(calibration) - np.searchsorted(np.sort(calibration), scores, side="left").astype(np.int64)


def p_values(counts: Integers, n: int) -> Floats:
    """The p-values of scores that so many of n calibration scores reach.

    Examples
    --------
    >>> p_values(np.array([0, 9]), 9)
    array([0.1, 1. ])
    """
    return np.asarray((1 + counts) / (n + 1))


def exceed(counts: Integers, n: int, delta: float) -> Flags:
    """Whether the p-values of scores are above delta, without rounding: delta is the decimal number that it is written as.

    Parameters
    ----------
    counts : ndarray of int
        How many of the calibration scores reach each score, `at_least_as_large`.
    n : int
        The number of calibration scores.
    delta : float
        A probability.

    Returns
    -------
    ndarray of bool, of the shape of ``counts``

    Examples
    --------
    >>> exceed(np.array([2, 3]), 9, 0.3)  # 3 / 10 is not above 0.3
    array([False,  True])
    >>> bool(exceed(np.array([0]), 8, 0.1)[0])  # eight objects are too few to reject anything: 1 / 9 > 0.1
    True
    """
    return np.asarray(counts >= int(Fraction(repr(float(delta))) * (n + 1)))


def mean_exceeds(values: Floats, delta: float) -> Flags:
    r"""Whether means of p-values are above delta, or next to it.

    The mean of p-values, however they depend on each other, satisfies :math:`P(\bar p \le \delta) \le 2 \delta` (Rueschendorf
    1982; Vovk & Wang 2020, Biometrika 107, "Combining p-values via averaging").

    Parameters
    ----------
    values : ndarray of shape (folds, ...)
        The p-values of each fold.
    delta : float
        A probability.

    Returns
    -------
    ndarray of bool, of shape (...)

    Examples
    --------
    >>> mean_exceeds(np.array([[0.1, 0.1], [0.3, 0.09]]), 0.1)
    array([ True, False])
    """
    return np.asarray(values.mean(axis=0) > delta * (1 - SUM_ERROR))
