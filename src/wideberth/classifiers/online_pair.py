"""What is known about two labels: which of them is the nearer one to a query, as far as the past tells."""

from dataclasses import dataclass, field, replace
from typing import Self

import numpy as np
from numpy.typing import NDArray

from wideberth.classifiers.online_features import Features
from wideberth.solvers.knowledge.engines import knowledge_set, softened
from wideberth.solvers.knowledge.knowledge_set import KnowledgeSet, Outlook
from wideberth.solvers.knowledge.ladder import Rung, active_rung
from wideberth.solvers.knowledge.support import rows_implying

Floats = NDArray[np.float64]


@dataclass
class Pair:
    """The knowledge of two labels, and for each row that is kept the round that brought it.

    Signs are + where the first label is the nearer one. Queries are given by their `Features`; losses, drops and potentials are
    in the unit of these.
    """

    features: Features
    knowledge: list[KnowledgeSet]
    rounds: list[int] = field(default_factory=list)

    @classmethod
    def fresh(cls, features: Features, *, engine: str, noise: float, seed: int) -> Self:
        """Two labels of which nothing is known."""
        scales = [features.scales(place) for place in range(len(features.lifts))]
        return cls(
            features,
            [knowledge_set(each.dimension, engine=engine, noise=noise, seed=seed, scales=each) for each in scales],
        )

    @property
    def proved(self) -> bool:
        """Whether drops are proved, and with them that potentials bound losses."""
        return self.features.guaranteed and all(each.proved for each in self.knowledge)

    @property
    def n_rows(self) -> int:
        """How many rows are kept, on all lifts."""
        return sum(each.n_rows for each in self.knowledge)

    def aside(self) -> Self:
        """A twin for questions that leave no trace here; from then on, learn with one of the two only."""
        return type(self)(self.features, [each.aside() for each in self.knowledge], self.rounds)

    def outlook(self, query: list[Floats]) -> Outlook:
        """What is known of a query."""
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

    def implying(self, query: list[Floats], sign: int) -> list[int]:
        """The rounds that together imply the sign of a query; none if the engine keeps no rows."""
        rows = self.knowledge[0].directions
        if not self.rounds or len(rows) != len(self.rounds):
            return []
        return [self.rounds[row] for row in rows_implying(rows, sign * query[0])]

    def potential(self) -> float:
        """A bound of all loss to come of these two labels."""
        return sum(each.potential() for each in self.knowledge)

    def softened(self, *, noise: float, seed: int) -> Self:
        """The same rows as soft knowledge, for labels of which some are wrong; ellipsoids begin anew."""
        return type(self)(self.features, [softened(each, noise=noise, seed=seed) for each in self.knowledge])

    def widened(self, features: Features, *, engine: str, noise: float, seed: int) -> Self:
        """The same rows for queries with more coordinates, which were 0 so far; ellipsoids begin anew."""
        wider = self.fresh(features, engine=engine, noise=noise, seed=seed)
        for place, (old, new) in enumerate(zip(self.knowledge, wider.knowledge, strict=True)):
            queries, signs = self.features.behind(old.directions, place)
            padded = np.zeros((len(queries), features.n_features))
            padded[:, : queries.shape[1]] = queries
            lift = features.lifts[place]
            for row, sign in zip(lift.features(padded), signs, strict=True):
                new.learn(row, int(sign), slack=lift.slack)
        return wider


class LadderPair(Pair):
    """The knowledge of two labels on rungs, each for a scale of losses: the coarsest rung that is active is asked.

    Where none is, losses are below the resolution and count as nothing; the finest rung votes.
    """

    def outlook(self, query: list[Floats]) -> Outlook:
        """What is known of a query."""
        place = self._active(query)
        asked = len(query) - 1 if place is None else place
        rung = self._rungs[asked]
        outlook = self.knowledge[asked].outlook(query[asked], slack=rung.slack)
        if place is None:
            return Outlook(0.0, 0.0, 0.0, 0.0, vote=outlook.vote, certain=0)
        plus, minus = (rung.largest_loss(reach) ** self.features.alpha for reach in self.knowledge[asked].reach(query[asked]))
        return replace(outlook, loss_plus=plus, loss_minus=minus)

    def learn(self, query: list[Floats], sign: int, round_number: int) -> None:
        """Learn the sign of a query on the rung that is asked and on all finer ones."""
        place = self._active(query)
        for each in range(len(query) - 1 if place is None else place, len(query)):
            self.knowledge[each].learn(query[each], sign, slack=self._rungs[each].slack)

    @property
    def _rungs(self) -> list[Rung]:
        return [lift for lift in self.features.lifts if isinstance(lift, Rung)]

    def _active(self, query: list[Floats]) -> int | None:
        return active_rung(self._rungs, lambda place: sum(self.knowledge[place].reach(query[place])))
