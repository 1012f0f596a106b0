r"""Bounds from e errors on n fresh objects: the inversion of the binomial tail."""

from math import ceil, exp, expm1, inf, log
from typing import Any

import numpy as np
from scipy.special import betainccinv, betaln

#: Above it SciPy inverts the incomplete beta function to full precision; far below it returns NaN
#: or 1.
LOWEST_LOG_DELTA_OF_SCIPY = -100.0
#: Terms of a series below exp(-37) times the first one do not change a float.
DIGITS = 37.0


def log_binomial(n: int, k: int) -> float:
    r"""The logarithm of a binomial coefficient, :math:`\ln \binom{n}{k}`.

    Examples
    --------
    >>> round(exp(log_binomial(5, 2)))
    10
    """
    return -float(betaln(k + 1, n - k + 1)) - log(n + 1)


def binomial_inversion(errors: int, n: int, *, log_delta: float) -> float:
    r"""The largest error probability p under which e or fewer errors on n objects have probability
    at least delta.

    .. math:: \overline{\mathrm{Bin}}(e, n, \delta) = \max\{p : P(\mathrm{Bin}(n, p) \le e) \ge
        \delta\}

    A classifier with e errors on n objects that it has not seen has an error probability above this
    with probability at most :math:`\delta` (the test set bound of Langford 2005; Clopper & Pearson
    1934). No smaller function that grows with e has this property for all p. Without errors it is
    :math:`1 - \delta^{1/n}`; with n errors on n objects, or without objects, 1. Exact to 1e-10 for
    any :math:`\delta`, also for one that is too small for a float.

    Parameters
    ----------
    errors, n : int
        e errors among n objects that the classifier has not seen.
    log_delta : float
        The logarithm of the probability with which the bound may fail.

    Returns
    -------
    float
        From 0 to 1.

    Examples
    --------
    >>> binomial_inversion(0, 2, log_delta=log(0.25))
    0.5
    >>> round(binomial_inversion(5, 100, log_delta=log(0.05)), 4)
    0.1023
    """
    if errors >= n or log_delta == -inf:
        return 1.0
    if errors == 0:
        return -expm1(log_delta / n)
    if log_delta >= LOWEST_LOG_DELTA_OF_SCIPY:
        return float(betainccinv(errors + 1, n - errors, exp(log_delta)))
    return _invert_far_tail(errors, n, log_delta)


def holdout_bound(errors: int, n: int, *, log_delta: float, candidates: int = 1) -> float:
    r"""The error of a classifier that was chosen among c candidates on n held-out objects, on which
    it has e errors.

    .. math:: \overline{\mathrm{Bin}}(e, n, \delta / c)

    This is a union bound over the c ``candidates``, which must be fixed before the held-out objects
    are seen.

    Parameters
    ----------
    errors, n : int
        e errors among n held-out objects.
    log_delta : float
        The logarithm of the probability with which the bound may fail.
    candidates : int
        The number c of classifiers from which this one was chosen.

    Examples
    --------
    >>> holdout_bound(0, 2, log_delta=log(0.5), candidates=2)
    0.5
    """
    return binomial_inversion(errors, n, log_delta=log_delta - log(candidates))


def binomial_interval(errors: int, n: int, delta: float) -> tuple[float, float]:
    r"""The interval of Clopper & Pearson (1934) for a probability of errors: it fails with
    probability delta at most.

    Parameters
    ----------
    errors, n : int
        So many errors among n objects.
    delta : float
        Half of it on either side.

    Returns
    -------
    low, high : float

    Examples
    --------
    >>> low, high = binomial_interval(5, 100, 0.05)
    >>> round(low, 4), round(high, 4)
    (0.0164, 0.1128)
    """
    above = binomial_inversion(errors, n, log_delta=log(delta / 2))
    below = 1.0 - binomial_inversion(n - errors, n, log_delta=log(delta / 2))
    return below, above


def excess_chance(hits: int, n: int, other_hits: int, other_n: int) -> float:
    r"""The probability of e or more hits among n objects, if they are no more likely there than
    among others.

    .. math:: P(H \ge e), \qquad H \sim \mathrm{Hypergeometric}(n + n',\ e + e',\ n)

    with e' hits among n' other objects: given that there are e + e' hits in all, each way to place
    them is equally likely (Fisher's exact test). A small value says that hits are more frequent
    among the n objects than chance explains.

    Examples
    --------
    >>> # one of six ways to place 2 hits among 4 objects
    >>> (round(6 * excess_chance(2, 2, 0, 2), 9), excess_chance(0, 5, 3, 5))
    (1.0, 1.0)
    """
    total, marked = n + other_n, hits + other_hits
    if not hits:
        return 1.0
    counts = np.arange(hits, min(n, marked) + 1)
    logs = (
        _log_choices(marked, counts)
        + _log_choices(total - marked, n - counts)
        - log_binomial(total, n)
    )
    return min(1.0, float(np.exp(logs).sum()))


def _log_choices(n: int, k: Any) -> Any:
    """The logarithms of binomial coefficients; minus infinity where k is above n."""
    inside = k <= n
    return np.where(inside, -betaln(k + 1, np.where(inside, n - k, 0) + 1) - log(n + 1), -inf)


def _invert_far_tail(e: int, n: int, log_delta: float) -> float:
    r"""The inversion by Newton's method on :math:`u = -\ln(1-p)`, in logarithms throughout.

    .. math::
        P(\mathrm{Bin}(n, p) \le e) = \binom{n}{e} p^e (1-p)^{n-e} S,
        \quad S = \sum_{j=0}^{e} \prod_{i=e-j+1}^{e} \frac{i}{n-i+1} \frac{1-p}{p},
        \quad \frac{d}{du} \ln P = -\frac{n-e}{S}

    S falls with u, so ln P is concave in u; :math:`P \le \binom{n}{e} (1-p)^{n-e}` gives a start
    above the root, from which the steps go down to it without passing it.
    """
    log_choices = log_binomial(n, e)
    u = (log_choices - log_delta) / (n - e)
    step = u
    while step > 1e-13 * u:
        p, odds = -expm1(-u), exp(-u) / -expm1(-u)
        S = _tail_over_last_term(e, n, odds)
        surplus = log_choices + e * log(p) - (n - e) * u + log(S) - log_delta
        step = -surplus * S / (n - e)
        u -= max(step, 0.0)
    return -expm1(-u)


def _tail_over_last_term(e: int, n: int, odds: float) -> float:
    """S: the products fall at least as fast as powers of their first factor, which is below 1
    beyond the mode.
    """
    first = e * odds / (n - e + 1)
    terms = e if first >= 1 else min(e, ceil(DIGITS / -log(first))) if first > 0 else 0
    i = np.arange(e, e - terms, -1.0)
    return 1.0 + float(np.cumprod(i * odds / (n - i + 1)).sum())
