r"""A ladder of features for any power p > 2: one rung for each scale of losses (Guruganesh et al.
2021, Theorem 13).

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
depend on the number of queries (`wideberth.papers.online_bounds.ladder_loss`). As the resolution goes to
0 that sum stays finite because p > 2.

*Measured rungs.* That slab is the worst case: its share is hardly ever near D times its thickness.
Where an engine measures what a query would leave of a body, features may be as inaccurate as
:math:`2^{-i}/8`, by the error of their own polynomials
(`wideberth.classifiers.online.chebyshev_error.measured_error`), and each query shows whether its
row would pay for a loss: the fall of the potential, with the slab in it, is compared with the
largest loss. A rung that would not pay is raised to a higher degree before the query is answered,
and bounds are stated anew; at the degree of the worst case every row pays. So the degree is found
by the queries.
"""

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import ceil, log2

from wideberth.array_types import Floats
from wideberth.classifiers.online.chebyshev_error import measured_error, truncation_error
from wideberth.classifiers.online.knowledge_set import Scales
from wideberth.classifiers.online.lifts import ChebyshevLift, check_power
from wideberth.errors import InvalidInput
from wideberth.wording import setting

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
    """Features for one scale of losses (a `wideberth.classifiers.online.lifts.Lift`), and the width
    at which they are used.

    Parameters
    ----------
    scale : int
        The number i of the scale, for losses from :math:`2^{-i}` to :math:`2^{1-i}`.
    chebyshev : ChebyshevLift
        The features.
    unit : float
        The unit of the inner product, in differences of p-th powers of distances.
    measured : bool
        Whether the degree is found by the queries, from the measured error on, instead of being
        that of the worst case.

    Examples
    --------
    >>> rung = lp_ladder(1, 3.0, separation=1.0, resolution=0.3)[1]
    >>> rung.scale, rung.threshold, rung.slack * rung.dimension <= rung.threshold / SHARE
    (1, 0.5, True)
    """

    scale: int
    chebyshev: ChebyshevLift
    unit: float  # of the inner product, in differences of p-th powers
    measured: bool = False
    power = plain_power = 1.0
    guaranteed = True

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

    @property
    def bound(self) -> float:
        """The radius of the ball of all centres and queries."""
        return self.chebyshev.bound

    @cached_property
    def radius(self) -> float:
        """The largest length of w, in the unit of this rung."""
        return self.chebyshev.radius / self.unit

    @cached_property
    def slack(self) -> float:
        """The largest error of the inner product, in the unit of this rung."""
        lift = self.chebyshev
        largest = (
            2 * lift.n_features * measured_error(lift.p, lift.degree)
            if self.measured
            else lift.slack
        )
        return largest / self.unit

    @property
    def margin(self) -> float:
        """What the rung measures at most when it is not active, in units of its threshold: that,
        and its slack.
        """
        return 1 + 1 / MEASURED_SHARE if self.measured else _MARGIN

    def raised(self) -> "Rung":
        """The same rung with a higher degree; at the degree of the worst case, the rung itself.

        Examples
        --------
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

    def features(self, queries: Floats) -> Floats:
        """The features of one query or of several."""
        return self.chebyshev.features(queries)

    def loss_scale(self, query: Floats) -> float:
        """The unit of lengths, the same for all queries."""
        return self.chebyshev.bound

    def largest_loss(self, reach: float) -> float:
        """The largest loss of a wrong guess, in the unit of lengths, if no coarser rung is active.

        A mistake lowers the potential of a knowledge set with these `scales` by at least as much.

        Parameters
        ----------
        reach : float
            The largest inner product that the knowledge set of this rung allows along the query.
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
    of labels.

    Parameters
    ----------
    n_features : int
        How many coordinates queries have.
    p : float
        The power of the distance, above 2 and not even.
    separation : float
        The least distance of two centres in :math:`L^p`, in the unit of the queries.
    resolution : float
        The loss below which losses need not be counted, in the unit of the queries.
    bound : float
        The radius of the ball of all centres and queries.
    measured : bool
        Whether rungs begin with the degree that their threshold needs, and are raised by queries
        that it is not enough for.
    max_dimension : int
        The largest number of features of a rung.

    Returns
    -------
    tuple of Rung
        For the scales 0, 1, ... up to the resolution.

    Raises
    ------
    InvalidInput
        If a rung needs more than ``max_dimension`` features; the message states how many.

    Examples
    --------
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
    """The index of the coarsest active rung, or None if no rung is active.

    Parameters
    ----------
    ladder : sequence of Rung
        The rungs, the coarsest first.
    width : callable
        ``width(index)`` is the width of the knowledge set of a rung along the query; it is called
        only as often as needed.

    Examples
    --------
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
        return Rung(scale, ChebyshevLift(n_features, p, degree, bound), unit, measured=True)
    unit = max(loss, separation / (2 * bound)) ** (p - 1) / _MARGIN
    degree = _needed_degree(p, n_features, loss * unit / SHARE)
    return Rung(scale, ChebyshevLift(n_features, p, degree, bound), unit)


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
            advice="Leave separation and resolution out.",
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
    way_out = "a degree, which comes without guarantee, or take an even p"
    if rungs:
        way_out = (
            f"a resolution of {rungs[-1].threshold * rungs[-1].chebyshev.bound:g} or more, or "
            + way_out
        )
    return InvalidInput(
        f"Losses down to {what} need {needed:,} features, more than {max_dimension:,}.",
        advice=f"Give {way_out}.",
        value=needed,
    )
