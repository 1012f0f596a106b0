"""Compiled blocks of distances between distributions, and the transport problem that remains
between two of them.

Distributions over common bins are rows of finite masses that are not negative, with the same number
of bins on both sides. Samples of numbers are stored in a flat array: sample s is
``values[offsets[s]:offsets[s + 1]]``, in increasing order and not empty.

Sums over bins or numbers may be reordered ("reassoc"), so that the compiler can vectorise them; a
pair has bitwise the same distance in every block and in both directions. Divisions follow numpy
("error_model"): a test for zero would prevent vectorisation, and no divisor here can be zero.
"""

import numpy as np
from numpy.typing import NDArray

from wideberth.array_types import Floats
from wideberth.compilation import compiled

Offsets = NDArray[np.int64]

#: Replaces zero in divisions and logarithms whose result is then multiplied by zero.
TINY = 1e-300
#: Relative differences of two masses below this are evaluated by a power series, above it by
#: logarithms.
SMALL_SHARE = 0.25
LOG_2 = float(np.log(2.0))
#: The bits of the root of 1/2. Subtracted from the bits of x, the exponent bits are those of the
#: power of two nearest to x.
ROOT_HALF_BITS = int(np.sqrt(0.5).view(np.int64))
#: Coefficients of h(x) / x^2 as a polynomial in x^2, for h of `jensen_shannon_block`: 1 / (k (2k -
#: 1)), k from 12 to 1.
SERIES = tuple(1.0 / (k * (2 * k - 1)) for k in range(12, 0, -1))
#: Coefficients of (2 artanh(z) - 2 z) / z^3 as a polynomial in z^2: 2 / k, k from 21 to 3.
ARTANH = tuple(2.0 / k for k in range(21, 1, -2))


@compiled(error_model="numpy", fastmath={"reassoc", "nsz", "contract"})
def chi2_block(left: Floats, right: Floats) -> Floats:
    """Compute the square roots of half the triangular discriminations (symmetric chi-squared) of
    all pairs of rows.
    """
    distances = np.empty((left.shape[0], right.shape[0]))
    for row in range(left.shape[0]):
        for column in range(right.shape[0]):
            distances[row, column] = np.sqrt(
                _triangular_discrimination(left[row], right[column]) / 2
            )
    return distances


@compiled(inline="always", error_model="numpy", fastmath={"reassoc", "nsz", "contract"})
def _triangular_discrimination(p: Floats, q: Floats) -> float:
    """Sum (p - q)^2 / (p + q) over the bins."""
    total = 0.0
    for k in range(p.size):
        total += (p[k] - q[k]) ** 2 / max(p[k] + q[k], TINY)
    return total


@compiled(error_model="numpy", fastmath={"reassoc", "nsz", "contract"})
def jensen_shannon_block(left: Floats, right: Floats) -> Floats:
    r"""Compute the square roots of the Jensen-Shannon divergences of all pairs of rows, in bits.

    With s = p + q and :math:`\delta = |p - q| / s`, a bin contributes :math:`s h(\delta) / 4`,
    where :math:`h(\delta) = (1 + \delta) \ln (1 + \delta) + (1 - \delta) \ln (1 - \delta)`. No bin
    contributes less than zero, and none loses precision if p and q are close; a difference of
    entropies would lose half of all digits before the root is taken.

    Parameters and result as in `chi2_block`.
    """
    distances = np.empty((left.shape[0], right.shape[0]))
    for row in range(left.shape[0]):
        for column in range(right.shape[0]):
            distances[row, column] = np.sqrt(_entropy_gap(left[row], right[column]) / (4 * LOG_2))
    return distances


@compiled(inline="always", error_model="numpy", fastmath={"reassoc", "nsz", "contract"})
def _entropy_gap(p: Floats, q: Floats) -> float:
    """Sum s h over the bins, with s and h as in `jensen_shannon_block`: four times the divergence,
    in nats.
    """
    total = 0.0
    for k in range(p.size):
        mass = max(p[k] + q[k], TINY)
        share = abs(p[k] - q[k]) / mass
        series, logarithms = _by_series(share), _by_logarithms(share)
        total += mass * (series if share < SMALL_SHARE else logarithms)
    return total


@compiled(inline="always", error_model="numpy")
def _polynomial(coefficients: tuple[float, ...], x: float) -> float:
    """Evaluate a polynomial by Horner's scheme, the coefficient of the highest power first."""
    value = coefficients[0]
    for coefficient in coefficients[1:]:  # a constant tuple: the compiler unrolls the loop
        value = value * x + coefficient
    return value


@compiled(inline="always", error_model="numpy")
def _by_series(share: float) -> float:
    r"""Evaluate h as :math:`\sum_k \delta^{2k} / (k (2k - 1))`, k from 1 to 12; the rest is below
    rounding for small shares.
    """
    square = share * share
    return square * _polynomial(SERIES, square)


@compiled(inline="always", error_model="numpy")
def _by_logarithms(share: float) -> float:
    """Evaluate h by its definition, which is accurate for shares that are not small."""
    more, less = 1.0 + share, 1.0 - share
    return more * _logarithm(more) + less * _logarithm(max(less, TINY))


@compiled(inline="always", error_model="numpy")
def _logarithm(x: float) -> float:
    r"""Compute the natural logarithm by operations that the compiler can vectorise, unlike the call
    of the C library.

    :math:`x = 2^e m` with m between the roots of 1/2 and of 2; :math:`\ln m = 2
    \operatorname{artanh} z` with :math:`z = (m - 1) / (m + 1)`, a series in :math:`z^2 < 0.03`.
    """
    bits = np.float64(x).view(np.int64)
    exponent = (bits - ROOT_HALF_BITS) >> 52
    mantissa = np.int64(bits - (exponent << 52)).view(np.float64)
    z = (mantissa - 1.0) / (mantissa + 1.0)
    square = z * z
    return exponent * LOG_2 + (2.0 * z + z * square * _polynomial(ARTANH, square))


@compiled(error_model="numpy", fastmath={"reassoc", "nsz", "contract"})
def wasserstein_block(
    left: Floats, left_offsets: Offsets, right: Floats, right_offsets: Offsets
) -> Floats:
    """Compute the Wasserstein-1 distances of all pairs of samples: the area between their quantile
    functions. Each sample is sorted.
    """
    distances = np.empty((left_offsets.size - 1, right_offsets.size - 1))
    for row in range(distances.shape[0]):
        x = left[left_offsets[row] : left_offsets[row + 1]]
        for column in range(distances.shape[1]):
            y = right[right_offsets[column] : right_offsets[column + 1]]
            distances[row, column] = (
                _mean_gap(x, y) if x.size == y.size else _mean_gap_in_units(x, y)
            )
    return distances


@compiled(inline="always")
def _mean_gap(x: Floats, y: Floats) -> float:
    """Distance of two sorted samples of the same size: the smallest number moves to the smallest,
    and so on.
    """
    total = 0.0
    for k in range(x.size):
        total += abs(x[k] - y[k])
    return total / x.size


@compiled
def _mean_gap_in_units(x: Floats, y: Floats) -> float:
    """Distance of two sorted samples of different sizes, in O(x.size + y.size) time.

    The mass is divided into x.size * y.size units: each number of x holds y.size of them, each
    number of y holds x.size.
    """
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


@compiled
def split_difference(
    p: Floats,
    q: Floats,
    units: float,
    ground: Floats,
    supplies: Floats,
    demands: Floats,
    costs: Floats,
) -> tuple[int, int]:
    """Set up the transport problem between two histograms: where mass must leave and arrive, and
    the costs between these bins.

    The masses p and q are integer multiples of 1 / units. ``supplies`` and ``demands`` receive the
    masses that leave and arrive, in units, and ``costs`` the distances from each source to each
    target, row by row; returned are the numbers of sources and of targets.

    The first bin with a difference counts as a supply, whichever histogram has more there, so that
    both directions of a pair give exactly the same problem.
    """
    sources = targets = 0
    sign = 0.0
    target_bins = np.empty(p.size, dtype=np.int64)
    for k in range(p.size):
        difference = (p[k] - q[k]) * units
        if sign == 0.0:
            sign = 1.0 if difference > 0 else -1.0 if difference < 0 else 0.0
        if sign * difference < 0:
            demands[targets] = -sign * difference
            target_bins[targets] = k
            targets += 1
    for k in range(p.size):
        supply = sign * (p[k] - q[k]) * units
        if supply > 0:
            supplies[sources] = supply
            for target in range(targets):
                costs[sources * targets + target] = ground[k, target_bins[target]]
            sources += 1
    return sources, targets
