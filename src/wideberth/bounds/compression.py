r"""Sample compression: bounds for classifiers that can be rebuilt from a few of their training
objects.

:math:`\overline{\mathrm{Bin}}` is `wideberth.bounds.binomial.binomial_inversion`. With ``classes``,
c, the m kept objects may be given any labels, and each of the :math:`c^m` ways to label them is a
classifier of its own; without it, they keep the labels that they have in the sample.

*Preferent compressions.* The bounds are smaller if the objects outside the compressed set have no
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

from math import ceil, exp, expm1, inf, log, sqrt

from scipy.special import betainc

from wideberth.bounds.binomial import binomial_inversion, log_binomial

#: The quotients of blocks and kept objects that are tried; delta is divided by their number.
BLOCKS_PER_KEPT = (1.5, 2.0, 3.0, 4.0, 6.0, 8.0, 12.0, 16.0, 24.0, 32.0, 64.0, 128.0)
#: The smallest bound returned. Only for delta near 1 could it be smaller, and would consist of
#: rounding errors.
SMALLEST = 1e-15


def index_bound(
    kept: int, errors: int, n: int, *, log_delta: float, classes: int | None = None
) -> float:
    r"""The error of a classifier that depends on the set of m ``kept`` objects alone, with e
    ``errors`` on the n - m others.

    .. math:: \overline{\mathrm{Bin}}\Bigl(e,\ n - m,\ \frac{\delta}{n \binom{n}{m} c^m}\Bigr)

    It holds for any choice of the kept objects: a union bound over the sizes m = 0 ... n - 1, the
    sets and the labels (Langford 2005, the sample compression bound; Littlestone & Warmuth 1986).

    Parameters
    ----------
    kept, errors, n : int
        m objects kept of a sample of n, and e errors on the others.
    log_delta : float
        The logarithm of the probability with which the bound may fail.
    classes : int, optional
        The number of labels that kept objects may be given; None if they keep their own.

    Examples
    --------
    >>> index_bound(0, 0, 2, log_delta=log(0.5))
    0.5
    """
    if kept >= n:
        return 1.0
    log_choices = log(n) + log_binomial(n, kept) + _log_labellings(kept, classes)
    return binomial_inversion(errors, n - kept, log_delta=log_delta - log_choices)


def block_bound(
    kept: int, errors: int, n: int, *, log_delta: float, classes: int | None = None
) -> float:
    r"""The error of a classifier built on a preferent selection of m ``kept`` objects, with e
    ``errors`` on the others.

    Cut the sample into B > m blocks. The kept objects lie in at most m of them, and a preferent
    selection finds the same objects in these blocks alone; the other blocks are independent of
    them. So the union bound is over blocks instead of objects,

    .. math::
        \min_B\ \overline{\mathrm{Bin}}\Bigl(e,\ (B - m) \lfloor n / B \rfloor,\ \frac{\delta}{G\, n
        \binom{B}{m} c^m}\Bigr),

    over G values of B and the n sizes m. Derived here; with B = 2m and e = 0 it is of the order of
    Bousquet, Hanneke, Moran & Zhivotovskiy (2020), with B = n it is `index_bound`. For few kept
    objects with their own labels it is up to 60 % smaller than that; `preferent_bound` of m + e is
    smaller still, except for very small samples or random labels.

    Parameters
    ----------
    kept, errors, n : int
        m objects kept of a sample of n, and e errors on the others.
    log_delta : float
        The logarithm of the probability with which the bound may fail.
    classes : int, optional
        The number of labels that kept objects may be given; None if they keep their own.

    Examples
    --------
    >>> block_bound(5, 0, 5, log_delta=log(0.5))
    1.0
    >>> bounds = [bound(30, 0, 1000, log_delta=log(0.05)) for bound in (block_bound, index_bound)]
    >>> [round(bound, 2) for bound in bounds]
    [0.1, 0.14]
    """
    log_share = log_delta - log(len(BLOCKS_PER_KEPT)) - log(n) - _log_labellings(kept, classes)
    best = 1.0
    for ratio in BLOCKS_PER_KEPT:
        blocks = min(n, max(ceil(ratio * kept), kept + 1))
        if blocks > kept:
            fresh = (blocks - kept) * (n // blocks)
            best = min(
                best,
                binomial_inversion(errors, fresh, log_delta=log_share - log_binomial(blocks, kept)),
            )
    return best


def prototype_bound(
    prototypes: int, errors: int, n: int, *, log_delta: float, classes: int
) -> float:
    r"""The error of a nearest-prototype rule with m ``prototypes``, and e ``errors`` on the n - m
    objects that labelled them.

    .. math:: \overline{\mathrm{Bin}}(e,\ n - m,\ \delta / c^m)

    The prototypes are m of the n objects, chosen independently of the others (the first m, for
    example), so that only the :math:`c^m` ways to label them are left: a finite class, and a union
    bound over it. The rule is Proto-NN of Gyorfi & Weiss (2021). m must be fixed in advance; if it
    is one of G values, divide :math:`\delta` by G.

    Parameters
    ----------
    prototypes, errors, n : int
        m prototypes among n objects, and e errors on the others.
    log_delta : float
        The logarithm of the probability with which the bound may fail.
    classes : int
        The number c of classes.

    Examples
    --------
    >>> prototype_bound(1, 0, 2, log_delta=log(0.5), classes=2)
    0.75
    """
    return binomial_inversion(
        errors, n - prototypes, log_delta=log_delta - _log_labellings(prototypes, classes)
    )


def _log_labellings(kept: int, classes: int | None) -> float:
    """The logarithm of the number of ways to label the kept objects; 0 if they keep their own
    labels.
    """
    return 0.0 if classes is None else kept * log(classes)


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


def explicit_preferent_bound(kept: int, n: int, *, log_delta: float) -> float:
    r"""A closed formula above `preferent_bound`, which shows its order of magnitude.

    .. math:: \frac{k + 2\sqrt{k+1}\,(\sqrt{\ln(k+1)} + 4) + 2\sqrt{(k+1)\ln(1/\delta)} +
        \ln(1/\delta)}{n}

    at most 1 (Campi & Garatti 2023).

    Parameters
    ----------
    kept, n : int
        k objects kept of a sample of n.
    log_delta : float
        The logarithm of the probability with which the bound may fail.

    Examples
    --------
    >>> explicit_preferent_bound(0, 1000, log_delta=0.0)
    0.008
    """
    k = kept
    surprise = -log_delta
    total = k + 2 * sqrt(k + 1) * (sqrt(log(k + 1)) + 4) + 2 * sqrt((k + 1) * surprise) + surprise
    return min(1.0, total / n)


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
