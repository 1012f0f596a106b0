r"""How far an object may move before other neighbours, or the same in another order, give it
another label.

A move from x to x' by less than r changes no distance by r or more, in any metric space:
:math:`|d(x', x_i) - d(x, x_i)| \le d(x, x') < r`. So an object that was 2 r farther than another is
still farther. Let the neighbours of x' be S, and measured from x let M be the distance of the
farthest of them and m that of the nearest object which is not in S. At x' every object of S is no
farther than every other, so :math:`M - m < 2 r`. All objects nearer to x than m are in S, none
farther than M is. So a class y' beats the label y after such a move only if there are distances m
and M with :math:`M - m < 2 r` such that

- S holds everything nearer than m, nothing farther than M, and k votes in all, and
- S holds more votes for y' than for y, or as many, and then the nearest object of y' is no farther
  from x' than that of y, so that :math:`d(x, S_{y'}) - d(x, S_y) < 2 r` as well.

Half the smallest such difference, over all y', is the radius. For k = 1 it is half the lead of the
nearest object over the nearest of another class, 0 if both are as near: closer than that, all
nearest objects are of class y.

The rule for ties (`wideberth.geometry.classes.votes`) fits into this argument. Objects that are as
near as the k-th neighbour vote with a part of their weight: such an object is both in S and not,
and it is as far as the k-th, so that :math:`M - m < 2 r` still holds. The largest lead of y' over
y, if each object between m and M may vote with any part of its weight, is that of a linear program;
with whole weights and a whole k it has a best solution in whole votes, so that a lead of any part
of a vote implies one of a whole vote, for the same m and M. And y' beats y with as many votes only
if it has more votes in the nearest shell of x' in which they differ, or, if they differ nowhere,
comes first: either way the nearest object of y' is no farther than that of y. Whether votes that
are not whole numbers are equal is a matter of rounding: there a tie counts as won by y'.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from wideberth.array_types import Flags, Floats, Indices
from wideberth.classifiers.neighbors.kernels import flipping
from wideberth.geometry.classes.votes import Electorate
from wideberth.objects import sample
from wideberth.rounding import TIE_BREAK, DistanceErrors, half_leads, shortened

#: The lead, as a share of all votes, below which two classes count as tied.
_VOTE_ROUNDING = 2 * TIE_BREAK
#: How many neighbours are examined first, as a multiple of those that vote; four times as many
#: while farther ones could matter.
_FIRST = 4


@dataclass(frozen=True, eq=False)
class Voters:
    """The objects that vote, and how many votes count.

    Attributes
    ----------
    electorate : Electorate
        The objects, their classes and weights.
    size : float
        How many votes count.
    """

    electorate: Electorate
    size: float

    def radii(
        self, queries: Any, winners: Indices, errors: DistanceErrors, most_held: int
    ) -> Floats:
        """The radius of each query.

        Parameters
        ----------
        queries : sample
            Objects, prepared or not.
        winners : ndarray of int, shape (n,)
            The class that each of them gets.
        errors : DistanceErrors
            Those of the distances from the queries to the voters.
        most_held : int
            How many neighbours may be held in memory at a time, for all queries together.

        Returns
        -------
        ndarray of shape (n,)
            Radii, infinite where no other class can win.

        Examples
        --------
        >>> from wideberth import Index
        >>> sides = np.array([0, 0, 1, 1])
        >>> voters = Voters(
        ...     Electorate(Index([[0.0], [1.0], [4.0], [6.0]], labels=sides), sides, np.ones(4), 2),
        ...     size=3.0,
        ... )
        >>> exact = DistanceErrors.of(1, 0.0)
        >>> voters.radii([[0.0]], np.array([0]), exact, 100).round(
        ...     6
        ... )  # another label needs 6 among the nearest three, and not 1
        array([2.5])
        """
        queries, n = self.electorate.index.metric.prepare(queries), len(self.electorate.codes)
        needed = self.electorate.needed(self.size)
        if needed == 1:
            return self._half_leads(queries, winners, errors)
        radii = np.empty(sample.count(queries))
        open_queries, wanted = np.arange(len(radii)), min(n, _FIRST * (needed + 1))
        while len(open_queries):
            settled = np.empty(len(open_queries), dtype=bool)
            rows = max(1, most_held // wanted)
            for start in range(0, len(open_queries), rows):
                some = open_queries[start : start + rows]
                errors_of_some = errors._replace(absolute=errors.absolute[some])
                found = self._within(
                    sample.pick(queries, some), winners[some], errors_of_some, wanted
                )
                radii[some], settled[start : start + rows] = found
            open_queries, wanted = open_queries[~settled], min(n, 4 * wanted)
        return radii

    def _half_leads(self, queries: Any, winners: Indices, errors: DistanceErrors) -> Floats:
        """The radii where the nearest object decides alone: the index finds the nearest object of
        another class directly.
        """
        index = self.electorate.index
        own = index.nearest(queries).distances[:, 0]
        other = index.nearest(queries, excluding=winners).distances[:, 0]
        return half_leads(own, other, errors)

    def _within(
        self, queries: Any, winners: Indices, errors: DistanceErrors, wanted: int
    ) -> tuple[Floats, Flags]:
        """The radii if no object beyond the nearest ``wanted`` ones matters, and for which queries
        that is certain.
        """
        found = self.electorate.index.nearest(queries, wanted)
        weights, codes = (
            of_all[found.indices] for of_all in (self.electorate.weights, self.electorate.codes)
        )
        whole, n_classes = self.electorate.weighs_wholly, self.electorate.n_classes
        lead = 0.5 if whole else -_VOTE_ROUNDING * self.size
        shortest_flips = flipping(4 * codes.size * n_classes)
        flips = shortest_flips(
            found.distances,
            codes,
            weights,
            winners.astype(np.int64),
            n_classes,
            self.size,
            lead,
            whole,
        )
        farthest = found.distances[:, -1]
        slack = 4 * errors.relative * np.where(np.isinf(flips), 0.0, farthest)
        radii = shortened((flips - slack) / 2, 4 * errors.absolute, 4 * errors.relative)
        if wanted == len(self.electorate.codes):
            return radii, np.ones(len(radii), dtype=bool)
        most = (np.cumsum(weights, axis=1) <= self.size * (1 + _VOTE_ROUNDING)).sum(
            axis=1
        )  # at most this number of neighbours are sure to vote
        return radii, flips <= farthest - found.distances[
            np.arange(len(radii)), np.minimum(most, wanted - 1)
        ]
