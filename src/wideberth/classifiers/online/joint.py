"""All labels of a stream together: a population of guesses of all centres, and the answer that it regrets least on average."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from math import inf
from typing import NamedTuple

import numpy as np

from wideberth.arrays import Floats
from wideberth.classifiers.online.features import Features
from wideberth.classifiers.online.knowledge.joint_knowledge import JointKnowledge
from wideberth.classifiers.online.knowledge.knowledge_set import RESOLUTION
from wideberth.classifiers.online.knowledge.rows import rows_implying
from wideberth.classifiers.online.pairs import PairwisePartition
from wideberth.classifiers.online.partition import Duel


class RowOrigin(NamedTuple):
    """What a row was made of."""

    round_number: int
    winner: int
    loser: int


@dataclass
class JointAssessment:
    """What all points make of a query; ``power`` is that of the losses, ``slack`` by how much features err."""

    query: Floats
    knowledge: JointKnowledge = field(repr=False)
    power: float
    slack: float

    def guess(self, u: float) -> int:
        """The label of the least expected regret; nothing is left to chance."""
        return self._guess

    @property
    def chances(self) -> dict[int, float]:
        """The guess."""
        return {self._guess: 1.0}

    @cached_property
    def loss(self) -> float:
        """The most that the guess can lose."""
        return 0.0 if self.certain else float((max(self._leads) + self.slack) ** self.power)

    @property
    def certain(self) -> bool:
        """Whether no other label can be the nearer one."""
        return all(lead <= RESOLUTION * np.linalg.norm(self.query) for lead in self._leads)

    @cached_property
    def _guess(self) -> int:
        scores = self.knowledge.scores(self.query)
        regrets = (scores.max(axis=1, keepdims=True) - scores) ** self.power
        return int(regrets.mean(axis=0).argmin())

    @cached_property
    def _leads(self) -> list[float]:
        """By how much each other label can be nearer than the guess."""
        others = (label for label in range(self.knowledge.n_labels) if label != self._guess)
        return [self.knowledge.reach(self.query, other, self._guess) for other in others]


class JointPartition:
    r"""One `JointKnowledge` of all labels. It guesses the label of the least regret, averaged over the points,

    .. math:: \arg\min_i \frac1N \sum_{n=1}^N \bigl(\max_j \langle q, x^n_j \rangle - \langle q, x^n_i \rangle\bigr)^\alpha .

    Nothing bounds what it loses in all: `certain` and losses of single guesses are proved, potentials are infinite.
    """

    engine, proved, bounded = "joint", False, False

    def __init__(self, features: Features, *, engine: str, update: str, noise: float, seed: int) -> None:
        self.features, self.update, self.seed = features, update, seed
        self.lessons: list[RowOrigin] = []
        self._reset_knowledge()

    def _reset_knowledge(self) -> None:
        lift = self.features.lifts[0]
        self.knowledge = JointKnowledge(lift.dimension, radius=lift.radius, seed=self.seed)

    @property
    def n_rows(self) -> int:
        """How many rows are kept."""
        return len(self.knowledge.rows)

    def add_label(self) -> None:
        """Make room for one label more."""
        self.knowledge.add_label()

    def assess(self, query: Floats) -> JointAssessment:
        """What is known of a query."""
        lift = self.features.lifts[0]
        return JointAssessment(self.features.lifted(query)[0], self.knowledge, self.features.alpha * lift.power, lift.slack)

    def duels_won(self, assessment: JointAssessment, label: int) -> list[Duel]:
        """A label beats all others."""
        return [(label, other) for other in range(self.knowledge.n_labels) if other != label]

    def first_refuted(self, assessment: JointAssessment, duels: Iterable[Duel]) -> Duel | None:
        """The first of the duels that the past, together with those before it, makes impossible."""
        return self.knowledge.first_refuted(assessment.query, list(duels))

    def rounds_implying(self, assessment: JointAssessment, winner: int, loser: int, round_number: int) -> list[int]:
        """The rounds that together imply that the winner beats the loser, which was told for this query in this round.

        The round is one of them where it contradicts itself: it says that the loser beats all labels, and the past that not all
        of them can be beaten.
        """
        target, _ = self.knowledge.row(assessment.query, winner, loser)
        rows, rounds = self.knowledge.rows.directions, [lesson.round_number for lesson in self.lessons]
        if self.knowledge.reach(assessment.query, loser, winner) > RESOLUTION:
            others = [other for other in range(self.knowledge.n_labels) if other not in (winner, loser)]
            rows = np.vstack([rows, *(self.knowledge.row(assessment.query, loser, other)[0] for other in others)])
            rounds = rounds + len(others) * [round_number]
        return sorted({rounds[place] for place in rows_implying(rows, target)})

    def learn(
        self, assessment: JointAssessment, duels: Iterable[Duel], *, guess: int | None, label: int, round_number: int
    ) -> None:
        """Learn the outcome of duels for the query that was looked at."""
        kept = self.knowledge.learn(assessment.query, list(duels), guess=guess, slack=assessment.slack)
        self.lessons += [RowOrigin(round_number, *duel) for duel in kept]

    def potential(self) -> float:
        """Nothing bounds the loss to come."""
        return inf

    def softened(self, noise: float) -> PairwisePartition:
        """The rows as those of pairs with soft cuts, for labels that are wrong with the probability ``noise``."""
        pairs = PairwisePartition(self.features, engine="soft", update=self.update, noise=noise, seed=self.seed)
        for _ in range(self.knowledge.n_labels):
            pairs.add_label()
        for (round_number, winner, loser), query in zip(self.lessons, self._queries(), strict=True):
            first, second = sorted((winner, loser))
            pairs.pairs[first, second].learn([query], 1 if winner < loser else -1, round_number)
        return pairs

    def widen(self, features: Features, engine: str) -> None:
        """Go on with queries that have more coordinates, which were 0 so far."""
        lifted, _ = self.features.carried_over(self._queries(), 0, features)
        n_labels, slack = self.knowledge.n_labels, features.lifts[0].slack
        self.features = features
        self._reset_knowledge()
        for _ in range(n_labels):
            self.knowledge.add_label()
        for (_, winner, loser), query in zip(self.lessons, lifted, strict=True):
            self.knowledge.learn(query, [(winner, loser)], guess=loser, slack=slack)

    def _queries(self) -> Floats:
        """The features of the queries behind the rows, up to their lengths, one a row."""
        rows = self.knowledge.rows.directions.reshape(len(self.lessons), self.knowledge.n_labels, -1)
        return np.array([row[lesson.winner] for row, lesson in zip(rows, self.lessons, strict=True)]).reshape(
            len(rows), self.knowledge.dimension
        )
