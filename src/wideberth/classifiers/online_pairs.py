"""All labels of a stream as pairs: what is known of a query before its label is told, and what is learned when it is."""

from collections.abc import Iterable
from copy import copy
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from wideberth.classifiers.online_features import Features
from wideberth.classifiers.online_pair import LadderPair, Pair
from wideberth.classifiers.online_partition import Duel
from wideberth.solvers.knowledge.knowledge_set import Outlook
from wideberth.solvers.knowledge.scales import RESOLUTION
from wideberth.solvers.knowledge.tournament import Mixture, informative_rule, majority, paper_rule, survivors

Floats = NDArray[np.float64]

RULES = {"informative": informative_rule, "paper": paper_rule}


@dataclass
class PairsLook:
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

    @property
    def chances(self) -> dict[int, float]:
        """With which chance each label is guessed."""
        return dict(zip(self.possible, self.mixture.chances.tolist(), strict=True))

    @property
    def certain(self) -> bool:
        """Whether one label is left."""
        return len(self.possible) == 1


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
    def bounded(self) -> bool:
        """Whether potentials bound the loss to come."""
        return self.engine != "soft" and self.features.guaranteed

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

    def look(self, query: Floats) -> PairsLook:
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

    def told(self, look: PairsLook, label: int) -> list[Duel]:
        """A label beats those that it was compared with."""
        return [(label, i + j - label) for i, j in look.asked if label in (i, j)]

    def denied(self, look: PairsLook, told: Iterable[Duel]) -> Duel | None:
        """The first of the duels of which the past implies the opposite, and by more than rounding can do."""
        for winner, loser in told:
            outlook = self._ask(look.query, winner, loser, look.asked)
            implied = outlook.loss_plus if outlook.certain > 0 else outlook.loss_minus
            if outlook.certain == _sign(loser, winner) and implied > self._negligible(look.query[0]):
                return winner, loser
        return None

    def implying(self, look: PairsLook, winner: int, loser: int, round_number: int) -> list[int]:
        """The rounds that together imply the outcome of a duel."""
        return look.asked[_key(winner, loser)][0].implying(look.query, _sign(winner, loser))

    def learn(self, look: PairsLook, told: Iterable[Duel], *, guess: int | None, label: int, round_number: int) -> None:
        """Learn the outcome of duels for the query that was looked at; tell the perceptron of a mistake."""
        for winner, loser in told:
            self._ask(look.query, winner, loser, look.asked)
            look.asked[_key(winner, loser)][0].learn(look.query, _sign(winner, loser), round_number)
        self.pairs.update({key: pair for key, (pair, _) in look.asked.items()})
        if guess is not None and guess != label:
            self._perceptron[label] += look.query[0]
            self._perceptron[guess] -= look.query[0]

    def potential(self) -> float:
        """A bound of all loss to come of all pairs, in the unit of the features."""
        return sum(pair.potential() for pair in self.pairs.values())

    def softened(self, noise: float) -> "Pairs":
        """The same with soft knowledge, for labels that are wrong with the probability ``noise``."""
        soft = copy(self)
        soft.engine, soft.noise, soft.proved = "soft", noise, False
        soft.pairs = {key: pair.softened(noise=noise, seed=self._seed(*key)) for key, pair in self.pairs.items()}
        return soft

    def widen(self, features: Features, engine: str) -> None:
        """Go on with queries that have more coordinates, which were 0 so far."""
        self.features, self.engine = features, engine
        self.pairs = {
            key: pair.widened(features, engine=engine, noise=self.noise, seed=self._seed(*key))
            for key, pair in self.pairs.items()
        }
        self._perceptron = np.zeros((self.n_labels, features.lifts[0].dimension))
        self.proved = self._fresh(0, 0).proved

    def _guessed(
        self, features: list[Floats], possible: list[int], rule: str, asked: dict[Duel, tuple[Pair, Outlook]]
    ) -> PairsLook:
        """The matrices of all pairs of labels that are possible, and what the rule makes of them."""
        count = len(possible)
        if count == 1:
            return PairsLook(features, possible, Mixture(np.ones(1), price=0.0), 0.0, asked)
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
        return PairsLook(features, possible, mixture, max(worst, self.features.resolution), asked)

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
