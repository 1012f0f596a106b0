"""The log loss of calibrated scores, and its smallest value by Newton's method."""

from dataclasses import dataclass

import numpy as np
from scipy.special import log_softmax, softmax

from wideberth.array_types import Floats, Indices
from wideberth.rounding import SUM_ERROR

#: The inverse temperatures that are allowed, for scores whose leads are 1 on average.
_FLATTEST, _STEEPEST = 1e-3, 1e6
#: When Newton's method ends at the latest, and when halving its steps does.
_STEPS, _SHORTEST = 100, 2.0**-40
#: The last step is as small, relative to the point that it reaches.
_SMALL = 1e-8


@dataclass(frozen=True, eq=False)
class SoftmaxLoss:
    r"""The log loss of a softmax as a convex function of its inverse temperature and its offsets.

    .. math:: \ell(\beta, b) = -\sum_i w_i \sum_y t_{iy} \log p_{iy} + \tfrac12 \sum_y b_y^2,
        \quad p_{iy} = \frac{\exp(\beta s_{iy} + b_y)}{\sum_{y'} \exp(\beta s_{iy'} + b_{y'})}

    The targets t give one object in n + 1, for n the sum of the weights, a label drawn at random, so that the smallest loss is
    not at infinity if all objects are right.

    Attributes
    ----------
    leads : ndarray of shape (n, k)
        Scores, less the largest of the object, divided by ``scale``.
    barred : ndarray of shape (n, k)
        -inf for classes that are impossible, otherwise 0.
    targets : ndarray of shape (n, k)
        t.
    counts : ndarray of shape (n,)
        w.
    scale : float
        What leads are on average, so that their unit does not matter.

    Examples
    --------
    >>> loss = SoftmaxLoss.of(np.array([[3.0, 0.0], [0.0, 1.0]]), np.array([0, 1]), np.ones(2))
    >>> best = loss.smallest()
    >>> bool(loss.value(best) < loss.value(best + 0.1)), bool(loss.value(best) < loss.value(best - 0.1))
    (True, True)
    """

    leads: Floats
    barred: Floats
    targets: Floats
    counts: Floats
    scale: float

    @classmethod
    def of(cls, scores: Floats, codes: Indices, counts: Floats) -> "SoftmaxLoss":
        """The loss on scores, -inf for impossible classes, of objects with these classes, each counted so many times."""
        leads = scores - scores.max(axis=1, keepdims=True)
        possible = np.isfinite(leads)
        leads = np.where(possible, leads, 0.0)
        scale = float(-(counts @ leads.mean(axis=1)) / counts.sum()) or 1.0
        random = 1.0 / (counts.sum() + 1)
        targets = random * possible / possible.sum(axis=1, keepdims=True)
        targets[np.arange(len(codes)), codes] += 1.0 - random
        return cls(leads / scale, np.where(possible, 0.0, -np.inf), targets, counts, scale)

    def value(self, point: Floats) -> float:
        """The loss for an inverse temperature and offsets, in one array."""
        logs = log_softmax(self._sums(point), axis=1)
        told = np.multiply(self.targets, logs, out=np.zeros_like(logs), where=self.targets > 0)
        return float(-(self.counts @ told.sum(axis=1)) + 0.5 * (point[1:] @ point[1:]))

    def step(self, point: Floats) -> Floats:
        """The step of Newton's method, with the inverse temperature held where it would leave what is allowed."""
        chances = softmax(self._sums(point), axis=1)
        mean = (chances * self.leads).sum(axis=1)
        excess = self.counts[:, None] * (chances - self.targets)
        gradient = np.concatenate([[(excess * self.leads).sum()], excess.sum(axis=0) + point[1:]])
        weighted = self.counts[:, None] * chances
        curvature = np.empty((len(point), len(point)))
        curvature[0, 0] = (weighted * (self.leads - mean[:, None]) ** 2).sum()
        curvature[0, 1:] = curvature[1:, 0] = (weighted * (self.leads - mean[:, None])).sum(axis=0)
        curvature[1:, 1:] = np.diag(weighted.sum(axis=0) + 1.0) - weighted.T @ chances
        curvature[0, 0] += SUM_ERROR * len(self.counts)  # equal scores have none
        step = -np.linalg.solve(curvature, gradient)
        if not _FLATTEST < point[0] + step[0] < _STEEPEST:
            step[0] = np.clip(point[0] + step[0], _FLATTEST, _STEEPEST) - point[0]
            step[1:] = -np.linalg.solve(curvature[1:, 1:], gradient[1:] + curvature[1:, 0] * step[0])
        return step

    def smallest(self) -> Floats:
        """Where it is smallest: Newton's method, with steps halved until they lower the loss."""
        point = np.concatenate([[1.0], np.zeros(self.leads.shape[1])])
        value = self.value(point)
        for _ in range(_STEPS):
            step, length = self.step(point), 1.0
            while (found := self.value(point + length * step)) > value and length > _SHORTEST:
                length /= 2
            if found > value:
                break
            point, value = point + length * step, found
            if np.abs(step).max() <= _SMALL * np.abs(point).max():  # the next step would have the square of its size
                break
        return point

    def _sums(self, point: Floats) -> Floats:
        return np.asarray(point[0] * self.leads + point[1:] + self.barred)
