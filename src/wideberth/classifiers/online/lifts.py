r"""Lifts: features of queries on which the nearest of two centres is the sign of an inner product.

A lift has a map :math:`\phi` of queries into the unit ball and, for every centre x, a hidden vector
h(x), so that for two centres

.. math:: \langle \phi(q), w \rangle = g(q), \qquad w = h(x_i) - h(x_j), \quad |w| \le
    \texttt{radius},

up to an error of ``slack``, where g(q) is positive if :math:`x_i` is the nearer one, and guessing
the farther one loses

.. math:: \delta(q, x_j) - \delta(q, x_i) \le \texttt{loss\_scale} \cdot |g(q)|^{\texttt{power}}.

With ``by_pairs``, w is the vector of length ``radius`` in the direction of :math:`h(x_i) - h(x_j)`:
it has the same signs, and a knowledge set of one pair, which is a cone, contains it too. Losses are
bounded more sharply in terms of it, because centres that are near to each other make both the loss
and the difference of hidden vectors small.

So knowledge of w gives labels, and the power of losses that a knowledge set counts is ``power``
times that of the user. Centres and queries lie in the ball of radius ``bound`` around 0.
"""

from dataclasses import dataclass
from functools import cached_property
from math import inf, sqrt
from typing import Protocol

import numpy as np

from wideberth.array_types import Floats
from wideberth.classifiers.online.chebyshev_error import steepness, truncation_error
from wideberth.errors import InvalidInput
from wideberth.rounding import DISTANCE_ERROR
from wideberth.wording import setting

#: Beyond this power, :math:`2^p` leaves floating-point numbers too few digits to distinguish
#: centres.
LARGEST_POWER = 24
#: The smallest radius: in a smaller one, queries divided by it would not be finite.
SHORTEST = 1e-300


class Lift(Protocol):
    """What every lift has.

    ``features`` accepts one query, shape (n_features,), or several, shape (n, n_features), and
    returns one vector of ``dimension`` entries for each.
    """

    @property
    def dimension(self) -> int:
        """How many features a query has."""

    @property
    def radius(self) -> float:
        """The largest length of w, the difference of the hidden vectors of two centres."""

    @property
    def power(self) -> float:
        """The power of the inner product that bounds losses."""

    @property
    def slack(self) -> float:
        """The largest error of the inner product; a label then implies only that it is at least
        minus this.
        """

    @property
    def guaranteed(self) -> bool:
        """Whether the total loss is bounded for any number of queries; False if features are too
        inaccurate for that.
        """

    @property
    def bound(self) -> float:
        """The radius of the ball of all centres and queries."""

    @property
    def plain_power(self) -> float:
        """The power of the inner product that bounds losses, in units of ``bound``, for w of its
        own length.
        """

    def features(self, queries: Floats) -> Floats:
        """The features of one query or of several; an error for queries outside of the ball, where
        they are not allowed.
        """

    def loss_scale(self, query: Floats) -> float:
        """The factor in the bound of a loss at this query."""


@dataclass(frozen=True)
class InnerLift:
    r"""The inner product itself, :math:`\delta(q, x) = -\langle q, x \rangle`.

    .. math:: \phi(q) = q / \max(b, |q|), \qquad h(x) = x / b, \qquad |w| \le 2

    with ``bound`` b. Longer queries are shortened, which changes no label; their losses are larger
    in proportion.

    Examples
    --------
    >>> lift = InnerLift(2, bound=5.0)
    >>> (
    ...     lift.features(np.array([3.0, 4.0])),
    ...     lift.features(np.array([6.0, 8.0])),
    ...     lift.loss_scale(np.array([6.0, 8.0])),
    ... )
    (array([0.6, 0.8]), array([0.6, 0.8]), 50.0)
    """

    n_features: int
    bound: float = 1.0
    power = plain_power = 1.0
    radius = 2.0
    slack = 0.0
    guaranteed = True

    def __post_init__(self) -> None:
        _check_bound(self.bound)

    @property
    def dimension(self) -> int:
        """As many as the query has coordinates."""
        return self.n_features

    def features(self, queries: Floats) -> Floats:
        """The query, scaled into the unit ball."""
        lengths = np.hypot.reduce(queries, axis=-1)  # squares of long queries overflow
        return np.asarray(queries / np.maximum(lengths, self.bound)[..., None], dtype=np.float64)

    def loss_scale(self, query: Floats) -> float:
        """The difference of inner products with the centres that corresponds to a unit of the inner
        product of features and w.
        """
        return self.bound * max(self.bound, float(np.hypot.reduce(query)))


@dataclass(frozen=True)
class EuclideanLift:
    r"""The Euclidean distance, in one dimension more (Guruganesh et al. 2021, appendix C), with
    lengths in units of ``bound``.

    .. math:: \phi(q) = \tfrac{3}{\sqrt{10}} \bigl(q, \tfrac13\bigr), \qquad
        h(x) = \tfrac{2 \sqrt{10}}{3} \bigl(x, -\tfrac32 |x|^2\bigr), \qquad
        \langle \phi(q), w \rangle = |q - x_j|^2 - |q - x_i|^2

    The 1/3 makes w short, derived here: with lengths :math:`1 \ge a \ge c` of the centres
    :math:`|w|^2 \le \frac{40}{9} (a + c)^2 (1 + \frac94 (a - c)^2)`, which grows with a, and at a =
    1 is largest for c = 1: :math:`|w| \le 4 \sqrt{10} / 3`. The difference of two distances is at
    most the root of that of their squares: power 1/2.

    With ``by_pairs`` the power is 1, derived here: let D be the distance of the two centres. The
    loss a - b is :math:`(a^2 - b^2) / (a + b)`, with :math:`a + b \ge D`, and :math:`|h(x_i) -
    h(x_j)|^2 = \frac{40}{9} (D^2 + \frac94 \langle x_i - x_j, x_i + x_j \rangle^2) \le
    \frac{400}{9} D^2`. So the loss is at most 20/3 times the inner product with the unit vector in
    the direction of the difference, or :math:`5 / \sqrt{10}` times that with w.

    Examples
    --------
    >>> lift = EuclideanLift(2)
    >>> lift.dimension, lift.power, EuclideanLift(2, by_pairs=False).power, round(lift.radius, 3)
    (3, 1.0, 0.5, 4.216)
    """

    n_features: int
    bound: float = 1.0
    by_pairs: bool = True
    plain_power = 0.5
    radius = 4 * sqrt(10) / 3
    slack = 0.0
    guaranteed = True

    def __post_init__(self) -> None:
        _check_bound(self.bound)

    @property
    def dimension(self) -> int:
        """As many as the query has coordinates, and a constant."""
        return self.n_features + 1

    @property
    def power(self) -> float:
        """1 for pairs, else 1/2."""
        return 1.0 if self.by_pairs else self.plain_power

    def features(self, queries: Floats) -> Floats:
        """The query and a constant."""
        _check_sizes(np.hypot.reduce(queries, axis=-1), self.bound)
        lifted = np.empty((*queries.shape[:-1], self.dimension))
        lifted[..., :-1] = queries * (3 / sqrt(10) / self.bound)
        lifted[..., -1] = 1 / sqrt(10)
        return lifted

    def loss_scale(self, query: Floats) -> float:
        """The difference of distances that a unit of the inner product can be, to the power."""
        return self.bound * (5 / sqrt(10) if self.by_pairs else 1.0)


@dataclass(frozen=True)
class ChebyshevLift:
    r"""The :math:`L^p` distance by Chebyshev polynomials of each coordinate: d coordinates, degree
    n, unit of length ``bound``.

    .. math:: \phi(q) = \frac{(\sqrt d,\ \sqrt2\, T_k(q_c))_{c \le d,\, 1 \le k \le n}}{\sqrt{d (2n
        + 1)}}, \qquad
        \langle \phi(q), w \rangle \approx \|q - x_j\|_p^p - \|q - x_i\|_p^p

    and h(x) has the coefficients of :math:`-\sum_c |q_c - x_c|^p`. Derived here: the polynomials
    are orthogonal, so w is at most as long as the function :math:`|q_c - x_{jc}|^p - |q_c -
    x_{ic}|^p` is in the mean, summed over c, and

    .. math:: |w| \le 2 G \sqrt{d (2n + 1)}

    with `wideberth.classifiers.online.chebyshev_error.steepness` G. For even p the degree p - 1 is
    exact, since the coefficient of :math:`T_p` is the same for all centres (Theorem 12). For
    another p the error is at most ``slack`` = 2d times
    `wideberth.classifiers.online.chebyshev_error.truncation_error`: nothing true is ever ruled out,
    but the number of mistakes at which g is less than about 16 ``dimension`` times the slack is not
    bounded, so a degree by itself is without guarantee.

    Since :math:`(a - b)^p \le a^p - b^p`, the power is 1/p. With ``by_pairs`` and exact features it
    is 1/(p - 1), derived here: let D be the :math:`L^p` distance of the two centres. The larger
    distance a is at least D/2, so that :math:`a^p - b^p \ge (a
    - b) (D/2)^{p-1}`, and :math:`a - b \le D`; the difference of hidden vectors is at most :math:`G
      \sqrt{d (2n+1)}\, d^{1/2 -
    1/p} D` long. So the loss to the power p - 1 is at most :math:`2^{p-2} d^{1/2-1/p}` times the
    inner product with w.

    Examples
    --------
    >>> lift = ChebyshevLift(2, p=4.0, degree=3)
    >>> lift.dimension, round(lift.power, 3), lift.slack, lift.guaranteed
    (7, 0.333, 0.0, True)
    >>> ChebyshevLift(2, p=3.0, degree=8).guaranteed
    False
    """

    n_features: int
    p: float
    degree: int
    bound: float = 1.0
    by_pairs: bool = True

    def __post_init__(self) -> None:
        _check_bound(self.bound)

    @property
    def dimension(self) -> int:
        """All degrees of all coordinates, and one constant."""
        return self.n_features * self.degree + 1

    @cached_property
    def radius(self) -> float:
        """The bound of w, from the steepness of the function."""
        return 2 * steepness(self.p) * self._length

    @cached_property
    def slack(self) -> float:
        """The largest sum of the terms of higher degree, for two centres."""
        even = self.p % 2 == 0 and self.degree >= self.p - 1
        return 0.0 if even else 2 * self.n_features * truncation_error(self.p, self.degree)

    @property
    def guaranteed(self) -> bool:
        """Whether the features are exact."""
        return self.slack == 0

    @property
    def power(self) -> float:
        """1 / (p - 1) for pairs and exact features, else 1 / p."""
        return 1 / (self.p - 1) if self._sharp else self.plain_power

    @property
    def plain_power(self) -> float:
        """1 / p."""
        return 1 / self.p

    def features(self, queries: Floats) -> Floats:
        """The polynomials of all coordinates and a constant."""
        _check_sizes(np.abs(queries), self.bound)
        angles = np.arccos(np.clip(queries / self.bound, -1.0, 1.0))[..., None] * np.arange(
            1, self.degree + 1
        )
        lifted = np.empty((*queries.shape[:-1], self.dimension))
        lifted[..., 0] = sqrt(self.n_features) / self._length
        lifted[..., 1:] = (np.cos(angles) * (sqrt(2) / self._length)).reshape(
            *queries.shape[:-1], self.dimension - 1
        )
        return lifted

    def loss_scale(self, query: Floats) -> float:
        """The difference of distances that a unit of the inner product can be, to the power."""
        if not self._sharp:
            return self.bound
        return float(
            self.bound * (2 ** (self.p - 2) * self.n_features ** (1 / 2 - 1 / self.p)) ** self.power
        )

    @property
    def _sharp(self) -> bool:
        return self.by_pairs and self.slack == 0

    @property
    def _length(self) -> float:
        """The largest length of the features before they are scaled."""
        return sqrt(self.n_features * (2 * self.degree + 1))


def lp_lift(
    n_features: int,
    p: float,
    *,
    degree: int | None = None,
    bound: float = 1.0,
    by_pairs: bool = True,
) -> EuclideanLift | ChebyshevLift:
    """The lift of the :math:`L^p` distance: exact for even p; for another p > 2 of the given
    degree, without guarantee.

    `wideberth.classifiers.online.multiscale_lifts.lp_ladder` has guarantees for every p > 2.

    Parameters
    ----------
    n_features : int
        How many coordinates queries have.
    p : float
        The power, from 2 to `LARGEST_POWER`.
    degree : int, optional
        The largest degree of the polynomials; required if p is not even, and refused if it is.
    bound : float
        The radius of the ball of all centres and queries.
    by_pairs : bool
        Whether each pair of labels has a knowledge set of its own.

    Examples
    --------
    >>> lp_lift(3, 2).dimension, lp_lift(3, 6).dimension, lp_lift(3, 2.5, degree=10).dimension
    (4, 16, 31)
    """
    check_power(p)
    if p % 2 == 0:
        if degree is not None:
            raise InvalidInput(
                f"{setting('degree', shown=degree)} was given for p = {p:g}, whose features are "
                f"exact with degree {p - 1:g}.",
                advice="Leave the degree out.",
                value=degree,
            )
        euclidean = EuclideanLift(n_features, bound, by_pairs)
        return euclidean if p == 2 else ChebyshevLift(n_features, p, int(p) - 1, bound, by_pairs)
    if degree is None or degree < 1:
        raise InvalidInput(
            f"No finite number of features is exact for p = {p:g}, and "
            f"{setting('degree', shown=degree)} is not a positive degree.",
            advice="Give a degree of at least 1 (a good start is 8), which comes without "
            "guarantee, take an even p, or give the separation of the centres and a resolution.",
            value=degree,
        )
    return ChebyshevLift(n_features, p, degree, bound, by_pairs)


def check_power(p: float) -> None:
    """Raise an `InvalidInput` for powers p below 2, where nothing is proved, or too large for
    floating-point numbers.
    """
    if not 2 <= p < inf:
        raise InvalidInput(
            f"p = {p:g} is outside of [2, inf). A total loss that does not grow with the number of "
            "queries is proved for p >= 2 only: below, the number of features that a loss needs "
            "grows as fast as the loss becomes small.",
            advice="Take p = 2, or an even p.",
            value=p,
        )
    if p > LARGEST_POWER:
        raise InvalidInput(
            f"p = {p:g} is beyond {LARGEST_POWER}: differences of p-th powers of distances are "
            "smaller than rounding errors.",
            advice=f"Take p = {LARGEST_POWER}, which is close to the largest difference of a "
            "coordinate.",
            value=p,
        )


def _check_bound(bound: float) -> None:
    if not SHORTEST <= bound < inf:
        raise InvalidInput(
            f"The radius of the ball of all centres and queries is {bound}, not a positive number "
            f"from {SHORTEST:g} on.",
            advice="Give the largest length that a query can have, or queries in another unit.",
            value=bound,
        )


def _check_sizes(sizes: Floats, bound: float) -> None:
    """Raise an `InvalidInput` for queries outside of the ball, beyond rounding."""
    largest = float(np.max(sizes, initial=0.0))
    if not largest <= bound * (1 + DISTANCE_ERROR):
        raise InvalidInput(
            f"A query of size {largest:g} is outside of the ball of radius {bound:g} in which "
            "queries and centres lie.",
            advice=f"Give a radius of {1.01 * largest:.3g} or more from the start.",
            value=largest,
        )
