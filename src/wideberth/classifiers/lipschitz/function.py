"""The function that the Lipschitz classifier learns, one score for each class, each of them Lipschitz."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from wideberth.arrays import Flags, Floats, Indices
from wideberth.geometry.search.weighted import LeastSums, WeightedNeighbors
from wideberth.metrics.metric import Metric
from wideberth.objects import sample
from wideberth.rounding import SUM_ERROR

#: Scores are rounded to so many digits, so that ties are ties and not decided by the last bit.
_DIGITS = 12


def project(
    objects: Any, metric: Metric, own: Floats, codes: Indices, slope: float, n_classes: int, **room: Any
) -> tuple[Indices, Floats]:
    r"""The winning class and its margin at every training object, from the objects' own scores :math:`g_j`.

    :math:`f_y(x) = \max(-1, \max_{y_j = y} (g_j - \rho\, d(x, x_j)))` is rho-Lipschitz, and so is the margin
    :math:`\frac12 (f_y - \max_{y' \neq y} f_{y'})`, cut at 1 (Kontorovich & Weiss 2014, eq. 4 and 8). An object's own score can
    only grow by it.
    """
    heights = np.full((len(codes), n_classes), -1.0)
    for each in range(n_classes):
        members = np.flatnonzero(codes == each)
        neighbors = WeightedNeighbors(sample.pick(objects, members), metric, **room)
        heights[:, each] = np.maximum(-1.0, -neighbors.least(objects, -own[members], slope).sums[:, 0])
    winners = heights.argmax(axis=1)
    rows = np.arange(len(codes))
    best = heights[rows, winners].copy()
    heights[rows, winners] = -np.inf
    return winners, np.clip((best - heights.max(axis=1)) / 2, 0.0, 1.0)


@dataclass(frozen=True)
class Witness:
    """A training object that sets a score: its position, its distance, and the score it allows at most or asks for at least."""

    position: int
    distance: float
    bound: float


class StarFunction:
    r"""Scores with :math:`h(x_j, y) = m_j` for the winning class of training object j and :math:`-m_j` for all others.

    .. math:: h(x, y) = \frac12 \left[ \min_j (a^y_j + \rho\, d(x, x_j)) + \max_j (a^y_j - \rho\, d(x, x_j)) \right]

    with :math:`a^y_j = \pm m_j` (Kontorovich & Weiss 2014, eq. 16). Every :math:`h(\cdot, y)` is rho-Lipschitz. Both terms
    are least sums of an offset and a multiple of the distance, over the objects that each class wins; objects that can never
    have the least sum, because another one's reaches below theirs everywhere, are left out.
    """

    def __init__(
        self,
        objects: Any,
        metric: Metric,
        winners: Indices,
        margins: Floats,
        slope: float,
        n_classes: int,
        *,
        sides: tuple[Flags, Flags] | None = None,
        **room: Any,
    ) -> None:
        self.slope, self.n_classes = slope, n_classes
        self._objects, self._winners, self._margins = objects, winners, margins
        raises, limits = sides or (None, None)  # known where the function was made before
        self._raising = [_Side(objects, metric, winners == each, -margins, slope, room, raises) for each in range(n_classes)]
        self._limiting = [_Side(objects, metric, winners == each, margins, slope, room, limits) for each in range(n_classes)]

    @property
    def kept(self) -> Indices:
        """The positions of the training objects that can set a score."""
        return np.unique(np.concatenate([side.positions for side in (*self._raising, *self._limiting)]))

    def parts(self) -> dict[str, Any]:
        """What it is made of: the objects kept, with their winners and margins, and on which side each can set a score."""
        kept = self.kept
        about = {"objects": sample.pick(self._objects, kept), "winners": self._winners[kept], "margins": self._margins[kept]}
        for name, sides in (("raises", self._raising), ("limits", self._limiting)):
            about[name] = np.isin(kept, np.concatenate([side.positions for side in sides]))
        return about

    def scores(self, queries: Any) -> Floats:
        """h(x, y) for every query and class, shape (n, k)."""
        upper, lower = self.bounds(queries)
        return np.round((upper + lower) / 2, _DIGITS)

    def bounds(self, queries: Any) -> tuple[Floats, Floats]:
        """The largest and the smallest score of every class that the training objects allow: the two terms of h."""
        raising = np.stack([side.least(queries).sums[:, 0] for side in self._raising], axis=1)
        limiting = np.stack([side.least(queries).sums[:, 0] for side in self._limiting], axis=1)
        upper = np.minimum(limiting, _least_of_others(raising))
        lower = -np.minimum(raising, _least_of_others(limiting))
        return upper, lower

    def witnesses(self, queries: Any, classes: Indices) -> list[tuple[Witness, Witness]]:
        """For each query the objects that set the two terms of the score of a class: what holds it down, what holds it up."""
        raising = [side.least(queries) for side in self._raising]
        limiting = [side.least(queries) for side in self._limiting]
        found = []
        for query, each in enumerate(classes):
            down = _smallest(query, [(self._limiting[each], limiting[each]), *_others(self._raising, raising, each)])
            up = _smallest(query, [(self._raising[each], raising[each]), *_others(self._limiting, limiting, each)])
            found.append((down, Witness(up.position, up.distance, -up.bound)))
        return found


class _Side:
    """The objects that one class wins, with offsets of one sign; those that another one always undercuts are left out."""

    def __init__(
        self,
        objects: Any,
        metric: Metric,
        members: Flags,
        offsets: Floats,
        slope: float,
        room: Any,
        known: Flags | None = None,
    ) -> None:
        positions = np.flatnonzero(members if known is None else members & known)
        everyone = WeightedNeighbors(sample.pick(objects, positions), metric, **room)
        if known is None:
            kept = _undominated(everyone, sample.pick(objects, positions), offsets[positions], slope)
        else:
            kept = np.ones(len(positions), dtype=bool)
        self.positions, self.slope = positions[kept], slope
        self.offsets = offsets[self.positions]
        self._neighbors = everyone if kept.all() else WeightedNeighbors(sample.pick(objects, self.positions), metric, **room)

    def least(self, queries: Any) -> LeastSums:
        return self._neighbors.least(queries, self.offsets, self.slope)


def _undominated(neighbors: WeightedNeighbors, objects: Any, offsets: Floats, slope: float) -> Flags:
    """Which objects have the least sum somewhere: at least at themselves, strictly below what any other one reaches there."""
    if not len(offsets):
        return np.zeros(0, dtype=bool)
    least = neighbors.least(objects, offsets, slope)
    other = least.indices[:, 0]
    undercut = (least.sums[:, 0] <= offsets + SUM_ERROR) & (offsets[other] < offsets)
    return ~undercut


def _least_of_others(values: Floats) -> Floats:
    """For each class the least value of the other classes, without looking at each pair of classes."""
    if values.shape[1] == 1:
        return np.full_like(values, np.inf)
    order = np.argsort(values, axis=1)
    first, second = order[:, :1], order[:, 1:2]
    smallest = np.take_along_axis(values, first, axis=1)
    runner_up = np.take_along_axis(values, second, axis=1)
    return np.where(np.arange(values.shape[1])[None, :] == first, runner_up, smallest)


def _others(sides: list[_Side], found: list[LeastSums], each: int) -> list[tuple[_Side, LeastSums]]:
    return [(side, sums) for place, (side, sums) in enumerate(zip(sides, found, strict=True)) if place != each]


def _smallest(query: int, candidates: list[tuple[_Side, LeastSums]]) -> Witness:
    side, sums = min(candidates, key=lambda candidate: candidate[1].sums[query, 0])
    return Witness(int(side.positions[sums.indices[query, 0]]), float(sums.distances[query, 0]), float(sums.sums[query, 0]))
