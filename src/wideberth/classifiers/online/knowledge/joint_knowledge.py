r"""Knowledge of all centres at once: one population of points, each of which is a possible position
of all centres together.

A label y of a query q gives one row about all centres for each other label j (Kesler's
construction),

.. math:: \langle q, x_y \rangle \ge \langle q, x_j \rangle,

so that pairs of labels learn from each other through the centre that they share. That saves
mistakes, compared with one set of differences for each pair; the price is a population in k d
dimensions.
"""

from math import sqrt

import numpy as np

from wideberth.array_types import Floats
from wideberth.classifiers.online.knowledge.halfspaces import Rows, checked_points
from wideberth.classifiers.online.knowledge.knowledge_set import RESOLUTION, State
from wideberth.classifiers.online.knowledge.populations import (
    SWEEPS,
    Body,
    confine,
    mix,
    uniform_in_ball,
)
from wideberth.errors import InvalidInput
from wideberth.estimators import restored_values

Duel = tuple[int, int]  # the winner and the loser

POINTS = 100  # more points change losses by less than chance does
INFORMATIVE = 0.05  # a row that a smaller share of the points violates is not worth keeping


class JointKnowledge:
    r"""Rows :math:`\langle a, x \rangle \ge -s` for centres :math:`x = (x_1, \ldots, x_k)`, of
    which any two are at most r apart.

    Only differences of centres count, so their mean may be taken for 0, and then :math:`|x|^2 =
    \frac1k \sum_{i<j} |x_i - x_j|^2 \le \frac{k-1}{2} r^2`. The points are in a ball that is a
    little larger, and in a body that is fattened by the resolution below which losses count as 0,
    so that it is never empty; they stay spread over it as it shrinks (`confine`).

    Proved: `reach`, hence certain outcomes. How fast it learns is not: no bound of its total loss
    is known. All steps depend only on the seed and on what was learned.

    Parameters
    ----------
    dimension : int
        The dimension d of queries and centres.
    radius : float
        The largest distance r of two centres.
    seed : int
        Determines all random numbers.

    Attributes
    ----------
    n_labels : int
        The number k of labels.
    rows : Rows
        The stored rows, in k d dimensions.

    Examples
    --------
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
        rows; a bound with slacks.

        Parameters
        ----------
        query : ndarray of shape (dimension,)
            The query q.
        winner, loser : int
            The labels w and l.
        """
        row, length = self.row(query, winner, loser)
        return length * self._reach(self.rows, row)

    def first_refuted(self, query: Floats, duels: list[Duel]) -> Duel | None:
        """The first duel that the rows make impossible, alone or else together with the duels
        before it; None if there is none.

        If some point agrees with all of the duels, they are possible, and nothing needs to be
        solved.

        Parameters
        ----------
        query : ndarray of shape (dimension,)
            The query.
        duels : list of (int, int)
            Winners and losers.
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

    def learn(
        self, query: Floats, duels: list[Duel], *, guess: int | None = None, slack: float = 0.0
    ) -> list[Duel]:
        """Store the rows of those duels that enough of the points violate.

        Parameters
        ----------
        query, duels
            As for `first_refuted`.
        guess : int, optional
            The label that was guessed. A row against it is always stored: otherwise the same
            mistake could be made again.
        slack : float
            The error of the features.

        Returns
        -------
        list of (int, int)
            The duels whose rows were stored.
        """
        scores = self.scores(query)
        before, kept = len(self.rows), []
        for winner, loser in duels:
            row, length = self.row(query, winner, loser)
            violating = np.mean(scores[:, winner] < scores[:, loser] - slack)
            if length and (violating >= INFORMATIVE or loser == guess):
                self.rows.add(row, slack / length)
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

    def state(self) -> State:
        """Rows, points, and the position in the stream of random numbers."""
        return {
            "directions": self.rows.directions.copy(),
            "slacks": self.rows.slacks.copy(),
            "population": self._points.copy(),
            "draws": self._draws,
        }

    def restore(self, n_labels: int, state: State) -> None:
        """Continue with the given state of as many labels; an `InvalidInput` if there is no such
        state.
        """
        width = n_labels * self.dimension
        points = checked_points(state, "population", (None, width), sqrt(n_labels) * self.radius)
        if not len(points):
            raise InvalidInput("There are no points.", value=0)
        self.n_labels, self.rows, self._points = n_labels, Rows.from_state(width, state), points
        self._draws = restored_values.whole(
            state, "draws", least=0, most=restored_values.ANY_POSITION
        )

    def _reach(self, rows: Rows, row: Floats) -> float:
        """The reach of the row of a duel: by the rows, and at most what the distance r of two
        centres allows.
        """
        largest = sqrt((self.n_labels - 1) / 2) * self.radius
        return min(
            rows.reach(largest, row), self.radius / sqrt(2)
        )  # two centres are at most r apart

    def _body(self) -> Body:
        thickness = RESOLUTION * self.radius
        return Body(
            self.rows.directions,
            self.rows.slacks + thickness,
            sqrt(self.n_labels / 2) * self.radius + thickness,
        )

    def _generator(self) -> np.random.Generator:
        """A new generator that depends only on the seed and the number of earlier calls."""
        self._draws += 1
        return np.random.default_rng((self.seed, self._draws))
