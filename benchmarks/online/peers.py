r"""Online learners of linear boundaries, from papers; they and those of libraries have one
interface (`Learner`).

With the weights W of k labels, one a row, the guess is the label of the largest :math:`\langle W_i,
q \rangle`. What a label y says beside another one j is that W should lie on the right side of the
contrast :math:`(e_y - e_j) \otimes q` (Kesler's map), and so learners of two labels become learners
of many. Two labels need one row, for their difference: the contrast is q or -q.
"""

from typing import Any, Protocol

import highspy
import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


class Learner(Protocol):
    """Guesses labels 0, 1, ..., k - 1 and is told them."""

    def given(self, query: Floats) -> Any:
        """The query as the learner takes it; its users have it in that form, so this is not
        timed.
        """

    def predict(self, query: Any) -> int:
        """The guess."""

    def learn(self, query: Any, label: int) -> None:
        """Learn the true label of a query."""

    def normals(self, i: int, j: int) -> Floats:
        """Vectors, one a row, whose inner products with a query say, or nearly say, whether it
        takes i rather than j.
        """

    @property
    def rows(self) -> int | None:
        """How many queries it keeps, if it keeps any."""


class Linear:
    """Weights and how they answer; what they learn is left to others."""

    rows: int | None = None

    def __init__(self, k: int, d: int) -> None:
        self.k = k
        self.weights = np.zeros((1 if k == 2 else k, d))

    def given(self, query: Floats) -> Floats:
        return query

    def predict(self, query: Floats) -> int:
        scores = self.weights @ query
        return int(scores.argmax() if self.k > 2 else scores[0] < 0)

    def normals(self, i: int, j: int) -> Floats:
        if self.k == 2:
            return self.weights if i == 0 else -self.weights
        return self.weights[[i]] - self.weights[[j]]

    def contrast(self, query: Floats, label: int, other: int) -> Floats:
        """What should have a positive inner product with the weights."""
        if self.k == 2:
            return query[None] if label == 0 else -query[None]
        contrast = np.zeros_like(self.weights)
        contrast[label] = query
        contrast[other] -= query
        return contrast

    def closest_rival(self, query: Floats, label: int) -> int:
        """The wrong label that is most nearly guessed."""
        if self.k == 2:
            return 1 - label
        scores = self.weights @ query
        scores[label] = -np.inf
        return int(scores.argmax())


class Perceptron(Linear):
    """Adds the contrast with the guess, if that is wrong (Rosenblatt 1958)."""

    def learn(self, query: Floats, label: int) -> None:
        guess = self.predict(query)
        if guess != label:
            self.weights += self.contrast(query, label, guess)


class PassiveAggressive(Linear):
    """The least change that gives the closest rival a margin of 1 (Crammer et al. 2006)."""

    def learn(self, query: Floats, label: int) -> None:
        contrast = self.contrast(query, label, self.closest_rival(query, label))
        short = 1 - np.vdot(self.weights, contrast)
        if short > 0:
            self.weights += short / np.vdot(contrast, contrast) * contrast


class Mira(Linear):
    """The least change that gives all rivals a margin of 1 (Crammer & Singer 2003); for two labels
    this is passive-aggressive.

    With multipliers t of the rivals, what rival r lacks is filled by t_r + sum(t): the largest
    lacks first, up to one level.
    """

    def learn(self, query: Floats, label: int) -> None:
        scores = self.weights @ query
        lacks = (1 - scores[label] + scores) / (query @ query)
        lacks[label] = 0.0
        order = np.sort(lacks)[::-1]
        levels = np.cumsum(order) / np.arange(2, len(order) + 2)
        filled = np.flatnonzero(order > levels)
        if len(filled):
            multipliers = np.maximum(lacks - levels[filled[-1]], 0.0)
            multipliers[label] = -multipliers.sum()
            self.weights -= multipliers[:, None] * query


class Arow(Linear):
    """A Gaussian over weights, updated until the closest rival has a margin of 1 (Crammer, Kulesza
    & Dredze 2009).
    """

    #: The r of the paper; small, because labels here are never wrong.
    NOISE = 0.01

    def __init__(self, k: int, d: int) -> None:
        super().__init__(k, d)
        self.covariance = np.eye(self.weights.size)

    def learn(self, query: Floats, label: int) -> None:
        contrast = self.contrast(query, label, self.closest_rival(query, label)).ravel()
        short = 1 - self.weights.ravel() @ contrast
        if short > 0:
            image = self.covariance @ contrast
            step = 1 / (contrast @ image + self.NOISE)
            self.weights += (short * step * image).reshape(self.weights.shape)
            self.covariance -= np.multiply.outer(step * image, image)


class ChebyshevCentre(Linear):
    """The centre of the largest ball among the weights, within a cube, that agree with all labels
    guessed wrong.

    One linear program, solved again from the last basis after each mistake.
    """

    def __init__(self, k: int, d: int) -> None:
        super().__init__(k, d)
        self.rows = 0
        self.program = _largest_ball_in_cube(self.weights.size)

    def learn(self, query: Floats, label: int) -> None:
        if self.predict(query) == label:
            return
        scores = self.weights @ query
        others = (
            [1 - label]
            if self.k == 2
            else [j for j in range(self.k) if j != label and scores[j] >= scores[label]]
        )
        for other in others:
            contrast = self.contrast(query, label, other).ravel()
            places = np.flatnonzero(contrast)
            values = np.append(contrast[places], -np.linalg.norm(contrast))
            indices = np.append(places, contrast.size).astype(np.int32)
            self.program.addRow(0.0, highspy.kHighsInf, len(indices), indices, values)
        self.rows += len(others)
        self.program.run()
        if self.program.getModelStatus() == highspy.HighsModelStatus.kOptimal:
            self.weights = np.array(self.program.getSolution().col_value[:-1]).reshape(
                self.weights.shape
            )


def _largest_ball_in_cube(dimension: int) -> Any:
    """Maximise r over centres w with r - 1 <= w <= 1 - r."""
    program = highspy.Highs()
    for option, value in (
        ("output_flag", False),
        ("threads", 1),
        ("presolve", "off"),
        ("primal_feasibility_tolerance", 1e-9),
    ):
        program.setOptionValue(option, value)
    for _ in range(dimension):
        program.addVar(-1.0, 1.0)
    program.addVar(0.0, 1.0)
    program.changeColCost(dimension, -1.0)
    for place in range(dimension):
        for sign in (1.0, -1.0):
            program.addRow(
                -highspy.kHighsInf,
                1.0,
                2,
                np.array([place, dimension], dtype=np.int32),
                np.array([sign, 1.0]),
            )
    return program
