r"""How well polynomials of degree n approximate :math:`q \mapsto |q - x|^p` on [-1, 1], for all x
in [-1, 1]: proved constants.

With :math:`q = \cos\theta` and :math:`x = \cos\varphi`,

.. math:: |q - x|^p = 2^p \Bigl|\sin\tfrac{\theta+\varphi}{2}\Bigr|^p
    \Bigl|\sin\tfrac{\theta-\varphi}{2}\Bigr|^p,

and the Fourier coefficients of :math:`|\sin(t/2)|^p` are known: :math:`s_k = (-1)^k 2^{-p}
\binom{p}{p/2+k}`. A product of functions has the convolution of their coefficients, so the
Chebyshev coefficients :math:`a_k` of :math:`|q - x|^p` obey :math:`|a_k| \le 2^{p+1} \sum_j |s_j|
|s_{k-j}|` for k >= 1, for every x. The error of a truncated series follows from the tails of s,
which telescope: :math:`(-1)^k \binom{p}{p/2+k} = t_k - t_{k-1}` with :math:`t_k = (-1)^k
\binom{p-1}{p/2+k}`, all of one sign for :math:`k > p/2`. Derived here; the constants are about
twice the true errors, which fall like :math:`n^{-p}`, and zero for even p and n >= p.
"""

from functools import cache
from math import ceil, floor, lgamma, log, pi, sqrt

import numpy as np
from numpy.typing import NDArray
from scipy.fft import dct
from scipy.signal import fftconvolve
from scipy.special import gammaln

from wideberth.array_types import Floats

#: Terms of a convolution that are added up one by one; the rest is bounded.
_TERMS = 10_000
#: Logarithms of the gamma function are rounded; by far less than this.
_UP = 1 + 1e-9


def truncation_error(p: float, n: int) -> float:
    r"""A bound of the error of the Chebyshev series of :math:`|q - x|^p` after degree n, for x and
    q in [-1, 1].

    .. math:: \sum_{k > n} |a_k| \le 2^p \Bigl(2 \sum_{|j| \le J} |s_j| (U(n - j) + U(n + j)) + 4
        U(J)^2\Bigr),
        \qquad U(m) = \sum_{k > m} |s_k|,\ J \le n/2

    since of two indices with a sum beyond n in absolute value one is at most J in absolute value,
    or both are beyond J.

    Parameters
    ----------
    p : float
        The power, at least 1.
    n : int
        The degree of the last polynomial of the series.

    Returns
    -------
    float
        The largest error over all x and q is at most this.

    Examples
    --------
    >>> (
    ...     truncation_error(4, 4),
    ...     round(truncation_error(4, 3), 3),
    ... )  # a polynomial of degree 4; its last term is an eighth of T_4
    (0.0, 0.25)
    >>> [round(truncation_error(3, n) * n**3, 2) for n in (10, 100, 1000)]
    [2.39, 2.56, 2.59]
    """
    reach = min(n // 2, _TERMS)
    j = np.arange(-reach, reach + 1)
    near = float(_sine_coefficients(p, np.abs(j)) @ (_tail(p, n - j) + _tail(p, n + j)))
    far = float(_tail(p, np.array([reach]))[0])
    return float(2.0**p) * (2 * near + 4 * far**2) * _UP


@cache
def measured_error(p: float, n: int) -> float:
    r"""A sharper bound of the same error, from the coefficients themselves instead of bounds of
    them.

    For :math:`x = \cos\varphi` on a grid of step h, the coefficients :math:`a_k(\varphi)`, :math:`n
    < k < M`, come from a cosine transform of the function at M nodes. Between two places of the
    grid their sum changes by at most its derivative allows,

    .. math:: \sum_{k > n} |a_k(\varphi)| \le \max_{\text{grid}} \sum_{n < k < M} |\hat a_k| + 2 E(M
        - 1)
        + \frac h2 \sum_{n < k < M} 2^{p+2} \sum_j |j| |s_j| |s_{k-j}|,

    where E is `truncation_error`: once for the terms beyond M, once for what they add to the others
    at the nodes. Derived here.

    Parameters
    ----------
    p, n
        As for `truncation_error`; p > 2.

    Examples
    --------
    >>> [round(measured_error(3, n) / truncation_error(3, n), 2) for n in (5, 20)]
    [0.71, 0.69]
    """
    nodes = 8 * n + 32
    far = 2 * truncation_error(p, nodes - 1)
    slope = _slope(p, n, nodes)
    step = min(0.05, 0.05 * truncation_error(p, n) / slope) if slope > 0 else 0.05
    centers = np.cos(
        np.linspace(0, pi / 2, 1 + ceil(pi / 2 / step))
    )  # x and -x have the same absolute coefficients
    places = np.cos(pi * (np.arange(nodes) + 0.5) / nodes)
    largest = 0.0
    for part in np.array_split(centers, 1 + len(centers) // 1000):
        coefficients = dct(np.abs(places - part[:, None]) ** p, type=2, axis=1) / nodes
        largest = max(largest, float(np.abs(coefficients[:, n + 1 :]).sum(axis=1).max()))
    return min(truncation_error(p, n), (largest + far + step / 2 * slope) * _UP)


def steepness(p: float) -> float:
    r"""How fast the function :math:`|q - x|^p` of q changes with x at most, in the root mean square
    over the arcsine law of q.

    .. math:: G = \max_{|x| \le 1} \sqrt{\frac1\pi \int_0^\pi (p\,|\cos\theta - x|^{p-1})^2 d\theta}
        = p\, 2^{p-1} \sqrt{\frac{\Gamma(2p - 3/2)}{\sqrt\pi\, \Gamma(2p - 1)}}, \qquad p \ge 1

    The integral is convex and even in x, so its maximum is at x = 1.

    Examples
    --------
    >>> round(steepness(2) ** 2, 10)  # the mean of 4 (cos - 1)^2
    6.0
    """
    return float(
        p * 2.0 ** (p - 1) * sqrt(np.exp(lgamma(2 * p - 1.5) - lgamma(2 * p - 1)) / sqrt(pi))
    )


def _sine_coefficients(p: float, k: NDArray[np.integer]) -> Floats:
    """The absolute values of the Fourier coefficients s_k of the head of this module, for k >=
    0.
    """
    logs = gammaln(p + 1) - gammaln(p / 2 + k + 1) - gammaln(p / 2 - k + 1) - p * log(2)
    return np.asarray(np.exp(logs), dtype=np.float64)


def _slope(p: float, n: int, nodes: int) -> float:
    """How fast the sum of the absolute values of the coefficients after degree n, up to ``nodes``,
    changes with the angle.
    """
    reach = 4 * nodes
    j = np.arange(-reach, reach + 1)
    sizes = _sine_coefficients(p, np.abs(j))
    products = fftconvolve(np.abs(j) * sizes, sizes)[2 * reach + n + 1 : 2 * reach + nodes]
    # indices beyond the reach: the sum of j |s_j| is at most (2 J + 2) U(J) for p > 2, and the
    # other factor is small there
    beyond = (
        2
        * (2 * reach + 2)
        * float(_tail(p, np.array([reach]))[0])
        * float(sizes[reach + reach // 2])
        * nodes
    )
    return float(2.0 ** (p + 2) * (np.maximum(products, 0.0).sum() + beyond)) * _UP


def _tail(p: float, m: NDArray[np.integer]) -> Floats:
    """The sums U(m) of the absolute values of the coefficients beyond m, for m >= 0."""
    last = floor(p / 2)  # beyond it the sum telescopes
    base = np.maximum(m, last)
    tails = np.exp(gammaln(p) - gammaln(p / 2 + base + 1) - gammaln(p / 2 - base) - p * log(2))
    for k in range(1, last + 1):
        tails += np.where(m < k, _sine_coefficients(p, np.array([k])), 0.0)
    return np.asarray(tails, dtype=np.float64)
