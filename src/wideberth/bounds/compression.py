r"""Sample compression: bounds for classifiers that can be rebuilt from a few of their training
objects.

*Preferent compressions.* The bounds are small if the objects outside the compressed set have no
influence on it. A compression maps a sample S, in any order (ties are broken by random marks of the
objects), to a part c(S). It is *preferent* (or stable) if it stays the same when objects outside
c(S) are removed. What is bounded is the probability that a new object changes it, :math:`\varphi =
P(c(c(S) \cup \{z\}) \ne c(S))`; a classifier built from c(S) that errs only on objects that change
c(S) has at most this error. If a selection T is preferent, so is T together with the objects
outside T on which its classifier errs.

*Support vectors.* A support vector machine is a preferent compression of its sample. It has a price
p of slack, or one for each of two classes, fixed before the sample is seen:

.. math:: \min_{w, b}\ \tfrac12 \|w\|^2 + \sum_i p\, \max\{0, 1 - y_i (\langle w, \Phi_{x_i} \rangle
    + b)\}

w is unique, and the optimal b form an interval I, of which the machine takes any one. Let c(S) be
the objects on the wrong side of the margin or on it, :math:`y_i (\langle w, \Phi_{x_i} \rangle + b)
\le 1` for a b in I: all support vectors are among them. I is a single point if the multiplier of
some support vector is below its price. Then

* c is preferent. Around all (w, b) with b in I, the terms of the other objects are 0. Without these
  objects the objective is the same there, so its minima there are still minima; as it is convex
  there are no others, and c(S) is the same.
* The machine errs only on objects that change c(S). Let c(c(S) + z) = c(S). Then z is not in it,
  and by preference w and I of c(S) + z are those of c(S), which are those of S: z is on the right
  side, beyond the margin, for every b in I.

With more classes each pair has a machine, and c(S) is the union: an object beyond the margin in all
pairs of its class wins their votes. Nothing of the machine may be fitted to the sample: not the
price (a total price divided by n is allowed, as n is known), the weights of classes, the width of a
kernel or the unit of the metric.
"""

from math import exp, expm1, inf, log

from scipy.special import betainc

from wideberth.bounds.binomial import log_binomial

#: The smallest bound returned. Only for delta near 1 could it be smaller, and would consist of
#: rounding errors.
SMALLEST = 1e-15


def preferent_bound(kept: int, n: int, *, log_delta: float) -> float:
    r"""The probability that a new object changes a preferent compression of n objects to k ``kept``
    ones.

    With probability at least :math:`1 - \delta` it is at most the :math:`\varepsilon` in (k/n, 1)
    with

    .. math::
        \frac{\delta}{n} \sum_{m=k}^{n-1} \frac{\binom{m}{k}}{\binom{n}{k}} (1-\varepsilon)^{-(n-m)}
        = 1
        \quad\Longleftrightarrow\quad
        \delta\, P(\mathrm{Bin}(n, \varepsilon) > k) = n \varepsilon\, P(\mathrm{Bin}(n,
        \varepsilon) = k)

    for all k at once, although k is known only afterwards, and 1 if k = n (Campi & Garatti,
    Compression, Generalization and Learning, JMLR 24, 2023). The second form follows from the first
    by summing a negative binomial distribution. It is hardly larger than the bound from k errors on
    n fresh objects.

    Proof: let :math:`a_{mk}(d\varphi)` be the probability that m objects are compressed to the
    first k, with this :math:`\varphi`. Preference gives :math:`a_{nk}(d\varphi) \le
    (1-\varphi)^{n-m} a_{mk}(d\varphi)`. Where :math:`\varphi > \varepsilon` the left side of the
    first form is at least 1, so that :math:`\binom{n}{k} a_{nk}(d\varphi) \le \frac{\delta}{n}
    \sum_m \binom{m}{k} a_{mk}(d\varphi)`; and the right sides, over all k and :math:`\varphi`, add
    up to :math:`\delta`, because m objects are compressed to some set.

    If kept objects are given new labels out of c, divide :math:`\delta` by :math:`c^m` for the m of
    them that have one, and by n as well unless m was fixed in advance.

    Parameters
    ----------
    kept, n : int
        k objects kept of a sample of n.
    log_delta : float
        The logarithm of the probability with which the bound may fail.

    Returns
    -------
    float
        From 0 to 1.

    Examples
    --------
    >>> preferent_bound(0, 1, log_delta=log(0.25))
    0.75
    >>> round(preferent_bound(600, 60_000, log_delta=log(0.01)), 4)
    0.0116
    """
    k = kept
    if k >= n or log_delta == -inf:
        return 1.0
    log_choices = log_binomial(n, k)
    # The logarithm of the sum is convex and increasing in u = -ln(1 - eps). Its first term alone
    # reaches 1 above the root, and from there Newton's steps go down to the root without passing
    # it.
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


def support_vector_bound(kept: int, n: int, *, log_delta: float) -> float:
    r"""The probability that a new object is on the wrong side of the margin or on it, which
    includes all errors.

    .. math:: P\bigl(Y f(X) \le 1\bigr) \le \varepsilon(k, n, \delta)

    with `preferent_bound`, for k ``kept`` objects of the sample with :math:`y_i f(x_i) \le 1` (for
    any b in I). That an SVM is preferent is due to Campi & Garatti (2023); the docstring of this
    module has the proof.

    If a machine is solved up to a tolerance, and its values differ from the optimal ones by at most
    :math:`\tau < 1` on all objects, its error has the same bound with the objects of :math:`y_i
    f(x_i) \le 1 + 2 \tau` as ``kept``, for any b that is optimal for its own w: the values of b at
    which objects cross the margin change by at most :math:`\tau`, and so do the ends of I, which
    are two of them.

    Parameters
    ----------
    kept, n : int
        k objects of a sample of n on the wrong side of the margin or on it.
    log_delta : float
        The logarithm of the probability with which the bound may fail.

    Examples
    --------
    >>> round(support_vector_bound(20, 1000, log_delta=log(0.05)), 3)
    0.036
    """
    return preferent_bound(kept, n, log_delta=log_delta)
