"""One learner on one stream, and the outcomes of all, kept on disk."""

import time
from collections.abc import Callable
from dataclasses import asdict, dataclass

import numpy as np

from benchmarks.keeping import kept
from benchmarks.online.libraries import PEERS_OF_MANY, PEERS_OF_TWO
from benchmarks.online.ours import OURS, OURS_APART
from benchmarks.online.peers import Learner
from benchmarks.online.streams import STREAMS, Truth

LABELS, DIMENSIONS, SEEDS = (2, 3, 5, 10), (2, 5, 10, 20), range(5)
ROUNDS = 10_000
#: Fewer rounds, for all learners alike, where a round of ours is expensive: with many labels in
#: many dimensions, or with an opponent, who asks a dozen queries for one.
FEWER_ROUNDS, FEWEST_ROUNDS = 2_000, 1_000
#: Seeds where a stream takes minutes: from so many numbers of a point on, or more with an opponent,
#: who has fewer rounds.
FEWER_SEEDS, MANY_NUMBERS, MANY_WITH_OPPONENT = 3, 50, 200
#: The joint engine is left out where its points would have more numbers than this: a round takes 14
#: to 43 ms at 50.
JOINT_AT_MOST = 40
#: Rounds after which losses are noted: ten in each power of ten.
MARKS = tuple(round(10 ** (1 + tenth / 10)) for tenth in range(41))
#: Rounds that load compiled code, before anything is timed.
WARM = 20


@dataclass(frozen=True)
class Cell:
    """A stream, the number of labels and of dimensions."""

    stream: str
    k: int
    d: int

    @property
    def rounds(self) -> int:
        if self.stream == "adaptive":
            return min(ROUNDS, FEWER_ROUNDS if self.k == 2 else FEWEST_ROUNDS)
        return min(ROUNDS, FEWER_ROUNDS) if self.k * self.d >= 200 else ROUNDS

    @property
    def seeds(self) -> range:
        """All of them, but for the most expensive cells."""
        many = MANY_WITH_OPPONENT if self.stream == "adaptive" else MANY_NUMBERS
        return range(FEWER_SEEDS) if self.k * self.d >= many else SEEDS

    @property
    def learners(self) -> dict[str, Callable[[int, int, int], Learner]]:
        """All learners by name, to be made from k, d and a seed; those of this library last."""
        peers = PEERS_OF_TWO if self.k == 2 else PEERS_OF_MANY
        ours = {
            name: make
            for name, make in OURS.items()
            if name != "joint" or self.k * self.d <= JOINT_AT_MOST
        }
        return {
            name: lambda k, d, seed, make=make: make(k, d) for name, make in peers.items()
        } | ours


@dataclass(frozen=True)
class Outcome:
    """Of one learner and seed: the loss after the rounds of ``marks``, mistakes, CPU seconds a
    round, queries kept.
    """

    seed: int
    rounds: int
    marks: list[int]
    losses: list[float]
    mistakes: int
    seconds: float
    rows: int | None

    def loss(self, after: int) -> float:
        """The loss after a number of rounds that is one of the marks."""
        return self.losses[self.marks.index(after)]


def cells() -> list[Cell]:
    """All of them, from cheap to expensive."""
    found = [Cell(stream, k, d) for stream in STREAMS for k in LABELS for d in DIMENSIONS]
    return sorted(found, key=lambda cell: cell.k**2 * cell.d**1.5 * cell.rounds)


def outcomes(cell: Cell, name: str) -> list[Outcome]:
    """One outcome for each seed that there is time for."""
    found = []
    for seed in cell.seeds:
        key = f"{cell.stream}, k={cell.k}, d={cell.d}, {cell.rounds} rounds, {name}, {seed}"
        each = kept("online", key, lambda: asdict(race(cell, name, seed)))  # noqa: B023 - called at once
        if each is not None:
            found.append(Outcome(**each))
    return found


def race(cell: Cell, name: str, seed: int) -> Outcome:
    """Let a learner answer a stream; what the stream asks and tells depends on the seed, and on the
    learner if it is adaptive.
    """
    make = (cell.learners | OURS_APART)[name]
    run(cell, make(cell.k, cell.d, seed), seed, WARM)
    return run(cell, make(cell.k, cell.d, seed), seed, cell.rounds)


def run(cell: Cell, learner: Learner, seed: int, rounds: int) -> Outcome:
    truth = Truth.drawn(cell.k, cell.d, np.random.default_rng((seed, cell.k, cell.d)))
    queries = STREAMS[cell.stream](truth, np.random.default_rng((seed, cell.k, cell.d, 1)), learner)
    marks = sorted({*(mark for mark in MARKS if mark < rounds), rounds})
    losses: list[float] = []
    total, mistakes, spent = 0.0, 0, 0.0
    for count, query in zip(range(1, rounds + 1), queries, strict=False):
        given, label = learner.given(query), truth.label(query)
        started = time.process_time()
        guess = learner.predict(given)
        learner.learn(given, label)
        spent += time.process_time() - started
        if guess != label:
            total += truth.loss(query, guess)
            mistakes += 1
        if count == marks[len(losses)]:
            losses.append(total)
    return Outcome(seed, rounds, marks, losses, mistakes, spent / rounds, learner.rows)
