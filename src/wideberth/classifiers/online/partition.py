"""The knowledge of all labels of a stream, pair by pair: which of two labels is nearer, and what
all pairs together imply for a query.
"""

from collections.abc import Iterable
from copy import copy
from dataclasses import dataclass, field, replace
from math import inf
from typing import Any, Protocol, Self, TypeVar

import numpy as np

from wideberth.array_types import Floats
from wideberth.classifiers.online.engines import (
    PROVED,
    check_engine,
    knowledge_set,
    softened,
)
from wideberth.classifiers.online.knowledge_set import RESOLUTION, KnowledgeSet, Outlook
from wideberth.classifiers.online.lifts_by_similarity import Features
from wideberth.classifiers.online.multiscale_lifts import Rung, active_rung
from wideberth.classifiers.online.polytopes import rows_implying
from wideberth.classifiers.online.tournament import (
    Mixture,
    informative_rule,
    majority,
    paper_rule,
    survivors,
)

Duel = tuple[int, int]  # the winner and the loser


class Assessment(Protocol):
    """What is known of one query before its label is.

    Labels are numbers, in the order in which they were first seen. Losses are in the unit of the
    features.
    """

    def guess(self, u: float) -> int:
        """The label to guess.

        Parameters
        ----------
        u : float
            A number drawn uniformly from [0, 1); it decides where the guess is random.
        """

    @property
    def chances(self) -> dict[int, float]:
        """The probability with which each label is guessed; labels that are never guessed may be
        left out.
        """

    @property
    def certain(self) -> bool:
        """Whether earlier labels rule out all labels but one."""

    @property
    def loss(self) -> float:
        """The most that the guess can lose."""


AnyAssessment = TypeVar("AnyAssessment", bound=Assessment)


class Partition(Protocol[AnyAssessment]):
    """The knowledge of all labels of a stream.

    `assess` never changes what later rounds do; `learn` depends only on the assessment of its query
    and on earlier calls of `learn`. Labels are numbers, in the order in which they were added. A
    duel (winner, loser) states that the winner is at least as near to the query as the loser.

    Attributes
    ----------
    features : Features
        The features on which nearest centres are signs of inner products.
    engine : str
        How knowledge is kept.
    update : {"informative", "paper", "majority"}
        The rule that chooses guesses.
    """

    features: Features
    engine: str
    update: str

    @property
    def proved(self) -> bool:
        """Whether the potential is proved to bound the future loss."""

    @property
    def bounded(self) -> bool:
        """Whether the potential bounds the future loss at all, proved or likely."""

    @property
    def n_rows(self) -> int:
        """How many linear constraints are stored."""

    def add_label(self) -> None:
        """Add one label, of which nothing is known; its number is the number of labels before."""

    def assess(self, query: Floats) -> AnyAssessment:
        """What is known of a query, an array of shape (n_features,)."""

    def accurate_features(self, assessment: AnyAssessment) -> Features:
        """The features, more accurate ones if those in use are too coarse for the query that was
        assessed.
        """

    def duels_won(self, assessment: AnyAssessment, label: int) -> list[Duel]:
        """The duels that the true label of a query wins: those from which this partition learns."""

    def first_refuted(self, assessment: AnyAssessment, duels: Iterable[Duel]) -> Duel | None:
        """The first of the duels whose opposite is implied by earlier labels, by more than
        rounding; None if there is none.
        """

    def rounds_implying(
        self, assessment: AnyAssessment, winner: int, loser: int, round_number: int
    ) -> list[int]:
        """The rounds whose labels together imply that the winner beats the loser at the query.

        Parameters
        ----------
        assessment : Assessment
            The assessment of the query.
        winner, loser : int
            The implied duel; the current round states the opposite.
        round_number : int
            The current round, which may itself be one of the answers.

        Returns
        -------
        list of int
            Numbers of rounds, from 1 on; empty if the engine stores no constraints.
        """

    def learn(
        self,
        assessment: AnyAssessment,
        duels: Iterable[Duel],
        *,
        guess: int | None,
        label: int,
        round_number: int,
    ) -> None:
        """Learn the outcomes of duels at the query that was assessed.

        Parameters
        ----------
        assessment : Assessment
            The assessment of the query, made after the last call of `learn`.
        duels : iterable of (int, int)
            Winners and losers.
        guess : int or None
            The label that was guessed; None if there was no guess.
        label : int
            The true label.
        round_number : int
            The number of this round, remembered with the constraints that are stored.
        """

    def cost(self, assessment: AnyAssessment, guess: int, label: int) -> float:
        """The most that a guess can have lost at the query that was assessed, now that the label is
        known.
        """

    def potential(self) -> float:
        """A bound of the total future loss, in the unit of the features; see `proved` and
        `bounded`.
        """

    def softened(self, noise: float) -> "Partition[Any]":
        """A partition that continues with the same knowledge for labels that are wrong with
        probability ``noise``.
        """

    def widen(self, features: Features, engine: str) -> None:
        """Continue with queries that have more coordinates, which count as 0 in earlier queries.

        Parameters
        ----------
        features : Features
            The features of the wider queries.
        engine : str
            The engine to use from now on.
        """


# ---- The knowledge of two labels: which of them is nearer to a query, on one lift or on a ladder
# of rungs


@dataclass
class Pair:
    """The knowledge of two labels, with the round of each row that is stored.

    A sign is + where the first label is nearer. Queries are given by their features on each lift;
    losses, drops and potentials are in the unit of the features.

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
        """A copy for assessments, which do not change the original; from then on, learn with only
        one of the two.
        """
        return type(self)(
            self.features, [knowledge.scratch_copy() for knowledge in self.knowledge], self.rounds
        )

    def outlook(self, query: list[Floats]) -> Outlook:
        """What is known of the sign of a query."""
        lift = self.features.lifts[0]
        outlook = self.knowledge[0].outlook(query[0], slack=lift.slack)
        if lift.slack == 0:
            return outlook
        power = self.features.alpha * lift.power  # features that err hide some of the loss
        plus, minus = (
            (loss ** (1 / power) + lift.slack) ** power
            for loss in (outlook.loss_plus, outlook.loss_minus)
        )
        return replace(outlook, loss_plus=plus, loss_minus=minus)

    def learn(self, query: list[Floats], sign: int, round_number: int) -> None:
        """Learn the sign of a query."""
        knowledge = self.knowledge[0]
        knowledge.learn(query[0], sign, slack=self.features.lifts[0].slack)
        if knowledge.n_rows == len(self.rounds) + 1:
            self.rounds.append(round_number)

    def rounds_implying(self, query: list[Floats], sign: int) -> list[int]:
        """The rounds that together imply the sign of a query; empty if the engine stores no
        rows.
        """
        rows = self.knowledge[0].directions
        if not self.rounds or len(rows) != len(self.rounds):
            return []
        return [self.rounds[row] for row in rows_implying(rows, sign * query[0])]

    def potential(self) -> float:
        """A bound of the total future loss of these two labels."""
        return sum(knowledge.potential() for knowledge in self.knowledge)

    def softened(self, *, noise: float, seed: int) -> Self:
        """The same rows as soft knowledge, for labels of which some are wrong; ellipsoids start
        from scratch.
        """
        soft: list[KnowledgeSet] = [
            softened(knowledge, noise=noise, seed=seed) for knowledge in self.knowledge
        ]
        return type(self)(self.features, soft)

    def widened(self, features: Features, *, engine: str, noise: float, seed: int) -> Self:
        """The same rows for queries with more coordinates, which were 0 so far; ellipsoids start
        from scratch.
        """
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
        plus, minus = (
            rung.largest_loss(reach) ** self.features.alpha
            for reach in self.knowledge[index].reach(query[index])
        )
        return replace(outlook, loss_plus=plus, loss_minus=minus)

    def learn(self, query: list[Floats], sign: int, round_number: int) -> None:
        """Learn the sign of a query on the rung that decides and on all finer ones."""
        active = self._active(query)
        for index in range(len(query) - 1 if active is None else active, len(query)):
            self.knowledge[index].learn(query[index], sign, slack=self._rungs[index].slack)

    def unpaid_rung(self, query: list[Floats], outlook: Outlook) -> int | None:
        """The measured rung that decides about a query although a mistake would not be paid for, or
        None.

        ``outlook`` is that of the query: the potential has to fall by the largest loss when the
        sign that is not answered is learned.
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
        return active_rung(
            self._rungs, lambda index: sum(self.knowledge[index].reach(query[index]))
        )


RULES = {"informative": informative_rule, "paper": paper_rule}


@dataclass
class PairwiseAssessment:
    """What all pairs of labels imply for a query.

    Attributes
    ----------
    query : list of ndarray
        The features of the query on each lift.
    possible : list of int
        The labels that no other one certainly beats.
    mixture : Mixture
        The probabilities of guessing each of them.
    loss : float
        The most that the guess can lose, in the unit of the features.
    compared : dict
        Copies of the pairs that were compared, with their outlooks; learning continues from them,
        looking changes nothing.
    """

    query: list[Floats]
    possible: list[int]
    mixture: Mixture
    loss: float
    compared: dict[Duel, tuple[Pair, Outlook]] = field(repr=False)

    def guess(self, u: float) -> int:
        """The label to guess, for a number u drawn uniformly from [0, 1)."""
        return self.possible[self.mixture.draw(u)]

    @property
    def chances(self) -> dict[int, float]:
        """The probability with which each possible label is guessed."""
        return dict(zip(self.possible, self.mixture.chances.tolist(), strict=True))

    @property
    def certain(self) -> bool:
        """Whether a single label is possible."""
        return len(self.possible) == 1


class PairwisePartition:
    """One `Pair` for every two labels, and a rule that guesses from all of them (Guruganesh et al.
    2021, section 3.2).

    Labels that are certainly beaten are left out first. A perceptron sorts the labels, the likely
    ones first, so that few comparisons are needed; it has no other influence.

    Parameters
    ----------
    features : Features
        The features of queries.
    engine : {"sampling", "ellipsoid", "exact", "soft"}
        How each pair keeps its knowledge.
    update : {"informative", "paper", "majority"}
        The rule that chooses guesses.
    noise : float
        The share of wrong labels; above 0 for the engine "soft" only.
    seed : int
        Determines all random points.

    Examples
    --------
    >>> from wideberth.classifiers.online.lifts_by_similarity import features_of
    >>> partition = PairwisePartition(
    ...     features_of("inner", 1), engine="exact", update="informative", noise=0.0, seed=0
    ... )
    >>> partition.add_label()
    >>> partition.assess(np.array([0.5])).chances
    {0: 1.0}
    """

    def __init__(
        self, features: Features, *, engine: str, update: str, noise: float, seed: int
    ) -> None:
        self.features, self.engine, self.update, self.noise, self.seed = (
            features,
            engine,
            update,
            noise,
            seed,
        )
        self.n_labels = 0
        self.pairs: dict[Duel, Pair] = {}
        self._perceptron = np.zeros((0, features.lifts[0].dimension))
        check_engine(self.engine, features.largest_dimension, noise=self.noise)

    @property
    def proved(self) -> bool:
        """Whether potentials are proved to bound the future loss."""
        return self.features.guaranteed and PROVED[self.engine]

    @property
    def bounded(self) -> bool:
        """Whether potentials bound the future loss."""
        return self.engine != "soft" and self.features.guaranteed

    @property
    def n_rows(self) -> int:
        """How many rows are stored, by all pairs."""
        return sum(pair.n_rows for pair in self.pairs.values())

    def add_label(self) -> None:
        """Add one label, of which nothing is known, and its pairs with all others."""
        new = self.n_labels
        self.pairs |= {(old, new): self._fresh(old, new) for old in range(new)}
        self._perceptron = np.concatenate(
            [self._perceptron, np.zeros((1, self._perceptron.shape[1]))]
        )
        self.n_labels += 1

    def assess(self, query: Floats) -> PairwiseAssessment:
        """What is known of a query."""
        features = self.features.lifted(query)
        compared: dict[Duel, tuple[Pair, Outlook]] = {}
        order = np.argsort(-(self._perceptron @ features[0]), kind="stable").tolist()

        def duel(i: int, j: int) -> int:
            certain = self._compare(features, i, j, compared).certain
            return certain if i < j else -certain

        possible = survivors(order, duel)
        rule = (
            self.update if possible else "majority"
        )  # no label is left where wrong labels beat each other in a circle
        return self._choose(features, possible or order, rule, compared)

    def accurate_features(self, assessment: PairwiseAssessment) -> Features:
        """The features, with a higher degree where a pair that was compared would not pay for a
        mistake.
        """
        for pair, outlook in assessment.compared.values():
            if (
                isinstance(pair, LadderPair)
                and (index := pair.unpaid_rung(assessment.query, outlook)) is not None
            ):
                return self.features.raised(index)
        return self.features

    def duels_won(self, assessment: PairwiseAssessment, label: int) -> list[Duel]:
        """The duels of a label with those that it was compared with."""
        return [(label, i + j - label) for i, j in assessment.compared if label in (i, j)]

    def first_refuted(self, assessment: PairwiseAssessment, duels: Iterable[Duel]) -> Duel | None:
        """The first of the duels whose opposite is implied by earlier labels, by more than
        rounding.
        """
        for winner, loser in duels:
            outlook = self._compare(assessment.query, winner, loser, assessment.compared)
            implied = outlook.loss_plus if outlook.certain > 0 else outlook.loss_minus
            if outlook.certain == _sign(loser, winner) and implied > self._negligible(
                assessment.query[0]
            ):
                return winner, loser
        return None

    def rounds_implying(
        self, assessment: PairwiseAssessment, winner: int, loser: int, round_number: int
    ) -> list[int]:
        """The rounds that together imply the outcome of a duel."""
        return assessment.compared[_key(winner, loser)][0].rounds_implying(
            assessment.query, _sign(winner, loser)
        )

    def learn(
        self,
        assessment: PairwiseAssessment,
        duels: Iterable[Duel],
        *,
        guess: int | None,
        label: int,
        round_number: int,
    ) -> None:
        """Learn the outcomes of duels at the query that was assessed; the perceptron learns from
        mistakes.
        """
        for winner, loser in duels:
            self._compare(assessment.query, winner, loser, assessment.compared)
            assessment.compared[_key(winner, loser)][0].learn(
                assessment.query, _sign(winner, loser), round_number
            )
        self.pairs.update({key: pair for key, (pair, _) in assessment.compared.items()})
        if guess is not None and guess != label:
            self._perceptron[label] += assessment.query[0]
            self._perceptron[guess] -= assessment.query[0]

    def potential(self) -> float:
        """A bound of the total future loss of all pairs, in the unit of the features."""
        return sum(pair.potential() for pair in self.pairs.values())

    @property
    def initial_potential(self) -> float:
        """What the potentials of all pairs were before the first label, in the unit of the
        features.
        """
        return sum(
            knowledge.initial_potential
            for pair in self.pairs.values()
            for knowledge in pair.knowledge
        )

    @property
    def largest_loss(self) -> float:
        """The most that a guess can lose, in the unit of the features."""
        first = self.features.lifts[0]
        return (
            first.largest_loss(inf) ** self.features.alpha
            if isinstance(first, Rung)
            else self.features.scales(0).loss(first.radius)
        )

    def cost(self, assessment: PairwiseAssessment, guess: int, label: int) -> float:
        """The most that a guess can have lost at the query that was assessed, now that the label is
        known.
        """
        outlook = self._compare(assessment.query, label, guess, assessment.compared)
        return outlook.loss_plus if label < guess else outlook.loss_minus

    def on_ellipsoids(self) -> "PairwisePartition":
        """The same constraints, kept by ellipsoids, whose potentials are proved."""
        proved = copy(self)
        proved.widen(self.features, "ellipsoid")
        proved._perceptron = self._perceptron
        return proved

    def softened(self, noise: float) -> "PairwisePartition":
        """The same with soft knowledge, for labels that are wrong with probability ``noise``."""
        soft = copy(self)
        soft.engine, soft.noise = "soft", noise
        soft.pairs = {
            key: pair.softened(noise=noise, seed=self._seed(*key))
            for key, pair in self.pairs.items()
        }
        return soft

    def widen(self, features: Features, engine: str) -> None:
        """Continue with queries that have more coordinates, which count as 0 in earlier queries."""
        self.features, self.engine = features, engine
        self.pairs = {
            key: pair.widened(features, engine=engine, noise=self.noise, seed=self._seed(*key))
            for key, pair in self.pairs.items()
        }
        self._perceptron = np.zeros((self.n_labels, features.lifts[0].dimension))
        check_engine(self.engine, features.largest_dimension, noise=self.noise)

    def _choose(
        self,
        features: list[Floats],
        possible: list[int],
        rule: str,
        compared: dict[Duel, tuple[Pair, Outlook]],
    ) -> PairwiseAssessment:
        """Collect losses and drops of all pairs of possible labels, and apply the rule to them."""
        count = len(possible)
        if count == 1:
            return PairwiseAssessment(
                features, possible, Mixture(np.ones(1), price=0.0), 0.0, compared
            )
        losses, drops = np.zeros((count, count)), np.zeros((count, count))
        ahead = np.zeros((count, count), dtype=bool)
        for a, i in enumerate(possible):
            for b, j in enumerate(possible[a + 1 :], start=a + 1):
                outlook = self._compare(features, i, j, compared)
                first, second = (a, b) if i < j else (b, a)
                losses[first, second], losses[second, first] = outlook.loss_plus, outlook.loss_minus
                drops[first, second], drops[second, first] = outlook.drop_plus, outlook.drop_minus
                ahead[first, second], ahead[second, first] = outlook.answer > 0, outlook.answer < 0
        mixture = (
            RULES[rule](losses, drops) if rule in RULES else Mixture(majority(ahead), price=np.nan)
        )
        worst = float(losses[:, mixture.chances > 0].max(initial=0.0))
        return PairwiseAssessment(
            features, possible, mixture, max(worst, self.features.resolution), compared
        )

    def _compare(
        self, features: list[Floats], i: int, j: int, compared: dict[Duel, tuple[Pair, Outlook]]
    ) -> Outlook:
        """The outlook of the pair of two labels; computed once for each assessment and kept in
        ``compared``.
        """
        key = _key(i, j)
        if key not in compared:
            pair = self.pairs[key].scratch_copy()
            compared[key] = pair, pair.outlook(features)
        return compared[key][1]

    def _fresh(self, i: int, j: int) -> Pair:
        kind = LadderPair if self.features.on_rungs else Pair
        return kind.fresh(
            self.features, engine=self.engine, noise=self.noise, seed=self._seed(i, j)
        )

    def _seed(self, i: int, j: int) -> int:
        return int(np.random.SeedSequence((self.seed, i, j)).generate_state(1)[0])

    def _negligible(self, features: Floats) -> float:
        """The loss that counts as none
        (`wideberth.classifiers.online.knowledge_set.KnowledgeSet`).
        """
        return self.features.scales(0).loss(RESOLUTION * float(np.linalg.norm(features)))


def _key(i: int, j: int) -> Duel:
    return (i, j) if i < j else (j, i)


def _sign(winner: int, loser: int) -> int:
    """The sign that the pair of two labels learns when one of them wins."""
    return 1 if winner < loser else -1
