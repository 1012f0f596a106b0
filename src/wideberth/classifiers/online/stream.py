r"""A stream of queries and labels: it guesses, counts mistakes, learns, and handles labels that
contradict earlier ones.

**How far the bound of an engine that counts points can be relied on: a failure probability, and a
bound that holds for certain.**

*Likely.* The potentials of the engine "sampling" pay for all losses as long as no announced drop is
too large, and have fallen by those of the rows that were stored. A drop is announced from two
counts; each of them is too far off with probability at most :math:`e^{-n/32}` (Chernoff), for n
independent points. So with k labels and m rows the bound fails within T rounds with probability at
most

.. math:: \rho + 2 \bigl((k - 1)\, T + m\bigr) e^{-n/32}, \qquad n = N / F,

where N is the number of points, and F an upper bound of how much groups of points differ beyond
chance at the cuts so far (`wideberth.classifiers.online.sampled_bodies.Dispersion`), which
is itself too small with probability at most :math:`\rho`. This assumes that queries and labels do
not depend on the guesses, as those of any given data set; that points count as so many independent
ones as their groups show; and that the walk along axes found from the points themselves is as good
as one along given axes.

*Certain.* What a mistake can have cost at most is known, by projections, without any points. These
costs are added up. Once they exceed what the potentials at the start could pay for, some count was
wrong, and the engine "ellipsoid", which needs no counts, takes over with all constraints. So
whatever the points are like, and against every opponent,

.. math:: \text{loss} \le (\text{potential at the start} - \text{costs so far})
    + \text{largest loss} + \text{potential of ellipsoids}.

Derived here.
"""

from math import exp, inf, sqrt
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from wideberth.array_types import Floats
from wideberth.classifiers.online.knowledge_set import State
from wideberth.classifiers.online.lifts import Lift
from wideberth.classifiers.online.partition import Assessment, Duel, PairwisePartition, Partition
from wideberth.classifiers.online.sampled_bodies import TOLERANCE, Dispersion
from wideberth.errors import InconsistentLabels, InvalidInput
from wideberth.estimators import restored_values
from wideberth.objects.labels import code_labels
from wideberth.wording import setting

#: The probability with which the measured dispersion of points may be too small.
RISK = 0.001
_COUNTS = ("seed", "rounds", "mistakes", "contradictions")


#: The share of wrong labels that is assumed after the first contradiction, with
#: ``inconsistent="soften"``.
NOISE_AFTER_CONTRADICTION = 0.05
#: The number of rounds for which a summary states how sure the bound of their loss is.
ROUNDS_IN_WORDS = 10_000


class Contradiction(NamedTuple):
    """A label that contradicts earlier labels.

    Attributes
    ----------
    round : int
        The round of the label, from 1 on.
    told : object
        The label that is said to be nearer to the query of this round.
    implied : object
        The label that is nearer according to earlier rounds.
    witnesses : tuple of int
        The rounds that together imply this; empty for an engine that stores no constraints.

    >>> print(Contradiction(7, told="tea", implied="rum", witnesses=(2, 3, 5)).describe())
    Round 7 says that 'tea' is nearer than 'rum', but rounds 2, 3 and 5 imply the opposite; at best, a tie explains all of them.
    """

    round: int
    told: Any
    implied: Any
    witnesses: tuple[int, ...]

    def describe(self) -> str:
        """The contradiction in one sentence."""
        *others, last = self.witnesses or (0,)
        rounds = f"rounds {', '.join(map(str, others))} and {last}" if others else f"round {last}"
        past = (
            f"{rounds} impl{'y' if others else 'ies'}"
            if self.witnesses
            else "the rounds before imply"
        )
        return (
            f"Round {self.round} says that {self.told!r} is nearer than {self.implied!r}, but "
            f"{past} the opposite; at best, a tie explains all of them."
        )

    def error(self) -> InconsistentLabels:
        """The error for ``inconsistent="error"``; it carries the round, the label and the
        witnesses.
        """
        return InconsistentLabels(
            self.describe(),
            advice=f"If labels can be wrong, give their share as {setting('noise')}, or assume a share of 5 % after the "
            "first contradiction "
            'by inconsistent="soften"; inconsistent="ignore" skips such labels. If the labels are not those of nearest centres, '
            "no bound of the loss holds.",
            witness=self.witnesses,
            value=self.told,
            round=self.round,
        )


class Stream:
    """Labels of any kind around a `Partition`, which knows them by numbers in the order in which
    they were first seen.

    Each round has one random number, which the seed determines, so that the same query gets the
    same guess until a label is learned.

    >>> from wideberth.classifiers.online.lifts import InnerLift
    >>> partition = PairwisePartition(
    ...     InnerLift(1), engine="exact", update="informative", noise=0.0, seed=0
    ... )
    >>> stream = Stream(partition, update="informative", inconsistent="error", seed=0)
    >>> for query, label in ((0.5, "right"), (-0.5, "left"), (0.2, "right")):
    ...     stream.learn(np.array([query]), [label], is_ranking=False)
    >>> stream.labels[stream.guess(stream.assess(np.array([0.1])))], stream.mistakes
    ('right', 2)
    """

    def __init__(
        self, partition: Partition[Any], *, update: str, inconsistent: str, seed: int
    ) -> None:
        self.partition = partition
        self.update = update
        self.inconsistent = inconsistent
        self.seed = seed
        self.labels: list[Any] = []
        self.classes: NDArray[Any] = np.array([])
        self.rounds = self.mistakes = self.contradictions = 0
        self.first_contradiction: Contradiction | None = None
        self._numbers: dict[Any, int] = {}
        # the most that mistakes can have cost since the bound was last stated, in the unit of the
        # features
        self.cost = 0.0
        self._labels_told = False  # whether a label, not only rankings, was learned
        # the latest query and its assessment, until the next label
        self._last: tuple[Floats, Assessment] | None = None

    def __getstate__(self) -> dict[str, Any]:
        return vars(self) | {"_last": None}

    def add_labels(self, labels: list[Any]) -> None:
        """Add the labels that were not seen before."""
        new = [label for label in dict.fromkeys(labels) if label not in self._numbers]
        if not new:
            return
        self.classes = code_labels([*self.labels, *new], len(self.labels) + len(new)).classes
        for label in new:
            self._numbers[label] = len(self.labels)
            self.labels.append(label)
            self.partition.add_label()
        self._last = None

    def assess(self, query: Floats) -> Assessment:
        """What is known of a query; kept until the next label is learned, since `learn` usually
        needs it again.
        """
        if self._last is None or not np.array_equal(query, self._last[0]):
            self._last = query.copy(), self.partition.assess(query)
        return self._last[1]

    def guess(self, assessment: Assessment) -> int:
        """The number of the label to guess in this round."""
        drawn = max(assessment.chances.values()) < 1
        return assessment.guess(
            np.random.default_rng((self.seed, self.rounds)).random() if drawn else 0.0
        )

    def learn(self, query: Floats, labels: list[Any], *, is_ranking: bool) -> None:
        """Learn the label of a query, the only one of ``labels``, or the ranking of all labels, the
        nearest first; an `InconsistentLabels` if it contradicts earlier ones and is not to be
        borne.
        """
        guess = self.guess(self.assess(query)) if self.labels else None
        known = [self._numbers[label] for label in labels if label in self._numbers]
        if known and self._is_refused(query, known, is_ranking):
            self._count(guess, labels[0])
            return
        # the round in which a label is first seen is not in the bound
        paid = guess is not None and labels[0] in self._numbers
        self.add_labels(labels)
        assessment, numbers = self.assess(query), [self._numbers[label] for label in labels]
        duels = self._duels(assessment, numbers, is_ranking)
        if self.partition.update == "paper":
            duels = [(winner, loser) for winner, loser in duels if loser == guess]
        if paid and guess is not None and guess != numbers[0] and self.partition.bounded:
            self.cost += self.partition.cost(assessment, guess, numbers[0])
        self.partition.learn(
            assessment, duels, guess=guess, label=numbers[0], round_number=self.rounds + 1
        )
        self._last = None
        self._watch_costs()
        self._labels_told = self._labels_told or not is_ranking
        self.partition.update = self.update if self._labels_told else "majority"
        self._count(guess, labels[0])

    def potential(self) -> float:
        """What all pairs of labels can still lose, in the unit of the user's loss."""
        # measuring the potential updates the knowledge, so an assessment made before is out of date
        self._last = None
        return self.partition.potential() * self.partition.lift.loss_unit

    def remaining_loss(self) -> float:
        """A bound of what all future guesses can lose together; infinite where none is known."""
        if not self.partition.bounded or self.contradictions:
            return inf
        return self._price * self.potential()

    def certain_loss(self) -> float:
        """As `remaining_loss`, but proved for the engine "sampling" too
        (`wideberth.classifiers.online.stream`).
        """
        remaining = self.remaining_loss()
        if remaining == inf or not (counted := self._counted_partition):
            return remaining
        left = max(0.0, self._price * counted.initial_potential - self.cost)
        ellipsoids = counted.on_ellipsoids().potential()
        loss = left + counted.lift.largest_loss + self._price * ellipsoids
        return loss * counted.lift.loss_unit

    def failure_probability(self, rounds: int) -> float:
        """The probability, at most, that so many rounds lose more than `remaining_loss`; 0 if that
        is infinite.
        """
        counted = self._counted_partition
        if self.remaining_loss() == inf or not counted or not (sampled := counted.sampled()):
            return 0.0
        dispersion = sum((bodies.dispersion for bodies in sampled), Dispersion())
        points = min(bodies.n_points for bodies in sampled) / dispersion.inflation(RISK)
        counts = 2 * ((counted.n_labels - 1) * rounds + counted.n_rows)
        return min(1.0, RISK * (dispersion.freedom > 0) + counts * exp(-points * TOLERANCE))

    def losses_in_words(self) -> str:
        """One sentence on what future guesses can lose, and how sure that is."""
        remaining = self.remaining_loss()
        if remaining == inf:
            return "What future guesses can lose is not bounded."
        if self.partition.proved:
            return f"All future guesses together lose at most {remaining:.4g}."
        return (
            f"The next {ROUNDS_IN_WORDS:,} guesses together lose at most {remaining:.4g}, or more "
            f"with a probability of at most {self.failure_probability(ROUNDS_IN_WORDS):.1g} if "
            "queries do not depend on guesses; in any case all of them lose at most "
            f"{self.certain_loss():.4g}."
        )

    def widen(self, lift: Lift, engine: str) -> None:
        """Continue with queries that have more coordinates."""
        self.partition.widen(lift, engine)
        self._last, self.cost = None, 0.0  # the bound is stated anew

    def check_ranking(self, ranking: list[Any]) -> None:
        """Raise an `InvalidInput` for a ranking that has a label twice or lacks a label that was
        seen.
        """
        missing = [label for label in self.labels if label not in ranking]
        if missing or len(set(ranking)) < len(ranking):
            fault = f"leaves out {missing[0]!r}" if missing else "has a label twice"
            raise InvalidInput(
                f"The ranking {ranking!r} {fault}.",
                advice="Rank all labels seen so far, the nearest first.",
                value=ranking,
            )

    def state(self) -> State:
        """What was learned, as plain values for a model file; the keys are part of the file format.

        All that later guesses depend on is written, so that a learner that was loaded goes on
        exactly as the one that was saved. Random numbers are no exception: each generator depends
        only on a seed and on how many were made before it.
        """
        assert isinstance(self.partition, PairwisePartition)
        first = self.first_contradiction
        return {
            "labels": list(self.labels),
            "update": self.update,
            "inconsistent": self.inconsistent,
            **{name: getattr(self, name) for name in _COUNTS},
            "labels_told": self._labels_told,
            "cost": self.cost,
            "first_contradiction": None
            if first is None
            else first._asdict() | {"witnesses": list(first.witnesses)},
            "partition": self.partition.state(),
        }

    @classmethod
    def from_state(cls, lift: Lift, state: State) -> Self:
        """The stream with the given state, with features of this lift.

        The state comes from a file, so that lengths, ranges and finiteness are checked before
        compiled code relies on them; an `InvalidInput` if a value is not possible.
        """
        counts = {
            name: restored_values.whole(state, name, least=0, most=restored_values.ANY_POSITION)
            for name in _COUNTS
        }
        seed, labels = counts["seed"], state["labels"]
        if not isinstance(labels, list) or not labels or len(set(labels)) < len(labels):
            raise InvalidInput("The labels are not different values, one at least.", value=labels)
        partition = PairwisePartition.from_state(
            lift, state["partition"], len(labels), n_rounds=counts["rounds"], seed=seed
        )
        stream = cls(
            partition,
            update=restored_values.choice(state, "update", ("informative", "paper")),
            inconsistent=restored_values.choice(
                state, "inconsistent", ("error", "ignore", "soften")
            ),
            seed=seed,
        )
        stream.labels, stream.classes = labels, code_labels(labels, len(labels)).classes
        stream._numbers = {label: number for number, label in enumerate(labels)}
        stream.rounds, stream.mistakes = counts["rounds"], counts["mistakes"]
        stream.contradictions = counts["contradictions"]
        stream._labels_told = restored_values.flag(state, "labels_told")
        stream.cost = restored_values.number(state, "cost", least=0.0, most=restored_values.FINITE)
        stream.first_contradiction = _checked_contradiction(state["first_contradiction"], stream)
        inside = np.full(lift.n_features, lift.bound / (2 * sqrt(lift.n_features)))
        stream.guess(partition.assess(inside))  # parameters that overflow show here
        return stream

    def _duels(self, assessment: Assessment, numbers: list[int], is_ranking: bool) -> list[Duel]:
        """All duels that follow from a label, or from the order of a ranking."""
        if is_ranking:
            return [
                (winner, loser)
                for place, winner in enumerate(numbers)
                for loser in numbers[place + 1 :]
            ]
        return self.partition.duels_won(assessment, numbers[0])

    def _is_refused(self, query: Floats, known: list[int], is_ranking: bool) -> bool:
        """Whether the labels contradict earlier ones and are to be skipped.

        With ``inconsistent="error"`` a contradiction is raised; with "soften" the partition is
        replaced by a soft one, which learns the label. ``known`` are the numbers of those labels
        that were seen before.
        """
        assessment = self.assess(query)
        if self.partition.engine == "soft":
            return False
        refuted = self.partition.first_refuted(
            assessment, self._duels(assessment, known, is_ranking)
        )
        if refuted is None:
            return False
        told, implied = refuted
        witnesses = tuple(
            self.partition.rounds_implying(assessment, implied, told, self.rounds + 1)
        )
        contradiction = Contradiction(
            self.rounds + 1, self.labels[told], self.labels[implied], witnesses
        )
        if self.inconsistent == "error":
            raise contradiction.error()
        self.contradictions += 1
        self.first_contradiction = self.first_contradiction or contradiction
        if self.inconsistent == "soften":
            self.partition = self.partition.softened(NOISE_AFTER_CONTRADICTION)
            self._last = None
        return self.inconsistent == "ignore"

    @property
    def _price(self) -> float:
        """The factor of potentials in the bound of losses."""
        return {
            "informative": 1.0,
            "paper": 2.0,
            "majority": max(1.0, 2 ** (self.partition.lift.alpha - 1)),
        }[self.partition.update]

    def _watch_costs(self) -> None:
        """Go on with ellipsoids once mistakes can have cost more than potentials allow: then some
        count was wrong.
        """
        counted = self._counted_partition
        if counted and self.cost > self._price * counted.initial_potential:
            self.partition = counted.on_ellipsoids()

    @property
    def _counted_partition(self) -> PairwisePartition | None:
        """The partition if its bound relies on counts of points, else None."""
        partition = self.partition
        if isinstance(partition, PairwisePartition) and partition.engine == "sampling":
            return partition
        return None

    def _count(self, guess: int | None, label: Any) -> None:
        self.rounds += 1
        self.mistakes += guess is None or self.labels[guess] != label


def python_label(label: Any) -> Any:
    """The Python value of a label that may be a NumPy scalar.

    >>> python_label(np.int64(3)), python_label("tea")
    (3, 'tea')
    """
    return label.item() if isinstance(label, np.generic) else label


def _checked_contradiction(plain: Any, stream: Stream) -> Contradiction | None:
    if plain is None:
        return None
    round_number = restored_values.whole(plain, "round", least=1, most=stream.rounds)
    witnesses = [
        restored_values.whole({"witness": each}, "witness", least=1, most=round_number)
        for each in plain["witnesses"]
    ]
    if not {plain["told"], plain["implied"]} <= set(stream.labels):
        raise InvalidInput(
            "The first contradiction is between labels that there are not.", value=plain["told"]
        )
    return Contradiction(round_number, plain["told"], plain["implied"], tuple(witnesses))
