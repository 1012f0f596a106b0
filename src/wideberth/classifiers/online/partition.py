"""What keeps the knowledge of all labels of a stream: the questions that it answers, whatever way it is kept."""

from collections.abc import Iterable
from typing import Any, Protocol, TypeVar

from wideberth.arrays import Floats
from wideberth.classifiers.online.features import Features

Duel = tuple[int, int]  # the winner and the loser


class Assessment(Protocol):
    """What is known of a query. Labels are numbers, in the order in which they were first seen."""

    def guess(self, u: float) -> int:
        """The label to guess, for a number u drawn uniformly from [0, 1)."""

    @property
    def chances(self) -> dict[int, float]:
        """With which chance each label is guessed; those that are not are left out."""

    @property
    def certain(self) -> bool:
        """Whether the past leaves one label only."""

    @property
    def loss(self) -> float:
        """The most that the guess can lose, in the unit of the features."""


AnyAssessment = TypeVar("AnyAssessment", bound=Assessment)


class Partition(Protocol[AnyAssessment]):
    """The knowledge of all labels. Looking leaves no trace; learning depends on what was looked at, and on the lessons before."""

    features: Features
    engine: str
    update: str

    @property
    def proved(self) -> bool:
        """Whether the potential is proved to bound the loss to come."""

    @property
    def bounded(self) -> bool:
        """Whether it bounds the loss to come at all, be it likely only."""

    @property
    def n_rows(self) -> int:
        """How many rows are kept."""

    def add_label(self) -> None:
        """Make room for one label more."""

    def assess(self, query: Floats) -> AnyAssessment:
        """What is known of a query."""

    def duels_won(self, assessment: AnyAssessment, label: int) -> list[Duel]:
        """What a label says of it and others."""

    def first_refuted(self, assessment: AnyAssessment, duels: Iterable[Duel]) -> Duel | None:
        """The first of the duels of which the past implies the opposite, and by more than rounding can do."""

    def rounds_implying(self, assessment: AnyAssessment, winner: int, loser: int, round_number: int) -> list[int]:
        """The rounds that together imply the outcome of a duel, of which this round tells the opposite."""

    def learn(
        self, assessment: AnyAssessment, duels: Iterable[Duel], *, guess: int | None, label: int, round_number: int
    ) -> None:
        """Learn the outcome of duels for the query that was looked at, after a guess and what would have been right."""

    def potential(self) -> float:
        """A bound of all loss to come, in the unit of the features, proved or likely as `proved` and `bounded` say."""

    def softened(self, noise: float) -> "Partition[Any]":
        """What goes on with soft cuts, for labels that are wrong with the probability ``noise``."""

    def widen(self, features: Features, engine: str) -> None:
        """Go on with queries that have more coordinates, which were 0 so far."""
