r"""What a classifier proves that can be rebuilt from a few of the objects, by its errors on the others.

:math:`\overline{\mathrm{Bin}}` is `wideberth.bounds.binomial.binomial_inversion`. With ``classes``, c, the kept objects carry
labels of their own choosing, and each of the :math:`c^m` ways to label them is a classifier of its own; without, they keep the
labels they came with.
"""

from math import ceil, log

from wideberth.bounds.binomial import binomial_inversion, log_binomial

#: How many times as many blocks as kept objects are tried; the bound pays for the choice.
BLOCKS_PER_KEPT = (1.5, 2.0, 3.0, 4.0, 6.0, 8.0, 12.0, 16.0, 24.0, 32.0, 64.0, 128.0)


def index_bound(kept: int, errors: int, n: int, *, log_delta: float, classes: int | None = None) -> float:
    r"""The error of a classifier that depends on the set of m ``kept`` objects alone, with e ``errors`` on the n - m others.

    .. math:: \overline{\mathrm{Bin}}\Bigl(e,\ n - m,\ \frac{\delta}{n \binom{n}{m} c^m}\Bigr)

    However they were chosen: a union over the sizes m = 0 ... n - 1, the sets and the labels (Langford 2005, the sample
    compression bound; Littlestone & Warmuth 1986).

    >>> index_bound(0, 0, 2, log_delta=log(0.5))
    0.5
    """
    if kept >= n:
        return 1.0
    log_choices = log(n) + log_binomial(n, kept) + _log_labellings(kept, classes)
    return binomial_inversion(errors, n - kept, log_delta=log_delta - log_choices)


def block_bound(kept: int, errors: int, n: int, *, log_delta: float, classes: int | None = None) -> float:
    r"""The error of a classifier built on a preferent selection of m ``kept`` objects, with e ``errors`` on the others.

    Cut the sample into B > m blocks. The kept objects lie in m of them, and a preferent selection finds the same objects in
    these blocks alone, of which the others are independent: a union over blocks instead of objects,

    .. math::
        \min_B\ \overline{\mathrm{Bin}}\Bigl(e,\ (B - m) \lfloor n / B \rfloor,\ \frac{\delta}{G\, n \binom{B}{m} c^m}\Bigr),

    over G values of B and the n sizes m. Derived here; with B = 2m and e = 0 it is of the order of Bousquet, Hanneke, Moran &
    Zhivotovskiy (2020), with B = n it is `index_bound`. Up to 60 % smaller than that for few kept objects with their own labels;
    `wideberth.bounds.preferent.preferent_bound` of m + e is smaller still but for a few objects, or labels that say nothing.

    >>> block_bound(5, 0, 5, log_delta=log(0.5))
    1.0
    >>> bounds = [bound(30, 0, 1000, log_delta=log(0.05)) for bound in (block_bound, index_bound)]
    >>> [round(each, 2) for each in bounds]
    [0.1, 0.14]
    """
    log_share = log_delta - log(len(BLOCKS_PER_KEPT)) - log(n) - _log_labellings(kept, classes)
    best = 1.0
    for ratio in BLOCKS_PER_KEPT:
        blocks = min(n, max(ceil(ratio * kept), kept + 1))
        if blocks > kept:
            fresh = (blocks - kept) * (n // blocks)
            best = min(best, binomial_inversion(errors, fresh, log_delta=log_share - log_binomial(blocks, kept)))
    return best


def prototype_bound(prototypes: int, errors: int, n: int, *, log_delta: float, classes: int) -> float:
    r"""The error of the nearest of m ``prototypes``, with e ``errors`` on the n - m objects that gave them their labels.

    .. math:: \overline{\mathrm{Bin}}(e,\ n - m,\ \delta / c^m)

    The prototypes are m of the n objects, chosen without a look at the others (the first m, say), so that only the
    :math:`c^m` ways to label them are left: a finite class, and no price for indices. The rule is Proto-NN of Gyorfi & Weiss
    (2021), the bound the union. m must be fixed in advance; for one of G values divide :math:`\delta` by G.

    >>> prototype_bound(1, 0, 2, log_delta=log(0.5), classes=2)
    0.75
    """
    return binomial_inversion(errors, n - prototypes, log_delta=log_delta - _log_labellings(prototypes, classes))


def _log_labellings(kept: int, classes: int | None) -> float:
    return 0.0 if classes is None else kept * log(classes)
