r"""Linear constraints (rows) :math:`a \cdot w \ge -s` on a hidden vector: how far their set
reaches, and the bodies around it.

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
"""

from dataclasses import dataclass
from typing import Protocol, Self

import numpy as np
from scipy.optimize import lsq_linear, nnls

from wideberth.array_types import Floats
from wideberth.classifiers.online.knowledge.knowledge_set import Scales, State
from wideberth.classifiers.online.knowledge.projection_and_walk_kernels import project
from wideberth.errors import InvalidInput
from wideberth.estimators import restored_values
from wideberth.rounding import SOLVER_ERROR, SUM_ERROR

# rounds of reweighting: the first is within sqrt(2) of the maximum, the second within some per cent
ROUNDS = 2


class Rows:
    """Unit vectors with slacks, in arrays that grow as needed.

    Parameters
    ----------
    dimension : int
        The length of the vectors.

    Attributes
    ----------
    any_slack : bool
        Whether some slack is above 0.

    Examples
    --------
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

        Examples
        --------
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
        """The largest inner product of a unit vector with vectors that obey the rows.

        Parameters
        ----------
        radius : float
            The largest length of these vectors.
        query : ndarray of shape (dimension,)
            The unit vector.

        Returns
        -------
        float
            The maximum, or with slacks an upper bound near it.

        Examples
        --------
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
        wider._slacks, wider._count, wider.any_slack = (
            self._slacks.copy(),
            self._count,
            self.any_slack,
        )
        return wider


def checked_directions(state: State, name: str, dimension: int) -> Floats:
    """Directions of rows in a state; an `InvalidInput` if their length is not 1, up to the rounding
    of tiny queries.

    Examples
    --------
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

    Examples
    --------
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

    Parameters
    ----------
    directions : ndarray of shape (n, d)
        The rows a_j, of length 1.
    radius : float
        The radius r.
    query : ndarray of shape (d,)
        The vector q, of length 1.

    Examples
    --------
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

    Parameters
    ----------
    directions, radius, query
        As for `reach`.
    offsets : ndarray of shape (n,)
        The offsets b_j, at least 0.

    Examples
    --------
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
        length, price = (
            float(np.linalg.norm(query + multipliers @ directions)),
            float(multipliers @ offsets),
        )
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

    Parameters
    ----------
    directions : ndarray of shape (n, d)
        The rows.
    query : ndarray of shape (d,)
        The vector q.

    Returns
    -------
    list of int
        Positions of rows.

    Examples
    --------
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
    """How a query divides the body of a scale.

    Attributes
    ----------
    vote : float
        The share of the volume on its positive side.
    left_plus, left_minus : float
        The share that remains if the sign + or - is learned.
    most_plus, most_minus : float
        Upper bounds of these shares; how certain they are depends on the bodies.
    """

    vote: float
    left_plus: float
    left_minus: float
    most_plus: float
    most_minus: float


class Bodies(Protocol):
    """The bodies of all scales.

    Attributes
    ----------
    kept : float
        The largest share of the active body that learning a sign against the vote leaves.
    proved : bool
        Whether the upper bounds of a `Cut` are proved.
    initial_excess : ndarray of shape (n_scales,)
        What `excess` returns before the first row.
    """

    kept: float
    proved: bool
    initial_excess: Floats

    def cut(self, rows: Rows, scale: int, direction: Floats, thickness: float, width: float) -> Cut:
        """How a query divides the body of a scale.

        Parameters
        ----------
        rows : Rows
            All rows so far.
        scale : int
            The scale.
        direction : ndarray of shape (dimension,)
            The query, as a unit vector.
        thickness : float
            The offset of the row that learning a sign would add.
        width : float
            A lower bound of the width of K along the direction, or 0 if none is known.
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

    Examples
    --------
    >>> slab_share(Scales.for_ball(2, 2.0, 1.0), thickness=0.125, width=1.0)
    0.25
    """
    return min(1.0, thickness * scales.dimension / width) if width > 0 else 1.0
