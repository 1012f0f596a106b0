r"""Guesses of a hidden linear function that halve what is still possible, on the knowledge sets of
nearest centres.

A vector v in the unit ball is hidden; for a unit vector u the value :math:`\langle u, v \rangle` is
guessed, and told is whether the guess y was too high. That is the sign of an inner product in one
dimension more,

.. math:: \langle \phi, w \rangle = \tfrac{1}{\sqrt2} (\langle u, v \rangle - y), \qquad
          \phi = \tfrac{1}{\sqrt2} (u, -y), \quad w = (v, 1), \quad |w| \le \sqrt2,

so that every `wideberth.classifiers.online.knowledge.knowledge_set.KnowledgeSet` can keep what was
told, after rows that say that the last coordinate of w is positive and no other one is larger. The
guess is where its vote changes sides. Derived here, for exact votes:

*Both answers pay.* Let y be such that the vote is above 1/2 for smaller and below 1/2 for larger
values, and W the width of the knowledge set at y. Either the vote is 1/2 on the active scale i,
:math:`2^{-i} \le W < 2^{1-i}`: each answer leaves at most 5/8 of its body, and the potential falls
by :math:`2^{\alpha(1-i)} \ge W^\alpha`. Or the active scale changes at y from i to i + 1, since the
width, which is continuous, is :math:`W = 2^{-i}` there: then one answer leaves at most 5/8 of the
body of one of the two scales, the other answer of the other, and the potential falls by at least
:math:`2^{-\alpha i} = W^\alpha`. The loss :math:`|\langle u, v \rangle - y|^\alpha` is at most
:math:`(\sqrt2\, W)^\alpha`, so all losses together are at most :math:`2^{\alpha/2}` times the
initial potential (Guruganesh, Liu, Schneider & Wang 2021, Theorem 7).

*Medians outside.* A body is larger than the knowledge set, so that its median may be a value that
is known to be too high. Then the row that says so is added to the knowledge set, from which it
follows: the body falls to 5/8 at no loss, and the search for the guess is repeated.
"""

from dataclasses import replace
from math import inf, isfinite, log, sqrt
from typing import Any, NamedTuple

import numpy as np

from wideberth.array_types import Floats
from wideberth.classifiers.online.knowledge.engines import knowledge_set
from wideberth.classifiers.online.knowledge.knowledge_set import KnowledgeSet, Scales

#: The largest length of w = (v, 1).
LIFTED_RADIUS = sqrt(2)
#: Values that are known this well, in units of the largest value, count as known: nothing is
#: learned there. Rounding is smaller.
FINEST = 24
RESOLUTION = 2.0**-FINEST
#: A vote that is this close to 1/2 is good enough; ellipsoids, whose cuts are shallow, are asked
#: for more.
TOLERANCE = 1 / 640
#: Guesses are not looked for more precisely than this, in units of the largest value.
PRECISION = RESOLUTION / 8
#: Rows that follow from others are added at most this often for one guess; one or two are usual.
MOST_IMPLIED = 64


class Halving(NamedTuple):
    """A guess, and the knowledge set that it was made with: the one before, or one with rows that
    follow from its own.

    Attributes
    ----------
    value : float
        The guess, from -1 to 1.
    knowledge : KnowledgeSet
        The knowledge from which learning continues.
    """

    value: float
    knowledge: KnowledgeSet


def fresh_knowledge(
    dimension: int, *, engine: str, power: float, noise: float, seed: int
) -> KnowledgeSet:
    """A knowledge set of (v, 1) for a hidden v in the unit ball of this dimension, of which no
    coordinate is beyond 1.

    Parameters
    ----------
    dimension : int
        The dimension of v.
    engine, power, noise, seed
        As for `wideberth.classifiers.online.knowledge.engines.knowledge_set`.

    Examples
    --------
    >>> knowledge = fresh_knowledge(1, engine="exact", power=1.0, noise=0.0, seed=0)
    >>> knowledge.n_rows, knowledge.scales.dimension
    (3, 2)
    """
    knowledge = knowledge_set(
        dimension + 1, engine=engine, noise=noise, seed=seed, scales=search_scales(dimension, power)
    )
    *axes, last = np.eye(dimension + 1)
    for row in [last, *(last + sign * axis for axis in axes for sign in (1, -1))]:
        knowledge.learn(row / np.linalg.norm(row), 1, informative_only=False)
    return knowledge


def search_scales(dimension: int, power: float) -> Scales:
    """The scales of a knowledge set of (v, 1) for a hidden v in the unit ball of this dimension.

    Examples
    --------
    >>> search_scales(2, 1.0).dimension
    3
    """
    return replace(Scales.for_ball(dimension + 1, LIFTED_RADIUS, power), finest=FINEST)


def lifted(direction: Floats, value: float) -> Floats:
    """The query whose sign tells whether a guess is too low (+) or too high (-), of length at most
    1.

    Examples
    --------
    >>> lifted(np.array([1.0, 0.0]), 1.0).round(3)
    array([ 0.707,  0.   , -0.707])
    """
    return np.append(direction, -value) / LIFTED_RADIUS


def halve(knowledge: KnowledgeSet, direction: Floats) -> Halving:
    """The guess of a value at which the vote of a knowledge set changes sides; the set itself is
    not changed.

    Parameters
    ----------
    knowledge : KnowledgeSet
        What is known of (v, 1).
    direction : ndarray of shape (d,)
        A unit vector u.

    Returns
    -------
    Halving
        The guess of <u, v>.

    Examples
    --------
    >>> knowledge = fresh_knowledge(1, engine="exact", power=1.0, noise=0.0, seed=0)
    >>> direction = np.array([1.0])
    >>> abs(halve(knowledge, direction).value) < 0.01
    True
    >>> _ = knowledge.learn(lifted(direction, 0.0), 1)  # 0 was too low
    >>> 0.2 < halve(knowledge, direction).value < 0.8
    True
    """
    current = knowledge.scratch_copy()
    for _ in range(MOST_IMPLIED):
        value, implied = _change_of_sides(current, direction)
        if implied == 0 or knowledge.engine == "soft":  # soft knowledge rules nothing out
            return Halving(value, current)
        current = current.with_implied_row(implied * lifted(direction, value))
    return Halving(value, current)


def value_range(knowledge: KnowledgeSet, direction: Floats) -> tuple[float, float]:
    r"""Bounds of the hidden value, from what was told: :math:`\max_y (y - \sqrt2 h_-(y)) \le
    \langle u, v \rangle \le \min_y (y + \sqrt2 h_+(y))`.

    Here :math:`h_\pm(y)` is the reach of the knowledge set for the guess y. The two sides are
    concave and convex in y, and every y proves a bound, so that the search need not be precise.

    Parameters
    ----------
    knowledge, direction
        As for `halve`.

    Returns
    -------
    low, high : float
        The value is between them, up to `RESOLUTION`.

    Examples
    --------
    >>> knowledge = fresh_knowledge(1, engine="exact", power=1.0, noise=0.0, seed=0)
    >>> _ = knowledge.learn(lifted(np.array([1.0]), 0.25), 1)
    >>> low, high = value_range(knowledge, np.array([1.0]))
    >>> 0.249 < low <= 0.25, 1 <= high < 1.001
    (True, True)
    """

    def reaches(value: float) -> tuple[float, float]:
        plus, minus = knowledge.reach(lifted(direction, value))
        return LIFTED_RADIUS * plus, LIFTED_RADIUS * minus

    high = min(1.0, _least(lambda value: value + reaches(value)[0]))
    low = max(-1.0, -_least(lambda value: value + reaches(-value)[1]))
    return min(low, high) - RESOLUTION, max(low, high) + RESOLUTION


def total_loss(knowledge: KnowledgeSet) -> float:
    """A bound of the sum of all future losses for unit vectors, from the potential; infinite where
    there is none.

    Votes within `TOLERANCE` of 1/2 count as 1/2, so that an answer leaves a little more of a body
    than the potential assumes.

    Examples
    --------
    >>> knowledge = fresh_knowledge(2, engine="exact", power=1.0, noise=0.0, seed=0)
    >>> total_loss(knowledge) < 1000
    True
    """
    if not isfinite(knowledge.initial_potential):
        return inf
    restated = log(knowledge.kept) / log(knowledge.kept + _tolerance(knowledge))
    return float(LIFTED_RADIUS**knowledge.scales.power * restated * knowledge.potential())


def _change_of_sides(knowledge: KnowledgeSet, direction: Floats) -> tuple[float, int]:
    """The value at which the vote changes sides, and the sign that follows there from what is
    known, 0 if none does.
    """
    low, high = -1.0, 1.0
    follows_low = follows_high = True  # no value is beyond 1
    while high - low > PRECISION:
        middle = (low + high) / 2
        outlook = knowledge.outlook(lifted(direction, middle))
        if not outlook.certain and abs(outlook.vote - 0.5) <= _tolerance(knowledge):
            return middle, 0
        if outlook.vote >= 0.5:
            low, follows_low = middle, outlook.certain > 0
        else:
            high, follows_high = middle, outlook.certain < 0
    if follows_low == follows_high:
        return (low + high) / 2, 0
    return (low, 1) if follows_low else (high, -1)


def _tolerance(knowledge: KnowledgeSet) -> float:
    return 0.0 if knowledge.engine == "ellipsoid" else TOLERANCE


def _least(convex: Any) -> float:
    """The least value of a convex function on [-1, 1] among those at which it is looked at: golden
    section.
    """
    share = (sqrt(5) - 1) / 2
    low, high = -1.0, 1.0
    left, right = high - share * (high - low), low + share * (high - low)
    at_left, at_right = convex(left), convex(right)
    best = min(at_left, at_right, 1.0)
    while high - low > PRECISION:
        if at_left <= at_right:
            high, right, at_right = right, left, at_left
            left = high - share * (high - low)
            at_left = convex(left)
        else:
            low, left, at_left = left, right, at_right
            right = low + share * (high - low)
            at_right = convex(right)
        best = min(best, at_left, at_right)
    return float(best)
