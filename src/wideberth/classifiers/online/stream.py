"""A stream of queries and labels: what was told so far, what is guessed next, and what to do about contradictions."""

from math import inf
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wideberth.arrays import Floats
from wideberth.classifiers.online.features import Features
from wideberth.classifiers.online.partition import Assessment, Duel, Partition
from wideberth.errors import InconsistentLabels, InvalidInput
from wideberth.objects.labels import code_labels

#: The share of wrong labels that soft cuts expect when a contradiction was the first to tell of them.
NOISE_AFTER_CONTRADICTION = 0.05


class Contradiction(NamedTuple):
    """Round ``round`` says that ``told`` is nearer than ``implied``; the rounds ``witnesses`` together say the opposite.

    No witnesses are known to an engine that keeps no rows.

    >>> print(Contradiction(7, told="tea", implied="rum", witnesses=(2, 3, 5)).describe())
    Round 7 says that 'tea' is nearer than 'rum', but rounds 2, 3 and 5 imply the opposite; at best, a tie explains all of them.
    """

    round: int
    told: Any
    implied: Any
    witnesses: tuple[int, ...]

    def describe(self) -> str:
        """The contradiction in a sentence."""
        *others, last = self.witnesses or (0,)
        rounds = f"rounds {', '.join(map(str, others))} and {last}" if others else f"round {last}"
        past = f"{rounds} impl{'y' if others else 'ies'}" if self.witnesses else "the rounds before imply"
        return (
            f"Round {self.round} says that {self.told!r} is nearer than {self.implied!r}, but {past} the opposite; at best, "
            "a tie explains all of them."
        )

    def error(self) -> InconsistentLabels:
        """The error for those who want to know; nothing of the round was learned."""
        return InconsistentLabels(
            self.describe(),
            advice="If labels can be wrong, give their share as noise=, or go on with soft cuts from the first contradiction by "
            'inconsistent="soften"; inconsistent="ignore" leaves such labels out. If no nearest centres could give these labels, '
            "no bound of the loss holds.",
            witness=self.witnesses,
            value=self.told,
            round=self.round,
        )


class Stream:
    """Labels of any kind around a `Partition`, which knows them by the order in which they were first seen.

    ``update`` and ``inconsistent`` are parameters of `wideberth.OnlinePartitionClassifier`; ``seed`` draws guesses where the rule
    leaves them to chance, one number for each round, so that asking again gives the same guess.
    """

    def __init__(self, partition: Partition[Any], *, update: str, inconsistent: str, seed: int) -> None:
        self.partition, self.update, self.inconsistent, self.seed = partition, update, inconsistent, seed
        self.labels: list[Any] = []
        self.classes: NDArray[Any] = np.array([])
        self.rounds = self.mistakes = self.contradictions = 0
        self.first_contradiction: Contradiction | None = None
        self._numbers: dict[Any, int] = {}
        self._labels_told = False  # whether a label, not only rankings, was learned
        self._last: tuple[Floats, Assessment] | None = None  # the latest query and its assessment, until the next label

    def __getstate__(self) -> dict[str, Any]:
        return vars(self) | {"_last": None}

    def add_labels(self, labels: list[Any]) -> None:
        """Make room for labels that are new."""
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
        """What is known of a query; remembered until the next lesson, since that usually asks again."""
        if self._last is None or not np.array_equal(query, self._last[0]):
            self._last = query.copy(), self.partition.assess(query)
        return self._last[1]

    def guess(self, assessment: Assessment) -> int:
        """The number of the label to guess in this round."""
        drawn = max(assessment.chances.values()) < 1
        return assessment.guess(np.random.default_rng((self.seed, self.rounds)).random() if drawn else 0.0)

    def learn(self, query: Floats, labels: list[Any], *, is_ranking: bool) -> None:
        """Learn the label of a query, or the ranking of all labels."""
        guess = self.guess(self.assess(query)) if self.labels else None
        known = [self._numbers[label] for label in labels if label in self._numbers]
        if known and self._is_refused(query, known, is_ranking):
            self._count(guess, labels[0])
            return
        self.add_labels(labels)
        assessment, numbers = self.assess(query), [self._numbers[label] for label in labels]
        duels = self._duels(assessment, numbers, is_ranking)
        if self.partition.update == "paper":
            duels = [(winner, loser) for winner, loser in duels if loser == guess]
        self.partition.learn(assessment, duels, guess=guess, label=numbers[0], round_number=self.rounds + 1)
        self._last = None
        self._labels_told = self._labels_told or not is_ranking
        self.partition.update = self.update if self._labels_told else "majority"
        self._count(guess, labels[0])

    def potential(self) -> float:
        """What all pairs of labels can still lose, in the loss that the user counts."""
        self._last = None  # measuring the potential updates the knowledge, so an assessment made before is out of date
        return self.partition.potential() * self.partition.features.loss_unit

    def remaining_loss(self) -> float:
        """What all guesses to come can lose; infinite where nothing bounds it."""
        if not self.partition.bounded or self.contradictions:
            return inf
        factors = {"informative": 1.0, "paper": 2.0, "majority": max(1.0, 2 ** (self.partition.features.alpha - 1))}
        return factors[self.partition.update] * self.potential()

    def widen(self, features: Features, engine: str) -> None:
        """Go on with queries that have more coordinates."""
        self.partition.widen(features, engine)
        self._last = None

    def check_ranking(self, ranking: list[Any]) -> None:
        """Refuse a ranking that has a label twice, or not all that were seen."""
        missing = [label for label in self.labels if label not in ranking]
        if missing or len(set(ranking)) < len(ranking):
            fault = f"leaves out {missing[0]!r}" if missing else "has a label twice"
            raise InvalidInput(
                f"The ranking {ranking!r} {fault}.", advice="Rank all labels seen so far, the nearest first.", value=ranking
            )

    def _duels(self, assessment: Assessment, numbers: list[int], is_ranking: bool) -> list[Duel]:
        """All that is said of pairs: what a label says, or the order of all pairs in a ranking."""
        if is_ranking:
            return [(winner, loser) for place, winner in enumerate(numbers) for loser in numbers[place + 1 :]]
        return self.partition.duels_won(assessment, numbers[0])

    def _is_refused(self, query: Floats, known: list[int], is_ranking: bool) -> bool:
        """Whether labels contradict the past and are to be left out; or an error, or knowledge that has become soft."""
        assessment = self.assess(query)
        if self.partition.engine == "soft":
            return False
        refuted = self.partition.first_refuted(assessment, self._duels(assessment, known, is_ranking))
        if refuted is None:
            return False
        told, implied = refuted
        witnesses = tuple(self.partition.rounds_implying(assessment, implied, told, self.rounds + 1))
        contradiction = Contradiction(self.rounds + 1, self.labels[told], self.labels[implied], witnesses)
        if self.inconsistent == "error":
            raise contradiction.error()
        self.contradictions += 1
        self.first_contradiction = self.first_contradiction or contradiction
        if self.inconsistent == "soften":
            self.partition = self.partition.softened(NOISE_AFTER_CONTRADICTION)
            self._last = None
        return self.inconsistent == "ignore"

    def _count(self, guess: int | None, label: Any) -> None:
        self.rounds += 1
        self.mistakes += guess is None or self.labels[guess] != label
