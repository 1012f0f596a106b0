r"""Online learning of nearest centres in :math:`L^p` for any p > 2: a ladder of features, one rung
for each scale of losses (Guruganesh et al. 2021, Theorem 13).

If p is not even, no finite set of features makes nearest centres linear. Rung i, for losses of
:math:`2^{-i}` to :math:`2^{1-i}` (lengths are in the unit b, the radius of the ball of all centres
and queries), has features that are accurate enough for them and a knowledge set of its own. With
centres at least :math:`\Delta` apart, a loss of l needs

.. math:: g \ge l \max(l, \Delta/2)^{p-1} =: \gamma(l), \qquad g = \|q - x_j\|_p^p - \|q -
    x_i\|_p^p,

because :math:`a^p - b^p \ge (a - b) a^{p-1}` and the larger distance a is at least :math:`\Delta/2`
and at least l. Rung i measures g in the unit :math:`\frac{48}{49} 2^i \gamma(2^{-i})`. It is
*active* for a query if its knowledge set is wide,

.. math:: \text{width along } \phi_i(q) > \texttt{threshold} = 2^{-i}.

The coarsest active rung decides. Derived here: features err by a ``slack`` of at most
:math:`2^{-i}/16D \le 2^{-i}/48` for :math:`D \ge 3` features, and 0 is in every knowledge set, so
on a rung that is not active g is at most 49/48 of :math:`2^{-i}`, and the loss at most
:math:`2^{-i}`. So it is at most :math:`2^{1-i}` if rung i decides, and at most the resolution if no
rung is active. The slab that a row gives back to a body fattened by :math:`z_i = 2^{-i}/16D` is at
most a share :math:`D (z_i + \texttt{slack}) / 2^{-i} \le 1/8` of its volume (Brunn-Minkowski), so a
mistake leaves at most 5/8, as on exact features. Hence the mistakes on rung i are at most
:math:`D_i \ln(1 + R_i / z_i) / \ln(8/5)`, and the sum of all losses above the resolution does not
depend on the number of queries (`wideberth.papers.online_bounds.ladder_loss`). As the resolution
goes to 0 that sum stays finite because p > 2.

*Measured rungs.* That slab is the worst case: its share is hardly ever near D times its thickness.
Where an engine measures what a query would leave of a body, features may be as inaccurate as
:math:`2^{-i}/8`, by the error of their own polynomials
(`measured_error`), and each query shows whether its
row would pay for a loss: the fall of the potential, with the slab in it, is compared with the
largest loss. A rung that would not pay is raised to a higher degree before the query is answered,
and bounds are stated anew; at the degree of the worst case every row pays. So the degree is found
by the queries.

*Errors of polynomials.* How well polynomials of degree n approximate :math:`q \mapsto |q - x|^p` on
[-1, 1], for all x in [-1, 1]: proved constants. With :math:`q = \cos\theta` and :math:`x =
\cos\varphi`,

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

from bisect import bisect_left
from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from functools import cache, cached_property
from math import ceil, floor, inf, log, log2, pi
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.fft import dct
from scipy.linalg import block_diag
from scipy.signal import fftconvolve
from scipy.special import gammaln

from wideberth.array_types import Floats
from wideberth.classifiers.online.classifier import FITS, OnlinePartitionClassifier
from wideberth.classifiers.online.engines import knowledge_set
from wideberth.classifiers.online.knowledge_set import KnowledgeSet, Lesson, Outlook, Scales, State
from wideberth.classifiers.online.lifts import ChebyshevLift, Lift, check_power
from wideberth.classifiers.online.parameters import is_positive
from wideberth.classifiers.online.partition import PairwiseAssessment, PairwisePartition, sampled_in
from wideberth.classifiers.online.sampled_bodies import SampledBodies
from wideberth.classifiers.online.stream import Stream
from wideberth.errors import InvalidInput
from wideberth.estimators.metric_estimator import Fits
from wideberth.wording import setting

# ---- Errors of truncated Chebyshev series

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

    >>> # a polynomial of degree 4; its last term is an eighth of T_4
    >>> (truncation_error(4, 4), round(truncation_error(4, 3), 3))
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

    For p > 2.

    >>> [round(measured_error(3, n) / truncation_error(3, n), 2) for n in (5, 20)]
    [0.71, 0.69]
    """
    nodes = 8 * n + 32
    far = 2 * truncation_error(p, nodes - 1)
    slope = _slope(p, n, nodes)
    step = min(0.05, 0.05 * truncation_error(p, n) / slope) if slope > 0 else 0.05
    # x and -x have the same absolute coefficients
    centers = np.cos(np.linspace(0, pi / 2, 1 + ceil(pi / 2 / step)))
    places = np.cos(pi * (np.arange(nodes) + 0.5) / nodes)
    largest = 0.0
    for part in np.array_split(centers, 1 + len(centers) // 1000):
        coefficients = dct(np.abs(places - part[:, None]) ** p, type=2, axis=1) / nodes
        largest = max(largest, float(np.abs(coefficients[:, n + 1 :]).sum(axis=1).max()))
    return min(truncation_error(p, n), (largest + far + step / 2 * slope) * _UP)


def _sine_coefficients(p: float, k: NDArray[np.integer]) -> Floats:
    """The absolute values of the Fourier coefficients s_k of the section above, for k >=
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


# ---- Rungs

#: Slack and thickness of a rung are at most its threshold over this and the dimension.
SHARE = 16
#: What a rung measures beyond its threshold when it is not active: its slack, for three features or
#: more.
_MARGIN = 1 + 1 / (3 * SHARE)
#: The slack of a measured rung is at most its threshold over this.
MEASURED_SHARE = 8
#: By how much the degree of a rung that does not pay is raised.
_RAISE = 1.5
#: Larger degrees are not looked for.
_LARGEST_DEGREE = 2**40
_LARGEST_MEASURED_DEGREE = 2000


@dataclass(frozen=True)
class Rung:
    """Features for one scale of losses, and the width at which they are used.

    With ``measured`` the degree is found by the queries, from the measured error on, instead of
    being that of the worst case.

    >>> rung = lp_ladder(1, 3.0, separation=1.0, resolution=0.3)[1]
    >>> rung.scale, rung.threshold, rung.slack * rung.dimension <= rung.threshold / SHARE
    (1, 0.5, True)
    """

    scale: int  # for losses from 2^-i to 2^(1-i)
    chebyshev: ChebyshevLift
    unit: float  # of the inner product, in differences of p-th powers
    measured: bool = False

    @property
    def threshold(self) -> float:
        """The width above which the rung is active; also the largest loss where it is not, in the
        unit of lengths.
        """
        return float(2.0**-self.scale)

    @property
    def dimension(self) -> int:
        """How many features a query has."""
        return self.chebyshev.dimension

    @cached_property
    def radius(self) -> float:
        """The largest length of w, in the unit of this rung."""
        return self.chebyshev.radius / self.unit

    @cached_property
    def slack(self) -> float:
        """The largest error of the inner product, in the unit of this rung."""
        lift = self.chebyshev
        error = measured_error if self.measured else truncation_error
        return 2 * lift.n_features * error(lift.p, lift.degree) / self.unit

    @property
    def margin(self) -> float:
        """What the rung measures at most when it is not active, in units of its threshold: that,
        and its slack.
        """
        return 1 + 1 / MEASURED_SHARE if self.measured else _MARGIN

    def raised(self) -> "Rung":
        """The same rung with a higher degree; at the degree of the worst case, the rung itself.

        >>> rung = lp_ladder(2, 3.0, separation=1.0, resolution=0.3, measured=True)[0]
        >>> rung.dimension, rung.raised().dimension, rung.raised().slack < rung.slack
        (9, 13, True)
        """
        lift = self.chebyshev
        worst = _needed_degree(lift.p, lift.n_features, self.threshold * self.unit / SHARE)
        degree = min(ceil(_RAISE * lift.degree), worst)
        return (
            self if degree <= lift.degree else replace(self, chebyshev=replace(lift, degree=degree))
        )

    def scales(self, power: float = 1.0) -> Scales:
        """The scales of a knowledge set on this rung, for losses to the given power.

        They start at the scale of the rung; bodies are thin enough for constraints with the slack
        of the rung.
        """
        return Scales(
            self.dimension, self.radius, power, coarsest=self.scale, share=SHARE, cone=False
        )

    def largest_loss(self, reach: float) -> float:
        """The largest loss of a wrong guess, in the unit of lengths, if no coarser rung is active.

        A mistake lowers the potential of a knowledge set with these `scales` by at least as much.
        The knowledge set of this rung allows inner products along the query up to the ``reach``.
        """
        return min(2 * self.threshold, max(self.threshold, (reach + self.slack) / self.margin))


def lp_ladder(
    n_features: int,
    p: float,
    *,
    separation: float,
    resolution: float,
    bound: float = 1.0,
    measured: bool = False,
    max_dimension: int = 400,
) -> tuple[Rung, ...]:
    """The rungs for losses above the resolution, the coarsest first.

    A knowledge set takes time and memory proportional to the square of the dimension, for each pair
    of labels; more than ``max_dimension`` features are refused. Separation of centres and
    resolution of losses are in the unit of the queries, in a ball of radius ``bound``. With
    ``measured``, rungs begin with the degree that their threshold needs, and are raised by queries
    that it is not enough for.

    >>> [rung.dimension for rung in lp_ladder(2, 5.0, separation=1.0, resolution=0.1)]
    [19, 39, 47, 55, 65]
    >>> [
    ...     rung.dimension
    ...     for rung in lp_ladder(4, 3.0, separation=1.0, resolution=0.1, measured=True)
    ... ]
    [25, 41, 53, 65, 81]
    >>> lp_ladder(5, 3.0, separation=0.5, resolution=0.01)
    Traceback (most recent call last):
    ...
    wideberth.errors.InvalidInput: Losses down to 0.01 with p = 3 in 5 dimensions and centres 0.5 apart need 10,416 features, ...
    """
    _check(p, separation, resolution, bound)
    finest = max(0, ceil(-log2(resolution / bound)))
    rungs: list[Rung] = []
    for scale in range(finest + 1):
        rung = _make_rung(scale, n_features, p, separation, bound, measured)
        if rung.dimension > max_dimension:
            needed = _make_rung(finest, n_features, p, separation, bound, measured).dimension
            raise _too_many_features(
                rungs,
                needed,
                max_dimension,
                f"{resolution:g} with p = {p:g} in {n_features} dimensions and centres "
                f"{separation:g} apart",
            )
        rungs.append(rung)
    return tuple(rungs)


def active_rung(ladder: Sequence[Rung], width: Callable[[int], float]) -> int | None:
    """The index of the coarsest active rung, or None if no rung is active; ``width(index)`` is the
    width of the knowledge set of a rung along the query.

    >>> ladder = lp_ladder(1, 3.0, separation=1.0, resolution=0.3)
    >>> (
    ...     [rung.threshold for rung in ladder],
    ...     active_rung(ladder, lambda index: 0.75),
    ...     active_rung(ladder, lambda index: 0.01),
    ... )
    ([1.0, 0.5, 0.25], 1, None)
    """
    active = (index for index, rung in enumerate(ladder) if width(index) > rung.threshold)
    return next(active, None)


def _make_rung(
    scale: int, n_features: int, p: float, separation: float, bound: float, measured: bool
) -> Rung:
    """The rung of one scale, with the smallest degree that is accurate enough."""
    loss = 2.0**-scale
    if measured:
        unit = max(loss, separation / (2 * bound)) ** (p - 1) / (1 + 1 / MEASURED_SHARE)
        degree = _measured_degree(p, n_features, loss * unit / MEASURED_SHARE)
        return Rung(
            scale, ChebyshevLift(n_features, bound, p=p, degree=degree), unit, measured=True
        )
    unit = max(loss, separation / (2 * bound)) ** (p - 1) / _MARGIN
    degree = _needed_degree(p, n_features, loss * unit / SHARE)
    return Rung(scale, ChebyshevLift(n_features, bound, p=p, degree=degree), unit)


def _needed_degree(p: float, n_features: int, tolerance: float) -> int:
    """The smallest degree n >= 2 at which the slack times the dimension is at most the
    tolerance.
    """

    def enough(degree: int) -> bool:
        slack = 2 * n_features * truncation_error(p, degree)
        return slack * (n_features * degree + 1) <= tolerance or degree >= _LARGEST_DEGREE

    above = 2
    while not enough(above):
        above *= 2
    return bisect_left(range(above), True, lo=max(2, above // 2), key=enough)


def _measured_degree(p: float, n_features: int, tolerance: float) -> int:
    """The smallest degree n >= 2 at which the measured slack is at most the tolerance."""
    above = 2
    while (
        2 * n_features * truncation_error(p, above) > tolerance and above < _LARGEST_MEASURED_DEGREE
    ):
        above += 1 + above // 8
    return bisect_left(
        range(above), True, lo=2, key=lambda n: 2 * n_features * measured_error(p, n) <= tolerance
    )


def _check(p: float, separation: float, resolution: float, bound: float) -> None:
    check_power(p)
    if p % 2 == 0:
        raise InvalidInput(
            f"p = {p:g} is even: its features are exact, and one rung would do for all losses.",
            advice="Use wideberth.OnlinePartitionClassifier.",
            value=p,
        )
    for name, value in (("separation", separation), ("resolution", resolution)):
        if not 0 < value <= 2 * bound:
            raise InvalidInput(
                f"{setting(name, shown=value)} is not between 0 and {2 * bound:g}, the largest "
                f"distance in a ball of radius {bound:g}.",
                advice=f"Give a {name} in the unit of the queries.",
                value=value,
            )


def _too_many_features(
    rungs: Sequence[Rung], needed: int, max_dimension: int, what: str
) -> InvalidInput:
    """The error for a ladder that is too large, with the finest resolution that would do as advice.

    ``rungs`` are those that are small enough, ``needed`` is the dimension of the finest rung,
    ``what`` describes the problem.
    """
    enough = f"{rungs[-1].threshold * rungs[-1].chebyshev.bound:g}" if rungs else ""
    return InvalidInput(
        f"Losses down to {what} need {needed:,} features, more than {max_dimension:,}.",
        advice=f"Give a resolution of {enough} or more, or take an even p."
        if rungs
        else "Take an even p.",
        value=needed,
    )


# ---- The learner on a ladder


@dataclass(frozen=True)
class Ladder(Lift):
    """The features of all rungs, one after the other.

    >>> ladder = Ladder(1, rungs=lp_ladder(1, 3.0, separation=1.0, resolution=0.3))
    >>> [len(part) for part in ladder.split(ladder.features(np.array([0.5])))]
    [11, 27, 38]
    """

    rungs: tuple[Rung, ...] = ()

    @property
    def dimension(self) -> int:
        """Those of all rungs."""
        return sum(rung.dimension for rung in self.rungs)

    @property
    def largest_dimension(self) -> int:
        """That of the largest rung."""
        return max(rung.dimension for rung in self.rungs)

    @property
    def radius(self) -> float:
        """That of the coarsest rung."""
        return self.rungs[0].radius

    @property
    def power(self) -> float:
        """Rungs measure losses."""
        return 1.0

    @property
    def plain_power(self) -> float:
        """Rungs measure losses."""
        return 1.0

    @property
    def resolution(self) -> float:
        """What is lost at most where no rung is active."""
        return float(self.rungs[-1].threshold ** self.alpha)

    @property
    def largest_loss(self) -> float:
        """Twice the threshold of the coarsest rung."""
        return float(self.rungs[0].largest_loss(inf) ** self.alpha)

    @property
    def degrees(self) -> tuple[int, ...]:
        """The degrees of measured rungs; empty for others."""
        return tuple(rung.chebyshev.degree for rung in self.rungs if rung.measured)

    def features(self, queries: Floats) -> Floats:
        """The features of all rungs."""
        return np.concatenate([rung.chebyshev.features(queries) for rung in self.rungs], axis=-1)

    def loss_scale(self, query: Floats) -> float:
        """The unit of lengths."""
        return self.bound

    def scales(self) -> Scales:
        """Those of the coarsest rung."""
        return self.rungs[0].scales(self.alpha)

    def knowledge(self, *, engine: str, noise: float, seed: int) -> "LadderKnowledge":
        """A knowledge set for each rung."""
        parts = [
            knowledge_set(engine, rung.scales(self.alpha), noise=noise, seed=seed)
            for rung in self.rungs
        ]
        return LadderKnowledge(self, parts)

    def preimages(self, rows: Floats) -> tuple[Floats, Floats]:
        """By the first rung on which a row is not 0."""
        queries, signs = np.zeros((len(rows), self.n_features)), np.ones(len(rows))
        for rung, part in reversed(list(zip(self.rungs, self.split(rows), strict=True))):
            there = part.any(axis=1)
            queries[there], signs[there] = rung.chebyshev.preimages(part[there])
        return queries, signs

    def split(self, features: Floats) -> list[Floats]:
        """The features of each rung."""
        ends = np.cumsum([rung.dimension for rung in self.rungs])
        return np.split(features, ends[:-1], axis=-1)

    def raised(self, index: int) -> "Ladder":
        """The same with a higher degree of the measured rung of this index; itself if there is none
        above.
        """
        higher = self.rungs[index].raised()
        return replace(self, rungs=(*self.rungs[:index], higher, *self.rungs[index + 1 :]))

    def with_degrees(self, degrees: Sequence[int]) -> "Ladder":
        """The same with other degrees of its rungs, as many as there are."""
        rungs = [
            replace(rung, chebyshev=replace(rung.chebyshev, degree=degree))
            for rung, degree in zip(self.rungs, degrees, strict=True)
        ]
        return replace(self, rungs=tuple(rungs))


class LadderKnowledge:
    """The knowledge of two labels on a ladder of rungs (a `KnowledgeSet`): the coarsest active rung
    decides.

    If no rung is active, losses are below the resolution and count as 0; the finest rung votes.
    """

    def __init__(self, ladder: Ladder, parts: Sequence[KnowledgeSet]) -> None:
        self.ladder, self.parts = ladder, list(parts)
        first = self.parts[0]
        self.proved = first.proved
        self.engine = first.engine
        self.scales = first.scales
        self.kept = first.kept

    @property
    def n_rows(self) -> int:
        """How many rows are stored, on all rungs."""
        return sum(part.n_rows for part in self.parts)

    @property
    def directions(self) -> Floats:
        """The rows of all rungs, each with zeros for the other rungs."""
        return np.asarray(block_diag(*(part.directions for part in self.parts)))

    @property
    def initial_potential(self) -> float:
        """The sum of those of all rungs."""
        return sum(part.initial_potential for part in self.parts)

    def reach(self, query: Floats) -> tuple[float, float]:
        """That of the rung that decides."""
        index, _ = self._deciding(query)
        return self.parts[index].reach(self.ladder.split(query)[index])

    def outlook(self, query: Floats, *, slack: float = 0.0) -> Outlook:
        """What is known of the sign of a query, by the rung that decides, with its own slack."""
        index, active = self._deciding(query)
        rung, part = self.ladder.rungs[index], self.ladder.split(query)[index]
        outlook = self.parts[index].outlook(part, slack=rung.slack)
        if not active:
            return Outlook(0.0, 0.0, 0.0, 0.0, vote=outlook.vote, certain=0)
        plus, minus = (
            rung.largest_loss(reach) ** self.ladder.alpha for reach in self.parts[index].reach(part)
        )
        return replace(outlook, loss_plus=plus, loss_minus=minus)

    def learn(
        self, query: Floats, sign: int, *, informative_only: bool = True, slack: float = 0.0
    ) -> Lesson:
        """Learn the sign of a query on the rung that decides and on all finer ones."""
        index, _ = self._deciding(query)
        lessons = [
            part.learn(row, sign, informative_only=informative_only, slack=rung.slack)
            for part, row, rung in list(
                zip(self.parts, self.ladder.split(query), self.ladder.rungs, strict=True)
            )[index:]
        ]
        return replace(lessons[0], stored=any(lesson.stored for lesson in lessons))

    def scratch_copy(self) -> "LadderKnowledge":
        """Scratch copies of all rungs."""
        return LadderKnowledge(self.ladder, [part.scratch_copy() for part in self.parts])

    def with_implied_row(self, row: Floats) -> "LadderKnowledge":
        """A copy with the row on those rungs on which it is not 0."""
        rows = self.ladder.split(row)
        return LadderKnowledge(
            self.ladder,
            [
                part.with_implied_row(each) if each.any() else part
                for part, each in zip(self.parts, rows, strict=True)
            ],
        )

    def potential(self) -> float:
        """The sum of those of all rungs."""
        return sum(part.potential() for part in self.parts)

    def state(self) -> State:
        """The states of all rungs."""
        return {"parts": [part.state() for part in self.parts]}

    def unpaid_rung(self, query: Floats, outlook: Outlook) -> int | None:
        """The measured rung that decides about a query although a mistake would not be paid for, or
        None.

        ``outlook`` is that of the query: the potential has to fall by the largest loss when the
        sign that is not answered is learned.
        """
        fall = outlook.drop_minus if outlook.answer > 0 else outlook.drop_plus
        if outlook.certain or fall >= outlook.loss * (1 - 1e-12):
            return None
        index, active = self._deciding(query)
        return index if active and self.ladder.rungs[index].measured else None

    def _deciding(self, query: Floats) -> tuple[int, bool]:
        """The index of the rung that decides, and whether it is active."""
        rows = self.ladder.split(query)
        active = active_rung(
            self.ladder.rungs, lambda index: sum(self.parts[index].reach(rows[index]))
        )
        return (len(rows) - 1, False) if active is None else (active, True)


class LadderPartition(PairwisePartition):
    """The pairs of all labels on a ladder; rows of several rungs do not tell which rounds they are
    from.
    """

    @property
    def ladder(self) -> Ladder:
        """The lift."""
        assert isinstance(self.lift, Ladder)
        return self.lift

    def sampled(self) -> list[SampledBodies]:
        """The bodies of all rungs that are sampled by points."""
        return sampled_in(part for pair in self.pairs.values() for part in _parts(pair.knowledge))

    @property
    def initial_potential(self) -> float:
        """Infinite for measured rungs: ellipsoids, which take over from counts that were wrong,
        would need the degrees of the worst case.
        """
        return inf if self.ladder.degrees else super().initial_potential

    def rounds_implying(
        self, assessment: PairwiseAssessment, winner: int, loser: int, round_number: int
    ) -> list[int]:
        """None are known."""
        return []

    def accurate_lift(self, assessment: PairwiseAssessment) -> Ladder:
        """The ladder, with a higher degree where a pair that was compared would not pay for a
        mistake.
        """
        for pair, outlook in assessment.compared.values():
            assert isinstance(pair.knowledge, LadderKnowledge)
            if (index := pair.knowledge.unpaid_rung(assessment.query, outlook)) is not None:
                return self.ladder.raised(index)
        return self.ladder


def _parts(knowledge: KnowledgeSet) -> list[KnowledgeSet]:
    assert isinstance(knowledge, LadderKnowledge)
    return knowledge.parts


APART = "Any two centres are at least the separation apart."
COARSE = "Losses below the resolution are not counted."


class PowerPartitionClassifier(OnlinePartitionClassifier):
    """`wideberth.OnlinePartitionClassifier` for :math:`L^p` distances with p > 2 that is not even,
    and centres that are apart.

    Parameters
    ----------
    p : float
        The power of the distance.
    separation, resolution : float
        The least distance of two centres, and the loss below which losses are not counted (Theorem
        13, with features as accurate as each loss needs). An error is raised if that takes too many
        features.
    radius : float
        The largest coordinate of a query, and of a centre.
    measured : bool
        Whether features are as accurate as the queries turn out to need, instead of as accurate as
        any queries might; this makes two to four coordinates possible. It needs the engine
        "sampling". When a query needs a higher degree, bounds are stated anew.
    alpha, engine, update, noise, inconsistent, random_state
        As for `wideberth.OnlinePartitionClassifier`.

    Examples
    --------
    >>> learner = PowerPartitionClassifier(
    ...     3, separation=0.5, resolution=0.25, measured=True, random_state=0
    ... )
    >>> learner.fit([[0.5, 0.0], [-0.5, 0.0]], ["right", "left"]).engine_
    'sampling'
    >>> learner.remaining_loss_bound() < 1e5
    True
    """

    similarity = "lp"
    _fits = FITS | {
        "separation": Fits(is_positive, "Give the least distance of two centres."),
        "resolution": Fits(is_positive, "Give the least loss that counts."),
        "radius": Fits(is_positive, "Give the largest coordinate of queries and centres."),
        "measured": Fits(lambda value: isinstance(value, bool), "Give True or False."),
    }

    def __init__(
        self,
        p: float,
        *,
        separation: float,
        resolution: float,
        radius: float = 1.0,
        measured: bool = False,
        alpha: float | None = None,
        engine: str = "auto",
        update: str = "informative",
        noise: float = 0.0,
        inconsistent: str = "soften",
        random_state: Any = None,
    ) -> None:
        self.p = p
        self.separation = separation
        self.resolution = resolution
        self.radius = radius
        self.measured = measured
        self.alpha = alpha
        self.engine = engine
        self.update = update
        self.noise = noise
        self.inconsistent = inconsistent
        self.random_state = random_state

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if self.measured and self.engine not in ("auto", "sampling"):
            raise InvalidInput(
                f"{setting('engine', self.engine)} does not fit: it does not measure what a degree "
                "found by queries needs.",
                advice="Leave it out, or take measured=False.",
                value=self.engine,
            )

    def _lift(self, n_features: int, radius: float) -> Ladder:
        rungs = lp_ladder(
            n_features,
            self.p,
            separation=self.separation,
            resolution=self.resolution,
            bound=radius,
            measured=self.measured,
        )
        ladder = Ladder(n_features, radius, 1.0 if self.alpha is None else self.alpha, rungs)
        if ladder.degrees and self._stream is not None:
            assert isinstance(self._stream.partition, LadderPartition)
            return ladder.with_degrees(self._stream.partition.ladder.degrees)
        return ladder

    def _engine_for(self, lift: Lift) -> str:
        sampled = self.measured and self.noise == 0
        return "sampling" if sampled else super()._engine_for(lift)

    def _partition(self, lift: Lift, seed: int) -> LadderPartition:
        return LadderPartition(
            lift, engine=self._engine_for(lift), update=self.update, noise=self.noise, seed=seed
        )

    def _stream_to_ask(self, query: Floats) -> Stream:
        """The stream, or a copy of it with features of degrees that are high enough for the
        query.
        """
        stream = super()._stream_to_ask(query)
        if not self.measured or not stream.labels:
            return stream
        copies: dict[float | Lift, Stream] = self.__dict__.setdefault("_copies", {})
        while (lift := self._accurate(stream, query)) != stream.partition.lift:
            if lift not in copies:
                copies[lift] = deepcopy(stream)
                copies[lift].widen(lift, stream.partition.engine)
            stream = copies[lift]
        return stream

    def _accurate(self, stream: Stream, query: Floats) -> Ladder:
        """The ladder of a stream, with a higher degree if it is too coarse for a query."""
        partition, assessment = stream.partition, stream.assess(query)
        assert isinstance(partition, LadderPartition)
        assert isinstance(assessment, PairwiseAssessment)
        return partition.accurate_lift(assessment)

    def _assumptions(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        (centres, *others), _ = super()._assumptions()
        return (centres, APART, *others), (COARSE,)
