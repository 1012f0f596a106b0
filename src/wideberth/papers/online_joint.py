r"""Online learning with one knowledge of all centres together, which loses little and is not
bounded.

Each point of one population is a possible position of all centres. A label y of a query q gives one
row about all centres for each other label j (Kesler's construction),

.. math:: \langle q, x_y \rangle \ge \langle q, x_j \rangle,

so that pairs of labels learn from each other through the centre that they share. That saves
mistakes, compared with one set of differences for each pair; the price is a population in k d
dimensions, and no bound of the total loss is known.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field, fields
from functools import cached_property
from math import inf, sqrt
from typing import Any, NamedTuple

import numpy as np

from wideberth.array_types import Floats
from wideberth.classifiers.online.classifier import FITS, OnlinePartitionClassifier
from wideberth.classifiers.online.knowledge_set import RESOLUTION
from wideberth.classifiers.online.lifts import ChebyshevLift, EuclideanLift, InnerLift, Lift
from wideberth.classifiers.online.parameters import one_of
from wideberth.classifiers.online.partition import Duel, PairwisePartition
from wideberth.classifiers.online.polytopes import Rows, rows_implying
from wideberth.classifiers.online.sampled_bodies import SWEEPS, Body, confine, mix, uniform_in_ball

POINTS = 100  # more points change losses by less than chance does
INFORMATIVE = 0.05  # a row that a smaller share of the points violates is not worth keeping


class JointKnowledge:
    r"""Rows :math:`\langle a, x \rangle \ge 0` for centres :math:`x = (x_1, \ldots, x_k)`, of which
    any two are at most r apart.

    Only differences of centres count, so their mean may be taken for 0, and then :math:`|x|^2 =
    \frac1k \sum_{i<j} |x_i - x_j|^2 \le \frac{k-1}{2} r^2`. The points are in a ball that is a
    little larger, and in a body that is fattened by the resolution below which losses count as 0,
    so that it is never empty; they stay spread over it as it shrinks (`confine`).

    Proved: `reach`, hence certain outcomes. How fast it learns is not: no bound of its total loss
    is known. All steps depend only on the seed and on what was learned.

    >>> knowledge = JointKnowledge(dimension=2, radius=2.0, seed=0)
    >>> for _ in range(3):
    ...     knowledge.add_label()
    >>> query = np.array([1.0, 0.0])
    >>> knowledge.learn(query, [(2, 0), (2, 1)])
    [(2, 0), (2, 1)]
    >>> round(knowledge.reach(query, 0, 2), 9), round(knowledge.reach(query, 0, 1), 9)
    (0.0, 2.0)
    """

    def __init__(self, dimension: int, *, radius: float, seed: int) -> None:
        self.dimension, self.radius, self.seed = dimension, radius, seed
        self.n_labels = 0
        self.rows = Rows(0)
        self._points = np.zeros((POINTS, 0))
        self._draws = 0

    @property
    def points(self) -> Floats:
        """The population, shape (points, labels, dimension): one possible position of all centres
        each.
        """
        return self._points.reshape(len(self._points), self.n_labels, self.dimension)

    def add_label(self) -> None:
        """Add one centre, of which nothing is known."""
        generator = self._generator()
        new = uniform_in_ball(len(self._points), self.dimension, self.radius / sqrt(2), generator)
        self.n_labels += 1
        self.rows = self.rows.widened(self.n_labels * self.dimension)
        self._points = np.concatenate([self._points, new], axis=1)
        mix(self._points, np.ones(len(self._points), dtype=bool), self._body(), SWEEPS, generator)

    def scores(self, query: Floats) -> Floats:
        """The inner products of a query with the centres of each point, shape (points, labels)."""
        return np.asarray(self.points @ query)

    def reach(self, query: Floats, winner: int, loser: int) -> float:
        r"""The maximum of :math:`\langle q, x_w - x_l \rangle` over all centres that agree with the
        rows, for the labels w and l.
        """
        row, length = self.row(query, winner, loser)
        return length * self._reach(self.rows, row)

    def first_refuted(self, query: Floats, duels: list[Duel]) -> Duel | None:
        """The first duel that the rows make impossible, alone or else together with the duels
        before it; None if there is none.

        If some point agrees with all of the duels, they are possible, and nothing needs to be
        solved.
        """
        scores = self.scores(query)
        if (
            np.all([scores[:, winner] > scores[:, loser] for winner, loser in duels], axis=0).any()
            or not query.any()
        ):
            return None
        for together in (False, True):
            rows = self.rows.copy()
            for winner, loser in duels:
                row, _ = self.row(query, winner, loser)
                if self._reach(rows, row) <= RESOLUTION:
                    return winner, loser
                if together:
                    rows.add(row)
        return None

    def learn(self, query: Floats, duels: list[Duel], *, guess: int | None = None) -> list[Duel]:
        """Store the rows of those duels that enough of the points violate, and return these duels.

        A row against the label that was guessed is always stored: otherwise the same mistake could
        be made again.
        """
        scores = self.scores(query)
        before, kept = len(self.rows), []
        for winner, loser in duels:
            row, length = self.row(query, winner, loser)
            violating = np.mean(scores[:, winner] < scores[:, loser])
            if length and (violating >= INFORMATIVE or loser == guess):
                self.rows.add(row)
                kept.append((winner, loser))
        if kept:
            self._points = confine(self._points, self._body(), before, self._generator())
        return kept

    def row(self, query: Floats, winner: int, loser: int) -> tuple[Floats, float]:
        """The constraint of a duel, as a unit vector in k d dimensions, and the length that it had
        before.

        It is q at the winner, -q at the loser and 0 elsewhere.
        """
        contrast = np.zeros((self.n_labels, self.dimension))
        contrast[winner], contrast[loser] = query, -query
        length = sqrt(2) * float(np.linalg.norm(query))
        return contrast.ravel() / (length or 1.0), length

    def _reach(self, rows: Rows, row: Floats) -> float:
        """The reach of the row of a duel: by the rows, and at most what the distance r of two
        centres allows.
        """
        largest = sqrt((self.n_labels - 1) / 2) * self.radius
        # two centres are at most r apart
        return min(rows.reach(largest, row), self.radius / sqrt(2))

    def _body(self) -> Body:
        thickness = RESOLUTION * self.radius
        return Body(
            self.rows.directions,
            np.full(len(self.rows), thickness),
            sqrt(self.n_labels / 2) * self.radius + thickness,
        )

    def _generator(self) -> np.random.Generator:
        """A new generator that depends only on the seed and the number of earlier calls."""
        self._draws += 1
        return np.random.default_rng((self.seed, self._draws))


class RowOrigin(NamedTuple):
    """The round, from 1 on, and the duel from which a row of the knowledge was made."""

    round_number: int
    winner: int
    loser: int


@dataclass
class JointAssessment:
    """What the points of a `JointKnowledge` say of a query."""

    query: Floats  # its features
    knowledge: JointKnowledge = field(repr=False)
    power: float  # of losses on the features

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
        return 0.0 if self.certain else float(max(self._leads) ** self.power)

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

    >>> partition = JointPartition(InnerLift(2), update="informative", seed=0)
    >>> partition.add_label()
    >>> partition.add_label()
    >>> assessment = partition.assess(np.array([1.0, 0.0]))
    >>> partition.learn(assessment, [(1, 0)], guess=0, label=1, round_number=1)
    >>> partition.assess(np.array([1.0, 0.0])).guess(0.5), partition.n_rows
    (1, 1)
    """

    engine, proved, bounded = "joint", False, False

    def __init__(self, lift: Lift, *, update: str, seed: int) -> None:
        self.update, self.seed = update, seed
        self._start(lift)

    def _start(self, lift: Lift) -> None:
        self.lift = lift
        self.knowledge = JointKnowledge(lift.dimension, radius=lift.radius, seed=self.seed)
        self.lessons: list[RowOrigin] = []  # where each stored row comes from, in their order

    @property
    def n_rows(self) -> int:
        """How many linear constraints are stored."""
        return len(self.knowledge.rows)

    def add_label(self) -> None:
        """Add one label, of which nothing is known."""
        self.knowledge.add_label()

    def assess(self, query: Floats) -> JointAssessment:
        """What is known of a query."""
        return JointAssessment(
            self.lift.features(query), self.knowledge, self.lift.alpha * self.lift.power
        )

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
        rows = self.knowledge.rows.directions
        rounds = [lesson.round_number for lesson in self.lessons]
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
        kept = self.knowledge.learn(assessment.query, list(duels), guess=guess)
        self.lessons += [RowOrigin(round_number, *duel) for duel in kept]

    def cost(self, assessment: JointAssessment, guess: int, label: int) -> float:
        """The most that a guess can have lost, now that the label is known."""
        lead = self.knowledge.reach(assessment.query, label, guess)
        return float(lead**assessment.power)

    def potential(self) -> float:
        """Infinite: the future loss is not bounded."""
        return inf

    def softened(self, noise: float) -> PairwisePartition:
        """The rows as those of pairs of labels with soft knowledge, for labels that are wrong with
        probability ``noise``.
        """
        pairs = PairwisePartition(
            self.lift, engine="soft", update=self.update, noise=noise, seed=self.seed
        )
        for _ in range(self.knowledge.n_labels):
            pairs.add_label()
        for (round_number, winner, loser), query in zip(self.lessons, self._queries(), strict=True):
            first, second = sorted((winner, loser))
            pairs.pairs[first, second].learn(query, 1 if winner < loser else -1, round_number)
        return pairs

    def widen(self, lift: Lift, engine: str) -> None:
        """Continue with queries that have more coordinates, which count as 0 in earlier queries;
        ``engine`` is not used.
        """
        lifted, _ = self.lift.carried_over(self._queries(), lift)
        n_labels, lessons = self.knowledge.n_labels, self.lessons
        self._start(lift)
        for _ in range(n_labels):
            self.knowledge.add_label()
        for (round_number, winner, loser), query in zip(lessons, lifted, strict=True):
            kept = self.knowledge.learn(query, [(winner, loser)], guess=loser)
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


class _Plain:
    """Losses in terms of w of its own length: points know all centres, not a cone for each pair."""

    bound: float
    plain_power: float

    @property
    def power(self) -> float:
        """The plain power."""
        return self.plain_power

    def loss_scale(self, query: Floats) -> float:
        """The unit of lengths."""
        return self.bound


class PlainEuclideanLift(_Plain, EuclideanLift):
    """`EuclideanLift`, with the root of the inner product for losses.

    >>> PlainEuclideanLift(2).power
    0.5
    """


class PlainChebyshevLift(_Plain, ChebyshevLift):
    """`ChebyshevLift`, with the p-th root of the inner product for losses."""


class JointPartitionClassifier(OnlinePartitionClassifier):
    """`wideberth.OnlinePartitionClassifier` with constraints and points for all labels together.

    It lost less than the engine "sampling" on most measured streams with three or more labels, as
    long as the number of labels times that of features is at most about 50, by about one standard
    error. Nothing bounds its total loss; what is certain and bounds of single losses are proved. It
    notices contradictions among any number of labels, and always learns from every label.

    Parameters
    ----------
    similarity, p, alpha, radius, inconsistent, random_state
        As for `wideberth.OnlinePartitionClassifier`.

    Examples
    --------
    >>> learner = JointPartitionClassifier("inner", random_state=0)
    >>> learner.fit([[1.0], [-1.0]], ["right", "left"]).predict([[0.5]])
    array(['right'], dtype='<U5')
    >>> learner.engine_, learner.remaining_loss_bound()
    ('joint', inf)
    """

    engine, update, noise = "joint", "informative", 0.0
    _fits = FITS | {"engine": one_of("joint")}

    def __init__(
        self,
        similarity: str = "euclidean",
        *,
        p: float = 2,
        alpha: float | None = None,
        radius: float | str = "auto",
        inconsistent: str = "soften",
        random_state: Any = None,
    ) -> None:
        self.similarity = similarity
        self.p = p
        self.alpha = alpha
        self.radius = radius
        self.inconsistent = inconsistent
        self.random_state = random_state

    def _lift(self, n_features: int, radius: float) -> Lift:
        lift = super()._lift(n_features, radius)
        if isinstance(lift, InnerLift):
            return lift
        plain = PlainEuclideanLift if isinstance(lift, EuclideanLift) else PlainChebyshevLift
        return plain(**{each.name: getattr(lift, each.name) for each in fields(lift)})

    def _partition(self, lift: Lift, seed: int) -> JointPartition:
        return JointPartition(lift, update=self.update, seed=seed)
