"""Averages over random signs: over all sign vectors of a few objects, or over some drawn at random, with proved limits."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import log, sqrt

import numpy as np

from wideberth.array_types import Floats
from wideberth.errors import InvalidInput

#: Maps sign vectors, the rows, to :math:`\sup_f |\sum_i \sigma_i f(x_i)|` for each of them.
Suprema = Callable[[Floats], Floats]

#: Up to this number of objects all sign vectors are tried: at most 2,048, as opposite vectors have the same supremum.
MOST_ENUMERATED = 12
#: The limits need signs that are independent of the sample: a stream of random numbers of their own, whatever the seed.
STREAM = 0x51675


@dataclass(frozen=True)
class Measured:
    """An average over random signs: it lies between ``low`` and ``high``; ``value`` is only the best estimate.

    ``high`` may enter a bound that pays for the probability with which it fails; ``value`` may not.

    Attributes
    ----------
    value : float
        The mean over the sign vectors tried.
    low, high : float
        Limits of the average. They hold together with probability at least ``confidence`` over the draw of the signs, whatever
        the sample; ``high`` alone fails with at most half the remaining probability.
    confidence : float or None
        None if all sign vectors were tried: nothing is left to chance.
    draws : int
        How many sign vectors were tried.
    displacement : float
        How far the objects were moved on average to make the measurement cheap; the limits include it.

    Examples
    --------
    >>> Measured(0.2, 0.1, 0.3, confidence=0.99, draws=50).times(2.0).high
    0.6
    """

    value: float
    low: float
    high: float
    confidence: float | None
    draws: int
    displacement: float = 0.0

    def times(self, factor: float) -> "Measured":
        """The average for functions that are ``factor`` times as large."""
        return replace(
            self,
            value=factor * self.value,
            low=factor * self.low,
            high=factor * self.high,
            displacement=factor * self.displacement,
        )

    def widened(self, displacement: float) -> "Measured":
        """The limits for objects at this mean distance from those measured, and functions with Lipschitz constant 1."""
        low, high = max(0.0, self.low - displacement), self.high + displacement
        return replace(self, low=low, high=high, displacement=displacement)

    def within(self, low: float, high: float) -> "Measured":
        """The same measurement, if it is certain that the average lies between ``low`` and ``high``."""
        value = min(max(self.value, low), high)
        return replace(self, value=value, low=max(self.low, low), high=min(self.high, high))


def average_over_signs(suprema: Suprema, heights: Floats, *, draws: int, confidence: float, random_state: int | None) -> Measured:
    r"""The empirical Rademacher average of a class of functions that is symmetric, :math:`f \in F \iff -f \in F`,

    .. math:: \hat R_n(F) = E_\sigma \sup_{f \in F} \frac1n \sum_i \sigma_i f(x_i), \qquad |f(x_i)| \le b_i,

    exactly for at most 12 objects, otherwise by the mean of m draws, which is off by

    .. math:: \frac1n \sqrt{\frac{2 \sum_i b_i^2 \ln(2/\delta)}{m}}

    or more with probability at most :math:`\delta = 1 -` ``confidence``. Proof: one of the n m independent signs changes the mean
    by at most :math:`2 b_i / nm`; McDiarmid's inequality (1989), once for each side.

    Parameters
    ----------
    suprema : callable
        Maps sign vectors, shape (m, n), to the suprema :math:`\sup_f |\sum_i \sigma_i f(x_i)|`, shape (m,).
    heights : ndarray of shape (n,)
        The bounds :math:`b_i`.
    draws : int
        How many sign vectors are drawn.
    confidence : float
        The probability with which both limits hold, between 0 and 1.
    random_state : int or None
        The seed of the draw.

    Returns
    -------
    Measured
        The average with its limits.

    Examples
    --------
    >>> average_over_signs(lambda signs: np.abs(signs.sum(axis=1)), np.ones(2), draws=1, confidence=0.9, random_state=0)
    Measured(value=0.5, low=0.5, high=0.5, confidence=None, draws=2, displacement=0.0)
    """
    _check_parameters(draws, confidence)
    n = len(heights)
    if n <= MOST_ENUMERATED:
        signs = all_signs(n)
        exact = float(suprema(signs).mean()) / n
        return Measured(exact, exact, exact, None, len(signs))
    signs = draw_signs(draws, n, random_state)
    mean = float(suprema(signs).mean()) / n
    slack = sqrt(2 * float((heights**2).sum()) * log(2 / (1 - confidence)) / draws) / n
    return Measured(mean, max(0.0, mean - slack), min(mean + slack, float(heights.mean())), confidence, draws)


def all_signs(n: int) -> Floats:
    """All vectors of n signs whose first sign is positive, one a row: of two opposite vectors, one.

    Examples
    --------
    >>> all_signs(2)
    array([[ 1.,  1.],
           [ 1., -1.]])
    """
    bits = np.arange(2 ** (n - 1))[:, None] >> np.arange(n - 1) & 1
    return np.column_stack([np.ones(len(bits)), 1.0 - 2.0 * bits])


def draw_signs(draws: int, n: int, random_state: int | None) -> Floats:
    """Rows of independent random signs, independent also of a sample that was drawn with the same seed.

    Parameters
    ----------
    draws, n : int
        The number of rows and of columns.
    random_state : int or None
        The seed.

    Returns
    -------
    ndarray of shape (draws, n)
        Entries are 1.0 and -1.0.

    Examples
    --------
    >>> draw_signs(2, 3, random_state=0).shape
    (2, 3)
    """
    source = np.random.SeedSequence(random_state, spawn_key=(STREAM,))
    return np.random.default_rng(source).choice([-1.0, 1.0], size=(draws, n))


def _check_parameters(draws: int, confidence: float) -> None:
    if not draws >= 1:
        raise InvalidInput(f"The average needs sign vectors; draws is {draws!r}.", advice="Draw at least 1.", value=draws)
    if not 0 < confidence < 1:
        raise InvalidInput(
            f"A confidence lies between 0 and 1, not at {confidence!r}.", advice="0.99 is a usual choice.", value=confidence
        )
