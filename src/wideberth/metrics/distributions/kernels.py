"""Compiled blocks of distances between distributions, and what is left to transport between two.

Distributions over common bins are rows of finite masses that are not negative, as many bins left as right. Samples of numbers
are flat: sample s is ``values[offsets[s]:offsets[s + 1]]``, in increasing order and not empty.

Sums over bins or numbers may be reordered ("reassoc"), so that the processor takes several at a time; a pair gives the same bits
in every block and both ways round. Divisions follow numpy ("error_model"): a test for zero would keep the loop from taking
several bins at a time, and no divisor here can be zero.
"""

import numpy as np
from numba import njit
from numpy.typing import NDArray

from wideberth.arrays import Floats

Offsets = NDArray[np.int64]

#: Stands for zero where one divides or takes a logarithm; what it is multiplied with is zero then.
TINY = 1e-300
#: Below this share of the sum, the difference of two masses goes into a power series, above it into logarithms.
SMALL_SHARE = 0.25
LOG_2 = float(np.log(2.0))
#: The bits of the root of 1/2. Subtracting them from the bits of x leaves the exponent of the power of two nearest to x on top.
ROOT_HALF_BITS = int(np.sqrt(0.5).view(np.int64))


@njit(nogil=True, cache=True, error_model="numpy", fastmath={"reassoc", "nsz", "contract"})
def chi2_block(left: Floats, right: Floats) -> Floats:
    """Roots of half the triangular discriminations of all pairs."""
    distances = np.empty((left.shape[0], right.shape[0]))
    for row in range(left.shape[0]):
        for column in range(right.shape[0]):
            total = 0.0
            for each in range(left.shape[1]):
                p, q = left[row, each], right[column, each]
                total += (p - q) ** 2 / max(p + q, TINY)
            distances[row, column] = np.sqrt(total / 2)
    return distances


@njit(nogil=True, cache=True, error_model="numpy", fastmath={"reassoc", "nsz", "contract"})
def jensen_shannon_block(left: Floats, right: Floats) -> Floats:
    r"""Roots of the Jensen-Shannon divergences of all pairs, in bits.

    With s = p + q and :math:`\delta = |p - q| / s`, a bin adds :math:`s h(\delta) / 4`, where
    :math:`h(\delta) = (1 + \delta) \ln (1 + \delta) + (1 - \delta) \ln (1 - \delta)`. No bin adds less than zero and none loses
    digits, however close p and q are: a difference of entropies would lose half of all digits before the root is taken.
    """
    distances = np.empty((left.shape[0], right.shape[0]))
    for row in range(left.shape[0]):
        for column in range(right.shape[0]):
            total = 0.0
            for each in range(left.shape[1]):
                p, q = left[row, each], right[column, each]
                mass = max(p + q, TINY)
                share = abs(p - q) / mass
                series, logarithms = _by_series(share), _by_logarithms(share)
                total += mass * (series if share < SMALL_SHARE else logarithms)
            distances[row, column] = np.sqrt(total / (4 * LOG_2))
    return distances


@njit(nogil=True, cache=True, inline="always", error_model="numpy")
def _by_series(share: float) -> float:
    r"""h as :math:`\sum_k \delta^{2k} / (k (2k - 1))`, k from 1 to 12: what is left out is rounding below `SMALL_SHARE`."""
    square = share * share
    value = 1 / 276.0
    value = value * square + 1 / 231.0
    value = value * square + 1 / 190.0
    value = value * square + 1 / 153.0
    value = value * square + 1 / 120.0
    value = value * square + 1 / 91.0
    value = value * square + 1 / 66.0
    value = value * square + 1 / 45.0
    value = value * square + 1 / 28.0
    value = value * square + 1 / 15.0
    value = value * square + 1 / 6.0
    value = value * square + 1.0
    return value * square


@njit(nogil=True, cache=True, inline="always", error_model="numpy")
def _by_logarithms(share: float) -> float:
    more, less = 1.0 + share, 1.0 - share
    return more * _logarithm(more) + less * _logarithm(max(less, TINY))


@njit(nogil=True, cache=True, inline="always", error_model="numpy")
def _logarithm(x: float) -> float:
    r"""The natural logarithm, which unlike that of the C library runs for several numbers at a time.

    :math:`x = 2^e m` with m between the roots of 1/2 and of 2; :math:`\ln m = 2 \operatorname{artanh} z` with
    :math:`z = (m - 1) / (m + 1)`, a series in :math:`z^2 < 0.03`.
    """
    bits = np.float64(x).view(np.int64)
    exponent = (bits - ROOT_HALF_BITS) >> 52
    mantissa = np.int64(bits - (exponent << 52)).view(np.float64)
    z = (mantissa - 1.0) / (mantissa + 1.0)
    square = z * z
    value = 2 / 21.0
    value = value * square + 2 / 19.0
    value = value * square + 2 / 17.0
    value = value * square + 2 / 15.0
    value = value * square + 2 / 13.0
    value = value * square + 2 / 11.0
    value = value * square + 2 / 9.0
    value = value * square + 2 / 7.0
    value = value * square + 2 / 5.0
    value = value * square + 2 / 3.0
    return exponent * LOG_2 + (2.0 * z + z * square * value)


@njit(nogil=True, cache=True, error_model="numpy", fastmath={"reassoc", "nsz", "contract"})
def wasserstein_block(left: Floats, left_offsets: Offsets, right: Floats, right_offsets: Offsets) -> Floats:
    """The areas between the quantile functions of all pairs."""
    distances = np.empty((left_offsets.size - 1, right_offsets.size - 1))
    for row in range(distances.shape[0]):
        x = left[left_offsets[row] : left_offsets[row + 1]]
        for column in range(distances.shape[1]):
            y = right[right_offsets[column] : right_offsets[column + 1]]
            distances[row, column] = _mean_gap(x, y) if x.size == y.size else _mean_gap_in_units(x, y)
    return distances


@njit(nogil=True, cache=True, inline="always")
def _mean_gap(x: Floats, y: Floats) -> float:
    """For samples of one size: the smallest number goes to the smallest, and so on."""
    total = 0.0
    for each in range(x.size):
        total += abs(x[each] - y[each])
    return total / x.size


@njit(nogil=True, cache=True)
def _mean_gap_in_units(x: Floats, y: Floats) -> float:
    """For samples of two sizes: of x.size * y.size units of mass, every number of x holds y.size, every number of y x.size."""
    total = 0.0
    i = j = 0
    left_of_x, left_of_y = y.size, x.size
    while i < x.size:
        moved = min(left_of_x, left_of_y)
        total += moved * abs(x[i] - y[j])
        left_of_x -= moved
        left_of_y -= moved
        if left_of_x == 0:
            i, left_of_x = i + 1, y.size
        if left_of_y == 0:
            j, left_of_y = j + 1, x.size
    return total / (float(x.size) * float(y.size))


@njit(nogil=True, cache=True)
def split_difference(
    p: Floats, q: Floats, units: float, ground: Floats, supplies: Floats, demands: Floats, costs: Floats
) -> tuple[int, int]:
    """Write where mass must leave and arrive, in whole units, and the costs between; return how many bins do either.

    Assumes masses that are whole multiples of 1 / units, and room for every bin in ``supplies`` and ``demands`` and for every
    pair of them in ``costs``, which is filled row by row. The bin that comes first counts as a supply, so that both directions
    of a pair are one and the same problem.
    """
    sources = targets = 0
    sign = 0.0
    arriving = np.empty(p.size, dtype=np.int64)
    for each in range(p.size):
        difference = (p[each] - q[each]) * units
        if sign == 0.0:
            sign = 1.0 if difference > 0 else -1.0 if difference < 0 else 0.0
        if sign * difference < 0:
            demands[targets] = -sign * difference
            arriving[targets] = each
            targets += 1
    for each in range(p.size):
        supply = sign * (p[each] - q[each]) * units
        if supply > 0:
            supplies[sources] = supply
            for target in range(targets):
                costs[sources * targets + target] = ground[each, arriving[target]]
            sources += 1
    return sources, targets
