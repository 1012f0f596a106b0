"""Knowledge as linear constraints: widths by projection on a cone, votes and drops from offset
polytopes.
"""

from dataclasses import asdict
from math import log
from typing import NamedTuple

import numpy as np

from wideberth.array_types import Floats
from wideberth.classifiers.online.knowledge.halfspaces import Bodies, Cut, Rows
from wideberth.classifiers.online.knowledge.knowledge_set import (
    RESOLUTION,
    Lesson,
    Outlook,
    Scales,
    State,
)

INFORMATIVE = 0.95  # a row that leaves more than this share of the active body is not worth keeping


class _Assessment(NamedTuple):
    """The outlook of a query, and what `learn` needs beside it."""

    query: Floats
    slack: float
    outlook: Outlook
    cut: Cut | None = None  # none where the sign is certain, or the query is zero
    scale: int = 0  # of the body that is cut
    impossible: tuple[bool, bool] = (
        False,
        False,
    )  # whether the past leaves next to nothing to the signs + and -


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
    (`wideberth.classifiers.online.knowledge.halfspaces`): 5/8, or 3/4 where votes are counted. So
    the potential falls by :math:`2^{\alpha (1 - i)} \ge` loss.

    Memory: a row is stored if it removes a twentieth or more of the active body, so with exact
    shares there are at most :math:`\sum_i d \ln(1 + 8 d R 2^i) / \ln(20/19)` rows over the scales i
    reached; in practice about :math:`10 d` per factor of ten in resolution.

    Parameters
    ----------
    scales : Scales
        The scales.
    bodies : Bodies
        How votes and volumes are measured; starts without rows.
    engine : str
        The name of the engine, for `state`.

    Examples
    --------
    >>> from wideberth.classifiers.online.knowledge.exact_bodies import ExactBodies
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
