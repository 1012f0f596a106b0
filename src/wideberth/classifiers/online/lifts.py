r"""Lifts: features of queries on which the nearest of two centres is the sign of an inner product.

A lift has a map :math:`\phi` of queries into the unit ball and, for every centre x, a hidden vector
h(x), so that for two centres

.. math:: \langle \phi(q), w \rangle = g(q), \qquad w = h(x_i) - h(x_j), \quad |w| \le
    \texttt{radius},

where g(q) is positive if :math:`x_i` is the nearer one, and guessing the farther one loses

.. math:: \delta(q, x_j) - \delta(q, x_i) \le \texttt{loss\_scale} \cdot |g(q)|^{\texttt{power}}.

Here w may be replaced by the vector of length ``radius`` in the direction of :math:`h(x_i) -
h(x_j)`: it has the same signs, and the knowledge set of one pair, which is a cone, contains it too.
Losses are bounded more sharply in terms of it, because centres that are near to each other make
both the loss and the difference of hidden vectors small. In terms of w of its own length they are
at most ``bound`` times :math:`|g(q)|` to the ``plain_power``.

So knowledge of w gives labels, and the power of losses that a knowledge set counts is ``power``
times that of the user, :math:`\alpha`. Centres and queries lie in the ball of radius ``bound``
around 0.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from math import inf, lgamma, pi, sqrt

import numpy as np

from wideberth.array_types import Floats
from wideberth.classifiers.online.engines import knowledge_set
from wideberth.classifiers.online.knowledge_set import KnowledgeSet, Scales, to_power
from wideberth.errors import InvalidInput
from wideberth.rounding import DISTANCE_ERROR
from wideberth.wording import setting

#: Beyond this power, :math:`2^p` leaves floating-point numbers too few digits to distinguish
#: centres.
LARGEST_POWER = 24
#: The smallest radius: in a smaller one, queries divided by it would not be finite.
SHORTEST = 1e-300


@dataclass(frozen=True)
class Lift(ABC):
    r"""The features of queries of ``n_features`` coordinates in the ball of radius ``bound``, for
    losses to the power :math:`\alpha`.

    Losses and potentials of pairs of labels are counted in a unit of their own; ``loss_unit``
    converts them to the user's loss for queries in the ball, `loss_unit_at` for one query, which
    may be outside of the ball where the similarity allows that.
    """

    n_features: int
    bound: float = 1.0
    alpha: float = 1.0

    def __post_init__(self) -> None:
        if not SHORTEST <= self.bound < inf:
            raise InvalidInput(
                f"The radius of the ball of all centres and queries is {self.bound}, not a "
                f"positive number from {SHORTEST:g} on.",
                advice="Give the largest length that a query can have, or queries in another unit.",
                value=self.bound,
            )
        if not 0 < self.loss_unit < inf:
            raise InvalidInput(
                f"With a radius of {self.bound:g} and "
                f"{setting('alpha', shown=f'{self.alpha:g}')}, losses are beyond what "
                f"floating-point numbers can be: their unit is {self.loss_unit:g}.",
                advice="Give queries, and the radius, in another unit.",
                value=self.bound,
            )

    @property
    @abstractmethod
    def dimension(self) -> int:
        """How many features a query has."""

    @property
    @abstractmethod
    def radius(self) -> float:
        """The largest length of w, the difference of the hidden vectors of two centres."""

    @property
    @abstractmethod
    def power(self) -> float:
        """The power of the inner product that bounds losses."""

    @property
    @abstractmethod
    def plain_power(self) -> float:
        """The power of the inner product that bounds losses, in units of ``bound``, for w of its
        own length.
        """

    @abstractmethod
    def features(self, queries: Floats) -> Floats:
        """The features of one query, or of the rows of several; an error for queries outside of the
        ball, where they are not allowed.
        """

    @abstractmethod
    def loss_scale(self, query: Floats) -> float:
        """The difference of similarities that a unit of the inner product can be, to the power, at
        this query.
        """

    @abstractmethod
    def preimages(self, rows: Floats) -> tuple[Floats, Floats]:
        """Queries whose features are the given rows up to a factor, and the sign of that factor,
        1.0 or -1.0, for each.
        """

    @property
    def largest_dimension(self) -> int:
        """The dimension of the largest knowledge set that the features need."""
        return self.dimension

    @property
    def resolution(self) -> float:
        """The loss, in units of ``loss_unit``, below which losses are not counted."""
        return 0.0

    @property
    def largest_loss(self) -> float:
        """The most that a guess can lose, in units of ``loss_unit``."""
        return self.scales().loss(self.radius)

    @property
    def loss_unit(self) -> float:
        """The user's loss that corresponds to a loss of 1 on the features, for queries in the
        ball.
        """
        return self.loss_unit_at(np.zeros(1))

    def loss_unit_at(self, query: Floats) -> float:
        """The user's loss that corresponds to a loss of 1 on the features, at this query."""
        return to_power(self.loss_scale(query), self.alpha)

    def scales(self) -> Scales:
        """The scales of a knowledge set on these features."""
        unit = to_power(self.bound / self.loss_scale(np.zeros(1)), self.alpha)
        other = (unit, self.alpha * self.plain_power) if self.plain_power != self.power else None
        return Scales.for_ball(
            self.dimension, self.radius, self.alpha * self.power, other_bound=other
        )

    def knowledge(self, *, engine: str, noise: float, seed: int) -> KnowledgeSet:
        """A knowledge set of the w of two labels of which nothing is known."""
        return knowledge_set(engine, self.scales(), noise=noise, seed=seed)

    def carried_over(self, rows: Floats, wider: "Lift") -> tuple[Floats, Floats]:
        """Rows of this lift on the lift of queries with more coordinates, which count as 0 in
        earlier queries: their features there, and signs as for `preimages`.

        >>> InnerLift(1).carried_over(np.array([[0.5]]), InnerLift(2))
        (array([[0.5, 0. ]]), array([1.]))
        """
        queries, signs = self.preimages(rows)
        padded = np.pad(queries, ((0, 0), (0, wider.n_features - queries.shape[1])))
        return wider.features(padded), signs

    def _check_sizes(self, sizes: Floats) -> None:
        """Raise an `InvalidInput` for queries outside of the ball, beyond rounding."""
        largest = float(np.max(sizes, initial=0.0))
        if not largest <= self.bound * (1 + DISTANCE_ERROR):
            raise InvalidInput(
                f"A query of size {largest:g} is outside of the ball of radius {self.bound:g} in "
                "which queries and centres lie.",
                advice=f"Give a radius of {1.01 * largest:.3g} or more from the start.",
                value=largest,
            )


@dataclass(frozen=True)
class InnerLift(Lift):
    r"""The inner product itself, :math:`\delta(q, x) = -\langle q, x \rangle`.

    .. math:: \phi(q) = q / \max(b, |q|), \qquad h(x) = x / b, \qquad |w| \le 2

    with ``bound`` b. Longer queries are shortened, which changes no label; their losses are larger
    in proportion.

    >>> lift = InnerLift(2, bound=5.0)
    >>> lift.features(np.array([6.0, 8.0])), lift.loss_scale(np.array([6.0, 8.0]))
    (array([0.6, 0.8]), 50.0)
    """

    @property
    def dimension(self) -> int:
        """As many as the query has coordinates."""
        return self.n_features

    @property
    def radius(self) -> float:
        """Twice the longest hidden vector."""
        return 2.0

    @property
    def power(self) -> float:
        """The inner product is the loss."""
        return 1.0

    @property
    def plain_power(self) -> float:
        """The inner product is the loss."""
        return 1.0

    def features(self, queries: Floats) -> Floats:
        """The query, scaled into the unit ball."""
        lengths = np.hypot.reduce(queries, axis=-1)  # squares of long queries overflow
        return np.asarray(queries / np.maximum(lengths, self.bound)[..., None], dtype=np.float64)

    def loss_scale(self, query: Floats) -> float:
        """The difference of inner products with the centres; larger for longer queries."""
        return self.bound * max(self.bound, float(np.hypot.reduce(query)))

    def preimages(self, rows: Floats) -> tuple[Floats, Floats]:
        """The rows themselves."""
        return rows, np.ones(len(rows))


@dataclass(frozen=True)
class EuclideanLift(Lift):
    r"""The Euclidean distance, in one dimension more (Guruganesh et al. 2021, appendix C), with
    lengths in units of ``bound``.

    .. math:: \phi(q) = \tfrac{3}{\sqrt{10}} \bigl(q, \tfrac13\bigr), \qquad
        h(x) = \tfrac{2 \sqrt{10}}{3} \bigl(x, -\tfrac32 |x|^2\bigr), \qquad
        \langle \phi(q), w \rangle = |q - x_j|^2 - |q - x_i|^2

    The 1/3 makes w short, derived here: with lengths :math:`1 \ge a \ge c` of the centres
    :math:`|w|^2 \le \frac{40}{9} (a + c)^2 (1 + \frac94 (a - c)^2)`, which grows with a, and at a =
    1 is largest for c = 1: :math:`|w| \le 4 \sqrt{10} / 3`. The difference of two distances is at
    most the root of that of their squares: plain power 1/2.

    For w of full length the power is 1, derived here: let D be the distance of the two centres. The
    loss a - b is :math:`(a^2 - b^2) / (a + b)`, with :math:`a + b \ge D`, and :math:`|h(x_i) -
    h(x_j)|^2 = \frac{40}{9} (D^2 + \frac94 \langle x_i - x_j, x_i + x_j \rangle^2) \le
    \frac{400}{9} D^2`. So the loss is at most 20/3 times the inner product with the unit vector in
    the direction of the difference, or :math:`5 / \sqrt{10}` times that with w.

    >>> lift = EuclideanLift(2)
    >>> lift.dimension, lift.power, round(lift.radius, 3)
    (3, 1.0, 4.216)
    """

    @property
    def dimension(self) -> int:
        """As many as the query has coordinates, and a constant."""
        return self.n_features + 1

    @property
    def radius(self) -> float:
        """The longest difference of hidden vectors."""
        return 4 * sqrt(10) / 3

    @property
    def power(self) -> float:
        """Losses are linear in angles."""
        return 1.0

    @property
    def plain_power(self) -> float:
        """The root of a difference of squares."""
        return 0.5

    def features(self, queries: Floats) -> Floats:
        """The query and a constant."""
        self._check_sizes(np.hypot.reduce(queries, axis=-1))
        lifted = np.empty((*queries.shape[:-1], self.dimension))
        lifted[..., :-1] = queries * (3 / sqrt(10) / self.bound)
        lifted[..., -1] = 1 / sqrt(10)
        return lifted

    def loss_scale(self, query: Floats) -> float:
        """The difference of distances; the same for all queries."""
        return self.bound * (5 / sqrt(10))

    def preimages(self, rows: Floats) -> tuple[Floats, Floats]:
        """The other features over the constant.

        >>> lift = EuclideanLift(2, bound=5.0)
        >>> queries, signs = lift.preimages(-0.3 * lift.features(np.array([[3.0, 4.0]])))
        >>> queries.round(9), signs
        (array([[3., 4.]]), array([-1.]))
        """
        return self.bound / 3 * rows[:, :-1] / rows[:, -1:], np.sign(rows[:, -1])


@dataclass(frozen=True)
class ChebyshevLift(Lift):
    r"""The :math:`L^p` distance for even p, by Chebyshev polynomials of each coordinate: d
    coordinates, degree n, unit of length ``bound``.

    .. math:: \phi(q) = \frac{(\sqrt d,\ \sqrt2\, T_k(q_c))_{c \le d,\, 1 \le k \le n}}{\sqrt{d (2n
        + 1)}}, \qquad
        \langle \phi(q), w \rangle = \|q - x_j\|_p^p - \|q - x_i\|_p^p

    and h(x) has the coefficients of :math:`-\sum_c |q_c - x_c|^p`. The degree p - 1 is exact, since
    the coefficient of :math:`T_p` is the same for all centres (Theorem 12). Derived here: the
    polynomials are orthogonal, so w is at most as long as the function :math:`|q_c - x_{jc}|^p -
    |q_c - x_{ic}|^p` is in the mean, summed over c, and

    .. math:: |w| \le 2 G \sqrt{d (2n + 1)}

    with `steepness` G. Since :math:`(a - b)^p \le a^p - b^p`, the plain power is 1/p. For w of full
    length it is 1/(p - 1), derived here: let D be the :math:`L^p` distance of the two centres. The
    larger distance a is at least D/2, so that :math:`a^p - b^p \ge (a - b) (D/2)^{p-1}`, and
    :math:`a - b \le D`; the difference of hidden vectors is at most :math:`G \sqrt{d (2n+1)}\,
    d^{1/2 - 1/p} D` long. So the loss to the power p - 1 is at most :math:`2^{p-2} d^{1/2-1/p}`
    times the inner product with w.

    >>> lift = ChebyshevLift(2, p=4.0, degree=3)
    >>> lift.dimension, round(lift.power, 3)
    (7, 0.333)
    """

    p: float = 4.0
    degree: int = 3

    @property
    def dimension(self) -> int:
        """All degrees of all coordinates, and one constant."""
        return self.n_features * self.degree + 1

    @cached_property
    def radius(self) -> float:
        """The bound of w, from the steepness of the function."""
        return 2 * steepness(self.p) * self._length

    @property
    def power(self) -> float:
        """1 / (p - 1)."""
        return 1 / (self.p - 1)

    @property
    def plain_power(self) -> float:
        """1 / p."""
        return 1 / self.p

    def features(self, queries: Floats) -> Floats:
        """The polynomials of all coordinates and a constant."""
        self._check_sizes(np.abs(queries))
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
        """The difference of distances; the same for all queries."""
        return float(
            self.bound * (2 ** (self.p - 2) * self.n_features ** (1 / 2 - 1 / self.p)) ** self.power
        )

    def preimages(self, rows: Floats) -> tuple[Floats, Floats]:
        """The polynomials of degree 1 over the constant."""
        linear = rows[:, 1 :: self.degree] / rows[:, :1]
        return sqrt(self.n_features / 2) * self.bound * linear, np.sign(rows[:, 0])

    @property
    def _length(self) -> float:
        """The largest length of the features before they are scaled."""
        return sqrt(self.n_features * (2 * self.degree + 1))


def lift_of(
    similarity: str, n_features: int, *, p: float = 2, alpha: float = 1.0, radius: float = 1.0
) -> Lift:
    """The lift of a similarity, with parameters as for `wideberth.OnlinePartitionClassifier`.

    >>> [lift_of("lp", 3, p=p).dimension for p in (2, 4, 6)], lift_of("inner", 3).dimension
    ([4, 10, 16], 3)
    """
    if similarity == "inner":
        return InnerLift(n_features, radius, alpha)
    check_power(p)
    if p % 2:
        raise InvalidInput(
            f"No finite number of features is exact for p = {p:g}.",
            advice="Take an even p, or wideberth.papers.PowerPartitionClassifier, which "
            "approximates other powers.",
            value=p,
        )
    if p == 2:
        return EuclideanLift(n_features, radius, alpha)
    return ChebyshevLift(n_features, radius, alpha, p, int(p) - 1)


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


def steepness(p: float) -> float:
    r"""How fast the function :math:`|q - x|^p` of q changes with x at most, in the root mean square
    over the arcsine law of q.

    .. math:: G = \max_{|x| \le 1} \sqrt{\frac1\pi \int_0^\pi (p\,|\cos\theta - x|^{p-1})^2 d\theta}
        = p\, 2^{p-1} \sqrt{\frac{\Gamma(2p - 3/2)}{\sqrt\pi\, \Gamma(2p - 1)}}, \qquad p \ge 1

    The integral is convex and even in x, so its maximum is at x = 1.

    >>> round(steepness(2) ** 2, 10)  # the mean of 4 (cos - 1)^2
    6.0
    """
    return float(
        p * 2.0 ** (p - 1) * sqrt(np.exp(lgamma(2 * p - 1.5) - lgamma(2 * p - 1)) / sqrt(pi))
    )
