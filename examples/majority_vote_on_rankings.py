"""Why a majority vote of all pairs of labels is not enough: it needs to be told rankings, and
labels are all that a stream tells.

Three labels, r, j and m. A query u > 0 has the scores 0, s_j - u and s_m - u/2; the label of the
largest one is true, and a guess loses what its score falls short of that. s_j and s_m are hidden,
so each pair of labels has one hidden number and learns it by halving the interval in which it lies;
its potential, twice the length of the interval, pays for its mistakes. The adversary asks u = 1/3,
1/9, 1/27... where s_j = 0 and s_m = -1/4: always r is true, ever closer to j. The pair (j, r) votes
for j each time, (m, r) for r, and (m, j) for m: a circle. (m, j) is wrong all the time, but only a
ranking could tell it so.

Guruganesh, Liu, Schneider & Wang (2021), Theorem 11 and Remark 3.4.
"""

import random
from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from wideberth.classifiers.online.tournament import (
    Mixture,
    informative_rule,
    majority,
    paper_rule,
    survivors,
)
from wideberth.papers.online_bounds import partition_loss, ranking_loss

M, J, R = 0, 1, 2
HIDDEN = {J: 0.0, M: -0.25}


@dataclass
class Pair:
    """Two labels: the first one has the larger score where the hidden number exceeds ``slope``
    u.
    """

    slope: float
    low: float
    high: float

    def certain(self, u: float) -> int:
        """1 or -1 if the interval leaves no doubt that the first or the second is better, else
        0.
        """
        return 1 if self.low >= self.slope * u else -1 if self.high <= self.slope * u else 0

    def votes_first(self, u: float) -> bool:
        """Whether the larger part of the interval is for the first label."""
        return (self.low + self.high) / 2 > self.slope * u

    def learn(self, u: float, first: bool) -> None:
        """Keep the part of the interval that agrees."""
        if first:
            self.low = max(self.low, self.slope * u)
        else:
            self.high = min(self.high, self.slope * u)


@dataclass
class Learner:
    """The three pairs, the way to guess, and what is learned."""

    rule: str
    # "mistakes" of the guessed pair, the "label" for all of its pairs, or the "ranking" of all
    feedback: str
    chance: random.Random = field(default_factory=lambda: random.Random(1))

    def __post_init__(self) -> None:
        self.pairs = {
            (M, J): Pair(-0.5, -1.25, 2.0),
            (M, R): Pair(0.5, -0.25, 2.0),
            (J, R): Pair(1.0, 0.0, 1.0),
        }

    def potential(self) -> float:
        """What all pairs together can still lose."""
        return sum(2 * (pair.high - pair.low) for pair in self.pairs.values())

    def guess(self, u: float) -> int:
        """A label for u."""
        alive = survivors([M, J, R], lambda i, j: self.pairs[i, j].certain(u))
        losses, drops = np.zeros((2, len(alive), len(alive)))
        ahead = np.zeros((len(alive), len(alive)), dtype=bool)
        for a, i in enumerate(alive):
            for b, j in enumerate(alive[a + 1 :], start=a + 1):
                pair = self.pairs[i, j]
                above, below = pair.high - pair.slope * u, pair.slope * u - pair.low
                losses[a, b], losses[b, a] = above, below
                drops[a, b], drops[b, a] = 2 * below, 2 * above
                ahead[a, b], ahead[b, a] = pair.votes_first(u), not pair.votes_first(u)
        if self.rule == "majority":
            mixture = Mixture(majority(ahead), price=float("nan"))
        else:
            mixture = (paper_rule if self.rule == "paper" else informative_rule)(losses, drops)
        return alive[mixture.draw(self.chance.random())]

    def learn(self, u: float, guess: int, ranking: list[int]) -> None:
        """Learn what the feedback tells; the best label is first in the ranking."""
        truth = ranking[0]
        for (i, j), pair in self.pairs.items():
            told = {
                "ranking": True,
                "label": truth in (i, j),
                "mistakes": {guess, truth} == {i, j},
            }[self.feedback]
            if told:
                pair.learn(u, ranking.index(i) < ranking.index(j))


def losses(learner: Learner, stream: Iterable[float]) -> np.ndarray:
    """What the learner has lost after each query."""
    lost = []
    for u in stream:
        scores = {M: HIDDEN[M] - u / 2, J: HIDDEN[J] - u, R: 0.0}
        ranking = sorted(scores, key=lambda label: -scores[label])
        guess = learner.guess(u)
        lost.append(scores[ranking[0]] - scores[guess])
        learner.learn(u, guess, ranking)
    return np.cumsum(lost)


def main(rounds: int = 600) -> None:
    """Play all learners against the adversary."""
    stream = [3.0**-t for t in range(1, rounds + 1)]
    initial = Learner("majority", "label").potential()
    times = [t for t in (10, 30, 100, 300, 600) if t <= rounds]
    print(
        f"{'Total loss after':<20}"
        + "".join(f"{t:>8}" for t in times)
        + "   rounds; proved for every stream"
    )
    for name, learner, bound in (
        ("majority, rankings", Learner("majority", "ranking"), ranking_loss(initial / 3, 3)),
        ("majority, labels", Learner("majority", "label"), float("inf")),
        ("Theorem 11, labels", Learner("paper", "mistakes"), partition_loss(initial / 3, 3)),
        (
            "informative, labels",
            Learner("informative", "label"),
            partition_loss(initial / 3, 3, price=1.0),
        ),
    ):
        lost = losses(learner, stream)
        proved = f"at most {bound:g}" if bound < float("inf") else "nothing"
        print(f"{name:<20}" + "".join(f"{lost[t - 1]:8.2f}" for t in times) + f"   {proved}")


if __name__ == "__main__":
    main()
