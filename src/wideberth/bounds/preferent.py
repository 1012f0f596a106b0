r"""What a small compressed set proves when the objects outside it have no say in it.

A compression maps a sample S, in whatever order (ties go by marks drawn at random with the objects), to a part c(S). It is
*preferent* (or stable) if it stays the same when objects outside c(S) leave the sample. The quantity bounded is the probability
that a new object changes it, :math:`\varphi = P(c(c(S) \cup \{z\}) \ne c(S))`; a classifier built from c(S) that errs only on
objects that change c(S) has at most this error. Wherever a selection T is preferent, so is T together with the objects outside T
on which its classifier errs.
"""

from math import exp, expm1, inf, log, sqrt

from scipy.special import betainc

from wideberth.bounds.binomial import log_binomial

#: Nothing smaller is told from 0: only where delta is almost 1 would rounding errors be all that is left.
SMALLEST = 1e-15


def preferent_bound(kept: int, n: int, *, log_delta: float) -> float:
    r"""The probability that a new object changes a preferent compression of n objects to k ``kept`` ones.

    With probability at least :math:`1 - \delta` it is at most the :math:`\varepsilon` in (k/n, 1) with

    .. math::
        \frac{\delta}{n} \sum_{m=k}^{n-1} \frac{\binom{m}{k}}{\binom{n}{k}} (1-\varepsilon)^{-(n-m)} = 1
        \quad\Longleftrightarrow\quad
        \delta\, P(\mathrm{Bin}(n, \varepsilon) > k) = n \varepsilon\, P(\mathrm{Bin}(n, \varepsilon) = k)

    for any k, known only afterwards, and 1 if k = n (Campi & Garatti, Compression, Generalization and Learning, JMLR 24, 2023).
    The second form is the first with a negative binomial distribution summed up. It is hardly larger than what k errors on n
    fresh objects would prove.

    Proof: let :math:`a_{mk}(d\varphi)` be the probability that m objects are compressed to the first k, with this
    :math:`\varphi`. Preference gives :math:`a_{nk}(d\varphi) \le (1-\varphi)^{n-m} a_{mk}(d\varphi)`. Where
    :math:`\varphi > \varepsilon` the left side of the first form is at least 1, so that
    :math:`\binom{n}{k} a_{nk}(d\varphi) \le \frac{\delta}{n} \sum_m \binom{m}{k} a_{mk}(d\varphi)`; and the right sides,
    over all k and :math:`\varphi`, add up to :math:`\delta`, because m objects are compressed to something.

    Where the kept objects are given new labels out of c, :math:`\delta` is divided by :math:`c^m` for the m of them that carry
    one, and by n more unless m was fixed in advance.

    >>> preferent_bound(0, 1, log_delta=log(0.25))
    0.75
    >>> round(preferent_bound(600, 60_000, log_delta=log(0.01)), 4)
    0.0116
    """
    k = kept
    if k >= n or log_delta == -inf:
        return 1.0
    log_choices = log_binomial(n, k)
    # The logarithm of the sum is convex and increasing in u = -ln(1 - eps). Its first term alone reaches 1 above the root, and
    # from there Newton's steps go down to the root without passing it.
    u = (log_choices + log(n) - log_delta) / (n - k)
    step = u
    while step > 1e-13 * u and u > SMALLEST:
        eps = -expm1(-u)
        log_equal = log_choices + k * log(eps) - (n - k) * u
        log_above = log(float(betainc(k + 1, n - k, eps)))
        surplus = log_delta + log_above - log(n) - log(eps) - log_equal
        slope = (n - k) * (1 + exp(log_equal - log_above)) - (k + 1) * exp(-u) / eps
        step = surplus / slope
        u = max(u - max(step, 0.0), SMALLEST)
    return -expm1(-u)


def explicit_preferent_bound(kept: int, n: int, *, log_delta: float) -> float:
    r"""A formula that lies above `preferent_bound`, to read its order of magnitude from.

    .. math:: \frac{k + 2\sqrt{k+1}\,(\sqrt{\ln(k+1)} + 4) + 2\sqrt{(k+1)\ln(1/\delta)} + \ln(1/\delta)}{n}

    cut at 1 (Campi & Garatti 2023).

    >>> explicit_preferent_bound(0, 1000, log_delta=0.0)
    0.008
    """
    k = kept
    surprise = -log_delta
    total = k + 2 * sqrt(k + 1) * (sqrt(log(k + 1)) + 4) + 2 * sqrt((k + 1) * surprise) + surprise
    return min(1.0, total / n)
