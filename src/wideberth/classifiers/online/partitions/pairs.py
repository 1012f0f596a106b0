"""The knowledge of two labels: which of them is nearer to a query, on one lift or on a ladder of rungs."""

from dataclasses import dataclass, field, replace
from typing import Self

from wideberth.array_types import Floats
from wideberth.classifiers.online.knowledge.engines import knowledge_set, softened
from wideberth.classifiers.online.knowledge.halfspaces import rows_implying
from wideberth.classifiers.online.knowledge.knowledge_set import KnowledgeSet, Outlook
from wideberth.classifiers.online.lifts_by_similarity import Features
from wideberth.classifiers.online.multiscale_lifts import Rung, active_rung


@dataclass
class Pair:
    """The knowledge of two labels, with the round of each row that is stored.

    A sign is + where the first label is nearer. Queries are given by their features on each lift; losses, drops and potentials
    are in the unit of the features.

    Attributes
    ----------
    features : Features
        The features of queries.
    knowledge : list of KnowledgeSet
        One knowledge set for each lift.
    rounds : list of int
        The round of each row, as far as the engine stores one row for one label.

    Examples
    --------
    >>> import numpy as np
    >>> from wideberth.classifiers.online.lifts_by_similarity import features_of
    >>> pair = Pair.fresh(features_of("inner", 1), engine="exact", noise=0.0, seed=0)
    >>> pair.learn([np.array([0.5])], sign=1, round_number=1)
    >>> pair.outlook([np.array([-0.2])]).certain
    -1
    """

    features: Features
    knowledge: list[KnowledgeSet]
    rounds: list[int] = field(default_factory=list)

    @classmethod
    def fresh(cls, features: Features, *, engine: str, noise: float, seed: int) -> Self:
        """Two labels of which nothing is known."""
        knowledge = [
            knowledge_set(scales.dimension, engine=engine, noise=noise, seed=seed, scales=scales)
            for scales in map(features.scales, range(len(features.lifts)))
        ]
        return cls(features, knowledge)

    @property
    def n_rows(self) -> int:
        """How many rows are stored, on all lifts."""
        return sum(knowledge.n_rows for knowledge in self.knowledge)

    def scratch_copy(self) -> Self:
        """A copy for assessments, which do not change the original; from then on, learn with only one of the two."""
        return type(self)(self.features, [knowledge.scratch_copy() for knowledge in self.knowledge], self.rounds)

    def outlook(self, query: list[Floats]) -> Outlook:
        """What is known of the sign of a query."""
        lift = self.features.lifts[0]
        outlook = self.knowledge[0].outlook(query[0], slack=lift.slack)
        if lift.slack == 0:
            return outlook
        power = self.features.alpha * lift.power  # features that err hide some of the loss
        plus, minus = ((loss ** (1 / power) + lift.slack) ** power for loss in (outlook.loss_plus, outlook.loss_minus))
        return replace(outlook, loss_plus=plus, loss_minus=minus)

    def learn(self, query: list[Floats], sign: int, round_number: int) -> None:
        """Learn the sign of a query."""
        knowledge = self.knowledge[0]
        knowledge.learn(query[0], sign, slack=self.features.lifts[0].slack)
        if knowledge.n_rows == len(self.rounds) + 1:
            self.rounds.append(round_number)

    def rounds_implying(self, query: list[Floats], sign: int) -> list[int]:
        """The rounds that together imply the sign of a query; empty if the engine stores no rows."""
        rows = self.knowledge[0].directions
        if not self.rounds or len(rows) != len(self.rounds):
            return []
        return [self.rounds[row] for row in rows_implying(rows, sign * query[0])]

    def potential(self) -> float:
        """A bound of the total future loss of these two labels."""
        return sum(knowledge.potential() for knowledge in self.knowledge)

    def softened(self, *, noise: float, seed: int) -> Self:
        """The same rows as soft knowledge, for labels of which some are wrong; ellipsoids start from scratch."""
        soft: list[KnowledgeSet] = [softened(knowledge, noise=noise, seed=seed) for knowledge in self.knowledge]
        return type(self)(self.features, soft)

    def widened(self, features: Features, *, engine: str, noise: float, seed: int) -> Self:
        """The same rows for queries with more coordinates, which were 0 so far; ellipsoids start from scratch."""
        wider = self.fresh(features, engine=engine, noise=noise, seed=seed)
        for index, (old, new) in enumerate(zip(self.knowledge, wider.knowledge, strict=True)):
            lifted, signs = self.features.carried_over(old.directions, index, features)
            for row, sign in zip(lifted, signs, strict=True):
                new.learn(row, int(sign), slack=features.lifts[index].slack)
        return wider


class LadderPair(Pair):
    """The knowledge of two labels on a ladder of rungs: the coarsest active rung decides.

    If no rung is active, losses are below the resolution and count as 0; the finest rung votes.
    """

    def outlook(self, query: list[Floats]) -> Outlook:
        """What is known of the sign of a query, by the rung that decides."""
        active = self._active(query)
        index = len(query) - 1 if active is None else active
        rung = self._rungs[index]
        outlook = self.knowledge[index].outlook(query[index], slack=rung.slack)
        if active is None:
            return Outlook(0.0, 0.0, 0.0, 0.0, vote=outlook.vote, certain=0)
        plus, minus = (rung.largest_loss(reach) ** self.features.alpha for reach in self.knowledge[index].reach(query[index]))
        return replace(outlook, loss_plus=plus, loss_minus=minus)

    def learn(self, query: list[Floats], sign: int, round_number: int) -> None:
        """Learn the sign of a query on the rung that decides and on all finer ones."""
        active = self._active(query)
        for index in range(len(query) - 1 if active is None else active, len(query)):
            self.knowledge[index].learn(query[index], sign, slack=self._rungs[index].slack)

    def unpaid_rung(self, query: list[Floats], outlook: Outlook) -> int | None:
        """The measured rung that decides about a query although a mistake would not be paid for, or None.

        ``outlook`` is that of the query: the potential has to fall by the largest loss when the sign that is not answered is
        learned.
        """
        fall = outlook.drop_minus if outlook.answer > 0 else outlook.drop_plus
        if outlook.certain or fall >= outlook.loss * (1 - 1e-12):
            return None
        active = self._active(query)
        return active if active is not None and self._rungs[active].measured else None

    @property
    def _rungs(self) -> list[Rung]:
        return [lift for lift in self.features.lifts if isinstance(lift, Rung)]

    def _active(self, query: list[Floats]) -> int | None:
        return active_rung(self._rungs, lambda index: sum(self.knowledge[index].reach(query[index])))
