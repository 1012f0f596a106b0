"""Knowledge as ellipsoids: everything in closed form and constant memory, at the price of slower
learning.
"""

from copy import copy
from dataclasses import asdict
from math import exp, sqrt
from typing import NamedTuple

import numpy as np

from wideberth.array_types import Floats
from wideberth.classifiers.online.ellipsoid_kernels import assess_direction, cut_all, log_loss
from wideberth.classifiers.online.knowledge_set import RESOLUTION, Lesson, Outlook, Scales, State
from wideberth.errors import InvalidInput
from wideberth.estimators import restored_values

#: Ellipsoids contain a ball of the thickness of their scale; restored ones may be thinner than it
#: by this factor.
FLATTEST = 1e6


class _View(NamedTuple):
    """What `assess_direction` returns, by name."""

    plus: float
    minus: float
    drop_plus: float
    drop_minus: float
    vote: float
    active: int


class EllipsoidKnowledge:
    r"""An ellipsoid :math:`E_i \supseteq K + z_i B` for each scale (a `KnowledgeSet`); all of it is
    proved, up to rounding.

    The sign s of a query cuts :math:`E_i` by :math:`s \langle q, x \rangle \ge -(z_i +
    \text{slack})`, at a depth g relative to its half width :math:`\beta_i`, and the smallest
    ellipsoid around what is left has less volume (`log_loss`). The active scale is the coarsest
    with :math:`2 \beta_i > 2^{-i}`, so K is at most :math:`2^{1-i}` wide. A sign against the side
    of the centre of :math:`E_i` cuts at :math:`g \ge -z_i / \beta_i \ge -1/(4d)`, which takes about
    0.28/d of log-volume: the loss of any stream is :math:`O(\alpha^{-2} d^2 \log d)`. Every sign
    cuts all ellipsoids, and announced drops count them all.

    :math:`E_i` always contains :math:`z_i B` around 0, so signs are hardly ever certain and
    contradictions are noticed late: losses only become small. The ellipsoid of a scale that was
    never active is that of the finest active scale so far, or the ball if that is smaller. Memory:
    :math:`d^2 + d` numbers for each scale that was active or coarser.

    >>> knowledge = EllipsoidKnowledge(Scales.for_ball(2, 2.0, 1.0))
    >>> lesson = knowledge.learn(np.array([1.0, 0.0]), 1)
    >>> lesson.drop > 0, knowledge.outlook(np.array([1.0, 0.0])).vote > 0.5
    (True, True)
    """

    proved = True
    n_rows = 0
    engine = "ellipsoid"

    def __init__(self, scales: Scales) -> None:
        self.scales = scales
        self.kept = exp(-log_loss(-0.25 / scales.dimension, scales.dimension))
        self._prices = scales.constant(self.kept) * scales.weights
        self._excess = scales.ball_excess()
        self._centres = np.empty((0, scales.dimension))
        self._shapes = np.empty((0, scales.dimension, scales.dimension))
        self._open()
        self.initial_potential = self.potential()

    @property
    def directions(self) -> Floats:
        """An empty array: no rows are stored."""
        return np.empty((0, self.scales.dimension))

    def reach(self, query: Floats) -> tuple[float, float]:
        """Upper bounds of <q, w> and -<q, w> over K: the smallest that an ellipsoid, less its
        thickness, allows.
        """
        length = float(np.linalg.norm(query))
        if length == 0:
            return 0.0, 0.0
        view = self._view(query / length, 0.0)
        return length * view.plus, length * view.minus

    def outlook(self, query: Floats, *, slack: float = 0.0) -> Outlook:
        """What is known of the sign of a query, and what learning it would do."""
        length = float(np.linalg.norm(query))
        if length == 0:
            return Outlook(0.0, 0.0, 0.0, 0.0, vote=0.5, certain=0)
        view = self._view(query / length, slack / length)
        losses = self.scales.loss(length * view.plus), self.scales.loss(length * view.minus)
        if min(view.plus, view.minus) <= RESOLUTION:
            certain = 1 if view.plus >= view.minus else -1
            return Outlook(*losses, 0.0, 0.0, vote=(1 + certain) / 2, certain=certain)
        return Outlook(*losses, view.drop_plus, view.drop_minus, vote=view.vote, certain=0)

    def learn(
        self, query: Floats, sign: int, *, informative_only: bool = True, slack: float = 0.0
    ) -> Lesson:
        """Cut all ellipsoids that a sign makes smaller; that costs no memory, so
        ``informative_only`` is not used.
        """
        length = float(np.linalg.norm(query))
        if length == 0:
            return Lesson(0.0, stored=False, contradiction=False)
        view = self._view(query / length, slack / length)
        if min(view.plus, view.minus) <= RESOLUTION:
            return Lesson(
                0.0,
                stored=False,
                contradiction=(view.plus if sign > 0 else view.minus) <= RESOLUTION,
            )
        before = self.potential()
        stored = cut_all(
            self._centres,
            self._shapes,
            sign / length * query,
            self.scales.thicknesses,
            slack / length,
            self._excess,
        )
        self._inherit()
        return Lesson(before - self.potential(), stored=stored, contradiction=False)

    def scratch_copy(self) -> "EllipsoidKnowledge":
        """A copy whose outlooks do not change this one; it shares the ellipsoids until it adds one
        for a finer scale.
        """
        return copy(self)

    def with_implied_row(self, row: Floats) -> "EllipsoidKnowledge":
        """A copy with ellipsoids of its own, cut by one row more."""
        implied = copy(self)
        implied._centres = self._centres.copy()
        implied._shapes = self._shapes.copy()
        implied._excess = self._excess.copy()
        direction = row / np.linalg.norm(row)
        cut_all(
            implied._centres,
            implied._shapes,
            direction,
            self.scales.thicknesses,
            0.0,
            implied._excess,
        )
        implied._inherit()
        return implied

    def potential(self) -> float:
        """A bound of the total future loss, from the volumes of the ellipsoids."""
        return self.scales.potential(self._excess, kept=self.kept)

    def state(self) -> State:
        """The ellipsoids and their volumes."""
        return {
            "engine": self.engine,
            "scales": asdict(self.scales),
            "centres": self._centres.copy(),
            "shapes": self._shapes.copy(),
            "excess": self._excess.copy(),
        }

    @classmethod
    def from_state(cls, scales: Scales, state: State) -> "EllipsoidKnowledge":
        """The knowledge with the given state; an `InvalidInput` if there is no such knowledge."""
        dimension, most = scales.dimension, len(scales.indices)
        centres = restored_values.table(state, "centres", (None, dimension))
        shapes = restored_values.table(state, "shapes", (len(centres), dimension, dimension))
        if not 1 <= len(centres) <= most or _flattest(shapes, scales.thicknesses) > FLATTEST:
            raise InvalidInput(
                f"{len(centres)} ellipsoids, some of them flat, do not go with {most} scales.",
                value=len(centres),
            )
        knowledge = cls(scales)
        knowledge._centres, knowledge._shapes = centres, shapes
        knowledge._excess = restored_values.finite(state, "excess", most)
        return knowledge

    def _view(self, direction: Floats, slack: float) -> _View:
        """Assess a direction; finer scales get their ellipsoids until one is active or there are no
        more.
        """
        scales = self.scales
        while True:
            view = _View(
                *assess_direction(
                    self._centres,
                    self._shapes,
                    direction,
                    scales.thicknesses,
                    scales.widths,
                    self._prices,
                    slack,
                )
            )
            if view.active < len(self._centres) or len(self._centres) == len(scales.indices):
                return view._replace(
                    plus=min(view.plus, scales.radius), minus=min(view.minus, scales.radius)
                )
            self._open()

    def _open(self) -> None:
        """Give the next finer scale its ellipsoid: a copy of the last one, which contains more than
        it must, or the ball.
        """
        count, scales = len(self._centres), self.scales
        shape = np.eye(scales.dimension) * (scales.radius + scales.thicknesses[count])
        centre = np.zeros(scales.dimension)
        if count and self._excess[count] < scales.ball_excess()[count]:
            centre, shape = self._centres[-1], self._shapes[-1]
        self._centres = np.concatenate([self._centres, centre[None]])
        self._shapes = np.concatenate([self._shapes, shape[None]])

    def _inherit(self) -> None:
        """Lower the volumes of scales without an ellipsoid of their own to that of the last scale
        that has one.
        """
        last = len(self._centres) - 1
        finer = self.scales.thicknesses[last:]
        inherited = self._excess[last] + self.scales.dimension * np.log(finer[0] / finer)
        self._excess[last:] = np.minimum(self._excess[last:], inherited)


def _flattest(shapes: Floats, thicknesses: Floats) -> float:
    r"""A bound of the largest ratio of the thickness of a scale and the shortest half axis of its
    ellipsoid.

    The shortest half axis of S is :math:`1 / |S^{-1}|`, and the spectral norm is at least that of
    Frobenius over the root of d.
    """
    inverses = np.linalg.inv(shapes)
    norms = np.linalg.norm(inverses, axis=(1, 2)) / sqrt(shapes.shape[-1])
    return float((norms * thicknesses[: len(shapes)]).max())
