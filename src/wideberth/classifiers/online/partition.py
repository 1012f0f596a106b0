"""The knowledge of all labels of a stream, pair by pair: which of two labels is nearer, and what
all pairs together imply for a query.
"""

from collections.abc import Iterable
from copy import copy
from dataclasses import asdict, dataclass, field
from typing import Any, Protocol, Self, TypeVar

import numpy as np

from wideberth.array_types import Floats
from wideberth.classifiers.online import engines, tournament
from wideberth.classifiers.online.knowledge_set import RESOLUTION, KnowledgeSet, Outlook, State
from wideberth.classifiers.online.lifts import Lift
from wideberth.classifiers.online.polytopes import PolytopeKnowledge, rows_implying
from wideberth.classifiers.online.sampled_bodies import SampledBodies
from wideberth.errors import InvalidInput
from wideberth.estimators import restored_values

Duel = tuple[int, int]  # the winner and the loser
#: What a knowledge set says of itself and the partition knows already.
_KNOWN = ("engine", "scales")


class Assessment(Protocol):
    """What is known of one query before its label is.

    Labels are numbers, in the order in which they were first seen. Losses are in the unit of the
    features.
    """

    def guess(self, u: float) -> int:
        """The label to guess, for a number u drawn uniformly from [0, 1)."""

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
    """What a stream asks of the knowledge of all its labels.

    `assess` never changes what later rounds do; `learn` depends only on the assessment of its query
    and on earlier calls of `learn`. Labels are numbers, in the order in which they were added. A
    duel (winner, loser) states that the winner is at least as near to the query as the loser.
    """

    lift: Lift
    engine: str
    update: str  # the rule that chooses guesses: "informative", "paper" or "majority"

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

    def duels_won(self, assessment: AnyAssessment, label: int) -> list[Duel]:
        """The duels that the true label of a query wins: those from which this partition learns."""

    def first_refuted(self, assessment: AnyAssessment, duels: Iterable[Duel]) -> Duel | None:
        """The first of the duels whose opposite is implied by earlier labels, by more than
        rounding; None if there is none.
        """

    def rounds_implying(
        self, assessment: AnyAssessment, winner: int, loser: int, round_number: int
    ) -> list[int]:
        """The rounds, from 1 on, whose labels together imply that the winner beats the loser; the
        current round, which states the opposite, may be one of them. Empty if none are stored.
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
        """Learn the outcomes of duels at the query that was assessed since the last call; the round
        is remembered with the constraints that are stored.
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

    def widen(self, lift: Lift, engine: str) -> None:
        """Continue with queries that have more coordinates, which count as 0 in earlier queries."""


@dataclass
class Pair:
    """The knowledge of two labels, with the round of each row that is stored, as far as the engine
    stores one row for one label.

    A sign is + where the first label is nearer. Queries are given by their features; losses, drops
    and potentials are in the unit of the features.

    >>> from wideberth.classifiers.online.lifts import InnerLift
    >>> pair = Pair.fresh(InnerLift(1), engine="exact", noise=0.0, seed=0)
    >>> pair.learn(np.array([0.5]), sign=1, round_number=1)
    >>> pair.knowledge.outlook(np.array([-0.2])).certain
    -1
    """

    lift: Lift
    knowledge: KnowledgeSet
    rounds: list[int] = field(default_factory=list)

    @classmethod
    def fresh(cls, lift: Lift, *, engine: str, noise: float, seed: int) -> Self:
        """Two labels of which nothing is known."""
        return cls(lift, lift.knowledge(engine=engine, noise=noise, seed=seed))

    def scratch_copy(self) -> Self:
        """A copy for assessments, which do not change the original; from then on, learn with only
        one of the two.
        """
        return type(self)(self.lift, self.knowledge.scratch_copy(), self.rounds)

    def learn(self, query: Floats, sign: int, round_number: int) -> None:
        """Learn the sign of a query."""
        self.knowledge.learn(query, sign)
        if self.knowledge.n_rows == len(self.rounds) + 1:
            self.rounds.append(round_number)

    def rounds_implying(self, query: Floats, sign: int) -> list[int]:
        """The rounds that together imply the sign of a query; empty if the engine stores no
        rows.
        """
        rows = self.knowledge.directions
        if not self.rounds or len(rows) != len(self.rounds):
            return []
        return [self.rounds[row] for row in rows_implying(rows, sign * query)]

    def softened(self, *, noise: float, seed: int) -> Self:
        """The same rows as soft knowledge, for labels of which some are wrong; ellipsoids start
        from scratch.
        """
        soft = self.fresh(self.lift, engine="soft", noise=noise, seed=seed)
        for row in self.knowledge.directions:
            soft.knowledge.learn(row, 1)
        return soft

    def widened(self, lift: Lift, *, engine: str, noise: float, seed: int) -> Self:
        """The same rows for queries with more coordinates, which were 0 so far; ellipsoids start
        from scratch.
        """
        wider = self.fresh(lift, engine=engine, noise=noise, seed=seed)
        features, signs = self.lift.carried_over(self.knowledge.directions, lift)
        for row, sign in zip(features, signs, strict=True):
            wider.knowledge.learn(row, int(sign))
        return wider


RULES = {"informative": tournament.informative_rule, "paper": tournament.paper_rule}


@dataclass
class PairwiseAssessment:
    """What all pairs of labels imply for a query."""

    query: Floats  # its features
    possible: list[int]  # the labels that no other one certainly beats
    mixture: tournament.Mixture  # the probabilities of guessing each of them
    loss: float  # the most that the guess can lose, in the unit of the features
    # copies of the pairs that were compared, with their outlooks; learning continues from them,
    # looking changes nothing
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

    >>> from wideberth.classifiers.online.lifts import InnerLift
    >>> partition = PairwisePartition(
    ...     InnerLift(1), engine="exact", update="informative", noise=0.0, seed=0
    ... )
    >>> partition.add_label()
    >>> partition.assess(np.array([0.5])).chances
    {0: 1.0}
    """

    def __init__(self, lift: Lift, *, engine: str, update: str, noise: float, seed: int) -> None:
        engines.check_engine(engine, lift.largest_dimension, noise=noise)
        self.lift, self.engine, self.update = lift, engine, update
        self.noise, self.seed = noise, seed
        self.n_labels = 0
        self.pairs: dict[Duel, Pair] = {}
        self._perceptron = np.zeros((0, lift.dimension))

    @property
    def proved(self) -> bool:
        """Whether potentials are proved to bound the future loss."""
        return engines.PROVED[self.engine]

    @property
    def bounded(self) -> bool:
        """Whether potentials bound the future loss."""
        return self.engine != "soft"

    @property
    def n_rows(self) -> int:
        """How many rows are stored, by all pairs."""
        return sum(pair.knowledge.n_rows for pair in self.pairs.values())

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
        features = self.lift.features(query)
        compared: dict[Duel, tuple[Pair, Outlook]] = {}
        order = np.argsort(-(self._perceptron @ features), kind="stable").tolist()

        def duel(i: int, j: int) -> int:
            certain = self._compare(features, i, j, compared).certain
            return certain if i < j else -certain

        possible = tournament.survivors(order, duel)
        # no label is left where wrong labels beat each other in a circle
        rule = self.update if possible else "majority"
        return self._choose(features, possible or order, rule, compared)

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
                assessment.query
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
            self._perceptron[label] += assessment.query
            self._perceptron[guess] -= assessment.query

    def potential(self) -> float:
        """A bound of the total future loss of all pairs, in the unit of the features."""
        return sum(pair.knowledge.potential() for pair in self.pairs.values())

    @property
    def initial_potential(self) -> float:
        """What the potentials of all pairs were before the first label, in the unit of the
        features.
        """
        return sum(pair.knowledge.initial_potential for pair in self.pairs.values())

    def sampled(self) -> list[SampledBodies]:
        """The bodies whose shares are counted by points; none where potentials are proved."""
        return sampled_in(pair.knowledge for pair in self.pairs.values())

    def cost(self, assessment: PairwiseAssessment, guess: int, label: int) -> float:
        """The most that a guess can have lost at the query that was assessed, now that the label is
        known.
        """
        outlook = self._compare(assessment.query, label, guess, assessment.compared)
        return outlook.loss_plus if label < guess else outlook.loss_minus

    def on_ellipsoids(self) -> "PairwisePartition":
        """The same constraints, kept by ellipsoids, whose potentials are proved."""
        proved = copy(self)
        proved.widen(self.lift, "ellipsoid")
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

    def widen(self, lift: Lift, engine: str) -> None:
        """Continue with queries that have more coordinates, which count as 0 in earlier queries."""
        engines.check_engine(engine, lift.largest_dimension, noise=self.noise)
        self.lift, self.engine = lift, engine
        self.pairs = {
            key: pair.widened(lift, engine=engine, noise=self.noise, seed=self._seed(*key))
            for key, pair in self.pairs.items()
        }
        self._perceptron = np.zeros((self.n_labels, lift.dimension))

    def state(self) -> State:
        """What must be remembered, as plain values for a model file. Of the knowledge of pairs, arrays
        of the same name are put together, so that the number of arrays in a file does not grow with
        the number of pairs.
        """
        pairs = list(self.pairs.values())
        rounds = [{"rounds": np.array(pair.rounds, dtype=np.int64)} for pair in pairs]
        return {
            "engine": self.engine,
            "update": self.update,
            "noise": self.noise,
            "perceptron": self._perceptron,
            "rounds": _packed(rounds),
            "knowledge": _packed([pair.knowledge.state() for pair in pairs]),
        }

    @classmethod
    def from_state(
        cls, lift: Lift, state: State, n_labels: int, *, n_rounds: int, seed: int
    ) -> Self:
        """The partition with the given state, after so many rounds; an `InvalidInput` if there is no
        such partition.
        """
        engine = restored_values.choice(state, "engine", engines.ENGINES)
        partition = cls(
            lift,
            engine=engine,
            update=restored_values.choice(state, "update", ("informative", "paper", "majority")),
            noise=restored_values.number(state, "noise", least=0.0),
            seed=seed,
        )
        partition.n_labels = n_labels
        partition._perceptron = restored_values.table(
            state, "perceptron", (n_labels, lift.dimension)
        )
        # in the order in which labels make pairs
        duels = [(old, new) for new in range(n_labels) for old in range(new)]
        rounds, known = (_unpacked(state[name], len(duels)) for name in ("rounds", "knowledge"))
        usual = {"engine": engine, "scales": asdict(lift.scales())}
        for duel, of_pair, learned in zip(duels, known, rounds, strict=True):
            knowledge = engines.restored(of_pair | usual)
            stored = restored_values.codes(
                learned, "rounds", len(learned["rounds"]), below=n_rounds + 1
            ).tolist()
            if len(stored) > knowledge.n_rows:
                raise InvalidInput(
                    f"{len(stored)} rounds have left {knowledge.n_rows} rows.", value=len(stored)
                )
            partition.pairs[duel] = Pair(lift, knowledge, stored)
        return partition

    def _choose(
        self,
        features: Floats,
        possible: list[int],
        rule: str,
        compared: dict[Duel, tuple[Pair, Outlook]],
    ) -> PairwiseAssessment:
        """Collect losses and drops of all pairs of possible labels, and apply the rule to them."""
        count = len(possible)
        if count == 1:
            return PairwiseAssessment(
                features, possible, tournament.Mixture(np.ones(1), price=0.0), 0.0, compared
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
            RULES[rule](losses, drops)
            if rule in RULES
            else tournament.Mixture(tournament.majority(ahead), price=np.nan)
        )
        worst = float(losses[:, mixture.chances > 0].max(initial=0.0))
        return PairwiseAssessment(
            features, possible, mixture, max(worst, self.lift.resolution), compared
        )

    def _compare(
        self, features: Floats, i: int, j: int, compared: dict[Duel, tuple[Pair, Outlook]]
    ) -> Outlook:
        """The outlook of the pair of two labels; computed once for each assessment and kept in
        ``compared``.
        """
        key = _key(i, j)
        if key not in compared:
            pair = self.pairs[key].scratch_copy()
            compared[key] = pair, pair.knowledge.outlook(features)
        return compared[key][1]

    def _fresh(self, i: int, j: int) -> Pair:
        return Pair.fresh(self.lift, engine=self.engine, noise=self.noise, seed=self._seed(i, j))

    def _seed(self, i: int, j: int) -> int:
        return int(np.random.SeedSequence((self.seed, i, j)).generate_state(1)[0])

    def _negligible(self, features: Floats) -> float:
        """The loss that counts as none
        (`wideberth.classifiers.online.knowledge_set.KnowledgeSet`).
        """
        return self.lift.scales().loss(RESOLUTION * float(np.linalg.norm(features)))


def _key(i: int, j: int) -> Duel:
    return (i, j) if i < j else (j, i)


def _sign(winner: int, loser: int) -> int:
    """The sign that the pair of two labels learns when one of them wins."""
    return 1 if winner < loser else -1


def sampled_in(knowledge: Iterable[KnowledgeSet]) -> list[SampledBodies]:
    """The bodies of knowledge sets that are sampled by points."""
    return [
        each.bodies
        for each in knowledge
        if isinstance(each, PolytopeKnowledge) and isinstance(each.bodies, SampledBodies)
    ]


def _packed(states: list[State]) -> dict[str, Any]:
    """Many states of the same names as one: numbers as arrays, arrays put together along their
    first axis with their lengths.

    >>> packed = _packed(
    ...     [{"draws": 1, "rows": np.zeros((2, 3))}, {"draws": 5, "rows": np.zeros((1, 3))}]
    ... )
    >>> packed["draws"], packed["rows"]["lengths"], packed["rows"]["values"].shape
    (array([1, 5]), array([2, 1]), (3, 3))
    """
    names = [name for name in (states[0] if states else ()) if name not in _KNOWN]
    columns = {name: [state[name] for state in states] for name in names}
    return {
        name: {
            "values": np.concatenate(column),
            "lengths": np.array([len(part) for part in column]),
        }
        if isinstance(column[0], np.ndarray)
        else np.array(column)
        for name, column in columns.items()
    }


def _unpacked(packed: dict[str, Any], count: int) -> list[State]:
    """The ``count`` states that `_packed` was given; an `InvalidInput` if it cannot have been as
    many.
    """
    columns: dict[str, list[Any]] = {}
    for name, column in packed.items():
        if isinstance(column, dict):
            lengths = restored_values.codes(
                column, "lengths", count, below=len(column["values"]) + 1
            )
            if lengths.sum() != len(column["values"]):
                raise InvalidInput(
                    f"The parts of {name!r} are not as long as all of them together.", value=name
                )
            columns[name] = np.split(column["values"], np.cumsum(lengths)[:-1]) if count else []
        else:
            restored_values.numbers(packed, name, count)
            columns[name] = column.tolist()
    if not columns and count:
        raise InvalidInput(f"There is nothing on {count} pairs of labels.", value=count)
    return [
        dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)
    ]
