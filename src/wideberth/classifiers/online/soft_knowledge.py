"""Knowledge from labels of which some are wrong: no vector is ruled out, those that violate many
rows become unlikely.
"""

from dataclasses import asdict
from math import inf, log

import numpy as np

from wideberth.array_types import Floats
from wideberth.classifiers.online.knowledge_set import Lesson, Outlook, Scales, State
from wideberth.classifiers.online.polytope_kernels import soft_walk
from wideberth.classifiers.online.polytopes import checked_directions, checked_points
from wideberth.classifiers.online.sampled_bodies import principal_axes, uniform_in_ball
from wideberth.errors import InvalidInput
from wideberth.estimators import restored_values

SWEEPS = 2  # passes through all axes when the points move
UNANIMOUS = 0.01  # a row is undisputed if less than this share of the points, by weight, dissents
PATIENCE = 5  # rows that all points deny before the points are moved
MOST_DISPUTED = 1000  # disputed rows that are stored; older ones are forgotten
MOST_UNDISPUTED = (
    200  # rows that all points affirm or deny that are stored; older ones are forgotten
)

_COUNTS = ("seed", "draws", "affirmed", "denied")


class SoftKnowledge:
    r"""Weighted points in the ball under the density :math:`\rho^{\#\{j : a_j \cdot w < 0\}}` with
    :math:`\rho = p / (1 - p)`.

    A `KnowledgeSet`. The density is the posterior of w, from a uniform prior, if each sign was
    flipped with probability p, the ``noise``. When the weights have become unequal the points are
    drawn again by weight and moved at random (`soft_walk`).

    Rows on which the points disagree are stored. Of the other rows, those that all points affirm or
    deny, the latest are stored, in the proportion in which they came: otherwise the stored rows
    would not show how many labels are wrong. If the points deny more rows than noise explains, they
    are moved too, since they may be in the wrong place.

    Nothing here is proved: no bound of the loss under wrong labels is known. `reach` is that of the
    ball and `potential` is infinite. Losses are the largest over the points; drops are those of the
    logarithm of the mass :math:`\int \rho^{\#}`, in the unit that makes a sign against the vote
    cost at least the loss, so that rules for many classes work as with the other engines. No sign
    is certain. A contradiction is a sign that all points, by weight, deny.

    Memory: ``MOST_DISPUTED`` + ``MOST_UNDISPUTED`` rows at most.

    >>> knowledge = SoftKnowledge(Scales.for_ball(2, 2.0, 1.0), noise=0.1, points=200, seed=0)
    >>> before = knowledge.outlook(np.array([1.0, 0.0])).vote
    >>> _ = knowledge.learn(np.array([1.0, 0.0]), 1)
    >>> 0.3 < before < 0.7, knowledge.outlook(np.array([1.0, 0.0])).vote > 0.8
    (True, True)
    """

    proved = False
    engine = "soft"
    kept = 1.0
    initial_potential = inf

    def __init__(self, scales: Scales, *, noise: float, points: int, seed: int) -> None:
        self.scales, self.noise, self.n_points, self.seed = scales, noise, points, seed
        self._log_factor = log(noise / (1 - noise))
        self._disputed = np.empty((0, scales.dimension))
        self._undisputed = np.empty((0, scales.dimension))
        # rows that all points affirmed or denied since they last moved
        self._affirmed = self._denied = self._draws = 0
        self._points = uniform_in_ball(points, scales.dimension, scales.radius, self._generator())
        self._log_weights = np.zeros(points)

    @property
    def n_rows(self) -> int:
        """How many rows are stored."""
        return len(self._disputed) + len(self._undisputed)

    @property
    def directions(self) -> Floats:
        """The stored rows, those on which points disagree first."""
        return np.concatenate([self._disputed, self._undisputed])

    def reach(self, query: Floats) -> tuple[float, float]:
        """What the ball allows: under noise no w is ruled out."""
        bound = self.scales.radius * float(np.linalg.norm(query))
        return bound, bound

    def outlook(self, query: Floats, *, slack: float = 0.0) -> Outlook:
        """The vote of the points on the sign of a query; ``slack`` is small beside wrong labels,
        and is not used.
        """
        heights = self._points @ query
        vote = float(self._weights()[heights > 0].sum())
        plus, minus = max(0.0, float(heights.max())), max(0.0, float(-heights.min()))
        unit = self.scales.loss(plus + minus) / log(2 / (1 + self._factor))
        drops = unit * self._mass_lost(vote), unit * self._mass_lost(1 - vote)
        return Outlook(
            self.scales.loss(plus), self.scales.loss(minus), *drops, vote=min(vote, 1.0), certain=0
        )

    def learn(
        self, query: Floats, sign: int, *, informative_only: bool = True, slack: float = 0.0
    ) -> Lesson:
        """Reweight the points by a sign; ``informative_only`` and ``slack`` are not used, and
        contradictions are learned too.
        """
        length = float(np.linalg.norm(query))
        if length == 0:
            return Lesson(0.0, stored=False, contradiction=False)
        outlook = self.outlook(query)
        row = sign / length * query
        share = outlook.vote if sign > 0 else 1 - outlook.vote
        if min(share, 1 - share) < UNANIMOUS:
            self._undisputed = np.vstack([self._undisputed, row])[-MOST_UNDISPUTED:]
            self._affirmed = self._affirmed + (share > 0.5)
            self._denied = self._denied + (share < 0.5)
        else:
            self._disputed = np.vstack([self._disputed, row])[-MOST_DISPUTED:]
            self._log_weights += self._log_factor * (self._points @ row < 0)
        weights = self._weights()
        misplaced = self._denied >= PATIENCE and self._denied > 2 * self.noise * (
            self._affirmed + self._denied
        )
        if 2 / (weights @ weights) < self.n_points or misplaced:
            self._resample(weights)
        return Lesson(
            outlook.drop_plus if sign > 0 else outlook.drop_minus,
            stored=True,
            contradiction=share < UNANIMOUS,
        )

    def scratch_copy(self) -> "SoftKnowledge":
        """This knowledge itself: outlooks do not change it."""
        return self

    def with_implied_row(self, row: Floats) -> "SoftKnowledge":
        """This knowledge itself: it rules nothing out, so nothing follows from it."""
        return self

    def potential(self) -> float:
        """Infinite: with wrong labels no bound of the future loss is known."""
        return inf

    def state(self) -> State:
        """Points, weights, rows, and the position in the stream of random numbers."""
        return {
            "engine": self.engine,
            "scales": asdict(self.scales),
            "noise": self.noise,
            "seed": self.seed,
            "draws": self._draws,
            "affirmed": self._affirmed,
            "denied": self._denied,
            "disputed": self._disputed.copy(),
            "undisputed": self._undisputed.copy(),
            "population": self._points.copy(),
            "log_weights": self._log_weights.copy(),
        }

    @classmethod
    def from_state(cls, scales: Scales, state: State) -> "SoftKnowledge":
        """The knowledge with the given state; an `InvalidInput` if there is no such knowledge."""
        points = checked_points(state, "population", (None, scales.dimension), scales.radius)
        if not len(points) or not 0 < restored_values.number(state, "noise") < 0.5:
            raise InvalidInput(
                f"{len(points)} points under a noise of {state['noise']} are no knowledge.",
                value=len(points),
            )
        counts = {
            name: restored_values.whole(state, name, least=0, most=restored_values.ANY_POSITION)
            for name in _COUNTS
        }
        knowledge = cls(scales, noise=state["noise"], points=len(points), seed=counts["seed"])
        knowledge._points = points
        knowledge._log_weights = restored_values.finite(state, "log_weights", len(points))
        knowledge._draws = counts["draws"]
        knowledge._affirmed = counts["affirmed"]
        knowledge._denied = counts["denied"]
        knowledge._disputed = checked_directions(state, "disputed", scales.dimension)
        knowledge._undisputed = checked_directions(state, "undisputed", scales.dimension)
        return knowledge

    @property
    def _factor(self) -> float:
        return self.noise / (1 - self.noise)

    def _mass_lost(self, share: float) -> float:
        """By how much the logarithm of the mass falls when ``share`` of it agrees with a sign."""
        return -log(min(1.0, share + self._factor * (1 - share)))

    def _weights(self) -> Floats:
        weights = np.exp(self._log_weights - self._log_weights.max())
        return np.asarray(weights / weights.sum())

    def _resample(self, weights: Floats) -> None:
        """Draw the points by weight, with one random number for all (systematic resampling), and
        move them at random.
        """
        generator = self._generator()
        ladder = (np.arange(self.n_points) + generator.random()) / self.n_points
        chosen = np.minimum(np.searchsorted(np.cumsum(weights), ladder), self.n_points - 1)
        self._points = self._points[chosen]
        chances = generator.random((self.n_points, SWEEPS * self.scales.dimension))
        frame = principal_axes(self._points)
        soft_walk(
            self._points, self.directions, self.scales.radius, self._log_factor, frame, chances
        )
        self._log_weights = np.zeros(self.n_points)
        self._affirmed = self._denied = 0

    def _generator(self) -> np.random.Generator:
        """A new generator that depends only on the seed and the number of earlier calls, so that
        two integers are its state.
        """
        self._draws += 1
        return np.random.default_rng((self.seed, self._draws))
