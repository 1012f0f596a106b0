"""All labels of a stream together: random guesses of all centres at once, and the label that they
regret least on average.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from math import inf
from typing import NamedTuple

import numpy as np

from wideberth.array_types import Floats
from wideberth.classifiers.online.knowledge.halfspaces import rows_implying
from wideberth.classifiers.online.knowledge.joint_knowledge import JointKnowledge
from wideberth.classifiers.online.knowledge.knowledge_set import RESOLUTION
from wideberth.classifiers.online.lifts_by_similarity import Features
from wideberth.classifiers.online.partitions.pairwise_partition import PairwisePartition
from wideberth.classifiers.online.partitions.partition_interface import Duel


class RowOrigin(NamedTuple):
    """The round and the duel from which a row of the knowledge was made.

    Attributes
    ----------
    round_number : int
        The round, from 1 on.
    winner, loser : int
        The labels of the duel.
    """

    round_number: int
    winner: int
    loser: int


@dataclass
class JointAssessment:
    """What the points of a `JointKnowledge` say of a query.

    Attributes
    ----------
    query : ndarray of shape (dimension,)
        The features of the query.
    knowledge : JointKnowledge
        The knowledge of all labels.
    power : float
        The power of losses on the features.
    slack : float
        The largest error of inner products of the features.
    """

    query: Floats
    knowledge: JointKnowledge = field(repr=False)
    power: float
    slack: float

    def guess(self, u: float) -> int:
        """The label of the least average regret; it is never random, so ``u`` is not used."""
        return self._guess

    @property
    def chances(self) -> dict[int, float]:
        """Probability 1 for the guess."""
        return {self._guess: 1.0}

    @cached_property
    def loss(self) -> float:
        """The most that the guess can lose."""
        return 0.0 if self.certain else float((max(self._leads) + self.slack) ** self.power)

    @property
    def certain(self) -> bool:
        """Whether no other label can be nearer."""
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
    r"""One `JointKnowledge` of all labels (a `Partition`), which guesses the label of the least
    regret.

    .. math:: \arg\min_i \frac1N \sum_{n=1}^N \bigl(\max_j \langle q, x^n_j \rangle - \langle q,
        x^n_i \rangle\bigr)^\alpha

    averages over the points :math:`x^n`, each of which is a possible position of all centres. The
    total loss is not bounded: `certain` and losses of single guesses are proved, the potential is
    infinite.

    Parameters
    ----------
    features : Features
        The features; only the first lift is used.
    engine, noise
        Not used; there so that all partitions are constructed in the same way.
    update : str
        The rule of the stream; it does not change the guesses of this partition.
    seed : int
        Determines all random points.

    Attributes
    ----------
    knowledge : JointKnowledge
        The constraints and points.
    lessons : list of RowOrigin
        Where each stored row comes from, in the order of the rows.

    Examples
    --------
    >>> from wideberth.classifiers.online.lifts_by_similarity import features_of
    >>> partition = JointPartition(
    ...     features_of("inner", 2), engine="joint", update="informative", noise=0.0, seed=0
    ... )
    >>> partition.add_label()
    >>> partition.add_label()
    >>> assessment = partition.assess(np.array([1.0, 0.0]))
    >>> partition.learn(assessment, [(1, 0)], guess=0, label=1, round_number=1)
    >>> partition.assess(np.array([1.0, 0.0])).guess(0.5), partition.n_rows
    (1, 1)
    """

    engine, proved, bounded = "joint", False, False

    def __init__(
        self, features: Features, *, engine: str, update: str, noise: float, seed: int
    ) -> None:
        self.features, self.update, self.seed = features, update, seed
        self.lessons: list[RowOrigin] = []
        self._reset_knowledge()

    def _reset_knowledge(self) -> None:
        lift = self.features.lifts[0]
        self.knowledge = JointKnowledge(lift.dimension, radius=lift.radius, seed=self.seed)

    @property
    def n_rows(self) -> int:
        """How many linear constraints are stored."""
        return len(self.knowledge.rows)

    def add_label(self) -> None:
        """Add one label, of which nothing is known."""
        self.knowledge.add_label()

    def assess(self, query: Floats) -> JointAssessment:
        """What is known of a query."""
        lift = self.features.lifts[0]
        return JointAssessment(
            self.features.lifted(query)[0],
            self.knowledge,
            self.features.alpha * lift.power,
            lift.slack,
        )

    def accurate_features(self, assessment: JointAssessment) -> Features:
        """The features in use."""
        return self.features

    def duels_won(self, assessment: JointAssessment, label: int) -> list[Duel]:
        """The duels of a label with all others."""
        return [(label, other) for other in range(self.knowledge.n_labels) if other != label]

    def first_refuted(self, assessment: JointAssessment, duels: Iterable[Duel]) -> Duel | None:
        """The first of the duels that is impossible by earlier rows, alone or together with the
        duels before it.
        """
        return self.knowledge.first_refuted(assessment.query, list(duels))

    def rounds_implying(
        self, assessment: JointAssessment, winner: int, loser: int, round_number: int
    ) -> list[int]:
        """The rounds that together imply that the winner beats the loser, of which the current
        round states the opposite.

        The current round is one of them if it contradicts itself: it states that the loser beats
        all other labels, while the stored rows do not allow that it beats all of them at once.
        """
        target, length = self.knowledge.row(assessment.query, winner, loser)
        rows, rounds = (
            self.knowledge.rows.directions,
            [lesson.round_number for lesson in self.lessons],
        )
        if self.knowledge.reach(assessment.query, loser, winner) > RESOLUTION * length:
            others = [
                other for other in range(self.knowledge.n_labels) if other not in (winner, loser)
            ]
            rows = np.vstack(
                [rows, *(self.knowledge.row(assessment.query, loser, other)[0] for other in others)]
            )
            rounds = rounds + len(others) * [round_number]
        return sorted({rounds[place] for place in rows_implying(rows, target)})

    def learn(
        self,
        assessment: JointAssessment,
        duels: Iterable[Duel],
        *,
        guess: int | None,
        label: int,
        round_number: int,
    ) -> None:
        """Learn the outcomes of duels at the query that was assessed."""
        kept = self.knowledge.learn(
            assessment.query, list(duels), guess=guess, slack=assessment.slack
        )
        self.lessons += [RowOrigin(round_number, *duel) for duel in kept]

    def cost(self, assessment: JointAssessment, guess: int, label: int) -> float:
        """The most that a guess can have lost, now that the label is known."""
        lead = self.knowledge.reach(assessment.query, label, guess)
        return float((lead + assessment.slack) ** assessment.power)

    def potential(self) -> float:
        """Infinite: the future loss is not bounded."""
        return inf

    def softened(self, noise: float) -> PairwisePartition:
        """The rows as those of pairs of labels with soft knowledge, for labels that are wrong with
        probability ``noise``.
        """
        pairs = PairwisePartition(
            self.features, engine="soft", update=self.update, noise=noise, seed=self.seed
        )
        for _ in range(self.knowledge.n_labels):
            pairs.add_label()
        for (round_number, winner, loser), query in zip(self.lessons, self._queries(), strict=True):
            first, second = sorted((winner, loser))
            pairs.pairs[first, second].learn([query], 1 if winner < loser else -1, round_number)
        return pairs

    def widen(self, features: Features, engine: str) -> None:
        """Continue with queries that have more coordinates, which count as 0 in earlier queries;
        ``engine`` is not used.
        """
        lifted, _ = self.features.carried_over(self._queries(), 0, features)
        n_labels, slack = self.knowledge.n_labels, features.lifts[0].slack
        self.features = features
        self._reset_knowledge()
        for _ in range(n_labels):
            self.knowledge.add_label()
        lessons, self.lessons = self.lessons, []
        for (round_number, winner, loser), query in zip(lessons, lifted, strict=True):
            kept = self.knowledge.learn(query, [(winner, loser)], guess=loser, slack=slack)
            self.lessons += [RowOrigin(round_number, *duel) for duel in kept]

    def _queries(self) -> Floats:
        """The features of the queries of the rows, up to positive factors, shape (n_rows,
        dimension).
        """
        rows = self.knowledge.rows.directions.reshape(
            len(self.lessons), self.knowledge.n_labels, self.knowledge.dimension
        )
        return np.array(
            [row[lesson.winner] for row, lesson in zip(rows, self.lessons, strict=True)]
        ).reshape(len(rows), self.knowledge.dimension)
