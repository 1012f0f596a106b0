"""All labels of a stream: what is known of a query before its label is told, and what is learned when it is."""

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from wideberth.classifiers.online_features import Features
from wideberth.classifiers.online_pair import LadderPair, Pair
from wideberth.solvers.knowledge.knowledge_set import Outlook
from wideberth.solvers.knowledge.scales import RESOLUTION
from wideberth.solvers.knowledge.tournament import Mixture, informative_rule, majority, paper_rule, survivors

Floats = NDArray[np.float64]
Duel = tuple[int, int]  # the winner and the loser

RULES = {"informative": informative_rule, "paper": paper_rule}


@dataclass
class Look:
    """What is known of a query. Labels are numbers, in the order in which they were first seen.

    ``possible`` are the labels that no other one certainly beats, ``mixture`` the chances of guessing each of them, ``loss`` the
    most that the guess can lose, in the unit of the features. ``asked`` holds twins of the pairs that were asked: learning goes
    on from these, so that looking leaves no trace.
    """

    query: list[Floats]
    possible: list[int]
    mixture: Mixture
    loss: float
    asked: dict[Duel, tuple[Pair, Outlook]] = field(repr=False)

    def guess(self, u: float) -> int:
        """The label to guess, for a number u drawn uniformly from [0, 1)."""
        return self.possible[self.mixture.draw(u)]


class Pairs:
    r"""One `Pair` for every two labels, and a rule that guesses from what all of them say (Guruganesh et al. 2021, section 3.2).

    Labels that are certainly beaten are left out first. The likely ones are asked first, by a perceptron, which has no other say:
    what the first of them beats need not be asked further.
    """

    def __init__(self, features: Features, *, engine: str, update: str, noise: float, seed: int) -> None:
        self.features, self.engine, self.update, self.noise, self.seed = features, engine, update, noise, seed
        self.n_labels = 0
        self.pairs: dict[Duel, Pair] = {}
        self._perceptron = np.zeros((0, features.lifts[0].dimension))
        self.proved = self._fresh(0, 0).proved

    @property
    def n_rows(self) -> int:
        """How many rows are kept, by all pairs."""
        return sum(pair.n_rows for pair in self.pairs.values())

    def add_label(self) -> None:
        """Make room for one label more, and what it has to do with all others."""
        new = self.n_labels
        self.pairs |= {(old, new): self._fresh(old, new) for old in range(new)}
        self._perceptron = np.concatenate([self._perceptron, np.zeros((1, self._perceptron.shape[1]))])
        self.n_labels += 1

    def look(self, query: Floats) -> Look:
        """What is known of a query."""
        features = self.features.of(query)
        asked: dict[Duel, tuple[Pair, Outlook]] = {}
        order = np.argsort(-(self._perceptron @ features[0]), kind="stable").tolist()

        def duel(i: int, j: int) -> int:
            certain = self._ask(features, i, j, asked).certain
            return certain if i < j else -certain

        possible = survivors(order, duel)
        rule = self.update if possible else "majority"  # nobody is left where wrong labels made a circle
        return self._guessed(features, possible or order, rule, asked)

    def denied(self, look: Look, told: Iterable[Duel]) -> Duel | None:
        """The first of the duels of which the past implies the opposite, and by more than rounding can do."""
        for winner, loser in told:
            outlook = self._ask(look.query, winner, loser, look.asked)
            implied = outlook.loss_plus if outlook.certain > 0 else outlook.loss_minus
            if outlook.certain == _sign(loser, winner) and implied > self._negligible(look.query[0]):
                return winner, loser
        return None

    def implying(self, look: Look, winner: int, loser: int) -> list[int]:
        """The rounds that together imply the outcome of a duel."""
        return look.asked[_key(winner, loser)][0].implying(look.query, _sign(winner, loser))

    def learn(self, look: Look, told: Iterable[Duel], round_number: int) -> None:
        """Learn the outcome of duels for the query that was looked at."""
        for winner, loser in told:
            self._ask(look.query, winner, loser, look.asked)
            look.asked[_key(winner, loser)][0].learn(look.query, _sign(winner, loser), round_number)
        self.pairs.update({key: pair for key, (pair, _) in look.asked.items()})

    def correct(self, look: Look, guess: int, label: int) -> None:
        """Tell the perceptron of a mistake."""
        self._perceptron[label] += look.query[0]
        self._perceptron[guess] -= look.query[0]

    def potential(self) -> float:
        """A bound of all loss to come of all pairs, in the unit of the features."""
        return sum(pair.potential() for pair in self.pairs.values())

    def soften(self, noise: float) -> None:
        """Go on with soft knowledge, for labels that are wrong with the probability ``noise``."""
        self.engine, self.noise, self.proved = "soft", noise, False
        self.pairs = {key: pair.softened(noise=noise, seed=self._seed(*key)) for key, pair in self.pairs.items()}

    def widen(self, features: Features, engine: str) -> None:
        """Go on with queries that have more coordinates, which were 0 so far."""
        self.features, self.engine = features, engine
        self.pairs = {
            key: pair.widened(features, engine=engine, noise=self.noise, seed=self._seed(*key))
            for key, pair in self.pairs.items()
        }
        self._perceptron = np.zeros((self.n_labels, features.lifts[0].dimension))
        self.proved = self._fresh(0, 0).proved

    def _guessed(self, features: list[Floats], possible: list[int], rule: str, asked: dict[Duel, tuple[Pair, Outlook]]) -> Look:
        """The matrices of all pairs of labels that are possible, and what the rule makes of them."""
        count = len(possible)
        if count == 1:
            return Look(features, possible, Mixture(np.ones(1), price=0.0), 0.0, asked)
        losses, drops = np.zeros((count, count)), np.zeros((count, count))
        ahead = np.zeros((count, count), dtype=bool)
        for a, i in enumerate(possible):
            for b, j in enumerate(possible[a + 1 :], start=a + 1):
                outlook = self._ask(features, i, j, asked)
                first, second = (a, b) if i < j else (b, a)
                losses[first, second], losses[second, first] = outlook.loss_plus, outlook.loss_minus
                drops[first, second], drops[second, first] = outlook.drop_plus, outlook.drop_minus
                ahead[first, second], ahead[second, first] = outlook.answer > 0, outlook.answer < 0
        mixture = RULES[rule](losses, drops) if rule in RULES else Mixture(majority(ahead), price=np.nan)
        worst = float(losses[:, mixture.chances > 0].max(initial=0.0))
        return Look(features, possible, mixture, max(worst, self.features.resolution), asked)

    def _ask(self, features: list[Floats], i: int, j: int, asked: dict[Duel, tuple[Pair, Outlook]]) -> Outlook:
        key = _key(i, j)
        if key not in asked:
            twin = self.pairs[key].aside()
            asked[key] = twin, twin.outlook(features)
        return asked[key][1]

    def _fresh(self, i: int, j: int) -> Pair:
        kind = LadderPair if self.features.on_rungs else Pair
        return kind.fresh(self.features, engine=self.engine, noise=self.noise, seed=self._seed(i, j))

    def _seed(self, i: int, j: int) -> int:
        return int(np.random.SeedSequence((self.seed, i, j)).generate_state(1)[0])

    def _negligible(self, features: Floats) -> float:
        """What counts as no loss (`wideberth.solvers.knowledge.knowledge_set.KnowledgeSet`)."""
        power = self.features.alpha * self.features.lifts[0].power
        return float((RESOLUTION * np.linalg.norm(features)) ** power)


def _key(i: int, j: int) -> Duel:
    return (i, j) if i < j else (j, i)


def _sign(winner: int, loser: int) -> int:
    """The sign that the pair of two labels learns where one of them wins."""
    return 1 if winner < loser else -1
