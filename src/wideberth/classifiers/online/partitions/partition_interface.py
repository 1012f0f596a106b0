"""Interface of the knowledge of all labels of a stream, which is kept pair by pair or jointly for
all labels.
"""

from collections.abc import Iterable
from typing import Any, Protocol, TypeVar

from wideberth.array_types import Floats
from wideberth.classifiers.online.lifts_by_similarity import Features

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
