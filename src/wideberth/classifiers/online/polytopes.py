r"""Knowledge as linear constraints (rows) :math:`a \cdot w \ge -s` on a hidden vector: widths by
projection on a cone, votes and drops from offset polytopes.

*Reach.* For the body :math:`\{x : a_j \cdot x \ge -b_j, |x| \le r\}` with :math:`b \ge 0`, and any
:math:`\lambda \ge 0`,

.. math:: \langle q, x \rangle \le \Big\langle q + \sum_j \lambda_j a_j,\ x \Big\rangle + \lambda
    \cdot b
          \le r \Big| q + \sum_j \lambda_j a_j \Big| + \lambda \cdot b,

and the least of these bounds is the maximum: each upper bound of :math:`\max \langle q, x \rangle`
comes with a proof by duality. Without offsets b it is one projection on a cone.

*Bodies.* Offset polytopes lie around a knowledge set; one engine samples them, another measures
them exactly. On scale i the body is :math:`P_i = \{x : a_j \cdot x \ge -(s_j + z_i)\}` within a
ball or a cube that contains the ball of radius :math:`R + z_i`. It contains :math:`K + z_i B`, so
it is at least as wide as K in every direction. A slab of thickness t on one side of :math:`\langle
q, x \rangle = 0` has at most the share :math:`t d / \mathrm{width}` of the volume of a convex body
(Brunn & Minkowski: the body has at least the volume of its largest section times its width over d).
Where the width is :math:`2^{-i}` or more and :math:`t = z_i`, that is 1/8.

*Undecided queries.* How much can still be lost at all is the largest reach of a cone of possible
vectors along queries whose sign is undecided. Rows without slack leave a cone :math:`K = \{w : a_j
\cdot w \ge 0, |w| \le R\}`. If the sign of a unit vector q is undecided, some :math:`w_0 \ne 0` in
K is orthogonal to it. All vectors of a narrow cone are near to that one in direction: with a unit
vector c and orthonormal vectors :math:`e_j` across it,

.. math:: \sin \varphi \le \sigma := \frac1R \Bigl(\sum_j \max_{w \in K} \langle e_j, w
    \rangle^2\Bigr)^{1/2}

bounds the angle :math:`\varphi` between c and any vector of K (the longest ones, of length R, have
the largest coordinates). Two of them are at most :math:`2 \arcsin \sigma` apart, hence
:math:`|\langle q, w \rangle| \le R \sin(2 \arcsin \sigma)`, if that angle is below a right one.
Derived here. Scales of larger widths than twice that will never be active again, so that a
potential need not count them.
"""

from dataclasses import asdict, dataclass
from math import asin, log, sin, sqrt
from typing import NamedTuple, Protocol, Self

import numpy as np
from scipy.optimize import lsq_linear, nnls

from wideberth.array_types import Floats
from wideberth.classifiers.online.knowledge_set import RESOLUTION, Lesson, Outlook, Scales, State
from wideberth.classifiers.online.polytope_kernels import project
from wideberth.errors import InvalidInput
from wideberth.estimators import restored_values
from wideberth.rounding import SOLVER_ERROR, SUM_ERROR

# rounds of reweighting: the first is within sqrt(2) of the maximum, the second within some per cent
ROUNDS = 2


class Rows:
    """Unit vectors with slacks, in arrays that grow as needed.

    >>> rows = Rows(2)
    >>> rows.add(np.array([0.0, 1.0]), slack=0.25)
    >>> rows.directions, rows.slacks, len(rows), rows.any_slack
    (array([[0., 1.]]), array([0.25]), 1, True)
    """

    def __init__(self, dimension: int) -> None:
        self._directions, self._slacks = np.empty((16, dimension)), np.empty(16)
        self._count = 0
        self.any_slack = False

    @classmethod
    def from_state(cls, dimension: int, state: State) -> "Rows":
        """The rows with the ``directions`` and ``slacks`` of a state; an `InvalidInput` if they
        cannot be rows.

        >>> len(Rows.from_state(2, {"directions": np.eye(2), "slacks": np.zeros(2)}))
        2
        """
        rows, directions = cls(dimension), checked_directions(state, "directions", dimension)
        for direction, slack in zip(
            directions,
            restored_values.finite(state, "slacks", len(directions), least=0.0),
            strict=True,
        ):
            rows.add(direction, float(slack))
        return rows

    def __len__(self) -> int:
        return self._count

    @property
    def directions(self) -> Floats:
        """The unit vectors, shape (n_rows, dimension)."""
        return self._directions[: self._count]

    @property
    def slacks(self) -> Floats:
        """By how much each row may be violated, shape (n_rows,)."""
        return self._slacks[: self._count]

    def add(self, direction: Floats, slack: float = 0.0) -> None:
        """Add the constraint ``direction . w >= -slack``; the direction has length 1."""
        if self._count == len(self._slacks):
            self._directions = np.concatenate([self._directions, np.empty_like(self._directions)])
            self._slacks = np.concatenate([self._slacks, np.empty_like(self._slacks)])
        self._directions[self._count], self._slacks[self._count] = direction, slack
        self._count += 1
        self.any_slack = self.any_slack or slack > 0

    def reach(self, radius: float, query: Floats) -> float:
        """The largest inner product of a unit vector with vectors up to the radius that obey the
        rows; where there are slacks, an upper bound near it.

        >>> rows = Rows(1)
        >>> rows.add(np.array([-1.0]))
        >>> rows.reach(2.0, np.array([1.0])), rows.reach(2.0, np.array([-1.0]))
        (0.0, 2.0)
        """
        if self.any_slack:
            return reach_with_offsets(self.directions, self.slacks, radius, query)
        return reach(self.directions, radius, query)

    def copy(self) -> "Rows":
        """An independent copy."""
        return self.widened(self._directions.shape[1])

    def widened(self, dimension: int) -> "Rows":
        """A copy in more dimensions, with zeros in the new ones."""
        wider = Rows(dimension)
        wider._directions = np.pad(
            self._directions, ((0, 0), (0, dimension - self._directions.shape[1]))
        )
        wider._slacks = self._slacks.copy()
        wider._count = self._count
        wider.any_slack = self.any_slack
        return wider


def checked_directions(state: State, name: str, dimension: int) -> Floats:
    """Directions of rows in a state; an `InvalidInput` if their length is not 1, up to the rounding
    of tiny queries.

    >>> checked_directions({"directions": np.zeros((1, 1))}, "directions", 1)
    Traceback (most recent call last):
    ...
    wideberth.errors.InvalidInput: 'directions' holds a vector of length 0 in row 0, not of length 1.
    """
    directions = restored_values.table(state, name, (None, dimension))
    lengths = np.linalg.norm(directions, axis=1)
    for row in np.flatnonzero(~((lengths > 0.5) & (lengths < 2.0))).tolist():
        raise InvalidInput(
            f"{name!r} holds a vector of length {lengths[row]:g} in row {row}, not of length 1.",
            value=row,
        )
    return directions


def checked_points(state: State, name: str, shape: tuple[int | None, ...], radius: float) -> Floats:
    """Points of a state, coordinates along the last axis; an `InvalidInput` if some are far outside
    of the ball.

    >>> checked_points({"population": np.eye(2)}, "population", (None, 2), radius=1.0).shape
    (2, 2)
    """
    points = restored_values.table(state, name, shape)
    farthest = float(np.linalg.norm(points, axis=-1).max(initial=0.0))
    if not farthest <= 2 * radius:
        raise InvalidInput(
            f"{name!r} holds a point at {farthest:g}, in a ball of radius {radius:g}.",
            value=farthest,
        )
    return points


def reach(directions: Floats, radius: float, query: Floats) -> float:
    r"""The maximum of :math:`\langle q, w \rangle` over :math:`\{w : a_j \cdot w \ge 0, |w| \le
    r\}`.

    >>> (
    ...     float(reach(np.array([[1.0, 0.0]]), 2.0, np.array([0.0, 1.0]))),
    ...     float(reach(np.eye(2), 2.0, np.array([-1.0, 0.0]))),
    ... )
    (2.0, 0.0)
    """
    if not len(directions):
        return radius
    return radius * project(directions, query, np.empty(len(directions)))


def reach_with_offsets(directions: Floats, offsets: Floats, radius: float, query: Floats) -> float:
    r"""A bound of :math:`\langle q, x \rangle` over :math:`\{x : a_j \cdot x \ge -b_j, |x| \le
    r\}`, near the maximum.

    The sum of a norm and a linear term is minimised by weighted squares: for :math:`t, u > 0` it is
    at most half of :math:`r |q + A'\lambda|^2 / t + r t + (\lambda \cdot b)^2 / u + u`, with
    equality at the right t and u; each round is one projection on a cone in one dimension more. The
    bound is proved after any number of rounds.

    >>> bound = reach_with_offsets(
    ...     np.array([[-1.0, 0.0]]), np.array([0.5]), 2.0, np.array([1.0, 0.0])
    ... )
    >>> 0.5 <= bound < 0.53
    True
    """
    best = radius
    if not len(directions):
        return best
    multipliers = np.empty(len(directions))
    lifted, aim = np.column_stack([directions, offsets]), np.append(query, 0.0)
    weight = 1 / radius
    for _ in range(ROUNDS):
        lifted[:, -1] = weight * offsets
        project(lifted, aim, multipliers)
        length = float(np.linalg.norm(query + multipliers @ directions))
        price = float(multipliers @ offsets)
        best = min(best, radius * length + price)
        if min(length, price) <= SUM_ERROR * max(length, price):
            break
        weight = np.sqrt(length / (radius * price))
    return best


def rows_implying(directions: Floats, query: Floats) -> list[int]:
    r"""The rows that together imply :math:`\langle q, w \rangle \ge 0`: those that have a positive
    weight in a sum equal to q.

    By Farkas' lemma there is such a sum if the rows imply it at all; a basic one, from non-negative
    least squares, uses at most d rows.

    >>> rows_implying(np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0]]), np.array([2.0, 3.0]))
    [0, 1]
    """
    if not len(directions):
        return []
    try:
        weights = nnls(directions.T, query, maxiter=50 * len(directions))[0]
    except RuntimeError:  # it goes round in circles among rows that are nearly alike; this one does not, and names more of them
        weights = lsq_linear(directions.T, query, bounds=(0.0, np.inf)).x
    return [int(row) for row in np.flatnonzero(weights > SOLVER_ERROR * weights.max())]


@dataclass(frozen=True)
class Cut:
    """How a query divides the body of a scale."""

    vote: float  # the share of the volume on its positive side
    left_plus: float  # the share that remains if the sign + is learned
    left_minus: float
    most_plus: float  # upper bounds of these shares; how certain they are depends on the bodies
    most_minus: float


class Bodies(Protocol):
    """The bodies of all scales."""

    kept: float  # the largest share of the active body that learning against the vote leaves
    proved: bool  # whether the upper bounds of a `Cut` are proved
    initial_excess: Floats  # what `excess` returns before the first row

    def cut(self, rows: Rows, scale: int, direction: Floats, thickness: float, width: float) -> Cut:
        """How a query, a unit vector, divides the body of a scale; learning a sign would add a row
        with the offset ``thickness``. ``width`` is a lower bound of that of K, or 0 if none is
        known.
        """

    def left(self, scale: int, share: float) -> None:
        """Remember that the row just learned left at most this share of the body of a scale, as its
        `Cut` said.
        """

    def excess(self, rows: Rows) -> Floats:
        """An upper bound of the logarithm of the volume of the body over that of the ball z_i B,
        for each scale.

        It is as certain as the bounds of a `Cut`.
        """

    def scratch_copy(self) -> Self:
        """The same bodies, for cuts that do not change these."""

    def state(self) -> State:
        """What must be remembered beside the rows."""


def slab_share(scales: Scales, thickness: float, width: float) -> float:
    """The largest share of the volume of a body that a slab of this thickness can have; 1 if the
    width is 0, unknown.

    >>> slab_share(Scales.for_ball(2, 2.0, 1.0), thickness=0.125, width=1.0)
    0.25
    """
    return min(1.0, thickness * scales.dimension / width) if width > 0 else 1.0


INFORMATIVE = 0.95  # a row that leaves more than this share of the active body is not worth keeping


class _Assessment(NamedTuple):
    """The outlook of a query, and what `learn` needs beside it."""

    query: Floats
    slack: float
    outlook: Outlook
    cut: Cut | None = None  # none where the sign is certain, or the query is zero
    scale: int = 0  # of the body that is cut
    # whether the past leaves next to nothing to the signs + and -
    impossible: tuple[bool, bool] = (False, False)


class PolytopeKnowledge:
    r"""Rows :math:`a_j \cdot w \ge -s_j` in a ball, and the bodies of all scales (a
    `KnowledgeSet`).

    Proved, up to rounding, for all kinds of bodies: `reach` (exactly the maximum where no row has a
    slack), hence losses and certain signs; that the drop announced for the sign that loses the vote
    is at least the loss. Whether announced drops are proved, and with them that the potential is at
    most what `potential` returns and bounds the future loss, depends on the bodies: those measured
    exactly prove it, those estimated by points make it likely.

    On the active scale i, learning a sign against the vote leaves at most half of the body and a
    slab, which has at most an eighth of its volume
    (`wideberth.classifiers.online.polytopes`): 5/8, or 3/4 where votes are counted. So
    the potential falls by :math:`2^{\alpha (1 - i)} \ge` loss.

    Memory: a row is stored if it removes a twentieth or more of the active body, so with exact
    shares there are at most :math:`\sum_i d \ln(1 + 8 d R 2^i) / \ln(20/19)` rows over the scales i
    reached; in practice about :math:`10 d` per factor of ten in resolution.

    >>> from wideberth.classifiers.online.exact_bodies import ExactBodies
    >>> scales = Scales.for_ball(2, 2.0, 1.0)
    >>> knowledge = PolytopeKnowledge(scales, ExactBodies(scales), "exact")
    >>> knowledge.learn(np.array([1.0, 0.0]), -1).stored, knowledge.reach(np.array([1.0, 0.0]))
    (True, (0.0, 2.0))
    """

    def __init__(self, scales: Scales, bodies: Bodies, engine: str) -> None:
        self.scales, self.bodies, self.engine = scales, bodies, engine
        self.rows = Rows(scales.dimension)
        self.proved, self.kept = bodies.proved, bodies.kept
        self.initial_potential = scales.potential(bodies.initial_excess, kept=bodies.kept)
        self._constant = scales.constant(bodies.kept)
        self._last: _Assessment | None = None

    @property
    def n_rows(self) -> int:
        """How many rows are stored."""
        return len(self.rows)

    @property
    def directions(self) -> Floats:
        """The stored rows, shape (n_rows, dimension)."""
        return self.rows.directions

    def reach(self, query: Floats) -> tuple[float, float]:
        """The maximum of <q, w> and of -<q, w> over K; upper bounds within a few per cent where
        rows have slacks.
        """
        length = float(np.linalg.norm(query))
        if length == 0:
            return 0.0, 0.0
        direction = query / length
        return length * self.rows.reach(self.scales.radius, direction), length * self.rows.reach(
            self.scales.radius, -direction
        )

    def outlook(self, query: Floats, *, slack: float = 0.0) -> Outlook:
        """What is known of the sign of a query, and what learning it would do."""
        return self._assess(query, slack).outlook

    def learn(
        self, query: Floats, sign: int, *, informative_only: bool = True, slack: float = 0.0
    ) -> Lesson:
        """Store the row of a sign, unless earlier rows imply a sign or, if ``informative_only``, it
        removes almost nothing.
        """
        _, _, outlook, cut, scale, impossible = self._assess(query, slack)
        if cut is None:
            return Lesson(0.0, stored=False, contradiction=impossible[sign < 0])
        if informative_only and (cut.left_plus if sign > 0 else cut.left_minus) > INFORMATIVE:
            return Lesson(0.0, stored=False, contradiction=False)
        length = float(np.linalg.norm(query))
        self.rows.add(sign / length * query, slack / length)
        self.bodies.left(scale, min(cut.most_plus if sign > 0 else cut.most_minus, 1.0))
        self._last = None
        return Lesson(
            outlook.drop_plus if sign > 0 else outlook.drop_minus, stored=True, contradiction=False
        )

    def scratch_copy(self) -> "PolytopeKnowledge":
        """A copy with bodies of its own, whose outlooks do not change this one."""
        scratch = object.__new__(PolytopeKnowledge)
        scratch.__dict__.update(self.__dict__)  # as copy does, in a fifth of the time
        scratch.bodies = self.bodies.scratch_copy()
        return scratch

    def with_implied_row(self, row: Floats) -> "PolytopeKnowledge":
        """A copy with rows and bodies of its own, and one row more."""
        implied = self.scratch_copy()
        implied.rows = self.rows.copy()
        implied.rows.add(row / np.linalg.norm(row))
        implied._last = None
        return implied

    def potential(self) -> float:
        """A bound of the total future loss, from bounds of the volumes; proved if `proved`."""
        return self.scales.potential(self.bodies.excess(self.rows), kept=self.bodies.kept)

    def state(self) -> State:
        """The rows, the scales and the state of the bodies."""
        return {
            "engine": self.engine,
            "scales": asdict(self.scales),
            "directions": self.rows.directions.copy(),
            "slacks": self.rows.slacks.copy(),
            **self.bodies.state(),
        }

    def _assess(self, query: Floats, slack: float) -> _Assessment:
        """The assessment of a query; kept until a row is added, since `learn` usually needs the
        latest one again.
        """
        last = self._last
        if last is None or slack != last.slack or not np.array_equal(query, last.query):
            last = self._last = self._examine(query.copy(), slack)
        return last

    def _examine(self, query: Floats, slack: float) -> _Assessment:
        """Compute the assessment: reach in both directions, then the cut of the body of the active
        scale.
        """
        scales = self.scales
        length = float(np.linalg.norm(query))
        if length == 0:
            return _Assessment(query, slack, Outlook(0.0, 0.0, 0.0, 0.0, vote=0.5, certain=0))
        direction = query / length
        plus, minus = (self.rows.reach(scales.radius, side) for side in (direction, -direction))
        losses = scales.loss(length * plus), scales.loss(length * minus)
        if min(plus, minus) <= RESOLUTION:
            certain = 1 if plus >= minus else -1
            outlook = Outlook(*losses, 0.0, 0.0, vote=(1 + certain) / 2, certain=certain)
            return _Assessment(
                query, slack, outlook, impossible=(plus <= RESOLUTION, minus <= RESOLUTION)
            )
        scale = scales.active(plus + minus)
        width = 0.0 if self.rows.any_slack else plus + minus
        cut = self.bodies.cut(
            self.rows, scale, direction, scales.thickness(scale) + slack / length, width
        )
        weight = self._constant * scales.weight(scale)
        drops = (
            weight * _announced(cut.left_plus, cut.most_plus),
            weight * _announced(cut.left_minus, cut.most_minus),
        )
        return _Assessment(
            query, slack, Outlook(*losses, *drops, vote=cut.vote, certain=0), cut, scale
        )


def _announced(left: float, most: float) -> float:
    """By how much the logarithm of the volume falls at least; 0 if the row would not be stored.

    ``left`` is the estimated share that the row leaves, ``most`` an upper bound of that share.
    """
    return -log(min(most, 1.0)) if left <= INFORMATIVE else 0.0


def largest_undecided_reach(rows: Rows, radius: float, points: Floats) -> float:
    """A bound of the inner product of possible vectors with a unit vector whose sign the rows leave
    open; the radius where rows have slacks.

    The axis of the cone is chosen by ``points`` near the possible vectors; the bound holds for any.

    >>> rows = Rows(2)
    >>> for row in ([0.1, 1.0], [0.1, -1.0]):  # w is within 6 degrees of the first axis
    ...     rows.add(np.array(row) / np.linalg.norm(row))
    >>> round(largest_undecided_reach(rows, 2.0, np.array([[1.0, 0.0], [2.0, 0.0]])), 2)
    0.4
    """
    if rows.any_slack or not len(rows):
        return radius
    centre = points.mean(axis=0)
    length = float(np.linalg.norm(centre))
    if length == 0:
        return radius
    axis = centre / length
    across = points - np.outer(points @ axis, axis)
    frame = np.linalg.svd(
        np.vstack([across, 1e6 * max(1.0, float(np.abs(across).max())) * axis]), full_matrices=True
    )[2][1:]
    reaches = [
        max(rows.reach(radius, direction), rows.reach(radius, -direction)) for direction in frame
    ]
    sine = sqrt(sum(reach * reach for reach in reaches)) / radius
    return radius if sine >= sqrt(0.5) else radius * sin(2 * asin(sine))


def without_idle_scales(excess: Floats, scales: Scales, rows: Rows, points: Floats) -> Floats:
    """The logarithms of volumes with the least there is for scales that will never be active again.

    >>> scales = Scales.for_ball(2, 2.0, 1.0)
    >>> bool(
    ...     (
    ...         without_idle_scales(scales.ball_excess(), scales, Rows(2), np.eye(2))
    ...         == scales.ball_excess()
    ...     ).all()
    ... )
    True
    """
    idle = scales.widths > 2 * largest_undecided_reach(rows, scales.radius, points)
    return np.where(idle, np.minimum(excess, scales.least_excess), excess)
