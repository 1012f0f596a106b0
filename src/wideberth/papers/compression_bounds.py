r"""Bounds for classifiers that can be rebuilt from a few of their training objects, and the
criteria that published compression methods minimise.

:math:`\overline{\mathrm{Bin}}` is `wideberth.bounds.binomial_inversion`. With ``classes``, c, the m
kept objects may be given any labels, and each of the :math:`c^m` ways to label them is a classifier
of its own; without it, they keep the labels that they have in the sample. For preferent
compressions `wideberth.bounds.preferent_bound` is smaller. ``log_delta`` is the logarithm of the
probability with which a bound may fail.

The criteria hold up to constants: no certificates. There are n objects, m of them ``kept``
(including those that a rule needs only for its labels), with e ``errors`` on the whole sample. All
criteria are infinite if everything is kept. Nothing in this library relies on what their authors
prove about them.
"""

from math import ceil, inf, log, sqrt

from wideberth.bounds.binomial import binomial_inversion, log_binomial

#: The quotients of blocks and kept objects that are tried; delta is divided by their number.
BLOCKS_PER_KEPT = (1.5, 2.0, 3.0, 4.0, 6.0, 8.0, 12.0, 16.0, 24.0, 32.0, 64.0, 128.0)


def index_bound(
    kept: int, errors: int, n: int, *, log_delta: float, classes: int | None = None
) -> float:
    r"""The error of a classifier that depends on the set of m ``kept`` objects alone, with e
    ``errors`` on the n - m others.

    .. math:: \overline{\mathrm{Bin}}\Bigl(e,\ n - m,\ \frac{\delta}{n \binom{n}{m} c^m}\Bigr)

    It holds for any choice of the kept objects: a union bound over the sizes m = 0 ... n - 1, the
    sets and the labels (Langford 2005, the sample compression bound; Littlestone & Warmuth 1986).

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
    objects with their own labels it is up to 60 % smaller than that;
    `wideberth.bounds.preferent_bound` of m + e is smaller still, except for very small samples or
    random labels.

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


def explicit_preferent_bound(kept: int, n: int, *, log_delta: float) -> float:
    r"""A closed formula above `wideberth.bounds.preferent_bound`, which shows its order.

    .. math:: \frac{k + 2\sqrt{k+1}\,(\sqrt{\ln(k+1)} + 4) + 2\sqrt{(k+1)\ln(1/\delta)} +
        \ln(1/\delta)}{n}

    at most 1 (Campi & Garatti 2023).

    Examples
    --------
    >>> explicit_preferent_bound(0, 1000, log_delta=0.0)
    0.008
    """
    k = kept
    surprise = -log_delta
    total = k + 2 * sqrt(k + 1) * (sqrt(log(k + 1)) + 4) + 2 * sqrt((k + 1) * surprise) + surprise
    return min(1.0, total / n)


def ksu_criterion(kept: int, errors: int, n: int, *, log_delta: float) -> float:
    r"""Q of Kontorovich, Sabato & Weiss (2017), Nearest-neighbor sample compression, with
    :math:`\alpha = e / n`.

    .. math::
        \frac{n \alpha}{n - m} + \frac{m \ln n + \ln(1/\delta)}{n - m}
        + \sqrt{\frac{1}{n - m} \Bigl(\frac{n m \alpha \ln n}{n - m} + \ln(1/\delta)\Bigr)}

    They count two indices for each centre, one for the object and one for its label.

    Examples
    --------
    >>> ksu_criterion(0, 3, 10, log_delta=0.0)
    0.3
    """
    if kept >= n:
        return inf
    rest = n - kept
    noise = kept * errors * log(n) / rest - log_delta
    return errors / rest + (kept * log(n) - log_delta) / rest + sqrt(noise / rest)


def marmann_criterion(kept: int, errors: int, n: int, *, log_delta: float, classes: int) -> float:
    r"""GB of Kontorovich, Sabato & Urner (2017), Active nearest-neighbor learning, with c
    ``classes`` and :math:`\alpha = e / n`.

    .. math::
        \frac{n \alpha}{n - m} + \frac{2}{3} \frac{t}{n - m} + \frac{3}{\sqrt 2} \frac{\sqrt{n
        \alpha t}}{n - m},
        \qquad t = (m + 1) \ln(n c) + \ln(1/\delta)

    Examples
    --------
    >>> marmann_criterion(10, 0, 10, log_delta=0.0, classes=2)
    inf
    """
    if kept >= n:
        return inf
    rest = n - kept
    t = (kept + 1) * log(n * classes) - log_delta
    return errors / rest + 2 / 3 * t / rest + 3 / sqrt(2) * sqrt(errors * t) / rest


def optinet_criterion(kept: int, errors: int, n: int, *, log_delta: float) -> float:
    r"""The criterion of OptiNet (Hanneke, Kontorovich, Sabato & Weiss 2021, Universal Bayes
    consistency), :math:`\alpha = e / n`.

    .. math::
        \frac{n \alpha}{n - m} + \sqrt{8\, \frac{n \alpha}{n - m} \frac{t}{n - m}} + 9 \frac{t}{n -
        m},
        \qquad t = m \ln\frac{2 \mathrm{e} n}{m} + \ln\frac{2n}{\delta}, \quad m \ge 1

    Examples
    --------
    >>> optinet_criterion(10, 0, 10, log_delta=0.0)
    inf
    """
    if kept >= n:
        return inf
    rest = n - kept
    t = kept * (1 + log(2 * n / kept)) + log(2 * n) - log_delta
    return errors / rest + sqrt(8 * errors / rest * t / rest) + 9 * t / rest
